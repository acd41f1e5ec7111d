//! `costline mcp` with a client of the official SDK.
//!
//! `tests/mcp/install` installs the SDK. Without it, tests are skipped with a message, or fail if
//! `COSTLINE_REQUIRE_TOOLS` is set.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stderr,
    reason = "in tests a panic is the message"
)]

#[path = "../skip.rs"]
mod skip;

use crate::skip::skip_required;
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, SystemTime};
use tempfile::TempDir;

const REPOSITORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// Answers are shorter than this.
const MAX_LENGTH: usize = 20_000;

fn fixture(name: &str) -> PathBuf {
    Path::new(REPOSITORY).join("fixtures/profiles").join(name)
}

/// A client with its server.
struct Client {
    process: Child,
    requests: Option<ChildStdin>,
    replies: BufReader<ChildStdout>,
}

impl Client {
    /// Starts both in a folder. `None` if the SDK is not installed.
    fn start(folder: &Path, arguments: &[&str]) -> Option<Self> {
        let oracles = std::env::var_os("COSTLINE_ORACLES")
            .map_or_else(|| Path::new(REPOSITORY).join("target/oracles"), PathBuf::from);
        let packages = oracles.join("mcp");
        if !packages.join("node_modules/@modelcontextprotocol/sdk").is_dir() {
            skip_required("the MCP SDK is missing: run tests/mcp/install");
            return None;
        }
        let server = [&[env!("CARGO_BIN_EXE_costline"), "mcp"], arguments].concat();
        let mut process = Command::new("node")
            .arg(Path::new(REPOSITORY).join("tests/mcp/client.mjs"))
            .arg(packages)
            .arg(folder)
            .arg(json!(server).to_string())
            .env("COSTLINE_CACHE_DIR", "")
            .env("COSTLINE_STATE_DIR", "")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let requests = process.stdin.take();
        let replies = BufReader::new(process.stdout.take().unwrap());
        Some(Self { process, requests, replies })
    }

    /// The reply to a request: `answer` or `error`.
    fn request(&mut self, method: &str, params: &Value) -> Value {
        writeln!(self.requests.as_mut().unwrap(), "{}", json!([method, params])).unwrap();
        let mut line = String::new();
        self.replies.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    fn answer(&mut self, method: &str, params: &Value) -> Value {
        let mut reply = self.request(method, params);
        assert!(reply["error"].is_null(), "{method} {params}: {reply}");
        reply["answer"].take()
    }

    /// The answer of a tool.
    fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let answer = self.answer("callTool", &json!({ "name": tool, "arguments": arguments }));
        assert_ne!(answer["isError"], true, "{tool} {arguments}: {answer}");
        let text = answer["content"][0]["text"].as_str().unwrap();
        assert!(text.len() < MAX_LENGTH, "{tool} {arguments}: {} bytes", text.len());
        assert_eq!(answer.get("structuredContent"), None, "{tool}: models would read it twice");
        let answer: Value = serde_json::from_str(text).unwrap();
        assert!(answer.is_object(), "{tool}: {text}");
        answer
    }

    /// The message of a tool that fails.
    fn failure(&mut self, tool: &str, arguments: &Value) -> String {
        let answer = self.answer("callTool", &json!({ "name": tool, "arguments": arguments }));
        assert_eq!(answer["isError"], true, "{tool} {arguments}: {answer}");
        answer["content"][0]["text"].as_str().unwrap().to_owned()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // The client closes the connection when its input ends.
        self.requests = None;
        let _ = self.process.wait();
    }
}

/// The output of a command in a folder, as JSON.
fn costline(folder: &Path, arguments: &[&str]) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_costline"))
        .args(arguments)
        .env("COSTLINE_CACHE_DIR", "")
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A project with one source and two runs of it. `parse` is on line 2 and calls `skip` on line 3;
/// `main` is on line 7 and calls `parse` on line 8 and `skip` on line 9.
fn project() -> TempDir {
    let folder = TempDir::new().unwrap();
    let source = "import sys\ndef parse(text):\n    skip(text)\n    return len(text)\n\n\
                  def main():\n    text = sys.stdin.read()\n    parse(text)\n    skip(text)\n\n\
                  def skip(text):\n    return text.strip()\n";
    fs::write(folder.path().join("app.py"), source).unwrap();
    fs::create_dir(folder.path().join("profiles")).unwrap();
    let write = |name: &str, parse: u32| {
        let text = format!(
            "main (app.py:8);parse (app.py:4) {parse}\n\
             main (app.py:8);parse (app.py:3);skip (app.py:12) 20\n\
             main (app.py:9);skip (app.py:12) 10\n"
        );
        fs::write(folder.path().join("profiles").join(name), text).unwrap();
    };
    write("before.folded", 270);
    write("after.folded", 70);
    folder
}

/// `go test -cpuprofile cpu.out -memprofile mem.out` writes the profile of memory last.
#[test]
fn of_profiles_written_together_the_one_of_time_is_the_default() {
    let folder = TempDir::new().unwrap();
    let profiles = folder.path().join("profiles");
    fs::create_dir(&profiles).unwrap();
    let now = SystemTime::now();
    for (name, kind, age) in [("cpu.out", "cpu", 2), ("mem.out", "heap", 1)] {
        let path = profiles.join(name);
        fs::copy(fixture(&format!("pprof/go-indexer-{kind}/{kind}.pb.gz")), &path).unwrap();
        let file = fs::File::options().write(true).open(&path).unwrap();
        file.set_modified(now - Duration::from_secs(age)).unwrap();
    }
    let Some(mut client) = Client::start(folder.path(), &[]) else { return };
    let shown = client.call("profiles", &json!({}))["active"].take();
    let report = costline(folder.path(), &["report", "--json"]);
    let cpu = json!(profiles.join("cpu.out"));
    assert_eq!((&shown["path"], &shown["total"]), (&cpu, &report["total"]));
}

#[test]
fn four_calls_lead_from_what_is_slow_to_a_line_and_its_caller() {
    let folder = project();
    let Some(mut client) = Client::start(folder.path(), &["profiles/after.folded"]) else { return };

    let profiles = client.call("profiles", &json!({}));
    assert_eq!(profiles["active"]["total"], 100);
    assert_eq!(profiles["profiles"].as_array().unwrap().len(), 2);

    let spots = client.call("hot_spots", &json!({}));
    let hottest = &spots["spots"][0];
    assert_eq!(hottest["name"], "parse");
    assert_eq!((&hottest["self"], &hottest["total"]), (&json!(70), &json!(90)));
    assert_eq!(hottest["path"], "app.py");

    let lines = client.call("line_costs", &json!({ "target": hottest["name"] }));
    let lines = lines["lines"].as_array().unwrap();
    let hot = lines.iter().find(|line| line["self"] == 70).unwrap();
    assert_eq!(hot["line"], 4);
    assert_eq!(hot["source"], "    return len(text)");

    let callers = client.call("callers", &json!({ "function": hottest["name"] }));
    assert_eq!(callers["pathTotal"], 90);
    let caller = &callers["calls"][0];
    assert_eq!((&caller["name"], &caller["total"]), (&json!("main"), &json!(90)));
    let site = &caller["sites"][0];
    assert_eq!((&site["path"], &site["line"]), (&json!("app.py"), &json!(8)));
}

#[test]
fn paths_trees_and_comparisons_have_the_numbers_of_the_samples() {
    let folder = project();
    let Some(mut client) = Client::start(folder.path(), &["profiles/after.folded"]) else { return };

    let callers = client.call("callers", &json!({ "function": "skip" }));
    let of = |calls: &Value| -> Vec<(String, i64)> {
        let rows = calls["calls"].as_array().unwrap().iter();
        rows.map(|row| (row["name"].as_str().unwrap().to_owned(), row["total"].as_i64().unwrap()))
            .collect()
    };
    assert_eq!(of(&callers), [("parse".to_owned(), 20), ("main".to_owned(), 10)]);
    let further = json!({ "function": "skip", "path": callers["calls"][0]["path"] });
    assert_eq!(of(&client.call("callers", &further)), [("main".to_owned(), 20)]);
    let callees = client.call("callees", &json!({ "function": "main" }));
    assert_eq!(of(&callees), [("parse".to_owned(), 90), ("skip".to_owned(), 10)]);

    let tree = client.call("call_tree", &json!({ "path": ["main"] }));
    let nodes = tree["nodes"].as_array().unwrap();
    assert_eq!((&nodes[0]["name"], &nodes[0]["total"]), (&json!("parse"), &json!(90)));
    assert_eq!(nodes[0]["children"][0]["total"], 20);
    let bottom_up = client.call("call_tree", &json!({ "inverted": true, "depth": 1, "limit": 1 }));
    assert_eq!(bottom_up["nodes"][0]["name"], "parse");
    assert_eq!(bottom_up["more"], 1);

    let compared = client.call("compare", &json!({ "baseline": "profiles/before.folded" }));
    assert_eq!(compared["change"]["before"], 300);
    assert_eq!(compared["change"]["after"], 100);
    assert_eq!(
        (&compared["unmatchedFunctions"], &compared["unmatchedSelf"]),
        (&json!(0), &json!(0))
    );

    let focused = json!({ "to": "folded", "transforms": ["focus-subtree:main>parse"] });
    let exported = client.call("export", &focused);
    assert_eq!(exported["content"], "parse (app.py:3);skip (app.py:12) 20\nparse (app.py:4) 70\n");

    let explained = client.call("explain", &json!({ "file": "app.py", "line": 7 }));
    assert_eq!(explained["code"], "no-cost");
}

#[test]
fn an_edited_source_and_a_rewritten_profile_are_read_again() {
    let folder = project();
    let Some(mut client) = Client::start(folder.path(), &["profiles/after.folded"]) else { return };
    assert_eq!(client.call("hot_spots", &json!({}))["total"], 100);
    fs::write(folder.path().join("profiles/after.folded"), "main (app.py:9) 7\n").unwrap();
    assert_eq!(client.call("hot_spots", &json!({}))["total"], 7);
}

#[test]
fn a_newer_profile_that_cannot_be_read_is_named() {
    let folder = project();
    let broken = folder.path().join("profiles/broken.pb.gz");
    let whole = fs::read(fixture("pprof/go-indexer-cpu/cpu.pb.gz")).unwrap();
    fs::write(&broken, &whole[..500]).unwrap();
    // Not even its first bytes are those of a profile. An older one hides nothing.
    let empty = folder.path().join("new.speedscope.json");
    fs::write(&empty, "").unwrap();
    fs::write(folder.path().join("profiles/old.cpuprofile"), "{}").unwrap();
    for (name, age) in [
        ("before.folded", 20),
        ("old.cpuprofile", 15),
        ("after.folded", 10),
        ("broken.pb.gz", 5),
        ("../new.speedscope.json", 0),
    ] {
        let path = folder.path().join("profiles").join(name);
        let file = fs::File::options().write(true).open(path).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(age)).unwrap();
    }
    let Some(mut client) = Client::start(folder.path(), &[]) else { return };
    for tool in ["hot_spots", "health", "call_tree"] {
        let answer = client.call(tool, &json!({}));
        let skipped = answer["skipped"].as_array().unwrap();
        assert_eq!(skipped.len(), 2, "{answer}");
        let why = "new.speedscope.json: the file is empty";
        assert!(skipped[0].as_str().unwrap().contains(why), "{answer}");
        assert!(skipped[1].as_str().unwrap().contains("broken.pb.gz: "), "{answer}");
    }
    let chosen = json!({ "profile": "profiles/after.folded" });
    assert!(client.call("hot_spots", &chosen)["skipped"].is_null());
    fs::remove_file(broken).unwrap();
    fs::remove_file(empty).unwrap();
    assert!(client.call("hot_spots", &json!({}))["skipped"].is_null());
}

/// `skip` is called from seven lines.
#[test]
fn call_sites_that_are_not_listed_are_counted() {
    let folder = TempDir::new().unwrap();
    let call = "    skip()\n";
    let source = format!("def main():\n{}\ndef skip():\n    pass\n", call.repeat(7));
    fs::write(folder.path().join("app.py"), &source).unwrap();
    let stack = |line: u32| format!("main (app.py:{line});skip (app.py:11) {}\n", 20 - line);
    fs::write(folder.path().join("cpu.folded"), (2..9).map(stack).collect::<String>()).unwrap();
    let Some(mut client) = Client::start(folder.path(), &["cpu.folded"]) else { return };
    let calls = client.call("callers", &json!({ "function": "skip" }));
    let caller = &calls["calls"][0];
    assert_eq!(caller["sites"].as_array().unwrap().len(), 5);
    assert_eq!(caller["moreSites"], 2);
}

/// Also if its lines with costs are far below.
#[test]
fn the_lines_of_a_file_have_the_functions_that_they_are_in() {
    let folder = TempDir::new().unwrap();
    let source = "def slow():\n    # 2\n    # 3\n    # 4\n    # 5\n    work()\n";
    fs::write(folder.path().join("app.py"), source).unwrap();
    fs::create_dir(folder.path().join("profiles")).unwrap();
    fs::write(folder.path().join("profiles/cpu.folded"), "slow (app.py:6) 10\n").unwrap();
    let Some(mut client) = Client::start(folder.path(), &[]) else { return };
    let found = client.call("line_costs", &json!({ "target": "app.py" }));
    let lines = found["lines"].as_array().unwrap().iter().map(|row| row["line"].as_u64().unwrap());
    assert_eq!(lines.collect::<Vec<_>>(), [1, 4, 5, 6]);
    let function = &found["functions"][0];
    assert_eq!((&function["name"], &function["line"]), (&json!("slow"), &json!(1)));
}

/// The errors of requests that a client of the SDK does not send.
#[test]
fn requests_without_what_they_need_are_invalid() {
    let folder = project();
    let mut server = Command::new(env!("CARGO_BIN_EXE_costline"))
        .arg("mcp")
        .current_dir(folder.path())
        .env("COSTLINE_CACHE_DIR", "")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut requests = server.stdin.take().unwrap();
    let mut replies = BufReader::new(server.stdout.take().unwrap()).lines();
    let mut request = |method: &str, params: &Value| -> Value {
        let request = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        writeln!(requests, "{request}").unwrap();
        serde_json::from_str(&replies.next().unwrap().unwrap()).unwrap()
    };
    let client = json!({ "name": "test", "version": "1" });
    let hello =
        json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
    assert_eq!(request("initialize", &hello)["result"]["serverInfo"]["name"], "costline");
    let cases = [
        ("resources/read", json!({}), -32602, "resources/read: missing field `uri`"),
        ("tools/call", json!({}), -32602, "tools/call: missing field `name`"),
        (
            "tools/call",
            json!({ "name": 5 }),
            -32602,
            "tools/call: invalid type: integer `5`, expected a string",
        ),
        (
            "tools/call",
            json!({ "name": "hot_spots", "arguments": [1] }),
            -32602,
            "tools/call: invalid type: sequence, expected a map",
        ),
        ("tools/run", json!({}), -32601, "unknown method `tools/run`"),
    ];
    for (method, params, code, message) in cases {
        let error = request(method, &params)["error"].take();
        assert_eq!(error, json!({ "code": code, "message": message }), "{method} {params}");
    }
    drop(requests);
    assert!(server.wait().unwrap().success());
}

#[test]
fn unknown_tools_arguments_and_files_outside_are_refused() {
    let folder = project();
    let Some(mut client) = Client::start(folder.path(), &[]) else { return };
    let reply = client.request("callTool", &json!({ "name": "run", "arguments": {} }));
    assert_eq!(reply["error"]["code"], -32602);
    assert!(reply["error"]["message"].as_str().unwrap().contains("unknown tool `run`"));
    let unknown = client.failure("hot_spots", &json!({ "file": "a" }));
    assert!(unknown.contains("unknown argument `file`; expected one of by,"), "{unknown}");
    let wrong = client.failure("hot_spots", &json!({ "by": "colour" }));
    assert!(wrong.contains("colour"), "{wrong}");
    let change = client.failure("hot_spots", &json!({ "sort": "change" }));
    assert_eq!(change, "hot_spots: `sort`: `change` needs a baseline; use `compare`");

    let other = TempDir::new().unwrap();
    let secret = other.path().join("secret.folded");
    fs::write(&secret, "main (secret.py:1) 1\n").unwrap();
    let outside = client.failure("hot_spots", &json!({ "profile": secret }));
    assert!(outside.contains("outside the project"), "{outside}");
    let outside = client.failure("explain", &json!({ "file": "/etc/passwd", "line": 1 }));
    assert!(outside.contains("no file of the project"), "{outside}");
    // Whether they exist or not.
    for target in ["/etc/passwd", "/etc/no-such-file", "/etc", "../x", "/etc/passwd:1"] {
        let outside = client.failure("line_costs", &json!({ "target": target }));
        assert_eq!(outside, format!("line_costs: {target}: outside the project"));
    }
    let gone = client.failure("hot_spots", &json!({ "profile": "/etc/no-such-file" }));
    assert!(gone.contains("outside the project"), "{gone}");
    let ambiguous = client.failure("callers", &json!({ "function": "nothing" }));
    assert!(ambiguous.contains("nothing"), "{ambiguous}");
}

#[test]
fn every_tool_only_reads_and_every_page_can_be_read() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("main.go"), "package main\n").unwrap();
    let Some(mut client) = Client::start(folder.path(), &[]) else { return };
    let tools = client.answer("listTools", &json!({}));
    for tool in tools["tools"].as_array().unwrap() {
        assert_eq!(tool["annotations"]["readOnlyHint"], true, "{tool}");
        assert_eq!(tool["annotations"]["openWorldHint"], false, "{tool}");
    }
    // Models read them before the first call.
    let text = tools.to_string();
    assert!(text.len() < 9_950, "{}", text.len());
    // Clients that resolve references refuse a tool with one to a definition that is not sent.
    assert!(!text.contains("$ref"), "{text}");
    assert!(text.contains(r#""enum":["function","line","#), "{text}");
    let pages = client.answer("listResources", &json!({}));
    for page in pages["resources"].as_array().unwrap() {
        let text = client.answer("readResource", &json!({ "uri": page["uri"] }));
        let text = text["contents"][0]["text"].as_str().unwrap();
        assert!(text.starts_with(&format!("# {}\n", page["title"].as_str().unwrap())), "{page}");
    }
    let reply = client.request("readResource", &json!({ "uri": "file:///etc/passwd" }));
    assert!(reply["error"]["message"].as_str().unwrap().contains("unknown resource"));

    let missing = client.failure("hot_spots", &json!({}));
    assert!(missing.contains("no profile found"), "{missing}");
    assert_eq!(client.call("profiles", &json!({}))["profiles"], json!([]));
    let record = client.call("record", &json!({ "page": "go" }));
    assert!(record["text"].as_str().unwrap().contains("-cpuprofile"));
    #[cfg(feature = "grammars")]
    assert_eq!(client.call("record", &json!({}))["pages"][0]["name"], "go");
}

/// All answers for every fixture are valid and short, and functions cost what `report` says.
#[test]
fn all_formats_have_the_numbers_of_the_command_line() {
    let mut compared = 0;
    for format in fs::read_dir(fixture("")).unwrap() {
        // One case of each format is enough: the corpus suite checks the numbers of all.
        let mut cases: Vec<_> = fs::read_dir(format.unwrap().path())
            .unwrap()
            .map(|case| case.unwrap().path())
            .collect();
        cases.sort();
        let folder = cases.first().unwrap();
        let case: Value =
            serde_json::from_slice(&fs::read(folder.join("case.json")).unwrap()).unwrap();
        let profile = case["profile"].as_str().unwrap();
        let Some(mut client) = Client::start(folder, &["--root", ".", profile]) else { return };
        let report = costline(folder, &["report", "--json", "--root", ".", profile]);
        // Costs of lines without calls, some of them without self costs.
        let is_table =
            ["gprof", "line-profiler", "scalene"].contains(&case["format"].as_str().unwrap());
        let sort = if is_table { Value::Null } else { json!("self") };
        let spots = client.call("hot_spots", &json!({ "sort": sort, "limit": 1000 }));
        assert_eq!(spots["total"], report["total"], "{}", folder.display());
        let definitions = report["definitions"].as_array().unwrap();
        for spot in spots["spots"].as_array().unwrap() {
            let same = |definition: &&Value| {
                definition["name"] == spot["name"]
                    && spot["place"]
                        .as_str()
                        .unwrap()
                        .ends_with(&format!(":{}", definition["line"]))
            };
            let Some(definition) = definitions.iter().find(same) else { continue };
            assert_eq!(spot["self"], definition["self"], "{}: {spot}", folder.display());
            compared += 1;
        }
        if is_table {
            client.call("hot_spots", &json!({ "by": "line", "limit": 1000 }));
            for (tool, arguments) in
                [("call_tree", json!({})), ("callers", json!({ "function": "main" }))]
            {
                let refused = client.failure(tool, &arguments);
                assert!(refused.contains("no calls"), "{refused}");
            }
            continue;
        }
        let has_files =
            spots["spots"].as_array().unwrap().iter().any(|spot| spot["path"].is_string());
        let by_file: &[&str] = if has_files { &["file", "package"] } else { &[] };
        for by in ["line", "thread"].iter().chain(by_file) {
            client.call("hot_spots", &json!({ "by": by, "limit": 1000 }));
        }
        client.call("profiles", &json!({}));
        client.call("health", &json!({ "limit": 1000 }));
        client.call("call_tree", &json!({ "depth": 30, "limit": 1000 }));
        // A deeper answer has other nodes, not fewer.
        let [flat, deep] = [8, 30]
            .map(|depth| n_nodes(&client.call("call_tree", &json!({ "depth": depth }))["nodes"]));
        assert!(2 * deep >= flat, "{}: {deep} and {flat} nodes", folder.display());
        let hottest = spots["spots"].as_array().unwrap().iter();
        let hottest = hottest.filter(|spot| spot["path"].is_string() && spot["line"].is_number());
        for spot in hottest.take(2) {
            client.call("line_costs", &json!({ "target": spot["path"], "limit": 10_000 }));
            client.call("explain", &json!({ "file": spot["path"], "line": spot["line"] }));
        }
    }
    // Without grammars, reports have no definitions.
    assert!(compared > 0 || !cfg!(feature = "grammars"), "no function was compared");
}

/// The number of nodes of a call tree.
fn n_nodes(nodes: &Value) -> usize {
    let nodes = nodes.as_array().into_iter().flatten();
    nodes.map(|node| 1 + n_nodes(&node["children"])).sum()
}
