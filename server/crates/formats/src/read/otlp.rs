//! OpenTelemetry's profiles (OTLP): the collector's file exporter, the eBPF profiler, async-profiler.
//!
//! A file has one or several messages: protobuf, each after its length if there are several, or JSON, one per line.
//! A message has profiles and a dictionary of tables. A profile has samples of one type, so a heap profile of four
//! types is four of them.
//!
//! But for that, and for stacks and attributes that are rows of tables, a message is what
//! [pprof](super::pprof) has. So it becomes one of pprof's, and is read as such.
//!
//! The layout is that of `v1development` since stacks have a table (2025). In older ones the same numbers mean other
//! fields. Row 0 of each table tells them apart: it is empty.

mod proto;

use super::pprof::{self, tables::malformed};
use crate::error::{At, ReadError};
use crate::format::Format;
use crate::pprof_proto as target;
use crate::read::result::Read;
use crate::read::shared::json;
use prost::Message;
use proto::{Dictionary, Profile, ProfilesData, Resource, Sample, ValueType};
use rustc_hash::FxHashMap;

/// The attributes of a mapping that are its build id, the most certain first.
const BUILD_IDS: [&str; 3] = [
    "process.executable.build_id.gnu",
    "process.executable.build_id.go",
    "process.executable.build_id.htlhash",
];

/// Whether `bytes`, or what follows a length, begin like a message in protobuf. The first field may be longer
/// than what is there.
pub(crate) fn is_otlp(bytes: &[u8]) -> bool {
    let message = without_length(bytes).map_or(bytes, |(_, rest)| rest);
    // A sample type, in a profile in a scope in a resource.
    let has_profile = || {
        let profile = field(field(field(message, 1)?, 2)?, 2)?;
        ValueType::decode(field(profile, 1).filter(|first| first.len() < 16)?).ok()
    };
    // The first rows of the tables are empty.
    let has_dictionary = || {
        let tables = field(message, 2).filter(|_| message.starts_with(&[0x12]))?;
        (tables.starts_with(&[0x0a, 0]) || tables.starts_with(&[0x12, 0])).then_some(())
    };
    has_profile().is_some() || has_dictionary().is_some()
}

/// The length before a message, and what follows.
fn without_length(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let (length, rest) = bytes.split_at_checked(4)?;
    let length = u32::from_be_bytes(length.try_into().ok()?);
    // The first field of a message.
    (bytes[0] == 0 && length > 0 && matches!(rest.first(), Some(0x0a | 0x12)))
        .then_some((length as usize, rest))
}

/// The content of the first field with a number, if those before it have lower ones, as far as it is there.
fn field(mut message: &[u8], number: u8) -> Option<&[u8]> {
    loop {
        let (&key, mut rest) = message.split_first()?;
        let length = prost::encoding::decode_varint(&mut rest).ok()?;
        let length = usize::try_from(length).ok()?.min(rest.len());
        let (content, after) = rest.split_at(length);
        // Fields with a length have a key that ends with 2.
        if key == number << 3 | 2 {
            return Some(content);
        }
        if key & 7 != 2 || key >> 3 > number {
            return None;
        }
        message = after;
    }
}

pub(crate) fn read(bytes: &[u8]) -> Result<Read, ReadError> {
    let mut file = File::default();
    if bytes.trim_ascii_start().starts_with(b"{") {
        for line in bytes.split(|&byte| byte == b'\n').filter(|line| !line.trim_ascii().is_empty())
        {
            match json::decode(line) {
                Ok(message) => file.add(message)?,
                // One message in several lines.
                Err(_) if file.samples.is_empty() => {
                    file.add(json::decode(bytes)?)?;
                    break;
                }
                Err(error) => return Err(error),
            }
        }
    } else {
        let mut rest = bytes;
        while !rest.is_empty() {
            let at = (bytes.len() - rest.len()) as u64;
            let (length, message) = without_length(rest).unwrap_or((rest.len(), rest));
            let Some((message, after)) = message.split_at_checked(length) else {
                let text = "the profile ends within a message; expected the rest of it";
                return Err(ReadError::truncated(At::Byte(at), text));
            };
            file.add(ProfilesData::decode(message).map_err(|error| malformed(at, &error))?)?;
            rest = after;
        }
    }
    let read = pprof::read_profile(file.profile, file.samples)?;
    Ok(Read { format: Format::Otlp, ..read })
}

/// All messages of a file, as one of pprof.
#[derive(Default)]
struct File {
    profile: target::Profile,
    /// Each with the column of its value.
    samples: Vec<(target::Sample, usize)>,
    strings: FxHashMap<Vec<u8>, i64>,
}

/// A message whose tables are being added.
struct Rows<'d> {
    dictionary: &'d Dictionary,
    /// The strings of the file.
    strings: Vec<i64>,
    /// How many rows the tables had before.
    n_mappings: u64,
    n_locations: u64,
    n_functions: u64,
}

impl Rows<'_> {
    fn string(&self, row: i32) -> i64 {
        usize::try_from(row).ok().and_then(|row| self.strings.get(row)).copied().unwrap_or(0)
    }
}

/// The number of a row among those of all messages, which begins with 1. 0 is none.
fn row(before: u64, row: i32) -> u64 {
    match u64::try_from(row) {
        Ok(0) | Err(_) => 0,
        Ok(row) => before + row,
    }
}

impl File {
    fn string(&mut self, text: &[u8]) -> i64 {
        if self.profile.string_table.is_empty() {
            self.profile.string_table.push(Vec::new());
            self.strings.insert(Vec::new(), 0);
        }
        if let Some(&known) = self.strings.get(text) {
            return known;
        }
        let next = self.strings.len().try_into().unwrap_or(i64::MAX);
        self.profile.string_table.push(text.to_owned());
        self.strings.insert(text.to_owned(), next);
        next
    }

    fn add(&mut self, message: ProfilesData) -> Result<(), ReadError> {
        let dictionary = message.dictionary.unwrap_or_default();
        if message.resource_profiles.is_empty() {
            return Ok(());
        }
        check(&dictionary)?;
        let strings = dictionary.string_table.iter().map(|text| self.string(text)).collect();
        let rows = Rows {
            dictionary: &dictionary,
            strings,
            n_mappings: self.profile.mapping.len() as u64,
            n_locations: self.profile.location.len() as u64,
            n_functions: self.profile.function.len() as u64,
        };
        self.add_tables(&rows);
        for profiles in &message.resource_profiles {
            let service = self.service(profiles.resource.as_ref(), &rows);
            for profile in profiles.scope_profiles.iter().flat_map(|scope| &scope.profiles) {
                self.add_profile(profile, service, &rows)?;
            }
        }
        Ok(())
    }

    fn add_tables(&mut self, rows: &Rows<'_>) {
        let Dictionary { mapping_table, location_table, function_table, .. } = rows.dictionary;
        for (at, mapping) in (1..).zip(mapping_table.iter().skip(1)) {
            let ids = BUILD_IDS.map(|key| self.attribute(&mapping.attribute_indices, key, rows));
            self.profile.mapping.push(target::Mapping {
                id: rows.n_mappings + at,
                memory_start: mapping.memory_start,
                memory_limit: mapping.memory_limit,
                file_offset: mapping.file_offset,
                filename: rows.string(mapping.filename_strindex),
                build_id: ids.into_iter().flatten().next().unwrap_or(0),
                ..target::Mapping::default()
            });
        }
        for (at, function) in (1..).zip(function_table.iter().skip(1)) {
            self.profile.function.push(target::Function {
                id: rows.n_functions + at,
                name: rows.string(function.name_strindex),
                system_name: rows.string(function.system_name_strindex),
                filename: rows.string(function.filename_strindex),
                start_line: function.start_line,
            });
        }
        for (at, location) in (1..).zip(location_table.iter().skip(1)) {
            let line = |line: &proto::Line| target::Line {
                function_id: row(rows.n_functions, line.function_index),
                number: line.number,
                column: line.column,
            };
            self.profile.location.push(target::Location {
                id: rows.n_locations + at,
                mapping_id: row(rows.n_mappings, location.mapping_index),
                address: location.address,
                line: location.lines.iter().map(line).collect(),
                ..target::Location::default()
            });
        }
    }

    /// The label for the service that a resource names.
    fn service(&mut self, resource: Option<&Resource>, rows: &Rows<'_>) -> Option<target::Label> {
        let attributes = &resource?.attributes;
        let name = attributes.iter().find(|attribute| attribute.key == b"service.name")?;
        let key = self.string(b"service.name");
        let str = self.text(name.value.as_ref()?, rows)?;
        Some(target::Label { key, str, ..target::Label::default() })
    }

    fn text(&mut self, value: &proto::AnyValue, rows: &Rows<'_>) -> Option<i64> {
        if let Some(text) = &value.string_value {
            return Some(self.string(text));
        }
        if let Some(row) = value.string_value_strindex {
            return Some(rows.string(row));
        }
        let flag = value.bool_value.map(|value| value.to_string());
        let number = value.double_value.map(|value| value.to_string());
        flag.or(number).map(|text| self.string(text.as_bytes()))
    }

    /// The text of the attribute with a key, among those of these rows.
    fn attribute(&mut self, indices: &[i32], key: &str, rows: &Rows<'_>) -> Option<i64> {
        let table = &rows.dictionary.attribute_table;
        let all = indices.iter().filter_map(|&row| table.get(usize::try_from(row).ok()?));
        let is_key = |attribute: &&proto::Attribute| {
            let text = usize::try_from(attribute.key_strindex).ok();
            let text = text.and_then(|row| rows.dictionary.string_table.get(row));
            text.is_some_and(|text| text == key.as_bytes())
        };
        let value = all.into_iter().find(is_key)?.value.as_ref()?;
        self.text(value, rows)
    }

    fn add_profile(
        &mut self,
        profile: &Profile,
        service: Option<target::Label>,
        rows: &Rows<'_>,
    ) -> Result<(), ReadError> {
        let types = |of: Option<ValueType>| {
            let ValueType { type_strindex, unit_strindex } = of.unwrap_or_default();
            target::ValueType {
                r#type: rows.string(type_strindex),
                unit: rows.string(unit_strindex),
            }
        };
        let sample_type = types(profile.sample_type);
        let known = self.profile.sample_type.iter().position(|known| *known == sample_type);
        let column = known.unwrap_or_else(|| {
            self.profile.sample_type.push(sample_type);
            self.profile.sample_type.len() - 1
        });
        if self.profile.period == 0 && profile.period > 0 {
            self.profile.period = profile.period;
            self.profile.period_type = Some(types(profile.period_type));
        }
        let duration = i64::try_from(profile.duration_nano).unwrap_or(0);
        self.profile.duration_nanos = self.profile.duration_nanos.max(duration);
        for sample in &profile.samples {
            let stack = usize::try_from(sample.stack_index).ok();
            let stack = stack.and_then(|row| rows.dictionary.stack_table.get(row));
            let Some(stack) = stack else { return Err(other_layout()) };
            let locations = stack.location_indices.iter().map(|&it| row(rows.n_locations, it));
            let labels = sample.attribute_indices.iter().filter_map(|&it| self.label(it, rows));
            let label: Vec<_> = labels.chain(service).collect();
            let location_id = locations.filter(|&id| id != 0).collect();
            let value = vec![value(sample)];
            self.samples.push((target::Sample { location_id, value, label }, column));
        }
        Ok(())
    }

    fn label(&mut self, row: i32, rows: &Rows<'_>) -> Option<target::Label> {
        let attribute = rows.dictionary.attribute_table.get(usize::try_from(row).ok()?)?;
        let key = rows.string(attribute.key_strindex);
        let value = attribute.value.as_ref().filter(|_| key != 0)?;
        let label = target::Label { key, ..target::Label::default() };
        Some(match value.int_value {
            Some(num) => {
                target::Label { num, num_unit: rows.string(attribute.unit_strindex), ..label }
            }
            None => target::Label { str: self.text(value, rows)?, ..label },
        })
    }
}

/// What a sample counts.
fn value(sample: &Sample) -> i64 {
    if sample.values.is_empty() {
        return sample.timestamps_unix_nano.len().try_into().unwrap_or(i64::MAX);
    }
    sample.values.iter().fold(0, |sum, &value| sum.saturating_add(value))
}

/// # Errors
/// The tables are those of an older layout.
fn check(dictionary: &Dictionary) -> Result<(), ReadError> {
    let Dictionary { mapping_table, location_table, function_table, string_table, .. } = dictionary;
    let is_empty = |row: Option<bool>| row.unwrap_or(true);
    let is_new = is_empty(mapping_table.first().map(|row| *row == proto::Mapping::default()))
        && is_empty(location_table.first().map(|row| *row == proto::Location::default()))
        && is_empty(function_table.first().map(|row| *row == proto::Function::default()))
        && string_table.first().is_some_and(Vec::is_empty)
        && !dictionary.stack_table.is_empty();
    is_new.then_some(()).ok_or_else(other_layout)
}

fn other_layout() -> ReadError {
    ReadError::unrecognised(
        "an OpenTelemetry profile (OTLP) in an older layout of v1development, which is not supported; expected one whose \
         dictionary has a table of stacks (since 2025): update the profiler or the collector",
    )
}

#[cfg(test)]
mod tests;
