//! The time to read a large Mercury deep profile and compute all of its costs, relative to a
//! callgrind file of the same size.
//!
//! Generates both, deterministically, with about 50 MB each (`COSTLINE_BENCH_MB` sets another size),
//! and prints medians, and the median of their ratios. Compare ratios, not times, between machines.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints its results and panics on errors"
)]

use analysis::Groups;
use formats::Limits;
use mercury_files::deep::{DeepProc, DeepRun, DeepSite};
use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

const ROUNDS: usize = 9;
const N_PROCS: usize = 3000;
const SITES: usize = 4;

fn main() {
    let megabytes: usize =
        std::env::var("COSTLINE_BENCH_MB").ok().and_then(|mb| mb.parse().ok()).unwrap_or(50);
    let bytes = megabytes * 1_000_000;
    let files = [("Mercury deep profile", deep(bytes)), ("callgrind file", callgrind(bytes))];
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..ROUNDS {
        for (times, (_, file)) in times.iter_mut().zip(&files) {
            times.push(time(file.clone()));
        }
    }
    // Rounds are compared one by one, so that other load on the machine affects both files.
    let mut ratios: Vec<f64> = times[0]
        .iter()
        .zip(&times[1])
        .map(|(deep, callgrind)| {
            per_megabyte(*deep, &files[0].1) / per_megabyte(*callgrind, &files[1].1)
        })
        .collect();
    for (times, (what, file)) in times.iter_mut().zip(&files) {
        times.sort_unstable();
        let median = times[ROUNDS / 2];
        println!(
            "{what:<22} {:>6.1} MB {:>8.1} ms {:>6.2} ms per MB",
            file.len() as f64 / 1e6,
            median.as_secs_f64() * 1e3,
            per_megabyte(median, file)
        );
    }
    ratios.sort_by(f64::total_cmp);
    println!("a deep profile takes {:.2} × the time per byte", ratios[ROUNDS / 2]);
}

/// The time to read a file and compute all of its costs.
fn time(file: Vec<u8>) -> Duration {
    let begun = Instant::now();
    let read = formats::read(file, Limits::default(), &mut |_| ControlFlow::Continue(())).unwrap();
    let groups = Groups::identity(read.recording.symbols());
    let view = analysis::View::of(&read.recording);
    let costs = analysis::costs(&read.recording, &view, &groups);
    assert!(costs.total > 0.0);
    begun.elapsed()
}

/// In milliseconds.
fn per_megabyte(time: Duration, file: &[u8]) -> f64 {
    time.as_secs_f64() * 1e3 / (file.len() as f64 / 1e6)
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

/// A run of a random program. Each procedure has normal calls to others and one call of a closure.
fn deep(bytes: usize) -> Vec<u8> {
    /// The bytes of a context and the call that leads to it, on average.
    const PER_CONTEXT: usize = 34;
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut procs = Vec::new();
    for i in 0..N_PROCS {
        let site = |site: usize, callee| DeepSite {
            kind: if i == 0 { 4 } else { 2 * u8::from(site == 0) },
            callee,
            line: (10 * i + site) as u64,
            path: format!("s1-2;c{site};"),
            ..DeepSite::default()
        };
        let sites = (0..SITES).map(|n| site(n, 1 + random.below(N_PROCS - 1)));
        procs.push(DeepProc {
            module: format!("module_{}", i / 50),
            name: format!("procedure_{i}"),
            arity: 3,
            file: format!("module_{}.m", i / 50),
            line: 10 * i as u64,
            sites: sites.collect(),
            ..DeepProc::default()
        });
    }
    let mut run = DeepRun::new(9, procs);
    run.call(0, 1);
    while run.file.contexts.len() * PER_CONTEXT < bytes {
        if run.depth() < 3 || (run.depth() < 400 && random.below(100) < 52) {
            run.call(random.below(SITES), 1 + random.below(N_PROCS - 1));
            run.spend(7, random.below(1000) as u64);
        } else {
            run.end(0);
        }
    }
    while run.depth() > 1 {
        run.end(0);
    }
    run.file.bytes()
}

/// Functions with costs by line and calls to others, as callgrind writes them.
fn callgrind(bytes: usize) -> Vec<u8> {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let mut text = "# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\npositions: line\nevents: Ir\n\n".to_owned();
    let mut function = 0;
    while text.len() < bytes {
        let id = function % N_PROCS + 1;
        let name = if function < N_PROCS { format!(" function_{id}") } else { String::new() };
        let _ = writeln!(text, "fl=({}) module_{}.c\nfn=({id}){name}", id / 50 + 1, id / 50);
        for line in 0..6 {
            let _ = writeln!(text, "{} {}", 10 * id + line, random.below(100_000));
        }
        for _ in 0..SITES {
            let callee = id + 1 + random.below(N_PROCS);
            if callee <= N_PROCS && function >= N_PROCS {
                let (line, calls) = (10 * id + random.below(6), 1 + random.below(99));
                let _ = writeln!(
                    text,
                    "cfn=({callee})\ncalls={calls} {}\n{line} {}",
                    10 * callee,
                    random.below(1_000_000)
                );
            }
        }
        text.push('\n');
        function += 1;
    }
    text.into_bytes()
}
