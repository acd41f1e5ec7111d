//! Calls reconstructed from samples: hand-checkable vectors.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use analysis::{
    Truncate, call_graph, call_graph_without_levels, calls_by_stack, lines_as_functions,
    one_sample_per_call, truncate,
};
use profile::text_samples::profile;
use profile::{CallGraph, GraphAccess, Profile, Samples, StackAccess, StackId, Thread};

/// Every function as `name self`, every call as `caller→callee count total`.
fn graph(profile: &Profile) -> String {
    rows(&call_graph_without_levels(profile))
}

/// Like [`graph`]. Recursive calls are marked with `'`.
fn rows(graph: &CallGraph) -> String {
    let graph = graph.tables();
    let mark = |func| if graph.inner.contains(&func) { "'" } else { "" };
    let name = |func| format!("{}{}", graph.symbols.func_name(func), mark(func));
    let mut rows: Vec<String> = Vec::new();
    for func in graph.symbols.funcs.ids() {
        let own: f64 =
            graph.own.iter().filter(|own| own.func == func).map(|own| own.weights[0]).sum();
        rows.push(format!("{} {own}", name(func)));
    }
    let mut pairs: Vec<_> = graph.calls.iter().map(|call| (call.caller, call.callee)).collect();
    pairs.sort_unstable();
    pairs.dedup();
    for (caller, callee) in pairs {
        let calls =
            || graph.calls.iter().filter(|call| (call.caller, call.callee) == (caller, callee));
        let (count, cost) = (
            calls().map(|call| call.count).sum::<u64>(),
            calls().map(|call| call.weights[0]).sum::<f64>(),
        );
        rows.push(format!("{}→{} {count} {cost}", name(caller), name(callee)));
    }
    rows.join(", ")
}

/// Every sample as `path weight`, with `+` if it is a call.
fn samples(profile: &Profile) -> String {
    let mut rows = Vec::new();
    for samples in profile.samples() {
        for i in 0..samples.len() {
            let up =
                std::iter::successors(samples.stack(i), |&stack| profile.stacks().prefix(stack));
            let name = |stack: StackId| {
                profile
                    .symbols()
                    .func_name(profile.frames().get(profile.stacks().frame(stack)).func)
            };
            let mut path: Vec<_> = up.map(name).collect();
            path.reverse();
            let call = if samples.calls().is_some_and(|calls| calls[i] > 0) { "+" } else { "" };
            rows.push(format!("{} {}{call}", path.join(";"), samples.weights()[0].get(i)));
        }
    }
    rows.join(", ")
}

/// Events of a program in phases: one sample per call, in the order in which calls begin.
fn phases() -> Profile {
    let text = "
        decode  link  init  kernel_run  kernel_run  kernel_run  kernel_run
                                        f           f           f
                                                                g
    ";
    let weights = [5.0, 3.0, 7.0, 30.0, 10.0, 15.0, 5.0];
    let profile = profile::text_samples::weighted(text, &weights);
    let calls = |samples: &Samples| {
        Samples::new(samples.stacks(), samples.weights().to_vec())
            .with_calls(vec![1; samples.len()])
    };
    profile.with_samples(profile.default_metric(), |_, samples| Some(calls(samples)))
}

#[test]
fn call_counts_depend_on_the_order_of_samples_but_costs_do_not() {
    let apart = "
        a  a  a
        b     b
    ";
    assert_eq!(graph(&profile(apart)), "a 1, b 2, a→b 2 2");
    let together = "
        a  a  a
        b  b
    ";
    assert_eq!(graph(&profile(together)), "a 1, b 2, a→b 1 2");
}

#[test]
fn counts_each_recursive_call() {
    let five = "
        a  a  a  a  a
        b  b  b  b  b
        c  c  c  c  e
        d  d  d  d  f
           d  d  g  g
              d  x
    ";
    let expected = "a 0, b 0, c 0, d 3, g 1, x 1, e 0, f 0, \
        a→b 1 5, b→c 1 4, b→e 1 1, c→d 1 4, d→d 2 3, d→g 1 1, g→x 1 1, e→f 1 1, f→g 1 1";
    let mut rows: Vec<_> = expected.split(", ").map(str::to_owned).collect();
    let found = graph(&profile(five));
    let mut found: Vec<_> = found.split(", ").map(str::to_owned).collect();
    rows.sort();
    found.sort();
    assert_eq!(found, rows);
}

#[test]
fn separates_recursive_calls() {
    // Otherwise `a` would be on a cycle: do calls a, which calls do.
    let text = "
        main  main  main
        do    do    do
        a     a     d
        do          d
        b           d
    ";
    assert_eq!(
        rows(&call_graph(&profile(text))),
        "main 0, do 0, a 1, b 1, d 0, d' 1, do' 0, main→do 1 3, do→a 1 2, do→d 1 1, a→do' 1 1, d→d' 1 1, d'→d' 1 1, do'→b 1 1"
    );
    assert_eq!(
        graph(&profile(text)),
        "main 0, do 0, a 1, b 1, d 1, main→do 1 3, do→a 1 2, do→b 1 1, do→d 1 1, a→do 1 1, d→d 2 2"
    );
}

#[test]
fn a_caller_at_another_line_is_no_new_call() {
    let text = "
        main@10  main@11
        a@1      a@1
    ";
    assert_eq!(graph(&profile(text)), "main 0, a 2, main→a 1 2");
    let lines = lines_as_functions(&profile(text)).unwrap();
    assert_eq!(
        graph(&lines),
        "main 0, a 2, main 0, main→a 1 1, main→a 1 1",
        "rbspy treats each line as a function"
    );
}

#[test]
fn skips_c_functions_without_a_name_like_rbspy() {
    let mut builder =
        profile::ProfileBuilder::new(vec![profile::Metric::new("samples", "samples", None)], 0);
    let mut frame = |name: &str| {
        let name = builder.intern_string(name).unwrap();
        let func = builder
            .intern_func(profile::Func { name, source: None, lib: None, line: 0, column: 0 })
            .unwrap();
        builder.intern_frame(profile::Frame::new(func, 0)).unwrap()
    };
    let (main, nameless, leaf) = (frame("main"), frame("(unknown) [c function]"), frame("leaf"));
    let main = builder.intern_stack(None, main).unwrap();
    let between = builder.intern_stack(Some(main), nameless).unwrap();
    let leaf = builder.intern_stack(Some(between), leaf).unwrap();
    let only = builder.intern_stack(None, nameless).unwrap();
    let stacks = [Some(leaf), Some(between), Some(only)];
    let samples = Samples::new(stacks, vec![profile::Weights::Ones]);
    builder.push_thread(Thread::default(), samples).unwrap();
    let lines = lines_as_functions(&builder.build()).unwrap();
    assert_eq!(self::samples(&lines), "main;leaf 1, main 1, (unknown) [c function] 1");
}

#[test]
fn uses_recorded_calls() {
    let k_f = "kernel_run→f 2 30";
    assert!(graph(&phases()).contains(k_f), "{}", graph(&phases()));
    // Without the recorded calls, the two adjacent calls of f look like one.
    let merged = phases().with_samples(profile::MetricId::new(0), |_, samples| {
        Some(Samples::new(samples.stacks(), samples.weights().to_vec()))
    });
    assert!(graph(&merged).contains("kernel_run→f 1 30"), "{}", graph(&merged));
}

#[test]
fn one_sample_per_call_is_in_the_order_of_the_first_samples() {
    let each = "decode 5+, link 3+, init 7+, kernel_run 30+, kernel_run;f 10+, kernel_run;f 15+, kernel_run;f;g 5+";
    assert_eq!(samples(&one_sample_per_call(&phases())), each);
    let text = "
        main  main  main  main  main
        a     a     b     a
              c
    ";
    assert_eq!(calls_by_stack(&profile(text)).iter().sum::<u64>(), 5);
    assert_eq!(calls_by_stack(&phases()).iter().sum::<u64>(), 7);
    // A caller's row comes before those of its callees.
    assert_eq!(
        samples(&one_sample_per_call(&profile(text))),
        "main 1+, main;a 1+, main;a;c 1+, main;b 1+, main;a 1+"
    );
}

#[test]
fn truncated_stacks_keep_or_lose_their_cost() {
    let total = |profile: &Profile| profile.samples()[0].weights()[0].clone();
    let folded = truncate(&phases(), 1, Truncate::Fold);
    let cut = "decode 5+, link 3+, init 7+, kernel_run 30+, kernel_run;f 10+, kernel_run;f 15+";
    assert_eq!(samples(&folded), format!("{cut}, kernel_run;f 5"));
    assert_eq!(
        samples(&one_sample_per_call(&folded)),
        cut.replace("f 15+", "f 20+"),
        "a truncated call is not counted"
    );
    let dropped = truncate(&phases(), 1, Truncate::Drop);
    assert_eq!(samples(&dropped), cut);
    let sum = |weights: profile::Weights| (0..7).map(|i| weights.get(i)).sum::<f64>();
    assert_eq!((sum(total(&folded)), sum(total(&dropped))), (75.0, 70.0));
    assert_eq!(
        samples(&one_sample_per_call(&truncate(&phases(), 0, Truncate::Fold))),
        "decode 5+, link 3+, init 7+, kernel_run 60+",
        "the cost of each phase"
    );
}

/// Each cut sample is as idle as it was, even if another one is cut to the same frames.
#[test]
fn truncated_stacks_stay_idle() {
    let profile = profile(
        "
        main  main       main        main
              wait       work        work
                         poll[idle]  step",
    );
    let cut = truncate(&profile, 1, Truncate::Fold);
    assert_eq!(samples(&cut), "main 1, main;wait 1, main;work 1, main;work 1");
    let stacks = cut.samples()[0].stacks().flatten();
    let is_idle: Vec<_> = stacks.map(|stack| cut.stacks().is_idle(stack)).collect();
    assert_eq!(is_idle, [false, false, true, false]);
}
