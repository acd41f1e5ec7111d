//! The kinds of sources.

use serde::Deserialize;

/// What kind of source it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// An address that answers with a profile, of any format that can be read.
    Pprof,
    /// A folder of many pprof or folded files, which are merged.
    Folder,
}

impl Kind {
    /// All kinds, in the order of the documentation.
    pub(crate) const ALL: [Self; 2] = [Self::Pprof, Self::Folder];

    /// Its name on the command line and in the file of sources.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pprof => "pprof",
            Self::Folder => "folder",
        }
    }

    /// The kind of a name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}
