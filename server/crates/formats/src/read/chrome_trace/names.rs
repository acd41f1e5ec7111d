//! The names of processes and threads.

use profile::Thread;
use rustc_hash::FxHashMap;

/// The names that `M` events give, by ids as written.
#[derive(Default)]
pub(super) struct Names<'a> {
    pub(super) processes: FxHashMap<Option<&'a str>, String>,
    pub(super) threads: FxHashMap<(Option<&'a str>, Option<&'a str>), String>,
}

impl<'a> Names<'a> {
    /// The thread with these ids, by the names given so far.
    pub(super) fn thread(&self, pid: Option<&'a str>, tid: Option<&'a str>) -> Thread {
        Thread {
            name: self.threads.get(&(pid, tid)).cloned().unwrap_or_default(),
            process_name: self.processes.get(&pid).cloned().unwrap_or_default(),
            pid: pid.map(str::to_owned),
            tid: tid.map(str::to_owned),
            ..Thread::default()
        }
    }
}
