//! A profile as a command shows it, with what it shows beside it.

use super::compare::{self, CompareArgs};
use super::exit::Failure;
use super::overlay::{self, Beside, OverlayArgs};
use super::view::ViewArgs;
use answers::{Baseline, Overlay, Snapshot, SourceIndex};
use std::path::PathBuf;
use std::sync::Arc;

/// A profile, its baseline and its overlay.
pub(super) struct Loaded {
    /// The profile.
    pub snapshot: Arc<Snapshot>,
    /// The files of its project.
    pub index: Arc<SourceIndex>,
    baseline: Option<compare::Loaded>,
    overlay: Option<overlay::Loaded>,
}

impl Loaded {
    /// Loads all of them, for a command that shows these `sources`.
    pub fn load(
        view: &ViewArgs,
        sources: &[PathBuf],
        compare: &CompareArgs,
        overlay: Option<&OverlayArgs>,
    ) -> Result<Self, Failure> {
        compare.check_input(&view.profiles)?;
        let (snapshot, index) = view.load_with(sources)?;
        let baseline = compare.load(view, &snapshot)?;
        let overlay = overlay.map(|overlay| overlay.load(view, &snapshot)).transpose()?;
        let (snapshot, index) = (Arc::new(snapshot), Arc::new(index));
        let loaded = Self { snapshot, index, baseline, overlay: overlay.flatten() };
        view.warn_of_unused_rules(&loaded.profiles());
        Ok(loaded)
    }

    /// The profile, and the profiles beside it.
    fn profiles(&self) -> Vec<&Snapshot> {
        let Beside { before, overlay } = self.beside();
        let mut profiles = vec![&*self.snapshot];
        profiles.extend(before.map(|before| &*before.baseline.snapshot));
        if let Some(Overlay::Profile(profile)) = overlay {
            profiles.push(&profile.snapshot);
        }
        profiles
    }

    /// The baseline.
    pub fn baseline(&self) -> Option<Arc<Baseline>> {
        self.baseline.as_ref().map(|loaded| loaded.baseline.clone())
    }

    /// What is shown beside the costs of the profile.
    pub fn beside(&self) -> Beside<'_> {
        Beside {
            before: self.baseline.as_ref().map(compare::Loaded::compared),
            overlay: self.overlay.as_ref().map(overlay::Loaded::overlay),
        }
    }
}
