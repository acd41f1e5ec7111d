//! The questions of the engine as commands: `costline.NAME`, with the question as the first argument, and
//! for some another profile as the second.

use super::arguments::{Argument as _, Optional, at_most};
use crate::lsp::other_profile::OtherProfile;
use crate::lsp::server::{Server, failure};
use answers::{Query, Takes};
use lsp_types::Url;
#[cfg(test)]
use schemars::{Schema, SchemaGenerator};
use serde_json::Value;
use tower_lsp::jsonrpc::{Error, Result};

/// The id of a question in `workspace/executeCommand`.
pub fn id(query: &Query) -> String {
    format!("costline.{}", query.name)
}

/// The schemas of its arguments, and whether each is required.
#[cfg(test)]
pub fn schemas(query: &Query, generator: &mut SchemaGenerator) -> Vec<(Schema, bool)> {
    let question = (query.takes != Takes::Nothing)
        .then(|| ((query.question)(generator), query.takes == Takes::Object));
    let other = query.of_any_profile.then(|| Optional::<OtherProfile>::schema(generator));
    question.into_iter().chain(other).collect()
}

/// Answers a question. One with a document is about the root of the document, others are about that of
/// the document in front.
pub async fn run(query: &'static Query, server: &Server, arguments: &[Value]) -> Result<Value> {
    let invalid = |problem| Error::invalid_params(format!("{}: {problem}", id(query)));
    let n = usize::from(query.takes != Takes::Nothing) + usize::from(query.of_any_profile);
    at_most(arguments, n).map_err(invalid)?;
    let question = arguments.first().cloned().unwrap_or_default();
    let Optional(other) = Optional::<OtherProfile>::parse(arguments.get(1)).map_err(invalid)?;
    let document = question.get("uri").and_then(Value::as_str).and_then(|uri| Url::parse(uri).ok());
    let parsed = query.parse(&question).map_err(invalid)?;
    let answer = match document {
        Some(uri) => server.read_document(&uri, parsed).await?,
        None => server.read_from(server.context_for(other).await?, parsed).await?,
    };
    answer.map_err(failure)
}
