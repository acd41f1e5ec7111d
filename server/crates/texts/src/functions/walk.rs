//! Collects the functions of a syntax tree.

use std::cmp::Reverse;
use std::ops::{Range, RangeInclusive};

use tree_sitter::{Node, Tree};

use super::grammar::{Role, Roles};
use super::names::{Name, last_child, path, qualifiers, segments};
use super::tokens::{self, TokenFunction};
use super::tree::{Children, each};
use super::{Definition, FunctionKind};

/// The limit for brackets and casts between a closure and its binding, in hand-written code.
const MAX_BETWEEN: usize = 16;
/// The limit for the values of one assignment to a list of names.
const MAX_PLACES: usize = 64;

/// The limit for nested scopes whose names are kept, in hand-written code.
const MAX_SCOPES: usize = 64;

/// All functions of a tree in the order of the text, outer before inner.
pub(super) fn definitions(tree: &Tree, text: &str, roles: &Roles) -> Vec<Definition> {
    let mut walk = Walk { text, roles, scopes: Vec::new(), found: Vec::new() };
    each(tree, |node, around| {
        walk.visit(node, around);
        Children::Visit
    });
    nested(walk.found)
}

/// The 0-based line of the outermost statement around a byte in the innermost body of a named
/// function, a container or the text.
pub(super) fn statement_at(tree: &Tree, roles: &Roles, byte: usize) -> Option<u32> {
    let mut cursor = tree.walk();
    let (mut is_body, mut line0) = (true, None);
    loop {
        let outer = cursor.node();
        if cursor.goto_first_child_for_byte(byte).is_none() {
            return line0;
        }
        let node = cursor.node();
        if node.start_byte() > byte || roles.of(node) == Some(Role::Closure) {
            return line0;
        }
        // The list of statements in a block is a node of its own in Go.
        let is_list = node.kind() == "statement_list";
        if is_body && !is_list {
            line0 = Some(node.start_position().row as u32);
        }
        let has_body = matches!(
            roles.of(outer),
            Some(
                Role::Function(_)
                    | Role::WithBody(_)
                    | Role::Spelled(_)
                    | Role::Accessor
                    | Role::Container(_)
            )
        );
        is_body = is_body && is_list || has_body && outer.child_by_field_name("body") == Some(node);
    }
}

struct Walk<'a> {
    text: &'a str,
    roles: &'a Roles,
    /// The scopes around the node, outermost first.
    scopes: Vec<Scope>,
    found: Vec<Definition>,
}

/// What functions can be in: a container, a function or a package.
#[derive(Default)]
struct Scope {
    /// The number of nodes around its node.
    depth: usize,
    /// Empty for a function without a name.
    names: Vec<String>,
    /// The name of a container. `None` for a function or a package.
    container: Option<String>,
    /// See [`Definition::implements`].
    implements: Option<String>,
    is_package: bool,
}

impl Walk<'_> {
    fn visit(&mut self, node: Node, around: &[Node]) {
        while self.scopes.pop_if(|scope| scope.depth >= around.len()).is_some() {}
        if node.is_error() {
            self.add_all(tokens::unfinished(node));
        }
        let Some(role) = self.roles.of(node) else { return };
        let field = |field: &str| node.child_by_field_name(field);
        let name = |field: &str| {
            node.child_by_field_name(field).and_then(|path| Name::of(path, self.text))
        };
        match role {
            Role::Function("declarator") if !declares_function(node) => {
                // This is a class with a macro in its head.
                let container = name("declarator").map(|name| name.text(self.text));
                self.scopes.push(Scope {
                    depth: around.len(),
                    names: container.iter().cloned().collect(),
                    container,
                    ..Scope::default()
                });
            }
            Role::Function("declarator")
                if node
                    .named_children(&mut node.walk())
                    .any(|part| part.kind() == "delete_method_clause") => {}
            Role::Function(field) => self.function(node, around, name(field)),
            Role::WithBody(field) if node.child_by_field_name("body").is_some() => {
                self.function(node, around, name(field));
            }
            Role::Spelled(token) => {
                let first = node.children(&mut node.walk()).find(|child| child.kind() == token);
                let name = first
                    .zip(field("parameters"))
                    .and_then(|(from, to)| Name::before(from, to, self.text));
                self.function(node, around, name);
            }
            Role::Accessor if field("body").is_some() => {
                let property = around.iter().rev().nth(1);
                let accessed = node.children(&mut node.walk()).find(|child| !child.is_named());
                if let Some((property, accessed)) = property.zip(accessed) {
                    self.accessor(node, around, *property, accessed.kind());
                }
            }
            Role::Property
                if field("value")
                    .is_some_and(|value| value.kind() == "arrow_expression_clause") =>
            {
                self.accessor(node, around, node, "get");
            }
            Role::Closure => {
                // In R, it is the keyword.
                let own = name("name").filter(|_| field("name").is_some_and(|it| it.is_named()));
                let kind =
                    if own.is_some() { FunctionKind::Function } else { FunctionKind::Closure };
                let name = own.or_else(|| self.bound_name(node, around));
                self.define(node, around, name, kind);
            }
            Role::Container(of) => {
                let container = name(of).or_else(|| self.bound_name(node, around));
                // The content of a container without a name belongs to the outer one.
                if let Some(container) = container {
                    let container = container.text(self.text);
                    // The path to the type of an `impl` is not the path to the `impl`.
                    let path = field(of).filter(|_| node.kind() != "impl_item");
                    let names = path.and_then(|path| segments(path, self.text));
                    let implements = name("trait").map(|name| name.text(self.text));
                    self.scopes.push(Scope {
                        depth: around.len(),
                        names: names.unwrap_or_else(|| vec![container.clone()]),
                        container: Some(container),
                        implements,
                        is_package: false,
                    });
                }
            }
            Role::Package => self.package(node, around),
            Role::Tokens => self.add_all(tokens::functions(node, self.text)),
            _ => {}
        }
    }

    fn package(&mut self, node: Node, around: &[Node]) {
        let name = node.child_by_field_name("name").or_else(|| last_child(node));
        let names = name.and_then(|name| segments(name, self.text)).unwrap_or_default();
        let depth = if node.child_by_field_name("body").is_some() {
            around.len()
        } else {
            // It ends with the next one, or with the node around it.
            around.len().saturating_sub(1)
        };
        let is_ended = |scope: &mut Scope| scope.is_package && scope.depth == depth;
        while self.scopes.pop_if(is_ended).is_some() {}
        self.scopes.push(Scope { depth, names, is_package: true, ..Scope::default() });
    }

    fn function(&mut self, node: Node, around: &[Node], name: Option<Name>) {
        self.define(node, around, name, FunctionKind::Function);
    }

    fn accessor(&mut self, node: Node, around: &[Node], property: Node, accessed: &str) {
        let name = property.child_by_field_name("name").and_then(|name| Name::of(name, self.text));
        let property = name.as_ref().map_or("Item".to_owned(), |name| name.text(self.text));
        let at = self.found.len();
        self.function(node, around, name);
        if let Some(definition) = self.found.get_mut(at) {
            definition.name = format!("{accessed}_{property}");
        }
    }

    fn define(&mut self, node: Node, around: &[Node], name: Option<Name>, kind: FunctionKind) {
        let is_head = |around: &&Node| self.roles.of(**around) == Some(Role::Head);
        let first = around.iter().rev().take_while(is_head).last().unwrap_or(&node);
        let qualifiers = qualifiers(node, self.text);
        let qualifiers = qualifiers.iter().map(|name| name.text(self.text)).collect();
        let name_text = name.as_ref().map(|name| name.text(self.text));
        self.add(*first, node, name, kind, qualifiers);
        self.scopes.push(Scope {
            depth: around.len(),
            names: name_text.into_iter().collect(),
            ..Scope::default()
        });
    }

    /// Adds the function from the start of one node to the end of another.
    fn add(
        &mut self,
        first: Node,
        last: Node,
        name: Option<Name>,
        kind: FunctionKind,
        qualifiers: Vec<String>,
    ) {
        let start_line0 = first.start_position().row as u32;
        let name = name
            .unwrap_or(Name { bytes: first.start_byte()..first.start_byte(), line0: start_line0 });
        self.found.push(Definition {
            name: name.text(self.text),
            arity: None,
            n_parameters: n_parameters(last, self.text),
            container: qualifiers.last().cloned().or_else(|| self.scopes.last()?.container.clone()),
            implements: self.scopes.last().and_then(|scope| scope.implements.clone()),
            scopes: self
                .scopes
                .iter()
                .take(MAX_SCOPES)
                .flat_map(|scope| scope.names.iter().cloned())
                .chain(qualifiers)
                .collect(),
            kind,
            lines: lines(first, last),
            bytes: first.start_byte()..last.end_byte(),
            body_start: last
                .child_by_field_name("body")
                .map_or(last.end_byte(), |body| body.start_byte()),
            name_line0: name.line0,
            name_bytes: name.bytes,
            parent: None,
        });
    }

    fn add_all(&mut self, functions: Vec<TokenFunction>) {
        for TokenFunction { keyword, name, last } in functions {
            self.add(keyword, last, Name::of(name, self.text), FunctionKind::Function, Vec::new());
        }
    }

    /// The name of the binding around a value.
    fn bound_name(&self, value: Node, around: &[Node]) -> Option<Name> {
        let mut value = value;
        let mut place = 0;
        for node in around.iter().rev().take(MAX_BETWEEN) {
            match self.roles.of(*node)? {
                Role::Between => {}
                Role::List => {
                    place = node
                        .named_children(&mut node.walk())
                        .take(MAX_PLACES)
                        .position(|child| child == value)?;
                }
                Role::Binding(name, of) => {
                    let bound = if of.is_empty() {
                        last_child(*node)
                    } else {
                        node.child_by_field_name(of)
                    };
                    let name = names(*node, name, place).filter(|name| *name != value);
                    return if bound == Some(value) { Name::of(name?, self.text) } else { None };
                }
                _ => return None,
            }
            value = *node;
        }
        None
    }
}

/// The name for the value at an index of a list of values.
fn names<'tree>(binding: Node<'tree>, field: &str, place: usize) -> Option<Node<'tree>> {
    let mut cursor = binding.walk();
    let mut names = binding.children_by_field_name(field, &mut cursor);
    let first = if field.is_empty() { binding.named_child(0)? } else { names.next()? };
    match first.kind() {
        "expression_list" | "variable_list" | "pattern_list" => first.named_child(place as u32),
        _ if place == 0 => Some(first),
        _ => names.nth(place - 1),
    }
}

/// Whether a definition of C or C++ has parameters.
fn declares_function(definition: Node) -> bool {
    path(definition).any(|node| matches!(node.kind(), "function_declarator" | "operator_cast"))
}

fn lines(first: Node, last: Node) -> RangeInclusive<u32> {
    let (start, end) = (first.start_position(), last.end_position());
    // A node that ends with a line end has its end position on the next line.
    let end_line = if end.column == 0 && end.row > start.row { end.row - 1 } else { end.row };
    start.row as u32..=end_line as u32
}

/// Sorts functions and sets the innermost function around each.
fn nested(mut found: Vec<Definition>) -> Vec<Definition> {
    found.sort_by_key(|definition| (definition.bytes.start, Reverse(definition.bytes.end)));
    let mut open: Vec<(usize, Range<usize>)> = Vec::new();
    for (at, definition) in found.iter_mut().enumerate() {
        while open.pop_if(|(_, bytes)| bytes.end <= definition.bytes.start).is_some() {}
        definition.parent = open.last().map(|(at, _)| *at);
        open.push((at, definition.bytes.clone()));
    }
    found
}

/// How deep the list of parameters is in the declarators of a function: `int *(*f(int x))`.
const MAX_DECLARATORS: usize = 8;

/// What is declared in a function, or the declarator in another one.
fn inner(node: Node) -> Option<Node> {
    node.child_by_field_name("declarator").or_else(|| last_child(node))
}

/// The number of parameters of a function. `None` if it has no list of them, in languages with other
/// nodes, and if it takes more than it names.
fn n_parameters(function: Node, text: &str) -> Option<usize> {
    let mut declarators =
        std::iter::successors(Some(function), |node| inner(*node)).take(MAX_DECLARATORS);
    let list = declarators.find_map(|node| node.child_by_field_name("parameters"))?;
    let parameters = (0..list.named_child_count()).filter_map(|at| list.named_child(at as u32));
    let parameters: Vec<Node> = parameters.filter(|node| !node.is_extra()).collect();
    let is_known = |node: &Node| {
        matches!(
            node.kind(),
            "parameter" | "parameter_declaration" | "optional_parameter_declaration"
        )
    };
    match parameters[..] {
        // C: `f(void)`.
        [only] if text.get(only.byte_range()) == Some("void") => Some(0),
        _ if list.child_count() > 0 && parameters.iter().all(is_known) => Some(parameters.len()),
        _ => None,
    }
}
