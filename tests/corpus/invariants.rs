//! Invariants of all profiles: sums that must agree, for every metric and with inlined code at
//! either place, and costs that exports must preserve.

use crate::cases::{self, Case};
use crate::numbers::{changed_by_exports, check_sums};
use analysis::{Groups, MetricId, Recording, View, at_call_sites};
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
                    check_sums(&what, &costs, recording, metric);
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

#[test]
fn exports_keep_costs() {
    let mut failed = Vec::new();
    for case in all_cases() {
        let recording = read(std::fs::read(&case.profile).unwrap());
        let Some(profile) = recording.sampled() else { continue };
        for metric in (0..recording.metrics().len() as u32).map(MetricId::new) {
            let exported = analysis::apply(profile, &View { metric, ..View::of(&recording) });
            for (target, differences, lost) in changed_by_exports(&exported) {
                eprintln!(
                    "{}, {}, {target}: {differences:#?}\nlost: {lost:?}",
                    case.name,
                    recording.metrics()[metric.index()].name
                );
                failed.push((case.name.clone(), target));
            }
        }
    }
    assert!(failed.is_empty(), "{failed:?}");
}
