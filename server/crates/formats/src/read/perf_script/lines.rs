//! Groups lines into samples: which line is a header, a frame or a place, and which lines belong
//! together.

use super::frame::{self, Frame};
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
    /// A line (1-based) that is none of a sample.
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
}

impl<'a> FrameLines<'a> {
    pub(super) fn parse(&self) -> Frame<'a> {
        Frame::parse(self.text, self.place)
    }
}

/// Splits frames into runs with the same address: a frame and those inlined into it.
pub(super) fn same_code<'f, 'a>(
    frames: &'f [FrameLines<'a>],
) -> impl DoubleEndedIterator<Item = &'f [FrameLines<'a>]> {
    frames.chunk_by(|a, b| a.address == b.address)
}

/// The module of such a run. One of its frames has it, not always the outermost.
pub(super) fn module_of<'a>(code: &[FrameLines<'a>]) -> &'a str {
    code.iter().map(|frame| frame.parse().module).find(|module| !module.is_empty()).unwrap_or("")
}

/// Splits text into samples.
pub(super) struct Lines<'a> {
    rest: std::iter::Peekable<std::iter::Enumerate<std::str::Lines<'a>>>,
    /// The header of the last sample.
    pub(super) header: Header<'a>,
    /// The frames of the last sample, leaf first.
    pub(super) frames: Vec<FrameLines<'a>>,
    /// Whether samples end with a blank line and the last one does not.
    pub(super) ends_within_sample: bool,
    has_blank_ends: bool,
}

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let rest = text.lines().enumerate().peekable();
        Self {
            rest,
            header: Header::default(),
            frames: Vec::new(),
            ends_within_sample: false,
            has_blank_ends: false,
        }
    }

    pub(super) fn next_sample(&mut self) -> Option<Found> {
        self.header = Header::default();
        self.frames.clear();
        let mut is_open = false;
        while let Some(&(i, line)) = self.rest.peek() {
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
                Line::Frame(address, text) => {
                    if self.header.frame.take().is_some() {
                        self.frames.clear();
                    }
                    self.frames.push(FrameLines { address, text, place: "" });
                    is_open = true;
                }
                Line::Place(place) => {
                    if let Some(frame) = self.frames.last_mut() {
                        frame.place = place;
                    }
                }
                Line::Header(_) if is_open => return Some(Found::Sample),
                Line::Header(header) => {
                    self.rest.next();
                    let mut is_followed = || {
                        self.rest.peek().is_some_and(|(_, next)| {
                            matches!(Line::of(next, None), Line::Frame(..))
                        })
                    };
                    if !(header.is_sure() || is_followed()) {
                        return Some(Found::Malformed(i + 1));
                    }
                    self.header = header;
                    if let Some((address, text)) = header.frame {
                        self.frames.push(FrameLines { address, text, place: "" });
                    }
                    is_open = true;
                    continue;
                }
            }
            self.rest.next();
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
    /// A comment, a line of source text, or a record that is not a sample.
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
        let header = Header::parse(line);
        if header.time.is_some() {
            return if header.event.starts_with(header::RECORD) {
                Self::Other
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
