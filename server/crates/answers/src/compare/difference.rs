//! Whether a profile can be compared with a baseline.

use analysis::{Metric, ThreadChoice, WarningCode};
use loading::{Snapshot, units};

/// Why two recordings cannot be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Difference {
    /// The recordings have different metrics or units.
    Metric,
    /// One recording shows all threads, the other does not.
    Threads,
    /// The baseline ignores the time range, because it has no times.
    Range,
    /// The baseline ignores the view, because it is a call graph.
    Stacks,
    /// The baseline ignores the transform with this number, which focuses on something. Ignoring another
    /// kind is right: there is nothing that it would change.
    Focus(usize),
    /// The baseline has no costs.
    NoCosts,
}

impl Difference {
    /// Why the costs of `now` cannot be compared with those of `before`, if they cannot.
    pub fn between(before: &Snapshot, now: &Snapshot) -> Option<Self> {
        let [was, is] = [before, now].map(|snapshot| &snapshot.costs.metric);
        let shows_all = |snapshot: &Snapshot| snapshot.grouped.view.threads == ThreadChoice::All;
        let has = |snapshot: &Snapshot, code| {
            snapshot.grouped.problems.unmatched.iter().any(|it| it.code == code)
        };
        let is_only_before = |code| has(before, code) && !has(now, code);
        if !was.is_comparable(is) {
            Some(Self::Metric)
        } else if shows_all(before) != shows_all(now) {
            Some(Self::Threads)
        } else if is_only_before(WarningCode::NoTimes) {
            Some(Self::Range)
        } else if is_only_before(WarningCode::NoStacks) {
            Some(Self::Stacks)
        } else if let Some(at) = ignored_focus(before, now) {
            Some(Self::Focus(at))
        } else {
            (before.costs.total == 0.0 && before.costs.metric.lines.has_self() || before.is_empty())
                .then_some(Self::NoCosts)
        }
    }

    pub fn message(self, before: &Snapshot, now: &Snapshot) -> String {
        let [path, other] = [before, now].map(|snapshot| snapshot.loaded.path.display());
        let [was, is] = [before, now].map(|snapshot| {
            let Metric { name, unit, .. } = &snapshot.costs.metric;
            if name == unit { format!("`{name}`") } else { format!("`{name}` ({unit})") }
        });
        let [was, is] = match [before, now].map(|side| side.costs.metric.seconds_per_unit) {
            [Some(each_was), Some(each_is)] if was == is => [(was, each_was), (is, each_is)]
                .map(|(metric, each)| format!("{metric} of {}", units::duration(each))),
            _ => [was, is],
        };
        let why = match self {
            Self::Metric => {
                format!("it measures {was}, not {is}; choose a baseline with the same metric")
            }
            Self::Threads => {
                "only one of them has the chosen threads; show all threads, or choose another \
                 baseline"
                    .to_owned()
            }
            Self::Range => {
                "it has no times for the chosen range; show the whole time, or choose another \
                 baseline"
                    .to_owned()
            }
            Self::Stacks => {
                "it is a call graph, to which transforms, ranges, searches and own code do \
                             not apply; show all costs, or choose another baseline"
                    .to_owned()
            }
            Self::Focus(at) => format!(
                "`{}` matches nothing in it; undo this transform, or choose another baseline",
                before.grouped.view.transforms[at]
            ),
            Self::NoCosts => {
                format!("it has no costs in {is} for the threads shown; choose another baseline")
            }
        };
        format!("{path}: cannot be compared with {other}: {why}")
    }
}

/// The first transform that focuses on something and is ignored in `before`, but not in `now`.
fn ignored_focus(before: &Snapshot, now: &Snapshot) -> Option<usize> {
    let ignored =
        |snapshot: &Snapshot, at: &usize| snapshot.grouped.problems.ignored_transforms.contains(at);
    let transforms = before.grouped.view.transforms.iter().enumerate();
    let mut focuses = transforms.filter(|(_, it)| it.kind.is_focus()).map(|(at, _)| at);
    focuses.find(|at| ignored(before, at) && !ignored(now, at))
}
