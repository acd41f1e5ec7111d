//! Functions and calls where the grammar sees tokens: in and for Rust's macros, and where syntax is broken.
//!
//! Only functions that begin with a keyword and their name are found so, no closures.

use tree_sitter::Node;

/// `fn name … { … }` among tokens.
pub(super) struct Written<'tree> {
    pub keyword: Node<'tree>,
    pub name: Node<'tree>,
    /// Where it ends, too.
    pub last: Node<'tree>,
}

/// The functions directly in broken syntax. Each ends where the next begins, as it lacks an end.
pub(super) fn unfinished(error: Node) -> Vec<Written> {
    let mut found: Vec<Written> = Vec::new();
    let mut before: Option<Node> = None;
    for token in error.children(&mut error.walk()) {
        match before.filter(|before| !before.is_named() && matches!(before.kind(), "fn" | "def" | "func" | "function")) {
            Some(keyword) if matches!(token.kind(), "identifier" | "constant" | "name") => {
                found.push(Written { keyword, name: token, last: token });
            }
            _ => {
                if let (Some(open), Some(before)) = (found.last_mut(), before) {
                    open.last = before;
                }
            }
        }
        before = Some(token);
    }
    if let (Some(open), Some(last)) = (found.last_mut(), before) {
        open.last = last;
    }
    found
}

/// The functions directly among the tokens of one pair of brackets.
pub(super) fn functions<'tree>(tokens: Node<'tree>, text: &str) -> Vec<Written<'tree>> {
    let mut found = Vec::new();
    let mut head: Option<(Node, Node)> = None;
    let mut before: Option<Node> = None;
    for token in tokens.children(&mut tokens.walk()) {
        match (token.kind(), head) {
            ("identifier", _) if before.is_some_and(|before| before.kind() == "fn") => head = before.map(|fun| (fun, token)),
            (";", _) => head = None,
            ("token_tree", Some((keyword, name))) if opens(token, text, '{') => {
                found.push(Written { keyword, name, last: token });
                head = None;
            }
            _ => {}
        }
        before = Some(token);
    }
    found
}

/// The names directly among the tokens of one pair of brackets that are called: `name(…)`, `name!(…)`.
pub(super) fn calls<'tree>(tokens: Node<'tree>, text: &str) -> Vec<Node<'tree>> {
    let tokens: Vec<Node> = tokens.children(&mut tokens.walk()).collect();
    let is = |at: Option<usize>, kind| at.and_then(|at| tokens.get(at)).is_some_and(|token| token.kind() == kind);
    let is_called = |at: usize| {
        let arguments = tokens.get(at + 1).is_some_and(|next| opens(*next, text, '('));
        let invoked = is(Some(at + 1), "!") && is(Some(at + 2), "token_tree");
        is(Some(at), "identifier") && (arguments || invoked) && !is(at.checked_sub(1), "fn")
    };
    (0..tokens.len()).filter(|at| is_called(*at)).map(|at| tokens[at]).collect()
}

fn opens(token: Node, text: &str, bracket: char) -> bool {
    token.kind() == "token_tree" && text.get(token.start_byte()..).is_some_and(|text| text.starts_with(bracket))
}
