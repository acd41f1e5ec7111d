//! The messages of pprof's `profile.proto`, for the reader, the writer and the merge.
//! <https://github.com/google/pprof/blob/main/proto/profile.proto> documents the fields; versions
//! of it only added fields.
//!
//! Texts are indexes into the string table; string 0 is empty and means "not stated". Functions,
//! locations and mappings have ids, which are not row numbers and may have gaps; id 0 means "none".

use crate::error::{At, ReadError};
use prost::Message;

/// A whole file.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Profile {
    #[prost(message, repeated, tag = "1")]
    pub(crate) sample_type: Vec<ValueType>,
    #[prost(message, repeated, tag = "2")]
    pub(crate) sample: Vec<Sample>,
    #[prost(message, repeated, tag = "3")]
    pub(crate) mapping: Vec<Mapping>,
    #[prost(message, repeated, tag = "4")]
    pub(crate) location: Vec<Location>,
    #[prost(message, repeated, tag = "5")]
    pub(crate) function: Vec<Function>,
    /// Should be UTF-8. The decoder must not check that: it would reject the file for one bad name.
    #[prost(bytes = "vec", repeated, tag = "6")]
    pub(crate) string_table: Vec<Vec<u8>>,
    /// A regular expression of functions that are left out, with everything they call.
    #[prost(int64, tag = "7")]
    pub(crate) drop_frames: i64,
    /// A regular expression of functions that are kept even if they match `drop_frames`.
    #[prost(int64, tag = "8")]
    pub(crate) keep_frames: i64,
    /// When it was recorded, since 1970; 0 means "not stated".
    #[prost(int64, tag = "9")]
    pub(crate) time_nanos: i64,
    #[prost(int64, tag = "10")]
    pub(crate) duration_nanos: i64,
    /// With `period`: how far apart samples are.
    #[prost(message, optional, tag = "11")]
    pub(crate) period_type: Option<ValueType>,
    #[prost(int64, tag = "12")]
    pub(crate) period: i64,
    #[prost(int64, repeated, tag = "13")]
    pub(crate) comment: Vec<i64>,
    #[prost(int64, tag = "14")]
    pub(crate) default_sample_type: i64,
    #[prost(int64, tag = "15")]
    pub(crate) doc_url: i64,
}

/// What a column of values counts (`cpu`), and its unit (`nanoseconds`).
#[derive(Clone, Copy, PartialEq, Eq, Message)]
pub(crate) struct ValueType {
    #[prost(int64, tag = "1")]
    pub(crate) r#type: i64,
    #[prost(int64, tag = "2")]
    pub(crate) unit: i64,
}

/// A stack and its weights.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Sample {
    /// Leaf first.
    #[prost(uint64, repeated, tag = "1")]
    pub(crate) location_id: Vec<u64>,
    /// One per sample type.
    #[prost(int64, repeated, tag = "2")]
    pub(crate) value: Vec<i64>,
    #[prost(message, repeated, tag = "3")]
    pub(crate) label: Vec<Label>,
}

/// A label of a sample: a text or a number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Message)]
pub(crate) struct Label {
    #[prost(int64, tag = "1")]
    pub(crate) key: i64,
    #[prost(int64, tag = "2")]
    pub(crate) str: i64,
    #[prost(int64, tag = "3")]
    pub(crate) num: i64,
    /// The unit of the number.
    #[prost(int64, tag = "4")]
    pub(crate) num_unit: i64,
}

/// A part of a library that was mapped into memory.
#[expect(clippy::struct_excessive_bools, reason = "profile.proto has them")]
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Mapping {
    #[prost(uint64, tag = "1")]
    pub(crate) id: u64,
    #[prost(uint64, tag = "2")]
    pub(crate) memory_start: u64,
    #[prost(uint64, tag = "3")]
    pub(crate) memory_limit: u64,
    /// The offset of the part in the file.
    #[prost(uint64, tag = "4")]
    pub(crate) file_offset: u64,
    #[prost(int64, tag = "5")]
    pub(crate) filename: i64,
    /// The build id, normally in hexadecimal digits.
    #[prost(int64, tag = "6")]
    pub(crate) build_id: i64,
    #[prost(bool, tag = "7")]
    pub(crate) has_functions: bool,
    #[prost(bool, tag = "8")]
    pub(crate) has_filenames: bool,
    #[prost(bool, tag = "9")]
    pub(crate) has_line_numbers: bool,
    #[prost(bool, tag = "10")]
    pub(crate) has_inline_frames: bool,
}

/// A place in machine code, with the calls inlined there.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Location {
    #[prost(uint64, tag = "1")]
    pub(crate) id: u64,
    #[prost(uint64, tag = "2")]
    pub(crate) mapping_id: u64,
    #[prost(uint64, tag = "3")]
    pub(crate) address: u64,
    /// Innermost first: the last one is the function that was called, each other one is inlined
    /// into the next.
    #[prost(message, repeated, tag = "4")]
    pub(crate) line: Vec<Line>,
    /// Whether the linker merged several functions into one, so that the lines may belong to any of
    /// them.
    #[prost(bool, tag = "5")]
    pub(crate) is_folded: bool,
}

/// A function and the line that executes in it.
#[derive(Clone, Copy, PartialEq, Eq, Message)]
pub(crate) struct Line {
    #[prost(uint64, tag = "1")]
    pub(crate) function_id: u64,
    #[prost(int64, tag = "2")]
    pub(crate) number: i64,
    #[prost(int64, tag = "3")]
    pub(crate) column: i64,
}

/// A function.
#[derive(Clone, Copy, PartialEq, Eq, Message)]
pub(crate) struct Function {
    #[prost(uint64, tag = "1")]
    pub(crate) id: u64,
    #[prost(int64, tag = "2")]
    pub(crate) name: i64,
    /// The mangled name.
    #[prost(int64, tag = "3")]
    pub(crate) system_name: i64,
    #[prost(int64, tag = "4")]
    pub(crate) filename: i64,
    #[prost(int64, tag = "5")]
    pub(crate) start_line: i64,
}

/// Iterates over the fields of a message without decoding them.
pub(crate) struct Fields<'a> {
    bytes: &'a [u8],
    at: usize,
}

/// A field and its place in the message.
pub(crate) struct Field<'a> {
    pub(crate) at: usize,
    /// The field number.
    pub(crate) tag: u64,
    /// The encoded field with its tag; this is a message with only this field.
    pub(crate) whole: &'a [u8],
    /// The encoded value of a field that has a length, without tag and length.
    pub(crate) content: &'a [u8],
}

impl<'a> Fields<'a> {
    pub(crate) fn of(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    fn next_field(&mut self) -> Result<Field<'a>, ReadError> {
        let start = self.at;
        let cut = || {
            let message = "the profile ends within a field; expected the rest of it";
            ReadError::truncated(At::Byte(start as u64), message)
        };
        let no_field = || {
            ReadError::malformed(At::Byte(start as u64), "expected a field of a protobuf message")
        };
        let key = self.varint().ok_or_else(cut)?;
        let mut content = self.at;
        let len = match key & 7 {
            0 => {
                self.varint().ok_or_else(cut)?;
                self.at - content
            }
            1 => 8,
            2 => {
                let len = self.varint().ok_or_else(cut)?;
                content = self.at;
                usize::try_from(len).map_err(|_| no_field())?
            }
            5 => 4,
            _ => return Err(no_field()),
        };
        self.at = content.checked_add(len).ok_or_else(no_field)?;
        let (Some(whole), Some(content)) =
            (self.bytes.get(start..self.at), self.bytes.get(content..self.at))
        else {
            return Err(cut());
        };
        Ok(Field { at: start, tag: key >> 3, whole, content })
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = *self.bytes.get(self.at)?;
            self.at += 1;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                break;
            }
        }
        Some(value)
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<Field<'a>, ReadError>;

    /// `None` at the end of the message and after the first error.
    fn next(&mut self) -> Option<Self::Item> {
        if self.at >= self.bytes.len() {
            return None;
        }
        let field = self.next_field();
        if field.is_err() {
            self.at = self.bytes.len();
        }
        Some(field)
    }
}
