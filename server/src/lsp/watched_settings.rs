//! Asks the client to announce changed settings (`workspace/didChangeConfiguration`). Clients of LSP
//! 3.17 announce them only then.

use super::registration;
use serde_json::json;
use tower_lsp::Client;

/// Registers the section `costline`.
pub async fn register(client: Client) {
    let method = "workspace/didChangeConfiguration";
    registration::register(&client, "costline/settings", method, &json!({ "section": "costline" }))
        .await;
}
