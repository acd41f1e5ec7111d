//! What a client chooses: the argument of `costline.setView`.

use crate::view::given::Given;
use crate::view::node::NodeChoice;
use crate::view::transforms::TransformData;
use loading::{Combine, Compare, Implementation, Inlines, PathMapping, Show, Unit};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::path::PathBuf;

/// The values that `costline.setView` changes. A missing key leaves the value unchanged, `null`
/// resets it to the setting.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[schemars(rename = "SetViewArgument")]
pub struct Choices {
    /// A view of the setting `views`, which replaces all choices. The other keys change it. `null`:
    /// the view in the settings.
    #[serde(skip_serializing_if = "Given::is_unchanged")]
    pub view: Given<String>,
    /// The profile to show, relative to the workspace folder. `null`: the profile in the settings,
    /// or the newest one.
    #[serde(skip_serializing_if = "Given::is_unchanged")]
    pub profile: Given<PathBuf>,
    /// The profiles to show as one instead of `profile`: repeated runs, or the parts of a
    /// run on several machines. They must have the same format.
    #[serde(skip_serializing_if = "Given::is_unchanged")]
    pub profiles: Given<Vec<PathBuf>>,
    /// The baseline: a profile, relative to the workspace folder, `"previous"` for the run before
    /// the one shown, `"previous:5"` for the mean of the last 5 runs, `"git:main"` for the newest run
    /// at a Git revision, or `true` for the profile shown now. `null` or `false`: no baseline.
    #[serde(skip_serializing_if = "Given::is_unchanged")]
    pub baseline: Given<BaselineChoice>,
    /// How to combine the profiles of several runs.
    #[serde(skip_serializing_if = "Given::is_unchanged")]
    pub combine: Given<Combine>,
    /// How to compare costs with the baseline.
    #[serde(skip_serializing_if = "Given::is_unchanged")]
    pub compare: Given<Compare>,
    /// The transforms, in order, instead of those that are applied. `null`: none.
    #[serde(skip_serializing_if = "Given::is_unchanged")]
    pub transforms: Given<Vec<TransformData>>,
    /// The call node to show the costs of, with what it calls: the path of a node in the result of
    /// `costline.callTree`. `{"levels": N}` shows the first N functions of the chosen path. `null`:
    /// all nodes.
    #[serde(skip_serializing_if = "Given::is_unchanged")]
    pub node: Given<NodeChoice>,
    /// The metric to show, by name or unit.
    #[serde(skip_serializing_if = "Given::is_unchanged")]
    pub metric: Given<String>,
    /// A second cost to show beside the first: a metric of the profile, by name or unit, or the path
    /// of another profile, relative to the workspace folder. Empty: none, whatever the setting names.
    #[serde(skip_serializing_if = "Given::is_unchanged")]
    pub overlay: Given<String>,
    /// The threads to show, by name, end of the name, id (`tid:ID`), process (its name or `pid:ID`),
    /// glob or `/regex/`. Empty: all threads.
    #[serde(skip_serializing_if = "Given::is_unchanged")]
    pub threads: Given<Vec<String>>,
    /// Which functions to show.
    #[serde(skip_serializing_if = "Given::is_unchanged")]
    pub implementation: Given<Implementation>,
    /// The time range to show, in milliseconds since the first sample: `2..5`, or `1s..2.5s`. A
    /// sample at the end is not in it.
    #[serde(skip_serializing_if = "Given::is_unchanged")]
    pub range: Given<String>,
    /// Show only samples in which each of these terms, separated by commas, is in the name, file or
    /// library of some function on the stack.
    #[serde(skip_serializing_if = "Given::is_unchanged")]
    pub search: Given<String>,
    /// Where to show the cost of inlined code.
    #[serde(skip_serializing_if = "Given::is_unchanged")]
    pub inlines: Given<Inlines>,
    /// Whether to leave out procedures that the contour file excludes from caller lists.
    #[serde(skip_serializing_if = "Given::is_unchanged")]
    pub contour: Given<bool>,
    /// Whether to charge the cost of libraries and the runtime to your code that called them.
    #[serde(skip_serializing_if = "Given::is_unchanged")]
    pub own: Given<bool>,
    /// The unit of costs.
    #[serde(skip_serializing_if = "Given::is_unchanged")]
    pub unit: Given<Unit>,
    /// What hints show.
    #[serde(skip_serializing_if = "Given::is_unchanged")]
    pub show: Given<Show>,
    /// The path mappings, instead of those in the setting `pathMappings`.
    #[serde(skip_serializing_if = "Given::is_unchanged")]
    pub path_mappings: Given<Vec<PathMapping>>,
    /// Keys to reset, which is the same as `null` for each. Some clients, such as Neovim, drop keys
    /// with `null` from arguments that the server sent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reset: Vec<String>,
}

impl Choices {
    /// Resets all overrides to the settings. The profile, the baseline and the transforms stay.
    pub fn reset_all() -> Self {
        Self {
            view: Given::Unchanged,
            profile: Given::Unchanged,
            profiles: Given::Unchanged,
            baseline: Given::Unchanged,
            combine: Given::Reset,
            compare: Given::Reset,
            transforms: Given::Unchanged,
            node: Given::Unchanged,
            metric: Given::Reset,
            overlay: Given::Reset,
            threads: Given::Reset,
            implementation: Given::Reset,
            range: Given::Reset,
            search: Given::Reset,
            inlines: Given::Reset,
            contour: Given::Reset,
            own: Given::Reset,
            unit: Given::Reset,
            show: Given::Reset,
            path_mappings: Given::Reset,
            reset: Vec::new(),
        }
    }

    /// These choices as JSON without `null`: the keys to reset are in `reset`.
    pub fn without_nulls(&self) -> Value {
        let mut json = json!(self);
        if let Some(keys) = json.as_object_mut() {
            let reset: Vec<String> = keys
                .iter()
                .filter(|(_, value)| value.is_null())
                .map(|(key, _)| key.clone())
                .collect();
            keys.retain(|_, value| !value.is_null());
            if !reset.is_empty() {
                keys.insert("reset".to_owned(), json!(reset));
            }
        }
        json
    }

    /// These choices with the keys of `reset` as `null`. Fails if there is no such key.
    pub fn with_nulls(mut self) -> Result<Self, String> {
        let reset = std::mem::take(&mut self.reset);
        let mut json = json!(self);
        if let Some(keys) = json.as_object_mut() {
            keys.extend(reset.into_iter().map(|key| (key, Value::Null)));
        }
        serde_json::from_value(json).map_err(|error| error.to_string())
    }
}

/// The baseline to compare with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a path, true (the profile shown now) or null")]
pub enum BaselineChoice {
    /// A profile, relative to the workspace folder, `previous`, `previous:N` or `git:REVISION`.
    Path(PathBuf),
    /// `true`: the profile shown now. `false`: no baseline.
    Shown(bool),
}
