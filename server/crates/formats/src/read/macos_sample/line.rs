//! The lines of a report.

use crate::read::shared::apple::{Image, hexadecimal, source_file};

/// What the lines before the call graph say.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Header {
    pub(super) process: String,
    pub(super) pid: Option<String>,
    pub(super) interval_seconds: Option<f64>,
}

impl Header {
    /// Whether a line says what was sampled.
    pub(super) fn is(line: &str) -> bool {
        Self::of(line).is_some()
    }

    /// `Analysis of sampling words (pid 4211) every 1 millisecond`
    fn of(line: &str) -> Option<Self> {
        let (process, rest) = line.strip_prefix("Analysis of sampling ")?.rsplit_once(" (pid ")?;
        let (pid, rest) = rest.split_once(") every ")?;
        let (interval, unit) = rest.split_once(' ')?;
        let milliseconds: Option<f64> = interval.parse().ok();
        Some(Self {
            process: process.to_owned(),
            pid: Some(pid.to_owned()),
            interval_seconds: milliseconds
                .filter(|_| unit.starts_with("millisecond"))
                .map(|interval| interval / 1e3),
        })
    }

    pub(super) fn add(&mut self, line: &str) {
        if let Some(header) = Self::of(line) {
            *self = header;
        }
    }
}

/// A line of the call graph: `    +   800 count  (in words) + 40  [0x1026f7b10]`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Node<'a> {
    /// How many callers are on its stack, with its thread.
    pub(super) depth: usize,
    pub(super) count: u64,
    pub(super) text: &'a str,
}

impl<'a> Node<'a> {
    pub(super) fn of(line: &'a str) -> Option<Self> {
        let line = line.strip_prefix("    ")?;
        let rest = line.trim_start_matches([' ', '+', '!', ':', '|']);
        let (count, text) = rest.split_once(' ')?;
        Some(Self {
            depth: (line.len() - rest.len()) / 2,
            count: count.parse().ok()?,
            text: text.trim_start(),
        })
    }
}

/// A thread: `Thread_9214: reader   DispatchQueue_7: com.example.input  (serial)`. What is not stated is empty.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ThreadLine<'a> {
    pub(super) tid: &'a str,
    pub(super) name: &'a str,
    pub(super) queue: &'a str,
}

impl<'a> ThreadLine<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        let (thread, queue) = text.split_once("   DispatchQueue_").unwrap_or((text, ""));
        let thread = thread.trim_end();
        let thread = thread.strip_prefix("Thread_").unwrap_or(thread);
        let (tid, name) = thread.split_once(": ").unwrap_or((thread, ""));
        // A thread with several queues has `<multiple>` instead.
        let (_, queue) = queue.split_once(": ").unwrap_or(("", ""));
        let (queue, _) = queue.rsplit_once("  (").unwrap_or((queue, ""));
        Self { tid, name, queue }
    }
}

/// A frame. Texts that are not stated are empty.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Frame<'a> {
    pub(super) name: &'a str,
    pub(super) lib: &'a str,
    /// The first address in memory.
    pub(super) address: Option<u64>,
    /// Its offset in the library, if that is all that is known of the function.
    pub(super) offset: Option<u64>,
    pub(super) file: &'a str,
    /// 1-based; 0 if unknown.
    pub(super) line: u32,
}

impl<'a> Frame<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        let Some((name, rest)) = text.rsplit_once("  (in ") else {
            return Self { name: text, ..Self::default() };
        };
        // The name of a library may have brackets: `Code Helper (Renderer)`.
        let ends = [") + ", ")  load address ", ")  ["];
        let end = ends.iter().filter_map(|end| rest.find(end)).min();
        let end = end.unwrap_or_else(|| rest.strip_suffix(')').unwrap_or(rest).len());
        let (lib, rest) = rest.split_at(end);
        let (offset, rest) = rest.split_once("  [").unwrap_or((rest, ""));
        let (addresses, place) = rest.split_once(']').unwrap_or((rest, ""));
        let (file, line) = place.trim().rsplit_once(':').unwrap_or(("", ""));
        let file = source_file(file);
        Self {
            name,
            lib,
            address: hexadecimal(addresses.split(',').next().unwrap_or_default()),
            offset: offset.rsplit_once(" + ").and_then(|(_, offset)| hexadecimal(offset)),
            file,
            line: if file.is_empty() { 0 } else { line.parse().unwrap_or(0) },
        }
    }
}

/// A program or library: `0x1026f4000 - 0x1026f7fff +words (0) <8F0D…> /srv/words/words`.
pub(super) fn image(line: &str) -> Option<Image> {
    let (start, rest) = line.trim_start().split_once(" - ")?;
    let (_, rest) = rest.split_once(" <")?;
    let (uuid, path) = rest.split_once("> ")?;
    let (_, name) = path.rsplit_once('/').unwrap_or(("", path));
    Some(Image {
        name: name.to_owned(),
        path: path.to_owned(),
        uuid: uuid.to_owned(),
        arch: String::new(),
        start: Some(hexadecimal(start)?),
    })
}
