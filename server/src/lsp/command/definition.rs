//! What a command is: its name, the types of its arguments and its answer, and what it does.

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
    /// Its id.
    const NAME: &'static str;
    /// What it does, as sentences for the book.
    #[cfg_attr(not(test), expect(dead_code, reason = "for the book alone"))]
    const DOES: &'static str;
    /// What it takes.
    type Arguments: Arguments;
    /// What it answers.
    type Answer: Serialize + Described + Send;

    /// Carries it out.
    fn run(
        server: &Server,
        arguments: Self::Arguments,
    ) -> impl Future<Output = Result<Self::Answer>> + Send;
}

/// A command in the list of all commands.
pub struct Entry {
    /// Its id.
    pub name: &'static str,
    /// Carries it out, from JSON to JSON.
    pub run: for<'a> fn(&'a Server, &'a [Value]) -> BoxFuture<'a, Result<Value>>,
    /// What it does, as sentences for the book.
    #[cfg(test)]
    pub does: &'static str,
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
            does: C::DOES,
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
