//! Files that are made to take all memory. Under a limit of 3 GB, the server refuses them with a
//! sentence, and answers throughout.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use serde_json::{Value, json};

use crate::limits::{LIMITED, Repeated, bomb, limited, repeated};
#[cfg(feature = "symbols")]
use crate::skip::skip_required;
use crate::support::profiles::{APP_JS, folded};
use crate::support::requests::costs;
use crate::support::{DEADLINE, Server, Workspace, set_age};

/// The messages of pprof: a sample type, and the texts that it names.
const PPROF: &[u8] = b"\x0a\x04\x08\x01\x10\x02\x32\x00\x32\x03cpu\x32\x02ns";
/// Between two questions, so that the server has the processor for what it is to refuse.
const PAUSE: Duration = Duration::from_millis(20);
const SCHEMA: &str = "https://www.speedscope.app/file-format-schema.json";

/// Files that are small until they are read, with their inflated size.
fn bombs() -> [(&'static str, Repeated, usize); 5] {
    let stacks = format!(
        r#"{{"$schema":"{SCHEMA}","shared":{{"frames":[{{"name":"main"}}]}},"profiles":[{{
        "type":"sampled","name":"","unit":"none","startValue":0,"endValue":1,"weights":[1],
        "samples":[[0]"#
    );
    let frames = format!(r#"{{"$schema":"{SCHEMA}","profiles":[],"shared":{{"frames":[{{}}"#);
    let samples = r#"{"nodes":[{"id":1,"callFrame":{"functionName":"main","scriptId":"1",
        "url":"","lineNumber":1,"columnNumber":1}}],"timeDeltas":[1],"samples":[1"#;
    [
        ("deep.folded", repeated("main", ";a", " 1\n"), 1_900_000_000),
        ("texts.pb", (PPROF.to_vec(), b"\x32\x00".to_vec(), Vec::new()), 200_000_000),
        ("stacks.speedscope.json", repeated(&stacks, ",[0]", "]}]}"), 400_000_000),
        ("frames.speedscope.json", repeated(&frames, ",{}", "]}}"), 100_000_000),
        ("samples.cpuprofile", repeated(samples, ",1", "]}"), 400_000_000),
    ]
}

/// A workspace whose profile has 7 samples in line 2 of `app.js`.
fn workspace() -> Workspace {
    let workspace = Workspace::with([("app.js", APP_JS)]);
    workspace.write("good.folded", folded(7));
    workspace
}

/// Executes a command while documents are asked about, and returns the error.
fn error_of(server: &mut Server, uri: &str, command: &str, arguments: &Value) -> String {
    let command = json!({ "command": command, "arguments": arguments });
    let id = server.send_request("workspace/executeCommand", command);
    let begun = Instant::now();
    while !server.has_response(&id) {
        assert_eq!(server.line_costs(uri), costs([(2, 7, 7)]));
        assert!(begun.elapsed() < 6 * DEADLINE, "no answer");
        thread::sleep(PAUSE);
    }
    server.wait_response(&id).unwrap_err().message
}

#[test]
fn profiles_that_expand_to_all_memory_are_refused_and_the_server_answers() {
    let workspace = workspace();
    let mut server = limited(&workspace).start();
    let uri = server.open_file(&workspace.path("app.js"), "javascript");
    server.wait_costs(&uri, &costs([(2, 7, 7)]));
    for (name, repeated, n_bytes) in bombs() {
        let path = workspace.write(&format!("bombs/{name}.gz"), bomb(&repeated, n_bytes));
        let pick = json!([{ "path": path }]);
        let error = error_of(&mut server, &uri, "costline.selectProfile", &pick);
        assert!(error.contains("needs more memory than the "), "{name}: {error}");
        fs::remove_file(path).unwrap();
    }
    server.execute("costline.selectProfile", json!([{ "path": workspace.path("good.folded") }]));
    server.wait_costs(&uri, &costs([(2, 7, 7)]));
}

/// There are lists that no profiler fills. Their elements take much more memory than text.
#[test]
fn lists_that_are_longer_than_any_real_one_are_refused_with_their_place() {
    let workspace = Workspace::new();
    let firefox = r#"{"meta":{"interval":1,"preprocessedProfileVersion":49},"#;
    let libs = repeated(&format!(r#"{firefox}"threads":[],"libs":[{{}}"#), ",{}", "]}");
    let threads = repeated(&format!(r#"{firefox}"libs":[],"threads":[{{}}"#), ",{}", "]}");
    let profiles = format!(
        r#"{{"$schema":"{SCHEMA}","shared":{{"frames":[]}},"profiles":[{{"type":"sampled"}}"#
    );
    let profiles = repeated(&profiles, ",{}", "]}");
    let cases = [("libs.json", libs), ("threads.json", threads), ("profiles.json", profiles)];
    for (name, repeated) in cases {
        let path = workspace.write(&format!("{name}.gz"), bomb(&repeated, 6_000_000));
        let mut report = Command::new(LIMITED[0]);
        report.args(&LIMITED[1..]).arg(env!("CARGO_BIN_EXE_costline")).arg("report").arg(&path);
        let output = report.env("COSTLINE_CACHE_DIR", "").output().unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{name}: {message}");
        let expected = "this list is too long, expected a list of at most 65536 elements";
        assert!(message.contains(expected), "{name}: {message}");
    }
}

/// A version of 1.6 GB in Git, which is copied once it is read, an ignore file with many rules, and a huge
/// source.
#[test]
fn a_workspace_whose_files_expand_to_all_memory_is_opened() {
    let workspace = workspace();
    workspace.write("many/.ignore", "a*b[c]{d,e}*f\n".repeat(500_000));
    git(&workspace, "", &["init", "--quiet"]);
    let huge = fs::File::create(workspace.path("app.js")).unwrap();
    huge.set_len(1_600_000_000).unwrap();
    git(&workspace, "2020-01-01T00:00:00Z", &["add", "app.js"]);
    git(&workspace, "2020-01-01T00:00:00Z", &["commit", "--quiet", "--message", "huge"]);
    workspace.write("app.js", APP_JS);
    git(&workspace, "2023-01-01T00:00:00Z", &["commit", "--quiet", "--all", "--message", "small"]);
    // Between the commits.
    let recorded = SystemTime::UNIX_EPOCH + Duration::from_secs(1_640_000_000);
    let profile = fs::File::options().write(true).open(workspace.path("good.folded")).unwrap();
    profile.set_modified(recorded).unwrap();

    let mut server = limited(&workspace).start();
    let uri = server.open_file(&workspace.path("app.js"), "javascript");
    server.wait_costs(&uri, &costs([(2, 7, 7)]));
    server.finish();

    let big = fs::File::create(workspace.path("app.js")).unwrap();
    big.set_len(20 << 30).unwrap();
    let mut annotate = Command::new(LIMITED[0]);
    annotate.args(&LIMITED[1..]).arg(env!("CARGO_BIN_EXE_costline")).arg("annotate");
    annotate.current_dir(workspace.root()).env("COSTLINE_CACHE_DIR", "");
    let output = annotate.args(["good.folded", "app.js"]).output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("app.js: has more than 16777216 bytes"), "{message}");
}

/// Minified code has as many tokens as bytes. It is compared line by line.
#[cfg(target_os = "linux")]
#[test]
fn minified_code_takes_little_memory() {
    const LEN: usize = 5_000_000;
    let workspace = workspace();
    let line = "var abc=foo.bar(x,12);".repeat(LEN / 22);
    let script = workspace.write("bundle.js", format!("function f(){{{line}}}\n"));
    set_age(&script, Duration::from_secs(3600));
    workspace.write("good.folded", "main (bundle.js:1) 7\n");
    let mut server = limited(&workspace).start();
    let uri = server.open_file(&script, "javascript");
    server.wait_costs(&uri, &costs([(1, 7, 7)]));
    let text = fs::read_to_string(&script).unwrap();
    for n in 1..5 {
        server.change(&uri, &format!("{}{text}", "\n".repeat(n as usize)));
        assert_eq!(server.line_costs(&uri), costs([(1 + n, 7, 7)]));
    }
    let status = fs::read_to_string(format!("/proc/{}/status", server.id())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let peak = peak.trim().trim_end_matches(" kB").parse::<usize>().unwrap() << 10;
    assert!(peak < (40 << 20) + 20 * LEN, "{} MB", peak >> 20);
}

/// Runs Git, and returns its output.
fn git(workspace: &Workspace, date: &str, arguments: &[&str]) -> String {
    let mut git = Command::new("git");
    git.args(["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "core.compression=1"]);
    git.args(arguments).env("GIT_AUTHOR_DATE", date).env("GIT_COMMITTER_DATE", date);
    let output = git.current_dir(workspace.root()).output().unwrap();
    assert!(output.status.success(), "git {arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// A line table of a program in which every byte is a row, compressed to a fifth.
#[cfg(feature = "symbols")]
#[test]
fn debug_info_that_expands_to_all_memory_is_refused_and_the_server_answers() {
    let workspace = workspace();
    let Some((build_id, address)) = program_with_many_rows(workspace.root(), 100 << 20) else {
        return;
    };
    workspace
        .write("profiles/native.json", native_profile(&workspace.path("app"), &build_id, address));
    let mut server = limited(&workspace).start();
    let uri = server.open_file(&workspace.path("app.c"), "c");
    let begun = Instant::now();
    let why = loop {
        assert_eq!(server.lenses(&uri).len(), 0);
        let mut warnings = server.warnings().into_iter();
        if let Some(why) = warnings.find(|it| it.contains("needs more memory than is free")) {
            break why;
        }
        assert!(begun.elapsed() < 6 * DEADLINE, "the library is not refused");
        thread::sleep(PAUSE);
    };
    assert!(why.contains("app"), "{why}");
}

/// Compiles a program, replaces its line table by one with `n_rows`, and returns its build id and an
/// address of it. `None` if there is no compiler.
#[cfg(feature = "symbols")]
fn program_with_many_rows(folder: &Path, n_rows: usize) -> Option<(String, u64)> {
    use std::io::Read as _;
    let run = |program: &str, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).current_dir(folder).output();
        let output = output.ok().filter(|output| output.status.success());
        if output.is_none() {
            skip_required(&format!("{program} {arguments:?} fails"));
        }
        output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
    };
    fs::write(
        folder.join("app.c"),
        "int work(int n) {\n  return n * n;\n}\nint main(void) {\n  return work(0);\n}\n",
    )
    .unwrap();
    run("cc", &["-g", "-gdwarf-5", "-Wl,--build-id", "-o", "app", "app.c"])?;
    let copy = ["-O", "binary", "--set-section-flags", ".debug_line=alloc"];
    run("objcopy", &[&copy[..], &["--only-section=.debug_line", "app", "line"]].concat())?;
    let mut table = Vec::new();
    fs::File::open(folder.join("line")).unwrap().read_to_end(&mut table).unwrap();
    // The unit: its length, the version, the sizes of addresses, the length of the header.
    let program = 12 + u32::from_le_bytes(table[8..12].try_into().unwrap()) as usize;
    let set_address = table[program..].windows(3).position(|bytes| bytes == [0, 9, 2]).unwrap();
    let set_address = table[program + set_address..][..11].to_vec();
    table.truncate(program);
    table.extend(set_address);
    // Special opcodes, which advance the address and the line. Random ones, so that they are not
    // compressed to almost nothing, which is refused at once.
    let mut random = 1_u32;
    for row in 0..n_rows {
        if row % 16 == 0 {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        }
        table.push(if row % 16 == 0 && random >> 31 == 1 { 0x21 } else { 0x20 });
    }
    // Advance the address by 1, end of the sequence.
    table.extend([2, 1, 0, 1, 1]);
    let length = u32::try_from(table.len() - 4).unwrap();
    table[..4].copy_from_slice(&length.to_le_bytes());
    fs::write(folder.join("line"), table).unwrap();
    run("objcopy", &["--update-section", ".debug_line=line", "app"])?;
    run("objcopy", &["--compress-debug-sections=zlib", "app"])?;
    fs::remove_file(folder.join("line")).unwrap();
    let notes = run("readelf", &["-n", "app"])?;
    let build_id = notes.lines().find_map(|line| line.trim().strip_prefix("Build ID: "))?;
    let symbols = run("nm", &["-P", "app"])?;
    let work = symbols.lines().find_map(|line| line.strip_prefix("work T "))?;
    let address = u64::from_str_radix(work.split(' ').next()?, 16).unwrap();
    Some((build_id.to_owned(), address))
}

/// A profile with one sample at an address of a program.
#[cfg(feature = "symbols")]
fn native_profile(program: &Path, build_id: &str, address: u64) -> String {
    let table = |columns: Value| {
        let mut table = columns;
        table["length"] = json!(1);
        table
    };
    let lib = json!({
        "name": "app", "path": program, "debugName": "app", "debugPath": program,
        "breakpadId": "", "codeId": build_id, "arch": "x86_64",
    });
    let funcs = json!({
        "name": [0], "resource": [0], "fileName": [null], "lineNumber": [null],
        "columnNumber": [null], "isJS": [false], "relevantForJS": [false],
    });
    let frames = json!({ "address": [address], "func": [0], "line": [null], "column": [null] });
    let samples = json!({ "stack": [0], "time": [0], "weight": null, "weightType": "samples" });
    json!({
        "meta": { "interval": 1, "preprocessedProfileVersion": 49, "symbolicated": false },
        "libs": [lib],
        "threads": [{
            "name": "app", "processType": "default", "pid": "1", "tid": 1,
            "stringArray": [format!("{address:#x}"), "app"],
            "funcTable": table(funcs),
            "resourceTable": table(json!({ "lib": [0], "name": [1] })),
            "frameTable": table(frames),
            "stackTable": table(json!({ "frame": [0], "prefix": [null] })),
            "samples": table(samples),
        }],
    })
    .to_string()
}
