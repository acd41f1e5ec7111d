//! Parts of a text to color: comments, strings, numbers and keywords.
//!
//! Grammars name their nodes alike in this: comments are `comment` or `line_comment`, strings have `string` in their
//! names, and keywords are nodes without a name whose text is a word. So one rule is enough for all of them.

use std::ops::Range;

use tree_sitter::{Node, Tree};

use super::Highlight;

/// Words of languages that have named nodes.
const WORDS: [&str; 13] = [
    "true",
    "false",
    "null",
    "null_literal",
    "none",
    "nil",
    "self",
    "this",
    "super",
    "mutable_specifier",
    "primitive_type",
    "predefined_type",
    "boolean_literal",
];

/// The parts of each line of a text, in bytes of the line. They do not overlap.
pub(super) fn highlights(tree: &Tree, text: &str) -> Vec<Vec<(Range<usize>, Highlight)>> {
    let mut by_line: Vec<Vec<_>> = vec![Vec::new(); text.lines().count()];
    let mut walk = tree.walk();
    loop {
        let found = highlight(walk.node());
        if let Some(highlight) = found {
            add(&mut by_line, walk.node(), text, highlight);
        }
        if found.is_none() && walk.goto_first_child() {
            continue;
        }
        while !walk.goto_next_sibling() {
            if !walk.goto_parent() {
                return by_line;
            }
        }
    }
}

/// What a node is, with all in it.
fn highlight(node: Node) -> Option<Highlight> {
    let kind = node.kind();
    let is_leaf = node.child_count() == 0;
    let has = |parts: &[&str]| parts.iter().any(|part| kind.contains(part));
    if !node.is_named() {
        let is_word = kind.len() > 1 && kind.bytes().all(|c| c.is_ascii_alphabetic());
        return (is_leaf && is_word).then_some(Highlight::Keyword);
    }
    if has(&["comment"]) {
        return Some(Highlight::Comment);
    }
    if has(&["string", "char", "regex", "rune_literal"]) && !has_code(node) {
        return Some(Highlight::Text);
    }
    match is_leaf {
        true if WORDS.contains(&kind) => Some(Highlight::Keyword),
        true if has(&["number", "integer", "float", "int_literal"]) => Some(Highlight::Number),
        _ => None,
    }
}

/// Whether a string has code in it: `"{total} ms"`.
fn has_code(node: Node) -> bool {
    let is_code = |child: Node| {
        ["interpolation", "substitution", "expression"]
            .iter()
            .any(|part| child.kind().contains(part))
    };
    node.children(&mut node.walk()).any(is_code)
}

/// Adds a node to the lines that it is on.
fn add(
    by_line: &mut [Vec<(Range<usize>, Highlight)>],
    node: Node,
    text: &str,
    highlight: Highlight,
) {
    let (start, end) = (node.start_position(), node.end_position());
    let mut lines = text[node.byte_range()].lines();
    for row in start.row..=end.row {
        let first = if row == start.row { start.column } else { 0 };
        let length = lines.next().map_or(0, str::len);
        if let Some(line) = by_line.get_mut(row).filter(|_| length > 0) {
            line.push((first..first + length, highlight));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Functions, Language};
    use super::Highlight::{self, Comment, Keyword, Number, Text};

    /// The parts of a text, in order.
    fn parts(language: Language, text: &str) -> Vec<(&str, Highlight)> {
        let highlights = Functions::parse(language, text).unwrap().highlights();
        let lines = text.lines().zip(highlights);
        lines
            .flat_map(|(line, parts)| parts.into_iter().map(|(bytes, what)| (&line[bytes], what)))
            .collect()
    }

    #[test]
    fn comments_strings_numbers_and_keywords_are_found() {
        let rust = "/* a\n b */ fn f() -> &mut str { return \"x\"; } // c\nconst N: u8 = 1;\n";
        let expected = [
            ("/* a", Comment),
            (" b */", Comment),
            ("fn", Keyword),
            ("mut", Keyword),
            ("str", Keyword),
            ("return", Keyword),
            ("\"x\"", Text),
            ("// c", Comment),
            ("const", Keyword),
            ("u8", Keyword),
            ("1", Number),
        ];
        assert_eq!(parts(Language::Rust, rust), expected);
        let python = "def f(x):\n    # c\n    if x is None:\n        return 'a', 2.5\n";
        let expected = [
            ("def", Keyword),
            ("# c", Comment),
            ("if", Keyword),
            ("is", Keyword),
            ("None", Keyword),
            ("return", Keyword),
            ("'a'", Text),
            ("2.5", Number),
        ];
        assert_eq!(parts(Language::Python, python), expected);
    }

    #[test]
    fn code_in_a_string_is_code() {
        let python = "s = f'a {1} é'\n";
        let found = parts(Language::Python, python);
        assert!(found.contains(&("1", Number)) && found.contains(&("a ", Text)), "{found:?}");
    }

    #[test]
    fn a_string_of_two_lines_is_text_on_both() {
        let go = "package m\n\nvar s = `a\r\n  b`\n";
        let found = parts(Language::Go, go);
        assert_eq!(found, [("package", Keyword), ("var", Keyword), ("`a", Text), ("  b`", Text)]);
    }
}
