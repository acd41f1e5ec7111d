//! Runs a server behind the guard: pipes, termination and exit code.

use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use futures::future::FutureExt;
use tokio::io::{AsyncRead, AsyncWrite, copy, duplex};
use tokio::sync::oneshot;
use tokio::time::sleep;
use tower_lsp::{ClientSocket, LanguageServer, LspService, Server};

use crate::panic::panic_text;
use crate::{client_process, input, service, socket};

/// The number of requests that are handled at the same time. Further ones wait in tower-lsp's queue
/// of 100, then in the pipe.
const CONCURRENCY: usize = 64;

/// The size of the buffers between stdin, tower-lsp and stdout, in bytes.
const PIPE_BYTES: usize = 1 << 16;

/// How long running requests may still be answered after `exit` or the end of stdin. Without
/// running requests, the server ends at once.
const DRAIN: Duration = Duration::from_millis(500);

/// After the client has closed its end of stdin: how long the server may go on without passing on a
/// message, if stdin is not read to its end.
const STUCK: Duration = Duration::from_secs(3);

/// Serves one client until it sends `exit`, closes a pipe or its process ends.
///
/// `stdin_closed` completes when the client has closed its end of stdin, even if stdin is not read to
/// its end: [`stdin_closed`](crate::stdin_closed), or a future that never completes.
///
/// Returns the exit code for the process: 0 if the client sent `shutdown`, else 1 (LSP 3.17, "Exit
/// Notification").
///
/// A read of stdin may still be pending at that time and keeps a tokio runtime from shutting down.
/// Call [`std::process::exit`] with the code, or
/// [`shutdown_background`](tokio::runtime::Runtime::shutdown_background) first.
///
/// Panics are only caught if the program is built with `panic = "unwind"`, the default.
pub async fn serve<S, I, O>(
    service: LspService<S>,
    socket: ClientSocket,
    stdin: I,
    mut stdout: O,
    stdin_closed: impl Future<Output = ()>,
) -> i32
where
    S: LanguageServer,
    I: AsyncRead + Unpin,
    O: AsyncWrite + Unpin,
{
    let shut_down = AtomicBool::new(false);
    let n_passed = AtomicU64::new(0);
    let (send_client_pid, client_pid) = oneshot::channel();
    let (to_tower, tower_in) = duplex(PIPE_BYTES);
    let (tower_out, mut from_tower) = duplex(PIPE_BYTES);

    // Ends when its input has ended and all requests are answered. It does not get errors of
    // stdout, because it writes to a pipe that stays open as long as it runs.
    let tower = Server::new(tower_in, tower_out, socket::GuardedSocket(socket))
        .concurrency_level(CONCURRENCY)
        .serve(service::Guard::new(service));
    let tower = async {
        AssertUnwindSafe(tower).catch_unwind().await.map_err(|panic| {
            tracing::error!("the message loop panicked: {}", panic_text(&*panic));
        })
    };
    let output = async {
        copy(&mut from_tower, &mut stdout).await.map_err(|error| {
            tracing::info!("the client has closed its end of stdout: {error}");
        })
    };
    let input = async {
        input::relay(stdin, to_tower, &shut_down, send_client_pid, &n_passed).await;
        sleep(DRAIN).await;
    };

    // The messages before the end of stdin are passed on first, unless nothing takes them.
    let stuck = async {
        stdin_closed.await;
        let mut before = n_passed.load(Ordering::Relaxed);
        loop {
            sleep(STUCK).await;
            let now = n_passed.load(Ordering::Relaxed);
            if now == before {
                return;
            }
            before = now;
        }
    };

    tokio::select! {
        _ = async { tokio::try_join!(tower, output) } => {}
        () = input => {}
        () = stuck => tracing::info!("the client has closed its end of stdin"),
        () = client_process::ended(client_pid) => tracing::info!("the client's process has ended"),
    }
    i32::from(!shut_down.load(Ordering::SeqCst))
}
