//! The last stage: costs are summed.

use crate::load::stages::grouped::Grouped;
use analysis::{CallTree, Costs, FileId, FunctionId, LineCounts};
use rustc_hash::FxHashMap;

/// The costs of a recording under a view.
#[derive(Debug)]
pub struct Costed {
    /// Costs by function, line and call.
    pub costs: Costs,
    /// Costs by call path.
    pub tree: CallTree,
    /// How often lines were executed.
    pub line_counts: LineCounts,
    /// The functions with cost that are defined in each workspace file, sorted by line (1-based).
    pub defined: FxHashMap<FileId, Vec<(u32, FunctionId)>>,
}

impl Costed {
    /// Sums the costs of `grouped`.
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
        let line_counts = LineCounts::of(recording, groups);
        Self { costs, tree, line_counts, defined }
    }
}
