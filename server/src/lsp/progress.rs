//! The progress of a load (`$/progress`), and that a file is still being written, for clients that show
//! it. It begins only after some patience, for a load [`PATIENCE`], and ends when [`Progress`] is
//! dropped or the load is canceled.

use answers::ReadStep as Step;
use answers::progress::describe;
use lsp_guard::ask;
use lsp_types::notification::Progress as ProgressNotification;
use lsp_types::request::WorkDoneProgressCreate;
use lsp_types::{
    NumberOrString, ProgressParams, ProgressParamsValue, WorkDoneProgress, WorkDoneProgressBegin,
    WorkDoneProgressCreateParams, WorkDoneProgressEnd, WorkDoneProgressReport,
};
use std::future::pending;
use std::path::Path;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::timeout;
use tower_lsp::Client;

/// How long a load must take to show progress.
pub const PATIENCE: Duration = Duration::from_millis(300);
/// The minimum time between two reports.
const REPORT_INTERVAL: Duration = Duration::from_millis(200);
/// How long to wait until the client has created the progress.
const DEADLINE: Duration = Duration::from_secs(30);

/// Sends the steps of a load to the client.
#[derive(Debug)]
pub struct Progress {
    step: watch::Sender<Option<Step>>,
}

impl Progress {
    /// The progress of the load of `path`. `enabled` says whether the client shows progress;
    /// `number` becomes part of the token. It begins after `patience`, and ends when this is
    /// dropped or `cancelled` completes.
    pub fn new(
        client: &Client,
        enabled: bool,
        number: u64,
        path: &Path,
        patience: Duration,
        cancelled: impl Future<Output = ()> + Send + 'static,
    ) -> Self {
        let begin = WorkDoneProgressBegin {
            title: title(path),
            cancellable: Some(true),
            message: None,
            percentage: Some(0),
        };
        let client = enabled.then_some(client);
        Self::begin(client, token(number), begin, patience, cancelled)
    }

    /// Says that `path` is still being written, from `patience` until this is dropped. `number` becomes
    /// part of the token.
    pub fn of_writing(
        client: &Client,
        enabled: bool,
        number: u64,
        path: &Path,
        patience: Duration,
    ) -> Self {
        let begin = WorkDoneProgressBegin {
            title: title(path),
            message: Some("still being written".to_owned()),
            ..WorkDoneProgressBegin::default()
        };
        let token = NumberOrString::String(format!("costline/writing/{number}"));
        Self::begin(enabled.then_some(client), token, begin, patience, pending())
    }

    fn begin(
        client: Option<&Client>,
        token: NumberOrString,
        begin: WorkDoneProgressBegin,
        patience: Duration,
        cancelled: impl Future<Output = ()> + Send + 'static,
    ) -> Self {
        let (step, steps) = watch::channel(None);
        if let Some(client) = client {
            let dropped = ended(steps.clone());
            let end = async {
                tokio::select! {
                    () = dropped => {}
                    () = cancelled => {}
                }
            };
            tokio::spawn(show(client.clone(), token, begin, steps, patience, end));
        }
        Self { step }
    }

    /// Sets the current step.
    pub fn step(&self, step: Step) {
        self.step.send_replace(Some(step));
    }
}

const TOKEN_PREFIX: &str = "costline/load/";

fn title(path: &Path) -> String {
    format!("Costline: {}", path.file_name().unwrap_or_default().to_string_lossy())
}

/// The token of a load. It is a string because some clients do not accept numbers.
fn token(number: u64) -> NumberOrString {
    NumberOrString::String(format!("{TOKEN_PREFIX}{number}"))
}

/// The number of the load that a token belongs to.
pub fn number(token: &NumberOrString) -> Option<u64> {
    match token {
        NumberOrString::String(token) => token.strip_prefix(TOKEN_PREFIX)?.parse().ok(),
        NumberOrString::Number(_) => None,
    }
}

/// Shows the progress of a load until `end`.
async fn show(
    client: Client,
    token: NumberOrString,
    begin: WorkDoneProgressBegin,
    steps: watch::Receiver<Option<Step>>,
    patience: Duration,
    end: impl Future<Output = ()>,
) {
    tokio::pin!(end);
    if timeout(patience, &mut end).await.is_ok() {
        return;
    }
    let create = WorkDoneProgressCreateParams { token: token.clone() };
    if ask::<WorkDoneProgressCreate>(&client, create, DEADLINE).await.is_err() {
        return;
    }
    let send = async |value| {
        let params =
            ProgressParams { token: token.clone(), value: ProgressParamsValue::WorkDone(value) };
        client.send_notification::<ProgressNotification>(params).await;
    };
    send(WorkDoneProgress::Begin(begin)).await;
    let mut shown = None;
    loop {
        let step = *steps.borrow();
        if step != shown
            && let Some(step) = step
        {
            let (message, percentage) = describe(step);
            let report = WorkDoneProgressReport {
                cancellable: Some(true),
                message: Some(message),
                percentage: Some(percentage),
            };
            send(WorkDoneProgress::Report(report)).await;
        }
        shown = step;
        if timeout(REPORT_INTERVAL, &mut end).await.is_ok() {
            break;
        }
    }
    send(WorkDoneProgress::End(WorkDoneProgressEnd { message: None })).await;
}

/// Waits until the sender of `steps` is dropped.
async fn ended(mut steps: watch::Receiver<Option<Step>>) {
    while steps.changed().await.is_ok() {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::{SinkExt, StreamExt};
    use serde_json::{Value, json};
    use std::pin::pin;
    use tokio::sync::oneshot;
    use tower::{Service, ServiceExt};
    use tower_lsp::jsonrpc::{Request, Response, Result};
    use tower_lsp::lsp_types::{InitializeParams, InitializeResult};
    use tower_lsp::{LanguageServer, LspService};

    struct Server;

    #[tower_lsp::async_trait]
    impl LanguageServer for Server {
        async fn initialize(&self, _: InitializeParams) -> Result<InitializeResult> {
            Ok(InitializeResult::default())
        }

        async fn shutdown(&self) -> Result<()> {
            Ok(())
        }
    }

    #[tokio::test]
    async fn progress_ends_when_its_load_is_cancelled() {
        let mut client = None;
        let (mut service, socket) = LspService::new(|of_service| {
            client = Some(of_service);
            Server
        });
        let initialize = Request::build("initialize").id(1).params(json!({"capabilities": {}}));
        service.ready().await.unwrap().call(initialize.finish()).await.unwrap();
        let (messages, mut answers) = socket.split();
        let mut messages = pin!(messages);
        let mut next = async || {
            let message = timeout(Duration::from_secs(60), messages.next()).await;
            message.expect("a message was expected").unwrap()
        };
        let kind = |message: &Request| message.params().unwrap()["value"]["kind"].clone();

        let (cancel, cancelled) = oneshot::channel::<()>();
        let cancelled = async { drop(cancelled.await) };
        let progress = Progress::new(
            &client.unwrap(),
            true,
            7,
            Path::new("profile.json"),
            Duration::ZERO,
            cancelled,
        );
        let create = next().await;
        assert_eq!(create.params(), Some(&json!({"token": "costline/load/7"})));
        answers.send(Response::from_ok(create.id().unwrap().clone(), Value::Null)).await.unwrap();
        assert_eq!(kind(&next().await), "begin");
        cancel.send(()).unwrap();
        assert_eq!(kind(&next().await), "end");
        drop(progress);
    }
}
