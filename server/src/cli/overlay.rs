//! The second cost that reports and sources show beside the first.

use super::compare::load_baseline;
use super::exit::Failure;
use super::view::ViewArgs;
use answers::{Baseline, Compared, Overlay, Snapshot, ViewSettings, no_overlay};
use std::path::PathBuf;
use std::sync::Arc;

/// The argument that selects an overlay.
#[derive(Debug, Clone, clap::Args)]
pub struct OverlayArgs {
    /// Show a second cost beside the first: a metric of the profile, by name or unit, or another
    /// profile
    #[arg(long, value_name = "METRIC|PROFILE")]
    overlay: Option<String>,
}

/// An overlay.
#[derive(Debug)]
pub enum Loaded {
    /// The profile in another metric.
    Metric(Box<Snapshot>),
    /// Another profile.
    Profile(Box<Baseline>),
}

impl Loaded {
    /// For queries.
    pub fn overlay(&self) -> Overlay<'_> {
        match self {
            Self::Metric(snapshot) => Overlay::Metric(snapshot),
            Self::Profile(profile) => Overlay::Profile(profile),
        }
    }
}

/// What is shown beside the costs of a profile.
#[derive(Debug, Clone, Copy)]
pub struct Beside<'a> {
    /// The baseline.
    pub before: Option<Compared<'a>>,
    /// The overlay.
    pub overlay: Option<Overlay<'a>>,
}

impl OverlayArgs {
    /// Loads the overlay under the view of `shown`, if there is one.
    pub fn load(&self, view: &ViewArgs, shown: &Snapshot) -> Result<Option<Loaded>, Failure> {
        let Some(name) = &self.overlay else { return Ok(None) };
        if answers::find_metric(&shown.loaded.recording, name).is_ok() {
            let settings =
                ViewSettings { metric: Some(name.clone()), ..shown.settings.view.clone() };
            return Ok(Some(Loaded::Metric(Box::new(shown.with_view(&settings)))));
        }
        let path = PathBuf::from(name);
        if !path.exists() {
            return Err(Failure::usage(no_overlay(name, shown)));
        }
        // The other profile need not have the metric of the one shown.
        let view = ViewArgs { metric: None, ..view.clone() };
        let snapshot = load_baseline(&view, vec![path], shown)?;
        Ok(Some(Loaded::Profile(Box::new(Baseline::new(Arc::new(snapshot))))))
    }
}
