//! What a user waits for when a profile is written again.
//!
//! - The time from the rewrite of a profile of 10 MB until the client is told. A file has to stay as
//!   it is for 150 ms before it is read; this is part of the time. The same in a workspace with
//!   120,000 other files.
//! - The time of hints while that profile is read again and again, relative to the same hints while
//!   nothing is read: the median and the 99th percentile.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints its results and panics on errors"
)]

mod client;
mod generated;

use client::{Server, median};
use generated::source;
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The number of stacks of a profile of 10 MB.
const STACKS: usize = 400_000;
/// The number of rewrites.
const ROUNDS: usize = 11;
/// The number of files that the profile does not name, in a large workspace.
const OTHER_FILES: usize = 120_000;
/// The number of hints to measure on each side.
const REQUESTS: usize = 1000;
/// The lines of a source, and of the screen.
const N_LINES: usize = 100;
const SCREEN: usize = 60;

fn main() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("rewrites");
    fs::create_dir_all(folder.join("src")).unwrap();
    fs::write(folder.join("src/m0.rs"), source(0, N_LINES)).unwrap();
    fs::write(folder.join("plain.rs"), source(0, N_LINES)).unwrap();
    let profile = folder.join("profile.json");
    // Their totals differ.
    let texts = [STACKS, STACKS + 1].map(|n| (n, generated::firefox_profile(n).to_string()));
    fs::write(&profile, &texts[0].1).unwrap();
    println!("{:<46} {:>7.1} MB", "profile", texts[0].1.len() as f64 / 1e6);

    let settings = json!({ "profile": "profile.json", "hints": { "minPercent": 0 } });
    let mut server = Server::start(&folder, &settings);
    let [costs, plain] = ["src/m0.rs", "plain.rs"].map(|name| server.open(&folder, name));
    // Reads the sources.
    server.hints(&costs, SCREEN);

    rewrite(&mut server, &profile, &texts);

    let [empty, idle] = [&plain, &costs]
        .map(|uri| (0..REQUESTS).map(|_| server.hints(uri, SCREEN).0).collect::<Vec<_>>());
    let mut meanwhile = Vec::new();
    while meanwhile.len() < REQUESTS {
        let load = server.send(
            "workspace/executeCommand",
            json!({ "command": "costline.reload", "arguments": [] }),
        );
        while !server.is_answered(&load) {
            let (took, n_hints) = server.hints(&costs, SCREEN);
            assert!(n_hints > SCREEN / 4, "{n_hints} hints");
            meanwhile.push(took);
        }
    }
    let [empty, idle, meanwhile] = [empty, idle, meanwhile].map(Times::of);
    for (what, Times { median, most }) in [
        ("hints, no costs", &empty),
        ("hints, costs", &idle),
        ("hints, costs, while the profile is read", &meanwhile),
    ] {
        println!("{what:<46} {median:>7.2} ms, 99th percentile {most:.2} ms");
    }
    let (median, most) = (meanwhile.median / idle.median, meanwhile.most / idle.most);
    println!("{:<46} {median:>7.2}, 99th percentile {most:.2}", "ratio of the last two");
    drop(server);

    generated::write_other_files(&folder, OTHER_FILES);
    println!("{:<46} {OTHER_FILES:>7}", "other files");
    let mut server = Server::start(&folder, &settings);
    rewrite(&mut server, &profile, &texts);
    fs::remove_dir_all(folder.join("others")).unwrap();
}

/// Writes the profile again and again, and prints the median of the times until the client is told.
/// Each text has its total.
fn rewrite(server: &mut Server, profile: &Path, texts: &[(usize, String); 2]) {
    let rewrites = (1..=ROUNDS).map(|round| {
        let (total, text) = &texts[round % 2];
        let new = profile.with_extension("new");
        fs::write(&new, text).unwrap();
        let begin = Instant::now();
        fs::rename(&new, profile).unwrap();
        server.wait_for("costline/changed", |shown| shown["total"] == *total) - begin
    });
    let rewrites = median(rewrites.collect());
    println!("{:<46} {:>7.0} ms", "rewrite until the client is told", rewrites.as_secs_f64() * 1e3);
}

/// Times in milliseconds.
struct Times {
    median: f64,
    /// The 99th percentile.
    most: f64,
}

impl Times {
    fn of(mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        let at = |share: usize| times[times.len() * share / 100].as_secs_f64() * 1e3;
        Self { median: at(50), most: at(99) }
    }
}
