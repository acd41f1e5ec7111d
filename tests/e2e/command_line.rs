//! The editor and the command line show the same functions with the same costs: the lenses against
//! the hot spots of the server, and against `annotate`, `report` and `report --json`. For every
//! fixture, under several views.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::hash::Hash;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::support::requests::text;
use crate::support::workspace::set_age;
use crate::support::{Server, Workspace};

/// One test per folder of `fixtures/profiles`.
macro_rules! tests {
    ($($test:ident: $folder:literal,)*) => {
        $(
            #[test]
            fn $test() {
                compare_all_of($folder);
            }
        )*

        #[test]
        fn every_folder_of_fixtures_has_its_test() {
            let mut folders: Vec<_> = folders(&fixtures()).iter().map(|path| name(path)).collect();
            folders.sort();
            assert_eq!(folders, [$($folder),*]);
        }
    };
}

tests! {
    functions_of_austin: "austin",
    functions_of_callgrind: "callgrind",
    functions_of_chrome_trace: "chrome-trace",
    functions_of_dhat: "dhat",
    functions_of_firefox: "firefox",
    functions_of_flame_graph: "flame-graph",
    functions_of_folded: "folded",
    functions_of_gecko: "gecko",
    functions_of_ghc: "ghc",
    functions_of_gprof: "gprof",
    functions_of_heaptrack: "heaptrack",
    functions_of_jfr: "jfr",
    functions_of_line_profiler: "line-profiler",
    functions_of_macos_sample: "macos-sample",
    functions_of_memray: "memray",
    functions_of_mercury: "mercury",
    functions_of_nettrace: "nettrace",
    functions_of_otlp: "otlp",
    functions_of_perf: "perf",
    functions_of_perf_data: "perf-data",
    functions_of_pprof: "pprof",
    functions_of_pstats: "pstats",
    functions_of_pyinstrument: "pyinstrument",
    functions_of_rbspy: "rbspy",
    functions_of_rprof: "rprof",
    functions_of_samply: "samply",
    functions_of_scalene: "scalene",
    functions_of_simpleperf: "simpleperf",
    functions_of_speedscope: "speedscope",
    functions_of_stackprof: "stackprof",
    functions_of_v8: "v8",
    functions_of_v8_log: "v8-log",
    functions_of_xctrace: "xctrace",
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/profiles").canonicalize().unwrap()
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}

fn folders(folder: &Path) -> Vec<PathBuf> {
    entries(folder).into_iter().filter(|path| path.is_dir()).collect()
}

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_str().unwrap().to_owned()
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let entries = entries(folder).into_iter();
    entries.flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] }).collect()
}

fn compare_all_of(folder: &str) {
    let cases = folders(&fixtures().join(folder));
    let n: usize = cases.iter().map(|case| Session::new(case).map_or(0, Session::compare)).sum();
    assert!(n > 0, "no function of {folder} was compared");
}

/// A view, as the server and as the command line take it.
struct View {
    values: Value,
    transform: Option<String>,
    arguments: Vec<String>,
}

impl View {
    /// A value of `costline.setView` and the option that is the same.
    fn set(values: Value, option: &str, value: &str) -> Self {
        Self { values, transform: None, arguments: vec![option.to_owned(), value.to_owned()] }
    }

    fn transformed(transform: String) -> Self {
        let arguments = vec!["--transform".to_owned(), transform.clone()];
        Self { values: json!({}), transform: Some(transform), arguments }
    }
}

/// A server that shows a fixture, all its sources open.
struct Session {
    case: String,
    workspace: Workspace,
    server: Server,
    profile: PathBuf,
    /// Each with its URI.
    sources: Vec<(PathBuf, String)>,
    /// The report without a view.
    report: Value,
}

impl Session {
    /// `None` for a fixture without sources.
    fn new(case: &Path) -> Option<Self> {
        let about: Value =
            serde_json::from_slice(&fs::read(case.join("case.json")).unwrap()).unwrap();
        let workspace = Workspace::new();
        for file in files_below(case) {
            workspace.copy(&file, file.strip_prefix(case).unwrap().to_str().unwrap());
        }
        let recorded = case.join(about["profile"].as_str().unwrap());
        // Some fixtures share a profile.
        let profile = match recorded.canonicalize().unwrap().strip_prefix(case) {
            Ok(relative) => workspace.path(relative.to_str().unwrap()),
            Err(_) => workspace.copy(&recorded, &name(&recorded)),
        };
        set_age(&profile, std::time::Duration::ZERO);
        let mut server = Server::builder(&workspace)
            .options(json!({ "profile": profile, "lenses": { "minPercent": 0, "closures": true } }))
            .start();
        server.wait_profile();
        let command_line = CommandLine { profile: &profile, root: workspace.root(), sources: &[] };
        let report = command_line.report(&[]);
        // Each metric may have costs in other files.
        let other =
            other_metric(&report).map(|name| command_line.report(&["--metric".to_owned(), name]));
        let tables = [Some(&report), other.as_ref()].into_iter().flatten();
        let paths = tables.flat_map(|it| rows(it, "lines").chain(rows(it, "definitions")));
        let mut paths: HashSet<&str> = paths.filter_map(|row| row["path"].as_str()).collect();
        // Functions of languages that Costline does not parse have a place, and no definition.
        let copies = files_below(workspace.root());
        let is_named = |copy: &&PathBuf| {
            rows(&report, "functions").any(|row| {
                row["line"].is_u64()
                    && row["file"].as_str().is_some_and(|file| copy.ends_with(file))
            })
        };
        if paths.is_empty() {
            paths.extend(copies.iter().filter(is_named).filter_map(|copy| copy.to_str()));
        }
        let open = |path: &str| (path.into(), server.open_file(Path::new(path), "plaintext"));
        let sources: Vec<_> = paths.into_iter().map(open).collect();
        let mut session = Self { case: name(case), workspace, server, profile, sources, report };
        session.wait_for_names();
        (!session.sources.is_empty()).then_some(session)
    }

    /// Waits until the server shows the functions of the report: addresses are resolved bit by bit.
    fn wait_for_names(&mut self) {
        let total = &self.report["total"];
        let names: HashSet<_> =
            rows(&self.report, "definitions").map(|row| row["name"].clone()).collect();
        self.server.eventually("the functions of the report", |server| {
            let hot_spots = hot_spots(server);
            let shown: HashSet<_> = rows(&hot_spots, "functions").map(|row| &row["name"]).collect();
            let is_complete = names.iter().all(|name| shown.contains(name));
            (is_complete && hot_spots["total"] == *total).then_some(())
        });
    }

    /// Compares what the surfaces show, without a view and under each; gives the number of lenses.
    fn compare(mut self) -> usize {
        let none = View { values: json!({}), transform: None, arguments: vec![] };
        let mut n = self.compare_view(&none);
        for view in self.views() {
            n += self.compare_view(&view);
        }
        n
    }

    /// What can be chosen for this profile, at most five.
    fn views(&mut self) -> Vec<View> {
        let report = &self.report;
        let mut views = vec![View::set(json!({ "inlines": "callSite" }), "--inlines", "callSite")];
        let threads: Vec<_> = rows(report, "threads").map(|row| text(&row["name"])).collect();
        let is_alone = |name: &&String| threads.iter().filter(|other| other == name).count() == 1;
        let named = threads.iter().filter(is_alone).find(|name| !name.is_empty());
        if let Some(thread) = named.filter(|_| threads.len() > 1) {
            views.push(View::set(json!({ "threads": [thread] }), "--thread", thread));
        }
        if let Some(metric) = other_metric(report) {
            views.push(View::set(json!({ "metric": metric }), "--metric", &metric));
        }
        let js = json!({ "implementation": "js" });
        let arguments = json!({ "command": "costline.setView", "arguments": [js] });
        if self.server.try_request("workspace/executeCommand", arguments).is_ok() {
            views.push(View::set(js, "--implementation", "js"));
        }
        if !report["samples"].is_null() {
            views.extend(transforms(report).into_iter().map(View::transformed));
        }
        views.truncate(5);
        views
    }

    fn compare_view(&mut self, view: &View) -> usize {
        let mut values =
            json!({ "inlines": null, "threads": null, "metric": null, "implementation": null });
        values.as_object_mut().unwrap().extend(view.values.as_object().unwrap().clone());
        self.server.set_view(values);
        self.server.execute("costline.clearTransforms", json!([]));
        if let Some(transform) = &view.transform {
            self.server.execute("costline.pushTransform", json!([transform]));
        }
        let hot_spots = hot_spots(&mut self.server);
        let command_line = self.command_line();
        let shown = std::thread::scope(|scope| {
            let report = scope.spawn(|| match view.arguments.as_slice() {
                [] => self.report.clone(),
                arguments => command_line.report(arguments),
            });
            let annotated = scope.spawn(|| command_line.annotated(&view.arguments));
            // line_profiler has no self costs.
            let sort = if self.report["total"].is_null() { "total" } else { "self" };
            let sorted = ["--limit", "1000000", "--sort", sort];
            let text = command_line.run("report", &sorted, &view.arguments);
            let (report, annotated) = (report.join().unwrap(), annotated.join().unwrap());
            Shown { report, text, annotated, hot_spots }
        });
        let tables = Tables::new(&shown);
        let what = format!("{} {:?}", self.case, view.arguments);
        assert_eq!(shown.hot_spots["total"], shown.report["total"], "{what}");
        let mut on_lines = HashSet::new();
        let mut n = 0;
        for (path, uri) in self.sources.clone() {
            for lens in self.server.lenses(&uri) {
                let line = lens["range"]["start"]["line"].as_u64().unwrap() + 1;
                tables.compare(&what, &path, line, &lens);
                on_lines.insert((path.clone(), line));
                n += 1;
            }
        }
        // Whatever is defined somewhere and costs anything has its lens there.
        let costs = |row: &&Value| row["self"] != 0 || row["total"] != 0;
        for row in rows(&shown.report, "definitions").filter(costs) {
            let line = (PathBuf::from(text(&row["path"])), row["line"].as_u64().unwrap());
            assert!(on_lines.contains(&line), "{what}: no lens of {row}");
        }
        n
    }

    fn command_line(&self) -> CommandLine<'_> {
        let Self { profile, workspace, sources, .. } = self;
        CommandLine { profile, root: workspace.root(), sources }
    }
}

/// The program with a fixture's profile.
#[derive(Clone, Copy)]
struct CommandLine<'a> {
    profile: &'a Path,
    root: &'a Path,
    /// Each with its URI.
    sources: &'a [(PathBuf, String)],
}

impl CommandLine<'_> {
    /// What a command prints of the profile.
    fn run(self, command: &str, more: &[&str], view: &[String]) -> String {
        let output = Command::new(env!("CARGO_BIN_EXE_costline"))
            .env_remove("COSTLINE_LOG")
            .env("COSTLINE_CACHE_DIR", "")
            .stdin(Stdio::null())
            .arg(command)
            .arg(self.profile)
            .args(more)
            .arg("--root")
            .arg(self.root)
            .args(view)
            .output()
            .unwrap();
        let problem = String::from_utf8_lossy(&output.stderr);
        // `annotate` shows the other files, and exits with 3, if a file has no cost in the view.
        let lacks_file = command == "annotate" && output.status.code() == Some(3);
        assert!(
            output.status.success() || lacks_file,
            "{} {command} {view:?}: {problem}",
            self.profile.display()
        );
        String::from_utf8(output.stdout).unwrap()
    }

    fn report(self, view: &[String]) -> Value {
        serde_json::from_str(&self.run("report", &["--json"], view)).unwrap()
    }

    /// The functions that `annotate` names above a line (1-based) of a file, with their costs.
    fn annotated(self, view: &[String]) -> HashSet<(PathBuf, u64, String)> {
        let files: Vec<_> = self.sources.iter().map(|(path, _)| path.to_str().unwrap()).collect();
        let text = self.run("annotate", &files, view);
        let mut annotated = HashSet::new();
        let (mut file, mut margin, mut above) = (PathBuf::new(), 0, Vec::new());
        for row in text.lines() {
            if let Some((path, _)) =
                self.sources.iter().find(|(path, _)| row == format!("{}:", path.display()))
            {
                file.clone_from(path);
            } else if row.trim_end_matches(" executed").split_whitespace().eq(["self", "total"]) {
                margin = row.chars().count();
            } else {
                let cell: String = row.chars().skip(margin).take(6).collect();
                let source: String = row.chars().skip(margin + 8).collect();
                match cell.trim().parse() {
                    Ok(line) => {
                        annotated.extend(above.drain(..).map(|lens| (file.clone(), line, lens)));
                    }
                    Err(_) => above.push(source.trim_start().to_owned()),
                }
            }
        }
        annotated
    }
}

/// The first metric that is not shown.
fn other_metric(report: &Value) -> Option<String> {
    let mut names = rows(report, "metrics").map(|row| text(&row["name"]));
    names.find(|name| report["metric"] != **name)
}

/// Transforms of functions in the sources that have a name of their own.
fn transforms(report: &Value) -> Vec<String> {
    let names: Vec<_> = rows(report, "functions").map(|row| text(&row["name"])).collect();
    let parts = |row: &Value| {
        let parts = row["functions"].as_array().unwrap().iter();
        parts.map(|i| names[usize::try_from(i.as_u64().unwrap()).unwrap()].clone()).collect()
    };
    let definitions: Vec<Vec<String>> = rows(report, "definitions").map(parts).collect();
    // The same name elsewhere would have to be told apart.
    let has_own_name = |parts: &&Vec<String>| {
        parts.first().is_some_and(|first| {
            let within = parts.iter().filter(|name| *name == first).count();
            names.iter().filter(|name| *name == first).count() == within
        })
    };
    // Those of several parts first: it is there that functions differ from what was recorded.
    let mut chosen: Vec<_> = definitions.iter().filter(has_own_name).collect();
    chosen.sort_by_key(|parts| std::cmp::Reverse(parts.len()));
    let kinds = ["merge-function", "drop-function", "focus-function"];
    kinds.iter().zip(chosen).map(|(kind, parts)| format!("{kind}:{}", parts[0])).collect()
}

fn rows<'v>(table: &'v Value, key: &str) -> std::slice::Iter<'v, Value> {
    table[key].as_array().unwrap().iter()
}

/// Whether a line of a report names its columns.
fn is_heading(row: &str) -> bool {
    let mut words = row.split_whitespace().peekable();
    words.peek().is_some() && words.all(|word| ["with", "libs", "self", "total"].contains(&word))
}

/// The ends of a path: `c.rs`, `b/c.rs`, `a/b/c.rs`.
fn ends(path: &Path) -> Vec<String> {
    let parts: Vec<_> = path.iter().map(|part| part.to_str().unwrap()).collect();
    (0..parts.len()).rev().map(|start| parts[start..].join("/")).collect()
}

fn hot_spots(server: &mut Server) -> Value {
    server.execute("costline.hotspots", json!([{ "limit": 1_000_000 }]))
}

/// What the other surfaces show.
struct Shown {
    report: Value,
    text: String,
    annotated: HashSet<(PathBuf, u64, String)>,
    hot_spots: Value,
}

/// Indexes of [`Shown`], because a profile can have thousands of functions.
struct Tables<'s> {
    shown: &'s Shown,
    /// The definitions of the report by path and line.
    definitions: HashMap<(&'s str, u64), Vec<&'s Value>>,
    /// The functions of the report without a definition, by name.
    undefined: HashMap<&'s str, Vec<&'s Value>>,
    /// The hot spots of the server by URI and line (0-based).
    hot_spots: HashMap<(&'s str, u64), Vec<&'s Value>>,
    /// The lines of the report as text.
    text: HashSet<&'s str>,
}

impl<'s> Tables<'s> {
    fn new(shown: &'s Shown) -> Self {
        let place = |row: &'s Value, file: &str, line: &str| {
            Some(((row[file].as_str()?, row[line].as_u64()?), row))
        };
        let definitions = rows(&shown.report, "definitions");
        let hot_spots = rows(&shown.hot_spots, "functions");
        let defined: HashSet<u64> = rows(&shown.report, "definitions")
            .flat_map(|row| row["functions"].as_array().unwrap())
            .map(|i| i.as_u64().unwrap())
            .collect();
        let functions = rows(&shown.report, "functions").zip(0..);
        let others = functions.filter(|(_, i)| !defined.contains(i)).map(|(row, _)| row);
        Self {
            shown,
            definitions: grouped(definitions.filter_map(|row| place(row, "path", "line"))),
            undefined: grouped(others.map(|row| (row["name"].as_str().unwrap(), row))),
            hot_spots: grouped(hot_spots.filter_map(|row| place(row, "uri", "line0"))),
            text: shown.text.lines().collect(),
        }
    }

    /// Compares a lens on a line (1-based) with all surfaces.
    fn compare(&self, what: &str, path: &Path, line: u64, lens: &Value) {
        let (costs, title) = (&lens["data"], text(&lens["command"]["title"]));
        let what = format!("{what}: {}:{line} {title} of {}", name(path), costs["func"]);
        let has_costs =
            |row: &&&Value| row["self"] == costs["self"] && row["total"] == costs["total"];

        let here = self.definitions.get(&(path.to_str().unwrap(), line));
        let defined = here.into_iter().flatten().find(|row| self.is(row, costs));
        let in_report = defined.copied().or_else(|| self.undefined(costs));
        let in_report = in_report.unwrap_or_else(|| panic!("{what}: no row in the report"));
        assert!(has_costs(&&in_report), "{what}: {in_report}");
        let function = text(&in_report["name"]);

        let uri = crate::support::uri(path);
        let here = self.hot_spots.get(&(uri.as_str(), line - 1));
        let mut hot_spots = here.into_iter().flatten().filter(|row| row["name"] == *function);
        assert!(hot_spots.any(|row| has_costs(&row)), "{what}: {here:?}");

        // A lens that is not on the function's definition begins with its name.
        let title = title.strip_prefix(&format!("{function}: ")).unwrap_or(&title);
        let (stated, calls) = match title.rsplit_once(" · ") {
            Some((stated, calls)) if calls.contains(" call") => (stated, format!(" · {calls}")),
            _ => (title, String::new()),
        };
        // line_profiler has no self costs, scalene and gprof no totals.
        let (own, total) = match stated.strip_prefix("self ") {
            Some(costs) => costs.split_once(" · total ").unwrap_or((costs, "")),
            None => ("", stated.strip_prefix("total ").unwrap()),
        };
        let start = in_report["line"].as_u64().map(|line| format!(":{line}")).unwrap_or_default();
        // Empty columns are left out.
        let column = |heading: &str, cell: &str| {
            let has = self.text.iter().any(|row| is_heading(row) && row.contains(heading));
            if has { format!("{cell:>22} ") } else { String::new() }
        };
        let (own, total) = (column("self", own), column("total", total));
        let row = |file: &str| format!("{own}{total} {function}  {file}{start}{calls}");
        // A file in the workspace is named by its path there.
        let recorded = in_report["file"].as_str().unwrap();
        let is_listed = |file: &String| self.text.contains(row(file).as_str());
        let mut files = std::iter::once(recorded.to_owned()).chain(ends(Path::new(recorded)));
        assert!(
            files.any(|file| is_listed(&file)) || ends(path).iter().any(is_listed),
            "{what}: no row {:?}",
            row(recorded)
        );

        let all = self.shown.report["total"].as_f64().unwrap_or(0.0);
        let hottest = ["self", "total"].map(|key| costs[key].as_f64().unwrap_or(0.0).abs());
        if hottest.into_iter().fold(0.0, f64::max) >= 0.01 * all {
            let own_and_total = title.strip_suffix(calls.as_str()).unwrap();
            let lens = (path.to_owned(), line, format!("{function}: {own_and_total}"));
            assert!(self.shown.annotated.contains(&lens), "{what}: not in annotate");
        }
    }

    /// Whether a definition is the function of a lens: one of its funcs has that name.
    fn is(&self, definition: &Value, lens: &Value) -> bool {
        let functions = rows(&self.shown.report, "functions").as_slice();
        definition["name"] == lens["func"]["name"]
            || definition["functions"].as_array().unwrap().iter().any(|i| {
                functions[usize::try_from(i.as_u64().unwrap()).unwrap()]["name"]
                    == lens["func"]["name"]
            })
    }

    /// The row of a function without a definition.
    fn undefined(&self, lens: &Value) -> Option<&'s Value> {
        let keys = ["name", "file", "lib"];
        let is_it = |row: &Value| keys.iter().all(|key| row[key] == lens["func"][key]);
        let is_costed = |row: &Value| row["self"] == lens["self"] && row["total"] == lens["total"];
        let mut others = self.undefined.get(lens["func"]["name"].as_str()?)?.iter().copied();
        others.find(|row| is_it(row) && is_costed(row))
    }
}

fn grouped<'v, K: Eq + Hash>(
    rows: impl Iterator<Item = (K, &'v Value)>,
) -> HashMap<K, Vec<&'v Value>> {
    let mut grouped: HashMap<K, Vec<_>> = HashMap::new();
    for (key, row) in rows {
        grouped.entry(key).or_default().push(row);
    }
    grouped
}
