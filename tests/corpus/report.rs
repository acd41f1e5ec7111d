//! Runs and validates `costline report --json`.

use serde_json::Value;
use std::collections::HashSet;
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
    command
        .env("COSTLINE_CACHE_DIR", "")
        .arg("report")
        .arg(profile)
        .arg("--json")
        .args(arguments)
        .output()
        .unwrap()
}

/// The report on a readable profile, after checking its schema and its sums.
pub fn report(profile: &Path, arguments: &[&str]) -> Value {
    let output = run(profile, arguments);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {stderr}", profile.display());
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let problems: Vec<_> = SCHEMA
        .iter_errors(&report)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert_eq!(problems, [""; 0], "{}", profile.display());
    check_sums(&report);
    report
}

/// Invariants of all reports.
pub fn check_sums(report: &Value) {
    let rows = |key: &str| report[key].as_array().unwrap().iter();
    // line_profiler has no self costs.
    let number = |value: &Value| value.as_f64().unwrap_or(0.0);
    let sum = |key: &str, of: &str| rows(key).map(|row| number(&row[of])).sum::<f64>();
    let total = number(&report["total"]);
    // Sums of whole weights are exact. Those of call graphs with fractional costs are rounded, and so are
    // decimals in JSON.
    let is_graph = report["samples"].is_null();
    let tolerance = if is_graph { 1e-9 } else { 1e-12 };
    let has_decimals = rows("functions").any(|row| number(&row["self"]).fract() != 0.0);
    let is_same = |sum: f64, stated: f64| {
        let is_exact = !is_graph && !has_decimals;
        sum == stated || (!is_exact && (sum - stated).abs() <= tolerance * total.abs())
    };
    let is_total = |sum: f64| is_same(sum, total);
    assert!(
        rows("threads").len() == 0 || is_total(sum("threads", "total")),
        "the threads add up to {}, not {total}",
        sum("threads", "total")
    );
    let own = sum("functions", "self");
    assert!(is_total(own), "the functions' self costs add up to {own}, not {total}");
    let on_lines = sum("lines", "self") + number(&report["noLine"]);
    assert!(
        is_total(on_lines),
        "the lines' self costs and `noLine` add up to {on_lines}, not {total}"
    );
    assert!(is_same(sum("functions", "idle"), number(&report["idle"])), "idle functions");
    let identity =
        |row: &&Value| ["name", "file", "lib", "line", "column"].map(|key| row[key].to_string());
    let identities: HashSet<_> =
        report["functions"].as_array().unwrap().iter().map(|row| identity(&row)).collect();
    assert_eq!(identities.len(), rows("functions").len(), "two functions have one identity");
    if rows("functions").chain(rows("lines")).all(|row| number(&row["self"]) >= 0.0) {
        let slack = if is_graph { 1.0 + 1e-12 } else { 1.0 };
        for row in rows("functions").chain(rows("lines")).chain(rows("edges")) {
            let Some(row_total) = row["total"].as_f64() else { continue };
            assert!(
                report["total"].is_null() || row_total <= total * slack,
                "no total exceeds the profile's {total}: {row}"
            );
            assert!(
                row["self"].as_f64().is_none_or(|own| own <= row_total * slack),
                "no self exceeds its total: {row}"
            );
        }
    }
    check_definitions(report);
    let n = report["functions"].as_array().unwrap().len() as u64;
    for edge in rows("edges") {
        assert!(edge["caller"].as_u64().unwrap() < n && edge["callee"].as_u64().unwrap() < n);
    }
}

/// Each definition costs what its functions cost together: those on one stack count once.
fn check_definitions(report: &Value) {
    let functions = report["functions"].as_array().unwrap();
    let number = |value: &Value| value.as_f64().unwrap_or(0.0);
    let mut listed = HashSet::new();
    for row in report["definitions"].as_array().unwrap() {
        let indexes: Vec<_> = row["functions"].as_array().unwrap().iter().map(index).collect();
        assert!(!indexes.is_empty(), "a definition without functions: {row}");
        assert!(indexes.is_sorted(), "hottest first: {row}");
        assert!(indexes.iter().all(|i| listed.insert(*i)), "a function of two definitions: {row}");
        let parts: Vec<_> = indexes.iter().map(|i| &functions[*i]).collect();
        let own: f64 = parts.iter().map(|part| number(&part["self"])).sum();
        assert!((own - number(&row["self"])).abs() <= 1e-9 * own.abs(), "{own}: {row}");
        if parts.len() == 1 {
            assert_eq!(parts[0]["total"], row["total"], "{row}");
        }
        let totals: Option<Vec<f64>> = parts.iter().map(|part| part["total"].as_f64()).collect();
        if let (Some(totals), Some(total)) = (totals, row["total"].as_f64())
            && totals.iter().all(|total| *total >= 0.0)
        {
            let (most, sum) = totals
                .iter()
                .fold((0.0, 0.0), |(most, sum): (f64, f64), total| (most.max(*total), sum + total));
            assert!(most <= total && total <= sum, "{totals:?}: {row}");
        }
    }
}

fn index(value: &Value) -> usize {
    usize::try_from(value.as_u64().unwrap()).unwrap()
}
