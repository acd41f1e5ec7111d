//! Another profile than the one shown, that a query is about.

use engine::config::choices::Choices;
use serde::Deserialize;
use std::path::PathBuf;

/// Another profile than the one shown, to ask about without showing its costs in the code.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct OtherProfile {
    /// A file of the profile, relative to the workspace folder.
    pub path: PathBuf,
    /// The view of it: choices of `costline.setView`, apart from profiles and the baseline, in place of
    /// the settings. Default: that of the profile shown if the file belongs to it; otherwise that of the
    /// settings.
    #[serde(default)]
    pub view: Option<Choices>,
}
