//! The tee itself: it records a conversation completely and passes it on unchanged.

use crate::stage::{Stage, node};
use crate::wire::check_log;
use serde_json::Value;
use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

#[test]
fn the_tee_records_everything() {
    if node().is_none() {
        return;
    }
    let stage = Stage::new();
    let mut tee = Command::new(stage.server())
        .arg("lsp")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = tee.stdin.take().unwrap();
    for message in [
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":null,"rootUri":null,"capabilities":{}}}"#,
        r#"{"jsonrpc":"2.0","method":"initialized","params":{}}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"workspace/executeCommand","params":{"command":"costline.profiles"}}"#,
        r#"{"jsonrpc":"2.0","id":3,"method":"workspace/executeCommand","params":{"command":"costline.unhéardOf"}}"#,
        r#"{"jsonrpc":"2.0","id":4,"method":"shutdown"}"#,
        r#"{"jsonrpc":"2.0","method":"exit"}"#,
    ] {
        write!(stdin, "Content-Length: {}\r\n\r\n{message}", message.len()).unwrap();
    }
    let output = tee.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    drop(stdin);

    let logs: Vec<_> =
        fs::read_dir(stage.beside("wire")).unwrap().map(|log| log.unwrap().path()).collect();
    assert_eq!(logs.len(), 1);
    let report = check_log(&logs[0]);
    assert_eq!(
        (report.n_from_server, report.server.len(), report.client.len()),
        (4, 0, 0),
        "{report:#?}"
    );
    let log = fs::read_to_string(&logs[0]).unwrap();
    let pieces = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let sent: String = pieces
        .filter(|piece| piece["from"] == "server")
        .map(|piece| piece["bytes"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(sent.chars().map(|byte| byte as u8).collect::<Vec<_>>(), output.stdout);
    assert_eq!(stage.check_wire(), report.n_from_server);
}
