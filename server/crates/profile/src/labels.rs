//! Labels of samples: what a profile says beside the stack, such as `endpoint=/search`.
//!
//! Few combinations of labels occur, so each one is a row of a table, a [`LabelSetId`], and a sample has
//! one of them. A sample can have several labels with the same key.

use crate::ids::{LabelId, LabelSetId, NONE};
use rustc_hash::FxHashMap;
use std::fmt;
use std::sync::Arc;

/// The value of a label.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LabelValue {
    /// A text.
    Text(Arc<str>),
    /// A number and its unit, as spelled in the profile (`bytes`); empty if it is unknown.
    Number(i64, Arc<str>),
}

impl fmt::Display for LabelValue {
    /// `large`, `250 ms`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => write!(f, "{text}"),
            Self::Number(number, unit) if unit.is_empty() => write!(f, "{number}"),
            Self::Number(number, unit) => write!(f, "{number} {unit}"),
        }
    }
}

impl fmt::Display for Label {
    /// `size=large`, `took=250 ms`, `bytes=64`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.value {
            LabelValue::Number(number, unit) if *unit == self.key => {
                write!(f, "{}={number}", self.key)
            }
            value => write!(f, "{}={value}", self.key),
        }
    }
}

/// A label.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Label {
    /// What it says something about: `endpoint`.
    pub key: Arc<str>,
    /// What it says.
    pub value: LabelValue,
}

impl Label {
    /// A label with a text.
    pub fn text(key: &str, value: &str) -> Self {
        Self { key: key.into(), value: LabelValue::Text(value.into()) }
    }

    /// A label with a number in this unit.
    pub fn number(key: &str, value: i64, unit: &str) -> Self {
        Self { key: key.into(), value: LabelValue::Number(value, unit.into()) }
    }
}

/// The labels of a profile, and the sets of labels that its samples have.
#[derive(Debug, Clone)]
pub struct LabelTable {
    labels: Vec<Label>,
    /// Each in the order of [`LabelId`]s. The first one is empty.
    sets: Vec<Box<[LabelId]>>,
}

impl Default for LabelTable {
    fn default() -> Self {
        Self { labels: Vec::new(), sets: vec![Box::default()] }
    }
}

impl LabelTable {
    /// Each label, once.
    pub fn labels(&self) -> &[Label] {
        &self.labels
    }

    /// The sets, by [`LabelSetId`].
    pub fn sets(&self) -> impl ExactSizeIterator<Item = &[LabelId]> {
        self.sets.iter().map(|set| &**set)
    }

    /// The labels of a set.
    pub fn of_set(&self, set: LabelSetId) -> impl Iterator<Item = &Label> {
        let ids = self.sets.get(set.index()).map(|ids| &**ids).unwrap_or_default();
        ids.iter().filter_map(|id| self.labels.get(id.index()))
    }
}

/// Builds a table of labels.
#[derive(Debug, Default)]
pub(crate) struct LabelInterner {
    table: LabelTable,
    labels: FxHashMap<Label, LabelId>,
    sets: FxHashMap<Box<[LabelId]>, LabelSetId>,
}

impl LabelInterner {
    /// The set of some labels. `None` if there are too many.
    pub(crate) fn intern(&mut self, labels: impl IntoIterator<Item = Label>) -> Option<LabelSetId> {
        let mut ids = Vec::new();
        for label in labels {
            let next = next(self.table.labels.len())?;
            let id = *self.labels.entry(label).or_insert_with_key(|label| {
                self.table.labels.push(label.clone());
                LabelId::new(next)
            });
            ids.push(id);
        }
        ids.sort_unstable();
        ids.dedup();
        if ids.is_empty() {
            return Some(LabelSetId::NONE);
        }
        let next = next(self.table.sets.len())?;
        Some(*self.sets.entry(ids.into()).or_insert_with_key(|ids| {
            self.table.sets.push(ids.clone());
            LabelSetId::new(next)
        }))
    }

    /// The number of sets, of which the first is empty.
    pub(crate) fn n_sets(&self) -> usize {
        self.table.sets.len()
    }

    pub(crate) fn finish(self) -> LabelTable {
        self.table
    }
}

impl LabelSetId {
    /// The set without labels.
    pub const NONE: Self = Self::new(0);
}

fn next(len: usize) -> Option<u32> {
    u32::try_from(len).ok().filter(|&row| row != NONE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_sets_have_one_id_in_any_order() {
        let mut interner = LabelInterner::default();
        let [a, b] = [Label::text("size", "large"), Label::number("bytes", 64, "bytes")];
        let both = interner.intern([a.clone(), b.clone()]).unwrap();
        assert_eq!(interner.intern([b.clone(), a.clone(), b.clone()]), Some(both));
        let one = interner.intern([b.clone()]).unwrap();
        assert_eq!(interner.intern([]), Some(LabelSetId::NONE));
        assert_eq!([both, one].map(LabelSetId::index), [1, 2]);
        let table = interner.finish();
        assert_eq!(table.labels(), [a.clone(), b.clone()]);
        assert_eq!(table.of_set(both).collect::<Vec<_>>(), [&a, &b]);
        assert_eq!(table.of_set(one).collect::<Vec<_>>(), [&b]);
        assert_eq!(table.of_set(LabelSetId::NONE).count(), 0);
    }

    #[test]
    fn equal_numbers_of_different_units_are_different_labels() {
        let mut interner = LabelInterner::default();
        let [ms, s] = ["ms", "s"].map(|unit| interner.intern([Label::number("took", 5, unit)]));
        assert_ne!(ms, s);
    }
}
