//! The handshakes of real editors, each with everything that Costline shows. The scripted editor
//! checks that a client gets only what it declared.

use serde_json::{Value, json};

use crate::support::cases::clients;
use crate::support::profiles::{SIX_SAMPLES, six_samples};
use crate::support::requests::{at, costs, text};
use crate::support::{Server, Workspace};

/// The params of a client, with the folders of `workspace`.
fn params_in(mut params: Value, workspace: &Workspace) -> Value {
    params["processId"] = json!(std::process::id());
    params["rootUri"] = json!(workspace.root_uri());
    params["rootPath"] = json!(workspace.root());
    // Clients without support for folders do not send any.
    if params.pointer("/capabilities/workspace/workspaceFolders") == Some(&json!(true)) {
        params["workspaceFolders"] = json!([{ "uri": workspace.root_uri(), "name": "workspace" }]);
    }
    params
}

fn declares(params: &Value, pointer: &str) -> bool {
    params["capabilities"].pointer(pointer) == Some(&json!(true))
}

#[test]
fn every_recorded_client_gets_hints_lenses_and_hierarchy() {
    let clients = clients();
    assert_eq!(clients.len(), 12);
    for (name, params) in clients {
        eprintln!("{name}");
        let workspace = six_samples();
        let params = params_in(params, &workspace);
        let mut server = Server::builder(&workspace).params(params.clone()).unchecked().start();
        let offered = &server.initialize_result()["capabilities"];
        for provider in [
            "inlayHintProvider",
            "codeActionProvider",
            "codeLensProvider",
            "callHierarchyProvider",
            "hoverProvider",
            "workspaceSymbolProvider",
            "executeCommandProvider",
        ] {
            assert!(!offered[provider].is_null(), "{name}: {provider}");
        }

        let uri = server.open_file(&workspace.path("app.py"), "python");
        server.wait_labels(&uri);
        assert_eq!(server.line_costs(&uri).len(), 9, "{name}");
        let hint = server.hints(&uri).remove(0);
        assert!(
            text(&server.request("inlayHint/resolve", hint)["tooltip"]["value"])
                .contains("line 10"),
            "{name}"
        );
        assert_eq!(server.lenses(&uri).len(), 3, "{name}");
        let parse = server.prepare(&uri, 22, 0).remove(0);
        let callers: Vec<_> =
            server.incoming(&parse).iter().map(|call| text(&call["from"]["name"])).collect();
        assert_eq!(callers, ["33.3% main", "16.7% eval"], "{name}");
        assert_eq!(server.outgoing(&parse)[0]["to"]["data"]["total"], 2, "{name}");

        let formats = &params["capabilities"]["textDocument"]["hover"]["contentFormat"];
        let hover = server.request("textDocument/hover", at(&uri, 9, 1000));
        let kind = &hover["contents"]["kind"];
        assert!(formats.as_array().unwrap().contains(kind), "{name}: {hover}");
        // They may announce Markdown too, and show escapes as they are written.
        if ["Neovim", "Eglot", "emacs"].map(Value::from).contains(&params["clientInfo"]["name"]) {
            assert_eq!(kind, "plaintext", "{name}");
        }
        assert!(text(&hover["contents"]["value"]).contains("33"), "{name}: {hover}");
        assert_eq!(server.symbols("$")[0]["name"], "$50.0% · self 50.0% hash", "{name}");

        // Clients that accept refreshes are notified of a rewrite.
        let refreshes = [
            declares(&params, "/workspace/inlayHint/refreshSupport"),
            declares(&params, "/workspace/codeLens/refreshSupport"),
        ];
        let counts =
            |server: &mut Server| [server.refreshes().inlay_hint, server.refreshes().code_lens];
        server.eventually("the first refreshes", |server| {
            (counts(server) == refreshes.map(usize::from)).then_some(())
        });
        workspace.rename_over("cpu.folded", "main (app.py:10) 4\n");
        server.wait_costs(&uri, &costs([(10, 4, 4)]));
        server.eventually("the second refreshes", |server| {
            (counts(server) == refreshes.map(|n| 2 * usize::from(n))).then_some(())
        });

        server.configure(json!({ "hints": { "enable": false } }));
        server.eventually("no hints", |server| server.hints(&uri).is_empty().then_some(()));
        server.configure(json!({}));

        // Problems are shown in a way that the client supports.
        workspace.rename_over("cpu.folded", "\u{1}".repeat(100));
        let profile = workspace.uri("cpu.folded");
        server.eventually("a diagnostic", |server| {
            server.diagnostics(&profile).filter(|found| found.len() == 1)
        });
        assert_eq!(server.line_costs(&uri), costs([(10, 4, 4)]), "{name}");

        let item = server.root_item("main");
        server.execute("costline.showCallees", json!([item]));
        server.eventually("a message", |server| {
            let shown =
                [server.sent("window/showMessage"), server.sent("window/showMessageRequest")]
                    .concat();
            (shown.len() == 1).then_some(())
        });
        server.change(&uri, SIX_SAMPLES);
        server.save(&uri);
        server.close(&uri);
        server.finish();
    }
}

#[test]
fn uses_the_position_encoding_that_each_client_prefers() {
    let workspace = six_samples();
    for (name, params) in clients() {
        let offers = params
            .pointer("/capabilities/general/positionEncodings")
            .and_then(|offers| offers.as_array()?.first().cloned());
        let server =
            Server::builder(&workspace).params(params_in(params, &workspace)).unchecked().start();
        assert_eq!(
            server.initialize_result()["capabilities"]["positionEncoding"],
            offers.unwrap_or(json!("utf-16")),
            "{name}"
        );
    }
}

#[test]
fn a_client_without_capabilities_gets_no_messages() {
    let workspace = six_samples();
    let mut server = Server::builder(&workspace).capabilities(json!({})).start();
    let uri = server.open_file(&workspace.path("app.py"), "python");
    server.wait_labels(&uri);
    assert_eq!((server.lenses(&uri).len(), server.prepare(&uri, 9, 0).len()), (3, 1));
    workspace.rename_over("cpu.folded", "main (app.py:10) 4\n");
    server.wait_costs(&uri, &costs([(10, 4, 4)]));
    workspace.rename_over("cpu.folded", "\u{1}".repeat(100));
    // Only in the log.
    server.eventually("a log message", |server| {
        server.messages().iter().any(|message| message.contains("cpu.folded")).then_some(())
    });
    assert_eq!(server.diagnostics(&workspace.uri("cpu.folded")), None);
    assert_eq!(server.line_hover(&uri, 9).map(|hover| hover.contains('|')), Some(false));
}
