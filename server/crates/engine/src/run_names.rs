//! The names that profilers give the files of one run: which numbers they have, and what comes
//! before these.

use formats::Format;
use std::path::{Path, PathBuf};

/// A name in its parts.
#[derive(Debug, PartialEq, Eq)]
pub struct FileName<'n> {
    /// What comes before the numbers.
    pub stem: &'n str,
    /// Numbers behind the stem: of the process, of the dump, or of Node.js's date, time, process,
    /// thread and sequence.
    pub numbers: Vec<&'n str>,
    /// The number of the thread, behind a hyphen.
    pub thread: Option<&'n str>,
}

/// The name of a file by a profiler that writes several; `None` for any other.
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
        _ => None,
    }
}

/// The file that Valgrind makes for a process before any other: born with the process, and often
/// empty for ever.
pub fn first_file(path: &Path, format: Format) -> Option<PathBuf> {
    let FileName { stem, numbers, .. } = parse(path.file_name()?.to_str()?, format)?;
    let pid = numbers.first().map(|pid| format!(".{pid}")).unwrap_or_default();
    (format == Format::Callgrind).then(|| path.with_file_name(format!("{stem}{pid}")))
}
