//! Another profile than the one shown, that a query is about.

use answers::Choices;
use serde::Deserialize;
use std::path::PathBuf;

/// A profile other than the one shown, to query without showing its costs in the code.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct OtherProfile {
    /// A file of the profile, relative to the workspace folder.
    pub path: PathBuf,
    /// Its view: choices of `costline.setView`, apart from profiles and the baseline, instead of
    /// the settings. Default: the current view if the file belongs to the profile shown; otherwise
    /// the view in the settings.
    #[serde(default)]
    pub view: Option<Choices>,
}
