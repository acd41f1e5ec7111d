//! Files that are not the recorded ones.

use crate::binaries::{RAYTRACE, binary, lib, no_kernel, resolve, resolve_in, run};
use profile::Lib;
use samply_symbols::object::{File, Object as _, ObjectSection as _};
use std::cell::Cell;
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use symbols::{Cache, LibStatus, LibSymbols, Search};

#[test]
fn rejects_another_build_with_both_ids() {
    let recorded = "00112233445566778899aabbccddeeff00112233";
    let symbols = resolve(&lib("raytrace", recorded), &[0x1287], &[&binary("raytrace")], &[]);
    assert_eq!(symbols.n_resolved(), 0);
    let sentence = symbols.status().message("raytrace");
    assert!(
        sentence.contains(recorded)
            && sentence.contains(RAYTRACE)
            && sentence.contains("/raytrace is a different build"),
        "{sentence}"
    );
    assert!(
        sentence.ends_with("profile again, or add the old file to symbols.paths"),
        "{sentence}"
    );
}

#[test]
fn searches_again_for_missing_libraries() {
    let folder = tempfile::tempdir().unwrap();
    let (cache, raytrace) = (Cache::default(), lib("raytrace", RAYTRACE));
    let path = folder.path().join("raytrace");
    let symbols = resolve_in(&cache, &raytrace, &[0x1287], &[&path], &[]);
    assert_eq!(symbols.n_resolved(), 0);
    let sentence = symbols.status().message("raytrace");
    let advice = "add the file to symbols.paths (`--symbols`), or map its folder with pathMappings (`--map`)";
    assert_eq!(sentence, format!("raytrace: /recorded/bin/raytrace does not exist here: {advice}"));

    fs::copy(binary("raytrace"), &path).unwrap();
    assert_eq!(resolve_in(&cache, &raytrace, &[0x1287], &[&path], &[]).n_resolved(), 1);

    // After a rebuild, cached addresses stay and new ones are not guessed.
    fs::write(&path, "a script now").unwrap();
    let symbols = resolve_in(&cache, &raytrace, &[0x1287, 0x1388], &[&path], &[]);
    assert_eq!(symbols.n_resolved(), 1);
    assert!(matches!(symbols.status(), LibStatus::Mismatch { .. }), "{:?}", symbols.status());
}

#[test]
fn survives_malformed_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("raytrace");
    let bytes = fs::read(binary("raytrace")).unwrap();
    // Truncated at every 1/40, and with every 997th byte after the build id flipped.
    let cut = (1..40).map(|i| bytes[..bytes.len() * i / 40].to_vec());
    let flipped = (0..40_usize).map(|i| {
        let mut bytes = bytes.clone();
        bytes.iter_mut().skip(0x400 + i).step_by(997).for_each(|byte| *byte ^= 0xff);
        bytes
    });
    for broken in cut.chain(flipped) {
        fs::write(&path, broken).unwrap();
        let addresses: Vec<u64> = (0x1170..0x3020).step_by(16).collect();
        assert!(
            resolve(&lib("raytrace", RAYTRACE), &addresses, &[&path], &[]).n_looked_up()
                <= addresses.len()
        );
    }
}

/// Looks up addresses for a profile without ids.
/// Compressed debug info is read, unless a section claims to be much larger than it can be. Inflating
/// it would reserve that much memory.
#[test]
fn rejects_debug_info_that_claims_too_much_memory() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("raytrace");
    fs::copy(binary("raytrace"), &path).unwrap();
    if !run("objcopy", folder.path(), &["--compress-debug-sections=zlib", "raytrace"]) {
        return;
    }
    let library = lib("raytrace", RAYTRACE);
    let symbols = resolve(&library, &[0x1287], &[&path], &[]);
    assert!(matches!(symbols.status(), LibStatus::DebugInfo { .. }), "{:?}", symbols.status());

    let mut bytes = fs::read(&path).unwrap();
    let data = {
        let program = File::parse(&*bytes).unwrap();
        let section = program.section_by_name(".debug_str").unwrap();
        usize::try_from(section.compressed_file_range().unwrap().offset).unwrap()
    };
    // The header before the data: type, reserved, size, alignment.
    bytes[data - 16..data - 8].copy_from_slice(&(2_u64 << 30).to_le_bytes());
    fs::write(&path, bytes).unwrap();
    let symbols = resolve(&library, &[0x1287], &[&path], &[]);
    assert_eq!(symbols.n_resolved(), 0);
    let sentence = symbols.status().message("raytrace");
    assert!(sentence.contains("compressed sections up to .debug_str claim 2048 MiB"), "{sentence}");
}

fn resolve_without_id(
    candidates: &[&Path],
    addresses: &[u64],
    profile_modified: Option<SystemTime>,
) -> Arc<LibSymbols> {
    let for_lib = |_: &str| candidates.iter().map(PathBuf::from).collect();
    let search = Search {
        candidates: &for_lib,
        programs: &Vec::new,
        paths: &[],
        profile_modified,
        kernel: &no_kernel(),
        memory: &Cell::new(u64::MAX),
        is_network_path: |_| false,
    };
    Cache::default().resolve(&lib("raytrace", ""), addresses, &search, None, &mut |_, _| {
        ControlFlow::Continue(())
    })
}

#[test]
fn without_id_the_file_must_be_unique_old_enough_and_contain_the_code() {
    let folder = tempfile::tempdir().unwrap();
    let path = binary("raytrace");
    let built = path.metadata().unwrap().modified().unwrap();
    let later = Some(built + Duration::from_secs(1));

    let symbols = resolve_without_id(&[&path, &folder.path().join("raytrace")], &[0x1287], later);
    assert_eq!(symbols.n_resolved(), 1);
    assert!(matches!(symbols.status(), LibStatus::DebugInfo { id: None, .. }));
    assert!(
        symbols
            .status()
            .message("raytrace")
            .contains("if the file was rebuilt, names and lines are wrong")
    );

    let symbols = resolve_without_id(&[&path], &[0x1287], Some(built - Duration::from_secs(1)));
    assert!(matches!(symbols.status(), LibStatus::Newer { .. }) && symbols.n_resolved() == 0);

    let other = folder.path().join("raytrace");
    fs::copy(&path, &other).unwrap();
    let symbols = resolve_without_id(&[&path, &other], &[0x1287], None);
    assert!(matches!(symbols.status(), LibStatus::Ambiguous { .. }) && symbols.n_resolved() == 0);

    // There is no code at 0x4010.
    let symbols = resolve_without_id(&[&path], &[0x1287, 0x4010], later);
    assert!(matches!(symbols.status(), LibStatus::Outside { .. }) && symbols.n_resolved() == 0);

    // Not cached: the next profile may be of the next build.
    let without_id = Lib { code_id: "0000000000".to_owned(), ..lib("raytrace", "") };
    let cache = Cache::default();
    assert_eq!(resolve_in(&cache, &without_id, &[0x1287], &[&path], &[]).n_resolved(), 1);
    assert!(cache.get(&without_id).is_none());
}

#[cfg(unix)]
#[test]
fn opens_only_regular_files() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("raytrace");
    let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    let zero = Path::new("/dev/zero");
    let symbols =
        resolve(&lib("raytrace", RAYTRACE), &[0x1287], &[&socket, zero, folder.path()], &[]);
    assert!(matches!(symbols.status(), LibStatus::Missing { .. }), "{:?}", symbols.status());
}

#[test]
fn the_message_about_a_library_without_a_name_says_so() {
    assert_eq!(
        LibStatus::Missing { recorded: String::new() }.message(""),
        "(no name): the profile does not say where the file is: add it to symbols.paths (`--symbols`)"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn reads_no_more_than_the_reported_size() {
    // `/proc/self/maps` reports 0 bytes, like files there that never end.
    let symbols = resolve(&lib("maps", RAYTRACE), &[0x1287], &[Path::new("/proc/self/maps")], &[]);
    assert_eq!(
        symbols.status().message("maps"),
        "maps: /proc/self/maps cannot be read: it is empty"
    );
}
