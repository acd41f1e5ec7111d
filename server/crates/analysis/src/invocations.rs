//! Single calls, reconstructed from samples in chronological order.
//!
//! A recording of events says where calls begin ([`profile::Samples::calls`]). A sampled one does
//! not. There, the frames that a sample shares with the previous one, counted from the root, are
//! taken for calls that continue. All other frames are calls that ended or began. Two calls without
//! a sample in between look like one, so these counts are estimates and depend on the order of
//! samples; costs do not. This is how rbspy counts for its callgrind output, except that calls are
//! compared by function: a caller that continues at another line is not a new call.

use profile::{
    BuildError, Call, CallGraph, Frame, Func, FuncId, GraphTables, Metric, OwnCost, Profile,
    ProfileBuilder, RowWeights, Samples, SourceId, StackAccess, StackId, SymbolTables, Weights,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// The parent of a node that has none.
const ROOT: u32 = u32::MAX;

/// A tree whose nodes have a shortcut to a node further up. So ancestors are found in a number of
/// steps that is logarithmic in the depth (Myers, "An applicative random-access stack", 1983).
#[derive(Default)]
struct Ancestors {
    parent: Vec<u32>,
    shortcut: Vec<u32>,
    /// How many nodes there are from the root to each node, with both.
    len: Vec<u32>,
}

impl Ancestors {
    /// Adds a node below `parent`, or below [`ROOT`].
    fn push(&mut self, parent: u32) -> u32 {
        let near = self.shortcut(parent);
        let far = self.shortcut(near);
        let as_long = self.len(parent) - self.len(near) == self.len(near) - self.len(far);
        self.parent.push(parent);
        self.shortcut.push(if as_long { far } else { parent });
        self.len.push(self.len(parent) + 1);
        self.len.len() as u32 - 1
    }

    fn parent(&self, node: u32) -> u32 {
        self.parent.get(node as usize).copied().unwrap_or(ROOT)
    }

    fn shortcut(&self, node: u32) -> u32 {
        self.shortcut.get(node as usize).copied().unwrap_or(ROOT)
    }

    fn len(&self, node: u32) -> u32 {
        self.len.get(node as usize).copied().unwrap_or(0)
    }

    /// `node` or its ancestor, whichever is the `len`th node from the root; [`ROOT`] for 0.
    fn ancestor(&self, mut node: u32, len: u32) -> u32 {
        while self.len(node) > len {
            let further = self.shortcut(node);
            node = if self.len(further) < len { self.parent(node) } else { further };
        }
        node
    }

    /// The number of nodes that two nodes have in common, counted from the root.
    fn common(&self, a: u32, b: u32) -> u32 {
        let len = self.len(a).min(self.len(b));
        let (mut a, mut b) = (self.ancestor(a, len), self.ancestor(b, len));
        // Shortcuts of nodes on the same level lead to the same level.
        while a != b {
            let further = (self.shortcut(a), self.shortcut(b));
            (a, b) =
                if further.0 == further.1 { (self.parent(a), self.parent(b)) } else { further };
        }
        self.len(a)
    }
}

/// Paths of functions from the root. Stacks that differ only in lines are one path.
struct Paths {
    tree: Ancestors,
    /// The path of each stack.
    of_stack: Vec<u32>,
}

impl Paths {
    fn new(profile: &Profile) -> Self {
        let (stacks, frames) = (profile.stacks(), profile.frames());
        let mut tree = Ancestors::default();
        let mut of_stack: Vec<u32> = Vec::with_capacity(stacks.len());
        let mut ids: FxHashMap<(u32, FuncId), u32> = FxHashMap::default();
        for stack in stacks.ids() {
            let parent = stacks.prefix(stack).map_or(ROOT, |prefix| of_stack[prefix.index()]);
            let func = frames.get(stacks.frame(stack)).func;
            of_stack.push(*ids.entry((parent, func)).or_insert_with(|| tree.push(parent)));
        }
        Self { tree, of_stack }
    }

    fn of(&self, stack: Option<StackId>) -> u32 {
        stack.map_or(ROOT, |stack| self.of_stack[stack.index()])
    }

    /// The number of frames of a stack.
    fn len(&self, stack: Option<StackId>) -> u32 {
        self.tree.len(self.of(stack))
    }

    /// The stack of each sample of a thread, and how many of its calls began earlier.
    fn continued(&self, samples: &Samples) -> impl Iterator<Item = (Option<StackId>, u32)> {
        let mut previous = ROOT;
        samples.stacks().enumerate().map(move |(i, stack)| {
            let path = self.of(stack);
            let starts =
                samples.calls().is_some_and(|calls| calls.get(i).is_some_and(|&calls| calls > 0));
            let mut kept = self.tree.common(previous, path);
            if starts && kept == self.tree.len(path) {
                kept = kept.saturating_sub(1);
            }
            previous = path;
            (stack, kept)
        })
    }
}

/// The recording with one sample per call, in the order in which calls begin. Each has the self
/// cost of its call as weight. Samples without a stack are dropped.
pub fn one_sample_per_call(profile: &Profile) -> Profile {
    let paths = Paths::new(profile);
    profile.with_samples(profile.default_metric(), |_, samples| {
        // `open` has the row of each call that continues, outermost first; `stacks` has all rows.
        let (mut open, mut stacks): (Vec<usize>, Vec<StackId>) = (Vec::new(), Vec::new());
        let mut rows: Vec<(usize, usize)> = Vec::with_capacity(samples.len());
        for (i, (stack, kept)) in paths.continued(samples).enumerate() {
            open.truncate(kept as usize);
            let up = std::iter::successors(stack, |&stack| profile.stacks().prefix(stack));
            let n_begun = (paths.len(stack) - kept) as usize;
            let begun: Vec<StackId> = up.take(n_begun).collect();
            for &stack in begun.iter().rev() {
                open.push(stacks.len());
                stacks.push(stack);
            }
            rows.extend(open.last().map(|&row| (row, i)));
        }
        let weights = samples.weights().iter().map(|weights| {
            let mut sums = vec![0.0; stacks.len()];
            for &(row, i) in &rows {
                sums[row] += weights.get(i);
            }
            Weights::Each(sums)
        });
        let weights: Vec<_> = weights.collect();
        let calls = vec![1; stacks.len()];
        Some(Samples::new(stacks.into_iter().map(Some), weights).with_calls(calls))
    })
}

/// How many calls begin with each stack. Their sum is the number of samples of
/// [`one_sample_per_call`].
pub fn calls_by_stack(profile: &Profile) -> Vec<u64> {
    let (stacks, paths) = (profile.stacks(), Paths::new(profile));
    let mut above = Ancestors::default();
    for stack in stacks.ids() {
        above.push(stacks.prefix(stack).map_or(ROOT, StackId::raw));
    }
    // A sample begins the calls of its stack and those above it, up to the ones that continue: the
    // sum of a subtree counts one for each sample below, and takes it away where calls continue.
    let mut calls = vec![0_i64; stacks.len()];
    for samples in profile.samples() {
        for (stack, kept) in paths.continued(samples) {
            let Some(stack) = stack else { continue };
            calls[stack.index()] += 1;
            if let Some(calls) = calls.get_mut(above.ancestor(stack.raw(), kept) as usize) {
                *calls -= 1;
            }
        }
    }
    for stack in stacks.ids().rev() {
        if let Some(caller) = stacks.prefix(stack) {
            calls[caller.index()] += calls[stack.index()];
        }
    }
    calls.into_iter().map(|calls| calls.try_into().unwrap_or(0)).collect()
}

/// The call graph of a recording: self cost per line, and number and cost of the calls from each
/// line to each function. A sample counts once for every occurrence of a call on its stack, as in
/// callgrind files, so costs of recursive calls can exceed the total. The default metric comes
/// first.
///
/// Recursive calls of a function go to a func of their own ([`GraphTables::inner`]), as callgrind
/// separates them. So a function that recurses does not put the functions it calls on a cycle.
pub fn call_graph(profile: &Profile) -> CallGraph {
    let inner = Inner::of(profile);
    let graph = graph(profile, &inner);
    GraphTables { symbols: inner.symbols, inner: inner.funcs, ..graph }.into()
}

/// [`call_graph`] without separate funcs for recursive calls.
pub fn call_graph_without_levels(profile: &Profile) -> CallGraph {
    let inner = Inner {
        symbols: profile.symbols().clone(),
        of_stack: vec![None; profile.stacks().len()],
        funcs: Vec::new(),
    };
    GraphTables { symbols: inner.symbols.clone(), ..graph(profile, &inner) }.into()
}

/// The recursive calls of a profile: those nested in another call of the same function.
struct Inner {
    /// The tables of the profile, with one more func for each that has such calls.
    symbols: SymbolTables,
    /// The func for the leaf of each stack, if the leaf is such a call.
    of_stack: Vec<Option<FuncId>>,
    /// The added funcs.
    funcs: Vec<FuncId>,
}

impl Inner {
    fn of(profile: &Profile) -> Self {
        let (stacks, frames, mut symbols) =
            (profile.stacks(), profile.frames(), profile.symbols().clone());
        let mut below: Vec<Vec<StackId>> = vec![Vec::new(); stacks.len()];
        let mut pending = Vec::new();
        for stack in stacks.ids() {
            match stacks.prefix(stack) {
                Some(caller) => below[caller.index()].push(stack),
                None => pending.push((stack, false)),
            }
        }
        // Compare funcs by content: equal ones become one function in the file.
        let mut open: FxHashMap<Func, u32> = FxHashMap::default();
        let mut inner: FxHashMap<Func, FuncId> = FxHashMap::default();
        let mut of_stack = vec![None; stacks.len()];
        while let Some((stack, is_done)) = pending.pop() {
            let func = profile.symbols().funcs.get(frames.get(stacks.frame(stack)).func);
            let depth = open.entry(func).or_insert(0);
            if is_done {
                *depth -= 1;
                continue;
            }
            if *depth > 0 {
                of_stack[stack.index()] = Some(*inner.entry(func).or_insert_with(|| {
                    symbols.funcs.push(func);
                    FuncId::new(symbols.funcs.len() as u32 - 1)
                }));
            }
            *depth += 1;
            pending.push((stack, true));
            pending.extend(below[stack.index()].iter().map(|&stack| (stack, false)));
        }
        let mut funcs: Vec<FuncId> = inner.into_values().collect();
        funcs.sort_unstable();
        Self { symbols, of_stack, funcs }
    }

    /// The place of the leaf of a stack.
    fn place(&self, profile: &Profile, stack: StackId) -> Place {
        let place = Place::of(profile, stack);
        Place { func: self.of_stack[stack.index()].unwrap_or(place.func), ..place }
    }
}

/// The call graph, without names.
fn graph(profile: &Profile, inner: &Inner) -> GraphTables {
    let stacks = profile.stacks();
    let default = profile.default_metric().index();
    let mut order: Vec<usize> = (0..profile.metrics().len()).collect();
    order.sort_by_key(|&metric| metric != default);

    let calls = calls_by_stack(profile);
    let mut weights = vec![vec![0.0; stacks.len()]; order.len()];
    let mut rows = Rows { n_metrics: order.len(), ..Rows::default() };
    for samples in profile.samples() {
        for (&metric, sums) in order.iter().zip(&mut weights) {
            for (i, stack) in samples.stacks().enumerate() {
                if let Some(stack) = stack {
                    sums[stack.index()] += samples.weights()[metric].get(i);
                }
            }
        }
    }
    // In reverse order callees come before callers, so the sum of a subtree is complete when its
    // root is reached.
    let mut subtree = weights.clone();
    for stack in stacks.ids().rev() {
        let place = inner.place(profile, stack);
        let column = |weights: &[Vec<f64>]| {
            weights.iter().map(|sums| sums[stack.index()]).collect::<Vec<f64>>()
        };
        let (own, total) = (column(&weights), column(&subtree));
        rows.own(place, &own);
        if let Some(caller) = stacks.prefix(stack) {
            for (sums, total) in subtree.iter_mut().zip(&total) {
                sums[caller.index()] += total;
            }
            let call = rows.call(inner.place(profile, caller), place.func);
            call.count += calls[stack.index()];
            add(&mut call.weights, &total);
        }
    }
    let metrics = order.iter().map(|&metric| profile.metrics()[metric].clone()).collect();
    rows.finish(metrics)
}

/// A function and a line.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Place {
    func: FuncId,
    /// The file of the line if it is not the function's.
    source: Option<SourceId>,
    line: u32,
}

impl Place {
    /// The place of the leaf of a stack.
    fn of(profile: &Profile, stack: StackId) -> Self {
        let frame = profile.stacks().frame(stack);
        let Frame { func, line, .. } = profile.frames().get(frame);
        let (source, line) =
            profile.place(frame).map_or((None, line), |(source, line)| (Some(source), line));
        let source = source.filter(|_| source != profile.symbols().funcs.get(func).source);
        Self { func, source, line }
    }
}

/// Accumulates the rows of a call graph.
#[derive(Default)]
struct Rows {
    n_metrics: usize,
    own: FxHashMap<Place, OwnCost>,
    calls: FxHashMap<(Place, FuncId), Call>,
}

impl Rows {
    fn own(&mut self, place: Place, weights: &[f64]) {
        let row = self.own.entry(place).or_insert_with(|| {
            let Place { func, source, line } = place;
            OwnCost { func, source, line, weights: RowWeights::from_elem(0.0, self.n_metrics) }
        });
        add(&mut row.weights, weights);
    }

    fn call(&mut self, place: Place, callee: FuncId) -> &mut Call {
        self.calls.entry((place, callee)).or_insert_with(|| {
            let Place { func: caller, source, line } = place;
            let weights = RowWeights::from_elem(0.0, self.n_metrics);
            // A stack can contain any call several times.
            Call { caller, source, line, callee, count: 0, weights, nested: true }
        })
    }

    /// Drops rows without weight and calls. A function without self cost keeps its lines if it
    /// calls or is called.
    fn finish(self, metrics: Vec<Metric>) -> GraphTables {
        let mut calls: Vec<Call> = self
            .calls
            .into_values()
            .filter(|call| call.count > 0 || has_weight(&call.weights))
            .collect();
        calls.sort_by_key(|call| (call.caller, call.source, call.line, call.callee));
        let on_calls: FxHashSet<FuncId> =
            calls.iter().flat_map(|call| [call.caller, call.callee]).collect();
        let mut own: Vec<OwnCost> = self
            .own
            .into_values()
            .filter(|own| has_weight(&own.weights) || on_calls.contains(&own.func))
            .collect();
        own.sort_by_key(|own| (own.func, own.source, own.line));
        GraphTables { metrics, own, calls, ..GraphTables::default() }
    }
}

fn has_weight(weights: &[f64]) -> bool {
    weights.iter().any(|&weight| weight != 0.0)
}

fn add(sums: &mut [f64], weights: &[f64]) {
    sums.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += weight);
}

/// The recording in rbspy's terms: every line of a function is a function of its own that starts
/// there, and C functions without a name are skipped unless a stack has nothing else.
pub fn lines_as_functions(profile: &Profile) -> Result<Profile, BuildError> {
    const NAMELESS: &str = "(unknown) [c function]";
    let (stacks, symbols) = (profile.stacks(), profile.symbols());
    let mut builder =
        ProfileBuilder::new(profile.metrics().to_vec(), profile.default_metric().index());
    let mut nameless = None;
    let mut kept: Vec<Option<StackId>> = Vec::with_capacity(stacks.len());
    for stack in stacks.ids() {
        let frame = profile.frames().get(stacks.frame(stack));
        let Frame { func, line, .. } = frame;
        let Func { name, source, lib, .. } = symbols.funcs.get(func);
        let name = symbols.strings.get(name);
        let func = Func {
            name: builder.intern_string(name)?,
            source: source
                .map(|source| builder.intern_source(symbols.source_name(source)))
                .transpose()?,
            lib: lib
                .map(|lib| builder.intern_lib(symbols.libs[lib.index()].clone()))
                .transpose()?,
            line,
            column: 0,
        };
        let func = builder.intern_func(func)?;
        let frame = builder.intern_frame(Frame { func, ..frame })?;
        let prefix = stacks.prefix(stack).and_then(|prefix| kept[prefix.index()]);
        kept.push(match name {
            NAMELESS => {
                nameless = Some(builder.intern_stack(None, frame)?);
                prefix
            }
            _ => Some(builder.intern_stack(prefix, frame)?),
        });
    }
    for (thread, samples) in profile.sampled_threads() {
        let moved =
            samples.stacks().map(|stack| stack.and_then(|stack| kept[stack.index()].or(nameless)));
        let mut moved = Samples::new(moved, samples.weights().to_vec());
        if let Some(calls) = samples.calls() {
            moved = moved.with_calls(calls.to_vec());
        }
        builder.push_thread(thread.clone(), moved)?;
    }
    Ok(builder.build())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A chain of 200 nodes with branches.
    fn tree() -> Ancestors {
        let mut tree = Ancestors::default();
        for i in 0..600 {
            tree.push(match i {
                0 | 250 => ROOT,
                1..200 => i - 1,
                _ => i * 7919 % 199,
            });
        }
        tree
    }

    /// All nodes from the root to `node`.
    fn path(tree: &Ancestors, node: u32) -> Vec<u32> {
        let up = |&node: &u32| Some(tree.parent(node)).filter(|&parent| parent != ROOT);
        let mut path: Vec<u32> = std::iter::successors(Some(node), up).collect();
        path.reverse();
        path
    }

    #[test]
    fn shortcuts_lead_to_the_same_ancestors() {
        let tree = tree();
        for node in 0..600 {
            let path = path(&tree, node);
            assert_eq!(tree.len(node) as usize, path.len());
            let ancestors: Vec<u32> =
                (1..=tree.len(node)).map(|len| tree.ancestor(node, len)).collect();
            assert_eq!(ancestors, path);
            assert_eq!(tree.ancestor(node, 0), ROOT);
        }
        for (a, b) in (0..600).flat_map(|a| (0..600).step_by(7).map(move |b| (a, b))) {
            let (one, other) = (path(&tree, a), path(&tree, b));
            let common = one.iter().zip(&other).take_while(|(one, other)| one == other).count();
            assert_eq!(tree.common(a, b) as usize, common, "{a} {b}");
        }
        assert_eq!((tree.common(ROOT, 5), tree.common(ROOT, ROOT)), (0, 0));
    }
}
