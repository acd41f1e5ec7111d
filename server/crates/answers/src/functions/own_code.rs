//! The charges of a snapshot: what its own code costs together with the libraries that it calls.

use analysis::{Charges, Total};
use loading::Snapshot;

/// What own functions and their lines cost with libraries.
pub fn charges(snapshot: &Snapshot) -> Charges {
    snapshot.tree.charges(&snapshot.costs, &snapshot.grouped.own.functions)
}

/// A charge of a row with this self cost. What libraries cost is an estimate in a call graph.
pub fn charge(snapshot: &Snapshot, weight: f64, self_: f64) -> Total {
    let is_exact = snapshot.tree.has_stacks() || weight == self_;
    if is_exact { Total::Exact(weight) } else { Total::Estimated(weight) }
}
