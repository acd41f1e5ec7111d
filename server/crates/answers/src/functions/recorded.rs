//! The functions of a recording, not grouped by definition, for programs that read reports. Their
//! costs are summed over the same stacks as the snapshot's functions, after transforms, so that
//! both add up to the same total.

use analysis::{CallTree, Costs, Edges, FuncId, FunctionId, Groups};
use loading::{Function, Snapshot};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The recorded functions of a snapshot. Funcs with the same name, file, library, line and column
/// are one recorded function. A function of the snapshot consists of one or more of them, or
/// of the frames of one that are in its definition.
#[derive(Debug)]
pub struct RecordedFunctions<'a> {
    snapshot: &'a Snapshot,
    /// By recorded function.
    parts_of: Vec<Vec<FunctionId>>,
    /// The number of recorded functions in each function of the snapshot.
    n_parts: FxHashMap<FunctionId, usize>,
    /// Groups, costs and calls. `None` if they are the same as in the snapshot.
    own: Option<Own>,
}

#[derive(Debug)]
struct Own {
    groups: Arc<Groups>,
    costs: Costs,
    tree: CallTree,
}

impl<'a> RecordedFunctions<'a> {
    /// The recorded functions of `snapshot`. Sums their costs, unless they are its functions.
    pub fn new(snapshot: &'a Snapshot) -> Self {
        let grouped = &snapshot.grouped;
        let symbols = grouped.recording.symbols();
        let by_func = (*grouped.groups).clone().with_functions(symbols, |_| None::<()>);
        let is_grouped = !grouped.source_functions.is_empty()
            || by_func.n_functions() != grouped.groups.n_functions();
        let own = is_grouped.then(|| {
            // A divided func is one recorded function.
            let whole = |func: FuncId| grouped.whole.get(func.index()).copied().unwrap_or(func);
            let groups = (*grouped.groups)
                .clone()
                .with_functions(symbols, |func| Some(by_func.function(whole(func))));
            let costs = analysis::costs(&grouped.recording, &grouped.view, &groups);
            let groups = Arc::new(groups);
            let (recording, view) = (grouped.recording.clone(), grouped.view.clone());
            Own { tree: CallTree::new(recording, view, groups.clone()), groups, costs }
        });
        let groups = own.as_ref().map_or(&grouped.groups, |own| &own.groups);
        let mut parts_of = vec![Vec::new(); groups.n_functions()];
        for func in grouped.recording.symbols().funcs.ids() {
            let parts: &mut Vec<_> = &mut parts_of[groups.function(func).index()];
            let function = grouped.groups.function(func);
            if !parts.contains(&function) {
                parts.push(function);
            }
        }
        let mut n_parts = FxHashMap::default();
        for function in parts_of.iter().flatten() {
            *n_parts.entry(*function).or_default() += 1;
        }
        Self { snapshot, parts_of, n_parts, own }
    }

    /// The number of functions.
    pub fn len(&self) -> usize {
        self.groups().n_functions()
    }

    /// Whether there are no functions.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Their costs. Files and lines are the same as in the snapshot.
    pub fn costs(&self) -> &Costs {
        self.own.as_ref().map_or(&self.snapshot.costs, |own| &own.costs)
    }

    /// Their calls of each other. Computed by the first call of this function.
    pub fn edges(&self) -> &Edges {
        self.own.as_ref().map_or(&self.snapshot.tree, |own| &own.tree).edges()
    }

    /// The recorded name and place of a function. It has no file if that was found by its name.
    pub fn function(&self, recorded: FunctionId) -> Function<'a> {
        let func = self.groups().first_func(recorded);
        let function = self.snapshot.grouped.recorded(func);
        let file = function.file.filter(|_| !self.snapshot.is_file_by_name(func));
        Function { file, ..function }
    }

    /// The functions of the snapshot that a recorded function is part of. Several if it is divided.
    pub fn functions_of(&self, recorded: FunctionId) -> &[FunctionId] {
        self.parts_of.get(recorded.index()).map_or(&[], Vec::as_slice)
    }

    /// The function of the snapshot that consists of this recorded function alone.
    pub fn whole(&self, recorded: FunctionId) -> Option<FunctionId> {
        let &[function] = self.functions_of(recorded) else { return None };
        (self.n_parts.get(&function) == Some(&1)).then_some(function)
    }

    fn groups(&self) -> &Groups {
        self.own.as_ref().map_or(&self.snapshot.grouped.groups, |own| &own.groups)
    }
}
