//! Maps of edited texts.

use super::compare::PIECE;
use super::*;
use proptest::prelude::*;
use std::path::Path;

/// The open line of each recorded line, or `-`.
fn render(recorded: &str, open: &str) -> String {
    let map = checked(recorded, open);
    let targets =
        (0..map.n_recorded).map(|line0| map.to_open(line0).map_or("-".into(), |to| to.to_string()));
    targets.collect::<Vec<_>>().join(" ")
}

/// Creates the map and checks its invariants.
fn checked(recorded: &str, open: &str) -> LineMap {
    let map = LineMap::new(recorded, open, Syntax::Unknown);
    let key = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let [before, after] =
        [recorded, open].map(|text| text::without_mark(text).lines().map(key).collect::<Vec<_>>());
    assert_eq!((map.n_recorded as usize, map.n_open as usize), (before.len(), after.len()));
    for (line0, text) in before.iter().enumerate() {
        let Some(to) = map.to_open(line0 as u32) else { continue };
        assert_eq!(after[to as usize], *text, "equal lines only");
        assert_eq!(map.to_recorded(to), Some(line0 as u32), "back again");
    }
    let mapped = |n: u32, f: &dyn Fn(u32) -> Option<u32>| (0..n).filter_map(f).count();
    assert_eq!(
        mapped(map.n_recorded, &|line0| map.to_open(line0)),
        mapped(map.n_open, &|line0| map.to_recorded(line0)),
    );
    assert_eq!(map == LineMap::identity(map.n_recorded), before == after);
    assert_eq!((map.to_open(map.n_recorded), map.to_recorded(map.n_open)), (None, None));
    map
}

#[test]
fn maps_equal_texts_to_themselves() {
    assert_eq!(render("a\nb\n", "a\nb\n"), "0 1");
    assert_eq!(LineMap::new("a\nb\n", "a\nb\n", Syntax::Unknown), LineMap::identity(2));
}

#[test]
fn lines_can_be_left_out() {
    let map = LineMap::new("a\nb\nc\nd\n", "new\na\nb\nc\nd\n", Syntax::Unknown).without(&[1, 3]);
    assert_eq!([0, 1, 2, 3].map(|line0| map.to_open(line0)), [Some(1), None, Some(3), None]);
    assert_eq!([1, 2, 3, 4].map(|line0| map.to_recorded(line0)), [Some(0), None, Some(2), None]);
    // Each of two joined lines.
    let joined = LineMap::new("f(\n1);\n", "f(1);\n", Syntax::Unknown);
    assert_eq!([0, 1].map(|line0| joined.to_open(line0)), [Some(0); 2]);
    for (left_out, left) in [(0, 1), (1, 0)] {
        let map = joined.without(&[left_out]);
        assert_eq!([left_out, left].map(|line0| map.to_open(line0)), [None, Some(0)]);
        assert_eq!(map.all_recorded(0).collect::<Vec<_>>(), [left]);
    }
}

#[test]
fn moves_lines_below_an_insertion() {
    assert_eq!(render("a\nb\nc\n", "a\nnew\nb\nc\n"), "0 2 3");
}

#[test]
fn does_not_map_removed_lines() {
    assert_eq!(render("a\nb\nc\n", "a\nc\n"), "0 - 1");
    assert_eq!(checked("a\nb\nc\n", "a\nc\n").to_recorded(1), Some(2));
}

#[test]
fn does_not_map_changed_lines_in_either_direction() {
    assert_eq!(render("a\nb\nc\n", "a\nB\nc\n"), "0 - 2");
    assert_eq!(checked("a\nb\nc\n", "a\nB\nc\n").to_recorded(1), None);
}

#[test]
fn white_space_does_not_count() {
    assert_eq!(render("a\nb c", "a\n b  c "), "0 1");
    assert_eq!(render("a\nb c", "a\nbc"), "0 -");
}

#[test]
fn a_loop_wrapped_in_a_condition_keeps_its_lines() {
    let recorded = "let mut n = 0;\nfor word in words {\n    n += lookup(word);\n}\nn\n";
    let open =
        "let mut n = 0;\nif some {\n\tfor word in words {\n\t\tn += lookup(word);\n\t}\n}\nn\n";
    assert_eq!(render(recorded, open), "0 2 3 4 6");
}

#[test]
fn knows_the_line_that_a_changed_line_replaced() {
    let map = checked("a\nb\nc\nd\n", "a\nB\nC\nd\n");
    assert_eq!(
        [0, 1, 2, 3, 4].map(|line0| map.replaced(line0)),
        [None, Some(1), Some(2), None, None]
    );
    // One line became two: neither replaced it alone.
    let map = checked("a\nb\nd\n", "a\nB\nC\nd\n");
    assert_eq!([1, 2].map(|line0| map.replaced(line0)), [None, None]);
    // Nothing in common.
    assert_eq!(checked("a\n", "b\n").replaced(0), Some(0));
}

/// The open line of each recorded line, or `-`, in a language.
fn render_code(syntax: Syntax, recorded: &str, open: &str) -> String {
    let map = LineMap::new(recorded, open, syntax);
    let targets =
        (0..map.n_recorded).map(|line0| map.to_open(line0).map_or("-".into(), |to| to.to_string()));
    targets.collect::<Vec<_>>().join(" ")
}

#[test]
fn a_line_that_is_split_goes_to_its_call_or_its_first_word() {
    let one = "let total = items.iter().map(price);\nnext();\n";
    let split = "let total =\n    items\n    .iter()\n    .map(price);\nnext();\n";
    assert_eq!(render_code(Syntax::Rust, one, split), "2 4");
    let one = "let sum = first + second;\nnext();\n";
    let split = "let sum =\n    first\n    + second;\nnext();\n";
    assert_eq!(render_code(Syntax::Rust, one, split), "0 3");
    let one = "if (done) return f(x);\nnext();\n";
    let split = "if (done)\n{\n  return f(x);\n}\nnext();\n";
    assert_eq!(render_code(Syntax::C, one, split), "2 4");
    let one = "def one(n): return [two(x) for x in n]\nnext()\n";
    let split = "def one(n):\n    return [two(x) for x in n]\nnext()\n";
    assert_eq!(render_code(Syntax::Python, one, split), "1 2");
}

#[test]
fn lines_that_are_joined_go_to_the_same_line() {
    let several = "let total = items\n    .iter()\n    .map(price);\nnext();\n";
    let one = "new();\nlet total = items.iter().map(price);\nnext();\n";
    assert_eq!(render_code(Syntax::Rust, several, one), "1 1 1 2");
    let map = LineMap::new(several, one, Syntax::Rust);
    assert_eq!(map.all_recorded(1).collect::<Vec<_>>(), [0, 1, 2]);
    assert_eq!(map.all_recorded(2).collect::<Vec<_>>(), [3]);
    assert_eq!(map.all_recorded(0).count(), 0);
}

#[test]
fn lines_are_not_joined_if_one_between_them_is_gone() {
    let several = "let total = items\n    .skip(1)\n    .map(price);\nnext();\n";
    let one = "let total = items.map(price);\nnext();\n";
    assert_eq!(render_code(Syntax::Rust, several, one), "- - - 1");
    // Nor is a line divided by one that is new.
    assert_eq!(render_code(Syntax::Rust, one, several), "- 3");
}

#[test]
fn what_formatters_add_and_remove_does_not_count() {
    let same = |syntax, recorded: &str, open: &str| {
        let map = render_code(syntax, recorded, open);
        assert!(!map.contains('-'), "{map}: {recorded} {open}");
    };
    same(Syntax::Python, "x = call(a, 'b')\ny()\n", "x = call(\n    a,\n    \"b\",\n)\ny()\n");
    same(Syntax::Python, "return a + b\n", "return (\n    a\n    + b\n)\n");
    same(
        Syntax::JavaScript,
        "const f = x => a % b * c;\ng()\n",
        "const f = (x) => (a % b) * c\ng();\n",
    );
    same(Syntax::C, "if (a) b();\nc(\"d e\");\n", "if (a) {\n  b();\n}\nc(\"d \"\n  \"e\");\n");
    same(
        Syntax::Rust,
        "match a {\n    B => c(),\n}\n",
        "match a {\n    B => {\n        c()\n    }\n}\n",
    );
    same(Syntax::Python, "x = f(a)  # old\n", "x = f(a)\n");
}

#[test]
fn comments_and_strings_of_mercury_are_not_code() {
    let recorded =
        "p(X) :- % an old \"comment\n    q(0'\", X),\n    r(\"a \"\"% b\", X). /* c */\n";
    let open = "% new\np(X) :-\n    q(0'\", X), % it's\n    r(\"a \"\"% b\", X).\n";
    assert_eq!(render_code(Syntax::Mercury, recorded, open), "1 2 3");
    // Not a comment.
    let strings = ["r(\"% a\", X).\n", "r(\"% b\", X).\n"];
    assert_eq!(render_code(Syntax::Mercury, strings[0], strings[1]), "-");
    assert_eq!(render_code(Syntax::Mercury, "X = A // B + 1.\n", "X = A // B + 2.\n"), "-");
    // Each goal is a statement of its own.
    let added = "p :-\n    ( if a then\n        b\n    else\n        c\n    ),\n    e,\n    d.\n";
    let body = "p :-\n    ( if a then\n        b\n    else\n        c\n    ),\n    d.\n";
    assert_eq!(render_code(Syntax::Mercury, body, added), "0 1 2 3 4 5 7");
}

#[test]
fn a_file_with_extension_m_is_mercury_if_it_has_a_module() {
    let of = |text| Syntax::of_text(Path::new("src/a.m"), text);
    assert_eq!(of("% a\n:- module a.\n"), Syntax::Mercury);
    assert_eq!(of("#import <a.h>\n"), Syntax::C);
    assert_eq!(Syntax::of_text(Path::new("a.c"), ":- module a.\n"), Syntax::C);
}

#[test]
fn a_line_with_another_token_is_another_line() {
    let changed = |syntax, recorded: &str, open: &str| {
        assert_eq!(render_code(syntax, recorded, open), "0 - 2", "{recorded} {open}");
    };
    let around = |line: &str| format!("before();\n{line}\nafter();\n");
    for (recorded, open) in [
        ("x = f(a);", "x = f(b);"),
        ("x = f(a);", "return x = f(a);"),
        ("x = (a + b) * c;", "x = a + b * c;"),
        ("f(\"a  b\");", "f(\"a b\");"),
        ("f(a, b);", "f(a b);"),
        ("f(a - b);", "f(a + b);"),
    ] {
        for syntax in [Syntax::C, Syntax::Rust, Syntax::JavaScript, Syntax::Go] {
            changed(syntax, &around(recorded), &around(open));
        }
    }
}

const TWO_FUNCTIONS: [&str; 2] = [
    "fn count(words: &[String]) -> usize {\n    words.len()\n}\n",
    "fn main() {\n    count(&[]);\n}\n",
];

#[test]
fn a_moved_function_keeps_its_lines() {
    let [count, main] = TWO_FUNCTIONS;
    assert_eq!(render(&format!("{count}\n{main}"), &format!("{main}\n{count}")), "4 5 6 - 0 1 2");
}

#[test]
fn a_copied_function_keeps_its_lines_in_one_place() {
    let [count, main] = TWO_FUNCTIONS;
    let map = checked(&format!("{count}\n{main}"), &format!("{count}\n{main}\n{count}"));
    assert_eq!((map.to_open(0), map.to_recorded(8)), (Some(0), None));
}

#[test]
fn a_short_line_elsewhere_is_not_a_moved_line() {
    assert_eq!(render("a();\nreturn;\nb();\nc();\n", "a();\nb();\nc();\nreturn;\n"), "0 - 1 2");
    let long = "total += price_of(item, amount);";
    assert_eq!(
        render(&format!("a();\n{long}\nb();\nc();\n"), &format!("a();\nb();\nc();\n{long}\n")),
        "0 3 1 2"
    );
}

#[test]
fn ignores_terminators() {
    assert!(checked("a\r\nb\r\n", "a\nb\n") == LineMap::identity(2));
    assert!(checked("a\nb", "a\nb\n") == LineMap::identity(2));
    assert_eq!(render("a\r\nb\r\n", "x\na\nb"), "1 2");
}

#[test]
fn ignores_a_byte_order_mark() {
    assert!(checked("\u{feff}a\nb\n", "a\nb\n") == LineMap::identity(2));
}

#[test]
fn empty_texts_have_no_lines() {
    assert!(checked("", "") == LineMap::identity(0));
    assert_eq!(render("", "a\n"), "");
    assert_eq!(render("a\nb\n", ""), "- -");
    assert!(LineMap::identity(0) == LineMap::identity(0));
    assert_eq!(LineMap::identity(0).to_open(0), None);
}

#[test]
fn accepts_the_largest_line_number() {
    assert_eq!(LineMap::identity(3).to_open(u32::MAX), None);
    assert_eq!(LineMap::identity(3).to_recorded(u32::MAX), None);
}

#[test]
fn an_inserted_function_leaves_its_neighbours_mapped() {
    let recorded = "fn a() {\n    x();\n}\n\nfn c() {\n    z();\n}\n";
    let open = "fn a() {\n    x();\n}\n\nfn b() {\n    y();\n}\n\nfn c() {\n    z();\n}\n";
    assert_eq!(render(recorded, open), "0 1 2 3 8 9 10");
}

#[test]
fn keeps_its_invariants_for_all_short_texts() {
    let mut texts = vec![String::new()];
    for len in 0..5 {
        let longer: Vec<String> = texts
            .iter()
            .filter(|text| text.len() == 2 * len)
            .flat_map(|text| ["a\n", "b\n", "c\n"].map(|line| format!("{text}{line}")))
            .collect();
        texts.extend(longer);
    }
    for recorded in &texts {
        for open in &texts {
            checked(recorded, open);
        }
    }
}

fn text(n_lines: usize, line: impl Fn(usize) -> String) -> String {
    (0..n_lines).map(|at| line(at) + "\n").collect()
}

#[test]
fn long_texts_lose_nothing_to_pieces() {
    let n = 10 * PIECE;
    let recorded = text(n, |at| format!("line {at}"));
    let open = text(n, |at| if at % 3 == 0 { format!("new {at}") } else { format!("line {at}") });
    let map = checked(&recorded, &format!("first\n{open}last\n"));
    for at in 0..n as u32 {
        assert_eq!(map.to_open(at), (at % 3 != 0).then_some(at + 1));
    }
}

#[test]
fn a_line_that_moves_far_does_not_affect_others() {
    let n = 3 * PIECE;
    let recorded = text(n, |at| format!("line {at}"));
    let open = text(n, |at| format!("line {}", (at + 1) % n));
    let map = checked(&recorded, &open);
    assert_eq!(
        (map.to_open(0), map.to_open(1), map.to_open(n as u32 - 1)),
        (None, Some(0), Some(n as u32 - 2))
    );
}

#[test]
fn skips_long_stretches_without_unique_lines() {
    let n = 20 * PIECE;
    let recorded = format!("{}mark\nend\n", text(n, |at| (at * 7919 % 10007 % 10).to_string()));
    let open = format!("{}mark\nEND\n", text(n, |at| (at * 104_729 % 10009 % 10).to_string()));
    let map = checked(&recorded, &open);
    assert_eq!(map.to_open(n as u32), Some(n as u32), "the unique line is found");
    assert_eq!(map.to_open(n as u32 + 1), None);
    // The stretch is long in one of the texts only.
    let recorded = text(n, |at| if at % 2 == 0 { "one".to_owned() } else { "two".to_owned() });
    let map = checked(&format!("first\n{recorded}last\n"), "first\ntwo\none\nlast\n");
    assert_eq!((map.to_open(0), map.to_open(n as u32 + 1)), (Some(0), Some(3)));
    assert_eq!((1..=n as u32).find_map(|line0| map.to_open(line0)), None);
}

/// An edit of one line, or of a block.
#[derive(Debug, Clone)]
enum Edit {
    Insert(usize, String),
    Delete(usize),
    Replace(usize, String),
    Indent(usize, &'static str),
    Move(usize, usize, usize),
}

fn edit() -> impl Strategy<Value = Edit> {
    let at = 0..1000_usize;
    let new = "new_[a-z]{24}\\(\\);";
    prop_oneof![
        (at.clone(), new).prop_map(|(at, line)| Edit::Insert(at, line)),
        at.clone().prop_map(Edit::Delete),
        (at.clone(), new).prop_map(|(at, line)| Edit::Replace(at, line)),
        (at.clone(), prop_oneof![Just("\t"), Just("    "), Just("  \t ")])
            .prop_map(|(at, by)| Edit::Indent(at, by)),
        (at.clone(), 1..8_usize, at).prop_map(|(from, n, to)| Edit::Move(from, n, to)),
    ]
}

fn apply(lines: &mut Vec<String>, edit: Edit) {
    let n = lines.len();
    match edit {
        Edit::Insert(at, line) => lines.insert(at % (n + 1), line),
        _ if n == 0 => {}
        Edit::Delete(at) => _ = lines.remove(at % n),
        Edit::Replace(at, line) => lines[at % n] = line,
        Edit::Indent(at, by) => lines[at % n].insert_str(0, by),
        Edit::Move(from, n_lines, to) => {
            let from = from % n;
            let block: Vec<String> = lines.drain(from..(from + n_lines).min(n)).collect();
            let to = to % (lines.len() + 1);
            lines.splice(to..to, block);
        }
    }
}

proptest! {
    /// Statements are unique and long, so each one that is still there must be found, and nothing
    /// else.
    #[test]
    fn edits_keep_the_lines_that_they_do_not_change(
        n in 0..60_usize,
        edits in prop::collection::vec(edit(), 0..12),
        terminator in prop_oneof![Just("\n"), Just("\r\n")],
    ) {
        let recorded: Vec<String> =
            (0..n).map(|at| format!("    value_{at} = computed_by_function_{at}(value);")).collect();
        let mut open = recorded.clone();
        for edit in edits {
            apply(&mut open, edit);
        }
        let map = LineMap::new(&recorded.join("\n"), &open.join(terminator), Syntax::C);
        for (at, line) in (0..).zip(&recorded) {
            let now = open.iter().position(|now| now.trim() == line.trim());
            prop_assert_eq!(map.to_open(at), now.map(|now| now as u32), "{}", line);
        }
        let n_kept = open.iter().filter(|line| !line.contains("new_")).count();
        let n_mapped = (0..open.len() as u32).filter(|&at| map.to_recorded(at).is_some()).count();
        prop_assert_eq!(n_mapped, n_kept);
    }

    /// What is cached of one version of a text does not change the line map of the next one.
    #[test]
    fn the_map_of_a_version_does_not_depend_on_those_before(
        n in 0..200_usize,
        edits in prop::collection::vec((edit(), prop_oneof![Just("\n"), Just("\r\n")]), 0..12),
    ) {
        let recorded: Vec<String> = (0..n).map(|at| format!("    f(x_{});", at % 90)).collect();
        let (mut open, recorded) = (recorded.clone(), recorded.join("\n").into());
        let texts = LexedTexts::default();
        for (edit, terminator) in edits {
            apply(&mut open, edit);
            let open = open.join(terminator).into();
            let map = texts.map(&recorded, &open, Syntax::C);
            prop_assert_eq!(map, LineMap::new(&recorded, &open, Syntax::C));
        }
    }
}

/// Of functions that differ in their names only, each keeps its lines when others are inserted.
#[test]
fn similar_functions_keep_their_lines() {
    let function = |at: u32| format!("void f_{at}() {{\n{}}}\n", "    step();\n".repeat(18));
    let text = |functions: &[u32]| functions.iter().map(|&at| function(at)).collect::<String>();
    let (recorded, open) = (text(&[1, 2, 3, 4, 5]), text(&[1, 9, 2, 3, 8, 4, 5]));
    let map = LineMap::new(&recorded, &open, Syntax::C);
    for (function, now) in [(0, 0), (1, 2), (2, 3), (3, 5), (4, 6)] {
        for line in 0..20 {
            assert_eq!(map.to_open(20 * function + line), Some(20 * now + line));
        }
    }
}

/// Only the lines between are compared by token, so that edits elsewhere do not make this slow.
#[test]
fn hunks_are_the_lines_that_differ() {
    use super::hunks::{TextLines, hunks};
    let lines: Vec<String> = (0..100).map(|at| format!("line {at}\n")).collect();
    let mut open = lines.clone();
    open[90] = "new\n".to_owned();
    open.insert(50, "new\n".to_owned());
    open.drain(10..13);
    let [recorded, open] = [lines, open].map(|lines| TextLines::new(&lines.concat()));
    let hunks = hunks(&recorded, &recorded.unique(), &open);
    let hunks: Vec<_> = hunks.into_iter().map(|hunk| (hunk.recorded, hunk.open)).collect();
    assert_eq!(hunks, [(10..13, 10..10), (50..50, 47..48), (90..91, 88..89)]);
}

/// The parts of a statement with braces are compared one by one. They may be of several lines.
#[test]
fn a_line_is_not_mapped_by_parts_of_several_lines() {
    let line = |name: u32| format!("import {{ A{name} }} from \"m{name}\";\n");
    let recorded: String = [1, 2, 3].map(line).concat();
    for number in 0..4_u32.pow(5) {
        let names: Vec<u32> = (0..5).map(|at| number / 4_u32.pow(at) % 4).collect();
        let open: String = names.iter().map(|&name| line(name)).collect();
        let map = LineMap::new(&recorded, &open, Syntax::JavaScript);
        for (line0, name) in (0..).zip([1, 2, 3]) {
            let to = map.to_open(line0).map(|to| names[to as usize]);
            assert!(to.is_none_or(|to| to == name), "{line0} of {recorded} {open}");
        }
    }
}

#[test]
fn a_line_is_not_divided_if_it_is_in_the_text_undivided() {
    let recorded = "a();\nfor (b) {\n  if (c) d = 1;\n  e();\n}\nf();\n";
    let divided = "a();\nfor (b) {\n  if (c)\n    d = 1;\n  e();\n}\nf();\n";
    assert_eq!(render_code(Syntax::C, recorded, divided), "0 1 2 4 5 6");
    let both =
        "a();\nnew();\n  if (c) d = 1;\ng();\nfor (b) {\n  if (c)\n    d = 1;\n  e();\n}\nf();\n";
    assert_eq!(render_code(Syntax::C, recorded, both), "0 4 - 7 8 9");
}

/// The open line of each of the first `n` recorded lines; `-` for none.
fn render_map(map: &LineMap, n: u32) -> String {
    let lines = (0..n).map(|line0| map.to_open(line0).map_or("-".to_owned(), |to| to.to_string()));
    lines.collect::<Vec<_>>().join(" ")
}

#[test]
fn functions_move_the_lines_up_to_the_next_one() {
    // Two lines were added above the second function, and it is one line shorter.
    let longer = LineMap::of_functions(&[(1, 1), (4, 6), (8, 9)], 10, 11);
    assert_eq!(render_map(&longer, 10), "0 1 2 3 6 7 8 - 9 10");
    // They were swapped.
    let swapped = LineMap::of_functions(&[(0, 3), (4, 0)], 7, 7);
    assert_eq!(render_map(&swapped, 7), "3 4 5 6 0 1 2");
    assert_eq!(render_map(&LineMap::of_functions(&[], 3, 2), 3), "0 1 -");
    // A start beyond the text.
    assert_eq!(render_map(&LineMap::of_functions(&[(1, 9)], 3, 2), 3), "0 - -");
}

#[test]
fn a_map_is_applied_to_the_lines_of_another() {
    let first = LineMap::of_functions(&[(0, 0), (2, 3)], 5, 6);
    // Lines 3 and 4 were joined, and one line is new at the top.
    let open = "new();\na();\nb();\nc();\nd(e(\n));\nf();\n";
    let second = LineMap::new("a();\nb();\nc();\nd(\ne());\nf();\n", open, Syntax::JavaScript);
    let both = second.after(&first);
    let expected = |line0| first.to_open(line0).and_then(|line0| second.to_open(line0));
    assert_eq!(
        (0..5).map(|it| both.to_open(it)).collect::<Vec<_>>(),
        (0..5).map(expected).collect::<Vec<_>>()
    );
    assert_eq!(render_map(&both, 5), "1 2 4 4 6");
    assert_eq!(both.all_recorded(4).collect::<Vec<_>>(), [2, 3]);
}
