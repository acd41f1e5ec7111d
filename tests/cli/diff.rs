//! `costline diff` and `--baseline`: what changed between two profiles.

mod hosts;
mod incomplete;
mod lenses;
mod matches;
mod outputs;
mod small;

use super::{Outcome, costline, speedscope};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

const APP: &str = "\
def main():
    parse()
    render()

def parse():
    pass

def render():
    pass
";

/// Milliseconds in functions that `main` calls: 600 in `parse`, 300 in `render`, 100 in `old`.
const BEFORE: [(&str, u32, u32); 3] = [("parse", 6, 600), ("render", 9, 300), ("old", 3, 100)];

/// A folder with `app.py` and these profiles.
fn project(profiles: &[(&str, String)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("app.py"), APP).unwrap();
    for (name, text) in profiles {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

/// `before.json`, and `after.json`, in which `parse` takes 900 ms and `fresh` takes the place of
/// `old`.
fn changed() -> TempDir {
    let after = [("parse", 6, 900), ("render", 9, 300), ("fresh", 3, 40)];
    project(&[("before.json", speedscope(&BEFORE)), ("after.json", speedscope(&after))])
}

fn ran(folder: &Path, arguments: &[&str]) -> Outcome {
    Outcome::of(costline().current_dir(folder).args(arguments))
}

/// The lines of a text with single blanks.
fn words(text: &str) -> Vec<String> {
    text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

/// Ten minutes of hosts that were twice as busy the second time, then twenty minutes.
#[test]
fn recordings_of_one_fixed_duration_are_compared_by_share() {
    let folder = TempDir::new().unwrap();
    let write = |name: &str, minutes: u32, work: u32, rest: u32| {
        let range = format!("[0, {}]", minutes * 60_000);
        let comment = format!(r#"# costline: {{"kind": "pyroscope", "rangeMs": {range}}}"#);
        let text = format!("{comment}\nmain;work {work}\nmain;rest {rest}\n");
        fs::write(folder.path().join(name), text).unwrap();
    };
    write("before.folded", 10, 2000, 8000);
    write("after.folded", 10, 8000, 12000);
    write("longer.folded", 20, 8000, 12000);
    let compare = |after: &str| {
        let text = ran(folder.path(), &["diff", "before.folded", after]).success();
        let lines = words(&text);
        let row = lines.iter().find(|line| line.ends_with(" work")).unwrap().clone();
        (row, text.contains("Shares of the total are compared"))
    };
    // 2000 of 10,000 samples, 8000 of 20,000.
    assert_eq!(compare("after.folded"), ("20.0% 40.0% ▲20.0 ▲20.0 work".to_owned(), true));
    let absolute = "2000 samples 8000 samples ▲6000 samples ▲6000 samples work".to_owned();
    assert_eq!(compare("longer.folded"), (absolute, false));
}

#[test]
fn lists_functions_the_greatest_change_first() {
    let folder = changed();
    let text = ran(folder.path(), &["diff", "before.json", "after.json"]).success();
    assert_eq!(
        words(&text)[3..],
        [
            "self before self after self change total change",
            "600 ms 900 ms ▲300 ms ▲300 ms parse app.py:5",
            "100 ms 0 s ▼100 ms ▼100 ms old app.py (gone)",
            "0 s 40.0 ms ▲40.0 ms ▲40.0 ms fresh app.py (new)",
            "omitted: 1 caller up to main (--sort total)",
            "omitted: 1 function without a change",
        ]
    );
    assert_eq!(
        words(&text)[..3],
        [
            "before.json → after.json: 1.00 s → 1.24 s +24%",
            "+24%: parse (▲300 ms), called by main",
            "Absolute costs are compared. These costs are exact, or their noise is unknown.",
        ]
    );
    let text = ran(folder.path(), &["diff", "before.json", "after.json", "--limit", "1"]).success();
    assert!(text.contains("omitted: 2 functions (--limit)"), "{text}");
    let sorted = |by| {
        let text =
            ran(folder.path(), &["diff", "before.json", "after.json", "--sort", by]).success();
        words(&text)[3..].to_vec()
    };
    assert_eq!(
        sorted("total"),
        [
            "total before total after total change self change",
            "600 ms 900 ms ▲300 ms ▲300 ms parse app.py:5",
            "1.00 s 1.24 s ▲240 ms main app.py:1",
            "100 ms 0 s ▼100 ms ▼100 ms old app.py (gone)",
            "0 s 40.0 ms ▲40.0 ms ▲40.0 ms fresh app.py (new)",
            "omitted: 1 function without a change",
        ]
    );
    let names: Vec<_> = sorted("name")[1..5]
        .iter()
        .map(|row| row.split(' ').rev().nth(1).unwrap().to_owned())
        .collect();
    assert_eq!(names, ["app.py", "main", "app.py", "parse"]);
}

#[test]
fn lists_lines_and_files() {
    let folder = changed();
    let list = |by| {
        let text = ran(folder.path(), &["diff", "before.json", "after.json", "--by", by]).success();
        words(&text)[4..].to_vec()
    };
    assert_eq!(
        list("line"),
        [
            "600 ms 900 ms ▲300 ms ▲300 ms app.py:6",
            "100 ms 40.0 ms ▼60.0 ms ▼60.0 ms app.py:3",
            "omitted: 1 line of which only the calls changed (--sort total)",
            "omitted: 1 line without a change",
        ]
    );
    assert_eq!(list("file"), ["1.00 s 1.24 s ▲240 ms app.py"]);
    let by_file = ["diff", "before.json", "after.json", "--by", "file"];
    let text = ran(folder.path(), &by_file).success();
    assert_eq!(words(&text)[3], "self before self after self change");
    let text =
        ran(folder.path(), &[by_file.as_slice(), &["--format", "markdown"]].concat()).success();
    assert!(
        text.contains("| self before | self after | self change | file |\n|---:|---:|---:|---|\n"),
        "{text}"
    );
}

#[test]
fn what_has_no_lines_or_no_file_is_said() {
    let folder = project(&[
        ("before.folded", "main (app.py:2) 1000\n".to_owned()),
        ("missing.folded", "main (missing.py:2) 1000\n".to_owned()),
        ("names.folded", "main;parse 1000\n".to_owned()),
        ("other.folded", "main;parse 1000\nmain;fresh 1000\n".to_owned()),
    ]);
    let list = |before, after, by| {
        let text = ran(folder.path(), &["diff", before, after, "--by", by]).success();
        let from = words(&text).iter().position(|line| line.starts_with("Absolute")).unwrap();
        words(&text)[from + 1..].to_vec()
    };
    assert_eq!(
        list("names.folded", "other.folded", "line"),
        ["omitted: all lines: the profiles have no lines"]
    );
    assert_eq!(
        list("missing.folded", "names.folded", "line"),
        ["omitted: all lines: names.folded has no lines"]
    );
    assert_eq!(
        list("before.folded", "names.folded", "file"),
        [
            "self before self after self change",
            "1000 samples 0 samples ▼1000 samples app.py (gone)",
            "0 samples 1000 samples ▲1000 samples no file (new)",
        ]
    );
    let markdown =
        ["diff", "before.folded", "names.folded", "--by", "file", "--format", "markdown"];
    let markdown = ran(folder.path(), &markdown).success();
    assert!(markdown.contains("| no file (new) |"), "{markdown}");
}

/// The sum of profiles is not the mean of baselines.
#[test]
fn a_sum_that_is_compared_with_a_mean_has_a_warning() {
    let folder = changed();
    let both = ["report", "after.json", "before.json", "--baseline", "before.json"];
    let outcome = ran(folder.path(), &both);
    let warning = "the sum of 2 profiles is compared with before.json; for the mean of several runs, pass --combine average";
    assert!(outcome.stderr.contains(warning), "{outcome:?}");
    let outcome = ran(folder.path(), &[both.as_slice(), &["--combine", "average"]].concat());
    assert_eq!(outcome.stderr, "", "{outcome:?}");
}

#[test]
fn writes_all_costs_as_json() {
    let folder = changed();
    let text = ran(folder.path(), &["diff", "before.json", "after.json", "--json"]).success();
    let diff: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        json!([diff["version"], diff["before"], diff["after"], diff["change"], diff["noise"]]),
        json!([1, 1000, 1240, 240, null])
    );
    assert_eq!((&diff["compare"], &diff["unit"]), (&json!("absolute"), &json!("milliseconds")));
    let functions = diff["functions"].as_array().unwrap();
    let rows: Vec<Value> = functions
        .iter()
        .map(|row| json!([row["name"], row["before"], row["after"], row["change"], row["sides"]]))
        .collect();
    assert_eq!(
        rows,
        [
            json!(["parse", 600, 900, 300, "both"]),
            json!(["main", 1000, 1240, 240, "both"]),
            json!(["old", 100, 0, -100, "before"]),
            json!(["fresh", 0, 40, 40, "after"]),
            json!(["render", 300, 300, 0, "both"]),
        ]
    );
    assert_eq!(functions[1]["self"]["change"], 0);
    assert_eq!(diff["lines"].as_array().unwrap().len(), 4);
}

/// The JSON of reports and trees has the changes that their texts show.
#[test]
fn reports_and_trees_have_changes_in_json() {
    let folder = changed();
    let json_of = |command, more: &[&str]| -> Value {
        let arguments = [&[command, "after.json", "--json"], more].concat();
        serde_json::from_str(&ran(folder.path(), &arguments).success()).unwrap()
    };
    let baseline = ["--baseline", "before.json"];
    let report = json_of("report", &baseline);
    let total = &report["comparison"];
    assert_eq!(
        json!([total["before"], total["after"], total["change"], total["noise"], total["compare"]]),
        json!([1000, 1240, 240, null, "absolute"])
    );
    assert!(total["baseline"].as_str().unwrap().ends_with("before.json"), "{total}");
    let part = |change: &Value| match change {
        Value::Null => Value::Null,
        _ => json!([change["before"], change["after"], change["change"], change["changed"]]),
    };
    let rows = |rows: &Value, name: &str| -> Vec<Value> {
        let row = |row: &Value| {
            let change = &row["comparison"];
            json!([row[name], part(&change["self"]), part(&change["total"])])
        };
        rows.as_array().unwrap().iter().map(row).collect()
    };
    let parse = json!(["parse", [600, 900, 300, true], [600, 900, 300, true]]);
    let render = json!(["render", [300, 300, 0, false], [300, 300, 0, false]]);
    let main = json!(["main", [0, 0, 0, false], [1000, 1240, 240, true]]);
    // The baseline has no function `fresh`: it may have been renamed.
    let fresh = json!(["fresh", null, null]);
    let functions = rows(&report["functions"], "name");
    assert_eq!(functions, [main.clone(), parse.clone(), render.clone(), fresh]);
    // Line 2 calls everything, line 3 has `old` before and `fresh` now.
    let line = |line: u32, own: Value, total: Value| json!([line, own, total]);
    assert_eq!(
        rows(&report["lines"], "line"),
        [
            line(2, json!([0, 0, 0, false]), json!([1000, 1240, 240, true])),
            line(6, json!([600, 900, 300, true]), json!([600, 900, 300, true])),
            line(9, json!([300, 300, 0, false]), json!([300, 300, 0, false])),
            line(3, json!([100, 40, -60, true]), json!([100, 40, -60, true])),
        ]
    );
    let tree = json_of("tree", &baseline);
    assert_eq!(tree["comparison"]["change"], 240);
    assert_eq!(rows(&tree["nodes"], "name")[..3], [main, parse, render]);
    let shares = json_of("report", &["--baseline", "before.json", "--compare", "share"]);
    assert_eq!(shares["comparison"]["compare"], "share");
    // 60% of 1 s are 744 ms of 1.24 s.
    assert_eq!(shares["functions"][1]["comparison"]["self"]["change"], 156);
    for command in ["report", "tree"] {
        let plain = json_of(command, &[]).to_string();
        assert!(!plain.contains("comparison"), "{plain}");
    }
}

/// The costs of several baselines are averaged, and a change within their spread is noise.
#[test]
fn several_baselines_are_averaged() {
    // `parse` varies by 100 ms, `render` does not.
    let run = |parse| speedscope(&[("parse", 6, parse), ("render", 9, 300)]);
    let after = speedscope(&[("parse", 6, 700), ("render", 9, 310)]);
    let runs = [("a.json", run(500)), ("b.json", run(600)), ("c.json", run(700))];
    let folder = project(&[&runs[..], &[("after.json", after)]].concat());
    let baselines = ["--baseline", "a.json", "--baseline", "b.json", "--baseline", "c.json"];
    let json: Value = {
        let arguments = [&["report", "after.json", "--json"], &baselines[..]].concat();
        serde_json::from_str(&ran(folder.path(), &arguments).success()).unwrap()
    };
    let total = &json["comparison"];
    assert_eq!(
        json!([total["runs"], total["before"], total["change"], total["changed"]]),
        json!([3, 900, 110, false])
    );
    let own = |row: usize| {
        let change = &json["functions"][row]["comparison"]["self"];
        json!([change["before"], change["change"], change["changed"]])
    };
    assert_eq!((own(1), own(2)), (json!([600, 100, false]), json!([300, 10, true])));
    // 100 ms · √(1 + 1/3), 4.604 standard deviations (t-distribution, 4 degrees of freedom).
    let noise = json["functions"][1]["comparison"]["self"]["noise"].as_f64().unwrap();
    assert!((noise - 460.4 * (4.0_f64 / 3.0).sqrt()).abs() < 1e-6, "{noise}");
    for command in ["report", "tree", "annotate"] {
        let arguments = [&[command, "after.json", "--unit", "absolute"], &baselines[..]].concat();
        let text = words(&ran(folder.path(), &arguments).success());
        let heading =
            "compared with the mean of 3 runs of a.json: 900 ms → 1.01 s +12% (within noise)";
        assert_eq!(text[1], heading);
        assert!(text.iter().any(|line| line.contains("310 ms ▲10.0 ms")), "{text:?}");
        assert!(!text.iter().any(|line| line.contains("700 ms ▲")), "{text:?}");
    }
    fs::write(folder.path().join("other.folded"), "main (app.py:2) 5\n").unwrap();
    let other = [&["report", "after.json"], &baselines[..], &["--baseline", "other.folded"]];
    let message = ran(folder.path(), &other.concat()).failure(3);
    assert!(message.starts_with("other.folded: cannot be compared with after.json"), "{message}");
}

/// The mean of the runs that are shown, with the standard deviation of each cost.
#[test]
fn several_profiles_are_averaged() {
    // `parse` costs 500 and 700 ms, `render` 300 ms in both runs.
    let run = |parse| speedscope(&[("parse", 6, parse), ("render", 9, 300)]);
    let folder = project(&[("a.json", run(500)), ("b.json", run(700))]);
    let text = |arguments: &[&str]| words(&ran(folder.path(), arguments).success());
    let mean = text(&["report", "a.json", "b.json", "--combine", "average", "--unit", "absolute"]);
    // The mean of 500 and 700 is 600, their deviation √(100² + 100²).
    assert_eq!(mean[0], "a.json and 1 more file: 900 ms ±141 ms in 2 threads · mean of 2 runs");
    let row = |name: &str| mean.iter().find(|line| line.contains(name)).unwrap().clone();
    assert!(row(" parse ").starts_with("600 ms ±141 ms 600 ms ±141 ms parse"), "{mean:?}");
    assert!(row(" render ").starts_with("300 ms ±0 s 300 ms ±0 s render"), "{mean:?}");
    let sum = text(&["report", "a.json", "b.json", "--unit", "absolute"]);
    assert_eq!(sum[0], "a.json and 1 more file: 1.80 s in 2 threads");
    // One run is its own mean.
    let one = text(&["report", "a.json", "--combine", "average", "--unit", "absolute"]);
    assert_eq!(one, text(&["report", "a.json", "--unit", "absolute"]));
    let json =
        ran(folder.path(), &["report", "a.json", "b.json", "--combine", "average", "--json"])
            .success();
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json!([json["runs"], json["total"]]), json!([2, 900]));
    let spread = |row: &Value| (row["spread"]["self"].as_f64(), row["spread"]["total"].as_f64());
    let close = |found: Option<f64>| (found.unwrap() - 20_000_f64.sqrt()).abs() < 1e-9;
    let parse = json["functions"].as_array().unwrap().iter().find(|row| row["name"] == "parse");
    let (own, total) = spread(parse.unwrap());
    assert!(close(own) && close(total) && close(json["spread"].as_f64()), "{json}");
    let line = json["lines"].as_array().unwrap().iter().find(|row| row["line"] == 6).unwrap();
    assert!(close(spread(line).0), "{line}");
    // Compared with three runs whose spread is 100 ms: √(100²/3 + 20000/2) ms, 63.657 deviations, which
    // 1% of a t-distribution with 1 degree of freedom are beyond.
    for (name, parse) in [("c.json", 500), ("d.json", 600), ("e.json", 700)] {
        fs::write(folder.path().join(name), run(parse)).unwrap();
    }
    let baselines = ["--baseline", "c.json", "--baseline", "d.json", "--baseline", "e.json"];
    let compared =
        [&["report", "a.json", "b.json", "--combine", "average", "--json"], &baselines[..]];
    let json: Value =
        serde_json::from_str(&ran(folder.path(), &compared.concat()).success()).unwrap();
    let parse = json["functions"].as_array().unwrap().iter().find(|row| row["name"] == "parse");
    let noise = parse.unwrap()["comparison"]["self"]["noise"].as_f64().unwrap();
    assert!((noise - 4.604 * (40_000.0_f64 / 3.0).sqrt()).abs() < 1e-6, "{noise}");
    let runs = ["--base", "d.json", "--base", "e.json", "--new", "b.json", "--json"];
    let diff = ran(folder.path(), &[&["diff", "c.json", "a.json"], &runs[..]].concat()).success();
    let diff: Value = serde_json::from_str(&diff).unwrap();
    let parse = diff["functions"].as_array().unwrap().iter().find(|row| row["name"] == "parse");
    assert!((parse.unwrap()["self"]["noise"].as_f64().unwrap() - noise).abs() < 1e-6, "{diff}");
}

/// Several runs on both sides: a change within their spread is noise.
#[test]
fn several_runs_are_compared_with_several() {
    // `parse` varies by 10 ms, `render` does not.
    let run = |parse, render| speedscope(&[("parse", 6, parse), ("render", 9, render)]);
    let runs = [
        ("a.json", run(500, 300)),
        ("b.json", run(510, 300)),
        ("c.json", run(490, 300)),
        ("d.json", run(520, 310)),
        ("e.json", run(530, 310)),
        ("f.json", run(510, 310)),
    ];
    let folder = project(&runs);
    let with = |arguments: &[&str]| {
        let runs = ["--base", "b.json", "--base", "c.json", "--new", "e.json", "--new", "f.json"];
        ran(folder.path(), &[&["diff", "a.json", "d.json"], &runs[..], arguments].concat())
    };
    let text = words(&with(&[]).success());
    assert_eq!(
        text[..3],
        [
            "a.json and 2 more files → d.json and 2 more files: 800 ms → 830 ms +3.8% (within noise)",
            "render (▲10.0 ms), called by main",
            "Absolute costs are compared. Changes within the spread of the runs are omitted."
        ]
    );
    // 20 ms are within 4.604 · √(100/3 + 100/3) = 38 ms.
    assert!(text.iter().any(|line| line.contains("render")), "{text:?}");
    assert!(!text.iter().any(|line| line.contains("parse")), "{text:?}");
    let json: Value = serde_json::from_str(&with(&["--json"]).success()).unwrap();
    let row = |name: &str| {
        let rows = json["functions"].as_array().unwrap().iter();
        rows.clone().find(|row| row["name"] == name).unwrap().clone()
    };
    assert_eq!(json!([row("parse")["before"], row("parse")["after"]]), json!([500, 520]));
    let failed = with(&["--fail-above-function", "0.1%"]);
    assert_eq!(
        (failed.code, failed.stderr.as_str()),
        (Some(4), "costline: functions grew by more than 0.1% of the total: render +1.2%\n")
    );
    let one = ran(folder.path(), &["diff", "a.json", "d.json", "--json"]).success();
    assert!(serde_json::from_str::<Value>(&one).unwrap()["after"] == 830);
}

/// The bytes that each function allocates, beside its time.
#[test]
fn a_second_cost_is_shown_beside_the_first() {
    let time = speedscope(&[("parse", 6, 750), ("render", 9, 250)]);
    let bytes = speedscope(&[("parse", 6, 4096), ("render", 9, 0)]);
    let bytes = bytes.replace("milliseconds", "bytes");
    let folder = project(&[("cpu.json", time), ("heap.json", bytes)]);
    let of = |arguments: &[&str]| {
        let arguments = [arguments, &["--overlay", "heap.json"]].concat();
        words(&ran(folder.path(), &arguments).success())
    };
    let report = of(&["report", "cpu.json"]);
    assert_eq!(report[1], "beside bytes of heap.json: 4.00 KiB");
    let row = |name: &str| report.iter().find(|line| line.ends_with(name)).unwrap().clone();
    assert_eq!(
        row("parse app.py:5").replace(" parse app.py:5", ""),
        "75.0% (750 ms) 75.0% (750 ms) · 4.00 KiB"
    );
    assert_eq!(row("render app.py:8").matches("KiB").count(), 0);
    let source = of(&["annotate", "cpu.json"]);
    let line = |number: &str| source.iter().find(|line| line.contains(number)).unwrap().clone();
    assert!(line(" 6 ").starts_with("75.0% 75.0% · 4.00 KiB 6 "), "{source:?}");
    assert!(line(" 9 ").starts_with("25.0% 25.0% 9 "), "{source:?}");
    let json = ["report", "cpu.json", "--json", "--overlay", "heap.json"];
    let json: Value = serde_json::from_str(&ran(folder.path(), &json).success()).unwrap();
    assert_eq!(json!([json["overlay"]["unit"], json["overlay"]["total"]]), json!(["bytes", 4096]));
    let rows = json["functions"].as_array().unwrap();
    let overlay =
        |name: &str| rows.iter().find(|row| row["name"] == name).unwrap()["overlay"].clone();
    assert_eq!(overlay("parse"), json!({ "self": 4096, "total": 4096 }));
    assert_eq!(overlay("main"), json!({ "self": 0, "total": 4096 }));
    assert_eq!(overlay("render"), Value::Null);
    // What has the second cost only.
    let bytes = speedscope(&[("parse", 6, 4096), ("fresh", 3, 1024)]);
    fs::write(folder.path().join("heap.json"), bytes.replace("milliseconds", "bytes")).unwrap();
    let source = of(&["annotate", "cpu.json"]);
    assert!(source.contains(&"0.0% · 1.00 KiB 3 render()".to_owned()), "{source:?}");
    let report = of(&["report", "cpu.json"]);
    assert_eq!(report.last().unwrap(), "0.0% (0 s) 0.0% (0 s) · 1.00 KiB fresh app.py");
    let none = of(&["report", "cpu.json", "--limit", "3"]);
    assert!(!none.iter().any(|line| line.contains("fresh")), "{none:?}");
    let message = ran(folder.path(), &["report", "cpu.json", "--overlay", "heat"]).failure(2);
    assert_eq!(
        message,
        "the overlay `heat` is neither a profile nor a metric of cpu.json (`milliseconds`)"
    );
}

#[test]
fn fails_if_costs_grew_by_more_than_allowed() {
    let folder = changed();
    let code = |arguments: &[&str]| {
        let ran = ran(folder.path(), &[&["diff", "before.json", "after.json"], arguments].concat());
        (ran.code, ran.stderr.lines().last().unwrap_or_default().to_owned())
    };
    assert_eq!(code(&["--fail-above", "24%"]).0, Some(0));
    assert_eq!(
        code(&["--fail-above", "23.9%"]),
        (Some(4), "costline: the total grew by more than 23.9%: 1.00 s → 1.24 s +24%".to_owned())
    );
    // 300 ms of 1 s.
    assert_eq!(code(&["--fail-above-function", "30"]).0, Some(0));
    assert_eq!(
        code(&["--fail-above-function", "20%"]),
        (
            Some(4),
            "costline: functions grew by more than 20% of the total: parse +30.0%".to_owned()
        )
    );
    assert_eq!(code(&["--fail-above", "much"]).0, Some(2));
    // The list is written before.
    let ran = ran(folder.path(), &["diff", "before.json", "after.json", "--fail-above", "1"]);
    assert!(ran.stdout.contains("▲300 ms"), "{}", ran.stdout);
}

/// Noise neither fails nor is listed.
#[test]
fn noise_is_omitted() {
    let folded = |parse, render| {
        format!(
            "main (app.py:2);parse (app.py:6) {parse}\nmain (app.py:3);render (app.py:9) {render}\n"
        )
    };
    let folder =
        project(&[("before.folded", folded(500, 500)), ("after.folded", folded(530, 500))]);
    let arguments = ["diff", "before.folded", "after.folded"];
    let text = ran(folder.path(), &arguments).success();
    assert!(
        text.starts_with(
            "before.folded → after.folded: 1000 samples → 1030 samples +3.0% (within noise)"
        ),
        "{text}"
    );
    assert!(text.ends_with("omitted: 3 functions without a change beyond noise\n"), "{text}");
    let failing = [&arguments[..], &["--fail-above-function", "1%"]].concat();
    ran(folder.path(), &failing).success();
    let text = ran(folder.path(), &[&arguments[..], &["--json"]].concat()).success();
    let diff: Value = serde_json::from_str(&text).unwrap();
    assert!(diff["functions"].as_array().unwrap().iter().all(|row| row["changed"] == false));
    // 2.576 standard deviations of 1000 and 1030 samples.
    let noise = diff["noise"].as_f64().unwrap();
    assert!((noise - 2.576 * 2030.0_f64.sqrt()).abs() < 0.1, "{noise}");
}

/// A function that became faster makes no other one slower.
#[test]
fn an_optimisation_passes() {
    let folded = |load, count| {
        format!(
            "main (app.py:2);load (app.py:6) {load}\nmain (app.py:3);count (app.py:9) {count}\n"
        )
    };
    let folder =
        project(&[("before.folded", folded(400, 600)), ("after.folded", folded(400, 100))]);
    let diff = ["diff", "before.folded", "after.folded", "--fail-above-function", "5"];
    let text = ran(folder.path(), &diff).success();
    assert!(text.contains("\n−50%: count (▼500 samples), called by main\n"), "{text}");
    assert!(!text.contains("load"), "{text}");
    let shares = ran(folder.path(), &[&diff[..], &["--compare", "share"]].concat());
    assert_eq!(shares.code, Some(4), "{}", shares.stdout);
}

/// Another machine: all functions took 1.3 times as long.
#[test]
fn a_common_factor_is_said_once() {
    let run = |tenths: u32| {
        speedscope(&[
            ("parse", 6, 6_000 * tenths),
            ("render", 9, 5_000 * tenths),
            ("sort", 3, 4_000 * tenths),
        ])
    };
    let folder = project(&[("before.json", run(10)), ("after.json", run(13))]);
    let diff = ["diff", "before.json", "after.json"];
    let text = ran(folder.path(), &diff).success();
    let sentence = "All functions took 1.30 times as long; no function's share changed.";
    assert!(text.contains(sentence) && !text.contains("parse"), "{text}");
    let function = [&diff[..], &["--fail-above-function", "5%"]].concat();
    ran(folder.path(), &function).success();
    let total = ran(folder.path(), &[&diff[..], &["--fail-above", "5%"]].concat());
    assert_eq!(total.code, Some(4));
    assert!(total.stderr.ends_with(&format!("+30%. {sentence}\n")), "{}", total.stderr);
}

/// 239 and 281 samples of 10 ms: a limit of 2% passes whatever they show.
#[test]
fn a_gate_says_what_it_can_see() {
    let run = |n: usize| {
        json!({
            "$schema": "https://www.speedscope.app/file-format-schema.json", "exporter": "py-spy@0.4.3",
            "shared": { "frames": [{ "name": "f", "file": "app.py", "line": 2 }] },
            "profiles": [{
                "type": "sampled", "name": "t", "unit": "seconds", "startValue": 0,
                "endValue": n as f64 / 100.0, "samples": vec![[0]; n], "weights": vec![0.01; n],
            }],
        })
        .to_string()
    };
    let folder =
        project(&[("before.json", run(239)), ("after.json", run(281)), ("slow.json", run(809))]);
    let gate = ["diff", "before.json", "after.json", "--fail-above", "2%"];
    let outcome = ran(folder.path(), &gate);
    assert_eq!(outcome.code, Some(0));
    // 2.576 · √(2 · 239) of 239 samples; 2 · (2.576 / 2%)².
    let expected = "costline: warning: --fail-above: changes of the total below 24% cannot be told from noise with 239 and 281 samples; 2% needs about 34,000 samples of each, or more runs (--base, --new)\n";
    assert_eq!(outcome.stderr, expected);
    let required = ran(folder.path(), &[&gate[..], &["--require-power"]].concat());
    assert_eq!(required.code, Some(3));
    // What they show fails.
    let slow = ["diff", "before.json", "slow.json", "--fail-above", "2%", "--require-power"];
    assert_eq!(ran(folder.path(), &slow).code, Some(4));
    assert!(
        !ran(folder.path(), &["diff", "before.json", "after.json", "--fail-above", "30%"])
            .stderr
            .contains("noise")
    );
}

/// The second recording is ten times as long.
#[test]
fn a_number_of_samples_is_no_length_of_time() {
    let folder = project(&[
        ("before.folded", "main (app.py:2) 1000\n".to_owned()),
        ("after.folded", "main (app.py:2) 10000\n".to_owned()),
    ]);
    let arguments = ["diff", "before.folded", "after.folded"];
    for compare in ["absolute", "share"] {
        let more = ["--fail-above", "2%", "--compare", compare];
        let message = ran(folder.path(), &[&arguments[..], &more].concat()).failure(3);
        assert!(message.contains("does not say how long the program ran"), "{message}");
    }
    // Costs are compared as they are unless shares are asked for: main has 9000 more samples.
    let function = [&arguments[..], &["--fail-above-function", "1%"]].concat();
    assert_eq!(ran(folder.path(), &function).code, Some(4));
    ran(folder.path(), &[&function[..], &["--compare", "share"]].concat()).success();
}

/// pprof states how many samples a time consists of.
#[test]
fn the_noise_of_pprof_is_that_of_its_samples() {
    let profile = crate::fixture("pprof/go-indexer-cpu/cpu.pb.gz");
    let profile = profile.to_str().unwrap();
    let [samples, cpu] = ["samples", "cpu"].map(|metric| {
        let text = crate::run(["diff", profile, profile, "--metric", metric, "--json"]).success();
        let diff: Value = serde_json::from_str(&text).unwrap();
        (diff["before"].as_f64().unwrap(), diff["noise"].as_f64().unwrap())
    });
    // Some standard deviations of as many samples on both sides.
    let deviations = samples.1 / (2.0 * samples.0).sqrt();
    assert!((2.5..6.0).contains(&deviations), "{deviations}");
    // A sample is 10 ms.
    assert!((cpu.1 / samples.1 / 1e7 - 1.0).abs() < 1e-6, "{} {}", cpu.1, samples.1);
}

#[test]
fn refuses_what_cannot_be_compared() {
    let folder = changed();
    fs::write(folder.path().join("other.folded"), "main (app.py:2) 5\n").unwrap();
    let message = ran(folder.path(), &["diff", "before.json", "other.folded"]).failure(3);
    assert_eq!(
        message,
        "before.json: cannot be compared with other.folded: it measures `milliseconds`, not \
         `samples`; choose a baseline with the same metric"
    );
    let message = ran(folder.path(), &["diff", "before.json"]).failure(2);
    assert_eq!(message, "diff needs two profiles: costline diff BASE NEW");
}

/// speedscope names the metric after its unit.
#[test]
fn times_in_different_units_are_compared() {
    // 1 s and 1.24 s.
    let before = speedscope(&BEFORE);
    let after = speedscope(&[("parse", 6, 900_000), ("render", 9, 300_000), ("fresh", 3, 40_000)]);
    let bytes = before.replace("milliseconds", "bytes");
    let folder = project(&[
        ("before.json", before),
        ("after.json", after.replace("milliseconds", "microseconds")),
        ("bytes.json", bytes),
    ]);
    let diff = ["diff", "before.json", "after.json"];
    let text = ran(folder.path(), &diff).success();
    assert_eq!(words(&text)[0], "before.json → after.json: 1.00 s → 1.24 s +24%");
    assert_eq!(words(&text)[4], "600 ms 900 ms ▲300 ms ▲300 ms parse app.py:5");
    let shares = ran(folder.path(), &[&diff[..], &["--compare", "share"]].concat()).success();
    assert!(
        words(&shares).contains(&"60.0% 72.6% ▲12.6 ▲12.6 parse app.py:5".to_owned()),
        "{shares}"
    );
    let files = ran(folder.path(), &[&diff[..], &["--by", "file"]].concat()).success();
    assert!(words(&files).contains(&"1.00 s 1.24 s ▲240 ms app.py".to_owned()), "{files}");
    let json = ran(folder.path(), &[&diff[..], &["--json"]].concat()).success();
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        json!([json["unit"], json["before"], json["change"]]),
        json!(["microseconds", 1_000_000, 240_000])
    );
    // The other way, in a list that has its own rows.
    let report = ["report", "before.json", "--baseline", "after.json", "--unit", "absolute"];
    let report = words(&ran(folder.path(), &report).success());
    assert_eq!(report[1], "compared with after.json: 1.24 s → 1.00 s −19%");
    assert!(
        report.contains(&"600 ms ▼300 ms 600 ms ▼300 ms parse app.py:5".to_owned()),
        "{report:?}"
    );
    // Bytes are of another kind.
    let message = ran(folder.path(), &["diff", "bytes.json", "after.json"]).failure(3);
    assert!(message.contains("it measures `bytes`, not `microseconds`"), "{message}");
    // Files of other programs have the weights as recorded.
    let export = ["export", "after.json", "--baseline", "before.json", "--to", "folded"];
    let message = ran(folder.path(), &export).failure(3);
    assert!(message.contains("it measures `milliseconds`, not `microseconds`"), "{message}");
}

/// 4 s in samples of 10 ms, and in samples of 1 ms.
#[test]
fn samples_of_different_intervals_are_compared_as_times() {
    let recording = |header: &str, samples| {
        let sample =
            r#"{"trace":[{"name":"f","relative_path":"a.rb","absolute_path":null,"lineno":3}]}"#;
        format!("rbspy02\n{header}\n{}", format!("{sample}\n").repeat(samples))
    };
    let folder = project(&[
        ("rare.rbspy", recording(r#"{"sample_rate":100}"#, 400)),
        ("often.rbspy", recording(r#"{"sample_rate":1000}"#, 4000)),
        ("unknown.rbspy", recording("{}", 400)),
    ]);
    let diff = |before, after| {
        let text = ran(folder.path(), &["diff", before, after]).success();
        words(&text)[..2].join(" ")
    };
    for [before, after] in [["rare.rbspy", "often.rbspy"], ["often.rbspy", "rare.rbspy"]] {
        let text = diff(before, after);
        let expected = format!("{before} → {after}: 4.00 s → 4.00 s Absolute costs");
        assert!(text.starts_with(&expected), "{text}");
    }
    // Without an interval, numbers of samples are compared as they are.
    let text = diff("unknown.rbspy", "often.rbspy");
    assert!(text.contains("400 ms → 4.00 s +900%"), "{text}");
}

#[test]
fn reports_sources_and_trees_show_changes() {
    let folder = changed();
    let compared = |command, more: &[&str]| {
        let arguments =
            [&[command, "after.json", "--baseline", "before.json", "--unit", "absolute"], more]
                .concat();
        words(&ran(folder.path(), &arguments).success())
    };
    let totals = "compared with before.json: 1.00 s → 1.24 s +24%";
    let report = compared("report", &[]);
    assert_eq!(report[1], totals);
    assert_eq!(report[3], "900 ms ▲300 ms 900 ms ▲300 ms parse app.py:5");
    let tree = compared("tree", &[]);
    assert_eq!(tree[1], totals);
    assert_eq!(
        tree[3..5],
        ["1.24 s ▲240 ms main app.py:1", "900 ms ▲300 ms 900 ms ▲300 ms parse app.py:5"]
    );
    let annotated = compared("annotate", &[]);
    assert_eq!(annotated[1], totals);
    assert!(
        annotated.contains(&"900 ms ▲300 ms 900 ms ▲300 ms 6 pass".to_owned()),
        "{annotated:?}"
    );
    let share = compared("report", &["--compare", "share"]);
    // 72.6% of 1.24 s, before 60% of 1 s.
    assert_eq!(share[3], "900 ms ▲12.6 900 ms ▲12.6 parse app.py:5");
}

#[test]
fn flame_graphs_compare_like_reports() {
    let folder = changed();
    let drawn = |more: &[&str]| {
        let arguments = ["export", "after.json", "--to", "flamegraph", "--baseline", "before.json"];
        ran(folder.path(), &[&arguments, more].concat()).success()
    };
    let svg = drawn(&[]);
    assert!(svg.contains("1.00 s → 1.24 s +24%"), "{svg}");
    // 300 of 1240 ms more, and as much as before.
    assert!(svg.contains("parse (900 milliseconds, 72.58%; +24.19%)"), "{svg}");
    assert!(svg.contains("render (300 milliseconds, 24.19%; 0.00%)"), "{svg}");
    // 72.6% instead of 60%.
    assert!(drawn(&["--compare", "share"]).contains("72.58%; +12.58%)"), "{svg}");
}

/// Several runs of each side are averaged, so there is nothing to choose.
#[test]
fn a_sum_of_runs_is_refused() {
    let folder = changed();
    let arguments = ["diff", "before.json", "after.json", "--new", "after.json", "--combine"];
    let ran_with = |how| ran(folder.path(), &[arguments.as_slice(), &[how]].concat());
    let message = ran_with("sum").failure(2);
    assert_eq!(message, "diff compares the mean of several runs, not their sum");
    ran_with("average").success();
    assert!(!ran(folder.path(), &["diff", "--help"]).success().contains("--combine"));
}
