//! Texts, positions in them, and edits. Columns are in the editor's encoding.

use line_index::{LineCol, LineIndex, TextSize, WideEncoding, WideLineCol};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A position in a text, serialized like an LSP `Position`. Both numbers are 0-based. [`Encoding`]
/// is the unit of columns.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Default,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[serde(deny_unknown_fields)]
pub struct Position {
    /// The line.
    #[serde(rename = "line")]
    pub line0: u32,
    /// The column.
    #[serde(rename = "character")]
    pub column0: u32,
}

impl Position {
    /// A position by line and column.
    pub fn new(line0: u32, column0: u32) -> Self {
        Self { line0, column0 }
    }
}

/// A part of a text, excluding its end.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Default,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[serde(deny_unknown_fields)]
pub struct Range {
    /// The position of the first character.
    pub start: Position,
    /// The position after the last character.
    pub end: Position,
}

impl Range {
    /// A range from `start` to `end`.
    pub fn new(start: Position, end: Position) -> Self {
        Self { start, end }
    }

    /// Whether all of `other` is within this range.
    pub fn encloses(&self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// The range from the start of one to the end of the other.
    #[must_use]
    pub fn united(self, other: Self) -> Self {
        Self::new(self.start.min(other.start), self.end.max(other.end))
    }

    /// The empty range at the start of a line.
    pub fn at_line(line0: u32) -> Self {
        Self::new(Position::new(line0, 0), Position::new(line0, 0))
    }
}

/// A change of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The part to replace. `None`: the whole text.
    pub range: Option<Range>,
    /// The new text.
    pub text: String,
}

/// The unit of columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Encoding {
    /// Bytes.
    Utf8,
    /// UTF-16 code units, which every client supports.
    #[default]
    Utf16,
    /// Unicode scalar values.
    Utf32,
}

/// A text with its lines.
#[derive(Debug, Clone)]
#[expect(clippy::struct_field_names, reason = "a text is a text with its lines")]
pub struct Text {
    text: Arc<str>,
    index: LineIndex,
    encoding: Encoding,
}

impl Text {
    /// A text with columns in `encoding`.
    pub fn new(text: impl Into<Arc<str>>, encoding: Encoding) -> Self {
        let text = text.into();
        Self { index: LineIndex::new(&text), text, encoding }
    }

    /// A line (0-based) without its line terminator.
    pub fn line(&self, line0: u32) -> Option<&str> {
        let line = &self.text[self.index.line(line0)?];
        Some(line.trim_end_matches(['\n', '\r']))
    }

    /// The position after the last character of a line (0-based).
    pub fn end_of_line(&self, line0: u32) -> Option<Position> {
        let line = self.line(line0)?;
        Some(Position::new(line0, self.width(line)))
    }

    /// Whether a position is on the last character of its line that is not blank, or after it. Some
    /// editors cannot place the cursor after the last character.
    pub fn is_at_end_of_line(&self, position: Position) -> bool {
        let line = self.line(position.line0).unwrap_or_default().trim_end();
        let last = line.char_indices().next_back().map_or(0, |(at, _)| at);
        position.column0 >= self.width(&line[..last])
    }

    /// The range of a line (0-based) without leading blanks and line terminator.
    pub fn range_of_line(&self, line0: u32) -> Option<Range> {
        let line = self.line(line0)?;
        let blanks = &line[..line.len() - line.trim_start().len()];
        Some(Range::new(Position::new(line0, self.width(blanks)), self.end_of_line(line0)?))
    }

    /// The range of the first occurrence of `name` as a whole word in a line (0-based).
    pub fn find_in_line(&self, line0: u32, name: &str) -> Option<Range> {
        let line = self.line(line0)?;
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let (at, _) = line.match_indices(name).filter(|_| !name.is_empty()).find(|&(at, _)| {
            !line[..at].ends_with(is_word) && !line[at + name.len()..].starts_with(is_word)
        })?;
        let start = self.width(&line[..at]);
        Some(Range::new(
            Position::new(line0, start),
            Position::new(line0, start + self.width(name)),
        ))
    }

    /// The identifier under or just before a position.
    pub fn word_at(&self, position: Position) -> Option<&str> {
        let line = self.line(position.line0)?;
        let start = self.index.line(position.line0)?.start();
        let at = (usize::from(self.offset(position)) - usize::from(start)).min(line.len());
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        let from = line[..at]
            .rfind(|c| !is_word(c))
            .map_or(0, |i| i + line[i..].chars().next().map_or(1, char::len_utf8));
        let to = line[at..].find(|c| !is_word(c)).map_or(line.len(), |i| at + i);
        Some(&line[from..to]).filter(|word| !word.is_empty())
    }

    /// The text itself, shared.
    pub fn shared(&self) -> Arc<str> {
        self.text.clone()
    }

    /// The text itself.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The byte offset of a position. A position beyond its line or the text is moved to the end of
    /// it.
    pub fn byte_at(&self, position: Position) -> usize {
        self.offset(position).into()
    }

    fn width(&self, text: &str) -> u32 {
        let width = match self.encoding {
            Encoding::Utf8 => text.len(),
            Encoding::Utf16 => text.encode_utf16().count(),
            Encoding::Utf32 => text.chars().count(),
        };
        width as u32
    }

    /// The byte offset of a position. A position beyond its line or the text is moved to the end of
    /// it.
    fn offset(&self, position: Position) -> TextSize {
        let Some(range) = self.index.line(position.line0) else { return TextSize::of(&*self.text) };
        // No encoding has more columns than bytes.
        let position = Position { column0: position.column0.min(range.len().into()), ..position };
        let wide = |encoding| {
            let position = WideLineCol { line: position.line0, col: position.column0 };
            self.index.to_utf8(encoding, position).and_then(|at| self.index.offset(at))
        };
        let offset = match self.encoding {
            Encoding::Utf8 => {
                self.index.offset(LineCol { line: position.line0, col: position.column0 })
            }
            Encoding::Utf16 => wide(WideEncoding::Utf16),
            Encoding::Utf32 => wide(WideEncoding::Utf32),
        };
        let line = self.line(position.line0).unwrap_or("");
        let end = range.start() + TextSize::of(line);
        let mut offset = usize::from(offset.unwrap_or(end).min(end));
        // Inside a character (a client's mistake): its start.
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        TextSize::new(offset as u32)
    }

    /// The text after a change.
    #[must_use]
    pub fn changed(&self, change: &Edit) -> Self {
        let Some(range) = change.range else {
            return Self::new(change.text.as_str(), self.encoding);
        };
        let start = usize::from(self.offset(range.start));
        let end = usize::from(self.offset(range.end)).max(start);
        let text = [&self.text[..start], &change.text, &self.text[end..]].concat();
        Self::new(text, self.encoding)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(from: (u32, u32), to: (u32, u32), text: &str) -> Edit {
        let range = Range::new(Position::new(from.0, from.1), Position::new(to.0, to.1));
        Edit { range: Some(range), text: text.to_owned() }
    }

    #[test]
    fn columns_count_in_each_encoding() {
        for (encoding, end) in [(Encoding::Utf8, 8), (Encoding::Utf16, 5), (Encoding::Utf32, 4)] {
            let text = Text::new("é😀x \r\nsecond", encoding);
            // "é" is 2 bytes, "😀" 4 bytes and 2 UTF-16 units.
            assert_eq!(text.end_of_line(0), Some(Position::new(0, end)), "{encoding:?}");
            assert_eq!(text.end_of_line(1), Some(Position::new(1, 6)));
            assert_eq!(text.end_of_line(2), None);
        }
    }

    #[test]
    fn edits_apply_in_each_encoding_and_are_clamped_to_the_text() {
        for (encoding, x) in [(Encoding::Utf8, 6), (Encoding::Utf16, 3), (Encoding::Utf32, 2)] {
            let text = Text::new("é😀x\r\nsecond", encoding);
            assert_eq!(
                text.changed(&edit((0, x), (0, x + 1), "yz")).as_str(),
                "é😀yz\r\nsecond",
                "{encoding:?}"
            );
            assert_eq!(text.changed(&edit((0, 99), (0, 99), "!")).as_str(), "é😀x!\r\nsecond");
            assert_eq!(text.changed(&edit((9, 0), (9, 0), "!")).as_str(), "é😀x\r\nsecond!");
            assert_eq!(text.changed(&edit((0, 0), (1, 0), "")).as_str(), "second");
        }
        let half = Text::new("😀", Encoding::Utf16).changed(&edit((0, 1), (0, 1), "a"));
        assert_eq!(half.as_str(), "a😀");
    }

    #[test]
    fn words() {
        let text = Text::new("let $x = parse_value(é);", Encoding::Utf16);
        let word = |character| text.word_at(Position::new(0, character));
        assert_eq!(
            [word(4), word(9), word(15), word(20), word(8)],
            [Some("$x"), Some("parse_value"), Some("parse_value"), Some("parse_value"), None]
        );
        assert_eq!(text.find_in_line(0, "value"), None);
        assert_eq!(text.find_in_line(0, "parse_value").unwrap().start.column0, 9);
    }
}
