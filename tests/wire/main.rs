//! The judge of conversations, judged: what is wrong must be found, what is right must pass.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "in tests a panic is the message")]
// So that `json!` can stand in the call.
#![allow(clippy::needless_pass_by_value)]

#[path = "mod.rs"]
mod wire;

use serde_json::{Value, json};
use wire::{Conversation, Frames, Side};

/// A conversation with a client that has one document open, and asked each of these with its method as id.
fn asked(requests: &[(&str, Value)]) -> Conversation {
    let mut conversation = Conversation::default();
    let capabilities = json!({
        "workspace": { "inlayHint": { "refreshSupport": true }, "didChangeWatchedFiles": { "dynamicRegistration": true } },
        "textDocument": { "publishDiagnostics": {} },
        "window": { "workDoneProgress": true },
    });
    let initialize = json!({ "processId": null, "rootUri": null, "capabilities": capabilities });
    let document = json!({ "uri": URI, "languageId": "python", "version": 3, "text": "" });
    let offered = json!({ "capabilities": { "executeCommandProvider": { "commands": ["costline.showCallers"] } } });
    fits(&mut conversation, Side::Client, &request("initialize", initialize));
    fits(&mut conversation, Side::Server, &answer("initialize", offered));
    fits(&mut conversation, Side::Client, &notification("initialized", json!({})));
    fits(&mut conversation, Side::Client, &notification("textDocument/didOpen", json!({ "textDocument": document })));
    for (method, params) in requests {
        fits(&mut conversation, Side::Client, &request(method, params.clone()));
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
fn fits(conversation: &mut Conversation, side: Side, message: &Value) {
    let faults = conversation.hear(side, message);
    assert!(faults.is_empty(), "{message}: {faults:#?}");
}

#[track_caller]
fn rejected(conversation: &mut Conversation, message: &Value) {
    assert!(!conversation.hear(Side::Server, message).is_empty(), "accepted: {message}");
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

/// `value` with what is at `pointer` replaced; without it where `to` is `None`.
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

/// Each result as it is passes; each with one member spoilt does not.
fn spoilt(method: &str, params: &Value, result: &Value, spoils: &[(&str, Option<Value>)]) {
    let conversation = || asked(&[(method, params.clone())]);
    fits(&mut conversation(), Side::Server, &answer(method, result.clone()));
    for (pointer, to) in spoils {
        rejected(&mut conversation(), &answer(method, with(result.clone(), pointer, to.clone())));
    }
}

#[test]
fn hints() {
    let hint =
        json!({ "position": { "line": 2, "character": 8 }, "label": "12.3%", "paddingLeft": true, "data": { "any": [1.5] } });
    let params = json!({ "textDocument": { "uri": URI }, "range": range((0, 0), (9, 0)) });
    spoilt(
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
            ("/0/unheard", Some(json!("of"))),
        ],
    );
    fits(&mut asked(&[("textDocument/inlayHint", params)]), Side::Server, &answer("textDocument/inlayHint", Value::Null));
}

#[test]
fn lenses() {
    let command = json!({ "title": "self 1%", "command": "costline.showCallers", "arguments": [{}] });
    let lens = json!({ "range": range((2, 0), (2, 0)), "command": command });
    spoilt(
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
            ("/0/command/command", Some(json!("costline.unheardOf"))),
            ("/0/command/arguments", Some(json!({}))),
        ],
    );
}

#[test]
fn hovers() {
    let hover = json!({ "contents": { "kind": "markdown", "value": "| a |" }, "range": range((1, 0), (1, 4)) });
    spoilt(
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
    spoilt(
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
    spoilt(
        "callHierarchy/incomingCalls",
        &json!({ "item": item }),
        &json!([call]),
        &[("/0/fromRanges", None), ("/0/fromRanges", Some(json!([null]))), ("/0/from", None), ("/0/to", Some(item.clone()))],
    );
}

#[test]
fn envelopes() {
    let conversation = || asked(&[("textDocument/hover", at())]);
    let error = json!({ "jsonrpc": "2.0", "id": "textDocument/hover", "error": { "code": -32603, "message": "why" } });
    fits(&mut conversation(), Side::Server, &error);
    let unplaceable = json!({ "jsonrpc": "2.0", "id": null, "error": { "code": -32700, "message": "why" } });
    fits(&mut conversation(), Side::Server, &unplaceable);
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
        ("/id", Some(json!("never asked"))),
        ("/id", Some(json!(1.5))),
        ("/unheard", Some(json!("of"))),
    ] {
        rejected(&mut conversation(), &with(error.clone(), pointer, to));
    }
    rejected(&mut conversation(), &json!({ "jsonrpc": "2.0", "id": null, "result": null }));
    rejected(&mut conversation(), &json!([error]));
    let mut twice = conversation();
    fits(&mut twice, Side::Server, &error);
    rejected(&mut twice, &error);
}

#[test]
fn what_the_server_sends_by_itself() {
    let mut conversation = asked(&[]);
    let refresh = json!({ "jsonrpc": "2.0", "id": 1, "method": "workspace/inlayHint/refresh" });
    rejected(&mut asked(&[]), &with(refresh.clone(), "/params", Some(Value::Null)));
    fits(&mut conversation, Side::Server, &refresh);
    // The id is in use until the client has answered.
    rejected(&mut conversation, &refresh);
    fits(&mut conversation, Side::Client, &json!({ "jsonrpc": "2.0", "id": 1, "result": null }));
    fits(&mut conversation, Side::Server, &refresh);

    for undeclared in [
        request("workspace/codeLens/refresh", json!({})),
        request("workspace/configuration", json!({ "items": [] })),
        request("client/registerCapability", json!({ "registrations": [{ "id": "1", "method": "textDocument/hover" }] })),
        notification("costline/changed", json!({})),
        notification("costline/unheardOf", json!({})),
        notification("textDocument/hover", at()),
    ] {
        rejected(&mut conversation, &undeclared);
    }
    rejected(&mut Conversation::default(), &refresh);

    let watch = |options: Value| {
        let registration = json!({ "id": "watch", "method": "workspace/didChangeWatchedFiles", "registerOptions": options });
        request("client/registerCapability", json!({ "registrations": [registration] }))
    };
    fits(&mut asked(&[]), Side::Server, &watch(json!({ "watchers": [{ "globPattern": "**/*.folded" }] })));
    rejected(&mut asked(&[]), &watch(json!({ "watchers": [{ "glob": "**/*.folded" }] })));
    rejected(&mut asked(&[]), &watch(Value::Null));

    let said = |kind: i64, text: Value| notification("window/showMessage", json!({ "type": kind, "message": text }));
    fits(&mut conversation, Side::Server, &said(3, json!("hello")));
    rejected(&mut conversation, &said(0, json!("hello")));
    rejected(&mut conversation, &said(3, json!(null)));
}

#[test]
fn diagnostics_are_of_versions_that_the_client_has_told() {
    let published = |uri: &str, version: i64| {
        let diagnostic = json!({ "range": range((0, 0), (0, 5)), "severity": 4, "source": "costline", "message": "hot" });
        let params = json!({ "uri": uri, "version": version, "diagnostics": [diagnostic] });
        notification("textDocument/publishDiagnostics", params)
    };
    fits(&mut asked(&[]), Side::Server, &published(URI, 3));
    rejected(&mut asked(&[]), &published(URI, 4));
    rejected(&mut asked(&[]), &published("file:///b.py", 3));
    rejected(&mut asked(&[]), &with(published(URI, 3), "/params/diagnostics/0/severity", Some(json!(5))));
    rejected(&mut asked(&[]), &with(published(URI, 3), "/params/diagnostics/0/message", Some(json!(null))));
}

#[test]
fn progress_goes_from_begin_to_end() {
    let report = |value: Value| notification("$/progress", json!({ "token": "t", "value": value }));
    let begin = report(json!({ "kind": "begin", "title": "load" }));
    let half = report(json!({ "kind": "report", "percentage": 50 }));
    let third = report(json!({ "kind": "report", "percentage": 33 }));
    let end = report(json!({ "kind": "end" }));
    let create = request("window/workDoneProgress/create", json!({ "token": "t" }));
    let agreed = |to: Value| {
        let mut conversation = asked(&[]);
        fits(&mut conversation, Side::Server, &create);
        rejected(&mut conversation, &begin);
        let answer = with(json!({ "jsonrpc": "2.0", "id": "window/workDoneProgress/create" }), "/result", Some(to));
        fits(&mut conversation, Side::Client, &answer);
        conversation
    };
    let mut whole = agreed(Value::Null);
    for said in [&begin, &half, &half, &end] {
        fits(&mut whole, Side::Server, said);
    }
    rejected(&mut whole, &half);

    rejected(&mut asked(&[]), &begin);
    rejected(&mut agreed(Value::Null), &half);
    rejected(&mut agreed(Value::Null), &report(json!({ "kind": "begin" })));
    rejected(&mut agreed(Value::Null), &report(json!({ "kind": "pause" })));
    for wrong in [&begin, &third, &report(json!({ "kind": "report", "percentage": 101 }))] {
        let mut conversation = agreed(Value::Null);
        fits(&mut conversation, Side::Server, &begin);
        fits(&mut conversation, Side::Server, &half);
        rejected(&mut conversation, wrong);
    }
    let mut refused = asked(&[]);
    fits(&mut refused, Side::Server, &create);
    let error = json!({ "code": -32603, "message": "no" });
    fits(&mut refused, Side::Client, &json!({ "jsonrpc": "2.0", "id": "window/workDoneProgress/create", "error": error }));
    rejected(&mut refused, &begin);
}

#[test]
fn what_the_server_offers_is_what_the_client_can_do() {
    let initialized = |capabilities: Value| {
        let mut conversation = Conversation::default();
        let general = json!({ "general": { "positionEncodings": ["utf-8", "utf-16"] } });
        let params = json!({ "processId": 1, "rootUri": URI, "capabilities": general });
        fits(&mut conversation, Side::Client, &request("initialize", params));
        conversation.hear(Side::Server, &answer("initialize", json!({ "capabilities": capabilities })))
    };
    for fitting in [json!({}), json!({ "positionEncoding": "utf-8" }), json!({ "hoverProvider": true })] {
        assert_eq!(initialized(fitting), [""; 0]);
    }
    for wrong in [
        json!(null),
        json!({ "positionEncoding": "utf-32" }),
        json!({ "hoverProvider": "yes" }),
        json!({ "executeCommandProvider": { "commands": ["costline.unheardOf"] } }),
        json!({ "odd": 1 }),
    ] {
        assert!(!initialized(wrong.clone()).is_empty(), "{wrong}");
    }
}

#[test]
fn the_projects_own_messages() {
    let profile =
        json!({ "path": "/a", "format": "folded", "modified": 1, "bytes": 2, "active": false, "problem": null, "files": ["/a"] });
    let profiles = json!({ "revision": 1, "active": null, "profiles": [profile] });
    let command = |name: &str, arguments: Value| json!({ "command": name, "arguments": arguments });
    spoilt(
        "workspace/executeCommand",
        &command("costline.profiles", json!([])),
        &profiles,
        &[
            ("/revision", None),
            ("/revision", Some(json!(-1))),
            ("/active", Some(json!({}))),
            ("/profiles/0/active", Some(json!("no"))),
            ("/profiles/0/files", Some(json!([null]))),
            ("/unheard", Some(json!("of"))),
        ],
    );
    // What was taken must be what is said to be taken; what was refused need not.
    for (name, arguments) in
        [("costline.profiles", json!([1])), ("costline.unheardOf", json!([])), ("costline.export", json!([]))]
    {
        let conversation = || asked(&[("workspace/executeCommand", command(name, arguments.clone()))]);
        rejected(&mut conversation(), &answer("workspace/executeCommand", profiles.clone()));
        let error = json!({ "code": -32602, "message": "why" });
        fits(&mut conversation(), Side::Server, &json!({ "jsonrpc": "2.0", "id": "workspace/executeCommand", "error": error }));
    }
    spoilt(
        "costline/textDocumentContent",
        &json!({ "uri": "costline:a" }),
        &json!({ "text": "a" }),
        &[("/text", Some(Value::Null))],
    );
}

#[test]
fn recorded_conversations() {
    let folder = tempfile::tempdir().unwrap();
    let report = |pieces: &[(&str, &str)], rest: &str| {
        let latin_1 = |bytes: &str| bytes.bytes().map(char::from).collect::<String>();
        let lines = pieces.iter().map(|(from, bytes)| json!({ "from": from, "bytes": latin_1(bytes) }).to_string() + "\n");
        let path = folder.path().join("1.jsonl");
        std::fs::write(&path, lines.collect::<String>() + rest).unwrap();
        wire::check_log(&path)
    };
    let frame = |message: &str| format!("Content-Length: {}\r\n\r\n{message}", message.len());
    let asked = frame(r#"{"jsonrpc":"2.0","id":"é","method":"shutdown","odd":0}"#);
    let answer = frame(r#"{"jsonrpc":"2.0","id":"é","result":null}"#);
    let (first, second) = answer.split_at(30);

    let good = report(&[("client", &asked), ("server", first), ("server", second)], "{\"from\": \"ser");
    assert_eq!((good.heard, good.server.len(), good.client.len()), (1, 0, 1), "{good:#?}");
    let unasked = report(&[("server", first), ("server", second)], "");
    assert_eq!((unasked.heard, unasked.server.len()), (1, 1), "{unasked:#?}");
    let broken = report(&[("client", &asked), ("server", "hello\r\n\r\n"), ("server", &answer)], "");
    assert_eq!((broken.heard, broken.server.len()), (2, 1), "{broken:#?}");
}

#[test]
fn what_the_client_sends_is_judged_too() {
    let mut conversation = asked(&[]);
    for wrong in [
        request("textDocument/hover", document()),
        request("textDocument/unheardOf", json!({})),
        notification("textDocument/didChange", json!({ "textDocument": { "uri": URI }, "contentChanges": [] })),
        notification("$/cancelRequest", json!({ "id": null })),
    ] {
        assert!(!conversation.hear(Side::Client, &wrong).is_empty(), "{wrong}");
    }
}

#[test]
fn frames_of_any_pieces() {
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
    assert!(frames.is_within());
    for wrong in
        ["content-length: 2\r\n\r\n", "Content-Length: -1\r\n\r\n", "\r\n\r\n", "Content-Length: 1\r\n\r\n{", "X: 1\r\n\r\n"]
    {
        let mut frames = Frames::default();
        frames.push(wrong.as_bytes());
        assert!(frames.next().unwrap().is_err(), "{wrong:?}");
    }
}
