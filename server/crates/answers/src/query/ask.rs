//! What a question is: its name, and the types of its arguments and answer.

use crate::world::context::Context;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A question. Questions with a key `uri` are about that document.
pub(super) trait Ask: DeserializeOwned + JsonSchema + Send + 'static {
    /// Its name.
    const NAME: &'static str;
    /// What the answer is, in sentences.
    const DESCRIPTION: &'static str;
    /// What it takes.
    const TAKES: Takes;
    /// Whether it may be about another profile than the one shown.
    const OF_ANY_PROFILE: bool = false;
    /// The answer.
    type Answer: Serialize + JsonSchema;

    /// Answers it. The error is a message for users.
    fn answer(self, context: &Context) -> Result<Self::Answer, String>;
}

/// What a question takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    /// Nothing.
    Nothing,
    /// An object with options.
    Options,
    /// An object with required keys.
    Object,
}
