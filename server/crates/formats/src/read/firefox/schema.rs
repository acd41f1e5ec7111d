//! The members and columns that are read, and the meaning of their flags.
//!
//! Comments name the first or last version with a column; columns without one are in all versions.
//! For example, `prefix: [null, 0, 1]` of version 65 and `prefixOffset: [0, 1, 1]` of version 66 are
//! the same stacks: each one calls the next. A frame with `line: 0` has its func's first line up to
//! version 70, but no line from 71 on if its flag says that the cell is present.

use super::columns::{Kind, Text};
use super::raw::{Members, Wanted};
use crate::read::shared::json::ShortList;
use profile::{BuildError, JitTier, LabelSetId, ProfileBuilder};
use serde::Deserialize;

const ID: Wanted = Wanted::Column(Kind::Id);
const NUMBER: Wanted = Wanted::Column(Kind::Number);

/// A processed profile.
pub(super) static PROCESSED: &Members = &[
    // `Meta`.
    ("meta", Wanted::Json),
    // `Lib`.
    ("libs", Wanted::Json),
    // `Page`. Of browsers.
    ("pages", Wanted::Json),
    ("threads", Wanted::List(THREAD)),
    ("shared", Wanted::Object(SHARED)),
];

/// What threads share since version 56.
static SHARED: &Members = &[
    ("stringArray", Wanted::Json),
    // ≥ 58
    ("sources", Wanted::Object(SOURCES)),
    // ≥ 64
    ("sourceLocationTable", Wanted::Object(&[("source", ID), ("line", ID)])),
    ("stackTable", STACK_TABLE),
    ("frameTable", FRAME_TABLE),
    ("funcTable", FUNC_TABLE),
    ("resourceTable", RESOURCE_TABLE),
];

static SOURCES: &Members = &[
    ("filename", ID),
    // ≥ 64: text or null.
    ("content", Wanted::Json),
    // ≥ 61: sources that begin at another line than 1 are parts of files.
    ("startLine", ID),
];

static THREAD: &Members = &[
    ("name", Wanted::Json),
    ("processName", Wanted::Json),
    ("pid", Wanted::Json),
    ("tid", Wanted::Json),
    // ≤ 55
    ("stringArray", Wanted::Json),
    // As copied from the memory of the front end.
    ("stringTable", Wanted::Object(&[("_array", Wanted::Json)])),
    ("stackTable", STACK_TABLE),
    ("frameTable", FRAME_TABLE),
    ("funcTable", FUNC_TABLE),
    ("resourceTable", RESOURCE_TABLE),
    ("samples", Wanted::Object(SAMPLES)),
    ("jsAllocations", Wanted::Object(ALLOCATIONS)),
    ("nativeAllocations", Wanted::Object(ALLOCATIONS)),
];

const STACK_TABLE: Wanted = Wanted::Object(&[
    ("frame", ID),
    // ≤ 65: null = root.
    ("prefix", ID),
    // ≥ 66: rows back, 0 = root.
    ("prefixOffset", ID),
    // ≤ 52: read if frames have none.
    ("category", ID),
]);

const FRAME_TABLE: Wanted = Wanted::Object(&[
    ("func", ID),
    ("line", ID),
    // Of scripts.
    ("column", ID),
    // Of funcs without names.
    ("address", NUMBER),
    ("category", ID),
    ("subcategory", ID),
    // ≤ 53
    ("implementation", ID),
    // The page; 0 = none.
    ("innerWindowID", NUMBER),
    // ≥ 70
    ("lib", ID),
    // 40 to 70
    ("inlineDepth", ID),
    // ≥ 64
    ("originalLocation", ID),
    // ≥ 71
    ("flags", ID),
]);

const FUNC_TABLE: Wanted = Wanted::Object(&[
    ("name", ID),
    ("resource", ID),
    // ≤ 57
    ("fileName", ID),
    // ≥ 58
    ("source", ID),
    ("lineNumber", ID),
    ("columnNumber", ID),
    // ≤ 74
    ("isJS", Wanted::Column(Kind::Truth)),
    ("relevantForJS", Wanted::Column(Kind::Truth)),
    // ≥ 64
    ("originalLocation", ID),
    // ≥ 75
    ("flags", ID),
]);

// ≤ 69
const RESOURCE_TABLE: Wanted = Wanted::Object(&[("lib", ID)]);

static SAMPLES: &Members = &[
    ("stack", ID),
    ("time", NUMBER),
    // ≥ 50
    ("timeDeltas", NUMBER),
    // null = 1 each.
    ("weight", Wanted::Column(Kind::Weight)),
    ("weightType", Wanted::Json),
    // null or NaN = unknown.
    ("threadCPUDelta", Wanted::Column(Kind::Measure)),
    // By Costline.
    ("costlineLabels", ID),
];

static ALLOCATIONS: &Members = &[
    ("stack", ID),
    // Bytes; negative = freed.
    ("weight", NUMBER),
    // Of native allocations.
    ("memoryAddress", NUMBER),
    ("time", NUMBER),
];

/// A raw Gecko profile, or one that an exporter wrapped.
pub(super) static GECKO: &Members = &[
    ("profile", Wanted::Object(&GECKO_PROCESS)),
    ("meta", Wanted::Json),
    ("libs", Wanted::Json),
    ("pages", Wanted::Json),
    ("sources", GECKO_SOURCES),
    ("threads", Wanted::List(GECKO_THREAD)),
    ("processes", Wanted::List(&GECKO_PROCESS)),
];

/// A process, which may contain others.
static GECKO_PROCESS: [(&str, Wanted); 6] = [
    // `Meta` and `ProcessMeta`.
    ("meta", Wanted::Json),
    // `Lib` and `Range`.
    ("libs", Wanted::Json),
    // `Page`.
    ("pages", Wanted::Json),
    ("sources", GECKO_SOURCES),
    ("threads", Wanted::List(GECKO_THREAD)),
    ("processes", Wanted::List(&GECKO_PROCESS)),
];

const GECKO_SOURCES: Wanted = Wanted::Rows(&[("filename", Kind::Json)]);

static GECKO_THREAD: &Members = &[
    ("name", Wanted::Json),
    ("processName", Wanted::Json),
    ("pid", Wanted::Json),
    ("tid", Wanted::Json),
    ("stringTable", Wanted::Json),
    ("stackTable", Wanted::Rows(&[("prefix", Kind::Id), ("frame", Kind::Id)])),
    (
        "frameTable",
        Wanted::Rows(&[
            ("location", Kind::Id),
            ("line", Kind::Id),
            ("column", Kind::Id),
            ("category", Kind::Id),
            ("subcategory", Kind::Id),
            ("implementation", Kind::Id),
            ("relevantForJS", Kind::Id),
            ("innerWindowID", Kind::Number),
        ]),
    ),
    (
        "samples",
        Wanted::Rows(&[
            ("stack", Kind::Id),
            ("time", Kind::Number),
            ("threadCPUDelta", Kind::Number),
        ]),
    ),
    ("markers", Wanted::Allocations(&[("startTime", Kind::Number), ("data", Kind::Json)])),
];

/// The data of a marker about an allocation.
pub(super) static GECKO_ALLOCATION: &Members = &[
    ("type", Wanted::Json),
    ("size", Wanted::Json),
    ("memoryAddress", Wanted::Json),
    ("stack", Wanted::Object(&[("samples", Wanted::Rows(&[("stack", Kind::Id)]))])),
];

/// `meta`, in processed and raw profiles.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Meta {
    #[serde(default)]
    pub(super) preprocessed_profile_version: Option<u32>,
    /// Milliseconds between samples.
    #[serde(default)]
    interval: Option<f64>,
    /// Written by Costline if the interval only fills the required key.
    #[serde(default, rename = "costlineIntervalIsUnknown")]
    has_unknown_interval: Option<bool>,
    /// Written by Costline: the sets of labels that samples have.
    #[serde(default, rename = "costlineLabels")]
    label_sets: ShortList<Vec<Label>>,
    #[serde(default)]
    categories: Option<ShortList<Category>>,
    #[serde(default)]
    sample_units: Option<SampleUnits>,
    /// The program whose file the Firefox Profiler imported.
    #[serde(default)]
    pub(super) imported_from: Option<String>,
}

/// A label: key and value, and the unit of a number.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Label {
    Text(String, String),
    Number(String, i64, String),
}

/// One of `meta.categories`.
#[derive(Debug, Deserialize)]
struct Category {
    #[serde(default)]
    name: String,
    #[serde(default)]
    color: String,
    #[serde(default)]
    subcategories: Option<Vec<String>>,
}

fn tier_of_subcategory(name: &str) -> JitTier {
    match name {
        "Interpreter" => JitTier::Interpreter,
        "JIT (baseline-interpreter)" => JitTier::BaselineInterpreter,
        "JIT (baseline)" | "Wasm (baseline)" => JitTier::Baseline,
        "JIT (ion)" | "Wasm (ion)" => JitTier::Ion,
        _ => JitTier::Unknown,
    }
}

/// The tier that a cell of `frameTable.implementation` names.
pub(super) fn tier_of_implementation(name: &str) -> JitTier {
    match name {
        "interpreter" => JitTier::Interpreter,
        "blinterp" => JitTier::BaselineInterpreter,
        "baseline" => JitTier::Baseline,
        "ion" => JitTier::Ion,
        _ => JitTier::Unknown,
    }
}

/// `meta.sampleUnits`.
#[derive(Debug, Deserialize)]
struct SampleUnits {
    #[serde(default)]
    time: Option<String>,
    #[serde(default, rename = "threadCPUDelta")]
    cpu: Option<String>,
}

impl Meta {
    /// Whether the line of a function is its first one. For Python's `profiling.sampling`, it is the line
    /// that executed when the function was seen for the first time
    /// (`Lib/profiling/sampling/gecko_collector.py` of CPython).
    pub(super) fn has_first_lines(&self) -> bool {
        self.imported_from.as_deref() != Some("Tachyon Sampling Profiler")
    }

    pub(super) fn interval_seconds(&self) -> Option<f64> {
        self.interval.filter(|_| !self.has_unknown_interval()).map(|ms| ms / 1000.0)
    }

    /// Whether the interval, and times that follow from it, mean nothing.
    pub(super) fn has_unknown_interval(&self) -> bool {
        self.has_unknown_interval == Some(true)
    }

    /// Whether the times of samples are numbers of allocated bytes.
    pub(super) fn counts_bytes(&self) -> bool {
        self.sample_units.as_ref().is_some_and(|units| units.time.as_deref() == Some("bytes"))
    }

    /// The sets of labels that samples of an export by Costline have.
    pub(super) fn label_sets(
        &self,
        builder: &mut ProfileBuilder,
    ) -> Result<Vec<LabelSetId>, BuildError> {
        let label = |label: &Label| match label {
            Label::Text(key, text) => profile::Label::text(key, text),
            Label::Number(key, number, unit) => profile::Label::number(key, *number, unit),
        };
        self.label_sets.0.iter().map(|set| builder.intern_labels(set.iter().map(label))).collect()
    }

    fn all_categories(&self) -> &[Category] {
        self.categories.as_ref().map_or(&[], |categories| &categories.0)
    }

    /// The names of categories.
    pub(super) fn categories(&self) -> Vec<&str> {
        self.all_categories().iter().map(|category| category.name.as_str()).collect()
    }

    /// The tier of each subcategory of each category: those of Firefox's category `JavaScript`.
    /// Empty if no subcategory is a tier.
    pub(super) fn tiers(&self) -> Vec<Vec<JitTier>> {
        let tiers = |category: &Category| {
            let is_script = category.name == "JavaScript";
            let names = category.subcategories.iter().flatten().filter(|_| is_script);
            names.map(|name| tier_of_subcategory(name)).collect()
        };
        let tiers: Vec<Vec<JitTier>> = self.all_categories().iter().map(tiers).collect();
        let has_any = tiers.iter().flatten().any(|&tier| tier != JitTier::Unknown);
        if has_any { tiers } else { Vec::new() }
    }

    /// The default category of stacks: the first gray one.
    pub(super) fn default_category(&self) -> Option<u32> {
        let position = self.all_categories().iter().position(|category| category.color == "grey");
        position.map(|category| category as u32)
    }

    /// The unit of `threadCPUDelta`: `ns`, `µs` or `variable CPU cycles`.
    pub(super) fn cpu_unit(&self) -> Option<&str> {
        self.sample_units.as_ref()?.cpu.as_deref()
    }
}

/// One of `libs`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Lib<'a> {
    #[serde(default, borrow)]
    pub(super) name: Option<Text<'a>>,
    #[serde(default, borrow)]
    pub(super) path: Option<Text<'a>>,
    #[serde(default, borrow)]
    pub(super) debug_name: Option<Text<'a>>,
    #[serde(default, borrow)]
    pub(super) debug_path: Option<Text<'a>>,
    #[serde(default, borrow)]
    pub(super) breakpad_id: Option<Text<'a>>,
    #[serde(default, borrow)]
    pub(super) code_id: Option<Text<'a>>,
    #[serde(default, borrow)]
    pub(super) arch: Option<Text<'a>>,
}

/// Bits of `frameTable.flags`: whether the cell of the same row holds a value.
pub(super) mod frame_flags {
    pub(in super::super) const INLINED: u32 = 1;
    pub(in super::super) const ADDRESS_AND_LIB: u32 = 1 << 1;
    pub(in super::super) const CATEGORY: u32 = 1 << 2;
    pub(in super::super) const LINE: u32 = 1 << 4;
    pub(in super::super) const COLUMN: u32 = 1 << 5;
    pub(in super::super) const ORIGINAL_LOCATION: u32 = 1 << 6;
}

/// Bits of `funcTable.flags`: what the func is, and whether the cell of the same row holds a value.
pub(super) mod func_flags {
    pub(in super::super) const IS_JS: u32 = 1;
    pub(in super::super) const RELEVANT_FOR_JS: u32 = 1 << 1;
    pub(in super::super) const RESOURCE: u32 = 1 << 2;
    pub(in super::super) const SOURCE: u32 = 1 << 3;
    pub(in super::super) const LINE: u32 = 1 << 4;
    pub(in super::super) const COLUMN: u32 = 1 << 5;
    pub(in super::super) const ORIGINAL_LOCATION: u32 = 1 << 6;
}
