//! The files that `costline annotate` shows if the user names none.

use crate::cli::exit::Failure;
use crate::cli::left_out::not_found;
use answers::text::plain;
use answers::{FileId, Mapping, Snapshot, SourceIndex, Target, hottest_files};

/// The number of files to show if the user names none.
const DEFAULT_FILES: usize = 3;

/// The files with the highest costs that were found, hottest first.
pub(super) fn hottest(snapshot: &Snapshot, index: &SourceIndex) -> Result<Vec<Target>, Failure> {
    let files = hottest_files(snapshot);
    if files.is_empty() {
        let no_lines = if snapshot.costs.lines().is_empty() {
            "the profile has no lines (run `costline check`)".to_owned()
        } else if let Some(name) = snapshot.mappings().find_map(is_found) {
            format!("no line of the files that were found, such as {name}, has a cost")
        } else if let Some(ambiguous) = ambiguous(snapshot, index) {
            format!("none of the files in the profile was found: {ambiguous}")
        } else if let Some(not_found) = not_found(snapshot, index) {
            format!("none of the files in the profile was found; {not_found}")
        } else {
            "none of the files in the profile was found (run `costline check`, or pass --root or --map)".to_owned()
        };
        let reason = snapshot.no_debug_info().unwrap_or(no_lines);
        return Err(Failure::no_output(format!(
            "{}: nothing to show: {reason}",
            snapshot.loaded.path.display()
        )));
    }
    Ok(files.into_iter().take(DEFAULT_FILES).collect())
}

/// The name of a file in the profile, if its source was found.
fn is_found((name, _, mapping): (&str, FileId, &Mapping)) -> Option<String> {
    mapping.path().map(|_| plain(name).into_owned())
}

/// The first name that matches several files, and the options that select each of them.
fn ambiguous(snapshot: &Snapshot, index: &SourceIndex) -> Option<String> {
    let (name, _, mapping) =
        snapshot.mappings().find(|(_, _, mapping)| matches!(mapping, Mapping::Ambiguous { .. }))?;
    let options =
        answers::path_rules::as_options(&answers::path_rules::for_mapping(name, mapping, index));
    Some(format!("{} matches several files; pass {options}", plain(name)))
}
