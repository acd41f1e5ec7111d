//! `costline export` and `costline tree`.

use super::{Outcome, V8, costline, on};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Six samples of Ruby with lines.
const SEED: &str = "\
func1 - file1.rb:1 1
func1 - file1.rb:1;func2 - file2.rb:2;func3 - file3.rb:3 1
func1 - file1.rb:1;func2 - file2.rb:2 1
func1 - file1.rb:1;func3 - file3.rb:3 1
func1 - file1.rb:1;func2 - file2.rb:2 1
func1 - file1.rb:1;funcX - file1.rb:42;func3 - file3.rb:3 1
";

/// The output of rbspy 0.51 for them.
const SEED_CALLGRIND: &str = "\
# callgrind format
version: 1
creator: rbspy
events: Samples

fl=file1.rb
fn=func1
1 1
cfl=file1.rb
cfn=funcX
calls=1 42
1 1
cfl=file2.rb
cfn=func2
calls=2 2
1 3
cfl=file3.rb
cfn=func3
calls=1 3
1 1

fl=file1.rb
fn=funcX
42 0
cfl=file3.rb
cfn=func3
calls=1 3
42 1

fl=file2.rb
fn=func2
2 2
cfl=file3.rb
cfn=func3
calls=1 3
2 1

fl=file3.rb
fn=func3
3 3
";

fn seed() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("seed");
    std::fs::write(&path, SEED).unwrap();
    (folder, path)
}

fn run<const N: usize>(command: &str, profile: &Path, arguments: [&str; N]) -> Outcome {
    let root = profile.parent().unwrap();
    Outcome::of(costline().arg(command).arg(profile).arg("--root").arg(root).args(arguments))
}

#[test]
fn callgrind_compatible_with_rbspy_is_equal_byte_for_byte() {
    let (_folder, seed) = seed();
    let ran = run("export", &seed, ["--to", "callgrind", "--compat", "rbspy"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), SEED_CALLGRIND));
    assert!(ran.stderr.contains("callgrind cannot carry stacks"), "{}", ran.stderr);
    let message = run("export", &seed, ["--to", "folded", "--compat", "rbspy"]).failure(2);
    assert_eq!(message, "--compat rbspy needs the format callgrind");
}

#[test]
fn callgrind_of_a_real_recording_equals_rbspys() {
    let text =
        on("export", "rbspy/ruby-ledger/rbspy.raw.gz", ["--to", "callgrind", "--compat", "rbspy"])
            .stdout;
    let expected =
        std::fs::read_to_string(super::fixture("rbspy/ruby-ledger/rbspy.callgrind")).unwrap();
    assert_eq!(text, expected);
}

#[test]
fn callgrind_has_lines_calls_and_sums() {
    let (_folder, seed) = seed();
    let text = run("export", &seed, ["--to", "callgrind"]).stdout;
    for part in [
        "positions: line\nevent: samples : samples (samples)\nevents: samples\nsummary: 6\n",
        "fl=(1) file1.rb\nfn=(1) func1\n1 1\n",
        "cfl=(2) file2.rb\ncfn=(3) func2\ncalls=2 2\n1 3\n",
        "\nfl=(1)\nfn=(2)\ncfl=(3)\n",
        "\ntotals: 6\n",
    ] {
        assert!(text.contains(part), "{part:?} is missing:\n{text}");
    }
}

#[test]
fn callgrind_annotate_agrees() {
    let (folder, seed) = seed();
    let out = folder.path().join("callgrind.out");
    run("export", &seed, ["--to", "callgrind", "-o", out.to_str().unwrap()]);
    let annotated = Command::new("callgrind_annotate")
        .args(["--auto=no", "--inclusive=yes"])
        .arg(&out)
        .output();
    let Ok(annotated) = annotated else {
        return super::skip_without("callgrind_annotate (package valgrind)");
    };
    let annotated = String::from_utf8_lossy(&annotated.stdout);
    for row in [
        "6 (100.0%)  PROGRAM TOTALS",
        "6 (100.0%)  file1.rb:func1",
        "3 (50.00%)  file2.rb:func2",
        "1 (16.67%)  file1.rb:funcX",
    ] {
        assert!(annotated.contains(row), "{row:?} is missing:\n{annotated}");
    }
}

#[test]
fn folded_stacks_keep_files_and_lines() {
    let (_folder, seed) = seed();
    let expected = "\
func1 (file1.rb:1) 1
func1 (file1.rb:1);func2 (file2.rb:2) 2
func1 (file1.rb:1);func2 (file2.rb:2);func3 (file3.rb:3) 1
func1 (file1.rb:1);func3 (file3.rb:3) 1
func1 (file1.rb:1);funcX (file1.rb:42);func3 (file3.rb:3) 1
";
    assert_eq!(run("export", &seed, ["--to", "folded"]).success(), expected);
}

#[test]
fn truncates_stacks_at_a_depth() {
    let (_folder, seed) = seed();
    let truncated = |mode| {
        run("export", &seed, ["--to", "folded", "--max-depth", "1", "--truncate", mode]).success()
    };
    let kept = "func1 (file1.rb:1) 1\nfunc1 (file1.rb:1);func2 (file2.rb:2) ";
    assert!(truncated("fold").starts_with(&format!("{kept}3\n")), "{}", truncated("fold"));
    assert!(truncated("drop").starts_with(&format!("{kept}2\n")), "{}", truncated("drop"));
    let chart = run("export", &seed, ["--to", "flamechart", "--max-depth", "0"]);
    assert_eq!(chart.stdout, "func1 6\n");
}

#[test]
fn a_flame_chart_has_one_line_per_call_in_order_of_time() {
    let (_folder, seed) = seed();
    let chart = run("export", &seed, ["--to", "flamechart"]);
    // The first func2 is sampled again after it called func3; the second is another call.
    let rows = [
        "1 1",
        "1;func2 1",
        "1;func2;func3 1",
        "1;func3 1",
        "1;func2 1",
        "1;funcX 0",
        "1;funcX;func3 1",
    ];
    assert_eq!(chart.stdout, rows.map(|row| format!("func{row}\n")).concat());
    let lost = "lines, chronological order, which the profile does not record";
    assert_eq!(chart.stderr, format!("costline: warning: a flame chart cannot carry {lost}\n"));
}

/// Trace events of one thread, as `ph name ts` and a duration for `X`. The name of the file does
/// not tell the format.
fn trace(text: &str) -> (tempfile::TempDir, PathBuf) {
    let event = |event: &str| {
        let mut words = event.split(' ');
        let mut word = || words.next().unwrap_or("0");
        let (ph, name, ts, dur) = (word(), word(), word(), word());
        format!(r#"{{"ph":"{ph}","name":"{name}","pid":1,"tid":2,"ts":{ts},"dur":{dur}}}"#)
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace.txt");
    std::fs::write(
        &path,
        format!("[{}]", text.split(", ").map(event).collect::<Vec<_>>().join(",")),
    )
    .unwrap();
    (folder, path)
}

#[test]
fn calls_in_a_trace_have_self_and_total() {
    let functions = |text: &str| {
        let (folder, trace) = trace(text);
        costs(&trace, folder.path())
            .0
            .join(", ")
            .replace(" null", "")
            .replace('"', "")
            .replace(".0", "")
    };
    let expected = "f 70 160, g 60 90, h 30 30";
    assert_eq!(functions("B f 0, B g 10, B h 30, E h 60, E g 100, E f 160"), expected);
    assert_eq!(functions("X h 30 30, X g 10 90, X f 0 160"), expected);
    // A recursive call counts once.
    assert_eq!(functions("B f 0, B f 1, B g 2, E g 5, E f 6, E f 9"), "f 6 9, g 3 3");
    assert_eq!(functions("X alpha 0 10, X beta 5 10"), "alpha 5 10, beta 5 5");
    assert_eq!(functions("B alpha 0, B beta 1, E alpha 9, E beta 10"), "alpha 1 9, beta 8 8");
    assert_eq!(functions("B m 0, B f 1, E f 4, B g 4, E g 6, E m 6"), "f 3 3, g 2 2, m 1 6");
}

#[test]
fn exports_a_trace_as_folded_stacks_flame_chart_and_tree() {
    let calls = "X decode 0 5, X link 5 3, X init 8 7, B kernel_run 15, B f 20, E f 30, B f 40, B g 45, E g 50, E f 60, E kernel_run 75";
    let (_folder, phases) = trace(calls);
    let written = |arguments: &[&str]| {
        let ran = Outcome::of(costline().arg("export").arg(&phases).args(arguments));
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        ran.stdout.lines().map(str::to_owned).collect::<Vec<_>>().join(", ")
    };
    let chart = "decode 5, link 3, init 7, kernel_run 30, kernel_run;f 10, kernel_run;f 15, kernel_run;f;g 5";
    assert_eq!(written(&["--to", "flamechart"]), chart);
    let folded = "decode 5, init 7, kernel_run 30, kernel_run;f 25, kernel_run;f;g 5, link 3";
    assert_eq!(written(&["--to", "folded"]), folded);
    let sum = |text: String| {
        text.split(", ")
            .map(|line| line.rsplit_once(' ').unwrap().1.parse::<f64>().unwrap())
            .sum::<f64>()
    };
    assert_eq!(sum(written(&["--to", "folded", "--max-depth", "1"])), 75.0);
    assert_eq!(sum(written(&["--to", "folded", "--max-depth", "1", "--truncate", "drop"])), 70.0);
    assert_eq!(
        written(&["--to", "flamechart", "--max-depth", "0"]),
        "decode 5, link 3, init 7, kernel_run 60"
    );

    let tree = run("tree", &phases, ["--depth", "0", "--json"]).success();
    let tree: Value = serde_json::from_str(&tree).unwrap();
    let row = |row: &Value| format!("{} {}", row["name"].as_str().unwrap(), row["total"]);
    let rows: Vec<_> = tree["nodes"].as_array().unwrap().iter().map(row).collect();
    assert_eq!(rows, ["kernel_run 60", "init 7", "decode 5", "link 3"]);
    assert_eq!(tree["total"], 75);
    let edges = run("report", &phases, ["--by", "edge"]).success();
    assert!(edges.contains("kernel_run → f") && edges.contains("2 calls"), "{edges}");
}

#[test]
fn replaces_an_existing_file_only_with_overwrite() {
    let (folder, seed) = seed();
    let out = folder.path().join("out.folded");
    let path = out.to_str().unwrap();
    assert_eq!(run("export", &seed, ["--to", "folded", "-o", path]).success(), "");
    let message = run("export", &seed, ["--to", "folded", "-o", path]).failure(3);
    assert_eq!(message, format!("{path}: the file exists; use --overwrite to replace it"));
    run("export", &seed, ["--to", "folded", "-o", path, "--overwrite", "--max-depth", "0"])
        .success();
    assert_eq!(std::fs::read_to_string(&out).unwrap(), "func1 (file1.rb:1) 6\n");
    let nowhere = folder.path().join("no/such/folder");
    let message =
        run("export", &seed, ["--to", "folded", "-o", nowhere.to_str().unwrap()]).failure(3);
    assert!(message.contains("cannot be written"), "{message}");
}

#[test]
fn the_tree_lists_paths_and_can_be_inverted() {
    let (_folder, seed) = seed();
    let tree = run("tree", &seed, []).success();
    let rows: Vec<_> = tree
        .lines()
        .skip(2)
        .map(|line| line.split_once("  func").map_or(line, |(_, rest)| rest))
        .collect();
    assert_eq!(
        rows,
        ["1  file1.rb", "2  file2.rb", "3  file3.rb", "3  file3.rb", "X  file1.rb", "3  file3.rb"],
        "{tree}"
    );
    assert!(
        tree.lines().nth(2).unwrap().contains("100.0% (6 samples)  16.7% (1 sample)  func1"),
        "{tree}"
    );
    let roots = run("tree", &seed, ["--depth", "0"]).success();
    assert_eq!(roots.lines().count(), 4, "{roots}");
    assert!(roots.ends_with("omitted: 3 call paths and all below them (--depth)\n"), "{roots}");

    let inverted = run("tree", &seed, ["--inverted", "--json"]).success();
    let inverted: Value = serde_json::from_str(&inverted).unwrap();
    let row = |row: &Value| {
        format!("{} {} {} {}", row["name"], row["depth"], row["parent"], row["total"])
    };
    let rows: Vec<_> = inverted["nodes"].as_array().unwrap().iter().map(row).collect();
    assert_eq!(
        rows.iter().map(|row| row.replace('"', "")).collect::<Vec<_>>(),
        [
            "func3 0 null 3",
            "func1 1 0 1",
            "func2 1 0 1",
            "func1 2 2 1",
            "funcX 1 0 1",
            "func1 2 4 1",
            "func2 0 null 2",
            "func1 1 6 2",
            "func1 0 null 1",
        ]
    );
}

#[test]
fn the_tree_of_a_real_profile_adds_up() {
    let tree = on("tree", V8, ["--json", "--min-percent", "0"]).success();
    let tree: Value = serde_json::from_str(&tree).unwrap();
    let nodes = tree["nodes"].as_array().unwrap();
    let selfs: f64 = nodes.iter().map(|node| node["self"].as_f64().unwrap()).sum();
    let roots: f64 = nodes
        .iter()
        .filter(|node| node["depth"] == 0)
        .map(|node| node["total"].as_f64().unwrap())
        .sum();
    assert_eq!((Some(selfs), Some(roots)), (tree["total"].as_f64(), tree["total"].as_f64()));
}

/// Functions and lines of a report, without libraries and start lines, which some formats lack.
fn costs(profile: &Path, root: &Path) -> (Vec<String>, Vec<String>) {
    let ran =
        Outcome::of(costline().arg("report").arg(profile).args(["--json", "--root"]).arg(root));
    let report: Value =
        serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{}", ran.stderr));
    let rows = |table: &str, keys: &[&str]| {
        let row = |row: &Value| {
            keys.iter().map(|&key| row[key].to_string()).collect::<Vec<_>>().join(" ")
        };
        let mut rows: Vec<_> = report[table].as_array().unwrap().iter().map(row).collect();
        rows.sort();
        rows
    };
    (
        rows("functions", &["name", "file", "self", "total"]),
        rows("lines", &["file", "line", "self", "total"]),
    )
}

#[test]
fn exports_read_back_with_the_same_costs() {
    let folder = tempfile::tempdir().unwrap();
    for (profile, targets) in [
        (
            "folded/py-gridworld-pyspy/pyspy.raw.txt",
            &["folded", "speedscope", "firefox", "pprof"][..],
        ),
        ("firefox/rust-wordstat-v70/profile.json.gz", &["firefox", "pprof"]),
        ("pprof/go-indexer-cpu/cpu.pb.gz", &["folded", "speedscope", "pprof"]),
    ] {
        let profile = super::fixture(profile);
        let root = profile.parent().unwrap();
        let expected = costs(&profile, root);
        for target in targets {
            let out = folder.path().join(format!("{target}.out"));
            let ran = run(
                "export",
                &profile,
                ["--to", target, "--overwrite", "-o", out.to_str().unwrap()],
            );
            assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), ""), "{}", ran.stderr);
            assert!(ran.stderr.lines().count() <= 1, "at most one warning: {}", ran.stderr);
            assert_eq!(costs(&out, root), expected, "{} as {target}", profile.display());
        }
    }
}

#[test]
fn call_graphs_export_to_callgrind_only() {
    let folder = tempfile::tempdir().unwrap();
    let profile = super::fixture("callgrind/ruby-ledger-rbspy/rbspy.callgrind");
    let root = profile.parent().unwrap();
    let out = folder.path().join("again.out");
    let ran = run("export", &profile, ["--to", "callgrind", "-o", out.to_str().unwrap()]);
    assert!(!ran.stderr.contains("cannot carry"), "{}", ran.stderr);
    assert_eq!(costs(&out, root), costs(&profile, root));
    let message = run("export", &profile, ["--to", "folded"]).failure(3);
    assert_eq!(
        message,
        "this recording is a call graph without stacks; it can only be exported to callgrind (--to callgrind)"
    );
}

/// stackprof states the line totals, folded stacks have no times.
#[test]
fn what_a_format_cannot_carry_is_named() {
    let lines = super::fixture("stackprof/ruby-ledger/stackprof.json");
    let ran = run("export", &lines, ["--to", "callgrind"]);
    assert!(ran.stderr.ends_with(" cannot carry line totals\n"), "{}", ran.stderr);
    let folder = tempfile::tempdir().unwrap();
    let profile = folder.path().join("cpu.folded");
    std::fs::write(&profile, "main;work 7\nmain 3\n").unwrap();
    let ran = run("export", &profile, ["--to", "flamechart"]);
    let warning = "a flame chart cannot carry chronological order, which the profile does not \
                   record\n";
    assert_eq!(ran.stderr, format!("costline: warning: {warning}"));
    assert_eq!(run("export", &profile, ["--to", "folded"]).stderr, "");
    // Samples are no calls.
    let no_calls = "call counts (the profile has none; `calls=` counts consecutive samples of a \
                    call once)";
    let ran = run("export", &profile, ["--to", "callgrind"]);
    assert!(ran.stderr.ends_with(&format!(", {no_calls}\n")), "{}", ran.stderr);
    let (_folder, calls) = trace("B f 0, B g 10, E g 100, E f 160");
    let ran = run("export", &calls, ["--to", "callgrind"]);
    assert!(!ran.stderr.contains(no_calls), "{}", ran.stderr);
}

/// V8 does not record which lines callers execute.
#[test]
fn formats_with_line_totals_lose_that_they_are_unknown() {
    let profile = super::fixture(V8);
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    for target in ["folded", "speedscope", "firefox", "pprof", "callgrind", "flamechart"] {
        let to = ["--to", target, "--overwrite", "-o", out.to_str().unwrap()];
        let warning = run("export", &profile, to).stderr;
        // A flame chart has no lines.
        let is_lost = warning.contains("that line totals are unknown");
        assert_eq!(is_lost, target != "flamechart", "{target}: {warning}");
    }
}

/// Two samples of 1 ms each in `f`, and two idle ones.
#[test]
fn idle_samples_are_kept_or_named() {
    let folder = tempfile::tempdir().unwrap();
    let profile = folder.path().join("app.cpuprofile");
    let node = |id: u32, name: &str, url: &str, children: &[u32]| {
        let frame = json!({
            "functionName": name, "scriptId": "1", "url": url, "lineNumber": 2, "columnNumber": 1,
        });
        json!({ "id": id, "callFrame": frame, "hitCount": 0, "children": children })
    };
    let text = json!({
        "nodes": [
            node(1, "(root)", "", &[2, 3]), node(2, "(idle)", "", &[]), node(3, "f", "/a.js", &[]),
        ],
        "startTime": 0, "endTime": 4000,
        "samples": [2, 3, 2, 3], "timeDeltas": [0, 1000, 1000, 1000],
    });
    std::fs::write(&profile, text.to_string()).unwrap();
    let sums = |profile: &Path| {
        let report: Value =
            serde_json::from_str(&run("report", profile, ["--json"]).stdout).unwrap();
        ["total", "idle"].map(|key| report[key].as_f64().unwrap())
    };
    assert_eq!(sums(&profile), [2000.0, 2000.0], "in microseconds");
    let out = folder.path().join("out");
    let export = |target| {
        let to = ["--to", target, "--overwrite", "-o", out.to_str().unwrap()];
        run("export", &profile, to).stderr
    };
    for target in ["folded", "flamechart", "flamegraph", "speedscope", "pprof", "callgrind"] {
        let warning = export(target);
        assert!(warning.contains("idle samples"), "{target}: {warning}");
        assert!(!warning.contains("which samples are idle"), "{target}: {warning}");
    }
    assert!(!export("firefox").contains("idle"));
    assert_eq!(sums(&out), [2.0, 2.0], "in milliseconds");
}

#[test]
fn draws_flame_graphs_with_and_without_a_baseline() {
    let (folder, seed) = seed();
    let ran = run("export", &seed, ["--to", "flamegraph"]);
    assert!(
        ran.stdout.starts_with("<?xml") && ran.stdout.contains("func2 (3 samples, 50.00%)"),
        "{}",
        ran.stdout
    );
    assert!(
        !ran.stdout.contains("rgb(255,255,255)"),
        "a graph without a baseline has the colours of flames"
    );
    let base = folder.path().join("base");
    std::fs::write(&base, SEED.replace("func2 - file2.rb:2 1", "func2 - file2.rb:2 9")).unwrap();
    let ran = run("export", &seed, ["--to", "flamegraph", "--baseline", base.to_str().unwrap()]);
    assert!(ran.stdout.contains("func2 (3 samples, 50.00%; -"), "{}", ran.stdout);
    let message =
        run("export", &seed, ["--to", "pprof", "--baseline", base.to_str().unwrap()]).failure(2);
    assert_eq!(
        message,
        "pprof cannot be compared with a baseline; export folded stacks or a flame graph"
    );
    // Profiles with different metrics are not compared.
    let time = crate::fixture("v8/node-mdrender/main.cpuprofile");
    let out = folder.path().join("none.svg");
    let to =
        ["--to", "flamegraph", "--baseline", time.to_str().unwrap(), "-o", out.to_str().unwrap()];
    let message = run("export", &seed, to).failure(3);
    let (time, seed) = (time.display(), seed.display());
    assert_eq!(
        message,
        format!(
            "{time}: cannot be compared with {seed}: it measures `time` (us), not `samples`; choose \
             a baseline with the same metric"
        )
    );
    assert!(!out.exists());
}

/// A line that not all formats can express is unknown from the start.
#[test]
fn every_format_is_read_again_after_an_absurd_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(path("cpu.folded"), "main (a.rs:4294967295);f (a.rs:2147483647) 5\n").unwrap();
    for (format, name) in [
        ("firefox", "x.json"),
        ("pprof", "x.pb.gz"),
        ("speedscope", "x.speedscope.json"),
        ("callgrind", "callgrind.out.1"),
        ("folded", "x.folded"),
    ] {
        super::run(["export", "--to", format, &path("cpu.folded"), "-o", &path(name)]);
        let lines = super::run(["report", "--by", "line", &path(name)]);
        assert_eq!(lines.code, Some(0), "{format}: {}", lines.stderr);
        assert!(lines.stdout.contains("a.rs:2147483647"), "{format}: {}", lines.stdout);
    }
}

/// Two weights per stack, as `difffolded.pl` writes them.
#[test]
fn writes_differential_folded_stacks() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    // `parse` moved by two lines, `old` is gone, `new` appeared.
    write("base", "main (a.py:2);parse (a.py:6) 30\nmain (a.py:3);old (a.py:9) 20\n");
    write("now", "main (a.py:4);parse (a.py:8) 90\nmain (a.py:5);new (a.py:12) 10\n");
    let export = |arguments: &[&str]| {
        let all = [&["export", "now", "--to", "folded", "--baseline", "base"], arguments].concat();
        Outcome::of(costline().current_dir(folder.path()).args(all)).stdout
    };
    assert_eq!(export(&[]), "main;new 0 10\nmain;old 20 0\nmain;parse 30 90\n");
    // Shares are compared with the same total: 50 of the base are 100.
    let scaled = "main;new 0 10\nmain;old 40 0\nmain;parse 60 90\n";
    assert_eq!(export(&["--compare", "share"]), scaled);
    // Readers of such a file take the second weight.
    write("diff", &export(&[]));
    let again = Outcome::of(costline().current_dir(folder.path()).args(["report", "diff"]));
    assert!(again.stdout.starts_with("diff: 100 samples"), "{}", again.stdout);
    // Times are compared as they are.
    write("base", &super::speedscope(&[("parse", 6, 30), ("old", 9, 20)]));
    write("now", &super::speedscope(&[("parse", 8, 90), ("new", 12, 10)]));
    assert_eq!(export(&[]), "main;new 0 10\nmain;old 20 0\nmain;parse 30 90\n");
    assert_eq!(export(&["--compare", "share"]), scaled);
}

#[test]
fn rejects_stacks_that_would_exceed_memory_and_suggests_max_depth() {
    // Every sample is one call deeper: a file of 200 kB that expands to gigabytes of folded stacks.
    let folder = tempfile::tempdir().unwrap();
    let deep = folder.path().join("deep");
    let event = |i: u32, phase: char| {
        format!(
            r#"{{"ph":"{phase}","name":"descend_into_the_subtree_of_a_node","ts":{i},"pid":1,"tid":1}}"#
        )
    };
    let events: Vec<_> =
        (0..9000).map(|i| event(i, 'B')).chain((9000..18_000).map(|i| event(i, 'E'))).collect();
    std::fs::write(&deep, format!("[{}]", events.join(","))).unwrap();
    for target in ["folded", "flamechart"] {
        let message = run("export", &deep, ["--to", target]).failure(3);
        assert!(
            message.contains(
                "more than 1 GiB, because stacks are deep and numerous; limit them with \
                 --max-depth, select fewer samples with --range"
            ),
            "{message}"
        );
        let ran = run("export", &deep, ["--to", target, "--max-depth", "3"]);
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    }
    for target in ["firefox", "callgrind", "flamegraph"] {
        assert_eq!(run("export", &deep, ["--to", target]).code, Some(0), "{target}");
    }
}

/// A limit on the size of files stands for a full disk. The signal for it is ignored, so that the
/// write fails.
#[cfg(unix)]
#[test]
fn a_failed_write_leaves_the_old_file_and_no_new_one() {
    let folder = tempfile::tempdir().unwrap();
    let profile = folder.path().join("cpu.folded");
    let stacks: Vec<_> = (0..5000).map(|n| format!("main;function_number_{n} 1\n")).collect();
    std::fs::write(&profile, stacks.concat()).unwrap();
    let (old, new) = (folder.path().join("old.json"), folder.path().join("new.json"));
    std::fs::write(&old, "the old file").unwrap();
    for (output, overwrite) in [(&old, Some("--overwrite")), (&new, None)] {
        // Blocks of 512 bytes.
        let limited = "trap '' XFSZ; ulimit -f 8; exec \"$0\" export --to speedscope \"$@\"";
        let mut command = Command::new("sh");
        command.args(["-c", limited, env!("CARGO_BIN_EXE_costline")]);
        command.args([&profile, Path::new("-o"), output]).args(overwrite);
        command.env("COSTLINE_CACHE_DIR", "");
        let message = Outcome::of(&mut command).failure(3);
        assert!(message.contains("cannot be written"), "{message}");
    }
    assert_eq!(std::fs::read_to_string(&old).unwrap(), "the old file");
    let mut left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().flatten().collect();
    left.retain(|entry| ![&old, &profile].contains(&&entry.path()));
    assert!(left.is_empty(), "{left:?}");
}
