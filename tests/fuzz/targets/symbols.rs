//! Programs and their debug info, lists of names by profilers and runtimes.

use super::input::Input;
use profile::{AddressBase, Lib};
use std::cell::Cell;
use std::fs;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::LazyLock;
use symbols::{Cache, Generics, KernelFiles, PerfMap, Search, Sidecar};
use tempfile::TempDir;

static FOLDER: LazyLock<TempDir> = LazyLock::new(|| tempfile::tempdir().unwrap());

/// Resolves addresses with a file of any content.
pub fn symbols(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let map = PerfMap::parse(&text);
    let _ = (map.name(0), map.name(0x1000), map.name(u64::MAX));
    let sidecar = Sidecar::parse(data).ok();

    let mut input = Input(data.get(data.len().saturating_sub(8)..).unwrap_or_default());
    let path = FOLDER.path().join("app");
    fs::write(&path, data).unwrap();
    let lib = Lib {
        name: "app".to_owned(),
        debug_name: "app".to_owned(),
        path: path.to_str().unwrap().to_owned(),
        // Without an id, a file that contains the code counts as the recorded one.
        addresses: input.one_of(&[AddressBase::Image, AddressBase::File, AddressBase::Unknown]),
        ..Lib::default()
    };
    let addresses: Vec<u64> = (0..0x4000).step_by(0x91).chain([u64::MAX, 1 << 40]).collect();
    let kernel = KernelFiles { notes: path.clone(), functions: path.clone(), copies: None };
    let search = Search {
        candidates: &|recorded| vec![PathBuf::from(recorded)],
        programs: &Vec::new,
        paths: &[],
        profile_modified: None,
        kernel: &kernel,
        memory: &Cell::new(1 << 30),
        is_network_path: sources::is_network_path,
    };
    let mut observe = |_, _| ControlFlow::Continue(());
    let cache = Cache::default();
    let found = cache.resolve(&lib, &addresses, &search, sidecar.as_ref(), &mut observe);
    for address in addresses {
        for level in found.levels(address, Generics::Collapse) {
            assert!(level.file.is_none_or(|file| !file.is_empty()));
        }
    }
    let _ = found.status().message("app");
}
