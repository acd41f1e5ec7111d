//! Coverage reports in lcov's format ("tracefiles"): how often lines were executed. They are no
//! profiles, but can be beside one.
//!
//! Each file's part begins with `SF:` and its name, has a row `DA:LINE,COUNT` for each line with code,
//! and ends with `end_of_record`. A file can have several parts, one per test; their counts add up.
//!
//! Source: the manual page `geninfo(1)` of lcov 2.

use crate::error::{At, ReadError};

/// How often one line of one file was executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LcovCount<'a> {
    /// The file, as the report names it.
    pub file: &'a str,
    /// The line, 1-based.
    pub line: u32,
    /// `None` for a counter below zero, which overflowed or was damaged.
    pub count: Option<u64>,
}

/// Reads a report. The same line can occur several times.
///
/// # Errors
/// If the text is no such report, or ends within the part of a file.
pub fn lcov(text: &str) -> Result<Vec<LcovCount<'_>>, ReadError> {
    let mut counts = Vec::new();
    let mut file = None;
    let cut = || {
        let message = "ends before `end_of_record`; it may still be being written";
        ReadError::truncated(At::File, message)
    };
    let whole = text.rfind('\n').map_or(0, |end| end + 1);
    // A last line without newline can only be the end of the last part.
    let rest = text[whole..].trim_end();
    if !rest.is_empty() && rest != "end_of_record" {
        return Err(if has_part(text) { cut() } else { no_files() });
    }
    for (number, line) in (1..).zip(text.lines()) {
        let malformed = |expected: &str| {
            let line: String = line.trim().chars().take(100).collect();
            let message = format!("the line is `{line}`; expected {expected}");
            ReadError::malformed(At::Line(number, 1), message)
        };
        if let Some(name) = line.strip_prefix("SF:") {
            file = Some(name.trim_end());
        } else if let Some(row) = line.strip_prefix("DA:") {
            let file = file.ok_or_else(|| malformed("a file name first (`SF:`)"))?;
            let (line, count) =
                count(row).ok_or_else(|| malformed("`DA:` with a line and a count"))?;
            counts.push(LcovCount { file, line, count });
        } else if line.trim_end() == "end_of_record" {
            file = None;
        }
    }
    match file {
        _ if !has_part(text) => Err(no_files()),
        Some(_) => Err(cut()),
        None => Ok(counts),
    }
}

/// Whether any line begins the part of a file.
fn has_part(text: &str) -> bool {
    text.starts_with("SF:") || text.contains("\nSF:")
}

fn no_files() -> ReadError {
    let message = "has no files (lines that begin with `SF:`); expected an lcov report";
    ReadError::malformed(At::File, message)
}

/// The line and the count of `LINE,COUNT` or `LINE,COUNT,CHECKSUM`.
fn count(row: &str) -> Option<(u32, Option<u64>)> {
    let mut fields = row.trim_end().split(',');
    let line = fields.next()?.parse().ok().filter(|&line| line > 0)?;
    let count = fields.next()?;
    match count.strip_prefix('-') {
        Some(below) => below.parse::<u64>().ok().map(|_| (line, None)),
        None => Some((line, Some(count.parse().ok()?))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    fn rows(text: &str) -> Vec<(&str, u32, Option<u64>)> {
        let counts = lcov(text).unwrap().into_iter();
        counts.map(|LcovCount { file, line, count }| (file, line, count)).collect()
    }

    #[test]
    fn lines_have_counts_by_file_and_part() {
        let text = "\
TN:first
SF:/w/a.c
FN:1,main
FNDA:1,main
DA:1,1
DA:3,12,r2wrJzoNhoEs8P1KRk0Xgw
BRDA:3,0,0,12
LF:2
LH:2
end_of_record
TN:second
SF:/w/a.c
DA:3,0
end_of_record
SF:b c.js\r
DA:7,18446744073709551615\r
DA:8,-1\r
end_of_record\r
";
        assert_eq!(
            rows(text),
            [
                ("/w/a.c", 1, Some(1)),
                ("/w/a.c", 3, Some(12)),
                ("/w/a.c", 3, Some(0)),
                ("b c.js", 7, Some(u64::MAX)),
                ("b c.js", 8, None)
            ]
        );
    }

    #[test]
    fn a_file_without_code_has_no_rows() {
        assert_eq!(rows("SF:a.c\nend_of_record\n"), []);
    }

    #[test]
    fn other_texts_are_refused() {
        let error = |text: &str| {
            let error = lcov(text).unwrap_err();
            (error.kind, error.to_string())
        };
        assert_eq!(error("").0, ErrorKind::Malformed);
        assert_eq!(error("fn=main\n1 2\n").0, ErrorKind::Malformed);
        let (kind, message) = error("SF:a.c\nDA:1,x\nend_of_record\n");
        assert_eq!(kind, ErrorKind::Malformed);
        assert_eq!(
            message,
            "line 2, column 1: the line is `DA:1,x`; expected `DA:` with a line and a count"
        );
        for row in ["DA:0,1", "DA:1", "DA:-1,1", "DA:1,18446744073709551616", "DA:4294967296,1"] {
            assert_eq!(error(&format!("SF:a.c\n{row}\nend_of_record\n")).0, ErrorKind::Malformed);
        }
        assert_eq!(error("DA:1,1\nSF:a.c\nend_of_record\n").0, ErrorKind::Malformed);
        for cut in ["SF:a.c\nDA:1,1\n", "SF:a.c\nDA:1", "SF:a.c\nDA:1,1\nend_of_rec", "SF:a.c"] {
            assert_eq!(error(cut).0, ErrorKind::Truncated, "{cut}");
        }
    }
}
