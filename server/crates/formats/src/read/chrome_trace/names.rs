//! The ids of processes and threads, and their names.

use super::event::{self, Raw};
use profile::{BuildError, Interner, StringId, Thread};
use rustc_hash::FxHashMap;

/// An id of a process, a thread or anything else; `None` if an event has none.
pub(super) type Id = Option<StringId>;

/// Ids as written, and the names that `M` events give to them.
#[derive(Default)]
pub(super) struct Names {
    ids: Interner,
    processes: FxHashMap<Id, String>,
    threads: FxHashMap<(Id, Id), String>,
}

impl Names {
    /// An id of an event.
    pub(super) fn id(&mut self, raw: Option<Raw<'_>>) -> Result<Id, BuildError> {
        let text = event::id(raw);
        text.map(|text| self.ids.intern(text).ok_or(BuildError::TooLarge("id"))).transpose()
    }

    /// The id as written.
    pub(super) fn text(&self, id: Id) -> Option<&str> {
        id.map(|id| self.ids.get(id))
    }

    pub(super) fn name_process(&mut self, pid: Id, name: String) {
        self.processes.insert(pid, name);
    }

    pub(super) fn name_thread(&mut self, ids: (Id, Id), name: String) {
        self.threads.insert(ids, name);
    }

    /// The thread with these ids, by the names given so far.
    pub(super) fn thread(&self, pid: Id, tid: Id) -> Thread {
        Thread {
            name: self.threads.get(&(pid, tid)).cloned().unwrap_or_default(),
            process_name: self.processes.get(&pid).cloned().unwrap_or_default(),
            pid: self.text(pid).map(str::to_owned),
            tid: self.text(tid).map(str::to_owned),
            ..Thread::default()
        }
    }
}
