//! Warnings: problems of a profile that leave a usable result.

use crate::WarningCode;

/// A problem that left a usable result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// The kind.
    pub code: WarningCode,
    /// A sentence for users, about the first occurrence.
    pub message: String,
    /// The number of occurrences.
    pub count: u64,
}

/// Warnings, one per code, in order of first appearance.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Warnings(Vec<Warning>);

impl Warnings {
    /// Counts one more `code`. `message` is called only for the first.
    pub fn add(&mut self, code: WarningCode, message: impl FnOnce() -> String) {
        match self.0.iter_mut().find(|warning| warning.code == code) {
            Some(warning) => warning.count += 1,
            None => self.0.push(Warning { code, message: message(), count: 1 }),
        }
    }

    /// All of them.
    pub fn as_slice(&self) -> &[Warning] {
        &self.0
    }
}

impl IntoIterator for Warnings {
    type Item = Warning;
    type IntoIter = std::vec::IntoIter<Warning>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}
