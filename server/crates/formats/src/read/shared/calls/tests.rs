use super::*;
use profile::{Frame, Func, LineKnowledge, Metric, Profile, StackAccess};

fn b(at: f64, name: &'static str) -> (f64, char, &'static str, f64) {
    (at, 'B', name, 0.0)
}

fn e(at: f64, name: &'static str) -> (f64, char, &'static str, f64) {
    (at, 'E', name, 0.0)
}

fn x(at: f64, name: &'static str, duration: f64) -> (f64, char, &'static str, f64) {
    (at, 'X', name, duration)
}

fn stored(events: impl Iterator<Item = Event>) -> Events {
    let mut stored = Events::default();
    for event in events {
        stored.push(event).unwrap();
    }
    stored
}

/// The calls, and the warnings as `code count`. An end without a name ends the innermost call.
fn run_all(
    events: &[(f64, char, &'static str, f64)],
    end: Option<f64>,
) -> (Calls, Profile, Vec<String>) {
    let metric = Metric::new("time", "us", None).with_lines(LineKnowledge::Nothing);
    let mut builder = ProfileBuilder::new(vec![metric], 0);
    let mut warnings = Warnings::default();
    let events = events.iter().map(|&(at, kind, text, duration)| {
        let name = builder.intern_string(text).unwrap();
        let func = builder
            .intern_func(Func { name, source: None, lib: None, line: 0, column: 0 })
            .unwrap();
        let frame = builder.intern_frame(Frame::new(func, 0)).unwrap();
        let what = match kind {
            'B' => What::Begin { name: name.raw(), frame },
            'E' => What::End { name: (!text.is_empty()).then_some(name.raw()), frame: None },
            _ => What::Complete { frame, until: at + duration, cpu_until: f64::NAN },
        };
        Event { at, cpu: f64::NAN, what }
    });
    let events = stored(events);
    let calls = run(events, end, &mut builder, &mut warnings).unwrap();
    assert_eq!(calls.own_cpu, None);
    let warnings =
        warnings.into_iter().map(|warning| format!("{} {}", warning.code, warning.count));
    (calls, builder.build(), warnings.collect())
}

/// Every call as `path own`, then the warnings.
fn lines(events: &[(f64, char, &'static str, f64)], end: Option<f64>) -> String {
    let (calls, profile, warnings) = run_all(events, end);
    let mut lines = Vec::new();
    for (&stack, own) in calls.stacks.iter().zip(&calls.own) {
        let up = std::iter::successors(Some(stack), |&stack| profile.stacks().prefix(stack));
        let mut names: Vec<_> = up
            .map(|stack| {
                profile
                    .symbols()
                    .func_name(profile.frames().get(profile.stacks().frame(stack)).func)
            })
            .collect();
        names.reverse();
        lines.push(format!("{} {own}", names.join(";")));
    }
    lines.extend(warnings);
    lines.join(", ")
}

#[test]
fn self_time_excludes_callees() {
    let events =
        [b(0.0, "f"), b(10.0, "g"), b(30.0, "h"), e(60.0, "h"), e(100.0, "g"), e(160.0, "f")];
    assert_eq!(lines(&events, None), "f 70, f;g 60, f;g;h 30");
    let whole = [x(30.0, "h", 30.0), x(10.0, "g", 90.0), x(0.0, "f", 160.0)];
    assert_eq!(lines(&whole, None), "f 70, f;g 60, f;g;h 30", "in the order in which calls end");
    assert_eq!(lines(&[x(0.0, "Foo", 50.0), x(10.0, "Bar", 30.0)], None), "Foo 20, Foo;Bar 30");
}

#[test]
fn every_call_is_a_row_in_order_of_beginnings() {
    let events = [
        b(0.0, "decode"),
        e(5.0, "decode"),
        b(5.0, "link"),
        e(8.0, "link"),
        b(8.0, "init"),
        e(15.0, "init"),
        b(15.0, "kernel_run"),
        b(20.0, "f"),
        e(30.0, "f"),
        b(40.0, "f"),
        b(45.0, "g"),
        e(50.0, "g"),
        e(60.0, "f"),
        e(75.0, "kernel_run"),
    ];
    assert_eq!(
        lines(&events, None),
        "decode 5, link 3, init 7, kernel_run 30, kernel_run;f 10, kernel_run;f 15, kernel_run;f;g 5"
    );
}

#[test]
fn an_end_of_an_outer_call_unwinds_and_an_end_without_a_call_is_ignored() {
    let events = [b(0.0, "alpha"), b(1.0, "beta"), e(9.0, "alpha"), e(10.0, "beta")];
    assert_eq!(lines(&events, None), "alpha 1, alpha;beta 8, unwound-call 1, unmatched-end 1");
    assert_eq!(
        lines(&[e(1.0, "x"), b(2.0, "f"), e(5.0, ""), e(6.0, "")], None),
        "f 3, unmatched-end 2"
    );
}

#[test]
fn open_calls_end_with_the_recording() {
    let events = [b(0.0, "A"), b(1.0, "B"), b(2.0, "C")];
    assert_eq!(lines(&events, None), "A 1, A;B 1, A;B;C 0, unfinished-call 3");
    assert_eq!(lines(&events, Some(10.0)), "A 1, A;B 1, A;B;C 8, unfinished-call 3");
    assert_eq!(
        lines(&events, Some(1.5)),
        "A 1, A;B 1, A;B;C 0, unfinished-call 3",
        "an end before the last event is none"
    );
}

#[test]
fn a_call_is_cut_where_its_caller_ends() {
    assert_eq!(
        lines(&[x(0.0, "alpha", 10.0), x(5.0, "beta", 10.0)], None),
        "alpha 5, alpha;beta 5, overlapping-call 1"
    );
    let events = [x(0.0, "X", 20.0), b(10.0, "f"), e(25.0, "f")];
    assert_eq!(lines(&events, None), "X 10, X;f 10, unwound-call 1, unmatched-end 1");
}

#[test]
fn events_of_one_time() {
    // The end of the previous call comes first, whatever the order in the file; a call of no
    // duration keeps its order.
    assert_eq!(lines(&[b(0.0, "f"), b(5.0, "g"), e(5.0, "f"), e(9.0, "g")], None), "f 5, g 4");
    assert_eq!(lines(&[b(0.0, "f"), b(5.0, "g"), e(5.0, "g"), e(9.0, "f")], None), "f 9, f;g 0");
    assert_eq!(
        lines(&[b(0.0, "f"), b(2.0, "g"), e(9.0, "f"), e(9.0, "g")], None),
        "f 2, f;g 7",
        "the innermost ends first"
    );
    assert_eq!(
        lines(&[x(0.0, "in", 2.0), x(0.0, "out", 9.0), x(0.0, "none", 0.0)], None),
        "out 7, out;in 2, out;in;none 0"
    );
    // A call of no duration just before its caller ends is still a call of that caller.
    assert_eq!(lines(&[b(0.0, "f"), b(9.0, "g"), e(9.0, "g"), e(9.0, "f")], None), "f 9, f;g 0");
    assert_eq!(lines(&[b(0.0, "f"), b(5.0, "f"), e(5.0, "f"), e(9.0, "f")], None), "f 9, f;f 0");
    // A tail call appears as a call by the caller's caller.
    assert_eq!(
        lines(
            &[b(0.0, "m"), b(1.0, "f"), e(4.0, "f"), b(4.0, "g"), e(6.0, "g"), e(6.0, "m")],
            None
        ),
        "m 1, m;f 3, m;g 2"
    );
}

#[test]
fn inconsistent_times_are_handled() {
    assert_eq!(
        lines(&[x(5.0, "f", -3.0), x(f64::NAN, "g", 1.0), x(6.0, "h", f64::NAN)], None),
        "f 0, h 0"
    );
    assert_eq!(lines(&[], Some(5.0)), "");
}

#[test]
fn time_between_calls_belongs_to_no_call() {
    let events = [b(2.0, "f"), e(3.0, "f"), x(5.0, "g", 1.0), b(9.0, "f")];
    let outside = |events, end| run_all(events, end).0.outside;
    assert_eq!(
        (
            outside(&events[..], Some(20.0)),
            outside(&events[..3], None),
            outside(&events[..3], Some(10.0))
        ),
        (5.0, 2.0, 6.0)
    );
}

#[test]
fn each_recursive_call_counts() {
    let events = [b(0.0, "f"), b(1.0, "f"), b(2.0, "f"), e(3.0, "f"), e(5.0, "f"), e(9.0, "f")];
    assert_eq!(lines(&events, None), "f 5, f;f 3, f;f;f 1");
}

#[test]
fn ends_of_one_time_with_and_without_names() {
    // `f` ends `g` as well; the end without a name ends the innermost of the remaining calls.
    let events = [b(0.0, "m"), b(5.0, "f"), b(5.0, "g"), e(5.0, "f"), e(5.0, ""), e(9.0, "m")];
    assert_eq!(lines(&events, None), "m 5, m;f 0, m;f;g 0, unwound-call 1, unmatched-end 1");
    let events =
        [b(0.0, "f"), b(1.0, "g"), e(5.0, "x"), e(5.0, "f"), e(5.0, "g"), e(5.0, "g"), e(6.0, "f")];
    assert_eq!(lines(&events, None), "f 1, f;g 4, unmatched-end 3");
}

#[test]
fn depth_unmatched_ends_and_equal_times_are_fast() {
    let (mut builder, n) = (ProfileBuilder::new(Vec::new(), 0), 100_000);
    let name = builder.intern_string("f").unwrap();
    let func =
        builder.intern_func(Func { name, source: None, lib: None, line: 0, column: 0 }).unwrap();
    let frame = builder.intern_frame(Frame::new(func, 0)).unwrap();
    let begin = What::Begin { name: 1, frame };
    let (end, stray) =
        (What::End { name: Some(1), frame: None }, What::End { name: Some(2), frame: None });
    let mut run = |what: &[What], step: f64| {
        let events = what.iter().flat_map(|&what| vec![what; n]).enumerate();
        let events = events.map(|(i, what)| Event { at: i as f64 * step, cpu: f64::NAN, what });
        let calls = run(stored(events), None, &mut builder, &mut Warnings::default()).unwrap();
        (calls.stacks.len(), calls.own.iter().sum::<f64>())
    };
    for order in [[begin, end, stray], [begin, stray, end]] {
        assert_eq!(run(&order, 0.0), (n, 0.0));
        assert_eq!(run(&order, 1.0).0, n);
    }
}
