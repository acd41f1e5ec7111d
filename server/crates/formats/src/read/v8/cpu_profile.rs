//! V8 CPU profiles: a tree of nodes with the hits of each, and the list of all samples.
//!
//! There is one node per call path, with the number of samples that ended there (`hitCount`), by
//! executing line (`positionTicks`, 1-based). The list of all samples has the time since the
//! previous one. A node has the place where its function *starts*; nothing says where a caller was
//! executing, so callers have no lines.
//!
//! There are two metrics. `hits` counts by node: counting `samples` would be too many, because V8
//! records extra ones at deoptimizations that are neither in `hitCount` nor in `positionTicks`.
//! `time` gives each sample the time until the next; samples have no lines, so the time of a node
//! is divided among its lines in proportion to their hits. For example, a node with 30 µs, 2 hits
//! on line 7 and 1 on line 9 has 20 µs on line 7 and 10 µs on line 9. Samples have times, but hits
//! have none, because it is unknown which samples are the extra ones.

use super::{CallFrame, callers_first, durations};
use crate::error::{At, ReadError};
use crate::read::shared::number::position;
use profile::{
    LineKnowledge, Metric, ProfileBuilder, Samples, StackId, WarningCode, Warnings, Weights,
};
use rustc_hash::FxHashMap;
use serde::Deserialize;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A `Profile` of the DevTools protocol.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CpuProfile<'a> {
    #[serde(borrow)]
    pub(crate) nodes: Vec<Node<'a>>,
    /// In microseconds, of an arbitrary clock.
    pub(crate) start_time: Option<f64>,
    pub(crate) end_time: Option<f64>,
    /// Node ids, in chronological order.
    pub(crate) samples: Option<Vec<i64>>,
    /// Microseconds since the previous sample; the first since `start_time`.
    pub(crate) time_deltas: Option<Vec<f64>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Node<'a> {
    pub(crate) id: i64,
    #[serde(borrow)]
    pub(crate) call_frame: CallFrame<'a>,
    hit_count: Option<f64>,
    /// The tree has one of two forms: each node has the ids of its callees …
    children: Option<Vec<i64>>,
    /// … or the id of its caller.
    pub(crate) parent: Option<i64>,
    position_ticks: Option<Vec<PositionTicks>>,
}

impl Node<'_> {
    /// Whether the node has the ids of its callees.
    pub(crate) fn has_children(&self) -> bool {
        self.children.as_ref().is_some_and(|children| !children.is_empty())
    }

    /// Whether the node has hits.
    pub(crate) fn has_hits(&self) -> bool {
        self.hit_count.is_some_and(|hits| hits != 0.0)
            || self.position_ticks.as_ref().is_some_and(|ticks| !ticks.is_empty())
    }
}

#[derive(Deserialize)]
struct PositionTicks {
    /// The executing line, 1-based; 0 = unknown.
    line: f64,
    ticks: f64,
}

/// The metrics, hits and time. Hits may have a line; samples, and so the time, have none.
pub(crate) fn metrics(any_line: bool) -> [Metric; 2] {
    let [of_hits, of_time] = if any_line {
        [LineKnowledge::SelfOnly, LineKnowledge::SelfEstimated]
    } else {
        [LineKnowledge::Nothing; 2]
    };
    [
        Metric::new("hits", "hits", None).with_lines(of_hits),
        Metric::new("time", "us", None).with_lines(of_time),
    ]
}

/// The default metric: time, if any passed.
pub(crate) fn default_metric(total_time: Option<f64>) -> usize {
    usize::from(total_time.is_some_and(|time| time > 0.0))
}

/// Hits and time of a profile by node.
pub(crate) struct Counted {
    hits: Hits,
    time: Option<Time>,
}

impl Counted {
    pub(crate) fn of(profile: &CpuProfile<'_>, tree: &Tree, warnings: &mut Warnings) -> Self {
        let time = Time::of(profile, tree, warnings);
        Self { hits: Hits::of(profile, tree, warnings), time }
    }

    /// Whether any executing line is known.
    pub(crate) fn any_line(&self) -> bool {
        self.hits.by_node.iter().any(|hits| !hits.by_line.is_empty())
    }

    /// The time of all samples, in microseconds, if it is known.
    pub(crate) fn total_time(&self) -> Option<f64> {
        self.time.as_ref().map(|time| time.total)
    }

    /// One row per node and executing line, and one per node for the rest: hits beyond the ticks,
    /// and their share of the time. If samples have times, the time is in rows of its own: at least
    /// one per sample.
    pub(crate) fn samples(
        self,
        builder: &mut ProfileBuilder,
        nodes: &[Node<'_>],
        tree: &Tree,
    ) -> Result<Samples, ReadError> {
        let start = self.time.as_ref().and_then(|time| time.start);
        let mut rows = NodeRows {
            divided: start.map(|_| vec![Divided::default(); nodes.len()]),
            ..NodeRows::default()
        };
        rows.add_nodes(self.hits, self.time.as_ref(), builder, nodes, tree)?;
        match (self.time, start) {
            (None, _) => Ok(Samples::new(rows.stacks, vec![Weights::Each(rows.hits)])),
            (Some(time), None) => {
                if time.unknown != 0.0 {
                    rows.push_duration(None, time.unknown);
                }
                Ok(rows.finish())
            }
            (Some(time), Some(start)) => {
                let times = rows.add_samples(start, time.samples);
                Ok(rows.finish().with_times(times))
            }
        }
    }
}

/// The rows of a thread, in columns. Rows of durations may have no hits.
#[derive(Default)]
struct NodeRows {
    stacks: Vec<Option<StackId>>,
    hits: Vec<f64>,
    durations: Vec<f64>,
    /// How the time of each node is divided. `None` if samples have no times, so that the rows of nodes
    /// have it.
    divided: Option<Vec<Divided>>,
}

impl NodeRows {
    fn push(&mut self, node: usize, stack: Option<StackId>, hits: f64, mut duration: f64) {
        if let Some(divided) = &mut self.divided {
            divided.get_mut(node).into_iter().for_each(|parts| parts.add(stack, duration));
            duration = 0.0;
            if hits == 0.0 {
                return;
            }
        }
        self.stacks.push(stack);
        self.hits.push(hits);
        self.durations.push(duration);
    }

    fn push_duration(&mut self, stack: Option<StackId>, duration: f64) {
        self.stacks.push(stack);
        self.durations.push(duration);
    }

    /// Adds the rows of each node and executing line.
    fn add_nodes(
        &mut self,
        hits: Hits,
        time: Option<&Time>,
        builder: &mut ProfileBuilder,
        nodes: &[Node<'_>],
        tree: &Tree,
    ) -> Result<(), ReadError> {
        let mut stacks: Vec<Option<StackId>> = vec![None; nodes.len()];
        let mut by_node = hits.by_node;
        for &i in &tree.callers_first {
            let (Some(node), Some(own)) = (nodes.get(i), by_node.get_mut(i)) else { continue };
            let caller = tree.caller.get(i).copied().flatten();
            let caller = caller.and_then(|caller| stacks.get(caller).copied().flatten());
            let time = time.and_then(|time| time.by_node.get(i)).copied().unwrap_or(0.0);
            let mut shares = Shares { time, hits: own.total(), hits_taken: 0.0, time_taken: 0.0 };
            let mut stack = caller;
            if !node.call_frame.is_root() {
                let func = node.call_frame.intern(builder)?;
                for (line, ticks) in std::mem::take(&mut own.by_line) {
                    let stack = node.call_frame.stack(builder, caller, func, (line, 0))?;
                    self.push(i, Some(stack), ticks, shares.take(ticks));
                }
                stack = Some(node.call_frame.stack(builder, caller, func, (0, 0))?);
            }
            if let Some(slot) = stacks.get_mut(i) {
                *slot = stack;
            }
            let rest = shares.rest();
            if own.without_line != 0.0 || rest != 0.0 {
                self.push(i, stack, own.without_line, rest);
            }
        }
        Ok(())
    }

    /// Adds the rows of samples, whose nodes and durations are given. Returns when each row was taken, in
    /// milliseconds; those of nodes have no time.
    fn add_samples(&mut self, start: f64, samples: Vec<(Option<usize>, f64)>) -> Vec<f64> {
        let mut divided = self.divided.take().unwrap_or_default();
        let mut n_samples = vec![0_u32; divided.len()];
        for node in samples.iter().filter_map(|&(node, _)| node) {
            n_samples.get_mut(node).into_iter().for_each(|n| *n += 1);
        }
        for (parts, &n) in divided.iter_mut().zip(&n_samples) {
            parts.queue(n);
        }
        let mut times = vec![f64::NAN; self.stacks.len()];
        let mut at = start;
        for (node, duration) in samples {
            let mut push = |stack, part| {
                self.push_duration(stack, part);
                times.push(at / 1e3);
            };
            match node.and_then(|node| divided.get_mut(node)) {
                Some(parts) => parts.take(duration, push),
                None => push(None, duration),
            }
            at += duration;
        }
        times
    }

    /// The rows of a profile that has durations.
    fn finish(self) -> Samples {
        let Self { stacks, mut hits, durations, .. } = self;
        hits.resize(stacks.len(), 0.0);
        Samples::new(stacks, vec![Weights::Each(hits), Weights::Each(durations)])
    }
}

/// The tree of calls, by row of `nodes`.
pub(crate) struct Tree {
    /// The row of each node id.
    pub(crate) rows: FxHashMap<i64, usize>,
    /// The row of the caller of each node.
    pub(crate) caller: Vec<Option<usize>>,
    /// All rows, callers before their callees.
    pub(crate) callers_first: Vec<usize>,
}

impl Tree {
    /// # Errors
    /// An id occurs twice, an id has no node, a node has two callers, or nodes call each other in a
    /// cycle.
    pub(crate) fn of(nodes: &[Node<'_>]) -> Result<Self, ReadError> {
        let mut rows = FxHashMap::default();
        for (i, node) in nodes.iter().enumerate() {
            if rows.insert(node.id, i).is_some() {
                return Err(malformed(
                    i,
                    "id",
                    format!("node {} occurs twice; expected ids to be unique", node.id),
                ));
            }
        }
        let mut caller = vec![None; nodes.len()];
        for (i, node) in nodes.iter().enumerate() {
            for (child, id) in node.children.iter().flatten().enumerate() {
                let key = || format!("children[{child}]");
                let row = *rows
                    .get(id)
                    .ok_or_else(|| malformed(i, &key(), format!("there is no node {id}")))?;
                match caller.get_mut(row) {
                    Some(caller @ None) => *caller = Some(i),
                    _ => {
                        return Err(malformed(
                            i,
                            &key(),
                            format!("node {id} has two callers; expected a tree"),
                        ));
                    }
                }
            }
        }
        for (i, (node, caller)) in nodes.iter().zip(&mut caller).enumerate() {
            if let Some(parent) = node.parent {
                let row = rows
                    .get(&parent)
                    .ok_or_else(|| malformed(i, "parent", format!("there is no node {parent}")))?;
                *caller = Some(*row);
            }
        }
        let callers_first = callers_first(&caller).map_err(|row| {
            let id = nodes.get(row).map_or(0, |node| node.id);
            malformed(row, "children", format!("node {id} is reached from itself; expected a tree"))
        })?;
        Ok(Self { rows, caller, callers_first })
    }
}

fn malformed(row: usize, key: &str, message: String) -> ReadError {
    ReadError::malformed(At::Key(format!("nodes[{row}].{key}")), message)
}

/// The hits of one node.
#[derive(Clone, Default)]
struct NodeHits {
    /// Executing lines, 1-based, and their ticks; each line once.
    by_line: Vec<(u32, f64)>,
    without_line: f64,
}

struct Hits {
    by_node: Vec<NodeHits>,
}

/// Divides the time of a node in proportion to its hits, into whole microseconds whose sum is that
/// time.
struct Shares {
    time: f64,
    hits: f64,
    hits_taken: f64,
    time_taken: f64,
}

impl Shares {
    fn take(&mut self, hits: f64) -> f64 {
        self.hits_taken += hits;
        let until = if self.hits_taken < self.hits {
            (self.time * self.hits_taken / self.hits).round()
        } else {
            self.time
        };
        let until = until.min(self.time).max(self.time_taken);
        let share = until - self.time_taken;
        self.time_taken = until;
        share
    }

    fn rest(&self) -> f64 {
        self.time - self.time_taken
    }
}

/// How the time of a node is divided among stacks, sample by sample.
#[derive(Clone, Default)]
struct Divided {
    /// Each stack with its time, and how much of that is taken.
    parts: Vec<(Option<StackId>, f64, f64)>,
    /// The mean time of a sample.
    sample: f64,
    /// The parts that have time left, by the bits of the share of the node's time after which the
    /// next sample of theirs is due. Shares are not negative, so their bits have the same order.
    due: BinaryHeap<(Reverse<u64>, usize)>,
}

impl Divided {
    fn add(&mut self, stack: Option<StackId>, time: f64) {
        self.parts.push((stack, time, 0.0));
    }

    /// Prepares for [`Divided::take`], which is called for this number of samples.
    fn queue(&mut self, n_samples: u32) {
        let time: f64 = self.parts.iter().map(|part| part.1).sum();
        self.sample = time / f64::from(n_samples).max(1.0);
        for at in 0..self.parts.len() {
            self.queue_part(at);
        }
    }

    /// Queues a part that has time left. One that has the time of 3 samples is due in the middle
    /// of each third of the node's time.
    fn queue_part(&mut self, at: usize) {
        let Some(&(_, whole, taken)) = self.parts.get(at) else { return };
        if whole > taken {
            let due = (taken + self.sample / 2.0) / whole;
            self.due.push((Reverse(due.to_bits()), at));
        }
    }

    /// Takes the time of a sample from the stacks that are due next, so that any time range is
    /// divided in about the same proportion as the whole. Calls `push` with each stack and its
    /// time.
    fn take(&mut self, mut time: f64, mut push: impl FnMut(Option<StackId>, f64)) {
        while let Some((_, at)) = self.due.pop() {
            let Some((stack, whole, taken)) = self.parts.get_mut(at) else { continue };
            let part = time.min(*whole - *taken);
            push(*stack, part);
            *taken += part;
            time -= part;
            self.queue_part(at);
            if time <= 0.0 {
                return;
            }
        }
        // A sample without time, or what rounding left over.
        push(self.parts.first().and_then(|part| part.0), time);
    }
}

impl Hits {
    fn of(profile: &CpuProfile<'_>, tree: &Tree, warnings: &mut Warnings) -> Self {
        let counted = profile.nodes.iter().any(Node::has_hits);
        if !counted
            && let Some(samples) = profile.samples.as_ref().filter(|samples| !samples.is_empty())
        {
            warnings.add(WarningCode::NoHitCount, || {
                "no node has a hitCount; samples are counted instead".to_owned()
            });
            let mut by_node = vec![NodeHits::default(); profile.nodes.len()];
            for node in samples.iter().filter_map(|id| tree.rows.get(id)) {
                if let Some(hits) = by_node.get_mut(*node) {
                    hits.without_line += 1.0;
                }
            }
            return Self { by_node };
        }
        let is_deno = profile.nodes.iter().any(|node| node.call_frame.url.starts_with("ext:"));
        let hits = |node: &Node<'_>| {
            let is_transpiled = is_deno && is_transpiled_by_deno(&node.call_frame.url);
            NodeHits::of(node, !is_transpiled, warnings)
        };
        Self { by_node: profile.nodes.iter().map(hits).collect() }
    }
}

/// Whether Deno removes types or JSX from a script before it runs it. It maps the places of functions
/// back to the script, but not the lines of samples (seen with Deno 2.9).
fn is_transpiled_by_deno(url: &str) -> bool {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    [".ts", ".mts", ".cts", ".tsx", ".jsx"].iter().any(|extension| path.ends_with(extension))
}

impl NodeHits {
    fn total(&self) -> f64 {
        self.without_line + self.by_line.iter().map(|(_, ticks)| ticks).sum::<f64>()
    }

    /// Without `has_lines`, the ticks belong to lines of another text.
    fn of(node: &Node<'_>, has_lines: bool, warnings: &mut Warnings) -> Self {
        let mut lines: Vec<(u32, f64)> = Vec::new();
        let mut all_ticks = 0.0;
        // Chromium gives native functions ticks in the text of their caller, whose line is not in a
        // file of theirs.
        let has_file = !node.call_frame.url.is_empty();
        for PositionTicks { line, ticks } in node.position_ticks.iter().flatten() {
            all_ticks += ticks;
            let line = position(*line);
            if has_file && line > 0 && !has_lines {
                warnings.add(WarningCode::TranspiledLines, || {
                    format!("Deno counts the samples of {} on the lines of its text without types; they have no lines here", node.call_frame.url)
                });
            } else if has_file && line > 0 {
                lines.push((line, *ticks));
            }
        }
        // Chromium may list a line several times.
        lines.sort_by_key(|&(line, _)| line);
        lines.dedup_by(|next, sum| {
            next.0 == sum.0 && {
                sum.1 += next.1;
                true
            }
        });

        let hits = node.hit_count.unwrap_or(all_ticks);
        if all_ticks > hits {
            warnings.add(WarningCode::TicksExceedHits, || {
                format!("node {} has {all_ticks} positionTicks but a hitCount of {hits}; the ticks are used", node.id)
            });
        }
        let with_line: f64 = lines.iter().map(|(_, ticks)| ticks).sum();
        Self { by_line: lines, without_line: hits.max(all_ticks) - with_line }
    }
}

/// Microseconds by node: a sample lasts until the next one, the last until the end of the
/// recording.
struct Time {
    by_node: Vec<f64>,
    /// The time of samples whose node does not exist.
    unknown: f64,
    total: f64,
    /// When the first sample was taken. `None` if the profile does not say when it starts.
    start: Option<f64>,
    /// The row of the node of each sample, if it exists, and the duration of the sample.
    samples: Vec<(Option<usize>, f64)>,
}

impl Time {
    fn of(profile: &CpuProfile<'_>, tree: &Tree, warnings: &mut Warnings) -> Option<Self> {
        let (samples, deltas) = (profile.samples.as_ref()?, profile.time_deltas.as_ref()?);
        if samples.len() != deltas.len() {
            warnings.add(WarningCode::UnevenColumns, || {
                format!(
                    "there are {} samples but {} timeDeltas; the surplus is left out",
                    samples.len(),
                    deltas.len()
                )
            });
        }
        let mut time = Self {
            by_node: vec![0.0; profile.nodes.len()],
            unknown: 0.0,
            total: 0.0,
            start: profile.start_time.zip(deltas.first()).map(|(start, first)| start + first),
            samples: Vec::with_capacity(samples.len()),
        };
        let end = profile.start_time.zip(profile.end_time).map(|(start, end)| end - start);
        for (id, duration) in samples.iter().zip(durations(deltas, end)) {
            let row = tree.rows.get(id).copied();
            let node = row.and_then(|row| time.by_node.get_mut(row));
            if node.is_none() {
                warnings.add(WarningCode::UnknownNode, || {
                    format!("a sample refers to node {id}, which does not exist; it has no stack")
                });
            }
            *node.unwrap_or(&mut time.unknown) += duration;
            time.total += duration;
            time.samples.push((row, duration));
        }
        Some(time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hits_are_at_least_all_ticks() {
        let hits = |hit_count: u32| {
            let text = format!(
                r#"{{"id":1,"callFrame":{{"functionName":"f","url":"a.js"}},"hitCount":{hit_count},
                    "positionTicks":[{{"line":3,"ticks":1}},{{"line":0,"ticks":2}},{{"line":3,"ticks":2}}]}}"#
            );
            let node: Node<'_> = serde_json::from_str(&text).unwrap();
            let mut warnings = Warnings::default();
            let NodeHits { by_line, without_line } = NodeHits::of(&node, true, &mut warnings);
            (by_line, without_line, warnings.as_slice().len())
        };
        assert_eq!(hits(7), (vec![(3, 3.0)], 4.0, 0));
        assert_eq!(hits(2), (vec![(3, 3.0)], 2.0, 1));
    }

    #[test]
    fn samples_are_divided_evenly_over_time() {
        let mut parts = Divided::default();
        for (id, time) in [(0, 6.0), (1, 3.0), (2, 1.0)] {
            parts.add(Some(StackId::new(id)), time);
        }
        parts.queue(10);
        let mut taken = |time| {
            let mut taken = Vec::new();
            parts.take(time, |stack, time| taken.push((stack.map(StackId::index), time)));
            taken
        };
        let order: Vec<_> =
            (0..8).flat_map(|_| taken(1.0)).filter_map(|(stack, _)| stack).collect();
        // Due at 1/12, 3/12 …; 1/6, 3/6, 5/6; 1/2.
        assert_eq!(order, [0, 1, 0, 0, 2, 1, 0, 0]);
        // A sample that is longer than what its stack has left.
        assert_eq!(taken(1.5), [(Some(1), 1.0), (Some(0), 0.5)]);
        assert_eq!(taken(0.5), [(Some(0), 0.5)]);
        assert_eq!(taken(0.0), [(Some(0), 0.0)]);
    }
}
