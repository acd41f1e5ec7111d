//! The files that Costline opens: workspace folders, projects, source roots, and nothing outside of
//! them.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher};
use serde_json::{Value, json};

use crate::support::cases::Case;
use crate::support::process::DEADLINE;
use crate::support::profiles::{APP_JS, SIX_SAMPLES, app_py, cpuprofile, six_samples};
use crate::support::requests::{costs, text};
use crate::support::{Server, Workspace, uri};

fn folders(workspaces: &[&Workspace]) -> Value {
    workspaces
        .iter()
        .map(|workspace| json!({ "uri": workspace.root_uri(), "name": "folder" }))
        .collect()
}

#[test]
fn searches_all_workspace_folders() {
    let (code, data) = (Workspace::with([("app.js", APP_JS)]), Workspace::new());
    data.write("a.cpuprofile", cpuprofile(10));
    let mut server =
        Server::builder(&code).param("workspaceFolders", folders(&[&code, &data])).start();
    let uri = server.open_file(&code.path("app.js"), "javascript");
    server
        .eventually("the costs", |server| (server.line_costs(&uri).get(&1)?.0 == 10).then_some(()));
    data.rename_over("a.cpuprofile", cpuprofile(20));
    server.eventually("the new costs", |server| {
        (server.line_costs(&uri).get(&1)?.0 == 20).then_some(())
    });
    code.write("b.cpuprofile", cpuprofile(30));
    server.eventually("those of the other folder", |server| {
        (server.line_costs(&uri).get(&1)?.0 == 30).then_some(())
    });
}

#[test]
fn workspace_folders_can_be_added_and_removed() {
    let (first, second) =
        (Workspace::with([("main.py", "main()\n")]), Workspace::with([("app.js", APP_JS)]));
    second.write("a.cpuprofile", cpuprofile(10));
    let mut server = Server::start(&first);
    let uri = server.open_file(&second.path("app.js"), "javascript");
    server.during(Duration::from_millis(500), |server| assert!(server.hints(&uri).is_empty()));

    let folder = json!([{ "uri": second.root_uri(), "name": "second" }]);
    server.notify(
        "workspace/didChangeWorkspaceFolders",
        json!({ "event": { "added": folder, "removed": [] } }),
    );
    server
        .eventually("the costs", |server| (server.line_costs(&uri).get(&1)?.0 == 10).then_some(()));
    second.rename_over("a.cpuprofile", cpuprofile(20));
    server.eventually("the new costs", |server| {
        (server.line_costs(&uri).get(&1)?.0 == 20).then_some(())
    });

    server.notify(
        "workspace/didChangeWorkspaceFolders",
        json!({ "event": { "added": [], "removed": folder } }),
    );
    server.eventually("no costs", |server| server.hints(&uri).is_empty().then_some(()));
}

#[test]
fn without_folders_the_project_around_the_document_is_the_workspace() {
    for marker in ["Cargo.toml", "package.json", ".git"] {
        let outer = Workspace::with([
            ("project/src/deep/app.py", "f()\n"),
            (format!("project/{marker}").as_str(), ""),
        ]);
        outer.write("project/cpu.folded", "f (src/deep/app.py:1) 10\n");
        outer.write("other.folded", "f (src/deep/app.py:1) 20\n");
        let mut server = Server::builder(&outer)
            .param("workspaceFolders", Value::Null)
            .param("rootUri", Value::Null)
            .start();
        let uri = server.open_file(&outer.path("project/src/deep/app.py"), "python");
        server.wait_costs(&uri, &costs([(1, 10, 10)]));
        assert_eq!(
            server.execute("costline.paths", json!([]))["roots"],
            json!([outer.path("project")])
        );
    }
}

#[test]
fn the_root_uri_suffices() {
    let workspace = six_samples();
    // An empty list of folders does not replace it.
    for folders in [Value::Null, json!([])] {
        let mut server = Server::builder(&workspace).param("workspaceFolders", folders).start();
        let uri = server.open_file(&workspace.path("app.py"), "python");
        server.wait_labels(&uri);
    }
}

#[test]
fn files_of_libraries_do_not_match_files_of_the_workspace() {
    let case = Case::rust();
    let names =
        ["src/lib.rs", "src/map.rs", "string/strlen.c", "library/std/src/rt.rs", "malloc/arena.c"];
    for file in names {
        case.workspace.write(file, "fn own() {}\n".repeat(3000));
    }
    let mut server = Server::builder(&case.workspace)
        .options(json!({ "hints": { "minPercent": 0 }, "lenses": { "minPercent": 0 } }))
        .start();
    let own = server.open_file(&case.workspace.path("src/main.rs"), "rust");
    server.wait_labels(&own);
    for file in names {
        let uri = server.open_file(&case.workspace.path(file), "rust");
        assert_eq!(
            (server.hints(&uri), server.lenses(&uri), server.line_hover(&uri, 5)),
            (vec![], vec![], None),
            "{file}"
        );
    }

    // The profile names files with the same ends, and none of those is matched.
    let paths = server.execute("costline.paths", json!([]));
    let named: Vec<_> = paths["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| (text(&file["name"]), file["path"].clone()))
        .collect();
    for name in ["/rust/deps/hashbrown-0.16.1/src/map.rs", "./malloc/arena.c"] {
        assert!(named.contains(&(name.to_owned(), Value::Null)), "{name}: {named:?}");
    }
    let matched: Vec<_> =
        named.iter().filter(|(_, path)| !path.is_null()).map(|(_, path)| text(path)).collect();
    assert!(matched.len() == 4 && matched.iter().all(|path| path.contains("/src/")), "{matched:?}");
    assert!(
        matched.iter().all(|path| names.iter().all(|name| !path.ends_with(name))),
        "{matched:?}"
    );
}

#[test]
fn files_of_hashbrown_std_and_libc_show_no_cost_in_files_of_the_same_names() {
    let profile = "\
main (/srv/app/src/main.rs:1);insert (/root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/hashbrown-0.16.1/src/map.rs:1) 5
main (/srv/app/src/main.rs:1);insert (/rust/deps/hashbrown-0.16.1/src/map.rs:2) 5
main (/srv/app/src/main.rs:1);next (/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/std/src/lib.rs:1) 5
main (/srv/app/src/main.rs:1);next (/root/.rustup/toolchains/stable/lib/rustlib/src/rust/library/std/src/lib.rs:2) 5
main (/srv/app/src/main.rs:1);strlen (./string/strlen.c:1) 5
main (/srv/app/src/main.rs:1);strlen (/usr/src/glibc/string/strlen.c:2) 5
";
    let workspace = Workspace::with([("cpu.folded", profile), ("src/main.rs", "a\n")]);
    for file in ["src/lib.rs", "src/map.rs", "string/strlen.c"] {
        workspace.write(file, "a\nb\nc\n");
    }
    let mut server = Server::start(&workspace);
    let main = server.open_file(&workspace.path("src/main.rs"), "rust");
    server.wait_costs(&main, &costs([(1, 0, 30)]));
    for file in ["src/lib.rs", "src/map.rs", "string/strlen.c"] {
        let uri = server.open_file(&workspace.path(file), "rust");
        assert_eq!(server.line_costs(&uri), costs([]), "{file}");
        let why = server.execute("costline.explain", json!([{ "uri": uri, "line": 0 }]));
        assert_eq!(why["code"], "file-not-matched", "{why}");
    }
}

/// Records which files in a folder are opened.
struct AccessLog {
    _watcher: RecommendedWatcher,
    events: Receiver<Event>,
    folder: PathBuf,
}

impl AccessLog {
    fn new(workspace: &Workspace) -> Self {
        let (sender, events) = channel();
        let mut watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
            // The receiver is gone when the test is over.
            let _ = sender.send(event.unwrap());
        })
        .unwrap();
        watcher.watch(workspace.root(), RecursiveMode::Recursive).unwrap();
        Self { _watcher: watcher, events, folder: workspace.root().to_owned() }
    }

    /// The files that were opened, read or changed so far. Events are in order, so all events
    /// before that of a file opened by the test itself were received.
    fn touched(&self) -> Vec<PathBuf> {
        let last = self.folder.join("last");
        std::fs::read(&last).unwrap();
        let deadline = Instant::now() + DEADLINE;
        let mut touched = Vec::new();
        loop {
            let event = self
                .events
                .recv_timeout(deadline.saturating_duration_since(Instant::now()))
                .expect("an event of the test's own read");
            if event.paths.contains(&last) {
                return touched;
            }
            touched.extend(event.paths);
        }
    }
}

#[test]
#[cfg(target_os = "linux")]
fn does_not_read_files_outside_the_workspace() {
    let outside =
        Workspace::with([("secret.py", "password()\n"), ("module.py", "f()\n"), ("last", "")]);
    let workspace = Workspace::with([("app.py", app_py().as_str()), ("sub/b.py", "f()\n")]);
    std::os::unix::fs::symlink(outside.path("secret.py"), workspace.path("leak.py")).unwrap();
    std::os::unix::fs::symlink(outside.root(), workspace.path("leaks")).unwrap();
    let dots = "../".repeat(workspace.root().components().count());
    let secret = outside.path("secret.py").to_string_lossy().into_owned();
    let names = [
        secret.clone(),
        format!("file://{secret}"),
        format!("{dots}{secret}"),
        format!("{}/{dots}{secret}", workspace.root().display()),
        workspace.path("leak.py").to_string_lossy().into_owned(),
        "leak.py".to_owned(),
        "leaks/module.py".to_owned(),
        "/etc/passwd".to_owned(),
    ];
    let profile: String =
        names.iter().map(|name| format!("main (app.py:10);f ({name}:1) 5\n")).collect();
    workspace.write("cpu.folded", profile);
    let watchman = AccessLog::new(&outside);

    // Send every request for these files. The editor opens one of them itself.
    let ask_everything = |server: &mut Server| {
        let uri = server.open_file(&workspace.path("app.py"), "python");
        server.wait_labels(&uri);
        let open = uri_of(&secret);
        server.open(&open, "python", "password()\n");
        server.save(&open);
        for document in [&uri, &open, &workspace.uri("leak.py")] {
            server.hints(document);
            server.lenses(document);
            server.hover(document, 0, 0);
            server.execute("costline.explain", json!([{ "uri": document, "line": 0 }]));
        }
        let main = server.root_item("main");
        for call in server.outgoing(&main) {
            server.incoming(&call["to"]);
            server.request("costline/textDocumentContent", json!({ "uri": call["to"]["uri"] }));
        }
        server.symbols("$");
        server.execute("costline.paths", json!([]))
    };
    let mut server = Server::start(&workspace);
    let paths = ask_everything(&mut server);
    assert_eq!(paths["mapped"], 1, "{paths}");
    assert_eq!(server.hints(&uri_of(&secret)), [json!(null); 0]);
    drop(server);
    // The test reads the text for the editor; `open` does not.
    let touched = watchman.touched();
    assert!(touched.is_empty(), "{touched:?}");

    // A permitted read is recorded, so the watcher works.
    let mut server =
        Server::builder(&workspace).options(json!({ "sourceRoots": [outside.root()] })).start();
    ask_everything(&mut server);
    assert!(watchman.touched().contains(&outside.path("secret.py")));
}

fn uri_of(path: &str) -> String {
    uri(std::path::Path::new(path))
}

#[test]
fn reports_ambiguous_names_once_and_shows_no_costs_for_them() {
    let workspace = Workspace::with([
        ("a/dup.py", "f()\n"),
        ("b/dup.py", "f()\n"),
        ("cpu.folded", "f (dup.py:1) 3\n"),
    ]);
    let mut server = Server::start(&workspace);
    server.wait_profile();
    for file in ["a/dup.py", "b/dup.py"] {
        let uri = server.open_file(&workspace.path(file), "python");
        assert!(server.hints(&uri).is_empty());
    }
    let warnings: Vec<_> =
        server.messages().into_iter().filter(|message| message.contains("dup.py")).collect();
    assert!(warnings.len() == 1 && warnings[0].contains("pathMappings"), "{warnings:?}");
}

#[test]
fn finds_files_that_were_added_later_when_they_are_opened() {
    let workspace = Workspace::with([("cpu.folded", SIX_SAMPLES)]);
    let mut server = Server::start(&workspace);
    server.wait_profile();
    let uri = server.open_file(&workspace.write("app.py", app_py()), "python");
    server.eventually("the costs", |server| (server.line_costs(&uri).len() == 9).then_some(()));
}

#[test]
fn watches_the_folder_of_a_document_under_its_own_name() {
    // A workspace that is opened through a symlink is one folder, not two.
    let workspace = Workspace::with([("real/app.js", APP_JS)]);
    workspace.write("real/a.cpuprofile", cpuprofile(10));
    #[cfg(unix)]
    std::os::unix::fs::symlink(workspace.path("real"), workspace.path("link")).unwrap();
    let root = workspace.path(if cfg!(unix) { "link" } else { "real" });
    let folders = json!([{ "uri": uri(&root), "name": "link" }]);
    let mut server = Server::builder(&workspace)
        .param("workspaceFolders", folders)
        .param("rootUri", json!(uri(&root)))
        .start();
    let document = server.open_file(&root.join("app.js"), "javascript");
    server.eventually("the costs", |server| {
        (server.line_costs(&document).get(&1)?.0 == 10).then_some(())
    });
    assert_eq!(server.root_item("work")["uri"], document);
    workspace.rename_over("real/a.cpuprofile", cpuprofile(20));
    server.eventually("the new costs", |server| {
        (server.line_costs(&document)[&1].0 == 20).then_some(())
    });
    assert_eq!(server.profiles()["profiles"].as_array().unwrap().len(), 1);
}
