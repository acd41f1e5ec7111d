//! The text that `perf script` prints: a header line for each sample ([`mod@header`]), its frames, leaf first, on lines of their
//! own ([`mod@frame`]), and a blank line. Where no call chains were recorded, the one frame stands behind the header.
//!
//! Events interleave: each is a metric of its own, weighed by the period that the sample stands for, in nanoseconds for clocks.
//! With `-F +srcline` every frame is followed by the line that executes there; the file is part of what a function is,
//! since inlined frames are often named after the function around them.

mod frame;
mod header;

use super::folded::dialect::{Dialect, Place, Position};
use super::rows::{MAX_METRICS, Rows};
use super::{FuncText, utf8};
use crate::{At, Format, Read, ReadError};
use frame::Frame;
use header::Header;
use profile::{FrameId, LineKnowledge, Metric, ProfileBuilder, Recording, Thread, Warnings};
use rustc_hash::FxHashMap;

pub(crate) fn read(bytes: &[u8]) -> Result<Read, ReadError> {
    let mut warnings = Warnings::default();
    let text = utf8(bytes, &mut warnings);
    let whole = whole_lines(&text);
    let layout = Layout::of(whole)?;
    let mut tables = Tables::new(&layout);
    let mut lines = Lines::new(whole);
    while let Some(found) = lines.next_sample() {
        match found {
            Found::Sample => tables.push(&lines.header, &lines.frames)?,
            Found::Malformed(line) => warnings.add("malformed-line", || {
                format!("line {line}: expected a sample (`comm tid time: period event:`) or a frame (`address symbol (module)`)")
            }),
        }
    }
    if lines.ends_within_sample || whole.len() < text.len() {
        let message = "the text ends within a sample, which is read as far as it goes; the rest of the recording may be missing";
        warnings.add("truncated", || message.to_owned());
    }
    let version = layout.version.map(|version| format!("perf@{version}"));
    Ok(Read { recording: tables.finish()?, format: Format::PerfScript, version, span_seconds: layout.span_seconds(), warnings })
}

/// The text without a last line that was cut off. A frame whose module is closed is whole without a line end, too.
fn whole_lines(text: &str) -> &str {
    match text.rsplit_once('\n') {
        Some((_, "")) => text,
        Some((lines, last)) if !last.trim_end().ends_with(')') => lines,
        _ => text,
    }
}

/// What a step through the text came to.
enum Found {
    /// A sample, in [`Lines::header`] and [`Lines::frames`].
    Sample,
    /// A line (1-based) that belongs to none.
    Malformed(usize),
}

/// The two lines of a frame.
#[derive(Debug, Clone, Copy)]
struct FrameLines<'a> {
    address: &'a str,
    /// What stands behind the address.
    text: &'a str,
    /// The second line; empty if there is none.
    place: &'a str,
}

impl<'a> FrameLines<'a> {
    fn parse(&self) -> Frame<'a> {
        Frame::parse(self.text, self.place)
    }
}

/// Divides frames into runs of one address: a frame and those that are inlined into it.
fn same_code<'f, 'a>(frames: &'f [FrameLines<'a>]) -> impl DoubleEndedIterator<Item = &'f [FrameLines<'a>]> {
    frames.chunk_by(|a, b| a.address == b.address)
}

/// The module of such a run, which one of its frames tells, not always the outermost.
fn module_of<'a>(code: &[FrameLines<'a>]) -> &'a str {
    code.iter().map(|frame| frame.parse().module).find(|module| !module.is_empty()).unwrap_or("")
}

/// Divides text into samples.
struct Lines<'a> {
    rest: std::iter::Peekable<std::iter::Enumerate<std::str::Lines<'a>>>,
    /// Of the sample that was found last.
    header: Header<'a>,
    /// Leaf first.
    frames: Vec<FrameLines<'a>>,
    /// Whether some sample was ended by a blank line, and the last one was not.
    ends_within_sample: bool,
    has_blank_ends: bool,
}

impl<'a> Lines<'a> {
    fn new(text: &'a str) -> Self {
        let rest = text.lines().enumerate().peekable();
        Self { rest, header: Header::default(), frames: Vec::new(), ends_within_sample: false, has_blank_ends: false }
    }

    fn next_sample(&mut self) -> Option<Found> {
        self.header = Header::default();
        self.frames.clear();
        let mut is_open = false;
        while let Some(&(i, line)) = self.rest.peek() {
            match Line::of(line, self.frames.last()) {
                Line::Blank if is_open => {
                    // The frame of such a sample would stand below: behind the header was the address of data.
                    if self.header.frame.is_some() {
                        self.frames.clear();
                    }
                    self.has_blank_ends = true;
                    return Some(Found::Sample);
                }
                Line::Blank | Line::Other => {}
                Line::Frame(address, text) => {
                    if self.header.frame.take().is_some() {
                        self.frames.clear();
                    }
                    self.frames.push(FrameLines { address, text, place: "" });
                    is_open = true;
                }
                Line::Place(place) => {
                    if let Some(frame) = self.frames.last_mut() {
                        frame.place = place;
                    }
                }
                Line::Header(_) if is_open => return Some(Found::Sample),
                Line::Header(header) => {
                    self.rest.next();
                    let mut is_followed =
                        || self.rest.peek().is_some_and(|(_, next)| matches!(Line::of(next, None), Line::Frame(..)));
                    if !(header.is_sure() || is_followed()) {
                        return Some(Found::Malformed(i + 1));
                    }
                    self.header = header;
                    if let Some((address, text)) = header.frame {
                        self.frames.push(FrameLines { address, text, place: "" });
                    }
                    is_open = true;
                    continue;
                }
            }
            self.rest.next();
        }
        self.ends_within_sample |= is_open && self.has_blank_ends;
        is_open.then_some(Found::Sample)
    }
}

/// What a line is.
enum Line<'a> {
    Blank,
    /// Address and text.
    Frame(&'a str, &'a str),
    /// Where the frame on the line before is executing.
    Place(&'a str),
    Header(Header<'a>),
    /// A comment, a line of source text, the record of something that is no sample.
    Other,
}

impl<'a> Line<'a> {
    /// `before` is the frame that stands on the line before, perhaps with its place.
    fn of(line: &'a str, before: Option<&FrameLines<'_>>) -> Self {
        let text = line.trim();
        if text.is_empty() {
            return Self::Blank;
        }
        if line.starts_with(['#', '|']) {
            return Self::Other;
        }
        let address = || frame::split_address(text).filter(|_| line.starts_with([' ', '\t']));
        if line.starts_with('\t') {
            return address().map_or(Self::Other, |(address, text)| Self::Frame(address, text));
        }
        let header = Header::parse(line);
        if header.time.is_some() {
            return if header.event.starts_with(header::RECORD) { Self::Other } else { Self::Header(header) };
        }
        let is_indented_by_two = line.starts_with("  ") && !line.starts_with("   ");
        if is_indented_by_two && before.is_some_and(|frame| frame.place.is_empty()) {
            return Self::Place(text);
        }
        match address() {
            Some((address, text)) if header.event.is_empty() => Self::Frame(address, text),
            _ => Self::Header(header),
        }
    }
}

/// What holds for a whole file.
#[derive(Default)]
struct Layout<'a> {
    events: Vec<Event<'a>>,
    has_lines: bool,
    /// Modules of functions that are inlined somewhere, by name and file: perf leaves out some frames that would tell.
    modules: FxHashMap<(&'a str, &'a str), &'a str>,
    /// When the first and the last sample were taken.
    times: Option<(f64, f64)>,
    /// Of perf, as `--header` tells it.
    version: Option<&'a str>,
}

struct Event<'a> {
    name: &'a str,
    has_periods: bool,
    n_samples: usize,
}

impl<'a> Layout<'a> {
    fn of(text: &'a str) -> Result<Self, ReadError> {
        let mut layout = Self::default();
        let comments = text.lines().take_while(|line| line.starts_with('#') || line.trim().is_empty());
        layout.version = comments.filter_map(|line| line.strip_prefix("# perf version : ")).map(str::trim).next();
        let mut lines = Lines::new(text);
        while let Some(found) = lines.next_sample() {
            if let Found::Sample = found {
                layout.add(&lines)?;
            }
        }
        if layout.events.is_empty() {
            return Err(ReadError::truncated(
                At::File,
                "there is no sample; expected `comm tid time: period event:` and below it frames, `address symbol (module)`",
            ));
        }
        Ok(layout)
    }

    fn add(&mut self, lines: &Lines<'a>) -> Result<(), ReadError> {
        let Header { event: name, period, time, .. } = lines.header;
        let i = self.event(name).unwrap_or_else(|| {
            self.events.push(Event { name, has_periods: false, n_samples: 0 });
            self.events.len() - 1
        });
        if self.events.len() > MAX_METRICS {
            return Err(ReadError::too_large(format!("there are more than {MAX_METRICS} events; print fewer of them")));
        }
        if let Some(event) = self.events.get_mut(i) {
            event.has_periods |= period.is_some();
            event.n_samples += 1;
        }
        if let Some(time) = time {
            let (first, last) = self.times.unwrap_or((time, time));
            self.times = Some((first.min(time), last.max(time)));
        }
        for code in same_code(&lines.frames) {
            self.has_lines = self.has_lines || code.iter().any(|frame| !frame.place.is_empty() && frame.parse().line > 0);
            let module = if code.len() > 1 { module_of(code) } else { "" };
            if !module.is_empty() {
                let inlined = code.iter().map(FrameLines::parse).filter(|frame| frame.inlined);
                self.modules.extend(inlined.map(|frame| ((frame.name, frame.file), module)));
            }
        }
        Ok(())
    }

    fn event(&self, name: &str) -> Option<usize> {
        self.events.iter().position(|event| event.name == name)
    }

    fn metrics(&self) -> Vec<Metric> {
        let lines = if self.has_lines { LineKnowledge::SelfAndTotal } else { LineKnowledge::Nothing };
        self.events.iter().map(|event| event.metric().with_lines(lines)).collect()
    }

    /// Time comes before cycles, and both before whatever was sampled most: faults and the like are looked at beside them.
    fn default_metric(&self) -> usize {
        let rank = |event: &Event<'_>| {
            let base = event.base();
            let is_cycles = matches!(base, "cycles" | "cpu-cycles") || base.ends_with("/cycles/");
            (event.is_clock(), is_cycles, event.n_samples)
        };
        // Of equals the first.
        let ranked = self.events.iter().enumerate().rev();
        ranked.max_by_key(|(_, event)| rank(event)).map_or(0, |(i, _)| i)
    }

    fn span_seconds(&self) -> Option<f64> {
        self.times.map(|(first, last)| last - first).filter(|&span| span > 0.0)
    }
}

impl<'a> Event<'a> {
    /// Its name without modifiers: `cycles` of `cycles:u`.
    fn base(&self) -> &'a str {
        let is_modifier = |(_, letters): &(&str, &str)| letters.bytes().all(|b| b"ukhIGHpPSDWebR".contains(&b));
        self.name.rsplit_once(':').filter(is_modifier).map_or(self.name, |(base, _)| base)
    }

    fn is_clock(&self) -> bool {
        matches!(self.base(), "cpu-clock" | "task-clock")
    }

    /// Periods of a clock are nanoseconds, those of other events count what the event is.
    fn metric(&self) -> Metric {
        let unit = match self.base() {
            _ if !self.has_periods => "samples",
            _ if self.is_clock() => "ns",
            base if !base.is_empty() && base.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b)) => base,
            _ => "count",
        };
        let name = match self.name {
            "" if self.has_periods => "period",
            "" => "samples",
            name => name,
        };
        Metric::new(name, unit, None)
    }
}

/// The tables while they are filled, and what was seen already.
struct Tables<'a> {
    layout: &'a Layout<'a>,
    builder: ProfileBuilder,
    /// Each different frame is looked into once: text, place and module.
    frames: FxHashMap<(&'a str, &'a str, &'a str), FrameId>,
    /// By command, process and thread: a thread that is renamed becomes another.
    rows: Rows<(&'a str, Option<&'a str>, Option<&'a str>)>,
}

impl<'a> Tables<'a> {
    fn new(layout: &'a Layout<'a>) -> Self {
        let metrics = layout.metrics();
        let rows = Rows::new(metrics.len());
        let builder = ProfileBuilder::new(metrics, layout.default_metric());
        Self { layout, builder, frames: FxHashMap::default(), rows }
    }

    fn push(&mut self, header: &Header<'a>, frames: &[FrameLines<'a>]) -> Result<(), ReadError> {
        let mut stack = None;
        for code in same_code(frames).rev() {
            let module = module_of(code);
            for frame in code.iter().rev() {
                let frame = self.frame(frame, module)?;
                stack = Some(self.builder.intern_stack(stack, frame)?);
            }
        }
        let Header { comm, pid, tid, period, event, .. } = *header;
        let thread = || {
            let id = |id: Option<&str>| id.map(str::to_owned);
            Thread { name: comm.to_owned(), pid: id(pid), tid: id(tid), ..Thread::default() }
        };
        let event = self.layout.event(event);
        self.rows.push((comm, pid, tid), thread, stack, |metric| if event == Some(metric) { period.unwrap_or(1.0) } else { 0.0 });
        Ok(())
    }

    fn frame(&mut self, lines: &FrameLines<'a>, module: &'a str) -> Result<FrameId, ReadError> {
        let key = (lines.text, lines.place, module);
        if let Some(&known) = self.frames.get(&key) {
            return Ok(known);
        }
        let id = self.intern(lines.parse(), module)?;
        self.frames.insert(key, id);
        Ok(id)
    }

    fn intern(&mut self, frame: Frame<'_>, module: &str) -> Result<FrameId, ReadError> {
        let Frame { name, file, line, inlined, .. } = frame;
        let known = || self.layout.modules.get(&(name, file)).copied().filter(|_| inlined);
        let lib = if module.is_empty() { known().unwrap_or("") } else { module };
        let func = match generated(frame) {
            Some(Place { name, file: Some(file), position, .. }) => {
                let (line, column) = if let Position::Definition { line, column } = position { (line, column) } else { (0, 0) };
                FuncText { name: &name, file: &file, lib: "", line, column }.intern(&mut self.builder)?
            }
            _ => FuncText { name, file, lib, ..FuncText::default() }.intern(&mut self.builder)?,
        };
        Ok(self.builder.intern_frame(profile::Frame { func, line, column: 0, inlined })?)
    }

    fn finish(mut self) -> Result<Recording, ReadError> {
        self.rows.finish(&mut self.builder)?;
        Ok(Recording::Stacks(self.builder.build()))
    }
}

/// What the symbol of a function says that was compiled while the program ran: Node.js (`--perf-basic-prof`) and Python
/// (`-X perf`) put name and place into one.
fn generated(frame: Frame<'_>) -> Option<Place<'_>> {
    let module = frame.module.rsplit('/').next().unwrap_or("");
    let is_generated = module.starts_with("[JIT]") || ["jitted-", "perf-"].iter().any(|start| module.starts_with(start));
    is_generated.then(|| Dialect::V8.parse(frame.name).or_else(|| Dialect::Vmprof.parse(frame.name)))?
}

/// Whether text is what `perf script` prints, by its front.
///
/// A header with a time is one if frames are near; any other line, since it may say anything, only if the next one is a frame
/// whose address is padded as perf pads it.
pub(crate) fn is_perf_script(bytes: &[u8]) -> bool {
    let front = String::from_utf8_lossy(bytes.get(..FRONT).unwrap_or(bytes));
    if front.starts_with("# ========") {
        return front.contains("\n# captured on");
    }
    let mut lines = front.lines();
    let Some(first) = lines.find(|line| !matches!(Line::of(line, None), Line::Blank | Line::Other)) else { return false };
    match Line::of(first, None) {
        Line::Header(header) if header.time.is_some() => {
            let traced = header.cpu.is_some() && header.tid.is_some() && !header.event.is_empty();
            let is_frame = |line: &str| match Line::of(line, None) {
                Line::Frame(..) => line.trim_end().ends_with(')') || frame::is_padded(line),
                Line::Header(header) => header.frame.is_some(),
                _ => false,
            };
            traced || header.frame.is_some() || lines.any(is_frame)
        }
        Line::Header(header) => {
            header.frame.is_some_and(|(_, text)| text.ends_with(')')) || lines.next().is_some_and(frame::is_padded)
        }
        Line::Frame(..) => frame::is_padded(first),
        _ => false,
    }
}

/// How much of a file is looked at: a stack of 127 frames fits in.
const FRONT: usize = 16 << 10;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;
    use std::fmt::Write;

    fn profile(read: &Read) -> &profile::Profile {
        let Recording::Stacks(profile) = &read.recording else { panic!("it has stacks") };
        profile
    }

    /// Each sample as `comm pid/tid: root > leaf weights`, a frame as `name|module|file:line`, `~` for an inlined one.
    fn rows(text: &str) -> String {
        let read = read(text.as_bytes()).unwrap();
        let profile = profile(&read);
        let (symbols, mut out) = (profile.symbols(), String::new());
        for thread in profile.threads() {
            for row in 0..thread.samples.len() {
                let (mut names, mut next) = (Vec::new(), thread.samples.stack(row));
                while let Some(stack) = next {
                    let frame = profile.frames().get(profile.stacks().frame(stack));
                    let func = symbols.funcs.get(frame.func);
                    let lib = func.lib.map_or("", |lib| &symbols.libs[lib.index()].name);
                    let mut name = format!("{}|{lib}", symbols.func_name(frame.func));
                    if let Some(source) = func.source {
                        write!(name, "|{}:{}", symbols.source_name(source), frame.line).unwrap();
                    }
                    if func.line > 0 {
                        write!(name, "@{}:{}", func.line, func.column).unwrap();
                    }
                    name.push_str(if frame.inlined { "~" } else { "" });
                    names.push(name);
                    next = profile.stacks().prefix(stack);
                }
                names.reverse();
                let id = |id: &Option<String>| id.clone().unwrap_or_default();
                write!(out, "{} {}/{}: {}", thread.name, id(&thread.pid), id(&thread.tid), names.join(" > ")).unwrap();
                for weights in thread.samples.weights() {
                    write!(out, " {}", weights.get(row)).unwrap();
                }
                out.push('\n');
            }
        }
        out
    }

    fn metrics(text: &str) -> Vec<(String, String)> {
        let read = read(text.as_bytes()).unwrap();
        read.recording.metrics().iter().map(|metric| (metric.name.clone(), metric.unit.clone())).collect()
    }

    fn warnings(text: &str) -> Vec<(&'static str, u64)> {
        read(text.as_bytes()).unwrap().warnings.into_iter().map(|warning| (warning.code, warning.count)).collect()
    }

    const SRCLINE: &str = "\
draw: left (2) 20580/20583  2047.105002:    5025125   cpu-clock: 
\tffffffff815ec4a0 handle_mm_fault+0xd0 ([kernel.kallsyms])
  [kernel.kallsyms][ffffffff815ec4a0]
\t            1594 fill+0x94
  /srv/demo/main.c:13 (inlined)
\t            1594 draw+0x94 (/srv/demo/gallery)
  /srv/demo/main.c:22 (discriminator 3)
\t           27304 __libc_start_main_impl+0x84
  ./csu/../csu/libc-start.c:360 (inlined)
\t            1840 _start+0x20 (/srv/demo/gallery)
  ??:0

gallery 20580/20580  2047.605002:        615 page-faults: 
\t            1594 main+0x94 (/srv/demo/gallery)
  /srv/demo/main.c:41

";

    #[test]
    fn frames_have_places_and_inlined_ones_the_module_around_them() {
        let expected = "\
draw: left (2) 20580/20583: _start|gallery > __libc_start_main_impl||./csu/../csu/libc-start.c:360~ > \
draw|gallery|/srv/demo/main.c:22 > fill|gallery|/srv/demo/main.c:13~ > handle_mm_fault|[kernel.kallsyms] 5025125 0
gallery 20580/20580: main|gallery|/srv/demo/main.c:41 0 615
";
        assert_eq!(rows(SRCLINE), expected);
        assert_eq!(rows(&SRCLINE.replace('\n', "\r\n")), expected);
        assert_eq!(warnings(SRCLINE), []);
        let read = read(SRCLINE.as_bytes()).unwrap();
        assert_eq!((read.version, read.span_seconds), (None, Some(0.5)));
        assert!(read.recording.metrics().iter().all(|metric| metric.lines == LineKnowledge::SelfAndTotal));
    }

    #[test]
    fn an_inlined_function_is_in_one_module() {
        let text = "\
a 1 1.000001: 1 x:
\t              66 part+0x1 (inlined)
\t              44 main+0x1 (/app)

a 1 1.000002: 1 x:
\t              55 sort+0x1 (/app)
\t              55 part+0x1 (inlined)
\t              44 main+0x1 (/app)

";
        assert_eq!(rows(text), "a /1: main|app > part|app~ 1\na /1: main|app > part|app~ > sort|app 1\n");
    }

    #[test]
    fn every_event_is_a_metric_and_time_is_shown_first() {
        let owned = |metrics: &[(&str, &str)]| metrics.iter().map(|&(a, b)| (a.to_owned(), b.to_owned())).collect::<Vec<_>>();
        let text = |events: &[&str]| {
            events
                .iter()
                .fold(String::new(), |text, event| format!("{text}a 1 1.000001: {event}: \n\t              55 f (/a)\n\n"))
        };
        let shown = |events: &[&str]| {
            let read = read(text(events).as_bytes()).unwrap();
            let shown = read.recording.default_metric().index();
            read.recording.metrics()[shown].name.clone()
        };
        let events = ["3 page-faults", "7 cpu-clock:u", "9 page-faults", "1 sched:sched_switch", "5 cpu/mem-loads/P"];
        let expected = [
            ("page-faults", "page-faults"),
            ("cpu-clock:u", "ns"),
            ("sched:sched_switch", "count"),
            ("cpu/mem-loads/P", "count"),
        ];
        assert_eq!(metrics(&text(&events)), owned(&expected));
        assert_eq!(metrics(&text(&["cycles:u"])), owned(&[("cycles:u", "samples")]));
        assert_eq!(metrics(&text(&["8 cycles:u"])), owned(&[("cycles:u", "cycles")]));
        assert_eq!(shown(&events), "cpu-clock:u");
        assert_eq!(shown(&["1 branches", "1 branches", "1 cpu_core/cycles/"]), "cpu_core/cycles/");
        assert_eq!(shown(&["1 a", "1 b", "1 b"]), "b");
        assert_eq!(shown(&["1 a", "1 b"]), "a");
        let many: Vec<_> = (0..65).map(|i| format!("1 e{i}")).collect();
        let many = text(&many.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(read(many.as_bytes()).unwrap_err().kind, ErrorKind::TooLarge);
    }

    #[test]
    fn samples_without_call_chains_have_their_frame_behind_the_header() {
        let text = "\
         gallery 20580  2047.098792:          1 page-faults:  ffffffff8175336a elf_load+0x28a ([kernel.kallsyms])
  draw: left (2) 20583  2047.157529:    5025125   cpu-clock:      556f08749387 blur+0x87 (/srv/demo/gallery)
  blur.c:27
  draw: left (2) 20583  2047.157629:    5025125   cpu-clock:      556f08749387 [unknown] ([unknown])
";
        let expected = "\
gallery /20580: elf_load|[kernel.kallsyms] 1 0
draw: left (2) /20583: blur|gallery|blur.c:27 0 5025125
draw: left (2) /20583: [unknown]| 0 5025125
";
        assert_eq!(rows(text), expected);
        assert_eq!(warnings(text), []);
        // With `-F +addr` what stands there is where the data are.
        let text = "a 1 1.000001: 1 x:     556f0874c050 data+0x0 (/a)\n\t              55 f+0x1 (/a)\n\na 1 1.000002: 1 x:                0\n\n";
        assert_eq!(rows(text), "a /1: f|a 1\na /1:  1\n");
    }

    #[test]
    fn fields_may_be_missing() {
        assert_eq!(
            rows("\n\t            1591 fill (inlined)\n\t            1591 draw\n\n\n\t            1387 blur\n\n"),
            " /: draw| > fill|~ 1\n /: blur| 1\n"
        );
        assert_eq!(metrics("\n\t            1387 blur\n\n"), [("samples".to_owned(), "samples".to_owned())]);
        assert_eq!(rows("draw: left (2) \n\t            1387 blur\n\n"), "draw: left (2) /: blur| 1\n");
        assert_eq!(rows("a  2047.099798:          7 \n\t            1594 (/a)\n\n"), "a /: [unknown]|a 7\n");
        // Editors make blanks of tabs.
        assert_eq!(
            rows("a 1 1.000001: 7 x: \n    ffffffff8175336a f ([k])\n                    1594 g (/a)\n\n"),
            "a /1: g|a > f|[k] 7\n"
        );
    }

    #[test]
    fn what_is_no_sample_is_passed_over() {
        let text = "\
# ========
# captured on    : Sat Nov 21 11:45:51 2026
# perf version : 6.1.187
# ========
#
swapper     0     0.000000: PERF_RECORD_MMAP -1/0: [0xffffffff81000000(0x1209988) @ 0xffffffff81000000]: x [kernel.kallsyms]_text
a 1     0.000001: PERF_RECORD_FORK(20580:20582):(20580:20580)
a 1     0.000002:          1 page-faults: 

a 1     0.000003: sched:sched_switch: prev_comm=a b: prev_pid=1 ==> next_comm=c
\t            1387 blur+0x1 (/a)

|27     + at(from, x, y - 1);
";
        assert_eq!(rows(text), "a /1:  1 0\na /1: blur|a 0 1\n");
        assert_eq!(read(text.as_bytes()).unwrap().version.as_deref(), Some("perf@6.1.187"));
        assert_eq!(warnings(text), []);
        assert_eq!(warnings("a 1 1.000001: 1 x:\n\n(note)\nwhat is this\n"), [("malformed-line", 2)]);
        let error = read(b"# ========\n# captured on    : x\n").unwrap_err();
        assert_eq!(error.kind, ErrorKind::Truncated);
    }

    #[test]
    fn generated_functions_tell_where_they_are_written() {
        let text = "\
a 1 1.000001: 1 x:
\t    7f0000000001 LazyCompile:*f /p/x.js:12:3+0x5 (/tmp/perf-77.map)
\t    7f0000000002 py::grow:/p/x.py+0x5 (/tmp/perf-77.map)
\t    7f0000000003 Builtins_JSEntry (/tmp/perf-77.map)

";
        assert_eq!(rows(text), "a /1: Builtins_JSEntry|perf-77.map > grow||/p/x.py:0 > f||/p/x.js:0@12:3 1\n");
    }

    #[test]
    fn a_cut_sample_is_read_as_far_as_it_goes() {
        let whole = SRCLINE.trim_end().len();
        assert_eq!(warnings(&SRCLINE[..whole]), [("truncated", 1)]);
        // `main.c:41` may have been `main.c:410`.
        assert!(rows(&SRCLINE[..whole]).ends_with("gallery 20580/20580: main|gallery 0 615\n"));
        assert_eq!(warnings(&SRCLINE[..=whole]), [("truncated", 1)]);
        assert_eq!(warnings(&SRCLINE[..whole + 2]), []);
        for end in 80..SRCLINE.len() {
            if SRCLINE.is_char_boundary(end) {
                assert!(read(&SRCLINE.as_bytes()[..end]).is_ok(), "{end}");
            }
        }
    }

    #[test]
    fn deep_stacks_are_read() {
        let frames = (0..10).fold(String::new(), |text, i| format!("{text}\t{:>16x} f{i} (/a)\n", 64 + i)).repeat(10_000);
        let text = format!("a 1 1.000001: 1 x: \n{frames}\n").repeat(2);
        let read = read(text.as_bytes()).unwrap();
        assert_eq!((profile(&read).stacks().len(), profile(&read).frames().len()), (100_000, 10));
    }

    #[test]
    fn every_header_is_recognised_and_other_text_is_not() {
        let frame = "\t            1387 blur (/a)\n";
        let headers = [
            "raytrace 19791  6968.075670:    3344481 cpu-clock: ",
            "kv worker/0  123/124  [001]  1.500000:  7 cycles:u: ",
            "Web Content 7/9 1.000001234: cycles: ",
            ":-1    -1 [000] 1.000001: 1 cycles:",
            "20583  2047.105002:   cpu-clock: ",
            "    5  2047.105002:   cpu-clock: ",
            "gallery  2047.099798:          1 ",
            "draw: left (2) 20583   cpu-clock: ",
            "draw: left (2) 20580 ",
            "gallery ",
            "# ========\n# captured on    : Sat\n# ========\n#\ngallery ",
            "perf-exec 1  2047.098792:          1 page-faults: \n\na 1  2047.098793:          1 page-faults: ",
            "swapper     0     0.000000: PERF_RECORD_COMM: x:1/1\na 1 1.000001: 1 x: ",
            "",
        ];
        for header in headers {
            for end in ["\n", "\r\n"] {
                let text = format!("{header}\n{frame}\n").replace('\n', end);
                assert!(is_perf_script(text.as_bytes()), "{text}");
            }
        }
        let single = [
            "  draw: left (2) 20583  2047.157529:    5025125   cpu-clock:      556f08749387 blur+0x87 (/srv/demo/gallery)\n",
            "  draw: left (2) 20583   cpu-clock:      556f08749387 blur+0x87 (/srv/demo/gallery)\n",
            "  gallery 22759 [000]  2103.166947: sched:sched_switch: prev_comm=a prev_pid=2 ==> next_comm=x\n",
            "a 1 1.000001: 1 cycles: \n\t            1387 blu",
        ];
        for text in single {
            assert!(is_perf_script(text.as_bytes()), "{text}");
        }
        let others = [
            "",
            "main;parse 1\n",
            "gallery\n\tdead beef (x)\n",
            "# Title\n\nSome text:\n\n    add one (or two)\n",
            "# ========\n\ntext\n",
            "2024-01-01 12:00:00.123: worker 3: started (x)\n2024-01-01 12:00:01.123: worker 4: started (x)\n",
            "server 42 1699999999.123: 200 GET: /index\nserver 42 1699999999.124: 200 GET: /index\n",
            "main.main()\n\t/tmp/x.go:12 +0x1d\n",
            "#include <x.h>\nint f(int a)\n{\n\treturn a;\n}\n",
            "0000000000001139 <main>:\n    1139:\t55                   \tpush   %rbp\n",
            "bash-1234 [000] .... 1234.567890: sched_switch: prev_comm=bash\n",
            "all:\n\tcc -o a a.c (x)\n",
        ];
        for text in others {
            assert!(!is_perf_script(text.as_bytes()), "{text}");
        }
    }
}
