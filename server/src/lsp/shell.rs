//! The guard around tower-lsp 0.20: what an editor may do wrong, or a handler, without taking the server down.
//!
//! [`serve`] puts three things around `tower_lsp::Server`, each against a defect of it that was measured:
//!
//! | piece | guards against |
//! |---|---|
//! | [`inbound::relay`] between stdin and tower-lsp | `exit` ignored while stdin stays open; `exit` without `shutdown` returning 0; one malformed message, an unknown header or a lone half of a surrogate pair ending the server; an odd reply taken for a request |
//! | a pipe between tower-lsp and stdout | the "unreachable" panic when the client has closed its end during a request |
//! | [`Shell`] around `LspService` | a panic in a handler ending the process; what a client sends before `initialize` was answered being lost |
//! | [`repair::mend`] in it | `"params": null` answered with -32602; `initialize` refused for `trace: "compact"` or any value the types do not know |
//! | [`Socket`] around `ClientSocket` | a reply to a question that nobody waits for any more ending the process; `"params": null` in questions without params |
//! | `concurrency_level(64)` | the fifth request unanswered while four wait (with [`outgoing::ask`](super::outgoing::ask)) |
//! | [`vanished`] | living on after an editor that was killed and left its pipes to somebody else |
//!
//! Left to the backend, since no wrapper can do it: state-changing notifications finish before their first await; a
//! handler that computes does so in `spawn_blocking`; handlers reach the client only through `outgoing`.

mod inbound;
mod repair;
#[cfg(test)]
mod tests;

use std::any::Any;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures::future::{BoxFuture, FutureExt, pending};
use futures::sink::{self, Sink, SinkExt};
use futures::stream::{self, StreamExt};
use tokio::io::{AsyncRead, AsyncWrite, copy, duplex};
use tokio::sync::oneshot;
use tokio::time::sleep;
use tower::Service;
use tower_lsp::jsonrpc::{Error, ErrorCode, Id, Request, Response};
use tower_lsp::{ClientSocket, ExitedError, LanguageServer, Loopback, LspService, Server};

/// Requests in work at once. More wait in tower-lsp's queue of 100, then in the pipe.
const CONCURRENCY: usize = 64;

/// Bytes between the real pipes and tower-lsp, per direction; only a buffer.
const PIPE_BYTES: usize = 1 << 16;

/// How long answers already being worked on may still go out after `exit` or the end of stdin. With none open the server
/// ends at once.
const DRAIN: Duration = Duration::from_millis(500);

/// How often the editor's process is looked at.
const WATCH: Duration = Duration::from_secs(1);

/// Serves one client until it says `exit`, closes a pipe or dies, and gives the exit code of the process: 0 after
/// `shutdown`, else 1 (LSP 3.17, "Exit Notification").
///
/// A read of stdin may still be pending then, and would hold the runtime: call [`std::process::exit`] with the code.
pub async fn serve<S, I, O>(service: LspService<S>, socket: ClientSocket, stdin: I, mut stdout: O) -> i32
where
    S: LanguageServer,
    I: AsyncRead + Unpin,
    O: AsyncWrite + Unpin,
{
    let shut_down = AtomicBool::new(false);
    let (editor, editor_pid) = oneshot::channel();
    let (to_tower, tower_in) = duplex(PIPE_BYTES);
    let (tower_out, mut from_tower) = duplex(PIPE_BYTES);

    // Ends by itself when its input ends and everything asked has been answered. It never sees stdout fail: the pipe to
    // it outlives it.
    let tower = Server::new(tower_in, tower_out, Socket(socket))
        .concurrency_level(CONCURRENCY)
        .serve(Shell { inner: service, initializing: None });
    let tower = async {
        AssertUnwindSafe(tower).catch_unwind().await.map_err(|panic| {
            tracing::error!("the language server's loop panicked: {}", panic_text(&*panic));
        })
    };
    let output = async {
        copy(&mut from_tower, &mut stdout).await.map_err(|error| {
            tracing::info!("the client reads no more: {error}");
        })
    };
    let input = async {
        inbound::relay(stdin, to_tower, &shut_down, editor).await;
        sleep(DRAIN).await;
    };

    tokio::select! {
        _ = async { tokio::try_join!(tower, output) } => {}
        () = input => {}
        () = vanished(editor_pid) => tracing::info!("the editor's process is gone"),
    }
    i32::from(!shut_down.load(Ordering::SeqCst))
}

/// `LspService`, with requests mended on the way in and panics turned into answers on the way out.
struct Shell<S> {
    inner: LspService<S>,
    /// Set while `initialize` is in work; its sender goes when the answer is there.
    initializing: Option<oneshot::Receiver<()>>,
}

impl<S: LanguageServer> Service<Request> for Shell<S> {
    type Response = Option<Response>;
    type Error = ExitedError;
    type Future = BoxFuture<'static, Result<Option<Response>, ExitedError>>;

    /// Messages behind an `initialize` wait for its answer: tower-lsp would refuse requests and drop notifications,
    /// `initialized` and `didOpen` among them, of a client that does not wait for it.
    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), ExitedError>> {
        if let Some(answered) = &mut self.initializing {
            // An error is the sender's end: the same news.
            let _ = ready!(answered.poll_unpin(cx));
            self.initializing = None;
        }
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        if let Some(refusal) = inbound::refusal(&request) {
            return async { Ok(Some(refusal)) }.boxed();
        }
        let request = repair::mend(request);
        let method = request.method().to_owned();
        let id = request.id().cloned();
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
            outcome.unwrap_or_else(|panic| Ok(after_panic(&method, id, &*panic)))
        }
        .boxed()
    }
}

/// The answer of a handler that panicked; a notification has none.
fn after_panic(method: &str, id: Option<Id>, panic: &(dyn Any + Send)) -> Option<Response> {
    tracing::error!("the handler of {method} panicked: {}", panic_text(panic));
    let error = Error {
        code: ErrorCode::InternalError,
        message: format!("costline failed on {method}; this is a bug, the server goes on").into(),
        data: None,
    };
    id.map(|id| Response::from_error(id, error))
}

fn panic_text(panic: &(dyn Any + Send)) -> &str {
    panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("(no text)")
}

/// The client's socket, whose questions are mended, and whose sink for replies outlives a reply that finds no waiter: tower-lsp
/// panics then.
struct Socket(ClientSocket);

impl Loopback for Socket {
    type RequestStream = stream::Map<<ClientSocket as Loopback>::RequestStream, fn(Request) -> Request>;
    type ResponseSink = Pin<Box<dyn Sink<Response, Error = ExitedError> + Send>>;

    fn split(self) -> (Self::RequestStream, Self::ResponseSink) {
        let (requests, replies) = self.0.split();
        let replies = sink::unfold(replies, |mut replies, reply: Response| async move {
            let id = reply.id().clone();
            let sent = AssertUnwindSafe(replies.send(reply)).catch_unwind().await;
            sent.unwrap_or_else(|_| {
                tracing::warn!("nobody waits any more for the reply to request {id}");
                Ok(())
            })?;
            Ok(replies)
        });
        (requests.map(repair::without_null), Box::pin(replies))
    }
}

/// Returns when the editor's process, seen alive once, is gone. A process that was never visible (another container)
/// says nothing, and neither does any process where there is no `/proc`: there the closed pipe has to do.
async fn vanished(pid: oneshot::Receiver<u32>) {
    if let Ok(pid) = pid.await
        && let Some(birth) = birth(pid)
    {
        while self::birth(pid).as_ref() == Some(&birth) {
            sleep(WATCH).await;
        }
    } else {
        pending::<()>().await;
    }
}

/// When process `pid` was started, in clock ticks since boot: tells it from a later one with the same number. `None` when
/// there is none, or only a zombie that nobody has buried. (proc(5), `/proc/pid/stat`: fields 3 and 22.)
fn birth(pid: u32) -> Option<String> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // Field 2, the name, stands in parentheses and may hold spaces and parentheses.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    let state = fields.next()?;
    (!matches!(state, "Z" | "X")).then(|| fields.nth(18).map(str::to_owned))?
}
