//! Tests of the checker itself: it must find faults, and accept correct messages.
//!
//! Every message matches the schema of the protocol. Clients ignore or reject messages that do not.
//! `tests/wire` checks each message in all suites; messages to real editors pass through a tee.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "in tests a panic is the message")]
// `json!` can be written in the call.
#![allow(clippy::needless_pass_by_value)]

#[path = "mod.rs"]
mod wire;

use serde_json::{Value, json};
use wire::{Conversation, Frames, Side};

/// A conversation with a client that has one document open and sent these requests, each with its
/// method as id.
fn requested(requests: &[(&str, Value)]) -> Conversation {
    let mut conversation = Conversation::default();
    let capabilities = json!({
        "workspace": { "inlayHint": { "refreshSupport": true }, "didChangeWatchedFiles": { "dynamicRegistration": true } },
        "textDocument": { "publishDiagnostics": {} },
        "window": { "workDoneProgress": true },
    });
    let initialize = json!({ "processId": null, "rootUri": null, "capabilities": capabilities });
    let document = json!({ "uri": URI, "languageId": "python", "version": 3, "text": "" });
    let result = json!({ "capabilities": { "executeCommandProvider": { "commands": ["costline.showCallers"] } } });
    accepts(&mut conversation, Side::Client, &request("initialize", initialize));
    accepts(&mut conversation, Side::Server, &answer("initialize", result));
    accepts(&mut conversation, Side::Client, &notification("initialized", json!({})));
    accepts(
        &mut conversation,
        Side::Client,
        &notification("textDocument/didOpen", json!({ "textDocument": document })),
    );
    for (method, params) in requests {
        accepts(&mut conversation, Side::Client, &request(method, params.clone()));
    }
    conversation
}

const URI: &str = "file:///a.py";

fn request(method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": method, "method": method, "params": params })
}

fn notification(method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "method": method, "params": params })
}

fn answer(id: &str, result: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "result": result })
}

#[track_caller]
fn accepts(conversation: &mut Conversation, side: Side, message: &Value) {
    let faults = conversation.check(side, message);
    assert!(faults.is_empty(), "{message}: {faults:#?}");
}

#[track_caller]
fn rejects(conversation: &mut Conversation, message: &Value) {
    assert!(!conversation.check(Side::Server, message).is_empty(), "accepted: {message}");
}

fn document() -> Value {
    json!({ "textDocument": { "uri": URI } })
}

fn at() -> Value {
    json!({ "textDocument": { "uri": URI }, "position": { "line": 1, "character": 0 } })
}

fn range(from: (i64, i64), to: (i64, i64)) -> Value {
    json!({ "start": { "line": from.0, "character": from.1 }, "end": { "line": to.0, "character": to.1 } })
}

/// `value` with the value at `pointer` replaced, or removed if `to` is `None`.
fn with(mut value: Value, pointer: &str, to: Option<Value>) -> Value {
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    let parent = value.pointer_mut(parent).unwrap();
    match (to, parent.as_array_mut()) {
        (Some(to), Some(list)) => list[name.parse::<usize>().unwrap()] = to,
        (Some(to), None) => parent[name] = to,
        (None, _) => drop(parent.as_object_mut().unwrap().remove(name)),
    }
    value
}

/// Expects that a result is accepted, and rejected after each of these changes.
fn check_result(method: &str, params: &Value, result: &Value, changes: &[(&str, Option<Value>)]) {
    let conversation = || requested(&[(method, params.clone())]);
    accepts(&mut conversation(), Side::Server, &answer(method, result.clone()));
    for (pointer, to) in changes {
        rejects(&mut conversation(), &answer(method, with(result.clone(), pointer, to.clone())));
    }
}

#[test]
fn hints() {
    let hint = json!({ "position": { "line": 2, "character": 8 }, "label": "12.3%", "paddingLeft": true, "data": { "any": [1.5] } });
    let params = json!({ "textDocument": { "uri": URI }, "range": range((0, 0), (9, 0)) });
    check_result(
        "textDocument/inlayHint",
        &params,
        &json!([hint]),
        &[
            ("/0", Some(json!(null))),
            ("/0/position", None),
            ("/0/position", Some(json!(null))),
            ("/0/position/line", Some(json!("3"))),
            ("/0/position/line", Some(json!(1.5))),
            ("/0/position/line", Some(json!(1.0))),
            ("/0/position/line", Some(json!(-1))),
            ("/0/position/line", Some(json!(1_u64 << 31))),
            ("/0/position/column", Some(json!(1))),
            ("/0/label", None),
            ("/0/label", Some(json!(""))),
            ("/0/label", Some(json!(12))),
            ("/0/label", Some(json!([]))),
            ("/0/label", Some(json!([{ "value": "" }]))),
            ("/0/label", Some(json!([{ "text": "12.3%" }]))),
            ("/0/paddingLeft", Some(json!("true"))),
            ("/0/kind", Some(json!(3))),
            ("/0/tooltip", Some(json!({ "kind": "html", "value": "" }))),
            ("/0/unknown", Some(json!(1))),
        ],
    );
    accepts(
        &mut requested(&[("textDocument/inlayHint", params)]),
        Side::Server,
        &answer("textDocument/inlayHint", Value::Null),
    );
}

#[test]
fn lenses() {
    let command =
        json!({ "title": "self 1%", "command": "costline.showCallers", "arguments": [{}] });
    let lens = json!({ "range": range((2, 0), (2, 0)), "command": command });
    check_result(
        "textDocument/codeLens",
        &document(),
        &json!([lens]),
        &[
            ("/0/range", None),
            ("/0/range", Some(range((2, 1), (2, 0)))),
            ("/0/command", Some(json!(null))),
            ("/0/command/title", Some(json!(null))),
            ("/0/command/title", Some(json!(""))),
            ("/0/command/command", Some(json!(""))),
            ("/0/command/command", Some(json!("costline.unknown"))),
            ("/0/command/arguments", Some(json!({}))),
        ],
    );
}

#[test]
fn code_actions() {
    let command = json!({ "title": "Map", "command": "costline.showCallers", "arguments": [{}] });
    let action = json!({ "title": "Map", "kind": "source.costline.map", "command": command });
    let params = json!({
        "textDocument": { "uri": URI },
        "range": range((0, 0), (0, 0)),
        "context": { "diagnostics": [] },
    });
    check_result(
        "textDocument/codeAction",
        &params,
        &json!([action, command]),
        &[
            ("/0/title", None),
            ("/0/kind", Some(json!(1))),
            ("/0/command/command", Some(json!("costline.unknown"))),
            ("/0/isPreferred", Some(json!("yes"))),
            ("/0/unknown", Some(json!(1))),
            ("/1/arguments", Some(json!({}))),
        ],
    );
}

#[test]
fn hovers() {
    let hover = json!({ "contents": { "kind": "markdown", "value": "| a |" }, "range": range((1, 0), (1, 4)) });
    check_result(
        "textDocument/hover",
        &at(),
        &hover,
        &[
            ("/contents", None),
            ("/contents/kind", Some(json!("html"))),
            ("/contents/value", None),
            ("/contents/value", Some(json!(["a"]))),
            ("/range/end", None),
        ],
    );
}

#[test]
fn hierarchies() {
    let item = json!({
        "name": "main", "kind": 12, "uri": URI, "range": range((1, 0), (5, 0)), "selectionRange": range((1, 4), (1, 8)),
    });
    check_result(
        "textDocument/prepareCallHierarchy",
        &at(),
        &json!([item]),
        &[
            ("/0/name", Some(json!(null))),
            ("/0/name", Some(json!(" "))),
            ("/0/kind", Some(json!(0))),
            ("/0/kind", Some(json!("function"))),
            ("/0/uri", Some(json!(7))),
            ("/0/uri", Some(json!("a.py"))),
            ("/0/range", None),
            ("/0/selectionRange", Some(range((0, 4), (1, 8)))),
            ("/0/selectionRange", Some(range((1, 4), (5, 1)))),
            ("/0/detail", Some(json!(null))),
        ],
    );
    let call = json!({ "from": item, "fromRanges": [range((3, 0), (3, 9))] });
    check_result(
        "callHierarchy/incomingCalls",
        &json!({ "item": item }),
        &json!([call]),
        &[
            ("/0/fromRanges", None),
            ("/0/fromRanges", Some(json!([null]))),
            ("/0/from", None),
            ("/0/to", Some(item.clone())),
        ],
    );
}

#[test]
fn envelopes() {
    let conversation = || requested(&[("textDocument/hover", at())]);
    let error = json!({ "jsonrpc": "2.0", "id": "textDocument/hover", "error": { "code": -32603, "message": "why" } });
    accepts(&mut conversation(), Side::Server, &error);
    let without_id =
        json!({ "jsonrpc": "2.0", "id": null, "error": { "code": -32700, "message": "why" } });
    accepts(&mut conversation(), Side::Server, &without_id);
    for (pointer, to) in [
        ("/result", Some(Value::Null)),
        ("/error", None),
        ("/error/code", None),
        ("/error/code", Some(json!("-32603"))),
        ("/error/code", Some(json!(1.5))),
        ("/error/message", None),
        ("/error/message", Some(json!(null))),
        ("/error/reason", Some(json!(""))),
        ("/jsonrpc", None),
        ("/jsonrpc", Some(json!("1.0"))),
        ("/id", None),
        ("/id", Some(json!("never sent"))),
        ("/id", Some(json!(1.5))),
        ("/unknown", Some(json!(1))),
    ] {
        rejects(&mut conversation(), &with(error.clone(), pointer, to));
    }
    rejects(&mut conversation(), &json!({ "jsonrpc": "2.0", "id": null, "result": null }));
    rejects(&mut conversation(), &json!([error]));
    let mut twice = conversation();
    accepts(&mut twice, Side::Server, &error);
    rejects(&mut twice, &error);
}

#[test]
fn messages_sent_by_the_server() {
    let mut conversation = requested(&[]);
    let refresh = json!({ "jsonrpc": "2.0", "id": 1, "method": "workspace/inlayHint/refresh" });
    rejects(&mut requested(&[]), &with(refresh.clone(), "/params", Some(Value::Null)));
    accepts(&mut conversation, Side::Server, &refresh);
    // The id is in use until the client has responded.
    rejects(&mut conversation, &refresh);
    accepts(&mut conversation, Side::Client, &json!({ "jsonrpc": "2.0", "id": 1, "result": null }));
    accepts(&mut conversation, Side::Server, &refresh);

    for undeclared in [
        request("workspace/codeLens/refresh", json!({})),
        request("workspace/configuration", json!({ "items": [] })),
        request(
            "client/registerCapability",
            json!({ "registrations": [{ "id": "1", "method": "textDocument/hover" }] }),
        ),
        notification("costline/changed", json!({})),
        notification("costline/unknown", json!({})),
        notification("textDocument/hover", at()),
    ] {
        rejects(&mut conversation, &undeclared);
    }
    rejects(&mut Conversation::default(), &refresh);

    let watch = |options: Value| {
        let registration = json!({ "id": "watch", "method": "workspace/didChangeWatchedFiles", "registerOptions": options });
        request("client/registerCapability", json!({ "registrations": [registration] }))
    };
    accepts(
        &mut requested(&[]),
        Side::Server,
        &watch(json!({ "watchers": [{ "globPattern": "**/*.folded" }] })),
    );
    rejects(&mut requested(&[]), &watch(json!({ "watchers": [{ "glob": "**/*.folded" }] })));
    rejects(&mut requested(&[]), &watch(Value::Null));

    let message = |kind: i64, text: Value| {
        notification("window/showMessage", json!({ "type": kind, "message": text }))
    };
    accepts(&mut conversation, Side::Server, &message(3, json!("hello")));
    rejects(&mut conversation, &message(0, json!("hello")));
    rejects(&mut conversation, &message(3, json!(null)));
}

#[test]
fn diagnostics_are_for_versions_that_the_client_has_sent() {
    let published = |uri: &str, version: i64| {
        let diagnostic = json!({ "range": range((0, 0), (0, 5)), "severity": 4, "source": "costline", "message": "hot" });
        let params = json!({ "uri": uri, "version": version, "diagnostics": [diagnostic] });
        notification("textDocument/publishDiagnostics", params)
    };
    accepts(&mut requested(&[]), Side::Server, &published(URI, 3));
    rejects(&mut requested(&[]), &published(URI, 4));
    rejects(&mut requested(&[]), &published("file:///b.py", 3));
    rejects(
        &mut requested(&[]),
        &with(published(URI, 3), "/params/diagnostics/0/severity", Some(json!(5))),
    );
    rejects(
        &mut requested(&[]),
        &with(published(URI, 3), "/params/diagnostics/0/message", Some(json!(null))),
    );
}

#[test]
fn progress_goes_from_begin_to_end() {
    let report = |value: Value| notification("$/progress", json!({ "token": "t", "value": value }));
    let begin = report(json!({ "kind": "begin", "title": "load" }));
    let half = report(json!({ "kind": "report", "percentage": 50 }));
    let third = report(json!({ "kind": "report", "percentage": 33 }));
    let end = report(json!({ "kind": "end" }));
    let create = request("window/workDoneProgress/create", json!({ "token": "t" }));
    let accepted = |to: Value| {
        let mut conversation = requested(&[]);
        accepts(&mut conversation, Side::Server, &create);
        rejects(&mut conversation, &begin);
        let answer = with(
            json!({ "jsonrpc": "2.0", "id": "window/workDoneProgress/create" }),
            "/result",
            Some(to),
        );
        accepts(&mut conversation, Side::Client, &answer);
        conversation
    };
    let mut whole = accepted(Value::Null);
    for progress in [&begin, &half, &half, &end] {
        accepts(&mut whole, Side::Server, progress);
    }
    rejects(&mut whole, &half);

    rejects(&mut requested(&[]), &begin);
    rejects(&mut accepted(Value::Null), &half);
    rejects(&mut accepted(Value::Null), &report(json!({ "kind": "begin" })));
    rejects(&mut accepted(Value::Null), &report(json!({ "kind": "pause" })));
    for wrong in [&begin, &third, &report(json!({ "kind": "report", "percentage": 101 }))] {
        let mut conversation = accepted(Value::Null);
        accepts(&mut conversation, Side::Server, &begin);
        accepts(&mut conversation, Side::Server, &half);
        rejects(&mut conversation, wrong);
    }
    let mut rejected = requested(&[]);
    accepts(&mut rejected, Side::Server, &create);
    let error = json!({ "code": -32603, "message": "no" });
    accepts(
        &mut rejected,
        Side::Client,
        &json!({ "jsonrpc": "2.0", "id": "window/workDoneProgress/create", "error": error }),
    );
    rejects(&mut rejected, &begin);
}

#[test]
fn the_server_offers_only_what_the_client_supports() {
    let initialized = |capabilities: Value| {
        let mut conversation = Conversation::default();
        let general = json!({ "general": { "positionEncodings": ["utf-8", "utf-16"] } });
        let params = json!({ "processId": 1, "rootUri": URI, "capabilities": general });
        accepts(&mut conversation, Side::Client, &request("initialize", params));
        conversation
            .check(Side::Server, &answer("initialize", json!({ "capabilities": capabilities })))
    };
    for fitting in
        [json!({}), json!({ "positionEncoding": "utf-8" }), json!({ "hoverProvider": true })]
    {
        assert_eq!(initialized(fitting), [""; 0]);
    }
    for wrong in [
        json!(null),
        json!({ "positionEncoding": "utf-32" }),
        json!({ "hoverProvider": "yes" }),
        json!({ "executeCommandProvider": { "commands": ["costline.unknown"] } }),
        json!({ "unknown": 1 }),
    ] {
        assert!(!initialized(wrong.clone()).is_empty(), "{wrong}");
    }
}

#[test]
fn our_own_messages() {
    let profile = json!({
        "path": "/a", "format": "folded", "modified": 1, "bytes": 2, "active": false, "problem": null,
        "files": ["/a"], "metric": "samples", "total": 3, "totalText": "3 samples",
    });
    let profiles = json!({ "revision": 1, "root": null, "active": null, "profiles": [profile] });
    let command = |name: &str, arguments: Value| json!({ "command": name, "arguments": arguments });
    check_result(
        "workspace/executeCommand",
        &command("costline.profiles", json!([])),
        &profiles,
        &[
            ("/revision", None),
            ("/revision", Some(json!(-1))),
            ("/active", Some(json!({}))),
            ("/profiles/0/active", Some(json!("no"))),
            ("/profiles/0/files", Some(json!([null]))),
            ("/unknown", Some(json!(1))),
        ],
    );
    // Arguments that the server accepts must be documented; those it rejects need not.
    for (name, arguments) in [
        ("costline.profiles", json!([1])),
        ("costline.unknown", json!([])),
        ("costline.export", json!([])),
    ] {
        let conversation =
            || requested(&[("workspace/executeCommand", command(name, arguments.clone()))]);
        rejects(&mut conversation(), &answer("workspace/executeCommand", profiles.clone()));
        let error = json!({ "code": -32602, "message": "why" });
        accepts(
            &mut conversation(),
            Side::Server,
            &json!({ "jsonrpc": "2.0", "id": "workspace/executeCommand", "error": error }),
        );
    }
    check_result(
        "costline/textDocumentContent",
        &json!({ "uri": "costline:a" }),
        &json!({ "text": "a", "found": true }),
        &[("/text", Some(Value::Null)), ("/found", None)],
    );
}

#[test]
fn recorded_conversations() {
    let folder = tempfile::tempdir().unwrap();
    let report = |pieces: &[(&str, &str)], rest: &str| {
        let latin_1 = |bytes: &str| bytes.bytes().map(char::from).collect::<String>();
        let lines = pieces.iter().map(|(from, bytes)| {
            json!({ "from": from, "bytes": latin_1(bytes) }).to_string() + "\n"
        });
        let path = folder.path().join("1.jsonl");
        std::fs::write(&path, lines.collect::<String>() + rest).unwrap();
        wire::check_log(&path)
    };
    let frame = |message: &str| format!("Content-Length: {}\r\n\r\n{message}", message.len());
    let request = frame(r#"{"jsonrpc":"2.0","id":"é","method":"shutdown","unknown":0}"#);
    let answer = frame(r#"{"jsonrpc":"2.0","id":"é","result":null}"#);
    let (first, second) = answer.split_at(30);

    let good =
        report(&[("client", &request), ("server", first), ("server", second)], "{\"from\": \"ser");
    assert_eq!((good.n_from_server, good.server.len(), good.client.len()), (1, 0, 1), "{good:#?}");
    let unexpected = report(&[("server", first), ("server", second)], "");
    assert_eq!((unexpected.n_from_server, unexpected.server.len()), (1, 1), "{unexpected:#?}");
    let broken =
        report(&[("client", &request), ("server", "hello\r\n\r\n"), ("server", &answer)], "");
    assert_eq!((broken.n_from_server, broken.server.len()), (2, 1), "{broken:#?}");
}

#[test]
fn checks_messages_of_the_client() {
    let mut conversation = requested(&[]);
    for wrong in [
        request("textDocument/hover", document()),
        request("textDocument/unknown", json!({})),
        notification(
            "textDocument/didChange",
            json!({ "textDocument": { "uri": URI }, "contentChanges": [] }),
        ),
        notification("$/cancelRequest", json!({ "id": null })),
    ] {
        assert!(!conversation.check(Side::Client, &wrong).is_empty(), "{wrong}");
    }
}

#[test]
fn splits_a_stream_in_pieces_of_any_size() {
    let mut frames = Frames::default();
    let bytes =
        b"Content-Length: 2\r\n\r\n{}Content-Length: 4\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\nnull";
    let mut read = Vec::new();
    for byte in bytes.chunks(1) {
        frames.push(byte);
        read.extend(&mut frames);
    }
    assert_eq!(read, [Ok(json!({})), Ok(Value::Null)]);
    frames.push(b"Content-Length: 1\r\n\r\n3");
    assert!(frames.is_incomplete());
    for wrong in [
        "content-length: 2\r\n\r\n",
        "Content-Length: -1\r\n\r\n",
        "\r\n\r\n",
        "Content-Length: 1\r\n\r\n{",
        "X: 1\r\n\r\n",
    ] {
        let mut frames = Frames::default();
        frames.push(wrong.as_bytes());
        assert!(frames.next().unwrap().is_err(), "{wrong:?}");
    }
}
