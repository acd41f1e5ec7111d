//! What makes a comparison fail, what it would take to fail, and what is to blame.

use crate::compare::comparison::{By, Change};
use crate::compare::diff::{Diff, ListBy, Row, Sides, SortBy};
use analysis::FunctionId;
use loading::Snapshot;
use std::collections::HashSet;

/// The smallest change that a comparison can tell from noise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Visible {
    /// The change in percent of the baseline's total.
    pub percent: f64,
    /// The numbers of samples of the baseline and of the profile shown.
    pub samples: [f64; 2],
    /// The bound of noise in standard deviations.
    bound: f64,
}

impl Visible {
    /// How many samples each side needs for a change of `percent` to be more than noise: the variance of
    /// the difference of two numbers of samples is their sum.
    pub fn samples_for(&self, percent: f64) -> f64 {
        2.0 * (self.bound * 100.0 / percent).powi(2)
    }
}

impl Diff {
    /// The change of a row in percent of the baseline's total.
    pub fn percent(&self, change: Change) -> f64 {
        100.0 * self.by.share(change)
    }

    /// Whether the total or the self cost of a row changed by at least `min` percent of the
    /// baseline's total.
    pub fn reaches(&self, row: &Row, min: f64) -> bool {
        let changes = [row.main(), row.self_].into_iter().filter(Change::is_real);
        changes.map(|change| self.percent(change).abs()).any(|percent| percent >= min)
    }

    /// How the total changed, if it certainly grew by more than `most` percent.
    pub fn total_grew(&self, most: f64) -> Option<Change> {
        let change = self.by.total();
        let percent = change.percent().filter(|_| change.is_real())?;
        (percent > most).then_some(change)
    }

    /// Whether a row certainly grew by more than `most` percent of the baseline's total, and by more
    /// than noise. A new function may be an old one with another name, or a part of one, so it grew at
    /// most by as much as the total. Shares of the total do not say how much that is.
    pub fn grew(&self, row: &Row, most: f64) -> bool {
        let total_grew = || {
            let total = self.by.total();
            self.by.by == By::Weight && total.is_real() && self.percent(total) > most
        };
        row.main().is_real()
            && self.percent(row.main()) > most
            && (row.sides == Sides::Both || total_grew())
    }

    /// The functions to blame if a function grew by more than `most` percent of the baseline's total: of
    /// those that did the ones whose self cost grew, the most first. Otherwise what they call costs more:
    /// all functions whose self cost grew, or else the innermost whose total did.
    pub fn culprits(&self, most: f64) -> Vec<&Row> {
        let grew: Vec<&Row> = self.functions.iter().filter(|row| self.grew(row, most)).collect();
        if grew.is_empty() {
            return grew;
        }
        let has_grown = |row: &&Row| row.self_.is_real() && row.self_.change > 0.0;
        let mut culprits: Vec<&Row> = grew.iter().copied().filter(has_grown).collect();
        if culprits.is_empty() {
            culprits.extend(self.functions.iter().filter(has_grown));
        }
        if culprits.is_empty() {
            culprits.extend(grew.into_iter().min_by(|a, b| a.main().now.total_cmp(&b.main().now)));
        }
        culprits.sort_by(|a, b| b.self_.change.total_cmp(&a.self_.change));
        culprits
    }

    /// The function whose self cost changed most, your own before others, in the direction of the total if
    /// that changed.
    pub fn culprit(&self) -> Option<&Row> {
        let total = self.by.total();
        let follows = |row: &&&Row| !total.is_real() || row.self_.change * total.change > 0.0;
        let listed = self.listed(ListBy::Function, SortBy::Self_, |_| true);
        listed.rows.iter().filter(|row| row.self_.is_real()).find(follows).copied()
    }

    /// The smallest change of the total that is more than noise. `None` if costs are exact, or their
    /// noise is not known.
    pub fn visible(&self) -> Option<Visible> {
        self.by.visible().map(|(percent, samples, bound)| Visible { percent, samples, bound })
    }
}

/// The own function that calls a function, directly or through libraries, at the greatest cost; of own
/// code the caller itself. `None` without callers.
pub fn called_by(snapshot: &Snapshot, function: FunctionId) -> Option<FunctionId> {
    let mut seen = HashSet::from([function]);
    let mut at = function;
    loop {
        let callers = snapshot.tree.edges().callers(at).filter(|edge| !seen.contains(&edge.caller));
        at = callers.max_by(|a, b| a.total.total_cmp(&b.total))?.caller;
        seen.insert(at);
        if snapshot.is_own(at) || snapshot.is_own(function) {
            // `(root)` and the like have neither.
            let this = snapshot.function(at);
            return (this.file.is_some() || this.lib.is_some()).then_some(at);
        }
    }
}
