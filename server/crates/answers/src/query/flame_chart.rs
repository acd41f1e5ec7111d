//! A flame graph in chronological order: calls as wide as they took, thread by thread.

use super::flame_frames::{Frame, FrameCost, Labels, Position, Span};
use analysis::{Cost, Thread, ThreadChart, TimeRange, TimedCall, Total};
use loading::text::plain;
use loading::{Show, units};

/// The width of the narrowest call that is drawn by itself, as a share of the width of the image.
const MIN_SHARE: f64 = 1e-3;
/// The maximum number of calls.
const MAX_CALLS: usize = 5000;

/// The frames of a flame graph in chronological order.
pub(super) struct Chart {
    pub frames: Vec<Frame>,
    /// The number of calls without a frame of their own.
    pub omitted: usize,
    pub span: Span,
}

/// Draws the calls within a range. If there are more than `limit`, longer ones are drawn in rows. The
/// error is a message for users.
pub(super) fn chart(
    mut labels: Labels<'_>,
    range: Option<TimeRange>,
    limit: usize,
) -> Result<Chart, String> {
    let grouped = &labels.snapshot.grouped;
    let recorded = &labels.snapshot.loaded.recording;
    let limit = limit.clamp(1, MAX_CALLS);
    let mut shortest = MIN_SHARE;
    let chart = loop {
        let (shown, view, groups) = (&grouped.recording, &grouped.view, &grouped.groups);
        let chart = analysis::flame_chart(recorded, shown, view, groups, range, shortest)
            .map_err(|unmatched| unmatched.problem)?;
        let n: usize = chart.threads.iter().map(|thread| thread.calls.len()).sum();
        if n <= limit || shortest > 0.5 {
            break chart;
        }
        shortest *= 2.0;
    };
    if chart.threads.is_empty() {
        return Err("there is nothing to draw: no sample in this time range has a stack".to_owned());
    }
    let time = Time(chart.range);
    let (mut frames, mut omitted, mut row) = (Vec::new(), 0, 0);
    let is_alone = chart.threads.len() == 1;
    for thread in chart.threads {
        let (first, rows) = (frames.len(), levels(&thread, limit.saturating_sub(frames.len())));
        if !is_alone {
            frames.push(thread_frame(&mut labels, &thread, &time, row));
            row += 1;
        }
        let of_calls = frames.len();
        for call in thread.calls {
            if call.depth >= rows {
                // Those below are counted by the one at the top.
                if call.depth == rows {
                    let n = call.row.max(1) + call.below;
                    omitted += n;
                    if let Some(parent) = call.parent {
                        frames[of_calls + parent].more += n;
                    }
                }
                continue;
            }
            omitted += call.row;
            let parent = call.parent.map(|parent| of_calls + parent);
            let parent = parent.or((!is_alone).then_some(first));
            frames.push(call_frame(&mut labels, &call, &time, parent, row));
        }
        row += rows;
    }
    Ok(Chart { frames, omitted, span: Span { range: time.request(time.0), text: time.text() } })
}

/// The number of levels of calls to draw, with no more than `limit` calls but at least one level.
fn levels(thread: &ThreadChart, limit: usize) -> usize {
    let deepest = thread.calls.last().map_or(0, |call| call.depth);
    match thread.calls.get(limit) {
        // Calls are sorted by level.
        Some(first_too_many) => first_too_many.depth.clamp(1, deepest + 1),
        None => deepest + 1,
    }
}

fn thread_frame(labels: &mut Labels<'_>, chart: &ThreadChart, time: &Time, row: usize) -> Frame {
    let thread = labels.snapshot.grouped.recording.threads().get(chart.thread.index()).cloned();
    let Thread { name, process_name, tid, .. } = thread.unwrap_or_default();
    let name = [name, process_name, tid.map(|tid| format!("thread {tid}")).unwrap_or_default()]
        .into_iter()
        .find(|name| !name.is_empty());
    let at = Position { parent: None, depth: row, left: 0.0, width: 1.0 };
    let text = labels.scale().weight(chart.total);
    let cost = FrameCost { self_: None, total: chart.total, estimated: false, before: None };
    let frame = labels.frame(None, at, text, &cost);
    let name = name.unwrap_or_else(|| format!("thread {}", chart.thread.index() + 1));
    Frame { name: plain(&name).into_owned(), range: Some(time.request(time.0)), ..frame }
}

fn call_frame(
    labels: &mut Labels<'_>,
    call: &TimedCall,
    time: &Time,
    parent: Option<usize>,
    row: usize,
) -> Frame {
    let (left, width) = time.place(call);
    let at = Position { parent, depth: row + call.depth, left, width };
    let total = Total::Exact(call.total);
    let label = labels.scale().hint(Cost { self_: call.self_, total }, Show::Both, None);
    let text = format!("{label} · {}", time_of(call));
    let cost =
        FrameCost { self_: Some(call.self_), total: call.total, estimated: false, before: None };
    let frame = labels.frame(call.function, at, text, &cost);
    let range = TimeRange { start_ns: call.start_ns, end_ns: call.end_ns };
    let (leaf, recursive) = (call.below == 0 && call.row == 0, call.recursive);
    let frame = Frame { leaf, recursive, range: Some(time.request(range)), ..frame };
    match call.function {
        Some(_) => frame,
        None => Frame { name: row_name(call.row), more: call.row, ..frame },
    }
}

/// The name of a row of short calls.
fn row_name(calls: usize) -> String {
    units::counted_calls(u64::try_from(calls).ok())
}

/// The time of a chart.
struct Time(TimeRange);

impl Time {
    /// The left edge and the width of a call, as shares of the chart.
    fn place(&self, call: &TimedCall) -> (f64, f64) {
        let Self(TimeRange { start_ns, end_ns }) = *self;
        let share = |ns: u64| (ns.clamp(start_ns, end_ns) - start_ns) as f64;
        let length = (end_ns - start_ns).max(1) as f64;
        let (left, right) = (share(call.start_ns) / length, share(call.end_ns) / length);
        (left, right - left)
    }

    /// A range within the chart, as an argument. It is not empty.
    fn request(&self, range: TimeRange) -> String {
        let start = range.start_ns.max(self.0.start_ns);
        let end = range.end_ns.min(self.0.end_ns).max(start + 1);
        let ms = |ns: u64| ns as f64 / 1e6;
        format!("{}..{}", ms(start), ms(end))
    }

    fn text(&self) -> String {
        let Self(TimeRange { start_ns, end_ns }) = *self;
        format!("{} to {}", at(start_ns), at(end_ns))
    }
}

/// How long a call took, and when it began.
fn time_of(call: &TimedCall) -> String {
    format!("{} at {}", at(call.end_ns - call.start_ns), at(call.start_ns))
}

/// Nanoseconds for display.
fn at(ns: u64) -> String {
    units::duration(ns as f64 / 1e9)
}
