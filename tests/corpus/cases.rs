//! Where the cases are.

use serde_json::Value;
use std::path::{Path, PathBuf};

/// A profile with its sources and expected costs.
#[derive(Clone)]
pub struct Case {
    pub name: String,
    /// Where the sources lie.
    pub folder: PathBuf,
    pub profile: PathBuf,
    /// What a report says.
    pub expected: Value,
    /// What the file says before source maps are applied, where that is something else.
    pub generated: Option<Value>,
    /// Where the sources lay when the profile was recorded, with a slash at the end.
    pub root: String,
    /// The format, as a report names it.
    pub format: String,
    /// The metric that `expected` is of, where a report shows another one by itself.
    pub metric: Option<&'static str>,
    /// The library or program of the case, where names and lines come from its debug info: what lies in others is not compared.
    pub module: Option<String>,
    /// How many functions of `expected` stand for several functions of the profile that share name and file.
    pub n_merged: usize,
    /// Lines of which `expected` has a total that no line can have.
    pub over_counted: &'static [(&'static str, u64)],
    /// Whether `expected` has totals of functions from another file of the same run, which knows more.
    pub totals_from_elsewhere: bool,
}

impl Case {
    /// The same, as it is before source maps are applied.
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
    let entries = std::fs::read_dir(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut folders: Vec<_> = entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

/// The folders of `fixtures/profiles/<tool>`: each with `expected.json`, and `case.json` that says what is what.
pub fn fixtures() -> Vec<Case> {
    let fixtures = project().join("fixtures/profiles");
    let folders = folders(&fixtures).into_iter().flat_map(|tool| folders(&tool));
    let folders = folders.filter(|folder| folder.join("expected.json").exists());
    let case = |folder: PathBuf| {
        let about = json(&folder.join("case.json"));
        let text = |key: &str| about[key].as_str().unwrap_or_else(|| panic!("{}: no {key}", folder.display())).to_owned();
        let name = folder.strip_prefix(&fixtures).unwrap().display().to_string();
        Case {
            n_merged: n_merged(&name, &text("format"), about["module"].is_string()),
            over_counted: over_counted(&name),
            metric: metric(&text("profile")),
            name,
            profile: folder.join(text("profile")),
            expected: json(&folder.join("expected.json")),
            generated: Some(folder.join("expected.generated.json")).filter(|path| path.exists()).map(|path| json(&path)),
            root: format!("{}/", text("root")),
            format: text("format"),
            module: about["module"].as_str().map(str::to_owned),
            totals_from_elsewhere: totals_from_elsewhere(&text("profile")),
            folder,
        }
    };
    folders.map(case).collect()
}

/// The profiles of the larger corpus whose format is read, if it is there. Its `case.json` lists several profiles each.
pub fn corpus() -> Option<Vec<Case>> {
    let corpus = project().join("../shared/corpus");
    corpus.exists().then(|| folders(&corpus).iter().flat_map(|folder| corpus_cases(folder)).collect())
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
            // The same profile is a fixture. Here `[self]` is expected to be a function, as speedscope's importer has it.
            () if format.contains("pyinstrument") => return None,
            () if format.starts_with("speedscope") => "speedscope",
            () if format.starts_with("Chrome trace") => "chrome-trace",
            () if format.starts_with("perf script") => "perf-script",
            () if format.starts_with("austin MOJO") => "austin-mojo",
            () if format.starts_with("stackprof") => "stackprof",
            () if format.starts_with("callgrind") => "callgrind",
            () => return None,
        };
        // A report spells files as the profile does, before names are completed, but after source maps.
        let view = |view: &str| row["more_expected"][view].as_str();
        let name = format!("{}/{}", folder.file_name().unwrap().display(), text("file"));
        Some(Case {
            n_merged: n_merged(&name, format, !row["needs"][0].is_null()),
            over_counted: over_counted(&name),
            metric: metric(&text("file")),
            name,
            profile: folder.join(text("file")),
            expected: json(&folder.join(view("asis").unwrap_or(&text("expected")))),
            generated: view("generated").map(|file| json(&folder.join(file))),
            root: format!("{}/", about["root"].as_str().unwrap()),
            format: format.to_owned(),
            module: row["needs"][0].as_str().and_then(|path| path.rsplit('/').next()).map(str::to_owned),
            totals_from_elsewhere: totals_from_elsewhere(&text("file")),
            folder: folder.to_owned(),
        })
    };
    rows.filter_map(case).collect()
}

/// The expected costs of V8's profiles are in hits, those of Go's heap in what is in use.
fn metric(file: &str) -> Option<&'static str> {
    match file {
        _ if file.ends_with(".cpuprofile") => Some("hits"),
        _ if file.ends_with("heap.pb.gz") => Some("inuse_space"),
        _ => None,
    }
}

/// Firefox, perf and callgrind have one function per library; the expected costs of these cases have one per name and file. The raw
/// profile has more functions called `(root scope)`: converted, they have the file in their name.
fn n_merged(case: &str, format: &str, is_native: bool) -> usize {
    match case {
        _ if case.contains("web-sudoku") && format == "gecko" => 49,
        _ if case.contains("web-sudoku") => 44,
        _ if case.contains("c-jsonlite") => 6,
        // Two instances of traits and two closures, told apart by where they are declared.
        _ if case.contains("rust-wordstat") && is_native => 3,
        // `[unknown]`, in a library and in none.
        "cpp-raytrace/profiles/fp.script.txt" | "perf/cpp-raytrace" => 1,
        _ => 0,
    }
}

/// stackprof counts a line once per occurrence on a stack. The first of its lines is on the stacks of its method twice each, so
/// half of it is right (20); the others are in a recursive method that 25 samples pass.
///
/// Perl's `use` is a block on its line that is called from that line: its cost is in the cost of that call, where it was added.
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
        "ruby-ledger/profiles/stackprof.json" => &[("lib/ledger.rb", 20), ("main.rb", 17), ("main.rb", 19)],
        _ if case.contains("perl-wordgraph") => &USE,
        _ => &[],
    }
}

/// cProfile counted recursion once; of that the callgrind file made from it tells bounds.
fn totals_from_elsewhere(file: &str) -> bool {
    file.ends_with("callgrind.out.cprofile")
}
