//! The name of each function that is shown, typed as it is, stands for that function.

use crate::cases::{self, Case};
use analysis::Thread;
use answers::{
    Caches, CostSettings, Environment, Loaded, Snapshot, hottest_functions, index_sources,
    load_with_symbols,
};
use std::ops::ControlFlow;

/// The largest profile that is read, in bytes.
pub const MAX_BYTES: u64 = 8 << 20;

pub fn load(case: &Case) -> Snapshot {
    load_with(case, &CostSettings::default())
}

pub fn load_with(case: &Case, settings: &CostSettings) -> Snapshot {
    let index = index_sources(std::slice::from_ref(&case.folder), &settings.sources);
    let caches = Caches::default();
    let environment = Environment { settings, index: &index, caches: &caches };
    let mut go_on = |_| ControlFlow::Continue(());
    let loaded = Loaded::read(&case.profile, MAX_BYTES, &mut go_on).unwrap();
    load_with_symbols(vec![(loaded, Thread::default())], environment, &mut go_on).unwrap()
}

#[test]
fn a_function_is_found_by_the_name_that_is_shown() {
    let (mut n_names, mut failed) = (0, Vec::new());
    for case in cases::fixtures().into_iter().chain(cases::corpus().unwrap_or_default()) {
        if case.profile.metadata().unwrap().len() > MAX_BYTES {
            continue;
        }
        let snapshot = load(&case);
        for function in hottest_functions(&snapshot).into_iter().take(300) {
            let this = snapshot.function(function);
            let is_found =
                |name: &str| snapshot.named(name).is_ok_and(|named| named.contains(&function));
            let place = this.file.map(|file| snapshot.file_name(file)).or(this.lib);
            let with_place = place.map(|place| format!("{place}::{}", this.name));
            // `wordstat::main` is not `main` of the program `wordstat`.
            let with_place = with_place.filter(|name| snapshot.n_funcs_named(name) == 0);
            for name in [Some(this.name.to_owned()), with_place].into_iter().flatten() {
                n_names += 1;
                if !is_found(&name) {
                    failed.push(format!("{}: {name}", case.name));
                }
            }
        }
    }
    assert!(failed.is_empty(), "{} of {n_names}: {failed:#?}", failed.len());
    assert!(n_names > 1000, "{n_names}");
}
