//! Decoded columns to profile tables.
//!
//! Tables of each thread are appended one after the other; strings, libraries, funcs and frames are interned, so equal ones
//! of several threads become one. Only rows that a frame uses are looked at: orphaned funcs hold garbage.

use super::columns::{ABSENT, Column, IdText, Text};
use super::raw::{Raw, join};
use super::schema::{Lib, Meta, frame_flags, func_flags};
use crate::{At, ReadError};
use profile::{Frame, FrameId, Func, FuncId, LibId, Metric, Profile, ProfileBuilder, StackId, Warnings, Weights};

/// The profile and the seconds between its first and last sample.
pub(super) fn convert(file: &Raw<'_>, meta: Meta, warnings: &mut Warnings) -> Result<(Profile, Option<f64>), ReadError> {
    let threads = file.get("threads").filter(|threads| threads.text.starts_with(b"["));
    let threads = threads.ok_or_else(|| ReadError::malformed(At::Key("threads".to_owned()), "expected a list of threads"))?;
    let threads = &threads.elements;
    let units = weight_types(threads)?;
    let interval_seconds = meta.interval.map(|ms| ms / 1000.0);
    let metrics = units.iter().map(|unit| Metric::new(unit, unit, interval_seconds)).collect();
    let mut builder = ProfileBuilder::new(metrics, 0);

    let idle = meta.categories.unwrap_or_default().iter().position(|category| category.name == "Idle");
    let mut appender = Appender {
        libs: intern_libs(&mut builder, file.decode_member("libs", "")?)?,
        idle: idle.map(|category| category as u32),
        builder: &mut builder,
    };

    let nothing = Raw::default();
    let shared = file.get("shared").unwrap_or(&nothing);
    let shared_names = Shared {
        strings: shared.decode_member("stringArray", "shared")?,
        sources: ids(shared.get("sources"), "filename", "shared.sources")?,
        locations: {
            let (table, place) = (shared.get("sourceLocationTable"), "shared.sourceLocationTable");
            ids(table, "source", place)?.into_iter().zip(ids(table, "line", place)?).collect()
        },
    };
    let stacks_are_shared = shared.get("stackTable").is_some();
    if stacks_are_shared {
        appender.append("shared", shared, &shared_names.strings, &shared_names)?;
    }

    let mut span = Span::default();
    for (i, thread) in threads.iter().enumerate() {
        let place = format!("threads[{i}]");
        let Some(samples) = thread.get("samples") else {
            warnings.add("thread-without-samples", || format!("{place} has no samples table; it is passed over"));
            continue;
        };
        let first_stack = if stacks_are_shared { 0 } else { appender.builder.n_stacks() };
        let stack_place = format!("{place}.samples");
        let stacks = std::thread::scope(|scope| {
            let stacks = scope.spawn(|| ids(Some(samples), "stack", &stack_place));
            if !stacks_are_shared {
                let copied = || Some((thread.get("stringTable")?.get("_array")?, "stringTable._array"));
                let strings = thread.get("stringArray").map(|strings| (strings, "stringArray")).or_else(copied);
                let own: Option<Vec<Text<'_>>> = strings.map(|(strings, key)| strings.decode(&join(&place, key))).transpose()?;
                appender.append(&place, thread, own.as_ref().unwrap_or(&shared_names.strings), &shared_names)?;
            }
            stacks.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })?;
        span.add(samples);
        let available = appender.builder.n_stacks() - first_stack;
        let samples = convert_samples(&place, samples, stacks, &units, first_stack, available)?;
        let text = |key| thread.decode_member::<Option<Text<'_>>>(key, &place).map(|text| text.map(|text| text.0.into_owned()));
        let id = |key| thread.decode_member::<Option<IdText>>(key, &place).map(|id| id.and_then(|id| id.0));
        appender.builder.push_thread(profile::Thread {
            name: text("name")?.unwrap_or_default(),
            process_name: text("processName")?.unwrap_or_default(),
            pid: id("pid")?,
            tid: id("tid")?,
            samples,
        })?;
    }
    Ok((builder.build(), span.seconds()))
}

/// What all threads have in common, where they do: strings since 56, sources since 58, locations since 64.
struct Shared<'a> {
    strings: Vec<Text<'a>>,
    /// The string of each source.
    sources: Vec<u32>,
    /// Source and line of each location.
    locations: Vec<(u32, u32)>,
}

/// The kinds of weight in the file, in order of first use; each is a metric.
fn weight_types(threads: &[Raw<'_>]) -> Result<Vec<String>, ReadError> {
    let mut types: Vec<String> = Vec::new();
    for samples in threads.iter().filter_map(|thread| thread.get("samples")) {
        let unit = weight_type(samples)?;
        let is_used = samples.get("stack").is_some_and(|stack| !Column(stack.text).is_empty());
        if is_used && !types.contains(&unit) {
            types.push(unit);
        }
    }
    if types.is_empty() {
        types.push("samples".to_owned());
    }
    Ok(types)
}

fn weight_type(samples: &Raw<'_>) -> Result<String, ReadError> {
    let unit: Option<String> = samples.decode_member("weightType", "samples")?;
    Ok(unit.unwrap_or_else(|| "samples".to_owned()))
}

fn intern_libs(builder: &mut ProfileBuilder, libs: Vec<Lib<'_>>) -> Result<Vec<LibId>, ReadError> {
    let text = |text: Option<Text<'_>>| text.map(|text| text.0.into_owned()).unwrap_or_default();
    libs.into_iter().map(|lib| Ok(builder.intern_lib(profile::Lib { name: text(lib.name), path: text(lib.path) })?)).collect()
}

/// A column; one that is missing has no rows.
fn ids(table: Option<&Raw<'_>>, key: &str, place: &str) -> Result<Vec<u32>, ReadError> {
    let column = table.and_then(|table| table.get(key));
    column.map_or(Ok(Vec::new()), |column| Column(column.text).ids(&join(place, key)))
}

/// A column without which nothing can be understood.
fn required(table: &Raw<'_>, key: &str, place: &str) -> Result<Vec<u32>, ReadError> {
    if table.get(key).is_none() {
        return Err(ReadError::malformed(At::Key(join(place, key)), "expected this column; the table lacks it"));
    }
    ids(Some(table), key, place)
}

/// A table without which no sample means anything.
fn table<'t, 'a>(tables: &'t Raw<'a>, key: &str, place: &str) -> Result<&'t Raw<'a>, ReadError> {
    tables.get(key).ok_or_else(|| {
        let message = format!("expected the table {key} here or in \"shared\"; the file has neither");
        ReadError::malformed(At::Key(place.to_owned()), message)
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
    fn append(&mut self, place: &str, tables: &Raw<'_>, strings: &[Text<'_>], shared: &Shared<'_>) -> Result<(), ReadError> {
        let stacks = table(tables, "stackTable", place)?;
        let stacks_place = join(place, "stackTable");
        let relative = stacks.get("prefix").is_none();
        let parents_key = if relative { "prefixOffset" } else { "prefix" };
        // The two columns of stacks are most of the file: they are decoded while names and frames are looked up.
        let (frames, ids, columns) = std::thread::scope(|scope| {
            let columns =
                scope.spawn(|| Ok((required(stacks, "frame", &stacks_place)?, required(stacks, parents_key, &stacks_place)?)));
            let frames = Frames::new(&join(place, "frameTable"), table(tables, "frameTable", place)?)?;
            let ids = self.append_frames(place, tables, &frames, strings, shared)?;
            let columns: Result<_, ReadError> = columns.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            Ok::<_, ReadError>((frames, ids, columns))
        })?;
        let (frame_column, parents) = columns?;
        same_length(&join(&stacks_place, parents_key), parents.len(), frame_column.len())?;

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
            let stack_categories = self::ids(Some(stacks), "category", &stacks_place)?;
            let own = |row: usize| match stack_categories.get(row) {
                Some(&category) => category,
                None => frames.cell(&frames.category, frame_column[row] as usize, frame_flags::CATEGORY).unwrap_or(ABSENT),
            };
            self.mark_idle(first, frame_column.len(), idle, own)?;
        }
        Ok(())
    }

    /// The frame of each row of the frame table, with its func.
    fn append_frames(
        &mut self,
        place: &str,
        tables: &Raw<'_>,
        frames: &Frames,
        strings: &[Text<'_>],
        shared: &Shared<'_>,
    ) -> Result<Vec<FrameId>, ReadError> {
        let funcs = Funcs::new(&join(place, "funcTable"), table(tables, "funcTable", place)?)?;
        let resource_libs = ids(tables.get("resourceTable"), "lib", &join(place, "resourceTable"))?;
        let names = Names { strings, shared, libs: &self.libs, resource_libs: &resource_libs };
        append_frames(self.builder, place, frames, funcs, &names)
    }

    /// A stack without a category of its own has its parent's (Firefox Profiler, `profile-data`, derived stack categories).
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
        // A frame without a line stands at its func's first; one whose flags say that it has line 0 stands at no line.
        // Source and line come from the same tier: both before compilation or both after (Firefox Profiler, `line-timings`).
        let own = frames.cell(&frames.line, row, frame_flags::LINE);
        let own = own.filter(|&line| (line > 0 || !frames.flags.is_empty()) && !position.original);
        ids.push(builder.intern_frame(Frame { func: position.func, line: own.unwrap_or(position.line), column: 0, inlined })?);
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
    fn new(place: &str, table: &Raw<'_>) -> Result<Self, ReadError> {
        let column = |key| ids(Some(table), key, place);
        Ok(Self {
            func: required(table, "func", place)?,
            line: column("line")?,
            lib: column("lib")?,
            category: column("category")?,
            inline_depth: column("inlineDepth")?,
            original_location: column("originalLocation")?,
            flags: column("flags")?,
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
    shared: &'t Shared<'t>,
    libs: &'t [LibId],
    resource_libs: &'t [u32],
}

impl Funcs {
    fn new(place: &str, table: &Raw<'_>) -> Result<Self, ReadError> {
        let column = |key| ids(Some(table), key, place);
        let name = required(table, "name", place)?;
        Ok(Self {
            known: vec![None; name.len()],
            name,
            resource: column("resource")?,
            source: column("source")?,
            file_name: column("fileName")?,
            line: column("lineNumber")?,
            column: column("columnNumber")?,
            original_location: column("originalLocation")?,
            flags: column("flags")?,
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
        let source = |id: u32| names.shared.sources.get(id as usize).copied().and_then(string);
        let located = |id: u32| names.shared.locations.get(id as usize).copied().unwrap_or((ABSENT, 0));

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

fn same_length(place: &str, found: usize, expected: usize) -> Result<(), ReadError> {
    if found == expected {
        return Ok(());
    }
    let message = format!("has {found} entries, expected {expected} as its neighbours have");
    Err(ReadError::malformed(At::Key(place.to_owned()), message))
}

fn dangling(place: &str, column: &str, row: usize, index: u32, len: usize, of: &str) -> ReadError {
    let found = if index == ABSENT { "is empty".to_owned() } else { format!("is {index}") };
    ReadError::malformed(At::Key(format!("{place}.{column}[{row}]")), format!("{found}, expected one of the {len} {of}"))
}

/// `stack` (decoded) and `weight` of one thread, whose `available` stacks begin at `first_stack`.
fn convert_samples(
    place: &str,
    samples: &Raw<'_>,
    stacks: Vec<u32>,
    units: &[String],
    first_stack: usize,
    available: usize,
) -> Result<profile::Samples, ReadError> {
    let n = stacks.len();
    if let Some(row) = stacks.iter().position(|&stack| stack != ABSENT && stack as usize >= available) {
        return Err(dangling(place, "samples.stack", row, stacks[row], available, "stacks"));
    }
    let weight_place = format!("{place}.samples.weight");
    let mut own = samples.get("weight").map_or(Ok(Weights::Ones), |column| Column(column.text).weights(&weight_place))?;
    if let Weights::Each(weights) = &own {
        same_length(&weight_place, weights.len(), n)?;
    }
    let unit = weight_type(samples)?;
    let weights = units.iter().map(|known| {
        let is_own = *known == unit;
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
    fn add(&mut self, samples: &Raw<'_>) {
        let column = |key| samples.get(key).map(|column| Column(column.text));
        // Deltas count from 0 (processed format, version 50): the first is the time of the first sample, their sum that of the last.
        let ends = match (column("time"), column("timeDeltas")) {
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
