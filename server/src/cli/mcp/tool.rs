//! What a tool is: its name, the types of its arguments and answer, and how it is run.

use super::fit::fit;
use super::project::Project;
use super::view::View;
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, Transform as _};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A tool. Its arguments are the fields of `Arguments` and of [`View`].
pub trait Query {
    /// The name, in plain words.
    const NAME: &'static str;
    /// What it answers, and when to use it.
    const DESCRIPTION: &'static str;
    /// The default number of rows.
    const LIMIT: usize;
    /// Whether it is about costs, which depend on the view. Otherwise its declaration has the profile alone.
    const HAS_COSTS: bool = true;
    /// Its own arguments.
    type Arguments: DeserializeOwned + JsonSchema;
    /// The answer.
    type Answer: Serialize;

    /// The answer with at most `most` rows. The error is a message for the client.
    fn answer(
        project: &mut Project,
        view: &View,
        arguments: &Self::Arguments,
        most: usize,
    ) -> Result<Self::Answer, String>;
}

/// A tool in the table of all tools.
pub struct Entry {
    /// The name.
    pub name: &'static str,
    /// What it answers.
    pub description: &'static str,
    has_costs: bool,
    input: fn() -> JsonObject,
    /// Answers a call.
    pub run: fn(&mut Project, JsonObject) -> Result<Value, String>,
}

/// The argument for the number of rows.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
struct Limit {
    /// The maximum number of rows. A long answer has fewer.
    limit: Option<usize>,
}

impl Entry {
    /// The entry of a tool.
    pub const fn of<Q: Query>() -> Self {
        Self {
            name: Q::NAME,
            description: Q::DESCRIPTION,
            has_costs: Q::HAS_COSTS,
            input: input::<Q>,
            run: run::<Q>,
        }
    }

    /// How it is declared to clients, in few words: models read all tools before the first call. The
    /// arguments that all tools share have their meanings only if `explains_shared` is set.
    pub fn declaration(&self, explains_shared: bool) -> Tool {
        let mut input = (self.input)();
        let definitions = input.remove("$defs").unwrap_or_default();
        let shared = shared_arguments();
        let Some(Value::Object(arguments)) = input.get_mut("properties") else {
            return Tool::new(self.name, self.description, input);
        };
        let is_of_view = |name: &str| name != "profile" && shared.contains_key(name);
        arguments.retain(|name, _| self.has_costs || !is_of_view(name));
        for (name, argument) in arguments {
            shorten(argument, &definitions);
            if let Some(argument) = argument.as_object_mut()
                && shared.contains_key(name)
                && !explains_shared
            {
                argument.remove("description");
            }
        }
        let reads = ToolAnnotations::new().read_only(true).open_world(false);
        Tool::new(self.name, self.description, input).with_annotations(reads)
    }

    /// The arguments with their meanings.
    #[cfg(test)]
    pub fn arguments(&self) -> JsonObject {
        properties((self.input)())
    }
}

fn schema<T: JsonSchema>(generator: SchemaGenerator) -> JsonObject {
    let mut schema = generator.into_root_schema_for::<T>();
    // Clients check arguments and answers with other drafts, which read these schemas alike.
    schema.remove("$schema");
    schema.remove("title");
    RecursiveTransform(plain).transform(&mut schema);
    match schema.to_value() {
        Value::Object(schema) => schema,
        _ => JsonObject::new(),
    }
}

/// Removes what only Rust distinguishes and the defaults that go without saying, and joins the lines of
/// descriptions.
fn plain(schema: &mut Schema) {
    let is = |schema: &Schema, key: &str, wanted: fn(&str) -> bool| {
        schema.get(key).and_then(Value::as_str).is_some_and(wanted)
    };
    if is(schema, "format", |format| format.contains("int") || format == "double") {
        schema.remove("format");
    }
    if schema.get("default").is_some_and(Value::is_null) {
        schema.remove("default");
    }
    if let Some(Value::String(description)) = schema.get_mut("description") {
        *description = description.replace('\n', " ");
        for usual in [" Default: false.", " Default: none.", " Default: all."] {
            *description = description.replace(usual, "");
        }
    }
}

/// Inlines a reference, lists the texts of an enumeration without their meanings, and leaves out that an
/// argument may be null.
fn shorten(argument: &mut Value, definitions: &Value) {
    let Value::Object(schema) = argument else { return };
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = &mut types[..] {
            let only = only.take();
            schema.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(mut choices)) = schema.remove("anyOf") {
        choices.retain(|choice| choice["type"] != "null");
        schema.extend(choices.into_iter().filter_map(|it| it.as_object().cloned()).flatten());
    }
    let name = schema.remove("$ref");
    let name = name.as_ref().and_then(Value::as_str).and_then(|name| name.rsplit('/').next());
    if let Some(Value::Object(definition)) = name.map(|name| &definitions[name]) {
        let own = std::mem::replace(schema, definition.clone());
        schema.extend(own);
    }
    if let Some(Value::Array(choices)) = schema.get_mut("anyOf") {
        for choice in choices {
            shorten(choice, definitions);
        }
    }
    if let Some(Value::Array(choices)) = schema.remove("oneOf") {
        let texts = choices.iter().map(|choice| choice["const"].clone());
        schema.insert("enum".to_owned(), texts.collect());
    }
    for key in ["default", "minimum"] {
        schema.remove(key);
    }
    if let Some(items) = schema.get_mut("items") {
        shorten(items, definitions);
    }
}

fn argument_schema<T: JsonSchema>() -> JsonObject {
    schema::<T>(SchemaSettings::draft2020_12().into_generator())
}

fn properties(mut schema: JsonObject) -> JsonObject {
    match schema.remove("properties") {
        Some(Value::Object(properties)) => properties,
        _ => JsonObject::new(),
    }
}

fn input<Q: Query>() -> JsonObject {
    let mut all = argument_schema::<Q::Arguments>();
    let mut own = properties(all.clone());
    own.extend(shared_arguments());
    // What is not known is refused in any case, with the names of what is.
    for key in ["description", "additionalProperties"] {
        all.remove(key);
    }
    all.insert("type".to_owned(), "object".into());
    all.insert("properties".to_owned(), own.into());
    all
}

/// The arguments of all tools.
fn shared_arguments() -> JsonObject {
    let mut shared = properties(argument_schema::<View>());
    shared.extend(properties(argument_schema::<Limit>()));
    shared
}

/// An answer, and the profiles that were skipped for it.
#[derive(Serialize)]
struct Answered<A> {
    #[serde(flatten)]
    answer: A,
    /// Newer profiles than the one that the answer is about, which cannot be read, each with the
    /// reason. Missing if there are none, or if `profile` was given.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    skipped: Vec<String>,
}

/// Takes those arguments that a type has.
fn take<T: DeserializeOwned + JsonSchema>(arguments: &mut JsonObject) -> Result<T, String> {
    let own = properties(argument_schema::<T>());
    let (own, others) =
        std::mem::take(arguments).into_iter().partition(|(key, _)| own.contains_key(key));
    *arguments = others;
    serde_path_to_error::deserialize(Value::Object(own)).map_err(|error| error.to_string())
}

fn run<Q: Query>(project: &mut Project, mut arguments: JsonObject) -> Result<Value, String> {
    let known = properties(input::<Q>());
    // Some clients send null for what they leave out.
    arguments.retain(|_, value| !value.is_null());
    if let Some(unknown) = arguments.keys().find(|key| !known.contains_key(*key)) {
        let known: Vec<_> = known.keys().map(String::as_str).collect();
        return Err(format!("unknown argument `{unknown}`; expected one of {}", known.join(", ")));
    }
    let view: View = take(&mut arguments)?;
    let Limit { limit } = take(&mut arguments)?;
    let own: Q::Arguments = take(&mut arguments)?;
    project.skipped.clear();
    fit(limit.unwrap_or(Q::LIMIT).max(1), |most| {
        let answer = Q::answer(project, &view, &own, most)?;
        Ok(Answered { answer, skipped: project.skipped.clone() })
    })
}
