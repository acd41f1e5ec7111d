//! The defects of tower-lsp 0.20 that need a handler which panics, waits or forgets, over in-memory pipes with a toy server;
//! what can be driven from outside is in `tests/e2e/lifecycle.rs`.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use serde_json::{Value, json};
use tokio::io::{AsyncWriteExt, BufReader, DuplexStream};
use tokio::sync::Semaphore;
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::timeout;
use tower_lsp::lsp_types::request::{ShowDocument, WorkspaceConfiguration};
use tower_lsp::lsp_types::{
    ConfigurationParams, DidSaveTextDocumentParams, ExecuteCommandParams, InitializeParams, InitializeResult, InitializedParams,
    ShowDocumentParams, Url,
};
use tower_lsp::{Client, jsonrpc};

use super::*;
use crate::lsp::outgoing::{Unanswered, ask};

/// Stops a test that hangs; nothing is measured with it.
const DEADLINE: Duration = Duration::from_secs(20);

/// A server whose handlers do, as commands, what handlers may do wrong.
struct Toy {
    client: Client,
    gate: Arc<Semaphore>,
    initialized: AtomicUsize,
    replies: Arc<AtomicUsize>,
    dropped: Arc<AtomicUsize>,
}

/// Counts when it is dropped: the guard by which a handler tells its work to stop.
struct CountDrop(Arc<AtomicUsize>);

impl Drop for CountDrop {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

fn count(counter: &AtomicUsize) -> Value {
    json!(counter.load(Ordering::SeqCst))
}

async fn question(client: &Client, deadline: Duration) -> Result<Vec<Value>, Unanswered> {
    ask::<WorkspaceConfiguration>(client, ConfigurationParams { items: Vec::new() }, deadline).await
}

#[tower_lsp::async_trait]
impl LanguageServer for Toy {
    async fn initialize(&self, params: InitializeParams) -> jsonrpc::Result<InitializeResult> {
        assert_ne!(params.locale.as_deref(), Some("panic"), "the toy panics in initialize");
        if params.locale.as_deref() == Some("slow") {
            // Pending once, so that what follows is read in between.
            tokio::task::yield_now().await;
            sleep(Duration::from_millis(50)).await;
        }
        Ok(InitializeResult::default())
    }

    async fn initialized(&self, _: InitializedParams) {
        self.initialized.fetch_add(1, Ordering::SeqCst);
    }

    async fn did_save(&self, _: DidSaveTextDocumentParams) {
        panic!("the toy panics in a notification");
    }

    async fn execute_command(&self, call: ExecuteCommandParams) -> jsonrpc::Result<Option<Value>> {
        let gate = self.gate.clone();
        Ok(Some(match call.command.as_str() {
            "echo" => json!(call.arguments),
            "panic" => panic!("the toy panics at once"),
            "panicAfterAwait" => {
                tokio::task::yield_now().await;
                panic!("the toy panics after an {}", "await")
            }
            "wait" => {
                let _guard = CountDrop(self.dropped.clone());
                pending().await
            }
            "block" => {
                let _guard = CountDrop(self.dropped.clone());
                let runtime = tokio::runtime::Handle::current();
                let work = spawn_blocking(move || runtime.block_on(async { gate.acquire().await.is_ok() }));
                json!(work.await.is_ok())
            }
            "open" => json!(gate.add_permits(Semaphore::MAX_PERMITS >> 1)),
            "ask" => match question(&self.client, DEADLINE).await {
                Ok(answer) => json!(answer),
                Err(error) => json!(error.to_string()),
            },
            "askBriefly" => json!(question(&self.client, Duration::from_millis(1)).await.is_ok()),
            "askAside" => {
                let (client, replies) = (self.client.clone(), self.replies.clone());
                tokio::spawn(async move {
                    let answered = question(&client, DEADLINE).await.is_ok();
                    replies.fetch_add(answered.into(), Ordering::SeqCst);
                });
                Value::Null
            }
            "forget" => {
                // What `ask` is there to prevent: the future of a sent request is dropped.
                let params = ShowDocumentParams {
                    uri: Url::parse("file:///x").map_err(|_| Error::internal_error())?,
                    external: None,
                    take_focus: None,
                    selection: None,
                };
                let asked = self.client.send_request::<ShowDocument>(params);
                json!(timeout(Duration::from_millis(1), asked).await.is_err())
            }
            "initialized" => count(&self.initialized),
            "replies" => count(&self.replies),
            "dropped" => count(&self.dropped),
            _ => return Err(Error::method_not_found()),
        }))
    }

    async fn shutdown(&self) -> jsonrpc::Result<()> {
        Ok(())
    }
}

/// A client on in-memory pipes.
struct Editor {
    stdin: DuplexStream,
    stdout: BufReader<DuplexStream>,
    server: JoinHandle<i32>,
    last_id: i64,
    /// Messages read while waiting for another.
    unread: Vec<Value>,
}

impl Editor {
    fn start() -> Self {
        let (service, socket) = LspService::new(|client| Toy {
            client,
            gate: Arc::new(Semaphore::new(0)),
            initialized: AtomicUsize::new(0),
            replies: Arc::default(),
            dropped: Arc::default(),
        });
        let (stdin, server_in) = duplex(1 << 16);
        let (server_out, stdout) = duplex(1 << 16);
        let server = tokio::spawn(serve(service, socket, server_in, server_out));
        Self { stdin, stdout: BufReader::new(stdout), server, last_id: 0, unread: Vec::new() }
    }

    async fn ready() -> Self {
        let mut editor = Self::start();
        let id = editor.request("initialize", json!({ "capabilities": {} })).await;
        editor.result(id).await;
        editor.send(json!({ "method": "initialized", "params": {} })).await;
        editor
    }

    async fn write(&mut self, body: &str) {
        let frame = format!("Content-Length: {}\r\n\r\n{body}", body.len());
        timeout(DEADLINE, self.stdin.write_all(frame.as_bytes())).await.unwrap().unwrap();
    }

    async fn send(&mut self, mut message: Value) {
        message["jsonrpc"] = json!("2.0");
        self.write(&message.to_string()).await;
    }

    async fn request(&mut self, method: &str, params: Value) -> i64 {
        self.last_id += 1;
        self.send(json!({ "id": self.last_id, "method": method, "params": params })).await;
        self.last_id
    }

    async fn command(&mut self, command: &str) -> i64 {
        self.request("workspace/executeCommand", json!({ "command": command, "arguments": [command] })).await
    }

    /// The first message, read before or now, that `wanted` takes.
    async fn wait(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.unread.iter().position(&wanted) {
            return self.unread.remove(at);
        }
        loop {
            let frame = timeout(DEADLINE, inbound::next_frame(&mut self.stdout)).await;
            let frame = frame.expect("no answer in time").unwrap().expect("the server has closed its output");
            let message = serde_json::from_slice(&frame).unwrap();
            if wanted(&message) {
                return message;
            }
            self.unread.push(message);
        }
    }

    async fn response(&mut self, id: i64) -> Value {
        self.wait(|message| message["id"] == id && message.get("method").is_none()).await
    }

    async fn result(&mut self, id: i64) -> Value {
        let mut response = self.response(id).await;
        assert!(response.get("error").is_none(), "{response}");
        response["result"].take()
    }

    async fn run(&mut self, command: &str) -> Value {
        let id = self.command(command).await;
        self.result(id).await
    }

    /// The id of the next question of the server.
    async fn question(&mut self) -> Value {
        self.wait(|message| message.get("method").is_some()).await["id"].take()
    }

    async fn reply(&mut self, id: Value) {
        self.send(json!({ "id": id, "result": [] })).await;
    }

    async fn assert_alive(&mut self) {
        assert_eq!(self.run("echo").await, json!(["echo"]));
    }

    async fn exit_code(self) -> i32 {
        timeout(DEADLINE, self.server).await.expect("the server still runs").unwrap()
    }

    /// Ends the session as editors do; stdin stays open.
    async fn quit(mut self) {
        let id = self.request("shutdown", Value::Null).await;
        assert_eq!(self.result(id).await, Value::Null);
        self.send(json!({ "method": "exit" })).await;
        assert_eq!(self.exit_code().await, 0);
    }
}

#[tokio::test]
async fn a_panicking_handler_answers_an_internal_error_and_the_server_lives() {
    let mut editor = Editor::ready().await;
    for command in ["panic", "panicAfterAwait", "panic"] {
        let id = editor.command(command).await;
        let error = editor.response(id).await["error"].take();
        assert_eq!(error["code"], -32603);
        let text = error["message"].as_str().unwrap();
        assert!(text.contains("workspace/executeCommand"), "{text}");
    }
    editor.assert_alive().await;
    editor.quit().await;
}

#[tokio::test]
async fn a_panic_spares_the_requests_beside_it() {
    let mut editor = Editor::ready().await;
    let blocked = editor.command("block").await;
    let panicked = editor.command("panic").await;
    assert_eq!(editor.response(panicked).await["error"]["code"], -32603);
    editor.run("open").await;
    assert_eq!(editor.result(blocked).await, json!(true));
    editor.quit().await;
}

#[tokio::test]
async fn a_panicking_notification_is_survived() {
    let mut editor = Editor::ready().await;
    let params = json!({ "textDocument": { "uri": "file:///x" } });
    editor.send(json!({ "method": "textDocument/didSave", "params": params })).await;
    editor.assert_alive().await;
    editor.quit().await;
}

#[tokio::test]
async fn initialize_can_be_repeated_after_a_panic_in_it() {
    let mut editor = Editor::start();
    let id = editor.request("initialize", json!({ "capabilities": {}, "locale": "panic" })).await;
    assert_eq!(editor.response(id).await["error"]["code"], -32603);
    let id = editor.request("initialize", json!({ "capabilities": {} })).await;
    editor.result(id).await;
    editor.assert_alive().await;
    editor.quit().await;
}

#[tokio::test]
async fn what_is_sent_before_initialize_was_answered_is_kept() {
    let mut editor = Editor::start();
    let initialize = editor.request("initialize", json!({ "capabilities": {}, "locale": "slow" })).await;
    editor.send(json!({ "method": "initialized", "params": {} })).await;
    let count = editor.command("initialized").await;
    editor.result(initialize).await;
    assert_eq!(editor.result(count).await, json!(1));
    editor.quit().await;
}

#[tokio::test]
async fn initialized_arrives_whatever_its_params() {
    for params in [json!(null), json!([]), json!({ "odd": 1 })] {
        let mut editor = Editor::start();
        let id = editor.request("initialize", json!({ "capabilities": {} })).await;
        editor.result(id).await;
        editor.send(json!({ "method": "initialized", "params": params })).await;
        assert_eq!(editor.run("initialized").await, json!(1));
        editor.quit().await;
    }
}

#[tokio::test]
async fn the_fifth_request_is_answered_while_four_wait_for_the_client() {
    let mut editor = Editor::ready().await;
    let mut waiting = Vec::new();
    for _ in 0..4 {
        waiting.push(editor.command("ask").await);
    }
    editor.assert_alive().await;
    for _ in 0..4 {
        let question = editor.question().await;
        editor.reply(question).await;
    }
    for id in waiting {
        assert_eq!(editor.result(id).await, json!([]));
    }
    editor.quit().await;
}

#[tokio::test]
async fn a_client_that_answers_late_finds_nothing_wedged() {
    let mut editor = Editor::ready().await;
    let mut asked = Vec::new();
    for _ in 0..150 {
        asked.push(editor.command("askAside").await);
    }
    for id in asked {
        editor.result(id).await;
    }
    let mut questions = Vec::new();
    for _ in 0..150 {
        questions.push(editor.question().await);
    }
    editor.assert_alive().await;
    for question in questions {
        editor.reply(question).await;
    }
    for _ in 0..1000 {
        if editor.run("replies").await == json!(150) {
            return editor.quit().await;
        }
    }
    panic!("some of the replies got lost");
}

#[tokio::test]
async fn a_reply_after_the_deadline_is_survived() {
    let mut editor = Editor::ready().await;
    assert_eq!(editor.run("askBriefly").await, json!(false));
    let question = editor.question().await;
    editor.reply(question).await;
    editor.assert_alive().await;
    editor.quit().await;
}

#[tokio::test]
async fn a_reply_that_nobody_waits_for_is_survived() {
    let mut editor = Editor::ready().await;
    assert_eq!(editor.run("forget").await, json!(true));
    let question = editor.question().await;
    editor.reply(question.clone()).await;
    editor.reply(question).await;
    editor.reply(json!("never asked")).await;
    editor.reply(json!(null)).await;
    editor.assert_alive().await;
    editor.quit().await;
}

#[tokio::test]
async fn odd_replies_reach_the_one_who_asked() {
    let mut editor = Editor::ready().await;
    for (reply, heard) in [
        (json!({}), "invalid type: null"),
        (json!({ "error": { "code": 1.5, "message": "no", "stack": "at x" } }), "Internal error: no"),
        (json!({ "error": "just no" }), "Internal error: \"just no\""),
        (json!({ "error": { "code": -32601, "message": "not here", "data": null } }), "Method not found: not here"),
    ] {
        let id = editor.command("ask").await;
        let mut message = reply;
        message["id"] = editor.question().await;
        editor.send(message).await;
        let answer = editor.result(id).await;
        assert!(answer.as_str().unwrap().contains(heard), "{answer}");
    }
    editor.quit().await;
}

#[tokio::test]
async fn a_blocking_handler_holds_up_nobody_and_can_be_cancelled() {
    let mut editor = Editor::ready().await;
    let blocked = editor.command("block").await;
    editor.assert_alive().await;
    editor.send(json!({ "method": "$/cancelRequest", "params": { "id": blocked } })).await;
    assert_eq!(editor.response(blocked).await["error"]["code"], -32800);
    // The guard in the handler is how its work learns of it.
    assert_eq!(editor.run("dropped").await, json!(1));
    editor.run("open").await;
    editor.quit().await;
}

#[tokio::test]
async fn exit_does_not_wait_for_a_handler_that_never_ends() {
    let mut editor = Editor::ready().await;
    for _ in 0..200 {
        editor.command("wait").await;
    }
    editor.send(json!({ "method": "exit" })).await;
    assert_eq!(editor.exit_code().await, 1);
}

#[tokio::test]
async fn a_closed_stdin_ends_a_server_with_a_request_in_work() {
    let mut editor = Editor::ready().await;
    editor.command("wait").await;
    let (_, closed) = duplex(1);
    editor.stdin = closed;
    assert_eq!(editor.exit_code().await, 1);
}

#[tokio::test]
async fn a_closed_stdout_ends_a_server_with_a_request_in_work() {
    let mut editor = Editor::ready().await;
    editor.command("wait").await;
    let (_, closed) = duplex(1);
    editor.stdout = BufReader::new(closed);
    editor.command("echo").await;
    assert_eq!(editor.exit_code().await, 1);
}

#[tokio::test]
async fn what_was_asked_before_the_end_of_stdin_is_answered() {
    let mut editor = Editor::ready().await;
    let mut asked = Vec::new();
    for _ in 0..20 {
        asked.push(editor.command("echo").await);
    }
    asked.push(editor.request("shutdown", Value::Null).await);
    let (_, closed) = duplex(1);
    editor.stdin = closed;
    for id in asked {
        editor.result(id).await;
    }
    assert_eq!(editor.exit_code().await, 0);
}

#[tokio::test]
async fn a_message_that_cannot_be_read_is_answered_and_survived() {
    let mut editor = Editor::ready().await;
    for (body, code) in [
        ("{", -32700),
        ("not json", -32700),
        (r#"{"jsonrpc":"2.0","method":"a","params":["\ud83d"]}"#, -32700),
        ("[]", -32600),
        (r#"{"jsonrpc":"1.0","id":1,"method":"a"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1.5,"method":"a"}"#, -32600),
        (r#"{"jsonrpc":"2.0"}"#, -32600),
    ] {
        editor.write(body).await;
        let answer = editor.wait(|message| message["id"].is_null()).await;
        assert_eq!(answer["error"]["code"], code, "{body}: {answer}");
    }
    editor.assert_alive().await;
    editor.quit().await;
}

#[tokio::test]
async fn odd_headers_are_survived() {
    let mut editor = Editor::ready().await;
    let echo = |id: &str| {
        let params = r#"{"command":"echo","arguments":[]}"#;
        format!(r#"{{"jsonrpc":"2.0","id":"{id}","method":"workspace/executeCommand","params":{params}}}"#)
    };
    let (a, b, c, d) = (echo("a"), echo("b"), echo("c"), echo("d"));
    let stream = [
        format!("content-length:{}\n\n{a}", a.len()),
        format!("X-One: 1\r\nContent-Type: text\r\nX-Two: 2\r\nContent-Length: {}\r\n\r\n{b}", b.len()),
        "Content-Length: 0\r\n\r\nContent-Length: none\r\n\r\n\r\n".to_owned(),
        // The body is two bytes longer than said.
        format!("Content-Length: {}\r\n\r\n{c}}}}}", c.len()),
        format!("Content-Length: {}\r\n\r\n{d}", d.len()),
    ]
    .concat();
    editor.stdin.write_all(stream.as_bytes()).await.unwrap();
    for id in ["a", "b", "c", "d"] {
        let answer = editor.wait(|message| message["id"] == id).await;
        assert_eq!(answer["result"], json!([]));
    }
    editor.quit().await;
}

#[test]
fn only_what_does_not_fit_is_taken_from_initialize() {
    let mended = |params: Value| {
        let request = repair::mend(Request::build("initialize").id(1).params(params).finish());
        let params = request.params().unwrap().clone();
        serde_json::from_value::<InitializeParams>(params.clone()).unwrap();
        params
    };
    let sound = json!({
        "processId": 7,
        "rootUri": "file:///w",
        "initializationOptions": { "any": ["thing", 1.5, null] },
        "capabilities": { "workspace": { "applyEdit": true }, "unknown": { "a": 1 } },
        "trace": "messages",
        "workspaceFolders": [{ "uri": "file:///w", "name": "w" }],
    });
    assert_eq!(mended(sound.clone()), sound);

    let bare = json!({ "capabilities": {} });
    for params in [json!(null), json!("odd"), json!([1]), json!({}), json!({ "capabilities": null })] {
        assert_eq!(mended(params), bare);
    }
    for (member, odd) in [
        ("trace", json!("compact")),
        ("processId", json!(-1)),
        ("processId", json!("7")),
        ("rootUri", json!("/no/uri")),
        ("locale", json!(["de"])),
        ("workspaceFolders", json!("file:///w")),
        ("clientInfo", json!({ "version": "1" })),
    ] {
        let mut params = sound.clone();
        params[member] = odd;
        let mut rest = sound.clone();
        rest.as_object_mut().unwrap().remove(member);
        assert_eq!(mended(params), rest, "{member}");
    }

    let odd = json!({
        "capabilities": {
            "workspace": {
                "applyEdit": true,
                "workspaceEdit": {
                    "documentChanges": true,
                    "failureHandling": "weird",
                    "resourceOperations": ["create", "transmogrify"],
                },
                "inlayHint": { "refreshSupport": true },
                "codeLens": "yes",
            },
            "textDocument": [],
            "window": { "workDoneProgress": "true", "showDocument": { "support": true } },
        },
        "workspaceFolders": [{ "uri": "no uri", "name": "a" }, { "uri": "file:///b", "name": "b" }],
    });
    let rest = json!({
        "capabilities": {
            "workspace": {
                "applyEdit": true,
                "workspaceEdit": { "documentChanges": true, "resourceOperations": ["create"] },
                "inlayHint": { "refreshSupport": true },
            },
            "window": { "showDocument": { "support": true } },
        },
        "workspaceFolders": [{ "uri": "file:///b", "name": "b" }],
    });
    assert_eq!(mended(odd), rest);
}
