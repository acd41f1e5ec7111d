//! Warnings about recordings of native programs without lines or without callers, and their advice.

use crate::run;
use std::path::PathBuf;

/// A project with `src/main.rs` and the output of `perf script`.
fn project(text: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("Cargo.toml"), "").unwrap();
    std::fs::create_dir(folder.path().join("src")).unwrap();
    std::fs::write(
        folder.path().join("src/main.rs"),
        "fn count() {\n}\nfn main() {\n    count();\n}\n",
    )
    .unwrap();
    let profile = folder.path().join("perf.script.txt");
    std::fs::write(&profile, text).unwrap();
    (folder, profile)
}

/// `n` samples with these frames, the leaf first.
fn samples(n: usize, frames: &[&str]) -> String {
    let frames: Vec<_> = frames.iter().map(|frame| format!("\t{frame}\n")).collect();
    let frames = frames.concat();
    let samples: Vec<_> =
        (0..n).map(|i| format!("words 77 10.{i:06}:     250000 cpu-clock: \n{frames}\n")).collect();
    samples.concat()
}

const COUNT: &str = "            1200 words::count+0x20 (/srv/demo/target/release/words)";
const MAIN: &str = "            1400 words::main+0x40 (/srv/demo/target/release/words)";
const START: &str = "            1600 main+0x10 (/srv/demo/target/release/words)";
const MEMCMP: &str = "           9a210 memcmp+0x20 (/usr/lib/libc.so.6)\n  string/memcmp.c:10";
const NOWHERE: &str = "3177203533772031 [unknown] ([unknown])";

#[test]
fn names_a_program_without_debug_info() {
    let (_folder, profile) =
        project(&(samples(90, &[COUNT, MAIN, START]) + &samples(10, &[MEMCMP, MAIN, START])));
    let profile = profile.to_str().unwrap();
    let check = run(["check", profile]);
    assert_eq!(check.code, Some(0));
    let cause = "`words` was built without debug info";
    assert!(
        check.stdout.contains(cause)
            && check.stdout.contains("CARGO_PROFILE_RELEASE_DEBUG=line-tables-only"),
        "{check:?}"
    );
    assert!(!check.stdout.contains("--root"), "the sources are not missing: {check:?}");
    let annotate = run(["annotate", profile]);
    assert_eq!(annotate.code, Some(3));
    let last = annotate.stderr.lines().last().unwrap();
    assert!(last.contains(cause) && !last.contains("--root"), "{annotate:?}");
}

#[test]
fn a_program_with_lines_lacks_only_its_sources() {
    let main = MAIN.to_owned() + "\n  /elsewhere/main.rs:4";
    let (_folder, profile) = project(&samples(100, &[MEMCMP, &main, START]));
    let check = run(["check", profile.to_str().unwrap()]);
    assert!(!check.stdout.contains("debug info") && check.stdout.contains("--root"), "{check:?}");
}

/// The code before `main` never has lines, whatever the program was built with.
#[test]
fn a_program_of_which_only_the_entry_point_is_known_is_not_called_without_debug_info() {
    const ENTRY: &str = "            1060 _start+0x25 (/srv/demo/words)";
    const JIT: &str = "    7f0000001000 [unknown] (/tmp/perf-77.map)";
    let text = samples(90, &[JIT, ENTRY]) + &samples(10, &[MEMCMP, ENTRY]);
    let (_folder, profile) = project(&text);
    let check = run(["check", profile.to_str().unwrap()]);
    assert!(!check.stdout.contains("without debug info"), "{check:?}");
}

/// The warnings about a recording, which must be the same in all commands.
fn warnings(text: &str) -> String {
    let (_folder, profile) = project(text);
    let profile = profile.to_str().unwrap();
    let [first, others @ ..] =
        ["report", "tree", "check"].map(|command| run([command, profile]).stderr);
    assert!(others.iter().all(|other| *other == first), "{first}\n{others:?}");
    first
}

#[test]
fn warns_about_stacks_that_were_not_unwound() {
    let count = COUNT.to_owned() + "\n  /elsewhere/main.rs:1";
    let whole = samples(10, &[&count, MAIN, START]);
    let broken = samples(80, &[&count, NOWHERE]) + &samples(10, &[&count, MAIN]);
    let warning = warnings(&(whole.clone() + &broken));
    assert!(
        warning.contains("90.0% of the stacks")
            && warning.contains("`perf record --call-graph dwarf"),
        "{warning}"
    );
    assert_eq!(warning.lines().count(), 1, "{warning}");

    let warning = warnings(&samples(100, &[&count]));
    assert!(
        warning.contains("no sample has a caller")
            && warning.contains("`perf record --call-graph dwarf"),
        "{warning}"
    );

    // Stacks in the kernel, of threads and of other languages are not broken.
    let kernel = "ffffffff815bbc92 schedule+0x42 ([kernel.kallsyms])";
    let thread = "           891f4 [unknown] (/usr/lib/libc.so.6)";
    let python = "    7f0000001000 py::run:/srv/app.py (/tmp/perf-77.map)";
    let fine = whole
        + &samples(10, &[kernel])
        + &samples(10, &[&count, thread])
        + &samples(10, &[&count, python]);
    assert_eq!(warnings(&(fine + &samples(5, &[&count, NOWHERE]))), "");
}
