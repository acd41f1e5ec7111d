//! The threats of `docs/security.md`: what may come from somebody else, and what it must not cause.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use serde_json::{Value, json};

use crate::skip::skip_required;
use crate::support::cases::Case;
use crate::support::profiles::{APP_JS, folded};
use crate::support::{Server, Workspace};
use crate::trace::Trace;

/// A text in all files that must not be read.
const SECRET: &str = "secret_word";

/// A workspace, the user's home folder, and a folder of which nothing may be read.
struct Place {
    workspace: Workspace,
    home: Workspace,
    outside: Workspace,
}

impl Place {
    /// With a profile, a source, and files of the user outside of the workspace.
    fn new() -> Self {
        let workspace = Workspace::with([("src/app.js", APP_JS), ("package.json", "{}\n")]);
        let outside = Workspace::with([
            ("secret.js", "function secret_word() {\n  return 1;\n}\n"),
            ("ignore", "nothing\n"),
            ("lcov.info", "SF:app.js\nFN:1,secret_word\nDA:1,77\nend_of_record\n"),
            ("config", "[core]\n\tbare = true\n"),
        ]);
        Self { workspace, home: Workspace::new(), outside }
    }

    /// The path of a file that must not be read.
    fn secret(&self, name: &str) -> String {
        self.outside.path(name).to_str().unwrap().to_owned()
    }

    /// A session in which everything is asked about `file` and its profile. The server must stay in
    /// the workspace and the user's home folder.
    fn ask_everything(&self, file: &str, settings: Value) {
        let Some(trace) = Trace::new() else { return };
        let planted = format!("{}:/usr/bin:/bin", self.workspace.root().display());
        let mut server = Server::builder(&self.workspace)
            .under(trace.command())
            .env("HOME", self.home.root().to_str().unwrap())
            .env("PATH", &planted)
            .env("COSTLINE_CACHE_DIR", self.home.path("cache").to_str().unwrap())
            .env("COSTLINE_STATE_DIR", self.home.path("state").to_str().unwrap())
            .options(settings)
            .start();
        let uri = server.open_file(&self.workspace.path(file), "javascript");
        server.wait_labels(&uri);
        let answers = answers(&mut server, &uri);
        server.finish();
        assert!(!answers.contains(SECRET), "{answers}");
        trace.assert_confined(&[self.workspace.root()], &[self.home.root()]);
        assert!(!trace.mentions("other-machine"), "a path of another machine was asked for");
    }
}

/// The answers to requests of all kinds, in one text.
fn answers(server: &mut Server, uri: &str) -> String {
    let document = json!({ "uri": uri });
    let mut answers = vec![json!(server.hints(uri)), json!(server.lenses(uri))];
    let at = |line: u32| json!({ "textDocument": document, "position": { "line": line, "character": 9 } });
    answers.push(server.request("textDocument/hover", at(0)));
    let items = server.request("textDocument/prepareCallHierarchy", at(0));
    for item in items.as_array().into_iter().flatten() {
        for direction in ["callHierarchy/incomingCalls", "callHierarchy/outgoingCalls"] {
            answers.push(server.request(direction, json!({ "item": item })));
        }
    }
    answers.push(server.request("workspace/symbol", json!({ "query": "$" })));
    for command in ["hotspots", "callTree", "paths", "view", "profiles", "reload"] {
        answers.push(server.execute(&format!("costline.{command}"), json!([])));
    }
    answers.push(server.execute("costline.explain", json!([{ "uri": uri, "line": 1 }])));
    answers.into_iter().map(|answer| answer.to_string()).collect()
}

#[test]
fn the_page_names_tests_that_exist() {
    let repository = concat!(env!("CARGO_MANIFEST_DIR"), "/../");
    let page = fs::read_to_string(format!("{repository}docs/security.md")).unwrap();
    let files: Vec<_> =
        page.split('`').filter(|word| word.contains("tests/") || word.contains("src/")).collect();
    assert!(files.len() > 10, "{files:?}");
    for file in files {
        assert!(fs::exists(format!("{repository}{file}")).unwrap(), "{file}");
    }
}

/// One line per way to leave the workspace.
#[test]
fn a_profile_that_names_files_elsewhere_has_none_of_them_read() {
    let place = Place::new();
    symlink(place.outside.root(), place.workspace.path("link")).unwrap();
    let secret = place.secret("secret.js");
    let up = "../".repeat(20);
    let names = [
        secret.clone(),
        format!("file://{secret}"),
        format!("{up}{secret}"),
        format!("src/{up}{secret}"),
        "link/secret.js".to_owned(),
        format!("{}/secret.js", place.workspace.path("link").display()),
        "//other-machine/share/secret.js".to_owned(),
        r"\\other-machine\share\secret.js".to_owned(),
        "https://other-machine/secret.js".to_owned(),
        "/proc/self/environ".to_owned(),
        "/dev/zero".to_owned(),
    ];
    let frames = names.map(|name| format!("work (app.js:2);f ({name}:2) 5\n")).concat();
    place.workspace.write("cpu.folded", folded(7) + &frames);
    place.ask_everything("src/app.js", json!({}));
}

/// A workspace whose own files lead elsewhere, and that has programs with the names of tools.
#[test]
fn a_workspace_with_links_and_programs_has_nothing_else_read_and_nothing_started() {
    let place = Place::new();
    let workspace = &place.workspace;
    workspace.write("cpu.folded", folded(7) + "secret (secret.js:2) 3\n");
    for (name, target) in [
        ("src/secret.js", "secret.js"),
        ("src/.gitignore", "ignore"),
        (".ignore", "ignore"),
        ("lcov.info", "lcov.info"),
        (".devcontainer.json", "config"),
        ("Cargo.toml", "config"),
    ] {
        let link = workspace.path(name);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        symlink(place.secret(target), link).unwrap();
    }
    let map = format!("//# sourceMappingURL={}\n", place.secret("secret.js"));
    workspace.write("src/bundle.js", format!("{APP_JS}{map}"));
    workspace.write("src/other.js", format!("{APP_JS}//# sourceMappingURL=../../../{map}"));
    let run = "#!/bin/sh\ntouch started\n";
    for program in ["git", "sh", "addr2line", "llvm-symbolizer", "node", "costline"] {
        let path = workspace.write(program, run);
        Command::new("chmod").arg("+x").arg(path).status().unwrap();
    }
    repository(workspace, &place.outside);
    place.ask_everything("src/app.js", json!({}));
    assert!(!workspace.path("started").exists());
}

/// A repository whose configuration has Git start programs and read other files.
fn repository(workspace: &Workspace, outside: &Workspace) {
    for arguments in [&["init", "-q"][..], &["add", "src/app.js"], &["commit", "-qm", "x"]] {
        let mut git = Command::new("git");
        let who = ["-c", "user.name=x", "-c", "user.email=x@example.org"];
        git.arg("-C").arg(workspace.root()).args(who).args(arguments);
        assert!(git.status().unwrap().success());
    }
    let started = workspace.path("git").display().to_string();
    let config = workspace.path(".git/config");
    let text = fs::read_to_string(&config).unwrap();
    let hostile = format!(
        "\tfsmonitor = {started}\n\tsshCommand = {started}\n\thooksPath = {}\n\
         [include]\n\tpath = {}\n[filter \"x\"]\n\tsmudge = {started}\n\tclean = {started}\n\
         [diff \"x\"]\n\ttextconv = {started}\n",
        workspace.root().display(),
        outside.path("config").display(),
    );
    fs::write(config, text + &hostile).unwrap();
    workspace.write(".gitattributes", "*.js filter=x diff=x\n");
}

/// A program whose debug info is said to be elsewhere, in a file that is none.
#[cfg(feature = "symbols")]
#[test]
fn a_binary_that_names_files_elsewhere_has_only_its_own_names_shown() {
    let mut place = Place::new();
    place.workspace = Case::new("samply/rust-wordstat").workspace;
    let binary = place.workspace.path("bin/wordstat");
    // Where debug info is said to be, and its checksum.
    let mut link = place.secret("secret.js").into_bytes();
    link.resize(link.len() / 4 * 4 + 8, 0);
    place.workspace.write("link", link);
    let section = format!(".gnu_debuglink={}", place.workspace.path("link").display());
    let made = Command::new("objcopy")
        .args(["--strip-debug", "--add-section", &section])
        .arg(&binary)
        .status();
    if !made.is_ok_and(|status| status.success()) {
        return skip_required("objcopy is missing");
    }
    let Some(trace) = Trace::new() else { return };
    let mut server = Server::builder(&place.workspace).under(trace.command()).start();
    let uri = server.open_file(&place.workspace.path("src/main.rs"), "rust");
    let named = server.eventually("names", |server| {
        let text = server.execute("costline.hotspots", json!([])).to_string();
        text.contains("wordstat::count").then_some(text)
    });
    let answers = named + &answers(&mut server, &uri);
    server.finish();
    assert!(!answers.contains(SECRET), "{answers}");
    // It is opened because the program names it, and refused because it is no debug info.
    trace.assert_confined(&[place.workspace.root(), &place.outside.path("secret.js")], &[]);
    assert!(trace.mentions("secret.js"));
}

/// The programs that a profile names are files as well.
#[cfg(feature = "symbols")]
#[test]
fn without_symbols_no_program_that_a_profile_names_is_read() {
    let mut place = Place::new();
    place.workspace = Case::new("samply/rust-wordstat").workspace;
    let Some(trace) = Trace::new() else { return };
    let settings = json!({ "symbols": { "enable": false } });
    let mut server =
        Server::builder(&place.workspace).under(trace.command()).options(settings).start();
    let uri = server.open_file(&place.workspace.path("src/main.rs"), "rust");
    server.eventually("the profile", |server| {
        let functions = server.execute("costline.hotspots", json!([]));
        functions["functions"].as_array().is_some_and(|all| !all.is_empty()).then_some(())
    });
    answers(&mut server, &uri);
    server.finish();
    trace.assert_confined(&[place.workspace.root()], &[]);
    assert!(!trace.mentions("bin/wordstat"));
}

/// The client may write where the user may, but replaces no file by accident.
#[test]
fn a_client_that_exports_over_a_file_without_saying_so_changes_nothing() {
    let place = Place::new();
    place.workspace.write("cpu.folded", folded(7));
    let Some(trace) = Trace::new() else { return };
    let mut server = Server::builder(&place.workspace).under(trace.command()).start();
    let uri = server.open_file(&place.workspace.path("src/app.js"), "javascript");
    server.wait_labels(&uri);
    let path = place.secret("config");
    let export = json!([{ "format": "folded", "path": path }]);
    let error = server.execute_error("costline.export", export);
    assert!(error.contains("the file exists"), "{error}");
    server.finish();
    trace.assert_confined(&[place.workspace.root()], &[]);
    assert!(trace.mentions(&path), "the export was tried");
}
