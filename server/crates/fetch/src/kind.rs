//! The kinds of sources.

use serde::Deserialize;

/// What kind of source it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// An address that answers with a profile, of any format that can be read.
    Pprof,
    /// A server of Grafana Pyroscope.
    Pyroscope,
    /// A server of Parca, or Polar Signals Cloud.
    Parca,
    /// A ClickHouse database with samples in its tables.
    Clickhouse,
    /// A bucket of an object store, with many pprof or folded files, which are merged.
    S3,
    /// A folder of many pprof or folded files, which are merged.
    Folder,
}

impl Kind {
    /// All kinds, in the order of the documentation.
    pub(crate) const ALL: [Self; 6] =
        [Self::Pprof, Self::Pyroscope, Self::Parca, Self::Clickhouse, Self::S3, Self::Folder];

    /// Its name on the command line and in the file of sources.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pprof => "pprof",
            Self::Pyroscope => "pyroscope",
            Self::Parca => "parca",
            Self::Clickhouse => "clickhouse",
            Self::S3 => "s3",
            Self::Folder => "folder",
        }
    }

    /// The kind of a name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Whether it can be asked for a time range.
    pub(crate) fn has_time(self) -> bool {
        matches!(self, Self::Pyroscope | Self::Parca | Self::Clickhouse)
    }
}
