//! Whether text is what `perf script` prints, by its first lines.

use super::frame;
use super::lines::Line;

/// Whether text is what `perf script` prints, by its front.
///
/// A header with a time is one if frames are near; any other line, since it may say anything, only
/// if the next one is a frame whose address is padded as perf pads it.
pub(crate) fn is_perf_script(bytes: &[u8]) -> bool {
    let front = String::from_utf8_lossy(bytes.get(..FRONT).unwrap_or(bytes));
    if front.starts_with("# ========") {
        return front.contains("\n# captured on");
    }
    let mut lines = front.lines();
    let Some(first) = lines.find(|line| !matches!(Line::of(line, None), Line::Blank | Line::Other))
    else {
        return false;
    };
    match Line::of(first, None) {
        Line::Header(header) if header.time.is_some() => {
            let traced = header.cpu.is_some() && header.tid.is_some() && !header.event.is_empty();
            let is_frame = |line: &str| match Line::of(line, None) {
                Line::Frame(..) => line.trim_end().ends_with(')') || frame::is_padded(line),
                Line::Header(header) => header.frame.is_some(),
                _ => false,
            };
            traced || header.frame.is_some() || lines.any(is_frame)
        }
        Line::Header(header) => {
            header.frame.is_some_and(|(_, text)| text.ends_with(')'))
                || lines.next().is_some_and(frame::is_padded)
        }
        Line::Frame(..) => frame::is_padded(first),
        _ => false,
    }
}

/// How much of a file is looked at: a stack of 127 frames fits in.
const FRONT: usize = 16 << 10;
