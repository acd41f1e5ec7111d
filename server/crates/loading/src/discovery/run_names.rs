//! Parses the names that profilers give to the files of one run.

use formats::Format;
use std::path::{Path, PathBuf};

/// A parsed file name.
#[derive(Debug, PartialEq, Eq)]
pub struct FileName<'n> {
    /// The part before the numbers.
    pub stem: &'n str,
    /// The numbers after the stem. For callgrind: process and dump. For perf: any number. For
    /// Node.js: date, time, process, thread and sequence.
    pub numbers: Vec<&'n str>,
    /// The number of the thread after a hyphen (callgrind), or the address of the isolate (V8's logs).
    pub thread: Option<&'n str>,
}

/// Parses the name of a file in a format whose profilers may write several files per run. `None`
/// for other formats and names.
pub fn parse(file: &str, format: Format) -> Option<FileName<'_>> {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let file = file.strip_suffix(".gz").or_else(|| file.strip_suffix(".zst")).unwrap_or(file);
    match format {
        Format::Callgrind => {
            let thread = file.rsplit_once('-').filter(|(_, thread)| is_number(thread));
            let (mut stem, mut numbers) = (thread.map_or(file, |(before, _)| before), Vec::new());
            while let Some((before, number)) =
                stem.rsplit_once('.').filter(|(_, number)| is_number(number))
            {
                stem = before;
                numbers.insert(0, number);
            }
            Some(FileName { stem, numbers, thread: thread.map(|(_, thread)| thread) })
        }
        Format::PerfData => {
            let digits = |byte: u8| byte.is_ascii_digit();
            let end = file.bytes().rposition(digits)? + 1;
            let start =
                file[..end].bytes().rposition(|byte| !digits(byte)).map_or(0, |before| before + 1);
            Some(FileName { stem: &file[..start], numbers: vec![&file[start..end]], thread: None })
        }
        Format::CpuProfile | Format::HeapProfile => {
            let (stem, extension) = if format == Format::CpuProfile {
                ("CPU", "cpuprofile")
            } else {
                ("Heap", "heapprofile")
            };
            let numbers = file
                .strip_prefix(stem)?
                .strip_prefix('.')?
                .strip_suffix(extension)?
                .strip_suffix('.')?;
            let numbers: Vec<_> = numbers.split('.').collect();
            (numbers.len() == 5 && numbers.iter().all(|number| is_number(number)))
                .then_some(FileName { stem, numbers, thread: None })
        }
        // `isolate-0x36cafee0-25828-v8.log`
        Format::V8Log => {
            let numbers = file.strip_prefix("isolate-")?.strip_suffix("-v8.log")?;
            let (isolate, pid) = numbers.split_once('-').filter(|(_, pid)| is_number(pid))?;
            Some(FileName { stem: "isolate", numbers: vec![pid], thread: Some(isolate) })
        }
        _ => None,
    }
}

/// The first file that Valgrind creates for a process. It is created when the process starts, and
/// often stays empty.
pub fn first_file(path: &Path, format: Format) -> Option<PathBuf> {
    let FileName { stem, numbers, .. } = parse(path.file_name()?.to_str()?, format)?;
    let pid = numbers.first().map(|pid| format!(".{pid}")).unwrap_or_default();
    (format == Format::Callgrind).then(|| path.with_file_name(format!("{stem}{pid}")))
}
