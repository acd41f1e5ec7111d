//! Flame graphs as SVG: the default output of py-spy and cargo-flamegraph, drawn by inferno or by FlameGraph's
//! `flamegraph.pl`.
//!
//! ```text
//! <g><title>parse (app.py:9) (61 samples, 50.41%)</title><rect x="0%" y="52" width="50%" fg:x="0" fg:w="61"/>…
//! ```
//!
//! Each rectangle is a frame. Its title has the text that the frame had in folded stacks, and its cost. Its caller
//! is the rectangle below it, or above it in an inverted graph: on the next row towards that of `all`. What a
//! frame costs more than the rectangles on it is its self cost. So the stacks are there again, and are read as
//! [folded stacks](super::folded).
//!
//! Frames that are too narrow are not drawn: less than a tenth of a pixel, or a hundredth of a percent. Their cost is
//! that of their callers.
//!
//! Sources: `flamegraph/mod.rs` of inferno 0.12, `flamegraph.pl`.

use super::folded;
use crate::error::{At, ReadError};
use crate::format::Format;
use crate::read::result::Read;
use profile::Metric;
use quick_xml::Reader;
use quick_xml::escape::unescape;
use quick_xml::events::{BytesStart, Event};
use regex::Regex;
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::LazyLock;

/// The title of a frame: its text, its cost, what is counted, and its share.
static TITLE: LazyLock<Regex> = LazyLock::new(|| {
    #[expect(clippy::unwrap_used, reason = "a constant that tests use")]
    Regex::new(r"(?s)^(.*) \(([\d,]+) ([^,;()]+), ([\d.]+)%(?:; [-+]?[\d.]+%)?\)$").unwrap()
});

/// How much longer the stacks may be as text. Each frame repeats its callers.
const MAX_GROWTH: usize = 64;
/// Less is not counted.
const FEW_BYTES: usize = 64 << 20;

/// Whether a file begins like this.
pub(crate) fn is_flame_graph(bytes: &[u8]) -> bool {
    let comment = [&b"lame graph"[..], b"lame Graph"];
    is_picture(bytes) && comment.iter().any(|text| has(bytes, text))
}

/// Whether a file begins like a picture and has no end.
pub(crate) fn is_cut_picture(bytes: &[u8]) -> bool {
    is_picture(bytes) && !bytes.trim_ascii_end().ends_with(b"</svg>")
}

fn is_picture(bytes: &[u8]) -> bool {
    (bytes.starts_with(b"<?xml") && has(bytes, b"<svg")) || bytes.starts_with(b"<svg")
}

fn has(bytes: &[u8], text: &[u8]) -> bool {
    let front = &bytes[..bytes.len().min(16 << 10)];
    memchr::memmem::find(front, text).is_some()
}

/// A rectangle.
#[derive(Debug, Clone, PartialEq)]
struct Frame {
    text: String,
    cost: u64,
    /// Whether it stands for the whole profile.
    is_all: bool,
    /// The left and the right edge, in samples or in pixels.
    left: f64,
    right: f64,
    /// The upper edge, in tenths of a pixel.
    y: i64,
}

pub(crate) fn read(bytes: &[u8]) -> Result<Read, ReadError> {
    if is_cut_picture(bytes) {
        let message = "the flame graph ends before its last frames; draw or save it again";
        return Err(ReadError::truncated(At::Byte(bytes.len() as u64), message));
    }
    let Picture { frames, unit } = picture(bytes)?;
    let Some(all) = frames.iter().position(|frame| frame.is_all) else {
        let message = "the flame graph has no frame `all`; expected one by py-spy, cargo-flamegraph, inferno or flamegraph.pl";
        return Err(ReadError::malformed(At::File, message));
    };
    let most = bytes.len().saturating_mul(MAX_GROWTH).max(FEW_BYTES);
    let text = stacks(&rows(frames, all), most).ok_or_else(|| {
        ReadError::too_large(format!(
            "the stacks of the flame graph have more than {most} bytes as text"
        ))
    })?;
    // Costs of other kinds than samples.
    let metric = (unit != "samples").then(|| Metric::new(&unit, &unit, None));
    let read = folded::read_stacks(&text, metric)?;
    Ok(Read { format: Format::FlameGraph, truncated: Some(false), ..read })
}

/// The rectangles of a file, and what they count.
struct Picture {
    frames: Vec<Frame>,
    unit: String,
}

fn picture(bytes: &[u8]) -> Result<Picture, ReadError> {
    let mut reader = Reader::from_reader(bytes);
    let (mut frames, mut unit, mut title) = (Vec::new(), String::new(), None);
    loop {
        let offset = reader.buffer_position();
        let malformed = |message: String| ReadError::malformed(At::Byte(offset), message);
        match reader.read_event().map_err(|error| malformed(error.to_string()))? {
            Event::Start(start) if start.local_name().as_ref() == b"title" => {
                let text = reader.read_text(start.name());
                let text = text.map_err(|error| malformed(error.to_string()))?;
                let text = String::from_utf8_lossy(text.as_ref()).into_owned();
                let text = unescape(&text).map_or_else(|_| text.clone(), Cow::into_owned);
                title = TITLE.captures(&text).map(|parts| {
                    let part = |at: usize| parts.get(at).map_or("", |part| part.as_str());
                    part(3).clone_into(&mut unit);
                    let cost = part(2).replace(',', "").parse().unwrap_or(u64::MAX);
                    let is_all = part(1) == "all" && part(4) == "100";
                    (part(1).replace(['\n', '\r', ';'], " "), cost, is_all)
                });
            }
            Event::Start(start) | Event::Empty(start) if start.local_name().as_ref() == b"rect" => {
                if let Some((text, cost, is_all)) = title.take()
                    && let Some((left, right, y)) = place(&start)
                {
                    frames.push(Frame { text, cost, is_all, left, right, y });
                }
            }
            Event::Eof => return Ok(Picture { frames, unit }),
            _ => {}
        }
    }
}

/// The left, the right and the upper edge of a rectangle. inferno states the first two in samples.
fn place(rectangle: &BytesStart<'_>) -> Option<(f64, f64, i64)> {
    let number = |name: &str| -> Option<f64> {
        let attribute = rectangle.try_get_attribute(name).ok()??;
        let text = std::str::from_utf8(&attribute.value).ok()?.trim_end_matches('%');
        text.parse().ok().filter(|number: &f64| number.is_finite())
    };
    let (left, width) = match number("fg:x").zip(number("fg:w")) {
        Some(samples) => samples,
        None => number("x").zip(number("width"))?,
    };
    Some((left, left + width, (number("y")? * 10.0) as i64))
}

/// The frames of each row, from left to right, from that above `all` on.
fn rows(mut frames: Vec<Frame>, all: usize) -> Vec<Vec<Frame>> {
    let levels: BTreeSet<i64> = frames.iter().map(|frame| frame.y).collect();
    let mut levels: Vec<i64> = levels.into_iter().collect();
    // In a graph that is not inverted, the root is at the bottom.
    if levels.first() != Some(&frames[all].y) {
        levels.reverse();
    }
    let levels: FxHashMap<i64, usize> = levels.into_iter().zip(0..).collect();
    frames.sort_by(|a, b| a.left.total_cmp(&b.left));
    let mut rows = vec![Vec::new(); levels.len()];
    for frame in frames.into_iter().filter(|frame| !frame.is_all) {
        rows[levels[&frame.y]].push(frame);
    }
    rows.retain(|row| !row.is_empty());
    rows
}

/// The folded stacks of frames: each with its self cost. `None` if they, or those of a row, have more than `most`
/// bytes.
fn stacks(rows: &[Vec<Frame>], most: usize) -> Option<String> {
    // The stack of each frame of the row before, and what is on it.
    let mut callers: Vec<(String, u64)> = Vec::new();
    let mut out = String::new();
    for (level, row) in rows.iter().enumerate() {
        let (mut stacks, mut caller, mut n_bytes) = (Vec::with_capacity(row.len()), 0, 0);
        for frame in row {
            let middle = f64::midpoint(frame.left, frame.right);
            let stack = if level == 0 {
                frame.text.clone()
            } else {
                let below = &rows[level - 1];
                while caller + 1 < below.len() && below[caller].right < middle {
                    caller += 1;
                }
                callers[caller].1 += frame.cost;
                format!("{};{}", callers[caller].0, frame.text)
            };
            n_bytes += stack.len();
            if n_bytes + out.len() > most {
                return None;
            }
            stacks.push((stack, 0));
        }
        if level > 0 {
            write_selves(&rows[level - 1], &callers, &mut out);
        }
        callers = stacks;
    }
    if let Some(last) = rows.last() {
        write_selves(last, &callers, &mut out);
    }
    Some(out)
}

/// Writes what each frame costs more than those on it.
fn write_selves(row: &[Frame], stacks: &[(String, u64)], out: &mut String) {
    for (frame, (stack, above)) in row.iter().zip(stacks) {
        let own = frame.cost.saturating_sub(*above);
        if own > 0 {
            let _ = writeln!(out, "{stack} {own}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::text_rows::rows;

    /// The frames of a graph: title, left, width and row.
    fn svg(frames: &[(&str, u32, u32, u32)]) -> String {
        let frame = |(title, left, width, y): &(&str, u32, u32, u32)| {
            format!(
                "<g><title>{title}</title><rect x=\"{left}%\" y=\"{y}\" width=\"{width}%\" height=\"15\" \
                 fg:x=\"{left}\" fg:w=\"{width}\"/><text x=\"1%\" y=\"2\">{title}</text></g>"
            )
        };
        let frames: String = frames.iter().map(frame).collect();
        format!(
            "<?xml version=\"1.0\"?><svg xmlns=\"http://www.w3.org/2000/svg\"><!--Flame graph stack \
             visualization--><title>Flame Graph</title><svg id=\"frames\">{frames}</svg></svg>"
        )
    }

    fn read_text(text: &str) -> Result<Read, ReadError> {
        assert!(is_flame_graph(text.as_bytes()));
        read(text.as_bytes())
    }

    const ALL: (&str, u32, u32, u32) = ("all (1,000 samples, 100%)", 0, 100, 36);

    #[test]
    fn what_a_frame_costs_more_than_those_on_it_is_its_own() {
        let graph = svg(&[
            ("main (app.py:2) (1,000 samples, 100.00%)", 0, 100, 52),
            ("&lt;lambda&gt; (app.py:5) (300 samples, 30.00%)", 70, 30, 68),
            ("run (app.py:7) (450 samples, 45.00%)", 0, 45, 68),
            ALL,
            ("run (app.py:7) (200 samples, 20.00%)", 10, 20, 84),
            ("run (app.py:8) (150 samples, 15.00%)", 70, 15, 84),
        ]);
        let expected = "\
main|app.py:2 250
main|app.py:2 > run|app.py:7 250
main|app.py:2 > <lambda>|app.py:5 150
main|app.py:2 > run|app.py:7 > run|app.py:7 200
main|app.py:2 > <lambda>|app.py:5 > run|app.py:8 150
";
        assert_eq!(rows(&read_text(&graph).unwrap()), expected);
    }

    /// The root of `flamegraph.pl` is at the bottom, and edges are in pixels.
    #[test]
    fn the_root_may_be_at_the_bottom() {
        let graph = svg(&[
            ("g (40 samples, 4.00%)", 60, 4, 4),
            ALL,
            ("f (600 samples, 60.00%; +1.50%)", 0, 60, 20),
            ("h (400 samples, 40.00%; -1.50%)", 60, 40, 20),
        ]);
        let pixels = graph.replace("fg:", "other:");
        let expected = "f 600\nh 360\nh > g 40\n";
        assert_eq!(rows(&read_text(&graph).unwrap()), expected);
        assert_eq!(rows(&read_text(&pixels).unwrap()), expected);
    }

    #[test]
    fn costs_may_be_of_another_kind_than_samples() {
        let graph =
            svg(&[("all (9 bytes, 100%)", 0, 9, 36), ("main (9 bytes, 100.00%)", 0, 9, 52)]);
        let read = read_text(&graph).unwrap();
        assert_eq!(rows(&read), "main 9\n");
        assert_eq!(read.recording.metrics()[0].unit, "bytes");
    }

    /// Each frame of a deep stack repeats those before it.
    #[test]
    fn stacks_have_a_most_length() {
        let frame = |text: &str, y| Frame {
            text: text.to_owned(),
            cost: if y == 0 { 10 } else { 9 },
            is_all: false,
            left: 0.0,
            right: 10.0,
            y,
        };
        let rows = [vec![frame("main", 0)], vec![frame("f", 1)]];
        // Two rows: `main 1` and `main;f 9`.
        assert_eq!(stacks(&rows, 12).as_deref(), Some("main 1\nmain;f 9\n"));
        assert_eq!(stacks(&rows, 5), None);
    }

    #[test]
    fn graphs_that_are_cut_or_of_another_kind_are_refused() {
        let graph = svg(&[ALL, ("f (1,000 samples, 100.00%)", 0, 100, 52)]);
        let error = read_text(&graph[..graph.len() - 12]).unwrap_err().to_string();
        assert!(error.contains("ends before its last frames"), "{error}");
        let error = read_text(&svg(&[("f (1 samples, 9.00%)", 0, 9, 52)])).unwrap_err().to_string();
        assert!(error.contains("has no frame `all`"), "{error}");
    }
}
