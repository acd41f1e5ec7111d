//! `costline check --json`: the same facts as the text.

use crate::{Outcome, RUST, V8, costline, fixture, on};
use serde_json::{Value, json};

#[test]
fn json_has_the_facts_of_the_text() {
    // Its functions and files are known from debug info only.
    let addresses =
        cfg!(feature = "symbols").then_some("perf-data/cpp-raytrace-fp/fp.perf.data.gz");
    for profile in [RUST, V8].into_iter().chain(addresses) {
        let text = on("check", profile, []).stdout;
        let check: Value = serde_json::from_str(&on("check", profile, ["--json"]).stdout).unwrap();
        let has = |row: String| assert!(text.contains(&row), "{row:?} is not in\n{text}");
        assert_eq!(check["profile"], json!(fixture(profile)));
        has(format!("format    {}", check["format"].as_str().unwrap()));
        has(format!("threads   {}", check["allThreads"]));
        has(format!("functions {}", check["functions"]));
        has(format!("lines     {} with costs", check["lines"]));
        let files = check["files"].as_array().unwrap();
        let found = files.iter().filter(|file| !file["path"].is_null()).count();
        has(format!("files     {found} of {} found", files.len()));
        if let Some(libraries) = check["libraries"].as_array().filter(|it| !it.is_empty()) {
            let sum = |key: &str| libraries.iter().filter_map(|it| it[key].as_u64()).sum::<u64>();
            let (n, resolved, all) = (libraries.len(), sum("resolved"), sum("addresses"));
            has(format!("libraries {n}, with {resolved} of {all} addresses resolved"));
        }
        for warning in check["warnings"].as_array().unwrap() {
            has(warning["message"].as_str().unwrap().to_owned());
        }
    }
}

#[test]
fn no_cost_on_lines_is_no_negative_share() {
    let folder = tempfile::tempdir().unwrap();
    let profile = folder.path().join("names.folded");
    std::fs::write(&profile, "main;parse 3\n").unwrap();
    let outcome = Outcome::of(costline().arg("check").arg(profile));
    assert!(
        outcome.stdout.contains("0 with costs, covering 0.0% of the self cost"),
        "{}",
        outcome.stdout
    );
}

#[test]
fn json_follows_its_schema() {
    let schema = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/check.schema.json");
    let schema: Value = serde_json::from_slice(&std::fs::read(schema).unwrap()).unwrap();
    let schema = jsonschema::validator_for(&schema).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let few = folder.path().join("few.folded");
    std::fs::write(&few, "main;parse 3\n").unwrap();
    let few = Outcome::of(costline().args(["check", "--json"]).arg(few)).stdout;
    assert!(few.contains("few-samples"), "{few}");
    for check in [on("check", RUST, ["--json"]).stdout, few] {
        let check: Value = serde_json::from_str(&check).unwrap();
        let errors: Vec<_> = schema.iter_errors(&check).map(|error| error.to_string()).collect();
        assert_eq!(errors, Vec::<String>::new());
    }
}

/// callgrind writes the sum of all costs last.
#[test]
fn a_cut_file_and_a_whole_one_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    for (sum, truncated, complete) in [
        ("totals: 30\n", json!(false), "yes"),
        ("summary: 40\n", json!(true), "no"),
        ("", Value::Null, "unknown: nothing in the file marks its end"),
    ] {
        let profile = folder.path().join("callgrind.out.7");
        std::fs::write(&profile, format!("events: Ir\nfn=main\n1 10\n2 20\n{sum}")).unwrap();
        let print = |arguments: &[&str]| {
            Outcome::of(costline().args(arguments).arg(&profile).arg("--root").arg(folder.path()))
                .stdout
        };
        for command in ["report", "check"] {
            let answer: Value = serde_json::from_str(&print(&[command, "--json"])).unwrap();
            assert_eq!(answer["truncated"], truncated, "{command}: {sum}");
        }
        let text = print(&["check"]);
        assert!(text.contains(&format!("\ncomplete  {complete}\n")), "{text}");
    }
}

#[test]
fn few_samples_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let profile = folder.path().join("few.folded");
    std::fs::write(&profile, "main;parse 3\n").unwrap();
    let text = Outcome::of(costline().arg("check").arg(profile)).stdout;
    assert!(
        text.contains("\nsamples   few.folded has only 3 samples: record for longer\n"),
        "{text}"
    );
}

/// The cost of `work` is at `main`, its caller.
#[test]
fn a_cut_profile_says_how_much_is_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    let profile = folder.path().join("cut.folded");
    let cut = r#"{"kind":"folder","profiles":1,"cut":{"how":"calls from 20 % on","weight":16.0}}"#;
    std::fs::write(&profile, format!("# costline: {cut}\nmain 16\nmain;rest 84\n")).unwrap();
    let text = Outcome::of(costline().arg("check").arg(profile)).stdout;
    assert!(
        text.contains("\ncut       16.0% of the cost was moved to other functions\n"),
        "{text}"
    );
}
