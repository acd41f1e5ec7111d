//! `costline fetch` against servers of the test, and against a Go program.

mod clickhouse;
mod engines;
mod folder;
mod go;
#[cfg(unix)]
mod project;
mod secrets;
mod server;
mod sockets;

use super::{Outcome, costline, fixture, run};
use flate2::read::GzDecoder;
use server::{Reply, Server};
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};
use tempfile::TempDir;

const GO: &str = "pprof/go-indexer-cpu/cpu.pb.gz";

/// A folder with a file of sources.
struct Project(TempDir);

impl Project {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::create_dir_all(self.path().join(".costline")).unwrap();
        fs::write(self.path().join(".costline").join(name), content).unwrap();
    }

    /// The command in the folder of the project, without the settings of the machine.
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = costline();
        for variable in ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "ALL_PROXY"] {
            command.env_remove(variable);
        }
        command.arg("fetch").args(arguments).arg("--root").arg(self.path());
        command.current_dir(self.path()).env("PWD", self.path());
        command
    }

    fn fetch(&self, arguments: &[&str]) -> Outcome {
        Outcome::of(&mut self.command(arguments))
    }

    /// The names of the files below `.costline`.
    fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(self.path().join(".costline")).into_iter().flatten();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn file(&self, name: &str) -> PathBuf {
        self.path().join(".costline").join(name)
    }
}

fn go_profile() -> Vec<u8> {
    fs::read(fixture(GO)).unwrap()
}

#[test]
fn a_profile_is_written_where_the_server_finds_it() {
    let server = Server::http(|_| Reply::ok(go_profile()));
    let project = Project::new();
    let url = server.url("/debug/pprof/profile?seconds=0.1");
    let said = project.fetch(&[&url, "--name", "shop"]).success();
    assert!(said.starts_with(".costline/shop.pb.gz: pprof profile, "), "{said}");
    // Paths are relative to the current folder if they are in it.
    let inside = project.path().join("src");
    fs::create_dir(&inside).unwrap();
    let mut command = project.command(&[&url, "--name", "shop"]);
    let said = Outcome::of(command.current_dir(&inside).env("PWD", &inside)).success();
    let path = project.file("shop.pb.gz");
    assert!(said.starts_with(&format!("{}: pprof profile, ", path.display())), "{said}");
    assert_eq!(fs::read(project.file("shop.pb.gz")).unwrap(), go_profile());
    let root = project.path().to_str().unwrap();
    let newest = run(["report", "--json", "--root", root]).success();
    let named = run(["report", "--json", fixture(GO).to_str().unwrap(), "--root", root]).success();
    let total =
        |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap()["total"].clone();
    assert_eq!(total(&newest), total(&named));

    // The name of the file follows from the address, and a new profile replaces the old one.
    project.fetch(&["pprof", &url]).success();
    project.fetch(&["pprof", &url]).success();
    let name = format!("127.0.0.1-{}-profile.pb.gz", server.port);
    assert_eq!(project.files(), [name.as_str(), "shop.pb.gz"]);
}

#[test]
fn names_have_one_extension() {
    let server = Server::http(|_| Reply::ok(go_profile()));
    let project = Project::new();
    project.fetch(&[&server.url("/cpu.pb.gz")]).success();
    project.fetch(&[&server.url("/"), "--name", "shop.pb.gz"]).success();
    let name = format!("127.0.0.1-{}-cpu.pb.gz", server.port);
    assert_eq!(project.files(), [name.as_str(), "shop.pb.gz"]);
}

#[test]
fn the_folder_of_the_project_must_exist() {
    let project = Project::new();
    let missing = project.path().join("missing");
    let missing = missing.to_str().unwrap();
    let message = run(["fetch", "http://127.0.0.1:1/", "--root", missing]).failure(2);
    assert_eq!(message, format!("--root {missing}: does not exist"));
    assert!(!Path::new(missing).exists());
}

#[test]
fn a_proxy_that_does_not_connect_is_named() {
    let proxy = Server::http(|request| match request.path.as_str() {
        "shop.example.com:80" => Reply::status(403, "only port 443"),
        path => panic!("unexpected: {path}"),
    });
    let project = Project::new();
    let mut command = project.command(&["http://shop.example.com/heap"]);
    let message = Outcome::of(command.env("HTTP_PROXY", proxy.url(""))).failure(1);
    let expected = format!(
        "http://shop.example.com/heap: the proxy 127.0.0.1:{} (HTTP_PROXY) does not connect to this \
         host: ",
        proxy.port
    );
    assert!(message.starts_with(&expected) && message.contains("403"), "{message}");
    // Nobody listens at port 1.
    let mut command = project.command(&["http://shop.example.com/heap"]);
    let message = Outcome::of(command.env("HTTP_PROXY", "http://127.0.0.1:1")).failure(1);
    assert!(message.contains("nothing is listening at the proxy 127.0.0.1:1 "), "{message}");
}

/// A fetch or an export that is killed leaves one.
#[test]
fn unfinished_files_are_no_profiles() {
    let project = Project::new();
    project.write("shop.folded", "main 1\n");
    project.write(".fetch1a2B3c", "main 2\n");
    fs::create_dir(project.path().join("profiles")).unwrap();
    fs::write(project.path().join("profiles/.tmp1a2B3c"), "main 3\n").unwrap();
    let old = fs::File::options().write(true).open(project.file("shop.folded")).unwrap();
    old.set_modified(SystemTime::now() - Duration::from_secs(60)).unwrap();
    let report = run(["report", "--root", project.path().to_str().unwrap()]).success();
    assert!(report.starts_with("shop.folded: "), "{report}");
}

#[test]
fn sources_have_names() {
    let server = Server::http(|request| match request.header("authorization") {
        Some("Bearer s3cret") => Reply::ok(go_profile()),
        _ => Reply::status(401, "who are you?"),
    });
    let project = Project::new();
    let none = project.fetch(&[]).failure(1);
    assert!(
        none.ends_with("names no sources; give a URL, or see `costline fetch --help`"),
        "{none}"
    );
    let url = server.url("/heap");
    let sources = format!(
        "[sources.shop]\nkind = \"pprof\"\nurl = \"{url}\"\ntoken-env = \"COSTLINE_SHOP\"\ntimeout = 5\n"
    );
    project.write("sources.toml", &sources);
    assert_eq!(project.fetch(&[]).success(), format!("shop\tpprof\t{url}\n"));
    let message = project.fetch(&["pyroscope"]).failure(2);
    assert_eq!(message, "pyroscope: expected its address: costline fetch pyroscope URL");

    let missing = project.fetch(&["shop"]).failure(1);
    assert_eq!(missing, "the environment variable COSTLINE_SHOP is not set");
    let wrong = Outcome::of(project.command(&["shop"]).env("COSTLINE_SHOP", "x")).failure(1);
    let expected = format!(
        "{url}: answered 401 Unauthorized: who are you?; the secret in the environment variable \
         COSTLINE_SHOP was refused: check that it may be used here"
    );
    assert_eq!(wrong, expected);
    Outcome::of(project.command(&["shop"]).env("COSTLINE_SHOP", "s3cret")).success();
    assert_eq!(project.files(), ["shop.pb.gz", "sources.toml"]);
    // The file of sources is no profile, although it is beside them.
    let report = run(["report", "--root", project.path().to_str().unwrap()]).success();
    assert!(report.starts_with("shop.pb.gz: "), "{report}");
}

#[test]
fn names_and_addresses_of_sources_are_sanitized() {
    let project = Project::new();
    let sources =
        "[sources.\"a\\u001b[31m\\tb\"]\nkind = \"pprof\"\nurl = \"http://me:s3cret@host/\\nx\"\n";
    project.write("sources.toml", sources);
    let expected = "a\u{fffd}[31m\u{fffd}b\tpprof\thttp://…@host/\u{fffd}x\n";
    assert_eq!(project.fetch(&[]).success(), expected);
}

#[test]
fn each_failure_is_one_sentence_and_the_old_profile_stays() {
    let other = Server::http(|_| Reply::ok(go_profile()));
    let elsewhere = other.url("/");
    let server = Server::http(move |request| match request.path.as_str() {
        "/missing" => Reply::status(404, "no such profile\nsecond line"),
        "/hangs" => Reply::Hangs,
        "/stops" => Reply::Stops(go_profile()),
        "/endless" => Reply::Endless,
        "/large" => Reply::ok(vec![0; 2000]),
        "/short" => Reply::Short(go_profile()),
        "/file" => Reply::redirect("file:///etc/passwd"),
        "/nowhere" => Reply::redirect("http://"),
        "/round" => Reply::redirect("/round"),
        "/page" => Reply::ok(b"<!doctype html><title>Log in</title>".to_vec()),
        "/cut" => Reply::ok(go_profile()[..500].to_vec()),
        "/empty" => Reply::ok(Vec::new()),
        path => panic!("unexpected: {path}"),
    });
    let refused = {
        // Nobody listens there once the server is gone.
        let gone = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        format!("http://{}/", gone.local_addr().unwrap())
    };
    let wrong = Server::https(|_| Reply::ok(go_profile())).1;
    let project = Project::new();
    project.write("old.folded", "main 1\n");
    let cases: [(String, &[&str], &str); 14] = [
        (server.url("/missing"), &[], "answered 404 Not Found: no such profile; check the path"),
        (server.url("/hangs"), &["--timeout", "1"], "sent nothing for 1 s; check that the address"),
        (server.url("/stops"), &["--timeout", "1"], "sent nothing for 1 s; check that the address"),
        (server.url("/endless"), &["--max-bytes", "100000"], "sent more than 100000 bytes; raise"),
        (
            server.url("/large"),
            &["--max-bytes", "1999"],
            "sent more than 1999 bytes; raise the limit",
        ),
        (server.url("/short"), &[], "the connection failed: "),
        (
            server.url("/file"),
            &[],
            "redirects to file:///etc/passwd, which is not an http or https address",
        ),
        (
            server.url("/nowhere"),
            &[],
            "redirects to http://, which is not a valid address; nothing was read",
        ),
        (server.url("/round"), &[], "which is one redirect too many"),
        (server.url("/page"), &[], "the response cannot be read as a profile: "),
        (server.url("/cut"), &[], "the response cannot be read as a profile: "),
        (server.url("/empty"), &[], "the response cannot be read as a profile: the file is empty"),
        (
            refused,
            &[],
            "nothing is listening there; check the host and port, and that the program \
                        is running",
        ),
        (wrong.url("/"), &[], "the certificate is not trusted: "),
    ];
    for (url, options, expected) in cases {
        let arguments: Vec<&str> = [&[url.as_str(), "--name", "old"], options].concat();
        let message = project.fetch(&arguments).failure(1);
        assert!(message.starts_with(&url) && message.contains(expected), "{message}");
        assert_eq!(project.files(), ["old.folded"], "{url}");
        assert_eq!(fs::read(project.file("old.folded")).unwrap(), b"main 1\n");
    }
    assert_eq!(other.requests(), 0, "{elsewhere}");
}

/// What a server answers, and what the message must contain.
type Wrong<'a> = (fn() -> Reply, &'a str);

#[test]
fn engines_that_answer_wrongly_leave_the_old_profile() {
    let project = Project::new();
    project.write("old.folded", "main 1\n");
    let kinds: [&[&str]; 4] = [
        &["pyroscope", "--profile-type", "cpu"],
        &["parca", "--profile-type", "cpu"],
        &["clickhouse", "--query", "SELECT 1"],
        &["s3"],
    ];
    for kind in kinds {
        let replies: [Wrong<'_>; 6] = [
            (|| Reply::Hangs, "sent nothing for 1 s; check that the address"),
            (|| Reply::Endless, "sent more than 100000 bytes; raise"),
            (|| Reply::redirect("file:///etc/passwd"), "which is not an http or https address"),
            (|| Reply::status(403, "no"), "answered 403 Forbidden: no; "),
            (|| Reply::ok(b"<!doctype html><title>Log in</title>".to_vec()), ""),
            (|| Reply::Short(vec![b'x'; 100]), "the connection failed: "),
        ];
        for (reply, expected) in replies {
            let server = Server::http(move |_| reply());
            let url = server.url("/bucket/");
            let limits = ["--timeout", "1", "--max-bytes", "100000", "--name", "old"];
            let arguments = [&[kind[0], &url], &kind[1..], &limits].concat();
            let message = project.fetch(&arguments).failure(1);
            assert!(message.contains(expected), "{kind:?}: {message}");
            assert_eq!(message.lines().count(), 1, "{kind:?}: {message}");
            assert_eq!(project.files(), ["old.folded"]);
            assert_eq!(fs::read(project.file("old.folded")).unwrap(), b"main 1\n");
        }
    }
}

#[test]
fn a_host_that_fails_for_a_moment_is_asked_again() {
    let tries = std::sync::atomic::AtomicUsize::new(0);
    let server =
        Server::http(move |_| match tries.fetch_add(1, std::sync::atomic::Ordering::SeqCst) {
            0 => Reply::status(503, "starting"),
            1 => Reply::Closes,
            _ => Reply::ok(go_profile()),
        });
    let project = Project::new();
    project.fetch(&[&server.url("/"), "--name", "shop"]).success();
    assert_eq!(server.requests(), 3);

    let server = Server::http(|_| Reply::status(503, "down"));
    let message = project.fetch(&[&server.url("/"), "--name", "shop"]).failure(1);
    assert!(message.ends_with("answered 503 Service Unavailable: down"), "{message}");
    assert_eq!(server.requests(), 3);
}

#[test]
fn secrets_are_sent_to_the_host_of_the_source_alone() {
    let other = Server::http(|request| match request.header("authorization") {
        None => Reply::ok(go_profile()),
        Some(_) => Reply::status(500, "got a secret"),
    });
    let elsewhere = other.url("/profile");
    let server = Server::http(move |request| match request.header("authorization") {
        // The user `me` with the password `s3cret`.
        Some("Basic bWU6czNjcmV0") if request.path == "/here" => Reply::redirect("/there"),
        Some("Basic bWU6czNjcmV0") => Reply::redirect(&elsewhere),
        _ => Reply::status(500, "got no secret"),
    });
    let project = Project::new();
    let url = server.url("/here");
    let arguments = [&url, "--user", "me", "--password-env", "COSTLINE_P", "--name", "shop"];
    Outcome::of(project.command(&arguments).env("COSTLINE_P", "s3cret")).success();
    assert_eq!((server.requests(), other.requests()), (2, 1));
}

/// The variable that the source names counts more, and a project cannot name the command.
#[cfg(unix)]
#[test]
fn the_user_may_have_a_command_that_prints_secrets() {
    use std::os::unix::fs::PermissionsExt as _;
    let server = Server::http(|request| match request.header("authorization") {
        Some("Bearer s3cret") => Reply::ok(go_profile()),
        _ => Reply::status(401, "who are you?"),
    });
    let project = Project::new();
    let keyring = project.path().join("keyring");
    let script = "#!/bin/sh\n[ \"$*\" = 'look up COSTLINE_SHOP' ] && echo s3cret\n";
    fs::write(&keyring, script).unwrap();
    fs::set_permissions(&keyring, fs::Permissions::from_mode(0o755)).unwrap();
    let fetch = |variable: &str, secret: Option<&str>| {
        let mut command =
            project.command(&[&server.url("/"), "--token-env", variable, "--name", "shop"]);
        command.env("COSTLINE_KEYRING_COMMAND", format!("{} look up", keyring.display()));
        if let Some(secret) = secret {
            command.env(variable, secret);
        }
        Outcome::of(&mut command)
    };
    fetch("COSTLINE_SHOP", None).success();
    let message = fetch("COSTLINE_SHOP", Some("other")).failure(1);
    assert!(message.contains("answered 401 "), "{message}");
    let message = fetch("COSTLINE_OTHER", None).failure(1);
    assert!(message.starts_with("COSTLINE_KEYRING_COMMAND: "), "{message}");
    assert!(message.ends_with("has no secret for COSTLINE_OTHER (exit status: 1)"), "{message}");
    project.write("sources.toml", "[sources.a]\nkeyring-command = \"x\"\n");
    assert!(project.fetch(&["a"]).failure(1).contains("keyring-command"));
}

#[cfg(unix)]
#[test]
fn the_command_that_prints_secrets_runs_once_and_may_ask() {
    use std::os::unix::fs::PermissionsExt as _;
    let server = Server::http(|request| match request.header("authorization") {
        Some("Bearer s3cret") if request.path.ends_with("/SelectMergeProfile") => {
            let mut profile = Vec::new();
            GzDecoder::new(&go_profile()[..]).read_to_end(&mut profile).unwrap();
            Reply::ok(profile)
        }
        Some("Bearer s3cret") => Reply::ok(Vec::new()),
        _ => Reply::status(401, "who are you?"),
    });
    let project = Project::new();
    let keyring = project.path().join("keyring");
    fs::write(&keyring, "#!/bin/sh\necho \"Password for $1?\" >&2\necho s3cret\n").unwrap();
    fs::set_permissions(&keyring, fs::Permissions::from_mode(0o755)).unwrap();
    let url = server.url("/");
    let source = ["pyroscope", &url, "--profile-type", "cpu", "--name", "shop"];
    let ranges = ["--baseline-since", "2h", "--token-env", "COSTLINE_SHOP"];
    let mut command = project.command(&[&source[..], &ranges].concat());
    let fetched = Outcome::of(command.env("COSTLINE_KEYRING_COMMAND", &keyring));
    assert_eq!((fetched.code, fetched.stderr.as_str()), (Some(0), "Password for COSTLINE_SHOP?\n"));
    assert_eq!(project.files(), ["shop-baseline.pb.gz", "shop.pb.gz"]);
}

/// `SSL_CERT_FILE` adds an authority on Linux; other systems ask their own store.
#[cfg(target_os = "linux")]
#[test]
fn a_certificate_of_a_known_authority_is_trusted_for_its_host() {
    let plain = Server::http(|_| Reply::ok(go_profile()));
    let unencrypted = plain.url("/");
    let (certificate, server) = Server::https(move |request| match request.path.as_str() {
        "/down" => Reply::redirect(&unencrypted),
        _ => Reply::ok(go_profile()),
    });
    let project = Project::new();
    let authority = project.path().join("authority.pem");
    fs::write(&authority, certificate).unwrap();
    let fetch = |url: &str| {
        let mut command = project.command(&[url, "--name", "shop"]);
        Outcome::of(command.env("SSL_CERT_FILE", &authority))
    };
    fetch(&server.url("/")).success();
    let message = fetch(&server.url("/down")).failure(1);
    assert!(message.contains(", which is not encrypted; nothing was read"), "{message}");
    assert_eq!(plain.requests(), 0);
    // The certificate is for `localhost`, not for the address.
    let message = fetch(&server.url("/").replace("localhost", "127.0.0.1")).failure(1);
    assert!(message.contains("the certificate is not trusted: "), "{message}");
}
