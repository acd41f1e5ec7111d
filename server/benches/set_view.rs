//! The time of `costline.setView` in a workspace with 120 000 files, relative to the same workspace
//! without them.
//!
//! The source index belongs to the roots and not to the view, so the ratio should be close to 1; it
//! must not exceed 2. Two servers run at the same time and answer in turn, so that both are
//! affected alike by other work on the machine. `COSTLINE_BENCH_FILES` sets another number of
//! files.
//!
//! Then the time of a view change with 1 000 000 stacks, relative to reading the same profile with
//! `costline.reload`. A change is one pass over the stacks and the sums of the costs, so the ratio
//! must not exceed 1. `COSTLINE_BENCH_STACKS` sets another number of stacks.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints its results and panics on errors"
)]

mod client;
mod generated;

use client::{Server, median};
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The number of changes of the view to measure on each side.
const ROUNDS: usize = 61;
/// The greatest ratio that is accepted.
const MAX_RATIO: f64 = 2.0;
/// The number of view changes and of loads to measure with many stacks.
const ROUNDS_WITH_STACKS: usize = 11;
/// The greatest ratio of a view change to a load that is accepted.
const MAX_RATIO_TO_LOAD: f64 = 1.0;

fn main() {
    other_files();
    many_stacks();
}

fn other_files() {
    let files: usize =
        std::env::var("COSTLINE_BENCH_FILES").ok().and_then(|n| n.parse().ok()).unwrap_or(120_000);
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("set-view");
    let settings = json!({ "profile": "profile.json.gz" });
    let mut small = Server::start(&workspace(&folder.join("small"), 0), &settings);
    let mut large =
        Server::start(&workspace(&folder.join(format!("large-{files}")), files), &settings);

    let (mut without, mut with) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        let inlines = if round % 2 == 0 { "callSite" } else { "body" };
        without.push(set_view(&mut small, inlines));
        with.push(set_view(&mut large, inlines));
    }
    let (without, with) = (median(without), median(with));
    let ratio = with.as_secs_f64() / without.as_secs_f64();
    println!("{:<46} {:>7.2} ms", "setView, no other files", without.as_secs_f64() * 1e3);
    println!(
        "{:<46} {:>7.2} ms",
        format!("setView, {files} other files"),
        with.as_secs_f64() * 1e3
    );
    println!("{:<46} {ratio:>7.2}", "ratio");
    assert!(ratio <= MAX_RATIO, "the ratio exceeds {MAX_RATIO}");
}

fn many_stacks() {
    let stacks: usize = std::env::var("COSTLINE_BENCH_STACKS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(1_000_000);
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("stacks-{stacks}"));
    fs::create_dir_all(&folder).unwrap();
    let profile = folder.join("profile.json");
    if !profile.exists() {
        fs::write(&profile, generated::firefox_profile(stacks).to_string()).unwrap();
    }
    let mut server = Server::start(&folder, &json!({ "profile": "profile.json" }));
    let mut time = |command: &str, arguments| {
        let begin = Instant::now();
        server.command(command, &arguments);
        begin.elapsed()
    };
    let (mut loads, mut pushes, mut pops, mut ranges) = (vec![], vec![], vec![], vec![]);
    for _ in 0..ROUNDS_WITH_STACKS {
        loads.push(time("costline.reload", json!([])));
        pushes.push(time("costline.pushTransform", json!(["merge-function:f17"])));
        pops.push(time("costline.popTransform", json!([])));
        ranges.push(time("costline.setView", json!([{ "range": format!("0..{}", stacks / 2) }])));
        time("costline.setView", json!([{ "range": null }]));
    }
    let load = median(loads);
    println!("{:<46} {:>7.1} ms", format!("reload, {stacks} stacks"), load.as_secs_f64() * 1e3);
    for (what, times) in [
        ("pushTransform", pushes),
        ("popTransform", pops),
        ("setView, a range of half of them", ranges),
    ] {
        let took = median(times);
        let ratio = took.as_secs_f64() / load.as_secs_f64();
        println!("{what:<46} {:>7.1} ms {ratio:>6.2} × reload", took.as_secs_f64() * 1e3);
        assert!(ratio <= MAX_RATIO_TO_LOAD, "the ratio exceeds {MAX_RATIO_TO_LOAD}");
    }
}

/// Changes the view and returns the time until the costs of the new view are shown.
fn set_view(server: &mut Server, inlines: &str) -> Duration {
    let begin = Instant::now();
    server.command("costline.setView", &json!([{ "inlines": inlines }]));
    begin.elapsed()
}

/// Creates a workspace with a profile, its sources and as many `files` that have nothing to do with
/// it, unless it exists.
fn workspace(folder: &Path, files: usize) -> PathBuf {
    let case = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../fixtures/profiles/firefox/rust-wordstat-v70");
    let complete = folder.join("complete");
    if !complete.exists() {
        copy(&case, folder);
        generated::write_other_files(folder, files);
        fs::write(complete, "").unwrap();
    }
    folder.to_owned()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}
