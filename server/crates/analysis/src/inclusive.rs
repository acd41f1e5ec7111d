//! Inclusive costs of a call graph whose file states none: they follow from its calls.
//!
//! What a function spends itself and what its calls cost is its total, exactly, as long as no call leads back to it. A call of
//! itself lies within another call and adds nothing. In a larger cycle calls lie within calls by parts that a graph does not
//! tell; there a total has bounds. It is at least what calls from outside the cycle cost, and at least what the function
//! spends itself and on calls that leave the cycle. It is at most that and what it spends on calls within the cycle, and at
//! most what the whole cycle costs: what its functions spend themselves and on calls that leave it.
//!
//! Bounds follow from each other. Wherever a function is on a stack, its innermost activation either is the leaf or calls another
//! function. So what a function costs at least, without its self cost and the most that its other calls can cost, is the least
//! that one of its calls costs, and the callee with it.
//!
//! A line sums its self cost and the calls made there, of all functions with code on it. Calls that lead back to the line lie
//! within each other like calls in a cycle. A line costs at least what its function costs at least, without the most that the
//! function's other lines can cost.
//!
//! Where the file tells calls of a function within itself apart ([`profile::CallGraph::inner`]) they are nodes of their own. Then most
//! of what is a cycle otherwise is none, and a function costs what its outer calls cost.

use crate::costs::{FunctionCost, LineCost, PlaceCost, sorted};
use crate::cycles::{Arcs, Node};
use profile::{Call, Cost, FileId, FuncId, FunctionId, Groups, PartOfGraph, SourceId, Total};
use rustc_hash::{FxHashMap, FxHashSet};

/// What a node spends on a line: itself, or by calling.
#[derive(Clone, Copy)]
struct Row {
    place: Option<(FileId, u32)>,
    function: FunctionId,
    node: Node,
    callee: Option<Node>,
    weight: f64,
}

/// All inclusive costs.
pub(crate) struct Inclusive<'g> {
    part: PartOfGraph<'g>,
    metric: usize,
    groups: &'g Groups,
    inner: FxHashSet<FuncId>,
    has_outer: Vec<bool>,
    /// Self cost by node.
    own: Vec<f64>,
    arcs: Arcs,
    /// What calls of a node cost, but for calls of itself.
    called: Vec<f64>,
    /// Weight of the whole recording.
    whole: f64,
    /// By function.
    totals: Vec<Total>,
}

impl<'g> Inclusive<'g> {
    pub(crate) fn new(part: PartOfGraph<'g>, metric: usize, groups: &'g Groups) -> Self {
        let n = groups.n_functions();
        let inner: FxHashSet<FuncId> = part.graph.inner.iter().copied().collect();
        let mut has_outer = vec![false; n];
        let called = part.calls.iter().flat_map(|call| [call.caller, call.callee]);
        for func in part.own.iter().map(|own| own.func).chain(called).filter(|func| !inner.contains(func)) {
            has_outer[groups.function(func).index()] = true;
        }
        let (own, called, arcs) = (vec![0.0; 2 * n], vec![0.0; 2 * n], Arcs::new(0, Vec::new()));
        let mut this = Self { part, metric, groups, inner, has_outer, own, arcs, called, whole: 0.0, totals: Vec::new() };
        for own in part.own {
            let node = this.node(own.func) as usize;
            this.own[node] += this.weight(&own.weights);
        }
        this.whole = this.own.iter().sum();
        let arc = |call: &Call| (this.node(call.caller), this.node(call.callee), this.weight(&call.weights));
        this.arcs = Arcs::new(2 * n, part.calls.iter().map(arc).collect());
        for &(_, to, weight) in this.arcs.all().iter().filter(|(from, to, _)| from != to) {
            this.called[to as usize] += weight;
        }
        this.totals = this.function_totals();
        this
    }

    fn weight(&self, weights: &[f64]) -> f64 {
        weights.get(self.metric).copied().unwrap_or(0.0)
    }

    /// The functions come first, then their inner calls. A function that has nothing else is not made of inner calls.
    fn node(&self, func: FuncId) -> Node {
        let function = self.groups.function(func);
        let is_inner = self.inner.contains(&func) && self.has_outer[function.index()];
        function.raw() + if is_inner { self.has_outer.len() as Node } else { 0 }
    }

    fn function_totals(&self) -> Vec<Total> {
        let n = self.has_outer.len();
        // Without calls there is no total, but of a function that is alone.
        if self.part.calls.is_empty() && self.own.iter().filter(|&&own| own != 0.0).count() > 1 {
            return vec![Total::Unknown; n];
        }
        // What nodes spend on calls that leave their cycle and on calls that stay in it, and what calls from outside cost.
        let (mut leaving, mut staying, mut entering) = (vec![0.0; 2 * n], vec![0.0; 2 * n], vec![0.0; 2 * n]);
        for &(from, to, weight) in self.arcs.all().iter().filter(|(from, to, _)| from != to) {
            if self.arcs.cycle(from) == self.arcs.cycle(to) {
                staying[from as usize] += weight;
            } else {
                leaving[from as usize] += weight;
                entering[to as usize] += weight;
            }
        }
        let mut cycles = vec![(0_u32, 0.0); 2 * n];
        for (node, (own, leaving)) in (0..).zip(self.own.iter().zip(&leaving)) {
            let (members, weight) = &mut cycles[self.arcs.cycle(node)];
            *members += 1;
            *weight += own + leaving;
        }
        let of_node = |i: usize| {
            let apart: f64 = self.own[i] + leaving[i];
            match cycles[self.arcs.cycle(i as Node)] {
                (1, _) => (apart, apart),
                (_, whole) => (apart.max(entering[i]), whole.min(apart + staying[i])),
            }
        };
        let mut nodes: Vec<(f64, f64)> = (0..2 * n).map(of_node).collect();
        self.raise(&mut nodes);
        let total = |(i, &(min, max)): (usize, &(f64, f64))| self.between(min, max, self.own[i] + self.own[i + n]);
        nodes.iter().take(n).enumerate().map(total).collect()
    }

    /// Raises the least that nodes of a cycle cost to what their callers spend at least on calling them. `nodes` has the least and
    /// the most that each costs; the result is right after any number of rounds.
    fn raise(&self, nodes: &mut [(f64, f64)]) {
        const ROUNDS: usize = 16;
        for _ in 0..ROUNDS {
            let mut raised = false;
            for calls in self.arcs.all().chunk_by(|a, b| a.0 == b.0) {
                let caller = calls[0].0;
                let (least, _) = nodes[caller as usize];
                let others = || calls.iter().filter(|&&(_, to, _)| to != caller);
                let most = |nodes: &[(f64, f64)], to: Node, weight: f64| weight.min(nodes[to as usize].1);
                let spent: f64 = others().map(|&(_, to, weight)| most(nodes, to, weight)).sum();
                for &(_, to, weight) in others().filter(|&&(_, to, _)| self.arcs.cycle(to) == self.arcs.cycle(caller)) {
                    let elsewhere = self.own[caller as usize] + spent - most(nodes, to, weight);
                    // Fractions are added up with a rounding.
                    let called = (least - elsewhere - 1e-12 * self.whole).min(nodes[to as usize].1);
                    if called > nodes[to as usize].0 {
                        nodes[to as usize].0 = called;
                        raised = true;
                    }
                }
            }
            if !raised {
                break;
            }
        }
    }

    /// A total within bounds that may contradict each other by rounding, of something with `own` self cost.
    fn between(&self, min: f64, max: f64, own: f64) -> Total {
        let max = max.min(self.whole).max(own);
        let min = min.max(own);
        if min < max * (1.0 - 1e-12) { Total::Bounded { min, max } } else { Total::Exact(max) }
    }

    /// What each function costs.
    pub(crate) fn functions(&self) -> Vec<FunctionCost> {
        let n = self.has_outer.len();
        let cost = |(i, &total)| Cost { self_: self.own[i] + self.own[i + n], total };
        self.totals.iter().enumerate().map(cost).map(|cost| FunctionCost { cost, idle: 0.0, calls: None }).collect()
    }

    /// What each line costs, and each function on each line.
    pub(crate) fn lines(&mut self) -> (Vec<LineCost>, Vec<PlaceCost>) {
        let own = self.part.own.iter().map(|own| self.row(own.func, own.source, own.line, None, &own.weights));
        let mut rows: Vec<Row> = own.chain(self.part.calls.iter().map(|call| self.call_row(call))).collect();
        rows.retain(|row| row.weight != 0.0);
        rows.sort_by_key(|row| (row.place, row.function, row.node));
        let mut spent = vec![0.0; self.has_outer.len()];
        let (mut lines, mut places) = (Vec::new(), Vec::new());
        for place in rows.chunk_by(|a, b| (a.place, a.function) == (b.place, b.function)) {
            spent[place[0].function.index()] += self.most_at_innermost(place);
        }
        for on_line in rows.chunk_by(|a, b| a.place == b.place) {
            let Some((file, line)) = on_line[0].place else { continue };
            lines.push(LineCost { file, line, cost: self.cost(on_line, &spent) });
            for of_one in on_line.chunk_by(|a, b| a.function == b.function) {
                let cost = self.cost(of_one, &spent);
                places.push(PlaceCost { function: of_one[0].function, file, line, cost, inlined: false });
            }
        }
        (lines, sorted(places))
    }

    fn row(&self, func: FuncId, source: Option<SourceId>, line: u32, callee: Option<FuncId>, weights: &[f64]) -> Row {
        let source = source.or(self.part.graph.symbols.funcs.get(func).source).filter(|_| line != 0);
        Row {
            place: source.map(|source| (self.groups.file(source), line)),
            function: self.groups.function(func),
            node: self.node(func),
            callee: callee.map(|callee| self.node(callee)),
            weight: self.weight(weights),
        }
    }

    fn call_row(&self, call: &Call) -> Row {
        self.row(call.caller, call.source, call.line, Some(call.callee), &call.weights)
    }

    /// The most that one function spends on one place where the innermost of its activations is there: rows of the same function
    /// and place.
    fn most_at_innermost(&self, rows: &[Row]) -> f64 {
        let most = |function: usize| bounds(self.totals[function]).map_or(f64::INFINITY, |(_, max)| max);
        let of_row = |row: &Row| match row.callee.map(|callee| callee as usize % self.has_outer.len()) {
            Some(callee) if callee == row.function.index() => 0.0,
            Some(callee) => row.weight.min(most(callee)),
            None => row.weight,
        };
        let sum: f64 = rows.iter().map(of_row).sum();
        rows.first().map_or(0.0, |row| sum.min(most(row.function.index())))
    }

    /// What the rows of a line cost, sorted by function; `spent` has the sum of [`Self::most_at_innermost`] over all places of each
    /// function.
    fn cost(&mut self, rows: &[Row], spent: &[f64]) -> Cost {
        let own = sum(rows.iter().filter(|row| row.callee.is_none()));
        let (mut least, whole) = self.overlapping(rows);
        let mut most = 0.0;
        for of_one in rows.chunk_by(|a, b| a.function == b.function) {
            let function = of_one[0].function.index();
            let Some((min, max)) = bounds(self.totals[function]) else { return Cost { self_: own, total: Total::Unknown } };
            most += sum(of_one).min(max);
            least = least.max(min - (spent[function] - self.most_at_innermost(of_one)));
        }
        let most = if least < whole { most } else { whole };
        Cost { self_: own, total: self.between(least.min(whole), most, own) }
    }

    /// What calls from one function to another cost, and whether that is only the most that it can be.
    pub(crate) fn edge(&mut self, calls: &[&Call]) -> (f64, bool) {
        let rows: Vec<Row> = calls.iter().map(|call| self.call_row(call)).collect();
        let (least, mut most) = self.overlapping(&rows);
        if let Some(call) = calls.first().filter(|_| least < most) {
            for end in [call.caller, call.callee] {
                most = most.min(bounds(self.totals[self.groups.function(end).index()]).map_or(most, |(_, max)| max));
            }
        }
        (most.min(self.whole), least < most)
    }

    /// The least and the most that rows can cost together: their sum, unless calls of theirs lead back to them.
    fn overlapping(&mut self, rows: &[Row]) -> (f64, f64) {
        let mut nodes: Vec<Node> = rows.iter().map(|row| row.node).collect();
        nodes.sort_unstable();
        nodes.dedup();
        let mut known: FxHashMap<Node, bool> = FxHashMap::default();
        let mut leads = |callee: Node| match nodes[..] {
            // What is called and leads back is in the caller's cycle.
            [node] => self.arcs.cycle(callee) == self.arcs.cycle(node),
            _ => *known.entry(callee).or_insert_with(|| self.arcs.leads(callee, &nodes)),
        };
        let leads_back: Vec<bool> = rows.iter().map(|row| row.callee.is_some_and(&mut leads)).collect();
        let back = || rows.iter().zip(&leads_back).filter(|&(_, &leads)| leads).filter_map(|(row, _)| row.callee);
        if back().next().is_none() {
            return (sum(rows), sum(rows));
        }
        // What does not lead back lies beside each other; so does what is reached by no other row.
        let beside = sum(rows.iter().zip(&leads_back).filter(|&(_, &leads)| !leads).map(|(row, _)| row));
        let led = self.arcs.led_to(back().collect(), &nodes);
        let is_led = |row: &Row| nodes.binary_search(&row.node).is_ok_and(|i| led[i]);
        let outermost = sum(rows.iter().filter(|row| !is_led(row)));
        // What only outermost rows call lies within these.
        let mut from_here: FxHashMap<Node, f64> = FxHashMap::default();
        for row in rows.iter().filter(|row| !is_led(row)) {
            if let Some(callee) = row.callee {
                *from_here.entry(callee).or_default() += row.weight;
            }
        }
        let is_within = |row: &Row| {
            let from_here = from_here.get(&row.node).copied().unwrap_or(0.0);
            let n = self.has_outer.len();
            let total = bounds(self.totals[row.node as usize % n]).map_or(f64::INFINITY, |(_, max)| max);
            // Nothing else calls it, and it was not entered unseen.
            is_led(row) && from_here >= self.called[row.node as usize] * (1.0 - 1e-12) && from_here >= total * 0.999
        };
        let most = sum(rows.iter().filter(|row| !is_within(row)));
        (beside.max(outermost).min(most), most)
    }
}

fn sum<'a>(rows: impl IntoIterator<Item = &'a Row>) -> f64 {
    // The sum of nothing would be -0.
    rows.into_iter().fold(0.0, |sum, row| sum + row.weight)
}

fn bounds(total: Total) -> Option<(f64, f64)> {
    match total {
        Total::Exact(weight) => Some((weight, weight)),
        Total::Bounded { min, max } => Some((min, max)),
        Total::Estimated(_) | Total::Unknown => None,
    }
}
