//! Parts of a function that run in frames of their own. In these samples `f/comp` is a block of the
//! function `f`, and `f/body` its body.
#![allow(
    clippy::unwrap_used,
    clippy::format_push_string,
    reason = "in tests a panic is the message"
)]

use analysis::{
    Addresses, CallNodes, CallTree, PathStep, Recursion, TreeOrder, View, costs, reshape,
};
use profile::{
    FileId, FuncRole, FunctionId, Groups, Profile, Recording, Samples, StackAccess, text_samples,
};
use std::sync::Arc;

/// `crunch` has a comprehension that calls `len`.
const COMPREHENSION: &str = "
    main@10[file:a.py]        main@10        main@11
    crunch@2[file:a.py]       crunch@2
    crunch/comp@3[file:a.py]  crunch/comp@3
    len@1[file:x.py]
";

/// `f` calls `each`, which calls a block of `f`, which calls `g`.
const BLOCK: &str = "
    main@10[file:a.rb]   main@10
    f@2[file:a.rb]       f@2
    each@1[file:x.rb]    each@1
    f/block@3[file:a.rb] f/block@3
    g@7[file:a.rb]
";

/// The comprehension of `f` calls `f` again.
const RECURSION: &str = "
    main@10[file:a.py]   main@10
    f@2[file:a.py]       f@2
    f/comp@3[file:a.py]  f/comp@3
    f@2                  len@1[file:x.py]
    f/comp@3
    len@1[file:x.py]
";

struct Case {
    recording: Arc<Recording>,
    groups: Arc<Groups>,
}

impl Case {
    fn new(profile: Profile) -> Self {
        let symbols = profile.symbols();
        let part = |func| symbols.func_name(func).split_once('/');
        let groups = Groups::identity(symbols)
            .with_functions(symbols, |func| {
                Some(part(func).map_or(symbols.func_name(func), |(function, _)| function))
            })
            .with_roles(|func| match part(func) {
                None => FuncRole::Whole,
                Some((_, "body")) => FuncRole::Body,
                Some(_) => FuncRole::Block,
            });
        Self { groups: Arc::new(groups), recording: Arc::new(Recording::Stacks(profile)) }
    }

    fn of(text: &str) -> Self {
        Self::new(text_samples::profile(text))
    }

    fn transformed(text: &str, transform: &str) -> Self {
        let case = Self::of(text);
        let view = View { transforms: vec![transform.parse().unwrap()], ..case.view() };
        let reshaped =
            reshape(&case.recording, &view, &case.groups, &Addresses::default()).unwrap();
        assert_eq!(reshaped.problems.warnings, [], "{transform}");
        Self { groups: Arc::new(reshaped.groups), recording: Arc::new(reshaped.recording) }
    }

    fn view(&self) -> View {
        View::of(&self.recording)
    }

    fn name(&self, function: FunctionId) -> &str {
        let name = self.recording.symbols().func_name(self.groups.first_func(function));
        name.split('/').next().unwrap()
    }

    fn tree(&self) -> CallTree {
        CallTree::new(self.recording.clone(), self.view(), self.groups.clone())
    }

    fn path(&self, names: &str) -> Vec<FunctionId> {
        let find = |name| self.groups.functions().find(|&id| self.name(id) == name).unwrap();
        names.split(' ').map(find).collect()
    }

    fn callers(&self, path: &str) -> String {
        self.step(&self.tree().callers(&self.path(path), Recursion::Collapsed))
    }

    fn callees(&self, path: &str) -> String {
        self.step(&self.tree().callees(&self.path(path), Recursion::Collapsed))
    }

    /// Self cost, then `f total (line: total)`.
    fn step(&self, step: &PathStep) -> String {
        let mut text = step.self_.unwrap().to_string();
        for entry in &step.entries {
            let mark = if entry.recursive { "↻ " } else { "" };
            text += &format!(", {mark}{} {}", self.name(entry.function), entry.total);
            for site in &entry.sites {
                text += &format!(" ({}: {})", site.line, site.total);
            }
        }
        text
    }

    /// The call tree: `f self/total { callees }`.
    fn nodes(&self) -> String {
        let tree = self.tree();
        let text = self.below(tree.call_nodes().unwrap(), None);
        text.trim().trim_matches(['{', '}']).trim().to_owned()
    }

    fn below(&self, nodes: &CallNodes, parent: Option<analysis::CallNodeId>) -> String {
        let node = |id| {
            let node = nodes.get(id);
            let mark = if node.recursive { "↻ " } else { "" };
            let name = self.name(node.function);
            format!("{mark}{name} {}/{}{}", node.self_, node.total, self.below(nodes, Some(id)))
        };
        let children: Vec<_> = nodes.children(parent).map(node).collect();
        if children.is_empty() { String::new() } else { format!(" {{ {} }}", children.join(", ")) }
    }

    /// `f > g total (line: total)`.
    fn edges(&self) -> Vec<String> {
        let tree = self.tree();
        let edges = tree.edges();
        let edge = |edge: &analysis::Edge| {
            let sites =
                edges.sites(edge).iter().map(|site| format!(" ({}: {})", site.line, site.total));
            let sites: String = sites.collect();
            format!("{} > {} {}{sites}", self.name(edge.caller), self.name(edge.callee), edge.total)
        };
        edges.all().iter().map(edge).collect()
    }
}

#[test]
fn a_comprehension_is_its_function() {
    let case = Case::of(COMPREHENSION);
    assert_eq!(case.nodes(), "main 1/3 { crunch 1/2 { len 1/1 } }");
    assert_eq!(case.edges(), ["main > crunch 2 (10: 2)", "crunch > len 1 (3: 1)"]);
    assert_eq!(case.callers("crunch"), "0, main 2 (10: 2)");
    assert_eq!(case.callees("crunch"), "1, len 1 (3: 1)");
    assert_eq!(case.callers("len crunch"), "0, main 1 (10: 1)");
    assert_eq!(case.callees("main"), "1, crunch 2 (10: 2)");
    let file = FileId::new(0);
    assert_eq!(case.step(&case.tree().callers_of_lines(file, &[3])), "0, main 2 (10: 2)");
    let crunch = case.path("crunch")[0];
    let cost = costs(&case.recording, &case.view(), &case.groups).function(crunch).cost;
    assert_eq!((cost.self_, cost.total.exact()), (1.0, Some(2.0)));
}

#[test]
fn a_block_below_another_function_is_no_recursion() {
    let case = Case::of(BLOCK);
    assert_eq!(case.nodes(), "main 0/2 { f 0/2 { each 0/2 { f 1/2 { g 1/1 } } } }");
    assert_eq!(case.callers("f"), "0, main 2 (10: 2)");
    assert_eq!(case.callees("f"), "0, each 2 (2: 2)");
    assert_eq!(case.callees("f each"), "0, f 2 (1: 2)");
    assert_eq!(case.callees("f each f"), "1, g 1 (3: 1)");
    assert_eq!(case.callers("each"), "0, f 2 (2: 2)");

    let tree = case.tree();
    let mut inverted = Vec::new();
    let mut branch = tree.branches(TreeOrder::BottomUp, None).into_iter().next();
    while let Some(next) = branch {
        branch = tree.branches(TreeOrder::BottomUp, Some(&next)).into_iter().next();
        inverted.push((case.name(next.function).to_owned(), tree.is_recursive(&next)));
    }
    let expected = ["f", "each", "f", "main"].map(|name| (name.to_owned(), false));
    assert_eq!(inverted, expected);
}

#[test]
fn a_comprehension_that_calls_its_function_is_recursion() {
    let case = Case::of(RECURSION);
    assert_eq!(case.nodes(), "main 0/2 { f 0/2 { ↻ f 0/1 { len 1/1 }, len 1/1 } }");
    let edges = ["main > f 2 (10: 2)", "f > f 1 (3: 1)", "f > len 2 (3: 2)"];
    assert_eq!(case.edges(), edges);
    assert_eq!(case.callers("f"), "0, main 2 (10: 2), ↻ f 1 (3: 1)");
    assert_eq!(case.callees("f"), "0, len 2 (3: 2), ↻ f 1 (3: 1)");
    assert_eq!(case.callers("len f"), "0, main 2 (10: 2), ↻ f 1 (3: 1)");
    let exact = |path| case.step(&case.tree().callees(&case.path(path), Recursion::Exact));
    assert_eq!(exact("f"), "0, f 1 (3: 1), len 1 (3: 1)");
    assert_eq!(exact("f f"), "0, len 1 (3: 1)");
}

#[test]
fn blocks_nest_and_bodies_do_not() {
    let nested = "f@2[file:a.py]\nf/comp@3[file:a.py]\nf/comp@3\nlen@1[file:x.py]";
    assert_eq!(Case::of(nested).nodes(), "f 0/1 { len 1/1 }");
    let body = "f@2[file:a.rs]\nf/body@3[file:a.rs]\nlen@1[file:x.rs]";
    assert_eq!(Case::of(body).nodes(), "f 0/1 { len 1/1 }");
    // A body that waits for another call of its function.
    let bodies = "f/body@3[file:a.rs]\npoll@1[file:x.rs]\nf/body@3\nf/body@3";
    let case = Case::of(bodies);
    assert_eq!(case.nodes(), "f 0/1 { poll 0/1 { ↻ f 0/1 { ↻ f 1/1 } } }");
    assert_eq!(case.callers("f"), "1, ↻ f 1 (3: 1), ↻ poll 1 (1: 1)");
}

#[test]
fn a_part_without_its_function_is_a_call() {
    // A generator that another function runs.
    let case = Case::of("main@1[file:a.py]\nnext@1[file:x.py]\nf/gen@3[file:a.py]");
    assert_eq!(case.nodes(), "main 0/1 { next 0/1 { f 1/1 } }");
    assert_eq!(case.callers("f"), "0, next 1 (1: 1)");
}

#[test]
fn collapsed_recursion_shows_what_inner_calls_call() {
    // Three samples of `carve` as in a recursive algorithm: 60 in `shuffle`, 30 two calls deep, 10
    // in the first call.
    let case = Case::new(text_samples::weighted(
        "
        carve@4[file:a.py]  carve@4  carve@2
        carve@4             carve@4
        carve@4             carve@2
        carve@3
        shuffle@1[file:x.py]
        ",
        &[60.0, 30.0, 10.0],
    ));
    assert_eq!(case.callees("carve"), "40, shuffle 60 (3: 60), ↻ carve 90 (4: 90)");
    assert_eq!(case.callers("carve"), "100, ↻ carve 90 (4: 90)");
    assert_eq!(case.callers("shuffle carve"), "60, ↻ carve 60 (4: 60)");
    let tree = case.tree();
    assert_eq!(case.step(&tree.callers_of_lines(FileId::new(0), &[3])), "60, ↻ carve 60 (4: 60)");
    let exact = case.step(&tree.callees(&case.path("carve"), Recursion::Exact));
    assert_eq!(exact, "10, carve 90 (4: 90)");
}

#[test]
fn transforms_act_on_calls() {
    for (text, transform, expected) in [
        // Paths are those of the call tree.
        (COMPREHENSION, "focus-subtree:main>crunch>len", "len 1/1"),
        (COMPREHENSION, "focus-subtree:main>crunch", "crunch 1/2 { len 1/1 }"),
        (COMPREHENSION, "merge-node:main>crunch", "main 2/3 { len 1/1 }"),
        (COMPREHENSION, "drop-node:main>crunch>len", "main 1/2 { crunch 1/1 }"),
        (COMPREHENSION, "focus-subtree-inverted:len>crunch>main", "main 1/1"),
        (COMPREHENSION, "focus-self:crunch", "crunch 1/1"),
        (COMPREHENSION, "collapse-function-subtree:crunch", "main 1/3 { crunch 2/2 }"),
        // The block is part of the only call of `f`.
        (BLOCK, "collapse-recursion:f", "main 0/2 { f 0/2 { each 0/2 { f 1/2 { g 1/1 } } } }"),
        (BLOCK, "merge-subtree:main>f>each", "main 0/2 { f 2/2 }"),
        (RECURSION, "collapse-recursion:f", "main 0/2 { f 0/2 { len 2/2 } }"),
        (RECURSION, "collapse-direct-recursion:f", "main 0/2 { f 0/2 { len 2/2 } }"),
        (RECURSION, "focus-subtree:main>f>f", "f 0/1 { len 1/1 }"),
    ] {
        assert_eq!(Case::transformed(text, transform).nodes(), expected, "{transform}");
    }
    // The lines of both frames keep their costs.
    let case = Case::transformed(RECURSION, "collapse-direct-recursion:f");
    let costs = costs(&case.recording, &case.view(), &case.groups);
    let lines = costs.lines_of(FileId::new(0), 2..4).iter();
    let lines: Vec<_> = lines.map(|line| (line.line, line.cost.total.exact())).collect();
    assert_eq!(lines, [(2, Some(2.0)), (3, Some(2.0))]);
}

#[test]
fn parts_are_not_counted_as_calls() {
    let profile = text_samples::profile(COMPREHENSION);
    let counted = profile.with_samples(profile.default_metric(), |_, samples| {
        let stacks: Vec<_> = samples.stacks().collect();
        let n = stacks.len();
        Some(Samples::new(stacks, samples.weights().to_vec()).with_calls(vec![1; n]))
    });
    let case = Case::new(counted);
    let costs = costs(&case.recording, &case.view(), &case.groups);
    let calls = |name| costs.function(case.path(name)[0]).calls;
    // The sample of the comprehension alone is not a call of `crunch`.
    assert_eq!((calls("main"), calls("crunch"), calls("len")), (Some(1), Some(0), Some(1)));
}
