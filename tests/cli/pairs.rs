//! Real recordings before and after one change (`fixtures/pairs`): `diff` names the function that was
//! changed, first and alone.

use super::{Outcome, costline};
use serde_json::Value;
use std::path::PathBuf;

/// The folder, the end of the names of its profiles, and the function that became slower.
const PAIRS: [[&str; 3]; 10] = [
    ["pair-c-tree", "perf.txt.gz", "sum"],
    ["pair-c-text", "perf.txt.gz", "hash"],
    ["pair-c-tree", "callgrind.gz", "sum"],
    ["pair-c-text", "callgrind.gz", "hash"],
    ["pair-go-words", "pb.gz", "main.clean"],
    ["pair-go-grid", "pb.gz", "main.energy"],
    ["pair-py-words", "speedscope.json.gz", "make"],
    ["pair-py-grid", "speedscope.json.gz", "digest"],
    ["pair-js-words", "cpuprofile.gz", "make"],
    ["pair-js-matrix", "cpuprofile.gz", "trace"],
];

fn diff(folder: &str, end: &str, more: &[&str]) -> Outcome {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../fixtures/pairs").join(folder);
    let files = ["before", "after"].map(|side| format!("{side}.{end}"));
    let mut command = costline();
    command.current_dir(&root).args(["diff", "--root", "."]).args(files).args(more);
    Outcome::of(&mut command)
}

#[test]
fn the_function_that_was_changed_comes_first_and_is_the_only_annotation() {
    for [folder, end, planted] in PAIRS {
        let text = diff(folder, end, &[]).success();
        let sentence = text.lines().nth(1).unwrap();
        assert!(sentence.contains(&format!("%: {planted} (▲")), "{folder} {end}: {sentence}");
        let rows = text.lines().skip_while(|line| !line.trim().starts_with("self before")).skip(1);
        let first = rows.map(|row| row.split_whitespace().rev().nth(1).unwrap()).next();
        assert_eq!(first, Some(planted), "{folder} {end}: {text}");
        let annotations = diff(folder, end, &["--format", "annotations"]).success();
        let warnings: Vec<_> =
            annotations.lines().filter(|line| line.starts_with("::warning")).collect();
        let [only] = warnings[..] else { panic!("{folder} {end}: {annotations}") };
        assert!(only.contains(&format!("{planted} costs more")), "{folder} {end}: {only}");
    }
}

/// A limit that the change exceeds fails, and blames that function alone.
#[test]
fn a_limit_for_functions_names_the_function_that_was_changed() {
    for [folder, end, planted] in PAIRS {
        let outcome = diff(folder, end, &["--fail-above-function", "5%", "--json"]);
        assert_eq!(outcome.code, Some(4), "{folder} {end}: {}", outcome.stderr);
        let last = outcome.stderr.lines().last().unwrap();
        assert!(last.contains(planted), "{folder} {end}: {last}");
        let json: Value = serde_json::from_str(&outcome.stdout).unwrap();
        assert!(json["functions"].as_array().unwrap().len() > 1);
    }
}
