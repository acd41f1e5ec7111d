//! Real programs: addresses that other tools know the lines of, builds that are not the recorded one, and debug info that was
//! moved elsewhere.

#![cfg(feature = "debug-info")]
#![allow(clippy::unwrap_used, reason = "in tests a panic is the message")]

mod elsewhere;
mod known;
mod refused;

use profile::{AddressBase, Lib};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use symbols::{Cache, Generics, LibSymbols, Search};

const RAYTRACE: &str = "141cf987ac1361e5958807f566df057aff9696be";

/// A program that a profile of `fixtures` was recorded of.
fn binary(name: &str) -> PathBuf {
    let case = if name == "wordstat" { "samply/rust-wordstat" } else { "perf-data/cpp-raytrace-fp" };
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../fixtures/profiles").join(case).join("bin").join(name)
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

/// Looks addresses up, with what the recorded path may mean and what the user names.
fn resolve(lib: &Lib, addresses: &[u64], candidates: &[&Path], paths: &[&Path]) -> Arc<LibSymbols> {
    resolve_in(&Cache::default(), lib, addresses, candidates, paths)
}

fn resolve_in(cache: &Cache, lib: &Lib, addresses: &[u64], candidates: &[&Path], paths: &[&Path]) -> Arc<LibSymbols> {
    let own = |recorded: &str| if recorded == lib.path { candidates.iter().map(PathBuf::from).collect() } else { Vec::new() };
    let paths: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
    let search = Search { candidates: &own, paths: &paths, profile_modified: None };
    cache.resolve(lib, addresses, &search, None, &mut |_, _| ControlFlow::Continue(()))
}

/// The levels of an address as `addr2line -fiCe` prints them: a line with the function, a line with file and line, the innermost
/// first.
fn told(symbols: &LibSymbols, address: u64) -> Vec<String> {
    let mut levels: Vec<_> = symbols.levels(address, Generics::Keep).collect();
    levels.reverse();
    let told = |level: &profile::Level<'_>| [level.name.to_owned(), format!("{}:{}", level.file.unwrap_or("??"), level.line)];
    levels.iter().flat_map(told).collect()
}
