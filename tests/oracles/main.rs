//! Compares Costline's output for the fixtures with the output of other programs for the same
//! files.
//!
//! `tests/oracles/install` installs these programs. A test without its program is skipped with a
//! message, or fails if `COSTLINE_REQUIRE_TOOLS` is set.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stderr,
    reason = "in tests a panic is the message"
)]

mod firefox;
mod perf;
mod pprof;
mod sarif;
#[path = "../skip.rs"]
mod skip;

use crate::skip::skip_required;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

const REPOSITORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// The profiles in one format, with the names of their fixtures.
fn fixtures(format: &str) -> Vec<(String, PathBuf)> {
    let folder = Path::new(REPOSITORY).join("fixtures/profiles").join(format);
    let mut folders: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    let profile = |folder: PathBuf| {
        let case: Value =
            serde_json::from_slice(&std::fs::read(folder.join("case.json")).unwrap()).unwrap();
        let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
        (name, folder.join(case["profile"].as_str().unwrap()))
    };
    folders.into_iter().map(profile).collect()
}

/// Runs a program and returns its output.
fn output(command: &mut Command) -> Result<String, String> {
    let output =
        command.stdin(Stdio::null()).output().map_err(|error| format!("{command:?}: {error}"))?;
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    let failed = || format!("{command:?}: {}{}", text(&output.stdout), text(&output.stderr));
    output.status.success().then(|| text(&output.stdout)).ok_or_else(failed)
}

/// The output of a Costline command on a profile, as JSON. Without sources, so that functions are
/// the recorded ones, as in other programs.
fn costline(command: &str, profile: &Path, arguments: &[&str]) -> Value {
    let no_sources = TempDir::new().unwrap();
    let mut costline = Command::new(env!("CARGO_BIN_EXE_costline"));
    costline
        .env("COSTLINE_CACHE_DIR", "")
        .args([command, "--json", "--root"])
        .arg(no_sources.path())
        .arg(profile)
        .args(arguments);
    serde_json::from_str(&output(costline.env_remove("COSTLINE_LOG")).unwrap()).unwrap()
}

/// Whether a program is installed. Prints a message if not.
fn installed(program: &mut Command) -> bool {
    let missing = output(program).err();
    if let Some(error) = &missing {
        skip_required(&format!("{error}; tests/oracles/install installs what is needed"));
    }
    missing.is_none()
}

/// Fails with the rows that differ, if there are any.
#[track_caller]
fn compare<K: Ord + Debug, V: PartialEq + Debug>(
    what: &str,
    theirs: &BTreeMap<K, V>,
    ours: &BTreeMap<K, V>,
) {
    assert!(!theirs.is_empty(), "{what}: the other program printed nothing");
    let rows: BTreeSet<_> = theirs.keys().chain(ours.keys()).collect();
    let n_rows = rows.len();
    let differing: Vec<_> =
        rows.into_iter().filter(|row| theirs.get(row) != ours.get(row)).collect();
    let shown = differing
        .iter()
        .take(10)
        .map(|row| format!("\n{row:?}: {:?} there, {:?} here", theirs.get(row), ours.get(row)));
    let shown: String = shown.collect();
    assert!(differing.is_empty(), "{what}: {} of {n_rows} rows differ{shown}", differing.len());
}
