//! Inclusive costs of a call graph whose file states none: they follow from its calls.
//!
//! What a function spends itself and what its calls cost is its total, exactly, as long as no call leads back to it. A call of
//! itself lies within another call and adds nothing. In a larger cycle calls lie within calls by parts that a graph does not
//! tell; there a total has bounds. It is at least what calls from outside the cycle cost, and at least what the function
//! spends itself and on calls that leave the cycle. It is at most that and what it spends on calls within the cycle, and at
//! most what the whole cycle costs: what its functions spend themselves and on calls that leave it.
//!
//! A line sums its self cost and the calls made there, of all functions with code on it. Calls that lead back to the line lie
//! within each other like calls in a cycle.
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
        let total = |i: usize| {
            let apart: f64 = self.own[i] + leaving[i];
            let (min, max) = match cycles[self.arcs.cycle(i as Node)] {
                (1, _) => (apart, apart),
                (_, whole) => (apart.max(entering[i]), whole.min(apart + staying[i])),
            };
            self.between(min, max, self.own[i] + self.own[i + n])
        };
        (0..n).map(total).collect()
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
        let mut n_places = vec![0_u32; self.has_outer.len()];
        let (mut lines, mut places) = (Vec::new(), Vec::new());
        for place in rows.chunk_by(|a, b| (a.place, a.function) == (b.place, b.function)) {
            n_places[place[0].function.index()] += 1;
        }
        for on_line in rows.chunk_by(|a, b| a.place == b.place) {
            let Some((file, line)) = on_line[0].place else { continue };
            lines.push(LineCost { file, line, cost: self.cost(on_line, &n_places) });
            for of_one in on_line.chunk_by(|a, b| a.function == b.function) {
                let cost = self.cost(of_one, &n_places);
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

    /// What the rows of a line cost, sorted by function; functions with one place have all of their rows there.
    fn cost(&mut self, rows: &[Row], n_places: &[u32]) -> Cost {
        let own = sum(rows.iter().filter(|row| row.callee.is_none()));
        let (mut least, whole) = self.overlapping(rows);
        let mut most = 0.0;
        for of_one in rows.chunk_by(|a, b| a.function == b.function) {
            let function = of_one[0].function.index();
            let Some((min, max)) = bounds(self.totals[function]) else { return Cost { self_: own, total: Total::Unknown } };
            most += sum(of_one).min(max);
            least = least.max(if n_places[function] == 1 { min } else { 0.0 });
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
