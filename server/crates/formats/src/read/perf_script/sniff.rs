//! Detection of the text of `perf script` by its first lines.

use super::frame;
use super::lines::Line;

/// Whether text is the output of `perf script`, by its first 16 KiB.
///
/// A line with a time is a header if frames are near. Any other line may be ordinary text, so it is
/// a header only if the next line is a frame with a padded address.
pub(crate) fn is_perf_script(bytes: &[u8]) -> bool {
    let front = String::from_utf8_lossy(bytes.get(..FRONT).unwrap_or(bytes));
    if front.starts_with("# ========") {
        return front.contains("\n# captured on");
    }
    let mut lines = front.lines();
    let is_of_sample =
        |line: &&str| !matches!(Line::of(line, None), Line::Blank | Line::Lost(_) | Line::Other);
    let Some(first) = lines.find(is_of_sample) else { return false };
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

/// How many bytes are examined: a stack of 127 frames fits.
const FRONT: usize = 16 << 10;
