//! The container of the records (`tools/perf/Documentation/perf.data-file-format.txt`): the header
//! and its sections, or records with the same contents if perf wrote to a pipe; compressed records;
//! all records sorted by time.

use super::event::Event;
use super::lost::{self, Lost};
use super::words::Words;
use crate::error::{At, ReadError};
use crate::input::inflate::unfinished_zstd;
use crate::limits::Limits;
use profile::{WarningCode, Warnings};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Types of records.
pub(super) mod kind {
    pub(crate) const MMAP: u32 = 1;
    pub(crate) const COMM: u32 = 3;
    pub(crate) const FORK: u32 = 7;
    pub(crate) const SAMPLE: u32 = 9;
    pub(crate) const MMAP2: u32 = 10;
    pub(crate) const CGROUP: u32 = 19;
    /// Types from here on are perf's own records, not the kernel's.
    pub(super) const USER_TYPE_START: u32 = 64;
    pub(super) const HEADER_ATTR: u32 = 64;
    pub(super) const TRACING_DATA: u32 = 66;
    pub(super) const BUILD_ID: u32 = 67;
    pub(super) const AUXTRACE: u32 = 71;
    pub(super) const EVENT_UPDATE: u32 = 78;
    pub(super) const HEADER_FEATURE: u32 = 80;
    pub(super) const COMPRESSED: u32 = 81;
    pub(super) const COMPRESSED2: u32 = 83;
}

/// Optional sections after the records, by their bit in the header.
mod feature {
    pub(super) const BUILD_ID: u32 = 2;
    pub(super) const VERSION: u32 = 5;
    pub(super) const ARCH: u32 = 6;
    pub(super) const EVENT_DESC: u32 = 12;
}

/// `PERF_RECORD_MISC_BUILD_ID_SIZE`
const BUILD_ID_SIZE: u16 = 1 << 15;
/// `PERF_EVENT_UPDATE__NAME`
const EVENT_UPDATE_NAME: u64 = 2;
/// The largest number of ids. Each section may claim to be as long as the file.
const MAX_IDS: usize = 1 << 22;
/// The size of the header of a record (type, flags, size), in bytes.
const HEADER: usize = 8;

/// A perf.data file.
pub(super) struct Container<'a> {
    bytes: &'a [u8],
    /// The decompressed records, one after the other.
    inflated: Vec<u8>,
    big_endian: bool,
    pub(super) events: Vec<Event>,
    event_of_id: FxHashMap<u64, usize>,
    n_ids: usize,
    /// Build ids of executed files, by path.
    pub(super) build_ids: FxHashMap<String, String>,
    /// The version of perf.
    pub(super) version: Option<String>,
    /// The architecture, as in `uname -m`.
    pub(super) arch: Option<String>,
    /// Sorted by time.
    places: Vec<Place>,
    /// Whether the header says where the records end. Only pipes have none.
    pub(super) has_end: bool,
    pub(super) lost: Lost,
}

/// The position of a record.
#[derive(Clone, Copy)]
struct Place {
    /// In nanoseconds.
    time: u64,
    /// The offset of its header; compressed records come after all others.
    at: usize,
}

/// One record of the kernel.
pub(super) struct Record<'a> {
    pub(super) kind: u32,
    /// Flags whose meaning depends on the type.
    pub(super) misc: u16,
    /// In nanoseconds.
    pub(super) time: u64,
    /// The event that it belongs to, if known.
    pub(super) event: Option<usize>,
    pub(super) body: Words<'a>,
    /// Where the record begins.
    pub(super) at: At,
}

impl<'a> Container<'a> {
    pub(super) fn open(
        bytes: &'a [u8],
        limits: Limits,
        ask: &mut dyn FnMut(u64) -> Result<(), ReadError>,
        warnings: &mut Warnings,
    ) -> Result<Self, ReadError> {
        let big_endian = bytes.starts_with(b"2ELIFREP");
        let mut file = Self {
            bytes,
            inflated: Vec::new(),
            big_endian,
            events: Vec::new(),
            event_of_id: FxHashMap::default(),
            n_ids: 0,
            build_ids: FxHashMap::default(),
            version: None,
            arch: None,
            places: Vec::new(),
            has_end: true,
            lost: Lost::default(),
        };
        let short = || {
            let message = "the file ends within its header; expected a whole perf.data file";
            ReadError::truncated(At::Byte(bytes.len() as u64), message)
        };
        let mut header = Words::new(bytes, big_endian);
        header.bytes(8).ok_or_else(short)?;
        let size = header.u64().ok_or_else(short)?;
        // A header of 16 bytes has no sections: perf wrote to a pipe.
        file.has_end = size != 16;
        let records = if size == 16 {
            16..bytes.len()
        } else {
            file.read_header(header, warnings).ok_or_else(short)?
        };
        let mut packed = Vec::new();
        file.scan(
            bytes.get(records.clone()).ok_or_else(short)?,
            records.start,
            Some(&mut packed),
            warnings,
        );
        if !packed.is_empty() {
            let inflated = unfinished_zstd(packed, limits, ask, warnings)?;
            file.scan(&inflated, bytes.len(), None, warnings);
            file.inflated = inflated;
        }
        if file.events.is_empty() {
            let message = "the file has no event; expected a recording by `perf record`";
            return Err(ReadError::malformed(At::Byte(0), message));
        }
        // The sort is stable: mappings precede the samples that need them, also at the same time.
        file.places.sort_by_key(|place| place.time);
        Ok(file)
    }

    /// The records of the kernel, sorted by time.
    pub(super) fn records(&self) -> impl Iterator<Item = Record<'_>> {
        self.places.iter().filter_map(|&Place { time, at }| {
            let (kind, misc, body) = self.record(at)?;
            let event = self.event(kind, body);
            let at = At::Byte(at.min(self.bytes.len()) as u64);
            Some(Record { kind, misc, time, event, body, at })
        })
    }

    /// Reads the sections that the header names; returns the section of the records.
    fn read_header(
        &mut self,
        mut header: Words<'a>,
        warnings: &mut Warnings,
    ) -> Option<Range<usize>> {
        let attr_size = header.u64()?;
        let attrs = self.section(&mut header)?;
        let (start, size) = (usize::try_from(header.u64()?).ok()?, header.u64()?);
        header.bytes(16)?;
        let features = header.part(32)?;
        self.read_attrs(attrs, attr_size);
        let end = usize::try_from(size).ok().and_then(|size| start.checked_add(size));
        let Some(end) = end.filter(|&end| size > 0 && end <= self.bytes.len()) else {
            warnings.add(WarningCode::Truncated, || {
                let what = if size == 0 { "the recording was not finished" } else { "the file ends before its records do" };
                format!("{what}; what was recorded before that is shown, without the ids of programs and libraries")
            });
            return Some(start..self.bytes.len());
        };
        let mut sections = Words::new(self.bytes.get(end..)?, self.big_endian);
        for (word, bits) in (0_u32..).zip(features.each()) {
            for bit in (0..64).filter(|bit| bits & (1 << bit) != 0) {
                let Some(section) = self.section(&mut sections) else {
                    warnings.add(WarningCode::Truncated, || {
                        "the file ends after its samples; ids of libraries may be missing"
                            .to_owned()
                    });
                    return Some(start..end);
                };
                self.read_feature(word * 64 + bit, section);
            }
        }
        Some(start..end)
    }

    /// Reads a section: offset and size, and its bytes. `None` if the file ends before it does.
    fn section(&self, words: &mut Words<'_>) -> Option<Words<'a>> {
        let (start, size) =
            (usize::try_from(words.u64()?).ok()?, usize::try_from(words.u64()?).ok()?);
        let part = self.bytes.get(start..start.checked_add(size)?)?;
        Some(Words::new(part, self.big_endian))
    }

    /// Reads the events, each with a section of its ids.
    fn read_attrs(&mut self, mut attrs: Words<'a>, attr_size: u64) {
        let Some(size) = usize::try_from(attr_size).ok().and_then(|size| size.checked_sub(16))
        else {
            return;
        };
        while let (Some(attr), Some(ids)) = (attrs.part(size), self.section(&mut attrs)) {
            if let Some(event) = Event::parse(attr) {
                self.add_event(event, ids);
            }
        }
    }

    fn add_event(&mut self, event: Event, ids: Words<'_>) {
        let room = MAX_IDS.saturating_sub(self.n_ids);
        let ids = ids.each().take(room).map(|id| (id, self.events.len())).collect::<Vec<_>>();
        self.n_ids += ids.len();
        self.event_of_id.extend(ids);
        self.events.push(event);
    }

    fn read_feature(&mut self, feature: u32, section: Words<'_>) {
        let text = |mut section: Words<'_>| {
            let size = section.u32()?;
            Some(section.part(size as usize)?.text())
        };
        match feature {
            feature::VERSION => self.version = text(section),
            feature::ARCH => self.arch = text(section),
            feature::EVENT_DESC => {
                let _ = self.read_names(section);
            }
            feature::BUILD_ID => {
                let mut section = section;
                while let Some((_, misc, body)) = next_record(&mut section) {
                    self.add_build_id(misc, body);
                }
            }
            _ => {}
        }
    }

    /// Reads the names of events: by their ids or, if those have none, in order of the events.
    fn read_names(&mut self, mut section: Words<'_>) -> Option<()> {
        let (n_events, attr_size) = (section.u32()?, section.u32()?);
        for i in 0..n_events as usize {
            section.bytes(attr_size as usize)?;
            let (n_ids, size) = (section.u32()?, section.u32()?);
            let name = section.part(size as usize)?.text();
            let first_id = section.longs(n_ids.into())?.each().next();
            let event = first_id.and_then(|id| self.event_of_id.get(&id).copied()).unwrap_or(i);
            self.name_event(event, name);
        }
        Some(())
    }

    fn name_event(&mut self, event: usize, name: String) {
        if let Some(event) = self.events.get_mut(event).filter(|_| !name.is_empty()) {
            event.name = name;
        }
    }

    fn add_build_id(&mut self, misc: u16, mut body: Words<'_>) {
        let (Some(_pid), Some(id)) = (body.i32(), body.bytes(24)) else { return };
        let (id, size) = id.split_at(20);
        let id = match size.first() {
            Some(&size) if misc & BUILD_ID_SIZE != 0 => id.get(..size.into()).unwrap_or(id),
            // Shorter ids are padded with zeros.
            _ => id.strip_suffix(&[0; 4]).unwrap_or(id),
        };
        self.build_ids.insert(body.text(), hex(id));
    }

    /// Collects the records of a section that begins at `base`, decompresses them if needed, and
    /// reads perf's own records.
    fn scan(
        &mut self,
        part: &[u8],
        base: usize,
        mut packed: Option<&mut Vec<u8>>,
        warnings: &mut Warnings,
    ) {
        let mut rest = Words::new(part, self.big_endian);
        // Records without a time have the time of the previous record.
        let mut time = 0;
        while !rest.rest().is_empty() {
            let at = base + (part.len() - rest.rest().len());
            let is_too_small = record_size(rest).is_some_and(|size| usize::from(size) < HEADER);
            let Some((kind, misc, mut body)) = next_record(&mut rest) else {
                let code = if is_too_small {
                    WarningCode::MalformedRecord
                } else {
                    WarningCode::Truncated
                };
                warnings.add(code, || {
                    let what = if is_too_small {
                        "expected a record of at least 8 bytes"
                    } else {
                        "the file ends within a record"
                    };
                    format!(
                        "byte {}: {what}; what was recorded before that is shown",
                        at.min(self.bytes.len())
                    )
                });
                return;
            };
            if kind < kind::USER_TYPE_START {
                if matches!(kind, lost::LOST | lost::LOST_SAMPLES) {
                    let event = self.event(kind, body).and_then(|event| self.events.get(event));
                    let time = event.and_then(|event| event.time(false, body));
                    if self.lost.add(kind, misc, time, body).is_none() {
                        warnings.add(WarningCode::MalformedRecord, || {
                            let at = At::Byte(at.min(self.bytes.len()) as u64);
                            format!("{at}expected the number of lost samples")
                        });
                    }
                }
                if matches!(
                    kind,
                    kind::MMAP
                        | kind::MMAP2
                        | kind::COMM
                        | kind::FORK
                        | kind::CGROUP
                        | kind::SAMPLE
                ) {
                    let event = self.event(kind, body).and_then(|event| self.events.get(event));
                    time = event
                        .and_then(|event| event.time(kind == kind::SAMPLE, body))
                        .unwrap_or(time);
                    self.places.push(Place { time, at });
                }
                continue;
            }
            match (kind, packed.as_deref_mut()) {
                (kind::COMPRESSED, Some(packed)) => packed.extend_from_slice(body.rest()),
                (kind::COMPRESSED2, Some(packed)) => {
                    let size = body.u64().and_then(|size| usize::try_from(size).ok());
                    packed.extend_from_slice(
                        size.and_then(|size| body.bytes(size)).unwrap_or_default(),
                    );
                }
                (kind::AUXTRACE, _) => {
                    let size = body.u64().and_then(|size| usize::try_from(size).ok());
                    let _trace = size.and_then(|size| rest.bytes(size));
                    warnings.add(WarningCode::HardwareTrace, || {
                        "hardware traces (Intel PT, Arm SPE) are not supported; record samples \
                         with `perf record -g`"
                            .to_owned()
                    });
                }
                (kind::TRACING_DATA, _) => {
                    let size = body.u32().map(|size| (size as usize).next_multiple_of(8));
                    // Those of perf follow the record. simpleperf has them in it.
                    let follow = size.filter(|&size| body.rest().len() < size);
                    let _formats = follow.and_then(|size| rest.bytes(size));
                }
                _ => {
                    let _ = self.read_own_record(kind, misc, body);
                }
            }
        }
    }

    /// Reads one of perf's own records, which replace the header in a pipe.
    fn read_own_record(&mut self, kind: u32, misc: u16, mut body: Words<'_>) -> Option<()> {
        match kind {
            kind::HEADER_ATTR => {
                let mut sizes = body;
                let (_kind, size) = (sizes.u32()?, sizes.u32()?);
                let event = Event::parse(body.part(size as usize)?)?;
                self.add_event(event, body);
            }
            kind::BUILD_ID => self.add_build_id(misc, body),
            kind::EVENT_UPDATE => {
                let (what, id) = (body.u64()?, body.u64()?);
                if what == EVENT_UPDATE_NAME
                    && let Some(&event) = self.event_of_id.get(&id)
                {
                    self.name_event(event, body.text());
                }
            }
            kind::HEADER_FEATURE => {
                let feature = u32::try_from(body.u64()?).ok()?;
                self.read_feature(feature, body);
            }
            _ => {}
        }
        Some(())
    }

    /// The event with an id.
    pub(super) fn event_with_id(&self, id: u64) -> Option<usize> {
        self.event_of_id.get(&id).copied()
    }

    /// The event of a kernel record. perf puts ids at the same offset in all of them, and gives no
    /// id to records that it makes itself.
    fn event(&self, kind: u32, body: Words<'_>) -> Option<usize> {
        let [first, _, ..] = self.events.as_slice() else { return Some(0) };
        let is_sample = kind == kind::SAMPLE;
        match first.id(is_sample, body) {
            Some(id) if is_sample && id != 0 => self.event_of_id.get(&id).copied(),
            id => Some(id.and_then(|id| self.event_of_id.get(&id).copied()).unwrap_or(0)),
        }
    }

    /// Type, flags and body of the record at an offset.
    fn record(&self, at: usize) -> Option<(u32, u16, Words<'_>)> {
        let rest = match at.checked_sub(self.bytes.len()) {
            Some(at) => self.inflated.get(at..)?,
            None => self.bytes.get(at..)?,
        };
        next_record(&mut Words::new(rest, self.big_endian))
    }
}

/// The size of a record by its header, including the header.
fn record_size(mut words: Words<'_>) -> Option<u16> {
    words.bytes(6)?;
    words.u16()
}

fn next_record<'a>(words: &mut Words<'a>) -> Option<(u32, u16, Words<'a>)> {
    let (kind, misc, size) = (words.u32()?, words.u16()?, words.u16()?);
    Some((kind, misc, words.part(usize::from(size).checked_sub(HEADER)?)?))
}

/// Bytes in hexadecimal digits, as in build ids.
pub(super) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
