//! A real ClickHouse, of Debian's package, as one server and as two shards.

use super::super::skip_without;
use super::{Project, run};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{BufWriter, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};
use tempfile::TempDir;

const START: Duration = Duration::from_secs(60);

/// A server with a folder of its own, until the test ends.
struct ClickHouse {
    process: Child,
    http: u16,
    tcp: u16,
    /// Removed after the process.
    _folder: TempDir,
}

impl ClickHouse {
    fn is_installed() -> bool {
        let found = Command::new("clickhouse-server").arg("--help").output().is_ok();
        if !found {
            skip_without("clickhouse-server");
        }
        found
    }

    /// Starts it, with a cluster `two` of the shards at these ports.
    fn start(shards: &[u16]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let [http, tcp] = [free_port(), free_port()];
        let path = folder.path().display();
        let mut cluster = String::new();
        for port in shards.iter().chain([&tcp]) {
            write!(
                cluster,
                "<shard><replica><host>127.0.0.1</host><port>{port}</port></replica></shard>"
            )
            .unwrap();
        }
        let config = format!(
            "<yandex><logger><level>none</level></logger><http_port>{http}</http_port><tcp_port>{tcp}</tcp_port>\
             <listen_host>127.0.0.1</listen_host><path>{path}/data/</path><tmp_path>{path}/tmp/</tmp_path>\
             <users_config>users.xml</users_config><default_profile>default</default_profile>\
             <default_database>default</default_database><mark_cache_size>1000000</mark_cache_size>\
             <remote_servers><two>{cluster}</two></remote_servers></yandex>"
        );
        let users = "<yandex><profiles><default/></profiles><quotas><default/></quotas><users><default>\
                     <password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile>\
                     <quota>default</quota></default></users></yandex>";
        fs::write(folder.path().join("config.xml"), config).unwrap();
        fs::write(folder.path().join("users.xml"), users).unwrap();
        let config = format!("--config-file={path}/config.xml");
        let process = Command::new("clickhouse-server")
            .arg(config)
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let server = Self { process, http, tcp, _folder: folder };
        let deadline = Instant::now() + START;
        while TcpStream::connect(("127.0.0.1", http)).is_err() {
            assert!(Instant::now() < deadline, "clickhouse-server does not answer");
            sleep(Duration::from_millis(50));
        }
        server
    }

    fn url(&self) -> String {
        format!("http://127.0.0.1:{}/", self.http)
    }

    /// Runs a statement, and returns what it prints.
    fn run(&self, sql: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.http)).unwrap();
        let length = sql.len();
        write!(stream, "POST / HTTP/1.0\r\nContent-Length: {length}\r\n\r\n{sql}").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        assert!(head.contains(" 200 "), "{sql}: {body}");
        body.to_owned()
    }
}

impl Drop for ClickHouse {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn json(file: &Path) -> Value {
    let text = run(["report", "--json", file.to_str().unwrap()]).success();
    serde_json::from_str(&text).unwrap()
}

const ROWS: u64 = 5_000_000;

/// The sample of a row, and the SQL for the same.
fn sample(n: u64) -> ([String; 4], u64) {
    let frames = [
        "main".to_owned(),
        format!("handler{}", n % 7),
        format!("parse{}", n / 7 % 11),
        format!("leaf{}", n * 7919 % 101),
    ];
    (frames, n % 5)
}

const SAMPLE: &str = "['main', concat('handler', toString(number % 7)), \
                      concat('parse', toString(intDiv(number, 7) % 11)), \
                      concat('leaf', toString(number * 7919 % 101))] AS stack, toInt64(number % 5) AS value";

#[test]
fn two_shards_have_the_totals_of_the_same_rows_as_folded_stacks() {
    if !ClickHouse::is_installed() {
        return;
    }
    let second = ClickHouse::start(&[]);
    let first = ClickHouse::start(&[second.tcp]);
    let create = "CREATE TABLE samples (stack Array(String), value Int64) ENGINE = MergeTree ORDER BY tuple()";
    for (server, half) in [(&first, 0), (&second, 1)] {
        server.run(create);
        let rows =
            format!("SELECT number * 2 + {half} AS number FROM system.numbers LIMIT {}", ROWS / 2);
        server.run(&format!("INSERT INTO samples SELECT {SAMPLE} FROM ({rows})"));
    }
    first.run("CREATE TABLE everywhere AS samples ENGINE = Distributed(two, default, samples)");
    let project = Project::new();
    let folded = project.path().join("rows.folded");
    let mut file = BufWriter::new(File::create(&folded).unwrap());
    for n in 0..ROWS {
        let (frames, value) = sample(n);
        writeln!(file, "{} {value}", frames.join(";")).unwrap();
    }
    file.flush().unwrap();
    let expected = json(&folded);
    assert_eq!(expected["total"], ROWS * 2);

    let url = first.url();
    let fetch = |query: &str, options: &[&str]| {
        let arguments =
            [&["clickhouse", &url, "--name", "fleet", "--query", query], options].concat();
        project.fetch(&arguments).success();
    };
    let remote =
        format!("remote('127.0.0.1:{},127.0.0.1:{}', default, samples)", first.tcp, second.tcp);
    for table in ["everywhere", &remote] {
        fetch(&format!("SELECT stack, sum(value) AS value FROM {table} GROUP BY stack"), &[]);
        let fetched = json(&project.file("fleet.folded"));
        for key in ["total", "functions", "edges", "metric", "unit"] {
            assert_eq!(fetched[key], expected[key], "{table}: {key}");
        }
    }
    // One shard has half of the rows.
    fetch("SELECT stack, sum(value) AS value FROM samples GROUP BY stack;", &[]);
    assert_eq!(json(&project.file("fleet.folded"))["total"], ROWS);

    // The database cuts: `handler0` costs the same as in the whole, and what was cut is said.
    let all = "SELECT stack, sum(value) AS value FROM everywhere GROUP BY stack";
    let totals = |report: &Value| -> Vec<(String, u64)> {
        let rows = report["functions"].as_array().unwrap().iter();
        let rows = rows
            .map(|row| (row["name"].as_str().unwrap().to_owned(), row["total"].as_u64().unwrap()));
        let mut rows: Vec<_> = rows.filter(|(name, _)| !name.starts_with("leaf")).collect();
        rows.sort();
        rows
    };
    for options in [&["--min-percent", "1"][..], &["--max-depth", "3"]] {
        fetch(all, options);
        let cut = json(&project.file("fleet.folded"));
        assert_eq!(totals(&cut), totals(&expected), "{options:?}");
        assert_eq!(cut["fleet"]["cut"]["weight"], ROWS * 2, "{options:?}");
    }
    fetch(all, &["--max-stacks", "20"]);
    let cut = json(&project.file("fleet.folded"));
    assert_eq!(cut["total"], ROWS * 2);
    let rows = cut["functions"].as_array().unwrap();
    let left_out = rows.iter().find(|row| row["name"] == "(cut)").unwrap();
    assert_eq!(left_out["self"], cut["fleet"]["cut"]["weight"]);
    assert!(left_out["self"].as_u64().unwrap() < ROWS * 2);
}

#[test]
fn rows_may_have_files_and_lines_and_failures_are_told() {
    if !ClickHouse::is_installed() {
        return;
    }
    let server = ClickHouse::start(&[]);
    let project = Project::new();
    let url = server.url();
    let fetch = |query: &str, options: &[&str]| {
        let arguments =
            [&["clickhouse", &url, "--name", "fleet", "--query", query], options].concat();
        project.fetch(&arguments)
    };
    let rows = "SELECT ['main', 'parse'] AS functions, ['a.c', 'b.c'] AS files, [3, 12] AS lines, number + 40 AS value \
                FROM system.numbers LIMIT 3";
    fetch(rows, &["--values", "cpu:nanoseconds"]).success();
    let report = json(&project.file("fleet.pb.gz"));
    assert_eq!(
        (&report["total"], &report["metric"], &report["unit"]),
        (&json!(123), &json!("cpu"), &json!("nanoseconds"))
    );
    let lines: Vec<String> = report["lines"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            format!(
                "{}:{} {} {}",
                row["file"].as_str().unwrap(),
                row["line"],
                row["self"],
                row["total"]
            )
        })
        .collect();
    assert_eq!(lines, ["b.c:12 123 123", "a.c:3 0 123"]);
    fetch(rows, &["--max-depth", "1"]).success();
    let cut = json(&project.file("fleet.pb.gz"));
    assert_eq!(
        (&cut["lines"][0]["self"], &cut["fleet"]["cut"]["weight"]),
        (&json!(123), &json!(123))
    );

    // The range of time is part of the query.
    let ranged = "SELECT 'main' AS stack, {until} - {from} AS value";
    fetch(ranged, &["--since", "2025-11-24T10:00:00Z", "--until", "2025-11-24T10:02:00Z"])
        .success();
    assert_eq!(json(&project.file("fleet.folded"))["total"], 120);

    let failure = |query: &str| fetch(query, &[]).failure(1);
    let message = failure("SELECT stak FROM system.one");
    assert!(message.contains("Unknown identifier: stak"), "{message}");
    assert!(message.starts_with(&format!("{url}: answered ")), "{message}");
    assert!(
        failure("SELECT 'main' AS stack").contains("a row has no `value`; expected the columns")
    );
    assert!(
        failure("SELECT 'main' AS stack, 1.5 AS value")
            .contains("floating point `1.5`, expected a whole")
    );
    assert!(failure("SELECT 'main' AS name, 1 AS value").contains("a row has no stack"));
    assert!(failure("SELECT 'a' AS stack, 1 AS value LIMIT 0").contains("the query has no rows"));
    // It fails after the first rows were sent.
    let late = "SELECT toString(number) AS stack, throwIf(number = 900000) + 1 AS value FROM system.numbers LIMIT 1000000";
    assert!(failure(late).contains("the query failed: Code: "));
    assert!(failure(&format!("{rows} FORMAT TabSeparated")).contains("a row cannot be read"));
    let arguments = ["clickhouse", &url, "--name", "fleet"];
    assert!(
        project
            .fetch(&arguments)
            .failure(2)
            .contains("needs `query`, SQL for the rows, or `template`")
    );
    assert_eq!(json(&project.file("fleet.folded"))["total"], 120);
}

/// The tables of Coroot and qryn as far as this version of ClickHouse has their types: no `Map`, and
/// arrays of tuples in views only.
#[test]
fn templates_know_the_schemas_of_others() {
    if !ClickHouse::is_installed() {
        return;
    }
    let server = ClickHouse::start(&[]);
    let project = Project::new();
    let url = server.url();
    let since =
        ["--since", "2025-11-24T15:00:00Z", "--until", "2025-11-24T16:00:00Z", "--name", "fleet"];
    let fetch = |options: &[&str]| {
        let arguments = [&["clickhouse", &url], &since[..], options].concat();
        project.fetch(&arguments).success();
        let text = run(["tree", "--json", project.file("fleet.pb.gz").to_str().unwrap()]).success();
        let tree: Value = serde_json::from_str(&text).unwrap();
        (tree, json(&project.file("fleet.pb.gz")))
    };
    let functions = |report: &Value| -> Vec<String> {
        let rows = report["functions"].as_array().unwrap().iter();
        rows.map(|row| {
            format!("{} {} {}", row["name"].as_str().unwrap(), row["self"], row["total"])
        })
        .collect()
    };

    for statement in [
        "CREATE DATABASE coroot",
        "CREATE TABLE coroot.profiling_stacks (ServiceName String, Hash UInt64, LastSeen DateTime, Stack Array(String)) \
         ENGINE = MergeTree ORDER BY (ServiceName, Hash)",
        "CREATE TABLE coroot.profiling_samples (ServiceName String, Type String, Start DateTime, End DateTime, \
         StackHash UInt64, Value Int64) ENGINE = MergeTree ORDER BY (ServiceName, Type, Start)",
        "CREATE TABLE coroot.profiling_profiles (ServiceName String, Type String, LastSeen DateTime) \
         ENGINE = MergeTree ORDER BY Type",
        // Leaf first. 16:00 is 1764000000.
        "INSERT INTO coroot.profiling_stacks SELECT 'shop', n, toDateTime(1764000000), if(n = 1, \
         ['parse::<u8 as T> /src/parse.rs:12', 'main /src/main.rs:3'], ['[unknown]', 'main /src/main.rs:4']) \
         FROM (SELECT arrayJoin([1, 2]) AS n)",
        "INSERT INTO coroot.profiling_samples SELECT service, 'ebpf:cpu:nanoseconds', toDateTime(1764000000 - at), \
         toDateTime(1764000060 - at), hash, value FROM (SELECT arrayJoin([('shop', 60, 1, 10), ('shop', 120, 1, 5), \
         ('shop', 120, 2, 7), ('pay', 120, 2, 100), ('shop', 7200, 2, 1000)]) AS row, row.1 AS service, row.2 AS at, \
         row.3 AS hash, row.4 AS value)",
        "INSERT INTO coroot.profiling_profiles VALUES ('shop', 'ebpf:cpu:nanoseconds', '2025-11-24 16:00:00')",
        "CREATE DATABASE qryn",
        "CREATE TABLE qryn.raw (timestamp_ns UInt64, type_id String, service_name String, p Array(UInt64), f Array(UInt64), \
         n Array(UInt64), v Array(Int64), ids Array(UInt64), names Array(String)) ENGINE = MergeTree ORDER BY timestamp_ns",
        "INSERT INTO qryn.raw VALUES \
         (1763999000000000000, 'process_cpu:cpu:nanoseconds', 'shop', [0,1], [7,8], [1,18446744073709551615], [5,7], [7,8], ['main','parse']), \
         (1763999001000000000, 'process_cpu:cpu:nanoseconds', 'shop', [0,1], [7,9], [1,3], [1,2], [7,9], ['main','hash']), \
         (1764000001000000000, 'process_cpu:cpu:nanoseconds', 'shop', [0], [7], [1], [1000], [7], ['main'])",
        "CREATE VIEW qryn.profiles AS SELECT timestamp_ns, type_id, service_name, arrayMap((a, b, c, d) -> tuple(a, b, c, \
         [tuple('samples:count', toInt64(1), toInt64(1)), tuple('cpu:nanoseconds', d, d)]), p, f, n, v) AS tree, \
         arrayMap((a, b) -> tuple(a, b), ids, names) AS functions FROM qryn.raw",
    ] {
        server.run(statement);
    }
    let coroot =
        ["--template", "coroot", "--database", "coroot", "--profile-type", "ebpf:cpu:nanoseconds"];
    let shop = [&coroot[..], &["--filter", "ServiceName = 'shop'"]].concat();
    for options in [shop.clone(), [&shop[..], &["--cluster", "two"]].concat()] {
        let (_, report) = fetch(&options);
        assert_eq!(functions(&report), ["main 0 22", "parse::<u8 as T> 15 15", "[unknown] 7 7"]);
        assert_eq!((&report["metric"], &report["unit"]), (&json!("cpu"), &json!("nanoseconds")));
        let lines = report["lines"].as_array().unwrap();
        assert!(lines.iter().any(|row| row["file"] == "/src/parse.rs" && row["line"] == 12));
    }
    let listed = project.fetch(&[&["clickhouse", &url, "--list"], &coroot[..]].concat()).success();
    assert_eq!(listed, "type\tebpf:cpu:nanoseconds\nlabel\tServiceName\tshop\n");

    let kind = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";
    let qryn = ["--template", "qryn", "--database", "qryn", "--profile-type", kind];
    let (_, report) = fetch(&qryn);
    assert_eq!(functions(&report), ["main 6 15", "parse 7 7", "hash 2 2"]);
    assert_eq!(report["fleet"]["profiles"], 2);
    let (_, report) = fetch(&[&qryn[..], &["--max-depth", "1"]].concat());
    assert_eq!(functions(&report), ["main 15 15"]);
}
