//! What of a recording is looked at.

use crate::transform::{Implementation, Transform};
use profile::{MetricId, Recording, ThreadId};

/// Which threads count.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ThreadChoice {
    /// All of them.
    #[default]
    All,
    /// These.
    Only(Vec<ThreadId>),
}

/// What becomes of idle samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum IdleSamples {
    /// They are no cost: summed apart, listed at their leaf function only.
    #[default]
    Apart,
    /// They count like any other.
    Counted,
}

/// One way to look at a recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct View {
    /// What weights count.
    pub metric: MetricId,
    /// Whose samples count.
    pub threads: ThreadChoice,
    /// What becomes of idle ones.
    pub idle: IdleSamples,
    /// Which frames are seen: for [`crate::reshape`], whose recording everything else takes.
    pub implementation: Implementation,
    /// What is done to stacks, in this order: for [`crate::reshape`], too.
    pub transforms: Vec<Transform>,
}

impl View {
    /// Everything, in the recording's own metric.
    pub fn of(recording: &Recording) -> Self {
        Self {
            metric: recording.default_metric(),
            threads: ThreadChoice::All,
            idle: IdleSamples::Apart,
            implementation: Implementation::All,
            transforms: Vec::new(),
        }
    }

    pub(crate) fn includes(&self, thread: usize) -> bool {
        match &self.threads {
            ThreadChoice::All => true,
            ThreadChoice::Only(threads) => threads.iter().any(|id| id.index() == thread),
        }
    }
}
