//! A profile that is written for pprof and read again has the same stacks.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use crate::common::{bytes, read, stacks};
use formats::write::pprof;
use formats::{Format, Read};
use profile::{Profile, StackAccess};
use std::collections::BTreeMap;

/// The weights in each metric of every thread and stack, with everything known about its frames.
fn sums(profile: &Profile) -> BTreeMap<(String, Vec<String>), Vec<f64>> {
    let symbols = profile.symbols();
    let mut sums: BTreeMap<_, Vec<f64>> = BTreeMap::new();
    for (thread, samples) in profile.sampled_threads() {
        let name = format!(
            "{:?}",
            [
                Some(&thread.name),
                Some(&thread.process_name),
                thread.pid.as_ref(),
                thread.tid.as_ref()
            ]
        );
        for i in 0..samples.len() {
            let (mut frames, mut next) = (Vec::new(), samples.stack(i));
            while let Some(stack) = next {
                let frame = profile.frames().get(profile.stacks().frame(stack));
                let func = symbols.funcs.get(frame.func);
                let source = func.source.map(|source| symbols.source_name(source));
                let lib = func
                    .lib
                    .map(|lib| &symbols.libs[lib.index()])
                    .map(|lib| (&lib.name, &lib.path, &lib.code_id));
                let name = symbols.func_name(frame.func);
                frames.push(format!(
                    "{name} {source:?}:{} {lib:?} {} {} {}",
                    func.line, frame.line, frame.column, frame.inlined
                ));
                next = profile.stacks().prefix(stack);
            }
            let row = sums.entry((name.clone(), frames)).or_default();
            row.resize(profile.metrics().len(), 0.0);
            for (sum, weights) in row.iter_mut().zip(samples.weights()) {
                *sum += weights.get(i);
            }
        }
    }
    sums
}

#[test]
fn every_stack_comes_back() {
    for (path, lost) in [
        ("pprof/go-indexer-cpu/cpu.pb.gz", &[][..]),
        ("pprof/go-indexer-heap/heap.pb.gz", &[]),
        ("pprof/rust-huffman/cpu.pb", &[]),
        ("pprof/ruby-ledger-rbspy/rbspy.pprof.pb.gz", &[]),
        ("folded/py-gridworld-austin/austin.txt", &[]),
        ("folded/cpp-raytrace-perf/fp.folded", &[]),
        (
            "v8/web-particles/page.cpuprofile",
            &[
                "that line totals are unknown",
                "the columns at which functions start",
                "which samples are idle",
            ],
        ),
        ("firefox/rust-wordstat-v70/profile.json.gz", &["threads without samples"]),
        ("firefox/rust-wordstat-v49/profile.json.gz", &["threads without samples"]),
    ] {
        let before = read(bytes(path)).unwrap();
        let written = pprof::write(stacks(&before));
        assert_eq!(written.lost, lost, "{path}");
        assert_eq!(written, pprof::write(stacks(&before)), "{path}: the same bytes each time");
        let after = read(written.bytes).unwrap();
        assert_eq!(
            (after.format, after.warnings.as_slice()),
            (Format::Pprof, [].as_slice()),
            "{path}"
        );
        let metrics = |read: &Read| {
            let metrics = read.recording.metrics().iter();
            metrics
                .map(|metric| (metric.name.clone(), metric.unit.clone(), metric.seconds_per_unit))
                .collect::<Vec<_>>()
        };
        assert_eq!(metrics(&after), metrics(&before), "{path}");
        assert_eq!(after.recording.default_metric(), before.recording.default_metric(), "{path}");
        let (before, after) = (sums(stacks(&before)), sums(stacks(&after)));
        assert!(
            before == after,
            "{path}: {:?} became {:?}",
            before.iter().next(),
            after.iter().next()
        );
    }
}

#[test]
fn addresses_in_names_are_not_looked_up_again() {
    let before = read(bytes("samply/rust-wordstat/profile.json.gz")).unwrap();
    let after = read(pprof::write(stacks(&before)).bytes).unwrap();
    let n_unresolved = |read: &Read| {
        let symbols = read.recording.symbols();
        symbols.funcs.ids().filter(|&func| symbols.unresolved(func).is_some()).count()
    };
    // Their addresses are relative to the beginning of the library in memory, which pprof's format
    // cannot represent.
    assert_eq!((n_unresolved(&before), n_unresolved(&after)), (704, 0));
    assert_eq!(stacks(&after).symbols().funcs.len(), stacks(&before).symbols().funcs.len());
}
