//! Merges recordings of one run, where each file is a thread, a process or a span of time.
//!
//! Equal names become one, so that a function in several parts is one function. Weights do not
//! change. Threads stay separate unless two parts give them the same ids and name: then the later
//! part continues the thread.

use crate::StackAccess;
use crate::symbol_tables::Names;
use crate::{
    BuildError, Call, CallGraph, CategoryId, Contexts, Frame, FrameId, Func, FuncId, FuncTable,
    GraphTables, LabelSetId, Lib, LibId, LineKnowledge, Metric, OwnCost, Profile, ProfileBuilder,
    Recording, Samples, SourceId, StackId, StatedTotal, SymbolTables, Thread, ThreadId, ThreadRows,
    Weights,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// The recording of one file, its run, and its thread as far as the name and the start of the file
/// state it.
#[derive(Debug, Clone)]
pub struct Part {
    /// The recording.
    pub recording: Recording,
    /// The name and ids for threads without them, and the run of all threads.
    pub thread: Thread,
}

/// Why recordings cannot be merged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MergeError {
    /// Some are sampled, some are call graphs.
    #[error("samples and call graphs cannot be merged")]
    Kinds {
        /// The index of the part that differs from the first.
        part: usize,
    },
    /// Their metrics differ.
    #[error("costs in {found} and costs in {expected} cannot be merged")]
    Metrics {
        /// The index of the part that differs from the first.
        part: usize,
        /// The metrics of the first part.
        expected: String,
        /// The metrics of this part.
        found: String,
    },
    /// A table would be too large.
    #[error(transparent)]
    Tables(#[from] BuildError),
}

impl MergeError {
    /// The index of the part that differs from the first.
    pub fn part(&self) -> Option<usize> {
        match self {
            Self::Kinds { part } | Self::Metrics { part, .. } => Some(*part),
            Self::Tables(_) => None,
        }
    }
}

/// Merges recordings. Threads are in the order of the parts.
///
/// # Errors
/// If kinds or metrics of the parts differ, or if a table would be too large.
pub fn merge(parts: &[Part]) -> Result<Recording, MergeError> {
    let metrics = metrics(parts)?;
    let is_graph = |part: &Part| part.recording.summed().is_some();
    let mut merged = match parts.first() {
        Some(first) if is_graph(first) => merge_graphs(parts, metrics).map(Recording::Graph),
        _ => merge_stacks(parts, metrics).map(Recording::Stacks),
    }?;
    merged.add_line_counts(parts.iter().flat_map(|part| part.recording.line_counts()))?;
    Ok(merged)
}

/// The metrics of all parts that have weights, with the most precise knowledge of lines.
fn metrics(parts: &[Part]) -> Result<Vec<Metric>, MergeError> {
    let weighs = |part: &Part| match &part.recording {
        Recording::Stacks(profile) => profile.samples.iter().any(|samples| !samples.is_empty()),
        Recording::Graph(graph) => !graph.tables.own.is_empty() || !graph.tables.calls.is_empty(),
    };
    let first = parts.iter().position(weighs).unwrap_or(0);
    let Some(first) = parts.get(first) else { return Ok(Vec::new()) };
    let names = |metrics: &[Metric]| {
        let name = |metric: &Metric| format!("{} ({})", metric.name, metric.unit);
        metrics.iter().map(name).collect::<Vec<_>>().join(", ")
    };
    let mut metrics = first.recording.metrics().to_vec();
    let expected = names(&metrics);
    for (part, Part { recording, .. }) in (0..).zip(parts) {
        if recording.summed().is_some() != first.recording.summed().is_some() {
            return Err(MergeError::Kinds { part });
        }
        if !weighs(&parts[part]) {
            continue;
        }
        let found = names(recording.metrics());
        if found != expected {
            return Err(MergeError::Metrics { part, expected, found });
        }
        for (metric, other) in metrics.iter_mut().zip(recording.metrics()) {
            if metric.seconds_per_unit != other.seconds_per_unit {
                metric.seconds_per_unit = None;
            }
            metric.lines = match (metric.lines, other.lines) {
                (LineKnowledge::Nothing, lines) | (lines, LineKnowledge::Nothing) => lines,
                (LineKnowledge::SelfAndTotal, LineKnowledge::SelfAndTotal) => {
                    LineKnowledge::SelfAndTotal
                }
                (LineKnowledge::Calls, LineKnowledge::Calls) => LineKnowledge::Calls,
                (LineKnowledge::TotalOnly, LineKnowledge::TotalOnly) => LineKnowledge::TotalOnly,
                (LineKnowledge::SelfEstimated, _) | (_, LineKnowledge::SelfEstimated) => {
                    LineKnowledge::SelfEstimated
                }
                _ => LineKnowledge::SelfOnly,
            };
        }
    }
    Ok(metrics)
}

/// A thread of a part, with the name of the part if it has none.
fn named(thread: &Thread, by: &Thread) -> Thread {
    let text =
        |own: &String, other: &String| if own.is_empty() { other.clone() } else { own.clone() };
    Thread {
        name: text(&thread.name, &by.name),
        process_name: text(&thread.process_name, &by.process_name),
        pid: thread.pid.clone().or_else(|| by.pid.clone()),
        tid: thread.tid.clone().or_else(|| by.tid.clone()),
        run: by.run,
    }
}

/// The index in `threads` of the thread that this part continues, or of a new one. The first
/// `n_before` threads are of earlier parts. Threads of different runs stay separate.
fn place<T: Default>(threads: &mut Vec<(Thread, T)>, n_before: usize, thread: Thread) -> usize {
    let same = |known: &Thread| {
        (&known.pid, &known.tid, &known.name, known.run)
            == (&thread.pid, &thread.tid, &thread.name, thread.run)
    };
    let goes_on = |(known, _): &(Thread, T)| known.pid.is_some() && same(known);
    if let Some(known) = threads.iter().take(n_before).position(goes_on) {
        return known;
    }
    threads.push((thread, T::default()));
    threads.len() - 1
}

fn merge_stacks(parts: &[Part], metrics: Vec<Metric>) -> Result<Profile, MergeError> {
    let default = parts.first().map_or(0, |part| part.recording.default_metric().index());
    let n_metrics = metrics.len();
    let mut builder = ProfileBuilder::new(metrics, default);
    let mut known: FxHashMap<(Option<StackId>, FrameId, CategoryId), StackId> =
        FxHashMap::default();
    let mut threads: Vec<(Thread, Option<Samples>)> = Vec::new();
    let starts = aligned(parts);
    for (part, start_ms) in parts.iter().zip(starts) {
        let Some(old) = part.recording.sampled() else { continue };
        let stacks = add_stacks(&mut builder, &mut known, old)?;
        let sets = (0..old.labels.sets().len() as u32).map(LabelSetId::new);
        let sets = sets.map(|set| builder.intern_labels(old.labels.of_set(set).cloned()));
        let sets: Vec<LabelSetId> = sets.collect::<Result<_, _>>()?;
        let n_before = threads.len();
        for (thread, samples) in old.sampled_threads() {
            let moved = |stack: StackId| stacks.get(stack.index()).copied();
            let samples = samples.at_stacks(samples.stacks().map(|stack| stack.and_then(moved)));
            let samples = samples.with_label_sets(|set| sets[set.index()]);
            let samples = match old.clock() {
                Some(clock) => samples.stated(clock, start_ms),
                None => samples,
            };
            let at = place(&mut threads, n_before, named(thread, &part.thread));
            let Some((_, all)) = threads.get_mut(at) else { continue };
            *all = Some(match all.take() {
                Some(before) => before.followed_by(samples),
                None => samples,
            });
        }
    }
    for (thread, samples) in threads {
        let mut samples = samples.unwrap_or_default();
        if samples.is_empty() {
            samples.weights = vec![Weights::Ones; n_metrics];
        }
        builder.push_thread(thread, samples)?;
    }
    Ok(builder.build())
}

/// The longest gap between the parts of a recording that goes on, as a share of the time that was
/// recorded before it or after it.
const MAX_GAP: f64 = 0.1;

/// When each part starts, in milliseconds. Parts that were recorded at the same time by the same
/// clock start as recorded: without gaps, each one begins before those that began earlier have ended.
/// So do parts of one recording, each of which goes on with a thread shortly after the others have
/// ended. Otherwise, such as for repeated runs, all start at 0.
fn aligned(parts: &[Part]) -> Vec<f64> {
    let span = |part: &Part| {
        let old = part.recording.sampled()?;
        let clock = old.clock()?;
        let last = old.samples.iter().filter_map(|samples| samples.last_ns(clock)).max();
        let last = last.unwrap_or_default();
        Some((clock.start_ms, clock.start_ms + last as f64 / 1e6))
    };
    let spans: Vec<_> = parts.iter().map(span).collect();
    let mut by_start: Vec<((f64, f64), &Part)> =
        spans.iter().zip(parts).filter_map(|(span, part)| Some(((*span)?, part))).collect();
    by_start.sort_by(|(a, _), (b, _)| a.0.total_cmp(&b.0));
    let first = by_start.first().map_or(0.0, |&((start, _), _)| start);
    let mut end = first;
    let mut threads = FxHashSet::default();
    let is_one_clock = by_start.iter().all(|&((start, last), part)| {
        let before = threads.len();
        let ids = thread_ids(part);
        let n_ids = ids.len();
        threads.extend(ids);
        let goes_on = threads.len() < before + n_ids;
        let is_short = start - end <= MAX_GAP * (end - first).max(last - start);
        let fits = start <= end || (goes_on && is_short);
        end = end.max(last);
        fits
    });
    let start = |span: Option<(f64, f64)>| span.filter(|_| is_one_clock).map_or(0.0, |span| span.0);
    spans.into_iter().map(start).collect()
}

/// The process and thread ids in a part.
fn thread_ids(part: &Part) -> FxHashSet<(String, Option<String>)> {
    let threads = part.recording.sampled().into_iter().flat_map(Profile::sampled_threads);
    let named = threads.map(|(thread, _)| named(thread, &part.thread));
    named.filter_map(|thread| Some((thread.pid?, thread.tid))).collect()
}

/// Adds the stacks of a part, with their frames and names, and returns their new ids.
fn add_stacks(
    builder: &mut ProfileBuilder,
    known: &mut FxHashMap<(Option<StackId>, FrameId, CategoryId), StackId>,
    old: &Profile,
) -> Result<Vec<StackId>, BuildError> {
    let symbols = &old.symbols;
    let sources: Vec<SourceId> = symbols
        .sources
        .iter()
        .map(|&name| builder.intern_source(symbols.strings.get(name)))
        .collect::<Result<_, _>>()?;
    for (source, text) in &symbols.texts {
        builder.add_source_text(sources[source.index()], text);
    }
    let libs: Vec<LibId> =
        symbols.libs.iter().map(|lib| builder.intern_lib(lib.clone())).collect::<Result<_, _>>()?;
    let mut funcs: Vec<FuncId> = Vec::with_capacity(symbols.funcs.len());
    for id in symbols.funcs.ids() {
        let func = symbols.funcs.get(id);
        let name = builder.intern_string(symbols.strings.get(func.name))?;
        let source = func.source.map(|source| sources[source.index()]);
        let new = builder.intern_func(Func {
            name,
            source,
            lib: func.lib.map(|lib| libs[lib.index()]),
            ..func
        })?;
        builder.set_code(new, symbols.funcs.code(id))?;
        funcs.push(new);
    }
    let mut frames: Vec<FrameId> = Vec::with_capacity(old.frames.len());
    for id in (0..old.frames.len() as u32).map(FrameId::new) {
        let frame = old.frames.get(id);
        let frame = Frame { func: funcs[frame.func.index()], ..frame };
        frames.push(match old.frames.elsewhere(id) {
            None => builder.intern_frame(frame)?,
            Some((source, line)) => {
                let frame = builder.push_frame(frame)?;
                builder.put_elsewhere(sources[source.index()], line);
                frame
            }
        });
    }
    let mut stacks: Vec<StackId> = Vec::with_capacity(old.stacks.len());
    for id in old.stacks.ids() {
        let prefix = old.stacks.prefix(id).map(|prefix| stacks[prefix.index()]);
        let frame = frames[old.stacks.frame(id).index()];
        let category =
            builder.intern_category(old.stacks.category_name(old.stacks.category(id)))?;
        let stack = if let Some(&stack) = known.get(&(prefix, frame, category)) {
            stack
        } else {
            let stack = builder.push_stack(prefix, frame)?;
            builder.set_category(stack, category)?;
            known.insert((prefix, frame, category), stack);
            stack
        };
        stacks.push(stack);
    }
    Ok(stacks)
}

/// The rows of one thread of a call graph, from all parts.
struct GraphRows {
    own: Vec<OwnCost>,
    calls: Vec<Call>,
    totals: Vec<StatedTotal>,
    /// The contexts of these calls; `None` if a part has none.
    contexts: Option<Contexts>,
}

impl Default for GraphRows {
    fn default() -> Self {
        let (own, calls, totals) = (Vec::new(), Vec::new(), Vec::new());
        Self { own, calls, totals, contexts: Some(Contexts::default()) }
    }
}

impl GraphRows {
    /// Adds the contexts of a part, before its calls. Only recordings without threads have some.
    fn add_contexts(&mut self, old: &GraphTables, new: &NewIds) {
        let more = old.contexts.as_deref().filter(|_| old.threads.is_empty());
        let (Some(all), Some(more)) = (&mut self.contexts, more) else {
            self.contexts = None;
            return;
        };
        all.add(more, |func| new.func(func), self.calls.len());
    }
}

fn merge_graphs(parts: &[Part], metrics: Vec<Metric>) -> Result<CallGraph, MergeError> {
    let mut names = GraphNames::new();
    let mut threads: Vec<(Thread, GraphRows)> = Vec::new();
    for part in parts {
        let Some(CallGraph { tables: old }) = part.recording.summed() else { continue };
        let new = names.add(old)?;
        let n_before = threads.len();
        let alone = [Thread::default()];
        for (i, thread) in
            (if old.threads.is_empty() { &alone[..] } else { &old.threads }).iter().enumerate()
        {
            let rows = if old.threads.is_empty() {
                old.whole()
            } else {
                old.of_thread(ThreadId::new(i as u32))
            };
            let at = place(&mut threads, n_before, named(thread, &part.thread));
            let Some((_, all)) = threads.get_mut(at) else { continue };
            all.add_contexts(old, &new);
            all.own.extend(rows.own.iter().map(|own| OwnCost {
                func: new.func(own.func),
                source: new.source(own.source),
                ..own.clone()
            }));
            all.calls.extend(rows.calls.iter().map(|call| Call {
                caller: new.func(call.caller),
                callee: new.func(call.callee),
                source: new.source(call.source),
                ..call.clone()
            }));
            add_totals(
                &mut all.totals,
                rows.totals.iter().map(|stated| StatedTotal {
                    func: new.func(stated.func),
                    source: new.source(stated.source),
                    ..stated.clone()
                }),
            );
        }
    }
    let mut graph = GraphTables {
        metrics,
        inner: names.inner.clone(),
        symbols: names.finish(),
        ..GraphTables::default()
    };
    let mut contexts = Some(Contexts::default());
    for (thread, mut rows) in threads {
        let (own, calls, totals) = (graph.own.len(), graph.calls.len(), graph.totals.len());
        match (&mut contexts, rows.contexts) {
            (Some(all), Some(more)) => all.add(&more, |func| func, calls),
            _ => contexts = None,
        }
        graph.own.append(&mut rows.own);
        graph.calls.append(&mut rows.calls);
        graph.totals.append(&mut rows.totals);
        graph.threads.push(thread);
        graph.rows.push(ThreadRows {
            own: own..graph.own.len(),
            calls: calls..graph.calls.len(),
            totals: totals..graph.totals.len(),
        });
    }
    graph.contexts = contexts.map(Arc::new);
    Ok(graph.into())
}

/// Adds the stated totals of a later part to the thread's totals, with one row per function, file
/// and line.
fn add_totals(all: &mut Vec<StatedTotal>, more: impl Iterator<Item = StatedTotal>) {
    let mut known: FxHashMap<(FuncId, Option<SourceId>, u32), usize> =
        all.iter().map(|row| (row.func, row.source, row.line)).zip(0..).collect();
    for row in more {
        if let Some(before) =
            known.get(&(row.func, row.source, row.line)).and_then(|&at| all.get_mut(at))
        {
            before
                .totals
                .iter_mut()
                .zip(row.totals)
                .for_each(|(total, other)| *total = total.plus(other));
            before.calls =
                before.calls.zip(row.calls).map(|(calls, more)| calls.saturating_add(more));
        } else {
            known.insert((row.func, row.source, row.line), all.len());
            all.push(row);
        }
    }
}

/// The names of all parts of a call graph.
struct GraphNames {
    names: Names,
    libs: Vec<Lib>,
    lib_ids: FxHashMap<Lib, LibId>,
    funcs: FuncTable,
    /// Recursive calls of a function are a separate func.
    func_ids: FxHashMap<(Func, bool), FuncId>,
    inner: Vec<FuncId>,
}

/// The new ids of a part.
struct NewIds {
    sources: Vec<SourceId>,
    funcs: Vec<FuncId>,
}

impl NewIds {
    fn func(&self, old: FuncId) -> FuncId {
        self.funcs[old.index()]
    }

    fn source(&self, old: Option<SourceId>) -> Option<SourceId> {
        old.map(|old| self.sources[old.index()])
    }
}

impl GraphNames {
    fn new() -> Self {
        Self {
            names: Names::of(&SymbolTables::default()),
            libs: Vec::new(),
            lib_ids: FxHashMap::default(),
            funcs: FuncTable::default(),
            func_ids: FxHashMap::default(),
            inner: Vec::new(),
        }
    }

    fn add(&mut self, old: &GraphTables) -> Result<NewIds, BuildError> {
        let symbols = &old.symbols;
        let source = |&name| self.names.source(symbols.strings.get(name));
        let sources: Option<Vec<SourceId>> = symbols.sources.iter().map(source).collect();
        let sources = sources.ok_or(BuildError::TooLarge("source"))?;
        let lib = |lib: &Lib| {
            *self.lib_ids.entry(lib.clone()).or_insert_with(|| {
                self.libs.push(lib.clone());
                LibId::new(self.libs.len() as u32 - 1)
            })
        };
        let libs: Vec<LibId> = symbols.libs.iter().map(lib).collect();
        let mut is_inner = vec![false; symbols.funcs.len()];
        for inner in &old.inner {
            is_inner[inner.index()] = true;
        }
        let mut funcs = Vec::with_capacity(symbols.funcs.len());
        for (id, is_inner) in symbols.funcs.ids().zip(is_inner) {
            let func = symbols.funcs.get(id);
            let name = self
                .names
                .string(symbols.strings.get(func.name))
                .ok_or(BuildError::TooLarge("string"))?;
            let source = func.source.map(|source| sources[source.index()]);
            let func = Func { name, source, lib: func.lib.map(|lib| libs[lib.index()]), ..func };
            let new = *self.func_ids.entry((func, is_inner)).or_insert_with(|| {
                self.funcs.push(func);
                let new = FuncId::new(self.funcs.len() as u32 - 1);
                self.inner.extend(is_inner.then_some(new));
                new
            });
            self.funcs.set_code(new, symbols.funcs.code(id));
            funcs.push(new);
        }
        Ok(NewIds { sources, funcs })
    }

    fn finish(self) -> SymbolTables {
        self.names.with(self.libs, self.funcs)
    }
}

#[cfg(test)]
mod tests;
