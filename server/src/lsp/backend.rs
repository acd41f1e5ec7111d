//! The server's table of contents: one line per message, and the few things that need more than what a request sees.
//!
//! Messages that change state have changed it before their first `await`, so they are applied in order. Requests take a
//! [`Context`] when they arrive and compute on another thread.

use super::capabilities::{self, Client as ClientInfo};
use super::command::{self, Command, profiles, view};
use super::context::Context;
use super::flamegraph::Pictures;
use super::outgoing::ask;
use super::{call_hierarchy, call_tree, changed, code_lens, diagnostics, flamegraph, from_proto, hover, inlay_hint, symbol};
use crate::session::chosen::{Change, Pick};
use crate::session::config::Config;
use crate::session::documents::Documents;
use crate::session::loader::{Answer, Event, Loader};
use crate::session::world::World;
use crate::session::{progress, refresh, roots, snapshot};
use lsp_types::request::{RegisterCapability, ShowDocument, ShowMessageRequest, WorkspaceConfiguration};
use lsp_types::{
    CallHierarchyIncomingCall, CallHierarchyIncomingCallsParams, CallHierarchyItem, CallHierarchyOutgoingCall,
    CallHierarchyOutgoingCallsParams, CallHierarchyPrepareParams, CodeLens, CodeLensParams, ConfigurationItem,
    ConfigurationParams, DidChangeConfigurationParams, DidChangeTextDocumentParams, DidChangeWatchedFilesParams,
    DidChangeWatchedFilesRegistrationOptions, DidChangeWorkspaceFoldersParams, DidCloseTextDocumentParams,
    DidOpenTextDocumentParams, DidSaveTextDocumentParams, ExecuteCommandParams, FileSystemWatcher, GlobPattern, Hover,
    HoverParams, InitializeParams, InitializeResult, InitializedParams, InlayHint, InlayHintParams, MessageActionItem,
    MessageType, Registration, RegistrationParams, ServerInfo, ShowDocumentParams, ShowMessageRequestParams, SymbolInformation,
    Url, WorkDoneProgressCancelParams, WorkspaceSymbolParams,
};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::Instant;
use tower_lsp::jsonrpc::{Error, ErrorCode, Result};
use tower_lsp::{Client, LanguageServer, async_trait};

/// How long the client may take to tell its settings before its profiles are shown without them.
const SETTINGS_DEADLINE: Duration = Duration::from_secs(2);
/// How long a person may look at a question.
const PERSON_DEADLINE: Duration = Duration::from_secs(3600);
const DEADLINE: Duration = Duration::from_secs(10);

/// The language server.
pub struct Backend {
    client: Client,
    client_info: OnceLock<Arc<ClientInfo>>,
    documents: Arc<Documents>,
    world: watch::Sender<Arc<World>>,
    events: mpsc::UnboundedSender<Event>,
    /// Until the loader is started with it.
    loader_events: Mutex<Option<mpsc::UnboundedReceiver<Event>>>,
    /// On the options of `initialize`, until the client can be told.
    warnings: Mutex<Vec<String>>,
    pictures: Arc<Pictures>,
    started: Instant,
}

/// How long after the start of the server a client waits for the first costs, if it could not be told of them later.
const FIRST_COSTS: Duration = Duration::from_secs(2);

impl Backend {
    /// A server that has not been initialized.
    pub fn new(client: Client) -> Self {
        let (events, loader_events) = mpsc::unbounded_channel();
        Self {
            client,
            client_info: OnceLock::new(),
            documents: Arc::default(),
            world: watch::Sender::new(Arc::default()),
            events,
            loader_events: Mutex::new(Some(loader_events)),
            warnings: Mutex::default(),
            pictures: Arc::default(),
            started: Instant::now(),
        }
    }

    fn client_info(&self) -> Arc<ClientInfo> {
        self.client_info.get().cloned().unwrap_or_default()
    }

    fn context(&self) -> Context {
        Context { world: self.world.borrow().clone(), documents: self.documents.now(), client: self.client_info() }
    }

    /// Answers a request from what is shown now, on a thread of its own.
    async fn read<T: Send + 'static>(&self, answer: impl FnOnce(&Context) -> T + Send + 'static) -> Result<T> {
        self.read_from(self.context(), answer).await
    }

    async fn read_from<T: Send + 'static>(
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

    /// Some clients ask when a document is opened, and not again until it is edited or scrolled: `refreshed` says that this one
    /// can be told to ask again. The others' first questions wait for the first costs, though not long.
    async fn first_costs(&self, refreshed: bool) {
        if !refreshed {
            let mut world = self.world.subscribe();
            let shown = world.wait_for(|world| world.snapshot().is_some());
            let _ = tokio::time::timeout_at(self.started + FIRST_COSTS, shown).await;
        }
    }

    fn tell(&self, event: Event) {
        let _ = self.events.send(event);
    }

    /// Waits for what the loader makes of a command; gives the world after it.
    async fn change(&self, event: impl FnOnce(Answer) -> Event) -> Result<Arc<World>> {
        let (answer, outcome) = oneshot::channel();
        self.tell(event(answer));
        match outcome.await {
            Ok(Ok(world)) => Ok(world),
            Ok(Err(problem)) => Err(failure(problem)),
            Err(_) => Err(failure("the server is ending".to_owned())),
        }
    }

    /// Asks the client for its settings; `None` where it has none to tell.
    async fn pull_settings(client: &Client) -> Option<Value> {
        let items = vec![ConfigurationItem { scope_uri: None, section: Some("costline".to_owned()) }];
        let answer = ask::<WorkspaceConfiguration>(client, ConfigurationParams { items }, SETTINGS_DEADLINE).await.ok()?;
        answer.into_iter().next().filter(|settings| settings.as_object().is_some_and(|settings| !settings.is_empty()))
    }

    /// `window/workDoneProgress/cancel`.
    #[expect(clippy::unused_async, reason = "the shape of a handler")]
    pub async fn cancel_progress(&self, params: WorkDoneProgressCancelParams) {
        let prefix = progress::token(0);
        if let (lsp_types::NumberOrString::String(token), lsp_types::NumberOrString::String(prefix)) = (params.token, prefix)
            && let Some(number) = token.strip_prefix(prefix.trim_end_matches('0')).and_then(|number| number.parse().ok())
        {
            self.tell(Event::Cancel(number));
        }
    }

    /// `costline/textDocumentContent`: the text of a `costline:` document.
    pub async fn text_document_content(&self, params: ContentParams) -> Result<Value> {
        self.read(move |context| {
            let snapshot = context.world.snapshot();
            let key = from_proto::function_key(&params.uri);
            let function = snapshot.zip(key.as_ref()).and_then(|(snapshot, key)| from_proto::function(snapshot, key));
            let text = match (snapshot, function, key) {
                (Some(snapshot), Some(function), _) => hover::function_details(context, snapshot, function).plain(),
                (_, _, Some(key)) => format!("{}\nThe profile shown now has no such function.\n", key.name),
                (_, _, None) => "This is no document of Costline's.\n".to_owned(),
            };
            json!({"text": text})
        })
        .await
    }

    /// Shows the hottest callers or callees to a person whose editor has no view for them.
    fn show_to_person(&self, shown: &Value) {
        let entries: Vec<(String, CallHierarchyItem)> = shown["entries"]
            .as_array()
            .into_iter()
            .flatten()
            .take(5)
            .filter_map(|entry| Some((entry["text"].as_str()?.to_owned(), CallHierarchyItem::deserialize(&entry["item"]).ok()?)))
            .collect();
        let what = if shown["direction"] == "incoming" { "callers" } else { "callees" };
        let can_open = self.client_info().show_document;
        let buttons = entries
            .iter()
            .filter(|_| can_open)
            .map(|(text, _)| MessageActionItem { title: text.clone(), properties: HashMap::default() });
        let list: Vec<_> = entries.iter().map(|(text, _)| text.as_str()).collect();
        let message = match (entries.is_empty(), can_open) {
            (true, _) => format!("Costline: no {what}"),
            (false, true) => format!("Costline: {what}"),
            (false, false) => format!("Costline: {what}: {}", list.join(" · ")),
        };
        let params = ShowMessageRequestParams { typ: MessageType::INFO, message, actions: can_open.then(|| buttons.collect()) };
        let client = self.client.clone();
        tokio::spawn(async move {
            if !can_open {
                client.show_message(params.typ, params.message).await;
                return;
            }
            let Ok(Some(chosen)) = ask::<ShowMessageRequest>(&client, params, PERSON_DEADLINE).await else { return };
            if let Some((_, item)) = entries.into_iter().find(|(text, _)| *text == chosen.title) {
                let params = ShowDocumentParams {
                    uri: item.uri,
                    external: Some(false),
                    take_focus: Some(true),
                    selection: Some(item.selection_range),
                };
                let _ = ask::<ShowDocument>(&client, params, DEADLINE).await;
            }
        });
    }

    /// Opens a document in the program that the system opens it with, where the client can ask for that.
    fn open_outside(&self, uri: &Value) {
        let Ok(uri) = Url::deserialize(uri) else { return };
        if !self.client_info().show_document {
            return;
        }
        let params = ShowDocumentParams { uri, external: Some(true), take_focus: None, selection: None };
        let client = self.client.clone();
        tokio::spawn(async move { ask::<ShowDocument>(&client, params, DEADLINE).await });
    }

    /// A document was saved or opened. Only those in the user's folders are looked at on disk.
    fn saved(&self, uri: &Url) {
        let Some(document) = self.documents.now().get(uri).cloned() else { return };
        let world = self.world.borrow().clone();
        let roots = snapshot::roots(&world.roots, &world.config).into_iter();
        if roots.filter_map(|root| root.path.canonicalize().ok()).any(|root| document.path.starts_with(root)) {
            document.saved();
        }
    }

    fn publish_diagnostics(&self, uri: &Url) {
        let context = self.context();
        if !context.client.abilities.diagnostics || !context.world.config.diagnostics.enable {
            return;
        }
        let (client, uri) = (self.client.clone(), uri.clone());
        tokio::spawn(async move { publish(&client, context, &uri).await });
    }
}

/// Parameters of `costline/textDocumentContent`.
#[derive(Debug, Deserialize)]
pub struct ContentParams {
    uri: Url,
}

async fn publish(client: &Client, context: Context, uri: &Url) {
    let Some(document) = context.documents.get(uri).cloned() else { return };
    let version = document.version;
    let found = tokio::task::spawn_blocking(move || diagnostics::diagnostics(&context, &document)).await;
    if let Ok(found) = found {
        client.publish_diagnostics(uri.clone(), found, Some(version)).await;
    }
}

/// Publishes the diagnostics of all documents after each swap, and clears them when they are switched off.
async fn republish(
    client: Client,
    client_info: Arc<ClientInfo>,
    documents: Arc<Documents>,
    mut world: watch::Receiver<Arc<World>>,
) {
    if !client_info.abilities.diagnostics {
        return;
    }
    let (mut revision, mut enabled) = (0, false);
    while world.changed().await.is_ok() {
        let now = world.borrow_and_update().clone();
        let shown = std::mem::replace(&mut enabled, now.config.diagnostics.enable) || enabled;
        if std::mem::replace(&mut revision, now.revision) == now.revision || !shown {
            continue;
        }
        let open = documents.now();
        for document in open.all() {
            let context = Context { world: now.clone(), documents: documents.now(), client: client_info.clone() };
            publish(&client, context, &document.uri).await;
        }
    }
}

fn failure(message: String) -> Error {
    Error { code: ErrorCode::ServerError(-32803), message: message.into(), data: None }
}

fn folder(uri: &Url) -> Option<PathBuf> {
    uri.to_file_path().ok()
}

#[async_trait]
impl LanguageServer for Backend {
    async fn initialize(&self, params: InitializeParams) -> Result<InitializeResult> {
        let info = Arc::new(ClientInfo::new(&params));
        let folders = params.workspace_folders.unwrap_or_default();
        let mut roots: Vec<PathBuf> = folders.iter().filter_map(|open| folder(&open.uri)).collect();
        if roots.is_empty() {
            roots.extend(params.root_uri.as_ref().and_then(folder));
        }
        let (config, warnings) = Config::parse(&params.initialization_options.unwrap_or(Value::Null));
        *self.warnings.lock().unwrap_or_else(PoisonError::into_inner) = warnings;
        self.world.send_replace(Arc::new(World { config: Arc::new(config), roots, ..World::default() }));
        let capabilities = capabilities::server(info.encoding);
        let _ = self.client_info.set(info);
        let version = Some(env!("CARGO_PKG_VERSION").to_owned());
        Ok(InitializeResult { capabilities, server_info: Some(ServerInfo { name: "costline".to_owned(), version }) })
    }

    async fn initialized(&self, _: InitializedParams) {
        let Some(events) = self.loader_events.lock().unwrap_or_else(PoisonError::into_inner).take() else { return };
        let (client, info, world) = (self.client.clone(), self.client_info(), self.world.clone());
        tokio::spawn(refresh::run(client.clone(), info.refreshes, world.subscribe()));
        tokio::spawn(republish(client.clone(), info.clone(), self.documents.clone(), world.subscribe()));
        if info.changed {
            tokio::spawn(changed::run(client.clone(), world.subscribe()));
        }
        let loader = Loader::new(client.clone(), info.abilities, world, events);
        let tell = self.events.clone();
        let warnings = std::mem::take(&mut *self.warnings.lock().unwrap_or_else(PoisonError::into_inner));
        tokio::spawn(async move {
            for warning in warnings {
                client.log_message(MessageType::WARNING, format!("costline: {warning}")).await;
            }
            if info.watched_files {
                tokio::spawn(register_watcher(client.clone()));
            }
            // Settings first, so that the first costs shown are already the wanted ones.
            if info.configuration
                && let Some(settings) = Self::pull_settings(&client).await
            {
                let _ = tell.send(Event::Settings(settings));
            }
            drop(tell);
            loader.run().await;
        });
    }

    async fn shutdown(&self) -> Result<()> {
        Ok(())
    }

    async fn did_open(&self, params: DidOpenTextDocumentParams) {
        let document = params.text_document;
        self.documents.open(document.uri.clone(), document.version, &document.text, self.client_info().encoding);
        // Where the editor names no folder, the project around the first file is it.
        if self.world.borrow().roots.is_empty()
            && let Some(root) = folder(&document.uri).and_then(|path| roots::project_above(&path))
        {
            self.tell(Event::Roots { added: vec![root], removed: Vec::new() });
        }
        self.saved(&document.uri);
        self.publish_diagnostics(&document.uri);
    }

    async fn did_change(&self, params: DidChangeTextDocumentParams) {
        let document = params.text_document;
        self.documents.change(&document.uri, document.version, &params.content_changes);
        self.publish_diagnostics(&document.uri);
    }

    async fn did_save(&self, params: DidSaveTextDocumentParams) {
        self.saved(&params.text_document.uri);
    }

    async fn did_close(&self, params: DidCloseTextDocumentParams) {
        self.documents.close(&params.text_document.uri);
    }

    async fn did_change_configuration(&self, params: DidChangeConfigurationParams) {
        let told = params.settings.as_object().is_some_and(|settings| !settings.is_empty());
        if told {
            self.tell(Event::Settings(params.settings));
        } else if self.client_info().configuration {
            let (client, events) = (self.client.clone(), self.events.clone());
            tokio::spawn(async move {
                let settings = Self::pull_settings(&client).await.unwrap_or_else(|| json!({}));
                let _ = events.send(Event::Settings(settings));
            });
        }
    }

    async fn did_change_workspace_folders(&self, params: DidChangeWorkspaceFoldersParams) {
        let folders = |folders: Vec<lsp_types::WorkspaceFolder>| folders.iter().filter_map(|open| folder(&open.uri)).collect();
        self.tell(Event::Roots { added: folders(params.event.added), removed: folders(params.event.removed) });
    }

    async fn did_change_watched_files(&self, _: DidChangeWatchedFilesParams) {
        self.tell(Event::Look);
    }

    async fn inlay_hint(&self, params: InlayHintParams) -> Result<Option<Vec<InlayHint>>> {
        self.first_costs(self.client_info().refreshes.hints).await;
        self.read(move |context| Some(inlay_hint::hints(context, &params))).await
    }

    async fn inlay_hint_resolve(&self, hint: InlayHint) -> Result<InlayHint> {
        self.read(move |context| inlay_hint::resolve(context, hint)).await
    }

    async fn code_lens(&self, params: CodeLensParams) -> Result<Option<Vec<CodeLens>>> {
        self.first_costs(self.client_info().refreshes.lenses).await;
        self.read(move |context| Some(code_lens::lenses(context, &params))).await
    }

    async fn hover(&self, params: HoverParams) -> Result<Option<Hover>> {
        self.read(move |context| hover::hover(context, &params)).await
    }

    async fn prepare_call_hierarchy(&self, params: CallHierarchyPrepareParams) -> Result<Option<Vec<CallHierarchyItem>>> {
        self.read(move |context| call_hierarchy::prepare(context, &params)).await
    }

    async fn incoming_calls(&self, params: CallHierarchyIncomingCallsParams) -> Result<Option<Vec<CallHierarchyIncomingCall>>> {
        self.read(move |context| Some(call_hierarchy::incoming(context, &params.item))).await
    }

    async fn outgoing_calls(&self, params: CallHierarchyOutgoingCallsParams) -> Result<Option<Vec<CallHierarchyOutgoingCall>>> {
        self.read(move |context| Some(call_hierarchy::outgoing(context, &params.item))).await
    }

    async fn symbol(&self, params: WorkspaceSymbolParams) -> Result<Option<Vec<SymbolInformation>>> {
        self.read(move |context| symbol::symbols(context, &params)).await
    }

    async fn execute_command(&self, params: ExecuteCommandParams) -> Result<Option<Value>> {
        let parsed = Command::parse(&params.command, &params.arguments).map_err(Error::invalid_params)?;
        let answer = match parsed {
            Command::Select(path) => {
                let change = Change::Set { profile: Some(Pick(path)), values: Map::new() };
                profiles::profiles(&*self.change(|answer| Event::Choose(change, answer)).await?)
            }
            Command::Reload => profiles::profiles(&*self.change(Event::Reload).await?),
            Command::Profiles => self.read(|context| profiles::profiles(&context.world)).await?,
            Command::View => self.read(|context| view::view(&context.world)).await?,
            Command::Choose(change, compare) => {
                let mut world = self.change(|answer| Event::Choose(change, answer)).await?;
                if let Some(compare) = compare {
                    world = self.change(|answer| Event::Compare(compare, answer)).await?;
                }
                self.read_from(Context { world, ..self.context() }, |context| view::view(&context.world)).await?
            }
            Command::Paths => self.read(command::paths).await?,
            Command::Hotspots { lines, limit } => self.read(move |context| command::hotspots(context, lines, limit)).await?,
            Command::Explain { uri, line } => self.read(move |context| command::explain(context, &uri, line)).await?,
            Command::Export { options, path, overwrite } => {
                let written = self.read(move |context| command::export(context, options, &path, overwrite)).await?;
                written.map_err(failure)?
            }
            Command::CallTree(argument) => self.read(move |context| call_tree::call_tree(context, &argument)).await?,
            Command::Flamegraph(argument) => {
                let pictures = self.pictures.clone();
                let made = self.read(move |context| flamegraph::flamegraph(context, &argument, &pictures)).await?;
                let made = made.map_err(failure)?;
                self.open_outside(&made["uri"]);
                made
            }
            Command::Show { direction, item, message } => {
                let shown = self.read(move |context| command::show(context, direction, &item)).await?;
                if message {
                    self.show_to_person(&shown);
                }
                shown
            }
        };
        Ok(Some(answer))
    }
}

/// Asks the client to watch too: where the system gives no events, it may.
async fn register_watcher(client: Client) {
    let globs = [
        "**/{profiles,.costline}/**",
        "**/*.{cpuprofile,heapprofile,folded,collapsed,austin,mojo,jslb,pb,pprof,prof,raw,gz,zst}",
        "**/{profile,stackprof,dhat,trace}*.json",
        "**/*.{speedscope,chrometrace,trace}.json",
        "**/{perf.txt,callgrind.out.*,dhat.out.*}",
    ];
    let watchers = globs.map(|glob| FileSystemWatcher { glob_pattern: GlobPattern::String(glob.to_owned()), kind: None });
    let options = serde_json::to_value(DidChangeWatchedFilesRegistrationOptions { watchers: watchers.to_vec() });
    let registration = Registration {
        id: "costline/profiles".to_owned(),
        method: "workspace/didChangeWatchedFiles".to_owned(),
        register_options: options.ok(),
    };
    let _ = ask::<RegisterCapability>(&client, RegistrationParams { registrations: vec![registration] }, DEADLINE).await;
}
