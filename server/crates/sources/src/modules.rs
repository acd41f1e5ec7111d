//! The modules that the path of a file stands for in the names of its functions: crates and modules
//! in Rust, import paths in Go, modules in Python.
//!
//! `#[path]` attributes and Python's `sys.path` are not read, so a file can have other modules than
//! these. It is then not found by name.

use std::cell::{OnceCell, RefCell};
use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;

use crate::go::GoModules;
use crate::index::SourceIndex;
use crate::packages::crate_names;

/// The modules of the files of an index. Manifests are read when a file needs them.
pub struct Modules<'a> {
    index: &'a SourceIndex,
    go: OnceCell<GoModules>,
    /// By folder: the names of the crates of the package there. Empty for other folders.
    crates: RefCell<FxHashMap<PathBuf, Vec<String>>>,
}

impl<'a> Modules<'a> {
    /// The modules of the files of `index`.
    pub fn of(index: &'a SourceIndex) -> Modules<'a> {
        Modules { index, go: OnceCell::new(), crates: RefCell::default() }
    }

    /// The paths that a file (canonical) can have as a module of Rust: the crate and its modules.
    /// Several if several crates can contain it.
    pub fn rust(&self, path: &Path) -> Vec<Vec<String>> {
        let folders = path.ancestors().skip(1);
        let mut folders = folders.take_while(|folder| self.index.root_of(folder).is_some());
        let package = folders.find_map(|folder| {
            let crates = self.crates(folder);
            (!crates.is_empty()).then_some((folder, crates))
        });
        let Some((folder, crates)) = package else { return Vec::new() };
        let inside = path.strip_prefix(folder).ok().map(components);
        let Some(inside) = inside else { return Vec::new() };
        let inside: Vec<&str> = inside.iter().map(String::as_str).collect();
        let (crates, modules) = match inside.as_slice() {
            ["src", "bin", name, "main"]
            | ["examples" | "tests" | "benches", name, "main"]
            | ["src", "bin", name]
            | ["examples" | "tests" | "benches", name] => (vec![name.replace('-', "_")], &[][..]),
            ["src", "bin", name, modules @ ..]
            | ["examples" | "tests" | "benches", name, modules @ ..] => {
                (vec![name.replace('-', "_")], modules)
            }
            ["src", "main" | "lib"] => (crates, &[][..]),
            ["src", modules @ ..] => (crates, modules),
            _ => return Vec::new(),
        };
        let modules = modules.strip_suffix(&["mod"]).unwrap_or(modules);
        let path = |name: String| {
            std::iter::once(name).chain(modules.iter().map(|&name| name.to_owned())).collect()
        };
        crates.into_iter().map(path).collect()
    }

    /// The components of the import path of a Go file (canonical), as function names spell them:
    /// without dots and slashes.
    pub fn go(&self, path: &Path) -> Option<Vec<String>> {
        let modules = self.go.get_or_init(|| GoModules::of(self.index));
        let import = modules.import_path(path.parent()?)?;
        Some(import.split(['/', '.']).map(str::to_owned).collect())
    }

    /// The longest path that a Python file (canonical) can have as a module: its folders below the
    /// root, and its name. The second value is the number of components that every path to it ends
    /// with, because its folders are packages.
    pub fn python(&self, path: &Path) -> Option<(Vec<String>, usize)> {
        let root = self.index.roots().get(self.index.root_of(path)?)?;
        let mut modules = components(path.strip_prefix(&root.path).ok()?);
        let is_package = |folder: &&Path| folder.join("__init__.py").is_file();
        let inside = path.ancestors().skip(1).take_while(|folder| *folder != root.path);
        let n_packages = inside.take_while(is_package).count();
        if modules.last()? == "__init__" {
            modules.pop();
            return Some((modules, n_packages));
        }
        Some((modules, n_packages + 1))
    }

    fn crates(&self, folder: &Path) -> Vec<String> {
        let mut known = self.crates.borrow_mut();
        let read = || {
            let manifest = self.index.canonical(&folder.join("Cargo.toml"));
            manifest.map(|manifest| crate_names(&manifest)).unwrap_or_default()
        };
        known.entry(folder.to_owned()).or_insert_with(read).clone()
    }
}

/// The components of a path, the last one without its extension.
fn components(path: &Path) -> Vec<String> {
    let path = path.with_extension("");
    path.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::{Root, RootKind};
    use crate::listing::Limits;
    use std::fs;

    #[test]
    fn files_stand_for_modules() {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path().canonicalize().unwrap();
        for (file, text) in [
            (
                "Cargo.toml",
                "[package]\nname = \"my-app\"\n[lib]\nname = \"app\"\n[[bin]]\nname = \"tool\"\n",
            ),
            ("go/go.mod", "module example.org/app\n"),
            ("py/pkg/__init__.py", ""),
            ("py/pkg/sub/__init__.py", ""),
        ] {
            fs::create_dir_all(top.join(file).parent().unwrap()).unwrap();
            fs::write(top.join(file), text).unwrap();
        }
        let root = Root { path: top.clone(), kind: RootKind::Workspace };
        let index = SourceIndex::build(vec![root], Limits::default());
        let modules = Modules::of(&index);
        let rust = |file: &str| {
            let paths = modules.rust(&top.join(file));
            paths.iter().map(|path| path.join("::")).collect::<Vec<_>>().join(" ")
        };
        for (file, expected) in [
            ("src/lib.rs", "app my_app tool"),
            ("src/a/b.rs", "app::a::b my_app::a::b tool::a::b"),
            ("src/a/mod.rs", "app::a my_app::a tool::a"),
            ("src/bin/run-all.rs", "run_all"),
            ("src/bin/run/main.rs", "run"),
            ("src/bin/run/args.rs", "run::args"),
            ("tests/it.rs", "it"),
            ("build.rs", ""),
        ] {
            assert_eq!(rust(file), expected, "{file}");
        }
        let go = |file: &str| modules.go(&top.join(file)).map(|path| path.join(" "));
        assert_eq!(go("go/main.go").as_deref(), Some("example org app"));
        assert_eq!(go("go/words/a.go").as_deref(), Some("example org app words"));
        assert_eq!(go("other/a.go"), None);
        let python = |file: &str| modules.python(&top.join(file)).unwrap();
        let path = |text: &str| text.split('.').map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(python("py/tool.py"), (path("py.tool"), 1));
        assert_eq!(python("py/pkg/a.py"), (path("py.pkg.a"), 2));
        assert_eq!(python("py/pkg/sub/a.py"), (path("py.pkg.sub.a"), 3));
        assert_eq!(python("py/pkg/sub/__init__.py"), (path("py.pkg.sub"), 2));
    }
}
