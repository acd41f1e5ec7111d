//! Broken files: whatever is cut off or flipped, reading ends with a profile or an error and never
//! panics. All fixtures are tested.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use crate::common::{bytes, fixture, read};
use formats::{ErrorKind, Format, Limits, ReadError, Source};
use profile::WarningCode;
use std::collections::HashSet;
use std::ops::ControlFlow;

/// Long texts are repetitive, so a prefix up to the end of a line suffices.
const FRONT: usize = 64 << 10;

/// The profiles of all fixtures: path and decompressed content.
fn files() -> Vec<(String, Vec<u8>)> {
    let folders = |path: &str| {
        let entries = std::fs::read_dir(fixture(path))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.is_dir());
        let mut names: Vec<_> =
            entries.map(|path| path.file_name().unwrap().to_str().unwrap().to_owned()).collect();
        names.sort();
        names
    };
    let cases = folders("")
        .into_iter()
        .flat_map(|tool| folders(&tool).into_iter().map(move |case| format!("{tool}/{case}")));
    let file = |case: String| {
        let about: serde_json::Value =
            serde_json::from_slice(&bytes(&format!("{case}/case.json"))).unwrap();
        let path = format!("{case}/{}", about["profile"].as_str().unwrap());
        let mut content = formats::inflate::prefix(&bytes(&path), usize::MAX).into_owned();
        let format = formats::detect(&content).unwrap();
        // A part of a recording by the JVM is none.
        if !format.has_end() && format != Format::Jfr {
            let line_ends =
                content.iter().take(FRONT).rposition(|&b| b == b'\n').map_or(FRONT, |end| end + 1);
            content.truncate(line_ends);
        }
        (path, content)
    };
    cases.map(file).collect()
}

/// Files arrive in blocks, which may end anywhere.
#[test]
fn files_are_the_same_in_blocks_of_any_size() {
    let read_in = |content: &[u8], block| {
        let source = Source::from(content).in_blocks(block);
        let read = formats::read(source, Limits::default(), &mut |_| ControlFlow::Continue(()));
        format!("{read:?}")
    };
    for (path, content) in files() {
        let whole = read_in(&content, usize::MAX);
        let blocks: &[usize] = if content.len() < FRONT { &[7, 61, 4099] } else { &[4099] };
        for &block in blocks {
            // The texts are too long for a message.
            assert!(read_in(&content, block) == whole, "{path} in blocks of {block} bytes");
        }
    }
}

/// Only the first elements of each list.
fn shortened(value: &mut serde_json::Value) {
    if let Some(list) = value.as_array_mut() {
        list.truncate(3);
        list.iter_mut().for_each(shortened);
    } else if let Some(object) = value.as_object_mut() {
        object.values_mut().for_each(shortened);
    }
}

/// JSON files with one value replaced by one that is nested deeply under the same key, for every key of
/// every format.
fn deeply_nested() -> Vec<Vec<u8>> {
    const DEPTH: usize = 1500;
    let (mut known, mut nested) = (HashSet::new(), Vec::new());
    for (_, content) in files() {
        let format = formats::detect(&content).unwrap();
        let Ok(mut value) = serde_json::from_slice(&content) else { continue };
        shortened(&mut value);
        let text = value.to_string();
        for (at, _) in text.match_indices("\":") {
            let key = text[..at].rsplit('"').next().unwrap();
            if !known.insert((format, key.to_owned())) {
                continue;
            }
            let (before, behind) = text.split_at(at + "\":".len());
            for (open, close) in [("{", "}"), ("[{", "}]")] {
                let deep = format!(
                    "{}null{}",
                    format!("{open}\"{key}\":").repeat(DEPTH),
                    close.repeat(DEPTH)
                );
                nested.push(format!("{before}{deep},\"rest\":{behind}").into_bytes());
            }
        }
    }
    nested
}

/// A reader that followed the nesting would need a larger stack.
#[test]
fn nesting_is_limited() {
    let nested = deeply_nested();
    assert!(nested.len() > 500, "{}", nested.len());
    let read_all = || nested.into_iter().for_each(|content| drop(read(content)));
    let thread = std::thread::Builder::new().stack_size(512 << 10).spawn(read_all).unwrap();
    thread.join().unwrap();
}

/// Reproducible random numbers (xorshift64*).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % bound
    }
}

/// Whether an error names a place or the kind of file.
fn is_clear(error: &ReadError) -> bool {
    let says_what = error.message.len() >= "expected `:`".len() && !error.message.ends_with('.');
    says_what
        && (error.at != formats::At::File
            || matches!(error.kind, ErrorKind::Unrecognised | ErrorKind::Truncated))
}

/// How often a file is broken: less often if it is large, because a debug build reads it slowly.
fn times(whole: &[u8]) -> usize {
    ((8 << 20) / whole.len()).clamp(10, 200)
}

#[test]
fn truncated_anywhere() {
    for (path, whole) in files() {
        let format = formats::detect(&whole).unwrap();
        let n = times(&whole);
        for i in 0..n {
            let end = whole.len() * i / n;
            match read(whole[..end].to_vec()) {
                // A prefix of a file without an end mark is a valid file; if the end of the last
                // record is visible, there is a warning that it is missing.
                Ok(read) => {
                    assert!(!read.format.has_end(), "{path} cut at {end}");
                    // The last line of callgrind only repeats a sum: without it nothing is lost.
                    let is_whole = format == Format::Callgrind
                        && !whole[end..whole.len() - 1].contains(&b'\n');
                    assert!(is_whole || read.truncated != Some(false), "{path} cut at {end}");
                }
                Err(error) => {
                    // A pickle is recognised by the name of its class.
                    let is_pickle = format == Format::LineProfiler && end < 64;
                    let truncated =
                        !format.has_end() || is_pickle || error.kind == ErrorKind::Truncated;
                    assert!(truncated && is_clear(&error), "{path} cut at {end}: {error}");
                }
            }
        }
    }
}

/// Whether a file is known to be complete depends on its format, and on whether its profiler
/// compresses it.
#[test]
fn complete_files_are_not_called_cut() {
    for (path, _) in files() {
        let whole = bytes(&path);
        let is_compressed = whole.starts_with(&[0x1f, 0x8b]);
        let read = read(whole).unwrap();
        let can_be_told = match read.format {
            Format::Folded
            | Format::Rprof
            | Format::RbspySummary
            | Format::PerfScript
            | Format::MacosSample
            | Format::AustinMojo
            | Format::Otlp
            | Format::Gprof
            | Format::MercuryDeep => false,
            Format::PerfData => !path.contains("-pipe"),
            Format::Pprof => is_compressed,
            Format::Ghc => path.ends_with("/json.prof"),
            // Only some profilers write a sum.
            Format::Callgrind => path.contains("/c-jsonlite/") || path.contains("/c-recursion/"),
            _ => true,
        };
        assert_eq!(read.truncated, can_be_told.then_some(false), "{path}");
    }
}

#[test]
fn files_without_an_end_mark_may_be_cut() {
    let truncated = |text: &str| read(text.as_bytes().to_vec()).unwrap().truncated;
    assert_eq!(truncated("main;parse 3\nmain;hash 41\n"), None);
    // 4 may be a part of 41.
    assert_eq!(truncated("main;parse 3\nmain;hash 4"), None);
    let callgrind = "events: Ir\nfn=main\n1 10\n2 20\n";
    assert_eq!(truncated(callgrind), None);
    assert_eq!(truncated(&format!("{callgrind}totals: 30\n")), Some(false));
    assert_eq!(truncated(&format!("{callgrind}summary: 40\n")), Some(true));
}

#[test]
fn partial_traces_are_warned_of() {
    for (path, whole) in
        files().into_iter().filter(|(_, whole)| formats::detect(whole) == Some(Format::ChromeTrace))
    {
        if let Ok(read) = read(whole[..whole.len() / 2].to_vec()) {
            assert!(
                read.warnings
                    .as_slice()
                    .iter()
                    .any(|warning| warning.code == WarningCode::Truncated),
                "{path}"
            );
        }
    }
}

#[test]
fn flipped_bytes() {
    for (seed, (path, whole)) in (1..).zip(files()) {
        let mut random = Random(seed);
        for _ in 0..times(&whole) {
            let mut broken = whole.clone();
            for _ in 0..=random.below(3) {
                let at = random.below(broken.len());
                broken[at] ^= 1 << random.below(8);
            }
            if let Err(error) = read(broken) {
                assert!(is_clear(&error), "{path}: {error}");
            }
        }
    }
}

#[test]
fn compressed_and_flipped() {
    use std::io::Write;
    let plain = bytes("v8/web-particles/page.cpuprofile");
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(&plain).unwrap();
    let zstd =
        ruzstd::encoding::compress_to_vec(&*plain, ruzstd::encoding::CompressionLevel::Fastest);
    for whole in [encoder.finish().unwrap(), zstd] {
        let mut random = Random(42);
        for _ in 0..200 {
            let mut broken = whole.clone();
            let at = random.below(broken.len());
            broken[at] ^= 1 << random.below(8);
            let _ = formats::inflate::prefix(&broken, 1 << 16);
            let _ = read(broken);
        }
        for i in 0..200 {
            let front = &whole[..whole.len() * i / 200];
            let _ = formats::inflate::prefix(front, 1 << 16);
            if let Err(error) = read(front.to_vec()) {
                let tiny = front.len() < 4;
                assert!(
                    error.kind == ErrorKind::Truncated || tiny,
                    "cut at {}: {error}",
                    front.len()
                );
            }
        }
    }
}
