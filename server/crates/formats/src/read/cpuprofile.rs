//! V8 `.cpuprofile`: the `Profile` of the DevTools protocol, as Node.js, Chromium and Deno write it.
//!
//! A tree of nodes, one per call path, each with the number of samples that ended there (`hitCount`), divided by executing
//! line (`positionTicks`, 1-based), beside a list of all samples with the time since the one before. A node has the place
//! where its function *starts*; nothing says where a caller was executing, so callers have no lines.
//!
//! Two metrics come out. `hits` counts by node: `samples` would over-count, because V8 records extra ones at
//! deoptimisations that are neither in `hitCount` nor in `positionTicks`. `time` gives each sample the time until the next.

use super::v8::{CallFrame, callers_first, durations};
use super::{json, position};
use crate::{At, Format, Read, ReadError};
use profile::{LineKnowledge, Metric, ProfileBuilder, Recording, Samples, StackId, Thread, Warnings, Weights};
use rustc_hash::FxHashMap;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct File<'a> {
    #[serde(borrow)]
    nodes: Vec<Node<'a>>,
    /// In microseconds, of a clock of its own.
    start_time: Option<f64>,
    end_time: Option<f64>,
    /// Node ids, in order of time.
    samples: Option<Vec<i64>>,
    /// Microseconds since the sample before; the first since `start_time`.
    time_deltas: Option<Vec<f64>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Node<'a> {
    id: i64,
    #[serde(borrow)]
    call_frame: CallFrame<'a>,
    hit_count: Option<f64>,
    /// The tree in one of two forms: the ids of the callees …
    children: Option<Vec<i64>>,
    /// … or that of the caller.
    parent: Option<i64>,
    position_ticks: Option<Vec<PositionTicks>>,
}

#[derive(Deserialize)]
struct PositionTicks {
    /// The executing line, 1-based; 0 = unknown.
    line: f64,
    ticks: f64,
}

pub(crate) fn read(bytes: &[u8]) -> Result<Read, ReadError> {
    let file: File<'_> = json::decode(bytes)?;
    let mut warnings = Warnings::default();
    let tree = Tree::of(&file.nodes)?;
    let time = Time::of(&file, &tree, &mut warnings);
    let hits = Hits::of(&file, &tree, &mut warnings);

    let mut metrics = vec![Metric::new("hits", "hits", None).with_lines(hits.lines)];
    if time.is_some() {
        metrics.push(Metric::new("time", "us", None).with_lines(LineKnowledge::Nothing));
    }
    let span_seconds =
        time.as_ref().map(|time| time.total).or_else(|| Some(file.end_time? - file.start_time?)).map(|us| us / 1e6);

    let mut builder = ProfileBuilder::new(metrics, 0);
    let samples = samples(&mut builder, &file.nodes, &tree, hits, time)?;
    builder.push_thread(Thread { samples, ..Thread::default() })?;
    let recording = Recording::Stacks(builder.build());
    Ok(Read { recording, format: Format::CpuProfile, version: None, span_seconds, warnings })
}

/// One row per node and executing line, and one per node for what has no line: hits beyond the ticks, and all of its time.
fn samples(
    builder: &mut ProfileBuilder,
    nodes: &[Node<'_>],
    tree: &Tree,
    hits: Hits,
    time: Option<Time>,
) -> Result<Samples, ReadError> {
    let mut stacks: Vec<Option<StackId>> = vec![None; nodes.len()];
    let (mut rows, mut row_hits, mut row_time) = (Vec::new(), Vec::new(), Vec::new());
    let mut push = |stack, hits, time| {
        rows.push(stack);
        row_hits.push(hits);
        row_time.push(time);
    };
    let (mut node_hits, node_time) = (hits.by_node, time.as_ref());
    for &i in &tree.callers_first {
        let (Some(node), Some(own)) = (nodes.get(i), node_hits.get_mut(i)) else { continue };
        let caller = tree.caller.get(i).copied().flatten().and_then(|caller| stacks.get(caller).copied().flatten());
        let mut stack = caller;
        if !node.call_frame.is_root() {
            let func = node.call_frame.intern(builder)?;
            for (line, ticks) in std::mem::take(&mut own.by_line) {
                push(Some(node.call_frame.stack(builder, caller, func, (line, 0))?), ticks, 0.0);
            }
            stack = Some(node.call_frame.stack(builder, caller, func, (0, 0))?);
        }
        if let Some(slot) = stacks.get_mut(i) {
            *slot = stack;
        }
        let time = node_time.and_then(|time| time.by_node.get(i)).copied().unwrap_or(0.0);
        if own.without_line != 0.0 || time != 0.0 {
            push(stack, own.without_line, time);
        }
    }
    let mut weights = vec![Weights::Each(row_hits)];
    if let Some(time) = time {
        if time.unknown != 0.0 {
            rows.push(None);
            row_time.push(time.unknown);
            if let Some(Weights::Each(hits)) = weights.first_mut() {
                hits.push(0.0);
            }
        }
        weights.push(Weights::Each(row_time));
    }
    Ok(Samples::new(rows, weights))
}

/// Who calls whom, by row of `nodes`.
struct Tree {
    /// The row of each node id.
    rows: FxHashMap<i64, usize>,
    /// The calling node of each.
    caller: Vec<Option<usize>>,
    /// All rows in an order in which callers stand before their callees.
    callers_first: Vec<usize>,
}

impl Tree {
    /// # Errors
    /// An id twice, an id of no node, a node with two callers, nodes that call each other in a circle.
    fn of(nodes: &[Node<'_>]) -> Result<Self, ReadError> {
        let mut rows = FxHashMap::default();
        for (i, node) in nodes.iter().enumerate() {
            if rows.insert(node.id, i).is_some() {
                return Err(malformed(i, "id", format!("node {} was there before; expected ids to be unique", node.id)));
            }
        }
        let mut caller = vec![None; nodes.len()];
        for (i, node) in nodes.iter().enumerate() {
            for (child, id) in node.children.iter().flatten().enumerate() {
                let key = || format!("children[{child}]");
                let row = *rows.get(id).ok_or_else(|| malformed(i, &key(), format!("there is no node {id}")))?;
                match caller.get_mut(row) {
                    Some(caller @ None) => *caller = Some(i),
                    _ => return Err(malformed(i, &key(), format!("node {id} has two callers; expected a tree"))),
                }
            }
        }
        for (i, (node, caller)) in nodes.iter().zip(&mut caller).enumerate() {
            if let Some(parent) = node.parent {
                let row = rows.get(&parent).ok_or_else(|| malformed(i, "parent", format!("there is no node {parent}")))?;
                *caller = Some(*row);
            }
        }
        let callers_first = callers_first(&caller).map_err(|row| {
            let id = nodes.get(row).map_or(0, |node| node.id);
            malformed(row, "children", format!("node {id} is reached from itself; expected a tree"))
        })?;
        Ok(Self { rows, caller, callers_first })
    }
}

fn malformed(row: usize, key: &str, message: String) -> ReadError {
    ReadError::malformed(At::Key(format!("nodes[{row}].{key}")), message)
}

/// The hits of one node.
#[derive(Clone, Default)]
struct NodeHits {
    /// Executing line, 1-based, and ticks; each line once.
    by_line: Vec<(u32, f64)>,
    without_line: f64,
}

struct Hits {
    by_node: Vec<NodeHits>,
    lines: LineKnowledge,
}

impl Hits {
    fn of(file: &File<'_>, tree: &Tree, warnings: &mut Warnings) -> Self {
        let has_hits = |node: &Node<'_>| {
            node.hit_count.is_some_and(|hits| hits != 0.0) || node.position_ticks.as_ref().is_some_and(|ticks| !ticks.is_empty())
        };
        let counted = file.nodes.iter().any(has_hits);
        if !counted && let Some(samples) = file.samples.as_ref().filter(|samples| !samples.is_empty()) {
            warnings.add("no-hit-count", || "no node has a hitCount; samples are counted instead".to_owned());
            let mut by_node = vec![NodeHits::default(); file.nodes.len()];
            for node in samples.iter().filter_map(|id| tree.rows.get(id)) {
                if let Some(hits) = by_node.get_mut(*node) {
                    hits.without_line += 1.0;
                }
            }
            return Self { by_node, lines: LineKnowledge::Nothing };
        }
        let by_node: Vec<NodeHits> = file.nodes.iter().map(|node| NodeHits::of(node, warnings)).collect();
        let any_line = by_node.iter().any(|hits| !hits.by_line.is_empty());
        Self { by_node, lines: if any_line { LineKnowledge::SelfOnly } else { LineKnowledge::Nothing } }
    }
}

impl NodeHits {
    fn of(node: &Node<'_>, warnings: &mut Warnings) -> Self {
        let mut lines: Vec<(u32, f64)> = Vec::new();
        let mut all_ticks = 0.0;
        // Chromium gives natives ticks in the text of their caller, which is a line of no file here.
        let has_file = !node.call_frame.url.is_empty();
        for PositionTicks { line, ticks } in node.position_ticks.iter().flatten() {
            all_ticks += ticks;
            let line = position(*line);
            if has_file && line > 0 {
                lines.push((line, *ticks));
            }
        }
        // Chromium repeats lines.
        lines.sort_by_key(|&(line, _)| line);
        lines.dedup_by(|next, sum| {
            next.0 == sum.0 && {
                sum.1 += next.1;
                true
            }
        });

        let hits = node.hit_count.unwrap_or(all_ticks);
        if all_ticks > hits {
            warnings.add("ticks-exceed-hits", || {
                format!("node {} has {all_ticks} positionTicks but a hitCount of {hits}; the ticks are believed", node.id)
            });
        }
        let with_line: f64 = lines.iter().map(|(_, ticks)| ticks).sum();
        Self { by_line: lines, without_line: hits.max(all_ticks) - with_line }
    }
}

/// Microseconds by node: a sample lasts until the next one, the last until the end of the recording.
struct Time {
    by_node: Vec<f64>,
    /// In samples that name no node.
    unknown: f64,
    total: f64,
}

impl Time {
    fn of(file: &File<'_>, tree: &Tree, warnings: &mut Warnings) -> Option<Self> {
        let (samples, deltas) = (file.samples.as_ref()?, file.time_deltas.as_ref()?);
        if samples.len() != deltas.len() {
            warnings.add("uneven-columns", || {
                format!("there are {} samples but {} timeDeltas; the shorter counts", samples.len(), deltas.len())
            });
        }
        let mut time = Self { by_node: vec![0.0; file.nodes.len()], unknown: 0.0, total: 0.0 };
        let end = file.start_time.zip(file.end_time).map(|(start, end)| end - start);
        for (id, duration) in samples.iter().zip(durations(deltas, end)) {
            let node = tree.rows.get(id).and_then(|&row| time.by_node.get_mut(row));
            if node.is_none() {
                warnings
                    .add("unknown-node", || format!("a sample names node {id}, which is not there; it counts without a stack"));
            }
            *node.unwrap_or(&mut time.unknown) += duration;
            time.total += duration;
        }
        Some(time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;
    use profile::Profile;
    use std::fmt::Write;

    fn frame(name: &str, url: &str, line: i64) -> String {
        format!(
            r#""callFrame":{{"functionName":"{name}","scriptId":"1","url":"{url}","lineNumber":{line},"columnNumber":{line}}}"#
        )
    }

    fn profile(text: &str) -> (Profile, Warnings, Option<f64>) {
        let read = read(text.as_bytes()).unwrap();
        let Recording::Stacks(profile) = read.recording else { panic!("it has stacks") };
        (profile, read.warnings, read.span_seconds)
    }

    /// Each row as `root>leaf:line hits time`.
    fn rows(profile: &Profile) -> String {
        let mut out = String::new();
        let samples = &profile.threads()[0].samples;
        for row in 0..samples.len() {
            let (mut names, mut next) = (Vec::new(), samples.stack(row));
            while let Some(stack) = next {
                let frame = profile.frames().get(profile.stacks().frame(stack));
                let line = if frame.line > 0 { format!(":{}", frame.line) } else { String::new() };
                let idle = if profile.stacks().is_idle(stack) { " idle" } else { "" };
                names.push(format!("{}{line}{idle}", profile.symbols().func_name(frame.func)));
                next = profile.stacks().prefix(stack);
            }
            names.reverse();
            write!(out, "{}", names.join(">")).unwrap();
            for weights in samples.weights() {
                write!(out, " {}", weights.get(row)).unwrap();
            }
            out.push('\n');
        }
        out
    }

    #[test]
    fn hits_go_to_lines_and_time_to_nodes() {
        let text = format!(
            r#"{{"timeDeltas":[100,10,-5,30,40],"samples":[4,4,3,9,2],"startTime":1000,"endTime":1182,"nodes":[
            {{"id":3,{},"hitCount":5,"positionTicks":[{{"line":8,"ticks":1}},{{"line":7,"ticks":2}},{{"line":8,"ticks":1}}]}},
            {{"id":1,{},"hitCount":0,"children":[2,4,9]}},
            {{"id":2,{},"hitCount":0,"children":[3]}},
            {{"id":4,{},"hitCount":6}},
            {{"id":9,{},"hitCount":2,"positionTicks":[{{"line":3,"ticks":2}}]}}]}}"#,
            frame("hash", "file:///a%20b/x.js", 5),
            frame("(root)", "", -1),
            frame("", "http://h/y.js?v=7", 0),
            frame("(idle)", "", -1),
            frame("fill", "", -1),
        );
        let (profile, warnings, span) = profile(&text);
        assert_eq!(
            rows(&profile),
            "(anonymous) 0 7\n(anonymous)>hash:7 2 0\n(anonymous)>hash:8 2 0\n(anonymous)>hash 1 25\n(idle) idle 6 10\nfill 2 40\n"
        );
        assert_eq!(warnings.as_slice(), []);
        assert_eq!(span, Some(82e-6));
        let symbols = profile.symbols();
        assert_eq!(
            symbols.sources.iter().map(|&s| symbols.strings.get(s)).collect::<Vec<_>>(),
            ["http://h/y.js?v=7", "/a b/x.js"]
        );
        let hash = symbols.funcs.ids().map(|id| symbols.funcs.get(id)).find(|f| symbols.strings.get(f.name) == "hash").unwrap();
        assert_eq!((hash.line, hash.column), (6, 6));
        let metrics = Recording::Stacks(profile).metrics().to_vec();
        assert_eq!(
            metrics.iter().map(|m| (m.name.as_str(), m.unit.as_str(), m.lines)).collect::<Vec<_>>(),
            [("hits", "hits", LineKnowledge::SelfOnly), ("time", "us", LineKnowledge::Nothing)]
        );
    }

    #[test]
    fn a_tree_by_parents_is_the_same_tree() {
        let nodes = [("f", "2"), ("(root)", "null"), ("g", "1")].map(|(name, parent)| (frame(name, "", -1), parent));
        let nodes: Vec<_> = nodes
            .iter()
            .enumerate()
            .map(|(i, (frame, parent))| format!(r#"{{"id":{i},{frame},"parent":{parent},"hitCount":{i}}}"#))
            .collect();
        let (profile, ..) = profile(&format!(r#"{{"nodes":[{}]}}"#, nodes.join(",")));
        // The hit on the root has no stack.
        assert_eq!(rows(&profile), " 1\ng 2\n");
    }

    #[test]
    fn odd_counts_are_warned_of() {
        let text = format!(
            r#"{{"samples":[1,7,7],"timeDeltas":[1,2,3,4],"nodes":[{{"id":1,{},"hitCount":1,"positionTicks":[{{"line":2,"ticks":3}},{{"line":0,"ticks":1}}]}}]}}"#,
            frame("f", "x.js", 0)
        );
        let (profile, warnings, _) = profile(&text);
        assert_eq!(rows(&profile), "f:2 3 0\nf 1 2\n 0 7\n");
        let codes: Vec<_> = warnings.as_slice().iter().map(|w| (w.code, w.count)).collect();
        assert_eq!(codes, [("uneven-columns", 1), ("unknown-node", 2), ("ticks-exceed-hits", 1)]);
    }

    #[test]
    fn samples_are_counted_where_nothing_else_is() {
        let text = format!(r#"{{"samples":[1,1],"nodes":[{{"id":1,{}}}]}}"#, frame("f", "x.js", 0));
        let (profile, warnings, span) = profile(&text);
        assert_eq!((rows(&profile).as_str(), span), ("f 2\n", None));
        assert_eq!(warnings.as_slice()[0].code, "no-hit-count");
    }

    #[test]
    fn broken_trees_are_refused_with_node_and_key() {
        let node = |id: i64, rest: &str| format!(r#"{{"id":{id},{}{rest}}}"#, frame("f", "", -1));
        let cases = [
            (vec![node(1, r#","children":[2,5]"#), node(2, "")], "nodes[0].children[1]: there is no node 5"),
            (vec![node(1, r#","parent":3"#)], "nodes[0].parent: there is no node 3"),
            (vec![node(1, ""), node(1, "")], "nodes[1].id: node 1 was there before; expected ids to be unique"),
            (
                vec![node(1, r#","children":[2]"#), node(2, r#","children":[1]"#)],
                "nodes[0].children: node 1 is reached from itself; expected a tree",
            ),
            (
                vec![node(1, r#","children":[3]"#), node(2, r#","children":[3]"#), node(3, "")],
                "nodes[1].children[0]: node 3 has two callers; expected a tree",
            ),
            (
                vec![node(1, r#","hitCount":"many""#)],
                "nodes[0].hitCount: invalid type: string \"many\", expected f64 (line 1, column 126)",
            ),
        ];
        for (nodes, expected) in cases {
            let error = read(format!(r#"{{"nodes":[{}]}}"#, nodes.join(",")).as_bytes()).unwrap_err();
            assert_eq!((error.kind, error.to_string().as_str()), (ErrorKind::Malformed, expected));
        }
        let error = read(br#"{"nodes":[{"id":1,"#).unwrap_err();
        assert_eq!((error.kind, error.at), (ErrorKind::Truncated, At::Byte(18)));
    }

    #[test]
    fn a_hundred_thousand_levels_are_read_without_recursion() {
        let nodes: Vec<_> = (0..100_000)
            .rev()
            .map(|i| format!(r#"{{"id":{i},{},"hitCount":1,"parent":{}}}"#, frame("f", "", -1), (i - 1).max(0)))
            .collect();
        // Node 0 would be its own parent.
        let text = format!(r#"{{"nodes":[{}]}}"#, nodes.join(",")).replace(r#""hitCount":1,"parent":0}]"#, r#""hitCount":1}]"#);
        let (profile, ..) = profile(&text);
        assert_eq!(profile.stacks().len(), 100_000);
    }
}
