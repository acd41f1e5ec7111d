//! The client capabilities that the server's messages require.

use serde_json::{Value, json};

/// The capability that the client would have to declare before the server may send `method`. `None`
/// if it is declared, or none is needed.
pub fn undeclared(capabilities: &Value, method: &str, params: &Value) -> Option<String> {
    let needs = |pointer: &str| {
        let declared = capabilities.pointer(pointer).unwrap_or(&Value::Null);
        let granted = *declared == json!(true) || declared.is_object();
        (!granted).then(|| pointer.to_owned())
    };
    match method {
        // These need no capability. The caller checks whether the token of `$/progress` exists;
        // unregistering follows from registering.
        "window/logMessage"
        | "window/showMessage"
        | "window/showMessageRequest"
        | "$/progress"
        | "client/unregisterCapability" => None,
        "window/workDoneProgress/create" => needs("/window/workDoneProgress"),
        "window/showDocument" => needs("/window/showDocument/support"),
        "workspace/configuration" => needs("/workspace/configuration"),
        "workspace/workspaceFolders" => needs("/workspace/workspaceFolders"),
        "workspace/applyEdit" => needs("/workspace/applyEdit"),
        "workspace/inlayHint/refresh" => needs("/workspace/inlayHint/refreshSupport"),
        "workspace/codeLens/refresh" => needs("/workspace/codeLens/refreshSupport"),
        "workspace/diagnostic/refresh" => needs("/workspace/diagnostics/refreshSupport"),
        "textDocument/publishDiagnostics" => needs("/textDocument/publishDiagnostics"),
        "client/registerCapability" => params["registrations"].as_array().map_or_else(
            || Some("registrations".to_owned()),
            |registrations| {
                registrations.iter().find_map(|registration| {
                    let method = registration["method"].as_str().unwrap_or("a method");
                    needs(&format!("/{method}/dynamicRegistration"))
                })
            },
        ),
        // Our own notification, for clients that announce it.
        "costline/changed" => needs("/experimental/costline/changed"),
        unknown => Some(format!("{unknown}: the test client does not support this message")),
    }
}

/// The commands of the client that it announces.
pub fn commands(capabilities: &Value) -> Option<String> {
    let records = capabilities.pointer("/experimental/costline/record") == Some(&json!(true));
    records.then(|| "costline.ui.record".to_owned())
}
