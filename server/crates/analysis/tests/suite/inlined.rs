//! A function is inlined at a place, on an edge or on a path if all of its frames there are.

#![allow(clippy::unwrap_used, reason = "in tests a panic is the message")]

use analysis::{CallTree, Recursion, View, costs};
use profile::{FunctionId, Groups, Recording, text_samples};
use std::sync::Arc;

#[test]
fn marks_inlined_code_by_place_edge_and_path() {
    // `step` is inlined into `fold` at line 12 and called by `run` at line 14.
    let profile = text_samples::profile(
        "
        run@4[file:run.rs]          run@5
        fold@90[file:iter.rs][inl]  step@14
        step@12[file:run.rs][inl]
        ",
    );
    let recording = Arc::new(Recording::Stacks(profile));
    let (symbols, groups) = (recording.symbols(), Arc::new(Groups::identity(recording.symbols())));
    let function = |name: &str| {
        groups.functions().find(|f| symbols.func_name(groups.first_func(*f)) == name).unwrap()
    };
    let name = |function: FunctionId| symbols.func_name(groups.first_func(function));
    let view = View::of(&recording);
    let costs = costs(&recording, &view, &groups);
    let places = costs.lines().iter().flat_map(|line| costs.functions_on(line.file, line.line));
    let places: Vec<_> =
        places.map(|place| (name(place.function), place.line, place.inlined)).collect();
    assert_eq!(
        places,
        [
            ("run", 4, false),
            ("run", 5, false),
            ("step", 12, true),
            ("step", 14, false),
            ("fold", 90, true)
        ]
    );
    let tree = CallTree::new(recording.clone(), view, groups.clone());
    let edges: Vec<_> = tree
        .edges()
        .all()
        .iter()
        .map(|edge| (name(edge.caller), name(edge.callee), edge.inlined))
        .collect();
    assert_eq!(edges, [("run", "fold", true), ("run", "step", false), ("fold", "step", true)]);

    let inlined = |entries: Vec<analysis::PathEntry>| {
        entries
            .iter()
            .map(|entry| format!("{} {}", name(entry.function), entry.inlined))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        inlined(tree.callees(&[function("run")], Recursion::Collapsed).entries),
        ["fold true", "step false"]
    );
    assert_eq!(
        inlined(tree.callers(&[function("step")], Recursion::Collapsed).entries),
        ["run false", "fold true"]
    );
}
