//! Lines of scripts with line ends that JavaScript alone has: U+2028 and U+2029, and carriage returns
//! without line feeds. Recordings count the lines that these end. Everything else here counts line
//! feeds.

use super::identifying::{Change, Identifying};
use analysis::{Moved, OriginalPlace, Position, SourceId, relocate};
use rustc_hash::FxHashMap;
use std::path::Path;
use texts::Syntax;

/// A line of JavaScript: the line (1-based) that it is in, and whether it begins that line.
type Line = (u32, bool);

/// The recorded lines of scripts that are not generated.
pub fn of_recorded(all: &Identifying<'_>) -> Change {
    counted_by_line_feeds(all, |_| true)
}

/// The lines of scripts that source maps lead to.
pub fn of_originals(all: &Identifying<'_>) -> Change {
    counted_by_line_feeds(all, |source| all.source_maps.originals.contains(&source))
}

/// Counts the lines of some sources by line feeds.
fn counted_by_line_feeds(all: &Identifying<'_>, is_one: impl Fn(SourceId) -> bool) -> Change {
    let mut scripts: FxHashMap<SourceId, Vec<Line>> = FxHashMap::default();
    for (source, mapping) in all.sources().filter(|(source, _)| is_one(*source)) {
        let Some(path) = mapping.path().filter(|path| is_script(path)) else { continue };
        let now = all.context.reader.now(path);
        let text = now.as_ref().map(|now| now.text.as_bytes());
        let lines = text.and_then(|text| lines(text).filter(|_| !is_generated(text)));
        scripts.extend(lines.map(|lines| (source, lines)));
    }
    if scripts.is_empty() {
        return Change::default();
    }
    Change::places(relocate(&all.recording, |_, Position { source, line, column }| {
        let Some(lines) = scripts.get(&source) else { return Moved::Stays };
        let line0 = line.saturating_sub(1) as usize;
        let Some(&(line, is_first)) = lines.get(line0) else { return Moved::Unknown };
        let column = if is_first { column } else { 0 };
        Moved::To(OriginalPlace { file: all.name(source), line, column })
    }))
}

/// The lines of JavaScript in a text. `None` if all of them end with line feeds.
fn lines(text: &[u8]) -> Option<Vec<Line>> {
    let mut lines = vec![(1, true)];
    let (mut line, mut is_usual) = (1, true);
    for (at, byte) in text.iter().enumerate() {
        let ends_line = match byte {
            b'\n' => {
                line += 1;
                lines.push((line, true));
                false
            }
            b'\r' => text.get(at + 1) != Some(&b'\n'),
            0xe2 => matches!(text.get(at + 1..at + 3), Some([0x80, 0xa8 | 0xa9])),
            _ => false,
        };
        if ends_line {
            lines.push((line, false));
            is_usual = false;
        }
    }
    (!is_usual).then_some(lines)
}

/// Whether a script names its source map, which has the lines of other files.
fn is_generated(text: &[u8]) -> bool {
    const KEY: &[u8] = b"sourceMappingURL=";
    text.windows(KEY.len()).any(|part| part == KEY)
}

/// Whether a file is JavaScript or TypeScript.
pub(super) fn is_script(path: &Path) -> bool {
    Syntax::of_path(path) == Syntax::JavaScript
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn javascript_has_more_line_ends() {
        assert_eq!(lines("a\r\nb\n\u{a8}\u{201a}".as_bytes()), None);
        let unusual = lines("a\u{2028}b\rc\r\nd\u{2029}\n".as_bytes()).unwrap();
        let expected = [(1, true), (1, false), (1, false), (2, true), (2, false), (3, true)];
        assert_eq!(unusual, expected);
    }
}
