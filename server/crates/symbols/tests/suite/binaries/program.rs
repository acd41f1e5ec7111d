//! A program that its profile does not name, found by the size of its code.

use super::no_kernel;
use profile::{AddressBase, Lib};
use std::cell::Cell;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use symbols::{Cache, Generics, LibStatus, LibSymbols, Search};

/// `nm` says that `etext` is 0x14f5.
const TEXT_SIZE: u64 = 0x14f8;

fn sudoku() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../fixtures/profiles/gprof/c-sudoku/bin/sudoku")
        .canonicalize()
        .unwrap()
}

/// The symbols of a program with this size of code.
fn resolved(
    text_size: u64,
    programs: &[PathBuf],
    paths: &[PathBuf],
    profile_modified: Option<SystemTime>,
) -> LibSymbols {
    let lib = Lib { addresses: AddressBase::Image, text_size, ..Lib::default() };
    let search = Search {
        candidates: &|_| Vec::new(),
        programs: &|| programs.to_vec(),
        paths,
        profile_modified,
        kernel: &no_kernel(),
        memory: &Cell::new(u64::MAX),
        is_network_path: |_| false,
    };
    let addresses = [0x1270, 0x1274];
    let go_on = &mut |_, _| ControlFlow::Continue(());
    Cache::default().resolve(&lib, &addresses, &search, None, go_on).as_ref().clone()
}

#[test]
fn the_program_whose_code_has_the_size_is_read() {
    let programs = [super::binary("raytrace"), PathBuf::from("/dev/null"), sudoku()];
    let symbols = resolved(TEXT_SIZE, &programs, &[], None);
    assert!(
        matches!(symbols.status(), LibStatus::DebugInfo { path, id: None, .. } if *path == sudoku())
    );
    // The second address is after the function, whose last byte is at 0x1271.
    for address in [0x1270, 0x1274] {
        let names: Vec<_> = symbols.levels(address, Generics::Keep).map(|it| it.name).collect();
        assert_eq!(names, ["in_box"], "{address:#x}");
    }
}

#[test]
fn no_program_and_several_are_told_apart() {
    let unnamed = |symbols: &LibSymbols| match symbols.status() {
        LibStatus::Unnamed { fitting } => fitting.len(),
        status => panic!("{status:?}"),
    };
    assert_eq!(unnamed(&resolved(TEXT_SIZE + 4, &[sudoku()], &[], None)), 0);
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().canonicalize().unwrap().join("copy");
    std::fs::copy(sudoku(), &copy).unwrap();
    let both = [sudoku(), copy.clone()];
    assert_eq!(unnamed(&resolved(TEXT_SIZE, &both, &[], None)), 2);
    // The user may choose one, by itself or by its folder.
    for path in [copy.clone(), folder.path().to_owned()] {
        let symbols = resolved(TEXT_SIZE, &both, &[path], None);
        assert!(matches!(symbols.status(), LibStatus::DebugInfo { path, .. } if *path == copy));
    }
}

#[test]
fn a_program_that_is_newer_than_the_profile_is_not_read() {
    let symbols = resolved(TEXT_SIZE, &[sudoku()], &[], Some(SystemTime::UNIX_EPOCH));
    assert!(matches!(symbols.status(), LibStatus::Newer { path } if *path == sudoku()));
}
