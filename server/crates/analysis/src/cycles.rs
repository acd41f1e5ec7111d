//! A graph of calls, its cycles, and what leads where.

/// A function, or the calls of a function within itself.
pub(crate) type Node = u32;

const NONE: u32 = u32::MAX;

/// How many steps may be taken to find what leads where, over all questions. Beyond, everything may lead everywhere.
const MOST_STEPS: usize = 50_000_000;

/// Calls with what they cost.
pub(crate) struct Arcs {
    /// By caller and callee; several calls from one to the other are one.
    arcs: Vec<(Node, Node, f64)>,
    /// Where the arcs of each node begin, and where the last ones end.
    first: Vec<usize>,
    /// The cycle of each node. What a cycle calls has a lower number than the cycle.
    cycle: Vec<u32>,
    /// In which walk a node was seen last.
    seen: Vec<u32>,
    n_walks: u32,
    steps_left: usize,
}

impl Arcs {
    /// So many nodes that call each other.
    pub(crate) fn new(n: usize, mut arcs: Vec<(Node, Node, f64)>) -> Self {
        arcs.sort_by_key(|&(from, to, _)| (from, to));
        arcs.dedup_by(|next, kept| {
            let is_same = (next.0, next.1) == (kept.0, kept.1);
            kept.2 += if is_same { next.2 } else { 0.0 };
            is_same
        });
        let first = (0..=n as Node).map(|node| arcs.partition_point(|&(from, _, _)| from < node)).collect();
        let mut this = Self { arcs, first, cycle: Vec::new(), seen: vec![0; n], n_walks: 0, steps_left: MOST_STEPS };
        this.cycle = this.cycles();
        this
    }

    pub(crate) fn all(&self) -> &[(Node, Node, f64)] {
        &self.arcs
    }

    fn of(&self, node: Node) -> &[(Node, Node, f64)] {
        &self.arcs[self.first[node as usize]..self.first[node as usize + 1]]
    }

    /// The number of a node's cycle; most nodes are alone in theirs.
    pub(crate) fn cycle(&self, node: Node) -> usize {
        self.cycle[node as usize] as usize
    }

    /// Strongly connected components by Tarjan's way, without recursion.
    fn cycles(&self) -> Vec<u32> {
        let n = self.seen.len();
        let (mut cycle, mut order, mut low) = (vec![NONE; n], vec![NONE; n], vec![NONE; n]);
        let (mut open, mut path): (Vec<Node>, Vec<(Node, usize)>) = (Vec::new(), Vec::new());
        let (mut n_seen, mut n_cycles) = (0, 0);
        for root in 0..n as Node {
            if order[root as usize] == NONE {
                path.push((root, 0));
            }
            while let Some((node, next)) = path.pop() {
                let i = node as usize;
                if next == 0 {
                    (order[i], low[i]) = (n_seen, n_seen);
                    n_seen += 1;
                    open.push(node);
                }
                if let Some(&(_, to, _)) = self.of(node).get(next) {
                    path.push((node, next + 1));
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

    /// Whether `from` is or leads to one of `targets`, which are sorted.
    pub(crate) fn leads(&mut self, from: Node, targets: &[Node]) -> bool {
        let mut leads = false;
        self.walk(vec![from], targets, |_| {
            leads = true;
            true
        });
        leads || self.steps_left == 0
    }

    /// Which of `targets`, which are sorted, `from` are or lead to. If that takes too long, all.
    pub(crate) fn led_to(&mut self, from: Vec<Node>, targets: &[Node]) -> Vec<bool> {
        let mut led = vec![false; targets.len()];
        self.walk(from, targets, |target| {
            led[target] = true;
            false
        });
        if self.steps_left == 0 {
            led.fill(true);
        }
        led
    }

    /// `met` hears the index of each target that is met, and whether it has heard enough.
    fn walk(&mut self, from: Vec<Node>, targets: &[Node], mut met: impl FnMut(usize) -> bool) {
        let lowest = targets.iter().map(|&target| self.cycle[target as usize]).min().unwrap_or(NONE);
        self.n_walks += 1;
        let mut open = from;
        while let Some(node) = open.pop() {
            let seen = &mut self.seen[node as usize];
            if *seen == self.n_walks || self.cycle[node as usize] < lowest {
                continue;
            }
            *seen = self.n_walks;
            if targets.binary_search(&node).is_ok_and(&mut met) {
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
    fn cycles_are_found_and_numbered_callees_first() {
        // 0 calls 1; 1, 2 and 3 call each other in a ring; 3 calls 4, which calls itself; 5 is alone.
        let arcs = arcs(6, &[(0, 1), (1, 2), (2, 3), (3, 1), (3, 4), (4, 4), (0, 4), (0, 4)]);
        assert_eq!(arcs.cycle, [2, 1, 1, 1, 0, 3]);
        assert_eq!(arcs.of(0), [(0, 1, 1.0), (0, 4, 2.0)]);
    }

    #[test]
    fn what_leads_where() {
        let mut arcs = arcs(6, &[(0, 1), (1, 2), (2, 1), (2, 3), (0, 4)]);
        assert!(arcs.leads(0, &[3]) && arcs.leads(3, &[3]) && arcs.leads(2, &[1, 5]));
        assert!(!arcs.leads(4, &[3]) && !arcs.leads(3, &[0, 1, 2]) && !arcs.leads(1, &[4, 5]));
        assert_eq!(arcs.led_to(vec![1], &[0, 2, 3, 4]), [false, true, true, false]);
        arcs.steps_left = 1;
        assert!(arcs.leads(4, &[3]));
        assert_eq!(arcs.led_to(vec![4], &[0, 3]), [true, true]);
    }

    #[test]
    fn a_cycle_of_100_000() {
        let ring: Vec<_> = (0..100_000).map(|i| (i, (i + 1) % 100_000)).collect();
        assert!(arcs(100_000, &ring).cycle.iter().all(|&cycle| cycle == 0));
        assert_eq!(arcs(100_000, &ring[..99_999]).cycle[99_990], 9);
    }
}
