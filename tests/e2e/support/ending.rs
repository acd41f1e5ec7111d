//! How a session ends: as it should, or with all that went over the wire.

use std::fmt::Write;
use std::thread;
use std::time::Instant;

use serde_json::Value;

use super::process::DEADLINE;
use super::server::Server;

/// Characters of a message that the story of a failed test shows.
const STORY_CHARS: usize = 1500;

/// The end.
impl Server {
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

/// Failing.
impl Server {
    pub(super) fn fail_on_faults(&self) {
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

    pub(super) fn tell(&mut self, direction: &str, text: &str) {
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
