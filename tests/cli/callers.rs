//! `costline callers`.

use super::{Outcome, costline, run};
use mercury_files::deep::DeepFile;
use serde_json::{Value, json};

#[test]
fn groups_the_callers_of_a_function() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("Deep.data");
    std::fs::write(&path, DeepFile::even_odd().bytes()).unwrap();
    let profile = path.to_str().unwrap();
    let text = run(["callers", "--by", "site", profile, "*even*"]).success();
    assert_eq!(
        text,
        "\
Deep.data: 13 callseqs
callers of m.even/2-0
                 total        calls
   92.3% (12 callseqs)            1  m.main/2-0  m.m:5
    15.4% (2 callseqs)            2  ↻ m.odd/2-0  m.m:22
mutual recursion of 2 functions: a call from outside leads to 6.0 calls on average
↻ marks recursive calls; their cost is included in the call that enters the recursion
"
    );
    let rows = |arguments: [&str; 3]| -> Vec<Value> {
        let [first, second, third] = arguments;
        let text = run(["callers", "--json", first, second, third, profile, "*even*"]).success();
        let answer: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(answer["sum"], 12);
        let rows = answer["callers"].as_array().unwrap().iter();
        rows.map(|row| json!([row["name"], row["calls"], row["total"], row["recursive"]])).collect()
    };
    let row = |name: &str, calls, total, recursive| json!([name, calls, total, recursive]);
    let clique = "m.even/2-0, m.odd/2-0";
    let by_clique = ["--by", "clique", "--metric=callseqs"];
    assert_eq!(rows(by_clique), [row("m.main/2-0", 1, 12, false), row(clique, 2, 2, true)]);

    // Without a contour file, the option is an error.
    let outcome = run(["callers", "--own", profile, "leaf"]);
    assert_eq!(outcome.code, Some(2));
    assert!(outcome.stderr.contains("no contour file"), "{}", outcome.stderr);
    std::fs::write(folder.path().join("Deep.contour"), "all m\n% a comment\n").unwrap();
    assert_eq!(
        run(["callers", "--own", profile, "leaf"]).failure(2),
        format!(
            "{profile}: no procedures are excluded: the contour file Deep.contour is \
             ignored: line 2, column 1: the line is `% a comment`; expected `all MODULE` or \
             `internal MODULE`"
        )
    );
    std::fs::write(folder.path().join("Deep.contour"), "all m\n").unwrap();
    let runtime = "Mercury runtime";
    let with_contour = ["--by", "module", "--own"];
    assert_eq!(rows(with_contour), [row(runtime, 1, 12, false), row(runtime, 2, 2, true)]);
    let outcome = run(["callers", "--own", "--metric=calls", profile, "*leaf*"]);
    assert_eq!(outcome.code, Some(3));
    assert!(outcome.stderr.contains("choose another metric"), "{}", outcome.stderr);
    std::fs::write(folder.path().join("Deep.contour"), "internal m\n").unwrap();
    let text = run(["callers", "--own", "--by=site", profile, "*leaf*"]).success();
    assert!(text.contains("callers of m.leaf/1+1-0 above the contour\n"), "{text}");
    assert!(text.ends_with("    46.2% (6 callseqs)            6  m.main/2-0  m.m:5\n"), "{text}");
}

/// `even` and `odd` call each other; `main` calls `even`, which costs 10 in all.
#[test]
fn calls_within_a_cycle_are_not_part_of_the_sum() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("callgrind.out.1");
    let text = "\
# callgrind format
events: Ir
fn=main
1 1
cfn=even
calls=1 5
2 10
fn=even
5 6
cfn=odd
calls=3 9
6 8
fn=odd
9 4
cfn=even
calls=2 5
9 5
totals: 11
";
    std::fs::write(&path, text).unwrap();
    let profile = path.to_str().unwrap();
    let text = run(["callers", "--json", profile, "even"]).success();
    let answer: Value = serde_json::from_str(&text).unwrap();
    let rows = answer["callers"].as_array().unwrap().iter();
    let rows: Vec<_> = rows.map(|row| json!([row["name"], row["recursive"]])).collect();
    assert_eq!(rows, [json!(["main", false]), json!(["odd", true])], "{answer}");
    assert_eq!(answer["sum"], 10);
}

/// The source of a minified function calls it `run`, the profile `y`.
#[test]
fn functions_have_the_names_that_are_shown() {
    let folder = super::fixture("v8/ts-minified");
    let (root, profile) = (folder.to_str().unwrap(), folder.join("main.cpuprofile"));
    let callers = |name: &str| {
        let outcome = run(["callers", "--root", root, profile.to_str().unwrap(), name]);
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        outcome.stdout
    };
    assert!(callers("run").contains("\ncallers of run\n"), "{}", callers("run"));
    for name in ["y", "src/main.ts::run", "main.ts:17::run"] {
        assert_eq!(callers("run"), callers(name), "{name}");
    }
    for name in ["src/vector.ts::run", "main.ts:18::run", "ain.ts::run"] {
        let outcome = run(["callers", "--root", root, profile.to_str().unwrap(), name]);
        assert_eq!(outcome.code, Some(2), "{name}");
    }
}

#[test]
fn own_code_is_for_stacks_too() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.py"), "def main():\n    f()\ndef f():\n    g()\n")
        .unwrap();
    let path = folder.path().join("py.folded");
    std::fs::write(&path, "main (a.py:2);lib (/usr/lib/l.py:1);f (a.py:4) 3\n").unwrap();
    let root = folder.path().to_str().unwrap();
    let text = run(["callers", "--own", "--root", root, path.to_str().unwrap(), "f"]).success();
    assert!(text.ends_with("100.0% (3 samples)               main  a.py:1\n"), "{text}");
    let lib = ["--transform=focus-function:lib", "--transform=merge-function:f"];
    let report = ["report", "--own", "--root", root, path.to_str().unwrap(), lib[0], lib[1]];
    let message = run(report).failure(2);
    assert!(message.ends_with("no stack is left by `focus-function:lib`"), "{message}");
    let graph = folder.path().join("callgrind.out.1");
    std::fs::write(&graph, "events: Ir\nfl=a.py\nfn=main\n2 3\n").unwrap();
    let message = run(["report", "--own", "--root", root, graph.to_str().unwrap()]).failure(2);
    assert!(message.contains("call graph without stacks"), "{message}");
}

#[test]
fn groups_the_callers_of_stacks_by_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("py.folded");
    let stacks = "main (a.py:1);f (a.py:5);g (b.py:9) 3\nmain (a.py:2);g (b.py:9) 4\n";
    std::fs::write(&path, stacks).unwrap();
    let profile = path.to_str().unwrap();
    let last = |by: &str, function: &str| -> Vec<String> {
        let text = run(["callers", "--by", by, profile, function]).success();
        let rows = text.lines().skip(3);
        rows.map(|row| row.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
    };
    let by_module = last("module", "g");
    assert_eq!(by_module, ["100.0% (7 samples) a.py"]);
    assert_eq!(last("site", "g"), ["57.1% (4 samples) main a.py:2", "42.9% (3 samples) f a.py:5"]);
    let outcome = run(["callers", profile, "main"]);
    assert_eq!(outcome.code, Some(3));
    assert!(outcome.stderr.contains("no callers"), "{}", outcome.stderr);
    assert_eq!(run(["callers", profile, "nothing"]).code, Some(2));
}

#[test]
fn callers_end_with_what_has_none_and_the_kind_of_recursion() {
    let callers = |profile: &str, function: &str| {
        let profile = super::fixture(profile);
        let text = run(["callers", profile.to_str().unwrap(), function]).success();
        text.lines().skip(3).map(|line| line.trim().to_owned()).collect::<Vec<_>>()
    };
    let carve = callers("austin/py-gridworld/austin.mojo", "build.<locals>.carve");
    assert_eq!(carve[2], "5.9% (194 ms)               no caller: the stack begins here");
    assert!(carve[3].contains("↻ build.<locals>.carve"), "{carve:?}");
    assert!(carve.iter().any(|line| line.starts_with("recursion at ")), "{carve:?}");
    // callgrind_annotate: 2 calls from main, 478 of fib itself, which has both on one line.
    let fib = callers("callgrind/c-recursion/callgrind.out", "fib");
    let expected = "recursion at one line: a call from outside leads to 240.0 calls on average";
    assert!(fib.iter().any(|line| line == expected), "{fib:?}");

    let file = tempfile::Builder::new().suffix(".folded").tempfile().unwrap();
    std::fs::write(file.path(), "main;f;f;g 1\nf;g 2\nmain;g 4\n").unwrap();
    let of_json = |function: &str| -> Value {
        let text = run(["callers", "--json", file.path().to_str().unwrap(), function]).success();
        serde_json::from_str(&text).unwrap()
    };
    let f = of_json("f");
    assert_eq!((&f["sum"], &f["noCaller"]), (&json!(1), &json!(2)));
    let recursion = json!({
        "kind": "single", "functions": 1, "sites": 1, "callsPerEntry": null, "meanDepth": 4.0 / 3.0, "maxDepth": 2,
        "text": "recursion at one line: 1.3 calls deep on average, at most 2"
    });
    assert_eq!(f["recursion"], recursion);
    let g = of_json("g");
    assert_eq!((&g["sum"], &g["noCaller"], &g["recursion"]), (&json!(7), &json!(0), &Value::Null));
}

#[test]
fn a_profile_is_not_taken_for_a_function() {
    let folder = tempfile::tempdir().unwrap();
    let profiles = folder.path().join("profiles");
    std::fs::create_dir(&profiles).unwrap();
    std::fs::write(profiles.join("py.folded"), "main (a.py:1);app (a.py:5) 3\n").unwrap();
    std::fs::write(folder.path().join("app"), "").unwrap();
    let callers = |argument: &str| {
        Outcome::of(costline().current_dir(folder.path()).args(["callers", argument]))
    };
    // Not the newest profile, which has no such function.
    let message = callers("profiles/py.folded").failure(2);
    assert!(message.starts_with("callers needs a FUNCTION: "), "{message}");
    assert!(message.ends_with(" (`profiles/py.folded` is a file)"), "{message}");
    assert!(callers("main.py").failure(2).contains("no function is called `main.py`"));
    // A program may be called like its function.
    assert!(callers("app").success().contains("\ncallers of app\n"));
}
