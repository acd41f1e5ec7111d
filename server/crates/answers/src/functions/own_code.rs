//! Own code: functions whose source is an own file.

use analysis::{FileId, FunctionId};
use loading::Snapshot;
use loading::own_files::is_own_path;
use rustc_hash::FxHashMap;

/// Whether a function is own code.
pub fn is_own(snapshot: &Snapshot, function: FunctionId) -> bool {
    file_of(snapshot, function).is_some_and(|file| is_own_file(snapshot, file))
}

/// Whether a file of a profile is own code.
pub fn is_own_file(snapshot: &Snapshot, file: FileId) -> bool {
    snapshot.path_of(file).is_some_and(|path| is_own_path(path, &snapshot.identified.roots))
}

/// Whether files of a profile are own code. Each is looked at once.
pub fn own_files(snapshot: &Snapshot) -> impl FnMut(FileId) -> bool + use<'_> {
    let mut own: FxHashMap<FileId, bool> = FxHashMap::default();
    move |file| *own.entry(file).or_insert_with(|| is_own_file(snapshot, file))
}

/// The file of a function: that of its definition, or else of its first line with cost.
pub fn file_of(snapshot: &Snapshot, function: FunctionId) -> Option<FileId> {
    let file = snapshot.function(function).file;
    file.or_else(|| snapshot.costs.first_line(function).map(|(file, _)| file))
}
