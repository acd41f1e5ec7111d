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
    /// The path of the profile, as returned by `profiles`. Default: the newest profile.
    pub profile: Option<PathBuf>,
    /// The metric: its name or unit. Default: the format's default metric.
    metric: Option<String>,
    /// The threads to show, by name, end of the name, id (`tid:ID`), process (its name or `pid:ID`),
    /// glob or `/regex/`. Default: all threads.
    threads: Vec<String>,
    /// Filters by labels, all of which a sample must pass: `size=large`, `url=~^/api/`, `bytes>=1kb`.
    /// Default: all samples.
    labels: Vec<String>,
    /// Whether to charge the cost of libraries to the lines of your code that call them. Default:
    /// false.
    own_code: bool,
    /// Only this time range, in milliseconds since the first sample: `A..B`, or `1s..2.5s`.
    range: Option<String>,
    /// Only samples with each of these terms, separated by commas, in the name, file or library of a
    /// function on the stack.
    search: Option<String>,
    /// Transforms of the stacks, in order: `focus-function:F`, `merge-function:F`,
    /// `drop-function:F`, `focus-subtree:A>B` and the others of `costline --transform`.
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
