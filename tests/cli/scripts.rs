//! Profiles of JavaScript. The numbers are counted by hand.

use crate::{Outcome, costline};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};
use tempfile::TempDir;

/// A folder with these files.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

/// A function of a profile: its name, file, 0-based line and column, its callees, and the hits of its
/// lines.
type Node<'a> = (&'a str, &'a str, u32, u32, &'a [usize], &'a [(u32, u32)]);

/// Writes a profile. Callees are positions among the nodes.
fn write_profile(folder: &Path, nodes: &[Node]) {
    let node = |(at, &(name, file, line, column, callees, lines)): (usize, &Node)| {
        // Paths on Windows begin with a drive.
        let path = folder.canonicalize().unwrap().join(file).to_string_lossy().replace('\\', "/");
        let url = format!("file:///{}", path.trim_start_matches("//?").trim_start_matches('/'));
        json!({
            "id": at,
            "callFrame": {
                "functionName": name, "scriptId": "1", "url": url,
                "lineNumber": line, "columnNumber": column,
            },
            "hitCount": lines.iter().map(|line| line.1).sum::<u32>(),
            "children": callees,
            "positionTicks":
                lines.iter().map(|(line, n)| json!({"line": line, "ticks": n})).collect::<Vec<_>>(),
        })
    };
    let hits = |(at, node): (usize, &Node)| vec![at; node.5.iter().map(|it| it.1 as usize).sum()];
    let samples: Vec<usize> = nodes.iter().enumerate().flat_map(hits).collect();
    let profile = json!({
        "nodes": nodes.iter().enumerate().map(node).collect::<Vec<_>>(),
        "startTime": 0, "endTime": 1000 * samples.len(),
        "timeDeltas": vec![1000; samples.len()], "samples": samples,
    });
    fs::write(folder.join("app.cpuprofile"), profile.to_string()).unwrap();
}

fn report(folder: &Path) -> Value {
    let arguments = ["report", "app.cpuprofile", "--json", "--metric", "hits"];
    let outcome = Outcome::of(costline().current_dir(folder).args(arguments));
    serde_json::from_str(&outcome.success()).unwrap()
}

/// The lines that have costs: file, line and self.
fn lines(report: &Value) -> Vec<String> {
    let line = |line: &Value| {
        let path = line["path"].as_str().or(line["file"].as_str()).unwrap_or_default();
        let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
        format!("{name}:{} {}", line["line"], line["self"])
    };
    report["lines"].as_array().unwrap().iter().map(line).collect()
}

/// V8 counts the samples of `tiny` in `hot` for `hot`, with lines of the other file.
#[test]
fn lines_of_an_inlined_function_are_in_its_file() {
    let main = "\
import { tiny, never } from './other.js';
function hot(n) {
  return tiny(n) + tiny(n + 1);
}
function cold(a) {
  a += 1;
  a += 2;
  return a;
}
hot(9);
";
    let other = "\
// 1
// 2
// 3
// 4
export function tiny(x) {
  return Math.sin(x);
}
export function never(x) {
  // 9
  // 10
  return x;
}
";
    let folder = folder(&[("main.js", main), ("other.js", other)]);
    // Line 6 is in `tiny`, which `hot` calls, and in `cold`. Line 11 is in `never` only, and the last
    // one is in no file.
    let of_hot = [(3, 1), (6, 4), (11, 3), (99, 2)];
    let nodes: [Node; 4] = [
        ("(root)", "main.js", 0, 0, &[1], &[]),
        ("", "main.js", 0, 0, &[2], &[(10, 1)]),
        ("hot", "main.js", 1, 12, &[3], &of_hot),
        ("tiny", "other.js", 4, 20, &[], &[(6, 5)]),
    ];
    write_profile(folder.path(), &nodes);
    let report = report(folder.path());
    let expected = ["other.js:6 9", "other.js:11 3", "main.js:3 1", "main.js:10 1"];
    assert_eq!(lines(&report), expected);
    assert_eq!(report["noLine"], 2);
    let hot = report["functions"].as_array().unwrap().iter().find(|it| it["name"] == "hot");
    assert_eq!(hot.unwrap()["self"], 10);

    // Neither function is called by `hot` in the profile, so the line may be that of either.
    let nodes: [Node; 4] = [
        ("(root)", "main.js", 0, 0, &[1, 2, 3], &[]),
        ("hot", "main.js", 1, 12, &[], &[(3, 1), (6, 4)]),
        ("tiny", "other.js", 4, 20, &[], &[(6, 5)]),
        ("cold", "main.js", 4, 13, &[], &[(7, 2)]),
    ];
    write_profile(folder.path(), &nodes);
    let report = self::report(folder.path());
    assert_eq!(lines(&report), ["other.js:6 5", "main.js:7 2", "main.js:3 1"]);
    assert_eq!(report["noLine"], 4);
}

/// `hot` calls `tiny`, which is inlined if the profile has one of its lines for `hot`.
#[test]
fn lines_that_may_be_those_of_an_inlined_function_have_no_cost() {
    let main = "\
import { tiny } from './other.js';
function hot(n) {
  let sum = n;

  // The rest.
  if (n > 1) {
    sum += tiny(n);
  }
  return sum;
}
";
    let other = "// 1\n// 2\n// 3\n// 4\nexport function tiny(x) {\n  x += 1;\n  return x;\n}\n";
    let folder = folder(&[("main.js", main), ("other.js", other)]);
    let reported = |of_hot: &[(u32, u32)]| {
        let nodes: [Node; 3] = [
            ("(root)", "main.js", 0, 0, &[1], &[]),
            ("hot", "main.js", 1, 12, &[2], of_hot),
            ("tiny", "other.js", 4, 20, &[], &[(7, 1)]),
        ];
        write_profile(folder.path(), &nodes);
        let report = report(folder.path());
        (lines(&report).join(", "), report["noLine"].clone())
    };
    // Line 5 is a comment in `hot`, and line 7 is in both functions.
    let expected = "other.js:5 3, main.js:3 2, other.js:7 1".to_owned();
    assert_eq!(reported(&[(3, 2), (5, 3), (7, 4)]), (expected, json!(4)));
    // At a bracket, `tiny` returns. In `hot`, nothing is executed there.
    let expected = "other.js:8 3, main.js:3 2, other.js:7 1".to_owned();
    assert_eq!(reported(&[(3, 2), (8, 3), (7, 4)]), (expected, json!(4)));
    // Line 4 has no code in either function. Line 5 is in `far`, which `hot` does not call.
    let expected = "main.js:7 4, main.js:3 2, other.js:7 1".to_owned();
    assert_eq!(reported(&[(3, 2), (4, 3), (7, 4)]), (expected, json!(3)));
    let far = "export function far(x) {\n  x += 1;\n  x += 2;\n  x += 3;\n  x += 4;\n}\n";
    fs::write(folder.path().join("far.js"), far).unwrap();
    let nodes: [Node; 3] = [
        ("(root)", "main.js", 0, 0, &[1, 2], &[]),
        ("hot", "main.js", 1, 12, &[], &[(3, 2), (5, 3)]),
        ("far", "far.js", 0, 19, &[], &[(2, 1)]),
    ];
    write_profile(folder.path(), &nodes);
    let report = report(folder.path());
    assert_eq!(lines(&report), ["main.js:3 2", "far.js:2 1"]);
    assert_eq!(report["noLine"], 3);
}

#[test]
fn a_script_without_an_extension_has_a_source_map() {
    let map = r#"{"version":3,"sources":["../src/run.ts"],"mappings":";AACA,SAAS;EACP"}"#;
    let script = format!(
        "#!/usr/bin/env node\nfunction run(b) {{\n  return b;\n}}\nrun(1);\n\
         //# sourceMappingURL=data:application/json,{map}\n"
    );
    let original = "// 1\nfunction run(b: number) {\n  return b;\n}\n";
    let folder = folder(&[("bin/cli", &script), ("src/run.ts", original)]);
    let nodes: [Node; 2] =
        [("(root)", "bin/cli", 0, 0, &[1], &[]), ("run", "bin/cli", 1, 12, &[], &[(3, 4)])];
    write_profile(folder.path(), &nodes);
    assert_eq!(lines(&report(folder.path())), ["run.ts:3 4"]);
}

#[test]
fn functions_of_minified_code_have_their_names_in_the_original() {
    let original = "\
// 1
export function area(x) {
  return x + 1;
}
area(2);
";
    let map = r#"{"version":3,"sources":["area.js"],"mappings":"AACO,SAAS,KACd,WAEF"}"#;
    let script = "function a(b){return b+1}a(2);\n//# sourceMappingURL=a.min.js.map\n";
    let folder = folder(&[("a.min.js", script), ("a.min.js.map", map), ("area.js", original)]);
    let nodes: [Node; 2] =
        [("(root)", "a.min.js", 0, 0, &[1], &[]), ("a", "a.min.js", 0, 10, &[], &[(1, 4)])];
    write_profile(folder.path(), &nodes);
    let report = report(folder.path());
    let definition = &report["definitions"][0];
    assert_eq!(json!([definition["name"], definition["line"]]), json!(["area", 2]));
    assert_eq!(lines(&report), ["area.js:3 4"]);
}

/// JavaScript has more line ends than editors and other tools.
#[test]
fn lines_are_those_of_editors() {
    let script = "function hot(n) {\n  let s = '\u{2028}';\n  // \u{2028} s += 1;\n  return s + n;\n}\n\
        function last(n) {\n  return n;\n}\n";
    let folder = folder(&[("app.js", script)]);
    let nodes: [Node; 3] = [
        ("(root)", "app.js", 0, 0, &[1, 2], &[]),
        ("hot", "app.js", 0, 12, &[], &[(6, 4)]),
        ("last", "app.js", 7, 13, &[], &[(9, 1)]),
    ];
    write_profile(folder.path(), &nodes);
    let report = report(folder.path());
    assert_eq!(lines(&report), ["app.js:4 4", "app.js:7 1"]);
    let names: Vec<_> = report["definitions"].as_array().unwrap().iter().collect();
    assert_eq!(json!([names[1]["name"], names[1]["line"]]), json!(["last", 6]));
}

/// TypeScript maps the body to no place. esbuild maps it to the brace where it begins.
#[test]
fn the_compiled_body_of_an_async_function_belongs_to_it() {
    let original = "export async function load(n) {\n  return n + 1;\n}\n";
    let script = "\
function load(n) {
    return __awaiter(this, void 0, void 0, function* () {
        return n + 1;
    });
}
//# sourceMappingURL=app.js.map
";
    let minified =
        "function a(b){return o(function*(){return b+1})}\n//# sourceMappingURL=m.js.map\n";
    let map = |mappings: &str| {
        format!(r#"{{"version":3,"sources":["load.ts"],"mappings":"{mappings}"}}"#)
    };
    let folder = folder(&[
        ("load.ts", original),
        ("app.js", script),
        ("app.js.map", &map("AAAO,cAAoB;;QACzB")),
        ("m.js", minified),
        ("m.js.map", &map("AAAO,uBAAuB,YAC5B")),
    ]);
    let check = |nodes: &[Node]| {
        write_profile(folder.path(), nodes);
        let report = report(folder.path());
        let definition = &report["definitions"][0];
        let found = json!([definition["name"], definition["line"], definition["self"]]);
        assert_eq!(found, json!(["load", 1, 5]), "{}", nodes[0].0);
    };
    check(&[("load", "app.js", 0, 13, &[1], &[(2, 1)]), ("", "app.js", 1, 53, &[], &[(3, 4)])]);
    check(&[("a", "m.js", 0, 10, &[1], &[(1, 1)]), ("", "m.js", 0, 32, &[], &[(1, 4)])]);
}

/// The first recording is of a script that was compiled again since, and was shown before that.
#[test]
fn a_recording_is_compared_with_one_of_an_earlier_build() {
    let compiled = |body: &str| format!("{body}run(1);\n//# sourceMappingURL=app.js.map\n");
    let map = |mappings: &str| {
        format!(r#"{{"version":3,"sources":["../src/app.ts"],"mappings":"{mappings}"}}"#)
    };
    let folder = folder(&[
        ("src/app.ts", "function run(b: number) {\n  return b;\n}\n"),
        ("dist/app.js", &compiled("function run(b) {\n  return b;\n}\n")),
        ("dist/app.js.map", &map("AAAA,SAAS;EACP")),
    ]);
    let age = |names: &[&str], seconds: u64| {
        let time = SystemTime::now() - Duration::from_secs(seconds);
        for name in names {
            let file = fs::File::options().write(true).open(folder.path().join(name)).unwrap();
            file.set_modified(time).unwrap();
        }
    };
    let sources = ["src/app.ts", "dist/app.js", "dist/app.js.map"];
    age(&sources, 200);
    let root = ("(root)", "dist/app.js", 0, 0, &[1][..], &[][..]);
    write_profile(folder.path(), &[root, ("run", "dist/app.js", 0, 12, &[], &[(2, 600)])]);
    fs::rename(folder.path().join("app.cpuprofile"), folder.path().join("before.cpuprofile"))
        .unwrap();
    age(&["before.cpuprofile"], 100);
    let run = |arguments: &[&str]| {
        let mut command = costline();
        command.current_dir(folder.path()).args(arguments).args(["--metric", "hits"]);
        Outcome::of(command.env("COSTLINE_CACHE_DIR", folder.path().join("cache"))).success()
    };
    run(&["report", "before.cpuprofile"]);

    let body = "\"use strict\";\nfunction run(b) {\n  let c = b;\n  return c;\n}\n";
    let original = "type N = number;\nfunction run(b: N) {\n  let c = b;\n  return c;\n}\n";
    let texts = [original.to_owned(), compiled(body), map(";AACA,SAAS;EACP;EACA")];
    for (name, text) in sources.iter().zip(texts) {
        fs::write(folder.path().join(name), text).unwrap();
    }
    age(&sources, 50);
    write_profile(folder.path(), &[root, ("run", "dist/app.js", 1, 12, &[], &[(4, 300)])]);
    let diff = run(&["diff", "before.cpuprofile", "app.cpuprofile", "--compare", "share"]);
    // It has all hits in both.
    assert!(
        !diff.contains("run") && diff.contains("omitted: 1 function without a change"),
        "{diff}"
    );
}
