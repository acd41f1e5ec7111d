//! What of a view does not apply to a recording.

use crate::names::Unmatched;
use profile::{Warning, WarningCode};

/// The parts of a view that could not be applied, and what was found while applying the others.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Problems {
    /// What users are told.
    pub warnings: Vec<Warning>,
    /// Choices that match nothing in the recording. There is a warning for each.
    pub unmatched: Vec<Unmatched>,
    /// The indexes of the transforms that could not be applied.
    pub ignored_transforms: Vec<usize>,
    /// The filters by labels that could not be applied.
    pub ignored_labels: Vec<String>,
}

impl Problems {
    /// Adds a warning.
    pub fn note(&mut self, warning: Warning) {
        self.warnings.push(warning);
    }

    /// Adds a choice that matches nothing. `instead` says what is done instead.
    pub fn unmatched(&mut self, unmatched: Unmatched, instead: &str) {
        self.warnings.push(unmatched.warning(instead));
        self.unmatched.push(unmatched);
    }

    /// Adds the problems of a later step.
    pub fn merge(&mut self, later: Self) {
        self.warnings.extend(later.warnings);
        self.unmatched.extend(later.unmatched);
        self.ignored_transforms.extend(later.ignored_transforms);
        self.ignored_labels.extend(later.ignored_labels);
    }
}

/// Nothing was chosen, because a call graph has no stacks.
pub(crate) fn no_stacks() -> Unmatched {
    Unmatched::new(
        WarningCode::NoStacks,
        "this recording is a call graph without stacks, so transforms and filters do not apply"
            .to_owned(),
    )
}
