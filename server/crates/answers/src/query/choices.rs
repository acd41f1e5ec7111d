//! Choices in menus.

use loading::text::plain;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::Path;

/// A choice in a menu.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Choice {
    /// The key in the argument of `costline.setView`.
    pub key: ChoiceKey,
    /// The title in menus.
    pub title: String,
    /// Whether several values can be chosen, as a list.
    pub multiple: bool,
    /// The current value.
    pub value: Chosen,
    /// The options, at least two.
    pub options: Vec<ChoiceOption>,
}

/// The key of a choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ChoiceKey {
    /// A view of the setting `views`.
    View,
    /// The profile.
    Profile,
    /// How to combine the profiles of several runs.
    Combine,
    /// The metric.
    Metric,
    /// The overlay.
    Overlay,
    /// The threads.
    Threads,
    /// Filters by labels.
    Labels,
    /// Which functions to show.
    Implementation,
    /// Where to show the cost of inlined code.
    Inlines,
    /// Whether to charge libraries and the runtime to your code that called them.
    Own,
    /// The unit of costs.
    Unit,
    /// What hints show.
    Show,
    /// The baseline.
    Baseline,
    /// How to compare costs with the baseline.
    Compare,
}

/// A value of a choice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum ChoiceValue {
    /// A name or a path.
    Text(String),
    /// On or off. `true` as a baseline: the profile shown now.
    Flag(bool),
    /// No value.
    Nothing,
}

/// The current value of a choice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Chosen {
    /// One value.
    One(ChoiceValue),
    /// Several values. Empty: all.
    Several(Vec<ChoiceValue>),
}

/// An option of a choice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ChoiceOption {
    /// The value for `costline.setView`.
    pub value: ChoiceValue,
    /// The label in menus.
    pub label: String,
    /// A short description.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub description: Option<String>,
    /// More details, to show on a separate line.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub detail: Option<String>,
    /// Whether the option is chosen.
    pub active: bool,
}

impl From<&str> for ChoiceValue {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<&Path> for ChoiceValue {
    fn from(path: &Path) -> Self {
        Self::Text(path.to_string_lossy().into_owned())
    }
}

impl<T> From<Option<T>> for ChoiceValue
where
    Self: From<T>,
{
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Nothing, Self::from)
    }
}

/// The label of a file.
pub(super) fn file_label(path: &Path) -> String {
    plain(&path.file_name().unwrap_or_default().to_string_lossy()).into_owned()
}
