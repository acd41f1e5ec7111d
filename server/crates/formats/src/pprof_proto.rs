//! The messages of pprof's `profile.proto`, for reader and writer.
//! <https://github.com/google/pprof/blob/main/proto/profile.proto> has their meaning; fields have
//! only ever been added.
//!
//! All text lies in one table and is pointed to by number; string 0 is empty and means that nothing
//! is said. Functions, locations and mappings have ids of their own, which are no row numbers and
//! may leave gaps; id 0 points to none.

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
    /// Should be UTF-8, which is not left to the decoder: one odd name would cost the file.
    #[prost(bytes = "vec", repeated, tag = "6")]
    pub(crate) string_table: Vec<Vec<u8>>,
    /// A regular expression: functions that are left out with all they call.
    #[prost(int64, tag = "7")]
    pub(crate) drop_frames: i64,
    /// Another one: functions that stay all the same.
    #[prost(int64, tag = "8")]
    pub(crate) keep_frames: i64,
    #[prost(int64, tag = "10")]
    pub(crate) duration_nanos: i64,
    /// What lies between two samples, with `period`.
    #[prost(message, optional, tag = "11")]
    pub(crate) period_type: Option<ValueType>,
    #[prost(int64, tag = "12")]
    pub(crate) period: i64,
    #[prost(int64, tag = "14")]
    pub(crate) default_sample_type: i64,
}

/// What a column of values counts (`cpu`), and in which unit (`nanoseconds`).
#[derive(Clone, Copy, PartialEq, Eq, Message)]
pub(crate) struct ValueType {
    #[prost(int64, tag = "1")]
    pub(crate) r#type: i64,
    #[prost(int64, tag = "2")]
    pub(crate) unit: i64,
}

/// A stack and what it weighs.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Sample {
    /// The leaf first.
    #[prost(uint64, repeated, tag = "1")]
    pub(crate) location_id: Vec<u64>,
    /// One per sample type.
    #[prost(int64, repeated, tag = "2")]
    pub(crate) value: Vec<i64>,
    #[prost(message, repeated, tag = "3")]
    pub(crate) label: Vec<Label>,
}

/// Something that is known of a sample: a text or a number.
#[derive(Clone, Copy, PartialEq, Eq, Message)]
pub(crate) struct Label {
    #[prost(int64, tag = "1")]
    pub(crate) key: i64,
    #[prost(int64, tag = "2")]
    pub(crate) str: i64,
    #[prost(int64, tag = "3")]
    pub(crate) num: i64,
}

/// A library, as it lay in memory.
#[expect(clippy::struct_excessive_bools, reason = "profile.proto has them")]
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Mapping {
    #[prost(uint64, tag = "1")]
    pub(crate) id: u64,
    #[prost(uint64, tag = "2")]
    pub(crate) memory_start: u64,
    #[prost(uint64, tag = "3")]
    pub(crate) memory_limit: u64,
    /// Where in the file the part begins that lay there.
    #[prost(uint64, tag = "4")]
    pub(crate) file_offset: u64,
    #[prost(int64, tag = "5")]
    pub(crate) filename: i64,
    /// Of the file, in hex; some writers have other texts.
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

/// A place in the machine code, with the calls that the compiler inlined there.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Location {
    #[prost(uint64, tag = "1")]
    pub(crate) id: u64,
    #[prost(uint64, tag = "2")]
    pub(crate) mapping_id: u64,
    #[prost(uint64, tag = "3")]
    pub(crate) address: u64,
    /// The innermost first; the last is the function that was really called, the others are inlined
    /// into the next.
    #[prost(message, repeated, tag = "4")]
    pub(crate) line: Vec<Line>,
}

/// A line that executes.
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
    /// As the linker has it.
    #[prost(int64, tag = "3")]
    pub(crate) system_name: i64,
    #[prost(int64, tag = "4")]
    pub(crate) filename: i64,
    #[prost(int64, tag = "5")]
    pub(crate) start_line: i64,
}

/// The fields of a message one by one, not decoded.
pub(crate) struct Fields<'a> {
    bytes: &'a [u8],
    at: usize,
}

/// A field with its place in the message.
pub(crate) struct Field<'a> {
    pub(crate) at: usize,
    /// Which field of the message it is.
    pub(crate) tag: u64,
    /// All of it: a message with this field alone.
    pub(crate) whole: &'a [u8],
    /// Its content.
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

    /// Ends with the message or with the first error.
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
