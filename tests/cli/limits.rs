//! Source texts for which a parser would take more memory than there is.

use crate::{Outcome, costline};
use std::fs;
use std::process::Command;

/// A text that takes memory with the square of its length, in several languages.
const BOMBS: [(&str, &str, &str); 5] = [
    ("b.cs", "class A { void f() {\n", "a<"),
    ("b.java", "class A { void f() {\n", "a<"),
    ("b.java", "", "$ => "),
    ("b.cpp", "void f() {\n", "a<"),
    ("b.c", "void f() {\n", "a => "),
];

/// It counts as a text without a grammar, and all others are shown.
#[test]
fn texts_that_take_too_much_memory_are_not_parsed() {
    for (name, head, unit) in BOMBS {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.rs"), "fn main() {\n    g();\n}\n").unwrap();
        fs::write(folder.path().join(name), format!("{head}{}\n", unit.repeat(30_000))).unwrap();
        let profile = format!("f ({name}:1) 5\nmain (a.rs:2) 4\n");
        fs::write(folder.path().join("cpu.folded"), profile).unwrap();
        let mut shell = Command::new("sh");
        shell.args(["-c", "ulimit -v 3000000; exec \"$0\" annotate cpu.folded a.rs"]);
        shell
            .arg(costline().get_program())
            .env("COSTLINE_CACHE_DIR", "")
            .current_dir(folder.path());
        let shown = Outcome::of(&mut shell).success();
        assert!(shown.contains("44.4%    44.4%     2      g();"), "{name}, {unit}: {shown}");
    }
}
