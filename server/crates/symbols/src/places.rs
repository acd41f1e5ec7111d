//! Where a library may lie on this machine.
//!
//! Only names are put together here; which of the files is the right one, `file` decides by their ids.

use crate::{Search, is_kernel};
use profile::Lib;
use std::path::{Component, Path, PathBuf};

/// Where distributions put debug info, laid out like any folder of [`Search::paths`].
const SYSTEM_FOLDER: &str = "/usr/lib/debug";

impl Search<'_> {
    /// The places where the library itself may be, the likeliest first, whether or not anything is there.
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
            } else if path.file_name().and_then(|name| name.to_str()).is_some_and(|name| names.contains(&name)) {
                places.push(path.clone());
            }
        }
        without_doubles(places)
    }

    /// The places where a file of a library with an id may be, be it the library or its debug info.
    pub(crate) fn files(&self, lib: &Lib) -> Vec<PathBuf> {
        let mut places = Vec::new();
        for library in self.libraries(lib) {
            let beside = siblings(&library, lib);
            places.push(library);
            places.extend(beside);
        }
        for path in self.folders() {
            places.extend(in_folder(path, lib));
        }
        // A file that is named by the user may have any name.
        places.extend(self.paths.iter().filter(|path| path.is_file()).cloned());
        without_doubles(places)
    }

    /// The places where a file that `from` refers to as `reference` may be: split debug info, debug info that was put aside.
    pub(crate) fn referred(&self, from: &Path, folder: &str, reference: &str) -> Vec<PathBuf> {
        let Some(name) = last(reference) else { return Vec::new() };
        let mut places = Vec::new();
        if !folder.is_empty() || Path::new(reference).is_absolute() {
            let recorded = Path::new(folder).join(reference);
            places.extend(recorded.to_str().into_iter().flat_map(|recorded| (self.candidates)(recorded)));
            places.push(recorded);
        }
        if let Some(beside) = from.parent() {
            places.extend([beside.join(reference), beside.join(name), beside.join(".debug").join(name)]);
            for folder in self.folders() {
                places.extend(beside.to_str().and_then(|beside| below(folder, &format!("{beside}/{name}"), "")));
            }
        }
        places.extend(self.folders().map(|folder| folder.join(name)));
        without_doubles(places)
    }

    /// Whether a file is called as the library, with or without something behind it.
    pub(crate) fn is_named_like(path: &Path, lib: &Lib) -> bool {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| names(lib).iter().any(|of_lib| name.starts_with(of_lib)))
    }

    fn folders(&self) -> impl Iterator<Item = &Path> {
        self.paths.iter().map(PathBuf::as_path).filter(|path| path.is_dir()).chain([Path::new(SYSTEM_FOLDER)])
    }
}

/// The names of the library and of its debug info: one component each.
fn names(lib: &Lib) -> Vec<&str> {
    let names = [&lib.name, &lib.debug_name, &lib.path, &lib.debug_path].into_iter().filter_map(|name| last(name));
    let mut names: Vec<&str> = names.chain(is_kernel(lib).then_some("vmlinux")).collect();
    names.dedup();
    names
}

/// The last component of a path of any machine.
fn last(path: &str) -> Option<&str> {
    let name = path.rsplit(['/', '\\']).next()?;
    (!matches!(name, "" | "." | "..")).then_some(name)
}

/// Where debug info lies beside a library.
fn siblings(library: &Path, lib: &Lib) -> Vec<PathBuf> {
    let (Some(folder), Some(name)) = (library.parent(), library.file_name().and_then(|name| name.to_str())) else {
        return Vec::new();
    };
    let mut places = vec![bundle(folder, name), library.with_extension("pdb")];
    places.extend(last(&lib.debug_name).map(|debug_name| folder.join(debug_name)));
    let debug = format!("{name}.debug");
    places.extend([folder.join(&debug), folder.join(".debug").join(name), folder.join(".debug").join(debug)]);
    places
}

/// Where debug info lies in folders that keep it for many libraries: by build id, by path, by name, and as symbol stores do.
fn in_folder(folder: &Path, lib: &Lib) -> Vec<PathBuf> {
    let mut places = Vec::new();
    let code_id = lib.code_id.to_ascii_lowercase();
    if let Some((first, rest)) = code_id.split_at_checked(2).filter(|(_, rest)| !rest.is_empty() && is_hex(&code_id)) {
        let by_id = folder.join(".build-id").join(first);
        places.extend([by_id.join(format!("{rest}.debug")), by_id.join(rest)]);
    }
    places.extend(below(folder, &lib.path, ".debug"));
    for name in names(lib) {
        places.extend([folder.join(format!("{name}.debug")), bundle(folder, name), folder.join(name)]);
        if is_hex(&lib.debug_id) {
            let stored = folder.join(name).join(&lib.debug_id);
            places.extend([stored.join(name), stored.join(format!("{}.sym", name.strip_suffix(".pdb").unwrap_or(name)))]);
        }
    }
    places
}

/// The debug info in a bundle of macOS.
fn bundle(folder: &Path, name: &str) -> PathBuf {
    let mut path = folder.join(format!("{name}.dSYM"));
    path.extend(["Contents", "Resources", "DWARF", name]);
    path
}

/// A recorded path below another folder than the root.
fn below(folder: &Path, recorded: &str, suffix: &str) -> Option<PathBuf> {
    let relative = recorded.strip_prefix('/').filter(|relative| !relative.is_empty())?;
    let is_plain = Path::new(relative).components().all(|component| matches!(component, Component::Normal(_)));
    is_plain.then(|| folder.join(format!("{relative}{suffix}")))
}

fn is_hex(id: &str) -> bool {
    !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn without_doubles(places: Vec<PathBuf>) -> Vec<PathBuf> {
    let mut seen = rustc_hash::FxHashSet::default();
    places.into_iter().filter(|place| seen.insert(place.clone())).collect()
}
