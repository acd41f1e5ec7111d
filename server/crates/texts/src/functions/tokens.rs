//! Functions and calls among plain tokens: in Rust macros, and in syntax errors.
//!
//! This finds only functions that begin with a keyword and their name, not closures.

use tree_sitter::Node;

/// `fn name … { … }` among tokens.
pub(super) struct TokenFunction<'tree> {
    pub keyword: Node<'tree>,
    pub name: Node<'tree>,
    /// The last token of the function.
    pub last: Node<'tree>,
}

/// The functions directly in a syntax error. Their end is unknown, so each ends where the next one
/// begins.
pub(super) fn unfinished(error: Node) -> Vec<TokenFunction> {
    let mut found: Vec<TokenFunction> = Vec::new();
    let mut previous: Option<Node> = None;
    for token in error.children(&mut error.walk()) {
        let keyword = previous.filter(|previous| {
            !previous.is_named() && matches!(previous.kind(), "fn" | "def" | "func" | "function")
        });
        match keyword {
            Some(keyword) if matches!(token.kind(), "identifier" | "constant" | "name") => {
                found.push(TokenFunction { keyword, name: token, last: token });
            }
            _ => {
                if let (Some(open), Some(previous)) = (found.last_mut(), previous) {
                    open.last = previous;
                }
            }
        }
        previous = Some(token);
    }
    if let (Some(open), Some(last)) = (found.last_mut(), previous) {
        open.last = last;
    }
    found
}

/// The functions directly among the tokens in one pair of brackets.
pub(super) fn functions<'tree>(tokens: Node<'tree>, text: &str) -> Vec<TokenFunction<'tree>> {
    let mut found = Vec::new();
    let mut head: Option<(Node, Node)> = None;
    let mut previous: Option<Node> = None;
    for token in tokens.children(&mut tokens.walk()) {
        match (token.kind(), head) {
            ("identifier", _) if previous.is_some_and(|previous| previous.kind() == "fn") => {
                head = previous.map(|keyword| (keyword, token));
            }
            (";", _) => head = None,
            ("token_tree", Some((keyword, name))) if opens(token, text, '{') => {
                found.push(TokenFunction { keyword, name, last: token });
                head = None;
            }
            _ => {}
        }
        previous = Some(token);
    }
    found
}

/// The callees directly among the tokens in one pair of brackets: `name(…)`, `name!(…)`.
pub(super) fn calls<'tree>(tokens: Node<'tree>, text: &str) -> Vec<Node<'tree>> {
    let tokens: Vec<Node> = tokens.children(&mut tokens.walk()).collect();
    let has_kind = |at: Option<usize>, kind| {
        at.and_then(|at| tokens.get(at)).is_some_and(|token| token.kind() == kind)
    };
    let is_called = |at: usize| {
        let arguments = tokens.get(at + 1).is_some_and(|next| opens(*next, text, '('));
        let invoked = has_kind(Some(at + 1), "!") && has_kind(Some(at + 2), "token_tree");
        has_kind(Some(at), "identifier")
            && (arguments || invoked)
            && !has_kind(at.checked_sub(1), "fn")
    };
    (0..tokens.len()).filter(|at| is_called(*at)).map(|at| tokens[at]).collect()
}

/// Whether a token is a pair of brackets of this kind.
fn opens(token: Node, text: &str, bracket: char) -> bool {
    token.kind() == "token_tree"
        && text.get(token.start_byte()..).is_some_and(|text| text.starts_with(bracket))
}
