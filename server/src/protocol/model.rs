//! The schemas of all commands and messages, and questions to a schema.

use crate::lsp::capabilities::Experimental;
use crate::lsp::command::COMMANDS;
use crate::lsp::content::{Content, ContentParams};
use crate::schemas::unwrap_description;
use engine::query::function_costs::LensData;
use engine::query::line_costs::HintData;
use engine::query::profiles::Shown;
use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, Transform};
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// At the top of what is generated.
pub const GENERATED: &str =
    "Generated from the types of the server; `UPDATE_EXPECT=1 cargo test` rewrites it.";

/// All commands and messages.
pub struct Protocol {
    /// In the order of the book.
    pub commands: Vec<CommandShape>,
    /// By name, in the order of the alphabet.
    pub types: Map<String, Value>,
    /// The parameters of `costline/changed`.
    pub changed: Value,
    /// The parameters and the answer of `costline/textDocumentContent`.
    pub content: [Value; 2],
}

/// A command.
pub struct CommandShape {
    /// Its id.
    pub name: &'static str,
    /// What it does, as sentences.
    pub does: String,
    /// What it takes, in order.
    pub arguments: Vec<ArgumentShape>,
    /// The schema of its answer.
    pub answer: Value,
}

/// An argument of a command.
pub struct ArgumentShape {
    /// Its schema.
    pub schema: Value,
    /// Whether it must be there.
    pub is_required: bool,
}

impl Protocol {
    /// As the types say.
    pub fn new() -> Self {
        let mut answers = SchemaSettings::draft2020_12().for_serialize().into_generator();
        let mut given = SchemaSettings::draft2020_12().for_deserialize().into_generator();
        let mut commands: Vec<_> = COMMANDS
            .iter()
            .map(|command| CommandShape {
                name: command.name,
                does: command.does.split_whitespace().collect::<Vec<_>>().join(" "),
                arguments: (command.arguments)(&mut given)
                    .into_iter()
                    .map(|(schema, is_required)| ArgumentShape {
                        schema: schema.to_value(),
                        is_required,
                    })
                    .collect(),
                answer: (command.answer)(&mut answers).to_value(),
            })
            .collect();
        let mut content = [
            given.subschema_for::<ContentParams>().to_value(),
            answers.subschema_for::<Content>().to_value(),
        ];
        let changed = answers.subschema_for::<Shown>().to_value();
        // What the protocol calls `data` and `experimental`.
        answers.subschema_for::<HintData>();
        answers.subschema_for::<LensData>();
        answers.subschema_for::<Experimental>();

        let mut types = definitions(&mut answers);
        types.values_mut().for_each(close);
        let mut given_types = definitions(&mut given);
        let renamed = that_differ(&types, &given_types);
        for argument in commands.iter_mut().flat_map(|command| &mut command.arguments) {
            rename(&mut argument.schema, &renamed);
        }
        rename(&mut content[0], &renamed);
        given_types.values_mut().for_each(|schema| rename(schema, &renamed));
        for (name, schema) in given_types {
            let name = if renamed.contains(&name) { argument_name(&name) } else { name };
            types.insert(name, schema);
        }
        types.sort_keys();
        Self { commands, types, changed, content }
    }

    /// What a schema is, with references followed.
    pub fn resolved<'a>(&'a self, schema: &'a Value) -> &'a Value {
        reference(schema).and_then(|name| self.types.get(name)).unwrap_or(schema)
    }
}

/// The types that a generator has seen.
fn definitions(generator: &mut SchemaGenerator) -> Map<String, Value> {
    let mut types = generator.take_definitions(true);
    for schema in types.values_mut() {
        if let Ok(mut known) = Schema::try_from(schema.clone()) {
            RecursiveTransform(unwrap_description).transform(&mut known);
            RecursiveTransform(without_formats).transform(&mut known);
            *schema = known.to_value();
        }
    }
    types
}

/// Removes what says no more than the type: `uint32`, `double`.
fn without_formats(schema: &mut Schema) {
    schema.remove("format");
}

/// Forbids other keys than those of a type: answers have no others.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            object.values_mut().for_each(close);
            if object.get("properties").is_some_and(Value::is_object)
                && object.get("type") == Some(&json!("object"))
            {
                object.entry("additionalProperties").or_insert(json!(false));
            }
        }
        Value::Array(items) => items.iter_mut().for_each(close),
        _ => {}
    }
}

/// The names of types that are something else in arguments than in answers.
fn that_differ(answers: &Map<String, Value>, given: &Map<String, Value>) -> BTreeSet<String> {
    let shared =
        || given.iter().filter_map(|(name, given)| Some((name, given, answers.get(name)?)));
    let mut differ: BTreeSet<String> = shared()
        .filter(|(_, given, answer)| given != answer)
        .map(|(name, ..)| name.clone())
        .collect();
    loop {
        let before = differ.len();
        let also = shared().filter(|(_, given, _)| refers_to(given, &differ));
        let also: Vec<_> = also.map(|(name, ..)| name.clone()).collect();
        differ.extend(also);
        if differ.len() == before {
            return differ;
        }
    }
}

fn refers_to(schema: &Value, names: &BTreeSet<String>) -> bool {
    match schema {
        Value::Object(object) => {
            reference(schema).is_some_and(|name| names.contains(name))
                || object.values().any(|value| refers_to(value, names))
        }
        Value::Array(items) => items.iter().any(|item| refers_to(item, names)),
        _ => false,
    }
}

/// Leads references to types of arguments to their own names.
fn rename(schema: &mut Value, names: &BTreeSet<String>) {
    if let Some(name) = reference(schema).filter(|name| names.contains(*name)) {
        let name = argument_name(name);
        schema["$ref"] = json!(format!("#/$defs/{name}"));
    }
    match schema {
        Value::Object(object) => object.values_mut().for_each(|value| rename(value, names)),
        Value::Array(items) => items.iter_mut().for_each(|item| rename(item, names)),
        _ => {}
    }
}

fn argument_name(name: &str) -> String {
    format!("{}Argument", name.trim_end_matches("Argument"))
}

/// The type that a schema refers to.
pub fn reference(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str()?.strip_prefix("#/$defs/")
}

/// The description of a schema.
pub fn description(schema: &Value) -> &str {
    schema["description"].as_str().unwrap_or_default()
}

/// The keys of an object, with their schemas and whether each is required.
pub fn properties(schema: &Value) -> Vec<(&str, &Value, bool)> {
    let required = schema["required"].as_array();
    let is_required =
        |key: &str| required.is_some_and(|required| required.iter().any(|one| one == key));
    let properties = schema["properties"].as_object().into_iter().flatten();
    properties.map(|(key, schema)| (key.as_str(), schema, is_required(key))).collect()
}

/// The alternatives of a schema: of `anyOf`, `oneOf`, or several types.
pub fn alternatives(schema: &Value) -> Option<Vec<Value>> {
    if let Some(all) = schema["anyOf"].as_array().or(schema["oneOf"].as_array()) {
        return Some(all.clone());
    }
    let types = schema["type"].as_array()?;
    let of_type = |one: &Value| {
        let mut schema = schema.clone();
        schema["type"] = one.clone();
        schema
    };
    Some(types.iter().map(of_type).collect())
}

/// The values of a type that is one of several texts, each with its description.
pub fn variants(schema: &Value) -> Option<Vec<(&str, &str)>> {
    if let Some(values) = schema["enum"].as_array() {
        return values.iter().map(|value| Some((value.as_str()?, ""))).collect();
    }
    let all = schema["oneOf"].as_array()?;
    all.iter().map(|one| Some((one["const"].as_str()?, description(one)))).collect()
}
