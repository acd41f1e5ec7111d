//! Pairs of lines and units that two texts have in common.

/// Consecutive lines that both texts contain.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Run {
    pub(super) recorded0: u32,
    pub(super) open0: u32,
    pub(super) n_lines: u32,
}

impl Run {
    /// The lines after its last one: recorded and open.
    pub(super) fn end(&self) -> (u32, u32) {
        (self.recorded0 + self.n_lines, self.open0 + self.n_lines)
    }

    /// Whether `next` continues this run in both texts.
    pub(super) fn is_continued_by(&self, next: &Self) -> bool {
        self.end() == (next.recorded0, next.open0)
    }
}

/// Pairs of equal units, by the index of a unit in each text.
pub(super) struct Pairs {
    pub(super) open: Vec<Option<usize>>,
    pub(super) recorded: Vec<Option<usize>>,
}

impl Pairs {
    pub(super) fn new(n_recorded: usize, n_open: usize) -> Self {
        Self { open: vec![None; n_recorded], recorded: vec![None; n_open] }
    }

    /// Pairs `n_units` units, and separates them from others.
    pub(super) fn add(&mut self, recorded: usize, open: usize, n_units: usize) {
        for (recorded, open) in (recorded..).zip(open..).take(n_units) {
            if let Some(other) = self.open[recorded].replace(open) {
                self.recorded[other] = None;
            }
            if let Some(other) = self.recorded[open].replace(recorded) {
                self.open[other] = None;
            }
            self.open[recorded] = Some(open);
        }
    }

    /// Whether the unit before is paired with the unit before.
    pub(super) fn continues(&self, recorded: usize, open: usize) -> bool {
        recorded > 0 && open > 0 && self.open[recorded - 1] == Some(open - 1)
    }
}
