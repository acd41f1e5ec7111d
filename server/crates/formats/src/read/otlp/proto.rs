//! The messages of OTLP profiles, as protobuf and as JSON.
//! <https://github.com/open-telemetry/opentelemetry-proto/blob/main/opentelemetry/proto/profiles/v1development/profiles.proto>
//! documents the fields. Those that costs do not need are left out.
//!
//! `ProfilesData` and `ExportProfilesServiceRequest` are the same here. References to tables are row numbers; row 0
//! of each table is empty and means "none".

use prost::Message;
use serde::{Deserialize, Deserializer};

#[derive(Clone, PartialEq, Message, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct ProfilesData {
    #[prost(message, repeated, tag = "1")]
    pub(super) resource_profiles: Vec<ResourceProfiles>,
    #[prost(message, optional, tag = "2")]
    pub(super) dictionary: Option<Dictionary>,
}

/// The tables.
#[expect(clippy::struct_field_names, reason = "named as in the specification")]
#[derive(Clone, PartialEq, Message, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Dictionary {
    #[prost(message, repeated, tag = "1")]
    pub(super) mapping_table: Vec<Mapping>,
    #[prost(message, repeated, tag = "2")]
    pub(super) location_table: Vec<Location>,
    #[prost(message, repeated, tag = "3")]
    pub(super) function_table: Vec<Function>,
    /// Should be UTF-8. The decoder must not check that: it would reject the file for one bad name.
    #[prost(bytes = "vec", repeated, tag = "5")]
    #[serde(deserialize_with = "texts")]
    pub(super) string_table: Vec<Vec<u8>>,
    #[prost(message, repeated, tag = "6")]
    pub(super) attribute_table: Vec<Attribute>,
    #[prost(message, repeated, tag = "7")]
    pub(super) stack_table: Vec<Stack>,
}

/// The profiles of a process or service.
#[derive(Clone, PartialEq, Message, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct ResourceProfiles {
    #[prost(message, optional, tag = "1")]
    pub(super) resource: Option<Resource>,
    #[prost(message, repeated, tag = "2")]
    pub(super) scope_profiles: Vec<ScopeProfiles>,
}

#[derive(Clone, PartialEq, Message, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Resource {
    #[prost(message, repeated, tag = "1")]
    pub(super) attributes: Vec<KeyValue>,
}

#[derive(Clone, PartialEq, Message, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct KeyValue {
    #[prost(bytes = "vec", tag = "1")]
    #[serde(deserialize_with = "text")]
    pub(super) key: Vec<u8>,
    #[prost(message, optional, tag = "2")]
    pub(super) value: Option<AnyValue>,
}

/// A value: one of these.
#[derive(Clone, PartialEq, Message, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct AnyValue {
    #[prost(bytes = "vec", optional, tag = "1")]
    #[serde(deserialize_with = "some_text")]
    pub(super) string_value: Option<Vec<u8>>,
    #[prost(bool, optional, tag = "2")]
    pub(super) bool_value: Option<bool>,
    #[prost(double, optional, tag = "4")]
    pub(super) double_value: Option<f64>,
    #[prost(int64, optional, tag = "3")]
    #[serde(deserialize_with = "some_number")]
    pub(super) int_value: Option<i64>,
    #[prost(int32, optional, tag = "8")]
    pub(super) string_value_strindex: Option<i32>,
}

#[derive(Clone, PartialEq, Message, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct ScopeProfiles {
    #[prost(message, repeated, tag = "2")]
    pub(super) profiles: Vec<Profile>,
}

/// Samples of one type.
#[derive(Clone, PartialEq, Message, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Profile {
    #[prost(message, optional, tag = "1")]
    pub(super) sample_type: Option<ValueType>,
    #[prost(message, repeated, tag = "2")]
    pub(super) samples: Vec<Sample>,
    #[prost(uint64, tag = "4")]
    #[serde(deserialize_with = "number")]
    pub(super) duration_nano: u64,
    #[prost(message, optional, tag = "5")]
    pub(super) period_type: Option<ValueType>,
    #[prost(int64, tag = "6")]
    #[serde(deserialize_with = "number")]
    pub(super) period: i64,
}

#[derive(Clone, Copy, PartialEq, Eq, Message, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct ValueType {
    #[prost(int32, tag = "1")]
    pub(super) type_strindex: i32,
    #[prost(int32, tag = "2")]
    pub(super) unit_strindex: i32,
}

/// A stack and what was measured there.
#[derive(Clone, PartialEq, Message, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Sample {
    #[prost(int32, tag = "1")]
    pub(super) stack_index: i32,
    #[prost(int32, repeated, tag = "2")]
    pub(super) attribute_indices: Vec<i32>,
    /// None if each time counts 1.
    #[prost(int64, repeated, tag = "4")]
    #[serde(deserialize_with = "numbers")]
    pub(super) values: Vec<i64>,
    #[prost(fixed64, repeated, tag = "5")]
    #[serde(deserialize_with = "numbers")]
    pub(super) timestamps_unix_nano: Vec<u64>,
}

#[derive(Clone, PartialEq, Eq, Message, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Mapping {
    #[prost(uint64, tag = "1")]
    #[serde(deserialize_with = "number")]
    pub(super) memory_start: u64,
    #[prost(uint64, tag = "2")]
    #[serde(deserialize_with = "number")]
    pub(super) memory_limit: u64,
    #[prost(uint64, tag = "3")]
    #[serde(deserialize_with = "number")]
    pub(super) file_offset: u64,
    #[prost(int32, tag = "4")]
    pub(super) filename_strindex: i32,
    #[prost(int32, repeated, tag = "5")]
    pub(super) attribute_indices: Vec<i32>,
}

/// Locations, leaf first.
#[derive(Clone, PartialEq, Eq, Message, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Stack {
    #[prost(int32, repeated, tag = "1")]
    pub(super) location_indices: Vec<i32>,
}

#[derive(Clone, PartialEq, Eq, Message, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Location {
    #[prost(int32, tag = "1")]
    pub(super) mapping_index: i32,
    #[prost(uint64, tag = "2")]
    #[serde(deserialize_with = "number")]
    pub(super) address: u64,
    /// Innermost first.
    #[prost(message, repeated, tag = "3")]
    pub(super) lines: Vec<Line>,
}

#[derive(Clone, Copy, PartialEq, Eq, Message, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Line {
    #[prost(int32, tag = "1")]
    pub(super) function_index: i32,
    #[prost(int64, tag = "2")]
    #[serde(rename = "line", deserialize_with = "number")]
    pub(super) number: i64,
    #[prost(int64, tag = "3")]
    #[serde(deserialize_with = "number")]
    pub(super) column: i64,
}

#[derive(Clone, Copy, PartialEq, Eq, Message, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Function {
    #[prost(int32, tag = "1")]
    pub(super) name_strindex: i32,
    #[prost(int32, tag = "2")]
    pub(super) system_name_strindex: i32,
    #[prost(int32, tag = "3")]
    pub(super) filename_strindex: i32,
    #[prost(int64, tag = "4")]
    #[serde(deserialize_with = "number")]
    pub(super) start_line: i64,
}

#[derive(Clone, PartialEq, Message, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Attribute {
    #[prost(int32, tag = "1")]
    pub(super) key_strindex: i32,
    #[prost(message, optional, tag = "2")]
    pub(super) value: Option<AnyValue>,
    #[prost(int32, tag = "3")]
    pub(super) unit_strindex: i32,
}

/// A number of 64 bits, which JSON has as a text.
#[derive(Deserialize)]
#[serde(untagged)]
enum Number<'a, N> {
    Number(N),
    Text(&'a str),
}

impl<N: std::str::FromStr> Number<'_, N> {
    fn get<E: serde::de::Error>(self) -> Result<N, E> {
        match self {
            Self::Number(number) => Ok(number),
            Self::Text(text) => text.parse().map_err(|_| E::custom("expected a number")),
        }
    }
}

fn number<'de, D, N>(deserializer: D) -> Result<N, D::Error>
where
    D: Deserializer<'de>,
    N: std::str::FromStr + Deserialize<'de>,
{
    Number::deserialize(deserializer)?.get()
}

fn some_number<'de, D>(deserializer: D) -> Result<Option<i64>, D::Error>
where
    D: Deserializer<'de>,
{
    number(deserializer).map(Some)
}

fn numbers<'de, D, N>(deserializer: D) -> Result<Vec<N>, D::Error>
where
    D: Deserializer<'de>,
    N: std::str::FromStr + Deserialize<'de>,
{
    let numbers: Vec<Number<'de, N>> = Vec::deserialize(deserializer)?;
    numbers.into_iter().map(Number::get).collect()
}

fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    String::deserialize(deserializer).map(String::into_bytes)
}

fn some_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<u8>>, D::Error> {
    text(deserializer).map(Some)
}

fn texts<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Vec<u8>>, D::Error> {
    let texts: Vec<String> = Vec::deserialize(deserializer)?;
    Ok(texts.into_iter().map(String::into_bytes).collect())
}
