//! Recordings of memray, Python's memory profiler: every allocation (`memray run`), or their sums (`--aggregate`).
//!
//! A recording has the frames that each thread enters and leaves, and what is allocated and freed meanwhile. What
//! counts is what memray shows: what was alive when most memory was, for the last time, and what was never freed.
//! Of each, bytes and the number of allocations are metrics.
//!
//! A frame has a code object and an instruction; its line follows from the code object's [line table](line_table). In
//! recordings by memray before 1.19, it has the line itself.
//! Frames of native code are left out.
//!
//! memray compresses a file with LZ4 when the recording ends. Those of programs that were killed, and of forked
//! processes, are not compressed and have no end.

mod line_table;
mod records;

pub(crate) use records::MAGIC;

use crate::error::{At, ReadError};
use crate::format::Format;
use crate::input::Input;
use crate::read::result::Read;
use crate::read::shared::func_text::FuncText;
use crate::read::shared::rows::Rows;
use line_table::line;
use profile::{
    BuildError, Frame, Metric, ProfileBuilder, Recording, StackId, Thread, WarningCode, Warnings,
};
use records::{Bytes, Change, Header, Last, Record, VERSIONS};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// The metrics, each with its unit. The first is shown.
const METRICS: [(&str, &str); 4] = [
    ("peak memory", "bytes"),
    ("peak allocations", "peak allocations"),
    ("leaked memory", "bytes"),
    ("leaked allocations", "leaked allocations"),
];

pub(crate) fn read(input: &mut Input<'_>) -> Result<Read, ReadError> {
    let header = loop {
        let mut bytes = Bytes(input.bytes());
        let before = bytes.0.len();
        if let Some(header) = Header::read(&mut bytes) {
            let n = before - bytes.0.len();
            input.take(n);
            break header;
        }
        if !input.fill() {
            let message = "the memray recording ends within its header";
            return Err(ReadError::truncated(At::File, message));
        }
    };
    if !VERSIONS.contains(&header.version) {
        return Err(ReadError::unrecognised(format!(
            "version {} of memray's format is not supported; expected {} to {}: record with memray 1.8 to 1.20",
            header.version,
            VERSIONS.start(),
            VERSIONS.end()
        )));
    }
    let mut file = File::new(header);
    let mut last = Last::default();
    let end = loop {
        let offset = input.offset();
        let (n, end) = file.records(input.bytes(), &mut last)?;
        input.take(n);
        match end {
            Some(End::Unknown) => {
                let at = offset + n as u64;
                file.warnings.add(WarningCode::Malformed, || {
                    format!("byte {at}: expected a record of memray; the rest of the recording is left out")
                });
                break End::Unknown;
            }
            Some(end) => break end,
            None if !input.fill() => break End::Cut,
            None => {}
        }
    };
    file.finish(end)
}

/// Why no more records are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Complete,
    Cut,
    Unknown,
}

/// What a stack of a thread holds.
#[derive(Debug, Clone, Copy, Default)]
struct Use {
    bytes: i64,
    count: i64,
    /// The same when most memory was in use.
    at_peak: [i64; 2],
    /// Whether it has changed since then.
    has_changed: bool,
}

/// A code object.
struct Code {
    name: String,
    file: String,
    /// Where it begins; 0 if that is not recorded.
    start: u32,
    first_line: i64,
    line_table: Vec<u8>,
}

/// A stack of a thread, as an index into [`File::uses`].
type UseId = u32;

/// A file that is being read.
struct File {
    header: Header,
    builder: ProfileBuilder,
    warnings: Warnings,
    codes: FxHashMap<u64, Code>,
    threads: FxHashMap<u64, ThreadState>,
    thread: u64,
    uses: Vec<(u64, Option<StackId>, Use)>,
    use_ids: FxHashMap<(u64, Option<StackId>), UseId>,
    /// Those that changed since the peak.
    changed: Vec<UseId>,
    live: FxHashMap<u64, (u64, UseId)>,
    /// Mapped ranges by their start: end and use.
    mapped: BTreeMap<u64, (u64, UseId)>,
    current: i64,
    peak: i64,
    /// The frames and stacks of an aggregated file, by number.
    frames: FxHashMap<u64, (u64, i64)>,
    stacks: Vec<Numbered>,
    /// Those that are needed, of the main thread or of others. Without frames there is none.
    built: FxHashMap<(u64, bool), Option<StackId>>,
}

/// A stack of an aggregated file.
#[derive(Debug, Clone, Copy)]
struct Numbered {
    /// Its innermost frame, by number.
    frame: u64,
    /// The stack without that, by number; 0 is none.
    below: u64,
    /// How many frames are below.
    depth: u64,
}

#[derive(Debug, Clone, Default)]
struct ThreadState {
    name: String,
    /// The stack at each depth; none for frames that are left out.
    stack: Vec<Option<StackId>>,
}

impl File {
    fn new(header: Header) -> Self {
        let metrics = METRICS.map(|(name, unit)| Metric::new(name, unit, None));
        Self {
            header,
            builder: ProfileBuilder::new(metrics.to_vec(), 0),
            warnings: Warnings::default(),
            codes: FxHashMap::default(),
            threads: FxHashMap::default(),
            thread: 0,
            uses: Vec::new(),
            use_ids: FxHashMap::default(),
            changed: Vec::new(),
            live: FxHashMap::default(),
            mapped: BTreeMap::new(),
            current: 0,
            peak: 0,
            frames: FxHashMap::default(),
            stacks: Vec::new(),
            built: FxHashMap::default(),
        }
    }

    /// Handles the whole records in `bytes`. Returns how many bytes they have, and why no more are read.
    fn records(
        &mut self,
        bytes: &[u8],
        last: &mut Last,
    ) -> Result<(usize, Option<End>), ReadError> {
        let mut rest = Bytes(bytes);
        loop {
            let (start, before) = (rest, *last);
            let n = bytes.len() - start.0.len();
            match last.record(&mut rest, &self.header) {
                None => {
                    *last = before;
                    return Ok((n, None));
                }
                Some(Record::End { is_complete: true }) => return Ok((n, Some(End::Complete))),
                Some(Record::End { is_complete: false }) => return Ok((n, Some(End::Cut))),
                Some(Record::Unknown) => return Ok((n, Some(End::Unknown))),
                Some(record) => self.record(record)?,
            }
        }
    }

    fn record(&mut self, record: Record<'_>) -> Result<(), BuildError> {
        match record {
            Record::Switch { thread } => self.thread = thread,
            Record::Thread { name } => {
                let name = String::from_utf8_lossy(name).into_owned();
                self.threads.entry(self.thread).or_default().name = name;
            }
            Record::Code { id, name, file, first_line, line_table } => {
                let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
                let (name, file, line_table) = (text(name), text(file), line_table.to_vec());
                let start = u32::try_from(first_line).unwrap_or(0);
                self.codes.insert(id, Code { name, file, start, first_line, line_table });
            }
            Record::Line { number, name, file, line } => {
                let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
                let (name, file) = (text(name), text(file));
                let code = Code { name, file, start: 0, first_line: line, line_table: Vec::new() };
                self.codes.insert(number, code);
                self.frames.insert(number, (number, 0));
            }
            Record::Push { code, instruction } => {
                let depth = self.threads.entry(self.thread).or_default().stack.len() as u64;
                let is_skipped =
                    self.thread == self.header.main_thread && depth < self.header.n_skipped;
                let below = self.top();
                let stack = if is_skipped { None } else { self.stack(below, code, instruction)? };
                self.threads.entry(self.thread).or_default().stack.push(stack);
            }
            Record::Pop { count } => {
                let stack = &mut self.threads.entry(self.thread).or_default().stack;
                stack.truncate(stack.len().saturating_sub(count));
            }
            Record::Memory { change, address, size } => self.change(change, address, size),
            Record::Frame { number, code, instruction } => {
                self.frames.insert(number, (code, instruction));
            }
            Record::Stack { frame, below } => {
                // A stack follows those below it.
                let below = if below <= self.stacks.len() as u64 { below } else { 0 };
                let depth = self.numbered(below).map_or(0, |stack| stack.depth + 1);
                self.stacks.push(Numbered { frame, below, depth });
            }
            Record::Aggregated { thread, stack, at_peak, leaked } => {
                let stack = self.build(stack, thread == self.header.main_thread)?;
                let id = self.use_of(thread, stack);
                let signed = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
                let (_, _, uses) = &mut self.uses[id as usize];
                for (sum, more) in uses.at_peak.iter_mut().zip(at_peak) {
                    *sum = sum.saturating_add(signed(more));
                }
                uses.bytes = uses.bytes.saturating_add(signed(leaked[0]));
                uses.count = uses.count.saturating_add(signed(leaked[1]));
            }
            Record::End { .. } | Record::Other | Record::Unknown => {}
        }
        Ok(())
    }

    fn top(&self) -> Option<StackId> {
        self.threads.get(&self.thread)?.stack.last().copied().flatten()
    }

    /// The stack with a number, which begins with 1.
    fn numbered(&self, number: u64) -> Option<Numbered> {
        self.stacks.get(usize::try_from(number).ok()?.checked_sub(1)?).copied()
    }

    /// Builds the stack with a number, of the main thread without memray's own frames.
    fn build(&mut self, number: u64, is_main: bool) -> Result<Option<StackId>, BuildError> {
        let n_skipped = if is_main { self.header.n_skipped } else { 0 };
        // From the innermost to the first that was built before, or has none below.
        let (mut path, mut stack, mut next) = (Vec::new(), None, number);
        while let Some(of) = self.numbered(next) {
            if let Some(&built) = self.built.get(&(next, is_main)) {
                stack = built;
                break;
            }
            if of.depth < n_skipped {
                break;
            }
            path.push((next, of.frame));
            next = of.below;
        }
        for (number, frame) in path.into_iter().rev() {
            if let Some(&(code, instruction)) = self.frames.get(&frame) {
                stack = self.stack(stack, code, instruction)?;
            }
            self.built.insert((number, is_main), stack);
        }
        Ok(stack)
    }

    fn stack(
        &mut self,
        below: Option<StackId>,
        code: u64,
        instruction: i64,
    ) -> Result<Option<StackId>, BuildError> {
        let Some(Code { name, file, start, first_line, line_table }) = self.codes.get(&code) else {
            return Ok(below);
        };
        let func = FuncText { name, file, line: *start, ..FuncText::default() };
        let func = func.intern(&mut self.builder)?;
        let line = line(self.header.python, line_table, *first_line, instruction);
        let frame = self.builder.intern_frame(Frame::new(func, line))?;
        self.builder.intern_stack(below, frame).map(Some)
    }

    fn use_of(&mut self, thread: u64, stack: Option<StackId>) -> UseId {
        let next = self.uses.len() as UseId;
        let id = *self.use_ids.entry((thread, stack)).or_insert(next);
        if id == next {
            self.uses.push((thread, stack, Use::default()));
        }
        id
    }

    fn change(&mut self, change: Change, address: u64, size: u64) {
        match change {
            Change::Allocated => {
                let id = self.use_of(self.thread, self.top());
                self.hold(id, 1, size.min(i64::MAX as u64).cast_signed());
                self.live.insert(address, (size, id));
            }
            Change::Freed => {
                if let Some((size, id)) = self.live.remove(&address) {
                    self.hold(id, -1, -size.min(i64::MAX as u64).cast_signed());
                }
            }
            Change::Mapped => {
                self.unmap(address, size);
                let id = self.use_of(self.thread, self.top());
                self.hold(id, 1, size.min(i64::MAX as u64).cast_signed());
                self.mapped.insert(address, (address.saturating_add(size), id));
            }
            Change::Unmapped => self.unmap(address, size),
        }
    }

    /// Frees a range, which may have parts of several mapped ones.
    fn unmap(&mut self, start: u64, size: u64) {
        let end = start.saturating_add(size);
        if start == end {
            return;
        }
        let overlapping: Vec<_> = self
            .mapped
            .range(..end)
            .rev()
            .take_while(|(_, (mapped_end, _))| *mapped_end > start)
            .map(|(&mapped_start, &(mapped_end, id))| (mapped_start, mapped_end, id))
            .collect();
        for (mapped_start, mapped_end, id) in overlapping {
            self.mapped.remove(&mapped_start);
            let parts = [(mapped_start, start), (end, mapped_end)];
            let mut n_parts = 0;
            for (part_start, part_end) in parts.into_iter().filter(|(start, end)| start < end) {
                self.mapped.insert(part_start, (part_end, id));
                n_parts += 1;
            }
            let freed = mapped_end.min(end) - mapped_start.max(start);
            self.hold(id, n_parts - 1, -freed.min(i64::MAX as u64).cast_signed());
        }
    }

    /// Adds to what a stack holds. A peak is noticed when memory is freed after it.
    fn hold(&mut self, id: UseId, count: i64, bytes: i64) {
        if bytes < 0 {
            self.notice_peak();
        }
        self.current = self.current.saturating_add(bytes);
        let (_, _, uses) = &mut self.uses[id as usize];
        uses.bytes = uses.bytes.saturating_add(bytes);
        uses.count += count;
        if !std::mem::replace(&mut uses.has_changed, true) {
            self.changed.push(id);
        }
    }

    fn notice_peak(&mut self) {
        if self.current < self.peak {
            return;
        }
        self.peak = self.current;
        for id in self.changed.drain(..) {
            let (_, _, uses) = &mut self.uses[id as usize];
            uses.at_peak = [uses.bytes, uses.count];
            uses.has_changed = false;
        }
    }

    fn finish(mut self, end: End) -> Result<Read, ReadError> {
        if !self.header.is_aggregated {
            self.notice_peak();
        }
        if self.uses.is_empty() {
            let message = "the memray recording has no allocations: it ends too early, or the program made none";
            return Err(ReadError::truncated(At::File, message));
        }
        if end == End::Cut {
            self.warnings.add(WarningCode::Truncated, || {
                "the recording has no end, because the program was killed or is a fork, or the file is cut; what comes \
                 before that is shown"
                    .to_owned()
            });
        }
        let mut rows = Rows::new(METRICS.len());
        for (thread, stack, uses) in &self.uses {
            let weights = [uses.at_peak[0], uses.at_peak[1], uses.bytes, uses.count];
            if weights == [0; 4] {
                continue;
            }
            let named = || Thread {
                name: self.threads.get(thread).map_or_else(String::new, |of| of.name.clone()),
                tid: Some(format!("{thread:#x}")),
                ..Thread::default()
            };
            rows.push(*thread, named, *stack, |metric| weights[metric].max(0) as f64);
        }
        rows.finish(&mut self.builder)?;
        let recording = Recording::Stacks(self.builder.build());
        let truncated = (end == End::Complete).then_some(false);
        Ok(Read {
            version: Some(self.header.version.to_string()),
            truncated,
            ..Read::new(Format::Memray, recording, self.warnings)
        })
    }
}

#[cfg(test)]
mod tests;
