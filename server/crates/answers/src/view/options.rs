//! The options of the view: what a user can choose instead of a setting, or beside the settings.
//!
//! Each is said once, in the table at the end. From it follow the argument of `costline.setView`
//! ([`Choices`]), what was chosen ([`Overrides`]), and how settings and choices go together. Metrics and
//! threads are kept by name, so they also apply to a rewritten profile or another one.

use crate::view::baseline::{BaselineChoice, ChosenBaseline};
use crate::view::checks::{
    check_implementation, check_labels, check_metric, check_own, check_range, check_threads,
    check_transform,
};
use crate::view::given::Given;
use crate::view::node::{self, ChosenNode, NodeChoice};
use crate::view::transforms::{self, TransformData};
use analysis::Transform;
use loading::{
    Combine, Compare, Implementation, Inlines, PathMapping, Settings, Show, Snapshot, Unit,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// A value that applies to every profile.
#[expect(clippy::unnecessary_wraps, reason = "it stands for a check")]
fn anything<T>(_: &mut T, _: Option<&Snapshot>) -> Result<(), String> {
    Ok(())
}

/// The options: for each its documentation, name and type, the setting that it replaces if there is one,
/// and whether a value applies to the profile shown.
macro_rules! options {
    ($($(#[doc = $doc:literal])+ $name:ident: $type:ty $(=> $($setting:ident).+)?, $check:expr;)+) => {
        /// The values that `costline.setView` changes. A missing key leaves the value unchanged, `null`
        /// resets it to the setting.
        #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "camelCase", deny_unknown_fields, default)]
        #[schemars(rename = "SetViewArgument")]
        pub struct Choices {
            /// A view of the setting `views`, which replaces all choices. The other keys change it.
            /// `null`: the view in the settings.
            #[serde(skip_serializing_if = "Given::is_unchanged")]
            pub view: Given<String>,
            /// The profile to show, relative to the workspace folder. `null`: the profile in the
            /// settings, or the newest one.
            #[serde(skip_serializing_if = "Given::is_unchanged")]
            pub profile: Given<PathBuf>,
            /// The profiles to show as one instead of `profile`: repeated runs, or the parts of a
            /// run on several machines. They must have the same format.
            #[serde(skip_serializing_if = "Given::is_unchanged")]
            pub profiles: Given<Vec<PathBuf>>,
            /// The baseline: a profile, relative to the workspace folder, `"previous"` for the run before
            /// the one shown, `"previous:5"` for the mean of the last 5 runs, `"git:main"` for the newest
            /// run at a Git revision, or `true` for the profile shown now. `null` or `false`: no baseline.
            #[serde(skip_serializing_if = "Given::is_unchanged")]
            pub baseline: Given<BaselineChoice>,
            /// The transforms, in order, instead of those that are applied. `null`: none.
            #[serde(skip_serializing_if = "Given::is_unchanged")]
            pub transforms: Given<Vec<TransformData>>,
            /// The call node to show the costs of, with what it calls: the path of a node in the result
            /// of `costline.callTree`. `{"levels": N}` shows the first N functions of the chosen path.
            /// `null`: all nodes.
            #[serde(skip_serializing_if = "Given::is_unchanged")]
            pub node: Given<NodeChoice>,
            $(
                $(#[doc = $doc])+
                #[serde(skip_serializing_if = "Given::is_unchanged")]
                pub $name: Given<$type>,
            )+
            /// Keys to reset, which is the same as `null` for each. Some clients, such as Neovim, drop
            /// keys with `null` from arguments that the server sent.
            #[serde(skip_serializing_if = "Vec::is_empty")]
            pub reset: Vec<String>,
        }

        /// What the user chose. `None` means that the setting applies.
        #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
        #[serde(rename_all = "camelCase", default)]
        pub struct Overrides {
            $(
                $(#[doc = $doc])+
                #[serde(skip_serializing_if = "Option::is_none")]
                pub $name: Option<$type>,
            )+
            /// The baseline.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub baseline: Option<ChosenBaseline>,
            /// The transforms, in order.
            #[serde(skip_serializing_if = "Vec::is_empty", with = "transforms::as_data")]
            pub transforms: Vec<Transform>,
            /// The call node whose costs are shown.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub node: Option<ChosenNode>,
        }

        impl Choices {
            /// Resets all options to the settings. The profile, the baseline, the transforms and the call
            /// node stay.
            pub fn reset_all() -> Self {
                Self { $($name: Given::Reset,)+ ..Self::default() }
            }
        }

        impl Overrides {
            /// The settings with the overrides applied.
            pub fn applied_to(&self, settings: &Settings) -> Settings {
                let mut settings = settings.clone();
                $($(
                    if let Some(value) = &self.$name {
                        settings.$($setting).+ = value.clone().into();
                    }
                )?)+
                // An empty overlay is none, whatever the setting names.
                settings.overlay.take_if(|overlay| overlay.is_empty());
                settings.transforms = node::with_node(&self.transforms, self.node.as_ref());
                settings.range = self.range.as_deref().and_then(|range| range.parse().ok());
                settings.search = self.search.clone().unwrap_or_default();
                settings
            }

            /// Removes the overrides of settings that changed.
            pub fn remove_changed(&mut self, old: &Settings, new: &Settings) {
                $($(self.$name.take_if(|_| old.$($setting).+ != new.$($setting).+);)?)+
                self.baseline.take_if(|_| old.baseline != new.baseline);
            }

            /// Sets and resets the values that are given, except for the profiles and the baseline. The
            /// error is a message for users.
            pub(super) fn set(
                &mut self,
                choices: Choices,
                shown: Option<&Snapshot>,
            ) -> Result<(), String> {
                if !choices.transforms.is_unchanged() {
                    self.transforms.clear();
                    self.node = None;
                }
                if let Given::Set(transforms) = choices.transforms {
                    for data in transforms {
                        let transform = data.transform()?;
                        check_transform(&transform, shown)?;
                        self.transforms.push(transform);
                    }
                }
                match choices.node {
                    Given::Set(choice) => {
                        node::choose(choice, &mut self.node, &mut self.transforms, shown)?;
                    }
                    Given::Reset => node::remove(&mut self.node, &mut self.transforms),
                    Given::Unchanged => {}
                }
                $(choices.$name.try_apply(&mut self.$name, |value| ($check)(value, shown))?;)+
                self.search.take_if(|search| search.trim().is_empty());
                Ok(())
            }
        }
    };
}

options! {
    /// How to combine the profiles of several runs.
    combine: Combine => combine, anything;
    /// How to compare costs with the baseline.
    compare: Compare => compare, anything;
    /// The metric to show, by name or unit.
    metric: String => metric, |metric: &mut String, shown| check_metric(metric, shown);
    /// A second cost to show beside the first: a metric of the profile, by name or unit, or the path
    /// of another profile, relative to the workspace folder. Empty: none, whatever the setting names.
    overlay: String => overlay, anything;
    /// The threads to show, by name, end of the name, id (`tid:ID`), process (its name or `pid:ID`),
    /// glob or `/regex/`. Empty: all threads.
    threads: Vec<String> => threads, check_threads;
    /// Filters by labels, all of which a sample must pass: `size=large`, `size!=large`, `url=~^/api/`
    /// (a regular expression), `size` (has the key), `!size`, `bytes=100..200`, `bytes>=1kb`. Empty: all
    /// samples.
    labels: Vec<String> => labels, |labels: &mut Vec<String>, shown| check_labels(labels, shown);
    /// Which functions to show.
    implementation: Implementation => implementation,
        |code: &mut Implementation, shown| check_implementation(*code, shown);
    /// The time range to show, in milliseconds since the first sample: `2..5`, or `1s..2.5s`. A
    /// sample at the end is not in it.
    range: String, |range: &mut String, shown| check_range(range, shown);
    /// Show only samples in which each of these terms, separated by commas, is in the name, file or
    /// library of some function on the stack.
    search: String, anything;
    /// Where to show the cost of inlined code.
    inlines: Inlines => inlines, anything;
    /// Whether to charge the cost of libraries and the runtime to your code that called them, and to leave
    /// out procedures that a contour file of Mercury excludes from lists of callers.
    own: bool => own_code, |own: &mut bool, shown| check_own(*own, shown);
    /// The unit of costs.
    unit: Unit => unit, anything;
    /// What hints show.
    show: Show => hints.show, anything;
    /// The path mappings, instead of those in the setting `pathMappings`.
    path_mappings: Vec<PathMapping> => path_mappings, anything;
}
