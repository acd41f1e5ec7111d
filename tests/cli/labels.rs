//! Labels of samples: `--label`, `--by label` and `split-by-label`.
//!
//! The expected sums are those of `go tool pprof -tags`, `-tagfocus` and `-tagignore` for the same files.

use crate::{Outcome, fixture, on};
use serde_json::{Value, json};

/// Requests with the labels `endpoint` and `tenant`, in nanoseconds: 5.31 s in all.
const SHOP: &str = "pprof/go-labels/cpu.pb.gz";
/// Allocations with their sizes in the label `bytes`.
const HEAP: &str = "pprof/go-indexer-heap/heap.pb.gz";

fn report(profile: &str, arguments: &[&str]) -> Outcome {
    let mut command = crate::costline();
    let path = fixture(profile);
    command.arg("report").arg(&path).arg("--root").arg(path.parent().unwrap()).args(arguments);
    Outcome::of(&mut command)
}

fn total(profile: &str, filters: &[&str]) -> Value {
    let labels = filters.iter().flat_map(|filter| ["--label", filter]);
    let arguments: Vec<&str> = labels.chain(["--json"]).collect();
    let report: Value = serde_json::from_str(&report(profile, &arguments).success()).unwrap();
    report["total"].clone()
}

#[test]
fn filters_keep_what_pprof_keeps() {
    for (filters, expected) in [
        (&["tenant=acme"][..], 3_170_000_000_u64),
        (&["tenant!=acme"], 2_140_000_000),
        (&["tenant"], 3_800_000_000),
        (&["!tenant"], 1_510_000_000),
        (&["endpoint=~^/c"], 1_110_000_000),
        (&["tenant=acme", "endpoint=/search"], 2_470_000_000),
    ] {
        assert_eq!(total(SHOP, filters), json!(expected), "{filters:?}");
    }
    for (filter, expected) in [
        ("bytes=1253376", 200_540_160_u64),
        ("bytes=1kb", 41_964_702),
        ("bytes=1kb..64kb", 93_876_671),
        ("bytes>=1mb", 201_588_736),
    ] {
        assert_eq!(total(HEAP, &[filter]), json!(expected), "{filter}");
    }
}

#[test]
fn labels_are_listed_with_their_costs() {
    let rows = report(SHOP, &["--by", "label"]).success();
    let names = |text: &str| -> Vec<String> {
        let rows = text.lines().skip(2);
        rows.map(|row| row.split("  ").last().unwrap().to_owned()).collect()
    };
    let all = ["tenant=acme", "endpoint=/search", "endpoint=/cart", "tenant=globex"];
    assert_eq!(names(&rows), all, "{rows}");
    let rows = report(SHOP, &["--by", "label:tenant"]).success();
    assert_eq!(names(&rows), ["tenant=acme", "no tenant", "tenant=globex"], "{rows}");
    assert!(rows.contains("59.7% (3.17 s)"), "{rows}");

    let report: Value = serde_json::from_str(&report(SHOP, &["--json"]).success()).unwrap();
    let label = |key, value: Value, total: u64| json!({"key": key, "value": value, "total": total});
    let expected = [
        label("endpoint", json!("/search"), 3_100_000_000),
        label("endpoint", json!("/cart"), 1_110_000_000),
        label("endpoint", Value::Null, 1_100_000_000),
        label("tenant", json!("acme"), 3_170_000_000),
        label("tenant", json!("globex"), 630_000_000),
        label("tenant", Value::Null, 1_510_000_000),
    ];
    let labels = report["labels"].as_array().unwrap();
    let mut found = labels.clone();
    found.sort_by_key(|label| expected.iter().position(|it| it == label));
    assert_eq!(found, expected);
}

#[test]
fn a_label_that_no_sample_has_is_an_error() {
    let fails = |profile, arguments: &[&str], expected: &str| {
        let error = report(profile, arguments).failure(2);
        assert!(error.contains(expected), "{error}");
    };
    fails(
        SHOP,
        &["--label", "tennant=acme"],
        "no sample has a label with the key `tennant` (did you mean `tenant`?)",
    );
    fails(
        SHOP,
        &["--label", "tenant=acm"],
        "no sample has a label that fits `tenant=acm` (did you mean `acme`?)",
    );
    fails(SHOP, &["--label", "tenant=~("], "`(` is not a valid regular expression");
    fails(
        SHOP,
        &["--by", "label:size"],
        "no sample has a label with the key `size` (there are `endpoint`, `tenant`)",
    );
    fails(
        SHOP,
        &["--label", "tenant=globex", "--label", "endpoint=/cart"],
        "no sample has labels that fit `tenant=globex`, `endpoint=/cart`",
    );
    fails(
        "pprof/go-indexer-cpu/cpu.pb.gz",
        &["--label", "tenant=acme"],
        "the samples of this profile have no labels",
    );
}

#[test]
fn stacks_are_split_by_label() {
    let split = on("tree", SHOP, ["--transform", "split-by-label:endpoint", "--json"]).success();
    let split: Value = serde_json::from_str(&split).unwrap();
    let roots = split["nodes"].as_array().unwrap().iter().filter(|node| node["depth"] == 0);
    let roots: Vec<_> = roots.map(|root| (&root["name"], &root["total"])).collect();
    let expected = [
        (json!("endpoint=/search"), json!(3_100_000_000_u64)),
        (json!("endpoint=/cart"), json!(1_110_000_000)),
        (json!("no endpoint"), json!(1_100_000_000)),
    ];
    assert_eq!(roots, expected.each_ref().map(|(name, total)| (name, total)));
}

#[test]
fn exports_keep_labels() {
    let folder = tempfile::tempdir().unwrap();
    let labels = |path: &std::path::Path| -> Vec<String> {
        let mut command = crate::costline();
        let root = command.args(["report", "--by", "label", "--root"]).arg(folder.path());
        let rows = Outcome::of(root.arg(path)).success();
        rows.lines().skip(1).map(str::to_owned).collect()
    };
    for profile in [SHOP, HEAP] {
        for format in ["pprof", "firefox"] {
            let exported = folder.path().join(format!("{}.{format}", profile.replace('/', "-")));
            let mut command = crate::costline();
            command.args(["export", "--to", format, "--output"]).arg(&exported);
            // The Firefox Profiler has one metric.
            assert_eq!(Outcome::of(command.arg(fixture(profile))).code, Some(0));
            assert_eq!(labels(&exported), labels(&fixture(profile)), "{profile} as {format}");
        }
    }
}

/// Exports have what is shown; without `/cart`, everything else costs what it did.
#[test]
fn diffs_list_labels() {
    let folder = tempfile::tempdir().unwrap();
    let without = folder.path().join("without.pb.gz");
    let mut command = crate::costline();
    command.args(["export", "--to", "pprof", "--label", "endpoint!=/cart", "--output"]);
    Outcome::of(command.arg(&without).arg(fixture(SHOP))).success();
    let mut command = crate::costline();
    command.arg("diff").arg(fixture(SHOP)).arg(&without).args(["--json", "--root"]);
    let diff = Outcome::of(command.arg(folder.path())).success();
    let diff: Value = serde_json::from_str(&diff).unwrap();
    let changed = diff["labels"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| json!([row["name"], row["sides"], row["before"], row["after"]]));
    let mut changed: Vec<Value> = changed.collect();
    changed.sort_by_key(ToString::to_string);
    assert_eq!(
        json!(changed),
        json!([
            ["endpoint=/cart", "before", 1_110_000_000, 0],
            ["endpoint=/search", "both", 3_100_000_000_u64, 3_100_000_000_u64],
            ["no endpoint", "both", 1_100_000_000, 1_100_000_000],
            ["no tenant", "both", 1_510_000_000, 1_100_000_000],
            ["tenant=acme", "both", 3_170_000_000_u64, 2_470_000_000_u64],
            ["tenant=globex", "both", 630_000_000, 630_000_000],
        ])
    );
}
