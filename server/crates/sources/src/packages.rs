//! The packages of Cargo, npm and Python in the workspace folders. A name may contain the name of a
//! package instead of its folder:
//!
//! - `words-0.1.0/src/lib.rs` is what Cargo's `trim-paths` writes for a package outside of the
//!   workspace. In a registry, packages have the same form.
//! - `node_modules/@shop/ui/index.js` is a member of a workspace, or an installed copy of it.
//! - `webpack://shop/./src/a.ts` contains `output.uniqueName`, which is the package's name unless it
//!   is configured (<https://webpack.js.org/configuration/output/#outputuniquename>).
//! - `site-packages/shop/cart.py` is an installed copy of `shop/cart.py` or `src/shop/cart.py`.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

use crate::go::module_path;
use crate::index::{RootKind, SourceIndex};
use crate::name::{Form, Name, is_registry, key, split_version};
use crate::regular_file;

/// The limit for the manifests of each kind that are read.
const MAX_PACKAGES: usize = 1000;

/// The limit for the size of a manifest, in bytes. A larger one is not read.
const MAX_BYTES: u64 = 1 << 20;

/// The packages in the workspace folders. Manifests are read when a name needs them.
pub(crate) struct Packages<'a> {
    index: &'a SourceIndex,
    cargo: OnceCell<Vec<Package>>,
    npm: OnceCell<Vec<Package>>,
    python: OnceCell<Vec<Package>>,
}

/// The name in a manifest, and the version of a Cargo package.
type NameVersion = (String, Option<String>);

#[derive(Debug)]
struct Package {
    name: String,
    /// Of Cargo packages. `None` if it is not in the manifest.
    version: Option<String>,
    /// Canonical.
    folder: PathBuf,
}

impl<'a> Packages<'a> {
    pub(crate) fn of(index: &'a SourceIndex) -> Packages<'a> {
        Packages { index, cargo: OnceCell::new(), npm: OnceCell::new(), python: OnceCell::new() }
    }

    /// The files that a name means, canonical. Empty for names without a package of the workspace.
    pub(crate) fn find(&self, name: &Name) -> Vec<PathBuf> {
        let head = name.text.strip_suffix(name.tail()).unwrap_or_default();
        if let Some(rest) = name.text.strip_prefix("webpack://")
            && !head.ends_with("node_modules/")
        {
            return self.in_npm(rest);
        }
        match name.form {
            Form::Library if head.ends_with("node_modules/") => self.in_npm(name.tail()),
            Form::Library if is_site_packages(head) => self.in_python(name.tail()),
            Form::Library if is_cargo_registry(head) => self.in_cargo(name.tail()),
            Form::Relative if !name.text.contains(':') => self.in_cargo(name.tail()),
            _ => Vec::new(),
        }
    }

    /// `NAME-VERSION/PATH`.
    fn in_cargo(&self, tail: &str) -> Vec<PathBuf> {
        let split = tail.split_once('/').and_then(|(folder, path)| {
            let (name, version) = split_version(folder)?;
            Some((name, version, path))
        });
        let Some((name, version, path)) = split else { return Vec::new() };
        let packages = self.cargo.get_or_init(|| self.read("Cargo.toml", cargo_package)).iter();
        packages
            .filter(|package| {
                package.name == name && self.version(package).as_deref() == Some(version)
            })
            .filter_map(|package| self.index.canonical(&package.folder.join(path)))
            .collect()
    }

    /// The version of a Cargo package, which may be inherited from its workspace.
    fn version(&self, package: &Package) -> Option<String> {
        let inherited = || {
            let folders = package.folder.ancestors();
            folders.take_while(|folder| self.index.root_of(folder).is_some()).find_map(|folder| {
                let manifest = self.index.canonical(&folder.join("Cargo.toml"))?;
                toml_text(&read(&manifest)?, "workspace.package", "version")
            })
        };
        package.version.clone().or_else(inherited)
    }

    /// `NAME/PATH` or `@SCOPE/NAME/PATH`.
    fn in_npm(&self, tail: &str) -> Vec<PathBuf> {
        let packages = self.npm.get_or_init(|| self.read("package.json", npm_package)).iter();
        packages
            .filter_map(|package| {
                let path = tail.strip_prefix(package.name.as_str())?.strip_prefix('/')?;
                self.index.canonical(&package.folder.join(path))
            })
            .collect()
    }

    /// `PACKAGE/PATH` as in `site-packages`.
    fn in_python(&self, tail: &str) -> Vec<PathBuf> {
        let Some((package, _)) = tail.split_once('/') else { return Vec::new() };
        let projects = self
            .python
            .get_or_init(|| self.read("pyproject.toml", |text| Some(python_package(text))));
        projects
            .iter()
            .filter_map(|project| {
                let file = |folder: PathBuf| self.index.canonical(&folder.join(tail));
                let has_name = normalized(&project.name) == normalized(package);
                let sources = project.folder.join("src");
                // In a `src` layout, what is in `src` belongs to the project whatever its name is.
                let marker = sources.join(package).join("__init__.py");
                let is_in_sources = has_name || self.index.contains(&marker);
                let in_sources = is_in_sources.then(|| file(sources)).flatten();
                in_sources.or_else(|| file(project.folder.clone()).filter(|_| has_name))
            })
            .collect()
    }

    /// The packages whose manifest has this file name.
    fn read(&self, manifest: &str, parse: fn(&str) -> Option<NameVersion>) -> Vec<Package> {
        let files = self.index.ending_with(&key(manifest)).iter();
        let own = files.filter(|file| self.index.kind(file.root) == Some(RootKind::Workspace));
        own.take(MAX_PACKAGES)
            .filter_map(|file| {
                let path = self.index.canonical(&file.path)?;
                let (name, version) = parse(&read(&path)?)?;
                Some(Package { name, version, folder: path.parent()?.to_owned() })
            })
            .collect()
    }
}

/// The kinds of manifests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Manifest {
    Cargo,
    Npm,
    Python,
    Go,
}

impl Manifest {
    pub(crate) fn file_name(self) -> &'static str {
        match self {
            Self::Cargo => "Cargo.toml",
            Self::Npm => "package.json",
            Self::Python => "pyproject.toml",
            Self::Go => "go.mod",
        }
    }
}

/// The name of the package in a manifest. `None` if it has none.
pub(crate) fn name_in(manifest: Manifest, path: &Path) -> Option<String> {
    let text = read(path)?;
    let name = match manifest {
        Manifest::Cargo => cargo_package(&text)?.0,
        Manifest::Npm => npm_package(&text)?.0,
        Manifest::Python => python_package(&text).0,
        Manifest::Go => module_path(&text)?,
    };
    Some(name).filter(|name| !name.is_empty())
}

fn is_site_packages(head: &str) -> bool {
    head.ends_with("site-packages/") || head.ends_with("dist-packages/")
}

/// `…/registry/src/INDEX-HASH/` or `cargo:INDEX-HASH/`.
fn is_cargo_registry(head: &str) -> bool {
    let folder = head.trim_end_matches('/').rsplit(['/', ':']).next().unwrap_or_default();
    is_registry(folder)
}

/// The text of a manifest. `None` if it cannot be read.
pub(crate) fn read(path: &Path) -> Option<String> {
    regular_file::read_to_string(path, MAX_BYTES).ok()
}

fn cargo_package(text: &str) -> Option<NameVersion> {
    Some((toml_text(text, "package", "name")?, toml_text(text, "package", "version")))
}

/// The names of the crates that the files in `src` of a package can be part of.
pub(crate) fn crate_names(manifest: &Path) -> Vec<String> {
    let Some(text) = read(manifest) else { return Vec::new() };
    let Some(package) = toml_text(&text, "package", "name") else { return Vec::new() };
    let mut names = vec![package];
    names.extend(toml_text(&text, "lib", "name"));
    let bins = toml_tables(&text, "bin");
    names.extend(bins.iter().filter_map(|bin| Some(bin.get("name")?.as_str()?.to_owned())));
    for name in &mut names {
        *name = name.replace('-', "_");
    }
    names.sort_unstable();
    names.dedup();
    names
}

fn npm_package(text: &str) -> Option<NameVersion> {
    let manifest: serde_json::Value = serde_json::from_str(text).ok()?;
    let name = manifest.get("name")?.as_str().filter(|name| !name.is_empty())?;
    Some((name.to_owned(), None))
}

fn python_package(text: &str) -> NameVersion {
    let name =
        toml_text(text, "project", "name").or_else(|| toml_text(text, "tool.poetry", "name"));
    // Without a name, only the `src` layout tells what belongs to the project.
    (name.unwrap_or_default(), None)
}

/// The name of a Python package as in file names
/// (<https://packaging.python.org/en/latest/specifications/name-normalization/>).
fn normalized(name: &str) -> String {
    name.to_ascii_lowercase().replace(['-', '.'], "_")
}

/// The text of a key in a table (`workspace.package`) of a TOML file.
pub(crate) fn toml_text(text: &str, table: &str, key: &str) -> Option<String> {
    let root: Table = text.parse().ok()?;
    let inner = |outer: &Value, name| outer.get(name).cloned();
    let table = table.split('.').try_fold(Value::Table(root), |outer, name| inner(&outer, name))?;
    Some(table.get(key)?.as_str()?.to_owned())
}

/// The tables of an array of tables (`[[bin]]`) in a TOML file.
pub(crate) fn toml_tables(text: &str, name: &str) -> Vec<Table> {
    let root: Table = text.parse().unwrap_or_default();
    let tables = root.get(name).and_then(Value::as_array).into_iter().flatten();
    tables.filter_map(Value::as_table).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_names_from_manifests() {
        let table: [(&str, Option<&str>); 6] = [
            ("[package]\nname = \"words\" # main\nversion = \"1.0.0\"\n", Some("words")),
            ("[ package ]\r\nname='words'\r\n", Some("words")),
            ("[lib]\nname = \"other\"\n[package]\nname=\"words\"\n", Some("words")),
            ("[package.metadata]\nname = \"other\"\n", None),
            ("[package]\nname.workspace = true\n", None),
            ("[[package]]\nname = \"other\"\n", None),
        ];
        for (text, expected) in table {
            let found = cargo_package(text).map(|(name, _)| name);
            assert_eq!(found.as_deref(), expected, "{text}");
        }
        let version = cargo_package("[package]\nname = \"a\"\nversion.workspace = true\n");
        assert_eq!(version, Some(("a".to_owned(), None)));
        assert_eq!(npm_package("{\"name\": \"@a/b\"}"), Some(("@a/b".to_owned(), None)));
        assert_eq!(npm_package("{}").or(npm_package("no JSON")), None);
        assert_eq!(normalized("My-Shop.core"), "my_shop_core");
    }
}
