//! What the user chose by command instead of the settings. It is kept by name, so that it survives
//! rewrites, other profiles and changes of other settings; a change of the same setting replaces
//! it.

use crate::settings::{Implementation, Inlines, Settings, Show, Unit};
use crate::snapshot::Snapshot;
use crate::stamp::Stamp;
use crate::transforms::TransformData;
use analysis::Transform;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What `costline.setView` changes. A key that is left out stays as it is; `null` goes back to the
/// setting.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[schemars(rename = "SetViewArgument")]
pub struct Choices {
    /// The profile to show, relative to the first workspace folder. `null`: that of the settings,
    /// or the newest.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub profile: Option<Option<PathBuf>>,
    /// What to compare with: a profile, relative to the first workspace folder; `true` for what is
    /// shown now; `null` or `false` for nothing.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub baseline: Option<Option<BaselineChoice>>,
    /// The metric to show, by name or unit.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub metric: Option<Option<String>>,
    /// The threads to show, by name (or its end), id, glob or `/regex/`; none for all.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub threads: Option<Option<Vec<String>>>,
    /// Which functions are visible.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub implementation: Option<Option<Implementation>>,
    /// Where the cost of inlined code is shown.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub inlines: Option<Option<Inlines>>,
    /// The unit of costs.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub unit: Option<Option<Unit>>,
    /// What hints show.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub show: Option<Option<Show>>,
}

/// A key that is there: `null` is a value too.
fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

impl Choices {
    /// Everything that stands in for a setting goes back to it; the profile and the baseline stay.
    pub fn all_back() -> Self {
        Self {
            metric: Some(None),
            threads: Some(None),
            implementation: Some(None),
            inlines: Some(None),
            unit: Some(None),
            show: Some(None),
            ..Self::default()
        }
    }
}

/// What to compare with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a path, true (what is shown now) or null")]
pub enum BaselineChoice {
    /// A profile, relative to the first workspace folder.
    Path(PathBuf),
    /// `true`: what is shown now; `false`: nothing.
    Shown(bool),
}

/// A change of what is chosen.
#[derive(Debug)]
pub enum Change {
    /// These instead of what was chosen; what is not among them stays.
    Set(Choices),
    /// One more transform, after the others.
    Push(Transform),
    /// The last transform is removed; without one nothing happens.
    Pop,
    /// All transforms are removed.
    Clear,
    /// The baseline that is compared with from now on.
    Compared(ChosenBaseline),
    /// All that was chosen in an earlier session.
    Restore(Overrides),
}

/// A baseline that was chosen instead of the setting.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ChosenBaseline {
    /// None.
    Nothing,
    /// A profile, relative to the first workspace folder.
    Path(PathBuf),
    /// What was shown at that time.
    Shown {
        /// The file.
        path: PathBuf,
        /// When it was written, in milliseconds since 1970.
        modified: u64,
        /// Its length.
        bytes: u64,
    },
}

impl ChosenBaseline {
    /// What a choice stands for while `shown` is shown.
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

    /// The file; `None` without one, or if it was rewritten since.
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

/// What is chosen instead of the settings; `None` where the setting holds.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Overrides {
    /// The metric.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metric: Option<String>,
    /// The threads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threads: Option<Vec<String>>,
    /// Which functions are visible.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub implementation: Option<Implementation>,
    /// Where the cost of inlined code is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inlines: Option<Inlines>,
    /// The unit of costs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<Unit>,
    /// What hints show.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub show: Option<Show>,
    /// What costs are compared with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline: Option<ChosenBaseline>,
    /// The transforms, in order.
    #[serde(skip_serializing_if = "Vec::is_empty", with = "as_data")]
    pub transforms: Vec<Transform>,
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
    /// Whether anything stands in for a setting of the view; the baseline is a choice of its own.
    pub fn overrides(&self) -> bool {
        *self
            != Self {
                baseline: self.baseline.clone(),
                transforms: self.transforms.clone(),
                ..Self::default()
            }
    }

    /// The settings, with what is chosen instead.
    pub fn over(&self, settings: &Settings) -> Settings {
        let mut settings = settings.clone();
        if let Some(metric) = &self.metric {
            settings.metric = Some(metric.clone());
        }
        if let Some(threads) = &self.threads {
            settings.threads.clone_from(threads);
        }
        settings.implementation = self.implementation.unwrap_or(settings.implementation);
        settings.inlines = self.inlines.unwrap_or(settings.inlines);
        settings.unit = self.unit.unwrap_or(settings.unit);
        settings.hints.show = self.show.unwrap_or(settings.hints.show);
        settings.transforms.clone_from(&self.transforms);
        settings
    }

    /// Drops what stands in for settings that differ.
    pub fn forget(&mut self, old: &Settings, new: &Settings) {
        drop_if(&mut self.metric, old.metric != new.metric);
        drop_if(&mut self.threads, old.threads != new.threads);
        drop_if(&mut self.implementation, old.implementation != new.implementation);
        drop_if(&mut self.inlines, old.inlines != new.inlines);
        drop_if(&mut self.unit, old.unit != new.unit);
        drop_if(&mut self.show, old.hints.show != new.hints.show);
        drop_if(&mut self.baseline, old.baseline != new.baseline);
    }

    /// What is chosen after `change`, or a sentence why that cannot be. `shown` is the profile in
    /// which names are looked up; those for another profile are not.
    pub fn changed(&self, change: Change, shown: Option<&Snapshot>) -> Result<Self, String> {
        let mut next = self.clone();
        match change {
            Change::Set(choices) => {
                let names_are_of = shown.filter(|_| choices.profile.is_none());
                next.set(choices, names_are_of)?;
            }
            Change::Push(transform) => {
                let shown = shown.ok_or("no profile is shown: there is nothing to transform")?;
                let found = analysis::find_names(
                    &shown.grouped.recording,
                    &shown.grouped.groups,
                    &transform,
                );
                found.map_err(|nothing| nothing.problem)?;
                next.transforms.push(transform);
            }
            Change::Pop => drop(next.transforms.pop()),
            Change::Clear => next.transforms.clear(),
            Change::Compared(baseline) => next.baseline = Some(baseline),
            Change::Restore(overrides) => next = overrides,
        }
        Ok(next)
    }

    fn set(&mut self, choices: Choices, shown: Option<&Snapshot>) -> Result<(), String> {
        let Choices {
            profile: _,
            baseline: _,
            metric,
            threads,
            implementation,
            inlines,
            unit,
            show,
        } = choices;
        if let Some(metric) = metric {
            self.metric = metric.map(|metric| find_metric(metric, shown)).transpose()?;
        }
        if let Some(threads) = threads {
            self.threads = threads.map(|threads| find_threads(threads, shown)).transpose()?;
        }
        if let Some(implementation) = implementation {
            self.implementation =
                implementation.map(|seen| find_implementation(seen, shown)).transpose()?;
        }
        self.inlines = inlines.unwrap_or(self.inlines);
        self.unit = unit.unwrap_or(self.unit);
        self.show = show.unwrap_or(self.show);
        Ok(())
    }
}

fn drop_if<T>(value: &mut Option<T>, condition: bool) {
    value.take_if(|_| condition);
}

/// A metric, if the profile shown has it.
fn find_metric(metric: String, shown: Option<&Snapshot>) -> Result<String, String> {
    if let Some(shown) = shown {
        analysis::find_metric(&shown.grouped.recording, &metric)
            .map_err(|nothing| nothing.problem)?;
    }
    Ok(metric)
}

/// Threads, if the profile shown has them. All threads of it are all of the next profile too.
fn find_threads(threads: Vec<String>, shown: Option<&Snapshot>) -> Result<Vec<String>, String> {
    let Some(shown) = shown else { return Ok(threads) };
    let mut found = BTreeSet::new();
    for thread in &threads {
        let ids = analysis::find_threads(&shown.grouped.recording, thread);
        found.extend(ids.map_err(|nothing| nothing.problem)?);
    }
    let is_all = found.len() == shown.grouped.recording.threads().len();
    Ok(if is_all { Vec::new() } else { threads })
}

/// An implementation, if the profile shown tells them apart.
fn find_implementation(
    implementation: Implementation,
    shown: Option<&Snapshot>,
) -> Result<Implementation, String> {
    let is_known = shown.is_none_or(|shown| shown.grouped.recording.knows_code());
    if implementation != Implementation::All && !is_known {
        return Err(
            "this profile does not say which functions are JavaScript: `implementation` can only be \"all\"".to_owned()
        );
    }
    Ok(implementation)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn set(chosen: &Overrides, choices: Value) -> Result<Overrides, String> {
        let choices = serde_json::from_value(choices).map_err(|error| error.to_string())?;
        chosen.changed(Change::Set(choices), None)
    }

    #[test]
    fn choices_replace_settings_until_the_same_setting_changes() {
        let parse = |settings: Value| Settings::parse(&settings).0;
        let old = parse(json!({"unit": "both", "metric": "cpu", "hints": {"minPercent": 3}}));
        let choices = json!({"unit": "absolute", "show": "self", "threads": ["a*"]});
        let mut chosen = set(&Overrides::default(), choices).unwrap();
        let settings = chosen.over(&old);
        assert_eq!(
            (settings.unit, settings.hints.show, settings.threads),
            (Unit::Absolute, Show::Self_, vec!["a*".to_owned()])
        );
        assert_eq!((settings.metric.as_deref(), settings.hints.min_percent), (Some("cpu"), 3.0));

        let new = parse(json!({"unit": "percent", "hints": {"minPercent": 4}}));
        chosen.forget(&old, &new);
        let settings = chosen.over(&new);
        assert_eq!(
            (settings.unit, settings.hints.show, settings.hints.min_percent),
            (Unit::Percent, Show::Self_, 4.0)
        );
        assert_eq!((settings.metric, settings.threads.len()), (None, 1));
        assert!(chosen.overrides());

        let back = set(&chosen, json!({"show": null, "threads": null, "inlines": null})).unwrap();
        assert_eq!(back, Overrides::default());
        assert_eq!(back.over(&new), new);
        let all_back = serde_json::to_value(Choices::all_back()).unwrap();
        assert_eq!(set(&chosen, all_back.clone()).unwrap(), Overrides::default());
        assert_eq!(
            all_back,
            json!({"metric": null, "threads": null, "implementation": null, "inlines": null,
                   "unit": null, "show": null})
        );
    }

    #[test]
    fn a_key_or_value_that_is_unknown_is_an_error() {
        for (choices, expected) in [
            (
                json!({"unit": "both", "colour": 1}),
                "unknown field `colour`, expected one of `profile`",
            ),
            (json!({"unit": "furlongs"}), "unknown variant `furlongs`, expected one of `percent`"),
            (json!({"threads": "main"}), "invalid type: string \"main\", expected a sequence"),
            (json!({"baseline": 7}), "a path, true (what is shown now) or null"),
        ] {
            let error = set(&Overrides::default(), choices).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn a_baseline_is_found_again_unless_it_was_rewritten() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("cpu.folded");
        std::fs::write(&path, "main 1\n").unwrap();
        let stamp = Stamp::of(&path).unwrap();
        let modified = stamp.milliseconds();
        let shown = ChosenBaseline::Shown { path: path.clone(), modified, bytes: 7 };
        assert_eq!(shown.file(), Some(path.as_path()));
        std::fs::write(&path, "main 10\n").unwrap();
        assert_eq!(shown.file(), None);
        let by_path = ChosenBaseline::new(Some(&BaselineChoice::Path(path.clone())), None);
        assert_eq!(by_path.file(), Some(path.as_path()));
        for choice in [None, Some(&BaselineChoice::Shown(false))] {
            assert_eq!(ChosenBaseline::new(choice, None), ChosenBaseline::Nothing);
        }
    }
}
