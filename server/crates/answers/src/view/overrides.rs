//! Changes of the overrides, the values that the user chose by command. A change of the same setting
//! removes an override.

#[cfg(test)]
mod tests;

use crate::compare::kept_baseline::KeptBaseline;
use crate::view::baseline::ChosenBaseline;
use crate::view::checks::check_transform;
use crate::view::node;
use crate::view::options::{Choices, Overrides};
use analysis::Transform;
use loading::{Settings, Snapshot};
use std::path::Path;

/// A change of the overrides.
#[derive(Debug)]
pub enum Change {
    /// Sets and resets the values that are given, except for the profiles and the baseline.
    Set(Choices),
    /// Appends a transform.
    Push(Transform),
    /// Removes the last transform, if there is one.
    Pop,
    /// Removes all transforms.
    Clear,
    /// Restores the overrides of an earlier session.
    Restore(Overrides),
}

impl Overrides {
    /// The kept runs that are the baseline. `settings` are the client's settings.
    pub fn kept_baseline(&self, settings: &Settings) -> Option<KeptBaseline> {
        let path = match &self.baseline {
            Some(ChosenBaseline::Path(path)) => path,
            Some(_) => return None,
            None => Path::new(settings.baseline.as_ref()?),
        };
        KeptBaseline::parse(path)?.ok()
    }

    /// Whether any setting is overridden, apart from the baseline. Transforms are no settings.
    pub fn override_settings(&self) -> bool {
        *self
            != Self {
                baseline: self.baseline.clone(),
                transforms: self.transforms.clone(),
                node: self.node.clone(),
                ..Self::default()
            }
    }

    /// The overrides after `change`. `shown` is the profile in which names are checked; a change
    /// that also selects another profile is not checked. The error is a message for users.
    pub fn changed(&self, change: Change, shown: Option<&Snapshot>) -> Result<Self, String> {
        let mut next = self.clone();
        match change {
            Change::Set(choices) => {
                let is_same = choices.profile.is_unchanged() && choices.profiles.is_unchanged();
                let check_in = shown.filter(|_| is_same);
                next.set(choices, check_in)?;
            }
            Change::Push(transform) => {
                let shown = shown.ok_or("there is nothing to transform: no profile is loaded")?;
                check_transform(&transform, Some(shown))?;
                next.transforms.push(node::followed(shown, transform));
            }
            Change::Pop => node::pop(&mut next.node, &mut next.transforms),
            Change::Clear => {
                next.transforms.clear();
                next.node = None;
            }
            Change::Restore(overrides) => next = overrides,
        }
        Ok(next)
    }
}
