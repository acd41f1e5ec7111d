//! Questions to the client: the one way in which the server sends requests.
//!
//! tower-lsp 0.20 panics when a reply arrives whose future was dropped, and stands still when handlers wait for replies
//! that its own reader must deliver. So the question lives in a task of its own that is never dropped, and the deadline is
//! outside. When to ask, and what a missing answer means, is left to the callers.

use std::fmt::{self, Display, Formatter};
use std::time::Duration;

use tokio::time::timeout;
use tower_lsp::lsp_types::request::Request;
use tower_lsp::{Client, jsonrpc};

/// Why a question to the client has no answer.
#[derive(Debug)]
pub enum Unanswered {
    /// No reply within the deadline. A later one is received and forgotten.
    TimedOut(Duration),
    /// The client answered with an error, or with something else than the request's result; or it is not there (any more).
    Refused(jsonrpc::Error),
}

impl Display for Unanswered {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::TimedOut(deadline) => write!(f, "the client did not answer within {deadline:?}"),
            Self::Refused(error) => write!(f, "the client answered: {error}"),
        }
    }
}

impl std::error::Error for Unanswered {}

/// Sends request `R` to the client and waits for the reply, at most `deadline`.
///
/// The caller may be dropped while it waits (a cancelled request): the question is not. Not to be called before
/// `initialized`: the client is not ready then, and the answer is [`Unanswered::Refused`].
pub async fn ask<R>(client: &Client, params: R::Params, deadline: Duration) -> Result<R::Result, Unanswered>
where
    R: Request + 'static,
    R::Params: Send,
    R::Result: Send,
{
    let client = client.clone();
    // Dropping the handle detaches the task.
    let question = tokio::spawn(async move { client.send_request::<R>(params).await });
    match timeout(deadline, question).await {
        Ok(Ok(answer)) => answer.map_err(Unanswered::Refused),
        // The task panicked or the runtime is ending.
        Ok(Err(_)) => Err(Unanswered::Refused(jsonrpc::Error::internal_error())),
        Err(_) => Err(Unanswered::TimedOut(deadline)),
    }
}
