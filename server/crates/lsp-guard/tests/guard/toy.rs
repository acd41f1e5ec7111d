//! A server whose commands make the mistakes that handlers can make.

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use lsp_guard::{AskError, ask};
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::{sleep, timeout};
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::lsp_types::request::{
    InlayHintRefreshRequest, ShowDocument, WorkspaceConfiguration,
};
use tower_lsp::lsp_types::{
    ConfigurationParams, DidSaveTextDocumentParams, ExecuteCommandParams, InitializeParams,
    InitializeResult, InitializedParams, ShowDocumentParams, Url,
};
use tower_lsp::{Client, ClientSocket, LanguageServer, LspService};

/// How long the toy waits for a reply. It only stops tests that hang.
pub const DEADLINE: Duration = Duration::from_secs(20);

/// The server.
pub struct Toy {
    client: Client,
    gate: Arc<Semaphore>,
    initialized: AtomicUsize,
    replies: Arc<AtomicUsize>,
    dropped: Arc<AtomicUsize>,
}

/// A toy and its connection to the client.
pub fn toy() -> (LspService<Toy>, ClientSocket) {
    LspService::new(|client| Toy {
        client,
        gate: Arc::new(Semaphore::new(0)),
        initialized: AtomicUsize::new(0),
        replies: Arc::default(),
        dropped: Arc::default(),
    })
}

/// Counts how often it is dropped. Handlers stop their work in this way.
struct CountDrop(Arc<AtomicUsize>);

impl Drop for CountDrop {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

fn count(counter: &AtomicUsize) -> Value {
    json!(counter.load(Ordering::SeqCst))
}

async fn configuration(
    client: &Client,
    deadline: Duration,
) -> std::result::Result<Vec<Value>, AskError> {
    ask::<WorkspaceConfiguration>(client, ConfigurationParams { items: Vec::new() }, deadline).await
}

#[tower_lsp::async_trait]
impl LanguageServer for Toy {
    async fn initialize(&self, params: InitializeParams) -> Result<InitializeResult> {
        assert_ne!(params.locale.as_deref(), Some("panic"), "the toy panics in initialize");
        if params.locale.as_deref() == Some("slow") {
            // Yields, so that the next messages are read before this one is answered.
            tokio::task::yield_now().await;
            sleep(Duration::from_millis(50)).await;
        }
        Ok(InitializeResult::default())
    }

    async fn initialized(&self, _: InitializedParams) {
        self.initialized.fetch_add(1, Ordering::SeqCst);
    }

    async fn did_save(&self, _: DidSaveTextDocumentParams) {
        panic!("the toy panics in a notification");
    }

    async fn execute_command(&self, call: ExecuteCommandParams) -> Result<Option<Value>> {
        let gate = self.gate.clone();
        Ok(Some(match call.command.as_str() {
            "echo" => json!(call.arguments),
            "panic" => panic!("the toy panics at once"),
            "panicAfterAwait" => {
                tokio::task::yield_now().await;
                panic!("the toy panics after an {}", "await")
            }
            "wait" => {
                let _guard = CountDrop(self.dropped.clone());
                pending().await
            }
            "block" => {
                let _guard = CountDrop(self.dropped.clone());
                let runtime = tokio::runtime::Handle::current();
                let work = spawn_blocking(move || {
                    runtime.block_on(async { gate.acquire().await.is_ok() })
                });
                json!(work.await.is_ok())
            }
            "open" => json!(gate.add_permits(Semaphore::MAX_PERMITS >> 1)),
            "ask" => match configuration(&self.client, DEADLINE).await {
                Ok(answer) => json!(answer),
                Err(error) => json!(error.to_string()),
            },
            "askBriefly" => {
                json!(configuration(&self.client, Duration::from_millis(1)).await.is_ok())
            }
            "askAside" => {
                let (client, replies) = (self.client.clone(), self.replies.clone());
                tokio::spawn(async move {
                    let answered = configuration(&client, DEADLINE).await.is_ok();
                    replies.fetch_add(answered.into(), Ordering::SeqCst);
                });
                Value::Null
            }
            "forget" => {
                // Drops the future of a sent request, which `ask` prevents.
                let params = ShowDocumentParams {
                    uri: Url::parse("file:///x").map_err(|_| Error::internal_error())?,
                    external: None,
                    take_focus: None,
                    selection: None,
                };
                let asked = self.client.send_request::<ShowDocument>(params);
                json!(timeout(Duration::from_millis(1), asked).await.is_err())
            }
            "refresh" => {
                json!(ask::<InlayHintRefreshRequest>(&self.client, (), DEADLINE).await.is_ok())
            }
            "initialized" => count(&self.initialized),
            "replies" => count(&self.replies),
            "dropped" => count(&self.dropped),
            _ => return Err(Error::method_not_found()),
        }))
    }

    async fn shutdown(&self) -> Result<()> {
        Ok(())
    }
}
