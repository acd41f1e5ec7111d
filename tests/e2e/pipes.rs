//! Named pipes where files are expected. Opening one waits for a writer, so none is opened: other
//! files are read, and commands are answered, as before.

use std::process::Command;

use serde_json::json;

use crate::support::profiles::{APP_JS, folded};
use crate::support::requests::costs;
use crate::support::{Server, Workspace};

/// Line 2 of `app.js` has `samples`.
fn workspace(samples: u64) -> Workspace {
    let workspace = Workspace::with([("app.js", APP_JS)]);
    workspace.write("good.folded", folded(samples));
    workspace
}

fn make_pipe(workspace: &Workspace, path: &str) {
    workspace.write(&format!("{path}.x"), "");
    let made = Command::new("mkfifo").arg(workspace.path(path)).status();
    assert!(made.is_ok_and(|status| status.success()));
}

fn wait(server: &mut Server, uri: &str, samples: u64) {
    server.wait_costs(uri, &costs([(2, samples, samples)]));
}

#[test]
fn a_pipe_that_is_picked_as_profile_is_refused_and_the_next_choice_is_read() {
    let workspace = workspace(3);
    make_pipe(&workspace, "pipe");
    let mut server = Server::start(&workspace);
    let uri = server.open_file(&workspace.path("app.js"), "javascript");
    wait(&mut server, &uri, 3);
    let pick = |path: &str| json!([{ "path": workspace.path(path) }]);
    let error = server.execute_error("costline.selectProfile", pick("pipe"));
    assert!(error.contains("is not a regular file"), "{error}");
    workspace.write("other.folded", folded(5));
    server.execute("costline.selectProfile", pick("other.folded"));
    wait(&mut server, &uri, 5);
    server.execute("costline.reload", json!([]));
}

#[test]
fn a_pipe_that_a_setting_names_does_not_delay_the_next_choice() {
    for setting in ["profile", "baseline"] {
        let workspace = workspace(3);
        make_pipe(&workspace, "pipe");
        let settings = json!({ setting: workspace.path("pipe") });
        let mut server = Server::builder(&workspace).options(settings).start();
        let uri = server.open_file(&workspace.path("app.js"), "javascript");
        let good = json!([{ "path": workspace.path("good.folded") }]);
        server.execute("costline.selectProfile", good);
        wait(&mut server, &uri, 3);
        server.execute("costline.reload", json!([]));
    }
}

#[test]
fn a_pipe_in_place_of_the_profile_shown_keeps_the_costs() {
    let workspace = workspace(3);
    let mut server = Server::start(&workspace);
    let uri = server.open_file(&workspace.path("app.js"), "javascript");
    wait(&mut server, &uri, 3);
    make_pipe(&workspace, "pipe.folded");
    std::fs::rename(workspace.path("pipe.folded"), workspace.path("good.folded")).unwrap();
    workspace.write("other.folded", folded(5));
    wait(&mut server, &uri, 5);
}

#[test]
fn pipes_as_ignore_files_have_no_rules() {
    for pipe in [".gitignore", ".ignore", ".git/info/exclude"] {
        let workspace = workspace(3);
        make_pipe(&workspace, pipe);
        let mut server = Server::start(&workspace);
        let uri = server.open_file(&workspace.path("app.js"), "javascript");
        wait(&mut server, &uri, 3);
    }
}

#[test]
fn an_opened_document_that_is_a_pipe_blocks_nothing() {
    let workspace = workspace(3);
    make_pipe(&workspace, "pipe.js");
    let mut server = Server::start(&workspace);
    let uri = server.open_file(&workspace.path("app.js"), "javascript");
    server.open(&workspace.uri("pipe.js"), "javascript", "function f() {}\n");
    wait(&mut server, &uri, 3);
    assert_eq!(server.request("shutdown", json!(null)), json!(null));
    server.notify("exit", json!(null));
    assert_eq!(server.wait_exit(), 0);
}
