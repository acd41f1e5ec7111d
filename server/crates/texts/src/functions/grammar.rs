//! The role of each kind of node in each grammar: one table per language.
//!
//! Kinds and fields are named as in the grammars' `node-types.json`. Kinds that are not listed have
//! no role, but their children are visited.

use rustc_hash::FxHashMap;
use tree_sitter::Node;

use super::language::Language;

/// The role of a node in the search for functions. The strings are names of fields; `""` stands for
/// the first child (of a name) or the last child (of a value).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Role {
    /// A function; the field contains its name.
    Function(&'static str),
    /// The same if it has a body. Without one it is abstract.
    WithBody(&'static str),
    /// A function whose name extends from this token to its parameters: `operator +`, `~Foo`.
    Spelled(&'static str),
    /// `get`, `set`, `add` … of a property or event. Named like in .NET: `get_Count`.
    Accessor,
    /// A property. If its body is `=> expression`, it is its own `get`.
    Property,
    /// A function value, with its own name or the name of its binding.
    Closure,
    /// Binds the value in its second field to the name in its first.
    Binding(&'static str, &'static str),
    /// May be between a binding and its value.
    Between,
    /// The same, for lists: the first value belongs to the first name.
    List,
    /// Begins before the function directly in it: decorators, template parameters.
    Head,
    /// Is the container of the functions in it.
    Container(&'static str),
    /// Names the package or namespace of the functions in its body. Without a body, of those that
    /// follow.
    Package,
    /// A call; the field contains the name of the callee. `""` stands for the node itself if it is
    /// a name.
    Call(&'static str),
    /// Tokens in the call or definition of a Rust macro.
    Tokens,
}

use Role::{
    Accessor, Between, Binding, Call, Closure, Container, Function, Head, List, Package, Property,
    Spelled, Tokens, WithBody,
};

type Table = &'static [(&'static str, Role)];

const RUST: Table = &[
    ("function_item", Function("name")),
    ("closure_expression", Closure),
    ("let_declaration", Binding("pattern", "value")),
    ("const_item", Binding("name", "value")),
    ("static_item", Binding("name", "value")),
    ("field_initializer", Binding("field", "value")),
    ("assignment_expression", Binding("left", "right")),
    ("parenthesized_expression", Between),
    ("reference_expression", Between),
    ("impl_item", Container("type")),
    ("trait_item", Container("name")),
    ("mod_item", Container("name")),
    ("call_expression", Call("function")),
    ("macro_invocation", Call("macro")),
    ("token_tree", Tokens),
];

const C: Table =
    &[("function_definition", Function("declarator")), ("call_expression", Call("function"))];

const CPP: Table = &[
    ("lambda_expression", Closure),
    ("init_declarator", Binding("declarator", "value")),
    ("field_declaration", Binding("declarator", "default_value")),
    ("assignment_expression", Binding("left", "right")),
    ("parenthesized_expression", Between),
    ("template_declaration", Head),
    ("class_specifier", Container("name")),
    ("struct_specifier", Container("name")),
    ("union_specifier", Container("name")),
    ("namespace_definition", Container("name")),
    ("new_expression", Call("type")),
];

const PYTHON: Table = &[
    ("function_definition", Function("name")),
    ("lambda", Closure),
    ("assignment", Binding("left", "right")),
    ("named_expression", Binding("name", "value")),
    ("parenthesized_expression", Between),
    ("expression_list", List),
    ("decorated_definition", Head),
    ("class_definition", Container("name")),
    ("call", Call("function")),
];

const JAVASCRIPT: Table = &[
    ("function_declaration", Function("name")),
    ("generator_function_declaration", Function("name")),
    ("method_definition", WithBody("name")),
    ("function_expression", Closure),
    ("generator_function", Closure),
    ("arrow_function", Closure),
    ("variable_declarator", Binding("name", "value")),
    ("assignment_expression", Binding("left", "right")),
    ("assignment_pattern", Binding("left", "right")),
    ("object_assignment_pattern", Binding("left", "right")),
    ("pair", Binding("key", "value")),
    ("field_definition", Binding("property", "value")),
    ("jsx_attribute", Binding("", "")),
    ("jsx_expression", Between),
    ("parenthesized_expression", Between),
    ("class_declaration", Container("name")),
    ("class", Container("name")),
    ("call_expression", Call("function")),
    ("new_expression", Call("constructor")),
];

const TYPESCRIPT: Table = &[
    ("function_declaration", Function("name")),
    ("generator_function_declaration", Function("name")),
    ("method_definition", WithBody("name")),
    ("function_expression", Closure),
    ("generator_function", Closure),
    ("arrow_function", Closure),
    ("variable_declarator", Binding("name", "value")),
    ("assignment_expression", Binding("left", "right")),
    ("assignment_pattern", Binding("left", "right")),
    ("object_assignment_pattern", Binding("left", "right")),
    ("pair", Binding("key", "value")),
    ("public_field_definition", Binding("name", "value")),
    ("required_parameter", Binding("pattern", "value")),
    ("parenthesized_expression", Between),
    ("as_expression", Between),
    ("satisfies_expression", Between),
    ("non_null_expression", Between),
    ("class_declaration", Container("name")),
    ("abstract_class_declaration", Container("name")),
    ("class", Container("name")),
    ("internal_module", Container("name")),
    ("module", Container("name")),
    ("call_expression", Call("function")),
    ("new_expression", Call("constructor")),
];

const JSX: Table = &[("jsx_attribute", Binding("", "")), ("jsx_expression", Between)];

const GO: Table = &[
    ("package_clause", Package),
    ("function_declaration", WithBody("name")),
    ("method_declaration", WithBody("name")),
    ("func_literal", Closure),
    ("short_var_declaration", Binding("left", "right")),
    ("assignment_statement", Binding("left", "right")),
    ("var_spec", Binding("name", "value")),
    ("keyed_element", Binding("key", "value")),
    ("literal_element", Between),
    ("parenthesized_expression", Between),
    ("expression_list", List),
    ("call_expression", Call("function")),
    // `f[int](1)` can be a call or a conversion.
    ("type_conversion_expression", Call("type")),
];

/// Blocks, procs and lambdas belong to their method, because a profile cannot tell them apart: all
/// of them have the frame name `block in m`.
const RUBY: Table = &[
    ("method", Function("name")),
    ("singleton_method", Function("name")),
    ("class", Container("name")),
    ("module", Container("name")),
    ("call", Call("method")),
    // `total` is a call unless there is a variable of that name.
    ("identifier", Call("")),
];

const JAVA: Table = &[
    ("package_declaration", Package),
    ("method_declaration", WithBody("name")),
    ("constructor_declaration", Function("name")),
    ("compact_constructor_declaration", Function("name")),
    ("lambda_expression", Closure),
    ("variable_declarator", Binding("name", "value")),
    ("assignment_expression", Binding("left", "right")),
    ("parenthesized_expression", Between),
    ("cast_expression", Between),
    ("class_declaration", Container("name")),
    ("interface_declaration", Container("name")),
    ("enum_declaration", Container("name")),
    ("enum_constant", Container("name")),
    ("record_declaration", Container("name")),
    ("method_invocation", Call("name")),
    ("object_creation_expression", Call("type")),
];

const C_SHARP: Table = &[
    ("method_declaration", WithBody("name")),
    ("constructor_declaration", WithBody("name")),
    ("local_function_statement", WithBody("name")),
    ("destructor_declaration", Spelled("~")),
    ("operator_declaration", Spelled("operator")),
    ("conversion_operator_declaration", Spelled("operator")),
    ("accessor_declaration", Accessor),
    ("property_declaration", Property),
    ("indexer_declaration", Property),
    ("lambda_expression", Closure),
    ("anonymous_method_expression", Closure),
    ("variable_declarator", Binding("name", "")),
    ("assignment_expression", Binding("left", "right")),
    ("parenthesized_expression", Between),
    ("cast_expression", Between),
    ("class_declaration", Container("name")),
    ("struct_declaration", Container("name")),
    ("record_declaration", Container("name")),
    ("interface_declaration", Container("name")),
    ("namespace_declaration", Container("name")),
    ("file_scoped_namespace_declaration", Package),
    ("invocation_expression", Call("function")),
    ("object_creation_expression", Call("type")),
];

const PHP: Table = &[
    ("namespace_definition", Package),
    ("function_definition", Function("name")),
    ("method_declaration", WithBody("name")),
    ("anonymous_function", Closure),
    ("arrow_function", Closure),
    ("assignment_expression", Binding("left", "right")),
    ("array_element_initializer", Binding("", "")),
    ("parenthesized_expression", Between),
    ("class_declaration", Container("name")),
    ("interface_declaration", Container("name")),
    ("trait_declaration", Container("name")),
    ("enum_declaration", Container("name")),
    ("function_call_expression", Call("function")),
    ("member_call_expression", Call("name")),
    ("nullsafe_member_call_expression", Call("name")),
    ("scoped_call_expression", Call("name")),
    ("object_creation_expression", Call("")),
];

const LUA: Table = &[
    ("function_declaration", Function("name")),
    ("function_definition", Closure),
    ("assignment_statement", Binding("", "")),
    ("field", Binding("name", "value")),
    ("parenthesized_expression", Between),
    ("expression_list", List),
    ("function_call", Call("name")),
];

const R: Table = &[
    ("function_definition", Closure),
    ("binary_operator", Binding("lhs", "rhs")),
    ("argument", Binding("name", "value")),
    ("parenthesized_expression", Between),
    ("call", Call("function")),
];

impl Language {
    fn tables(self) -> &'static [Table] {
        match self {
            Language::Rust => &[RUST],
            Language::C => &[C],
            Language::Cpp => &[C, CPP],
            Language::Python => &[PYTHON],
            Language::JavaScript => &[JAVASCRIPT],
            Language::TypeScript => &[TYPESCRIPT],
            Language::Tsx => &[TYPESCRIPT, JSX],
            Language::Go => &[GO],
            Language::Ruby => &[RUBY],
            Language::Java => &[JAVA],
            Language::CSharp => &[C_SHARP],
            Language::Php => &[PHP],
            Language::Lua => &[LUA],
            Language::R => &[R],
            Language::Mercury => &[],
        }
    }

    /// `None` for Mercury, whose functions are found without a grammar.
    pub(super) fn grammar(self) -> Option<tree_sitter::Language> {
        let grammar = match self {
            Language::Rust => tree_sitter_rust::LANGUAGE,
            Language::C => tree_sitter_c::LANGUAGE,
            Language::Cpp => tree_sitter_cpp::LANGUAGE,
            Language::Python => tree_sitter_python::LANGUAGE,
            Language::JavaScript => tree_sitter_javascript::LANGUAGE,
            Language::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT,
            Language::Tsx => tree_sitter_typescript::LANGUAGE_TSX,
            Language::Go => tree_sitter_go::LANGUAGE,
            Language::Ruby => tree_sitter_ruby::LANGUAGE,
            Language::Java => tree_sitter_java::LANGUAGE,
            Language::CSharp => tree_sitter_c_sharp::LANGUAGE,
            Language::Php => tree_sitter_php::LANGUAGE_PHP,
            Language::Lua => tree_sitter_lua::LANGUAGE,
            Language::R => tree_sitter_r::LANGUAGE,
            Language::Mercury => return None,
        };
        Some(grammar.into())
    }
}

/// The table of a language, indexed by the grammar's ids of node kinds.
pub(super) struct Roles(Vec<Option<Role>>);

impl Roles {
    pub(super) fn new(language: Language) -> Roles {
        let Some(grammar) = language.grammar() else { return Roles(Vec::new()) };
        let by_kind: FxHashMap<&str, Role> =
            language.tables().iter().copied().flatten().copied().collect();
        // A keyword may have the name of the node it begins (`lambda`, `class`).
        let named =
            |id| grammar.node_kind_is_named(id).then(|| grammar.node_kind_for_id(id)).flatten();
        Roles(
            (0..grammar.node_kind_count() as u16)
                .map(|id| by_kind.get(named(id)?).copied())
                .collect(),
        )
    }

    /// The role of a node. Most nodes have none, including those of syntax errors.
    pub(super) fn of(&self, node: Node) -> Option<Role> {
        *self.0.get(usize::from(node.kind_id()))?
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Grammars rename kinds and fields between versions. An outdated table would silently find
    /// fewer functions.
    #[test]
    fn tables_match_the_grammars() {
        for language in Language::ALL {
            let Some(grammar) = language.grammar() else { continue };
            for (kind, role) in language.tables().iter().copied().flatten() {
                assert_ne!(grammar.id_for_node_kind(kind, true), 0, "{language:?} has {kind}");
                let fields = match *role {
                    Function(name) | Container(name) | Call(name) => vec![name],
                    WithBody(name) => vec![name, "body"],
                    Binding(name, value) => vec![name, value],
                    Spelled(token) => {
                        assert_ne!(
                            grammar.id_for_node_kind(token, false),
                            0,
                            "{language:?} has {token}"
                        );
                        vec!["parameters"]
                    }
                    Accessor => vec!["body"],
                    Property => vec!["name", "value"],
                    Closure | Between | List | Head | Package | Tokens => vec![],
                };
                for field in fields.into_iter().filter(|field| !field.is_empty()) {
                    assert!(
                        grammar.field_id_for_name(field).is_some(),
                        "{language:?}: {kind} has {field}"
                    );
                }
            }
        }
    }
}
