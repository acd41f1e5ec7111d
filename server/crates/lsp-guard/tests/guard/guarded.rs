//! tower-lsp with the guard.

use serde_json::{Value, json};
use tokio::io::{AsyncWriteExt, BufReader, duplex};

use crate::client::TestClient;
#[cfg(target_os = "linux")]
use crate::client::client_process;

#[tokio::test]
async fn a_panicking_handler_answers_an_internal_error_and_the_server_continues() {
    let mut client = TestClient::guarded().initialized().await;
    for command in ["panic", "panicAfterAwait", "panic"] {
        let id = client.command(command).await;
        let error = client.response(id).await["error"].take();
        assert_eq!(error["code"], -32603);
        let text = error["message"].as_str().unwrap();
        assert!(text.contains("workspace/executeCommand"), "{text}");
    }
    client.assert_alive().await;
    client.quit().await;
}

#[tokio::test]
async fn a_panic_does_not_affect_other_requests() {
    let mut client = TestClient::guarded().initialized().await;
    let blocked = client.command("block").await;
    let panicked = client.command("panic").await;
    assert_eq!(client.response(panicked).await["error"]["code"], -32603);
    client.run("open").await;
    assert_eq!(client.result(blocked).await, json!(true));
    client.quit().await;
}

#[tokio::test]
async fn the_server_continues_after_a_panic_in_a_notification() {
    let mut client = TestClient::guarded().initialized().await;
    let params = json!({ "textDocument": { "uri": "file:///x" } });
    client.send(json!({ "method": "textDocument/didSave", "params": params })).await;
    client.assert_alive().await;
    client.quit().await;
}

#[tokio::test]
async fn initialize_can_be_repeated_after_a_panic_in_it() {
    let mut client = TestClient::guarded();
    let id = client.request("initialize", json!({ "capabilities": {}, "locale": "panic" })).await;
    assert_eq!(client.response(id).await["error"]["code"], -32603);
    let id = client.request("initialize", json!({ "capabilities": {} })).await;
    client.result(id).await;
    client.assert_alive().await;
    client.quit().await;
}

#[tokio::test]
async fn messages_before_the_response_to_initialize_are_kept() {
    let mut client = TestClient::guarded();
    let initialize =
        client.request("initialize", json!({ "capabilities": {}, "locale": "slow" })).await;
    client.send(json!({ "method": "initialized", "params": {} })).await;
    let count = client.command("initialized").await;
    client.result(initialize).await;
    assert_eq!(client.result(count).await, json!(1));
    client.quit().await;
}

#[tokio::test]
async fn initialized_arrives_whatever_its_params() {
    for params in [json!(null), json!([]), json!({ "odd": 1 })] {
        let mut client = TestClient::guarded();
        let id = client.request("initialize", json!({ "capabilities": {} })).await;
        client.result(id).await;
        client.send(json!({ "method": "initialized", "params": params })).await;
        assert_eq!(client.run("initialized").await, json!(1));
        client.quit().await;
    }
}

#[tokio::test]
async fn a_fifth_request_is_answered_while_four_wait_for_the_client() {
    let mut client = TestClient::guarded().initialized().await;
    let mut waiting = Vec::new();
    for _ in 0..4 {
        waiting.push(client.command("ask").await);
    }
    client.assert_alive().await;
    for _ in 0..4 {
        let request = client.server_request_id().await;
        client.reply(request).await;
    }
    for id in waiting {
        assert_eq!(client.result(id).await, json!([]));
    }
    client.quit().await;
}

#[tokio::test]
async fn late_replies_to_150_requests_all_arrive() {
    let mut client = TestClient::guarded().initialized().await;
    let mut asked = Vec::new();
    for _ in 0..150 {
        asked.push(client.command("askAside").await);
    }
    for id in asked {
        client.result(id).await;
    }
    let mut requests = Vec::new();
    for _ in 0..150 {
        requests.push(client.server_request_id().await);
    }
    client.assert_alive().await;
    for request in requests {
        client.reply(request).await;
    }
    for _ in 0..1000 {
        if client.run("replies").await == json!(150) {
            return client.quit().await;
        }
    }
    panic!("some of the replies got lost");
}

#[tokio::test]
async fn the_server_continues_after_a_reply_past_the_deadline() {
    let mut client = TestClient::guarded().initialized().await;
    assert_eq!(client.run("askBriefly").await, json!(false));
    let request = client.server_request_id().await;
    client.reply(request).await;
    client.assert_alive().await;
    client.quit().await;
}

#[tokio::test]
async fn the_server_continues_after_a_reply_that_no_task_waits_for() {
    let mut client = TestClient::guarded().initialized().await;
    assert_eq!(client.run("forget").await, json!(true));
    let request = client.server_request_id().await;
    client.reply(request.clone()).await;
    client.reply(request).await;
    client.reply(json!("never asked")).await;
    client.reply(json!(null)).await;
    client.assert_alive().await;
    client.quit().await;
}

#[tokio::test]
async fn malformed_replies_reach_the_task_that_waits() {
    let mut client = TestClient::guarded().initialized().await;
    for (reply, expected) in [
        (json!({}), "invalid type: null"),
        (
            json!({ "error": { "code": 1.5, "message": "no", "stack": "at x" } }),
            "Internal error: no",
        ),
        (json!({ "error": "just no" }), "Internal error: \"just no\""),
        (
            json!({ "error": { "code": -32601, "message": "not here", "data": null } }),
            "Method not found: not here",
        ),
    ] {
        let id = client.command("ask").await;
        let mut message = reply;
        message["id"] = client.server_request_id().await;
        client.send(message).await;
        let answer = client.result(id).await;
        assert!(answer.as_str().unwrap().contains(expected), "{answer}");
    }
    client.quit().await;
}

#[tokio::test]
async fn a_blocked_handler_does_not_delay_others_and_can_be_cancelled() {
    let mut client = TestClient::guarded().initialized().await;
    let blocked = client.command("block").await;
    client.assert_alive().await;
    client.send(json!({ "method": "$/cancelRequest", "params": { "id": blocked } })).await;
    assert_eq!(client.response(blocked).await["error"]["code"], -32800);
    // The handler was dropped, and with it its guard.
    assert_eq!(client.run("dropped").await, json!(1));
    client.run("open").await;
    client.quit().await;
}

#[tokio::test]
async fn exit_does_not_wait_for_a_handler_that_never_ends() {
    let mut client = TestClient::guarded().initialized().await;
    for _ in 0..200 {
        client.command("wait").await;
    }
    client.send(json!({ "method": "exit" })).await;
    assert_eq!(client.exit_code().await, 1);
}

#[tokio::test]
async fn a_closed_stdin_ends_a_server_with_a_running_request() {
    let mut client = TestClient::guarded().initialized().await;
    client.command("wait").await;
    let (_, closed) = duplex(1);
    client.stdin = closed;
    assert_eq!(client.exit_code().await, 1);
}

#[tokio::test]
async fn a_closed_stdout_ends_a_server_with_a_running_request() {
    let mut client = TestClient::guarded().initialized().await;
    client.command("wait").await;
    let (_, closed) = duplex(1);
    client.stdout = BufReader::new(closed);
    client.command("echo").await;
    assert_eq!(client.exit_code().await, 1);
}

#[tokio::test]
async fn requests_before_the_end_of_stdin_are_answered() {
    let mut client = TestClient::guarded().initialized().await;
    let mut asked = Vec::new();
    for _ in 0..20 {
        asked.push(client.command("echo").await);
    }
    asked.push(client.request("shutdown", Value::Null).await);
    let (_, closed) = duplex(1);
    client.stdin = closed;
    for id in asked {
        client.result(id).await;
    }
    assert_eq!(client.exit_code().await, 0);
}

#[tokio::test]
async fn the_server_answers_malformed_messages_and_continues() {
    let mut client = TestClient::guarded().initialized().await;
    for (body, code) in [
        ("{", -32700),
        ("not json", -32700),
        (r#"{"jsonrpc":"2.0","method":"a","params":["\ud83d"]}"#, -32700),
        ("[]", -32600),
        (r#"{"jsonrpc":"1.0","id":1,"method":"a"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1.5,"method":"a"}"#, -32600),
        (r#"{"jsonrpc":"2.0"}"#, -32600),
    ] {
        client.write(body).await;
        let answer = client.wait(|message| message["id"].is_null()).await;
        assert_eq!(answer["error"]["code"], code, "{body}: {answer}");
    }
    client.assert_alive().await;
    client.quit().await;
}

#[tokio::test]
async fn a_closed_stdin_ends_a_server_that_cannot_write() {
    let (close, closed) = tokio::sync::oneshot::channel::<()>();
    let stdin_closed = async { drop(closed.await) };
    let mut client = TestClient::guarded_until(stdin_closed).initialized().await;
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"none"}"#;
    let request = format!("Content-Length: {}\r\n\r\n{body}", body.len());
    // Until nothing is read any more, because nothing can be written.
    let wait = std::time::Duration::from_millis(300);
    while tokio::time::timeout(wait, client.stdin.write_all(request.as_bytes())).await.is_ok() {}
    close.send(()).unwrap();
    assert_eq!(client.exit_code().await, 1);
}

#[tokio::test]
async fn a_message_that_is_announced_as_too_long_ends_the_server() {
    let mut client = TestClient::guarded().initialized().await;
    client.stdin.write_all(b"Content-Length: 1000000000000\r\n\r\n").await.unwrap();
    assert_eq!(client.exit_code().await, 1);
}

#[tokio::test]
async fn the_server_goes_on_after_unusual_headers() {
    let mut client = TestClient::guarded().initialized().await;
    let echo = |id: &str| {
        let params = r#"{"command":"echo","arguments":[]}"#;
        format!(
            r#"{{"jsonrpc":"2.0","id":"{id}","method":"workspace/executeCommand","params":{params}}}"#
        )
    };
    let (a, b, c, d) = (echo("a"), echo("b"), echo("c"), echo("d"));
    let stream = [
        format!("content-length:{}\n\n{a}", a.len()),
        format!(
            "X-One: 1\r\nContent-Type: text\r\nX-Two: 2\r\nContent-Length: {}\r\n\r\n{b}",
            b.len()
        ),
        "Content-Length: 0\r\n\r\nContent-Length: none\r\n\r\n\r\n".to_owned(),
        // The body is two bytes longer than its header says.
        format!("Content-Length: {}\r\n\r\n{c}}}}}", c.len()),
        format!("Content-Length: {}\r\n\r\n{d}", d.len()),
    ]
    .concat();
    client.stdin.write_all(stream.as_bytes()).await.unwrap();
    for id in ["a", "b", "c", "d"] {
        let answer = client.wait(|message| message["id"] == id).await;
        assert_eq!(answer["result"], json!([]));
    }
    client.quit().await;
}

#[tokio::test]
async fn requests_without_params_have_none() {
    let mut client = TestClient::guarded().initialized().await;
    let id = client.command("refresh").await;
    let request = client.server_request().await;
    assert_eq!(request["method"], "workspace/inlayHint/refresh");
    assert_eq!(request.get("params"), None, "{request}");
    client.send(json!({ "id": request["id"], "result": null })).await;
    assert_eq!(client.result(id).await, json!(true));
    client.quit().await;
}

#[tokio::test(start_paused = true)]
async fn replies_behind_150_requests_are_read() {
    let mut client = TestClient::guarded().initialized().await;
    for _ in 0..4 {
        client.command("ask").await;
    }
    for _ in 0..150 {
        client.command("echo").await;
    }
    for _ in 0..4 {
        let request = client.server_request_id().await;
        client.reply(request).await;
    }
    client.assert_alive().await;
    client.quit().await;
}

#[tokio::test]
async fn an_unknown_trace_value_and_null_params_are_accepted() {
    let mut client = TestClient::guarded();
    let params = json!({ "capabilities": {}, "trace": "compact" });
    let id = client.request("initialize", params).await;
    client.result(id).await;
    client.send(json!({ "method": "initialized", "params": null })).await;
    client.quit().await;
}

#[cfg(target_os = "linux")]
#[tokio::test(start_paused = true)]
async fn the_server_ends_with_the_process_of_its_client() {
    let mut process = client_process();
    let mut client = TestClient::guarded();
    let params = json!({ "capabilities": {}, "processId": process.id() });
    let id = client.request("initialize", params).await;
    client.result(id).await;
    process.kill().unwrap();
    process.wait().unwrap();
    assert_eq!(client.exit_code().await, 1);
}
