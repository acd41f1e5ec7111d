//! One text with its functions, and its syntax tree if its language has a grammar: parsing, reparsing
//! after an edit, lookups.
//!
//! The functions of a text depend on the text alone, not on the edits that led to it. An incremental
//! parse of broken syntax can differ, so such a text is parsed from scratch. That is too slow for each
//! keystroke, so hints use the functions of the text that lines are mapped from
//! (`Document::recorded_functions`).

use std::iter::successors;
use std::ops::{Range, RangeInclusive};
use std::sync::{Arc, OnceLock};

use crate::size::is_plain;
use tree_sitter::Tree;

use super::grammar::Roles;
use super::language::Language;
use super::{Call, Definition, Highlight, calls, highlight, mercury, tree, trial, walk};

/// The functions of one text.
#[derive(Debug, Clone)]
pub struct Functions {
    language: Language,
    text: Arc<str>,
    /// The syntax tree, parsed when it is first needed. `None` for languages without a grammar.
    tree: OnceLock<Option<Tree>>,
    has_errors: bool,
    /// In the order of the text, outer before inner.
    definitions: Vec<Definition>,
}

impl Functions {
    /// Parses a text. `None` if it is plain ([`crate::is_plain`]), or takes more work or memory than any
    /// hand-written text. For Mercury, also `None` if the text is of another language with the same
    /// extension: if it does not begin with `:- module`.
    pub fn parse(language: Language, text: impl Into<Arc<str>>) -> Option<Functions> {
        let text = text.into();
        if is_plain(&text) {
            return None;
        }
        if language == Language::Mercury {
            let definitions = mercury::definitions(&text)?;
            let tree = None.into();
            return Some(Functions { language, text, tree, has_errors: false, definitions });
        }
        if trial::is_needed(&text) {
            let trial::Found { has_errors, definitions } = trial::found(language, &text)?;
            let tree = OnceLock::new();
            return Some(Functions { language, text, tree, has_errors, definitions });
        }
        let tree = tree::parse(language, &text, None)?;
        Some(Functions::of_tree(language, text, tree))
    }

    /// Parses an edited version of this text. Reuses the old tree around the edit, unless there are
    /// syntax errors: error recovery depends on the parser's earlier state, but the functions of a
    /// text must depend on the text alone. `None` as in [`Functions::parse`].
    pub fn edited(&self, text: impl Into<Arc<str>>) -> Option<Functions> {
        let text = text.into();
        let is_whole = is_plain(&text) || trial::is_needed(&text) || trial::is_needed(&self.text);
        let Some(tree) = self.tree().filter(|_| !is_whole) else {
            return Functions::parse(self.language, text);
        };
        let old = tree::with_edit(tree, &self.text, &text);
        match tree::parse(self.language, &text, Some(&old)) {
            Some(tree) if !tree.root_node().has_error() => {
                Some(Functions::of_tree(self.language, text, tree))
            }
            _ => Functions::parse(self.language, text),
        }
    }

    fn of_tree(language: Language, text: Arc<str>, tree: Tree) -> Functions {
        let definitions = walk::definitions(&tree, &text, &Roles::new(language));
        let has_errors = tree.root_node().has_error();
        Functions { language, text, tree: Some(tree).into(), has_errors, definitions }
    }

    fn tree(&self) -> Option<&Tree> {
        self.tree.get_or_init(|| tree::parse(self.language, &self.text, None)).as_ref()
    }

    /// Whether the text has syntax errors.
    pub fn has_errors(&self) -> bool {
        self.has_errors
    }

    /// All functions in the order of the text, outer before inner.
    pub fn all(&self) -> &[Definition] {
        &self.definitions
    }

    /// The innermost function around a byte.
    pub fn at_byte(&self, byte: usize) -> Option<&Definition> {
        let n_before =
            self.definitions.partition_point(|definition| definition.bytes.start <= byte);
        self.outwards(n_before).find(|definition| definition.bytes.contains(&byte))
    }

    /// The innermost function that contains a line. The first line of a closure without a name
    /// belongs to the function that passes the closure. Of several functions on one line, the last
    /// one.
    pub fn at_line(&self, line0: u32) -> Option<&Definition> {
        let n_before =
            self.definitions.partition_point(|definition| *definition.lines.start() <= line0);
        let owns = |definition: &&Definition| {
            definition.lines.contains(&line0)
                && !(definition.name.is_empty() && *definition.lines.start() == line0)
        };
        self.outwards(n_before).find(owns)
    }

    /// The line on which the statement around a line starts. That is the outermost one in the body
    /// of a named function, a type or module, or the text. In Mercury it is a clause or declaration.
    /// `None` for a blank line.
    pub fn statement_at(&self, line0: u32) -> Option<u32> {
        let line = tree::line(&self.text, line0)?;
        let text = self.text.get(line.clone())?;
        let byte = line.start() + text.len() - text.trim_start().len();
        if byte > *line.end() || text.trim().is_empty() {
            return None;
        }
        let Some(tree) = self.tree() else { return mercury::clause_at(&self.text, line0) };
        walk::statement_at(tree, &Roles::new(self.language), byte)
    }

    /// The parts of each line to color, in bytes of the line. Empty for languages without a grammar.
    pub fn highlights(&self) -> Vec<Vec<(Range<usize>, Highlight)>> {
        self.tree().map(|tree| highlight::highlights(tree, &self.text)).unwrap_or_default()
    }

    /// The last of the first `n_before` functions, and those around it.
    fn outwards(&self, n_before: usize) -> impl Iterator<Item = &Definition> {
        let last = n_before.checked_sub(1).and_then(|last| self.definitions.get(last));
        successors(last, |definition| self.definitions.get(definition.parent?))
    }

    /// The call whose name is at a byte or ends there.
    pub fn call_at(&self, byte: usize) -> Option<Call> {
        self.calls(byte..=byte).pop()
    }

    /// The calls whose names are in a line, in the order of the text.
    pub fn calls_in_line(&self, line0: u32) -> Vec<Call> {
        let Some(bytes) = tree::line(&self.text, line0) else { return Vec::new() };
        self.calls(bytes)
    }

    /// The calls whose names overlap `bytes` or touch its ends.
    fn calls(&self, bytes: RangeInclusive<usize>) -> Vec<Call> {
        let Some(tree) = self.tree() else { return mercury::calls(&self.text, &bytes) };
        calls::calls(tree, &self.text, self.language, bytes)
    }
}
