//! What came of following stacks, and how it is said.

use profile::{LibId, Profile, Warning};

/// The code of the warning that stacks which were recorded as memory lack callers.
pub const CUT_STACKS: &str = "cut-stacks";

/// What unwinding found.
#[derive(Debug)]
pub struct Unwound {
    /// The recording with callers; `None` where none was found.
    pub profile: Option<Profile>,
    /// How many stacks were followed to their beginning.
    pub n_whole: usize,
    /// How many are cut since more lay on the stack than was recorded.
    pub n_too_deep: usize,
    /// How many are cut at code whose callers are not known, by library; those without a file (`[vdso]`) among them, and `None`
    /// for memory that nothing is known of.
    pub cut_at: Vec<(Option<LibId>, usize)>,
    /// Libraries that were needed and are not at hand.
    pub missing: Vec<LibId>,
}

impl Unwound {
    /// What users should know, if anything is missing.
    pub fn warning(&self, profile: &Profile) -> Option<Warning> {
        let count = self.n_too_deep + self.cut_at.iter().map(|&(_, n)| n).sum::<usize>();
        if count == 0 {
            return None;
        }
        let libs = &profile.symbols().libs;
        let mut why = Vec::new();
        let missing: Vec<_> = self.missing.iter().filter_map(|lib| libs.get(lib.index())).map(|lib| lib.path.as_str()).collect();
        if !missing.is_empty() {
            why.push(format!("the files that were recorded are not at hand: {}", missing.join(", ")));
        }
        if self.n_too_deep > 0 {
            why.push(format!("{} stacks are larger than their copies (`--call-graph dwarf,65528` keeps more)", self.n_too_deep));
        }
        let why = if why.is_empty() { "their code says nothing of its callers".to_owned() } else { why.join("; ") };
        let message = format!(
            "outer callers of {count} samples are unknown: {why}. Where it was recorded, `perf script -i perf.data -F \
             +pid,+srcline --full-source-path > perf.txt` writes a text that needs no other files"
        );
        Some(Warning { code: CUT_STACKS, message, count: count as u64 })
    }
}

/// Nothing is followed.
#[cfg(not(feature = "debug-info"))]
pub fn unwind(_: &Profile, raw: &profile::RawStacks, _: &mut dyn FnMut(&profile::Lib) -> Option<Vec<u8>>) -> Unwound {
    Unwound { profile: None, n_whole: 0, n_too_deep: 0, cut_at: vec![(None, raw.stacks.len())], missing: Vec::new() }
}
