//! The encoding of the files that Mercury's deep profiler writes: bytes, numbers and strings.

use crate::error::{At, ReadError};

/// A position in a file. Errors name the byte where the value begins.
#[derive(Debug, Clone, Copy)]
pub(super) struct Input<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) at: usize,
}

impl<'a> Input<'a> {
    pub(super) fn is_at_end(&self) -> bool {
        self.at >= self.bytes.len()
    }

    pub(super) fn byte(&mut self) -> Result<u8, ReadError> {
        let byte = *self.bytes.get(self.at).ok_or_else(|| self.ends())?;
        self.at += 1;
        Ok(byte)
    }

    /// An unsigned number: groups of 7 bits, the most significant first. All but the last have
    /// bit 7 set.
    pub(super) fn number(&mut self) -> Result<u64, ReadError> {
        let start = self.at;
        let mut number: u64 = 0;
        loop {
            let byte = self.byte()?;
            if number >> 57 != 0 {
                let message = "a number has more than 64 bits; expected a counter";
                return Err(ReadError::malformed(At::Byte(start as u64), message));
            }
            number = number << 7 | u64::from(byte & 0x7f);
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
    }

    /// A number that must fit into 32 bits, such as an id. `what` names it for the error.
    pub(super) fn small(&mut self, what: &str) -> Result<u32, ReadError> {
        let start = self.at;
        let number = self.number()?;
        u32::try_from(number).map_err(|_| {
            let message = format!("the {what} is {number}; expected at most {}", u32::MAX);
            ReadError::malformed(At::Byte(start as u64), message)
        })
    }

    /// The number of items that follow, each at least one byte long.
    pub(super) fn count(&mut self, what: &str) -> Result<usize, ReadError> {
        let start = self.at;
        let count = self.number()?;
        let left = self.bytes.len() - self.at;
        usize::try_from(count).ok().filter(|&count| count <= left).ok_or_else(|| {
            let message = format!("{count} {what} follow, but only {left} bytes are left");
            ReadError::truncated(At::Byte(start as u64), message)
        })
    }

    /// Eight bytes, the least significant first.
    pub(super) fn fixed(&mut self) -> Result<u64, ReadError> {
        let bytes = self.take(8)?;
        Ok(bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte)))
    }

    /// A string: its length and its bytes.
    pub(super) fn text(&mut self) -> Result<&'a [u8], ReadError> {
        let len = self.count("bytes of a string")?;
        self.take(len)
    }

    pub(super) fn take(&mut self, len: usize) -> Result<&'a [u8], ReadError> {
        let bytes = self.bytes.get(self.at..).and_then(|rest| rest.get(..len));
        let bytes = bytes.ok_or_else(|| self.ends())?;
        self.at += len;
        Ok(bytes)
    }

    fn ends(&self) -> ReadError {
        let message = "the file ends within a record; it may still be being written";
        ReadError::truncated(At::Byte(self.bytes.len() as u64), message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    fn number(bytes: &[u8]) -> Result<u64, ErrorKind> {
        Input { bytes, at: 0 }.number().map_err(|error| error.kind)
    }

    #[test]
    fn numbers_have_the_most_significant_group_first() {
        let cases: [(&[u8], u64); 7] = [
            (b"\x00", 0),
            (b"\x7f", 127),
            (b"\x81\x00", 128),
            (b"\x82\x2c", 300),
            (b"\x81\x80\x00", 16_384),
            (b"\xe0\xcd\xb0\x3b", 202_594_363),
            (b"\x81\xff\xff\xff\xff\xff\xff\xff\xff\x7f", u64::MAX),
        ];
        for (bytes, expected) in cases {
            assert_eq!(number(bytes), Ok(expected), "{bytes:x?}");
        }
        assert_eq!(number(&[0xff; 10]), Err(ErrorKind::Malformed));
        assert_eq!(number(b"\x81"), Err(ErrorKind::Truncated));
    }

    #[test]
    fn fixed_numbers_have_the_least_significant_byte_first() {
        let mut input = Input { bytes: b"\x08\x21\0\0\0\0\0\0", at: 0 };
        assert_eq!(input.fixed(), Ok(0x2108));
        assert!(input.is_at_end() && input.byte().is_err());
    }

    #[test]
    fn counts_are_limited_by_the_bytes_left() {
        let mut input = Input { bytes: b"\x03abcd", at: 0 };
        assert_eq!(input.text(), Ok(&b"abc"[..]));
        let error = Input { bytes: b"\x8f\xff\xff\xff\x7fabc", at: 0 }.text().unwrap_err();
        assert_eq!(error.kind, ErrorKind::Truncated);
    }
}
