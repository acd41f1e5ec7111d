//! Maps lines of the recorded text to lines of the open text and back, by a line diff that ignores
//! white space and follows moved blocks.
//!
//! Which text was recorded is up to the caller. Time is linear in the number of lines, whatever the
//! texts are, because long texts are compared in pieces of at most `PIECE` lines.

mod compare;
mod moved;
mod pairs;
mod text;

use compare::compare;
use pairs::Run;
use text::{has_words, lines};

/// Maps lines of one text to lines of another. All lines are 0-based.
///
/// A line is mapped if its text is the same but for white space. Lines keep their order, except
/// that a block of lines may have moved as a whole.
#[derive(Debug, Clone, PartialEq)]
pub struct LineMap {
    /// Ascending in the recorded text, not empty, and never adjacent in both texts.
    runs: Vec<Run>,
    /// Indexes of `runs`, ascending in the open text.
    by_open: Vec<u32>,
    n_recorded: u32,
    n_open: u32,
}

impl LineMap {
    /// Maps each of `n_lines` lines to itself.
    pub fn identity(n_lines: u32) -> LineMap {
        LineMap::of_runs(vec![Run { recorded0: 0, open0: 0, n_lines }], n_lines, n_lines)
    }

    /// Compares the recorded text with the text that is open now. Changed lines are not mapped.
    pub fn new(recorded: &str, open: &str) -> LineMap {
        if recorded == open {
            return LineMap::identity(lines(open).count() as u32);
        }
        let (recorded, open): (Vec<_>, Vec<_>) = (lines(recorded).collect(), lines(open).collect());
        let equal = |(a, b): &(&&str, &&str)| a == b;
        let head = recorded.iter().zip(&open).take_while(equal).count();
        let (recorded_rest, open_rest) = (&recorded[head..], &open[head..]);
        let ends = recorded_rest.iter().rev().zip(open_rest.iter().rev());
        let tail = ends.take_while(equal).count();
        // A closing bracket belongs to the lines above it, which have changed.
        let n_closing =
            recorded[recorded.len() - tail..].iter().take_while(|line| !has_words(line));
        let tail = tail - n_closing.count();
        let (recorded_end, open_end) = (recorded.len() - tail, open.len() - tail);

        let mut runs = vec![Run::new(0, 0, head)];
        let changed = (&recorded[head..recorded_end], &open[head..open_end]);
        runs.extend(compare(changed.0, changed.1).into_iter().map(|run| Run {
            recorded0: run.recorded0 + head as u32,
            open0: run.open0 + head as u32,
            ..run
        }));
        runs.push(Run::new(recorded_end, open_end, tail));
        LineMap::of_runs(runs, recorded.len() as u32, open.len() as u32)
    }

    /// The map of runs that do not overlap.
    fn of_runs(mut runs: Vec<Run>, n_recorded: u32, n_open: u32) -> LineMap {
        runs.retain(|run| run.n_lines > 0);
        runs.sort_unstable_by_key(|run| run.recorded0);
        runs.dedup_by(|next, run| {
            let is_continued = run.is_continued_by(next);
            if is_continued {
                run.n_lines += next.n_lines;
            }
            is_continued
        });
        let mut by_open: Vec<u32> = (0..runs.len() as u32).collect();
        by_open.sort_unstable_by_key(|&at| runs[at as usize].open0);
        LineMap { runs, by_open, n_recorded, n_open }
    }

    /// The current line of a recorded line; `None` if it was changed or removed, or does not exist.
    pub fn to_open(&self, recorded_line0: u32) -> Option<u32> {
        let at = self.runs.partition_point(|run| run.recorded0 <= recorded_line0);
        let run = self.runs.get(at.checked_sub(1)?)?;
        let offset = recorded_line0 - run.recorded0;
        (offset < run.n_lines).then(|| run.open0 + offset)
    }

    /// The recorded line of a current line; `None` if it is new or changed.
    pub fn to_recorded(&self, open_line0: u32) -> Option<u32> {
        let at = self.by_open.partition_point(|&at| self.runs[at as usize].open0 <= open_line0);
        let run = self.run_by_open(at.checked_sub(1)?);
        let offset = open_line0 - run.open0;
        (offset < run.n_lines).then(|| run.recorded0 + offset)
    }

    /// The recorded line that a changed current line replaced. `None` if the line was not changed,
    /// or if it cannot be told: the lines between the nearest unchanged ones must be as many in both
    /// texts.
    pub fn replaced(&self, open_line0: u32) -> Option<u32> {
        if open_line0 >= self.n_open || self.to_recorded(open_line0).is_some() {
            return None;
        }
        let next = self.by_open.partition_point(|&at| self.runs[at as usize].open0 <= open_line0);
        let (recorded_start, open_start) =
            next.checked_sub(1).map_or((0, 0), |before| self.run_by_open(before).end());
        let (recorded_end, open_end) =
            self.by_open.get(next).map_or((self.n_recorded, self.n_open), |_| {
                (self.run_by_open(next).recorded0, self.run_by_open(next).open0)
            });
        let n_recorded = recorded_end.checked_sub(recorded_start)?;
        let replaced = recorded_start + (open_line0 - open_start);
        (n_recorded == open_end - open_start && self.to_open(replaced).is_none())
            .then_some(replaced)
    }

    fn run_by_open(&self, at: usize) -> Run {
        self.runs[self.by_open[at] as usize]
    }
}

#[cfg(test)]
mod tests;
