//! Source maps: from generated JavaScript back to the original text (ECMA-426; decoded by the crate
//! `sourcemap`).
//!
//! The last comment of a file names its map: inline (`data:`), or a file beside it. Without a
//! comment, a file with the name of the script and `.map` is tried. Nothing is fetched, and nothing
//! outside the roots is opened: files and maps are found through [`SourceIndex`].
//!
//! Source maps leave two things open:
//! - *A line without a column* (V8's ticks) maps to the place of its first code, if the line has
//!   one statement. If it has several statements (minified code) or code of several files, it maps
//!   to nothing. The first *mapping* of a line would be wrong after esbuild, which begins each line
//!   with a copy of the last place of the previous line.
//! - *Whether the map belongs to the text.* File times mean nothing after a checkout or a copy. A
//!   map of lines that the file does not have belongs to another text. So does a file in which a
//!   function of the profile would begin with a blank or inside a word
//!   ([`SourceMap::could_start_at`]).

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use line_index::{LineIndex, WideEncoding, WideLineCol};
use percent_encoding::percent_decode_str;
use sourcemap::DecodedMap;

use crate::index::SourceIndex;
use crate::name::{SEPARATORS, file_path, is_drive, is_network_path, split_scheme};
use crate::regular_file;
use crate::script_line;

/// Larger files, and larger maps, are not read.
const MAX_BYTES: u64 = 128 << 20;

/// The source map of one generated file, with the text of that file.
#[derive(Debug)]
pub struct SourceMap {
    originals: Vec<Original>,
    /// In order of line and column.
    tokens: Vec<Token>,
    text: String,
    lines: LineIndex,
    path: Option<PathBuf>,
}

/// An original file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Original {
    /// Its name, resolved lexically against the name of the generated file in the profile. It does
    /// not depend on where the workspace is.
    pub name: String,
    /// The file, if it is in a root; canonical.
    pub path: Option<PathBuf>,
    /// Its text, if the map contains it (`sourcesContent`).
    pub text: Option<Arc<str>>,
}

/// A place in an original file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OriginalPlace {
    /// The index in [`SourceMap::originals`].
    pub original: usize,
    /// 1-based.
    pub line: u32,
    /// 1-based.
    pub column: u32,
}

/// The original place of a generated place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Executing {
    /// None: a tool generated this code.
    Generated,
    /// Unknown: the line has several statements, and there is no column.
    Packed,
    /// This one.
    At(OriginalPlace),
}

/// Why the source map of a file is not used. Displays as the end of a sentence that begins with the
/// file. Contains text of the file, which must be escaped for output.
#[derive(Debug, thiserror::Error)]
pub enum MapProblem {
    /// The comment names a file that is not in a root, or a URL.
    #[error("names the source map {0}, which is not in the workspace")]
    Missing(String),
    /// The map cannot be decoded.
    #[error("has the source map {0}, which cannot be read: {1}")]
    Broken(String, String),
    /// The map belongs to another text.
    #[error(
        "has the source map {map}, which belongs to another build: it maps line {line}, but the file is shorter"
    )]
    Stale {
        /// The name of the map.
        map: String,
        /// The last mapped line, 1-based.
        line: u32,
    },
    /// The file or its map is too large.
    #[error("or its source map is larger than {} MiB", MAX_BYTES >> 20)]
    TooLarge,
}

/// One mapping of a map; 0-based, columns in UTF-16 units.
#[derive(Debug, Clone, Copy)]
struct Token {
    line: u32,
    column: u32,
    /// `None` for generated code.
    original: Option<(u32, u32, u32)>,
}

impl SourceMap {
    /// Loads the source map of `generated`, which the profile calls `name`; `None` if it has none.
    pub fn of(
        generated: &Path,
        name: &str,
        index: &SourceIndex,
    ) -> Result<Option<SourceMap>, MapProblem> {
        let Some(text) = read(generated, index)? else { return Ok(None) };
        Self::of_script(&String::from_utf8_lossy(&text), generated, name, index)
    }

    /// The same for the text of the file.
    pub fn of_script(
        text: &str,
        generated: &Path,
        name: &str,
        index: &SourceIndex,
    ) -> Result<Option<SourceMap>, MapProblem> {
        Self::of_text(text.to_owned(), generated, name, index, |path| read(path, index))
    }

    /// The same from earlier texts of the file and of its map, if that is another file.
    pub fn of_texts(
        text: &str,
        map: Option<&str>,
        generated: &Path,
        name: &str,
        index: &SourceIndex,
    ) -> Result<Option<SourceMap>, MapProblem> {
        let map = |_: &Path| Ok(map.map(|map| map.as_bytes().to_vec()));
        Self::of_text(text.to_owned(), generated, name, index, map)
    }

    fn of_text(
        text: String,
        generated: &Path,
        name: &str,
        index: &SourceIndex,
        read_map: impl FnOnce(&Path) -> Result<Option<Vec<u8>>, MapProblem>,
    ) -> Result<Option<SourceMap>, MapProblem> {
        let url = mapping_url(&text);

        // The map's name in messages, its path, its name by the profile, and its content.
        let (shown, path, name, bytes) =
            if let Some(data) = url.and_then(|url| url.strip_prefix("data:")) {
                let shown = "inside the file".to_owned();
                let bytes = inline(data).map_err(|why| MapProblem::Broken(shown.clone(), why))?;
                (shown, None, name.to_owned(), bytes)
            } else {
                let local = url.filter(|url| !is_remote(url));
                let base = generated.file_name().unwrap_or_default().to_string_lossy();
                let reference = local.map_or_else(
                    || format!("{base}.map"),
                    |url| decoded(url.split(['?', '#']).next().unwrap_or(url)),
                );
                let path = beside(generated, &reference);
                let Some(bytes) = path.as_deref().map_or(Ok(None), read_map)? else {
                    return url.map_or(Ok(None), |url| Err(MapProblem::Missing(clipped(url))));
                };
                let name = name_beside(name, &reference);
                (clipped(&reference), path, name, bytes)
            };
        let map = sourcemap::decode_slice(&bytes)
            .map_err(|error| MapProblem::Broken(shown.clone(), error.to_string()))?;
        let base = path.as_deref().unwrap_or(generated);
        let original = |reference: &str| original(reference, base, &name, index);
        let map = SourceMap { path: path.clone(), ..SourceMap::new(&map, text, original) };
        match map.tokens.last() {
            Some(last) if map.line(last.line).is_none() => {
                Err(MapProblem::Stale { map: shown, line: last.line.saturating_add(1) })
            }
            _ => Ok(Some(map)),
        }
    }

    fn new(
        map: &DecodedMap,
        text: String,
        mut original: impl FnMut(&str) -> Original,
    ) -> SourceMap {
        let (mut originals, mut tokens) = (Vec::new(), Vec::new());
        // An index map contains maps for sections of the file, which can be index maps as well.
        let mut parts = vec![(map, 0, 0)];
        while let Some((map, line, column)) = parts.pop() {
            let map = match map {
                DecodedMap::Regular(map) => map,
                DecodedMap::Hermes(map) => map,
                DecodedMap::Index(index) => {
                    let sections = index.sections().filter_map(|section| {
                        let (line, column) = shifted(section.get_offset(), (line, column))?;
                        Some((section.get_sourcemap()?, line, column))
                    });
                    parts.extend(sections);
                    continue;
                }
            };
            let first = originals.len() as u32;
            let references: Vec<_> =
                map.sources().map(|source| reference(source, map.get_source_root())).collect();
            originals.extend(references.iter().zip(0..).map(|(reference, id)| Original {
                text: map.get_source_contents(id).map(Arc::from),
                ..original(reference)
            }));
            tokens.extend(map.tokens().filter_map(|token| {
                let (line, column) = shifted(token.get_dst(), (line, column))?;
                let source = Some(token.get_src_id())
                    .filter(|&id| references.get(id as usize).is_some_and(|name| !name.is_empty()));
                let (src_line, src_column) = token.get_src();
                let original = source.map(|id| {
                    (first + id, src_line.saturating_add(1), src_column.saturating_add(1))
                });
                Some(Token { line, column, original })
            }));
        }
        tokens.sort_by_key(|token| (token.line, token.column));
        SourceMap { originals, tokens, lines: LineIndex::new(&text), text, path: None }
    }

    /// The path of the map, if it is not in the generated file.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// The original files.
    pub fn originals(&self) -> &[Original] {
        &self.originals
    }

    /// The original place of the start of a function at `line` and `column` (1-based; column 0 =
    /// unknown).
    pub fn start(&self, line: u32, column: u32) -> Option<OriginalPlace> {
        // A bundle's outermost function contains all modules, so it has no original.
        if (line, column) == (1, 1) && self.originals.len() > 1 {
            return None;
        }
        match self.executing(line, column) {
            Executing::At(place) => Some(place),
            Executing::Generated | Executing::Packed => self.before_async_body(line, column),
        }
    }

    /// The last place before a function that is the body of an async one. TypeScript gives it no
    /// place. The last one is in the head of the async function.
    fn before_async_body(&self, line: u32, column: u32) -> Option<OriginalPlace> {
        let line0 = line.checked_sub(1)?;
        let (before, _) = self.split_line(line0, column.checked_sub(1)?)?;
        let n_before = self.tokens.partition_point(|token| token.line < line0);
        let token = self.tokens.get(n_before.checked_sub(1)?)?;
        let (_, rest) = self.split_line(token.line, token.column)?;
        let between = (token.line + 1..line0).filter_map(|line0| self.line(line0));
        // After the end of a function, the place may be in that one.
        let is_in_head = std::iter::once(rest).chain(between).all(|code| !code.contains('}'));
        (is_in_head && script_line::begins_async_body(before)).then(|| token.place())?
    }

    /// The original place of an instruction at `line` and `column` (1-based; column 0 = unknown).
    pub fn executing(&self, line: u32, column: u32) -> Executing {
        let Some(line0) = line.checked_sub(1) else { return Executing::Generated };
        let Some(column0) = column.checked_sub(1) else { return self.executing_after(line, 0) };
        let tokens = self.tokens_of(line0);
        let at = tokens.partition_point(|token| token.column <= column0);
        let token = at.checked_sub(1).and_then(|at| tokens.get(at));
        token.and_then(Token::place).map_or(Executing::Generated, Executing::At)
    }

    /// The original place of an instruction in `line` that is at `column` or after it (both 1-based;
    /// column 0 = anywhere in the line): that of the statement, or of the rest of it.
    pub fn executing_after(&self, line: u32, column: u32) -> Executing {
        let Some(line0) = line.checked_sub(1) else { return Executing::Generated };
        let column0 = column.saturating_sub(1);
        let Some((_, text)) = self.split_line(line0, column0) else {
            return Executing::Generated;
        };
        // A function starts at a column. A script starts at the first one.
        let (head, text) = if column > 1 { script_line::function(text) } else { ("", text) };
        let column0 = column0 + utf16_len(head);
        let before = script_line::before_code(text);
        let first_code = column0 + utf16_len(before);
        let end = column0 + utf16_len(text);
        let tokens = self.tokens_of(line0);
        let tokens = &tokens[..tokens.partition_point(|token| token.column < end)];
        let at = tokens.partition_point(|token| token.column < first_code);
        let covering = tokens.partition_point(|token| token.column <= first_code).saturating_sub(1);
        // The mapping before the code is the mapping of an end, which was in a line above.
        let is_after_end = !before.trim().is_empty() && at < tokens.len();
        let tokens = &tokens[if is_after_end { at } else { covering }..];
        let mut places = tokens.iter().filter_map(Token::place);
        let Some(place) = places.next() else { return Executing::Generated };

        let mut others =
            places.filter(|other| (other.original, other.line) != (place.original, place.line));
        let Some(other) = others.next() else { return Executing::At(place) };
        let is_one_file = other.original == place.original
            && others.all(|other| other.original == place.original);
        let is_packed =
            script_line::has_several_statements(&text[before.len()..], !head.is_empty());
        if is_one_file && !is_packed { Executing::At(place) } else { Executing::Packed }
    }

    /// Whether a token begins at `line` and `column` (1-based; column 0 = unknown) of the generated
    /// file. If not, no function can begin there, so the file is not the profiled one.
    pub fn could_start_at(&self, line: u32, column: u32) -> bool {
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        let begins_token = |before: &str, code: &str| {
            let is_inside_word = before.ends_with(is_word) && code.starts_with(is_word);
            !is_inside_word && code.starts_with(|c: char| !c.is_whitespace())
        };
        let split =
            line.checked_sub(1).and_then(|line0| self.split_line(line0, column.saturating_sub(1)));
        split.is_some_and(|(before, code)| column <= 1 || begins_token(before, code))
    }

    /// A line, including its terminator.
    fn line(&self, line0: u32) -> Option<&str> {
        self.text.get(std::ops::Range::<usize>::from(self.lines.line(line0)?))
    }

    /// Splits a line at a column (0-based, in UTF-16 units).
    fn split_line(&self, line0: u32, column0: u32) -> Option<(&str, &str)> {
        let at =
            self.lines.to_utf8(WideEncoding::Utf16, WideLineCol { line: line0, col: column0 })?;
        self.line(line0)?.split_at_checked(at.col as usize)
    }

    fn tokens_of(&self, line0: u32) -> &[Token] {
        let start = self.tokens.partition_point(|token| token.line < line0);
        let end = self.tokens.partition_point(|token| token.line <= line0);
        self.tokens.get(start..end).unwrap_or_default()
    }
}

impl Token {
    fn place(&self) -> Option<OriginalPlace> {
        self.original.map(|(original, line, column)| OriginalPlace {
            original: original as usize,
            line,
            column,
        })
    }
}

/// Converts a position in a section to one in the file; `None` if it overflows.
fn shifted((line, column): (u32, u32), by: (u32, u32)) -> Option<(u32, u32)> {
    let column = if line == 0 { column.checked_add(by.1)? } else { column };
    Some((line.checked_add(by.0)?, column))
}

/// Reads a file that may be opened; `None` if it may not.
fn read(path: &Path, index: &SourceIndex) -> Result<Option<Vec<u8>>, MapProblem> {
    let Some(path) = index.canonical(path) else { return Ok(None) };
    match regular_file::read(&path, MAX_BYTES) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::FileTooLarge => Err(MapProblem::TooLarge),
        Err(_) => Ok(None),
    }
}

/// The URL of the map, from the last comment of a text: `//# sourceMappingURL=…`, also with `//@`
/// and `/*# … */`.
fn mapping_url(text: &str) -> Option<&str> {
    const KEY: &str = "sourceMappingURL=";
    let at = text.rfind(KEY)?;
    let comment = text.get(..at)?.trim_end_matches([' ', '\t']);
    let is_comment = ["//#", "//@", "/*#", "/*@"].iter().any(|start| comment.ends_with(start));
    let rest = text.get(at + KEY.len()..)?;
    let (url, rest) = rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len()));
    let url = url.strip_suffix("*/").unwrap_or(url);
    // Nothing may follow but comments. Otherwise it is a text *about* source maps, in a string.
    let is_last = rest
        .lines()
        .map(str::trim)
        .all(|line| line.is_empty() || line == "*/" || line.starts_with("//"));
    (is_comment && is_last && !url.is_empty()).then_some(url)
}

/// The content of a `data:` URL, without the scheme.
fn inline(data: &str) -> Result<Vec<u8>, String> {
    let (kind, data) = data.split_once(',').ok_or("its data: URL has no comma")?;
    let data: Vec<u8> = percent_decode_str(data).collect();
    if !kind.ends_with(";base64") {
        return Ok(data);
    }
    data_encoding::BASE64.decode(&data).map_err(|error| format!("its base64 is malformed: {error}"))
}

/// The reference in a source entry; empty for none. Undoes what the crate `sourcemap` does to names
/// with a scheme: it prepends the map's `sourceRoot`.
fn reference<'a>(source: &'a str, root: Option<&str>) -> &'a str {
    let root = root.unwrap_or_default();
    let bare = || source.strip_prefix(root.strip_suffix('/').unwrap_or(root))?.strip_prefix('/');
    match bare().filter(|_| !root.is_empty()) {
        Some(bare) if bare.is_empty() || split_scheme(bare).is_some() => bare,
        _ => source,
    }
}

/// The original file that a map refers to. The map is at `path` and has the name `name` by the
/// profile.
fn original(reference: &str, path: &Path, name: &str, index: &SourceIndex) -> Original {
    let found = |reference: &str| beside(path, reference).and_then(|path| index.canonical(&path));
    // References are URLs, but few tools percent-encode them.
    let decoded = decoded(reference);
    match found(reference) {
        None if decoded != reference => {
            Original { name: name_beside(name, &decoded), path: found(&decoded), text: None }
        }
        path => Original { name: name_beside(name, reference), path, text: None },
    }
}

/// The path of a reference in a file at `base`; `None` if it is not a local path.
fn beside(base: &Path, reference: &str) -> Option<PathBuf> {
    let local = |path: &str| (!is_network_path(path)).then(|| PathBuf::from(path));
    match split_scheme(reference) {
        None if is_absolute(reference) => local(reference),
        None => {
            let mut path = base.parent()?.to_owned();
            path.extend(reference.split(SEPARATORS).filter(|component| !component.is_empty()));
            Some(path)
        }
        Some(("file", rest)) => local(&of_file_url(rest)),
        Some(_) => None,
    }
}

/// The name of a reference in a file called `base`. Lexical.
fn name_beside(base: &str, reference: &str) -> String {
    match split_scheme(reference) {
        None => {}
        Some(("file", rest)) => return of_file_url(rest),
        Some(_) => return reference.to_owned(),
    }
    let after_scheme = split_scheme(base).map(|(_, rest)| {
        let rest = rest.strip_prefix("//").unwrap_or(rest);
        rest.find('/').map_or("", |slash| &rest[slash..])
    });
    let (host, path) = base.split_at(base.len() - after_scheme.unwrap_or(base).len());
    let path =
        if host.is_empty() { path } else { path.split(['?', '#']).next().unwrap_or_default() };
    match reference {
        _ if has_drive(reference) => return reference.to_owned(),
        _ if is_absolute(reference) => return format!("{host}{reference}"),
        _ => {}
    }
    let folder = path.rfind(SEPARATORS).map_or("", |slash| &path[..slash]);
    let is_anchored = !host.is_empty() || is_absolute(path);
    let mut components: Vec<&str> = folder.split(SEPARATORS).collect();
    for component in reference.split(SEPARATORS) {
        match component {
            "" | "." => {}
            // `..` above the top is dropped if the path is absolute, and kept if it is relative.
            ".." => match components.last() {
                Some(last) if !matches!(*last, "" | "..") && !is_drive(last) => {
                    _ = components.pop();
                }
                _ if is_anchored => {}
                _ => components.push(component),
            },
            _ => components.push(component),
        }
    }
    let is_bare = folder.is_empty() && !is_anchored;
    let path = components.get(usize::from(is_bare)..).unwrap_or_default().join("/");
    format!("{host}{path}")
}

/// The path of a `file:` URL.
fn of_file_url(rest: &str) -> String {
    let path = decoded(&file_path(rest));
    // file:///C:/x is C:/x.
    path.strip_prefix('/')
        .filter(|path| has_drive(path))
        .map_or_else(|| path.clone(), str::to_owned)
}

fn is_remote(url: &str) -> bool {
    url.starts_with("//") || split_scheme(url).is_some_and(|(scheme, _)| scheme != "file")
}

fn is_absolute(reference: &str) -> bool {
    reference.starts_with(SEPARATORS) || has_drive(reference)
}

fn has_drive(path: &str) -> bool {
    path.get(..2).is_some_and(is_drive)
}

/// The beginning of a name, for messages.
fn clipped(name: &str) -> String {
    name.chars().take(200).collect()
}

fn utf16_len(text: &str) -> u32 {
    text.encode_utf16().count() as u32
}

fn decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_that_names_another_machine_has_it_asked_for_nothing() {
        let map = Path::new("/w/a.js.map");
        let others = [r"\\server\share\a.ts", r"\\?\UNC\server\a.ts", r"\\.\pipe\a"];
        for other in others.into_iter().chain(["file://server/share/a.ts"]) {
            assert_eq!(beside(map, other), None, "{other}");
        }
        assert_eq!(beside(map, "src/a.ts"), Some("/w/src/a.ts".into()));
    }

    #[test]
    fn finds_the_map_in_the_last_comment() {
        let table = [
            ("x();\n//# sourceMappingURL=x.js.map\n", Some("x.js.map")),
            ("x();\n//# sourceMappingURL=x.js.map", Some("x.js.map")),
            ("x();\r\n//@ sourceMappingURL=x.map\r\n\r\n", Some("x.map")),
            ("x(); /*# sourceMappingURL=x.map */\n", Some("x.map")),
            ("x(); /*#sourceMappingURL=x.map*/\n", Some("x.map")),
            (
                "//# sourceMappingURL=a.map\nx();\n//# sourceMappingURL=b.map\n//# debugId=1\n",
                Some("b.map"),
            ),
            ("//# sourceMappingURL=a.map\nx();\n", None),
            ("write('//# sourceMappingURL=' + map);\n", None),
            ("// see sourceMappingURL=a.map\n", None),
            ("//# sourceMappingURL=\n", None),
            ("", None),
        ];
        for (text, expected) in table {
            assert_eq!(mapping_url(text), expected, "{text}");
        }
    }

    #[test]
    fn resolves_names_lexically() {
        let table = [
            ("/srv/app/dist/m.js.map", "../src/m.ts", "/srv/app/src/m.ts"),
            ("/srv/app/dist/m.js", "./a/./b/../m.ts", "/srv/app/dist/a/m.ts"),
            ("/m.js", "../../m.ts", "/m.ts"),
            ("/srv/m.js", "/abs/m.ts", "/abs/m.ts"),
            ("/srv/m.js", "file:///a%20b/m.ts", "/a b/m.ts"),
            ("/srv/m.js", "file:///C:/b/m.ts", "C:/b/m.ts"),
            ("/srv/m.js", "file://host/share/m.ts", r"\\host/share/m.ts"),
            ("/srv/m.js", "webpack://app/./src/m.ts", "webpack://app/./src/m.ts"),
            (r"C:\app\dist\m.js", "../src/m.ts", "C:/app/src/m.ts"),
            ("C:/m.js", "../../m.ts", "C:/m.ts"),
            ("C:/app/m.js", "D:/m.ts", "D:/m.ts"),
            ("dist/m.js", "../src/m.ts", "src/m.ts"),
            ("m.js", "m.ts", "m.ts"),
            ("m.js", "../src/m.ts", "../src/m.ts"),
            ("http://host:80/dist/m.js?v=/7", "../src/m.ts", "http://host:80/src/m.ts"),
            ("http://host/m.js", "../../m.ts", "http://host/m.ts"),
            ("http://host/dist/m.js", "/src/m.ts", "http://host/src/m.ts"),
            ("http://host", "m.ts", "http://host/m.ts"),
            ("http://host/m.js", "C:/m.ts", "C:/m.ts"),
        ];
        for (base, reference, expected) in table {
            assert_eq!(name_beside(base, reference), expected, "{base} {reference}");
        }
    }
}
