//! Profiles are added, rewritten and removed while the editor is open. Each change is one swap to
//! the right costs, without a moment in between. Files that cannot be read change nothing and are
//! reported once.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use crate::support::profiles::{APP_JS, cpuprofile, folded, gzip, timed_cpuprofile};
use crate::support::requests::text;
use crate::support::{Refreshes, Server, Workspace};

/// Longer than the server waits before it reads a file, or retries.
const A_WHILE: Duration = Duration::from_millis(2600);
/// Longer than a file takes to settle, and much shorter than the server waits for the rest of it.
const PAUSE: Duration = Duration::from_millis(250);
const HOUR: Duration = Duration::from_secs(3600);

/// A server that relies on events of the system: without polling, a missed event is not noticed.
fn watching(workspace: &Workspace) -> Server {
    Server::builder(workspace).options(json!({ "watch": "native" })).start()
}

/// An editor with `app.js` open, whose line 2 has the cost of the profile.
struct Session {
    workspace: Workspace,
    server: Server,
    uri: String,
}

impl Session {
    /// A session with the given `profile`, which has this number of `samples`.
    fn new(profile: &str, content: &[u8], samples: u64) -> Self {
        let workspace = Workspace::with([("app.js", APP_JS)]);
        workspace.write(profile, content);
        Self::start(workspace, samples)
    }

    fn start(workspace: Workspace, samples: u64) -> Self {
        let server = watching(&workspace);
        Self::with(workspace, server, samples)
    }

    fn with(workspace: Workspace, mut server: Server, samples: u64) -> Self {
        let uri = server.open_file(&workspace.path("app.js"), "javascript");
        let mut session = Self { workspace, server, uri };
        session.wait(samples);
        // The refreshes for the first costs are over.
        session.wait_refreshes(1);
        session
    }

    fn path(&self, path: &str) -> PathBuf {
        self.workspace.path(path)
    }

    /// The cost of line 2; `None` without a hint.
    fn samples(&mut self) -> Option<u64> {
        let costs = self.server.line_costs(&self.uri);
        assert!(costs.keys().all(|&line0| line0 == 1), "{costs:?}");
        costs.get(&1)?.0.as_u64()
    }

    fn wait(&mut self, samples: u64) {
        let (server, uri) = (&mut self.server, &self.uri);
        server.eventually(&format!("{samples} samples"), |server| {
            (server.line_costs(uri).get(&1)?.0 == samples).then_some(())
        });
    }

    /// Waits until the server has requested this number of refreshes of hints and of lenses.
    fn wait_refreshes(&mut self, n: usize) {
        let expected = Refreshes { inlay_hint: n, code_lens: n };
        self.server.eventually(&format!("{expected:?}"), |server| {
            (server.refreshes() == expected).then_some(())
        });
    }

    /// Expects that during `change` every answer is the old or the new one, and never old after
    /// new; that the last one is new, after exactly one swap; and that clients are notified of it
    /// exactly once.
    fn assert_one_swap(&mut self, samples: u64, change: impl FnOnce(&Workspace) + Send) {
        self.assert_swap(samples, change);
        assert_eq!(self.complaints(), [""; 0]);
    }

    /// The same, except that there may be complaints.
    fn assert_swap(&mut self, samples: u64, change: impl FnOnce(&Workspace) + Send) {
        let before = self.samples().unwrap();
        assert_ne!(before, samples);
        let (revision, refreshes) = (self.server.revision(), self.server.refreshes());
        let mut answers = vec![before];
        thread::scope(|scope| {
            let workspace = &self.workspace;
            let writer = scope.spawn(|| change(workspace));
            let (server, uri) = (&mut self.server, &self.uri);
            server.eventually(&format!("{samples} samples"), |server| {
                let costs = server.line_costs(uri);
                let hint = costs.get(&1).unwrap_or_else(|| server.fail("no costs for a moment"));
                let lens = server.lenses(uri);
                let now = hint.0.as_u64().unwrap();
                if answers.last() != Some(&now) {
                    answers.push(now);
                }
                assert_eq!(lens.len(), 1, "{lens:?}");
                (now == samples && writer.is_finished()).then_some(())
            });
            writer.join().unwrap();
        });
        self.server.during(A_WHILE, |_| ());
        assert_eq!(self.samples(), Some(samples));
        assert_eq!(answers, [before, samples]);
        assert_eq!(self.server.revision(), revision + 1);
        let now = self.server.refreshes();
        assert_eq!(
            (now.inlay_hint, now.code_lens),
            (refreshes.inlay_hint + 1, refreshes.code_lens + 1)
        );
    }

    /// Expects that `change` changes nothing, and is reported by one log message with the name of
    /// the file and a diagnostic on it.
    fn assert_kept(&mut self, profile: &str, change: impl FnOnce(&Workspace)) -> String {
        let before = self.samples().unwrap();
        let (revision, complaints) = (self.server.revision(), self.complaints().len());
        change(&self.workspace);
        let uri = self.workspace.uri(profile);
        let message = self.server.eventually("a diagnostic on the profile", |server| {
            Some(text(&server.diagnostics(&uri)?.first()?["message"]))
        });
        let (server, document) = (&mut self.server, &self.uri);
        server.during(A_WHILE, |server| assert_eq!(server.line_costs(document)[&1].0, before));
        assert_eq!(self.server.revision(), revision);
        let new = self.complaints().split_off(complaints);
        assert_eq!(new.len(), 1, "{new:?}");
        assert!(
            new[0].contains(profile) && new[0].contains("the previous costs are still shown"),
            "{new:?}"
        );
        assert_eq!(self.server.diagnostics(&uri).unwrap().len(), 1);
        message
    }

    /// Warnings and errors in the log.
    fn complaints(&mut self) -> Vec<String> {
        let logged = self.server.sent("window/logMessage");
        logged
            .iter()
            .filter(|message| message["type"].as_u64() < Some(3))
            .map(|message| text(&message["message"]))
            .collect()
    }
}

/// Writes `content` in place in small pieces over two seconds. Some follow each other at once;
/// before others the file looks settled.
fn write_in_pieces(path: &Path, content: &[u8]) {
    let mut file = OpenOptions::new().write(true).truncate(true).open(path).unwrap();
    for (piece, pause) in
        content.chunks(content.len().div_ceil(10)).zip([50, 350].into_iter().cycle())
    {
        file.write_all(piece).unwrap();
        thread::sleep(Duration::from_millis(pause));
    }
}

/// Makes `link` lead to `target` atomically.
#[cfg(unix)]
fn retarget(link: &Path, target: &Path) {
    let beside = link.with_extension("new");
    std::os::unix::fs::symlink(target, &beside).unwrap();
    fs::rename(beside, link).unwrap();
}

fn set_age(path: &Path, age: Duration) {
    let file = File::options().write(true).open(path).unwrap();
    file.set_modified(SystemTime::now() - age).unwrap();
}

#[cfg(unix)]
#[test]
fn a_rewrite_with_the_same_length_and_time_is_one_swap() {
    let mut session = Session::new("cpu.folded", folded(3).as_bytes(), 3);
    session.assert_one_swap(5, |workspace| {
        let modified = fs::metadata(workspace.path("cpu.folded")).unwrap().modified().unwrap();
        let path = workspace.write("cpu.folded", folded(5));
        File::options().write(true).open(path).unwrap().set_modified(modified).unwrap();
    });
}

#[test]
fn renaming_over_a_profile_is_one_swap() {
    let mut session = Session::new("a.cpuprofile", &cpuprofile(10), 10);
    session.assert_one_swap(20, |workspace| {
        drop(workspace.rename_over("a.cpuprofile", cpuprofile(20)));
    });
    session.assert_one_swap(30, |workspace| {
        drop(workspace.rename_over("a.cpuprofile", cpuprofile(30)));
    });
}

#[test]
fn rewriting_a_profile_at_once_is_one_swap() {
    let mut session = Session::new("a.cpuprofile", &cpuprofile(10), 10);
    session.assert_one_swap(20, |workspace| drop(workspace.write("a.cpuprofile", cpuprofile(20))));
}

#[test]
fn rewriting_a_profile_in_pieces_is_one_swap() {
    let mut session = Session::new("a.cpuprofile", &cpuprofile(10), 10);
    session.assert_one_swap(20, |workspace| {
        write_in_pieces(&workspace.path("a.cpuprofile"), &cpuprofile(20));
    });
}

#[test]
fn rewriting_a_compressed_profile_in_pieces_is_one_swap() {
    let mut session = Session::new("a.cpuprofile.gz", &gzip(&cpuprofile(10)), 10);
    session.assert_one_swap(20, |workspace| {
        write_in_pieces(&workspace.path("a.cpuprofile.gz"), &gzip(&cpuprofile(20)));
    });
}

#[test]
fn a_rewrite_with_a_long_pause_is_one_swap() {
    for compress in [<[u8]>::to_vec, gzip] {
        let mut session = Session::new("profile.json", &compress(&cpuprofile(10)), 10);
        session.assert_one_swap(20, |workspace| {
            let content = compress(&cpuprofile(20));
            let (first, second) = content.split_at(content.len() / 2);
            let mut file = File::create(workspace.path("profile.json")).unwrap();
            file.write_all(first).unwrap();
            thread::sleep(PAUSE);
            file.write_all(second).unwrap();
        });
    }
}

/// Only the end of writing tells that half of the lines are not all.
#[cfg(target_os = "linux")]
#[test]
fn a_profile_without_an_end_is_read_when_its_writer_closes_it() {
    let mut session = Session::new("a.folded", folded(10).as_bytes(), 10);
    let half = "work (app.js:2) 1\n".repeat(20);
    let mut file = File::create(session.path("a.folded")).unwrap();
    file.write_all(half.as_bytes()).unwrap();
    session.server.eventually("that the file is still being written", |server| {
        let says = |it: &Value| it["value"]["message"] == "still being written";
        server.progress().iter().any(says).then_some(())
    });
    assert_eq!(session.samples(), Some(10));
    file.write_all(half.as_bytes()).unwrap();
    drop(file);
    session.wait(40);
}

#[test]
fn deleting_and_creating_a_profile_is_one_swap() {
    let mut session = Session::new("a.cpuprofile", &cpuprofile(10), 10);
    session.assert_one_swap(20, |workspace| {
        workspace.remove("a.cpuprofile");
        workspace.write("a.cpuprofile", cpuprofile(20));
    });
    session.assert_one_swap(30, |workspace| {
        workspace.remove("a.cpuprofile");
        thread::sleep(PAUSE);
        workspace.write("a.cpuprofile", cpuprofile(30));
    });
}

#[test]
fn reads_a_profile_without_an_end_when_it_is_quiet() {
    let mut session = Session::new("a.folded", folded(10).as_bytes(), 10);
    session.assert_one_swap(20, |workspace| drop(workspace.rename_over("a.folded", folded(20))));
    session.assert_one_swap(30, |workspace| drop(workspace.write("a.folded", folded(30))));
    // Each piece consists of whole lines, so only time tells whether more follows.
    let content = "work (app.js:2) 1\n".repeat(40);
    session.assert_one_swap(40, move |workspace| {
        write_in_pieces(&workspace.path("a.folded"), content.as_bytes());
    });
    session.assert_swap(50, |workspace| drop(workspace.write("a.folded", folded(50).trim_end())));
    let complaints = session.complaints();
    let open_end = "line 1, the last one, has no newline; the file may be incomplete";
    assert!(matches!(&complaints[..], [one] if one.ends_with(open_end)), "{complaints:?}");
}

/// Each piece ends within a line, so that its number is a part of one.
#[test]
fn a_growing_profile_that_is_followed_has_the_costs_of_whole_lines() {
    let workspace = Workspace::with([("app.js", APP_JS)]);
    workspace.write("stacks.folded", folded(10));
    let options = json!({ "watch": "native", "follow": true });
    let server = Server::builder(&workspace).options(options).start();
    let mut session = Session::with(workspace, server, 10);
    let mut file = OpenOptions::new().append(true).open(session.path("stacks.folded")).unwrap();
    file.write_all(b"work (app.js:2) 1").unwrap();
    let mut seen = vec![10];
    while seen.len() < 4 {
        thread::sleep(Duration::from_millis(50));
        file.write_all(b"0\nwork (app.js:2) 1").unwrap();
        let samples = session.samples().unwrap();
        assert_eq!(samples % 10, 0, "after {seen:?}");
        if seen.last() != Some(&samples) {
            assert!(seen.last() < Some(&samples), "{samples} after {seen:?}");
            seen.push(samples);
        }
    }
    drop(file);
    let lines = fs::read_to_string(session.path("stacks.folded")).unwrap().lines().count() as u64;
    // The last line has the number 1, unless more was to come.
    session.wait(10 * (lines - 1) + 1);
}

#[test]
#[cfg(unix)]
fn any_change_of_a_profile_behind_a_symlink_is_one_swap() {
    let outside = Workspace::new();
    let (first, second) = (
        outside.write("real.cpuprofile", cpuprofile(10)),
        outside.write("other.cpuprofile", cpuprofile(40)),
    );
    let workspace = Workspace::with([("app.js", APP_JS)]);
    let link = workspace.path("a.cpuprofile");
    std::os::unix::fs::symlink(&first, &link).unwrap();
    let mut session = Session::start(workspace, 10);
    // The target changes, outside of the workspace.
    session.assert_one_swap(20, |_| drop(outside.rename_over("real.cpuprofile", cpuprofile(20))));
    session.assert_one_swap(30, |_| write_in_pieces(&first, &cpuprofile(30)));
    // The link gets another target.
    session.assert_one_swap(40, |_| retarget(&link, &second));
    session.assert_one_swap(50, |_| drop(outside.rename_over("other.cpuprofile", cpuprofile(50))));
    assert_eq!(session.server.shown().unwrap(), link.to_string_lossy());
}

/// The folder may exist again before the server has heard that it was removed.
#[test]
fn a_folder_that_is_removed_and_created_again_is_watched() {
    let mut session = Session::new("profiles/a.cpuprofile", &cpuprofile(10), 10);
    for samples in (20..=120).step_by(20) {
        fs::remove_dir_all(session.path("profiles")).unwrap();
        session.workspace.write("profiles/a.cpuprofile", cpuprofile(samples));
        session.wait(samples);
        // The scan after the load does not notice it.
        session.server.during(Duration::from_millis(300), |_| ());
        session.workspace.rename_over("profiles/a.cpuprofile", cpuprofile(samples + 10));
        session.wait(samples + 10);
    }
}

#[test]
fn polls_where_the_system_reports_no_events() {
    let workspace = Workspace::with([("app.js", APP_JS)]);
    workspace.write("a.cpuprofile", cpuprofile(10));
    let server = Server::builder(&workspace).options(json!({ "watch": "poll" })).start();
    let mut session = Session::with(workspace, server, 10);
    session.assert_one_swap(20, |workspace| {
        drop(workspace.rename_over("a.cpuprofile", cpuprofile(20)));
    });
}

#[test]
#[cfg(unix)]
fn reads_a_file_that_the_client_reports_at_once() {
    let outside = Workspace::new();
    outside.write("first/real.cpuprofile", cpuprofile(10));
    let second = outside.write("second/real.cpuprofile", cpuprofile(20));
    // A link to a link, which is in a folder that the server does not watch.
    let between = outside.path("between.cpuprofile");
    std::os::unix::fs::symlink(outside.path("first/real.cpuprofile"), &between).unwrap();
    let workspace = Workspace::with([("app.js", APP_JS)]);
    std::os::unix::fs::symlink(&between, workspace.path("a.cpuprofile")).unwrap();
    let mut session = Session::start(workspace, 10);
    // Wait for the first poll after the first load.
    session.server.during(Duration::from_secs(1), |_| ());
    retarget(&between, &second);
    let document = session.uri.clone();
    session.server.during(Duration::from_secs(1), |server| {
        assert_eq!(server.line_costs(&document)[&1].0, 10);
    });
    let changes = json!([{ "uri": session.workspace.uri("a.cpuprofile"), "type": 2 }]);
    session.server.notify("workspace/didChangeWatchedFiles", json!({ "changes": changes }));
    session.wait(20);
}

#[test]
fn clients_without_refresh_support_get_no_refreshes() {
    let workspace = Workspace::with([("app.js", APP_JS)]);
    workspace.write("a.cpuprofile", cpuprofile(10));
    for (hints, lenses) in [(false, false), (true, false), (false, true)] {
        workspace.write("a.cpuprofile", cpuprofile(10));
        let mut server = Server::builder(&workspace)
            .capability("/workspace/inlayHint", json!({ "refreshSupport": hints }))
            .capability("/workspace/codeLens", json!({ "refreshSupport": lenses }))
            .start();
        let uri = server.open_file(&workspace.path("app.js"), "javascript");
        server.wait_labels(&uri);
        workspace.rename_over("a.cpuprofile", cpuprofile(20));
        server.eventually("the new numbers", |server| {
            (server.line_costs(&uri)[&1].0 == 20).then_some(())
        });
        server.eventually("the supported refreshes", |server| {
            let refreshes = server.refreshes();
            (refreshes.inlay_hint == 2 * usize::from(hints)
                && refreshes.code_lens == 2 * usize::from(lenses))
            .then_some(())
        });
    }
}

#[test]
fn half_a_profile_keeps_the_old_costs_and_is_reported_once() {
    let mut session = Session::new("a.cpuprofile", &cpuprofile(10), 10);
    let content = cpuprofile(20);
    let message = session.assert_kept("a.cpuprofile", |workspace| {
        drop(workspace.write("a.cpuprofile", &content[..content.len() / 2]));
    });
    assert!(message.contains("a.cpuprofile"), "{message}");
    // The complete file is shown, and the diagnostic is removed.
    session.workspace.write("a.cpuprofile", &content);
    session.wait(20);
    let uri = session.workspace.uri("a.cpuprofile");
    session
        .server
        .eventually("no diagnostic", |server| server.diagnostics(&uri).filter(Vec::is_empty));
}

#[test]
fn half_a_compressed_profile_keeps_the_old_costs_and_is_reported_once() {
    let mut session = Session::new("a.cpuprofile.gz", &gzip(&cpuprofile(10)), 10);
    let content = gzip(&cpuprofile(20));
    session.assert_kept("a.cpuprofile.gz", |workspace| {
        drop(workspace.rename_over("a.cpuprofile.gz", &content[..content.len() / 2]));
    });
}

#[test]
fn garbage_keeps_the_old_costs_and_is_reported_once() {
    let mut session = Session::new("a.cpuprofile", &cpuprofile(10), 10);
    session.assert_kept("a.cpuprofile", |workspace| {
        drop(workspace.write("a.cpuprofile", "\u{0}\u{1}garbage\u{fffd}".repeat(99)));
    });
    // Other garbage is another rewrite and reported again.
    session.assert_kept("a.cpuprofile", |workspace| {
        drop(workspace.write("a.cpuprofile", "{\"nodes\": 7}"));
    });
    session.workspace.rename_over("a.cpuprofile", cpuprofile(20));
    session.wait(20);
}

#[test]
fn an_empty_file_keeps_the_old_costs_and_is_reported_once() {
    for (profile, content) in
        [("a.cpuprofile", cpuprofile(10)), ("a.folded", folded(10).into_bytes())]
    {
        let mut session = Session::new(profile, &content, 10);
        session.assert_kept(profile, |workspace| drop(workspace.write(profile, "")));
    }
}

#[test]
fn a_deleted_profile_keeps_the_old_costs_and_is_reported_once() {
    let mut session = Session::new("a.cpuprofile", &cpuprofile(10), 10);
    let revision = session.server.revision();
    session.workspace.remove("a.cpuprofile");
    session.server.eventually("the profile is marked", |server| {
        (server.profiles()["active"]["deleted"] == true).then_some(())
    });
    let reports = |server: &mut Server| {
        server
            .messages()
            .into_iter()
            .filter(|message| message.contains("a.cpuprofile"))
            .collect::<Vec<_>>()
    };
    session.server.eventually("a report", |server| (reports(server).len() == 1).then_some(()));
    let uri = session.uri.clone();
    session.server.during(A_WHILE, |server| assert_eq!(server.line_costs(&uri)[&1].0, 10));
    assert_eq!(reports(&mut session.server).len(), 1);
    assert!(session.server.line_hover(&uri, 1).unwrap().contains("deleted"));
    assert_eq!(session.server.revision(), revision);

    session.workspace.write("b.cpuprofile", cpuprofile(20));
    session.wait(20);
    assert_eq!(session.server.profiles()["active"]["deleted"], false);
}

#[test]
fn shows_a_profile_that_is_created_later() {
    let workspace = Workspace::with([("app.js", APP_JS)]);
    let mut server = watching(&workspace);
    let uri = server.open_file(&workspace.path("app.js"), "javascript");
    server.during(Duration::from_millis(500), |server| {
        assert_eq!(server.hints(&uri), [Value::Null; 0]);
    });
    // Also in a folder that did not exist.
    workspace.write("profiles/today/a.cpuprofile", cpuprofile(10));
    server
        .eventually("the costs", |server| (server.line_costs(&uri).get(&1)?.0 == 10).then_some(()));
    server.eventually("one refresh", |server| (server.refreshes().inlay_hint == 1).then_some(()));
}

#[test]
fn the_newest_profile_wins() {
    let workspace = Workspace::with([("app.js", APP_JS)]);
    for (name, hits, age) in [("a", 10, 3), ("b", 20, 1), ("c", 30, 2)] {
        set_age(&workspace.write(&format!("{name}.cpuprofile"), cpuprofile(hits)), age * HOUR);
    }
    let mut session = Session::start(workspace, 20);
    // An older one that is added later does not.
    set_age(&session.workspace.write("d.cpuprofile.part", cpuprofile(40)), 5 * HOUR);
    fs::rename(session.path("d.cpuprofile.part"), session.path("d.cpuprofile")).unwrap();
    session.server.eventually("it is found", |server| {
        (server.profiles()["profiles"].as_array()?.len() == 4).then_some(())
    });
    assert_eq!(session.samples(), Some(20));
    session.assert_one_swap(50, |workspace| drop(workspace.write("e.cpuprofile", cpuprofile(50))));
    let listed: Vec<_> = session.server.profiles()["profiles"]
        .as_array()
        .unwrap()
        .iter()
        .map(|profile| (text(&profile["path"]), profile["active"].clone()))
        .collect();
    let expected = ["e", "b", "c", "a", "d"].map(|name| {
        (
            session.path(&format!("{name}.cpuprofile")).to_string_lossy().into_owned(),
            json!(name == "e"),
        )
    });
    assert_eq!(listed, expected);
}

#[test]
fn skips_and_reports_a_newer_broken_profile() {
    let content = cpuprofile(20);
    let half = &content[..content.len() / 2];
    let mut session = Session::new("a.cpuprofile", &cpuprofile(10), 10);
    let message = session
        .assert_kept("b.cpuprofile", |workspace| drop(workspace.write("b.cpuprofile", half)));
    assert!(message.contains("b.cpuprofile"), "{message}");
    let listed = session.server.profiles()["profiles"].clone();
    assert_eq!((&listed[0]["problem"], &listed[1]["problem"]), (&json!(message), &Value::Null));
    // The shown one still follows rewrites.
    session.workspace.rename_over("a.cpuprofile", cpuprofile(30));
    session.wait(30);

    // Broken at the start: the next newest is shown.
    let workspace = Workspace::with([("app.js", APP_JS)]);
    set_age(&workspace.write("a.cpuprofile", cpuprofile(10)), HOUR);
    workspace.write("b.cpuprofile", half);
    let mut session = Session::start(workspace, 10);
    assert_eq!(session.complaints().len(), 1);
}

#[test]
fn skips_and_names_a_file_of_another_profiler() {
    let mut session = Session::new("a.cpuprofile", &cpuprofile(10), 10);
    session.workspace.write("b.prof", "heap_v2/524288\n  t*: 1: 512 [0: 0]\n");
    let uri = session.workspace.uri("b.prof");
    let message = session.server.eventually("a diagnostic", |server| {
        Some(text(&server.diagnostics(&uri)?.first()?["message"]))
    });
    assert!(
        message.contains("a heap profile of jemalloc in text")
            && message.contains("`jeprof --collapsed PROGRAM "),
        "{message}"
    );
    let document = session.uri.clone();
    session.server.during(A_WHILE, |server| assert_eq!(server.line_costs(&document)[&1].0, 10));
    assert_eq!(session.complaints(), [format!("costline: {message}")]);
    assert_eq!(session.server.profiles()["profiles"].as_array().unwrap().len(), 1);
    // If it is selected, it is read again, and fails with the same message.
    let path = session.path("b.prof");
    let error = session.server.execute_error("costline.selectProfile", json!([path]));
    assert!(error.contains(&message), "{error}");
    // The diagnostic is removed with the file.
    fs::remove_file(path).unwrap();
    session
        .server
        .eventually("no diagnostic", |server| server.diagnostics(&uri)?.is_empty().then_some(()));
}

#[test]
fn skips_other_files_silently() {
    let mut session = Session::new("a.cpuprofile", &cpuprofile(10), 10);
    session.workspace.write("profile.json", "{\"name\": \"a package\", \"version\": [1]}");
    session.workspace.write("profile-2.json", "");
    session.workspace.write("profiles/notes.md", "# Notes\n\nNone.\n");
    let uri = session.uri.clone();
    session.server.during(A_WHILE, |server| assert_eq!(server.line_costs(&uri)[&1].0, 10));
    assert_eq!(
        (session.complaints(), session.server.profiles()["profiles"].as_array().unwrap().len()),
        (vec![], 1)
    );
}

#[test]
fn a_selection_survives_rewrites_and_newer_profiles() {
    let workspace = Workspace::with([("app.js", APP_JS)]);
    set_age(&workspace.write("a.cpuprofile", cpuprofile(10)), HOUR);
    workspace.write("b.cpuprofile", cpuprofile(20));
    let mut session = Session::start(workspace, 20);

    let answer = session.server.execute("costline.selectProfile", json!(["a.cpuprofile"]));
    assert_eq!(answer["active"]["path"], json!(session.path("a.cpuprofile")));
    assert_eq!(answer["active"]["picked"], true);
    // It is shown when the command returns.
    assert_eq!(session.samples(), Some(10));
    session.wait_refreshes(2);

    session.assert_one_swap(30, |workspace| {
        drop(workspace.rename_over("a.cpuprofile", cpuprofile(30)));
    });
    session.workspace.rename_over("b.cpuprofile", cpuprofile(40));
    session.workspace.write("c.cpuprofile", cpuprofile(50));
    session.server.eventually("the newer one is found", |server| {
        (server.profiles()["profiles"].as_array()?.len() == 3).then_some(())
    });
    let uri = session.uri.clone();
    session
        .server
        .during(Duration::from_secs(1), |server| assert_eq!(server.line_costs(&uri)[&1].0, 30));
    // It stays selected while the file is missing.
    session.workspace.remove("a.cpuprofile");
    session.server.eventually("it is marked", |server| {
        (server.profiles()["active"]["deleted"] == true).then_some(())
    });
    assert_eq!(session.samples(), Some(30));
    session.workspace.write("a.cpuprofile", cpuprofile(60));
    session.wait(60);

    // Without a selection, the newest is shown again.
    session.workspace.rename_over("c.cpuprofile", cpuprofile(70));
    let answer = session.server.execute("costline.selectProfile", json!([null]));
    assert_eq!(answer["active"]["path"], json!(session.path("c.cpuprofile")));
    assert_eq!(session.samples(), Some(70));
}

#[test]
fn a_profile_that_was_shown_before_has_the_same_costs_and_is_watched() {
    let workspace = Workspace::with([("app.js", APP_JS)]);
    workspace.write("a.cpuprofile", cpuprofile(10));
    workspace.write("b.cpuprofile", cpuprofile(20));
    set_age(&workspace.path("a.cpuprofile"), HOUR);
    let mut session = Session::start(workspace, 20);
    for (name, samples) in [("a", 10), ("b", 20), ("a", 10)] {
        let profile = format!("{name}.cpuprofile");
        let answer = session.server.execute("costline.selectProfile", json!([profile]));
        assert_eq!(answer["active"]["picked"], true);
        assert_eq!(session.samples(), Some(samples), "{profile}");
    }
    // It is rewritten while another one is shown.
    session.workspace.write("b.cpuprofile", cpuprofile(30));
    session.server.execute("costline.selectProfile", json!(["b.cpuprofile"]));
    assert_eq!(session.samples(), Some(30));
    // The setting selects profiles in memory too.
    session.server.configure(json!({ "profile": "a.cpuprofile", "evictAfterMinutes": 0 }));
    session.wait(10);
}

#[test]
fn the_setting_profile_selects_one_too() {
    let workspace = Workspace::with([("app.js", APP_JS)]);
    set_age(&workspace.write("recorded/old.bin", cpuprofile(10)), HOUR);
    workspace.write("b.cpuprofile", cpuprofile(20));
    let server = Server::builder(&workspace)
        .options(json!({ "profile": "recorded/old.bin", "watch": "native" }))
        .start();
    let mut session = Session::with(workspace, server, 10);
    session.assert_one_swap(30, |workspace| {
        drop(workspace.rename_over("recorded/old.bin", cpuprofile(30)));
    });
    // Without it, the newest of the globs, although it is older than the selected one.
    session.server.configure(json!({ "watch": "native" }));
    session.wait(20);
}

#[test]
fn reload_reads_the_shown_profile_again() {
    let mut session = Session::new("a.cpuprofile", &cpuprofile(10), 10);
    let revision = session.server.revision();
    let answer = session.server.execute("costline.reload", json!([]));
    assert_eq!(
        (&answer["revision"], &answer["active"]["total"]),
        (&json!(revision + 1), &json!(10))
    );
}

#[test]
fn a_view_change_during_a_broken_rewrite_takes_effect_when_the_file_is_whole() {
    // A change of settings while a rewrite is pending must not be lost.
    let mut session = Session::new("a.cpuprofile", &timed_cpuprofile(10), 4500);
    let content = timed_cpuprofile(20);
    session.workspace.write("a.cpuprofile", &content[..content.len() / 2]);
    session.server.configure(json!({ "metric": "hits" }));
    let uri = session.workspace.uri("a.cpuprofile");
    session.server.eventually("the half is given up", |server| {
        server.diagnostics(&uri).filter(|found| !found.is_empty())
    });
    session.server.eventually("the other metric", |server| {
        (server.profiles()["active"]["metric"] == "hits").then_some(())
    });
}
