//! Compares the fixtures in formats of the Firefox Profiler with the output of its command line.

use crate::{REPOSITORY, compare, costline, fixtures, installed, output};
use proptest::prelude::Rng as _;
use proptest::test_runner::{RngAlgorithm, TestRng};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use tempfile::TempDir;

/// Self and total, in samples.
type Cost = (i64, i64);
/// Costs by name. Several functions can have the same name; for Firefox's own they are added up.
type Functions = BTreeMap<String, Vec<Cost>>;
/// By call path.
type Tree = BTreeMap<Vec<String>, Cost>;

/// Stands for all functions without a name.
const ADDRESS: &str = "(address)";

/// A profile that is loaded in the Profiler's daemon. The daemon ends when this is dropped.
struct Session {
    folder: TempDir,
    threads: String,
}

/// The Profiler's command line. It keeps the state of its daemon in `folder`.
fn profiler(folder: &Path) -> Command {
    let oracles = std::env::var_os("COSTLINE_ORACLES")
        .map_or_else(|| Path::new(REPOSITORY).join("target/oracles"), PathBuf::from);
    let modules = oracles.join("node_modules");
    let mut command = Command::new(modules.join(".bin/node"));
    command
        .arg(modules.join("@firefox-devtools/profiler-cli/dist/profiler-cli.js"))
        .env("PROFILER_CLI_SESSION_DIR", folder);
    command
}

impl Session {
    fn load(profile: &Path) -> Self {
        let mut session = Self { folder: TempDir::new().unwrap(), threads: String::new() };
        // There is no symbol server at this address. An error because the daemon started slowly is
        // ignored.
        let load = output(
            profiler(session.folder.path())
                .arg("load")
                .arg(profile)
                .args(["--symbol-server", "http://127.0.0.1:9"]),
        );
        let status = || output(profiler(session.folder.path()).args(["status", "--json"]));
        let loaded = (0..600).any(|_| {
            status().is_ok() || {
                std::thread::sleep(Duration::from_millis(100));
                false
            }
        });
        assert!(loaded, "{load:?} {:?}", status());
        let list: Value = serde_json::from_str(&session.run(&["list"])).unwrap();
        let threads: Vec<_> = list["threads"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row["threadHandle"].as_str().unwrap())
            .collect();
        session.threads = threads.join(",");
        session
    }

    /// The output of a command about threads, as JSON.
    fn run(&self, arguments: &[&str]) -> String {
        output(profiler(self.folder.path()).arg("thread").args(arguments).arg("--json")).unwrap()
    }

    /// The functions of all threads.
    fn functions(&self, filter: &[&str]) -> Vec<Value> {
        let text = self.run(
            &[&["functions", "--limit", "0", "--thread", self.threads.as_str()], filter].concat(),
        );
        let mut answer: Value = serde_json::from_str(&text).unwrap();
        std::mem::take(answer["functions"].as_array_mut().unwrap())
    }

    /// A call tree of all threads. The second one has the cost of children that were not printed,
    /// by path.
    fn tree(&self, command: &str, names: Names) -> (Tree, Tree) {
        let (mut tree, mut cut, mut path) = (Tree::new(), Tree::new(), Vec::new());
        let (mut name, mut own, mut total, mut missing) = (String::new(), 0, 0, 0);
        // The JSON is nested too deeply for a parser. The values of each node are printed first, on
        // a line each.
        for line in
            self.run(&[command, "--max-lines", "10000000", "--thread", &self.threads]).lines()
        {
            let Some((key, value)) = line.trim().trim_end_matches(',').split_once("\": ") else {
                continue;
            };
            let number = || value.parse::<i64>().unwrap();
            match key.trim_start_matches('"') {
                "nameWithLibrary" => {
                    name = names.of(&serde_json::from_str::<String>(value).unwrap());
                }
                "totalSamples" => total = number(),
                "selfSamples" => own = number(),
                "originalDepth" => {
                    let Ok(depth) = usize::try_from(number()) else { continue };
                    path.truncate(depth);
                    path.push(name.clone());
                    add(&mut tree, path.clone(), (own, total));
                }
                "combinedSamples" => missing = number(),
                "depth" => {
                    add(
                        &mut cut,
                        path[..usize::try_from(number()).unwrap()].to_vec(),
                        (0, missing),
                    );
                }
                _ => {}
            }
        }
        (tree, cut)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // If the daemon did not start, there is nothing to end.
        let _ = output(profiler(self.folder.path()).args(["stop", "--all"]));
    }
}

/// How to make names comparable.
#[derive(Clone, Copy)]
enum Names {
    /// Names of native programs.
    Native,
    /// Names in profiles of Firefox itself. For a function without symbols, the Profiler shows its
    /// address in the memory of one process, and Costline its address in the library. For the top
    /// level of a script, the Profiler shows the name of the script, and separates copies of the
    /// script in several processes.
    Browser,
}

impl Names {
    /// A comparable form of `name`, which can have a library in front.
    fn of(self, name: &str) -> String {
        // The Profiler writes LIBRARY!NAME, but both can contain an exclamation mark.
        let name = name.rsplit('!').next().unwrap();
        let script = name.starts_with("(root scope)")
            || !name.contains(' ') && (name.contains("://") || name.starts_with('/'));
        match self {
            Self::Browser if name.starts_with("0x") => ADDRESS.to_owned(),
            Self::Browser if script => "(root scope)".to_owned(),
            Self::Native | Self::Browser => name.to_owned(),
        }
    }
}

fn add(tree: &mut Tree, path: Vec<String>, cost: Cost) {
    let sum = tree.entry(path).or_default();
    *sum = (sum.0 + cost.0, sum.1 + cost.1);
}

fn number(row: &Value, key: &str) -> i64 {
    row[key].as_i64().unwrap_or_else(|| panic!("{key} of {row}"))
}

fn functions(rows: &[Value], names: Names, [name, own, total]: [&str; 3]) -> Functions {
    let mut functions = Functions::new();
    for row in rows {
        let name = names.of(row[name].as_str().unwrap());
        functions.entry(name).or_default().push((number(row, own), number(row, total)));
    }
    for costs in functions.values_mut() {
        match names {
            Names::Native => costs.sort_unstable(),
            Names::Browser => {
                *costs =
                    vec![costs.iter().fold((0, 0), |sum, cost| (sum.0 + cost.0, sum.1 + cost.1))];
            }
        }
    }
    functions
}

fn our_functions(profile: &Path, names: Names, arguments: &[&str]) -> Functions {
    let report = costline("report", profile, &[&["--no-symbols"], arguments].concat());
    functions(report["functions"].as_array().unwrap(), names, ["name", "self", "total"])
}

fn our_tree(profile: &Path, names: Names, arguments: &[&str]) -> Tree {
    let everything = ["--no-symbols", "--min-percent", "0", "--depth", "1000000"];
    let (mut tree, mut path) = (Tree::new(), Vec::new());
    for node in
        costline("tree", profile, &[&everything, arguments].concat())["nodes"].as_array().unwrap()
    {
        path.truncate(usize::try_from(number(node, "depth")).unwrap());
        path.push(names.of(node["name"].as_str().unwrap()));
        // In an inverted tree only the roots have self cost.
        add(&mut tree, path.clone(), (node["self"].as_i64().unwrap_or(0), number(node, "total")));
    }
    tree
}

/// The Profiler prints at most 100 children of a node. Removes the others from our tree, which must
/// have the cost that it states for them.
fn leave_out(cut: &Tree, theirs: &mut Tree, ours: &mut Tree) {
    for (parent, (_, missing)) in cut {
        let is_child = |path: &[String]| path.len() == parent.len() + 1 && path.starts_with(parent);
        let children: Vec<_> = ours
            .iter()
            .filter(|(path, _)| is_child(path))
            .map(|(path, cost)| (path.clone(), *cost))
            .collect();
        let mut sum = 0;
        for (child, (own, total)) in children {
            let printed = theirs.get(&child).copied().unwrap_or_default();
            if printed != (own, total) {
                sum += total - printed.1;
                theirs.retain(|path, _| !path.starts_with(&child));
                ours.retain(|path, _| !path.starts_with(&child));
            }
        }
        assert_eq!(sum, *missing, "below {parent:?}");
        eprintln!(
            "SKIPPED: children of {parent:?}, with {sum} samples; the Firefox Profiler does not print them"
        );
    }
}

/// Compares a whole profile, then what is left of it with and without a function.
fn check(profile: &Path, names: Names, function: Option<&str>) {
    let session = Session::load(profile);
    let what = |of: &str| format!("{of} of {}", profile.display());
    let listed = session.functions(&[]);
    let theirs =
        |rows: &[Value]| functions(rows, names, ["nameWithLibrary", "selfSamples", "totalSamples"]);
    compare(&what("functions"), &theirs(&listed), &our_functions(profile, names, &[]));

    for (command, arguments) in
        [("samples-top-down", &[][..]), ("samples-bottom-up", &["--inverted"])]
    {
        let (mut theirs, cut) = session.tree(command, names);
        if !arguments.is_empty() {
            theirs.iter_mut().filter(|(path, _)| path.len() > 1).for_each(|(_, cost)| cost.0 = 0);
        }
        let mut ours = our_tree(profile, names, arguments);
        leave_out(&cut, &mut theirs, &mut ours);
        compare(&what(command), &theirs, &ours);
    }

    let Some(function) = function else { return };
    let handles: Vec<_> = listed
        .iter()
        .filter(|row| row["name"] == function)
        .map(|row| row["functionHandle"].as_str().unwrap())
        .collect();
    let [handle] = handles[..] else { panic!("{function} in {}: {handles:?}", profile.display()) };
    for (flag, transform) in [
        ("--merge", "merge-function"),
        ("--root-at", "focus-function"),
        ("--excludes-function", "drop-function"),
    ] {
        let ours =
            our_functions(profile, names, &["--transform", &format!("{transform}:{function}")]);
        compare(&what(transform), &theirs(&session.functions(&[flag, handle])), &ours);
    }
}

/// Compares all fixtures of a format.
fn check_all(format: &str) {
    let folder = TempDir::new().unwrap();
    if !installed(profiler(folder.path()).arg("--version")) {
        return;
    }
    for (name, profile) in fixtures(format) {
        match name.as_str() {
            // The frames of `web-sudoku-jslb` have category -1, where the Profiler expects null. It counts
            // frames without a category below idle ones as busy. The recording is the same as
            // `web-sudoku`. The files of `py-gridworld-sampling` have no folders, and its functions no first
            // lines, so that functions of one name in two files called `__init__.py` are one here.
            "web-sudoku-jslb" | "py-gridworld-sampling" => {
                eprintln!("SKIPPED: {}", profile.display());
            }
            _ if name.starts_with("web-") => check(&profile, Names::Browser, Some("js::RunScript")),
            // None of its functions has a name.
            _ if format == "samply" => check(&profile, Names::Native, None),
            _ => check(&profile, Names::Native, Some("wordstat::tokenize::normalize")),
        }
    }
}

#[test]
fn processed_profiles_match_the_firefox_profiler() {
    check_all("firefox");
}

#[test]
fn raw_profiles_of_firefox_match_the_firefox_profiler() {
    check_all("gecko");
}

#[test]
fn profiles_of_samply_match_the_firefox_profiler() {
    check_all("samply");
}

/// The number of altered profiles: each takes the Profiler some seconds.
const N_ALTERED: usize = 6;
/// The number of values that are changed in each column.
const N_CHANGES: usize = 300;

/// Changes values of a column. `value` gets the row.
fn alter(column: &mut Value, random: &mut TestRng, value: impl Fn(usize, &mut TestRng) -> Value) {
    let rows = column.as_array_mut().unwrap();
    for _ in 0..N_CHANGES.min(10 * rows.len()) {
        let row = below(random, rows.len());
        rows[row] = value(row, random);
    }
}

/// A number from 0 to `n - 1`.
fn below(random: &mut TestRng, n: usize) -> usize {
    random.next_u32() as usize % n
}

/// Other callers, frames, functions and samples. All of them exist. Weights are left, because the command
/// line of the Profiler counts samples.
fn altered(mut profile: Value, random: &mut TestRng) -> Value {
    let shared = &mut profile["shared"];
    let [n_stacks, n_frames] = ["stackTable", "frameTable"]
        .map(|table| shared[table]["length"].as_u64().unwrap() as usize);
    // How many rows before a stack its caller is. 0: it has none.
    let caller = |row, random: &mut TestRng| below(random, row + 1).into();
    alter(&mut shared["stackTable"]["prefixOffset"], random, caller);
    let frame = |_, random: &mut TestRng| below(random, n_frames).into();
    alter(&mut shared["stackTable"]["frame"], random, frame);
    for _ in 0..N_CHANGES {
        let [from, to] = [(); 2].map(|()| below(random, n_frames));
        // A function is in one library.
        for column in ["func", "lib"] {
            let column = &mut shared["frameTable"][column];
            column[to] = column[from].clone();
        }
    }
    for thread in profile["threads"].as_array_mut().unwrap() {
        let samples = &mut thread["samples"];
        let stack = |_, random: &mut TestRng| match below(random, 20) {
            0 => Value::Null,
            _ => below(random, n_stacks).into(),
        };
        alter(&mut samples["stack"], random, stack);
    }
    profile
}

#[test]
fn altered_profiles_match_the_firefox_profiler() {
    let folder = TempDir::new().unwrap();
    if !installed(profiler(folder.path()).arg("--version")) {
        return;
    }
    let compressed = std::fs::read(
        Path::new(REPOSITORY).join("fixtures/profiles/firefox/rust-wordstat-v70/profile.json.gz"),
    );
    let text = formats::inflate::prefix(&compressed.unwrap(), usize::MAX).into_owned();
    let profile: Value = serde_json::from_slice(&text).unwrap();
    let mut random = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    for n in 0..N_ALTERED {
        let file = folder.path().join(format!("altered-{n}.json"));
        std::fs::write(&file, altered(profile.clone(), &mut random).to_string()).unwrap();
        check(&file, Names::Native, None);
    }
}

#[test]
fn labels_of_exports_select_samples_in_the_firefox_profiler() {
    let folder = TempDir::new().unwrap();
    if !installed(profiler(folder.path()).arg("--version")) {
        return;
    }
    let file = folder.path().join("labels.json");
    let shop = Path::new(REPOSITORY).join("fixtures/profiles/pprof/go-labels/cpu.pb.gz");
    let mut export = Command::new(env!("CARGO_BIN_EXE_costline"));
    export.env("COSTLINE_CACHE_DIR", "").args(["export", "--to", "firefox", "-o"]);
    output(export.arg(&file).arg(shop)).unwrap();
    let session = Session::load(&file);
    // Milliseconds, as of `go tool pprof -tags`.
    for (label, expected) in
        [("endpoint=/search", 3100), ("tenant=acme", 3170), ("tenant=globex", 630)]
    {
        let filter = |arguments: &[&str]| {
            output(profiler(session.folder.path()).arg("filter").args(arguments)).unwrap()
        };
        filter(&["push", "--during-marker", "--search", label]);
        let total: i64 = session.functions(&[]).iter().map(|row| number(row, "selfSamples")).sum();
        assert_eq!(total, expected, "{label}");
        filter(&["clear"]);
    }
}
