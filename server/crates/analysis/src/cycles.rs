//! A directed graph of calls: its cycles (strongly connected components) and reachability.

/// A function, or the recursive calls of a function.
pub(crate) type Node = u32;

const NONE: u32 = u32::MAX;

/// Limit for the steps of all reachability queries together. Beyond it, everything counts as
/// reachable, which only makes bounds wider.
const MAX_STEPS: usize = 50_000_000;

/// Calls with their costs.
pub(crate) struct Arcs {
    /// Sorted by caller and callee, without duplicates.
    rows: Vec<(Node, Node, f64)>,
    /// The index of the first arc of each node, and one past the last arc.
    first: Vec<usize>,
    /// The cycle of each node. The cycles that a cycle calls have lower numbers than it.
    cycle: Vec<u32>,
    /// The last walk that visited each node.
    visited: Vec<u32>,
    n_walks: u32,
    steps_left: usize,
}

impl Arcs {
    /// A graph of `n` nodes. Parallel arcs are added up.
    pub(crate) fn new(n: usize, mut arcs: Vec<(Node, Node, f64)>) -> Self {
        arcs.sort_by_key(|&(from, to, _)| (from, to));
        arcs.dedup_by(|next, kept| {
            let is_same = (next.0, next.1) == (kept.0, kept.1);
            kept.2 += if is_same { next.2 } else { 0.0 };
            is_same
        });
        let first =
            (0..=n as Node).map(|node| arcs.partition_point(|&(from, _, _)| from < node)).collect();
        let mut this = Self {
            rows: arcs,
            first,
            cycle: Vec::new(),
            visited: vec![0; n],
            n_walks: 0,
            steps_left: MAX_STEPS,
        };
        this.cycle = profile::cycles(n, |node, i| Some(this.of(node).get(i)?.1));
        this
    }

    pub(crate) fn all(&self) -> &[(Node, Node, f64)] {
        &self.rows
    }

    fn of(&self, node: Node) -> &[(Node, Node, f64)] {
        &self.rows[self.first[node as usize]..self.first[node as usize + 1]]
    }

    /// The number of a node's cycle; most nodes are alone in theirs.
    pub(crate) fn cycle(&self, node: Node) -> usize {
        self.cycle[node as usize] as usize
    }

    /// Whether one of the sorted `targets` can be reached from `from` or is `from` itself.
    pub(crate) fn reaches(&mut self, from: Node, targets: &[Node]) -> bool {
        let mut reaches = false;
        self.walk(vec![from], targets, |_| {
            reaches = true;
            true
        });
        reaches || self.steps_left == 0
    }

    /// Which of the sorted `targets` can be reached from `from` or are in it. All of them if the
    /// limit of steps is exceeded.
    pub(crate) fn reachable(&mut self, from: Vec<Node>, targets: &[Node]) -> Vec<bool> {
        let mut reachable = vec![false; targets.len()];
        self.walk(from, targets, |target| {
            reachable[target] = true;
            false
        });
        if self.steps_left == 0 {
            reachable.fill(true);
        }
        reachable
    }

    /// Calls `on_target` with the index of each target that is reached, until it returns true.
    fn walk(
        &mut self,
        from: Vec<Node>,
        targets: &[Node],
        mut on_target: impl FnMut(usize) -> bool,
    ) {
        // Arcs lead to cycles with the same or a lower number, so nodes below the lowest target
        // cannot reach any.
        let lowest =
            targets.iter().map(|&target| self.cycle[target as usize]).min().unwrap_or(NONE);
        self.n_walks += 1;
        let mut open = from;
        while let Some(node) = open.pop() {
            let visited = &mut self.visited[node as usize];
            if *visited == self.n_walks || self.cycle[node as usize] < lowest {
                continue;
            }
            *visited = self.n_walks;
            if targets.binary_search(&node).is_ok_and(&mut on_target) {
                return;
            }
            let arcs = self.of(node);
            open.extend(arcs.iter().map(|&(_, to, _)| to));
            let steps = arcs.len() + 1;
            self.steps_left = self.steps_left.saturating_sub(steps);
            if self.steps_left == 0 {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arcs(n: usize, pairs: &[(Node, Node)]) -> Arcs {
        Arcs::new(n, pairs.iter().map(|&(from, to)| (from, to, 1.0)).collect())
    }

    #[test]
    fn numbers_cycles_callees_first() {
        // 0 calls 1; 1, 2 and 3 call each other in a ring; 3 calls 4, which calls itself; 5 is
        // alone.
        let arcs = arcs(6, &[(0, 1), (1, 2), (2, 3), (3, 1), (3, 4), (4, 4), (0, 4), (0, 4)]);
        assert_eq!(arcs.cycle, [2, 1, 1, 1, 0, 3]);
        assert_eq!(arcs.of(0), [(0, 1, 1.0), (0, 4, 2.0)]);
    }

    #[test]
    fn finds_reachable_nodes() {
        let mut arcs = arcs(6, &[(0, 1), (1, 2), (2, 1), (2, 3), (0, 4)]);
        assert!(arcs.reaches(0, &[3]) && arcs.reaches(3, &[3]) && arcs.reaches(2, &[1, 5]));
        assert!(
            !arcs.reaches(4, &[3]) && !arcs.reaches(3, &[0, 1, 2]) && !arcs.reaches(1, &[4, 5])
        );
        assert_eq!(arcs.reachable(vec![1], &[0, 2, 3, 4]), [false, true, true, false]);
        arcs.steps_left = 1;
        assert!(arcs.reaches(4, &[3]), "after the limit of steps");
        assert_eq!(arcs.reachable(vec![4], &[0, 3]), [true, true]);
    }
}
