//! What a text costs, line by line: the costs of a file moved to where its lines stand in a given text.
//!
//! Costs belong to the text that was profiled. That is the text on disk if it is not newer than the profile; where it is
//! newer, its lines are taken as they come and everything shown is marked with a leading `~`.

use crate::session::documents::Document;
use crate::session::snapshot::{Snapshot, Stamp};
use crate::session::spoken::Spoken;
use analysis::LineCost;
use profile::{FileId, FunctionId};
use sources::{Definition, LineMap};
use std::ops::Range;
use std::path::Path;
use std::time::Duration;

/// File systems and checkouts write a project's files within this time of each other, in any order.
pub const SLACK: Duration = Duration::from_secs(2);

/// Whether a file that was written at `stamp` holds the text that the profile written at `profile` was recorded from.
pub fn is_recorded(stamp: &Stamp, profile: &Stamp) -> bool {
    stamp.modified <= profile.modified + SLACK
}

/// A file of a snapshot as it stands in one text.
#[derive(Debug)]
pub struct FileLines<'a> {
    /// What is costed.
    pub snapshot: &'a Snapshot,
    /// The file.
    pub file: FileId,
    /// From the recorded lines to the text's.
    pub map: &'a LineMap,
    /// Whether the recorded text is only a guess.
    pub stale: bool,
    /// The open document with that text, if it is one.
    pub document: Option<&'a Document>,
}

impl FileLines<'_> {
    /// The costs of the text's lines in `range` (0-based), with the line each now stands on (0-based), in order.
    pub fn costs(&self, range: Range<u32>) -> Vec<(u32, LineCost)> {
        let lines = self.snapshot.costs.lines_of(self.file, 1..u32::MAX);
        let lines = lines.iter().filter_map(|line| Some((self.map.to_open(line.line - 1)?, *line)));
        lines.filter(|(line0, _)| range.contains(line0)).collect()
    }

    /// The recorded line (1-based) of a line of the text (0-based).
    pub fn recorded(&self, line0: u32) -> Option<u32> {
        self.map.to_recorded(line0).map(|line0| line0 + 1)
    }

    /// The functions defined in this file that cost anything, with the line (0-based) each now stands on, in order.
    pub fn functions(&self) -> Vec<(u32, FunctionId)> {
        let functions = self.snapshot.defined_in(self.file).iter();
        let mut functions: Vec<_> = functions.map(|&(line, function)| (self.place(function, line), function)).collect();
        functions.sort_unstable();
        functions
    }

    /// The line (0-based) of the text where a function stands that stood on `line` (1-based). If that was changed: where a
    /// function of that name is defined now, if there is one; else the nearest line above that was not.
    pub fn place(&self, function: FunctionId, line: u32) -> u32 {
        let moved = || (0..line).rev().find_map(|line0| self.map.to_open(line0)).unwrap_or(0);
        let is_certain = !self.stale || self.snapshot.source_function(function).is_some();
        let unchanged = line.checked_sub(1).and_then(|line0| self.map.to_open(line0)).filter(|_| is_certain);
        unchanged.or_else(|| self.place_by_name(function)).unwrap_or_else(moved)
    }

    /// The line of the only definition in the text that has the name of a function.
    fn place_by_name(&self, function: FunctionId) -> Option<u32> {
        let functions = self.document?.functions()?;
        let only = |is_it: &dyn Fn(&Definition) -> bool| {
            let mut found = functions.all().iter().filter(|definition| is_it(definition));
            found.next().filter(|_| found.next().is_none()).map(|definition| definition.name_line0)
        };
        if let Some(function) = self.snapshot.source_function(function) {
            let Definition { name, container, .. } = function.definition();
            return only(&|now| !name.is_empty() && now.name == *name && now.container == *container);
        }
        // All that is known is a name: good for a place, never for numbers.
        let this = self.snapshot.function(function);
        let spoken = Spoken::of(this.name);
        spoken.name.as_ref().filter(|_| this.file == Some(self.file))?;
        only(&|now| spoken.agrees(now, None))
    }

    /// What labels begin with: `~` where the age of the text makes its lines uncertain.
    pub fn mark(&self) -> &'static str {
        if self.stale { "~" } else { "" }
    }
}

/// Whether the file at `path` is newer than the snapshot's profile.
pub fn is_newer(path: &Path, snapshot: &Snapshot) -> bool {
    Stamp::of(path).is_ok_and(|stamp| !is_recorded(&stamp, &snapshot.loaded.stamp))
}
