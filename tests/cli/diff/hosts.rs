//! Tests of the lists that code hosts show: Markdown, annotations, SARIF and Code Quality.

use super::{changed, project, ran};
use crate::speedscope;
use serde_json::{Value, json};
use std::fs;
use std::time::{Duration, SystemTime};
use tempfile::TempDir;

#[test]
fn writes_markdown_and_comments() {
    let folder = changed();
    let text =
        ran(folder.path(), &["diff", "before.json", "after.json", "--format", "github"]).success();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "<!-- costline diff -->");
    assert_eq!(lines[3], "1.00 s → 1.24 s +24%");
    assert_eq!(lines[5], "**+24%: parse (▲300 ms, app.py:5), called by main**");
    assert_eq!(lines[7], "<details><summary>4 functions changed</summary>");
    assert_eq!(lines[11], "| 600 ms | 900 ms | ▲300 ms | ▲300 ms | parse · app.py:5 |");
    let report = ["report", "after.json", "--format", "markdown", "--unit", "absolute"];
    let text = ran(folder.path(), &report).success();
    assert!(text.contains("\n| 900 ms | 900 ms | parse  app.py:5 |\n"), "{text}");
}

#[test]
fn names_in_comments_mention_nobody() {
    let folder = TempDir::new().unwrap();
    for (file, n) in [("before.folded", 1000), ("after.folded", 9000)] {
        let stacks = format!("main;@team#7 (app.py:1) {n}\nmain 5000\n");
        fs::write(folder.path().join(file), stacks).unwrap();
    }
    let diff = ["diff", "before.folded", "after.folded", "--format", "github"];
    let text = ran(folder.path(), &diff).success();
    assert!(text.contains("| @<!-- -->team#<!-- -->7 · app.py |"), "{text}");
}

/// Paths are those in the repository around the root.
#[test]
fn what_costs_more_is_written_for_code_hosts() {
    let folder = changed();
    fs::create_dir(folder.path().join(".git")).unwrap();
    let inner = folder.path().join("a, b");
    fs::create_dir(&inner).unwrap();
    for name in ["app.py", "before.json", "after.json"] {
        fs::rename(folder.path().join(name), inner.join(name)).unwrap();
    }
    let diff = ["diff", "before.json", "after.json", "--fail-above-function", "25"];
    let files = ["--write", "sarif=out.sarif", "--write", "code-quality=out.json"];
    let outcome = ran(&inner, &[&diff[..], &files, &["--format", "annotations"]].concat());
    assert_eq!(outcome.code, Some(4));
    // `fresh` has no definition in the file; `old` costs less.
    assert_eq!(
        outcome.stdout,
        "\
::error file=a%2C b/app.py,line=5,title=Costline::parse costs more: self 600 ms → 900 ms (▲300 ms, total ▲300 ms)
::warning file=a%2C b/app.py,title=Costline::fresh is new: 40.0 ms
"
    );
    let json = |name: &str| -> Value {
        serde_json::from_str(&fs::read_to_string(inner.join(name)).unwrap()).unwrap()
    };
    let sarif = json("out.sarif");
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let rules = results.iter().map(|result| result["ruleId"].as_str().unwrap());
    assert_eq!(rules.collect::<Vec<_>>(), ["costs-more", "new"]);
    assert_eq!(sarif["runs"][0]["tool"]["driver"]["rules"][1]["id"], "new");
    assert_eq!(results[1]["ruleIndex"], 1);
    let levels: Vec<_> = results.iter().map(|result| result["level"].as_str().unwrap()).collect();
    assert_eq!(levels, ["error", "warning"]);
    assert_eq!(
        results[0]["locations"],
        json!([{ "physicalLocation": {
            "artifactLocation": { "uri": "a,%20b/app.py", "uriBaseId": "%SRCROOT%" },
            "region": { "startLine": 5 },
        } }])
    );
    let issues = json("out.json");
    assert_eq!(issues[0]["location"], json!({ "path": "a, b/app.py", "lines": { "begin": 5 } }));
    assert_eq!(issues[0]["severity"], "major");
    assert_eq!(issues[1]["severity"], "minor");
    assert_eq!(issues[1]["check_name"], "new");
    let fingerprints = issues.as_array().unwrap().iter().map(|issue| issue["fingerprint"].clone());
    assert_eq!(fingerprints.collect::<std::collections::HashSet<_>>().len(), 2);

    let lines = ran(
        &inner,
        &["diff", "before.json", "after.json", "--by", "line", "--format", "annotations"],
    );
    let first = "::warning file=a%2C b/app.py,line=6,title=Costline::this line costs more: self 600 ms → 900 ms (▲300 ms, total ▲300 ms)";
    assert_eq!(lines.success().lines().next(), Some(first));
}

/// Whatever the current folder is.
#[test]
fn paths_are_those_in_the_repository_of_the_root() {
    let folder = changed();
    let elsewhere = TempDir::new().unwrap();
    fs::create_dir(elsewhere.path().join(".git")).unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let diff = ["diff", &path("before.json"), &path("after.json"), "--root", &path("")];
    let list = |format: &str| {
        let arguments = [&diff[..], &["--format", format]].concat();
        ran(elsewhere.path(), &arguments).success()
    };
    assert!(list("annotations").starts_with("::warning file=app.py,line=5,"));
    let issues: Value = serde_json::from_str(&list("code-quality")).unwrap();
    assert_eq!(issues[0]["location"]["path"], "app.py");
    let sarif: Value = serde_json::from_str(&list("sarif")).unwrap();
    let place = &sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "app.py");
}

/// The source is newer than both profiles.
#[test]
fn lines_that_are_not_known_are_not_called_unchanged() {
    let folder = changed();
    for name in ["before.json", "after.json"] {
        let file = fs::File::options().write(true).open(folder.path().join(name)).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(3600)).unwrap();
    }
    let list = |format: &str| {
        let diff = ["diff", "before.json", "after.json", "--by", "line", "--format", format];
        ran(folder.path(), &diff).success()
    };
    let unknown = "the lines of 1 file whose recorded text or functions are not known.\n";
    assert_eq!(list("annotations"), format!("::notice title=Costline::Omitted: {unknown}"));
    let text = list("markdown");
    assert!(text.contains(&format!("\nNo line is listed.\n\nOmitted: {unknown}")), "{text}");
    let text = list("github");
    assert!(text.contains("<summary>No line is listed</summary>"), "{text}");
}

/// Whatever the order in which they are listed.
#[test]
fn functions_of_one_name_have_their_own_fingerprints() {
    let text = "\
class Reader:
    def run(self):
        pass

class Writer:
    def run(self):
        pass
";
    let run = |reader, writer| speedscope(&[("run", 3, reader), ("run", 7, writer)]);
    let folder = project(&[
        ("before.json", run(100, 100)),
        ("reader.json", run(300, 200)),
        ("writer.json", run(200, 300)),
    ]);
    fs::write(folder.path().join("app.py"), text).unwrap();
    let issues = |after: &str| -> Vec<(u64, String)> {
        let diff = ["diff", "before.json", after, "--format", "code-quality"];
        let issues: Value = serde_json::from_str(&ran(folder.path(), &diff).success()).unwrap();
        let issues = issues.as_array().unwrap().iter();
        let of_run =
            issues.filter(|issue| issue["description"].as_str().unwrap().starts_with("run"));
        let line = |issue: &Value| issue["location"]["lines"]["begin"].as_u64().unwrap();
        of_run.map(|it| (line(it), it["fingerprint"].as_str().unwrap().to_owned())).collect()
    };
    let [reader, writer] = [
        (2, "costline function app.py run".to_owned()),
        (6, "costline function app.py run 2".to_owned()),
    ];
    assert_eq!(issues("reader.json"), [reader.clone(), writer.clone()]);
    assert_eq!(issues("writer.json"), [writer, reader]);
}

/// Sources elsewhere have no place on the pages of a code host.
#[test]
fn sources_outside_of_the_repository_are_not_written_for_code_hosts() {
    let folder = changed();
    let inner = folder.path().join("repository");
    fs::create_dir_all(inner.join(".git")).unwrap();
    let roots = ["--root", ".", "--root", ".."];
    let diff = [&["diff", "../before.json", "../after.json"][..], &roots, &["--format"]].concat();
    assert!(
        ran(&inner, &[&diff[..], &["markdown"]].concat()).success().contains("parse · app.py:5")
    );
    assert_eq!(ran(&inner, &[&diff[..], &["annotations"]].concat()).success(), "");
}

/// The old file stays whole until the new one takes its name, as another name of it shows.
#[test]
fn a_list_replaces_a_file_at_once() {
    let folder = changed();
    let [list, old] = ["list.md", "old.md"].map(|name| folder.path().join(name));
    fs::write(&list, "the old list").unwrap();
    fs::hard_link(&list, &old).unwrap();
    let write = ["diff", "before.json", "after.json", "--write", "markdown=list.md"];
    ran(folder.path(), &write).success();
    assert!(fs::read_to_string(&list).unwrap().contains("| parse · app.py:5 |"));
    assert_eq!(fs::read_to_string(&old).unwrap(), "the old list");
}

#[test]
fn a_list_that_cannot_be_written_is_an_error() {
    let folder = changed();
    let write =
        |what: &str| ran(folder.path(), &["diff", "before.json", "after.json", "--write", what]);
    let outcome = write("sarif=missing/out.sarif");
    assert_eq!(outcome.code, Some(3));
    assert!(
        outcome.stderr.starts_with("costline: cannot write missing/out.sarif: "),
        "{}",
        outcome.stderr
    );
    assert_eq!(write("out.sarif").code, Some(2));
    let twice = ["--write", "sarif=list", "--write", "markdown=./list"];
    let message =
        ran(folder.path(), &[&["diff", "before.json", "after.json"][..], &twice].concat());
    assert_eq!(message.failure(2), "--write: ./list would be written twice");
    assert!(!folder.path().join("list").exists());
}
