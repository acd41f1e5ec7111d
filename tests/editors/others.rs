//! Editors that are no part of the suite's own run: tested where `tests/editors/install helix kate` was run.

use crate::stage::Stage;
use std::path::{Path, PathBuf};
use std::process::Command;

const HERE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/editors");

fn shows_costs_in(editor: &str, variable: &str, program: &str) {
    let installed: PathBuf = crate::stage::installed(program);
    if installed.exists() {
        Stage::new().run(Command::new(Path::new(HERE).join(editor).join("check")).env(variable, installed));
    } else {
        crate::stage::say(&format!("NOT TESTED: {editor}; tests/editors/install {editor} puts it into {}", installed.display()));
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
