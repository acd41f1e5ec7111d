//! Sums and percentages with negative weights, idle samples and inlined code.

use super::{fixture, run};
use mercury_files::deep::{DeepContext, DeepFile, DeepProc};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use tempfile::TempDir;

/// A folder with one profile of folded stacks.
fn folded(text: &str) -> (TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let profile = folder.path().join("cpu.folded");
    std::fs::write(&profile, text).unwrap();
    let profile = profile.to_str().unwrap().to_owned();
    (folder, profile)
}

#[test]
fn a_tree_has_the_jit_tiers_of_each_path() {
    let (_folder, profile) =
        folded("java;A.run_[j];B.get_[j];C.x_[0] 4\njava;A.run_[1] 2\njava;A.run_[j] 1\n");
    let text = run(["tree", &profile]).success();
    let row = |name: &str| text.lines().find(|row| row.contains(name)).unwrap();
    // 5 and 2 of 7.
    assert!(row("A.run").ends_with("A.run  [JIT 71.4%, C1 28.6%]"), "{text}");
    assert!(row("C.x").ends_with("C.x  [interpreter 100.0%]"), "{text}");
    assert!(row("java").ends_with(" java"), "{text}");
    let json: Value = serde_json::from_str(&run(["tree", "--json", &profile]).success()).unwrap();
    assert_eq!(
        json["nodes"][1]["jitTiers"],
        json!([{"name": "JIT", "total": 5}, {"name": "C1", "total": 2}])
    );
    assert!(json["nodes"][0].get("jitTiers").is_none(), "{json}");
}

/// Checked with a script that reads the columns `implementation` and `subcategory`: the outermost
/// call of `solve` is compiled by the baseline compiler in 355 of 365 samples.
#[test]
fn firefox_profiles_have_jit_tiers() {
    let profile = fixture("gecko/web-sudoku/gecko.json.gz");
    // Its warnings are about other things.
    let text = run(["tree", profile.to_str().unwrap()]).stdout;
    let outermost = text.lines().find(|row| row.contains(" solve ")).unwrap();
    assert!(outermost.ends_with("solver.js:34  [baseline 97.3%, interpreter 2.7%]"), "{outermost}");
}

#[test]
fn percentages_of_negative_weights_refer_to_absolute_self() {
    // 100 of 100 + 100 + 7.
    let (_folder, profile) = folded("f 100\ng -100\nh 7\n");
    let text = run(["report", &profile]).success();
    assert!(
        text.contains("48.3% (100 samples)") && text.contains("-48.3% (-100 samples)"),
        "{text}"
    );
    // A negative net sum does not change any sign: 5 of 5 + 5 + 3.
    let (_folder, profile) = folded("f 5\ng -5\nh -3\n");
    let text = run(["report", &profile]).success();
    assert!(text.contains("38.5% (5 samples)") && text.contains("-38.5% (-5 samples)"), "{text}");
}

#[test]
fn shows_weights_that_cancel_out() {
    let (_folder, profile) = folded("main;alloc;grow 10\nmain;alloc;free -10\n");
    let text = run(["report", &profile]).success();
    assert!(text.starts_with("cpu.folded: 0 samples\n"), "{text}");
    let tree = run(["tree", "--min-percent", "0", &profile]).success();
    let names: Vec<_> =
        tree.lines().skip(2).filter_map(|row| row.split_whitespace().last()).collect();
    assert_eq!(names, ["main", "alloc", "grow", "free"]);
}

/// The names of the rows of a tree.
fn tree_names(profile: &str, arguments: &[&str]) -> Vec<String> {
    let text = super::Outcome::of(super::costline().args(["tree", profile]).args(arguments));
    let names: Vec<_> = text
        .success()
        .lines()
        .skip(2)
        .filter(|row| !row.starts_with("omitted"))
        .filter_map(|row| Some(row.split_whitespace().last()?.to_owned()))
        .collect();
    let json = [arguments, &["--json"]].concat();
    let text = super::Outcome::of(super::costline().args(["tree", profile]).args(json)).success();
    let json: Value = serde_json::from_str(&text).unwrap();
    let nodes = json["nodes"].as_array().unwrap().iter();
    assert_eq!(nodes.map(|node| node["name"].as_str().unwrap()).collect::<Vec<_>>(), names);
    names
}

/// The percentages are those of 100 + 100 + 7.
#[test]
fn a_tree_keeps_calls_whose_costs_cancel_out() {
    let (_folder, profile) = folded("f 100\nf;g -100\nh 7\n");
    assert_eq!(tree_names(&profile, &[]), ["h", "f", "g"]);
    assert_eq!(tree_names(&profile, &["--min-percent", "48.3"]), ["f", "g"]);
    assert_eq!(tree_names(&profile, &["--min-percent", "48.4"]), <[&str; 0]>::default());
    assert_eq!(tree_names(&profile, &["--limit", "2"]), ["f", "g"]);
    // Only the callers of `x` have cost, or only its callees.
    let (_folder, profile) = folded("a;x 100\nb;x -100\nh 7\n");
    assert_eq!(tree_names(&profile, &["--inverted"]), ["h", "x", "a", "b"]);
    let (_folder, profile) = folded("m;x;a 100\nm;x;b -100\nh 7\n");
    assert_eq!(tree_names(&profile, &[]), ["h", "m", "x", "a", "b"]);
}

/// Self and total of the functions with the most self cost, as printed by `go tool pprof -noinlines
/// -top` (Go 1.19).
#[test]
fn merges_inlined_functions_into_their_callers() {
    let profile = fixture("pprof/go-indexer-cpu/cpu.pb.gz");
    let report =
        run(["report", "--json", "--inlines", "callSite", profile.to_str().unwrap()]).success();
    let report: Value = serde_json::from_str(&report).unwrap();
    let milliseconds = |row: &Value, key: &str| row[key].as_u64().unwrap() / 1_000_000;
    let functions: BTreeMap<&str, _> = report["functions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            (row["name"].as_str().unwrap(), (milliseconds(row, "self"), milliseconds(row, "total")))
        })
        .collect();
    for (name, cost) in [
        ("runtime.mapaccess1_fast64", (2620, 3300)),
        ("runtime.memhash64", (760, 760)),
        ("example.org/indexer/store.(*Index).Query.func1", (550, 3850)),
        ("runtime.mapassign_fast64", (470, 860)),
        ("main.collatz", (220, 220)),
        ("sort.partition_func", (210, 3360)),
        ("runtime.evacuate_fast64", (180, 240)),
        ("runtime.mapassign_faststr", (160, 290)),
        ("example.org/indexer/store.(*Index).Query", (80, 5180)),
    ] {
        assert_eq!(functions.get(name), Some(&cost), "{name}");
    }
    let tree =
        run(["tree", "--min-percent", "0", "--inlines", "callSite", profile.to_str().unwrap()])
            .success();
    let inlined = "runtime.add";
    assert!(!functions.contains_key(inlined) && !tree.contains(inlined), "{tree}");
}

/// The tree of a call graph divides the cost of a function among its callers in proportion.
#[test]
fn the_tree_of_a_call_graph_is_estimated() {
    let folder = tempfile::tempdir().unwrap();
    let profile = folder.path().join("callgrind.out.1");
    let text = "# callgrind format\nevents: Ir\n\nfl=a.c\nfn=main\n1 20\ncfn=a\ncalls=1 2\n1 60\n\
                cfn=b\ncalls=1 3\n1 20\n\nfn=a\n2 40\ncfn=c\ncalls=1 4\n2 40\n\n\
                fn=b\n3 0\ncfn=a\ncalls=1 2\n3 20\n\nfn=c\n4 40\n";
    std::fs::write(&profile, text).unwrap();
    let profile = profile.to_str().unwrap();
    let tree = run(["tree", profile]).success();
    assert!(tree.contains("call graph without stacks"), "{tree}");
    let tree: Value = serde_json::from_str(&run(["tree", "--json", profile]).success()).unwrap();
    let rows: Vec<_> = tree["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            (
                row["name"].as_str().unwrap(),
                row["depth"].as_u64().unwrap(),
                row["total"].clone(),
                row["est"].as_bool().unwrap(),
            )
        })
        .collect();
    // 60 of the 80 of `a` come from `main`, and 20 from `b`.
    let expected = [
        ("main", 0, 100.into(), false),
        ("a", 1, 60.into(), false),
        ("c", 2, 30.into(), true),
        ("b", 1, 20.into(), false),
        ("a", 2, 20.into(), false),
        ("c", 3, 10.into(), true),
    ];
    assert_eq!(rows, expected);
}

#[test]
fn dump_prints_the_nodes_of_a_deep_profile() {
    let folder = tempfile::tempdir().unwrap();
    let profile = folder.path().join("Deep.data");
    let main = DeepProc {
        module: "m".to_owned(),
        name: "main".to_owned(),
        arity: 2,
        file: "m.m".to_owned(),
        line: 3,
        ..DeepProc::default()
    };
    let file = DeepFile {
        version: 9,
        program: "./m".to_owned(),
        procs: vec![main],
        contexts: vec![DeepContext::default()],
        ..DeepFile::default()
    };
    std::fs::write(&profile, file.bytes()).unwrap();
    let text = run(["check", profile.to_str().unwrap()]).success();
    assert!(text.contains("\ncontexts  1 in 1 cliques, 0 calls between them\n"), "{text}");
    let text = run(["dump", profile.to_str().unwrap()]).success();
    assert!(
        text.ends_with(
            "proc 1 m.main/2-0 m.m:3 sites [] points []\ncontext 1 proc 1 calls [] counts []\n"
        ),
        "{text}"
    );
    let (_folder, folded) = folded("main;a 1\n");
    let ran = run(["dump", &folded]);
    assert!(
        ran.stderr.contains(
            "cpu.folded: the format is `folded`; only the nodes of `mercury-deep` can be printed"
        ),
        "{}",
        ran.stderr
    );
}
