//! Small profiles with hand-checkable costs.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};

use super::workspace::Workspace;

/// Six samples: `eval` is recursive, `hash` has two callers and is in another file.
///
/// | | self/total |
/// |---|---|
/// | functions | main 1/6, parse 1/3, hash 3/3, eval 1/3 |
/// | app.py | 10: 0/2, 12: 0/3, 13: 1/1, 22: 0/2, 23: 1/1, 31: 0/2, 32: 0/1, 33: 0/1, 34: 1/1 |
/// | lib.py | 5: 2/2, 6: 1/1 |
pub const SIX_SAMPLES: &str = "\
main (app.py:10);parse (app.py:22);hash (lib.py:5) 1
main (app.py:10);parse (app.py:23) 1
main (app.py:12);eval (app.py:31);eval (app.py:33);hash (lib.py:5) 1
main (app.py:12);eval (app.py:31);eval (app.py:31);eval (app.py:34) 1
main (app.py:12);eval (app.py:32);parse (app.py:22);hash (lib.py:6) 1
main (app.py:13) 1
";

/// Lines of the functions of [`SIX_SAMPLES`]: those of their names or, without grammars, their
/// first line with cost, which is the next one.
pub const BELOW: u64 = if cfg!(feature = "grammars") { 0 } else { 1 };

/// The text of `app.py`. Each line contains its number, so that all lines differ. Functions begin
/// where the samples require it.
pub fn app_py() -> String {
    numbered(
        40,
        &[
            (9, "def main():"),
            (10, "    parse(eval)"),
            (21, "def parse(text):"),
            (22, "    hash(text)"),
            (30, "def eval(tree):"),
        ],
    )
}

/// The text of `lib.py`.
pub fn lib_py() -> String {
    numbered(8, &[(4, "def hash(text):")])
}

/// A text whose lines contain their number, except for the given ones (1-based).
pub fn numbered(n_lines: usize, special: &[(usize, &str)]) -> String {
    let line = |number: usize| {
        let special = special.iter().find(|(at, _)| *at == number);
        special.map_or_else(|| format!("    step_{number}()"), |(_, text)| (*text).to_owned())
    };
    (1..=n_lines).map(|number| line(number) + "\n").collect()
}

/// A workspace with [`SIX_SAMPLES`] and its sources.
pub fn six_samples() -> Workspace {
    Workspace::with([
        ("cpu.folded", SIX_SAMPLES),
        ("app.py", app_py().as_str()),
        ("lib.py", lib_py().as_str()),
    ])
}

/// A folded profile with this number of samples at line 2 of `app.js`.
pub fn folded(samples: u64) -> String {
    format!("work (app.js:2) {samples}\n")
}

/// A recording by perf of two threads: `app` runs `hash` in `main` at 0 and 3 ms and `main` at 1 and
/// 4 ms, `io` waits at 2 ms.
pub const TIMED_PERF: &str = "\
app 7 100.000000: 10 cycles:\n\t3 hash (app)\n\t1 main (app)\n\n\
app 7 100.001000: 20 cycles:\n\t1 main (app)\n\n\
io 7/8 100.002000: 30 cycles:\n\t4 poll (app)\n\n\
app 7 100.003000: 40 cycles:\n\t3 hash (app)\n\t1 main (app)\n\n\
app 7 100.004000: 50 cycles:\n\t1 main (app)\n\n";

/// The same as a `.cpuprofile`. It is long enough to be written in pieces, and as JSON it has an
/// end.
pub fn cpuprofile(hits: u64) -> Vec<u8> {
    cpuprofile_with(
        hits,
        json!({ "functionName": "work", "scriptId": "1", "url": "file:///srv/app/app.js", "lineNumber": 0, "columnNumber": 0 }),
    )
}

/// A `.cpuprofile` with one function and all hits at its line 2.
pub fn cpuprofile_with(hits: u64, function: Value) -> Vec<u8> {
    let frame = |name: &str, url: &str| json!({ "functionName": name, "scriptId": "0", "url": url, "lineNumber": -1, "columnNumber": -1 });
    let mut nodes = vec![
        json!({ "id": 1, "callFrame": frame("(root)", ""), "hitCount": 0, "children": (2..=200).collect::<Vec<_>>() }),
        json!({ "id": 2, "callFrame": function, "hitCount": hits, "positionTicks": [{ "line": 2, "ticks": hits }] }),
    ];
    nodes.extend((3..=200).map(|id| json!({ "id": id, "callFrame": frame(&format!("idle_{id}"), "node:idle"), "hitCount": 0 })));
    let samples = vec![2; usize::try_from(hits).unwrap_or(0)];
    json!({ "nodes": nodes, "samples": samples }).to_string().into_bytes()
}

/// A `.cpuprofile` with times: each sample lasts half a millisecond, except the last one, which has
/// no successor.
pub fn timed_cpuprofile(hits: u64) -> Vec<u8> {
    let mut profile: Value = serde_json::from_slice(&cpuprofile(hits)).unwrap_or_default();
    profile["timeDeltas"] = vec![500; usize::try_from(hits).unwrap_or(0)].into();
    profile.to_string().into_bytes()
}

/// `content`, gzipped.
pub fn gzip(content: &[u8]) -> Vec<u8> {
    let mut out = GzEncoder::new(Vec::new(), Compression::fast());
    out.write_all(content).expect("writing to memory does not fail");
    out.finish().expect("writing to memory does not fail")
}

/// The text of `app.js`.
pub const APP_JS: &str = "function work() {\n  return busy();\n}\n";
