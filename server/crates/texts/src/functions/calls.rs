//! The calls in a range of a text.

use std::ops::RangeInclusive;

use tree_sitter::{Node, Tree};

use super::Call;
use super::grammar::{Role, Roles};
use super::language::Language;
use super::names::Name;
use super::tokens;
use super::tree::{Children, each};

/// Calls whose names overlap `bytes` or touch its ends, in the order of the text.
pub(super) fn calls(
    tree: &Tree,
    text: &str,
    language: Language,
    bytes: RangeInclusive<usize>,
) -> Vec<Call> {
    let roles = Roles::new(language);
    let touches = |start: usize, end: usize| start <= *bytes.end() && *bytes.start() <= end;
    let mut found = Vec::new();
    each(tree, |node, _| {
        if !touches(node.start_byte(), node.end_byte()) {
            return Children::Skip;
        }
        match roles.of(node) {
            Some(Role::Call(field)) => {
                let name = callee(node, field).and_then(|callee| Name::of(callee, text));
                let n_arguments = n_arguments(node, text).filter(|_| language == Language::Cpp);
                found.extend(name.map(|name| (name, n_arguments)));
            }
            Some(Role::Tokens) => {
                let names = tokens::calls(node, text).into_iter();
                found.extend(names.filter_map(|name| Some((Name::of(name, text)?, None))));
            }
            None if node.is_error() => {
                let name = called_operator(node).and_then(|name| Name::of(name, text));
                found.extend(name.map(|name| (name, None)));
            }
            _ => {}
        }
        Children::Visit
    });
    found.retain(|(name, _)| touches(name.bytes.start, name.bytes.end));
    found.sort_by_key(|(name, _)| name.bytes.start);
    found.dedup_by(|next, kept| next.0 == kept.0);
    let call = |(name, n_arguments): (Name, _)| Call {
        name: name.text(text),
        bytes: name.bytes,
        line0: name.line0,
        n_arguments,
    };
    found.into_iter().map(call).collect()
}

/// The number of arguments of a call. `None` if there is no list of them, or one of them may stand
/// for several: `args...`, a macro.
fn n_arguments(call: Node, text: &str) -> Option<usize> {
    let list = call.child_by_field_name("arguments")?;
    let may_be_macro = |argument: &Node| {
        let name = text.get(argument.byte_range()).unwrap_or_default();
        argument.kind() == "identifier" && !name.contains(char::is_lowercase)
    };
    let is_one =
        |argument: &Node| argument.kind() != "parameter_pack_expansion" && !may_be_macro(argument);
    let mut cursor = list.walk();
    let arguments: Vec<Node> =
        list.named_children(&mut cursor).filter(|argument| !argument.is_extra()).collect();
    (!list.has_error() && arguments.iter().all(is_one)).then_some(arguments.len())
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
