//! The path mappings that would map a file of a profile to a workspace file.

use formats::quoted;
use loading::text::one_line;
use loading::{PathMapping, Snapshot};
use serde_json::json;
use sources::{Mapping, Rule, SourceIndex, rule_for};
use std::cmp::Reverse;
use std::path::{Path, PathBuf};

/// For a name that is not mapped: the entry of `pathMappings` for each workspace file that it may mean.
pub fn for_mapping(name: &str, mapping: &Mapping, index: &SourceIndex) -> Vec<PathMapping> {
    let files: &[PathBuf] = match mapping {
        Mapping::Mapped { .. } => &[],
        Mapping::Ambiguous { candidates } => candidates,
        Mapping::Unmapped(reason) => reason.candidates(),
    };
    files.iter().filter_map(|file| for_file(name, file, index)).collect()
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
    let options: Vec<_> = mappings
        .iter()
        .map(|PathMapping { from, to }| option("--map", &format!("{from}={to}")))
        .collect();
    one_line(&options.join(" or ")).into_owned()
}

/// A folder as an option of the command line: `--root /srv/app`.
pub fn as_root(folder: &Path) -> String {
    one_line(&option("--root", &folder.to_string_lossy())).into_owned()
}

/// An option with its value, quoted for a shell if necessary.
fn option(name: &str, value: &str) -> String {
    format!("{name} {}", quoted(value))
}
