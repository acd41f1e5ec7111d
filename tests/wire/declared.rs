//! Which messages of the server need which declaration of the client.

use serde_json::{Value, json};

/// What the client would have had to declare before the server may send `method`; `None` when it did, or need not.
pub fn undeclared(capabilities: &Value, method: &str, params: &Value) -> Option<String> {
    let needs = |pointer: &str| {
        let declared = capabilities.pointer(pointer).unwrap_or(&Value::Null);
        let granted = *declared == json!(true) || declared.is_object();
        (!granted).then(|| pointer.to_owned())
    };
    match method {
        // No declaration belongs to these; whether `$/progress` has a token is seen to by the caller, and a registration is
        // undone by the same right as it was done.
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
        // The project's own, for clients that ask for it.
        "costline/changed" => needs("/experimental/costline/changed"),
        unknown => Some(format!("{unknown}: no such message is known to the test client")),
    }
}
