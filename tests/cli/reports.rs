//! The rows of `costline report`: modules, cliques, fields, orders and limits.

use super::{V8, on, run};
use mercury_files::deep::{DeepFile, DeepProc, DeepRun, DeepSite};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::time::{Duration, SystemTime};
use tempfile::TempDir;

fn site(kind: u8, callee: usize, line: u64) -> DeepSite {
    DeepSite::new(kind, callee, line, "c1;")
}

fn written(file: &DeepFile) -> (TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let profile = folder.path().join("Deep.data");
    fs::write(&profile, file.bytes()).unwrap();
    let profile = profile.to_str().unwrap().to_owned();
    (folder, profile)
}

/// The rows of a report, without the lines above them, with single blanks.
fn rows<const N: usize>(profile: &str, arguments: [&str; N]) -> Vec<String> {
    let arguments = [["report", profile].as_slice(), &arguments].concat();
    let text = super::Outcome::of(super::costline().args(arguments)).success();
    let words = |row: &str| row.split_whitespace().collect::<Vec<_>>().join(" ");
    text.lines().skip(2).map(words).collect()
}

/// The last word of each row that is not a number of calls.
fn names(rows: &[String]) -> Vec<&str> {
    let name = |row: &'_ String| -> usize { row.find("m.").unwrap_or(0) };
    rows.iter().map(|row| row[name(row)..].split(['/', ' ']).next().unwrap()).collect()
}

#[test]
fn lines_of_repositories_have_no_commit() {
    let profile = super::fixture(super::RUST);
    let rows = rows(profile.to_str().unwrap(), ["--by", "line", "--filter", "slice/cmp.rs"]);
    let name = "git:github.com/rust-lang/rust:library/core/src/slice/cmp.rs";
    assert_eq!(rows[0], format!("7.6% (263 ms) 7.6% (263 ms) {name}:20"));
}

/// R's own tool counts a sample for its innermost function with a line.
#[test]
fn own_lines_of_r_cost_what_summary_rprof_says() {
    let case = "rprof/r-simulate";
    let json = on("report", &format!("{case}/Rprof.line.out"), ["--own", "--json"]).success();
    let report: Value = serde_json::from_str(&json).unwrap();
    let expected = fs::read(super::fixture(&format!("{case}/nearest.json"))).unwrap();
    let expected: Value = serde_json::from_slice(&expected).unwrap();
    let lines = |table: &Value| -> BTreeSet<String> {
        let row = |row: &Value| {
            [&row["file"], &row["line"], &row["self"], &row["total"]].map(Value::to_string)
        };
        table.as_array().unwrap().iter().map(|it| row(it).join(" ")).collect()
    };
    assert_eq!(report["total"], expected["total"]);
    assert_eq!(lines(&report["lines"]), lines(&expected["lines"]));
}

/// Each sample of perf belongs to one event.
#[test]
fn samples_and_threads_are_those_of_the_metric() {
    let profile = super::fixture("perf-data/c-threads-events/perf.data");
    let of = |metric: &str| {
        let arguments = ["report", profile.to_str().unwrap(), "--metric", metric];
        // The program is not here, so there is a warning.
        let heading = run(arguments).stdout.lines().next().unwrap().to_owned();
        let json = [arguments.as_slice(), &["--json"]].concat();
        let json = super::Outcome::of(super::costline().args(json)).stdout;
        let json: Value = serde_json::from_str(&json).unwrap();
        (json["samples"].as_u64(), heading)
    };
    let (samples, heading) = of("cpu-clock");
    assert!(heading.ends_with(" of cpu-clock in 3 threads"), "{heading}");
    assert_eq!(samples, Some(28));
    // Two threads have no page faults, and `--by thread` does not list them.
    let (samples, heading) = of("page-faults");
    assert!(heading.ends_with(" page-faults in 1 thread"), "{heading}");
    assert_eq!(samples, Some(6));
}

/// Two metrics of the heap profile are in bytes, and two are counts. It shows `alloc_space`.
#[test]
fn the_unit_of_several_metrics_is_that_of_the_default_metric_or_ambiguous() {
    let heap = "pprof/go-indexer-heap/heap.pb.gz";
    let bytes = on("report", heap, ["--metric", "bytes"]).stdout;
    assert!(bytes.lines().next().unwrap().ends_with(" of alloc_space"), "{bytes}");
    let several = "2 metrics match `count` (`alloc_objects`, `inuse_objects`)";
    let count = on("report", heap, ["--metric", "count"]).failure(2);
    assert!(count.ends_with(&format!("heap.pb.gz: {several}")), "{count}");
    let overlay = on("report", heap, ["--overlay", "count"]).failure(2);
    assert_eq!(overlay, format!("the overlay `count` is not a profile, and {several}"));
}

/// Ids of threads may be counted within each process.
#[test]
fn threads_of_one_name_have_their_process() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace.json");
    let name = |pid: u32, tid: u32, name: &str| json!({"ph": "M", "name": "thread_name", "pid": pid, "tid": tid, "args": {"name": name}});
    let call = |pid: u32, tid: u32, dur: u32| json!({"ph": "X", "name": "work", "pid": pid, "tid": tid, "ts": 0, "dur": dur});
    let events = json!([
        name(7, 1, "pool"),
        name(8, 1, "pool"),
        name(8, 2, "main"),
        call(7, 1, 3000),
        call(8, 1, 2000),
        call(8, 2, 1000),
    ]);
    fs::write(&path, events.to_string()).unwrap();
    let rows = rows(path.to_str().unwrap(), ["--by", "thread"]);
    assert_eq!(
        rows.iter().map(|row| row.rsplit(") ").next().unwrap()).collect::<Vec<_>>(),
        ["pool · thread 1 · process 7", "pool · thread 1 · process 8", "main · thread 2"]
    );
}

#[test]
fn both_costs_of_a_line_that_may_have_moved_are_marked() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name| folder.path().join(name);
    fs::write(path("app.py"), "def f():\n    g()\n").unwrap();
    fs::write(path("cpu.folded"), "f (app.py:2) 1\n").unwrap();
    let an_hour_ago = SystemTime::now() - Duration::from_secs(3600);
    let profile = fs::File::options().write(true).open(path("cpu.folded")).unwrap();
    profile.set_modified(an_hour_ago).unwrap();
    let [profile, source] = [path("cpu.folded"), path("app.py")];
    let root = folder.path().to_str().unwrap();
    let arguments =
        ["annotate", profile.to_str().unwrap(), source.to_str().unwrap(), "--root", root];
    let text = run(arguments).success();
    let line = text.lines().last().unwrap().split_whitespace().collect::<Vec<_>>();
    assert_eq!(line, ["~100.0%", "~100.0%", "2", "g()"], "{text}");
}

#[test]
fn a_list_without_rows_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("empty.json");
    let profile = path.to_str().unwrap();
    let thread = |name: &str, samples: Value, weights: Value| {
        json!({ "type": "sampled", "name": name, "unit": "milliseconds", "startValue": 0,
                "endValue": 5, "samples": samples, "weights": weights })
    };
    let write = |threads: Value| {
        let file = json!({ "$schema": "https://www.speedscope.app/file-format-schema.json",
                           "shared": { "frames": [{ "name": "work" }] }, "profiles": threads });
        fs::write(&path, file.to_string()).unwrap();
    };
    let last = |arguments: &[&str]| {
        let ran = super::Outcome::of(super::costline().args(["report", profile]).args(arguments));
        ran.stdout.lines().last().unwrap_or_default().to_owned()
    };
    write(json!([thread("a", json!([]), json!([]))]));
    assert_eq!(last(&[]), "the profile has no samples");
    write(json!([thread("a", json!([[0]]), json!([5])), thread("b", json!([]), json!([]))]));
    assert_eq!(last(&["--thread", "b"]), "this thread has no cost");
    assert_eq!(last(&["--filter", "x"]), "no rows match these options");
}

#[test]
fn percentages_below_zero_are_named() {
    for arguments in [
        &["tree", "x", "--min-percent", "-1"][..],
        &["report", "x", "--min-percent", "-1"],
        &["diff", "x", "y", "--fail-above", "-1"],
        &["diff", "x", "y", "--fail-above-function", "-1"],
    ] {
        let ran = super::Outcome::of(super::costline().args(arguments));
        assert_eq!(ran.code, Some(2), "{arguments:?}");
        assert!(ran.stderr.contains("expected a percentage from 0"), "{}", ran.stderr);
    }
    let ran = run(["report", "x", "--min", "-1"]);
    assert!(ran.stderr.contains("expected a number from 0"), "{}", ran.stderr);
    let url = "http://127.0.0.1:9/cpu.pb.gz";
    let message = run(["fetch", url, "--min-percent", "-1"]).failure(2);
    assert_eq!(message, "min-percent -1: expected 0 to 100");
}

#[test]
fn functions_have_an_order_and_limits() {
    let (_folder, profile) = written(&DeepFile::even_odd());
    let list = |arguments: &[&str]| {
        let arguments = [["report", &profile].as_slice(), arguments].concat();
        let text = super::Outcome::of(super::costline().args(arguments)).success();
        let rows = text.lines().skip(2).filter(|row| !row.starts_with("omitted: "));
        names(&rows.map(str::to_owned).collect::<Vec<_>>()).join(" ")
    };
    let all = rows(&profile, ["--sort", "total"]);
    assert_eq!(all[0], "7.7% (1 callseq) 100.0% (13 callseqs) m.main/2-0 m.m:3 · 1 call");
    // The runtime is not part of the program, so it comes last.
    assert!(all[4].contains("Mercury runtime"), "{all:?}");
    assert_eq!(names(&all)[..4], ["m.main", "m.even", "m.leaf", "m.odd"]);
    assert_eq!(list(&["--limit", "2"]), "m.leaf m.even");
    assert_eq!(list(&["--sort", "self", "--limit", "2"]), "m.leaf m.even");
    assert_eq!(list(&["--filter", "M.E"]), "m.even");
    assert_eq!(list(&["--sort", "calls", "--min", "3"]), "m.leaf m.even m.odd");
    assert_eq!(list(&["--sort", "total", "--min", "9", "--module", "m"]), "m.main m.even");
    assert_eq!(list(&["--sort", "total", "--min-percent", "70", "--module", "m"]), "m.main");
    assert_eq!(list(&["--sort", "self", "--min-percent", "46"]), "m.leaf");
    assert_eq!(rows(&profile, ["--filter", "zzz"]), ["no rows match these options"]);
    let problem = run(["report", &profile, "--module", "n"]).failure(2);
    assert!(problem.starts_with("no module is called `n`"), "{problem}");
}

#[test]
fn costs_per_call() {
    let (_folder, profile) = written(&DeepFile::even_odd());
    let rows = rows(&profile, ["--sort", "total", "--per-call", "--module", "m"]);
    assert_eq!(
        rows,
        [
            "1 callseq 13 callseqs m.main/2-0 m.m:3 · 1 call",
            "1 callseq 3 callseqs m.even/2-0 m.m:10 · 3 calls",
            "1 callseq 1 callseq m.leaf/1+1-0 m.m:30 · 6 calls",
            "1 callseq 1 callseq m.odd/2-0 m.m:20 · 3 calls",
        ]
    );
    // The runtime is not called.
    let text = run(["report", &profile, "--per-call"]).success();
    assert!(
        text.contains("self per call") && text.contains("1 row without counted calls"),
        "{text}"
    );
    let problem = on("report", V8, ["--per-call"]).failure(2);
    assert_eq!(problem, "the profile does not count calls of functions");
}

#[test]
fn modules_have_their_own_cost() {
    let (_folder, profile) = written(&DeepFile::even_odd());
    assert_eq!(
        rows(&profile, ["--by", "module"]),
        ["100.0% (13 callseqs) m · 13 calls", "100.0% (13 callseqs) program"]
    );
    let problem = run(["report", &profile, "--sort", "change"]).failure(2);
    assert!(problem.contains("choose a baseline to sort by change"), "{problem}");
    let problem = run(["report", &profile, "--by", "module", "--sort", "total"]).failure(2);
    assert!(problem.starts_with("modules have no total"), "{problem}");
    let problem = on("report", V8, ["--by", "module"]).failure(2);
    assert_eq!(problem, "the profile does not say which library its functions are in");
}

/// The cost of a clique is that of the calls that enter it.
#[test]
fn cliques_are_functions_that_call_each_other() {
    let (_folder, profile) = written(&DeepFile::even_odd());
    let rows_of = rows(&profile, ["--by", "clique"]);
    assert_eq!(
        rows_of[..3],
        [
            "7.7% (1 callseq) 100.0% (13 callseqs) m.main/2-0 · 1 call",
            "0.0% (0 callseqs) 100.0% (13 callseqs) Mercury runtime.Mercury runtime/0-0 · 0 calls",
            "46.2% (6 callseqs) 92.3% (12 callseqs) ↻ m.even/2-0, m.odd/2-0 · 1 call",
        ]
    );
    assert_eq!(rows_of[3], "46.2% (6 callseqs) 46.2% (6 callseqs) m.leaf/1+1-0 · 6 calls");
    let problem = on("report", V8, ["--by", "clique"]).failure(2);
    assert!(problem.starts_with("only call graphs have cliques"), "{problem}");
}

#[test]
fn the_tree_marks_recursive_functions() {
    let (_folder, profile) = written(&DeepFile::even_odd());
    let tree = run(["tree", &profile]).success();
    assert!(tree.contains("Functions marked ↻ call each other or themselves.\n"), "{tree}");
    let rows: Vec<_> = tree.lines().map(str::trim_end).collect();
    let marked = |name: &str| rows.iter().any(|row| row.contains(&format!("↻ {name}")));
    assert_eq!(
        ["m.even/2-0", "m.odd/2-0", "m.main/2-0", "m.leaf/1+1-0"].map(marked),
        [true, true, false, false]
    );
}

/// In a call graph without contexts, cliques are its cycles: `a` spends 20 and `b` 50.
#[test]
fn cycles_of_callgrind_are_cliques() {
    let folder = tempfile::tempdir().unwrap();
    let profile = folder.path().join("callgrind.out.1");
    let text = "# callgrind format\nevents: Ir\n\nfl=a.c\nfn=main\n1 5\ncfn=a\ncalls=1 2\n1 70\n\n\
                fn=a\n2 20\ncfn=b\ncalls=2 3\n2 60\n\nfn=b\n3 50\ncfn=a\ncalls=1 2\n3 40\n";
    fs::write(&profile, text).unwrap();
    let profile = profile.to_str().unwrap();
    assert_eq!(
        rows(profile, ["--by", "clique"]),
        ["6.7% (5 Ir) 100.0% (75 Ir) main", "93.3% (70 Ir) 93.3% (70 Ir) ↻ a, b · 1 call",]
    );
}

/// The file ends in the middle: the function that is called has no costs yet.
#[test]
fn a_function_that_is_called_for_nothing_is_in_no_clique() {
    let folder = tempfile::tempdir().unwrap();
    let profile = folder.path().join("callgrind.out.1");
    fs::write(&profile, "events: Ir\nfn=main\ncfn=a\ncalls=1 0\n0 0\n0 7578\n").unwrap();
    let profile = profile.to_str().unwrap();
    assert_eq!(rows(profile, ["--by", "clique"]), ["100.0% (7578 Ir) 100.0% (7578 Ir) main"]);
    let tree = run(["tree", profile]);
    assert!(tree.success().contains("main"));
}

/// A run of `main`, which gets `size` of `info` twice, sets it once, and calls `other`.
#[test]
fn fields_have_getters_and_setters() {
    let sites = vec![site(0, 2, 4), site(0, 3, 5), site(0, 4, 6)];
    let mut run = DeepRun::new(
        9,
        vec![
            DeepProc::runtime(),
            DeepProc::new("main", 2, 3, sites),
            DeepProc::new("info_get_size", 2, 10, Vec::new()),
            DeepProc::new("info_set_size", 3, 20, Vec::new()),
            DeepProc::new("other", 2, 30, Vec::new()),
        ],
    );
    run.call(0, 1);
    for site in [0, 0, 1, 2] {
        run.call(site, 0);
        run.end(0);
    }
    (0..2).for_each(|_| run.end(0));
    let (_folder, profile) = written(&run.file);
    assert_eq!(
        rows(&profile, ["--by", "field", "--module", "m"]),
        [
            "60.0% (3 callseqs) 60.0% (3 callseqs) info.size m · 3 calls",
            "40.0% (2 callseqs) 40.0% (2 callseqs) get m.info_get_size/2-0 · 2 calls",
            "20.0% (1 callseq) 20.0% (1 callseq) set m.info_set_size/3-0 · 1 call",
        ]
    );
}

/// Files that are passed together are one recording.
#[test]
fn two_graphs_are_merged() {
    let (_folder, profile) = written(&DeepFile::even_odd());
    let (_other, again) = written(&DeepFile::even_odd());
    let merged = |arguments: &[&str]| {
        let arguments = [["report", &profile, &again].as_slice(), arguments].concat();
        let text = super::Outcome::of(super::costline().args(arguments)).success();
        let words = |row: &str| row.split_whitespace().collect::<Vec<_>>().join(" ");
        text.lines().skip(2).map(words).collect::<Vec<_>>()
    };
    assert_eq!(
        merged(&["--sort", "total", "--module", "m", "--limit", "2"]),
        [
            "7.7% (2 callseqs) 100.0% (26 callseqs) m.main/2-0 m.m:3 · 2 calls",
            "23.1% (6 callseqs) 69.2% (18 callseqs) m.even/2-0 m.m:10 · 6 calls",
            "omitted: 2 rows (--limit)",
        ]
    );
    let cliques = merged(&["--by", "clique"]);
    assert!(
        cliques.contains(
            &"46.2% (12 callseqs) 92.3% (24 callseqs) ↻ m.even/2-0, m.odd/2-0 · 2 calls".to_owned()
        ),
        "{cliques:?}"
    );
}

/// Assembly of Go's standard library is part of it, if the name of the function says so.
#[test]
fn functions_of_go_have_packages() {
    let text = on("report", "pprof/go-indexer-cpu/cpu.pb.gz", ["--by", "package"]).success();
    let row =
        |package: &str| text.lines().find(|line| line.split_whitespace().last() == Some(package));
    assert!(row("std").is_some_and(|row| row.trim_start().starts_with("84.9% (5.30 s)")), "{text}");
}

/// One stack of 151 frames, all cost in its leaf.
#[test]
fn a_tree_says_what_is_below_its_depth() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deep.folded");
    let stack: Vec<String> = (0..151).map(|i| format!("f{i}")).collect();
    fs::write(&path, format!("{} 60\nf0 40\n", stack.join(";"))).unwrap();
    let path = path.to_str().unwrap();
    let text = run(["tree", path]).success();
    assert!(text.ends_with("\nomitted: 1 call path and all below them (--depth)\n"), "{text}");
    let json = run(["tree", "--json", path]).success();
    let json: Value = serde_json::from_str(&json).unwrap();
    let omitted = serde_json::json!({ "limit": 0, "minPercent": 0, "depth": 1 });
    assert_eq!(json["omitted"], omitted);
    let text = run(["tree", path, "--depth", "200"]).success();
    assert!(!text.contains("omitted"), "{text}");
}
