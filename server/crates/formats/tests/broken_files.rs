//! Broken files: whatever is cut off or flipped, reading ends, with a profile or with an error, and never panics.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod common;

use common::{bytes, read};
use formats::ErrorKind;
use std::io::Write;

const FILES: [&str; 16] = [
    "v8/node-mdrender/main.cpuprofile",
    "v8/web-particles/page.cpuprofile",
    "v8/ts-matrix/ts.cpuprofile",
    "folded/py-gridworld-pyspy/pyspy.raw.txt",
    "folded/py-gridworld-austin/austin.txt",
    "folded/ruby-ledger-rbspy/rbspy.collapsed",
    "folded/cpp-raytrace-perf/fp.folded",
    "folded/rust-huffman-pprof/cpu.folded",
    "pprof/go-indexer-cpu/cpu.pb.gz",
    "pprof/go-indexer-heap/heap.pb.gz",
    "pprof/rust-huffman/cpu.pb",
    "pprof/ruby-ledger-rbspy/rbspy.pprof.pb.gz",
    "rbspy/ruby-ledger/rbspy.raw.gz",
    "rbspy/ruby-queens/rbspy.raw.gz",
    "stackprof/ruby-ledger/stackprof.json",
    "stackprof/ruby-queens/stackprof.json",
];

/// The larger files are as repetitive as long: their front will do.
const FRONT: usize = 64 << 10;

/// Half of such a file is a file.
fn has_no_end(path: &str) -> bool {
    path.starts_with("folded/") || path.starts_with("rbspy/")
}

/// Fronts end with a line where they are text; what is compressed is broken inside.
fn front(path: &str) -> Vec<u8> {
    let mut bytes = bytes(path);
    if bytes.starts_with(b"\x1f\x8b") {
        bytes = formats::inflate::prefix(&bytes, FRONT).into_owned();
    }
    if has_no_end(path) {
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
                Ok(read) => assert!(has_no_end(path), "{path} cut at {end}: {:?}", read.format),
                Err(error) => {
                    let expected = has_no_end(path) || error.kind == ErrorKind::Truncated;
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
