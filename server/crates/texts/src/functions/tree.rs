//! Syntax trees: bounded parsing, applying an edit, walking.

use std::ops::{ControlFlow, RangeInclusive};

use memchr::{memchr_iter, memrchr};
use tree_sitter::{InputEdit, Node, ParseOptions, ParseState, Parser, Point, Tree};

use super::language::Language;

/// The limit for a parse, in steps after which tree-sitter reports progress. Hand-written texts
/// take up to 30 per KiB.
const MAX_STEPS: u32 = 200_000;
/// The limit for a text without length, and what each KiB adds to it. In error recovery, a step can
/// take milliseconds, so a short text must not get all of [`MAX_STEPS`].
const MIN_STEPS: u32 = 8_000;
const STEPS_PER_KIB: u32 = 2_000;
/// The weight of a step during error recovery, which is much slower.
const STEPS_IN_ERROR: u32 = 40;

/// Parses a text, reusing what is unchanged from `old` ([`with_edit`]). `None` if the text takes too
/// much work, or if its language has no grammar.
pub(super) fn parse(language: Language, text: &str, old: Option<&Tree>) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&language.grammar()?).ok()?;
    let n_kib = (text.len() >> 10) as u32;
    let mut steps_left = (MIN_STEPS + STEPS_PER_KIB * n_kib).min(MAX_STEPS);
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

/// The tree of `before` with its nodes moved to where they are in `after`. Everything between the
/// first and the last difference counts as one edit.
pub(super) fn with_edit(tree: &Tree, before: &str, after: &str) -> Tree {
    let (old, new) = (before.as_bytes(), after.as_bytes());
    let start = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let n_after = old[start..]
        .iter()
        .rev()
        .zip(new[start..].iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
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

/// The position after a text.
fn point(before: &[u8]) -> Point {
    let column = before.len() - memrchr(b'\n', before).map_or(0, |end| end + 1);
    Point { row: memchr_iter(b'\n', before).count(), column }
}

/// The bytes of a line, including its end.
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

/// Visits all nodes, outer before inner, each with the nodes around it, outermost first.
pub(super) fn each<'tree>(
    tree: &'tree Tree,
    mut visit: impl FnMut(Node<'tree>, &[Node<'tree>]) -> Children,
) {
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
