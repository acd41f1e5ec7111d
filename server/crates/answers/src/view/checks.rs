//! Whether a choice applies to the profile that is shown. The errors are messages for users.

use analysis::{TimeRange, Transform, WarningCode};
use loading::{Grouped, Implementation, Snapshot};
use std::collections::BTreeSet;

/// Fails if the profile shown does not have what the transform names.
pub(crate) fn check_transform(
    transform: &Transform,
    shown: Option<&Snapshot>,
) -> Result<(), String> {
    if let Some(shown) = shown {
        let Grouped { recording, groups, resolved, .. } = &shown.grouped;
        analysis::find_names(recording, groups, resolved, transform)
            .map_err(|unmatched| unmatched.problem)?;
    }
    Ok(())
}

/// Fails if the profile shown does not have the metric.
pub(crate) fn check_metric(metric: &str, shown: Option<&Snapshot>) -> Result<(), String> {
    if let Some(shown) = shown {
        analysis::find_metric(&shown.grouped.recording, metric)
            .map_err(|unmatched| unmatched.problem)?;
    }
    Ok(())
}

/// Fails if the profile shown does not have one of the threads. A list of all its threads becomes
/// empty, so that it stands for all threads of other profiles, too.
pub(crate) fn check_threads(
    threads: &mut Vec<String>,
    shown: Option<&Snapshot>,
) -> Result<(), String> {
    let Some(shown) = shown else { return Ok(()) };
    let mut found = BTreeSet::new();
    for thread in threads.iter() {
        let ids = analysis::find_threads(&shown.grouped.recording, thread);
        found.extend(ids.map_err(|unmatched| unmatched.problem)?);
    }
    if found.len() == shown.grouped.recording.threads().len() {
        threads.clear();
    }
    Ok(())
}

/// Fails if a filter is malformed, or the profile shown has no label that it names.
pub(crate) fn check_labels(labels: &[String], shown: Option<&Snapshot>) -> Result<(), String> {
    let Some(shown) = shown else { return Ok(()) };
    labels.iter().try_for_each(|filter| {
        analysis::check_label(&shown.loaded.recording, filter)
            .map_err(|unmatched| unmatched.problem)
    })
}

/// Fails if the profile shown does not record which functions are JavaScript.
pub(crate) fn check_implementation(
    implementation: Implementation,
    shown: Option<&Snapshot>,
) -> Result<(), String> {
    let is_known = shown.is_none_or(|shown| shown.grouped.recording.knows_code());
    if implementation != Implementation::All && !is_known {
        return Err(
            "this profile does not record which functions are JavaScript: set `implementation` to \"all\"".to_owned()
        );
    }
    Ok(())
}

/// Fails if the profile shown has no own code, or has neither stacks nor a contour file that can be used.
pub fn check_own(own: bool, shown: Option<&Snapshot>) -> Result<(), String> {
    let Some(shown) = shown.filter(|_| own) else { return Ok(()) };
    let Some(why) = shown.grouped.no_own_code else { return Ok(()) };
    let mut warnings = shown.loaded.warnings.iter();
    Err(match warnings.find(|warning| warning.code == WarningCode::Contour) {
        Some(problem) => format!("no procedures are excluded: {}", problem.message),
        None => format!("{why}: show all code"),
    })
}

/// Fails if a range is malformed, or the profile shown does not record times.
pub(crate) fn check_range(range: &str, shown: Option<&Snapshot>) -> Result<(), String> {
    let parsed: TimeRange = range.parse()?;
    if let Some(shown) = shown {
        analysis::check_range(&shown.loaded.recording, parsed)
            .map_err(|unmatched| unmatched.problem)?;
    }
    Ok(())
}
