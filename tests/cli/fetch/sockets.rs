//! The connections that `costline fetch` opens, by `strace`.

use super::super::skip_without;
use super::{Project, Reply, Server, go_profile};
use std::fs;
use std::process::Command;

/// The calls that open or wait for connections while a command runs, without the file descriptors.
fn calls(project: &Project, arguments: &[&str]) -> Option<Vec<String>> {
    if Command::new("strace").arg("-V").output().is_err() {
        skip_without("strace");
        return None;
    }
    let log = project.path().join("trace");
    let fetch = project.command(arguments);
    let traced = Command::new("strace")
        .args(["-f", "-qq", "-e", "trace=socket,connect,bind,listen,accept,accept4", "-o"])
        .arg(&log)
        .arg(fetch.get_program())
        .args(fetch.get_args())
        .envs(fetch.get_envs().filter_map(|(name, value)| Some((name, value?))))
        .output()
        .unwrap();
    assert!(traced.status.success(), "{}", String::from_utf8_lossy(&traced.stderr));
    let text = fs::read_to_string(log).unwrap();
    let calls = text.lines().filter_map(|line| line.split_once(' ')).map(|(_, call)| call.trim());
    Some(calls.filter(|call| !call.starts_with(['+', '-'])).map(ToOwned::to_owned).collect())
}

#[test]
fn only_the_host_of_the_source_is_connected_to() {
    let server = Server::http(|_| Reply::ok(go_profile()));
    let other = Server::http(|_| Reply::ok(go_profile()));
    let project = Project::new();
    let sources = format!(
        "[sources.shop]\nkind = \"pprof\"\nurl = \"{}\"\n[sources.other]\nkind = \"pprof\"\nurl = \"{}\"\n",
        server.url("/heap"),
        other.url("/heap"),
    );
    project.write("sources.toml", sources);
    let Some(calls) = calls(&project, &["shop"]) else { return };
    let port = format!("sin_port=htons({}), sin_addr=inet_addr(\"127.0.0.1\")", server.port);
    let connected: Vec<_> = calls.iter().filter(|call| call.starts_with("connect(")).collect();
    assert!(!connected.is_empty());
    assert!(connected.iter().all(|call| call.contains(&port)), "{connected:?}");
    let sockets = calls.iter().filter(|call| call.starts_with("socket("));
    assert!(sockets.count() == connected.len(), "{calls:?}");
    let waits =
        |call: &String| ["bind(", "listen(", "accept"].iter().any(|it| call.starts_with(it));
    assert!(!calls.iter().any(waits), "{calls:?}");
    assert_eq!((server.requests(), other.requests()), (1, 0));
}

#[test]
fn lists_and_folders_need_no_connection() {
    let project = Project::new();
    project
        .write("sources.toml", "[sources.shop]\nkind = \"pprof\"\nurl = \"http://127.0.0.1:9/\"\n");
    let folder = project.path().join("runs");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("a.folded"), "main 1\n").unwrap();
    for arguments in [&[][..], &[folder.to_str().unwrap()]] {
        let Some(calls) = calls(&project, arguments) else { return };
        assert_eq!(calls, [""; 0], "{arguments:?}");
    }
}
