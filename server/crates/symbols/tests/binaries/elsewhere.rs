//! Debug info that lies elsewhere than in the program: put aside by `objcopy`, split off by the compiler.

use crate::{RAYTRACE, binary, id_and_address, lib, resolve, run, told};
use profile::{AddressBase, Lib};
use std::fs;
use std::path::PathBuf;
use symbols::Found;

/// The program in two files in a folder of their own: `raytrace` without debug info, and `debug`.
fn in_two_files(link: &[&str]) -> Option<(tempfile::TempDir, PathBuf)> {
    let folder = tempfile::tempdir().unwrap();
    let whole = folder.path().join("whole");
    fs::copy(binary("raytrace"), &whole).unwrap();
    let ran = run("objcopy", folder.path(), &["--only-keep-debug", "whole", "raytrace.dbg"])
        && run("objcopy", folder.path(), &[&["--strip-all"], link, &["whole", "raytrace"]].concat());
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
fn debug_info_is_found_where_the_program_says() {
    let Some((folder, stripped)) = in_two_files(&["--add-gnu-debuglink=raytrace.dbg"]) else { return };
    let raytrace = lib("raytrace", RAYTRACE);
    assert_eq!(told(&resolve(&raytrace, &[0x1287], &[&stripped], &[]), 0x1287), LINES);
    // Offsets are those of the program: its debug info lies elsewhere in the file.
    let by_offset = Lib { addresses: AddressBase::File, ..raytrace.clone() };
    assert_eq!(told(&resolve(&by_offset, &[0x1287], &[&stripped], &[]), 0x1287), LINES);

    let hidden = folder.path().join(".debug");
    fs::create_dir(&hidden).unwrap();
    fs::rename(folder.path().join("raytrace.dbg"), hidden.join("raytrace.dbg")).unwrap();
    assert_eq!(told(&resolve(&raytrace, &[0x1287], &[&stripped], &[]), 0x1287), LINES);

    // Of another build: the program's exported names remain.
    let other = hidden.join("raytrace.dbg");
    let mut bytes = fs::read(&other).unwrap();
    let id = bytes.windows(4).position(|bytes| bytes == [0x14, 0x1c, 0xf9, 0x87]).unwrap();
    bytes[id] ^= 0xff;
    fs::write(&other, bytes).unwrap();
    let symbols = resolve(&raytrace, &[0x1287], &[&stripped], &[]);
    assert_eq!(symbols.n_resolved(), 0);
    assert_eq!(symbols.found(), &Found::NamesOnly { path: stripped, id: symbols_id(&raytrace) });
}

fn symbols_id(lib: &Lib) -> Option<symbols::Id> {
    match resolve(lib, &[0], &[&binary("raytrace")], &[]).found() {
        Found::DebugInfo { id, .. } => id.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn debug_info_is_found_in_folders_by_build_id_and_by_name() {
    let Some((folder, stripped)) = in_two_files(&[]) else { return };
    let raytrace = lib("raytrace", RAYTRACE);
    let store = tempfile::tempdir().unwrap();
    let aside = folder.path().join("raytrace.dbg");
    for place in [
        ".build-id/14/1cf987ac1361e5958807f566df057aff9696be.debug",
        "raytrace.debug",
        "recorded/bin/raytrace.debug",
        "raytrace/87F91C1413AC61E5958807F566DF057A0/raytrace",
    ] {
        let place = store.path().join(place);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::copy(&aside, &place).unwrap();
        let debug_id = "87F91C1413AC61E5958807F566DF057A0".to_owned();
        let with_both = Lib { debug_id, ..raytrace.clone() };
        let symbols = resolve(&with_both, &[0x1287], &[&stripped], &[store.path()]);
        assert_eq!(told(&symbols, 0x1287), LINES, "{}", place.display());
        // Without the program, too; but what lies at an offset of the program, only the program can tell.
        assert_eq!(told(&resolve(&with_both, &[0x1287], &[], &[store.path()]), 0x1287), LINES);
        let by_offset = Lib { addresses: AddressBase::File, ..with_both };
        assert_eq!(resolve(&by_offset, &[0x1287], &[], &[store.path()]).n_resolved(), 0);
        fs::remove_file(place).unwrap();
    }
    // The file itself, whatever its name.
    assert_eq!(told(&resolve(&raytrace, &[0x1287], &[&stripped], &[&aside]), 0x1287), LINES);
}

#[test]
fn symbols_without_debug_info_are_names_without_lines() {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(binary("raytrace"), folder.path().join("raytrace")).unwrap();
    if !run("objcopy", folder.path(), &["--strip-debug", "raytrace"]) {
        return;
    }
    let symbols = resolve(&lib("raytrace", RAYTRACE), &[0x1287], &[&folder.path().join("raytrace")], &[]);
    assert_eq!(told(&symbols, 0x1287), ["main", "??:0"]);
    let sentence = symbols.found().sentence("raytrace");
    assert!(sentence.contains("raytrace was built without debug info: names without lines; build it with lines"), "{sentence}");
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
fn debug_info_that_was_split_off_is_read() {
    for version in ["-gdwarf-4", "-gdwarf-5"] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        fs::write(path.join("app.c"), SPLIT).unwrap();
        let compile = ["-O1", version, "-gsplit-dwarf", "-fno-omit-frame-pointer", "-Wl,--build-id=sha1", "app.c", "-c"];
        if !run("gcc", path, &compile) || !run("gcc", path, &["-Wl,--build-id=sha1", "app.o", "-o", "app"]) {
            return;
        }
        let (id, work) = id_and_address(path);
        let (app, addresses) = (lib("app", &id), (work..work + 40).collect::<Vec<_>>());
        let program = path.join("app");
        // Somewhere in `work` lies what was `twice`.
        let has_inlined = |symbols: &symbols::LibSymbols| {
            addresses.iter().any(|&address| {
                let told = told(symbols, address);
                told.len() == 4
                    && told[0] == "twice"
                    && told[1].ends_with("app.c:3")
                    && told[2] == "work"
                    && told[3].ends_with("app.c:8")
            })
        };
        let symbols = resolve(&app, &addresses, &[&program], &[]);
        assert!(has_inlined(&symbols), "{version}: {:?}", symbols.found());

        // All in one file instead, as binutils can make it.
        let has_package = version == "-gdwarf-4" && run("dwp", path, &["-e", "app", "-o", "app.dwp"]);
        fs::remove_file(path.join("app.dwo")).unwrap();
        if has_package {
            let symbols = resolve(&app, &addresses, &[&program], &[]);
            assert!(has_inlined(&symbols), "{version}: {:?}", symbols.found());
            fs::remove_file(path.join("app.dwp")).unwrap();
        }

        // Neither: lines stay right, and it is said what is missing.
        let symbols = resolve(&app, &addresses, &[&program], &[]);
        assert!(addresses.iter().all(|&address| told(&symbols, address).len() == 2));
        assert!(addresses.iter().any(|&address| told(&symbols, address)[1].ends_with("app.c:3")));
        let sentence = symbols.found().sentence("app");
        assert!(sentence.contains("1 file of its split debug info not there") && sentence.contains("app.dwo"), "{sentence}");

        // Of another build.
        fs::write(path.join("other.c"), SPLIT.replace("twofold", "threefold")).unwrap();
        assert!(run("gcc", path, &["-O1", version, "-gsplit-dwarf", "other.c", "-c"]));
        fs::rename(path.join("other.dwo"), path.join("app.dwo")).unwrap();
        assert!(!has_inlined(&resolve(&app, &addresses, &[&program], &[])), "{version}: it is another build's");
    }
}

/// As `dump_syms` writes it: a function of 0x40 bytes at 0x1270, into which another one is inlined at 0x1280.
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
fn a_symbol_store_will_do() {
    let store = tempfile::tempdir().unwrap();
    let debug_id = "87F91C1413AC61E5958807F566DF057A0";
    let raytrace = Lib { debug_id: debug_id.to_owned(), ..lib("raytrace", "") };
    let place = store.path().join("raytrace").join(debug_id);
    fs::create_dir_all(&place).unwrap();
    fs::write(place.join("raytrace.sym"), BREAKPAD).unwrap();
    let symbols = resolve(&raytrace, &[0x1270, 0x1287, 0x2000], &[], &[store.path()]);
    assert_eq!(told(&symbols, 0x1270), ["main", "/srv/demo/cpp-raytrace/src/main.cpp:41"]);
    let inlined = ["dot(Vec3, Vec3)", "/srv/demo/cpp-raytrace/src/vec3.hpp:17", "main", "/srv/demo/cpp-raytrace/src/main.cpp:42"];
    assert_eq!(told(&symbols, 0x1287), inlined);
    assert_eq!((symbols.n_resolved(), symbols.n_asked()), (2, 3));

    let other = Lib { debug_id: debug_id.replace("87F9", "87F8"), ..raytrace };
    assert_eq!(resolve(&other, &[0x1287], &[], &[store.path(), &place.join("raytrace.sym")]).n_resolved(), 0);
}
