//! Numbers and texts of a recording.

use crate::error::{At, ReadError};
use profile::BuildError;
use std::borrow::Cow;

/// A number: 64 bits and a separate sign, since keys are unsigned and freed memory is negative.
pub(super) type Number = i128;

/// Why reading stops.
pub(super) enum Stop {
    /// The data end within an event.
    Cut,
    /// An event is malformed, so the position of the next one is unknown.
    Malformed(ReadError),
    /// The tables are full.
    Full(BuildError),
}

impl From<Stop> for ReadError {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Cut => Self::truncated(
                At::File,
                "an Austin recording without samples; perhaps it is still being written",
            ),
            Stop::Malformed(error) => error,
            Stop::Full(error) => error.into(),
        }
    }
}

impl From<BuildError> for Stop {
    fn from(error: BuildError) -> Self {
        Self::Full(error)
    }
}

/// A position in the data.
#[derive(Clone, Copy)]
pub(super) struct Input<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) at: usize,
}

impl<'a> Input<'a> {
    pub(super) fn is_at_end(self) -> bool {
        self.at >= self.bytes.len()
    }

    /// Consumes `byte` if it is next; returns whether it was.
    pub(super) fn passes(&mut self, byte: u8) -> bool {
        let is_next = self.bytes.get(self.at) == Some(&byte);
        self.at += usize::from(is_next);
        is_next
    }

    pub(super) fn byte(&mut self) -> Result<u8, Stop> {
        let byte = *self.bytes.get(self.at).ok_or(Stop::Cut)?;
        self.at += 1;
        Ok(byte)
    }

    /// Reads a number: six bits and the sign in the first byte, seven bits in each following one,
    /// lowest first.
    pub(super) fn number(&mut self) -> Result<Number, Stop> {
        let start = self.at;
        let first = self.byte()?;
        let mut magnitude = u128::from(first & 0x3f);
        let (mut goes_on, mut shift) = (first & 0x80 != 0, 6);
        while goes_on {
            let byte = self.byte()?;
            if shift < 64 {
                magnitude |= u128::from(byte & 0x7f) << shift;
            }
            goes_on = byte & 0x80 != 0;
            shift += 7;
        }
        match u64::try_from(magnitude) {
            Ok(number) if shift <= 76 => {
                Ok(if first & 0x40 != 0 { -Number::from(number) } else { number.into() })
            }
            _ => Err(malformed(start, "a number has more than 64 bits".to_owned())),
        }
    }

    pub(super) fn text(&mut self) -> Result<Cow<'a, str>, Stop> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let text = rest.get(..memchr::memchr(0, rest).ok_or(Stop::Cut)?).unwrap_or_default();
        self.at += text.len() + 1;
        Ok(String::from_utf8_lossy(text))
    }
}

pub(super) fn malformed(at: usize, message: String) -> Stop {
    Stop::Malformed(ReadError::malformed(At::Byte(at as u64), message))
}
