//! Flame graphs: interactive SVG pictures, drawn by `inferno`.
//!
//! Frames are functions; lines are merged. The `<title>` of each frame has its name and cost, which
//! a click shows as well. With a base, frames are red if they cost more than in the base, and blue
//! if they cost less: in weights, or in shares of the total. As in other differential flame graphs,
//! the *self* cost decides the color, so that a change in a callee does not color all of its
//! callers.
//!
//! `inferno` counts in integers and does not draw anything narrower than 0.01%. Weights are
//! therefore
//! - summed by path first, and the cost of narrower paths is added to the caller, which limits the
//!   size of the picture;
//! - if they have fractions, scaled by a thousand or a million together with the unit (`ms` become
//!   `us`), and rounded such that positions and sums are those of the exact weights: the root has
//!   the profile's total.

use super::Written;
use profile::{Profile, StackAccess};
use rustc_hash::FxHashMap;
use std::io::{Error, ErrorKind, Result};
use std::rc::Rc;

/// Paths with a smaller share are not drawn, as in `inferno`.
const MIN_SHARE: f64 = 1e-4;
/// The largest depth; deeper costs are added to callers. The picture is 80 000 pixels high then.
const MAX_DEPTH: usize = 5000;
/// The largest size of all paths for `inferno`, in bytes. Deep recursion with long names may exceed
/// it; the depth is reduced then.
const MAX_TEXT: usize = 64 << 20;
/// The largest number of characters of a name.
const MAX_NAME: usize = 500;

/// A profile to compare with.
#[derive(Debug, Clone, Copy)]
pub struct Base<'a> {
    /// The profile.
    pub profile: &'a Profile,
    /// Whether to scale it to the total of the profile that is drawn, which compares shares.
    pub share: bool,
}

/// Draws the profile's default metric, compared with `base` if there is one. Paths that only the
/// base has are not drawn; swap the two to see them.
///
/// # Errors
/// There is nothing to draw.
pub fn write(profile: &Profile, base: Option<Base<'_>>, title: &str) -> Result<Written> {
    let mut tree = Tree::default();
    tree.add(profile, 0);
    if let Some(base) = base {
        tree.add(base.profile, 1);
    }
    let mut lost = Vec::new();
    if tree.drop_negative_costs() {
        lost.push("costs below zero");
    }
    tree.sum();
    let total = tree.nodes[0].total[0];
    if !(total > 0.0 && total.is_finite()) {
        return Err(Error::new(
            ErrorKind::InvalidData,
            "there is nothing to draw: no sample has a stack and a cost above zero",
        ));
    }
    let unit = profile
        .metrics()
        .get(profile.default_metric().index())
        .map_or("samples", |metric| metric.unit.as_str());
    let is_whole = tree.nodes.iter().all(|node| node.own[0].fract() == 0.0);
    let scale = Scale::new(unit, total, is_whole);
    if base.is_some_and(|base| base.share) {
        tree.balance();
    }
    if tree.prune(total * MIN_SHARE) {
        lost.push("the deepest frames");
    }

    let mut options = inferno::flamegraph::Options::default();
    options.title = clean(title);
    options.count_name = clean(&scale.unit);
    // Colors depend on names and are not random.
    options.deterministic = true;
    // Lines are already sorted by frame; sorted as text, `a b` would be between `a` and `a;c`. Only
    // with this option does `inferno` keep their order, last first.
    options.flame_chart = true;
    if let Some(base) = base {
        let legend = if base.share {
            "red: a larger share than in the base; blue: a smaller one"
        } else {
            "red: more than in the base; blue: less"
        };
        options.subtitle = Some(legend.to_owned());
    }
    let lines = tree.lines(scale.factor, base.is_some());
    let mut bytes = Vec::new();
    inferno::flamegraph::from_lines(
        &mut options,
        lines.iter().rev().map(String::as_str),
        &mut bytes,
    )?;
    Ok(Written { bytes, lost })
}

/// The unit of the integers: weights times `factor`, rounded.
#[derive(Debug, PartialEq)]
struct Scale {
    factor: f64,
    unit: String,
}

impl Scale {
    /// The unit of the profile if its weights are whole, else the first smaller one in which the
    /// total has six digits.
    fn new(unit: &str, total: f64, is_whole: bool) -> Self {
        const UNITS: [&str; 4] = ["s", "ms", "us", "ns"];
        const MOST: f64 = 1e15;
        let mut thousands = 0;
        while !is_whole && thousands < 6 && total * 1000_f64.powi(thousands) < 1e5 {
            thousands += 1;
        }
        while total * 1000_f64.powi(thousands) > MOST {
            thousands -= 1;
        }
        let short = match unit {
            "seconds" => "s",
            "milliseconds" | "tracing-ms" => "ms",
            "microseconds" | "µs" => "us",
            "nanoseconds" => "ns",
            other => other,
        };
        let place = UNITS.iter().position(|unit| *unit == short);
        let renamed =
            place.and_then(|place| UNITS.get(place.checked_add_signed(thousands as isize)?));
        let unit = match (thousands, renamed) {
            (0, _) => unit.to_owned(),
            (_, Some(renamed)) => (*renamed).to_owned(),
            (1.., None) => format!("{unit} / 10^{}", 3 * thousands),
            (_, None) => format!("{unit} * 10^{}", -3 * thousands),
        };
        Self { factor: 1000_f64.powi(thousands), unit }
    }
}

/// The tree of calls by function names. Node 0 is the caller of all roots; callers come before
/// their callees.
struct Tree {
    nodes: Vec<Node>,
    names: Vec<Rc<str>>,
    name_ids: FxHashMap<Rc<str>, u32>,
    children: FxHashMap<(u32, u32), u32>,
}

#[derive(Clone, Copy, Default)]
struct Node {
    parent: u32,
    name: u32,
    depth: usize,
    /// Of the profile and of its base.
    own: [f64; 2],
    total: [f64; 2],
}

impl Default for Tree {
    fn default() -> Self {
        Self {
            nodes: vec![Node::default()],
            names: vec![Rc::from("")],
            name_ids: FxHashMap::default(),
            children: FxHashMap::default(),
        }
    }
}

impl Tree {
    /// Adds the samples of a profile to one of the two costs.
    fn add(&mut self, profile: &Profile, which: usize) {
        let (symbols, stacks) = (profile.symbols(), profile.stacks());
        let names: Vec<u32> = symbols
            .funcs
            .ids()
            .map(|func| self.name(&clean_name(symbols.func_name(func))))
            .collect();
        let mut node_of: Vec<u32> = Vec::with_capacity(stacks.len());
        for stack in stacks.ids() {
            let caller = stacks.prefix(stack).map_or(0, |prefix| node_of[prefix.index()]);
            node_of.push(
                self.call(caller, names[profile.frames().get(stacks.frame(stack)).func.index()]),
            );
        }
        for samples in profile.samples() {
            let weights = samples.weights().get(profile.default_metric().index());
            for (i, stack) in samples.stacks().enumerate() {
                let Some(stack) = stack else { continue };
                self.nodes[node_of[stack.index()] as usize].own[which] +=
                    weights.map_or(0.0, |weights| weights.get(i));
            }
        }
    }

    fn name(&mut self, name: &str) -> u32 {
        if let Some(&id) = self.name_ids.get(name) {
            return id;
        }
        let (id, name) = (self.names.len() as u32, Rc::<str>::from(name));
        self.names.push(Rc::clone(&name));
        self.name_ids.insert(name, id);
        id
    }

    fn call(&mut self, parent: u32, name: u32) -> u32 {
        let next = self.nodes.len() as u32;
        *self.children.entry((parent, name)).or_insert_with(|| {
            let depth = self.nodes[parent as usize].depth + 1;
            self.nodes.push(Node { parent, name, depth, ..Node::default() });
            next
        })
    }

    /// Sets negative costs to 0, since a rectangle has no negative width. Returns whether there
    /// were any.
    fn drop_negative_costs(&mut self) -> bool {
        let mut any = false;
        for own in self.nodes.iter_mut().flat_map(|node| &mut node.own).filter(|own| **own < 0.0) {
            *own = 0.0;
            any = true;
        }
        any
    }

    fn sum(&mut self) {
        for i in (0..self.nodes.len()).rev() {
            let Node { parent, own, .. } = self.nodes[i];
            let total = &mut self.nodes[i].total;
            *total = [total[0] + own[0], total[1] + own[1]];
            let total = *total;
            if i > 0 {
                let above = &mut self.nodes[parent as usize].total;
                *above = [above[0] + total[0], above[1] + total[1]];
            }
        }
    }

    /// Scales the base to the profile's total.
    fn balance(&mut self) {
        let [total, base] = self.nodes[0].total;
        let factor = if base > 0.0 { total / base } else { 0.0 };
        for node in &mut self.nodes {
            node.own[1] *= factor;
            node.total[1] *= factor;
        }
    }

    /// Adds the costs of nodes narrower than `least`, or too deep, to their callers, except for
    /// roots. Returns whether any node was too deep. Nodes that are not to be drawn have no total
    /// afterwards.
    fn prune(&mut self, least: f64) -> bool {
        let is_wide = |node: &Node| node.depth == 1 || node.total[0] >= least;
        let mut lengths = vec![0; self.nodes.len()];
        let mut text_at = Vec::new();
        for (i, node) in self.nodes.iter().enumerate().filter(|(_, node)| is_wide(node)) {
            lengths[i] = lengths[node.parent as usize] + self.names[node.name as usize].len() + 1;
            text_at.resize(text_at.len().max(node.depth + 1), 0_usize);
            text_at[node.depth] += lengths[i];
        }
        let mut text = 0;
        let n_depths = text_at.iter().take(MAX_DEPTH + 1).take_while(|&&length| {
            text += length;
            text <= MAX_TEXT
        });
        let deepest = n_depths.count().max(2) - 1;
        for i in (1..self.nodes.len()).rev() {
            let node = self.nodes[i];
            if node.depth > deepest || !is_wide(&node) {
                let above = &mut self.nodes[node.parent as usize];
                above.own[0] += node.own[0];
                // The cost of the base in a node that became narrow is not added to the caller.
                if node.depth > deepest || node.total[1] < least {
                    above.own[1] += node.own[1];
                }
                self.nodes[i].total[0] = 0.0;
            }
        }
        text_at.len() > deepest + 1
    }

    /// A line per path with a self cost: the path, the rounded cost of the base, if there is one,
    /// and the rounded cost. Callees follow their caller, sorted by name.
    fn lines(&self, factor: f64, has_base: bool) -> Vec<String> {
        let name = |node: u32| &self.names[self.nodes[node as usize].name as usize];
        let parent = |node: u32| self.nodes[node as usize].parent;
        let mut by_parent: Vec<u32> = (1..self.nodes.len() as u32)
            .filter(|&i| self.nodes[i as usize].total[0] > 0.0)
            .collect();
        // Names are sorted in descending order, because the last one pushed is visited first.
        by_parent.sort_unstable_by(|&a, &b| (parent(a), name(b)).cmp(&(parent(b), name(a))));
        let mut lines = Vec::new();
        let mut to_visit = vec![(0, String::new())];
        let (mut exact, mut written) = (0.0, 0);
        while let Some((node, path)) = to_visit.pop() {
            let own = self.nodes[node as usize].own;
            exact += own[0] * factor;
            // The end of each line's range is rounded, so that errors do not add up.
            let count = rounded(exact) - written;
            written += count;
            let base = if has_base { rounded(own[1] * factor) } else { 0 };
            if has_base && count + base > 0 {
                lines.push(format!("{path} {base} {count}"));
            } else if count > 0 {
                lines.push(format!("{path} {count}"));
            }
            let from = by_parent.partition_point(|&child| parent(child) < node);
            let callees = by_parent[from..].iter().take_while(|&&child| parent(child) == node);
            let separator = if node == 0 { "" } else { ";" };
            to_visit
                .extend(callees.map(|&child| (child, format!("{path}{separator}{}", name(child)))));
        }
        lines
    }
}

#[expect(clippy::cast_sign_loss, reason = "costs below zero were dropped")]
fn rounded(weight: f64) -> u64 {
    weight.round() as u64
}

/// Text without control characters and marks of writing direction, which is valid in XML.
fn clean(text: &str) -> String {
    let replace = |c: char| match c {
        '\u{061c}'
        | '\u{200e}'
        | '\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}'
        | '\u{fffe}'
        | '\u{ffff}' => '\u{fffd}',
        c if c.is_control() => '\u{fffd}',
        c => c,
    };
    text.chars().map(replace).collect()
}

/// A name as a frame of a path, without the characters that separate frames, comments and counts.
fn clean_name(name: &str) -> String {
    let mut name = clean(name.trim()).replace(';', ":");
    if let Some((end, _)) = name.char_indices().nth(MAX_NAME) {
        name.truncate(end);
        name.push('…');
    }
    // `# ` would begin a comment, and a number after a space is a count: that space becomes a
    // non-breaking one.
    if name.starts_with("# ") {
        name = name.replacen(' ', "\u{a0}", 1);
    }
    match name.rsplit_once(' ') {
        _ if name.is_empty() => "(anonymous)".to_owned(),
        Some((front, back)) if back.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') => {
            format!("{front}\u{a0}{back}")
        }
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_not_read_as_counts_comments_or_paths() {
        let cases = [
            ("main", "main"),
            ("f<[u8; 8]>", "f<[u8: 8]>"),
            ("leaf 2", "leaf\u{a0}2"),
            ("leaf 2 3.5", "leaf 2\u{a0}3.5"),
            ("# a 1", "#\u{a0}a\u{a0}1"),
            ("#private", "#private"),
            ("  operator new ", "operator new"),
            ("", "(anonymous)"),
            (" \t", "(anonymous)"),
            ("a\nb\u{0}\u{202e}c\u{ffff}", "a\u{fffd}b\u{fffd}\u{fffd}c\u{fffd}"),
        ];
        for (name, expected) in cases {
            assert_eq!(clean_name(name), expected);
        }
        assert_eq!(clean_name(&"é".repeat(501)).chars().count(), 501);
        assert_eq!(clean_name(&"é".repeat(500)), "é".repeat(500));
    }

    #[test]
    fn depth_is_reduced_if_paths_are_too_long() {
        let mut tree = Tree::default();
        let name = tree.name(&"x".repeat(MAX_NAME));
        let mut node = 0;
        for _ in 0..MAX_DEPTH {
            node = tree.call(node, name);
        }
        tree.nodes[node as usize].own[0] = 1.0;
        tree.sum();
        assert!(tree.prune(0.0));
        let leaf = tree.nodes.iter().position(|node| node.own[0] == 1.0).unwrap();
        let text = |depth: usize| depth * (depth + 1) / 2 * (MAX_NAME + 1);
        assert!(text(leaf) <= MAX_TEXT && text(leaf + 1) > MAX_TEXT, "{leaf}");
    }

    #[test]
    fn whole_weights_stay_and_fractions_get_a_smaller_unit() {
        let cases = [
            ("samples", 6.0, true, 1.0, "samples"),
            ("bytes", 1e15, true, 1.0, "bytes"),
            ("ms", 532.7, false, 1e3, "us"),
            ("tracing-ms", 0.5, false, 1e6, "ns"),
            ("seconds", 3.25, false, 1e6, "us"),
            ("s", 2e5, false, 1.0, "s"),
            ("percent", 100.0, false, 1e3, "percent / 10^3"),
            ("ns", 0.25, false, 1e6, "ns / 10^6"),
            ("ns", 5e17, true, 1e-3, "us"),
            ("bytes", 5e17, true, 1e-3, "bytes * 10^3"),
        ];
        for (unit, total, is_whole, factor, expected) in cases {
            assert_eq!(
                Scale::new(unit, total, is_whole),
                Scale { factor, unit: expected.to_owned() },
                "{total} {unit}"
            );
        }
    }
}
