//! The sources of the recorded profiles. The expected lines were found with `grep`.

use std::path::Path;

use texts::{Functions, Language};

/// Expects the named functions in a source of a fixture as `name:line` with 1-based lines, in
/// order, and that each is the one that its line belongs to.
#[track_caller]
fn check(file: &str, expected: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../fixtures/profiles").join(file);
    let text = std::fs::read_to_string(&path).unwrap();
    let functions = Functions::parse(Language::of_path(&path).unwrap(), text).unwrap();
    let named = functions.all().iter().filter(|definition| !definition.name.is_empty());
    let found: Vec<_> = named
        .map(|definition| format!("{}:{}", definition.name, definition.name_line0 + 1))
        .collect();
    assert_eq!(found.join(" "), expected, "{file}");
    for definition in functions.all().iter().filter(|definition| !definition.name.is_empty()) {
        assert_eq!(
            functions.at_line(definition.name_line0).map(|at| &at.name),
            Some(&definition.name),
            "{file}"
        );
    }
}

#[test]
fn c() {
    check("callgrind/c-jsonlite/src/arena.c", "arena_init:5 arena_free:12 arena_grow:18");
    check(
        "callgrind/c-jsonlite/src/json.c",
        "skip:9 node:18 parse_string:26 parse_number:39 parse_list:55 parse_value:75 json_parse:97 json_print:104 json_sum:134 json_depth:142",
    );
    check("callgrind/c-jsonlite/src/main.c", "next:8 make_doc:15 cmp_double:47 main:53");
}

#[test]
fn cpp() {
    check("perf/cpp-raytrace/src/main.cpp", "render:9 median:22 histogram:30 main:38");
    check(
        "perf/cpp-raytrace/src/vec3.hpp",
        "operator+:9 operator-:10 operator*:11 dot:15 length:23 normalized:29",
    );
    check(
        "perf/cpp-raytrace/src/scene.cpp",
        "intersect:4 intersect:21 nearest:36 trace:45 signature:63 make_scene:68",
    );
}

#[test]
fn rust() {
    check(
        "firefox/rust-wordstat-v70/src/main.rs",
        "next:18 below:25 generate:35 count:49 tree_sum:58 mix:68 main:77",
    );
    check("firefox/rust-wordstat-v70/src/rank.rs", "score:12 top:23 push_bounded:36");
    check(
        "firefox/rust-wordstat-v70/src/tokenize.rs",
        "tokens:4 normalize:11 is_wordlike:22 fold:27",
    );
    check("pprof/rust-huffman/src/bits.rs", "put:14 encode:25 decode:35");
    check(
        "pprof/rust-huffman/src/main.rs",
        "make_text:16 round_trip:34 histogram:50 worker:59 main:66",
    );
    check(
        "pprof/rust-huffman/src/tree.rs",
        "eq:19 partial_cmp:25 cmp:30 build:35 codes:55 walk:61",
    );
}

#[test]
fn go() {
    check(
        "pprof/go-indexer-cpu/main.go",
        "next:23 document:32 build:45 collatz:68 longest:81 main:91",
    );
    check(
        "pprof/go-indexer-cpu/store/index.go",
        "New:24 Add:29 tokenize:40 normal:48 Terms:56 Query:59 weight:84",
    );
}

#[test]
fn python() {
    check(
        "speedscope/py-gridworld-pyspy/grid/maze.py",
        "neighbours:8 build:16 carve:20 __init__:38 push:42 pop:46 __bool__:49 solve:53 trace:79",
    );
    check(
        "speedscope/py-gridworld-pyspy/grid/report.py",
        "timed:7 wrapper:9 __init__:21 add:25 __str__:34",
    );
    check(
        "speedscope/py-gridworld-pyspy/main.py",
        "solve_all:16 crunch:30 ackermann:41 background:49 main:57",
    );
}

#[test]
fn ruby() {
    check("rbspy/ruby-ledger/lib/ledger.rb", "initialize:3 add:8 month:14 report:18 median:26");
    check("rbspy/ruby-ledger/lib/parser.rb", "initialize:9 each:13 parse:23 amount:34");
    check("rbspy/ruby-ledger/main.rb", "generate:5 permutations:14 main:23");
}

#[test]
fn javascript() {
    check("v8/node-mdrender/src/layout.js", "breakLines:6 layout:29 fit:36");
    check("v8/node-mdrender/src/main.js", "sentence:9 makeDoc:21 list:33 main:42");
    check("v8/node-mdrender/src/random.js", "constructor:4 next:5 below:12");
    check(
        "v8/node-mdrender/src/render.js",
        "escape:5 inline:9 code:12 constructor:19 text:24 html:28 parseList:41 indent:55 renderList:61 blocks:67 classify:78 render:84",
    );
}

#[test]
fn typescript() {
    check("v8/ts-matrix/src/index.ts", "parseArgs:11 random:17 run:22");
    check(
        "v8/ts-matrix/src/matrix.ts",
        "constructor:13 at:28 set:32 identity:36 multiply:40 determinant:55 minor:70 values:76",
    );
    check(
        "v8/ts-matrix/src/stats.ts",
        "[Kind.Mean]:10 [Kind.Max]:11 [Kind.Deviation]:12 summary:21 sortNumbers:32 swap:34 quick:39",
    );
}
