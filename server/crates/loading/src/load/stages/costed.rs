//! The last stage: costs are summed.

use crate::functions::function_name::FunctionName;
use crate::load::stages::grouped::Grouped;
use crate::load::stages::recorded_texts::{RecordedText, RecordedTexts};
use analysis::{CallTree, Costs, FileId, FunctionId, LineCounts};
use rustc_hash::FxHashMap;
use texts::Definition;

/// The costs of a recording under a view.
#[derive(Debug)]
pub struct Costed {
    /// Costs by function, line and call.
    pub costs: Costs,
    /// Costs by call path.
    pub tree: CallTree,
    /// How often lines were executed.
    pub line_counts: LineCounts,
    /// The functions with cost that are defined in each workspace file, sorted by line (1-based). Those of
    /// which only lines in other functions are known are left out.
    pub defined: FxHashMap<FileId, Vec<(u32, FunctionId)>>,
}

impl Costed {
    /// Sums the costs of `grouped`.
    pub fn new(grouped: &Grouped, texts: &RecordedTexts) -> Self {
        let Grouped { recording, view, groups, paths, .. } = grouped;
        let costs = analysis::costs(recording, view, groups);
        let tree = CallTree::new(recording.clone(), view.clone(), groups.clone());
        let mut defined: FxHashMap<FileId, Vec<(u32, FunctionId)>> = FxHashMap::default();
        for (function, _) in costs.functions() {
            let definition = grouped.definition(function, &costs);
            if let Some((file, line)) = definition
                && let Some(Some(path)) = paths.get(file.index())
                && (grouped.start_line(function).is_some()
                    || !is_in_other(grouped.function(function).name, line, texts.get(path)))
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

/// Whether a line (1-based) of a function is in the definition of another one, while definitions of its
/// own name are elsewhere in the text: which of them it is was not decided.
fn is_in_other(name: &str, line: u32, text: Option<&RecordedText>) -> bool {
    let name = FunctionName::of(name);
    if name.closure || name.block {
        return false;
    }
    let Some(definitions) = text.and_then(|text| text.definitions.as_deref()) else { return false };
    let is_around =
        |it: &Definition| !it.name.is_empty() && it.lines.contains(&line.saturating_sub(1));
    let agrees = |at: usize| name.agrees(&definitions.all[at], definitions.around(at));
    let all = || 0..definitions.all.len();
    let mut around = all().filter(|&at| is_around(&definitions.all[at])).peekable();
    around.peek().is_some() && !around.any(agrees) && all().any(agrees)
}
