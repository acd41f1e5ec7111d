//! Profiles that are no regular files, and names with invisible characters.

use super::{Outcome, costline, run};
use std::io::Write;
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
fn pipes_and_devices_are_refused_without_reading_them() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe.folded");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for path in [pipe.to_str().unwrap(), "/dev/zero"] {
        let message = run(["check", path]).failure(1);
        let expected = "is not a regular file; to read a pipe, pass `-` and redirect the pipe to \
                        standard input";
        assert_eq!(message, format!("{path}: {expected}"));
    }
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
