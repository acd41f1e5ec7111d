//! Functions by the library that their frames are in. One function can be compiled into several
//! libraries: a template, or an inlined function of a header.

use analysis::{CallTree, Charges, Costs, FuncId, FunctionCost, FunctionId};
use loading::Snapshot;
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::sync::Arc;

/// The functions of a snapshot. Those in several libraries are divided by library.
pub(super) struct ByLibrary<'s> {
    snapshot: &'s Snapshot,
    /// The libraries of each function.
    libraries: Libraries<'s>,
    /// `None` if no function is divided.
    divided: Option<Divided>,
}

/// The costs of divided functions.
struct Divided {
    costs: Costs,
    tree: CallTree,
    /// The function of the snapshot of each part.
    function_of: Vec<FunctionId>,
    /// A func of each part.
    func_of: Vec<FuncId>,
}

/// A function, or the part of it that is in one library.
pub(super) struct Part<'s> {
    /// Identifies the part.
    pub id: FunctionId,
    /// The function of the snapshot.
    pub function: FunctionId,
    /// The library. `None` if the recording does not say it.
    pub lib: Option<&'s str>,
    /// Its cost.
    pub cost: FunctionCost,
    /// Whether other libraries have parts of the function, too.
    pub is_divided: bool,
}

impl<'s> ByLibrary<'s> {
    /// The functions of `snapshot`. Sums their costs again if one of them is in several libraries.
    pub fn new(snapshot: &'s Snapshot) -> Self {
        let libraries = Libraries::of(snapshot);
        let divided = libraries.are_several().then(|| Divided::new(snapshot, &libraries));
        Self { snapshot, libraries, divided }
    }

    /// The functions of `snapshot`, none of them divided, without their libraries.
    pub fn undivided(snapshot: &'s Snapshot) -> Self {
        let libraries = Libraries { snapshot, only: FxHashMap::default() };
        Self { snapshot, libraries, divided: None }
    }

    /// The parts with cost, in the order of the recording.
    pub fn parts(&self) -> Vec<Part<'s>> {
        let costs = self.divided.as_ref().map_or(&self.snapshot.costs, |divided| &divided.costs);
        costs.functions().map(|(id, cost)| self.part(id, cost)).collect()
    }

    fn part(&self, id: FunctionId, cost: FunctionCost) -> Part<'s> {
        let groups = &self.snapshot.grouped.groups;
        let (function, func) = match &self.divided {
            Some(divided) => (divided.function_of[id.index()], divided.func_of[id.index()]),
            None => (id, groups.first_func(id)),
        };
        let is_divided = self.libraries.is_divided(function);
        Part { id, function, lib: self.libraries.of_func(func, function), cost, is_divided }
    }

    /// What own parts cost with the libraries that they call. `charges` are those of whole functions.
    pub fn charges<'c>(&self, charges: &'c Charges) -> Cow<'c, Charges> {
        let Some(divided) = &self.divided else { return Cow::Borrowed(charges) };
        let parts = (0..).map(FunctionId::new).zip(&divided.function_of);
        let own = parts.filter(|(_, function)| self.snapshot.is_own(**function));
        Cow::Owned(divided.tree.charges(&divided.costs, &own.map(|(part, _)| part).collect()))
    }

    /// The total of each of `n` sets of parts: a sample counts once. `None` for a call graph.
    pub fn totals(
        &self,
        n: usize,
        set_of: impl Fn(FunctionId) -> Option<usize>,
    ) -> Option<Vec<f64>> {
        let tree = self.divided.as_ref().map_or(&self.snapshot.tree, |divided| &divided.tree);
        tree.totals_of_functions(n, set_of)
    }
}

impl Divided {
    fn new(snapshot: &Snapshot, libraries: &Libraries<'_>) -> Self {
        let grouped = &snapshot.grouped;
        let symbols = grouped.recording.symbols();
        let part = |func: FuncId| {
            let function = grouped.groups.function(func);
            Some((function, libraries.of_func(func, function)))
        };
        let groups = (*grouped.groups)
            .clone()
            .with_functions(symbols, part)
            .with_roles(|func| grouped.groups.role(func));
        let groups = Arc::new(groups);
        let func_of: Vec<FuncId> = groups.functions().map(|part| groups.first_func(part)).collect();
        Self {
            costs: analysis::costs(&grouped.recording, &grouped.view, &groups),
            function_of: func_of.iter().map(|&func| grouped.groups.function(func)).collect(),
            func_of,
            tree: CallTree::new(grouped.recording.clone(), grouped.view.clone(), groups),
        }
    }
}

/// The libraries of functions.
struct Libraries<'s> {
    snapshot: &'s Snapshot,
    /// The only library of a function; `None` if it has several.
    only: FxHashMap<FunctionId, Option<&'s str>>,
}

impl<'s> Libraries<'s> {
    fn of(snapshot: &'s Snapshot) -> Self {
        let mut only: FxHashMap<FunctionId, Option<&str>> = FxHashMap::default();
        for func in snapshot.grouped.recording.symbols().funcs.ids() {
            let Some(library) = recorded_library(snapshot, func) else { continue };
            let known = only.entry(snapshot.grouped.groups.function(func)).or_insert(Some(library));
            *known = known.filter(|&known| known == library);
        }
        Self { snapshot, only }
    }

    fn are_several(&self) -> bool {
        self.only.values().any(Option::is_none)
    }

    fn is_divided(&self, function: FunctionId) -> bool {
        self.only.get(&function) == Some(&None)
    }

    /// The library of a func. If its function is in a single library, that one.
    fn of_func(&self, func: FuncId, function: FunctionId) -> Option<&'s str> {
        match self.only.get(&function).copied() {
            Some(Some(only)) => Some(only),
            _ => recorded_library(self.snapshot, func),
        }
    }
}

fn recorded_library(snapshot: &Snapshot, func: FuncId) -> Option<&str> {
    snapshot.grouped.recorded(func).lib.filter(|lib| !lib.is_empty())
}
