//! The blocks of a file.
//!
//! Versions 4 and 5 are a sequence of objects, each with its type. The content of a block begins at a multiple of
//! four bytes.
//!
//! ```text
//! Nettrace 20 !FastSerialization.1
//! 5 5 1 4 4 5 Trace 6 content 6                        the header, of 48 bytes
//! 5 5 1 2 2 10 EventBlock 6 size padding content 6
//! 1                                                    the end
//! ```
//!
//! Version 6 has neither types nor padding. The kind of a block is in the highest byte of its size.
//!
//! ```text
//! Nettrace 0 6 0
//! size|kind content
//! 0                                                    the end
//! ```

use super::bytes::Bytes;
use crate::error::{At, ReadError};
use crate::input::Input;

/// What a file begins with.
pub(crate) const MAGIC: &[u8] = b"Nettrace";
/// What follows in versions 4 and 5.
const OBJECTS: &[u8] = b"\x14\0\0\0!FastSerialization.1";
/// What the header of a block takes at most: tags, versions, the length and name of a type, size and padding.
const MAX_HEADER: usize = 64;
/// The longest name of a type.
const MAX_NAME: u32 = 16;
/// The bytes of the header of versions 4 and 5.
const TRACE: usize = 48;

/// The tags of objects.
const NULL: u8 = 1;
const BEGIN: u8 = 5;
const END: u8 = 6;

/// What a block has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    End,
    Trace,
    Events,
    Metadata,
    SequencePoint,
    Stacks,
    Threads,
    /// Nothing that is needed.
    Other,
}

/// What comes next in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    /// A block, with the size of its content.
    Block(Kind, usize),
    /// The file ends before its end mark.
    Cut,
    Malformed,
    /// The header of a version that is not read.
    Unsupported(u32),
}

/// Reads the headers of blocks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Blocks {
    /// The version of the format; 4 stands for 5, too.
    pub(super) version: u32,
    /// Whether an object is read and not its end.
    is_open: bool,
}

impl Blocks {
    /// Reads the beginning of a file.
    pub(super) fn begin(input: &mut Input<'_>) -> Result<Self, ReadError> {
        input.take(MAGIC.len());
        input.has(OBJECTS.len());
        let arrived = input.bytes();
        if arrived.starts_with(OBJECTS) {
            input.take(OBJECTS.len());
            return Ok(Self { version: 4, is_open: false });
        }
        let mut bytes = Bytes(arrived);
        let is_start = OBJECTS.starts_with(arrived);
        match (bytes.u32(), bytes.u32(), bytes.u32()) {
            (Some(0), Some(6), Some(_minor)) => {
                input.take(12);
                Ok(Self { version: 6, is_open: false })
            }
            (Some(0), Some(major), _) if major != 6 => Err(unsupported(major)),
            (Some(1..), ..) if !is_start => {
                let at = At::Byte(MAGIC.len() as u64);
                Err(ReadError::malformed(at, "expected the version of a .NET trace"))
            }
            _ => Err(ends_early()),
        }
    }

    /// Consumes the header of the next block. Its content has arrived then.
    pub(super) fn next(&mut self, input: &mut Input<'_>) -> Next {
        input.has(MAX_HEADER);
        let offset = input.offset();
        let mut bytes = Bytes(input.bytes());
        let available = bytes.0.len();
        let next =
            if self.version == 6 { block(&mut bytes) } else { self.object(&mut bytes, offset) };
        let n = available - bytes.0.len();
        match next {
            Some(Next::Block(kind, size)) => {
                input.take(n);
                if input.has(size) { Next::Block(kind, size) } else { Next::Cut }
            }
            Some(next) => next,
            None => Next::Cut,
        }
    }

    fn object(&mut self, bytes: &mut Bytes<'_>, offset: u64) -> Option<Next> {
        let available = bytes.0.len();
        if self.is_open && bytes.byte()? != END {
            return Some(Next::Malformed);
        }
        self.is_open = true;
        match bytes.byte()? {
            BEGIN => {}
            NULL => return Some(Next::Block(Kind::End, 0)),
            _ => return Some(Next::Malformed),
        }
        let (tags, _version) = (bytes.array()?, bytes.u32()?);
        let (oldest_reader, n) = (bytes.u32()?, bytes.u32()?);
        if tags != [BEGIN, NULL] || n > MAX_NAME {
            return Some(Next::Malformed);
        }
        let (name, tag) = (bytes.part(n)?, bytes.byte()?);
        let kind = match name.0 {
            b"Trace" if oldest_reader > 5 => return Some(Next::Unsupported(oldest_reader)),
            b"Trace" => return Some(Next::Block(Kind::Trace, TRACE)),
            b"EventBlock" => Kind::Events,
            b"MetadataBlock" => Kind::Metadata,
            b"StackBlock" => Kind::Stacks,
            b"SPBlock" => Kind::SequencePoint,
            _ => return Some(Next::Malformed),
        };
        let size = usize::try_from(bytes.u32()?).ok()?;
        let position = offset + (available - bytes.0.len()) as u64;
        bytes.take((position.wrapping_neg() % 4) as usize)?;
        Some(if tag == END { Next::Block(kind, size) } else { Next::Malformed })
    }
}

fn block(bytes: &mut Bytes<'_>) -> Option<Next> {
    let header = bytes.u32()?;
    let kind = match header >> 24 {
        0 => Kind::End,
        1 => Kind::Trace,
        2 => Kind::Events,
        3 => Kind::Metadata,
        4 => Kind::SequencePoint,
        5 => Kind::Stacks,
        6 => Kind::Threads,
        _ => Kind::Other,
    };
    Some(Next::Block(kind, (header & 0xff_ffff) as usize))
}

/// Whether the last bytes of a file are its end mark.
pub(crate) fn is_end(bytes: &[u8]) -> bool {
    bytes.ends_with(&[END, NULL]) || bytes.ends_with(&[0; 4])
}

pub(super) fn ends_early() -> ReadError {
    ReadError::truncated(At::File, "the .NET trace ends within its header")
}

pub(super) fn unsupported(version: u32) -> ReadError {
    ReadError::unrecognised(format!(
        "version {version} of the nettrace format is not supported; expected 4, 5 or 6, which .NET Core 3.0 and newer and dotnet-trace write"
    ))
}
