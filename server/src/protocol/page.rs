//! Generates the book's page on commands.

use super::model::{
    CommandShape, Protocol, alternatives, description, properties, reference, variants,
};
use crate::book::table;
use serde_json::Value;
use std::fmt::Write as _;

/// The text of the page: commands, messages, types.
pub fn text(protocol: &Protocol) -> String {
    let mut page = String::new();
    for CommandShape { name, description, arguments, answer } in &protocol.commands {
        let _ = write!(page, "## {name}\n\n{description}\n\n");
        match arguments.as_slice() {
            [] => page += "- Arguments: none\n",
            arguments => {
                for argument in arguments {
                    let optional = if argument.is_required { "" } else { " (optional)" };
                    let shape = shape(protocol, &argument.schema);
                    let _ = writeln!(page, "- Argument{optional}: {shape}");
                }
            }
        }
        let _ = write!(page, "- Answer: {}\n\n", shape(protocol, answer));
    }
    let _ = write!(
        page,
        "## Messages\n\n- `costline/changed`, to clients that announce `capabilities.experimental.costline.changed`: {}\n",
        shape(protocol, &protocol.changed)
    );
    let _ = writeln!(
        page,
        "- `costline/activeDocument`, a notification from the client: the user switched to another \
         document. If several workspace folders are open, commands without a document, and \
         `costline/changed`, then apply to the folder that contains it. Without this notification, \
         they apply to the folder of the document that the user opened, edited or asked about \
         last. Parameters: {}",
        shape(protocol, &protocol.active_document)
    );
    let [params, result] = &protocol.content;
    let _ = write!(
        page,
        "- `costline/textDocumentContent`, a request for the text of a `costline:` document. Parameters: {}. \
         Answer: {}\n\n",
        shape(protocol, params),
        shape(protocol, result)
    );
    page += "## Types\n\n";
    for (name, schema) in &protocol.types {
        let _ = write!(page, "### {name}\n\n{}\n\n", description(schema));
        if let Some(variants) = variants(schema) {
            let rows = variants
                .iter()
                .map(|(value, meaning)| [format!("`\"{value}\"`"), (*meaning).to_owned()]);
            let _ = writeln!(page, "{}", table(["value", "meaning"], rows));
        } else if schema["properties"].is_object() {
            let rows = properties(schema).into_iter().map(|(key, schema, is_required)| {
                let mark = if is_required { "" } else { "?" };
                [format!("`{key}{mark}`"), of(schema), description(schema).to_owned()]
            });
            let _ = writeln!(page, "{}", table(["key", "type", "meaning"], rows));
        } else {
            let _ = write!(page, "{}\n\n", of(schema));
        }
    }
    page
}

/// The keys of a type and a link to its description: `` `{by?, limit?}`, [HotSpotsArgument](#…) ``.
fn shape(protocol: &Protocol, schema: &Value) -> String {
    if let Some(all) = alternatives(schema) {
        let shapes: Vec<_> = all.iter().map(|one| shape(protocol, one)).collect();
        return shapes.join(" or ");
    }
    let resolved = protocol.resolved(schema);
    let Some(name) = reference(schema) else { return of(schema) };
    if resolved["properties"].is_object() {
        let keys: Vec<_> = properties(resolved)
            .into_iter()
            .map(|(key, _, is_required)| format!("{key}{}", if is_required { "" } else { "?" }))
            .collect();
        return format!("`{{{}}}`, {}", keys.join(", "), link(name));
    }
    match alternatives(resolved) {
        Some(_) if variants(resolved).is_none() => shape(protocol, resolved),
        _ => link(name),
    }
}

fn link(name: &str) -> String {
    format!("[{name}](#{})", name.to_lowercase())
}

/// The type of a schema, in words.
fn of(schema: &Value) -> String {
    if let Some(name) = reference(schema) {
        return link(name);
    }
    if let Some(all) = alternatives(schema) {
        return all.iter().map(of).collect::<Vec<_>>().join(" or ");
    }
    if let Some(value) = schema.get("const") {
        return format!("`{value}`");
    }
    match schema["type"].as_str() {
        Some("array") if schema["items"].is_object() => format!("list of {}", of(&schema["items"])),
        Some("array") => "list".to_owned(),
        Some(name) => name.to_owned(),
        None => "anything".to_owned(),
    }
}
