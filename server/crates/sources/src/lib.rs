//! Maps paths in profiles to files of a workspace.
//!
//! Independent of profiles and editors. On disk it looks only into the given roots, apart from asking
//! where the links in recorded folders lead. The only files it opens there are generated JavaScript
//! and its source maps, the manifests of packages (`go.mod`, `Cargo.toml`, `package.json`,
//! `pyproject.toml`), `devcontainer.json`, ignore files, and the settings of a Git or Mercurial
//! checkout.
//!
//! ```
//! use sources::{Limits, Root, RootKind, SourceIndex, map_paths};
//!
//! let folder = tempfile::tempdir()?;
//! std::fs::create_dir(folder.path().join("src"))?;
//! std::fs::write(folder.path().join("src/app.rs"), "fn main() {}\n")?;
//!
//! let root = Root { path: folder.path().to_owned(), kind: RootKind::Workspace };
//! let index = SourceIndex::build(vec![root], Limits::default());
//! let mapped = map_paths(["src/app.rs", "src/other.rs"], &index, &[], None);
//! assert!(mapped[0].path().is_some_and(|path| path.ends_with("src/app.rs")));
//! assert_eq!(mapped[1].path(), None);
//! # Ok::<(), std::io::Error>(())
//! ```

mod answering;
mod build_folder;
mod cargo;
mod dev_container;
mod folder_time;
mod git_folders;
mod go;
mod index;
mod library;
mod links;
mod listing;
mod map;
mod modules;
mod name;
mod package_of;
mod packages;
mod prefix;
pub mod regular_file;
mod repo;
mod rule;
mod rust;
mod script_line;
mod source_map;
mod suggest;

pub use answering::answers;
pub use build_folder::{EndsLike, ends_like};
pub use cargo::{CargoFile, CargoTarget, cargo_file};
pub use folder_time::FolderTime;
pub use git_folders::GitFolders;
pub use index::{Root, RootKind, SourceIndex, Walk, lexical};
pub use library::{library_paths, programs};
pub use listing::Limits;
pub use map::{How, Mapping, Reason, map_paths};
pub use modules::Modules;
pub use name::is_network_path;
pub use name::{git_version, without_version};
pub use package_of::{PackageFolders, go_package, library_package};
pub use rule::{Rule, has_name_in};
pub use source_map::{Executing, MapProblem, Original, OriginalPlace, SourceMap};
pub use suggest::rule_for;

/// Compiles the example in the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
