//! Profiles that are no regular files, and names with invisible characters.

use super::{Outcome, costline, run};
#[cfg(target_os = "linux")]
use std::io::Read;
use std::io::Write;
#[cfg(unix)]
use std::process::Command;
use std::process::Stdio;

fn with_input<const N: usize>(arguments: [&str; N], input: &str) -> Outcome {
    let mut command = costline();
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut process = command.spawn().unwrap();
    process.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = process.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Outcome { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

#[test]
fn a_dash_is_standard_input() {
    let report = with_input(["report", "-"], "main;f 5\n").success();
    assert!(report.contains("5 samples"), "{report}");
    let message = with_input(["report", "-"], "").failure(1);
    assert!(message.starts_with("-: "), "{message}");
}

#[cfg(unix)]
#[test]
fn standard_input_is_read_once() {
    for arguments in [
        &["diff", "-", "-"][..],
        &["report", "-", "--baseline", "-"],
        &["tree", "--baseline", "-", "--baseline", "-", "cpu.folded"],
        &["annotate", "-", "--baseline", "-"],
        &["html", "-", "--baseline", "-"],
        &["export", "-", "--to", "folded", "--baseline", "-"],
    ] {
        let message = Outcome::of(costline().args(arguments)).failure(2);
        assert!(message.starts_with("-: standard input can be read once only"), "{message}");
    }
}

#[test]
fn pipes_and_devices_are_refused_without_reading_them() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe.folded");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for path in [pipe.to_str().unwrap(), "/dev/zero"] {
        let message = run(["check", path]).failure(1);
        let expected = "is not a regular file; to read a pipe, pass `-` and redirect the pipe to \
                        standard input";
        assert_eq!(message, format!("{path}: {expected}"));
    }
}

/// The terminal is that of `script` (util-linux). The profile is complete only after the bar is
/// there, so it appears however fast the machine is. A load without a terminal begins earlier.
#[cfg(target_os = "linux")]
#[test]
fn a_load_that_takes_long_shows_a_bar_on_a_terminal_alone() {
    let mut without = costline();
    without.args(["report", "-"]).stdin(Stdio::piped());
    let mut without = without.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    without.stdin.as_mut().unwrap().write_all(b"main;work 5\n").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let program = env!("CARGO_BIN_EXE_costline");
    let shell = format!("'{program}' report - < '{}'", pipe.display());
    let mut terminal = Command::new("script")
        .args(["-qefc", &shell, "/dev/null"])
        .env("COSTLINE_CACHE_DIR", "")
        .env("TERM", "xterm")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = std::fs::File::options().write(true).open(&pipe).unwrap();
    input.write_all(b"main;work 5\n").unwrap();
    let mut screen = terminal.stdout.take().unwrap();
    let mut shown = Vec::new();
    while !String::from_utf8_lossy(&shown).contains("reading") {
        let mut part = [0; 1024];
        let n = screen.read(&mut part).unwrap();
        assert!(n > 0, "{}", String::from_utf8_lossy(&shown));
        shown.extend(&part[..n]);
    }
    // `wait_with_output` ends its input.
    let output = without.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    drop(input);
    let mut rest = String::new();
    screen.read_to_string(&mut rest).unwrap();
    assert!(terminal.wait().unwrap().success());
    // The line of the bar is erased before the report is written.
    let erased = rest.rfind("\u{1b}[2K").unwrap();
    let report = rest.find("-: 5 samples").unwrap();
    assert!(erased < report, "{rest}");
}

#[test]
fn zero_width_and_tag_characters_are_not_printed() {
    let profile = "main;par\u{200d}se 5\nmain;par\u{e0041}se 4\nmain;parse 3\n";
    for command in ["report", "tree"] {
        let text = with_input([command, "-"], profile).success();
        assert!(!text.contains(['\u{200d}', '\u{e0041}']), "{text}");
        assert!(text.contains("par\u{fffd}se"), "{text}");
    }
}
