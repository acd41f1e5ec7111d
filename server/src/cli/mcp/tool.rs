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
use std::sync::Arc;

/// A tool. Its arguments are the fields of `Arguments` and of [`View`].
pub trait Query {
    /// The name, in plain words.
    const NAME: &'static str;
    /// What it answers, and when to use it.
    const DESCRIPTION: &'static str;
    /// The default number of rows.
    const LIMIT: usize;
    /// Its own arguments.
    type Arguments: DeserializeOwned + JsonSchema;
    /// The answer.
    type Answer: Serialize + JsonSchema;

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
    input: fn() -> JsonObject,
    output: fn() -> JsonObject,
    /// Answers a call.
    pub run: fn(&mut Project, JsonObject) -> Result<Value, String>,
}

/// The argument for the number of rows.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
struct Limit {
    /// The maximum number of rows. An answer that would be too long has fewer.
    limit: Option<usize>,
}

impl Entry {
    /// The entry of a tool.
    pub const fn of<Q: Query>() -> Self {
        Self {
            name: Q::NAME,
            description: Q::DESCRIPTION,
            input: input::<Q>,
            output: output::<Q>,
            run: run::<Q>,
        }
    }

    /// How it is declared to clients.
    pub fn declaration(&self) -> Tool {
        let reads = ToolAnnotations::new().read_only(true).open_world(false);
        Tool::new(self.name, self.description, (self.input)())
            .with_raw_output_schema(Arc::new((self.output)()))
            .with_annotations(reads)
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

/// Removes what only Rust distinguishes, and joins the lines of descriptions.
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
    own.extend(properties(argument_schema::<Limit>()));
    own.extend(properties(argument_schema::<View>()));
    all.remove("description");
    all.insert("type".to_owned(), "object".into());
    all.insert("properties".to_owned(), own.into());
    all.insert("additionalProperties".to_owned(), false.into());
    all
}

/// An answer, and the profiles that were skipped for it.
#[derive(Serialize, JsonSchema)]
struct Answered<A> {
    #[serde(flatten)]
    answer: A,
    /// Newer profiles than the one that the answer is about, which cannot be read, each with the
    /// reason. Missing if there are none, or if `profile` was given.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<String>")]
    skipped: Vec<String>,
}

fn output<Q: Query>() -> JsonObject {
    let generator = || SchemaSettings::draft2020_12().for_serialize().into_generator();
    let mut schema_of_all = schema::<Answered<Q::Answer>>(generator());
    if let Some(description) = schema::<Q::Answer>(generator()).remove("description") {
        schema_of_all.insert("description".to_owned(), description);
    }
    schema_of_all
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
