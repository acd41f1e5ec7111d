//! The two places where the sources of Rust libraries lie on every machine: `rust-src` of a toolchain, and cargo's registries.
//!
//! Paths in them are put together, not compared by their ends: a registry holds more files than an index, and the same file in
//! many versions. Only in folders that the user named as places of sources.

use std::path::{Path, PathBuf};

use crate::index::{RootKind, SourceIndex};
use crate::name::{Form, Name, is_registry};

/// From the folder of a toolchain to the standard library.
const STANDARD: &str = "lib/rustlib/src/rust/library";

/// From a home folder to cargo's registries.
const REGISTRIES: &str = ".cargo/registry/src";

/// Where sources of Rust libraries lie; canonical.
pub(crate) struct RustFolders {
    standard: Vec<PathBuf>,
    /// One per registry.
    registries: Vec<PathBuf>,
}

impl RustFolders {
    /// Those that are source roots, lie in one, or hold one.
    pub(crate) fn of(index: &SourceIndex) -> RustFolders {
        let mut folders = RustFolders { standard: Vec::new(), registries: Vec::new() };
        for (at, root) in index.roots().iter().enumerate().filter(|(_, root)| root.kind == RootKind::Sources) {
            let is_called = |name: &str| root.path.file_name().is_some_and(|own| own == name);
            // A root may begin anywhere on the way; where it ends there, its own name says so.
            let below = |way: &'static str| {
                let starts = way.match_indices('/').map(|(slash, _)| slash + 1);
                std::iter::once(0).chain(starts).filter_map(|start| index.folder(at, way.get(start..)?))
            };
            folders.standard.extend(below(STANDARD).chain(is_called("library").then(|| root.path.clone())));
            for registries in below(REGISTRIES).chain(is_called("src").then(|| root.path.clone())) {
                folders.registries.extend(index.folders_in(&registries).into_iter().filter(|path| names_registry(path)));
            }
            folders.registries.extend(Some(root.path.clone()).filter(|path| names_registry(path)));
        }
        folders
    }

    /// The files that a name can mean, if it is one of a Rust library; the most certain only.
    pub(crate) fn find(&self, name: &Name, index: &SourceIndex) -> Vec<PathBuf> {
        let files = |folders: &mut dyn Iterator<Item = PathBuf>| -> Vec<PathBuf> {
            folders.filter_map(|folder| index.canonical(&folder.join(name.tail()))).collect()
        };
        match RustName::of(name) {
            Some(RustName::Standard(rest)) => {
                self.standard.iter().filter_map(|folder| index.canonical(&folder.join(rest))).collect()
            }
            Some(RustName::Dependency) => {
                let vendored = files(&mut self.standard.iter().map(|folder| folder.join("vendor")));
                if vendored.is_empty() { files(&mut self.registries.iter().cloned()) } else { vendored }
            }
            Some(RustName::Crate { registry }) => {
                let same = |folder: &&PathBuf| folder.file_name().is_some_and(|name| name == registry);
                let same = files(&mut self.registries.iter().filter(same).cloned());
                if same.is_empty() { files(&mut self.registries.iter().cloned()) } else { same }
            }
            None => Vec::new(),
        }
    }
}

fn names_registry(path: &Path) -> bool {
    path.file_name().is_some_and(|name| is_registry(&name.to_string_lossy()))
}

/// What a name says of Rust libraries.
enum RustName<'n> {
    /// A file of the standard library: its path below `library`.
    Standard(&'n str),
    /// A file of a crate that the standard library depends on; the name's tail.
    Dependency,
    /// A file of a crate of a registry; the name's tail, which has the version.
    Crate { registry: &'n str },
}

impl<'n> RustName<'n> {
    fn of(name: &'n Name) -> Option<Self> {
        let head = name.text.strip_suffix(name.tail())?;
        let standard = || name.tail().strip_prefix("library/").map(Self::Standard);
        match &name.form {
            Form::Repository(repo) if repo == "github.com/rust-lang/rust" => standard(),
            Form::Library if head.starts_with("/rustc/") || head.ends_with("/rustlib/src/rust/") => standard(),
            Form::Library if head == "/rust/deps/" => Some(Self::Dependency),
            Form::Library => {
                let registry = head.strip_suffix('/')?;
                let registry = registry.strip_prefix("cargo:").or_else(|| {
                    let (before, registry) = registry.rsplit_once('/')?;
                    before.ends_with("registry/src").then_some(registry)
                })?;
                Some(Self::Crate { registry })
            }
            _ => None,
        }
    }
}
