//! Says that a test is skipped. The test runner hides the output of tests that pass, so the file that
//! `COSTLINE_SKIPPED` names gets a line, too.

// Each suite uses only a part of this.
#![allow(dead_code, unreachable_pub)]
#![allow(clippy::unwrap_used, reason = "in tests a panic is the message")]

use std::env;
use std::fs::OpenOptions;
use std::io::Write as _;

/// Skips a test because of something that `.ci/run` installs: fails if `COSTLINE_REQUIRE_TOOLS` is set.
#[track_caller]
pub fn skip_required(why: &str) {
    assert!(!is_required(), "{why}");
    skip(why);
}

/// Skips a test, also in `.ci/run`, which knows the line by `.ci/skipped`.
#[expect(clippy::print_stderr, reason = "a skipped test must be visible")]
pub fn skip(why: &str) {
    eprintln!("SKIPPED: {why}");
    if let Some(file) = env::var_os("COSTLINE_SKIPPED") {
        let mut file = OpenOptions::new().create(true).append(true).open(file).unwrap();
        // In one call, because several tests write.
        file.write_all(format!("{why}\n").as_bytes()).unwrap();
    }
}

/// Whether nothing that `.ci/run` installs may be missing.
pub fn is_required() -> bool {
    env::var_os("COSTLINE_REQUIRE_TOOLS").is_some()
}
