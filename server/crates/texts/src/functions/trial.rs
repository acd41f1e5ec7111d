//! Parses longer texts in another process.
//!
//! For some texts with syntax errors, tree-sitter takes memory that grows with the square of their
//! length, all at once when it reaches the end, and it ends the process if an allocation fails. Nothing in
//! its interface limits that. So a helper process parses each longer text under a limit of the operating
//! system, and returns its functions. If it cannot, the text counts as one without a grammar. This
//! process parses such a text only if its tree is needed.

use super::language::Language;
use super::{Definition, tree, walk};
use crate::functions::grammar::Roles;
use guarded::{Guard, Outcome};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::ops::ControlFlow;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The name of the work of a helper.
pub const WORK: &str = "parse";
/// Shorter texts take at most some 50 MB, and need no helper.
const MIN_BYTES: usize = 2 << 10;
/// The address space of a helper. A text of the greatest length that is parsed takes half.
const MAX_MEMORY: u64 = 1 << 30;
/// How many texts are remembered that no helper could parse.
const MAX_REMEMBERED: usize = 10_000;

/// A helper may take many times what the limits of a parse allow.
static GUARD: Guard = Guard::with_kept_helpers(WORK, Duration::from_secs(10));

/// The texts that no helper could parse, by a hash that the author of a text cannot foresee.
static REFUSED: LazyLock<(RandomState, Mutex<HashSet<u64>>)> = LazyLock::new(Default::default);

/// What a helper found in a text.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Found {
    /// Whether it has syntax errors.
    pub has_errors: bool,
    /// Its functions.
    pub definitions: Vec<Definition>,
}

/// The work of a helper: finds the functions of a text, which follows the number of its language.
///
/// # Errors
/// The request is malformed.
pub fn work(request: &[u8]) -> io::Result<Vec<u8>> {
    let [language, text @ ..] = request else { return Err(io::ErrorKind::InvalidData.into()) };
    let text = std::str::from_utf8(text).map_err(io::Error::other)?;
    let found = Language::ALL.get(usize::from(*language)).and_then(|&language| {
        let tree = tree::parse(language, text, None)?;
        let definitions = walk::definitions(&tree, text, &Roles::new(language));
        Some(Found { has_errors: tree.root_node().has_error(), definitions })
    });
    Ok(serde_json::to_vec(&found)?)
}

/// Whether a helper parses a text.
pub(super) fn is_needed(text: &str) -> bool {
    text.len() >= MIN_BYTES && Guard::is_set()
}

/// What a helper finds in a text. `None` if it must not be parsed. Two are asked, since one may have been
/// ended by the system, or had to wait for other programs.
pub(super) fn found(language: Language, text: &str) -> Option<Found> {
    let (hasher, refused) = &*REFUSED;
    let hash = hasher.hash_one((language as u8, text));
    if lock(refused).contains(&hash) {
        return None;
    }
    let request = [&[language as u8], text.as_bytes()].concat();
    let ask = || GUARD.ask(MAX_MEMORY, &request, &mut || ControlFlow::Continue(()));
    let mut asked = ask();
    if asked == ControlFlow::Continue(Outcome::Failed) {
        asked = ask();
    }
    let found = match asked {
        ControlFlow::Continue(Outcome::Answered(found)) => serde_json::from_slice(&found).ok()?,
        // Without a helper, nothing is known about the text.
        ControlFlow::Continue(Outcome::Unguarded) => return None,
        ControlFlow::Continue(Outcome::Failed) | ControlFlow::Break(()) => None,
    };
    if found.is_none() {
        let mut refused = lock(refused);
        if refused.len() >= MAX_REMEMBERED {
            refused.clear();
        }
        refused.insert(hash);
    }
    found
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
