//! The endpoints of a running Go program.

use super::super::skip_without;
use super::{Project, run};
use serde_json::Value;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

const PROGRAM: &str = include_str!("program.go");

/// A process that ends with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_running_go_program_is_profiled() {
    let has_go =
        Command::new("go").arg("version").output().is_ok_and(|output| output.status.success());
    if !has_go {
        return skip_without("go");
    }
    let project = Project::new();
    let folder = project.path();
    fs::write(folder.join("main.go"), PROGRAM).unwrap();
    fs::write(folder.join("go.mod"), "module burns\n\ngo 1.19\n").unwrap();
    let built = Command::new("go")
        .args(["build", "-o", "burns", "."])
        .current_dir(folder)
        .env("GOFLAGS", "-mod=mod")
        .status()
        .unwrap();
    assert!(built.success());
    let mut program =
        Running(Command::new(folder.join("burns")).stdout(Stdio::piped()).spawn().unwrap());
    let mut address = String::new();
    BufReader::new(program.0.stdout.take().unwrap()).read_line(&mut address).unwrap();
    let base = format!("http://{}/debug/pprof", address.trim());

    // The program records for longer than it may be silent otherwise.
    let url = format!("{base}/profile?seconds=2");
    project.fetch(&[&url, "--timeout", "1", "--name", "cpu"]).success();
    for kind in ["heap", "allocs", "mutex", "block", "goroutine", "threadcreate"] {
        project.fetch(&[&format!("{base}/{kind}"), "--name", kind]).success();
    }
    // A text for people, which the same handler serves.
    let text = project.fetch(&[&format!("{base}/goroutine?debug=2"), "--name", "text"]).failure(1);
    assert!(text.contains("the response cannot be read as a profile: "), "{text}");

    let report = |name: &str, metric: &str| {
        let (profile, root) = (project.file(name), folder.to_str().unwrap());
        let profile = profile.to_str().unwrap();
        let json = run(["report", "--json", profile, "--metric", metric, "--root", root]).success();
        serde_json::from_str::<Value>(&json).unwrap()
    };
    let total = |report: &Value, function: &str| {
        let rows = report["functions"].as_array().unwrap();
        let row = rows.iter().find(|row| row["name"] == function).unwrap_or(&Value::Null);
        row["total"].as_f64().unwrap_or_default() / report["total"].as_f64().unwrap()
    };
    let cpu = report("cpu.pb.gz", "cpu");
    assert!(total(&cpu, "main.burn") > 0.5, "{cpu}");
    let heap = report("heap.pb.gz", "inuse_space");
    assert!(total(&heap, "main.keep") > 0.5, "{heap}");
    let goroutines = report("goroutine.pb.gz", "goroutine");
    assert!(total(&goroutines, "main.sleep") > 0.5, "{goroutines}");
}
