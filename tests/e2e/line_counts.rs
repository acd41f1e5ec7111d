//! How often lines were executed, from the files that Mercury writes beside its deep profiles.

use crate::support::requests::text;
use crate::support::{Server, Workspace};
use mercury_files::deep::{DeepCall, DeepContext, DeepFile, DeepProc, DeepSite};
use mercury_files::procrep::{Options, assignment, call, conjunction, if_then_else, test, write};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

const SOURCE: &str = "\
:- module m.

main(!IO) :-
    p(1, X),
    io.print(X, !IO).

p(X, Y) :-
    ( if X > 0 then
        Y = 1
    else
        Y = 2
    ).
";

/// `main` is called three times, and calls `p` each time, which takes the then-part.
fn profile() -> Vec<u8> {
    let procedure = |name: &str, line, sites| DeepProc {
        module: "m".to_owned(),
        name: name.to_owned(),
        arity: 2,
        file: "m.m".to_owned(),
        line,
        sites,
        ..DeepProc::default()
    };
    let site = |kind, callee, line, path: &str| DeepSite {
        kind,
        callee,
        line,
        path: path.to_owned(),
        ..DeepSite::default()
    };
    let context = |procedure, slots: &[usize], counts: &[u64]| DeepContext {
        procedure,
        slots: slots.iter().map(|&call| vec![call]).collect(),
        counts: counts.to_vec(),
    };
    let call = |callee, calls| DeepCall { callee, counts: [calls, 0, 0, 0, 0, calls, 0, 0] };
    let file = DeepFile {
        version: 9,
        coverage: 2,
        callseqs: 6,
        procs: vec![
            procedure("runtime", 0, vec![site(4, 0, 0, "")]),
            procedure("main", 3, vec![site(0, 2, 4, "c1;")]),
            DeepProc { points: vec![("t;".to_owned(), true, 0)], ..procedure("p", 7, Vec::new()) },
        ],
        contexts: vec![context(0, &[0], &[]), context(1, &[1], &[]), context(2, &[], &[3])],
        calls: vec![call(1, 3), call(2, 3)],
        ..DeepFile::default()
    };
    file.bytes()
}

fn program() -> Vec<u8> {
    program_with(9, 11)
}

/// The program with the then-part and the else-part on these lines.
fn program_with(then: u32, otherwise: u32) -> Vec<u8> {
    let options = Options { version: 6, width: 0, names: true, types: true };
    let main = conjunction(vec![call(4), assignment(5)]);
    let p = if_then_else(test(8), assignment(then), assignment(otherwise));
    write(options, &[("main", main), ("p", p)])
}

fn start(program: Option<&[u8]>, settings: Value) -> (Workspace, Server, String) {
    let workspace = Workspace::with([("m.m", SOURCE)]);
    if let Some(program) = program {
        workspace.write("Deep.procrep", program);
    }
    workspace.write("Deep.data", profile());
    let mut server = Server::builder(&workspace).options(settings).start();
    server.wait_profile();
    let uri = server.open_file(&workspace.path("m.m"), "mercury");
    (workspace, server, uri)
}

/// The hints with their lines (1-based).
fn labels(server: &mut Server, uri: &str) -> Vec<(u64, String)> {
    let hints = server.hints(uri).into_iter();
    hints
        .map(|hint| (hint["position"]["line"].as_u64().unwrap() + 1, text(&hint["label"])))
        .collect()
}

fn explain(server: &mut Server, uri: &str, line0: u64) -> Value {
    server.execute("costline.explain", json!([{ "uri": uri, "line": line0 }]))
}

/// The options of what hints show.
fn options(server: &mut Server) -> Vec<Value> {
    let view = server.view();
    let choices = view["choices"].as_array().unwrap();
    let show = choices.iter().find(|choice| choice["key"] == "show").unwrap();
    show["options"].as_array().unwrap().clone()
}

#[test]
fn hints_count_executions() {
    let settings = json!({ "hints": { "show": "counts", "minPercent": 60 } });
    let (_workspace, mut server, uri) = start(Some(&program()), settings);
    let counts = [(4, "3×"), (5, "3×"), (8, "3×"), (9, "3×"), (11, "never executed")];
    assert_eq!(labels(&mut server, &uri), counts.map(|(line, label)| (line, label.to_owned())));
    let hint = &server.hints(&uri)[4];
    let resolved = server.request("inlayHint/resolve", hint.clone());
    assert!(text(&resolved["tooltip"]["value"]).contains("never executed"), "{resolved}");
    let shown = explain(&mut server, &uri, 10);
    assert_eq!(shown["code"], "shown", "{shown}");
    assert!(text(&shown["message"]).contains("never executed"), "{shown}");
    assert_eq!(explain(&mut server, &uri, 1)["code"], "no-count");
    let options = options(&mut server);
    assert_eq!((options.len(), &options[3]["detail"]), (4, &Value::Null));
    server.set_view(json!({ "show": "self" }));
    assert!(labels(&mut server, &uri).iter().all(|(_, label)| label.starts_with("self")));
}

#[test]
fn hovers_count_executions_whatever_hints_show() {
    let (_workspace, mut server, uri) = start(Some(&program()), json!({}));
    for (line0, expected) in
        [(4, "executed 3 times"), (8, "executed 3 times"), (10, "never executed")]
    {
        let hover = server.line_hover(&uri, line0).unwrap();
        assert!(hover.contains(expected), "{hover}");
    }
    assert_eq!(server.line_hover(&uri, 9), None);
}

#[test]
fn lines_that_were_never_executed_are_diagnostics() {
    let settings = json!({ "hints": { "show": "counts" }, "diagnostics": { "enable": true } });
    let (_workspace, mut server, uri) = start(Some(&program()), settings);
    let found = server.eventually("diagnostics", |server| {
        let all = server.diagnostics(&uri)?;
        all.into_iter().find(|one| one["message"] == "never executed")
    });
    assert_eq!(found["range"]["start"], json!({ "line": 10, "character": 8 }));
    assert_eq!((&found["tags"], &found["severity"]), (&json!([1]), &json!(4)));
}

#[test]
fn a_program_that_appears_or_changes_alone_is_read() {
    let settings = json!({ "hints": { "show": "counts" }, "watch": "native" });
    let (workspace, mut server, uri) = start(None, settings);
    let mut wait = |expected: [(u64, &str); 5]| {
        let expected = expected.map(|(line, label)| (line, label.to_owned()));
        server.eventually(&format!("{expected:?}"), |server| {
            (labels(server, &uri) == expected).then_some(())
        });
    };
    workspace.write("Deep.procrep", program());
    wait([(4, "3×"), (5, "3×"), (8, "3×"), (9, "3×"), (11, "never executed")]);
    // The then-part is on line 11.
    workspace.rename_over("Deep.procrep", program_with(11, 9));
    wait([(4, "3×"), (5, "3×"), (8, "3×"), (9, "never executed"), (11, "3×")]);
}

/// A program that calls `arena_init` and `arena_free` six times. The lines 7 and 14 have a call, of
/// which valgrind counts more instructions.
#[test]
fn callgrind_counts_executions_of_instructions() {
    let fixture =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/profiles/callgrind/c-jsonlite");
    let read = |path: &str| std::fs::read(fixture.join(path)).unwrap();
    let source = String::from_utf8(read("src/arena.c")).unwrap();
    let workspace = Workspace::with([("src/arena.c", source.as_str())]);
    workspace.write("callgrind.out.instr.gz", read("callgrind.out.instr.gz"));
    let settings = json!({ "hints": { "show": "counts" } });
    let mut server = Server::builder(&workspace).options(settings).start();
    server.wait_profile();
    let uri = server.open_file(&workspace.path("src/arena.c"), "c");
    let expected = [6, 7, 8, 9, 10, 13, 14, 15, 16].map(|line| (line, "6×".to_owned()));
    assert_eq!(labels(&mut server, &uri), expected);
    let hover = server.line_hover(&uri, 6).unwrap();
    assert!(hover.contains("executed 6 times"), "{hover}");
}

#[test]
fn a_profile_without_counts_shows_both() {
    let (_workspace, mut server, uri) = start(None, json!({ "hints": { "show": "both" } }));
    let both = labels(&mut server, &uri);
    assert_eq!(options(&mut server).len(), 3);
    server.set_view(json!({ "show": "counts" }));
    assert_eq!(labels(&mut server, &uri), both);
    let missing = "Deep.procrep is missing beside the profile";
    let options = options(&mut server);
    assert!(text(&options[3]["detail"]).contains(missing), "{options:?}");
    let explanation = explain(&mut server, &uri, 3);
    assert_eq!(explanation["code"], "shown");
    assert!(text(&explanation["message"]).contains(missing), "{explanation}");
}

#[test]
fn annotate_has_a_column_of_executions() {
    let (workspace, _server, _) = start(Some(&program()), json!({}));
    let output = Command::new(env!("CARGO_BIN_EXE_costline"))
        .env("COSTLINE_CACHE_DIR", "")
        .arg("annotate")
        .args([workspace.path("Deep.data"), workspace.path("m.m")])
        .arg("--root")
        .arg(workspace.path(""))
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let row =
        |end: &str| text.lines().find(|row| row.ends_with(end)).unwrap_or_else(|| panic!("{text}"));
    assert!(row("executed").ends_with("   total executed"), "{text}");
    assert!(row("Y = 1").ends_with("       3×     9          Y = 1"), "{text}");
    assert!(row("Y = 2").ends_with("       0×    11          Y = 2"), "{text}");
    assert!(row("else").ends_with("            10      else"), "{text}");
}

/// The counts that gcov has of the program, beside the profiles of sampling profilers and of
/// callgrind without counts.
#[test]
fn a_coverage_report_beside_a_profile_has_counts() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures");
    let read = |path: &str| std::fs::read_to_string(fixtures.join(path)).unwrap();
    let source = read("profiles/callgrind/c-jsonlite/src/arena.c");
    let report = read("coverage/c-jsonlite.info");
    let callgrind = "\
version: 1
creator: callgrind-3.19.0
events: Ir

fl=/srv/demo/c-jsonlite/src/arena.c
fn=arena_init
7 10
";
    let folded = "arena_init (/srv/demo/c-jsonlite/src/arena.c:7) 10\n";
    for (name, profile) in [("callgrind.out.1", callgrind), ("app.folded", folded)] {
        let workspace = Workspace::with([("src/arena.c", source.as_str())]);
        workspace.write(name, profile);
        let settings = json!({ "hints": { "show": "counts" }, "watch": "native" });
        let mut server = Server::builder(&workspace).options(settings).start();
        server.wait_profile();
        let uri = server.open_file(&workspace.path("src/arena.c"), "c");
        let missing = explain(&mut server, &uri, 6);
        assert!(text(&missing["message"]).contains("`lcov.info` beside it"), "{missing}");
        let mut wait = |report: &str, expected: &[(u64, String)]| {
            workspace.write("lcov.info", report);
            server.eventually(&format!("{expected:?}"), |server| {
                (labels(server, &uri) == expected).then_some(())
            });
        };
        let times = |n: &str| [5, 7, 8, 9, 10, 12, 14, 15, 16].map(|line| (line, n.to_owned()));
        let never = [18, 21, 22].map(|line| (line, "never executed".to_owned()));
        wait(&report, &[times("6×").as_slice(), &never].concat());
        wait(&report.replace(",6\n", ",7\n"), &[times("7×").as_slice(), &never].concat());
        // A report that is still being written has no counts.
        workspace.write("lcov.info", &report[..200]);
        let explanation = server.eventually("the error", |server| {
            let explanation = explain(server, &uri, 6);
            text(&explanation["message"])
                .contains("may still be being written")
                .then_some(explanation)
        });
        assert!(text(&explanation["message"]).contains("lcov.info"), "{explanation}");
        workspace.write("lcov.info", &report);
        let hover = server.eventually("the count", |server| {
            server.line_hover(&uri, 6).filter(|hover| hover.contains("executed"))
        });
        let plain = hover.replace('\\', "");
        assert!(plain.contains("executed 6 times (lcov.info)"), "{hover}");
    }
}

/// Files with counts of the profile's own keep these.
#[test]
fn a_coverage_report_does_not_replace_counts_of_the_profile() {
    let (workspace, mut server, uri) =
        start(Some(&program()), json!({ "hints": { "show": "counts" } }));
    let own = labels(&mut server, &uri);
    workspace.write("lcov.info", "SF:m.m\nDA:4,100\nend_of_record\n");
    server.execute("costline.reload", json!([]));
    assert_eq!(labels(&mut server, &uri), own);
}
