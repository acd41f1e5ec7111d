//! The schemas of ClickHouse that are known.

use serde::Deserialize;

/// A known schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Template {
    /// Coroot: `profiling_samples` and `profiling_stacks`
    Coroot,
    /// qryn and Gigapipe: `profiles`
    Qryn,
    /// ClickHouse itself: `system.trace_log`
    TraceLog,
}

impl Template {
    const ALL: [(Self, &str); 3] =
        [(Self::Coroot, "coroot"), (Self::Qryn, "qryn"), (Self::TraceLog, "trace-log")];

    pub(crate) fn names() -> String {
        Self::ALL.map(|(_, name)| name).join(", ")
    }
}
