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
            None if node.is_error() => {
                found.extend(called_operator(node).and_then(|name| Name::of(name, text)));
            }
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
        return call.named_child(0).or(Some(call));
    }
    let callee = call.child_by_field_name(field)?;
    // In Go, `f[int](1, 2)` can be a call of a generic function or of an element.
    let indexed =
        (callee.kind() == "index_expression").then(|| callee.child_by_field_name("operand"));
    indexed.flatten().or(Some(callee))
}

/// The operator that is called in a syntax error. The grammar of C++ lacks `a.operator+(b)` and
/// `operator+(a, b)`: it has the name of the operator, or a declarator with it, in an error.
fn called_operator(error: Node) -> Option<Node> {
    let first = error.named_child(0)?;
    let name = match first.kind() {
        "function_declarator" => first.child_by_field_name("declarator")?,
        _ => first,
    };
    (name.kind() == "operator_name").then_some(name)
}
