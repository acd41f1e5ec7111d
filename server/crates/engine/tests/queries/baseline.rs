//! Costs compared with a baseline.

use crate::support::{Project, compared_with};
use engine::context::Context;
use engine::load::{Caches, Environment, index_sources, renew};
use engine::query::function_costs::function_costs;
use engine::query::hot_spots::{Question, hot_spots};
use engine::query::hover::hover;
use engine::query::line_costs::line_costs;
use engine::ranking::By;
use engine::settings::Settings;
use engine::text::Position;
use profile::text_samples;
use serde_json::json;

const APP: &str = "fn f() {\n    g();\n    h();\n}\nfn g() {}\nfn h() {}\n";

fn shown(context: &Context, project: &Project) -> Vec<String> {
    let uri = project.uri("app.rs");
    let hints = line_costs(context, &uri, 0..u32::MAX).into_iter();
    let hints = hints.map(|hint| format!("{} {}", hint.position.line0 + 1, hint.label));
    let lenses = function_costs(context, &uri).into_iter();
    let lenses = lenses.map(|lens| format!("{} {}", lens.line0 + 1, lens.title));
    hints.chain(lenses).collect()
}

#[test]
fn changes_are_in_points_of_percent() {
    let project = Project::new(&[("app.rs", APP)]);
    let now = "
        f@2[file:app.rs] f@3              f@3 f@3
        g@5[file:app.rs] h@6[file:app.rs] h@6 h@6";
    let before = "
        f@2[file:app.rs] f@3
        g@5[file:app.rs] h@6[file:app.rs]";
    let [now, before] = [now, before].map(|text| project.load(text_samples::profile(text)));
    let context = compared_with(&project.context(now, &["app.rs"]), before);
    // Before: g 50 %, h 50 %. Now: g 25 %, h 75 %.
    assert_eq!(
        shown(&context, &project),
        [
            "2 25.0% ▼25.0",
            "3 75.0% ▲25.0",
            "5 25.0% ▼25.0",
            "6 75.0% ▲25.0",
            "1 self 0.0% (0 samples) ±0.0 · total 100.0% (4 samples) ±0.0",
            "5 self 25.0% (1 sample) ▼25.0 · total 25.0% (1 sample) ▼25.0",
            "6 self 75.0% (3 samples) ▲25.0 · total 75.0% (3 samples) ▲25.0",
        ]
    );
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
    Question { by: Some(by), ..Question::default() }
}

fn hot_lines(context: &Context) -> Vec<String> {
    let lines = hot_spots(context, question(By::Line)).unwrap().unwrap().lines.unwrap();
    lines.iter().map(|line| format!("{} {}", line.line, line.cost.label)).collect()
}

#[test]
fn what_had_no_cost_before_had_zero() {
    let project = Project::new(&[("app.rs", APP)]);
    let now = "
        f@2[file:app.rs] f@3
        g@5[file:app.rs] h@6[file:app.rs]";
    let before = "f@2[file:app.rs]\ng@5[file:app.rs]";
    let [now, before] = [now, before].map(|text| project.load(text_samples::profile(text)));
    let context = compared_with(&project.context(now, &["app.rs"]), before);
    let shown = shown(&context, &project);
    assert_eq!(shown[..4], ["2 50.0% ▼50.0", "3 50.0% ▲50.0", "5 50.0% ▼50.0", "6 50.0% ▲50.0"]);
    assert_eq!(shown[6], "6 self 50.0% (1 sample) ▲50.0 · total 50.0% (1 sample) ▲50.0");
    assert!(hot_lines(&context).contains(&"2 50.0% ▼50.0".to_owned()));
}

#[test]
fn a_hover_has_the_percentages_of_each_profile() {
    let project = Project::new(&[("app.rs", APP)]);
    let now = "
        f@2[file:app.rs] f@2 f@2 f@3
        g@5[file:app.rs] g@5 g@5 h@6[file:app.rs]";
    let before = "
        f@2[file:app.rs] f@3
        g@5[file:app.rs] h@6[file:app.rs]";
    let [now, before] = [now, before].map(|text| project.load(text_samples::profile(text)));
    let context = compared_with(&project.context(now, &["app.rs"]), before);
    let rows = |position| {
        let report = hover(&context, &project.uri("app.rs"), position).unwrap().plain();
        let is_compared = |line: &&str| line.starts_with("before") || line.starts_with("change");
        report.lines().filter(is_compared).map(str::to_owned).collect::<Vec<_>>()
    };
    // g: now 3 of 4 samples, before 1 of 2.
    let of_function = rows(Position::new(4, 3));
    assert_eq!(
        of_function,
        [
            "before: self 50.0% (1 sample), total 50.0% (1 sample)",
            "change: self ▲25.0, total ▲25.0"
        ]
    );
    let of_line = rows(Position::new(1, 0));
    assert_eq!(
        of_line,
        ["before: self 0.0% (0 samples), total 50.0% (1 sample)", "change: self ±0.0, total ▲25.0"]
    );
}

#[test]
fn lines_are_compared_only_with_the_same_text() {
    let project = Project::new(&[("app.rs", APP)]);
    let samples = || text_samples::profile("f@2[file:app.rs]\ng@5[file:app.rs]");
    let before = || project.load_all(vec![project.loaded_before_edits(samples())]);
    for open in [vec!["app.rs"], vec![]] {
        let now = project.context(project.load(samples()), &open);
        let same_text = compared_with(&now, project.load(samples()));
        assert_eq!(hot_lines(&same_text), ["5 100.0% ±0.0", "2 100.0% ±0.0"], "{open:?}");
        let unknown_text = compared_with(&now, before());
        assert_eq!(hot_lines(&unknown_text), ["5 100.0%", "2 100.0%"], "{open:?}");
    }
    let context = compared_with(&project.context(project.load(samples()), &["app.rs"]), before());
    assert_eq!(shown(&context, &project)[..2], ["2 100.0%", "5 100.0%"]);
}

#[test]
fn functions_without_a_unique_match_are_not_compared() {
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
            "3 50.0% ±0.0",
            "8 50.0% ±0.0",
            "2 self 50.0% (1 sample) · total 50.0% (1 sample)",
            "7 self 50.0% (1 sample) · total 50.0% (1 sample)",
        ]
    );
}

#[test]
fn a_function_without_a_definition_is_not_compared_with_one_that_has_one() {
    let text = "fn f() {\n    g();\n}\nimpl X {\n    fn g() {\n        h();\n    }\n}\nimpl Y {\n    fn g() {}\n}\n";
    let project = Project::new(&[("app.rs", text)]);
    // Without a line, it is not known which definition `g` is.
    let [without, with] =
        ["f@2[file:app.rs]\ng[file:app.rs]", "f@2[file:app.rs]\ng@6[file:app.rs]"];
    let label = |now, before| {
        let [now, before] = [now, before].map(|text| project.load(text_samples::profile(text)));
        let context = compared_with(&project.context(now, &[]), before);
        let functions =
            hot_spots(&context, question(By::Function)).unwrap().unwrap().functions.unwrap();
        functions.into_iter().find(|function| function.name == "g").unwrap().cost.label
    };
    assert_eq!(label(with, with), "100.0% ±0.0");
    assert_eq!(label(without, without), "100.0% ±0.0");
    assert_eq!(label(without, with), "100.0%");
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
