//! A session with the real server: messages of the client.

use std::cell::Cell;
use std::collections::{HashMap, VecDeque};
use std::fs;
use std::path::Path;

use lsp_server::{Message, Notification, Request, RequestId, ResponseError};
use serde_json::{Value, json};

use super::builder::{Held, ServerBuilder};
use super::process::Process;
use super::workspace::{Workspace, uri};
use crate::wire::Conversation;

/// A running server and its client. The [module](super) describes what it checks automatically.
#[expect(clippy::struct_excessive_bools, reason = "each is the state of one event")]
pub struct Server {
    pub(super) process: Process,
    pub(super) params: Value,
    pub(super) settings: Value,
    pub(super) held: Held,
    pub(super) initialize_result: Value,
    pub(super) initialized: bool,
    pub(super) ended: bool,
    pub(super) output_closed: bool,
    pub(super) last_id: i32,
    /// Requests of the client without a response, with their methods. Empty if nobody waits for it.
    pub(super) waiting: HashMap<RequestId, String>,
    pub(super) responses: HashMap<RequestId, Result<Value, ResponseError>>,
    /// Notifications that no wait has taken yet.
    pub(super) inbox: VecDeque<(String, Value)>,
    /// Held requests of the server that no wait has taken yet.
    pub(super) held_requests: VecDeque<(RequestId, String, Value)>,
    pub(super) unreadable: VecDeque<String>,
    /// All notifications and requests of the server, in order.
    pub(super) sent: Vec<(String, Value)>,
    pub(super) conversation: Conversation,
    /// See [`ServerBuilder::unchecked`].
    pub(super) is_unchecked: bool,
    /// See [`ServerBuilder::without_checks`].
    pub(super) is_checked: bool,
    pub(super) versions: HashMap<String, i32>,
    pub(super) faults: Vec<String>,
    pub(super) transcript: Vec<String>,
    /// Whether the transcript was printed.
    pub(super) is_printed: Cell<bool>,
}

/// Starting a session.
impl Server {
    /// A server with a client that supports everything.
    pub fn start(workspace: &Workspace) -> Self {
        Self::builder(workspace).start()
    }

    /// See [`ServerBuilder`].
    pub fn builder(workspace: &Workspace) -> ServerBuilder {
        ServerBuilder::new(workspace)
    }

    /// Performs the handshake, for a server that was started without it.
    pub fn initialize(&mut self) -> &Value {
        self.initialize_result = self.request("initialize", self.params.clone());
        self.notify("initialized", json!({}));
        self.initialized = true;
        &self.initialize_result
    }

    /// The result of `initialize`.
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
    /// Sends a request and waits for its result. An error fails the test.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let outcome = self.try_request(method, params);
        outcome.unwrap_or_else(|error| {
            self.fail(&format!("{method} failed with error {}: {}", error.code, error.message))
        })
    }

    /// Sends a request and waits for its response.
    pub fn try_request(&mut self, method: &str, params: Value) -> Result<Value, ResponseError> {
        let id = self.send_request(method, params);
        self.wait_response(&id)
    }

    /// Sends a request. The test must wait for the response, or [forget](Self::forget) it.
    pub fn send_request(&mut self, method: &str, params: Value) -> RequestId {
        self.last_id += 1;
        let id = RequestId::from(self.last_id);
        self.waiting.insert(id.clone(), method.to_owned());
        self.send(&Message::Request(Request { id: id.clone(), method: method.to_owned(), params }));
        id
    }

    /// Waits for the response to a request.
    pub fn wait_response(&mut self, id: &RequestId) -> Result<Value, ResponseError> {
        let method = self.waiting.get(id).cloned().unwrap_or_default();
        self.wait(&format!("the response to {method} ({id})"), |server| server.responses.remove(id))
    }

    /// Whether the response to a request was received.
    pub fn has_response(&mut self, id: &RequestId) -> bool {
        self.read_available();
        self.responses.contains_key(id)
    }

    /// Ignores the response to a request.
    pub fn forget(&mut self, id: &RequestId) {
        self.read_available();
        self.responses.remove(id);
        // The response may still be received. An empty method marks it as ignored.
        if let Some(method) = self.waiting.get_mut(id) {
            method.clear();
        }
    }

    /// Sends `$/cancelRequest`. There still is a response.
    pub fn cancel(&mut self, id: &RequestId) {
        self.notify("$/cancelRequest", json!({ "id": id }));
    }

    /// Sends a notification.
    pub fn notify(&mut self, method: &str, params: Value) {
        self.send(&Message::Notification(Notification { method: method.to_owned(), params }));
    }

    /// `workspace/executeCommand`.
    pub fn execute(&mut self, command: &str, arguments: Value) -> Value {
        self.request(
            "workspace/executeCommand",
            json!({ "command": command, "arguments": arguments }),
        )
    }
}

/// Documents. The client sends whole texts and counts versions.
impl Server {
    /// Opens a file with its text on disk, and returns its URI.
    pub fn open_file(&mut self, path: &Path, language: &str) -> String {
        let text =
            fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
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

    /// Changes an open document by `contentChanges`.
    pub fn change_by(&mut self, uri: &str, changes: Value) {
        let version = self.versions.entry(uri.to_owned()).or_insert(1);
        *version += 1;
        let document = json!({ "uri": uri, "version": version });
        self.notify(
            "textDocument/didChange",
            json!({ "textDocument": document, "contentChanges": changes }),
        );
    }

    /// The version of an open document.
    pub fn version(&self, uri: &str) -> i32 {
        self.versions[uri]
    }

    /// Sends `didSave` for a document.
    pub fn save(&mut self, uri: &str) {
        self.notify("textDocument/didSave", json!({ "textDocument": { "uri": uri } }));
    }

    /// Closes a document.
    pub fn close(&mut self, uri: &str) {
        self.versions.remove(uri);
        self.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
    }
}

/// Raw access, for tests of the life cycle.
impl Server {
    /// The server's process id.
    pub fn process_id(&self) -> u32 {
        self.process.id()
    }

    /// Writes bytes to stdin.
    pub fn write_raw(&mut self, bytes: &[u8]) {
        self.log("->", &String::from_utf8_lossy(bytes));
        self.process.write(bytes.to_vec());
    }

    /// Announces that a request with this id will be [written](Self::write_raw).
    pub fn expect_answer(&mut self, id: i32, method: &str) {
        self.record_unchecked(&json!({ "jsonrpc": "2.0", "id": id, "method": method }));
        self.await_answer(id, method);
    }

    fn await_answer(&mut self, id: i32, method: &str) {
        self.last_id = self.last_id.max(id);
        self.waiting.insert(id.into(), method.to_owned());
    }

    /// Sends any JSON in a frame, unchecked. Adds `"jsonrpc": "2.0"` if it is missing. The test can
    /// wait for the responses to requests.
    pub fn send_json(&mut self, mut message: Value) {
        if let Value::Object(members) = &mut message {
            members.entry("jsonrpc").or_insert(json!("2.0"));
        }
        if let (Some(id), Some(method)) =
            (message.get("id").and_then(Value::as_i64), message["method"].as_str())
        {
            let id = i32::try_from(id).unwrap_or_else(|_| panic!("{id} is not an id of a test"));
            self.await_answer(id, method);
        }
        self.record_unchecked(&message);
        let body = message.to_string();
        self.write_raw(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
    }

    /// Waits for output that is not a message for a request, such as an error whose id is null.
    pub fn wait_unreadable(&mut self) -> String {
        self.wait("a response without id", |server| server.unreadable.pop_front())
    }

    /// The process id.
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// Closes the server's stdin after everything sent.
    pub fn close_stdin(&mut self) {
        self.log("->", "(stdin closed)");
        self.process.close_stdin();
    }
}
