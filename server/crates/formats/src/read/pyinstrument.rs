//! Profiles of pyinstrument: sessions (`pyinstrument -r pyisession`, `Session.save`), and its JSON (`-r json`).
//!
//! A session has every sample:
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
//! JSON has a tree of functions, where they begin, and the time in them with all that they call:
//!
//! ```text
//! {"duration": 0.11, "root_frame": {"function": "main", "file_path": "app.py", "line_no": 8, "time": 0.1, "await_time": 0, "children": [...]}}
//! ```
//!
//! What a function takes more than its children is its own time; a child `[self]` says that again. pyinstrument
//! leaves out what takes less than a percent.
//!
//! Source: `session.py`, `frame_info.py`, `profiler.py` and `renderers/jsonrenderer.py` of pyinstrument 5.1.

use crate::error::{At, ReadError};
use crate::format::Format;
use crate::read::result::Read;
use crate::read::shared::func_text::FuncText;
use crate::read::shared::json;
use crate::read::shared::nested::{self, Nodes};
use crate::read::shared::rows::Rows;
use crate::scan::{Scanned, Scanner, Stop};
use crate::writer::{Producer, Writer};
use profile::{
    BuildError, Frame, LineKnowledge, Metric, ProfileBuilder, Recording, Samples, StackId, Thread,
    WarningCode, Warnings,
};
use serde::Deserialize;
use std::borrow::Cow;

/// The file of frames that name a thread.
const THREAD: &str = "<thread>";
/// The leaf of a coroutine that waits.
const AWAIT: &str = "[await]";
/// The leaf of a stack that lost its asynchronous context.
const OUT_OF_CONTEXT: &str = "[out-of-context]";
/// A function's own time, in JSON.
const SELF: &str = "[self]";

#[derive(Deserialize)]
struct File<'a> {
    #[serde(borrow)]
    frame_records: Vec<Record<'a>>,
}

/// Frames, root first, and the time since the record before.
#[derive(Deserialize)]
struct Record<'a>(#[serde(borrow)] Vec<Cow<'a, str>>, f64);

pub(crate) fn read(bytes: &[u8]) -> Result<Read, ReadError> {
    let mut tree = Tree::default();
    let mut has_tree = false;
    let mut scanner = Scanner::new(bytes);
    let walked = scanner.object(&mut |scanner, key| {
        has_tree |= key == b"root_frame";
        if key == b"root_frame" { nested::walk(scanner, &mut tree) } else { scanner.skip() }
    });
    if !has_tree {
        return read_session(bytes);
    }
    let at = scanner.at() as u64;
    walked.map_err(|stop| {
        if stop == Stop::End {
            let message = "the JSON ends in the middle; expected the rest of the profile";
            ReadError::truncated(At::Byte(bytes.len() as u64), message)
        } else {
            let message = "expected a tree of frames with `function`, `file_path`, `line_no`, `time` and `children`";
            ReadError::malformed(At::Byte(at), message)
        }
    })?;
    tree.finish()
}

/// The functions of a JSON profile, callers before their callees.
#[derive(Default)]
struct Tree {
    nodes: Vec<Node>,
}

#[derive(Default)]
struct Node {
    caller: Option<usize>,
    function: String,
    file: String,
    line: u32,
    /// In microseconds, with what it calls.
    time_us: i64,
    /// The part of it in which a coroutine waits.
    await_us: i64,
}

impl<'a> Nodes<'a> for Tree {
    fn begin(&mut self, caller: Option<usize>) {
        self.nodes.push(Node { caller, ..Node::default() });
    }

    fn member(&mut self, node: usize, key: &[u8], value: &'a [u8], _at: usize) -> Scanned {
        let node = self.nodes.get_mut(node).ok_or(Stop::Broken)?;
        let text = || serde_json::from_slice::<Option<String>>(value).map_err(|_| Stop::Broken);
        let us = || {
            let seconds = serde_json::from_slice::<f64>(value).map_err(|_| Stop::Broken)?;
            Ok((seconds * 1e6).round() as i64)
        };
        match key {
            b"function" => node.function = text()?.unwrap_or_default(),
            b"file_path" => node.file = text()?.unwrap_or_default(),
            b"line_no" => node.line = serde_json::from_slice(value).unwrap_or(0),
            b"time" => node.time_us = us()?,
            b"await_time" => node.await_us = us()?,
            _ => {}
        }
        Ok(())
    }
}

impl Tree {
    fn finish(self) -> Result<Read, ReadError> {
        // Each function's own time.
        let mut own: Vec<[i64; 2]> =
            self.nodes.iter().map(|node| [node.time_us, node.await_us]).collect();
        for node in &self.nodes {
            if let Some(caller) = node.caller {
                own[caller][0] -= node.time_us;
                own[caller][1] -= node.await_us;
            }
        }
        let waits = own.iter().any(|[_, waiting]| *waiting > 0);
        let metric = |name| Metric::new(name, "us", None).with_lines(LineKnowledge::Nothing);
        let metrics: Vec<_> =
            [metric("time")].into_iter().chain(waits.then(|| metric("await"))).collect();
        let mut samples = Samples::with_metrics(metrics.len());
        let mut builder = ProfileBuilder::new(metrics, 0);
        let mut stacks: Vec<Option<StackId>> = Vec::with_capacity(self.nodes.len());
        for (node, own) in self.nodes.iter().zip(own) {
            let caller = node.caller.and_then(|caller| stacks.get(caller).copied().flatten());
            let stack = match &*node.function {
                SELF | AWAIT | OUT_OF_CONTEXT => caller,
                name => {
                    let func =
                        FuncText { name, file: &node.file, line: node.line, ..FuncText::default() };
                    let func = func.intern(&mut builder)?;
                    let frame = builder.intern_frame(Frame::new(func, 0))?;
                    Some(builder.intern_stack(caller, frame)?)
                }
            };
            stacks.push(stack);
            let own = own.map(|us| us.max(0) as f64);
            if own != [0.0, 0.0] {
                samples.push(stack, |metric| own[metric]);
            }
        }
        if samples.is_empty() {
            return Err(no_samples());
        }
        builder.push_thread(Thread::default(), samples)?;
        let mut warnings = Warnings::default();
        warnings.add(WarningCode::FunctionLines, || {
            "pyinstrument's JSON has functions without the lines that execute; for lines, record with `pyinstrument -r \
             pyisession -o app.pyisession`"
                .to_owned()
        });
        let recording = Recording::Stacks(builder.build());
        Ok(Read {
            writer: Writer::of_producer(Some(Producer::parse("pyinstrument"))),
            ..Read::new(Format::Pyinstrument, recording, warnings)
        })
    }
}

fn no_samples() -> ReadError {
    let message = "the profile has no samples: the program ended within the first interval";
    ReadError::truncated(At::File, message)
}

fn read_session(bytes: &[u8]) -> Result<Read, ReadError> {
    let File { frame_records } = json::decode(bytes)?;
    if frame_records.is_empty() {
        return Err(no_samples());
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

    /// `work` takes 0.75 s, of which 0.25 s are its own and in 0.3 s its coroutine waits.
    #[test]
    fn json_has_the_time_of_functions_without_lines() {
        let frame = |name: &str, time: f64, waiting: f64, children: &str| {
            format!(
                r#"{{"function":"{name}","file_path":"app.py","line_no":8,"time":{time},"await_time":{waiting},"children":[{children}]}}"#
            )
        };
        let inner = [
            frame("[self]", 0.2, 0.0, ""),
            frame("[await]", 0.3, 0.3, ""),
            frame("get", 0.2, 0.0, ""),
        ];
        let work = frame("work", 0.75, 0.3, &inner.join(","));
        let text = format!(
            r#"{{"duration":1,"sample_count":9,"target_description":"x","root_frame":{}}}"#,
            frame("main", 1.0, 0.3, &work)
        );
        assert_eq!(crate::detect::detect(text.as_bytes()), Some(Format::Pyinstrument));
        let read = read(text.as_bytes()).unwrap();
        let expected = "\
main|app.py@8 250000 0
main|app.py@8 > work|app.py@8 50000 0
main|app.py@8 > work|app.py@8 200000 0
main|app.py@8 > work|app.py@8 300000 300000
main|app.py@8 > work|app.py@8 > get|app.py@8 200000 0
";
        assert_eq!(labelled_rows(&read, |_| String::new()), expected);
        let error = super::read(&text.as_bytes()[..text.len() - 9]).unwrap_err().to_string();
        assert!(error.contains("ends in the middle"), "{error}");
    }

    /// Times are rounded, and those of callees may add up to more.
    #[test]
    fn time_that_callees_have_too_much_is_not_taken_from_others() {
        let frame = |name: &str, time: f64, children: &str| {
            format!(
                r#"{{"function":"{name}","file_path":"app.py","line_no":8,"time":{time},"children":[{children}]}}"#
            )
        };
        let work = frame("work", 0.2, &frame("get", 0.25, ""));
        let text = format!(r#"{{"root_frame":{}}}"#, frame("main", 1.0, &work));
        let expected = "\
main|app.py@8 800000
main|app.py@8 > work|app.py@8 > get|app.py@8 250000
";
        assert_eq!(labelled_rows(&read(text.as_bytes()).unwrap(), |_| String::new()), expected);
    }

    #[test]
    fn a_session_without_samples_is_an_error() {
        let error = read(session("").as_bytes()).unwrap_err().to_string();
        assert!(error.contains("the profile has no samples"), "{error}");
    }
}
