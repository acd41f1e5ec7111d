//! Builds a program and records it with the profilers that are installed and may record.

use crate::skip::skip;
use crate::{run, skip_without};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, Stdio};

/// `mix` is inlined into `burn`, which takes nearly all time; `descend` is recursive.
const PROGRAM: &str = r#"#include <stdio.h>

static inline __attribute__((always_inline)) unsigned long mix(unsigned long x)
{
    x ^= x << 13;
    x ^= x >> 7;
    return x ^ x << 17;
}

__attribute__((noinline)) static unsigned long burn(unsigned long n)
{
    unsigned long x = 88172645463325252ul;
    for (unsigned long i = 0; i < n; i++)
        x = mix(x) + i;
    return x;
}

__attribute__((noinline)) static unsigned long descend(int depth)
{
    if (depth == 0)
        return burn(200000000ul);
    return descend(depth - 1) + 1;
}

int main(void)
{
    printf("%lu\n", descend(5));
    return 0;
}
"#;

/// Self and total of the program's functions in samples. Costs of `mix` are added to `burn`.
type Costs = BTreeMap<String, (f64, f64)>;

/// Whether a command ran successfully.
fn succeeds(command: &mut Command) -> bool {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

fn build(folder: &Path) {
    std::fs::write(folder.join("burn.c"), PROGRAM).unwrap();
    let options = [
        "-O1",
        "-g",
        "-fno-omit-frame-pointer",
        "-fno-optimize-sibling-calls",
        "-o",
        "burn",
        "burn.c",
    ];
    assert!(succeeds(Command::new("cc").args(options).current_dir(folder)), "this test needs cc");
}

/// The program's costs in a report: functions, self per line, and the whole report.
fn reported(folder: &Path, profile: &str) -> (Costs, BTreeMap<u64, f64>, Value) {
    let profile = folder.join(profile);
    let ran =
        run(["report", profile.to_str().unwrap(), "--json", "--root", folder.to_str().unwrap()]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    let mut costs = Costs::new();
    for row in report["functions"].as_array().unwrap().iter().filter(|row| row["lib"] == "burn") {
        costs.insert(
            row["name"].as_str().unwrap().to_owned(),
            (row["self"].as_f64().unwrap(), row["total"].as_f64().unwrap()),
        );
    }
    let (own, total) = costs.remove("mix").expect("inlined functions have costs of their own");
    let burn = costs.get_mut("burn").unwrap();
    assert!(0.0 < own && own <= total && total <= burn.1, "mix {own} {total} in {burn:?}");
    burn.0 += own;
    let lines = report["lines"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|row| row["file"].as_str().unwrap().ends_with("/burn.c"));
    let lines =
        lines.map(|row| (row["line"].as_u64().unwrap(), row["self"].as_f64().unwrap())).collect();
    (costs, lines, report)
}

/// Checks that do not depend on the profiler.
fn check(costs: &Costs, lines: &BTreeMap<u64, f64>, total: f64) {
    let (burn, descend) = (costs["burn"], costs["descend"]);
    assert!(
        burn.1 > 0.8 * total && burn.1 <= descend.1 && descend.1 <= total,
        "{costs:?} of {total}"
    );
    assert_eq!(
        lines.range(3..=17).map(|(_, own)| own).sum::<f64>(),
        burn.0,
        "lines of burn and mix: {lines:?}"
    );
}

#[test]
fn a_perf_recording_has_the_costs_that_perf_prints() {
    let folder = tempfile::tempdir().unwrap();
    if !succeeds(Command::new("perf").arg("--version")) {
        return skip_without("perf (package linux-perf)");
    }
    build(folder.path());
    let perf = |arguments: &[&str]| {
        let mut command = Command::new("perf");
        command.args(arguments).current_dir(folder.path());
        command
    };
    let record = [
        "record",
        "-e",
        "cpu-clock",
        "-F",
        "499",
        "--call-graph",
        "fp",
        "-o",
        "perf.data",
        "--",
        "./burn",
    ];
    if !succeeds(&mut perf(&record)) {
        return skip_without(
            "perf with permission to record (/proc/sys/kernel/perf_event_paranoid)",
        );
    }

    let printed = perf(&["script", "-i", "perf.data", "--no-inline", "-F", "period,ip,sym,dso"])
        .output()
        .unwrap();
    let printed = String::from_utf8(printed.stdout).unwrap();
    let (mut expected, mut all) = (Costs::new(), 0.0);
    for sample in printed.split("\n\n").filter(|sample| !sample.trim().is_empty()) {
        let mut lines = sample.trim().lines();
        let period: f64 = lines.next().unwrap().trim().trim_end_matches(':').parse().unwrap();
        all += period;
        let mut on_stack = BTreeSet::new();
        for (depth, line) in lines.enumerate() {
            let Some(symbol) =
                line.trim().strip_suffix("/burn)").and_then(|line| line.split(' ').nth(1))
            else {
                continue;
            };
            let cost = expected.entry(symbol.to_owned()).or_default();
            cost.0 += if depth == 0 { period } else { 0.0 };
            cost.1 += if on_stack.insert(symbol) { period } else { 0.0 };
        }
    }
    let (costs, lines, report) = reported(folder.path(), "perf.data");
    assert_eq!(report["total"].as_f64(), Some(all));
    expected.retain(|name, _| ["burn", "descend", "main"].contains(&name.as_str()));
    let own: Costs =
        costs.clone().into_iter().filter(|(name, _)| expected.contains_key(name)).collect();
    assert_eq!((own, expected.len()), (expected, 3));
    check(&costs, &lines, all);
}

#[test]
fn a_samply_recording_has_names_and_lines() {
    if !succeeds(Command::new("samply").arg("--version")) {
        // Debian has no package of it.
        return skip("samply is not installed");
    }
    let folder = tempfile::tempdir().unwrap();
    build(folder.path());
    let record = ["record", "--save-only", "-o", "profile.json.gz", "--", "./burn"];
    if !succeeds(Command::new("samply").args(record).current_dir(folder.path())) {
        return skip_without(
            "samply with permission to record (/proc/sys/kernel/perf_event_paranoid)",
        );
    }
    let (costs, lines, report) = reported(folder.path(), "profile.json.gz");
    check(&costs, &lines, report["total"].as_f64().unwrap());
}
