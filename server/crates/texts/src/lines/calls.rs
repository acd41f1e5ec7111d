//! Which tokens are the names of functions that are called.

use super::lexer::{Kind, Token, hash_of_word};
use super::syntax::Syntax;

/// The words before the name of a definition.
const DEFINING: [&str; 9] =
    ["class", "def", "defp", "fn", "fun", "func", "function", "struct", "sub"];
/// The maximum number of tokens of a parameter list.
const MAX_PARAMETERS: usize = 500;

/// Whether a token is the name of a function that is called, and not one that is defined there. Types
/// after a definition's parameters are only recognized as far as tokens allow it.
pub(super) fn is_call(tokens: &[Token], at: usize, syntax: Syntax) -> bool {
    let has_arguments = tokens.get(at + 1).is_some_and(|next| next.is('('));
    tokens[at].kind == Kind::Word
        && has_arguments
        && !is_defining_word(&tokens[at])
        && !follows_defining_word(tokens, at)
        && !(syntax.has_headers() && has_body(tokens, at, syntax))
}

/// Whether a word like `def` is before a name, or before its path or receiver: `function Map.add(`,
/// `func (m *Map) Add(`.
fn follows_defining_word(tokens: &[Token], at: usize) -> bool {
    let mut before = tokens[..at].iter().rev();
    let mut last = before.next();
    while last.is_some_and(|token| token.is_any(".:")) {
        last = before.by_ref().nth(1);
    }
    if last.is_some_and(|token| token.is(')')) {
        last = before.skip_while(|token| !token.is('(')).nth(1);
    }
    last.is_some_and(is_defining_word)
}

fn is_defining_word(token: &Token) -> bool {
    DEFINING.iter().any(|word| token.hash == hash_of_word(word))
}

/// Whether a body, or the type of a result or initializers before one, follow the parentheses after a
/// name.
fn has_body(tokens: &[Token], at: usize, syntax: Syntax) -> bool {
    let mut depth = 0_usize;
    let mut after = tokens[at + 1..].iter().take(MAX_PARAMETERS).skip_while(|token| {
        match token.kind {
            Kind::Punctuation('(') => depth += 1,
            Kind::Punctuation(')') => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth > 0
    });
    let before = at.checked_sub(1).map(|before| &tokens[before]);
    // `const` and `throws E` are before the body.
    let mut end = after.nth(1);
    while syntax == Syntax::C && end.is_some_and(|token| token.kind == Kind::Word) {
        end = after.next();
    }
    match end.map(|token| token.kind) {
        // `new A() {` is a call.
        Some(Kind::Punctuation('{')) => {
            before.is_none_or(|before| before.hash != hash_of_word("new"))
        }
        // `a ? f(x) : b` is a call.
        Some(Kind::Punctuation(':')) => {
            before.is_none_or(|before| before.kind == Kind::Word || before.is_any("{};,"))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::lexer::lex;
    use super::*;

    #[test]
    fn definitions_are_no_calls() {
        let cases = [
            (Syntax::Python, "def one(n): return two(n) + self.three(4)", "two three"),
            (Syntax::Python, "class One(Two): x = three(4)", "three"),
            (Syntax::Python, "x = data.match(y).delete(z)", "match delete"),
            (Syntax::JavaScript, "function one(n) { return n.filter(two); }", "filter"),
            (Syntax::JavaScript, "static one(n) { return Array.from(n); }", "from"),
            (Syntax::JavaScript, "async one(n: A): Promise<B> { return two(n); }", "two"),
            (Syntax::JavaScript, "x = a ? one(n) : await two(n);", "one two"),
            (Syntax::JavaScript, "one((n) => { two(n); }).catch(three);", "one two catch"),
            (Syntax::JavaScript, "f([...from(x)])", "f"),
            (Syntax::C, "int A::one(int n) const { return two(n); }", "two"),
            (Syntax::C, "A(int n) : n_(n) { two(n); }", "two"),
            (Syntax::C, "void one() throws E { if (two(n)) { three(n); } }", "two three"),
            (Syntax::C, "run(new One() { void two() { three(); } });", "run One three"),
            (Syntax::Rust, "fn one(n: u8) -> Vec<u8> { if two(n) { Vec::new() } }", "two new"),
            (Syntax::Go, "func (m *Map) One(n int) bool { if two(n) { three() } }", "two three"),
            (Syntax::Go, "fun one(n: Int) = two(n) { three(it) }", "two three"),
            (Syntax::Lua, "function Map.one(n) return two(n) end", "two"),
            (Syntax::Php, "function one($n) { return $n->when(two($n)); }", "when two"),
        ];
        for (syntax, text, expected) in cases {
            let tokens = lex(text, syntax, 0);
            let called = (0..tokens.len()).filter(|&at| is_call(&tokens, at, syntax));
            let expected: Vec<u64> = expected.split(' ').map(hash_of_word).collect();
            assert_eq!(called.map(|at| tokens[at].hash).collect::<Vec<_>>(), expected, "{text}");
        }
    }
}
