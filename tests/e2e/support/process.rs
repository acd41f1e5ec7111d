//! The server's process and its pipes. Nothing here blocks the test.
//!
//! Threads read stdout and stderr and write stdin, so that a server that stops reading or writing
//! runs into a deadline instead of blocking the test.

use std::ffi::OsStr;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::wire::Frames;

/// The deadline for every wait: enough for a loaded machine, less than the limit of a CI job.
pub const DEADLINE: Duration = Duration::from_secs(20);

/// Output of the server on stdout.
#[derive(Debug)]
pub enum Output {
    /// A message.
    Message(Value),
    /// A malformed message.
    Unreadable(String),
    /// The end of the stream.
    Closed,
}

/// A running `costline` with its pipes.
pub struct Process {
    child: Child,
    stdin: Option<Sender<Vec<u8>>>,
    stdout: Receiver<Output>,
    stderr: Arc<Mutex<Vec<u8>>>,
    stderr_closed: Receiver<()>,
}

impl Process {
    /// Starts the binary under test with `args`, in `cwd`, with `env` added to the environment. If
    /// `under` has a program with arguments, that one starts the binary.
    pub fn spawn(under: &[String], args: &[String], cwd: &Path, env: &[(String, String)]) -> Self {
        let binary = env!("CARGO_BIN_EXE_costline").to_owned();
        let mut words = under.iter().chain([&binary]).chain(args);
        let program = words.next().unwrap_or(&binary);
        let mut child = Command::new(program)
            .args(words.map(OsStr::new))
            .current_dir(cwd)
            // Tests must not share the texts of profiles that have the same bytes.
            .env("COSTLINE_CACHE_DIR", "")
            // Nor the views of earlier runs of themselves.
            .env("COSTLINE_STATE_DIR", "")
            .envs(env.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{program} does not start: {error}"));

        let (stdin, to_write) = channel::<Vec<u8>>();
        let mut pipe = child.stdin.take().unwrap_or_else(|| unreachable!("stdin is piped"));
        thread::spawn(move || {
            for bytes in to_write {
                // If the server is gone, the test notices missing responses.
                if pipe.write_all(&bytes).and_then(|()| pipe.flush()).is_err() {
                    break;
                }
            }
        });

        let (read, stdout) = channel();
        let mut pipe = child.stdout.take().unwrap_or_else(|| unreachable!("stdout is piped"));
        thread::spawn(move || {
            let mut frames = Frames::default();
            let mut chunk = [0; 16 * 1024];
            while let Ok(count @ 1..) = pipe.read(&mut chunk) {
                frames.push(&chunk[..count]);
                for message in &mut frames {
                    // The test does not read any more.
                    let _ = read.send(message.map_or_else(Output::Unreadable, Output::Message));
                }
            }
            let _ = read.send(Output::Closed);
        });

        let stderr = Arc::new(Mutex::new(Vec::new()));
        let (at_end, stderr_closed) = channel();
        let mut pipe = child.stderr.take().unwrap_or_else(|| unreachable!("stderr is piped"));
        let collected = stderr.clone();
        thread::spawn(move || {
            let mut chunk = [0; 4096];
            while let Ok(count @ 1..) = pipe.read(&mut chunk) {
                collected
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .extend_from_slice(&chunk[..count]);
            }
            // The test does not wait any more.
            let _ = at_end.send(());
        });

        Self { child, stdin: Some(stdin), stdout, stderr, stderr_closed }
    }

    /// The process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Queues `bytes` for stdin.
    pub fn write(&self, bytes: Vec<u8>) {
        if let Some(stdin) = &self.stdin {
            // The receiver is gone if the server closed the pipe.
            let _ = stdin.send(bytes);
        }
    }

    /// Closes stdin after everything queued.
    pub fn close_stdin(&mut self) {
        self.stdin = None;
    }

    /// The next output from stdout; `None` at `deadline`.
    pub fn read(&self, deadline: Instant) -> Option<Output> {
        match self.stdout.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(output) => Some(output),
            Err(RecvTimeoutError::Disconnected) => Some(Output::Closed),
            Err(RecvTimeoutError::Timeout) => None,
        }
    }

    /// Everything written to stderr so far.
    pub fn stderr(&self) -> String {
        String::from_utf8_lossy(&self.stderr.lock().unwrap_or_else(PoisonError::into_inner))
            .into_owned()
    }

    /// Kills the process.
    pub fn kill(&mut self) {
        // An error means that it has exited already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Waits until the process has exited and stderr is read to its end. `None` at the
    /// [`DEADLINE`].
    pub fn wait_exit(&mut self) -> Option<ExitStatus> {
        let status = wait_exit(&mut self.child)?;
        let _ = self.stderr_closed.recv_timeout(DEADLINE);
        Some(status)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Like [`Process::wait_exit`] for any child process.
pub fn wait_exit(child: &mut Child) -> Option<ExitStatus> {
    let deadline = Instant::now() + DEADLINE;
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) if Instant::now() < deadline => thread::sleep(Duration::from_millis(5)),
            Ok(None) => return None,
            Err(error) => panic!("waiting for the server failed: {error}"),
        }
    }
}
