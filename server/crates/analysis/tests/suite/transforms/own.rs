//! Own code: the cost of everything else goes to the own function that called it.

use crate::transforms::V1;
use analysis::{Addresses, CallTree, Charges, Costs, FunctionId, View, costs, reshape};
use profile::{Groups, Recording, text_samples};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The costs if only the functions of these names are own code.
fn own(names: &[&str], transforms: &[&str]) -> Costs {
    own_with_warnings(names, transforms).0
}

fn own_with_warnings(names: &[&str], transforms: &[&str]) -> (Costs, Vec<String>) {
    let recording = Recording::Stacks(text_samples::profile(V1));
    let groups = Groups::identity(recording.symbols());
    let symbols = recording.symbols();
    let own = symbols.funcs.ids().filter(|func| names.contains(&symbols.func_name(*func)));
    let own: Vec<FunctionId> = own.map(|func| groups.function(func)).collect();
    let view = View {
        own: Some(Arc::new(own.into_iter().collect())),
        transforms: transforms.iter().map(|text| text.parse().unwrap()).collect(),
        ..View::of(&recording)
    };
    let reshaped = reshape(&recording, &view, &groups, &Addresses::default()).unwrap();
    let warnings = reshaped.problems.warnings.into_iter().map(|warning| warning.message);
    (costs(&reshaped.recording, &view, &reshaped.groups), warnings.collect())
}

/// Line and self cost.
fn lines(costs: &Costs) -> Vec<(u32, f64)> {
    let lines = costs.lines().iter().filter(|line| line.cost.self_ != 0.0);
    lines.map(|line| (line.line, line.cost.self_)).collect()
}

#[test]
fn a_library_is_charged_to_the_lines_that_call_it() {
    // `hash` is called from 22 twice and from 33 once.
    let costs = own(&["main", "parse", "eval"], &[]);
    assert_eq!(costs.total, 6.0);
    assert_eq!(lines(&costs), [(13, 1.0), (22, 2.0), (23, 1.0), (33, 1.0), (34, 1.0)]);
}

#[test]
fn samples_without_own_code_are_dropped() {
    let costs = own(&["hash"], &[]);
    assert_eq!((costs.total, costs.base), (3.0, 3.0));
    assert_eq!(lines(&costs), [(5, 2.0), (6, 1.0)]);
}

#[test]
fn transforms_see_own_code() {
    // `hash` is not shown, so there is nothing to focus on.
    let (costs, warnings) = own_with_warnings(&["main", "parse"], &["focus-function:hash"]);
    assert_eq!(costs.total, 0.0);
    assert_eq!(warnings, ["no stack is left by `focus-function:hash`; nothing is shown"]);
    // The self cost of `parse` has that of the libraries that it calls.
    let (costs, _) = own_with_warnings(&["main", "parse"], &["focus-self:parse"]);
    assert_eq!(costs.total, 3.0);
    // A path of the tree that is shown.
    let (costs, _) = own_with_warnings(&["main", "hash"], &["focus-subtree:main>hash"]);
    assert_eq!(costs.total, 3.0);
    // Charged to `parse` twice; the sample with `eval` alone goes to `main`.
    let costs = own(&["main", "parse"], &["drop-function:none"]);
    assert_eq!(lines(&costs), [(12, 2.0), (13, 1.0), (22, 2.0), (23, 1.0)]);
}

/// What own functions are charged, by name, and their lines.
fn charges(names: &[&str]) -> (BTreeMap<String, f64>, BTreeMap<u32, f64>) {
    let recording = Arc::new(Recording::Stacks(text_samples::profile(V1)));
    let (symbols, view) = (recording.symbols(), View::of(&recording));
    let groups = Arc::new(Groups::identity(symbols));
    let name = |function| symbols.func_name(groups.first_func(function)).to_owned();
    let own = groups.functions().filter(|&function| names.contains(&&*name(function))).collect();
    let costs = costs(&recording, &view, &groups);
    let tree = CallTree::new(recording.clone(), view, groups.clone());
    let Charges { functions, lines } = tree.charges(&costs, &own);
    let functions = functions.into_iter().map(|(function, charge)| (name(function), charge));
    (functions.collect(), lines.into_iter().map(|((_, line), charge)| (line, charge)).collect())
}

#[test]
fn a_charge_is_the_self_cost_in_a_view_of_own_code() {
    let (functions, on_lines) = charges(&["main", "parse", "eval"]);
    let costs = own(&["main", "parse", "eval"], &[]);
    assert_eq!(on_lines, lines(&costs).into_iter().collect());
    // `main` alone is one of the six samples; `hash` is not own code.
    let expected = [("eval", 2.0), ("main", 1.0), ("parse", 3.0)];
    assert_eq!(functions, expected.map(|(name, charge)| (name.to_owned(), charge)).into());
    // Three samples have none.
    let (functions, on_lines) = charges(&["hash"]);
    assert_eq!(functions, [("hash".to_owned(), 3.0)].into());
    assert_eq!(on_lines, [(5, 2.0), (6, 1.0)].into());
}
