//! Debug info outside the program: separated by `objcopy`, or split by the compiler.

use crate::binaries::{RAYTRACE, binary, id_and_address, lib, no_kernel, printed, resolve, run};
use profile::{AddressBase, Lib};
use std::cell::Cell;
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use symbols::{Generics, KernelFiles, LibStatus, Search};

/// A folder with the program `raytrace` without debug info, and its debug info in `raytrace.dbg`.
fn in_two_files(link: &[&str]) -> Option<(tempfile::TempDir, PathBuf)> {
    let folder = tempfile::tempdir().unwrap();
    let whole = folder.path().join("whole");
    fs::copy(binary("raytrace"), &whole).unwrap();
    let ran = run("objcopy", folder.path(), &["--only-keep-debug", "whole", "raytrace.dbg"])
        && run(
            "objcopy",
            folder.path(),
            &[&["--strip-all"], link, &["whole", "raytrace"]].concat(),
        );
    fs::remove_file(whole).unwrap();
    let stripped = folder.path().join("raytrace");
    ran.then_some((folder, stripped))
}

const LINES: [&str; 6] = [
    "std::vector<double, std::allocator<double> >::reserve(unsigned long)",
    "/usr/include/c++/12/bits/vector.tcc:98",
    "render",
    "/srv/demo/cpp-raytrace/src/main.cpp:12",
    "main",
    "/srv/demo/cpp-raytrace/src/main.cpp:42",
];

#[test]
fn finds_debug_info_by_debuglink() {
    let Some((folder, stripped)) = in_two_files(&["--add-gnu-debuglink=raytrace.dbg"]) else {
        return;
    };
    let raytrace = lib("raytrace", RAYTRACE);
    assert_eq!(printed(&resolve(&raytrace, &[0x1287], &[&stripped], &[]), 0x1287), LINES);
    // Offsets refer to the program: the file with the debug info has another layout.
    let by_offset = Lib { addresses: AddressBase::File, ..raytrace.clone() };
    assert_eq!(printed(&resolve(&by_offset, &[0x1287], &[&stripped], &[]), 0x1287), LINES);

    let hidden = folder.path().join(".debug");
    fs::create_dir(&hidden).unwrap();
    fs::rename(folder.path().join("raytrace.dbg"), hidden.join("raytrace.dbg")).unwrap();
    assert_eq!(printed(&resolve(&raytrace, &[0x1287], &[&stripped], &[]), 0x1287), LINES);

    // With debug info of another build, only the program's exported names are left.
    let other = hidden.join("raytrace.dbg");
    let mut bytes = fs::read(&other).unwrap();
    let id = bytes.windows(4).position(|bytes| bytes == [0x14, 0x1c, 0xf9, 0x87]).unwrap();
    bytes[id] ^= 0xff;
    fs::write(&other, bytes).unwrap();
    let symbols = resolve(&raytrace, &[0x1287], &[&stripped], &[]);
    assert_eq!(symbols.n_resolved(), 0);
    assert_eq!(
        symbols.status(),
        &LibStatus::NamesOnly { path: stripped, id: symbols_id(&raytrace) }
    );
}

fn symbols_id(lib: &Lib) -> Option<symbols::Id> {
    match resolve(lib, &[0], &[&binary("raytrace")], &[]).status() {
        LibStatus::DebugInfo { id, .. } => id.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn finds_debug_info_in_folders_by_build_id_and_name() {
    let Some((folder, stripped)) = in_two_files(&[]) else { return };
    let raytrace = lib("raytrace", RAYTRACE);
    let store = tempfile::tempdir().unwrap();
    let separate = folder.path().join("raytrace.dbg");
    for place in [
        ".build-id/14/1cf987ac1361e5958807f566df057aff9696be.debug",
        "raytrace.debug",
        "recorded/bin/raytrace.debug",
        "raytrace/87F91C1413AC61E5958807F566DF057A0/raytrace",
    ] {
        let place = store.path().join(place);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::copy(&separate, &place).unwrap();
        let debug_id = "87F91C1413AC61E5958807F566DF057A0".to_owned();
        let with_both = Lib { debug_id, ..raytrace.clone() };
        let symbols = resolve(&with_both, &[0x1287], &[&stripped], &[store.path()]);
        assert_eq!(printed(&symbols, 0x1287), LINES, "{}", place.display());
        // The debug info alone suffices, except for offsets, which only the program can translate.
        assert_eq!(printed(&resolve(&with_both, &[0x1287], &[], &[store.path()]), 0x1287), LINES);
        let by_offset = Lib { addresses: AddressBase::File, ..with_both };
        assert_eq!(resolve(&by_offset, &[0x1287], &[], &[store.path()]).n_resolved(), 0);
        fs::remove_file(place).unwrap();
    }
    // The path of the file itself, whatever its name.
    assert_eq!(printed(&resolve(&raytrace, &[0x1287], &[&stripped], &[&separate]), 0x1287), LINES);
}

#[test]
fn uses_the_copy_that_perf_keeps_of_a_program_that_was_rebuilt() {
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join(".build-id/14/1cf987ac1361e5958807f566df057aff9696be/elf");
    fs::create_dir_all(copy.parent().unwrap()).unwrap();
    fs::copy(binary("raytrace"), &copy).unwrap();
    let raytrace = lib("raytrace", RAYTRACE);
    let rebuilt = [binary("wordstat")];
    let kernel = KernelFiles { copies: Some(folder.path().to_owned()), ..no_kernel() };
    let no_paths: &[PathBuf] = &[];
    let of_user = [folder.path().to_owned()];
    // perf's cache in the home folder, or one in `symbols.paths`.
    for (kernel, paths) in [(&kernel, no_paths), (&no_kernel(), &of_user)] {
        let search = Search {
            candidates: &|_| rebuilt.to_vec(),
            programs: &Vec::new,
            paths,
            profile_modified: None,
            kernel,
            memory: &Cell::new(u64::MAX),
            is_network_path: |_| false,
        };
        assert_eq!(search.binary(&raytrace).unwrap().0, copy);
        let other = lib("raytrace", &RAYTRACE.replace("141c", "141d"));
        assert!(search.binary(&other).is_err());
    }
}

#[test]
fn finds_debug_info_by_the_id_in_the_file_if_none_was_recorded() {
    let Some((folder, stripped)) = in_two_files(&[]) else { return };
    let store = tempfile::tempdir().unwrap();
    let (of_stripped, of_other) = (
        store.path().join(".build-id/14/1cf987ac1361e5958807f566df057aff9696be.debug"),
        store.path().join("raytrace.debug"),
    );
    fs::create_dir_all(of_stripped.parent().unwrap()).unwrap();
    fs::copy(binary("wordstat"), &of_other).unwrap();
    let resolved = || resolve(&lib("raytrace", ""), &[0x1287], &[&stripped], &[store.path()]);
    assert!(!printed(&resolved(), 0x1287).contains(&LINES[1].to_owned()));
    fs::copy(folder.path().join("raytrace.dbg"), &of_stripped).unwrap();
    assert_eq!(printed(&resolved(), 0x1287), LINES);
}

#[test]
fn symbols_without_debug_info_give_names_without_lines() {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(binary("raytrace"), folder.path().join("raytrace")).unwrap();
    if !run("objcopy", folder.path(), &["--strip-debug", "raytrace"]) {
        return;
    }
    let symbols =
        resolve(&lib("raytrace", RAYTRACE), &[0x1287], &[&folder.path().join("raytrace")], &[]);
    assert_eq!(printed(&symbols, 0x1287), ["main", "??:0"]);
    let sentence = symbols.status().message("raytrace");
    assert!(
        sentence.contains(
            "raytrace has no debug info, so its functions have no lines: build it with debug info"
        ),
        "{sentence}"
    );
}

const SPLIT: &str = "
static inline __attribute__((always_inline)) int twice(int x) {
    volatile int twofold = x * 2;
    return twofold;
}
int work(int x) {
    volatile int sum = 0;
    sum += twice(x);
    return sum;
}
int main(int argc, char **argv) {
    (void)argv;
    return work(argc);
}
";

#[test]
fn reads_split_debug_info() {
    for version in ["-gdwarf-4", "-gdwarf-5"] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        fs::write(path.join("app.c"), SPLIT).unwrap();
        let compile = [
            "-O1",
            version,
            "-gsplit-dwarf",
            "-fno-omit-frame-pointer",
            "-Wl,--build-id=sha1",
            "app.c",
            "-c",
        ];
        if !run("gcc", path, &compile)
            || !run("gcc", path, &["-Wl,--build-id=sha1", "app.o", "-o", "app"])
        {
            return;
        }
        let (id, work) = id_and_address(path);
        let (app, addresses) = (lib("app", &id), (work..work + 40).collect::<Vec<_>>());
        let program = path.join("app");
        // `twice` is inlined somewhere in `work`.
        let has_inlined = |symbols: &symbols::LibSymbols| {
            addresses.iter().any(|&address| {
                let levels = printed(symbols, address);
                levels.len() == 4
                    && levels[0] == "twice"
                    && levels[1].ends_with("app.c:3")
                    && levels[2] == "work"
                    && levels[3].ends_with("app.c:8")
            })
        };
        let symbols = resolve(&app, &addresses, &[&program], &[]);
        assert!(has_inlined(&symbols), "{version}: {:?}", symbols.status());

        // All of it in one file, as binutils can package it.
        let has_package =
            version == "-gdwarf-4" && run("dwp", path, &["-e", "app", "-o", "app.dwp"]);
        fs::remove_file(path.join("app.dwo")).unwrap();
        if has_package {
            let symbols = resolve(&app, &addresses, &[&program], &[]);
            assert!(has_inlined(&symbols), "{version}: {:?}", symbols.status());
            fs::remove_file(path.join("app.dwp")).unwrap();
        }

        // Without split debug info, lines are still right, and the message names what is missing.
        let symbols = resolve(&app, &addresses, &[&program], &[]);
        assert!(addresses.iter().all(|&address| printed(&symbols, address).len() == 2));
        assert!(
            addresses.iter().any(|&address| printed(&symbols, address)[1].ends_with("app.c:3"))
        );
        let sentence = symbols.status().message("app");
        assert!(
            sentence.contains("1 file of split debug info not found")
                && sentence.contains("app.dwo"),
            "{sentence}"
        );

        // Split debug info of another build.
        fs::write(path.join("other.c"), SPLIT.replace("twofold", "threefold")).unwrap();
        assert!(run("gcc", path, &["-O1", version, "-gsplit-dwarf", "other.c", "-c"]));
        fs::rename(path.join("other.dwo"), path.join("app.dwo")).unwrap();
        assert!(
            !has_inlined(&resolve(&app, &addresses, &[&program], &[])),
            "{version}: the file belongs to another build"
        );
    }
}

#[test]
fn a_function_without_split_debug_info_is_in_the_file_of_its_first_instruction() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let (before, after) = SPLIT.split_at(SPLIT.find("int work").unwrap());
    fs::write(path.join("twice.h"), before).unwrap();
    fs::write(path.join("app.c"), format!("#include \"twice.h\"\n{after}")).unwrap();
    let link = ["-Wl,--build-id=sha1", "app.o", "-o", "app"];
    if !run("gcc", path, &["-O1", "-g", "-gsplit-dwarf", "app.c", "-c"]) || !run("gcc", path, &link)
    {
        return;
    }
    fs::remove_file(path.join("app.dwo")).unwrap();
    let (id, work) = id_and_address(path);
    // It has more bytes.
    let addresses: Vec<u64> = (work..work + 16).collect();
    let symbols = resolve(&lib("app", &id), &addresses, &[&path.join("app")], &[]);
    let levels = addresses.iter().flat_map(|&address| symbols.levels(address, Generics::Keep));
    let mut files = BTreeSet::new();
    for level in levels {
        let declared = level.declared.map(|(file, line)| (file.rsplit('/').next(), line));
        assert_eq!((level.name, declared), ("work", Some((Some("app.c"), 0))));
        files.extend(level.file.and_then(|file| file.rsplit('/').next()));
    }
    assert_eq!(files, ["app.c", "twice.h"].into());
}

/// Written like `dump_syms` does: a function of 0x40 bytes at 0x1270, with another one inlined at
/// 0x1280.
const BREAKPAD: &str = "\
MODULE Linux x86_64 87F91C1413AC61E5958807F566DF057A0 raytrace
INFO CODE_ID 141CF987AC1361E5958807F566DF057AFF9696BE
FILE 0 /srv/demo/cpp-raytrace/src/main.cpp
FILE 1 /srv/demo/cpp-raytrace/src/vec3.hpp
INLINE_ORIGIN 0 dot(Vec3, Vec3)
FUNC 1270 40 0 main
INLINE 0 42 0 0 1280 10
1270 10 41 0
1280 10 17 1
1290 20 43 0
";

#[test]
fn reads_symbol_stores() {
    let store = tempfile::tempdir().unwrap();
    let debug_id = "87F91C1413AC61E5958807F566DF057A0";
    let raytrace = Lib { debug_id: debug_id.to_owned(), ..lib("raytrace", "") };
    let place = store.path().join("raytrace").join(debug_id);
    fs::create_dir_all(&place).unwrap();
    fs::write(place.join("raytrace.sym"), BREAKPAD).unwrap();
    let symbols = resolve(&raytrace, &[0x1270, 0x1287, 0x2000], &[], &[store.path()]);
    assert_eq!(printed(&symbols, 0x1270), ["main", "/srv/demo/cpp-raytrace/src/main.cpp:41"]);
    let inlined = [
        "dot(Vec3, Vec3)",
        "/srv/demo/cpp-raytrace/src/vec3.hpp:17",
        "main",
        "/srv/demo/cpp-raytrace/src/main.cpp:42",
    ];
    assert_eq!(printed(&symbols, 0x1287), inlined);
    assert_eq!((symbols.n_resolved(), symbols.n_looked_up()), (2, 3));

    let other = Lib { debug_id: debug_id.replace("87F9", "87F8"), ..raytrace };
    assert_eq!(
        resolve(&other, &[0x1287], &[], &[store.path(), &place.join("raytrace.sym")]).n_resolved(),
        0
    );
}
