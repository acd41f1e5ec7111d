//! The cases and where to find them.

use serde_json::Value;
use std::path::{Path, PathBuf};

/// A profile with its sources and expected costs.
#[derive(Clone)]
pub struct Case {
    pub name: String,
    /// The folder of the sources.
    pub folder: PathBuf,
    pub profile: PathBuf,
    /// The expected report.
    pub expected: Value,
    /// The expected report before source maps are applied, if that differs.
    pub generated: Option<Value>,
    /// The folder of the sources at the time of the recording, with a trailing slash.
    pub root: String,
    /// The format, as named in a report.
    pub format: String,
    /// The metric of `expected`, if it is not the default of the profile.
    pub metric: Option<&'static str>,
    /// The library or program whose debug info gives names and lines. Code in others is not
    /// compared.
    pub module: Option<String>,
    /// The number of functions in `expected` that stand for several functions of the profile with
    /// the same name and file.
    pub n_merged: usize,
    /// Lines for which `expected` has an impossible total.
    pub over_counted: &'static [(&'static str, u64)],
    /// Lines of recursive calls, of which `expected` has the total of the run, and the file bounds.
    pub bounded: &'static [(&'static str, u64)],
    /// Hits of lines in `expected` that are outside of the function that has them. They are of a
    /// function of another file, which V8 inlined.
    pub inlined: Vec<(String, u64, f64)>,
    /// Whether the totals of functions in `expected` are from another file of the same run, which
    /// has more information.
    pub totals_from_elsewhere: bool,
}

impl Case {
    /// The same case before source maps are applied.
    pub fn generated(&self) -> Case {
        let mut case = self.clone();
        case.expected = case.generated.take().unwrap_or(case.expected);
        case
    }
}

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap()
}

fn json(path: &Path) -> Value {
    let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_slice(&bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn folders(path: &Path) -> Vec<PathBuf> {
    let entries =
        std::fs::read_dir(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut folders: Vec<_> =
        entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

/// The cases in `fixtures/profiles/<tool>`: folders with `expected.json`, and `case.json`, which
/// describes the case.
pub fn fixtures() -> Vec<Case> {
    let fixtures = project().join("fixtures/profiles");
    let folders = folders(&fixtures).into_iter().flat_map(|tool| folders(&tool));
    let folders = folders.filter(|folder| folder.join("expected.json").exists());
    let case = |folder: PathBuf| {
        let about = json(&folder.join("case.json"));
        let text = |key: &str| {
            about[key]
                .as_str()
                .unwrap_or_else(|| panic!("{}: no {key}", folder.display()))
                .to_owned()
        };
        let name = folder.strip_prefix(&fixtures).unwrap().display().to_string();
        Case {
            n_merged: n_merged(&name, &text("format"), about["module"].is_string()),
            over_counted: over_counted(&name),
            bounded: bounded(&name),
            inlined: inlined(&name),
            metric: metric(&text("profile")),
            name,
            profile: folder.join(text("profile")),
            expected: json(&folder.join("expected.json")),
            generated: Some(folder.join("expected.generated.json"))
                .filter(|path| path.exists())
                .map(|path| json(&path)),
            root: format!("{}/", text("root")),
            format: text("format"),
            module: about["module"].as_str().map(str::to_owned),
            totals_from_elsewhere: totals_from_elsewhere(&text("profile")),
            folder,
        }
    };
    folders.map(case).collect()
}

/// The profiles of the larger corpus in formats that are read, if it exists. Its `case.json`
/// describe several profiles each.
pub fn corpus() -> Option<Vec<Case>> {
    let corpus = project().join("../shared/corpus");
    corpus
        .exists()
        .then(|| folders(&corpus).iter().flat_map(|folder| corpus_cases(folder)).collect())
}

fn corpus_cases(folder: &Path) -> Vec<Case> {
    let about = json(&folder.join("case.json"));
    let rows = about["profiles"].as_array().unwrap().iter();
    let case = |row: &Value| {
        let text = |key: &str| row[key].as_str().unwrap().to_owned();
        let format = text("format");
        let format = match () {
            () if format.starts_with("firefox-processed") => "firefox-processed",
            () if format.starts_with("V8 .cpuprofile") => "cpuprofile",
            () if format.starts_with("folded") => "folded",
            () if format.starts_with("raw Gecko") => "gecko",
            () if format.starts_with("pprof") => "pprof",
            () if format.starts_with("perf.data") => "perf-data",
            // The same profile is a fixture. Here `[self]` is expected to be a function, as in
            // speedscope's importer.
            () if format.contains("pyinstrument") => return None,
            () if format.starts_with("speedscope") => "speedscope",
            () if format.starts_with("Chrome trace") => "chrome-trace",
            () if format.starts_with("perf script") => "perf-script",
            () if format.starts_with("austin MOJO") => "austin-mojo",
            () if format.starts_with("stackprof") => "stackprof",
            () if format.starts_with("callgrind") => "callgrind",
            () if format.starts_with("Mercury Deep.data") => "mercury-deep",
            () => return None,
        };
        // A report spells files as the profile does, after source maps and before names are
        // completed.
        let view = |view: &str| row["more_expected"][view].as_str();
        let name = format!("{}/{}", folder.file_name().unwrap().display(), text("file"));
        Some(Case {
            n_merged: n_merged(&name, format, !row["needs"][0].is_null()),
            over_counted: over_counted(&name),
            bounded: bounded(&name),
            inlined: inlined(&name),
            metric: metric(&text("file")),
            name,
            profile: folder.join(text("file")),
            expected: corrected(json(&folder.join(view("asis").unwrap_or(&text("expected"))))),
            generated: view("generated").map(|file| json(&folder.join(file))),
            root: format!("{}/", about["root"].as_str().unwrap()),
            format: format.to_owned(),
            module: row["needs"][0]
                .as_str()
                .and_then(|path| path.rsplit('/').next())
                .map(str::to_owned),
            totals_from_elsewhere: totals_from_elsewhere(&text("file")),
            folder: folder.to_owned(),
        })
    };
    rows.filter_map(case).collect()
}

/// A closure on line 26 of `src/stats.ts` begins in the middle of a generated line, whose first code is
/// from line 25. The larger corpus has its cost on that line.
fn corrected(mut expected: Value) -> Value {
    for line in expected["lines"].as_array_mut().into_iter().flatten() {
        if line["file"] == "src/stats.ts" && line["line"] == 25 && line["self"] == 3 {
            line["line"] = 26.into();
        }
    }
    expected
}

/// The expected costs of V8's profiles are hits, those of DevTools' traces are samples, and those of Go's
/// heap profiles are the memory in use.
fn metric(file: &str) -> Option<&'static str> {
    match file {
        _ if file.ends_with(".cpuprofile") => Some("hits"),
        _ if Path::new(file).ends_with("trace.json.gz") => Some("samples"),
        _ if file.ends_with("heap.pb.gz") || file.ends_with("heap.otlp.json") => {
            Some("inuse_space")
        }
        _ => None,
    }
}

/// Firefox, perf and callgrind have a function per library, while the expected costs of these cases
/// have one per name and file. The raw profile has several functions called `(root scope)`; in the
/// converted one they contain the file in their name.
fn n_merged(case: &str, format: &str, is_native: bool) -> usize {
    match case {
        _ if case.contains("web-sudoku") && format == "gecko" => 49,
        // Functions of one name are told apart by where they start.
        _ if format == "memray" && !case.contains("1.18") => 3,
        _ if case.contains("web-sudoku") => 44,
        _ if case.contains("c-jsonlite") => 6,
        // Two instances of traits and two closures, which differ in their declaration.
        _ if case.contains("rust-wordstat") && is_native => 3,
        // `[unknown]` in a library and `[unknown]` in none.
        "cpp-raytrace/profiles/fp.script.txt" | "perf/cpp-raytrace" => 1,
        _ => 0,
    }
}

/// stackprof counts a line once per occurrence on a stack. The first of its lines is twice on every
/// stack of its method, so half of it is right (20). The others are in a recursive method with a
/// total of 25 samples.
///
/// Perl's `use` is a block on its line and is called from that line, so its cost was added to the
/// cost of the call, which contains it.
fn over_counted(case: &str) -> &'static [(&'static str, u64)] {
    const USE: [(&str, u64); 7] = [
        ("lib/Graph.pm", 2),
        ("lib/Graph.pm", 3),
        ("main.pl", 1),
        ("main.pl", 2),
        ("main.pl", 3),
        ("main.pl", 4),
        ("main.pl", 5),
    ];
    match case {
        "ruby-ledger/profiles/stackprof.json" => {
            &[("lib/ledger.rb", 20), ("main.rb", 17), ("main.rb", 19)]
        }
        _ if case.contains("perl-wordgraph") => &USE,
        _ => &[],
    }
}

/// `inlined` in `case.json`. Only definitions tell that these lines are not those of the function.
fn inlined(case: &str) -> Vec<(String, u64, f64)> {
    let is_inlined = ["v8/node-mdrender", "node-mdrender/profiles/main.cpuprofile"].contains(&case);
    if !is_inlined || !cfg!(feature = "grammars") {
        return Vec::new();
    }
    let about = json(&project().join("fixtures/profiles/v8/node-mdrender/case.json"));
    serde_json::from_value(about["inlined"].clone()).unwrap()
}

/// Mercury's deep profiler does not record what calls within a recursion cost. Python's sampling
/// profiler has a total for each function on a line, but not how much they have in common.
fn bounded(case: &str) -> &'static [(&'static str, u64)] {
    const CHANGE: [(&str, u64); 4] =
        [("change.m", 26), ("change.m", 27), ("change.m", 39), ("change.m", 48)];
    const QUEENS: [(&str, u64); 6] = [
        ("queens.m", 25),
        ("queens.m", 41),
        ("queens.m", 47),
        ("queens.m", 54),
        ("queens.m", 59),
        ("queens.m", 78),
    ];
    match case {
        "mercury/change" => &CHANGE,
        _ if case.starts_with("mercury") => &QUEENS,
        "pstats/py-gridworld-sampling" => &[("main.py", 31), ("main.py", 32), ("main.py", 52)],
        _ => &[],
    }
}

/// cProfile counts recursion once. The callgrind file converted from it has only bounds.
fn totals_from_elsewhere(file: &str) -> bool {
    file.ends_with("callgrind.out.cprofile")
}
