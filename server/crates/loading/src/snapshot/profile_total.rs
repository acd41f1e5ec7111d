//! What a whole profile costs, for lists of profiles.

use crate::discovery::stamp::Stamp;
use crate::load::loaded::Loaded;
use crate::text::plain;
use crate::units;
use analysis::{Groups, Metric, View, costs, thread_totals};

/// The total of a profile in its default metric, without a view.
#[derive(Debug, Clone, PartialEq)]
pub struct ProfileTotal {
    /// The stamp of its first file.
    pub stamp: Stamp,
    /// The number of its files, at least 1.
    pub n_files: usize,
    /// The metric.
    pub metric: Metric,
    /// The weight.
    pub total: f64,
}

impl ProfileTotal {
    /// The total of a profile.
    pub fn of(loaded: &Loaded) -> Self {
        let recording = &loaded.recording;
        let view = View::of(recording);
        let total = match recording.summed() {
            // A call graph need not have threads.
            Some(_) => costs(recording, &view, &Groups::identity(recording.symbols())).total,
            None => thread_totals(recording, &view).iter().map(|thread| thread.total).sum(),
        };
        let metric = recording.metrics().get(view.metric.index()).cloned();
        let metric = metric.unwrap_or_else(|| Metric::new("samples", "samples", None));
        let n_files = loaded.files.len().max(1);
        Self { stamp: loaded.stamp, n_files, metric, total }
    }

    /// The total for display: `1.98 s`.
    pub fn text(&self) -> String {
        units::absolute(self.total, &self.metric)
    }

    /// The metric and the total: `cpu 1.98 s`. A unit that is the metric is not said twice.
    pub fn with_metric(&self) -> String {
        let Metric { name, unit, .. } = &self.metric;
        if name == unit { self.text() } else { format!("{} {}", plain(name), self.text()) }
    }
}
