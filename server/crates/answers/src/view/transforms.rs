//! Parses transforms in their two notations: text (`merge-function:parse`), or JSON, in which names
//! may contain any character.
//!
//! In JSON, a transform has the operand of its kind under `function`, `path`, `category`,
//! `resource` or `label`: `{"type": "merge-node", "path": ["main", "parse"]}`. Functions can be keys instead of
//! names. It may have a filter of its own (`"implementation": "js"`) instead of the view's.

use crate::keys::Key;
use analysis::{Name, Operand, Transform, TransformKind};
use loading::Implementation;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use serde_json::Value;
use std::borrow::Cow;

/// A transform in JSON. It has one of `function`, `path`, `category`, `resource` and `label`,
/// depending on its kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Transform")]
pub struct TransformData {
    /// The kind of transform.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// The function to transform.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<KeyOrName>,
    /// The functions of a path from the root, or from the leaf for `focus-subtree-inverted`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<Vec<KeyOrName>>,
    /// The category of frames.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// The library.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource: Option<String>,
    /// The key of a label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The functions that the transform applies to, if they differ from the view's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub implementation: Option<Implementation>,
}

/// A function: its key, as in results, or its name, which only one function may match.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "FunctionKeyOrName")]
pub enum KeyOrName {
    /// The key.
    Key(Key),
    /// The name.
    Name(String),
}

impl<'de> Deserialize<'de> for KeyOrName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::String(name) => Ok(Self::Name(name)),
            key @ Value::Object(_) => {
                serde_json::from_value(key).map(Self::Key).map_err(D::Error::custom)
            }
            other => {
                Err(D::Error::custom(format!("expected a function's key or name, found {other}")))
            }
        }
    }
}

impl From<KeyOrName> for Name {
    fn from(function: KeyOrName) -> Self {
        match function {
            KeyOrName::Key(key) => Self::Key(key.into()),
            KeyOrName::Name(name) => Self::Text(name),
        }
    }
}

impl From<&Name> for KeyOrName {
    fn from(name: &Name) -> Self {
        match name {
            Name::Key(key) => Self::Key(key.into()),
            Name::Text(name) => Self::Name(name.clone()),
        }
    }
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

/// The title of a kind of transform in menus.
pub fn title(kind: TransformKind) -> &'static str {
    match kind {
        TransformKind::MergeFunction => "Merge function into its callers",
        TransformKind::MergeNode => "Merge node into its caller",
        TransformKind::MergeSubtree => "Merge node and what it calls into its caller",
        TransformKind::DropFunction => "Hide samples with function",
        TransformKind::DropNode => "Hide samples with node",
        TransformKind::FocusFunction => "Focus on function",
        TransformKind::FocusSubtree => "Focus on node",
        TransformKind::FocusSubtreeInverted => "Focus on node and its callers",
        TransformKind::FocusSelf => "Focus on self cost of function",
        TransformKind::FocusCategory => "Focus on category",
        TransformKind::CollapseResource => "Collapse library",
        TransformKind::CollapseRecursion => "Collapse recursion",
        TransformKind::CollapseDirectRecursion => "Collapse direct recursion",
        TransformKind::CollapseFunctionSubtree => "Collapse function with what it calls",
        TransformKind::SplitByLabel => "Split stacks by label",
    }
}

/// The operand of a transform.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Takes {
    /// A function, in `function`.
    Function,
    /// The functions of a path, in `path`.
    Path,
    /// A category of frames, in `category`.
    Category,
    /// A library, in `resource`.
    Resource,
    /// The key of a label, in `label`.
    Label,
}

impl From<Operand> for Takes {
    fn from(operand: Operand) -> Self {
        match operand {
            Operand::Function => Self::Function,
            Operand::Path => Self::Path,
            Operand::Category => Self::Category,
            Operand::Resource => Self::Resource,
            Operand::Label => Self::Label,
        }
    }
}

impl TransformData {
    /// Converts it. The error is a message for users.
    pub fn transform(self) -> Result<Transform, String> {
        let Self { kind: Kind(kind), function, path, category, resource, label, implementation } =
            self;
        let text = |name: Option<String>| name.map(|name| vec![Name::Text(name)]);
        let (key, names) = match kind.operand() {
            Operand::Path => {
                ("path", path.map(|path| path.into_iter().map(Name::from).collect::<Vec<_>>()))
            }
            Operand::Function => ("function", function.map(|function| vec![function.into()])),
            Operand::Category => ("category", text(category)),
            Operand::Resource => ("resource", text(resource)),
            Operand::Label => ("label", text(label)),
        };
        let names = names
            .filter(|names| !names.is_empty() && names.iter().all(|name| !name.text().is_empty()))
            .ok_or_else(|| format!("`{}` needs \"{key}\" with at least one name", kind.name()))?;
        Ok(Transform { kind, names, implementation: implementation.map(Implementation::filter) })
    }
}

impl From<&Transform> for TransformData {
    fn from(transform: &Transform) -> Self {
        let all = [Implementation::All, Implementation::Js, Implementation::Native];
        let implementation = transform
            .implementation
            .and_then(|filter| all.into_iter().find(|value| value.filter() == filter));
        let kind = Kind(transform.kind);
        let mut data = Self {
            kind,
            function: None,
            path: None,
            category: None,
            resource: None,
            label: None,
            implementation,
        };
        let first = transform.names.first();
        let text = || first.map(|name| name.text().to_owned());
        match transform.kind.operand() {
            Operand::Path => {
                data.path = Some(transform.names.iter().map(KeyOrName::from).collect());
            }
            Operand::Function => data.function = first.map(KeyOrName::from),
            Operand::Category => data.category = text(),
            Operand::Resource => data.resource = text(),
            Operand::Label => data.label = text(),
        }
        data
    }
}

/// Parses a transform in either notation. The error is a message for users.
pub fn parse(text: &str) -> Result<Transform, String> {
    if !text.trim_start().starts_with('{') {
        return text.parse();
    }
    let data: TransformData =
        serde_json::from_str(text).map_err(|error| format!("invalid transform: {error}"))?;
    data.transform()
}

/// Transforms in JSON.
pub(super) mod as_data {
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn to_json(transform: &Transform) -> Value {
        serde_json::to_value(TransformData::from(transform)).unwrap()
    }

    #[test]
    fn both_notations_parse_to_the_same_transform() {
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
        let keys = r#"{"type":"merge-node","path":["A",{"name":"f","file":"a.js","lib":null,"start":[3,1]}]}"#;
        assert_eq!(to_json(&parse(keys).unwrap()), serde_json::from_str::<Value>(keys).unwrap());
        let js = parse(r#"{"type":"focus-self","function":"a>b","implementation":"js"}"#).unwrap();
        assert_eq!(
            to_json(&js),
            json!({"type": "focus-self", "function": "a>b", "implementation": "js"})
        );
        assert_eq!(
            (js.names.as_slice(), js.implementation),
            (["a>b".into()].as_slice(), Some(analysis::Implementation::Js))
        );
    }

    #[test]
    fn errors_say_what_is_wrong() {
        for (json, expected) in [
            (
                r#"{"type":"merge-node","function":"A"}"#,
                "`merge-node` needs \"path\" with at least one name",
            ),
            (r#"{"type":"merge-node","path":[]}"#, "`merge-node` needs \"path\""),
            (r#"{"type":"merge-function","function":""}"#, "`merge-function` needs \"function\""),
            (
                r#"{"type":"merge-function","function":7}"#,
                "expected a function's key or name, found 7",
            ),
            (
                r#"{"type":"merge-function","function":{"name":"f","line":3}}"#,
                "unknown field `line`, expected one of `name`, `file`",
            ),
            (r#"{"type":"merge"}"#, "no transform is called `merge`"),
            (r#"{"type":"merge-node","paths":["A"]}"#, "unknown field `paths`"),
            (r#"{"type":"#, "invalid transform: EOF"),
        ] {
            let error = parse(json).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }
}
