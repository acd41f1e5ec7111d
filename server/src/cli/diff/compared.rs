//! Two profiles and what changed between them.

use crate::cli::current_folder::relative;
use crate::cli::warnings;
use answers::labels::totals;
use answers::text::plain;
use answers::{
    Change, CompareBy as By, Diff, DiffRow as Row, LabelScale as Scale, ListBy, Metric, Sides,
    Snapshot, Unit, Unmatched, units,
};

/// The list says how much of the self cost is not compared if it is more than this part.
const MUCH: f64 = 0.05;

/// Two profiles and what changed between them.
pub struct Compared<'a> {
    pub before: &'a Snapshot,
    pub now: &'a Snapshot,
    pub diff: &'a Diff,
}

impl Compared<'_> {
    /// `old.pb.gz → new.pb.gz`.
    pub fn names(&self) -> String {
        let [mut before, mut now] = [self.before, self.now].map(|snapshot| snapshot.loaded.name());
        if before == now {
            [before, now] = [self.before, self.now].map(|snapshot| relative(&snapshot.loaded.path));
        }
        format!("{} → {}", plain(&before), plain(&now))
    }

    /// ` of cpu`. Empty if the unit says it.
    pub fn of_metric(&self) -> String {
        let Metric { name, unit, .. } = &self.now.costs.metric;
        if name == unit { String::new() } else { format!(" of {}", plain(name)) }
    }

    /// `1.98 s → 1.17 s −41 % of cpu`.
    pub fn totals(&self) -> String {
        format!("{}{}", totals(self.diff.by.total(), &self.now.costs.metric), self.of_metric())
    }

    /// The warnings that costs of one of the profiles are, or may be, missing.
    pub fn warnings(&self) -> Vec<String> {
        let both = [self.before, self.now].into_iter();
        both.flat_map(warnings::of_missing_costs).collect()
    }

    /// Whether a part of one of the profiles is missing.
    pub fn is_cut(&self) -> bool {
        [self.before, self.now].into_iter().any(warnings::is_cut)
    }

    /// Why no lines can be listed. `None` if both profiles have lines.
    pub fn without_lines(&self) -> Option<String> {
        let has_none = |snapshot: &&Snapshot| snapshot.costs.lines().is_empty();
        let without: Vec<_> = [self.before, self.now].into_iter().filter(has_none).collect();
        match without[..] {
            [] => None,
            [one] => Some(format!("{} has no lines", plain(&one.loaded.name()))),
            [..] => Some("the profiles have no lines".to_owned()),
        }
    }

    /// The change of a row in percent of the baseline's total.
    pub fn percent(&self, row: &Row) -> f64 {
        100.0 * self.diff.by.share(row.main())
    }

    /// Whether the total or the self cost of a row changed by at least `min` percent of the
    /// baseline's total.
    pub fn reaches(&self, row: &Row, min: f64) -> bool {
        let changes = [row.main(), row.self_].into_iter().filter(Change::is_real);
        changes.map(|change| 100.0 * self.diff.by.share(change).abs()).any(|percent| percent >= min)
    }

    /// Whether a row certainly grew by more than `most` percent of the baseline's total, and by more
    /// than noise. A new function may be an old one with another name, or a part of one, so it grew at
    /// most by as much as the total. Shares of the total do not say how much that is.
    pub fn grew(&self, row: &Row, most: f64) -> bool {
        let by = &self.diff.by;
        let total_grew = || {
            let total = by.total();
            by.by == By::Weight && total.is_real() && 100.0 * by.share(total) > most
        };
        row.main().is_real()
            && self.percent(row) > most
            && (row.sides == Sides::Both || total_grew())
    }

    /// The part of the self cost in functions without a known match.
    pub fn unmatched(&self) -> f64 {
        let base = self.now.costs.base;
        if base == 0.0 { 0.0 } else { self.diff.unmatched.own / base }
    }

    /// A sentence that says how much of the self cost is not compared, if it is much.
    pub fn not_compared(&self, by: ListBy) -> Option<String> {
        let is_much = by == ListBy::Function && self.unmatched() > MUCH;
        is_much.then(|| {
            format!(
                "{} of the self cost is not compared: it is not known which functions of the \
                 baseline these are.",
                self.share(self.diff.unmatched.own)
            )
        })
    }

    /// What a list leaves out because it is not known what it is in the other profile.
    pub fn unlisted(&self, by: ListBy) -> Option<String> {
        let no_match = |what: &str| format!("{what} without a known match in the other profile");
        let count = |n: usize, what: &str| units::counted(n as f64, what);
        match by {
            ListBy::Function if self.diff.unmatched != Unmatched::default() => {
                let Unmatched { n_before, n_now, own } = self.diff.unmatched;
                let mut sides = Vec::new();
                if n_now > 0 {
                    let own = self.share(own);
                    sides.push(format!("{} (self {own})", count(n_now, "functions")));
                }
                if n_before > 0 {
                    sides.push(format!("{} in the baseline", count(n_before, "functions")));
                }
                Some(no_match(&sides.join(" and ")))
            }
            ListBy::Line => {
                let without = self.without_lines().filter(|_| self.diff.lines.is_empty());
                let n_files = self.diff.unmatched_files;
                let unknown = (n_files > 0).then(|| count(n_files, "files")).map(|files| {
                    format!("the lines of {files} whose recorded text or functions are not known")
                });
                without.map(|why| format!("all lines: {why}")).or(unknown)
            }
            ListBy::File if self.diff.unresolved_files > 0 => {
                Some(no_match(&count(self.diff.unresolved_files, "files")))
            }
            ListBy::Function | ListBy::File => None,
        }
    }

    /// A self cost of the new profile as a share of its total.
    fn share(&self, own: f64) -> String {
        let now = &self.now.costs;
        Scale::new(&now.metric, now.base, Unit::Percent).weight(own)
    }

    /// How costs are compared, and which changes are omitted.
    pub fn method(&self) -> String {
        let how = match self.diff.by.by {
            By::Weight => "Absolute costs are compared",
            By::Share => "Shares of the total are compared",
        };
        match self.diff.by.bound() {
            _ if self.diff.by.has_spread() => {
                format!("{how}. Changes within the spread of the runs are omitted.")
            }
            Some(bound) => format!(
                "{how}. Changes within noise ({bound:.1} standard deviations of the samples) are \
                 omitted."
            ),
            None => format!("{how}. These costs are exact, or their noise is unknown."),
        }
    }
}
