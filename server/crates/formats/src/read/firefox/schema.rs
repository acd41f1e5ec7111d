//! The tables and columns that bear on costs; everything else in the file is skipped unread.
//!
//! Version numbers say since when a column exists or until when; every column is optional here and its absence is
//! judged in [`super::convert`].

use super::columns::{Column, IdText, Text};
use serde::Deserialize;

#[derive(Debug, Deserialize)]
pub(super) struct File<'a> {
    #[serde(default)]
    pub(super) meta: Meta,
    #[serde(default, borrow)]
    pub(super) libs: Option<Vec<Lib<'a>>>,
    #[serde(default, borrow)]
    pub(super) shared: Option<Tables<'a>>,
    #[serde(default, borrow)]
    pub(super) threads: Vec<Thread<'a>>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Meta {
    #[serde(default, rename = "preprocessedProfileVersion")]
    pub(super) version: Option<u32>,
    /// Milliseconds between samples.
    #[serde(default)]
    pub(super) interval: Option<f64>,
    #[serde(default)]
    pub(super) categories: Option<Vec<Category>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Category {
    #[serde(default)]
    pub(super) name: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Lib<'a> {
    #[serde(default, borrow)]
    pub(super) name: Option<Text<'a>>,
    #[serde(default, borrow)]
    pub(super) path: Option<Text<'a>>,
}

/// Tables that lie in each thread (≤ 59) or in `shared` (strings since 56, sources since 58, the rest since 60).
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Tables<'a> {
    #[serde(default, borrow)]
    pub(super) string_array: Option<Vec<Text<'a>>>,
    #[serde(default, borrow)]
    pub(super) stack_table: Option<StackTable<'a>>,
    #[serde(default, borrow)]
    pub(super) frame_table: Option<FrameTable<'a>>,
    #[serde(default, borrow)]
    pub(super) func_table: Option<FuncTable<'a>>,
    #[serde(default, borrow)]
    pub(super) resource_table: Option<ResourceTable<'a>>,
    #[serde(default, borrow)]
    pub(super) sources: Option<Sources<'a>>,
    #[serde(default, borrow)]
    pub(super) source_location_table: Option<SourceLocationTable<'a>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Thread<'a> {
    #[serde(default, borrow)]
    pub(super) name: Option<Text<'a>>,
    #[serde(default, borrow)]
    pub(super) process_name: Option<Text<'a>>,
    pub(super) pid: Option<IdText>,
    pub(super) tid: Option<IdText>,
    #[serde(default, borrow)]
    pub(super) samples: Option<Samples<'a>>,
    #[serde(default, borrow)]
    pub(super) string_array: Option<Vec<Text<'a>>>,
    /// As copied from the front end's memory.
    #[serde(default, borrow)]
    pub(super) string_table: Option<CopiedStrings<'a>>,
    #[serde(default, borrow)]
    pub(super) stack_table: Option<StackTable<'a>>,
    #[serde(default, borrow)]
    pub(super) frame_table: Option<FrameTable<'a>>,
    #[serde(default, borrow)]
    pub(super) func_table: Option<FuncTable<'a>>,
    #[serde(default, borrow)]
    pub(super) resource_table: Option<ResourceTable<'a>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct CopiedStrings<'a> {
    #[serde(default, borrow, rename = "_array")]
    pub(super) array: Option<Vec<Text<'a>>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Samples<'a> {
    #[serde(default, borrow)]
    pub(super) stack: Option<Column<'a>>,
    #[serde(default, borrow)]
    pub(super) time: Option<Column<'a>>,
    /// Since 50, instead of `time`.
    #[serde(default, borrow)]
    pub(super) time_deltas: Option<Column<'a>>,
    #[serde(default, borrow)]
    pub(super) weight: Option<Column<'a>>,
    pub(super) weight_type: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct StackTable<'a> {
    #[serde(default, borrow)]
    pub(super) frame: Option<Column<'a>>,
    /// ≤ 65: the parent's row, null for a root.
    #[serde(default, borrow)]
    pub(super) prefix: Option<Column<'a>>,
    /// ≥ 66: how many rows before this one the parent stands, 0 for a root.
    #[serde(default, borrow)]
    pub(super) prefix_offset: Option<Column<'a>>,
    /// ≤ 52: the stack's category.
    #[serde(default, borrow)]
    pub(super) category: Option<Column<'a>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FrameTable<'a> {
    #[serde(default, borrow)]
    pub(super) func: Option<Column<'a>>,
    #[serde(default, borrow)]
    pub(super) line: Option<Column<'a>>,
    /// ≥ 70.
    #[serde(default, borrow)]
    pub(super) lib: Option<Column<'a>>,
    #[serde(default, borrow)]
    pub(super) category: Option<Column<'a>>,
    /// 40 to 70: 0 = not inlined.
    #[serde(default, borrow)]
    pub(super) inline_depth: Option<Column<'a>>,
    /// ≥ 64.
    #[serde(default, borrow)]
    pub(super) original_location: Option<Column<'a>>,
    /// ≥ 71: see [`frame_flags`].
    #[serde(default, borrow)]
    pub(super) flags: Option<Column<'a>>,
}

/// Bits of `frameTable.flags` (≥ 71): whether the cell of the same row holds a value.
pub(super) mod frame_flags {
    pub(in super::super) const INLINED: u32 = 1;
    pub(in super::super) const ADDRESS_AND_LIB: u32 = 1 << 1;
    pub(in super::super) const CATEGORY: u32 = 1 << 2;
    pub(in super::super) const LINE: u32 = 1 << 4;
    pub(in super::super) const ORIGINAL_LOCATION: u32 = 1 << 6;
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FuncTable<'a> {
    #[serde(default, borrow)]
    pub(super) name: Option<Column<'a>>,
    #[serde(default, borrow)]
    pub(super) resource: Option<Column<'a>>,
    /// ≥ 58.
    #[serde(default, borrow)]
    pub(super) source: Option<Column<'a>>,
    /// ≤ 57.
    #[serde(default, borrow)]
    pub(super) file_name: Option<Column<'a>>,
    #[serde(default, borrow)]
    pub(super) line_number: Option<Column<'a>>,
    #[serde(default, borrow)]
    pub(super) column_number: Option<Column<'a>>,
    /// ≥ 64.
    #[serde(default, borrow)]
    pub(super) original_location: Option<Column<'a>>,
    /// ≥ 75: see [`func_flags`].
    #[serde(default, borrow)]
    pub(super) flags: Option<Column<'a>>,
}

/// Bits of `funcTable.flags` (≥ 75): whether the cell of the same row holds a value.
pub(super) mod func_flags {
    pub(in super::super) const RESOURCE: u32 = 1 << 2;
    pub(in super::super) const SOURCE: u32 = 1 << 3;
    pub(in super::super) const LINE: u32 = 1 << 4;
    pub(in super::super) const COLUMN: u32 = 1 << 5;
    pub(in super::super) const ORIGINAL_LOCATION: u32 = 1 << 6;
}

#[derive(Debug, Deserialize)]
pub(super) struct ResourceTable<'a> {
    /// ≤ 69.
    #[serde(default, borrow)]
    pub(super) lib: Option<Column<'a>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Sources<'a> {
    #[serde(default, borrow)]
    pub(super) filename: Option<Column<'a>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct SourceLocationTable<'a> {
    #[serde(default, borrow)]
    pub(super) source: Option<Column<'a>>,
    #[serde(default, borrow)]
    pub(super) line: Option<Column<'a>>,
}
