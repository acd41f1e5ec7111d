//! The runs that the threads of a recording are of.

use crate::ThreadChoice;
use profile::{Recording, ThreadId};
use std::collections::BTreeMap;

/// The chosen threads of each run, in the order of the runs. Empty for a recording without threads.
pub fn threads_by_run(recording: &Recording, chosen: &ThreadChoice) -> Vec<Vec<ThreadId>> {
    let mut by_run: BTreeMap<u32, Vec<ThreadId>> = BTreeMap::new();
    for (id, thread) in (0..).map(ThreadId::new).zip(recording.threads()) {
        if chosen.includes(id.index()) {
            by_run.entry(thread.run).or_default().push(id);
        }
    }
    by_run.into_values().collect()
}
