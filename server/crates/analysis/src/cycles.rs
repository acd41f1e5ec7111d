//! A directed graph of calls: its cycles (strongly connected components), and which calls lead back
//! to where they come from.

/// A function, or the recursive calls of a function.
pub(crate) type Node = u32;

/// Limit for the steps of all answers together, each of which is one arc for [`AT_ONCE`] questions.
/// Beyond it, everything counts as leading back, which only makes bounds wider.
const MAX_STEPS: usize = 500_000_000;

/// How many questions are answered by one walk over the graph: one bit each.
const AT_ONCE: usize = 256;

type Bits = [u64; AT_ONCE / 64];

/// Calls with their costs.
pub(crate) struct Arcs {
    /// Sorted by caller and callee, without duplicates.
    rows: Vec<(Node, Node, f64)>,
    /// The cycle of each node. The cycles that a cycle calls have lower numbers than it.
    cycle: Vec<u32>,
}

/// Asks which calls of some nodes lead back to them.
pub(crate) struct Question {
    /// The nodes, sorted.
    pub(crate) nodes: Vec<Node>,
    /// What they call.
    pub(crate) callees: Vec<Node>,
}

/// Calls of some nodes that lead back to them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Back {
    /// The callees that are among the nodes or from which a node can be reached. Sorted.
    pub(crate) callees: Vec<Node>,
    /// The nodes that are among these callees or can be reached from one. Sorted.
    pub(crate) nodes: Vec<Node>,
}

impl Arcs {
    /// A graph of `n` nodes. Parallel arcs are added up.
    pub(crate) fn new(n: usize, mut arcs: Vec<(Node, Node, f64)>) -> Self {
        arcs.sort_by_key(|&(from, to, _)| u64::from(from) << 32 | u64::from(to));
        arcs.dedup_by(|next, kept| {
            let is_same = (next.0, next.1) == (kept.0, kept.1);
            kept.2 += if is_same { next.2 } else { 0.0 };
            is_same
        });
        let first: Vec<usize> =
            (0..=n as Node).map(|node| arcs.partition_point(|&(from, _, _)| from < node)).collect();
        let of = |node: Node| &arcs[first[node as usize]..first[node as usize + 1]];
        let cycle = profile::cycles(n, |node, i| Some(of(node).get(i)?.1));
        Self { rows: arcs, cycle }
    }

    pub(crate) fn all(&self) -> &[(Node, Node, f64)] {
        &self.rows
    }

    /// The number of a node's cycle; most nodes are alone in theirs.
    pub(crate) fn cycle(&self, node: Node) -> usize {
        self.cycle[node as usize] as usize
    }

    /// The answer to each question. A callee that leads to a node in a cycle leads to all of it.
    pub(crate) fn leading_back(&self, questions: &[Question]) -> Vec<Back> {
        let mut calls: Vec<(u32, u32)> = self
            .rows
            .iter()
            .map(|&(from, to, _)| (self.cycle[from as usize], self.cycle[to as usize]))
            .filter(|(from, to)| from != to)
            .collect();
        calls.sort_unstable();
        calls.dedup();
        let mut answers = Vec::with_capacity(questions.len());
        let mut steps = 0;
        for questions in questions.chunks(AT_ONCE) {
            steps += calls.len();
            if steps > MAX_STEPS {
                answers.extend(questions.iter().map(Question::all));
            } else {
                self.answer(questions, &calls, &mut answers);
            }
        }
        answers
    }

    /// Answers up to [`AT_ONCE`] questions. `calls` are the calls between cycles, by caller.
    fn answer(&self, questions: &[Question], calls: &[(u32, u32)], answers: &mut Vec<Back>) {
        let n = self.cycle.iter().max().map_or(0, |&last| last as usize + 1);
        // Callees have lower numbers, so each is complete before what calls it.
        let mut leads_back: Vec<Bits> = vec![Bits::default(); n];
        for (i, question) in questions.iter().enumerate() {
            for &node in &question.nodes {
                set(&mut leads_back[self.cycle(node)], i);
            }
        }
        for &(from, to) in calls {
            add(&mut leads_back, to, from);
        }
        let mut reached: Vec<Bits> = vec![Bits::default(); n];
        let first = answers.len();
        for (i, question) in questions.iter().enumerate() {
            let callees = question.callees.iter().copied();
            let callees = callees.filter(|&callee| is_set(&leads_back[self.cycle(callee)], i));
            let callees: Vec<Node> = callees.collect();
            for &callee in &callees {
                set(&mut reached[self.cycle(callee)], i);
            }
            answers.push(Back { callees, nodes: Vec::new() });
        }
        for &(from, to) in calls.iter().rev() {
            add(&mut reached, from, to);
        }
        for (i, (question, answer)) in questions.iter().zip(&mut answers[first..]).enumerate() {
            let nodes = question.nodes.iter().copied();
            answer.nodes = nodes.filter(|&node| is_set(&reached[self.cycle(node)], i)).collect();
        }
    }
}

impl Question {
    /// The answer that every call leads back.
    fn all(&self) -> Back {
        Back { callees: self.callees.clone(), nodes: self.nodes.clone() }
    }
}

fn set(bits: &mut Bits, i: usize) {
    bits[i / 64] |= 1 << (i % 64);
}

fn is_set(bits: &Bits, i: usize) -> bool {
    bits[i / 64] & 1 << (i % 64) != 0
}

/// Adds the bits of one cycle to the bits of another.
fn add(bits: &mut [Bits], from: u32, to: u32) {
    let added = bits[from as usize];
    bits[to as usize].iter_mut().zip(added).for_each(|(bits, added)| *bits |= added);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arcs(n: usize, pairs: &[(Node, Node)]) -> Arcs {
        Arcs::new(n, pairs.iter().map(|&(from, to)| (from, to, 1.0)).collect())
    }

    fn question(nodes: &[Node], callees: &[Node]) -> Question {
        Question { nodes: nodes.to_vec(), callees: callees.to_vec() }
    }

    fn back(callees: &[Node], nodes: &[Node]) -> Back {
        Back { callees: callees.to_vec(), nodes: nodes.to_vec() }
    }

    #[test]
    fn numbers_cycles_callees_first() {
        // 0 calls 1; 1, 2 and 3 call each other in a ring; 3 calls 4, which calls itself; 5 is
        // alone.
        let arcs = arcs(6, &[(0, 1), (1, 2), (2, 3), (3, 1), (3, 4), (4, 4), (0, 4), (0, 4)]);
        assert_eq!(arcs.cycle, [2, 1, 1, 1, 0, 3]);
        assert_eq!(arcs.all()[..2], [(0, 1, 1.0), (0, 4, 2.0)]);
    }

    #[test]
    fn finds_calls_that_lead_back() {
        // 1 and 2 call each other; 0 calls 1 and 4, 2 calls 3; 5 is alone.
        let arcs = arcs(6, &[(0, 1), (1, 2), (2, 1), (2, 3), (0, 4)]);
        let cases = [
            (question(&[0, 3], &[1, 4]), back(&[1], &[3])),
            (question(&[0, 1, 2], &[1, 3, 4]), back(&[1], &[1, 2])),
            (question(&[3, 4], &[0, 3, 5]), back(&[0, 3], &[3, 4])),
            (question(&[4, 5], &[1, 2, 3]), back(&[], &[])),
        ];
        // More questions than one walk answers.
        let (questions, answers): (Vec<_>, Vec<_>) = std::iter::repeat_n((), AT_ONCE / 2)
            .flat_map(|()| &cases)
            .map(|(asked, answer)| (question(&asked.nodes, &asked.callees), answer.clone()))
            .unzip();
        assert_eq!(arcs.leading_back(&questions), answers);
    }

    #[test]
    fn answers_are_those_of_a_search() {
        // A graph with cycles and paths of many lengths.
        let n = 60;
        let calls = (0..n).flat_map(|i| [(i, (i * i + 7) % n), (i, (3 * i + 1) % n)]);
        let pairs: Vec<(Node, Node)> = calls.collect();
        let arcs = arcs(n as usize, &pairs);
        let found_from = |start: &[Node]| {
            let mut found = start.to_vec();
            let mut at = 0;
            while let Some(&node) = found.get(at) {
                let next = pairs.iter().filter(|(from, _)| *from == node).map(|&(_, to)| to);
                let new: Vec<Node> = next.filter(|to| !found.contains(to)).collect();
                found.extend(new);
                at += 1;
            }
            found
        };
        for i in 0..n {
            let nodes: Vec<_> = (0..n).filter(|node| node % 7 == i % 7 && node % 5 == 0).collect();
            let asked: Vec<_> = (0..n).filter(|node| node % 11 == i % 11).collect();
            let mut callees = asked.clone();
            callees.retain(|&callee| found_from(&[callee]).iter().any(|to| nodes.contains(to)));
            let mut reached = nodes.clone();
            let from_callees = found_from(&callees);
            reached.retain(|node| from_callees.contains(node));
            assert_eq!(arcs.leading_back(&[question(&nodes, &asked)]), [back(&callees, &reached)]);
        }
    }
}
