//! Writers of recordings, one per format.
//!
//! A writer gets a profile that was already transformed (threads chosen, idle samples dropped if the
//! format does not mark them: `analysis::apply`); it computes no costs. What a format cannot
//! represent is reported, not dropped silently: see [`Written::lost`].

pub mod callgrind;
pub mod firefox;
pub mod flamegraph;
pub mod folded;
pub mod pprof;
pub mod speedscope;

use profile::{FrameId, Profile, SourceId, StackAccess, StackId};
use rustc_hash::FxHashSet;

/// The largest size of stacks, in bytes, that should be written. No viewer opens larger files, and
/// they may not fit into memory.
pub const MAX_STACK_BYTES: u64 = 1 << 30;

/// What formats that write all frames of each stack write for a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spelling {
    /// The name and the file.
    Names,
    /// A number.
    Numbers,
}

/// The approximate size of stacks in bytes, if all frames of each are written as often as `times`
/// says. If stacks are as deep as they are many, this is quadratic in the size of the profile.
pub fn stack_bytes(profile: &Profile, spelling: Spelling, times: &[u64]) -> u64 {
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
    // Callers come before their callees.
    let mut bytes: Vec<u64> = Vec::with_capacity(stacks.len());
    for stack in stacks.ids() {
        let caller = stacks.prefix(stack).map_or(0, |caller| bytes[caller.index()]);
        bytes.push(caller.saturating_add(frame_bytes(stacks.frame(stack)) as u64));
    }
    let products = bytes.iter().zip(times).map(|(bytes, times)| bytes.saturating_mul(*times));
    products.fold(0, u64::saturating_add)
}

/// How many samples each stack has.
pub fn samples_by_stack(profile: &Profile) -> Vec<u64> {
    let mut times = vec![0; profile.stacks().len()];
    for stack in profile.samples().iter().flat_map(|samples| samples.stacks().flatten()) {
        times[stack.index()] += 1;
    }
    times
}

/// In how many threads each stack is.
pub fn threads_by_stack(profile: &Profile) -> Vec<u64> {
    let mut times = vec![0; profile.stacks().len()];
    for samples in profile.samples() {
        let distinct: FxHashSet<StackId> = samples.stacks().flatten().collect();
        for stack in distinct {
            times[stack.index()] += 1;
        }
    }
    times
}

/// File and line of a frame whose code is in another file than its function, because of a macro or
/// included text.
fn elsewhere(profile: &Profile, frame: FrameId) -> Option<(SourceId, u32)> {
    let own = profile.symbols().funcs.get(profile.frames().get(frame).func).source;
    profile.place(frame).filter(|(source, _)| own != Some(*source))
}

/// What is lost in formats that identify functions by the file of their code.
const PARTS: &str = "that functions have code of several files";

/// Whether the profile has code that loses this.
fn has_parts(profile: &Profile) -> bool {
    (0..profile.frames().len() as u32)
        .any(|frame| elsewhere(profile, FrameId::new(frame)).is_some())
}

/// What is lost of a metric in formats whose readers compute the total of each line.
const UNKNOWN_LINE_TOTALS: &str = "that line totals are unknown";

/// Whether the profile has idle samples.
fn has_idle_samples(profile: &Profile) -> bool {
    let mut stacks = profile.samples().iter().flat_map(|samples| samples.stacks().flatten());
    stacks.any(|stack| profile.stacks().is_idle(stack))
}

/// The content of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// What the recording has and this format cannot represent: noun phrases for one sentence
    /// (`thread names`).
    pub lost: Vec<&'static str>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn size_of_stacks_grows_with_depth_and_samples() {
        let profile =
            profile::text_samples::profile("main@1[file:a.c] main@1 main@1\nf@7[file:b.c]    f@7");
        // The lengths of `main (a.c:1)` and `;f (b.c:7)`.
        let (main, f) = (13, 10);
        let (samples, threads) = (samples_by_stack(&profile), threads_by_stack(&profile));
        assert_eq!(stack_bytes(&profile, Spelling::Names, &samples), 3 * main + 2 * f);
        assert_eq!(stack_bytes(&profile, Spelling::Names, &threads), 2 * main + f);
        assert_eq!(stack_bytes(&profile, Spelling::Numbers, &samples), 20);
    }
}
