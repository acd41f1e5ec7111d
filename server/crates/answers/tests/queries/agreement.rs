//! Random views and baselines, in which all surfaces have the same costs.

use crate::support::{Project, compared_with};
use answers::{
    Baseline, Context, CostFields, HotSpots, OverlayData, PartChange, RankBy as By, Snapshot,
    TreeNode, ViewSettings, World, call_tree, flame_graph, function_costs, hot_spots, line_costs,
};
use profile::text_samples;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::Arc;

const FILE: &str = "app.rs";

/// Functions of four lines: `f0` begins on line 1, `f1` on line 5.
const N_FUNCTIONS: usize = 4;

/// A function, and its line (2 or 3 after its first).
type Frame = (usize, usize);

fn text() -> String {
    (0..N_FUNCTIONS).map(|f| format!("fn f{f}() {{\n    a();\n    b();\n}}\n")).collect()
}

fn samples() -> impl Strategy<Value = Vec<Vec<Frame>>> {
    let frame = (0..N_FUNCTIONS, 2_usize..4);
    prop::collection::vec(prop::collection::vec(frame, 1..5), 1..9)
}

fn views() -> impl Strategy<Value = ViewSettings> {
    let transforms = [
        "merge-function:f1",
        "drop-function:f2",
        "focus-function:f1",
        "focus-subtree:f0>f1",
        "merge-node:f0>f1",
        "collapse-recursion:f1",
        "collapse-function-subtree:f1",
        "focus-self:f2",
    ];
    let transforms = prop::sample::subsequence(transforms.to_vec(), 0..3).prop_shuffle();
    let range = prop::option::of((0_u64..6, 1_u64..6));
    let search = prop_oneof![Just(""), Just("f2")];
    (transforms, range, search).prop_map(|(transforms, range, search)| ViewSettings {
        transforms: transforms.iter().map(|text| text.parse().unwrap()).collect(),
        range: range.map(|(start, len)| format!("{start}..{}", start + len).parse().unwrap()),
        search: search.to_owned(),
        ..ViewSettings::default()
    })
}

/// The samples, the first after 0 ms, the second after 1 ms.
fn load(project: &Project, samples: &[Vec<Frame>], view: &ViewSettings) -> Snapshot {
    let depth = samples.iter().map(Vec::len).max().unwrap_or_default();
    let mut rows = String::new();
    for level in 0..depth {
        for sample in samples {
            let cell = sample.get(level).map_or_else(String::new, |(f, line)| {
                format!("f{f}@{}[file:{FILE}][start:{}]", 4 * f + line, 4 * f + 1)
            });
            write!(rows, "{cell:<30}").unwrap();
        }
        rows.push('\n');
    }
    let times: Vec<f64> = (0..samples.len()).map(|at| at as f64).collect();
    project.load(text_samples::taken_at(&rows, &times)).with_view(view)
}

/// Self cost, total, and their changes.
#[derive(Debug, Clone, Default, PartialEq)]
struct Row {
    self_: f64,
    total: f64,
    self_change: f64,
    total_change: f64,
}

/// `None` where a surface does not know the change.
fn row(self_: f64, total: f64, fields: &CostFields) -> Row {
    let change = |part: Option<&PartChange>| part.map_or(0.0, |part| part.change.0);
    Row {
        self_,
        total,
        self_change: change(fields.change.as_ref().and_then(|change| change.self_.as_ref())),
        total_change: change(fields.change.as_ref().and_then(|change| change.total.as_ref())),
    }
}

type Rows = BTreeMap<String, Row>;

fn hot(context: &Context, by: By) -> Option<HotSpots> {
    let question = answers::HotSpotsQuestion {
        by: Some(by.into()),
        limit: Some(1000),
        ..answers::HotSpotsQuestion::default()
    };
    hot_spots(context, question).unwrap()
}

/// Functions by name.
fn listed(context: &Context) -> Rows {
    let functions = hot(context, By::Function).unwrap().list.rows.into_iter();
    functions
        .map(|function| {
            let cost = function.cost.cost;
            let (self_, total) = (cost.self_.unwrap().0, cost.total.unwrap().0);
            (function.title, row(self_, total, &cost.fields))
        })
        .collect()
}

/// Functions of lenses by name.
fn lenses(context: &Context, project: &Project) -> Rows {
    let lenses = function_costs(context, &project.uri(FILE)).into_iter();
    lenses
        .map(|lens| {
            let cost = lens.data.cost;
            let (self_, total) = (cost.self_.unwrap().0, cost.total.unwrap().0);
            (lens.data.name, row(self_, total, &cost.fields))
        })
        .collect()
}

/// Self and total of each function, summed over the nodes of a tree. Recursive calls are within the
/// total of the outermost one.
fn sum(nodes: &[TreeNode], above: &BTreeSet<&str>, sums: &mut BTreeMap<String, (f64, f64)>) {
    for node in nodes {
        let sum = sums.entry(node.name.clone()).or_default();
        sum.0 += node.self_.unwrap().0;
        if !above.contains(node.name.as_str()) {
            sum.1 += node.total.0;
        }
        let mut above = above.clone();
        above.insert(&node.name);
        self::sum(&node.children, &above, sums);
    }
}

fn costs(rows: &Rows) -> BTreeMap<String, (f64, f64)> {
    rows.iter().map(|(name, row)| (name.clone(), (row.self_, row.total))).collect()
}

/// Lines (1-based) with self cost and total of hints.
fn hints(context: &Context, project: &Project) -> BTreeMap<u32, Row> {
    let hints = line_costs(context, &project.uri(FILE), 0..u32::MAX).into_iter();
    hints
        .map(|hint| {
            let cost = hint.data.cost;
            let (self_, total) = (cost.self_.unwrap().0, cost.total.unwrap().0);
            (hint.data.line.line0 + 1, row(self_, total, &cost.fields))
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]
    #[test]
    fn all_surfaces_have_the_same_costs(
        now in samples(),
        before in samples(),
        view in views(),
        compares in any::<bool>(),
    ) {
        let text = text();
        let settings = serde_json::json!({ "hints": { "minPercent": 0 }, "lenses": { "minPercent": 0 } });
        let project = Project::new(&[(FILE, text.as_str())]).with_settings(&settings);
        let mut context = project.context(load(&project, &now, &view), &[FILE]);
        if compares {
            context = compared_with(&context, load(&project, &before, &view));
        }
        let Some(list) = hot(&context, By::Function) else { return Ok(()) };
        let total = list.total.unwrap().0;
        let listed = listed(&context);

        let tree = call_tree(&context, &answers::CallTreeQuestion {
            depth: Some(30),
            limit: Some(1000),
            ..answers::CallTreeQuestion::default()
        }).unwrap();
        prop_assert_eq!(tree.total.0, total);
        let roots: f64 = tree.nodes.iter().map(|node| node.total.0).sum();
        prop_assert_eq!(roots, total);
        let mut sums = BTreeMap::new();
        sum(&tree.nodes, &BTreeSet::new(), &mut sums);
        let shown: BTreeMap<_, _> =
            costs(&listed).into_iter().filter(|&(_, (_, total))| total != 0.0).collect();
        prop_assert_eq!(&sums, &shown);

        let lenses = lenses(&context, &project);
        prop_assert_eq!(&lenses, &listed);

        let hints = hints(&context, &project);
        for (name, function) in &listed {
            let first = 4 * name[1..].parse::<u32>().unwrap() + 1;
            let lines: Vec<_> = hints.range(first..first + 4).map(|(_, line)| line).collect();
            let self_: f64 = lines.iter().map(|line| line.self_).sum();
            prop_assert_eq!(self_, function.self_);
            prop_assert!(lines.iter().all(|line| line.total <= function.total));
        }
        let lines = hot(&context, By::Line).unwrap().list.rows.into_iter();
        let lines: BTreeMap<u32, Row> = lines
            .map(|line| {
                let cost = line.cost.cost;
                let (self_, total) = (cost.self_.unwrap().0, cost.total.unwrap().0);
                (line.line.unwrap(), row(self_, total, &cost.fields))
            })
            .collect();
        prop_assert_eq!(&lines, &hints);

        match flame_graph(&context, &answers::FlameGraphQuestion::default()) {
            Err(_) => prop_assert_eq!(total, 0.0),
            Ok(graph) => {
                prop_assert_eq!((graph.total.0, graph.omitted), (total, 0));
                let self_: f64 = graph.frames.iter().map(|frame| frame.self_.unwrap().0).sum();
                let roots = graph.frames.iter().filter(|frame| frame.parent.is_none());
                let roots: f64 = roots.map(|frame| frame.total.0).sum();
                prop_assert_eq!((self_, roots), (total, total));
            }
        }
    }

    /// An overlay adds second costs, which all surfaces have, and changes no other number.
    #[test]
    fn all_surfaces_have_the_same_second_costs(
        now in samples(),
        other in samples(),
        view in views(),
    ) {
        let text = text();
        let settings = serde_json::json!({ "hints": { "minPercent": 0 }, "lenses": { "minPercent": 0 } });
        let project = Project::new(&[(FILE, text.as_str())]).with_settings(&settings);
        let plain = project.context(load(&project, &now, &view), &[FILE]);
        let overlay = Baseline::new(Arc::new(load(&project, &other, &view)));
        let world = World { overlay: Some(Arc::new(overlay)), ..World::clone(&plain.world) };
        let context = Context { world: Arc::new(world), ..plain.clone() };
        if hot(&plain, By::Function).is_none() {
            return Ok(());
        }
        prop_assert_eq!(listed(&context), listed(&plain));
        prop_assert_eq!(lenses(&context, &project), lenses(&plain, &project));
        let mut shown = hints(&context, &project);
        // Lines that only have a second cost.
        shown.retain(|_, row| *row != Row::default());
        prop_assert_eq!(shown, hints(&plain, &project));

        let second = |overlay: &Option<OverlayData>| {
            overlay.as_ref().map_or((0.0, 0.0), |it| (it.self_.0, it.total.unwrap().0))
        };
        let functions = hot(&context, By::Function).unwrap().list.rows.into_iter();
        let functions: BTreeMap<String, (f64, f64)> =
            functions.map(|row| (row.title, second(&row.cost.cost.overlay))).collect();
        let of_lenses: BTreeMap<String, (f64, f64)> = function_costs(&context, &project.uri(FILE))
            .into_iter()
            .map(|lens| (lens.data.name, second(&lens.data.cost.overlay)))
            .collect();
        prop_assert_eq!(&of_lenses, &functions);
        let of_lines: BTreeMap<u32, (f64, f64)> =
            line_costs(&context, &project.uri(FILE), 0..u32::MAX)
                .into_iter()
                .map(|hint| (hint.data.line.line0 + 1, second(&hint.data.cost.overlay)))
                .collect();
        for (name, (self_, total)) in &functions {
            let first = 4 * name[1..].parse::<u32>().unwrap() + 1;
            let lines: Vec<_> = of_lines.range(first..first + 4).map(|(_, cost)| *cost).collect();
            prop_assert_eq!(lines.iter().map(|(self_, _)| self_).sum::<f64>(), *self_);
            prop_assert!(lines.iter().all(|(_, of_line)| of_line <= total));
        }
        let lines = hot(&context, By::Line).unwrap().list.rows.into_iter();
        for line in lines {
            prop_assert_eq!(second(&line.cost.cost.overlay), of_lines[&line.line.unwrap()]);
        }
        // The second costs are those of the other profile, if that has what the view chooses.
        let shown = context.world.overlay_profile();
        for (name, cost) in &functions {
            let same = shown.and_then(|shown| {
                let mut all = shown.snapshot.costs.functions();
                all.find(|(function, _)| shown.snapshot.function(*function).name == name)
            });
            let same = same.map(|(_, function)| function.cost);
            let expected =
                same.map_or((0.0, 0.0), |cost| (cost.self_, cost.total.exact().unwrap()));
            prop_assert_eq!(*cost, expected);
        }
    }
}
