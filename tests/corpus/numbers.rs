//! Sums that must agree in every recording, and costs that every export must preserve. Also the oracle
//! of `tests/fuzz`.

use analysis::{Cost, Costs, Groups, LineCost, MetricId, Recording, Total, View};
use formats::write::{self, Written};
use profile::{GraphAccess as _, Profile, StackAccess as _};
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// 2^53: all whole numbers below it are exact.
const MOST_EXACT: f64 = 9_007_199_254_740_992.0;

/// Panics if the sums over functions, lines and threads do not agree with the total, or if for weights
/// that are not negative a self cost exceeds its total, or a total that of the profile. Sums of whole
/// weights of samples are exact, as long as a number can hold them. Without self costs, as of line_profiler,
/// there is nothing to add up.
pub fn check_sums(what: &str, costs: &Costs, recording: &Recording, metric: MetricId) {
    let total = costs.total;
    let mut selves = costs.functions().map(|(_, cost)| cost.cost.self_);
    let is_exact = recording.sampled().is_some()
        && total.abs() < MOST_EXACT
        && selves.all(|weight| weight.fract() == 0.0);
    let assert_total = |sum: f64, of: &str| {
        let agrees = if is_exact { sum == total } else { (sum - total).abs() <= 1e-9 * costs.base };
        assert!(agrees, "{what}: {of} add up to {sum}, not {total}");
    };
    assert_total(costs.functions().map(|(_, cost)| cost.cost.self_).sum(), "functions");
    assert_total(
        costs.lines().iter().map(|line| line.cost.self_).sum::<f64>() + costs.no_line,
        "lines and `no_line`",
    );
    if !costs.threads.is_empty() {
        assert_total(costs.threads.iter().map(|thread| thread.total).sum(), "threads");
    }
    let idle = costs.functions().map(|(_, cost)| cost.idle).sum::<f64>();
    let agrees = if is_exact {
        idle == costs.idle
    } else {
        (idle - costs.idle).abs() <= 1e-9 * costs.base.max(idle.abs())
    };
    assert!(agrees, "{what}: idle adds up to {idle}, not {}", costs.idle);
    let all = || {
        costs
            .functions()
            .map(|(_, cost)| cost.cost)
            .chain(costs.lines().iter().map(|line| line.cost))
    };
    if has_negative_weights(recording, metric) {
        assert!(costs.base >= total.abs(), "{what}");
        return;
    }
    if !costs.metric.lines.has_self() {
        assert_eq!((costs.base, total), (0.0, 0.0), "{what}");
        assert!(all().all(|cost| cost.self_ == 0.0), "{what}");
        return;
    }
    assert_eq!(costs.base, total, "{what}");
    let slack = if is_exact { 0.0 } else { 1e-9 * total };
    for cost in all() {
        let (min, max) = match cost.total {
            Total::Exact(weight) => (weight, weight),
            Total::Bounded { min, max } => (min, max),
            Total::Estimated(_) | Total::Unknown => continue,
        };
        assert!(
            cost.self_ <= min + slack && min <= max && max <= total + slack,
            "{what}: {cost:?} of {total}"
        );
    }
}

/// Whether anything has a weight below zero, such as memory that was freed.
pub fn has_negative_weights(recording: &Recording, metric: MetricId) -> bool {
    let metric = metric.index();
    match recording {
        Recording::Stacks(profile) => profile.samples().iter().any(|samples| {
            let weights = &samples.weights()[metric];
            (0..samples.len()).any(|row| weights.get(row) < 0.0)
        }),
        Recording::Graph(graph) => {
            let weights = graph.tables().own.iter().map(|own| &own.weights);
            weights.into_iter().any(|weights| weights.get(metric).is_some_and(|w| *w < 0.0))
        }
    }
}

/// The costs that an export must preserve: the total, functions with a unique name, and lines.
#[derive(Debug, Default, Clone)]
pub struct Preserved {
    total: f64,
    /// `None` for a name of several functions.
    functions: BTreeMap<String, Option<Cost>>,
    lines: BTreeMap<(String, u32), Cost>,
}

impl Preserved {
    /// The costs of a recording.
    pub fn of(recording: &Recording) -> Self {
        let (symbols, groups) = (recording.symbols(), Groups::identity(recording.symbols()));
        let costs = analysis::costs(recording, &View::of(recording), &groups);
        let mut by_name: BTreeMap<String, Vec<Cost>> = BTreeMap::new();
        for (function, cost) in costs.functions().filter(|(_, cost)| cost.cost.magnitude() > 0.0) {
            by_name
                .entry(symbols.func_name(groups.first_func(function)).to_owned())
                .or_default()
                .push(cost.cost);
        }
        let unique = |costs: Vec<Cost>| costs.first().filter(|_| costs.len() == 1).copied();
        let file = |line: &LineCost| symbols.source_name(groups.first_source(line.file)).to_owned();
        Self {
            total: costs.total,
            functions: by_name.into_iter().map(|(name, costs)| (name, unique(costs))).collect(),
            lines: costs.lines().iter().map(|line| ((file(line), line.line), line.cost)).collect(),
        }
    }

    /// The costs that are missing or different in `found`. Totals that are unknown on one side are
    /// not compared. Formats have their own units, so all weights may differ by the same power of
    /// 1000.
    pub fn differences(&self, found: &Self) -> Vec<String> {
        let close = |a: f64, b: f64| (a - b).abs() <= 1e-9 * self.total.abs();
        let units = [1.0, 1e3, 1e-3, 1e6, 1e-6, 1e9, 1e-9];
        let unit =
            units.into_iter().find(|unit| close(self.total, found.total * unit)).unwrap_or(1.0);
        let same = |a: &Cost, b: &Cost| {
            let totals = a.total.exact().zip(b.total.exact());
            close(a.self_, b.self_ * unit) && totals.is_none_or(|(a, b)| close(a, b * unit))
        };
        let mut differences = Vec::new();
        if !close(self.total, found.total * unit) {
            differences.push(format!("the total was {} and is {}", self.total, found.total));
        }
        for (name, cost) in &self.functions {
            match (cost, found.functions.get(name)) {
                // Exporters extend names to make them unique.
                (None, _) | (_, Some(None)) => {}
                (Some(cost), Some(Some(now))) if same(cost, now) => {}
                (_, None) if found.has_longer(name) => {}
                (_, now) => differences.push(format!("{name} was {cost:?} and is {now:?}")),
            }
        }
        for (place, cost) in &self.lines {
            match found.lines.get(place) {
                Some(now) if same(cost, now) => {}
                now => differences.push(format!("{place:?} was {cost:?} and is {now:?}")),
            }
        }
        differences
    }
}

impl Preserved {
    /// Whether there are extended forms of a name: with the library (`f [libc.so.6]`) or the line
    /// (`f:12`), for several functions with this name.
    fn has_longer(&self, name: &str) -> bool {
        let longer = self
            .functions
            .range(name.to_owned()..)
            .take_while(|(other, _)| other.starts_with(name));
        longer
            .filter_map(|(other, _)| other.strip_prefix(name))
            .any(|rest| rest.starts_with(" [") || rest.starts_with(':'))
    }
}

type Writer = fn(&Profile) -> Written;

const TARGETS: [(&str, Writer); 5] = [
    ("folded", |profile| write::folded::write(profile, write::folded::Frames::WithLines)),
    ("speedscope", write::speedscope::write),
    ("Firefox", write::firefox::write),
    ("pprof", write::pprof::write),
    ("callgrind", |profile| write::callgrind::write(&analysis::call_graph(profile))),
];

/// The differences between the costs of a profile and those of its exports, read again, by format. A
/// profile without costs is exported to an empty file, which is not read.
pub fn changed_by_exports(
    exported: &Profile,
) -> Vec<(&'static str, Vec<String>, Vec<&'static str>)> {
    let expected = Preserved::of(&exported.clone().into());
    let mut changed = Vec::new();
    for (target, write) in TARGETS.iter().filter(|_| !expected.functions.is_empty()) {
        let Written { bytes, lost } = write(exported);
        if lost.iter().any(|lost| LOST_WEIGHTS.contains(lost)) {
            continue;
        }
        let mut expected = expected.clone();
        if lost.contains(&"semicolons in names") {
            expected.functions.retain(|name, _| !name.contains(';'));
        }
        if lost.contains(&"names that read like threads") {
            expected.functions.retain(|name, _| !name.starts_with("thread ("));
        }
        // Then some names are read as others, which may exist, too.
        if lost.contains(&"names that read like places") {
            continue;
        }
        if lost.contains(&PARTS) {
            expected
                .functions
                .values_mut()
                .flatten()
                .for_each(|cost| *cost = Cost { total: Total::Unknown, ..*cost });
        }
        let limits = formats::Limits::default();
        let again = formats::read(bytes.clone(), limits, &mut |_| ControlFlow::Continue(()));
        let differences = match again {
            Ok(read) => expected.differences(&Preserved::of(&read.recording)),
            // Lines with one frame prove little, so short texts may be unrecognized.
            Err(error) if error.kind == formats::ErrorKind::Unrecognised => continue,
            Err(error) => vec![format!("{error}: {}", String::from_utf8_lossy(&bytes))],
        };
        if !differences.is_empty() {
            changed.push((*target, differences, lost));
        }
    }
    changed
}

/// Lost by exporters that split a function by file.
const PARTS: &str = "that functions have code of several files";

/// Lost by exporters that cannot represent the weights.
const LOST_WEIGHTS: [&str; 2] = ["fractions of weights", "weights below zero"];
