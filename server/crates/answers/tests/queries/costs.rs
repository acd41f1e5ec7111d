//! What lines and functions cost: hints, lenses, diagnostics, symbols.

use crate::support::Project;
use answers::{Context, function_costs, hot_places, line_costs, symbols};
use expect_test::{Expect, expect};
use profile::{Frame, Func, Metric, ProfileBuilder, Samples, Thread, Weights, text_samples};
use serde_json::{Value, json};
use std::fmt::Write as _;

const APP: &str = "\
fn main() {
    parse();
    parse();
}

fn parse() {
    hash();
}

fn hash() {}
";

/// Four samples: three in parse, two of them in hash; one in main itself.
const SAMPLES: &str = "
main@2[file:app.rs]  main@2         main@3    main@3
parse@7[file:app.rs] parse@7        parse@6
hash@10[file:app.rs] hash@10";

fn project() -> Project {
    Project::new(&[("app.rs", APP)])
}

fn context(project: &Project) -> Context {
    project.context(project.load(text_samples::profile(SAMPLES)), &["app.rs"])
}

fn hints(context: &Context, project: &Project) -> String {
    let mut out = String::new();
    for hint in line_costs(context, &project.uri("app.rs"), 0..u32::MAX) {
        let position = hint.position;
        writeln!(out, "{}:{} {}", position.line0 + 1, position.column0, hint.label).unwrap();
    }
    out
}

fn lenses(context: &Context, project: &Project) -> String {
    let mut out = String::new();
    for lens in function_costs(context, &project.uri("app.rs")) {
        writeln!(out, "{} {}", lens.line0 + 1, lens.title).unwrap();
    }
    out
}

fn check(actual: &str, expected: &Expect) {
    expected.assert_eq(actual);
}

#[test]
fn a_hint_stands_at_the_end_of_each_line_with_cost() {
    let project = project();
    check(
        &hints(&context(&project), &project),
        &expect![[r#"
            2:12 50.0% total
            3:12 50.0%
            6:12 25.0% total
            7:11 50.0%
            10:12 50.0% total
        "#]],
    );
}

#[test]
fn hints_of_a_range_are_those_of_its_lines() {
    let lines = |range| {
        let project = project();
        let hints = line_costs(&context(&project), &project.uri("app.rs"), range);
        hints.iter().map(|hint| hint.position.line0).collect::<Vec<_>>()
    };
    assert_eq!(lines(2..6), [2, 5]);
    assert_eq!(lines(3..3), [0; 0]);
}

#[test]
fn a_lens_stands_on_the_line_of_each_function_with_cost() {
    let project = project();
    check(
        &lenses(&context(&project), &project),
        &expect![[r#"
            1 self 25.0% (1 sample) · total 100.0% (4 samples)
            6 self 25.0% (1 sample) · total 75.0% (3 samples)
            10 self 50.0% (2 samples) · total 50.0% (2 samples)
        "#]],
    );
}

#[test]
fn settings_choose_what_hints_and_lenses_say() {
    let settings = json!({
        "hints": {"show": "both", "minPercent": 50}, "unit": "absolute", "lenses": {"minPercent": 80}
    });
    let project = project().with_settings(&settings);
    let context = context(&project);
    check(
        &hints(&context, &project),
        &expect![[r#"
            2:12 2 samples total
            3:12 2 samples · self 1 sample
            7:11 2 samples total
            10:12 2 samples total · self 2 samples
        "#]],
    );
    check(
        &lenses(&context, &project),
        &expect![[r#"
            1 self 25.0% (1 sample) · total 100.0% (4 samples)
        "#]],
    );
    let off = json!({"hints": {"enable": false}, "lenses": {"enable": false}});
    let project = self::project().with_settings(&off);
    let context = self::context(&project);
    assert_eq!((hints(&context, &project), lenses(&context, &project)), <_>::default());
}

#[test]
fn hints_and_lenses_carry_raw_weights_and_heat() {
    let project = project();
    let context = context(&project);
    let uri = project.uri("app.rs");
    let hint = &line_costs(&context, &uri, 5..6)[0];
    assert_eq!(
        without_added(json!(hint.data)),
        json!({"v": 1, "self": 1, "total": 1, "unit": "samples", "metric": "samples", "tier": 3,
               "line0": 5, "uri": uri})
    );
    let lens = &function_costs(&context, &uri)[2];
    assert_eq!(
        without_added(json!(lens.data)),
        json!({"v": 1, "self": 2, "total": 2, "unit": "samples", "metric": "samples", "tier": 3,
               "func": {"name": "hash", "file": "app.rs", "lib": null}, "line0": 9, "uri": uri})
    );
}

/// The keys that are compared here.
fn without_added(mut data: Value) -> Value {
    let keys = ["v", "self", "total", "unit", "metric", "tier", "line0", "uri", "func"];
    data.as_object_mut().unwrap().retain(|key, _| keys.contains(&key.as_str()));
    data
}

#[test]
fn tiers_begin_at_one_five_and_twenty_percent() {
    let cost = |total| analysis::Cost { self_: 0.0, total: analysis::Total::Exact(total) };
    let tier = |total| answers::weight::tier(cost(total), 1000.0);
    assert_eq!([9.9, 10.0, 49.9, 50.0, 199.9, 200.0].map(tier), [0, 1, 1, 2, 2, 3]);
    assert_eq!(answers::weight::tier(cost(1.0), 0.0), 0);
}

#[test]
fn diagnostics_are_the_hottest_lines_and_functions_in_order_of_the_text() {
    let settings = json!({"diagnostics": {"enable": true, "maxPerFile": 4, "minPercent": 50}});
    let project = project().with_settings(&settings);
    let places = hot_places(&context(&project), &project.uri("app.rs"));
    let shown: Vec<_> = places
        .iter()
        .map(|place| {
            let start = place.range.start;
            format!("{}:{} {}", start.line0 + 1, start.column0, place.message)
        })
        .collect();
    check(
        &shown.join("\n"),
        &expect![[r#"
            1:0 hot function main: self 25.0% (1 sample) · total 100.0% (4 samples)
            2:4 hot line: 50.0%
            3:4 hot line: 50.0%
            6:0 hot function parse: self 25.0% (1 sample) · total 75.0% (3 samples)"#]],
    );
    let off = self::project();
    assert_eq!(hot_places(&context(&off), &off.uri("app.rs")), []);
}

#[test]
fn symbols_answer_dollar_queries_only() {
    let project = project();
    let context = context(&project);
    let names = |query| -> Option<Vec<String>> {
        let symbols = symbols(&context, query)?.into_iter();
        Some(symbols.map(|symbol| symbol.name).collect())
    };
    assert_eq!(names("main"), None);
    assert_eq!(
        names("$").unwrap(),
        ["$50.0% · self 50.0% hash", "$100.0% · self 25.0% main", "$75.0% · self 25.0% parse"]
    );
    assert_eq!(names("$HA").unwrap(), ["$50.0% · self 50.0% hash"]);
    let place = &symbols(&context, "$parse").unwrap()[0].place;
    assert_eq!((place.uri.clone(), place.range.start.line0), (project.uri("app.rs"), 5));
}

#[test]
fn recursion_counts_once_per_sample() {
    let text = "fn f() {\n    f();\n}\n";
    let project = Project::new(&[("app.rs", text)]);
    let samples = "f@2[file:app.rs] f@2\nf@2\nf@1";
    let snapshot = project.load(text_samples::profile(samples));
    let context = project.context(snapshot, &["app.rs"]);
    check(
        &(hints(&context, &project) + &lenses(&context, &project)),
        &expect![[r#"
            1:8 50.0% total
            2:8 100.0%
            1 self 100.0% (2 samples) · total 100.0% (2 samples)
        "#]],
    );
}

#[test]
fn closures_without_a_name_have_a_lens_only_on_a_line_of_their_own() {
    let text = "\
function main() { run(() => cold(), () => hot()); }
function other() {
  run(
    () => cold(), () => hot(),
  );
}
";
    let settings = json!({"lenses": {"closures": true}});
    let project = Project::new(&[("app.js", text)]).with_settings(&settings);
    // Line 1 has `main` and two closures, line 4 has two closures. Columns are 1-based.
    let mut builder = ProfileBuilder::new(vec![Metric::new("samples", "samples", None)], 0);
    let mut stacks = Vec::new();
    let source = Some(builder.intern_source("app.js").unwrap());
    for (name, line, column, n_samples) in
        [("main", 1, 1, 1), ("", 1, 23, 2), ("", 1, 37, 3), ("", 4, 5, 5), ("", 4, 19, 4)]
    {
        let name = builder.intern_string(name).unwrap();
        let func = builder.intern_func(Func { name, source, lib: None, line, column }).unwrap();
        let frame = Frame { column, ..Frame::new(func, line) };
        let frame = builder.intern_frame(frame).unwrap();
        let stack = builder.intern_stack(None, frame).unwrap();
        stacks.extend(std::iter::repeat_n(Some(stack), n_samples));
    }
    builder.push_thread(Thread::default(), Samples::new(stacks, vec![Weights::Ones])).unwrap();
    let context = project.context(project.load(builder.build()), &["app.js"]);
    let lenses = function_costs(&context, &project.uri("app.js"));
    let lenses: Vec<_> = lenses.iter().map(|lens| (lens.line0 + 1, lens.title.as_str())).collect();
    // 1 and 5 of 15 samples.
    assert_eq!(
        lenses,
        [
            (1, "self 6.7% (1 sample) · total 6.7% (1 sample)"),
            (4, "self 33.3% (5 samples) · total 33.3% (5 samples)"),
        ]
    );
}

#[test]
fn inlined_code_has_its_cost_in_its_body_or_at_its_call() {
    let samples = "main@2[file:app.rs]\nparse@7[file:app.rs][inl]";
    let hints = |settings: Value| {
        let project = project().with_settings(&settings);
        let snapshot = project.load(text_samples::profile(samples));
        hints(&project.context(snapshot, &["app.rs"]), &project)
    };
    assert_eq!(hints(json!({})), "2:12 100.0% total\n7:11 100.0% total\n");
    assert_eq!(hints(json!({"inlines": "callSite"})), "2:12 100.0% total\n");
}

#[test]
fn idle_samples_cost_nothing() {
    let project = project();
    let samples = "
        main@2[file:app.rs]  main@3
        parse@7[file:app.rs] wait[lib:libc.so.6][idle]";
    let context = project.context(project.load(text_samples::profile(samples)), &["app.rs"]);
    assert_eq!(hints(&context, &project), "2:12 100.0% total\n7:11 100.0% total\n");
}

#[test]
fn a_function_whose_start_is_unknown_has_its_lens_on_its_first_line_with_cost() {
    let project = Project::new(&[("app.asm", "main:\n  nop\n  call parse\n  ret\n")]);
    let samples = "main@3[file:app.asm] main@4";
    let context = project.context(project.load(text_samples::profile(samples)), &["app.asm"]);
    let lenses = function_costs(&context, &project.uri("app.asm"));
    assert_eq!(lenses.iter().map(|lens| lens.line0 + 1).collect::<Vec<_>>(), [3]);
}
