//! Parses texts that need much work in another process first.
//!
//! For some texts with syntax errors, tree-sitter takes memory that grows with the square of their
//! length, and it ends the process if an allocation fails. Nothing in its interface limits that. What it
//! takes is bounded by its work, so a text that needs more than hand-written code is given up, and parsed
//! by a helper under a limit of the operating system. If that succeeds, this process parses it, too; if
//! not, the text counts as one without a grammar.

use super::language::Language;
use super::tree::{self, Refused, Work};
use guarded::{Guard, Outcome};
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::ops::ControlFlow;
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::Duration;
use tree_sitter::Tree;

/// The name of the work of a helper.
pub const WORK: &str = "parse";
/// Shorter texts take at most some 50 MB, and need no helper.
const MIN_BYTES: usize = 2 << 10;
/// Longer texts may take much memory before they are given up, so a helper parses them in any case.
const MAX_BYTES: usize = 128 << 10;
/// The address space of a helper. A text of the greatest length that is parsed takes half.
const MAX_MEMORY: u64 = 1 << 30;
/// How many outcomes are remembered.
const MAX_REMEMBERED: usize = 10_000;

/// A helper may take many times what the limits of a parse allow.
static GUARD: Guard = Guard::with_kept_helpers(WORK, Duration::from_secs(10));

/// Whether a helper could parse a text, by a hash that the author of a text cannot foresee.
static OUTCOMES: LazyLock<(RandomState, Mutex<HashMap<u64, bool>>)> =
    LazyLock::new(Default::default);

/// The work of a helper: parses a text, which follows the number of its language.
///
/// # Errors
/// The request is malformed.
pub fn work(request: &[u8]) -> io::Result<u8> {
    let [language, text @ ..] = request else { return Err(io::ErrorKind::InvalidData.into()) };
    let text = std::str::from_utf8(text).map_err(io::Error::other)?;
    let language = Language::ALL.get(usize::from(*language));
    let tree = language.and_then(|&language| tree::parse(language, text, None, Work::Most).ok());
    Ok(u8::from(tree.is_some()))
}

/// Parses a text, reusing what is unchanged from `old` ([`tree::with_edit`]). `None` if it is too long,
/// takes too much work or memory, or if its language has no grammar.
pub(super) fn parse(language: Language, text: &str, old: Option<&Tree>) -> Option<Tree> {
    if (MIN_BYTES..MAX_BYTES).contains(&text.len()) {
        match tree::parse(language, text, old, Work::OfHandWritten) {
            Err(Refused::TooMuchWork) => {}
            parsed => return parsed.ok(),
        }
    }
    let needs_none = text.len() < MIN_BYTES || can_be_parsed(language, text);
    needs_none.then(|| tree::parse(language, text, old, Work::Most).ok())?
}

/// Whether a helper can parse a text. Two are asked, since one may have been ended by the system, or had
/// to wait for other programs.
fn can_be_parsed(language: Language, text: &str) -> bool {
    let (hasher, outcomes) = &*OUTCOMES;
    let hash = hasher.hash_one((language as u8, text));
    if let Some(known) = outcomes.lock().unwrap_or_else(PoisonError::into_inner).get(&hash) {
        return *known;
    }
    let request = [&[language as u8], text.as_bytes()].concat();
    let ask = || GUARD.ask(MAX_MEMORY, &request, &mut || ControlFlow::Continue(()));
    let mut asked = ask();
    if asked == ControlFlow::Continue(Outcome::Failed) {
        asked = ask();
    }
    let can = match asked {
        ControlFlow::Continue(Outcome::Answered(answer)) => answer == 1,
        // Without a helper, nothing is known about the text.
        ControlFlow::Continue(Outcome::Unguarded) => return !Guard::is_set(),
        ControlFlow::Continue(Outcome::Failed) | ControlFlow::Break(()) => false,
    };
    let mut outcomes = outcomes.lock().unwrap_or_else(PoisonError::into_inner);
    if outcomes.len() >= MAX_REMEMBERED {
        outcomes.clear();
    }
    outcomes.insert(hash, can);
    can
}
