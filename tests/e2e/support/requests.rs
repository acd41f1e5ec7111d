//! Common requests.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::server::Server;
use super::workspace::Workspace;

/// Raw costs by line, 0-based: `(self, total)`.
pub type LineCosts = BTreeMap<u64, (Value, Value)>;

/// A server with [`six_samples`](super::profiles::six_samples) and `app.py` open.
pub fn six(workspace: &Workspace) -> (Server, String) {
    let mut server = Server::start(workspace);
    let uri = server.open_file(&workspace.path("app.py"), "python");
    server.wait_labels(&uri);
    (server, uri)
}

impl Server {
    /// The hints of a whole document.
    pub fn hints(&mut self, uri: &str) -> Vec<Value> {
        self.hints_in(uri, 0, 1_000_000)
    }

    /// The hints of the lines from `first` to `last`, 0-based.
    pub fn hints_in(&mut self, uri: &str, first: u32, last: u32) -> Vec<Value> {
        let range = json!({ "start": { "line": first, "character": 0 }, "end": { "line": last, "character": 0 } });
        let hints = self.request(
            "textDocument/inlayHint",
            json!({ "textDocument": { "uri": uri }, "range": range }),
        );
        hints.as_array().cloned().unwrap_or_default()
    }

    /// The costs in the hints of a document. Fails if a line has two hints.
    pub fn line_costs(&mut self, uri: &str) -> LineCosts {
        let hints = self.hints(uri);
        let costs: LineCosts = hints
            .iter()
            .map(|hint| {
                (hint["position"]["line"].as_u64().unwrap_or(u64::MAX), cost(&hint["data"]))
            })
            .collect();
        assert_eq!(costs.len(), hints.len(), "one hint per line: {hints:#?}");
        costs
    }

    /// The labels of the hints of a document, by line (0-based), without the word `total` that the
    /// first hint of each function has.
    pub fn labels(&mut self, uri: &str) -> BTreeMap<u64, String> {
        let hints = self.hints(uri);
        hints
            .iter()
            .map(|hint| {
                let label = text(&hint["label"]).replacen(" total", "", 1);
                (hint["position"]["line"].as_u64().unwrap_or(u64::MAX), label)
            })
            .collect()
    }

    /// Waits until a document has hints, and returns their labels.
    pub fn wait_labels(&mut self, uri: &str) -> BTreeMap<u64, String> {
        self.eventually("hints", |server| {
            Some(server.labels(uri)).filter(|labels| !labels.is_empty())
        })
    }

    /// The lenses of a document.
    pub fn lenses(&mut self, uri: &str) -> Vec<Value> {
        let lenses =
            self.request("textDocument/codeLens", json!({ "textDocument": { "uri": uri } }));
        lenses.as_array().cloned().unwrap_or_default()
    }

    /// The code actions of a document, all of them or those of these kinds.
    pub fn code_actions(&mut self, uri: &str, only: Option<&[&str]>) -> Vec<Value> {
        self.code_actions_at(uri, 0, 0, only)
    }

    /// The code actions at a position, of these kinds.
    pub fn code_actions_at(
        &mut self,
        uri: &str,
        line: u64,
        character: u64,
        only: Option<&[&str]>,
    ) -> Vec<Value> {
        let start = json!({ "line": line, "character": character });
        let mut context = json!({ "diagnostics": [] });
        if let Some(only) = only {
            context["only"] = json!(only);
        }
        let actions = self.request(
            "textDocument/codeAction",
            json!({
                "textDocument": { "uri": uri },
                "range": { "start": start, "end": start },
                "context": context,
            }),
        );
        actions.as_array().cloned().expect("a list")
    }

    /// The text of the hover at the end of a line; `None` without one.
    pub fn line_hover(&mut self, uri: &str, line: u64) -> Option<String> {
        // The end of a shorter line.
        self.hover(uri, line, 1000)
    }

    /// The text of the hover at a position; `None` without one.
    pub fn hover(&mut self, uri: &str, line: u64, character: u64) -> Option<String> {
        let hover = self.request("textDocument/hover", at(uri, line, character));
        hover["contents"]["value"].as_str().map(str::to_owned)
    }

    /// The hierarchy items at a position.
    pub fn prepare(&mut self, uri: &str, line: u64, character: u64) -> Vec<Value> {
        let items = self.request("textDocument/prepareCallHierarchy", at(uri, line, character));
        items.as_array().cloned().unwrap_or_default()
    }

    /// The calls into an item: `{from, fromRanges}`.
    pub fn incoming(&mut self, item: &Value) -> Vec<Value> {
        let calls = self.request("callHierarchy/incomingCalls", json!({ "item": item }));
        calls.as_array().cloned().expect("a list for any item")
    }

    /// The calls out of an item: `{to, fromRanges}`.
    pub fn outgoing(&mut self, item: &Value) -> Vec<Value> {
        let calls = self.request("callHierarchy/outgoingCalls", json!({ "item": item }));
        calls.as_array().cloned().expect("a list for any item")
    }

    /// The hierarchy item of a function of the profile, by name.
    pub fn root_item(&mut self, name: &str) -> Value {
        let hotspots = self.execute("costline.hotspots", json!([{ "limit": 1_000_000 }]));
        let functions = hotspots["functions"].as_array().cloned().unwrap_or_default();
        let found = functions.into_iter().find(|function| function["name"] == name);
        found.unwrap_or_else(|| self.fail(&format!("{name} is not a hot spot")))["item"].clone()
    }

    /// `workspace/symbol`.
    pub fn symbols(&mut self, query: &str) -> Vec<Value> {
        let symbols = self.request("workspace/symbol", json!({ "query": query }));
        symbols.as_array().cloned().unwrap_or_default()
    }

    /// `costline.profiles`.
    pub fn profiles(&mut self) -> Value {
        self.execute("costline.profiles", json!([]))
    }

    /// `costline.view`.
    pub fn view(&mut self) -> Value {
        self.execute("costline.view", json!([]))
    }

    /// `costline.setView`.
    pub fn set_view(&mut self, values: Value) -> Value {
        self.execute("costline.setView", json!([values]))
    }

    /// How often costs have been replaced.
    pub fn revision(&mut self) -> u64 {
        self.profiles()["revision"].as_u64().expect("a number")
    }

    /// The file of the shown profile.
    pub fn shown(&mut self) -> Option<String> {
        self.profiles()["active"]["path"].as_str().map(str::to_owned)
    }

    /// Waits until a profile is shown.
    pub fn wait_profile(&mut self) {
        self.eventually("a profile is shown", |server| server.shown().map(drop));
    }

    /// Reads and responds to messages for some time, and calls `probe` repeatedly: for events that
    /// must not happen, or not twice.
    pub fn during(&mut self, time: Duration, mut probe: impl FnMut(&mut Self)) {
        let end = Instant::now() + time;
        self.eventually("the end of a while", |server| {
            probe(server);
            (Instant::now() >= end).then_some(())
        });
    }

    /// `workspace/executeCommand` that must fail: the message.
    pub fn execute_error(&mut self, command: &str, arguments: Value) -> String {
        let answer = self.try_request(
            "workspace/executeCommand",
            json!({ "command": command, "arguments": arguments }),
        );
        match answer {
            Ok(answer) => self.fail(&format!("{command} should have failed; it returned {answer}")),
            Err(error) => error.message,
        }
    }

    /// The warnings logged so far.
    pub fn warnings(&mut self) -> Vec<String> {
        let logged = self.sent("window/logMessage");
        logged
            .iter()
            .filter(|message| message["type"] == 2)
            .map(|message| text(&message["message"]))
            .collect()
    }

    /// Sends new settings, and answers requests for them from now on.
    pub fn configure(&mut self, settings: Value) {
        self.set_settings(settings.clone());
        self.notify(
            "workspace/didChangeConfiguration",
            json!({ "settings": { "costline": settings } }),
        );
    }

    /// Waits until the hints of a document have these costs.
    pub fn wait_costs(&mut self, uri: &str, expected: &LineCosts) {
        self.eventually(&format!("hints {expected:?} in {uri}"), |server| {
            (server.line_costs(uri) == *expected).then_some(())
        });
    }
}

/// `(self, total)` in the `data` of an item.
pub fn cost(data: &Value) -> (Value, Value) {
    (data["self"].clone(), data["total"].clone())
}

/// Raw costs by line, with lines given 1-based: `[(10, 0, 2)]`.
pub fn costs<const N: usize>(lines: [(u64, u64, u64); N]) -> LineCosts {
    lines.into_iter().map(|(line, self_, total)| (line - 1, (json!(self_), json!(total)))).collect()
}

/// The text of a JSON string.
pub fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value} is not a string")).to_owned()
}

/// A position in a document.
pub fn at(uri: &str, line: u64, character: u64) -> Value {
    json!({ "textDocument": { "uri": uri }, "position": { "line": line, "character": character } })
}
