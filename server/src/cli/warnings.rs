//! The warnings of profiles, each with the name of its file.

use answers::text::times;
use answers::{Snapshot, Warning};

/// A warning as text, with the path of the profile, or the name of its first file if it has several.
pub(super) fn text(snapshot: &Snapshot, warning: &Warning) -> String {
    let loaded = &snapshot.loaded;
    let profile = match loaded.files.len() {
        0 | 1 => loaded.path.display().to_string(),
        _ => loaded.name(),
    };
    format!("{profile}: {}{}", warning.message, times(warning.count))
}

/// The warnings that costs are, or may be, missing.
pub(super) fn of_missing_costs(snapshot: &Snapshot) -> impl Iterator<Item = String> {
    let missing = snapshot.warnings.iter().filter(|warning| warning.code.may_miss_costs());
    missing.map(|warning| text(snapshot, warning))
}

/// Whether a part of a profile is missing.
pub(super) fn is_cut(snapshot: &Snapshot) -> bool {
    snapshot.warnings.iter().any(|warning| warning.code.misses_costs())
}
