//! Parser for the location of a raw frame: Gecko writes function, file, line and column, or only an
//! address, into one string.
//!
//! These forms are tried in this order, as in the Firefox Profiler (`process-profile`):
//!
//! 1. `0x7f1d55d1a26f`: an address in the memory of the process.
//! 2. `name (in lib)`, `name (in lib) + 12`, `name (in lib) (file:line)`: symbolicated native code
//!    (`perf script report gecko`, simpleperf).
//! 3. `name (url:line:column)`, `url:line:column`, `url`: a script, and where in it the function
//!    *starts*. Since Gecko 32, `[n]` may follow: a row of the table of sources. For chained URLs
//!    (`a -> b`), the last one counts.
//! 4. Anything else is a label: `nsThread::ProcessNextEvent` has no file, although it contains colons.

use super::columns::Text;

/// The name of code outside of functions: that of a whole script.
const ROOT_SCOPE: &str = "(root scope)";

/// A parsed location. Parts that it does not have are empty or 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Location<'a> {
    pub(super) name: &'a str,
    pub(super) file: &'a str,
    /// The line where the function starts, 1-based.
    pub(super) line: u32,
    pub(super) column: u32,
    /// The address of the code in the memory of the process.
    pub(super) address: Option<u64>,
    /// The name of its library.
    pub(super) lib: &'a str,
    /// Whether it is a script.
    pub(super) is_script: bool,
}

impl<'a> Location<'a> {
    /// Parses a location; `sources` are the files of its process.
    pub(super) fn new(text: &'a str, sources: &'a [Text<'a>]) -> Self {
        let label = Self { name: text, ..Self::default() };
        if let Some(address) = address(text) {
            return Self { address: Some(address), ..label };
        }
        native(text).or_else(|| script(text, sources)).unwrap_or(label)
    }
}

/// The address in a name that is one.
pub(super) fn address(name: &str) -> Option<u64> {
    name.strip_prefix("0x").and_then(|hex| u64::from_str_radix(hex, 16).ok())
}

fn native(text: &str) -> Option<Location<'_>> {
    let (name, rest) = text.rsplit_once(" (in ")?;
    let (lib, rest) = rest.split_once(')')?;
    let offset = rest.strip_prefix(" + ").is_some_and(is_number);
    let line = rest
        .strip_prefix(" (")
        .and_then(|rest| rest.strip_suffix(')'))
        .is_some_and(|rest| rest.contains(':'));
    let name = name.strip_prefix("non-virtual thunk to ").unwrap_or(name);
    (rest.is_empty() || offset || line).then_some(Location { name, lib, ..Location::default() })
}

fn script<'a>(text: &'a str, sources: &'a [Text<'a>]) -> Option<Location<'a>> {
    let (text, source) = match text.strip_suffix(']').and_then(|text| text.rsplit_once('[')) {
        Some((front, row)) if is_number(row) => {
            (front, row.parse().ok().and_then(|row: usize| sources.get(row)))
        }
        _ => (text, None),
    };
    let source = source.map(|source| source.0.as_ref()).filter(|source| !source.is_empty());
    let in_brackets = text.strip_suffix(')').and_then(|text| text.rsplit_once(" ("));
    let (name, (url, line, column)) =
        match in_brackets.and_then(|(name, place)| Some((name, place_in(place)?))) {
            Some(found) => found,
            None => match (place_in(text), source) {
                (Some(found), _) if !last_url(found.0).contains(' ') => ("", found),
                (_, source) if source == Some(last_url(text)) || is_url(last_url(text)) => {
                    ("", (text, 0, 0))
                }
                _ => return None,
            },
        };
    let name = if name.is_empty() { ROOT_SCOPE } else { name };
    Some(Location {
        name,
        file: source.unwrap_or(last_url(url)),
        line,
        column,
        is_script: true,
        ..Location::default()
    })
}

/// Parses `url:line:column` or `url:line`.
fn place_in(text: &str) -> Option<(&str, u32, u32)> {
    let number = |text: &str| is_number(text).then(|| text.parse().unwrap_or(0));
    let (front, last) = text.rsplit_once(':')?;
    let last = number(last)?;
    match front.rsplit_once(':').and_then(|(url, line)| Some((url, number(line)?))) {
        Some((url, line)) => Some((url, line, last)),
        None => Some((front, last, 0)),
    }
}

fn last_url(chain: &str) -> &str {
    chain.rsplit_once(" -> ").map_or(chain, |(_, last)| last)
}

/// Whether the whole text is `scheme://…`.
fn is_url(text: &str) -> bool {
    let scheme = text
        .split_once("://")
        .map(|(scheme, _)| scheme)
        .filter(|scheme| !scheme.is_empty() && !text.contains(' '));
    scheme.is_some_and(|scheme| {
        scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    })
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::borrow::Cow;

    #[test]
    fn each_form_of_a_location() {
        let sources =
            ["self-hosted", "file:///w/index.html", ""].map(|name| Text(Cow::Borrowed(name)));
        let js = |name, file, line, column| Location {
            name,
            file,
            line,
            column,
            is_script: true,
            ..Location::default()
        };
        let native = |name, lib| Location { name, lib, ..Location::default() };
        let label = |name| Location { name, ..Location::default() };
        let address = |name, address| Location { address: Some(address), ..label(name) };
        let cases = [
            ("0x7f1d55d1a26f", address("0x7f1d55d1a26f", 0x7f1d_55d1_a26f)),
            ("0xfffffffffffffffe", address("0xfffffffffffffffe", u64::MAX - 1)),
            ("0xfffffffffffffffff", label("0xfffffffffffffffff")),
            ("memcpy (in libc.so.6)", native("memcpy", "libc.so.6")),
            ("a::b(int) (in app) + 123", native("a::b(int)", "app")),
            ("non-virtual thunk to A::b() (in xul) (A.cpp:12)", native("A::b()", "xul")),
            ("f (in app) or not", label("f (in app) or not")),
            ("solve (file:///w/solver.js:34:8)[7]", js("solve", "file:///w/solver.js", 34, 8)),
            ("next (self-hosted:392:27)[0]", js("next", "self-hosted", 392, 27)),
            ("f (http://h:8080/x.js:3)", js("f", "http://h:8080/x.js", 3, 0)),
            ("f (:3:4)[1]", js("f", "file:///w/index.html", 3, 4)),
            ("f (:3:4)[2]", js("f", "", 3, 4)),
            ("f (resource://a.js -> file:///b.js:9:1)", js("f", "file:///b.js", 9, 1)),
            ("#count/</< (moz-src:///x.mjs:5:6)", js("#count/</<", "moz-src:///x.mjs", 5, 6)),
            ("resource://gre/x.mjs:42:54", js("(root scope)", "resource://gre/x.mjs", 42, 54)),
            ("file:///w/index.html[1]", js("(root scope)", "file:///w/index.html", 0, 0)),
            ("a.js -> file:///w/index.html[1]", js("(root scope)", "file:///w/index.html", 0, 0)),
            ("chrome://global/x.js", js("(root scope)", "chrome://global/x.js", 0, 0)),
            ("moz-src:///x.js[9]", js("(root scope)", "moz-src:///x.js", 0, 0)),
            ("self-hosted[0]", js("(root scope)", "self-hosted", 0, 0)),
            ("LoadSubScript chrome://global/x.js", label("LoadSubScript chrome://global/x.js")),
            ("Task[1]", label("Task[1]")),
            ("js::RunScript", label("js::RunScript")),
            (
                "notify profile-after-change (Startup)",
                label("notify profile-after-change (Startup)"),
            ),
            ("Runnable at 12:30", label("Runnable at 12:30")),
            ("", label("")),
            (")", label(")")),
            ("x:", label("x:")),
        ];
        for (text, expected) in cases {
            assert_eq!(Location::new(text, &sources), expected, "{text}");
        }
    }
}
