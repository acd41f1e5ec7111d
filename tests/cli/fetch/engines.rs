//! Engines that merge profiles, and object stores: servers of `engines.mjs` with messages of their own.

use super::super::skip_without;
use super::server::{Reply, Server};
use super::{GO, Outcome, Project, fixture, go_profile, run};
use flate2::read::GzDecoder;
use serde_json::{Value, json};
use std::env;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

const SERVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/cli/fetch/engines.mjs");
const TYPE: &str = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";

/// A server in another process, until the test ends.
struct Engine {
    process: Child,
    output: BufReader<ChildStdout>,
    url: String,
}

impl Engine {
    /// `None` without the packages of `tests/cli/install`.
    fn start(engine: &str, profile: &Path, variables: &[(&str, &str)]) -> Option<Self> {
        let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let oracles = env::var_os("COSTLINE_ORACLES")
            .map_or_else(|| repository.join("target/oracles"), PathBuf::from);
        let packages = oracles.join("fetch");
        if !packages.join("node_modules/@parca/client").is_dir() {
            skip_without("the packages of tests/cli/install");
            return None;
        }
        let mut command = Command::new("node");
        command.arg(SERVER).arg(&packages).arg(engine).arg(profile);
        command.envs(variables.iter().copied()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().unwrap();
        let output = BufReader::new(process.stdout.take().unwrap());
        let mut engine = Self { process, output, url: String::new() };
        engine.url = format!("http://127.0.0.1:{}", engine.line());
        Some(engine)
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        line.trim().to_owned()
    }

    /// The next request.
    fn request(&mut self) -> Value {
        serde_json::from_str(&self.line()).unwrap()
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The fixture, away from its sources.
fn elsewhere(project: &Project) -> PathBuf {
    let path = project.path().join("whole.pb.gz");
    fs::write(&path, go_profile()).unwrap();
    path
}

/// All costs of a file.
fn costs(file: &Path) -> Value {
    let text = run(["report", "--json", file.to_str().unwrap()]).success();
    let report: Value = serde_json::from_str(&text).unwrap();
    let keys = ["total", "functions", "lines", "edges", "metrics"];
    keys.into_iter().map(|key| (key.to_owned(), report[key].clone())).collect()
}

#[test]
fn pyroscope_merges_what_the_labels_select() {
    let revision = "0123456789abcdef0123456789abcdef01234567";
    let Some(mut engine) = Engine::start("pyroscope", &fixture(GO), &[("REVISION", revision)])
    else {
        return;
    };
    let project = Project::new();
    let base = format!("{}/pyroscope/", engine.url);
    // The server is not at that path, and says so.
    let message = project.fetch(&["pyroscope", &base, "--profile-type", TYPE]).failure(1);
    assert!(message.contains("answered 415 "), "{message}");

    let url = engine.url.clone();
    let options = ["--labels", "{service_name=\"shop\"}", "--since", "2025-11-24T10:00:00Z"];
    let range = ["--until", "2025-11-24T11:00:00Z", "--tenant", "team-a", "--name", "shop"];
    let [from, until] = [1_763_978_400_000_u64, 1_763_982_000_000];
    let arguments = [&["pyroscope", &url], &options[..], &range].concat();

    // Without a type, the server is asked for those that it has.
    let message = project.fetch(&arguments).failure(2);
    let expected =
        format!("give --profile-type, one of {TYPE}, memory:inuse_space:bytes:space:bytes");
    assert!(message.ends_with(&expected), "{message}");
    assert_eq!(engine.request()["method"], "ProfileTypes");

    let arguments = [&arguments[..], &["--profile-type", TYPE, "--max-nodes", "9000"]].concat();
    project.fetch(&arguments).success();
    let expected = json!({
        "method": "SelectMergeProfile", "tenant": "team-a", "profile_type": TYPE,
        "label_selector": "{service_name=\"shop\"}", "start": from, "end": until, "max_nodes": 9000,
    });
    assert_eq!(engine.request(), expected);
    let matcher = format!("{{service_name=\"shop\",__profile_type__=\"{TYPE}\"}}");
    assert_eq!(engine.request()["matchers"], json!([matcher]));
    assert_eq!(engine.request()["step"], 36.0);
    let file = project.file("shop.pb.gz");
    assert!(costs(&file) == costs(&elsewhere(&project)));

    let text = run(["report", "--json", file.to_str().unwrap()]).success();
    let report: Value = serde_json::from_str(&text).unwrap();
    let fleet = &report["fleet"];
    assert_eq!(fleet["kind"], "pyroscope");
    assert_eq!((&fleet["hosts"], &fleet["profiles"]), (&json!(2), &json!(null)));
    assert_eq!(fleet["rangeMs"], json!([from, until]));
    assert_eq!(fleet["labels"]["service_name"], "shop");
    assert_eq!(fleet["labels"].get("pod"), None);
    assert_eq!(fleet["revision"], revision);
    assert_eq!(fleet["cut"]["how"], "the 9000 largest nodes of the call tree");

    let message = project.fetch(&["pyroscope", &url, "--profile-type", TYPE, "--labels", "bad"]);
    let message = message.failure(1);
    assert!(message.ends_with("400 Bad Request: parse error: unexpected \"bad\""), "{message}");
    let message =
        project.fetch(&["pyroscope", &url, "--profile-type", TYPE, "--labels", "a=\"nobody\""]);
    assert!(message.failure(1).contains("has no profiles with these labels"));
    assert_eq!(project.files(), ["shop.pb.gz"]);
}

#[test]
fn two_ranges_make_two_files() {
    let Some(mut engine) = Engine::start("pyroscope", &fixture(GO), &[]) else { return };
    let project = Project::new();
    let sources = format!(
        "[sources.shop]\nkind = \"pyroscope\"\nurl = \"{}\"\nprofile-type = \"{TYPE}\"\nsince = \"7d\"\n\
         baseline-since = \"14d\"\n",
        engine.url
    );
    project.write("sources.toml", sources);
    let said = project.fetch(&["shop"]).success();
    let lines: Vec<_> = said.lines().map(|line| line.split(':').next().unwrap()).collect();
    assert_eq!(lines, [".costline/shop-baseline.pb.gz", ".costline/shop.pb.gz"]);
    let week = 7 * 86_400_000;
    let range =
        |request: &Value| [request["start"].as_i64().unwrap(), request["end"].as_i64().unwrap()];
    let before = engine.request();
    engine.request();
    engine.request();
    let now = engine.request();
    assert_eq!(
        (&before["method"], &now["method"]),
        (&json!("SelectMergeProfile"), &json!("SelectMergeProfile"))
    );
    let ([a, b], [c, d]) = (range(&before), range(&now));
    assert_eq!((b - a, d - c, c - a), (week, week, week));
    // The server shows the newer one.
    let root = project.path().to_str().unwrap();
    let newest = run(["report", "--root", root]).success();
    assert!(newest.starts_with("shop.pb.gz: "), "{newest}");
}

#[test]
fn parca_merges_what_the_labels_select() {
    let Some(mut engine) = Engine::start("parca", &fixture(GO), &[("REVISION", "v1.2")]) else {
        return;
    };
    let project = Project::new();
    let url = engine.url.clone();
    let range = ["--since", "2025-11-24T10:00:00Z", "--until", "2025-11-24T11:00:00Z"];
    let options = ["--profile-type", "p:samples:count:cpu:nanoseconds:delta", "--tenant", "p1"];
    let arguments =
        [&["parca", &url, "--labels", "pod=~\".+\"", "--name", "shop"], &range[..], &options];
    project.fetch(&arguments.concat()).success();
    let request = engine.request();
    assert_eq!((&request["method"], &request["tenant"]), (&json!("Query"), &json!("p1")));
    assert_eq!((&request["mode"], &request["reportType"]), (&json!(2), &json!(1)));
    let merge = &request["options"]["merge"];
    assert_eq!(merge["query"], "p:samples:count:cpu:nanoseconds:delta{pod=~\".+\"}");
    assert_eq!(merge["start"]["seconds"], 1_763_978_400);
    assert_eq!(merge["end"]["seconds"], 1_763_982_000);
    assert_eq!(engine.request()["method"], "QueryRange");
    let file = project.file("shop.pb.gz");
    assert!(costs(&file) == costs(&elsewhere(&project)));
    let text = run(["report", "--json", file.to_str().unwrap()]).success();
    let report: Value = serde_json::from_str(&text).unwrap();
    // Two series, with two points of one and of two profiles each.
    assert_eq!(report["fleet"]["profiles"], 6);
    assert_eq!(report["fleet"]["hosts"], 2);

    let message = project.fetch(&["parca", &url, "--profile-type", "bad"]).failure(1);
    assert!(message.ends_with("answered with gRPC status 3: unknown label"), "{message}");
    let missing = project.fetch(&["parca", &format!("{url}/elsewhere"), "--profile-type", "x"]);
    assert!(missing.failure(1).contains("answered 415 "));
}

#[test]
fn types_and_labels_are_listed() {
    for (kind, kinds) in [
        ("pyroscope", format!("type\t{TYPE}\ntype\tmemory:inuse_space:bytes:space:bytes\n")),
        ("parca", "type\tparca_agent:samples:count:cpu:nanoseconds:delta\n".to_owned()),
    ] {
        let Some(mut engine) = Engine::start(kind, &fixture(GO), &[]) else { return };
        let project = Project::new();
        let labels = ["--labels", "pod=\"a\""];
        let listed = project.fetch(&[&[kind, &engine.url, "--list"], &labels[..]].concat());
        let expected = format!("{kinds}label\tservice_name\tpay, shop\nlabel\tpod\ta, b\n");
        assert_eq!(listed.success(), expected);
        assert_eq!(engine.request()["method"], "ProfileTypes");
        for method in ["LabelNames", "first LabelValues", "second LabelValues"] {
            let request = engine.request();
            let sent = request.get("matchers").or(request.get("match"));
            assert_eq!(sent, Some(&json!(["{pod=\"a\"}"])), "{kind}: {method}");
        }
        assert_eq!(project.files(), [""; 0]);
    }
    let message = Project::new().fetch(&["pprof", "http://127.0.0.1:1/", "--list"]).failure(2);
    assert_eq!(message, "only Pyroscope, Parca and ClickHouse can be listed");
}

#[test]
fn a_list_without_anything_says_so() {
    // An empty answer is a message without fields, or no rows.
    let server = Server::http(|_| Reply::ok(Vec::new()));
    let url = server.url("/");
    let range = ["--since", "2025-11-24T10:00:00Z", "--until", "2025-11-24T11:00:00Z"];
    let list = |arguments: &[&str]| {
        let arguments = [arguments, &["--list"], &range].concat();
        let listed = Project::new().fetch(&arguments);
        assert_eq!((listed.code, listed.stdout.as_str()), (Some(0), ""));
        listed.stderr
    };
    let none = "has no profiles from 2025-11-24T10:00:00Z to 2025-11-24T11:00:00Z";
    assert_eq!(
        list(&["pyroscope", &url]),
        format!(
            "costline: warning: {url}: {none}; choose another range with --since and --until\n"
        )
    );
    assert_eq!(
        list(&["clickhouse", &url, "--template", "coroot"]),
        format!("costline: warning: {url}: the tables have no profiles; check --database\n")
    );
}

#[test]
fn options_that_a_source_ignores_are_refused() {
    let project = Project::new();
    let message = |arguments: &[&str]| project.fetch(arguments).failure(2);
    let url = "http://127.0.0.1:1/";
    assert_eq!(
        message(&["pprof", url, "--since", "1h"]),
        "sources of the kind pprof have no `since`"
    );
    assert_eq!(
        message(&["parca", url, "--query", "SELECT 1"]),
        "sources of the kind parca have no `query`"
    );
    let folder = project.path().join("runs");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("a.folded"), "main 1\n").unwrap();
    for option in ["timeout", "max-bytes", "token-env", "user", "password-env"] {
        let flag = format!("--{option}");
        assert_eq!(
            message(&[folder.to_str().unwrap(), &flag, "9"]),
            format!("sources of the kind folder have no `{option}`")
        );
    }
    let keys =
        ["s3", "http://127.0.0.1:1/fleet/", "--access-key-env", "A", "--secret-key-env", "B"];
    assert_eq!(
        message(&[&keys[..], &["--token-env", "C"]].concat()),
        "`access-key-env` cannot be used with `token-env` or `user`"
    );
    assert_eq!(
        message(&["clickhouse", url, "--query", "SELECT 1", "--filter", "a = 1"]),
        "`filter` and `cluster` work only with `template`: put them into `query`"
    );
    project.write(
        "sources.toml",
        "[sources.a]\nkind = \"pprof\"\nurl = \"http://a/\"\npath = \"b\"\n",
    );
    assert_eq!(message(&["a"]), "sources of the kind pprof have no `path`");
    assert_eq!(
        message(&["pyroscope", url, "--min-percent", "101"]),
        "min-percent 101: expected 0 to 100"
    );
}

#[test]
fn objects_of_a_bucket_are_merged() {
    let project = Project::new();
    let folder = project.path().join("store");
    fs::create_dir_all(folder.join("monday")).unwrap();
    // More than a page of the list, with names that have to be encoded.
    for n in 1..=500 {
        fs::write(folder.join(format!("monday/a b+{n}.folded")), format!("main;f{} {n}\n", n % 2))
            .unwrap();
    }
    fs::write(folder.join("tuesday.folded"), "main 1000000\n").unwrap();
    let secrets = [("ID", "me"), ("SECRET", "s/e+cret")];
    let Some(mut engine) = Engine::start("s3", &folder, &secrets) else { return };
    let url = format!("{}/fleet/monday/", engine.url);
    let keys = ["--access-key-env", "COSTLINE_ID", "--secret-key-env", "COSTLINE_KEY"];
    let arguments = [&["s3", &url, "--name", "monday"], &keys[..]].concat();
    let fetch = |secret: &str| {
        let mut command = project.command(&arguments);
        Outcome::of(command.env("COSTLINE_ID", "me").env("COSTLINE_KEY", secret))
    };
    let said = fetch("s/e+cret").success();
    assert!(said.ends_with(", merged from 500 files\n"), "{said}");
    assert_eq!(
        [engine.request(), engine.request()],
        [json!({"listed": 400}), json!({"listed": 100})]
    );
    let merged = fs::read_to_string(project.file("monday.folded")).unwrap();
    let rows: Vec<_> = merged.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(rows, ["main;f0 62750", "main;f1 62500"]);

    // The address in a message has no signature.
    let base = &engine.url;
    let advice = "answered 403 Forbidden; check the keys in --access-key-env and --secret-key-env";
    assert_eq!(fetch("other").failure(1), format!("{base}/fleet/: {advice}"));
    let message = project.fetch(&["s3", &url]).failure(1);
    let advice = "answered 403 Forbidden; give keys with --access-key-env and --secret-key-env, or a \
                  token with --token-env";
    assert_eq!(message, format!("{base}/fleet/: {advice}"));
    let message = project.fetch(&["s3", base]).failure(2);
    assert!(
        message.ends_with("expected https://HOST/BUCKET/PREFIX of an object store"),
        "{message}"
    );
}

#[test]
fn a_bucket_may_be_asked_with_a_token() {
    let server = Server::http(|request| {
        let path = request.path.split('?').next().unwrap();
        match (request.header("authorization"), path) {
            (Some("Bearer s3cret"), "/fleet/") => Reply::ok(
                b"<ListBucketResult><Contents><Key>a.folded</Key></Contents></ListBucketResult>"
                    .into(),
            ),
            (Some("Bearer s3cret"), "/fleet/a.folded") => Reply::ok(b"main 7\n".into()),
            _ => Reply::status(401, "who are you?"),
        }
    });
    let project = Project::new();
    let url = server.url("/fleet/");
    let mut command = project.command(&["s3", &url, "--token-env", "COSTLINE_T", "--name", "a"]);
    Outcome::of(command.env("COSTLINE_T", "s3cret")).success();
    let merged = fs::read_to_string(project.file("a.folded")).unwrap();
    assert!(merged.ends_with("\nmain 7\n"), "{merged}");
}

#[test]
fn a_list_of_objects_that_begins_again_is_an_error() {
    let server = Server::http(|_| {
        let list = "<ListBucketResult><Contents><Key>a/</Key></Contents><NextContinuationToken>x\
                    </NextContinuationToken></ListBucketResult>";
        Reply::ok(list.into())
    });
    let url = server.url("/fleet/");
    let message = Project::new().fetch(&["s3", &url]).failure(1);
    let expected = "the list of objects does not continue: two parts name the same one as the next; check that \
                    the store can continue lists, or give a longer prefix";
    assert_eq!(message, format!("{url}: {expected}"));
    assert_eq!(server.requests(), 2);
}

/// The profile has come by then, so it is kept.
#[test]
fn points_of_any_time_leave_the_profile_as_it_is() {
    let mut profile = Vec::new();
    GzDecoder::new(&go_profile()[..]).read_to_end(&mut profile).unwrap();
    // Series with one point each: 1 at the first millisecond that there is, and no number.
    let point = |value: f64| {
        let value = value.to_le_bytes();
        let time = [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01];
        [&[0x0a, 22, 0x12, 20, 0x09][..], &value, &[0x10], &time].concat()
    };
    let points = [point(1.0), point(f64::NAN)].concat();
    let server = Server::http(move |request| match request.path.rsplit('/').next().unwrap() {
        "SelectMergeProfile" => Reply::ok(profile.clone()),
        "SelectSeries" => Reply::ok(points.clone()),
        _ => Reply::ok(Vec::new()),
    });
    let project = Project::new();
    let url = server.url("/");
    project.fetch(&["pyroscope", &url, "--profile-type", TYPE, "--name", "shop"]).success();
    let text = run(["report", "--json", project.file("shop.pb.gz").to_str().unwrap()]).success();
    let report: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(report["fleet"]["kind"], "pyroscope");
}

#[test]
fn the_signature_of_an_address_is_in_no_message() {
    let elsewhere = Server::http(|_| Reply::status(500, "no"));
    let other = elsewhere.url("/fleet/?X-Amz-Signature=1");
    let server = Server::http(move |request| {
        let query = request.path.split_once('?').unwrap().1;
        match request.path.split('/').nth(1).unwrap() {
            "region" => {
                let region = vec![("x-amz-bucket-region", "eu-west-1".to_owned())];
                Reply::Answer(301, region, b"<Error><Code>PermanentRedirect</Code></Error>".into())
            }
            "nowhere" => Reply::status(307, "no"),
            "round" => Reply::redirect(&request.path),
            "elsewhere" => Reply::redirect(&other),
            "file" => Reply::redirect(&format!("file:///etc/passwd?{query}")),
            "wrong" => Reply::redirect(&format!("http://?{query}")),
            bucket => panic!("unexpected: {bucket}"),
        }
    });
    let project = Project::new();
    let message = |bucket: &str| {
        let url = server.url(&format!("/{bucket}/"));
        let keys = ["--access-key-env", "COSTLINE_ID", "--secret-key-env", "COSTLINE_KEY"];
        let mut command = project.command(&[&["s3", &url], &keys[..]].concat());
        let message = Outcome::of(command.env("COSTLINE_ID", "me").env("COSTLINE_KEY", "secret"));
        message.failure(1).replace(&url, "URL")
    };
    assert_eq!(
        message("region"),
        "URL: answered 301 Moved Permanently; the bucket is in another region: give --region \
         eu-west-1, and the store's address there"
    );
    assert_eq!(message("nowhere"), "URL: answered 307 Temporary Redirect: no");
    assert_eq!(server.requests(), 2);
    assert_eq!(
        message("round"),
        "URL: redirects to URL, which is one redirect too many; nothing was read"
    );
    let at = elsewhere.url("/fleet/");
    assert_eq!(message("elsewhere"), format!("{at}: answered 500 Internal Server Error: no"));
    assert_eq!(
        message("file"),
        "URL: redirects to file:///etc/passwd, which is not an http or https address; nothing was \
         read"
    );
    assert_eq!(
        message("wrong"),
        "URL: redirects to http://, which is not a valid address; nothing was read"
    );
}

#[test]
fn what_is_cut_keeps_its_weight() {
    let project = Project::new();
    let folder = project.path().join("runs");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("a.folded"), "main;parse 60\nmain;parse;hash 5\nmain 30\n").unwrap();
    fs::write(folder.join("b.folded"), "rare;x 1\nmain;parse 4\n").unwrap();
    let rows = |options: &[&str]| {
        let arguments = [&[folder.to_str().unwrap()], options].concat();
        project.fetch(&arguments).success();
        let text = fs::read_to_string(project.file("runs.folded")).unwrap();
        let rows: Vec<_> = text.lines().filter(|it| !it.starts_with('#')).collect();
        rows.join(", ")
    };
    assert_eq!(rows(&[]), "main 30, main;parse 64, main;parse;hash 5, rare;x 1");
    assert_eq!(rows(&["--max-depth", "2"]), "main 30, main;parse 69, rare;x 1");
    assert_eq!(rows(&["--min-percent", "6"]), "(cut) 1, main 30, main;parse 69");
    assert_eq!(rows(&["--max-stacks", "2"]), "(cut) 6, main 30, main;parse 64");
    let report = run(["report", "--json", project.file("runs.folded").to_str().unwrap()]).success();
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["total"], 100);
    let cut = json!({"how": "the 2 stacks that cost most", "weight": 6});
    assert_eq!(report["fleet"]["cut"], cut);

    // A profile that comes as it is is cut here.
    let source = project.path().join("cut");
    fs::create_dir(&source).unwrap();
    fs::write(source.join("cpu.pb.gz"), go_profile()).unwrap();
    project.fetch(&[source.to_str().unwrap(), "--max-depth", "3"]).success();
    let cut = costs(&project.file("cut.pb.gz"));
    let whole = costs(&elsewhere(&project));
    assert_eq!(cut["total"], whole["total"]);
    let depth = run(["tree", "--json", project.file("cut.pb.gz").to_str().unwrap()]).success();
    assert!(depth.contains("runtime.main"));
    let n_functions = |costs: &Value| costs["functions"].as_array().unwrap().len();
    assert!(n_functions(&cut) < n_functions(&whole) / 2, "{}", n_functions(&cut));
}
