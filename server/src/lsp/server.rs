//! The state that the handlers of messages and commands share, and requests to change that state.

use super::capabilities::Client as ClientInfo;
use super::documents::Documents;
use super::loader::{Answer, Event, RootEvent};
use super::other_profile::OtherProfile;
use super::pictures::Pictures;
use super::to_proto;
use answers::document::path_of;
use answers::text::one_line;
use answers::{
    Caches, CallStep as Step, Context, Copies, Direction, Item, ItemPath, KeptRuns, View,
    ViewChange as Change, World, Worlds, view,
};
use lsp_guard::ask;
use lsp_types::request::{ShowDocument, ShowMessageRequest};
use lsp_types::{
    MessageActionItem, MessageType, ShowDocumentParams, ShowMessageRequestParams, Url,
};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
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

/// The error of a command that is not answered.
const CLOSED: &str = "the server is shutting down, or the workspace folder was removed";

/// The document in front.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Front {
    /// Its URI.
    pub uri: Url,
    /// Its path, canonical if it is open.
    pub path: PathBuf,
}

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
    pub worlds: watch::Sender<Arc<Worlds>>,
    /// The document in front. Requests without a document are about its root.
    pub front: watch::Sender<Option<Front>>,
    /// Whether the client announces the document in front (`costline/activeDocument`).
    announces_front: AtomicBool,
    /// Events for the loader.
    pub events: mpsc::UnboundedSender<RootEvent>,
    /// Flame graphs in the temporary folder.
    pub pictures: Arc<Pictures>,
}

impl Server {
    /// A server that has not been initialized, and the receiver of events for its loader.
    pub fn new(client: Client) -> (Self, mpsc::UnboundedReceiver<RootEvent>) {
        let (events, loader_events) = mpsc::unbounded_channel();
        let server = Self {
            client,
            capabilities: OnceLock::new(),
            documents: Arc::default(),
            caches: Arc::new(Caches::new(Copies::of_user()).with_runs(KeptRuns::of_user())),
            worlds: watch::Sender::new(Arc::default()),
            front: watch::Sender::new(None),
            announces_front: AtomicBool::new(false),
            events,
            pictures: Arc::default(),
        };
        (server, loader_events)
    }

    /// The capabilities of the client.
    pub fn client_info(&self) -> Arc<ClientInfo> {
        self.capabilities.get().cloned().unwrap_or_default()
    }

    /// What a request that arrives now sees if it is not about a document: the root of the document in
    /// front.
    pub fn context(&self) -> Context {
        let worlds = self.worlds.borrow().clone();
        let front = self.front.borrow().clone();
        let world = in_front(&worlds, front.as_ref()).clone();
        let open = self.documents.now();
        let documents = match front {
            Some(front) => open.preferring(&front.uri),
            None => open,
        };
        Context { world, documents }
    }

    /// What a request about another profile sees. Without `other`, the same as [`Self::context`].
    pub async fn context_for(&self, other: Option<OtherProfile>) -> Result<Context> {
        let context = self.context();
        let Some(other) = other else { return Ok(context) };
        let worlds = self.worlds.borrow().clone();
        let has = |world: &&Arc<World>| {
            world.root.as_ref().is_some_and(|root| other.path.starts_with(root))
        };
        let root = worlds.all().find(has).unwrap_or(&context.world).root.clone();
        let open = |answer| Event::Open(Box::new(other), answer);
        let world = self.change_root(root, open).await?;
        Ok(Context { world, ..context })
    }

    /// What a request about a document sees if it arrives now.
    pub fn context_of(&self, uri: &Url) -> Context {
        let worlds = self.worlds.borrow().clone();
        let Some(path) = self.path_of(uri) else { return self.context() };
        let world = worlds.of_file(&path).clone();
        Context { world, documents: self.documents.now().preferring(uri) }
    }

    /// What a request about a call hierarchy item in a document sees if it arrives now. There is no profile
    /// if the folder of the item was removed.
    pub fn context_of_item(&self, uri: Option<&Url>, item: Option<&ItemPath>) -> Context {
        let mut context = self.context_in(item.and_then(|item| item.folder.as_deref()));
        if let Some(uri) = uri {
            context.documents = context.documents.preferring(uri);
        }
        context
    }

    /// What a request about a function sees if it arrives now. `folder` says whose profile has the
    /// function, if there are several. There is no profile if the folder was removed.
    pub fn context_in(&self, folder: Option<&Path>) -> Context {
        let mut context = self.context();
        if let Some(folder) = folder {
            context.world = self.worlds.borrow().of_root(folder).cloned().unwrap_or_default();
        }
        context
    }

    /// Handles that the client announces the document in front.
    pub fn activates(&self, uri: &Url) {
        self.announces_front.store(true, Ordering::Relaxed);
        self.set_front(uri);
    }

    /// Handles that the user opens a document, edits it, or asks about a position in it. It is in
    /// front, unless the client announces which one is.
    pub fn works_on(&self, uri: &Url) {
        if !self.announces_front.load(Ordering::Relaxed) {
            self.set_front(uri);
        }
    }

    fn set_front(&self, uri: &Url) {
        if let Some(path) = self.path_of(uri) {
            self.front.send_if_modified(|front| {
                let new = Some(Front { uri: uri.clone(), path });
                let is_new = *front != new;
                *front = new;
                is_new
            });
        }
    }

    /// The path of a document, canonical if it is open. `None` if it is not a file.
    pub fn path_of(&self, uri: &Url) -> Option<PathBuf> {
        match self.documents.now().get(uri) {
            Some(document) => Some(document.path.clone()),
            None => path_of(uri),
        }
    }

    /// Answers a request about a document, on another thread.
    pub async fn read_document<T: Send + 'static>(
        &self,
        uri: &Url,
        answer: impl FnOnce(&Context) -> T + Send + 'static,
    ) -> Result<T> {
        self.documents.resolved(uri).await;
        self.read_from(self.context_of(uri), answer).await
    }

    /// Resolves the links in the path of a document that was just opened. If the disk does not
    /// respond, this ends earlier.
    pub async fn resolve(&self, uri: &Url) {
        let (documents, front, opened) = (self.documents.clone(), self.front.clone(), uri.clone());
        tokio::task::spawn_blocking(move || {
            if let Some((given, canonical)) = documents.resolve(&opened) {
                front.send_if_modified(|front| {
                    let of_document = front.as_mut().filter(|front| front.path == given);
                    let is_new = of_document.is_some();
                    if let Some(front) = of_document {
                        front.path = canonical;
                    }
                    is_new
                });
            }
        });
        self.documents.resolved(uri).await;
    }

    /// Answers a request without a document, on another thread.
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

    /// Sends an event that is not a command to the loader.
    pub fn send(&self, event: Event) {
        let _ = self.events.send(event.into());
    }

    /// Sends a command for the root of the document in front to the loader, waits for its outcome
    /// and returns the world after it.
    pub async fn change(&self, event: impl FnOnce(Answer) -> Event) -> Result<Arc<World>> {
        let root = self.context().world.root.clone();
        self.change_root(root, event).await
    }

    /// Like [`Self::change`], for `root`.
    async fn change_root(
        &self,
        root: Option<PathBuf>,
        event: impl FnOnce(Answer) -> Event,
    ) -> Result<Arc<World>> {
        let (answer, outcome) = oneshot::channel();
        let _ = self.events.send(RootEvent { root, event: event(answer) });
        match outcome.await {
            Ok(Ok(world)) => Ok(world),
            Ok(Err(problem)) => Err(failure(problem)),
            Err(_) => Err(failure(CLOSED.to_owned())),
        }
    }

    /// Applies a choice and returns the view after it.
    pub async fn choose(&self, change: Change) -> Result<View> {
        let world = self.change(|answer| Event::Choose(Box::new(change), answer)).await?;
        self.view(world).await
    }

    async fn view(&self, world: Arc<World>) -> Result<View> {
        let context = Context { world, ..self.context() };
        self.view_of(context).await
    }

    /// The view of a root.
    pub async fn view_of(&self, context: Context) -> Result<View> {
        let mut view = self.read_from(context, |context| view(&context.world)).await?;
        view.shown.state = answers::state::of_all(&self.worlds.borrow());
        Ok(view)
    }

    /// Shows the hottest callers or callees in a message, for editors without a view for them. If
    /// the client can open documents, the message has a button for each.
    pub fn show_in_message(&self, direction: Direction, step: &Step) {
        let what = if direction == Direction::Incoming { "callers" } else { "callees" };
        let item = step.of.as_ref().and_then(|of| of.item.as_ref());
        let of = item.map_or_else(String::new, |item| format!(" of {}", one_line(&item.data.name)));
        let entries: Vec<(String, Item)> = step
            .entries
            .iter()
            // The last row may be no function.
            .filter(|entry| !entry.item.data.path.is_empty())
            .take(MAX_LISTED)
            .map(|entry| (entry.text.clone(), entry.item.clone()))
            .collect();
        let client = self.client.clone();
        if entries.is_empty() {
            let message = format!("Costline: no {what}{of}");
            tokio::spawn(async move { client.show_message(MessageType::INFO, message).await });
        } else if self.client_info().show_document {
            let message = format!("Costline: {what}{of}");
            tokio::spawn(async move { offer(&client, message, entries).await });
        } else {
            let texts: Vec<_> = entries.into_iter().map(|(text, _)| text).collect();
            let message = format!("Costline: {what}{of}: {}", texts.join(" · "));
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

/// The world of the root of the document in front; without one, that with the newest profile.
pub fn in_front<'w>(worlds: &'w Worlds, front: Option<&Front>) -> &'w Arc<World> {
    front.map_or_else(|| worlds.newest(), |front| worlds.of_file(&front.path))
}

/// Shows a message with a button for each entry, and opens the document of the one that the user
/// clicks.
async fn offer(client: &Client, message: String, entries: Vec<(String, Item)>) {
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
