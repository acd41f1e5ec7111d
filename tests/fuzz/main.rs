//! Mutated fixtures for everything that reads bytes of others, and commands with mutated arguments to a
//! real server.
//!
//! Nothing may panic, and what is read has sums that agree. The random numbers are the same in each run,
//! so a failure occurs again; the test says where it keeps the input. `COSTLINE_FUZZ_RUNS` sets the number
//! of inputs for each test, and `COSTLINE_FUZZ_FORMAT=jfr` mutates profiles of one format only. If `COSTLINE_FUZZ_SEEDS` is a folder, the seeds of each target are written to it.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "in tests a panic is the message")]
#![allow(clippy::print_stderr, reason = "the log shows what was run")]

mod commands;
mod mutate;
mod seeds;
#[path = "../e2e/support/mod.rs"]
mod support;
mod targets;
#[path = "../wire/mod.rs"]
mod wire;

use mutate::Mutator;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;

/// The number of inputs: `usual`, if the environment sets no other one.
fn n_runs(usual: usize) -> usize {
    std::env::var("COSTLINE_FUZZ_RUNS").map_or(usual, |set| set.parse().unwrap())
}

/// Runs a target on its seeds and on mutations of them.
fn run(name: &str, target: fn(&[u8]), usual: usize) {
    let seeds = seeds::of(name);
    let least = if std::env::var_os("COSTLINE_FUZZ_FORMAT").is_some() { 1 } else { 4 };
    assert!(seeds.len() >= least, "{name} has too few seeds");
    if let Some(folder) = std::env::var_os("COSTLINE_FUZZ_SEEDS") {
        write(&Path::new(&folder).join(name), &seeds);
    }
    let mut mutator = Mutator::new(&seeds);
    let mutations = (0..n_runs(usual)).map(|_| mutator.next());
    for input in seeds.iter().cloned().chain(mutations) {
        let outcome = catch_unwind(AssertUnwindSafe(|| target(&input)));
        if let Err(panic) = outcome {
            let kept = std::env::temp_dir().join(format!("costline-fuzz-{name}"));
            std::fs::write(&kept, input).unwrap();
            eprintln!("{name} failed; the input is {}", kept.display());
            resume_unwind(panic);
        }
    }
}

/// Writes each seed to a file in `folder`.
fn write(folder: &Path, seeds: &[Vec<u8>]) {
    std::fs::create_dir_all(folder).unwrap();
    for (n, seed) in seeds.iter().enumerate() {
        std::fs::write(folder.join(n.to_string()), seed).unwrap();
    }
}

macro_rules! targets {
    ($($name:ident: $usual:literal,)*) => {
        $(#[test]
        fn $name() {
            run(stringify!($name), targets::$name, $usual);
        })*
    };
}

targets! {
    readers: 2000,
    exports: 500,
    views: 500,
    symbols: 500,
    paths: 1000,
    lines: 500,
    functions: 500,
    messages: 2000,
}
