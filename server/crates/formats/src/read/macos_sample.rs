//! Reports of macOS's `sample` command, and of *Sample Process* in Activity Monitor.
//!
//! ```text
//! Analysis of sampling words (pid 4211) every 1 millisecond
//!
//! Call graph:
//!     842 Thread_9214: reader   DispatchQueue_7: com.example.input  (serial)
//!     + 842 main  (in words) + 96  [0x1026f7c3c]  main.c:31
//!     +   800 count  (in words) + 40,52  [0x1026f7b10,0x1026f7b1c]  count.c:12
//!     +   40 ???  (in libz.1.dylib)  load address 0x1a0000000 + 0x2f10  [0x1a0002f10]
//!
//! Total number in stack (recursive counted multiple, when >=5):
//!
//! Binary Images:
//!        0x1026f4000 -        0x1026f7fff +words (0) <8F0D…> /srv/words/words
//! ```
//!
//! A line of the call graph is a thread, or a frame two columns to the right of its caller: `+ ! : |` only guide
//! the eye. Its number counts the samples that it is in; those that are in no line below it are its own. The lines
//! of leaves that have the same function and line are one, with all their addresses. The address of a caller is that
//! after the call.
//!
//! All threads are sampled at each tick, also those that wait. Waits are idle: those that FlameGraph and inferno
//! leave out, except for `read`, and those that have replaced them.
//!
//! Sources: reports in bug trackers, by macOS 10.9 to 26; `stackcollapse-sample.awk` of FlameGraph; the interfaces
//! of `VMUCallTreeNode` and `VMUCallTreeRoot` in macOS's Symbolication framework.

mod line;

use crate::error::{At, ReadError};
use crate::format::Format;
use crate::input::Input;
use crate::read::result::Read;
use crate::read::shared::apple::{Image, UNKNOWN, function_name};
use crate::read::shared::rows::Rows;
use crate::read::shared::text::utf8_at;
use crate::read::shared::texts::{Text, Texts};
use line::{Frame, Header, Node, ThreadLine, image};
use profile::{
    AddressBase, Func, Label, Lib, LibId, Metric, ProfileBuilder, Recording, StackId, Thread,
    WarningCode, Warnings,
};
use std::collections::BTreeMap;

/// How many bytes show whether a file is a report.
const PREFIX: usize = 4 << 10;

/// The library of system calls, and those in which a thread waits.
const KERNEL: &str = "libsystem_kernel.dylib";
const WAITS: [&str; 11] = [
    "__psynch_cvwait",
    "__select",
    "__semwait_signal",
    "__ulock_wait",
    "__wait4",
    "__workq_kernreturn",
    "kevent",
    "kevent_id",
    "mach_msg2_trap",
    "mach_msg_trap",
    "semaphore_wait_trap",
];

/// Whether a file begins like this. What the command prints while it runs may come first.
pub(crate) fn is_macos_sample(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(PREFIX)]);
    let text = text.trim_start();
    let begins = ["Analysis of sampling ", "Sampling process "];
    begins.iter().any(|begin| text.starts_with(begin)) && text.lines().any(Header::is)
}

pub(crate) fn read(input: &mut Input<'_>) -> Result<Read, ReadError> {
    let mut report = Report::default();
    while let Some((lines, offset)) = input.lines() {
        let text = utf8_at(lines, offset, &mut report.warnings);
        for line in text.split_inclusive('\n') {
            report.line(line)?;
        }
    }
    report.finish()
}

/// The parts of a report, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Part {
    #[default]
    Head,
    Graph,
    /// The lists of what is on most stacks and on their tops.
    Lists,
    Images,
}

/// A report that is being read.
#[derive(Default)]
struct Report {
    part: Part,
    header: Header,
    texts: Texts,
    /// The lines of the call graph. Callers come before their callees.
    calls: Vec<Call>,
    /// The line that was last at each depth, outermost first.
    open: Vec<usize>,
    images: BTreeMap<u64, Image>,
    warnings: Warnings,
    n_lines: usize,
}

/// A line of the call graph.
struct Call {
    /// `None` for a thread.
    caller: Option<usize>,
    text: Text,
    /// The samples that are in no line below it.
    own: u64,
    is_leaf: bool,
}

impl Report {
    fn line(&mut self, line: &str) -> Result<(), ReadError> {
        self.n_lines += 1;
        let is_whole = line.ends_with('\n');
        let line = line.trim_end();
        match self.part {
            Part::Head if line == "Call graph:" => self.part = Part::Graph,
            Part::Head => self.header.add(line),
            Part::Graph if line.is_empty() || line.starts_with("Total number in stack") => {
                self.part = Part::Lists;
            }
            // It may go on.
            Part::Graph if !is_whole => {}
            Part::Graph => match Node::of(line) {
                Some(node) => self.call(&node)?,
                None => self.no_frame(),
            },
            Part::Lists if line == "Binary Images:" => self.part = Part::Images,
            Part::Lists => {}
            Part::Images => {
                self.images.extend(image(line).and_then(|image| Some((image.start?, image))));
            }
        }
        Ok(())
    }

    fn no_frame(&mut self) {
        let number = self.n_lines;
        self.warnings.add(WarningCode::MalformedLine, || {
            format!("line {number}: expected a frame, `12 main  (in app) + 40  [0x102a4]`")
        });
    }

    fn call(&mut self, node: &Node<'_>) -> Result<(), ReadError> {
        self.open.truncate(node.depth);
        let caller = self.open.last().copied();
        if let Some(caller) = caller.and_then(|caller| self.calls.get_mut(caller)) {
            caller.own = caller.own.saturating_sub(node.count);
            caller.is_leaf = false;
        }
        self.open.push(self.calls.len());
        let text = self.texts.intern(node.text)?;
        self.calls.push(Call { caller, text, own: node.count, is_leaf: true });
        Ok(())
    }

    fn finish(mut self) -> Result<Read, ReadError> {
        if self.calls.iter().all(|call| call.own == 0) {
            let message = "the report has no samples: the process ended before it was sampled, or the file is cut";
            return Err(ReadError::truncated(At::File, message));
        }
        if self.part == Part::Graph {
            self.warnings.add(WarningCode::Truncated, || {
                "the call graph has no end; the samples of frames that are missing are those of their callers".to_owned()
            });
        }
        let metric = Metric::new("samples", "samples", self.header.interval_seconds);
        let mut builder = ProfileBuilder::new(vec![metric], 0);
        let mut rows = Rows::new(1);
        // Of each line, the line of its thread and its stack.
        let mut stacks: Vec<(usize, Option<StackId>)> = Vec::with_capacity(self.calls.len());
        for (at, call) in self.calls.iter().enumerate() {
            let text = self.texts.get(call.text);
            let (thread, stack) = match call.caller {
                None => (at, None),
                Some(caller) => {
                    let (thread, below) = stacks[caller];
                    (thread, Some(self.stack(text, call.is_leaf, below, &mut builder)?))
                }
            };
            stacks.push((thread, stack));
            if call.own > 0 {
                let line = ThreadLine::of(self.texts.get(self.calls[thread].text));
                let row = rows.push(line.tid, || self.thread(&line), stack, |_| call.own as f64);
                let queue = (!line.queue.is_empty()).then(|| Label::text("queue", line.queue));
                rows.labelled(row, builder.intern_labels(queue)?);
            }
        }
        rows.finish(&mut builder)?;
        let recording = Recording::Stacks(builder.build());
        Ok(Read::new(Format::MacosSample, recording, self.warnings))
    }

    fn thread(&self, line: &ThreadLine<'_>) -> Thread {
        Thread {
            name: if line.name.is_empty() { line.queue } else { line.name }.to_owned(),
            process_name: self.header.process.clone(),
            pid: self.header.pid.clone(),
            tid: (!line.tid.is_empty()).then(|| line.tid.to_owned()),
            ..Thread::default()
        }
    }

    /// The stack of a frame below another one.
    fn stack(
        &self,
        text: &str,
        is_leaf: bool,
        below: Option<StackId>,
        builder: &mut ProfileBuilder,
    ) -> Result<StackId, ReadError> {
        let frame = Frame::of(text);
        let lib = self.lib(&frame, builder)?;
        let name = match frame.offset {
            _ if frame.name != "???" => function_name(frame.name),
            // The address of the call, not after it.
            Some(offset) => format!("{:#x}", offset.saturating_sub(u64::from(!is_leaf))).into(),
            None => UNKNOWN.into(),
        };
        let source = match frame.file {
            "" => None,
            file => Some(builder.intern_source(file)?),
        };
        let name = builder.intern_string(&name)?;
        let func = builder.intern_func(Func { name, source, lib, line: 0, column: 0 })?;
        let line = builder.intern_frame(profile::Frame::new(func, frame.line))?;
        let stack = builder.intern_stack(below, line)?;
        if frame.lib == KERNEL && WAITS.contains(&frame.name) {
            builder.set_idle(stack)?;
        }
        Ok(stack)
    }

    fn lib(
        &self,
        frame: &Frame<'_>,
        builder: &mut ProfileBuilder,
    ) -> Result<Option<LibId>, ReadError> {
        if frame.lib.is_empty() || frame.lib.starts_with('<') {
            return Ok(None);
        }
        let before = frame.address.and_then(|address| self.images.range(..=address).next_back());
        let image = before.map(|(_, image)| image).filter(|image| image.name == frame.lib);
        let unlisted =
            || Lib { name: frame.lib.to_owned(), addresses: AddressBase::Image, ..Lib::default() };
        let lib = image.map_or_else(unlisted, Image::lib);
        Ok(Some(builder.intern_lib(lib)?))
    }
}

#[cfg(test)]
mod tests;
