//! Text and file names in profiles.

use percent_encoding::percent_decode_str;
use profile::{WarningCode, Warnings};
use std::borrow::Cow;

/// `bytes` as UTF-8. Invalid bytes become U+FFFD, with a warning.
pub(crate) fn utf8<'a>(bytes: &'a [u8], warnings: &mut Warnings) -> Cow<'a, str> {
    utf8_at(bytes, 0, warnings)
}

/// The same for a part of a file at `offset`.
pub(crate) fn utf8_at<'a>(bytes: &'a [u8], offset: u64, warnings: &mut Warnings) -> Cow<'a, str> {
    std::str::from_utf8(bytes).map_or_else(
        |error| {
            let offset = offset + error.valid_up_to() as u64;
            warnings.add(WarningCode::InvalidUtf8, || {
                format!("byte {offset} is not UTF-8; such bytes are shown as \u{fffd}")
            });
            String::from_utf8_lossy(bytes)
        },
        Cow::Borrowed,
    )
}

/// Warns if the last line of a text has no newline: a part of it may be missing, which cannot be
/// known from the line itself.
pub(crate) fn warn_of_open_end(text: &str, warnings: &mut Warnings) {
    if !text.trim().is_empty() && !text.ends_with('\n') {
        warnings.add(WarningCode::OpenEnd, || open_end(text.lines().count()));
    }
}

/// The warning about a last line (1-based) without a newline.
pub(crate) fn open_end(line: usize) -> String {
    format!("line {line}, the last one, has no newline; the file may be incomplete")
}

/// A file name for the tables: `file:` URLs become paths, without query and fragment. Everything
/// else stays as it is in the profile.
pub(crate) fn source_name(name: &str) -> Cow<'_, str> {
    let Some(path) = name.strip_prefix("file://") else { return Cow::Borrowed(name) };
    let path = path.strip_prefix("localhost").unwrap_or(path);
    if !path.starts_with('/') {
        // A file of another machine (`file://server/share/x`), or a placeholder (`file://<URL>`) in
        // a profile without private data.
        return Cow::Borrowed(name);
    }
    // In the path itself, these characters are percent-encoded.
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let path = percent_decode_str(path).decode_utf8_lossy();
    match path.as_bytes() {
        // `file:///C:/x` becomes `C:/x`.
        [b'/', drive, b':', ..] if drive.is_ascii_alphabetic() => Cow::Owned(path[1..].to_owned()),
        _ => path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_urls_become_paths_and_other_names_stay() {
        let cases = [
            ("file:///a%20b/x.js?v=1", "/a b/x.js"),
            ("file:///a/x.js#part?v=1", "/a/x.js"),
            ("file:///a/q%3Fx%23.js?v=/1", "/a/q?x#.js"),
            ("file://localhost/a/x.js", "/a/x.js"),
            ("file:///C:/a/x.js", "C:/a/x.js"),
            ("file://server/share/x.js", "file://server/share/x.js"),
            ("file://<URL>", "file://<URL>"),
            ("/a%20b/./x.js", "/a%20b/./x.js"),
            ("node:fs", "node:fs"),
        ];
        for (name, expected) in cases {
            assert_eq!(source_name(name), expected);
        }
    }
}
