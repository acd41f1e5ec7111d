//! Values that are computed from texts, for those that were used last.

use std::collections::VecDeque;
use std::sync::Arc;

/// The maximum number of values: those for the profile shown and for the most runs that it is compared
/// with, before and after they were rewritten.
const MAX_VALUES: usize = 24;
/// The maximum length of the texts in bytes, unless there are [`MIN_VALUES`] or less.
const MAX_BYTES: usize = 2 << 20;
/// The number of values that are kept however long their texts are.
const MIN_VALUES: usize = 4;

/// Values by the content of the text that they were computed from. The one that was used least recently
/// is evicted first.
#[derive(Debug)]
pub struct ByText<V>(VecDeque<(Arc<str>, V)>);

impl<V> Default for ByText<V> {
    fn default() -> Self {
        Self(VecDeque::new())
    }
}

impl<V> ByText<V> {
    /// The value of a text that fits, or else a new one.
    pub fn get(
        &mut self,
        text: &Arc<str>,
        fits: impl Fn(&V) -> bool,
        new: impl FnOnce() -> V,
    ) -> &V {
        let at = self.0.iter().position(|(known, value)| known == text && fits(value));
        let used = at.and_then(|at| self.0.remove(at)).unwrap_or_else(|| (text.clone(), new()));
        self.0.push_front(used);
        let mut n_bytes: usize = self.0.iter().map(|(text, _)| text.len()).sum();
        while self.0.len() > MAX_VALUES || (self.0.len() > MIN_VALUES && n_bytes > MAX_BYTES) {
            n_bytes -= self.0.pop_back().map_or(0, |(text, _)| text.len());
        }
        &self.0[0].1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many values are computed if all texts are used twice, in this order.
    fn n_computed(texts: &[String]) -> usize {
        let (mut values, mut n) = (ByText::default(), 0);
        for text in texts.iter().chain(texts) {
            let computed = || {
                n += 1;
                text.len()
            };
            assert_eq!(*values.get(&text.as_str().into(), |_| true, computed), text.len());
        }
        n
    }

    #[test]
    fn values_are_computed_once_for_as_many_texts_as_fit() {
        let texts = |n: usize, len: usize| -> Vec<String> {
            (0..n).map(|at| format!("{at}{}", " ".repeat(len))).collect()
        };
        assert_eq!(n_computed(&texts(21, 1000)), 21);
        assert_eq!(n_computed(&texts(MAX_VALUES + 1, 2)), 2 * (MAX_VALUES + 1));
        assert_eq!(n_computed(&texts(2, MAX_BYTES)), 2, "few texts can have any length");
        assert_eq!(n_computed(&texts(MIN_VALUES, MAX_BYTES)), MIN_VALUES);
        assert_eq!(n_computed(&texts(MIN_VALUES + 1, MAX_BYTES)), 2 * (MIN_VALUES + 1));
        assert_eq!(n_computed(&texts(8, MAX_BYTES / 4)), 16);
    }

    #[test]
    fn a_value_that_does_not_fit_is_kept_beside_the_one_that_does() {
        let (mut values, text) = (ByText::default(), Arc::from("text"));
        assert_eq!(*values.get(&text, |&value| value == 1, || 1), 1);
        assert_eq!(*values.get(&text, |&value| value == 2, || 2), 2);
        assert_eq!(*values.get(&text, |&value| value == 1, || 3), 1);
    }
}
