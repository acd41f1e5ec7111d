//! The fields of Mercury's data structures, and the procedures that get and set them.
//!
//! By convention, these are `STRUCTURE_get_FIELD/2` and `STRUCTURE_set_FIELD/3` (the rule of
//! Mercury's own tool), and the functions that the compiler makes for `Structure ^ FIELD`: `FIELD`
//! and `FIELD :=`.

use super::row::Row;
use analysis::{Cost, FunctionId, Total};
use loading::function_name::mercury_module;
use loading::{FunctionName, Snapshot};
use std::collections::BTreeMap;

/// A field, with the costs of its procedures.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// The module of the procedures.
    pub module: String,
    /// The data structure; empty if the names of the procedures do not contain it.
    pub structure: String,
    /// The field.
    pub name: String,
    /// Procedures that get it.
    pub getters: Option<Accessors>,
    /// Procedures that set it.
    pub setters: Option<Accessors>,
}

/// The procedures that get a field, or the procedures that set it.
#[derive(Debug, Clone, PartialEq)]
pub struct Accessors {
    /// The procedures.
    pub functions: Vec<FunctionId>,
    /// The sum of their costs.
    pub cost: Cost,
    /// The sum of their calls.
    pub calls: Option<u64>,
}

impl Field {
    /// The structure and the field: `info.size`.
    pub fn full_name(&self) -> String {
        if self.structure.is_empty() {
            self.name.clone()
        } else {
            format!("{}.{}", self.structure, self.name)
        }
    }
}

impl Accessors {
    /// These procedures and others.
    fn plus(mut self, other: &Self) -> Self {
        self.functions.extend_from_slice(&other.functions);
        self.cost = Cost {
            self_: self.cost.self_ + other.cost.self_,
            total: self.cost.total.plus(other.cost.total),
        };
        self.calls = match (self.calls, other.calls) {
            (Some(calls), Some(more)) => Some(calls.saturating_add(more)),
            (calls, more) => calls.or(more),
        };
        self
    }
}

/// Whether a procedure gets or sets a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Access {
    Get,
    Set,
    /// A function whose name is the name of a field, if there is a setter for that field.
    MayGet,
}

/// What a procedure does with which field of which structure, by its name in the profile.
fn access(name: &str) -> Option<(Access, String, String)> {
    let parsed = FunctionName::of(name);
    let (name, arity) = (parsed.name?, parsed.arity?);
    // Some compilers count the result of a function as an argument.
    let has_arguments =
        |n: u32| arity.n_arguments == n || arity.has_result && arity.n_arguments + 1 == n;
    let first = ["_get_", "_set_"].into_iter().filter_map(|part| Some((name.find(part)?, part)));
    if let Some((at, part)) = first.min() {
        let (access, n) = if part == "_get_" { (Access::Get, 2) } else { (Access::Set, 3) };
        let (structure, field) = (name.get(..at)?, name.get(at + part.len()..)?);
        let is_field = has_arguments(n) && !field.is_empty();
        return is_field.then(|| (access, structure.to_owned(), field.to_owned()));
    }
    if !arity.has_result {
        return None;
    }
    match name.strip_suffix(" :=") {
        Some(field) if has_arguments(3) => Some((Access::Set, String::new(), field.to_owned())),
        None if has_arguments(2) => Some((Access::MayGet, String::new(), name)),
        _ => None,
    }
}

/// The fields that some functions get and set. The total of a field is the sum of the totals of its
/// procedures, which rarely call each other.
pub(super) fn fields(
    snapshot: &Snapshot,
    functions: impl Iterator<Item = Row<FunctionId>>,
) -> Vec<Row<Field>> {
    type Key = (String, String, String);
    let mut setters: BTreeMap<Key, Accessors> = BTreeMap::new();
    let mut getters: BTreeMap<Key, (Accessors, bool)> = BTreeMap::new();
    for Row { what, cost, calls, .. } in functions {
        let name = snapshot.grouped.recorded(snapshot.grouped.func(what)).name;
        let (Some(module), Some((access, structure, field))) = (mercury_module(name), access(name))
        else {
            continue;
        };
        let key = (module.to_owned(), structure, field);
        let one = Accessors { functions: vec![what], cost, calls };
        if access == Access::Set {
            setters.entry(key).and_modify(|all| *all = all.clone().plus(&one)).or_insert(one);
        } else {
            let is_certain = access == Access::Get;
            getters
                .entry(key)
                .and_modify(|(all, certain)| {
                    (*all, *certain) = (all.clone().plus(&one), *certain || is_certain);
                })
                .or_insert((one, is_certain));
        }
    }
    getters.retain(|key, (_, is_certain)| *is_certain || setters.contains_key(key));
    let mut keys: Vec<Key> = getters.keys().chain(setters.keys()).cloned().collect();
    keys.sort_unstable();
    keys.dedup();
    let row = |key: Key| {
        let getters = getters.remove(&key).map(|(getters, _)| getters);
        let setters = setters.remove(&key);
        let none = Accessors {
            functions: Vec::new(),
            cost: Cost { self_: 0.0, total: Total::Exact(0.0) },
            calls: None,
        };
        let both = getters.iter().chain(&setters).fold(none, Accessors::plus);
        let (module, structure, name) = key;
        let what = Field { module, structure, name, getters, setters };
        Row::new(what, both.cost, both.calls)
    };
    keys.into_iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_getters_and_setters() {
        let access = |name: &str| {
            access(name).map(|(access, structure, field)| (access, format!("{structure}.{field}")))
        };
        let expect = |access, field: &str| Some((access, field.to_owned()));
        assert_eq!(access("m.info_get_size/2-0"), expect(Access::Get, "info.size"));
        assert_eq!(access("m.info_set_size/3-0"), expect(Access::Set, "info.size"));
        // The result is an argument, or not.
        assert_eq!(access("m.info_get_size/1+1-0"), expect(Access::Get, "info.size"));
        assert_eq!(access("m.info_get_size/2+1-0"), expect(Access::Get, "info.size"));
        // The first of both decides.
        assert_eq!(access("m.a_get_b_set_c/2-0"), expect(Access::Get, "a.b_set_c"));
        assert_eq!(access("m.info_get_size/3-0"), None);
        assert_eq!(access("m.info_set_size/2-0"), None);
        assert_eq!(access("m.size :=/2+1-0"), expect(Access::Set, ".size"));
        assert_eq!(access("m.size/1+1-0"), expect(Access::MayGet, ".size"));
        assert_eq!(access("m.size/2-0"), None);
        assert_eq!(access("Unify for m.t/0"), None);
    }
}
