//! Callers and callees along a path.

use crate::support::Project;
use engine::context::Context;
use engine::items::{Direction, Item, ItemPath, root_item};
use engine::query::calls::{Call, calls};
use expect_test::{Expect, expect};
use profile::text_samples;
use serde::Deserialize;
use std::fmt::Write as _;

const APP: &str = "\
fn main() {
    parse();
    eval();
}

fn parse() { hash(); }

fn eval() {
    parse();
    hash();
}

fn hash() {}
";

/// main → parse → hash, main → eval → parse → hash, main → eval → hash, main → eval.
const SAMPLES: &str = "
main@2[file:app.rs]  main@3              main@3                main@3
parse@6[file:app.rs] eval@9[file:app.rs] eval@10               eval@8
hash@13[file:app.rs] parse@6             hash@13
                     hash@13";

fn context(project: &Project) -> Context {
    project.context(project.load(text_samples::profile(SAMPLES)), &["app.rs"])
}

fn root(context: &Context, name: &str) -> Item {
    let snapshot = context.world.snapshot().unwrap();
    let mut functions = snapshot.hottest_functions().into_iter().map(|(function, _)| function);
    let function = functions.find(|&function| snapshot.function(function).name == name).unwrap();
    root_item(context, snapshot, function).unwrap()
}

/// What a client sends back.
fn follow(context: &Context, item: &Item, direction: Direction) -> Vec<Call> {
    let data = serde_json::to_value(&item.data).unwrap();
    calls(context, &ItemPath::deserialize(&data).unwrap(), direction)
}

/// One line per call: name, detail, calling lines.
fn shown(calls: &[Call]) -> String {
    let mut out = String::new();
    for Call { item, ranges } in calls {
        let lines: Vec<_> = ranges.iter().map(|range| range.start.line0 + 1).collect();
        writeln!(out, "{} | {} | {lines:?}", item.name, item.detail).unwrap();
    }
    out
}

fn check(calls: &[Call], expected: &Expect) {
    expected.assert_eq(&shown(calls));
}

#[test]
fn an_item_says_what_and_where_the_function_is() {
    let project = Project::new(&[("app.rs", APP)]);
    let item = root(&context(&project), "eval");
    assert_eq!(item.name, "75.0% eval");
    assert_eq!(item.detail, "costline · app.rs:8 · self 25.0%");
    assert_eq!(item.uri, project.uri("app.rs"));
    assert_eq!((item.range.start.line0, item.range.end.column0), (7, 11));
    let name = item.selection_range;
    assert_eq!((name.start.column0, name.end.column0), (3, 7));
}

#[test]
fn callees_and_own_cost_add_up_to_the_total() {
    let project = Project::new(&[("app.rs", APP)]);
    let context = context(&project);
    let eval = root(&context, "eval");
    // 75 % = 25 % + 25 % + its own 25 %.
    check(
        &follow(&context, &eval, Direction::Outgoing),
        &expect![[r#"
            25.0% parse | costline · app.rs:6 · self 0.0% | [9]
            25.0% hash | costline · app.rs:13 · self 25.0% | [10]
        "#]],
    );
}

#[test]
fn callers_add_up_to_the_total() {
    let project = Project::new(&[("app.rs", APP)]);
    let context = context(&project);
    let hash = root(&context, "hash");
    check(
        &follow(&context, &hash, Direction::Incoming),
        &expect![[r#"
            50.0% parse | costline · app.rs:6 | [6]
            25.0% eval | costline · app.rs:8 | [10]
        "#]],
    );
}

#[test]
fn a_path_keeps_to_the_samples_that_match_it() {
    let project = Project::new(&[("app.rs", APP)]);
    let context = context(&project);
    let hash = root(&context, "hash");
    let parse = &follow(&context, &hash, Direction::Incoming)[0].item;
    // Callers of parse under hash: one sample each, though main calls three samples of eval.
    check(
        &follow(&context, parse, Direction::Incoming),
        &expect![[r#"
            25.0% main | costline · app.rs:1 · starts here 25.0% | [2]
            25.0% eval | costline · app.rs:8 | [9]
        "#]],
    );
    // Turning round starts again at parse itself.
    check(
        &follow(&context, parse, Direction::Outgoing),
        &expect![[r#"
            50.0% hash | costline · app.rs:13 · self 50.0% | [6]
        "#]],
    );
}

#[test]
fn a_recursive_caller_is_outside_the_sum_and_comes_last() {
    let text = "fn main() {\n    f();\n}\n\nfn f() {\n    f();\n}\n";
    let project = Project::new(&[("app.rs", text)]);
    let samples = "
        main@2[file:app.rs] main@2
        f@6[file:app.rs]    f@5
        f@5";
    let context = project.context(project.load(text_samples::profile(samples)), &["app.rs"]);
    check(
        &follow(&context, &root(&context, "f"), Direction::Incoming),
        &expect![[r#"
            100.0% main | costline · app.rs:1 · starts here 100.0% | [2]
            ↻ 50.0% f | costline · app.rs:5 | [6]
        "#]],
    );
}

#[test]
fn functions_without_a_source_have_a_document_that_describes_them() {
    let project = Project::new(&[("app.rs", APP)]);
    let samples = "main@1[file:app.rs]\nmalloc[lib:libc.so.6]";
    let context = project.context(project.load(text_samples::profile(samples)), &[]);
    let malloc = root(&context, "malloc");
    assert_eq!(malloc.uri.scheme(), "costline");
    assert_eq!(malloc.detail, "costline · [libc.so.6] · self 100.0%");
    check(
        &follow(&context, &malloc, Direction::Incoming),
        &expect![[r#"
            100.0% main | costline · app.rs:1 · starts here 100.0% | [1]
        "#]],
    );
}

#[test]
fn items_of_others_and_of_other_profiles_have_no_calls() {
    let project = Project::new(&[("app.rs", APP)]);
    let context = context(&project);
    let mut data = serde_json::to_value(root(&context, "hash").data).unwrap();
    let follow = |data: &serde_json::Value| {
        let path = ItemPath::deserialize(data).ok();
        path.map(|path| calls(&context, &path, Direction::Incoming).len())
    };
    assert_eq!(follow(&data), Some(2));
    data["path"][0]["name"] = "gone".into();
    assert_eq!(follow(&data), Some(0));
    data["v"] = 2.into();
    assert_eq!(follow(&data), Some(0));
    assert_eq!(follow(&serde_json::json!({"file": 1})), None);
}
