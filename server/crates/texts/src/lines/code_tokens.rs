//! Texts as sequences of tokens, to find equal code in other files.

use super::lexer::lex;
use super::syntax::Syntax;
use super::text::without_mark;

/// The number of tokens that a text must have to be recognized elsewhere. Shorter ones can be equal by
/// chance.
pub const MIN_TOKENS: usize = 20;

/// A value for each token of a text, equal for equal tokens. White space and comments do not count.
pub fn code_tokens(text: &str, syntax: Syntax) -> Vec<u64> {
    lex(without_mark(text), syntax, 0).into_iter().map(|token| token.hash).collect()
}
