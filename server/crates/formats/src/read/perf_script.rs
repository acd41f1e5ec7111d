//! The text of `perf script`: a header line for each sample ([`mod@header`]), its frames, leaf
//! first, one per line ([`mod@frame`]), and a blank line. [`lines`] groups the lines, [`sniff`]
//! detects such files. Without call chains, the only frame follows the header in the same line.
//!
//! Events interleave: each is a metric of its own, with the period of the sample as weight, in
//! nanoseconds for clocks. With `-F +srcline` every frame is followed by a line with its executing
//! place. The file is part of a function's identity, since inlined frames often have the name of
//! the function around them.

mod frame;
mod generated;
mod header;
mod lines;
mod samples;
mod sniff;

pub use generated::{Generated, generated};
pub(crate) use sniff::is_perf_script;

use super::perf_event::{LOSE_LESS, no_sample, warn_of_lost_samples};
use crate::error::{At, ReadError};
use crate::format::Format;
use crate::input::Input;
use crate::read::result::Read;
use crate::read::shared::number::fits_counter;
use crate::read::shared::text::utf8_at;
use crate::writer::{Producer, Writer};
use lines::{Before, Found, Lines, whole_lines};
use profile::{WarningCode, Warnings};
use samples::Samples;

pub(crate) fn read(input: &mut Input<'_>) -> Result<Read, ReadError> {
    let mut file = File::default();
    let mut before = Before::default();
    loop {
        let bytes = input.bytes();
        let complete = memchr::memrchr(b'\n', bytes).map_or(0, |end| end + 1);
        let (len, after) = file.part(&bytes[..complete], input.offset(), before, false)?;
        input.take(len);
        before = after;
        // A sample may be longer than a block: then it is read again once there is much more.
        let enough = 2 * input.bytes().len();
        if !input.fill() {
            break;
        }
        while input.bytes().len() < enough && input.fill() {}
    }
    let offset = input.offset();
    let (_, all) = file.part(&input.whole(), offset, before, true)?;
    file.finish(all.n_lost)
}

/// A file that is being read.
#[derive(Default)]
struct File {
    samples: Samples,
    /// The version of perf, from `--header`.
    version: Option<String>,
    /// Whether there was anything else than comments.
    has_begun: bool,
    warnings: Warnings,
}

impl File {
    /// Reads the samples that end in a part of the file at `offset`. Returns how many bytes they have,
    /// and what is known for the next part, which begins there.
    fn part(
        &mut self,
        bytes: &[u8],
        offset: u64,
        before: Before,
        is_last: bool,
    ) -> Result<(usize, Before), ReadError> {
        let text = utf8_at(bytes, offset, &mut self.warnings);
        let whole = if is_last { whole_lines(&text) } else { &text };
        self.head(whole);
        let mut lines = Lines::new(whole, before, is_last);
        while let Some(found) = lines.next_sample() {
            match found {
                Found::Sample if lines.header.period.is_none_or(fits_counter) => {
                    self.samples.push(&lines.header, &lines.frames)?;
                }
                Found::Sample => self.warnings.add(WarningCode::MalformedSample, || {
                    format!(
                        "a sample of {} has a period of more than 64 bits; it is left out",
                        lines.header.event
                    )
                }),
                Found::Malformed(line) => self.warnings.add(WarningCode::MalformedLine, || {
                    format!(
                        "line {line}: expected a sample (`comm tid time: period event:`) or a frame (`address symbol (module)`)"
                    )
                }),
            }
        }
        if lines.ends_within_sample || whole.len() < text.len() {
            let message = "the text ends within a sample, which may be incomplete; the rest of the recording may be missing";
            self.warnings.add(WarningCode::Truncated, || message.to_owned());
        }
        Ok(lines.finish())
    }

    /// Looks for the version of perf in the comments with which a file begins.
    fn head(&mut self, text: &str) {
        if self.has_begun || text.is_empty() {
            return;
        }
        self.has_begun = true;
        let mut comments =
            text.lines().take_while(|line| line.starts_with('#') || line.trim().is_empty());
        self.version = comments
            .find_map(|line| line.strip_prefix("# perf version : "))
            .map(|version| version.trim().to_owned());
    }

    fn finish(self, n_lost: u64) -> Result<Read, ReadError> {
        let Self { samples, version, mut warnings, .. } = self;
        if samples.len() == 0 {
            let expected =
                "`comm tid time: period event:` and below it frames, `address symbol (module)`";
            return Err(ReadError::truncated(At::File, no_sample(n_lost, LOSE_LESS, expected)));
        }
        warn_of_lost_samples(n_lost, samples.len(), LOSE_LESS, &mut warnings);
        let producer = version.map(|version| Producer::new("perf", &version));
        Ok(Read {
            writer: Writer::of_producer(producer),
            span_seconds: samples.span_seconds(),
            ..Read::new(Format::PerfScript, samples.finish()?, warnings)
        })
    }
}

#[cfg(test)]
mod tests;
