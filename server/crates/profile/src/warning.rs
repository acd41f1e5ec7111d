//! Recoverable oddities of a profile: what was odd and how often, beside a usable result.

/// One kind of oddity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// A stable name for programs (`malformed-line`, `unknown-version` …).
    pub code: &'static str,
    /// A sentence for people, about the first occurrence.
    pub message: String,
    /// How often it happened.
    pub count: u64,
}

/// Warnings, one per code, in order of first appearance.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Warnings(Vec<Warning>);

impl Warnings {
    /// Counts one more `code`; the message is made only for the first.
    pub fn add(&mut self, code: &'static str, message: impl FnOnce() -> String) {
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
