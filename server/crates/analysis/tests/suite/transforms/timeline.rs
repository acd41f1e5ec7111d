//! The weight of samples over time.

use crate::transforms::V1;
use analysis::{Activity, Addresses, IdleSamples, ThreadChoice, Timeline, View, reshape, timeline};
use profile::{
    Frame, Func, Groups, Metric, ProfileBuilder, Recording, Samples, Thread, ThreadId, Weights,
    text_samples,
};

/// The timeline of `recording` under a view.
fn over(recording: &Recording, n: usize, view: impl FnOnce(View) -> View) -> Timeline {
    let view = view(View::of(recording));
    let groups = Groups::identity(recording.symbols());
    let reshaped = reshape(recording, &view, &groups, &Addresses::default());
    let shown = reshaped.map_or_else(|| recording.clone(), |reshaped| reshaped.recording);
    timeline(recording, &shown, &view, n, true).unwrap()
}

/// V1 with samples at these times, in milliseconds.
fn timed(times: [f64; 6]) -> Recording {
    text_samples::taken_at(V1, &times).into()
}

const EVEN: [f64; 6] = [700.0, 701.0, 702.0, 703.0, 704.0, 705.0];

#[test]
fn the_last_sample_is_in_the_last_bucket() {
    let buckets = |n| {
        let line = over(&timed(EVEN), n, |view| view);
        assert_eq!((line.start_ns, line.end_ns), (0, 5_000_000));
        line.all.buckets
    };
    // From 0, 2.5 ms.
    assert_eq!(buckets(2), [3.0, 3.0]);
    // From 0, 1, 2, 3, 4 ms.
    assert_eq!(buckets(5), [1.0, 1.0, 1.0, 1.0, 2.0]);
    assert_eq!(buckets(1), [6.0]);
    assert_eq!(buckets(10_000).iter().sum::<f64>(), 6.0);
    let together = over(&timed([3.0; 6]), 2, |view| view);
    assert_eq!((together.end_ns, together.all.buckets), (0, vec![6.0, 0.0]));
}

#[test]
fn a_range_is_the_whole_timeline_and_every_choice_applies() {
    let range = |range: &str| {
        let recording = timed(EVEN);
        let line = over(&recording, 3, |view| View { range: Some(range.parse().unwrap()), ..view });
        (line.start_ns, line.end_ns, line.all.buckets)
    };
    assert_eq!(range("1..4"), (1_000_000, 4_000_000, vec![1.0, 1.0, 1.0]));
    assert_eq!(range("2.5.."), (2_500_000, 5_000_000, vec![1.0, 1.0, 1.0]));
    assert_eq!(range("0..9"), (0, 5_000_000, vec![2.0, 2.0, 2.0]));
    assert_eq!(range("7..9"), (7_000_000, 7_000_000, vec![0.0; 3]));

    // Samples 1, 3 and 5: at 0, 2 and 4 ms.
    let found = over(&timed(EVEN), 5, |view| View { search: "hash".to_owned(), ..view });
    assert_eq!(found.all.buckets, [1.0, 0.0, 1.0, 0.0, 1.0]);
}

#[test]
fn samples_without_a_time_are_in_no_bucket() {
    let mut times = EVEN;
    times[2] = f64::NAN;
    let line = over(&timed(times), 2, |view| view);
    assert_eq!(line.all, Activity { buckets: vec![2.0, 3.0], without_time: 1.0 });
    assert_eq!(line.threads, [(ThreadId::new(0), line.all.clone())]);
    let none = over(&timed(times), 2, |view| View { threads: ThreadChoice::Only(vec![]), ..view });
    assert_eq!((none.end_ns, none.all.buckets, none.threads), (5_000_000, vec![0.0; 2], vec![]));
}

#[test]
fn idle_samples_are_not_counted() {
    let recording: Recording =
        text_samples::taken_at("main        main  main\nwait[idle]  work  work", &[0.0, 1.0, 2.0])
            .into();
    assert_eq!(over(&recording, 2, |view| view).all.buckets, [0.0, 2.0]);
}

/// `wait` for 1 ms and `work` from then to 2 ms, as recorded calls.
#[test]
fn idle_calls_are_not_counted() {
    let mut builder = ProfileBuilder::new(vec![Metric::new("wall", "ms", None)], 0);
    let stacks = ["wait", "work"].map(|name| {
        let name = builder.intern_string(name).unwrap();
        let func = Func { name, source: None, lib: None, line: 0, column: 0 };
        let func = builder.intern_func(func).unwrap();
        let frame = builder.intern_frame(Frame::new(func, 0)).unwrap();
        builder.intern_stack(None, frame).unwrap()
    });
    builder.set_idle(stacks[0]).unwrap();
    let samples = Samples::new(stacks.map(Some), vec![Weights::Ones])
        .with_times(vec![0.0, 1.0])
        .with_stretches(vec![0, 1], vec![0.0, 1.0], vec![1.0, 2.0]);
    builder.push_thread(Thread::default(), samples).unwrap();
    let recording = Recording::from(builder.build());
    assert_eq!(over(&recording, 2, |view| view).all.buckets, [0.0, 1.0]);
    let all = over(&recording, 2, |view| View { idle: IdleSamples::Included, ..view });
    assert_eq!(all.all.buckets, [1.0, 1.0]);
}

#[test]
fn a_profile_without_times_has_no_timeline() {
    let recording: Recording = text_samples::profile(V1).into();
    let error = timeline(&recording, &recording, &View::of(&recording), 2, false).unwrap_err();
    assert_eq!(
        error.problem,
        "no timeline can be shown: the times of the samples of this profile are unknown"
    );
}
