//! Real programs: addresses whose lines other tools know, builds other than the recorded one, and
//! separate debug info. Some programs are built during the test with gcc, binutils, dwz and xz.
//! Without these tools the test is skipped with a message, or fails if `COSTLINE_REQUIRE_TOOLS` is
//! set.

#![cfg(feature = "debug-info")]
#![allow(clippy::unwrap_used, reason = "in tests a panic is the message")]

mod addresses;
mod assembler;
mod divided;
mod kernel;
mod lambdas;
mod mismatches;
mod program;
mod separate;
mod stripped;

use crate::skip::skip_required;
use profile::{AddressBase, Lib};
use std::cell::Cell;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use symbols::{Cache, Generics, KernelFiles, LibSymbols, Search};

const RAYTRACE: &str = "141cf987ac1361e5958807f566df057aff9696be";

/// A program of which a profile in `fixtures` was recorded.
fn binary(name: &str) -> PathBuf {
    let case =
        if name == "wordstat" { "samply/rust-wordstat" } else { "perf-data/cpp-raytrace-fp" };
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../fixtures/profiles")
        .join(case)
        .join("bin")
        .join(name)
}

/// A library that a profile names.
fn lib(name: &str, code_id: &str) -> Lib {
    let path = format!("/recorded/bin/{name}");
    Lib {
        name: name.to_owned(),
        debug_name: name.to_owned(),
        path,
        code_id: code_id.to_owned(),
        addresses: AddressBase::Image,
        ..Lib::default()
    }
}

/// Looks up addresses. `candidates` are for the recorded path, `paths` for `symbols.paths`.
fn resolve(lib: &Lib, addresses: &[u64], candidates: &[&Path], paths: &[&Path]) -> Arc<LibSymbols> {
    resolve_in(&Cache::default(), lib, addresses, candidates, paths)
}

fn resolve_in(
    cache: &Cache,
    lib: &Lib,
    addresses: &[u64],
    candidates: &[&Path],
    paths: &[&Path],
) -> Arc<LibSymbols> {
    let for_lib = |recorded: &str| {
        if recorded == lib.path {
            candidates.iter().map(PathBuf::from).collect()
        } else {
            Vec::new()
        }
    };
    let paths: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
    let search = Search {
        candidates: &for_lib,
        programs: &Vec::new,
        paths: &paths,
        profile_modified: None,
        kernel: &no_kernel(),
        memory: &Cell::new(u64::MAX),
        is_network_path: |_| false,
    };
    cache.resolve(lib, addresses, &search, None, &mut |_, _| ControlFlow::Continue(()))
}

/// Files of an unknown kernel.
fn no_kernel() -> KernelFiles {
    KernelFiles { notes: PathBuf::new(), functions: PathBuf::new(), copies: None }
}

/// Runs a tool; `false` if it is not installed.
fn run(tool: &str, folder: &Path, arguments: &[&str]) -> bool {
    match Command::new(tool).args(arguments).current_dir(folder).output() {
        Ok(output) => {
            assert!(
                output.status.success(),
                "{tool} {arguments:?}: {}",
                String::from_utf8_lossy(&output.stderr)
            );
            true
        }
        Err(why) => {
            skip_required(&format!("{tool} is not installed: {why}"));
            false
        }
    }
}

/// The build id and the address of `work` in a program, by the tools of binutils.
fn id_and_address(folder: &Path) -> (String, u64) {
    let output = |tool: &str, argument: &str| {
        let output =
            Command::new(tool).args([argument, "app"]).current_dir(folder).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let notes = output("readelf", "-n");
    let id = notes.lines().find_map(|line| line.trim().strip_prefix("Build ID: ")).unwrap();
    let symbols = output("nm", "-P");
    let work = symbols.lines().find_map(|line| line.strip_prefix("work T ")).unwrap();
    (id.to_owned(), u64::from_str_radix(work.split(' ').next().unwrap(), 16).unwrap())
}

/// The levels of an address as `addr2line -fiCe` prints them: the function, then file and line, the
/// innermost first.
fn printed(symbols: &LibSymbols, address: u64) -> Vec<String> {
    let mut levels: Vec<_> = symbols.levels(address, Generics::Keep).collect();
    levels.reverse();
    levels
        .iter()
        .flat_map(|level| {
            [level.name.to_owned(), format!("{}:{}", level.file.unwrap_or("??"), level.line)]
        })
        .collect()
}
