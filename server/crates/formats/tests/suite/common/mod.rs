//! Access to fixtures, and self costs summed from tables without any analysis.

use formats::{Limits, Read, ReadError};
use profile::{Profile, Recording, StackAccess};
use std::collections::BTreeMap;
use std::io::Read as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

pub fn fixture(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../fixtures/profiles").join(path)
}

pub fn bytes(path: &str) -> Vec<u8> {
    std::fs::read(fixture(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The content of a compressed fixture.
pub fn unzipped(path: &str) -> Vec<u8> {
    let mut whole = Vec::new();
    flate2::read::GzDecoder::new(&*bytes(path))
        .read_to_end(&mut whole)
        .unwrap_or_else(|error| panic!("{path}: {error}"));
    whole
}

pub fn read(bytes: Vec<u8>) -> Result<Read, ReadError> {
    formats::read(bytes, Limits::default(), &mut |_| ControlFlow::Continue(()))
}

pub fn stacks(read: &Read) -> &Profile {
    match &read.recording {
        Recording::Stacks(profile) => profile,
        Recording::Graph(_) => panic!("expected stacks"),
    }
}

/// Weights of the samples of one metric by leaf. Keys have the file as in the profile, without
/// `root`.
#[derive(Debug, Default, PartialEq)]
pub struct Selves {
    /// By function name and file.
    pub functions: BTreeMap<(String, String), f64>,
    /// By file and line, for frames with a line.
    pub lines: BTreeMap<(String, u32), f64>,
    /// By thread name.
    pub threads: BTreeMap<String, f64>,
    pub total: f64,
}

impl Selves {
    pub fn of(profile: &Profile, metric: usize, root: &str) -> Self {
        let mut selves = Self::default();
        for (thread, samples) in profile.sampled_threads() {
            for i in 0..samples.len() {
                let weight = samples.weights()[metric].get(i);
                selves.total += weight;
                *selves.threads.entry(thread.name.clone()).or_default() += weight;
                let Some(leaf) = samples.stack(i) else { continue };
                let frame = profile.frames().get(profile.stacks().frame(leaf));
                let func = profile.symbols().funcs.get(frame.func);
                let file = func.source.map_or("", |source| profile.symbols().source_name(source));
                let file = file.strip_prefix(root).unwrap_or(file).to_owned();
                if frame.line > 0 {
                    *selves.lines.entry((file.clone(), frame.line)).or_default() += weight;
                }
                let name = profile.symbols().func_name(frame.func).to_owned();
                *selves.functions.entry((name, file)).or_default() += weight;
            }
        }
        selves.functions.retain(|_, weight| *weight != 0.0);
        selves.lines.retain(|_, weight| *weight != 0.0);
        selves
    }
}
