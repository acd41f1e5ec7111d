//! Candidate paths of a library and of its debug info on this machine.
//!
//! This only builds paths. `file` finds the right one by its id.

use crate::{Id, Search, is_kernel};
use profile::Lib;
use std::path::{Component, Path, PathBuf};

/// The folder for debug info of distributions, laid out like any folder of [`Search::paths`].
const SYSTEM_FOLDER: &str = "/usr/lib/debug";

impl Search<'_> {
    /// Candidates for the library itself, the likeliest first. They need not exist.
    pub(crate) fn libraries(&self, lib: &Lib) -> Vec<PathBuf> {
        let mut places = Vec::new();
        for path in [&lib.path, &lib.debug_path] {
            if !path.is_empty() {
                places.extend((self.candidates)(path));
            }
        }
        let names = names(lib);
        for path in self.paths {
            if path.is_dir() {
                places.extend(names.iter().map(|name| path.join(name)));
                places.extend(below(path, &lib.path, ""));
            } else if path
                .file_name()
                .and_then(|name| name.to_str())
                .is_some_and(|name| names.contains(&name))
            {
                places.push(path.clone());
            }
        }
        deduplicated(places)
    }

    /// Candidates for the library or its debug info, for libraries with an id.
    pub(crate) fn files(&self, lib: &Lib) -> Vec<PathBuf> {
        let mut places = Vec::new();
        for library in self.libraries(lib) {
            let siblings = siblings(&library, lib);
            places.push(library);
            places.extend(siblings);
        }
        for path in self.folders() {
            places.extend(in_folder(path, lib));
        }
        places.extend(self.copy_of_perf(lib));
        places.extend(self.vdso_copy(lib));
        // A file that the user lists may have any name.
        places.extend(self.paths.iter().filter(|path| path.is_file()).cloned());
        deduplicated(places)
    }

    /// The copy that perf keeps of each program and library that it recorded.
    fn copy_of_perf(&self, lib: &Lib) -> Option<PathBuf> {
        Some(by_build_id(self.kernel.copies.as_ref()?, lib)?.join("elf"))
    }

    /// The copy that perf keeps of the vDSO, the code that the kernel maps into each process.
    fn vdso_copy(&self, lib: &Lib) -> Option<PathBuf> {
        let copies = self.kernel.copies.as_ref().filter(|_| lib.name == "[vdso]")?;
        Some(copies.join("[vdso]").join(Id::of(lib).to_string()).join("vdso"))
    }

    /// Candidates for a file that `from` refers to as `reference`: split or separate debug info. A
    /// relative reference is relative to `folder`, if that is recorded. Of a path of another machine,
    /// only the name is used.
    pub(crate) fn referred(&self, from: &Path, folder: &str, reference: &str) -> Vec<PathBuf> {
        let Some(name) = last(reference) else { return Vec::new() };
        let (folder, reference) = match [folder, reference].map(self.is_network_path) {
            [false, false] => (folder, reference),
            _ => ("", name),
        };
        let mut places = Vec::new();
        if !folder.is_empty() || Path::new(reference).is_absolute() {
            let recorded = Path::new(folder).join(reference);
            places.extend(
                recorded.to_str().into_iter().flat_map(|recorded| (self.candidates)(recorded)),
            );
            places.push(recorded);
        }
        if let Some(parent) = from.parent() {
            places.extend([
                parent.join(reference),
                parent.join(name),
                parent.join(".debug").join(name),
            ]);
            for folder in self.folders() {
                places.extend(
                    parent
                        .to_str()
                        .and_then(|parent| below(folder, &format!("{parent}/{name}"), "")),
                );
            }
        }
        places.extend(self.folders().map(|folder| folder.join(name)));
        deduplicated(places)
    }

    /// Whether the name of a file begins with the name of the library.
    pub(crate) fn is_named_like(path: &Path, lib: &Lib) -> bool {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| names(lib).iter().any(|of_lib| name.starts_with(of_lib)))
    }

    fn folders(&self) -> impl Iterator<Item = &Path> {
        self.paths
            .iter()
            .map(PathBuf::as_path)
            .filter(|path| path.is_dir())
            .chain([Path::new(SYSTEM_FOLDER)])
    }
}

/// The names of the library and of its debug info: one component each.
fn names(lib: &Lib) -> Vec<&str> {
    let names = [&lib.name, &lib.debug_name, &lib.path, &lib.debug_path]
        .into_iter()
        .filter_map(|name| last(name));
    let mut names: Vec<&str> = names.chain(is_kernel(lib).then_some("vmlinux")).collect();
    names.dedup();
    names
}

/// The last component of a path in the syntax of any system.
pub(crate) fn last(path: &str) -> Option<&str> {
    let name = path.rsplit(['/', '\\']).next()?;
    (!matches!(name, "" | "." | "..")).then_some(name)
}

/// Candidates for debug info beside a library.
fn siblings(library: &Path, lib: &Lib) -> Vec<PathBuf> {
    let (Some(folder), Some(name)) =
        (library.parent(), library.file_name().and_then(|name| name.to_str()))
    else {
        return Vec::new();
    };
    let mut places = vec![bundle(folder, name), library.with_extension("pdb")];
    places.extend(last(&lib.debug_name).map(|debug_name| folder.join(debug_name)));
    let debug = format!("{name}.debug");
    places.extend([
        folder.join(&debug),
        folder.join(".debug").join(name),
        folder.join(".debug").join(debug),
    ]);
    places
}

/// Candidates for debug info in a folder for many libraries: by build id, by path, by name, and in
/// the layout of symbol stores.
fn in_folder(folder: &Path, lib: &Lib) -> Vec<PathBuf> {
    let mut places = Vec::new();
    if let Some(by_id) = by_build_id(folder, lib) {
        let mut debug = by_id.clone().into_os_string();
        debug.push(".debug");
        // perf's cache has a folder for each id.
        places.extend([debug.into(), by_id.join("elf"), by_id]);
    }
    places.extend(below(folder, &lib.path, ".debug"));
    for name in names(lib) {
        places.extend([
            folder.join(format!("{name}.debug")),
            bundle(folder, name),
            folder.join(name),
        ]);
        if is_hex(&lib.debug_id) {
            let stored = folder.join(name).join(&lib.debug_id);
            places.extend([
                stored.join(name),
                stored.join(format!("{}.sym", name.strip_suffix(".pdb").unwrap_or(name))),
            ]);
        }
    }
    places
}

/// The path of a library by its build id, below a folder.
fn by_build_id(folder: &Path, lib: &Lib) -> Option<PathBuf> {
    let code_id = lib.code_id.to_ascii_lowercase();
    let (first, rest) =
        code_id.split_at_checked(2).filter(|(_, rest)| !rest.is_empty() && is_hex(&code_id))?;
    Some(folder.join(".build-id").join(first).join(rest))
}

/// The debug info in a macOS bundle.
fn bundle(folder: &Path, name: &str) -> PathBuf {
    let mut path = folder.join(format!("{name}.dSYM"));
    path.extend(["Contents", "Resources", "DWARF", name]);
    path
}

/// A recorded absolute path, moved below a folder.
fn below(folder: &Path, recorded: &str, suffix: &str) -> Option<PathBuf> {
    let relative = recorded.strip_prefix('/').filter(|relative| !relative.is_empty())?;
    let is_plain =
        Path::new(relative).components().all(|component| matches!(component, Component::Normal(_)));
    is_plain.then(|| folder.join(format!("{relative}{suffix}")))
}

fn is_hex(id: &str) -> bool {
    !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn deduplicated(places: Vec<PathBuf>) -> Vec<PathBuf> {
    let mut unique = rustc_hash::FxHashSet::default();
    places.into_iter().filter(|place| unique.insert(place.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::KernelFiles;
    use std::cell::Cell;

    #[test]
    fn a_binary_that_names_another_machine_has_its_debug_info_searched_here_only() {
        let candidates = |path: &str| vec![PathBuf::from(path)];
        let kernel = KernelFiles::of_this_machine(None);
        let search = Search {
            candidates: &candidates,
            programs: &Vec::new,
            paths: &[],
            profile_modified: None,
            kernel: &kernel,
            memory: &Cell::new(u64::MAX),
            is_network_path: |path| path.starts_with(r"\\"),
        };
        let from = Path::new("/b/app");
        for (folder, reference) in [
            ("", r"\\server\share\app.dwo"),
            (r"\\server\share", "app.dwo"),
            ("/b", r"\\server\app.dwo"),
        ] {
            let places = search.referred(from, folder, reference);
            assert!(places.contains(&PathBuf::from("/b/app.dwo")));
            let places: Vec<_> = places.iter().map(|place| place.to_string_lossy()).collect();
            assert!(!places.iter().any(|place| place.contains("server")), "{places:?}");
        }
    }
}
