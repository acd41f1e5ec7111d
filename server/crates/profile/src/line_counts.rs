//! How often lines were executed.

use crate::symbol_tables::Names;
use crate::{BuildError, LineCount, Recording, SourceId, SymbolTables};
use std::collections::BTreeMap;
use std::mem::take;

/// Counts by file and line.
#[derive(Debug, Default)]
pub(crate) struct LineCounts(BTreeMap<(SourceId, u32), Option<u64>>);

impl LineCounts {
    /// Adds a count to the count of the same line.
    pub(crate) fn add(&mut self, more: LineCount) {
        let sum = self.0.entry((more.source, more.line)).or_insert(Some(0));
        *sum = sum.zip(more.count).map(|(sum, count)| sum.saturating_add(count));
    }

    /// By file and line.
    pub(crate) fn finish(self) -> Vec<LineCount> {
        let row = |((source, line), count)| LineCount { source, line, count };
        self.0.into_iter().map(row).collect()
    }
}

impl Recording {
    /// Adds how often lines were executed: file names as in the profile, lines (1-based) and counts.
    ///
    /// # Errors
    /// If there are too many file names.
    pub fn add_line_counts<'a>(
        &mut self,
        counts: impl IntoIterator<Item = (&'a str, u32, Option<u64>)>,
    ) -> Result<(), BuildError> {
        let mut counts = counts.into_iter().peekable();
        if counts.peek().is_none() {
            return Ok(());
        }
        let symbols = self.symbols_mut();
        let mut names = Names::of(symbols);
        let mut sums = LineCounts::default();
        for known in &symbols.line_counts {
            sums.add(*known);
        }
        for (file, line, count) in counts {
            let source = names.source(file).ok_or(BuildError::TooLarge("source"))?;
            sums.add(LineCount { source, line, count });
        }
        let (libs, funcs) = (take(&mut symbols.libs), take(&mut symbols.funcs));
        *symbols = SymbolTables { line_counts: sums.finish(), ..names.with(libs, funcs) };
        Ok(())
    }

    /// How often lines were executed: file names as in the profile, lines (1-based) and counts. By
    /// file and line. Empty if that is unknown.
    pub fn line_counts(&self) -> impl Iterator<Item = (&str, u32, Option<u64>)> {
        let symbols = self.symbols();
        let row = |row: &LineCount| (symbols.source_name(row.source), row.line, row.count);
        symbols.line_counts.iter().map(row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{GraphTables, Part, Thread, merge};

    fn counts(recording: &Recording) -> Vec<(&str, u32, Option<u64>)> {
        recording.line_counts().collect()
    }

    fn recording(rows: &[(&'static str, u32, Option<u64>)]) -> Recording {
        let mut recording = Recording::from(GraphTables::default());
        recording.add_line_counts(rows.iter().copied()).unwrap();
        recording
    }

    #[test]
    fn counts_of_one_line_are_added() {
        let rows = [("b.m", 2, Some(3)), ("a.m", 1, Some(1)), ("b.m", 2, Some(4))];
        let mut recording = recording(&rows);
        assert_eq!(counts(&recording), [("b.m", 2, Some(7)), ("a.m", 1, Some(1))]);
        recording.add_line_counts([("a.m", 1, None), ("c.m", 1, Some(0))]).unwrap();
        assert_eq!(
            counts(&recording),
            [("b.m", 2, Some(7)), ("a.m", 1, None), ("c.m", 1, Some(0))]
        );
    }

    #[test]
    fn counts_stay_at_the_largest_number() {
        let sum = |more| {
            let recording = recording(&[("a.m", 1, Some(u64::MAX - 5)), ("a.m", 1, Some(more))]);
            recording.line_counts().next().unwrap().2
        };
        assert_eq!(sum(5), Some(u64::MAX));
        assert_eq!(sum(6), Some(u64::MAX));
    }

    #[test]
    fn merged_recordings_have_the_sum() {
        let part = |rows: &[_]| Part { recording: recording(rows), thread: Thread::default() };
        let merged = merge(&[
            part(&[("a.m", 1, Some(1)), ("b.m", 2, Some(2))]),
            part(&[("b.m", 2, Some(3)), ("b.m", 4, None)]),
        ]);
        assert_eq!(
            counts(&merged.unwrap()),
            [("a.m", 1, Some(1)), ("b.m", 2, Some(5)), ("b.m", 4, None)]
        );
    }
}
