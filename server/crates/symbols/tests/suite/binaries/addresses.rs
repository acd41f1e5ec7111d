//! Addresses whose functions and lines other tools know.

use crate::binaries::{RAYTRACE, binary, lib, no_kernel, printed, resolve, resolve_in};
use profile::{AddressBase, Lib};
use std::cell::Cell;
use std::ops::ControlFlow;
use symbols::{Cache, LibStatus, Search};

const WORDSTAT: &str = "10bb890557f1f5881ec013128d89cef488ab5525";

/// Output of GNU `addr2line -a -fiCe` 2.40; `llvm-symbolizer` 14 agrees.
const OF_RAYTRACE: &str = "
0x1287
std::vector<double, std::allocator<double> >::reserve(unsigned long)
/usr/include/c++/12/bits/vector.tcc:98
render
/srv/demo/cpp-raytrace/src/main.cpp:12
main
/srv/demo/cpp-raytrace/src/main.cpp:42

0x1388
double& std::vector<double, std::allocator<double> >::emplace_back<double>(double&&)
/usr/include/c++/12/bits/vector.tcc:119
std::vector<double, std::allocator<double> >::push_back(double&&)
/usr/include/c++/12/bits/stl_vector.h:1294
render
/srv/demo/cpp-raytrace/src/main.cpp:16
main
/srv/demo/cpp-raytrace/src/main.cpp:42
";

const OF_WORDSTAT: &str = "
0x22ce7
std::sync::mpmc::counter::new
/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/std/src/sync/mpmc/counter.rs:21
std::sync::mpmc::channel
/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/std/src/sync/mpmc/mod.rs:199
std::sync::mpsc::channel
/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/std/src/sync/mpsc.rs:520
wordstat::main
/srv/demo/rust-wordstat/src/main.rs:83

0x22eed
std::thread::builder::Builder::spawn_unchecked
/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/std/src/thread/builder.rs:261
std::thread::builder::Builder::spawn
/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/std/src/thread/builder.rs:191
wordstat::main
/srv/demo/rust-wordstat/src/main.rs:89
";

fn assert_resolves(lib: &Lib, output: &str) {
    let blocks: Vec<Vec<&str>> =
        output.trim().split("\n\n").map(|block| block.lines().collect()).collect();
    let address =
        |block: &[&str]| u64::from_str_radix(block[0].strip_prefix("0x").unwrap(), 16).unwrap();
    let addresses: Vec<u64> = blocks.iter().map(|block| address(block)).collect();
    let symbols = resolve(lib, &addresses, &[&binary(&lib.name)], &[]);
    for block in blocks {
        assert_eq!(
            printed(&symbols, address(&block)),
            block[1..],
            "{}",
            symbols.status().message(&lib.name)
        );
    }
    assert_eq!((symbols.n_resolved(), symbols.n_looked_up()), (addresses.len(), addresses.len()));
}

#[test]
fn resolves_addresses_like_other_tools() {
    assert_resolves(&lib("raytrace", RAYTRACE), OF_RAYTRACE);
    assert_resolves(&lib("wordstat", WORDSTAT), OF_WORDSTAT);
}

#[test]
fn finds_the_library_by_either_id() {
    // A Breakpad id is the first 16 bytes of the build id, read as a GUID.
    let debug_id = "0589BB10F15788F51EC013128D89CEF40".to_owned();
    assert_resolves(&Lib { debug_id, ..lib("wordstat", "") }, OF_WORDSTAT);
    // `perf` pads ids to 20 bytes.
    assert!(
        resolve(&lib("raytrace", &RAYTRACE.to_uppercase()), &[0x1287], &[&binary("raytrace")], &[])
            .n_resolved()
            == 1
    );
}

#[test]
fn translates_file_offsets() {
    // The code of wordstat is at 0x1aa90 in the file and at 0x1ba90 in memory.
    let by_offset = Lib { addresses: AddressBase::File, ..lib("wordstat", WORDSTAT) };
    let symbols = resolve(&by_offset, &[0x21ce7, 0x100], &[&binary("wordstat")], &[]);
    assert_eq!(printed(&symbols, 0x21ce7), OF_WORDSTAT.lines().skip(2).take(8).collect::<Vec<_>>());
    assert_eq!(
        symbols.levels(0x100, symbols::Generics::Keep).count(),
        0,
        "there is no code at this offset"
    );
}

#[test]
fn leaves_addresses_outside_functions_unresolved() {
    // Padding after `main`, read-only data, an address outside the file.
    let symbols = resolve(
        &lib("raytrace", RAYTRACE),
        &[0x1819, 0x4010, 0xffff_ffff_ffff],
        &[&binary("raytrace")],
        &[],
    );
    assert_eq!((symbols.n_resolved(), symbols.n_looked_up()), (0, 3));
}

#[test]
fn cached_addresses_need_no_files() {
    let (cache, raytrace) = (Cache::default(), lib("raytrace", RAYTRACE));
    let path = binary("raytrace");
    assert!(cache.get(&raytrace).is_none());
    resolve_in(&cache, &raytrace, &[0x1287, 0x4010], &[&path], &[]);
    let n_searches = Cell::new(0);
    let candidates = |_: &str| {
        n_searches.set(n_searches.get() + 1);
        vec![path.clone()]
    };
    let search = Search {
        candidates: &candidates,
        programs: &Vec::new,
        paths: &[],
        profile_modified: None,
        kernel: &no_kernel(),
        memory: &Cell::new(u64::MAX),
        is_network_path: |_| false,
    };
    let mut observe = |_, _| ControlFlow::Continue(());
    let symbols = cache.resolve(&raytrace, &[0x4010, 0x1287], &search, None, &mut observe);
    assert_eq!((symbols.n_resolved(), n_searches.get()), (1, 0), "all of them are cached");
    let symbols = cache.resolve(&raytrace, &[0x1287, 0x1388], &search, None, &mut observe);
    assert_eq!((symbols.n_resolved(), symbols.n_looked_up()), (2, 3));
    assert_eq!(cache.get(&raytrace).unwrap().n_resolved(), 2);
}

#[test]
fn a_cancelled_lookup_continues_where_it_ended() {
    let (cache, raytrace) = (Cache::default(), lib("raytrace", RAYTRACE));
    let path = binary("raytrace");
    let candidates = |_: &str| vec![path.clone()];
    let search = Search {
        candidates: &candidates,
        programs: &Vec::new,
        paths: &[],
        profile_modified: None,
        kernel: &no_kernel(),
        memory: &Cell::new(u64::MAX),
        is_network_path: |_| false,
    };
    let addresses: Vec<u64> = (0x1170..0x2170).collect();
    let mut progress = Vec::new();
    let symbols = cache.resolve(&raytrace, &addresses, &search, None, &mut |done, of| {
        progress.push((done, of));
        if progress.len() == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert_eq!(symbols.n_looked_up(), 2048);
    assert_eq!(progress, [(1024, 4096), (2048, 4096)]);
    let symbols = cache.resolve(&raytrace, &addresses, &search, None, &mut |_, of| {
        assert_eq!(of, 2048);
        ControlFlow::Continue(())
    });
    assert_eq!(symbols.n_looked_up(), 4096);
    assert!(matches!(symbols.status(), LibStatus::DebugInfo { .. }));
}

#[test]
fn returns_the_bytes_of_the_program() {
    let path = binary("raytrace");
    let candidates = |_: &str| vec![path.clone()];
    let search = Search {
        candidates: &candidates,
        programs: &Vec::new,
        paths: &[],
        profile_modified: None,
        kernel: &no_kernel(),
        memory: &Cell::new(u64::MAX),
        is_network_path: |_| false,
    };
    let (found, bytes) = search.binary(&lib("raytrace", RAYTRACE)).unwrap();
    assert_eq!((found, bytes), (path.clone(), std::fs::read(&path).unwrap()));
}
