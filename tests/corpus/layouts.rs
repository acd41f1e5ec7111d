//! One small recording in all layouts that processed Firefox profiles have had. All of them must
//! give the same costs.

use crate::{report, slabs};
use serde_json::{Value, json};

/// Func, executing line, whether it was inlined.
type Frame = (usize, Option<u32>, bool);

/// A recording, row by row.
struct Recording {
    /// Name, file, start line.
    funcs: &'static [(&'static str, &'static str, Option<u32>)],
    frames: &'static [Frame],
    /// Frame, parent.
    stacks: &'static [(usize, Option<usize>)],
    samples: &'static [Option<usize>],
    weight: Value,
    weight_type: Value,
}

/// The layout of the tables, named by a version that has it.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Layout {
    /// Tables per thread; `prefix`, `fileName`, nulls.
    Version49,
    /// The same as exported by the front end: strings in `_array`, ids as numbers, -1 and line 0
    /// for "unknown".
    Copied,
    /// Tables in `shared`; `prefixOffset`, `sources`, `frameTable.lib`, `timeDeltas`.
    Version70,
    /// The same with `flags` for existing values and 0 for missing ones.
    Version75,
    /// The previous two in JSON slabs.
    Slabs70,
    Slabs75,
}

const LAYOUTS: [Layout; 6] = [
    Layout::Version49,
    Layout::Copied,
    Layout::Version70,
    Layout::Version75,
    Layout::Slabs70,
    Layout::Slabs75,
];

impl Layout {
    /// The layout that is encoded as slabs.
    fn in_slabs(self) -> Option<Self> {
        match self {
            Self::Slabs70 => Some(Self::Version70),
            Self::Slabs75 => Some(Self::Version75),
            Self::Version49 | Self::Copied | Self::Version70 | Self::Version75 => None,
        }
    }
}

/// Calls, some of them inlined. The last sample has a frame without a line.
fn inlined(start_of_run: Option<u32>) -> Recording {
    Recording {
        funcs: match start_of_run {
            None => &[("run", "run.rs", None), ("fold", "iter.rs", None), ("step", "run.rs", None)],
            Some(_) => {
                &[("run", "run.rs", Some(3)), ("fold", "iter.rs", None), ("step", "run.rs", None)]
            }
        },
        frames: &[
            (0, Some(4), false),
            (1, Some(90), true),
            (2, Some(12), true),
            (1, Some(92), true),
            (0, Some(6), false),
            (2, Some(12), false),
            (0, None, false),
        ],
        stacks: &[
            (0, None),
            (1, Some(0)),
            (2, Some(1)),
            (3, Some(0)),
            (4, None),
            (5, Some(4)),
            (6, None),
        ],
        samples: &[Some(2), Some(3), Some(5), Some(6), None],
        weight: Value::Null,
        weight_type: json!("samples"),
    }
}

impl Recording {
    fn write(&self, layout: Layout) -> Value {
        use Layout::{Copied, Slabs70, Slabs75, Version49, Version70, Version75};
        // The strings are the names, then the files.
        let n = self.funcs.len();
        let strings: Vec<_> = self
            .funcs
            .iter()
            .map(|func| func.0)
            .chain(self.funcs.iter().map(|func| func.1))
            .collect();
        let absent = match layout {
            Version49 | Version70 => Value::Null,
            Copied => json!(-1),
            Version75 => json!(0),
            Slabs70 | Slabs75 => unreachable!("written as what they hold"),
        };
        let cell = |value: Option<u32>| value.map_or(absent.clone(), |value| json!(value));
        let frames = |column: &dyn Fn(&Frame) -> Value| -> Vec<Value> {
            self.frames.iter().map(column).collect()
        };

        let mut frame_table = json!({
            "length": self.frames.len(),
            "func": frames(&|frame| json!(frame.0)),
            "line": frames(&|frame| if layout == Copied { json!(frame.1.unwrap_or(0)) } else { cell(frame.1) }),
            "column": frames(&|_| absent.clone()),
            "category": frames(&|_| json!(0)),
        });
        let mut func_table = json!({
            "length": n,
            "name": (0..n).collect::<Vec<_>>(),
            "resource": vec![0; n],
            "lineNumber": self.funcs.iter().map(|func| cell(func.2)).collect::<Vec<_>>(),
            "columnNumber": vec![absent.clone(); n],
        });
        let mut stack_table = json!({ "length": self.stacks.len(), "frame": self.stacks.iter().map(|s| s.0).collect::<Vec<_>>() });
        let no_stack = if layout == Version49 { Value::Null } else { json!(-1) };
        let mut samples = json!({
            "length": self.samples.len(),
            "stack": self.samples.iter().map(|stack| stack.map_or(no_stack.clone(), |stack| json!(stack))).collect::<Vec<_>>(),
            "weight": self.weight,
            "weightType": self.weight_type,
        });
        let mut thread = json!({ "name": "main", "processName": "app", "pid": "7", "tid": 8 });
        let mut profile = json!({
            "meta": { "interval": 1, "categories": [{ "name": "Other", "color": "grey" }] },
            "libs": [{ "name": "app", "path": "/bin/app" }],
        });

        let times: Vec<_> = (0..self.samples.len()).collect();
        match layout {
            Version49 | Copied => {
                profile["meta"]["preprocessedProfileVersion"] =
                    json!(if layout == Copied { 46 } else { 49 });
                let parents = self
                    .stacks
                    .iter()
                    .map(|stack| stack.1.map_or(absent.clone(), |parent| json!(parent)));
                stack_table["prefix"] = parents.collect();
                frame_table["inlineDepth"] = frames(&|frame| json!(u32::from(frame.2))).into();
                func_table["fileName"] = (n..2 * n).collect::<Vec<_>>().into();
                samples["time"] = times.into();
                thread["samples"] = samples;
                thread["resourceTable"] =
                    json!({ "length": 1, "lib": [0], "name": [0], "host": [null], "type": [1] });
                (thread["stackTable"], thread["frameTable"], thread["funcTable"]) =
                    (stack_table, frame_table, func_table);
                if layout == Copied {
                    thread["stringTable"] = json!({ "_array": strings });
                    (thread["pid"], thread["tid"]) = (json!(7), json!("8"));
                } else {
                    thread["stringArray"] = json!(strings);
                }
            }
            Slabs70 | Slabs75 | Version70 | Version75 => {
                profile["meta"]["preprocessedProfileVersion"] =
                    json!(if layout == Version70 { 70 } else { 75 });
                let offsets = self
                    .stacks
                    .iter()
                    .enumerate()
                    .map(|(row, stack)| json!(stack.1.map_or(0, |parent| row - parent)));
                stack_table["prefixOffset"] = offsets.collect();
                frame_table["lib"] = frames(&|_| json!(0)).into();
                if layout == Version75 {
                    frame_table["flags"] = frames(&|frame| {
                        json!(u32::from(frame.2) | 0b110 | u32::from(frame.1.is_some()) << 4)
                    })
                    .into();
                    let flags = self
                        .funcs
                        .iter()
                        .map(|func| json!(0b1100 | u32::from(func.2.is_some()) << 4));
                    func_table["flags"] = flags.collect();
                } else {
                    frame_table["inlineDepth"] = frames(&|frame| json!(u32::from(frame.2))).into();
                }
                func_table["source"] = (0..n).collect::<Vec<_>>().into();
                samples["timeDeltas"] = times.iter().map(|&i| json!(u32::from(i > 0))).collect();
                thread["samples"] = samples;
                profile["shared"] = json!({
                    "stringArray": strings,
                    "stackTable": stack_table,
                    "frameTable": frame_table,
                    "funcTable": func_table,
                    "resourceTable": { "length": 1, "name": [0], "host": [null], "type": [1] },
                    "sources": { "length": n, "filename": (n..2 * n).collect::<Vec<_>>() },
                });
            }
        }
        profile["threads"] = json!([thread]);
        profile
    }

    fn report(&self, layout: Layout, version: Option<u32>) -> Value {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("profile.json");
        let mut profile = self.write(layout.in_slabs().unwrap_or(layout));
        if let Some(version) = version {
            profile["meta"]["preprocessedProfileVersion"] = json!(version);
        }
        let bytes = if layout.in_slabs().is_some() {
            slabs::encode(&profile)
        } else {
            profile.to_string().into_bytes()
        };
        std::fs::write(&path, bytes).unwrap();
        report::report(&path, &["--root", folder.path().to_str().unwrap()])
    }
}

/// `run 1/4` and `run.rs 4: 0/2`, by name.
fn rendered(report: &Value) -> (Vec<String>, Vec<String>) {
    let rows = |key: &str| report[key].as_array().unwrap().clone();
    let mut functions: Vec<_> = rows("functions")
        .iter()
        .map(|row| format!("{} {}/{}", text(&row["name"]), row["self"], row["total"]))
        .collect();
    functions.sort();
    let mut lines: Vec<_> = rows("lines")
        .iter()
        .map(|row| (text(&row["file"]), row["line"].as_u64(), row.clone()))
        .collect();
    lines.sort_by(|a, b| (&a.0, a.1).cmp(&(&b.0, b.1)));
    let lines = lines
        .iter()
        .map(|(file, _, row)| format!("{file} {}: {}/{}", row["line"], row["self"], row["total"]));
    (functions, lines.collect())
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

#[test]
fn inlined_frames_and_unknown_lines_in_every_layout() {
    for layout in LAYOUTS {
        let report = inlined(None).report(layout, None);
        let (functions, lines) = rendered(&report);
        assert_eq!(functions, ["fold 1/2", "run 1/4", "step 2/2"], "{layout:?}");
        assert_eq!(
            lines,
            [
                "iter.rs 90: 0/1",
                "iter.rs 92: 1/1",
                "run.rs 4: 0/2",
                "run.rs 6: 0/1",
                "run.rs 12: 2/2"
            ],
            "{layout:?}"
        );
        let whole = ["total", "idle", "noStack", "noLine"].map(|key| report[key].as_u64().unwrap());
        assert_eq!(whole, [4, 0, 1, 1], "{layout:?}");
        assert_eq!(
            report["threads"],
            json!([{ "name": "main", "pid": "7", "tid": "8", "total": 4 }]),
            "{layout:?}"
        );
        assert_eq!(report["warnings"], json!([]), "{layout:?}");
        assert_eq!(report["functions"][0]["lib"], "app", "{layout:?}");
        assert_eq!(report["functions"][0]["line"], Value::Null, "{layout:?}");

        let edges =
            report["edges"].as_array().unwrap().iter().map(|edge| {
                let name = |end: &str| {
                    text(
                        &report["functions"][usize::try_from(edge[end].as_u64().unwrap()).unwrap()]
                            ["name"],
                    )
                };
                let sites = edge["sites"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|site| format!("{}@{}", site["total"], site["line"]));
                format!(
                    "{} -> {} {}: {}",
                    name("caller"),
                    name("callee"),
                    edge["total"],
                    sites.collect::<Vec<_>>().join(" ")
                )
            });
        let mut edges: Vec<_> = edges.collect();
        edges.sort();
        assert_eq!(
            edges,
            ["fold -> step 1: 1@90", "run -> fold 2: 2@4", "run -> step 1: 1@6"],
            "{layout:?}"
        );
    }
}

#[test]
fn a_frame_without_a_line_is_at_the_start_of_its_function() {
    for layout in LAYOUTS {
        let report = inlined(Some(3)).report(layout, None);
        let (functions, lines) = rendered(&report);
        assert_eq!(functions, ["fold 1/2", "run 1/4", "step 2/2"], "{layout:?}");
        let expected = [
            "iter.rs 90: 0/1",
            "iter.rs 92: 1/1",
            "run.rs 3: 1/1",
            "run.rs 4: 0/2",
            "run.rs 6: 0/1",
            "run.rs 12: 2/2",
        ];
        assert_eq!(lines, expected, "{layout:?}");
        assert_eq!(report["noLine"], 0, "{layout:?}");
        assert_eq!(report["functions"][0]["line"], 3, "{layout:?}");
    }
}

#[test]
fn accepts_weights_as_numbers_and_below_zero() {
    let diff = Recording {
        funcs: &[("a", "x.c", None), ("b", "x.c", None), ("c", "y.c", None)],
        frames: &[
            (0, Some(1), false),
            (1, Some(5), false),
            (1, Some(6), false),
            (0, Some(2), false),
            (2, Some(9), false),
        ],
        stacks: &[(0, None), (1, Some(0)), (2, Some(0)), (3, None), (4, Some(3))],
        samples: &[Some(1), Some(2), Some(1), Some(4)],
        weight: json!([5, 2, -3, 1]),
        weight_type: json!("bytes"),
    };
    for layout in LAYOUTS {
        let report = diff.report(layout, None);
        assert_eq!((&report["unit"], &report["total"]), (&json!("bytes"), &json!(5)), "{layout:?}");
        let (functions, lines) = rendered(&report);
        assert_eq!(functions, ["a 0/5", "b 4/4", "c 1/1"], "{layout:?}");
        assert_eq!(
            lines,
            ["x.c 1: 0/4", "x.c 2: 0/1", "x.c 5: 2/2", "x.c 6: 2/2", "y.c 9: 1/1"],
            "{layout:?}"
        );
    }
}

#[test]
fn an_unknown_version_is_read_by_its_columns_with_a_warning() {
    let report = inlined(None).report(Layout::Version75, Some(99));
    assert_eq!(rendered(&report).0, ["fold 1/2", "run 1/4", "step 2/2"]);
    assert_eq!(report["warnings"][0]["code"], "unknown-version");
    assert!(
        text(&report["warnings"][0]["message"]).contains("version 99"),
        "{}",
        report["warnings"]
    );
}
