//! Clients that stop reading, cancel everything, send half messages or share a workspace, and the
//! end of a server by a signal.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use lsp_server::Message;
use serde_json::{Value, json};

use crate::limits::{LIMITED, bomb, limited, repeated};
use crate::support::process::wait_exit;
use crate::support::profiles::{APP_JS, folded, six_samples};
use crate::support::requests::costs;
use crate::support::{DEADLINE, Server, Workspace};

/// Requests of all kinds.
fn requests(uri: &str) -> [(&'static str, Value); 6] {
    let document = json!({ "uri": uri });
    let end = json!({ "line": 100, "character": 0 });
    let range = json!({ "start": { "line": 0, "character": 0 }, "end": end });
    let position = json!({ "line": 9, "character": 5 });
    let at = json!({ "textDocument": document, "position": position });
    [
        ("textDocument/inlayHint", json!({ "textDocument": document, "range": range })),
        ("textDocument/codeLens", json!({ "textDocument": document })),
        ("textDocument/hover", at.clone()),
        ("textDocument/prepareCallHierarchy", at),
        ("workspace/symbol", json!({ "query": "$" })),
        ("workspace/executeCommand", json!({ "command": "costline.callTree", "arguments": [{}] })),
    ]
}

/// A server on bare pipes.
struct Bare {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Bare {
    fn start(workspace: &Workspace) -> Self {
        let mut command = Command::new(LIMITED[0]);
        command.args(&LIMITED[1..]).arg(env!("CARGO_BIN_EXE_costline")).arg("lsp");
        command.envs([("COSTLINE_CACHE_DIR", ""), ("COSTLINE_STATE_DIR", "")]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let stdin = child.stdin.take().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let mut this = Self { child, stdin, stdout };
        let root = workspace.root_uri();
        let params = json!({ "processId": null, "rootUri": root, "capabilities": {} });
        this.stdin.write_all(&frame(Some(0), "initialize", &params)).unwrap();
        Message::read(&mut this.stdout).unwrap().unwrap();
        this.stdin.write_all(&frame(None, "initialized", &json!({}))).unwrap();
        this
    }
}

/// A message with its header.
fn frame(id: Option<usize>, method: &str, params: &Value) -> Vec<u8> {
    let mut message = json!({ "jsonrpc": "2.0", "method": method, "params": params });
    if let Some(id) = id {
        message["id"] = json!(id);
    }
    let body = message.to_string();
    format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

/// The memory of a process that is in use, in bytes.
fn memory(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() << 10
}

/// The server stops reading, too, so its memory does not grow. Once the client reads, everything is
/// answered.
#[test]
fn a_client_that_stops_reading_gets_all_answers_later() {
    const N: usize = 4000;
    let workspace = six_samples();
    let uri = workspace.uri("app.py");
    let Bare { mut child, mut stdin, mut stdout } = Bare::start(&workspace);
    let text = fs::read_to_string(workspace.path("app.py")).unwrap();
    let document = json!({ "uri": uri, "languageId": "python", "version": 1, "text": text });
    stdin
        .write_all(&frame(None, "textDocument/didOpen", &json!({ "textDocument": document })))
        .unwrap();
    let (send, sent) = channel();
    let writer = thread::spawn(move || {
        for id in 1..=N {
            let (method, params) = &requests(&uri)[id % 6];
            stdin.write_all(&frame(Some(id), method, params)).unwrap();
            // The test may have failed.
            let _ = send.send(id);
        }
        stdin
    });
    // It has stopped reading when nothing is taken for a while.
    while sent.recv_timeout(Duration::from_secs(2)).is_ok() {}
    assert!(!writer.is_finished(), "the pipes are larger than all messages");
    let used = memory(child.id());
    assert!(used < 300 << 20, "{used} bytes");

    let mut n_answered = 0;
    while n_answered < N {
        if let Message::Response(response) = Message::read(&mut stdout).unwrap().unwrap() {
            assert!(response.response_result.is_ok(), "{response:?}");
            n_answered += 1;
        }
    }
    let mut stdin = writer.join().unwrap();
    stdin.write_all(&frame(Some(N + 1), "shutdown", &Value::Null)).unwrap();
    stdin.write_all(&frame(None, "exit", &Value::Null)).unwrap();
    assert_eq!(wait_exit(&mut child).and_then(|status| status.code()), Some(0));
}

#[test]
fn a_client_that_cancels_everything_gets_an_answer_to_everything() {
    let workspace = six_samples();
    let mut server = limited(&workspace).start();
    let uri = server.open_file(&workspace.path("app.py"), "python");
    server.wait_labels(&uri);
    for round in 0..100 {
        let requests = requests(&uri).map(|(method, params)| server.send_request(method, params));
        let reload = json!({ "command": "costline.reload", "arguments": [] });
        let reload = server.send_request("workspace/executeCommand", reload);
        for id in requests.iter().chain([&reload]) {
            server.cancel(id);
        }
        // Twice, and requests that do not exist.
        server.cancel(&requests[round % 6]);
        server.notify("$/cancelRequest", json!({ "id": "nothing" }));
        for id in requests.iter().chain([&reload]) {
            if let Err(error) = server.wait_response(id) {
                assert_eq!(error.code, -32800, "{error:?}");
            }
        }
    }
    server.wait_labels(&uri);
}

/// Half of a message, at any of its bytes, delays what follows until the other half arrives.
#[test]
fn messages_that_arrive_in_pieces_are_answered() {
    let workspace = six_samples();
    let mut server = Server::builder(&workspace).under(LIMITED).unchecked().start();
    let uri = server.open_file(&workspace.path("app.py"), "python");
    server.wait_labels(&uri);
    for (id, cut) in (1_000_000..).zip((1..300).step_by(7)) {
        // The check of messages has to know the arguments of commands.
        let (method, params) = &requests(&uri)[cut % 5];
        let message = frame(Some(id), method, params);
        let (first, second) = message.split_at(cut.min(message.len()));
        let id = i32::try_from(id).unwrap();
        server.expect_answer(id, method);
        server.write_raw(first);
        thread::sleep(Duration::from_millis(5));
        server.write_raw(second);
        server.wait_response(&id.into()).unwrap();
    }
}

/// Both have a state and a cache of the user, and both follow the profile.
#[test]
fn two_servers_in_one_workspace_show_the_same() {
    let workspace = Workspace::with([("app.js", APP_JS)]);
    let home = Workspace::new();
    workspace.write("cpu.folded", folded(1));
    let (cache, state) = (home.path("cache"), home.path("state"));
    let start = || {
        limited(&workspace)
            .env("COSTLINE_CACHE_DIR", cache.to_str().unwrap())
            .env("COSTLINE_STATE_DIR", state.to_str().unwrap())
            .options(json!({ "baseline": "previous" }))
            .start()
    };
    let mut servers = [start(), start()];
    for server in &mut servers {
        server.open_file(&workspace.path("app.js"), "javascript");
    }
    let uri = workspace.uri("app.js");
    for samples in [1, 4, 9, 16] {
        workspace.write("cpu.folded", folded(samples));
        for server in &mut servers {
            server.wait_costs(&uri, &costs([(2, samples, samples)]));
            server.set_view(json!({ "unit": if samples % 2 == 0 { "both" } else { "percent" } }));
        }
    }
    let [first, second] = &mut servers;
    assert_eq!(first.labels(&uri), second.labels(&uri));
    // What one has saved, the next one restores.
    first.finish();
    second.finish();
    let mut third = start();
    third.open_file(&workspace.path("app.js"), "javascript");
    third.eventually("the saved view", |server| {
        let choices = server.view()["choices"].as_array().cloned().unwrap_or_default();
        let unit = choices.iter().find(|choice| choice["key"] == "unit")?;
        (unit["value"] == "both").then_some(())
    });
}

/// The processes below a process.
fn below(pid: u32) -> Vec<u32> {
    let children = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten();
    let lists =
        children.filter_map(|task| fs::read_to_string(task.ok()?.path().join("children")).ok());
    let pids: Vec<u32> = lists
        .flat_map(|list| list.split(' ').filter_map(|pid| pid.parse().ok()).collect::<Vec<_>>())
        .collect();
    let deeper = pids.iter().flat_map(|&pid| below(pid));
    deeper.chain(pids.iter().copied()).collect()
}

/// Also while it waits for a helper process, which ends as well.
#[test]
fn sigterm_ends_the_server_and_its_helpers_at_once() {
    let workspace = six_samples();
    let Bare { mut child, mut stdin, .. } = Bare::start(&workspace);
    let text = "fn f() {}\n".repeat(1000);
    let document =
        json!({ "uri": workspace.uri("a.rs"), "languageId": "rust", "version": 1, "text": text });
    stdin
        .write_all(&frame(None, "textDocument/didOpen", &json!({ "textDocument": document })))
        .unwrap();
    let path = workspace.write("a.folded.gz", bomb(&repeated("main", ";a", " 1\n"), 1_900_000_000));
    let pick = json!({ "command": "costline.selectProfile", "arguments": [{ "path": path }] });
    stdin.write_all(&frame(Some(1), "workspace/executeCommand", &pick)).unwrap();
    let helpers = eventually("a helper", || Some(below(child.id())).filter(|all| !all.is_empty()));
    let status = Command::new("kill").arg("-TERM").arg(child.id().to_string()).status().unwrap();
    assert!(status.success());
    let status = wait_exit(&mut child).expect("the server has ended");
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(15));
    eventually("the end of the helpers", || {
        helpers.iter().all(|pid| !is_running(*pid)).then_some(())
    });
    let mut errors = String::new();
    child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
    assert!(!errors.contains("panicked"), "{errors}");
}

#[test]
fn helpers_limit_their_own_memory() {
    for (work, bytes) in [("parse", 1 << 30), ("read", 1_000_000_000)] {
        let mut helper = Command::new(env!("CARGO_BIN_EXE_costline"));
        helper.args(["guarded", work, &bytes.to_string()]).stdin(Stdio::piped());
        let mut helper = helper.spawn().unwrap();
        let limits = format!("/proc/{}/limits", helper.id());
        eventually("a limit", || {
            let limits = fs::read_to_string(&limits).unwrap();
            let line = limits.lines().find(|line| line.starts_with("Max address space")).unwrap();
            (line.split_whitespace().nth(3) == Some(&format!("{bytes}"))).then_some(())
        });
        helper.kill().unwrap();
        helper.wait().unwrap();
    }
}

#[test]
fn a_helper_ends_with_the_process_that_started_it() {
    let folder = tempfile::tempdir().unwrap();
    // It waits for its request.
    let script = r#"mkfifo pipe && { "$0" guarded read 1000000000 <> pipe & echo $!; read -r _; }"#;
    let mut parent = Command::new("sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_costline")])
        .current_dir(&folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pid = String::new();
    BufReader::new(parent.stdout.take().unwrap()).read_line(&mut pid).unwrap();
    let pid: u32 = pid.trim().parse().unwrap();
    eventually("a limit, which is the last thing before it waits", || {
        let limits = fs::read_to_string(format!("/proc/{pid}/limits")).unwrap();
        limits.contains(" 1000000000 ").then_some(())
    });
    parent.kill().unwrap();
    parent.wait().unwrap();
    eventually("the end of the helper", || (!is_running(pid)).then_some(()));
}

fn is_running(pid: u32) -> bool {
    let stat = fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("stat"));
    // One that nobody has waited for counts as ended.
    stat.is_ok_and(|stat| !stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('Z')))
}

fn eventually<T>(what: &str, mut probe: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = probe() {
            return found;
        }
        assert!(begun.elapsed() < DEADLINE, "not within {DEADLINE:?}: {what}");
        thread::sleep(Duration::from_millis(5));
    }
}
