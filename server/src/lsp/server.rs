//! The state that the handlers of messages and commands share, and requests for changes of it.

use super::capabilities::Client as ClientInfo;
use super::documents::Documents;
use super::loader::{Answer, Compare, Event};
use super::pictures::Pictures;
use super::to_proto;
use engine::context::Context;
use engine::items::{Direction, Item};
use engine::load::Caches;
use engine::overrides::{BaselineChoice, Change, Choices, ChosenBaseline};
use engine::query::step::Step;
use engine::query::view::{View, view};
use engine::recorded_texts::Copies;
use engine::world::World;
use lsp_guard::ask;
use lsp_types::request::{ShowDocument, ShowMessageRequest};
use lsp_types::{
    MessageActionItem, MessageType, ShowDocumentParams, ShowMessageRequestParams, Url,
};
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot, watch};
use tower_lsp::Client;
use tower_lsp::jsonrpc::{Error, ErrorCode, Result};

/// How long to wait for the user to answer a question.
const USER_DEADLINE: Duration = Duration::from_secs(3600);
/// How long to wait for the client to reply to a request that the user does not see.
const DEADLINE: Duration = Duration::from_secs(10);
/// The maximum number of callers or callees in a message to the user.
const MAX_LISTED: usize = 5;

/// The state of a server.
#[derive(Debug)]
pub struct Server {
    /// The editor.
    pub client: Client,
    /// The capabilities of the editor; empty before `initialize`.
    pub capabilities: OnceLock<Arc<ClientInfo>>,
    /// The open documents.
    pub documents: Arc<Documents>,
    /// The caches of all loads.
    pub caches: Arc<Caches>,
    /// What requests see now.
    pub world: watch::Sender<Arc<World>>,
    /// Events for the loader.
    pub events: mpsc::UnboundedSender<Event>,
    /// Flame graphs in the temporary folder.
    pub pictures: Arc<Pictures>,
}

impl Server {
    /// A server that has not been initialized, and the receiver of events for its loader.
    pub fn new(client: Client) -> (Self, mpsc::UnboundedReceiver<Event>) {
        let (events, loader_events) = mpsc::unbounded_channel();
        let server = Self {
            client,
            capabilities: OnceLock::new(),
            documents: Arc::default(),
            caches: Arc::new(Caches::new(Copies::of_user())),
            world: watch::Sender::new(Arc::default()),
            events,
            pictures: Arc::default(),
        };
        (server, loader_events)
    }

    /// The capabilities of the client.
    pub fn client_info(&self) -> Arc<ClientInfo> {
        self.capabilities.get().cloned().unwrap_or_default()
    }

    /// What a request that arrives now sees.
    pub fn context(&self) -> Context {
        Context { world: self.world.borrow().clone(), documents: self.documents.now() }
    }

    /// Answers a request from what is shown now, on another thread.
    pub async fn read<T: Send + 'static>(
        &self,
        answer: impl FnOnce(&Context) -> T + Send + 'static,
    ) -> Result<T> {
        self.read_from(self.context(), answer).await
    }

    /// Answers a request from `context`, on another thread.
    pub async fn read_from<T: Send + 'static>(
        &self,
        context: Context,
        answer: impl FnOnce(&Context) -> T + Send + 'static,
    ) -> Result<T> {
        match tokio::task::spawn_blocking(move || answer(&context)).await {
            Ok(answer) => Ok(answer),
            // `lsp_guard` turns the panic into an error response.
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        }
    }

    /// Sends an event to the loader.
    pub fn send(&self, event: Event) {
        let _ = self.events.send(event);
    }

    /// Sends a command to the loader, waits for its outcome and returns the world after it.
    pub async fn change(&self, event: impl FnOnce(Answer) -> Event) -> Result<Arc<World>> {
        let (answer, outcome) = oneshot::channel();
        self.send(event(answer));
        match outcome.await {
            Ok(Ok(world)) => Ok(world),
            Ok(Err(problem)) => Err(failure(problem)),
            Err(_) => Err(failure("the server is shutting down".to_owned())),
        }
    }

    /// Applies a choice and returns the view after it.
    pub async fn choose(&self, change: Change) -> Result<View> {
        let world = self.change(|answer| Event::Choose(change, answer)).await?;
        self.view(world).await
    }

    /// Applies `choices`, then sets or removes the baseline, and returns the view after it.
    pub async fn compare(
        &self,
        choices: Choices,
        baseline: Option<BaselineChoice>,
    ) -> Result<View> {
        self.change(|answer| Event::Choose(Change::Set(choices), answer)).await?;
        let with = match &baseline {
            Some(BaselineChoice::Path(path)) => Compare::With(path.clone()),
            Some(BaselineChoice::Shown(true)) => Compare::Shown,
            Some(BaselineChoice::Shown(false)) | None => Compare::Nothing,
        };
        let world = self.change(|answer| Event::Compare(with, answer)).await?;
        let shown = world.snapshot().map(Arc::as_ref);
        let chosen = ChosenBaseline::new(baseline.as_ref(), shown);
        self.choose(Change::SetBaseline(chosen)).await
    }

    async fn view(&self, world: Arc<World>) -> Result<View> {
        let context = Context { world, ..self.context() };
        self.read_from(context, |context| view(&context.world)).await
    }

    /// Shows the hottest callers or callees in a message, for editors without a view for them. If
    /// the client can open documents, the message has a button for each.
    pub fn show_in_message(&self, direction: Direction, step: &Step) {
        let what = if direction == Direction::Incoming { "callers" } else { "callees" };
        let entries: Vec<(String, Item)> = step
            .entries
            .iter()
            .take(MAX_LISTED)
            .map(|entry| (entry.text.clone(), entry.item.clone()))
            .collect();
        let client = self.client.clone();
        if self.client_info().show_document {
            tokio::spawn(async move { offer(&client, what, entries).await });
        } else {
            let message = if entries.is_empty() {
                format!("Costline: no {what}")
            } else {
                let texts: Vec<_> = entries.into_iter().map(|(text, _)| text).collect();
                format!("Costline: {what}: {}", texts.join(" · "))
            };
            tokio::spawn(async move { client.show_message(MessageType::INFO, message).await });
        }
    }

    /// Opens a document in the default program of the system, if the client supports it.
    pub fn open_externally(&self, uri: Url) {
        if !self.client_info().show_document {
            return;
        }
        let params =
            ShowDocumentParams { uri, external: Some(true), take_focus: None, selection: None };
        let client = self.client.clone();
        tokio::spawn(async move { ask::<ShowDocument>(&client, params, DEADLINE).await });
    }
}

/// Shows a message with a button for each entry, and opens the document of the one that the user
/// clicks.
async fn offer(client: &Client, what: &str, entries: Vec<(String, Item)>) {
    let message = match entries.as_slice() {
        [] => format!("Costline: no {what}"),
        _ => format!("Costline: {what}"),
    };
    let button =
        |text: &String| MessageActionItem { title: text.clone(), properties: HashMap::default() };
    let params = ShowMessageRequestParams {
        typ: MessageType::INFO,
        message,
        actions: Some(entries.iter().map(|(text, _)| button(text)).collect()),
    };
    let Ok(Some(clicked)) = ask::<ShowMessageRequest>(client, params, USER_DEADLINE).await else {
        return;
    };
    if let Some((_, item)) = entries.into_iter().find(|(text, _)| *text == clicked.title) {
        let params = ShowDocumentParams {
            uri: item.uri,
            external: Some(false),
            take_focus: Some(true),
            selection: Some(to_proto::range(item.selection_range)),
        };
        let _ = ask::<ShowDocument>(client, params, DEADLINE).await;
    }
}

/// The error response `RequestFailed` (-32803) with the reason.
pub fn failure(message: String) -> Error {
    Error { code: ErrorCode::ServerError(-32803), message: message.into(), data: None }
}
