//! Functions that have another name than in the baseline, and otherwise the same code.

use crate::compare::definition_key::{DefinitionKey, key};
use loading::RecordedText;
use rustc_hash::FxHashSet;
use std::path::Path;
use texts::{Definition, MIN_TOKENS, Syntax, code_tokens};

/// If more functions of a file than this are new or gone, none of them counts as renamed.
const MAX_CHANGED: usize = 100;

/// The definition in the baseline's text of a file that `definition` of another text had another
/// name in. `None` unless it is the only one whose name is gone, and `definition` is the only one
/// with a new name, that have this code.
pub(crate) fn renamed<'a>(
    path: &Path,
    before: &'a RecordedText,
    now: &RecordedText,
    definition: &Definition,
) -> Option<&'a Definition> {
    let code = code_without_name(path, now, definition)?;
    let has_code = |text: &RecordedText, it: &Definition| {
        code_without_name(path, text, it).as_ref() == Some(&code)
    };
    let (gone, new) = (only_in(before, now)?, only_in(now, before)?);
    let mut gone = gone.into_iter().filter(|it| has_code(before, it));
    let mut new = new.into_iter().filter(|it| has_code(now, it));
    match (gone.next(), gone.next(), new.next(), new.next()) {
        (Some(same), None, Some(this), None) if this.bytes == definition.bytes => Some(same),
        _ => None,
    }
}

/// The definitions of a text whose names another one does not have. `None` if they are too many, or
/// if the definitions are unknown.
fn only_in<'a>(text: &'a RecordedText, other: &RecordedText) -> Option<Vec<&'a Definition>> {
    let others: FxHashSet<DefinitionKey> =
        other.definitions.as_ref()?.all.iter().map(key).collect();
    let all = text.definitions.as_ref()?.all.iter();
    let only: Vec<_> = all.filter(|it| !others.contains(&key(it))).collect();
    (only.len() <= MAX_CHANGED).then_some(only)
}

/// The tokens of a function, with the same value for its name wherever it is. `None` if it has no name,
/// or if it is so short that another one may have the same tokens.
fn code_without_name(
    path: &Path,
    text: &RecordedText,
    definition: &Definition,
) -> Option<Vec<Option<u64>>> {
    let syntax = Syntax::of_text(path, &text.text);
    let tokens = code_tokens(text.text.get(definition.bytes.clone())?, syntax);
    let [name] = code_tokens(&definition.name, syntax)[..] else { return None };
    let without_name = |token: u64| (token != name).then_some(token);
    (tokens.len() >= MIN_TOKENS).then(|| tokens.into_iter().map(without_name).collect())
}
