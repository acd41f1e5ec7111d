//! How a cost is divided among the tiers of a virtual machine. A sample is counted in the tier of
//! the innermost call of a function.

use crate::activations::Activations;
use crate::stack_paths::StackIndex;
use crate::weighted::WeightedStacks;
use profile::{FrameTable, FunctionId, JitTier};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Weight by tier, heaviest first, without unknown tiers.
pub type JitTiers = Vec<(JitTier, f64)>;

/// The tiers of the total of a function.
pub(crate) fn of_function(
    index: &StackIndex,
    frames: &FrameTable,
    function: FunctionId,
) -> JitTiers {
    let stacks = &index.stacks;
    let tier_at = |k: u32| frames.get(stacks.frame[k as usize]).tier;
    let mut weights: BTreeMap<JitTier, f64> = BTreeMap::new();
    // The calls of the function that the current one is in.
    let mut around: Vec<u32> = Vec::new();
    for &k in index.positions(function) {
        while around.pop_if(|outer| stacks.end[*outer as usize] <= k).is_some() {}
        let total = stacks.total[k as usize];
        *weights.entry(tier_at(k)).or_default() += total;
        if let Some(&outer) = around.last() {
            *weights.entry(tier_at(outer)).or_default() -= total;
        }
        around.push(k);
    }
    heaviest_first(weights)
}

/// The tiers of the totals of call nodes, by the index of the node. Nodes without any are left out.
/// `node_of` has the node of each stack.
pub(crate) fn by_node(
    stacks: &WeightedStacks,
    activations: &Activations,
    frames: &FrameTable,
    node_of: impl Iterator<Item = u32>,
) -> FxHashMap<u32, JitTiers> {
    if frames.iter().all(|frame| frame.tier == JitTier::Unknown) {
        return FxHashMap::default();
    }
    let mut weights: FxHashMap<u32, BTreeMap<JitTier, f64>> = FxHashMap::default();
    for (k, node) in node_of.enumerate().filter(|&(k, _)| !activations.joins(k)) {
        let tier = frames.get(stacks.frame[k]).tier;
        if tier != JitTier::Unknown {
            *weights.entry(node).or_default().entry(tier).or_default() += stacks.total[k];
        }
    }
    weights.into_iter().map(|(node, weights)| (node, heaviest_first(weights))).collect()
}

fn heaviest_first(weights: BTreeMap<JitTier, f64>) -> JitTiers {
    let is_shown = |&(tier, weight): &(JitTier, f64)| tier != JitTier::Unknown && weight != 0.0;
    let mut tiers: JitTiers = weights.into_iter().filter(is_shown).collect();
    tiers.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
    tiers
}

#[cfg(test)]
mod tests {
    use crate::{Branch, CallTree, TreeOrder, View};
    use profile::{FunctionId, Groups, JitTier, Recording, text_samples};
    use std::sync::Arc;

    /// `work` runs in two tiers, and calls itself.
    const SAMPLES: &str = "
        main                    main                    main            main
        work[tier:interpreter]  work[tier:interpreter]  work[tier:ion]  native
                                work[tier:ion]          native
    ";

    struct Work {
        tree: CallTree,
        recording: Arc<Recording>,
        groups: Arc<Groups>,
    }

    impl Work {
        fn new() -> Self {
            let recording = Arc::new(Recording::Stacks(text_samples::profile(SAMPLES)));
            let groups = Arc::new(Groups::identity(recording.symbols()));
            let view = View::of(&recording);
            Self { tree: CallTree::new(recording.clone(), view, groups.clone()), recording, groups }
        }

        fn name(&self, function: FunctionId) -> &str {
            self.recording.symbols().func_name(self.groups.first_func(function))
        }

        fn function(&self, name: &str) -> FunctionId {
            self.groups.functions().find(|function| self.name(*function) == name).unwrap()
        }

        fn below(&self, parent: Option<&Branch>, name: &str) -> Branch {
            let mut branches = self.tree.branches(TreeOrder::TopDown, parent).into_iter();
            branches.find(|branch| self.name(branch.function) == name).unwrap()
        }
    }

    #[test]
    fn a_sample_is_counted_in_the_tier_of_the_innermost_call() {
        let work = Work::new();
        let tiers = |name| work.tree.jit_tiers(work.function(name));
        assert_eq!(tiers("work"), [(JitTier::Ion, 2.0), (JitTier::Interpreter, 1.0)]);
        assert_eq!(tiers("main"), []);
        assert_eq!(tiers("native"), []);
    }

    #[test]
    fn each_call_node_has_the_tiers_of_its_own_frames() {
        let work = Work::new();
        let main = work.below(None, "main");
        let outer = work.below(Some(&main), "work");
        let inner = work.below(Some(&outer), "work");
        let tiers = |branch| work.tree.jit_tiers_of_branch(branch).to_vec();
        assert_eq!(tiers(&outer), [(JitTier::Interpreter, 2.0), (JitTier::Ion, 1.0)]);
        assert_eq!(tiers(&inner), [(JitTier::Ion, 1.0)]);
        assert_eq!(tiers(&main), []);
    }
}
