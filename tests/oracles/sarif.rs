//! Checks what `costline diff --format sarif` writes with Microsoft's validator, which knows the
//! schema of SARIF and the rules of the specification.

use crate::{REPOSITORY, installed, output};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

fn validator() -> Command {
    let oracles = std::env::var_os("COSTLINE_ORACLES")
        .map_or_else(|| Path::new(REPOSITORY).join("target/oracles"), PathBuf::from);
    let tool = oracles.join("sarif/node_modules/@microsoft/sarif-multitool/bin.js");
    let mut command = Command::new("node");
    // Without it, the tool needs system libraries for the texts of other languages.
    command.env("DOTNET_SYSTEM_GLOBALIZATION_INVARIANT", "1").arg(tool);
    command
}

/// The level and the name of the rule of each thing that the validator finds.
fn found(log: &Path) -> Vec<(String, String)> {
    let report = log.with_extension("report.sarif");
    let mut command = validator();
    output(
        command.arg("validate").arg(log).args(["--log", "ForceOverwrite", "--output"]).arg(&report),
    )
    .unwrap();
    let report: Value = serde_json::from_slice(&std::fs::read(report).unwrap()).unwrap();
    let results = report["runs"][0]["results"].as_array().unwrap().iter();
    let name = |value: &Value| value.as_str().unwrap_or("warning").to_owned();
    results.map(|result| (name(&result["level"]), name(&result["ruleId"]))).collect()
}

#[test]
fn sarif_is_valid() {
    if !installed(validator().arg("version")) {
        return;
    }
    let folder = TempDir::new().unwrap();
    let log = folder.path().join("costs.sarif");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("app.py", "def parse():\n    pass\n\ndef render():\n    pass\n");
    write("before.txt", "parse (app.py:2) 500\nrender (app.py:5) 500\n");
    write("after.txt", "parse (app.py:2) 900\nrender (app.py:5) 500\n");
    let mut diff = Command::new(env!("CARGO_BIN_EXE_costline"));
    diff.env("COSTLINE_CACHE_DIR", "").env_remove("COSTLINE_LOG").current_dir(folder.path());
    let arguments = ["diff", "before.txt", "after.txt", "--root", ".", "--format", "sarif"];
    let text = output(diff.args(arguments)).unwrap();
    let results = serde_json::from_str::<Value>(&text).unwrap()["runs"][0]["results"].clone();
    assert!(!results.as_array().unwrap().is_empty(), "{text}");
    std::fs::write(&log, &text).unwrap();
    // The program has no page of its own to name.
    assert_eq!(found(&log), [("warning".to_owned(), "SARIF2005".to_owned())]);

    // The validator fails what is wrong.
    std::fs::write(&log, text.replace("startLine", "firstLine")).unwrap();
    assert!(found(&log).iter().any(|(level, _)| level == "error"));
}
