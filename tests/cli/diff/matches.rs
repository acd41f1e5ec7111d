//! Which lines and functions of two profiles are compared with each other.

use super::{BEFORE, project, ran, speedscope, words};
use serde_json::{Value, json};
use std::fs;
use std::time::{Duration, SystemTime};

/// The text of the first recording is not known: the source was edited after it.
#[test]
fn functions_of_an_edited_source_are_compared_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str, minutes: u64| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        let time = SystemTime::now() - Duration::from_secs(60 * minutes);
        fs::File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
    };
    write("before.folded", "a (app.py:2) 500\nb (app.py:6) 500\n", 30);
    let text = "# 1\n# 2\n# 3\n# 4\ndef a():\n    x()\n\n\ndef b():\n    y()\n";
    write("app.py", text, 20);
    write("after.folded", "a (app.py:6) 500\nb (app.py:10) 500\n", 10);
    let diff = ["diff", "before.folded", "after.folded", "--fail-above-function", "5%"];
    let ran = ran(folder.path(), &diff);
    assert_eq!((ran.code, ran.stdout.contains("(new)")), (Some(0), false), "{}", ran.stdout);
}

/// A function that only one profile has, in a file of its own.
#[test]
fn lines_of_files_that_one_profile_has_are_new_or_gone() {
    let lines = |mut profile: Value| {
        profile["shared"]["frames"][1]["file"] = json!("slow.py");
        profile.to_string()
    };
    let with_slow = serde_json::from_str(&speedscope(&[("old", 1, 100)])).unwrap();
    let without = speedscope(&[("parse", 6, 50)]);
    let folder = project(&[("with.json", lines(with_slow)), ("without.json", without)]);
    fs::write(folder.path().join("slow.py"), "def old(): pass\n").unwrap();
    let list = |profiles: [&str; 2]| {
        let arguments = [["diff"].as_slice(), &profiles, &["--by", "line"]].concat();
        words(&ran(folder.path(), &arguments).success())[4..].to_vec()
    };
    assert_eq!(
        list(["with.json", "without.json"]),
        [
            "100 ms 0 s ▼100 ms ▼100 ms slow.py:1 (gone)",
            "0 s 50.0 ms ▲50.0 ms ▲50.0 ms app.py:6",
            "omitted: 1 line of which only the calls changed (--sort total)",
        ]
    );
    assert_eq!(
        list(["without.json", "with.json"]),
        [
            "0 s 100 ms ▲100 ms ▲100 ms slow.py:1 (new)",
            "50.0 ms 0 s ▼50.0 ms ▼50.0 ms app.py:6",
            "omitted: 1 line of which only the calls changed (--sort total)",
        ]
    );
}

/// Both profiles name both files, but `slow.py` has a cost in a thread of one of them only.
#[test]
fn lines_of_files_with_costs_in_one_profile_are_new_or_gone() {
    let thread = |name: &str, frame: u32, weight: u32| {
        json!({
            "type": "sampled", "name": name, "unit": "milliseconds", "startValue": 0,
            "endValue": weight, "samples": [[frame]], "weights": [weight],
        })
    };
    let profile = |threads: Value| {
        let frames = json!([
            { "name": "main", "file": "app.py", "line": 2 },
            { "name": "slow", "file": "slow.py", "line": 1 },
            { "name": "lost", "file": "elsewhere.py", "line": 7 },
        ]);
        let schema = "https://www.speedscope.app/file-format-schema.json";
        json!({ "$schema": schema, "shared": { "frames": frames }, "profiles": threads })
            .to_string()
    };
    let slow = [thread("main", 0, 50), thread("worker", 0, 100), thread("worker", 1, 300)];
    let fast = [thread("main", 1, 50), thread("worker", 0, 100)];
    let lost = [thread("worker", 0, 100), thread("worker", 2, 300)];
    let folder = project(&[
        ("slow.json", profile(slow.into())),
        ("fast.json", profile(fast.into())),
        ("lost.json", profile(lost.into())),
    ]);
    fs::write(folder.path().join("slow.py"), "def slow(): pass\n").unwrap();
    let list = |profiles: [&str; 2]| {
        let arguments =
            [["diff"].as_slice(), &profiles, &["--by", "line", "--thread", "worker"]].concat();
        let text = words(&ran(folder.path(), &arguments).success());
        let headings = text.iter().position(|line| line.starts_with("self before"));
        headings.map_or_else(Vec::new, |at| text[at + 1..].to_vec())
    };
    assert_eq!(
        list(["slow.json", "fast.json"]),
        ["300 ms 0 s ▼300 ms ▼300 ms slow.py:1 (gone)", "omitted: 1 line without a change"]
    );
    assert_eq!(
        list(["fast.json", "slow.json"]),
        ["0 s 300 ms ▲300 ms ▲300 ms slow.py:1 (new)", "omitted: 1 line without a change"]
    );
    // Where the source of either side is not known, neither is whether it is gone.
    assert_eq!(list(["lost.json", "fast.json"]), list(["fast.json", "lost.json"]));
}

/// Closures without a name: the one on the second line grows from 100 to 500 of 1000, the others are
/// new and gone.
#[cfg(feature = "grammars")]
#[test]
fn closures_without_a_name_are_compared_by_their_lines() {
    const CODE: &str = "\
function main(list) {
  return list.map((x) => {
    return x * x;
  });
}
function other(list) { return list.map((x) => x + 1).map((x) => x + 2); }
";
    let before = "main (a.js:2) 900\nmain (a.js:2);(anonymous) (a.js:3) 100\n";
    let after = "main (a.js:2) 500\nmain (a.js:2);(anonymous) (a.js:3) 500\n";
    let folder = project(&[("before.folded", before.into()), ("after.folded", after.into())]);
    let gone = "main (a.js:2) 1000\n";
    fs::write(folder.path().join("gone.folded"), gone).unwrap();
    let source = folder.path().join("a.js");
    fs::write(&source, CODE).unwrap();
    let an_hour_ago = SystemTime::now() - Duration::from_secs(3600);
    fs::File::options().write(true).open(&source).unwrap().set_modified(an_hour_ago).unwrap();
    let diff = |profiles: [&str; 2]| {
        let arguments = [["diff"].as_slice(), &profiles].concat();
        words(&ran(folder.path(), &arguments).success())[4..].to_vec()
    };
    assert_eq!(
        diff(["before.folded", "after.folded"]),
        [
            "100 samples 500 samples ▲400 samples ▲400 samples (anonymous) a.js:2",
            "900 samples 500 samples ▼400 samples main a.js:1",
        ]
    );
    assert_eq!(
        diff(["gone.folded", "after.folded"])[0],
        "0 samples 500 samples ▲500 samples ▲500 samples (anonymous) a.js:2"
    );
    assert_eq!(
        diff(["after.folded", "gone.folded"])[0],
        "500 samples 0 samples ▼500 samples ▼500 samples (anonymous) a.js:2"
    );
    let limit = ["diff", "before.folded", "after.folded", "--fail-above-function", "5%"];
    assert_eq!(ran(folder.path(), &limit).code, Some(4));

    // If the recorded text is not known, neither is which closure it was.
    let now = SystemTime::now() + Duration::from_secs(60);
    fs::File::options().write(true).open(&source).unwrap().set_modified(now).unwrap();
    let list = diff(["before.folded", "after.folded"]);
    assert_eq!(
        list.last().unwrap(),
        "omitted: 1 function (self 50.0%) and 1 function in the baseline without a known match in \
         the other profile"
    );
}

/// Two functions of one class have the same name.
#[cfg(feature = "grammars")]
#[test]
fn functions_of_one_name_are_compared_by_their_lines() {
    const SIZE: &str = "\
class Size:
    @property
    def width(self):
        return measure(self)

    @width.setter
    def width(self, width):
        store(self, width)
";
    let folded = |get: u32, set: u32| format!("width (app.py:4) {get}\nwidth (app.py:8) {set}\n");
    let folder =
        project(&[("before.folded", folded(100, 300)), ("after.folded", folded(500, 300))]);
    let app = folder.path().join("app.py");
    fs::write(&app, SIZE).unwrap();
    let an_hour_ago = SystemTime::now() - Duration::from_secs(3600);
    fs::File::options().write(true).open(&app).unwrap().set_modified(an_hour_ago).unwrap();
    let text = ran(folder.path(), &["diff", "before.folded", "after.folded"]).success();
    assert_eq!(
        words(&text)[4..],
        [
            "100 samples 500 samples ▲400 samples ▲400 samples width app.py:3",
            "omitted: 1 function without a change beyond noise",
        ]
    );
}

#[cfg(feature = "grammars")]
#[test]
fn a_function_that_moved_to_another_file_is_compared() {
    const WORK: &str = "\
def work(n, seed):
    total = seed
    for i in range(n):
        total += i * 31 % 7
        total ^= total >> 3
    return total
";
    let folder = project(&[
        ("before.folded", "work (old.py:4) 100\nmain (app.py:2) 900\n".to_owned()),
        ("after.folded", "work (new.py:5) 600\nmain (app.py:2) 400\n".to_owned()),
    ]);
    let an_hour_ago = SystemTime::now() - Duration::from_secs(3600);
    for (name, text) in [("old.py", WORK.to_owned()), ("new.py", format!("\n{WORK}"))] {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        fs::File::options().write(true).open(&path).unwrap().set_modified(an_hour_ago).unwrap();
    }
    let text = ran(folder.path(), &["diff", "before.folded", "after.folded"]).success();
    assert!(
        words(&text).contains(
            &"100 samples 600 samples ▲500 samples ▲500 samples work new.py:2".to_owned()
        ),
        "{text}"
    );
    let report = ["report", "after.folded", "--baseline", "before.folded"];
    assert!(ran(folder.path(), &report).success().contains("▲"), "report");
    // A copy with costs is another function.
    let both = "work (old.py:4) 100\nwork (new.py:5) 500\nmain (app.py:2) 400\n";
    fs::write(folder.path().join("after.folded"), both).unwrap();
    let text = ran(folder.path(), &["diff", "before.folded", "after.folded"]).success();
    assert!(text.contains("work  new.py:2 (new)"), "{text}");
}

/// The code of a module is no definition, so it is found by the name of its file.
#[test]
fn the_code_of_a_module_is_compared_whatever_its_recorded_path_is() {
    let folder = project(&[
        ("before.folded", "<module> (/builds/41/app.py:1) 500\nc 500\n".to_owned()),
        ("after.folded", "<module> (/builds/42/app.py:1) 750\nc 250\n".to_owned()),
    ]);
    let ran = ran(folder.path(), &["diff", "before.folded", "after.folded"]).success();
    assert_eq!(
        words(&ran)[4..],
        [
            "500 samples 750 samples ▲250 samples ▲250 samples <module> app.py",
            "500 samples 250 samples ▼250 samples ▼250 samples c",
        ]
    );
}

/// callgrind names the file of a function's first instruction, which may be inlined from another file.
#[cfg(feature = "grammars")]
#[test]
fn a_function_is_compared_whatever_file_its_first_instruction_is_from() {
    const UTIL: &str =
        "int parse(const char *s) {\n  int r = 0;\n  while (*s)\n    r += *s++;\n  return r;\n}\n";
    let head = "# callgrind format\ncreator: callgrind-3.19.0\npositions: line\nevents: Ir\n";
    let folder = project(&[
        ("util.c", UTIL.to_owned()),
        ("sum.c", "long total(void) {\n  return 0;\n}\n".to_owned()),
        ("before.out", format!("{head}\nfl=util.c\nfn=parse\n2 10\n3 50\n4 40\n\ntotals: 100\n")),
        (
            "after.out",
            format!("{head}\nfl=sum.c\nfn=parse\n2 10\nfi=util.c\n3 60\n4 40\n\ntotals: 110\n"),
        ),
    ]);
    let an_hour_ago = SystemTime::now() - Duration::from_secs(3600);
    for name in ["util.c", "sum.c"] {
        let file = fs::File::options().write(true).open(folder.path().join(name)).unwrap();
        file.set_modified(an_hour_ago).unwrap();
    }
    let text = ran(folder.path(), &["diff", "before.out", "after.out"]).success();
    assert_eq!(words(&text)[4..], ["100 Ir 110 Ir ▲10 Ir ▲10 Ir parse util.c:1"]);
}

/// A library of another version, whose version is part of the path.
#[test]
fn functions_of_an_updated_library_pass_a_limit() {
    let go = |version: &str| {
        let file = format!("/root/go/pkg/mod/github.com/x/y@{version}/p.go");
        format!("main.main (/app/main.go:3);y.Parse ({file}:20) 500\n")
    };
    let folder = project(&[("before.folded", go("v1.0.0")), ("after.folded", go("v1.0.1"))]);
    let diff = ["diff", "before.folded", "after.folded", "--fail-above-function", "5%"];
    let ran = ran(folder.path(), &diff);
    assert_eq!(ran.code, Some(0), "{}", ran.stdout);
    assert_eq!(words(&ran.stdout)[2..], ["omitted: 2 functions without a change beyond noise"]);
}

/// A function that is new may be an old one with another name.
#[test]
fn a_new_function_fails_only_if_the_total_grew_as_much() {
    let after = |name, cost| speedscope(&[("parse", 6, 600), ("render", 9, 300), (name, 3, cost)]);
    let folder = project(&[
        ("before.json", speedscope(&BEFORE)),
        ("renamed.json", after("fresh", 101)),
        ("grown.json", after("fresh", 400)),
    ]);
    let limit = |after: &str| {
        let diff = ["diff", "before.json", after, "--fail-above-function", "5%"];
        ran(folder.path(), &diff)
    };
    // `main` calls everything, so it grew as the total did: by 1 and by 300 of 1000 ms.
    assert_eq!(limit("renamed.json").code, Some(0));
    let grown = limit("grown.json");
    assert_eq!(
        (grown.code, grown.stderr.as_str()),
        (Some(4), "costline: functions grew by more than 5% of the total: fresh (new) +40.0%\n")
    );
    let shares = ["diff", "before.json", "grown.json", "--fail-above-function", "5%"];
    let shares = ran(folder.path(), &[&shares[..], &["--compare", "share"]].concat());
    assert_eq!(shares.code, Some(0), "{shares:?}");
}

/// Two files of one name whose sources are not here: which is that of the other profile?
#[test]
fn much_cost_without_a_match_is_no_success() {
    let profile = |folders: [&str; 2], known: u32| {
        let cost = (100 - known) / 2;
        let [a, b] = folders.map(|folder| format!("work (/{folder}/a.c:3) {cost}\n"));
        format!("{a}{b}main (/main.c:1) {known}\n")
    };
    let before = ["w", "x"];
    let folder = project(&[
        ("most.folded", profile(before, 20)),
        ("most2.folded", profile(["y", "z"], 20)),
        ("much.folded", profile(before, 80)),
        ("much2.folded", profile(["y", "z"], 80)),
    ]);
    let limit = |names: [&str; 2]| {
        let limit = ["--fail-above-function", "5%"];
        ran(folder.path(), &[&["diff"][..], &names, &limit].concat())
    };
    let sentence = |percent: &str| {
        format!(
            "{percent}% of the self cost is not compared: it is not known which functions of the \
             baseline these are."
        )
    };
    let most = limit(["most.folded", "most2.folded"]);
    assert_eq!(words(&most.stdout)[2], sentence("80.0"));
    assert_eq!(most.code, Some(3));
    assert_eq!(most.stderr, format!("costline: --fail-above-function: {}\n", sentence("80.0")));
    let much = limit(["much.folded", "much2.folded"]);
    assert!(much.stderr.contains(&sentence("20.0")), "{much:?}");
    assert_eq!(much.code, Some(0));
    let markdown = ["diff", "much.folded", "much2.folded", "--format", "github"];
    assert!(ran(folder.path(), &markdown).success().contains(&sentence("20.0")));
    let same = limit(["much.folded", "much.folded"]);
    assert_eq!((same.code, same.stderr.as_str()), (Some(0), ""));
}
