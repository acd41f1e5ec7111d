//! Ranges of time: the numbers were computed from the files by other programs.

use super::on;
use serde_json::Value;

/// The total of a range, and the self cost of a function in it.
fn within(profile: &str, range: &str, name: &str) -> (Value, Value) {
    let text = on("report", profile, ["--json", "--no-symbols", "--range", range]).success();
    let report: Value = serde_json::from_str(&text).unwrap();
    let mut functions = report["functions"].as_array().unwrap().iter();
    let function = functions.find(|function| function["name"] == name).unwrap();
    (report["total"].clone(), function["self"].clone())
}

#[test]
fn a_range_of_a_real_profile_has_the_samples_that_start_in_it() {
    // Time in microseconds from `timeDeltas`, of all nodes but `(idle)` and `(root)`.
    let v8 = within("v8/node-mdrender/main.cpuprofile", "100..200", "inline");
    assert_eq!(v8, (99_698.into(), 20_938.into()));
    // The entries of `raw_sample_timestamps`, one per sample of `raw`.
    let ruby = within("stackprof/ruby-queens/stackprof.json", "1s..2s", "Array#<=>");
    assert_eq!(ruby, (122.into(), 77.into()));
    // The rows of `samples` of all threads that have a stack.
    let (firefox, _) = within("firefox/rust-wordstat-v49/profile.json.gz", "100..200", "clone3");
    assert_eq!(firefox, 197);
    // The periods of the event `cpu-clock`.
    let (perf, _) = within("perf/c-gallery/perf.txt.gz", "100..300", "fill");
    assert_eq!(perf, 381_909_500);
}

#[test]
fn hits_of_v8_have_no_times() {
    let profile = "v8/node-mdrender/main.cpuprofile";
    let error = on("report", profile, ["--metric", "hits", "--range", "100..200"]);
    assert!(
        error.stderr.contains(
            "no range of time can be chosen: this profile does not record the times of `hits`"
        ),
        "{error:?}"
    );
}
