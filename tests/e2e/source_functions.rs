//! Functions of the sources: the lines of their lenses, and their costs. The tables were written by
//! hand from the sources.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::Path;

use flate2::read::GzDecoder;
use serde_json::{Value, json};

use crate::support::cases::Case;
use crate::support::profiles::cpuprofile_with;
use crate::support::requests::text;
use crate::support::{Server, Workspace, set_age};

/// A server with a lens for every function with cost.
fn with_all_lenses(workspace: &Workspace) -> Server {
    let mut server = Server::builder(workspace)
        .options(json!({ "hints": { "minPercent": 0 }, "lenses": { "minPercent": 0, "closures": true } }))
        .start();
    server.wait_profile();
    server
}

/// The lenses of a file with their lines (1-based) and functions: `18 wordstat::Rng::next`.
fn lenses(server: &mut Server, workspace: &Workspace, file: &str) -> Vec<String> {
    let uri = server.open_file(&workspace.path(file), "plaintext");
    shown(server, &uri)
}

fn shown(server: &mut Server, uri: &str) -> Vec<String> {
    let line = |lens: &Value| lens["range"]["start"]["line"].as_u64().unwrap() + 1;
    server
        .lenses(uri)
        .iter()
        .map(|lens| format!("{} {}", line(lens), text(&lens["data"]["func"]["name"])))
        .collect()
}

/// Compares all lenses of a case with tables: for each file its lines and functions.
fn assert_lenses_are_on_definitions(case: &str, files: &[(&str, &[&str])]) {
    let case = Case::new(case);
    let mut server = with_all_lenses(&case.workspace);
    for (file, expected) in files {
        assert_eq!(lenses(&mut server, &case.workspace, file), *expected, "{file}");
    }
}

#[test]
fn lenses_of_rust_are_on_definitions() {
    assert_lenses_are_on_definitions(
        "firefox/rust-wordstat-v70",
        &[
            (
                "src/main.rs",
                &[
                    "18 wordstat::Rng::next",
                    "25 wordstat::Rng::below",
                    "35 wordstat::generate",
                    "49 wordstat::count",
                    "58 wordstat::tree_sum",
                    "68 wordstat::mix",
                    "77 wordstat::main",
                    "89 wordstat::main::{{closure}}",
                ],
            ),
            ("src/rank.rs", &["23 wordstat::rank::top", "36 wordstat::rank::push_bounded"]),
            (
                "src/suggest.rs",
                &[
                    "5 wordstat::suggest::best",
                    "8 wordstat::suggest::best::{{closure}}",
                    "16 wordstat::suggest::distance",
                    "35 wordstat::suggest::min3",
                ],
            ),
            (
                "src/tokenize.rs",
                &[
                    "7 wordstat::tokenize::tokens::{{closure}}",
                    "11 wordstat::tokenize::normalize",
                    "22 wordstat::tokenize::is_wordlike",
                    "27 wordstat::tokenize::fold",
                ],
            ),
        ],
    );
    // Spans begin at their attribute. Two spans are parts of a function, and stand on the statements
    // that they are in.
    assert_lenses_are_on_definitions(
        "speedscope/rust-huffman-spans",
        &[(
            "src/main.rs",
            &["16 make_text", "34 round_trip", "38 encode", "42 decode", "59 worker"],
        )],
    );
    // Names have no crates, and closures have numbers.
    assert_lenses_are_on_definitions(
        "pprof/rust-huffman",
        &[
            ("src/bits.rs", &["14 put", "25 encode", "35 decode"]),
            (
                "src/main.rs",
                // `make_text` has no lines; it is found by its name.
                &[
                    "16 make_text",
                    "34 round_trip",
                    "50 histogram",
                    "59 worker",
                    "61 {closure#0}",
                    "62 {closure#1}",
                    "66 main",
                    "87 {closure#3}",
                ],
            ),
            ("src/tree.rs", &["35 build", "55 codes", "61 walk"]),
        ],
    );
}

#[test]
fn lenses_of_c_are_on_definitions() {
    // `parse_value` contains code of an inlined function, and `node` begins with code of another
    // file.
    assert_lenses_are_on_definitions(
        "callgrind/c-jsonlite",
        &[
            ("src/arena.c", &["5 arena_init", "12 arena_free"]),
            ("src/arena.h", &[]),
            (
                "src/json.c",
                &[
                    "9 skip",
                    "18 node",
                    "26 parse_string",
                    "55 parse_list",
                    "75 parse_value",
                    "97 json_parse",
                    "104 json_print",
                    "134 json_sum",
                    "142 json_depth",
                ],
            ),
            ("src/main.c", &["8 next", "15 make_doc", "47 cmp_double", "53 main"]),
        ],
    );
}

#[test]
fn lenses_of_cpp_are_on_definitions() {
    assert_lenses_are_on_definitions(
        "perf/cpp-raytrace-srcline",
        &[
            ("src/main.cpp", &["9 render", "22 median", "30 histogram", "38 main"]),
            (
                "src/scene.cpp",
                &[
                    "4 Sphere::intersect",
                    "21 Plane::intersect",
                    "36 Scene::nearest",
                    "45 Scene::trace",
                ],
            ),
            (
                "src/vec3.hpp",
                &[
                    "10 Vec3<double>::operator-",
                    "11 Vec3<double>::operator*",
                    "15 dot<double>",
                    "23 length<double>",
                    "29 normalized<double>",
                ],
            ),
        ],
    );
}

#[test]
fn lenses_of_go_are_on_definitions() {
    assert_lenses_are_on_definitions(
        "pprof/go-indexer-cpu",
        &[
            (
                "main.go",
                &[
                    "23 main.(*rng).next",
                    "32 main.document",
                    "45 main.build",
                    "51 main.build.func1",
                    "68 main.collatz",
                    "81 main.longest",
                    "91 main.main",
                ],
            ),
            (
                "store/index.go",
                &[
                    "29 example.org/indexer/store.(*Index).Add",
                    "40 example.org/indexer/store.tokenize",
                    "48 example.org/indexer/store.normal",
                    "59 example.org/indexer/store.(*Index).Query",
                    "73 example.org/indexer/store.(*Index).Query.func1",
                ],
            ),
        ],
    );
}

#[test]
fn lenses_of_python_are_on_definitions() {
    // Modules are not definitions. Their lenses are on their first line with cost.
    assert_lenses_are_on_definitions(
        "folded/py-gridworld-pyspy",
        &[
            (
                "grid/maze.py",
                &[
                    "8 neighbours",
                    "16 build",
                    "20 build.<locals>.carve",
                    "42 Frontier.push",
                    "46 Frontier.pop",
                    "49 Frontier.__bool__",
                    "53 solve",
                    "79 trace",
                ],
            ),
            ("grid/report.py", &["3 <module>", "9 timed.<locals>.wrapper", "25 Report.add"]),
            (
                "main.py",
                &[
                    "7 <module>",
                    "16 solve_all",
                    "30 crunch",
                    "41 ackermann",
                    "49 background",
                    "57 main",
                ],
            ),
        ],
    );
}

#[test]
fn lenses_of_javascript_are_on_definitions() {
    assert_lenses_are_on_definitions(
        "v8/node-mdrender",
        &[
            ("src/layout.js", &["6 breakLines", "29 layout", "31 (anonymous)", "36 fit"]),
            (
                "src/main.js",
                &[
                    "1 (anonymous)",
                    "9 sentence",
                    "21 makeDoc",
                    "33 list",
                    "42 main",
                    "51 (anonymous)",
                    "52 (anonymous)",
                ],
            ),
            ("src/random.js", &["1 (anonymous)", "12 below"]),
            (
                "src/render.js",
                &[
                    "5 escape",
                    "9 inline",
                    "12 code",
                    "15 (anonymous)",
                    "19 Block",
                    "24 get text",
                    "28 html",
                    "41 parseList",
                    "61 renderList",
                    "63 (anonymous)",
                    "67 blocks",
                    "78 classify",
                    "84 exports.render",
                ],
            ),
        ],
    );
}

#[test]
fn lenses_of_typescript_are_on_definitions() {
    assert_lenses_are_on_definitions(
        "v8/ts-matrix",
        &[
            ("src/index.ts", &["17 random", "22 run", "24 (anonymous)"]),
            (
                "src/matrix.ts",
                &[
                    "13 Matrix",
                    "28 at",
                    "32 set",
                    "36 identity",
                    "40 multiply",
                    "55 determinant",
                    "70 minor",
                    "71 (anonymous)",
                    "76 values",
                ],
            ),
            (
                "src/stats.ts",
                &[
                    "10 compute",
                    "11 compute",
                    "12 compute",
                    "15 (anonymous)",
                    "16 (anonymous)",
                    "21 summary",
                    "26 (anonymous)",
                    "32 sortNumbers",
                    "34 swap",
                    "39 quick",
                ],
            ),
        ],
    );
}

#[test]
fn lenses_of_ruby_are_on_definitions() {
    assert_lenses_are_on_definitions(
        "rbspy/ruby-ledger",
        &[
            ("lib/ledger.rb", &["8 add", "14 month", "18 report", "26 median"]),
            ("lib/parser.rb", &["13 each", "23 parse", "34 amount"]),
            ("main.rb", &["5 generate", "14 permutations", "23 main", "41 <main>"]),
        ],
    );
}

/// Total by function name, over all libraries and files: the samples of a Firefox profile with the
/// name on their stack.
fn totals_by_name(profile: &Value) -> BTreeMap<String, f64> {
    let column =
        |table: &str, name: &str| profile["shared"][table][name].as_array().unwrap().clone();
    let index = |value: &Value| usize::try_from(value.as_u64().unwrap()).unwrap();
    let (frames, offsets) = (column("stackTable", "frame"), column("stackTable", "prefixOffset"));
    let (funcs, names) = (column("frameTable", "func"), column("funcTable", "name"));
    let strings = profile["shared"]["stringArray"].as_array().unwrap();
    let mut totals = BTreeMap::new();
    for thread in profile["threads"].as_array().unwrap() {
        let samples = &thread["samples"];
        for (i, stack) in samples["stack"].as_array().unwrap().iter().enumerate() {
            let weight = samples["weight"][i].as_f64().unwrap_or(1.0);
            let mut next = stack.as_u64().map(|_| index(stack));
            let mut on_stack = Vec::new();
            while let Some(at) = next {
                on_stack.push(text(&strings[index(&names[index(&funcs[index(&frames[at])])])]));
                next = Some(index(&offsets[at]))
                    .filter(|&offset| offset > 0)
                    .map(|offset| at - offset);
            }
            on_stack.sort();
            on_stack.dedup();
            for name in on_stack {
                *totals.entry(name).or_default() += weight;
            }
        }
    }
    totals
}

#[test]
fn a_function_has_the_cost_of_all_its_funcs_together() {
    let case = Case::rust();
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../fixtures/profiles/firefox/rust-wordstat-v70/profile.json.gz");
    let mut json = String::new();
    GzDecoder::new(fs::File::open(path).unwrap()).read_to_string(&mut json).unwrap();
    let totals = totals_by_name(&serde_json::from_str(&json).unwrap());

    let mut server = with_all_lenses(&case.workspace);
    let mut n_lenses = 0;
    for file in case.files() {
        let uri = server.open_file(&case.workspace.path(&file), "rust");
        for lens in server.lenses(&uri) {
            let name = text(&lens["data"]["func"]["name"]);
            assert_eq!(lens["data"]["total"].as_f64().unwrap(), totals[&name], "{name}");
            n_lenses += 1;
        }
    }
    assert_eq!(n_lenses, 18);
    // Inlined code of `Vec::push` and ranges is recorded in the files of the standard library: 36
    // and 4 samples.
    assert_eq!((totals["wordstat::generate"], totals["wordstat::Rng::next"]), (396.0, 40.0));
}

/// Four samples of a generic function: `sum<u8>` calls `sum<f64>` in one of them, and one is of its
/// closure.
const GENERIC: &str = "\
app::main (app.rs:8);app::sum<u8> (app.rs:2);app::sum<f64> (app.rs:3) 1
app::main (app.rs:8);app::sum<u8> (app.rs:2) 1
app::main (app.rs:9);app::sum<f64> (app.rs:3) 2
app::main (app.rs:9);app::sum<f64> (app.rs:2);app::sum::{{closure}} (app.rs:4) 1
";

const GENERIC_RS: &str = "\
fn sum<T>(xs: &[T]) -> T {
    let first = xs.first();
    let rest = xs.iter()
        .map(|x| x + x);
    first + rest
}
fn main() {
    sum(&[1_u8]);
    sum(&[1.0]);
}
";

#[test]
fn instances_of_a_generic_function_count_once_per_sample() {
    let workspace = Workspace::with([("cpu.folded", GENERIC), ("app.rs", GENERIC_RS)]);
    let mut server = with_all_lenses(&workspace);
    let uri = server.open_file(&workspace.path("app.rs"), "rust");
    let lenses: Vec<_> = server
        .lenses(&uri)
        .iter()
        .map(|lens| {
            (
                lens["range"]["start"]["line"].clone(),
                lens["data"]["self"].clone(),
                lens["data"]["total"].clone(),
            )
        })
        .collect();
    // Both instances are on the first stack: 5 samples, not 6.
    assert_eq!(
        lenses,
        [
            (json!(0), json!(4), json!(5)),
            (json!(3), json!(1), json!(1)),
            (json!(6), json!(0), json!(5))
        ]
    );

    // Shown without type arguments, and found by the name of any instance.
    let item = server.prepare(&uri, 0, 4).remove(0);
    assert_eq!(text(&item["name"]), "100.0% app::sum<…>");
    assert_eq!(item["data"]["path"][0]["name"], "app::sum<u8>");
    let mut of_other = item.clone();
    of_other["data"]["path"][0]["name"] = json!("app::sum<f64>");
    for item in [item, of_other] {
        let callers = server.incoming(&item);
        let callers: Vec<_> = callers.iter().map(|call| text(&call["from"]["name"])).collect();
        assert_eq!(callers, ["100.0% app::main", "↻ 20.0% app::sum<…>"]);
    }
    // Percentages of a line include all instances.
    let hover = server.line_hover(&uri, 1).unwrap();
    assert!(
        hover.contains(r"60\.0\% of app\:\:sum\<…\>") || hover.contains("60.0% of app::sum<…>"),
        "{hover}"
    );
    // On the line of a closure: the closure, and the enclosing function where the line begins.
    let closure = server.prepare(&uri, 3, 18).remove(0);
    assert_eq!(text(&closure["name"]), "20.0% app::sum::{{closure}}");
    assert_eq!(text(&server.prepare(&uri, 3, 0)[0]["name"]), "100.0% app::sum<…>");
}

fn insert(line: u64, character: u64, text: &str) -> Value {
    let at = json!({ "line": line, "character": character });
    json!([{ "range": { "start": at, "end": at }, "text": text }])
}

#[test]
fn a_lens_follows_an_edited_signature() {
    let workspace = Workspace::with([("cpu.folded", GENERIC), ("app.rs", GENERIC_RS)]);
    let mut server = with_all_lenses(&workspace);
    let uri = server.open_file(&workspace.path("app.rs"), "rust");
    let names = ["app::sum<u8>", "app::sum::{{closure}}", "app::main"];
    let at = |lines: [u64; 3]| {
        lines.iter().zip(names).map(|(line, name)| format!("{line} {name}")).collect::<Vec<_>>()
    };
    assert_eq!(shown(&mut server, &uri), at([1, 4, 7]));
    // Another signature, two lines further down.
    server.change_by(&uri, insert(0, 0, "// sums\n\npub "));
    assert_eq!(shown(&mut server, &uri), at([3, 6, 9]));
    assert_eq!(text(&server.prepare(&uri, 2, 8)[0]["name"]), "100.0% app::sum<…>");
    // Moved to the end, with another body.
    server.change_by(
        &uri,
        json!([{ "range": { "start": { "line": 0, "character": 0 }, "end": { "line": 8, "character": 0 } }, "text": "" }]),
    );
    server.change_by(&uri, insert(4, 0, "fn sum() { todo!() }\n"));
    let lenses = shown(&mut server, &uri);
    assert!(
        lenses.contains(&"1 app::main".to_owned()) && lenses.contains(&"5 app::sum<u8>".to_owned()),
        "{lenses:?}"
    );
    // With a syntax error: the remaining lines.
    server.change(
        &uri,
        &GENERIC_RS
            .replace("fn main() {", "fn main( {{{ \"")
            .replace("    let rest", "    }}}} let rest"),
    );
    let lenses = shown(&mut server, &uri);
    assert!(lenses.contains(&"1 app::sum<u8>".to_owned()), "{lenses:?}");
    server.change(&uri, &GENERIC_RS.replace("fn main() {", "yfn main( {{{ \""));
    assert_eq!(text(&server.prepare(&uri, 9, 0)[0]["name"]), "100.0% app::main");
}

#[test]
fn a_definition_without_cost_does_not_get_that_of_others() {
    let python =
        "def used(x):\n    return x\n\ndef unused(x):\n    used(x)\n    return used\n\nused(1)\n";
    let workspace = Workspace::with([
        ("cpu.folded", "<module> (app.py:8);used (app.py:2) 3\n"),
        ("app.py", python),
    ]);
    let mut server = with_all_lenses(&workspace);
    let uri = server.open_file(&workspace.path("app.py"), "python");
    let mut at = |line, character| {
        server
            .prepare(&uri, line, character)
            .iter()
            .map(|item| text(&item["name"]))
            .collect::<Vec<_>>()
    };
    assert_eq!(at(1, 4), ["100.0% used"]);
    assert_eq!(at(0, 5), ["100.0% used"]);
    for (line, character) in [(3, 5), (4, 0), (4, 5), (5, 0)] {
        assert_eq!(at(line, character), [""; 0], "{line}:{character}");
    }
    // Outside of functions: the module, and its callees.
    assert_eq!(
        (at(7, 2), at(7, 6)),
        (vec!["100.0% used".to_owned()], vec!["100.0% <module>".to_owned()])
    );
}

#[test]
fn prepare_distinguishes_closures_on_one_line_by_column() {
    // Columns of the profile are 0-based: `y => y + 2` has cost, `x => x + 1` has none.
    let workspace = Workspace::with([("app.js", "run(x => x + 1, y => y + 2);\n")]);
    let frame = json!({ "functionName": "", "scriptId": "1", "url": "file:///srv/app/app.js", "lineNumber": 0, "columnNumber": 16 });
    workspace.write("a.cpuprofile", cpuprofile_with(3, frame));
    let mut server = with_all_lenses(&workspace);
    let uri = server.open_file(&workspace.path("app.js"), "javascript");
    assert_eq!(shown(&mut server, &uri), ["1 (anonymous)"]);
    let mut at = |character| {
        server
            .prepare(&uri, 0, character)
            .iter()
            .map(|item| text(&item["name"]))
            .collect::<Vec<_>>()
    };
    assert_eq!((at(21), at(9)), (vec!["100.0% (anonymous)".to_owned()], vec![]));
}

#[test]
fn closures_on_one_line_of_a_statement_are_on_that_line() {
    let text = "fn main() {\n    for i in 0..9 {\n        v(i).map(|x| x + i).filter(|y| y > 1)\n    }\n}\n";
    let profile = "app::main (app.rs:3);app::main::{{closure}} (app.rs:3) 3\n";
    let workspace = Workspace::with([("cpu.folded", profile), ("app.rs", text)]);
    let mut server = with_all_lenses(&workspace);
    let uri = server.open_file(&workspace.path("app.rs"), "rust");
    assert_eq!(shown(&mut server, &uri), ["1 app::main", "3 app::main::{{closure}}"]);
}

/// The first line was inserted. Nothing contradicts the text, as lines of other functions may be inlined.
#[test]
fn a_newer_file_has_the_lenses_of_an_older_one() {
    let edited = format!("// one more line\n{GENERIC_RS}");
    let workspace = Workspace::with([("cpu.folded", GENERIC), ("app.rs", edited.as_str())]);
    let hour = std::time::Duration::from_secs(3600);
    for (profile_age, source_age, mark) in [(hour, 2 * hour, ""), (2 * hour, hour, "~")] {
        set_age(&workspace.path("cpu.folded"), profile_age);
        set_age(&workspace.path("app.rs"), source_age);
        let mut server = with_all_lenses(&workspace);
        let uri = server.open_file(&workspace.path("app.rs"), "rust");
        assert_eq!(shown(&mut server, &uri), ["2 app::sum<u8>", "8 app::main"]);
        let lenses = server.lenses(&uri);
        let titles = lenses.iter().map(|lens| text(&lens["command"]["title"]));
        for title in titles {
            assert_eq!(title.starts_with('~'), mark == "~", "{title}");
        }
        server.finish();
    }
}

#[test]
fn marks_inlined_functions_in_lists() {
    let case = Case::rust();
    let mut server = with_all_lenses(&case.workspace);
    let uri = server.open_file(&case.workspace.path("src/tokenize.rs"), "rust");
    // `    let mut out = String::with_capacity(word.len());`, in a function that is called.
    let hover = server.line_hover(&uri, 11).unwrap().replace('\\', "");
    for part in [
        "% of wordstat::tokenize::normalize\n",
        ") core::ops::function::FnMut::call_mut (inl)",
        "with_capacity (inl)",
    ] {
        assert!(hover.contains(part), "{part}: {hover}");
    }
    let called = server.hover(&uri, 13, 12).unwrap().replace('\\', "");
    assert!(
        called.contains("**wordstat::tokenize::is_wordlike**")
            && called.contains(") wordstat::tokenize::normalize"),
        "{called}"
    );
}
