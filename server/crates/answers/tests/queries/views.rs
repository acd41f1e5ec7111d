//! Costs under a view. Changing the view later gives the same costs as loading with it.

use crate::support::Project;
use answers::{
    Caches, Environment, ExplainQuestion as Question, ExplainReason as Reason, Marks, Settings,
    Snapshot, ViewSettings, explain, hottest_functions, index_sources, renew,
};
use profile::text_samples;
use serde_json::{Value, json};
use sources::SourceIndex;

const APP: &str = "fn main() {\n    parse();\n}\nfn parse() {\n    hash();\n}\nfn hash() {}\n";

fn load(project: &Project) -> Snapshot {
    let main = "
        main@2[file:app.rs]  main@2
        parse@5[file:app.rs] parse@5
        hash@7[file:app.rs]";
    let worker = "
        main@2[file:app.rs]
        hash@7[file:app.rs]";
    project.load(text_samples::build(&[("main", main, None), ("worker", worker, None)]))
}

fn project(settings: &Value) -> Project {
    Project::new(&[("app.rs", APP)]).with_settings(settings)
}

/// Self and total of each function, by name.
fn functions(snapshot: &Snapshot) -> Vec<String> {
    let functions = hottest_functions(snapshot).into_iter();
    let functions = functions.map(|function| (function, snapshot.costs.function(function).cost));
    let row = |(function, cost): (_, analysis::Cost)| {
        let total = cost.total.exact().unwrap();
        format!("{} {}/{total}", snapshot.function(function).name, cost.self_)
    };
    functions.map(row).collect()
}

#[test]
fn all_threads_are_summed() {
    assert_eq!(functions(&load(&project(&json!({})))), ["main 0/3", "hash 2/2", "parse 1/2"]);
}

#[test]
fn only_chosen_threads_count() {
    let worker = load(&project(&json!({"threads": ["worker"]})));
    assert_eq!(functions(&worker), ["hash 1/1", "main 0/1"]);
}

#[test]
fn a_name_that_matches_nothing_is_ignored_with_a_warning() {
    let snapshot = load(&project(&json!({"threads": ["missing"], "metric": "bytes"})));
    assert_eq!(functions(&snapshot), ["main 0/3", "hash 2/2", "parse 1/2"]);
    assert_eq!(snapshot.grouped.problems.unmatched.len(), 2);
    assert_eq!(snapshot.warnings.len(), 2);
    let messages = |threads: Value| {
        let snapshot = load(&project(&json!({ "threads": threads })));
        snapshot.warnings.iter().map(|warning| warning.message.clone()).collect::<String>()
    };
    assert!(messages(json!(["nobody"])).contains("showing all threads"));
    assert!(messages(json!(["nobody", "main"])).contains("showing the other chosen threads"));
}

/// Applies other settings to a snapshot.
fn renewed(index: &SourceIndex, snapshot: &Snapshot, settings: &Value) -> Snapshot {
    let settings = Settings::parse(settings).0.costs();
    let caches = Caches::default();
    renew(snapshot, Environment { settings: &settings, index, caches: &caches })
}

fn index(project: &Project) -> SourceIndex {
    index_sources(&[project.path("")], &Settings::default().costs().sources)
}

#[test]
fn a_changed_view_maps_and_resolves_nothing_again() {
    let project = project(&json!({}));
    let index = index(&project);
    let all = renewed(&index, &load(&project), &json!({}));
    let worker = renewed(&index, &all, &json!({"threads": ["worker"]}));
    assert_eq!(functions(&worker), ["hash 1/1", "main 0/1"]);
    assert!(std::sync::Arc::ptr_eq(&worker.identified, &all.identified));
    let back = renewed(&index, &worker, &json!({}));
    assert_eq!(functions(&back), functions(&all));
}

#[test]
fn changed_source_settings_map_again() {
    let project = project(&json!({}));
    let all = load(&project);
    let file = all.file_at(&project.path("app.rs"));
    assert!(file.is_some());
    let excluded = renewed(&index(&project), &all, &json!({"exclude": ["*.rs"]}));
    assert_eq!(excluded.file_at(&project.path("app.rs")), None);
    assert!(!std::sync::Arc::ptr_eq(&excluded.identified, &all.identified));
}

#[test]
fn settings_of_labels_do_not_change_costs() {
    let costs = |settings| Settings::parse(&settings).0.costs();
    let default = costs(json!({}));
    for labels in [
        json!({"unit": "both"}),
        json!({"hints": {"show": "self", "minPercent": 5}}),
        json!({"diagnostics": {"enable": true}}),
        json!({"profile": "a.json"}),
    ] {
        assert_eq!(costs(labels), default);
    }
    for view in [
        json!({"metric": "cpu"}),
        json!({"threads": ["a"]}),
        json!({"implementation": "js"}),
        json!({"inlines": "callSite"}),
        json!({"symbols": {"enable": false}}),
        json!({"exclude": ["*.c"]}),
        json!({"sourceRoots": ["/src"]}),
        json!({"pathMappings": [{"from": "/a", "to": "b"}]}),
    ] {
        assert_ne!(costs(view.clone()), default, "{view}");
    }
}

/// The marks of a view.
fn marks(settings: &Value) -> Vec<String> {
    Marks::of(&load(&project(settings))).all()
}

#[test]
fn marks_say_what_is_not_default_about_the_view() {
    assert_eq!(marks(&json!({})), [""; 0]);
    assert_eq!(marks(&json!({"unit": "both", "metric": "samples"})), [""; 0]);
    assert_eq!(marks(&json!({"threads": ["worker"]})), ["1 of 2 threads"]);
    assert_eq!(marks(&json!({"threads": ["worker", "main"]})), [""; 0]);
    // The profile knows neither JavaScript nor inlined functions.
    assert_eq!(marks(&json!({"implementation": "js", "inlines": "callSite"})), [""; 0]);
}

#[test]
fn marks_name_transforms_in_order() {
    let project = project(&json!({"threads": ["main"]}));
    let snapshot = load(&project);
    let transforms = ["focus-function:parse", "merge-function:missing", "drop-node:parse>hash"];
    let view = ViewSettings {
        transforms: transforms.map(|transform| transform.parse().unwrap()).into(),
        ..snapshot.settings.view.clone()
    };
    let marks = Marks::of(&snapshot.with_view(&view));
    let expected =
        ["1 of 2 threads", "focus: parse", "merge: missing (no effect)", "hide node: hash"];
    assert_eq!(marks.all(), expected);
    assert_eq!(marks.summary("samples"), format!("samples · {}", expected.join(" · ")));
}

#[test]
fn a_line_outside_of_the_view_has_its_cost_in_the_explanation() {
    let project = project(&json!({}));
    let snapshot = load(&project);
    let explained = |transforms: &[&str], line: u32| {
        let transforms = transforms.iter().map(|transform| transform.parse().unwrap()).collect();
        let view = ViewSettings { transforms, ..ViewSettings::default() };
        let context = project.context(snapshot.with_view(&view), &["app.rs"]);
        explain(&context, &Question { uri: project.uri("app.rs"), line: line - 1 })
    };
    let focused = explained(&["focus-function:parse"], 2);
    assert_eq!(focused.code, Reason::OutOfView);
    assert_eq!(
        focused.message,
        "the line has no cost in the view (focus: parse); in the whole profile it has \
         self 0.0% (0 samples), total 100.0% (3 samples)"
    );
    assert_eq!(explained(&["focus-function:parse"], 5).code, Reason::Shown);
    assert_eq!(explained(&["focus-function:parse"], 3).code, Reason::NoCost);
    // Without any line of the file in the view.
    assert_eq!(explained(&["drop-function:main"], 7).code, Reason::OutOfView);
    assert_eq!(explained(&["drop-function:main"], 3).code, Reason::NoCost);
    assert_eq!(explained(&[], 3).code, Reason::NoCost);
}
