//! The call tree as rows, parents before children, as `costline tree` prints them.

use crate::compare::before::Before;
use crate::compare::compared::Compared;
use crate::compare::same_nodes::SameNodes;
use analysis::{Branch, Cost, FunctionId, Phase, Phases, TimeRange, TreeOrder, Unmatched};
use loading::{Snapshot, ViewSettings};
use std::collections::HashSet;

/// The maximum number of rows of an estimated tree: a call graph has more paths than stacks were
/// ever recorded.
pub const MAX_ESTIMATED: usize = 100_000;
/// The maximum number of phases. Each needs costs of its own.
pub const MAX_PHASES: usize = 200;

/// The part of the call tree to show.
#[derive(Debug, Clone, Copy)]
pub struct Question {
    /// Which tree.
    pub order: TreeOrder,
    /// Whether to show only the hottest branch of each node.
    pub hot: bool,
    /// Whether the tops are the phases of a thread, in chronological order.
    pub occurrences: bool,
    /// The maximum number of rows.
    pub limit: Option<usize>,
    /// The maximum depth; 0 for the roots only.
    pub depth: usize,
    /// The minimum total in percent of the base.
    pub min_percent: f64,
}

/// The rows of a call tree.
#[derive(Debug, Clone, Default)]
pub struct TreeRows {
    /// Parents before children, hottest siblings first.
    pub rows: Vec<TreeRow>,
    /// What is not in the rows.
    pub omitted: TreeOmitted,
}

/// A call node.
#[derive(Debug, Clone)]
pub struct TreeRow {
    /// The node.
    pub branch: Branch,
    /// 0 for roots.
    pub depth: usize,
    /// The index of the row of the parent.
    pub parent: Option<usize>,
    /// The time range of a phase.
    pub range: Option<TimeRange>,
    /// The cost in the baseline, if it is known.
    pub before: Option<Before>,
    /// Whether the function of a call graph calls itself, directly or through others. Stacks have
    /// each call.
    pub recursive: bool,
}

/// The numbers of call paths that are not in the rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TreeOmitted {
    /// Beyond the limit.
    pub limit: usize,
    /// Below the minimum, without those below them.
    pub min_percent: usize,
    /// Below the deepest rows, without those below them.
    pub depth: usize,
}

/// Why there are no rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TreeProblem {
    /// There are no phases.
    NoPhases(Unmatched),
    /// There are so many phases, more than [`MAX_PHASES`].
    TooManyPhases(usize),
    /// There are more than [`MAX_ESTIMATED`] rows.
    TooManyRows,
}

impl TreeRow {
    fn new(branch: Branch, depth: usize, parent: Option<usize>, range: Option<TimeRange>) -> Self {
        Self { branch, depth, parent, range, before: None, recursive: false }
    }

    /// The cost of the node. An unknown self cost is 0.
    pub fn cost(&self) -> Cost {
        Cost { self_: self.branch.self_.unwrap_or_default(), total: self.branch.as_total() }
    }
}

/// The rows of the call tree, with their costs in the baseline.
pub fn tree_rows(
    snapshot: &Snapshot,
    question: Question,
    compared: Option<Compared<'_>>,
) -> Result<TreeRows, TreeProblem> {
    let mut found = if question.occurrences {
        occurrences(snapshot, question)?
    } else {
        whole(snapshot, question)?
    };
    let TreeRows { rows, omitted } = &mut found;
    omitted.limit = question.limit.map_or(0, |limit| keep_hottest(rows, limit));
    let mut same = compared.map(|compared| SameNodes::new(compared, snapshot, question.order));
    let recursive = recursive(snapshot);
    for row in rows {
        let function = row.branch.function;
        row.before = same.as_mut().and_then(|same| same.add(row.parent, function).1);
        row.recursive = recursive.contains(&function);
    }
    Ok(found)
}

/// The functions of a call graph that call each other or themselves. Empty for stacks.
fn recursive(snapshot: &Snapshot) -> HashSet<FunctionId> {
    let cliques = snapshot.tree.cliques().unwrap_or_default();
    cliques
        .into_iter()
        .filter(|clique| clique.recursive)
        .flat_map(|clique| clique.functions)
        .collect()
}

/// The rows of each phase of a thread, in chronological order.
fn occurrences(snapshot: &Snapshot, question: Question) -> Result<TreeRows, TreeProblem> {
    let grouped = &snapshot.grouped;
    let recording = &snapshot.loaded.recording;
    let Phases { above, phases } =
        analysis::phases(recording, &grouped.recording, &grouped.view, &grouped.groups)
            .map_err(TreeProblem::NoPhases)?;
    if phases.len() > MAX_PHASES {
        return Err(TreeProblem::TooManyPhases(phases.len()));
    }
    let mut all = TreeRows::default();
    for Phase { function, range } in phases {
        let settings = ViewSettings { range: Some(range), ..snapshot.settings.view.clone() };
        let during = snapshot.with_view(&settings);
        let mut found: Option<Branch> = None;
        for wanted in above.iter().chain([&function]) {
            let below = during.tree.branches(TreeOrder::TopDown, found.as_ref()).into_iter();
            found = below.into_iter().find(|branch| branch.function == *wanted);
        }
        let Some(branch) = found else { continue };
        let first = all.rows.len();
        let top = TreeRow::new(branch, 0, None, Some(range));
        let TreeRows { rows, omitted } =
            expanded(&during, question, snapshot.costs.base, vec![top])?;
        all.omitted.min_percent += omitted.min_percent;
        all.omitted.depth += omitted.depth;
        all.rows.extend(
            rows.into_iter()
                .map(|row| TreeRow { parent: row.parent.map(|parent| parent + first), ..row }),
        );
    }
    Ok(all)
}

/// The rows of the whole profile.
fn whole(snapshot: &Snapshot, question: Question) -> Result<TreeRows, TreeProblem> {
    let base = snapshot.costs.base;
    let (tops, n_small_tops) = below(snapshot, question, base, None);
    let tops = tops.into_iter().map(|branch| TreeRow::new(branch, 0, None, None));
    let mut all = expanded(snapshot, question, base, tops.collect())?;
    all.omitted.min_percent += n_small_tops;
    Ok(all)
}

/// The branches to show below `parent`, the hottest last, and the number of those that do not reach
/// the minimum, nor does any branch below them, unless only the hottest one is wanted.
fn below(
    snapshot: &Snapshot,
    question: Question,
    base: f64,
    parent: Option<&Branch>,
) -> (Vec<Branch>, usize) {
    let least = question.min_percent * base / 100.0;
    let mut shown = snapshot.tree.branches(question.order, parent);
    let n_all = shown.len();
    shown.retain(|branch| snapshot.tree.reaches(branch, least));
    let n_small = if question.hot { 0 } else { n_all - shown.len() };
    if question.hot {
        shown.truncate(1);
    }
    shown.reverse();
    (shown, n_small)
}

/// The rows of `pending`, the first last, each followed by those below it.
fn expanded(
    snapshot: &Snapshot,
    question: Question,
    base: f64,
    mut pending: Vec<TreeRow>,
) -> Result<TreeRows, TreeProblem> {
    let TreeRows { mut rows, mut omitted } = TreeRows::default();
    while let Some(row) = pending.pop() {
        let parent = Some(rows.len());
        let (branches, n_small) = below(snapshot, question, base, Some(&row.branch));
        omitted.min_percent += n_small;
        if row.depth < question.depth {
            let depth = row.depth + 1;
            let row = |branch| TreeRow::new(branch, depth, parent, None);
            pending.extend(branches.into_iter().map(row));
        } else {
            omitted.depth += branches.len();
        }
        if row.branch.estimated && rows.len() >= MAX_ESTIMATED {
            return Err(TreeProblem::TooManyRows);
        }
        rows.push(row);
    }
    Ok(TreeRows { rows, omitted })
}

/// Keeps the `limit` hottest rows, except for rows whose parent is not kept. A row is as hot as the
/// hottest of it and the rows below it. Returns the number of removed rows.
fn keep_hottest(rows: &mut Vec<TreeRow>, limit: usize) -> usize {
    let own = |row: &TreeRow| row.branch.self_.unwrap_or_default().abs();
    // Costs below a row may cancel each other.
    let mut peaks: Vec<f64> = rows.iter().map(|row| row.branch.total.abs().max(own(row))).collect();
    for (at, row) in rows.iter().enumerate().rev() {
        if let Some(parent) = row.parent {
            peaks[parent] = peaks[parent].max(peaks[at]);
        }
    }
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_by(|&a, &b| peaks[b].total_cmp(&peaks[a]).then(a.cmp(&b)));
    let hottest: HashSet<usize> = order.into_iter().take(limit).collect();
    let all = std::mem::take(rows);
    let n_all = all.len();
    // Where each row is now.
    let mut places: Vec<Option<usize>> = Vec::with_capacity(n_all);
    for (at, row) in all.into_iter().enumerate() {
        let parent = row.parent.map(|parent| places[parent]);
        let is_kept = hottest.contains(&at) && parent != Some(None);
        places.push(is_kept.then_some(rows.len()));
        if is_kept {
            rows.push(TreeRow { parent: parent.flatten(), ..row });
        }
    }
    n_all - rows.len()
}
