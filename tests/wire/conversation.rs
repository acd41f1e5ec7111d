//! A conversation as it is heard: what is open, and what is wrong with the next message.

use super::progress::Progress;
use super::schema::{LSP, OWN, Schema, shown};
use super::{declared, rules};
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// The editor.
    Client,
    /// Costline.
    Server,
}

/// What matters of a conversation for the messages that follow.
#[derive(Default)]
pub struct Conversation {
    /// Requests without an answer, by who asked and their id.
    open: HashMap<(Side, String), Asked>,
    is_initialized: bool,
    /// Of the client.
    capabilities: Value,
    /// That the server offers.
    commands: Vec<String>,
    /// That the server has made and not undone, by id.
    registrations: HashSet<String>,
    progress: Progress,
    /// The latest version of each document that was ever opened.
    versions: HashMap<String, i64>,
}

struct Asked {
    method: String,
    params: Value,
}

impl Conversation {
    /// What is wrong with the next message.
    pub fn hear(&mut self, side: Side, message: &Value) -> Vec<String> {
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
                    Side::Client => self.client_says(&method, &params),
                    Side::Server => self.server_says(&method, &params),
                });
                if let Some(id) = id {
                    let before = self.open.insert((side, id.to_string()), Asked { method, params });
                    faults.extend(before.map(|before| format!("the id {id} is that of an open request: {}", before.method)));
                }
            }
            (None, Some(id)) => {
                let asker = if side == Side::Client { Side::Server } else { Side::Client };
                match self.open.remove(&(asker, id.to_string())) {
                    Some(asked) => faults.extend(self.answered(asker, &asked, message)),
                    None => faults.push(format!("an answer to request {id}, which is not open: {}", shown(message))),
                }
            }
            // A message that could not be read is answered without an id.
            (None, None) => {}
        }
        faults
    }

    /// A notification or request of the client.
    fn client_says(&mut self, method: &str, params: &Value) -> Vec<String> {
        for token in ["workDoneToken", "partialResultToken"] {
            if let Some(token) = params.get(token) {
                self.progress.open(token);
            }
        }
        match method {
            "initialize" => self.capabilities = params["capabilities"].clone(),
            "textDocument/didOpen" | "textDocument/didChange" => {
                let document = &params["textDocument"];
                if let (Some(uri), Some(version)) = (document["uri"].as_str(), document["version"].as_i64()) {
                    let latest = self.versions.entry(uri.to_owned()).or_insert(version);
                    *latest = version.max(*latest);
                }
            }
            _ => {}
        }
        Vec::new()
    }

    /// A notification or request of the server.
    fn server_says(&mut self, method: &str, params: &Value) -> Vec<String> {
        let mut faults = Vec::new();
        if let Some(undeclared) = declared::undeclared(&self.capabilities, method, params) {
            faults.push(format!("{method}, though the client has not declared {undeclared}"));
        }
        if !self.is_initialized && !matches!(method, "window/logMessage" | "window/showMessage" | "window/showMessageRequest") {
            faults.push(format!("{method} before the answer to initialize"));
        }
        let list = |name: &str| params[name].as_array().cloned().unwrap_or_default();
        match method {
            "window/workDoneProgress/create" => faults.extend(self.progress.ask(&params["token"])),
            "$/progress" => faults.extend(self.progress.hear(params)),
            "client/registerCapability" => {
                for registration in list("registrations") {
                    let method = registration["method"].as_str().unwrap_or_default();
                    faults.extend(LSP.faults(method, "registerOptions", registration.get("registerOptions")));
                    if !self.registrations.insert(registration["id"].to_string()) {
                        faults.push(format!("registered twice: {registration}"));
                    }
                }
            }
            "client/unregisterCapability" => {
                // The protocol's own spelling.
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
                    faults.push(format!("diagnostics for a version that the client has not told: {}", shown(params)));
                }
            }
            _ => {}
        }
        faults
    }

    /// The answer to a request of `asker`.
    fn answered(&mut self, asker: Side, asked: &Asked, answer: &Value) -> Vec<String> {
        let (method, result) = (asked.method.as_str(), answer.get("result"));
        let mut faults = result.map_or_else(Vec::new, |result| schema(method).faults(method, "result", Some(result)));
        match (asker, method, result) {
            (Side::Client, "initialize", Some(result)) => {
                self.is_initialized = true;
                let capabilities = &result["capabilities"];
                let commands = capabilities["executeCommandProvider"]["commands"].as_array().into_iter().flatten();
                self.commands = commands.filter_map(|command| command.as_str().map(str::to_owned)).collect();
                let unknown = self.commands.iter().filter(|command| !OWN.knows(command));
                faults.extend(
                    unknown.map(|command| format!("initialize: {command}, which docs/commands.schema.json does not know")),
                );
                let utf_16 = json!("utf-16");
                let encoding = capabilities.get("positionEncoding").unwrap_or(&utf_16);
                let offers = self.capabilities.pointer("/general/positionEncodings").and_then(Value::as_array);
                if *encoding != utf_16 && !offers.is_some_and(|offers| offers.contains(encoding)) {
                    faults.push(format!("initialize: the encoding {encoding}, which the client does not offer"));
                }
            }
            // What the server takes is what it says that it takes.
            (Side::Client, "workspace/executeCommand", Some(result)) => {
                let command = asked.params["command"].as_str().unwrap_or_default();
                let arguments = asked.params.get("arguments").cloned().unwrap_or_else(|| json!([]));
                faults.extend(OWN.faults(command, "arguments", Some(&arguments)));
                faults.extend(OWN.faults(command, "result", Some(result)));
            }
            (Side::Server, "window/workDoneProgress/create", Some(_)) => self.progress.open(&asked.params["token"]),
            (Side::Server, "window/workDoneProgress/create", None) => self.progress.refuse(&asked.params["token"]),
            _ => {}
        }
        faults
    }
}

/// Where a method is described.
fn schema(method: &str) -> &'static Schema {
    if method.starts_with("costline/") { &OWN } else { &LSP }
}

/// What JSON-RPC 2.0 says of every message.
fn envelope(message: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    let mut must = |holds: bool, what: &str| {
        if !holds {
            faults.push(format!("{what}: {}", shown(message)));
        }
    };
    let Some(members) = message.as_object() else { return vec![format!("a message that is no object: {}", shown(message))] };
    let integer = |value: &Value| value.as_i64().is_some_and(|value| i32::try_from(value).is_ok());
    let id = members.get("id");
    must(members.get("jsonrpc") == Some(&json!("2.0")), "not of JSON-RPC 2.0");
    must(id.is_none_or(|id| integer(id) || id.is_string() || id.is_null()), "an id of another kind");
    let known: &[&str] = if let Some(method) = members.get("method") {
        must(method.as_str().is_some_and(|method| !method.is_empty()), "a method without a name");
        must(id != Some(&Value::Null), "a request without an id");
        must(members.get("params").is_none_or(|params| params.is_object() || params.is_array()), "params of another kind");
        &["jsonrpc", "id", "method", "params"]
    } else {
        must(id.is_some(), "an answer without an id");
        must(
            members.contains_key("result") != members.contains_key("error"),
            "an answer needs a result or an error, one of them",
        );
        must(id != Some(&Value::Null) || members.contains_key("error"), "a result without an id");
        if let Some(error) = members.get("error") {
            must(error["code"].as_i64().is_some_and(|code| i32::try_from(code).is_ok()), "an error without a code");
            must(error["message"].as_str().is_some_and(|message| !message.is_empty()), "an error without a message");
            let names = error.as_object().into_iter().flat_map(|error| error.keys());
            must(
                names.into_iter().all(|name| ["code", "message", "data"].contains(&name.as_str())),
                "an error with other members",
            );
        }
        &["jsonrpc", "id", "result", "error"]
    };
    must(members.keys().all(|name| known.contains(&name.as_str())), "other members than JSON-RPC has");
    faults
}
