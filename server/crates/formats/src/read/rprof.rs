//! The text that R's sampling profiler writes (`Rprof`).
//!
//! ```text
//! memory profiling: GC profiling: line profiling: sample.interval=10000
//! #File 1: R/walk.R
//! :292770:1120080:29406160:491:"mean" 1#14 "FUN" "vapply" 1#12 "smooth"
//! ```
//!
//! The first line says what was profiled, and the interval in microseconds. With `append = TRUE`, there is
//! one before the samples of each run, and files are numbered anew. Each other line is a sample,
//! leaf first. `FILE#LINE` is the line that the function after it executes; files are numbered by `#File`
//! lines before their first use. Only functions that keep their source have lines, and one function may have
//! them in one sample and not in the next, where it runs as compiled code.
//!
//! With memory profiling, samples begin with the memory in use: small vectors, large vectors and nodes in
//! bytes, and the number of duplications. As in R's own `summaryRprof(memory = "both")`, the memory of a
//! sample is by how much these bytes have grown since the sample before.
//!
//! Sources: `src/main/eval.c` and `src/library/utils/R/summRprof.R` of R, and files by R 4.2.

use crate::error::{At, ReadError};
use crate::format::Format;
use crate::input::Input;
use crate::read::result::Read;
use crate::read::shared::func_text::FuncText;
use crate::read::shared::rows::Rows;
use crate::read::shared::text::utf8_at;
use profile::{
    BuildError, Frame, Metric, ProfileBuilder, Recording, StackId, Thread, WarningCode, Warnings,
};
use rustc_hash::FxHashMap;
use std::borrow::Cow;

/// The name of code that is in no function.
const TOP_LEVEL: &str = "(top level)";

/// Whether a file begins like this.
pub(crate) fn is_rprof(bytes: &[u8]) -> bool {
    Header::of_file(bytes).is_some()
}

/// The first line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Header {
    has_memory: bool,
    /// In microseconds.
    interval: u32,
}

impl Header {
    /// That of a file, which may be only the beginning of it.
    fn of_file(bytes: &[u8]) -> Option<Self> {
        let (line, _) = bytes.split_at_checked(memchr::memchr(b'\n', bytes)?)?;
        Self::of(std::str::from_utf8(line).ok()?)
    }

    fn of(line: &str) -> Option<Self> {
        let (parts, interval) = line.trim_end().rsplit_once("sample.interval=")?;
        let mut parts = parts.split_terminator(": ");
        let is_known =
            |part| matches!(part, "memory profiling" | "GC profiling" | "line profiling");
        let has_memory = parts.clone().any(|part| part == "memory profiling");
        let interval = interval.parse().ok()?;
        parts.all(is_known).then_some(Self { has_memory, interval })
    }

    fn metrics(self) -> Vec<Metric> {
        let seconds = f64::from(self.interval) / 1e6;
        let samples = Metric::new("samples", "samples", Some(seconds));
        let memory = self.has_memory.then(|| Metric::new("memory", "bytes", None));
        [samples].into_iter().chain(memory).collect()
    }
}

pub(crate) fn read(input: &mut Input<'_>) -> Result<Read, ReadError> {
    let header = Header::of_file(input.bytes()).ok_or_else(|| {
        ReadError::malformed(At::Line(1, 1), "expected `sample.interval=` and a number")
    })?;
    let mut tables = Tables::new(header);
    while let Some((lines, offset)) = input.lines() {
        let text = utf8_at(lines, offset, &mut tables.warnings);
        text.split_inclusive('\n').try_for_each(|line| tables.line(line))?;
    }
    tables.finish()
}

/// The tables being built.
struct Tables {
    header: Header,
    builder: ProfileBuilder,
    rows: Rows<()>,
    warnings: Warnings,
    /// Names by number.
    files: FxHashMap<u32, String>,
    /// The memory in use at the sample before.
    used: Option<[f64; 3]>,
    n_lines: usize,
}

/// A sample: the functions, leaf first, each with its place.
#[derive(Debug, PartialEq)]
struct Sample<'a> {
    used: Option<[f64; 3]>,
    frames: Vec<(Cow<'a, str>, Option<Place>)>,
}

/// A line (1-based) of a file, by its number.
type Place = (u32, u32);

impl Tables {
    fn new(header: Header) -> Self {
        let metrics = header.metrics();
        Self {
            header,
            rows: Rows::new(metrics.len()),
            builder: ProfileBuilder::new(metrics, 0),
            warnings: Warnings::default(),
            files: FxHashMap::default(),
            used: None,
            n_lines: 0,
        }
    }

    /// Reads a line with its newline. A last line without one is a part of a sample, whose callers are
    /// missing.
    fn line(&mut self, text: &str) -> Result<(), ReadError> {
        self.n_lines += 1;
        let number = self.n_lines;
        let Some(line) = text.strip_suffix('\n') else {
            self.warnings.add(WarningCode::PartialLine, || {
                format!("line {number}, the last one, is cut; its sample is left out")
            });
            return Ok(());
        };
        let line = line.trim_end_matches('\r');
        if let Some(header) = Header::of(line) {
            (self.header, self.used) = (header, None);
            self.files.clear();
        } else if let Some((number, name)) = file(line) {
            self.files.insert(number, name.to_owned());
        } else if let Some(sample) = sample(line, self.header.has_memory) {
            self.push(&sample)?;
        } else {
            self.warnings.add(WarningCode::MalformedLine, || {
                format!("line {number}: expected a sample, `\"f\" 1#14 \"g\"`")
            });
        }
        Ok(())
    }

    fn push(&mut self, sample: &Sample<'_>) -> Result<(), BuildError> {
        let mut stack: Option<StackId> = None;
        for (name, place) in sample.frames.iter().rev() {
            let (file, line) = place.map_or(("", 0), |(file, line)| match self.files.get(&file) {
                Some(name) => (name.as_str(), line),
                None => ("", 0),
            });
            let func = FuncText { name, file, ..FuncText::default() }.intern(&mut self.builder)?;
            let frame = self.builder.intern_frame(Frame::new(func, line))?;
            stack = Some(self.builder.intern_stack(stack, frame)?);
        }
        let before = self.used.or(sample.used);
        let grown = |(now, before): (f64, f64)| (now - before).max(0.0);
        let memory = sample
            .used
            .zip(before)
            .map_or(0.0, |(now, before)| now.into_iter().zip(before).map(grown).sum::<f64>());
        self.used = sample.used.or(self.used);
        let weight = |metric| if metric == 0 { 1.0 } else { memory };
        self.rows.push((), Thread::default, stack, weight);
        Ok(())
    }

    fn finish(mut self) -> Result<Read, ReadError> {
        if self.rows.is_empty() {
            return Err(ReadError::truncated(
                At::File,
                "the profile has no samples: the program ended, or `Rprof(NULL)` was called, \
                 within the first interval",
            ));
        }
        self.rows.finish(&mut self.builder)?;
        let recording = Recording::Stacks(self.builder.build());
        Ok(Read::new(Format::Rprof, recording, self.warnings))
    }
}

/// The number and name of a file: `#File 1: R/walk.R`.
fn file(line: &str) -> Option<(u32, &str)> {
    let (number, name) = line.strip_prefix("#File ")?.split_once(": ")?;
    Some((number.parse().ok()?, name))
}

fn sample(line: &str, has_memory: bool) -> Option<Sample<'_>> {
    let (mut used, mut rest) = (None, line);
    if has_memory {
        let (in_use, after) = memory(line)?;
        (used, rest) = (Some(in_use), after);
    }
    let (mut frames, mut place) = (Vec::new(), None);
    loop {
        rest = rest.trim_start_matches(' ');
        if rest.is_empty() {
            break;
        }
        if let Some(quoted) = rest.strip_prefix('"') {
            let (name, after) = name(quoted)?;
            frames.push((name, place.take()));
            rest = after;
        } else {
            let (token, after) = rest.split_once(' ').unwrap_or((rest, ""));
            let (file, line) = token.split_once('#')?;
            let next = (file.parse().ok()?, line.parse().ok()?);
            frames.extend(place.replace(next).map(|at| (Cow::Borrowed(TOP_LEVEL), Some(at))));
            rest = after;
        }
    }
    frames.extend(place.map(|at| (Cow::Borrowed(TOP_LEVEL), Some(at))));
    Some(Sample { used, frames })
}

/// The memory in use, in bytes, and the rest of the line.
fn memory(line: &str) -> Option<([f64; 3], &str)> {
    let mut parts = line.strip_prefix(':')?.splitn(5, ':');
    let mut number = || parts.next()?.parse::<u64>().ok().map(|number| number as f64);
    let used = [number()?, number()?, number()?];
    number()?;
    Some((used, parts.next()?))
}

/// A name after its opening quote, and the text after the closing one. Quotes within a name have a
/// backslash in front.
fn name(text: &str) -> Option<(Cow<'_, str>, &str)> {
    let mut escaped = false;
    let end = text.bytes().position(|byte| {
        let is_end = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        is_end
    })?;
    let (name, rest) = (&text[..end], &text[end + 1..]);
    let name = if name.contains('\\') { Cow::Owned(unescaped(name)) } else { Cow::Borrowed(name) };
    Some((name, rest))
}

fn unescaped(name: &str) -> String {
    let mut chars = name.chars();
    let mut text = String::new();
    while let Some(char) = chars.next() {
        text.push(if char == '\\' { chars.next().unwrap_or(char) } else { char });
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::text_rows::{rows, warnings};

    fn read(text: &str) -> Result<Read, ReadError> {
        crate::input::in_memory(text.as_bytes(), super::read)?
    }

    #[test]
    fn a_line_belongs_to_the_function_after_it() {
        let text = "GC profiling: line profiling: sample.interval=10000\n\
                    #File 1: main.R\n\
                    \"mean\" 2#14 \"FUN\" \"vapply\" 1#9 \"run\" \n\
                    #File 2: R/the walk.R\n\
                    \"mean\" 2#14 \"FUN\" \"vapply\" 1#9 \"run\" \n\
                    1#3 \n\
                    \n";
        let read = read(text).unwrap();
        let expected = "\
run|main.R:9 > vapply > FUN > mean 1
run|main.R:9 > vapply > FUN|R/the walk.R:14 > mean 1
(top level)|main.R:3 1
 1
";
        assert_eq!(rows(&read), expected);
        assert!(warnings(&read).is_empty());
        let metric = &read.recording.metrics()[0];
        assert_eq!((&*metric.name, metric.seconds_per_unit), ("samples", Some(0.01)));
    }

    #[test]
    fn memory_is_what_a_sample_has_more_than_the_one_before() {
        let text = "memory profiling: sample.interval=20000\n\
                    :100:1000:56:3:\"f\" \n\
                    :120:900:156:4:\"g\" \"f\" \n\
                    :20:900:200:4:\n";
        // 20 and 100 more, 100 less; then 44 more and 100 less.
        assert_eq!(rows(&read(text).unwrap()), "f 1 0\nf > g 1 120\n 1 44\n");
    }

    #[test]
    fn a_run_that_is_appended_numbers_files_anew() {
        let text = "line profiling: sample.interval=10000\n#File 1: a.R\n1#2 \"f\" \n\
                    line profiling: sample.interval=10000\n#File 1: b.R\n1#3 \"f\" \n1#4 \"f\" \n";
        let read = read(text).unwrap();
        assert_eq!(rows(&read), "f|a.R:2 1\nf|b.R:3 1\nf|b.R:4 1\n");
        assert!(warnings(&read).is_empty());
    }

    #[test]
    fn names_may_have_quotes_and_blanks() {
        let text = "sample.interval=10000\n\"a \\\"b\\\"\" \"pkg::f\" \"\\\\\" \n";
        assert_eq!(rows(&read(text).unwrap()), "\\ > pkg::f > a \"b\" 1\n");
    }

    #[test]
    fn a_cut_sample_is_left_out() {
        let text = "sample.interval=10000\n\"f\" \"g\" \n\"f\" \"h";
        let cut = read(text).unwrap();
        assert_eq!(rows(&cut), "g > f 1\n");
        assert_eq!(warnings(&cut), [(WarningCode::PartialLine, 1)]);
        let error = read_error("sample.interval=10000\n\"f");
        assert!(error.contains("the profile has no samples"), "{error}");
        let malformed = read("sample.interval=1\nf g\n\"f\" \n").unwrap();
        assert_eq!(warnings(&malformed), [(WarningCode::MalformedLine, 1)]);
    }

    fn read_error(text: &str) -> String {
        read(text).unwrap_err().to_string()
    }

    #[test]
    fn the_first_line_is_recognised() {
        for line in [
            "sample.interval=10000",
            "line profiling: sample.interval=20000\r",
            "memory profiling: GC profiling: line profiling: sample.interval=10000",
        ] {
            assert!(is_rprof(format!("{line}\n\"f\" \n").as_bytes()), "{line}");
        }
        for line in ["sample.interval=", "a: sample.interval=1", "x sample.interval=1", ""] {
            assert!(!is_rprof(line.as_bytes()), "{line}");
        }
    }
}
