//! Files of one run, read as one recording. The expected sums are those of the profilers' own tools
//! for single files. `fixtures/runs` has the files and describes how they were recorded.

use super::{Outcome, costline};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::slice;

fn folder(run: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/runs").join(run).canonicalize().unwrap()
}

/// The profiles of a run, by name.
fn profiles(run: &str, start: &str) -> Vec<PathBuf> {
    let entries = folder(run).read_dir().unwrap().map(|entry| entry.unwrap().path());
    let mut profiles: Vec<_> = entries
        .filter(|path| path.file_name().unwrap().to_str().unwrap().starts_with(start))
        .collect();
    profiles.sort();
    profiles
}

fn on(command: &str, profiles: &[PathBuf], arguments: &[&str]) -> Outcome {
    Outcome::of(costline().arg(command).args(profiles).args(arguments))
}

fn report(profiles: &[PathBuf], arguments: &[&str]) -> Value {
    serde_json::from_str(&on("report", profiles, &[&["--json"], arguments].concat()).success())
        .unwrap()
}

/// Name, self, total and calls of the functions of a file.
fn functions(report: &Value, file: &str) -> Vec<(String, Value, Value, Value)> {
    let rows = report["functions"].as_array().unwrap().iter();
    let of_file = rows.filter(|row| row["file"].as_str().is_some_and(|name| name.ends_with(file)));
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    of_file
        .map(|row| {
            (text(&row["name"]), row["self"].clone(), row["total"].clone(), row["calls"].clone())
        })
        .collect()
}

fn threads(report: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or("none").to_owned();
    let row = |row: &Value| {
        format!(
            "{} {}:{} {}",
            text(&row["name"]),
            text(&row["pid"]),
            text(&row["tid"]),
            row["total"]
        )
    };
    report["threads"].as_array().unwrap().iter().map(row).collect()
}

/// Two threads with two dumps each. The first file is empty.
#[test]
fn adds_threads_and_dumps_of_callgrind() {
    let files = profiles("callgrind-threads", "callgrind.out");
    assert_eq!(files.len(), 5);
    let all = report(&files, &[]);
    // Valgrind printed "Collected : 928069". The other numbers are sums of `callgrind_annotate
    // --inclusive=yes FILE`.
    assert_eq!(all["total"], 928_069);
    assert_eq!(threads(&all), ["thread 1 3601:1 847773", "thread 2 3601:2 80296"]);
    let row = |name: &str, own: u64, total: u64, calls: u64| {
        (name.to_owned(), own.into(), total.into(), calls.into())
    };
    let expected =
        [row("step", 800_024, 800_024, 2), row("main", 32, 725_444, 1), row("work", 11, 80_023, 1)];
    assert_eq!(functions(&all, "pair.c"), expected);

    let second = report(&files, &["--thread", "thread 2"]);
    assert_eq!(
        (&second["total"], threads(&second)),
        (&80_296.into(), vec!["thread 2 3601:2 80296".to_owned()])
    );
    assert_eq!(
        functions(&second, "pair.c"),
        [row("work", 11, 80_023, 1), row("step", 80_012, 80_012, 1)]
    );

    // In any order, and with a file given twice.
    let mut again = files.clone();
    again.reverse();
    again.push(files[1].clone());
    assert_eq!(report(&again, &[])["total"], 928_069);

    let check = on("check", &files, &[]).success();
    assert!(
        check.starts_with("callgrind.out.3601")
            && check.contains(" and 3 more files: 928,069 Ir in 2 threads"),
        "{check}"
    );
    let written = on("export", &files, &["--to", "callgrind"]);
    assert!(
        written.stdout.ends_with("totals: 928069\n") && written.stderr.contains("threads"),
        "{}",
        written.stderr
    );
}

#[test]
fn a_node_worker_is_a_thread() {
    let files = profiles("node-worker", "CPU.");
    let all = report(&files, &["--metric", "hits"]);
    // The sum of hitCount, without (idle), which has 243.
    assert_eq!((&all["total"], &all["idle"]), (&278.into(), &243.into()));
    assert_eq!(threads(&all), ["main 3670:0 152", "worker 1 3670:1 126"]);
    let spin = functions(&all, "spin.js").into_iter().find(|row| row.0 == "spin").unwrap();
    assert_eq!(spin.1, 207);
    let line = all["lines"]
        .as_array()
        .unwrap()
        .iter()
        .find(|row| row["file"] == "/srv/demo/node-pair/spin.js")
        .unwrap();
    assert_eq!((&line["line"], &line["self"]), (&4.into(), &207.into()));
    let worker = report(&files, &["--metric", "hits", "--thread", "worker 1"]);
    assert_eq!((&worker["total"], threads(&worker).len()), (&126.into(), 1));
}

#[test]
fn one_file_alone_warns_about_the_others() {
    let files = profiles("callgrind-threads", "callgrind.out");
    let second = files.iter().find(|file| file.ends_with("callgrind.out.3601.1-02.gz")).unwrap();
    let alone = on("report", slice::from_ref(second), &["--json"]);
    let warning = format!("costline: warning: {}: 3 more files of this run: ", second.display());
    assert!(
        alone.stderr.starts_with(&warning)
            && alone.stderr.ends_with("; pass all of them to see the whole run\n"),
        "{}",
        alone.stderr
    );
    assert_eq!(alone.stderr.lines().count(), 1);
    let report: Value = serde_json::from_str(&alone.stdout).unwrap();
    assert_eq!(
        (&report["total"], &report["warnings"][0]["code"]),
        (&80_296.into(), &"more-files".into())
    );
    assert!(
        on("check", slice::from_ref(second), &[])
            .stdout
            .contains("warning   3 more files of this run")
    );
}

#[test]
fn accepts_sources_after_profiles() {
    let mut arguments = profiles("callgrind-threads", "callgrind.out");
    arguments.push(folder("callgrind-threads").join("pair.c"));
    let root = folder("callgrind-threads");
    let text = on("annotate", &arguments, &["--root", root.to_str().unwrap()]).success();
    let lines: Vec<_> = text.lines().filter(|line| line.contains("sum += i;")).collect();
    // 4 instructions in each of 100 000 iterations.
    assert!(matches!(lines[..], [line] if line.trim_start().starts_with("43.1%")), "{text}");
}

#[test]
fn rejects_other_formats_and_metrics_as_parts_of_a_recording() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        std::fs::write(dir.path().join(name), text).unwrap();
        dir.path().join(name)
    };
    let instructions = write("a.out", "events: Ir\n\nfl=a.c\nfn=f\n1 5\n");
    let reads = write("b.out", "events: Dr\n\nfl=a.c\nfn=f\n1 5\n");
    let folded = write("c.folded", "main;f 3\n");
    let message = on("report", &[instructions.clone(), reads], &[]).failure(1);
    assert!(
        message.contains("b.out: cannot be merged with ") && message.contains("costs in Dr (Dr)"),
        "{message}"
    );
    let message = on("report", &[instructions.clone(), folded], &[]).failure(1);
    assert!(message.contains("one is folded stacks, the other callgrind"), "{message}");
    let broken = write("d.out", "");
    assert!(on("report", slice::from_ref(&broken), &[]).failure(1).contains("d.out"));
    // callgrind creates an empty file first, which is ignored if there are others.
    assert_eq!(report(&[broken, instructions], &[])["total"], 5);
}

/// callgrind writes the sum of all costs last.
#[test]
fn a_run_is_whole_if_all_its_files_are() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, cut, unknown) = ("totals: 30\n", "summary: 40\n", "");
    for (ends, truncated) in [
        ([whole, whole], Value::Bool(false)),
        ([whole, cut], Value::Bool(true)),
        ([unknown, cut], Value::Bool(true)),
        ([whole, unknown], Value::Null),
        ([unknown, whole], Value::Null),
    ] {
        let file = |(part, end): (u32, &str)| {
            let path = folder.path().join(format!("callgrind.out.7.{part}"));
            let head = format!("creator: callgrind-3.19.0\npid: 7\ncmd: ./a\npart: {part}\n");
            let costs = format!("events: Ir\nfn=main\n1 10\n2 20\n{end}");
            std::fs::write(&path, format!("{head}{costs}")).unwrap();
            path
        };
        let files: Vec<_> = (1..).zip(ends).map(file).collect();
        // A file that is cut has a warning.
        let report: Value =
            serde_json::from_str(&on("report", &files, &["--json"]).stdout).unwrap();
        assert_eq!((&report["total"], &report["truncated"]), (&60.into(), &truncated), "{ends:?}");
    }
}
