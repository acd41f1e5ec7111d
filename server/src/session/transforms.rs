//! How transforms are given: as text (`merge-function:parse`) or as JSON, where names can hold any sign.
//!
//! `{"type": "merge-node", "path": ["main", "parse"]}`, `{"type": "merge-function", "function": "parse"}`, `category` and
//! `resource` likewise; each may say under which filter it was made (`"implementation": "js"`), else the view's own counts.

use crate::session::config::Implementation;
use analysis::{Operand, Transform, TransformKind};
use serde::Deserialize;
use serde_json::{Value, json};

/// A transform in JSON.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Given {
    #[serde(rename = "type")]
    kind: String,
    path: Option<Vec<String>>,
    function: Option<String>,
    category: Option<String>,
    resource: Option<String>,
    implementation: Option<Implementation>,
}

/// A transform in either form. The error is a sentence.
pub fn parse(text: &str) -> Result<Transform, String> {
    if !text.trim_start().starts_with('{') {
        return text.parse();
    }
    let given: Given = serde_json::from_str(text).map_err(|error| format!("a transform in JSON: {error}"))?;
    let kind: TransformKind = given.kind.parse()?;
    let Given { path, function, category, resource, .. } = given;
    let (key, names) = match kind.operand() {
        Operand::Path => ("path", path),
        Operand::Function => ("function", function.map(|name| vec![name])),
        Operand::Category => ("category", category.map(|name| vec![name])),
        Operand::Resource => ("resource", resource.map(|name| vec![name])),
    };
    let names = names.filter(|names| !names.is_empty() && names.iter().all(|name| !name.is_empty()));
    let names = names.ok_or_else(|| format!("`{}` needs \"{key}\", of at least one name", kind.name()))?;
    Ok(Transform { kind, names, implementation: given.implementation.map(Implementation::seen) })
}

/// A transform in JSON: what [`parse`] reads.
pub fn to_json(transform: &Transform) -> Value {
    let (key, names) = match transform.kind.operand() {
        Operand::Path => ("path", json!(transform.names)),
        Operand::Function => ("function", json!(transform.names.first())),
        Operand::Category => ("category", json!(transform.names.first())),
        Operand::Resource => ("resource", json!(transform.names.first())),
    };
    let mut object = json!({"type": transform.kind.name(), key: names});
    if let Some(implementation) = transform.implementation {
        let all = [Implementation::All, Implementation::Js, Implementation::Native];
        object["implementation"] = json!(all.into_iter().find(|known| known.seen() == implementation));
    }
    object
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_mean_the_same() {
        for (text, json) in [
            ("merge-node:A>B>C", r#"{"type":"merge-node","path":["A","B","C"]}"#),
            ("merge-function:F", r#" {"type":"merge-function","function":"F"}"#),
            ("focus-category:GC / CC", r#"{"type":"focus-category","category":"GC / CC"}"#),
            ("collapse-resource:libc.so.6", r#"{"type":"collapse-resource","resource":"libc.so.6"}"#),
        ] {
            assert_eq!(parse(text), parse(json), "{text}");
            assert_eq!(to_json(&parse(text).unwrap()), serde_json::from_str::<Value>(json).unwrap());
        }
        let js = parse(r#"{"type":"focus-self","function":"a>b","implementation":"js"}"#).unwrap();
        assert_eq!(to_json(&js), json!({"type": "focus-self", "function": "a>b", "implementation": "js"}));
        assert_eq!((js.names.as_slice(), js.implementation), (["a>b".to_owned()].as_slice(), Some(analysis::Implementation::Js)));
    }

    #[test]
    fn what_is_wrong_is_told() {
        for (json, expected) in [
            (r#"{"type":"merge-node","function":"A"}"#, "`merge-node` needs \"path\", of at least one name"),
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
