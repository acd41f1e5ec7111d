//! A session with the real server: requests, answers to the server's questions, and the record of what it sent.

use std::cell::Cell;
use std::collections::{HashMap, HashSet, VecDeque};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use lsp_server::{Message, Notification, Request, RequestId, Response, ResponseError};
use serde_json::{Map, Value, json};

use super::capabilities;
use super::process::{DEADLINE, Output, Process};
use super::workspace::{Workspace, uri};

/// Characters of a message that the story of a failed test shows.
const STORY_CHARS: usize = 1500;

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
}

/// The server's requests that the test answers itself.
enum Held {
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
            tokens: Vec::new(),
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

/// How often the server has asked its client to ask again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Refreshes {
    /// `workspace/inlayHint/refresh`.
    pub inlay_hint: usize,
    /// `workspace/codeLens/refresh`.
    pub code_lens: usize,
}

/// A running server and its client. See the [module](super) for what it fails on by itself.
pub struct Server {
    process: Process,
    params: Value,
    settings: Value,
    held: Held,
    initialize_result: Value,
    initialized: bool,
    ended: bool,
    output_closed: bool,
    last_id: i32,
    /// Requests of the client without a response, with their methods.
    waiting: HashMap<RequestId, String>,
    responses: HashMap<RequestId, Result<Value, ResponseError>>,
    /// Notifications that no wait has taken.
    inbox: VecDeque<(String, Value)>,
    /// Held requests of the server that no wait has taken.
    questions: VecDeque<(RequestId, String, Value)>,
    unreadable: VecDeque<String>,
    /// Every notification and request of the server, in order.
    sent: Vec<(String, Value)>,
    /// Progress tokens that one side has made known.
    tokens: Vec<Value>,
    versions: HashMap<String, i32>,
    faults: Vec<String>,
    story: Vec<String>,
    told: Cell<bool>,
}

/// Starting.
impl Server {
    /// A server for a client that can do everything.
    pub fn start(workspace: &Workspace) -> Self {
        Self::builder(workspace).start()
    }

    /// See [`ServerBuilder`].
    pub fn builder(workspace: &Workspace) -> ServerBuilder {
        ServerBuilder::new(workspace)
    }

    /// The handshake, for a server started without it.
    pub fn initialize(&mut self) -> &Value {
        self.initialize_result = self.request("initialize", self.params.clone());
        self.notify("initialized", json!({}));
        self.initialized = true;
        &self.initialize_result
    }

    /// What the server answered to `initialize`.
    pub fn initialize_result(&self) -> &Value {
        &self.initialize_result
    }

    /// The params that [`Server::initialize`] sends.
    pub fn initialize_params(&self) -> &Value {
        &self.params
    }
}

/// Requests and notifications of the client.
impl Server {
    /// Sends a request and waits for its result; an error fails the test.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let outcome = self.try_request(method, params);
        outcome.unwrap_or_else(|error| self.fail(&format!("{method} was answered with error {}: {}", error.code, error.message)))
    }

    /// Sends a request and waits for its answer.
    pub fn try_request(&mut self, method: &str, params: Value) -> Result<Value, ResponseError> {
        let id = self.send_request(method, params);
        self.wait_response(&id)
    }

    /// Sends a request; the answer must be waited for, or [forgotten](Self::forget).
    pub fn send_request(&mut self, method: &str, params: Value) -> RequestId {
        self.last_id += 1;
        let id = RequestId::from(self.last_id);
        for token in ["workDoneToken", "partialResultToken"] {
            self.tokens.extend(params.get(token).cloned());
        }
        self.waiting.insert(id.clone(), method.to_owned());
        self.send(&Message::Request(Request { id: id.clone(), method: method.to_owned(), params }));
        id
    }

    /// Waits for the answer to a request that was sent.
    pub fn wait_response(&mut self, id: &RequestId) -> Result<Value, ResponseError> {
        let method = self.waiting.get(id).cloned().unwrap_or_default();
        self.wait(&format!("the answer to {method} ({id})"), |server| server.responses.remove(id))
    }

    /// Whether the answer to a request is there.
    pub fn has_response(&mut self, id: &RequestId) -> bool {
        self.read_available();
        self.responses.contains_key(id)
    }

    /// Says that the answer to a request is of no interest.
    pub fn forget(&mut self, id: &RequestId) {
        self.read_available();
        self.responses.remove(id);
        // The answer may come yet: it stays expected, under a name that says so.
        if let Some(method) = self.waiting.get_mut(id) {
            method.clear();
        }
    }

    /// Sends `$/cancelRequest`; the answer is still to be waited for.
    pub fn cancel(&mut self, id: &RequestId) {
        self.notify("$/cancelRequest", json!({ "id": id }));
    }

    /// Sends a notification.
    pub fn notify(&mut self, method: &str, params: Value) {
        self.send(&Message::Notification(Notification { method: method.to_owned(), params }));
    }

    /// `workspace/executeCommand`.
    pub fn execute(&mut self, command: &str, arguments: Value) -> Value {
        self.request("workspace/executeCommand", json!({ "command": command, "arguments": arguments }))
    }
}

/// Documents. The client sends whole texts and counts versions.
impl Server {
    /// Opens a file with the text it has on disk, and gives its URI.
    pub fn open_file(&mut self, path: &Path, language: &str) -> String {
        let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let uri = uri(path);
        self.open(&uri, language, &text);
        uri
    }

    /// Opens a document.
    pub fn open(&mut self, uri: &str, language: &str, text: &str) {
        self.versions.insert(uri.to_owned(), 1);
        let document = json!({ "uri": uri, "languageId": language, "version": 1, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
    }

    /// Replaces the text of an open document.
    pub fn change(&mut self, uri: &str, text: &str) {
        self.change_by(uri, json!([{ "text": text }]));
    }

    /// Changes an open document by `contentChanges` in LSP's words.
    pub fn change_by(&mut self, uri: &str, changes: Value) {
        let version = self.versions.entry(uri.to_owned()).or_insert(1);
        *version += 1;
        let document = json!({ "uri": uri, "version": version });
        self.notify("textDocument/didChange", json!({ "textDocument": document, "contentChanges": changes }));
    }

    /// Says that a document was saved.
    pub fn save(&mut self, uri: &str) {
        self.notify("textDocument/didSave", json!({ "textDocument": { "uri": uri } }));
    }

    /// Closes a document.
    pub fn close(&mut self, uri: &str) {
        self.versions.remove(uri);
        self.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
    }
}

/// What the server sends by itself.
impl Server {
    /// Takes the first notification of this kind that `wanted` takes, read before or now.
    pub fn wait_notification(&mut self, method: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        self.wait(&format!("a fitting {method}"), |server| {
            let at = server.inbox.iter().position(|(name, params)| name == method && wanted(params))?;
            server.inbox.remove(at).map(|(_, params)| params)
        })
    }

    /// Takes the next held request of this kind; the test owes it a [reply](Self::reply).
    pub fn wait_server_request(&mut self, method: &str) -> (RequestId, Value) {
        self.wait(&format!("the server's {method}"), |server| {
            let at = server.questions.iter().position(|(_, name, _)| name == method)?;
            server.questions.remove(at).map(|(id, _, params)| (id, params))
        })
    }

    /// Takes all held requests that have come.
    pub fn take_server_requests(&mut self) -> Vec<(RequestId, String, Value)> {
        self.read_available();
        self.questions.drain(..).collect()
    }

    /// Answers a request of the server.
    pub fn reply(&mut self, id: RequestId, result: Value) {
        self.send(&Message::Response(Response { id, response_result: Ok(result) }));
    }

    /// Answers a request of the server with an error.
    pub fn refuse(&mut self, id: RequestId, code: i32, message: &str) {
        self.send(&Message::Response(Response::new_err(id, code, message.to_owned())));
    }

    /// From now on requests of this kind are left to the test.
    pub fn hold(&mut self, method: &str) {
        if let Held::Methods(methods) = &mut self.held {
            methods.insert(method.to_owned());
        }
    }

    /// From now on the client's configuration is this; the server is not told.
    pub fn set_settings(&mut self, settings: Value) {
        self.settings = settings;
    }

    /// The params of every message of this kind that the server has sent, answered or read or not, in order.
    pub fn sent(&mut self, method: &str) -> Vec<Value> {
        self.read_available();
        self.sent.iter().filter(|(name, _)| name == method).map(|(_, params)| params.clone()).collect()
    }

    /// How many refreshes the server has asked for.
    pub fn refreshes(&mut self) -> Refreshes {
        Refreshes {
            inlay_hint: self.sent("workspace/inlayHint/refresh").len(),
            code_lens: self.sent("workspace/codeLens/refresh").len(),
        }
    }

    /// The params of every `$/progress`.
    pub fn progress(&mut self) -> Vec<Value> {
        self.sent("$/progress")
    }

    /// The texts of every `window/showMessage`, `window/showMessageRequest` and `window/logMessage`.
    pub fn messages(&mut self) -> Vec<String> {
        self.read_available();
        let shown = self.sent.iter().filter(|(method, _)| {
            matches!(method.as_str(), "window/showMessage" | "window/showMessageRequest" | "window/logMessage")
        });
        shown.map(|(_, params)| params["message"].as_str().unwrap_or_default().to_owned()).collect()
    }

    /// The registrations that the server has made and not undone.
    pub fn registrations(&mut self) -> Vec<Value> {
        self.read_available();
        let mut registrations: Vec<Value> = Vec::new();
        for (method, params) in &self.sent {
            match method.as_str() {
                "client/registerCapability" => {
                    registrations.extend(params["registrations"].as_array().into_iter().flatten().cloned());
                }
                "client/unregisterCapability" => {
                    for gone in params["unregisterations"].as_array().into_iter().flatten() {
                        registrations.retain(|registration| registration["id"] != gone["id"]);
                    }
                }
                _ => {}
            }
        }
        registrations
    }

    /// The latest diagnostics of a document.
    pub fn diagnostics(&mut self, uri: &str) -> Option<Vec<Value>> {
        let published = self.sent("textDocument/publishDiagnostics");
        let latest = published.iter().rfind(|params| params["uri"] == uri)?;
        latest["diagnostics"].as_array().cloned()
    }

    /// Probes until there is something, while messages are read and answered. The probe may send requests.
    pub fn eventually<T>(&mut self, what: &str, mut probe: impl FnMut(&mut Self) -> Option<T>) -> T {
        let deadline = Instant::now() + DEADLINE;
        loop {
            self.fail_on_faults();
            if let Some(found) = probe(self) {
                return found;
            }
            if self.output_closed {
                self.fail(&format!("the server has closed its output; expected: {what}"));
            }
            if Instant::now() >= deadline {
                self.fail(&format!("not within {DEADLINE:?}: {what}"));
            }
            self.read(Instant::now() + Duration::from_millis(20));
        }
    }
}

/// Raw access, for the life-cycle suite.
impl Server {
    /// The server's process id.
    pub fn process_id(&self) -> u32 {
        self.process.id()
    }

    /// Writes bytes to stdin.
    pub fn write_raw(&mut self, bytes: &[u8]) {
        self.tell("->", &String::from_utf8_lossy(bytes));
        self.process.write(bytes.to_vec());
    }

    /// Says that a request with this id is about to be [written](Self::write_raw).
    pub fn expect_answer(&mut self, id: i32, method: &str) {
        self.last_id = self.last_id.max(id);
        self.waiting.insert(id.into(), method.to_owned());
    }

    /// Frames and sends any JSON, with `"jsonrpc": "2.0"` where it lacks; a request among it can be waited for.
    pub fn send_json(&mut self, mut message: Value) {
        if let Value::Object(members) = &mut message {
            members.entry("jsonrpc").or_insert(json!("2.0"));
        }
        if let (Some(id), Some(method)) = (message.get("id").and_then(Value::as_i64), message["method"].as_str()) {
            let id = i32::try_from(id).unwrap_or_else(|_| panic!("{id} is no id of a test"));
            self.expect_answer(id, method);
        }
        let body = message.to_string();
        self.write_raw(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
    }

    /// Waits for something on stdout that is no message a client can place, such as an error whose id is null.
    pub fn wait_unreadable(&mut self) -> String {
        self.wait("an answer without id", |server| server.unreadable.pop_front())
    }

    /// Closes the server's stdin behind all that was sent.
    pub fn close_stdin(&mut self) {
        self.tell("->", "(stdin closed)");
        self.process.close_stdin();
    }

    /// Kills the server.
    pub fn kill(&mut self) {
        self.tell("->", "(killed)");
        self.process.kill();
        self.ended = true;
    }

    /// What the server wrote to stderr until now.
    pub fn stderr(&self) -> String {
        self.process.stderr()
    }

    /// Waits for the server's end, reads what it has sent, and gives its exit code. The session is over then.
    pub fn wait_exit(&mut self) -> i32 {
        let Some(status) = self.process.wait_exit() else { self.fail("the server still runs") };
        self.ended = true;
        let deadline = Instant::now() + DEADLINE;
        while !self.output_closed && self.read(deadline) {}
        self.fail_on_panics();
        self.fail_on_faults();
        status.code().unwrap_or_else(|| self.fail(&format!("the server was ended: {status}")))
    }

    /// Ends the session as editors do, with stdin left open, and checks what dropping checks.
    pub fn finish(&mut self) {
        let answer = self.request("shutdown", Value::Null);
        if !answer.is_null() {
            self.fail(&format!("shutdown was answered with {answer}"));
        }
        self.notify("exit", Value::Null);
        let code = self.wait_exit();
        if code != 0 {
            self.fail(&format!("the server's exit code is {code}"));
        }
        if let Some((method, params)) = self.inbox.iter().find(|(method, _)| !is_ambient(method)) {
            self.fail(&format!("the test has not read {method} {params}"));
        }
        if let Some((_, method, params)) = self.questions.front() {
            self.fail(&format!("the test has not read the server's request {method} {params}"));
        }
        if let Some(text) = self.unreadable.front() {
            self.fail(&format!("the server sent what cannot be read: {text}"));
        }
        if let Some(id) = self.responses.keys().next() {
            self.fail(&format!("the test has not read the answer to request {id}"));
        }
    }
}

/// Reading.
impl Server {
    /// Reads until `probe` finds something.
    fn wait<T>(&mut self, what: &str, mut probe: impl FnMut(&mut Self) -> Option<T>) -> T {
        let deadline = Instant::now() + DEADLINE;
        loop {
            self.fail_on_faults();
            if let Some(found) = probe(self) {
                return found;
            }
            if self.output_closed {
                self.fail(&format!("the server has closed its output; expected: {what}"));
            }
            if !self.read(deadline) {
                self.fail(&format!("not within {DEADLINE:?}: {what}"));
            }
        }
    }

    /// Reads what is there already.
    fn read_available(&mut self) {
        while !self.output_closed && self.read(Instant::now()) {}
    }

    /// Takes the next output; false when there is none until `deadline`.
    fn read(&mut self, deadline: Instant) -> bool {
        match self.process.read(deadline) {
            None => return false,
            Some(Output::Closed) => {
                self.output_closed = true;
                // A reader at the stream's end must not spin.
                thread::sleep(deadline.saturating_duration_since(Instant::now()).min(Duration::from_millis(5)));
            }
            Some(Output::Unreadable(text)) => {
                self.tell("<-", &text);
                self.unreadable.push_back(text);
            }
            Some(Output::Message(message)) => {
                self.tell("<-", &serde_json::to_string(&message).unwrap_or_default());
                match message {
                    Message::Response(response) => self.take_response(response),
                    Message::Notification(Notification { method, params }) => self.take_notification(method, params),
                    Message::Request(Request { id, method, params }) => self.take_request(id, method, params),
                }
            }
        }
        true
    }

    fn take_response(&mut self, Response { id, response_result }: Response) {
        match self.waiting.remove(&id) {
            None => self.faults.push(format!("an answer to request {id}, which is not open")),
            Some(forgotten) if forgotten.is_empty() => {}
            Some(_) => {
                self.responses.insert(id, response_result);
            }
        }
    }

    fn take_notification(&mut self, method: String, params: Value) {
        self.check_declared(&method, &params);
        if method == "$/progress" && !self.tokens.contains(&params["token"]) {
            self.faults.push(format!("progress with a token that neither side has made known: {params}"));
        }
        self.sent.push((method.clone(), params.clone()));
        self.inbox.push_back((method, params));
    }

    fn take_request(&mut self, id: RequestId, method: String, params: Value) {
        self.check_declared(&method, &params);
        if method == "window/workDoneProgress/create" {
            self.tokens.push(params["token"].clone());
        }
        self.sent.push((method.clone(), params.clone()));
        let held = match &self.held {
            Held::All => true,
            Held::Methods(methods) => methods.contains(&method),
        };
        if held {
            self.questions.push_back((id, method, params));
        } else {
            let answer = self.answer(&method, &params);
            self.reply(id, answer);
        }
    }

    fn check_declared(&mut self, method: &str, params: &Value) {
        if let Some(undeclared) = capabilities::undeclared(&self.params["capabilities"], method, params) {
            self.faults.push(format!("{method}, though the client has not declared {undeclared}"));
        }
    }

    /// What the client answers by itself.
    fn answer(&self, method: &str, params: &Value) -> Value {
        match method {
            "workspace/configuration" => {
                let all = json!({ "costline": self.settings });
                let items = params["items"].as_array().into_iter().flatten();
                items
                    .map(|item| {
                        let section = item["section"].as_str().unwrap_or_default();
                        let pointer = section
                            .split('.')
                            .filter(|name| !name.is_empty())
                            .fold(String::new(), |pointer, name| pointer + "/" + name);
                        all.pointer(&pointer).cloned().unwrap_or_default()
                    })
                    .collect()
            }
            "workspace/workspaceFolders" => self.params["workspaceFolders"].clone(),
            "workspace/applyEdit" => json!({ "applied": true }),
            "window/showDocument" => json!({ "success": true }),
            _ => Value::Null,
        }
    }

    fn send(&mut self, message: &Message) {
        self.tell("->", &serde_json::to_string(message).unwrap_or_default());
        let mut frame = Vec::new();
        message.write(&mut frame).unwrap_or_else(|error| panic!("a message of the test cannot be written: {error}"));
        self.process.write(frame);
    }
}

/// Failing.
impl Server {
    fn fail_on_faults(&self) {
        if let Some(fault) = self.faults.first() {
            self.fail(&format!("the server sent {fault}"));
        }
    }

    fn fail_on_panics(&self) {
        if self.process.stderr().contains("panicked") {
            self.fail("the server panicked");
        }
    }

    /// Fails the test with all that went over the wire.
    pub fn fail(&self, what: &str) -> ! {
        panic!("{what}\n{}", self.whole_story());
    }

    fn whole_story(&self) -> String {
        if self.told.replace(true) {
            return String::new();
        }
        let mut story = String::from("--- the session ---\n");
        for line in &self.story {
            // Writing to a string does not fail.
            let _ = writeln!(story, "{line}");
        }
        story + "--- stderr ---\n" + &self.process.stderr()
    }

    fn tell(&mut self, direction: &str, text: &str) {
        let shown: String = text.chars().take(STORY_CHARS).collect();
        let cut = if shown.len() < text.len() { format!(" … ({} bytes)", text.len()) } else { String::new() };
        self.story.push(format!("{direction} {shown}{cut}"));
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if thread::panicking() {
            eprintln!("{}", self.whole_story());
        } else if self.initialized && !self.ended {
            self.finish();
        }
    }
}

/// Messages that need not be read: a client shows them and goes on.
fn is_ambient(method: &str) -> bool {
    matches!(
        method,
        "$/progress" | "window/logMessage" | "window/showMessage" | "textDocument/publishDiagnostics" | "costline/changed"
    )
}
