//! Options that decide how text is written, and which part of the tree.

use crate::{Outcome, costline};
use std::fs;
#[cfg(target_os = "linux")]
use std::{
    path::Path,
    process::{Command, Stdio},
};

/// Runs a command on a profile with 20,000 samples.
fn run(command: &str, arguments: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let profile = folder.path().join("cpu.folded");
    fs::write(&profile, "main;a;b 12000\nmain;a;c 4000\nmain;d 3000\nmain;e;f 1000\n").unwrap();
    Outcome::of(costline().arg(command).arg(profile).args(arguments)).success()
}

/// The rows after the heading, without spaces between columns.
fn rows(text: &str) -> Vec<String> {
    let rows = text.lines().skip(2);
    rows.map(|row| row.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

#[test]
fn costs_have_the_unit_of_the_user() {
    let rows = |unit: &str| rows(&run("report", &["--limit", "1", "--unit", unit]));
    assert!(rows("percent")[0].contains("60.0%") || rows("percent")[0].contains("100.0%"));
    assert!(!rows("absolute")[0].contains('%') && rows("absolute")[0].contains(" samples"));
    let both = &rows("both")[0];
    assert!(both.contains("% (") && both.contains("samples)"), "{both}");
}

#[test]
fn long_numbers_are_in_groups() {
    let text = run("report", &[]);
    assert!(text.starts_with("cpu.folded: 20,000 samples"), "{text}");
}

#[test]
fn colours_are_used_if_the_user_asks() {
    let escape = "\x1b[";
    for command in ["report", "tree"] {
        assert!(!run(command, &[]).contains(escape));
        assert!(run(command, &["--color", "always"]).contains(escape), "{command}");
        assert!(!run(command, &["--color", "never"]).contains(escape));
    }
}

#[test]
fn all_rows_can_be_listed() {
    let folder = tempfile::tempdir().unwrap();
    let profile = folder.path().join("cpu.folded");
    fs::write(&profile, (0..40).map(|i| format!("f{i} 1\n")).collect::<Vec<_>>().concat()).unwrap();
    let report =
        |arguments: &[&str]| Outcome::of(costline().arg("report").arg(&profile).args(arguments));
    assert_eq!(rows(&report(&["--limit", "all"]).success()).len(), 40);
    let refused = report(&["--limit", "most"]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("expected a number or `all`"), "{}", refused.stderr);
}

/// The newest one, in whatever folder the command is run.
#[test]
fn a_folder_stands_for_the_newest_profile_in_it() {
    let folder = tempfile::tempdir().unwrap();
    let below = folder.path().join("below");
    fs::create_dir(&below).unwrap();
    fs::write(below.join("cpu.folded"), "main 2\n").unwrap();
    let report = || Outcome::of(costline().arg("report").arg(folder.path()));
    assert!(report().success().starts_with("cpu.folded: 2 samples\n"));
    // Whatever its name.
    let profile = folder.path().join("stacks.txt");
    fs::write(&profile, "main 3\n").unwrap();
    assert!(report().success().starts_with("stacks.txt: 3 samples\n"));
    fs::remove_file(profile).unwrap();
    fs::remove_dir_all(below).unwrap();
    let message = Outcome::of(costline().arg("report").arg(folder.path())).failure(1);
    assert!(message.contains("no profile found in"), "{message}");
}

/// An editor never does this.
#[test]
fn a_file_on_standard_input_is_no_editor() {
    let folder = tempfile::tempdir().unwrap();
    let profile = folder.path().join("cpu.folded");
    fs::write(&profile, "main 3\n").unwrap();
    let mut command = costline();
    command.stdin(fs::File::open(profile).unwrap());
    let message = Outcome::of(&mut command).failure(2);
    assert!(message.contains("`costline report - < FILE`"), "{message}");
}

#[test]
fn a_tree_can_be_cut_to_the_hottest_path_or_rows() {
    let tree = |arguments: &[&str]| -> Vec<String> {
        let arguments = [&["--unit", "absolute"], arguments].concat();
        rows(&run("tree", &arguments))
    };
    assert_eq!(
        tree(&["--hot"]),
        ["20,000 samples main", "16,000 samples a", "12,000 samples 12,000 samples b"]
    );
    assert_eq!(
        tree(&["--limit", "3"]),
        [
            "20,000 samples main",
            "16,000 samples a",
            "12,000 samples 12,000 samples b",
            "omitted: 4 call paths (--limit)",
        ]
    );
    assert_eq!(
        tree(&["--min-percent", "70"]),
        [
            "20,000 samples main",
            "16,000 samples a",
            "omitted: 4 call paths and all below them (--min-percent)"
        ]
    );
    let json = run("tree", &["--limit", "4", "--json"]);
    let tree: serde_json::Value = serde_json::from_str(&json).unwrap();
    let parents: Vec<_> =
        tree["nodes"].as_array().unwrap().iter().map(|node| &node["parent"]).collect();
    assert_eq!(parents, [&serde_json::Value::Null, &0.into(), &1.into(), &1.into()]);
}

#[test]
fn a_thread_without_a_name_has_a_row() {
    assert_eq!(
        rows(&run("report", &["--by", "thread", "--unit", "percent"])),
        ["100.0% 100.0% (unnamed)"]
    );
}

/// What a command prints in a terminal of 80 columns, that of `script` (util-linux).
#[cfg(target_os = "linux")]
fn in_80_columns(folder: &Path, arguments: &str) -> Vec<String> {
    let program = env!("CARGO_BIN_EXE_costline");
    let shell = format!("stty cols 80 rows 24 <&1; '{program}' {arguments} --color never");
    let mut terminal = Command::new("script");
    terminal.args(["-qefc", &shell, "/dev/null"]).current_dir(folder).stdin(Stdio::null());
    let outcome = Outcome::of(terminal.env("COSTLINE_CACHE_DIR", "").env("TERM", "xterm"));
    assert_eq!(outcome.code, Some(0), "{}", outcome.stdout);
    outcome.stdout.lines().map(|line| line.trim_end().to_owned()).collect()
}

/// The names are those of GCC, Go and C++. With a baseline there is less room.
#[cfg(target_os = "linux")]
#[test]
fn rows_fit_a_narrow_terminal_and_keep_their_names() {
    let folder = tempfile::tempdir().unwrap();
    let text = "\
main;scale_all_rows_at_once.isra.0 (src/very/long/path/to/some/deep/scale.c:3) 50
main;orders.contains (src/very/long/path/to/some/deep/orders.go:3) 40
main;std::_Hashtable<std::string, std::pair<int, int>, std::hash<std::string> >::_M_find (deep/h.h:3) 30
";
    fs::write(folder.path().join("cpu.folded"), text).unwrap();
    let faster = text.replace(" 50", " 20");
    fs::write(folder.path().join("before.folded"), faster).unwrap();
    for arguments in
        ["report cpu.folded", "report cpu.folded --baseline before.folded", "tree cpu.folded"]
    {
        let lines = in_80_columns(folder.path(), arguments);
        let all = lines.join("\n");
        assert!(lines.iter().all(|line| line.chars().count() <= 80), "{all}");
        for name in ["scale_all_rows", "contains", "_M_find"] {
            assert!(all.contains(name), "{arguments}: {name}\n{all}");
        }
    }
    let edges = in_80_columns(folder.path(), "report cpu.folded --by edge").join("\n");
    assert!(edges.contains("main → std::_Hashtable<…>::_M_find"), "{edges}");
}
