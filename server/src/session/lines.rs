//! What a text costs, line by line: the costs of a file moved to where its lines stand in a given text.
//!
//! Costs belong to the text that was profiled. That is the text on disk if it is not newer than the profile; where it is
//! newer, its lines are taken as they come and everything shown is marked with a leading `~`.

use crate::session::snapshot::{Snapshot, Stamp};
use analysis::LineCost;
use profile::{FileId, FunctionId};
use sources::LineMap;
use std::ops::Range;
use std::path::Path;
use std::time::Duration;

/// File systems and checkouts write a project's files within this time of each other, in any order.
pub const SLACK: Duration = Duration::from_secs(2);

/// Whether a file that was written at `stamp` holds the text that `snapshot` was recorded from.
pub fn is_recorded(stamp: &Stamp, snapshot: &Snapshot) -> bool {
    stamp.modified <= snapshot.loaded.stamp.modified + SLACK
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

    /// The functions defined in this file that cost anything, with the line (0-based) each now stands on, in order. A
    /// function whose line was changed stands on the nearest line above that was not.
    pub fn functions(&self) -> Vec<(u32, FunctionId)> {
        let place = |&(line, function): &(u32, FunctionId)| {
            let line0 = (0..line).rev().find_map(|line0| self.map.to_open(line0));
            (line0.unwrap_or(0), function)
        };
        let mut functions: Vec<_> = self.snapshot.defined_in(self.file).iter().map(place).collect();
        functions.sort_unstable();
        functions
    }

    /// What labels begin with: `~` where the age of the text makes its lines uncertain.
    pub fn mark(&self) -> &'static str {
        if self.stale { "~" } else { "" }
    }
}

/// Whether the file at `path` is newer than the snapshot's profile.
pub fn is_newer(path: &Path, snapshot: &Snapshot) -> bool {
    Stamp::of(path).is_ok_and(|stamp| !is_recorded(&stamp, snapshot))
}
