//! A flame graph as SVG for a panel of an editor, with roots at the top.
//!
//! The SVG has presentation attributes only: no scripts, handlers, styles, links or references. It
//! is therefore shown under the strictest content security policy. The panel makes it interactive:
//! each frame is a `<g data-frame="17">` with an inner `<svg>`, which clips the text and whose `x`
//! and `width` are percentages of the image, so that a panel can zoom by changing these two.

use super::text::plain;
use analysis::{Branch, CallTree};
use std::fmt::Write;

/// The minimum width of a frame, as a share of the width of the image.
const MIN_SHARE: f64 = 1e-3;
/// The maximum number of frames. The widest are kept.
const MAX_FRAMES: usize = 5000;
/// The number of frames after which no further row is laid out.
const MAX_LAID_OUT: usize = 100_000;
/// The number of callees that are as wide as the image together after some were left out. Equal ones
/// are then as wide as a frame must be.
const PAGE: usize = 1000;
/// The height of a row in pixels.
const ROW: usize = 17;

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
    /// The number of frames below it, on the way to none that is drawn, that are not drawn. In a
    /// call graph, callees of narrow frames are not counted.
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
    /// The maximum number of rows, without those of the nodes above.
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
pub fn layout(tree: &CallTree, above: Vec<Branch>, limits: Limits) -> Graph {
    let n_above = above.len();
    let row = |(depth, branch): (usize, Branch)| Frame {
        branch,
        parent: depth.checked_sub(1),
        depth,
        left: 0.0,
        width: 1.0,
        leaf: false,
        more: 0,
    };
    let frames = above.into_iter().enumerate().map(row).collect();
    let mut graph = Graph { frames, omitted: 0 };
    let mut parent = n_above.checked_sub(1);
    let mut skip = limits.skip;
    loop {
        let (mut found, depth, left, width, total) =
            match parent.and_then(|parent: usize| graph.frames.get(parent)) {
                Some(frame) => (
                    tree.branches(false, Some(&frame.branch)),
                    frame.depth + 1,
                    frame.left,
                    frame.width,
                    frame.branch.total,
                ),
                None => (tree.branches(false, None), 0, 0.0, 1.0, 0.0),
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
        }
        let has_room = graph.frames.len() < MAX_LAID_OUT && depth - n_above < limits.rows;
        let n_wide =
            found.iter().take(page).take_while(|branch| has_room && is_wide(branch)).count();
        let narrow = found.split_off(n_wide);
        let left_out = skipped.iter().chain(&narrow);
        let n_narrow = left_out.map(|branch| tree.n_branches(branch)).sum::<usize>();
        graph.omitted += n_narrow;
        if let Some(frame) = parent.and_then(|parent: usize| graph.frames.get_mut(parent)) {
            frame.more = n_narrow;
        }
        let mut next = left;
        for branch in found {
            let left = next;
            let width = width * (branch.total / sum);
            next += width;
            graph.frames.push(Frame { branch, parent, depth, left, width, leaf: false, more: 0 });
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

/// Draws frames. `labels` returns the name and the cost of a frame.
pub fn svg<'a>(
    title: &str,
    frames: &[Frame],
    labels: impl Fn(usize) -> (&'a str, &'a str),
) -> String {
    let height = ROW * (1 + frames.iter().map(|frame| frame.depth).max().unwrap_or_default());
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"100%\" height=\"{height}\" role=\"group\" aria-label=\"{}\" \
         font-family=\"system-ui, sans-serif\" font-size=\"12\">\n",
        escaped(title)
    );
    for (i, frame) in frames.iter().enumerate() {
        let (name, cost) = labels(i);
        let name = escaped(name);
        let (top, left, width) = (frame.depth * ROW, 100.0 * frame.left, 100.0 * frame.width);
        let _ = writeln!(
            out,
            "<g data-frame=\"{i}\" role=\"img\"><title>{name}: {}</title>\
             <svg x=\"{left:.4}%\" y=\"{top}\" width=\"{width:.4}%\" height=\"{ROW}\">\
             <rect width=\"100%\" height=\"{}\" fill=\"{}\" stroke=\"#fff\" stroke-opacity=\"0.5\"/>\
             <text x=\"4\" y=\"12\" fill=\"#111\" pointer-events=\"none\">{name}</text></svg></g>",
            escaped(cost),
            ROW - 1,
            color(&name),
        );
    }
    out.push_str("</svg>\n");
    out
}

/// A color that depends on the name only. It is light, because the text is dark in all themes.
fn color(name: &str) -> String {
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let part = |shift: u32, n: u64| (hash >> shift) % n;
    format!("#ff{:02x}{:02x}", 150 + part(16, 80), 80 + part(40, 60))
}

/// Sanitizes, truncates and escapes text for XML.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in plain(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
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
        let mut graph = layout(&tree, Vec::new(), Limits::default());
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
        let below = layout(&tree, above.into(), Limits { rows: 1, frames: 4, skip: None });
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
        let rest = layout(&tree, above.into(), Limits { skip: Some(1), ..Limits::default() });
        let frames: Vec<_> =
            rest.frames[2..].iter().map(|frame| (frame.left, frame.width)).collect();
        assert_eq!(frames, [(0.0, 1.0 / 3.0), (1.0 / 3.0, 1.0 / 3.0), (2.0 / 3.0, 1.0 / 3.0)]);
        // `c` and `d`.
        assert_eq!((rest.frames[1].more, rest.omitted), (2, 2));
    }

    #[test]
    fn names_are_escaped() {
        assert_eq!(escaped("</title><script>"), "&lt;/title&gt;&lt;script&gt;");
        assert_eq!(
            escaped("]]>&\" a=\"\u{0}\u{202e}\u{ffff}"),
            "]]&gt;&amp;&quot; a=&quot;\u{fffd}\u{fffd}\u{fffd}"
        );
    }
}
