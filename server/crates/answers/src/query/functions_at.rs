//! The functions at a position of an open document: those that are named there, or else the function
//! around the position.

use crate::lines::text::Position;
use crate::world::context::OpenFile;
use analysis::FunctionId;
use loading::function_name::n_parameters;
use loading::{FunctionName, Snapshot, SourceFunction};
use rustc_hash::FxHashSet;
use texts::{Definition, Functions};

/// The functions at a position of an open document, hottest first. Several if the profile does not
/// tell which of the callees with the name there is meant.
pub fn functions_at(open: &OpenFile, position: Position) -> Vec<FunctionId> {
    let named = named_at(open, position);
    if named.is_empty() { enclosing(open, position).into_iter().collect() } else { named }
}

/// The functions whose name is at a position, hottest first: callees of that line, or a function that
/// is defined there. Without a grammar, any word may be either.
pub fn named_at(open: &OpenFile, position: Position) -> Vec<FunctionId> {
    let text = &open.document.text;
    let Some(functions) = open.document.functions() else {
        let Some(word) = text.word_at(position) else { return Vec::new() };
        let callees = callees_at(open, position, word);
        if !callees.is_empty() {
            return callees;
        }
        let is_defined = |&(line0, function): &(u32, FunctionId)| {
            line0 == position.line0 && is_called(&open.snapshot, function, word)
        };
        let defined = open.lines().functions().into_iter().find(is_defined);
        return defined.map(|(_, function)| function).into_iter().collect();
    };
    if let Some(function) = hidden_at(open, functions, position) {
        return vec![function];
    }
    let byte = text.byte_at(position);
    if let Some(call) = functions.call_at(byte) {
        let callees = callees_at(open, position, &call.name);
        return with_arguments(open, callees, call.n_arguments);
    }
    let is_name = |definition: &&Definition| {
        !definition.name.is_empty()
            && definition.name_bytes.start <= byte
            && byte <= definition.name_bytes.end
    };
    let definition = functions.all().iter().find(is_name);
    definition.and_then(|definition| defined_as(open, definition)).into_iter().collect()
}

/// The function whose name is at a position on an unchanged line that a syntax error above it hides.
fn hidden_at(open: &OpenFile, functions: &Functions, position: Position) -> Option<FunctionId> {
    let is_there = |definition: &Definition| definition.name_line0 == position.line0;
    if !functions.has_errors() || functions.all().iter().any(is_there) {
        return None;
    }
    let recorded0 = open.lines().recorded(position.line0)?.checked_sub(1)?;
    let word = open.document.text.word_at(position)?;
    let mut functions = open.snapshot.defined_in(open.file).iter().map(|&(_, function)| function);
    functions.find(|&function| {
        let defined = open.snapshot.source_function(function).map(SourceFunction::definition);
        defined.is_some_and(|it| it.name_line0 == recorded0 && it.name == word)
    })
}

/// The callees with a name on the line of a position, hottest first. If the profile does not have the
/// lines of calls, those of the function around the position.
fn callees_at(open: &OpenFile, position: Position, name: &str) -> Vec<FunctionId> {
    let lines: Vec<u32> = open.lines().all_recorded(position.line0).collect();
    let (costs, calls) = (&open.snapshot.costs, open.snapshot.tree.edges());
    let on_lines = lines.iter().flat_map(|&line| costs.functions_on(open.file, line));
    let called_here = on_lines.flat_map(|place| calls.callees(place.function)).filter_map(|edge| {
        let mut sites = calls.sites(edge).iter();
        let site = sites.find(|site| site.file == open.file && lines.contains(&site.line))?;
        Some((site.total, edge.callee))
    });
    let around = enclosing(open, position).into_iter();
    let called_somewhere = around
        .flat_map(|function| calls.callees(function))
        .filter(|edge| calls.sites(edge).is_empty())
        .map(|edge| (edge.total, edge.callee));
    let mut called: Vec<(f64, FunctionId)> = called_here
        .chain(called_somewhere)
        .filter(|&(_, callee)| is_called(&open.snapshot, callee, name))
        .collect();
    called.sort_by(|a, b| b.0.abs().total_cmp(&a.0.abs()).then(a.1.cmp(&b.1)));
    let mut seen = FxHashSet::default();
    called.into_iter().map(|(_, callee)| callee).filter(|&callee| seen.insert(callee)).collect()
}

/// The functions that a call with this number of arguments may mean. More parameters may have default
/// values, but not if another function of the same type has exactly this number: such a call would be
/// ambiguous.
fn with_arguments(
    open: &OpenFile,
    functions: Vec<FunctionId>,
    n_arguments: Option<usize>,
) -> Vec<FunctionId> {
    let Some(n_arguments) = n_arguments else { return functions };
    let name = |function: FunctionId| open.snapshot.function(function).name;
    let is_exact = |function: FunctionId| n_parameters(name(function)) == Some(n_arguments);
    let exact = functions.iter().copied().filter(|&function| is_exact(function));
    let types: Vec<_> = exact.map(|function| FunctionName::of(name(function)).path).collect();
    let may_be_meant = |function: FunctionId| match n_parameters(name(function)) {
        Some(n) if n > n_arguments => !types.contains(&FunctionName::of(name(function)).path),
        n => n.is_none_or(|n| n == n_arguments),
    };
    functions.iter().copied().filter(|&function| may_be_meant(function)).collect()
}

/// Whether the name of a function in source code is `name`.
fn is_called(snapshot: &Snapshot, function: FunctionId, name: &str) -> bool {
    let definition = snapshot.source_function(function).map(SourceFunction::definition);
    definition.is_some_and(|definition| definition.name == name)
        || FunctionName::of(snapshot.function(function).name).is_called(name)
}

/// The function around a position. If the definition around it has no cost, the result is `None`
/// and not a neighboring function. If the position is outside of all definitions, or no function
/// has a definition in the text, the result is a function with cost on the line.
pub fn enclosing(open: &OpenFile, position: Position) -> Option<FunctionId> {
    let Some(functions) = open.document.functions() else {
        return enclosing_line(open, position.line0);
    };
    let unknown =
        |function| is_own(open, function) && open.snapshot.source_function(function).is_none();
    let unknown_on_line = || on_line(open, position.line0).find(|&function| unknown(function));
    if is_swallowed(open, functions, position.line0) {
        return recorded_around(open, position.line0).or_else(unknown_on_line);
    }
    let by_line = functions.at_line(position.line0);
    let by_byte = functions.at_byte(open.document.text.byte_at(position));
    // The indentation of a function's first line is outside of the function, but counts as part of
    // it.
    let around = match (by_line, by_byte) {
        (Some(line), Some(byte)) if byte.lines.start() < line.lines.start() => Some(line),
        (line, byte) => byte.or(line),
    };
    // If a closure has no cost of its own, use the function around it.
    let mut outwards = std::iter::successors(around, |definition| {
        functions.all().get(definition.parent?).filter(|_| definition.name.is_empty())
    });
    outwards.find_map(|definition| defined_as(open, definition)).or_else(|| {
        if around.is_some() {
            unknown_on_line()
        } else {
            hottest(open, position.line0).or_else(|| recorded_around(open, position.line0))
        }
    })
}

/// Whether an unchanged line (0-based) may be in the function around it only because of a syntax error
/// in the head of that one.
fn is_swallowed(open: &OpenFile, functions: &Functions, line0: u32) -> bool {
    let is_unchanged = |line0| open.lines().recorded(line0).is_some();
    let around = functions.at_line(line0).filter(|_| functions.has_errors());
    around.is_some_and(|around| is_unchanged(line0) && !is_unchanged(around.name_line0))
}

/// The function that contained a line (0-based) in the recorded text. The syntax of the current
/// text may be broken.
fn recorded_around(open: &OpenFile, line0: u32) -> Option<FunctionId> {
    let recorded0 = open.lines().recorded(line0)?.checked_sub(1)?;
    let mut functions = open.snapshot.defined_in(open.file).iter().map(|&(_, function)| function);
    functions.find(|&function| {
        open.snapshot
            .source_function(function)
            .is_some_and(|function| function.contains_line(recorded0))
    })
}

/// The functions with cost on a line (0-based), hottest first.
fn on_line(open: &OpenFile, line0: u32) -> impl Iterator<Item = FunctionId> {
    let mut places: Vec<_> = open
        .lines()
        .all_recorded(line0)
        .flat_map(|line| open.snapshot.costs.functions_on(open.file, line))
        .collect();
    // One line is sorted already. The sort is stable, so ties keep their order.
    places.sort_by(|a, b| b.cost.magnitude().total_cmp(&a.cost.magnitude()));
    places.into_iter().map(|place| place.function)
}

/// The hottest function on a line (0-based). Functions of this file take precedence over functions
/// of other files that the line was inlined into.
pub(super) fn hottest(open: &OpenFile, line0: u32) -> Option<FunctionId> {
    on_line(open, line0)
        .find(|&function| is_own(open, function))
        .or_else(|| on_line(open, line0).next())
}

/// The function with cost that has a definition in the open text.
fn defined_as(open: &OpenFile, definition: &Definition) -> Option<FunctionId> {
    let (start, name) = (*definition.lines.start(), definition.name_line0);
    let lines = open.lines();
    let functions = lines.functions();
    let head = start.min(name)..=start.max(name);
    let here = functions.iter().filter(|(line0, _)| head.contains(line0)).map(|&(_, it)| it);
    let before = open.document.text.as_str().get(..definition.bytes.start).unwrap_or_default();
    let column = before.rsplit('\n').next().unwrap_or_default().encode_utf16().count();
    let is_it = |&function: &FunctionId| {
        open.snapshot.source_function(function).is_some_and(|function| {
            let recorded = function.definition();
            // Nameless functions are distinguished by their column.
            let is_there = !recorded.name.is_empty() || function.column() as usize == column;
            let is_same = (&recorded.name, recorded.arity) == (&definition.name, definition.arity);
            // Its type may have been renamed.
            let is_unchanged = || lines.map.to_open(recorded.name_line0) == Some(name);
            is_there && is_same && (recorded.container == definition.container || is_unchanged())
        })
    };
    let renamed = || here.clone().find(|&function| lines.is_renamed(function, definition));
    // The pseudo function of a script starts on the first line, too.
    let without_definition = || {
        here.clone().find(|&function| {
            let this = open.snapshot.function(function);
            let is_unknown = open.snapshot.source_function(function).is_none() && this.line != 0;
            is_unknown && FunctionName::of(this.name).agrees(definition, None)
        })
    };
    here.clone().find(is_it).or_else(renamed).or_else(without_definition)
}

/// The function around a line (0-based) of a text without a grammar: the hottest function on it, or
/// else the last one that starts above it.
fn enclosing_line(open: &OpenFile, line0: u32) -> Option<FunctionId> {
    let above = || open.lines().functions().into_iter().rfind(|&(start0, _)| start0 <= line0);
    hottest(open, line0).or_else(|| Some(above()?.1))
}

fn is_own(open: &OpenFile, function: FunctionId) -> bool {
    open.snapshot.function(function).file == Some(open.file)
}
