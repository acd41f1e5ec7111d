//! The queries of editors and the command line. Each is a pure function of a
//! [`Context`](crate::world::context::Context) or a [`Snapshot`](loading::Snapshot); only
//! [`targets`] also asks the disk which names are files.
//!
//! Hosts offer [`QUERIES`] without knowing one: the language server as commands, and [`ask`] to any
//! program.

pub(crate) mod action;
pub(crate) mod annotated;
pub(crate) mod ask;
pub(crate) mod call_groups;
pub(crate) mod call_tree;
pub(crate) mod calls;
pub(crate) mod catalog;
pub(crate) mod choices;
pub(crate) mod explain;
pub(crate) mod flame_chart;
pub(crate) mod flame_frames;
pub(crate) mod flame_graph;
pub(crate) mod fleet;
pub(crate) mod function_costs;
pub(crate) mod functions_at;
pub(crate) mod health;
pub(crate) mod hot_line;
pub(crate) mod hot_places;
pub(crate) mod hot_spots;
pub(crate) mod hover;
pub(crate) mod kept_runs;
pub(crate) mod line_costs;
pub(crate) mod other_profiles;
pub(crate) mod path_rules;
pub(crate) mod paths;
pub(crate) mod possible_mappings;
pub(crate) mod profiles;
pub(crate) mod provenance;
pub(crate) mod recipes;
pub(crate) mod selection;
pub(crate) mod sources;
pub(crate) mod step;
pub(crate) mod symbols;
pub(crate) mod targets;
pub(crate) mod timeline;
pub(crate) mod tree_rows;
pub(crate) mod view;

use crate::world::context::Context;
use ask::Ask;
use loading::json::read;
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value};

pub use ask::Takes;

/// A question that any host can ask.
#[derive(Debug, Clone, Copy)]
pub struct Query {
    /// Its name, such as `hotspots`.
    pub name: &'static str,
    /// What the answer is, in sentences.
    pub description: &'static str,
    /// What it takes.
    pub takes: Takes,
    /// Whether it may be about another profile than the one shown.
    pub of_any_profile: bool,
    /// The schema of the question; of options, or null.
    pub question: fn(&mut SchemaGenerator) -> Schema,
    /// The schema of the answer.
    pub answer: fn(&mut SchemaGenerator) -> Schema,
    parse: fn(&Value) -> Result<Parsed, String>,
}

/// A question that was understood. It is asked once; the error is a message for users.
pub type Parsed = Box<dyn FnOnce(&Context) -> Result<Value, String> + Send>;

/// All questions, in the order of the book.
pub const QUERIES: [Query; 8] = [
    query::<hot_spots::Question>(),
    query::<hot_line::Question>(),
    query::<call_tree::Question>(),
    query::<timeline::Question>(),
    query::<selection::Question>(),
    query::<explain::Question>(),
    query::<paths::Question>(),
    query::<recipes::Question>(),
];

const fn query<Q: Ask>() -> Query {
    Query {
        name: Q::NAME,
        description: Q::DESCRIPTION,
        takes: Q::TAKES,
        of_any_profile: Q::OF_ANY_PROFILE,
        question: match Q::TAKES {
            Takes::Options => SchemaGenerator::subschema_for::<Option<Q>>,
            Takes::Nothing | Takes::Object => SchemaGenerator::subschema_for::<Q>,
        },
        answer: SchemaGenerator::subschema_for::<Q::Answer>,
        parse: |given| {
            let question: Q = read(given)?;
            Ok(Box::new(|context| {
                let answer = question.answer(context)?;
                serde_json::to_value(answer).map_err(|error| error.to_string())
            }))
        },
    }
}

impl Query {
    /// Understands a question; null stands for no options. The error is a message for users.
    pub fn parse(&self, given: &Value) -> Result<Parsed, String> {
        match given {
            Value::Null if self.takes != Takes::Object => (self.parse)(&Value::Object(Map::new())),
            // serde would read a list as the fields of a struct.
            Value::Array(_) => Err("expected an object, found a list".to_owned()),
            _ => (self.parse)(given),
        }
    }
}

/// Answers a question by its name, as the commands of the language server do: `docs/commands.schema.json`
/// has the keys of questions and answers. The error is a message for users.
pub fn ask(context: &Context, name: &str, given: &Value) -> Result<Value, String> {
    let query = QUERIES.iter().find(|query| query.name == name).ok_or_else(|| {
        let names: Vec<_> = QUERIES.iter().map(|query| query.name).collect();
        format!("unknown question `{name}`; expected one of {}", names.join(", "))
    })?;
    query.parse(given)?(context)
}
