//! Bytes of profile files to recordings.
//!
//! [`read()`] looks through compression ([`inflate`]), recognises the format by content
//! ([`mod@detect`]) and hands the bytes to the reader of that format. Readers check every index
//! once and collect recoverable oddities as warnings; what they cannot read is one [`ReadError`]
//! that says where and what was expected.
//!
//! No files, no clocks, no costs: bytes in, tables out.

pub mod detect;
mod error;
pub mod foreign;
pub mod inflate;
mod origin;
mod pprof_proto;
mod read;
mod scan;
pub mod write;
mod writer;

pub use detect::{Format, detect};
pub use error::{At, ErrorKind, ReadError};
pub use foreign::Foreign;
pub use origin::{Origin, origin};
pub use read::perf_script::{Generated, generated};
pub use writer::{Dialect, Producer, Writer};

use profile::{RawStacks, Recording, WarningCode, Warnings, Weights};

/// What came out of one file.
#[derive(Debug)]
pub struct Read {
    /// What it says.
    pub recording: Recording,
    /// Which format it was in.
    pub format: Format,
    /// The version of the format, where the file states one (`49`).
    pub version: Option<String>,
    /// What kind of costs was recorded, where the file states it and the metrics do not show it
    /// (`wall` of stackprof, `heap` of DHAT).
    pub mode: Option<String>,
    /// The program that wrote the file, and the dialect of the format that it uses.
    pub writer: Writer,
    /// From the first to the last sample, in seconds, where the file has times.
    pub span_seconds: Option<f64>,
    /// Recoverable oddities.
    pub warnings: Warnings,
    /// Stacks that were recorded as they lay in memory: samples have their leaves, callers are to
    /// be found.
    pub raw_stacks: Option<RawStacks>,
}

impl Read {
    /// A recording of which the file says nothing else.
    pub(crate) fn new(format: Format, recording: Recording, warnings: Warnings) -> Self {
        Self {
            recording,
            format,
            version: None,
            mode: None,
            writer: Writer::default(),
            span_seconds: None,
            warnings,
            raw_stacks: None,
        }
    }
}

/// Bounds on what is believed of a file.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// More inflated bytes than this are refused.
    pub max_inflated_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_inflated_bytes: 2 << 30 }
    }
}

/// What a long read is doing. Handed to the observer of [`read()`] at the start of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Decompressing; so many bytes have come out.
    Inflating(u64),
    /// Decoding so many bytes.
    Decoding(u64),
}

/// Reads one file. `observe` hears what is being done and stops the read by returning `Break`.
pub fn read(
    bytes: Vec<u8>,
    limits: Limits,
    observe: &mut dyn FnMut(Phase) -> std::ops::ControlFlow<()>,
) -> Result<Read, ReadError> {
    let inflate::Inflated { bytes, cut } = inflate::inflate(bytes, limits, observe)?;
    if observe(Phase::Decoding(bytes.len() as u64)).is_break() {
        return Err(ReadError::cancelled());
    }
    let text = detect::without_bom(&bytes);
    let format = detect(text);
    if let Some(cut) = cut.clone().filter(|_| !format.is_some_and(Format::is_appended)) {
        return Err(cut);
    }
    let mut read = match format {
        Some(Format::FirefoxProcessed) => read::firefox::read(text),
        Some(Format::FirefoxSlabs) => read::firefox::read_slabs(text),
        Some(Format::Gecko) => read::firefox::read_gecko(text),
        Some(Format::CpuProfile) => read::cpuprofile::read(text),
        Some(Format::HeapProfile) => read::heapprofile::read(text),
        Some(Format::ChromeTrace) => read::chrome_trace::read(text),
        Some(Format::Speedscope) => read::speedscope::read(text),
        Some(Format::Pprof) => read::pprof::read(text),
        Some(Format::PerfData) => read::perf_data::read(&bytes, limits),
        Some(Format::PerfScript) => read::perf_script::read(text),
        Some(Format::Folded) => read::folded::read(text),
        Some(Format::Rbspy) => read::rbspy::read(text),
        Some(Format::AustinMojo) => read::mojo::read(text),
        Some(Format::Pstats) => read::pstats::read(&bytes),
        Some(Format::Stackprof) => read::stackprof::read(text),
        Some(Format::Dhat) => read::dhat::read(text),
        Some(Format::Callgrind) => read::callgrind::read(text),
        Some(Format::RbspySummary) => read::rbspy_summary::read(text),
        None => Err(detect::unknown(text)),
    }?;
    check_weights(&read.recording)?;
    if let Some(cut) = cut {
        read.warnings.add(WarningCode::Truncated, || {
            format!("{cut}; what was recorded until then is shown")
        });
    }
    Ok(read)
}

/// Refuses weights of which no sum, share or unit would make sense: not even 2^63 of them for each
/// of 2^32 samples add up to so much.
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

    fn read_text(text: &str) -> Result<Read, ReadError> {
        read(text.as_bytes().to_vec(), Limits::default(), &mut |_| {
            std::ops::ControlFlow::Continue(())
        })
    }

    #[test]
    fn weights_beyond_all_sense_are_refused() {
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

    /// A file that is appended to is as good as all its records but the bad ones.
    #[test]
    fn a_bad_number_costs_its_record() {
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
