//! Threads, by the labels of samples.

use super::tables::Strings;
use crate::pprof_proto as proto;
use profile::Thread;
use rustc_hash::FxHashMap;

/// The labels that name a thread: name, process name, pid and tid, each as a string or else a
/// number.
pub(super) type ThreadKey = [Option<(i64, i64)>; 4];

/// The indexes of strings that are keys of such labels, and their positions in a [`ThreadKey`].
pub(super) struct ThreadLabels(FxHashMap<i64, usize>);

impl ThreadLabels {
    pub(super) fn of(strings: &Strings<'_>) -> Self {
        let position = |key: &str| match key {
            "thread" | "thread_name" | "thread name" | "thread.name" => Some(0),
            "process_name" | "process.executable.name" | "service.name" => Some(1),
            "pid" | "process_id" | "process.pid" => Some(2),
            "tid" | "thread_id" | "thread id" | "thread.id" => Some(3),
            _ => None,
        };
        Self(
            (0..)
                .zip(&strings.0)
                .filter_map(|(row, string)| Some((row, position(string)?)))
                .collect(),
        )
    }

    pub(super) fn thread(&self, labels: &[proto::Label]) -> ThreadKey {
        let mut key = ThreadKey::default();
        for label in labels {
            if let Some(slot) = self.0.get(&label.key).and_then(|&position| key.get_mut(position)) {
                *slot = Some((label.str, label.num));
            }
        }
        key
    }
}

impl Strings<'_> {
    /// The thread that labels name.
    pub(super) fn thread(&self, [name, process_name, pid, tid]: ThreadKey) -> Thread {
        let text = |label: Option<(i64, i64)>| match label? {
            (0, number) => Some(number.to_string()),
            (string, _) => self.get(string, String::new).ok().map(str::to_owned),
        };
        Thread {
            name: text(name).unwrap_or_default(),
            process_name: text(process_name).unwrap_or_default(),
            pid: text(pid),
            tid: text(tid),
            ..Thread::default()
        }
    }
}
