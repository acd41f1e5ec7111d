//! The calls of each thread in chronological order: a flame chart.
//!
//! A sample shows what its thread did until the next one. If that is late, because the thread did not
//! run, it is until the time has passed that the sample stands for. Stacks that follow each other
//! without a gap are one call as far as they begin with the same functions. Recorded calls have
//! their own beginnings and ends.

use crate::functions_of_stacks::FunctionsOfStacks;
use crate::range::{TimeRange, last_ns};
use crate::reshape::known_times;
use crate::timeline::Passing;
use crate::weighted::is_counted;
use crate::{Unmatched, View};
use profile::{
    Clock, FunctionId, Groups, Profile, Recording, Samples, StackAccess, StackId, ThreadId,
    WarningCode,
};

/// A row of calls that are too short to be listed is at most this share of the chart, so that
/// whoever looks closer at such a row sees more.
const MAX_ROW: f64 = 0.1;

/// The calls of the threads of a view over time.
#[derive(Debug, Clone, PartialEq)]
pub struct FlameChart {
    /// The time of the chart.
    pub range: TimeRange,
    /// The threads of the view with calls in it.
    pub threads: Vec<ThreadChart>,
}

/// The calls of a thread over time.
#[derive(Debug, Clone, PartialEq)]
pub struct ThreadChart {
    /// The thread.
    pub thread: ThreadId,
    /// Its weight, also outside of the chart's time.
    pub total: f64,
    /// The calls, level by level, each level in chronological order.
    pub calls: Vec<TimedCall>,
}

/// A call, or a row of calls that are too short to be listed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimedCall {
    /// The function. `None` for a row of short calls.
    pub function: Option<FunctionId>,
    /// The index of the caller, which precedes it.
    pub parent: Option<usize>,
    /// The number of callers.
    pub depth: usize,
    /// When it began, in nanoseconds since the first sample of the recording. It may be before the
    /// chart's time.
    pub start_ns: u64,
    /// When it ended, possibly after the chart's time.
    pub end_ns: u64,
    /// The weight of its samples, without the samples of calls below it.
    pub self_: f64,
    /// The weight of its samples.
    pub total: f64,
    /// The number of calls in a row of short ones, with all below them. 0 for a call.
    pub row: usize,
    /// The number of calls below it, listed or not.
    pub below: usize,
    /// Whether it is a call of a function that is one of its callers, too.
    pub recursive: bool,
}

/// The calls of the threads of `view` over time. `shown` is `recording` after [`crate::reshape`].
/// `range` is a part of the time of the view; `None` for all of it. Calls that are shorter than
/// `shortest`, a share of the chart's time, are listed in rows.
pub fn flame_chart(
    recording: &Recording,
    shown: &Recording,
    view: &View,
    groups: &Groups,
    range: Option<TimeRange>,
    shortest: f64,
) -> Result<FlameChart, Unmatched> {
    let effect = "nothing can be drawn in chronological order";
    let (recorded, shown) = recording.sampled().zip(shown.sampled()).ok_or_else(|| {
        let problem = format!("{effect}: this recording is a call graph without samples");
        Unmatched::new(WarningCode::NoStacks, problem)
    })?;
    let clock = known_times(recorded, view.metric, effect)?;
    let spans = |samples| Spans::new(samples, shown, view, clock);
    let threads = || {
        let all = shown.samples().iter().enumerate();
        all.filter(|(at, _)| view.includes(*at))
    };
    let range = range.or(view.range).unwrap_or(TimeRange { start_ns: 0, end_ns: u64::MAX });
    let range = if range.end_ns == u64::MAX {
        let ends = threads().filter_map(|(_, samples)| spans(samples).end_ns());
        let last = ends.max().max(last_ns(recorded)).unwrap_or_default();
        TimeRange { end_ns: last.max(range.start_ns + 1), ..range }
    } else {
        range
    };
    let length = range.end_ns.saturating_sub(range.start_ns) as f64;
    #[expect(clippy::cast_sign_loss, reason = "shares of a length")]
    let share = |share: f64| (length * share).ceil().max(1.0) as u64;
    let stacks = FunctionsOfStacks::new(shown, groups);
    let mut charts = Vec::new();
    for (at, samples) in threads() {
        let limits = Limits { range, shortest_ns: share(shortest), row_ns: share(MAX_ROW) };
        let (total, calls) = ChartBuilder::new(limits).of(spans(samples), &stacks);
        if !calls.is_empty() {
            let thread = ThreadId::new(at as u32);
            charts.push(ThreadChart { thread, total, calls: by_level(&calls) });
        }
    }
    Ok(FlameChart { range, threads: charts })
}

/// A stretch of time with one stack. Without a stack, it only ends the one before.
#[derive(Debug, Clone, Copy)]
struct Span {
    from: u64,
    to: u64,
    stack: Option<StackId>,
    weight: f64,
}

/// The samples of a thread in chronological order, each with its end.
struct Spans(Vec<Span>);

impl Spans {
    fn new(samples: &Samples, profile: &Profile, view: &View, clock: Clock) -> Self {
        let weights = samples.weights().get(view.metric.index());
        let weight = |row: usize| weights.map_or(0.0, |weights| weights.get(row));
        let counted = |row: usize| {
            Some(samples.stack(row)).filter(|stack| is_counted(profile, view, *stack)).flatten()
        };
        let mut all: Vec<Span> = if let Some(stretches) = samples.stretches_ns(clock) {
            let mut passing = Passing::new(samples, clock);
            let span = |(row, from, to): (usize, u64, u64)| {
                let weight = passing.pass(row, to - from, |share| weight(row) * share);
                Span { from, to, stack: counted(row), weight }
            };
            stretches.filter(|(_, from, to)| from < to).map(span).collect()
        } else {
            let times = samples.times_ns(clock).into_iter().flatten().enumerate();
            let span = |(row, from): (usize, Option<u64>)| {
                let (from, stack) = (from?, counted(row));
                Some(Span { from, to: from, stack, weight: weight(row) })
            };
            times.filter_map(span).collect()
        };
        all.sort_by_key(|span| (span.from, span.to));
        if samples.stretches_ns(clock).is_none() {
            let metric = profile.metrics().get(view.metric.index());
            end(&mut all, metric.and_then(|metric| metric.seconds_per_unit));
        }
        Self(all)
    }

    fn end_ns(&self) -> Option<u64> {
        self.0.iter().filter(|span| span.stack.is_some()).map(|span| span.to).max()
    }
}

/// Sets the ends of samples, which are sorted by time. `seconds` is the time that a weight of 1
/// stands for, if that is known.
fn end(spans: &mut [Span], seconds: Option<f64>) {
    let mut gaps: Vec<u64> = spans.windows(2).map(|pair| pair[1].from - pair[0].from).collect();
    gaps.retain(|&gap| gap > 0);
    // Without any other sample, the shortest time.
    let usual = match gaps.len().checked_sub(1) {
        Some(last) => *gaps.select_nth_unstable(last / 2).1,
        None => 1,
    };
    let next = spans.iter().skip(1).map(|span| Some(span.from)).chain([None]);
    let next: Vec<_> = next.collect();
    for (span, next) in spans.iter_mut().zip(next) {
        #[expect(clippy::cast_sign_loss, reason = "the magnitude of a weight")]
        let own = seconds.map_or(usual, |seconds| (span.weight.abs() * seconds * 1e9) as u64);
        let until = span.from.saturating_add(own);
        span.to = match next {
            Some(next) if next <= until.saturating_add(own) => next,
            Some(_) | None => until,
        };
    }
}

#[derive(Debug, Clone, Copy)]
struct Limits {
    range: TimeRange,
    shortest_ns: u64,
    row_ns: u64,
}

/// Builds the calls of a thread, callers before callees, in chronological order.
struct ChartBuilder {
    limits: Limits,
    calls: Vec<TimedCall>,
    open: Vec<Open>,
    /// The row of short calls without a caller that came last.
    row: Option<usize>,
}

/// A call that has not ended.
struct Open {
    at: usize,
    /// The number of calls below it so far.
    below: usize,
    /// The row of short calls, if the last call below it is in one.
    row: Option<usize>,
}

impl ChartBuilder {
    fn new(limits: Limits) -> Self {
        Self { limits, calls: Vec::new(), open: Vec::new(), row: None }
    }

    /// The weight of the samples, and the calls.
    fn of(mut self, spans: Spans, stacks: &FunctionsOfStacks<'_>) -> (f64, Vec<TimedCall>) {
        let (mut now, mut total) = (0, 0.0);
        let mut path: (Option<StackId>, Vec<(FunctionId, bool)>) = (None, Vec::new());
        for Span { from, to, stack, weight } in spans.0 {
            let Some(stack) = stack else { continue };
            if path.0 != Some(stack) {
                path = (Some(stack), stacks.calls(stack));
            }
            // Calls that overlap in one thread are drawn one after the other.
            let from = from.max(now);
            let mut same = 0;
            if from == now {
                let open = self.open.iter().map(|open| self.calls[open.at].function);
                let wanted = path.1.iter().map(|(function, _)| Some(*function));
                same = open.zip(wanted).take_while(|(open, wanted)| open == wanted).count();
            }
            self.close(same, now);
            for &(function, is_call) in &path.1[same..] {
                self.begin(function, is_call, from);
            }
            total += weight;
            if let Some(leaf) = self.open.last() {
                self.calls[leaf.at].self_ += weight;
                self.calls[leaf.at].total += weight;
            }
            now = to.max(from);
        }
        self.close(0, now);
        (total, self.calls)
    }

    fn begin(&mut self, function: FunctionId, is_call: bool, start_ns: u64) {
        let is_open = |open: &Open| self.calls[open.at].function == Some(function);
        let recursive = is_call && self.open.iter().any(is_open);
        let parent = self.open.last().map(|open| open.at);
        let depth = self.open.len();
        self.open.push(Open { at: self.calls.len(), below: 0, row: None });
        let function = Some(function);
        self.calls.push(TimedCall {
            function,
            parent,
            depth,
            start_ns,
            end_ns: start_ns,
            self_: 0.0,
            total: 0.0,
            row: 0,
            below: 0,
            recursive,
        });
    }

    /// Ends all calls but the `n` outermost.
    fn close(&mut self, n: usize, end_ns: u64) {
        while self.open.len() > n
            && let Some(Open { at, below, .. }) = self.open.pop()
        {
            self.calls[at].end_ns = end_ns;
            self.calls[at].below = below;
            let TimedCall { start_ns, total, .. } = self.calls[at];
            if let Some(parent) = self.open.last_mut() {
                parent.below += below + 1;
                self.calls[parent.at].total += total;
            }
            let TimeRange { start_ns: left, end_ns: right } = self.limits.range;
            let is_within = start_ns < right && (end_ns > left || start_ns >= left);
            if !is_within {
                self.calls.truncate(at);
            } else if end_ns.min(right).saturating_sub(start_ns.max(left)) < self.limits.shortest_ns
            {
                let short = self.calls[at];
                self.calls.truncate(at);
                self.add_to_row(short, below + 1);
            } else {
                *self.last_row() = None;
            }
        }
    }

    /// The row of short calls that the next short call may be added to.
    fn last_row(&mut self) -> &mut Option<usize> {
        self.open.last_mut().map_or(&mut self.row, |open| &mut open.row)
    }

    fn add_to_row(&mut self, short: TimedCall, n: usize) {
        let Limits { shortest_ns, row_ns, range } = self.limits;
        let row = *self.last_row();
        let row = row.and_then(|at| self.calls.get_mut(at)).filter(|row| {
            short.start_ns.saturating_sub(row.end_ns) < shortest_ns
                && short.end_ns.saturating_sub(row.start_ns.max(range.start_ns)) <= row_ns
        });
        if let Some(row) = row {
            row.end_ns = short.end_ns;
            row.self_ += short.self_;
            row.total += short.total;
            row.row += n;
            return;
        }
        *self.last_row() = Some(self.calls.len());
        self.calls.push(TimedCall { function: None, row: n, below: 0, recursive: false, ..short });
    }
}

/// The calls level by level, each level in chronological order.
fn by_level(calls: &[TimedCall]) -> Vec<TimedCall> {
    let mut order: Vec<usize> = (0..calls.len()).collect();
    order.sort_by_key(|&at| calls[at].depth);
    let mut place = vec![0; calls.len()];
    for (new, &old) in order.iter().enumerate() {
        place[old] = new;
    }
    let moved = |old: usize| TimedCall {
        parent: calls[old].parent.map(|parent| place[parent]),
        ..calls[old]
    };
    order.into_iter().map(moved).collect()
}
