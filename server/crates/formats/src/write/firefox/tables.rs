//! The tables that all threads share.

use super::schema::{
    FrameTable, FuncTable, IDLE, Lib, NativeSymbols, OTHER, ResourceTable, Same, Shared,
    SourceLocationTable, Sources, StackTable, StringArray,
};
use crate::write::elsewhere;
use profile::{AddressBase, FrameId, FuncId, LibId, Profile, SourceId, StackAccess};
use rustc_hash::FxHashMap;

/// Bits of `frameTable.flags`.
const INLINED: u8 = 1;
const HAS_ADDRESS_AND_LIB: u8 = 1 << 1;
const HAS_CATEGORY: u8 = 1 << 2;
const FRAME_HAS_LINE: u8 = 1 << 4;
const FRAME_HAS_COLUMN: u8 = 1 << 5;
const FRAME_HAS_ORIGINAL_LOCATION: u8 = 1 << 6;

/// Bits of `funcTable.flags`.
const HAS_RESOURCE: u8 = 1 << 2;
const HAS_SOURCE: u8 = 1 << 3;
const FUNC_HAS_LINE: u8 = 1 << 4;
const FUNC_HAS_COLUMN: u8 = 1 << 5;

/// The type of a resource that is a library.
const LIBRARY: u8 = 1;

impl<'p> Lib<'p> {
    pub(super) fn new(lib: &'p profile::Lib) -> Self {
        let profile::Lib {
            name,
            path,
            debug_name,
            debug_path,
            debug_id,
            code_id,
            arch,
            addresses: _,
            text_size: _,
        } = lib;
        let or = |own: &'p String, other: &'p String| {
            if own.is_empty() { other.as_str() } else { own.as_str() }
        };
        Self {
            name,
            path,
            debug_name: or(debug_name, name),
            debug_path: or(debug_path, path),
            breakpad_id: debug_id,
            code_id: Some(code_id.as_str()).filter(|id| !id.is_empty()),
            arch,
        }
    }
}

impl<'p> Shared<'p> {
    pub(super) fn new(profile: &'p Profile) -> Self {
        let symbols = profile.symbols();
        let (n_strings, n_libs, n_sources) =
            (symbols.strings.len(), symbols.libs.len(), symbols.sources.len());
        let (frame_table, stack_table, places) = frames_and_stacks(profile);
        Self {
            stack_table,
            frame_table,
            func_table: FuncTable::new(profile),
            resource_table: ResourceTable {
                length: n_libs,
                name: (n_strings as u32..).take(n_libs).collect(),
                host: Same(None, n_libs),
                kind: Same(LIBRARY, n_libs),
            },
            native_symbols: NativeSymbols::default(),
            sources: Sources {
                length: n_sources,
                id: Same(None, n_sources),
                filename: symbols.sources.iter().map(|name| name.raw()).collect(),
                start_line: Same(1, n_sources),
                start_column: Same(1, n_sources),
                source_map_url: Same(None, n_sources),
                content: Same(None, n_sources),
            },
            source_location_table: SourceLocationTable::new(&places),
            string_array: StringArray(profile),
        }
    }
}

impl SourceLocationTable {
    /// A table of these places, with unknown columns.
    fn new(places: &[(SourceId, u32)]) -> Self {
        let (source, line) = places.iter().map(|(source, line)| (source.raw(), *line)).unzip();
        Self { length: places.len(), source, line, column: Same(0, places.len()) }
    }
}

impl FuncTable {
    fn new(profile: &Profile) -> Self {
        let funcs = &profile.symbols().funcs;
        let rows = || funcs.ids().map(|id| funcs.get(id));
        let flags = rows().map(|func| {
            flag(HAS_RESOURCE, func.lib.is_some())
                | flag(HAS_SOURCE, func.source.is_some())
                | flag(FUNC_HAS_LINE, func.line > 0)
                | flag(FUNC_HAS_COLUMN, func.column > 0)
        });
        Self {
            length: funcs.len(),
            flags: flags.collect(),
            name: rows().map(|func| func.name.raw()).collect(),
            resource: rows().map(|func| func.lib.map_or(0, LibId::raw)).collect(),
            source: rows().map(|func| func.source.map_or(0, SourceId::raw)).collect(),
            line_number: rows().map(|func| func.line).collect(),
            column_number: rows().map(|func| func.column).collect(),
            original_location: Same(0, funcs.len()),
        }
    }
}

impl FrameTable {
    /// A table with these frames, idle or not, and the places of frames whose code is in another
    /// file than their func.
    fn new(profile: &Profile, rows: &[(FrameId, bool)]) -> (Self, Vec<(SourceId, u32)>) {
        let n = rows.len();
        let mut places = Vec::new();
        let mut location_ids = FxHashMap::default();
        let locations: Vec<Option<u32>> = rows
            .iter()
            .map(|&(id, _)| {
                let place = elsewhere(profile, id)?;
                Some(*location_ids.entry(place).or_insert_with(|| {
                    places.push(place);
                    places.len() as u32 - 1
                }))
            })
            .collect();
        let frames = || rows.iter().map(|&(id, _)| profile.frames().get(id));
        let funcs = || frames().map(|frame| profile.symbols().funcs.get(frame.func));
        let flags = frames().zip(funcs()).zip(&locations).map(|((frame, func), location)| {
            // If the bit were clear, readers would use the func's position.
            flag(INLINED, frame.inlined)
                | flag(HAS_ADDRESS_AND_LIB, func.lib.is_some())
                | HAS_CATEGORY
                | flag(FRAME_HAS_LINE, frame.line > 0 || func.line > 0)
                | flag(FRAME_HAS_COLUMN, frame.column > 0 || func.column > 0)
                | flag(FRAME_HAS_ORIGINAL_LOCATION, location.is_some())
        });
        let table = Self {
            length: n,
            flags: flags.collect(),
            address: frames().map(|frame| address(profile, frame.func).unwrap_or(0)).collect(),
            category: rows.iter().map(|&(_, is_idle)| if is_idle { IDLE } else { OTHER }).collect(),
            subcategory: Same(0, n),
            func: frames().map(|frame| frame.func.raw()).collect(),
            lib: funcs().map(|func| func.lib.map_or(0, LibId::raw)).collect(),
            native_symbol: Same(0, n),
            inner_window_id: Same(0, n),
            line: frames().map(|frame| frame.line).collect(),
            column: frames().map(|frame| frame.column).collect(),
            original_location: locations.iter().map(|location| location.unwrap_or(0)).collect(),
        };
        (table, places)
    }
}

/// The address of an unresolved func in its library.
fn address(profile: &Profile, func: FuncId) -> Option<u64> {
    let (lib, address) = profile.symbols().unresolved(func)?;
    // Offsets in a file are not addresses in memory, and there is no other column for them.
    (profile.symbols().libs[lib.index()].addresses == AddressBase::Image).then_some(address)
}

/// Writes frames in their order; frames that are idle on some stacks only get a second row at the
/// end.
fn frames_and_stacks(profile: &Profile) -> (FrameTable, StackTable, Vec<(SourceId, u32)>) {
    let stacks = profile.stacks();
    // For each frame, whether it is the leaf of a stack that is not idle, and of one that is.
    let mut uses = vec![(false, false); profile.frames().len()];
    for stack in stacks.ids() {
        let (busy, idle) = &mut uses[stacks.frame(stack).index()];
        *(if stacks.is_idle(stack) { idle } else { busy }) = true;
    }
    let mut rows: Vec<_> =
        (0..).map(FrameId::new).zip(uses.iter().map(|&uses| uses == (false, true))).collect();
    let mut idle_rows = Vec::with_capacity(uses.len());
    for (frame, uses) in (0..).map(FrameId::new).zip(uses) {
        if uses == (true, true) {
            idle_rows.push(rows.len() as u32);
            rows.push((frame, true));
        } else {
            idle_rows.push(frame.raw());
        }
    }
    let frame = stacks.ids().map(|stack| {
        let frame = stacks.frame(stack);
        if stacks.is_idle(stack) { idle_rows[frame.index()] } else { frame.raw() }
    });
    let prefix_offset = stacks
        .ids()
        .map(|stack| stacks.prefix(stack).map_or(0, |prefix| stack.raw() - prefix.raw()));
    let stacks = StackTable {
        length: stacks.len(),
        frame: frame.collect(),
        prefix_offset: prefix_offset.collect(),
    };
    let (frames, places) = FrameTable::new(profile, &rows);
    (frames, stacks, places)
}

fn flag(bit: u8, is_set: bool) -> u8 {
    if is_set { bit } else { 0 }
}
