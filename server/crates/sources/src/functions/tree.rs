//! Syntax trees: parsing within bounds, moving an old tree to an edited text, going through all nodes.

use std::ops::{ControlFlow, RangeInclusive};

use memchr::{memchr_iter, memrchr};
use tree_sitter::{InputEdit, Node, ParseOptions, ParseState, Parser, Point, Tree};

use super::Language;

/// Longer texts are generated, and a tree takes many times the memory of its text.
const MAX_BYTES: usize = 8 << 20;
/// How much work a parse may be, in the steps after which tree-sitter reports progress: texts of people take up to 30 per KiB.
const MAX_STEPS: u32 = 200_000;
/// A step costs many times more while the parser tries how broken syntax may be meant.
const STEPS_IN_ERROR: u32 = 40;

/// Parses a text; with the old tree of the text before an edit ([`moved`]) what is the same is taken from there. `None` if the
/// text is too long or too much work.
pub(super) fn parse(language: Language, text: &str, old: Option<&Tree>) -> Option<Tree> {
    if text.len() > MAX_BYTES {
        return None;
    }
    let mut parser = Parser::new();
    parser.set_language(&language.grammar()).ok()?;
    let mut steps_left = MAX_STEPS;
    let mut progress = |state: &ParseState| {
        let steps = if state.has_error() { STEPS_IN_ERROR } else { 1 };
        match steps_left.checked_sub(steps) {
            Some(left) => {
                steps_left = left;
                ControlFlow::Continue(())
            }
            None => ControlFlow::Break(()),
        }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let from = |byte: usize, _| text.as_bytes().get(byte..).unwrap_or_default();
    parser.parse_with_options(&mut { from }, old, Some(options))
}

/// The tree of `before` with its nodes where they are in `after`: all between the first and the last difference is one edit.
pub(super) fn moved(tree: &Tree, before: &str, after: &str) -> Tree {
    let (old, new) = (before.as_bytes(), after.as_bytes());
    let start = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let n_after = old[start..].iter().rev().zip(new[start..].iter().rev()).take_while(|(a, b)| a == b).count();
    let (old_end, new_end) = (old.len() - n_after, new.len() - n_after);
    let mut tree = tree.clone();
    tree.edit(&InputEdit {
        start_byte: start,
        old_end_byte: old_end,
        new_end_byte: new_end,
        start_position: point(&old[..start]),
        old_end_position: point(&old[..old_end]),
        new_end_position: point(&new[..new_end]),
    });
    tree
}

/// Where the text behind `before` begins.
fn point(before: &[u8]) -> Point {
    let column = before.len() - memrchr(b'\n', before).map_or(0, |end| end + 1);
    Point { row: memchr_iter(b'\n', before).count(), column }
}

/// The bytes of a line, with the one behind it.
pub(super) fn line(text: &str, line0: u32) -> Option<RangeInclusive<usize>> {
    let mut ends = memchr_iter(b'\n', text.as_bytes());
    let start = match line0.checked_sub(1) {
        Some(before) => ends.nth(before as usize)? + 1,
        None => 0,
    };
    Some(start..=ends.next().unwrap_or(text.len()))
}

/// What to do with the children of a node.
pub(super) enum Children {
    Visit,
    Skip,
}

/// Visits nodes, outer before inner, with the nodes around each, outermost first.
pub(super) fn each<'tree>(tree: &'tree Tree, mut visit: impl FnMut(Node<'tree>, &[Node<'tree>]) -> Children) {
    let mut cursor = tree.walk();
    let mut around = Vec::new();
    loop {
        let node = cursor.node();
        if let Children::Visit = visit(node, &around)
            && cursor.goto_first_child()
        {
            around.push(node);
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
            around.pop();
        }
    }
}
