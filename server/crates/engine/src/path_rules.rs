//! The path mappings that would map a file of a profile to a workspace file.

use crate::present::text::one_line;
use crate::settings::PathMapping;
use crate::snapshot::Snapshot;
use serde_json::json;
use sources::{Mapping, Rule, SourceIndex, rule_for};
use std::cmp::Reverse;
use std::path::{Path, PathBuf};

/// The entry of `pathMappings` for each workspace file that a name without a file may mean.
pub fn for_mapping(name: &str, mapping: &Mapping, index: &SourceIndex) -> Vec<PathMapping> {
    let files: Vec<&Path> = match mapping {
        Mapping::Mapped { .. } => Vec::new(),
        Mapping::Ambiguous { candidates } => candidates.iter().map(PathBuf::as_path).collect(),
        Mapping::Unmapped(reason) => reason.candidate().into_iter().collect(),
    };
    files.into_iter().filter_map(|file| for_file(name, file, index)).collect()
}

/// The entry of `pathMappings` that maps a name of the profile to a workspace file. `None` for a
/// file outside the roots.
pub fn for_file(name: &str, file: &Path, index: &SourceIndex) -> Option<PathMapping> {
    rule_for(name, file, index).map(|Rule { from, to }| PathMapping { from, to })
}

/// The recorded file with the same base name as a file, and the mapping of that name. Of several,
/// the one with the longest common end.
pub fn same_name<'s>(snapshot: &'s Snapshot, file: &Path) -> Option<(&'s str, &'s Mapping)> {
    let file = file.to_string_lossy();
    let n_common = |name: &str| {
        let components = name.rsplit(['/', '\\']).zip(file.rsplit(['/', '\\']));
        components.take_while(|(a, b)| a == b).count()
    };
    let names = snapshot.mappings().map(|(name, _, mapping)| (n_common(name), name, mapping));
    let (_, name, mapping) = names.filter(|(n, ..)| *n > 0).min_by_key(|(n, ..)| Reverse(*n))?;
    Some((name, mapping))
}

/// The entries as JSON, for messages: `{"from":"/app","to":"services/api"} or {…}`.
pub fn as_settings(mappings: &[PathMapping]) -> String {
    let entry = |PathMapping { from, to }: &PathMapping| {
        format!(r#"{{ "from": {}, "to": {} }}"#, json!(from), json!(to))
    };
    one_line(&mappings.iter().map(entry).collect::<Vec<_>>().join(" or ")).into_owned()
}

/// The entries as options of the command line: `--map /app=services/api or --map …`.
pub fn as_options(mappings: &[PathMapping]) -> String {
    let option = |PathMapping { from, to }: &PathMapping| {
        let value = format!("{from}={to}");
        let is_plain = |c: char| c.is_alphanumeric() || "/\\._-=+@:,".contains(c);
        if value.chars().all(is_plain) && !value.contains('\\') {
            format!("--map {value}")
        } else {
            format!("--map '{}'", value.replace('\'', r"'\''"))
        }
    };
    one_line(&mappings.iter().map(option).collect::<Vec<_>>().join(" or ")).into_owned()
}
