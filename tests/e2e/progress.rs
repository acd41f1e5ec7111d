//! Slow loads show progress, can be canceled, and block no requests.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::support::profiles::{SIX_SAMPLES, six_samples};
use crate::support::requests::text;
use crate::support::{Server, Workspace};

/// A folded profile of about this many bytes, with distinct stacks.
fn large(bytes: usize) -> String {
    let mut profile = String::with_capacity(bytes + 1000);
    let mut n = 0_u64;
    while profile.len() < bytes {
        n += 1;
        profile.push_str("main (app.py:10)");
        for depth in 0..12 {
            write!(
                profile,
                ";step_{}_{depth} (mod_{}.py:{})",
                n % (37 + depth),
                n % (11 + depth),
                1 + n % (300 + depth)
            )
            .unwrap();
        }
        writeln!(profile, ";leaf_{n} (app.py:12) 1").unwrap();
    }
    profile
}

/// The size of a profile whose load shows progress on this machine: several times the least such
/// size. Replaces the profile.
fn slow_bytes(workspace: &Workspace, server: &mut Server) -> usize {
    for megabytes in [1, 2, 4, 8, 16, 32, 64] {
        let revision = server.revision();
        workspace.rename_over("cpu.folded", large(megabytes << 20));
        server.eventually("a load", |server| (server.revision() > revision).then_some(()));
        if !server.progress().is_empty() {
            return megabytes << 22;
        }
    }
    server.fail("no load is slow enough")
}

/// Rewrites the profile with one that loads slowly, and returns its first progress.
fn begin_slow_load(workspace: &Workspace, server: &mut Server, bytes: usize) -> Value {
    let begun = |server: &mut Server| {
        server
            .progress()
            .into_iter()
            .filter(|progress| progress["value"]["kind"] == "begin")
            .collect::<Vec<_>>()
    };
    let before = begun(server).len();
    workspace.rename_over("cpu.folded", large(bytes));
    server.eventually("its progress", |server| begun(server).get(before).cloned())
}

fn kinds(server: &mut Server, token: &Value) -> Vec<String> {
    let all = server.progress();
    all.iter()
        .filter(|progress| progress["token"] == *token)
        .map(|progress| text(&progress["value"]["kind"]))
        .collect()
}

#[test]
fn a_slow_load_can_be_cancelled_and_the_old_costs_stay() {
    let workspace = six_samples();
    let mut server = Server::start(&workspace);
    let uri = server.open_file(&workspace.path("app.py"), "python");
    let bytes = slow_bytes(&workspace, &mut server);
    let (before, revision) = (server.line_costs(&uri), server.revision());

    let progress = begin_slow_load(&workspace, &mut server, bytes);
    let (token, begin) = (progress["token"].clone(), &progress["value"]);
    assert_eq!(
        (&begin["cancellable"], &begin["title"]),
        (&json!(true), &json!("Costline: cpu.folded"))
    );
    server.notify("window/workDoneProgress/cancel", json!({ "token": token }));
    server.eventually("the end of the progress", |server| {
        (kinds(server, &token).last()? == "end").then_some(())
    });
    assert_eq!((server.line_costs(&uri), server.revision()), (before, revision));

    // A canceled load is neither retried nor reported. The next rewrite is read.
    assert_eq!(server.messages(), [""; 0]);
    workspace.rename_over("cpu.folded", SIX_SAMPLES.repeat(2));
    server.eventually("the next costs", |server| {
        (server.line_costs(&uri).get(&9)?.1 == 4).then_some(())
    });
    assert_eq!(server.revision(), revision + 1);
}

#[test]
fn answers_requests_during_a_slow_load() {
    let workspace = six_samples();
    let mut server = Server::start(&workspace);
    let uri = server.open_file(&workspace.path("app.py"), "python");
    let bytes = slow_bytes(&workspace, &mut server);
    let (before, revision) = (server.line_costs(&uri), server.revision());

    let token = begin_slow_load(&workspace, &mut server, bytes)["token"].clone();
    let loading = server.eventually("progress of the load", |server| {
        server.sent("costline/changed").pop().filter(|changed| changed["loading"] == true)
    });
    assert_eq!(
        (&loading["revision"], &loading["total"]),
        (&json!(revision), &server.profiles()["active"]["total"])
    );
    // Neither requests nor view changes that need no costs wait for it.
    assert_eq!(server.set_view(json!({ "unit": "both" }))["loading"], true);
    assert_eq!(server.set_view(json!({ "unit": null }))["loading"], true);
    let revision = revision + 2;
    assert_eq!((server.line_costs(&uri), server.revision()), (before.clone(), revision));
    server.eventually("the new costs", |server| {
        let costs = server.line_costs(&uri);
        assert!(costs.keys().eq([9, 11].iter()), "{costs:?}");
        (costs != before).then_some(())
    });
    assert_eq!(server.revision(), revision + 1);
    server.eventually("the end of the load", |server| {
        server
            .sent("costline/changed")
            .pop()
            .filter(|changed| changed["loading"] == false && changed["revision"] == revision + 1)
    });
    server.eventually("the end of the progress", |server| {
        (kinds(server, &token).last()? == "end").then_some(())
    });
    let kinds = kinds(&mut server, &token);
    assert_eq!(
        (kinds[0].as_str(), kinds.iter().filter(|kind| *kind != "report").count()),
        ("begin", 2),
        "{kinds:?}"
    );
    let progress = server.progress();
    let reports: Vec<_> = progress
        .iter()
        .map(|progress| &progress["value"])
        .filter(|value| value["kind"] == "report")
        .collect();
    let fits = |report: &Value| {
        report["message"].is_string()
            && report["percentage"].as_u64().is_some_and(|share| share <= 100)
    };
    assert!(!reports.is_empty() && reports.iter().all(|report| fits(report)), "{reports:?}");
}

#[test]
fn clients_without_progress_support_get_none() {
    let workspace = six_samples();
    let bytes = slow_bytes(&workspace, &mut Server::start(&workspace));
    workspace.write("cpu.folded", large(bytes));
    let mut server =
        Server::builder(&workspace).capability("/window/workDoneProgress", json!(false)).start();
    let uri = server.open_file(&workspace.path("app.py"), "python");
    server.wait_labels(&uri);
    assert_eq!(server.progress(), [Value::Null; 0]);
}

#[test]
fn survives_cancelling_unknown_progress() {
    let workspace = six_samples();
    let mut server = Server::start(&workspace);
    let uri = server.open_file(&workspace.path("app.py"), "python");
    server.wait_labels(&uri);
    for token in [json!("costline/load/1"), json!("costline/load/x"), json!("other"), json!(7)] {
        server.notify("window/workDoneProgress/cancel", json!({ "token": token }));
    }
    assert_eq!(server.line_costs(&uri).len(), 9);
}
