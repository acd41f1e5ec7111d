//! The costs of one file by line, moved from the recorded text to a given text.
//!
//! Costs belong to the recorded text ([`loading::recorded_texts`]). If that is not known, the lines are
//! used as they are, without those that certainly are elsewhere, and labels of lines that may be
//! elsewhere have a leading `~`.

use crate::lines::document::Document;
use analysis::{FileId, FunctionId, LineCost};
use loading::{FunctionName, Snapshot, SpreadCost};
use std::collections::BTreeMap;
use std::ops::Range;
use texts::{Definition, FunctionKind, LineMap};

/// Why a line of a text that is a guess has no cost.
pub const UNKNOWN_LINE: &str =
    "the recorded text is not known, so neither is the cost of this line";

/// A file of a snapshot, and the text to show its costs in.
#[derive(Debug)]
pub struct FileLines<'a> {
    /// The profile.
    pub snapshot: &'a Snapshot,
    /// The file of the profile.
    pub file: FileId,
    /// From recorded lines to lines of the text, both 0-based.
    pub map: &'a LineMap,
    /// Whether the recorded text is a guess.
    pub stale: bool,
    /// The open document with the text, if it is open.
    pub document: Option<&'a Document>,
}

impl FileLines<'_> {
    /// The costs of the lines in `range`, each with its line, in order. Both are 0-based lines of
    /// the text. A line that several recorded lines were joined into has the cost of all of them,
    /// in which a sample counts once.
    pub fn costs(&self, range: Range<u32>) -> Vec<(u32, LineCost)> {
        let costs = &self.snapshot.costs;
        let lines = costs.lines_of(self.file, 1..u32::MAX);
        let mut lines: Vec<(u32, LineCost)> = if range.len() < lines.len() {
            let recorded = |line0| self.all_recorded(line0).map(move |line| (line0, line));
            let recorded = range.flat_map(recorded);
            let of =
                |(line0, line)| Some((line0, *costs.lines_of(self.file, line..line + 1).first()?));
            recorded.filter_map(of).collect()
        } else {
            let lines = lines.iter();
            let lines = lines.filter_map(|line| Some((self.map.to_open(line.line - 1)?, *line)));
            lines.filter(|(line0, _)| range.contains(line0)).collect()
        };
        // Blocks of lines may have moved.
        lines.sort_unstable_by_key(|&(line0, line)| (line0, line.line));
        self.joined(lines)
    }

    /// The cost of a line (0-based) of the text, with the spread of its recorded line. `None` if it has no
    /// cost.
    pub fn cost_of(&self, line0: u32) -> Option<SpreadCost> {
        let costs = self.costs(line0..line0 + 1);
        let (_, line) = costs.first()?;
        Some((line.cost, self.snapshot.run_costs().line(line.file, line.line)))
    }

    /// How often the lines in `range` were executed, each with its line, in order; `None` if the
    /// profile does not tell. Both are 0-based lines of the text. A line that several recorded
    /// lines were joined into was executed as often as the most frequent of them.
    pub fn executions(&self, range: Range<u32>) -> Vec<(u32, Option<u64>)> {
        let recorded = self.snapshot.line_counts.of_file(self.file, 1..u32::MAX).iter();
        let mut lines: BTreeMap<u32, Option<u64>> = BTreeMap::new();
        for row in recorded {
            let line0 = row.line.checked_sub(1).and_then(|line0| self.map.to_open(line0));
            let Some(line0) = line0 else { continue };
            if range.contains(&line0) {
                let most = lines.entry(line0).or_insert(Some(0));
                *most = most.zip(row.count).map(|(most, count)| most.max(count));
            }
        }
        lines.into_iter().collect()
    }

    /// Unites the costs of each line. `lines` is sorted.
    fn joined(&self, lines: Vec<(u32, LineCost)>) -> Vec<(u32, LineCost)> {
        let of_one = |a: &(u32, LineCost), b: &(u32, LineCost)| a.0 == b.0;
        let joined = lines.chunk_by(of_one).filter(|lines| lines.len() > 1);
        let sets: Vec<Vec<u32>> =
            joined.map(|lines| lines.iter().map(|(_, line)| line.line).collect()).collect();
        if sets.is_empty() {
            return lines;
        }
        let Snapshot { tree, costs, .. } = self.snapshot;
        let mut sums = tree.costs_of_sets(costs, self.file, &sets).into_iter();
        let unite = |lines: &[(u32, LineCost)]| {
            let (line0, first) = *lines.first()?;
            let sum = if lines.len() > 1 { sums.next() } else { None };
            Some((line0, LineCost { cost: sum.unwrap_or(first.cost), ..first }))
        };
        lines.chunk_by(of_one).filter_map(unite).collect()
    }

    /// The recorded line (1-based) of a line of the text (0-based), the first one if several were
    /// joined. `None` if the line was changed.
    pub fn recorded(&self, line0: u32) -> Option<u32> {
        self.map.to_recorded(line0).map(|line0| line0 + 1)
    }

    /// The recorded lines (1-based) of a line of the text (0-based). Empty if the line was changed.
    pub fn all_recorded(&self, line0: u32) -> impl Iterator<Item = u32> + use<'_> {
        self.map.all_recorded(line0).map(|line0| line0 + 1)
    }

    /// The cost of the recorded line that a changed line (0-based) of the text replaced.
    pub fn replaced(&self, line0: u32) -> Option<LineCost> {
        let recorded0 = self.map.replaced(line0)?;
        let text =
            self.snapshot.path_of(self.file).and_then(|path| self.snapshot.texts().get(path));
        if text.is_some_and(|text| text.is_misplaced(recorded0)) {
            return None;
        }
        let line = recorded0 + 1;
        self.snapshot.costs.lines_of(self.file, line..line + 1).first().copied()
    }

    /// The functions with cost that are defined in this file, each with its line (0-based) in the
    /// text, in order. Those that were deleted from the text are left out.
    pub fn functions(&self) -> Vec<(u32, FunctionId)> {
        let functions = self.snapshot.defined_in(self.file).iter();
        let left = functions.filter(|&&(_, function)| !self.is_deleted(function));
        let mut functions: Vec<_> =
            left.map(|&(line, function)| (self.place(function, line), function)).collect();
        functions.sort_unstable();
        functions
    }

    /// The line (0-based) in the text of a function that was recorded on `line` (1-based). If that
    /// line was changed, it is the line of the only definition with the function's name, or else
    /// that of the definition which replaced it, or else that of the definition with its other lines, or
    /// else the first of these, or else the nearest unchanged line above. A definition that has none of
    /// its lines does not count if another one has them. A line that was only sampled, and is not where
    /// the function starts, stands for the statement that it is in, unless the function may be a closure
    /// on that line.
    pub fn place(&self, function: FunctionId, line: u32) -> u32 {
        if let Some(home) = self.home(function) {
            return home.name_line0;
        }
        let is_certain = !self.stale || self.snapshot.source_function(function).is_some();
        let unchanged =
            line.checked_sub(1).and_then(|line0| self.map.to_open(line0)).filter(|_| is_certain);
        if unchanged.is_none()
            && let Some(changed) = self.place_by_name(function).or_else(|| self.renamed(function))
        {
            return changed;
        }
        let line0 = unchanged
            .or_else(|| self.body(function).first().copied())
            .or_else(|| (0..line).rev().find_map(|line0| self.map.to_open(line0)))
            .unwrap_or(0);
        if self.snapshot.start_line(function).is_some() {
            return line0;
        }
        let Some(functions) = self.document.and_then(Document::functions) else { return line0 };
        // One of several on the line.
        let is_closure = FunctionName::of(self.snapshot.function(function).name).closure;
        let starts_closure = |definition: &Definition| {
            definition.kind == FunctionKind::Closure && *definition.lines.start() == line0
        };
        if is_closure && functions.all().iter().any(starts_closure) {
            return line0;
        }
        functions.statement_at(line0).unwrap_or(line0)
    }

    /// The lines (0-based) in the text of the unchanged lines of a function, without its name.
    fn body(&self, function: FunctionId) -> Vec<u32> {
        let Some(function) = self.snapshot.source_function(function) else { return Vec::new() };
        let Definition { lines, name_line0, .. } = function.definition();
        let body = lines.clone().filter(|line0| line0 > name_line0);
        body.filter_map(|line0| self.map.to_open(line0)).collect()
    }

    /// The definition that has the lines of a function, if neither the definition in its place nor
    /// that of its name has any of them: the function was renamed or moved, and maybe another one has
    /// its name.
    fn home(&self, function: FunctionId) -> Option<&Definition> {
        let functions = self.document?.functions()?;
        let recorded = self.snapshot.source_function(function)?.definition();
        let body = self.body(function);
        let of_body = |definition: &Definition| {
            body.iter().filter(|line0| definition.lines.contains(line0)).count()
        };
        let place = self.map.to_open(recorded.name_line0).or_else(|| self.place_by_name(function));
        let around = |line0: u32| {
            let parent = |definition: &&Definition| functions.all().get(definition.parent?);
            std::iter::successors(functions.at_line(line0), parent)
        };
        let is_in_place = |line0: &u32| around(*line0).any(|it| Some(it.name_line0) == place);
        // A syntax error above an unchanged definition may hide it.
        let is_place = |definition: &Definition| Some(definition.name_line0) == place;
        let is_hidden =
            place.is_some() && functions.has_errors() && !functions.all().iter().any(is_place);
        if recorded.name.is_empty() || is_hidden || body.iter().any(is_in_place) {
            return None;
        }
        // Nested functions have fewer of the lines.
        let home = around(*body.first()?).find(|it| 2 * of_body(it) > body.len())?;
        // Lines that were added to another function are no function.
        let is_other = self.map.to_recorded(home.name_line0).is_some();
        (!is_other && !home.name.is_empty()).then_some(home)
    }

    /// The line (0-based) of the only definition in the text with the name of a function.
    fn place_by_name(&self, function: FunctionId) -> Option<u32> {
        let definitions = self.document?.functions()?.all();
        if let Some(function) = self.snapshot.source_function(function) {
            let Definition { name, arity, container, .. } = function.definition();
            return only_line(definitions, |now| {
                !name.is_empty()
                    && (&now.name, &now.arity, &now.container) == (name, arity, container)
            });
        }
        // Without a definition, only the name can be compared. That is good enough for a place, but
        // not for numbers.
        let this = self.snapshot.function(function);
        let function_name = FunctionName::of(this.name);
        function_name.name.as_ref().filter(|_| this.file == Some(self.file))?;
        only_line(definitions, |now| function_name.agrees(now, None))
    }

    /// The line (0-based) of the definition in the text that replaced the one of a function.
    fn renamed(&self, function: FunctionId) -> Option<u32> {
        let definitions = self.document?.functions()?.all().iter();
        let mut renamed = definitions.filter(|definition| self.replaces(function, definition));
        Some(renamed.next()?.name_line0)
    }

    /// Whether a definition in the text belongs to a function whose name or parameters were
    /// changed.
    pub fn is_renamed(&self, function: FunctionId, definition: &Definition) -> bool {
        match self.home(function) {
            Some(home) => home.bytes == definition.bytes,
            None => self.replaces(function, definition),
        }
    }

    /// Whether the name of a definition in the text is on the line that replaced the line of a
    /// function.
    fn replaces(&self, function: FunctionId, definition: &Definition) -> bool {
        self.snapshot.source_function(function).is_some_and(|function| {
            let recorded0 = function.definition().name_line0;
            self.map.replaced(definition.name_line0) == Some(recorded0)
        }) && self.place_by_name(function).is_none()
    }

    /// Whether nothing is left of the definition of a function, not even its name.
    fn is_deleted(&self, function: FunctionId) -> bool {
        let Some(defined) = self.snapshot.source_function(function) else { return false };
        defined.definition().lines.clone().all(|line0| self.map.to_open(line0).is_none())
            && self.place_by_name(function).is_none()
            && self.renamed(function).is_none()
    }

    /// Whether a line (0-based) of the text may not be the recorded one.
    pub fn is_doubtful(&self, line0: u32) -> bool {
        self.stale && (self.all_recorded(line0).any(|line| self.may_be_elsewhere(line)))
    }

    /// Whether a recorded line (1-based) may be elsewhere in the text.
    fn may_be_elsewhere(&self, line: u32) -> bool {
        let text =
            self.snapshot.path_of(self.file).and_then(|path| self.snapshot.texts().get(path));
        text.is_none_or(|text| text.is_doubtful(line.saturating_sub(1)))
    }

    /// The prefix of the label of a line (0-based): `~` if it may have moved since the recording.
    pub fn mark(&self, line0: u32) -> &'static str {
        if self.is_doubtful(line0) { "~" } else { "" }
    }

    /// The prefix of the label of a function: `~` if it may not be the recorded one.
    pub fn function_mark(&self, function: FunctionId) -> &'static str {
        let recorded = Some(self.snapshot.recorded_start(function)).filter(|&line| line != 0);
        let start = recorded.or_else(|| self.snapshot.start_line(function));
        let is_doubtful = || start.is_none_or(|line| self.may_be_elsewhere(line));
        let is_doubtful =
            self.snapshot.doubtful_program(function).is_some() || self.stale && is_doubtful();
        if is_doubtful { "~" } else { "" }
    }
}

/// The line (0-based) of the only definition that matches.
fn only_line(definitions: &[Definition], matches: impl Fn(&Definition) -> bool) -> Option<u32> {
    let mut found = definitions.iter().filter(|definition| matches(definition));
    found.next().filter(|_| found.next().is_none()).map(|definition| definition.name_line0)
}
