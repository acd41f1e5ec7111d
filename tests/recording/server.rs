//! The profile that the server finds in a folder.

use lsp_server::{Message, Notification, Request};
use serde_json::{Value, json};
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The only profile that the server finds in a workspace; it must be shown.
pub fn only_profile(root: &Path) -> PathBuf {
    let mut server = Server::start();
    server.request(0, "initialize", json!({"processId": null, "rootUri": format!("file://{}", root.display()), "capabilities": {}}));
    server.send(&Notification::new("initialized".to_owned(), json!({})).into());
    let begun = Instant::now();
    for id in 1.. {
        let answer = server.request(
            id,
            "workspace/executeCommand",
            json!({"command": "costline.profiles", "arguments": []}),
        );
        let found = answer["profiles"].as_array().unwrap();
        if answer["active"].is_null() && begun.elapsed() < Duration::from_secs(60) {
            sleep(Duration::from_millis(50));
            continue;
        }
        let [profile] = found.as_slice() else {
            panic!("one profile was recorded, but these were found: {answer:#}")
        };
        assert!(profile["active"] == true && profile["problem"].is_null(), "{answer:#}");
        return PathBuf::from(profile["path"].as_str().unwrap());
    }
    unreachable!("the loop ends by its deadline")
}

struct Server {
    process: Child,
    output: BufReader<ChildStdout>,
}

impl Server {
    fn start() -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_costline"));
        let mut process = command
            .env("COSTLINE_CACHE_DIR", "")
            .env("COSTLINE_STATE_DIR", "")
            .arg("lsp")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let output = BufReader::new(process.stdout.take().unwrap());
        Self { process, output }
    }

    fn send(&mut self, message: &Message) {
        message.write(self.process.stdin.as_mut().unwrap()).unwrap();
    }

    fn request(&mut self, id: i32, method: &str, params: Value) -> Value {
        self.send(&Request::new(id.into(), method.to_owned(), params).into());
        loop {
            match Message::read(&mut self.output).unwrap().expect("the server answers") {
                Message::Response(answer) if answer.id == id.into() => {
                    break answer.response_result.unwrap();
                }
                _ => {}
            }
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
