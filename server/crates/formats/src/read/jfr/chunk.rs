//! A chunk: its header and events.

use super::cursor::Cursor;

/// The bytes of a header.
pub(super) const HEADER: usize = 68;

/// What a file and each chunk begin with.
pub(crate) const MAGIC: &[u8] = b"FLR\0";

/// The header of a chunk. Offsets are those in the chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) major: u16,
    pub(super) minor: u16,
    /// With the header.
    pub(super) size: u64,
    pub(super) metadata: u64,
    pub(super) start_ns: i64,
    pub(super) start_ticks: i64,
    pub(super) ticks_per_second: i64,
    /// Whether the recorder still writes it.
    pub(super) is_open: bool,
    /// Whether it is the last one. Not every recorder says so.
    pub(super) is_final: bool,
    pub(super) is_compressed: bool,
}

impl Header {
    /// `None` without its magic, or if there are fewer bytes.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let mut cursor = Cursor::new(bytes.get(..HEADER)?.strip_prefix(MAGIC)?, false);
        let (major, minor) = (cursor.array()?, cursor.array()?);
        let size = cursor.array()?;
        let _last_check_point = cursor.long()?;
        let metadata = cursor.array()?;
        let start_ns = cursor.long()?;
        let _duration = cursor.long()?;
        let (start_ticks, ticks_per_second) = (cursor.long()?, cursor.long()?);
        let [state, _, _, flags] = cursor.array()?;
        Some(Self {
            major: u16::from_be_bytes(major),
            minor: u16::from_be_bytes(minor),
            size: u64::from_be_bytes(size),
            metadata: u64::from_be_bytes(metadata),
            start_ns,
            start_ticks,
            ticks_per_second,
            is_open: state != 0,
            is_final: flags & 2 != 0,
            is_compressed: flags & 1 != 0,
        })
    }

    /// Whether it says where the metadata are, which a recorder writes at the end.
    pub(super) fn is_complete(&self) -> bool {
        let events = HEADER as u64..self.size;
        events.contains(&self.metadata)
    }

    /// How many nanoseconds ticks are.
    pub(super) fn ns(&self, ticks: i64) -> f64 {
        let ns = i128::from(ticks) * 1_000_000_000;
        if self.ticks_per_second <= 0 {
            ticks as f64
        } else {
            ns as f64 / self.ticks_per_second as f64
        }
    }
}

/// An event: its type and what follows that.
pub(super) struct Event<'a> {
    pub(super) type_id: i64,
    pub(super) payload: Cursor<'a>,
}

/// The events of a chunk.
#[derive(Clone)]
pub(super) struct Events<'a> {
    rest: Cursor<'a>,
    /// Where the first event that is none is, as the number of bytes from there to the end of the chunk.
    pub(super) broken: Option<usize>,
}

impl<'a> Events<'a> {
    /// Those after the first `offset` bytes of a chunk.
    pub(super) fn new(chunk: &'a [u8], offset: u64, header: &Header) -> Self {
        let offset = usize::try_from(offset).unwrap_or(usize::MAX);
        let bytes = chunk.get(offset..).unwrap_or_default();
        Self { rest: Cursor::new(bytes, header.is_compressed), broken: None }
    }

    fn event(&mut self) -> Option<Event<'a>> {
        let start = self.rest;
        let mut cursor = start;
        let size = usize::try_from(cursor.int()?).ok()?;
        let n_head = start.until(cursor).len();
        let mut payload = start.within(cursor.take(size.checked_sub(n_head)?)?);
        self.rest = cursor;
        Some(Event { type_id: payload.long()?, payload })
    }
}

impl<'a> Iterator for Events<'a> {
    type Item = Event<'a>;

    fn next(&mut self) -> Option<Event<'a>> {
        let remaining = self.rest.remaining();
        if remaining == 0 || self.broken.is_some() {
            return None;
        }
        let event = self.event();
        if event.is_none() {
            self.broken = Some(remaining);
        }
        event
    }
}
