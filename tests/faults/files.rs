//! Files and folders that change at the worst moments, and systems that do not report it.

use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, SystemTime};

use serde_json::json;

use crate::limits::{faketime, limited, limited_under, works};
use crate::random::Random;
use crate::support::profiles::{APP_JS, cpuprofile, folded, gzip};
use crate::support::{Server, Workspace};
use crate::trace::Trace;

/// How often the profile is rewritten.
const N_REWRITES: u64 = 2000;

fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

/// Waits until line 2 has this many samples.
fn wait(server: &mut Server, uri: &str, samples: u64) {
    server.eventually(&format!("{samples} samples"), |server| {
        (server.line_costs(uri).get(&1)?.0 == samples).then_some(())
    });
}

/// The number of samples of line 2, which always has a hint.
fn samples(server: &mut Server, uri: &str) -> u64 {
    let costs = server.line_costs(uri);
    let cost = costs.get(&1).unwrap_or_else(|| server.fail("no costs for a moment"));
    cost.0.as_u64().unwrap()
}

/// Rewrites a profile in one of the ways in which profilers do.
fn rewrite(workspace: &Workspace, content: &[u8], random: &mut Random) {
    let path = workspace.path("cpu.cpuprofile");
    match random.below(8) {
        0 => drop(workspace.rename_over("cpu.cpuprofile", content)),
        1 => {
            fs::remove_file(&path).unwrap();
            fs::write(&path, content).unwrap();
        }
        2 => {
            // Over the old content, which may be longer.
            let mut file = OpenOptions::new().write(true).open(&path).unwrap();
            file.write_all(content).unwrap();
            file.set_len(content.len() as u64).unwrap();
        }
        _ => {
            let mut file = File::create(&path).unwrap();
            let mut rest = content;
            while !rest.is_empty() {
                let (piece, after) = rest.split_at(rest.len().min(1 + random.below(rest.len())));
                file.write_all(piece).unwrap();
                rest = after;
                if random.below(4) == 0 {
                    thread::sleep(ms(random.below(3) as u64));
                }
            }
        }
    }
}

/// No answer has the costs of half a file, or of a version before the last answer, and there is
/// always one.
#[test]
fn a_profile_that_is_rewritten_thousands_of_times_is_never_shown_in_parts() {
    let workspace = Workspace::with([("app.js", APP_JS)]);
    workspace.write("cpu.cpuprofile", cpuprofile(1));
    let mut server = limited(&workspace).start();
    let uri = server.open_file(&workspace.path("app.js"), "javascript");
    wait(&mut server, &uri, 1);
    let n_swaps = thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let mut random = Random::new(17);
            for version in 2..=N_REWRITES {
                let content = cpuprofile(version);
                let content = if random.below(3) == 0 { gzip(&content) } else { content };
                rewrite(&workspace, &content, &mut random);
                // Now and then it settles.
                let pause = if random.below(60) == 0 { 400 } else { random.below(3) as u64 };
                thread::sleep(ms(pause));
            }
        });
        let (mut last, mut n_swaps) = (1, 0);
        while !writer.is_finished() {
            let now = samples(&mut server, &uri);
            assert!((last..=N_REWRITES).contains(&now), "{now} after {last}");
            assert_eq!(server.lenses(&uri).len(), 1);
            n_swaps += u32::from(now > last);
            last = now;
        }
        n_swaps
    });
    assert!(n_swaps > 3, "{n_swaps} versions were shown");
    wait(&mut server, &uri, N_REWRITES);
}

#[test]
fn a_watched_folder_that_is_removed_and_made_again_is_watched_again() {
    let workspace = Workspace::with([("app.js", APP_JS)]);
    workspace.write("profiles/cpu.cpuprofile", cpuprofile(1));
    // Without polling, a lost watch is never noticed.
    let mut server = limited(&workspace).options(json!({ "watch": "native" })).start();
    let uri = server.open_file(&workspace.path("app.js"), "javascript");
    wait(&mut server, &uri, 1);
    for version in 2..6 {
        fs::remove_dir_all(workspace.path("profiles")).unwrap();
        if version % 2 == 0 {
            // The server sees the state without the folder.
            server.eventually("the profile is gone", |server| {
                (server.profiles()["active"]["deleted"] == true).then_some(())
            });
        }
        workspace.write("profiles/cpu.cpuprofile", cpuprofile(version));
        wait(&mut server, &uri, version);
    }
    // A moved folder is another one.
    fs::rename(workspace.path("profiles"), workspace.path("old")).unwrap();
    workspace.write("profiles/cpu.cpuprofile", cpuprofile(6));
    wait(&mut server, &uri, 6);
    assert_eq!(samples(&mut server, &uri), 6);
}

#[test]
fn without_inotify_changes_are_found_by_polling_and_health_says_so() {
    if !works(&["strace", "--version"]) {
        return;
    }
    let limits = ["inotify_init1:error=EMFILE", "inotify_add_watch:error=ENOSPC"];
    for limit in limits {
        let workspace = Workspace::with([("app.js", APP_JS)]);
        // A file that was just written is looked at again without polling.
        let profile = workspace.write("cpu.cpuprofile", cpuprofile(3));
        let an_hour_ago = SystemTime::now() - Duration::from_secs(3600);
        File::options().write(true).open(profile).unwrap().set_modified(an_hour_ago).unwrap();
        let call = limit.split(':').next().unwrap();
        let (trace, inject) = (format!("trace={call}"), format!("inject={limit}"));
        let strace = ["strace", "-f", "-qq", "--seccomp-bpf", "-o", "/dev/null"];
        let options = ["-e", &trace, "-e", &inject];
        let mut server = limited_under(&workspace, &[&strace[..], &options].concat()).start();
        let uri = server.open_file(&workspace.path("app.js"), "javascript");
        wait(&mut server, &uri, 3);
        workspace.write("cpu.cpuprofile", cpuprofile(5));
        wait(&mut server, &uri, 5);
        let view = server.view();
        let entry = view["health"].as_array().unwrap().iter().find(|it| it["code"] == "polling");
        let message = entry.unwrap_or_else(|| server.fail(limit))["message"].to_string();
        assert!(message.contains("cannot be watched"), "{message}");
    }
}

/// The clock of the system is set while the server runs: years ahead and back.
#[test]
fn jumps_of_the_clock_change_nothing() {
    let Some(library) = faketime() else { return };
    let workspace = Workspace::with([("app.js", APP_JS)]);
    let clock = Workspace::new();
    let set = |offset: &str| clock.rename_over("offset", format!("{offset}\n"));
    set("+0d");
    workspace.write("cpu.cpuprofile", cpuprofile(1));
    let variables = [
        ("LD_PRELOAD", library.to_str().unwrap()),
        ("FAKETIME_TIMESTAMP_FILE", clock.path("offset").to_str().unwrap()),
        ("FAKETIME_NO_CACHE", "1"),
        // Only the clock that can be set. Files have the real time.
        ("FAKETIME_DONT_FAKE_MONOTONIC", "1"),
        ("NO_FAKE_STAT", "1"),
    ]
    .map(|(name, value)| format!("{name}={value}"));
    let under: Vec<_> = ["env"].into_iter().chain(variables.iter().map(String::as_str)).collect();
    let mut server = limited_under(&workspace, &under).start();
    let uri = server.open_file(&workspace.path("app.js"), "javascript");
    wait(&mut server, &uri, 1);
    for (offset, version) in (2..).zip(["+4000d", "-4000d", "-18000d", "+0d"]).map(|(a, b)| (b, a))
    {
        set(offset);
        workspace.write("cpu.cpuprofile", cpuprofile(version));
        wait(&mut server, &uri, version);
        let reloaded = server.execute("costline.reload", json!([]));
        assert_eq!(reloaded["active"]["total"], version);
        assert!(server.line_hover(&uri, 1).is_some());
    }
}

/// The folders for caches and state, and that of exports, are on a disk without space.
#[test]
fn a_full_disk_costs_what_would_be_written_and_nothing_else() {
    let mount = "mount -t tmpfs -o size=64k tmpfs \"$FULL\" && \
                 { head -c 1000000 /dev/zero >\"$FULL/filler\" || true; } 2>/dev/null; \
                 exec \"$0\" \"$@\"";
    let unshare = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", mount];
    let folder = Workspace::new();
    let full = format!("FULL={}", folder.root().display());
    let under = [&["env", &full][..], &unshare].concat();
    if !works(&[&under[..], &["true"]].concat()) {
        return;
    }
    let workspace = Workspace::with([("app.js", APP_JS)]);
    workspace.write("cpu.folded", folded(7));
    let state = folder.path("state").to_str().unwrap().to_owned();
    let mut server = limited_under(&workspace, &under)
        .env("COSTLINE_CACHE_DIR", folder.path("cache").to_str().unwrap())
        .env("COSTLINE_STATE_DIR", &state)
        .options(json!({ "baseline": "previous" }))
        .start();
    let uri = server.open_file(&workspace.path("app.js"), "javascript");
    wait(&mut server, &uri, 7);
    for (name, overwrite) in [("new.folded", false), ("filler", true)] {
        let path = folder.path(name);
        let export = json!([{ "format": "folded", "path": path, "overwrite": overwrite }]);
        let error = server.execute_error("costline.export", export);
        assert!(error.contains("No space left on device"), "{name}: {error}");
    }
    // Nothing is left of the export, so that it can be tried again.
    let export = json!([{ "format": "folded", "path": folder.path("new.folded") }]);
    let error = server.execute_error("costline.export", export);
    assert!(error.contains("No space left on device"), "{error}");
    server.set_view(json!({ "unit": "both" }));
    workspace.write("cpu.folded", folded(9));
    wait(&mut server, &uri, 9);
}

/// All stages of a load judge the same bytes, even of a file that is being saved.
#[test]
fn a_load_opens_each_source_once() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/profiles");
    for (profile, extension) in [
        ("v8/node-mdrender/main.cpuprofile", ".js"),
        ("samply/rust-wordstat/profile.json.gz", ".rs"),
        ("v8/ts-matrix/ts.cpuprofile", ".ts"),
        ("pprof/go-indexer-cpu/cpu.pb.gz", ".go"),
    ] {
        let profile = fixtures.join(profile);
        assert!(profile.is_file(), "{}", profile.display());
        let Some(trace) = Trace::new() else { return };
        let mut command = trace.command();
        let mut annotate = Command::new(command.next().unwrap());
        annotate.args(command).arg(env!("CARGO_BIN_EXE_costline")).arg("annotate").arg(&profile);
        annotate.env("COSTLINE_CACHE_DIR", "").env("COSTLINE_STATE_DIR", "");
        let output = annotate.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let mut opened = trace.opened();
        opened.retain(|path| path.to_string_lossy().ends_with(extension));
        let n = opened.len();
        assert!(n > 0, "{}", profile.display());
        opened.sort();
        opened.dedup();
        assert_eq!(opened.len(), n, "a file was opened again: {opened:?}");
    }
}
