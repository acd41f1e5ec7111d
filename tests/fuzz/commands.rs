//! Commands and requests with mutated arguments, to a real server: each is answered, with a result or
//! an error, and the server goes on.

use crate::mutate::Mutator;
use crate::support::Server;
use crate::support::profiles::six_samples;
use serde_json::{Value, json};

/// Commands that are not run: they write files where the arguments say.
const WRITING: [&str; 1] = ["costline.export"];

/// Arguments of all commands, as clients send them.
fn arguments(item: &Value, uri: &str) -> Vec<Value> {
    let key = json!({ "name": "parse", "file": "app.py", "lib": null });
    vec![
        json!({ "sort": "self", "scope": "own", "by": "line", "filter": "a", "limit": 10, "offset": 1 }),
        json!({ "path": [key], "inverted": true, "sort": "name", "depth": 3, "limit": 5, "skip": 1, "hotPath": true }),
        json!({ "inline": true, "node": [key], "depth": 3, "limit": 5, "skip": 1, "inverted": false, "search": { "text": "a", "regex": true } }),
        json!({ "type": "merge-node", "path": ["main", key] }),
        json!({ "type": "focus-function", "function": "eval", "implementation": "native" }),
        json!("drop-function:eval"),
        json!({ "unit": "both", "show": "self", "threads": ["a*"], "metric": "samples", "range": "0..5", "baseline": null }),
        json!({ "uri": uri, "line": 12 }),
        json!({ "uri": uri, "lines": [3, 12] }),
        json!({ "uri": uri, "line0": 12, "previous": true }),
        json!({ "from": "/a", "to": "b" }),
        json!({ "buckets": 10 }),
        item.clone(),
        json!(null),
    ]
}

#[test]
fn commands() {
    let workspace = six_samples();
    let mut server = Server::builder(&workspace).without_checks().start();
    let uri = server.open_file(&workspace.path("app.py"), "python");
    server.wait_labels(&uri);
    let item = server.prepare(&uri, 21, 5)[0].clone();
    let seeds: Vec<Vec<u8>> =
        arguments(&item, &uri).iter().map(|argument| argument.to_string().into_bytes()).collect();
    let commands =
        server.initialize_result()["capabilities"]["executeCommandProvider"]["commands"].clone();
    let commands: Vec<String> = commands
        .as_array()
        .unwrap()
        .iter()
        .map(|command| command.as_str().unwrap().to_owned())
        .filter(|command| !WRITING.contains(&command.as_str()))
        .collect();
    let mut mutator = Mutator::new(&seeds);
    let mut valid = seeds.iter().map(|seed| serde_json::from_slice::<Value>(seed).unwrap()).cycle();
    for n in 1..=crate::n_runs(1000) {
        let argument = if n % 4 == 0 {
            valid.next().unwrap()
        } else {
            // Most mutations are no JSON any more; others are what a client may send.
            let Ok(argument) = serde_json::from_slice(&mutator.next()) else { continue };
            argument
        };
        let command = &commands[n % commands.len()];
        if command == "costline.flamegraph" && argument["inline"] != true {
            continue;
        }
        let request = json!({ "command": command, "arguments": [argument] });
        if let Err(error) = server.try_request("workspace/executeCommand", request) {
            assert!(!error.message.contains("bug"), "{command} {argument}: {error:?}");
        }
        if n % 50 == 0 {
            server.execute("costline.clearTransforms", json!([]));
            server.set_view(json!({ "profile": null, "metric": null, "threads": null, "range": null, "search": null, "baseline": null, "pathMappings": null }));
        }
        for (method, params) in [
            ("callHierarchy/incomingCalls", json!({ "item": argument })),
            ("callHierarchy/outgoingCalls", json!({ "item": argument })),
            ("inlayHint/resolve", argument),
        ] {
            if let Err(error) = server.try_request(method, params) {
                assert!(!error.message.contains("bug"), "{method}: {error:?}");
            }
        }
    }
}
