//! Maps lines of the recorded text to lines of the open text and back.
//!
//! Long stretches of equal lines are mapped first. What is between them is divided into tokens, and
//! these into statements, whatever their line breaks.
//! Statements are compared first, then blocks that moved, then the lines and tokens of statements
//! that differ. Functions that were swapped or moved are then compared one by one, if they are known.
//!
//! Which text was recorded is up to the caller. Time is linear in the length of the texts, whatever
//! they are, because long texts are compared in pieces of at most `PIECE` statements, and few strings
//! and comments without an end are searched for it.

mod calls;
mod code_tokens;
mod compare;
mod gaps;
mod hunks;
mod lexed;
mod lexer;
mod map;
mod moved;
mod pairs;
mod syntax;
mod text;
mod units;
mod within_functions;

pub use code_tokens::{MIN_TOKENS, code_tokens};
pub use lexed::LexedTexts;
pub use map::LineMap;
pub use syntax::Syntax;
pub use within_functions::TextWithFunctions;

#[cfg(test)]
mod tests;
