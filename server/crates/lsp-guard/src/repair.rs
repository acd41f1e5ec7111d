//! Repairs requests that do not parse although their meaning is clear: those with `"params": null`
//! or `"arguments": null`, and `initialize` with values that `lsp-types` does not have. Removes the
//! `"params": null` that tower-lsp writes into requests to the client.
//!
//! Only the smallest part that does not parse is removed, and a warning is logged. There is no list
//! of clients or values: the types decide.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use tower_lsp::jsonrpc::{Id, Request};
use tower_lsp::lsp_types::InitializeParams;

/// `request` with params that tower-lsp can parse.
pub(crate) fn repair_request(request: Request) -> Request {
    let (method, id, params) = request.into_parts();
    let params = match (&*method, params.filter(|params| !params.is_null())) {
        // `shutdown` has no params, but some clients send null or `{}`.
        ("shutdown", _) => None,
        // The params are empty, and the server must not lose this notification.
        ("initialized", _) => Some(json!({})),
        ("workspace/executeCommand", Some(params)) => Some(without_null_arguments(params)),
        ("initialize", params) => Some(repair_initialize(params.unwrap_or_default())),
        (_, params) => params,
    };
    request_of(method, id, params)
}

/// The params of a command without `arguments` if those are null.
fn without_null_arguments(mut params: Value) -> Value {
    if let Value::Object(members) = &mut params
        && members.get("arguments").is_some_and(Value::is_null)
    {
        members.remove("arguments");
    }
    params
}

/// `request` without params if they are null: JSON-RPC allows arrays and objects only ("4.2
/// Parameter Structures").
pub(crate) fn without_null_params(request: Request) -> Request {
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

fn repair_initialize(params: Value) -> Value {
    let mut params = valid_part(params, "params", &|params| {
        InitializeParams::deserialize(with_capabilities(params)).is_ok()
    })
    .unwrap_or_default();
    if !params.is_object() {
        params = json!({});
    }
    with_capabilities(params)
}

/// Adds `capabilities`, the only required member.
fn with_capabilities(mut params: Value) -> Value {
    if let Value::Object(members) = &mut params {
        members.entry("capabilities").or_insert_with(|| json!({}));
    }
    params
}

/// `value` without the members and elements that do not parse, or `None` if nothing remains.
///
/// `fits` tells whether a value parses in this position when everything around it is absent. `path`
/// is the position, for the log.
fn valid_part(value: Value, path: &str, fits: &dyn Fn(Value) -> bool) -> Option<Value> {
    if fits(value.clone()) {
        return Some(value);
    }
    let rest = match value {
        Value::Object(members) => Value::Object(
            members
                .into_iter()
                .filter_map(|(key, member)| {
                    let alone =
                        |member| fits(Value::Object(Map::from_iter([(key.clone(), member)])));
                    let member = valid_part(member, &format!("{path}.{key}"), &alone)?;
                    Some((key, member))
                })
                .collect(),
        ),
        Value::Array(elements) => elements
            .into_iter()
            .enumerate()
            .filter_map(|(at, element)| {
                valid_part(element, &format!("{path}[{at}]"), &|element| fits(json!([element])))
            })
            .collect(),
        scalar => scalar,
    };
    if fits(rest.clone()) {
        return Some(rest);
    }
    tracing::warn!("initialize: {path} has an unknown value or type and is ignored");
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_invalid_part_of_initialize_is_removed() {
        let repaired = |params: Value| {
            let request =
                repair_request(Request::build("initialize").id(1).params(params).finish());
            let params = request.params().unwrap().clone();
            serde_json::from_value::<InitializeParams>(params.clone()).unwrap();
            params
        };
        let valid = json!({
            "processId": 7,
            "rootUri": "file:///w",
            "initializationOptions": { "any": ["thing", 1.5, null] },
            "capabilities": { "workspace": { "applyEdit": true }, "unknown": { "a": 1 } },
            "trace": "messages",
            "workspaceFolders": [{ "uri": "file:///w", "name": "w" }],
        });
        assert_eq!(repaired(valid.clone()), valid);

        let minimal = json!({ "capabilities": {} });
        for params in
            [json!(null), json!("odd"), json!([1]), json!({}), json!({ "capabilities": null })]
        {
            assert_eq!(repaired(params), minimal);
        }
        for (member, invalid) in [
            ("trace", json!("compact")),
            ("processId", json!(-1)),
            ("processId", json!("7")),
            ("rootUri", json!("/no/uri")),
            ("locale", json!(["de"])),
            ("workspaceFolders", json!("file:///w")),
            ("clientInfo", json!({ "version": "1" })),
        ] {
            let mut params = valid.clone();
            params[member] = invalid;
            let mut rest = valid.clone();
            rest.as_object_mut().unwrap().remove(member);
            assert_eq!(repaired(params), rest, "{member}");
        }

        let partly_invalid = json!({
            "capabilities": {
                "workspace": {
                    "applyEdit": true,
                    "workspaceEdit": {
                        "documentChanges": true,
                        "failureHandling": "weird",
                        "resourceOperations": ["create", "transmogrify"],
                    },
                    "inlayHint": { "refreshSupport": true },
                    "codeLens": "yes",
                },
                "textDocument": [],
                "window": { "workDoneProgress": "true", "showDocument": { "support": true } },
            },
            "workspaceFolders": [{ "uri": "no uri", "name": "a" }, { "uri": "file:///b", "name": "b" }],
        });
        let rest = json!({
            "capabilities": {
                "workspace": {
                    "applyEdit": true,
                    "workspaceEdit": { "documentChanges": true, "resourceOperations": ["create"] },
                    "inlayHint": { "refreshSupport": true },
                },
                "window": { "showDocument": { "support": true } },
            },
            "workspaceFolders": [{ "uri": "file:///b", "name": "b" }],
        });
        assert_eq!(repaired(partly_invalid), rest);
    }
}
