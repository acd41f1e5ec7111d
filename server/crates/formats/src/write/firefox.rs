//! Processed Firefox profiles, version 75, for profiler.firefox.com.
//!
//! The Firefox Profiler reads all older versions but none newer than itself. This is the newest
//! version that its published command line (`@firefox-devtools/profiler-cli` 0.10.0) supports and
//! that samply writes. Profiles of this version are not upgraded after loading, so every table has
//! all columns of the front end's own empty profile.
//!
//! Some values are written explicitly because readers would otherwise assume others:
//! - A frame without a line has its func's first line. If the func has one, the line of the frame
//!   is therefore *present and 0*: no editor shows that line, and no line gets a cost that was not
//!   measured.
//! - Samples are in order of their times, which are since the first sample of the recording. In a
//!   thread without times, time advances by the weight of each sample, so that the timeline shows
//!   the same amounts as the call tree.
//! - If the length of samples is unknown, the interval, which is required, is 1 ms. The key
//!   `meta.costlineIntervalIsUnknown`, which other readers ignore, says so. Costline then reads
//!   counts again, and no times that follow from them.
//! - Code without a name has its address in its library; all other frames have address 0.
//! - A frame with code of another file than its func's has that place as its *original location*,
//!   as after symbolication with a source map: readers prefer its line.
//! - Labels of samples are intervals of markers, with which the Firefox Profiler shows and selects their
//!   samples. Costline does not read markers, which are most of many files: the keys `costlineLabels` have
//!   the labels of each sample.
//! - The category of a frame says whether it is idle; a frame that is idle on some stacks only is
//!   written twice.

mod schema;
mod tables;
mod threads;
mod unit;

use super::{UNKNOWN_LINE_TOTALS, Written};
use profile::{LabelSetId, Profile, StackAccess};
use schema::{
    CATEGORIES, Extensions, File, Label, Lib, MAX_LABEL_SETS, Meta, Number, SampleUnits, Shared,
    ThreadRow, has_labels,
};
use unit::{Unit, metric};

const VERSION: u32 = 75;

/// What is lost of counts.
const UNKNOWN_LENGTH: &str =
    "that the length of samples is unknown (the Firefox Profiler shows milliseconds)";

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
    if unit.has_unknown_interval() {
        lost.push(UNKNOWN_LENGTH);
    }
    if metric(profile).is_some_and(|metric| metric.lines.is_self_alone()) {
        lost.push(UNKNOWN_LINE_TOTALS);
    }
    if profile.samples().iter().any(|samples| samples.calls().is_some()) {
        lost.push("call counts");
    }
    if profile.labels().sets().len() > MAX_LABEL_SETS {
        lost.push("labels, of which there are too many combinations");
    }
    if threads::lacks_times(profile) {
        lost.push("that some times are unknown");
    }
    let mut bytes = Vec::new();
    let written = serde_json::to_writer(&mut bytes, &File::new(profile, &unit));
    debug_assert!(written.is_ok(), "a Vec takes all bytes, and every key is a string");
    Written { bytes, lost }
}

impl<'p> File<'p> {
    fn new(profile: &'p Profile, unit: &Unit) -> Self {
        let threads = profile.threads();
        Self {
            meta: Meta::new(profile, unit),
            libs: profile.symbols().libs.iter().map(Lib::new).collect(),
            pages: [],
            shared: Shared::new(profile),
            threads: (0..threads.len()).map(|i| ThreadRow::new(profile, i, unit)).collect(),
        }
    }
}

impl<'p> Meta<'p> {
    fn new(profile: &'p Profile, unit: &Unit) -> Self {
        let labels = profile.labels();
        let of_set = |set| labels.of_set(set).map(Label::new).collect();
        let sets = (0..labels.sets().len() as u32).map(LabelSetId::new).map(of_set);
        Self {
            version: VERSION,
            gecko_version: 36,
            product: "Costline",
            imported_from: "Costline",
            interval: Number(unit.step()),
            has_unknown_interval: unit.has_unknown_interval(),
            label_sets: if has_labels(profile) { sets.collect() } else { Vec::new() },
            start_time: 0,
            process_type: 0,
            stackwalk: 1,
            debug: false,
            symbolicated: true,
            categories: CATEGORIES,
            marker_schema: [],
            sample_units: SampleUnits {
                time: if profile.clock().is_some() { "ms" } else { unit.clock },
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
