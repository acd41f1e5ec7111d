//! How transforms are given: as text (`merge-function:parse`) or as JSON, where names can hold any
//! sign.
//!
//! `{"type": "merge-node", "path": ["main", "parse"]}`, `{"type": "merge-function", "function":
//! "parse"}`, `category` and `resource` likewise; each may say under which filter it was made
//! (`"implementation": "js"`), else the view's own counts.

use crate::settings::Implementation;
use analysis::{Operand, Transform, TransformKind};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use std::borrow::Cow;

/// A transform in JSON. Of `function`, `path`, `category` and `resource` it has the one that its
/// kind takes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Transform")]
pub struct TransformData {
    /// What is done.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// The function that it is done to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
    /// The functions of a path from the root, or for `focus-subtree-inverted` from the leaf.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<Vec<String>>,
    /// The category of frames.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// The library.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource: Option<String>,
    /// The filter under which it was made, if not that of the view.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub implementation: Option<Implementation>,
}

/// The name of a kind of transform: `merge-function`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kind(pub TransformKind);

impl Serialize for Kind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.name())
    }
}

impl<'de> Deserialize<'de> for Kind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = Cow::<str>::deserialize(deserializer)?;
        name.parse().map(Self).map_err(D::Error::custom)
    }
}

impl JsonSchema for Kind {
    fn schema_name() -> Cow<'static, str> {
        "TransformKind".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let kinds: Vec<_> = TransformKind::ALL
            .into_iter()
            .map(|kind| {
                json_schema!({"type": "string", "const": kind.name(), "description": title(kind)})
            })
            .collect();
        json_schema!({"description": "A kind of transform.", "oneOf": kinds})
    }
}

/// What a kind of transform does, in a few words for menus: `Merge function`.
pub fn title(kind: TransformKind) -> &'static str {
    match kind {
        TransformKind::MergeFunction => "Merge function into its callers",
        TransformKind::MergeNode => "Merge node into its caller",
        TransformKind::MergeSubtree => "Merge node and what it calls into its caller",
        TransformKind::DropFunction => "Drop samples with function",
        TransformKind::DropNode => "Drop samples with node",
        TransformKind::FocusFunction => "Focus on function",
        TransformKind::FocusSubtree => "Focus on subtree",
        TransformKind::FocusSubtreeInverted => "Focus on subtree of the bottom-up tree",
        TransformKind::FocusSelf => "Focus on self cost of function",
        TransformKind::FocusCategory => "Focus on category",
        TransformKind::CollapseResource => "Collapse library",
        TransformKind::CollapseRecursion => "Collapse recursion",
        TransformKind::CollapseDirectRecursion => "Collapse direct recursion",
        TransformKind::CollapseFunctionSubtree => "Collapse function with what it calls",
    }
}

/// What a transform is done to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Takes {
    /// A function, under `function`.
    Function,
    /// Functions along a path, under `path`.
    Path,
    /// A category of frames, under `category`.
    Category,
    /// A library, under `resource`.
    Resource,
}

impl From<Operand> for Takes {
    fn from(operand: Operand) -> Self {
        match operand {
            Operand::Function => Self::Function,
            Operand::Path => Self::Path,
            Operand::Category => Self::Category,
            Operand::Resource => Self::Resource,
        }
    }
}

impl TransformData {
    /// The transform. The error is a sentence.
    pub fn transform(self) -> Result<Transform, String> {
        let Self { kind: Kind(kind), function, path, category, resource, implementation } = self;
        let one = |name: Option<String>| name.map(|name| vec![name]);
        let (key, names) = match kind.operand() {
            Operand::Path => ("path", path),
            Operand::Function => ("function", one(function)),
            Operand::Category => ("category", one(category)),
            Operand::Resource => ("resource", one(resource)),
        };
        let names = names
            .filter(|names| !names.is_empty() && names.iter().all(|name| !name.is_empty()))
            .ok_or_else(|| format!("`{}` needs \"{key}\", of at least one name", kind.name()))?;
        Ok(Transform { kind, names, implementation: implementation.map(Implementation::filter) })
    }
}

impl From<&Transform> for TransformData {
    fn from(transform: &Transform) -> Self {
        let all = [Implementation::All, Implementation::Js, Implementation::Native];
        let implementation = transform
            .implementation
            .and_then(|seen| all.into_iter().find(|known| known.filter() == seen));
        let kind = Kind(transform.kind);
        let mut data = Self {
            kind,
            function: None,
            path: None,
            category: None,
            resource: None,
            implementation,
        };
        match transform.kind.operand() {
            Operand::Path => data.path = Some(transform.names.clone()),
            Operand::Function => data.function = transform.names.first().cloned(),
            Operand::Category => data.category = transform.names.first().cloned(),
            Operand::Resource => data.resource = transform.names.first().cloned(),
        }
        data
    }
}

/// A transform in either form. The error is a sentence.
pub fn parse(text: &str) -> Result<Transform, String> {
    if !text.trim_start().starts_with('{') {
        return text.parse();
    }
    let data: TransformData =
        serde_json::from_str(text).map_err(|error| format!("a transform in JSON: {error}"))?;
    data.transform()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn to_json(transform: &Transform) -> Value {
        serde_json::to_value(TransformData::from(transform)).unwrap()
    }

    #[test]
    fn both_forms_mean_the_same() {
        for (text, json) in [
            ("merge-node:A>B>C", r#"{"type":"merge-node","path":["A","B","C"]}"#),
            ("merge-function:F", r#" {"type":"merge-function","function":"F"}"#),
            ("focus-category:GC / CC", r#"{"type":"focus-category","category":"GC / CC"}"#),
            (
                "collapse-resource:libc.so.6",
                r#"{"type":"collapse-resource","resource":"libc.so.6"}"#,
            ),
        ] {
            assert_eq!(parse(text), parse(json), "{text}");
            assert_eq!(
                to_json(&parse(text).unwrap()),
                serde_json::from_str::<Value>(json).unwrap()
            );
        }
        let js = parse(r#"{"type":"focus-self","function":"a>b","implementation":"js"}"#).unwrap();
        assert_eq!(
            to_json(&js),
            json!({"type": "focus-self", "function": "a>b", "implementation": "js"})
        );
        assert_eq!(
            (js.names.as_slice(), js.implementation),
            (["a>b".to_owned()].as_slice(), Some(analysis::Implementation::Js))
        );
    }

    #[test]
    fn what_is_wrong_is_told() {
        for (json, expected) in [
            (
                r#"{"type":"merge-node","function":"A"}"#,
                "`merge-node` needs \"path\", of at least one name",
            ),
            (r#"{"type":"merge-node","path":[]}"#, "`merge-node` needs \"path\""),
            (r#"{"type":"merge-function","function":""}"#, "`merge-function` needs \"function\""),
            (r#"{"type":"merge"}"#, "no transform is called `merge`"),
            (r#"{"type":"merge-node","paths":["A"]}"#, "unknown field `paths`"),
            (r#"{"type":"#, "a transform in JSON: EOF"),
        ] {
            let error = parse(json).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }
}
