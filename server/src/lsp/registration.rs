//! Registers for notifications of the client (`client/registerCapability`).

use lsp_guard::ask;
use lsp_types::request::{RegisterCapability, UnregisterCapability};
use lsp_types::{Registration, RegistrationParams, Unregistration, UnregistrationParams};
use serde::Serialize;
use std::time::Duration;
use tower_lsp::Client;

const DEADLINE: Duration = Duration::from_secs(10);

/// Asks for the notifications of a method.
pub async fn register(client: &Client, id: &str, method: &str, options: &impl Serialize) {
    let registration = Registration {
        id: id.to_owned(),
        method: method.to_owned(),
        register_options: serde_json::to_value(options).ok(),
    };
    let params = RegistrationParams { registrations: vec![registration] };
    let _ = ask::<RegisterCapability>(client, params, DEADLINE).await;
}

/// Asks for no more notifications.
pub async fn unregister(client: &Client, id: &str, method: &str) {
    let registration = Unregistration { id: id.to_owned(), method: method.to_owned() };
    let params = UnregistrationParams { unregisterations: vec![registration] };
    let _ = ask::<UnregisterCapability>(client, params, DEADLINE).await;
}
