//! Generates TypeScript types.

use super::model::{
    CommandShape, GENERATED, Protocol, alternatives, description, properties, reference, variants,
};
use serde_json::Value;
use std::fmt::Write as _;

/// The text of the file.
pub fn text(protocol: &Protocol) -> String {
    let mut out = format!("// {GENERATED}\n");
    for (name, schema) in &protocol.types {
        out.push('\n');
        out += &comment(description(schema), "");
        if let Some(variants) = variants(schema) {
            let _ = writeln!(out, "export type {name} =");
            for (value, meaning) in &variants {
                out += &comment(meaning, "  ");
                let _ = writeln!(out, "  | \"{value}\"");
            }
            out.truncate(out.len() - 1);
            out += ";\n";
        } else if schema["properties"].is_object() {
            let _ = writeln!(out, "export interface {name} {{");
            for (key, schema, is_required) in properties(schema) {
                out += &comment(description(schema), "  ");
                let mark = if is_required { "" } else { "?" };
                let _ = writeln!(out, "  readonly {key}{mark}: {};", of(schema));
            }
            out += "}\n";
        } else {
            let _ = writeln!(out, "export type {name} = {};", of(schema));
        }
    }
    out += "\n/** The arguments and the result of each command. */\nexport interface Commands {\n";
    for CommandShape { name, description, arguments, answer } in &protocol.commands {
        out += &comment(description, "  ");
        let arguments: Vec<_> = arguments
            .iter()
            .map(|argument| {
                let of = of(&argument.schema);
                if argument.is_required { of } else { format!("({of})?") }
            })
            .collect();
        let _ = writeln!(
            out,
            "  readonly \"{name}\": {{ readonly arguments: readonly [{}]; readonly result: {} }};",
            arguments.join(", "),
            of(answer)
        );
    }
    out += "}\n\n/** Notifications of the server. */\nexport interface Notifications {\n";
    let _ = writeln!(out, "  readonly \"costline/changed\": {};\n}}", of(&protocol.changed));
    out += "\n/** Notifications of the client. */\nexport interface ClientNotifications {\n";
    let active_document = of(&protocol.active_document);
    let _ = writeln!(out, "  readonly \"costline/activeDocument\": {active_document};\n}}");
    out += "\n/** Requests of the client. */\nexport interface Requests {\n";
    let [params, result] = &protocol.content;
    let _ = writeln!(
        out,
        "  readonly \"costline/textDocumentContent\": {{ readonly params: {}; readonly result: {} }};\n}}",
        of(params),
        of(result)
    );
    out
}

fn comment(text: &str, indent: &str) -> String {
    if text.is_empty() { String::new() } else { format!("{indent}/** {text} */\n") }
}

/// The TypeScript type of a schema.
fn of(schema: &Value) -> String {
    if let Some(name) = reference(schema) {
        return name.to_owned();
    }
    if let Some(value) = schema.get("const") {
        return value.to_string();
    }
    if let Some(values) = schema["enum"].as_array() {
        return values.iter().map(Value::to_string).collect::<Vec<_>>().join(" | ");
    }
    if let Some(all) = alternatives(schema) {
        let mut types: Vec<_> = all.iter().map(of).collect();
        types.dedup();
        return types.join(" | ");
    }
    // `^label:.`: a text with a fixed beginning.
    let begins = schema["pattern"].as_str().and_then(|it| it.strip_prefix('^')?.strip_suffix('.'));
    if let Some(begins) = begins {
        return format!("`{begins}${{string}}`");
    }
    match schema["type"].as_str() {
        Some("array") => array(schema),
        Some("integer") => "number".to_owned(),
        Some("object") => "Readonly<Record<string, unknown>>".to_owned(),
        Some(name) => name.to_owned(),
        None => "unknown".to_owned(),
    }
}

fn array(schema: &Value) -> String {
    if let Some(items) = schema["prefixItems"].as_array() {
        return format!("readonly [{}]", items.iter().map(of).collect::<Vec<_>>().join(", "));
    }
    let item = of(&schema["items"]);
    if let (Some(least), Some(most)) = (schema["minItems"].as_u64(), schema["maxItems"].as_u64())
        && least == most
    {
        return format!("readonly [{}]", vec![item; least as usize].join(", "));
    }
    if item.contains(' ') { format!("readonly ({item})[]") } else { format!("readonly {item}[]") }
}
