//! One reader per format.

pub(crate) mod austin;
pub(crate) mod callgrind;
pub(crate) mod calls;
pub(crate) mod chrome_trace;
pub(crate) mod cpuprofile;
pub(crate) mod dhat;
pub(crate) mod firefox;
pub(crate) mod folded;
pub(crate) mod heapprofile;
pub(crate) mod json;
pub(crate) mod mojo;
pub(crate) mod perf_data;
pub(crate) mod perf_event;
pub(crate) mod perf_script;
pub(crate) mod pprof;
pub(crate) mod pstats;
pub(crate) mod rbspy;
pub(crate) mod rbspy_summary;
pub(crate) mod rows;
pub(crate) mod speedscope;
pub(crate) mod stackprof;
#[cfg(test)]
mod text_rows;
pub(crate) mod v8;

use percent_encoding::percent_decode_str;
use profile::{BuildError, Func, FuncId, Lib, ProfileBuilder, WarningCode, Warnings};
use std::borrow::Cow;

/// Text as a reader wants it, whatever bytes it has.
pub(crate) fn utf8<'a>(bytes: &'a [u8], warnings: &mut Warnings) -> Cow<'a, str> {
    let text = String::from_utf8_lossy(bytes);
    if let Cow::Owned(_) = text {
        let offset = std::str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len);
        warnings.add(WarningCode::InvalidUtf8, || {
            format!("byte {offset} is not UTF-8; such bytes are shown as \u{fffd}")
        });
    }
    text
}

/// A function as a reader finds it. Empty names mean "the profile does not say".
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct FuncText<'a> {
    pub(crate) name: &'a str,
    /// As the profile spells it.
    pub(crate) file: &'a str,
    /// Its library, with or without folder.
    pub(crate) lib: &'a str,
    /// Where it starts, 1-based; 0 = unknown.
    pub(crate) line: u32,
    pub(crate) column: u32,
}

impl FuncText<'_> {
    pub(crate) fn intern(self, builder: &mut ProfileBuilder) -> Result<FuncId, BuildError> {
        let func = self.func(builder)?;
        builder.intern_func(func)
    }

    /// The row of the table, not put into it.
    pub(crate) fn func(self, builder: &mut ProfileBuilder) -> Result<Func, BuildError> {
        let given = |text: &str| !text.is_empty();
        Ok(Func {
            name: builder.intern_string(self.name)?,
            source: given(self.file)
                .then(|| builder.intern_source(&source_name(self.file)))
                .transpose()?,
            lib: given(self.lib).then(|| builder.intern_lib(library(self.lib))).transpose()?,
            line: self.line,
            column: self.column,
        })
    }
}

/// A 1-based position as JSON has it, a number; what is none becomes 0.
pub(crate) fn position(number: f64) -> u32 {
    // Casts saturate: below 0 is 0. What is above all positions is none either.
    #[expect(clippy::cast_sign_loss, reason = "saturating is what is meant")]
    let position = number as u32;
    if position == u32::MAX { 0 } else { position }
}

/// Whether a profiler can have counted so much: counters have 64 bits.
pub(crate) fn fits_counter(number: f64) -> bool {
    const MOST: f64 = 18_446_744_073_709_551_616.0;
    number.abs() <= MOST
}

/// A library by its path or its mere name.
pub(crate) fn library(text: &str) -> Lib {
    match text.rsplit_once(['/', '\\']) {
        Some((_, name)) if !name.is_empty() => {
            Lib { name: name.to_owned(), path: text.to_owned(), ..Lib::default() }
        }
        _ => Lib { name: text.to_owned(), ..Lib::default() },
    }
}

/// A file name as tables hold and reports show it: `file:` URLs become paths, all else stays as the
/// profile spells it.
pub(crate) fn source_name(name: &str) -> Cow<'_, str> {
    let Some(path) = name.strip_prefix("file://") else { return Cow::Borrowed(name) };
    let path = path.strip_prefix("localhost").unwrap_or(path);
    if !path.starts_with('/') {
        // A placeholder of a sanitised profile.
        return Cow::Borrowed(name);
    }
    let path = percent_decode_str(path).decode_utf8_lossy();
    match path.as_bytes() {
        // file:///C:/x is C:/x.
        [b'/', drive, b':', ..] if drive.is_ascii_alphabetic() => Cow::Owned(path[1..].to_owned()),
        _ => path,
    }
}

#[cfg(test)]
mod tests {
    use super::{position, source_name};

    #[test]
    fn a_number_that_is_no_position_is_unknown() {
        let numbers = [7.0, 0.0, -1.0, 1e20, 4_294_967_295.0, f64::NAN];
        assert_eq!(numbers.map(position), [7, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn file_urls_become_paths_and_all_else_stays() {
        let cases = [
            ("file:///a%20b/x.js?v=1", "/a b/x.js?v=1"),
            ("file://localhost/a/x.js", "/a/x.js"),
            ("file:///C:/a/x.js", "C:/a/x.js"),
            ("file://<URL>", "file://<URL>"),
            ("/a%20b/./x.js", "/a%20b/./x.js"),
            ("node:fs", "node:fs"),
        ];
        for (name, expected) in cases {
            assert_eq!(source_name(name), expected);
        }
    }
}
