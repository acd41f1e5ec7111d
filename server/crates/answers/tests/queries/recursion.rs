//! Recursion, and parts of a function that run in frames of their own.

use crate::support::{Project, recording, v8};
use answers::step::show;
use answers::{
    CallStep as Step, CallTree, CallTreeQuestion as Question, Context, Direction, GivenItem, Item,
    Listed, Position, TreeNode, call_tree, hottest_functions, hover, root_item,
};
use serde::Deserialize;
use serde_json::json;
use std::fmt::Write;

fn context(project: &Project, open: &[&str], text: &str) -> Context {
    project.context(project.load(recording(text)), open)
}

fn root(context: &Context, name: &str) -> Item {
    let snapshot = context.world.snapshot().unwrap();
    let mut functions = hottest_functions(snapshot).into_iter();
    let function = functions.find(|&function| snapshot.function(function).name == name).unwrap();
    root_item(context, snapshot, function).unwrap()
}

fn step(context: &Context, item: &Item, direction: Direction) -> Step {
    let mut item = serde_json::to_value(item).unwrap();
    item.as_object_mut().unwrap().retain(|_, value| !value.is_null());
    show(context, direction, &GivenItem::deserialize(item).unwrap())
}

/// The names of the items, and whether the answer is exact.
fn names(step: &Step) -> (Vec<&str>, bool) {
    let names = step.entries.iter().map(|entry| entry.item.name.as_str()).collect();
    (names, step.of.as_ref().unwrap().exact)
}

/// `f 60%` for each node, indented; `↻` marks recursion.
fn tree(context: &Context, inverted: bool) -> String {
    fn add(out: &mut String, depth: usize, nodes: &[TreeNode]) {
        for node in nodes {
            let mark = if node.recursive { "↻ " } else { "" };
            let (indent, name) = ("  ".repeat(depth), &node.name);
            writeln!(out, "{indent}{mark}{name} {}", node.percent.unwrap()).unwrap();
            add(out, depth + 1, &node.children);
        }
    }
    let question = Question { inverted, depth: Some(9), ..Question::default() };
    let CallTree { nodes, .. } = call_tree(context, &question).unwrap();
    let mut out = String::new();
    add(&mut out, 0, &nodes);
    out
}

const CRUNCH: &str = "\
def crunch(rows):
    table = {
        r: len(r)
        for r in rows
    }
    return table


def main():
    crunch([])
";

/// 50 in the comprehension, 10 in `len`, 40 in `main`.
const CRUNCH_FOLDED: &str = "\
main (a.py:10);crunch (a.py:2);<dictcomp> (a.py:3) 50
main (a.py:10);crunch (a.py:2);<dictcomp> (a.py:3);len (/usr/lib/x.py:1) 10
main (a.py:10) 40
";

/// The costs and names of a list in a report.
fn costs(rows: &[Listed]) -> Vec<[String; 2]> {
    rows.iter().map(|row| [row.cost.clone(), row.name.clone()]).collect()
}

#[test]
fn a_comprehension_is_no_call_of_its_function() {
    let project = Project::new(&[("a.py", CRUNCH)]);
    let context = context(&project, &["a.py"], CRUNCH_FOLDED);
    let crunch = root(&context, "crunch");
    assert_eq!(crunch.name, "60.0% crunch");
    let callers = step(&context, &crunch, Direction::Incoming);
    assert_eq!(names(&callers), (vec!["60.0% main"], false));
    let callees = step(&context, &crunch, Direction::Outgoing);
    assert_eq!(names(&callees), (vec!["10.0% len", "50.0% self"], false));
    assert_eq!(callees.of.unwrap().self_.unwrap().0, 50.0);
    assert_eq!(tree(&context, false), "main 100\n  crunch 60\n    len 10\n");
    let expected = "crunch 50\n  main 50\nmain 40\nlen 10\n  crunch 10\n    main 10\n";
    assert_eq!(tree(&context, true), expected);

    // The line of the comprehension, which is in a frame of its own.
    let details = hover(&context, &project.uri("a.py"), Position::new(2, 1000)).unwrap();
    let lists: Vec<_> = details.lists.iter().map(|(title, rows)| (*title, costs(rows))).collect();
    let row = |cost: &str, name: &str| [cost.to_owned(), name.to_owned()];
    let expected = [
        ("callers into this line", vec![row("60.0% (60 samples)", "main")]),
        ("calls from this line", vec![row("10.0% (10 samples)", "len")]),
    ];
    assert_eq!(lists, expected);
    let details = hover(&context, &project.uri("a.py"), Position::new(1, 1000)).unwrap();
    assert!(
        details
            .lists
            .iter()
            .all(|(title, rows)| *title != "calls from this line" || rows.is_empty())
    );
}

#[test]
fn a_comprehension_that_calls_its_function_is_recursion() {
    let text = "def depth(t):\n    return max([\n        depth(c) for c in t])\n\n\ndepth([])\n";
    let project = Project::new(&[("a.py", text)]);
    let call = "depth (a.py:2);<listcomp> (a.py:3);";
    let context =
        context(&project, &[], &format!("{call}{call}{call}len (/x.py:1) 30\ndepth (a.py:2) 10\n"));
    let depth = root(&context, "depth");
    let callees = step(&context, &depth, Direction::Outgoing);
    assert_eq!(names(&callees), (vec!["75.0% len", "25.0% self", "↻ 75.0% depth"], false));
    let callers = step(&context, &depth, Direction::Incoming);
    let begins = "100.0% no caller: the stack begins here";
    assert_eq!(names(&callers), (vec![begins, "↻ 75.0% depth"], false));
    let expected = "depth 100\n  ↻ depth 75\n    ↻ depth 75\n      len 75\n";
    assert_eq!(tree(&context, false), expected);
}

#[test]
fn a_ruby_block_is_no_call_of_its_method() {
    let text = "def f(xs)\n  xs.each do |x|\n    g(x)\n  end\nend\n\ndef g(x) = x\n\nf([])\n";
    let project = Project::new(&[("a.rb", text)]);
    let folded = "\
<main> - a.rb:9;f - a.rb:2;each - <internal:array>:1;block in f - a.rb:3;g - a.rb:7 30
<main> - a.rb:9;f - a.rb:2;each - <internal:array>:1;block in f - a.rb:3 10
";
    let context = context(&project, &[], folded);
    let f = root(&context, "f");
    assert_eq!(names(&step(&context, &f, Direction::Incoming)).0, ["100.0% <main>"]);
    let each = step(&context, &f, Direction::Outgoing);
    assert_eq!(names(&each).0, ["100.0% each"]);
    let block = step(&context, &each.entries[0].item, Direction::Outgoing);
    assert_eq!(names(&block).0, ["100.0% f"]);
    let g = step(&context, &block.entries[0].item, Direction::Outgoing);
    assert_eq!(names(&g).0, ["75.0% g", "25.0% self"]);
    let expected = "<main> 100\n  f 100\n    each 100\n      f 100\n        g 75\n";
    assert_eq!(tree(&context, false), expected);
    assert!(!tree(&context, true).contains('↻'));
}

const CARVE: &str = "\
def carve(n):
    if n:
        shuffle()
        carve(n - 1)


carve(9)
";

#[test]
fn the_callees_of_a_recursive_function_include_those_of_inner_calls() {
    let project = Project::new(&[("a.py", CARVE)]);
    let carve = "carve (a.py:4);";
    let folded = format!(
        "{carve}{carve}{carve}carve (a.py:3);shuffle (/usr/lib/x.py:1) 60\n{carve}{carve}carve (a.py:2) 30\ncarve (a.py:2) 10\n"
    );
    let context = context(&project, &["a.py"], &folded);
    let root = root(&context, "carve");
    // 40 of its own, 60 in `shuffle`; 90 samples have an inner call.
    let callees = step(&context, &root, Direction::Outgoing);
    assert_eq!(names(&callees), (vec!["60.0% shuffle", "40.0% self", "↻ 90.0% carve"], false));
    assert_eq!(callees.of.as_ref().unwrap().self_.unwrap().0, 40.0);

    // The recursive call leads to the exact path, call by call.
    let inner = step(&context, &callees.entries[2].item, Direction::Outgoing);
    assert_eq!(names(&inner), (vec!["90.0% carve"], true));
    let inner = step(&context, &inner.entries[0].item, Direction::Outgoing);
    assert_eq!(names(&inner), (vec!["60.0% carve", "30.0% self"], true));
    assert_eq!(inner.of.unwrap().self_.unwrap().0, 30.0);

    // So does that of a caller.
    let shuffle = &callees.entries[0].item;
    let callers = step(&context, shuffle, Direction::Incoming);
    assert_eq!(names(&callers), (vec!["60.0% carve"], false));
    let callers = step(&context, &callers.entries[0].item, Direction::Incoming);
    let begins = "60.0% no caller: the stack begins here";
    assert_eq!(names(&callers), (vec![begins, "↻ 60.0% carve"], false));
    assert_eq!(callers.of.as_ref().unwrap().self_.unwrap().0, 60.0);
    let callers = step(&context, &callers.entries[1].item, Direction::Incoming);
    assert_eq!(names(&callers), (vec!["60.0% carve"], true));

    let details = hover(&context, &project.uri("a.py"), Position::new(3, 1000)).unwrap();
    let (_, calls) =
        details.lists.iter().find(|(title, _)| *title == "calls from this line").unwrap();
    assert_eq!(costs(calls), [["↻ 90.0% (90 samples)".to_owned(), "carve".to_owned()]]);
}

const V1: &str = "\
main (app.py:10);parse (app.py:22);hash (lib.py:5) 1
main (app.py:10);parse (app.py:23) 1
main (app.py:12);eval (app.py:31);eval (app.py:33);hash (lib.py:5) 1
main (app.py:12);eval (app.py:31);eval (app.py:31);eval (app.py:34) 1
main (app.py:12);eval (app.py:32);parse (app.py:22);hash (lib.py:6) 1
main (app.py:13) 1
";

#[test]
fn v1_callers_and_callees_of_a_recursive_function() {
    let project = Project::new(&[]).with_settings(&json!({ "unit": "absolute" }));
    let context = context(&project, &[], V1);
    let texts = |step: &Step| -> Vec<String> {
        let mark = |recursive| if recursive { "↻ " } else { "" };
        let text = |entry: &answers::StepEntry| {
            format!("{}{} {}", mark(entry.recursive), entry.name, entry.total.0)
        };
        step.entries.iter().map(text).collect()
    };
    let eval = root(&context, "eval");
    let callees = step(&context, &eval, Direction::Outgoing);
    assert_eq!(texts(&callees), ["parse 1", "hash 1", "self 1", "↻ eval 2"]);
    assert_eq!(callees.of.as_ref().unwrap().self_.unwrap().0, 1.0);
    let exact = step(&context, &callees.entries[3].item, Direction::Outgoing);
    assert_eq!(texts(&exact), ["hash 1", "eval 1"]);
    let callers = step(&context, &eval, Direction::Incoming);
    assert_eq!(texts(&callers), ["main 3", "↻ eval 2"]);

    let hash = step(&context, &root(&context, "hash"), Direction::Incoming);
    assert_eq!(texts(&hash), ["parse 2", "eval 1"]);
    let parse = step(&context, &hash.entries[0].item, Direction::Incoming);
    assert_eq!(texts(&parse), ["main 1", "eval 1"]);
    let eval = step(&context, &hash.entries[1].item, Direction::Incoming);
    assert_eq!(texts(&eval), ["main 1", "↻ eval 1"]);
    let exact = step(&context, &eval.entries[1].item, Direction::Incoming);
    assert_eq!((texts(&exact), exact.of.unwrap().exact), (vec!["main 1".to_owned()], true));
}

const FIELDS: &str = "\
class Grid {
  size = side();
  static cache = side();
  constructor() {
    side();
  }
}
class Plain {
  rows = side();
}
function side() { return 3; }
function main() {
  new Grid(); new Plain();
}
";

#[test]
fn initializers_of_fields_are_parts_of_the_function_that_calls_them() {
    let project = Project::new(&[("a.js", FIELDS)]);
    let nodes = [
        ("", 0, 0, None, 0),
        ("<static_initializer>", 2, 2, Some(0), 0),
        ("side", 10, 13, Some(1), 10),
        ("main", 11, 13, Some(0), 0),
        ("Grid", 3, 13, Some(3), 10),
        ("<instance_members_initializer>", 0, 0, Some(4), 10),
        ("side", 10, 13, Some(5), 20),
        ("side", 10, 13, Some(4), 10),
        ("Plain", 7, 0, Some(3), 0),
        ("<instance_members_initializer>", 7, 0, Some(8), 10),
        ("side", 10, 13, Some(9), 30),
    ];
    let context = context(&project, &["a.js"], &v8(project.uri("a.js").as_str(), &nodes));
    let expected = "\
(anonymous) 100
  main 90
    Grid 50
      side 30
    Plain 40
      side 30
  side 10
";
    assert_eq!(tree(&context, false), expected);
    let callees = |name: &str| {
        let callees = step(&context, &root(&context, name), Direction::Outgoing);
        names(&callees).0.into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(callees("Grid"), ["30.0% side", "20.0% self"]);
    assert_eq!(callees("Plain"), ["30.0% side", "10.0% self"]);
    let callers = step(&context, &root(&context, "side"), Direction::Incoming);
    assert_eq!(names(&callers).0, ["30.0% Grid", "30.0% Plain", "10.0% (anonymous)"]);
}

#[test]
fn an_initializer_that_creates_another_instance_is_recursion() {
    let project = Project::new(&[("a.js", FIELDS)]);
    let initializer = "<instance_members_initializer>";
    let nodes = [
        ("Plain", 7, 0, None, 0),
        (initializer, 7, 0, Some(0), 10),
        ("Plain", 7, 0, Some(1), 0),
        (initializer, 7, 0, Some(2), 30),
    ];
    let context = context(&project, &["a.js"], &v8(project.uri("a.js").as_str(), &nodes));
    assert_eq!(tree(&context, false), "Plain 100\n  ↻ Plain 75\n");
}

#[test]
fn an_initializer_that_others_call_is_a_function() {
    let project = Project::new(&[("a.js", FIELDS)]);
    let nodes = [
        ("main", 11, 13, None, 0),
        ("<instance_members_initializer>", 0, 0, Some(0), 10),
        ("side", 10, 13, None, 10),
    ];
    let context = context(&project, &["a.js"], &v8(project.uri("a.js").as_str(), &nodes));
    let expected = "main 50\n  <instance_members_initializer> 50\nside 50\n";
    assert_eq!(tree(&context, false), expected);
}
