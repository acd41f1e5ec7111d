//! Which files and functions are own code: those in a workspace folder, not in a folder of libraries.
//!
//! Files that the setting `exclude` names have no source, so they are not own code either.

use crate::functions::source_functions::SourceFunction;
use analysis::{FuncId, FunctionId, Groups, Recording};
use rustc_hash::{FxHashMap, FxHashSet};
use sources::{Root, RootKind};
use std::fmt;
use std::path::{Path, PathBuf};

/// Folders into which package managers put libraries. A workspace may contain them.
const LIBRARY_FOLDERS: [&str; 8] = [
    "node_modules",
    "site-packages",
    "dist-packages",
    "vendor",
    "third_party",
    ".venv",
    "venv",
    "bower_components",
];

/// Why own code cannot be distinguished from libraries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoOwnCode {
    /// The profile is a call graph.
    CallGraph,
    /// No function of the profile has its source in a workspace folder.
    NoSources,
}

impl fmt::Display for NoOwnCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::CallGraph => {
                "this profile is a call graph without stacks, so it is unknown which of your code \
                 called a library"
            }
            Self::NoSources => {
                "none of this profile's sources is in the workspace, so there is no own code"
            }
        })
    }
}

/// The functions whose file is own code. `paths` are the workspace files of the recorded files.
pub(crate) fn own_functions(
    recording: &Recording,
    groups: &Groups,
    source_functions: &FxHashMap<FunctionId, SourceFunction>,
    paths: &[Option<PathBuf>],
    roots: &[Root],
) -> Result<FxHashSet<FunctionId>, NoOwnCode> {
    if recording.summed().is_some() {
        return Err(NoOwnCode::CallGraph);
    }
    let is_own =
        |path: &Option<PathBuf>| path.as_ref().is_some_and(|path| is_own_path(path, roots));
    let own: Vec<bool> = paths.iter().map(is_own).collect();
    let symbols = recording.symbols();
    let file = |func: FuncId| {
        let function = groups.function(func);
        let defined = source_functions.get(&function).map(|defined| defined.file);
        defined.or_else(|| symbols.funcs.get(func).source.map(|source| groups.file(source)))
    };
    let funcs = symbols.funcs.ids();
    let own = funcs.filter(|&func| file(func).is_some_and(|file| own[file.index()]));
    let own: FxHashSet<_> = own.map(|func| groups.function(func)).collect();
    if own.is_empty() { Err(NoOwnCode::NoSources) } else { Ok(own) }
}

/// Whether the file at `path` (canonical) is own code. `roots` are the roots of the source index.
pub fn is_own_path(path: &Path, roots: &[Root]) -> bool {
    let inside = roots.iter().filter_map(|root| Some((root, path.strip_prefix(&root.path).ok()?)));
    let nearest = inside.min_by_key(|(_, inside)| inside.as_os_str().len());
    nearest.is_some_and(|(root, inside)| {
        let mut folders = inside.parent().unwrap_or(Path::new("")).components();
        root.kind == RootKind::Workspace
            && !folders.any(|folder| LIBRARY_FOLDERS.iter().any(|name| folder.as_os_str() == *name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_and_source_roots_are_not_own() {
        let root = |path: &str, kind| Root { path: path.into(), kind };
        let roots = [
            root("/w", RootKind::Workspace),
            root("/w/deps", RootKind::Sources),
            root("/usr/lib/rust", RootKind::Sources),
        ];
        let own = |path: &str| is_own_path(Path::new(path), &roots);
        assert!(own("/w/src/main.rs") && own("/w/vendor.rs"));
        for path in [
            "/w/node_modules/x/index.js",
            "/w/.venv/lib/python3/site-packages/x.py",
            "/w/vendor/x/x.go",
            "/w/deps/x.rs",
            "/usr/lib/rust/std/x.rs",
            "/elsewhere/x.rs",
        ] {
            assert!(!own(path), "{path}");
        }
    }
}
