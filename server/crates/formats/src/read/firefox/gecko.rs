//! Raw Gecko profiles, by Firefox itself, `perf script report gecko` and simpleperf.
//!
//! The file is `{meta, libs, sources, threads, processes}`, optionally wrapped as `{profile: …}`.
//! `processes` are nested profiles, whose times are relative to a start time of their own. A table
//! is `{schema: {name: column}, data: [rows]}`: the schema gives the positions of columns, and rows
//! may be shorter. Everything known about a function is in the text of its frame's location
//! ([`super::location`]). Allocations are markers with a backtrace, which is a thread with a single
//! sample.
//!
//! Code without a name is named by its address in the library; for callers that is an address
//! within the call ([`super::return_addresses`]).

use super::columns::{ABSENT, Text, or_zero};
use super::location::Location;
use super::pages::Pages;
use super::processed::{describe, intern_libs};
use super::raw::{Raw, join};
use super::return_addresses;
use super::samples::{Allocations, Present, Rows, Span};
use super::schema::{self, Meta, tier_of_implementation};
use super::tables::{self, Categories, Frames, Funcs, Names, Shared, Stacks, Tables};
use crate::error::{At, ReadError};
use crate::format::Format;
use crate::input::Input;
use crate::read::result::Read;
use crate::read::shared::json::ShortList;
use profile::{JitTier, LibId, ProfileBuilder, Recording, WarningCode, Warnings, Weights};
use rustc_hash::FxHashMap;
use serde::Deserialize;
use std::borrow::Cow;

/// Older versions have threads and libraries as JSON in strings.
const FIRST_VERSION: u32 = 5;

/// Processes that are nested deeper than this are skipped. Firefox nests one level.
const MAX_LEVELS: usize = 8;

/// The members of a process that are not in its threads.
#[derive(Default, Deserialize)]
struct ProcessMeta {
    version: Option<u32>,
    /// Milliseconds since 1970.
    #[serde(default, rename = "startTime")]
    start: Option<f64>,
}

/// A process.
struct Process {
    place: String,
    raw: Raw,
    meta: Meta,
    start: f64,
}

/// A thread with decoded samples.
struct Sampled<'p> {
    process: &'p Process,
    place: String,
    thread: Raw,
    rows: Rows,
}

pub(crate) fn read(input: &mut Input<'_>) -> Result<Read, ReadError> {
    let mut warnings = Warnings::default();
    let mut file = Raw::read(input, schema::GECKO)?;
    let wrapped = if file.get("meta").is_none() { file.take("profile") } else { None };
    let (mut processes, version) = match wrapped {
        Some(profile) => processes("profile".to_owned(), profile, &mut warnings)?,
        None => processes(String::new(), file, &mut warnings)?,
    };

    // Samples first: their rows show which metrics there are.
    let mut span = Span::default();
    let start = processes.first().map_or(0.0, |root| root.start);
    let mut threads = Vec::new();
    for process in &mut processes {
        let place = join(&process.place, "threads");
        let Some(Raw::List(of_process)) = process.raw.take("threads") else {
            return Err(ReadError::malformed(At::Key(place), "expected a list of threads"));
        };
        threads.push((place, of_process));
    }
    let mut sampled = Vec::new();
    for (process, (place, threads)) in processes.iter().zip(threads) {
        for (i, mut thread) in threads.into_iter().enumerate() {
            let place = format!("{place}[{i}]");
            let Some(samples) = thread.take("samples") else {
                warnings.add(WarningCode::ThreadWithoutSamples, || {
                    format!("{place} has no samples table; it is left out")
                });
                continue;
            };
            let (mut rows, ends) = rows(&place, &mut thread, samples)?;
            rows.shift(process.start - start);
            if let Some((first, last)) = ends {
                span.add((first + process.start - start, last + process.start - start));
            }
            sampled.push(Sampled { process, place, thread, rows });
        }
    }
    let present = Present {
        units: vec!["samples".to_owned()],
        cpu: sampled.iter().any(|thread| thread.rows.cpu.is_some()),
        js: sampled.iter().any(|thread| !thread.rows.js.stacks.is_empty()),
        native: sampled
            .iter()
            .map(|thread| thread.rows.native.native_rows())
            .max()
            .unwrap_or_default(),
    };
    let kinds = present.kinds();
    let no_meta = Meta::default();
    let meta = processes.first().map_or(&no_meta, |root| &root.meta);
    let mut builder = ProfileBuilder::new(kinds.iter().map(|kind| kind.metric(meta)).collect(), 0);

    let mut pages = Pages::default();
    for process in &processes {
        pages.add(&mut builder, &process.raw)?;
    }
    let mut symbols: Option<Symbols<'_>> = None;
    for Sampled { process, place, mut thread, mut rows } in sampled {
        let symbols = match &mut symbols {
            Some(symbols) if symbols.process == process.place => symbols,
            symbols => symbols.insert(Symbols::new(process, &mut builder)?),
        };
        let first_stack = builder.n_stacks();
        append(&mut builder, &mut pages, &place, &mut thread, &mut rows, symbols)?;
        let available = builder.n_stacks() - first_stack;
        let samples = rows.finish(&place, &kinds, first_stack, available, &pages)?;
        builder.push_thread(describe(&thread, &place)?, samples)?;
    }
    Ok(Read {
        version: version.map(|version| version.to_string()),
        span_seconds: span.seconds(),
        ..Read::new(Format::Gecko, Recording::Stacks(builder.build()), warnings)
    })
}

/// The root process and all nested ones, and the version of the format.
fn processes(
    place: String,
    root: Raw,
    warnings: &mut Warnings,
) -> Result<(Vec<Process>, Option<u32>), ReadError> {
    let mut version = None;
    let mut found = Vec::new();
    let mut next = vec![(place, 0, root)];
    while let Some((place, level, mut raw)) = next.pop() {
        let about: ProcessMeta = raw.decode_member("meta", &place)?;
        if found.is_empty() {
            version = about.version;
        }
        if let Some(version) = about.version.filter(|&version| version < FIRST_VERSION) {
            let message = format!(
                "version {version} of raw Gecko profiles, expected {FIRST_VERSION} or newer; open it in the Firefox Profiler and \
                 save the profile there"
            );
            return Err(ReadError::malformed(At::Key(join(&place, "meta.version")), message));
        }
        let below = match raw.take("processes") {
            Some(Raw::List(below)) => below,
            _ => Vec::new(),
        };
        if level == MAX_LEVELS && !below.is_empty() {
            warnings.add(WarningCode::DeepProcesses, || {
                format!(
                    "{place} has processes more than {MAX_LEVELS} levels deep; they are left out"
                )
            });
        } else {
            for (i, process) in below.into_iter().enumerate().rev() {
                let place = join(&place, &format!("processes[{i}]"));
                next.push((place, level + 1, process));
            }
        }
        found.push(Process {
            meta: raw.decode_member("meta", &place)?,
            start: about.start.unwrap_or(0.0),
            place,
            raw,
        });
    }
    Ok((found, version))
}

/// The tables of a process that frames refer to.
struct Symbols<'a> {
    /// The key path of the process, for errors.
    process: &'a str,
    sources: Vec<Text<'a>>,
    libs: Libs,
    categories: Categories<'a>,
}

struct Libs {
    ids: Vec<LibId>,
    /// Sorted by start.
    ranges: Vec<(Range, u32)>,
}

/// The address range of one of `libs` in memory.
#[derive(Deserialize, PartialEq, Eq, PartialOrd, Ord)]
struct Range {
    #[serde(default)]
    start: u64,
    #[serde(default)]
    end: u64,
    /// The offset in the library of the part at `start`.
    #[serde(default)]
    offset: u64,
}

impl<'a> Symbols<'a> {
    fn new(process: &'a Process, builder: &mut ProfileBuilder) -> Result<Self, ReadError> {
        let (raw, place) = (&process.raw, &process.place);
        let ids = intern_libs(builder, raw.decode_member("libs", place)?)?;
        let ranges: ShortList<Range> = raw.decode_member("libs", place)?;
        let mut ranges: Vec<_> = ranges.0.into_iter().zip(0..).collect();
        ranges.sort_unstable();
        let names = raw.get("sources").and_then(|sources| sources.column("filename"));
        let names = names.map_or(Ok([].as_slice()), |names| names.texts("sources.data"))?;
        let source = |(row, name): (usize, &'a Vec<u8>)| {
            serde_json::from_slice(name).map_err(|_| {
                let at = At::Key(format!("{}.data[{row}]", join(place, "sources")));
                ReadError::malformed(at, "expected a file name")
            })
        };
        let sources = names.iter().enumerate().map(source).collect::<Result<_, _>>()?;
        let categories = Categories::new(&process.meta);
        Ok(Self { process: place, sources, libs: Libs { ids, ranges }, categories })
    }
}

impl Libs {
    /// The library of a location, by its address or by the name in the location, and the address in
    /// that library.
    fn find(
        &mut self,
        location: Location<'_>,
        builder: &mut ProfileBuilder,
    ) -> Result<(u32, f64), ReadError> {
        const NOWHERE: (u32, f64) = (ABSENT, f64::NAN);
        if let Some(address) = location.address {
            let after = self.ranges.partition_point(|(range, _)| range.start <= address);
            let below = after
                .checked_sub(1)
                .and_then(|i| self.ranges.get(i))
                .filter(|(range, _)| address < range.end);
            let within =
                |range: &Range| (address - range.start).saturating_add(range.offset) as f64;
            return Ok(below.map_or(NOWHERE, |(range, lib)| (*lib, within(range))));
        }
        if location.lib.is_empty() {
            return Ok(NOWHERE);
        }
        let id = builder.intern_lib(profile::Lib {
            name: location.lib.to_owned(),
            ..profile::Lib::default()
        })?;
        let row = self.ids.iter().position(|&lib| lib == id);
        let row = row.unwrap_or_else(|| {
            self.ids.push(id);
            self.ids.len() - 1
        });
        Ok((row as u32, f64::NAN))
    }
}

/// A func table built from locations.
#[derive(Default)]
struct Functions<'t> {
    funcs: Funcs,
    names: Vec<Text<'t>>,
}

impl<'t> Functions<'t> {
    fn add(
        &mut self,
        Location { name, file, line, column, is_script, .. }: Location<'t>,
        relevant_for_js: bool,
    ) -> u32 {
        self.funcs.name.push(self.names.len() as u32);
        self.names.push(Text(Cow::Borrowed(name)));
        self.funcs.file_name.push(if file.is_empty() { ABSENT } else { self.names.len() as u32 });
        self.names.push(Text(Cow::Borrowed(file)));
        self.funcs.line.push(line);
        self.funcs.column.push(column);
        self.funcs.is_js.push(is_script);
        self.funcs.relevant_for_js.push(relevant_for_js);
        self.funcs.name.len() as u32 - 1
    }
}

/// Appends the stacks of one thread with everything they refer to.
fn append(
    builder: &mut ProfileBuilder,
    pages: &mut Pages,
    place: &str,
    thread: &mut Raw,
    samples: &mut Rows,
    symbols: &mut Symbols<'_>,
) -> Result<(), ReadError> {
    let mut table = |key| {
        let message = || {
            ReadError::malformed(
                At::Key(join(place, key)),
                "expected this table; the thread does not have it",
            )
        };
        thread.take(key).ok_or_else(message)
    };
    let strings = table("stringTable")?;
    let strings: Vec<Text<'_>> = strings.decode(&join(place, "stringTable"))?;
    let mut stack_table = table("stackTable")?;
    let mut stack_column = |key| ids(&mut stack_table, key, &join(place, "stackTable"));
    let (parent, frame) = (stack_column("prefix")?, stack_column("frame")?);
    samples.check(place, frame.len())?;
    let mut stacks = Stacks { frame, parent, relative: false, category: Vec::new() };
    let mut frame_table = table("frameTable")?;
    // Costs do not need them, so a malformed column is no error.
    let page = numbers(&mut frame_table, "innerWindowID", "").unwrap_or_default();
    let mut frame_column = |key| ids(&mut frame_table, key, &join(place, "frameTable"));
    let (locations, relevant) = (frame_column("location")?, frame_column("relevantForJS")?);

    // Each location becomes one func.
    let Symbols { sources, libs, categories, .. } = symbols;
    let mut functions = Functions::default();
    let mut of_location: FxHashMap<(u32, bool), (u32, (u32, f64))> = FxHashMap::default();
    let tier = |name: u32| {
        strings.get(name as usize).map_or(JitTier::Unknown, |name| tier_of_implementation(&name.0))
    };
    let mut frames = Frames {
        line: frame_column("line")?,
        category: frame_column("category")?,
        subcategory: frame_column("subcategory")?,
        tier: frame_column("implementation")?.into_iter().map(tier).collect(),
        page,
        ..Frames::default()
    };
    let mut addresses = Vec::with_capacity(locations.len());
    for (row, (&id, &relevant)) in locations.iter().zip(&relevant).enumerate() {
        let key = (id, relevant == 1);
        let found = if let Some(&found) = of_location.get(&key) {
            found
        } else {
            let text = strings.get(id as usize);
            let text = text.ok_or_else(|| {
                tables::dangling(place, "frameTable.location", row, id, strings.len(), "strings")
            })?;
            let location = Location::new(&text.0, sources);
            let found = (functions.add(location, key.1), libs.find(location, builder)?);
            of_location.insert(key, found);
            found
        };
        let (func, (lib, address)) = found;
        frames.func.push(func);
        frames.lib.push(lib);
        addresses.push(address);
    }
    return_addresses::nudge(&mut stacks, &mut frames, &mut addresses, samples);
    let Functions { funcs, names } = functions;
    let shared = Shared::default();
    let tables = Tables {
        frames,
        columns: Ok(frame_column("column")?),
        addresses: Ok(addresses),
        funcs,
        names: Names {
            strings: &names,
            shared: &shared,
            libs: &libs.ids,
            resource_libs: Vec::new(),
        },
    };
    tables::append(builder, place, categories, pages, stacks, tables)
}

/// The samples of a thread, and the times of the first and the last one.
fn rows(
    place: &str,
    thread: &mut Raw,
    mut samples: Raw,
) -> Result<(Rows, Option<(f64, f64)>), ReadError> {
    let samples_place = join(place, "samples");
    let stacks = ids(&mut samples, "stack", &samples_place)?;
    let times = numbers(&mut samples, "time", &samples_place)?;
    let cpu = numbers(&mut samples, "threadCPUDelta", &samples_place)?;
    let mut known = times.iter().copied().filter(|time| !time.is_nan());
    let ends = known.next().map(|first| (first, known.next_back().unwrap_or(first)));
    let [js, native] = allocations(&join(place, "markers"), thread.take("markers"))?;
    let is_known = cpu.iter().any(|delta| !f64::is_nan(*delta));
    let cpu = is_known
        .then(|| Weights::compact(cpu.into_iter().map(|delta| or_zero(delta).max(0.0)).collect()));
    let unit = "samples".to_owned();
    let labels = Vec::new();
    Ok((Rows { stacks, weights: Weights::Ones, unit, cpu, times, labels, js, native }, ends))
}

/// An allocation: its time, stack, bytes and address.
type Allocation = (f64, u32, f64, f64);

/// The allocations of JavaScript and of native code in the markers of a thread, sorted by time.
fn allocations(place: &str, markers: Option<Raw>) -> Result<[Allocations; 2], ReadError> {
    const TYPES: [&str; 2] = ["JS allocation", "Native allocation"];
    let mut markers = markers.unwrap_or_default();
    let times = numbers(&mut markers, "startTime", place)?;
    let data = markers.column("data").map_or(Ok([].as_slice()), |data| data.texts(place))?;
    let mut found = [const { Vec::new() }; 2];
    for (time, data) in times.into_iter().zip(data) {
        let data = Raw::parse(data, schema::GECKO_ALLOCATION)
            .map_err(|error| ReadError { at: At::Key(place.to_owned()), ..error })?;
        let kind: Option<Text<'_>> = data.decode_member("type", place).unwrap_or_default();
        let kind = kind.and_then(|kind| TYPES.iter().position(|&known| known == kind.0));
        if let Some(of_kind) = kind.and_then(|kind| found.get_mut(kind)) {
            of_kind.push(allocation(place, time, data)?);
        }
    }
    Ok(found.map(|mut rows: Vec<Allocation>| {
        rows.sort_by(|a, b| a.0.total_cmp(&b.0));
        Allocations {
            stacks: rows.iter().map(|row| row.1).collect(),
            bytes: rows.iter().map(|row| or_zero(row.2)).collect(),
            addresses: rows.iter().map(|row| row.3).collect(),
            times: rows.iter().map(|row| row.0).collect(),
        }
    }))
}

fn allocation(place: &str, time: f64, mut data: Raw) -> Result<Allocation, ReadError> {
    let number = |key| data.decode_member(key, place).unwrap_or(None).unwrap_or(f64::NAN);
    let (size, address) = (number("size"), number("memoryAddress"));
    let backtrace = data.get_mut("stack").and_then(|stack| stack.take("samples"));
    let stacks =
        backtrace.map_or(Ok(Vec::new()), |mut samples| ids(&mut samples, "stack", place))?;
    Ok((time, stacks.first().copied().unwrap_or(ABSENT), size, address))
}

/// Takes a column of indexes, lines or booleans out of a table of rows.
fn ids(table: &mut Raw, key: &str, place: &str) -> Result<Vec<u32>, ReadError> {
    table.take_column(key).map_or(Ok(Vec::new()), |column| column.ids(&join(place, "data")))
}

/// Takes a column of measurements out of a table of rows.
fn numbers(table: &mut Raw, key: &str, place: &str) -> Result<Vec<f64>, ReadError> {
    table.take_column(key).map_or(Ok(Vec::new()), |column| column.numbers(&join(place, "data")))
}
