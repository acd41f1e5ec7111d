//! Broken files: whatever is cut off or flipped, reading ends, with a profile or with an error, and never panics.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod common;

use common::{bytes, read};
use formats::ErrorKind;

const FILES: [&str; 13] = [
    "v8/node-mdrender/main.cpuprofile",
    "v8/web-particles/page.cpuprofile",
    "v8/ts-matrix/ts.cpuprofile",
    "folded/py-gridworld-pyspy/pyspy.raw.txt",
    "folded/py-gridworld-austin/austin.txt",
    "folded/ruby-ledger-rbspy/rbspy.collapsed",
    "folded/cpp-raytrace-perf/fp.folded",
    "folded/rust-huffman-pprof/cpu.folded",
    "folded/py-index-austin/austin.txt",
    "perf/c-gallery/perf.txt.gz",
    "perf/cpp-raytrace/fp.script.txt.gz",
    "austin/py-gridworld/austin.mojo",
    "austin/py-index/austin.mojo",
];

/// The larger files are as repetitive as long: their front will do.
const FRONT: usize = 64 << 10;

/// Fronts end with a line where they are text.
fn front(path: &str) -> Vec<u8> {
    let mut bytes = formats::inflate::prefix(&bytes(path), usize::MAX).into_owned();
    if is_text(path) {
        let end = bytes.iter().take(FRONT).rposition(|&b| b == b'\n').unwrap();
        bytes.truncate(end + 1);
    }
    bytes
}

fn is_text(path: &str) -> bool {
    path.starts_with("folded/") || path.starts_with("perf/")
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
                // Samples that follow each other have no end: half a file is a file.
                Ok(read) => assert!(!read.format.has_end(), "{path} cut at {end}"),
                Err(error) => {
                    let expected = is_text(path) || error.kind == ErrorKind::Truncated;
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
