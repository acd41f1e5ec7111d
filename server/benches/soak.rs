//! Whether a server leaks: its memory, threads and open files while a profile is written again and a
//! source is edited as fast as the server follows.
//!
//! Takes 20 minutes (`COSTLINE_SOAK_MINUTES` sets another number) and fails if the last quarter of
//! the time needs more than the second one: 10% more memory, or three more threads or open files.
//! Linux only.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints its results and panics on errors"
)]

mod client;
mod generated;

use client::Server;
use lsp_types::Url;
use serde_json::json;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// The number of stacks of a profile of 1.7 MB.
const STACKS: usize = 40_000;
/// How many profiles take turns. Their totals differ.
const PROFILES: usize = 3;
/// The lines of the source.
const N_LINES: usize = 100;
/// How often the process is looked at.
const INTERVAL: Duration = Duration::from_secs(5);
/// How often the table has a row.
const ROW: Duration = Duration::from_secs(60);

fn main() {
    let minutes = std::env::var("COSTLINE_SOAK_MINUTES").ok().and_then(|n| n.parse().ok());
    let duration = Duration::from_secs_f64(60.0 * minutes.unwrap_or(20.0));
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("soak");
    fs::create_dir_all(folder.join("src")).unwrap();
    fs::write(folder.join("src/m0.rs"), generated::source(0, N_LINES)).unwrap();
    let texts: Vec<_> = (STACKS..STACKS + PROFILES)
        .map(|n| (n, generated::firefox_profile(n).to_string()))
        .collect();
    let profile = folder.join("profile.json");
    fs::write(&profile, &texts[0].1).unwrap();
    let mut server = Server::start(&folder, &json!({ "profile": "profile.json" }));
    let uri = server.open(&folder, "src/m0.rs");

    println!(
        "{:>7} {:>8} {:>8} {:>9} {:>7} {:>5}",
        "minute", "rewrites", "edits", "memory", "threads", "files"
    );
    let begin = Instant::now();
    let (mut seen, mut last_row): (Vec<State>, _) = (Vec::new(), None);
    let mut version = 0;
    for round in 1.. {
        let (total, text) = &texts[round % PROFILES];
        if round % 2 == 0 {
            fs::write(&profile, text).unwrap();
        } else {
            let new = folder.join("profile.new");
            fs::write(&new, text).unwrap();
            fs::rename(&new, &profile).unwrap();
        }
        for _ in 0..2 {
            version += 1;
            edit(&mut server, &uri, version);
            server.hints(&uri, N_LINES);
        }
        server.wait_for("costline/changed", |shown| shown["total"] == *total);
        assert!(server.hints(&uri, N_LINES).1 > 0, "no hints after rewrite {round}");
        walk(&mut server, &uri, round);

        let passed = begin.elapsed();
        if passed >= INTERVAL * seen.len() as u32 {
            seen.push(State::of(server.pid()));
        }
        let State { memory, threads, files } = seen[seen.len() - 1];
        let row = passed.as_secs() / ROW.as_secs();
        if last_row != Some(row) {
            println!("{row:>7} {round:>8} {version:>8} {memory:>6.1} MB {threads:>7} {files:>5}");
            last_row = Some(row);
        }
        if passed >= duration {
            break;
        }
    }
    let quarter = |i: usize| &seen[seen.len() * i / 4..seen.len() * (i + 1) / 4];
    let (second, last) = (State::most(quarter(1)), State::most(quarter(3)));
    println!("most in the second quarter: {second:?}, in the last one: {last:?}");
    assert!(last.memory <= 1.1 * second.memory, "memory grows");
    assert!(last.threads <= second.threads + 3, "threads are left");
    assert!(last.files <= second.files + 3, "open files are left");
}

/// Inserts a line, and removes it with the next edit.
fn edit(server: &mut Server, uri: &Url, version: usize) {
    let line = (version - 1) / 2 % N_LINES;
    let at = |line: usize| json!({ "line": line, "character": 0 });
    let (end, text) = if version % 2 == 1 { (line, "// new\n") } else { (line + 1, "") };
    let change = json!({ "range": { "start": at(line), "end": at(end) }, "text": text });
    server.notify(
        "textDocument/didChange",
        json!({ "textDocument": { "uri": uri, "version": version }, "contentChanges": [change] }),
    );
}

/// What a user asks for beside hints.
fn walk(server: &mut Server, uri: &Url, round: usize) {
    let document = json!({ "textDocument": { "uri": uri } });
    server.request("textDocument/codeLens", document);
    match round % 4 {
        0 => server.command("costline.hotspots", &json!([{}])),
        1 => server.command("costline.flamegraph", &json!([{ "inline": true, "limit": 200 }])),
        2 => server.command("costline.pushTransform", &json!(["collapse-recursion:f0"])),
        _ => server.command("costline.popTransform", &json!([])),
    };
}

/// What a process takes.
#[derive(Debug, Clone, Copy)]
struct State {
    /// Resident memory in MB.
    memory: f64,
    threads: usize,
    /// Open files.
    files: usize,
}

impl State {
    fn of(pid: u32) -> Self {
        let process = PathBuf::from(format!("/proc/{pid}"));
        let status = fs::read_to_string(process.join("status")).unwrap();
        let field = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
            line.split_ascii_whitespace().next().unwrap().parse::<usize>().unwrap()
        };
        Self {
            memory: field("VmRSS:") as f64 * 1024.0 / 1e6,
            threads: field("Threads:"),
            files: fs::read_dir(process.join("fd")).unwrap().count(),
        }
    }

    fn most(states: &[Self]) -> Self {
        Self {
            memory: states.iter().map(|state| state.memory).fold(0.0, f64::max),
            threads: states.iter().map(|state| state.threads).max().unwrap(),
            files: states.iter().map(|state| state.files).max().unwrap(),
        }
    }
}
