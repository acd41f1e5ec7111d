//! The callers or callees at the end of a path, grouped by call site, function, module or clique.
//! The rows outside of recursion add up to the same sum under each grouping, except that calls at several
//! sites of a call graph may be within each other.

use crate::Edges;
use crate::paths::{PathEntry, PathStep, hotter};
use profile::{FileId, FunctionId};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// What calls are grouped by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallGrouping {
    /// The line of the caller.
    Site,
    /// The caller or callee.
    Function,
    /// The module of the caller or callee.
    Module,
    /// The functions that the caller or callee calls and is called by, directly or not.
    Clique,
}

/// What the calls of a row have in common.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum GroupKey {
    /// A caller, and the file and line (1-based) of its call site, if it is known.
    Site(FunctionId, Option<(FileId, u32)>),
    /// The caller or callee.
    Function(FunctionId),
    /// The name of a module.
    Module(String),
    /// Functions that call each other, or a single one, sorted.
    Clique(Vec<FunctionId>),
}

/// A row of grouped callers or callees.
#[derive(Debug, Clone, PartialEq)]
pub struct CallGroup {
    /// What its calls have in common.
    pub key: GroupKey,
    /// The number of calls. `None` if it is unknown.
    pub calls: Option<u64>,
    /// The weight of the samples, or the cost of the calls.
    pub total: f64,
    /// Whether the total is an estimate.
    pub estimated: bool,
    /// Whether the calls are recursion, outside the sum.
    pub recursive: bool,
}

/// Grouped callers or callees.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CallGroups {
    /// The weight of the calls that are not recursive.
    pub sum: f64,
    /// The rows, costliest first, recursive ones last.
    pub groups: Vec<CallGroup>,
}

/// Sums of calls by key, and by whether they are recursion.
#[derive(Default)]
pub(crate) struct GroupSums(BTreeMap<(bool, GroupKey), (Option<u64>, f64, bool)>);

impl GroupSums {
    /// Adds calls. If the count of some calls is unknown, so is the count of the row.
    pub(crate) fn add(
        &mut self,
        key: GroupKey,
        recursive: bool,
        calls: Option<u64>,
        total: f64,
        estimated: bool,
    ) {
        let sum = self.0.entry((recursive, key)).or_insert((Some(0), 0.0, false));
        sum.0 = sum.0.zip(calls).map(|(sum, calls)| sum.saturating_add(calls));
        sum.1 += total;
        sum.2 |= estimated;
    }

    pub(crate) fn finish(self) -> CallGroups {
        let group = |((recursive, key), (calls, total, estimated))| CallGroup {
            key,
            calls,
            total,
            estimated,
            recursive,
        };
        let mut groups: Vec<CallGroup> = self.0.into_iter().map(group).collect();
        groups.sort_by(|a, b| a.recursive.cmp(&b.recursive).then(hotter(a.total, b.total)));
        let entering = groups.iter().filter(|group| !group.recursive);
        CallGroups { sum: entering.map(|group| group.total).sum(), groups }
    }
}

/// Groups the entries of a step. `caller` is the caller of all entries; `None` if they are callers
/// themselves. `cliques` is needed to group by clique. `calls` returns the number of calls to or from a
/// function, `module` its module.
pub(crate) fn group_step(
    step: &PathStep,
    by: CallGrouping,
    caller: Option<FunctionId>,
    mut cliques: Option<Cliques>,
    calls: impl Fn(FunctionId) -> Option<u64>,
    module: &dyn Fn(FunctionId) -> String,
) -> CallGroups {
    let mut sums = GroupSums::default();
    for entry in &step.entries {
        let &PathEntry { function, total, estimated, recursive, .. } = entry;
        let calls = calls(function);
        let key = match by {
            CallGrouping::Site => {
                let caller = caller.unwrap_or(function);
                let rest = entry.without_site;
                let has_rest = rest != 0.0 || entry.sites.is_empty();
                let calls = calls.filter(|_| entry.sites.len() + usize::from(has_rest) == 1);
                for site in &entry.sites {
                    let key = GroupKey::Site(caller, Some((site.file, site.line)));
                    sums.add(key, recursive, calls, site.total, estimated);
                }
                if has_rest {
                    sums.add(GroupKey::Site(caller, None), recursive, calls, rest, estimated);
                }
                continue;
            }
            CallGrouping::Function => GroupKey::Function(function),
            CallGrouping::Module => GroupKey::Module(module(function)),
            CallGrouping::Clique => {
                let members = cliques.as_mut().map(|cliques| cliques.members(function));
                GroupKey::Clique(members.unwrap_or_default())
            }
        };
        sums.add(key, recursive, calls, total, estimated);
    }
    let entering = step.entries.iter().filter(|entry| !entry.recursive);
    CallGroups { sum: entering.map(|entry| entry.total).sum(), ..sums.finish() }
}

/// Functions that call each other, from the edges between them.
pub(crate) struct Cliques {
    /// By function.
    clique: Vec<u32>,
    /// The cliques that were asked for.
    members: FxHashMap<u32, Vec<FunctionId>>,
}

impl Cliques {
    /// Of `n` functions.
    pub(crate) fn of(edges: &Edges, n: usize) -> Self {
        let next = |function: u32, i: usize| {
            edges.callees(FunctionId::new(function)).get(i).map(|edge| edge.callee.raw())
        };
        let clique = profile::cycles(n, next);
        Self { clique, members: FxHashMap::default() }
    }

    pub(crate) fn members(&mut self, function: FunctionId) -> Vec<FunctionId> {
        let Some(&clique) = self.clique.get(function.index()) else { return vec![function] };
        let all = (0..).map(FunctionId::new).zip(&self.clique);
        let members = || all.filter(|(_, of)| **of == clique).map(|(of, _)| of).collect();
        self.members.entry(clique).or_insert_with(members).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CallTree, Recording, Recursion, View};
    use profile::{Groups, text_samples};
    use std::sync::Arc;

    #[test]
    fn recursive_groups_are_rows_of_their_own_outside_the_sum() {
        let key = |id| GroupKey::Function(FunctionId::new(id));
        let mut sums = GroupSums::default();
        sums.add(key(0), true, Some(1), 9.0, false);
        sums.add(key(0), false, Some(2), 1.0, false);
        sums.add(key(1), false, Some(3), 2.0, false);
        sums.add(key(1), false, None, 4.0, true);
        let CallGroups { sum, groups } = sums.finish();
        assert_eq!(sum, 7.0);
        let rows = groups
            .into_iter()
            .map(|group| (group.key, group.recursive, group.calls, group.total, group.estimated));
        let expected = [
            (key(1), false, None, 6.0, true),
            (key(0), false, Some(2), 1.0, false),
            (key(0), true, Some(1), 9.0, false),
        ];
        assert_eq!(rows.collect::<Vec<_>>(), expected);
    }

    /// The first sample passes two call sites of the edge, the second one that has no line.
    #[test]
    fn the_row_without_a_line_has_the_samples_without_one() {
        let samples = "f@3[file:a.rs] f\nf@5            f\nf";
        let recording = Arc::new(Recording::Stacks(text_samples::profile(samples)));
        let groups = Arc::new(Groups::identity(recording.symbols()));
        let tree = CallTree::new(recording.clone(), View::of(&recording), groups);
        let root = tree.edges().all()[0].caller;
        let rows = |by| {
            let CallGroups { sum, groups } =
                tree.grouped_callers(&[root], Recursion::Exact, by, &|_| String::new());
            assert_eq!(sum, 0.0);
            let line = |key: &GroupKey| match key {
                GroupKey::Site(_, site) => site.map(|(_, line)| line),
                _ => None,
            };
            groups.iter().map(|group| (line(&group.key), group.total)).collect::<Vec<_>>()
        };
        assert_eq!(rows(CallGrouping::Function), [(None, 2.0)]);
        assert_eq!(rows(CallGrouping::Site), [(None, 1.0), (Some(3), 1.0), (Some(5), 1.0)]);
    }
}
