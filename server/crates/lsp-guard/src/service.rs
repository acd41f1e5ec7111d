//! A tower service around `LspService` that repairs requests and turns panics into error responses.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::{Context, Poll, ready};

use futures::future::{BoxFuture, FutureExt};
use tokio::sync::oneshot;
use tower::Service;
use tower_lsp::jsonrpc::{Error, ErrorCode, Id, Request, Response};
use tower_lsp::{ExitedError, LanguageServer, LspService};

use crate::panic::panic_text;
use crate::{input, repair};

/// The guarded service.
pub(crate) struct Guard<S> {
    inner: LspService<S>,
    /// Present while `initialize` is handled. The sender is dropped once there is a response.
    initializing: Option<oneshot::Receiver<()>>,
}

impl<S> Guard<S> {
    pub(crate) fn new(inner: LspService<S>) -> Self {
        Self { inner, initializing: None }
    }
}

impl<S: LanguageServer> Service<Request> for Guard<S> {
    type Response = Option<Response>;
    type Error = ExitedError;
    type Future = BoxFuture<'static, Result<Option<Response>, ExitedError>>;

    /// Delays messages until `initialize` is answered. tower-lsp would reject requests and drop
    /// notifications such as `initialized` and `didOpen`.
    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), ExitedError>> {
        if let Some(answered) = &mut self.initializing {
            // Ready, with an error, when the sender is dropped.
            let _ = ready!(answered.poll_unpin(cx));
            self.initializing = None;
        }
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        if let Some(error) = input::error_for_unreadable(&request) {
            return async { Ok(Some(error)) }.boxed();
        }
        let request = repair::repair_request(request);
        let method = request.method().to_owned();
        let id = request.id().cloned();
        // tower-lsp drops all messages like this, but only notifications may be ignored.
        if let Some(id) = id.clone().filter(|_| method.starts_with("$/")) {
            return async { Ok(Some(Response::from_error(id, Error::method_not_found()))) }.boxed();
        }
        let answered = (method == "initialize").then(|| {
            let (answered, initializing) = oneshot::channel::<()>();
            self.initializing = Some(initializing);
            answered
        });
        let handler = catch_unwind(AssertUnwindSafe(|| self.inner.call(request)));
        async move {
            let outcome = match handler {
                Ok(handler) => AssertUnwindSafe(handler).catch_unwind().await,
                Err(panic) => Err(panic),
            };
            drop(answered);
            outcome.unwrap_or_else(|panic| Ok(response_to_panic(&method, id, &*panic)))
        }
        .boxed()
    }
}

/// The response to a request whose handler panicked; a notification has none.
fn response_to_panic(method: &str, id: Option<Id>, panic: &(dyn Any + Send)) -> Option<Response> {
    tracing::error!("the handler of {method} panicked: {}", panic_text(panic));
    let error = Error {
        code: ErrorCode::InternalError,
        message: format!(
            "{method} failed because of a bug in the server, which continues to run; its log has the details"
        )
        .into(),
        data: None,
    };
    id.map(|id| Response::from_error(id, error))
}
