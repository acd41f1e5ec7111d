//! The time of `costline.setView` in a workspace with 120 000 files, relative to the same workspace
//! without them.
//!
//! The source index belongs to the roots and not to the view, so the ratio should be close to 1; it
//! must not exceed 2. Two servers run at the same time and answer in turn, so that both are
//! affected alike by other work on the machine. `COSTLINE_BENCH_FILES` sets another number of
//! files.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints its results and panics on errors"
)]

use lsp_server::{Message, Notification, Request, Response};
use lsp_types::Url;
use serde_json::{Value, json};
use std::fs;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// The number of changes of the view to measure on each side.
const ROUNDS: usize = 61;
const FILES_PER_FOLDER: usize = 200;
/// The greatest ratio that is accepted.
const MAX_RATIO: f64 = 2.0;

fn main() {
    let files: usize =
        std::env::var("COSTLINE_BENCH_FILES").ok().and_then(|n| n.parse().ok()).unwrap_or(120_000);
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("set-view");
    let mut small = Server::start(&workspace(&folder.join("small"), 0));
    let mut large = Server::start(&workspace(&folder.join(format!("large-{files}")), files));

    let (mut without, mut with) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        let inlines = if round % 2 == 0 { "callSite" } else { "body" };
        without.push(small.set_view(inlines));
        with.push(large.set_view(inlines));
    }
    let (without, with) = (median(without), median(with));
    let ratio = with.as_secs_f64() / without.as_secs_f64();
    println!("{:<46} {:>7.2} ms", "setView, no other files", without.as_secs_f64() * 1e3);
    println!(
        "{:<46} {:>7.2} ms",
        format!("setView, {files} other files"),
        with.as_secs_f64() * 1e3
    );
    println!("{:<46} {ratio:>7.2}", "ratio");
    assert!(ratio <= MAX_RATIO, "the ratio exceeds {MAX_RATIO}");
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// Creates a workspace with a profile, its sources and as many `files` that have nothing to do with
/// it, unless it exists.
fn workspace(folder: &Path, files: usize) -> PathBuf {
    let case = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../fixtures/profiles/firefox/rust-wordstat-v70");
    let complete = folder.join("complete");
    if !complete.exists() {
        copy(&case, folder);
        for i in 0..files.div_ceil(FILES_PER_FOLDER) {
            let others = folder.join(format!("others/folder_{i}"));
            fs::create_dir_all(&others).unwrap();
            for j in 0..FILES_PER_FOLDER.min(files - i * FILES_PER_FOLDER) {
                fs::write(others.join(format!("file_{j}.rs")), "").unwrap();
            }
        }
        fs::write(complete, "").unwrap();
    }
    folder.to_owned()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// A language server, with its profile loaded.
struct Server {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    requests: i32,
}

impl Server {
    fn start(workspace: &Path) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_costline"))
            .arg("lsp")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let stdin = child.stdin.take().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let mut server = Self { child, stdin, stdout, requests: 0 };
        let root = Url::from_file_path(workspace).unwrap();
        server.request(
            "initialize",
            json!({
                "capabilities": {},
                "workspaceFolders": [{ "name": "bench", "uri": root }],
                "initializationOptions": { "profile": "profile.json.gz" },
            }),
        );
        let initialized = Notification::new("initialized".to_owned(), json!({}));
        Message::Notification(initialized).write(&mut server.stdin).unwrap();
        // Answered when the profile has been read.
        let profiles = server.command("costline.reload", &json!([]));
        assert!(profiles["active"].is_object(), "no profile is loaded: {profiles}");
        server
    }

    /// Changes the view and returns the time until the costs of the new view are shown.
    fn set_view(&mut self, inlines: &str) -> Duration {
        let begin = Instant::now();
        self.command("costline.setView", &json!([{ "inlines": inlines }]));
        begin.elapsed()
    }

    fn command(&mut self, name: &str, arguments: &Value) -> Value {
        let params = json!({ "command": name, "arguments": arguments });
        self.request("workspace/executeCommand", params)
    }

    fn request(&mut self, method: &str, params: Value) -> Value {
        self.requests += 1;
        let id = self.requests.into();
        let request = Request { id, method: method.to_owned(), params };
        let id = request.id.clone();
        Message::Request(request).write(&mut self.stdin).unwrap();
        loop {
            match Message::read(&mut self.stdout).unwrap().unwrap() {
                Message::Response(Response { id: other, response_result }) if other == id => {
                    return response_result.unwrap_or_else(|error| panic!("{method}: {error:?}"));
                }
                Message::Response(_) | Message::Notification(_) => {}
                // The client announces no capabilities, so the server sends no requests.
                Message::Request(request) => panic!("unexpected request: {request:?}"),
            }
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
