//! Which files are own code: those in a workspace folder, not in a folder of libraries.
//!
//! Files that the setting `exclude` names have no source, so they are not own code either.

use sources::{Root, RootKind};
use std::path::Path;

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

/// Why own code cannot be told from libraries. `None` if it can.
pub fn no_own_code(is_call_graph: bool, has_own_files: bool) -> Option<&'static str> {
    if is_call_graph {
        Some(
            "this profile is a call graph without stacks, which does not tell which own code called \
             a library",
        )
    } else {
        (!has_own_files).then_some(
            "no source of this profile was found in the workspace folders, so that it has no own code",
        )
    }
}

/// Whether the file at `path` (canonical) is own code. `roots` are those of the source index.
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
