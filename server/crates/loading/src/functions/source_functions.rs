//! Groups the funcs of a recording by the definition in the source text that they belong to. A func
//! is matched by its name, and by its start line or the lines that it executes. A func without a
//! certain match is a function by itself, unless it initializes fields (`initializers.rs`).
//!
//! Some profilers record comprehensions and blocks as functions. They are grouped with the
//! definition that contains them, so that a line has the same cost whether or not the interpreter
//! inlines them. In call graphs they stay separate, because the cost of a call from a function to
//! itself cannot be summed exactly.

use crate::functions::definitions::FileDefinitions;
use crate::functions::file::File;
use crate::functions::function_name::{
    FunctionName, without_clone_marks, without_lists, without_parameters,
};
use crate::functions::initializers;
use crate::functions::initializers::is_initializer;
use analysis::{
    FileId, Func, FuncId, FuncRole, FunctionId, Groups, Recording, SourceId, SymbolTables,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;
use std::sync::Arc;
use symbols::collapse_generics;
use texts::{Definition, FunctionKind};

/// By [`FileId`]; `None` if they are not known.
type Definitions = [Option<Arc<FileDefinitions>>];

/// A definition: its file, and its index in [`FileDefinitions::all`].
type DefinitionId = (FileId, usize);

/// Groups the funcs of each definition into one function. `groups` already groups what the
/// recording itself has as one function, `definitions` has the definitions of each file, `is_original`
/// whether a source map moved functions to a source. Also returns the functions that have a
/// definition.
pub fn group_by_definition(
    recording: &Recording,
    groups: &Groups,
    definitions: &Definitions,
    is_original: &dyn Fn(SourceId) -> bool,
) -> (Groups, FxHashMap<FunctionId, SourceFunction>) {
    let symbols = recording.symbols();
    let has_initializers =
        || symbols.funcs.ids().any(|func| is_initializer(symbols.func_name(func)));
    if definitions.iter().all(Option::is_none) && !has_initializers() {
        return (groups.clone(), FxHashMap::default());
    }
    let mut found = definitions_of(recording, groups, definitions, is_original);
    let groups = with_definitions(recording, groups, definitions, &mut found);
    let functions = source_functions(symbols, &groups, definitions, &found);
    (groups, functions)
}

/// What the funcs of a function have in common.
#[derive(PartialEq, Eq, Hash)]
enum Key {
    /// The definition.
    Definition(DefinitionId),
    /// The function that they were grouped into before.
    Function(FunctionId),
}

/// Groups the funcs of each definition into one function, with the role of each func in it. Adds
/// the definitions of initializers to `found`.
fn with_definitions(
    recording: &Recording,
    groups: &Groups,
    definitions: &Definitions,
    found: &mut [Option<DefinitionId>],
) -> Groups {
    let symbols = recording.symbols();
    let definition_of = |found: &[Option<DefinitionId>], func: FuncId| {
        let (file, at) = found[func.index()]?;
        definitions.get(file.index())?.as_ref()?.all.get(at)
    };
    let is_constructor = |function| {
        let definition = definition_of(found, groups.first_func(function));
        definition.is_some_and(|it| it.name == "constructor" && it.container.is_some())
    };
    let owners = initializers::owners(recording, groups, is_constructor);
    for func in symbols.funcs.ids() {
        if let Some(&owner) = owners.get(&groups.function(func)) {
            found[func.index()] = found[groups.first_func(owner).index()];
        }
    }
    let with_parts: FxHashSet<FunctionId> = owners.values().copied().collect();
    let key = |func: FuncId| {
        let function = groups.function(func);
        let owner = *owners.get(&function).unwrap_or(&function);
        let definition = found[func.index()].map(Key::Definition);
        definition.or_else(|| with_parts.contains(&owner).then_some(Key::Function(owner)))
    };
    let role = |func: FuncId| {
        let name = symbols.strings.get(symbols.funcs.get(func).name);
        match definition_of(found, func) {
            _ if owners.contains_key(&groups.function(func)) => FuncRole::Block,
            Some(definition) => role(name, definition),
            None => FuncRole::Whole,
        }
    };
    groups.clone().with_functions(symbols, key).with_roles(role)
}

/// What a func with this name is in the function of a definition.
fn role(name: &str, definition: &Definition) -> FuncRole {
    let parsed = FunctionName::of(name);
    let is_closure = parsed.closure && parsed.name.is_none();
    if parsed.block {
        FuncRole::Block
    } else if is_closure && definition.kind == FunctionKind::Function || name.contains(".part.") {
        FuncRole::Body
    } else {
        FuncRole::Whole
    }
}

/// The definition of each func, if it is known. `groups` groups what the recording itself has as
/// one function.
fn definitions_of(
    recording: &Recording,
    groups: &Groups,
    definitions: &Definitions,
    is_original: &dyn Fn(SourceId) -> bool,
) -> Vec<Option<DefinitionId>> {
    let symbols = recording.symbols();
    let mut found: Vec<Option<DefinitionId>> = vec![None; groups.n_functions()];
    if definitions.iter().any(Option::is_some) {
        let files: Vec<_> = definitions.iter().map(|file| file.as_deref().map(File::new)).collect();
        let file_of = |function: FunctionId| {
            let source = symbols.funcs.get(groups.first_func(function)).source?;
            Some(groups.file(source))
                .filter(|file| files.get(file.index()).is_some_and(Option::is_some))
        };
        // A func without a start may be in another file than the recorded one.
        let is_wanted = |function: FunctionId| {
            let func = symbols.funcs.get(groups.first_func(function));
            file_of(function).is_some() || func.source.is_some() && func.line == 0
        };
        let executed = executed(recording, groups, &files, is_wanted);
        for function in groups.functions() {
            let func = symbols.funcs.get(groups.first_func(function));
            let Some(file) = file_of(function) else {
                if let Some(places) = executed.get(&function) {
                    let name = FunctionName::of(symbols.strings.get(func.name));
                    found[function.index()] = around_body(&name, &files, places);
                }
                continue;
            };
            let name = FunctionName::of(symbols.strings.get(func.name));
            if is_initializer(symbols.strings.get(func.name))
                || name.block && recording.summed().is_some()
            {
                continue;
            }
            let lines = executed.get(&function).map(Vec::as_slice).unwrap_or_default();
            let is_original = func.source.is_some_and(is_original);
            let mapped = files[file.index()].as_ref().filter(|_| is_original).and_then(|text| {
                Some((file, text.head_around(func.line.checked_sub(1)?, func.column)?))
            });
            found[function.index()] = mapped.or_else(|| {
                let spelled = symbols.strings.get(func.name);
                definition_of(func, file, (spelled, &name), &files, lines)
            });
        }
        join_parts(symbols, groups, &mut found);
    }
    symbols.funcs.ids().map(|func| found[groups.function(func).index()]).collect()
}

/// The definition of one function, which is recorded in `file` and executes `places`.
fn definition_of(
    func: Func,
    file: FileId,
    (spelled, name): (&str, &FunctionName),
    files: &[Option<File>],
    places: &[Place],
) -> Option<DefinitionId> {
    let text = files.get(file.index())?.as_ref()?;
    let in_file = places.partition_point(|place| place.0 < file)
        ..places.partition_point(|place| place.0 <= file);
    let mut lines: Vec<u32> = places[in_file].iter().map(|place| place.1).collect();
    let start0 = func.line.checked_sub(1);
    let matched = match start0 {
        Some(line0) if !name.block => {
            text.starting_at(name, line0, func.column).or_else(|| text.around_neck(name, line0))
        }
        _ => {
            lines.extend(start0);
            text.numbered_closure(spelled, &lines)
                .or_else(|| text.containing(name, &lines))
                .or_else(|| text.only(name, &lines))
        }
    };
    let at = matched
        .or_else(|| text.async_body(name, &lines))
        .or_else(|| text.copied_closure(name, &lines))
        .or_else(|| text.named(name, &lines).filter(|_| start0.is_none()));
    if at.is_some() || start0.is_some() || text.has(name) {
        return at.map(|at| (file, at));
    }
    // Profilers without knowledge of inlining use the file of a function's first instruction. That
    // instruction may be inlined from another file.
    in_one_file(files, places, |text, lines| text.only(name, lines))
}

/// The definition of a function whose recorded file has no text, because its first instruction is
/// inlined from a library.
fn around_body(
    name: &FunctionName,
    files: &[Option<File>],
    places: &[Place],
) -> Option<DefinitionId> {
    in_one_file(files, places, |text, lines| text.around_body(name, lines))
}

/// The definition that `find` returns for the lines of one of the files. `None` if there are several.
fn in_one_file(
    files: &[Option<File>],
    places: &[Place],
    find: impl Fn(&File<'_>, &[u32]) -> Option<usize>,
) -> Option<DefinitionId> {
    let mut found = places.chunk_by(|a, b| a.0 == b.0).filter_map(|places| {
        let file = places.first()?.0;
        let lines: Vec<u32> = places.iter().map(|place| place.1).collect();
        Some((file, find(files.get(file.index())?.as_ref()?, &lines)?))
    });
    found.next().filter(|_| found.next().is_none())
}

/// Adds funcs that are parts of a function of a native library. Profilers that distinguish files
/// record a func of the same full name for each file that a function has lines in (macros). Only
/// full names, which begin with a crate or type, certainly belong to one function.
fn join_parts(symbols: &SymbolTables, groups: &Groups, found: &mut [Option<DefinitionId>]) {
    let key = |function: FunctionId| {
        let Func { name, lib, .. } = symbols.funcs.get(groups.first_func(function));
        Some((name, lib?))
    };
    // `None` if several definitions have the same name.
    let mut by_name: FxHashMap<_, Option<DefinitionId>> = FxHashMap::default();
    for (function, &definition) in groups.functions().zip(found.iter()) {
        let Some((definition, key)) =
            definition.and_then(|definition| Some((definition, key(function)?)))
        else {
            continue;
        };
        if is_full_name(symbols.strings.get(key.0)) {
            let same = by_name.entry(key).or_insert(Some(definition));
            *same = same.filter(|same| *same == definition);
        }
    }
    let is_part = |function: &FunctionId| symbols.funcs.get(groups.first_func(*function)).line == 0;
    for function in groups.functions().filter(is_part) {
        if found[function.index()].is_none() {
            found[function.index()] =
                key(function).and_then(|key| by_name.get(&key).copied().flatten());
        }
    }
}

fn is_full_name(name: &str) -> bool {
    name.contains("::") && FunctionName::of(name).name.is_some()
}

/// A file and a 0-based line.
type Place = (FileId, u32);

/// The places in `files` that each function executes, sorted.
fn executed(
    recording: &Recording,
    groups: &Groups,
    files: &[Option<File>],
    is_wanted: impl Fn(FunctionId) -> bool,
) -> FxHashMap<FunctionId, Vec<Place>> {
    let mut places: FxHashMap<FunctionId, Vec<Place>> = FxHashMap::default();
    recording.each_place(|func, source, line| {
        let (function, file) = (groups.function(func), groups.file(source));
        if files.get(file.index()).is_some_and(Option::is_some) && is_wanted(function) {
            places.entry(function).or_default().push((file, line - 1));
        }
    });
    for places in places.values_mut() {
        places.sort_unstable();
        places.dedup();
    }
    places
}

/// A function that has a definition.
#[derive(Debug)]
pub struct SourceFunction {
    /// The file that the definition is in.
    pub file: FileId,
    /// The func that represents the function: the first one in that file that is not a block.
    pub func: FuncId,
    /// The function's name, if it differs from the name of `func`.
    pub name: Option<String>,
    text: Arc<FileDefinitions>,
    at: usize,
}

impl SourceFunction {
    /// The definition in the recorded text.
    pub fn definition(&self) -> &Definition {
        &self.text.all[self.at]
    }

    /// Whether a name is that of the definition after those of types or functions around it: `Tree.draw`,
    /// `ui::Tree::draw`, `Tree#draw`.
    pub fn is_called(&self, qualified: &str) -> bool {
        const SEPARATORS: [char; 3] = ['.', ':', '#'];
        let Definition { name, scopes, .. } = self.definition();
        let path = qualified.strip_suffix(name.as_str()).filter(|path| path.ends_with(SEPARATORS));
        path.is_some_and(|path| {
            let around: Vec<&str> = path.split(SEPARATORS).filter(|it| !it.is_empty()).collect();
            let scopes = scopes.iter().map(String::as_str).rev();
            !around.is_empty()
                && around.iter().rev().copied().zip(scopes.clone()).all(|(a, b)| a == b)
                && around.len() <= scopes.count()
        })
    }

    /// Whether it is the innermost named function that contains a line (0-based) of the recorded
    /// text.
    pub fn contains_line(&self, line0: u32) -> bool {
        let contains_line = |definition: &Definition| {
            definition.lines.contains(&line0) && !definition.name.is_empty()
        };
        self.definition().lines.contains(&line0)
            && self.text.all.iter().rposition(contains_line) == Some(self.at)
    }

    /// The column at which the definition starts: 0-based, in UTF-16 code units.
    pub fn column(&self) -> u32 {
        self.text.spans[self.at][0].1
    }
}

/// The functions of `groups` that have a definition.
fn source_functions(
    symbols: &SymbolTables,
    groups: &Groups,
    definitions: &Definitions,
    found: &[Option<DefinitionId>],
) -> FxHashMap<FunctionId, SourceFunction> {
    let mut members: FxHashMap<FunctionId, (DefinitionId, Vec<FuncId>)> = FxHashMap::default();
    for (id, definition) in symbols.funcs.ids().zip(found) {
        let Some(definition) = *definition else { continue };
        members.entry(groups.function(id)).or_insert_with(|| (definition, Vec::new())).1.push(id);
    }
    members
        .into_iter()
        .filter_map(|(function, (definition, funcs))| {
            let source_function =
                source_function(symbols, groups, definitions, definition, &funcs)?;
            Some((function, source_function))
        })
        .collect()
}

/// The function that consists of `funcs`, all of which belong to one definition.
fn source_function(
    symbols: &SymbolTables,
    groups: &Groups,
    definitions: &Definitions,
    (file, at): DefinitionId,
    funcs: &[FuncId],
) -> Option<SourceFunction> {
    let text = definitions.get(file.index())?.clone()?;
    let definition = text.all.get(at)?;
    let name_of = |func: FuncId| symbols.strings.get(symbols.funcs.get(func).name);
    let is_in_file = |func: FuncId| {
        symbols.funcs.get(func).source.is_some_and(|source| groups.file(source) == file)
    };
    // Blocks and comprehensions have names of their own, which must not be shown.
    let is_whole = |func: FuncId| {
        let FunctionName { name, closure, .. } = FunctionName::of(name_of(func));
        let name = name.filter(|_| !is_initializer(name_of(func)));
        name.is_some() || closure && definition.kind == FunctionKind::Closure
    };
    // Minified code has other names.
    let agrees = |func: FuncId| FunctionName::of(name_of(func)).agrees(definition, text.around(at));
    let all = || funcs.iter().copied();
    let func = all()
        .find(|&func| is_in_file(func) && is_whole(func))
        .or_else(|| all().find(|&func| is_in_file(func)))
        .or_else(|| all().next())?;
    let named = all().filter(|&func| is_whole(func) && agrees(func));
    let names: Vec<&str> = named.map(|func| without_clone_marks(name_of(func))).collect();
    let of_text = match &definition.container {
        Some(class) if definition.name == "constructor" => class,
        _ => &definition.name,
    };
    let name = common_name(&names)
        .or_else(|| Some(of_text.clone().into()).filter(|name: &Cow<str>| !name.is_empty()))
        .unwrap_or_else(|| name_of(func).into());
    let name = (name != name_of(func)).then(|| name.into_owned());
    Some(SourceFunction { file, func, name, text, at })
}

/// The name that all of `names` have: as they are, or else without type arguments, or else without
/// parameters as well, whose types these may be, also not those of a closure or the functions around
/// it. Names of inlined copies may have no path, so the others decide.
fn common_name<'a>(names: &[&'a str]) -> Option<Cow<'a, str>> {
    common(names, Cow::Borrowed).or_else(|| common(names, collapse_generics)).or_else(|| {
        let is_bare = |name: &str| FunctionName::of(name).name.is_some_and(|it| it == bare(name));
        let with_path: Vec<&str> = names.iter().copied().filter(|name| !is_bare(name)).collect();
        let names = if with_path.is_empty() { names } else { &with_path };
        common(names, bare).or_else(|| common(names, |name| without_lists(&bare(name)).into()))
    })
}

fn common<'a>(names: &[&'a str], form: fn(&'a str) -> Cow<'a, str>) -> Option<Cow<'a, str>> {
    let mut forms = names.iter().map(|name| form(name));
    let first = forms.next()?;
    forms.all(|form| form == first).then_some(first)
}

/// A name without type arguments and parameters.
fn bare(name: &str) -> Cow<'_, str> {
    let name = collapse_generics(name);
    let function = name.strip_suffix(" const").unwrap_or(&name);
    without_parameters(function).to_owned().into()
}

#[cfg(all(test, feature = "grammars"))]
mod tests;
