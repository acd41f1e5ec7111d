//! `--implementation` and `--transform` on a recording of Firefox.
//!
//! The expected numbers are from an independent script: it read the samples of the file one by one,
//! listed the frames of each (with the category of each stack), changed the list as the transform
//! says, and counted its end (self) and everything in it (total). It agreed on every function,
//! every line, the total and the idle samples.

use crate::{Outcome, fixture, on};
use serde_json::Value;

const FIREFOX: &str = "firefox/web-sudoku/profile.json.gz";
const SLABS: &str = "firefox/web-sudoku-jslb/profile.jslb.gz";

/// A report without symbols, because there are none for this build of Firefox.
fn report(profile: &str, view: &[&str]) -> Value {
    let path = fixture(profile);
    let root = path.parent().unwrap();
    let mut command = crate::costline();
    command
        .arg("report")
        .arg(&path)
        .arg("--root")
        .arg(root)
        .args(["--json", "--no-symbols"])
        .args(view);
    serde_json::from_str(&Outcome::of(&mut command).success()).unwrap()
}

/// Self and total of the functions and lines of the solver.
fn solver(report: &Value) -> (Vec<String>, Vec<String>) {
    let is_solver =
        |row: &&Value| row["file"].as_str().is_some_and(|file| file.ends_with("/solver.js"));
    let rows = |rows: &str, name: &str| {
        let rows = report[rows].as_array().unwrap().iter().filter(is_solver);
        let text = rows.map(|row| {
            format!("{} {}/{}", row[name].to_string().replace('"', ""), row["self"], row["total"])
        });
        let mut text: Vec<_> = text.map(|row| row.replace(".0", "")).collect();
        text.sort();
        text
    };
    (rows("functions", "name"), rows("lines", "line"))
}

#[track_caller]
fn check(view: &[&str], sums: [f64; 2], functions: &[&str], lines: &[&str]) {
    for profile in [FIREFOX, SLABS] {
        let report = report(profile, view);
        assert_eq!(
            [&report["total"], &report["idle"]].map(|sum| sum.as_f64().unwrap()),
            sums,
            "{profile} {view:?}"
        );
        assert_eq!(report["noStack"].as_f64(), Some(0.0));
        assert_eq!(report["warnings"].as_array().unwrap().len(), 0, "{}", report["warnings"]);
        let found = solver(&report);
        assert_eq!(
            (found.0.as_slice(), found.1.as_slice()),
            (to_text(functions).as_slice(), to_text(lines).as_slice()),
            "{view:?}"
        );
    }
}

fn to_text(rows: &[&str]) -> Vec<String> {
    rows.iter().map(|&row| row.to_owned()).collect()
}

const JS_LINES: [&str; 11] = [
    "12 118/119",
    "13 8/48",
    "14 15/103",
    "15 4/40",
    "17 28/51",
    "20 1/1",
    "25 0/361",
    "26 2/2",
    "36 0/364",
    "38 0/1",
    "40 0/360",
];
const JS_FUNCTIONS: [&str; 4] =
    ["candidates 151/361", "candidates/< 22/22", "pick 3/364", "solve 0/365"];

#[test]
fn keeps_only_javascript_or_only_native_code() {
    check(&["--implementation", "js"], [1176.0, 24.0], &JS_FUNCTIONS, &JS_LINES);
    check(&["--implementation", "native"], [1552.0, 694.0], &[], &[]);
    let lines = report(FIREFOX, &["--implementation", "native"])["lines"].as_array().unwrap().len();
    assert_eq!(lines, 0, "only scripts have lines in this recording");
}

#[test]
fn focuses_collapses_and_merges_functions() {
    let js = ["--implementation", "js", "--transform"];
    check(&[&js[..], &["focus-function:solve"]].concat(), [365.0, 0.0], &JS_FUNCTIONS, &JS_LINES);
    check(
        &[&js[..], &["collapse-function-subtree:pick"]].concat(),
        [1176.0, 24.0],
        &["pick 364/364", "solve 0/365"],
        &["20 1/1", "25 361/361", "26 2/2", "36 0/364", "38 0/1", "40 0/360"],
    );
    // Applied in order; one as text and one as JSON.
    check(
        &[
            &js[..],
            &[
                "collapse-recursion:solve",
                "--transform",
                r#"{"type":"merge-function","function":"candidates"}"#,
            ],
        ]
        .concat(),
        [1176.0, 24.0],
        &["candidates/< 22/22", "pick 154/364", "solve 0/365"],
        &["17 22/22", "20 1/1", "25 151/361", "26 2/2", "36 0/364", "38 0/1"],
    );
}

#[test]
fn focuses_a_category() {
    check(
        &["--transform", "focus-category:JavaScript"],
        [1168.0, 24.0],
        &["candidates 4/361", "candidates/< 0/22", "pick 0/364", "solve 0/365"],
        &[
            "12 1/119", "13 0/48", "14 0/103", "15 1/40", "17 2/51", "20 0/1", "25 0/361",
            "26 0/2", "36 0/364", "38 0/1", "40 0/360",
        ],
    );
}

/// All commands show the costs of the same stacks.
#[test]
fn all_commands_apply_the_view() {
    let view = ["--no-symbols", "--implementation", "js", "--transform", "focus-function:solve"];
    let run = |command: &str, more: &[&str]| {
        let path = fixture(FIREFOX);
        let ran = Outcome::of(
            crate::costline()
                .arg(command)
                .arg(&path)
                .arg("--root")
                .arg(path.parent().unwrap())
                .args(view)
                .args(more),
        );
        // Only warnings about what the format cannot represent.
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        ran.stdout
    };
    let tree: Value =
        serde_json::from_str(&run("tree", &["--json", "--min-percent", "0"])).unwrap();
    let root = &tree["nodes"][0];
    assert_eq!(
        (root["name"].as_str(), root["total"].as_f64()),
        (Some("solve"), Some(365.0)),
        "{tree}"
    );
    let folded = run("export", &["--to", "folded"]);
    let weights =
        folded.lines().map(|line| line.rsplit_once(' ').unwrap().1.parse::<u64>().unwrap());
    assert_eq!(weights.sum::<u64>(), 365);
    assert!(folded.lines().all(|line| line.starts_with("solve")), "{folded}");
    assert!(run("check", &[]).contains("730 ms"));
    let source = fixture(FIREFOX).with_file_name("www").join("solver.js");
    let annotated = run("annotate", &[source.to_str().unwrap()]);
    assert!(annotated.lines().any(|line| line.contains("98.9%")), "{annotated}");
}

#[test]
fn rejects_transforms_that_do_not_apply() {
    let message = on("report", FIREFOX, ["--no-symbols", "--transform", "merge-node:solve>pickle"])
        .failure(2);
    assert!(
        message.ends_with("profile.json.gz: no function is called `pickle` (did you mean `pick`?)"),
        "{message}"
    );
    let message = on(
        "report",
        "callgrind/perl-wordgraph/callgrind.out.nytprof",
        ["--transform", "merge-function:f"],
    )
    .failure(2);
    assert!(
        message.ends_with(
            "this recording is a call graph without stacks, so transforms and filters do not apply"
        ),
        "{message}"
    );
    let ran = on("report", FIREFOX, ["--transform", "merge:f"]);
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.stderr.contains("no transform is called `merge`, expected one of merge-function"),
        "{}",
        ran.stderr
    );
    assert_eq!(on("report", FIREFOX, ["--implementation", "java"]).code, Some(2));
}

#[test]
fn headings_say_what_is_not_default_about_the_view() {
    let folder = tempfile::tempdir().unwrap();
    let profile = folder.path().join("cpu.folded");
    std::fs::write(&profile, "main (a.py:2);work (a.py:6) 30\nmain (a.py:2) 70\n").unwrap();
    for command in ["report", "tree", "check"] {
        let heading = |view: &[&str]| {
            let output = Outcome::of(crate::costline().arg(command).arg(&profile).args(view));
            output.success().lines().next().unwrap_or_default().to_owned()
        };
        assert_eq!(heading(&[]), "cpu.folded: 100 samples", "{command}");
        assert_eq!(
            heading(&["--transform", "focus-function:work"]),
            "cpu.folded: 30 samples · focus: work",
            "{command}"
        );
    }
}
