//! Broken files: whatever is cut off or flipped, reading ends, with a profile or with an error, and never panics.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod common;

use common::{bytes, read, unzipped};
use formats::{ErrorKind, Format};

const FILES: [&str; 8] = [
    "v8/node-mdrender/main.cpuprofile",
    "v8/web-particles/page.cpuprofile",
    "v8/ts-matrix/ts.cpuprofile",
    "folded/py-gridworld-pyspy/pyspy.raw.txt",
    "folded/py-gridworld-austin/austin.txt",
    "folded/ruby-ledger-rbspy/rbspy.collapsed",
    "folded/cpp-raytrace-perf/fp.folded",
    "folded/rust-huffman-pprof/cpu.folded",
];

/// The larger files are as repetitive as long: their front will do.
const FRONT: usize = 64 << 10;

/// Fronts end with a line where they are text.
fn front(path: &str) -> Vec<u8> {
    let mut bytes = bytes(path);
    if path.starts_with("folded/") {
        let end = bytes.iter().take(FRONT).rposition(|&b| b == b'\n').unwrap();
        bytes.truncate(end + 1);
    }
    bytes
}

/// Numbers that look random and are the same each time (xorshift64*).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % bound
    }
}

#[test]
fn truncated_anywhere() {
    for path in FILES {
        let whole = front(path);
        for i in 0..200 {
            let end = whole.len() * i / 200;
            match read(whole[..end].to_vec()) {
                // Folded stacks have no end: half a file is a file.
                Ok(read) => assert_eq!(read.format, Format::Folded, "{path} cut at {end}"),
                Err(error) => {
                    let expected = path.starts_with("folded/") || error.kind == ErrorKind::Truncated;
                    assert!(expected, "{path} cut at {end}: {error}");
                }
            }
        }
    }
}

#[test]
fn flipped_bytes() {
    for (seed, path) in (1..).zip(FILES) {
        let whole = front(path);
        let mut random = Random(seed);
        for _ in 0..200 {
            let mut broken = whole.clone();
            for _ in 0..=random.below(3) {
                let at = random.below(broken.len());
                broken[at] ^= 1 << random.below(8);
            }
            if let Err(error) = read(broken) {
                assert!(!error.message.is_empty());
            }
        }
    }
}

/// Profiles of Firefox are compressed: what is broken is what was inflated.
fn firefox() -> [Vec<u8>; 3] {
    // A process within a process, both with few samples.
    let gecko: serde_json::Value = serde_json::from_slice(&unzipped("gecko/web-sudoku/gecko.json.gz")).unwrap();
    let mut process = gecko["processes"][0].clone();
    process["processes"] = serde_json::json!([process]);
    let of_version = |version: &str| unzipped(&format!("firefox/rust-wordstat-{version}"));
    [process.to_string().into_bytes(), of_version("v70/profile.json.gz"), of_version("jslb/profile.jslb.gz")]
}

#[test]
fn firefox_truncated_anywhere() {
    for whole in firefox() {
        for i in 0..200 {
            let end = whole.len() * i / 200;
            let error = read(whole[..end].to_vec()).unwrap_err();
            assert_eq!(error.kind, ErrorKind::Truncated, "cut at {end}: {error}");
        }
    }
}

#[test]
fn firefox_flipped_bytes() {
    for (seed, whole) in (1..).zip(firefox()) {
        let mut random = Random(seed);
        for i in 0..200 {
            // Slabs have their table in front; every other time that is what breaks.
            let bound = if i % 2 == 0 { whole.len() } else { 1024 };
            let mut broken = whole.clone();
            broken[random.below(bound)] ^= 1 << random.below(8);
            if let Err(error) = read(broken) {
                assert!(!error.message.is_empty());
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
    let zstd = ruzstd::encoding::compress_to_vec(&*plain, ruzstd::encoding::CompressionLevel::Fastest);
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
                assert!(error.kind == ErrorKind::Truncated || tiny, "cut at {}: {error}", front.len());
            }
        }
    }
}
