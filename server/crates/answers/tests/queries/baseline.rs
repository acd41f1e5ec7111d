//! Costs compared with a baseline.

use crate::support::{Project, compared_with, compared_with_runs, numbered, recording, v8};
use answers::{
    Baseline, Caches, Compare, Context, Diff, Direction, Environment, HotRow,
    HotSpotsQuestion as Question, ItemPath, LineHint, PartChange, Position, RankBy as By,
    RankSort as Sort, Same, Settings, Snapshot, TreeNode, Unmatched, ViewSettings, Weight,
    call_tree, calls, flame_graph, function_costs, hot_spots, hottest_functions, hover,
    index_sources, line_costs, renew, root_item, symbols, view,
};
use profile::text_samples;
use serde_json::json;
use std::sync::Arc;

const APP: &str = "fn f() {\n    g();\n    h();\n}\nfn g() {}\nfn h() {}\n";

fn shown(context: &Context, project: &Project) -> Vec<String> {
    let uri = project.uri("app.rs");
    let hints = line_costs(context, &uri, 0..u32::MAX).into_iter();
    let hints = hints.map(|hint| numbered(&hint));
    let lenses = function_costs(context, &uri).into_iter();
    let lenses = lenses.map(|lens| format!("{} {}", lens.line0 + 1, lens.title));
    hints.chain(lenses).collect()
}

/// Samples of `main`, each of which stands for 100.
fn hundreds(project: &Project, samples: &str) -> Snapshot {
    let columns = samples.trim().lines().next().unwrap().split_whitespace().count();
    project.load(text_samples::weighted(samples, &vec![100.0; columns]))
}

#[test]
fn counts_of_samples_are_compared_as_they_are() {
    let project = Project::new(&[("app.rs", APP)]);
    let now = "
        f@2[file:app.rs] f@3              f@3 f@3
        g@5[file:app.rs] h@6[file:app.rs] h@6 h@6";
    let before = "
        f@2[file:app.rs] f@3
        g@5[file:app.rs] h@6[file:app.rs]";
    let [now, before] = [now, before].map(|text| hundreds(&project, text));
    let context = compared_with(&project.context(now, &["app.rs"]), before);
    // Before: g 100, h 100. Now: g 100, h 300. What did not change has no mark, whatever its share is.
    assert_eq!(
        shown(&context, &project),
        [
            "2 25.0%",
            "3 75.0% ▲200 samples",
            "5 25.0%",
            "6 75.0% ▲200 samples",
            "1 self 0.0% (0 samples) · total 100.0% (400 samples) ▲200 samples",
            "5 self 25.0% (100 samples) · total 25.0% (100 samples)",
            "6 self 75.0% (300 samples) ▲200 samples · total 75.0% (300 samples) ▲200 samples",
        ]
    );
    let total = view(&context.world).shown.comparison.unwrap();
    assert_eq!(total.text, "200 samples → 400 samples +100%");
}

/// Costs of the baseline are the means of its runs on every surface, and a change within their spread
/// is noise.
#[test]
fn several_runs_are_compared_by_their_mean() {
    let project = Project::new(&[("app.rs", APP)]);
    // The means are 40 ms and 100 ms. `g` varies by 10 ms, `h` does not.
    let runs = [(30.0, 100.0), (40.0, 100.0), (50.0, 100.0)];
    let runs = || runs.map(|(g, h)| timed(&project, g, h)).into_iter().collect();
    let context = |g, h| {
        let context = project.context(timed(&project, g, h), &["app.rs"]);
        compared_with_runs(&context, runs())
    };
    let changed = context(30.0, 130.0);
    // g: -10 ms of at most 9.925 · 10 ms · √(1 + 1/3). f: 140 to 160 ms, of the same.
    assert_eq!(
        shown(&changed, &project),
        [
            "2 18.8%",
            "3 81.2% ▲30.0 ms",
            "5 18.8%",
            "6 81.2% ▲30.0 ms",
            "1 self 0.0% (0 s) · total 100.0% (160 ms)",
            "5 self 18.8% (30.0 ms) · total 18.8% (30.0 ms)",
            "6 self 81.2% (130 ms) ▲30.0 ms · total 81.2% (130 ms) ▲30.0 ms",
        ]
    );
    let total = view(&changed.world).shown.comparison.unwrap();
    assert_eq!((total.before, total.may_be_noise), (Weight(140.0), true));
    let report = hover(&changed, &project.uri("app.rs"), Position::new(4, 1000)).unwrap().plain();
    assert!(report.contains("compared with the mean of 3 runs of profile.folded"), "{report}");
}

/// Editors, reports and `costline diff` use the spread of the mean on either side.
#[test]
fn the_spread_of_a_mean_is_noise_on_every_surface() {
    let project = Project::new(&[("app.rs", APP)]).with_settings(&json!({"combine": "average"}));
    // `g` takes 30 ms in one run; in the mean of three, 40 ms with a deviation of 10 ms.
    let mean_of = |n: usize| {
        let run = |g: &f64| {
            let samples = "f@2[file:app.rs] f@3\ng@5[file:app.rs] h@6[file:app.rs]";
            project.loaded(text_samples::timed(samples, &[*g, 100.0]))
        };
        project.load_runs([30.0, 40.0, 50.0][..n].iter().map(run).collect())
    };
    // 1% of a t-distribution with 4 degrees of freedom are beyond 4.604.
    let thirds = [(1, 3, 4.0_f64), (3, 1, 4.0), (3, 3, 2.0)];
    for (n_before, n_now, thirds) in thirds {
        let [before, now] = [n_before, n_now].map(|n| Arc::new(mean_of(n)));
        let Diff { functions, lines, .. } = Diff::new(&before, &now, Compare::Absolute);
        let g = functions.iter().find(|row| row.name == "g").unwrap();
        assert!((g.self_.noise.unwrap() - 4.604 * 10.0 * (thirds / 3.0).sqrt()).abs() < 1e-9);
        assert_eq!((functions.len(), lines.len()), (3, 4));
        for open in [&[][..], &["app.rs"]] {
            let context = compared_with(&project.context(mean_of(n_now), open), mean_of(n_before));
            let shown = context.world.snapshot().unwrap();
            for row in &functions {
                let mut all = shown.costs.functions();
                let (function, cost) =
                    all.find(|(it, _)| shown.function(*it).name == row.name).unwrap();
                let before = context.function_before(shown, function).unwrap();
                assert_eq!(before.self_change(cost.cost), row.self_, "{row:?}");
                assert_eq!(before.total_change(cost.cost), row.total, "{row:?}");
            }
            for row in &lines {
                let mut all = shown.costs.lines().iter();
                let line = all.find(|line| Some(line.line) == row.line).unwrap();
                let before = context.line_before(shown, line.file, line.line).unwrap();
                assert_eq!(before.self_change(line.cost), row.self_, "{row:?}");
                assert_eq!(before.total_change(line.cost), row.total, "{row:?}");
            }
        }
    }
}

/// A profile of `a`, which calls `g` and `h`, with these times in ms.
fn timed(project: &Project, g: f64, h: f64) -> Snapshot {
    let samples = "f@2[file:app.rs] f@3\ng@5[file:app.rs] h@6[file:app.rs]";
    project.load(text_samples::timed(samples, &[g, h]))
}

#[test]
fn times_are_compared_absolutely() {
    let project = Project::new(&[("app.rs", APP)]);
    let context = compared_with(
        &project.context(timed(&project, 50.0, 10.0), &["app.rs"]),
        timed(&project, 60.0, 40.0),
    );
    // g fell from 60 to 50 ms, although its share rose from 60% to 83.3%.
    assert_eq!(
        shown(&context, &project),
        [
            "2 83.3% ▼10.0 ms",
            "3 16.7% ▼30.0 ms",
            "5 83.3% ▼10.0 ms",
            "6 16.7% ▼30.0 ms",
            "1 self 0.0% (0 s) · total 100.0% (60.0 ms) ▼40.0 ms",
            "5 self 83.3% (50.0 ms) ▼10.0 ms · total 83.3% (50.0 ms) ▼10.0 ms",
            "6 self 16.7% (10.0 ms) ▼30.0 ms · total 16.7% (10.0 ms) ▼30.0 ms",
        ]
    );
    let shown_now = view(&context.world).shown;
    assert_eq!(shown_now.comparison.unwrap().text, "100 ms → 60.0 ms −40%");

    let share = project.with_settings(&json!({"compare": "share"}));
    let context = compared_with(
        &share.context(timed(&share, 50.0, 10.0), &["app.rs"]),
        timed(&share, 60.0, 40.0),
    );
    let labels = shown(&context, &share);
    assert_eq!(labels[..2], ["2 83.3% ▲23.3", "3 16.7% ▼23.3"]);
    assert_eq!(labels[4], "1 self 0.0% (0 s) · total 100.0% (60.0 ms)");
}

/// The text of a change, `-` if there is none, with `?` if it may be noise.
fn change(part: Option<&PartChange>) -> String {
    let part = part.unwrap();
    let text = part.text.clone().unwrap_or_else(|| "-".to_owned());
    text + if part.may_be_noise { "?" } else { "" }
}

#[test]
fn columns_show_the_direction_and_self_costs_have_tiers_of_their_own() {
    let project = Project::new(&[("app.rs", APP)]);
    let samples = "f@2[file:app.rs] f@3\ng@5[file:app.rs] h@6[file:app.rs]";
    let load = |weights: [f64; 2]| project.load(text_samples::weighted(samples, &weights));
    let now = project.context(load([9000.0, 1000.0]), &["app.rs"]);
    let columns = |context: &Context| {
        let hints = line_costs(context, &project.uri("app.rs"), 0..u32::MAX).into_iter();
        hints
            .map(|LineHint { data, .. }| (data.column_text, data.self_tier, data.self_change_tier))
            .collect::<Vec<_>>()
    };
    let column = |text: &str, tier, change| (text.to_owned(), tier, change);
    assert_eq!(
        columns(&now),
        [
            column("90.0%", 0, None),
            column("10.0%", 0, None),
            column("90.0%", 3, None),
            column("10.0%", 2, None)
        ]
    );
    let compared = columns(&compared_with(&now, load([1000.0, 9000.0])));
    assert_eq!(
        compared,
        [
            column("▲90.0%", 0, Some(Some(0))),
            column("▼10.0%", 0, Some(Some(0))),
            column("▲90.0%", 3, Some(Some(3))),
            column("▼10.0%", 2, Some(Some(-3))),
        ]
    );
}

#[test]
fn noise_is_only_in_the_data() {
    let project = Project::new(&[("app.rs", APP)]);
    let samples = "f@2[file:app.rs] f@3\ng@5[file:app.rs] h@6[file:app.rs]";
    let load = |weights: [f64; 2]| project.load(text_samples::weighted(samples, &weights));
    let context =
        compared_with(&project.context(load([52.0, 48.0]), &["app.rs"]), load([50.0, 50.0]));
    let hints = line_costs(&context, &project.uri("app.rs"), 0..u32::MAX);
    assert_eq!(hints[0].label, "52.0% total");
    let fields = &hints[0].data.cost.fields;
    let total = fields.change.as_ref().unwrap().total.as_ref();
    assert_eq!(change(total), "▲2 samples?");
    assert_eq!((total.unwrap().before, total.unwrap().change), (Weight(50.0), Weight(2.0)));
    let lens = &function_costs(&context, &project.uri("app.rs"))[1];
    assert_eq!(lens.title, "self 52.0% (52 samples) · total 52.0% (52 samples)");
    let report = hover(&context, &project.uri("app.rs"), Position::new(1, 1000)).unwrap().plain();
    assert!(report.contains("change: self – · total ▲2 samples (within noise)"), "{report}");
}

/// Also if little of its cost is left.
#[test]
fn a_function_that_got_much_faster_has_a_lens() {
    let project = Project::new(&[("app.rs", APP)]);
    let samples = "f@2[file:app.rs] f@3\ng@5[file:app.rs] h@6[file:app.rs]";
    let load = |times: [f64; 2]| project.load(text_samples::timed(samples, &times));
    let context = project.context(load([1.0, 199.0]), &["app.rs"]);
    let lines = |context: &Context| {
        let lenses = function_costs(context, &project.uri("app.rs")).into_iter();
        lenses.map(|lens| lens.line0 + 1).collect::<Vec<_>>()
    };
    // `g`, on line 5, has 0.5% of the cost.
    assert_eq!(lines(&context), [1, 6]);
    assert_eq!(lines(&compared_with(&context, load([100.0, 199.0]))), [1, 5, 6]);
}

#[test]
fn trees_and_lists_have_the_change_of_each_path() {
    let project = Project::new(&[("app.rs", APP)]);
    let now = "f@2[file:app.rs] f@3 h@6[file:app.rs]\ng@5[file:app.rs] h@6[file:app.rs]";
    let before = "f@2[file:app.rs] f@3\ng@5[file:app.rs] h@6[file:app.rs]";
    let now = project.load(text_samples::timed(now, &[50.0, 30.0, 10.0]));
    let before = project.load(text_samples::timed(before, &[60.0, 40.0]));
    let context = compared_with(&project.context(now, &["app.rs"]), before);
    let tree =
        call_tree(&context, &answers::CallTreeQuestion { depth: Some(2), ..Default::default() });
    let tree = tree.unwrap();
    let rows = |nodes: &[TreeNode]| {
        nodes.iter().map(|node| format!("{} {}", node.name, node.text)).collect::<Vec<_>>()
    };
    assert_eq!(rows(&tree.nodes), ["f 88.9% ▼20.0 ms", "h 11.1% ▲10.0 ms · self 11.1%"]);
    let below = ["g 55.6% ▼10.0 ms · self 55.6%", "h 33.3% ▼10.0 ms · self 33.3%"];
    assert_eq!(rows(&tree.nodes[0].children), below);
    // The same nodes if only they are requested.
    let path = tree.nodes[0].path.clone();
    let part =
        call_tree(&context, &answers::CallTreeQuestion { path, ..Default::default() }).unwrap();
    assert_eq!(rows(&part.nodes), below);
    // From below: h is called by f and by nothing.
    let inverted =
        answers::CallTreeQuestion { inverted: true, depth: Some(2), ..Default::default() };
    let inverted = call_tree(&context, &inverted).unwrap();
    assert_eq!(rows(&inverted.nodes)[1], "h 44.4%");
    assert_eq!(rows(&inverted.nodes[1].children), ["f 33.3% ▼10.0 ms"]);

    let graph = flame_graph(&context, &answers::FlameGraphQuestion::default()).unwrap();
    let frames: Vec<_> =
        graph.frames.iter().map(|frame| format!("{} {}", frame.name, frame.text)).collect();
    assert_eq!(
        frames,
        [
            "f 88.9% ▼20.0 ms",
            "h 11.1% ▲10.0 ms · self 11.1%",
            "g 55.6% ▼10.0 ms · self 55.6%",
            "h 33.3% ▼10.0 ms · self 33.3%"
        ]
    );
    let differences: Vec<_> =
        graph.frames.iter().map(|frame| (frame.difference.unwrap() * 90.0).round()).collect();
    // Milliseconds of 90 ms.
    assert_eq!(differences, [-20.0, 10.0, -10.0, -10.0]);
    // 22.2% and 11.1% of the total.
    let tiers: Vec<_> =
        graph.frames.iter().map(|frame| frame.fields.change_tier.flatten().unwrap()).collect();
    assert_eq!(tiers, [-3, 2, -2, -2]);
    let legend: Vec<_> = graph.legend.iter().map(|it| (it.tier, it.text.as_str())).collect();
    assert_eq!(legend[0], (Some(-3), "▼ from 20%"));
    assert_eq!(legend[4], (Some(1), "▲ below 5%"));
    assert_eq!(legend.last(), Some(&(None, "unknown")));

    let names: Vec<_> = symbols(&context, "$").unwrap().into_iter().map(|it| it.name).collect();
    assert_eq!(
        names,
        ["$55.6% ▼10.0 ms · self 55.6% g", "$44.4% · self 44.4% h", "$88.9% ▼20.0 ms f"]
    );

    let snapshot = context.world.snapshot().unwrap();
    let f = hottest_functions(snapshot)[0];
    let item = serde_json::to_value(root_item(&context, snapshot, f).unwrap()).unwrap();
    assert_eq!(item["name"], "88.9% ▼20.0 ms f");
    let path: ItemPath = serde_json::from_value(item["data"].clone()).unwrap();
    let calls = calls(&context, &path, Direction::Outgoing);
    let names: Vec<_> = calls.iter().map(|call| call.item.name.as_str()).collect();
    assert_eq!(names, ["55.6% ▼10.0 ms g", "33.3% ▼10.0 ms h"]);
}

#[test]
fn lines_of_closed_files_are_matched_through_both_recorded_texts() {
    let project = Project::new(&[("app.rs", APP)]);
    let samples = "f@2[file:app.rs]\ng@5[file:app.rs]";
    let before = project.load(text_samples::timed(samples, &[60.0]));
    std::fs::write(project.path("app.rs"), format!("// one\n// two\n{APP}")).unwrap();
    let moved = "f@4[file:app.rs]\ng@7[file:app.rs]";
    let now = project.load(text_samples::timed(moved, &[50.0]));
    let context = compared_with(&project.context(now, &[]), before);
    assert_eq!(hot_lines(&context), ["7 100.0% ▼10.0 ms", "4 100.0% ▼10.0 ms"]);
}

/// Each profile is compared with the baseline by its own functions.
#[test]
fn a_function_that_moved_to_another_file_is_matched_by_its_code() {
    let spin = |by: u32| {
        let text = "def spin(n):\n    total = 0\n    for i in range(n):\n        total += i * BY\n";
        format!("{text}    return total\n").replace("BY", &by.to_string())
    };
    let project = Project::new(&[("a.py", &spin(1)), ("b.py", "")]);
    let before = project.load(text_samples::profile("spin@4[file:a.py]"));
    let spins = |snapshot: &Snapshot| snapshot.costs.functions().next().unwrap().0;
    let [same, other] = [1, 2].map(|by| {
        std::fs::write(project.path("a.py"), "").unwrap();
        std::fs::write(project.path("b.py"), spin(by)).unwrap();
        project.load(text_samples::profile("spin@4[file:b.py]"))
    });
    let expected = Same::Function(spins(&before));
    let baseline = Baseline::new(Arc::new(before));
    for _ in 0..2 {
        assert_eq!(baseline.same(&same, spins(&same)), expected);
        assert_eq!(baseline.same(&other, spins(&other)), Same::Absent);
    }
}

#[test]
fn other_metrics_are_not_compared() {
    let project = Project::new(&[("app.rs", APP)]).with_settings(&json!({"metric": "samples"}));
    let samples = "f@2[file:app.rs]";
    let now = project.load(text_samples::profile(samples));
    let instructions = vec![analysis::Metric::new("Ir", "Ir", None)];
    let other = project.load(profile::ProfileBuilder::new(instructions, 0).build());
    let context = compared_with(&project.context(now, &["app.rs"]), other);
    assert_eq!(shown(&context, &project)[0], "2 100.0%");
    let baseline = context.world.baseline.clone().unwrap();
    let problem = baseline.problem(context.world.snapshot().unwrap()).unwrap();
    assert!(problem.contains("measures `Ir`, not `samples`"), "{problem}");
}

fn question(by: By) -> Question {
    Question { by: Some(by.into()), sort: Some(Sort::Total), ..Question::default() }
}

fn hot_lines(context: &Context) -> Vec<String> {
    let lines = hot_spots(context, question(By::Line)).unwrap().unwrap().list.rows;
    lines.iter().map(|line| format!("{} {}", line.line.unwrap(), line.cost.label)).collect()
}

#[test]
fn what_had_no_cost_before_had_zero() {
    let project = Project::new(&[("app.rs", APP)]);
    let now = "
        f@2[file:app.rs] f@3
        g@5[file:app.rs] h@6[file:app.rs]";
    let before = "f@2[file:app.rs]\ng@5[file:app.rs]";
    let [now, before] = [now, before].map(|text| hundreds(&project, text));
    let context = compared_with(&project.context(now, &["app.rs"]), before);
    let shown = shown(&context, &project);
    assert_eq!(shown[..4], ["2 50.0%", "3 50.0% ▲100 samples", "5 50.0%", "6 50.0% ▲100 samples"]);
    assert_eq!(
        shown[6],
        "6 self 50.0% (100 samples) ▲100 samples · total 50.0% (100 samples) ▲100 samples"
    );
    assert!(hot_lines(&context).contains(&"3 50.0% ▲100 samples".to_owned()));
}

#[test]
fn a_hover_has_the_percentages_of_each_profile() {
    let project =
        Project::new(&[("app.rs", APP)]).with_settings(&json!({ "hover": { "everywhere": true } }));
    let now = "
        f@2[file:app.rs] f@2 f@2 f@3
        g@5[file:app.rs] g@5 g@5 h@6[file:app.rs]";
    let before = "
        f@2[file:app.rs] f@3
        g@5[file:app.rs] h@6[file:app.rs]";
    let [now, before] = [now, before].map(|text| hundreds(&project, text));
    let context = compared_with(&project.context(now, &["app.rs"]), before);
    let rows = |position| {
        let report = hover(&context, &project.uri("app.rs"), position).unwrap().plain();
        let is_compared = |line: &&str| line.starts_with("before") || line.starts_with("change");
        report.lines().filter(is_compared).map(str::to_owned).collect::<Vec<_>>()
    };
    // g: now 300 of 400 samples, before 100 of 200.
    let of_function = rows(Position::new(4, 3));
    assert_eq!(
        of_function,
        [
            "before: self 50.0% (100 samples) · total 50.0% (100 samples)",
            "change: self ▲200 samples · total ▲200 samples"
        ]
    );
    let of_line = rows(Position::new(1, 0));
    assert_eq!(
        of_line,
        [
            "before: self 0.0% (0 samples) · total 50.0% (100 samples)",
            "change: self – · total ▲200 samples"
        ]
    );
}

/// The lines that are hot, and whether they are known to be the same in the baseline.
fn compared_lines(context: &Context) -> Vec<String> {
    let lines = hot_spots(context, question(By::Line)).unwrap().unwrap().list.rows;
    let of = |line: &HotRow| {
        assert_eq!(line.cost.label, "100.0%", "an unchanged cost has no delta");
        let compared = line.cost.cost.fields.change.as_ref();
        let same = compared.map_or("unknown", |change| match change.total.as_ref() {
            Some(total) if total.change == Weight(0.0) => "same",
            _ => "changed",
        });
        format!("{} {same}", line.line.unwrap())
    };
    lines.iter().map(of).collect()
}

#[test]
fn lines_are_compared_only_with_the_same_text() {
    let project = Project::new(&[("app.rs", APP)]);
    let samples = || text_samples::profile("f@2[file:app.rs]\ng@5[file:app.rs]");
    let before = || project.load_all(vec![project.loaded_before_edits(samples())]);
    for open in [vec!["app.rs"], vec![]] {
        let now = project.context(project.load(samples()), &open);
        let same_text = compared_with(&now, project.load(samples()));
        assert_eq!(compared_lines(&same_text), ["5 same", "2 same"], "{open:?}");
        let unknown_text = compared_with(&now, before());
        assert_eq!(compared_lines(&unknown_text), ["5 unknown", "2 unknown"], "{open:?}");
    }
    let context = compared_with(&project.context(project.load(samples()), &["app.rs"]), before());
    assert_eq!(shown(&context, &project)[..2], ["2 100.0%", "5 100.0%"]);
}

#[test]
fn functions_of_one_name_are_compared_if_their_lines_are_the_same() {
    let text = "\
impl X for A {
    fn g() {
        x();
    }
}
impl Y for A {
    fn g() {
        y();
    }
}
";
    let project = Project::new(&[("app.rs", text)]);
    let samples = "X::g@3[file:app.rs] Y::g@8[file:app.rs]";
    let [now, before] = [samples; 2].map(|text| project.load(text_samples::profile(text)));
    let context = compared_with(&project.context(now, &["app.rs"]), before);
    assert_eq!(
        shown(&context, &project),
        [
            "3 50.0%",
            "8 50.0%",
            "2 self 50.0% (1 sample) · total 50.0% (1 sample)",
            "7 self 50.0% (1 sample) · total 50.0% (1 sample)",
        ]
    );
    let uri = project.uri("app.rs");
    let lines = line_costs(&context, &uri, 0..u32::MAX).into_iter();
    assert!(lines.map(|hint| hint.data.cost.fields.change).all(|change| change.is_some()));
    let functions = function_costs(&context, &uri).into_iter();
    assert!(functions.map(|lens| lens.data.cost.fields.change).all(|change| change.is_some()));
}

#[test]
fn a_function_without_a_definition_is_not_compared_with_one_that_has_one() {
    let text = "fn f() {\n    g();\n}\nimpl X {\n    fn g() {\n        h();\n    }\n}\nimpl Y {\n    fn g() {}\n}\n";
    let project = Project::new(&[("app.rs", text)]);
    // Without a line, it is not known which definition `g` is.
    let [without, with] =
        ["f@2[file:app.rs]\ng[file:app.rs]", "f@2[file:app.rs]\ng@6[file:app.rs]"];
    let is_compared = |now, before| {
        let [now, before] = [now, before].map(|text| project.load(text_samples::profile(text)));
        let context = compared_with(&project.context(now, &[]), before);
        let functions = hot_spots(&context, question(By::Function)).unwrap().unwrap().list.rows;
        let g = functions.into_iter().find(|function| function.title == "g").unwrap();
        assert_eq!(g.cost.label, "100.0%");
        g.cost.cost.fields.change.is_some()
    };
    assert!(is_compared(with, with));
    assert!(is_compared(without, without));
    assert!(!is_compared(without, with));
}

/// Closures of a bundle whose text is not known: which of them is that of the other profile?
#[test]
fn functions_of_one_name_without_definitions_are_not_compared() {
    let project = Project::new(&[]);
    let load = |nodes: &[(&str, i32, i32, Option<usize>, usize)]| {
        Arc::new(project.load(recording(&v8("file:///srv/bundle.js", nodes))))
    };
    let (closure, other) = (("", 9, 0, None, 10), ("", 19, 0, None, 30));
    let [one, two] = [load(&[closure]), load(&[closure, other])];
    let diff = Diff::new(&one, &two, Compare::Absolute);
    assert_eq!(diff.functions, []);
    assert_eq!(diff.unmatched, Unmatched { n_before: 1, n_now: 2, own: 40_000.0 });
    let diff = Diff::new(&two, &one, Compare::Absolute);
    assert_eq!(diff.functions, []);
    assert_eq!(diff.unmatched, Unmatched { n_before: 2, n_now: 1, own: 10_000.0 });
    // A single one is compared, wherever it starts.
    let moved = load(&[("", 19, 0, None, 30)]);
    assert_eq!(Diff::new(&one, &moved, Compare::Absolute).functions[0].self_.change, 20_000.0);
}

#[test]
fn chosen_threads_are_not_compared_with_all() {
    let project = Project::new(&[("app.rs", APP)]);
    let threads = || {
        project.load(text_samples::build(&[
            ("main", "f@2[file:app.rs]", None),
            ("worker", "f@3[file:app.rs]", None),
        ]))
    };
    let settings = Settings::parse(&json!({"threads": ["worker"]})).0.costs();
    let index = index_sources(&[project.path("")], &settings.sources);
    let caches = Caches::default();
    let environment = Environment { settings: &settings, index: &index, caches: &caches };
    let worker = renew(&threads(), environment);
    let context = compared_with(&project.context(worker, &["app.rs"]), threads());
    assert_eq!(shown(&context, &project)[0], "3 100.0%");
    let baseline = context.world.baseline.clone().unwrap();
    let problem = baseline.problem(context.world.snapshot().unwrap()).unwrap();
    assert!(problem.contains("only one of them has the chosen threads"), "{problem}");
}

/// `work` is new. Without it, the whole baseline would be compared with a part of the profile.
#[test]
fn a_part_is_not_compared_with_a_whole_baseline() {
    const NOW: &str = "f@2[file:app.rs]  f@2[file:app.rs]\n                  work@3[file:app.rs]";
    let project = Project::new(&[("app.rs", APP)]);
    let now = project.load(text_samples::taken_at(NOW, &[0.0, 10.0]));
    let before = project.load(text_samples::profile("f@2[file:app.rs]"));
    let problem = |view: ViewSettings| {
        let context = project.context(now.with_view(&view), &["app.rs"]);
        let context = compared_with(&context, before.with_view(&view));
        let baseline = context.world.baseline.clone().unwrap();
        baseline.problem(context.world.snapshot().unwrap())
    };
    let transform = |text: &str| {
        let transforms = vec![text.parse().unwrap()];
        problem(ViewSettings { transforms, ..ViewSettings::default() })
    };
    let focus = transform("focus-function:work").unwrap();
    assert!(focus.contains("`focus-function:work` matches nothing in it"), "{focus}");
    // All of the baseline is left.
    assert_eq!(transform("drop-function:work"), None);
    let range = Some("0..5".parse().unwrap());
    let range = problem(ViewSettings { range, ..ViewSettings::default() }).unwrap();
    assert!(range.contains("it has no times for the chosen range"), "{range}");
    assert_eq!(problem(ViewSettings::default()), None);
}
