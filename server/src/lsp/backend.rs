//! The table of contents of the server: one method per message.
//!
//! Notifications change state before their first `await`, so they are applied in order. Requests
//! take a [`Context`](answers::Context) when they arrive and compute on another thread.

use super::active_document::ActiveDocument;
use super::capabilities::{self, Client as ClientInfo};
use super::command;
use super::content::{Content, ContentParams, content};
use super::from_proto;
use super::server::Server;
use super::{
    call_hierarchy, changed, code_action, code_lens, diagnostics, hover, inlay_hint,
    problem_messages, progress, refresh, restore, saved_view, symbol, watched_files,
    watched_settings,
};
use crate::lsp::loader::{Event, Loader, RootEvent};
use answers::document::path_of;
use answers::{Key, SavedState as State, Settings, World, Worlds};
use lsp_guard::ask;
use lsp_types::request::WorkspaceConfiguration;
use lsp_types::{
    CallHierarchyIncomingCall, CallHierarchyIncomingCallsParams, CallHierarchyItem,
    CallHierarchyOutgoingCall, CallHierarchyOutgoingCallsParams, CallHierarchyPrepareParams,
    CodeActionParams, CodeActionResponse, CodeLens, CodeLensParams, ConfigurationItem,
    ConfigurationParams, DidChangeConfigurationParams, DidChangeTextDocumentParams,
    DidChangeWatchedFilesParams, DidChangeWorkspaceFoldersParams, DidCloseTextDocumentParams,
    DidOpenTextDocumentParams, DidSaveTextDocumentParams, ExecuteCommandParams, Hover, HoverParams,
    InitializeParams, InitializeResult, InitializedParams, InlayHint, InlayHintParams, MessageType,
    ServerInfo, SymbolInformation, Url, WorkDoneProgressCancelParams, WorkspaceSymbolParams,
};
use serde_json::Value;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tower_lsp::jsonrpc::Result;
use tower_lsp::{Client, LanguageServer, async_trait};

/// How long to wait for the client's settings before profiles are shown without them.
const FIRST_SETTINGS: Duration = Duration::from_secs(2);
/// How long to wait for the client's settings at all.
const SETTINGS_DEADLINE: Duration = Duration::from_secs(120);

/// The language server.
pub struct Backend {
    server: Server,
    /// Documents that were opened, edited or closed, for [`diagnostics::run`].
    edited: mpsc::UnboundedSender<Url>,
    saver: Arc<saved_view::Saver>,
    /// `None` once the loader was started.
    start: Mutex<Option<Start>>,
    /// Whether the client gave its `state`, which takes precedence over saved choices.
    has_state: OnceLock<bool>,
    /// The options of `initialize`: the settings of a client that has no others.
    options: OnceLock<Value>,
    pulls: Arc<Pulls>,
    started: Instant,
}

/// What `initialize` keeps for `initialized`, which starts the loader.
struct Start {
    events: mpsc::UnboundedReceiver<RootEvent>,
    /// The documents that were opened, edited or closed.
    edited: mpsc::UnboundedReceiver<Url>,
    /// Warnings about the options of `initialize`.
    warnings: Vec<String>,
    /// The choices of an earlier session.
    state: Option<State>,
}

/// The requests for the client's settings, by number.
#[derive(Debug, Default)]
struct Pulls {
    last: AtomicU64,
    /// The last one that was answered.
    answered: Mutex<u64>,
}

impl Pulls {
    /// The number of a new request.
    fn next(&self) -> u64 {
        self.last.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Applies the answer to a request, unless a later one was answered before.
    fn answered<T>(&self, number: u64, apply: impl FnOnce() -> T) {
        let mut answered = self.answered.lock().unwrap_or_else(PoisonError::into_inner);
        if *answered < number {
            *answered = number;
            apply();
        }
    }
}

/// How long after the start of the server the first requests of a client without refresh wait for
/// costs.
const FIRST_COSTS: Duration = Duration::from_secs(2);

impl Backend {
    /// A server that has not been initialized.
    pub fn new(client: Client) -> Self {
        let (server, events) = Server::new(client);
        let (edited, received) = mpsc::unbounded_channel();
        let start = Start { events, edited: received, warnings: Vec::new(), state: None };
        let saver = Arc::new(saved_view::Saver::of_user());
        let (start, started) = (Mutex::new(Some(start)), Instant::now());
        Self {
            server,
            edited,
            saver,
            start,
            has_state: OnceLock::new(),
            options: OnceLock::new(),
            pulls: Arc::default(),
            started,
        }
    }

    /// Waits for the first profile of a document if the client does not support refresh. Such clients send a
    /// request when a document is opened and not again before it is edited or scrolled, so an
    /// empty answer would stay on the screen. Waits until [`FIRST_COSTS`] at most.
    async fn first_costs(&self, uri: &Url, supports_refresh: bool) {
        if supports_refresh {
            return;
        }
        self.server.documents.resolved(uri).await;
        if let Some(path) = self.server.path_of(uri) {
            let mut worlds = self.server.worlds.subscribe();
            let loaded = worlds.wait_for(|worlds| worlds.has_costs(&path));
            let _ = tokio::time::timeout_at(self.started + FIRST_COSTS, loaded).await;
        }
    }

    /// Restores the choices that were saved for a folder that has just become a root.
    async fn restore_saved(&self, root: PathBuf) {
        if self.has_state.get() != Some(&false) {
            return;
        }
        let (saver, roots) = (self.saver.clone(), vec![root]);
        let read = tokio::task::spawn_blocking(move || Some((saver.read(&roots)?, roots))).await;
        if let Ok(Some((state, roots))) = read {
            restore::restore(state, &roots, &self.server.client, &self.server.events);
        }
    }

    /// Requests the settings from the client (`workspace/configuration`) and applies them, however late
    /// they come, unless a later request was answered before. If there is no answer, applies
    /// `announced`. If the client answers that it has no settings, applies `announced` or else
    /// `options`.
    fn pull_settings(&self, announced: Option<Value>, options: Option<Value>) -> JoinHandle<()> {
        let (client, events) = (self.server.client.clone(), self.server.events.clone());
        let pulls = self.pulls.clone();
        let number = pulls.next();
        tokio::spawn(async move {
            let section = Some("costline".to_owned());
            let items = vec![ConfigurationItem { scope_uri: None, section }];
            let params = ConfigurationParams { items };
            let answer = ask::<WorkspaceConfiguration>(&client, params, SETTINGS_DEADLINE).await;
            let is_set = |settings: &Value| settings.as_object().is_some_and(|it| !it.is_empty());
            let settings = match answer {
                Ok(answer) => answer.into_iter().next().filter(is_set).or(announced).or(options),
                Err(_) => announced,
            };
            if let Some(settings) = settings {
                pulls.answered(number, || events.send(Event::Settings(settings).into()));
            }
        })
    }

    /// `window/workDoneProgress/cancel`.
    #[expect(clippy::unused_async, reason = "the shape of a handler")]
    pub async fn cancel_progress(&self, params: WorkDoneProgressCancelParams) {
        if let Some(number) = progress::number(&params.token) {
            self.server.send(Event::Cancel(number));
        }
    }

    /// `costline/activeDocument`: the user works on another document.
    #[expect(clippy::unused_async, reason = "the shape of a handler")]
    pub async fn active_document(&self, params: ActiveDocument) {
        self.server.activates(&params.uri);
    }

    /// `costline/textDocumentContent`: the text of a `costline:` document.
    pub async fn text_document_content(&self, params: ContentParams) -> Result<Content> {
        let folder = Key::from_uri(&params.uri).and_then(|(_, folder)| folder);
        let context = self.server.context_in(folder.as_deref());
        self.server.read_from(context, move |context| content(context, &params)).await
    }

    /// Handles that a document was opened or saved: the next profile may be recorded from the text on
    /// disk. Files outside the roots are not read.
    fn saved(&self, uri: &Url) {
        let Some(document) = self.server.documents.now().get(uri).cloned() else { return };
        let world = self.server.worlds.borrow().first().clone();
        let caches = self.server.caches.clone();
        // The disk may be a network mount that does not answer.
        tokio::task::spawn_blocking(move || {
            let roots = world.settings.costs().sources.roots(&world.roots).into_iter();
            if roots
                .filter_map(|root| root.path.canonicalize().ok())
                .any(|root| document.path.starts_with(root))
            {
                let _ = caches.texts.disk.now(&document.path);
            }
        });
    }

    /// Handles that a document was opened: it may have been created or moved since the sources were
    /// listed.
    fn look_for_source(&self, uri: &Url) {
        let Some(document) = self.server.documents.now().get(uri).cloned() else { return };
        let (worlds, events) = (self.server.worlds.borrow().clone(), self.server.events.clone());
        // The disk may be a network mount that does not answer.
        tokio::task::spawn_blocking(move || {
            let mut indexes = worlds.all().filter_map(|world| world.index.as_ref());
            if indexes.any(|index| index.is_new(&document.path)) {
                let _ = events.send(Event::SourceAdded.into());
            }
        });
    }
}

#[async_trait]
impl LanguageServer for Backend {
    async fn initialize(&self, params: InitializeParams) -> Result<InitializeResult> {
        let info = Arc::new(ClientInfo::new(&params));
        let folders = params.workspace_folders.unwrap_or_default();
        let mut roots: Vec<PathBuf> =
            folders.iter().filter_map(|open| path_of(&open.uri)).collect();
        if roots.is_empty() {
            roots.extend(params.root_uri.as_ref().and_then(path_of));
        }
        let mut options = params.initialization_options.unwrap_or_default();
        let (state, problem) = restore::take(&mut options);
        let (settings, mut ignored) = Settings::parse(&options);
        ignored.extend(answers::named_views::problems(&settings));
        let warnings = ignored.iter().cloned().chain(problem).collect();
        let _ = self.has_state.set(state.is_some());
        let _ = self.options.set(options);
        if let Some(start) = &mut *self.start.lock().unwrap_or_else(PoisonError::into_inner) {
            start.warnings = warnings;
            start.state = state;
        }
        let world = World { settings: Arc::new(settings), roots, ignored, ..World::default() };
        self.server.worlds.send_replace(Arc::new(Worlds::new(0, vec![(None, Arc::new(world))])));
        let capabilities =
            capabilities::server(info.encoding, command::names(), code_action::kinds());
        let _ = self.server.capabilities.set(info);
        let version = Some(env!("CARGO_PKG_VERSION").to_owned());
        Ok(InitializeResult {
            capabilities,
            server_info: Some(ServerInfo { name: "costline".to_owned(), version }),
        })
    }

    async fn initialized(&self, _: InitializedParams) {
        let start = self.start.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(Start { events, edited, warnings, state }) = start else { return };
        let (client, info, worlds) =
            (self.server.client.clone(), self.server.client_info(), self.server.worlds.clone());
        tokio::spawn(refresh::run(client.clone(), info.refreshes, worlds.subscribe()));
        if info.abilities.diagnostics {
            let documents = self.server.documents.clone();
            tokio::spawn(diagnostics::run(client.clone(), documents, worlds.subscribe(), edited));
        }
        if info.changed {
            tokio::spawn(changed::run(
                client.clone(),
                worlds.subscribe(),
                self.server.front.subscribe(),
            ));
        } else {
            tokio::spawn(problem_messages::run(client.clone(), worlds.subscribe()));
        }
        if info.watched_files {
            tokio::spawn(watched_files::run(client.clone(), worlds.subscribe()));
        }
        if info.watched_settings {
            tokio::spawn(watched_settings::register(client.clone()));
        }
        tokio::spawn(saved_view::run(self.saver.clone(), worlds.subscribe()));
        let caches = self.server.caches.clone();
        let roots = worlds.borrow().first().roots.clone();
        let loader = Loader::new(client.clone(), info.abilities, caches, worlds, events);
        let events = self.server.events.clone();
        let saver = self.saver.clone();
        let pulled = info.configuration.then(|| self.pull_settings(None, None));
        tokio::spawn(async move {
            for warning in warnings {
                client.log_message(MessageType::WARNING, format!("costline: {warning}")).await;
            }
            // Before the loader runs, so that the first costs shown respect the settings.
            if let Some(pulled) = pulled {
                let _ = tokio::time::timeout(FIRST_SETTINGS, pulled).await;
            }
            // What the client kept takes precedence over what the server saved.
            let state = if state.is_some() {
                state
            } else {
                let roots = roots.clone();
                let saved = tokio::task::spawn_blocking(move || saver.read(&roots)).await;
                saved.ok().flatten()
            };
            if let Some(state) = state {
                restore::restore(state, &roots, &client, &events);
            }
            // The loader ends when all senders are dropped.
            drop(events);
            loader.run().await;
        });
    }

    async fn shutdown(&self) -> Result<()> {
        // A client may exit before the task has saved the last change.
        let (saver, worlds) = (self.saver.clone(), self.server.worlds.borrow().clone());
        let _ = tokio::task::spawn_blocking(move || saver.save(&worlds)).await;
        Ok(())
    }

    async fn did_open(&self, params: DidOpenTextDocumentParams) {
        let document = params.text_document;
        self.server.documents.open(
            document.uri.clone(),
            document.version,
            &document.text,
            self.server.client_info().encoding,
        );
        self.server.works_on(&document.uri);
        self.server.resolve(&document.uri).await;
        // Without a workspace folder, use the project that contains the first opened file.
        if self.server.worlds.borrow().first().roots.is_empty()
            && let Some(path) = path_of(&document.uri)
        {
            // The disk may be a network mount that does not answer.
            let root = tokio::task::spawn_blocking(move || answers::project_above(&path)).await;
            if let Ok(Some(root)) = root {
                // Another document may be first.
                self.server.send(Event::Project(root.clone()));
                self.restore_saved(root).await;
            }
        }
        self.saved(&document.uri);
        self.look_for_source(&document.uri);
        let _ = self.edited.send(document.uri);
    }

    async fn did_change(&self, params: DidChangeTextDocumentParams) {
        let document = params.text_document;
        self.server.documents.change(&document.uri, document.version, &params.content_changes);
        self.server.works_on(&document.uri);
        let _ = self.edited.send(document.uri);
    }

    async fn did_save(&self, params: DidSaveTextDocumentParams) {
        self.saved(&params.text_document.uri);
    }

    async fn did_close(&self, params: DidCloseTextDocumentParams) {
        let uri = params.text_document.uri;
        self.server.documents.close(&uri);
        // Diagnostics are about the text in the editor, which may not have been saved.
        let _ = self.edited.send(uri);
    }

    async fn did_change_configuration(&self, params: DidChangeConfigurationParams) {
        let announced = Settings::section(&params.settings).cloned();
        if self.server.client_info().configuration {
            self.pull_settings(announced, self.options.get().cloned());
        } else if let Some(settings) = announced {
            self.server.send(Event::Settings(settings));
        }
    }

    async fn did_change_workspace_folders(&self, params: DidChangeWorkspaceFoldersParams) {
        let folders = |folders: Vec<lsp_types::WorkspaceFolder>| {
            folders.iter().filter_map(|open| path_of(&open.uri)).collect::<Vec<PathBuf>>()
        };
        let (added, removed) = (folders(params.event.added), folders(params.event.removed));
        self.server.send(Event::Roots { added: added.clone(), removed });
        for root in added {
            self.restore_saved(root).await;
        }
    }

    async fn did_change_watched_files(&self, _: DidChangeWatchedFilesParams) {
        self.server.send(Event::FilesChanged);
    }

    async fn inlay_hint(&self, params: InlayHintParams) -> Result<Option<Vec<InlayHint>>> {
        let uri = params.text_document.uri.clone();
        self.first_costs(&uri, self.server.client_info().refreshes.hints).await;
        self.server
            .read_document(&uri, move |context| Some(inlay_hint::hints(context, &params)))
            .await
    }

    async fn inlay_hint_resolve(&self, hint: InlayHint) -> Result<InlayHint> {
        match inlay_hint::uri(&hint) {
            Some(uri) => {
                self.server
                    .read_document(&uri, move |context| inlay_hint::resolve(context, hint))
                    .await
            }
            None => Ok(hint),
        }
    }

    async fn code_action(&self, params: CodeActionParams) -> Result<Option<CodeActionResponse>> {
        let literals = self.server.client_info().code_action_literals;
        let uri = params.text_document.uri.clone();
        self.server.works_on(&uri);
        self.server
            .read_document(&uri, move |context| {
                Some(code_action::actions(context, &params, literals))
            })
            .await
    }

    async fn code_lens(&self, params: CodeLensParams) -> Result<Option<Vec<CodeLens>>> {
        let uri = params.text_document.uri.clone();
        let client = self.server.client_info();
        self.first_costs(&uri, client.refreshes.lenses).await;
        let records = client.record;
        self.server
            .read_document(&uri, move |context| Some(code_lens::lenses(context, &params, records)))
            .await
    }

    async fn hover(&self, params: HoverParams) -> Result<Option<Hover>> {
        let markup = self.server.client_info().markup;
        let uri = params.text_document_position_params.text_document.uri.clone();
        self.server.works_on(&uri);
        self.server.read_document(&uri, move |context| hover::hover(context, &params, markup)).await
    }

    async fn prepare_call_hierarchy(
        &self,
        params: CallHierarchyPrepareParams,
    ) -> Result<Option<Vec<CallHierarchyItem>>> {
        let uri = params.text_document_position_params.text_document.uri.clone();
        self.server.works_on(&uri);
        self.server
            .read_document(&uri, move |context| call_hierarchy::prepare(context, &params))
            .await
    }

    async fn incoming_calls(
        &self,
        params: CallHierarchyIncomingCallsParams,
    ) -> Result<Option<Vec<CallHierarchyIncomingCall>>> {
        let path = from_proto::item_path(&params.item);
        let context = self.server.context_of_item(Some(&params.item.uri), path.as_ref());
        let answer = move |context: &_| Some(call_hierarchy::incoming(context, &params.item));
        self.server.read_from(context, answer).await
    }

    async fn outgoing_calls(
        &self,
        params: CallHierarchyOutgoingCallsParams,
    ) -> Result<Option<Vec<CallHierarchyOutgoingCall>>> {
        let path = from_proto::item_path(&params.item);
        let context = self.server.context_of_item(Some(&params.item.uri), path.as_ref());
        let answer = move |context: &_| Some(call_hierarchy::outgoing(context, &params.item));
        self.server.read_from(context, answer).await
    }

    async fn symbol(
        &self,
        params: WorkspaceSymbolParams,
    ) -> Result<Option<Vec<SymbolInformation>>> {
        self.server.read(move |context| symbol::symbols(context, &params)).await
    }

    async fn execute_command(&self, params: ExecuteCommandParams) -> Result<Option<Value>> {
        command::execute(&self.server, &params.command, &params.arguments).await.map(Some)
    }
}
