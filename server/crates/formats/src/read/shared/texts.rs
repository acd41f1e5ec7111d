//! Distinct texts of a file, by number: the file itself is not in memory.

use profile::{BuildError, Interner, StringId};

/// Distinct texts, by number. The first one is empty.
pub(crate) struct Texts(Interner);

/// The number of a text.
pub(crate) type Text = StringId;

impl Default for Texts {
    fn default() -> Self {
        let mut texts = Interner::default();
        texts.intern("");
        Self(texts)
    }
}

impl Texts {
    /// The empty text, which means "not stated".
    pub(crate) const EMPTY: Text = Text::new(0);

    pub(crate) fn intern(&mut self, text: &str) -> Result<Text, BuildError> {
        self.0.intern(text).ok_or(BuildError::TooLarge("name"))
    }

    pub(crate) fn get(&self, text: Text) -> &str {
        self.0.get(text)
    }
}
