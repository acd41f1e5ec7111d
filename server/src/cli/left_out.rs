//! The files with high costs that `costline annotate` does not show, and the options that would
//! show them.

use answers::path_rules::{as_options, as_root};
use answers::text::plain;
use answers::{
    FileId, Mapping, Snapshot, SourceIndex, UnmappedReason as Reason, project_above, units,
    weights_of_files,
};
use std::collections::BTreeMap;
use std::path::Path;

/// Files that cost less than this are not named, in percent of the base.
const MIN_PERCENT: f64 = 5.0;
/// With more files than this, the others are counted.
const MAX_NAMED: usize = 5;

/// A message about the files over [`MIN_PERCENT`] that were found but are not in `shown`.
pub(super) fn not_shown(snapshot: &Snapshot, shown: &[FileId]) -> Option<String> {
    let files: Vec<_> = hot(snapshot)
        .into_iter()
        .filter(|(file, _)| !shown.contains(file))
        .filter_map(|(file, share)| Some((snapshot.path_of(file)?, share)))
        .map(|(path, share)| format!("{} ({share})", plain(&path.to_string_lossy())))
        .collect();
    let names = listed(&files)?;
    Some(format!("not shown, but over {MIN_PERCENT}%: {names}; pass a file to show it"))
}

/// A message about the files over [`MIN_PERCENT`] that were not found, with the options that show
/// them. Libraries are not expected to be found.
pub(super) fn not_found(snapshot: &Snapshot, index: &SourceIndex) -> Option<String> {
    let mut mappings: BTreeMap<FileId, (&str, &Mapping)> = BTreeMap::new();
    for (name, file, mapping) in snapshot.mappings() {
        mappings.entry(file).or_insert((name, mapping));
    }
    // By what to do. Sorted by the hottest file of each.
    let mut advice: Vec<String> = Vec::new();
    let mut names: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for (file, share) in hot(snapshot) {
        let Some(&(name, mapping)) = mappings.get(&file) else { continue };
        let Some(this) = advice_on(name, mapping, index) else { continue };
        let at = advice.iter().position(|advice| *advice == this).unwrap_or_else(|| {
            advice.push(this);
            advice.len() - 1
        });
        names.entry(at).or_default().push(format!("{} ({share})", plain(name)));
    }
    let parts: Vec<String> = names
        .iter()
        .filter_map(|(&at, files)| Some(format!("{}: {}", listed(files)?, advice.get(at)?)))
        .take(MAX_NAMED)
        .collect();
    (!parts.is_empty()).then(|| format!("not found: {}", parts.join("; ")))
}

/// The files over [`MIN_PERCENT`] with their shares, hottest first.
fn hot(snapshot: &Snapshot) -> Vec<(FileId, String)> {
    let base = snapshot.costs.base;
    let mut files: Vec<(FileId, f64)> = weights_of_files(snapshot)
        .into_iter()
        .filter(|(_, weight)| weight * 100.0 > MIN_PERCENT * base)
        .collect();
    files.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    files.into_iter().map(|(file, weight)| (file, units::percent(weight, base))).collect()
}

/// The option that shows a file that was not found. `None` if the file was found, or is no source of
/// the user.
fn advice_on(name: &str, mapping: &Mapping, index: &SourceIndex) -> Option<String> {
    let reason = match mapping {
        Mapping::Ambiguous { .. } => None,
        Mapping::Mapped { .. }
        | Mapping::Unmapped(Reason::NoFile | Reason::Library | Reason::Scheme(_)) => return None,
        Mapping::Unmapped(Reason::Repository(repo)) if repo == "github.com/rust-lang/rust" => {
            return None;
        }
        Mapping::Unmapped(reason) => Some(reason),
    };
    let path = Path::new(name);
    // Network paths are not accessed: Windows would send credentials to the host.
    let is_local = path.is_absolute() && !name.starts_with(r"\\") && !name.starts_with("//");
    if is_local && index.is_outside(path) && path.is_file() {
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let project = project_above(&path).or_else(|| path.parent().map(Path::to_owned));
        return project.map(|project| format!("pass {}", as_root(&project)));
    }
    let options = as_options(&answers::path_rules::for_mapping(name, mapping, index));
    Some(match (reason, reason.map_or(&[][..], Reason::candidates)) {
        (Some(reason @ (Reason::TooShort { .. } | Reason::OtherFunctions { .. })), _) => {
            reason.to_string()
        }
        // A file of a library, such as ./string/strlen.c of libc.
        (Some(Reason::Dotted(_)), []) => return None,
        (_, [file]) if !options.is_empty() => {
            format!("if it is {}, pass {options}", file.display())
        }
        _ if !options.is_empty() => format!("pass {options}"),
        _ if is_local && !index.is_outside(path) => "the file does not exist".to_owned(),
        _ => "pass its project with --root, or --map FROM=TO".to_owned(),
    })
}

/// The first names, and the number of the others. `None` without any.
fn listed(names: &[String]) -> Option<String> {
    let (named, others) = names.split_at_checked(MAX_NAMED).unwrap_or((names, &[]));
    let others = match others.len() {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    (!named.is_empty()).then(|| format!("{}{others}", named.join(", ")))
}
