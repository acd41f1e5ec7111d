//! The texts the editor has open, and which of their lines are lines of the profiled text.

use crate::session::lines::is_recorded;
use crate::session::snapshot::{Snapshot, Stamp};
use dashmap::DashMap;
use line_index::{LineCol, LineIndex, TextSize, WideEncoding, WideLineCol};
use lsp_types::{Position, PositionEncodingKind, Range, TextDocumentContentChangeEvent, Url};
use sources::{Functions, Language, LineMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Texts of one file on disk that are remembered; the oldest goes first.
const MAX_VERSIONS: usize = 8;
/// Larger files are not read beside the editor's text.
const MAX_DISK_BYTES: u64 = 16 << 20;

/// In what columns of positions count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Encoding {
    /// Bytes.
    Utf8,
    /// UTF-16 code units: what every client understands.
    #[default]
    Utf16,
    /// Unicode scalar values.
    Utf32,
}

impl Encoding {
    /// The one of a client's offers (by its preference) that is spoken here.
    pub fn negotiate(offers: Option<&[PositionEncodingKind]>) -> Self {
        let known = |kind: &PositionEncodingKind| match kind.as_str() {
            "utf-8" => Some(Self::Utf8),
            "utf-16" => Some(Self::Utf16),
            "utf-32" => Some(Self::Utf32),
            _ => None,
        };
        offers.unwrap_or_default().iter().find_map(known).unwrap_or_default()
    }

    /// Its name in the protocol.
    pub fn kind(self) -> PositionEncodingKind {
        match self {
            Self::Utf8 => PositionEncodingKind::UTF8,
            Self::Utf16 => PositionEncodingKind::UTF16,
            Self::Utf32 => PositionEncodingKind::UTF32,
        }
    }
}

/// A text with its lines.
#[derive(Debug)]
#[expect(clippy::struct_field_names, reason = "a text is a text with its lines")]
pub struct Text {
    text: Arc<str>,
    index: LineIndex,
    encoding: Encoding,
}

impl Text {
    /// A text in which columns count as `encoding` says.
    pub fn new(text: impl Into<Arc<str>>, encoding: Encoding) -> Self {
        let text = text.into();
        Self { index: LineIndex::new(&text), text, encoding }
    }

    /// A line without its end, by 0-based number.
    pub fn line(&self, line0: u32) -> Option<&str> {
        let line = &self.text[self.index.line(line0)?];
        Some(line.trim_end_matches(['\n', '\r']))
    }

    /// The position behind the last character of a line.
    pub fn end_of_line(&self, line0: u32) -> Option<Position> {
        let line = self.line(line0)?;
        Some(Position::new(line0, self.width(line)))
    }

    /// A whole line without its end and without the blanks before it.
    pub fn range_of_line(&self, line0: u32) -> Option<Range> {
        let line = self.line(line0)?;
        let blanks = &line[..line.len() - line.trim_start().len()];
        Some(Range::new(Position::new(line0, self.width(blanks)), self.end_of_line(line0)?))
    }

    /// Where `name` stands as a whole word in a line.
    pub fn find_in_line(&self, line0: u32, name: &str) -> Option<Range> {
        let line = self.line(line0)?;
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let (at, _) = line
            .match_indices(name)
            .filter(|_| !name.is_empty())
            .find(|&(at, _)| !line[..at].ends_with(is_word) && !line[at + name.len()..].starts_with(is_word))?;
        let start = self.width(&line[..at]);
        Some(Range::new(Position::new(line0, start), Position::new(line0, start + self.width(name))))
    }

    /// The identifier under or just before a position.
    pub fn word_at(&self, position: Position) -> Option<&str> {
        let line = self.line(position.line)?;
        let start = self.index.line(position.line)?.start();
        let at = (usize::from(self.offset(position)) - usize::from(start)).min(line.len());
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        let from = line[..at].rfind(|c| !is_word(c)).map_or(0, |i| i + line[i..].chars().next().map_or(1, char::len_utf8));
        let to = line[at..].find(|c| !is_word(c)).map_or(line.len(), |i| at + i);
        Some(&line[from..to]).filter(|word| !word.is_empty())
    }

    /// The text itself.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The byte of a position; one beyond its line or the text is the end of that.
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

    /// The byte offset of a position; one beyond its line or the text is the end of that.
    fn offset(&self, position: Position) -> TextSize {
        let Some(range) = self.index.line(position.line) else { return TextSize::of(&*self.text) };
        // No encoding has more columns than bytes.
        let position = Position { character: position.character.min(range.len().into()), ..position };
        let wide = |encoding| {
            let position = WideLineCol { line: position.line, col: position.character };
            self.index.to_utf8(encoding, position).and_then(|at| self.index.offset(at))
        };
        let offset = match self.encoding {
            Encoding::Utf8 => self.index.offset(LineCol { line: position.line, col: position.character }),
            Encoding::Utf16 => wide(WideEncoding::Utf16),
            Encoding::Utf32 => wide(WideEncoding::Utf32),
        };
        let line = self.line(position.line).unwrap_or("");
        let end = range.start() + TextSize::of(line);
        let mut offset = usize::from(offset.unwrap_or(end).min(end));
        // Inside a character (a client's mistake): its start.
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        TextSize::new(offset as u32)
    }

    /// The text after a change.
    fn changed(&self, change: &TextDocumentContentChangeEvent) -> Self {
        let Some(range) = change.range else { return Self::new(change.text.as_str(), self.encoding) };
        let start = usize::from(self.offset(range.start));
        let end = usize::from(self.offset(range.end)).max(start);
        let text = [&self.text[..start], &change.text, &self.text[end..]].concat();
        Self::new(text, self.encoding)
    }
}

/// One version of an open document. Immutable; a change makes the next one.
#[derive(Debug)]
pub struct Document {
    /// Its name in the editor.
    pub uri: Url,
    /// Where it lies, canonical.
    pub path: PathBuf,
    /// The editor's version number.
    pub version: i32,
    /// The text.
    pub text: Text,
    disk: Arc<Mutex<DiskTexts>>,
    /// By revision and profile: of the one shown and of its baseline.
    mapped: Mutex<Vec<(u64, Stamp, Arc<Mapped>)>>,
    /// Its functions, once somebody asked for them.
    functions: OnceLock<Option<Arc<Functions>>>,
    /// Those of the last version that was asked for them: most of the text is still the same.
    functions_before: Option<Arc<Functions>>,
}

/// The texts that a file has had on disk, oldest first; without a stamp where there was no file.
type DiskTexts = Vec<(Option<Stamp>, Arc<str>)>;

/// How the lines of a recorded text stand in a document.
#[derive(Debug)]
pub struct Mapped {
    /// Recorded to open.
    pub map: LineMap,
    /// Whether the recorded text is a guess.
    pub stale: bool,
}

impl Document {
    fn new(uri: Url, path: PathBuf, version: i32, text: Text) -> Self {
        let (disk, mapped, functions) = (Arc::default(), Mutex::default(), OnceLock::new());
        Self { uri, path, version, text, disk, mapped, functions, functions_before: None }
    }

    /// How lines of the text that `snapshot` was recorded from stand in this version. `revision` is that of the world.
    pub fn mapped(&self, revision: u64, snapshot: &Snapshot) -> Arc<Mapped> {
        let mut cache = self.mapped.lock().unwrap_or_else(PoisonError::into_inner);
        let profile = snapshot.loaded.stamp;
        cache.retain(|(known, ..)| *known == revision);
        if let Some((.., mapped)) = cache.iter().find(|(_, known, _)| *known == profile) {
            return mapped.clone();
        }
        let (recorded, stale) = self.recorded(snapshot);
        let mapped = Arc::new(Mapped { map: LineMap::new(&recorded, self.text.as_str()), stale });
        cache.push((revision, profile, mapped.clone()));
        mapped
    }

    /// The functions of this version; `None` without a grammar for it.
    pub fn functions(&self) -> Option<&Functions> {
        let parsed = self.functions.get_or_init(|| {
            let text = self.text.text.clone();
            let functions = match &self.functions_before {
                Some(before) => before.edited(text),
                None => Functions::parse(Language::of_path(&self.path)?, text),
            };
            functions.map(Arc::new)
        });
        parsed.as_deref()
    }

    /// The text that was profiled, and whether that is a guess: the latest text on disk that is not newer than the
    /// profile, else the first one seen.
    fn recorded(&self, snapshot: &Snapshot) -> (Arc<str>, bool) {
        let mut disk = self.disk.lock().unwrap_or_else(PoisonError::into_inner);
        remember(&mut disk, &self.path, self.text.as_str());
        let not_newer = |stamp: &Option<Stamp>| stamp.as_ref().is_some_and(|stamp| is_recorded(stamp, &snapshot.loaded.stamp));
        match disk.iter().rev().find(|(stamp, _)| not_newer(stamp)) {
            Some((_, text)) => (text.clone(), false),
            None => (disk.first().map_or_else(|| self.text.text.clone(), |(_, text)| text.clone()), true),
        }
    }

    /// It was saved or seen for the first time: takes note of the text on disk, which may be what the next profile is of.
    pub fn saved(&self) {
        let mut disk = self.disk.lock().unwrap_or_else(PoisonError::into_inner);
        remember(&mut disk, &self.path, self.text.as_str());
    }
}

/// Adds the text on disk to `known` unless it is the last one there. `open` is the editor's, for a file that is not on disk.
fn remember(known: &mut DiskTexts, path: &Path, open: &str) {
    let stamp = Stamp::of(path).ok();
    if known.last().is_some_and(|(last, _)| *last == stamp) || (stamp.is_none() && !known.is_empty()) {
        return;
    }
    let disk = stamp.filter(|stamp| stamp.len <= MAX_DISK_BYTES).and_then(|_| std::fs::read(path).ok());
    let text: Arc<str> = match disk {
        Some(bytes) => String::from_utf8_lossy(&bytes).into(),
        None => open.into(),
    };
    if known.len() == MAX_VERSIONS {
        // The first stays: it is what an unknown age falls back to.
        known.remove(1);
    }
    known.push((stamp, text));
}

/// The documents that are open at one moment: whoever took them keeps seeing the versions of that moment.
#[derive(Debug, Clone, Default)]
pub struct OpenDocuments(Vec<Arc<Document>>);

impl OpenDocuments {
    /// A document by its URI.
    pub fn get(&self, uri: &Url) -> Option<&Arc<Document>> {
        self.all().find(|document| document.uri == *uri)
    }

    /// All of them.
    pub fn all(&self) -> impl Iterator<Item = &Arc<Document>> {
        self.0.iter()
    }

    /// The document of a file (canonical).
    pub fn at(&self, path: &Path) -> Option<&Arc<Document>> {
        self.all().find(|document| document.path == path)
    }
}

/// The open documents as they change.
#[derive(Debug, Default)]
pub struct Documents {
    by_uri: DashMap<Url, Arc<Document>>,
}

impl Documents {
    /// The documents that are open now.
    pub fn now(&self) -> OpenDocuments {
        OpenDocuments(self.by_uri.iter().map(|document| document.value().clone()).collect())
    }

    fn put(&self, document: Document) {
        self.by_uri.insert(document.uri.clone(), Arc::new(document));
    }

    /// A document was opened. Only files can have costs; others are not kept.
    pub fn open(&self, uri: Url, version: i32, text: &str, encoding: Encoding) {
        let Ok(path) = uri.to_file_path() else { return };
        let path = path.canonicalize().unwrap_or(path);
        self.put(Document::new(uri, path, version, Text::new(text, encoding)));
    }

    /// A document was changed.
    pub fn change(&self, uri: &Url, version: i32, changes: &[TextDocumentContentChangeEvent]) {
        let Some(old) = self.by_uri.get(uri).map(|document| document.value().clone()) else { return };
        let mut changes = changes.iter();
        let Some(first) = changes.next() else { return };
        let text = changes.fold(old.text.changed(first), |text, change| text.changed(change));
        let functions_before = old.functions.get().cloned().flatten().or_else(|| old.functions_before.clone());
        let new = Document::new(uri.clone(), old.path.clone(), version, text);
        self.put(Document { disk: old.disk.clone(), functions_before, ..new });
    }

    /// A document was closed.
    pub fn close(&self, uri: &Url) {
        self.by_uri.remove(uri);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(from: (u32, u32), to: (u32, u32), text: &str) -> TextDocumentContentChangeEvent {
        let range = Range::new(Position::new(from.0, from.1), Position::new(to.0, to.1));
        TextDocumentContentChangeEvent { range: Some(range), range_length: None, text: text.to_owned() }
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
    fn edits_apply_in_each_encoding_and_clamp_what_lies_outside() {
        for (encoding, x) in [(Encoding::Utf8, 6), (Encoding::Utf16, 3), (Encoding::Utf32, 2)] {
            let text = Text::new("é😀x\r\nsecond", encoding);
            assert_eq!(text.changed(&edit((0, x), (0, x + 1), "yz")).as_str(), "é😀yz\r\nsecond", "{encoding:?}");
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
        assert_eq!(text.find_in_line(0, "parse_value").unwrap().start.character, 9);
    }

    #[test]
    fn encodings_are_negotiated_by_the_clients_preference() {
        let kinds = |names: &[&str]| names.iter().map(|name| PositionEncodingKind::from((*name).to_owned())).collect::<Vec<_>>();
        assert_eq!(Encoding::negotiate(None), Encoding::Utf16);
        assert_eq!(Encoding::negotiate(Some(&kinds(&["utf-7"]))), Encoding::Utf16);
        assert_eq!(Encoding::negotiate(Some(&kinds(&["utf-32", "utf-8"]))), Encoding::Utf32);
    }
}
