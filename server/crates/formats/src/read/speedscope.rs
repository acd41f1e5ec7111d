//! speedscope's own file format, which py-spy, rbspy, pyinstrument, austin2speedscope, dotnet-trace
//! and many others write (`file-format-schema.json` of the npm package `speedscope`).
//!
//! Frames are listed once, in `shared.frames`; each of `profiles` is a thread, either *sampled*
//! (stacks root first, a weight each) or *evented* (frames that open and close at times). Each
//! profile has a unit of its own; every unit is a metric here.
//!
//! What files do against the schema: `null` for what is unknown; no `$schema`; an `endValue` that
//! has nothing to do with the samples; weights that belong to other profiles as well (rbspy with
//! several processes). A frame has one `line`, and it depends on the exporter whether that is the
//! one that executed or the first of the function. Events are calls, unless a tool made them of
//! samples: then nobody knows how many calls there were.
//!
//! pyinstrument writes a function's own time as a call of `[self]`, `[await]` or
//! `[out-of-context]`. Those are no functions: their time goes back to the caller.

use super::calls::{Event, What};
use super::func_text::FuncText;
use super::number::position;
use super::rows::MAX_METRICS;
use super::{calls, json};
use crate::error::{At, ReadError};
use crate::format::Format;
use crate::read_result::Read;
use crate::writer::{Dialect, Producer, Writer};
use profile::{
    Frame, FrameId, LineKnowledge, Metric, ProfileBuilder, Recording, Samples, StackId, Thread,
    WarningCode, Warnings, Weights,
};
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, SeqAccess, Visitor};
use std::fmt;

/// Exporters (before `@` and their version) that make events of samples, and whose lines are those
/// at which functions start. speedscope itself writes what it read elsewhere, and .NET's tools
/// write by its name.
const OF_SAMPLES: [Dialect; 2] = [Dialect::Pyinstrument, Dialect::Speedscope];

#[derive(Deserialize)]
struct File {
    shared: Shared,
    profiles: Vec<Profile>,
    exporter: Option<String>,
    /// Of the speedscope that wrote the file, where no other exporter did.
    version: Option<Scalar>,
}

/// What should be a number or a text, and is not always: .NET's tools put the ends of a profile in
/// quotes.
#[derive(Deserialize)]
#[serde(untagged)]
enum Scalar {
    Number(f64),
    Text(String),
    Other(serde::de::IgnoredAny),
}

impl Scalar {
    fn number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Text(text) => text.parse().ok().filter(|number: &f64| number.is_finite()),
            Self::Other(_) => None,
        }
    }
}

#[derive(Deserialize)]
struct Shared {
    frames: Vec<SharedFrame>,
}

#[derive(Deserialize)]
struct SharedFrame {
    name: Option<String>,
    file: Option<String>,
    /// 1-based; 0 = unknown.
    line: Option<f64>,
    col: Option<f64>,
}

/// A thread. What it holds tells its type.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Profile {
    name: Option<String>,
    unit: Option<String>,
    start_value: Option<Scalar>,
    end_value: Option<Scalar>,
    samples: Option<Stacks>,
    weights: Option<Vec<f64>>,
    events: Option<Vec<FrameEvent>>,
}

#[derive(Deserialize)]
struct FrameEvent {
    #[serde(rename = "type")]
    kind: Kind,
    at: f64,
    frame: u32,
}

#[derive(Deserialize)]
enum Kind {
    #[serde(rename = "O")]
    Open,
    #[serde(rename = "C")]
    Close,
}

pub(crate) fn read(bytes: &[u8]) -> Result<Read, ReadError> {
    let file: File = json::decode(bytes)?;
    let mut warnings = Warnings::default();
    let writer = Writer::of_producer(match (&file.exporter, &file.version) {
        (Some(exporter), _) => Some(Producer::parse(exporter)),
        (None, Some(Scalar::Text(version))) => Some(Producer::new("speedscope", version)),
        (None, _) => None,
    });
    let of_samples = writer.dialect.filter(|dialect| OF_SAMPLES.contains(dialect));
    let units = units(&file.profiles)?;
    let any_line = file.shared.frames.iter().any(|frame| frame.file.is_some() && frame.line() > 0);
    let lines = if any_line { LineKnowledge::SelfAndTotal } else { LineKnowledge::Nothing };
    if let Some(tool) = of_samples.filter(|_| any_line) {
        warnings.add(WarningCode::FunctionLines, || {
            format!(
                "{} writes the first line of a function, not the line that executes",
                tool.name()
            )
        });
    }
    let metrics: Vec<_> =
        units.iter().map(|unit| Metric::new(unit, unit, None).with_lines(lines)).collect();
    let span_seconds = span_seconds(&file.profiles, &metrics);
    let mut builder = ProfileBuilder::new(metrics, 0);
    let frames = file.shared.frames.iter().map(|frame| {
        let is_own_time = writer.dialect == Some(Dialect::Pyinstrument) && frame.is_own_time();
        (!is_own_time).then(|| frame.intern(&mut builder)).transpose()
    });
    let frames = frames.collect::<Result<Vec<_>, _>>()?;
    let mut tables = Tables {
        units,
        frames,
        events_are_calls: of_samples.is_none(),
        builder: &mut builder,
        warnings: &mut warnings,
    };
    for (i, profile) in file.profiles.into_iter().enumerate() {
        tables.push(i, profile)?;
    }
    let recording = Recording::Stacks(builder.build());
    Ok(Read { writer, span_seconds, ..Read::new(Format::Speedscope, recording, warnings) })
}

/// The units of all profiles that hold anything, in order of first use.
fn units(profiles: &[Profile]) -> Result<Vec<String>, ReadError> {
    let mut units: Vec<String> = Vec::new();
    for profile in profiles.iter().filter(|profile| !profile.is_empty()) {
        if !units.iter().any(|unit| unit == profile.unit()) {
            units.push(profile.unit().to_owned());
        }
        if units.len() > MAX_METRICS {
            return Err(ReadError::too_large(format!(
                "the profiles have more than {MAX_METRICS} units; expected a few"
            )));
        }
    }
    if units.is_empty() {
        units.push("samples".to_owned());
    }
    Ok(units)
}

/// From the first to the last event of all profiles that have times.
fn span_seconds(profiles: &[Profile], metrics: &[Metric]) -> Option<f64> {
    let times = profiles.iter().filter_map(|profile| {
        let seconds =
            metrics.iter().find(|metric| metric.name == profile.unit())?.seconds_per_unit?;
        Some(profile.events.iter().flatten().map(move |event| event.at * seconds))
    });
    let (first, last) =
        times.flatten().fold((f64::INFINITY, f64::NEG_INFINITY), |(first, last), at| {
            (first.min(at), last.max(at))
        });
    (first <= last).then_some(last - first)
}

/// What profiles are put into, and what of the file they refer to.
struct Tables<'t> {
    units: Vec<String>,
    /// `None` is the own time of the caller.
    frames: Vec<Option<FrameId>>,
    events_are_calls: bool,
    builder: &'t mut ProfileBuilder,
    warnings: &'t mut Warnings,
}

/// The samples of a profile; how many calls each stands for, where that is known.
struct Rows {
    stacks: Vec<Option<StackId>>,
    weights: Weights,
    calls: Option<Vec<u32>>,
}

impl Tables<'_> {
    fn push(&mut self, i: usize, mut profile: Profile) -> Result<(), ReadError> {
        let own_unit = profile.unit().to_owned();
        let name = profile.name.take().unwrap_or_default();
        let Rows { stacks, weights, calls } = match profile.events.take() {
            Some(events) => self.evented(i, &profile, events)?,
            None => self.sampled(i, profile)?,
        };
        let n = stacks.len();
        let mut own = Some(weights);
        let columns = self.units.iter().map(|unit| {
            let own = if *unit == own_unit { own.take() } else { None };
            own.unwrap_or_else(|| Weights::Each(vec![0.0; n]))
        });
        let samples = Samples::new(stacks, columns.collect());
        let samples = if let Some(calls) = calls { samples.with_calls(calls) } else { samples };
        Ok(self.builder.push_thread(Thread { name, ..Thread::default() }, samples)?)
    }

    fn evented(
        &mut self,
        i: usize,
        profile: &Profile,
        events: Vec<FrameEvent>,
    ) -> Result<Rows, ReadError> {
        let first = events.iter().map(|event| event.at).fold(f64::INFINITY, f64::min);
        let events =
            events.into_iter().enumerate().filter_map(|(row, FrameEvent { kind, at, frame })| {
                let frame =
                    frame_of(&self.frames, frame, || format!("profiles[{i}].events[{row}].frame"));
                let frame = match frame.transpose()? {
                    Ok(frame) => frame,
                    Err(error) => return Some(Err(error)),
                };
                // Rows of the list that say the same are the same frame.
                let what = match kind {
                    Kind::Open => What::Begin { name: frame.raw(), frame },
                    Kind::Close => What::End { name: Some(frame.raw()), frame: None },
                };
                Some(Ok(Event { at, cpu: None, what }))
            });
        let events = events.collect::<Result<_, ReadError>>()?;
        let end = profile.end_value.as_ref().and_then(Scalar::number);
        let run = calls::run(events, end, self.builder, self.warnings)?;
        let mut stacks: Vec<_> = run.stacks.into_iter().map(Some).collect();
        let (mut own, mut calls) = (run.own, vec![1; stacks.len()]);
        // What the profile covers beside all calls has no stack.
        let start = profile
            .start_value
            .as_ref()
            .and_then(Scalar::number)
            .filter(|start| *start < first && first.is_finite());
        let nobodys = run.nobodys + start.map_or(0.0, |start| first - start);
        if nobodys > 0.0 {
            stacks.push(None);
            own.push(nobodys);
            calls.push(0);
        }
        Ok(Rows {
            stacks,
            weights: Weights::Each(own),
            calls: self.events_are_calls.then_some(calls),
        })
    }

    fn sampled(&mut self, i: usize, profile: Profile) -> Result<Rows, ReadError> {
        let samples = profile.samples.unwrap_or_default();
        let weights = weights(i, samples.ends.len(), profile.weights, self.warnings);
        let frame =
            |index, row| frame_of(&self.frames, index, || format!("profiles[{i}].samples[{row}]"));
        Ok(Rows { stacks: samples.intern(self.builder, frame)?, weights, calls: None })
    }
}

fn frame_of(
    frames: &[Option<FrameId>],
    index: u32,
    key: impl Fn() -> String,
) -> Result<Option<FrameId>, ReadError> {
    frames.get(index as usize).copied().ok_or_else(|| {
        let message = format!("there is no frame {index}; shared.frames has {}", frames.len());
        ReadError::malformed(At::Key(key()), message)
    })
}

/// One weight for each of `n` samples. Where there are more or fewer, nobody knows which is whose,
/// and all samples weigh what is the mean of them.
fn weights(i: usize, n: usize, weights: Option<Vec<f64>>, warnings: &mut Warnings) -> Weights {
    match weights {
        Some(weights) if weights.len() == n => Weights::Each(weights),
        Some(weights) if !weights.is_empty() => {
            warnings.add(WarningCode::UnevenColumns, || {
                let found = weights.len();
                format!("profiles[{i}] has {n} samples but {found} weights; all of its samples weigh the same")
            });
            #[expect(
                clippy::cast_precision_loss,
                reason = "a mean of more than 2^53 weights would not fit in memory"
            )]
            let mean = weights.iter().sum::<f64>() / weights.len() as f64;
            Weights::Each(vec![mean; n])
        }
        _ => Weights::Ones,
    }
}

impl Profile {
    fn is_empty(&self) -> bool {
        self.samples.as_ref().is_none_or(|samples| samples.ends.is_empty())
            && self.events.as_ref().is_none_or(Vec::is_empty)
    }

    /// What its values are. `none` is a mere number: of samples, or of whatever the clock of the
    /// events counts.
    fn unit(&self) -> &str {
        match self.unit.as_deref().unwrap_or("none") {
            "none" if self.events.is_some() => "ticks",
            "none" => "samples",
            unit => unit,
        }
    }
}

impl SharedFrame {
    fn line(&self) -> u32 {
        position(self.line.unwrap_or(0.0))
    }

    /// Whether pyinstrument means the own time of the caller.
    fn is_own_time(&self) -> bool {
        self.file.is_none()
            && matches!(self.name.as_deref(), Some("[self]" | "[await]" | "[out-of-context]"))
    }

    fn intern(&self, builder: &mut ProfileBuilder) -> Result<FrameId, ReadError> {
        let [name, file] = [&self.name, &self.file].map(|text| text.as_deref().unwrap_or_default());
        let func = FuncText { name, file, ..FuncText::default() }.intern(builder)?;
        let column = position(self.col.unwrap_or(0.0));
        Ok(builder.intern_frame(Frame { func, line: self.line(), column, inlined: false })?)
    }
}

/// Stacks end to end, each root first: a list of lists would take several times the memory.
#[derive(Debug, Default, PartialEq)]
struct Stacks {
    frames: Vec<u32>,
    /// Where each ends.
    ends: Vec<usize>,
}

impl Stacks {
    /// Interns them; `frame` looks up one of a sample's frames. What a stack has in common with the
    /// one before is known.
    fn intern(
        self,
        builder: &mut ProfileBuilder,
        frame: impl Fn(u32, usize) -> Result<Option<FrameId>, ReadError>,
    ) -> Result<Vec<Option<StackId>>, ReadError> {
        let mut rest = &*self.frames;
        let mut start = 0;
        let mut before: &[u32] = &[];
        let mut path: Vec<Option<StackId>> = Vec::new();
        let mut stacks = Vec::with_capacity(self.ends.len());
        for (row, end) in self.ends.into_iter().enumerate() {
            let (stack, after) = rest.split_at_checked(end - start).unwrap_or((rest, &[]));
            (rest, start) = (after, end);
            path.truncate(stack.iter().zip(before).take_while(|(a, b)| a == b).count());
            for &index in stack.iter().skip(path.len()) {
                let caller = path.last().copied().flatten();
                path.push(match frame(index, row)? {
                    Some(frame) => Some(builder.intern_stack(caller, frame)?),
                    None => caller,
                });
            }
            stacks.push(path.last().copied().flatten());
            before = stack;
        }
        Ok(stacks)
    }
}

impl<'de> Deserialize<'de> for Stacks {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut stacks = Self::default();
        deserializer.deserialize_seq(&mut stacks)?;
        Ok(stacks)
    }
}

/// The list of stacks.
impl<'de> Visitor<'de> for &mut Stacks {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of stacks")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut stacks: A) -> Result<(), A::Error> {
        while stacks.next_element_seed(OneStack(&mut self.frames))?.is_some() {
            self.ends.push(self.frames.len());
        }
        Ok(())
    }
}

/// One of them.
struct OneStack<'s>(&'s mut Vec<u32>);

impl<'de> DeserializeSeed<'de> for OneStack<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for OneStack<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of frames, root first")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut frames: A) -> Result<(), A::Error> {
        while let Some(frame) = frames.next_element()? {
            self.0.push(frame);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use profile::StackAccess;
    use std::fmt::Write;

    const FRAMES: &str = r#""shared":{"frames":[{"name":"f","file":"a.py","line":3},{"name":"g","file":"a.py","line":7,"col":null},{"name":"h","file":null,"line":null},{"name":"f","file":"a.py","line":4}]}"#;

    fn file(profiles: &[&str]) -> Read {
        read(
            format!(
                r#"{{{FRAMES},"profiles":[{}],"exporter":"py-spy@0.4.0"}}"#,
                profiles.join(",")
            )
            .as_bytes(),
        )
        .unwrap()
    }

    fn stacks(read: &Read) -> &profile::Profile {
        let Recording::Stacks(profile) = &read.recording else { panic!("it has stacks") };
        profile
    }

    /// Each sample as `thread: root>leaf:line weights`, with `×calls` where they are known; then
    /// the warnings.
    fn rows(read: &Read) -> String {
        let profile = stacks(read);
        let mut out = String::new();
        for (thread, samples) in profile.sampled_threads() {
            for (row, stack) in samples.stacks().enumerate() {
                let up = std::iter::successors(stack, |&stack| profile.stacks().prefix(stack));
                let frames = up.map(|stack| profile.frames().get(profile.stacks().frame(stack)));
                let mut names: Vec<_> = frames
                    .map(|frame| {
                        format!("{}:{}", profile.symbols().func_name(frame.func), frame.line)
                    })
                    .collect();
                names.reverse();
                write!(out, "{}: {}", thread.name, names.join(">")).unwrap();
                for weights in samples.weights() {
                    write!(out, " {}", weights.get(row)).unwrap();
                }
                if let Some(calls) = samples.calls() {
                    write!(out, " ×{}", calls[row]).unwrap();
                }
                out.push('\n');
            }
        }
        for warning in read.warnings.as_slice() {
            writeln!(out, "{} {}", warning.code, warning.count).unwrap();
        }
        out
    }

    fn metrics(read: &Read) -> Vec<(&str, Option<f64>, LineKnowledge)> {
        read.recording
            .metrics()
            .iter()
            .map(|metric| (metric.unit.as_str(), metric.seconds_per_unit, metric.lines))
            .collect()
    }

    fn evented(unit: &str, end: f64, events: &[(char, u32, f64)]) -> String {
        let events = events
            .iter()
            .map(|(kind, frame, at)| format!(r#"{{"type":"{kind}","frame":{frame},"at":{at}}}"#));
        let events: Vec<_> = events.collect();
        format!(
            r#"{{"type":"evented","name":"e","unit":"{unit}","startValue":0,"endValue":{end},"events":[{}]}}"#,
            events.join(",")
        )
    }

    #[test]
    fn more_units_than_metrics_are_refused() {
        // Each unit is a column as long as all samples: without a bound they would outgrow memory.
        let profile = |i: usize| {
            format!(r#"{{"type":"sampled","unit":"u{i}","samples":[[0]],"weights":[1]}}"#)
        };
        let profiles = |n: usize| {
            format!(
                r#"{{{FRAMES},"profiles":[{}]}}"#,
                (0..n).map(profile).collect::<Vec<_>>().join(",")
            )
        };
        assert!(read(profiles(MAX_METRICS).as_bytes()).is_ok());
        assert_eq!(
            read(profiles(MAX_METRICS + 1).as_bytes()).unwrap_err().kind,
            ErrorKind::TooLarge
        );
    }

    #[test]
    fn an_endless_start_is_none() {
        let events = r#""events":[{"type":"O","frame":0,"at":0},{"type":"C","frame":0,"at":5}]"#;
        let read = file(&[&format!(
            r#"{{"type":"evented","name":"t","unit":"none","startValue":"-inf","endValue":"inf",{events}}}"#
        )]);
        assert_eq!(rows(&read), "t: f:3 5 ×1\n");
    }

    #[test]
    fn samples_are_stacks_root_first() {
        let read = file(&[
            r#"{"type":"sampled","name":"T","unit":"seconds","startValue":0,"endValue":1,"samples":[[0,1],[],[0,1,2],[0],[3,1]],"weights":[1,2,0.5,0,-4]}"#,
        ]);
        assert_eq!(
            rows(&read),
            "T: f:3>g:7 1\nT:  2\nT: f:3>g:7>h:0 0.5\nT: f:3 0\nT: f:4>g:7 -4\n"
        );
        assert_eq!(metrics(&read), [("seconds", Some(1.0), LineKnowledge::SelfAndTotal)]);
        assert_eq!((read.writer.text(), read.span_seconds), (Some("py-spy@0.4.0"), None));
        let symbols = stacks(&read).symbols();
        assert_eq!(symbols.funcs.len(), 3, "a function that executes at two lines is one");
        assert!(symbols.funcs.ids().all(|id| symbols.funcs.get(id).line == 0));
    }

    #[test]
    fn calls_have_the_time_that_is_their_own() {
        let events = [
            ('O', 0, 0.0),
            ('O', 1, 10.0),
            ('O', 2, 30.0),
            ('C', 2, 60.0),
            ('C', 1, 100.0),
            ('C', 0, 160.0),
        ];
        let read = file(&[&evented("milliseconds", 160.0, &events)]);
        assert_eq!(rows(&read), "e: f:3 70 ×1\ne: f:3>g:7 60 ×1\ne: f:3>g:7>h:0 30 ×1\n");
        assert_eq!(read.span_seconds, Some(0.16));
        // Before, between and after them is nobody's time.
        let events = [('O', 0, 100.0), ('C', 0, 110.0), ('O', 0, 150.0), ('C', 0, 151.0)];
        assert_eq!(
            rows(&file(&[&evented("none", 400.0, &events)])),
            "e: f:3 10 ×1\ne: f:3 1 ×1\ne:  389 ×0\n"
        );
    }

    #[test]
    fn phases_and_their_calls() {
        let names = ["decode", "link", "init", "kernel_run", "f", "g"]
            .map(|name| format!(r#"{{"name":"{name}"}}"#))
            .join(",");
        let events = [
            ('O', 0, 0.0),
            ('C', 0, 5.0),
            ('O', 1, 5.0),
            ('C', 1, 8.0),
            ('O', 2, 8.0),
            ('C', 2, 15.0),
            ('O', 3, 15.0),
            ('O', 4, 20.0),
            ('C', 4, 30.0),
            ('O', 4, 40.0),
            ('O', 5, 45.0),
            ('C', 5, 50.0),
            ('C', 4, 60.0),
            ('C', 3, 75.0),
        ];
        let text = format!(
            r#"{{"profiles":[{}],"shared":{{"frames":[{names}]}}}}"#,
            evented("none", 75.0, &events)
        );
        let read = read(text.as_bytes()).unwrap();
        assert_eq!(
            rows(&read),
            "e: decode:0 5 ×1\ne: link:0 3 ×1\ne: init:0 7 ×1\ne: kernel_run:0 30 ×1\ne: kernel_run:0>f:0 10 ×1\n\
             e: kernel_run:0>f:0 15 ×1\ne: kernel_run:0>f:0>g:0 5 ×1\n"
        );
        assert_eq!(metrics(&read), [("ticks", None, LineKnowledge::Nothing)]);
        assert_eq!((read.writer.text(), read.span_seconds), (None, None));
    }

    #[test]
    fn unbalanced_events() {
        type Events = &'static [(char, u32, f64)];
        let cases: [(Events, f64, &str); 6] = [
            // An outer end ends what is inside; then there is nothing left to end.
            (
                &[('O', 0, 0.0), ('O', 1, 1.0), ('C', 0, 9.0), ('C', 1, 10.0)],
                10.0,
                "e: f:3 1 ×1\ne: f:3>g:7 8 ×1\ne:  1 ×0\nunwound-call 1\nunmatched-end 1\n",
            ),
            (
                &[('O', 0, 0.0), ('O', 1, 1.0), ('O', 2, 2.0)],
                0.0,
                "e: f:3 1 ×1\ne: f:3>g:7 1 ×1\ne: f:3>g:7>h:0 0 ×1\nunfinished-call 3\n",
            ),
            (&[('O', 0, 0.0)], 5.0, "e: f:3 5 ×1\nunfinished-call 1\n"),
            (
                &[('C', 2, 0.0), ('O', 0, 1.0), ('C', 0, 4.0)],
                4.0,
                "e: f:3 3 ×1\ne:  1 ×0\nunmatched-end 1\n",
            ),
            // Not in order of time; recursion; the innermost ends first.
            (
                &[('O', 0, 5.0), ('O', 0, 0.0), ('C', 0, 6.0), ('C', 0, 9.0)],
                9.0,
                "e: f:3 8 ×1\ne: f:3>f:3 1 ×1\n",
            ),
            // No time at all is still a call, and one of its caller.
            (
                &[('O', 0, 0.0), ('O', 1, 9.0), ('C', 1, 9.0), ('C', 0, 9.0)],
                9.0,
                "e: f:3 9 ×1\ne: f:3>g:7 0 ×1\n",
            ),
        ];
        for (events, end, expected) in cases {
            assert_eq!(
                rows(&file(&[&evented("microseconds", end, events)])),
                expected,
                "{events:?}"
            );
        }
    }

    #[test]
    fn frames_that_say_the_same_are_one() {
        let profile = evented("none", 2.0, &[('O', 0, 0.0), ('C', 1, 2.0)]);
        let text = format!(
            r#"{{"shared":{{"frames":[{{"name":"f"}},{{"name":"f","col":null}}]}},"profiles":[{profile}]}}"#
        );
        assert_eq!(rows(&read(text.as_bytes()).unwrap()), "e: f:0 2 ×1\n");
    }

    #[test]
    fn every_unit_is_a_metric() {
        let sampled = |name: &str, unit: &str| {
            format!(
                r#"{{"type":"sampled","name":"{name}","unit":{unit},"samples":[[0]],"weights":[5]}}"#
            )
        };
        let read = file(&[
            &sampled("a", "\"bytes\""),
            r#"{"type":"sampled","name":"none","unit":"milliseconds","samples":[],"weights":[]}"#,
            &sampled("b", "\"nanoseconds\""),
            &sampled("c", "\"bytes\""),
            &sampled("d", "\"none\""),
            &sampled("e", "null"),
        ]);
        assert_eq!(
            rows(&read),
            "a: f:3 5 0 0\nb: f:3 0 5 0\nc: f:3 5 0 0\nd: f:3 0 0 5\ne: f:3 0 0 5\n"
        );
        assert_eq!(
            metrics(&read).iter().map(|m| (m.0, m.1)).collect::<Vec<_>>(),
            [("bytes", None), ("nanoseconds", Some(1e-9)), ("samples", None)]
        );
        assert_eq!(stacks(&read).threads().len(), 6);
    }

    #[test]
    fn weights_of_other_processes_are_not_believed() {
        // What rbspy writes for two processes: the weights of all samples in each.
        let pid = |pid: u32, samples: &str| {
            format!(
                r#"{{"type":"sampled","name":"rbspy profile - pid {pid}","unit":"seconds","startValue":0,"endValue":2,"samples":{samples},"weights":[0,0.5,0.25,0.25]}}"#
            )
        };
        let read = file(&[&pid(7, "[[0],[0,1],[0]]"), &pid(8, "[[2]]")]);
        let (seven, eight) = ("rbspy profile - pid 7", "rbspy profile - pid 8");
        assert_eq!(
            rows(&read),
            format!(
                "{seven}: f:3 0.25\n{seven}: f:3>g:7 0.25\n{seven}: f:3 0.25\n{eight}: h:0 0.25\nuneven-columns 2\n"
            )
        );
        let message = &read.warnings.as_slice()[0].message;
        assert_eq!(
            message,
            "profiles[0] has 3 samples but 4 weights; all of its samples weigh the same"
        );
        assert_eq!(
            rows(&file(&[r#"{"unit":"seconds","samples":[[0],[1]]}"#])),
            ": f:3 1\n: g:7 1\n",
            "no weights"
        );
        assert_eq!(rows(&file(&[r#"{"samples":[[0]],"weights":[]}"#])), ": f:3 1\n", "no weights");
    }

    #[test]
    fn tools_that_sample_know_neither_calls_nor_executing_lines() {
        let profile = evented("none", 3.0, &[('O', 0, 0.0), ('C', 0, 3.0)]);
        for (head, expected) in [
            (r#""exporter":"pyinstrument""#, "e: f:3 3\nfunction-lines 1\n"),
            (r#""exporter":"speedscope@1.25.0""#, "e: f:3 3\nfunction-lines 1\n"),
            (r#""version":"0.0.1""#, "e: f:3 3\nfunction-lines 1\n"),
            (r#""version":"0.0.1","exporter":"mine""#, "e: f:3 3 ×1\n"),
            (r#""version":1,"exporter":"py-spy@0.4.0""#, "e: f:3 3 ×1\n"),
            (r#""exporter":null"#, "e: f:3 3 ×1\n"),
        ] {
            assert_eq!(
                rows(
                    &read(format!(r#"{{{head},{FRAMES},"profiles":[{profile}]}}"#).as_bytes())
                        .unwrap()
                ),
                expected,
                "{head}"
            );
        }
    }

    #[test]
    fn own_time_in_pyinstruments_files_is_no_callee() {
        let names = ["f", "[self]", "[await]", "[out-of-context]", "g"]
            .map(|name| format!(r#"{{"name":"{name}"}}"#))
            .join(",");
        let events = [
            ('O', 0, 0.0),
            ('O', 1, 0.0),
            ('C', 1, 3.0),
            ('O', 4, 3.0),
            ('O', 2, 3.0),
            ('C', 2, 8.0),
            ('C', 4, 9.0),
            ('O', 3, 9.0),
            ('C', 3, 10.0),
            ('C', 0, 10.0),
        ];
        let samples = r#"{"name":"s","unit":"seconds","samples":[[0,1],[0],[0,4,3],[0,4,2],[2]],"weights":[5,1,2,3,4]}"#;
        let text = |exporter: &str| {
            let profiles = format!("{},{samples}", evented("seconds", 10.0, &events));
            format!(
                r#"{{"exporter":"{exporter}","shared":{{"frames":[{names}]}},"profiles":[{profiles}]}}"#
            )
        };
        let read = |exporter| rows(&read(text(exporter).as_bytes()).unwrap());
        assert_eq!(
            read("pyinstrument"),
            "e: f:0 4\ne: f:0>g:0 6\ns: f:0 5\ns: f:0 1\ns: f:0>g:0 2\ns: f:0>g:0 3\ns:  4\n"
        );
        assert!(
            read("mine").starts_with("e: f:0 0 ×1\ne: f:0>[self]:0 3 ×1\n"),
            "anyone may call a function so"
        );
    }

    #[test]
    fn dialects() {
        let profile = evented("none", 3.0, &[('O', 0, 0.0), ('C', 0, 3.0)]);
        let old = format!(
            r#"{{"version":"0.0.1","$schema":"https://www.speedscope.app/file-format-schema.json","shared":{{"frames":[{{"name":"f"}}]}},"profiles":[{profile}]}}"#
        );
        let read_old = read(old.as_bytes()).unwrap();
        assert_eq!(
            (rows(&read_old).as_str(), read_old.writer.text()),
            ("e: f:0 3\n", Some("speedscope@0.0.1"))
        );
        // .NET: ends in quotes, lines unknown.
        let net = r#"{"type":"evented","name":"Thread (7)","unit":"milliseconds","startValue":"1.5","endValue":"9.25","events":[{"type":"O","frame":2,"at":2.5},{"type":"C","frame":2,"at":4}]}"#;
        assert_eq!(rows(&file(&[net])), "Thread (7): h:0 1.5 ×1\nThread (7):  6.25 ×0\n");
        let odd = r#"{"startValue":{},"endValue":[2],"events":[{"type":"O","frame":2,"at":2.5},{"type":"C","frame":2,"at":4}]}"#;
        assert_eq!(rows(&file(&[odd])), ": h:0 1.5 ×1\n");
    }

    #[test]
    fn profiles_without_anything() {
        let read = file(&[]);
        assert_eq!((rows(&read), metrics(&read)[0].0), (String::new(), "samples"));
        assert_eq!(rows(&file(&[r#"{"type":"flows","name":"?"}"#])), "");
    }

    #[test]
    fn what_is_broken_is_named() {
        let cases = [
            (
                r#"{"samples":[[0],[1,9]]}"#,
                "profiles[0].samples[1]: there is no frame 9; shared.frames has 4",
            ),
            (
                r#"{"events":[{"type":"O","frame":4,"at":0}]}"#,
                "profiles[0].events[0].frame: there is no frame 4; shared.frames has 4",
            ),
            (
                r#"{"events":[{"type":"X","frame":0,"at":0}]}"#,
                "profiles[0].events[0].type: unknown variant `X`, expected `O` or `C`",
            ),
            (
                r#"{"samples":[[0],[1,-9]]}"#,
                "profiles[0].samples[1][1]: invalid value: integer `-9`, expected u32",
            ),
            (
                r#"{"samples":[0]}"#,
                "profiles[0].samples[0]: invalid type: integer `0`, expected a list of frames, root first",
            ),
        ];
        for (profile, expected) in cases {
            let error =
                read(format!(r#"{{{FRAMES},"profiles":[{profile}]}}"#).as_bytes()).unwrap_err();
            assert_eq!(error.kind, ErrorKind::Malformed);
            assert!(error.to_string().starts_with(expected), "{error}");
        }
        let error = read(br#"{"shared":{"frames":[{"name":"f"}]},"profiles":[{"samples":[[0,"#)
            .unwrap_err();
        assert_eq!((error.kind, error.at), (ErrorKind::Truncated, At::Byte(63)));
    }

    #[test]
    fn deep_stacks_share_what_they_have_in_common() {
        let deep = format!("[{}0]", "0,1,".repeat(50_000));
        let read = file(&[&format!(r#"{{"samples":[{deep},{deep},[0,1],{deep}]}}"#)]);
        assert_eq!(stacks(&read).stacks().len(), 100_001);
        let nested: Vec<_> = (0..100_000_u32).map(|at| ('O', 0, f64::from(at))).collect();
        let read = file(&[&evented("none", 100_000.0, &nested)]);
        assert_eq!(
            (stacks(&read).stacks().len(), read.warnings.as_slice()[0].count),
            (100_000, 100_000)
        );
    }
}
