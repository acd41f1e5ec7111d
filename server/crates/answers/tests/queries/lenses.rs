//! Where lenses stand, and which of them have names.

use crate::support::Project;
use answers::{RecordedFunctions, function_costs};
use profile::text_samples;
use serde_json::json;

/// The lenses of a file as `LINE TITLE`, 1-based.
fn lenses(project: &Project, file: &str, samples: &str) -> Vec<String> {
    let snapshot = project.load(text_samples::profile(samples));
    let context = project.context(snapshot, &[file]);
    let lenses = function_costs(&context, &project.uri(file));
    lenses.iter().map(|lens| format!("{} {}", lens.line0 + 1, lens.title)).collect()
}

#[test]
fn a_function_of_inlined_lines_has_its_lens_on_its_definition() {
    let text = "\
static double compound(double x) {
    return x *
        x;
}
double apply(double x) {
    return 2 * compound(x);
}
";
    let project = Project::new(&[("rules.c", text)]);
    let samples = "apply@2[file:rules.c]";
    assert_eq!(
        lenses(&project, "rules.c", samples),
        ["5 self 100.0% (1 sample) · total 100.0% (1 sample)"]
    );
}

#[test]
fn a_function_without_a_definition_has_its_name_on_a_statement() {
    let text = "\
static double compound(double x) {
    for (;;)
        x = f(x,
            x);
}
";
    let project = Project::new(&[("rules.c", text)]);
    assert_eq!(
        lenses(&project, "rules.c", "generated@4[file:rules.c]"),
        ["2 generated: self 100.0% (1 sample) · total 100.0% (1 sample)"]
    );
    let text = "import sys\n\nTABLE = {\n    1: f(),\n    2: g(),\n}\n";
    let project = Project::new(&[("app.py", text)]);
    assert_eq!(
        lenses(&project, "app.py", "<module>@5[file:app.py]"),
        ["3 <module>: self 100.0% (1 sample) · total 100.0% (1 sample)"]
    );
}

/// Both methods may have inlined the line, which is in a function of another name.
#[test]
fn a_function_that_may_be_several_has_no_lens_in_another_one() {
    let text = "\
static double compound(double x) {
    return x * x;
}
double Interest::apply(double x) const {
    return compound(x);
}
double Fee::apply(double x) const {
    return compound(x);
}
";
    let project = Project::new(&[("rules.cpp", text)]);
    let title = "self 100.0% (1 sample) · total 100.0% (1 sample)";
    let lenses = |samples: &str| lenses(&project, "rules.cpp", samples);
    assert_eq!(lenses("apply@2[file:rules.cpp]"), [""; 0]);
    // The name is nowhere else, or the profile knows where the function starts.
    assert_eq!(lenses("generated@2[file:rules.cpp]"), [format!("2 generated: {title}")]);
    assert_eq!(lenses("apply@2[file:rules.cpp][start:7]"), [format!("7 {title}")]);
}

/// A lens within a statement would separate its lines.
#[test]
fn a_lambda_that_is_an_argument_has_no_lens() {
    let text = "\
def main(a):
    f = lambda q: work(q)
    return sorted(
        a,
        key=lambda q: work(q),
    )
";
    let project = Project::new(&[("m.py", text)]);
    let samples = "
        main@3[file:m.py]     main@3
        <lambda>@2[file:m.py] <lambda>@5[file:m.py]";
    assert_eq!(
        lenses(&project, "m.py", samples),
        [
            "1 self 0.0% (0 samples) · total 100.0% (2 samples)",
            "2 self 50.0% (1 sample) · total 50.0% (1 sample)",
        ]
    );
}

#[test]
fn a_start_line_without_the_definition_has_the_name() {
    let text = "import sys\n\ndef f():\n    pass\n";
    let project = Project::new(&[("app.py", text)]);
    let samples =
        "<module>@3[file:app.py][start:1] g@4[file:app.py][start:3] f@4[file:app.py][start:3]";
    assert_eq!(
        lenses(&project, "app.py", samples),
        [
            "1 <module>: self 33.3% (1 sample) · total 33.3% (1 sample)",
            "3 g: self 33.3% (1 sample) · total 33.3% (1 sample)",
            "3 self 33.3% (1 sample) · total 33.3% (1 sample)",
        ]
    );
}

#[test]
fn closures_without_a_name_have_no_lens_unless_the_setting_is_on() {
    let text = "\
fn main() {
    let n: u32 = (0..9)
        .map(|x| {
            x * 2
        })
        .sum();
    let twice = |x| {
        x * 2
    };
}
";
    let off = Project::new(&[("main.rs", text)]);
    let on =
        Project::new(&[("main.rs", text)]).with_settings(&json!({"lenses": {"closures": true}}));
    let lines = |project: &Project, samples: &str| -> Vec<String> {
        let lenses = lenses(project, "main.rs", samples);
        lenses.iter().map(|lens| lens.split(' ').next().unwrap_or_default().to_owned()).collect()
    };
    let unnamed = "main@6[file:main.rs]             main@2\nmain::{{closure}}@4[file:main.rs]";
    assert_eq!(lines(&off, unnamed), ["1"]);
    assert_eq!(lines(&on, unnamed), ["1", "3"]);
    // A closure that is bound to a name has that name.
    let named = "main@7[file:main.rs]\nmain::{{closure}}@8[file:main.rs]";
    assert_eq!(lines(&off, named), ["1", "7"]);
}

#[test]
fn functions_of_one_name_have_the_cost_of_their_own_frames() {
    let text = "\
class A:
    def run(self):
        return sum(range(10))

    def other(self):
        return 1

class B:
    def run(self):
        return max(range(10))


def main():
    A().run()
    B().run()
";
    let project = Project::new(&[("a.py", text)]);
    let samples = "\
main@14[file:a.py] main@14 main@14 main@15
run@3[file:a.py]   run@3   run@3   run@10
";
    assert_eq!(
        lenses(&project, "a.py", samples),
        [
            "2 self 75.0% (3 samples) · total 75.0% (3 samples)",
            "9 self 25.0% (1 sample) · total 25.0% (1 sample)",
            "13 self 0.0% (0 samples) · total 100.0% (4 samples)",
        ]
    );
    let snapshot = project.load(text_samples::profile(samples));
    let context = project.context(snapshot, &["a.py"]);
    // Each has a key of its own, and the recording has one function.
    let items = function_costs(&context, &project.uri("a.py"));
    let starts: Vec<_> = items.iter().map(|lens| lens.data.func.start).collect();
    assert_eq!(starts, [Some((2, 0)), Some((9, 0)), None]);
    let snapshot = &**context.world.snapshot().unwrap();
    for lens in &items {
        let function = lens.data.func.function(snapshot).unwrap();
        assert_eq!(snapshot.start_line(function), Some(lens.line0 + 1));
    }
    let recorded = RecordedFunctions::new(snapshot);
    let run = recorded
        .costs()
        .functions()
        .find(|(function, _)| recorded.function(*function).name == "run");
    let (run, cost) = run.unwrap();
    assert_eq!((recorded.function(run).line, cost.cost.self_), (0, 4.0));
    assert_eq!(recorded.costs().functions().count(), 2);
}
