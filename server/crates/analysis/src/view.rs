//! The view: which part of a recording to sum, and how.

use crate::range::TimeRange;
use crate::transform::{Implementation, Transform};
use profile::{FunctionId, MetricId, Recording, ThreadId};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// The selected threads.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ThreadChoice {
    /// All of them.
    #[default]
    All,
    /// Only these.
    Only(Vec<ThreadId>),
}

impl ThreadChoice {
    /// Whether the thread with this index is selected.
    pub fn includes(&self, thread: usize) -> bool {
        match self {
            Self::All => true,
            Self::Only(threads) => threads.iter().any(|id| id.index() == thread),
        }
    }
}

/// How to count idle samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum IdleSamples {
    /// Outside self, total and every percentage; summed separately, at their leaf function only.
    #[default]
    Excluded,
    /// Like any other sample.
    Included,
}

/// One way to look at a recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct View {
    /// The metric whose weights are summed.
    pub metric: MetricId,
    /// The threads whose samples count.
    pub threads: ThreadChoice,
    /// How idle samples count.
    pub idle: IdleSamples,
    /// Which frames to keep. Applied by [`crate::reshape`]; everything else takes its result.
    pub implementation: Implementation,
    /// Whether callers in procedures that a contour file excludes are replaced by their nearest
    /// callers that it does not exclude.
    pub contour: bool,
    /// Filters by labels, all of which a sample must pass: `size=large`. Applied first by
    /// [`crate::reshape`].
    pub labels: Vec<String>,
    /// The samples that count, if not all. Applied by [`crate::reshape`], like the search.
    pub range: Option<TimeRange>,
    /// Terms, separated by commas. Only samples count in which each term is in the name, file or
    /// library of some function on the stack. Empty: all.
    pub search: String,
    /// Transforms, in the order of their application by [`crate::reshape`].
    pub transforms: Vec<Transform>,
    /// The functions whose frames to keep; the cost of others goes to their nearest callers among
    /// them. `None`: all functions. Applied last by [`crate::reshape`].
    pub own: Option<Arc<FxHashSet<FunctionId>>>,
}

impl View {
    /// All threads, without transforms, in the recording's default metric.
    pub fn of(recording: &Recording) -> Self {
        Self {
            metric: recording.default_metric(),
            threads: ThreadChoice::All,
            idle: IdleSamples::Excluded,
            implementation: Implementation::All,
            contour: false,
            labels: Vec::new(),
            range: None,
            search: String::new(),
            transforms: Vec::new(),
            own: None,
        }
    }

    pub(crate) fn includes(&self, thread: usize) -> bool {
        self.threads.includes(thread)
    }
}
