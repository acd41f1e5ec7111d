//! The command line: output, errors and exit codes.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "in tests a panic is the message")]

mod callers;
mod check;
#[cfg(all(unix, feature = "grammars"))]
mod cookbook;
#[cfg(feature = "grammars")]
mod diff;
mod explain;
mod export;
mod fetch;
mod foreign;
mod html;
mod input;
mod labels;
mod lacking;
#[cfg(all(feature = "grammars", target_os = "linux"))]
mod limits;
mod pairs;
#[cfg(all(unix, feature = "grammars"))]
mod recipes;
#[cfg(feature = "symbols")]
mod recorded;
mod reports;
mod roots;
mod runs;
#[cfg(feature = "grammars")]
mod scripts;
#[path = "../skip.rs"]
mod skip;
#[cfg(feature = "grammars")]
mod source_functions;
mod style;
mod sums;
mod targets;
mod times;
mod transforms;

use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A profile in which `main` calls these functions, each with the line and the milliseconds of its
/// own code.
fn speedscope(functions: &[(&str, u32, u32)]) -> String {
    let frame = |(name, line, _): &(&str, u32, u32)| json!({ "name": name, "file": "app.py", "line": line });
    let mut frames = vec![json!({ "name": "main", "file": "app.py", "line": 2 })];
    frames.extend(functions.iter().map(frame));
    let samples: Vec<_> = (1..=functions.len()).map(|callee| json!([0, callee])).collect();
    let weights: Vec<_> = functions.iter().map(|function| function.2).collect();
    json!({
        "$schema": "https://www.speedscope.app/file-format-schema.json",
        "shared": { "frames": frames },
        "profiles": [{
            "type": "sampled", "name": "cpu", "unit": "milliseconds", "startValue": 0,
            "endValue": weights.iter().sum::<u32>(), "samples": samples, "weights": weights,
        }],
    })
    .to_string()
}

fn costline() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_costline"));
    command.env_remove("COSTLINE_LOG").env("COSTLINE_CACHE_DIR", "").stdin(Stdio::null());
    command
}

fn fixture(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../fixtures/profiles")
        .join(path)
        .canonicalize()
        .unwrap()
}

/// The result of running the program.
#[derive(Debug)]
struct Outcome {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

fn run<const N: usize>(arguments: [&str; N]) -> Outcome {
    Outcome::of(costline().args(arguments))
}

/// Runs a command on a fixture, with the folder of the fixture as root.
fn on<const N: usize>(command: &str, profile: &str, arguments: [&str; N]) -> Outcome {
    let profile = fixture(profile);
    let root = profile.parent().unwrap().to_str().unwrap();
    Outcome::of(
        costline().args([command, profile.to_str().unwrap(), "--root", root]).args(arguments),
    )
}

/// Skips a test because a tool is missing, or fails it if `COSTLINE_REQUIRE_TOOLS` is set.
#[track_caller]
fn skip_without(tool: &str) {
    skip::skip_required(&format!("{tool} is not installed"));
}

impl Outcome {
    fn of(command: &mut Command) -> Self {
        let output = command.output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Self {
            code: output.status.code(),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }

    /// The output of a successful run without warnings.
    #[track_caller]
    fn success(self) -> String {
        assert_eq!((self.code, self.stderr.as_str()), (Some(0), ""), "{}", self.stdout);
        self.stdout
    }

    /// The message of a failed run: one line on standard error, nothing on standard output.
    #[track_caller]
    fn failure(self, code: i32) -> String {
        assert_eq!((self.code, self.stdout.as_str()), (Some(code), ""), "{}", self.stderr);
        assert_eq!(self.stderr.lines().count(), 1, "{}", self.stderr);
        let message = self.stderr.trim_end().strip_prefix("costline: ");
        message.unwrap_or_else(|| panic!("{}", self.stderr)).to_owned()
    }
}

const RUST: &str = "firefox/rust-wordstat-v70/profile.json.gz";
const V8: &str = "v8/node-mdrender/main.cpuprofile";
const AUSTIN: &str = "folded/py-gridworld-austin/austin.txt";
const SPANS: &str = "speedscope/rust-huffman-spans/trace.speedscope.json";
const NAMES_ONLY: &str = "folded/rust-huffman-pprof/cpu.folded";

/// The row of a listing that ends with this line of source.
#[track_caller]
fn row<'t>(text: &'t str, source: &str) -> &'t str {
    text.lines()
        .find(|line| line.ends_with(source))
        .unwrap_or_else(|| panic!("no row shows {source:?}:\n{text}"))
}

#[test]
fn annotate_shows_self_and_total_of_each_line() {
    let text = on("annotate", RUST, []).success();
    assert!(text.starts_with("profile.json.gz: 3.47 s in 3 threads\n"), "{text}");
    assert_eq!(
        row(&text, "*counts.entry(token).or_insert(0) += 1;")
            .split_whitespace()
            .take(3)
            .collect::<Vec<_>>(),
        ["0.03%", "37.5%", "52"]
    );
    row(&text, "wordstat::count: self 0.03% (1.00 ms) · total 80.1% (2.78 s)");
    // Lines far from any cost are omitted.
    assert!(text.contains('⋮') && !text.contains("struct Rng"), "{text}");
    assert!(!text.contains('\x1b'), "no colours if the output is a pipe");
}

#[test]
fn annotate_accepts_source_files() {
    let source = fixture("firefox/rust-wordstat-v70/src/tokenize.rs");
    let text = on("annotate", RUST, [source.to_str().unwrap()]).success();
    let headings: Vec<_> = text.lines().filter(|line| line.ends_with(".rs:")).collect();
    assert_eq!(headings, [format!("{}:", source.display())]);
}

#[test]
fn annotate_shows_only_self_if_the_format_has_no_more() {
    let text = on("annotate", V8, ["--metric", "hits"]).success();
    assert!(text.starts_with("main.cpuprofile: 2344 hits\n"), "{text}");
    assert_eq!(row(&text, "return escape(text)").split_whitespace().next(), Some("10"));
    let costs: Vec<_> = row(&text, r"'<b>$1</b>')").split_whitespace().take(3).collect();
    assert_eq!(costs, ["8.2%", "–", "11"]);
}

#[test]
fn annotate_shows_time_if_the_file_has_it() {
    let text = on("annotate", AUSTIN, []).success();
    assert!(
        text.starts_with(
            "austin.txt: 4.33 s of wall in 2 threads, excluding 4.28 ms without a stack\n"
        ),
        "{text}"
    );
    row(&text, "solve_all: self 0.1% (4.12 ms) · total 22.1% (955 ms)");
}

#[test]
fn report_lists_functions_lines_and_calls() {
    let functions = on("report", RUST, ["--limit", "3"]).success();
    assert_eq!(functions.lines().count(), 7, "{functions}");
    // All of it is called by own code, but for one sample of the runtime.
    let all = on("report", RUST, ["--limit", "1000"]).success();
    let headings: Vec<_> = all.lines().filter(|line| !line.starts_with(' ')).skip(1).collect();
    assert_eq!(
        headings,
        [
            "Your code 3.47 s",
            "Libraries and runtime 1.00 ms",
            "(not called by your code; the rows also count what your code calls)",
        ]
    );
    let last = functions.lines().last().unwrap();
    assert!(last.starts_with("omitted: ") && last.ends_with(" rows (--limit)"), "{functions}");
    let lines = on("report", RUST, ["--by", "line", "--limit", "100000"]).success();
    assert!(
        lines.lines().any(|line| line.trim()
            == "37.5%        0.03% (1.00 ms)         37.5% (1.30 s)  src/main.rs:52"),
        "{lines}"
    );
    let edges = on("report", RUST, ["--by", "edge", "--limit", "100000"]).success();
    assert!(
        edges
            .lines()
            .any(|line| line.contains("wordstat::main::{{closure}} → wordstat::count  at ")),
        "{edges}"
    );
    // The limit applies only to the text.
    let json = on("report", RUST, ["--json", "--limit", "3"]).success();
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["functions"].as_array().unwrap().len(), 408);
}

#[test]
fn shows_call_counts_of_formats_that_record_them() {
    let text = on("report", SPANS, []).success();
    let counted =
        |row: &str| row.contains("  round_trip  src/main.rs") && row.ends_with(" · 24 calls");
    assert!(text.lines().any(counted), "{text}");
    let text = on("report", SPANS, ["--by", "edge", "--thread", "second"]).success();
    assert!(text.contains("worker → round_trip  at src/main.rs:58 · 12 calls\n"), "{text}");
    let counts = |profile| {
        let json: Value =
            serde_json::from_str(&on("report", profile, ["--json"]).success()).unwrap();
        let first = |table: &str| json[table][0].get("calls").cloned();
        (first("functions"), first("edges"))
    };
    assert_eq!(counts(SPANS), (Some(2.into()), Some(24.into())));
    assert_eq!(counts(RUST), (None, Some(Value::Null)));
}

#[test]
fn selects_metrics_and_threads_by_name() {
    assert!(
        on("report", V8, []).success().starts_with("main.cpuprofile: 1."),
        "time is in seconds"
    );
    assert!(
        on("report", V8, ["--metric", "hits"]).success().starts_with("main.cpuprofile: 2344 hits")
    );
    let one = on("report", RUST, ["--thread", "counter-1"]).success();
    assert!(one.starts_with("profile.json.gz: 1.98 s in 1 of 4 threads\n"), "{one}");
    assert_eq!(
        on("report", RUST, ["--thread", "counter-*"]).success().lines().next(),
        Some("profile.json.gz: 3.18 s in 2 of 4 threads")
    );
}

/// Otherwise a CI check would measure something else than intended.
#[test]
fn rejects_filters_without_a_match_and_suggests_names() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(
        at("cpu.folded"),
        "main (a.py:1);different (a.py:2) 7\nmain (b.py:1);other (a.py:3) 3\n",
    )
    .unwrap();
    for name in ["sources", "empty"] {
        std::fs::create_dir(at(name)).unwrap();
    }
    let error = |option: &str, value: &str| {
        let messages: Vec<_> = ["report", "tree", "check", "annotate"]
            .map(|command| run([command, option, value, &at("cpu.folded")]).failure(2))
            .into();
        assert!(messages.iter().all(|other| *other == messages[0]), "{messages:?}");
        let message = messages.into_iter().next().unwrap();
        message
            .strip_prefix(&format!("{}: ", at("cpu.folded")))
            .map(str::to_owned)
            .unwrap_or(message)
    };
    for (option, value, problem) in [
        (
            "--transform",
            "focus-function:diffrent",
            "no function is called `diffrent` (did you mean `different`?)",
        ),
        (
            "--transform",
            "drop-function:/^dif+$/",
            "no function matches `/^dif+$/` (there are `different`, `main`, `other`)",
        ),
        (
            "--transform",
            "focus-function:main",
            "2 functions match `main` (`a.py::main`, `b.py::main`)",
        ),
        ("--metric", "wall", "no metric is called `wall` (there is only `samples`)"),
    ] {
        assert_eq!(error(option, value), problem);
    }
    let message = on("report", RUST, ["--thread", "counter-1", "--thread", "countr-2"]).failure(2);
    assert!(
        message
            .ends_with("no thread is called `countr-2` (did you mean `counter-0` or `counter-1`?)"),
        "{message}"
    );
    assert_eq!(
        error("--root", &at("source")),
        format!("--root {}: does not exist (did you mean `sources`?)", at("source"))
    );
    assert_eq!(
        error("--root", &at("cpu.folded")),
        format!("--root {}: is not a folder", at("cpu.folded"))
    );
    assert_eq!(
        error("--symbols", &at("empty")),
        format!("--symbols {}: contains no files", at("empty"))
    );
    assert!(
        error("--symbols", &at("symbols"))
            .starts_with(&format!("--symbols {}: does not exist", at("symbols")))
    );

    // Names with a match are accepted.
    let focused =
        run(["report", "--transform", "focus-function:b.py::main", &at("cpu.folded")]).success();
    assert!(focused.starts_with("cpu.folded: 3 samples"), "{focused}");
    let focused = run([
        "report",
        "--transform",
        "focus-function:diff*",
        "--root",
        &at("sources"),
        &at("cpu.folded"),
    ])
    .success();
    assert!(focused.starts_with("cpu.folded: 7 samples"), "{focused}");
}

#[test]
fn a_count_of_one_is_singular() {
    let folder = tempfile::tempdir().unwrap();
    let profile = folder.path().join("one.folded");
    std::fs::write(&profile, "main;work 1\n").unwrap();
    let text = run(["report", profile.to_str().unwrap()]).success();
    assert!(text.starts_with("one.folded: 1 sample\n"), "{text}");
    assert!(text.contains("100.0% (1 sample)") && text.contains("0.0% (0 samples)"), "{text}");
}

#[test]
fn check_describes_the_profile_and_what_it_lacks() {
    let text = on("check", RUST, []).success();
    for expected in [
        "format    Firefox Profiler profile (processed), 70\n",
        "metrics   samples, cpu (µs); shown: samples\n",
        "functions 408\n",
    ] {
        assert!(text.contains(expected), "{text}");
    }
    assert!(text.contains("/srv/demo/rust-wordstat/src/main.rs → "), "{text}");
    let text = on("check", NAMES_ONLY, []).success();
    assert!(text.contains("advice    no frame has a line: frames have only names"), "{text}");
    let text = on("check", "speedscope/ruby-ledger-rbspy/rbspy.speedscope.json", []).success();
    assert!(
        text.contains(
            "advice    rbspy writes the last line of a method, not the line that executes: "
        ),
        "{text}"
    );
    assert!(on("check", V8, []).success().contains("metrics   hits, time (us); shown: time\n"));
}

#[test]
fn finds_moved_sources_by_root_and_map() {
    // A copy of the source with another name, in a folder that is not above the profile.
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    std::fs::create_dir_all(folder.join("counting")).unwrap();
    let moved = folder.join("counting/words.rs");
    std::fs::copy(fixture("firefox/rust-wordstat-v70/src/main.rs"), &moved).unwrap();
    let (profile, root) = (fixture(RUST), folder.to_str().unwrap().to_owned());
    let profile = profile.to_str().unwrap();

    let message = run(["annotate", profile, "--root", &root]).failure(3);
    assert!(message.contains("none of the files in the profile was found"), "{message}");
    let map = format!("/srv/demo/rust-wordstat/src/main.rs={}", moved.display());
    let outcome = run(["annotate", profile, "--root", &root, "--map", &map]);
    assert!(outcome.stdout.contains(&format!("{}:", moved.display())), "{outcome:?}");
    row(&outcome.stdout, "let counts = count(&text);");
    // The files of libc are not expected.
    assert_eq!(
        outcome.stderr,
        "costline: warning: not found: /srv/demo/rust-wordstat/src/tokenize.rs (10.1%): pass its \
         project with --root, or --map FROM=TO\n"
    );

    // A root does not change the file names in a report.
    let json = run(["report", profile, "--json", "--root", &root, "--map", &map]).success();
    let report: Value = serde_json::from_str(&json).unwrap();
    let lines = report["lines"].as_array().unwrap();
    assert!(lines.iter().all(|line| !line["file"].as_str().unwrap().contains(&root)));
    let line =
        lines.iter().find(|line| line["file"] == "/srv/demo/rust-wordstat/src/main.rs").unwrap();
    assert_eq!(line["path"], *moved.to_str().unwrap());
}

#[test]
fn an_unreadable_profile_exits_with_1_and_file_place_and_reason() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let message = run(["report", &path("none.json")]).failure(1);
    assert!(
        message.starts_with(&path("none.json")) && message.contains("No such file"),
        "{message}"
    );
    let message = run(["check", folder.path().to_str().unwrap()]).failure(1);
    assert!(message.contains("no profile found in"), "{message}");

    let half = r#"{"meta": {"preprocessedProfileVersion": 49}, "threads": ["#;
    std::fs::write(path("half.json"), half).unwrap();
    let message = run(["annotate", &path("half.json")]).failure(1);
    let (path_of_half, end) = (path("half.json"), half.len());
    assert_eq!(
        message,
        format!(
            "{path_of_half}: byte {end}: the JSON ends in the middle; expected the rest of the profile"
        )
    );

    let bad =
        r#"{"meta": {"preprocessedProfileVersion": 49}, "threads": [{"samples": {"stack": [0]}}]}"#;
    std::fs::write(path("bad.json"), bad).unwrap();
    let message = run(["report", "--json", &path("bad.json")]).failure(1);
    assert!(
        message.starts_with(&format!(
            "{}: threads[0]: expected the table stackTable",
            path("bad.json")
        )),
        "{message}"
    );

    std::fs::write(path("notes.txt"), "nothing of the kind\nat all\n").unwrap();
    let message = run(["check", &path("notes.txt")]).failure(1);
    assert!(message.starts_with(&path("notes.txt")), "{message}");
}

#[test]
fn wrong_usage_exits_with_2() {
    for arguments in [
        &["callers"][..],
        &["explain"],
        &["explain", "src/app.py"],
        &["frobnicate"],
        &["report", "--by", "colour", "x"],
        &["annotate", "x", "--map", "no equals sign"],
    ] {
        let output = costline().args(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty() && !output.stderr.is_empty(), "{arguments:?}");
    }
}

/// As the book lists the codes.
#[test]
fn a_name_that_matches_nothing_is_wrong_usage() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(at("cpu.folded"), "main;work 7\nmain 3\n").unwrap();
    let (profile, nowhere) = (at("cpu.folded"), at("nowhere"));
    let url = "http://127.0.0.1:9/cpu.pb.gz";
    for (arguments, code) in [
        (&["report", "--thread", "x"][..], 2),
        (&["report", "--metric", "x"], 2),
        (&["report", "--range", "1s..2s"], 2),
        (&["report", "--search", "x"], 2),
        (&["report", "--transform", "focus-subtree:work"], 2),
        (&["report", "--transform", "focus-subtree-inverted:main>main"], 2),
        (&["report", "--transform", "merge-node:work"], 2),
        (&["report", "--transform", "drop-node:work"], 2),
        (&["report", "--transform", "merge-subtree:work"], 2),
        (&["tree", "--json", "--transform", "focus-subtree:work"], 2),
        (&["export", "--to", "folded", "--transform", "focus-subtree:work"], 2),
        (&["report", "--transform", "focus-subtree:main>work"], 0),
        (&["annotate", "nothere"], 2),
        (&["callers", "nothere"], 2),
        (&["export", "--to", "speedscope", "--compat", "rbspy"], 2),
        (&["fetch", url, "--min-percent", "200"], 2),
        (&["fetch", "pyroscope"], 2),
        (&["fetch", "nothere"], 2),
        (&["mcp", "--root", &nowhere], 2),
        (&["report", "--root", &nowhere], 2),
        (&["report", "missing.folded"], 1),
    ] {
        let (command, options) = arguments.split_first().unwrap();
        let names_file = ["fetch", "mcp"].contains(command) || options == ["missing.folded"];
        let file = (!names_file).then_some(&profile);
        let mut process = costline();
        process.arg(command).args(file).args(options).current_dir(folder.path());
        let output = process.output().unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {message}");
    }
}

#[test]
fn nothing_to_show_exits_with_3() {
    let message = on("annotate", NAMES_ONLY, []).failure(3);
    assert!(
        message.ends_with("nothing to show: the profile has no lines (run `costline check`)"),
        "{message}"
    );
    // The only file that was found has a function, but no line.
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.py"), "x = 1\n").unwrap();
    let profile = folder.path().join("cpu.folded");
    std::fs::write(&profile, "f (a.py);g (gone.py:3) 4\n").unwrap();
    let root = folder.path().to_str().unwrap();
    let message = run(["annotate", profile.to_str().unwrap(), "--root", root]).failure(3);
    let reason = "no line of the files that were found, such as a.py, has a cost";
    assert!(message.ends_with(reason), "{message}");
    let other = fixture("v8/node-mdrender/src/main.js");
    let message = on("annotate", RUST, [other.to_str().unwrap()]).failure(3);
    assert!(
        message.starts_with(other.to_str().unwrap()) && message.contains("no cost in this profile"),
        "{message}"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_exits_with_3() {
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let mut command = costline();
    let output =
        command.args(["report", "--json"]).arg(fixture(RUST)).stdout(full).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{stderr}");
    assert!(stderr.starts_with("costline: cannot write the output: "), "{stderr}");
}

#[test]
fn a_reader_that_closes_the_pipe_is_no_error() {
    for arguments in [&["report", "--json"][..], &["annotate"]] {
        let mut command = costline();
        let mut child = command
            .args(arguments)
            .arg(fixture(RUST))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(
            (output.status.code(), String::from_utf8(output.stderr).unwrap().as_str()),
            (Some(0), ""),
            "{arguments:?}"
        );
    }
}

#[test]
fn writes_a_manual_page_for_every_command() {
    let folder = tempfile::tempdir().unwrap();
    // A folder that does not exist is created, with its parents.
    let pages = folder.path().join("share/man/man1");
    let printed = run(["man", pages.to_str().unwrap()]).success();
    let written: Vec<_> = printed.lines().map(PathBuf::from).collect();
    let commands = [
        "",
        "-lsp",
        "-annotate",
        "-report",
        "-diff",
        "-callers",
        "-explain",
        "-check",
        "-tree",
        "-export",
        "-html",
        "-fetch",
        "-mcp",
        "-dump",
        "-completions",
        "-man",
    ];
    let expected: Vec<_> =
        commands.iter().map(|command| pages.join(format!("costline{command}.1"))).collect();
    assert_eq!(written, expected);
    for path in &written {
        let page = std::fs::read_to_string(path).unwrap();
        assert!(page.contains(".TH costline") && page.contains(".SH SYNOPSIS"), "{page}");
    }
    assert_eq!(pages.read_dir().unwrap().count(), written.len());
    assert_eq!(run(["man", pages.to_str().unwrap()]).success(), printed, "pages are overwritten");
}

#[test]
fn man_names_the_folder_or_page_that_cannot_be_written() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let message = run(["man", file.to_str().unwrap()]).failure(3);
    let expected = format!("cannot create the folder {}: ", file.display());
    assert!(message.starts_with(&expected), "{message}");

    let page = folder.path().join("costline.1");
    std::fs::create_dir(&page).unwrap();
    let message = run(["man", folder.path().to_str().unwrap()]).failure(3);
    assert!(message.starts_with(&format!("cannot write {}: ", page.display())), "{message}");
}

#[test]
fn writes_completions_for_every_shell() {
    for shell in ["bash", "zsh", "fish"] {
        let script = run(["completions", shell]).success();
        assert!(
            script.contains("annotate") && script.contains("--metric")
                || script.contains("-l metric"),
            "{shell}: {script}"
        );
    }
}

#[test]
fn help_lists_every_command_and_the_exit_codes() {
    let help = run(["--help"]).success();
    for command in [
        "lsp",
        "annotate",
        "report",
        "callers",
        "explain",
        "check",
        "tree",
        "export",
        "dump",
        "completions",
        "man",
    ] {
        assert!(help.lines().any(|line| line.trim_start().starts_with(command)), "{help}");
    }
    assert!(help.contains("Exit codes:\n  0  success\n  1  the profile cannot be read"), "{help}");
    assert!(run(["--version"]).success().starts_with("costline 0."));
}

/// A Firefox profile with one sample at address 16 of a library.
fn one_address(lib: &str, path: &Path) -> String {
    serde_json::json!({
        "meta": { "version": 27, "preprocessedProfileVersion": 48, "interval": 1, "startTime": 0, "product": "app",
            "categories": [{ "name": "Other", "color": "grey", "subcategories": ["Other"] }] },
        "libs": [{ "name": lib, "path": path, "debugName": lib, "debugPath": path, "breakpadId": "", "codeId": null, "arch": "" }],
        "threads": [{
            "name": "main", "pid": "1", "tid": "1",
            "samples": { "length": 1, "stack": [0], "time": [0], "weight": [1], "weightType": "samples" },
            "stackTable": { "length": 1, "frame": [0], "prefix": [null], "category": [0], "subcategory": [0] },
            "frameTable": { "length": 1, "address": [16], "inlineDepth": [0], "category": [0], "subcategory": [0], "func": [0],
                "nativeSymbol": [null], "innerWindowID": [0], "implementation": [null], "line": [null], "column": [null] },
            "funcTable": { "length": 1, "name": [1], "isJS": [false], "relevantForJS": [false], "resource": [0],
                "fileName": [null], "lineNumber": [null], "columnNumber": [null] },
            "resourceTable": { "length": 1, "lib": [0], "name": [0], "host": [null], "type": [1] },
            "stringArray": [lib, "0x10"]
        }]
    })
    .to_string()
}

#[test]
fn reads_names_of_generated_code_only_from_files_with_the_right_name() {
    let folder = tempfile::tempdir().unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let profile = folder.path().join("profile.json");
    for (lib, file, is_read) in [
        ("perf-1.map", "perf-1.map", true),
        ("perf-1.map", "keys", false),
        ("perf-x.map", "perf-x.map", false),
    ] {
        let file = elsewhere.path().join(file);
        std::fs::write(&file, "0 20 parse\n").unwrap();
        std::fs::write(&profile, one_address(lib, &file)).unwrap();
        let ran = run(["report", profile.to_str().unwrap()]);
        assert_eq!((ran.code, ran.stdout.contains("parse")), (Some(0), is_read), "{ran:?}");
    }
}
