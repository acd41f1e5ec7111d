//! Resolves the operands of transforms to functions.

use crate::names::{Unmatched, find_function};
use crate::transform::{FunctionKey, Name, Operand, Transform, TransformKind};
use profile::{FuncId, FuncKey, FunctionId, Groups, Start, SymbolTables, WarningCode};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// The functions that each address was resolved to: the physical function first, then the functions
/// inlined into it. Never empty.
pub type Addresses = FxHashMap<FuncKey, Vec<FunctionId>>;

/// The function or the path of functions that a transform takes; at least one. An address in a path
/// becomes the functions that it was resolved to. Empty if it takes a category or a library.
pub(crate) fn find_path(
    symbols: &SymbolTables,
    groups: &Groups,
    addresses: &Addresses,
    transform: &Transform,
) -> Result<Vec<FunctionId>, Unmatched> {
    let mut path = Vec::new();
    if matches!(transform.kind.operand(), Operand::Category | Operand::Resource | Operand::Label) {
        return Ok(path);
    }
    for name in &transform.names {
        let mut functions = find_named(symbols, groups, addresses, name)?;
        if transform.kind == TransformKind::FocusSubtreeInverted {
            functions.reverse();
        }
        path.append(&mut functions);
    }
    if path.is_empty() {
        let problem = format!("`{}` has no function", transform.kind.name());
        return Err(Unmatched::new(WarningCode::UnknownFunction, problem));
    }
    Ok(path)
}

/// The function that `name` identifies: one, or those that its address was resolved to.
pub(crate) fn find_named(
    symbols: &SymbolTables,
    groups: &Groups,
    addresses: &Addresses,
    name: &Name,
) -> Result<Vec<FunctionId>, Unmatched> {
    match name {
        Name::Text(text) => find_function(symbols, groups, text).map(|function| vec![function]),
        Name::Key(key) => match addresses.get(&key.func) {
            Some(functions) if !functions.is_empty() => Ok(functions.clone()),
            _ => find_by_key(symbols, groups, key).map(|function| vec![function]),
        },
    }
}

/// The function that a key with this start identifies, of those that have one of `funcs`. The start
/// only counts if there are several: the number of a function changes when code above it is edited.
/// `None` if it may be any of several.
pub fn identified(
    symbols: &SymbolTables,
    groups: &Groups,
    funcs: &[FuncId],
    start: Option<Start>,
) -> Option<FunctionId> {
    let starts_there = |&&id: &&FuncId| {
        let func = symbols.funcs.get(id);
        start == Some((func.line, func.column))
    };
    let all = functions_of(funcs.iter(), groups);
    let at_start = functions_of(funcs.iter().filter(starts_there), groups);
    [at_start, all].iter().find_map(|found| found.first().copied().filter(|_| found.len() == 1))
}

fn functions_of<'a>(
    funcs: impl Iterator<Item = &'a FuncId>,
    groups: &Groups,
) -> BTreeSet<FunctionId> {
    funcs.map(|&id| groups.function(id)).collect()
}

/// The function with a key.
fn find_by_key(
    symbols: &SymbolTables,
    groups: &Groups,
    key: &FunctionKey,
) -> Result<FunctionId, Unmatched> {
    let FuncKey { name, file, lib, .. } = &key.func;
    let funcs: Vec<_> = (symbols.funcs.ids())
        .filter(|&id| {
            let func = symbols.funcs.get(id);
            symbols.strings.get(func.name) == name
                && func.source.map(|source| symbols.source_name(source)) == file.as_deref()
                && func.lib.map(|lib| symbols.libs[lib.index()].name.as_str()) == lib.as_deref()
        })
        .collect();
    if let Some(function) = identified(symbols, groups, &funcs, key.start) {
        return Ok(function);
    }
    let all = functions_of(funcs.iter(), groups);
    let place = match (file, lib) {
        (Some(file), _) => format!(" in {file}"),
        (None, Some(lib)) => format!(" in {lib}"),
        (None, None) => " without a file".to_owned(),
    };
    Err(if all.is_empty() {
        let problem = format!("the profile has no function `{name}`{place}");
        Unmatched::new(WarningCode::UnknownFunction, problem)
    } else {
        let problem = match key.start {
            Some((line, column)) if line != 0 => format!(
                "{} functions{place} are called `{name}`, and none starts at {line}:{column}",
                all.len()
            ),
            _ => format!(
                "{} functions{place} are called `{name}`: add the `start` of one to its key",
                all.len()
            ),
        };
        Unmatched::new(WarningCode::AmbiguousFunction, problem)
    })
}

/// A transform in its notation. A function of which only the key is unique has its place in front:
/// `merge-function:a.js:9::(anonymous)`.
pub fn notation(symbols: &SymbolTables, groups: &Groups, transform: &Transform) -> String {
    let names = transform.names.iter().map(|name| match name {
        Name::Key(key) if find_function(symbols, groups, &key.func.name).is_err() => at_place(key),
        _ => name.text().to_owned(),
    });
    let names: Vec<String> = names.collect();
    format!("{}:{}", transform.kind.name(), names.join(">"))
}

/// The name of a function with the last component of its file and its line, or with its library.
fn at_place(key: &FunctionKey) -> String {
    let FuncKey { name, file, lib, .. } = &key.func;
    let file = file.as_deref().and_then(|file| file.rsplit(['/', '\\']).next());
    match (file, lib, key.start) {
        (Some(file), _, Some((line, _))) if line != 0 => format!("{file}:{line}::{name}"),
        (Some(file), _, _) => format!("{file}::{name}"),
        (None, Some(lib), _) => format!("{lib}::{name}"),
        (None, None, _) => name.clone(),
    }
}
