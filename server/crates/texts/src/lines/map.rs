//! Which line of one text is which line of another.

use super::pairs::Run;
use rustc_hash::FxHashSet;

/// Maps lines of one text to lines of another. All lines are 0-based.
///
/// A line is mapped if its tokens are in both texts. White space, comments, and what formatters
/// add and remove do not count. Statements keep their order, except that a block of statements may
/// have moved as a whole. A line that was split is mapped to the line with its first call, or else
/// with its first token. Lines that were joined are mapped to the same line.
#[derive(Debug, Clone, PartialEq)]
pub struct LineMap {
    /// Ascending in the recorded text, not empty, and never adjacent in both texts.
    runs: Vec<Run>,
    /// Indexes of `runs`, ascending in the open text.
    by_open: Vec<u32>,
    /// Recorded lines that became part of an open line which another recorded line is mapped to:
    /// the recorded and the open line, ascending.
    joined: Vec<(u32, u32)>,
    /// The same, the open line first.
    joined_by_open: Vec<(u32, u32)>,
    pub(super) n_recorded: u32,
    pub(super) n_open: u32,
}

impl LineMap {
    /// Maps each of `n_lines` lines to itself.
    pub fn identity(n_lines: u32) -> LineMap {
        LineMap::of_runs(vec![Run { recorded0: 0, open0: 0, n_lines }], n_lines, n_lines)
    }

    /// The map of texts with these unchanged lines, and pairs of a recorded and an open line among
    /// the others. Both ascend in the recorded text.
    pub(super) fn of_parts(
        mut runs: Vec<Run>,
        changed: impl Iterator<Item = (u32, u32)>,
        n_recorded: u32,
        n_open: u32,
    ) -> LineMap {
        let mut joined = Vec::new();
        let mut taken = FxHashSet::default();
        for (recorded0, open0) in changed {
            if taken.insert(open0) {
                runs.push(Run { recorded0, open0, n_lines: 1 });
            } else {
                joined.push((recorded0, open0));
            }
        }
        runs.sort_by_key(|run| run.recorded0);
        let mut map = LineMap::of_runs(runs, n_recorded, n_open);
        map.joined_by_open = joined.iter().map(|&(recorded0, open0)| (open0, recorded0)).collect();
        map.joined_by_open.sort_unstable();
        map.joined = joined;
        map
    }

    /// The map of runs that do not overlap.
    fn of_runs(mut runs: Vec<Run>, n_recorded: u32, n_open: u32) -> LineMap {
        runs.retain(|run| run.n_lines > 0);
        runs.dedup_by(|next, run| {
            let is_continued = run.is_continued_by(next);
            if is_continued {
                run.n_lines += next.n_lines;
            }
            is_continued
        });
        let mut by_open: Vec<u32> = (0..runs.len() as u32).collect();
        by_open.sort_unstable_by_key(|&at| runs[at as usize].open0);
        let (joined, joined_by_open) = (Vec::new(), Vec::new());
        LineMap { runs, by_open, joined, joined_by_open, n_recorded, n_open }
    }

    /// Maps each function with the lines up to the next one, and the lines above all functions. `starts`
    /// are the recorded and the open start of each function, ascending in the recorded text. Lines that
    /// are not before the next function in both texts are mapped to nothing.
    pub fn of_functions(starts: &[(u32, u32)], n_recorded: u32, n_open: u32) -> LineMap {
        let mut open: Vec<u32> = starts.iter().map(|&(_, open0)| open0).collect();
        open.sort_unstable();
        let next_open = |open0: u32| {
            let next = open.get(open.partition_point(|&other| other <= open0));
            next.map_or(n_open, |&next| next)
        };
        let first = starts.first().map_or(n_recorded, |&(recorded0, _)| recorded0);
        let above = open.first().map_or(n_open, |&open0| open0);
        let mut runs = vec![Run { recorded0: 0, open0: 0, n_lines: first.min(above) }];
        for (at, &(recorded0, open0)) in starts.iter().enumerate() {
            let next = starts.get(at + 1).map_or(n_recorded, |&(next, _)| next);
            let n_lines = next.saturating_sub(recorded0).min(next_open(open0) - open0.min(n_open));
            runs.push(Run { recorded0, open0, n_lines });
        }
        LineMap::of_runs(runs, n_recorded, n_open)
    }

    /// The map that applies this one to the lines of another.
    #[must_use]
    pub fn after(&self, first: &LineMap) -> LineMap {
        let pairs = first.runs.iter().flat_map(|run| {
            let lines = (0..run.n_lines).map(|at| (run.recorded0 + at, run.open0 + at));
            lines.filter_map(|(recorded0, between0)| Some((recorded0, self.to_open(between0)?)))
        });
        LineMap::of_parts(Vec::new(), pairs, first.n_recorded, self.n_open)
    }

    /// The same map without some recorded lines, which ascend.
    #[must_use]
    pub fn without(&self, recorded: &[u32]) -> LineMap {
        let is_left = |line0: u32| recorded.binary_search(&line0).is_err();
        let single = |run: &Run| {
            let Run { recorded0, open0, n_lines } = *run;
            (0..n_lines).map(move |at| Run {
                recorded0: recorded0 + at,
                open0: open0 + at,
                n_lines: 1,
            })
        };
        let runs = self.runs.iter().flat_map(single).filter(|run| is_left(run.recorded0));
        let mut map = LineMap::of_runs(runs.collect(), self.n_recorded, self.n_open);
        let joined = |lines: &[(u32, u32)], recorded: fn(&(u32, u32)) -> u32| {
            lines.iter().copied().filter(|pair| is_left(recorded(pair))).collect()
        };
        map.joined = joined(&self.joined, |pair| pair.0);
        map.joined_by_open = joined(&self.joined_by_open, |pair| pair.1);
        map
    }

    /// Whether lines that are mapped have the same order in both texts.
    pub(super) fn is_in_order(&self) -> bool {
        self.by_open.is_sorted()
    }

    /// The current line of a recorded line; `None` if it was changed or removed, or does not exist.
    pub fn to_open(&self, recorded_line0: u32) -> Option<u32> {
        if let Ok(at) = self.joined.binary_search_by_key(&recorded_line0, |&(line0, _)| line0) {
            return Some(self.joined[at].1);
        }
        let at = self.runs.partition_point(|run| run.recorded0 <= recorded_line0);
        let run = self.runs.get(at.checked_sub(1)?)?;
        let offset = recorded_line0 - run.recorded0;
        (offset < run.n_lines).then(|| run.open0 + offset)
    }

    /// The recorded lines of a current line: none if it is new or changed, several if they were
    /// joined.
    pub fn all_recorded(&self, open_line0: u32) -> impl Iterator<Item = u32> {
        let from = self.joined_by_open.partition_point(|&(open0, _)| open0 < open_line0);
        let joined = self.joined_by_open[from..].iter();
        let joined = joined.take_while(move |&&(open0, _)| open0 == open_line0);
        self.to_recorded(open_line0).into_iter().chain(joined.map(|&(_, recorded0)| recorded0))
    }

    /// The recorded line of a current line, the first one if several were joined; `None` if it is
    /// new or changed.
    pub fn to_recorded(&self, open_line0: u32) -> Option<u32> {
        let at = self.by_open.partition_point(|&at| self.runs[at as usize].open0 <= open_line0);
        let run = self.run_by_open(at.checked_sub(1)?);
        let offset = open_line0 - run.open0;
        (offset < run.n_lines).then(|| run.recorded0 + offset)
    }

    /// The recorded line that a changed current line replaced. `None` if the line was not changed,
    /// or if it is ambiguous: the lines between the nearest unchanged ones must be as many in both
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
