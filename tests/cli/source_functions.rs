//! Functions of the sources on the command line. The numbers are counted by hand.

use crate::{Outcome, costline, fixture};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use tempfile::TempDir;

/// Five samples. `sum<u8>` calls `sum<f64>` in the first, and the last is of a closure of `sum`.
const SAMPLES: &str = "\
app::main (app.rs:8);app::sum<u8> (app.rs:2);app::sum<f64> (app.rs:3) 1
app::main (app.rs:8);app::sum<u8> (app.rs:2) 1
app::main (app.rs:9);app::sum<f64> (app.rs:3) 2
app::main (app.rs:9);app::sum<f64> (app.rs:2);app::sum::{{closure}} (app.rs:4) 1
";

const SOURCE: &str = "\
fn sum<T>(xs: &[T]) -> T {
    let first = xs.first();
    let rest = xs.iter()
        .map(|x| x + x);
    first + rest
}
fn main() {
    sum(&[1_u8]);
    sum(&[1.0]);
}
";

/// A folder with the source, and the profile in it.
fn project() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("app.rs"), SOURCE).unwrap();
    let profile = folder.path().join("cpu.folded");
    std::fs::write(&profile, SAMPLES).unwrap();
    (folder, profile)
}

/// What a command prints of the profile.
fn printed(profile: &Path, command: &str, more: &[&str]) -> String {
    let root = profile.parent().unwrap().to_str().unwrap();
    let arguments = [&[command, profile.to_str().unwrap(), "--root", root], more].concat();
    Outcome::of(costline().args(arguments)).success()
}

/// The profile says of `background` that it begins at line 53, where it executed when it was seen first,
/// not at line 49.
#[test]
fn functions_of_pythons_sampling_profiler_are_where_they_were() {
    let of = |name: &str| {
        std::fs::read(fixture(&format!("firefox/py-gridworld-sampling/{name}"))).unwrap()
    };
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("main.py");
    std::fs::write(&source, of("main.py")).unwrap();
    let profile = folder.path().join("profile.json.gz");
    std::fs::write(&profile, of("profile.json.gz")).unwrap();
    let text = printed(&profile, "annotate", &[source.to_str().unwrap()]);
    let row = text.lines().find(|row| row.ends_with("time.sleep(0.002)"));
    let words: Vec<_> = row.unwrap().split_whitespace().take(3).collect();
    // 203 of 1395 samples.
    assert_eq!(words, ["14.6%", "14.6%", "53"], "{text}");
}

/// dotnet-trace writes no files. 15 of 90 samples are of `Main` itself.
#[test]
fn methods_of_dotnet_trace_are_found_by_their_names() {
    let folder = tempfile::tempdir().unwrap();
    let copy = |name: &str| {
        let to = folder.path().join(name);
        std::fs::copy(fixture("speedscope/csharp-steps").join(name), &to).unwrap();
        to
    };
    let (profile, source) = (copy("app.speedscope.json"), copy("Program.cs"));
    let text = printed(&profile, "annotate", &[source.to_str().unwrap()]);
    let line = text.lines().position(|line| line.ends_with("static void Main(string[] args) {"));
    let above = text.lines().nth(line.unwrap() - 1).unwrap().trim_start();
    let lens =
        "Steps.Program.Main(class System.String[]): self 16.7% (15.0 ms) · total 100.0% (90.0 ms)";
    assert_eq!(above, lens, "{text}");
}

/// The rows of a table, with single blanks between their words.
fn rows(table: &str) -> Vec<String> {
    let words = |row: &str| row.split_whitespace().collect::<Vec<_>>().join(" ");
    table.lines().skip(2).map(words).collect()
}

/// Debug info names each lambda of C++ `operator()`, without a line.
#[test]
fn lambdas_of_a_file_are_told_apart_by_the_lines_that_they_executed() {
    let folder = tempfile::tempdir().unwrap();
    let source = "\
int main() {
    int t = run([](int i) { return i; });
    return t + run([](int i) {
        return 2 * i;
    });
}
";
    std::fs::write(folder.path().join("app.cpp"), source).unwrap();
    let samples =
        "main (app.cpp:2);operator() (app.cpp:2) 3\nmain (app.cpp:3);operator() (app.cpp:4) 5\n";
    let profile = folder.path().join("cpu.folded");
    std::fs::write(&profile, samples).unwrap();
    assert_eq!(
        rows(&printed(&profile, "report", &[])),
        [
            "62.5% (5 samples) 62.5% (5 samples) operator() app.cpp:3",
            "37.5% (3 samples) 37.5% (3 samples) operator() app.cpp:2",
            "0.0% (0 samples) 100.0% (8 samples) main app.cpp:1",
        ]
    );
}

#[test]
fn a_report_lists_functions_of_the_sources() {
    let (_folder, profile) = project();
    assert_eq!(
        rows(&printed(&profile, "report", &[])),
        [
            "80.0% (4 samples) 100.0% (5 samples) app::sum<…> app.rs:1",
            "20.0% (1 sample) 20.0% (1 sample) app::sum::{{closure}} app.rs:4",
            "0.0% (0 samples) 100.0% (5 samples) app::main app.rs:7",
        ]
    );
    let edges = rows(&printed(&profile, "report", &["--by", "edge"]));
    assert_eq!(
        edges,
        [
            "100.0% (5 samples) app::main → app::sum<…> at app.rs:9",
            "20.0% (1 sample) app::sum<…> → app::sum<…> at app.rs:2",
            "20.0% (1 sample) app::sum<…> → app::sum::{{closure}} at app.rs:2",
        ]
    );
}

#[test]
fn without_the_sources_functions_are_as_recorded() {
    let (folder, profile) = project();
    std::fs::remove_file(folder.path().join("app.rs")).unwrap();
    assert_eq!(
        rows(&printed(&profile, "report", &[])),
        [
            "60.0% (3 samples) 80.0% (4 samples) app::sum<f64> app.rs",
            "20.0% (1 sample) 40.0% (2 samples) app::sum<u8> app.rs",
            "20.0% (1 sample) 20.0% (1 sample) app::sum::{{closure}} app.rs",
            "0.0% (0 samples) 100.0% (5 samples) app::main app.rs",
        ]
    );
    let report: Value = serde_json::from_str(&printed(&profile, "report", &["--json"])).unwrap();
    assert_eq!(report["definitions"], json!([]));
}

#[test]
fn json_has_functions_as_recorded_and_their_definitions() {
    let (folder, profile) = project();
    let report: Value = serde_json::from_str(&printed(&profile, "report", &["--json"])).unwrap();
    let functions = report["functions"].as_array().unwrap().iter();
    let functions: Vec<_> =
        functions.map(|row| json!([row["name"], row["line"], row["self"], row["total"]])).collect();
    assert_eq!(
        functions,
        [
            json!(["app::main", null, 0, 5]),
            json!(["app::sum<f64>", null, 3, 4]),
            json!(["app::sum<u8>", null, 1, 2]),
            json!(["app::sum::{{closure}}", null, 1, 1]),
        ]
    );
    let path = folder.path().canonicalize().unwrap().join("app.rs");
    let definition = |name: &str, line: u32, [own, total]: [u32; 2], functions: &[u32]| {
        json!({
            "name": name, "path": path, "file": "app.rs", "line": line, "self": own,
            "total": total, "functions": functions,
        })
    };
    assert_eq!(
        report["definitions"],
        json!([
            definition("app::sum<…>", 1, [4, 5], &[1, 2]),
            definition("app::main", 7, [0, 5], &[0]),
            definition("app::sum::{{closure}}", 4, [1, 1], &[3]),
        ])
    );
}

/// Which of the two closures on line 2 it is, is not known.
#[test]
fn json_has_each_closure_of_one_name() {
    let folder = tempfile::tempdir().unwrap();
    let source = "\
fn top(xs: &[u64]) -> u64 {
    xs.iter().map(|x| x ^ 1).fold(1, |a, b| a ^ b)
}
fn other(xs: &[u64]) -> u64 {
    xs.iter().fold(7, |a, b| a + b)
}
";
    std::fs::write(folder.path().join("app.rs"), source).unwrap();
    let profile = folder.path().join("cpu.folded");
    let samples = "\
app::top (app.rs:2);{closure#0} (app.rs:2) 2
app::other (app.rs:5);{closure#0} (app.rs:5) 3
";
    std::fs::write(&profile, samples).unwrap();
    let report: Value = serde_json::from_str(&printed(&profile, "report", &["--json"])).unwrap();
    let rows = |table: &str| -> Vec<Value> {
        let rows = report[table].as_array().unwrap().iter();
        let rows = rows.filter(|row| row["name"] == "{closure#0}");
        rows.map(|row| json!([row["line"], row["self"], row["functions"]])).collect()
    };
    assert_eq!(rows("functions"), [json!([null, 5, null])]);
    let i = report["functions"].as_array().unwrap().iter().position(|row| row["self"] == 5);
    assert_eq!(rows("definitions"), [json!([5, 3, [i]]), json!([2, 2, [i]])]);
}

#[test]
fn annotate_names_functions_above_their_definitions() {
    let (_folder, profile) = project();
    let text = printed(&profile, "annotate", &[]);
    let words = |row: &str| row.split_whitespace().collect::<Vec<_>>().join(" ");
    let rows: Vec<_> = text.lines().skip(4).map(words).collect();
    assert_eq!(
        rows,
        [
            "app::sum<…>: self 80.0% (4 samples) · total 100.0% (5 samples)",
            "1 fn sum<T>(xs: &[T]) -> T {",
            "20.0% 60.0% 2 let first = xs.first();",
            "60.0% 60.0% 3 let rest = xs.iter()",
            "app::sum::{{closure}}: self 20.0% (1 sample) · total 20.0% (1 sample)",
            "20.0% 20.0% 4 .map(|x| x + x);",
            "5 first + rest",
            "6 }",
            "app::main: self 0.0% (0 samples) · total 100.0% (5 samples)",
            "7 fn main() {",
            "40.0% 8 sum(&[1_u8]);",
            "60.0% 9 sum(&[1.0]);",
            "10 }",
        ]
    );
}

#[test]
fn a_tree_has_paths_of_functions_of_the_sources() {
    let (_folder, profile) = project();
    assert_eq!(
        rows(&printed(&profile, "tree", &[])),
        [
            "100.0% (5 samples) app::main app.rs:7",
            "100.0% (5 samples) 60.0% (3 samples) app::sum<…> app.rs:1",
            "20.0% (1 sample) 20.0% (1 sample) app::sum<…> app.rs:1",
            "20.0% (1 sample) 20.0% (1 sample) app::sum::{{closure}} app.rs:4",
        ]
    );
    let tree: Value = serde_json::from_str(&printed(&profile, "tree", &["--json"])).unwrap();
    let nodes: Vec<_> = tree["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|node| json!([node["name"], node["depth"], node["self"], node["total"]]))
        .collect();
    assert_eq!(
        nodes,
        [
            json!(["app::main", 0, 0, 5]),
            json!(["app::sum<…>", 1, 3, 5]),
            json!(["app::sum<…>", 2, 1, 1]),
            json!(["app::sum::{{closure}}", 2, 1, 1]),
        ]
    );
}

/// Named by one instance, all of them are merged into their callers.
#[test]
fn transforms_act_on_functions_of_the_sources() {
    let (_folder, profile) = project();
    let view = ["--transform", "merge-function:app::sum<u8>"];
    assert_eq!(
        rows(&printed(&profile, "report", &view)),
        [
            "80.0% (4 samples) 100.0% (5 samples) app::main app.rs:7",
            "20.0% (1 sample) 20.0% (1 sample) app::sum::{{closure}} app.rs:4",
        ]
    );
    let report = printed(&profile, "report", &[&view[..], &["--json"]].concat());
    let report: Value = serde_json::from_str(&report).unwrap();
    for table in ["functions", "definitions"] {
        let rows = report[table].as_array().unwrap().iter();
        let rows: Vec<_> =
            rows.map(|row| json!([row["name"], row["self"], row["total"]])).collect();
        let expected = [json!(["app::main", 4, 5]), json!(["app::sum::{{closure}}", 1, 1])];
        assert_eq!(rows, expected, "{table}");
    }
    let export = [&view[..], &["--to", "folded"]].concat();
    let mut stacks: Vec<_> =
        printed(&profile, "export", &export).lines().map(str::to_owned).collect();
    stacks.sort();
    assert_eq!(
        stacks,
        [
            "app::main (app.rs:8) 2",
            "app::main (app.rs:9) 2",
            "app::main (app.rs:9);app::sum::{{closure}} (app.rs:4) 1",
        ]
    );
}

/// The line does not tell the two methods apart, but both are on it.
#[cfg(feature = "grammars")]
#[test]
fn methods_of_one_name_on_a_line_are_no_reason_to_doubt_the_file() {
    let source = "\
class P {
    static class X { int run() { return 1; } } static class Y { int run() { return 2; } }
    int go() {
        return new X().run() + new Y().run();
    }
}
";
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("P.java");
    std::fs::write(&path, source).unwrap();
    let an_hour_ago = SystemTime::now() - Duration::from_secs(3600);
    std::fs::File::options().write(true).open(&path).unwrap().set_modified(an_hour_ago).unwrap();
    let profile = folder.path().join("cpu.folded");
    let samples = "P.go (P.java:4);P$X.run (P.java:2) 30\nP.go (P.java:4);P$Y.run (P.java:2) 10\n";
    std::fs::write(&profile, samples).unwrap();
    let text = printed(&profile, "annotate", &["--unit", "absolute"]);
    assert!(!text.contains("may have moved") && !text.contains('~'), "{text}");
    let rows = rows(&text);
    assert!(rows.iter().any(|row| row.starts_with("40 samples 40 samples 2 ")), "{text}");
    assert!(
        rows.contains(&"40 samples 4 return new X().run() + new Y().run();".to_owned()),
        "{text}"
    );
}
