//! Configures a server and its client.

use std::cell::Cell;
use std::collections::{HashMap, HashSet, VecDeque};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::capabilities;
use super::process::Process;
use super::server::Server;
use super::workspace::Workspace;
use crate::wire::Conversation;

/// Configures how a server starts and what its client declares. By default, the client supports
/// everything, works in the workspace's folder, and lives as long as the test.
pub struct ServerBuilder {
    under: Vec<String>,
    args: Vec<String>,
    env: Vec<(String, String)>,
    cwd: PathBuf,
    params: Value,
    settings: Value,
    held: Held,
    handshake: bool,
    is_unchecked: bool,
    is_checked: bool,
}

/// Requests of the server that the test responds to itself.
pub(super) enum Held {
    Methods(HashSet<String>),
    All,
}

impl ServerBuilder {
    /// `costline lsp` in the workspace.
    pub fn new(workspace: &Workspace) -> Self {
        let root = workspace.root_uri();
        Self {
            under: Vec::new(),
            args: vec!["lsp".to_owned()],
            env: Vec::new(),
            cwd: workspace.root().to_owned(),
            params: json!({
                "processId": std::process::id(),
                "clientInfo": { "name": "costline-e2e" },
                "rootUri": root,
                "workspaceFolders": [{ "uri": root, "name": "workspace" }],
                "capabilities": capabilities::complete(),
            }),
            settings: Value::Null,
            held: Held::Methods(HashSet::new()),
            handshake: true,
            is_unchecked: false,
            is_checked: true,
        }
    }

    /// Has the server started by a program that takes it as its last arguments, such as `strace`.
    pub fn under<'a>(mut self, program: impl IntoIterator<Item = &'a str>) -> Self {
        self.under = program.into_iter().map(str::to_owned).collect();
        self
    }

    /// Replaces the arguments `lsp`.
    pub fn args<'a>(mut self, args: impl IntoIterator<Item = &'a str>) -> Self {
        self.args = args.into_iter().map(str::to_owned).collect();
        self
    }

    /// Sets an environment variable.
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.env.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Sets the working directory.
    pub fn cwd(mut self, cwd: &Path) -> Self {
        cwd.clone_into(&mut self.cwd);
        self
    }

    /// Sets all `initialize` params, for example those captured from an editor.
    pub fn params(mut self, params: Value) -> Self {
        self.params = params;
        self
    }

    /// Sets one member of the `initialize` params.
    pub fn param(mut self, name: &str, value: Value) -> Self {
        self.params[name] = value;
        self
    }

    /// Sets `initializationOptions`.
    pub fn options(self, options: Value) -> Self {
        self.param("initializationOptions", options)
    }

    /// Sets all client capabilities.
    pub fn capabilities(self, capabilities: Value) -> Self {
        self.param("capabilities", capabilities)
    }

    /// Sets one capability by JSON pointer (`/window/workDoneProgress`). Missing parents are
    /// created.
    pub fn capability(mut self, pointer: &str, value: Value) -> Self {
        let mut place = &mut self.params["capabilities"];
        for name in pointer.split('/').skip(1) {
            if !place.is_object() {
                *place = Value::Object(Map::new());
            }
            place = &mut place[name];
        }
        *place = value;
        self
    }

    /// Sets the client's configuration, for requests of the section `costline`.
    pub fn settings(mut self, settings: Value) -> Self {
        self.settings = settings;
        self
    }

    /// Leaves requests of this method to the test: [`Server::wait_server_request`],
    /// [`Server::reply`].
    pub fn hold(mut self, method: &str) -> Self {
        if let Held::Methods(methods) = &mut self.held {
            methods.insert(method.to_owned());
        }
        self
    }

    /// Leaves all requests of the server to the test.
    pub fn hold_all(mut self) -> Self {
        self.held = Held::All;
        self
    }

    /// Leaves `initialize`, `initialized` and the end of the session to the test.
    pub fn without_handshake(mut self) -> Self {
        self.handshake = false;
        self
    }

    /// Allows the client to send messages that violate the protocol. Those of the server are
    /// checked nevertheless.
    pub fn unchecked(mut self) -> Self {
        self.is_unchecked = true;
        self
    }

    /// Checks no messages at all, for a client whose messages are arbitrary.
    pub fn without_checks(self) -> Self {
        Self { is_checked: false, is_unchecked: true, ..self }
    }

    /// Starts the server and, unless disabled, initializes it.
    pub fn start(self) -> Server {
        let handshake = self.handshake;
        let mut server = Server {
            process: Process::spawn(&self.under, &self.args, &self.cwd, &self.env),
            params: self.params,
            settings: self.settings,
            held: self.held,
            initialize_result: Value::Null,
            initialized: false,
            ended: false,
            output_closed: false,
            last_id: 0,
            waiting: HashMap::new(),
            responses: HashMap::new(),
            inbox: VecDeque::new(),
            held_requests: VecDeque::new(),
            unreadable: VecDeque::new(),
            sent: Vec::new(),
            conversation: Conversation::default(),
            is_unchecked: self.is_unchecked,
            is_checked: self.is_checked,
            versions: HashMap::new(),
            faults: Vec::new(),
            transcript: Vec::new(),
            is_printed: Cell::new(false),
        };
        if handshake {
            server.initialize();
        }
        server
    }
}
