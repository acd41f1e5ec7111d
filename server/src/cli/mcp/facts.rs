//! `profiles` and `health`: what there is, and what is wrong with it.

use super::project::Project;
use super::tool::Query;
use super::view::View;
use crate::cli::check::Check;
use answers::{Profiles, profiles};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// No arguments of its own.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Nothing {}

/// `profiles`.
pub struct ListProfiles;

/// The profiles that were found.
#[derive(Debug, Serialize)]
pub struct AllProfiles {
    #[serde(flatten)]
    profiles: Profiles,
    /// The number of profiles that are not listed.
    more: usize,
}

impl Query for ListProfiles {
    const NAME: &'static str = "profiles";
    const DESCRIPTION: &'static str = "List the profiles of the project, newest first, with the metrics and the total of the one that \
        the other tools use by default (`active`).";
    const LIMIT: usize = 50;
    const HAS_COSTS: bool = false;
    type Arguments = Nothing;
    type Answer = AllProfiles;

    fn answer(
        project: &mut Project,
        view: &View,
        _: &Nothing,
        most: usize,
    ) -> Result<AllProfiles, String> {
        let mut profiles = profiles(&project.world(view)?);
        let more = profiles.profiles.len().saturating_sub(most);
        profiles.profiles.truncate(most);
        Ok(AllProfiles { profiles, more })
    }
}

/// `health`.
pub struct CheckHealth;

impl Query for CheckHealth {
    const NAME: &'static str = "health";
    const DESCRIPTION: &'static str = "Describe what a profile contains, what is wrong with it, \
                                       which of its source files were found, and how to record a \
                                       better one. Long lists are cut.";
    const LIMIT: usize = 20;
    const HAS_COSTS: bool = false;
    type Arguments = Nothing;
    type Answer = Check;

    fn answer(
        project: &mut Project,
        view: &View,
        _: &Nothing,
        most: usize,
    ) -> Result<Check, String> {
        let opened = project.open(view)?;
        let mut check = Check::new(&opened.snapshot, &opened.index);
        check.threads.truncate(most);
        check.libraries.truncate(most);
        check.files.truncate(most);
        check.warnings.truncate(most);
        check.health.truncate(most);
        Ok(check)
    }
}
