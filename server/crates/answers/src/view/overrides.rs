//! Overrides: values that the user chose by command. Metrics and threads are kept by name, so they
//! also apply to a rewritten profile or another one. A change of the same setting removes an
//! override.

pub(crate) mod checks;

#[cfg(test)]
mod tests;

use crate::compare::kept_baseline::KeptBaseline;
use crate::view::choices::{BaselineChoice, Choices};
use crate::view::given::Given;
use crate::view::node;
use crate::view::node::ChosenNode;
use crate::view::transforms::TransformData;
use analysis::Transform;
use checks::{
    check_contour, check_implementation, check_metric, check_own, check_range, check_threads,
    check_transform,
};
use loading::{
    Combine, Compare, Implementation, Inlines, PathMapping, Settings, Show, Snapshot, Stamp, Unit,
};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// A change of the overrides.
#[derive(Debug)]
pub enum Change {
    /// Sets and resets the values that are given, except for the profiles and the baseline.
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
    /// How to combine the profiles of several runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub combine: Option<Combine>,
    /// How to compare costs with the baseline.
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
    /// The time range, as the user wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<String>,
    /// The search.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub search: Option<String>,
    /// Where to show the cost of inlined code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inlines: Option<Inlines>,
    /// Whether to leave out procedures that the contour file excludes from caller lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contour: Option<bool>,
    /// Whether to charge the cost of libraries and the runtime to your code that called them.
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
    /// The call node whose costs are shown.
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
    /// The kept runs that are the baseline. `settings` are the client's settings.
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
            settings.overlay = Some(overlay.clone()).filter(|overlay| !overlay.is_empty());
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
                let is_same = choices.profile.is_unchanged() && choices.profiles.is_unchanged();
                let check_in = shown.filter(|_| is_same);
                next.set(choices, check_in)?;
            }
            Change::Push(transform) => {
                let shown = shown.ok_or("there is nothing to transform: no profile is loaded")?;
                check_transform(&transform, Some(shown))?;
                next.transforms.push(transform);
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
        if !transforms.is_unchanged() {
            self.transforms.clear();
            self.node = None;
        }
        if let Given::Set(transforms) = transforms {
            for data in transforms {
                let transform = data.transform()?;
                check_transform(&transform, shown)?;
                self.transforms.push(transform);
            }
        }
        match node {
            Given::Set(node) => node::choose(node, &mut self.node, &mut self.transforms, shown)?,
            Given::Reset => node::remove(&mut self.node, &mut self.transforms),
            Given::Unchanged => {}
        }
        combine.apply(&mut self.combine);
        compare.apply(&mut self.compare);
        metric.try_apply(&mut self.metric, |metric| check_metric(metric, shown))?;
        overlay.apply(&mut self.overlay);
        threads.try_apply(&mut self.threads, |threads| check_threads(threads, shown))?;
        implementation
            .try_apply(&mut self.implementation, |&mut code| check_implementation(code, shown))?;
        range.try_apply(&mut self.range, |range| check_range(range, shown))?;
        search.apply(&mut self.search);
        self.search.take_if(|search| search.trim().is_empty());
        inlines.apply(&mut self.inlines);
        contour.try_apply(&mut self.contour, |&mut contour| check_contour(contour, shown))?;
        own.try_apply(&mut self.own, |&mut own| check_own(own, shown))?;
        unit.apply(&mut self.unit);
        show.apply(&mut self.show);
        path_mappings.apply(&mut self.path_mappings);
        Ok(())
    }
}
