//! What functions of two texts are compared by.

use texts::{Arity, Definition};

/// The container, name and arity of a definition. For a closure without a name, the first part is what
/// is around it.
pub(crate) type DefinitionKey = (Option<String>, String, Option<Arity>);

pub(crate) fn key(definition: &Definition) -> DefinitionKey {
    let around = definition.scopes.last().filter(|_| definition.name.is_empty());
    let container = definition.container.as_ref().or(around).cloned();
    (container, definition.name.clone(), definition.arity)
}
