//! Reads a file of any format.

use crate::detect::{detect, detect_input, unknown};
use crate::error::{At, ErrorKind, ReadError};
use crate::format::Format;
use crate::input::{self, Input, Observer, Source};
use crate::limits::Limits;
use crate::read::result::Read;
use crate::read::{
    callgrind, chrome_trace, cpuprofile, deep, dhat, firefox, flame_graph, folded, ghc, gprof,
    heapprofile, heaptrack, jfr, line_profiler, macos_sample, memray, mojo, nettrace, otlp,
    perf_data, perf_script, pprof, pstats, pyinstrument, rbspy, rbspy_summary, rprof, scalene,
    simpleperf, speedscope, stackprof, v8_log, xctrace,
};
use profile::{GraphAccess, Recording, StackAccess, WarningCode, Weights};

/// Reads a file. `observe` is called for each block that has arrived and cancels the read by returning
/// `Break`.
pub fn read<'a>(
    source: impl Into<Source<'a>>,
    limits: Limits,
    observe: Observer<'_>,
) -> Result<Read, ReadError> {
    input::open(source.into(), limits, observe, |input| read_input(input, limits))?
}

fn read_input(input: &mut Input<'_>, limits: Limits) -> Result<Read, ReadError> {
    let format = detect_input(input);
    input.set_format(format);
    let read = read_format(input, format, limits);
    if read.is_ok() {
        input.skip_to_end();
    }
    let is_appended = format.is_some_and(Format::is_appended);
    let cut = match input.failure() {
        Some(cut) if cut.kind == ErrorKind::Truncated && is_appended => Some(cut),
        Some(failure) => return Err(failure),
        None => None,
    };
    let mut read = read?;
    check_weights(&read.recording)?;
    if let Some(cut) = cut {
        read.warnings.add(WarningCode::Truncated, || {
            format!("{cut}; what was recorded before that is shown")
        });
    }
    read.truncated = truncated(&read, input.is_compressed());
    Ok(read)
}

fn read_format(
    input: &mut Input<'_>,
    format: Option<Format>,
    limits: Limits,
) -> Result<Read, ReadError> {
    match format {
        Some(Format::FirefoxProcessed) => firefox::read(input),
        Some(Format::FirefoxSlabs) => firefox::read_slabs(&input.whole()),
        Some(Format::Gecko) => firefox::read_gecko(input),
        Some(Format::CpuProfile) => cpuprofile::read(&input.whole()),
        Some(Format::HeapProfile) => heapprofile::read(&input.whole()),
        Some(Format::V8Log) => v8_log::read(&input.whole()),
        Some(Format::ChromeTrace) => chrome_trace::read(input),
        Some(Format::Speedscope) => speedscope::read(input),
        Some(Format::Pprof) => pprof::read(input),
        Some(Format::Otlp) => otlp::read(&input.whole()),
        Some(Format::PerfData) => perf_data::read(input, limits),
        Some(Format::PerfScript) => perf_script::read(input),
        Some(Format::Simpleperf) => simpleperf::read(input),
        Some(Format::MacosSample) => macos_sample::read(input),
        Some(Format::Xctrace) => xctrace::read(input),
        Some(Format::Folded) => folded::read(input),
        Some(Format::FlameGraph) => flame_graph::read(&input.whole()),
        Some(Format::Rbspy) => rbspy::read(&input.whole()),
        Some(Format::AustinMojo) => mojo::read(&input.whole()),
        Some(Format::Pstats) => pstats::read(&input.whole()),
        Some(Format::Stackprof) => stackprof::read(&input.whole()),
        Some(Format::Pyinstrument) => pyinstrument::read(&input.whole()),
        Some(Format::LineProfiler) => line_profiler::read(&input.whole()),
        Some(Format::Scalene) => scalene::read(&input.whole()),
        Some(Format::Heaptrack) => heaptrack::read(input),
        Some(Format::Ghc) => ghc::read(&input.whole()),
        Some(Format::Gprof) => gprof::read(&input.whole()),
        Some(Format::Jfr) => jfr::read(input),
        Some(Format::Memray) => memray::read(input),
        Some(Format::Nettrace) => nettrace::read(input),
        Some(Format::Rprof) => rprof::read(input),
        Some(Format::Dhat) => dhat::read(&input.whole()),
        Some(Format::Callgrind) => callgrind::read(input),
        Some(Format::RbspySummary) => rbspy_summary::read(&input.whole()),
        Some(Format::MercuryDeep) => deep::read(&input.whole()),
        None => Err(unknown(&input.whole())),
    }
}

/// Whether the file of a result is cut ([`Read::truncated`]).
fn truncated(read: &Read, is_compressed: bool) -> Option<bool> {
    let has = |codes: &[WarningCode]| {
        read.warnings.as_slice().iter().any(|warning| codes.contains(&warning.code))
    };
    let has_end = read.format.shows_end() || (is_compressed && read.format.is_compressed());
    if has(&[WarningCode::Truncated, WarningCode::PartialLine, WarningCode::Incomplete]) {
        Some(true)
    } else if has(&[WarningCode::OpenEnd, WarningCode::Malformed]) {
        None
    } else {
        read.truncated.or(has_end.then_some(false))
    }
}

/// The nodes of a deep profile of Mercury as text, for people who debug profilers and readers.
///
/// # Errors
/// If the file is damaged or of another format.
pub fn dump(bytes: Vec<u8>, limits: Limits) -> Result<String, ReadError> {
    let (bytes, cut) = input::whole(bytes.into(), limits)?;
    match (detect(&bytes), cut) {
        (_, Some(cut)) => Err(cut),
        (Some(Format::MercuryDeep), None) => deep::dump(&bytes),
        (Some(format), None) => Err(ReadError::unrecognised(format!(
            "the format is `{}`; only the nodes of `{}` can be printed",
            format.name(),
            Format::MercuryDeep.name()
        ))),
        (None, None) => Err(unknown(&bytes)),
    }
}

/// Rejects weights that are too large for sums and shares to make sense. 2^32 samples of 2^63 each
/// are still far below the limit.
fn check_weights(recording: &Recording) -> Result<(), ReadError> {
    const MOST: f64 = 1e30;
    for (i, metric) in recording.metrics().iter().enumerate() {
        let sum: f64 = match recording {
            Recording::Stacks(profile) => {
                let columns = profile.samples().iter().filter_map(|samples| {
                    match samples.weights().get(i)? {
                        Weights::Ones | Weights::Counts(_) => None,
                        Weights::Each(column) => Some(column),
                    }
                });
                columns.flatten().map(|weight| weight.abs()).sum()
            }
            Recording::Graph(graph) => {
                let graph = graph.tables();
                let weights = graph
                    .own
                    .iter()
                    .map(|own| &own.weights)
                    .chain(graph.calls.iter().map(|call| &call.weights));
                weights.filter_map(|weights| weights.get(i)).map(|weight| weight.abs()).sum()
            }
        };
        if sum.is_nan() || sum > MOST {
            let message = format!(
                "the weights of metric `{}` add up to more than 10^30; expected weights of samples",
                metric.name
            );
            return Err(ReadError::malformed(At::File, message));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use std::ops::ControlFlow;

    fn read_text(text: &str) -> Result<Read, ReadError> {
        read(text.as_bytes().to_vec(), Limits::default(), &mut |_| ControlFlow::Continue(()))
    }

    #[test]
    fn too_large_weights_are_rejected() {
        let file = |weight: &str| {
            format!(
                r#"{{"shared":{{"frames":[{{"name":"f"}}]}},"profiles":[{{"type":"sampled","unit":"none","samples":[[0],[0]],"weights":[{weight},{weight}]}}]}}"#
            )
        };
        assert!(read_text(&file(&u64::MAX.to_string())).is_ok());
        for weight in ["1e30", "1e307"] {
            let error = read_text(&file(weight)).unwrap_err();
            assert_eq!((error.kind, error.at), (ErrorKind::Malformed, At::File), "{weight}");
        }
    }

    /// In formats that are appended to, one bad record loses only that record.
    #[test]
    fn a_bad_number_loses_only_its_record() {
        let big = "9".repeat(40);
        let cases = [
            (format!("main;a 1\nmain;b {big}\nmain;c 2\n"), 3.0, WarningCode::MalformedLine),
            (
                format!("P1;T0:2;a.py:f:3 1\nP1;T0:2;a.py:f:3 {big}\nP1;T0:2;a.py:f:3 2\n"),
                3.0,
                WarningCode::MalformedLine,
            ),
            (
                format!(
                    "p 1 1.000001: 1 cpu:\n\t10 f+0x0 (p)\n\np 1 1.000002: {big} cpu:\n\t10 f+0x0 (p)\n\np 1 1.000003: 2 cpu:\n\t10 f+0x0 (p)\n\n"
                ),
                3.0,
                WarningCode::MalformedSample,
            ),
            (
                format!(
                    r#"[{{"ph":"X","ts":0,"dur":3,"name":"f"}},{{"ph":"X","ts":1,"dur":{big},"name":"g"}}"#
                ),
                3.0,
                WarningCode::MalformedEvent,
            ),
            (
                r#"[{"ph":"X","ts":0,"dur":3,"name":"f"},{"ph":"X","ts":1e300,"dur":1,"name":"g"}"#
                    .to_owned(),
                3.0,
                WarningCode::NoTime,
            ),
        ];
        for (text, expected, warning) in cases {
            let read = read_text(&text).unwrap();
            let weights =
                read.recording.sampled().unwrap().samples().iter().flat_map(|samples| {
                    (0..samples.len()).map(|row| samples.weights()[0].get(row))
                });
            assert_eq!(weights.sum::<f64>(), expected, "{text}");
            assert!(
                read.warnings
                    .as_slice()
                    .iter()
                    .any(|found| (found.code, found.count) == (warning, 1)),
                "{text}"
            );
        }
    }
}
