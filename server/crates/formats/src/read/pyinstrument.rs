//! Sessions of pyinstrument (`pyinstrument -r pyisession`, `Session.save`).
//!
//! ```text
//! {"start_call_stack": [...], "frame_records": [[["MainThread\0<thread>\x00140", "main\0app.py\x008\x01l9"], 0.5], ...]}
//! ```
//!
//! Each record is a sample: its frames, root first, and the time since the sample before, in seconds. A frame
//! has the name of the function, its file and first line, and then its attributes: `l` is the line that
//! executes, `c` the class of `self`. The first frame names the thread. `[await]` at the end is no function: the
//! coroutine waits. That time is a metric of its own as well.
//!
//! pyinstrument takes a sample when a function is called or returns, so the time of a loop without calls is on
//! the line of the next call or return.
//!
//! pyinstrument leaves its own frames out of what it prints. They are in the file, spend nothing themselves,
//! and stay here.
//!
//! Source: `session.py`, `frame_info.py` and `profiler.py` of pyinstrument 5.1.

use crate::error::{At, ReadError};
use crate::format::Format;
use crate::read::result::Read;
use crate::read::shared::func_text::FuncText;
use crate::read::shared::json;
use crate::read::shared::rows::Rows;
use crate::writer::{Producer, Writer};
use profile::{
    BuildError, Frame, Metric, ProfileBuilder, Recording, StackId, Thread, WarningCode, Warnings,
};
use serde::Deserialize;
use std::borrow::Cow;

/// The file of frames that name a thread.
const THREAD: &str = "<thread>";
/// The leaf of a coroutine that waits.
const AWAIT: &str = "[await]";
/// The leaf of a stack that lost its asynchronous context.
const OUT_OF_CONTEXT: &str = "[out-of-context]";

#[derive(Deserialize)]
struct File<'a> {
    #[serde(borrow)]
    frame_records: Vec<Record<'a>>,
}

/// Frames, root first, and the time since the record before.
#[derive(Deserialize)]
struct Record<'a>(#[serde(borrow)] Vec<Cow<'a, str>>, f64);

pub(crate) fn read(bytes: &[u8]) -> Result<Read, ReadError> {
    let File { frame_records } = json::decode(bytes)?;
    if frame_records.is_empty() {
        let message = "the session has no samples: the program ended within the first interval";
        return Err(ReadError::truncated(At::File, message));
    }
    let waits = frame_records
        .iter()
        .any(|Record(frames, _)| frames.last().is_some_and(|frame| frame == AWAIT));
    let metric = |name| Metric::new(name, "seconds", None);
    let metrics: Vec<_> =
        [metric("time")].into_iter().chain(waits.then(|| metric("await"))).collect();
    let mut rows = Rows::new(metrics.len());
    let mut builder = ProfileBuilder::new(metrics, 0);
    let mut seconds = 0.0;
    for Record(frames, time) in &frame_records {
        let is_waiting = frames.last().is_some_and(|frame| frame == AWAIT);
        let (thread, frames) = match frames.split_first() {
            Some((first, rest)) if parts(first).file == THREAD => (Some(parts(first)), rest),
            _ => (None, frames.as_slice()),
        };
        let mut stack = None;
        let is_function = |frame: &&Cow<'_, str>| !matches!(&***frame, AWAIT | OUT_OF_CONTEXT);
        for frame in frames.iter().filter(is_function) {
            stack = Some(push(&mut builder, stack, &parts(frame))?);
        }
        // The clock counts nanoseconds, and differences of its readings have errors.
        let time = (time * 1e9).round() / 1e9;
        let weight = |metric| if metric == 0 || is_waiting { time } else { 0.0 };
        let key = thread.map_or(("", ""), |thread| (thread.name, thread.line));
        let row = rows.push(key, || named(key), stack, weight);
        rows.taken_at(row, seconds * 1e3);
        seconds += time;
    }
    rows.finish(&mut builder)?;
    let recording = Recording::Stacks(builder.build());
    let mut warnings = Warnings::default();
    warnings.add(WarningCode::SampledAtCalls, || {
        "pyinstrument takes samples when a function is called or returns: the time of lines without \
         calls is on the line of the next one"
            .to_owned()
    });
    let producer = Some(Producer::parse("pyinstrument"));
    Ok(Read {
        writer: Writer::of_producer(producer),
        span_seconds: Some(seconds),
        ..Read::new(Format::Pyinstrument, recording, warnings)
    })
}

/// The parts of a frame. Numbers are as in the text; empty if they are not there.
struct Parts<'a> {
    name: &'a str,
    file: &'a str,
    /// The first line of the function. Of a thread: its id.
    line: &'a str,
    /// The line that executes.
    executed: &'a str,
}

fn parts(frame: &str) -> Parts<'_> {
    let mut attributes = frame.split('\x01');
    let mut code = attributes.next().unwrap_or_default().split('\0');
    let mut next = || code.next().unwrap_or_default();
    let (name, file, line) = (next(), next(), next());
    let executed = attributes.find_map(|it| it.strip_prefix('l')).unwrap_or_default();
    Parts { name, file, line, executed }
}

fn push(
    builder: &mut ProfileBuilder,
    caller: Option<StackId>,
    &Parts { name, file, line, executed }: &Parts<'_>,
) -> Result<StackId, BuildError> {
    let number = |text: &str| text.parse::<u32>().unwrap_or(0);
    let func = FuncText { name, file, line: number(line), ..FuncText::default() };
    let func = func.intern(builder)?;
    let frame = builder.intern_frame(Frame::new(func, number(executed)))?;
    builder.intern_stack(caller, frame)
}

/// A thread by its name and id.
fn named((name, tid): (&str, &str)) -> Thread {
    let tid = (!tid.is_empty()).then(|| tid.to_owned());
    Thread { name: name.to_owned(), tid, ..Thread::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::text_rows::labelled_rows;

    fn session(records: &str) -> String {
        format!(r#"{{"start_time":1,"sample_count":2,"frame_records":[{records}],"sys_path":[]}}"#)
    }

    fn rows(records: &str) -> String {
        let read = read(session(records).as_bytes()).unwrap();
        labelled_rows(&read, |thread| thread.name.clone())
    }

    const MAIN: &str = r#""MainThread\u0000<thread>\u0000140","main\u0000app.py\u00008\u0001l9""#;

    #[test]
    fn frames_have_the_line_that_executes() {
        let records = format!(
            r#"[[{MAIN},"add\u0000inv/model.py\u000040\u0001cCatalogue\u0001l44"],0.5],
               [["w\u0000<thread>\u00007","dict.get\u0000<built-in>\u00000"],0.25],[[{MAIN}],2]"#
        );
        let expected = "\
MainThread: main|app.py@8:9 > add|inv/model.py@40:44 0.5
MainThread: main|app.py@8:9 2
w: dict.get|<built-in> 0.25
";
        assert_eq!(rows(&records), expected);
    }

    #[test]
    fn waiting_is_a_metric_of_its_own() {
        let records = format!(r#"[[{MAIN},"[await]"],3],[[{MAIN}],1]"#);
        let expected = "MainThread: main|app.py@8:9 3 3\nMainThread: main|app.py@8:9 1 0\n";
        assert_eq!(rows(&records), expected);
        let read = read(session(&records).as_bytes()).unwrap();
        let metrics: Vec<_> = read.recording.metrics().iter().map(|it| &*it.name).collect();
        assert_eq!((metrics, read.span_seconds), (vec!["time", "await"], Some(4.0)));
    }

    #[test]
    fn a_session_without_samples_is_an_error() {
        let error = read(session("").as_bytes()).unwrap_err().to_string();
        assert!(error.contains("the session has no samples"), "{error}");
    }
}
