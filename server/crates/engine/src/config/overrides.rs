//! Overrides: values that the user chose by command. Metrics and threads are kept by name, so they
//! also apply to a rewritten profile or another one. A change of the same setting removes an
//! override.

use crate::compare::kept_baseline::KeptBaseline;
use crate::config::node::{self, ChosenNode, NodeChoice};
use crate::config::settings::{
    Combine, Compare, Implementation, Inlines, PathMapping, Settings, Show, Unit,
};
use crate::config::transforms::TransformData;
use crate::discovery::stamp::Stamp;
use crate::functions::own_files::{is_own_path, no_own_code};
use crate::load::stages::grouped::Grouped;
use crate::snapshot::Snapshot;
use analysis::{TimeRange, Transform};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The values that `costline.setView` changes. A missing key leaves the value unchanged, `null`
/// resets it to the setting.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[schemars(rename = "SetViewArgument")]
pub struct Choices {
    /// A view of the setting `views`, which replaces all choices. The other keys change it. `null`:
    /// the view of the settings.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub view: Option<Option<String>>,
    /// The profile to show, relative to the workspace folder. `null`: the profile of the
    /// settings, or the newest one.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub profile: Option<Option<PathBuf>>,
    /// The profiles to show as one instead of `profile`: repeated runs, or the parts of a
    /// run on several machines. They must have the same format.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub profiles: Option<Option<Vec<PathBuf>>>,
    /// The baseline: a profile, relative to the workspace folder, `"previous"` for the run before
    /// the one shown, `"previous:5"` for the mean of the last 5 runs, `"git:main"` for the newest run
    /// at a Git revision, or `true` for the profile shown now. `null` or `false`: no baseline.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub baseline: Option<Option<BaselineChoice>>,
    /// How to show the profiles of several runs as one.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub combine: Option<Option<Combine>>,
    /// How to compare costs with those of the baseline.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub compare: Option<Option<Compare>>,
    /// The transforms, in order, instead of those that are applied. `null`: none.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub transforms: Option<Option<Vec<TransformData>>>,
    /// The call node to show the costs of, with what it calls: the path of a node in the answer of
    /// `costline.callTree`. `{"levels": N}` shows the first N functions of the chosen path. `null`:
    /// all nodes.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub node: Option<Option<NodeChoice>>,
    /// The metric to show, by name or unit.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub metric: Option<Option<String>>,
    /// A second cost to show beside the first: a metric of the profile, by name or unit, or the path
    /// of another profile, relative to the workspace folder.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub overlay: Option<Option<String>>,
    /// The threads to show, by name, end of the name, id (`tid:ID`, `pid:ID`), glob or `/regex/`.
    /// Empty: all threads.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub threads: Option<Option<Vec<String>>>,
    /// Which functions to show.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub implementation: Option<Option<Implementation>>,
    /// The range of time to show, in milliseconds since the first sample: `2..5`, or `1s..2.5s`. A
    /// sample at the end is not in it.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub range: Option<Option<String>>,
    /// Show only samples in which each of these terms, separated by commas, is in the name, file or
    /// library of some function of the stack.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub search: Option<Option<String>>,
    /// Where to show the cost of inlined code.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub inlines: Option<Option<Inlines>>,
    /// Whether to leave procedures that the contour file excludes out of lists of callers.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub contour: Option<Option<bool>>,
    /// Whether to charge the cost of libraries and of the runtime to the own code that called them.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub own: Option<Option<bool>>,
    /// The unit of costs.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub unit: Option<Option<Unit>>,
    /// What hints show.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub show: Option<Option<Show>>,
    /// The path mappings, instead of those of the setting `pathMappings`.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub path_mappings: Option<Option<Vec<PathMapping>>>,
    /// Keys to reset, which is the same as `null` for each. Some clients drop keys with `null` from
    /// arguments that the server sent, such as Neovim.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reset: Vec<String>,
}

/// Deserializes `null` to `Some(None)`. A missing key stays `None`.
pub(crate) fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

impl Choices {
    /// Resets all overrides to the settings. The profile, the baseline and the transforms stay.
    pub fn reset_all() -> Self {
        Self {
            view: None,
            profile: None,
            profiles: None,
            baseline: None,
            combine: Some(None),
            compare: Some(None),
            transforms: None,
            node: None,
            metric: Some(None),
            overlay: Some(None),
            threads: Some(None),
            implementation: Some(None),
            range: Some(None),
            search: Some(None),
            inlines: Some(None),
            contour: Some(None),
            own: Some(None),
            unit: Some(None),
            show: Some(None),
            path_mappings: Some(None),
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

/// A change of the overrides.
#[derive(Debug)]
pub enum Change {
    /// Sets the values that are not `None`, except for the profiles and the baseline.
    Set(Choices),
    /// Appends a transform.
    Push(Transform),
    /// Removes the last transform, if there is one.
    Pop,
    /// Removes all transforms.
    Clear,
    /// Restores the overrides of an earlier session.
    Restore(Overrides),
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

/// The overrides. `None` means that the setting applies.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Overrides {
    /// How to show the profiles of several runs as one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub combine: Option<Combine>,
    /// How to compare costs with those of the baseline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compare: Option<Compare>,
    /// The metric.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metric: Option<String>,
    /// The overlay.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overlay: Option<String>,
    /// The threads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threads: Option<Vec<String>>,
    /// Which functions to show.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub implementation: Option<Implementation>,
    /// The range of time, as the user wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<String>,
    /// The search.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub search: Option<String>,
    /// Where to show the cost of inlined code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inlines: Option<Inlines>,
    /// Whether to leave procedures that the contour file excludes out of lists of callers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contour: Option<bool>,
    /// Whether to charge the cost of libraries and of the runtime to the own code that called them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own: Option<bool>,
    /// The unit of costs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<Unit>,
    /// What hints show.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub show: Option<Show>,
    /// The path mappings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_mappings: Option<Vec<PathMapping>>,
    /// The baseline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline: Option<ChosenBaseline>,
    /// The transforms, in order.
    #[serde(skip_serializing_if = "Vec::is_empty", with = "as_data")]
    pub transforms: Vec<Transform>,
    /// The call node of which costs are shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<ChosenNode>,
}

/// Transforms in JSON.
mod as_data {
    use super::{Transform, TransformData};
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

    pub fn serialize<S: Serializer>(
        transforms: &[Transform],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        transforms.iter().map(TransformData::from).collect::<Vec<_>>().serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<Transform>, D::Error> {
        let data = Vec::<TransformData>::deserialize(deserializer)?;
        data.into_iter().map(|data| data.transform().map_err(D::Error::custom)).collect()
    }
}

impl Overrides {
    /// The kept runs that are the baseline. `settings` are those of the client.
    pub fn kept_baseline(&self, settings: &Settings) -> Option<KeptBaseline> {
        let path = match &self.baseline {
            Some(ChosenBaseline::Path(path)) => path,
            Some(_) => return None,
            None => Path::new(settings.baseline.as_ref()?),
        };
        KeptBaseline::parse(path)?.ok()
    }

    /// Whether any setting is overridden, apart from the baseline. Transforms are no settings.
    pub fn override_settings(&self) -> bool {
        *self
            != Self {
                baseline: self.baseline.clone(),
                transforms: self.transforms.clone(),
                node: self.node.clone(),
                ..Self::default()
            }
    }

    /// The settings with the overrides applied.
    pub fn applied_to(&self, settings: &Settings) -> Settings {
        let Self {
            combine,
            compare,
            metric,
            overlay,
            threads,
            implementation,
            range,
            search,
            inlines,
            contour,
            own,
            unit,
            show,
            path_mappings,
            baseline: _,
            transforms,
            node,
        } = self;
        let mut settings = settings.clone();
        if let Some(metric) = metric {
            settings.metric = Some(metric.clone());
        }
        if let Some(overlay) = overlay {
            settings.overlay = Some(overlay.clone());
        }
        if let Some(threads) = threads {
            settings.threads.clone_from(threads);
        }
        settings.combine = combine.unwrap_or(settings.combine);
        settings.compare = compare.unwrap_or(settings.compare);
        settings.implementation = implementation.unwrap_or(settings.implementation);
        settings.inlines = inlines.unwrap_or(settings.inlines);
        settings.contour = contour.unwrap_or(settings.contour);
        settings.own_code = own.unwrap_or(settings.own_code);
        settings.unit = unit.unwrap_or(settings.unit);
        settings.hints.show = show.unwrap_or(settings.hints.show);
        if let Some(path_mappings) = path_mappings {
            settings.path_mappings.clone_from(path_mappings);
        }
        settings.transforms = node::with_node(transforms, node.as_ref());
        settings.range = range.as_deref().and_then(|range| range.parse().ok());
        settings.search = search.clone().unwrap_or_default();
        settings
    }

    /// Removes the overrides of settings that changed.
    pub fn remove_changed(&mut self, old: &Settings, new: &Settings) {
        let Self {
            combine,
            compare,
            metric,
            overlay,
            threads,
            implementation,
            // There are no settings for a range, a search, transforms and a node.
            range: _,
            search: _,
            inlines,
            contour,
            own,
            unit,
            show,
            path_mappings,
            baseline,
            transforms: _,
            node: _,
        } = self;
        combine.take_if(|_| old.combine != new.combine);
        compare.take_if(|_| old.compare != new.compare);
        metric.take_if(|_| old.metric != new.metric);
        overlay.take_if(|_| old.overlay != new.overlay);
        threads.take_if(|_| old.threads != new.threads);
        implementation.take_if(|_| old.implementation != new.implementation);
        inlines.take_if(|_| old.inlines != new.inlines);
        contour.take_if(|_| old.contour != new.contour);
        own.take_if(|_| old.own_code != new.own_code);
        unit.take_if(|_| old.unit != new.unit);
        show.take_if(|_| old.hints.show != new.hints.show);
        path_mappings.take_if(|_| old.path_mappings != new.path_mappings);
        baseline.take_if(|_| old.baseline != new.baseline);
    }

    /// The overrides after `change`. `shown` is the profile in which names are checked; a change
    /// that also selects another profile is not checked. The error is a message for users.
    pub fn changed(&self, change: Change, shown: Option<&Snapshot>) -> Result<Self, String> {
        let mut next = self.clone();
        match change {
            Change::Set(choices) => {
                let check_in =
                    shown.filter(|_| choices.profile.is_none() && choices.profiles.is_none());
                next.set(choices, check_in)?;
            }
            Change::Push(transform) => {
                let shown = shown.ok_or("there is nothing to transform: no profile is loaded")?;
                next.transforms.push(check_transform(transform, Some(shown))?);
            }
            Change::Pop => node::pop(&mut next.node, &mut next.transforms),
            Change::Clear => {
                next.transforms.clear();
                next.node = None;
            }
            Change::Restore(overrides) => next = overrides,
        }
        Ok(next)
    }

    fn set(&mut self, choices: Choices, shown: Option<&Snapshot>) -> Result<(), String> {
        let Choices {
            view: _,
            profile: _,
            profiles: _,
            baseline: _,
            combine,
            compare,
            transforms,
            node,
            metric,
            overlay,
            threads,
            implementation,
            range,
            search,
            inlines,
            contour,
            own,
            unit,
            show,
            path_mappings,
            reset: _,
        } = choices;
        if let Some(transforms) = transforms {
            let transforms = transforms.unwrap_or_default().into_iter();
            let transforms = transforms.map(|data| check_transform(data.transform()?, shown));
            self.transforms = transforms.collect::<Result<_, String>>()?;
            self.node = None;
        }
        match node {
            Some(Some(choice)) => {
                node::choose(choice, &mut self.node, &mut self.transforms, shown)?;
            }
            Some(None) => node::remove(&mut self.node, &mut self.transforms),
            None => {}
        }
        if let Some(metric) = metric {
            self.metric = metric.map(|metric| check_metric(metric, shown)).transpose()?;
        }
        self.overlay = overlay.unwrap_or_else(|| self.overlay.take());
        if let Some(threads) = threads {
            self.threads = threads.map(|threads| check_threads(threads, shown)).transpose()?;
        }
        if let Some(implementation) = implementation {
            self.implementation =
                implementation.map(|value| check_implementation(value, shown)).transpose()?;
        }
        self.combine = combine.unwrap_or(self.combine);
        self.compare = compare.unwrap_or(self.compare);
        if let Some(range) = range {
            self.range = range.map(|range| check_range(range, shown)).transpose()?;
        }
        if let Some(search) = search {
            self.search = search.filter(|search| !search.trim().is_empty());
        }
        self.inlines = inlines.unwrap_or(self.inlines);
        if let Some(contour) = contour {
            self.contour = contour.map(|value| check_contour(value, shown)).transpose()?;
        }
        if let Some(own) = own {
            self.own = own.map(|value| check_own(value, shown)).transpose()?;
        }
        self.unit = unit.unwrap_or(self.unit);
        self.show = show.unwrap_or(self.show);
        if let Some(path_mappings) = path_mappings {
            self.path_mappings = path_mappings;
        }
        Ok(())
    }
}

/// Fails if the profile shown does not have what the transform names.
fn check_transform(transform: Transform, shown: Option<&Snapshot>) -> Result<Transform, String> {
    if let Some(shown) = shown {
        let Grouped { recording, groups, resolved, .. } = &shown.grouped;
        analysis::find_names(recording, groups, resolved, &transform)
            .map_err(|unmatched| unmatched.problem)?;
    }
    Ok(transform)
}

/// Fails if the profile shown does not have the metric.
fn check_metric(metric: String, shown: Option<&Snapshot>) -> Result<String, String> {
    if let Some(shown) = shown {
        analysis::find_metric(&shown.grouped.recording, &metric)
            .map_err(|unmatched| unmatched.problem)?;
    }
    Ok(metric)
}

/// Fails if the profile shown does not have one of the threads. A list of all its threads becomes
/// empty, so that it stands for all threads of other profiles, too.
fn check_threads(threads: Vec<String>, shown: Option<&Snapshot>) -> Result<Vec<String>, String> {
    let Some(shown) = shown else { return Ok(threads) };
    let mut found = BTreeSet::new();
    for thread in &threads {
        let ids = analysis::find_threads(&shown.grouped.recording, thread);
        found.extend(ids.map_err(|unmatched| unmatched.problem)?);
    }
    let is_all = found.len() == shown.grouped.recording.threads().len();
    Ok(if is_all { Vec::new() } else { threads })
}

/// Fails if the profile shown does not record which functions are JavaScript.
fn check_implementation(
    implementation: Implementation,
    shown: Option<&Snapshot>,
) -> Result<Implementation, String> {
    let is_known = shown.is_none_or(|shown| shown.grouped.recording.knows_code());
    if implementation != Implementation::All && !is_known {
        return Err(
            "this profile does not record which functions are JavaScript: set `implementation` to \"all\"".to_owned()
        );
    }
    Ok(implementation)
}

/// Fails if the profile shown has no own code, or has neither stacks nor a contour file.
pub fn check_own(own: bool, shown: Option<&Snapshot>) -> Result<bool, String> {
    let Some(shown) = shown.filter(|_| own) else { return Ok(own) };
    if shown.grouped.recording.knows_contour() {
        return Ok(own);
    }
    let roots = &shown.source_mapped.roots;
    let has_own = shown.grouped.paths.iter().flatten().any(|path| is_own_path(path, roots));
    match no_own_code(shown.grouped.recording.summed().is_some(), has_own) {
        Some(why) => Err(format!("{why}: show all code")),
        None => Ok(own),
    }
}

/// Fails if a range is malformed, or the profile shown does not record times.
fn check_range(range: String, shown: Option<&Snapshot>) -> Result<String, String> {
    let parsed: TimeRange = range.parse()?;
    if let Some(shown) = shown {
        analysis::check_range(&shown.loaded.recording, parsed)
            .map_err(|unmatched| unmatched.problem)?;
    }
    Ok(range)
}

/// Fails if there is no contour for the profile shown.
pub fn check_contour(contour: bool, shown: Option<&Snapshot>) -> Result<bool, String> {
    let is_known = shown.is_none_or(|shown| shown.grouped.recording.knows_contour());
    if contour && !is_known {
        return Err("this profile has no contour file that excludes procedures: write one beside \
                    it (`Deep.contour` for `Deep.data`)"
            .to_owned());
    }
    Ok(contour)
}

#[cfg(test)]
mod tests;
