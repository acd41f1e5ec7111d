//! Recordings of heaptrack, as it writes them: `heaptrack_interpret` resolves addresses while the program
//! runs. Recordings with `--raw` have addresses alone, and are of [another kind](crate::foreign_kind::Foreign).
//!
//! Each line is a record, with hexadecimal numbers. Strings and instructions are numbered from 1, traces
//! from 1 (0 is no caller), allocations from 0:
//!
//! ```text
//! v 10400 3                  version of heaptrack, version of the format
//! s 4 main                   a string after its length, which formats before 3 do not have
//! i 2000 1 4 3 4 2 3 a       an instruction: address, module, then function, file and line of the code and
//!                            of what it is inlined into; what is not known is 0 or left out at the end
//! t 2 1                      a trace: its instruction and the trace that calls it
//! a 30 2                     a kind of allocation: size and trace
//! + 1                        such a block is allocated
//! - 1                        such a block is freed
//! # strings: 4               at the end
//! ```
//!
//! Costs are those of `heaptrack_print`: what was allocated when most memory was, for the first time; all
//! allocations; the temporary ones, which are freed by the very next event; what is never freed; and all bytes.
//! After a block is freed, `heaptrack_print` takes the next event for one of allocation 0, so its number of
//! temporary ones may be higher by those of allocation 0. The file says nothing about threads.
//!
//! Source: `accumulatedtracedata.cpp` of heaptrack 1.4.

use crate::error::{At, ReadError};
use crate::format::Format;
use crate::input::Input;
use crate::read::result::Read;
use crate::read::shared::func_text::FuncText;
use crate::read::shared::text::utf8_at;
use profile::{
    BuildError, Frame, FrameId, FuncId, Metric, ProfileBuilder, Recording, Samples, StackId,
    Thread, WarningCode, Warnings,
};
use std::str::SplitAsciiWhitespace;

/// The versions of the format that can be read.
const VERSIONS: std::ops::RangeInclusive<u64> = 1..=3;

/// The metrics, each with its unit. The first is shown.
const METRICS: [(&str, &str); 5] = [
    ("peak memory", "bytes"),
    ("allocations", "allocations"),
    ("temporary allocations", "temporary allocations"),
    ("leaked memory", "bytes"),
    ("allocated memory", "bytes"),
];

/// Whether a file begins like this.
pub(crate) fn is_heaptrack(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(1 << 10)]);
    let mut lines = text.lines();
    lines.next().is_some_and(|line| version(line).is_some())
        && lines.next().is_some_and(|line| line.starts_with("X "))
}

/// The version of the format in the first line.
fn version(line: &str) -> Option<u64> {
    let mut numbers = Numbers(line.strip_prefix("v ")?.split_ascii_whitespace());
    let (_program, format) = (numbers.next()?, numbers.next()?);
    Some(format)
}

/// Hexadecimal numbers.
struct Numbers<'a>(SplitAsciiWhitespace<'a>);

impl Iterator for Numbers<'_> {
    type Item = u64;

    /// `None` at the end, or for text that is no number.
    fn next(&mut self) -> Option<u64> {
        u64::from_str_radix(self.0.next()?, 16).ok()
    }
}

impl Numbers<'_> {
    /// The next number, which is an index.
    fn index(&mut self) -> Option<usize> {
        usize::try_from(self.next()?).ok()
    }
}

pub(crate) fn read(input: &mut Input<'_>) -> Result<Read, ReadError> {
    let mut file = File::default();
    while let Some((lines, offset)) = input.lines() {
        let text = utf8_at(lines, offset, &mut file.warnings);
        for line in text.split_inclusive('\n') {
            file.n_lines += 1;
            match line.strip_suffix('\n') {
                Some(line) => file.line(line)?,
                None => file.is_complete = false,
            }
        }
    }
    file.finish()
}

/// A kind of allocation.
#[derive(Debug, Clone, Default)]
struct Allocation {
    size: f64,
    stack: Option<StackId>,
    /// How many blocks there are.
    live: u32,
    /// How many there were when most memory was allocated.
    at_peak: u32,
    /// Whether `live` has changed since then.
    has_changed: bool,
    allocated: f64,
    temporary: f64,
}

/// A file that is being read.
struct File {
    builder: ProfileBuilder,
    warnings: Warnings,
    n_lines: usize,
    version: u64,
    /// Whether the last line is one that heaptrack writes at the end.
    is_complete: bool,
    strings: Vec<String>,
    /// The frames of each instruction, innermost first.
    instructions: Vec<Vec<FrameId>>,
    traces: Vec<Option<StackId>>,
    allocations: Vec<Allocation>,
    /// The allocations that changed since the peak.
    changed: Vec<usize>,
    live: f64,
    peak: f64,
    /// The allocation of the last event, if that was one.
    last: Option<usize>,
}

impl Default for File {
    fn default() -> Self {
        let metrics = METRICS.map(|(name, unit)| Metric::new(name, unit, None));
        Self {
            builder: ProfileBuilder::new(metrics.to_vec(), 0),
            warnings: Warnings::default(),
            n_lines: 0,
            version: 0,
            is_complete: false,
            strings: Vec::new(),
            instructions: Vec::new(),
            traces: Vec::new(),
            allocations: Vec::new(),
            changed: Vec::new(),
            live: 0.0,
            peak: 0.0,
            last: None,
        }
    }
}

impl File {
    fn line(&mut self, line: &str) -> Result<(), ReadError> {
        self.is_complete = line.starts_with('#');
        let known = match line.split_at_checked(1) {
            Some(("v", _)) => {
                self.version = version(line).unwrap_or(0);
                if !VERSIONS.contains(&self.version) {
                    return Err(ReadError::unrecognised(format!(
                        "version {} of heaptrack's format is not supported; expected 1 to 3",
                        self.version
                    )));
                }
                Some(())
            }
            Some(("s", rest)) => self.string(rest),
            Some((kind @ ("i" | "t" | "a" | "+" | "-"), rest)) => {
                let numbers = Numbers(rest.split_ascii_whitespace());
                match kind {
                    "i" => self.instruction(numbers)?,
                    "t" => self.trace(numbers)?,
                    "a" => self.allocation(numbers),
                    "+" => self.allocate(numbers),
                    _ => self.free(numbers),
                }
            }
            // The command, pages, times, memory, suppressions.
            _ => Some(()),
        };
        if known.is_none() {
            let number = self.n_lines;
            self.warnings.add(WarningCode::MalformedLine, || {
                format!("line {number}: expected a record with numbers of records before it")
            });
        }
        Ok(())
    }

    fn string(&mut self, rest: &str) -> Option<()> {
        let text = rest.strip_prefix(' ')?;
        let text =
            if self.version < 3 { text } else { text.split_once(' ').unwrap_or((text, "")).1 };
        self.strings.push(text.to_owned());
        Some(())
    }

    /// The string with a number. Empty for 0.
    fn text(&self, number: Option<usize>) -> &str {
        let known = number.and_then(|number| self.strings.get(number.checked_sub(1)?));
        known.map_or("", String::as_str)
    }

    fn instruction(&mut self, mut numbers: Numbers<'_>) -> Result<Option<()>, BuildError> {
        let (Some(address), Some(module)) = (numbers.next(), numbers.index()) else {
            self.instructions.push(Vec::new());
            return Ok(None);
        };
        let lib = self.text(Some(module)).to_owned();
        let mut frames: Vec<(FuncId, u32)> = Vec::new();
        loop {
            let (name, file, line) = (numbers.index(), numbers.index(), numbers.next());
            if name.is_none() && !frames.is_empty() {
                break;
            }
            let mut name = self.text(name).to_owned();
            if name.is_empty() {
                name = format!("{address:#x}");
            }
            let file = self.text(file).to_owned();
            let func = FuncText { name: &name, file: &file, lib: &lib, ..FuncText::default() };
            let func = func.intern(&mut self.builder)?;
            let line = line.and_then(|line| u32::try_from(line).ok()).unwrap_or(0);
            frames.push((func, line));
        }
        let outermost = frames.len() - 1;
        let frames = frames.into_iter().enumerate().map(|(k, (func, line))| {
            let frame = Frame { inlined: k < outermost, ..Frame::new(func, line) };
            self.builder.intern_frame(frame)
        });
        let frames = frames.collect::<Result<Vec<_>, _>>()?;
        self.instructions.push(frames);
        Ok(Some(()))
    }

    fn trace(&mut self, mut numbers: Numbers<'_>) -> Result<Option<()>, BuildError> {
        let (instruction, caller) = (numbers.index(), numbers.index());
        let instruction =
            instruction.and_then(|number| self.instructions.get(number.checked_sub(1)?));
        let caller = match caller {
            Some(0) => Some(None),
            Some(number) => self.traces.get(number - 1).copied(),
            None => None,
        };
        let (Some(frames), Some(mut stack)) = (instruction, caller) else {
            self.traces.push(None);
            return Ok(None);
        };
        for &frame in frames.iter().rev() {
            stack = Some(self.builder.intern_stack(stack, frame)?);
        }
        self.traces.push(stack);
        Ok(Some(()))
    }

    fn allocation(&mut self, mut numbers: Numbers<'_>) -> Option<()> {
        let (size, trace) = (numbers.next(), numbers.index());
        let size = size.unwrap_or(0) as f64;
        let stack = trace.and_then(|number| self.traces.get(number.checked_sub(1)?).copied());
        let stack_of_trace = stack.flatten();
        self.allocations.push(Allocation { size, stack: stack_of_trace, ..Allocation::default() });
        stack.map(|_| ())
    }

    fn allocate(&mut self, mut numbers: Numbers<'_>) -> Option<()> {
        let number = numbers.index()?;
        let allocation = self.allocations.get_mut(number)?;
        allocation.live += 1;
        allocation.allocated += 1.0;
        self.live += allocation.size;
        self.last = Some(number);
        self.change(number);
        if self.live > self.peak {
            self.peak = self.live;
            for number in self.changed.drain(..) {
                let allocation = &mut self.allocations[number];
                (allocation.at_peak, allocation.has_changed) = (allocation.live, false);
            }
        }
        Some(())
    }

    fn free(&mut self, mut numbers: Numbers<'_>) -> Option<()> {
        let number = numbers.index()?;
        let allocation = self.allocations.get_mut(number)?;
        // heaptrack may have missed the allocation.
        if allocation.live > 0 {
            allocation.live -= 1;
            self.live -= allocation.size;
        }
        if self.last.take() == Some(number) {
            allocation.temporary += 1.0;
        }
        self.change(number);
        Some(())
    }

    fn change(&mut self, number: usize) {
        let allocation = &mut self.allocations[number];
        if !std::mem::replace(&mut allocation.has_changed, true) {
            self.changed.push(number);
        }
    }

    fn finish(mut self) -> Result<Read, ReadError> {
        if self.allocations.iter().all(|allocation| allocation.allocated == 0.0) {
            let message =
                "the recording has no allocations; record the program until it makes some";
            return Err(ReadError::truncated(At::File, message));
        }
        if !self.is_complete {
            self.warnings.add(WarningCode::Truncated, || {
                "the recording has no end, because heaptrack still runs or was killed, or the file is \
                 cut; what comes before that is shown"
                    .to_owned()
            });
        }
        let mut samples = Samples::with_metrics(METRICS.len());
        for allocation in self.allocations.iter().filter(|allocation| allocation.allocated > 0.0) {
            let &Allocation { size, live, at_peak, allocated, temporary, .. } = allocation;
            let weights = [
                f64::from(at_peak) * size,
                allocated,
                temporary,
                f64::from(live) * size,
                allocated * size,
            ];
            samples.push(allocation.stack, |metric| weights[metric]);
        }
        self.builder.push_thread(Thread::default(), samples)?;
        let recording = Recording::Stacks(self.builder.build());
        Ok(Read::new(Format::Heaptrack, recording, self.warnings))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::text_rows::{rows, warnings};
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    fn read(text: &str) -> Result<Read, ReadError> {
        crate::input::in_memory(text.as_bytes(), super::read)?
    }

    /// `main` allocates 16 bytes, and 48 in `take`, which is inlined into it. Then the 16 are freed, 32 are
    /// allocated and freed, and 8 of an unknown function stay.
    const APP: &str = "\
v 10400 3
X ./app
I 1000 400
s 3 app
s 4 main
s 8 main.cpp
s 4 take
i 1000 1 2 3 9
t 1 0
a 10 1
+ 0
i 2000 1 4 3 4 2 3 a
t 2 0
a 30 2
+ 1
- 0
a 20 1
+ 2
- 2
i 3000 1
t 3 1
a 8 3
+ 3
c 1
# strings: 4
";

    #[test]
    fn costs_are_those_of_heaptrack_print() {
        let read = read(APP).unwrap();
        // 80 bytes are most: 48, and the temporary 32.
        let expected = "\
main|main.cpp|app:9 0 1 0 0 16
main|main.cpp|app:10 > take|main.cpp|app:4~ 48 1 0 48 48
main|main.cpp|app:9 32 1 1 0 32
main|main.cpp|app:9 > 0x3000|app 0 1 0 8 8
";
        assert_eq!(crate::read::text_rows::labelled_rows(&read, |_| String::new()), expected);
        assert!(warnings(&read).is_empty());
    }

    #[test]
    fn of_equal_peaks_the_first_counts() {
        let text = "v 10400 3\nX ./app\ns 3 app\ns 1 f\ns 1 g\ni 1000 1 2\ni 2000 1 3\nt 1 0\nt 2 0\n\
                    a 10 1\na 10 2\n+ 0\n- 0\n+ 1\n# strings: 3\n";
        assert_eq!(rows(&read(text).unwrap()), "f|app 16 1 1 0 16\ng|app 0 1 0 16 16\n");
    }

    #[test]
    fn a_recording_without_an_end_is_shown() {
        let cut = APP.split("i 3000").next().unwrap();
        let whole = read(cut).unwrap();
        assert_eq!(rows(&whole).lines().count(), 3);
        assert_eq!(warnings(&whole), [(WarningCode::Truncated, 1)]);
        let within_line = read(&APP[..APP.len() - 30]).unwrap();
        assert_eq!(warnings(&within_line), [(WarningCode::Truncated, 1)]);
        assert!(read("v 10400 3\nX ./app\n").unwrap_err().to_string().contains("no allocations"));
    }

    /// heaptrack writes zstd; a decoder holds back a window of it.
    #[test]
    fn a_cut_recording_has_its_whole_blocks() {
        let mut text = APP.replace("# strings: 4\n", "");
        (0..40_000).for_each(|_| text += "+ 1\n- 1\n");
        let packed = compress_to_vec(text.as_bytes(), CompressionLevel::Fastest);
        let go_on = &mut |_| std::ops::ControlFlow::Continue(());
        let cut = packed[..packed.len() - 10].to_vec();
        let read = crate::read(cut, crate::Limits::default(), go_on).unwrap();
        assert_eq!(read.truncated, Some(true));
        assert_eq!(rows(&read).lines().count(), 4);
        let codes: Vec<_> = warnings(&read).into_iter().map(|(code, _)| code).collect();
        assert_eq!(codes, [WarningCode::Truncated]);
    }

    #[test]
    fn records_that_name_others_have_to_follow_them() {
        let text = "v 10400 2\nX ./app\ns main\ni 1 0 1\nt 9 0\nt 1 7\na 1 5\n+ 4\nt 1 0\na 8 3\n+ 1\n# e\n";
        let read = read(text).unwrap();
        assert_eq!(rows(&read), "main 8 1 0 8 8\n");
        assert_eq!(warnings(&read), [(WarningCode::MalformedLine, 4)]);
    }

    #[test]
    fn other_versions_are_refused() {
        let error = read("v 10400 4\nX ./app\n").unwrap_err().to_string();
        assert!(error.contains("version 4 of heaptrack's format is not supported"), "{error}");
    }
}
