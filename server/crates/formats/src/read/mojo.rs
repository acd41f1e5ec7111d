//! Austin's binary recordings (`austin -b`): magic `MOJ`, a version, and events of one byte each
//! with what belongs to them.
//!
//! A sample begins with an event that names process and thread and has events for its frames,
//! outermost first, and its values. Strings and frames are defined where they are first used, under
//! keys that hold within a process. Numbers have a sign and any length, text ends with a zero byte.
//! Version 2 added where a frame ends, 3 interpreters, 4 stacks that go on from the thread's last
//! one and tasks of asyncio, whose time is in the samples of their threads already.
//!
//! Costs are those of the text that `mojo2austin` makes of it: `:INVALID:`, which only says that a
//! stack could not be read to its end, is no frame. Source: Austin's wiki, "The MOJO file format",
//! and the reader in the package austin-python.

use super::austin::{self, Mode, ThreadPrefix, Values};
use super::func_text::FuncText;
use super::rows::Rows;
use crate::error::{At, ReadError};
use crate::format::Format;
use crate::read_result::Read;
use crate::writer::Writer;
use profile::{
    BuildError, Frame, FrameId, LineKnowledge, ProfileBuilder, Recording, StackId, WarningCode,
    Warnings,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;

const MAGIC: &[u8] = b"MOJ";
/// What is known here.
const NEWEST_VERSION: Number = 4;

/// A number of the file: 64 bits and a sign beside them, since keys are unsigned and memory that
/// was freed is below zero.
type Number = i128;

/// What the first byte of an event says.
mod event {
    pub(super) const METADATA: u8 = 1;
    pub(super) const STACK: u8 = 2;
    pub(super) const FRAME: u8 = 3;
    pub(super) const FRAME_INVALID: u8 = 4;
    pub(super) const FRAME_REF: u8 = 5;
    pub(super) const FRAME_KERNEL: u8 = 6;
    pub(super) const GC: u8 = 7;
    pub(super) const IDLE: u8 = 8;
    pub(super) const METRIC_TIME: u8 = 9;
    pub(super) const METRIC_MEMORY: u8 = 10;
    pub(super) const STRING: u8 = 11;
    pub(super) const STRING_REF: u8 = 12;
    pub(super) const STACK_REPEAT: u8 = 13;
    pub(super) const TASK_STACK: u8 = 14;
    pub(super) const TASK_WAITER: u8 = 15;
    pub(super) const TASK_RUNNING: u8 = 16;
}

pub(crate) fn read(bytes: &[u8]) -> Result<Read, ReadError> {
    let mut input = Input { bytes, at: MAGIC.len() };
    let mut warnings = Warnings::default();
    let version = input.number()?;
    if !(1..=NEWEST_VERSION).contains(&version) {
        warnings.add(WarningCode::UnknownVersion, || {
            format!("version {version} of MOJO is not known; it is read like {NEWEST_VERSION}")
        });
    }
    let mut metadata = Metadata::default();
    while input.passes(event::METADATA) {
        metadata.read(&mut input)?;
    }

    let mut tables = Tables::new(version, metadata.mode.unwrap_or(Mode::Time), warnings);
    // Why and where the events end before the file does.
    let mut stopped = None;
    while !input.is_at_end() {
        let start = input.at;
        let is_metadata = input.passes(event::METADATA);
        match if is_metadata { metadata.read(&mut input) } else { tables.event(&mut input) } {
            Ok(()) => {}
            Err(Stop::Full(error)) => return Err(error.into()),
            Err(stop) => {
                stopped = Some((start, stop));
                break;
            }
        }
    }
    if tables.sample.as_ref().is_some_and(|sample| !sample.is_complete) {
        tables.sample = None;
        stopped.get_or_insert((bytes.len(), Stop::Cut));
    }
    tables.end_sample()?;

    let Tables { mut builder, rows, mut warnings, .. } = tables;
    if rows.is_empty() {
        return Err(stopped.map_or(Stop::Cut, |(_, stop)| stop).into());
    }
    match stopped {
        Some((at, Stop::Malformed(error))) => warnings.add(WarningCode::Malformed, || {
            let left_out = bytes.len() - at;
            format!("{error}; what was recorded until then is shown, the {left_out} bytes from there on are left out")
        }),
        Some((at, _)) => warnings
            .add(WarningCode::Truncated, || format!("byte {at}: the recording ends within a sample; what was recorded until then is shown")),
        None => {}
    }
    rows.finish(&mut builder)?;
    Ok(Read {
        version: Some(version.to_string()),
        writer: Writer::of_producer(metadata.austin.as_deref().map(austin::producer)),
        span_seconds: metadata.duration_us.map(|us| us / 1e6),
        ..Read::new(Format::AustinMojo, Recording::Stacks(builder.build()), warnings)
    })
}

/// What Austin says about a recording, at its front and, once it is finished, at its end.
#[derive(Default)]
struct Metadata<'a> {
    austin: Option<Cow<'a, str>>,
    mode: Option<Mode>,
    duration_us: Option<f64>,
}

impl<'a> Metadata<'a> {
    fn read(&mut self, input: &mut Input<'a>) -> Result<(), Stop> {
        let (key, value) = (input.text()?, input.text()?);
        match &*key {
            "austin" => self.austin = Some(value),
            "mode" => self.mode = Mode::of(&value),
            "duration" => self.duration_us = value.parse().ok(),
            _ => {}
        }
        Ok(())
    }
}

/// Why reading ends.
enum Stop {
    /// The data end within an event.
    Cut,
    /// An event cannot be read, so nobody knows where the next begins.
    Malformed(ReadError),
    /// The tables hold no more.
    Full(BuildError),
}

impl From<Stop> for ReadError {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Cut => Self::truncated(
                At::File,
                "an Austin recording without samples; perhaps it is still being written",
            ),
            Stop::Malformed(error) => error,
            Stop::Full(error) => error.into(),
        }
    }
}

impl From<BuildError> for Stop {
    fn from(error: BuildError) -> Self {
        Self::Full(error)
    }
}

/// A place in the data.
#[derive(Clone, Copy)]
struct Input<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Input<'a> {
    fn is_at_end(self) -> bool {
        self.at >= self.bytes.len()
    }

    /// Passes `byte` if it is the next.
    fn passes(&mut self, byte: u8) -> bool {
        let is_next = self.bytes.get(self.at) == Some(&byte);
        self.at += usize::from(is_next);
        is_next
    }

    fn byte(&mut self) -> Result<u8, Stop> {
        let byte = *self.bytes.get(self.at).ok_or(Stop::Cut)?;
        self.at += 1;
        Ok(byte)
    }

    /// Six bits and the sign in the first byte, seven in each that follows, the lowest first.
    fn number(&mut self) -> Result<Number, Stop> {
        let start = self.at;
        let first = self.byte()?;
        let mut magnitude = u128::from(first & 0x3f);
        let (mut goes_on, mut shift) = (first & 0x80 != 0, 6);
        while goes_on {
            let byte = self.byte()?;
            if shift < 64 {
                magnitude |= u128::from(byte & 0x7f) << shift;
            }
            goes_on = byte & 0x80 != 0;
            shift += 7;
        }
        match u64::try_from(magnitude) {
            Ok(number) if shift <= 76 => {
                Ok(if first & 0x40 != 0 { -Number::from(number) } else { number.into() })
            }
            _ => Err(malformed(start, "a number has more than 64 bits".to_owned())),
        }
    }

    fn text(&mut self) -> Result<Cow<'a, str>, Stop> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let text = rest.get(..memchr::memchr(0, rest).ok_or(Stop::Cut)?).unwrap_or_default();
        self.at += text.len() + 1;
        Ok(String::from_utf8_lossy(text))
    }
}

fn malformed(at: usize, message: String) -> Stop {
    Stop::Malformed(ReadError::malformed(At::Byte(at as u64), message))
}

/// Process, interpreter, thread.
type ThreadKey<'a> = (Number, Option<Number>, Cow<'a, str>);

/// The sample that is being read.
struct Sample<'a> {
    thread: ThreadKey<'a>,
    /// What its frames stand on, if it goes on from the thread's last stack.
    base: Option<StackId>,
    /// Outermost first.
    frames: Vec<FrameId>,
    values: Values,
    is_complete: bool,
    /// So many of the references to frames that follow are those of a task.
    n_task_frames: Number,
}

/// The tables while they are filled.
struct Tables<'a> {
    version: Number,
    mode: Mode,
    builder: ProfileBuilder,
    rows: Rows<ThreadKey<'a>>,
    warnings: Warnings,
    /// By process and key.
    strings: FxHashMap<(Number, Number), Cow<'a, str>>,
    frames: FxHashMap<(Number, Number), FrameId>,
    /// Frames of Python, unlike those of the interpreter and its libraries.
    python: FxHashSet<FrameId>,
    /// The last stack of each thread up to its innermost frame of Python.
    last: FxHashMap<ThreadKey<'a>, Option<StackId>>,
    sample: Option<Sample<'a>>,
}

impl<'a> Tables<'a> {
    fn new(version: Number, mode: Mode, warnings: Warnings) -> Self {
        let metrics = austin::metrics(mode.metrics(), LineKnowledge::SelfAndTotal);
        Self {
            version,
            mode,
            rows: Rows::new(metrics.len()),
            builder: ProfileBuilder::new(metrics, 0),
            warnings,
            strings: FxHashMap::default(),
            frames: FxHashMap::default(),
            python: FxHashSet::default(),
            last: FxHashMap::default(),
            sample: None,
        }
    }

    /// Passes one event.
    fn event(&mut self, input: &mut Input<'a>) -> Result<(), Stop> {
        let start = input.at;
        let event = input.byte()?;
        if event == event::STACK {
            let pid = input.number()?;
            let interpreter = if self.version >= 3 { Some(input.number()?) } else { None };
            let thread = (pid, interpreter, input.text()?);
            self.end_sample()?;
            let values = Values::default();
            self.sample = Some(Sample {
                thread,
                base: None,
                frames: Vec::new(),
                values,
                is_complete: false,
                n_task_frames: 0,
            });
            return Ok(());
        }
        let Some(sample) = &mut self.sample else {
            let message = format!(
                "event {event} stands outside of a sample; expected a process and a thread before it"
            );
            return Err(malformed(start, message));
        };
        let pid = sample.thread.0;
        match event {
            event::FRAME => {
                let (key, frame) = (input.number()?, self.frame(pid, input)?);
                self.frames.insert((pid, key), frame);
            }
            event::FRAME_REF => {
                let key = input.number()?;
                let known = self.frames.get(&(pid, key)).copied();
                if sample.n_task_frames > 0 {
                    sample.n_task_frames -= 1;
                } else if let Some(frame) = known {
                    sample.frames.push(frame);
                } else {
                    self.warnings.add(WarningCode::UndefinedFrame, || {
                        format!(
                            "byte {start}: frame {key} is not defined; it is shown as [unknown]"
                        )
                    });
                    sample.frames.push(named(&mut self.builder, "[unknown]", "")?);
                }
            }
            event::FRAME_KERNEL => {
                let name = input.text()?;
                sample.frames.push(named(&mut self.builder, &name, austin::KERNEL)?);
            }
            event::GC => sample.frames.push(named(&mut self.builder, ":GC:", "")?),
            event::IDLE => sample.values.idle = true,
            event::METRIC_TIME => {
                sample.values.time_us = weight(input.number()?);
                sample.is_complete |= self.mode != Mode::Full;
            }
            event::METRIC_MEMORY => {
                sample.values.memory_bytes = weight(input.number()?);
                sample.is_complete = true;
            }
            event::STRING => {
                let (key, text) = (input.number()?, input.text()?);
                self.strings.insert((pid, key), text);
            }
            event::STACK_REPEAT => sample.base = self.last.get(&sample.thread).copied().flatten(),
            event::TASK_STACK => {
                let (_id, _name) = (input.number()?, input.number()?);
                sample.n_task_frames = input.number()?;
            }
            event::TASK_WAITER => {
                let (_task, _waiter) = (input.number()?, input.number()?);
            }
            event::STRING_REF | event::TASK_RUNNING => {
                input.number()?;
            }
            event::FRAME_INVALID => {}
            _ => {
                let message = format!(
                    "event {event} is not known; expected one of MOJO up to version {NEWEST_VERSION}"
                );
                return Err(malformed(start, message));
            }
        }
        Ok(())
    }

    /// What defines a frame, behind its key.
    fn frame(&mut self, pid: Number, input: &mut Input<'a>) -> Result<FrameId, Stop> {
        let (file, name, line) = (input.number()?, input.number()?, input.number()?);
        if self.version >= 2 {
            let (_line_end, _column, _column_end) =
                (input.number()?, input.number()?, input.number()?);
        }
        let mut text = |key: Number| match (self.strings.get(&(pid, key)), key) {
            (Some(text), _) => text.clone(),
            (None, 0) => Cow::Borrowed(""),
            (None, 1) => Cow::Borrowed(UNKNOWN),
            (None, _) => {
                let at = input.at;
                self.warnings.add(WarningCode::UndefinedString, || {
                    format!("byte {at}: string {key} is not defined; it is shown as {UNKNOWN}")
                });
                Cow::Borrowed(UNKNOWN)
            }
        };
        let (file, name) = (text(file), text(name));
        let func = FuncText { name: &name, file: &file, ..FuncText::default() }
            .intern(&mut self.builder)?;
        let line = u32::try_from(line).unwrap_or(0);
        let frame = self.builder.intern_frame(Frame { func, line, column: 0, inlined: false })?;
        if file.ends_with(".py") || (file.starts_with('<') && file.ends_with('>')) {
            self.python.insert(frame);
        }
        Ok(frame)
    }

    /// Puts the sample into the tables.
    fn end_sample(&mut self) -> Result<(), BuildError> {
        let Some(Sample { thread, base, frames, values, is_complete, .. }) = self.sample.take()
        else {
            return Ok(());
        };
        let (mut stack, mut python) = (base, base);
        for frame in frames {
            stack = Some(self.builder.intern_stack(stack, frame)?);
            if self.python.contains(&frame) {
                python = stack;
            }
        }
        self.last.insert(thread.clone(), python);
        if !is_complete {
            self.warnings.add(WarningCode::NoValue, || {
                "a sample has no value; it counts nowhere".to_owned()
            });
            return Ok(());
        }
        let (pid, interpreter, tid) = &thread;
        // As in text: numbers are hexadecimal, but not all systems' ids are numbers.
        let tid =
            u64::from_str_radix(tid, 16).map_or_else(|_| tid.to_string(), |tid| tid.to_string());
        let interpreter =
            interpreter.map(|interpreter| format!("{interpreter}:")).unwrap_or_default();
        let (name, pid) = (format!("P{pid};T{interpreter}{tid}"), pid.to_string());
        let prefix = ThreadPrefix { text: &name, pid: &pid, tid: &tid };
        let mode = self.mode;
        self.rows.push(thread, || prefix.to_thread(), stack, |metric| values.weight(mode, metric));
        Ok(())
    }
}

/// What Austin itself calls a string that it could not read.
const UNKNOWN: &str = "<unknown>";

fn named(builder: &mut ProfileBuilder, name: &str, lib: &str) -> Result<FrameId, BuildError> {
    let func = FuncText { name, lib, ..FuncText::default() }.intern(builder)?;
    builder.intern_frame(Frame { func, line: 0, column: 0, inlined: false })
}

#[expect(clippy::cast_precision_loss, reason = "weights are f64 everywhere")]
fn weight(number: Number) -> f64 {
    number as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use profile::{Profile, StackAccess};
    use std::fmt::Write;

    /// A number as Austin writes it.
    fn number(number: i128) -> Vec<u8> {
        let mut rest = number.unsigned_abs();
        let mut bytes = vec![(rest & 0x3f) as u8 | if number < 0 { 0x40 } else { 0 }];
        rest >>= 6;
        while rest > 0 {
            *bytes.last_mut().unwrap() |= 0x80;
            bytes.push((rest & 0x7f) as u8);
            rest >>= 7;
        }
        bytes
    }

    /// Events in words: numbers with sign, quoted text, and bytes in hexadecimal.
    fn mojo(text: &str) -> Vec<u8> {
        let mut bytes = b"MOJ".to_vec();
        for word in text.split_whitespace() {
            match word.strip_prefix('\'') {
                Some(text) => bytes.extend([text.as_bytes(), b"\0"].concat()),
                None if word.starts_with(['+', '-']) => bytes.extend(number(word.parse().unwrap())),
                None => bytes.push(u8::from_str_radix(word, 16).unwrap()),
            }
        }
        bytes
    }

    fn profile(read: &Read) -> &Profile {
        let Recording::Stacks(profile) = &read.recording else { panic!("it has stacks") };
        profile
    }

    /// Each sample as `thread: root > leaf weights`.
    fn rows(read: &Read) -> String {
        let (profile, mut out) = (profile(read), String::new());
        let symbols = profile.symbols();
        for (thread, samples) in profile.sampled_threads() {
            for row in 0..samples.len() {
                let (mut names, mut next) = (Vec::new(), samples.stack(row));
                while let Some(stack) = next {
                    let frame = profile.frames().get(profile.stacks().frame(stack));
                    let file = symbols
                        .funcs
                        .get(frame.func)
                        .source
                        .map_or("", |source| symbols.source_name(source));
                    names.push(format!("{file}:{}:{}", symbols.func_name(frame.func), frame.line));
                    next = profile.stacks().prefix(stack);
                }
                names.reverse();
                write!(out, "{}: {}", thread.name, names.join(" > ")).unwrap();
                for weights in samples.weights() {
                    write!(out, " {}", weights.get(row)).unwrap();
                }
                out.push('\n');
            }
        }
        out
    }

    fn warnings(read: &Read) -> Vec<(WarningCode, u64)> {
        read.warnings.as_slice().iter().map(|warning| (warning.code, warning.count)).collect()
    }

    /// Version 3, and two functions of process 9: `f` and `g` in x.py.
    const FRONT: &str = "03 01 'austin '3.7.0 01 'mode 'wall \
                         02 +9 +0 'b 0b +20 'x.py 0b +21 'f 0b +22 'g 03 +5 +20 +21 +3 +3 +1 +9 03 +6 +20 +22 +700 +0 +0 +0 ";

    #[test]
    fn numbers_have_a_sign_and_any_length() {
        for n in [
            0,
            1,
            -1,
            63,
            64,
            -64,
            8191,
            8192,
            1 << 40,
            i128::from(u64::MAX),
            -i128::from(u64::MAX),
        ] {
            let bytes = number(n);
            let mut input = Input { bytes: &bytes, at: 0 };
            assert!(matches!(input.number(), Ok(read) if read == n), "{n}");
            assert!(input.is_at_end());
            let mut cut = Input { bytes: &bytes[..bytes.len() - 1], at: 0 };
            assert!(matches!(cut.number(), Err(Stop::Cut)));
        }
        let endless = [0xff; 1000];
        assert!(matches!(Input { bytes: &endless, at: 0 }.number(), Err(Stop::Cut)));
    }

    #[test]
    fn keys_are_unsigned() {
        let text = FRONT.replace("+5 ", &format!("+{} ", u64::MAX));
        let read = read(&mojo(&format!("{text} 05 +{} 09 +300", u64::MAX))).unwrap();
        assert_eq!((rows(&read).as_str(), warnings(&read)), ("P9;T0:11: x.py:f:3 300\n", vec![]));
    }

    #[test]
    fn what_precedes_a_bad_event_is_read() {
        for bad in [
            &format!("02 +9 +0 'b 09 {} 01", "ff ".repeat(12)),
            "02 +9 +0 'b 63",
            "02 +9 +0 'b 00 09 +1",
        ] {
            let found = read(&mojo(&format!("{FRONT} 05 +5 09 +4000 {bad}"))).unwrap();
            assert_eq!(rows(&found), "P9;T0:11: x.py:f:3 4000\n", "{bad}");
            assert_eq!(warnings(&found), [(WarningCode::Malformed, 1)], "{bad}");
            let error = read(&mojo(&format!("{FRONT} {bad}"))).unwrap_err();
            assert!(
                error.kind == ErrorKind::Malformed && matches!(error.at, At::Byte(_)),
                "nothing precedes {bad}"
            );
        }
    }

    #[test]
    fn samples_are_threads_frames_and_values() {
        let text = format!(
            "{FRONT} 05 +5 05 +6 09 +4000  02 +9 +0 'c 04 05 +6 06 'sys_read 07 09 +70  02 +9 +0 'b 09 +5 01 'duration '2000000"
        );
        let read = read(&mojo(&text)).unwrap();
        let expected = "\
P9;T0:11: x.py:f:3 > x.py:g:700 4000
P9;T0:11:  5
P9;T0:12: x.py:g:700 > :sys_read:0 > ::GC::0 70
";
        assert_eq!(rows(&read), expected);
        assert_eq!(
            (read.writer.text(), read.span_seconds, warnings(&read)),
            (Some("austin@3.7.0"), Some(2.0), vec![])
        );
        let metric = &read.recording.metrics()[0];
        assert_eq!((&*metric.name, &*metric.unit), ("wall", "us"));
        let thread = &profile(&read).threads()[1];
        assert_eq!((thread.pid.as_deref(), thread.tid.as_deref()), (Some("9"), Some("12")));
    }

    #[test]
    fn modes_choose_the_metrics() {
        let full = FRONT.replace("'wall", "'full")
            + "05 +5 09 +10 0a -5  02 +9 +0 'b 05 +5 09 +20 08 0a +7";
        assert_eq!(
            rows(&read(&mojo(&full)).unwrap()),
            "P9;T0:11: x.py:f:3 10 10 -5\nP9;T0:11: x.py:f:3 20 0 7\n"
        );
        let memory = FRONT.replace("'wall", "'memory") + "05 +5 0a +4096";
        let memory = read(&mojo(&memory)).unwrap();
        assert_eq!(
            (rows(&memory).as_str(), &*memory.recording.metrics()[0].unit),
            ("P9;T0:11: x.py:f:3 4096\n", "bytes")
        );
    }

    #[test]
    fn older_versions_have_shorter_events() {
        let text = "01 02 +9 'b 0b +20 'x.py 03 +5 +20 +1 +3 05 +5 09 +1";
        let read = read(&mojo(text)).unwrap();
        assert_eq!(rows(&read), "P9;T11: x.py:<unknown>:3 1\n");
        assert_eq!(read.version.as_deref(), Some("1"));
    }

    #[test]
    fn stacks_go_on_from_the_last_one_and_tasks_are_passed_over() {
        let text = FRONT.replacen("03", "04", 1)
            + "0b +23 'lib.so 03 +7 +23 +22 +0 +0 +0 +0 05 +5 05 +7 09 +1 \
               02 +9 +0 'b 05 +6 0d 09 +2 \
               02 +9 +0 'b 0e +1 +20 +2 05 +5 05 +5 0f +1 +2 10 +1 0c +20 0d 05 +7 09 +3 \
               02 +9 +0 'c 0d 05 +7 09 +4";
        let expected = "\
P9;T0:11: x.py:f:3 > lib.so:g:0 1
P9;T0:11: x.py:f:3 > x.py:g:700 2
P9;T0:11: x.py:f:3 > x.py:g:700 > lib.so:g:0 3
P9;T0:12: lib.so:g:0 4
";
        assert_eq!(rows(&read(&mojo(&text)).unwrap()), expected);
    }

    #[test]
    fn keys_hold_within_a_process_and_undefined_ones_are_named() {
        let text = format!(
            "{FRONT} 05 +5 09 +1 02 +8 +0 'b 05 +5 0b +20 'y.py 03 +5 +20 +99 +1 +0 +0 +0 05 +5 09 +2"
        );
        let read = read(&mojo(&text)).unwrap();
        assert_eq!(
            rows(&read),
            "P9;T0:11: x.py:f:3 1\nP8;T0:11: :[unknown]:0 > y.py:<unknown>:1 2\n"
        );
        assert_eq!(
            warnings(&read),
            [(WarningCode::UndefinedFrame, 1), (WarningCode::UndefinedString, 1)]
        );
    }

    #[test]
    fn what_is_cut_is_read_as_far_as_it_goes() {
        let whole = mojo(&format!("{FRONT} 05 +5 09 +4000 02 +9 +0 'b 05 +6 09 +4000"));
        let first = whole.len() - b"\x02\x09\x00b\0\x05\x06\x09\xa0\x3e".len();
        for end in 0..whole.len() {
            let error = |kind| move |error: ReadError| assert_eq!(error.kind, kind, "{end}");
            match read(whole.get(..end.max(3)).unwrap()) {
                Ok(read) => {
                    assert!(end >= first, "{end}");
                    assert_eq!(rows(&read), "P9;T0:11: x.py:f:3 4000\n", "{end}");
                    assert_eq!(
                        warnings(&read),
                        if end == first { vec![] } else { vec![(WarningCode::Truncated, 1)] },
                        "{end}"
                    );
                }
                Err(found) => error(ErrorKind::Truncated)(found),
            }
        }
        assert_eq!(warnings(&read(&whole).unwrap()), []);
        for bad in ["03 05 +1", &format!("{FRONT} 63"), &format!("{FRONT} 00")] {
            assert_eq!(read(&mojo(bad)).unwrap_err().kind, ErrorKind::Malformed, "{bad}");
        }
        let no_value = read(&mojo(&format!("{FRONT} 05 +5 02 +9 +0 'b 05 +5 09 +1"))).unwrap();
        assert_eq!(warnings(&no_value), [(WarningCode::NoValue, 1)]);
        let newer = read(&mojo(&(FRONT.replacen("03", "05", 1) + "05 +5 09 +1"))).unwrap();
        assert_eq!(warnings(&newer), [(WarningCode::UnknownVersion, 1)]);
    }

    #[test]
    fn deep_stacks_are_read() {
        let text = format!("{FRONT} {} 09 +1", "05 +5 ".repeat(100_000));
        assert_eq!(profile(&read(&mojo(&text)).unwrap()).stacks().len(), 100_000);
    }
}
