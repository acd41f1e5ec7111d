//! Pairs of lines that two texts have in common.

/// Consecutive lines that both texts contain.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Run {
    pub(super) recorded0: u32,
    pub(super) open0: u32,
    pub(super) n_lines: u32,
}

impl Run {
    pub(super) fn new(recorded0: usize, open0: usize, n_lines: usize) -> Self {
        Self { recorded0: recorded0 as u32, open0: open0 as u32, n_lines: n_lines as u32 }
    }

    /// The lines after its last one: recorded and open.
    pub(super) fn end(&self) -> (u32, u32) {
        (self.recorded0 + self.n_lines, self.open0 + self.n_lines)
    }

    /// Whether `next` continues this run in both texts.
    pub(super) fn is_continued_by(&self, next: &Self) -> bool {
        self.end() == (next.recorded0, next.open0)
    }
}

/// Pairs of equal lines, by the index of a line in each text.
pub(super) struct Pairs {
    pub(super) open: Vec<Option<usize>>,
    pub(super) recorded: Vec<Option<usize>>,
}

impl Pairs {
    pub(super) fn new(n_recorded: usize, n_open: usize) -> Self {
        Self { open: vec![None; n_recorded], recorded: vec![None; n_open] }
    }

    /// Pairs `n_lines` lines, and separates them from others.
    pub(super) fn add(&mut self, recorded: usize, open: usize, n_lines: usize) {
        for (recorded, open) in (recorded..).zip(open..).take(n_lines) {
            if let Some(other) = self.open[recorded].replace(open) {
                self.recorded[other] = None;
            }
            if let Some(other) = self.recorded[open].replace(recorded) {
                self.open[other] = None;
            }
            self.open[recorded] = Some(open);
        }
    }

    /// Whether the line before is paired with the line before.
    pub(super) fn continues(&self, recorded: usize, open: usize) -> bool {
        recorded > 0 && open > 0 && self.open[recorded - 1] == Some(open - 1)
    }

    pub(super) fn runs(&self) -> Vec<Run> {
        let pairs = self.open.iter().enumerate().filter_map(|(from, to)| Some((from, (*to)?)));
        pairs.map(|(from, to)| Run::new(from, to, 1)).collect()
    }
}
