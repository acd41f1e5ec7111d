//! Which files and functions are own code: those in a workspace folder, not in a folder of libraries.
//!
//! Files that the setting `exclude` names have no source, so they are not own code either.

use crate::functions::source_functions::SourceFunction;
use analysis::{FileId, FuncId, FunctionId, Groups, Recording};
use rustc_hash::{FxHashMap, FxHashSet};
use sources::{Root, RootKind};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

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
    /// The profile is one of Mercury, without a contour file that excludes procedures.
    NoContour,
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
            Self::NoContour => {
                "this profile has no contour file that excludes procedures: write one beside it \
                 (`Deep.contour` for `Deep.data`)"
            }
            Self::NoSources => {
                "none of this profile's sources is in the workspace, so there is no own code"
            }
        })
    }
}

/// Which code of a recording is own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OwnCode {
    /// By file.
    pub files: Vec<bool>,
    /// The functions that are defined in an own file, without those that a contour file excludes. A function
    /// whose file is not recorded is in the file of its first line.
    pub functions: Arc<FxHashSet<FunctionId>>,
}

impl OwnCode {
    /// `paths` are the workspace files of the recorded files.
    pub(crate) fn new(
        recording: &Recording,
        groups: &Groups,
        source_functions: &FxHashMap<FunctionId, SourceFunction>,
        paths: &[Option<PathBuf>],
        roots: &[Root],
    ) -> Self {
        let is_own =
            |path: &Option<PathBuf>| path.as_ref().is_some_and(|path| is_own_path(path, roots));
        let files: Vec<bool> = paths.iter().map(is_own).collect();
        if !files.contains(&true) {
            return Self { files, ..Self::default() };
        }
        let symbols = recording.symbols();
        let recorded = |func: FuncId| symbols.funcs.get(func).source;
        let mut first_lines: FxHashMap<FunctionId, (FileId, u32)> = FxHashMap::default();
        if symbols.funcs.ids().any(|func| recorded(func).is_none()) {
            recording.each_place(|func, source, line| {
                if recorded(func).is_none() {
                    let place = (groups.file(source), line);
                    let first = first_lines.entry(groups.function(func)).or_insert(place);
                    *first = place.min(*first);
                }
            });
        }
        let file = |func: FuncId| {
            let function = groups.function(func);
            let defined = source_functions.get(&function).map(|defined| defined.file);
            let defined = defined.or_else(|| recorded(func).map(|source| groups.file(source)));
            defined.or_else(|| first_lines.get(&function).map(|(file, _)| *file))
        };
        let funcs = symbols.funcs.ids();
        let own = funcs.filter(|&func| file(func).is_some_and(|file| files[file.index()]));
        let mut functions: FxHashSet<FunctionId> = own.map(|func| groups.function(func)).collect();
        recording.each_excluded(|func| {
            functions.remove(&groups.function(func));
        });
        Self { files, functions: Arc::new(functions) }
    }

    /// Why it cannot be told from libraries. `None` if it can.
    pub(crate) fn problem(&self, recording: &Recording) -> Option<NoOwnCode> {
        if recording.n_contexts().is_some() {
            (!recording.knows_contour()).then_some(NoOwnCode::NoContour)
        } else if recording.summed().is_some() {
            Some(NoOwnCode::CallGraph)
        } else {
            self.functions.is_empty().then_some(NoOwnCode::NoSources)
        }
    }
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
