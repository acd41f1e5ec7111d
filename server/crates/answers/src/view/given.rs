//! A value in JSON that may be missing or `null`, which have different meanings.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;

/// What is given for a value that can be reset.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Given<T> {
    /// The key is missing: the value stays as it is.
    #[default]
    Unchanged,
    /// `null`: the setting applies.
    Reset,
    /// A value.
    Set(T),
}

impl<T> Given<T> {
    /// Whether the key is missing.
    pub fn is_unchanged(&self) -> bool {
        matches!(self, Self::Unchanged)
    }

    /// The value. `None` if it is reset or unchanged.
    pub fn value(&self) -> Option<&T> {
        match self {
            Self::Set(value) => Some(value),
            Self::Unchanged | Self::Reset => None,
        }
    }

    /// Sets or resets what the user chose.
    pub fn apply(self, chosen: &mut Option<T>) {
        match self {
            Self::Unchanged => {}
            Self::Reset => *chosen = None,
            Self::Set(value) => *chosen = Some(value),
        }
    }

    /// Sets or resets what the user chose, unless the check of the value fails.
    pub fn try_apply<E>(
        mut self,
        chosen: &mut Option<T>,
        check: impl FnOnce(&mut T) -> Result<(), E>,
    ) -> Result<(), E> {
        if let Self::Set(value) = &mut self {
            check(value)?;
        }
        self.apply(chosen);
        Ok(())
    }
}

impl<T> From<Option<T>> for Given<T> {
    /// `None` resets the value.
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Reset, Self::Set)
    }
}

impl<T: Serialize> Serialize for Given<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value().serialize(serializer)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Given<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Option::deserialize(deserializer).map(Self::from)
    }
}

impl<T: JsonSchema> JsonSchema for Given<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        Option::<T>::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        Option::<T>::schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Option::<T>::json_schema(generator)
    }
}
