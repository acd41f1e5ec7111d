//! Follows the guides in `docs/recording/`: runs their commands on a small program with the
//! installed profilers. The server must find the written profile, and attribute the time to the
//! right lines.
//!
//! A code block that begins with ```` ```sh record ```` is run as it is. ```` ```sh record
//! functions ```` marks one whose profile has no lines, ```` ```sh run ```` further commands of the
//! tutorial. `tests/recording/install` installs the profilers, or they are on the PATH. A guide
//! without its profiler is skipped with a message, or fails if `COSTLINE_REQUIRE_TOOLS` is set and `.ci/run`
//! installs the profiler.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "in tests a panic is the message")]

mod server;
#[path = "../skip.rs"]
mod skip;

use serde_json::Value;
use std::env;
use std::fs;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::skip::{skip, skip_required};
use tempfile::TempDir;

const REPOSITORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
/// The limit for a recording. A profiler that hangs is killed.
const DEADLINE: Duration = Duration::from_secs(300);

/// The mark of the lines that take nearly all time of the programs.
const HOT: &str = " hot";
/// The expected share of these lines, even with few samples on a busy machine.
const MOST: RangeInclusive<f64> = 0.5..=1.001;
const LITTLE: RangeInclusive<f64> = 0.0..=0.4;

/// The requirements of a guide.
struct Needs {
    /// Commands that succeed if the profiler is installed.
    installed: &'static str,
    /// Commands that succeed if it has the permission to record.
    permitted: &'static str,
    /// Whether `.ci/run` installs it.
    always: bool,
}

/// The folder of installed tools that a variable names, or the default.
fn installed(variable: &str, default: &str) -> PathBuf {
    env::var_os(variable).map_or_else(|| Path::new(REPOSITORY).join(default), PathBuf::from)
}

/// Runs shell commands in a folder, with the installed profilers, Neovim and `costline` first on the PATH.
/// An error contains their output.
fn shell(folder: &Path, commands: &str) -> Result<(), String> {
    let recorders = installed("COSTLINE_RECORDERS", "target/recorders").join("bin");
    let neovim = installed("COSTLINE_EDITORS", "target/editors").join("neovim/bin");
    let path = env::var_os("PATH").unwrap_or_default();
    let server = Path::new(env!("CARGO_BIN_EXE_costline")).parent().unwrap().to_owned();
    let first = [recorders, neovim, server];
    let path = env::join_paths(first.into_iter().chain(env::split_paths(&path))).unwrap();
    let log = folder.join("printed");
    let output = fs::File::create(&log).unwrap();
    let mut child = Command::new("sh")
        .args(["-eu", "-c", commands])
        .current_dir(folder)
        .env("PATH", path)
        .env("COSTLINE_CACHE_DIR", "")
        .stdin(Stdio::null())
        .stdout(output.try_clone().unwrap())
        .stderr(output)
        .spawn()
        .unwrap();
    let begun = Instant::now();
    let status = loop {
        match child.try_wait().unwrap() {
            Some(status) => break status.to_string(),
            None if begun.elapsed() > DEADLINE => {
                child.kill().unwrap();
                child.wait().unwrap();
                break "took too long".to_owned();
            }
            None => sleep(Duration::from_millis(50)),
        }
    };
    let printed = fs::read(&log).unwrap();
    fs::remove_file(log).unwrap();
    if status == "exit status: 0" {
        Ok(())
    } else {
        Err(format!("{commands}\n{status}\n{}", String::from_utf8_lossy(&printed)))
    }
}

/// The blocks of a page to run, and whether their profiles have lines.
fn blocks(page: &str) -> Vec<(String, bool)> {
    let text = fs::read_to_string(format!("{REPOSITORY}/docs/{page}.md")).unwrap();
    let marked =
        text.split("\n```sh record").skip(1).map(|block| block.split("\n```").next().unwrap());
    let blocks: Vec<_> = marked
        .map(|block| match block.split_once('\n').unwrap() {
            ("", commands) => (commands.to_owned(), true),
            (" functions", commands) => (commands.to_owned(), false),
            (other, _) => panic!("docs/{page}.md: `sh record{other}`"),
        })
        .collect();
    assert!(!blocks.is_empty(), "docs/{page}.md has no block marked `sh record`");
    blocks
}

/// The blocks of a page that begin with ```` ```sh run ````.
fn runs(page: &str) -> Vec<String> {
    let text = fs::read_to_string(format!("{REPOSITORY}/docs/{page}.md")).unwrap();
    let marked = text.split("\n```sh run\n").skip(1);
    marked.map(|block| block.split("\n```").next().unwrap().to_owned()).collect()
}

/// Copies the files of a folder of the repository.
fn copy(program: &str, folder: &Path) {
    for file in
        fs::read_dir(format!("{REPOSITORY}/{program}")).unwrap().map(|file| file.unwrap().path())
    {
        fs::copy(&file, folder.join(file.file_name().unwrap())).unwrap();
    }
}

/// Whether a guide can be followed: what it needs is installed, and may record. Prints a message if not.
#[track_caller]
fn possible(page: &str, needs: &Needs) -> bool {
    let scratch = TempDir::new().unwrap();
    for commands in [needs.installed, needs.permitted] {
        let Err(error) = retried(commands, || scratch.path().to_owned()) else { continue };
        if needs.always {
            skip_required(&format!("docs/{page}.md needs: {error}"));
        } else {
            skip(&format!("docs/{page}.md: `{commands}` fails"));
        }
        return false;
    }
    true
}

/// Runs commands up to three times, each time in the folder that `prepare` makes. Returns the last folder.
/// Profilers may fail to attach to a program on a busy machine: Austin gives up if the program does not
/// start in time, or ends too early.
fn retried(commands: &str, mut prepare: impl FnMut() -> PathBuf) -> Result<PathBuf, String> {
    let mut tries_left = 3;
    loop {
        let root = prepare();
        let Err(error) = shell(&root, commands) else { return Ok(root) };
        tries_left -= 1;
        if tries_left == 0 {
            return Err(error);
        }
        eprintln!("{error}\ntrying again");
    }
}

/// Runs the commands of a guide in a new folder with the files of a program. Returns the folder and
/// its real path.
fn record(page: &str, program: &str, commands: &str) -> (TempDir, PathBuf) {
    let mut folder = None;
    let recorded = retried(commands, || {
        let folder = folder.insert(TempDir::new().unwrap());
        let root = folder.path().canonicalize().unwrap();
        copy(program, &root);
        root
    });
    let root = recorded.unwrap_or_else(|error| panic!("docs/{page}.md: {error}"));
    (folder.unwrap(), root)
}

/// Follows a guide in a folder with the files of a program. `source` contains the hot lines.
fn follow(page: &str, program: &str, source: &str, needs: &Needs) {
    if !possible(page, needs) {
        return;
    }
    for (commands, has_lines) in blocks(page) {
        let (_folder, root) = record(page, program, &commands);
        let profile = server::only_profile(&root);
        let report = report(&profile, &root);
        let (burn, hot) = (function(&report, "burn"), lines(&report, &root.join(source), HOT));
        assert!(MOST.contains(&burn), "docs/{page}.md: `burn` has {burn}:\n{commands}\n{report:#}");
        let expected = if has_lines { MOST } else { LITTLE };
        assert!(
            expected.contains(&hot),
            "docs/{page}.md: the hot lines have {hot}:\n{commands}\n{report:#}"
        );
    }
}

fn report(profile: &Path, root: &Path) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_costline"));
    command
        .env("COSTLINE_CACHE_DIR", "")
        .arg("report")
        .arg("--json")
        .arg(profile)
        .arg("--root")
        .arg(root)
        .env_remove("COSTLINE_LOG");
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn rows(report: &Value, table: &str) -> Vec<Value> {
    report[table].as_array().unwrap().clone()
}

/// The total, or its upper bound, or without either the self cost.
fn total(row: &Value) -> f64 {
    let stated = ["total", "totalMax", "self"].iter().find_map(|key| row[key].as_f64());
    stated.unwrap_or(0.0)
}

/// The share of a function's total. `burn` also stands for `example.org/app.burn` and
/// `Object#burn`.
fn function(report: &Value, name: &str) -> f64 {
    let of = |row: &Value| {
        row["name"].as_str().unwrap().rsplit(['.', '#', ':', ' ']).next() == Some(name)
    };
    rows(report, "functions").iter().filter(|row| of(row)).map(total).fold(0.0, f64::max)
        / report["total"].as_f64().unwrap()
}

/// The share of the lines of a file that contain `mark`: the sum of their selfs, or the largest
/// total.
fn lines(report: &Value, source: &Path, mark: &str) -> f64 {
    let text = fs::read_to_string(source).unwrap();
    let marked: Vec<u64> = (1..)
        .zip(text.lines())
        .filter(|(_, line)| line.contains(mark))
        .map(|(number, _)| number)
        .collect();
    // In some formats, files have no folders.
    let of = |row: &Value| {
        let file = Path::new(row["file"].as_str().unwrap()).file_name();
        file == source.file_name() && marked.contains(&row["line"].as_u64().unwrap())
    };
    let lines: Vec<_> = rows(report, "lines").into_iter().filter(of).collect();
    let own: f64 = lines.iter().map(|row| row["self"].as_f64().unwrap()).sum();
    lines.iter().map(total).fold(own, f64::max) / report["total"].as_f64().unwrap()
}

const C: &str = "tests/recording/programs/c";
const PYTHON: &str = "tests/recording/programs/python";
const LUA: &str = "tests/recording/programs/lua";
const R: &str = "tests/recording/programs/r";
const RUBY: &str = "tests/recording/programs/ruby";

#[test]
fn samply() {
    let permitted = "samply record --save-only -o probe.json -- true";
    follow(
        "recording/samply",
        C,
        "app.c",
        &Needs { installed: "samply --version; cc --version", permitted, always: false },
    );
}

#[test]
fn perf() {
    let permitted = "perf record -o probe.data -- true";
    follow(
        "recording/perf",
        C,
        "app.c",
        &Needs { installed: "perf --version; cc --version", permitted, always: true },
    );
}

#[test]
fn gperftools() {
    let installed = "ls /usr/lib/*/libprofiler.so; go version; cc --version";
    follow(
        "recording/gperftools",
        C,
        "app.c",
        &Needs { installed, permitted: "true", always: false },
    );
}

#[test]
fn callgrind() {
    let installed = "valgrind --version; cc --version";
    follow(
        "recording/callgrind",
        C,
        "app.c",
        &Needs { installed, permitted: "true", always: true },
    );
}

#[test]
fn gprof() {
    let needs = Needs { installed: "cc --version", permitted: "true", always: true };
    follow("recording/gprof", C, "app.c", &needs);
}

#[test]
fn dhat() {
    let installed = "valgrind --version; cc --version";
    follow("recording/dhat", C, "app.c", &Needs { installed, permitted: "true", always: true });
}

#[test]
fn go() {
    let program = "tests/recording/programs/go";
    follow(
        "recording/go",
        program,
        "app_test.go",
        &Needs { installed: "go version", permitted: "true", always: true },
    );
}

#[test]
fn node() {
    let program = "tests/recording/programs/js";
    follow(
        "recording/node",
        program,
        "app.js",
        &Needs { installed: "node --version", permitted: "true", always: true },
    );
}

#[test]
fn deno_and_bun() {
    let program = "tests/recording/programs/js";
    follow(
        "recording/deno-bun",
        program,
        "app.js",
        &Needs { installed: "deno --version; bun --version", permitted: "true", always: false },
    );
}

#[test]
fn java() {
    let program = "tests/recording/programs/java";
    follow(
        "recording/java",
        program,
        "App.java",
        &Needs { installed: "javac -version", permitted: "true", always: true },
    );
}

const PY_SPY: Needs = Needs {
    installed: "py-spy --version; python3 --version",
    permitted: "py-spy record -f raw -o probe.raw -- python3 -c 'import time; time.sleep(2)'",
    always: true,
};

#[test]
fn py_spy() {
    follow("recording/py-spy", PYTHON, "app.py", &PY_SPY);
}

#[test]
fn austin() {
    let permitted = "austin -t 5s -o probe.austin python3 -c 'import time; time.sleep(2)'";
    follow(
        "recording/austin",
        PYTHON,
        "app.py",
        &Needs { installed: "austin --version", permitted, always: true },
    );
}

#[test]
fn cprofile() {
    let installed = "python3 --version; yappi --help";
    follow(
        "recording/cprofile",
        PYTHON,
        "app.py",
        &Needs { installed, permitted: "true", always: true },
    );
}

#[test]
fn pyinstrument() {
    let installed = "pyinstrument --version";
    follow(
        "recording/pyinstrument",
        PYTHON,
        "app.py",
        &Needs { installed, permitted: "true", always: true },
    );
}

#[test]
fn viztracer() {
    let installed = "viztracer --version";
    follow(
        "recording/viztracer",
        PYTHON,
        "app.py",
        &Needs { installed, permitted: "true", always: true },
    );
}

#[test]
fn rbspy() {
    let permitted = "rbspy record --file probe --raw-file probe.raw.gz -- ruby -e 'sleep 2'";
    follow(
        "recording/rbspy",
        RUBY,
        "app.rb",
        &Needs { installed: "rbspy --version; ruby --version", permitted, always: false },
    );
}

#[test]
fn stackprof() {
    let installed = "ruby -rstackprof -e ''";
    follow(
        "recording/stackprof",
        RUBY,
        "app.rb",
        &Needs { installed, permitted: "true", always: true },
    );
}

#[test]
fn lua() {
    let page = "recording/lua";
    let luajit = Needs { installed: "luajit -v", permitted: "true", always: true };
    follow(page, LUA, "app.lua", &luajit);
    let neovim = Needs { installed: "luajit -v; nvim --version", permitted: "true", always: true };
    if !possible(page, &neovim) {
        return;
    }
    let [(write_script, _)] = blocks(page).try_into().unwrap();
    let [neovim] = runs(page).try_into().unwrap();
    let commands = format!("{write_script}\nrm lua.folded\n{neovim}");
    let (_folder, root) = record(page, LUA, &commands);
    let report = report(&server::only_profile(&root), &root);
    let (burn, hot) = (function(&report, "burn"), lines(&report, &root.join("app.lua"), HOT));
    assert!(MOST.contains(&burn) && MOST.contains(&hot), "{burn} {hot}: {report:#}");
}

#[test]
fn r() {
    let needs = Needs { installed: "Rscript --version", permitted: "true", always: true };
    follow("recording/r", R, "app.R", &needs);
}

#[test]
fn tutorial() {
    if !possible("tutorial", &PY_SPY) {
        return;
    }
    let folder = TempDir::new().unwrap();
    let root = folder.path().canonicalize().unwrap();
    copy("docs/tutorial", &root);
    let [(record, _)] = blocks("tutorial").try_into().unwrap();
    let [annotate, keep, compare] = runs("tutorial").try_into().unwrap();
    let source = root.join("words.py");
    let costs = |profile: &Path| {
        let report = report(profile, &root);
        let costs = (
            function(&report, "different"),
            lines(&report, &source, "not in seen"),
            lines(&report, &source, "choices("),
        );
        (costs, format!("{report:#}"))
    };
    retried(&record, || root.clone()).expect("docs/tutorial.md");
    let profile = server::only_profile(&root);
    let ((slow, slow_line, other), report) = costs(&profile);
    assert!(
        MOST.contains(&slow) && MOST.contains(&slow_line) && LITTLE.contains(&other),
        "{slow} {slow_line} {other}\n{report}"
    );
    shell(&root, &annotate).unwrap();
    shell(&root, &keep).unwrap();
    let text = fs::read_to_string(&source).unwrap();
    fs::write(
        &source,
        text.replace("seen = []", "seen = set()").replace("seen.append", "seen.add"),
    )
    .unwrap();
    retried(&record, || root.clone()).expect("docs/tutorial.md");
    let ((slow, slow_line, other), report) = costs(&profile);
    assert!(
        LITTLE.contains(&slow) && LITTLE.contains(&slow_line) && MOST.contains(&other),
        "{slow} {slow_line} {other}\n{report}"
    );
    shell(&root, &compare).unwrap();
    // The changed function may be too fast now for a single sample.
    assert!(fs::read_to_string(root.join("words.svg")).unwrap().contains("make_up"));
}
