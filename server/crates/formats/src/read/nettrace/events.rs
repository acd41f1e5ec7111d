//! Events, and the metadata that says what they are.
//!
//! A block of events has a header, whose first two bytes are its size, followed by events. Each has flags, and those
//! fields that differ from the event before it. In version 6, labels take the place of activities.
//!
//! ```text
//! flags
//! 1    metadata
//! 2    sequence (difference), capturing thread, processor
//! 4    thread
//! 8    stack
//!      time (difference)
//! 16   activity (16 bytes)            labels
//! 32   related activity (16 bytes)
//! 128  size of the payload
//!      payload
//! ```
//!
//! The metadata of versions 4 and 5 are payloads of such events.

use super::bytes::Bytes;

/// The provider of samples.
const SAMPLER: &str = "Microsoft-DotNETCore-SampleProfiler";
/// The provider of what the runtime does.
const RUNTIME: &str = "Microsoft-Windows-DotNETRuntime";
/// The provider of what there is when the trace ends.
const RUNDOWN: &str = "Microsoft-Windows-DotNETRuntimeRundown";
/// The providers of traces of a whole machine by `dotnet-trace collect-linux`.
const SYSTEM: &str = "Universal.System";
const SAMPLES: &str = "Universal.Events";

/// Events that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Event {
    /// `ThreadSample`
    ThreadSample,
    /// `MethodLoadVerbose`, `MethodUnloadVerbose`, `MethodDCStartVerbose`, `MethodDCEndVerbose`
    Method,
    /// `ModuleLoad`, `ModuleDCEnd`, `DomainModuleDCEnd` and so on, with the bytes between id and path.
    Module { skipped: usize },
    /// `cpu`
    Cpu,
    /// `ExistingProcess`, `ProcessCreate`
    Process,
    /// `ProcessMapping`
    Mapping,
    /// `ProcessSymbol`
    Symbol,
}

impl Event {
    /// Events of the runtime have no names.
    fn of(provider: &str, id: u32, name: &str) -> Option<Self> {
        Some(match (provider, id) {
            (SAMPLER, 0) => Self::ThreadSample,
            (RUNTIME | RUNDOWN, 143 | 144) => Self::Method,
            (RUNTIME, 151) | (RUNDOWN, 151 | 152) => Self::Module { skipped: 24 },
            (RUNTIME, 152 | 153) | (RUNDOWN, 153 | 154) => Self::Module { skipped: 16 },
            (SAMPLES, _) if name == "cpu" => Self::Cpu,
            (SYSTEM, 0 | 1) => Self::Process,
            (SYSTEM, 3) => Self::Mapping,
            (SYSTEM, 4) => Self::Symbol,
            _ => return None,
        })
    }
}

/// The number of a kind of event, and which it is if it is read.
pub(super) type Metadata = (u32, Option<Event>);

/// The metadata in the payload of an event of versions 4 and 5.
pub(super) fn metadata(mut payload: Bytes<'_>) -> Option<Metadata> {
    let (number, provider) = (payload.u32()?, payload.wide()?);
    let (id, name) = (payload.u32()?, payload.wide()?);
    Some((number, Event::of(&provider, id, &name)))
}

/// The metadata in the next row of a block of version 6.
pub(super) fn metadata_row(bytes: &mut Bytes<'_>) -> Option<Metadata> {
    let size = bytes.u16()?;
    let mut row = bytes.part(size)?;
    let (number, provider) = (row.var32()?, row.text()?);
    let (id, name) = (row.var32()?, row.text()?);
    Some((number, Event::of(&provider, id, &name)))
}

/// An event.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Row<'a> {
    pub(super) metadata: u32,
    pub(super) sequence: u32,
    /// The thread that wrote the event.
    pub(super) writer: u64,
    /// The thread that the event is about.
    pub(super) thread: u64,
    pub(super) stack: u32,
    pub(super) time: u64,
    size: u64,
    pub(super) payload: &'a [u8],
}

/// The events of a block.
pub(super) struct Rows<'a> {
    bytes: Bytes<'a>,
    has_labels: bool,
    last: Row<'a>,
}

impl<'a> Rows<'a> {
    /// `None` if the header is malformed, or the events are not compressed: no program writes those.
    pub(super) fn new(block: &'a [u8], version: u32) -> Option<Self> {
        let mut bytes = Bytes(block);
        let (size, flags) = (bytes.u16()?, bytes.u16()?);
        bytes.take(usize::from(size).checked_sub(4)?)?;
        (flags & 1 != 0).then_some(Self { bytes, has_labels: version == 6, last: Row::default() })
    }

    /// Whether all events were read.
    pub(super) fn is_at_end(&self) -> bool {
        self.bytes.0.is_empty()
    }

    fn row(&mut self) -> Option<Row<'a>> {
        let Self { bytes, last, .. } = self;
        let flags = bytes.byte()?;
        let mut row = *last;
        if flags & 1 != 0 {
            row.metadata = bytes.var32()?;
        }
        if flags & 2 != 0 {
            row.sequence = row.sequence.wrapping_add(bytes.var32()?);
            row.writer = bytes.var()?;
            let _processor = bytes.var()?;
        }
        if row.metadata != 0 {
            row.sequence = row.sequence.wrapping_add(1);
        }
        if flags & 4 != 0 {
            row.thread = bytes.var()?;
        }
        if flags & 8 != 0 {
            row.stack = bytes.var32()?;
        }
        row.time = row.time.wrapping_add(bytes.var()?);
        for flag in [16, 32] {
            if flags & flag != 0 && self.has_labels {
                bytes.var()?;
            } else if flags & flag != 0 {
                bytes.take(16)?;
            }
        }
        if flags & 128 != 0 {
            row.size = bytes.var()?;
        }
        row.payload = bytes.part(row.size)?.0;
        *last = row;
        Some(row)
    }
}

impl<'a> Iterator for Rows<'a> {
    type Item = Row<'a>;

    fn next(&mut self) -> Option<Row<'a>> {
        self.row()
    }
}
