//! The second stage: addresses are resolved to functions and lines.

use crate::load::broken_stacks::broken_stacks;
use crate::load::libraries::Libraries;
use crate::load::loaded::Loaded;
use analysis::{FuncId, FuncKey, Recording, Warning};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A recording whose addresses are resolved.
#[derive(Debug)]
pub struct Symbolicated {
    /// The recording. The same as in [`Loaded`] if nothing was resolved.
    pub recording: Arc<Recording>,
    /// The funcs that each address was resolved to: the physical function first, then the functions
    /// inlined into it.
    pub resolved: FxHashMap<FuncKey, Vec<FuncId>>,
    /// The libraries that addresses are resolved with.
    pub libraries: Libraries,
    /// Warnings about unresolved addresses and broken stacks. Empty until all libraries were
    /// searched.
    pub warnings: Vec<Warning>,
}

impl Symbolicated {
    /// Resolves the addresses of `loaded` with the symbols found so far.
    pub fn new(loaded: &Loaded, libraries: Libraries) -> Self {
        let (recording, resolved) = match libraries.symbolicate(&loaded.recording) {
            Some(symbolicated) => (Arc::new(symbolicated.recording), symbolicated.became),
            None => (loaded.recording.clone(), FxHashMap::default()),
        };
        let mut warnings = Vec::new();
        if libraries.is_complete() {
            warnings.extend(libraries.warning(&loaded.recording));
            warnings.extend(libraries.incomplete_warning(&loaded.recording));
            warnings.extend(broken_stacks(loaded, &recording));
        }
        Self { recording, resolved, libraries, warnings }
    }
}
