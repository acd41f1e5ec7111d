//! Emacs with `editors/emacs`: without another client in the buffer (`costline-mode`), with Eglot,
//! and with lsp-mode.
//!
//! `emacs/check.el` runs inside Emacs, in a terminal of tmux, and reads the screen there.
//! `emacs/batch.el` needs no screen.

use crate::stage::{Stage, git, tool};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const HERE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/editors/emacs");
const PACKAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../editors/emacs");

fn emacs() -> Option<PathBuf> {
    tool("emacs/bin/emacs", "emacs")
}

fn shows_costs_in(client: &str) {
    let Some(emacs) = emacs() else { return };
    Stage::new().run(Command::new(Path::new(HERE).join("check")).arg(client).env("EMACS", emacs));
}

#[test]
fn beside_any_client() {
    shows_costs_in("costline-mode");
}

#[test]
fn eglot() {
    shows_costs_in("eglot");
}

#[test]
fn lsp_mode() {
    shows_costs_in("lsp-mode");
}

/// In terminals with 8 and with 256 colors, 80 columns wide.
#[test]
fn colors_of_terminals() {
    let Some(emacs) = emacs() else { return };
    for terminal in ["screen", "screen-256color"] {
        let mut check = Command::new(Path::new(HERE).join("check"));
        Stage::new().run(check.args(["costline-mode", terminal]).env("EMACS", &emacs));
    }
}

#[test]
fn without_a_screen() {
    let Some(emacs) = emacs() else { return };
    Stage::new().run(
        Command::new(emacs)
            .args(["-Q", "--batch", "-L", PACKAGE, "-l"])
            .arg(Path::new(HERE).join("batch.el"))
            .args(["-f", "ert-run-tests-batch-and-exit"]),
    );
}

/// The book's example for `use-package` installs the package from a clone.
#[test]
fn installs_from_a_clone() {
    let Some(emacs) = emacs() else { return };
    let stage = Stage::new();
    let clone = stage.beside("clone");
    let package = clone.join("editors/emacs");
    fs::create_dir_all(&package).unwrap();
    for file in fs::read_dir(PACKAGE).unwrap().map(Result::unwrap) {
        fs::copy(file.path(), package.join(file.file_name())).unwrap();
    }
    git(&clone, &["init", "--quiet", "--initial-branch", "main"]);
    git(&clone, &["config", "user.name", "a"]);
    git(&clone, &["config", "user.email", "a@example.org"]);
    git(&clone, &["add", "."]);
    git(&clone, &["commit", "--quiet", "--message", "all"]);
    stage.run_unrecorded(
        Command::new(emacs)
            .args(["-Q", "--batch", "-l"])
            .arg(Path::new(HERE).join("clone.el"))
            .arg(Path::new(PACKAGE).join("../../docs/editors/emacs.md"))
            .arg(clone),
    );
}

/// `byte-compile` and `checkdoc` report nothing.
#[test]
fn the_package_has_no_warnings() {
    let Some(emacs) = emacs() else { return };
    let stage = Stage::new();
    let lint = Path::new(HERE).join("lint.el");
    stage.run_unrecorded(
        Command::new(emacs)
            .args(["-Q", "--batch", "-l"])
            .arg(lint)
            .arg(PACKAGE)
            .arg(stage.beside("compiled")),
    );
}
