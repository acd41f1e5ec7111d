//! Reads numbers and texts in either byte order. The result is `None` if the data end too early.

/// The unread rest of a section.
#[derive(Debug, Clone, Copy)]
pub(super) struct Words<'a> {
    rest: &'a [u8],
    big_endian: bool,
}

impl<'a> Words<'a> {
    pub(super) fn new(rest: &'a [u8], big_endian: bool) -> Self {
        Self { rest, big_endian }
    }

    pub(super) fn rest(self) -> &'a [u8] {
        self.rest
    }

    pub(super) fn bytes(&mut self, n: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(n)?;
        self.rest = rest;
        Some(taken)
    }

    /// The next `n` bytes, with the same byte order.
    pub(super) fn part(&mut self, n: usize) -> Option<Self> {
        Some(Self { rest: self.bytes(n)?, ..*self })
    }

    /// The next `n` words of eight bytes.
    pub(super) fn longs(&mut self, n: u64) -> Option<Self> {
        self.part(usize::try_from(n).ok()?.checked_mul(8)?)
    }

    pub(super) fn u16(&mut self) -> Option<u16> {
        let bytes = self.bytes(2)?.try_into().ok()?;
        Some(if self.big_endian { u16::from_be_bytes(bytes) } else { u16::from_le_bytes(bytes) })
    }

    pub(super) fn u32(&mut self) -> Option<u32> {
        let bytes = self.bytes(4)?.try_into().ok()?;
        Some(if self.big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) })
    }

    pub(super) fn i32(&mut self) -> Option<i32> {
        self.u32().map(u32::cast_signed)
    }

    pub(super) fn u64(&mut self) -> Option<u64> {
        let bytes = self.bytes(8)?.try_into().ok()?;
        Some(if self.big_endian { u64::from_be_bytes(bytes) } else { u64::from_le_bytes(bytes) })
    }

    /// Eight bytes of bit fields. Compilers fill them from the other end in the other byte order;
    /// the result always has the first field in the lowest bit.
    pub(super) fn bits(&mut self) -> Option<u64> {
        let bytes: [u8; 8] = self.bytes(8)?.try_into().ok()?;
        Some(u64::from_le_bytes(if self.big_endian { bytes.map(u8::reverse_bits) } else { bytes }))
    }

    /// The text before the first NUL, or all of it.
    pub(super) fn text(self) -> String {
        let end = memchr::memchr(0, self.rest).unwrap_or(self.rest.len());
        String::from_utf8_lossy(self.rest.get(..end).unwrap_or_default()).into_owned()
    }

    /// Iterates over words of eight bytes.
    pub(super) fn each(mut self) -> impl Iterator<Item = u64> {
        std::iter::from_fn(move || self.u64())
    }
}
