//! The baseline of reports, sources and call trees.

use super::exit::{Failure, warn};
use super::read::check_standard_input;
use super::values::one_of;
use super::view::ViewArgs;
use answers::{Baseline, Compare, Compared, Comparison, Snapshot};
use std::path::PathBuf;
use std::sync::Arc;

/// The arguments that select a baseline.
#[derive(Debug, Clone, clap::Args)]
pub struct CompareArgs {
    /// Show how costs changed since this profile. Repeat it to compare with the mean of several runs;
    /// their spread then counts as noise
    #[arg(long, value_name = "PROFILE")]
    pub(super) baseline: Vec<PathBuf>,
    /// How to compare costs with the baseline
    #[arg(long, value_parser = one_of::<Compare>(), value_name = "HOW", default_value = "absolute")]
    pub(super) compare: Compare,
}

/// A baseline, and how costs are compared with it.
#[derive(Debug)]
pub struct Loaded {
    pub(super) baseline: Arc<Baseline>,
    by: Comparison,
}

impl Loaded {
    /// For queries.
    pub fn compared(&self) -> Compared<'_> {
        Compared { baseline: &self.baseline, by: self.by }
    }
}

impl CompareArgs {
    /// Fails if standard input is the profile and a baseline, or several baselines.
    pub fn check_input(&self, profiles: &[PathBuf]) -> Result<(), Failure> {
        let baselines = self.baseline.iter().map(std::slice::from_ref);
        let all: Vec<&[PathBuf]> = std::iter::once(profiles).chain(baselines).collect();
        check_standard_input(&all)
    }

    /// Loads the baseline under the view of `now`, if there is one.
    pub fn load(&self, view: &ViewArgs, now: &Snapshot) -> Result<Option<Loaded>, Failure> {
        let mut runs = Vec::new();
        for path in &self.baseline {
            let run = Arc::new(load_baseline(view, vec![path.clone()], now)?);
            check(&Baseline::new(run.clone()), now)?;
            runs.push(run);
        }
        let Some((first, others)) = runs.split_first() else { return Ok(None) };
        let baseline = Arc::new(Baseline::of_runs(first.clone(), others.to_vec()));
        if let Some(problem) = baseline.sum_problem(now) {
            warn(&format!("{problem}; for the mean of several runs, pass --combine average"));
        }
        let by = baseline.comparison(now, self.compare);
        Ok(Some(Loaded { baseline, by }))
    }
}

/// Fails if the costs of `now` cannot be compared with the baseline.
pub fn check(baseline: &Baseline, now: &Snapshot) -> Result<(), Failure> {
    match baseline.problem(now) {
        Some(message) => Err(Failure::no_output(message)),
        None => Ok(()),
    }
}

/// Loads profiles as one under the view of `now`, with the sources of `now`.
pub fn load_baseline(
    view: &ViewArgs,
    profiles: Vec<PathBuf>,
    now: &Snapshot,
) -> Result<Snapshot, Failure> {
    let mut view = ViewArgs { profiles, ..view.clone() };
    if view.root.is_empty() {
        view.root = now.identified.roots.iter().map(|root| root.path.clone()).collect();
    }
    Ok(view.load_with(&[])?.0)
}
