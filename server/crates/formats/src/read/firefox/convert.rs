//! Decoded columns to profile tables.
//!
//! Tables of each thread are appended one after the other; strings, libraries, funcs and frames are interned, so equal ones
//! of several threads become one. Only rows that a frame uses are looked at: orphaned funcs hold garbage.

use super::columns::{ABSENT, Column, Text};
use super::schema::{
    File, FrameTable, FuncTable, Lib, ResourceTable, Samples, SourceLocationTable, Sources, StackTable, Tables, frame_flags,
    func_flags,
};
use crate::{At, ReadError};
use profile::{Frame, FrameId, Func, FuncId, LibId, Metric, Profile, ProfileBuilder, StackId, Warnings, Weights};

/// The profile and the seconds between its first and last sample.
pub(super) fn convert(file: File<'_>, warnings: &mut Warnings) -> Result<(Profile, Option<f64>), ReadError> {
    let File { meta, libs, shared, threads } = file;
    let units = weight_types(threads.iter().filter_map(|thread| thread.samples.as_ref()));
    let interval_seconds = meta.interval.map(|ms| ms / 1000.0);
    let metrics = units.iter().map(|unit| Metric::new(unit, unit, interval_seconds)).collect();
    let mut builder = ProfileBuilder::new(metrics, 0);

    let idle = meta.categories.unwrap_or_default().iter().position(|category| category.name == "Idle");
    let mut appender = Appender {
        libs: intern_libs(&mut builder, libs.unwrap_or_default())?,
        idle: idle.map(|category| category as u32),
        builder: &mut builder,
    };

    let shared = shared.unwrap_or_default();
    let Tables { string_array, stack_table, frame_table, func_table, resource_table, sources, source_location_table } = shared;
    let shared_strings = string_array.unwrap_or_default();
    let sources = decode_sources(sources)?;
    let locations = decode_locations(source_location_table.as_ref())?;
    let stacks_are_shared = stack_table.is_some();
    if stacks_are_shared {
        let tables = complete("shared", stack_table, frame_table, func_table)?;
        appender.append("shared", &shared_strings, &tables, resource_table, &sources, &locations)?;
    }

    let mut span = Span::default();
    for (i, thread) in threads.into_iter().enumerate() {
        let place = format!("threads[{i}]");
        let Some(samples) = thread.samples else {
            warnings.add("thread-without-samples", || format!("{place} has no samples table; it is passed over"));
            continue;
        };
        let mut first_stack = 0;
        if !stacks_are_shared {
            first_stack = appender.builder.n_stacks();
            let strings = thread.string_array.or_else(|| thread.string_table.and_then(|copied| copied.array));
            let strings = strings.as_ref().unwrap_or(&shared_strings);
            let tables = complete(&place, thread.stack_table, thread.frame_table, thread.func_table)?;
            appender.append(&place, strings, &tables, thread.resource_table, &sources, &locations)?;
        }
        span.add(&samples);
        let text = |text: Option<Text<'_>>| text.map(|text| text.0.into_owned()).unwrap_or_default();
        let samples = convert_samples(&place, &samples, &units, first_stack, appender.builder.n_stacks())?;
        appender.builder.push_thread(profile::Thread {
            name: text(thread.name),
            process_name: text(thread.process_name),
            pid: thread.pid.and_then(|id| id.0),
            tid: thread.tid.and_then(|id| id.0),
            samples,
        })?;
    }
    Ok((builder.build(), span.seconds()))
}

/// The kinds of weight in the file, in order of first use; each is a metric.
fn weight_types<'s>(tables: impl Iterator<Item = &'s Samples<'s>>) -> Vec<String> {
    let mut types: Vec<String> = Vec::new();
    for samples in tables.filter(|samples| samples.stack.is_some_and(|stack| !stack.is_empty())) {
        let unit = weight_type(samples);
        if !types.iter().any(|known| known == unit) {
            types.push(unit.to_owned());
        }
    }
    if types.is_empty() {
        types.push("samples".to_owned());
    }
    types
}

fn weight_type<'s>(samples: &'s Samples<'_>) -> &'s str {
    samples.weight_type.as_deref().unwrap_or("samples")
}

fn intern_libs(builder: &mut ProfileBuilder, libs: Vec<Lib<'_>>) -> Result<Vec<LibId>, ReadError> {
    let text = |text: Option<Text<'_>>| text.map(|text| text.0.into_owned()).unwrap_or_default();
    libs.into_iter().map(|lib| Ok(builder.intern_lib(profile::Lib { name: text(lib.name), path: text(lib.path) })?)).collect()
}

/// The string of each source.
fn decode_sources(sources: Option<Sources<'_>>) -> Result<Vec<u32>, ReadError> {
    decode(sources.and_then(|sources| sources.filename), "shared.sources.filename")
}

/// Source and line of each location.
fn decode_locations(table: Option<&SourceLocationTable<'_>>) -> Result<Vec<(u32, u32)>, ReadError> {
    let Some(SourceLocationTable { source, line }) = table else { return Ok(Vec::new()) };
    let source = decode(*source, "shared.sourceLocationTable.source")?;
    let line = decode(*line, "shared.sourceLocationTable.line")?;
    Ok(source.into_iter().zip(line).collect())
}

/// A column that may be missing: then it has no rows.
fn decode(column: Option<Column<'_>>, place: &str) -> Result<Vec<u32>, ReadError> {
    column.map_or(Ok(Vec::new()), |column| column.ids(place))
}

/// The three tables without which no sample means anything.
struct Complete<'a> {
    stacks: StackTable<'a>,
    frames: FrameTable<'a>,
    funcs: FuncTable<'a>,
}

fn complete<'a>(
    place: &str,
    stacks: Option<StackTable<'a>>,
    frames: Option<FrameTable<'a>>,
    funcs: Option<FuncTable<'a>>,
) -> Result<Complete<'a>, ReadError> {
    let missing = |table: &str| {
        let message = format!("expected the table {table} here or in \"shared\"; the file has neither");
        ReadError::malformed(At::Key(place.to_owned()), message)
    };
    Ok(Complete {
        stacks: stacks.ok_or_else(|| missing("stackTable"))?,
        frames: frames.ok_or_else(|| missing("frameTable"))?,
        funcs: funcs.ok_or_else(|| missing("funcTable"))?,
    })
}

struct Appender<'b> {
    builder: &'b mut ProfileBuilder,
    libs: Vec<LibId>,
    /// The category that means "not running".
    idle: Option<u32>,
}

impl Appender<'_> {
    /// Appends all stacks of one set of tables, with the frames and funcs that they use.
    fn append(
        &mut self,
        place: &str,
        strings: &[Text<'_>],
        tables: &Complete<'_>,
        resources: Option<ResourceTable<'_>>,
        sources: &[u32],
        locations: &[(u32, u32)],
    ) -> Result<(), ReadError> {
        let resource_libs = decode(resources.and_then(|resources| resources.lib), &format!("{place}.resourceTable.lib"))?;
        let funcs = Funcs::new(place, &tables.funcs)?;
        let frames = Frames::new(place, &tables.frames)?;
        let names = Names { strings, sources, locations, libs: &self.libs, resource_libs: &resource_libs };
        let ids = append_frames(self.builder, place, &frames, funcs, &names)?;

        let stacks = &tables.stacks;
        let frame_column = required(stacks.frame, place, "stackTable.frame")?;
        let (parents, relative) = match stacks.prefix {
            Some(prefix) => (prefix.ids(&format!("{place}.stackTable.prefix"))?, false),
            None => (required(stacks.prefix_offset, place, "stackTable.prefixOffset")?, true),
        };
        same_length(place, "stackTable: the parent column", parents.len(), frame_column.len())?;

        let first = self.builder.n_stacks();
        self.builder.reserve_stacks(frame_column.len());
        for (row, (&frame, &parent)) in frame_column.iter().zip(&parents).enumerate() {
            let id = ids.get(frame as usize).copied();
            let id = id.ok_or_else(|| dangling(place, "stackTable.frame", row, frame, ids.len(), "frames"))?;
            let prefix = match (parent, relative) {
                (ABSENT, _) | (0, true) => None,
                (offset, true) => match row.checked_sub(offset as usize) {
                    Some(prefix) => Some(prefix),
                    None => return Err(dangling(place, "stackTable.prefixOffset", row, offset, row, "stacks before it")),
                },
                (prefix, false) if (prefix as usize) < row => Some(prefix as usize),
                (prefix, false) => return Err(dangling(place, "stackTable.prefix", row, prefix, row, "stacks before it")),
            };
            self.builder.push_stack(prefix.map(|prefix| StackId::new((first + prefix) as u32)), id)?;
        }
        if let Some(idle) = self.idle {
            let stack_categories = decode(stacks.category, &format!("{place}.stackTable.category"))?;
            let own = |row: usize| match stack_categories.get(row) {
                Some(&category) => category,
                None => frames.cell(&frames.category, frame_column[row] as usize, frame_flags::CATEGORY).unwrap_or(ABSENT),
            };
            self.mark_idle(first, frame_column.len(), idle, own)?;
        }
        Ok(())
    }

    /// A stack without a category of its own has its parent's (`firefox.md` 2.2).
    fn mark_idle(&mut self, first: usize, n: usize, idle: u32, own: impl Fn(usize) -> u32) -> Result<(), ReadError> {
        let mut is_idle = vec![false; n];
        for row in 0..n {
            let stack = StackId::new((first + row) as u32);
            is_idle[row] = match own(row) {
                ABSENT => self.builder.prefix(stack).is_some_and(|parent| is_idle[parent.index() - first]),
                category => category == idle,
            };
            if is_idle[row] {
                self.builder.set_idle(stack)?;
            }
        }
        Ok(())
    }
}

/// The frame of each row of the frame table.
fn append_frames(
    builder: &mut ProfileBuilder,
    place: &str,
    frames: &Frames,
    mut funcs: Funcs,
    names: &Names<'_>,
) -> Result<Vec<FrameId>, ReadError> {
    let mut ids = Vec::with_capacity(frames.func.len());
    for (row, &func) in frames.func.iter().enumerate() {
        if func as usize >= funcs.name.len() {
            return Err(dangling(place, "frameTable.func", row, func, funcs.name.len(), "funcs"));
        }
        let inlined = match frames.flags.get(row) {
            Some(flags) => flags & frame_flags::INLINED != 0,
            None => frames.inline_depth.get(row).is_some_and(|&depth| depth != ABSENT && depth > 0),
        };
        let lib = frames.cell(&frames.lib, row, frame_flags::ADDRESS_AND_LIB);
        let location = frames.cell(&frames.original_location, row, frame_flags::ORIGINAL_LOCATION);
        let position = funcs.position(place, builder, func as usize, lib, location, names)?;
        // A frame without a line stands at its func's first. Source and line come from the same tier: both before
        // compilation or both after (`firefox.md` 2.4).
        let own = frames.cell(&frames.line, row, frame_flags::LINE).filter(|&line| line > 0 && !position.original);
        ids.push(builder.intern_frame(Frame { func: position.func, line: own.unwrap_or(position.line), inlined })?);
    }
    Ok(ids)
}

/// A frame table, decoded.
struct Frames {
    func: Vec<u32>,
    line: Vec<u32>,
    lib: Vec<u32>,
    category: Vec<u32>,
    inline_depth: Vec<u32>,
    original_location: Vec<u32>,
    flags: Vec<u32>,
}

impl Frames {
    fn new(place: &str, table: &FrameTable<'_>) -> Result<Self, ReadError> {
        let column = |column: Option<Column<'_>>, name: &str| decode(column, &format!("{place}.frameTable.{name}"));
        Ok(Self {
            func: required(table.func, place, "frameTable.func")?,
            line: column(table.line, "line")?,
            lib: column(table.lib, "lib")?,
            category: column(table.category, "category")?,
            inline_depth: column(table.inline_depth, "inlineDepth")?,
            original_location: column(table.original_location, "originalLocation")?,
            flags: column(table.flags, "flags")?,
        })
    }

    /// A cell, unless it is absent by its own value (≤ 70) or by its flag (≥ 71).
    fn cell(&self, column: &[u32], row: usize, flag: u32) -> Option<u32> {
        present(column, row, &self.flags, flag)
    }
}

/// A func table, decoded, with the funcs made of it so far.
struct Funcs {
    name: Vec<u32>,
    resource: Vec<u32>,
    source: Vec<u32>,
    file_name: Vec<u32>,
    line: Vec<u32>,
    column: Vec<u32>,
    original_location: Vec<u32>,
    flags: Vec<u32>,
    /// Per row the last library and what came out: nearly all frames of a func agree.
    known: Vec<Option<(Option<u32>, Position)>>,
}

/// What a frame is at, apart from a line of its own.
#[derive(Clone, Copy)]
struct Position {
    func: FuncId,
    /// The line of a frame that has none; 0 = unknown.
    line: u32,
    /// Whether it is from before compilation, so that the frame's own line does not belong to it.
    original: bool,
}

/// What indexes in a func table point to.
struct Names<'t> {
    strings: &'t [Text<'t>],
    sources: &'t [u32],
    locations: &'t [(u32, u32)],
    libs: &'t [LibId],
    resource_libs: &'t [u32],
}

impl Funcs {
    fn new(place: &str, table: &FuncTable<'_>) -> Result<Self, ReadError> {
        let column = |column: Option<Column<'_>>, name: &str| decode(column, &format!("{place}.funcTable.{name}"));
        let name = required(table.name, place, "funcTable.name")?;
        Ok(Self {
            known: vec![None; name.len()],
            name,
            resource: column(table.resource, "resource")?,
            source: column(table.source, "source")?,
            file_name: column(table.file_name, "fileName")?,
            line: column(table.line_number, "lineNumber")?,
            column: column(table.column_number, "columnNumber")?,
            original_location: column(table.original_location, "originalLocation")?,
            flags: column(table.flags, "flags")?,
        })
    }

    fn cell(&self, column: &[u32], row: usize, flag: u32) -> Option<u32> {
        present(column, row, &self.flags, flag)
    }

    /// The func at `row` as a frame with `frame_lib` and `frame_location` has it.
    fn position(
        &mut self,
        place: &str,
        builder: &mut ProfileBuilder,
        row: usize,
        frame_lib: Option<u32>,
        frame_location: Option<u32>,
        names: &Names<'_>,
    ) -> Result<Position, ReadError> {
        if let Some((lib, position)) = self.known[row]
            && lib == frame_lib
            && frame_location.is_none()
        {
            return Ok(position);
        }
        let string = |id: u32| names.strings.get(id as usize).map(|text| text.0.as_ref());
        let source = |id: u32| names.sources.get(id as usize).copied().and_then(string);
        let located = |id: u32| names.locations.get(id as usize).copied().unwrap_or((ABSENT, 0));

        let name = self.name[row];
        let name = string(name).ok_or_else(|| dangling(place, "funcTable.name", row, name, names.strings.len(), "strings"))?;
        let resource_lib = || names.resource_libs.get(self.cell(&self.resource, row, func_flags::RESOURCE)? as usize).copied();
        let lib = frame_lib.or_else(resource_lib).and_then(|lib| names.libs.get(lib as usize).copied());
        let start = self.cell(&self.line, row, func_flags::LINE).unwrap_or(0);
        let func_location = self.cell(&self.original_location, row, func_flags::ORIGINAL_LOCATION).map(located);
        let (file, line, start) = if let Some((file, line)) = frame_location.map(located).or(func_location) {
            (source(file), line, func_location.map_or(0, |(_, line)| line))
        } else {
            let file = self.cell(&self.source, row, func_flags::SOURCE).and_then(source);
            let file_name = || self.file_name.get(row).copied().and_then(string);
            (file.or_else(file_name), start, start)
        };
        let known = |line: u32| if line == ABSENT { 0 } else { line };
        let func = Func {
            name: builder.intern_string(name)?,
            source: file.map(|file| builder.intern_source(&crate::read::source_name(file))).transpose()?,
            lib,
            line: known(start),
            column: self.cell(&self.column, row, func_flags::COLUMN).unwrap_or(0),
        };
        let original = frame_location.is_some() || func_location.is_some();
        let position = Position { func: builder.intern_func(func)?, line: known(line), original };
        if frame_location.is_none() {
            self.known[row] = Some((frame_lib, position));
        }
        Ok(position)
    }
}

/// A cell, unless it is absent by its own value or its flag is clear.
fn present(column: &[u32], row: usize, flags: &[u32], flag: u32) -> Option<u32> {
    let has = flags.get(row).is_none_or(|flags| flags & flag != 0);
    column.get(row).copied().filter(|&cell| has && cell != ABSENT)
}

fn required(column: Option<Column<'_>>, place: &str, name: &str) -> Result<Vec<u32>, ReadError> {
    let place = format!("{place}.{name}");
    match column {
        Some(column) => column.ids(&place),
        None => Err(ReadError::malformed(At::Key(place), "expected this column; the table lacks it")),
    }
}

fn same_length(place: &str, what: &str, found: usize, expected: usize) -> Result<(), ReadError> {
    if found == expected {
        return Ok(());
    }
    let at = At::Key(format!("{place}.{what}"));
    Err(ReadError::malformed(at, format!("has {found} entries, expected {expected} as its neighbours have")))
}

fn dangling(place: &str, column: &str, row: usize, index: u32, len: usize, of: &str) -> ReadError {
    let found = if index == ABSENT { "is empty".to_owned() } else { format!("is {index}") };
    ReadError::malformed(At::Key(format!("{place}.{column}[{row}]")), format!("{found}, expected one of the {len} {of}"))
}

/// `stack` and `weight` of one thread, whose stacks begin at `first_stack`; there are `n_stacks` so far.
fn convert_samples(
    place: &str,
    samples: &Samples<'_>,
    units: &[String],
    first_stack: usize,
    n_stacks: usize,
) -> Result<profile::Samples, ReadError> {
    let stacks = decode(samples.stack, &format!("{place}.samples.stack"))?;
    let (n, available) = (stacks.len(), n_stacks - first_stack);
    if let Some(row) = stacks.iter().position(|&stack| stack != ABSENT && stack as usize >= available) {
        return Err(dangling(place, "samples.stack", row, stacks[row], available, "stacks"));
    }
    let weight_place = format!("{place}.samples.weight");
    let mut own = samples.weight.map_or(Ok(Weights::Ones), |column| column.weights(&weight_place))?;
    if let Weights::Each(weights) = &own {
        same_length(place, "samples.weight", weights.len(), n)?;
    }
    let weights = units.iter().map(|unit| {
        let is_own = unit == weight_type(samples);
        if is_own { std::mem::replace(&mut own, Weights::Ones) } else { Weights::Each(vec![0.0; n]) }
    });
    let weights = weights.collect();
    let stacks = stacks.into_iter().map(|stack| (stack != ABSENT).then(|| StackId::new(stack + first_stack as u32)));
    Ok(profile::Samples::new(stacks, weights))
}

/// From the first to the last sample of all threads, in milliseconds.
#[derive(Default)]
struct Span(Option<(f64, f64)>);

impl Span {
    fn add(&mut self, samples: &Samples<'_>) {
        // Deltas count from 0 (`firefox.md` 1.4): the first is the time of the first sample, their sum that of the last.
        let ends = match (samples.time, samples.time_deltas) {
            (Some(times), _) => times.ends(),
            (None, Some(deltas)) => deltas.ends().map(|(first, _)| (first, deltas.sum())),
            (None, None) => None,
        };
        if let Some((first, last)) = ends {
            let (least, greatest) = self.0.unwrap_or((first, last));
            self.0 = Some((least.min(first), greatest.max(last)));
        }
    }

    fn seconds(&self) -> Option<f64> {
        self.0.map(|(first, last)| (last - first) / 1000.0)
    }
}
