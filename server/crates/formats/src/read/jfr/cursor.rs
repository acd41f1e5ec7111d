//! Values in the bytes of a chunk.

use std::borrow::Cow;

/// The bytes of an event or of a part of it. All reads end with `None` where the bytes do.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cursor<'a> {
    bytes: &'a [u8],
    /// Whether integers have as many bytes as they need, and not as many as their type.
    is_compressed: bool,
}

/// A text, which may be in the pool of texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Text<'a> {
    Inline(Cow<'a, str>),
    Pooled(i64),
}

impl<'a> Cursor<'a> {
    pub(super) fn new(bytes: &'a [u8], is_compressed: bool) -> Self {
        Self { bytes, is_compressed }
    }

    pub(super) fn remaining(&self) -> usize {
        self.bytes.len()
    }

    /// The bytes from here to where `end` is.
    pub(super) fn until(self, end: Self) -> &'a [u8] {
        &self.bytes[..self.bytes.len() - end.bytes.len()]
    }

    /// The same form of integers in other bytes.
    pub(super) fn within(self, bytes: &'a [u8]) -> Self {
        Self { bytes, ..self }
    }

    pub(super) fn take(&mut self, n: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(n)?;
        self.bytes = rest;
        Some(taken)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    pub(super) fn byte(&mut self) -> Option<u8> {
        self.array().map(|[byte]| byte)
    }

    /// Seven bits per byte, lowest first; the ninth byte has eight.
    fn varint(&mut self) -> Option<i64> {
        let mut value = 0;
        for shift in (0..56).step_by(7) {
            let byte = u64::from(self.byte()?);
            value |= (byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value.cast_signed());
            }
        }
        Some((value | u64::from(self.byte()?) << 56).cast_signed())
    }

    pub(super) fn short(&mut self) -> Option<i64> {
        let fixed = |this: &mut Self| Some(i64::from(i16::from_be_bytes(this.array()?)));
        if self.is_compressed { self.varint() } else { fixed(self) }
    }

    /// Compressed, -1 is 4294967295.
    pub(super) fn int(&mut self) -> Option<i32> {
        let fixed = |this: &mut Self| Some(i32::from_be_bytes(this.array()?));
        if self.is_compressed { self.varint().map(|value| value as i32) } else { fixed(self) }
    }

    pub(super) fn long(&mut self) -> Option<i64> {
        let fixed = |this: &mut Self| Some(i64::from_be_bytes(this.array()?));
        if self.is_compressed { self.varint() } else { fixed(self) }
    }

    /// How many elements follow, each of at least one byte.
    pub(super) fn count(&mut self) -> Option<usize> {
        let count = usize::try_from(self.int()?).ok()?;
        (count <= self.remaining()).then_some(count)
    }

    pub(super) fn text(&mut self) -> Option<Text<'a>> {
        let text = match self.byte()? {
            0 | 1 => Cow::Borrowed(""),
            2 => return Some(Text::Pooled(self.long()?)),
            3 => {
                let count = self.count()?;
                String::from_utf8_lossy(self.take(count)?)
            }
            4 => {
                let count = self.count()?;
                let units = (0..count).map(|_| u16::try_from(self.short()? & 0xffff).ok());
                Cow::Owned(String::from_utf16_lossy(&units.collect::<Option<Vec<_>>>()?))
            }
            5 => {
                let count = self.count()?;
                Cow::Owned(self.take(count)?.iter().copied().map(char::from).collect())
            }
            _ => return None,
        };
        Some(Text::Inline(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_have_seven_bits_a_byte_and_eight_in_the_ninth() {
        let long = |bytes: &[u8]| Cursor::new(bytes, true).long();
        assert_eq!(long(&[0x05]), Some(5));
        assert_eq!(long(&[0x80, 0x01]), Some(128));
        assert_eq!(long(&[0xff; 9]), Some(-1));
        assert_eq!(long(&[0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]), Some(i64::MIN));
        assert_eq!(long(&[0x80]), None);
        assert_eq!(Cursor::new(&[0xff, 0xff, 0xff, 0xff, 0x0f], true).int(), Some(-1));
        assert_eq!(Cursor::new(&[0, 0, 0, 0, 0, 0, 1, 0], false).long(), Some(256));
        assert_eq!(Cursor::new(&[0xff, 0xff, 0xff, 0xfe], false).int(), Some(-2));
    }

    #[test]
    fn texts_say_their_encoding() {
        fn text(bytes: &[u8]) -> Option<Text<'_>> {
            Cursor::new(bytes, true).text()
        }
        let inline = |text: &str| Some(Text::Inline(text.to_owned().into()));
        assert_eq!((text(&[0]), text(&[1])), (inline(""), inline("")));
        assert_eq!(text(&[2, 9]), Some(Text::Pooled(9)));
        assert_eq!(text(&[3, 2, 0xc3, 0xa4]), inline("ä"));
        assert_eq!(text(&[4, 2, 0xe4, 0x01, b'a']), inline("äa"));
        assert_eq!(text(&[5, 1, 0xe4]), inline("ä"));
        // Longer than what is there, and an unknown encoding.
        assert_eq!((text(&[3, 3, b'a', b'b']), text(&[6])), (None, None));
    }
}
