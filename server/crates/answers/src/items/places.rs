//! Translates files, lines and functions of a profile to places in the workspace, using the text of
//! an open document if there is one. Recorded lines are 1-based, current lines 0-based.

use crate::lines::text::Range;
use crate::world::context::Context;
use analysis::{FileId, FunctionId};
use loading::Snapshot;
use std::ops::RangeInclusive;
use std::path::Path;
use texts::LineMap;
use url::Url;

/// A place in a workspace file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The URI of the file in the notation of the editor.
    pub uri: Url,
    /// The line without leading blanks. Empty at the start of the line if the file is not open. Of a
    /// function: its whole definition if the file is open and has a grammar, or else that line.
    pub range: Range,
    /// The function's name in the line, or else the same as `range`.
    pub selection: Range,
}

/// The URI of a workspace file, given by its canonical path. If the file is open, it is the URI of
/// the document, otherwise it is below the workspace folder as the user wrote it. `None` for a
/// path that no URI can express.
pub fn file_uri(context: &Context, path: &Path) -> Option<Url> {
    if let Some(document) = context.documents.at(path) {
        return Some(document.uri.clone());
    }
    let index = context.world.index.as_ref();
    let given = index.map_or_else(|| path.to_owned(), |index| index.as_given(path));
    Url::from_file_path(given).ok()
}

/// The place of a recorded line (1-based). `None` if its file is not mapped to a workspace file.
pub fn line_place(
    context: &Context,
    snapshot: &Snapshot,
    file: FileId,
    line: u32,
) -> Option<Place> {
    let path = snapshot.path_of(file)?;
    let range = line_range(context, snapshot, path, line);
    Some(Place { uri: file_uri(context, path)?, range, selection: range })
}

fn line_range(context: &Context, snapshot: &Snapshot, path: &Path, line: u32) -> Range {
    let recorded0 = line.saturating_sub(1);
    let current = |map: &LineMap| current_line(map, recorded0);
    if let Some(document) = context.documents.at(path) {
        let line0 = current(&document.mapped(snapshot).map);
        return document.text.range_of_line(line0).unwrap_or_else(|| Range::at_line(line0));
    }
    let on_disk = snapshot.texts().to_disk(path);
    Range::at_line(on_disk.map_or(recorded0, |(map, _)| current(&map)))
}

/// The current line of a recorded one: if it was changed, the line that replaced it, or else the nearest
/// unchanged line above.
fn current_line(map: &LineMap, recorded0: u32) -> u32 {
    let above = (0..=recorded0).rev().find_map(|line0| Some((line0, map.to_open(line0)?)));
    let (unchanged0, line0) = match above {
        Some((unchanged0, line0)) if unchanged0 == recorded0 => return line0,
        Some((unchanged0, line0)) => (unchanged0 + 1, line0 + 1),
        None => (0, 0),
    };
    let replacing = line0 + (recorded0 - unchanged0);
    match map.replaced(replacing) {
        Some(replaced) if replaced == recorded0 => replacing,
        _ => line0.saturating_sub(1),
    }
}

/// The place of a function's definition. `None` if it is not in a workspace file.
pub fn function_place(
    context: &Context,
    snapshot: &Snapshot,
    function: FunctionId,
) -> Option<Place> {
    let (file, line) = snapshot.definition(function)?;
    let path = snapshot.path_of(file)?;
    let uri = file_uri(context, path)?;
    let in_document = context.open_file(&uri).and_then(|open| {
        let line0 = open.lines().place(function, line);
        let range = open.document.text.range_of_line(line0)?;
        let name = snapshot.text_name(function);
        let selection = open.document.text.find_in_line(line0, &name);
        let selection = selection.filter(|name| name.start >= range.start && name.end <= range.end);
        Some((range, selection.unwrap_or(range)))
    });
    let (current, selection) = in_document.unwrap_or_else(|| {
        let range = line_range(context, snapshot, path, line);
        (range, range)
    });
    let whole = match snapshot.source_function(function) {
        Some(defined) => definition_range(context, snapshot, path, &defined.definition().lines),
        // Code outside of functions.
        None => lines_with_cost(snapshot, file, function).map(|(first, last)| {
            let [first, last] = [first, last].map(|line| line_range(context, snapshot, path, line));
            first.united(last)
        }),
    };
    let range = whole.map_or(current, |whole| whole.united(current));
    Some(Place { uri, range, selection })
}

/// The first and last line (1-based) on which a function has cost.
fn lines_with_cost(snapshot: &Snapshot, file: FileId, function: FunctionId) -> Option<(u32, u32)> {
    let lines = snapshot.costs.lines_of(file, 1..u32::MAX).iter().map(|line| line.line);
    let has_cost = |line: &u32| {
        snapshot.costs.functions_on(file, *line).iter().any(|place| place.function == function)
    };
    let mut lines = lines.filter(has_cost);
    let first = lines.next()?;
    Some((first, lines.next_back().unwrap_or(first)))
}

/// The range of a definition in the current text, given by its recorded lines (0-based): that of those
/// that are left. `None` if none is.
fn definition_range(
    context: &Context,
    snapshot: &Snapshot,
    path: &Path,
    lines: &RangeInclusive<u32>,
) -> Option<Range> {
    if let Some(document) = context.documents.at(path) {
        let (first, last) = lines_left(&document.mapped(snapshot).map, lines)?;
        let start = document.text.range_of_line(first)?.start;
        return Some(Range::new(start, document.text.end_of_line(last)?));
    }
    let (first, last) = match snapshot.texts().to_disk(path) {
        Some((map, _)) => lines_left(&map, lines)?,
        None => (*lines.start(), *lines.end()),
    };
    Some(Range::new(Range::at_line(first).start, Range::at_line(last + 1).start))
}

/// The first and last current line of recorded lines. If the last one was changed, it is the line that
/// replaced it. `None` if all were changed or removed.
fn lines_left(map: &LineMap, lines: &RangeInclusive<u32>) -> Option<(u32, u32)> {
    let mut left = lines.clone().filter_map(|line0| map.to_open(line0));
    let first = left.next()?;
    let (first, last) =
        left.fold((first, first), |(first, last), line0| (first.min(line0), last.max(line0)));
    Some((first, last.max(current_line(map, *lines.end()))))
}
