//! perf.data to lines: read, unwound and resolved, against costs that perf and llvm-symbolizer gave.

#![cfg(feature = "debug-info")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use profile::{Profile, Recording};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use symbols::{Cache, Generics, Search};

fn fixtures(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../fixtures").join(path)
}

/// Self and total of each line below the root of the case.
fn lines(profile: &Profile) -> BTreeMap<(String, u32), (f64, f64)> {
    let mut lines: BTreeMap<(String, u32), (f64, f64)> = BTreeMap::new();
    for thread in profile.threads() {
        for i in 0..thread.samples.len() {
            let weight = thread.samples.weights()[0].get(i);
            let (mut next, mut seen, mut is_leaf) = (thread.samples.stack(i), BTreeSet::new(), true);
            while let Some(stack) = next {
                let place = profile.place(profile.stacks().frame(stack));
                let place = place.map(|(source, line)| (profile.symbols().source_name(source).to_owned(), line));
                if let Some(file) = place.as_ref().and_then(|(file, _)| file.strip_prefix("/srv/demo/cpp-raytrace/")) {
                    let key = (file.to_owned(), place.as_ref().unwrap().1);
                    let cost = lines.entry(key.clone()).or_default();
                    cost.0 += if is_leaf { weight } else { 0.0 };
                    cost.1 += if seen.insert(key) { weight } else { 0.0 };
                }
                is_leaf = false;
                next = profile.stacks().prefix(stack);
            }
        }
    }
    lines
}

#[test]
fn lines_are_those_that_other_tools_give() {
    // Of callers that only libraries lead to, lines are compared where those are at hand: not here.
    for (case, file) in [("cpp-raytrace-fp", "fp.perf.data.gz"), ("cpp-raytrace-dwarf", "dwarf.perf.data.gz")] {
        let folder = fixtures("profiles/perf-data").join(case);
        let bytes = std::fs::read(folder.join(file)).unwrap();
        let read = formats::read(bytes, formats::Limits::default(), &mut |_| ControlFlow::Continue(())).unwrap();
        let mut profile = read.recording.sampled().unwrap().clone();
        if let Some(raw) = &read.raw_stacks {
            let mut program =
                |lib: &profile::Lib| (lib.name == "raytrace").then(|| std::fs::read(fixtures("binaries/raytrace")).unwrap());
            profile = symbols::unwind(&profile, raw, &mut program).profile.unwrap();
        }
        let candidates = |path: &str| if path.ends_with("/raytrace") { vec![fixtures("binaries/raytrace")] } else { Vec::new() };
        let search = Search { candidates: &candidates, paths: &[], profile_modified: None };
        let cache = Cache::default();
        let recording = Recording::Stacks(profile.clone());
        let libs: BTreeMap<_, _> = symbols::wanted(&recording)
            .into_iter()
            .map(|wanted| {
                let lib = &profile.symbols().libs[wanted.lib.index()];
                let found = cache.resolve(lib, &wanted.addresses, &search, None, &mut |_, _| ControlFlow::Continue(()));
                (wanted.lib, found)
            })
            .collect();
        let symbolicated = symbols::symbolicate(&profile, |lib| libs.get(&lib).map(|lib| &**lib), Generics::Keep).unwrap();
        let expected: serde_json::Value =
            serde_json::from_slice(&std::fs::read(folder.join("expected.symbols.json")).unwrap()).unwrap();
        let expected = expected["lines"].as_array().unwrap().iter().map(|row| {
            let line = u32::try_from(row["line"].as_u64().unwrap()).unwrap();
            let cost = (row["self"].as_f64().unwrap(), row["total"].as_f64().unwrap());
            ((row["file"].as_str().unwrap().to_owned(), line), cost)
        });
        let mut actual = lines(&symbolicated.profile);
        // A sample in a library that is not at hand keeps its leaf: its callers in the program are missing.
        let expected: BTreeMap<_, _> = expected.collect();
        if read.raw_stacks.is_some() {
            let selves = |lines: BTreeMap<(String, u32), (f64, f64)>| {
                lines.into_iter().map(|(key, (own, _))| (key, (own, 0.0))).filter(|(_, (own, _))| *own > 0.0).collect()
            };
            let (own, expected): (BTreeMap<_, _>, BTreeMap<_, _>) = (selves(actual), selves(expected));
            assert_eq!(own, expected, "{case}");
        } else {
            actual.retain(|_, (own, total)| *own > 0.0 || *total > 0.0);
            assert_eq!(actual, expected, "{case}");
        }
    }
}
