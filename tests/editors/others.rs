//! Editors that the suite's own run goes without: tested where `tests/editors/install helix kate` was run, and said where not.

use crate::stage::{Stage, installed};
use std::path::Path;
use std::process::Command;

const HERE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/editors");

#[expect(clippy::print_stderr, reason = "an editor that was not tested must be seen")]
fn shows_costs_in(editor: &str, variable: &str, program: &str) {
    let program = installed(program);
    if !program.exists() {
        return eprintln!("NOT TESTED: {editor}; tests/editors/install {editor} puts it at {}", program.display());
    }
    let mut check = Command::new(Path::new(HERE).join(editor).join("check"));
    // Kate lives in a tree of its own, where nothing else is than the server itself.
    Stage::new().run(check.env(variable, program).env("COSTLINE_SERVER", env!("CARGO_BIN_EXE_costline")));
}

#[test]
fn helix() {
    shows_costs_in("helix", "HELIX", "helix/bin/hx");
}

#[test]
fn kate() {
    shows_costs_in("kate", "KATE", "kate/tree");
}
