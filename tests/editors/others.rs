//! Editors that CI does not install. They are tested after `tests/editors/install helix kate vim`, and
//! otherwise skipped with a message.

use crate::skip::skip;
use crate::stage::{Stage, installed};
use std::path::Path;
use std::process::Command;

const HERE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/editors");

fn shows_costs_in(editor: &str, variable: &str, program: &str) {
    let program = installed(program);
    if !program.exists() {
        return skip(&format!(
            "{editor} is not installed; `tests/editors/install {editor}` installs it"
        ));
    }
    let mut check = Command::new(Path::new(HERE).join(editor).join("check"));
    check.env(variable, program).env("COSTLINE_SERVER", env!("CARGO_BIN_EXE_costline"));
    if editor == "kate" {
        // In a container with nothing but the server.
        Stage::new().run_unrecorded(&mut check);
    } else {
        Stage::new().run(&mut check);
    }
}

#[test]
fn helix() {
    shows_costs_in("helix", "HELIX", "helix/bin/hx");
}

#[test]
fn kate() {
    shows_costs_in("kate", "KATE", "kate/tree");
}

#[test]
fn vim() {
    shows_costs_in("vim", "VIM_ROOT", "vim/root");
}
