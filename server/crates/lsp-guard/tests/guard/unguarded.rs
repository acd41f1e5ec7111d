//! tower-lsp without the guard. If a test fails after an update of tower-lsp, the defect is fixed:
//! remove it from the README, and the workaround from the guard.
//!
//! Time is paused, so a deadline passes as soon as client and server both have nothing left to do.
//! "No response" therefore means that none will ever arrive.

use serde_json::{Value, json};
use tokio::io::{AsyncWriteExt, BufReader, duplex};
use tokio::time::timeout;

use crate::client::TestClient;
#[cfg(target_os = "linux")]
use crate::client::client_process;
use crate::toy::DEADLINE;

async fn client() -> TestClient {
    TestClient::unguarded().initialized().await
}

impl TestClient {
    /// Whether tower-lsp panicked, which ends a program that does not catch it.
    async fn server_panicked(self) -> bool {
        let outcome = timeout(DEADLINE, self.server).await.expect("the server still runs");
        outcome.is_err_and(|error| error.is_panic())
    }

    async fn server_still_runs(&mut self) -> bool {
        timeout(DEADLINE, &mut self.server).await.is_err()
    }

    async fn answers(&mut self) -> bool {
        let id = self.command("echo").await;
        self.try_response(id).await.is_some()
    }
}

#[tokio::test(start_paused = true)]
async fn a_panic_in_a_handler_ends_the_server() {
    for command in ["panic", "panicAfterAwait"] {
        let mut client = client().await;
        client.command(command).await;
        assert!(client.server_panicked().await, "{command}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_panic_in_a_notification_ends_the_server() {
    let mut client = client().await;
    let params = json!({ "textDocument": { "uri": "file:///x" } });
    client.send(json!({ "method": "textDocument/didSave", "params": params })).await;
    assert!(client.server_panicked().await);
}

#[tokio::test(start_paused = true)]
async fn a_fifth_request_waits_for_replies_to_four() {
    let mut client = client().await;
    for _ in 0..4 {
        client.command("ask").await;
    }
    assert!(!client.answers().await);
}

#[tokio::test(start_paused = true)]
async fn replies_behind_a_full_queue_are_never_read() {
    let mut client = client().await;
    for _ in 0..4 {
        client.command("ask").await;
    }
    let waiting = client.command("echo").await;
    for _ in 1..150 {
        client.command("echo").await;
    }
    for _ in 0..4 {
        let request = client.server_request_id().await;
        client.reply(request).await;
    }
    assert!(client.try_response(waiting).await.is_none());
}

#[tokio::test(start_paused = true)]
async fn a_reply_whose_future_was_dropped_ends_the_server() {
    let mut client = client().await;
    assert_eq!(client.run("forget").await, json!(true));
    let request = client.server_request_id().await;
    client.reply(request).await;
    assert!(client.server_panicked().await);
}

#[tokio::test(start_paused = true)]
async fn a_reply_without_a_result_is_answered_as_a_request() {
    let mut client = client().await;
    client.command("ask").await;
    let request = client.server_request_id().await;
    client.send(json!({ "id": request })).await;
    let answer = client.wait(|message| message["id"] == request).await;
    assert_eq!(answer["error"]["code"], -32601, "{answer}");
}

#[tokio::test(start_paused = true)]
async fn requests_without_params_have_null_params() {
    let mut client = client().await;
    client.command("refresh").await;
    assert_eq!(client.server_request().await.get("params"), Some(&Value::Null));
}

#[tokio::test(start_paused = true)]
async fn the_server_panics_when_stdout_is_closed_before_two_responses() {
    let mut client = client().await;
    let (_, closed) = duplex(1);
    client.stdout = BufReader::new(closed);
    client.command("echo").await;
    client.command("echo").await;
    assert!(client.server_panicked().await);
}

#[tokio::test(start_paused = true)]
async fn exit_is_ignored_while_stdin_is_open() {
    let mut client = client().await;
    let id = client.request("shutdown", json!({})).await;
    client.try_response(id).await.unwrap();
    client.send(json!({ "method": "exit" })).await;
    assert!(client.server_still_runs().await);
}

#[tokio::test(start_paused = true)]
async fn shutdown_with_null_params_is_refused() {
    let mut client = client().await;
    let id = client.request("shutdown", Value::Null).await;
    assert_eq!(client.response(id).await["error"]["code"], -32602);
}

#[tokio::test(start_paused = true)]
async fn initialize_with_an_unknown_trace_value_is_refused() {
    let mut client = TestClient::unguarded();
    let params = json!({ "capabilities": {}, "trace": "compact" });
    let id = client.request("initialize", params).await;
    assert_eq!(client.response(id).await["error"]["code"], -32602);
}

#[tokio::test(start_paused = true)]
async fn messages_before_the_response_to_initialize_are_refused_or_lost() {
    let mut client = TestClient::unguarded();
    let slow = json!({ "capabilities": {}, "locale": "slow" });
    let initialize = client.request("initialize", slow).await;
    client.send(json!({ "method": "initialized", "params": {} })).await;
    let early = client.command("echo").await;
    client.result(initialize).await;
    assert_eq!(client.response(early).await["error"]["code"], -32002);
    assert_eq!(client.run("initialized").await, json!(0));
}

#[tokio::test(start_paused = true)]
async fn a_malformed_message_ends_the_server() {
    for body in ["{", "not json", r#"{"jsonrpc":"2.0","method":"a","params":["\ud83d"]}"#] {
        let mut client = client().await;
        client.write(body).await;
        assert_eq!(client.wait(|message| message["id"].is_null()).await["error"]["code"], -32700);
        assert!(!client.server_still_runs().await, "{body}");
    }
}

#[tokio::test(start_paused = true)]
async fn unusual_headers_end_the_server() {
    for header in ["CONTENT-LENGTH: ", "X-A: 1\r\nX-B: 2\r\nX-C: 3\r\nContent-Length: "] {
        let mut client = client().await;
        let message = format!("{header}2\r\n\r\n{{}}");
        client.stdin.write_all(message.as_bytes()).await.unwrap();
        assert!(!client.server_still_runs().await, "{header}");
    }
}

#[cfg(target_os = "linux")]
#[tokio::test(start_paused = true)]
async fn the_server_outlives_the_process_of_its_client() {
    let mut process = client_process();
    let mut client = TestClient::unguarded();
    let params = json!({ "capabilities": {}, "processId": process.id() });
    let id = client.request("initialize", params).await;
    client.result(id).await;
    process.kill().unwrap();
    process.wait().unwrap();
    assert!(client.server_still_runs().await);
}
