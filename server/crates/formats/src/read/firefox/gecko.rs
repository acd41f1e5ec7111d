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

use super::columns::{ABSENT, Text, no_number, or_zero, to_id, to_number};
use super::location::Location;
use super::processed::{describe, intern_libs};
use super::raw::{Raw, join};
use super::return_addresses;
use super::samples::{Allocations, Present, Rows, Span};
use super::schema::{Meta, tier_of_implementation};
use super::tables::{self, Categories, Frames, Funcs, Names, Shared, Stacks, Tables};
use crate::error::{At, ReadError};
use crate::format::Format;
use crate::read_result::Read;
use crate::scan::{Scanner, Stop};
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
struct Process<'a> {
    place: String,
    raw: Raw<'a>,
    meta: Meta,
    start: f64,
}

/// A thread with decoded samples.
struct Sampled<'p> {
    process: &'p Process<'p>,
    place: String,
    thread: &'p Raw<'p>,
    rows: Rows,
}

pub(crate) fn read(bytes: &[u8]) -> Result<Read, ReadError> {
    let mut warnings = Warnings::default();
    let file = Raw::new(bytes)?;
    let wrapped = file.get("profile").filter(|_| file.get("meta").is_none());
    let (processes, version) = match wrapped {
        Some(profile) => processes("profile".to_owned(), Raw::new(profile.text)?, &mut warnings)?,
        None => processes(String::new(), file, &mut warnings)?,
    };

    // Samples first: their rows show which metrics there are.
    let mut span = Span::default();
    let start = processes.first().map_or(0.0, |root| root.start);
    let mut sampled = Vec::new();
    for process in &processes {
        let place = join(&process.place, "threads");
        let threads = process.raw.get("threads").and_then(Raw::list);
        let threads = threads.ok_or_else(|| {
            ReadError::malformed(At::Key(place.clone()), "expected a list of threads")
        })?;
        for (i, thread) in threads.iter().enumerate() {
            let place = format!("{place}[{i}]");
            let Some(samples) = thread.get("samples") else {
                warnings.add(WarningCode::ThreadWithoutSamples, || {
                    format!("{place} has no samples table; it is left out")
                });
                continue;
            };
            let (mut rows, ends) = rows(&place, thread, samples)?;
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

    let mut symbols: Option<Symbols<'_>> = None;
    for Sampled { process, place, thread, mut rows } in sampled {
        let symbols = match &mut symbols {
            Some(symbols) if symbols.process == process.place => symbols,
            symbols => symbols.insert(Symbols::new(process, &mut builder)?),
        };
        let first_stack = builder.n_stacks();
        append(&mut builder, &place, thread, &mut rows, symbols)?;
        let available = builder.n_stacks() - first_stack;
        let samples = rows.finish(&place, &kinds, first_stack, available)?;
        builder.push_thread(describe(thread, &place)?, samples)?;
    }
    Ok(Read {
        version: version.map(|version| version.to_string()),
        span_seconds: span.seconds(),
        ..Read::new(Format::Gecko, Recording::Stacks(builder.build()), warnings)
    })
}

/// The root process and all nested ones, and the version of the format.
fn processes<'a>(
    place: String,
    root: Raw<'a>,
    warnings: &mut Warnings,
) -> Result<(Vec<Process<'a>>, Option<u32>), ReadError> {
    let mut version = None;
    let mut found = Vec::new();
    let mut next = vec![(place, 0, root)];
    while let Some((place, level, raw)) = next.pop() {
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
        let below = raw.get("processes").and_then(Raw::list).unwrap_or_default();
        if level == MAX_LEVELS && !below.is_empty() {
            warnings.add(WarningCode::DeepProcesses, || {
                format!(
                    "{place} has processes more than {MAX_LEVELS} levels deep; they are left out"
                )
            });
        } else {
            for (i, process) in below.iter().enumerate().rev() {
                let place = join(&place, &format!("processes[{i}]"));
                let raw = Raw::new(process.text)
                    .map_err(|error| ReadError { at: At::Key(place.clone()), ..error })?;
                next.push((place, level + 1, raw));
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
    fn new(process: &'a Process<'_>, builder: &mut ProfileBuilder) -> Result<Self, ReadError> {
        let (raw, place) = (&process.raw, &process.place);
        let ids = intern_libs(builder, raw.decode_member("libs", place)?)?;
        let ranges: Vec<Range> = raw.decode_member("libs", place)?;
        let mut ranges: Vec<_> = ranges.into_iter().zip(0..).collect();
        ranges.sort_unstable();
        let mut sources = Vec::new();
        if let Some(table) = raw.get("sources") {
            let place = join(place, "sources");
            each_row(table, &place, ["filename"], |row, [filename]| {
                let name = filename.map_or(Ok(Text(Cow::Borrowed(""))), serde_json::from_slice);
                let no_text = |_| {
                    ReadError::malformed(
                        At::Key(format!("{place}.data[{row}]")),
                        "expected the name of a file",
                    )
                };
                sources.push(name.map_err(no_text)?);
                Ok(())
            })?;
        }
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
    place: &str,
    thread: &Raw<'_>,
    samples: &mut Rows,
    symbols: &mut Symbols<'_>,
) -> Result<(), ReadError> {
    let table = |key| {
        let message = || {
            ReadError::malformed(
                At::Key(join(place, key)),
                "expected this table; the thread does not have it",
            )
        };
        thread.get(key).ok_or_else(message)
    };
    let strings: Vec<Text<'_>> = table("stringTable")?.decode(&join(place, "stringTable"))?;
    let stack_table = table("stackTable")?;
    let [parent, frame] = columns(stack_table, &join(place, "stackTable"), ["prefix", "frame"])?;
    samples.check(place, frame.len())?;
    let mut stacks = Stacks { frame, parent, relative: false, category: Vec::new() };
    let frame_place = join(place, "frameTable");
    let keys = [
        "location",
        "line",
        "column",
        "category",
        "subcategory",
        "implementation",
        "relevantForJS",
    ];
    let [locations, line, column, category, subcategory, implementation, relevant] =
        columns(table("frameTable")?, &frame_place, keys)?;

    // Each location becomes one func.
    let Symbols { sources, libs, categories, .. } = symbols;
    let mut functions = Functions::default();
    let mut of_location: FxHashMap<(u32, bool), (u32, (u32, f64))> = FxHashMap::default();
    let tier = |name: u32| {
        strings.get(name as usize).map_or(JitTier::Unknown, |name| tier_of_implementation(&name.0))
    };
    let tier = implementation.into_iter().map(tier).collect();
    let mut frames = Frames { line, category, subcategory, tier, ..Frames::default() };
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
        columns: Box::new(|| Ok(column)),
        addresses: Box::new(|| Ok(addresses)),
        funcs,
        names: Names {
            strings: &names,
            shared: &shared,
            libs: &libs.ids,
            resource_libs: Vec::new(),
        },
    };
    tables::append(builder, place, categories, || Ok(stacks), || Ok(tables))
}

/// The samples of a thread, and the times of the first and the last one.
fn rows(
    place: &str,
    thread: &Raw<'_>,
    samples: &Raw<'_>,
) -> Result<(Rows, Option<(f64, f64)>), ReadError> {
    let (mut stacks, mut cpu, mut times) = (Vec::new(), Vec::new(), Vec::new());
    let mut ends = None;
    let samples_place = join(place, "samples");
    each_row(
        samples,
        &samples_place,
        ["stack", "time", "threadCPUDelta"],
        |row, [stack, time, delta]| {
            stacks.push(id(&samples_place, row, stack)?);
            cpu.push(number(delta));
            let time = number(time);
            times.push(time);
            if !time.is_nan() {
                ends = Some((ends.map_or(time, |(first, _)| first), time));
            }
            Ok(())
        },
    )?;
    let [js, native] = allocations(&join(place, "markers"), thread.get("markers"))?;
    let is_known = cpu.iter().any(|delta| !f64::is_nan(*delta));
    let cpu = is_known
        .then(|| Weights::compact(cpu.into_iter().map(|delta| or_zero(delta).max(0.0)).collect()));
    let unit = "samples".to_owned();
    Ok((Rows { stacks, weights: Weights::Ones, unit, cpu, times, js, native }, ends))
}

/// The allocations of JavaScript and of native code in the markers of a thread, sorted by time.
fn allocations(place: &str, markers: Option<&Raw<'_>>) -> Result<[Allocations; 2], ReadError> {
    const TYPES: [&[u8]; 2] = [b"\"JS allocation\"", b"\"Native allocation\""];
    let mut found = [const { Vec::new() }; 2];
    // Few recordings have any, and markers are most of the file.
    let has_any =
        |markers: &&Raw<'_>| memchr::memmem::find(markers.text, b" allocation\"").is_some();
    if let Some(markers) = markers.filter(has_any) {
        each_row(markers, place, ["startTime", "data"], |row, [time, data]| {
            let Some(data) =
                data.filter(|data| memchr::memmem::find(data, b" allocation\"").is_some())
            else {
                return Ok(());
            };
            let place = format!("{place}.data[{row}]");
            let data = Raw::new(data)
                .map_err(|error| ReadError { at: At::Key(place.clone()), ..error })?;
            let member = |key| data.get(key).map(|value| value.text);
            let Some(kind) = TYPES.iter().position(|&kind| member("type") == Some(kind)) else {
                return Ok(());
            };
            let mut stack = ABSENT;
            if let Some(backtrace) = data.get("stack").and_then(|stack| stack.get("samples")) {
                each_row(backtrace, &place, ["stack"], |row, [cell]| {
                    stack = if row == 0 { id(&place, row, cell)? } else { stack };
                    Ok(())
                })?;
            }
            found[kind].push((
                number(time),
                stack,
                number(member("size")),
                number(member("memoryAddress")),
            ));
            Ok(())
        })?;
    }
    Ok(found.map(|mut rows: Vec<(f64, u32, f64, f64)>| {
        rows.sort_by(|a, b| a.0.total_cmp(&b.0));
        Allocations {
            stacks: rows.iter().map(|row| row.1).collect(),
            bytes: rows.iter().map(|row| or_zero(row.2)).collect(),
            addresses: rows.iter().map(|row| row.3).collect(),
            times: rows.iter().map(|row| row.0).collect(),
        }
    }))
}

/// Decodes columns of indexes, lines or booleans (`true` is 1).
fn columns<const N: usize>(
    table: &Raw<'_>,
    place: &str,
    keys: [&str; N],
) -> Result<[Vec<u32>; N], ReadError> {
    let mut columns = [const { Vec::new() }; N];
    each_row(table, place, keys, |row, cells| {
        for (column, cell) in columns.iter_mut().zip(cells) {
            column.push(id(place, row, cell)?);
        }
        Ok(())
    })?;
    Ok(columns)
}

/// A measurement, or NaN.
fn number(cell: Option<&[u8]>) -> f64 {
    cell.and_then(|cell| to_number(std::str::from_utf8(cell).ok()?)).unwrap_or(f64::NAN)
}

fn id(place: &str, row: usize, cell: Option<&[u8]>) -> Result<u32, ReadError> {
    let cell = match cell {
        None => return Ok(ABSENT),
        Some(b"true") => return Ok(1),
        Some(b"false") => return Ok(0),
        Some(cell) => cell,
    };
    let text = String::from_utf8_lossy(cell);
    to_id(&text).ok_or_else(|| no_number(&join(place, "data"), row, &text))
}

/// Calls `row` for each row with the cells under `keys`, as in the file; `None` if the row or the
/// schema lacks one.
fn each_row<'a, const N: usize>(
    table: &Raw<'a>,
    place: &str,
    keys: [&str; N],
    mut row: impl FnMut(usize, [Option<&'a [u8]>; N]) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    let schema: FxHashMap<Cow<'_, str>, usize> = table.decode_member("schema", place)?;
    let wanted = keys.map(|key| schema.get(key).copied());
    let data = table.get("data").map_or([].as_slice(), |data| data.text);
    let mut scanner = Scanner::new(data);
    let (mut n, mut failed) = (0, None);
    let scanned = scanner.array(&mut |scanner| {
        let mut cells = [None; N];
        let mut column = 0;
        scanner.array(&mut |scanner| {
            scanner.peek()?;
            let start = scanner.at();
            scanner.skip()?;
            for (cell, wanted) in cells.iter_mut().zip(wanted) {
                if wanted == Some(column) {
                    *cell = Some(scanner.since(start));
                }
            }
            column += 1;
            Ok(())
        })?;
        failed = row(n, cells).err();
        n += 1;
        if failed.is_some() { Err(Stop::Enough) } else { Ok(()) }
    });
    match (failed, scanned) {
        (Some(error), _) => Err(error),
        (None, Err(_)) if !data.is_empty() => Err(ReadError::malformed(
            At::Key(format!("{place}.data[{n}]")),
            "expected a row: a list of values",
        )),
        _ => Ok(()),
    }
}
