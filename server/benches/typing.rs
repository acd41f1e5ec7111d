//! The time of an edit and the hints after it in a source of 20 000 lines, relative to the same in
//! a source of the same length without costs. The ratio must not exceed 2.
//!
//! Both sources were edited in 20 places before: lines that changed since the recording are compared
//! again with each edit.
//!
//! Both sources are open in one server and edited in turn, so that both are affected alike by other
//! work on the machine.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints its results and panics on errors"
)]

mod client;

use client::{Server, median};
use lsp_types::Url;
use serde_json::json;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

const N_LINES: usize = 20_000;
/// The number of functions. Each has the same number of lines, and costs on half of them.
const N_FUNCTIONS: usize = 1000;
/// The number of places that were edited since the recording.
const N_EDITED: usize = 20;
/// The number of edits to measure on each side.
const ROUNDS: usize = 201;
/// The number of lines on the screen.
const SCREEN: usize = 60;
/// The greatest ratio that is accepted.
const MAX_RATIO: f64 = 2.0;

fn main() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("typing");
    fs::create_dir_all(&folder).unwrap();
    let (mut source, mut profile) = (String::new(), String::new());
    for function in 0..N_FUNCTIONS {
        writeln!(source, "def function_{function}(rows):").unwrap();
        for line in 1..N_LINES / N_FUNCTIONS {
            writeln!(source, "    value_{line} = compute(rows, value_{}, {function})", line - 1)
                .unwrap();
            if line % 2 == 0 {
                let line = function * (N_LINES / N_FUNCTIONS) + line + 1;
                writeln!(profile, "function_{function} (costs.py:{line}) {}", 1 + line % 7)
                    .unwrap();
            }
        }
    }
    for name in ["costs.py", "plain.py"] {
        fs::write(folder.join(name), &source).unwrap();
    }
    fs::write(folder.join("cpu.folded"), &profile).unwrap();

    let settings =
        json!({ "profile": "cpu.folded", "keepSources": false, "hints": { "minPercent": 0 } });
    let mut server = Server::start(&folder, &settings);
    let [costs, plain] = ["costs.py", "plain.py"].map(|name| {
        let uri = Url::from_file_path(folder.join(name)).unwrap();
        let document = json!({ "uri": uri, "languageId": "python", "version": 0, "text": source });
        server.notify("textDocument/didOpen", json!({ "textDocument": document }));
        uri
    });
    let (mut with, mut without) = (Vec::new(), Vec::new());
    for round in 0..N_EDITED + ROUNDS {
        // The lines edited first are far from each other.
        let line = SCREEN / 2 + (round.min(N_EDITED) * 7919) % (N_LINES - SCREEN);
        let (time, n_hints) = edit(&mut server, &costs, round, line);
        assert!(n_hints > SCREEN / 4, "{n_hints} hints near line {line}");
        let (time_without, n_hints) = edit(&mut server, &plain, round, line);
        assert_eq!(n_hints, 0);
        if round >= N_EDITED {
            with.push(time);
            without.push(time_without);
        }
    }
    let (with, without) = (median(with), median(without));
    let ratio = with.as_secs_f64() / without.as_secs_f64();
    println!("{:<46} {:>7.2} ms", "edit and hints, no costs", without.as_secs_f64() * 1e3);
    println!(
        "{:<46} {:>7.2} ms",
        "edit and hints, 10 000 lines with costs",
        with.as_secs_f64() * 1e3
    );
    println!("{:<46} {ratio:>7.2}", "ratio");
    assert!(ratio <= MAX_RATIO, "the ratio exceeds {MAX_RATIO}");
}

/// Types a character on a line, and asks for the hints of the lines around it. Returns the time until
/// they arrived, and their number.
fn edit(server: &mut Server, uri: &Url, round: usize, line: usize) -> (Duration, usize) {
    let at = json!({ "line": line, "character": 0 });
    let document = json!({ "uri": uri, "version": round + 1 });
    let changes = json!([{ "range": { "start": at, "end": at }, "text": "x" }]);
    let screen = json!({
        "start": { "line": line - SCREEN / 2, "character": 0 },
        "end": { "line": line + SCREEN / 2, "character": 0 },
    });
    let begin = Instant::now();
    server.notify(
        "textDocument/didChange",
        json!({ "textDocument": document, "contentChanges": changes }),
    );
    let (hints, arrived) = server.timed_request(
        "textDocument/inlayHint",
        json!({ "textDocument": { "uri": uri }, "range": screen }),
    );
    (arrived - begin, hints.as_array().map_or(0, Vec::len))
}
