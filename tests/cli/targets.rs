//! Which profile is shown without PROFILE, and what TARGETs of `annotate` select.

use crate::{Outcome, costline};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// `main` calls `parse` on line 10 and `print` on line 12; `parse` costs 70, `print` 20.
const SOURCE: &str = "\
def parse(text):
    words = []
    for word in text:
        words.append(word)
    return words


def main():
    text = read()
    words = parse(text)
    # The rest.
    print_all(words)


def print_all(words):
    print(words)
";

const PROFILE: &str = "\
main (src/app.py:10);parse (src/app.py:4) 70
main (src/app.py:12);print_all (src/app.py:16);format (lib/format.py:2) 20
main (src/app.py:9) 10
";

/// A project with a profile, the source of its functions, and an older profile of something else.
struct Project {
    _folder: tempfile::TempDir,
    top: PathBuf,
}

impl Project {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let this = Self { top: folder.path().canonicalize().unwrap(), _folder: folder };
        this.write("pyproject.toml", "", 900);
        this.write("src/app.py", SOURCE, 900);
        this.write("lib/format.py", "def format(x):\n    return str(x)\n", 900);
        this.write("old.folded", "other (src/other.py:1) 5\n", 800);
        this.write("profiles/new.folded", PROFILE, 700);
        this
    }

    /// Writes a file that is `age` seconds old.
    fn write(&self, path: &str, text: &str, age: u64) {
        let path = self.top.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        let time = SystemTime::now() - Duration::from_secs(age);
        fs::File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
    }

    /// Runs costline in a folder of the project.
    fn run(&self, folder: &str, arguments: &[&str]) -> Outcome {
        Outcome::of(costline().current_dir(self.top.join(folder)).args(arguments))
    }
}

/// The numbers of the lines of source that are shown, with gaps as 0.
fn lines(text: &str) -> Vec<u32> {
    let number = |line: &str| {
        if line.trim() == "⋮" {
            return Some(0);
        }
        line.split_whitespace().find_map(|word| word.parse().ok())
    };
    text.lines().skip(1).filter_map(number).collect()
}

/// A memory profile that is 100 seconds newer than the profile of time beside it.
#[test]
fn a_profile_of_time_beside_the_newest_is_named() {
    let project = Project::new();
    let heap = r#"{"head":{"callFrame":{"functionName":"main","scriptId":"1","url":"","lineNumber":0,
        "columnNumber":0},"selfSize":8,"id":1,"children":[]}}"#;
    project.write("profiles/app.heapprofile", heap, 600);
    let outcome = project.run("", &["report"]);
    assert!(outcome.stdout.starts_with("app.heapprofile: 8 B"), "{outcome:?}");
    let better = project.top.join("profiles/new.folded");
    let expected =
        format!("does not tell where time goes; {} does, written 11 min ago", better.display());
    assert!(outcome.stderr.contains(&expected), "{outcome:?}");
    // The one that is asked for is the one that is meant.
    let outcome = project.run("", &["report", "profiles/app.heapprofile"]);
    assert!(!outcome.stderr.contains("where time goes"), "{outcome:?}");
}

#[test]
fn without_a_profile_the_newest_of_the_project_is_shown() {
    let project = Project::new();
    for command in ["report", "tree", "check", "annotate"] {
        let text = project.run("src", &[command]).success();
        assert!(text.starts_with("new.folded: 100 samples"), "{command}: {text}");
    }
    let text = project.run("", &["callers", "parse"]).success();
    assert!(text.contains("callers of parse"), "{text}");

    let whole = fs::read_to_string(crate::fixture(crate::V8)).unwrap();
    project.write("profiles/newer.cpuprofile", &whole[..whole.len() / 2], 10);
    let outcome = project.run("", &["report"]);
    assert!(outcome.stdout.starts_with("new.folded: 100 samples"), "{outcome:?}");
    assert!(outcome.stderr.contains("newer.cpuprofile") && outcome.stderr.contains("skipped"));
    // A profiler that failed may leave an empty file.
    project.write("perf.data", "", 0);
    let outcome = project.run("", &["report"]);
    assert!(outcome.stdout.starts_with("new.folded: 100 samples"), "{outcome:?}");
    assert!(outcome.stderr.contains("perf.data: the file is empty; skipped"), "{outcome:?}");

    let empty = tempfile::tempdir().unwrap();
    let message = Outcome::of(costline().current_dir(&empty).arg("report")).failure(1);
    assert!(
        message.starts_with("no profile found in ") && message.contains("pass a file"),
        "{message}"
    );
}

/// A file of a format that is not read gets the same advice as `costline check FILE` gives.
#[test]
fn without_a_profile_files_that_are_not_read_are_named() {
    let recording = crate::fixture("../foreign/etl/words.etl");
    let folder = tempfile::tempdir().unwrap();
    let top = folder.path().canonicalize().unwrap();
    let write = |name: &str, content: &[u8], age: u64| {
        let path = top.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        let time = SystemTime::now() - Duration::from_secs(age);
        fs::File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
        path
    };
    let newest = write("words.etl", &fs::read(recording).unwrap(), 10);
    write("app.prof", b"heap_v2/524288\n  t*: 1: 512 [0: 0]\n", 20);

    let expected = Outcome::of(costline().arg("check").arg(&newest)).failure(1);
    assert!(
        expected.contains("samply import") && expected.contains(&*newest.to_string_lossy()),
        "{expected}"
    );
    for command in ["check", "report"] {
        let outcome = Outcome::of(costline().current_dir(&folder).arg(command));
        assert_eq!(outcome.code, Some(1), "{outcome:?}");
        let lines: Vec<&str> = outcome.stderr.lines().collect();
        let [warning, error] = lines[..] else { panic!("{outcome:?}") };
        assert!(
            warning.contains("app.prof: this is a heap profile of jemalloc in text"),
            "{warning}"
        );
        assert!(error.starts_with("costline: no profile found in "), "{error}");
        assert!(error.ends_with(&format!(" that Costline reads; {expected}")), "{error}");
    }

    // A profile that is read is shown without these messages.
    write("cpu.folded", b"main;parse 3\n", 30);
    let outcome = Outcome::of(costline().current_dir(&folder).arg("report"));
    assert!(outcome.stdout.starts_with("cpu.folded: 3 samples"), "{outcome:?}");
    assert_eq!(outcome.stderr, "");
}

#[cfg(feature = "grammars")]
#[test]
fn annotate_shows_functions() {
    let project = Project::new();
    let text = project.run("", &["annotate", "parse"]).success();
    assert_eq!(lines(&text), [1, 2, 3, 4, 5], "{text}");
    // Parts of one file are shown once, in its order.
    let text = project.run("", &["annotate", "/^(print_all|parse)$/"]).success();
    assert_eq!(lines(&text), [1, 2, 3, 4, 5, 0, 15, 16], "{text}");
    assert_eq!(text.matches("app.py:").count(), 1, "{text}");

    let message = project.run("", &["annotate", "prase"]).failure(2);
    assert!(
        message.contains("no file with this name") && message.contains("did you mean `parse`?")
    );
}

#[test]
fn annotate_shows_lines_and_folders() {
    let project = Project::new();
    let text = project.run("", &["annotate", "src/app.py:16"]).success();
    assert_eq!(lines(&text), [0, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16], "{text}");
    let folder = |name: &str| project.run("", &["annotate", name]);
    let text = folder("lib").success();
    assert!(text.contains("format.py:") && !text.contains("app.py"), "{text}");
    let message = folder("profiles").failure(3);
    assert_eq!(message, "profiles: no file in this folder has a cost in this profile");
    let in_root = ["annotate", "new.folded", "--root", "..", "src/app.py:16"];
    let text = project.run("profiles", &in_root).success();
    assert_eq!(lines(&text), [0, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16], "{text}");
    for line in ["src/app.py:17", "src/app.py:0"] {
        let message = project.run("", &["annotate", line]).failure(3);
        assert_eq!(message, format!("{line}: no such line: the file has 16 lines"));
    }
    let text = project.run("", &["annotate", "old.folded", "profiles/new.folded", "src"]);
    assert!(text.stdout.contains("app.py:"), "{text:?}");
}

/// A file that is not below the current folder, or whose folder in the profile is long.
#[test]
fn annotate_finds_files_by_the_end_of_their_path() {
    let project = Project::new();
    let ends = "a (/build/lib/gone.py:1);main (src/app.py:10) 8\n\
        b (lib/format.py:1);c (src/format.py:2) 4\nd (lib/app.py:0) 0\n";
    project.write("src/format.py", "\n\n", 900);
    project.write("ends.folded", ends, 10);
    let run = |name: &str| project.run("lib", &["annotate", "../ends.folded", name]);
    for name in ["app.py", "app.py:10"] {
        let text = run(name).success();
        assert!(text.contains("/src/app.py:"), "{name}: {text}");
        assert!(text.contains("66.7%    66.7%    10"), "{name}: {text}");
    }
    let message = run("app.py:17").failure(3);
    assert_eq!(message, "app.py:17: no such line: the file has 16 lines");
    let text = run("src/format.py").success();
    assert!(text.contains("/src/format.py:"), "{text}");
    project.write("other/a.txt", "", 900);
    let message = project.run("other", &["annotate", "../ends.folded", "format.py"]).failure(2);
    let top = project.top.display();
    assert!(
        message.starts_with("format.py: 2 files of the profile end like this (")
            && message.contains(&format!("{top}/lib/format.py"))
            && message.contains(&format!("{top}/src/format.py"))
            && message.ends_with("); pass more of the path"),
        "{message}"
    );
    for name in ["gone.py", "lib/gone.py", "/build/lib/gone.py:1"] {
        let message = run(name).failure(3);
        assert!(
            message.contains("the profile's /build/lib/gone.py is not in the workspace; pass"),
            "{message}"
        );
    }
    let message = run("b/format.py").failure(2);
    assert!(message.starts_with("b/format.py: no file with this name"), "{message}");
}

/// The file of a function is not that of code inlined into it.
#[test]
fn annotate_shows_the_file_of_a_function() {
    let project = Project::new();
    for name in ["inlined.x", "main.x"] {
        project.write(name, &"code\n".repeat(20), 100);
    }
    let profile = "# callgrind format\nversion: 1\npositions: line\nevents: Ir\n\nfl=inlined.x\nfn=g\n1 10\n\n\
        fl=main.x\nfn=f\nfi=inlined.x\n3 20\nfe=main.x\n10 30\n\ntotals: 60\n";
    project.write("callgrind.out.1", profile, 1);
    let text = project.run("", &["annotate", "callgrind.out.1", "f"]).success();
    assert!(text.contains("/main.x:"), "{text}");
}

#[test]
fn a_file_that_cannot_be_a_source_is_taken_for_a_profile() {
    let project = Project::new();
    project.write("data.json", "{\"a\": 1}", 10);
    for (name, part) in
        [("data.json", "not a supported profile"), ("missing.folded", "No such file")]
    {
        let message = project.run("", &["annotate", name]).failure(1);
        assert!(message.starts_with(name) && message.contains(part), "{message}");
    }
    assert!(Path::new(&project.top).join("data.json").exists());
}

/// Names of Mercury's procedures end with their arity and mode.
#[test]
fn procedures_are_found_without_their_mode() {
    let profile = crate::fixture("mercury/change/Deep.data");
    for name in ["payments", "payments/5", "change.payments/5-0"] {
        let text = crate::run(["callers", profile.to_str().unwrap(), name]).stdout;
        assert!(text.contains("callers of change.payments/5-0"), "{name}: {text}");
    }
}
