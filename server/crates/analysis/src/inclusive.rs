//! Totals of a call graph whose file states none, derived from its calls.
//!
//! The total of a function is its self cost plus the cost of its calls, exactly, as long as no call
//! leads back to it. A function that calls itself directly adds nothing, because those calls are
//! nested in another call of it. In a larger cycle calls are nested by amounts that a graph does
//! not record, so a total has bounds:
//!
//! - at least the cost of the calls from outside the cycle, and at least the self cost plus the
//!   calls that leave the cycle;
//! - at most that sum plus the calls within the cycle, and at most the cost of the whole cycle: the
//!   self costs of its functions plus the calls that leave it.
//!
//! Bounds imply each other. Wherever a function is on a stack, its innermost activation either is
//! the leaf or calls another function. So its lower bound minus its self cost minus the upper
//! bounds of its other calls is a lower bound for the remaining call, and for the callee.
//!
//! The total of a line is the self cost and the calls there, of all functions with code on it.
//! Calls that lead back to the line are nested like calls in a cycle. The lower bound of a function
//! minus the upper bounds of its other lines is a lower bound for the line.
//!
//! If the file separates recursive calls ([`profile::CallGraph::inner`]), these are nodes of their
//! own. That dissolves most cycles, and a function costs what its outer calls cost.

use crate::costs::{LineCost, PlaceCost, sorted};
use crate::cycles::{Arcs, Back, Node, Question};
use crate::function_costs::FunctionCost;
use profile::{Call, Cost, FileId, FuncId, FunctionId, Groups, PartOfGraph, SourceId, Total, both};
use rustc_hash::{FxHashMap, FxHashSet};

/// What a node spends on a line, itself or in one call. A graph has millions of them.
#[derive(Clone, Copy)]
struct Row {
    place: Place,
    function: FunctionId,
    node: Node,
    callee: Option<Node>,
    weight: f64,
}

/// A line: its file + 1 in the upper half and its number in the lower half; 0 if it is unknown. One
/// number is compared faster than two.
type Place = u64;

fn place(file: FileId, line: u32) -> Place {
    (u64::from(file.raw()) + 1) << 32 | u64::from(line)
}

fn file_and_line(place: Place) -> Option<(FileId, u32)> {
    let file = ((place >> 32) as u32).checked_sub(1)?;
    Some((FileId::new(file), place as u32))
}

/// The functions of a call graph, as nodes.
pub(crate) struct Nodes<'g> {
    part: PartOfGraph<'g>,
    metric: usize,
    groups: &'g Groups,
    inner: FxHashSet<FuncId>,
    has_outer: Vec<bool>,
}

impl<'g> Nodes<'g> {
    pub(crate) fn new(part: PartOfGraph<'g>, metric: usize, groups: &'g Groups) -> Self {
        let inner: FxHashSet<FuncId> = part.graph.inner.iter().copied().collect();
        let mut has_outer = vec![false; groups.n_functions()];
        let call_ends = part.calls.iter().flat_map(|call| [call.caller, call.callee]);
        let funcs = part.own.iter().map(|own| own.func).chain(call_ends);
        for func in funcs.filter(|func| !inner.contains(func)) {
            has_outer[groups.function(func).index()] = true;
        }
        Self { part, metric, groups, inner, has_outer }
    }

    fn n_functions(&self) -> usize {
        self.has_outer.len()
    }

    /// Nodes are the functions, followed by the recursive calls of each. A function that occurs
    /// only as an inner func is an ordinary node.
    fn node(&self, func: FuncId) -> Node {
        let function = self.groups.function(func);
        let is_inner = self.inner.contains(&func) && self.has_outer[function.index()];
        function.raw() + if is_inner { self.n_functions() as Node } else { 0 }
    }

    /// The function of a node.
    fn function(&self, node: Node) -> usize {
        node as usize % self.n_functions()
    }

    fn weight(&self, weights: &[f64]) -> f64 {
        weights.get(self.metric).copied().unwrap_or(0.0)
    }

    fn row(
        &self,
        func: FuncId,
        source: Option<SourceId>,
        line: u32,
        callee: Option<FuncId>,
        weights: &[f64],
    ) -> Row {
        let source =
            source.or(self.part.graph.symbols.funcs.get(func).source).filter(|_| line != 0);
        Row {
            place: source.map_or(0, |source| place(self.groups.file(source), line)),
            function: self.groups.function(func),
            node: self.node(func),
            callee: callee.map(|callee| self.node(callee)),
            weight: self.weight(weights),
        }
    }

    fn call_row(&self, call: &Call) -> Row {
        self.row(call.caller, call.source, call.line, Some(call.callee), &call.weights)
    }

    /// All rows with a weight, by line and function.
    pub(crate) fn rows(&self) -> Rows {
        let own = self.part.own.iter();
        let own = own.map(|own| self.row(own.func, own.source, own.line, None, &own.weights));
        let mut rows: Vec<Row> =
            own.chain(self.part.calls.iter().map(|call| self.call_row(call))).collect();
        rows.retain(|row| row.weight != 0.0);
        // One number is compared faster than three.
        let lower = |row: &Row| u64::from(row.function.raw()) << 32 | u64::from(row.node);
        rows.sort_by_key(|row| u128::from(row.place) << 64 | u128::from(lower(row)));
        Rows(rows)
    }
}

/// The rows of a call graph, by line and function.
pub(crate) struct Rows(Vec<Row>);

/// Derives all totals.
pub(crate) struct Inclusive<'n, 'g> {
    nodes: &'n Nodes<'g>,
    /// Self cost by node.
    own: Vec<f64>,
    arcs: Arcs,
    /// The cost of the calls of each node, without calls from the node itself.
    called: Vec<f64>,
    /// Weight of the whole recording.
    whole: f64,
    /// Total by function.
    totals: Vec<Total>,
}

impl<'n, 'g> Inclusive<'n, 'g> {
    pub(crate) fn new(nodes: &'n Nodes<'g>) -> Self {
        let n = nodes.n_functions();
        let mut own = vec![0.0; 2 * n];
        for row in nodes.part.own {
            own[nodes.node(row.func) as usize] += nodes.weight(&row.weights);
        }
        let arcs = nodes.part.calls.iter().map(|call| {
            (nodes.node(call.caller), nodes.node(call.callee), nodes.weight(&call.weights))
        });
        let arcs = Arcs::new(2 * n, arcs.collect());
        let mut called = vec![0.0; 2 * n];
        for &(_, to, weight) in arcs.all().iter().filter(|(from, to, _)| from != to) {
            called[to as usize] += weight;
        }
        let whole = own.iter().sum();
        let mut this = Self { nodes, own, arcs, called, whole, totals: Vec::new() };
        this.totals = this.function_totals();
        this
    }

    fn function_totals(&self) -> Vec<Total> {
        let n = self.nodes.n_functions();
        // Without calls, totals are unknown unless there is only one function.
        if self.nodes.part.calls.is_empty()
            && self.own.iter().filter(|&&own| own != 0.0).count() > 1
        {
            return vec![Total::Unknown; n];
        }
        // Per node: the cost of its calls that leave its cycle, of its calls that stay in it, and
        // of the calls from outside the cycle.
        let (mut leaving, mut staying, mut entering) =
            (vec![0.0; 2 * n], vec![0.0; 2 * n], vec![0.0; 2 * n]);
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
        let mut nodes: Vec<(f64, f64)> = (0..2 * n)
            .map(|i| {
                let not_nested: f64 = self.own[i] + leaving[i];
                match cycles[self.arcs.cycle(i as Node)] {
                    (1, _) => (not_nested, not_nested),
                    (_, whole) => (not_nested.max(entering[i]), whole.min(not_nested + staying[i])),
                }
            })
            .collect();
        self.raise(&mut nodes);
        (0..n)
            .map(|i| self.between(nodes[i].0, nodes[i].1, self.own[i] + self.own[i + n]))
            .collect()
    }

    /// Raises lower bounds within cycles to what the callers spend at least on calling the node.
    /// `nodes` has the lower and the upper bound of each; they are valid after any number of
    /// rounds.
    fn raise(&self, nodes: &mut [(f64, f64)]) {
        const ROUNDS: usize = 16;
        for _ in 0..ROUNDS {
            let mut raised = false;
            for calls in self.arcs.all().chunk_by(|a, b| a.0 == b.0) {
                let caller = calls[0].0;
                let (lower, _) = nodes[caller as usize];
                let others = || calls.iter().filter(|&&(_, to, _)| to != caller);
                let upper_of_call =
                    |nodes: &[(f64, f64)], to: Node, weight: f64| weight.min(nodes[to as usize].1);
                let spent: f64 =
                    others().map(|&(_, to, weight)| upper_of_call(nodes, to, weight)).sum();
                for &(_, to, weight) in
                    others().filter(|&&(_, to, _)| self.arcs.cycle(to) == self.arcs.cycle(caller))
                {
                    let elsewhere =
                        self.own[caller as usize] + spent - upper_of_call(nodes, to, weight);
                    // Allow for the rounding of sums of fractions.
                    let called = (lower - elsewhere - 1e-12 * self.whole).min(nodes[to as usize].1);
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

    /// A total within bounds that may contradict each other by rounding. `own` is its self cost.
    fn between(&self, min: f64, max: f64, own: f64) -> Total {
        let upper = max.min(self.whole).max(own);
        let lower = min.max(own);
        if lower < upper * (1.0 - 1e-12) {
            Total::Bounded { min: lower, max: upper }
        } else {
            Total::Exact(upper)
        }
    }

    /// Costs by function.
    pub(crate) fn functions(&self) -> Vec<FunctionCost> {
        let n = self.nodes.n_functions();
        (0..)
            .zip(&self.totals)
            .map(|(i, &total): (usize, _)| {
                let cost = Cost { self_: self.own[i] + self.own[i + n], total };
                FunctionCost { cost, idle: 0.0, calls: None }
            })
            .collect()
    }

    /// Costs of each line, and of each function on each line.
    pub(crate) fn lines(&self, Rows(rows): &Rows) -> (Vec<LineCost>, Vec<PlaceCost>) {
        let mut spent = vec![0.0; self.nodes.n_functions()];
        for rows in rows.chunk_by(of_one_function) {
            spent[rows[0].function.index()] += self.upper_at_innermost(rows);
        }
        let rows = &rows[rows.partition_point(|row| row.place == 0)..];
        let places: Vec<&[Row]> = rows.chunk_by(of_one_function).collect();
        let (first, second) = places.split_at(places.len() / 2);
        let (mut costs, more) = both(|| self.costs(first, &spent), || self.costs(second, &spent));
        costs.extend(more);

        // A line of one function costs what the function costs there.
        let by_line = rows.chunk_by(|a, b| a.place == b.place);
        let by_line: Vec<&[Row]> = by_line
            .filter(|rows| {
                rows.first().zip(rows.last()).is_some_and(|(a, b)| !of_one_function(a, b))
            })
            .collect();
        let mut of_several = self.costs(&by_line, &spent).into_iter();
        let lines = costs.chunk_by(|a, b| a.0 == b.0).filter_map(|functions| match functions {
            [one] => Some(one.to_owned()),
            _ => of_several.next(),
        });
        let lines = lines.filter_map(|(place, _, cost)| {
            let (file, line) = file_and_line(place)?;
            Some(LineCost { file, line, cost })
        });
        let lines = lines.collect();
        let places = costs.into_iter().filter_map(|(place, function, cost)| {
            let (file, line) = file_and_line(place)?;
            Some(PlaceCost { function, file, line, cost, inlined: false })
        });
        (lines, sorted(places.collect()))
    }

    /// The costs of sets of rows, each on one line and sorted by function, with the place and the
    /// first function of each. `spent` has the sum of [`Self::upper_at_innermost`] over all lines of
    /// each function.
    fn costs(&self, sets: &[&[Row]], spent: &[f64]) -> Vec<(Place, FunctionId, Cost)> {
        let back = self.leading_back(sets);
        let cost = |(i, rows): (usize, &&[Row])| {
            let first = rows.first()?;
            Some((first.place, first.function, self.cost(rows, back.get(&i), spent)))
        };
        sets.iter().enumerate().filter_map(cost).collect()
    }

    /// An upper bound for what a function spends on one line in its innermost activations. `rows`
    /// are those of one function and line.
    fn upper_at_innermost(&self, rows: &[Row]) -> f64 {
        let sum: f64 = rows
            .iter()
            .map(|row| match row.callee.map(|callee| self.nodes.function(callee)) {
                Some(callee) if callee == row.function.index() => 0.0,
                Some(callee) => row.weight.min(self.upper_bound(callee)),
                None => row.weight,
            })
            .sum();
        rows.first().map_or(0.0, |row| sum.min(self.upper_bound(row.function.index())))
    }

    /// The upper bound of a function's total; infinite if it is unknown.
    fn upper_bound(&self, function: usize) -> f64 {
        bounds(self.totals[function]).map_or(f64::INFINITY, |(_, max)| max)
    }

    /// The cost of the rows of a line, which are sorted by function.
    fn cost(&self, rows: &[Row], back: Option<&Back>, spent: &[f64]) -> Cost {
        let own = sum(rows.iter().filter(|row| row.callee.is_none()));
        let (mut lower, whole) = self.overlapping(rows, back);
        let mut upper = 0.0;
        for of_one in rows.chunk_by(|a, b| a.function == b.function) {
            let function = of_one[0].function.index();
            let Some((min, max)) = bounds(self.totals[function]) else {
                return Cost { self_: own, total: Total::Unknown };
            };
            upper += sum(of_one).min(max);
            lower = lower.max(min - (spent[function] - self.upper_at_innermost(of_one)));
        }
        let upper = if lower < whole { upper } else { whole };
        Cost { self_: own, total: self.between(lower.min(whole), upper, own) }
    }

    /// The cost of the calls from each function to each other one, and whether it is only an upper
    /// bound. `calls` are sorted by the functions.
    pub(crate) fn edges(&self, calls: &[&Call]) -> Vec<(f64, bool)> {
        let rows: Vec<Row> = calls.iter().map(|call| self.nodes.call_row(call)).collect();
        let ends = |row: &Row| (row.function, row.callee.map(|callee| self.nodes.function(callee)));
        let sets: Vec<&[Row]> = rows.chunk_by(|a, b| ends(a) == ends(b)).collect();
        let back = self.leading_back(&sets);
        sets.iter().enumerate().map(|(i, rows)| self.edge(rows, back.get(&i))).collect()
    }

    fn edge(&self, rows: &[Row], back: Option<&Back>) -> (f64, bool) {
        let (lower, mut upper) = self.overlapping(rows, back);
        if let Some(row) = rows.first().filter(|_| lower < upper) {
            let callee = row.callee.map(|callee| self.nodes.function(callee));
            for end in callee.into_iter().chain([row.function.index()]) {
                upper = upper.min(self.upper_bound(end));
            }
        }
        (upper.min(self.whole), lower < upper)
    }

    /// Which calls of each set of rows lead back to them, of the sets of several nodes. Most sets have
    /// no such calls and no entry.
    fn leading_back(&self, sets: &[&[Row]]) -> FxHashMap<usize, Back> {
        let (mut asked, mut questions) = (Vec::new(), Vec::new());
        for (i, rows) in sets.iter().enumerate() {
            if rows.iter().all(|row| row.node == rows[0].node) {
                continue;
            }
            // What a cycle calls outside of it has a lower number.
            let Some(lowest) = rows.iter().map(|row| self.arcs.cycle(row.node)).min() else {
                continue;
            };
            let callees = rows.iter().filter_map(|row| row.callee);
            let callees = callees.filter(|&callee| self.arcs.cycle(callee) >= lowest);
            let callees = sorted_nodes(callees);
            if !callees.is_empty() {
                asked.push(i);
                let nodes = sorted_nodes(rows.iter().map(|row| row.node));
                questions.push(Question { nodes, callees });
            }
        }
        let found = asked.into_iter().zip(self.arcs.leading_back(&questions));
        found.filter(|(_, back)| !back.callees.is_empty()).collect()
    }

    /// Whether a row is a call within a cycle.
    fn is_in_cycle(&self, row: &Row) -> bool {
        row.callee.is_some_and(|callee| self.arcs.cycle(callee) == self.arcs.cycle(row.node))
    }

    /// The lower and the upper bound of what rows cost together: their sum, unless calls among them
    /// lead back to them.
    fn overlapping(&self, rows: &[Row], back: Option<&Back>) -> (f64, f64) {
        let Some(back) = back else {
            // All are of one node, or there are no such calls.
            let not_back = sum(rows.iter().filter(|row| !self.is_in_cycle(row)));
            return (not_back, sum(rows));
        };
        // Rows that do not lead back are not nested in each other. Neither are those that no other
        // row reaches.
        let leads_back = |row: &Row| {
            row.callee.is_some_and(|callee| back.callees.binary_search(&callee).is_ok())
        };
        let is_reached = |row: &Row| back.nodes.binary_search(&row.node).is_ok();
        let not_back = sum(rows.iter().filter(|row| !leads_back(row)));
        let outermost = sum(rows.iter().filter(|row| !is_reached(row)));
        // A node that only outermost rows call is nested in these.
        let mut from_outermost: FxHashMap<Node, f64> = FxHashMap::default();
        for row in rows.iter().filter(|row| !is_reached(row)) {
            if let Some(callee) = row.callee {
                *from_outermost.entry(callee).or_default() += row.weight;
            }
        }
        let is_nested = |row: &Row| {
            let from_outermost = from_outermost.get(&row.node).copied().unwrap_or(0.0);
            let total = self.upper_bound(self.nodes.function(row.node));
            // Nothing else calls it, and it has no cost that came in without a recorded call.
            is_reached(row)
                && from_outermost >= self.called[row.node as usize] * (1.0 - 1e-12)
                && from_outermost >= total * 0.999
        };
        let upper = sum(rows.iter().filter(|row| !is_nested(row)));
        (not_back.max(outermost).min(upper), upper)
    }
}

/// Whether rows are on the same line and of the same function.
fn of_one_function(a: &Row, b: &Row) -> bool {
    (a.place, a.function) == (b.place, b.function)
}

fn sorted_nodes(nodes: impl Iterator<Item = Node>) -> Vec<Node> {
    let mut nodes: Vec<Node> = nodes.collect();
    nodes.sort_unstable();
    nodes.dedup();
    nodes
}

fn sum<'a>(rows: impl IntoIterator<Item = &'a Row>) -> f64 {
    // `Iterator::sum` of nothing is -0.0.
    rows.into_iter().fold(0.0, |sum, row| sum + row.weight)
}

fn bounds(total: Total) -> Option<(f64, f64)> {
    match total {
        Total::Exact(weight) => Some((weight, weight)),
        Total::Bounded { min, max } => Some((min, max)),
        Total::Estimated(_) | Total::Unknown => None,
    }
}
