//! Merging recordings.

use super::*;
use crate::StackAccess;
use crate::{Total, text_samples};

fn part(name: &str, pid: &str, recording: impl Into<Recording>) -> Part {
    let thread = Thread { name: name.to_owned(), pid: Some(pid.to_owned()), ..Thread::default() };
    Part { recording: recording.into(), thread }
}

/// Each thread with its samples, root first.
fn threads(profile: &Profile) -> Vec<String> {
    let stacks = profile.stacks();
    let frame = |id: StackId| {
        let place = profile
            .place(stacks.frame(id))
            .map(|(source, line)| (profile.symbols().source_name(source), line));
        let place = place.map(|(source, line)| format!("@{source}:{line}")).unwrap_or_default();
        format!(
            "{}{place}",
            profile.symbols().func_name(profile.frames().get(stacks.frame(id)).func)
        )
    };
    let threads = profile.sampled_threads().map(|(thread, samples)| {
        let sample = |i| {
            let stack: Option<StackId> = samples.stack(i);
            let mut frames: Vec<_> =
                std::iter::successors(stack, |&id| stacks.prefix(id)).map(frame).collect();
            frames.reverse();
            let idle = if stack.is_some_and(|stack| stacks.is_idle(stack)) { " idle" } else { "" };
            let weight = samples.weights()[0].get(i);
            format!("{} {weight}{idle}", frames.join(">"))
        };
        let samples: Vec<_> = (0..samples.len()).map(sample).collect();
        let ids = [&thread.pid, &thread.tid].map(|id| id.as_deref().unwrap_or("?"));
        format!("{} {}/{}: {}", thread.name, ids[0], ids[1], samples.join(", "))
    });
    threads.collect()
}

fn merged(parts: &[Part]) -> Profile {
    let Ok(Recording::Stacks(profile)) = merge(parts) else { panic!("it has stacks") };
    profile
}

#[test]
fn equal_names_and_stacks_are_merged() {
    let first =
        text_samples::profile("main@3[file:a.c]  main@3       poll[idle]\nhash@9[file:h.c]");
    let second = text_samples::weighted(
        "run@7[file:b.c]  poll  poll[idle]\nhash@9[file:h.c][js]",
        &[2.5, 1.0, 1.0],
    );
    let profile = merged(&[part("one", "7", first), part("two", "8", second)]);
    assert_eq!(
        threads(&profile),
        [
            "main 7/1: main@a.c:3>hash@h.c:9 1, main@a.c:3 1, poll 1 idle",
            // Samples of a running thread do not become idle because another thread is idle at the
            // same stack.
            "main 8/1: run@b.c:7>hash@h.c:9 2.5, poll 1 idle, poll 1 idle",
        ]
    );
    let symbols = profile.symbols();
    let funcs: Vec<_> = symbols.funcs.ids().map(|id| symbols.func_name(id)).collect();
    assert_eq!(
        (funcs, profile.frames().len(), profile.stacks().len()),
        (vec!["main", "hash", "poll", "run"], 4, 5)
    );
    // A func that is JavaScript in one part is JavaScript in both.
    assert_eq!(symbols.funcs.code(FuncId::new(1)), crate::Code::JavaScript);
}

#[test]
fn a_stack_that_is_idle_in_one_part_is_not_merged() {
    let parts = [text_samples::profile("poll[idle]"), text_samples::profile("poll")];
    let profile = merged(&parts.map(|profile| part("", "7", profile)));
    assert_eq!(threads(&profile), ["main 7/1: poll 1 idle, poll 1"]);
}

#[test]
fn threads_continue_in_the_next_part_and_processes_stay_apart() {
    let text = "main  main";
    let ones = || text_samples::profile(text);
    let parts = [
        part("", "7", ones()),
        part("", "7", text_samples::weighted(text, &[0.5, 3.0])),
        part("", "8", ones()),
    ];
    assert_eq!(
        threads(&merged(&parts)),
        ["main 7/1: main 1, main 1, main 0.5, main 3", "main 8/1: main 1, main 1"]
    );
    // Two threads of one part are never merged.
    let two = || text_samples::build(&[("main", "a", None), ("main", "b", None)]);
    assert_eq!(merged(&[part("", "7", two()), part("", "8", two())]).threads().len(), 4);
}

#[test]
fn threads_of_different_runs_stay_apart_and_are_averaged() {
    let in_run = |run| {
        let Part { recording, thread } = part("app", "1", text_samples::profile("main main"));
        Part { recording, thread: Thread { run, ..thread } }
    };
    let one = merged(&[in_run(0), in_run(0)]);
    assert_eq!(one.threads().len(), 1);
    let several = merged(&[in_run(0), in_run(1)]);
    assert_eq!(several.threads().iter().map(|thread| thread.run).collect::<Vec<_>>(), [0, 1]);
    let mean = Recording::from(several).divided_by(2, |_| true);
    let samples = mean.sampled().unwrap().samples();
    let weights = samples.iter().map(|samples| samples.weights()[0].get(0));
    assert_eq!(weights.collect::<Vec<_>>(), [0.5, 0.5]);
}

#[test]
fn the_mean_of_equal_runs_is_each_of_them() {
    // In 7 runs `a` weighs 1 + 3 and `b` 5. A seventh is no binary fraction.
    let run = |run| {
        let Part { recording, thread } =
            part("", "1", text_samples::weighted("a a b", &[1.0, 3.0, 5.0]));
        Part { recording, thread: Thread { run, ..thread } }
    };
    let mean = Recording::from(merged(&(0..7).map(run).collect::<Vec<_>>()));
    let mean = mean.divided_by(7, |_| true);
    let of_row = |row| {
        let samples = mean.sampled().unwrap().samples().iter();
        samples.map(|samples| samples.weights()[0].get(row)).sum::<f64>()
    };
    assert_eq!((of_row(0) + of_row(1), of_row(2)), (4.0, 5.0));
    // Of the first thread alone it is a seventh.
    let first = mean.sampled().unwrap().samples()[0].weights()[0].get(2);
    assert!((first - 5.0 / 7.0).abs() < 1e-9, "{first}");

    let runs = (0..7).map(|run| {
        let thread = Thread { run, ..Thread::default() };
        Part { recording: Recording::Graph(graph("main", "f", false).into()), thread }
    });
    let mean = merge(&runs.collect::<Vec<_>>()).unwrap().divided_by(7, |_| true);
    let mean = &mean.summed().unwrap().tables;
    let own = |func| -> f64 {
        let rows = mean.own.iter().filter(|own| own.func == FuncId::new(func));
        rows.map(|own| own.weights[0]).sum()
    };
    let calls: f64 = mean.calls.iter().map(|call| call.weights[0]).sum();
    assert_eq!((own(0), own(1), calls), (6.0, 4.0, 4.0));
}

/// `outer` costs 10, of which its calls of `inner` cost 4. With `within`, `inner` stands for
/// recursive calls.
fn graph(outer: &str, inner: &str, within: bool) -> GraphTables {
    let mut tables = ProfileBuilder::default();
    let source = Some(tables.intern_source("a.c").unwrap());
    for name in [outer, inner] {
        let name = tables.intern_string(name).unwrap();
        tables.push_func(Func { name, source, lib: None, line: 0, column: 0 }).unwrap();
    }
    let own = |func, line, weight| OwnCost {
        func: FuncId::new(func),
        source: None,
        line,
        weights: crate::RowWeights::from_slice(&[weight]),
    };
    let (caller, callee) = (FuncId::new(0), FuncId::new(1));
    let call = Call {
        caller,
        source: Some(SourceId::new(0)),
        line: 2,
        callee,
        count: 3,
        weights: crate::RowWeights::from_slice(&[4.0]),
        nested: false,
    };
    GraphTables {
        symbols: tables.build().into_symbols(),
        metrics: vec![Metric::new("Ir", "Ir", None)],
        own: vec![own(0, 1, 6.0), own(1, 5, 4.0)],
        calls: vec![call],
        inner: if within { vec![callee] } else { Vec::new() },
        ..GraphTables::default()
    }
}

fn merged_graph(parts: &[Part]) -> GraphTables {
    let Ok(Recording::Graph(graph)) = merge(parts) else { panic!("expected a call graph") };
    graph.tables
}

#[test]
fn call_graphs_become_threads_of_one() {
    let part = |thread, graph: GraphTables| part(thread, "77", Recording::Graph(graph.into()));
    let parts = [
        part("thread 1", graph("main", "work", false)),
        part("thread 2", graph("work", "step", false)),
        part("thread 1", graph("main", "step", false)),
    ];
    let all = merged_graph(&parts);
    let name = |func| all.symbols.func_name(func);
    let threads: Vec<_> = all.threads.iter().zip(&all.rows).collect();
    let rows: Vec<_> = threads
        .iter()
        .map(|(thread, rows)| (thread.name.as_str(), rows.own.clone(), rows.calls.clone()))
        .collect();
    assert_eq!(rows, [("thread 1", 0..4, 0..2), ("thread 2", 4..6, 2..3)]);
    let calls: Vec<_> =
        all.calls.iter().map(|call| (name(call.caller), name(call.callee), call.count)).collect();
    assert_eq!(calls, [("main", "work", 3), ("main", "step", 3), ("work", "step", 3)]);
    let own: Vec<_> = all
        .of_thread(ThreadId::new(1))
        .own
        .iter()
        .map(|own| (name(own.func), own.weights[0]))
        .collect();
    assert_eq!(own, [("work", 6.0), ("step", 4.0)]);
    assert_eq!((all.symbols.funcs.len(), all.symbols.sources.len()), (3, 1));
    // Threads of a call graph keep their names.
    let again = [part("other", all.clone()), part("third", graph("main", "work", false))];
    let names: Vec<_> =
        merged_graph(&again).threads.into_iter().map(|thread| thread.name).collect();
    assert_eq!(names, ["thread 1", "thread 2", "third"]);
}

#[test]
fn recursive_calls_stay_apart() {
    let parts = [graph("main", "main", true), graph("main", "main", true)];
    let graph = merged_graph(&parts.map(|graph| part("", "77", Recording::Graph(graph.into()))));
    assert_eq!((graph.symbols.funcs.len(), graph.inner), (2, vec![FuncId::new(1)]));
}

#[test]
fn stated_totals_of_a_thread_add_up() {
    let stated = |total| {
        let totals = vec![StatedTotal {
            func: FuncId::new(0),
            source: None,
            line: 0,
            totals: vec![total],
            calls: None,
        }];
        part(
            "",
            "77",
            Recording::Graph(GraphTables { totals, ..graph("main", "work", false) }.into()),
        )
    };
    let (exact, bounded) = (Total::Exact(10.0), Total::Bounded { min: 2.0, max: 5.0 });
    let graph = merged_graph(&[stated(exact), stated(bounded)]);
    assert_eq!(
        graph.totals.iter().map(|row| row.totals[0]).collect::<Vec<_>>(),
        [Total::Bounded { min: 12.0, max: 15.0 }]
    );
    assert_eq!(exact.plus(exact), Total::Exact(20.0));
    assert_eq!(exact.plus(Total::Estimated(1.0)), Total::Estimated(11.0));
    assert_eq!(exact.plus(Total::Unknown), Total::Unknown);
}

#[test]
fn counts_of_calls_stay_at_the_largest_number() {
    let stated = |calls| {
        let (func, totals) = (FuncId::new(0), vec![Total::Exact(1.0)]);
        let row = StatedTotal { func, source: None, line: 0, totals, calls: Some(calls) };
        let tables = GraphTables { totals: vec![row], ..graph("main", "work", false) };
        part("", "77", Recording::Graph(tables.into()))
    };
    let calls = |parts: &[Part]| merged_graph(parts).totals[0].calls;
    assert_eq!(calls(&[stated(u64::MAX - 5), stated(5)]), Some(u64::MAX));
    assert_eq!(calls(&[stated(u64::MAX - 5), stated(6)]), Some(u64::MAX));
}

#[test]
fn different_metrics_or_kinds_cannot_be_merged() {
    let samples = || Recording::Stacks(text_samples::profile("main"));
    let with = |name: &str, seconds_per_unit| {
        let metrics = vec![Metric { seconds_per_unit, ..Metric::new(name, name, None) }];
        Recording::Graph(GraphTables { metrics, ..graph("main", "work", false) }.into())
    };
    let merge = |first, second| merge(&[part("", "1", first), part("", "2", second)]);
    let error = merge(with("Ir", None), with("Dr", None)).unwrap_err();
    assert_eq!(error.to_string(), "costs in Dr (Dr) and costs in Ir (Ir) cannot be merged");
    assert_eq!(error.part(), Some(1));
    assert_eq!(merge(samples(), with("samples", None)).unwrap_err(), MergeError::Kinds { part: 1 });
    // Samples with different intervals have no common interval.
    let metrics = merge(with("s", Some(1.0)), with("s", Some(0.1))).unwrap().metrics().to_vec();
    assert_eq!(metrics[0].seconds_per_unit, None);
}

#[test]
fn parts_of_one_clock_keep_their_times_and_repeated_runs_start_together() {
    let part = |pid: &str, times: &[f64]| {
        let text = vec!["main"; times.len()].join(" ");
        part("app", pid, text_samples::taken_at(&text, times))
    };
    // In milliseconds since the first sample.
    let times = |parts: &[Part]| {
        let profile = merged(parts);
        let clock = profile.clock().unwrap();
        let of_thread = profile.samples().iter().map(|samples| {
            let ns = samples.times_ns(clock).unwrap();
            ns.map(|ns| ns.unwrap() as f64 / 1e6).collect::<Vec<_>>()
        });
        of_thread.collect::<Vec<_>>()
    };
    let server = part("1", &[1000.0, 1010.0]);
    let (early, late) = (part("2", &[1002.5, 1003.0]), part("3", &[1005.0, 1020.0]));
    // `early` has ended when `late` starts, but `server` runs all the time.
    let expected = [vec![5.0, 20.0], vec![2.5, 3.0], vec![0.0, 10.0]];
    assert_eq!(times(&[late, early, server.clone()]), expected);
    let again = part("4", &[5000.0, 5009.0]);
    assert_eq!(times(&[server.clone(), again]), [[0.0, 10.0], [0.0, 9.0]]);

    // A recording that was continued in other files: gaps of 1 after 10, and of 1 before 20.
    let parts = [&[1011.0, 1012.0][..], &[1000.0, 1010.0], &[1013.0, 1033.0]];
    let parts = parts.map(|times| part("1", times));
    assert_eq!(times(&parts), [[11.0, 12.0, 0.0, 10.0, 13.0, 33.0]]);
    // A gap of 2 after 10, as between repeated runs in containers, where all have the same id.
    let again = part("1", &[1012.0, 1022.0]);
    assert_eq!(times(&[server.clone(), again]), [[0.0, 10.0, 0.0, 10.0]]);
    // A gap of 1 after 10, but another process.
    let other = part("2", &[1011.0, 1021.0]);
    assert_eq!(times(&[server.clone(), other]), [[0.0, 10.0], [0.0, 10.0]]);

    // A part without times has none.
    let folded = self::part("folded", "5", text_samples::profile("main"));
    let profile = merged(&[folded, server]);
    let clock = profile.clock().unwrap();
    assert!(profile.samples()[0].times_ns(clock).is_none());
    assert_eq!(profile.samples()[1].times_ns(clock).unwrap().len(), 2);
}
