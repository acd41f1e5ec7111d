//! The *overlay*: a second cost beside the cost in the profile shown, in another metric of the same
//! profile, or of another profile: `12.3% · 4.00 MiB`.
//!
//! Functions and lines of another profile are matched as those of a baseline
//! ([`crate::compare::baseline`]).

use crate::compare::baseline::{Baseline, Same};
use crate::keys::weight::Weight;
use analysis::{Cost, FileId, FunctionId, Metric, Unmatched, WarningCode};
use loading::text::plain;
use loading::{Show, Snapshot, units};
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;

/// Where the second cost is from.
#[derive(Debug, Clone, Copy)]
pub enum Overlay<'a> {
    /// The profile shown, in another metric.
    Metric(&'a Snapshot),
    /// Another profile.
    Profile(&'a Baseline),
}

/// A second cost. It is not zero.
#[derive(Debug, Clone, Copy)]
pub struct Overlaid<'a> {
    /// The raw cost.
    pub cost: Cost,
    /// Its metric.
    pub metric: &'a Metric,
}

/// A second cost in results.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct OverlayData {
    /// The self cost.
    #[serde(rename = "self")]
    pub self_: Weight,
    /// The total. Null if it is not exact.
    pub total: Option<Weight>,
    /// The unit of both.
    pub unit: String,
    /// The metric of both.
    pub metric: String,
    /// The total, or else the self cost, for display: `4.00 MiB`.
    pub text: String,
}

impl From<Overlaid<'_>> for OverlayData {
    fn from(overlaid: Overlaid<'_>) -> Self {
        let Overlaid { cost, metric } = overlaid;
        Self {
            self_: Weight(cost.self_),
            total: Weight::of_total(cost.total),
            unit: metric.unit.clone(),
            metric: metric.name.clone(),
            text: overlaid.text(Show::Total),
        }
    }
}

impl<'a> Overlaid<'a> {
    /// `None` if the cost is zero.
    pub fn new(cost: Cost, metric: &'a Metric) -> Option<Self> {
        (cost.magnitude() != 0.0).then_some(Self { cost, metric })
    }

    /// The cost in the unit of its metric: the self cost if hints show that or the total is not
    /// exact, or else the total.
    pub fn text(self, show: Show) -> String {
        let weight = match (show, self.cost.total.exact()) {
            (Show::Self_, _) | (_, None) => self.cost.self_,
            (_, Some(total)) => total,
        };
        units::absolute(weight, self.metric)
    }

    /// The text to append to the label of a hint: ` · 4.00 MiB`.
    pub fn hint(self, show: Show) -> String {
        format!(" · {}", self.text(show))
    }

    /// The text to append to the title of a lens: ` · 4.00 MiB alloc_space`.
    pub fn lens(self) -> String {
        let (text, metric) = (self.text(Show::Total), plain(&self.metric.name));
        if self.metric.name == self.metric.unit {
            format!(" · {text}")
        } else {
            format!(" · {text} {metric}")
        }
    }
}

impl<'a> Overlay<'a> {
    /// The overlay of `shown`: another metric of the same profile, or else `profile`.
    pub fn of(shown: &'a Snapshot, profile: Option<&'a Baseline>) -> Option<Self> {
        let metric = shown.overlay.as_deref().map(Self::Metric);
        metric.or_else(|| profile.map(Self::Profile))
    }

    /// The profile that the costs are of.
    pub fn snapshot(self) -> &'a Snapshot {
        match self {
            Self::Metric(snapshot) => snapshot,
            Self::Profile(profile) => &profile.snapshot,
        }
    }

    /// The name to show: `alloc_space`, of another profile `alloc_space of heap.pb.gz`.
    pub fn name(self) -> String {
        let metric = &self.snapshot().costs.metric.name;
        match self {
            Self::Metric(_) => metric.clone(),
            Self::Profile(profile) => format!("{metric} of {}", profile.snapshot.loaded.name()),
        }
    }

    /// The cost of a function of `shown`. `None` if it is zero or the function has no unique match.
    pub fn function(self, shown: &Snapshot, function: FunctionId) -> Option<Overlaid<'a>> {
        let cost = match self {
            Self::Metric(snapshot) => snapshot.costs.function(function).cost,
            Self::Profile(profile) => profile.function(shown, function)?.0,
        };
        Overlaid::new(cost, &self.snapshot().costs.metric)
    }

    /// The functions of the overlay that have no cost in `shown`, the greatest second cost first.
    /// Those without a known match are left out.
    pub fn functions_only_here(self, shown: &Arc<Snapshot>) -> Vec<(FunctionId, Overlaid<'a>)> {
        let snapshot = self.snapshot();
        let is_only_here: Box<dyn Fn(FunctionId) -> bool> = match self {
            Self::Metric(_) => Box::new(|it| shown.costs.function(it).cost.magnitude() == 0.0),
            Self::Profile(_) => {
                let shown = Baseline::new(shown.clone());
                Box::new(move |it| matches!(shown.same(snapshot, it), Same::NoCost | Same::Absent))
            }
        };
        let functions = snapshot.costs.functions().filter(|(it, _)| is_only_here(*it));
        let overlaid = |cost| Overlaid::new(cost, &snapshot.costs.metric);
        let mut only: Vec<_> =
            functions.filter_map(|(it, function)| Some((it, overlaid(function.cost)?))).collect();
        only.sort_by(|a, b| b.1.cost.magnitude().total_cmp(&a.1.cost.magnitude()));
        only
    }

    /// The cost of a line of `shown`: 1-based, in the text that it was recorded from. `None` if it
    /// is zero or the line has no match.
    pub fn recorded_line(self, shown: &Snapshot, file: FileId, line: u32) -> Option<Overlaid<'a>> {
        let cost = match self {
            Self::Metric(snapshot) => snapshot.costs.lines_of(file, line..line + 1).first()?.cost,
            Self::Profile(profile) => profile.recorded_line(shown, file, line)?.0,
        };
        Overlaid::new(cost, &self.snapshot().costs.metric)
    }
}

/// A message if another profile must not be the overlay, because a choice of the view matches nothing
/// in it: its costs would be those of something else. It need not have the metric of the profile shown.
pub fn view_problem(overlay: &Snapshot) -> Option<String> {
    let mut unmatched = overlay.grouped.problems.unmatched.iter();
    let is_metric =
        |code| matches!(code, WarningCode::UnknownMetric | WarningCode::AmbiguousMetric);
    let Unmatched { problem, .. } = unmatched.find(|choice| !is_metric(choice.code))?;
    let path = overlay.loaded.path.display();
    Some(format!("{path}: {problem}; reset that choice, or choose another overlay"))
}

/// The message about an overlay that is neither one metric of `shown` nor a file.
pub fn no_overlay(name: &str, shown: &Snapshot) -> String {
    let found = analysis::find_metric(&shown.loaded.recording, name);
    if let Some(several) = found.err().filter(|error| error.code == WarningCode::AmbiguousMetric) {
        return format!("the overlay `{name}` is not a profile, and {}", several.problem);
    }
    let metrics = shown.loaded.recording.metrics().iter();
    let metrics: Vec<String> = metrics.map(|metric| format!("`{}`", metric.name)).collect();
    format!(
        "the overlay `{name}` is neither a profile nor a metric of {} ({})",
        shown.loaded.name(),
        metrics.join(", ")
    )
}
