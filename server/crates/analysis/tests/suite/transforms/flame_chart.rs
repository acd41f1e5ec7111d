//! Calls in the order of time.

use analysis::{Addresses, FlameChart, TimeRange, View, costs, flame_chart, reshape};
use profile::{FunctionId, Groups, Recording, text_samples};
use proptest::collection::vec;
use proptest::prelude::*;
use std::collections::BTreeMap;

/// The chart of a view, with calls that are shorter than a share of it in rows.
fn chart(
    recording: &Recording,
    range: Option<&str>,
    shortest: f64,
    view: impl FnOnce(View) -> View,
) -> FlameChart {
    let view = view(View::of(recording));
    let groups = Groups::identity(recording.symbols());
    let reshaped = reshape(recording, &view, &groups, &Addresses::default());
    let shown = reshaped.map_or_else(|| recording.clone(), |reshaped| reshaped.recording);
    let range = range.map(|range| range.parse::<TimeRange>().unwrap());
    flame_chart(recording, &shown, &view, &groups, range, shortest).unwrap()
}

/// The calls of each thread: `name start..end ms self/total`, indented by their depth.
fn rows(recording: &Recording, chart: &FlameChart) -> Vec<Vec<String>> {
    let symbols = recording.symbols();
    let groups = Groups::identity(symbols);
    let row = |call: &analysis::TimedCall| {
        let name = call.function.map(|function| symbols.func_name(groups.first_func(function)));
        let name = name.map_or_else(|| format!("{} short", call.row), str::to_owned);
        let ms = |ns: u64| ns as f64 / 1e6;
        let marks = [(call.below == 0, " leaf"), (call.recursive, " again")];
        let marks: String = marks.iter().filter(|(is, _)| *is).map(|(_, mark)| *mark).collect();
        let (start, end) = (ms(call.start_ns), ms(call.end_ns));
        format!(
            "{}{name} {start}..{end} {}/{}{marks}",
            ">".repeat(call.depth),
            call.self_,
            call.total
        )
    };
    chart.threads.iter().map(|thread| thread.calls.iter().map(row).collect()).collect()
}

fn all(text: &str, times: &[f64]) -> Vec<String> {
    let recording: Recording = text_samples::taken_at(text, times).into();
    rows(&recording, &chart(&recording, None, 0.0, |view| view)).remove(0)
}

#[test]
fn samples_that_follow_each_other_are_one_call_as_far_as_their_stacks_are_the_same() {
    let calls = all(
        "main  main   main   main\n\
         load  load   work   load\n\
         read  parse         read",
        &[0.0, 10.0, 20.0, 30.0],
    );
    // The last sample lasts as long as the others.
    let expected = [
        "main 0..40 0/4",
        ">load 0..20 0/2",
        ">work 20..30 1/1 leaf",
        ">load 30..40 0/1",
        ">>read 0..10 1/1 leaf",
        ">>parse 10..20 1/1 leaf",
        ">>read 30..40 1/1 leaf",
    ];
    assert_eq!(calls, expected);
}

#[test]
fn where_a_thread_did_not_run_is_a_gap() {
    // 1 ms apart, later 1.9 ms, and then 50 ms.
    let calls = all("main main main main main\na    a    a    a    a", &[0.0, 1.0, 2.9, 3.9, 53.9]);
    let expected =
        ["main 0..4.9 0/4", "main 53.9..54.9 0/1", ">a 0..4.9 4/4 leaf", ">a 53.9..54.9 1/1 leaf"];
    assert_eq!(calls, expected);
    // Idle samples are gaps, too.
    let calls = all("main  main        main\nwork  wait[idle]  work", &[0.0, 1.0, 2.0]);
    assert_eq!(calls[..2], ["main 0..1 0/1", "main 2..3 0/1"]);
}

#[test]
fn recursion_is_marked_and_samples_may_come_in_any_order() {
    let calls = all("f  f  f\ng     g\nf", &[2.0, 1.0, 0.0]);
    let expected = ["f 0..3 1/3", ">g 0..1 1/1 leaf", ">g 2..3 0/1", ">>f 2..3 1/1 leaf again"];
    assert_eq!(calls, expected);
}

/// `tick` runs for 1 ms after each 9 ms of `work`, a hundred times.
fn ticks() -> Recording {
    let column = |i: usize| if i % 10 == 9 { "tick" } else { "work" };
    let names: Vec<_> = (0..1000).map(column).collect();
    let mains = vec!["main"; 1000];
    let times: Vec<f64> = (0..1000).map(f64::from).collect();
    text_samples::taken_at(&format!("{}\n{}", mains.join(" "), names.join(" ")), &times).into()
}

#[test]
fn short_calls_are_in_rows_and_a_closer_look_lists_them() {
    let recording = ticks();
    let whole = rows(&recording, &chart(&recording, None, 0.02, |view| view)).remove(0);
    // No call but `main` takes 2% of a second. A row is at most a tenth of it.
    assert_eq!(whole[0], "main 0..1000 0/1000");
    assert_eq!(whole[1], ">20 short 0..100 100/100 leaf");
    assert_eq!(whole.len(), 11);
    // Of the calls in sight the costs and times are those of the whole calls.
    let closer = chart(&recording, Some("105..120"), 0.02, |view| view);
    let closer = rows(&recording, &closer).remove(0);
    let expected = [
        "main 0..1000 0/1000",
        ">work 100..109 9/9 leaf",
        ">tick 109..110 1/1 leaf",
        ">work 110..119 9/9 leaf",
        ">tick 119..120 1/1 leaf",
    ];
    assert_eq!(closer, expected);
}

#[test]
fn a_range_of_the_view_is_the_time_of_the_chart() {
    let recording = ticks();
    let of = |range: &str| {
        let range = range.parse().unwrap();
        chart(&recording, None, 0.0, |view| View { range: Some(range), ..view })
    };
    let part = of("5..15");
    let ms = |ns: u64| ns as f64 / 1e6;
    assert_eq!((ms(part.range.start_ns), ms(part.range.end_ns)), (5.0, 15.0));
    let expected =
        ["main 5..15 0/10", ">work 5..9 4/4 leaf", ">tick 9..10 1/1 leaf", ">work 10..15 5/5 leaf"];
    assert_eq!(rows(&recording, &part)[0], expected);
    assert_eq!(ms(of("995..").range.end_ns), 1000.0);
}

#[test]
fn a_weight_that_stands_for_time_is_the_length_of_a_sample() {
    let text = "a a b";
    let recording = text_samples::timed_at(text, &[5.0, 1.0, 3.0], &[0.0, 8.0, 30.0]).into();
    let calls = rows(&recording, &chart(&recording, None, 0.0, |view| view)).remove(0);
    // The second sample was not due at 5 ms, but nearly: nobody takes samples on time.
    assert_eq!(calls, ["a 0..9 6/6 leaf", "b 30..33 3/3 leaf"]);
}

#[test]
fn each_thread_has_its_own_calls() {
    let threads = [("main", "a a b", &[0.0, 1.0, 2.0][..]), ("other", "c", &[1.0][..])];
    let recording: Recording = text_samples::threads_taken_at(&threads).into();
    let all = rows(&recording, &chart(&recording, None, 0.0, |view| view));
    // How long the only sample of a thread lasts is not known.
    assert_eq!(all, [vec!["a 0..2 2/2 leaf", "b 2..3 1/1 leaf"], vec!["c 1..1.000001 1/1 leaf"]]);
}

proptest! {
    /// The calls add up to the costs of functions, and calls are within their callers.
    #[test]
    fn calls_add_up(
        samples in vec(vec(0..4_usize, 1..6), 1..40),
        gaps in vec(0..4_u32, 40),
        shortest in 0.0..0.3_f64,
    ) {
        let cell = |sample: &Vec<usize>, level: usize| {
            let name = sample.get(level).map_or(" ", |&name| ["a", "b", "c", "d"][name]);
            format!("{name} ")
        };
        let line = |level| samples.iter().map(|sample| cell(sample, level)).collect::<String>();
        let text = (0..5).map(line).collect::<Vec<_>>().join("\n");
        let times: Vec<f64> = gaps
            .iter()
            .take(samples.len())
            .scan(0, |now, gap| {
                *now += gap;
                Some(f64::from(*now))
            })
            .collect();
        let recording: Recording = text_samples::taken_at(&text, &times).into();
        let view = View::of(&recording);
        let groups = Groups::identity(recording.symbols());
        let costs = costs(&recording, &view, &groups);
        let whole = chart(&recording, None, 0.0, |view| view).threads.remove(0);
        prop_assert_eq!(whole.total, samples.len() as f64);
        let mut totals: BTreeMap<FunctionId, f64> = BTreeMap::new();
        let mut selfs = totals.clone();
        for call in whole.calls.iter().filter(|call| call.row == 0) {
            let function = call.function.unwrap();
            *selfs.entry(function).or_default() += call.self_;
            if !call.recursive {
                *totals.entry(function).or_default() += call.total;
            }
        }
        // Samples at one time have no length, and are in rows.
        if whole.calls.iter().all(|call| call.row == 0) {
            for (function, cost) in costs.functions() {
                prop_assert_eq!(totals.get(&function).copied(), cost.cost.total.exact());
                prop_assert_eq!(selfs.get(&function).copied(), Some(cost.cost.self_));
            }
        }
        let drawn = chart(&recording, None, shortest, |view| view).threads.remove(0);
        let listed: usize = drawn.calls.iter().map(|call| call.row.max(1)).sum();
        let in_whole: usize = whole.calls.iter().map(|call| call.row.max(1)).sum();
        prop_assert_eq!(listed, in_whole);
        let tops = drawn.calls.iter().filter(|call| call.parent.is_none());
        prop_assert_eq!(tops.map(|call| call.total).sum::<f64>(), samples.len() as f64);
        for call in &drawn.calls {
            let Some(parent) = call.parent.map(|parent| &drawn.calls[parent]) else { continue };
            prop_assert_eq!(parent.depth + 1, call.depth);
            prop_assert!(parent.start_ns <= call.start_ns && call.end_ns <= parent.end_ns);
        }
    }
}

#[test]
fn a_profile_without_times_has_no_chart() {
    let recording: Recording = text_samples::profile("a b").into();
    let groups = Groups::identity(recording.symbols());
    let view = View::of(&recording);
    let error = flame_chart(&recording, &recording, &view, &groups, None, 0.0).unwrap_err();
    assert_eq!(
        error.problem,
        "nothing can be drawn in chronological order: the times of the samples of this profile are \
         unknown"
    );
}
