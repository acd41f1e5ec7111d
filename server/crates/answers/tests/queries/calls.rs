//! Callers and callees along a path.

use crate::support::{Project, recording, v8};
use answers::{Call, Context, Direction, Item, ItemPath, calls, hottest_functions, root_item};
use expect_test::{Expect, expect};
use profile::{Frame, Func, Lib, Metric, ProfileBuilder, Samples, Thread, Weights, text_samples};
use serde::Deserialize;
use serde_json::json;
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
    let mut functions = hottest_functions(snapshot).into_iter();
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
    // The whole definition, which encloses its calls.
    assert_eq!((item.range.start.line0, item.range.end.line0), (7, 10));
    let name = item.selection_range;
    assert_eq!((name.start.column0, name.end.column0), (3, 7));
}

#[test]
fn callees_and_own_cost_add_up_to_the_total() {
    let project = Project::new(&[("app.rs", APP)]);
    let context = context(&project);
    let eval = root(&context, "eval");
    // 75% = 25% + 25% + its own 25%.
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
    assert_eq!(malloc.data.detail, "[libc.so.6] · self 100.0%");
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

#[test]
fn an_item_does_not_become_another_function_of_its_name() {
    let project = Project::new(&[]);
    let context = |starts: &[(i32, &str)]| {
        let nodes = starts.iter().enumerate().flat_map(|(at, &(line0, caller))| {
            [(caller, 50, 0, None, 0), ("", line0, 4, Some(2 * at), 1)]
        });
        let text = v8("file:///srv/bundle.js", &nodes.collect::<Vec<_>>());
        project.context(project.load(recording(&text)), &[])
    };
    let recorded = context(&[(9, "a"), (29, "b")]);
    let snapshot = recorded.world.snapshot().unwrap();
    let mut functions = snapshot.costs.functions().map(|(function, _)| function);
    let function = functions.find(|&function| snapshot.function(function).line == 30).unwrap();
    let item = root_item(&recorded, snapshot, function).unwrap();
    let callers = |context: &Context| {
        let calls = follow(context, &item, Direction::Incoming);
        calls.iter().map(|call| call.item.name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(callers(&recorded), ["50.0% b"]);
    assert_eq!(callers(&context(&[(10, "a"), (29, "b")])), ["50.0% b"]);
    // Both start elsewhere: it may be either.
    assert_eq!(callers(&context(&[(10, "a"), (30, "b")])), [""; 0]);
    // The only one is still found.
    assert_eq!(callers(&context(&[(30, "b")])), ["100.0% b"]);
}

#[test]
fn calling_lines_are_those_of_the_caller() {
    let project = Project::new(&[("app.rs", APP), ("lib.rs", "\nfn hash() {}\n")]);
    let samples = "main@3[file:app.rs]\nhash@2[file:lib.rs]";
    let context = project.context(project.load(text_samples::profile(samples)), &[]);
    check(
        &follow(&context, &root(&context, "main"), Direction::Outgoing),
        &expect![[r#"
            100.0% hash | costline · lib.rs:2 · self 100.0% | [3]
        "#]],
    );
    check(
        &follow(&context, &root(&context, "hash"), Direction::Incoming),
        &expect![[r#"
            100.0% main | costline · app.rs:1 · starts here 100.0% | [3]
        "#]],
    );
}

/// `app::run` has a line of a macro in another file. In text samples a name has only one file.
fn called_in_a_macro() -> profile::Profile {
    let mut builder = ProfileBuilder::new(vec![Metric::new("samples", "samples", None)], 0);
    let lib = Lib { name: "app".to_owned(), ..Lib::default() };
    let lib = Some(builder.intern_lib(lib).unwrap());
    let mut frame = |name: &str, file: &str, line| {
        let name = builder.intern_string(name).unwrap();
        let source = Some(builder.intern_source(file).unwrap());
        let func = builder.intern_func(Func { name, source, lib, line: 0, column: 0 }).unwrap();
        builder.intern_frame(Frame::new(func, line)).unwrap()
    };
    let frames = [
        frame("app::run", "app.rs", 2),
        frame("app::run", "macros.rs", 9),
        frame("app::log", "log.rs", 7),
    ];
    let run = builder.intern_stack(None, frames[0]).unwrap();
    let in_macro = builder.intern_stack(None, frames[1]).unwrap();
    let log = builder.intern_stack(Some(in_macro), frames[2]).unwrap();
    let samples = Samples::new(vec![Some(run), Some(log)], vec![Weights::Ones]);
    builder.push_thread(Thread::default(), samples).unwrap();
    builder.build()
}

#[test]
fn calling_lines_in_other_files_are_listed_apart() {
    let text = "fn run() {\n    log!();\n}\n";
    let calls_of = |context: &Context| {
        let calls = follow(context, &root(context, "app::run"), Direction::Outgoing);
        // The range is the definition of the caller.
        assert_eq!(shown(&calls), "50.0% app::log | costline · log.rs:7 · self 50.0% | [1]\n");
        serde_json::to_value(&calls[0].item.data.sites).unwrap()
    };
    let project = Project::new(&[("app.rs", text)]);
    let context = project.context(project.load(called_in_a_macro()), &[]);
    assert_eq!(calls_of(&context), json!([{"file": "macros.rs", "line0": 8, "total": 1}]));
    // A line was added above in the editor.
    let macros = "\n\n\n\n\n\n\n\nlog_it();\n";
    let project = Project::new(&[("app.rs", text), ("macros.rs", macros)]);
    let open = [("macros.rs", format!("// One.\n{macros}"))];
    let context = project.context_with(project.load(called_in_a_macro()), &open);
    assert_eq!(calls_of(&context), json!([{"file": "macros.rs", "line0": 9, "total": 1}]));
}

const CALLER: &str = "\
def work(n):
    t = 0
    t += helper(n)
    return t

def helper(n):
    return n
";

/// Items and call sites follow edits of the caller, even of its first and last line.
#[test]
fn call_sites_stay_in_a_caller_whose_first_or_last_line_was_changed() {
    let project = Project::new(&[("app.py", CALLER)]);
    let samples = "work@3[file:app.py] work@2\nhelper@7[file:app.py]";
    for (text, range, site) in [
        (CALLER.to_owned(), (1, 4), 3),
        (CALLER.replace("def work(n)", "def work(n, m=1)"), (1, 4), 3),
        (CALLER.replace("return t", "return t + 1"), (1, 4), 3),
        (format!("# 1\n# 2\n{}", CALLER.replace("return t", "return t + 1")), (3, 6), 5),
    ] {
        // Where the file is closed, it was edited on disk.
        for open in [true, false] {
            let snapshot = project.load(text_samples::profile(samples));
            let context = if open {
                project.context_with(snapshot, &[("app.py", text.clone())])
            } else {
                std::fs::write(project.path("app.py"), &text).unwrap();
                project.context(snapshot, &[])
            };
            let incoming = follow(&context, &root(&context, "helper"), Direction::Incoming);
            let outgoing = follow(&context, &root(&context, "work"), Direction::Outgoing);
            std::fs::write(project.path("app.py"), CALLER).unwrap();
            let caller = &incoming[0].item;
            let end = caller.range.end;
            // The range of a closed file ends at the start of the next line.
            let last0 = if end.column0 == 0 { end.line0 - 1 } else { end.line0 };
            assert_eq!((caller.range.start.line0 + 1, last0 + 1), range, "{open} {text}");
            for call in [&incoming[0], &outgoing[0]] {
                assert_eq!(call.ranges.len(), 1, "{open} {text}");
                assert_eq!(call.ranges[0].start.line0 + 1, site, "{open} {text}");
                assert_eq!(call.item.data.sites, [], "{open} {text}");
            }
        }
    }
}
