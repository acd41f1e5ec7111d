//! The choices of a baseline and of an overlay.

use super::choices::{Choice, ChoiceKey, ChoiceOption, ChoiceValue, Chosen, file_label};
use super::kept_runs;
use super::profiles::runs_found;
use crate::compare::kept_baseline::KeptBaseline;
use crate::compare::overlay::Overlay;
use crate::world::World;
use formats::Format;
use loading::text::plain;
use loading::{Loaded, Snapshot, Stamp, units};
use std::path::Path;

/// The options are no baseline, the profile shown now, and the other runs.
pub(super) fn baseline(world: &World, shown: &Snapshot) -> Choice {
    let current = world.baseline.as_ref().map(|baseline| &baseline.snapshot.loaded);
    let kept = world.overrides.kept_baseline(&world.settings);
    let is_kept = kept.is_some();
    // A version of the profile shown.
    let of_shown = current.filter(|current| !is_kept && current.path == shown.loaded.path);
    let description = match of_shown {
        Some(version) => format!("now the version written {} ago", units::age(version.stamp.age())),
        None => "stays the same when the profile is rewritten".to_owned(),
    };
    let nothing = ChoiceOption {
        value: ChoiceValue::Nothing,
        label: "Nothing".to_owned(),
        description: None,
        detail: None,
        active: current.is_none() && !is_kept,
    };
    let now = ChoiceOption {
        value: ChoiceValue::Flag(true),
        label: "The profile shown now".to_owned(),
        description: Some(description),
        detail: None,
        active: of_shown.is_some(),
    };
    let mut runs = [1, 5].map(|runs| KeptBaseline::Previous { runs }).to_vec();
    runs.extend(kept.clone().filter(|kept| !runs.contains(kept)));
    let runs = runs.into_iter().map(|runs| {
        let active = kept.as_ref() == Some(&runs);
        ChoiceOption {
            value: runs.value().as_str().into(),
            label: kept_runs::label(&runs),
            description: Some(kept_runs::description(&runs, active, world.baseline.as_deref())),
            detail: None,
            active,
        }
    });
    let other = current.filter(|_| !is_kept && of_shown.is_none());
    let others = others(world, other.map(AsRef::as_ref));
    let value = if let Some(kept) = &kept {
        kept.value().as_str().into()
    } else if of_shown.is_some() {
        ChoiceValue::Flag(true)
    } else {
        current.map(|current| current.path.as_path()).into()
    };
    Choice {
        key: ChoiceKey::Baseline,
        title: "Compare with".to_owned(),
        multiple: false,
        value: Chosen::One(value),
        options: [nothing, now].into_iter().chain(runs).chain(others).collect(),
    }
}

/// The runs that are not shown, and the current choice, which may be a file that is no run.
fn others(world: &World, current: Option<&Loaded>) -> Vec<ChoiceOption> {
    let option = |path: &Path, format: Format, stamp: Stamp| ChoiceOption {
        value: path.into(),
        label: file_label(path),
        description: Some(format!("{}, written {} ago", format.name(), units::age(stamp.age()))),
        detail: None,
        active: current.is_some_and(|current| current.path == path),
    };
    let runs = runs_found(world).into_iter().filter(|run| !run.shown);
    let mut options: Vec<_> =
        runs.map(|run| option(&run.file.path, run.file.format, run.file.stamp)).collect();
    if let Some(current) = current
        && !options.iter().any(|option| option.active)
    {
        options.push(option(&current.path, current.format, current.stamp));
    }
    options
}

/// The options are no overlay, the other metrics of the profile, and the other runs.
pub(super) fn overlay(world: &World, shown: &Snapshot) -> Choice {
    let current = Overlay::of(shown, world.overlay.as_deref());
    // `null` is the setting.
    let nothing = ChoiceOption {
        value: "".into(),
        label: "Nothing".to_owned(),
        description: None,
        detail: None,
        active: current.is_none(),
    };
    let mut names: Vec<&str> = vec![&shown.costs.metric.name];
    let mut metrics = Vec::new();
    for metric in shown.grouped.recording.metrics() {
        if names.contains(&metric.name.as_str()) {
            continue;
        }
        names.push(&metric.name);
        let is_current = |overlay: &Snapshot| overlay.costs.metric.name == metric.name;
        metrics.push(ChoiceOption {
            value: metric.name.as_str().into(),
            label: plain(&metric.name).into_owned(),
            description: Some("of this profile".to_owned()),
            detail: None,
            active: shown.overlay.as_deref().is_some_and(is_current),
        });
    }
    let profile = match current {
        Some(Overlay::Profile(profile)) => Some(profile.snapshot.loaded.as_ref()),
        Some(Overlay::Metric(_)) | None => None,
    };
    let others = others(world, profile);
    let options: Vec<_> = [nothing].into_iter().chain(metrics).chain(others).collect();
    let active = options.iter().skip(1).find(|option| option.active);
    let value = active.map_or(ChoiceValue::Nothing, |option| option.value.clone());
    Choice {
        key: ChoiceKey::Overlay,
        title: "Show beside".to_owned(),
        multiple: false,
        value: Chosen::One(value),
        options,
    }
}
