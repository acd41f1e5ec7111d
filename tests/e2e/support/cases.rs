//! The real profiles of `fixtures/profiles/` with their sources, and their costs computed by
//! independent tools.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::workspace::Workspace;

/// A case, copied to a new workspace.
pub struct Case {
    /// The profile and its sources, as in `fixtures/`.
    pub workspace: Workspace,
    /// The expected costs.
    pub expected: Value,
}

impl Case {
    /// The case in `fixtures/profiles/<name>`.
    pub fn new(name: &str) -> Self {
        let folder = fixtures().join("profiles").join(name);
        let workspace = Workspace::new();
        for file in files_below(&folder) {
            let relative =
                file.strip_prefix(&folder).unwrap_or(&file).to_string_lossy().into_owned();
            match relative.as_str() {
                "expected.json" | "expected.generated.json" => continue,
                // Names that are not in the globs.
                name @ ("pyspy.raw.txt" | "stackprof.json" | "dwarf.srcline.txt.gz") => {
                    workspace.copy(&file, &format!("profiles/{name}"))
                }
                // The expected costs are hits, so drop the times.
                name if name.ends_with(".cpuprofile") => {
                    let text = fs::read_to_string(&file).expect("a case has a profile");
                    workspace.write(name, text.replace("\"timeDeltas\"", "\"noDeltas\""))
                }
                _ => workspace.copy(&file, &relative),
            };
        }
        let read = |name: &str| -> Value {
            let text = fs::read_to_string(folder.join(name)).expect("each case has this file");
            serde_json::from_str(&text).expect("the files of cases are JSON")
        };
        let mut expected = read("expected.json");
        // Only definitions tell that these lines are not those of the function.
        let inlined = &read("case.json")["inlined"];
        for line in inlined.as_array().into_iter().flatten().filter(|_| cfg!(feature = "grammars"))
        {
            let lines = expected["lines"].as_array_mut().expect("costs by line");
            let same = |row: &Value| (&row["file"], &row["line"]) == (&line[0], &line[1]);
            let at = lines.iter().position(same).expect("the line has costs");
            let left =
                lines[at]["self"].as_u64().zip(line[2].as_u64()).map(|(own, hits)| own - hits);
            match left {
                Some(0) => drop(lines.remove(at)),
                left => lines[at]["self"] = left.into(),
            }
        }
        Self { workspace, expected }
    }

    /// A folded profile by py-spy: recursion, generators, short file names. Every line has a total.
    pub fn python() -> Self {
        Self::new("folded/py-gridworld-pyspy")
    }

    /// A `.cpuprofile` of Node.js: lines have no total.
    pub fn javascript() -> Self {
        Self::new("v8/node-mdrender")
    }

    /// A gzipped Firefox profile by samply: threads, inlined and generic functions, libraries.
    pub fn rust() -> Self {
        Self::new("firefox/rust-wordstat-v70")
    }

    /// The source files that have costs, relative to the workspace.
    pub fn files(&self) -> Vec<String> {
        self.lines().into_keys().collect()
    }

    /// `(self, total)` by file of the workspace and line (1-based).
    pub fn lines(&self) -> BTreeMap<String, BTreeMap<u64, (Value, Value)>> {
        let mut files: BTreeMap<String, BTreeMap<u64, (Value, Value)>> = BTreeMap::new();
        for line in self.expected["lines"].as_array().into_iter().flatten() {
            let file = line["file"].as_str().unwrap_or_default();
            if self.workspace.path(file).is_file() {
                let number = line["line"].as_u64().unwrap_or_default();
                files
                    .entry(file.to_owned())
                    .or_default()
                    .insert(number, (line["self"].clone(), line["total"].clone()));
            }
        }
        files
    }
}

/// Whether a function of this name in [`Case::rust`] or [`Case::python`], or the one around it,
/// consists of several funcs: code of macros is recorded by file, comprehensions are separate.
/// `source_functions` checks their sums.
pub fn is_grouped(name: &str) -> bool {
    const GROUPED: [&str; 6] = [
        "wordstat::generate",
        "wordstat::tokenize::is_wordlike",
        "wordstat::Rng::next",
        "wordstat::suggest::distance",
        "crunch",
        "background",
    ];
    cfg!(feature = "grammars")
        && GROUPED.contains(&name.split(".<locals>").next().unwrap_or_default())
}

/// The handshakes captured from editors: file name without `.json`, and `initialize` params without
/// roots and process id. Members that an editor did not send are null in the files.
pub fn clients() -> Vec<(String, Value)> {
    let mut clients: Vec<_> = files_below(&fixtures().join("clients"))
        .into_iter()
        .map(|file| {
            let params =
                fs::read_to_string(&file).ok().and_then(|text| serde_json::from_str(&text).ok());
            let mut params: Map<String, Value> =
                params.unwrap_or_else(|| panic!("{} is not JSON", file.display()));
            params.retain(|_, value| !value.is_null());
            (
                file.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
                Value::Object(params),
            )
        })
        .collect();
    clients.sort_by(|a, b| a.0.cmp(&b.0));
    clients
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures")
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let entries =
        fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let paths = entries
        .map(|entry| entry.unwrap_or_else(|error| panic!("{}: {error}", folder.display())).path());
    paths.flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] }).collect()
}
