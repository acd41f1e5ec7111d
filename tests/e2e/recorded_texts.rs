//! Costs stay on their lines when sources are edited, whatever happens to the editor, the server
//! and the files.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::requests::text;
use crate::support::{Server, Workspace, set_age};

const MINUTE: Duration = Duration::from_secs(60);
const SOURCE: &str = "\
def names(rows):
    total = 0
    found = [r.name
             for r in rows]
    return found


def main():
    names([])
";
/// 30 samples in `names`, 40 in its comprehension, 30 in `main`.
const PROFILE: &str = "\
main (a.py:9);names (a.py:2) 30
main (a.py:9);names (a.py:3);<listcomp> (a.py:3) 40
main (a.py:9) 30
";
/// The hints of [`SOURCE`] by 0-based line.
const HINTS: [(u64, &str); 3] = [(1, "30.0%"), (2, "40.0%"), (8, "100.0%")];

/// A source that is older than its profile.
fn recorded() -> Workspace {
    let workspace = Workspace::with([("a.py", SOURCE), ("cpu.folded", PROFILE)]);
    set_age(&workspace.path("a.py"), 100 * MINUTE);
    set_age(&workspace.path("cpu.folded"), 10 * MINUTE);
    workspace
}

/// A server that has its cache in `cache`, and the source, opened with the text on disk.
fn start(workspace: &Workspace, cache: &Path, settings: Value) -> (Server, String) {
    start_with(workspace, cache, "a.py", settings)
}

/// The same, with another source.
fn start_with(
    workspace: &Workspace,
    cache: &Path,
    source: &str,
    settings: Value,
) -> (Server, String) {
    let server = Server::builder(workspace).env("COSTLINE_CACHE_DIR", cache.to_str().unwrap());
    let mut server = server.settings(settings).start();
    server.wait_profile();
    let uri = server.open_file(&workspace.path(source), "python");
    (server, uri)
}

/// The hints by line, and the lenses by line.
type Shown = [Vec<(u64, String)>; 2];

fn shown(server: &mut Server, uri: &str) -> Shown {
    let hints = server.labels(uri).into_iter().collect();
    let lenses = server.lenses(uri);
    let lens = |lens: &Value| {
        let line = lens["range"]["start"]["line"].as_u64().unwrap();
        (line, text(&lens["command"]["title"]).clone())
    };
    [hints, lenses.iter().map(lens).collect()]
}

/// What is shown for [`SOURCE`] with `n` lines inserted above.
fn expected(n: u64) -> Shown {
    let lenses = [
        (0, "self 70.0% (70 samples) · total 70.0% (70 samples)"),
        (7, "self 30.0% (30 samples) · total 100.0% (100 samples)"),
    ];
    let below = |(line, label): (u64, &str)| (line + n, label.to_owned());
    [HINTS.map(below).into(), lenses.map(below).into()]
}

#[test]
fn survives_closing_and_restarts() {
    let (workspace, cache) = (recorded(), Workspace::new());
    let (mut server, uri) = start(&workspace, cache.root(), json!({}));
    assert_eq!(shown(&mut server, &uri), expected(0));
    let edited = format!("{}{SOURCE}", "# new\n".repeat(7));
    server.change(&uri, &edited);
    workspace.write("a.py", &edited);
    server.save(&uri);
    assert_eq!(shown(&mut server, &uri), expected(7));
    server.close(&uri);
    server.open_file(&workspace.path("a.py"), "python");
    assert_eq!(shown(&mut server, &uri), expected(7));
    server.finish();

    let (mut server, uri) = start(&workspace, cache.root(), json!({}));
    assert_eq!(shown(&mut server, &uri), expected(7));
    // Lists lead to the same lines if the source is not open.
    server.close(&uri);
    let lines = server.execute("costline.hotspots", json!([{ "by": "line", "sort": "total" }]));
    let lines: Vec<_> = lines["lines"]
        .as_array()
        .unwrap()
        .iter()
        .map(|line| line["line0"].as_u64().unwrap())
        .collect();
    assert_eq!(lines, [15, 9, 8]);
    server.open_file(&workspace.path("a.py"), "python");
    // The profile has the same bytes, so it was recorded from the same text.
    set_age(&workspace.path("cpu.folded"), Duration::ZERO);
    let revision = server.revision();
    server.eventually("the profile is read again", |server| {
        (server.revision() > revision).then_some(())
    });
    assert_eq!(shown(&mut server, &uri), expected(7));
    server.finish();

    // Neither the copies nor Git has the text.
    set_age(&workspace.path("cpu.folded"), 10 * MINUTE);
    let (mut server, uri) = start(&workspace, cache.root(), json!({ "keepSources": false }));
    let [hints, lenses] = shown(&mut server, &uri);
    assert_eq!(hints, []);
    let expected = [
        (7, "~self 30.0% (30 samples) · total 70.0% (70 samples)"),
        (14, "~self 30.0% (30 samples) · total 100.0% (100 samples)"),
    ];
    assert_eq!(lenses, expected.map(|(line0, lens)| (line0, lens.to_owned())));
}

#[test]
fn lines_of_functions_that_are_elsewhere_are_not_shown() {
    let (workspace, cache) = (Workspace::new(), Workspace::new());
    workspace.write("cpu.folded", PROFILE);
    set_age(&workspace.path("cpu.folded"), 10 * MINUTE);
    // `main` is above its line, `names` is where it was.
    workspace.write("a.py", SOURCE.replace("\n\n\n", "\n"));
    let (mut server, uri) = start(&workspace, cache.root(), json!({}));
    let [hints, _] = shown(&mut server, &uri);
    assert_eq!(hints, [(1, "~30.0%".to_owned()), (2, "~40.0%".to_owned())]);
    server.finish();
    // `names` is gone, and one of its lines is in `main`.
    workspace
        .write("a.py", "\n\ndef main():\n    total = 0\n    other(total)\n\n\n\n    other()\n");
    let (mut server, uri) = start(&workspace, cache.root(), json!({}));
    let [hints, _] = shown(&mut server, &uri);
    assert_eq!(hints, [(8, "~100.0%".to_owned())]);
}

#[test]
fn a_touched_source_shows_the_same() {
    let (workspace, cache) = (recorded(), Workspace::new());
    let (mut server, uri) = start(&workspace, cache.root(), json!({}));
    assert_eq!(shown(&mut server, &uri), expected(0));
    server.finish();
    set_age(&workspace.path("a.py"), MINUTE);
    let (mut server, uri) = start(&workspace, cache.root(), json!({}));
    assert_eq!(shown(&mut server, &uri), expected(0));
    server.finish();
    // Without a copy, the text on disk is a guess, but the functions are the same.
    let (mut server, uri) = start(&workspace, Path::new(""), json!({}));
    let guessed = expected(0).map(|labels| {
        labels.into_iter().map(|(line, label)| (line, format!("~{label}"))).collect::<Vec<_>>()
    });
    assert_eq!(shown(&mut server, &uri), guessed);
}

/// Runs Git as if it were 2024.
fn git_before(workspace: &Workspace, arguments: &[&str]) {
    let names = ["GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"];
    git_with(workspace, &names.map(|name| (name, "2024-01-01T00:00:00Z")), arguments);
}

/// Makes a repository, and commits a file before the recording.
fn commit_before(workspace: &Workspace, file: &str) {
    commit_with(workspace, file, "sha1");
}

/// The same with the hash that names objects.
fn commit_with(workspace: &Workspace, file: &str, hash: &str) {
    let format = format!("--object-format={hash}");
    git_before(workspace, &["init", "--quiet", "--initial-branch", "main", &format]);
    git_before(workspace, &["add", file]);
    git_before(workspace, &["commit", "--quiet", "--message", "a"]);
}

fn git(workspace: &Workspace, arguments: &[&str]) {
    git_with(workspace, &[], arguments);
}

fn git_with(workspace: &Workspace, environment: &[(&str, &str)], arguments: &[&str]) {
    let mut git = Command::new("git");
    git.args(["-c", "user.name=a", "-c", "user.email=a@example.org"]).args(arguments);
    git.current_dir(workspace.root()).env("GIT_CONFIG_GLOBAL", "").env("GIT_CONFIG_NOSYSTEM", "1");
    let output = git.envs(environment.iter().copied()).output().unwrap();
    assert!(output.status.success(), "git {arguments:?}: {output:?}");
}

#[test]
fn a_repository_may_name_objects_by_sha256() {
    let workspace = recorded();
    commit_with(&workspace, "a.py", "sha256");
    workspace.write("a.py", format!("# one\n# two\n{SOURCE}"));
    let (mut server, uri) = start(&workspace, Path::new(""), json!({}));
    assert_eq!(shown(&mut server, &uri), expected(2));
}

#[test]
fn the_text_of_a_repository_is_in_its_history() {
    let workspace = recorded();
    commit_before(&workspace, "a.py");
    let edited = format!("# one\n# two\n{SOURCE}");
    let no_cache = Path::new("");
    // The second edit came one second after the recording.
    for age in [MINUTE, Duration::from_secs(599)] {
        workspace.write("a.py", &edited);
        set_age(&workspace.path("a.py"), age);
        let (mut server, uri) = start(&workspace, no_cache, json!({}));
        assert_eq!(shown(&mut server, &uri), expected(2));
        server.finish();
    }
    git(&workspace, &["stash", "--quiet"]);
    let (mut server, uri) = start(&workspace, no_cache, json!({}));
    assert_eq!(shown(&mut server, &uri), expected(0));
    server.finish();
    git(&workspace, &["stash", "pop", "--quiet"]);
    git(&workspace, &["checkout", "--quiet", "-b", "topic"]);
    git(&workspace, &["commit", "--quiet", "--all", "--message", "b"]);
    let (mut server, uri) = start(&workspace, no_cache, json!({}));
    assert_eq!(shown(&mut server, &uri), expected(2));
    server.finish();
    git(&workspace, &["checkout", "--quiet", "main"]);
    let (mut server, uri) = start(&workspace, no_cache, json!({}));
    assert_eq!(shown(&mut server, &uri), expected(0));
    server.finish();

    let clone = Workspace::new();
    let from = workspace.root().to_str().unwrap();
    git(&clone, &["clone", "--quiet", from, "."]);
    clone.write("cpu.folded", PROFILE);
    set_age(&clone.path("cpu.folded"), 10 * MINUTE);
    let (mut server, uri) = start(&clone, no_cache, json!({}));
    assert_eq!(shown(&mut server, &uri), expected(0));
}

/// A script is a function without a name at its start, also if it contains a closure.
#[test]
fn the_text_of_a_script_with_a_closure_is_in_its_history() {
    let script = "const twice = (n) => 2 * n;\nfunction work() {\n  return twice(1);\n}\nwork();\n";
    let function = |name: &str, line: u32, column: u32, at: u32, children: &[u32]| {
        json!({
            "id": at + 1,
            "callFrame": {
                "functionName": name, "scriptId": "1", "url": "file:///srv/app/a.js",
                "lineNumber": line, "columnNumber": column,
            },
            "hitCount": 1, "positionTicks": [{ "line": at, "ticks": 1 }], "children": children,
        })
    };
    let nodes = [function("", 0, 0, 5, &[4]), function("work", 1, 13, 3, &[])];
    let profile = json!({ "nodes": nodes, "samples": [6, 4] });
    let workspace = Workspace::with([("a.js", script), ("p.cpuprofile", &profile.to_string())]);
    set_age(&workspace.path("p.cpuprofile"), 10 * MINUTE);
    commit_before(&workspace, "a.js");
    workspace.write("a.js", format!("// new\n{script}"));
    let (mut server, uri) = start_with(&workspace, Path::new(""), "a.js", json!({}));
    let expected = [3, 5].map(|line| (line, "self 50.0%".to_owned()));
    assert_eq!(shown(&mut server, &uri)[0], expected);
}

/// callgrind does not mark code that is inlined from the same file. The second text in the history is
/// not the recorded one.
#[test]
fn a_text_with_inlined_functions_is_in_its_history() {
    let text =
        "static int twice(int x) {\n  return 2 * x;\n}\nint f(int x) {\n  return twice(x);\n}\n";
    let profile = "events: Ir\nfl=a.c\nfn=f\n2 30\n5 70\n";
    let no_lines: &[u64] = &[];
    for (committed, expected) in [(text.to_owned(), &[3, 6][..]), (format!("\n\n{text}"), no_lines)]
    {
        let workspace = Workspace::with([("a.c", &*committed), ("callgrind.out.1", profile)]);
        set_age(&workspace.path("callgrind.out.1"), 10 * MINUTE);
        commit_before(&workspace, "a.c");
        workspace.write("a.c", format!("// one\n// two\n{text}"));
        let (mut server, uri) = start_with(&workspace, Path::new(""), "a.c", json!({}));
        let lines: Vec<u64> = shown(&mut server, &uri)[0].iter().map(|(line, _)| *line).collect();
        assert_eq!(lines, expected, "{committed}");
    }
}

#[test]
fn a_renamed_file_keeps_its_costs() {
    let (workspace, cache) = (recorded(), Workspace::new());
    let (mut server, uri) = start(&workspace, cache.root(), json!({}));
    assert_eq!(shown(&mut server, &uri), expected(0));
    server.close(&uri);
    // While the profile is shown.
    std::fs::create_dir(workspace.path("lib")).unwrap();
    std::fs::rename(workspace.path("a.py"), workspace.path("lib/b.py")).unwrap();
    let uri = server.open_file(&workspace.path("lib/b.py"), "python");
    server.eventually("the costs", |server| (shown(server, &uri) == expected(0)).then_some(()));
    server.finish();
    workspace.write("lib/b.py", format!("# new\n{SOURCE}"));
    let (mut server, uri) = start_with(&workspace, cache.root(), "lib/b.py", json!({}));
    assert_eq!(shown(&mut server, &uri), expected(1));
    server.finish();
    // Most of it is another text now.
    workspace.write("lib/b.py", SOURCE.replace("total", "sum").replace("main", "start"));
    let (mut server, uri) = start_with(&workspace, cache.root(), "lib/b.py", json!({}));
    assert_eq!(shown(&mut server, &uri), [vec![], vec![]]);
    server.finish();
    // Two files have the text.
    workspace.write("lib/b.py", SOURCE);
    workspace.write("lib/c.py", SOURCE);
    let (mut server, uri) = start_with(&workspace, cache.root(), "lib/b.py", json!({}));
    assert_eq!(shown(&mut server, &uri), [vec![], vec![]]);
}

#[test]
fn a_file_that_was_beside_the_recorded_one_is_not_the_renamed_one() {
    let no_cache = Path::new("");
    // Git has one of them, or both.
    for (added, expected) in [(&["a.py"][..], expected(0)), (&["a.py", "b.py"], Shown::default())] {
        let workspace = recorded();
        workspace.write("b.py", SOURCE);
        git_before(&workspace, &["init", "--quiet", "--initial-branch", "main"]);
        git_before(&workspace, &[&["add"], added].concat());
        git_before(&workspace, &["commit", "--quiet", "--message", "a"]);
        std::fs::remove_file(workspace.path("a.py")).unwrap();
        let (mut server, uri) = start_with(&workspace, no_cache, "b.py", json!({}));
        assert_eq!(shown(&mut server, &uri), expected, "{added:?}");
        server.finish();
        // The times of the files do not matter.
        set_age(&workspace.path("b.py"), 100 * MINUTE);
        let (mut server, uri) = start_with(&workspace, no_cache, "b.py", json!({}));
        assert_eq!(shown(&mut server, &uri), expected, "{added:?}");
    }
}

/// The profile is of the first commit, and was copied when the second one was checked out.
#[test]
fn a_profile_that_was_copied_belongs_to_the_version_that_fits() {
    let workspace = recorded();
    // The repository may be a submodule.
    for folder in [".", "inner"] {
        let at = |name: &str| if folder == "." { name.to_owned() } else { format!("inner/{name}") };
        let in_folder = |arguments: &[&str]| {
            git_before(&workspace, &[&["-C", folder], arguments].concat());
        };
        workspace.write(&at("a.py"), SOURCE);
        in_folder(&["init", "--quiet", "--initial-branch", "main"]);
        in_folder(&["add", "a.py"]);
        in_folder(&["commit", "--quiet", "--message", "a"]);
        let edited = format!("# 1\n# 2\n# 3\n# 4\n# 5\n# 6\n{SOURCE}");
        workspace.write(&at("a.py"), edited);
        in_folder(&["commit", "--quiet", "--all", "--message", "b"]);
        workspace.write("cpu.folded", PROFILE.replace("a.py", &at("a.py")));
        set_age(&workspace.path(&at("a.py")), 100 * MINUTE);
        set_age(&workspace.path("cpu.folded"), 10 * MINUTE);
        let cache = Workspace::new();
        let server = Server::builder(&workspace);
        let mut server = server.env("COSTLINE_CACHE_DIR", cache.root().to_str().unwrap()).start();
        server.wait_profile();
        let uri = server.open_file(&workspace.path(&at("a.py")), "python");
        assert_eq!(shown(&mut server, &uri), expected(6), "{folder}");
        server.finish();
    }
}

/// [`PROFILE`] as the Firefox Profiler writes it, with this name and text of the source.
fn firefox(name: &str, content: Option<&str>) -> String {
    let profile = json!({
        "meta": { "interval": 1, "startTime": 0, "preprocessedProfileVersion": 64 },
        "libs": [],
        "shared": {
            "stringArray": ["main", "names", name],
            "sources": {
                "length": 1, "filename": [2], "id": [null], "startLine": [1], "startColumn": [1],
                "sourceMapURL": [null], "content": [content],
            },
            "funcTable": {
                "length": 2, "name": [0, 1], "source": [0, 0], "lineNumber": [8, 1],
                "columnNumber": [1, 1], "resource": [-1, -1], "isJS": [true, true],
                "relevantForJS": [false, false],
            },
            "frameTable": { "length": 3, "func": [0, 1, 1], "line": [9, 2, 3] },
            "stackTable": { "length": 3, "frame": [0, 1, 2], "prefix": [null, 0, 0] },
        },
        "threads": [{
            "name": "main",
            "samples": {
                "length": 3, "stack": [0, 1, 2], "time": [0, 1, 2], "weight": [30, 30, 40],
                "weightType": "samples",
            },
        }],
    });
    profile.to_string()
}

/// A source with two new lines at the top, and a profile that is older.
fn edited_since(profile: &str) -> Workspace {
    let edited = format!("# one\n# two\n{SOURCE}");
    let workspace = Workspace::with([("a.py", edited.as_str()), ("profile.json", profile)]);
    set_age(&workspace.path("a.py"), MINUTE);
    set_age(&workspace.path("profile.json"), 10 * MINUTE);
    workspace
}

/// [`expected`] for a profile of one sample per millisecond.
fn expected_in_ms(n: u64) -> Shown {
    expected(n).map(|labels| {
        let in_ms =
            |label: String| label.replace("00 samples", "00 ms").replace("0 samples", "0.0 ms");
        labels.into_iter().map(|(line, label)| (line, in_ms(label))).collect()
    })
}

#[test]
fn the_text_in_a_profile_is_the_recorded_one() {
    let workspace = edited_since(&firefox("a.py", Some(SOURCE)));
    let (mut server, uri) = start(&workspace, Path::new(""), json!({}));
    assert_eq!(shown(&mut server, &uri), expected_in_ms(2));
    server.finish();

    let workspace = edited_since(&firefox("a.py", None));
    let (mut server, uri) = start(&workspace, Path::new(""), json!({}));
    let [hints, _] = shown(&mut server, &uri);
    // `names` has the length that it was recorded with. What is at the end of the file may have changed.
    let labels = [(3, "30.0%"), (4, "40.0%"), (10, "~100.0%")];
    assert_eq!(hints, labels.map(|(line, label)| (line, label.to_owned())));
}

#[test]
fn a_version_that_a_profile_names_is_the_recorded_one() {
    // Fits the profile as well, but was not recorded.
    let later = SOURCE.replace("    found = [r.name\n", "    rows = list(rows)\n");
    let later =
        later.replace("             for r in rows]\n", "    found = [r.name for r in rows]\n");
    for tag in [false, true] {
        let workspace = edited_since("");
        git_before(&workspace, &["init", "--quiet", "--initial-branch", "main"]);
        git(&workspace, &["remote", "add", "origin", "https://github.com/me/app.git"]);
        let commit = |text: &str, tag: &str| {
            workspace.write("a.py", text);
            git_before(&workspace, &["add", "a.py"]);
            git_before(&workspace, &["commit", "--quiet", "--message", tag]);
            git_before(&workspace, &["tag", tag]);
            let name = workspace.path(".git/refs/tags").join(tag);
            std::fs::read_to_string(name).unwrap().trim().to_owned()
        };
        let id = commit(SOURCE, "v1");
        commit(&later, "v2");
        workspace.write("a.py", format!("# one\n# two\n{SOURCE}"));
        let version = if tag { "v1" } else { &id };
        let name = format!("git:github.com/me/app:a.py:{version}");
        workspace.write("profile.json", firefox(&name, None));
        set_age(&workspace.path("profile.json"), 10 * MINUTE);
        let (mut server, uri) = start(&workspace, Path::new(""), json!({}));
        assert_eq!(shown(&mut server, &uri), expected_in_ms(2), "{name}");
        server.finish();
    }
}

/// Production runs a build of last week: its revision decides, although today's text fits the profile as
/// well and is older than it.
#[test]
fn the_revision_of_a_build_leads_to_its_text() {
    let later = SOURCE.replace("    found = [r.name\n", "    rows = list(rows)\n");
    let later =
        later.replace("             for r in rows]\n", "    found = [r.name for r in rows]\n");
    for named in ["id", "start", "v1", "release", "nothing"] {
        let workspace = edited_since("");
        git_before(&workspace, &["init", "--quiet", "--initial-branch", "main"]);
        let commit = |text: &str, tag: &str| {
            workspace.write("a.py", text);
            git_before(&workspace, &["add", "a.py"]);
            git_before(&workspace, &["commit", "--quiet", "--message", tag]);
            git_before(&workspace, &["tag", tag]);
        };
        commit(SOURCE, "v1");
        git_before(&workspace, &["branch", "release"]);
        let tag = std::fs::read_to_string(workspace.path(".git/refs/tags/v1")).unwrap();
        commit(&later, "v2");
        set_age(&workspace.path("a.py"), 100 * MINUTE);
        let revision = match named {
            "id" => tag.trim(),
            "start" => &tag[..9],
            named => named,
        };
        let fleet = json!({ "kind": "pyroscope", "revision": revision });
        workspace.write("cpu.folded", format!("# costline: {fleet}\n{PROFILE}"));
        set_age(&workspace.path("cpu.folded"), 10 * MINUTE);
        let (mut server, uri) = start(&workspace, Path::new(""), json!({}));
        let [hints, _] = shown(&mut server, &uri);
        // What was line 3 in `v1` is line 4 today.
        let lines: Vec<u64> = hints.iter().map(|(line, _)| *line).collect();
        let expected: &[u64] = if named == "nothing" { &[1, 2, 8] } else { &[1, 3, 8] };
        assert_eq!(lines, expected, "{named}: {hints:?}");
        server.finish();
    }
}

/// Ten samples in the loop of `spin`, of which six are on line 4, called by `main`.
const SPIN: &str = "\
def spin(n):
    total = 0
    for i in range(n):
        total += i
    return total
";
const CALLER: &str = "\n\ndef main():\n    spin(9)\n";
const SPIN_PROFILE: &str = "\
main (a.py:9);spin (a.py:3) 4
main (a.py:9);spin (a.py:4) 6
";

/// Moves `spin` from `a.py` to the files `to`, and loads the profile again. Returns what is shown
/// for `a.py` and `b.py`, and the file and line (0-based) of the hottest line.
fn after_a_move(to: &[&str]) -> ([Shown; 2], (String, u64)) {
    let recorded = format!("{SPIN}{CALLER}");
    let workspace = Workspace::with([("a.py", &*recorded), ("cpu.folded", SPIN_PROFILE)]);
    let cache = Workspace::new();
    set_age(&workspace.path("a.py"), 100 * MINUTE);
    set_age(&workspace.path("cpu.folded"), 10 * MINUTE);
    let (mut server, a) = start(&workspace, cache.root(), json!({}));
    let before = [(2, "40.0%"), (3, "60.0%"), (8, "100.0%")];
    assert_eq!(shown(&mut server, &a)[0], before.map(|(line, label)| (line, label.to_owned())));

    let caller = format!("from b import spin\n{CALLER}");
    workspace.write("a.py", &caller);
    for path in to {
        workspace.write(path, format!("import os\n\n\n{SPIN}"));
    }
    server.change(&a, &caller);
    server.save(&a);
    server.execute("costline.reload", json!([]));
    let b = server.open_file(&workspace.path("b.py"), "python");
    let all = [shown(&mut server, &a), shown(&mut server, &b)];
    let lines = server.execute("costline.hotspots", json!([{ "by": "line", "sort": "total" }]));
    let second = &lines["lines"][1];
    let file = second["uri"].as_str().unwrap_or_default();
    let file = file.rsplit('/').next().unwrap_or_default().to_owned();
    let line0 = second["line0"].as_u64().unwrap();
    server.finish();
    (all, (file, line0))
}

#[test]
fn a_function_copied_to_two_files_has_costs_in_neither() {
    let ([a, b], (file, _)) = after_a_move(&["b.py", "c.py"]);
    assert_eq!(a[0], [(4, "100.0%".to_owned())]);
    assert_eq!(b, [vec![], vec![]]);
    assert_eq!(file, "a.py");
}

/// py-spy and rbspy record methods without their class.
#[test]
fn two_methods_of_one_name_are_in_the_history() {
    let text = "class Leaf:\n    def draw(self, c):\n        text = str(c)\n        return text\n\n\nclass Tree:\n    def draw(self, c):\n        return [n.draw(c) for n in self.nodes]\n";
    let workspace = Workspace::with([
        ("a.py", text),
        ("cpu.folded", "draw (a.py:9);draw (a.py:4) 30\ndraw (a.py:9) 20\n"),
    ]);
    commit_before(&workspace, "a.py");
    set_age(&workspace.path("cpu.folded"), 10 * MINUTE);
    for (above, lines) in [("", [3, 8]), ("# one\n# two\n", [5, 10])] {
        workspace.write("a.py", format!("{above}{text}"));
        let (mut server, uri) = start(&workspace, Path::new(""), json!({}));
        let [hints, _] = shown(&mut server, &uri);
        let expected = lines.into_iter().zip(["60.0%".to_owned(), "100.0%".to_owned()]);
        assert_eq!(hints, expected.collect::<Vec<_>>());
        server.finish();
    }
}

const WORDS: &str = "import os\n\ndef load(path):\n    data = open(path).read()\n    return data.split()\n\ndef count(words):\n    table = {}\n    for w in words:\n        table[w] = 1\n    return table\n\ndef main():\n    words = load('x')\n    print(count(words))\n";

/// The hints of `source` for a profile of 600 seconds ago.
fn hints_of(workspace: &Workspace, profile: &str, source: &str) -> Vec<(u64, String)> {
    workspace.write("cpu.folded", profile);
    set_age(&workspace.path("cpu.folded"), 10 * MINUTE);
    let (mut server, uri) = start_with(workspace, Path::new(""), source, json!({}));
    let [hints, _] = shown(&mut server, &uri);
    server.finish();
    hints
}

fn hints<const N: usize>(expected: [(u64, &str); N]) -> Vec<(u64, String)> {
    expected.map(|(line0, label)| (line0, label.to_owned())).to_vec()
}

/// CI recorded another branch, in which the file is longer.
#[test]
fn the_text_of_another_branch_is_in_the_repository() {
    let workspace = Workspace::with([("src/a.py", WORDS)]);
    commit_before(&workspace, "src");
    git_before(&workspace, &["checkout", "--quiet", "-b", "topic"]);
    workspace.write("src/a.py", format!("{}{WORDS}", "# header\n".repeat(10)));
    git_before(&workspace, &["commit", "--quiet", "--all", "--message", "b"]);
    git_before(&workspace, &["checkout", "--quiet", "main"]);
    let profile = "load (/ci/build/src/a.py:14) 30\nload (/ci/build/src/a.py:15) 10\ncount (/ci/build/src/a.py:19) 60\n";
    let expected = hints([(3, "30.0%"), (4, "10.0%"), (8, "60.0%")]);
    assert_eq!(hints_of(&workspace, profile, "src/a.py"), expected);
}

#[test]
fn a_renamed_file_is_found_by_the_paths_of_another_machine() {
    let workspace = Workspace::with([("src/a.py", WORDS)]);
    commit_before(&workspace, "src");
    std::fs::create_dir(workspace.path("lib")).unwrap();
    git(&workspace, &["mv", "src/a.py", "lib/words.py"]);
    for folder in [workspace.root().to_str().unwrap(), "/ci/build"] {
        let profile = format!("load ({folder}/src/a.py:4) 30\nload ({folder}/src/a.py:5) 10\n");
        let expected = hints([(3, "75.0%"), (4, "25.0%")]);
        assert_eq!(hints_of(&workspace, &profile, "lib/words.py"), expected, "{folder}");
    }
}

/// Files of another project that end alike have none of the functions, however new they are.
#[test]
fn a_save_does_not_show_the_costs_of_another_project() {
    let text: String = (0..40).map(|at| format!("def my_{at}():\n    return 1\n\n")).collect();
    let profile: String = (0..8)
        .map(|at| {
            format!(
                "serve (/srv/other/app/main.py:{});helper{at} (/srv/other/app/util.py:{}) 9\n",
                5 + at,
                8 + 3 * at
            )
        })
        .collect();
    for age in [MINUTE, 100 * MINUTE] {
        let workspace = Workspace::with([("app/main.py", text.as_str()), ("app/util.py", &text)]);
        for file in ["app/main.py", "app/util.py"] {
            set_age(&workspace.path(file), age);
            assert_eq!(hints_of(&workspace, &profile, file), [], "{file}");
        }
    }
}
