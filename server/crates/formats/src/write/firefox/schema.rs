//! The parts of a processed profile, for serialization.

use crate::read::shared::json::MAX_ELEMENTS;
use profile::{LabelSetId, LabelValue, Profile, StackAccess, StringId};
use serde::ser::SerializeSeq;
use serde::{Serialize, Serializer};
use std::borrow::Cow;

/// The largest number of combinations of labels. Costline reads no longer list in `meta`.
pub(super) const MAX_LABEL_SETS: usize = MAX_ELEMENTS;

/// Whether the labels of samples are written.
pub(super) fn has_labels(profile: &Profile) -> bool {
    (2..=MAX_LABEL_SETS).contains(&profile.labels().sets().len())
}

/// The phase of a marker with a start and an end.
const INTERVAL: u8 = 1;

/// Indexes in [`CATEGORIES`].
pub(super) const OTHER: u8 = 0;
pub(super) const IDLE: u8 = 1;
pub(super) const CATEGORIES: [Category; 2] =
    [Category::new("Other", "grey"), Category::new("Idle", "transparent")];

#[derive(Serialize)]
pub(super) struct File<'p> {
    pub(super) meta: Meta<'p>,
    pub(super) libs: Vec<Lib<'p>>,
    pub(super) pages: [u8; 0],
    pub(super) shared: Shared<'p>,
    pub(super) threads: Vec<ThreadRow<'p>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_excessive_bools, reason = "the keys are what they are")]
pub(super) struct Meta<'p> {
    #[serde(rename = "preprocessedProfileVersion")]
    pub(super) version: u32,
    /// The version of Firefox's raw format.
    #[serde(rename = "version")]
    pub(super) gecko_version: u32,
    pub(super) product: &'static str,
    pub(super) imported_from: &'static str,
    /// Milliseconds. Required, so it is 1 if the recording does not state it.
    pub(super) interval: Number,
    /// For Costline itself: the interval above means nothing.
    #[serde(rename = "costlineIntervalIsUnknown", skip_serializing_if = "std::ops::Not::not")]
    pub(super) has_unknown_interval: bool,
    /// For Costline itself: the sets of labels that samples have. The first one is empty.
    #[serde(rename = "costlineLabels", skip_serializing_if = "Vec::is_empty")]
    pub(super) label_sets: Vec<Vec<Label<'p>>>,
    pub(super) start_time: u8,
    pub(super) process_type: u8,
    pub(super) stackwalk: u8,
    pub(super) debug: bool,
    pub(super) symbolicated: bool,
    pub(super) categories: [Category; 2],
    pub(super) marker_schema: [u8; 0],
    pub(super) sample_units: SampleUnits,
    pub(super) extensions: Extensions,
    /// JavaScript and native code are not distinguished here, so there is nothing to choose
    /// between.
    pub(super) uses_only_one_stack_type: bool,
    pub(super) source_code_is_not_on_searchfox: bool,
    pub(super) keep_profile_thread_order: bool,
}

/// A label: key and value, and the unit of a number.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Label<'p> {
    Text(&'p str, &'p str),
    Number(&'p str, i64, &'p str),
}

impl<'p> Label<'p> {
    pub(super) fn new(label: &'p profile::Label) -> Self {
        match &label.value {
            LabelValue::Text(text) => Self::Text(&label.key, text),
            LabelValue::Number(number, unit) => Self::Number(&label.key, *number, unit),
        }
    }
}

#[derive(Serialize)]
pub(super) struct Category {
    pub(super) name: &'static str,
    pub(super) color: &'static str,
    pub(super) subcategories: [&'static str; 1],
}

impl Category {
    pub(super) const fn new(name: &'static str, color: &'static str) -> Self {
        Self { name, color, subcategories: ["Other"] }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SampleUnits {
    pub(super) time: &'static str,
    pub(super) event_delay: &'static str,
    #[serde(rename = "threadCPUDelta")]
    pub(super) thread_cpu_delta: &'static str,
}

#[derive(Serialize, Default)]
pub(super) struct Extensions {
    pub(super) length: u8,
    pub(super) id: [u8; 0],
    pub(super) name: [u8; 0],
    #[serde(rename = "baseURL")]
    pub(super) base_url: [u8; 0],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Lib<'p> {
    pub(super) name: &'p str,
    pub(super) path: &'p str,
    pub(super) debug_name: &'p str,
    pub(super) debug_path: &'p str,
    pub(super) breakpad_id: &'p str,
    pub(super) code_id: Option<&'p str>,
    pub(super) arch: &'p str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Shared<'p> {
    pub(super) stack_table: StackTable,
    pub(super) frame_table: FrameTable,
    pub(super) func_table: FuncTable,
    pub(super) resource_table: ResourceTable,
    pub(super) native_symbols: NativeSymbols,
    pub(super) sources: Sources,
    pub(super) source_location_table: SourceLocationTable,
    pub(super) string_array: StringArray<'p>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct StackTable {
    pub(super) length: usize,
    pub(super) frame: Vec<u32>,
    pub(super) prefix_offset: Vec<u32>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FrameTable {
    pub(super) length: usize,
    pub(super) flags: Vec<u8>,
    pub(super) address: Vec<u64>,
    pub(super) category: Vec<u8>,
    pub(super) subcategory: Same<u8>,
    pub(super) func: Vec<u32>,
    pub(super) lib: Vec<u32>,
    pub(super) native_symbol: Same<u8>,
    #[serde(rename = "innerWindowID")]
    pub(super) inner_window_id: Same<u8>,
    pub(super) line: Vec<u32>,
    pub(super) column: Vec<u32>,
    pub(super) original_location: Vec<u32>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FuncTable {
    pub(super) length: usize,
    pub(super) flags: Vec<u8>,
    pub(super) name: Vec<u32>,
    pub(super) resource: Vec<u32>,
    pub(super) source: Vec<u32>,
    pub(super) line_number: Vec<u32>,
    pub(super) column_number: Vec<u32>,
    pub(super) original_location: Same<u8>,
}

/// One resource per library, in the order of libraries.
#[derive(Serialize)]
pub(super) struct ResourceTable {
    pub(super) length: usize,
    pub(super) name: Vec<u32>,
    pub(super) host: Same<Option<u32>>,
    #[serde(rename = "type")]
    pub(super) kind: Same<u8>,
}

#[derive(Serialize, Default)]
#[serde(rename_all = "camelCase")]
pub(super) struct NativeSymbols {
    pub(super) length: u8,
    pub(super) lib_index: [u8; 0],
    pub(super) address: [u8; 0],
    pub(super) name: [u8; 0],
    pub(super) function_size: [u8; 0],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Sources {
    pub(super) length: usize,
    pub(super) id: Same<Option<u32>>,
    pub(super) filename: Vec<u32>,
    pub(super) start_line: Same<u8>,
    pub(super) start_column: Same<u8>,
    #[serde(rename = "sourceMapURL")]
    pub(super) source_map_url: Same<Option<u32>>,
    pub(super) content: Same<Option<u32>>,
}

#[derive(Serialize)]
pub(super) struct SourceLocationTable {
    pub(super) length: usize,
    pub(super) source: Vec<u32>,
    pub(super) line: Vec<u32>,
    pub(super) column: Same<u8>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ThreadRow<'p> {
    pub(super) name: &'p str,
    pub(super) process_name: &'p str,
    pub(super) pid: &'p str,
    pub(super) tid: Tid<'p>,
    pub(super) is_main_thread: bool,
    pub(super) process_type: &'static str,
    pub(super) process_startup_time: u8,
    pub(super) process_shutdown_time: Option<u8>,
    pub(super) register_time: u8,
    pub(super) unregister_time: Option<u8>,
    pub(super) paused_ranges: [u8; 0],
    pub(super) samples: Samples,
    pub(super) markers: Markers,
}

#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Tid<'p> {
    Number(u64),
    Text(&'p str),
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Samples {
    pub(super) length: usize,
    pub(super) stack: Vec<Option<u32>>,
    /// Milliseconds. Either this or `time_deltas`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) time: Option<Vec<Number>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) time_deltas: Option<Vec<Number>>,
    pub(super) weight: Option<Vec<Number>>,
    pub(super) weight_type: &'static str,
    /// For Costline itself: rows of [`Meta::label_sets`].
    #[serde(rename = "costlineLabels", skip_serializing_if = "Option::is_none")]
    pub(super) labels: Option<Vec<u32>>,
}

/// Intervals with a name.
#[derive(Serialize, Default)]
#[serde(rename_all = "camelCase")]
pub(super) struct Markers {
    length: usize,
    data: Vec<Option<u8>>,
    name: Vec<u32>,
    start_time: Vec<Number>,
    end_time: Vec<Number>,
    phase: Vec<u8>,
    category: Vec<u8>,
}

impl Markers {
    pub(super) fn push(&mut self, name: u32, start: f64, end: f64) {
        self.length += 1;
        self.data.push(None);
        self.name.push(name);
        self.start_time.push(Number(start));
        self.end_time.push(Number(end));
        self.phase.push(INTERVAL);
        self.category.push(OTHER);
    }
}

/// A column with the same value in every row.
pub(super) struct Same<T>(pub(super) T, pub(super) usize);

impl<T: Serialize> Serialize for Same<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut column = serializer.serialize_seq(Some(self.1))?;
        for _ in 0..self.1 {
            column.serialize_element(&self.0)?;
        }
        column.end()
    }
}

/// All strings, then the names of libraries, then the sets of labels.
pub(super) struct StringArray<'p>(pub(super) &'p Profile);

impl Serialize for StringArray<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let symbols = self.0.symbols();
        let strings =
            (0..symbols.strings.len()).map(|i| symbols.strings.get(StringId::new(i as u32)));
        let libs = symbols.libs.iter().map(|lib| lib.name.as_str());
        let sets = if has_labels(self.0) { self.0.labels().sets().len() } else { 0 };
        let sets = (1..sets as u32).map(|set| {
            let labels = self.0.labels().of_set(LabelSetId::new(set));
            let mut texts: Vec<String> = labels.map(ToString::to_string).collect();
            texts.sort_unstable();
            Cow::Owned(texts.join(", "))
        });
        serializer.collect_seq(strings.chain(libs).map(Cow::Borrowed).chain(sets))
    }
}

/// The index of a set of labels in the [`StringArray`], which does not have the empty set.
pub(super) fn name_of_labels(profile: &Profile, set: LabelSetId) -> u32 {
    let symbols = profile.symbols();
    (symbols.strings.len() + symbols.libs.len() + set.index() - 1) as u32
}

/// A number that is written without `.0` if it has no fraction.
pub(super) struct Number(pub(super) f64);

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        /// 2^53: all integers up to here are exact doubles.
        const EXACT: f64 = 9_007_199_254_740_992.0;
        if self.0.fract() == 0.0 && self.0.abs() <= EXACT {
            serializer.serialize_i64(self.0 as i64)
        } else {
            serializer.serialize_f64(self.0)
        }
    }
}
