//! The grammar of single lines, and detection of callgrind files.

/// A line.
#[derive(Debug, PartialEq)]
pub(super) enum Line<'a> {
    /// Blank, a comment or a banner.
    Nothing,
    /// `events: Ir`
    Header(&'a str, &'a str),
    /// `fn=main`
    Position(&'a str, &'a str),
    /// `16 400`
    Costs,
    Unknown,
}

pub(super) fn split(line: &str) -> Line<'_> {
    let line = line.trim_ascii();
    match line.bytes().next() {
        None | Some(b'#') => Line::Nothing,
        // Xdebug puts a banner before each part with `profiler_append`.
        Some(b'=') if line.starts_with("====") => Line::Nothing,
        Some(b'0'..=b'9' | b'+' | b'-' | b'*') => Line::Costs,
        Some(_) => {
            let end = line.bytes().position(|byte| !byte.is_ascii_lowercase());
            let (key, rest) = line.split_at(end.unwrap_or(line.len()));
            if key.is_empty() {
                Line::Unknown
            } else if let Some(value) = rest.strip_prefix('=') {
                Line::Position(key, value.trim_ascii_start())
            } else if let Some(value) = rest.strip_prefix(':') {
                Line::Header(key, value.trim_ascii_start())
            } else {
                Line::Unknown
            }
        }
    }
}

/// Parses a line or an address, which may be relative to the previous one (`before`): `16`, `0x10`,
/// `+3`, `-3`, `*`, or the first of a range.
pub(super) fn position(word: &str, before: u64) -> Option<u64> {
    if word == "*" {
        return Some(before);
    }
    if let Some(more) = word.strip_prefix('+') {
        return Some(before.saturating_add(whole(more)?));
    }
    if let Some(less) = word.strip_prefix('-') {
        return Some(before.saturating_sub(whole(less)?));
    }
    whole(word).or_else(|| whole(word.split(['+', '-', ':']).next()?))
}

/// Parses a whole number, decimal or hexadecimal. Numbers that are too large become the largest
/// one.
pub(super) fn whole(word: &str) -> Option<u64> {
    match word.as_bytes() {
        [] | [b'0', b'x' | b'X'] => None,
        [b'0', b'x' | b'X', digits @ ..] => digits.iter().try_fold(0_u64, |number, &digit| {
            let digit = char::from(digit).to_digit(16)?;
            Some(number.saturating_mul(16).saturating_add(u64::from(digit)))
        }),
        digits => digits.iter().try_fold(0_u64, |number, &digit| {
            let digit = digit.is_ascii_digit().then(|| digit - b'0')?;
            Some(number.saturating_mul(10).saturating_add(u64::from(digit)))
        }),
    }
}

/// Parses what follows `jump=` or `jcnd=`: how often the instruction jumped, and the position of the
/// target, which has `n` words. Valgrind writes `jump=COUNT TARGET` and `jcnd=JUMPED/EXECUTED
/// TARGET`, its manual says `jcnd=EXECUTED JUMPED TARGET`.
pub(super) fn jump(value: &str, n: usize) -> Option<(u64, Vec<&str>)> {
    let mut words: Vec<&str> = value.split_ascii_whitespace().collect();
    if n == 0 || words.len() <= n {
        return None;
    }
    let target = words.split_off(words.len() - n);
    let jumped = words.last()?.split('/').next()?;
    Some((whole(jumped)?, target))
}

/// Parses a cost or a count.
pub(super) fn number(word: &str) -> Option<f64> {
    match whole(word) {
        Some(number) => Some(number as f64),
        None => word.parse().ok().filter(|number: &f64| number.is_finite()),
    }
}

/// How many bytes are searched for a header that decides.
const FRONT: usize = 2 << 10;

/// Whether `bytes` begin with the marker, or with headers that include one about events or the
/// creator. Not all writers put the marker there.
pub(crate) fn is_callgrind(bytes: &[u8]) -> bool {
    let front = String::from_utf8_lossy(bytes.get(..FRONT).unwrap_or(bytes));
    if front.starts_with("# callgrind format") {
        return true;
    }
    for line in front.lines() {
        match split(line) {
            Line::Nothing => {}
            Line::Header("events" | "creator", value) => {
                return !value.is_empty() && !line.starts_with(' ');
            }
            Line::Header(key, _) if HEADERS.contains(&key) => {}
            _ => return false,
        }
    }
    false
}

/// Headers that may come first.
const HEADERS: [&str; 13] = [
    "version",
    "creator",
    "pid",
    "cmd",
    "part",
    "thread",
    "timeframe",
    "desc",
    "arch",
    "positions",
    "event",
    "summary",
    "target",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_classified() {
        let cases = [
            ("", Line::Nothing),
            ("# callgrind format", Line::Nothing),
            ("==== NEW PROFILING FILE ====", Line::Nothing),
            ("fn=(3) a = b: c", Line::Position("fn", "(3) a = b: c")),
            ("fl=", Line::Position("fl", "")),
            ("cmd:  ./a.out x=1 ", Line::Header("cmd", "./a.out x=1")),
            ("+3 4", Line::Costs),
            ("* 4", Line::Costs),
            ("0x80 4", Line::Costs),
            ("=3", Line::Unknown),
            ("fn", Line::Unknown),
            ("Fn=x", Line::Unknown),
        ];
        for (line, expected) in cases {
            assert_eq!(split(line), expected, "{line}");
        }
    }

    #[test]
    fn positions_are_relative_or_not() {
        let cases = [
            ("16", Some(16)),
            ("0x1f", Some(31)),
            ("+3", Some(103)),
            ("+0xa", Some(110)),
            ("-3", Some(97)),
            ("-300", Some(0)),
            ("*", Some(100)),
            ("10+5", Some(10)),
            ("10-15", Some(10)),
            ("0x10:0x20", Some(16)),
            ("99999999999999999999", Some(u64::MAX)),
            ("", None),
            ("0x", None),
            ("+x", None),
            ("1.5", None),
        ];
        for (word, expected) in cases {
            assert_eq!(position(word, 100), expected, "{word}");
        }
        assert_eq!(
            ["0x10", "7", "1.5", "-2", "nan", "1e999", "x"].map(number),
            [Some(16.0), Some(7.0), Some(1.5), Some(-2.0), None, None, None]
        );
    }

    #[test]
    fn files_are_recognised_with_and_without_marker() {
        for text in [
            "# callgrind format\n",
            "version: 1\ncreator: xdebug 3.2.0 (PHP 8.2)\ncmd: /a.php\npart: 1\npositions: line\n\nevents: Time_(10ns)\n",
            "events: Ticks\n\nfl=a.pm\n",
            "event: ns : Nanoseconds\nevents: ns\n",
            "desc: I1 cache: 32768 B\ndesc: D1 cache:\ncmd: ls\nevents: Ir\nfl=a.c\n",
            "\r\nversion: 1\r\nevents: Ir\r\n",
            "\n==== NEW PROFILING FILE ====\nversion: 1\ncreator: xdebug 3.2.0 (PHP 8.2)\n",
        ] {
            assert!(is_callgrind(text.as_bytes()), "{text}");
        }
        for text in [
            "",
            "version: 1\n",
            "name: x\nevents: push\n",
            "events:\n  - push\n",
            "fl=a.c\nfn=f\n1 2\nevents: Ir\n",
            "a;b 1\n",
        ] {
            assert!(!is_callgrind(text.as_bytes()), "{text}");
        }
    }
}
