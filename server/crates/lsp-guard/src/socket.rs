//! A wrapper around `ClientSocket`, the half of tower-lsp that sends requests to the client.

use std::panic::AssertUnwindSafe;
use std::pin::Pin;

use futures::future::FutureExt;
use futures::sink::{self, Sink, SinkExt};
use futures::stream::{self, StreamExt};
use tower_lsp::jsonrpc::{Request, Response};
use tower_lsp::{ClientSocket, ExitedError, Loopback};

use crate::repair;

/// Omits null params of requests, and ignores replies that no task waits for, on which tower-lsp
/// panics.
pub(crate) struct GuardedSocket(pub(crate) ClientSocket);

impl Loopback for GuardedSocket {
    type RequestStream =
        stream::Map<<ClientSocket as Loopback>::RequestStream, fn(Request) -> Request>;
    type ResponseSink = Pin<Box<dyn Sink<Response, Error = ExitedError> + Send>>;

    fn split(self) -> (Self::RequestStream, Self::ResponseSink) {
        let (requests, replies) = self.0.split();
        let replies = sink::unfold(replies, |mut replies, reply: Response| async move {
            let id = reply.id().clone();
            let sent = AssertUnwindSafe(replies.send(reply)).catch_unwind().await;
            sent.unwrap_or_else(|_| {
                tracing::warn!("no task waits for the reply to request {id}; it is ignored");
                Ok(())
            })?;
            Ok(replies)
        });
        (requests.map(repair::without_null_params), Box::pin(replies))
    }
}
