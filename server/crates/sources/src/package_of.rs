//! The package that a file is part of: a crate, an npm package, a Python distribution or a Go module.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::go::{module_of, without_build_folder};
use crate::index::SourceIndex;
use crate::name::{Form, Name, key, split_version};
use crate::packages::{Manifest, name_in};

/// The package of a file outside of the workspace, by its name in the profile:
///
/// - `…/registry/src/INDEX/serde-1.0.0/src/lib.rs`, `/rust/deps/hashbrown-0.15.2/src/map.rs`:
///   `serde`, `hashbrown`
/// - `/rustc/HASH/library/core/src/ops/function.rs`: `core`
/// - `…/node_modules/@shop/ui/index.js`: `@shop/ui`; `node:fs`: `node`
/// - `…/site-packages/flask/app.py`: `flask`; `…/lib/python3.12/json/decoder.py`: `python3.12`
/// - `…/pkg/mod/golang.org/x/text@v0.3.0/unicode/a.go`: `golang.org/x/text`
///
/// `None` for other names. The folder in `site-packages` is named after the module, and
/// distributions usually have the module's name.
pub fn library_package(name: &str) -> Option<String> {
    let name = Name::parse(name);
    let (text, tail) = (name.text.as_str(), name.tail());
    let head = text.strip_suffix(tail)?;
    let mut components = tail.split('/');
    let first = components.next().filter(|first| !first.is_empty())?;
    let rust = tail
        .strip_prefix("library/")
        .and_then(|rest| rest.strip_prefix("stdarch/crates/").unwrap_or(rest).split('/').next());
    match &name.form {
        Form::Repository(repo) if repo == "github.com/rust-lang/rust" => rust.map(str::to_owned),
        Form::Repository(repo) => Some(repo.clone()),
        Form::Library if head.starts_with("/rustc/") || head.ends_with("/rustlib/src/rust/") => {
            rust.map(str::to_owned)
        }
        Form::Library if head.ends_with("node_modules/") => match components.next() {
            Some(second) if first.starts_with('@') => Some(format!("{first}/{second}")),
            _ => Some(first.to_owned()),
        },
        Form::Library if head.ends_with("site-packages/") || head.ends_with("dist-packages/") => {
            Some(first.split('.').next().unwrap_or(first).to_owned())
        }
        Form::Library if head.starts_with("node:") => Some("node".to_owned()),
        Form::Library if head.ends_with(".cargo/") || head.ends_with(".rustup/") => None,
        Form::Library => {
            if let Some(module) = go_module(text, tail) {
                return Some(module);
            }
            let folder = head.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
            if folder.starts_with("python") {
                return Some(folder.to_owned());
            }
            // `NAME-VERSION`, as Cargo and RubyGems call the folders of packages.
            split_version(first).map(|(package, _)| package.to_owned())
        }
        _ => None,
    }
}

/// The module of a file in Go's module cache, or of a name that `-trimpath` writes.
fn go_module(text: &str, tail: &str) -> Option<String> {
    let (last, _) = tail.split('/').next()?.split_once('@')?;
    let head = text.strip_suffix(tail)?;
    let path = head.rsplit_once("/pkg/mod/").map_or(head, |(_, path)| path);
    let path = without_build_folder(path).trim_start_matches('/');
    Some(format!("{path}{last}"))
}

/// The package of a function of Go, by its name: `golang.org/x/text/unicode/norm.nfc` is of the
/// module `golang.org/x/text`, `runtime.mallocgc` of the standard library, `std`. `None` for other
/// functions: `main.main` can be of any module.
pub fn go_package(function: &str) -> Option<String> {
    let import = function.split(['(', '[']).next()?;
    let slash = import.rfind('/').map_or(0, |slash| slash + 1);
    let dot = slash + import.get(slash..)?.find('.')?;
    let import = import.get(..dot)?;
    module_of(import)
}

/// A manifest of a package. It is read when its name is needed.
#[derive(Debug)]
struct PackageFolder {
    /// Canonical.
    folder: PathBuf,
    name: OnceLock<Option<String>>,
}

/// The packages in the roots, by their manifests.
#[derive(Debug, Default)]
pub struct PackageFolders {
    cargo: Vec<PackageFolder>,
    npm: Vec<PackageFolder>,
    python: Vec<PackageFolder>,
    go: Vec<PackageFolder>,
}

impl PackageFolders {
    /// The packages of the files of `index`. Ignored files are not among them.
    pub fn of(index: &SourceIndex) -> PackageFolders {
        let folders = |manifest: Manifest| {
            let files = index.ending_with(&key(manifest.file_name())).iter();
            let folders = files.filter_map(|file| Some(file.path.parent()?.to_owned()));
            let mut folders: Vec<_> =
                folders.map(|folder| PackageFolder { folder, name: OnceLock::new() }).collect();
            // The innermost folder comes first.
            folders.sort_by_key(|package| std::cmp::Reverse(package.folder.components().count()));
            folders
        };
        PackageFolders {
            cargo: folders(Manifest::Cargo),
            npm: folders(Manifest::Npm),
            python: folders(Manifest::Python),
            go: folders(Manifest::Go),
        }
    }

    /// The package of a file (canonical): the name in the innermost manifest around it. `None` for
    /// files of other languages, and without a manifest.
    pub fn package_of(&self, path: &Path) -> Option<String> {
        let (manifest, folders) = match path.extension()?.to_str()? {
            "rs" => (Manifest::Cargo, &self.cargo),
            "go" | "s" => (Manifest::Go, &self.go),
            "py" | "pyx" | "pxd" | "pyi" => (Manifest::Python, &self.python),
            "js" | "mjs" | "cjs" | "jsx" | "ts" | "mts" | "cts" | "tsx" | "vue" | "svelte" => {
                (Manifest::Npm, &self.npm)
            }
            _ => return None,
        };
        let mut around = folders.iter().filter(|package| path.starts_with(&package.folder));
        around.find_map(|package| {
            let file = package.folder.join(manifest.file_name());
            package.name.get_or_init(|| name_in(manifest, &file)).clone()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::{Root, RootKind};
    use crate::listing::Limits;
    use std::fs;

    #[test]
    fn libraries_by_the_name_of_a_file() {
        for (name, expected) in [
            (
                "/h/.cargo/registry/src/index.crates.io-6f17d22bba15001f/serde-1.0.0/src/lib.rs",
                Some("serde"),
            ),
            (
                "/h/.cargo/registry/src/index.crates.io-6f17d22bba15001f/aho-corasick-1.1.3/src/a.rs",
                Some("aho-corasick"),
            ),
            ("/rust/deps/hashbrown-0.15.2/src/raw/mod.rs", Some("hashbrown")),
            ("/rustc/0123/library/core/src/ops/function.rs", Some("core")),
            ("/rustc/0123/library/stdarch/crates/core_arch/src/x86/sse2.rs", Some("core_arch")),
            ("git:github.com/rust-lang/rust:library/std/src/rt.rs:0123", Some("std")),
            (
                "hg:hg.mozilla.org/mozilla-central:js/src/a.cpp:0123",
                Some("hg.mozilla.org/mozilla-central"),
            ),
            ("cargo:github.com-1ecc6299db9ec823:serde_json-1.0.8:src/de.rs", Some("serde_json")),
            ("/w/node_modules/left-pad/index.js", Some("left-pad")),
            ("file:///w/node_modules/a/node_modules/@shop/ui/lib/x.js", Some("@shop/ui")),
            ("node:internal/modules/cjs/loader", Some("node")),
            ("/v/lib/python3.12/site-packages/flask/app.py", Some("flask")),
            ("/v/lib/python3.12/site-packages/six.py", Some("six")),
            ("/usr/lib/python3.12/json/decoder.py", Some("python3.12")),
            ("/h/go/pkg/mod/golang.org/x/text@v0.3.0/unicode/norm/a.go", Some("golang.org/x/text")),
            ("golang.org/x/text@v0.3.0/unicode/norm/a.go", Some("golang.org/x/text")),
            ("./golang.org/x/text@v0.3.0/unicode/norm/a.go", Some("golang.org/x/text")),
            ("/build/glibc-2.31/malloc/malloc.c", None),
            ("/srv/app/src/main.rs", None),
            ("src/main.rs", None),
            ("<frozen importlib._bootstrap>", None),
        ] {
            assert_eq!(library_package(name).as_deref(), expected, "{name}");
        }
    }

    #[test]
    fn go_modules_by_the_name_of_a_function() {
        for (name, expected) in [
            ("runtime.mallocgc", Some("std")),
            ("net/http.(*conn).serve", Some("std")),
            ("golang.org/x/text/unicode/norm.nfc", Some("golang.org/x/text")),
            ("github.com/a/b/words.Count[...]", Some("github.com/a/b")),
            ("github.com/a/b.(*T).f.func1", Some("github.com/a/b")),
            ("example.org/app.Run", Some("example.org/app")),
            ("main.main", None),
            ("main", None),
        ] {
            assert_eq!(go_package(name).as_deref(), expected, "{name}");
        }
    }

    #[test]
    fn packages_by_the_innermost_manifest() {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path().canonicalize().unwrap();
        for (file, text) in [
            ("Cargo.toml", "[workspace]\n"),
            ("app/Cargo.toml", "[package]\nname = \"my-app\"\n"),
            ("web/package.json", "{\"name\": \"@shop/web\"}"),
            ("web/dist/package.json", "{\"type\": \"module\"}"),
            ("py/pyproject.toml", "[project]\nname = \"shop\"\n"),
            ("go/go.mod", "module example.org/app\n"),
        ] {
            fs::create_dir_all(top.join(file).parent().unwrap()).unwrap();
            fs::write(top.join(file), text).unwrap();
        }
        let root = Root { path: top.clone(), kind: RootKind::Workspace };
        let packages = PackageFolders::of(&SourceIndex::build(vec![root], Limits::default()));
        for (file, expected) in [
            ("app/src/main.rs", Some("my-app")),
            ("tool.rs", None),
            ("web/dist/a.js", Some("@shop/web")),
            ("py/shop/cart.py", Some("shop")),
            ("go/words/a.go", Some("example.org/app")),
            ("app/native/a.c", None),
        ] {
            assert_eq!(packages.package_of(&top.join(file)).as_deref(), expected, "{file}");
        }
    }
}
