//! What a client declares that can do all that Costline makes use of.

use serde_json::{Value, json};

/// The capabilities of a client that can do all that Costline makes use of.
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
