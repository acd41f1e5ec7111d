//! The schemas of all commands and messages, and accessors for the parts of a schema.

use crate::lsp::active_document::ActiveDocument;
use crate::lsp::capabilities::Experimental;
use crate::lsp::command::{COMMANDS, id, schemas};
use crate::lsp::content::{Content, ContentParams};
use crate::schemas::unwrap_description;
use answers::{HintData, LensData, QUERIES, ShownProfile as Shown};
use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, Transform};
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// The note at the top of generated files.
pub const GENERATED: &str =
    "Generated from the types of the server; `UPDATE_EXPECT=1 cargo test` rewrites it.";

/// All commands and messages.
pub struct Protocol {
    /// All commands, in the order of the book.
    pub commands: Vec<CommandShape>,
    /// The schemas of all types by name, in alphabetical order.
    pub types: Map<String, Value>,
    /// The parameters of `costline/changed`.
    pub changed: Value,
    /// The parameters of `costline/activeDocument`.
    pub active_document: Value,
    /// The parameters and the answer of `costline/textDocumentContent`.
    pub content: [Value; 2],
}

/// A command.
pub struct CommandShape {
    /// The id in `workspace/executeCommand`.
    pub name: String,
    /// The description, in sentences.
    pub description: String,
    /// Its arguments, in order.
    pub arguments: Vec<ArgumentShape>,
    /// The schema of its answer.
    pub answer: Value,
}

/// An argument of a command.
pub struct ArgumentShape {
    /// The schema of its type.
    pub schema: Value,
    /// Whether it is required.
    pub is_required: bool,
}

impl Protocol {
    /// Generates all schemas.
    pub fn new() -> Self {
        let mut answers = SchemaSettings::draft2020_12().for_serialize().into_generator();
        let mut inputs = SchemaSettings::draft2020_12().for_deserialize().into_generator();
        let own = COMMANDS.iter().map(|command| CommandShape {
            name: command.name.to_owned(),
            description: joined(command.description),
            arguments: shapes((command.arguments)(&mut inputs)),
            answer: (command.answer)(&mut answers).to_value(),
        });
        let mut commands: Vec<_> = own.collect();
        commands.extend(QUERIES.iter().map(|query| CommandShape {
            name: id(query),
            description: joined(query.description),
            arguments: shapes(schemas(query, &mut inputs)),
            answer: (query.answer)(&mut answers).to_value(),
        }));
        let mut content = [
            inputs.subschema_for::<ContentParams>().to_value(),
            answers.subschema_for::<Content>().to_value(),
        ];
        let mut active_document = inputs.subschema_for::<ActiveDocument>().to_value();
        let changed = answers.subschema_for::<Shown>().to_value();
        // The values of `data` and `experimental` in messages of the protocol.
        answers.subschema_for::<HintData>();
        answers.subschema_for::<LensData>();
        answers.subschema_for::<Experimental>();

        let mut types = definitions(&mut answers);
        types.values_mut().for_each(close);
        let mut input_types = definitions(&mut inputs);
        let renamed = differing(&types, &input_types);
        for argument in commands.iter_mut().flat_map(|command| &mut command.arguments) {
            rename(&mut argument.schema, &renamed);
        }
        rename(&mut content[0], &renamed);
        rename(&mut active_document, &renamed);
        input_types.values_mut().for_each(|schema| rename(schema, &renamed));
        for (name, schema) in input_types {
            let name = if renamed.contains(&name) { argument_name(&name) } else { name };
            types.insert(name, schema);
        }
        types.sort_keys();
        Self { commands, types, changed, active_document, content }
    }

    /// The schema that a reference refers to; other schemas are returned unchanged.
    pub fn resolved<'a>(&'a self, schema: &'a Value) -> &'a Value {
        reference(schema).and_then(|name| self.types.get(name)).unwrap_or(schema)
    }
}

/// A description on one line.
fn joined(description: &str) -> String {
    description.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn shapes(arguments: Vec<(Schema, bool)>) -> Vec<ArgumentShape> {
    let shape = |(schema, is_required): (Schema, bool)| ArgumentShape {
        schema: schema.to_value(),
        is_required,
    };
    arguments.into_iter().map(shape).collect()
}

/// The types that a generator has generated schemas for.
fn definitions(generator: &mut SchemaGenerator) -> Map<String, Value> {
    let mut types = generator.take_definitions(true);
    for value in types.values_mut() {
        if let Ok(mut schema) = Schema::try_from(value.clone()) {
            RecursiveTransform(unwrap_description).transform(&mut schema);
            RecursiveTransform(remove_format).transform(&mut schema);
            *value = schema.to_value();
        }
    }
    types
}

/// Removes `"format": "uint32"` and the like, which are details of Rust.
fn remove_format(schema: &mut Schema) {
    schema.remove("format");
}

/// Forbids unknown keys. Only for answers: the server never sends others.
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

/// The names of types whose schemas differ between inputs and answers, directly or through the types
/// that they refer to.
fn differing(answers: &Map<String, Value>, inputs: &Map<String, Value>) -> BTreeSet<String> {
    let shared =
        || inputs.iter().filter_map(|(name, input)| Some((name, input, answers.get(name)?)));
    let mut differing: BTreeSet<String> = shared()
        .filter(|(_, input, answer)| input != answer)
        .map(|(name, ..)| name.clone())
        .collect();
    loop {
        let before = differing.len();
        let referring: Vec<_> = shared()
            .filter(|(_, input, _)| refers_to(input, &differing))
            .map(|(name, ..)| name.clone())
            .collect();
        differing.extend(referring);
        if differing.len() == before {
            return differing;
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

/// Changes references to the types in `names` into references to their argument types.
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

/// The alternatives of a schema (`anyOf`, `oneOf`, or several types), if it has any.
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

/// The values of a type that is one of several strings, each with its description.
pub fn variants(schema: &Value) -> Option<Vec<(&str, &str)>> {
    if let Some(values) = schema["enum"].as_array() {
        return values.iter().map(|value| Some((value.as_str()?, ""))).collect();
    }
    let all = schema["oneOf"].as_array()?;
    all.iter().map(|one| Some((one["const"].as_str()?, description(one)))).collect()
}
