//! Two profiles and what changed between them.

use crate::cli::current_folder::relative;
use crate::cli::warnings;
use answers::labels::{percent_change, totals};
use answers::text::plain;
use answers::{
    CompareBy as By, Diff, LabelScale as Scale, ListBy, Metric, Sides, Snapshot, Unit, Unmatched,
    called_by, units,
};

/// The list says how much of the self cost is not compared if it is more than this part.
const MUCH: f64 = 0.05;

/// A number with two digits that count.
fn rounded_up(number: f64) -> f64 {
    let step = 10_f64.powf((number.log10().floor() - 1.0).max(0.0));
    (number / step).ceil() * step
}

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

    /// `1.98 s → 1.17 s −41% of cpu`.
    pub fn totals(&self) -> String {
        let metric = &self.now.costs.metric;
        let of = if metric.lines.has_self() { self.of_metric() } else { String::new() };
        format!("{}{of}", totals(self.diff.by.total(), metric))
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

    /// The change of the total and what is to blame for it, in one sentence. `None` if no function's self
    /// cost changed.
    ///
    /// `+19%: extra_work (new, lstrlib.c:1273), called by str_format`; without the place if the list has it.
    pub fn verdict(&self, has_place: bool) -> Option<String> {
        if let Some(factor) = self.diff.by.common_factor() {
            return Some(format!(
                "All functions took {factor:.2} times as long; no function's share changed."
            ));
        }
        let row = self.diff.culprit()?;
        let total = self.diff.by.total();
        let percent = percent_change(total).filter(|_| total.is_real());
        let change = match row.sides {
            Sides::After => "new".to_owned(),
            Sides::Before => "gone".to_owned(),
            Sides::Both => {
                let scale = Scale::new(&self.now.costs.metric, self.now.costs.base, Unit::Absolute);
                scale.arrow(self.diff.by.by, row.self_)?
            }
        };
        let place = if has_place { plain(&row.place()).into_owned() } else { String::new() };
        let facts: Vec<_> = [change, place].into_iter().filter(|fact| !fact.is_empty()).collect();
        let name = plain(&row.name);
        let caller = row.function.filter(|_| row.sides != Sides::Before);
        let caller = caller.and_then(|function| called_by(self.now, function));
        let caller = caller.map_or_else(String::new, |caller| {
            format!(", called by {}", plain(self.now.function(caller).name))
        });
        let percent = percent.map_or_else(String::new, |percent| format!("{percent}: "));
        Some(format!("{percent}{name} ({}){caller}", facts.join(", ")))
    }

    /// What the limit of a gate would take to be exceeded, if that is more than the limit: `changes of the
    /// total below 25% cannot be told from noise with 239 and 281 samples; …`.
    pub fn too_few_samples(&self, most: f64) -> Option<String> {
        let visible = self.diff.visible().filter(|visible| visible.percent > most)?;
        let [before, now] = visible.samples.map(|n| units::counted(n.round(), "samples"));
        let before = before.trim_end_matches(" samples");
        let needs = if most > 0.0 {
            let samples = rounded_up(visible.samples_for(most));
            format!(
                "; {most}% needs about {} of each, or more runs (--base, --new)",
                units::counted(samples, "samples")
            )
        } else {
            String::new()
        };
        let least = visible.percent;
        let digits = usize::from(least < 10.0);
        Some(format!(
            "changes of the total below {least:.digits$}% cannot be told from noise with {before} and \
             {now}{needs}"
        ))
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
            ListBy::Function | ListBy::File | ListBy::Label => None,
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
