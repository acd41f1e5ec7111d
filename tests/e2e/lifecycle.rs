//! Sessions with clients that violate the protocol: one test per row of tower-lsp 0.20's table of
//! defects, if a client alone can trigger the defect. Rows that need a handler that panics or waits
//! are tested in `server/crates/lsp-guard/tests`.

// Helpers of tests, which clippy does not recognize as test code.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::io::{self, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{TryRecvError, channel};
use std::thread;
use std::time::Duration;

use lsp_server::{Message, RequestId};
use serde_json::{Value, json};

use crate::support::process::wait_exit;
use crate::support::{Server, Workspace};

const METHOD_NOT_FOUND: i32 = -32601;
const INVALID_REQUEST: i32 = -32600;
const SERVER_NOT_INITIALIZED: i32 = -32002;

/// A server without a handshake.
fn without_handshake(workspace: &Workspace) -> Server {
    Server::builder(workspace).without_handshake().start()
}

/// Sends a request that needs an initialized server: an unknown command, which fails.
fn send_request(server: &mut Server) -> RequestId {
    server.send_request(
        "workspace/executeCommand",
        json!({ "command": "costline.e2e.none", "arguments": [] }),
    )
}

fn assert_alive(server: &mut Server) {
    let id = send_request(server);
    if let Err(error) = server.wait_response(&id) {
        assert_ne!(error.code, SERVER_NOT_INITIALIZED, "{error:?}");
        assert_ne!(error.code, INVALID_REQUEST, "{error:?}");
    }
}

#[test]
fn exit_after_shutdown_ends_the_server_although_stdin_stays_open() {
    let workspace = Workspace::new();
    let mut server = Server::start(&workspace);
    assert_eq!(server.request("shutdown", Value::Null), Value::Null);
    server.notify("exit", Value::Null);
    assert_eq!(server.wait_exit(), 0);
}

#[test]
fn exit_without_shutdown_is_an_error() {
    let workspace = Workspace::new();
    let mut server = Server::start(&workspace);
    server.notify("exit", Value::Null);
    assert_eq!(server.wait_exit(), 1);
}

#[test]
fn exit_before_initialize_ends_the_server() {
    let workspace = Workspace::new();
    let mut server = without_handshake(&workspace);
    server.notify("exit", Value::Null);
    assert_eq!(server.wait_exit(), 1);
}

#[test]
fn shutdown_is_answered_even_if_exit_follows_at_once() {
    let workspace = Workspace::new();
    let mut server = Server::start(&workspace);
    let id = server.send_request("shutdown", Value::Null);
    server.notify("exit", Value::Null);
    assert_eq!(server.wait_response(&id).unwrap(), Value::Null);
    assert_eq!(server.wait_exit(), 0);
}

#[test]
fn shutdown_and_exit_accept_any_params() {
    let workspace = Workspace::new();
    for params in [json!(null), json!({}), json!([])] {
        let mut server = Server::start(&workspace);
        server.send_json(json!({ "id": 1000, "method": "shutdown", "params": params }));
        assert_eq!(server.wait_response(&1000.into()).unwrap(), Value::Null, "{params}");
        server.send_json(json!({ "method": "exit", "params": params }));
        assert_eq!(server.wait_exit(), 0, "{params}");
    }
}

#[test]
fn rejects_requests_after_shutdown() {
    let workspace = Workspace::new();
    let mut server = Server::start(&workspace);
    server.request("shutdown", Value::Null);
    let id = send_request(&mut server);
    assert_eq!(server.wait_response(&id).unwrap_err().code, INVALID_REQUEST);
    server.notify("exit", Value::Null);
    assert_eq!(server.wait_exit(), 0);
}

#[test]
fn before_initialize_requests_fail_and_notifications_are_dropped() {
    let workspace = Workspace::new();
    let mut server = without_handshake(&workspace);
    let id = send_request(&mut server);
    assert_eq!(server.wait_response(&id).unwrap_err().code, SERVER_NOT_INITIALIZED);
    server.open(&workspace.uri("a.rs"), "rust", "fn a() {}\n");
    server.initialize();
    assert_alive(&mut server);
}

#[test]
fn rejects_a_second_initialize() {
    let workspace = Workspace::new();
    let mut server = Server::start(&workspace);
    let again = server.initialize_params().clone();
    assert_eq!(server.try_request("initialize", again).unwrap_err().code, INVALID_REQUEST);
    assert_alive(&mut server);
}

#[test]
fn survives_malformed_initialize_params() {
    let workspace = Workspace::new();
    for (member, value) in [
        ("trace", json!("compact")),
        ("trace", json!("weird")),
        ("processId", json!(null)),
        ("processId", json!(-1)),
        ("processId", json!("4711")),
        ("rootUri", json!(null)),
        ("rootUri", json!("")),
        ("rootUri", json!("/a/path")),
        ("rootPath", json!({})),
        ("workspaceFolders", json!(null)),
        ("workspaceFolders", json!("file:///a")),
        ("workspaceFolders", json!([{ "uri": "", "name": "" }, null])),
        ("clientInfo", json!(null)),
        ("clientInfo", json!({ "version": 3 })),
        ("locale", json!(7)),
        ("initializationOptions", json!("none")),
        ("capabilities", json!(null)),
        ("capabilities", json!([])),
        ("capabilities", json!("all")),
        (
            "capabilities",
            json!({ "workspace": null, "textDocument": true, "window": [], "general": 1 }),
        ),
        ("unknown", json!({ "to": ["everyone"] })),
    ] {
        let mut server = Server::builder(&workspace).param(member, value).unchecked().start();
        assert!(server.initialize_result()["capabilities"].is_object());
        assert_alive(&mut server);
    }
}

#[test]
fn a_malformed_capability_affects_only_itself() {
    let workspace = Workspace::new();
    for (pointer, value) in [
        ("/workspace/workspaceEdit", json!({ "failureHandling": "weird" })),
        ("/workspace/workspaceEdit", json!({ "resourceOperations": ["create", "transmogrify"] })),
        ("/textDocument/completion", json!({ "completionItem": "yes" })),
        ("/general/staleRequestSupport", json!(true)),
    ] {
        // The client still supports dynamic registration, refreshes and progress. The capabilities
        // of the builder check exactly that.
        let mut server = Server::builder(&workspace).capability(pointer, value).unchecked().start();
        assert_alive(&mut server);
    }
}

#[test]
fn initialize_without_params_is_answered() {
    let workspace = Workspace::new();
    for message in [
        json!({ "id": 1, "method": "initialize" }),
        json!({ "id": 1, "method": "initialize", "params": null }),
    ] {
        let mut server =
            Server::builder(&workspace).capabilities(json!({})).without_handshake().start();
        server.send_json(message);
        assert!(server.wait_response(&1.into()).unwrap()["capabilities"].is_object());
        server.send_json(json!({ "method": "initialized", "params": null }));
        assert_alive(&mut server);
        server.finish();
    }
}

#[test]
fn accepts_messages_before_the_response_to_initialize() {
    let workspace = Workspace::new();
    let mut server = without_handshake(&workspace);
    let initialize = server.send_request("initialize", server.initialize_params().clone());
    server.notify("initialized", json!({}));
    let request = send_request(&mut server);
    assert!(server.wait_response(&initialize).is_ok());
    if let Err(error) = server.wait_response(&request) {
        assert_ne!(error.code, SERVER_NOT_INITIALIZED);
    }
    server.finish();
}

#[test]
fn survives_unknown_messages() {
    let workspace = Workspace::new();
    let mut server = Server::builder(&workspace).unchecked().start();
    for method in ["costline/unknown", "$/unknown"] {
        let error = server.try_request(method, json!({})).unwrap_err();
        assert_eq!(error.code, METHOD_NOT_FOUND, "{method}");
    }
    server.notify("costline/unknown", json!([1]));
    server.notify("$/setTrace", json!({ "value": "compact" }));
    server.notify("$/unknown", Value::Null);
    server.send_json(json!({ "method": "" }));
    assert_alive(&mut server);
    // This is a response without an id, which belongs to no request.
    server.wait_unreadable();
}

#[test]
fn survives_params_of_the_wrong_type() {
    let workspace = Workspace::new();
    let mut server = Server::start(&workspace);
    let mut id = 1000;
    for method in [
        "textDocument/inlayHint",
        "textDocument/codeLens",
        "textDocument/hover",
        "textDocument/prepareCallHierarchy",
        "callHierarchy/incomingCalls",
        "callHierarchy/outgoingCalls",
        "workspace/symbol",
        "workspace/executeCommand",
        "inlayHint/resolve",
    ] {
        for params in [
            json!(null),
            json!([]),
            json!({}),
            json!({ "textDocument": { "uri": "no uri" } }),
            json!(7),
        ] {
            id += 1;
            server.send_json(json!({ "id": id, "method": method, "params": params }));
            // Any response will do.
            let _ = server.wait_response(&id.into());
        }
    }
    for method in [
        "textDocument/didOpen",
        "textDocument/didChange",
        "textDocument/didClose",
        "textDocument/didSave",
        "workspace/didChangeConfiguration",
        "workspace/didChangeWatchedFiles",
        "workspace/didChangeWorkspaceFolders",
        "window/workDoneProgress/cancel",
    ] {
        for params in [json!(null), json!([]), json!({}), json!({ "textDocument": 1 })] {
            server.send_json(json!({ "method": method, "params": params }));
        }
    }
    assert_alive(&mut server);
}

#[test]
fn survives_any_cancellation() {
    let workspace = Workspace::new();
    let mut server = Server::builder(&workspace).unchecked().start();
    for id in [json!(4711), json!("a"), json!(null), json!(1.5)] {
        server.notify("$/cancelRequest", json!({ "id": id }));
    }
    server.notify("$/cancelRequest", Value::Null);
    let request = send_request(&mut server);
    server.cancel(&request);
    // There is a response in any case, canceled or finished.
    let _ = server.wait_response(&request);
    server.cancel(&request);
    assert_alive(&mut server);
}

#[test]
fn survives_malformed_messages_and_responds_to_them() {
    let workspace = Workspace::new();
    let mut server = Server::start(&workspace);
    for body in ["{", "[]", "{\"jsonrpc\":\"2.0\",\"method\":\"x\",\"params\":[\"\\ud83d\"]}"] {
        server.write_raw(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
        let answer = server.wait_unreadable();
        assert!(answer.contains("-32700") || answer.contains("-32600"), "{answer}");
    }
    server.write_raw(b"Content-Length: 3\r\n\r\n\xff\xff\xff");
    server.wait_unreadable();
    server.write_raw(b"no header at all\r\n\r\n");
    assert_alive(&mut server);
}

#[test]
fn accepts_headers_in_any_case_and_order() {
    let workspace = Workspace::new();
    let mut server = Server::start(&workspace);
    for (id, header) in [
        (1001, "content-length: "),
        (1002, "Content-Type: application/vscode-jsonrpc\r\nContent-Length: "),
        (1003, "X-A: 1\r\nX-B: 2\r\nX-C: 3\r\nCONTENT-LENGTH:"),
    ] {
        let body = json!({ "jsonrpc": "2.0", "id": id, "method": "costline/unknown" }).to_string();
        server.expect_answer(id, "costline/unknown");
        server.write_raw(format!("{header}{}\r\n\r\n{body}", body.len()).as_bytes());
        assert_eq!(server.wait_response(&id.into()).unwrap_err().code, METHOD_NOT_FOUND);
    }
}

#[test]
fn survives_responses_without_a_request() {
    let workspace = Workspace::new();
    let mut server = Server::start(&workspace);
    for id in [json!(99_999), json!("a"), json!(null)] {
        server.send_json(json!({ "id": id, "result": null }));
        server
            .send_json(json!({ "id": id, "error": { "code": 1, "message": "no", "unknown": 1 } }));
        server.send_json(json!({ "id": id }));
    }
    assert_alive(&mut server);
}

#[test]
fn works_with_a_client_that_never_responds() {
    let workspace = Workspace::new();
    let mut server = Server::builder(&workspace).hold_all().start();
    let requests: Vec<_> = (0..150).map(|_| send_request(&mut server)).collect();
    for id in &requests {
        // An error is a response as well.
        let _ = server.wait_response(id);
    }
    for (id, _, _) in server.take_server_requests() {
        server.reply_error(id, -32603, "late, and of no help");
    }
    assert_alive(&mut server);
    server.request("shutdown", Value::Null);
    server.notify("exit", Value::Null);
    assert_eq!(server.wait_exit(), 0);
}

#[test]
fn responds_twice_to_the_same_request_sent_twice() {
    let workspace = Workspace::new();
    let mut server = Server::start(&workspace);
    for _ in 0..2 {
        server.send_json(json!({ "id": 1000, "method": "costline/unknown" }));
        assert_eq!(server.wait_response(&1000.into()).unwrap_err().code, METHOD_NOT_FOUND);
    }
}

#[test]
fn closing_stdin_ends_an_idle_server() {
    let workspace = Workspace::new();
    let mut server = Server::start(&workspace);
    server.close_stdin();
    assert_eq!(server.wait_exit(), 1);

    let mut server = Server::start(&workspace);
    server.request("shutdown", Value::Null);
    server.close_stdin();
    assert_eq!(server.wait_exit(), 0);

    let mut server = without_handshake(&workspace);
    server.close_stdin();
    assert_eq!(server.wait_exit(), 1);
}

#[test]
fn closing_stdin_within_a_message_ends_the_server() {
    let workspace = Workspace::new();
    for rest in
        ["Content-Le", "Content-Length: 100\r\n\r\n", "Content-Length: 100\r\n\r\n{\"jsonrpc\":"]
    {
        let mut server = Server::start(&workspace);
        server.write_raw(rest.as_bytes());
        server.close_stdin();
        assert_eq!(server.wait_exit(), 1);
    }
}

#[test]
fn responds_to_requests_before_stdin_was_closed() {
    let workspace = Workspace::new();
    let mut server = Server::start(&workspace);
    let requests: Vec<_> = (0..20).map(|_| send_request(&mut server)).collect();
    server.close_stdin();
    for id in &requests {
        let _ = server.wait_response(id);
    }
    assert_eq!(server.wait_exit(), 1);
}

#[test]
fn closing_both_pipes_during_requests_ends_the_server_without_panic() {
    let workspace = Workspace::new();
    let (mut child, stdin, stdout) = connected(&workspace);
    drop(stdout);
    drop(stdin);
    assert_eq!(wait_exit(&mut child).and_then(|status| status.code()), Some(1));
    assert_no_panic(child);
}

#[test]
fn closing_stdout_ends_the_server_without_panic() {
    let workspace = Workspace::new();
    let (mut child, stdin, stdout) = connected(&workspace);
    drop(stdout);
    assert_eq!(wait_exit(&mut child).and_then(|status| status.code()), Some(1));
    assert_no_panic(child);
    drop(stdin);
}

/// The server reads nothing more, so that only the system tells it of the end.
#[test]
#[cfg(target_os = "linux")]
fn closing_stdin_while_stdout_is_full_ends_the_server() {
    let workspace = Workspace::new();
    // What is between the test and the server can be ended while a message waits in the pipe.
    let mut between =
        Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut server = command(&workspace)
        .stdin(between.stdout.take().unwrap())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let stdout = server.stdout.take().unwrap();
    let mut stdin = between.stdin.take().unwrap();
    let (sent, progress) = channel();
    let writer = thread::spawn(move || {
        let initialize = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": { "capabilities": {} } });
        send(&mut stdin, &initialize).unwrap();
        let mut id = 0;
        while send(&mut stdin, &json!({ "jsonrpc": "2.0", "id": id, "method": "costline/unknown" }))
            .is_ok()
        {
            id += 1;
            let _ = sent.send(());
        }
    });
    // All pipes are full when nothing is taken for a while.
    while progress.recv_timeout(Duration::from_secs(2)).is_ok() {}
    assert!(!writer.is_finished(), "the pipes are larger than all messages");
    between.kill().unwrap();
    between.wait().unwrap();
    assert_eq!(wait_exit(&mut server).and_then(|status| status.code()), Some(1));
    drop(stdout);
    writer.join().unwrap();
    assert_no_panic(server);
}

fn command(workspace: &Workspace) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_costline"));
    command.env("COSTLINE_CACHE_DIR", "").arg("lsp").current_dir(workspace.root());
    command
}

fn send(stdin: &mut impl Write, message: &Value) -> io::Result<()> {
    let body = message.to_string();
    write!(stdin, "Content-Length: {}\r\n\r\n{body}", body.len())?;
    stdin.flush()
}

/// An initialized server on bare pipes, with requests whose responses are not read. More follow
/// until the server stops reading, so that it writes a response to the closed pipe.
fn connected(workspace: &Workspace) -> (Child, impl Sized, impl Sized) {
    let mut child = command(workspace)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut send = move |message: Value| send(&mut stdin, &message);
    send(json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": { "capabilities": {} } })).unwrap();
    Message::read(&mut stdout).unwrap().unwrap();
    send(json!({ "jsonrpc": "2.0", "method": "initialized", "params": {} })).unwrap();
    let (stop, stopped) = channel::<()>();
    let sender = thread::spawn(move || {
        let mut id = 0;
        while stopped.try_recv() != Err(TryRecvError::Disconnected) {
            id += 1;
            if send(json!({ "jsonrpc": "2.0", "id": id, "method": "costline/unknown" })).is_err() {
                break;
            }
            thread::sleep(Duration::from_millis(1));
        }
    });
    drop(sender);
    (child, stop, stdout)
}

fn assert_no_panic(child: Child) {
    let output = child.wait_with_output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(!errors.contains("panicked"), "{errors}");
}

#[test]
#[cfg(target_os = "linux")]
fn ends_when_the_client_process_is_gone_although_the_pipes_stay_open() {
    let workspace = Workspace::new();
    let mut client = Command::new("sleep").arg("600").spawn().unwrap();
    let mut server = Server::builder(&workspace).param("processId", json!(client.id())).start();
    assert_alive(&mut server);
    // Wait for the child only after the server has exited: a zombie counts as gone, too.
    client.kill().unwrap();
    let code = server.wait_exit();
    client.wait().unwrap();
    assert_eq!(code, 1);
}

#[test]
#[cfg(target_os = "linux")]
fn ignores_a_client_process_id_that_never_existed() {
    let workspace = Workspace::new();
    let max: u32 = fs::read_to_string("/proc/sys/kernel/pid_max").unwrap().trim().parse().unwrap();
    let mut server = Server::builder(&workspace).param("processId", json!(max + 1)).start();
    // A server that was started later has checked its client process by then.
    ends_when_the_client_process_is_gone_although_the_pipes_stay_open();
    assert_alive(&mut server);
}
