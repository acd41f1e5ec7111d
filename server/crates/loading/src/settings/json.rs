//! Reads JSON that users and clients write: settings, and arguments of commands.

use serde::de::DeserializeOwned;
use serde_json::Value;

/// Reads a value. The error message names the key and what was expected.
pub fn read<T: DeserializeOwned>(value: &Value) -> Result<T, String> {
    serde_path_to_error::deserialize(value)
        .map_err(|error| message(&error.path().to_string(), &error.inner().to_string()))
}

/// Rewords an error message of serde about the value at `path`, in terms of JSON instead of Rust.
fn message(path: &str, error: &str) -> String {
    if let Some(rest) = error.strip_prefix("unknown field ") {
        // Here the path includes the key.
        let parent = path.rsplit_once('.').map_or("", |(parent, _)| parent);
        return format!("unknown key {}", with_parent(rest, parent));
    }
    let path = if path == "." { "" } else { path };
    if let Some(key) = error.strip_prefix("missing field ") {
        let place = if path.is_empty() { String::new() } else { format!(" in `{path}`") };
        return format!("the key {key}{place} is missing");
    }
    let problem = if let Some(rest) = error.strip_prefix("unknown variant ") {
        format!("unknown value {rest}")
    } else if let Some((found, expected)) = error
        .strip_prefix("invalid ")
        .and_then(|rest| rest.split_once(": "))
        .and_then(|(_, rest)| rest.split_once(", expected "))
    {
        format!("expected {}, found {}", kind(expected), kind(found))
    } else {
        error.to_owned()
    };
    if path.is_empty() { problem } else { format!("`{path}`: {problem}") }
}

/// Inserts the place of the key into `` `limt`, expected … ``.
fn with_parent(rest: &str, parent: &str) -> String {
    match rest.split_once(", ") {
        Some((key, expected)) if !parent.is_empty() => format!("{key} in `{parent}`, {expected}"),
        _ => rest.to_owned(),
    }
}

/// The JSON name for serde's name of a kind of value.
fn kind(name: &str) -> &str {
    match name {
        "a sequence" | "sequence" => "a list",
        "a map" | "map" => "an object",
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number from 0",
        "path string" => "a path",
        "f64" => "a number",
        // One of several words.
        "string or map" => "a string",
        name if name.starts_with("struct ") => "an object",
        name => name,
    }
}
