//! A client that measures the time of requests.

#![allow(dead_code, reason = "no benchmark uses all of it")]

use lsp_server::{Message, Notification, Request, RequestId, Response};
use lsp_types::Url;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// The median of some times.
pub fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// A language server, with its profile loaded.
#[derive(Debug)]
pub struct Server {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    requests: i32,
    /// The requests that were answered while another one was waited for.
    answered: Vec<RequestId>,
}

impl Server {
    /// A server for a workspace folder. The setting `profile` must be set.
    pub fn start(workspace: &Path, settings: &Value) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_costline"))
            .arg("lsp")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let stdin = child.stdin.take().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let mut server = Self { child, stdin, stdout, requests: 0, answered: Vec::new() };
        let root = Url::from_file_path(workspace).unwrap();
        server.request(
            "initialize",
            json!({
                "capabilities": { "experimental": { "costline": { "changed": true } } },
                "workspaceFolders": [{ "name": "bench", "uri": root }],
                "initializationOptions": settings,
            }),
        );
        server.notify("initialized", json!({}));
        // Answered when the profile has been read.
        let profiles = server.command("costline.reload", &json!([]));
        assert!(profiles["active"].is_object(), "no profile is loaded: {profiles}");
        server
    }

    /// The id of the process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Opens a Rust source of the workspace folder.
    pub fn open(&mut self, workspace: &Path, name: &str) -> Url {
        let path = workspace.join(name);
        let uri = Url::from_file_path(&path).unwrap();
        let text = std::fs::read_to_string(path).unwrap();
        let document = json!({ "uri": uri, "languageId": "rust", "version": 0, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
        uri
    }

    /// Asks for the hints of the first lines. Returns the time until they arrived, and their number.
    pub fn hints(&mut self, uri: &Url, n_lines: usize) -> (Duration, usize) {
        let at = |line| json!({ "line": line, "character": 0 });
        let range = json!({ "start": at(0), "end": at(n_lines) });
        let begin = Instant::now();
        let (hints, arrived) = self.timed_request(
            "textDocument/inlayHint",
            json!({ "textDocument": { "uri": uri }, "range": range }),
        );
        (arrived - begin, hints.as_array().map_or(0, Vec::len))
    }

    /// Executes a command.
    pub fn command(&mut self, name: &str, arguments: &Value) -> Value {
        let params = json!({ "command": name, "arguments": arguments });
        self.request("workspace/executeCommand", params)
    }

    /// Sends a notification.
    pub fn notify(&mut self, method: &str, params: Value) {
        let notification = Notification::new(method.to_owned(), params);
        Message::Notification(notification).write(&mut self.stdin).unwrap();
    }

    /// Sends a request, and waits for the response.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        self.timed_request(method, params).0
    }

    /// Sends a request, and waits for the response. Also returns when it arrived, before it is
    /// decoded.
    pub fn timed_request(&mut self, method: &str, params: Value) -> (Value, Instant) {
        let id = self.send(method, params);
        loop {
            let message = self.receive();
            let arrived = Instant::now();
            match serde_json::from_slice(&message).unwrap() {
                Message::Response(Response { id: other, response_result }) if other == id => {
                    let result =
                        response_result.unwrap_or_else(|error| panic!("{method}: {error:?}"));
                    return (result, arrived);
                }
                Message::Response(Response { id, .. }) => self.answered.push(id),
                Message::Notification(_) => {}
                // The client announces no capabilities for them, so the server sends no requests.
                Message::Request(request) => panic!("unexpected request: {request:?}"),
            }
        }
    }

    /// Sends a request.
    pub fn send(&mut self, method: &str, params: Value) -> RequestId {
        self.requests += 1;
        let id = RequestId::from(self.requests);
        let request = Request { id: id.clone(), method: method.to_owned(), params };
        Message::Request(request).write(&mut self.stdin).unwrap();
        id
    }

    /// Whether a request was answered before the last one that was waited for.
    pub fn is_answered(&self, id: &RequestId) -> bool {
        self.answered.contains(id)
    }

    /// Waits for a notification with such parameters, and returns when it arrived.
    pub fn wait_for(&mut self, method: &str, is_wanted: impl Fn(&Value) -> bool) -> Instant {
        loop {
            let message = self.receive();
            let arrived = Instant::now();
            match serde_json::from_slice(&message).unwrap() {
                Message::Notification(Notification { method: other, params })
                    if other == method && is_wanted(&params) =>
                {
                    return arrived;
                }
                _ => {}
            }
        }
    }
}

impl Server {
    /// The next message of the server, as JSON.
    fn receive(&mut self) -> Vec<u8> {
        let mut length = 0;
        loop {
            let mut line = String::new();
            self.stdout.read_line(&mut line).unwrap();
            match line.trim_end().strip_prefix("Content-Length: ") {
                Some(bytes) => length = bytes.parse().unwrap(),
                None if line.trim_end().is_empty() => break,
                None => {}
            }
        }
        let mut message = vec![0; length];
        self.stdout.read_exact(&mut message).unwrap();
        message
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
