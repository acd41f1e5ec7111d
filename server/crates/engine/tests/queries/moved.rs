//! Functions that were moved to another file since the recording.

use crate::support::{Project, numbered};
use engine::query::function_costs::function_costs;
use engine::query::line_costs::line_costs;
use engine::snapshot::Snapshot;
use engine::world::context::Context;
use profile::text_samples;
use std::fs;
use std::time::{Duration, SystemTime};

const SPIN: &str = "\
def spin(n):
    total = 0
    for i in range(n):
        total += i
    return total
";
const MAIN: &str = "

def main():
    spin(9)
";
const HELP: &str = "\
def help(x):
    y = x * 2
    return y
";
/// Line 4 of `spin` has 2 of 5 samples, line 3 has one. `main` and `help` have one each.
const SAMPLES: &str = "
    main@10[file:a.py] main@10 main@10 main@10 help@2[file:b.py]
    spin@4[file:a.py]  spin@4  spin@3
";

/// Writes files that are newer than profiles.
fn write(project: &Project, files: &[(&str, &str)]) {
    for (path, text) in files {
        let path = project.path(path);
        fs::write(&path, text).unwrap();
        let later = SystemTime::now() + Duration::from_secs(3600);
        fs::File::options().write(true).open(&path).unwrap().set_modified(later).unwrap();
    }
}

/// The profile, loaded before and after the files changed.
fn moved(samples: &str, before: &[(&str, &str)], after: &[(&str, &str)]) -> (Project, Snapshot) {
    let project = Project::new(before);
    project.load(text_samples::profile(samples));
    write(&project, after);
    let snapshot = project.load(text_samples::profile(samples));
    (project, snapshot)
}

/// The hints and lenses of a file, each with its line (1-based).
fn shown(context: &Context, project: &Project, path: &str) -> [Vec<String>; 2] {
    let hints = line_costs(context, &project.uri(path), 0..u32::MAX).into_iter();
    let hints = hints.map(|hint| numbered(&hint));
    let lenses = function_costs(context, &project.uri(path)).into_iter();
    let lenses = lenses.map(|lens| {
        let title = lens.title.split(" (").next().unwrap_or_default().to_owned();
        format!("{} {title}", lens.line0 + 1)
    });
    [hints.collect(), lenses.collect()]
}

fn strings<const N: usize>(texts: [&str; N]) -> Vec<String> {
    texts.map(str::to_owned).to_vec()
}

const CALLER: &str = "from b import spin\n\n\ndef main():\n    spin(9)\n";

#[test]
fn a_function_has_its_costs_in_the_file_that_it_was_moved_to() {
    let a = format!("{SPIN}\n{MAIN}");
    let samples = "main@10[file:a.py] main@10 main@10 main@10\nspin@4[file:a.py]  spin@4  spin@3";
    let before = [("a.py", a.as_str())];
    for (above, line) in [("", 1), ("import os\n\n\n", 4)] {
        let b = format!("{above}{SPIN}");
        let after = [("a.py", CALLER), ("b.py", b.as_str())];
        let (project, snapshot) = moved(samples, &before, &after);
        let context = project.context(snapshot, &["a.py", "b.py"]);
        let expected = [format!("{} 25.0%", line + 2), format!("{} 50.0%", line + 3)];
        let lens = format!("{line} self 75.0%");
        assert_eq!(shown(&context, &project, "b.py"), [expected.to_vec(), vec![lens]]);
        let expected = [strings(["5 100.0%"]), strings(["4 self 25.0%"])];
        assert_eq!(shown(&context, &project, "a.py"), expected);
    }
}

#[test]
fn a_file_with_costs_of_its_own_keeps_them() {
    let a = format!("{SPIN}\n{MAIN}");
    let formatted = SPIN.replace("range(n)", "range(\n        n\n    )");
    let b = format!("import os\n\n{formatted}\n\n{HELP}");
    let before = [("a.py", a.as_str()), ("b.py", HELP)];
    let (project, snapshot) = moved(SAMPLES, &before, &[("a.py", CALLER), ("b.py", &b)]);
    let context = project.context(snapshot, &["a.py", "b.py"]);
    let hints = strings(["5 20.0%", "8 40.0%", "13 20.0%"]);
    let lenses = strings(["3 self 60.0%", "12 self 20.0%"]);
    assert_eq!(shown(&context, &project, "b.py"), [hints, lenses]);
    let expected = [strings(["5 80.0%"]), strings(["4 self 20.0%"])];
    assert_eq!(shown(&context, &project, "a.py"), expected);
}

#[test]
fn a_method_is_found_in_its_class() {
    let method = |text: &str| format!("    {}", text.trim_end().replace('\n', "\n    "));
    let class = |name: &str, text: &str| format!("class {name}:\n{}\n", method(text));
    let (a, b) = (class("A", SPIN), class("B", HELP));
    let after_a = "class A:\n    pass\n";
    let after_b = format!("class B:\n{}\n\n{}\n", method(HELP), method(SPIN));
    let samples = "spin@5[file:a.py] spin@5 spin@4 help@3[file:b.py]";
    let before = [("a.py", a.as_str()), ("b.py", b.as_str())];
    let (project, snapshot) = moved(samples, &before, &[("a.py", after_a), ("b.py", &after_b)]);
    let context = project.context(snapshot, &["a.py", "b.py"]);
    let hints = strings(["3 25.0%", "8 25.0%", "9 50.0%"]);
    let lenses = strings(["2 self 25.0%", "6 self 75.0%"]);
    assert_eq!(shown(&context, &project, "b.py"), [hints, lenses]);
    assert_eq!(shown(&context, &project, "a.py"), [strings([]), strings([])]);
}

/// The class that a method moved with is not in the file's recorded text, so its place is not certain.
#[test]
fn a_function_is_found_beside_one_that_is_not() {
    let turn = SPIN.replace("spin", "turn").trim_end().replace('\n', "\n    ");
    let class = format!("class K:\n    {turn}\n");
    let a = format!("{SPIN}\n\n{class}");
    let b = format!("{SPIN}\n\n{HELP}\n\n{class}");
    let samples = "spin@4[file:a.py] spin@4 turn@12[file:a.py] help@2[file:b.py]";
    let before = [("a.py", a.as_str()), ("b.py", HELP)];
    let (project, snapshot) = moved(samples, &before, &[("a.py", "x = 1\n"), ("b.py", &b)]);
    let context = project.context(snapshot, &["a.py", "b.py"]);
    let expected = [strings(["4 50.0%", "9 25.0%"]), strings(["1 self 50.0%", "8 self 25.0%"])];
    assert_eq!(shown(&context, &project, "b.py"), expected);
}

#[test]
fn costs_are_nowhere_if_several_places_are_possible() {
    let a = format!("{SPIN}\n{MAIN}");
    let (samples, before) = (SAMPLES, [("a.py", a.as_str()), ("b.py", HELP)]);
    let both = format!("{HELP}\n\n{SPIN}");
    let elsewhere: [&[(&str, &str)]; 3] = [
        &[("a.py", CALLER), ("b.py", &both), ("c.py", SPIN)],
        &[("a.py", CALLER), ("c.py", SPIN), ("d.py", SPIN)],
        &[("a.py", CALLER), ("c.py", &SPIN.replace("+=", "-="))],
    ];
    for after in elsewhere {
        let (project, snapshot) = moved(samples, &before, after);
        let context = project.context(snapshot, &["a.py", "b.py", "c.py"]);
        assert_eq!(shown(&context, &project, "a.py")[0], ["5 80.0%"]);
        assert_eq!(shown(&context, &project, "b.py")[0], ["2 20.0%"]);
        assert_eq!(shown(&context, &project, "c.py")[0], [""; 0]);
    }
}

#[test]
fn a_copy_that_was_there_before_does_not_get_the_costs() {
    let a = format!("{SPIN}\n{MAIN}");
    let both = format!("{HELP}\n\n{SPIN}");
    let before = [("a.py", a.as_str()), ("b.py", &both), ("c.py", HELP)];
    let (project, snapshot) = moved(SAMPLES, &before, &[("a.py", CALLER)]);
    let context = project.context(snapshot, &["b.py"]);
    assert_eq!(shown(&context, &project, "b.py")[0], ["2 20.0%"]);
    let before = [("a.py", a.as_str()), ("b.py", HELP), ("c.py", SPIN)];
    let (project, snapshot) = moved(SAMPLES, &before, &[("a.py", CALLER)]);
    let context = project.context(snapshot, &["c.py"]);
    assert_eq!(shown(&context, &project, "c.py")[0], [""; 0]);
}
