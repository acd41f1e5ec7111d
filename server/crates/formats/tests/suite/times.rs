//! The times of samples: as files state them, and when they are written and read again.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use crate::common::{bytes, read, stacks};
use formats::write::firefox;
use profile::{
    Metric, Profile, ProfileBuilder, Samples, StackAccess, StackId, Thread, Weights, text_samples,
};
use serde_json::{Value, json};

/// The time of each sample of each thread, in nanoseconds since the first one. Empty without times.
fn times(profile: &Profile) -> Vec<Vec<Option<u64>>> {
    let Some(clock) = profile.clock() else { return Vec::new() };
    let of_thread = profile
        .samples()
        .iter()
        .map(|samples| samples.times_ns(clock).map(Iterator::collect).unwrap_or_default());
    of_thread.collect()
}

/// The samples in a half-open range of time, as `root>leaf weight`. Weights are multiplied by `factor`
/// and rounded.
fn within(profile: &Profile, start: u64, end: u64, factor: f64) -> Vec<String> {
    let clock = profile.clock().unwrap();
    let metric = profile.default_metric().index();
    let mut rows: Vec<String> = Vec::new();
    for samples in profile.samples() {
        let part = samples.within(start, end, clock);
        for row in 0..part.len() {
            let (mut names, mut next) = (Vec::new(), part.stack(row));
            while let Some(stack) = next {
                let frame = profile.frames().get(profile.stacks().frame(stack));
                names.push(profile.symbols().func_name(frame.func));
                next = profile.stacks().prefix(stack);
            }
            names.reverse();
            let weight = (part.weights()[metric].get(row) * factor).round();
            rows.push(format!("{} {weight}", names.join(">")));
        }
    }
    rows
}

#[test]
fn written_firefox_profiles_have_the_recorded_times_in_order() {
    let text = "main  main  main   main\na     b";
    // The third time is unknown: its sample stays behind the second.
    let profile = text_samples::taken_at(text, &[5002.5, 5000.0, f64::NAN, 5000.5]);
    let written = firefox::write(&profile);
    let length = "that the length of samples is unknown (the Firefox Profiler shows milliseconds)";
    assert_eq!(written.lost, [length, "that some times are unknown"]);
    let json: Value = serde_json::from_slice(&written.bytes).unwrap();
    assert_eq!(
        json["threads"][0]["samples"],
        json!({ "length": 4, "stack": [2, 0, 0, 1], "time": [0, 0, 0.5, 2.5], "weight": null, "weightType": "samples" })
    );
    let again = stacks(&read(written.bytes).unwrap()).clone();
    assert_eq!(times(&again), [[0, 0, 500_000, 2_500_000].map(Some)]);
    assert_eq!(within(&again, 1, 2_500_001, 1.0), ["main 1", "main>a 1"]);
}

#[test]
fn written_weights_are_in_the_order_of_times() {
    let mut builder = ProfileBuilder::new(vec![Metric::new("ms", "ms", None)], 0);
    let none = [None::<StackId>; 3];
    let samples = Samples::new(none, vec![Weights::Each(vec![1.5, 2.0, 0.5])]);
    let samples = samples.with_times(vec![30.0, 10.0, 30.0]);
    builder.push_thread(Thread::default(), samples).unwrap();
    let json: Value = serde_json::from_slice(&firefox::write(&builder.build()).bytes).unwrap();
    let samples = &json["threads"][0]["samples"];
    assert_eq!(
        (&samples["time"], &samples["weight"]),
        (&json!([0, 20, 20]), &json!([2, 1.5, 0.5]))
    );
}

#[test]
fn real_profiles_have_the_same_times_when_written_and_read_again() {
    // Nanoseconds are written as milliseconds.
    for (path, lost, factor) in [
        ("firefox/rust-wordstat-v49/profile.json.gz", vec!["the other metrics"], 1.0),
        ("firefox/web-sudoku/profile.json.gz", vec![], 1.0),
        ("perf/c-gallery/perf.txt.gz", vec!["the other metrics"], 1e6),
    ] {
        let original = read(bytes(path)).unwrap();
        let original = stacks(&original);
        let written = firefox::write(original);
        assert_eq!(written.lost, lost, "{path}");
        let again = stacks(&read(written.bytes).unwrap()).clone();
        let mut expected = times(original);
        for times in &mut expected {
            times.sort_unstable();
        }
        assert_eq!(times(&again), expected, "{path}");
        let last = expected.iter().flatten().flatten().max().unwrap();
        for (start, end) in [(0, last / 3), (last / 3, *last), (last / 2, u64::MAX)] {
            let part = |profile, factor| {
                let mut rows = within(profile, start, end, factor);
                rows.sort();
                rows
            };
            assert!(!part(original, 1.0).is_empty());
            assert_eq!(part(original, 1.0), part(&again, factor), "{path}, {start}..{end}");
        }
    }
}

/// The text of a profile without the mark that its interval, and what follows from it, mean nothing.
fn as_by_others(written: Vec<u8>) -> String {
    let text = String::from_utf8(written).unwrap();
    let unmarked = text.replace(r#""costlineIntervalIsUnknown":true,"#, "");
    assert_ne!(unmarked, text);
    unmarked
}

#[test]
fn numbers_of_bytes_are_no_times() {
    let profile = text_samples::profile("main main");
    let text = as_by_others(firefox::write(&profile).bytes);
    assert_eq!(times(stacks(&read(text.clone().into_bytes()).unwrap())).len(), 1);
    let bytes = text.replace(r#""time":"ms""#, r#""time":"bytes""#);
    assert_ne!(bytes, text);
    let read = read(bytes.into_bytes()).unwrap();
    assert_eq!((times(stacks(&read)), read.span_seconds), (vec![], None));
}

/// Each row as `leaf:line weight @ns`, in the default metric, without those of weight 0.
fn rows(profile: &Profile) -> String {
    let metric = profile.default_metric().index();
    let mut rows = Vec::new();
    for (samples, times) in profile.samples().iter().zip(times(profile)) {
        for (row, time) in times.iter().enumerate() {
            let weight = samples.weights()[metric].get(row);
            let frame = samples.stack(row).map(|stack| profile.stacks().frame(stack));
            let frame = frame.map(|frame| profile.frames().get(frame));
            let name = frame.map_or("", |frame| profile.symbols().func_name(frame.func));
            let line = frame.map_or(0, |frame| frame.line);
            let time = time.map_or("?".to_owned(), |ns| ns.to_string());
            if weight != 0.0 {
                rows.push(format!("{name}:{line} {weight} @{time}"));
            }
        }
    }
    rows.join(", ")
}

fn parsed(text: &str) -> Profile {
    stacks(&read(text.as_bytes().to_vec()).unwrap()).clone()
}

#[test]
fn v8_samples_have_times_and_hits_have_none() {
    let node = |id: u32, name: &str, rest: &str| {
        format!(
            r#"{{"id":{id},"callFrame":{{"functionName":"{name}","scriptId":"1","url":"a.js","lineNumber":1,"columnNumber":0}},{rest}}}"#
        )
    };
    let nodes = [
        node(1, "main", r#""hitCount":0,"children":[2,3]"#),
        node(2, "f", r#""hitCount":3,"positionTicks":[{"line":5,"ticks":2},{"line":7,"ticks":1}]"#),
        node(3, "g", r#""hitCount":1"#),
    ];
    // In microseconds: samples at 2000, 3000, 4000 and 6000, the last until 7000.
    let profile = parsed(&format!(
        r#"{{"nodes":[{}],"startTime":1000,"endTime":7000,"samples":[2,2,3,2],"timeDeltas":[1000,1000,1000,2000]}}"#,
        nodes.join(",")
    ));
    assert_eq!(
        rows(&profile),
        "f:5 1000 @0, f:7 1000 @1000000, g:0 2000 @2000000, f:5 1000 @4000000"
    );
    assert_eq!(within(&profile, 1_000_000, 4_000_000, 1.0), ["main>f 1000", "main>g 2000"]);
    // Which samples are hits is unknown.
    let hits = &profile.samples()[0].weights()[0];
    assert_eq!((0..3).map(|row| hits.get(row)).collect::<Vec<_>>(), [2.0, 1.0, 1.0]);
    assert_eq!(times(&profile)[0][..3], [None; 3]);
    let written = firefox::write(&profile);
    assert_eq!(written.lost, ["the other metrics", "that line totals are unknown"]);
    let again = rows(stacks(&read(written.bytes).unwrap()));
    assert_eq!(again, "f:5 1 @0, f:7 1 @1000000, g:0 2 @2000000, f:5 1 @4000000");
}

#[test]
fn stackprof_has_a_time_per_sample_of_a_run_of_equal_stacks() {
    let frame = |name: &str| format!(r#"{{"name":"{name}","file":"/a.rb","line":1,"samples":2}}"#);
    let head = format!(
        r#"{{"mode":"wall","interval":1000,"samples":4,"missed_samples":0,"frames":{{"7":{},"8":{}}},"#,
        frame("f"),
        frame("g")
    );
    // f:2 twice, g:3 once, f:2 once.
    let raw = r#""raw":[1,7,2,1,8,1,1,7,1],"raw_lines":[1,2,2,1,3,1,1,2,1]"#;
    let with = |times: &str| parsed(&format!("{head}{raw},{times}}}"));
    let expected = "f:2 1 @0, f:2 1 @1500000, g:3 1 @2000000, f:2 1 @4000000";
    let profile = with(r#""raw_sample_timestamps":[9000000,9001500,9002000,9004000]"#);
    assert_eq!(rows(&profile), expected);
    assert_eq!(within(&profile, 1_500_000, 4_000_000, 1.0), ["f 1", "g 1"]);
    assert_eq!(rows(&with(r#""raw_timestamp_deltas":[77,1500,500,2000]"#)), expected);
    // The fourth time is missing, so it is unknown which samples the others are of.
    assert!(times(&with(r#""raw_sample_timestamps":[9000000,9001500,9002000]"#)).is_empty());
}

#[test]
fn firefox_times_are_absolute_or_the_sums_of_deltas() {
    let written = firefox::write(&text_samples::profile("main@1  main@2  main@3")).bytes;
    let text = as_by_others(written);
    let with = |times: &str| {
        let changed = text.replace(r#""timeDeltas":[0,1,1]"#, times);
        assert_ne!(changed, text);
        rows(&parsed(&changed))
    };
    assert_eq!(
        with(r#""timeDeltas":[40.5,2,0.25]"#),
        "main:1 1 @0, main:2 1 @2000000, main:3 1 @2250000"
    );
    // In any order.
    assert_eq!(
        with(r#""time":[42.5,40.5,42.75]"#),
        "main:1 1 @2000000, main:2 1 @0, main:3 1 @2250000"
    );
}

#[test]
fn perf_script_has_times_in_seconds() {
    let text = "app 7 100.000100: 3 cycles:\n\t3 f (app)\n\n\
                app 7/8 100.000000: 4 cycles:\n\t3 g (app)\n\n\
                app 7 101.500000: 5 cycles:\n\t3 f (app)\n\n";
    let expected = "f:0 3 @100000, f:0 5 @1500000000, g:0 4 @0";
    assert_eq!(rows(&parsed(text)), expected);
}

#[test]
fn sampled_speedscope_has_times_if_weights_are_times() {
    let of_unit = |unit: &str| {
        let text = format!(
            r#"{{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{{"frames":[{{"name":"f"}},{{"name":"g"}}]}},"profiles":[{{"type":"sampled","unit":"{unit}","startValue":10,"endValue":17,"samples":[[0],[0,1],[1]],"weights":[2,4,1]}}]}}"#
        );
        parsed(&text)
    };
    // Each sample lasts until the next.
    assert_eq!(rows(&of_unit("milliseconds")), "f:0 2 @0, g:0 4 @2000000, g:0 1 @6000000");
    assert_eq!(within(&of_unit("microseconds"), 2000, 6000, 1.0), ["f>g 4"]);
    assert!(times(&of_unit("bytes")).is_empty());
}

#[test]
fn rbspy_has_times_since_the_epoch() {
    let sample = |name: &str, secs: u64, nanos: u64| {
        format!(
            r#"{{"trace":[{{"name":"{name}","relative_path":"a.rb","absolute_path":null,"lineno":4}}],"pid":3,"thread_id":1,"time":{{"secs_since_epoch":{secs},"nanos_since_epoch":{nanos}}},"on_cpu":true}}"#
        )
    };
    let samples = [
        sample("f", 1_700_000_000, 250_000_000),
        sample("g", 1_700_000_000, 750_000_000),
        sample("f", 1_700_000_002, 0),
    ];
    let text = format!("rbspy02\n{{\"sample_rate\":100}}\n{}\n", samples.join("\n"));
    assert_eq!(rows(&parsed(&text)), "f:4 1 @0, g:4 1 @500000000, f:4 1 @1750000000");
}

#[test]
fn trace_samples_have_times_in_microseconds() {
    let text = r#"{"traceEvents":[
        {"name":"thread_name","ph":"M","pid":5,"ts":"900","tid":"70","args":{"name":"js"}}],
        "samples":[
        {"cpu":"-1","name":"","ts":"1000","pid":5,"tid":"70","weight":"1","sf":2},
        {"cpu":"-1","name":"","ts":"2500","pid":5,"tid":"70","weight":"2","sf":1}],
        "stackFrames":{
        "1":{"name":"f","category":"JavaScript"},
        "2":{"name":"g","category":"JavaScript","parent":1}}}"#;
    assert_eq!(rows(&parsed(text)), "g:0 1 @0, f:0 2 @1500000");
}

/// `main` from 1 to 9 ms, with `f` from 3 to 5 ms.
const CALLS: &str = r#"{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"main"},{"name":"f"}]},"profiles":[{"type":"evented","unit":"milliseconds","startValue":0,"endValue":9,"events":[{"type":"O","frame":0,"at":1},{"type":"O","frame":1,"at":3},{"type":"C","frame":1,"at":5},{"type":"C","frame":0,"at":9}]}]}"#;

#[test]
fn recorded_calls_begin_and_have_stretches_of_self_time() {
    let profile = parsed(CALLS);
    let clock = profile.clock().unwrap();
    let samples = &profile.samples()[0];
    let begins: Vec<_> = samples.times_ns(clock).unwrap().collect();
    // Time before the first call is a row without a stack.
    assert_eq!(begins, [Some(0), Some(2_000_000), None]);
    let stretches: Vec<_> = samples.stretches_ns(clock).unwrap().collect();
    let ms = 1_000_000;
    assert_eq!(stretches, [(0, 0, 2 * ms), (1, 2 * ms, 4 * ms), (0, 4 * ms, 8 * ms)]);
    assert_eq!(samples.last_ns(clock), Some(8 * ms));
}

#[test]
fn a_range_cuts_the_self_time_of_calls() {
    let profile = parsed(CALLS);
    let clock = profile.clock().unwrap();
    let within = |start_ms: u64, end_ms: u64| {
        let part = profile.samples()[0].within(start_ms * 1_000_000, end_ms * 1_000_000, clock);
        let own: Vec<f64> = (0..part.len()).map(|row| part.weights()[0].get(row)).collect();
        let stretches = part
            .stretches_ns(clock)
            .unwrap()
            .map(|(row, start, end)| format!("{row} {}..{}", start as f64 / 1e6, end as f64 / 1e6));
        (own, part.calls().unwrap().to_vec(), stretches.collect::<Vec<_>>().join(", "))
    };
    assert_eq!(within(0, 8), (vec![6.0, 2.0], vec![1, 1], "0 0..2, 1 2..4, 0 4..8".to_owned()));
    // `main` began before, `f` in the range.
    assert_eq!(within(1, 3), (vec![1.0, 1.0], vec![0, 1], "0 1..2, 1 2..3".to_owned()));
    assert_eq!(within(4, 6), (vec![2.0], vec![0], "0 4..6".to_owned()));
    assert_eq!(within(8, 9), (vec![], vec![], String::new()));
}
