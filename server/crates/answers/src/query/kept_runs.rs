//! Kept runs as options of the baseline.

use crate::compare::baseline::Baseline;
use crate::compare::kept_baseline::KeptBaseline;
use loading::text::plain;
use loading::units;

/// The label in menus.
pub fn label(kept: &KeptBaseline) -> String {
    match kept {
        KeptBaseline::Previous { runs: 1 } => "The run before".to_owned(),
        KeptBaseline::Previous { runs } => format!("The last {runs} runs"),
        KeptBaseline::Git { revision } => format!("The run at {}", plain(revision)),
    }
}

/// The description in menus. `baseline` is the present one.
pub fn description(kept: &KeptBaseline, chosen: bool, baseline: Option<&Baseline>) -> String {
    match (baseline, kept) {
        _ if !chosen => "runs are kept from now on".to_owned(),
        (None, KeptBaseline::Previous { .. }) => {
            "no earlier run yet: the next run will be compared".to_owned()
        }
        (None, KeptBaseline::Git { .. }) => "none is kept: record one there".to_owned(),
        (Some(baseline), _) => {
            let age = units::age(baseline.snapshot.loaded.stamp.age());
            match baseline.runs().count() {
                0 | 1 => format!("written {age} ago"),
                runs => format!("{runs} runs, the newest written {age} ago"),
            }
        }
    }
}
