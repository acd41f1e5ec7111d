//! Which function is at a position of an open document: the callee that is called there by that
//! name, else the function around it.

use crate::context::OpenFile;
use crate::function_name::FunctionName;
use crate::snapshot::Snapshot;
use crate::source_functions::SourceFunction;
use crate::text::Position;
use analysis::FunctionId;
use sources::Definition;

/// The function at a position of an open document.
pub fn function_at(open: &OpenFile, position: Position) -> Option<FunctionId> {
    named_at(open, position).or_else(|| enclosing(open, position))
}

/// The function whose name is under the cursor: a callee of that line, or a function that is
/// defined there. Without a grammar any word can be either.
pub fn named_at(open: &OpenFile, position: Position) -> Option<FunctionId> {
    let text = &open.document.text;
    let Some(functions) = open.document.functions() else {
        let word = text.word_at(position)?;
        let is_defined = |&(line0, function): &(u32, FunctionId)| {
            line0 == position.line0 && is_called(&open.snapshot, function, word)
        };
        return callee_at(open, position.line0, word)
            .or_else(|| Some(open.lines().functions().into_iter().find(is_defined)?.1));
    };
    let byte = text.byte_at(position);
    if let Some(call) = functions.call_at(byte) {
        return callee_at(open, position.line0, &call.name);
    }
    let is_name = |definition: &&Definition| {
        !definition.name.is_empty()
            && definition.name_bytes.start <= byte
            && byte <= definition.name_bytes.end
    };
    defined_as(open, functions.all().iter().find(is_name)?)
}

/// The costliest function of that name that a line calls.
fn callee_at(open: &OpenFile, line0: u32, name: &str) -> Option<FunctionId> {
    let line = open.lines().recorded(line0)?;
    let costs = &open.snapshot.costs;
    let callers = costs.functions_on(open.file, line).iter().map(|place| place.function);
    let edges = callers
        .flat_map(|caller| costs.callees(caller))
        .filter(|edge| is_called(&open.snapshot, edge.callee, name));
    let here = edges.filter_map(|edge| {
        let site =
            costs.sites(edge).iter().find(|site| (site.file, site.line) == (open.file, line))?;
        Some((site.total.abs(), edge.callee))
    });
    here.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, callee)| callee)
}

/// Whether a function is called `name` in a text.
fn is_called(snapshot: &Snapshot, function: FunctionId, name: &str) -> bool {
    let definition = snapshot.source_function(function).map(SourceFunction::definition);
    definition.is_some_and(|definition| definition.name == name)
        || FunctionName::of(snapshot.function(function).name).is_called(name)
}

/// The function around a position. With a grammar it is the one that is defined there: one without
/// cost has none, rather than its neighbour's. Of a line that is in no definition, or in one that
/// no function is known to be, what ran there is told.
pub fn enclosing(open: &OpenFile, position: Position) -> Option<FunctionId> {
    let Some(functions) = open.document.functions() else {
        return enclosing_line(open, position.line0);
    };
    let by_line = functions.at_line(position.line0);
    let by_byte = functions.at_byte(open.document.text.byte_at(position));
    // Blanks before a function are outside of it, but its line is its own.
    let around = match (by_line, by_byte) {
        (Some(line), Some(byte)) if byte.lines.start() < line.lines.start() => Some(line),
        (line, byte) => byte.or(line),
    };
    // A closure that costs nothing apart is a part of the function around it.
    let mut outwards = std::iter::successors(around, |definition| {
        functions.all().get(definition.parent?).filter(|_| definition.name.is_empty())
    });
    outwards.find_map(|definition| defined_as(open, definition)).or_else(|| {
        let unknown =
            |function| is_own(open, function) && open.snapshot.source_function(function).is_none();
        if around.is_some() {
            on_line(open, position.line0).find(|&function| unknown(function))
        } else {
            costliest(open, position.line0).or_else(|| recorded_around(open, position.line0))
        }
    })
}

/// The function that a line (0-based) was in when it was recorded: its syntax may be broken since.
fn recorded_around(open: &OpenFile, line0: u32) -> Option<FunctionId> {
    let recorded0 = open.lines().recorded(line0)?.checked_sub(1)?;
    let mut functions = open.snapshot.defined_in(open.file).iter().map(|&(_, function)| function);
    functions.find(|&function| {
        open.snapshot
            .source_function(function)
            .is_some_and(|function| function.contains_line(recorded0))
    })
}

/// The functions with cost on a line (0-based), costliest first.
fn on_line(open: &OpenFile, line0: u32) -> impl Iterator<Item = FunctionId> {
    let places =
        open.lines().recorded(line0).map(|line| open.snapshot.costs.functions_on(open.file, line));
    places.unwrap_or_default().iter().map(|place| place.function)
}

/// The costliest function on a line (0-based). Functions of this file come first: a line that was
/// inlined into others, where source maps tell their files apart, is theirs only in execution.
fn costliest(open: &OpenFile, line0: u32) -> Option<FunctionId> {
    on_line(open, line0)
        .find(|&function| is_own(open, function))
        .or_else(|| on_line(open, line0).next())
}

/// The function with cost that a definition of the open text is.
fn defined_as(open: &OpenFile, definition: &Definition) -> Option<FunctionId> {
    let (start, name) = (*definition.lines.start(), definition.name_line0);
    let functions = open.lines().functions();
    let mut here =
        functions.iter().filter(|(line0, _)| (start.min(name)..=start.max(name)).contains(line0));
    let before = open.document.text.as_str().get(..definition.bytes.start).unwrap_or_default();
    let column = before.rsplit('\n').next().unwrap_or_default().encode_utf16().count();
    let is_it = |function| match open.snapshot.source_function(function) {
        Some(function) => {
            let recorded = function.definition();
            // What has no name is told by its place.
            let is_there = !recorded.name.is_empty() || function.column() as usize == column;
            is_there
                && (&recorded.name, &recorded.container)
                    == (&definition.name, &definition.container)
        }
        // By its start line, under whatever name.
        None => open.snapshot.function(function).line != 0,
    };
    here.find(|&&(_, function)| is_it(function)).map(|&(_, function)| function)
}

/// The function around a line (0-based), as far as the profile tells: the costliest one on it, else
/// the one that starts last above it.
fn enclosing_line(open: &OpenFile, line0: u32) -> Option<FunctionId> {
    let above = || open.lines().functions().into_iter().rfind(|&(start0, _)| start0 <= line0);
    costliest(open, line0).or_else(|| Some(above()?.1))
}

fn is_own(open: &OpenFile, function: FunctionId) -> bool {
    open.snapshot.function(function).file == Some(open.file)
}
