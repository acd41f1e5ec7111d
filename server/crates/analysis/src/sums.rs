//! Sums over the samples of a view that are not by function or line: the whole view and each
//! thread.

use profile::{FrameId, ThreadId};

/// The share of one thread in the total.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ThreadTotal {
    /// The thread.
    pub thread: ThreadId,
    /// Weight of its samples, without idle samples and those without a stack.
    pub total: f64,
    /// The number of rows of the recording: samples with a weight in the metric or, in a call
    /// graph, line costs.
    pub samples: u64,
}

/// Sums over the samples of a view that are not by stack.
#[derive(Debug, Default)]
pub(crate) struct Sums {
    pub(crate) total: f64,
    /// What percentages refer to.
    pub(crate) base: f64,
    pub(crate) idle: f64,
    pub(crate) no_stack: f64,
    /// Per thread of the profile its weight and the number of its samples with a weight, without
    /// idle ones; `None` for threads that are not in the view.
    pub(crate) threads: Vec<Option<(f64, u64)>>,
    /// Leaf frame and weight of idle samples, one entry per stack.
    pub(crate) idle_leaves: Vec<(FrameId, f64)>,
}

impl Sums {
    /// The totals of the threads of the view.
    pub(crate) fn thread_totals(&self) -> Vec<ThreadTotal> {
        let threads = (0..).map(ThreadId::new).zip(&self.threads);
        threads
            .filter_map(|(thread, sums)| {
                sums.map(|(total, samples)| ThreadTotal { thread, total, samples })
            })
            .collect()
    }
}
