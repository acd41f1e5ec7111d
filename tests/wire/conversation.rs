//! Checks each message of a conversation, given those before it.

use super::progress::Progress;
use super::schema::{LSP, OWN, Schema, shown};
use super::{declared, rules};
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};

/// The sender of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// The editor.
    Client,
    /// Costline.
    Server,
}

/// The state of a conversation, as far as later messages depend on it.
#[derive(Default)]
pub struct Conversation {
    /// Requests without a response, by sender and id.
    open: HashMap<(Side, String), Request>,
    is_initialized: bool,
    /// Of the client.
    capabilities: Value,
    /// Advertised by the server, or announced by the client.
    commands: Vec<String>,
    /// Ids of the server's current registrations.
    registrations: HashSet<String>,
    progress: Progress,
    /// The latest version of each document that was opened.
    versions: HashMap<String, i64>,
}

struct Request {
    method: String,
    params: Value,
}

impl Conversation {
    /// Records the next message and returns what is wrong with it.
    pub fn check(&mut self, side: Side, message: &Value) -> Vec<String> {
        let mut faults = envelope(message);
        if side == Side::Server {
            faults.extend(rules::faults(message, &self.commands));
        }
        let id = message.get("id").filter(|id| !id.is_null());
        match (message["method"].as_str(), id) {
            (Some(method), id) => {
                let (method, params) = (method.to_owned(), message.get("params"));
                faults.extend(schema(&method).faults(&method, "params", params));
                let params = params.cloned().unwrap_or_default();
                faults.extend(match side {
                    Side::Client => self.check_from_client(&method, &params),
                    Side::Server => self.check_from_server(&method, &params),
                });
                if let Some(id) = id {
                    let previous =
                        self.open.insert((side, id.to_string()), Request { method, params });
                    faults.extend(previous.map(|previous| {
                        format!("the id {id} belongs to an open request: {}", previous.method)
                    }));
                }
            }
            (None, Some(id)) => {
                let requester = if side == Side::Client { Side::Server } else { Side::Client };
                match self.open.remove(&(requester, id.to_string())) {
                    Some(request) => {
                        faults.extend(self.check_response(requester, &request, message));
                    }
                    None => faults.push(format!(
                        "a response to request {id}, which is not open: {}",
                        shown(message)
                    )),
                }
            }
            // The response to a message that could not be parsed has no id.
            (None, None) => {}
        }
        faults
    }

    /// A notification or request of the client.
    fn check_from_client(&mut self, method: &str, params: &Value) -> Vec<String> {
        for token in ["workDoneToken", "partialResultToken"] {
            if let Some(token) = params.get(token) {
                self.progress.open(token);
            }
        }
        match method {
            "initialize" => self.capabilities = params["capabilities"].clone(),
            "textDocument/didOpen" | "textDocument/didChange" => {
                let document = &params["textDocument"];
                if let (Some(uri), Some(version)) =
                    (document["uri"].as_str(), document["version"].as_i64())
                {
                    let latest = self.versions.entry(uri.to_owned()).or_insert(version);
                    *latest = version.max(*latest);
                }
            }
            _ => {}
        }
        Vec::new()
    }

    /// A notification or request of the server.
    fn check_from_server(&mut self, method: &str, params: &Value) -> Vec<String> {
        let mut faults = Vec::new();
        if let Some(undeclared) = declared::undeclared(&self.capabilities, method, params) {
            faults.push(format!("{method}, but the client does not declare {undeclared}"));
        }
        if !self.is_initialized
            && !matches!(
                method,
                "window/logMessage" | "window/showMessage" | "window/showMessageRequest"
            )
        {
            faults.push(format!("{method} before the response to initialize"));
        }
        let list = |name: &str| params[name].as_array().cloned().unwrap_or_default();
        match method {
            "window/workDoneProgress/create" => {
                faults.extend(self.progress.create(&params["token"]));
            }
            "$/progress" => faults.extend(self.progress.check(params)),
            "client/registerCapability" => {
                for registration in list("registrations") {
                    let method = registration["method"].as_str().unwrap_or_default();
                    faults.extend(LSP.faults(
                        method,
                        "registerOptions",
                        registration.get("registerOptions"),
                    ));
                    if !self.registrations.insert(registration["id"].to_string()) {
                        faults.push(format!("registered twice: {registration}"));
                    }
                }
            }
            "client/unregisterCapability" => {
                // The protocol spells it like this.
                for gone in list("unregisterations") {
                    if !self.registrations.remove(&gone["id"].to_string()) {
                        faults.push(format!("never registered: {gone}"));
                    }
                }
            }
            "textDocument/publishDiagnostics" => {
                let latest = params["uri"].as_str().and_then(|uri| self.versions.get(uri));
                if let Some(version) = params["version"].as_i64()
                    && latest.is_none_or(|&latest| version > latest)
                {
                    faults.push(format!(
                        "diagnostics for a version that the client has not sent: {}",
                        shown(params)
                    ));
                }
            }
            _ => {}
        }
        faults
    }

    /// The response to a request of `requester`.
    fn check_response(
        &mut self,
        requester: Side,
        request: &Request,
        response: &Value,
    ) -> Vec<String> {
        let (method, result) = (request.method.as_str(), response.get("result"));
        let mut faults = result
            .map_or_else(Vec::new, |result| schema(method).faults(method, "result", Some(result)));
        match (requester, method, result) {
            (Side::Client, "initialize", Some(result)) => {
                self.is_initialized = true;
                let capabilities = &result["capabilities"];
                let commands = capabilities["executeCommandProvider"]["commands"]
                    .as_array()
                    .into_iter()
                    .flatten();
                self.commands =
                    commands.filter_map(|command| command.as_str().map(str::to_owned)).collect();
                let undocumented = self.commands.iter().filter(|command| !OWN.has(command));
                faults.extend(undocumented.map(|command| {
                    format!("initialize: {command}, which is not in docs/commands.schema.json")
                }));
                self.commands.extend(declared::commands(&self.capabilities));
                let utf_16 = json!("utf-16");
                let encoding = capabilities.get("positionEncoding").unwrap_or(&utf_16);
                let offers = self
                    .capabilities
                    .pointer("/general/positionEncodings")
                    .and_then(Value::as_array);
                if *encoding != utf_16 && !offers.is_some_and(|offers| offers.contains(encoding)) {
                    faults.push(format!(
                        "initialize: the encoding {encoding}, which the client does not support"
                    ));
                }
            }
            // Arguments that the server accepts must be documented. Those it rejects need not.
            (Side::Client, "workspace/executeCommand", Some(result)) => {
                let command = request.params["command"].as_str().unwrap_or_default();
                let arguments =
                    request.params.get("arguments").cloned().unwrap_or_else(|| json!([]));
                faults.extend(OWN.faults(command, "arguments", Some(&arguments)));
                faults.extend(OWN.faults(command, "result", Some(result)));
            }
            (Side::Server, "window/workDoneProgress/create", Some(_)) => {
                self.progress.open(&request.params["token"]);
            }
            (Side::Server, "window/workDoneProgress/create", None) => {
                self.progress.reject(&request.params["token"]);
            }
            _ => {}
        }
        faults
    }
}

/// The schema that describes a method.
fn schema(method: &str) -> &'static Schema {
    if method.starts_with("costline/") { &OWN } else { &LSP }
}

/// Checks what JSON-RPC 2.0 requires of every message.
fn envelope(message: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    let mut must = |holds: bool, what: &str| {
        if !holds {
            faults.push(format!("{what}: {}", shown(message)));
        }
    };
    let Some(members) = message.as_object() else {
        return vec![format!("a message that is not an object: {}", shown(message))];
    };
    let integer = |value: &Value| value.as_i64().is_some_and(|value| i32::try_from(value).is_ok());
    let id = members.get("id");
    must(members.get("jsonrpc") == Some(&json!("2.0")), "not a message of JSON-RPC 2.0");
    must(
        id.is_none_or(|id| integer(id) || id.is_string() || id.is_null()),
        "an id of the wrong type",
    );
    let allowed: &[&str] = if let Some(method) = members.get("method") {
        must(method.as_str().is_some_and(|method| !method.is_empty()), "a method without a name");
        must(id != Some(&Value::Null), "a request without an id");
        must(
            members.get("params").is_none_or(|params| params.is_object() || params.is_array()),
            "params of the wrong type",
        );
        &["jsonrpc", "id", "method", "params"]
    } else {
        must(id.is_some(), "a response without an id");
        must(
            members.contains_key("result") != members.contains_key("error"),
            "a response needs either a result or an error",
        );
        must(id != Some(&Value::Null) || members.contains_key("error"), "a result without an id");
        if let Some(error) = members.get("error") {
            must(
                error["code"].as_i64().is_some_and(|code| i32::try_from(code).is_ok()),
                "an error without a code",
            );
            must(
                error["message"].as_str().is_some_and(|message| !message.is_empty()),
                "an error without a message",
            );
            let names = error.as_object().into_iter().flat_map(|error| error.keys());
            must(
                names.into_iter().all(|name| ["code", "message", "data"].contains(&name.as_str())),
                "an error with unknown members",
            );
        }
        &["jsonrpc", "id", "result", "error"]
    };
    must(
        members.keys().all(|name| allowed.contains(&name.as_str())),
        "members that JSON-RPC does not have",
    );
    faults
}
