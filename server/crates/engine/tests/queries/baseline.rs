//! Costs compared with a baseline.

use crate::support::{Project, compared_with};
use engine::context::Context;
use engine::query::function_costs::function_costs;
use engine::query::line_costs::line_costs;
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
