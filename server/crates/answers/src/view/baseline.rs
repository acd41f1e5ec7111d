//! What a user can choose as the baseline, and what was chosen.

use loading::{Snapshot, Stamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The baseline to compare with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a path, true (the profile shown now) or null")]
pub enum BaselineChoice {
    /// A profile, relative to the workspace folder, `previous`, `previous:N` or `git:REVISION`.
    Path(PathBuf),
    /// `true`: the profile shown now. `false`: no baseline.
    Shown(bool),
}

/// A baseline that overrides the setting.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ChosenBaseline {
    /// No baseline.
    Nothing,
    /// A profile, relative to the workspace folder, `previous`, `previous:N` or `git:REVISION`.
    Path(PathBuf),
    /// The profile that was shown when the user chose it.
    Shown {
        /// The file.
        path: PathBuf,
        /// When it was written, in milliseconds since 1970.
        modified: u64,
        /// Its length in bytes.
        bytes: u64,
    },
}

impl ChosenBaseline {
    /// The baseline of a choice. `shown` is the profile shown now.
    pub fn new(choice: Option<&BaselineChoice>, shown: Option<&Snapshot>) -> Self {
        match (choice, shown) {
            (Some(BaselineChoice::Path(path)), _) => Self::Path(path.clone()),
            (Some(BaselineChoice::Shown(true)), Some(shown)) => {
                let (path, stamp) = (shown.loaded.path.clone(), &shown.loaded.stamp);
                Self::Shown { path, modified: stamp.milliseconds(), bytes: stamp.len }
            }
            (Some(BaselineChoice::Shown(_)) | None, _) => Self::Nothing,
        }
    }

    /// The file of the baseline. `None` if there is none, or it was rewritten since it was shown.
    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::Nothing => None,
            Self::Path(path) => Some(path),
            Self::Shown { path, modified, bytes } => {
                let now = Stamp::of(path).ok()?;
                ((now.milliseconds(), now.len) == (*modified, *bytes)).then_some(path)
            }
        }
    }
}
