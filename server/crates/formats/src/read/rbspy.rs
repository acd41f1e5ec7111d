//! Raw recordings of `rbspy record --raw-file`.
//!
//! The file has eight bytes `rbspy00\n` to `rbspy02\n`, then a line of JSON per sample, in gzip.
//! Version 2 has a header line first; a sample of version 0 is only its frames. rbspy appends while
//! it records, so the gzip stream may have no end and the last line may be partial.
//!
//! Frames are leaf first, each with the executing line (for callers, the line of the call).
//! Functions in C have neither file nor line. `on_cpu` is ignored: there are recordings in which it
//! is always false, so it does not show idleness.

use crate::error::{At, ReadError};
use crate::format::Format;
use crate::read::result::Read;
use crate::read::shared::func_text::FuncText;
use crate::read::shared::json::{Text, reason};
use crate::read::shared::rows::Rows;
use crate::writer::{Producer, Writer};
use profile::{Frame, FrameId, Metric, ProfileBuilder, Recording, Thread, WarningCode, Warnings};
use rustc_hash::FxHashMap;
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::hash_map::Entry;

#[derive(Deserialize)]
struct Header<'a> {
    /// In samples per second.
    sample_rate: Option<f64>,
    #[serde(borrow)]
    rbspy_version: Option<Text<'a>>,
}

#[derive(Deserialize)]
struct Sample<'a> {
    /// Leaf first.
    #[serde(borrow)]
    trace: Vec<RubyFrame<'a>>,
    pid: Option<i64>,
    thread_id: Option<u64>,
    time: Option<Time>,
}

#[derive(Deserialize)]
struct RubyFrame<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow)]
    relative_path: Cow<'a, str>,
    #[serde(borrow)]
    absolute_path: Option<Text<'a>>,
    /// The executing line, 1-based; 0 = unknown.
    lineno: Option<u64>,
}

#[derive(Deserialize)]
struct Time {
    secs_since_epoch: f64,
    nanos_since_epoch: f64,
}

impl<'a> RubyFrame<'a> {
    /// The most complete file name; empty for functions in C.
    fn path(&mut self) -> Cow<'a, str> {
        let relative = std::mem::take(&mut self.relative_path);
        let path = self.absolute_path.take().map_or(relative, |Text(absolute)| absolute);
        if path == "(unknown)" { Cow::Borrowed("") } else { path }
    }
}

pub(crate) fn read(bytes: &[u8]) -> Result<Read, ReadError> {
    let mut lines = (1..).zip(bytes.split_inclusive(|&byte| byte == b'\n'));
    let magic = lines.next().map_or(&[][..], |(_, magic)| magic);
    let mut warnings = Warnings::default();

    let mut interval = None;
    let mut writer = Writer::default();
    if magic == b"rbspy02\n"
        && let Some((number, line)) = lines.next()
    {
        match serde_json::from_slice::<Header<'_>>(line) {
            Ok(header) => {
                interval = header
                    .sample_rate
                    .filter(|rate| rate.is_normal() && *rate > 0.0)
                    .map(f64::recip);
                let producer = header
                    .rbspy_version
                    .map(|Text(version)| Producer::parse(&format!("rbspy {version}")));
                writer = Writer::of_producer(producer);
            }
            Err(error) => passed_over(number, line, &error, &mut warnings),
        }
    }

    let mut tables = Tables {
        builder: ProfileBuilder::new(vec![Metric::new("samples", "samples", interval)], 0),
        frames: FxHashMap::default(),
        rows: Rows::new(1),
        times: None,
    };
    let mut first_error = None;
    for (number, line) in lines {
        let trace = match line.trim_ascii_start().first() {
            None => continue,
            Some(b'[') => serde_json::from_slice(line).map(|trace| Sample {
                trace,
                pid: None,
                thread_id: None,
                time: None,
            }),
            Some(_) => serde_json::from_slice(line),
        };
        match trace {
            Ok(trace) => tables.push(trace)?,
            Err(error) => {
                passed_over(number, line, &error, &mut warnings);
                if line.ends_with(b"\n") {
                    first_error.get_or_insert((number, error));
                }
            }
        }
    }
    if let Some((number, error)) = first_error.filter(|_| tables.rows.is_empty()) {
        let message =
            format!("{}; expected a sample of rbspy: `{{\"trace\":[…]}}`", reason(&error));
        return Err(ReadError::malformed(At::Line(number, error.column()), message));
    }

    let Tables { mut builder, rows, times, .. } = tables;
    rows.finish(&mut builder)?;
    let recording = Recording::Stacks(builder.build());
    let span_seconds = times.map(|(first, last)| last - first);
    Ok(Read { writer, span_seconds, ..Read::new(Format::Rbspy, recording, warnings) })
}

fn passed_over(number: usize, line: &[u8], error: &serde_json::Error, warnings: &mut Warnings) {
    if line.ends_with(b"\n") {
        let message =
            || format!("line {number} is not a sample of rbspy; it is left out: {}", reason(error));
        warnings.add(WarningCode::MalformedLine, message);
    } else {
        warnings.add(WarningCode::PartialLine, || {
            format!("line {number}, the last one, is incomplete; it is left out")
        });
    }
}

struct Tables<'a> {
    builder: ProfileBuilder,
    /// Frames by name, file and line.
    frames: FxHashMap<(Cow<'a, str>, Cow<'a, str>, u32), FrameId>,
    rows: Rows<(Option<i64>, Option<u64>)>,
    /// The times of the first and the last sample, in seconds.
    times: Option<(f64, f64)>,
}

impl<'a> Tables<'a> {
    fn push(
        &mut self,
        Sample { trace, pid, thread_id, time }: Sample<'a>,
    ) -> Result<(), ReadError> {
        let mut stack = None;
        for frame in trace.into_iter().rev() {
            let frame = self.frame(frame)?;
            stack = Some(self.builder.intern_stack(stack, frame)?);
        }
        let thread = || Thread {
            pid: pid.map(|pid| pid.to_string()),
            tid: thread_id.map(|tid| tid.to_string()),
            ..Thread::default()
        };
        let row = self.rows.push((pid, thread_id), thread, stack, |_| 1.0);
        if let Some(Time { secs_since_epoch, nanos_since_epoch }) = time {
            self.rows.taken_at(row, secs_since_epoch * 1e3 + nanos_since_epoch / 1e6);
            let time = secs_since_epoch + nanos_since_epoch / 1e9;
            let (first, last) = self.times.get_or_insert((time, time));
            (*first, *last) = (first.min(time), last.max(time));
        }
        Ok(())
    }

    fn frame(&mut self, mut frame: RubyFrame<'a>) -> Result<FrameId, ReadError> {
        let path = frame.path();
        let line = frame.lineno.and_then(|line| u32::try_from(line).ok()).unwrap_or(0);
        match self.frames.entry((frame.name, path, line)) {
            Entry::Occupied(entry) => Ok(*entry.get()),
            Entry::Vacant(new) => {
                let (name, file, _) = new.key();
                let func =
                    FuncText { name, file, ..FuncText::default() }.intern(&mut self.builder)?;
                let id = self.builder.intern_frame(Frame::new(func, line))?;
                Ok(*new.insert(id))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::read::text_rows::{profile, rows, warnings};
    use profile::StackAccess;

    /// `f` in C, called by `g` at line 7 of a file with both paths.
    const FRAMES: &str = r#"[{"name":"f [c function]","relative_path":"(unknown)","absolute_path":null,"lineno":null},{"name":"g","relative_path":"a.rb","absolute_path":"/p/a.rb","lineno":7}]"#;

    fn version_2(lines: &str) -> String {
        let header = r#"{"sample_rate":250,"rbspy_version":"0.55.0","start_time":{"secs_since_epoch":9,"nanos_since_epoch":0}}"#;
        format!("rbspy02\n{header}\n{lines}")
    }

    fn trace(frames: &str, thread: u64, seconds: u64) -> String {
        let time = format!(r#"{{"secs_since_epoch":{seconds},"nanos_since_epoch":500000000}}"#);
        format!(r#"{{"trace":{frames},"pid":3,"thread_id":{thread},"time":{time},"on_cpu":false}}"#)
    }

    #[test]
    fn each_version() {
        let leaf_only = r#"[{"name":"h","relative_path":"b.rb","absolute_path":null,"lineno":0}]"#;
        let lines = [
            trace(FRAMES, 5, 10),
            trace(FRAMES, 6, 11),
            trace(leaf_only, 5, 12),
            trace("[]", 5, 14),
        ]
        .join("\n");
        let expected = "3/5: g|/p/a.rb:7 > f [c function] 1\n3/5: h|b.rb 1\n3/5:  1\n3/6: g|/p/a.rb:7 > f [c function] 1\n";
        let read_2 = read(version_2(&lines).as_bytes()).unwrap();
        assert_eq!(rows(&read_2), expected);
        assert_eq!((read_2.writer.text(), read_2.span_seconds), (Some("rbspy 0.55.0"), Some(4.0)));
        assert_eq!(read_2.recording.metrics()[0].seconds_per_unit, Some(0.004));
        assert_eq!(warnings(&read_2), []);

        let read_1 = read(format!("rbspy01\n{lines}").as_bytes()).unwrap();
        assert_eq!(
            (rows(&read_1), read_1.writer.text(), read_1.span_seconds),
            (expected.to_owned(), None, Some(4.0))
        );
        assert_eq!(read_1.recording.metrics()[0].seconds_per_unit, None);

        let read_0 = read(format!("rbspy00\n{FRAMES}\n\n{leaf_only}\n").as_bytes()).unwrap();
        assert_eq!(rows(&read_0), "g|/p/a.rb:7 > f [c function] 1\nh|b.rb 1\n");
        assert_eq!((read_0.span_seconds, warnings(&read_0)), (None, vec![]));
    }

    #[test]
    fn malformed_lines_are_skipped() {
        let whole = trace(FRAMES, 5, 10);
        let read_some =
            read(version_2(&format!("{whole}\n{{\"trace\":3}}\n{}", &whole[..90])).as_bytes())
                .unwrap();
        assert_eq!(rows(&read_some).lines().count(), 1);
        assert_eq!(
            warnings(&read_some),
            [(WarningCode::MalformedLine, 1), (WarningCode::PartialLine, 1)]
        );
        assert!(
            read_some.warnings.as_slice()[0].message.starts_with("line 4 is not a sample of rbspy")
        );
        // Recordings that were just begun.
        for text in ["rbspy02\n", "rbspy02\n{\"sample_ra", &version_2(""), &version_2("{\"tr")] {
            assert_eq!(rows(&read(text.as_bytes()).unwrap()), "", "{text}");
        }
        let error = read(b"rbspy01\nwhat\nis\n").unwrap_err();
        assert_eq!((error.kind, error.at), (ErrorKind::Malformed, At::Line(2, 1)));
        let odd = r#"[{"name":"f","relative_path":"a.rb","lineno":99999999999}]"#;
        let odd = version_2(&trace(odd, 1, 1)).replace("250", "0");
        let odd = read(odd.as_bytes()).unwrap();
        assert_eq!(
            (&*rows(&odd), odd.recording.metrics()[0].seconds_per_unit),
            ("3/1: f|a.rb 1\n", None)
        );
    }

    #[test]
    fn deep_stacks_share_rows() {
        let frame = r#"{"name":"f","relative_path":"a.rb","absolute_path":"/a.rb","lineno":3}"#;
        let deep = format!("[{}]", vec![frame; 100_000].join(","));
        let text = version_2(&[trace(&deep, 1, 1), trace(&deep, 1, 2)].join("\n"));
        let deep = read(text.as_bytes()).unwrap();
        assert_eq!((profile(&deep).stacks().len(), profile(&deep).frames().len()), (100_000, 1));
    }
}
