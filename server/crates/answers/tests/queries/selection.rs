//! What selected lines cost, who calls them, and what they call.

use crate::support::Project;
use answers::{Selection, SelectionQuestion as Question, ViewSettings, selection};
use expect_test::{Expect, expect};
use profile::text_samples;
use std::fmt::Write as _;

const APP: &str = "\
fn main() {
    parse();
    eval();
}

fn parse() { hash(); }

fn eval() {
    parse();
    hash();
}

fn hash() {}
";

/// main → parse → hash, main → eval → parse → hash, main → eval → hash, main → eval, and eval as a
/// thread of its own.
const SAMPLES: &str = "
main@2[file:app.rs]  main@3              main@3                main@3  eval@10
parse@6[file:app.rs] eval@9[file:app.rs] eval@10               eval@8
hash@13[file:app.rs] parse@6             hash@13
                     hash@13";

/// The cost of lines (1-based, both included) of `app.rs`.
fn select(samples: &str, first: u32, last: u32) -> Option<Selection> {
    let project = Project::new(&[("app.rs", APP)]);
    let context = project.context(project.load(text_samples::profile(samples)), &["app.rs"]);
    let question =
        Question { uri: project.uri("app.rs"), first_line0: first - 1, last_line0: last - 1 };
    selection(&context, &question)
}

#[track_caller]
fn check(first: u32, last: u32, expected: &Expect) {
    let found = select(SAMPLES, first, last).unwrap();
    let mut out = found.text.clone() + "\n";
    for line in &found.lines {
        writeln!(out, "line {}: {}", line.line0 + 1, line.text).unwrap();
    }
    for caller in found.callers.iter().flatten() {
        let mark = if caller.recursive { "↻ " } else { "" };
        let (name, text, place) = (&caller.name, &caller.text, &caller.place.place_text);
        writeln!(out, "called by {mark}{name} at {place}: {text}").unwrap();
    }
    for callee in &found.callees {
        let mark = if callee.recursive { "↻ " } else { "" };
        let (name, text, place) = (&callee.name, &callee.text, &callee.place.place_text);
        writeln!(out, "calls {mark}{name} at {place}: {text}").unwrap();
    }
    expected.assert_eq(&out);
}

#[test]
fn a_sample_on_several_lines_counts_once() {
    // Lines 8 to 10 run below line 3, in three of the five samples, and on their own in the last.
    check(
        3,
        10,
        &expect![[r#"
            lines 3 to 10: self 40.0% (2 samples) · total 100.0% (5 samples)
            line 3: 60.0% · 60.0% of the selection
            line 6: 40.0% · 40.0% of the selection
            line 10: 40.0% · self 20.0% · 40.0% of the selection
            line 8: 20.0% · self 20.0% · 20.0% of the selection
            line 9: 20.0% · 20.0% of the selection
            called by main at app.rs:2: 20.0% (1 sample)
            calls eval at app.rs:8: 60.0% (3 samples)
            calls hash at app.rs:13: 40.0% (2 samples)
            calls parse at app.rs:6: 20.0% (1 sample)
            calls hash at app.rs:13: 20.0% (1 sample)
        "#]],
    );
}

#[test]
fn callers_are_those_of_the_outermost_selected_line() {
    check(
        8,
        10,
        &expect![[r#"
            lines 8 to 10: self 40.0% (2 samples) · total 80.0% (4 samples)
            line 10: 40.0% · self 20.0% · 50.0% of the selection
            line 8: 20.0% · self 20.0% · 25.0% of the selection
            line 9: 20.0% · 25.0% of the selection
            called by main at app.rs:3: 60.0% (3 samples)
            calls parse at app.rs:6: 20.0% (1 sample)
            calls hash at app.rs:13: 20.0% (1 sample)
        "#]],
    );
    check(
        6,
        6,
        &expect![[r#"
            line 6: self 0.0% (0 samples) · total 40.0% (2 samples)
            line 6: 40.0% · 100.0% of the selection
            called by main at app.rs:2: 20.0% (1 sample)
            called by eval at app.rs:9: 20.0% (1 sample)
            calls hash at app.rs:13: 40.0% (2 samples)
        "#]],
    );
    check(
        13,
        13,
        &expect![[r#"
        line 13: self 60.0% (3 samples) · total 60.0% (3 samples)
        line 13: 60.0% · self 60.0% · 100.0% of the selection
        called by parse at app.rs:6: 40.0% (2 samples)
        called by eval at app.rs:10: 20.0% (1 sample)
    "#]],
    );
}

#[test]
fn lines_without_a_cost_are_no_selection() {
    assert_eq!(select(SAMPLES, 4, 5), None);
}

/// py-spy records methods without their class. The sources have it, and a list of candidates has the place.
#[test]
fn functions_are_named_as_in_the_sources() {
    let text = "class Leaf:\n    def draw(self, c):\n        return str(c)\n\nclass Tree:\n    def draw(self, c):\n        return [n.draw(c) for n in self.nodes]\n";
    let project = Project::new(&[("t.py", text)]);
    let samples = "draw@7[file:t.py] draw@7\ndraw@3";
    let snapshot = project.load(text_samples::profile(samples));
    let line = |name: &str| {
        let function = snapshot.only_named(name).map_err(|unmatched| unmatched.problem)?;
        Ok::<_, String>(snapshot.start_line(function))
    };
    for (name, expected) in
        [("Tree.draw", 6), ("Leaf.draw", 2), ("Tree::draw", 6), ("t.py:2::draw", 2)]
    {
        assert_eq!(line(name), Ok(Some(expected)), "{name}");
        let merge = format!("merge-function:{name}").parse().unwrap();
        let view = ViewSettings { transforms: vec![merge], ..ViewSettings::default() };
        let merged = snapshot.with_view(&view);
        assert_eq!(merged.grouped.problems.warnings, [], "{name}");
        let left: Vec<_> = merged.costs.functions().map(|(it, _)| merged.start_line(it)).collect();
        assert_eq!(left, [Some(8 - expected)], "{name}");
    }
    assert!(line("draw").is_err());
    assert!(line("Root.draw").is_err());
}

/// What lines 9 and 10 call, and how that may be less than the sum of both.
#[track_caller]
fn parse_on_both(samples: &str) -> (String, f64) {
    let found = select(samples, 9, 10).unwrap();
    let parse = found.callees.iter().find(|callee| callee.name == "parse").unwrap();
    (parse.text.clone(), parse.total.0)
}

#[test]
fn calls_from_several_lines_add_up_unless_they_may_be_nested() {
    let apart = "
eval@9[file:app.rs]  eval@10 eval@8
parse@6[file:app.rs] parse@6 parse@6";
    assert_eq!(parse_on_both(apart), ("66.7% (2 samples)".to_owned(), 2.0));
    // Two samples, of which the first has calls from both lines.
    let nested = "
eval@9[file:app.rs]  eval@9  eval@8
parse@6[file:app.rs] parse@6 parse@6
eval@10
parse@6";
    let text = "66.7% (2 samples) to 100.0% (3 samples)".to_owned();
    assert_eq!(parse_on_both(nested), (text, 3.0));
}
