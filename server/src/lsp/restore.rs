//! Restores the choices of an earlier session from the `state` that the client kept.

use super::loader::{Answer, Event, RootEvent, WantedBaseline};
use answers::{Choices, ChosenBaseline, Given, SavedState as State, ViewChange as Change, World};
use lsp_types::MessageType;
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};
use tower_lsp::Client;

/// What is restored, for messages.
const STATE: &str = "`state`";

/// Removes `state` from the options of `initialize` and parses it; the second value is a warning if
/// it is invalid.
pub fn take(options: &mut Value) -> (Option<State>, Option<String>) {
    let given = options.as_object_mut().and_then(|options| options.remove("state"));
    let parsed = match given {
        None | Some(Value::Null) => return (None, None),
        Some(Value::String(text)) => answers::state::parse(&text),
        Some(_) => Err("`state` is not a string".to_owned()),
    };
    match parsed {
        Ok(state) => (Some(state), None),
        Err(problem) => {
            (None, Some(format!("initializationOptions: {problem}; `state` is ignored")))
        }
    }
}

/// Sends the choices to the loader. Those that cannot be restored are logged; those for folders
/// that are no longer open are dropped.
pub fn restore(
    state: State,
    roots: &[PathBuf],
    client: &Client,
    events: &mpsc::UnboundedSender<RootEvent>,
) {
    let State { others, .. } = state.clone();
    for state in std::iter::once(state).chain(others) {
        if state.root.as_ref().is_none_or(|root| roots.contains(root)) {
            restore_root(state, client, events);
        }
    }
}

fn restore_root(mut state: State, client: &Client, events: &mpsc::UnboundedSender<RootEvent>) {
    let root = state.root.take();
    let compare = match &state.overrides.baseline {
        None => None,
        Some(ChosenBaseline::Nothing) => Some(WantedBaseline::Nothing),
        Some(chosen) => chosen.file().map(|path| WantedBaseline::with(path.to_owned())),
    };
    if compare.is_none() && state.overrides.baseline.take().is_some() {
        log(client, STATE, "the baseline has been rewritten");
    }
    send(client, events, root.clone(), STATE, |answer| {
        Event::Choose(Box::new(Change::Restore(state.overrides)), answer)
    });
    if !state.profiles.is_empty() {
        let choices = Choices { profiles: Given::Set(state.profiles), ..Choices::default() };
        send(client, events, root.clone(), "the selected profile", |answer| {
            Event::Choose(Box::new(Change::Set(choices)), answer)
        });
    }
    if let Some(with) = compare {
        send(client, events, root, "the baseline", |answer| Event::Compare(with, answer));
    }
}

/// Sends an event that restores `what`, and logs its error, if any.
fn send(
    client: &Client,
    events: &mpsc::UnboundedSender<RootEvent>,
    root: Option<PathBuf>,
    what: &'static str,
    event: impl FnOnce(Answer) -> Event,
) {
    let (answer, outcome) = oneshot::channel::<Result<Arc<World>, String>>();
    let _ = events.send(RootEvent { root, event: event(answer) });
    let client = client.clone();
    tokio::spawn(async move {
        if let Ok(Err(problem)) = outcome.await {
            log(&client, what, &problem);
        }
    });
}

fn log(client: &Client, what: &str, problem: &str) {
    let client = client.clone();
    let message = format!("costline: cannot restore {what}: {problem}");
    tokio::spawn(async move {
        client.log_message(MessageType::WARNING, message).await;
    });
}
