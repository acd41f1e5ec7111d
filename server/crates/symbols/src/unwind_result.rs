//! The result of unwinding, and the warning about stacks that end early.

use profile::{LibId, Profile, Warning, WarningCode};

/// The result of unwinding.
#[derive(Debug)]
pub struct UnwindResult {
    /// The profile with callers; `None` if none were found.
    pub profile: Option<Profile>,
    /// The number of stacks that were unwound to their root.
    pub n_whole: usize,
    /// The number of stacks that end early because the recorded copy of the stack does.
    pub n_too_deep: usize,
    /// The number of stacks that end early at code whose callers are unknown, by library. Libraries
    /// without a file (`[vdso]`) are included; `None` stands for memory outside all mappings.
    pub cut_at: Vec<(Option<LibId>, usize)>,
    /// Libraries that are needed but were not found.
    pub missing: Vec<LibId>,
}

impl UnwindResult {
    /// A warning if callers are missing.
    pub fn warning(&self, profile: &Profile) -> Option<Warning> {
        let count = self.n_too_deep + self.cut_at.iter().map(|&(_, n)| n).sum::<usize>();
        if count == 0 {
            return None;
        }
        let libs = &profile.symbols().libs;
        let mut why = Vec::new();
        let missing: Vec<_> = self
            .missing
            .iter()
            .filter_map(|lib| libs.get(lib.index()))
            .map(|lib| lib.path.as_str())
            .collect();
        if !missing.is_empty() {
            why.push(format!(
                "these files of the recording were not found: {}",
                missing.join(", ")
            ));
        }
        if self.n_too_deep > 0 {
            why.push(format!(
                "{} stacks are larger than their recorded copies (`--call-graph dwarf,65528` records more)",
                self.n_too_deep
            ));
        }
        let why = if why.is_empty() {
            "there are no unwind tables for their code".to_owned()
        } else {
            why.join("; ")
        };
        let message = format!(
            "outer callers of {count} samples are missing: {why}. On the machine of the recording, `perf script -i perf.data -F \
             +pid,+srcline --full-source-path > perf.txt` writes a text file that needs no other files"
        );
        Some(Warning { code: WarningCode::CutStacks, message, count: count as u64 })
    }
}

/// Unwinds nothing.
#[cfg(not(feature = "debug-info"))]
pub fn unwind(
    _: &Profile,
    raw: &profile::RawStacks,
    _: &mut dyn FnMut(&profile::Lib) -> Option<Vec<u8>>,
) -> UnwindResult {
    UnwindResult {
        profile: None,
        n_whole: 0,
        n_too_deep: 0,
        cut_at: vec![(None, raw.stacks.len())],
        missing: Vec::new(),
    }
}
