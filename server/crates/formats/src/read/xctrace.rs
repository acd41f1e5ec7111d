//! Tables of samples that `xctrace export` writes from a recording of Instruments: `time-profile`, and those of the
//! same form, `cpu-profile` and `counters-profile`.
//!
//! ```text
//! <trace-query-result><node xpath='…'><schema name="time-profile">…</schema>
//! <row><sample-time id="1" fmt="…">57246708</sample-time>
//!   <thread id="2" fmt="main  0x14 (app, pid: 7)"><tid id="3">20</tid><process id="4" fmt="app (7)"><pid id="5">7</pid></process></thread>
//!   <thread-state id="6">Running</thread-state><weight id="7" fmt="1.00 ms">1000000</weight>
//!   <backtrace id="8"><frame id="9" name="f" addr="0x1005"><binary id="10" name="app" UUID="…" load-addr="0x1000" path="…"/>
//!     <source line="7"><path id="11">/src/app.c</path></source></frame><frame …/></backtrace></row>
//! <row><sample-time id="12">58246708</sample-time><thread ref="2"/><thread-state ref="6"/><weight ref="7"/><backtrace ref="8"/></row>
//! ```
//!
//! An element with an `id` is defined once, and referred to afterwards. Stacks are leaf first; `<sentinel/>` stands
//! for a stack, or anything else, that is not known. Since Xcode 26 a `backtrace` is in a `tagged-backtrace`, and in
//! Xcode 27 its frames are there without it. All addresses are one behind the instruction; the name of a frame
//! without a symbol is an address.
//!
//! With the option to record waiting threads, they have samples, too. Those are idle.
//!
//! Sources: exports by Xcode 14 to 27 in the tests of inferno, xctraceprof and xctrace-query-mcp-server;
//! `instruments_xml_tokenizer.cc` of Perfetto; the issues of Perfetto and Ladybird on Xcode 27.

mod element;

use crate::error::{At, ReadError};
use crate::format::Format;
use crate::input::Input;
use crate::read::result::Read;
use crate::read::shared::apple::{Image, UNKNOWN, function_name, source_file};
use crate::read::shared::rows::Rows;
use element::{Element, Leaf, Process, Tag, ThreadKey, Value, attribute, part};
use profile::{
    BuildError, Frame, FrameId, Func, LibId, Metric, ProfileBuilder, Recording, StackId, Thread,
    WarningCode, Warnings,
};
use quick_xml::Reader;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesRef, BytesStart, Event};
use rustc_hash::FxHashMap;
use std::io::{self, BufRead};

/// How many bytes show whether a file is an export.
const PREFIX: usize = 4 << 10;

/// How to write the table that has functions.
const EXPORT: &str = "export the table `time-profile` with Xcode 15 or newer: `xctrace export --input app.trace --xpath \
                      '/trace-toc/run[@number=\"1\"]/data/table[@schema=\"time-profile\"]' --output app.xctrace.xml`";

/// Whether a file begins like this.
pub(crate) fn is_xctrace(bytes: &[u8]) -> bool {
    let front = &bytes[..bytes.len().min(PREFIX)];
    front.starts_with(b"<?xml") && memchr::memmem::find(front, b"<trace-query-result").is_some()
}

pub(crate) fn read(input: &mut Input<'_>) -> Result<Read, ReadError> {
    let mut export = Export::default();
    let mut reader = Reader::from_reader(Bytes(input));
    let mut buffer = Vec::new();
    let end = loop {
        buffer.clear();
        let offset = reader.buffer_position();
        match reader.read_event_into(&mut buffer) {
            Ok(Event::Start(tag)) => export.begin(&tag, offset),
            Ok(Event::Empty(tag)) => export.empty(&tag, offset)?,
            Ok(Event::End(tag)) if tag.name().as_ref() == b"trace-query-result" => break None,
            Ok(Event::End(tag)) => export.end(tag.name().as_ref())?,
            Ok(Event::Text(text)) => export.text(&String::from_utf8_lossy(&text)),
            Ok(Event::GeneralRef(entity)) => export.text(&resolved(&entity)),
            // The error is an end within a tag.
            Ok(Event::Eof) | Err(quick_xml::Error::Syntax(_)) => {
                break Some((WarningCode::Truncated, offset));
            }
            Ok(_) => {}
            Err(_) => break Some((WarningCode::Malformed, offset)),
        }
    };
    export.finish(end)
}

/// What a reference in a text stands for: `&amp;`, `&#228;`.
fn resolved(entity: &BytesRef<'_>) -> String {
    let predefined = || resolve_predefined_entity(std::str::from_utf8(entity).ok()?);
    match entity.resolve_char_ref() {
        Ok(Some(char)) => char.to_string(),
        _ => predefined().unwrap_or_default().to_owned(),
    }
}

/// The bytes of a file, in blocks.
struct Bytes<'b, 'i>(&'b mut Input<'i>);

impl io::Read for Bytes<'_, '_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let n = self.fill_buf()?.read(out)?;
        self.consume(n);
        Ok(n)
    }
}

impl BufRead for Bytes<'_, '_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.0.bytes().is_empty() {
            self.0.fill();
        }
        Ok(self.0.bytes())
    }

    fn consume(&mut self, n: usize) {
        self.0.take(n);
    }
}

/// An export that is being read.
struct Export {
    builder: ProfileBuilder,
    rows: Rows<ThreadKey>,
    warnings: Warnings,
    /// The elements that are open and mean something, outermost first.
    open: Vec<Element>,
    /// What elements with an id stand for.
    known: FxHashMap<u64, Value>,
    processes: Vec<Process>,
    threads: Vec<(ThreadKey, Thread)>,
    binaries: Vec<(Image, LibId)>,
    /// The stacks of waiting threads.
    waiting: FxHashMap<Leaf, StackId>,
    /// The names of the tables.
    tables: Vec<String>,
    /// How many tables there were at the first sample, and what it weighs.
    sampled: Option<(usize, Metric)>,
    /// Whether another table has samples, too.
    has_more: bool,
    has_functions: bool,
    /// Whether the open row refers to an element that is not known.
    is_broken: bool,
    /// The times of the first and the last sample.
    times_ms: Option<(f64, f64)>,
}

impl Default for Export {
    fn default() -> Self {
        Self {
            builder: ProfileBuilder::new(Vec::new(), 0),
            rows: Rows::new(1),
            warnings: Warnings::default(),
            open: Vec::new(),
            known: FxHashMap::default(),
            processes: Vec::new(),
            threads: Vec::new(),
            binaries: Vec::new(),
            waiting: FxHashMap::default(),
            tables: Vec::new(),
            sampled: None,
            has_more: false,
            has_functions: false,
            is_broken: false,
            times_ms: None,
        }
    }
}

impl Export {
    fn begin(&mut self, start: &BytesStart<'_>, offset: u64) {
        if let Some(tag) = Tag::of(start.name().as_ref()) {
            self.open.push(Element::of(tag, start, offset));
        }
    }

    /// An element without content: mostly a reference.
    fn empty(&mut self, tag: &BytesStart<'_>, offset: u64) -> Result<(), ReadError> {
        if Tag::of(tag.name().as_ref()).is_none() {
            return Ok(());
        }
        let Some(reference) = attribute(tag, "ref") else {
            self.begin(tag, offset);
            return self.end(tag.name().as_ref());
        };
        let value = reference.parse().ok().and_then(|id: u64| self.known.get(&id).copied());
        match (value, self.open.last_mut()) {
            (Some(value), Some(outer)) => outer.parts.push(value),
            (None, _) => self.is_broken = true,
            _ => {}
        }
        Ok(())
    }

    fn text(&mut self, text: &str) {
        if let Some(element) = self.open.last_mut() {
            element.text.push_str(text);
        }
    }

    fn end(&mut self, name: &[u8]) -> Result<(), ReadError> {
        let element = if Tag::of(name).is_some() { self.open.pop() } else { None };
        let Some(element) = element else { return Ok(()) };
        if let Some(value) = self.value(&element)? {
            self.known.extend(element.id.map(|id| (id, value)));
            if let Some(outer) = self.open.last_mut() {
                outer.parts.push(value);
            }
        }
        Ok(())
    }

    /// What an element stands for.
    fn value(&mut self, element: &Element) -> Result<Option<Value>, ReadError> {
        let number = || element.text.trim().parse::<u64>().ok();
        Ok(match element.tag {
            Tag::Schema => {
                self.tables.push(element.name.clone());
                None
            }
            Tag::Row => {
                self.row(element)?;
                None
            }
            Tag::Time => number().map(Value::Time),
            Tag::Weight(unit) => number().map(|amount| Value::Weight((unit, amount))),
            Tag::ThreadId => number().map(Value::ThreadId),
            Tag::ProcessId => number().map(Value::ProcessId),
            Tag::State => Some(Value::IsWaiting(element.text.trim() == "Blocked")),
            Tag::Process => {
                self.processes.push(element.process());
                Some(Value::Process(self.processes.len() - 1))
            }
            Tag::Thread => {
                self.threads.push(element.thread(&self.processes));
                Some(Value::Thread(self.threads.len() - 1))
            }
            Tag::Path => match source_file(element.text.trim()) {
                "" => None,
                file => Some(Value::Path(self.builder.intern_source(file)?)),
            },
            Tag::Source => part!(element, Path).map(|path| Value::Place((path, element.line))),
            Tag::Binary => {
                let image = element.image.as_deref().cloned().unwrap_or_default();
                let lib = self.builder.intern_lib(image.lib())?;
                self.binaries.push((image, lib));
                Some(Value::Binary(self.binaries.len() - 1))
            }
            Tag::Frame => Some(Value::Frame(self.frame(element)?)),
            Tag::Stack => Some(Value::Stack(self.leaf(element)?)),
        })
    }

    fn frame(&mut self, element: &Element) -> Result<FrameId, BuildError> {
        let binary = part!(element, Binary).and_then(|binary| self.binaries.get(binary));
        let place = part!(element, Place);
        let address = || {
            let (image, _) = binary?;
            image.address(element.address?.checked_sub(1)?)
        };
        let name = if element.name.starts_with("0x") {
            address().map_or(UNKNOWN.into(), Into::into)
        } else {
            function_name(&element.name)
        };
        let func = Func {
            name: self.builder.intern_string(&name)?,
            source: place.map(|(path, _)| path),
            lib: binary.map(|(_, lib)| *lib),
            line: 0,
            column: 0,
        };
        let func = self.builder.intern_func(func)?;
        self.builder.intern_frame(Frame::new(func, place.map_or(0, |(_, line)| line)))
    }

    /// The end of a stack: of that in it, if there is one.
    fn leaf(&mut self, element: &Element) -> Result<Option<Leaf>, BuildError> {
        if let Some(leaf) = part!(element, Stack) {
            return Ok(leaf);
        }
        let mut leaf: Option<Leaf> = None;
        for part in element.parts.iter().rev() {
            if let Value::Frame(frame) = *part {
                let caller = match leaf {
                    Some(Leaf { caller, frame }) => Some(self.builder.intern_stack(caller, frame)?),
                    None => None,
                };
                leaf = Some(Leaf { caller, frame });
            }
        }
        Ok(leaf)
    }

    /// Adds a sample, if a row is one.
    fn row(&mut self, row: &Element) -> Result<(), ReadError> {
        let is_broken = std::mem::take(&mut self.is_broken);
        let (time, stack) = (part!(row, Time), part!(row, Stack));
        let Some((unit, weight)) = part!(row, Weight).filter(|_| !is_broken) else {
            if is_broken || (time.is_some() && stack.is_some()) {
                let offset = row.offset;
                self.warnings.add(WarningCode::MalformedSample, || {
                    format!("byte {offset}: expected a sample with a weight, and references to elements before it")
                });
            }
            return Ok(());
        };
        let n_tables = self.tables.len();
        let (table, _) = self.sampled.get_or_insert_with(|| (n_tables, unit.metric()));
        if *table != n_tables {
            self.has_more = true;
            return Ok(());
        }
        let stack = match stack.flatten() {
            Some(leaf) => Some(self.stack(leaf, part!(row, IsWaiting) == Some(true))?),
            None => None,
        };
        self.has_functions |= stack.is_some();
        let thread = part!(row, Thread).and_then(|thread| self.threads.get(thread));
        let key = thread.map_or((None, None), |(key, _)| *key);
        let describe = || thread.map(|(_, thread)| thread.clone()).unwrap_or_default();
        let sample = self.rows.push(key, describe, stack, |_| weight as f64);
        if let Some(nanoseconds) = time {
            let time_ms = nanoseconds as f64 / 1e6;
            self.rows.taken_at(sample, time_ms);
            let (first, last) = self.times_ms.unwrap_or((time_ms, time_ms));
            self.times_ms = Some((first.min(time_ms), last.max(time_ms)));
        }
        Ok(())
    }

    fn stack(&mut self, leaf: Leaf, is_waiting: bool) -> Result<StackId, BuildError> {
        if !is_waiting {
            return self.builder.intern_stack(leaf.caller, leaf.frame);
        }
        if let Some(&known) = self.waiting.get(&leaf) {
            return Ok(known);
        }
        // Another one than that of a thread that runs there.
        let stack = self.builder.push_stack(leaf.caller, leaf.frame)?;
        self.builder.set_idle(stack)?;
        self.waiting.insert(leaf, stack);
        Ok(stack)
    }

    /// `end` is why and where the export ends before its last tag.
    fn finish(mut self, end: Option<(WarningCode, u64)>) -> Result<Read, ReadError> {
        let Some((_, metric)) = self.sampled.filter(|_| self.has_functions) else {
            return Err(match end {
                Some((_, offset)) => ReadError::truncated(
                    At::Byte(offset),
                    "the export of Instruments ends before its first sample with functions",
                ),
                None => ReadError::unrecognised(format!(
                    "the export of Instruments has no samples with functions{}; {EXPORT}",
                    in_tables(&self.tables)
                )),
            });
        };
        if let Some((code, offset)) = end {
            self.warnings.add(code, || {
                format!("byte {offset}: the export ends here, or goes on with what is no XML; the samples before that are shown")
            });
        }
        if self.has_more {
            self.warnings.add(WarningCode::MoreTables, || {
                "several tables of the export have samples, perhaps the same ones; the first is shown. For one of your choice, export \
                 `…/table[@schema=\"time-profile\"][1]`"
                    .to_owned()
            });
        }
        let mut builder = self.builder.with_metrics(vec![metric]);
        self.rows.finish(&mut builder)?;
        let recording = Recording::Stacks(builder.build());
        Ok(Read {
            span_seconds: self.times_ms.map(|(first, last)| (last - first) / 1e3),
            truncated: end.is_none().then_some(false),
            ..Read::new(Format::Xctrace, recording, self.warnings)
        })
    }
}

/// In which tables something is, for a message.
fn in_tables(names: &[String]) -> String {
    match names {
        [] => String::new(),
        names => format!(" in `{}`", names.join("`, `")),
    }
}

#[cfg(test)]
mod tests;
