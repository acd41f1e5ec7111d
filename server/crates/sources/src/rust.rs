//! The sources of Rust libraries in their standard places: `rust-src` of a toolchain, and cargo's
//! registries.
//!
//! Paths are constructed here instead of comparing their ends, because a registry contains more
//! files than an index may have, and the same file in many versions. Only source roots are
//! searched.

use std::path::{Path, PathBuf};

use crate::index::{RootKind, SourceIndex};
use crate::name::{Form, Name, is_registry};

/// The path from the folder of a toolchain to the standard library.
const STANDARD: &str = "lib/rustlib/src/rust/library";

/// The path from a home folder to cargo's registries.
const REGISTRIES: &str = ".cargo/registry/src";

/// Folders with sources of Rust libraries; canonical.
pub(crate) struct RustFolders {
    standard: Vec<PathBuf>,
    /// One per registry.
    registries: Vec<PathBuf>,
}

impl RustFolders {
    /// The folders that are source roots, are in one, or contain one.
    pub(crate) fn of(index: &SourceIndex) -> RustFolders {
        let mut folders = RustFolders { standard: Vec::new(), registries: Vec::new() };
        for (at, root) in
            index.roots().iter().enumerate().filter(|(_, root)| root.kind == RootKind::Sources)
        {
            let has_name = |name: &str| root.path.file_name().is_some_and(|own| own == name);
            // A root may be any folder on the path. If it is the last one, only its name can tell.
            let below = |path: &'static str| {
                let starts = path.match_indices('/').map(|(slash, _)| slash + 1);
                std::iter::once(0)
                    .chain(starts)
                    .filter_map(|start| index.folder(at, path.get(start..)?))
            };
            folders
                .standard
                .extend(below(STANDARD).chain(has_name("library").then(|| root.path.clone())));
            for registries in below(REGISTRIES).chain(has_name("src").then(|| root.path.clone())) {
                folders.registries.extend(
                    index
                        .folders_in(&registries)
                        .into_iter()
                        .filter(|path| is_registry_folder(path)),
                );
            }
            folders
                .registries
                .extend(Some(root.path.clone()).filter(|path| is_registry_folder(path)));
        }
        folders
    }

    /// The files that a name of a Rust library can mean, only the most certain ones. Empty for
    /// other names.
    pub(crate) fn find(&self, name: &Name, index: &SourceIndex) -> Vec<PathBuf> {
        let files = |folders: &mut dyn Iterator<Item = PathBuf>| -> Vec<PathBuf> {
            folders.filter_map(|folder| index.canonical(&folder.join(name.tail()))).collect()
        };
        match RustName::of(name) {
            Some(RustName::Standard(rest)) => self
                .standard
                .iter()
                .filter_map(|folder| index.canonical(&folder.join(rest)))
                .collect(),
            Some(RustName::Dependency) => {
                let vendored = files(&mut self.standard.iter().map(|folder| folder.join("vendor")));
                if vendored.is_empty() {
                    files(&mut self.registries.iter().cloned())
                } else {
                    vendored
                }
            }
            Some(RustName::Crate { registry }) => {
                let is_same =
                    |folder: &&PathBuf| folder.file_name().is_some_and(|name| name == registry);
                let same = files(&mut self.registries.iter().filter(is_same).cloned());
                if same.is_empty() { files(&mut self.registries.iter().cloned()) } else { same }
            }
            None => Vec::new(),
        }
    }
}

fn is_registry_folder(path: &Path) -> bool {
    path.file_name().is_some_and(|name| is_registry(&name.to_string_lossy()))
}

/// A parsed name of a file in a Rust library.
enum RustName<'n> {
    /// A file of the standard library: its path below `library`.
    Standard(&'n str),
    /// A file of a crate that the standard library depends on. The path is the name's tail.
    Dependency,
    /// A file of a crate in a registry. The path is the name's tail and includes the version.
    Crate { registry: &'n str },
}

impl<'n> RustName<'n> {
    fn of(name: &'n Name) -> Option<Self> {
        let head = name.text.strip_suffix(name.tail())?;
        let standard = || name.tail().strip_prefix("library/").map(Self::Standard);
        match &name.form {
            Form::Repository(repo) if repo == "github.com/rust-lang/rust" => standard(),
            Form::Library
                if head.starts_with("/rustc/") || head.ends_with("/rustlib/src/rust/") =>
            {
                standard()
            }
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
