//! The time to load a large profile and compute all of its costs, relative to the time in which
//! `serde_json` skips the same bytes.
//!
//! Writes a deterministic Firefox profile of about 100 MB (`COSTLINE_BENCH_MB` sets another size)
//! and prints medians, their ratios, and the peak memory of `costline report`. Compare ratios, not
//! times, between machines.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints its results and panics on errors"
)]

use analysis::Groups;
use formats::Limits;
use serde::de::IgnoredAny;
use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const ROUNDS: usize = 7;

fn main() {
    let megabytes: usize =
        std::env::var("COSTLINE_BENCH_MB").ok().and_then(|mb| mb.parse().ok()).unwrap_or(100);
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("large-{megabytes}.json"));
    if !path.exists() {
        std::fs::write(&path, generate(megabytes)).unwrap();
    }
    let bytes = std::fs::read(&path).unwrap();
    println!("{}: {:.1} MB", path.display(), bytes.len() as f64 / 1e6);

    let (mut skip, mut read_and_skip) = (Vec::new(), Vec::new());
    let (mut load, mut sum, mut report) = (Vec::new(), Vec::new(), Vec::new());
    let mut peak = 0;
    for _ in 0..ROUNDS {
        skip.push(time(|| serde_json::from_slice::<IgnoredAny>(&bytes).unwrap()).0);
        let read = || serde_json::from_slice::<IgnoredAny>(&std::fs::read(&path).unwrap()).unwrap();
        read_and_skip.push(time(read).0);
        let copy = bytes.clone();
        let (took, read) = time(|| {
            formats::read(copy, Limits::default(), &mut |_| ControlFlow::Continue(())).unwrap()
        });
        load.push(took);
        let groups = Groups::identity(read.recording.symbols());
        let view = analysis::View::of(&read.recording);
        sum.push(time(|| analysis::costs(&read.recording, &view, &groups)).0);
        let (took, memory) = time(|| run_report(&path));
        report.push(took);
        peak = peak.max(memory);
    }
    let skip = median(skip);
    let row = |what: &str, took: Duration| {
        println!(
            "{what:<46} {:>7.1} ms {:>6.2} × skipping",
            took.as_secs_f64() * 1e3,
            took.as_secs_f64() / skip.as_secs_f64()
        );
    };
    row("serde_json skips the bytes", skip);
    row("serde_json reads and skips the file", median(read_and_skip));
    row("costline decodes the bytes", median(load));
    row("costline computes all costs", median(sum));
    row("costline report --json, whole process", median(report));
    println!(
        "peak memory of the report: {:.1} MB, {:.2} × the file",
        peak as f64 / 1e6,
        peak as f64 / bytes.len() as f64
    );
}

fn time<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let begun = Instant::now();
    let result = work();
    (begun.elapsed(), result)
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// Runs `costline report` and returns its peak resident memory in bytes (0 on systems without
/// `/proc`).
fn run_report(profile: &Path) -> u64 {
    let mut child = Command::new(env!("CARGO_BIN_EXE_costline"))
        .args(["report", "--json", "--root"])
        .args([profile.parent().unwrap(), profile])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    while child.try_wait().unwrap().is_none() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line
            .and_then(|line| line.trim().trim_end_matches("kB").trim().parse().ok())
            .unwrap_or(0);
        peak = peak.max(1024_u64 * kilobytes);
        std::thread::sleep(Duration::from_millis(1));
    }
    peak
}

/// Deterministic pseudo-random numbers (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n as u64) as usize
    }
}

/// Generates a Firefox profile (version 49) with four threads: deep stacks, recursion, inlined
/// frames, repeated and similar samples, samples without a stack, and columns that are not read.
fn generate(megabytes: usize) -> String {
    let (n_stacks, n_frames, n_funcs, n_files) =
        (megabytes * 4400, megabytes * 600, megabytes * 140, megabytes * 7);
    let n_samples = megabytes * 5200;
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let column = |name: &str, cells: &mut dyn Iterator<Item = String>| {
        let mut text = format!("\"{name}\":[");
        for (i, cell) in cells.enumerate() {
            if i > 0 {
                text.push(',');
            }
            text.push_str(&cell);
        }
        text + "]"
    };
    let constant = |name: &str, value: &str, n: usize| {
        column(name, &mut std::iter::repeat_n(value.to_owned(), n))
    };

    let funcs: Vec<usize> = (0..n_funcs).map(|_| random.below(n_files)).collect();
    let frames: Vec<(usize, usize)> = (0..n_frames)
        .map(|i| (if i < n_funcs { i } else { random.below(n_funcs) }, 3 + random.below(900)))
        .collect();
    let (mut parents, mut depths) = (vec![None; n_stacks], vec![1_usize; n_stacks]);
    for i in 4..n_stacks {
        let back =
            1 + if random.below(100) < 93 { random.below(4.min(i)) } else { random.below(i) };
        let parent = i.saturating_sub(back);
        if depths[parent] < 120 {
            (parents[i], depths[i]) = (Some(parent), depths[parent] + 1);
        }
    }
    // Functions call only few others, so most callees depend on the caller.
    let mut stack_frames = vec![0_usize; n_stacks];
    for i in 0..n_stacks {
        stack_frames[i] = match parents[i] {
            Some(parent) if random.below(100) < 75 => {
                (stack_frames[parent] * 7 + random.below(40)) % n_frames
            }
            _ => random.below(n_frames),
        };
    }
    let strings: Vec<String> = (0..n_funcs)
        .map(|i| {
            format!("\"large::mod_{:04}::visit_node_{i}<core::option::Option<u64>>\"", funcs[i])
        })
        .chain((0..n_files).map(|i| format!("\"/srv/large/src/mod_{i:04}.rs\"")))
        .chain(["\"large\"".to_owned()])
        .collect();

    let mut out = String::from(
        r#"{"meta":{"preprocessedProfileVersion":49,"interval":1,"symbolicated":true,"categories":[{"name":"Other","color":"grey"}]},"#,
    );
    out.push_str(r#""libs":[{"name":"large","path":"/srv/large/bin/large"}],"threads":["#);
    for thread in 0..4 {
        if thread > 0 {
            out.push(',');
        }
        write!(out, r#"{{"name":"worker-{thread}","pid":"7","tid":{thread},"stackTable":{{"length":{n_stacks},"#).unwrap();
        let parent_cells = &mut parents
            .iter()
            .map(|parent| parent.map_or("null".to_owned(), |parent: usize| parent.to_string()));
        out.push_str(&column("prefix", parent_cells));
        let frame_cells = &mut stack_frames.iter().map(usize::to_string);
        write!(
            out,
            ",{},{},{}}},",
            column("frame", frame_cells),
            constant("category", "0", n_stacks),
            constant("subcategory", "0", n_stacks)
        )
        .unwrap();
        let frame_funcs = column("func", &mut frames.iter().map(|(func, _)| func.to_string()));
        let frame_lines = column("line", &mut frames.iter().map(|(_, line)| line.to_string()));
        let depths = column("inlineDepth", &mut (0..n_frames).map(|i| (i % 5 / 4).to_string()));
        let rest = constant("nativeSymbol", "null", n_frames);
        write!(
            out,
            r#""frameTable":{{"length":{n_frames},{frame_funcs},{frame_lines},{depths},{rest}}},"#
        )
        .unwrap();
        let names = column("name", &mut (0..n_funcs).map(|i| i.to_string()));
        let files = column("fileName", &mut funcs.iter().map(|file| (n_funcs + file).to_string()));
        let resources = constant("resource", "0", n_funcs);
        write!(out, r#""funcTable":{{"length":{n_funcs},{names},{files},{resources}}},"#).unwrap();
        write!(
            out,
            r#""resourceTable":{{"length":1,"lib":[0],"name":[{}]}},"stringArray":[{}],"#,
            strings.len() - 1,
            strings.join(",")
        )
        .unwrap();
        let mut near = 0;
        let stacks = &mut (0..n_samples).map(|i| {
            if i % 20 == 0 {
                return "null".to_owned();
            }
            near = if random.below(10) < 5 {
                random.below(n_stacks)
            } else {
                (near + random.below(9)) % n_stacks
            };
            near.to_string()
        });
        let stacks = column("stack", stacks);
        let times = column(
            "time",
            &mut (0..n_samples).map(|i| format!("{}.{:06}", 1000 + i, i * 7919 % 997)),
        );
        let (weights, cpu) =
            (constant("weight", "1", n_samples), constant("threadCPUDelta", "987", n_samples));
        write!(out, r#""samples":{{"length":{n_samples},"weightType":"samples",{stacks},{times},{weights},{cpu}}}}}"#).unwrap();
    }
    out.push_str("]}\n");
    out
}
