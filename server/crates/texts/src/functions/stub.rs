//! Replaces `document` and `language` in builds without grammars. No language is supported, so no document exists.

use super::{Call, Definition, Highlight};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// A language whose functions can be found. There is none without the feature `grammars`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {}

impl Language {
    /// `None` without the feature `grammars`.
    pub fn of_path(_: &Path) -> Option<Language> {
        None
    }

    /// Whether the start line in profiles may be below the line on which a definition starts.
    pub fn may_start_below_head(self) -> bool {
        match self {}
    }

    /// Whether functions start on the line of their first decorator in profiles.
    pub fn starts_at_decorator(self) -> bool {
        match self {}
    }

    /// Whether a compiler turns its functions into machine code.
    pub fn is_compiled(self) -> bool {
        match self {}
    }

    /// Whether its compiler copies the closures of a closure that it inlines, and numbers the copies.
    pub fn copies_closures(self) -> bool {
        match self {}
    }
}

/// The functions of one text. There are none without the feature `grammars`.
#[derive(Debug, Clone)]
pub enum Functions {}

#[expect(missing_docs, reason = "documented in `document`; none of these can be called")]
impl Functions {
    pub fn parse(language: Language, _: impl Into<Arc<str>>) -> Option<Functions> {
        match language {}
    }

    pub fn edited(&self, _: impl Into<Arc<str>>) -> Option<Functions> {
        match *self {}
    }

    pub fn has_errors(&self) -> bool {
        match *self {}
    }

    pub fn all(&self) -> &[Definition] {
        match *self {}
    }

    pub fn at_byte(&self, _: usize) -> Option<&Definition> {
        match *self {}
    }

    pub fn at_line(&self, _: u32) -> Option<&Definition> {
        match *self {}
    }

    pub fn statement_at(&self, _: u32) -> Option<u32> {
        match *self {}
    }

    pub fn call_at(&self, _: usize) -> Option<Call> {
        match *self {}
    }

    pub fn calls_in_line(&self, _: u32) -> Vec<Call> {
        match *self {}
    }

    pub fn highlights(&self) -> Vec<Vec<(Range<usize>, Highlight)>> {
        match *self {}
    }
}
