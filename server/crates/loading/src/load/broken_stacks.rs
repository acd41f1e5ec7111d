//! Warns about recordings by perf and DHAT whose stacks lack callers.

use crate::load::loaded::Loaded;
use crate::units;
use analysis::{Recording, UnwindStats, Warning, WarningCode};
use formats::Format;

/// The smallest share of broken stacks to warn about. Good recordings have some, too: the dynamic
/// loader and parts of the C library have no frame pointers.
const MIN_BROKEN: f64 = 0.2;
/// Fewer samples than this are too few to judge a recording.
const MIN_SAMPLES: u64 = 10;

/// The frames of a stack that valgrind keeps by default.
const LIMIT_OF_VALGRIND: u32 = 12;
/// Those that dhat-rs keeps.
const LIMIT_OF_DHAT_RS: u32 = 10;

/// A warning if many stacks do not lead back to the start of a program or thread. `recording` is
/// the symbolicated one, because entry points are recognized by name.
pub fn broken_stacks(loaded: &Loaded, recording: &Recording) -> Option<Warning> {
    if loaded.format == Format::Dhat {
        return cut_by_dhat(loaded.mode.as_deref(), recording);
    }
    let by_perf = matches!(loaded.format, Format::PerfData | Format::PerfScript);
    // For copied stacks, unwinding has added a warning with the cause.
    if !by_perf || loaded.warnings.iter().any(|warning| warning.code == WarningCode::CutStacks) {
        return None;
    }
    let UnwindStats { n_samples, n_broken, n_with_callers } =
        analysis::unwind_stats(recording.sampled()?);
    let (n_samples_f, n_broken) = (n_samples as f64, n_broken as f64);
    if n_samples < MIN_SAMPLES || n_broken < MIN_BROKEN * n_samples_f {
        return None;
    }
    let what = if n_with_callers == 0 {
        "no sample has a caller, so the total of each function is only its self cost".to_owned()
    } else {
        let share = units::percent(n_broken, n_samples_f);
        format!(
            "{share} of the stacks do not lead back to the start of a program or thread, so totals of callers are too low"
        )
    };
    let message = format!(
        "{what}: record with `perf record --call-graph dwarf,65528 PROGRAM`, or build with frame pointers \
         (`-fno-omit-frame-pointer`; Rust: `-C force-frame-pointers=yes`) and record with `perf record -g PROGRAM`"
    );
    Some(Warning { code: WarningCode::BrokenStacks, message, count: 1 })
}

/// A warning if the default limit of DHAT has cut many stacks. `mode` is that of the file.
fn cut_by_dhat(mode: Option<&str>, recording: &Recording) -> Option<Warning> {
    let is_rust = mode.is_some_and(|mode| mode.starts_with("rust-"));
    let limit = if is_rust { LIMIT_OF_DHAT_RS } else { LIMIT_OF_VALGRIND };
    let share = analysis::share_cut_at(recording.sampled()?, limit);
    if share < MIN_BROKEN {
        return None;
    }
    let instead = if is_rust {
        "call `trim_backtraces(Some(usize::MAX))` on the `dhat::Profiler::builder()`"
    } else {
        "record with `valgrind --tool=dhat --num-callers=500 PROGRAM`"
    };
    let share = units::percent(share, 1.0);
    let message = format!(
        "stacks with {share} of the costs are cut at {limit} frames, so totals of callers are too low: {instead}"
    );
    Some(Warning { code: WarningCode::BrokenStacks, message, count: 1 })
}
