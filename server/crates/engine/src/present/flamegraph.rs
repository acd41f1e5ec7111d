//! A flame graph for a panel of an editor: an SVG that runs nothing and loads nothing, roots at the
//! top.
//!
//! It has presentation attributes only: no scripts, handlers, styles, links or references, so it
//! shows under the strictest content security policy. What makes it interactive is the panel's:
//! each frame is a `<g data-frame="17">` whose inner `<svg>` clips its text and alone has a place
//! and a width, in percent of the whole, so that zooming is setting `x` and `width`.

use super::text::plain;
use analysis::{Branch, CallTree};
use std::fmt::Write;

/// What is narrower is left out.
const MIN_SHARE: f64 = 1e-3;
/// Deeper frames are left out.
const MAX_DEPTH: usize = 500;
/// Frames at most: the narrowest give way.
const MAX_FRAMES: usize = 5000;
/// Pixels from one row to the next.
const ROW: usize = 17;

/// A rectangle of the picture.
#[derive(Debug)]
pub struct Frame {
    /// What it stands for.
    pub branch: Branch,
    /// Its caller, which stands before it.
    pub parent: Option<usize>,
    /// Callers above it.
    pub depth: usize,
    /// Where it begins, as a share of the whole.
    pub left: f64,
    /// As a share of the whole.
    pub width: f64,
    /// Whether it calls nothing.
    pub leaf: bool,
}

/// Where everything is.
#[derive(Debug, Default)]
pub struct Graph {
    /// Row by row, callers before callees.
    pub frames: Vec<Frame>,
    /// How many frames were left out, for the narrow and the deep ones not counting what these
    /// call.
    pub omitted: usize,
}

/// Places the branches of the call tree, costliest left. What is not above zero has no width.
pub fn layout(tree: &CallTree) -> Graph {
    let mut graph = Graph::default();
    let mut parent = None;
    loop {
        let (found, depth, left, width, total) =
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
        // More than their caller where others among them are below zero: then they share its width.
        let sum = found.iter().map(|branch| branch.total.max(0.0)).sum::<f64>().max(total);
        let wide =
            |branch: &Branch| branch.total > 0.0 && width * (branch.total / sum) >= MIN_SHARE;
        let n_found = found.len();
        if let Some(frame) = parent.and_then(|parent: usize| graph.frames.get_mut(parent)) {
            frame.leaf = n_found == 0;
        }
        let wide: Vec<_> =
            found.into_iter().filter(|branch| depth < MAX_DEPTH && wide(branch)).collect();
        graph.omitted += n_found - wide.len();
        let mut next = left;
        for branch in wide {
            let left = next;
            let width = width * (branch.total / sum);
            next += width;
            graph.frames.push(Frame { branch, parent, depth, left, width, leaf: false });
        }
        let following = parent.map_or(0, |parent| parent + 1);
        if following == graph.frames.len() {
            break;
        }
        parent = Some(following);
    }
    graph.keep_widest(MAX_FRAMES);
    graph
}

impl Graph {
    /// Whether the function of a frame is among its callers too.
    pub fn is_recursive(&self, frame: &Frame) -> bool {
        let above = |frame: &Frame| self.frames.get(frame.parent?);
        std::iter::successors(above(frame), |frame| above(frame))
            .any(|caller| caller.branch.function == frame.branch.function)
    }

    /// Leaves out the narrowest. No frame is wider than its caller, so that the callers of what
    /// stays stay.
    fn keep_widest(&mut self, most: usize) {
        let mut widest: Vec<usize> = (0..self.frames.len()).collect();
        widest.sort_by(|&a, &b| self.frames[b].width.total_cmp(&self.frames[a].width));
        let mut stays = vec![false; self.frames.len()];
        for &frame in widest.iter().take(most) {
            stays[frame] = true;
        }
        self.omitted += self.frames.len().saturating_sub(most);
        let places: Vec<usize> = stays
            .iter()
            .scan(0, |next, &stays| {
                let place = *next;
                *next += usize::from(stays);
                Some(place)
            })
            .collect();
        let mut stays = stays.into_iter();
        self.frames.retain(|_| stays.next().unwrap_or_default());
        for frame in &mut self.frames {
            frame.parent = frame.parent.map(|parent| places[parent]);
        }
    }
}

/// Draws frames; `words` gives the name and the cost of each.
pub fn svg<'a>(
    title: &str,
    frames: &[Frame],
    words: impl Fn(usize) -> (&'a str, &'a str),
) -> String {
    let height = ROW * (1 + frames.iter().map(|frame| frame.depth).max().unwrap_or_default());
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"100%\" height=\"{height}\" role=\"group\" aria-label=\"{}\" \
         font-family=\"system-ui, sans-serif\" font-size=\"12\">\n",
        escaped(title)
    );
    for (i, frame) in frames.iter().enumerate() {
        let (name, cost) = words(i);
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

/// Always the same for a name, and light: dark text can be read on it in light and dark themes.
fn color(name: &str) -> String {
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let part = |shift: u32, n: u64| (hash >> shift) % n;
    format!("#ff{:02x}{:02x}", 150 + part(16, 80), 80 + part(40, 60))
}

/// Text as XML can hold it, harmless and of bounded length.
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
    fn the_narrowest_give_way() {
        let samples = "a a  a  a  a\nb b  b  b  e\nc c1 c2 c3\nd";
        let profile = profile::text_samples::weighted(samples, &[20.0, 1.0, 1.0, 1.0, 5.0]);
        let groups = analysis::Groups::identity(profile.symbols());
        let recording = analysis::Recording::from(profile);
        let view = analysis::View::of(&recording);
        let mut graph = layout(&CallTree::new(recording.into(), view, groups.into()));
        assert_eq!((graph.frames.len(), graph.omitted), (8, 0));
        graph.keep_widest(5);
        let told: Vec<_> = graph
            .frames
            .iter()
            .map(|frame| (frame.branch.total, frame.depth, frame.parent))
            .collect();
        assert_eq!(
            told,
            [
                (28.0, 0, None),
                (23.0, 1, Some(0)),
                (5.0, 1, Some(0)),
                (20.0, 2, Some(1)),
                (20.0, 3, Some(3))
            ]
        );
        assert_eq!(graph.omitted, 3);
    }

    #[test]
    fn names_are_only_text() {
        assert_eq!(escaped("</title><script>"), "&lt;/title&gt;&lt;script&gt;");
        assert_eq!(
            escaped("]]>&\" a=\"\u{0}\u{202e}\u{ffff}"),
            "]]&gt;&amp;&quot; a=&quot;\u{fffd}\u{fffd}\u{fffd}"
        );
    }
}
