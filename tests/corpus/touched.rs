//! Touching, saving and cloning sources changes no cost and no place: only the mark `~` may appear.

use crate::cases::{self, Case};
use std::fs::{self, File};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, SystemTime};
use tempfile::TempDir;

/// Copies a folder. All texts get this time. Programs are old: without a build id, one that is newer than
/// the profile is not the recorded one.
fn copy(from: &Path, to: &Path, time: SystemTime) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let (from, to) = {
            let entry = entry.unwrap();
            (entry.path(), to.join(entry.file_name()))
        };
        if from.is_dir() {
            copy(&from, &to, time);
        } else if from.metadata().unwrap().len() <= 8 << 20 {
            fs::copy(&from, &to).unwrap();
            let is_text = std::str::from_utf8(&fs::read(&to).unwrap()).is_ok();
            let time = if is_text { time } else { SystemTime::UNIX_EPOCH };
            File::options().write(true).open(&to).unwrap().set_modified(time).unwrap();
        }
    }
}

/// What commands say about a case, without marks, alignment, and notes about the sources.
fn shown(case: &Case, folder: &Path, profile: &Path) -> Vec<String> {
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_costline"));
        command.env("COSTLINE_CACHE_DIR", "").args(arguments).args(["--root"]).arg(folder);
        let output = command.output().unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        let has_no_calls = message.contains("has costs of lines, but no calls");
        assert!(output.status.code() != Some(2) || has_no_calls, "{}: {message}", case.name);
        String::from_utf8(output.stdout).unwrap()
    };
    let (folder, profile) = (folder.to_str().unwrap(), profile.to_str().unwrap());
    let texts = [
        run(&["annotate", profile, folder]),
        run(&["report", profile, "--json"]),
        run(&["tree", profile]),
    ];
    let plain = |line: &str| {
        let line = line.split(": (").next().unwrap_or_default().replace('~', "");
        let line = line.trim_end_matches(':');
        line.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    texts.iter().flat_map(|text| text.lines().map(plain)).collect()
}

#[test]
fn the_time_of_sources_changes_no_cost_and_no_place() {
    let now = SystemTime::now();
    let hour = Duration::from_secs(3600);
    let (mut n_lines, mut failed) = (0, Vec::new());
    for case in cases::fixtures().into_iter().chain(cases::corpus().unwrap_or_default()) {
        let folder = TempDir::new().unwrap();
        let root = folder.path().canonicalize().unwrap().join("app");
        let profile = root.join(case.profile.file_name().unwrap());
        if case.profile.metadata().unwrap().len() > 8 << 20 {
            continue;
        }
        let [before, after] = [now - hour, now + hour].map(|time| {
            copy(&case.folder, &root, time);
            fs::copy(&case.profile, &profile).unwrap();
            File::options().write(true).open(&profile).unwrap().set_modified(now).unwrap();
            shown(&case, &root, &profile)
        });
        let differs = |(before, after): &(&String, &String)| before != after;
        let first = before.iter().zip(&after).find(differs);
        if first.is_some() || before.len() != after.len() {
            failed.push(format!("{}: {first:?}", case.name));
        }
        n_lines += before.len();
    }
    assert!(failed.is_empty(), "{failed:#?}");
    assert!(n_lines > 5000, "{n_lines}");
}
