//! The capabilities of a client that supports everything that Costline uses.

use serde_json::{Value, json};

/// Declares everything that Costline uses.
pub fn complete() -> Value {
    json!({
        "general": { "positionEncodings": ["utf-16"] },
        "workspace": {
            "applyEdit": true,
            "configuration": true,
            "workspaceFolders": true,
            "didChangeConfiguration": { "dynamicRegistration": true },
            "didChangeWatchedFiles": { "dynamicRegistration": true, "relativePatternSupport": true },
            "executeCommand": { "dynamicRegistration": false },
            "symbol": {},
            "inlayHint": { "refreshSupport": true },
            "codeLens": { "refreshSupport": true },
        },
        "textDocument": {
            "synchronization": { "didSave": true },
            "inlayHint": { "resolveSupport": { "properties": ["tooltip"] } },
            "codeLens": {},
            "codeAction": { "codeActionLiteralSupport": { "codeActionKind": { "valueSet": ["source"] } } },
            "hover": { "contentFormat": ["markdown", "plaintext"] },
            "callHierarchy": {},
            "publishDiagnostics": {},
        },
        "window": {
            "workDoneProgress": true,
            "showMessage": { "messageActionItem": { "additionalPropertiesSupport": false } },
            "showDocument": { "support": true },
        },
        "experimental": { "costline": { "changed": true } },
    })
}
