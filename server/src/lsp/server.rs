//! What handlers of messages and commands share: the client, what is shown, and the way to ask for
//! a change of it.

use super::capabilities::Client as ClientInfo;
use super::documents::Documents;
use super::loader::{Answer, Compare, Event};
use super::pictures::Pictures;
use super::to_proto;
use engine::context::Context;
use engine::items::{Direction, Item};
use engine::overrides::{BaselineChoice, Change, Choices, ChosenBaseline};
use engine::query::step::Step;
use engine::query::view::{View, view};
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

/// How long a person may look at a question.
const PERSON_DEADLINE: Duration = Duration::from_secs(3600);
/// How long a client may take to answer a question that no person sees.
const DEADLINE: Duration = Duration::from_secs(10);
/// How many callers or callees a message to a person lists.
const LISTED: usize = 5;

/// The state of a server.
#[derive(Debug)]
pub struct Server {
    /// The editor.
    pub client: Client,
    /// What the editor can do, once it has said so.
    pub capabilities: OnceLock<Arc<ClientInfo>>,
    /// The open documents.
    pub documents: Arc<Documents>,
    /// What is shown.
    pub world: watch::Sender<Arc<World>>,
    /// To the loader.
    pub events: mpsc::UnboundedSender<Event>,
    /// The pictures that were written for the user.
    pub pictures: Arc<Pictures>,
}

impl Server {
    /// A server that has not been initialized, and the events for its loader.
    pub fn new(client: Client) -> (Self, mpsc::UnboundedReceiver<Event>) {
        let (events, loader_events) = mpsc::unbounded_channel();
        let server = Self {
            client,
            capabilities: OnceLock::new(),
            documents: Arc::default(),
            world: watch::Sender::new(Arc::default()),
            events,
            pictures: Arc::default(),
        };
        (server, loader_events)
    }

    /// What the client can do.
    pub fn client_info(&self) -> Arc<ClientInfo> {
        self.capabilities.get().cloned().unwrap_or_default()
    }

    /// What a request sees that arrives now.
    pub fn context(&self) -> Context {
        Context { world: self.world.borrow().clone(), documents: self.documents.now() }
    }

    /// Answers a request from what is shown now, on a thread of its own.
    pub async fn read<T: Send + 'static>(
        &self,
        answer: impl FnOnce(&Context) -> T + Send + 'static,
    ) -> Result<T> {
        self.read_from(self.context(), answer).await
    }

    /// Answers a request from `context`, on a thread of its own.
    pub async fn read_from<T: Send + 'static>(
        &self,
        context: Context,
        answer: impl FnOnce(&Context) -> T + Send + 'static,
    ) -> Result<T> {
        match tokio::task::spawn_blocking(move || answer(&context)).await {
            Ok(answer) => Ok(answer),
            // The guard around all handlers words it.
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        }
    }

    /// Sends an event to the loader.
    pub fn tell(&self, event: Event) {
        let _ = self.events.send(event);
    }

    /// Sends a command to the loader and waits for its outcome; gives the world after it.
    pub async fn change(&self, event: impl FnOnce(Answer) -> Event) -> Result<Arc<World>> {
        let (answer, outcome) = oneshot::channel();
        self.tell(event(answer));
        match outcome.await {
            Ok(Ok(world)) => Ok(world),
            Ok(Err(problem)) => Err(failure(problem)),
            Err(_) => Err(failure("the server is ending".to_owned())),
        }
    }

    /// Brings a choice into effect; gives the view after it.
    pub async fn choose(&self, change: Change) -> Result<View> {
        let world = self.change(|answer| Event::Choose(change, answer)).await?;
        self.view(world).await
    }

    /// Compares with something else from now on, after `choices` are in effect; gives the view
    /// after it.
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
        self.choose(Change::Compared(chosen)).await
    }

    async fn view(&self, world: Arc<World>) -> Result<View> {
        let context = Context { world, ..self.context() };
        self.read_from(context, |context| view(&context.world)).await
    }

    /// Shows the hottest callers or callees to a person whose editor has no view for them.
    pub fn show_to_person(&self, direction: Direction, step: &Step) {
        let shown = step.entries.iter().take(LISTED);
        let entries: Vec<(String, Item)> =
            shown.map(|entry| (entry.text.clone(), entry.item.clone())).collect();
        let what = if direction == Direction::Incoming { "callers" } else { "callees" };
        let can_open = self.client_info().show_document;
        let buttons = entries.iter().filter(|_| can_open).map(|(text, _)| MessageActionItem {
            title: text.clone(),
            properties: HashMap::default(),
        });
        let list: Vec<_> = entries.iter().map(|(text, _)| text.as_str()).collect();
        let message = match (entries.is_empty(), can_open) {
            (true, _) => format!("Costline: no {what}"),
            (false, true) => format!("Costline: {what}"),
            (false, false) => format!("Costline: {what}: {}", list.join(" · ")),
        };
        let params = ShowMessageRequestParams {
            typ: MessageType::INFO,
            message,
            actions: can_open.then(|| buttons.collect()),
        };
        let client = self.client.clone();
        tokio::spawn(async move {
            if !can_open {
                client.show_message(params.typ, params.message).await;
                return;
            }
            let Ok(Some(chosen)) =
                ask::<ShowMessageRequest>(&client, params, PERSON_DEADLINE).await
            else {
                return;
            };
            if let Some((_, item)) = entries.into_iter().find(|(text, _)| *text == chosen.title) {
                let params = ShowDocumentParams {
                    uri: item.uri,
                    external: Some(false),
                    take_focus: Some(true),
                    selection: Some(to_proto::range(item.selection_range)),
                };
                let _ = ask::<ShowDocument>(&client, params, DEADLINE).await;
            }
        });
    }

    /// Opens a document in the program that the system opens it with, where the client can ask for
    /// that.
    pub fn open_outside(&self, uri: Url) {
        if !self.client_info().show_document {
            return;
        }
        let params =
            ShowDocumentParams { uri, external: Some(true), take_focus: None, selection: None };
        let client = self.client.clone();
        tokio::spawn(async move { ask::<ShowDocument>(&client, params, DEADLINE).await });
    }
}

/// A request that cannot be carried out, with a sentence why.
pub fn failure(message: String) -> Error {
    Error { code: ErrorCode::ServerError(-32803), message: message.into(), data: None }
}
