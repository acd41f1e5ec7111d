//! Which target of a Cargo package a file is part of
//! (<https://doc.rust-lang.org/cargo/reference/cargo-targets.html>).

use std::path::Path;

use crate::packages::{self, toml_tables, toml_text};

/// A target of a Cargo package. Each except the library has its name.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it all")]
pub enum CargoTarget {
    Lib,
    Bin(String),
    Example(String),
    Test(String),
    Bench(String),
}

/// A file of a target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CargoFile {
    /// The target.
    pub target: CargoTarget,
    /// Whether it is the file that the compiler is called with.
    pub is_main: bool,
}

/// Builds a target from its name.
type Named = fn(String) -> CargoTarget;

/// The tables of targets in a manifest.
const TABLES: [(&str, Named); 4] = [
    ("bin", CargoTarget::Bin),
    ("example", CargoTarget::Example),
    ("test", CargoTarget::Test),
    ("bench", CargoTarget::Bench),
];

/// The target that `file` is part of, in the package of a folder. `None` if it is part of none.
pub fn cargo_file(folder: &Path, file: &Path) -> Option<CargoFile> {
    let manifest = packages::read(&folder.join("Cargo.toml"))?;
    let path = file.strip_prefix(folder).ok()?;
    if let Some(target) = TABLES.iter().find_map(|(table, of)| listed(&manifest, table, *of, path))
    {
        return Some(CargoFile { target, is_main: true });
    }
    let parts: Option<Vec<&str>> = path.iter().map(|part| part.to_str()).collect();
    let package = || toml_text(&manifest, "package", "name");
    match parts?.as_slice() {
        ["src", "main.rs"] => {
            Some(CargoFile { target: CargoTarget::Bin(package()?), is_main: true })
        }
        ["src", "lib.rs"] => Some(CargoFile { target: CargoTarget::Lib, is_main: true }),
        ["src", "bin", inner @ ..] => in_folder(&folder.join("src/bin"), inner, CargoTarget::Bin),
        ["examples", inner @ ..] => {
            in_folder(&folder.join("examples"), inner, CargoTarget::Example)
        }
        ["tests", inner @ ..] => in_folder(&folder.join("tests"), inner, CargoTarget::Test),
        ["benches", inner @ ..] => in_folder(&folder.join("benches"), inner, CargoTarget::Bench),
        ["src", ..] => {
            let has_library = folder.join("src/lib.rs").is_file();
            let target = if has_library { CargoTarget::Lib } else { CargoTarget::Bin(package()?) };
            Some(CargoFile { target, is_main: false })
        }
        _ => None,
    }
}

/// The target with a table of its own whose main file is `path`.
fn listed(manifest: &str, table: &str, of: Named, path: &Path) -> Option<CargoTarget> {
    let is_listed = |listed: &str| Path::new(listed.trim_start_matches("./")) == path;
    toml_tables(manifest, table).into_iter().find_map(|target| {
        target.get("path")?.as_str().filter(|listed| is_listed(listed))?;
        Some(of(target.get("name")?.as_str()?.to_owned()))
    })
}

/// The target of a file in a folder whose files, and folders with a `main.rs`, are targets.
fn in_folder(folder: &Path, inner: &[&str], of: Named) -> Option<CargoFile> {
    match inner {
        [file] => {
            let name = file.strip_suffix(".rs")?.to_owned();
            Some(CargoFile { target: of(name), is_main: true })
        }
        [name, rest @ ..] if folder.join(name).join("main.rs").is_file() => {
            Some(CargoFile { target: of((*name).to_owned()), is_main: *rest == ["main.rs"] })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_file_is_part_of_the_target_that_cargo_builds_from_it() {
        let folder = tempfile::tempdir().unwrap();
        let manifest = "[package]\nname = \"words\"\n\n[[bin]]\nname = \"count\"\npath = \"tools/count.rs\"\n\n\
                        [[bench]]\nname = \"speed\"\nharness = false\n";
        fs::write(folder.path().join("Cargo.toml"), manifest).unwrap();
        let of = |path: &str| {
            let found = cargo_file(folder.path(), &folder.path().join(path))?;
            Some((found.target, found.is_main))
        };
        let bin = |name: &str| CargoTarget::Bin(name.to_owned());
        assert_eq!(of("src/main.rs"), Some((bin("words"), true)));
        assert_eq!(of("src/area.rs"), Some((bin("words"), false)));
        assert_eq!(of("tools/count.rs"), Some((bin("count"), true)));
        assert_eq!(of("benches/speed.rs"), Some((CargoTarget::Bench("speed".to_owned()), true)));
        assert_eq!(of("examples/a.rs"), Some((CargoTarget::Example("a".to_owned()), true)));
        assert_eq!(of("src/bin/b.rs"), Some((bin("b"), true)));
        assert_eq!(of("build.rs"), None);
        assert_eq!(of("tests/common/mod.rs"), None);
        fs::create_dir_all(folder.path().join("tests/all")).unwrap();
        fs::write(folder.path().join("tests/all/main.rs"), "").unwrap();
        let all = CargoTarget::Test("all".to_owned());
        assert_eq!(of("tests/all/main.rs"), Some((all.clone(), true)));
        assert_eq!(of("tests/all/more.rs"), Some((all, false)));
        fs::create_dir(folder.path().join("src")).unwrap();
        fs::write(folder.path().join("src/lib.rs"), "").unwrap();
        assert_eq!(of("src/area.rs"), Some((CargoTarget::Lib, false)));
        assert_eq!(cargo_file(&folder.path().join("src"), &folder.path().join("src/lib.rs")), None);
    }
}
