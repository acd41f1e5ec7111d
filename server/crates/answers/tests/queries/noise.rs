//! Runs of an unchanged program differ by chance, and that is not shown as a change.
//!
//! The runs are samples of a real recording: each stack occurs as often as a Poisson process with
//! its recorded count would let it occur.

use crate::support::Project;
use answers::{Compare, Diff, DiffRow as Row, Loaded, Snapshot};
use serde_json::json;
use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

/// The slower function, and its callers in the recording.
const SLOWER: &str = "crunch.<locals>.<dictcomp>.<genexpr>";
const CALLERS: [&str; 5] =
    ["crunch.<locals>.<dictcomp>", "crunch", "timed.<locals>.wrapper", "main", "<module>"];

/// A random number generator: splitmix64.
struct Random(u64);

impl Random {
    /// A number above 0, at most 1.
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (((z ^ (z >> 31)) >> 11) + 1) as f64 / (1_u64 << 53) as f64
    }

    /// A number with a Poisson distribution: the events before `mean`, one unit apart on average.
    fn poisson(&mut self, mean: f64) -> u64 {
        let (mut at, mut events) = (0.0, 0);
        loop {
            at -= self.unit().ln();
            if at > mean {
                return events;
            }
            events += 1;
        }
    }
}

/// The stacks of a recording by py-spy, each with its number of samples.
fn recorded() -> Vec<(String, f64)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../fixtures/profiles/folded/py-gridworld-pyspy/pyspy.raw.txt");
    let text = fs::read_to_string(path).unwrap();
    let row = |line: &str| {
        let (stack, count) = line.rsplit_once(' ').unwrap();
        (stack.to_owned(), count.parse().unwrap())
    };
    text.lines().map(row).collect()
}

/// How a run is written.
#[derive(Clone, Copy)]
enum Written {
    /// As folded stacks: counts of samples, which are compared by share.
    Counts,
    /// As speedscope, one row per sample of this many milliseconds: times, which are compared
    /// absolutely.
    Times(u32),
}

/// One run of a program that takes samples of these stacks.
fn run(
    project: &Project,
    stacks: &[(String, f64)],
    random: &mut Random,
    written: Written,
) -> Arc<Snapshot> {
    let counts: Vec<(&str, u64)> =
        stacks.iter().map(|(stack, mean)| (stack.as_str(), random.poisson(*mean))).collect();
    let text = match written {
        Written::Counts => {
            let rows = counts.iter().filter(|(_, count)| *count > 0);
            rows.map(|(stack, count)| format!("{stack} {count}")).collect::<Vec<_>>().join("\n")
        }
        Written::Times(interval) => speedscope(&counts, interval),
    };
    let path = project.path("run.profile");
    fs::write(&path, text).unwrap();
    let loaded = Loaded::read(&path, u64::MAX, &mut |_| ControlFlow::Continue(())).unwrap();
    Arc::new(project.load_all(vec![loaded]))
}

/// Samples of `interval` milliseconds.
fn speedscope(counts: &[(&str, u64)], interval: u32) -> String {
    let mut indexes: HashMap<&str, usize> = HashMap::new();
    let (mut frames, mut samples) = (Vec::new(), Vec::new());
    for (stack, count) in counts {
        let stack = stack.split(';').map(|frame| {
            *indexes.entry(frame).or_insert_with(|| {
                let (name, place) = frame.rsplit_once(" (").unwrap();
                let (file, line) = place.trim_end_matches(')').rsplit_once(':').unwrap();
                let line: u32 = line.parse().unwrap();
                frames.push(json!({ "name": name, "file": file, "line": line }));
                frames.len() - 1
            })
        });
        let stack: Vec<usize> = stack.collect();
        samples.extend((0..*count).map(|_| stack.clone()));
    }
    let weights = vec![interval; samples.len()];
    json!({
        "$schema": "https://www.speedscope.app/file-format-schema.json",
        "shared": { "frames": frames },
        "profiles": [{
            "type": "sampled", "name": "run", "unit": "milliseconds", "startValue": 0,
            "endValue": interval as usize * samples.len(), "samples": samples, "weights": weights,
        }],
    })
    .to_string()
}

fn changed(rows: &[Row]) -> BTreeSet<&str> {
    rows.iter().filter(|row| row.is_changed()).map(|row| row.name.as_str()).collect()
}

/// Whether anything changed by more than noise.
fn differs(diff: &Diff) -> bool {
    let mut rows = [&diff.functions, &diff.lines, &diff.files].into_iter();
    rows.any(|rows| rows.iter().any(Row::is_changed)) || diff.by.total().is_real()
}

#[test]
fn an_unchanged_program_shows_no_change_in_95_of_100_comparisons() {
    let project = Project::new(&[]);
    let stacks = recorded();
    for (written, seed) in [(Written::Counts, 1), (Written::Times(10), 2)] {
        let mut random = Random(seed);
        // 15 runs have 105 pairs.
        let runs: Vec<_> = (0..15).map(|_| run(&project, &stacks, &mut random, written)).collect();
        let pairs = (0..runs.len()).flat_map(|i| (0..i).map(move |j| (i, j))).take(100);
        let diffs: Vec<Diff> = pairs
            .map(|(now, before)| Diff::new(&runs[before], &runs[now], Compare::Absolute))
            .collect();
        assert_eq!(diffs.len(), 100);
        assert!(diffs.iter().all(|diff| diff.by.bound().is_some() && diff.functions.len() > 30));
        let n_changed = diffs.iter().filter(|diff| differs(diff)).count();
        assert!(n_changed <= 5, "{n_changed} of 100");
        // Without the bound, nearly everything differs.
        let is_other = |diff: &&Diff| diff.functions.iter().any(|row| row.main().change != 0.0);
        assert_eq!(diffs.iter().filter(is_other).count(), 100);
    }
}

#[test]
fn two_sampling_intervals_are_no_change() {
    let project = Project::new(&[]);
    let mut random = Random(4);
    // The same time, in samples of 20 ms or of 1 ms.
    let [often, rarely] = [(20.0, 1), (1.0, 20)].map(|(times, interval)| {
        let stacks: Vec<_> =
            recorded().into_iter().map(|(stack, mean)| (stack, times * mean)).collect();
        let mut run = || run(&project, &stacks, &mut random, Written::Times(interval));
        [(); 7].map(|()| run())
    });
    let pairs = often.iter().flat_map(|a| rarely.iter().flat_map(move |b| [(a, b), (b, a)]));
    let diffs: Vec<Diff> =
        pairs.map(|(before, now)| Diff::new(before, now, Compare::Absolute)).collect();
    assert!(diffs.iter().all(|diff| diff.by.bound().is_some()));
    let n_changed = diffs.iter().filter(|diff| differs(diff)).count();
    assert!(n_changed <= 5, "{n_changed} of {}", diffs.len());
}

#[test]
fn a_slower_function_is_found_with_its_callers() {
    let project = Project::new(&[]);
    // 40 times as long as the recording: 55 800 samples.
    let longer = |mean: f64| 40.0 * mean;
    let before: Vec<_> =
        recorded().into_iter().map(|(stack, mean)| (stack, longer(mean))).collect();
    let is_in = |stack: &str| {
        let leaf = stack.rsplit(';').next().unwrap();
        leaf.starts_with(&format!("{SLOWER} ("))
    };
    // 20% more samples at its own lines.
    let after: Vec<_> = before
        .iter()
        .map(|(stack, mean)| (stack.clone(), if is_in(stack) { 1.2 * mean } else { *mean }))
        .collect();
    let mut random = Random(3);
    let [before, after] =
        [before, after].map(|stacks| run(&project, &stacks, &mut random, Written::Times(10)));
    let diff = Diff::new(&before, &after, Compare::Absolute);
    let expected: BTreeSet<&str> = CALLERS.into_iter().chain([SLOWER]).collect();
    assert_eq!(changed(&diff.functions), expected);
    for row in diff.functions.iter().filter(|row| row.is_changed()) {
        assert!(row.main().change > 0.0, "{}", row.name);
        assert_eq!(row.self_.is_real(), row.name == SLOWER, "{}", row.name);
    }
    assert!(diff.by.total().is_real() && diff.by.total().change > 0.0);
}
