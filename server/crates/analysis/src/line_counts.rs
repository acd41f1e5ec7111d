//! How often lines were executed.

use profile::{FileId, Groups, Recording};
use std::collections::BTreeMap;
use std::ops::Range;

/// How often one line of one file was executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileLineCount {
    /// The file.
    pub file: FileId,
    /// The line, 1-based.
    pub line: u32,
    /// `None` if not recorded.
    pub count: Option<u64>,
}

/// How often the lines of all files were executed. Lines without code are not among them.
#[derive(Debug, Clone, Default)]
pub struct LineCounts {
    /// By file and line.
    rows: Vec<FileLineCount>,
    /// Whether a count of 1 only says that a line was executed: no count is greater. coverage.py's lcov
    /// reports are like this.
    pub are_flags: bool,
}

impl LineCounts {
    /// The counts of a recording, which are the same in every view. Files that `groups` unites
    /// count as one.
    pub fn of(recording: &Recording, groups: &Groups) -> Self {
        let mut counts: BTreeMap<(FileId, u32), Option<u64>> = BTreeMap::new();
        for row in &recording.symbols().line_counts {
            let sum = counts.entry((groups.file(row.source), row.line)).or_insert(Some(0));
            *sum = sum.zip(row.count).map(|(sum, count)| sum.saturating_add(count));
        }
        let row = |((file, line), count)| FileLineCount { file, line, count };
        let rows: Vec<FileLineCount> = counts.into_iter().map(row).collect();
        // Of the recording: files that are united may have been executed once each.
        let recorded = recording.symbols().line_counts.iter().filter_map(|row| row.count);
        let are_flags = recorded.max() == Some(1);
        Self { rows, are_flags }
    }

    /// The files with counts.
    pub fn files(&self) -> impl Iterator<Item = FileId> {
        self.rows.chunk_by(|row, next| row.file == next.file).map(|rows| rows[0].file)
    }

    /// Leaves out the counts of some files.
    pub fn leave_out(&mut self, files: &[FileId]) {
        if !files.is_empty() {
            self.rows.retain(|row| !files.contains(&row.file));
        }
    }

    /// Whether the recording has no counts.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The counts of one file on `lines` (1-based), in order.
    pub fn of_file(&self, file: FileId, lines: Range<u32>) -> &[FileLineCount] {
        let before = |end: u32| self.rows.partition_point(|row| (row.file, row.line) < (file, end));
        &self.rows[before(lines.start)..before(lines.end.max(lines.start))]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use profile::GraphTables;

    #[test]
    fn files_with_two_names_are_one() {
        let mut recording = Recording::from(GraphTables::default());
        let rows =
            [("m.m", 4, Some(2)), ("./m.m", 4, Some(3)), ("m.m", 7, None), ("b.m", 5, Some(0))];
        recording.add_line_counts(rows).unwrap();
        let symbols = recording.symbols();
        let is_first = |name: &str| name.ends_with("m.m");
        let groups = Groups::new(symbols, |source| is_first(symbols.source_name(source)));
        let counts = LineCounts::of(&recording, &groups);
        let first = groups.file(profile::SourceId::new(0));
        let of = |lines| {
            let rows = counts.of_file(first, lines).iter();
            rows.map(|row| (row.line, row.count)).collect::<Vec<_>>()
        };
        assert_eq!(of(1..u32::MAX), [(4, Some(5)), (7, None)]);
        assert_eq!((of(4..5).len(), of(5..7).len()), (1, 0));
        assert!(!counts.is_empty() && !counts.are_flags);
        let mut flags = Recording::from(GraphTables::default());
        flags.add_line_counts([("m.m", 4, Some(1)), ("m.m", 5, Some(0))]).unwrap();
        let groups = Groups::identity(flags.symbols());
        assert!(LineCounts::of(&flags, &groups).are_flags);
    }
}
