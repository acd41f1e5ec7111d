//! The layout of a flame graph for a panel of an editor or a page: which frames there are, and where.

use analysis::{Branch, CallTree, FunctionId, TreeOrder};
use rustc_hash::FxHashSet;

/// The minimum width of a frame, as a share of the width of the image.
const MIN_SHARE: f64 = 1e-3;
/// The maximum number of frames. The widest are kept.
const MAX_FRAMES: usize = 5000;
/// The number of frames after which no further row is laid out.
const MAX_LAID_OUT: usize = 100_000;
/// The number of callees that are as wide as the image together after some were left out. Equal ones
/// are then as wide as a frame must be.
const PAGE: usize = 1000;

/// The tree to draw.
#[derive(Debug, Clone, Copy)]
pub struct Drawn<'a> {
    /// The call tree that it is part of.
    pub tree: &'a CallTree,
    /// Whether callees are below callers, or the other way round.
    pub order: TreeOrder,
    /// What this function calls or, bottom-up, who calls it, merged from all places of the call tree.
    pub function: Option<FunctionId>,
}

impl Drawn<'_> {
    /// The branches below one, or the top ones.
    pub fn branches(self, parent: Option<&Branch>) -> Vec<Branch> {
        match self.function {
            Some(function) => self.tree.branches_around(function, self.order.toward(), parent),
            None => self.tree.branches(self.order, parent),
        }
    }
}

/// A rectangle of the image.
#[derive(Debug)]
pub struct Frame {
    /// The node of the call tree.
    pub branch: Branch,
    /// The index of the caller's frame, which precedes this one.
    pub parent: Option<usize>,
    /// The number of callers above the frame.
    pub depth: usize,
    /// The left edge, as a share of the width of the image.
    pub left: f64,
    /// The width, as a share of the width of the image.
    pub width: f64,
    /// Whether it has no callees.
    pub leaf: bool,
    /// Whether the function is also further up in the frame's column.
    pub recursive: bool,
    /// The number of frames that are not drawn below this frame and are not below another that is drawn.
    /// Frames below narrow ones are counted in the top-down tree of stacks only.
    pub more: usize,
}

/// A flame graph.
#[derive(Debug, Default)]
pub struct Graph {
    /// The frames, row by row, callers before callees.
    pub frames: Vec<Frame>,
    /// The number of frames that are not drawn: those at the top, and `more` of all frames.
    pub omitted: usize,
}

/// The limits of a flame graph.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// The maximum number of rows, not counting the rows of the nodes above.
    pub rows: usize,
    /// The maximum number of frames. The widest are kept.
    pub frames: usize,
    /// Of the node's callees, leaves out this number, the hottest, and makes those after them as wide
    /// as the image together. So each can be reached, however many there are.
    pub skip: Option<usize>,
}

impl Default for Limits {
    fn default() -> Self {
        Self { rows: usize::MAX, frames: MAX_FRAMES, skip: None }
    }
}

/// Lays out the nodes below a node of the call tree, the hottest on the left. `above` has the nodes
/// from the root to that node, each of which is as wide as the image; it is empty for the whole
/// tree. Nodes whose total is zero or negative are omitted.
pub fn layout(drawn: Drawn<'_>, above: Vec<Branch>, limits: Limits) -> Graph {
    let n_above = above.len();
    let row = |(depth, branch): (usize, Branch)| Frame {
        branch,
        parent: depth.checked_sub(1),
        depth,
        left: 0.0,
        width: 1.0,
        leaf: false,
        recursive: false,
        more: 0,
    };
    let frames = above.into_iter().enumerate().map(row).collect();
    let mut graph = Graph { frames, omitted: 0 };
    let mut drawn_functions = FxHashSet::default();
    let mut parent = n_above.checked_sub(1);
    let mut skip = limits.skip;
    loop {
        graph.mark_recursion(drawn.tree, parent, &mut drawn_functions);
        let (mut found, depth, left, width, total) =
            match parent.and_then(|parent: usize| graph.frames.get(parent)) {
                Some(frame) => (
                    drawn.branches(Some(&frame.branch)),
                    frame.depth + 1,
                    frame.left,
                    frame.width,
                    frame.branch.total,
                ),
                None => (drawn.branches(None), 0, 0.0, 1.0, 0.0),
            };
        // With negative weights, the positive callees can exceed their caller. They then share its
        // width.
        let sum_of = |branches: &[Branch]| -> f64 {
            branches.iter().map(|branch| branch.total.max(0.0)).sum()
        };
        let n_found = found.len();
        let skip = skip.take();
        let after = found.split_off(skip.unwrap_or_default().min(n_found));
        let skipped = std::mem::replace(&mut found, after);
        let (page, sum) = match skip {
            Some(_) => (PAGE, sum_of(&found[..found.len().min(PAGE)])),
            None => (usize::MAX, sum_of(&found).max(total)),
        };
        let is_wide =
            |branch: &Branch| branch.total > 0.0 && width * (branch.total / sum) >= MIN_SHARE;
        if let Some(frame) = parent.and_then(|parent: usize| graph.frames.get_mut(parent)) {
            frame.leaf = n_found == 0;
            frame.branch.release();
        }
        let has_room = graph.frames.len() < MAX_LAID_OUT && depth - n_above < limits.rows;
        let mut n_wide =
            found.iter().take(page).take_while(|branch| has_room && is_wide(branch)).count();
        if n_wide == 0 && graph.frames.is_empty() {
            // All roots are narrow: slivers are nearer to the truth than an empty image.
            let has_cost = |branch: &&Branch| branch.total > 0.0;
            n_wide = found.iter().take(page.min(PAGE)).take_while(has_cost).count();
        }
        let narrow = found.split_off(n_wide);
        let left_out = skipped.iter().chain(&narrow);
        let n_narrow = left_out.map(|branch| drawn.tree.n_branches(branch)).sum::<usize>();
        graph.omitted += n_narrow;
        if let Some(frame) = parent.and_then(|parent: usize| graph.frames.get_mut(parent)) {
            frame.more = n_narrow;
        }
        let mut next = left;
        for branch in found {
            let left = next;
            let width = width * (branch.total / sum);
            next += width;
            graph.frames.push(Frame {
                branch,
                parent,
                depth,
                left,
                width,
                leaf: false,
                recursive: false,
                more: 0,
            });
        }
        let following = parent.map_or(0, |parent| parent + 1);
        if following == graph.frames.len() {
            break;
        }
        parent = Some(following);
    }
    graph.keep_widest(limits.frames.clamp(n_above.max(1), MAX_FRAMES.max(n_above)));
    graph
}

impl Graph {
    /// Marks a frame if its function is also above it. A part of a function is not a call of it, which
    /// the tree knows.
    /// `drawn` has the functions of all frames before it, so that few have to be searched above.
    fn mark_recursion(
        &mut self,
        tree: &CallTree,
        at: Option<usize>,
        drawn: &mut FxHashSet<FunctionId>,
    ) {
        let Some(frame) = at.and_then(|at| self.frames.get(at)) else { return };
        if drawn.insert(frame.branch.function) {
            return;
        }
        let parent = |frame: &&Frame| self.frames.get(frame.parent?);
        let mut above = std::iter::successors(parent(&frame), parent);
        let recursive = above.any(|above| above.branch.function == frame.branch.function)
            && tree.is_recursive(&frame.branch);
        if let Some(frame) = at.and_then(|at| self.frames.get_mut(at)) {
            frame.recursive = recursive;
        }
    }

    /// Keeps the `max` widest frames. Their callers are at least as wide and are kept, too. `more` of
    /// the others goes to their callers.
    fn keep_widest(&mut self, max: usize) {
        let mut widest: Vec<usize> = (0..self.frames.len()).collect();
        widest.sort_by(|&a, &b| self.frames[b].width.total_cmp(&self.frames[a].width));
        let mut is_kept = vec![false; self.frames.len()];
        for &frame in widest.iter().take(max) {
            is_kept[frame] = true;
        }
        self.omitted += self.frames.len().saturating_sub(max);
        for (at, _) in is_kept.iter().enumerate().rev().filter(|(_, is_kept)| !**is_kept) {
            let n_left_out = self.frames[at].more + 1;
            if let Some(parent) = self.frames[at].parent {
                self.frames[parent].more += n_left_out;
            }
        }
        let new_indexes: Vec<usize> = is_kept
            .iter()
            .scan(0, |next, &is_kept| {
                let index = *next;
                *next += usize::from(is_kept);
                Some(index)
            })
            .collect();
        let mut is_kept = is_kept.into_iter();
        self.frames.retain(|_| is_kept.next().unwrap_or_default());
        for frame in &mut self.frames {
            frame.parent = frame.parent.map(|parent| new_indexes[parent]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_widest_frames() {
        let samples = "a a  a  a  a\nb b  b  b  e\nc c1 c2 c3\nd";
        let profile = profile::text_samples::weighted(samples, &[20.0, 1.0, 1.0, 1.0, 5.0]);
        let groups = analysis::Groups::identity(profile.symbols());
        let recording = analysis::Recording::from(profile);
        let view = analysis::View::of(&recording);
        let tree = CallTree::new(recording.into(), view, groups.into());
        let drawn = Drawn { tree: &tree, order: TreeOrder::TopDown, function: None };
        let mut graph = layout(drawn, Vec::new(), Limits::default());
        assert_eq!((graph.frames.len(), graph.omitted), (8, 0));
        graph.keep_widest(5);
        let frames: Vec<_> = graph
            .frames
            .iter()
            .map(|frame| (frame.branch.total, frame.depth, frame.parent))
            .collect();
        assert_eq!(
            frames,
            [
                (28.0, 0, None),
                (23.0, 1, Some(0)),
                (5.0, 1, Some(0)),
                (20.0, 2, Some(1)),
                (20.0, 3, Some(3))
            ]
        );
        assert_eq!(graph.omitted, 3);
        let more: Vec<_> = graph.frames.iter().map(|frame| frame.more).collect();
        assert_eq!(more, [0, 3, 0, 0, 0]);

        // Below `b`, the second level, and no deeper than one row.
        let above = [graph.frames[0].branch.clone(), graph.frames[1].branch.clone()];
        let below = layout(drawn, above.into(), Limits { rows: 1, frames: 4, skip: None });
        let frames: Vec<_> = below
            .frames
            .iter()
            .map(|frame| (frame.branch.total, frame.depth, frame.width, frame.more))
            .collect();
        let c = 20.0 / 23.0;
        assert_eq!(
            frames,
            [(28.0, 0, 1.0, 0), (23.0, 1, 1.0, 2), (20.0, 2, c, 1), (1.0, 2, 1.0 / 23.0, 0)]
        );
        assert_eq!(below.omitted, 3);

        // Those after the hottest.
        let above = [graph.frames[0].branch.clone(), graph.frames[1].branch.clone()];
        let rest = layout(drawn, above.into(), Limits { skip: Some(1), ..Limits::default() });
        let frames: Vec<_> =
            rest.frames[2..].iter().map(|frame| (frame.left, frame.width)).collect();
        assert_eq!(frames, [(0.0, 1.0 / 3.0), (1.0 / 3.0, 1.0 / 3.0), (2.0 / 3.0, 1.0 / 3.0)]);
        // `c` and `d`.
        assert_eq!((rest.frames[1].more, rest.omitted), (2, 2));
    }
}
