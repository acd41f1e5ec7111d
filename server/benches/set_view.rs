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

use client::{Server, median};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The number of changes of the view to measure on each side.
const ROUNDS: usize = 61;
const FILES_PER_FOLDER: usize = 200;
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
        fs::write(&profile, generate(stacks).to_string()).unwrap();
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

/// Generates a Firefox profile (version 60) with one sample, at a time of its own, for each of
/// `n_stacks` stacks of at most 60 frames. 20,000 frames of 4,000 functions call six others each.
fn generate(n_stacks: usize) -> Value {
    const FRAMES: usize = 20_000;
    const FUNCTIONS: usize = 4000;
    const FILES: usize = 200;
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    let mut below = |n: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed % n as u64) as usize
    };
    let (mut prefixes, mut frames, mut depths) = (vec![None], vec![0_usize], vec![1_usize]);
    for i in 1..n_stacks {
        let back = 1 + if below(100) < 93 { below(i.min(4)) } else { below(i) };
        let mut caller = i - back;
        while let Some(prefix) = prefixes[caller].filter(|_| depths[caller] >= 60) {
            caller = prefix;
        }
        prefixes.push(Some(caller));
        depths.push(depths[caller] + 1);
        frames.push((frames[caller] * 7 + 13 * (1 + below(6))) % FRAMES);
    }
    let repeated = |n: usize, value: Value| vec![value; n];
    let up_to = |n: usize| (0..n).collect::<Vec<_>>();
    let names = (0..FUNCTIONS).map(|i| format!("f{i}"));
    let files = (0..FILES).map(|i| format!("src/m{i}.rs"));
    json!({
        "meta": {
            "interval": 1, "startTime": 0, "product": "bench", "preprocessedProfileVersion": 60,
            "symbolicated": true,
            "categories": [{ "name": "Other", "color": "grey", "subcategories": ["Other"] }],
        },
        "libs": [],
        "shared": {
            "stackTable": { "length": n_stacks, "frame": frames, "prefix": prefixes },
            "frameTable": {
                "length": FRAMES,
                "address": repeated(FRAMES, json!(-1)),
                "inlineDepth": repeated(FRAMES, json!(0)),
                "category": repeated(FRAMES, json!(0)),
                "subcategory": repeated(FRAMES, json!(0)),
                "func": (0..FRAMES).map(|i| i % FUNCTIONS).collect::<Vec<_>>(),
                "nativeSymbol": repeated(FRAMES, Value::Null),
                "innerWindowID": repeated(FRAMES, Value::Null),
                "line": (0..FRAMES).map(|i| 1 + i % 900).collect::<Vec<_>>(),
                "column": repeated(FRAMES, Value::Null),
            },
            "funcTable": {
                "length": FUNCTIONS,
                "name": up_to(FUNCTIONS),
                "isJS": repeated(FUNCTIONS, json!(false)),
                "relevantForJS": repeated(FUNCTIONS, json!(false)),
                "resource": repeated(FUNCTIONS, json!(-1)),
                "source": (0..FUNCTIONS).map(|i| i % FILES).collect::<Vec<_>>(),
                "lineNumber": repeated(FUNCTIONS, Value::Null),
                "columnNumber": repeated(FUNCTIONS, Value::Null),
            },
            "resourceTable": { "length": 0, "name": [], "host": [], "type": [], "lib": [] },
            "nativeSymbols": {
                "length": 0, "libIndex": [], "address": [], "name": [], "functionSize": [],
            },
            "sources": {
                "length": FILES,
                "id": repeated(FILES, Value::Null),
                "filename": (FUNCTIONS..FUNCTIONS + FILES).collect::<Vec<_>>(),
                "startLine": repeated(FILES, json!(1)),
                "startColumn": repeated(FILES, json!(1)),
                "sourceMapURL": repeated(FILES, Value::Null),
            },
            "stringArray": names.chain(files).collect::<Vec<_>>(),
        },
        "threads": [{
            "name": "main", "pid": "1", "tid": 1, "processType": "default", "isMainThread": true,
            "registerTime": 0, "unregisterTime": null, "processStartupTime": 0,
            "processShutdownTime": null, "pausedRanges": [],
            "markers": {
                "length": 0, "category": [], "data": [], "endTime": [], "name": [], "phase": [],
                "startTime": [],
            },
            "samples": {
                "length": n_stacks, "weightType": "samples", "weight": null,
                "stack": (0..n_stacks).map(|i| i * 7919 % n_stacks).collect::<Vec<_>>(),
                "time": up_to(n_stacks),
            },
        }],
    })
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
        for i in 0..files.div_ceil(FILES_PER_FOLDER) {
            let others = folder.join(format!("others/folder_{i}"));
            fs::create_dir_all(&others).unwrap();
            for j in 0..FILES_PER_FOLDER.min(files - i * FILES_PER_FOLDER) {
                fs::write(others.join(format!("file_{j}.rs")), "").unwrap();
            }
        }
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
