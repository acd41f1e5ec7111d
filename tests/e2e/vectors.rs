//! Small samples with numbers that can be checked by hand: the ones of `analysis/tests/transforms`
//! and the Firefox Profiler's documented trees, read from a file, from the commands of an editor and
//! from the command line.

use std::collections::BTreeMap;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::requests::text;
use crate::support::workspace::set_age;
use crate::support::{Server, Workspace};

/// Samples, callers first: `name@line`, with `!` if inlined and without `@line` if that is unknown.
/// They were taken at 0, 1, 2 … ms.
struct Vector {
    samples: &'static [&'static str],
    weights: Option<&'static [i64]>,
    /// The names of functions, their file, and their library. Those of `.js` files are JavaScript.
    functions: &'static [(&'static str, &'static str, &'static str)],
}

const V1: Vector = Vector {
    samples: &[
        "main@10 parse@22 hash@5",
        "main@10 parse@23",
        "main@12 eval@31 eval@33 hash@5",
        "main@12 eval@31 eval@31 eval@34",
        "main@12 eval@32 parse@22 hash@6",
        "main@13",
    ],
    weights: None,
    functions: &[("main parse eval", "app.rs", ""), ("hash", "lib.rs", "")],
};

const V2: Vector = Vector {
    samples: &[
        "start@3 tick.js@7 stub@20 draw.js@15 copy@30",
        "start@3 tick.js@7 stub@20 0x5f00 draw.js@16",
        "start@3 tick.js@8 copy@31",
        "start@4 gc@40",
    ],
    weights: None,
    functions: &[
        ("start stub copy gc", "host.c", "host"),
        ("tick.js draw.js", "app.js", ""),
        ("0x5f00", "", ""),
    ],
};

const V3: Vector = Vector {
    samples: &["a@1 b@5", "a@1 b@6", "a@1 b@5", "a@2 c@9"],
    weights: Some(&[5, 2, -3, 1]),
    functions: &[("a b", "x.c", ""), ("c", "y.c", "")],
};

const V4: Vector = Vector {
    samples: &["run@4 fold@90! step@12!", "run@4 fold@92!", "run@6 step@12", "run"],
    weights: None,
    functions: &[("run step", "run.rs", "app"), ("fold", "iter.rs", "app")],
};

const V5: Vector = Vector {
    samples: &["a@1 b@5 a@2", "a@1 b@5 a@1", "a@1 x", "a", "y"],
    weights: None,
    functions: &[("a", "m.c", ""), ("b", "n.c", ""), ("x y", "", "")],
};

/// The tree of the Firefox Profiler's `docs-developer/call-tree.md`.
const DOCUMENTED: Vector = Vector {
    samples: &["A@1 B@2 C@3 D@4 E@5", "A@1 B@2 C@3 F@6 G@7", "A@1 B@2 H@8 F@6"],
    weights: None,
    functions: &[("A B C D E F G H", "a.c", "")],
};

/// The stacks of a script of that document.
const SCRIPT: Vector = Vector {
    samples: &[
        "RunScript@1 onLoad@2 a@3 b@4",
        "RunScript@1 onLoad@2 IonCannon@9 a@13 b@14",
        "RunScript@1 onLoad@2 IonCannon@9 a@13 b@14",
    ],
    weights: None,
    functions: &[("RunScript IonCannon", "js.cpp", "xul"), ("onLoad a b", "a.js", "")],
};

/// Returns the index of a value in a list, to which it is added if it is new.
fn intern<T: PartialEq>(list: &mut Vec<T>, value: T) -> usize {
    list.iter().position(|it| *it == value).unwrap_or_else(|| {
        list.push(value);
        list.len() - 1
    })
}

impl Vector {
    /// A processed profile of Firefox, version 60.
    fn firefox(&self) -> Value {
        let functions: Vec<(&str, &str, &str)> = self
            .functions
            .iter()
            .flat_map(|(names, file, lib)| names.split(' ').map(move |name| (name, *file, *lib)))
            .collect();
        let (mut strings, mut libs) = (vec!["Other".to_owned()], Vec::new());
        let (mut frames, mut stacks) = (Vec::new(), Vec::new());
        let mut leaves = Vec::new();
        for sample in self.samples {
            let mut caller: Option<usize> = None;
            for cell in sample.split(' ') {
                let (cell, is_inlined) = match cell.strip_suffix('!') {
                    Some(cell) => (cell, true),
                    None => (cell, false),
                };
                let (name, line) = cell.split_once('@').unwrap_or((cell, ""));
                let func = functions.iter().position(|function| function.0 == name).unwrap();
                let frame = (func, line.parse::<u32>().ok(), is_inlined);
                let frame = intern(&mut frames, frame);
                caller = Some(intern(&mut stacks, (caller, frame)));
            }
            leaves.push(caller);
        }
        let is_js = |func: usize| functions[func].1.rsplit_once('.').is_some_and(|it| it.1 == "js");
        for (.., lib) in &functions {
            if !lib.is_empty() {
                intern(&mut libs, *lib);
            }
        }
        let mut sources: Vec<&str> = Vec::new();
        let mut string = |text: &str| intern(&mut strings, text.to_owned());
        let rows = |n: usize, value: &Value| vec![value.clone(); n];
        let (n_frames, n_functions) = (frames.len(), functions.len());
        let funcs = json!({
            "length": n_functions,
            "name": functions.iter().map(|it| string(it.0)).collect::<Vec<_>>(),
            "isJS": (0..n_functions).map(is_js).collect::<Vec<_>>(),
            "relevantForJS": rows(n_functions, &json!(false)),
            "resource": functions.iter()
                .map(|it| libs.iter().position(|lib| lib == &it.2).map_or(json!(-1), |lib| json!(lib)))
                .collect::<Vec<_>>(),
            "source": functions.iter()
                .map(|it| (!it.1.is_empty()).then(|| intern(&mut sources, it.1)))
                .collect::<Vec<_>>(),
            "lineNumber": rows(n_functions, &Value::Null),
            "columnNumber": rows(n_functions, &Value::Null),
        });
        let sources = json!({
            "length": sources.len(),
            "id": rows(sources.len(), &Value::Null),
            "filename": sources.iter().map(|file| string(file)).collect::<Vec<_>>(),
            "startLine": rows(sources.len(), &json!(1)),
            "startColumn": rows(sources.len(), &json!(1)),
            "sourceMapURL": rows(sources.len(), &Value::Null),
        });
        let resources = json!({
            "length": libs.len(),
            "name": libs.iter().map(|lib| string(lib)).collect::<Vec<_>>(),
            "host": rows(libs.len(), &Value::Null),
            "type": rows(libs.len(), &json!(1)),
            "lib": (0..libs.len()).collect::<Vec<_>>(),
        });
        let category = |func: usize| if is_js(func) { json!(1) } else { Value::Null };
        let n_samples = leaves.len();
        json!({
            "meta": {
                "interval": 1, "startTime": 1_700_000_000_000_u64, "product": "vectors",
                "preprocessedProfileVersion": 60, "symbolicated": true,
                "categories": [
                    { "name": "Other", "color": "grey", "subcategories": ["Other"] },
                    { "name": "JavaScript", "color": "yellow", "subcategories": ["Other"] },
                ],
            },
            "libs": libs.iter().map(|lib| json!({
                "name": lib, "path": lib, "debugName": lib, "debugPath": lib, "breakpadId": "",
                "codeId": null, "arch": "",
            })).collect::<Vec<_>>(),
            "shared": {
                "stackTable": {
                    "length": stacks.len(),
                    "frame": stacks.iter().map(|it| it.1).collect::<Vec<_>>(),
                    "prefix": stacks.iter().map(|it| it.0).collect::<Vec<_>>(),
                },
                "frameTable": {
                    "length": n_frames,
                    "address": rows(n_frames, &json!(-1)),
                    "inlineDepth": frames.iter().map(|it| i32::from(it.2)).collect::<Vec<_>>(),
                    "category": frames.iter().map(|it| category(it.0)).collect::<Vec<_>>(),
                    "subcategory": rows(n_frames, &Value::Null),
                    "func": frames.iter().map(|it| it.0).collect::<Vec<_>>(),
                    "nativeSymbol": rows(n_frames, &Value::Null),
                    "innerWindowID": rows(n_frames, &Value::Null),
                    "line": frames.iter().map(|it| it.1).collect::<Vec<_>>(),
                    "column": rows(n_frames, &Value::Null),
                },
                "funcTable": funcs,
                "resourceTable": resources,
                "nativeSymbols": {
                    "length": 0, "libIndex": [], "address": [], "name": [], "functionSize": [],
                },
                "sources": sources,
                "stringArray": strings,
            },
            "threads": [{
                "name": "main", "pid": "1", "tid": 1, "processType": "default",
                "isMainThread": true, "registerTime": 0, "unregisterTime": null,
                "processStartupTime": 0, "processShutdownTime": null, "pausedRanges": [],
                "markers": {
                    "length": 0, "category": [], "data": [], "endTime": [], "name": [],
                    "phase": [], "startTime": [],
                },
                "samples": {
                    "length": n_samples, "weightType": "samples", "stack": leaves,
                    "time": (0..n_samples).collect::<Vec<_>>(), "weight": self.weights,
                },
            }],
        })
    }

    /// A workspace with the sources and the profile.
    fn workspace(&self) -> Workspace {
        let text = "x\n".repeat(100);
        let files = self.functions.iter().map(|it| it.1).filter(|file| !file.is_empty());
        let files: Vec<_> = files.collect();
        let workspace = Workspace::with(files.iter().map(|file| (*file, text.as_str())));
        for file in files {
            set_age(&workspace.path(file), std::time::Duration::from_secs(3600));
        }
        workspace.write("profile.json", self.firefox().to_string());
        workspace
    }
}

/// `name self/total, …`, by name.
fn functions(rows: &Value) -> String {
    let row = |row: &Value| format!("{} {}/{}", text(&row["name"]), row["self"], row["total"]);
    let mut rows: Vec<_> = rows.as_array().unwrap().iter().map(row).collect();
    rows.sort();
    rows.join(", ")
}

/// `file line: self/total, …; …`, by file and line.
fn lines(rows: &Value) -> String {
    let mut files: BTreeMap<String, BTreeMap<u64, String>> = BTreeMap::new();
    for row in rows.as_array().unwrap() {
        let costs = format!("{}/{}", row["self"], row["total"]);
        files.entry(text(&row["file"])).or_default().insert(row["line"].as_u64().unwrap(), costs);
    }
    let file = |(file, lines): (String, BTreeMap<u64, String>)| {
        let lines: Vec<_> = lines.iter().map(|(line, costs)| format!("{line}: {costs}")).collect();
        format!("{file} {}", lines.join(", "))
    };
    files.into_iter().map(file).collect::<Vec<_>>().join("; ")
}

/// `f self/total { callees }`, by name. `below` returns the rows below a node.
fn tree(nodes: &[Value], below: &impl Fn(&Value) -> Vec<Value>) -> String {
    let row = |node: &Value| {
        let callees = tree(&below(node), below);
        let callees = if callees.is_empty() { callees } else { format!(" {{ {callees} }}") };
        format!("{} {}/{}{callees}", text(&node["name"]), node["self"], node["total"])
    };
    let mut rows: Vec<_> = nodes.iter().map(row).collect();
    rows.sort();
    rows.join(", ")
}

/// What `--json` of a command of the command line prints.
fn printed(workspace: &Workspace, command: &str, options: &[String]) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_costline"))
        .args([command, "--json", "--no-symbols"])
        .arg(workspace.path("profile.json"))
        .args(options)
        .arg("--root")
        .arg(workspace.root())
        .env("COSTLINE_CACHE_DIR", "")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A view: transforms, each with the filter that it was made under, and other choices of
/// `costline.setView`, which are options of the command line as well.
#[derive(Default)]
struct Shown {
    transforms: &'static [(&'static str, Option<&'static str>)],
    choices: &'static [(&'static str, &'static str)],
}

/// Expected: total, functions, lines, tree.
type Expected = (i64, &'static str, &'static str, &'static str);

/// A server that shows a vector.
struct Session {
    workspace: Workspace,
    server: Server,
    /// The keys of the functions, by name.
    keys: BTreeMap<String, Value>,
    /// Documents by file.
    documents: BTreeMap<String, String>,
}

impl Session {
    fn of(vector: &Vector) -> Self {
        let workspace = vector.workspace();
        let options = json!({ "hints": { "minPercent": 0 }, "lenses": { "minPercent": 0 } });
        let mut server = Server::builder(&workspace).options(options).start();
        server.wait_profile();
        let found = server.execute("costline.hotspots", json!([{ "limit": 100, "scope": "all" }]));
        let found = found["functions"].as_array().unwrap().iter();
        let keys = found.map(|row| (text(&row["name"]), row["key"].clone())).collect();
        let files = vector.functions.iter().map(|it| it.1).filter(|file| !file.is_empty());
        let documents = files
            .map(|file| (file.to_owned(), server.open_file(&workspace.path(file), "plaintext")))
            .collect();
        Self { workspace, server, keys, documents }
    }

    /// A transform by the keys of its functions.
    fn by_key(&self, transform: &str, implementation: Option<&str>) -> Value {
        let (kind, names) = transform.split_once(':').unwrap();
        let keys: Vec<_> = names.split('>').filter_map(|name| self.keys.get(name)).collect();
        let mut transform = match kind {
            "focus-category" => json!({ "type": kind, "category": names }),
            "collapse-resource" => json!({ "type": kind, "resource": names }),
            "merge-node"
            | "merge-subtree"
            | "drop-node"
            | "focus-subtree"
            | "focus-subtree-inverted" => json!({ "type": kind, "path": keys }),
            _ => json!({ "type": kind, "function": keys[0] }),
        };
        if let Some(implementation) = implementation {
            transform["implementation"] = json!(implementation);
        }
        transform
    }

    /// Shows a view, compares all surfaces, and goes back.
    fn check(&mut self, shown: &Shown, expected: Expected) {
        let what = format!("{:?} {:?}", shown.transforms, shown.choices);
        let before = self.server.view();
        let choices: BTreeMap<_, _> = shown.choices.iter().copied().collect();
        let mut options: Vec<String> = Vec::new();
        for (key, value) in &choices {
            options.extend([format!("--{key}"), (*value).to_owned()]);
        }
        if !choices.is_empty() {
            self.server.set_view(json!(choices));
        }
        for (transform, implementation) in shown.transforms {
            let by_key = self.by_key(transform, *implementation);
            let option = match implementation {
                None => (*transform).to_owned(),
                Some(_) => by_key.to_string(),
            };
            options.extend(["--transform".to_owned(), option]);
            self.server.execute("costline.pushTransform", json!([by_key]));
        }
        let (total, in_functions, in_lines, in_tree) = expected;
        assert_eq!(self.server.view()["total"], total, "{what}");

        let mut rows = |by: &str| {
            let question = json!([{ "by": by, "limit": 100, "scope": "all" }]);
            self.server.execute("costline.hotspots", question)
        };
        assert_eq!(functions(&rows("function")["functions"]), in_functions, "{what}");
        assert_eq!(lines(&rows("line")["lines"]), in_lines, "{what}");
        let question = json!([{ "depth": 30, "limit": 100 }]);
        let nodes = self.server.execute("costline.callTree", question)["nodes"].clone();
        let nodes = nodes.as_array().unwrap();
        let children = |node: &Value| node["children"].as_array().unwrap().clone();
        assert_eq!(tree(nodes, &children), in_tree, "{what}");
        // Hints: only lines that have any cost.
        let mut hints = Vec::new();
        for (file, uri) in &self.documents {
            for (line0, (own, total)) in self.server.line_costs(uri) {
                hints.push(json!({ "file": file, "line": line0 + 1, "self": own, "total": total }));
            }
        }
        assert_eq!(lines(&json!(hints)), in_lines, "{what}");

        let report = printed(&self.workspace, "report", &options);
        assert_eq!(report["total"], total, "{what}");
        assert_eq!(functions(&report["functions"]), in_functions, "{what}");
        assert_eq!(lines(&report["lines"]), in_lines, "{what}");
        options.extend(["--min-percent".to_owned(), "0".to_owned()]);
        let printed = printed(&self.workspace, "tree", &options);
        let mut rows = printed["nodes"].as_array().unwrap().clone();
        for (i, row) in rows.iter_mut().enumerate() {
            row["index"] = json!(i);
        }
        let below = |parent: &Value| {
            rows.iter().filter(|row| row["parent"] == *parent).cloned().collect::<Vec<_>>()
        };
        assert_eq!(tree(&below(&Value::Null), &|node| below(&node["index"])), in_tree, "{what}");

        for _ in shown.transforms {
            self.server.execute("costline.popTransform", json!([]));
        }
        if !choices.is_empty() {
            let none: BTreeMap<_, _> = choices.keys().map(|key| (key, Value::Null)).collect();
            self.server.set_view(json!(none));
        }
        let after = self.server.view();
        assert_eq!(
            (&after["total"], &after["transforms"], &after["state"]),
            (&before["total"], &before["transforms"], &before["state"]),
            "{what}"
        );
    }

    /// The callees of a path, after a transform that was added since the path was found.
    fn callees_of(&mut self, path: &str, transform: &str) -> String {
        let path: Vec<_> = path.split('>').map(|name| self.keys[name].clone()).collect();
        let transform = self.by_key(transform, None);
        self.server.execute("costline.pushTransform", json!([transform]));
        let answer =
            self.server.execute("costline.callTree", json!([{ "path": path, "transforms": null }]));
        self.server.execute("costline.popTransform", json!([]));
        functions(&answer["nodes"])
    }
}

#[test]
fn the_documented_trees() {
    let mut session = Session::of(&DOCUMENTED);
    for (transforms, expected) in [
        (
            &[][..],
            (
                3,
                "A 0/3, B 0/3, C 0/2, D 0/1, E 1/1, F 1/2, G 1/1, H 0/1",
                "a.c 1: 0/3, 2: 0/3, 3: 0/2, 4: 0/1, 5: 1/1, 6: 1/2, 7: 1/1, 8: 0/1",
                "A 0/3 { B 0/3 { C 0/2 { D 0/1 { E 1/1 }, F 0/1 { G 1/1 } }, H 0/1 { F 1/1 } } }",
            ),
        ),
        (
            &["merge-node:A>B>C", "merge-function:C"],
            (
                3,
                "A 0/3, B 0/3, D 0/1, E 1/1, F 1/2, G 1/1, H 0/1",
                "a.c 1: 0/3, 2: 0/3, 4: 0/1, 5: 1/1, 6: 1/2, 7: 1/1, 8: 0/1",
                "A 0/3 { B 0/3 { D 0/1 { E 1/1 }, F 0/1 { G 1/1 }, H 0/1 { F 1/1 } } }",
            ),
        ),
        (
            &["merge-node:A>B>C>D>E", "merge-function:E"],
            (
                3,
                "A 0/3, B 0/3, C 0/2, D 1/1, F 1/2, G 1/1, H 0/1",
                "a.c 1: 0/3, 2: 0/3, 3: 0/2, 4: 1/1, 6: 1/2, 7: 1/1, 8: 0/1",
                "A 0/3 { B 0/3 { C 0/2 { D 1/1, F 0/1 { G 1/1 } }, H 0/1 { F 1/1 } } }",
            ),
        ),
        (
            &["merge-subtree:A>B>C"],
            (
                3,
                "A 0/3, B 2/3, F 1/1, H 0/1",
                "a.c 1: 0/3, 2: 2/3, 6: 1/1, 8: 0/1",
                "A 0/3 { B 2/3 { H 0/1 { F 1/1 } } }",
            ),
        ),
        (
            &["drop-node:A>B>C", "drop-function:C"],
            (
                1,
                "A 0/1, B 0/1, F 1/1, H 0/1",
                "a.c 1: 0/1, 2: 0/1, 6: 1/1, 8: 0/1",
                "A 0/1 { B 0/1 { H 0/1 { F 1/1 } } }",
            ),
        ),
        (
            &["focus-subtree:A>B>C", "focus-function:C"],
            (
                2,
                "C 0/2, D 0/1, E 1/1, F 0/1, G 1/1",
                "a.c 3: 0/2, 4: 0/1, 5: 1/1, 6: 0/1, 7: 1/1",
                "C 0/2 { D 0/1 { E 1/1 }, F 0/1 { G 1/1 } }",
            ),
        ),
    ] {
        if transforms.is_empty() {
            session.check(&Shown::default(), expected);
        }
        for transform in transforms {
            let transforms: &'static [_] = vec![(*transform, None)].leak();
            session.check(&Shown { transforms, ..Shown::default() }, expected);
        }
    }
    // A>B>C>D after merging C is A>B>D, after merging the subtree of C it is A>B, and so on.
    for (transform, callees) in [
        ("merge-node:A>B>C", "E 1/1"),
        ("merge-node:A>B>C>D>E", ""),
        ("merge-subtree:A>B>C", "H 0/1"),
        ("drop-node:A>B>C", ""),
        ("focus-subtree:A>B>C", "E 1/1"),
    ] {
        assert_eq!(session.callees_of("A>B>C>D", transform), callees, "{transform}");
    }

    let mut session = Session::of(&SCRIPT);
    session.check(
        &Shown::default(),
        (
            3,
            "IonCannon 0/2, RunScript 0/3, a 0/3, b 3/3, onLoad 0/3",
            "a.js 2: 0/3, 3: 0/1, 4: 1/1, 13: 0/2, 14: 2/2; js.cpp 1: 0/3, 9: 0/2",
            "RunScript 0/3 { onLoad 0/3 { IonCannon 0/2 { a 0/2 { b 2/2 } }, a 0/1 { b 1/1 } } }",
        ),
    );
    session.check(
        &Shown { choices: &[("implementation", "js")], ..Shown::default() },
        (
            3,
            "a 0/3, b 3/3, onLoad 0/3",
            "a.js 2: 0/3, 3: 0/1, 4: 1/1, 13: 0/2, 14: 2/2",
            "onLoad 0/3 { a 0/3 { b 3/3 } }",
        ),
    );
}

#[test]
fn recursion_and_every_transform() {
    let mut session = Session::of(&V1);
    session.check(
        &Shown::default(),
        (
            6,
            "eval 1/3, hash 3/3, main 1/6, parse 1/3",
            "app.rs 10: 0/2, 12: 0/3, 13: 1/1, 22: 0/2, 23: 1/1, 31: 0/2, 32: 0/1, 33: 0/1, 34: 1/1; lib.rs 5: 2/2, 6: 1/1",
            "main 1/6 { eval 0/3 { eval 0/2 { eval 1/1, hash 1/1 }, parse 0/1 { hash 1/1 } }, parse 1/2 { hash 1/1 } }",
        ),
    );
    let collapsed = (
        6,
        "eval 1/3, hash 3/3, main 1/6, parse 1/3",
        "app.rs 10: 0/2, 12: 0/3, 13: 1/1, 22: 0/2, 23: 1/1, 32: 0/1, 33: 0/1, 34: 1/1; lib.rs 5: 2/2, 6: 1/1",
        "main 1/6 { eval 1/3 { hash 1/1, parse 0/1 { hash 1/1 } }, parse 1/2 { hash 1/1 } }",
    );
    let focused = (
        3,
        "eval 1/3, hash 2/2, parse 0/1",
        "app.rs 22: 0/1, 31: 0/2, 32: 0/1, 33: 0/1, 34: 1/1; lib.rs 5: 1/1, 6: 1/1",
        "eval 0/3 { eval 0/2 { eval 1/1, hash 1/1 }, parse 0/1 { hash 1/1 } }",
    );
    for (transforms, expected) in [
        (
            &[("merge-function:eval", None)],
            (
                6,
                "hash 3/3, main 2/6, parse 1/3",
                "app.rs 10: 0/2, 12: 1/3, 13: 1/1, 22: 0/2, 23: 1/1; lib.rs 5: 2/2, 6: 1/1",
                "main 2/6 { hash 1/1, parse 1/3 { hash 2/2 } }",
            ),
        ),
        (
            &[("merge-node:main>eval", None)],
            (
                6,
                "eval 1/2, hash 3/3, main 1/6, parse 1/3",
                "app.rs 10: 0/2, 12: 0/3, 13: 1/1, 22: 0/2, 23: 1/1, 31: 0/1, 33: 0/1, 34: 1/1; lib.rs 5: 2/2, 6: 1/1",
                "main 1/6 { eval 0/2 { eval 1/1, hash 1/1 }, parse 1/3 { hash 2/2 } }",
            ),
        ),
        (
            &[("drop-function:parse", None)],
            (
                3,
                "eval 1/2, hash 1/1, main 1/3",
                "app.rs 12: 0/2, 13: 1/1, 31: 0/2, 33: 0/1, 34: 1/1; lib.rs 5: 1/1",
                "main 1/3 { eval 0/2 { eval 0/2 { eval 1/1, hash 1/1 } } }",
            ),
        ),
        (&[("collapse-direct-recursion:eval", None)], collapsed),
        (&[("collapse-recursion:eval", None)], collapsed),
        (&[("focus-function:eval", None)], focused),
        (&[("focus-subtree:main>eval", None)], focused),
        (
            &[("focus-subtree-inverted:hash>parse", None)],
            (
                2,
                "eval 0/1, main 0/2, parse 2/2",
                "app.rs 10: 0/1, 12: 0/1, 22: 2/2, 32: 0/1",
                "main 0/2 { eval 0/1 { parse 1/1 }, parse 1/1 }",
            ),
        ),
        (&[("focus-self:eval", None)], (1, "eval 1/1", "app.rs 34: 1/1", "eval 1/1")),
        (
            &[("collapse-function-subtree:eval", None)],
            (
                6,
                "eval 3/3, hash 1/1, main 1/6, parse 1/2",
                "app.rs 10: 0/2, 12: 0/3, 13: 1/1, 22: 0/1, 23: 1/1, 31: 2/2, 32: 1/1; lib.rs 5: 1/1",
                "main 1/6 { eval 3/3, parse 1/2 { hash 1/1 } }",
            ),
        ),
    ] {
        session.check(&Shown { transforms, ..Shown::default() }, expected);
    }
    // V6: the samples 2, 3 and 4.
    session.check(
        &Shown { choices: &[("range", "1..4")], ..Shown::default() },
        (
            3,
            "eval 1/2, hash 1/1, main 0/3, parse 1/1",
            "app.rs 10: 0/1, 12: 0/2, 23: 1/1, 31: 0/2, 33: 0/1, 34: 1/1; lib.rs 5: 1/1",
            "main 0/3 { eval 0/2 { eval 0/2 { eval 1/1, hash 1/1 } }, parse 1/1 }",
        ),
    );
    // main>eval>eval has the callees eval and hash.
    for (transform, callees) in [
        ("merge-function:eval", "hash 1/1, parse 1/3"),
        ("merge-node:main>eval", "eval 1/1, hash 1/1"),
        ("drop-function:parse", "eval 1/1, hash 1/1"),
        ("collapse-direct-recursion:eval", "hash 1/1, parse 0/1"),
        ("collapse-recursion:eval", "hash 1/1, parse 0/1"),
        ("focus-function:eval", "eval 1/1, hash 1/1"),
        ("focus-subtree:main>eval", "eval 1/1, hash 1/1"),
        ("focus-self:eval", ""),
        ("collapse-function-subtree:eval", ""),
    ] {
        assert_eq!(session.callees_of("main>eval>eval", transform), callees, "{transform}");
    }
}

#[test]
fn filters_libraries_and_categories() {
    let mut session = Session::of(&V2);
    for (transforms, choices, expected) in [
        (
            &[][..],
            &[("implementation", "js")][..],
            (
                3,
                "draw.js 2/2, tick.js 1/3",
                "app.js 7: 0/2, 8: 1/1, 15: 1/1, 16: 1/1",
                "tick.js 1/3 { draw.js 2/2 }",
            ),
        ),
        (
            &[],
            &[("implementation", "native")],
            (
                4,
                "copy 2/2, gc 1/1, start 0/4, stub 1/2",
                "host.c 3: 0/3, 4: 0/1, 20: 1/2, 30: 1/1, 31: 1/1, 40: 1/1",
                "start 0/4 { copy 1/1, gc 1/1, stub 1/2 { copy 1/1 } }",
            ),
        ),
        (
            &[("collapse-resource:host", None)],
            &[],
            (
                4,
                "0x5f00 0/1, draw.js 1/2, host 3/4, tick.js 0/3",
                "app.js 7: 0/2, 8: 0/1, 15: 0/1, 16: 1/1",
                "host 1/4 { tick.js 0/3 { host 1/3 { 0x5f00 0/1 { draw.js 1/1 }, draw.js 0/1 { host 1/1 } } } }",
            ),
        ),
        (
            &[("focus-self:tick.js", Some("js"))],
            &[],
            (
                1,
                "copy 1/1, tick.js 0/1",
                "app.js 8: 0/1; host.c 31: 1/1",
                "tick.js 0/1 { copy 1/1 }",
            ),
        ),
        (
            &[("focus-category:JavaScript", None)],
            &[],
            (
                3,
                "0x5f00 0/1, copy 2/2, draw.js 1/2, stub 0/2, tick.js 0/3",
                "app.js 7: 0/2, 8: 0/1, 15: 0/1, 16: 1/1; host.c 20: 0/2, 30: 1/1, 31: 1/1",
                "tick.js 0/3 { copy 1/1, stub 0/2 { 0x5f00 0/1 { draw.js 1/1 }, draw.js 0/1 { copy 1/1 } } }",
            ),
        ),
    ] {
        session.check(&Shown { transforms, choices }, expected);
    }
}

#[test]
#[rustfmt::skip]
fn negative_weights_inlined_calls_and_unknown_lines() {
    let check = |vector: &Vector, expected| Session::of(vector).check(&Shown::default(), expected);
    check(&V3, (5, "a 0/5, b 4/4, c 1/1", "x.c 1: 0/4, 2: 0/1, 5: 2/2, 6: 2/2; y.c 9: 1/1",
        "a 0/5 { b 4/4, c 1/1 }"));
    check(&V4, (4, "fold 1/2, run 1/4, step 2/2",
        "iter.rs 90: 0/1, 92: 1/1; run.rs 4: 0/2, 6: 0/1, 12: 2/2",
        "run 1/4 { fold 1/2 { step 1/1 }, step 1/1 }"));
    check(&V5, (5, "a 3/4, b 0/2, x 1/1, y 1/1", "m.c 1: 1/3, 2: 1/1; n.c 5: 0/2",
        "a 1/4 { b 0/2 { a 2/2 }, x 1/1 }, y 1/1"));
}
