//! Values in the bytes of a block. The lowest byte is first.

/// The bytes that are left. All reads end with `None` where the bytes do.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bytes<'a>(pub(super) &'a [u8]);

impl<'a> Bytes<'a> {
    pub(super) fn take(&mut self, n: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(n)?;
        self.0 = rest;
        Some(taken)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    pub(super) fn byte(&mut self) -> Option<u8> {
        self.array().map(|[byte]| byte)
    }

    pub(super) fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    pub(super) fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    /// The next `n` bytes, where `n` is a number in the file.
    pub(super) fn part(&mut self, n: impl TryInto<usize>) -> Option<Self> {
        self.take(n.try_into().ok()?).map(Self)
    }

    /// Seven bits a byte, lowest first, as many bytes as the number needs.
    pub(super) fn var(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = u64::from(self.byte()?);
            value |= (byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    pub(super) fn var32(&mut self) -> Option<u32> {
        u32::try_from(self.var()?).ok()
    }

    /// UTF-16 up to a NUL.
    pub(super) fn wide(&mut self) -> Option<String> {
        let (units, _) = self.0.as_chunks();
        let n = units.iter().position(|&unit| unit == [0, 0])?;
        let units = units[..n].iter().map(|&unit| u16::from_le_bytes(unit));
        let text = char::decode_utf16(units).map(|char| char.unwrap_or('\u{fffd}')).collect();
        self.take(2 * n + 2)?;
        Some(text)
    }

    /// UTF-8 after its length.
    pub(super) fn text(&mut self) -> Option<String> {
        let n = self.var()?;
        self.part(n).map(Self::utf8)
    }

    /// The same with a length of two bytes.
    pub(super) fn short_text(&mut self) -> Option<String> {
        let n = self.u16()?;
        self.part(n).map(Self::utf8)
    }

    fn utf8(self) -> String {
        String::from_utf8_lossy(self.0).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_seven_bits_a_byte() {
        let var = |bytes: &[u8]| Bytes(bytes).var();
        assert_eq!((var(&[5]), var(&[0x80, 1]), var(&[0xac, 2])), (Some(5), Some(128), Some(300)));
        assert_eq!(var(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1]), Some(u64::MAX));
        assert_eq!((var(&[0x80]), var(&[0x80; 11])), (None, None));
        assert_eq!(Bytes(&[0xff, 0xff, 0xff, 0xff, 0x1f]).var32(), None);
    }

    #[test]
    fn texts_end_with_nul_or_have_a_length() {
        let mut bytes = Bytes(b"a\0\xe4\0\0\0\x02ok\x01\0!x");
        assert_eq!(bytes.wide().as_deref(), Some("aä"));
        assert_eq!(bytes.text().as_deref(), Some("ok"));
        assert_eq!(bytes.short_text().as_deref(), Some("!"));
        assert_eq!((bytes.wide(), bytes.text(), bytes.0), (None, None, &b""[..]));
        // Half of a pair, and no end.
        assert_eq!(Bytes(b"\x3d\xd8\0\0").wide().as_deref(), Some("\u{fffd}"));
        assert_eq!(Bytes(b"a\0\0").wide(), None);
    }
}
