//! The name at the end of a path, declarator or pattern, and its qualifier.

use std::ops::Range;

use tree_sitter::Node;

/// The limit for nested paths; hand-written ones are far shorter.
const MAX_STEPS: usize = 64;

/// Fields that lead to the name, in the order in which they are tried.
const TO_NAME: [&str; 7] =
    ["declarator", "name", "field", "property", "attribute", "method", "type"];

/// The nodes from a path to its last name. For `a.b::<T>` the last one is `b`.
pub(super) fn path(node: Node) -> impl Iterator<Item = Node> {
    std::iter::successors(Some(node), |node| next(*node)).take(MAX_STEPS)
}

fn next(node: Node) -> Option<Node> {
    match node.kind() {
        // The node as a whole is the name.
        "setter" | "operator_cast" => None,
        "namespace_operator" | "extract_operator" => node.child_by_field_name("rhs"),
        "generic_function" => node.child_by_field_name("function"),
        "pointer_expression" => node.child_by_field_name("argument"),
        "generic_name"
        | "pointer_type"
        | "variable_name"
        | "parenthesized_declarator"
        | "reference_declarator"
        | "parenthesized_expression"
        | "non_null_expression"
        | "literal_element"
        | "dependent_name" => node.named_child(0),
        "conditional_access_expression"
        | "nested_namespace_specifier"
        | "qualified_name"
        | "scoped_type_identifier" => last_child(node),
        "generic_type" => node.child_by_field_name("type").or_else(|| node.named_child(0)),
        _ => TO_NAME.iter().find_map(|field| node.child_by_field_name(field)),
    }
}

/// The last named child.
pub(super) fn last_child(node: Node) -> Option<Node> {
    node.named_child(node.named_child_count().checked_sub(1)? as u32)
}

/// The bytes of a node without the quotes around it.
fn within(node: Node, text: &str, quotes: &[char]) -> Option<Range<usize>> {
    let bytes = node.byte_range();
    let whole = text.get(bytes.clone())?;
    let inner = whole.trim_matches(quotes);
    let start = bytes.start + whole.find(inner).unwrap_or_default();
    Some(start..start + inner.len())
}

/// A name in the text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Name {
    pub bytes: Range<usize>,
    pub line0: u32,
}

impl Name {
    /// The name at the end of a path. `None` if there is none: `x[0]`.
    pub(super) fn of(node: Node, text: &str) -> Option<Name> {
        let last = path(node).last()?;
        let bytes = match last.kind() {
            "operator_cast" => {
                return Name::before(last, last.child_by_field_name("declarator")?, text);
            }
            "destructor_name" | "operator_name" | "setter" | "computed_property_name" => {
                last.byte_range()
            }
            "string" | "interpreted_string_literal" | "encapsed_string" => {
                within(last, text, &['"', '\''])?
            }
            // In R, any text is a name if it is between these quotes.
            "identifier" => within(last, text, &['`'])?,
            _ if last.named_child_count() == 0 => last.byte_range(),
            _ => return None,
        };
        Some(Name { bytes, line0: last.start_position().row as u32 })
            .filter(|name| !name.bytes.is_empty())
    }

    /// The name that extends from the start of one node to the start of another.
    pub(super) fn before(from: Node, to: Node, text: &str) -> Option<Name> {
        let name = text.get(from.start_byte()..to.start_byte())?.trim_end();
        let bytes = from.start_byte()..from.start_byte() + name.len();
        Some(Name { bytes, line0: from.start_position().row as u32 })
    }

    pub(super) fn text(&self, text: &str) -> String {
        text.get(self.bytes.clone()).unwrap_or_default().to_owned()
    }
}

/// The qualifiers of a function's name, outermost first: `a`, `Foo` of `a::Foo::bar`, `v` of
/// `t.u.v:w`, the receiver's type in Go.
pub(super) fn qualifiers<'a>(function: Node<'a>, text: &str) -> Vec<Name> {
    let receiver = |node: Node<'a>| {
        node.child_by_field_name("receiver")?.named_child(0)?.child_by_field_name("type")
    };
    let scope = |node: Node<'a>| {
        ["scope", "table"].iter().find_map(|field| node.child_by_field_name(field))
    };
    let nodes = path(function).filter_map(|node| receiver(node).or_else(|| scope(node)));
    nodes.filter_map(|node| Name::of(node, text)).collect()
}

/// The names in the path of a package, namespace or type: `a`, `b` of `a::b`, `a.b` or `a\b`.
/// `None` for other nodes.
pub(super) fn segments(node: Node, text: &str) -> Option<Vec<String>> {
    let is_name = |name: &&str| {
        !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$'))
    };
    let segments = text.get(node.byte_range())?.split(['.', '\\', ':']).map(str::trim);
    let segments: Vec<&str> = segments.filter(|name| !name.is_empty()).collect();
    let all_names = !segments.is_empty() && segments.iter().all(is_name);
    all_names.then(|| segments.into_iter().map(str::to_owned).collect())
}
