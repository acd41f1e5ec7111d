//! The last stage: all sums.

use crate::stages::grouped::Grouped;
use analysis::{CallTree, Costs, FileId, FunctionId};
use rustc_hash::FxHashMap;

/// What everything costs.
#[derive(Debug)]
pub struct Costed {
    /// By function, line and call.
    pub costs: Costs,
    /// By path.
    pub tree: CallTree,
    /// Per workspace file the functions with cost that are defined there, by line (1-based).
    pub defined: FxHashMap<FileId, Vec<(u32, FunctionId)>>,
}

impl Costed {
    /// Sums what the view shows.
    pub fn new(grouped: &Grouped) -> Self {
        let Grouped { recording, view, groups, .. } = grouped;
        let costs = analysis::costs(recording, view, groups);
        let tree = CallTree::new(recording.clone(), view.clone(), groups.clone());
        let mut defined: FxHashMap<FileId, Vec<(u32, FunctionId)>> = FxHashMap::default();
        for (function, _) in costs.functions() {
            let definition = grouped.definition(function, &costs);
            if let Some((file, line)) = definition
                && grouped.paths.get(file.index()).is_some_and(Option::is_some)
            {
                defined.entry(file).or_default().push((line, function));
            }
        }
        for functions in defined.values_mut() {
            functions.sort_unstable();
        }
        Self { costs, tree, defined }
    }
}
