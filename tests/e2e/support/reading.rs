//! Reads messages: checks them, stores them for later waits, and responds.

use std::thread;
use std::time::{Duration, Instant};

use lsp_server::{Message, Notification, Request, RequestId, Response};
use serde_json::{Value, json};

use super::builder::Held;
use super::process::{DEADLINE, Output};
use super::server::Server;
use crate::wire::Side;

/// Reading messages.
impl Server {
    /// Reads until `probe` returns something.
    pub(super) fn wait<T>(&mut self, what: &str, probe: impl FnMut(&mut Self) -> Option<T>) -> T {
        self.probe_until(what, DEADLINE, probe)
    }

    /// Calls `probe` after each message, and whenever none arrived for `interval`, until it returns
    /// something.
    pub(super) fn probe_until<T>(
        &mut self,
        what: &str,
        interval: Duration,
        mut probe: impl FnMut(&mut Self) -> Option<T>,
    ) -> T {
        let deadline = Instant::now() + DEADLINE;
        loop {
            self.fail_on_faults();
            if let Some(found) = probe(self) {
                return found;
            }
            if self.output_closed {
                self.fail(&format!("the server closed its output; expected: {what}"));
            }
            if Instant::now() >= deadline {
                self.fail(&format!("not received within {DEADLINE:?}: {what}"));
            }
            self.read(deadline.min(Instant::now() + interval));
        }
    }

    /// Reads everything received so far.
    pub(super) fn read_available(&mut self) {
        while !self.output_closed && self.read(Instant::now()) {}
    }

    /// Processes the next output; false if there is none until `deadline`.
    pub(super) fn read(&mut self, deadline: Instant) -> bool {
        match self.process.read(deadline) {
            None => return false,
            Some(Output::Closed) => {
                self.output_closed = true;
                // Do not spin at the end of the stream.
                thread::sleep(
                    deadline
                        .saturating_duration_since(Instant::now())
                        .min(Duration::from_millis(5)),
                );
            }
            Some(Output::Unreadable(text)) => {
                self.log("<-", &text);
                self.unreadable.push_back(text);
            }
            Some(Output::Message(message)) => {
                let text = message.to_string();
                self.log("<-", &text);
                let faults = self.check(Side::Server, &message);
                self.faults.extend(faults);
                match serde_json::from_value(message) {
                    Ok(Message::Response(response)) => self.take_response(response),
                    Ok(Message::Notification(Notification { method, params })) => {
                        self.take_notification(method, params);
                    }
                    Ok(Message::Request(Request { id, method, params })) => {
                        self.take_request(id, method, params);
                    }
                    // For example an error without an id.
                    Err(_) => self.unreadable.push_back(text),
                }
            }
        }
        true
    }

    fn take_response(&mut self, Response { id, response_result }: Response) {
        if self.waiting.remove(&id).is_some_and(|method| !method.is_empty()) {
            self.responses.insert(id, response_result);
        }
    }

    fn take_notification(&mut self, method: String, params: Value) {
        self.sent.push((method.clone(), params.clone()));
        self.inbox.push_back((method, params));
    }

    fn take_request(&mut self, id: RequestId, method: String, params: Value) {
        self.sent.push((method.clone(), params.clone()));
        let held = match &self.held {
            Held::All => true,
            Held::Methods(methods) => methods.contains(&method),
        };
        if held {
            self.held_requests.push_back((id, method, params));
        } else {
            let answer = self.answer(&method, &params);
            self.reply(id, answer);
        }
    }

    /// The default response of the client.
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

    /// Sends a message after checking it.
    pub(super) fn send(&mut self, message: &Message) {
        let mut message = json!(message);
        message["jsonrpc"] = json!("2.0");
        let faults = self.check(Side::Client, &message);
        if let Some(fault) = faults.first().filter(|_| !self.is_unchecked) {
            self.fail(&format!("the test sent {fault}"));
        }
        let body = message.to_string();
        self.write_raw(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
    }

    /// Records a message of the client without checking it.
    pub(super) fn record_unchecked(&mut self, message: &Value) {
        self.check(Side::Client, message);
    }

    fn check(&mut self, side: Side, message: &Value) -> Vec<String> {
        if self.is_checked { self.conversation.check(side, message) } else { Vec::new() }
    }
}
