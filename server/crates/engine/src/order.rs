//! The order of functions and lines: hottest first, those of the same cost by name.

use crate::snapshot::{Snapshot, hotter};
use crate::stages::grouped::Function;
use analysis::{Costs, FileId, FunctionCost, FunctionId, LineCost};

/// The functions of a snapshot with their costs, in the order of [`sorted`].
pub fn hottest_functions(snapshot: &Snapshot) -> Vec<(FunctionId, FunctionCost)> {
    sorted(snapshot, &snapshot.costs, |function| snapshot.function(function))
}

/// Functions with their costs, hottest first, those with idle cost only last.
pub fn sorted<'s>(
    snapshot: &'s Snapshot,
    costs: &Costs,
    function: impl Fn(FunctionId) -> Function<'s>,
) -> Vec<(FunctionId, FunctionCost)> {
    let mut functions: Vec<_> = costs.functions().collect();
    let identity = |id| {
        let this = function(id);
        (this.name, this.file.map(|file| snapshot.file_name(file)), this.line, this.column)
    };
    functions.sort_unstable_by(|a, b| {
        let idle = || b.1.idle.abs().total_cmp(&a.1.idle.abs());
        hotter(a.1.cost, b.1.cost)
            .then_with(idle)
            .then_with(|| identity(a.0).cmp(&identity(b.0)))
            .then(a.0.cmp(&b.0))
    });
    functions
}

/// Lines with their costs, hottest first.
pub fn sorted_lines(snapshot: &Snapshot) -> Vec<LineCost> {
    let mut files: Vec<_> =
        (0..snapshot.grouped.groups.n_files() as u32).map(FileId::new).collect();
    files.sort_by_key(|&file| snapshot.file_name(file));
    let mut rank = vec![0_u32; files.len()];
    for (file, r) in files.into_iter().zip(0..) {
        rank[file.index()] = r;
    }
    let mut lines = snapshot.costs.lines().to_vec();
    lines.sort_unstable_by(|a, b| {
        hotter(a.cost, b.cost)
            .then_with(|| (rank[a.file.index()], a.line).cmp(&(rank[b.file.index()], b.line)))
    });
    lines
}
