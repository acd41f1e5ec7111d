//! Turns events (calls and returns with times) into self time per call, for all formats that record
//! events instead of samples.
//!
//! Each call becomes one row with its self time, in the order in which calls began; the time of a
//! caller stands still while its callees run. Events that do not nest are handled like in a
//! debugger's call stack: a return that names an outer call ends all calls inside it, a return that
//! matches no call is ignored, calls that are open at the end end there, and a call that outlasts
//! its caller is cut where the caller ends. For example, in `begin f, begin g, end f`, the end of
//! `f` ends `g` as well. [`Warnings`] count each case.

mod events;

use profile::{BuildError, FrameId, ProfileBuilder, Samples, StackId, WarningCode, Warnings};
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::collections::VecDeque;
use std::collections::hash_map::Entry;

pub(crate) use events::{Event, Events, What};
use events::{NONE, some};

/// The calls of a thread, in the order in which they began, as parallel columns.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    pub(crate) stacks: Vec<StackId>,
    /// Self time.
    pub(crate) own: Vec<f64>,
    /// Self time by the second clock; `None` if any event lacks it.
    pub(crate) own_cpu: Option<Vec<f64>>,
    /// Time since the first event without an open call.
    pub(crate) outside: f64,
    pub(crate) times: CallTimes,
}

/// When calls began, and when their self time passed.
#[derive(Debug, Default)]
pub(crate) struct CallTimes {
    begins: Vec<f64>,
    /// The row of each stretch of self time, with its start and end.
    rows: Vec<u32>,
    starts: Vec<f64>,
    ends: Vec<f64>,
}

impl CallTimes {
    /// Appends those of more calls, whose rows follow.
    pub(crate) fn append(&mut self, more: Self) {
        let n_before = self.begins.len() as u32;
        self.begins.extend(more.begins);
        self.rows.extend(more.rows.iter().map(|row| row + n_before));
        self.starts.extend(more.starts);
        self.ends.extend(more.ends);
    }

    /// Adds them to samples whose first rows are these calls. `ms` is the unit in milliseconds.
    pub(crate) fn add_to(self, samples: Samples, ms: f64) -> Samples {
        let Self { mut begins, rows, mut starts, mut ends } = self;
        for times in [&mut begins, &mut starts, &mut ends] {
            for at in times {
                *at *= ms;
            }
        }
        begins.resize(samples.len(), f64::NAN);
        samples.with_times(begins).with_stretches(rows, starts, ends)
    }

    /// Adds self time of `row`, which may go on from where the last stretch ends.
    fn pass(&mut self, row: usize, start: f64, end: f64) {
        let row = row as u32;
        match self.ends.last_mut() {
            Some(last) if *last == start && self.rows.last() == Some(&row) => *last = end,
            _ => {
                self.rows.push(row);
                self.starts.push(start);
                self.ends.push(end);
            }
        }
    }
}

/// Processes the events of one thread. Calls that are still open end with the last event, or at `end`
/// if that is later.
pub(crate) fn run(
    mut events: Events,
    end: Option<f64>,
    builder: &mut ProfileBuilder,
    warnings: &mut Warnings,
) -> Result<Calls, BuildError> {
    events.list.sort_by(|a, b| a.at.total_cmp(&b.at));
    let mut machine = Machine {
        rows: Rows::default(),
        open: Vec::new(),
        n_open: FxHashMap::default(),
        whole: Vec::new(),
        now: events.list.first().map_or(0.0, |event| event.at),
        now_cpu: f64::NAN,
        outside: 0.0,
        times: CallTimes::default(),
        has_cpu: !events.list.is_empty(),
        warnings,
    };
    let mut group = Vec::new();
    for stored in events.list.chunk_by(|a, b| a.at == b.at) {
        group.clear();
        group.extend(stored.iter().map(|stored| events.event(stored)));
        for &event in &*in_order(&group, &machine.open, &machine.n_open) {
            machine.step(event);
        }
    }
    drop(events);
    machine.finish(end);
    machine.calls(builder)
}

/// Sorts events of the same time, unless they already nest: first ends of open calls, innermost
/// first; then beginnings, with ends that follow them in the file (calls of no duration); whole
/// calls last, the longest first.
fn in_order<'e>(
    group: &'e [Event],
    open: &[Open],
    n_open: &FxHashMap<u32, usize>,
) -> Cow<'e, [Event]> {
    if group.len() == 1 || is_nested(group, open) {
        return Cow::Borrowed(group);
    }
    let (mut ends, mut rest, mut whole) = (Vec::new(), Vec::new(), Vec::new());
    let mut begun = Begun::default();
    for &event in group {
        match event.what {
            What::Begin { name, .. } => {
                begun.push(name);
                rest.push(event);
            }
            What::End { name, .. } if begun.take(name) => rest.push(event),
            What::End { name, .. } => ends.push((name, event)),
            What::Complete { .. } => whole.push(event),
        }
    }
    let until = |event: &Event| {
        if let What::Complete { until, .. } = event.what { until } else { event.at }
    };
    whole.sort_by(|a, b| until(b).total_cmp(&until(a)));

    // Of several ends, the one that ends the innermost call comes first. Ends without a call keep
    // their order after them.
    let mut ordered = Vec::with_capacity(group.len());
    let mut by_name: FxHashMap<u32, VecDeque<Event>> = FxHashMap::default();
    let mut others = Vec::new();
    for (name, event) in ends {
        let of_open = name.filter(|name| {
            let queued = by_name.get(name).map_or(0, VecDeque::len);
            n_open.get(name).is_some_and(|&open| queued < open)
        });
        match of_open {
            Some(name) => by_name.entry(name).or_default().push_back(event),
            None => others.push(event),
        }
    }
    let mut inner_first = open.iter().rev();
    while !by_name.is_empty() {
        // Only as deep as calls end here.
        let Some(inner) = inner_first.next() else { break };
        let Some(name) = inner.name else { continue };
        if let Entry::Occupied(mut queue) = by_name.entry(name) {
            ordered.extend(queue.get_mut().pop_front());
            if queue.get().is_empty() {
                queue.remove();
            }
        }
    }
    ordered.extend(others);
    ordered.extend(rest);
    ordered.extend(whole);
    Cow::Owned(ordered)
}

/// Whether the events of one time, in file order, end only innermost calls. Groups with whole calls
/// are sorted always, because the position of these in the file means nothing.
fn is_nested(group: &[Event], open: &[Open]) -> bool {
    let mut outer = open.iter().rev();
    let mut begun: Vec<u32> = Vec::new();
    group.iter().all(|event| match event.what {
        What::Begin { name, .. } => {
            begun.push(name);
            true
        }
        What::End { name, .. } => {
            let innermost = begun.pop().or_else(|| outer.next()?.name);
            innermost.is_some_and(|innermost| name.is_none_or(|name| name == innermost))
        }
        What::Complete { .. } => false,
    })
}

/// Open calls. The last one, and the last one of a name, are found without a search.
#[derive(Default)]
struct Begun {
    names: Vec<u32>,
    /// Whether a call is still open, by position in `names`.
    is_there: Vec<bool>,
    /// Positions by name.
    by_name: FxHashMap<u32, Vec<usize>>,
}

impl Begun {
    fn push(&mut self, name: u32) {
        self.by_name.entry(name).or_default().push(self.names.len());
        self.names.push(name);
        self.is_there.push(true);
    }

    /// Removes the last call, or the last one of a name; returns whether there was one.
    fn take(&mut self, name: Option<u32>) -> bool {
        while self.is_there.pop_if(|is_there| !*is_there).is_some() {
            self.names.pop();
        }
        let Some(name) = name.or(self.names.last().copied()) else { return false };
        let Some(position) = self.by_name.get_mut(&name).and_then(Vec::pop) else { return false };
        if let Some(is_there) = self.is_there.get_mut(position) {
            *is_there = false;
        }
        true
    }
}

/// An open call.
struct Open {
    row: usize,
    /// The name that an end refers to; `None` for a whole call, which ends by itself.
    name: Option<u32>,
    /// For a whole call, its end by both clocks.
    until: Option<(f64, f64)>,
}

/// The calls that have begun, as parallel columns.
#[derive(Default)]
struct Rows {
    /// The row of the caller, or [`NONE`].
    parent: Vec<u32>,
    frame: Vec<FrameId>,
    own: Vec<f64>,
    /// Self time by the second clock; empty if any event lacks it.
    own_cpu: Vec<f64>,
}

struct Machine<'w> {
    rows: Rows,
    open: Vec<Open>,
    /// The number of calls in `open` by name; there is no entry for 0.
    n_open: FxHashMap<u32, usize>,
    /// The positions of whole calls in `open`, outermost first. An inner one never ends later than
    /// an outer one.
    whole: Vec<usize>,
    now: f64,
    now_cpu: f64,
    outside: f64,
    times: CallTimes,
    has_cpu: bool,
    warnings: &'w mut Warnings,
}

impl Machine<'_> {
    fn step(&mut self, event: Event) {
        self.end_until(event.at);
        self.pass(event.at, event.cpu);
        match event.what {
            What::Begin { name, frame } => self.begin(Some(name), frame, None),
            What::End { name, frame } => self.end(name, frame),
            What::Complete { frame, until, cpu_until } => {
                let mut until = (until.max(event.at), cpu_until);
                if let Some(enclosing) = self.innermost_whole().map(|(_, enclosing)| enclosing)
                    && enclosing.0 < until.0
                {
                    let lost = until.0 - enclosing.0;
                    self.warnings.add(WarningCode::OverlappingCall, || {
                        format!(
                            "a call ends {lost} after its caller; it is cut where the caller ends"
                        )
                    });
                    until = enclosing;
                }
                self.whole.push(self.open.len());
                self.begin(None, frame, Some(until));
            }
        }
    }

    /// Position and end of the innermost whole call.
    fn innermost_whole(&self) -> Option<(usize, (f64, f64))> {
        let &position = self.whole.last()?;
        Some((position, self.open.get(position)?.until?))
    }

    /// Ends the whole calls that end by `at`, and the calls inside them.
    fn end_until(&mut self, at: f64) {
        while let Some((position, (until, cpu))) =
            self.innermost_whole().filter(|(_, (until, _))| *until <= at)
        {
            self.pass(until, cpu);
            self.unwind(position);
        }
    }

    /// Ends the call at `position` of `open` and the calls inside it.
    fn unwind(&mut self, position: usize) {
        for _ in position + 1..self.open.len() {
            self.warnings.add(WarningCode::UnwoundCall, || {
                "a call ended while calls inside it were open; they end with it".to_owned()
            });
        }
        for ended in self.open.drain(position..) {
            if let Some(Entry::Occupied(mut n)) = ended.name.map(|name| self.n_open.entry(name)) {
                *n.get_mut() -= 1;
                if *n.get() == 0 {
                    n.remove();
                }
            }
        }
        while self.whole.pop_if(|whole| *whole >= position).is_some() {}
    }

    /// Adds the time until `at` to the innermost call.
    fn pass(&mut self, at: f64, cpu: f64) {
        if cpu.is_nan() && !self.open.is_empty() {
            self.has_cpu = false;
            self.rows.own_cpu = Vec::new();
        }
        let passed = (at - self.now).max(0.0);
        let innermost = self.open.last().map(|open| open.row);
        if innermost.is_none() {
            self.outside += passed;
        }
        if let Some((row, own)) = innermost.and_then(|row| Some((row, self.rows.own.get_mut(row)?)))
        {
            *own += passed;
            if passed > 0.0 {
                self.times.pass(row, self.now, at);
            }
            if let Some(own_cpu) = self.rows.own_cpu.get_mut(row) {
                // Nothing if one of them is unknown.
                *own_cpu += (cpu - self.now_cpu).max(0.0);
            }
        }
        self.now = self.now.max(at);
        self.now_cpu = cpu;
    }

    fn begin(&mut self, name: Option<u32>, frame: FrameId, until: Option<(f64, f64)>) {
        let parent = self.open.last().map_or(NONE, |open| open.row as u32);
        if let Some(name) = name {
            *self.n_open.entry(name).or_default() += 1;
        }
        self.open.push(Open { row: self.rows.own.len(), name, until });
        self.rows.parent.push(parent);
        self.rows.frame.push(frame);
        self.rows.own.push(0.0);
        if self.has_cpu {
            self.rows.own_cpu.push(0.0);
        }
        self.times.begins.push(self.now);
    }

    fn end(&mut self, name: Option<u32>, frame: Option<FrameId>) {
        let is_meant =
            |open: &Open| open.name.is_some_and(|own| name.is_none_or(|name| name == own));
        // An end without a call must not search all open calls each time.
        let is_open = name.map_or(!self.n_open.is_empty(), |name| self.n_open.contains_key(&name));
        let Some(ended) = is_open.then(|| self.open.iter().rposition(is_meant)).flatten() else {
            self.warnings.add(WarningCode::UnmatchedEnd, || {
                "a call ended that had not begun; the end is ignored".to_owned()
            });
            return;
        };
        if let Some((known, frame)) =
            self.open.get(ended).and_then(|open| self.rows.frame.get_mut(open.row)).zip(frame)
        {
            *known = frame;
        }
        self.unwind(ended);
    }

    fn finish(&mut self, end: Option<f64>) {
        self.end_until(f64::INFINITY);
        for _ in &self.open {
            self.warnings.add(WarningCode::UnfinishedCall, || {
                "a call is open at the end of the recording; it ends there".to_owned()
            });
        }
        self.pass(
            end.filter(|end| end.is_finite()).map_or(self.now, |end| end.max(self.now)),
            self.now_cpu,
        );
        self.open.clear();
    }

    fn calls(self, builder: &mut ProfileBuilder) -> Result<Calls, BuildError> {
        let Rows { parent, frame, own, own_cpu } = self.rows;
        let mut stacks: Vec<StackId> = Vec::with_capacity(own.len());
        for (&parent, &frame) in parent.iter().zip(&frame) {
            let caller = some(parent).and_then(|parent| stacks.get(parent as usize)).copied();
            stacks.push(builder.intern_stack(caller, frame)?);
        }
        Ok(Calls {
            stacks,
            own,
            own_cpu: self.has_cpu.then_some(own_cpu),
            outside: self.outside,
            times: self.times,
        })
    }
}

#[cfg(test)]
mod tests;
