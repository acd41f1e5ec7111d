//! pprof's `profile.proto`: Go, gperftools (after `pprof -proto`), the Rust crate pprof, rbspy and
//! many more.
//!
//! Traps: ids leave gaps and 0 means "none"; in a location the inlined calls come first and the
//! function that was really called last, but the Rust crate pprof writes a location of its own for
//! each; fields stand in any order (Go begins with times, Rust with the types of its samples), so
//! every table is read before the samples; the file may ask for frames to be left out ([`prune`]);
//! without symbols there are addresses only.
//!
//! A location without a function is called by where it lies in its file, which is looked up as it
//! is: by the specification, that of a caller lies within the call already, and gperftools' do.

mod prune;

use super::func_text::{FuncText, library};
use super::rows::Rows;
use crate::error::{At, ReadError};
use crate::format::Format;
use crate::pprof_proto::{self as proto, Fields};
use crate::read_result::Read;
use profile::{
    AddressBase, Frame, FrameId, Func, FuncKey, Lib, LibId, LineKnowledge, Metric, ProfileBuilder,
    Recording, Thread, WarningCode, Warnings,
};
use prost::Message;
use prune::{Cut, Prune};
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;

/// The tag of `Profile.sample`.
const SAMPLE: u64 = 2;

/// Each sample type is a column as long as all samples.
const MAX_SAMPLE_TYPES: usize = 64;

pub(crate) fn read(bytes: &[u8]) -> Result<Read, ReadError> {
    let mut warnings = Warnings::default();
    let file = all_but_samples(bytes)?;
    let strings = Strings::of(&file.string_table, &mut warnings);
    let (metrics, default_metric) = metrics(&file, &strings)?;
    let n_metrics = metrics.len();
    let mut builder = ProfileBuilder::new(metrics, default_metric);
    let locations = locations(&file, &strings, &mut builder, &mut warnings)?;

    let roles = ThreadLabels::of(&strings);
    let mut rows = Rows::new(n_metrics);
    let mut sample = proto::Sample::default();
    // That all fields are whole was seen when the tables were collected.
    for (row, field) in Fields::of(bytes).flatten().filter(|field| field.tag == SAMPLE).enumerate()
    {
        sample.clear();
        sample.merge(field.content).map_err(|error| malformed(field.at, &error))?;
        if sample.value.len() != n_metrics {
            let n = sample.value.len();
            return Err(at_key(
                format!("sample[{row}].value"),
                format!("{n} values; expected {n_metrics}, one per sample type"),
            ));
        }
        let mut leaf = None;
        let mut keeps_some = false;
        for (i, &id) in sample.location_id.iter().enumerate().rev() {
            let location = locations.get(id, || format!("sample[{row}].location_id[{i}]"))?;
            match location.cut {
                Cut::Nothing => keeps_some = true,
                Cut::Whole if keeps_some => break,
                Cut::Whole | Cut::Inner => {}
            }
            for &frame in &location.frames {
                leaf = Some(builder.intern_stack(leaf, frame)?);
            }
            if keeps_some && location.cut == Cut::Inner {
                break;
            }
        }
        let thread = roles.thread(&sample.label);
        let weight = |metric: usize| sample.value.get(metric).map_or(0.0, |&value| value as f64);
        rows.push(thread, || strings.thread(thread), leaf, weight);
    }
    rows.finish(&mut builder)?;
    Ok(Read {
        span_seconds: (file.duration_nanos > 0).then(|| file.duration_nanos as f64 / 1e9),
        ..Read::new(Format::Pprof, Recording::Stacks(builder.build()), warnings)
    })
}

/// Whether binary data begin with fields of pprof's `Profile`, which stand in any order.
pub(crate) fn is_pprof(bytes: &[u8]) -> bool {
    let is_binary = bytes.iter().take(64).any(|&byte| byte < b'\t');
    let mut n_fields = 0;
    for field in Fields::of(if is_binary { bytes } else { &[] }).take(4) {
        let fits = match field {
            // Other files of messages begin alike: a model of TensorFlow with its nodes, which are
            // more than two numbers.
            Ok(field) if matches!(field.tag, 1 | 11) => {
                proto::ValueType::decode(field.content).is_ok()
            }
            Ok(field) => (2..=15).contains(&field.tag),
            // Only the front of a file.
            Err(error) => return n_fields >= 2 && error.kind == crate::error::ErrorKind::Truncated,
        };
        if !fits {
            return false;
        }
        n_fields += 1;
    }
    n_fields == 4
}

/// The tables of a file. Samples are the bulk of it and need the tables when they are looked at,
/// one by one.
fn all_but_samples(bytes: &[u8]) -> Result<proto::Profile, ReadError> {
    let mut file = proto::Profile::default();
    for field in Fields::of(bytes) {
        let field = field?;
        if field.tag != SAMPLE {
            file.merge(field.whole).map_err(|error| malformed(field.at, &error))?;
        }
    }
    Ok(file)
}

fn malformed(at: usize, error: &prost::DecodeError) -> ReadError {
    ReadError::malformed(At::Byte(at as u64), error.to_string())
}

fn at_key(key: String, message: String) -> ReadError {
    ReadError::malformed(At::Key(key), message)
}

/// Tables stand in any order and nothing ends a file: this is all that shows where one was cut
/// between two fields.
fn dangling(key: String, what: &str, number: impl std::fmt::Display) -> ReadError {
    ReadError::truncated(
        At::Key(key),
        format!("there is no {what} {number}; the file may be cut off"),
    )
}

/// Rows by their ids, which are unique and not 0.
struct ById<T> {
    /// What a row is.
    name: &'static str,
    rows: FxHashMap<u64, T>,
}

impl<T> ById<T> {
    fn new(name: &'static str) -> Self {
        Self { name, rows: FxHashMap::default() }
    }

    fn insert(&mut self, row: usize, id: u64, value: T) -> Result<(), ReadError> {
        if id == 0 || self.rows.insert(id, value).is_some() {
            let key = format!("{}[{row}].id", self.name);
            return Err(at_key(
                key,
                format!("expected an id above 0 that no other {} has, found {id}", self.name),
            ));
        }
        Ok(())
    }

    fn get(&self, id: u64, key: impl FnOnce() -> String) -> Result<&T, ReadError> {
        self.rows.get(&id).ok_or_else(|| dangling(key(), self.name, id))
    }
}

/// The table of strings.
struct Strings<'a>(Vec<Cow<'a, str>>);

impl<'a> Strings<'a> {
    fn of(table: &'a [Vec<u8>], warnings: &mut Warnings) -> Self {
        let strings: Vec<_> = table.iter().map(|bytes| String::from_utf8_lossy(bytes)).collect();
        for (row, _) in
            strings.iter().enumerate().filter(|(_, string)| matches!(string, Cow::Owned(_)))
        {
            warnings.add(WarningCode::InvalidUtf8, || {
                format!("string_table[{row}] is not UTF-8; such bytes are shown as \u{fffd}")
            });
        }
        Self(strings)
    }

    fn get(&self, index: i64, key: impl FnOnce() -> String) -> Result<&str, ReadError> {
        match usize::try_from(index).ok().and_then(|index| self.0.get(index)) {
            Some(string) => Ok(string),
            None if index == 0 => Ok(""),
            None => Err(dangling(key(), "string", index)),
        }
    }

    fn thread(&self, [name, process_name, pid, tid]: ThreadKey) -> Thread {
        let text = |label: Option<(i64, i64)>| match label? {
            (0, number) => Some(number.to_string()),
            (string, _) => self.get(string, String::new).ok().map(str::to_owned),
        };
        Thread {
            name: text(name).unwrap_or_default(),
            process_name: text(process_name).unwrap_or_default(),
            pid: text(pid),
            tid: text(tid),
        }
    }
}

/// The labels that name a thread: name, process name, pid and tid, each as a string or else a
/// number.
type ThreadKey = [Option<(i64, i64)>; 4];

/// Which strings are the keys of such labels, and where in a [`ThreadKey`] they go.
struct ThreadLabels(FxHashMap<i64, usize>);

impl ThreadLabels {
    fn of(strings: &Strings<'_>) -> Self {
        let position = |key: &str| match key {
            "thread" | "thread_name" | "thread name" => Some(0),
            "process_name" => Some(1),
            "pid" | "process_id" => Some(2),
            "tid" | "thread_id" | "thread id" => Some(3),
            _ => None,
        };
        Self(
            (0..)
                .zip(&strings.0)
                .filter_map(|(row, string)| Some((row, position(string)?)))
                .collect(),
        )
    }

    fn thread(&self, labels: &[proto::Label]) -> ThreadKey {
        let mut key = ThreadKey::default();
        for label in labels {
            if let Some(slot) = self.0.get(&label.key).and_then(|&position| key.get_mut(position)) {
                *slot = Some((label.str, label.num));
            }
        }
        key
    }
}

/// The metrics and the default one: the one that the file names, else the last, as in pprof. A Go
/// heap profile that names none shows what was allocated (`alloc_space`), although its last metric
/// is `inuse_space`.
fn metrics(
    file: &proto::Profile,
    strings: &Strings<'_>,
) -> Result<(Vec<Metric>, usize), ReadError> {
    let n = file.sample_type.len();
    if !(1..=MAX_SAMPLE_TYPES).contains(&n) {
        return Err(at_key(
            "sample_type".to_owned(),
            format!("there are {n}; expected 1 to {MAX_SAMPLE_TYPES}"),
        ));
    }
    let period_unit =
        strings.get(file.period_type.unwrap_or_default().unit, || "period_type.unit".to_owned())?;
    let period_seconds = Metric::new("", period_unit, None)
        .seconds_per_unit
        .map(|seconds| seconds * file.period as f64);
    let knows_lines =
        file.location.iter().flat_map(|location| &location.line).any(|line| line.number > 0);
    let lines = if knows_lines { LineKnowledge::SelfAndTotal } else { LineKnowledge::Nothing };

    let default = strings.get(file.default_sample_type, || "default_sample_type".to_owned())?;
    let mut default_metric = n - 1;
    let mut metrics = Vec::with_capacity(n);
    for (row, sample_type) in file.sample_type.iter().enumerate() {
        let name = strings.get(sample_type.r#type, || format!("sample_type[{row}].type"))?;
        let unit = strings.get(sample_type.unit, || format!("sample_type[{row}].unit"))?;
        // Other counts (allocations, contentions) do not come once per period.
        let counts_samples = unit == "count" && matches!(name, "samples" | "sample");
        let metric =
            Metric::new(name, if counts_samples { "samples" } else { unit }, period_seconds)
                .with_lines(lines);
        metrics.push(Metric { unit: unit.to_owned(), ..metric });
        if !default.is_empty() && name == default {
            default_metric = row;
        }
    }
    let position = |name: &str| metrics.iter().position(|metric| metric.name == name);
    if default.is_empty() && position("inuse_space").is_some() {
        default_metric = position("alloc_space").unwrap_or(default_metric);
    }
    Ok((metrics, default_metric))
}

/// What a sample points to.
struct Location {
    /// The caller first, then what is inlined into it.
    frames: Vec<FrameId>,
    cut: Cut,
}

fn locations(
    file: &proto::Profile,
    strings: &Strings<'_>,
    builder: &mut ProfileBuilder,
    warnings: &mut Warnings,
) -> Result<ById<Location>, ReadError> {
    let mappings = Mappings::new(file, strings, builder)?;
    let mut functions = ById::new("function");
    for (row, function) in file.function.iter().enumerate() {
        let text = |index, column| strings.get(index, || format!("function[{row}].{column}"));
        let name = match text(function.name, "name")? {
            "" => text(function.system_name, "system_name")?,
            name => name,
        };
        let line = u32::try_from(function.start_line).unwrap_or(0);
        let func = FuncText {
            name,
            file: text(function.filename, "filename")?,
            line,
            ..FuncText::default()
        };
        functions.insert(row, function.id, func)?;
    }
    let dropped = dropped(file, strings, &functions, warnings)?;

    let mut locations = ById::new("location");
    for (row, location) in file.location.iter().enumerate() {
        let key = |column: &str| format!("location[{row}].{column}");
        let mapping = match location.mapping_id {
            0 => None,
            id => Some(mappings.by_id.get(id, || key("mapping_id"))?),
        };
        let lib = mapping.and_then(|mapping| mapping.lib);
        let unknown = [proto::Line::default()];
        let lines = if location.line.is_empty() { &unknown } else { location.line.as_slice() };
        let cut_at = lines.iter().rposition(|line| dropped.contains(&line.function_id));
        let (cut, n_cut) = match cut_at {
            None => (Cut::Nothing, 0),
            Some(at) if at + 1 < lines.len() => (Cut::Inner, at + 1),
            Some(_) => (Cut::Whole, 0),
        };
        let mut frames = Vec::with_capacity(lines.len());
        for (i, line) in lines.iter().enumerate().skip(n_cut).rev() {
            let known = match line.function_id {
                0 => FuncText::default(),
                id => *functions.get(id, || key(&format!("line[{i}].function_id")))?,
            };
            let func = if known.name.is_empty() && known.file.is_empty() {
                // What the file knows half of is nothing to look up: that would give all levels
                // again.
                let within =
                    mappings.around(location.address, mapping).filter(|_| lines.len() == 1);
                let (address, lib) = unresolved(location.address, within);
                Func { lib, ..FuncText { name: &address, ..known }.func(builder)? }
            } else {
                // A name that is an address may not count from the start of its library, so it is
                // not looked up.
                let lib = lib.filter(|_| FuncKey::new(known.name, None, None).address.is_none());
                Func { lib, ..known.func(builder)? }
            };
            let func = builder.intern_func(func)?;
            let number = |number: i64| u32::try_from(number).unwrap_or(0);
            let inlined = i + 1 < lines.len();
            frames.push(builder.intern_frame(Frame {
                func,
                line: number(line.number),
                column: number(line.column),
                inlined,
            })?);
        }
        locations.insert(row, location.id, Location { frames, cut })?;
    }
    Ok(locations)
}

/// The parts of libraries that lay in memory.
struct Mappings<'p> {
    by_id: ById<Mapped<'p>>,
    /// By where they begin, each with the end of all that begin before it.
    in_order: Vec<(Mapped<'p>, u64)>,
}

/// One of them.
#[derive(Clone, Copy)]
struct Mapped<'p> {
    mapping: &'p proto::Mapping,
    lib: Option<LibId>,
}

impl Mapped<'_> {
    fn holds(&self, address: u64) -> bool {
        (self.mapping.memory_start..self.mapping.memory_limit).contains(&address)
    }
}

impl<'p> Mappings<'p> {
    fn new(
        file: &'p proto::Profile,
        strings: &Strings<'_>,
        builder: &mut ProfileBuilder,
    ) -> Result<Self, ReadError> {
        let (mut by_id, mut in_order) = (ById::new("mapping"), Vec::new());
        for (row, mapping) in file.mapping.iter().enumerate() {
            let text = |index, column| strings.get(index, || format!("mapping[{row}].{column}"));
            let path = text(mapping.filename, "filename")?;
            let id = text(mapping.build_id, "build_id")?;
            // Go has a build id of its own.
            let code_id = if id.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                id.to_owned()
            } else {
                String::new()
            };
            let lib = || {
                builder.intern_lib(Lib { code_id, addresses: AddressBase::File, ..library(path) })
            };
            let lib = (!path.is_empty()).then(lib).transpose()?;
            by_id.insert(row, mapping.id, Mapped { mapping, lib })?;
            in_order.push((Mapped { mapping, lib }, 0));
        }
        in_order.sort_by_key(|(mapped, _)| mapped.mapping.memory_start);
        let mut end = 0;
        for (mapped, end_before) in &mut in_order {
            *end_before = end;
            end = end.max(mapped.mapping.memory_limit);
        }
        Ok(Self { by_id, in_order })
    }

    /// The mapping that an address lies in: the one that is said, or the only one, if none is said.
    fn around(&self, address: u64, said: Option<&Mapped<'p>>) -> Option<Mapped<'p>> {
        if let Some(said) = said {
            return Some(*said).filter(|said| said.holds(address));
        }
        let n_before =
            self.in_order.partition_point(|(mapped, _)| mapped.mapping.memory_start <= address);
        let (last, end_before) = self.in_order.get(n_before.checked_sub(1)?)?;
        (last.holds(address) && *end_before <= address).then_some(*last)
    }
}

/// What code without a name is called, and its library: the address, in the file that it was loaded
/// from where that is known, so that it stays the same wherever in memory the file is loaded.
fn unresolved(address: u64, within: Option<Mapped<'_>>) -> (String, Option<LibId>) {
    let (address, lib) = match within {
        Some(Mapped { mapping, lib }) => {
            ((address - mapping.memory_start).wrapping_add(mapping.file_offset), lib)
        }
        None => (address, None),
    };
    (if address == 0 { String::new() } else { format!("{address:#x}") }, lib)
}

/// The ids of the functions that the file wants left out.
fn dropped(
    file: &proto::Profile,
    strings: &Strings<'_>,
    functions: &ById<FuncText<'_>>,
    warnings: &mut Warnings,
) -> Result<FxHashSet<u64>, ReadError> {
    let drop = strings.get(file.drop_frames, || "drop_frames".to_owned())?;
    let keep = strings.get(file.keep_frames, || "keep_frames".to_owned())?;
    match Prune::of(drop, keep) {
        Ok(None) => Ok(FxHashSet::default()),
        Ok(Some(prune)) => Ok(functions
            .rows
            .iter()
            .filter(|(_, func)| prune.drops(func.name))
            .map(|(&id, _)| id)
            .collect()),
        Err(error) => {
            let message = || format!("drop_frames or keep_frames: {error}; no frames are left out");
            warnings.add(WarningCode::DropFrames, message);
            Ok(FxHashSet::default())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::pprof_proto::{Function, Label, Line, Mapping, Sample, ValueType};
    use profile::StackAccess;
    use std::fmt::Write;

    /// A file whose strings are the words of `text`, after the empty one; functions 10, 20 … are
    /// called by the words from `first` on and lie in file 4.
    fn file(text: &str, first: i64, n_functions: i64) -> proto::Profile {
        let function = |i: i64| Function {
            id: 10 * (i.cast_unsigned() + 1),
            name: first + i,
            filename: 4,
            start_line: i,
            system_name: 0,
        };
        proto::Profile {
            string_table: std::iter::once("")
                .chain(text.split(' '))
                .map(|word| word.as_bytes().to_vec())
                .collect(),
            sample_type: vec![ValueType { r#type: 1, unit: 2 }, ValueType { r#type: 3, unit: 2 }],
            function: (0..n_functions).map(function).collect(),
            ..proto::Profile::default()
        }
    }

    /// A location of functions at lines, the innermost first.
    fn location(id: u64, lines: &[(u64, i64)]) -> proto::Location {
        let line = |&(function_id, number): &(u64, i64)| Line { function_id, number, column: 0 };
        proto::Location { id, mapping_id: 0, address: 0, line: lines.iter().map(line).collect() }
    }

    fn sample(locations: &[u64], value: i64) -> Sample {
        Sample { location_id: locations.to_vec(), value: vec![1, value], label: Vec::new() }
    }

    /// Each sample as `thread: caller:line>callee:line weights`; inlined frames have `~`.
    fn rows(file: &proto::Profile) -> String {
        let read = read(&file.encode_to_vec()).unwrap();
        let Recording::Stacks(profile) = &read.recording else { panic!("it has stacks") };
        let mut out = String::new();
        for (thread, samples) in profile.sampled_threads() {
            for row in 0..samples.len() {
                let (mut frames, mut next) = (Vec::new(), samples.stack(row));
                while let Some(stack) = next {
                    let frame = profile.frames().get(profile.stacks().frame(stack));
                    let lib = profile
                        .symbols()
                        .funcs
                        .get(frame.func)
                        .lib
                        .map(|lib| &profile.symbols().libs[lib.index()].name);
                    let lib = lib.map(|name| format!("|{name}")).unwrap_or_default();
                    let mark = if frame.inlined { "~" } else { "" };
                    frames.push(format!(
                        "{}{lib}:{}{mark}",
                        profile.symbols().func_name(frame.func),
                        frame.line
                    ));
                    next = profile.stacks().prefix(stack);
                }
                frames.reverse();
                let weights: Vec<_> =
                    samples.weights().iter().map(|weights| weights.get(row).to_string()).collect();
                let ids = [&thread.pid, &thread.tid].map(|id| id.as_deref().unwrap_or("-"));
                let name = format!("{} {}", thread.name, ids.join("/"));
                writeln!(out, "{name}: {} {}", frames.join(">"), weights.join(",")).unwrap();
            }
        }
        out
    }

    #[test]
    fn inlined_calls_stand_before_their_caller_and_ids_leave_gaps() {
        let mut profile =
            file("samples count cpu a.c main f g /lib/libx.so thread pid tid worker", 5, 3);
        profile.mapping = vec![Mapping { id: 7, filename: 8, ..Mapping::default() }];
        profile.location =
            vec![location(900, &[(30, 3), (20, 2), (10, 1)]), location(5, &[(20, 9)])];
        profile.location[1].mapping_id = 7;
        let label = |key, str, num| Label { key, str, num };
        profile.sample = vec![sample(&[5, 900], 4), sample(&[], 5), sample(&[900], -6)];
        profile.sample[1].label = vec![label(9, 12, 0), label(10, 0, 33), label(4, 12, 0)];
        let expected = " -/-: main:1>f:2~>g:3~>f|libx.so:9 1,4
 -/-: main:1>f:2~>g:3~ 1,-6
worker 33/-:  1,5
";
        assert_eq!(rows(&profile), expected);
        // Fields may come in any order: the strings first, the types last.
        let strings = proto::Profile {
            string_table: profile.string_table.clone(),
            ..proto::Profile::default()
        };
        let types = proto::Profile {
            sample_type: profile.sample_type.clone(),
            ..proto::Profile::default()
        };
        (profile.string_table, profile.sample_type) = (Vec::new(), Vec::new());
        let bytes = [strings, profile, types].map(|part| part.encode_to_vec()).concat();
        assert_eq!(rows(&proto::Profile::decode(&*bytes).unwrap()), expected);
    }

    #[test]
    fn what_was_allocated_is_shown_unless_the_file_names_what_is_in_use() {
        let mut profile =
            file("alloc_objects count alloc_space bytes inuse_objects inuse_space", 0, 0);
        profile.sample_type = [(1, 2), (3, 4), (5, 2), (6, 4)]
            .map(|(name, unit)| ValueType { r#type: name, unit })
            .to_vec();
        for (named, shown) in [(0, 1), (6, 3), (3, 1)] {
            profile.default_sample_type = named;
            assert_eq!(
                read(&profile.encode_to_vec()).unwrap().recording.default_metric().index(),
                shown
            );
        }
    }

    #[test]
    fn the_metric_that_the_file_names_or_the_last_is_shown() {
        let mut profile = file("samples count cpu nanoseconds alloc_objects", 0, 0);
        profile.sample_type =
            [(1, 2), (3, 4), (5, 2)].map(|(name, unit)| ValueType { r#type: name, unit }).to_vec();
        profile.period_type = Some(ValueType { r#type: 3, unit: 4 });
        profile.period = 10_000_000;
        profile.duration_nanos = 1_500_000_000;
        for (named, shown) in [(0, 2), (3, 1), (1, 0), (2, 2)] {
            profile.default_sample_type = named;
            let read = read(&profile.encode_to_vec()).unwrap();
            assert_eq!(read.recording.default_metric().index(), shown);
            let seconds: Vec<_> =
                read.recording.metrics().iter().map(|metric| metric.seconds_per_unit).collect();
            assert_eq!(seconds, [Some(0.01), Some(1e-9), None]);
            assert_eq!(read.recording.metrics()[0].unit, "count");
            assert_eq!(read.recording.metrics()[0].lines, LineKnowledge::Nothing);
            assert_eq!(read.span_seconds, Some(1.5));
        }
        // The period counts something else than time.
        profile.period_type = Some(ValueType { r#type: 3, unit: 2 });
        assert_eq!(
            read(&profile.encode_to_vec()).unwrap().recording.metrics()[0].seconds_per_unit,
            None
        );
    }

    #[test]
    fn addresses_are_those_in_the_library() {
        let mut profile = file("samples count cpu a.c main /bin/app", 5, 1);
        let range = Mapping {
            memory_start: 0x5000,
            memory_limit: 0x6000,
            file_offset: 0x100,
            ..Mapping::default()
        };
        profile.mapping = vec![Mapping { id: 1, filename: 6, ..range }];
        let at = |id, mapping_id, address, lines| proto::Location {
            mapping_id,
            address,
            ..location(id, lines)
        };
        profile.location = vec![
            at(1, 1, 0x5abc, &[]),
            at(2, 1, 0x7001, &[]),
            at(3, 0, 0x7001, &[(0, 0)]),
            at(4, 0, 0, &[]),
        ];
        profile.sample = vec![sample(&[1, 2, 3, 4], 1)];
        // What lies outside of its mapping has no place in that file.
        assert_eq!(rows(&profile), " -/-: :0>0x7001:0>0x7001:0>0xbbc|app:0 1,1\n");

        // Half of what the compiler inlined has a name; two locations at one address; a mapping
        // that is not said.
        profile.location = vec![
            at(1, 1, 0x5abc, &[(10, 3), (0, 0)]),
            at(2, 0, 0x5abc, &[]),
            at(3, 1, 0x5abc, &[(0, 7)]),
        ];
        profile.sample = vec![sample(&[1, 2, 3], 1)];
        assert_eq!(rows(&profile), " -/-: 0xbbc|app:7>0xbbc|app:0>0x5abc:0>main|app:3~ 1,1\n");
        profile.mapping.push(Mapping { id: 2, ..profile.mapping[0] });
        assert_eq!(rows(&profile), " -/-: 0xbbc|app:7>0x5abc:0>0x5abc:0>main|app:3~ 1,1\n");
    }

    #[test]
    fn libraries_have_their_build_ids() {
        let mut profile = file("samples count cpu a.c main /bin/app 0a1b2c [vdso] abc/def", 5, 1);
        let mapping = |id: u64, filename, build_id| Mapping {
            id,
            filename,
            build_id,
            memory_start: id << 12,
            memory_limit: (id + 1) << 12,
            ..Mapping::default()
        };
        profile.mapping =
            vec![mapping(1, 6, 7), mapping(2, 6, 7), mapping(3, 8, 9), mapping(4, 0, 0)];
        profile.location = (1..=4)
            .map(|id| proto::Location {
                mapping_id: id,
                address: id << 12 | 0x10,
                ..location(id, &[])
            })
            .collect();
        profile.sample = vec![sample(&[1, 2, 3, 4], 1)];
        assert_eq!(rows(&profile), " -/-: 0x10:0>0x10|[vdso]:0>0x10|app:0>0x10|app:0 1,1\n");
        let read = read(&profile.encode_to_vec()).unwrap();
        let Recording::Stacks(profile) = &read.recording else { panic!("it has stacks") };
        let lib = |name: &str, path: &str, code_id: &str| {
            let [name, path, code_id] = [name, path, code_id].map(str::to_owned);
            Lib { name, path, code_id, addresses: AddressBase::File, ..Lib::default() }
        };
        assert_eq!(
            profile.symbols().libs,
            [lib("app", "/bin/app", "0a1b2c"), lib("[vdso]", "", "")]
        );
    }

    #[test]
    fn frames_are_left_out_as_pprof_does() {
        // a calls b, which calls c and d; d is inlined into c at location 5.
        let mut profile = file("samples count cpu a.c a b c d(int) a|d|b b", 5, 4);
        profile.location = vec![
            location(1, &[(10, 1)]),
            location(2, &[(20, 2)]),
            location(3, &[(30, 3)]),
            location(4, &[(40, 4)]),
            location(5, &[(40, 4), (30, 3)]),
        ];
        let stacks: [&[u64]; 6] =
            [&[4, 3, 2, 1], &[1, 4, 3], &[5, 2], &[2, 5, 2, 1], &[4, 1], &[5, 1, 3]];
        profile.sample = stacks.iter().map(|stack| sample(stack, 1)).collect();
        profile.drop_frames = 9;
        profile.keep_frames = 10;
        let kept = "a:1>b:2>c:3|c:3|b:2>c:3|a:1>b:2>c:3|a:1>d(int):4|c:3";
        assert_eq!(
            rows(&profile),
            kept.split('|').fold(String::new(), |all, row| format!("{all} -/-: {row} 1,1\n"))
        );

        profile.string_table[9] = b"(".to_vec();
        let read = read(&profile.encode_to_vec()).unwrap();
        assert_eq!(read.warnings.as_slice()[0].code, WarningCode::DropFrames);
        assert!(rows(&profile).starts_with(" -/-: a:1>b:2>c:3>d(int):4 1,1\n"));
    }

    #[test]
    fn what_points_nowhere_is_named() {
        let mut good = file("samples count cpu a.c main f", 5, 2);
        good.location = vec![location(1, &[(10, 1), (20, 2)])];
        good.sample = vec![sample(&[1], 4)];
        let broken = |change: fn(&mut proto::Profile)| {
            let mut profile = good.clone();
            change(&mut profile);
            let error = read(&profile.encode_to_vec()).unwrap_err();
            let is_cut = error.message.ends_with("cut off");
            assert_eq!(
                error.kind,
                if is_cut { ErrorKind::Truncated } else { ErrorKind::Malformed }
            );
            error.to_string()
        };
        assert_eq!(rows(&good), " -/-: f:2>main:1~ 1,4\n");
        let cases = [
            (
                broken(|p| p.sample_type[1].unit = 7),
                "sample_type[1].unit: there is no string 7; the file may be cut off",
            ),
            (
                broken(|p| p.function[1].name = -1),
                "function[1].name: there is no string -1; the file may be cut off",
            ),
            (
                broken(|p| p.sample[0].location_id[0] = 2),
                "sample[0].location_id[0]: there is no location 2; the file may be cut off",
            ),
            (
                broken(|p| p.location[0].mapping_id = 3),
                "location[0].mapping_id: there is no mapping 3; the file may be cut off",
            ),
            (
                broken(|p| p.location[0].line[1].function_id = 3),
                "location[0].line[1].function_id: there is no function 3; the file may be cut off",
            ),
            (
                broken(|p| p.function[1].id = 10),
                "function[1].id: expected an id above 0 that no other function has, found 10",
            ),
            (
                broken(|p| p.location[0].id = 0),
                "location[0].id: expected an id above 0 that no other location has, found 0",
            ),
            (
                broken(|p| p.sample[0].value = vec![1]),
                "sample[0].value: 1 values; expected 2, one per sample type",
            ),
            (broken(|p| p.sample_type.clear()), "sample_type: there are 0; expected 1 to 64"),
        ];
        for (error, expected) in cases {
            assert_eq!(error, expected);
        }
        let bytes = good.encode_to_vec();
        let error = read(&bytes[..bytes.len() - 1]).unwrap_err();
        assert_eq!(
            (error.kind, error.at),
            (ErrorKind::Truncated, At::Byte(bytes.len() as u64 - 3))
        );
        let error = read(b"\x32\x00\x0a\x00\x12\x02\x0a\x05").unwrap_err();
        assert_eq!((error.kind, error.at), (ErrorKind::Malformed, At::Byte(4)));
    }

    #[test]
    fn odd_bytes_in_names_cost_nothing_else() {
        let mut profile = file("samples count cpu a.c main", 5, 1);
        profile.string_table[5] = b"m\xff".to_vec();
        profile.location = vec![location(1, &[(10, -1)])];
        profile.sample = vec![sample(&[1], 4)];
        assert_eq!(rows(&profile), " -/-: m\u{fffd}:0 1,4\n");
        assert_eq!(
            read(&profile.encode_to_vec()).unwrap().warnings.as_slice()[0].code,
            WarningCode::InvalidUtf8
        );
    }

    #[test]
    fn a_hundred_thousand_levels_are_read_without_recursion() {
        let mut profile = file("samples count cpu a.c f", 5, 1);
        profile.location = vec![location(1, &[(10, 1)])];
        profile.sample = vec![sample(&[1; 100_000], 1)];
        let read = read(&profile.encode_to_vec()).unwrap();
        let Recording::Stacks(profile) = &read.recording else { panic!("it has stacks") };
        assert_eq!(profile.stacks().len(), 100_000);
    }

    #[test]
    fn fronts_are_recognised_in_any_order_of_fields() {
        let mut profile = file("samples count cpu a.c f", 5, 1);
        profile.sample = vec![sample(&[1; 1000], 1)];
        let whole = profile.encode_to_vec();
        assert!(is_pprof(&whole) && is_pprof(&whole[..100]));
        // Strings first, as some writers have it.
        assert!(is_pprof(b"\x32\x00\x32\x03cpu\x32\x05count\x0a\x04\x08\x01\x10\x02"));
        // A graph of TensorFlow: nodes with names.
        assert!(!is_pprof(
            b"\x0a\x0c\x0a\x05input\x12\x03abc\x0a\x02\x0a\x00\x0a\x02\x0a\x00\x0a\x02\x0a\x00"
        ));
        assert!(!is_pprof(b"\x0a\x04\x08\x01\x10\x02"), "too little to say");
        assert!(
            !is_pprof(b"")
                && !is_pprof(b"P1;T0:2 191\n")
                && !is_pprof(b"PK\x03\x04\x14\x00\x00\x00")
        );
    }
}
