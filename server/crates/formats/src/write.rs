//! Recordings to bytes, one writer per format.
//!
//! A writer takes a profile that was reshaped already (threads chosen, idle samples dropped:
//! `analysis::apply`) and puts down what it says; it computes no costs. What a format has no room
//! for is said, not dropped in silence: see [`Written::lost`].

pub mod callgrind;
pub mod firefox;
pub mod flamegraph;
pub mod folded;
pub mod pprof;
pub mod speedscope;

use profile::{FrameId, Profile, SourceId, StackAccess};
use rustc_hash::FxHashSet;

/// More bytes of stacks should not be written: no viewer opens them, and they may not fit into
/// memory.
pub const MAX_STACK_BYTES: usize = 1 << 30;

/// How a format that spells out stacks, all frames of each, puts down a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spelling {
    /// Its name and its file.
    Names,
    /// Its number.
    Numbers,
}

/// About how many bytes the stacks of all samples take, spelled out; with `once_each`, equal ones
/// of a thread are one. Where stacks are as deep as they are many, this grows with the square of
/// the profile.
pub fn stack_bytes(profile: &Profile, spelling: Spelling, once_each: bool) -> usize {
    let (stacks, symbols) = (profile.stacks(), profile.symbols());
    let frame_bytes = |frame: FrameId| match spelling {
        Spelling::Numbers => 4,
        Spelling::Names => {
            let func = symbols.funcs.get(profile.frames().get(frame).func);
            symbols.strings.get(func.name).len()
                + func.source.map_or(0, |source| symbols.source_name(source).len() + 5)
                + 1
        }
    };
    // Callers stand before their callees.
    let mut bytes: Vec<usize> = Vec::with_capacity(stacks.len());
    for stack in stacks.ids() {
        let caller = stacks.prefix(stack).map_or(0, |caller| bytes[caller.index()]);
        bytes.push(frame_bytes(stacks.frame(stack)).saturating_add(caller));
    }
    let mut sum = 0_usize;
    for samples in profile.samples() {
        let mut known = FxHashSet::default();
        for stack in samples.stacks().flatten().filter(|&stack| !once_each || known.insert(stack)) {
            sum = sum.saturating_add(bytes[stack.index()]);
        }
    }
    sum
}

/// File and line of a frame whose code is of another file than its function: of a macro, of
/// included text.
fn elsewhere(profile: &Profile, frame: FrameId) -> Option<(SourceId, u32)> {
    let own = profile.symbols().funcs.get(profile.frames().get(frame).func).source;
    profile.place(frame).filter(|(source, _)| own != Some(*source))
}

/// What a format loses that tells functions apart by the files of their code.
const PARTS: &str = "that code of several files is of one function";

/// Whether such a format loses it.
fn has_parts(profile: &Profile) -> bool {
    (0..profile.frames().len() as u32)
        .any(|frame| elsewhere(profile, FrameId::new(frame)).is_some())
}

/// A file, ready to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// Its content.
    pub bytes: Vec<u8>,
    /// What the recording has and this format cannot carry: nouns for one sentence (`thread
    /// names`).
    pub lost: Vec<&'static str>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stacks_spelled_out_grow_with_depth_and_samples() {
        let profile =
            profile::text_samples::profile("main@1[file:a.c] main@1 main@1\nf@7[file:b.c]    f@7");
        // `main (a.c:1)`, as it is and with `;f (b.c:7)`.
        let (main, f) = (13, 10);
        assert_eq!(stack_bytes(&profile, Spelling::Names, false), 3 * main + 2 * f);
        assert_eq!(stack_bytes(&profile, Spelling::Names, true), 2 * main + f);
        assert_eq!(stack_bytes(&profile, Spelling::Numbers, false), 20);
    }
}
