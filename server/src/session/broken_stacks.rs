//! What is said of a recording by perf whose stacks lack callers.

use crate::present::units;
use crate::session::snapshot::Loaded;
use analysis::Unwound;
use formats::Format;
use profile::{Recording, Warning};
use symbols::CUT_STACKS;

/// The code of the warning that stacks were not unwound.
pub const BROKEN_STACKS: &str = "broken-stacks";

/// Fewer are found in good recordings, too: the loader and parts of the C library keep no frame pointers.
const WORTH_A_WORD: f64 = 0.2;
/// So few samples say nothing of a recording.
const FEW: u64 = 10;

/// The warning, if many stacks begin elsewhere than programs and threads do. `recording` has the names that are known.
pub fn broken_stacks(loaded: &Loaded, recording: &Recording) -> Option<Warning> {
    let by_perf = matches!(loaded.format, Format::PerfData | Format::PerfScript);
    // Where stacks were copied, it is said why they are cut.
    if !by_perf || loaded.warnings.iter().any(|warning| warning.code == CUT_STACKS) {
        return None;
    }
    let Unwound { n_samples, n_broken, n_with_callers } = analysis::unwound(recording.sampled()?);
    let (n_samples_f, n_broken) = (n_samples as f64, n_broken as f64);
    if n_samples < FEW || n_broken < WORTH_A_WORD * n_samples_f {
        return None;
    }
    let what = if n_with_callers == 0 {
        "no sample has a caller, so totals of functions are no more than their self cost".to_owned()
    } else {
        let share = units::percent(n_broken, n_samples_f);
        format!("{share} of the stacks do not lead back to the start of a program or thread, so totals of callers are too low")
    };
    let message = format!(
        "{what}: record with `perf record --call-graph dwarf,65528 PROGRAM`, or build with frame pointers \
         (`-fno-omit-frame-pointer`; Rust: `-C force-frame-pointers=yes`) and record with `perf record -g PROGRAM`"
    );
    Some(Warning { code: BROKEN_STACKS, message, count: 1 })
}
