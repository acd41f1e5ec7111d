//! Processed Firefox profiles, version 75: what profiler.firefox.com opens.
//!
//! The Firefox Profiler reads every older version but none that is newer than itself, and this is
//! the newest one that its own published command line (`@firefox-devtools/profiler-cli` 0.10.0)
//! knows and that samply writes. At that version nothing is upgraded after loading, so every table
//! has every column that the front end's own empty profile has.
//!
//! What a reader of such files would get wrong is said outright here:
//! - A frame without a line stands at its func's first line, so where the func has one, the frame's
//!   line is *present and 0*: no editor shows that line, and no line gets a cost that nobody
//!   measured.
//! - Samples have no times in a [`Profile`]. Here time passes by what each sample weighs, so that
//!   the timeline shows the same amounts as the call tree.
//! - Code without a name is where the file says that it lies in its library; all other frames lie
//!   at its beginning.
//! - A frame that runs code of another file than its func's has that place as its *original
//!   location*, as after symbolication with a source map: lines are taken from there first.
//! - A frame's category says whether it is idle; one that is idle on some stacks only is written
//!   twice.

mod schema;
mod tables;
mod threads;
mod unit;

use super::Written;
use profile::{Profile, StackAccess};
use schema::{CATEGORIES, Extensions, File, Lib, Meta, Number, SampleUnits, Shared, ThreadRow};
use unit::{Unit, metric};

const VERSION: u32 = 75;

/// Writes the profile's default metric.
pub fn write(profile: &Profile) -> Written {
    let unit = Unit::of(profile);
    let mut lost = Vec::new();
    if profile.metrics().len() > 1 {
        lost.push("the other metrics");
    }
    if !unit.is_kept {
        lost.push("the unit of the weights");
    }
    if metric(profile).is_some_and(|metric| metric.lines.is_self_alone()) {
        lost.push("that totals of lines are unknown");
    }
    if profile.samples().iter().any(|samples| samples.calls().is_some()) {
        lost.push("numbers of calls");
    }
    let mut bytes = Vec::new();
    let written = serde_json::to_writer(&mut bytes, &File::new(profile, &unit));
    debug_assert!(written.is_ok(), "a Vec takes all bytes, and every key is a string");
    Written { bytes, lost }
}

impl<'p> File<'p> {
    fn new(profile: &'p Profile, unit: &Unit) -> Self {
        let threads = profile.threads();
        let interval = if unit.weight_type == "samples" { unit.step } else { 1.0 };
        Self {
            meta: Meta::new(unit, interval),
            libs: profile.symbols().libs.iter().map(Lib::new).collect(),
            pages: [],
            shared: Shared::new(profile),
            threads: (0..threads.len()).map(|i| ThreadRow::new(profile, i, unit)).collect(),
        }
    }
}

impl Meta {
    fn new(unit: &Unit, interval: f64) -> Self {
        Self {
            version: VERSION,
            gecko_version: 36,
            product: "Costline",
            imported_from: "Costline",
            interval: Number(interval),
            start_time: 0,
            process_type: 0,
            stackwalk: 1,
            debug: false,
            symbolicated: true,
            categories: CATEGORIES,
            marker_schema: [],
            sample_units: SampleUnits {
                time: unit.clock,
                event_delay: "ms",
                thread_cpu_delta: "ns",
            },
            extensions: Extensions::default(),
            uses_only_one_stack_type: true,
            source_code_is_not_on_searchfox: true,
            keep_profile_thread_order: true,
        }
    }
}
