//! Groups lines into samples: which line is a header, a frame or a place, and which lines belong
//! together.

use super::frame;
use super::header::{self, Header};

/// The text without a truncated last line. A frame with a closed module is complete without a
/// newline, too.
pub(super) fn whole_lines(text: &str) -> &str {
    match text.rsplit_once('\n') {
        Some((_, "")) => text,
        Some((lines, last)) if !last.trim_end().ends_with(')') => lines,
        _ => text,
    }
}

/// The result of a step through the text.
pub(super) enum Found {
    /// A sample, in [`Lines::header`] and [`Lines::frames`].
    Sample,
    /// A line (1-based) that belongs to no sample.
    Malformed(usize),
}

/// The two lines of a frame.
#[derive(Debug, Clone, Copy)]
pub(super) struct FrameLines<'a> {
    pub(super) address: &'a str,
    /// The text after the address.
    pub(super) text: &'a str,
    /// The second line; empty if there is none.
    pub(super) place: &'a str,
    /// Whether the line begins with a tab, as perf prints call chains.
    pub(super) has_tab: bool,
}

/// Splits frames into runs with the same address: a frame and those inlined into it.
pub(super) fn same_code<'f, 'a>(
    frames: &'f [FrameLines<'a>],
) -> impl Iterator<Item = &'f [FrameLines<'a>]> {
    frames.chunk_by(|a, b| a.address == b.address)
}

/// What is known from the parts of a file before this one.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Before {
    pub(super) n_lines: usize,
    /// Whether samples end with a blank line.
    pub(super) has_blank_ends: bool,
    /// The number of lost samples.
    pub(super) n_lost: u64,
}

/// Splits a part of a file into samples.
pub(super) struct Lines<'a> {
    text: &'a str,
    /// The offset of the next line.
    at: usize,
    /// The number of lines before it, in the file.
    n_before: usize,
    /// Whether the file ends with this part.
    is_last: bool,
    /// The header of the last sample.
    pub(super) header: Header<'a>,
    /// The frames of the last sample, leaf first.
    pub(super) frames: Vec<FrameLines<'a>>,
    /// Whether samples end with a blank line and the last one does not.
    pub(super) ends_within_sample: bool,
    has_blank_ends: bool,
    n_lost: u64,
    /// The lines before this offset belong to whole samples: their number, and how many samples
    /// they say were lost.
    whole: (usize, usize, u64),
}

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a str, before: Before, is_last: bool) -> Self {
        Self {
            text,
            at: 0,
            n_before: before.n_lines,
            is_last,
            header: Header::default(),
            frames: Vec::new(),
            ends_within_sample: false,
            has_blank_ends: before.has_blank_ends,
            n_lost: before.n_lost,
            whole: (0, before.n_lines, before.n_lost),
        }
    }

    /// The length of the text up to the first sample that the next part may go on with, and what is
    /// known about that much.
    pub(super) fn finish(&self) -> (usize, Before) {
        let all = (self.at, self.n_before, self.n_lost);
        let (len, n_lines, n_lost) = if self.is_last { all } else { self.whole };
        (len, Before { n_lines, has_blank_ends: self.has_blank_ends, n_lost })
    }

    /// The next line, and its length with its end.
    fn peek(&self) -> Option<(&'a str, usize)> {
        let rest = self.text.get(self.at..).filter(|rest| !rest.is_empty())?;
        let len = memchr::memchr(b'\n', rest.as_bytes()).map_or(rest.len(), |end| end + 1);
        let line = rest.get(..len)?;
        let line = line.strip_suffix('\n').unwrap_or(line);
        Some((line.strip_suffix('\r').unwrap_or(line), len))
    }

    fn skip(&mut self, len: usize) {
        self.at += len;
        self.n_before += 1;
    }

    /// The next sample that ends in this part.
    pub(super) fn next_sample(&mut self) -> Option<Found> {
        self.header = Header::default();
        self.frames.clear();
        let mut is_open = false;
        self.whole = (self.at, self.n_before, self.n_lost);
        while let Some((line, len)) = self.peek() {
            match Line::of(line, self.frames.last()) {
                Line::Blank if is_open => {
                    // With frames below, the address after the header was one of data.
                    if self.header.frame.is_some() {
                        self.frames.clear();
                    }
                    self.has_blank_ends = true;
                    return Some(Found::Sample);
                }
                Line::Blank | Line::Other => {}
                Line::Lost(n) => self.n_lost = self.n_lost.saturating_add(n),
                Line::Frame(address, text) => {
                    if self.header.frame.take().is_some() {
                        self.frames.clear();
                    }
                    let has_tab = line.starts_with('\t');
                    self.frames.push(FrameLines { address, text, place: "", has_tab });
                    is_open = true;
                }
                Line::Place(place) => {
                    if let Some(frame) = self.frames.last_mut() {
                        frame.place = place;
                    }
                }
                Line::Header(_) if is_open => return Some(Found::Sample),
                Line::Header(header) => {
                    self.skip(len);
                    let next = self.peek();
                    if next.is_none() && !self.is_last {
                        return None;
                    }
                    let is_followed = next
                        .is_some_and(|(next, _)| matches!(Line::of(next, None), Line::Frame(..)));
                    if !(header.is_sure() || is_followed) {
                        return Some(Found::Malformed(self.n_before));
                    }
                    self.header = header;
                    if let Some((address, text)) = header.frame {
                        let frame = FrameLines { address, text, place: "", has_tab: false };
                        self.frames.push(frame);
                    }
                    is_open = true;
                    continue;
                }
            }
            self.skip(len);
        }
        if !self.is_last {
            return None;
        }
        self.ends_within_sample |= is_open && self.has_blank_ends;
        is_open.then_some(Found::Sample)
    }
}

/// The kinds of lines.
pub(super) enum Line<'a> {
    Blank,
    /// Address and text.
    Frame(&'a str, &'a str),
    /// The executing place of the frame on the previous line.
    Place(&'a str),
    Header(Header<'a>),
    /// A number of lost samples, as `--show-lost-events` prints it.
    Lost(u64),
    /// A comment, a line of source text, other data of a sample, or another record that is not a
    /// sample.
    Other,
}

impl<'a> Line<'a> {
    /// Classifies a line; `before` is the frame on the previous line, perhaps with its place.
    pub(super) fn of(line: &'a str, before: Option<&FrameLines<'_>>) -> Self {
        let text = line.trim();
        if text.is_empty() {
            return Self::Blank;
        }
        if line.starts_with(['#', '|']) {
            return Self::Other;
        }
        let address = || frame::split_address(text).filter(|_| line.starts_with([' ', '\t']));
        if line.starts_with('\t') {
            return address().map_or(Self::Other, |(address, text)| Self::Frame(address, text));
        }
        if before.is_some_and(|frame| frame.has_tab) && is_data(text) {
            return Self::Other;
        }
        let header = Header::parse(line);
        if header.time.is_some() {
            return if header.event.starts_with(header::RECORD) {
                header.lost().map_or(Self::Other, Self::Lost)
            } else {
                Self::Header(header)
            };
        }
        let is_indented_by_two = line.starts_with("  ") && !line.starts_with("   ");
        if is_indented_by_two && before.is_some_and(|frame| frame.place.is_empty()) {
            return Self::Place(text);
        }
        match address() {
            Some((address, text)) if header.event.is_empty() => Self::Frame(address, text),
            _ => Self::Header(header),
        }
    }
}

/// Whether a line has only data that perf prints after a call chain: registers (`ABI:2    AX:0x0`),
/// branches (`0x55/0x66/P/-/-/0`), a physical address, sizes of pages.
fn is_data(text: &str) -> bool {
    let is_datum = |word: &str| {
        word.starts_with("0x") || frame::is_address(word) || header::is_page_size(word)
    };
    text.starts_with("ABI:") || text.split_ascii_whitespace().all(is_datum)
}
