//! The elements of an export that mean something, and what they stand for.

use crate::read::shared::apple::{Image, hexadecimal};
use profile::{FrameId, Metric, SourceId, StackId, Thread};
use quick_xml::escape::unescape;
use quick_xml::events::BytesStart;

/// The kinds of elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tag {
    /// What a table is; its rows follow.
    Schema,
    Row,
    Time,
    Weight(Unit),
    ThreadId,
    ProcessId,
    State,
    Process,
    Thread,
    Path,
    Source,
    Binary,
    Frame,
    Stack,
}

impl Tag {
    pub(super) fn of(name: &[u8]) -> Option<Self> {
        Some(match name {
            b"schema" => Self::Schema,
            b"row" => Self::Row,
            b"sample-time" => Self::Time,
            b"weight" => Self::Weight(Unit::Nanoseconds),
            b"cycle-weight" => Self::Weight(Unit::Cycles),
            b"pmc-event" => Self::Weight(Unit::Events),
            b"tid" => Self::ThreadId,
            b"pid" => Self::ProcessId,
            b"thread-state" => Self::State,
            b"process" => Self::Process,
            b"thread" => Self::Thread,
            b"path" => Self::Path,
            b"source" => Self::Source,
            b"binary" => Self::Binary,
            b"frame" => Self::Frame,
            b"backtrace" | b"tagged-backtrace" => Self::Stack,
            _ => return None,
        })
    }
}

/// The unit of a weight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Nanoseconds,
    Cycles,
    /// Of the counter that triggers the samples.
    Events,
}

impl Unit {
    pub(super) fn metric(self) -> Metric {
        match self {
            Self::Nanoseconds => Metric::new("time", "ns", None),
            Self::Cycles => Metric::new("cycles", "cycles", None),
            Self::Events => Metric::new("events", "events", None),
        }
    }
}

/// What an element stands for. Processes, threads and binaries are those with a number.
#[derive(Debug, Clone, Copy)]
pub(super) enum Value {
    /// In nanoseconds.
    Time(u64),
    Weight((Unit, u64)),
    ThreadId(u64),
    ProcessId(u64),
    IsWaiting(bool),
    Process(usize),
    Thread(usize),
    Path(SourceId),
    /// A line (1-based) of a file.
    Place((SourceId, u32)),
    Binary(usize),
    Frame(FrameId),
    /// `None` without frames.
    Stack(Option<Leaf>),
}

/// The end of a stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Leaf {
    pub(super) caller: Option<StackId>,
    pub(super) frame: FrameId,
}

/// An element that is open, or has just ended.
#[derive(Debug)]
pub(super) struct Element {
    pub(super) tag: Tag,
    /// Where it begins in the file.
    pub(super) offset: u64,
    pub(super) id: Option<u64>,
    /// Its attribute `name` or `fmt`.
    pub(super) name: String,
    pub(super) text: String,
    /// The address of a frame.
    pub(super) address: Option<u64>,
    /// The line (1-based) of a source; 0 if it is unknown.
    pub(super) line: u32,
    /// That of a binary.
    pub(super) image: Option<Box<Image>>,
    /// What the elements in it stand for.
    pub(super) parts: Vec<Value>,
}

/// The first part of an element that is of a kind of [`Value`].
macro_rules! part {
    ($element:expr, $Kind:ident) => {
        $element.parts.iter().find_map(|part| match *part {
            Value::$Kind(value) => Some(value),
            _ => None,
        })
    };
}
pub(super) use part;

impl Element {
    pub(super) fn of(tag: Tag, start: &BytesStart<'_>, offset: u64) -> Self {
        let text = |name| attribute(start, name).unwrap_or_default();
        let mut element = Self {
            tag,
            offset,
            id: attribute(start, "id").and_then(|id| id.parse().ok()),
            name: String::new(),
            text: String::new(),
            address: None,
            line: 0,
            image: None,
            parts: Vec::new(),
        };
        match tag {
            Tag::Schema => element.name = text("name"),
            Tag::Process | Tag::Thread => element.name = text("fmt"),
            Tag::Source => element.line = text("line").parse().unwrap_or(0),
            Tag::Frame => {
                element.name = text("name");
                element.address = hexadecimal(&text("addr"));
            }
            Tag::Binary => {
                element.image = Some(Box::new(Image {
                    name: text("name"),
                    path: text("path"),
                    uuid: text("UUID"),
                    arch: text("arch"),
                    start: hexadecimal(&text("load-addr")),
                }));
            }
            _ => {}
        }
        element
    }

    /// `<process fmt="app (7)"><pid>7</pid></process>`
    pub(super) fn process(&self) -> Process {
        let (name, _) = self.name.rsplit_once(" (").unwrap_or((&self.name, ""));
        Process { name: name.to_owned(), pid: part!(self, ProcessId) }
    }

    /// `<thread fmt="main  0x14 (app, pid: 7)"><tid>20</tid><process ref="4"/></thread>`; newer versions write
    /// `(0x14)`.
    pub(super) fn thread(&self, processes: &[Process]) -> (ThreadKey, Thread) {
        let tid = part!(self, ThreadId);
        let process = part!(self, Process).and_then(|process| processes.get(process));
        let pid = process.and_then(|process| process.pid);
        let hex = tid.map(|tid| format!("{tid:#x}"));
        let name = hex.and_then(|hex| self.name.split_once(&hex)).map_or("", |(name, _)| name);
        let thread = Thread {
            name: name.trim_end_matches(['(', ' ']).to_owned(),
            process_name: process.map(|process| process.name.clone()).unwrap_or_default(),
            pid: pid.map(|pid| pid.to_string()),
            tid: tid.map(|tid| tid.to_string()),
            ..Thread::default()
        };
        ((pid, tid), thread)
    }
}

/// A process.
#[derive(Debug)]
pub(super) struct Process {
    name: String,
    pid: Option<u64>,
}

/// The ids of a process and a thread.
pub(super) type ThreadKey = (Option<u64>, Option<u64>);

/// The value of an attribute.
pub(super) fn attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    let attribute = tag.try_get_attribute(name).ok()??;
    let text = String::from_utf8_lossy(&attribute.value);
    Some(unescape(&text).as_deref().unwrap_or(&text).to_owned())
}
