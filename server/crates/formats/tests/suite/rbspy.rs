//! One recording of rbspy in all of its formats has the same costs.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use crate::common::{Selves, bytes, read, stacks};
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use formats::{ErrorKind, Format};
use profile::{GraphAccess, StackAccess, StackId, WarningCode};
use std::collections::BTreeMap;
use std::io::{Read, Write};

const ROOT: &str = "/srv/demo/ruby-ledger/";

fn selves(read: &formats::Read) -> Selves {
    let mut selves = Selves::of(stacks(read), 0, ROOT);
    // Folded stacks have no threads.
    selves.threads.clear();
    selves
}

fn inflated() -> String {
    let mut text = String::new();
    GzDecoder::new(&*bytes("rbspy/ruby-ledger/rbspy.raw.gz")).read_to_string(&mut text).unwrap();
    text
}

#[test]
fn a_raw_recording_and_its_conversions_have_the_same_costs() {
    let raw = read(bytes("rbspy/ruby-ledger/rbspy.raw.gz")).unwrap();
    let folded = read(bytes("rbspy/ruby-ledger/rbspy.collapsed")).unwrap();
    assert_eq!((raw.format, folded.format), (Format::Rbspy, Format::Folded));
    assert_eq!(raw.writer.text(), Some("rbspy 0.55.0"));
    assert_eq!(raw.recording.metrics()[0].seconds_per_unit, Some(0.004));
    assert!(
        raw.span_seconds.is_some_and(|seconds| (seconds - 1.588_224).abs() < 1e-5),
        "{:?}",
        raw.span_seconds
    );
    assert!(raw.warnings.as_slice().is_empty(), "{:?}", raw.warnings);
    let expected = selves(&raw);
    assert_eq!(expected.total, 398.0);
    assert_eq!(selves(&folded), expected);
    assert_eq!(formats::detect(&inflated().as_bytes()[..8]), Some(Format::Rbspy));
}

/// Files by their last component: some formats have shorter paths, and some have no name for Ruby's
/// own files.
fn short(file: &str) -> String {
    file.rsplit('/').next().unwrap().replace("<internal:array>", "unknown")
}

/// The number of samples that end on each line, whatever their weight. C functions without a name
/// have no line, or count for the line that called them.
fn samples_by_line(read: &formats::Read, passes_c_over: bool) -> BTreeMap<(String, u32), f64> {
    let profile = stacks(read);
    let func = |stack| profile.frames().get(profile.stacks().frame(stack)).func;
    let mut counts = BTreeMap::new();
    for samples in profile.samples() {
        for leaf in samples.stacks().flatten() {
            let mut up = std::iter::successors(Some(leaf), |&stack| profile.stacks().prefix(stack));
            let is_nameless = |&stack: &StackId| {
                profile.symbols().func_name(func(stack)) == "(unknown) [c function]"
            };
            let Some(stack) = up.find(|stack| !(passes_c_over && is_nameless(stack))) else {
                continue;
            };
            let line = profile.frames().get(profile.stacks().frame(stack)).line;
            if let Some(source) =
                profile.symbols().funcs.get(func(stack)).source.filter(|_| line != 0)
            {
                *counts.entry((short(profile.symbols().source_name(source)), line)).or_default() +=
                    1.0;
            }
        }
    }
    counts
}

/// As `samples_by_line`, for a format with sums.
fn sums_by_line(read: &formats::Read) -> BTreeMap<(String, u32), f64> {
    let graph = read.recording.summed().unwrap().tables();
    let mut sums = BTreeMap::new();
    for own in graph.own.iter().filter(|own| own.weights[0] != 0.0) {
        if let Some(source) = own.source.or(graph.symbols.funcs.get(own.func).source) {
            *sums.entry((short(graph.symbols.source_name(source)), own.line)).or_default() +=
                own.weights[0];
        }
    }
    sums
}

#[test]
fn every_form_of_one_recording_has_the_same_lines() {
    let open = |name: &str| read(bytes(&format!("rbspy/ruby-ledger/{name}"))).unwrap();
    let raw = open("rbspy.raw.gz");
    let expected = samples_by_line(&raw, false);
    assert_eq!(expected.values().sum::<f64>(), 102.0, "most samples end in C functions");
    for (name, format) in
        [("rbspy.speedscope.json", Format::Speedscope), ("rbspy.pprof", Format::Pprof)]
    {
        let form = open(name);
        assert_eq!(
            (form.format, samples_by_line(&form, false)),
            (format, expected.clone()),
            "{name}"
        );
    }
    // These two skip C functions without a name.
    let exact = samples_by_line(&raw, true);
    assert_eq!(exact.values().sum::<f64>(), 398.0);
    let callgrind = open("rbspy.callgrind");
    assert_eq!((callgrind.format, sums_by_line(&callgrind)), (Format::Callgrind, exact.clone()));
    let summary = open("rbspy.summary");
    assert_eq!(summary.format, Format::RbspySummary);
    let percent = sums_by_line(&summary);
    assert!(percent.keys().eq(exact.keys()));
    for (line, percent) in percent {
        assert!((percent - exact[&line] / 3.98).abs() < 0.011, "{line:?}: {percent} % of 398");
    }
}

#[test]
fn older_versions_of_the_file() {
    let text = inflated();
    let expected = selves(&read(bytes("rbspy/ruby-ledger/rbspy.raw.gz")).unwrap());
    let lines: Vec<&str> = text.lines().skip(2).collect();
    let version_1 = format!("rbspy01\n{}\n", lines.join("\n"));
    let frames = lines.iter().map(|line| {
        let start = line.find('[').unwrap();
        &line[start..=line.rfind(']').unwrap()]
    });
    let version_0 = format!("rbspy00\n{}\n", frames.collect::<Vec<_>>().join("\n"));
    for text in [version_1, version_0] {
        let read = read(text.into_bytes()).unwrap();
        assert_eq!(selves(&read), expected);
        assert!(read.warnings.as_slice().is_empty());
    }
}

#[test]
fn incomplete_recordings_are_read() {
    // Flushed where a line ends, and in the middle of one.
    let text = inflated();
    let third_line = text.match_indices('\n').nth(2).unwrap().0 + 1;
    for (end, codes) in [
        (third_line, [WarningCode::Truncated].as_slice()),
        (third_line + 100, &[WarningCode::PartialLine, WarningCode::Truncated]),
    ] {
        let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(&text.as_bytes()[..end]).unwrap();
        encoder.flush().unwrap();
        let read = read(encoder.get_ref().clone()).unwrap();
        let found: Vec<_> = read.warnings.as_slice().iter().map(|warning| warning.code).collect();
        assert_eq!((selves(&read).total, &*found), (1.0, codes));
    }
    // Cut anywhere: what was decompressed counts.
    let whole = bytes("rbspy/ruby-ledger/rbspy.raw.gz");
    let mut most = 0.0;
    for end in 0..100 {
        match read(whole[..whole.len() * end / 100].to_vec()) {
            Ok(read) => {
                let total = selves(&read).total;
                assert!(total >= most, "cut at {end}%: {total} after {most}");
                most = total;
            }
            Err(error) => {
                assert!(
                    most == 0.0 && error.kind == ErrorKind::Truncated,
                    "cut at {end}%: {error}"
                );
            }
        }
    }
    assert!(most > 300.0, "{most}");
}
