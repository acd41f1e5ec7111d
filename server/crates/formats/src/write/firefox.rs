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

use super::{Written, elsewhere};
use profile::{
    AddressBase, FrameId, FuncId, LibId, Metric, Profile, SourceId, StackAccess, StackId, StringId,
    Thread, Weights,
};
use rustc_hash::FxHashMap;
use serde::ser::SerializeSeq;
use serde::{Serialize, Serializer};

const VERSION: u32 = 75;

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

/// Places in [`CATEGORIES`].
const OTHER: u8 = 0;
const IDLE: u8 = 1;
const CATEGORIES: [Category; 2] =
    [Category::new("Other", "grey"), Category::new("Idle", "transparent")];

/// A resource that is a library.
const LIBRARY: u8 = 1;

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

fn metric(profile: &Profile) -> Option<&Metric> {
    profile.metrics().get(profile.default_metric().index())
}

/// How weights are written down.
struct Unit {
    weight_type: &'static str,
    /// A weight is multiplied by the first and divided by the second; one of them is 1, so that the
    /// result is the nearest one.
    factors: (f64, f64),
    /// How far a weight of 1 in the file moves the clock, in the unit of `sampleUnits.time`.
    step: f64,
    clock: &'static str,
    is_kept: bool,
}

impl Unit {
    fn of(profile: &Profile) -> Self {
        let counts = Self {
            weight_type: "samples",
            factors: (1.0, 1.0),
            step: 1.0,
            clock: "ms",
            is_kept: true,
        };
        let Some(metric) = metric(profile) else { return counts };
        match (metric.unit.as_str(), metric.seconds_per_unit) {
            ("samples" | "sample", seconds) => {
                Self { step: seconds.map_or(1.0, |seconds| rounded(seconds * 1e3)), ..counts }
            }
            ("hits" | "count", _) => counts,
            ("bytes" | "byte", _) => Self { weight_type: "bytes", clock: "bytes", ..counts },
            (_, Some(seconds)) if seconds >= 1e-3 => Self {
                weight_type: "tracing-ms",
                factors: ((seconds * 1e3).round(), 1.0),
                ..counts
            },
            (_, Some(seconds)) => Self {
                weight_type: "tracing-ms",
                factors: (1.0, (1e-3 / seconds).round()),
                ..counts
            },
            (_, None) => Self { is_kept: false, ..counts },
        }
    }

    fn weight(&self, weight: f64) -> f64 {
        weight * self.factors.0 / self.factors.1
    }

    /// The time between a sample and the next.
    fn time(&self, weight: f64) -> f64 {
        if weight > 0.0 { weight * self.step } else { 0.0 }
    }
}

/// Milliseconds without the digits that a conversion to seconds and back adds.
fn rounded(ms: f64) -> f64 {
    (ms * 1e9).round() / 1e9
}

#[derive(Serialize)]
struct File<'p> {
    meta: Meta,
    libs: Vec<Lib<'p>>,
    pages: [u8; 0],
    shared: Shared<'p>,
    threads: Vec<ThreadRow<'p>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_excessive_bools, reason = "the keys are what they are")]
struct Meta {
    #[serde(rename = "preprocessedProfileVersion")]
    version: u32,
    /// Of the raw format that Firefox itself writes.
    #[serde(rename = "version")]
    gecko_version: u32,
    product: &'static str,
    imported_from: &'static str,
    /// Milliseconds; a number must stand here, so it is 1 where the recording does not tell.
    interval: Number,
    start_time: u8,
    process_type: u8,
    stackwalk: u8,
    debug: bool,
    symbolicated: bool,
    categories: [Category; 2],
    marker_schema: [u8; 0],
    sample_units: SampleUnits,
    extensions: Extensions,
    /// There is no telling JavaScript from native code here, so there is nothing to choose between.
    uses_only_one_stack_type: bool,
    source_code_is_not_on_searchfox: bool,
    keep_profile_thread_order: bool,
}

#[derive(Serialize)]
struct Category {
    name: &'static str,
    color: &'static str,
    subcategories: [&'static str; 1],
}

impl Category {
    const fn new(name: &'static str, color: &'static str) -> Self {
        Self { name, color, subcategories: ["Other"] }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SampleUnits {
    time: &'static str,
    event_delay: &'static str,
    #[serde(rename = "threadCPUDelta")]
    thread_cpu_delta: &'static str,
}

#[derive(Serialize, Default)]
struct Extensions {
    length: u8,
    id: [u8; 0],
    name: [u8; 0],
    #[serde(rename = "baseURL")]
    base_url: [u8; 0],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Lib<'p> {
    name: &'p str,
    path: &'p str,
    debug_name: &'p str,
    debug_path: &'p str,
    breakpad_id: &'p str,
    code_id: Option<&'p str>,
    arch: &'p str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Shared<'p> {
    stack_table: StackTable,
    frame_table: FrameTable,
    func_table: FuncTable,
    resource_table: ResourceTable,
    native_symbols: NativeSymbols,
    sources: Sources,
    source_location_table: SourceLocationTable,
    string_array: StringArray<'p>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct StackTable {
    length: usize,
    frame: Vec<u32>,
    prefix_offset: Vec<u32>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FrameTable {
    length: usize,
    flags: Vec<u8>,
    address: Vec<u64>,
    category: Vec<u8>,
    subcategory: Same<u8>,
    func: Vec<u32>,
    lib: Vec<u32>,
    native_symbol: Same<u8>,
    #[serde(rename = "innerWindowID")]
    inner_window_id: Same<u8>,
    line: Vec<u32>,
    column: Vec<u32>,
    original_location: Vec<u32>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FuncTable {
    length: usize,
    flags: Vec<u8>,
    name: Vec<u32>,
    resource: Vec<u32>,
    source: Vec<u32>,
    line_number: Vec<u32>,
    column_number: Vec<u32>,
    original_location: Same<u8>,
}

/// One resource per library, in order.
#[derive(Serialize)]
struct ResourceTable {
    length: usize,
    name: Vec<u32>,
    host: Same<Option<u32>>,
    #[serde(rename = "type")]
    kind: Same<u8>,
}

#[derive(Serialize, Default)]
#[serde(rename_all = "camelCase")]
struct NativeSymbols {
    length: u8,
    lib_index: [u8; 0],
    address: [u8; 0],
    name: [u8; 0],
    function_size: [u8; 0],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Sources {
    length: usize,
    id: Same<Option<u32>>,
    filename: Vec<u32>,
    start_line: Same<u8>,
    start_column: Same<u8>,
    #[serde(rename = "sourceMapURL")]
    source_map_url: Same<Option<u32>>,
    content: Same<Option<u32>>,
}

#[derive(Serialize)]
struct SourceLocationTable {
    length: usize,
    source: Vec<u32>,
    line: Vec<u32>,
    column: Same<u8>,
}

impl SourceLocationTable {
    /// Of these places; their columns are unknown.
    fn new(places: &[(SourceId, u32)]) -> Self {
        let (source, line) = places.iter().map(|(source, line)| (source.raw(), *line)).unzip();
        Self { length: places.len(), source, line, column: Same(0, places.len()) }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ThreadRow<'p> {
    name: &'p str,
    process_name: &'p str,
    pid: &'p str,
    tid: Tid<'p>,
    is_main_thread: bool,
    process_type: &'static str,
    process_startup_time: u8,
    process_shutdown_time: Option<u8>,
    register_time: u8,
    unregister_time: Option<u8>,
    paused_ranges: [u8; 0],
    samples: Samples,
    markers: Markers,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Tid<'p> {
    Number(u64),
    Text(&'p str),
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Samples {
    length: usize,
    stack: Vec<Option<u32>>,
    time_deltas: Vec<Number>,
    weight: Option<Vec<Number>>,
    weight_type: &'static str,
}

#[derive(Serialize, Default)]
#[serde(rename_all = "camelCase")]
struct Markers {
    length: u8,
    data: [u8; 0],
    name: [u8; 0],
    start_time: [u8; 0],
    end_time: [u8; 0],
    phase: [u8; 0],
    category: [u8; 0],
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

impl<'p> Lib<'p> {
    fn new(lib: &'p profile::Lib) -> Self {
        let profile::Lib {
            name,
            path,
            debug_name,
            debug_path,
            debug_id,
            code_id,
            arch,
            addresses: _,
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
    fn new(profile: &'p Profile) -> Self {
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
    /// The table whose rows are these frames, idle or not, and the places of those whose code is of
    /// another file than their func.
    fn new(profile: &Profile, rows: &[(FrameId, bool)]) -> (Self, Vec<(SourceId, u32)>) {
        let n = rows.len();
        let mut places = Vec::new();
        let mut known = FxHashMap::default();
        let locations: Vec<Option<u32>> = rows
            .iter()
            .map(|&(id, _)| {
                let place = elsewhere(profile, id)?;
                Some(*known.entry(place).or_insert_with(|| {
                    places.push(place);
                    places.len() as u32 - 1
                }))
            })
            .collect();
        let frames = || rows.iter().map(|&(id, _)| profile.frames().get(id));
        let funcs = || frames().map(|frame| profile.symbols().funcs.get(frame.func));
        let flags = frames().zip(funcs()).zip(&locations).map(|((frame, func), location)| {
            // A clear bit would send readers to the func's position.
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

/// Where a func that nobody has resolved lies in its library.
fn address(profile: &Profile, func: FuncId) -> Option<u64> {
    let (lib, address) = profile.symbols().unresolved(func)?;
    // Places in a file are none in memory, and there is no other column for them.
    (profile.symbols().libs[lib.index()].addresses == AddressBase::Image).then_some(address)
}

/// Frames in their own order, those that are idle on some stacks only once more at the end.
fn frames_and_stacks(profile: &Profile) -> (FrameTable, StackTable, Vec<(SourceId, u32)>) {
    let stacks = profile.stacks();
    // Whether a frame is on top of a stack that is not idle, and of one that is.
    let mut seen = vec![(false, false); profile.frames().len()];
    for stack in stacks.ids() {
        let (busy, idle) = &mut seen[stacks.frame(stack).index()];
        *(if stacks.is_idle(stack) { idle } else { busy }) = true;
    }
    let mut rows: Vec<_> =
        (0..).map(FrameId::new).zip(seen.iter().map(|&seen| seen == (false, true))).collect();
    let mut idle_rows = Vec::with_capacity(seen.len());
    for (frame, seen) in (0..).map(FrameId::new).zip(seen) {
        if seen == (true, true) {
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

impl<'p> ThreadRow<'p> {
    fn new(profile: &'p Profile, i: usize, unit: &Unit) -> Self {
        let threads = profile.threads();
        let Thread { name, process_name, tid, .. } = &threads[i];
        let samples = &profile.samples()[i];
        let number = |tid: &str| {
            tid.parse().ok().filter(|number: &u64| number.to_string() == tid).map(Tid::Number)
        };
        let pid = pid_of(&threads[i]);
        Self {
            name: if name.is_empty() { "(unnamed)" } else { name },
            process_name,
            pid,
            tid: tid
                .as_deref()
                .map_or(Tid::Number(i as u64 + 1), |tid| number(tid).unwrap_or(Tid::Text(tid))),
            is_main_thread: threads.iter().position(|thread| pid_of(thread) == pid) == Some(i),
            process_type: "default",
            process_startup_time: 0,
            process_shutdown_time: None,
            register_time: 0,
            unregister_time: None,
            paused_ranges: [],
            samples: Samples::new(
                samples,
                samples.weights().get(profile.default_metric().index()),
                unit,
            ),
            markers: Markers::default(),
        }
    }
}

/// Threads must have one; those of which it is unknown are of one process.
fn pid_of(thread: &Thread) -> &str {
    thread.pid.as_deref().unwrap_or("0")
}

impl Samples {
    fn new(samples: &profile::Samples, weights: Option<&Weights>, unit: &Unit) -> Self {
        let n = samples.len();
        let weight = |i| unit.weight(weights.map_or(0.0, |weights| weights.get(i)));
        let previous =
            |i: usize| i.checked_sub(1).map_or(0.0, |previous| unit.time(weight(previous)));
        let is_plain = weights == Some(&Weights::Ones) && unit.weight(1.0) == 1.0;
        Self {
            length: n,
            stack: samples.stacks().map(|stack| stack.map(StackId::raw)).collect(),
            time_deltas: (0..n).map(|i| Number(previous(i))).collect(),
            weight: (!is_plain).then(|| (0..n).map(|i| Number(weight(i))).collect()),
            weight_type: unit.weight_type,
        }
    }
}

fn flag(bit: u8, is_set: bool) -> u8 {
    if is_set { bit } else { 0 }
}

/// A column that holds the same in every row.
struct Same<T>(T, usize);

impl<T: Serialize> Serialize for Same<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut column = serializer.serialize_seq(Some(self.1))?;
        for _ in 0..self.1 {
            column.serialize_element(&self.0)?;
        }
        column.end()
    }
}

/// All strings, then the names of the libraries.
struct StringArray<'p>(&'p Profile);

impl Serialize for StringArray<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let symbols = self.0.symbols();
        let strings =
            (0..symbols.strings.len()).map(|i| symbols.strings.get(StringId::new(i as u32)));
        serializer.collect_seq(strings.chain(symbols.libs.iter().map(|lib| lib.name.as_str())))
    }
}

/// A number that is written without `.0` where it has no fraction.
struct Number(f64);

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        /// Up to here, every integer is a double.
        const EXACT: f64 = 9_007_199_254_740_992.0;
        if self.0.fract() == 0.0 && self.0.abs() <= EXACT {
            serializer.serialize_i64(self.0 as i64)
        } else {
            serializer.serialize_f64(self.0)
        }
    }
}
