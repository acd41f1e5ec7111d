//! Folders of many files.

use super::super::skip_without;
use super::{Outcome, Project, run};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = GzEncoder::new(Vec::new(), Compression::fast());
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// A message of the numbers in the given fields.
fn numbers(fields: &[(u64, u64)]) -> Vec<u8> {
    let mut out = Vec::new();
    for &(tag, value) in fields {
        varint(&mut out, tag << 3);
        varint(&mut out, value);
    }
    out
}

fn bytes(out: &mut Vec<u8>, tag: u64, content: &[u8]) {
    varint(out, tag << 3 | 2);
    varint(out, content.len() as u64);
    out.extend(content);
}

/// A pprof file by hand: one program with 20 functions, loaded elsewhere in each file and with other
/// ids, and 30 samples with labels.
fn pprof(n: u64) -> Vec<u8> {
    let mut random = n + 1;
    let mut below = |limit: u64| {
        random =
            random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) % limit
    };
    let mut strings: Vec<String> = [
        "",
        "samples",
        "count",
        "cpu",
        "nanoseconds",
        "/bin/app",
        "app.go",
        "host",
        "size",
        "bytes",
    ]
    .map(ToOwned::to_owned)
    .into();
    let first = 1 + n % 7;
    let start = 0x40_0000 + 0x1000 * below(50);
    let mut out = Vec::new();
    bytes(&mut out, 1, &numbers(&[(1, 1), (2, 2)]));
    bytes(&mut out, 1, &numbers(&[(1, 3), (2, 4)]));
    bytes(&mut out, 3, &numbers(&[(1, 1), (2, start), (3, start + 0x1_0000), (5, 5), (7, 1)]));
    for function in 0..20 {
        strings.push(format!("main.f{function}"));
        let name = strings.len() as u64 - 1;
        bytes(&mut out, 5, &numbers(&[(1, first + function), (2, name), (3, name), (4, 6)]));
        let line = numbers(&[(1, first + function), (2, 10 * function + 1)]);
        let mut location = numbers(&[(1, first + function), (2, 1), (3, start + 16 * function)]);
        bytes(&mut location, 4, &line);
        bytes(&mut out, 4, &location);
    }
    strings.push(format!("host{}", n % 3));
    let host = strings.len() as u64 - 1;
    for _ in 0..30 {
        let mut sample = Vec::new();
        for _ in 0..=below(4) {
            varint(&mut sample, 1 << 3);
            varint(&mut sample, first + below(20));
        }
        let count = below(5);
        sample.extend(numbers(&[(2, count), (2, count * 10_000_000 + below(2))]));
        bytes(&mut sample, 3, &numbers(&[(1, 7), (2, host)]));
        bytes(&mut sample, 3, &numbers(&[(1, 8), (3, 1 + below(2)), (4, 9)]));
        bytes(&mut out, 2, &sample);
    }
    bytes(&mut out, 11, &numbers(&[(1, 3), (2, 4)]));
    out.extend(numbers(&[
        (9, 1_700_000_000_000_000_000 + n),
        (10, 1_000_000_000),
        (12, 10_000_000),
    ]));
    for text in strings {
        bytes(&mut out, 6, text.as_bytes());
    }
    out
}

/// What `go tool pprof` says about files, without the name of the file.
fn go_pprof(arguments: &[&str], files: &[&Path], folder: &Path) -> String {
    let output = Command::new("go")
        .args(["tool", "pprof", "-symbolize=none"])
        .args(arguments)
        .args(files)
        .env("PPROF_TMPDIR", folder)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    // Comments are listed in front.
    let text = String::from_utf8(output.stdout).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with("costline: "));
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// The rows of a folded file, without its comments.
fn rows(file: &Path) -> String {
    let text = fs::read_to_string(file).unwrap();
    let rows = text.lines().filter(|line| !line.starts_with("# "));
    rows.flat_map(|row| [row, "\n"]).collect()
}

#[test]
fn thousands_of_files_are_merged_as_go_does_it() {
    let has_go =
        Command::new("go").arg("version").output().is_ok_and(|output| output.status.success());
    if !has_go {
        return skip_without("go");
    }
    let project = Project::new();
    let folder = project.path().join("fleet");
    let mut files = Vec::new();
    for n in 0..5000 {
        let folder = folder.join(format!("{}", n % 10));
        fs::create_dir_all(&folder).unwrap();
        let file = folder.join(format!("{n}.pb.gz"));
        fs::write(&file, if n % 2 == 0 { gzip(&pprof(n)) } else { pprof(n) }).unwrap();
        files.push(file);
    }
    let said = project.fetch(&[folder.to_str().unwrap()]).success();
    assert!(said.starts_with(".costline/fleet.pb.gz: pprof profile, "), "{said}");
    assert!(said.ends_with(", merged from 5000 files\n"), "{said}");

    let theirs = project.path().join("theirs.pb.gz");
    let output = format!("-output={}", theirs.display());
    let files: Vec<_> = files.iter().map(std::path::PathBuf::as_path).collect();
    go_pprof(&["-proto", &output], &files, project.path());
    let ours = project.file("fleet.pb.gz");
    for metric in ["samples", "cpu"] {
        let index = format!("-sample_index={metric}");
        let top = ["-top", "-lines", "-nodecount=0", "-unit=ns", &index];
        let of = |file: &Path| go_pprof(&top, &[file], project.path());
        let text = of(&ours);
        assert!(text.contains("main.f19 app.go:191"), "{text}");
        assert_eq!(text, of(&theirs));
    }
    // Each stack with its labels; their order depends on that of the files.
    let traces = |file: &Path| {
        let text = go_pprof(&["-traces", "-unit=ns"], &[file], project.path());
        let mut traces: Vec<String> = text.split("-----------+").map(ToOwned::to_owned).collect();
        traces.sort();
        traces
    };
    let traces = [traces(&ours), traces(&theirs)];
    assert!(traces[0].len() > 10_000, "{}", traces[0].len());
    assert!(traces[0] == traces[1], "the stacks or labels differ");
    let report = |file: &Path| run(["report", "--json", file.to_str().unwrap()]).success();
    let of = |file: &Path| serde_json::from_str::<serde_json::Value>(&report(file)).unwrap();
    let (ours, theirs) = (of(&ours), of(&theirs));
    assert_eq!((&ours["total"], &ours["functions"]), (&theirs["total"], &theirs["functions"]));
}

#[test]
fn folded_files_are_merged_and_unreadable_ones_named() {
    let project = Project::new();
    let folder = project.path().join("runs");
    fs::create_dir_all(folder.join("more")).unwrap();
    fs::write(folder.join("a.folded"), "main;parse 3\nmain 1\n").unwrap();
    fs::write(folder.join("more/b.folded.gz"), gzip(b"main;parse 4\nmain;hash 2\n")).unwrap();
    fs::write(folder.join(".hidden.folded"), "main 100\n").unwrap();
    fs::write(folder.join("cut.folded.gz"), &gzip(b"main;parse 4\n")[..20]).unwrap();
    fs::write(folder.join("readme.txt"), "The runs of Monday.\n").unwrap();
    let output = project.command(&[folder.to_str().unwrap()]).output().unwrap();
    assert!(output.status.success());
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.starts_with(".costline/runs.folded: folded stacks, "), "{said}");
    assert!(said.ends_with(", merged from 2 files\n"), "{said}");
    let warnings = String::from_utf8(output.stderr).unwrap();
    let warnings: Vec<_> = warnings.lines().collect();
    assert_eq!(warnings.len(), 2, "{warnings:?}");
    assert!(warnings[0].contains("cut.folded.gz: not merged: "), "{warnings:?}");
    assert!(
        warnings[1].contains("readme.txt: not merged: not a supported profile"),
        "{warnings:?}"
    );
    let merged = "main 1\nmain;hash 2\nmain;parse 7\n";
    assert_eq!(rows(&project.file("runs.folded")), merged);

    // A source may be a folder; the path is relative to the project.
    project.write("sources.toml", "[sources.monday]\nkind = \"folder\"\npath = \"runs\"\n");
    assert_eq!(project.fetch(&[]).success(), "monday\tfolder\truns\n");
    assert!(project.command(&["monday"]).output().unwrap().status.success());
    assert_eq!(rows(&project.file("monday.folded")), merged);
}

#[test]
fn folders_that_cannot_be_merged_leave_the_old_profile() {
    let project = Project::new();
    let folder = project.path().join("runs");
    let fetch = || project.fetch(&[folder.to_str().unwrap()]).failure(1);
    fs::create_dir(&folder).unwrap();
    project.write("runs.folded", "old 1\n");
    assert!(fetch().ends_with("runs: has no files"));
    fs::write(folder.join("note"), "Monday\n").unwrap();
    assert!(fetch().contains("none of its files can be merged (1); the first is "));
    fs::write(folder.join("a.folded"), "main;parse 3\n").unwrap();
    fs::write(folder.join("b.pb"), pprof(1)).unwrap();
    let message = fetch();
    let expected = "b.pb: is a pprof profile, unlike the files before it, which have folded \
                    stacks; nothing was written";
    assert!(message.ends_with(expected), "{message}");
    let message = project.fetch(&[project.file("").to_str().unwrap()]).failure(1);
    assert!(message.contains("the merged profile would be one of its files"), "{message}");
    assert_eq!(project.files(), ["runs.folded"]);
    assert_eq!(fs::read(project.file("runs.folded")).unwrap(), b"old 1\n");
}

/// 2.4 GB of stacks, in files of 8 MB, with 1.5 GB of address space.
#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_the_number_of_files() {
    let project = Project::new();
    let folder = project.path().join("runs");
    fs::create_dir(&folder).unwrap();
    let mut text = String::new();
    for i in 0..1000 {
        let stack: Vec<_> = (0..600).map(|depth| format!("frame_{}_{depth}", i % 8)).collect();
        writeln!(text, "{} 1", stack.join(";")).unwrap();
    }
    assert!(text.len() > 7_000_000);
    let packed = gzip(text.as_bytes());
    for n in 0..300 {
        fs::write(folder.join(format!("{n}.folded.gz")), &packed).unwrap();
    }
    let fetch = project.command(&[folder.to_str().unwrap()]);
    let mut limited = Command::new("sh");
    limited.args(["-c", "ulimit -v 1500000; exec \"$0\" \"$@\""]);
    limited.arg(fetch.get_program()).args(fetch.get_args());
    let said = Outcome::of(&mut limited).success();
    assert!(said.ends_with(", merged from 300 files\n"), "{said}");
    let merged = rows(&project.file("runs.folded"));
    let values: Vec<_> = merged.lines().map(|line| line.rsplit(' ').next().unwrap()).collect();
    assert_eq!(values, ["37500"; 8]);
}
