//! The unresolved addresses of a recording, and symbolicating it.

use crate::{Generics, LibSymbols};
use profile::{LibId, Profile, Recording, StackAccess, Symbolicated};
use rustc_hash::{FxHashMap, FxHashSet};

/// The limit for libraries that a sample counts for, those nearest to the root.
const MAX_LIBS: usize = 64;

/// The unresolved addresses of a library.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unresolved {
    /// The library.
    pub lib: LibId,
    /// The addresses, in order.
    pub addresses: Vec<u64>,
    /// The number of samples with any of these addresses on the stack.
    pub n_samples: u64,
}

/// The unresolved addresses by library. The library with the most samples comes first: users want
/// to see its lines, even if most of the time passes in a system library that it calls.
pub fn unresolved(recording: &Recording) -> Vec<Unresolved> {
    let symbols = recording.symbols();
    let mut by_lib: FxHashMap<LibId, FxHashSet<u64>> = FxHashMap::default();
    for (lib, address) in symbols.funcs.ids().filter_map(|func| symbols.unresolved(func)) {
        by_lib.entry(lib).or_default().insert(address);
    }
    if by_lib.is_empty() {
        return Vec::new();
    }
    let n_samples = recording.sampled().map(samples_of_libs).unwrap_or_default();
    let mut unresolved: Vec<Unresolved> = by_lib
        .into_iter()
        .map(|(lib, addresses)| {
            let mut addresses: Vec<u64> = addresses.into_iter().collect();
            addresses.sort_unstable();
            Unresolved { lib, addresses, n_samples: n_samples.get(&lib).copied().unwrap_or(0) }
        })
        .collect();
    unresolved.sort_by_key(|unresolved| (std::cmp::Reverse(unresolved.n_samples), unresolved.lib));
    unresolved
}

/// For each library the number of samples with one of its unresolved addresses on their stack.
/// Stacks share sets of libraries, of which there are few.
fn samples_of_libs(profile: &Profile) -> FxHashMap<LibId, u64> {
    let (stacks, frames, symbols) = (profile.stacks(), profile.frames(), profile.symbols());
    let unresolved: Vec<Option<LibId>> =
        symbols.funcs.ids().map(|func| symbols.unresolved(func).map(|(lib, _)| lib)).collect();
    let mut sets: Vec<Vec<LibId>> = vec![Vec::new()];
    let mut larger: FxHashMap<(usize, LibId), usize> = FxHashMap::default();
    let mut set_of: Vec<usize> = Vec::with_capacity(stacks.len());
    for stack in stacks.ids() {
        let set = stacks.prefix(stack).map_or(0, |prefix| set_of[prefix.index()]);
        let new_lib = unresolved[frames.get(stacks.frame(stack)).func.index()]
            .filter(|lib| sets[set].len() < MAX_LIBS && !sets[set].contains(lib));
        set_of.push(new_lib.map_or(set, |lib| {
            *larger.entry((set, lib)).or_insert_with(|| {
                let with_lib = sets[set].iter().copied().chain([lib]).collect();
                sets.push(with_lib);
                sets.len() - 1
            })
        }));
    }
    let mut n_samples = vec![0; sets.len()];
    for stack in profile.samples().iter().flat_map(profile::Samples::stacks).flatten() {
        n_samples[set_of[stack.index()]] += 1;
    }
    let mut of_lib = FxHashMap::default();
    for (set, n) in sets.iter().zip(n_samples) {
        for &lib in set {
            *of_lib.entry(lib).or_default() += n;
        }
    }
    of_lib
}

/// Resolves the addresses for which `of` has symbols; `None` if there are none.
pub fn symbolicate<'a>(
    recording: &Recording,
    of: impl Fn(LibId) -> Option<&'a LibSymbols>,
    generics: Generics,
) -> Option<Symbolicated> {
    profile::symbolicate(recording, |lib, address| Some(of(lib)?.levels(address, generics)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use profile::text_samples;

    /// `main` of the program calls itself and libraries. One function has a name already.
    const SAMPLES: &str = "
        0x10[lib:app]  0x10           0x10           0x10    0x90[lib:ld]
        0x30           0x20[lib:libc] named[lib:app] 0x20
                       0x10           0x40[lib:gone]
    ";

    #[test]
    fn the_library_with_most_samples_comes_first() {
        let recording = Recording::Stacks(text_samples::profile(SAMPLES));
        let names = |lib: LibId| recording.symbols().libs[lib.index()].name.clone();
        let unresolved: Vec<_> = unresolved(&recording)
            .into_iter()
            .map(|it| (names(it.lib), it.addresses, it.n_samples))
            .collect();
        let expected = [
            ("app", vec![0x10], 4),
            ("libc", vec![0x20], 2),
            ("gone", vec![0x40], 1),
            ("ld", vec![0x90], 1),
        ];
        let expected =
            expected.map(|(name, addresses, n_samples)| (name.to_owned(), addresses, n_samples));
        assert_eq!(unresolved, expected);
        assert!(
            super::unresolved(&Recording::Stacks(text_samples::profile("main@1[file:a.rs]")))
                .is_empty()
        );
    }
}
