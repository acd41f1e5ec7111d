//! The cycles of a directed graph: its strongly connected components.

const NONE: u32 = u32::MAX;

/// The cycle of each of `n` nodes. `next` returns the i-th successor of a node, and `None` after
/// the last. A node that is on no cycle is alone in its own. The cycles that a cycle leads to have
/// lower numbers than it.
///
/// Tarjan's algorithm, without recursion.
pub fn cycles(n: usize, next: impl Fn(u32, usize) -> Option<u32>) -> Vec<u32> {
    let (mut cycle, mut order, mut low) = (vec![NONE; n], vec![NONE; n], vec![NONE; n]);
    let (mut open, mut path): (Vec<u32>, Vec<(u32, usize)>) = (Vec::new(), Vec::new());
    let (mut n_visited, mut n_cycles) = (0, 0);
    for root in 0..n as u32 {
        if order[root as usize] == NONE {
            path.push((root, 0));
        }
        while let Some((node, successor)) = path.pop() {
            let i = node as usize;
            if successor == 0 && order[i] == NONE {
                (order[i], low[i]) = (n_visited, n_visited);
                n_visited += 1;
                open.push(node);
            }
            if let Some(to) = next(node, successor) {
                path.push((node, successor + 1));
                match order[to as usize] {
                    NONE => path.push((to, 0)),
                    before if cycle[to as usize] == NONE => low[i] = low[i].min(before),
                    _ => {}
                }
                continue;
            }
            if let Some(&(caller, _)) = path.last() {
                low[caller as usize] = low[caller as usize].min(low[i]);
            }
            if low[i] == order[i] {
                while let Some(member) = open.pop() {
                    cycle[member as usize] = n_cycles;
                    if member == node {
                        break;
                    }
                }
                n_cycles += 1;
            }
        }
    }
    cycle
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(n: usize, arcs: &[(u32, u32)]) -> Vec<u32> {
        cycles(n, |node, i| arcs.iter().filter(|(from, _)| *from == node).nth(i).map(|&(_, to)| to))
    }

    /// Every graph of four nodes: nodes are in one cycle if each is reached from the other, and a cycle has a
    /// greater number than those that it leads to.
    #[test]
    fn cycles_are_what_reaches_itself() {
        const N: usize = 4;
        for bits in 0_u32..1 << (N * N) {
            let has = |from: usize, to: usize| bits >> (from * N + to) & 1 == 1;
            let next = |node: u32, i: usize| {
                (0..N).filter(|&to| has(node as usize, to)).nth(i).map(|to| to as u32)
            };
            let mut reached: [[bool; N]; N] =
                std::array::from_fn(|from| std::array::from_fn(|to| from == to || has(from, to)));
            for by in 0..N {
                let through = reached[by];
                for row in reached.iter_mut().filter(|row| row[by]) {
                    for (to, is_reached) in row.iter_mut().enumerate() {
                        *is_reached |= through[to];
                    }
                }
            }
            let found = cycles(N, next);
            for from in 0..N {
                for to in 0..N {
                    let is_one = reached[from][to] && reached[to][from];
                    assert_eq!(found[from] == found[to], is_one, "{bits:b}: {found:?}");
                    assert!(
                        is_one || !reached[from][to] || found[from] > found[to],
                        "{bits:b}: {found:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn cycles_are_numbered_callees_first() {
        // 0 calls 1; 1, 2 and 3 call each other in a ring; 3 calls 4, which calls itself; 5 is
        // alone.
        let arcs = [(0, 1), (1, 2), (2, 3), (3, 1), (3, 4), (4, 4), (0, 4), (0, 4)];
        assert_eq!(of(6, &arcs), [2, 1, 1, 1, 0, 3]);
    }

    #[test]
    fn a_cycle_may_have_100_000_nodes() {
        let n = 100_000;
        let ring = |node, i| (i == 0).then_some((node + 1) % n);
        assert!(cycles(n as usize, ring).iter().all(|&cycle| cycle == 0));
        let chain = |node, i| (i == 0 && node + 1 < n).then_some(node + 1);
        assert_eq!(cycles(n as usize, chain)[99_990], 9);
    }
}
