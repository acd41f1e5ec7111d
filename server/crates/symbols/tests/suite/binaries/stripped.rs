//! Stripped programs: with symbols in a compressed section, with a debug link but no build id, with
//! debug info shared by several programs.

use crate::binaries::{id_and_address, lib, printed, resolve, run};
use profile::Lib;
use std::fs;
use std::path::Path;
use std::process::Command;
use symbols::LibStatus;

const PROGRAM: &str = "
static inline __attribute__((always_inline)) int twice(int x) {
    volatile int twofold = x * 2;
    return twofold;
}
__attribute__((noinline)) int work(int x) {
    volatile int sum = 0;
    sum += twice(x);
    return sum;
}
int main(int argc, char **argv) {
    (void)argv;
    return work(argc);
}
";

/// Compiles a program; `false` if there is no compiler.
fn compiles(folder: &Path, program: &str, options: &[&str]) -> bool {
    fs::write(folder.join("app.c"), program).unwrap();
    run("gcc", folder, &[&["-O1", "-g"], options, &["app.c", "-o", "app"]].concat())
}

/// Output of `addr2line -fiCe` for an address.
fn expected(folder: &Path, program: &str, address: u64) -> Vec<String> {
    let arguments = ["-fiCe", program, &format!("{address:#x}")].map(str::to_owned);
    let output = Command::new("addr2line").args(arguments).current_dir(folder).output().unwrap();
    let lines = String::from_utf8(output.stdout).unwrap();
    lines.lines().map(|line| line.split(" (discriminator").next().unwrap().to_owned()).collect()
}

#[test]
fn reads_symbols_from_a_compressed_section() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    if !compiles(path, PROGRAM, &["-Wl,--build-id=sha1"]) {
        return;
    }
    let (id, work) = id_and_address(path);
    // As Fedora builds it.
    let has_tools = run("objcopy", path, &["--only-keep-debug", "app", "symbols"])
        && run("objcopy", path, &["-S", "--keep-symbol=work", "symbols", "mini"])
        && run("xz", path, &["mini"])
        && run("objcopy", path, &["--strip-all", "--add-section", ".gnu_debugdata=mini.xz", "app"]);
    if !has_tools {
        return;
    }
    let (app, program) = (lib("app", &id), path.join("app"));
    let symbols = resolve(&app, &[work, work + 5], &[&program], &[]);
    assert_eq!(printed(&symbols, work + 5), ["work", "??:0"]);
    assert!(matches!(symbols.status(), LibStatus::NamesOnly { .. }), "{:?}", symbols.status());

    // A malformed section, or one that needs too much memory, is ignored.
    let mini = fs::read(path.join("mini.xz")).unwrap();
    for at in [0, 14, mini.len() / 2] {
        let mut broken = mini.clone();
        broken[at] = 0xff;
        fs::write(path.join("mini.xz"), broken).unwrap();
        assert!(run("objcopy", path, &["--update-section", ".gnu_debugdata=mini.xz", "app"]));
        assert_eq!(resolve(&app, &[work], &[&program], &[]).n_resolved(), 0, "byte {at}");
    }
}

#[test]
fn finds_debug_info_without_build_id_by_checksum() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    if !compiles(path, PROGRAM, &["-Wl,--build-id=none"]) {
        return;
    }
    let output = Command::new("nm").args(["-P", "app"]).current_dir(path).output().unwrap();
    let names = String::from_utf8(output.stdout).unwrap();
    let work =
        names.lines().find_map(|line| line.strip_prefix("work T ")?.split(' ').next()).unwrap();
    let work = u64::from_str_radix(work, 16).unwrap();
    let expected = expected(path, "app", work);
    let has_tools = run("objcopy", path, &["--only-keep-debug", "app", "app.debug"])
        && run("objcopy", path, &["--strip-all", "--add-gnu-debuglink=app.debug", "app"]);
    if !has_tools {
        return;
    }
    let (app, program) = (Lib { code_id: String::new(), ..lib("app", "") }, path.join("app"));
    assert_eq!(printed(&resolve(&app, &[work], &[&program], &[]), work), expected);

    // In a folder of `symbols.paths`.
    let store = tempfile::tempdir().unwrap();
    fs::rename(path.join("app.debug"), store.path().join("app.debug")).unwrap();
    assert_eq!(printed(&resolve(&app, &[work], &[&program], &[store.path()]), work), expected);
    // Of another build.
    let mut bytes = fs::read(store.path().join("app.debug")).unwrap();
    bytes.push(0);
    fs::write(store.path().join("app.debug"), bytes).unwrap();
    assert_eq!(resolve(&app, &[work], &[&program], &[store.path()]).n_resolved(), 0);
}

/// `dwz` moves the inlined functions of both programs to the shared file.
const TWINS: &str = "
static inline __attribute__((always_inline)) int twice_as_much_as_before(int x) {
    volatile int twofold_number_of_things = x * 2;
    volatile int another_number_of_things = twofold_number_of_things + 1;
    return twofold_number_of_things + another_number_of_things;
}
static inline __attribute__((always_inline)) int thrice_as_much_as_before(int x) {
    volatile int threefold_number_of_things = x * 3;
    return threefold_number_of_things + twice_as_much_as_before(x);
}
__attribute__((noinline)) int work(int x) {
    volatile int sum = 0;
    sum += twice_as_much_as_before(x) + thrice_as_much_as_before(x);
    return sum;
}
int main(int argc, char **argv) {
    (void)argv;
    return work(argc) + twice_as_much_as_before(argc);
}
";

#[test]
fn reads_debug_info_shared_by_several_programs() {
    for version in ["-gdwarf-4", "-gdwarf-5"] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        if !compiles(path, TWINS, &["-Wl,--build-id=sha1", version]) {
            return;
        }
        let (id, work) = id_and_address(path);
        let addresses: Vec<u64> = (work..work + 0x40).collect();
        let expected: Vec<_> =
            addresses.iter().map(|&address| expected(path, "app", address)).collect();
        assert!(expected.iter().any(|lines| lines.len() == 6), "{expected:?}");
        fs::copy(path.join("app"), path.join("twin")).unwrap();
        if !run("dwz", path, &["-m", "shared.debug", "app", "twin"]) {
            return;
        }
        let names = fs::read(path.join("app")).unwrap();
        let is_moved = !names.windows(18).any(|bytes| bytes == b"thrice_as_much_as_");
        assert!(is_moved, "the name of an inlined function should be in the shared file only");

        let symbols = resolve(&lib("app", &id), &addresses, &[&path.join("app")], &[]);
        for (&address, expected) in addresses.iter().zip(&expected) {
            assert_eq!(&printed(&symbols, address), expected, "{version} {address:#x}");
        }
        let declared = addresses.iter().flat_map(|&address| {
            symbols.levels(address, symbols::Generics::Keep).collect::<Vec<_>>()
        });
        let thrice =
            declared.into_iter().find(|level| level.name == "thrice_as_much_as_before").unwrap();
        let (file, line) = thrice.declared.unwrap();
        assert!(file.ends_with("app.c") && line == 7, "{version}: {file}:{line}");
    }
}
