//! What the server sends by itself: notifications, and its requests.

use std::time::{Duration, Instant};

use lsp_server::{Message, RequestId, Response};
use serde_json::Value;

use super::builder::Held;
use super::process::DEADLINE;
use super::server::Server;

/// How often the server has asked its client to ask again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Refreshes {
    /// `workspace/inlayHint/refresh`.
    pub inlay_hint: usize,
    /// `workspace/codeLens/refresh`.
    pub code_lens: usize,
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
    pub fn eventually<T>(&mut self, what: &str, probe: impl FnMut(&mut Self) -> Option<T>) -> T {
        self.probe_until(what, Duration::from_millis(20), probe)
    }
}
