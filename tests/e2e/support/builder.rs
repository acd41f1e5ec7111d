//! How a server is started, and what its client declares.

use std::cell::Cell;
use std::collections::{HashMap, HashSet, VecDeque};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::capabilities;
use super::process::Process;
use super::server::Server;
use super::workspace::Workspace;
use crate::wire::Conversation;

/// How a server is started and what its client declares. Without further ado: a client that can do everything, in the
/// workspace's folder, alive as long as the test.
pub struct ServerBuilder {
    args: Vec<String>,
    env: Vec<(String, String)>,
    cwd: PathBuf,
    params: Value,
    settings: Value,
    held: Held,
    handshake: bool,
    is_odd: bool,
}

/// The server's requests that the test answers itself.
pub(super) enum Held {
    Methods(HashSet<String>),
    All,
}

impl ServerBuilder {
    /// `costline lsp` in the workspace.
    pub fn new(workspace: &Workspace) -> Self {
        let root = workspace.root_uri();
        Self {
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
            is_odd: false,
        }
    }

    /// The command line in place of `lsp`.
    pub fn args<'a>(mut self, args: impl IntoIterator<Item = &'a str>) -> Self {
        self.args = args.into_iter().map(str::to_owned).collect();
        self
    }

    /// Sets an environment variable.
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.env.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The folder the process starts in.
    pub fn cwd(mut self, cwd: &Path) -> Self {
        cwd.clone_into(&mut self.cwd);
        self
    }

    /// All of the `initialize` params, such as those captured from an editor.
    pub fn params(mut self, params: Value) -> Self {
        self.params = params;
        self
    }

    /// One member of the `initialize` params.
    pub fn param(mut self, name: &str, value: Value) -> Self {
        self.params[name] = value;
        self
    }

    /// `initializationOptions`.
    pub fn options(self, options: Value) -> Self {
        self.param("initializationOptions", options)
    }

    /// All of the client's capabilities.
    pub fn capabilities(self, capabilities: Value) -> Self {
        self.param("capabilities", capabilities)
    }

    /// One capability, by JSON pointer (`/window/workDoneProgress`); what is missing above it is made.
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

    /// What the client answers when the server asks for the section `costline` of its configuration.
    pub fn settings(mut self, settings: Value) -> Self {
        self.settings = settings;
        self
    }

    /// Leaves the server's requests of this kind to the test: [`Server::wait_server_request`], [`Server::reply`].
    pub fn hold(mut self, method: &str) -> Self {
        if let Held::Methods(methods) = &mut self.held {
            methods.insert(method.to_owned());
        }
        self
    }

    /// Leaves every request of the server to the test.
    pub fn hold_all(mut self) -> Self {
        self.held = Held::All;
        self
    }

    /// Leaves `initialize` and `initialized` to the test, and the session's end too.
    pub fn without_handshake(mut self) -> Self {
        self.handshake = false;
        self
    }

    /// A client that says what the protocol does not have: its messages are not checked, the server's are all the same.
    pub fn odd(mut self) -> Self {
        self.is_odd = true;
        self
    }

    /// Starts the server and, unless told otherwise, initializes it.
    pub fn start(self) -> Server {
        let handshake = self.handshake;
        let mut server = Server {
            process: Process::spawn(&self.args, &self.cwd, &self.env),
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
            questions: VecDeque::new(),
            unreadable: VecDeque::new(),
            sent: Vec::new(),
            conversation: Conversation::default(),
            is_odd: self.is_odd,
            versions: HashMap::new(),
            faults: Vec::new(),
            story: Vec::new(),
            told: Cell::new(false),
        };
        if handshake {
            server.initialize();
        }
        server
    }
}
