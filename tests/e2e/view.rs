//! Commands change the view: at once, on every surface, by name, and until the setting of the same
//! name changes.

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::cases::Case;
use crate::support::profiles::{APP_JS, SIX_SAMPLES, six_samples, timed_cpuprofile};
use crate::support::requests::{costs, text};
use crate::support::{Refreshes, Server, Workspace, set_age, six};

/// The choice with this key; `Null` without one.
fn choice(view: &Value, key: &str) -> Value {
    let choices = view["choices"].as_array().unwrap();
    choices.iter().find(|choice| choice["key"] == key).cloned().unwrap_or_default()
}

fn keys(view: &Value) -> Vec<String> {
    view["choices"].as_array().unwrap().iter().map(|choice| text(&choice["key"])).collect()
}

/// `value label description` of each option, with a star for the selected ones.
fn options(choice: &Value) -> Vec<String> {
    let option = |option: &Value| {
        let star = if option["active"] == true { "*" } else { "" };
        format!(
            "{star}{} {} {}",
            option["value"],
            text(&option["label"]),
            option["description"].as_str().unwrap_or_default()
        )
    };
    choice["options"].as_array().into_iter().flatten().map(option).collect()
}

fn titles(view: &Value) -> Vec<String> {
    view["actions"].as_array().unwrap().iter().map(|action| text(&action["title"])).collect()
}

#[test]
fn a_cut_file_is_marked() {
    // The first frame of the second sample is complete.
    let perf = "\
        app 7 100.000000: 10 cycles:\n\t3 hash (app)\n\t1 main (app)\n\n\
        app 7 100.001000: 20 cycles:\n\t3 hash (app)\n\t1 ma";
    let workspace = Workspace::with([("perf.txt", perf)]);
    let mut server = Server::start(&workspace);
    server.wait_profile();
    let view = server.view();
    assert_eq!((&view["totalText"], &view["marks"]), (&json!("30 cycles"), &json!(["cut"])));
    assert_eq!(view["summary"], "cycles · cut");
    // The total has the name of the metric.
    assert_eq!(view["status"], "30 cycles · cut");
}

#[test]
fn a_view_describes_what_is_shown_and_lists_the_available_choices() {
    let workspace = six_samples();
    let (mut server, _) = six(&workspace);
    let view = server.view();
    assert_eq!(
        (&view["metric"], &view["unit"], &view["total"]),
        (&json!("samples"), &json!("samples"), &json!(6))
    );
    assert_eq!(view["totalText"], "6 samples");
    assert_eq!(
        (&view["revision"], &view["loading"], &view["transforms"]),
        (&json!(1), &json!(false), &json!([]))
    );
    let modified = server.profiles()["active"]["modified"].clone();
    let path = workspace.path("cpu.folded");
    let facts = json!({ "path": path, "name": "cpu.folded", "format": "folded", "modified": modified, "deleted": false, "picked": false, "truncated": null });
    assert_eq!(view["profile"], facts);
    // There is one profile, one metric and one thread, without JavaScript and inlining.
    assert_eq!(keys(&view), ["unit", "show", "baseline"]);
    assert_eq!(
        options(&choice(&view, "unit")),
        [
            "*\"percent\" Percent share of the total",
            "\"absolute\" Absolute time, bytes or samples",
            "\"both\" Both percent and absolute"
        ]
    );
    assert_eq!(titles(&view), ["Reload the profile", "Flame graph in the browser"]);
}

#[test]
fn a_view_without_a_profile_has_few_choices() {
    let workspace = Workspace::with([("app.py", "f()\n")]);
    let mut server = Server::start(&workspace);
    let view = server.set_view(json!({ "metric": "cpu", "unit": "both" }));
    assert_eq!(
        (&view["profile"], &view["metric"], &view["total"]),
        (&Value::Null, &Value::Null, &Value::Null)
    );
    assert_eq!(
        (keys(&view), titles(&view)),
        (vec!["unit".to_owned(), "show".to_owned()], vec!["Reset to the settings".to_owned()])
    );
    assert!(
        server
            .execute_error("costline.pushTransform", json!(["focus-function:f"]))
            .contains("no profile is loaded")
    );
}

#[test]
fn changing_labels_does_not_recompute_costs() {
    let workspace = six_samples();
    let (mut server, uri) = six(&workspace);
    let label = |server: &mut Server, line: u64| server.labels(&uri)[&(line - 1)].clone();
    assert_eq!(
        (label(&mut server, 12), label(&mut server, 13)),
        ("50.0%".to_owned(), "16.7%".to_owned())
    );
    let first = Refreshes { inlay_hint: 1, code_lens: 1 };
    server.eventually("the first refreshes", |server| (server.refreshes() == first).then_some(()));

    let view = server.set_view(json!({ "unit": "absolute" }));
    assert_eq!(
        (&choice(&view, "unit")["value"], &view["revision"]),
        (&json!("absolute"), &json!(2))
    );
    assert_eq!(
        (label(&mut server, 12), label(&mut server, 13)),
        ("3 samples".to_owned(), "1 sample".to_owned())
    );
    server.eventually("a refresh", |server| {
        (server.refreshes() == Refreshes { inlay_hint: 2, code_lens: 2 }).then_some(())
    });

    let view = server.set_view(json!({ "unit": "both", "show": "both" }));
    assert_eq!((&choice(&view, "show")["value"], &view["revision"]), (&json!("both"), &json!(3)));
    assert_eq!(label(&mut server, 13), "16.7% (1 sample) · self 16.7% (1 sample)");
    // Setting the same value does nothing.
    assert_eq!(server.set_view(json!({ "unit": "both" }))["revision"], 3);

    let action = view["actions"].as_array().unwrap().last().unwrap().clone();
    assert_eq!(action["title"], "Reset to the settings");
    let view = server.execute(&text(&action["command"]), action["arguments"].clone());
    assert_eq!(
        (label(&mut server, 13), titles(&view)),
        (
            "16.7%".to_owned(),
            vec!["Reload the profile".to_owned(), "Flame graph in the browser".to_owned()]
        )
    );
}

#[test]
fn an_override_survives_rewrites_and_other_settings_until_its_setting_changes() {
    let workspace = Workspace::with([("app.js", APP_JS)]);
    workspace.write("a.cpuprofile", timed_cpuprofile(10));
    let mut server = Server::start(&workspace);
    let uri = server.open_file(&workspace.path("app.js"), "javascript");
    server.wait_labels(&uri);
    assert_eq!(options(&choice(&server.view(), "metric")), ["\"hits\" hits ", "*\"time\" time us"]);

    let view = server.set_view(json!({ "metric": "hits" }));
    assert_eq!(
        (&view["metric"], &view["unit"], &view["total"]),
        (&json!("hits"), &json!("hits"), &json!(10))
    );
    assert_eq!(options(&choice(&view, "metric")), ["*\"hits\" hits ", "\"time\" time us"]);
    assert_eq!(server.root_item("work")["data"]["total"], 10);

    let wait = |server: &mut Server, metric: &str, total: u64| {
        server.eventually(&format!("{metric} {total}"), |server| {
            let view = server.view();
            (view["metric"] == metric && view["total"] == total).then_some(())
        });
    };
    workspace.rename_over("a.cpuprofile", timed_cpuprofile(20));
    wait(&mut server, "hits", 20);
    server.configure(json!({ "hints": { "minPercent": 2 } }));
    server.configure(json!({ "hints": { "minPercent": 2 }, "unit": "both" }));
    server.eventually("the setting", |server| {
        (choice(&server.view(), "unit")["value"] == "both").then_some(())
    });
    wait(&mut server, "hits", 20);
    // It applies to another profile, too.
    workspace.write("b.cpuprofile", timed_cpuprofile(30));
    wait(&mut server, "hits", 30);

    server.configure(json!({ "metric": "time" }));
    wait(&mut server, "time", 14500);
    assert_eq!(server.set_view(json!({ "metric": "hits" }))["total"], 30);
    assert_eq!(server.set_view(json!({ "metric": null }))["total"], 14500);
    assert_eq!(server.warnings(), [""; 0]);
}

#[test]
fn selects_profiles_like_other_choices() {
    let workspace = six_samples();
    let old = workspace.write("runs/profiles/old.folded", "main (app.py:10) 7\n");
    set_age(&old, Duration::from_secs(3600));
    let (mut server, _) = six(&workspace);
    server.execute("costline.selectProfile", json!(["cpu.folded"]));
    let view = server.view();
    let profiles = choice(&view, "profile");
    assert_eq!(profiles["value"], json!(workspace.path("cpu.folded")));
    let row = |option: &Value| {
        (text(&option["label"]), option["active"].clone(), option["detail"].clone())
    };
    let mut rows: Vec<_> = profiles["options"].as_array().unwrap().iter().map(row).collect();
    rows.sort_by(|a, b| a.0.cmp(&b.0));
    let expected = [
        ("cpu.folded".to_owned(), json!(true), Value::Null),
        ("old.folded".to_owned(), json!(false), json!("runs/profiles")),
    ];
    assert_eq!(rows, expected);
    let described = |server: &mut Server| {
        let view = server.view();
        let options = choice(&view, "profile")["options"].as_array().unwrap().clone();
        options.iter().map(|option| text(&option["description"])).collect::<Vec<_>>()
    };
    let has_age = |text: &str| text.contains("folded stacks, written ") && text.ends_with(" ago");
    let texts = described(&mut server);
    assert!(texts.iter().all(|text| has_age(text)), "{texts:?}");
    // The total of the other one is known once it was read for that.
    let begins = |texts: &[String], start: &str| texts.iter().any(|text| text.starts_with(start));
    assert!(begins(&texts, "6 samples · ") && begins(&texts, "folded stacks"), "{texts:?}");
    let listed = server.execute("costline.profiles", json!([{ "totals": true }]));
    let mut totals: Vec<_> =
        listed["profiles"].as_array().unwrap().iter().map(|it| text(&it["totalText"])).collect();
    totals.sort();
    assert_eq!(totals, ["6 samples", "7 samples"]);
    let texts = described(&mut server);
    assert!(begins(&texts, "6 samples · ") && begins(&texts, "7 samples · "), "{texts:?}");

    let old = profiles["options"]
        .as_array()
        .unwrap()
        .iter()
        .find(|option| option["active"] == false)
        .unwrap()["value"]
        .clone();
    let view =
        server.set_view(json!({ "profile": old, "unit": "absolute", "inlines": "callSite" }));
    assert_eq!(
        (&view["profile"]["path"], &view["profile"]["picked"], &view["total"]),
        (&old, &json!(true), &json!(7))
    );
    assert_eq!(choice(&view, "unit")["value"], "absolute");
    assert!(titles(&view).contains(&"Show the newest profile".to_owned()), "{view}");
    assert_eq!(server.set_view(json!({ "profile": null }))["profile"]["picked"], false);
}

#[test]
fn selects_threads_by_name() {
    let case = Case::rust();
    let mut server = Server::start(&case.workspace);
    server.wait_profile();
    let threads = choice(&server.view(), "threads");
    assert_eq!((&threads["multiple"], &threads["value"]), (&json!(true), &json!([])));
    // They have 0, 291, 1198 and 1983 of 3472 samples.
    let mut rows = options(&threads);
    rows.sort();
    assert_eq!(
        rows,
        [
            "*\"counter-0\" counter-0 34.5%",
            "*\"counter-1\" counter-1 57.1%",
            "*\"samply\" samply 0.0%",
            "*\"wordstat\" wordstat 8.4%"
        ]
    );

    let view = server.set_view(json!({ "threads": ["counter-0"] }));
    assert_eq!(
        (&view["total"], &choice(&view, "threads")["value"]),
        (&json!(1198), &json!(["counter-0"]))
    );
    assert_eq!(
        options(&choice(&view, "threads")).iter().filter(|row| row.starts_with('*')).count(),
        1
    );
    assert_eq!(server.set_view(json!({ "threads": ["count*"] }))["total"], 3181);
    // Selecting all threads means all of the next recording as well.
    let view =
        server.set_view(json!({ "threads": ["wordstat", "counter-0", "counter-1", "samply"] }));
    assert_eq!((&view["total"], &choice(&view, "threads")["value"]), (&json!(3472), &json!([])));
}

#[test]
fn selects_samples_by_label() {
    let case = Case::new("pprof/go-labels");
    let mut server = Server::start(&case.workspace);
    server.wait_profile();
    let labels = choice(&server.view(), "labels");
    assert_eq!((&labels["multiple"], &labels["value"]), (&json!(true), &json!([])));
    // The sums of `go tool pprof -tags`, of 5.31 s.
    let mut rows = options(&labels);
    rows.sort();
    let [cart, search] = ["endpoint=/cart", "endpoint=/search"];
    let [acme, globex] = ["tenant=acme", "tenant=globex"];
    let shares = [(cart, "20.9%"), (search, "58.4%"), (acme, "59.7%"), (globex, "11.9%")];
    assert_eq!(rows, shares.map(|(label, share)| format!("{label:?} {label} {share}")));

    let view = server.set_view(json!({ "labels": [acme] }));
    assert_eq!((&view["total"], &view["marks"]), (&json!(3_170_000_000_u64), &json!([acme])));
    let chosen = options(&choice(&view, "labels"));
    assert_eq!(chosen.iter().filter(|row| row.starts_with('*')).count(), 1, "{chosen:?}");
    // The other labels can still be chosen.
    assert!(chosen.contains(&format!("{globex:?} {globex} 11.9%")), "{chosen:?}");
    let view = server.set_view(json!({ "labels": ["tenant=~^g", search] }));
    assert_eq!(view["total"], 630_000_000);
    let chosen = options(&choice(&view, "labels"));
    assert_eq!(chosen[0], "*\"tenant=~^g\" tenant=~^g ");
    let wrong = json!([{ "labels": ["tenant=acm"] }]);
    let error = server.execute_error("costline.setView", wrong);
    assert!(error.contains("fits `tenant=acm` (did you mean `acme`?)"), "{error}");

    let view = server.set_view(json!({ "reset": ["labels"] }));
    let mut split = view["actions"].as_array().unwrap().iter();
    let split = split.find(|action| text(&action["title"]).ends_with("by label endpoint"));
    let view = server.set_view(split.unwrap()["arguments"][0].clone());
    assert_eq!(view["marks"], json!(["by label: endpoint"]));
}

#[test]
fn hovers_say_which_label_most_of_a_cost_has() {
    let case = Case::new("pprof/go-labels");
    let mut server = Server::start(&case.workspace);
    server.wait_profile();
    let path = case.workspace.path("main.go");
    let source = std::fs::read_to_string(&path).unwrap();
    let uri = server.open_file(&path, "go");
    // `found = search(…)`: 3.10 s, all for /search, 2.47 s of it for acme.
    let mut lines = (0..).zip(source.lines());
    let (line0, line) = lines.find(|(_, line)| line.contains("found = search(")).unwrap();
    let hover = server.hover(&uri, line0, line.len() as u64).unwrap();
    assert!(hover.contains("100.0% is endpoint=/search, 79.7% is tenant=acme"), "{hover}");
}

#[test]
fn selects_threads_of_one_name_by_id() {
    let case = Case::new("firefox/web-sudoku");
    let mut server = Server::start(&case.workspace);
    server.wait_profile();
    let view = server.view();
    let threads = choice(&view, "threads");
    let threads = threads["options"].as_array().unwrap();
    assert!(
        threads.len() == 4 && threads.iter().all(|thread| thread["label"] == "GeckoMain"),
        "{threads:?}"
    );
    let all = view["total"].as_f64().unwrap();
    let mut sum = 0.0;
    for thread in threads {
        let total =
            server.set_view(json!({ "threads": [thread["value"]] }))["total"].as_f64().unwrap();
        assert_eq!(text(&thread["description"]), format!("{:.1}%", 100.0 * total / all));
        sum += total;
    }
    assert_eq!(sum, all);
    let details: Vec<_> = threads.iter().map(|thread| text(&thread["detail"])).collect();
    assert!(
        details.iter().any(|detail| detail.starts_with("process file:// Content · pid ")),
        "{details:?}"
    );
}

#[test]
fn metrics_and_threads_of_a_real_recording() {
    let case = Workspace::new();
    let fixture = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../fixtures/profiles/perf-data/c-threads-events/perf.data");
    case.copy(&fixture, "perf.data");
    let mut server = Server::start(&case);
    server.wait_profile();
    let view = server.view();
    assert_eq!(keys(&view)[..2], ["metric", "threads"]);
    assert_eq!(
        options(&choice(&view, "metric")),
        ["*\"cpu-clock\" cpu-clock ns", "\"page-faults\" page-faults "]
    );
    let threads =
        ["*\"threads\" threads 35.7%", "*\"worker\" worker 35.7%", "*\"child\" child 28.6%"];
    assert_eq!(options(&choice(&view, "threads")), threads);
    let faults = server.set_view(json!({ "metric": "page-faults" }));
    assert_eq!(
        (&faults["metric"], &faults["unit"]),
        (&json!("page-faults"), &json!("page-faults"))
    );
    assert_ne!(options(&choice(&faults, "threads")), threads, "shares are of the metric shown");
    assert_eq!(server.set_view(json!({ "metric": "ns" }))["metric"], "cpu-clock");
}

#[test]
fn offers_code_and_inlining_if_the_profile_has_them() {
    for (case, key, choose) in [
        ("firefox/web-sudoku", "implementation", "js"),
        ("firefox/rust-wordstat-v70", "inlines", "callSite"),
    ] {
        let case = Case::new(case);
        let mut server = Server::start(&case.workspace);
        server.wait_profile();
        let lines = |server: &mut Server| {
            server.execute("costline.hotspots", json!([{ "by": "line", "limit": 100 }]))
        };
        let before = lines(&mut server);
        let view = server.set_view(json!({ (key): choose }));
        assert_eq!(choice(&view, key)["value"], choose);
        let chosen = lines(&mut server);
        assert_ne!(chosen, before);
        // The setting has the same effect.
        server.set_view(json!({ (key): null }));
        assert_eq!(lines(&mut server), before);
        server.configure(json!({ (key): choose }));
        server.eventually("the same by the setting", |server| {
            (lines(server) == chosen).then_some(())
        });
    }
}

#[test]
fn pushes_and_pops_transforms() {
    let workspace = six_samples();
    let (mut server, app) = six(&workspace);
    let lib = server.open_file(&workspace.path("lib.py"), "python");
    let all = server.line_costs(&app);

    // Three samples do not contain `eval`: one each in hash, parse and main.
    let view = server.execute("costline.pushTransform", json!(["drop-function:eval"]));
    assert_eq!(view["total"], 3);
    assert_eq!(server.line_costs(&app), costs([(10, 0, 2), (13, 1, 1), (22, 0, 1), (23, 1, 1)]));
    assert_eq!(server.line_costs(&lib), costs([(5, 1, 1)]));
    assert_eq!(server.labels(&app)[&9], "66.7%");

    let focus = json!({ "type": "focus-function", "function": "hash" });
    let view = server.execute("costline.pushTransform", json!([focus]));
    assert_eq!((&view["total"], server.line_costs(&app)), (&json!(1), costs([])));
    assert_eq!(
        (server.line_costs(&lib), server.root_item("hash")["data"]["total"].clone()),
        (costs([(5, 1, 1)]), json!(1))
    );
    assert_eq!(
        view["transforms"],
        json!([
            { "text": "drop-function:eval", "transform": { "type": "drop-function", "function": "eval" } },
            { "text": "focus-function:hash", "transform": focus },
        ])
    );
    assert_eq!(
        titles(&view),
        [
            "Reload the profile",
            "Flame graph in the browser",
            "Remove focus-function:hash",
            "Remove all transforms"
        ]
    );

    let error = server.execute_error("costline.pushTransform", json!(["merge-node:main>hsh"]));
    assert_eq!(error, "no function is called `hsh` (did you mean `hash`?)");
    for (argument, part) in [
        (json!(["focus:hash"]), "no transform is called `focus`, expected one of merge-function"),
        (json!([{ "type": "focus-function" }]), "`focus-function` needs \"function\""),
        (json!(["collapse-resource:libx"]), "no library is called `libx`"),
        (json!([]), "costline.pushTransform"),
        (json!([7]), "costline.pushTransform"),
    ] {
        let error = server.execute_error("costline.pushTransform", argument);
        assert!(error.contains(part), "{error}");
    }
    assert_eq!(server.view()["transforms"], view["transforms"]);

    let view = server.execute("costline.popTransform", json!([]));
    assert_eq!((&view["total"], view["transforms"].as_array().unwrap().len()), (&json!(3), 1));
    server.execute("costline.pushTransform", json!([focus]));
    let view = server.execute("costline.clearTransforms", json!([]));
    assert_eq!(
        (&view["total"], &view["transforms"], server.line_costs(&app)),
        (&json!(6), &json!([]), all)
    );
    let revision = view["revision"].clone();
    assert_eq!(
        server.execute("costline.popTransform", json!([]))["revision"],
        revision,
        "there is none"
    );
}

#[test]
fn transforms_survive_rewrites_and_warn_if_a_profile_lacks_a_function() {
    let workspace = six_samples();
    let (mut server, _) = six(&workspace);
    server.execute("costline.pushTransform", json!(["drop-function:eval"]));
    workspace.rename_over("cpu.folded", SIX_SAMPLES.repeat(2));
    server.eventually("twice as much", |server| (server.view()["total"] == 6).then_some(()));
    server.configure(json!({ "metric": "samples", "unit": "both" }));
    server.eventually("the settings", |server| {
        (choice(&server.view(), "unit")["value"] == "both").then_some(())
    });
    assert_eq!((server.view()["total"].clone(), server.warnings()), (json!(6), vec![]));

    workspace.rename_over("cpu.folded", "main (app.py:10) 5\n");
    server.eventually("all of it", |server| (server.view()["total"] == 5).then_some(()));
    assert_eq!(server.view()["transforms"][0]["text"], "drop-function:eval");
    // One warning per profile.
    server.execute("costline.pushTransform", json!(["focus-function:main"]));
    let warnings = server.warnings();
    assert!(
        warnings.len() == 1
            && warnings[0].ends_with("no function is called `eval` (there is only `main`); `drop-function:eval` is ignored"),
        "{warnings:?}"
    );
}

#[test]
fn an_invalid_choice_is_an_error_with_the_valid_ones_and_changes_nothing() {
    let workspace = six_samples();
    let (mut server, uri) = six(&workspace);
    let before = server.view();
    for (values, parts) in [
        (
            json!({ "unit": "both", "colour": 1 }),
            vec![
                "unknown key `colour`",
                "`view`, `profile`, `profiles`, `baseline`, `transforms`",
                "`show`",
            ],
        ),
        (
            json!({ "unit": "furlongs" }),
            vec!["`unit`", "furlongs", "`percent`, `absolute`, `both`"],
        ),
        (json!({ "show": "some" }), vec!["`show`", "`total`, `self`, `both`"]),
        (json!({ "threads": 1 }), vec!["`threads`", "a list"]),
        (
            json!({ "unit": "both", "metric": "furlongs" }),
            vec!["no metric is called `furlongs`", "samples"],
        ),
        (json!({ "threads": ["no such thread"] }), vec!["no thread", "no such thread"]),
        (json!({ "implementation": "js" }), vec!["JavaScript", "all"]),
        (json!({ "profile": 7 }), vec!["profile"]),
        (json!({ "unit": "both", "profile": "gone.folded" }), vec!["gone.folded", "No such file"]),
        (json!([1]), vec!["costline.setView", "an object", "a list"]),
        (Value::Null, vec!["costline.setView", "an object"]),
    ] {
        let error = server.execute_error("costline.setView", json!([values]));
        for part in parts {
            assert!(error.contains(part), "{values}: {error}");
        }
    }
    assert_eq!(server.view(), before);
    assert_eq!(server.labels(&uri)[&11], "50.0%");
}

#[test]
fn notifies_clients_that_support_it_of_each_change() {
    let workspace = six_samples();
    let (mut server, _) = six(&workspace);
    let wait = |server: &mut Server, what: &str, matches: &dyn Fn(&Value) -> bool| {
        server.eventually(what, |server| {
            server
                .sent("costline/changed")
                .pop()
                .filter(|last| matches(last) && last["loading"] == false)
        })
    };
    wait(&mut server, "the profile", &|now| {
        now["profile"]["name"] == "cpu.folded" && now["total"] == 6
    });
    server.set_view(json!({ "unit": "both" }));
    wait(&mut server, "other labels", &|now| now["revision"] == 2);
    server.execute("costline.pushTransform", json!(["drop-function:eval"]));
    wait(&mut server, "a transform", &|now| now["revision"] == 3 && now["total"] == 3);
    server.execute("costline.selectProfile", json!(["cpu.folded"]));
    wait(&mut server, "a pick", &|now| now["profile"]["picked"] == true);
    workspace.rename_over("cpu.folded", SIX_SAMPLES.repeat(2));
    wait(&mut server, "a rewrite", &|now| now["revision"] == 4 && now["total"] == 6);
    workspace.remove("cpu.folded");
    let last = wait(&mut server, "its end", &|now| now["profile"]["deleted"] == true);

    let mut view = server.view();
    let only_in_view = [
        "resolving",
        "choices",
        "view",
        "range",
        "search",
        "transforms",
        "node",
        "actions",
        "hotSpots",
    ];
    for key in only_in_view {
        assert!(view.as_object_mut().unwrap().remove(key).is_some());
    }
    assert_eq!(last, view);
    let all = server.sent("costline/changed");
    assert!(all.windows(2).all(|two| two[0] != two[1]), "{all:#?}");
    assert!(
        all.windows(2).all(|two| two[0]["revision"].as_u64() <= two[1]["revision"].as_u64()),
        "{all:#?}"
    );
    // Begin and end of three loads and of a transform, the state with the transform, a change of
    // labels, a selection and a deletion.
    assert!(all.len() <= 10, "{all:#?}");
}

/// The file is deleted first, so that a change that reads it would fail.
#[test]
fn a_hundred_changes_cause_one_refresh_each_and_read_nothing() {
    let workspace = six_samples();
    let (mut server, uri) = six(&workspace);
    server.eventually("the first refreshes", |server| {
        (server.refreshes() == Refreshes { inlay_hint: 1, code_lens: 1 }).then_some(())
    });
    workspace.remove("cpu.folded");
    server.eventually("its end", |server| {
        (server.view()["profile"]["deleted"] == true).then_some(())
    });
    let (revision, before) = (server.revision(), server.refreshes());
    let all = server.line_costs(&uri);

    // One after the other: each has one refresh of each kind.
    for n in 1..=4 {
        if n % 2 == 1 {
            server.execute("costline.pushTransform", json!(["drop-function:eval"]));
        } else {
            server.execute("costline.popTransform", json!([]));
        }
        let expected =
            Refreshes { inlay_hint: before.inlay_hint + n, code_lens: before.code_lens + n };
        server.eventually("its refreshes", |server| (server.refreshes() == expected).then_some(()));
    }

    // In a row: a client that has not replied yet gets no further refresh, but always one after the
    // last change.
    for n in 1..=50 {
        let view = server.execute("costline.pushTransform", json!(["drop-function:eval"]));
        assert_eq!((&view["total"], &view["revision"]), (&json!(3), &json!(revision + 3 + 2 * n)));
        let view = server.execute("costline.popTransform", json!([]));
        assert_eq!((&view["total"], &view["revision"]), (&json!(6), &json!(revision + 4 + 2 * n)));
    }
    server.during(Duration::from_secs(1), |_| ());
    let now = server.refreshes();
    for (now, before) in [(now.inlay_hint, before.inlay_hint), (now.code_lens, before.code_lens)] {
        assert!((before + 5..=before + 104).contains(&now), "{now}");
    }
    assert_eq!(server.line_costs(&uri), all);
    assert_eq!(server.revision(), revision + 104);
    assert_eq!(server.view()["profile"]["deleted"], true);
}

#[test]
fn does_not_notify_clients_without_support() {
    let workspace = six_samples();
    for experimental in [Value::Null, json!({}), json!({ "costline": { "changed": false } })] {
        let mut server =
            Server::builder(&workspace).capability("/experimental", experimental).start();
        server.wait_profile();
        server.set_view(json!({ "unit": "both" }));
        assert_eq!(server.sent("costline/changed"), [Value::Null; 0]);
    }
}

#[test]
fn every_surface_names_a_transform() {
    let workspace = six_samples();
    let (mut server, uri) = six(&workspace);
    let shown = |server: &mut Server| {
        let view = server.view();
        (view["marks"].clone(), text(&view["summary"]))
    };
    assert_eq!(shown(&mut server), (json!([]), "samples".to_owned()));
    server.execute("costline.pushTransform", json!(["focus-function:eval"]));
    let marks = json!(["focus: eval"]);
    let expected = (marks.clone(), "samples · focus: eval".to_owned());
    assert_eq!(shown(&mut server), expected);
    server.eventually("the notification", |server| {
        (server.sent("costline/changed").pop()?["marks"] == marks).then_some(())
    });
    // `evaluate` of app.py has line 31; main has line 12.
    let hover = server.line_hover(&uri, 30).unwrap().replace('\\', "");
    let last = hover.trim_end().lines().last().unwrap_or_default().to_owned();
    assert!(last.ends_with(" · samples · all threads · focus: eval"), "{hover}");
    for (command, argument) in [
        ("costline.hotspots", json!([])),
        ("costline.callTree", json!([])),
        ("costline.flamegraph", json!([{ "inline": true }])),
    ] {
        assert_eq!(server.execute(command, argument)["marks"], marks, "{command}");
    }
    let why = server.execute("costline.explain", json!([{ "uri": uri, "line": 11 }]));
    assert_eq!(why["code"], "out-of-view");
    assert_eq!(
        why["message"],
        "the line has no cost in the view (focus: eval); in the whole profile it has self \
         0.0% (0 samples), total 50.0% (3 samples)"
    );
    server.execute("costline.popTransform", json!([]));
    assert_eq!(shown(&mut server), (json!([]), "samples".to_owned()));
}

/// callgrind writes the sum of all costs last.
#[test]
fn a_profile_that_is_cut_is_marked() {
    for (sum, truncated, marks) in [
        ("totals: 30\n", json!(false), json!([])),
        ("summary: 40\n", json!(true), json!(["cut"])),
        ("", Value::Null, json!([])),
    ] {
        let workspace = Workspace::with([("app.py", "f()\n")]);
        let costs = format!("events: Ir\nfl=app.py\nfn=f\n1 30\n{sum}");
        workspace.write("callgrind.out.7", costs);
        let mut server = Server::start(&workspace);
        server.wait_profile();
        let view = server.view();
        assert_eq!((&view["profile"]["truncated"], &view["marks"]), (&truncated, &marks), "{sum}");
        assert_eq!(server.profiles()["active"]["truncated"], truncated, "{sum}");
    }
}
