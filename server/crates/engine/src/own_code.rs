//! Own code: functions whose source is an own file ([`crate::own_files`]).

use crate::own_files::is_own_path;
use crate::snapshot::Snapshot;
use analysis::FunctionId;

/// Whether a function is own code.
pub fn is_own(snapshot: &Snapshot, function: FunctionId) -> bool {
    let path = snapshot.function(function).file.and_then(|file| snapshot.path_of(file));
    path.is_some_and(|path| is_own_path(path, &snapshot.source_mapped.roots))
}
