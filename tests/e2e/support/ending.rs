//! Ends a session, and fails a test with a transcript of the session.

use std::fmt::Write;
use std::thread;
use std::time::Instant;

use serde_json::Value;

use super::process::DEADLINE;
use super::server::Server;

/// The limit for a message in the transcript, in characters.
const TRANSCRIPT_CHARS: usize = 1500;

/// Ending a session.
impl Server {
    /// Kills the server.
    pub fn kill(&mut self) {
        self.log("->", "(killed)");
        self.process.kill();
        self.ended = true;
    }

    /// Everything the server wrote to stderr so far.
    pub fn stderr(&self) -> String {
        self.process.stderr()
    }

    /// Waits for the server to exit, reads the rest of its output, and returns the exit code. This
    /// ends the session.
    pub fn wait_exit(&mut self) -> i32 {
        let Some(status) = self.process.wait_exit() else { self.fail("the server still runs") };
        self.ended = true;
        let deadline = Instant::now() + DEADLINE;
        while !self.output_closed && self.read(deadline) {}
        self.fail_on_panics();
        self.fail_on_faults();
        status.code().unwrap_or_else(|| self.fail(&format!("the server was killed: {status}")))
    }

    /// Ends the session like editors do, with stdin left open, and checks that nothing is unread.
    pub fn finish(&mut self) {
        let answer = self.request("shutdown", Value::Null);
        if !answer.is_null() {
            self.fail(&format!("shutdown was answered with {answer}"));
        }
        self.notify("exit", Value::Null);
        let code = self.wait_exit();
        if code != 0 {
            self.fail(&format!("the server exited with {code}"));
        }
        if let Some((method, params)) = self.inbox.iter().find(|(method, _)| !is_optional(method)) {
            self.fail(&format!("the test did not read {method} {params}"));
        }
        if let Some((_, method, params)) = self.held_requests.front() {
            self.fail(&format!("the test did not respond to {method} {params}"));
        }
        if let Some(text) = self.unreadable.front() {
            self.fail(&format!("the server sent a malformed message: {text}"));
        }
        if let Some(id) = self.responses.keys().next() {
            self.fail(&format!("the test did not read the response to request {id}"));
        }
    }
}

/// Failing a test.
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

    /// Fails the test with a transcript of the session.
    pub fn fail(&self, what: &str) -> ! {
        panic!("{what}\n{}", self.transcript());
    }

    /// The transcript; empty if it was printed already.
    fn transcript(&self) -> String {
        if self.is_printed.replace(true) {
            return String::new();
        }
        let mut text = String::from("--- the session ---\n");
        for line in &self.transcript {
            // Writing to a string does not fail.
            let _ = writeln!(text, "{line}");
        }
        text + "--- stderr ---\n" + &self.process.stderr()
    }

    pub(super) fn log(&mut self, direction: &str, text: &str) {
        let shown: String = text.chars().take(TRANSCRIPT_CHARS).collect();
        let cut = if shown.len() < text.len() {
            format!(" … ({} bytes)", text.len())
        } else {
            String::new()
        };
        self.transcript.push(format!("{direction} {shown}{cut}"));
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if thread::panicking() {
            eprintln!("{}", self.transcript());
        } else if self.initialized && !self.ended {
            self.finish();
        }
    }
}

/// Whether a notification may stay unread.
fn is_optional(method: &str) -> bool {
    matches!(
        method,
        "$/progress"
            | "window/logMessage"
            | "window/showMessage"
            | "textDocument/publishDiagnostics"
            | "costline/changed"
    )
}
