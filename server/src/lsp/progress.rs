//! Progress of a load, for clients that show it: begun only when it takes a while, ended when it is
//! dropped.

use engine::stages::loaded::Step;
use lsp_guard::ask;
use lsp_types::notification::Progress as ProgressNotification;
use lsp_types::request::WorkDoneProgressCreate;
use lsp_types::{
    NumberOrString, ProgressParams, ProgressParamsValue, WorkDoneProgress, WorkDoneProgressBegin,
    WorkDoneProgressCreateParams, WorkDoneProgressEnd, WorkDoneProgressReport,
};
use std::path::Path;
use std::time::Duration;
use tokio::sync::watch;
use tower_lsp::Client;

/// Loads shorter than this show nothing.
pub const PATIENCE: Duration = Duration::from_millis(300);
/// Reports are at least this far apart.
const PACE: Duration = Duration::from_millis(200);
const DEADLINE: Duration = Duration::from_secs(30);

/// The way from a loading thread to the client. Dropped when the load is over.
#[derive(Debug)]
pub struct Progress {
    step: watch::Sender<Option<Step>>,
}

impl Progress {
    /// Will show the load of `path`, under a token made of `number`, if `shown`, once it takes
    /// longer than `patience`.
    pub fn new(client: &Client, shown: bool, number: u64, path: &Path, patience: Duration) -> Self {
        let (step, steps) = watch::channel(None);
        if shown {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            tokio::spawn(show(client.clone(), token(number), name, steps, patience));
        }
        Self { step }
    }

    /// Says what is being done now.
    pub fn step(&self, step: Step) {
        self.step.send_replace(Some(step));
    }
}

const TOKENS: &str = "costline/load/";

/// The token of a load; a string, since not every client takes numbers.
fn token(number: u64) -> NumberOrString {
    NumberOrString::String(format!("{TOKENS}{number}"))
}

/// The number of the load that a token belongs to.
pub fn number(token: &NumberOrString) -> Option<u64> {
    match token {
        NumberOrString::String(token) => token.strip_prefix(TOKENS)?.parse().ok(),
        NumberOrString::Number(_) => None,
    }
}

async fn show(
    client: Client,
    token: NumberOrString,
    name: String,
    mut steps: watch::Receiver<Option<Step>>,
    patience: Duration,
) {
    // Over before it was worth showing?
    if tokio::time::timeout(patience, ended(&mut steps)).await.is_ok() {
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
    let begin = WorkDoneProgressBegin {
        title: format!("Costline: {name}"),
        cancellable: Some(true),
        message: None,
        percentage: Some(0),
    };
    send(WorkDoneProgress::Begin(begin)).await;
    loop {
        let step = *steps.borrow_and_update();
        if let Some(step) = step {
            let (message, percentage) = describe(step);
            let report = WorkDoneProgressReport {
                cancellable: Some(true),
                message: Some(message),
                percentage: Some(percentage),
            };
            send(WorkDoneProgress::Report(report)).await;
        }
        tokio::time::sleep(PACE).await;
        if steps.changed().await.is_err() {
            break;
        }
    }
    send(WorkDoneProgress::End(WorkDoneProgressEnd { message: None })).await;
}

async fn ended(steps: &mut watch::Receiver<Option<Step>>) {
    while steps.changed().await.is_ok() {}
}

/// In words, with a rough share of the whole.
fn describe(step: Step) -> (String, u32) {
    let mb = |bytes: u64| format!("{:.0} MB", bytes as f64 / 1e6);
    match step {
        Step::Reading(done, all) => {
            let share = u32::try_from(done * 20 / all.max(1)).unwrap_or(20).min(20);
            (format!("reading {} of {}", mb(done), mb(all)), share)
        }
        Step::Inflating(done) => (format!("inflating, {} so far", mb(done)), 30),
        Step::Decoding(bytes) => (format!("decoding {}", mb(bytes)), 50),
        Step::Summing => ("summing costs".to_owned(), 80),
        Step::Unwinding => ("unwinding stacks".to_owned(), 60),
        Step::Resolving(done, all) => {
            let share = u32::try_from(done * 100 / all.max(1)).unwrap_or(100);
            (format!("looking up addresses, library {} of {all}", (done + 1).min(all)), share)
        }
    }
}
