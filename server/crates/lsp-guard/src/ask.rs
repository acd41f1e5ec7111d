//! Requests from the server to the client.
//!
//! tower-lsp 0.20 panics when a reply arrives whose future was dropped, and stops reading when all
//! its handlers wait for replies. So each request runs in a task that is never dropped, and only
//! the caller has the deadline.

use std::time::Duration;

use thiserror::Error;
use tokio::time::timeout;
use tower_lsp::lsp_types::request::Request;
use tower_lsp::{Client, jsonrpc};

/// Why a request to the client has no result.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum AskError {
    /// No reply arrived within the deadline. A later one is received and ignored.
    #[error("the client did not answer within {0:?}")]
    TimedOut(Duration),
    /// The client answered with an error or with a value of another type, or the connection is not
    /// open: before `initialize` was answered, or after `exit`.
    #[error("the client answered: {0}")]
    Refused(jsonrpc::Error),
}

/// Sends request `R` to the client and waits for its reply, at most `deadline`.
///
/// The returned future may be dropped at any time, for example when the client cancels the request
/// that is being handled. Must be called within a tokio runtime.
pub async fn ask<R>(
    client: &Client,
    params: R::Params,
    deadline: Duration,
) -> Result<R::Result, AskError>
where
    R: Request + 'static,
    R::Params: Send,
    R::Result: Send,
{
    let client = client.clone();
    // Dropping the handle detaches the task and does not stop it.
    let reply = tokio::spawn(async move { client.send_request::<R>(params).await });
    match timeout(deadline, reply).await {
        Ok(Ok(answer)) => answer.map_err(AskError::Refused),
        // The task panicked, or the runtime is shutting down.
        Ok(Err(_)) => Err(AskError::Refused(jsonrpc::Error::internal_error())),
        Err(_) => Err(AskError::TimedOut(deadline)),
    }
}
