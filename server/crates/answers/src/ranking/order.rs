//! The order of functions, lines and files: hottest first, those of the same cost by name.

use analysis::{Cost, Costs, FileId, FunctionId, LineCost, Total};
use loading::{Function, Snapshot};
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// Compares costs by |total|, then |self|, largest first.
pub fn hotter(a: Cost, b: Cost) -> Ordering {
    let total = |cost: Cost| match cost.total {
        Total::Exact(weight) | Total::Estimated(weight) => weight.abs(),
        Total::Bounded { max, .. } => max.abs(),
        Total::Unknown => 0.0,
    };
    total(b).total_cmp(&total(a)).then_with(|| b.self_.abs().total_cmp(&a.self_.abs()))
}

/// The functions of a snapshot, in the order of [`sorted`].
pub fn hottest_functions(snapshot: &Snapshot) -> Vec<FunctionId> {
    sorted(snapshot, &snapshot.costs, |function| snapshot.function(function))
}

/// The functions with costs, hottest first, those with idle cost only last.
pub fn sorted<'s>(
    snapshot: &'s Snapshot,
    costs: &Costs,
    function: impl Fn(FunctionId) -> Function<'s>,
) -> Vec<FunctionId> {
    let mut functions: Vec<_> = costs.functions().map(|(function, _)| function).collect();
    let identity = |id| {
        let this = function(id);
        (this.name, this.file.map(|file| snapshot.file_name(file)), this.line, this.column)
    };
    functions.sort_unstable_by(|&a, &b| {
        let (one, other) = (costs.function(a), costs.function(b));
        hotter(one.cost, other.cost)
            .then_with(|| other.idle.abs().total_cmp(&one.idle.abs()))
            .then_with(|| identity(a).cmp(&identity(b)))
            .then(a.cmp(&b))
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

/// The line of the greatest magnitude of each file that has lines with costs. A file is as hot as that.
pub fn hottest_line_of_files(snapshot: &Snapshot) -> BTreeMap<FileId, LineCost> {
    let mut hottest: BTreeMap<FileId, LineCost> = BTreeMap::new();
    for &line in snapshot.costs.lines() {
        let of_file = hottest.entry(line.file).or_insert(line);
        if line.cost.magnitude() > of_file.cost.magnitude() {
            *of_file = line;
        }
    }
    hottest
}
