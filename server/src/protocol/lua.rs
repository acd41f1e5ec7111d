//! Generates annotations for the Lua language server.

use super::model::{
    GENERATED, Protocol, alternatives, description, properties, reference, variants,
};
use serde_json::Value;
use std::fmt::Write as _;

/// The text of the file.
pub fn text(protocol: &Protocol) -> String {
    let mut out = format!("---@meta\n--- {GENERATED}\n");
    for (name, schema) in &protocol.types {
        out.push('\n');
        if !description(schema).is_empty() {
            let _ = writeln!(out, "--- {}", description(schema));
        }
        if let Some(variants) = variants(schema) {
            let _ = writeln!(out, "---@alias costline.{name}");
            for (value, meaning) in &variants {
                let meaning =
                    if meaning.is_empty() { String::new() } else { format!(" # {meaning}") };
                let _ = writeln!(out, "---| '\"{value}\"'{meaning}");
            }
        } else if schema["properties"].is_object() {
            let _ = writeln!(out, "---@class costline.{name}");
            for (key, schema, is_required) in properties(schema) {
                let mark = if is_required { "" } else { "?" };
                let line = format!("---@field {key}{mark} {} {}", of(schema), description(schema));
                let _ = writeln!(out, "{}", line.trim_end());
            }
        } else {
            let _ = writeln!(out, "---@alias costline.{name} {}", of(schema));
        }
    }
    out
}

/// The Lua type of a schema. JSON's null is `vim.NIL`.
fn of(schema: &Value) -> String {
    if let Some(name) = reference(schema) {
        return format!("costline.{name}");
    }
    if let Some(value) = schema.get("const") {
        return value.to_string();
    }
    if let Some(values) = schema["enum"].as_array() {
        return values.iter().map(Value::to_string).collect::<Vec<_>>().join("|");
    }
    if let Some(all) = alternatives(schema) {
        let mut types: Vec<_> = all.iter().map(of).collect();
        types.dedup();
        return types.join("|");
    }
    match schema["type"].as_str() {
        Some("array") => array(schema),
        Some("object") => "table<string, any>".to_owned(),
        Some("null") => "vim.NIL".to_owned(),
        Some(name) => name.to_owned(),
        None => "any".to_owned(),
    }
}

fn array(schema: &Value) -> String {
    if let Some(items) = schema["prefixItems"].as_array() {
        return format!("[{}]", items.iter().map(of).collect::<Vec<_>>().join(", "));
    }
    let item = of(&schema["items"]);
    if item.contains('|') { format!("({item})[]") } else { format!("{item}[]") }
}
