//! What recordings of native programs lack, named once, with what to do: lines of the program, callers of samples.

use crate::run;
use std::path::PathBuf;

/// A project with `src/main.rs` and a recording as `perf script` prints it.
fn project(text: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("Cargo.toml"), "").unwrap();
    std::fs::create_dir(folder.path().join("src")).unwrap();
    std::fs::write(folder.path().join("src/main.rs"), "fn count() {\n}\nfn main() {\n    count();\n}\n").unwrap();
    let profile = folder.path().join("perf.script.txt");
    std::fs::write(&profile, text).unwrap();
    (folder, profile)
}

/// So many samples with these frames, the leaf first.
fn samples(n: usize, frames: &[&str]) -> String {
    let frames: Vec<_> = frames.iter().map(|frame| format!("\t{frame}\n")).collect();
    let frames = frames.concat();
    let samples: Vec<_> = (0..n).map(|i| format!("words 77 10.{i:06}:     250000 cpu-clock: \n{frames}\n")).collect();
    samples.concat()
}

const COUNT: &str = "            1200 words::count+0x20 (/srv/demo/target/release/words)";
const MAIN: &str = "            1400 words::main+0x40 (/srv/demo/target/release/words)";
const START: &str = "            1600 main+0x10 (/srv/demo/target/release/words)";
const MEMCMP: &str = "           9a210 memcmp+0x20 (/usr/lib/libc.so.6)\n  string/memcmp.c:10";
const NOWHERE: &str = "3177203533772031 [unknown] ([unknown])";

#[test]
fn a_program_without_debug_info_is_named() {
    let (_folder, profile) = project(&(samples(90, &[COUNT, MAIN, START]) + &samples(10, &[MEMCMP, MAIN, START])));
    let profile = profile.to_str().unwrap();
    let check = run(["check", profile]);
    assert_eq!(check.code, Some(0));
    let cause = "`words` was built without debug info";
    assert!(check.stdout.contains(cause) && check.stdout.contains("CARGO_PROFILE_RELEASE_DEBUG=line-tables-only"), "{check:?}");
    assert!(!check.stdout.contains("--root"), "it is not the sources that are missing: {check:?}");
    let annotate = run(["annotate", profile]);
    assert_eq!(annotate.code, Some(3));
    let last = annotate.stderr.lines().last().unwrap();
    assert!(last.contains(cause) && !last.contains("--root"), "{annotate:?}");
}

#[test]
fn a_program_with_lines_lacks_its_sources_only() {
    let main = MAIN.to_owned() + "\n  /elsewhere/main.rs:4";
    let (_folder, profile) = project(&samples(100, &[MEMCMP, &main, START]));
    let check = run(["check", profile.to_str().unwrap()]);
    assert!(!check.stdout.contains("debug info") && check.stdout.contains("--root"), "{check:?}");
}

/// The warnings of a recording, the same in all commands.
fn warnings(text: &str) -> String {
    let (_folder, profile) = project(text);
    let profile = profile.to_str().unwrap();
    let [first, others @ ..] = ["report", "tree", "check"].map(|command| run([command, profile]).stderr);
    assert!(others.iter().all(|other| *other == first), "{first}\n{others:?}");
    first
}

#[test]
fn stacks_that_were_not_unwound_are_said_with_their_share() {
    let count = COUNT.to_owned() + "\n  /elsewhere/main.rs:1";
    let whole = samples(10, &[&count, MAIN, START]);
    let broken = samples(80, &[&count, NOWHERE]) + &samples(10, &[&count, MAIN]);
    let told = warnings(&(whole.clone() + &broken));
    assert!(told.contains("90.0% of the stacks") && told.contains("`perf record --call-graph dwarf"), "{told}");
    assert_eq!(told.lines().count(), 1, "{told}");

    let told = warnings(&samples(100, &[&count]));
    assert!(told.contains("no sample has a caller") && told.contains("`perf record --call-graph dwarf"), "{told}");

    // Samples in the kernel, of threads and of other languages are whole.
    let kernel = "ffffffff815bbc92 schedule+0x42 ([kernel.kallsyms])";
    let thread = "           891f4 [unknown] (/usr/lib/libc.so.6)";
    let python = "    7f0000001000 py::run:/srv/app.py (/tmp/perf-77.map)";
    let fine = whole + &samples(10, &[kernel]) + &samples(10, &[&count, thread]) + &samples(10, &[&count, python]);
    assert_eq!(warnings(&(fine + &samples(5, &[&count, NOWHERE]))), "");
}
