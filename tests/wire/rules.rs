//! Rules of the protocol that its types do not express, for any value in a message of the server.

use super::schema::shown;
use lsp_types::Url;
use serde_json::{Map, Value};

/// Checks a value and all values in it. `commands` are those that may be in messages.
pub fn faults(value: &Value, commands: &[String]) -> Vec<String> {
    let mut faults = Vec::new();
    // Values still to be checked.
    let mut rest = vec![value];
    while let Some(value) = rest.pop() {
        match value {
            Value::Array(values) => rest.extend(values),
            Value::Object(members) => {
                faults.extend(
                    of_object(members, commands)
                        .into_iter()
                        .map(|fault| format!("{fault}: {}", shown(value))),
                );
                rest.extend(members.values());
            }
            _ => {}
        }
    }
    faults
}

fn of_object(members: &Map<String, Value>, commands: &[String]) -> Vec<String> {
    let mut faults = Vec::new();
    let mut must = |holds: bool, fault: &str| {
        if !holds {
            faults.push(fault.to_owned());
        }
    };
    if let (Some(start), Some(end)) = (position(members.get("start")), position(members.get("end")))
    {
        must(start <= end, "a range that ends before it starts");
    }
    for (outer, inner) in [("range", "selectionRange"), ("targetRange", "targetSelectionRange")] {
        if let (Some(outer), Some(inner)) = (range(members.get(outer)), range(members.get(inner))) {
            must(outer.0 <= inner.0 && inner.1 <= outer.1, "a selection outside its range");
        }
    }
    let text = |name: &str| members.get(name).and_then(Value::as_str);
    if members.contains_key("selectionRange") {
        must(text("name").is_some_and(|name| !name.trim().is_empty()), "an item without a name");
    }
    if let (Some(title), Some(command)) = (text("title"), text("command")) {
        must(!title.trim().is_empty(), "a command without a title");
        must(commands.iter().any(|own| own == command), "a command that neither side advertises");
    }
    // The label of a hint and its parts must not be empty.
    if let (Some(_), Some(label)) = (members.get("position"), members.get("label")) {
        let parts =
            label.as_array().map(|parts| parts.iter().map(|part| part["value"].as_str()).collect());
        let parts: Vec<_> = parts.unwrap_or_else(|| vec![label.as_str()]);
        must(
            !parts.is_empty() && parts.iter().all(|part| part.is_some_and(|part| !part.is_empty())),
            "a hint without a label",
        );
    }
    for name in ["uri", "targetUri", "rootUri", "baseUri"] {
        if let Some(uri) = text(name) {
            must(Url::parse(uri).is_ok(), "a malformed URI");
        }
    }
    faults
}

fn position(value: Option<&Value>) -> Option<(u64, u64)> {
    let value = value?;
    Some((value["line"].as_u64()?, value["character"].as_u64()?))
}

fn range(value: Option<&Value>) -> Option<((u64, u64), (u64, u64))> {
    let value = value?;
    Some((position(value.get("start"))?, position(value.get("end"))?))
}
