//! The tables and columns that are read, and the meaning of their flags.
//!
//! `file.meta { preprocessedProfileVersion, interval (ms), categories [{name, color, subcategories}], sampleUnits
//! {time, threadCPUDelta} }`, `file.libs [{name, path, debugName, debugPath, breakpadId, codeId, arch}]`,
//! `file.threads [{name, processName, pid, tid, samples, …tables}]`, `file.shared { …tables }`.
//! Numbers are the first or last versions with a column:
//!
//! | table | columns |
//! |---|---|
//! | `stringArray` | per thread (≤ 55) or shared; also `stringTable._array`, as copied from the memory of the front end |
//! | `stackTable` | `frame`; `prefix` (≤ 65; null = root) or `prefixOffset` (≥ 66; rows back, 0 = root); `category` (≤ 52; read if frames have none) |
//! | `frameTable` | `func`, `line`, `column` (of scripts), `address` (of funcs without names), `category`, `subcategory` and `implementation` (≤ 53) if a subcategory is a tier, `lib` (≥ 70), `inlineDepth` (40 to 70), `originalLocation` (≥ 64), `flags` (≥ 71) |
//! | `funcTable` | `name`, `resource`, `fileName` (≤ 57), `source` (≥ 58), `lineNumber`, `columnNumber`, `isJS` and `relevantForJS` (≤ 74), `originalLocation` (≥ 64), `flags` (≥ 75) |
//! | `resourceTable` | `lib` (≤ 69) |
//! | `sources` | `filename` (≥ 58); `content` (≥ 64, text or null), for sources that begin at the `startLine` 1 (≥ 61) |
//! | `sourceLocationTable` | `source`, `line` (≥ 64) |
//! | `samples` | `stack`, `time` or `timeDeltas` (≥ 50), `weight` (null = 1 each), `weightType`, `threadCPUDelta` (null or NaN = unknown) |
//! | `jsAllocations` | `stack`, `weight` (bytes) |
//! | `nativeAllocations` | `stack`, `weight` (bytes, negative = freed), `memoryAddress` |
//!
//! For example, `prefix: [null, 0, 1]` of version 65 and `prefixOffset: [0, 1, 1]` of version 66 are
//! the same stacks: each one calls the next. A frame with `line: 0` has its func's first line up to
//! version 70, but no line from 71 on if its flag says that the cell is present.

use super::columns::Text;
use profile::JitTier;
use serde::Deserialize;

/// `meta`, in processed and raw profiles.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Meta {
    #[serde(default)]
    pub(super) preprocessed_profile_version: Option<u32>,
    /// Milliseconds between samples.
    #[serde(default)]
    interval: Option<f64>,
    #[serde(default)]
    categories: Option<Vec<Category>>,
    #[serde(default)]
    sample_units: Option<SampleUnits>,
    /// The program whose file the Firefox Profiler imported.
    #[serde(default)]
    pub(super) imported_from: Option<String>,
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
    pub(super) fn interval_seconds(&self) -> Option<f64> {
        self.interval.map(|ms| ms / 1000.0)
    }

    /// Whether the times of samples are numbers of allocated bytes.
    pub(super) fn counts_bytes(&self) -> bool {
        self.sample_units.as_ref().is_some_and(|units| units.time.as_deref() == Some("bytes"))
    }

    /// The names of categories.
    pub(super) fn categories(&self) -> Vec<&str> {
        self.categories.iter().flatten().map(|category| category.name.as_str()).collect()
    }

    /// The tier of each subcategory of each category: those of Firefox's category `JavaScript`.
    /// Empty if no subcategory is a tier.
    pub(super) fn tiers(&self) -> Vec<Vec<JitTier>> {
        let tiers = |category: &Category| {
            let is_script = category.name == "JavaScript";
            let names = category.subcategories.iter().flatten().filter(|_| is_script);
            names.map(|name| tier_of_subcategory(name)).collect()
        };
        let tiers: Vec<Vec<JitTier>> = self.categories.iter().flatten().map(tiers).collect();
        let has_any = tiers.iter().flatten().any(|&tier| tier != JitTier::Unknown);
        if has_any { tiers } else { Vec::new() }
    }

    /// The default category of stacks: the first grey one.
    pub(super) fn default_category(&self) -> Option<u32> {
        let position =
            self.categories.iter().flatten().position(|category| category.color == "grey");
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
