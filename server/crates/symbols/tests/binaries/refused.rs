//! Files that are not what was recorded.

use crate::{RAYTRACE, binary, lib, no_kernel, resolve, resolve_in};
use profile::Lib;
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use symbols::{Cache, Found, LibSymbols, Search};

#[test]
fn another_build_is_refused_with_both_ids() {
    let wanted = "00112233445566778899aabbccddeeff00112233";
    let symbols = resolve(&lib("raytrace", wanted), &[0x1287], &[&binary("raytrace")], &[]);
    assert_eq!(symbols.n_resolved(), 0);
    let sentence = symbols.found().sentence("raytrace");
    assert!(
        sentence.contains(wanted) && sentence.contains(RAYTRACE) && sentence.contains("/raytrace is another build"),
        "{sentence}"
    );
    assert!(sentence.ends_with("profile again, or put the old file into symbols.paths"), "{sentence}");
}

#[test]
fn a_library_that_is_missing_is_looked_for_again() {
    let folder = tempfile::tempdir().unwrap();
    let (cache, raytrace) = (Cache::default(), lib("raytrace", RAYTRACE));
    let there = folder.path().join("raytrace");
    let symbols = resolve_in(&cache, &raytrace, &[0x1287], &[&there], &[]);
    assert_eq!(symbols.n_resolved(), 0);
    let sentence = symbols.found().sentence("raytrace");
    let advice = "put the file into symbols.paths, or map its folder with pathMappings";
    assert_eq!(sentence, format!("raytrace: there is no /recorded/bin/raytrace here: {advice}"));

    fs::copy(binary("raytrace"), &there).unwrap();
    assert_eq!(resolve_in(&cache, &raytrace, &[0x1287], &[&there], &[]).n_resolved(), 1);

    // It was built anew: what is known stays, what is not is not guessed.
    fs::write(&there, "a script now").unwrap();
    let symbols = resolve_in(&cache, &raytrace, &[0x1287, 0x1388], &[&there], &[]);
    assert_eq!(symbols.n_resolved(), 1);
    assert!(matches!(symbols.found(), Found::Mismatch { .. }), "{:?}", symbols.found());
}

#[test]
fn broken_files_cost_no_more_than_their_lines() {
    let folder = tempfile::tempdir().unwrap();
    let there = folder.path().join("raytrace");
    let bytes = fs::read(binary("raytrace")).unwrap();
    // Cut at every 1/40, and with every 997th byte behind the build id flipped.
    let cut = (1..40).map(|i| bytes[..bytes.len() * i / 40].to_vec());
    let flipped = (0..40_usize).map(|i| {
        let mut bytes = bytes.clone();
        bytes.iter_mut().skip(0x400 + i).step_by(997).for_each(|byte| *byte ^= 0xff);
        bytes
    });
    for broken in cut.chain(flipped) {
        fs::write(&there, broken).unwrap();
        let addresses: Vec<u64> = (0x1170..0x3020).step_by(16).collect();
        assert!(resolve(&lib("raytrace", RAYTRACE), &addresses, &[&there], &[]).n_asked() <= addresses.len());
    }
}

/// A profile that was written at some time and has no ids.
fn resolve_without_id(candidates: &[&Path], addresses: &[u64], profile_modified: Option<SystemTime>) -> Arc<LibSymbols> {
    let own = |_: &str| candidates.iter().map(PathBuf::from).collect();
    let search = Search { candidates: &own, paths: &[], profile_modified, kernel: &no_kernel() };
    Cache::default().resolve(&lib("raytrace", ""), addresses, &search, None, &mut |_, _| ControlFlow::Continue(()))
}

#[test]
fn without_id_the_file_must_be_the_only_one_old_enough_and_have_the_code() {
    let folder = tempfile::tempdir().unwrap();
    let path = binary("raytrace");
    let built = path.metadata().unwrap().modified().unwrap();
    let later = Some(built + Duration::from_secs(1));

    let symbols = resolve_without_id(&[&path, &folder.path().join("raytrace")], &[0x1287], later);
    assert_eq!(symbols.n_resolved(), 1);
    assert!(matches!(symbols.found(), Found::DebugInfo { id: None, .. }));
    assert!(symbols.found().sentence("raytrace").contains("lines are wrong if it was rebuilt"));

    let symbols = resolve_without_id(&[&path], &[0x1287], Some(built - Duration::from_secs(1)));
    assert!(matches!(symbols.found(), Found::Newer { .. }) && symbols.n_resolved() == 0);

    let other = folder.path().join("raytrace");
    fs::copy(&path, &other).unwrap();
    let symbols = resolve_without_id(&[&path, &other], &[0x1287], None);
    assert!(matches!(symbols.found(), Found::Ambiguous { .. }) && symbols.n_resolved() == 0);

    // Nothing is executed at 0x4010.
    let symbols = resolve_without_id(&[&path], &[0x1287, 0x4010], later);
    assert!(matches!(symbols.found(), Found::Outside { .. }) && symbols.n_resolved() == 0);

    // Not kept: the next profile may be one of the next build.
    let nameless = Lib { code_id: "0000000000".to_owned(), ..lib("raytrace", "") };
    let cache = Cache::default();
    assert_eq!(resolve_in(&cache, &nameless, &[0x1287], &[&path], &[]).n_resolved(), 1);
    assert!(cache.known(&nameless).is_none());
}

#[cfg(unix)]
#[test]
fn only_files_are_opened() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("raytrace");
    let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    let zero = Path::new("/dev/zero");
    let symbols = resolve(&lib("raytrace", RAYTRACE), &[0x1287], &[&socket, zero, folder.path()], &[]);
    assert!(matches!(symbols.found(), Found::Missing { .. }), "{:?}", symbols.found());
}

#[cfg(target_os = "linux")]
#[test]
fn no_more_is_read_than_a_file_says_that_it_has() {
    // Nothing; others of the kernel's files say so, too, and never end.
    let symbols = resolve(&lib("maps", RAYTRACE), &[0x1287], &[Path::new("/proc/self/maps")], &[]);
    assert_eq!(symbols.found().sentence("maps"), "maps: /proc/self/maps cannot be read: it is empty");
}
