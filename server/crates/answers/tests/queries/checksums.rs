//! Sources whose checksum is in the debug info of the recorded program.
//!
//! Clang writes checksums. These programs are built with gcc, and checksums are added to its
//! assembly. Without gcc the tests are skipped with a message, or fail if `COSTLINE_REQUIRE_TOOLS`
//! is set.

use crate::skip::skip_required;
use crate::support::{Project, numbered};
use answers::line_costs;
use profile::{
    AddressBase, Frame, Func, Lib, Metric, Profile, ProfileBuilder, Samples, Thread, Weights,
};
use std::fs;
use std::path::Path;
use std::process::Command;

const APP: &str = "int work(int x) {\n    return x * 2;\n}\n";
const OTHER: &str = "int work(int x) {\n    return x * 3;\n}\n";
/// MD5 of `APP`.
const MD5: [u8; 16] = [
    0x67, 0x51, 0x37, 0x27, 0xad, 0xe6, 0xbf, 0xa3, 0x89, 0x49, 0xf0, 0xe7, 0x75, 0x96, 0xc7, 0x78,
];

/// What the assembler is told as checksum. Its versions differ in the order of the bytes.
const PLACEHOLDER: [u8; 16] = [1, 2, 3, 4, 5, 6, 7, 8, 8, 7, 6, 5, 4, 3, 2, 1];
const BUILD_ID: &str = "c0571e00c0571e00";
/// The address of `work`.
const WORK: u64 = 0x1000;

/// Builds a library from `APP`, recorded as `/build/shop/src/app.c`. `false` if there is no
/// compiler.
fn build(library: &Path) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().canonicalize().unwrap();
    fs::create_dir(path.join("src")).unwrap();
    fs::write(path.join("src/app.c"), APP).unwrap();
    let gcc = |arguments: &[&str]| {
        let output = Command::new("gcc").args(arguments).current_dir(&path).output();
        let Ok(output) = output else {
            skip_required("gcc is not installed");
            return false;
        };
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        true
    };
    let prefix = format!("-ffile-prefix-map={}=/build/shop", path.display());
    if !gcc(&["-O1", "-gdwarf-5", &prefix, "-S", "src/app.c", "-o", "app.s"]) {
        return false;
    }
    let is_file = |line: &str| line.starts_with("\t.file ") && !line.starts_with("\t.file \"");
    let placeholder = format!("{:032x}", u128::from_be_bytes(PLACEHOLDER));
    let assembly = fs::read_to_string(path.join("app.s")).unwrap();
    let assembly: String = assembly
        .lines()
        .map(|line| {
            if is_file(line) {
                format!("{line} md5 0x{placeholder}\n")
            } else {
                format!("{line}\n")
            }
        })
        .collect();
    fs::write(path.join("app.s"), assembly).unwrap();
    let build_id = format!("-Wl,--build-id=0x{BUILD_ID}");
    let text = format!("-Wl,-Ttext={WORK:#x}");
    assert!(gcc(&["-shared", "-nostdlib", &build_id, &text, "app.s", "-o", "app"]));
    let mut bytes = fs::read(path.join("app")).unwrap();
    let found: Vec<usize> =
        (0..bytes.len()).filter(|&at| bytes[at..].starts_with(&PLACEHOLDER)).collect();
    assert_eq!(found.len(), 2, "one for the unit, one for its file");
    for at in found {
        bytes[at..at + 16].copy_from_slice(&MD5);
    }
    fs::write(library, bytes).unwrap();
    true
}

/// One sample in `work`.
fn recording(library: &Path) -> Profile {
    let mut builder = ProfileBuilder::new(vec![Metric::new("samples", "samples", None)], 0);
    let lib = Lib {
        name: "app".to_owned(),
        path: library.to_str().unwrap().to_owned(),
        code_id: BUILD_ID.to_owned(),
        addresses: AddressBase::Image,
        ..Lib::default()
    };
    let lib = builder.intern_lib(lib).unwrap();
    let name = builder.intern_string(&format!("{WORK:#x}")).unwrap();
    let func = Func { name, source: None, lib: Some(lib), line: 0, column: 0 };
    let func = builder.intern_func(func).unwrap();
    let frame = Frame::new(func, 0);
    let frame = builder.intern_frame(frame).unwrap();
    let stack = builder.intern_stack(None, frame).unwrap();
    let samples = Samples::new(vec![Some(stack)], vec![Weights::Ones]);
    builder.push_thread(Thread::default(), samples).unwrap();
    builder.build()
}

/// The hints of each file, if the program was built from `APP`. `None` without a compiler.
fn hints(files: &[(&str, &str)], is_older: bool) -> Option<Vec<String>> {
    let project = Project::new(files);
    let library = project.path("app");
    if !build(&library) {
        return None;
    }
    let recording = recording(&library);
    let loaded =
        if is_older { project.loaded_before_edits(recording) } else { project.loaded(recording) };
    let snapshot = project.load_with_symbols(loaded);
    let names: Vec<&str> = files.iter().map(|(name, _)| *name).collect();
    let context = project.context(snapshot, &names);
    let hints = names.iter().flat_map(|name| {
        let hints = line_costs(&context, &project.uri(name), 0..u32::MAX);
        hints.into_iter().map(move |hint| format!("{name}:{}", numbered(&hint)))
    });
    Some(hints.collect())
}

fn check(files: &[(&str, &str)], is_older: bool, expected: &[&str]) {
    if let Some(hints) = hints(files, is_older) {
        assert_eq!(hints, expected);
    }
}

#[test]
fn a_file_with_the_recorded_checksum_is_the_recorded_text_however_new() {
    check(&[("src/app.c", APP)], true, &["src/app.c:2 100.0%"]);
}

#[test]
fn a_file_with_another_checksum_was_edited_however_old() {
    check(&[("src/app.c", OTHER)], false, &["src/app.c:2 ~100.0%"]);
}

#[test]
fn the_candidate_with_the_recorded_checksum_is_the_file() {
    let files = [("api/src/app.c", OTHER), ("web/src/app.c", APP)];
    check(&files, false, &["web/src/app.c:2 100.0%"]);
    let files = [("api/src/app.c", OTHER), ("web/src/app.c", OTHER)];
    check(&files, false, &[]);
}

#[test]
fn a_file_that_shares_only_its_name_is_confirmed_by_its_checksum() {
    check(&[("lib/app.c", APP)], false, &["lib/app.c:2 100.0%"]);
    check(&[("lib/app.c", OTHER)], false, &[]);
}
