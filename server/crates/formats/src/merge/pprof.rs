//! Merges pprof profiles as pprof's own `Merge` does (`go tool pprof -proto`): samples with equal
//! locations and labels are added; equal functions, mappings and locations become one. Libraries that
//! were loaded at other addresses are moved to where the first file has them.
//!
//! In a [`Part`], ids are the numbers of rows, from 1 on, and all of them exist.

mod locations;

use super::cut::{CUT, Cuts, Frames, cut};
use super::sum::{MergeError, add};
use crate::error::ReadError;
use crate::pprof_proto::{self as proto, Fields};
use crate::read::pprof::tables::{at_key, dangling, malformed};
use flate2::Compression;
use flate2::write::GzEncoder;
use locations::{Locations, index};
use prost::Message;
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;
use std::io::Write as _;
use std::mem;
use std::sync::Arc;

/// Libraries are as large as pages are, which differ between machines.
const PAGE: u64 = 0x1000;

/// A decoded file.
#[derive(Debug)]
pub(super) struct Part(proto::Profile);

impl Part {
    pub(super) fn read(bytes: &[u8]) -> Result<Self, ReadError> {
        let mut file = proto::Profile::default();
        for field in Fields::of(bytes) {
            let field = field?;
            file.merge(field.whole).map_err(|error| malformed(field.at as u64, &error))?;
        }
        check_strings(&file)?;
        number_rows(&mut file)?;
        Ok(Self(file))
    }
}

/// Checks that all texts exist.
fn check_strings(file: &proto::Profile) -> Result<(), ReadError> {
    let n = file.string_table.len().max(1);
    let check = |indexes: &[i64], table: &str, row: usize| {
        let wrong =
            indexes.iter().find(|&&index| usize::try_from(index).map_or(true, |at| at >= n));
        wrong.map_or(Ok(()), |index| Err(dangling(format!("{table}[{row}]"), "string", index)))
    };
    for (row, item) in file.sample_type.iter().chain(&file.period_type).enumerate() {
        check(&[item.r#type, item.unit], "sample_type", row)?;
    }
    for (row, item) in file.mapping.iter().enumerate() {
        check(&[item.filename, item.build_id], "mapping", row)?;
    }
    for (row, item) in file.function.iter().enumerate() {
        check(&[item.name, item.system_name, item.filename], "function", row)?;
    }
    for (row, sample) in file.sample.iter().enumerate() {
        for label in &sample.label {
            check(&[label.key, label.str, label.num_unit], "sample", row)?;
        }
    }
    check(&file.comment, "comment", 0)?;
    let header = [file.drop_frames, file.keep_frames, file.default_sample_type, file.doc_url];
    check(&header, "header", 0)
}

/// Replaces ids by the numbers of rows, from 1 on, and checks that all of them exist.
fn number_rows(file: &mut proto::Profile) -> Result<(), ReadError> {
    let mappings = Rows::of("mapping", file.mapping.iter().map(|row| row.id))?;
    let functions = Rows::of("function", file.function.iter().map(|row| row.id))?;
    let locations = Rows::of("location", file.location.iter().map(|row| row.id))?;
    for (row, location) in file.location.iter_mut().enumerate() {
        let of = ("location", row);
        location.mapping_id = mappings.or_none(location.mapping_id, of)?;
        for line in &mut location.line {
            line.function_id = functions.or_none(line.function_id, of)?;
        }
    }
    let n_values = file.sample_type.len();
    for (row, sample) in file.sample.iter_mut().enumerate() {
        if sample.value.len() != n_values {
            let n = sample.value.len();
            let message = format!("{n} values; expected {n_values}, one per sample type");
            return Err(at_key(format!("sample[{row}].value"), message));
        }
        for id in &mut sample.location_id {
            *id = locations.get(*id, ("sample", row))?;
        }
    }
    Ok(())
}

/// The numbers of rows, from 1 on, by id.
struct Rows {
    name: &'static str,
    by_id: FxHashMap<u64, u64>,
}

impl Rows {
    fn of(name: &'static str, ids: impl Iterator<Item = u64>) -> Result<Self, ReadError> {
        let mut by_id = FxHashMap::default();
        for (number, id) in (1..).zip(ids) {
            if id == 0 || by_id.insert(id, number).is_some() {
                let message =
                    format!("expected an id above 0 that no other {name} has, found {id}");
                return Err(at_key(format!("{name}[{}].id", number - 1), message));
            }
        }
        Ok(Self { name, by_id })
    }

    fn get(&self, id: u64, (table, row): (&str, usize)) -> Result<u64, ReadError> {
        let number = self.by_id.get(&id).copied();
        number.ok_or_else(|| dangling(format!("{table}[{row}]"), self.name, id))
    }

    fn or_none(&self, id: u64, of: (&str, usize)) -> Result<u64, ReadError> {
        if id == 0 { Ok(0) } else { self.get(id, of) }
    }
}

/// The merged tables. Ids are the numbers of rows, from 1 on.
#[derive(Debug, Default)]
pub(super) struct Tables {
    /// All but samples and strings.
    pub(super) file: proto::Profile,
    /// Whether a file was added.
    has_header: bool,
    strings: Strings,
    /// By size in pages, offset in the file, and build id or name.
    mappings: FxHashMap<(u64, u64, i64), u64>,
    /// By name, system name, file and line.
    functions: FxHashMap<[i64; 4], u64>,
    locations: FxHashMap<LocationKey, u64>,
    /// Where the values of each sample begin, by locations and labels ([`Tables::sample_key`]).
    samples: FxHashMap<Box<[u64]>, usize>,
    values: Vec<i64>,
}

/// A location independent of where its library was loaded.
#[derive(Debug, PartialEq, Eq, Hash)]
struct LocationKey {
    mapping: u64,
    /// Relative to the mapping.
    address: u64,
    is_folded: bool,
    /// Function, line and column.
    lines: Box<[(u64, i64, i64)]>,
}

#[derive(Debug)]
struct Strings {
    ids: FxHashMap<Arc<[u8]>, i64>,
    texts: Vec<Arc<[u8]>>,
}

impl Default for Strings {
    fn default() -> Self {
        let mut strings = Self { ids: FxHashMap::default(), texts: Vec::new() };
        // By the format, the first one is empty.
        strings.id(&[]);
        strings
    }
}

impl Strings {
    fn id(&mut self, text: &[u8]) -> i64 {
        if let Some(&id) = self.ids.get(text) {
            return id;
        }
        let id = (self.texts.len() as u64).cast_signed();
        let text: Arc<[u8]> = text.into();
        self.texts.push(text.clone());
        self.ids.insert(text, id);
        id
    }
}

/// The ids that rows of one file have in the merged tables, by row number less 1. 0 before they are
/// known.
struct Known<'a> {
    file: &'a proto::Profile,
    /// With what is added to addresses.
    mappings: Vec<(u64, u64)>,
    functions: Vec<u64>,
    locations: Vec<u64>,
    /// Less than 0 before they are known.
    strings: Vec<i64>,
}

impl Tables {
    pub(super) fn add(&mut self, Part(file): &Part) -> Result<(), MergeError> {
        let mut known = Known {
            file,
            mappings: vec![(0, 0); file.mapping.len()],
            functions: vec![0; file.function.len()],
            locations: vec![0; file.location.len()],
            strings: vec![-1; file.string_table.len().max(1)],
        };
        self.add_header(&mut known)?;
        // The first mapping is the program.
        if self.file.mapping.is_empty() && !file.mapping.is_empty() {
            self.mapping(1, &mut known);
        }
        let mut key = Vec::new();
        for sample in &file.sample {
            if sample.value.iter().all(|&value| value == 0) {
                continue;
            }
            self.sample_key(sample, &mut known, &mut key);
            self.add_values(&key, &sample.value)?;
        }
        Ok(())
    }

    /// Adds the values of a sample ([`Tables::sample_key`]).
    fn add_values(&mut self, key: &[u64], values: &[i64]) -> Result<(), MergeError> {
        if let Some(&at) = self.samples.get(key) {
            for (sum, &value) in self.values.iter_mut().skip(at).zip(values) {
                add(sum, value)?;
            }
        } else {
            self.samples.insert(key.into(), self.values.len());
            self.values.extend(values);
        }
        Ok(())
    }

    fn add_header(&mut self, known: &mut Known<'_>) -> Result<(), MergeError> {
        let file = known.file;
        let mut value_type = |value: &proto::ValueType| proto::ValueType {
            r#type: self.strings.of(value.r#type, known),
            unit: self.strings.of(value.unit, known),
        };
        let sample_type: Vec<_> = file.sample_type.iter().map(&mut value_type).collect();
        let period_type = file.period_type.as_ref().map(&mut value_type);
        let first = !self.has_header;
        self.has_header = true;
        let drop_frames = self.strings.of(file.drop_frames, known);
        let keep_frames = self.strings.of(file.keep_frames, known);
        let default_sample_type = self.strings.of(file.default_sample_type, known);
        let doc_url = self.strings.of(file.doc_url, known);
        if first {
            self.file.sample_type = sample_type;
            self.file.period_type = period_type;
            self.file.drop_frames = drop_frames;
            self.file.keep_frames = keep_frames;
        } else if self.file.sample_type != sample_type {
            return Err(self.differs("sample types", &sample_type, &self.file.sample_type));
        } else if self.file.period_type.unwrap_or_default() != period_type.unwrap_or_default() {
            let one = |value: &Option<proto::ValueType>| [value.unwrap_or_default()];
            let (this, others) = (one(&period_type), one(&self.file.period_type));
            return Err(self.differs("period type", &this, &others));
        }
        for &comment in &file.comment {
            let comment = self.strings.of(comment, known);
            if !self.file.comment.contains(&comment) {
                self.file.comment.push(comment);
            }
        }
        let merged = &mut self.file;
        if merged.default_sample_type == 0 {
            merged.default_sample_type = default_sample_type;
        }
        if merged.doc_url == 0 {
            merged.doc_url = doc_url;
        }
        if file.time_nanos != 0 && (merged.time_nanos == 0 || file.time_nanos < merged.time_nanos) {
            merged.time_nanos = file.time_nanos;
        }
        add(&mut merged.duration_nanos, file.duration_nanos)?;
        merged.period = merged.period.max(file.period);
        Ok(())
    }

    /// The error for a file with other types than the first one.
    fn differs(
        &self,
        what: &str,
        this: &[proto::ValueType],
        others: &[proto::ValueType],
    ) -> MergeError {
        let text = |id: i64| {
            let text = usize::try_from(id).ok().and_then(|at| self.strings.texts.get(at));
            text.map_or_else(String::new, |text| String::from_utf8_lossy(text).into_owned())
        };
        let list = |types: &[proto::ValueType]| {
            let texts: Vec<_> = types
                .iter()
                .map(|value| format!("{}/{}", text(value.r#type), text(value.unit)))
                .collect();
            texts.join(", ")
        };
        let message = format!(
            "has the {what} {}, unlike the first file, which has {}",
            list(this),
            list(others)
        );
        MergeError(message)
    }

    /// Writes into `key`: the number of locations, their ids, and four numbers for each label.
    fn sample_key(&mut self, sample: &proto::Sample, known: &mut Known<'_>, key: &mut Vec<u64>) {
        key.clear();
        key.push(sample.location_id.len() as u64);
        for &row in &sample.location_id {
            let id = self.location(row, known);
            key.push(id);
        }
        let mut labels: Vec<_> = sample
            .label
            .iter()
            .map(|label| {
                let mut text = |index| self.strings.of(index, known).cast_unsigned();
                let (key, str, unit) = (text(label.key), text(label.str), text(label.num_unit));
                [key, str, label.num.cast_unsigned(), unit]
            })
            .collect();
        // The values of one key keep their order.
        labels.sort_by_key(|label| label[0]);
        key.extend(labels.as_flattened());
    }

    /// The id of a location, by its row number.
    fn location(&mut self, row: u64, known: &mut Known<'_>) -> u64 {
        let at = index(row);
        if known.locations[at] != 0 {
            return known.locations[at];
        }
        let file = known.file;
        let location = &file.location[at];
        let (mapping_id, moved) = match location.mapping_id {
            0 => (0, 0),
            row => self.mapping(row, known),
        };
        let address = location.address.wrapping_add(moved);
        let line: Vec<_> = location
            .line
            .iter()
            .map(|line| {
                let function_id = match line.function_id {
                    0 => 0,
                    row => self.function(row, known),
                };
                proto::Line { function_id, ..*line }
            })
            .collect();
        let id = self.location_of(mapping_id, address, location.is_folded, line);
        known.locations[at] = id;
        id
    }

    /// The id of a location of the merged tables.
    fn location_of(
        &mut self,
        mapping_id: u64,
        address: u64,
        is_folded: bool,
        line: Vec<proto::Line>,
    ) -> u64 {
        let start = match mapping_id {
            0 => 0,
            id => self.file.mapping[index(id)].memory_start,
        };
        let key = LocationKey {
            mapping: mapping_id,
            address: address.wrapping_sub(start),
            is_folded,
            lines: line.iter().map(|line| (line.function_id, line.number, line.column)).collect(),
        };
        let rows = &mut self.file.location;
        *self.locations.entry(key).or_insert_with(|| {
            let id = rows.len() as u64 + 1;
            rows.push(proto::Location { id, mapping_id, address, line, is_folded });
            id
        })
    }

    fn function(&mut self, row: u64, known: &mut Known<'_>) -> u64 {
        let at = index(row);
        if known.functions[at] != 0 {
            return known.functions[at];
        }
        let function = known.file.function[at];
        let name = self.strings.of(function.name, known);
        let system_name = self.strings.of(function.system_name, known);
        let filename = self.strings.of(function.filename, known);
        let start_line = function.start_line;
        let rows = &mut self.file.function;
        let key = [name, system_name, filename, start_line];
        let id = *self.functions.entry(key).or_insert_with(|| {
            let id = rows.len() as u64 + 1;
            rows.push(proto::Function { id, name, system_name, filename, start_line });
            id
        });
        known.functions[at] = id;
        id
    }

    /// The id of a mapping, by its row number, and what is added to its addresses.
    fn mapping(&mut self, row: u64, known: &mut Known<'_>) -> (u64, u64) {
        let at = index(row);
        if known.mappings[at].0 != 0 {
            return known.mappings[at];
        }
        let mapping = &known.file.mapping[at];
        let filename = self.strings.of(mapping.filename, known);
        let build_id = self.strings.of(mapping.build_id, known);
        let size = mapping.memory_limit.wrapping_sub(mapping.memory_start);
        let n_pages = size.wrapping_add(PAGE - 1) / PAGE;
        // A mapping without either was made up by a tool: all of them are one.
        let identity = if build_id == 0 { filename } else { build_id };
        let known_as = match self.mappings.entry((n_pages, mapping.file_offset, identity)) {
            Entry::Occupied(entry) => {
                let id = *entry.get();
                let start = self.file.mapping[index(id)].memory_start;
                (id, start.wrapping_sub(mapping.memory_start))
            }
            Entry::Vacant(entry) => {
                let id = self.file.mapping.len() as u64 + 1;
                entry.insert(id);
                self.file.mapping.push(proto::Mapping {
                    id,
                    filename,
                    build_id,
                    ..mapping.clone()
                });
                (id, 0)
            }
        };
        known.mappings[at] = known_as;
        known_as
    }

    /// The id of a string.
    pub(super) fn string(&mut self, text: &str) -> i64 {
        self.strings.id(text.as_bytes())
    }

    /// The id of a location that has a function, file and line, but no address.
    pub(super) fn place(&mut self, name: &str, file: &str, line: u32) -> u64 {
        let (name, filename) = (self.string(name), self.string(file));
        let rows = &mut self.file.function;
        let function_id = *self.functions.entry([name, 0, filename, 0]).or_insert_with(|| {
            let id = rows.len() as u64 + 1;
            rows.push(proto::Function { id, name, filename, ..proto::Function::default() });
            id
        });
        let line = proto::Line { function_id, number: i64::from(line), column: 0 };
        self.location_of(0, 0, false, vec![line])
    }

    /// Adds a sample whose ids refer to the merged tables, and which has no labels.
    pub(super) fn add_sample(&mut self, sample: &proto::Sample) -> Result<(), MergeError> {
        let mut key = Vec::with_capacity(sample.location_id.len() + 1);
        key.push(sample.location_id.len() as u64);
        key.extend(&sample.location_id);
        self.add_values(&key, &sample.value)
    }

    pub(super) fn cut(&mut self, cuts: &Cuts) -> Result<u128, MergeError> {
        let n_values = self.file.sample_type.len();
        let samples: Vec<(Box<[u64]>, usize)> = mem::take(&mut self.samples).into_iter().collect();
        let values = mem::take(&mut self.values);
        let default = self.file.default_sample_type;
        let types = &self.file.sample_type;
        let deciding = types.iter().position(|it| default != 0 && it.r#type == default);
        let deciding = deciding.unwrap_or(n_values.saturating_sub(1));
        let of_sample = |at: usize| values.get(at..at + n_values).unwrap_or_default();
        let root_first = |key: &[u64]| parts(key).0.iter().rev().copied().collect::<Vec<_>>();
        let weight = |at| of_sample(at).get(deciding).copied().unwrap_or_default();
        let mut stacks: Vec<_> =
            samples.iter().map(|(key, at)| (root_first(key), weight(*at))).collect();
        let functions = Locations::of(&self.file);
        let moved = cut(&mut stacks, cuts, &mut CutFrames { tables: self, functions });
        let nothing = self.place(CUT, "", 0);
        for ((key, at), (mut stack, _)) in samples.iter().zip(stacks) {
            let (locations, labels) = parts(key);
            stack.reverse();
            if stack.is_empty() && !locations.is_empty() {
                stack.push(nothing);
            }
            let key = [&[stack.len() as u64], &*stack, labels].concat();
            self.add_values(&key, of_sample(*at))?;
        }
        Ok(moved)
    }

    /// The file, without samples whose values add up to nothing and without rows that nothing uses.
    pub(super) fn finish(self) -> Vec<u8> {
        let Self { mut file, strings, samples, values, .. } = self;
        let n_values = file.sample_type.len();
        let mut samples: Vec<_> = samples
            .into_iter()
            .map(|(key, at)| (at, key))
            .filter(|&(at, _)| values[at..at + n_values].iter().any(|&value| value != 0))
            .collect();
        samples.sort_unstable_by_key(|&(at, _)| at);

        let mut is_used = vec![false; file.location.len()];
        for (_, key) in &samples {
            let (locations, _) = parts(key);
            for &id in locations {
                is_used[index(id)] = true;
            }
        }
        let mut used_functions = vec![false; file.function.len()];
        let mut used_mappings = vec![false; file.mapping.len()];
        file.location.retain(|location| is_used[index(location.id)]);
        for location in &file.location {
            if location.mapping_id != 0 {
                used_mappings[index(location.mapping_id)] = true;
            }
            for line in location.line.iter().filter(|line| line.function_id != 0) {
                used_functions[index(line.function_id)] = true;
            }
        }
        file.function.retain(|function| used_functions[index(function.id)]);
        // The first one is the program.
        file.mapping.retain(|mapping| mapping.id == 1 || used_mappings[index(mapping.id)]);
        file.string_table = strings.texts.iter().map(|text| text.to_vec()).collect();

        let mut out = GzEncoder::new(Vec::new(), Compression::default());
        let mut row = Vec::new();
        let mut write = |file: &proto::Profile| {
            row.clear();
            // Memory takes everything: neither can fail.
            let _ = file.encode(&mut row);
            let _ = out.write_all(&row);
        };
        write(&file);
        // Messages that follow each other are one message, so samples are encoded one by one.
        for (at, key) in samples {
            let (locations, labels) = parts(&key);
            let label = labels
                .chunks_exact(4)
                .map(|label| proto::Label {
                    key: label[0].cast_signed(),
                    str: label[1].cast_signed(),
                    num: label[2].cast_signed(),
                    num_unit: label[3].cast_signed(),
                })
                .collect();
            let value = values[at..at + n_values].to_vec();
            let sample = proto::Sample { location_id: locations.to_vec(), value, label };
            write(&proto::Profile { sample: vec![sample], ..proto::Profile::default() });
        }
        out.finish().unwrap_or_default()
    }
}

impl Strings {
    /// The merged id of a string of a file.
    fn of(&mut self, index: i64, known: &mut Known<'_>) -> i64 {
        let at = index.cast_unsigned() as usize;
        if known.strings[at] < 0 {
            known.strings[at] = self.id(known.file.string_table.get(at).map_or(&[], Vec::as_slice));
        }
        known.strings[at]
    }
}

/// The locations and the labels of a sample ([`Tables::sample_key`]).
fn parts(key: &[u64]) -> (&[u64], &[u64]) {
    key[1..].split_at(key[0] as usize)
}

/// The locations of the merged tables, with their functions, for what is cut.
struct CutFrames<'t> {
    tables: &'t mut Tables,
    functions: Locations,
}

impl Frames for CutFrames<'_> {
    fn functions(&self, frame: u64) -> &[u64] {
        self.functions.functions(frame)
    }

    /// Lines are leaf first: the last ones are the outer functions.
    fn outer(&mut self, frame: u64, n: usize) -> u64 {
        let Some(location) = self.tables.file.location.get(index(frame)) else { return frame };
        let proto::Location { mapping_id, address, is_folded, ref line, .. } = *location;
        let line = line.get(line.len().saturating_sub(n)..).unwrap_or_default().to_vec();
        self.tables.location_of(mapping_id, address, is_folded, line)
    }
}
