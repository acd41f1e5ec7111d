//! Lines of functions that V8 inlined. V8 counts their samples for the caller. It records the line in the
//! script of the callee, but not that script. So if a line is not in its function, or has no code
//! there, this finds the function that it belongs to, by the definitions of the scripts. Other lines
//! that both functions have may then be of either.

use super::identifying::{Change, Identifying};
use crate::functions::definitions::FileDefinitions;
use crate::functions::file::File;
use crate::functions::function_name::FunctionName;
use crate::functions::initializers::is_initializer;
use crate::load::stages::recorded_texts::search::TextSearch;
use analysis::{Func, FuncId, Position, SourceId, each_line, with_files_of_lines};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// A script whose lines are longer than this on average, in bytes, is minified. Its lines tell nothing.
const MAX_LINE: usize = 400;

/// Moves such lines to the scripts that they belong to. Those whose script is not certain have no place.
/// Nothing is moved if the recorded text of one of the scripts is not known, because the lines may be of
/// that one.
pub fn of_other_scripts(all: &Identifying<'_>) -> Change {
    let recording = &all.recording;
    let has_own_lines_alone = recording.metrics().iter().any(|metric| metric.lines.is_self_alone());
    if !has_own_lines_alone || !recording.knows_code() {
        return Change::default();
    }
    let Some(scripts) = Scripts::new(all) else { return Change::default() };
    let mut calls = Calls::default();
    recording.each_call(|caller, callee| _ = calls.entry(caller).or_default().insert(callee));
    let mut inlined: FxHashMap<FuncId, FxHashSet<Definition>> = FxHashMap::default();
    each_line(recording, |func, Position { source, line, .. }| {
        if !scripts.can_be_of(func, source, line - 1) {
            let found = scripts.function_of(func, source, line - 1, &calls);
            inlined.entry(func).or_default().extend(found);
        }
    });
    Change::places(with_files_of_lines(recording, |func, Position { source, line, .. }| {
        let line0 = line - 1;
        if !scripts.can_be_of(func, source, line0) {
            return scripts.function_of(func, source, line0, &calls).map(|(source, _)| source);
        }
        let mut inlined = inlined.get(&func).into_iter().flatten();
        let is_of_either =
            inlined.any(|of| of.0 != source && scripts.around(of.0, line0).any(|it| it == *of));
        (!is_of_either).then_some(source)
    }))
}

/// A definition: a script, and the position among its definitions.
type Definition = (SourceId, usize);

/// The callees of each function.
type Calls = FxHashMap<FuncId, FxHashSet<FuncId>>;

/// The scripts of a recording whose text is known.
struct Scripts {
    by_source: FxHashMap<SourceId, Script>,
    /// The definitions of functions.
    definitions: FxHashMap<FuncId, Definition>,
}

struct Script {
    text: Arc<FileDefinitions>,
    /// Whether each line has code that is executed.
    has_code: Vec<bool>,
    /// Whether each definition is in the recording.
    is_recorded: Vec<bool>,
}

impl Scripts {
    fn new(all: &Identifying<'_>) -> Option<Self> {
        let (symbols, parsed) = (all.recording.symbols(), all.context.parsed);
        let funcs = || symbols.funcs.ids().map(|id| (id, symbols.funcs.get(id)));
        let used: FxHashSet<SourceId> = funcs().filter_map(|(_, func)| func.source).collect();
        let mut by_source = FxHashMap::default();
        for (source, mapping) in all.sources() {
            let Some(path) = mapping.path().filter(|_| used.contains(&source)) else { continue };
            let found = TextSearch::new(all, path, &[source]).of_starts().find();
            let script = found.filter(|found| found.fits)?.text;
            if !has_short_lines(&script) {
                continue;
            }
            if let Some(text) = parsed.one(path, &script) {
                let is_recorded = vec![false; text.all.len()];
                let ends: FxHashSet<u32> = text.all.iter().map(|it| *it.lines.end()).collect();
                let has_code = |(line, line0): (&str, u32)| has_code(line, ends.contains(&line0));
                let has_code = script.lines().zip(0..).map(has_code).collect();
                by_source.insert(source, Script { text, has_code, is_recorded });
            }
        }
        let mut definitions = FxHashMap::default();
        let files: FxHashMap<SourceId, Arc<FileDefinitions>> =
            by_source.iter().map(|(&source, script)| (source, script.text.clone())).collect();
        let files: FxHashMap<SourceId, File> =
            files.iter().map(|(&source, text)| (source, File::new(text))).collect();
        for (id, func) in funcs() {
            let Some(source) = func.source else { continue };
            let (Some(file), Some(script)) = (files.get(&source), by_source.get_mut(&source))
            else {
                continue;
            };
            if let Some(at) = definition(file, symbols.func_name(id), func) {
                script.is_recorded[at] = true;
                definitions.insert(id, (source, at));
            }
        }
        Some(Self { by_source, definitions })
    }

    /// Whether a line (0-based) of a script can be one of a function.
    fn can_be_of(&self, func: FuncId, source: SourceId, line0: u32) -> bool {
        let Some(script) = self.by_source.get(&source) else { return true };
        script.has_code(line0) && self.is_within(func, script, line0)
    }

    /// Whether a line of the script of a function is in the function, as far as that is known.
    fn is_within(&self, func: FuncId, script: &Script, line0: u32) -> bool {
        let definition = self.definitions.get(&func);
        let contains = |&(_, at): &Definition| script.text.all[at].lines.contains(&line0);
        (line0 as usize) < script.has_code.len() && definition.is_none_or(contains)
    }

    /// The function that a line (0-based) of `func` belongs to, which is in `source`: a callee, or
    /// else a callee of a callee, or else one of the only script with a function around such a line.
    /// Not the latter for a line within `func`: that may be one of a script that was compiled when it
    /// was loaded.
    fn function_of(
        &self,
        func: FuncId,
        source: SourceId,
        line0: u32,
        calls: &Calls,
    ) -> Option<Definition> {
        let is_around = |func: &FuncId| {
            let definition = self.definitions.get(func)?;
            let script = self.by_source.get(&definition.0)?;
            (script.recorded_at(line0) == Some(definition.1)).then_some(*definition)
        };
        let callees = |func: &FuncId| calls.get(func).into_iter().flatten();
        let mut found: Vec<Definition> = callees(&func).filter_map(is_around).collect();
        if found.is_empty() {
            found = callees(&func).flat_map(callees).filter_map(is_around).collect();
        }
        let script = self.by_source.get(&source)?;
        if found.is_empty() && !self.is_within(func, script, line0) {
            let sources = self.by_source.keys();
            found = sources.filter_map(|&source| self.around(source, line0).next()).collect();
        }
        let first = *found.first()?;
        found.iter().all(|&(source, _)| source == first.0).then_some(first)
    }

    /// The definitions around a line (0-based) of a script with code, innermost first.
    fn around(&self, source: SourceId, line0: u32) -> impl Iterator<Item = Definition> {
        let script = self.by_source.get(&source);
        script.into_iter().flat_map(move |it| it.around(line0)).map(move |at| (source, at))
    }
}

impl Script {
    fn has_code(&self, line0: u32) -> bool {
        self.has_code.get(line0 as usize) == Some(&true)
    }

    /// The definitions around a line with code, innermost first.
    fn around(&self, line0: u32) -> impl Iterator<Item = usize> {
        let all = &self.text.all;
        let has_code = self.has_code(line0);
        let last = all.partition_point(|it| *it.lines.start() <= line0).checked_sub(1);
        let outwards = std::iter::successors(last, |&at| all[at].parent);
        outwards.filter(move |&at| has_code && all[at].lines.contains(&line0))
    }

    /// The recorded definition that a line belongs to. Its first and last lines may be the first
    /// and last lines of the function around it.
    fn recorded_at(&self, line0: u32) -> Option<usize> {
        let mut around = self.around(line0);
        let found = around.find(|&at| {
            let lines = &self.text.all[at].lines;
            let is_within = *lines.start() < line0 && line0 < *lines.end();
            is_within || self.is_recorded[at]
        });
        found.filter(|&at| self.is_recorded[at])
    }
}

/// The definition of a function that is not the script itself. The parameters, at which it starts,
/// may be on the line below its name.
fn definition(file: &File, name: &str, func: Func) -> Option<usize> {
    let is_script = (func.line, func.column) == (1, 1);
    let line0 = func.line.checked_sub(1).filter(|_| !is_script && !is_initializer(name))?;
    let name = FunctionName::of(name);
    file.starting_at(&name, line0, func.column)
        .or_else(|| file.starting_at(&name, line0.checked_sub(1)?, 0))
}

/// Whether a line has code that is executed: more than white space, brackets, or a comment. At its
/// last bracket (`is_end`), a function returns.
fn has_code(line: &str, is_end: bool) -> bool {
    let line = line.trim();
    let is_punctuation = line.chars().all(|c| "()[]{};,".contains(c));
    !line.starts_with("//") && (is_end || !is_punctuation)
}

/// Whether the lines of a text are short enough to tell something.
fn has_short_lines(text: &str) -> bool {
    text.len() / text.lines().count().max(1) <= MAX_LINE
}
