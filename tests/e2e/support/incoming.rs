//! Notifications and requests sent by the server.

use std::time::{Duration, Instant};

use lsp_server::{Message, RequestId, Response};
use serde_json::Value;

use super::builder::Held;
use super::process::DEADLINE;
use super::server::Server;

/// The number of refreshes that the server requested.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Refreshes {
    /// `workspace/inlayHint/refresh`.
    pub inlay_hint: usize,
    /// `workspace/codeLens/refresh`.
    pub code_lens: usize,
}

/// Messages sent by the server.
impl Server {
    /// Takes the first notification of this method for which `matches` holds, already received or
    /// not.
    pub fn wait_notification(&mut self, method: &str, matches: impl Fn(&Value) -> bool) -> Value {
        self.wait(&format!("a matching {method}"), |server| {
            let at =
                server.inbox.iter().position(|(name, params)| name == method && matches(params))?;
            server.inbox.remove(at).map(|(_, params)| params)
        })
    }

    /// Takes the next held request of this method. The test must [respond](Self::reply).
    pub fn wait_server_request(&mut self, method: &str) -> (RequestId, Value) {
        self.wait(&format!("the server's {method}"), |server| {
            let at = server.held_requests.iter().position(|(_, name, _)| name == method)?;
            server.held_requests.remove(at).map(|(id, _, params)| (id, params))
        })
    }

    /// Takes all held requests received so far.
    pub fn take_server_requests(&mut self) -> Vec<(RequestId, String, Value)> {
        self.read_available();
        self.held_requests.drain(..).collect()
    }

    /// Responds to a request of the server.
    pub fn reply(&mut self, id: RequestId, result: Value) {
        self.send(&Message::Response(Response { id, response_result: Ok(result) }));
    }

    /// Responds to a request of the server with an error.
    pub fn reply_error(&mut self, id: RequestId, code: i32, message: &str) {
        self.send(&Message::Response(Response::new_err(id, code, message.to_owned())));
    }

    /// Leaves requests of this method to the test from now on.
    pub fn hold(&mut self, method: &str) {
        if let Held::Methods(methods) = &mut self.held {
            methods.insert(method.to_owned());
        }
    }

    /// Replaces the client's configuration without notifying the server.
    pub fn set_settings(&mut self, settings: Value) {
        self.settings = settings;
    }

    /// The params of all messages of this method sent by the server so far, in order.
    pub fn sent(&mut self, method: &str) -> Vec<Value> {
        self.read_available();
        self.sent
            .iter()
            .filter(|(name, _)| name == method)
            .map(|(_, params)| params.clone())
            .collect()
    }

    /// The number of refreshes that the server requested so far.
    pub fn refreshes(&mut self) -> Refreshes {
        Refreshes {
            inlay_hint: self.sent("workspace/inlayHint/refresh").len(),
            code_lens: self.sent("workspace/codeLens/refresh").len(),
        }
    }

    /// The params of all `$/progress`.
    pub fn progress(&mut self) -> Vec<Value> {
        self.sent("$/progress")
    }

    /// The texts of all `window/showMessage`, `window/showMessageRequest` and `window/logMessage`.
    pub fn messages(&mut self) -> Vec<String> {
        self.read_available();
        let shown = self.sent.iter().filter(|(method, _)| {
            matches!(
                method.as_str(),
                "window/showMessage" | "window/showMessageRequest" | "window/logMessage"
            )
        });
        shown.map(|(_, params)| params["message"].as_str().unwrap_or_default().to_owned()).collect()
    }

    /// The current registrations of the server.
    pub fn registrations(&mut self) -> Vec<Value> {
        self.read_available();
        let mut registrations: Vec<Value> = Vec::new();
        for (method, params) in &self.sent {
            match method.as_str() {
                "client/registerCapability" => {
                    registrations
                        .extend(params["registrations"].as_array().into_iter().flatten().cloned());
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

    /// Calls `probe` until it returns something, while messages are read and responded to. The
    /// probe may send requests.
    pub fn eventually<T>(&mut self, what: &str, probe: impl FnMut(&mut Self) -> Option<T>) -> T {
        self.probe_until(what, Duration::from_millis(20), probe)
    }
}
