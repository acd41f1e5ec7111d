//! Ranges of time: the numbers were computed from the files by other programs.

use super::on;
use serde_json::{Value, json};

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

/// Summed with a script that cuts each event of the file at the edges of the range.
#[test]
fn a_range_of_recorded_calls_has_their_self_time_in_it() {
    let rounded = |weight: Value| (weight.as_f64().unwrap() * 1e3).round() / 1e3;
    let within = |profile, range, name| {
        let (total, own) = within(profile, range, name);
        (rounded(total), rounded(own))
    };
    let viztracer = "chrome-trace/py-shapes-viztracer/viztracer.json.gz";
    assert_eq!(within(viztracer, "0.5..1.5", "spin"), (1719.548, 836.426));
    let tracing = "chrome-trace/rust-huffman-tracing/trace.json";
    assert_eq!(within(tracing, "5..20", "encode"), (30_000.0, 13_146.246));
}

#[test]
fn hits_of_v8_have_no_times() {
    let profile = "v8/node-mdrender/main.cpuprofile";
    let error = on("report", profile, ["--metric", "hits", "--range", "100..200"]);
    assert!(
        error.stderr.contains(
            "no time range can be chosen: this profile does not record the times of `hits`"
        ),
        "{error:?}"
    );
}

/// On Linux, the id of a process is that of its main thread, which has 10 samples of 2,004,008 ns.
#[test]
fn a_thread_is_chosen_by_its_id_or_by_the_label_of_its_row() {
    let profile = "perf-data/c-threads-events/perf.data";
    let total = |thread: &str| {
        let ran = on("report", profile, ["--json", "--no-symbols", "--thread", thread]);
        let report: Value = serde_json::from_str(&ran.stdout).unwrap();
        let threads: Vec<_> = report["threads"].as_array().unwrap().iter().collect();
        (report["total"].clone(), threads.len(), ran.stderr.contains("`pid:27188`"))
    };
    let rows = on("report", profile, ["--by", "thread", "--no-symbols"]);
    assert!(rows.stdout.contains("threads · thread 27188\n"), "{}", rows.stdout);
    assert_eq!(total("27188"), (20_040_080.into(), 1, true));
    assert_eq!(total("tid:27188"), (20_040_080.into(), 1, false));
    assert_eq!(total("threads · thread 27188"), (20_040_080.into(), 1, false));
    let all = total("pid:27188");
    assert_eq!((all.1, all.2), (2, false));
    let message = on("tree", profile, ["--occurrences", "--no-symbols"]).failure(2);
    assert!(message.contains("choose one with --thread: `threads · thread 27188`, `"), "{message}");
}

/// What a program does one after another, with the calls of each time below it.
#[test]
fn a_tree_of_occurrences_is_in_order_of_time() {
    let folder = tempfile::tempdir().unwrap();
    let frame = |name: &str, line: u32| json!({ "name": name, "file": "app.py", "line": line });
    let profile = json!({
        "$schema": "https://www.speedscope.app/file-format-schema.json",
        "shared": { "frames": [frame("main", 2), frame("load", 6), frame("work", 9), frame("parse", 12)] },
        "profiles": [{
            "type": "sampled", "name": "cpu", "unit": "milliseconds", "startValue": 0, "endValue": 100,
            "samples": [[0, 1], [0, 1, 3], [0, 2], [0, 1]], "weights": [10, 30, 40, 20],
        }],
    });
    let path = folder.path().join("cpu.speedscope.json");
    std::fs::write(&path, profile.to_string()).unwrap();
    let path = path.to_str().unwrap();
    let text = super::run(["tree", path, "--occurrences", "--unit", "absolute"]).success();
    let rows: Vec<String> = text
        .lines()
        .skip(2)
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    assert_eq!(
        rows,
        [
            "40.0 ms 10.0 ms load app.py 0..40 ms",
            "30.0 ms 30.0 ms parse app.py",
            "40.0 ms 40.0 ms work app.py 40..80 ms",
            "20.0 ms 20.0 ms load app.py 80.. ms",
        ]
    );
    let json = super::run(["tree", path, "--occurrences", "--json"]).success();
    let json: Value = serde_json::from_str(&json).unwrap();
    let nodes = json["nodes"].as_array().unwrap();
    let parts: Vec<Value> =
        nodes.iter().map(|node| json!([node["name"], node["parent"], node["total"]])).collect();
    assert_eq!(
        json!(parts),
        json!([["load", null, 40], ["parse", 0, 30], ["work", null, 40], ["load", null, 20]])
    );
    // Recorded calls end, and are cut to the range.
    let event = |kind: char, frame: u32, at: u32| json!({ "type": kind.to_string(), "frame": frame, "at": at });
    let calls = [(2, 10, 20), (2, 40, 60), (1, 70, 80)];
    let calls = calls
        .into_iter()
        .flat_map(|(frame, from, to)| [event('O', frame, from), event('C', frame, to)]);
    let events: Vec<Value> =
        [event('O', 0, 0)].into_iter().chain(calls).chain([event('C', 0, 100)]).collect();
    let mut recorded = profile.clone();
    recorded["profiles"][0] = json!({
        "type": "evented", "name": "cpu", "unit": "milliseconds", "startValue": 0, "endValue": 100, "events": events,
    });
    let path = folder.path().join("calls.speedscope.json");
    std::fs::write(&path, recorded.to_string()).unwrap();
    let path = path.to_str().unwrap();
    let rows = |range: &str| -> Vec<String> {
        let arguments = ["tree", path, "--occurrences", "--unit", "absolute", "--range", range];
        let text = super::run(arguments).success();
        let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        text.lines().skip(2).map(words).collect()
    };
    let (first, load) =
        ("10.0 ms 10.0 ms work app.py 10..20 ms", "10.0 ms 10.0 ms load app.py 70..80 ms");
    assert_eq!(rows("0..100"), [first, "20.0 ms 20.0 ms work app.py 40..60 ms", load]);
    let parts = ["15.0 ms 15.0 ms work app.py 45..60 ms", "5.00 ms 5.00 ms load app.py 70..75 ms"];
    assert_eq!(rows("45..75"), parts);
    assert_eq!(rows("45..50"), ["5.00 ms 5.00 ms work app.py 45..50 ms"]);
    // Without times, and with several threads.
    std::fs::write(folder.path().join("a.folded"), "main;f 1\n").unwrap();
    let folded = folder.path().join("a.folded");
    let message = super::run(["tree", folded.to_str().unwrap(), "--occurrences"]).failure(2);
    assert!(message.contains("no occurrences can be shown: the times of the samples"), "{message}");
}
