//! Functions that have another name than in the baseline, or are in another version of a library.

use crate::support::{Project, compared_with, recording};
use answers::{
    Compare, Context, Diff, Direction, HotSpotsQuestion as Question, ItemPath, RankBy as By,
    RankSort as Sort, Sides, Unmatched, calls, function_costs, hot_spots, root_item,
};
use profile::text_samples;
use std::sync::Arc;

/// A source and samples of 60 ms and 40 ms, compared with those of `before`.
fn renamed(before: [&str; 2], now: [&str; 2]) -> (Project, Context) {
    let project = Project::new(&[("app.py", before[0])]);
    let before = project.load(text_samples::timed(before[1], &[60.0, 40.0]));
    std::fs::write(project.path("app.py"), now[0]).unwrap();
    let shown = project.load(text_samples::timed(now[1], &[60.0, 40.0]));
    let context = compared_with(&project.context(shown, &["app.py"]), before);
    (project, context)
}

/// The labels of all lenses, hot functions, and callers of the hottest one.
fn function_labels(context: &Context, project: &Project) -> Vec<String> {
    let lenses = function_costs(context, &project.uri("app.py")).into_iter().map(|lens| lens.title);
    let question =
        Question { by: Some(By::Function.into()), sort: Some(Sort::Total), ..Question::default() };
    let hot = hot_spots(context, question).unwrap().unwrap().list.rows;
    let hot = hot.into_iter().map(|row| format!("{} {}", row.title, row.cost.label));
    let snapshot = context.world.snapshot().unwrap();
    let mut functions = snapshot.costs.functions().map(|(function, _)| function);
    let work = functions.find(|&it| snapshot.text_name(it) != "main").unwrap();
    let item = serde_json::to_value(root_item(context, snapshot, work).unwrap()).unwrap();
    let path: ItemPath = serde_json::from_value(item["data"].clone()).unwrap();
    let callers = calls(context, &path, Direction::Incoming).into_iter();
    let items = callers.map(|call| call.item.name).chain([item["name"].to_string()]);
    lenses.chain(hot).chain(items).collect()
}

#[test]
fn a_renamed_function_has_no_delta() {
    let text = "def work(n):\n    return n\n\ndef main():\n    work(1)\n";
    let samples = "main@5[file:app.py] main@5\nwork@2[file:app.py] work@2";
    let (project, context) =
        renamed([text, samples], [&text.replace("work", "toil"), &samples.replace("work", "toil")]);
    let labels = function_labels(&context, &project);
    assert!(labels.contains(&"toil 100.0%".to_owned()), "{labels:?}");
    assert!(labels.iter().all(|label| !label.contains('▲')), "{labels:?}");
    // The other function is still compared.
    let main = &function_costs(&context, &project.uri("app.py"))[1];
    assert!(main.data.cost.fields.change.is_some());
}

/// The same code, but for the name. Which of two copies is the old function is not known.
#[test]
fn a_function_with_the_same_code_was_renamed() {
    let spin = |name: &str| {
        format!(
            "def {name}(n):\n    total = 0\n    for i in range(n):\n        total += i * 2\n    return total if n else {name}(1)\n"
        )
    };
    let main = "\ndef main():\n    pass\n";
    let diff = |before: &str, now: &str, lines: [u32; 2]| {
        let project = Project::new(&[("app.py", before)]);
        let [before_at, now_at] = lines.map(|line| format!("spin@{line}[file:app.py]"));
        let before = Arc::new(project.load(text_samples::profile(&before_at)));
        std::fs::write(project.path("app.py"), now).unwrap();
        let now = text_samples::profile(&now_at.replace("spin", "whirl"));
        Diff::new(&before, &Arc::new(project.load(now)), Compare::Absolute)
    };
    let sides = |diff: &Diff| diff.functions.iter().map(|row| row.sides).collect::<Vec<_>>();
    let [spin, whirl] = ["spin", "whirl"].map(spin);
    let renamed = diff(&format!("{spin}{main}"), &format!("{main}{whirl}"), [4, 7]);
    assert_eq!(renamed.functions[0].name, "whirl");
    assert_eq!((sides(&renamed), renamed.functions[0].self_.change), (vec![Sides::Both], 0.0));
    let copy = whirl.replace("whirl", "copy");
    let copied = diff(&spin, &format!("{whirl}{copy}"), [4, 4]);
    assert_eq!(sides(&copied), [Sides::Before, Sides::After]);
    let edited = diff(&spin, &whirl.replace("* 2", "* 3"), [4, 4]);
    assert_eq!(sides(&edited), [Sides::Before, Sides::After]);
}

#[test]
fn functions_of_a_renamed_class_are_compared_by_their_lines() {
    let text = "class A:\n    def work(self):\n        return 1\n\n    def main(self):\n        self.work()\n";
    let samples = "main@6[file:app.py] main@6\nwork@3[file:app.py] work@3";
    let (project, context) =
        renamed([text, samples], [&text.replace("class A", "class B"), samples]);
    let labels = function_labels(&context, &project);
    assert!(labels.iter().all(|label| !label.contains('▲')), "{labels:?}");
    let lenses = function_costs(&context, &project.uri("app.py"));
    assert_eq!(lenses.len(), 2);
    assert!(lenses.iter().all(|lens| lens.data.cost.fields.change.is_some()));
}

/// A function that had no cost before has its whole cost as the change; one that is new may be an old
/// one with another name.
#[test]
fn only_a_function_that_existed_had_no_cost() {
    let text = "def work(n):\n    return n\n\ndef main():\n    work(1)\n";
    let [without, with] =
        ["main@5[file:app.py] main@5", "main@5[file:app.py] main@5\nwork@2[file:app.py] work@2"];
    let titles = |before: &str| {
        let (project, context) = renamed([before, without], [text, with]);
        let lenses = function_costs(&context, &project.uri("app.py")).into_iter();
        lenses.map(|lens| lens.title.contains("▲100 ms")).collect::<Vec<_>>()
    };
    assert_eq!(titles(text), [true, false]);
    let work = "def work(n):\n    return n\n";
    assert_eq!(titles(&text.replace(work, "\n\n")), [false, false]);
}

/// The names of the functions of each side of a comparison, and how many are left out.
fn sides(before: &str, now: &str) -> (Vec<String>, Unmatched) {
    let project = Project::new(&[]);
    let [before, now] = [before, now].map(|text| Arc::new(project.load(recording(text))));
    let diff = Diff::new(&before, &now, Compare::Absolute);
    let side = |sides| match sides {
        Sides::Both => "both",
        Sides::After => "new",
        Sides::Before => "gone",
    };
    let mut rows: Vec<_> =
        diff.functions.iter().map(|row| format!("{} {}", row.name, side(row.sides))).collect();
    rows.sort();
    (rows, diff.unmatched)
}

#[test]
fn functions_of_another_version_of_a_library_are_the_same() {
    for (before, now) in [
        ("/go/pkg/mod/github.com/x/y@v1.0.0/p.go", "/go/pkg/mod/github.com/x/y@v1.0.1/p.go"),
        ("/usr/lib/go-1.19/src/a.go", "/usr/lib/go-1.20/src/a.go"),
        ("/r/serde-1.0.0/src/de.rs", "/r/serde-1.0.7/src/de.rs"),
        ("/rustc/59807616e1fa25407/a.rs", "/rustc/6980761fe1fa25408/a.rs"),
    ] {
        let samples = |file: &str| format!("main (/srv/main.x:3);parse ({file}:20) 500\n");
        let (rows, unmatched) = sides(&samples(before), &samples(now));
        assert_eq!(rows, ["main both", "parse both"], "{now}");
        assert_eq!(unmatched, Unmatched::default());
    }
}

/// Symbol servers name the files of the standard library otherwise than debug info does.
#[test]
fn functions_of_one_library_are_the_same_in_files_with_other_names() {
    let samples = |file: &str, lib: &str| {
        let rows = format!("main@3[file:/srv/main.x]\nparse@20[file:{file}][lib:{lib}]");
        text_samples::profile(&rows)
    };
    let project = Project::new(&[]);
    let diff = |lib: &str| {
        let [before, now] = [("/rustc/5980/x.rs", "app"), ("git:host/rust:x.rs:5980", lib)]
            .map(|(file, lib)| Arc::new(project.load(samples(file, lib))));
        let diff = Diff::new(&before, &now, Compare::Absolute);
        (diff.functions.len(), diff.unmatched)
    };
    assert_eq!(diff("app"), (2, Unmatched::default()));
    assert_eq!(diff("other"), (1, Unmatched { n_before: 1, n_now: 1, own: 1.0 }));
}

#[test]
fn functions_of_several_versions_at_once_are_left_out() {
    let samples = |versions: [&str; 2]| {
        let line = |version: &str| format!("parse (/r/serde-{version}/src/de.rs:20) 500\n");
        versions.map(line).concat()
    };
    let (rows, unmatched) = sides(&samples(["1.0.0", "1.0.1"]), &samples(["1.0.1", "1.0.2"]));
    assert_eq!(rows, ["parse both"]);
    assert_eq!(unmatched, Unmatched { n_before: 1, n_now: 1, own: 500.0 });
}

#[test]
fn only_functions_with_a_new_name_are_new() {
    let before = "main (/srv/main.x:3);parse (/lib/a/parse.x:20) 500\n";
    let now = "main (/srv/main.x:3);parse (/lib/b/read.x:20) 400\nmain (/srv/main.x:3);scan (/lib/b/scan.x:1) 100\n";
    let (rows, unmatched) = sides(before, now);
    assert_eq!(rows, ["main both", "scan new"]);
    assert_eq!(unmatched, Unmatched { n_before: 1, n_now: 1, own: 400.0 });
}
