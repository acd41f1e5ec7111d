//! Profiles and workspaces of any size.

#![allow(dead_code, reason = "no benchmark uses all of it")]

use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// The number of files of the functions.
pub const FILES: usize = 200;
/// The number of lines of a function.
pub const LINES: usize = 5;

/// The first lines of one of the files.
pub fn source(file: usize, n_lines: usize) -> String {
    const LAST: usize = LINES - 1;
    let line = |line: usize| match line % LINES {
        0 => format!("fn f{}() {{\n", file + line / LINES * FILES),
        LAST => "}\n".to_owned(),
        _ => "    call();\n".to_owned(),
    };
    (0..n_lines).map(line).collect()
}

/// Writes `n` files that no profile names into folders of 200 in `workspace`.
pub fn write_other_files(workspace: &Path, n: usize) {
    const PER_FOLDER: usize = 200;
    for first in (0..n).step_by(PER_FOLDER) {
        let folder = workspace.join(format!("others/folder_{}", first / PER_FOLDER));
        fs::create_dir_all(&folder).unwrap();
        for file in 0..PER_FOLDER.min(n - first) {
            fs::write(folder.join(format!("file_{file}.rs")), "").unwrap();
        }
    }
}

/// Generates a Firefox profile (version 60) with one sample, at a time of its own, for each of
/// `n_stacks` stacks of at most 60 frames. 20,000 frames of 4,000 functions call six others each.
/// Function `fN` is in `src/mK.rs`, where K is the remainder of N by [`FILES`]. The functions of a
/// file have [`LINES`] lines each, all with costs.
pub fn firefox_profile(n_stacks: usize) -> Value {
    const FRAMES: usize = 20_000;
    const FUNCTIONS: usize = 4000;
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
                "line": (0..FRAMES).map(|i| 1 + i % FUNCTIONS / FILES * LINES + i / FUNCTIONS).collect::<Vec<_>>(),
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
