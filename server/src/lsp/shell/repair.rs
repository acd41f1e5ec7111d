//! Mends requests that mean something but do not parse: `"params": null`, and `initialize` params with values that
//! `lsp-types` does not know. The server's own requests lose the `"params": null` that tower-lsp gives them.
//!
//! An editor is never refused for an optional block. The smallest part that does not parse is left out, and said so in the
//! log; no list of known oddities is kept.

use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use tower_lsp::jsonrpc::{Id, Request};
use tower_lsp::lsp_types::InitializeParams;

/// `request` with params that tower-lsp takes.
pub(super) fn mend(request: Request) -> Request {
    let (method, id, params) = request.into_parts();
    let params = match (&*method, params.filter(|params| !params.is_null())) {
        // Takes none; some clients send null, some `{}`.
        ("shutdown", _) => None,
        // Carries nothing, and the server starts its work on it.
        ("initialized", _) => Some(json!({})),
        ("initialize", params) => Some(mend_initialize(params.unwrap_or_default())),
        (_, params) => params,
    };
    request_of(method, id, params)
}

/// `request` without params where they are null: JSON-RPC has lists and objects only ("4.2 Parameter Structures").
pub(super) fn without_null(request: Request) -> Request {
    let (method, id, params) = request.into_parts();
    request_of(method, id, params.filter(|params| !params.is_null()))
}

fn request_of(method: Cow<'static, str>, id: Option<Id>, params: Option<Value>) -> Request {
    let mut request = Request::build(method);
    if let Some(id) = id {
        request = request.id(id);
    }
    if let Some(params) = params {
        request = request.params(params);
    }
    request.finish()
}

fn mend_initialize(params: Value) -> Value {
    let mut params = without_faults(params, "params", &|params| InitializeParams::deserialize(with_capabilities(params)).is_ok())
        .unwrap_or_default();
    if !params.is_object() {
        params = json!({});
    }
    with_capabilities(params)
}

/// `capabilities` is the one member that must be there.
fn with_capabilities(mut params: Value) -> Value {
    if let Value::Object(members) = &mut params {
        members.entry("capabilities").or_insert_with(|| json!({}));
    }
    params
}

/// `value` without the members and elements that do not fit, or `None` when nothing of it does. `fits` tells whether a value
/// fits in this place, all else being absent.
fn without_faults(value: Value, path: &str, fits: &dyn Fn(Value) -> bool) -> Option<Value> {
    if fits(value.clone()) {
        return Some(value);
    }
    let rest = match value {
        Value::Object(members) => Value::Object(
            members
                .into_iter()
                .filter_map(|(key, member)| {
                    let alone = |member| fits(Value::Object(Map::from_iter([(key.clone(), member)])));
                    let member = without_faults(member, &format!("{path}.{key}"), &alone)?;
                    Some((key, member))
                })
                .collect(),
        ),
        Value::Array(elements) => elements
            .into_iter()
            .enumerate()
            .filter_map(|(at, element)| without_faults(element, &format!("{path}[{at}]"), &|element| fits(json!([element]))))
            .collect(),
        scalar => scalar,
    };
    if fits(rest.clone()) {
        return Some(rest);
    }
    tracing::warn!("initialize: {path} is of a kind that is not known here, and is left out");
    None
}
