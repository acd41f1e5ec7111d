//! How often lines were executed.

use crate::symbol_tables::Names;
use crate::{BuildError, LineCount, Recording, SourceId};
use std::collections::BTreeMap;
use std::mem::take;

/// Counts by file and line.
#[derive(Debug, Default)]
pub(crate) struct LineCounts(BTreeMap<(SourceId, u32), Option<u64>>);

impl LineCounts {
    /// Adds a count to that of the same line.
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
    /// Recordings with stacks do not change.
    ///
    /// # Errors
    /// If there are too many file names.
    pub fn add_line_counts<'a>(
        &mut self,
        counts: impl IntoIterator<Item = (&'a str, u32, Option<u64>)>,
    ) -> Result<(), BuildError> {
        let Self::Graph(graph) = self else { return Ok(()) };
        let tables = &mut graph.tables;
        let mut names = Names::of(&tables.symbols);
        let mut sums = LineCounts::default();
        for known in &tables.line_counts {
            sums.add(*known);
        }
        for (file, line, count) in counts {
            let source = names.source(file).ok_or(BuildError::TooLarge("source"))?;
            sums.add(LineCount { source, line, count });
        }
        tables.line_counts = sums.finish();
        let (libs, funcs) = (take(&mut tables.symbols.libs), take(&mut tables.symbols.funcs));
        tables.symbols = names.with(libs, funcs);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{GraphTables, Part, Thread, merge};

    fn counts(recording: &Recording) -> Vec<(&str, u32, Option<u64>)> {
        let tables = &recording.summed().unwrap().tables;
        let row = |row: &LineCount| (tables.symbols.source_name(row.source), row.line, row.count);
        tables.line_counts.iter().map(row).collect()
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
