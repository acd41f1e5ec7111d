//! Settings take effect at once, however the client sends them. Invalid ones give one warning.

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::cases::Case;
use crate::support::profiles::{APP_JS, cpuprofile, six_samples, timed_cpuprofile};
use crate::support::requests::{costs, text};
use crate::support::{Refreshes, Server, Workspace, six};

#[test]
fn thresholds_take_effect_at_once_with_a_refresh() {
    let workspace = six_samples();
    let (mut server, uri) = six(&workspace);
    assert_eq!((server.line_costs(&uri).len(), server.lenses(&uri).len()), (9, 3));
    let first = Refreshes { inlay_hint: 1, code_lens: 1 };
    server.eventually("the first refreshes", |server| (server.refreshes() == first).then_some(()));

    server.configure(json!({ "hints": { "minPercent": 40 }, "lenses": { "minPercent": 60 } }));
    server.wait_costs(&uri, &costs([(12, 0, 3)]));
    assert_eq!(server.lenses(&uri).len(), 1);
    let second = Refreshes { inlay_hint: 2, code_lens: 2 };
    server.eventually("other refreshes", |server| (server.refreshes() == second).then_some(()));

    // A removed setting has its default again.
    server.configure(json!({ "lenses": { "minPercent": 60 } }));
    server.eventually("all hints", |server| (server.line_costs(&uri).len() == 9).then_some(()));
    assert_eq!(server.lenses(&uri).len(), 1);
}

#[test]
fn each_surface_can_be_disabled_and_enabled() {
    let workspace = six_samples();
    let (mut server, uri) = six(&workspace);
    let mut shown = |settings: Value, expected: [bool; 3]| {
        server.configure(settings);
        server.eventually(&format!("{expected:?}"), |server| {
            let shown = [
                !server.hints(&uri).is_empty(),
                !server.lenses(&uri).is_empty(),
                server.line_hover(&uri, 9).is_some(),
            ];
            (shown == expected).then_some(())
        });
    };
    shown(json!({ "hints": { "enable": false } }), [false, true, true]);
    shown(json!({ "lenses": { "enable": false } }), [true, false, true]);
    shown(json!({ "hover": { "enable": false } }), [true, true, false]);
    shown(json!({}), [true, true, true]);
}

#[test]
fn the_metric_applies_to_every_surface() {
    let workspace = Workspace::with([("app.js", APP_JS)]);
    workspace.write("a.cpuprofile", timed_cpuprofile(10));
    let mut server = Server::start(&workspace);
    let uri = server.open_file(&workspace.path("app.js"), "javascript");
    // V8 records no time by line, so the time of a function is divided by hits.
    assert_eq!(server.wait_labels(&uri)[&1], "self 100.0% est.");
    let metric = |server: &mut Server| text(&server.lenses(&uri)[0]["data"]["metric"]);
    assert_eq!(
        (metric(&mut server), server.profiles()["active"]["unit"].clone()),
        ("time".to_owned(), json!("us"))
    );

    assert_eq!(server.root_item("work")["data"]["total"], 4500);

    server.configure(json!({ "metric": "hits" }));
    server.eventually("hits", |server| (metric(server) == "hits").then_some(()));
    let active = server.profiles()["active"].clone();
    assert_eq!(
        (&active["metric"], &active["unit"], &active["total"]),
        (&json!("hits"), &json!("hits"), &json!(10))
    );
    assert_eq!(server.root_item("work")["data"]["total"], 10);
    assert_eq!(server.wait_labels(&uri)[&1], "self 100.0%");

    server.configure(json!({ "metric": "furlongs" }));
    server.eventually("the default", |server| (metric(server) == "time").then_some(()));
    let warnings = server.warnings();
    assert!(
        warnings.len() == 1
            && warnings[0].contains("furlongs")
            && warnings[0].contains("`hits`, `time`"),
        "{warnings:?}"
    );
    // The setting is kept for the next profile, and the warning repeated.
    workspace.rename_over("a.cpuprofile", timed_cpuprofile(20));
    server.eventually("the next profile", |server| {
        (server.line_costs(&uri).get(&1)?.0 == 9500).then_some(())
    });
}

#[test]
fn selects_threads_by_name_or_glob() {
    let case = Case::rust();
    let mut server = Server::start(&case.workspace);
    server.wait_profile();
    let threads = case.expected["threads"].as_array().unwrap();
    assert!(threads.len() > 1, "{threads:?}");
    // The names there are `process/thread`.
    let name_of =
        |thread: &Value| text(&thread["name"]).rsplit('/').next().unwrap_or_default().to_owned();
    let total_of = |names: &dyn Fn(&str) -> bool| {
        let chosen = threads.iter().filter(|thread| names(&name_of(thread)));
        chosen.map(|thread| thread["total"].as_f64().unwrap()).sum::<f64>()
    };
    let mut wait_total = |threads: Value, total: f64| {
        server.configure(json!({ "threads": threads }));
        server.eventually(&format!("{total} with {threads}"), |server| {
            (server.profiles()["active"]["total"].as_f64()? == total).then_some(())
        });
    };
    let all = total_of(&|_| true);
    for thread in threads {
        let name = name_of(thread);
        wait_total(json!([name]), total_of(&|other| other == name));
    }
    wait_total(json!(["count*"]), total_of(&|name| name.starts_with("count")));
    wait_total(json!([]), all);
    wait_total(json!(["no such thread"]), all);
    server.eventually("a warning", |server| {
        server.warnings().iter().any(|warning| warning.contains("no such thread")).then_some(())
    });
}

#[test]
fn path_mappings_and_excluded_files_take_effect_at_once() {
    let workspace = Workspace::with([
        ("code/app.py", "f()\n"),
        ("cpu.folded", "f (/usr/lib/old/app.py:1) 3\n"),
    ]);
    let mut server = Server::start(&workspace);
    let uri = server.open_file(&workspace.path("code/app.py"), "python");
    server.wait_profile();
    assert!(server.hints(&uri).is_empty());

    server.configure(
        json!({ "pathMappings": [{ "from": "/usr/lib", "to": "elsewhere" }, { "from": "/usr/lib/old", "to": "code" }] }),
    );
    server.wait_costs(&uri, &costs([(1, 3, 3)]));
    server.configure(json!({ "pathMappings": [{ "from": "/usr/lib/old", "to": "code" }], "exclude": ["code/**"] }));
    server.wait_costs(&uri, &costs([]));
    server.configure(
        json!({ "pathMappings": [{ "from": "/usr/lib/old", "to": workspace.path("code") }] }),
    );
    server.wait_costs(&uri, &costs([(1, 3, 3)]));
    server.configure(json!({}));
    server.wait_costs(&uri, &costs([]));
    server.configure(
        json!({ "pathMappings": [{ "from": "/usr/lib/old", "to": "${workspaceFolder}/code" }] }),
    );
    server.wait_costs(&uri, &costs([(1, 3, 3)]));
}

#[test]
fn searches_source_roots() {
    let library = Workspace::with([("json/decoder.py", "f()\n")]);
    let workspace = Workspace::with([("cpu.folded", "f (/usr/lib/python3/json/decoder.py:1) 3\n")]);
    let mut server = Server::start(&workspace);
    let uri = server.open_file(&library.path("json/decoder.py"), "python");
    server.wait_profile();
    assert!(server.hints(&uri).is_empty());
    server.configure(json!({ "sourceRoots": [library.root()] }));
    server.wait_costs(&uri, &costs([(1, 3, 3)]));
}

#[test]
fn the_globs_of_profiles_can_be_changed() {
    let workspace = six_samples();
    std::fs::rename(workspace.path("cpu.folded"), workspace.path("results.txt")).unwrap();
    let mut server = Server::start(&workspace);
    let uri = server.open_file(&workspace.path("app.py"), "python");
    assert_eq!(server.profiles()["profiles"], json!([]));
    server.configure(json!({ "profiles": ["res*.txt"] }));
    server.wait_labels(&uri);
}

#[test]
fn paths_and_globs_may_begin_with_variables_or_be_absolute() {
    let workspace = Workspace::with([
        ("code/app.py", "f()\n"),
        ("out/new.txt", "f (code/app.py:1) 3\n"),
        ("out/old.txt", "f (code/app.py:1) 2\n"),
    ]);
    let root = workspace.root().display().to_string();
    let mut server = Server::start(&workspace);
    let uri = server.open_file(&workspace.path("code/app.py"), "python");
    let beginnings = [String::new(), "./".to_owned(), "${workspaceFolder}/".to_owned(), root + "/"];
    for beginning in beginnings {
        let path = |path: &str| format!("{beginning}{path}");
        server.configure(json!({ "profiles": [path("out/n*.txt")] }));
        server.wait_costs(&uri, &costs([(1, 3, 3)]));
        server.configure(json!({ "profile": path("out/old.txt") }));
        server.wait_costs(&uri, &costs([(1, 2, 2)]));
        server.configure(json!({ "profile": path("out/old.txt"), "exclude": [path("code/**")] }));
        server.wait_costs(&uri, &costs([]));
    }
}

#[test]
fn rejects_large_profiles_and_names_the_limit() {
    let workspace = Workspace::with([("app.js", APP_JS)]);
    workspace.write("a.cpuprofile", cpuprofile(10));
    let mut server =
        Server::builder(&workspace).options(json!({ "maxProfileBytes": 1000 })).start();
    let profile = workspace.uri("a.cpuprofile");
    let problem = server.eventually("a diagnostic", |server| {
        Some(text(&server.diagnostics(&profile)?.first()?["message"]))
    });
    assert!(problem.contains("maxProfileBytes") && problem.contains("1000"), "{problem}");
}

#[test]
fn requests_the_settings_of_the_client() {
    let workspace = six_samples();
    let mut server =
        Server::builder(&workspace).settings(json!({ "hints": { "minPercent": 40 } })).start();
    let uri = server.open_file(&workspace.path("app.py"), "python");
    server.wait_costs(&uri, &costs([(12, 0, 3)]));
    assert_eq!(
        server.sent("workspace/configuration"),
        [json!({ "items": [{ "section": "costline" }] })]
    );

    // Such a client notifies only that something changed.
    for settings in [Value::Null, json!({})] {
        server.set_settings(json!({ "hints": { "minPercent": 0 } }));
        server.notify("workspace/didChangeConfiguration", json!({ "settings": settings }));
        server.eventually("all hints", |server| (server.line_costs(&uri).len() == 9).then_some(()));
        server.set_settings(json!({ "hints": { "minPercent": 40 } }));
        server.notify("workspace/didChangeConfiguration", json!({ "settings": settings }));
        server.wait_costs(&uri, &costs([(12, 0, 3)]));
    }
    // No settings at all: the defaults.
    server.set_settings(Value::Null);
    server.notify("workspace/didChangeConfiguration", json!({ "settings": null }));
    server.eventually("all hints", |server| (server.line_costs(&uri).len() == 9).then_some(()));
}

#[test]
fn a_client_without_settings_keeps_its_initialization_options() {
    let workspace = six_samples();
    let mut server = Server::builder(&workspace)
        .options(json!({ "hints": { "minPercent": 40 } }))
        .settings(Value::Null)
        .start();
    let uri = server.open_file(&workspace.path("app.py"), "python");
    server.wait_costs(&uri, &costs([(12, 0, 3)]));
    // Eglot sends this after each `initialized`.
    server.notify("workspace/didChangeConfiguration", json!({ "settings": {} }));
    server.eventually("the second request", |server| {
        (server.sent("workspace/configuration").len() == 2).then_some(())
    });
    server.during(Duration::from_millis(200), |server| {
        assert_eq!(server.line_costs(&uri), costs([(12, 0, 3)]));
    });
}

/// Eglot sends every server the settings of all servers.
#[test]
fn settings_of_other_servers_change_nothing() {
    let workspace = six_samples();
    for pulls in [false, true] {
        let mut server = Server::builder(&workspace)
            .options(json!({ "hints": { "minPercent": 40 } }))
            .settings(Value::Null)
            .capability("/workspace/configuration", json!(pulls))
            .start();
        let uri = server.open_file(&workspace.path("app.py"), "python");
        server.wait_costs(&uri, &costs([(12, 0, 3)]));
        let notify = |server: &mut Server, settings: Value| {
            server.notify("workspace/didChangeConfiguration", json!({ "settings": settings }));
        };
        notify(&mut server, json!({ "pylsp": { "hints": { "minPercent": 0 } } }));
        server.during(Duration::from_millis(200), |server| {
            assert_eq!(server.line_costs(&uri), costs([(12, 0, 3)]));
        });
        assert_eq!(server.warnings(), [""; 0]);
        // Without the section: one of the keys is a setting.
        for settings in [
            json!({ "pylsp": {}, "costline": { "hints": { "minPercent": 0 } } }),
            json!({ "hints": { "minPercent": 0 } }),
        ] {
            notify(&mut server, settings);
            server.eventually("all", |server| (server.line_costs(&uri).len() == 9).then_some(()));
            notify(&mut server, json!({ "costline": { "hints": { "minPercent": 40 } } }));
            server.wait_costs(&uri, &costs([(12, 0, 3)]));
        }
        assert_eq!(server.warnings(), [""; 0]);
    }
}

/// What the client announces is of all folders; the section may be of one.
#[test]
fn requested_settings_replace_announced_ones() {
    let workspace = six_samples();
    let mut server = Server::builder(&workspace).settings(json!({ "unit": "absolute" })).start();
    let uri = server.open_file(&workspace.path("app.py"), "python");
    server.wait_labels(&uri);
    server.set_settings(json!({ "hints": { "minPercent": 40 } }));
    let announced = json!({ "settings": { "costline": { "unit": "both" } } });
    server.notify("workspace/didChangeConfiguration", announced);
    server.wait_costs(&uri, &costs([(12, 0, 3)]));
}

#[test]
fn an_answer_that_is_older_than_the_settings_is_ignored() {
    let workspace = six_samples();
    let mut server = Server::builder(&workspace).hold("workspace/configuration").start();
    let uri = server.open_file(&workspace.path("app.py"), "python");
    let (old, _) = server.wait_server_request("workspace/configuration");
    server.notify("workspace/didChangeConfiguration", json!({ "settings": null }));
    let (new, _) = server.wait_server_request("workspace/configuration");
    server.reply(new, json!([{ "hints": { "minPercent": 40 } }]));
    server.wait_costs(&uri, &costs([(12, 0, 3)]));
    server.reply(old, json!([{ "hints": { "minPercent": 0 } }]));
    server.during(Duration::from_millis(200), |server| {
        assert_eq!(server.line_costs(&uri), costs([(12, 0, 3)]));
    });
}

#[test]
fn registers_for_changed_settings() {
    let workspace = six_samples();
    for registers in [true, false] {
        let pointer = "/workspace/didChangeConfiguration/dynamicRegistration";
        let mut server = Server::builder(&workspace).capability(pointer, json!(registers)).start();
        server.wait_profile();
        let is_own = |it: &Value| it["method"] == "workspace/didChangeConfiguration";
        let watched = server.eventually("the watched files", |server| {
            Some(server.registrations()).filter(|all| all.iter().any(|it| !is_own(it)))
        });
        let sections: Vec<_> = watched.iter().filter(|it| is_own(it)).collect();
        if registers {
            server.eventually("the section", |server| {
                let mut all = server.registrations().into_iter();
                all.any(|it| is_own(&it) && it["registerOptions"]["section"] == "costline")
                    .then_some(())
            });
        } else {
            assert!(sections.is_empty(), "{sections:?}");
        }
    }
}

/// A busy editor.
#[test]
fn settings_that_come_late_are_applied_and_without_an_answer_nothing_changes() {
    let workspace = six_samples();
    let mut server = Server::builder(&workspace)
        .options(json!({ "hints": { "minPercent": 40 } }))
        .hold("workspace/configuration")
        .start();
    let uri = server.open_file(&workspace.path("app.py"), "python");
    server.wait_costs(&uri, &costs([(12, 0, 3)]));
    let (late, _) = server.wait_server_request("workspace/configuration");
    server.notify("workspace/didChangeConfiguration", json!({ "settings": null }));
    let (refused, _) = server.wait_server_request("workspace/configuration");
    server.reply_error(refused, -32603, "busy");
    server.during(Duration::from_millis(200), |server| {
        assert_eq!(server.line_costs(&uri), costs([(12, 0, 3)]));
    });
    server.reply(late, json!([{ "hints": { "minPercent": 0 } }]));
    server.eventually("all hints", |server| (server.line_costs(&uri).len() == 9).then_some(()));
}

#[test]
fn works_without_a_response_to_the_request_of_settings() {
    let workspace = six_samples();
    let mut server = Server::builder(&workspace).hold("workspace/configuration").start();
    let uri = server.open_file(&workspace.path("app.py"), "python");
    server.wait_labels(&uri);
    let (id, _) = server.wait_server_request("workspace/configuration");
    server.reply_error(id, -32603, "too late");
}

#[test]
fn an_invalid_setting_is_one_warning_with_its_key_and_the_rest_applies() {
    let workspace = six_samples();
    let settings =
        json!({ "hints": { "minPercent": 40, "colour": "red" }, "metric": 7, "nonsense": true });
    let assert_warned = |server: &mut Server| {
        let uri = server.open_file(&workspace.path("app.py"), "python");
        server.wait_costs(&uri, &costs([(12, 0, 3)]));
        let warnings = server.eventually("three warnings", |server| {
            Some(server.warnings()).filter(|warnings| warnings.len() >= 3)
        });
        let keys: Vec<_> =
            warnings.iter().map(|warning| warning.split('`').nth(1).unwrap_or_default()).collect();
        assert_eq!(keys, ["costline.hints.colour", "costline.metric", "costline.nonsense"]);
    };
    let mut server = Server::builder(&workspace).options(settings.clone()).start();
    assert_warned(&mut server);
    let mut server = Server::builder(&workspace).settings(settings.clone()).start();
    assert_warned(&mut server);
    let mut server = Server::start(&workspace);
    server.configure(settings);
    assert_warned(&mut server);
}

#[test]
fn the_client_watches_the_globs_of_the_setting_profiles() {
    let workspace = six_samples();
    let mut server = Server::start(&workspace);
    let uri = server.open_file(&workspace.path("app.py"), "python");
    server.wait_labels(&uri);
    let watched = |server: &mut Server| -> Vec<String> {
        let registrations = server.registrations();
        let mut globs =
            registrations.iter().filter(|it| it["registerOptions"]["section"].is_null());
        let (Some(registration), None) = (globs.next(), globs.next()) else {
            return Vec::new();
        };
        assert_eq!(registration["method"], "workspace/didChangeWatchedFiles");
        let watchers = registration["registerOptions"]["watchers"].as_array().unwrap();
        watchers.iter().map(|watcher| text(&watcher["globPattern"])).collect()
    };
    let usual = server.eventually("a registration", |server| {
        Some(watched(server)).filter(|globs| !globs.is_empty())
    });
    for glob in ["**/perf.data", "**/*.perf", "**/cachegrind.out.*.{gz,zst}", "**/profiles/*"] {
        assert!(usual.iter().any(|other| other == glob), "{glob}: {usual:?}");
    }

    server.configure(json!({ "profiles": ["out/*.txt"] }));
    let wait = |server: &mut Server, expected: &[String]| {
        server.eventually(&format!("{expected:?}"), |server| {
            (watched(server) == expected).then_some(())
        });
    };
    let chosen = ["**/out/*.txt", "**/*.procrep", "**/*.contour", "**/*.syms.json", "**/*.info"];
    wait(&mut server, &chosen.map(str::to_owned));
    server.configure(json!({}));
    wait(&mut server, &usual);
}

#[test]
fn a_profile_setting_without_a_file_is_shown_once() {
    let workspace = six_samples();
    let options = json!({ "profile": "out/missing.json" });
    // The client does not show the health of the view itself.
    let builder = Server::builder(&workspace).options(options);
    let mut server = builder.capability("/experimental", Value::Null).start();
    let path = workspace.root().join("out/missing.json");
    let message = format!("Costline: costline.profile: {} does not exist", path.display());
    let shown = |server: &mut Server| {
        let messages = server.sent("window/showMessage");
        messages.iter().filter(|params| params["message"] == message.as_str()).count()
    };
    server.eventually("the message", |server| (shown(server) == 1).then_some(()));
    server.execute("costline.reload", json!([]));
    assert_eq!(shown(&mut server), 1);
    server.configure(json!({ "profile": "cpu.folded" }));
    server.wait_profile();
    assert_eq!(shown(&mut server), 1);
}

/// Also if the client sends the same options again, and with several workspace folders.
#[test]
fn a_problem_with_settings_is_logged_once() {
    let workspaces = [six_samples(), six_samples()];
    let folders: Vec<_> =
        workspaces.iter().map(|it| json!({ "uri": it.root_uri(), "name": "folder" })).collect();
    let options = json!({ "colour": 1, "sourceRoots": ["/no/such/folder"] });
    let mut server = Server::builder(&workspaces[0])
        .param("workspaceFolders", json!(folders))
        .options(options.clone())
        .start();
    server.wait_profile();
    let count = |server: &mut Server, part: &str| {
        server.warnings().iter().filter(|warning| warning.contains(part)).count()
    };
    server.eventually("both", |server| {
        (count(server, "colour") > 0 && count(server, "/no/such/folder") > 0).then_some(())
    });
    let mut options = options;
    options["unit"] = json!("absolute");
    server.configure(options);
    let uri = server.open_file(&workspaces[1].path("app.py"), "python");
    server.eventually("the new unit", |server| {
        server.labels(&uri).get(&12).is_some_and(|label| label.contains("sample")).then_some(())
    });
    assert_eq!((count(&mut server, "colour"), count(&mut server, "/no/such/folder")), (1, 1));
}
