//! The second stage: addresses become functions and lines, as far as libraries are known.

use crate::broken_stacks::broken_stacks;
use crate::libraries::Libraries;
use crate::stages::loaded::Loaded;
use analysis::{FuncId, FuncKey, Recording, Warning};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A recording with names for its addresses.
#[derive(Debug)]
pub struct Symbolicated {
    /// The recording; that of the file if there was nothing to resolve.
    pub recording: Arc<Recording>,
    /// The funcs that each address was resolved to: the physical function first, then what is
    /// inlined into it.
    pub resolved: FxHashMap<FuncKey, Vec<FuncId>>,
    /// The libraries whose addresses had no names.
    pub libraries: Libraries,
    /// What could not be resolved; empty until all libraries were looked for.
    pub warnings: Vec<Warning>,
}

impl Symbolicated {
    /// Resolves the addresses of `loaded` by what is known of `libraries`.
    pub fn new(loaded: &Loaded, libraries: Libraries) -> Self {
        let (recording, resolved) = match libraries.symbolicate(&loaded.recording) {
            Some(symbolicated) => (Arc::new(symbolicated.profile.into()), symbolicated.became),
            None => (loaded.recording.clone(), FxHashMap::default()),
        };
        let mut warnings = Vec::new();
        if libraries.is_complete() {
            warnings.extend(libraries.warning(&loaded.recording));
            warnings.extend(broken_stacks(loaded, &recording));
        }
        Self { recording, resolved, libraries, warnings }
    }
}
