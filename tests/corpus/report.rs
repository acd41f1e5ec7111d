//! `costline report --json`, run and validated.

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::LazyLock;

static SCHEMA: LazyLock<jsonschema::Validator> = LazyLock::new(|| {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/report.schema.json");
    let schema: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    jsonschema::validator_for(&schema).unwrap()
});

/// Runs `costline report PROFILE --json`.
pub fn run(profile: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_costline"));
    command.arg("report").arg(profile).arg("--json").args(arguments).output().unwrap()
}

/// The report on a profile that can be read. It keeps the contract in form and in what its numbers must satisfy.
pub fn report(profile: &Path, arguments: &[&str]) -> Value {
    let output = run(profile, arguments);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {stderr}", profile.display());
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let problems: Vec<_> = SCHEMA.iter_errors(&report).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert_eq!(problems, [""; 0], "{}", profile.display());
    check_sums(&report);
    report
}

/// What holds for every profile without negative weights.
fn check_sums(report: &Value) {
    let rows = |key: &str| report[key].as_array().unwrap().iter();
    let number = |value: &Value| value.as_f64().unwrap();
    let total = number(&report["total"]);
    if rows("functions").chain(rows("lines")).any(|row| number(&row["self"]) < 0.0) {
        return;
    }
    let idle = number(&report["idle"]);
    for row in rows("functions").chain(rows("lines")).chain(rows("edges")) {
        let Some(row_total) = row["total"].as_f64() else { continue };
        let limit = total.max(idle) * (1.0 + 1e-12);
        assert!(row_total <= limit, "no total exceeds the profile's {total}: {row}");
        assert!(row["self"].as_f64().is_none_or(|own| own <= row_total * (1.0 + 1e-12)), "no self exceeds its total: {row}");
    }
    let is_total = |sum: f64| (sum - total).abs() <= 1e-9 * total;
    // A call graph has no threads.
    if rows("threads").len() > 0 {
        assert!(is_total(rows("threads").map(|thread| number(&thread["total"])).sum()));
    }
    let on_lines: f64 = rows("lines").map(|line| number(&line["self"])).sum();
    assert!(is_total(on_lines + number(&report["noLine"])));
    let n = report["functions"].as_array().unwrap().len() as u64;
    for edge in rows("edges") {
        assert!(edge["caller"].as_u64().unwrap() < n && edge["callee"].as_u64().unwrap() < n);
    }
}
