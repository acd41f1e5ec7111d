//! Invariants of all profiles: sums that must agree, for every metric and with inlined code at
//! either place, and costs that exports must preserve.

use crate::cases::{self, Case};
use analysis::{Cost, Costs, Groups, LineCost, MetricId, Recording, Total, View, at_call_sites};
use formats::write::{self, Written};
use profile::Profile;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

fn all_cases() -> Vec<Case> {
    cases::fixtures().into_iter().chain(cases::corpus().unwrap_or_default()).collect()
}

fn read(bytes: Vec<u8>) -> Recording {
    formats::read(bytes, formats::Limits::default(), &mut |_| ControlFlow::Continue(()))
        .unwrap()
        .recording
}

#[test]
fn sums_agree() {
    for case in all_cases() {
        let body = read(std::fs::read(&case.profile).unwrap());
        let call_sites = at_call_sites(&body);
        let groups = Groups::identity(body.symbols());
        for metric in (0..body.metrics().len() as u32).map(MetricId::new) {
            let view = View { metric, ..View::of(&body) };
            let [body, call_sites] =
                [("body", &body), ("callSite", &call_sites)].map(|(inlines, recording)| {
                    let costs = analysis::costs(recording, &view, &groups);
                    let what = format!("{}, {}, inlines {inlines}", case.name, costs.metric.name);
                    check_sums(&what, &costs, recording.sampled().is_some());
                    (costs.total, costs.idle, costs.no_stack)
                });
            assert_eq!(
                body, call_sites,
                "{}: where inlined code counts must not change the total",
                case.name
            );
        }
    }
}

fn check_sums(what: &str, costs: &Costs, is_exact: bool) {
    let total = costs.total;
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
    assert_eq!(
        costs.functions().map(|(_, cost)| cost.idle).sum::<f64>(),
        costs.idle,
        "{what}: idle"
    );
    let all = || {
        costs
            .functions()
            .map(|(_, cost)| cost.cost)
            .chain(costs.lines().iter().map(|line| line.cost))
    };
    if all().any(|cost| cost.self_ < 0.0) {
        assert!(costs.base >= total.abs(), "{what}");
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

/// The costs that an export must preserve: the total, functions with a unique name, and lines.
#[derive(Debug, Default, Clone)]
struct Preserved {
    total: f64,
    /// `None` for a name of several functions.
    functions: BTreeMap<String, Option<Cost>>,
    lines: BTreeMap<(String, u32), Cost>,
}

impl Preserved {
    fn of(recording: &Recording) -> Self {
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
    fn differences(&self, found: &Self) -> Vec<String> {
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

#[test]
fn exports_keep_costs() {
    let mut failed = Vec::new();
    for case in all_cases() {
        let recording = read(std::fs::read(&case.profile).unwrap());
        let Some(profile) = recording.sampled() else { continue };
        for metric in (0..recording.metrics().len() as u32).map(MetricId::new) {
            let exported = analysis::apply(profile, &View { metric, ..View::of(&recording) });
            let expected = Preserved::of(&exported.clone().into());
            // A recording without costs is exported to an empty file.
            for (target, write) in TARGETS.iter().filter(|_| !expected.functions.is_empty()) {
                let Written { bytes, lost } = write(&exported);
                if lost.iter().any(|lost| LOST_WEIGHTS.contains(lost)) {
                    continue;
                }
                let mut expected = expected.clone();
                if lost.contains(&"semicolons in names") {
                    expected.functions.retain(|name, _| !name.contains(';'));
                }
                if lost.contains(&PARTS) {
                    expected
                        .functions
                        .values_mut()
                        .flatten()
                        .for_each(|cost| *cost = Cost { total: Total::Unknown, ..*cost });
                }
                let differences = expected.differences(&Preserved::of(&read(bytes)));
                if !differences.is_empty() {
                    eprintln!(
                        "{}, {}, {target}: {differences:#?}\nlost: {lost:?}",
                        case.name,
                        recording.metrics()[metric.index()].name
                    );
                    failed.push((case.name.clone(), *target));
                }
            }
        }
    }
    assert!(failed.is_empty(), "{failed:?}");
}

/// Lost by exporters that split a function by file.
const PARTS: &str = "that functions have code of several files";

/// Lost by exporters that cannot represent the weights.
const LOST_WEIGHTS: [&str; 2] = ["fractions of weights", "weights below zero"];
