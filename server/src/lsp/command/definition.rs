//! The definition of a command: its name, description, and types of arguments and answer.

use super::arguments::{Arguments, Described};
use crate::lsp::server::{Server, failure};
use futures::future::BoxFuture;
#[cfg(test)]
use schemars::{Schema, SchemaGenerator};
use serde::Serialize;
use serde_json::Value;
use tower_lsp::jsonrpc::{Error, Result};

/// A command.
pub trait Command {
    /// The id in `workspace/executeCommand`.
    const NAME: &'static str;
    /// A description for the book, in sentences.
    #[cfg_attr(not(test), expect(dead_code, reason = "only the book needs it"))]
    const DESCRIPTION: &'static str;
    /// The types of its arguments.
    type Arguments: Arguments;
    /// The type of its answer.
    type Answer: Serialize + Described + Send;

    /// Runs it.
    fn run(
        server: &Server,
        arguments: Self::Arguments,
    ) -> impl Future<Output = Result<Self::Answer>> + Send;
}

/// A command in the list of all commands.
pub struct Entry {
    /// The id in `workspace/executeCommand`.
    pub name: &'static str,
    /// Runs it, with JSON arguments and a JSON answer.
    pub run: for<'a> fn(&'a Server, &'a [Value]) -> BoxFuture<'a, Result<Value>>,
    /// A description for the book, in sentences.
    #[cfg(test)]
    pub description: &'static str,
    /// The schemas of its arguments, and whether each is required.
    #[cfg(test)]
    pub arguments: fn(&mut SchemaGenerator) -> Vec<(Schema, bool)>,
    /// The schema of its answer.
    #[cfg(test)]
    pub answer: fn(&mut SchemaGenerator) -> Schema,
}

impl Entry {
    /// The entry of a command.
    pub const fn of<C: Command>() -> Self {
        Self {
            name: C::NAME,
            run: run::<C>,
            #[cfg(test)]
            description: C::DESCRIPTION,
            #[cfg(test)]
            arguments: C::Arguments::schemas,
            #[cfg(test)]
            answer: SchemaGenerator::subschema_for::<C::Answer>,
        }
    }
}

fn run<'a, C: Command>(server: &'a Server, given: &'a [Value]) -> BoxFuture<'a, Result<Value>> {
    let arguments = C::Arguments::parse(given)
        .map_err(|problem| Error::invalid_params(format!("{}: {problem}", C::NAME)));
    Box::pin(async move {
        let answer = C::run(server, arguments?).await?;
        serde_json::to_value(answer).map_err(|error| failure(format!("{}: {error}", C::NAME)))
    })
}
