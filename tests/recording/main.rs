//! The guides in `docs/recording/`, followed to the letter: their commands run on a small program, by the profilers that are
//! installed, and the server must find by itself what they wrote, and know where the time went.
//!
//! A block of commands that begins with ```` ```sh record ```` is run as it stands there; ```` ```sh record functions ```` is one
//! whose profile has no lines. Profilers come from `tests/recording/install` (or the PATH); one that is missing is said loudly.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "in tests a panic is the message")]

mod server;

use serde_json::Value;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};
use tempfile::TempDir;

const REPOSITORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
/// No recording takes so long; a profiler that hangs is ended.
const DEADLINE: Duration = Duration::from_secs(300);

/// What must be there for a guide to be followed.
struct Needs {
    /// Commands that succeed where the profiler is installed.
    installed: &'static str,
    /// Commands that succeed where it may record.
    permitted: &'static str,
    /// Whether `tests/recording/install` puts it down unasked: then it may not be missing where tools are required.
    always: bool,
}

/// Runs commands of a shell in a folder, with the installed profilers first on the PATH; gives what they printed.
fn shell(folder: &Path, commands: &str) -> Result<(), String> {
    let recorders =
        env::var_os("COSTLINE_RECORDERS").map_or_else(|| Path::new(REPOSITORY).join("target/recorders"), PathBuf::from);
    let path = env::var_os("PATH").unwrap_or_default();
    let path = env::join_paths([recorders.join("bin")].into_iter().chain(env::split_paths(&path))).unwrap();
    let log = folder.join("printed");
    let output = fs::File::create(&log).unwrap();
    let mut child = Command::new("sh")
        .args(["-eu", "-c", commands])
        .current_dir(folder)
        .env("PATH", path)
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
    if status == "exit status: 0" { Ok(()) } else { Err(format!("{commands}\n{status}\n{}", String::from_utf8_lossy(&printed))) }
}

#[expect(clippy::print_stderr, reason = "a guide that was not followed must be seen")]
fn missing(page: &str, why: &str) {
    eprintln!("NOT FOLLOWED: docs/{page}.md: {why}");
}

/// The blocks of a page that are to be run, and whether what they record has lines.
fn blocks(page: &str) -> Vec<(String, bool)> {
    let text = fs::read_to_string(format!("{REPOSITORY}/docs/{page}.md")).unwrap();
    let marked = text.split("\n```sh record").skip(1).map(|block| block.split("\n```").next().unwrap());
    let blocks: Vec<_> = marked
        .map(|block| match block.split_once('\n').unwrap() {
            ("", commands) => (commands.to_owned(), true),
            (" functions", commands) => (commands.to_owned(), false),
            (other, _) => panic!("docs/{page}.md: `sh record{other}`"),
        })
        .collect();
    assert!(!blocks.is_empty(), "docs/{page}.md has no block that is marked `sh record`");
    blocks
}

/// Follows a guide in a folder with the files of one program, of which `source` has the hot lines.
fn follow(page: &str, program: &str, source: &str, needs: &Needs) {
    let scratch = TempDir::new().unwrap();
    if let Err(error) = shell(scratch.path(), needs.installed) {
        assert!(!needs.always || env::var_os("COSTLINE_REQUIRE_TOOLS").is_none(), "docs/{page}.md needs: {error}");
        return missing(page, &format!("`{}` fails; tests/recording/install installs what is needed", needs.installed));
    }
    if shell(scratch.path(), needs.permitted).is_err() {
        return missing(page, &format!("`{}` is not permitted here", needs.permitted));
    }
    for (commands, has_lines) in blocks(page) {
        let folder = TempDir::new().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let files = fs::read_dir(format!("{REPOSITORY}/{program}")).unwrap().map(|file| file.unwrap().path());
        for file in files.filter(|file| file.is_file()) {
            fs::copy(&file, root.join(file.file_name().unwrap())).unwrap();
        }
        shell(&root, &commands).unwrap_or_else(|error| panic!("docs/{page}.md: {error}"));
        let profile = server::only_profile(&root);
        let report = report(&profile, &root);
        let hot = Hot::of(&report, &root.join(source));
        assert!((0.5..1.001).contains(&hot.function), "docs/{page}.md: `burn` has {}:\n{commands}\n{report:#}", hot.function);
        let lines = if has_lines { 0.5..1.001 } else { 0.0..0.5 };
        assert!(lines.contains(&hot.lines), "docs/{page}.md: the hot lines have {}:\n{commands}\n{report:#}", hot.lines);
    }
}

fn report(profile: &Path, root: &Path) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_costline"));
    command.arg("report").arg("--json").arg(profile).arg("--root").arg(root).env_remove("COSTLINE_LOG");
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The shares of what is hot in a program.
struct Hot {
    /// Of the function `burn`, with all it calls.
    function: f64,
    /// Of the lines that are marked: together as the innermost, or one of them with all it calls.
    lines: f64,
}

impl Hot {
    fn of(report: &Value, source: &Path) -> Self {
        let all = report["total"].as_f64().unwrap();
        assert!(all > 0.0, "nothing was recorded: {report:#}");
        let text = fs::read_to_string(source).unwrap();
        let hot: Vec<_> = (1..).zip(text.lines()).filter(|(_, line)| line.contains("hot") && !line.contains("marked")).collect();
        let rows = |table: &str| report[table].as_array().unwrap().clone();
        // `burn`, `example.org/app.burn`, `Object#burn`.
        let is_burn = |row: &Value| row["name"].as_str().unwrap().rsplit(['.', '#', ':', ' ']).next() == Some("burn");
        let total = |row: &Value| row["total"].as_f64().or(row["totalMax"].as_f64()).unwrap_or(0.0);
        let function = rows("functions").iter().filter(|row| is_burn(row)).map(total).fold(0.0, f64::max);
        // Files have no folders in some formats.
        let is_hot = |row: &Value| {
            let file = row["file"].as_str().unwrap();
            Path::new(file).file_name() == source.file_name() && hot.iter().any(|(line, _)| row["line"] == *line)
        };
        let lines: Vec<_> = rows("lines").into_iter().filter(is_hot).collect();
        let own: f64 = lines.iter().map(|row| row["self"].as_f64().unwrap()).sum();
        Self { function: function / all, lines: lines.iter().map(total).fold(own, f64::max) / all }
    }
}

const C: &str = "tests/recording/programs/c";
const PYTHON: &str = "tests/recording/programs/python";
const RUBY: &str = "tests/recording/programs/ruby";

#[test]
fn samply() {
    let permitted = "samply record --save-only -o probe.json -- true";
    follow("recording/samply", C, "app.c", &Needs { installed: "samply --version; cc --version", permitted, always: false });
}

#[test]
fn perf() {
    let permitted = "perf record -o probe.data -- true";
    follow("recording/perf", C, "app.c", &Needs { installed: "perf --version; cc --version", permitted, always: true });
}

#[test]
fn gperftools() {
    let installed = "ls /usr/lib/*/libprofiler.so; go version; cc --version";
    follow("recording/gperftools", C, "app.c", &Needs { installed, permitted: "true", always: false });
}

#[test]
fn callgrind() {
    let installed = "valgrind --version; cc --version";
    follow("recording/callgrind", C, "app.c", &Needs { installed, permitted: "true", always: true });
}

#[test]
fn dhat() {
    let installed = "valgrind --version; cc --version";
    follow("recording/dhat", C, "app.c", &Needs { installed, permitted: "true", always: true });
}

#[test]
fn go() {
    let program = "tests/recording/programs/go";
    follow("recording/go", program, "app_test.go", &Needs { installed: "go version", permitted: "true", always: false });
}

#[test]
fn node() {
    let program = "tests/recording/programs/js";
    follow("recording/node", program, "app.js", &Needs { installed: "node --version", permitted: "true", always: true });
}

const PY_SPY: Needs = Needs {
    installed: "py-spy --version; python3 --version",
    permitted: "py-spy record -f raw -o probe.raw -- python3 -c 'import time; time.sleep(0.5)'",
    always: true,
};

#[test]
fn py_spy() {
    follow("recording/py-spy", PYTHON, "app.py", &PY_SPY);
}

#[test]
fn austin() {
    let permitted = "austin -o probe.austin python3 -c 'import time; time.sleep(0.5)'";
    follow("recording/austin", PYTHON, "app.py", &Needs { installed: "austin --version", permitted, always: true });
}

#[test]
fn pyinstrument() {
    let installed = "pyinstrument --version";
    follow("recording/pyinstrument", PYTHON, "app.py", &Needs { installed, permitted: "true", always: true });
}

#[test]
fn viztracer() {
    let installed = "viztracer --version";
    follow("recording/viztracer", PYTHON, "app.py", &Needs { installed, permitted: "true", always: true });
}

#[test]
fn rbspy() {
    let permitted = "rbspy record --file probe --raw-file probe.raw.gz -- ruby -e 'sleep 0.5'";
    follow("recording/rbspy", RUBY, "app.rb", &Needs { installed: "rbspy --version; ruby --version", permitted, always: false });
}

#[test]
fn stackprof() {
    let installed = "ruby -rstackprof -e ''";
    follow("recording/stackprof", RUBY, "app.rb", &Needs { installed, permitted: "true", always: true });
}
