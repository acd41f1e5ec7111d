//! speedscope's own file format, written by py-spy, rbspy, pyinstrument, austin2speedscope,
//! dotnet-trace and many others (`file-format-schema.json` of the npm package `speedscope`).
//!
//! Frames are listed once, in `shared.frames`. Each of `profiles` is a thread, either *sampled*
//! (stacks, root first, with a weight each) or *evented* (frames that open and close at given
//! times). Each profile has its own unit; every unit becomes a metric.
//!
//! Deviations from the schema in real files: `null` for unknown values; no `$schema`; an `endValue`
//! unrelated to the samples; weights that include those of other profiles (rbspy with several
//! processes). A frame has one `line`; whether it executed or is the first one of the function
//! depends on the exporter. Events are calls, unless a tool made them from samples: the number of
//! calls is unknown then.
//!
//! pyinstrument writes a function's own time as a call of `[self]`, `[await]` or
//! `[out-of-context]`, .NET's tools as one of `CPU_TIME`, `UNMANAGED_CODE_TIME` or `AWAIT_TIME`.
//! These are not functions; their time is added to the caller.

mod scan;
mod schema;

use super::dotnet;
use crate::error::{At, ReadError};
use crate::format::Format;
use crate::input::Input;
use crate::read::result::Read;
use crate::read::shared::calls;
use crate::read::shared::calls::{CallTimes, Event, What};
use crate::read::shared::id_tree::Node;
use crate::read::shared::rows::MAX_METRICS;
use crate::writer::{Dialect, Producer, Writer};
use profile::{
    FrameId, LineKnowledge, Metric, ProfileBuilder, Recording, Samples, StackId, Thread,
    WarningCode, Warnings, Weights,
};
use schema::{File, FrameEvent, Kind, Profile, Scalar, SharedFrame};

/// Exporters that make events from samples and whose lines, if any, are the first ones of functions.
/// speedscope itself exports what it read from other formats, and older tools of .NET use its name.
const OF_SAMPLES: [Dialect; 3] = [Dialect::DotNet, Dialect::Pyinstrument, Dialect::Speedscope];

pub(crate) fn read(input: &mut Input<'_>) -> Result<Read, ReadError> {
    let file = scan::file(input)?;
    let mut warnings = Warnings::default();
    let writer = Writer::of_producer(match (&file.exporter, &file.version) {
        (Some(exporter), _) => Some(Producer::parse(exporter)),
        (None, Some(Scalar::Text(version))) => Some(Producer::new("speedscope", version)),
        (None, _) => None,
    });
    let of_samples = writer.dialect.filter(|dialect| OF_SAMPLES.contains(dialect));
    let units = units(&file.profiles)?;
    let any_line = file.frames.iter().any(|frame| frame.file.is_some() && frame.line() > 0);
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
    let is_own_time =
        |frame: &SharedFrame| writer.dialect.is_some_and(|dialect| frame.is_own_time(dialect));
    let is_of_dotnet = match writer.dialect {
        Some(Dialect::DotNet) => true,
        Some(Dialect::Speedscope) => file.frames.iter().any(is_own_time),
        _ => false,
    };
    let frames = file.frames.iter().map(|frame| {
        (!is_own_time(frame)).then(|| frame.intern(is_of_dotnet, &mut builder)).transpose()
    });
    let frames = frames.collect::<Result<Vec<_>, _>>()?;
    let stacks = stacks(&file, &frames, &mut builder)?;
    let mut tables = Tables {
        units,
        frames,
        stacks,
        events_are_calls: of_samples.is_none(),
        is_of_dotnet,
        builder: &mut builder,
        warnings: &mut warnings,
    };
    for (i, profile) in file.profiles.into_iter().enumerate() {
        tables.push(i, profile)?;
    }
    let recording = Recording::Stacks(builder.build());
    Ok(Read { writer, span_seconds, ..Read::new(Format::Speedscope, recording, warnings) })
}

/// The stack of each node of the tree of samples.
fn stacks(
    file: &File,
    frames: &[Option<FrameId>],
    builder: &mut ProfileBuilder,
) -> Result<Vec<Option<StackId>>, ReadError> {
    let nodes = file.stacks.nodes();
    let mut stacks: Vec<Option<StackId>> = Vec::with_capacity(nodes.len());
    for (parent, frame) in nodes {
        let caller = parent.index().and_then(|parent| stacks.get(parent).copied().flatten());
        let found = frame_of(frames, frame, || sample_with(file, frame))?;
        stacks.push(match found {
            Some(frame) => Some(builder.intern_stack(caller, frame)?),
            None => caller,
        });
    }
    Ok(stacks)
}

/// The key of the first sample with this frame.
fn sample_with(file: &File, frame: u32) -> String {
    let with_frame = |&leaf: &Node| file.stacks.path(leaf).any(|id| id == frame);
    let key = |(i, profile): (usize, &Profile)| {
        let row = profile.samples.as_ref()?.iter().position(with_frame)?;
        Some(format!("profiles[{i}].samples[{row}]"))
    };
    file.profiles.iter().enumerate().find_map(key).unwrap_or_else(|| "profiles".to_owned())
}

/// The units of all profiles that are not empty, in order of first use.
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

/// The time from the first to the last event of all profiles with times.
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

/// The tables being built, and the tables of the file that profiles refer to.
struct Tables<'t> {
    units: Vec<String>,
    /// The frames of `shared.frames`; `None` for own time of the caller.
    frames: Vec<Option<FrameId>>,
    /// The stack of each node of the tree of samples.
    stacks: Vec<Option<StackId>>,
    events_are_calls: bool,
    is_of_dotnet: bool,
    builder: &'t mut ProfileBuilder,
    warnings: &'t mut Warnings,
}

/// The samples of a profile, with the number of calls for each, if known.
struct Rows {
    stacks: Vec<Option<StackId>>,
    weights: Weights,
    calls: Option<Vec<u32>>,
    times: RowTimes,
}

/// The times of rows, in the unit of the profile.
enum RowTimes {
    Unknown,
    /// The start of each sample.
    Starts(Vec<f64>),
    Calls(CallTimes),
}

impl Tables<'_> {
    fn push(&mut self, i: usize, mut profile: Profile) -> Result<(), ReadError> {
        let own_unit = profile.unit().to_owned();
        let name = profile.name.take().unwrap_or_default();
        let Rows { stacks, weights, calls, times } = match profile.events.take() {
            Some(events) => self.evented(i, &profile, events)?,
            None => self.sampled(i, profile),
        };
        let n = stacks.len();
        let mut own = Some(weights);
        let columns = self.units.iter().map(|unit| {
            let own = if *unit == own_unit { own.take() } else { None };
            own.unwrap_or_else(|| Weights::Each(vec![0.0; n]))
        });
        let samples = Samples::new(stacks, columns.collect());
        let samples = if let Some(calls) = calls { samples.with_calls(calls) } else { samples };
        let unit_ms = Metric::new(&own_unit, &own_unit, None).seconds_per_unit.map(|s| s * 1e3);
        let samples = match (times, unit_ms) {
            (RowTimes::Starts(starts), Some(ms)) => {
                samples.with_times(starts.iter().map(|at| at * ms).collect())
            }
            (RowTimes::Calls(times), Some(ms)) => times.add_to(samples, ms),
            _ => samples,
        };
        Ok(self.builder.push_thread(Thread { name, ..Thread::default() }, samples)?)
    }

    fn evented(
        &mut self,
        i: usize,
        profile: &Profile,
        events: Vec<FrameEvent>,
    ) -> Result<Rows, ReadError> {
        let first = events.iter().map(|event| event.at).fold(f64::INFINITY, f64::min);
        let mut stored = calls::Events::default();
        for (row, FrameEvent { kind, at, frame }) in events.into_iter().enumerate() {
            let place = || format!("profiles[{i}].events[{row}].frame");
            let Some(frame) = frame_of(&self.frames, frame, place)? else { continue };
            let at = self.time(at);
            // Equal rows of the list are the same frame.
            let what = match kind {
                Kind::Open => What::Begin { name: frame.raw(), frame },
                Kind::Close => What::End { name: Some(frame.raw()), frame: None },
            };
            stored.push(Event { at, cpu: f64::NAN, what })?;
        }
        let end = profile.end_value.as_ref().and_then(Scalar::number).map(|at| self.time(at));
        let run = calls::run(stored, end, self.builder, self.warnings)?;
        let mut stacks: Vec<_> = run.stacks.into_iter().map(Some).collect();
        let (mut own, mut calls) = (run.own, vec![1; stacks.len()]);
        // Time of the profile outside of all calls has no stack.
        let start = profile
            .start_value
            .as_ref()
            .and_then(Scalar::number)
            .filter(|start| *start < first && first.is_finite());
        let outside = run.outside + start.map_or(0.0, |start| first - start);
        if outside > 0.0 {
            stacks.push(None);
            own.push(outside);
            calls.push(0);
        }
        Ok(Rows {
            stacks,
            weights: Weights::Each(own),
            calls: self.events_are_calls.then_some(calls),
            times: RowTimes::Calls(run.times),
        })
    }

    /// The time of an event.
    fn time(&self, at: f64) -> f64 {
        if self.is_of_dotnet { dotnet::whole_ns(at) } else { at }
    }

    fn sampled(&mut self, i: usize, profile: Profile) -> Rows {
        let leaves = profile.samples.unwrap_or_default();
        let start = profile.start_value.as_ref().and_then(Scalar::number).unwrap_or_default();
        let weights = weights(i, leaves.len(), profile.weights, self.warnings);
        // A sample lasts until the next.
        let times = match &weights {
            Weights::Each(weights) => RowTimes::Starts(starts(start, weights)),
            Weights::Ones | Weights::Counts(_) => RowTimes::Unknown,
        };
        let stack = |leaf: Node| self.stacks.get(leaf.index()?).copied().flatten();
        let stacks = leaves.into_iter().map(stack).collect();
        Rows { stacks, weights, calls: None, times }
    }
}

/// When each sample starts, if the first one starts at `start`.
fn starts(start: f64, weights: &[f64]) -> Vec<f64> {
    let mut at = start;
    let starts = weights.iter().map(|weight| {
        let start = at;
        at += weight.max(0.0);
        start
    });
    starts.collect()
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

/// One weight for each of `n` samples. If the number of weights differs, they cannot be matched,
/// and each sample gets their mean.
fn weights(i: usize, n: usize, weights: Option<Vec<f64>>, warnings: &mut Warnings) -> Weights {
    match weights {
        Some(weights) if weights.len() == n => Weights::Each(weights),
        Some(weights) if !weights.is_empty() => {
            warnings.add(WarningCode::UnevenColumns, || {
                let found = weights.len();
                format!("profiles[{i}] has {n} samples but {found} weights; all of its samples have the same weight")
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

#[cfg(test)]
mod tests;
