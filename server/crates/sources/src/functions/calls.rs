//! The calls in a range of a text.

use std::ops::RangeInclusive;

use tree_sitter::{Node, Tree};

use super::Call;
use super::grammar::{Role, Roles};
use super::names::Name;
use super::tokens;
use super::tree::{Children, each};

/// Calls whose names overlap `bytes` or touch its ends, in the order of the text.
pub(super) fn calls(
    tree: &Tree,
    text: &str,
    roles: &Roles,
    bytes: RangeInclusive<usize>,
) -> Vec<Call> {
    let touches = |start: usize, end: usize| start <= *bytes.end() && *bytes.start() <= end;
    let mut found = Vec::new();
    each(tree, |node, _| {
        if !touches(node.start_byte(), node.end_byte()) {
            return Children::Skip;
        }
        match roles.of(node) {
            Some(Role::Call(field)) => {
                found.extend(callee(node, field).and_then(|callee| Name::of(callee, text)));
            }
            Some(Role::Tokens) => found.extend(
                tokens::calls(node, text).into_iter().filter_map(|name| Name::of(name, text)),
            ),
            _ => {}
        }
        Children::Visit
    });
    found.retain(|name| touches(name.bytes.start, name.bytes.end));
    found.sort_by_key(|name| name.bytes.start);
    found.dedup();
    found
        .into_iter()
        .map(|name| Call { name: name.text(text), bytes: name.bytes, line0: name.line0 })
        .collect()
}

fn callee<'tree>(call: Node<'tree>, field: &str) -> Option<Node<'tree>> {
    if field.is_empty() {
        call.named_child(0).or(Some(call))
    } else {
        call.child_by_field_name(field)
    }
}
