//! A scripted client on in-memory pipes.

use lsp_guard::serve;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, DuplexStream, duplex};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tower_lsp::Server;

use crate::toy::{DEADLINE, toy};

/// The client and its server.
pub struct TestClient {
    pub stdin: DuplexStream,
    pub stdout: BufReader<DuplexStream>,
    /// The task of the server. Its result is the exit code, or `None` without the guard.
    pub server: JoinHandle<Option<i32>>,
    last_id: i64,
    /// Messages read while waiting for another.
    unread: Vec<Value>,
}

impl TestClient {
    /// A client of a toy behind the guard.
    pub fn guarded() -> Self {
        Self::guarded_until(std::future::pending())
    }

    /// Like [`Self::guarded`]; `stdin_closed` completes when the client has closed stdin.
    pub fn guarded_until(stdin_closed: impl Future<Output = ()> + Send + 'static) -> Self {
        Self::connect(|stdin, stdout| {
            let (service, socket) = toy();
            let serve = serve(service, socket, stdin, stdout, stdin_closed);
            tokio::spawn(async { Some(serve.await) })
        })
    }

    /// A client of a toy that tower-lsp serves without the guard.
    pub fn unguarded() -> Self {
        Self::connect(|stdin, stdout| {
            let (service, socket) = toy();
            tokio::spawn(async {
                Server::new(stdin, stdout, socket).serve(service).await;
                None
            })
        })
    }

    fn connect(start: impl FnOnce(DuplexStream, DuplexStream) -> JoinHandle<Option<i32>>) -> Self {
        let (stdin, server_in) = duplex(1 << 16);
        let (server_out, stdout) = duplex(1 << 16);
        let server = start(server_in, server_out);
        Self { stdin, stdout: BufReader::new(stdout), server, last_id: 0, unread: Vec::new() }
    }

    /// The client after its handshake.
    pub async fn initialized(mut self) -> Self {
        let id = self.request("initialize", json!({ "capabilities": {} })).await;
        self.result(id).await;
        self.send(json!({ "method": "initialized", "params": {} })).await;
        self
    }

    pub async fn write(&mut self, body: &str) {
        let frame = format!("Content-Length: {}\r\n\r\n{body}", body.len());
        timeout(DEADLINE, self.stdin.write_all(frame.as_bytes())).await.unwrap().unwrap();
    }

    pub async fn send(&mut self, mut message: Value) {
        message["jsonrpc"] = json!("2.0");
        self.write(&message.to_string()).await;
    }

    pub async fn request(&mut self, method: &str, params: Value) -> i64 {
        self.last_id += 1;
        self.send(json!({ "id": self.last_id, "method": method, "params": params })).await;
        self.last_id
    }

    pub async fn command(&mut self, command: &str) -> i64 {
        self.request(
            "workspace/executeCommand",
            json!({ "command": command, "arguments": [command] }),
        )
        .await
    }

    /// The next message; `None` at the end of the server's output.
    async fn read(&mut self) -> Option<Value> {
        let mut length = None;
        let mut header = String::new();
        loop {
            header.clear();
            if self.stdout.read_line(&mut header).await.unwrap() == 0 {
                return None;
            }
            if let Some(value) = header.strip_prefix("Content-Length: ") {
                length = Some(value.trim().parse().unwrap());
            }
            if header == "\r\n" {
                break;
            }
        }
        let mut body = vec![0; length.expect("a message without a length")];
        self.stdout.read_exact(&mut body).await.unwrap();
        Some(serde_json::from_slice(&body).unwrap())
    }

    /// The first message, read before or now, for which `wanted` is true; `None` if the server is
    /// silent or has closed its output.
    pub async fn try_wait(&mut self, wanted: impl Fn(&Value) -> bool) -> Option<Value> {
        if let Some(at) = self.unread.iter().position(&wanted) {
            return Some(self.unread.remove(at));
        }
        while let Some(message) = timeout(DEADLINE / 2, self.read()).await.ok()? {
            if wanted(&message) {
                return Some(message);
            }
            self.unread.push(message);
        }
        None
    }

    /// The first message, read before or now, for which `wanted` is true.
    pub async fn wait(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        self.try_wait(wanted).await.expect("no such message in time")
    }

    /// The response to request `id`, if there is one.
    pub async fn try_response(&mut self, id: i64) -> Option<Value> {
        self.try_wait(|message| message["id"] == id && message.get("method").is_none()).await
    }

    /// The response to request `id`.
    pub async fn response(&mut self, id: i64) -> Value {
        self.try_response(id).await.expect("no response in time")
    }

    pub async fn result(&mut self, id: i64) -> Value {
        let mut response = self.response(id).await;
        assert!(response.get("error").is_none(), "{response}");
        response["result"].take()
    }

    pub async fn run(&mut self, command: &str) -> Value {
        let id = self.command(command).await;
        self.result(id).await
    }

    /// The next request of the server.
    pub async fn server_request(&mut self) -> Value {
        self.wait(|message| message.get("method").is_some()).await
    }

    /// The id of the next request of the server.
    pub async fn server_request_id(&mut self) -> Value {
        self.server_request().await["id"].take()
    }

    pub async fn reply(&mut self, id: Value) {
        self.send(json!({ "id": id, "result": [] })).await;
    }

    pub async fn assert_alive(&mut self) {
        assert_eq!(self.run("echo").await, json!(["echo"]));
    }

    pub async fn exit_code(self) -> i32 {
        timeout(DEADLINE, self.server).await.expect("the server still runs").unwrap().unwrap()
    }

    /// Ends the session as editors do: stdin stays open.
    pub async fn quit(mut self) {
        let id = self.request("shutdown", Value::Null).await;
        assert_eq!(self.result(id).await, Value::Null);
        self.send(json!({ "method": "exit" })).await;
        assert_eq!(self.exit_code().await, 0);
    }
}

/// A process that runs until it is killed.
#[cfg(target_os = "linux")]
pub fn client_process() -> std::process::Child {
    std::process::Command::new("cat")
        .stdin(std::process::Stdio::piped())
        .spawn()
        .expect("cat is missing")
}
