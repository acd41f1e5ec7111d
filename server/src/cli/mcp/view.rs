//! The arguments that all profile tools share: the profile, and how it is viewed.

use crate::cli::view::ViewArgs;
use answers::TimeRange;
use schemars::JsonSchema;
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// The profile, and how it is viewed.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct View {
    /// The path, as returned by `profiles`. Default: the newest profile.
    pub profile: Option<PathBuf>,
    /// Its name or unit. Default: that of the format.
    metric: Option<String>,
    /// Threads by name, end of the name, id (`tid:ID`), process (its name or `pid:ID`), glob or
    /// `/regex/`.
    threads: Vec<String>,
    /// Only samples with all of these labels: `size=large`, `url=~^/api/`, `bytes>=1kb`.
    labels: Vec<String>,
    /// Charge the cost of libraries to the lines of your code that call them.
    own_code: bool,
    /// Only this time range, since the first sample: `A..B` in milliseconds, or `1s..2.5s`.
    range: Option<String>,
    /// Only samples with each of these terms (`a,b`) in the name, file or library of a function on the
    /// stack.
    search: Option<String>,
    /// Transforms of stacks, in order: `focus-function:F`, `merge-function:F`,
    /// `focus-subtree:A>B` and the others of `costline --transform`.
    transforms: Vec<String>,
}

impl View {
    /// The same view, but of another profile.
    pub fn of(&self, profile: &Path) -> Self {
        Self { profile: Some(profile.to_owned()), ..self.clone() }
    }

    /// The command-line arguments, overridden by the tool's arguments.
    pub(in crate::cli) fn apply(&self, base: &ViewArgs) -> Result<ViewArgs, String> {
        let mut view = base.clone();
        if self.metric.is_some() {
            view.metric.clone_from(&self.metric);
        }
        if !self.threads.is_empty() {
            view.thread.clone_from(&self.threads);
        }
        if !self.labels.is_empty() {
            view.label.clone_from(&self.labels);
        }
        view.own |= self.own_code;
        if let Some(range) = &self.range {
            let range = range.parse::<TimeRange>().map_err(|error| format!("range: {error}"))?;
            view.range = Some(range);
        }
        if let Some(search) = &self.search {
            view.search.clone_from(search);
        }
        for transform in &self.transforms {
            let transform = answers::transforms::parse(transform)
                .map_err(|error| format!("transforms: {error}"))?;
            view.transform.push(transform);
        }
        Ok(view)
    }
}
