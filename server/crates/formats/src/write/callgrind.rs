//! callgrind files: self costs by line and the calls between functions, for `KCachegrind`,
//! `QCachegrind` and `callgrind_annotate` (Valgrind manual, "Callgrind Format Specification").
//!
//! The line after `calls=` is where the callee starts. If that is not recorded, it is the first
//! line of the callee with a cost.
//!
//! Costs are whole numbers: times with fractions are written in nanoseconds, other weights with fractions in
//! thousandths or millionths of their unit.

use super::{UNKNOWN_LINE_TOTALS, Written};
use profile::{
    Call, CallGraph, FuncId, GraphAccess, GraphTables, Metric, OwnCost, SourceId, SymbolTables,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Writes a call graph. Functions with the same name and file that start at different lines get the
/// line appended to their names.
pub fn write(graph: &CallGraph) -> Written {
    let graph = graph.tables();
    let events: Vec<Event> =
        graph.metrics.iter().enumerate().map(|(i, metric)| Event::of(metric, i, graph)).collect();
    let mut out = String::new();
    let _ = write!(
        out,
        "# callgrind format\nversion: 1\ncreator: costline-{}\npositions: line\n",
        env!("CARGO_PKG_VERSION")
    );
    for event in &events {
        let _ =
            writeln!(out, "event: {} : {} ({})", event.name, one_line(&event.title), event.unit);
    }
    let names: Vec<&str> = events.iter().map(|event| event.name.as_str()).collect();
    let total = |(column, event): (usize, &Event)| -> f64 {
        graph
            .own
            .iter()
            .filter_map(|own| own.weights.get(column))
            .map(|&weight| event.whole(weight))
            .sum()
    };
    let totals = numbers(events.iter().enumerate().map(total));
    let _ = writeln!(out, "events: {}\nsummary:{totals}", names.join(" "));

    let costs = |weights: &[f64]| {
        numbers(events.iter().zip(weights).map(|(event, &weight)| event.whole(weight)))
    };
    let mut names = Names::new(graph);
    let first_lines = first_lines(graph);
    for (func, (own, calls)) in blocks(graph, |func| names.place(func)) {
        let _ = write!(out, "\n{}", names.position(func, ""));
        let mut source = None;
        for own in own.iter().filter(|own| own.weights.iter().any(|&weight| weight != 0.0)) {
            out.push_str(&names.switch(func, &mut source, own.source));
            let _ = writeln!(out, "{}{}", own.line, costs(&own.weights));
        }
        for call in calls {
            out.push_str(&names.switch(func, &mut source, call.source));
            let start = match graph.symbols.funcs.get(call.callee).line {
                0 => first_lines.get(&call.callee).copied().unwrap_or(0),
                line => line,
            };
            let _ =
                writeln!(out, "{}calls={} {start}", names.position(call.callee, "c"), call.count);
            let _ = writeln!(out, "{}{}", call.line, costs(&call.weights));
        }
    }
    let _ = writeln!(out, "\ntotals:{totals}");
    Written { bytes: out.into_bytes(), lost: lost(graph, &events) }
}

/// Writes a call graph as rbspy does: a block for each line of a function, no summary, no
/// compressed names. The functions of such a graph start at the executing line
/// (`analysis::lines_as_functions`).
pub fn write_as_rbspy(graph: &CallGraph) -> Written {
    let graph = graph.tables();
    let symbols = &graph.symbols;
    let place = |func: FuncId| {
        let row = symbols.funcs.get(func);
        let path = row.source.map_or("(unknown)", |source| symbols.source_name(source));
        (one_line(path), one_line(symbols.strings.get(row.name)), row.line)
    };
    let cost = |weights: &[f64]| weights.first().copied().unwrap_or(0.0).round();
    let mut out = String::from("# callgrind format\nversion: 1\ncreator: rbspy\nevents: Samples\n");
    for (func, (own, calls)) in blocks(graph, place) {
        let (path, name, line) = place(func);
        let _ = writeln!(out, "\nfl={path}\nfn={name}");
        let _ = writeln!(out, "{line} {}", own.iter().map(|own| cost(&own.weights)).sum::<f64>());
        for call in calls {
            let (path, name, callee_line) = place(call.callee);
            let _ = writeln!(out, "cfl={path}\ncfn={name}\ncalls={} {callee_line}", call.count);
            let _ = writeln!(out, "{line} {}", cost(&call.weights));
        }
    }
    let events: Vec<Event> =
        graph.metrics.first().map(|metric| Event::of(metric, 0, graph)).into_iter().collect();
    let mut lost = lost(graph, &events);
    lost.extend((graph.metrics.len() > 1).then_some("the other metrics"));
    Written { bytes: out.into_bytes(), lost }
}

/// The first line with a cost of each function, in its own file: where it begins, as far as that is
/// known from costs.
fn first_lines(graph: &GraphTables) -> FxHashMap<FuncId, u32> {
    let own = graph.own.iter().map(|own| (own.func, own.source, own.line, &own.weights));
    let calls = graph.calls.iter().map(|call| (call.caller, call.source, call.line, &call.weights));
    let mut first: FxHashMap<FuncId, u32> = FxHashMap::default();
    for (func, source, line, weights) in own.chain(calls) {
        let has_cost = weights.iter().any(|&weight| weight != 0.0);
        if line > 0 && source.is_none() && has_cost {
            let known = first.entry(func).or_insert(line);
            *known = line.min(*known);
        }
    }
    first
}

type Block<'g> = (Vec<&'g OwnCost>, Vec<&'g Call>);

/// Costs and calls of each function, sorted by `place`; calls are sorted by the callee's place,
/// then by line.
fn blocks<K: Ord>(graph: &GraphTables, place: impl Fn(FuncId) -> K) -> Vec<(FuncId, Block<'_>)> {
    let mut blocks: BTreeMap<(K, FuncId), Block<'_>> = BTreeMap::new();
    for own in &graph.own {
        blocks.entry((place(own.func), own.func)).or_default().0.push(own);
    }
    for call in &graph.calls {
        blocks.entry((place(call.caller), call.caller)).or_default().1.push(call);
    }
    for (own, calls) in blocks.values_mut() {
        own.sort_by_key(|own| (own.source, own.line));
        calls.sort_by_cached_key(|call| (place(call.callee), call.line));
    }
    blocks.into_iter().map(|((_, func), block)| (func, block)).collect()
}

/// A metric as an event of callgrind.
struct Event {
    name: String,
    title: String,
    unit: String,
    /// The factor for weights.
    scale: f64,
    /// Whether rounding changes a weight.
    rounds: bool,
}

impl Event {
    fn of(metric: &Metric, column: usize, graph: &GraphTables) -> Self {
        let fractional = |scale: f64| {
            let all = graph
                .own
                .iter()
                .map(|own| &own.weights)
                .chain(graph.calls.iter().map(|call| &call.weights));
            let mut weights = all.filter_map(|weights| Some(weights.get(column)? * scale));
            weights.any(|weight| (weight - weight.round()).abs() > 1e-6 * weight.abs())
        };
        let (scale, unit) = match metric.seconds_per_unit.filter(|_| metric.unit != "samples") {
            _ if !fractional(1.0) => (1.0, metric.unit.clone()),
            Some(seconds) => (seconds * 1e9, "ns".to_owned()),
            None if !fractional(1e3) => (1e3, format!("milli{}", metric.unit)),
            None => (1e6, format!("micro{}", metric.unit)),
        };
        let word = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
        let mut name: String = metric.name.chars().map(word).collect();
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            name.insert(0, 'e');
        }
        Self {
            name,
            title: metric.name.clone(),
            unit: one_line(&unit),
            scale,
            rounds: fractional(scale),
        }
    }

    fn whole(&self, weight: f64) -> f64 {
        (weight * self.scale).round()
    }
}

fn lost(graph: &GraphTables, events: &[Event]) -> Vec<&'static str> {
    let own = graph.own.iter().map(|own| &own.weights);
    let mut weights = own.chain(graph.calls.iter().map(|call| &call.weights));
    let negative = weights.any(|weights| weights.iter().any(|&weight| weight < 0.0));
    // A graph does not say where it is from. Calls that were summed from stacks may all be nested, because
    // a stack can contain any call several times. Recorded calls may be so too if all are recursive.
    let has_stacks = !graph.calls.is_empty() && graph.calls.iter().all(|call| call.nested);
    let mut lost = Vec::new();
    lost.extend(has_stacks.then_some("stacks (it only has single calls)"));
    lost.extend(events.iter().any(|event| event.rounds).then_some("fractions of weights"));
    let line_totals = graph.totals.iter().any(|total| total.line != 0);
    lost.extend(line_totals.then_some("line totals"));
    let self_alone = graph.metrics.iter().any(|metric| metric.lines.is_self_alone());
    lost.extend(self_alone.then_some(UNKNOWN_LINE_TOTALS));
    // They are written, but programs that read callgrind treat them as zero or reject them.
    lost.extend(negative.then_some("weights below zero"));
    lost
}

fn numbers(costs: impl Iterator<Item = f64>) -> String {
    costs.fold(String::new(), |mut text, cost| {
        let _ = write!(text, " {cost}");
        text
    })
}

/// Names end at the end of the line.
fn one_line(text: &str) -> String {
    text.replace(char::is_control, " ")
}

/// Compressed names: each is written once and has a number from then on, with one numbering per
/// kind.
struct Names<'g> {
    symbols: &'g SymbolTables,
    /// The function names that share name, file and library with another one that starts elsewhere.
    ambiguous: FxHashMap<FuncId, String>,
    inner: FxHashSet<FuncId>,
    numbers: FxHashMap<(&'static str, String), usize>,
    counts: FxHashMap<&'static str, usize>,
}

impl<'g> Names<'g> {
    fn new(graph: &'g GraphTables) -> Self {
        let symbols = &graph.symbols;
        let mut same: FxHashMap<_, Vec<FuncId>> = FxHashMap::default();
        for id in symbols.funcs.ids() {
            let func = symbols.funcs.get(id);
            same.entry((func.name, func.source, func.lib)).or_default().push(id);
        }
        let start = |id: FuncId| (symbols.funcs.get(id).line, symbols.funcs.get(id).column);
        let differ =
            |ids: &Vec<FuncId>| ids.windows(2).any(|pair| start(pair[0]) != start(pair[1]));
        let ambiguous = same.into_values().filter(differ).flatten().map(|id| {
            let func = symbols.funcs.get(id);
            let at = if func.column == 0 {
                func.line.to_string()
            } else {
                format!("{}:{}", func.line, func.column)
            };
            (id, format!("{}:{at}", symbols.strings.get(func.name)))
        });
        let inner = graph.inner.iter().copied().collect();
        Self {
            symbols,
            ambiguous: ambiguous.collect(),
            inner,
            numbers: FxHashMap::default(),
            counts: FxHashMap::default(),
        }
    }

    /// File and name, by which blocks are sorted.
    fn place(&self, func: FuncId) -> (&'g str, String) {
        let symbols = self.symbols;
        let source =
            symbols.funcs.get(func).source.map_or("???", |source| symbols.source_name(source));
        let name = self.ambiguous.get(&func).map_or(symbols.func_name(func), String::as_str);
        let level = if self.inner.contains(&func) { "'2" } else { "" };
        (source, format!("{name}{level}"))
    }

    /// The lines that set the next function; `prefix` is `c` for a callee.
    fn position(&mut self, func: FuncId, prefix: &str) -> String {
        let symbols = self.symbols;
        let (file, name) = self.place(func);
        let lib = symbols.funcs.get(func).lib.map(|lib| &symbols.libs[lib.index()]);
        let lib = lib.map_or("???", |lib| if lib.path.is_empty() { &lib.name } else { &lib.path });
        let has_libs = !symbols.libs.is_empty();
        let object = if has_libs {
            format!("{prefix}ob={}\n", self.short("ob", lib))
        } else {
            String::new()
        };
        let (file, name) = (self.short("fl", file), self.short("fn", &name));
        format!("{object}{prefix}fl={file}\n{prefix}fn={name}\n")
    }

    /// The line that sets the file of the next costs, if it differs from `before`; `None` is the
    /// file of the function.
    fn switch(
        &mut self,
        func: FuncId,
        before: &mut Option<SourceId>,
        source: Option<SourceId>,
    ) -> String {
        if std::mem::replace(before, source) == source {
            return String::new();
        }
        if let Some(source) = source {
            return format!("fi={}\n", self.short("fl", self.symbols.source_name(source)));
        }
        let (file, _) = self.place(func);
        format!("fe={}\n", self.short("fl", file))
    }

    fn short(&mut self, kind: &'static str, name: &str) -> String {
        let name = one_line(name);
        if let Some(id) = self.numbers.get(&(kind, name.clone())) {
            return format!("({id})");
        }
        let count = self.counts.entry(kind).or_default();
        *count += 1;
        self.numbers.insert((kind, name.clone()), *count);
        format!("({count}) {name}")
    }
}
