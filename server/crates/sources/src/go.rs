//! The Go modules in the roots. `go build -trimpath` writes the import path instead of the folder:
//! `example.org/app/words/words.go`, or `example.org/app@v1.2.3/words/words.go` for a module that
//! was built by its version (see `go help build`).
//!
//! A `go.work` lists folders of modules. Those in the roots have a `go.mod`, the others are not
//! read.

use std::borrow::Cow;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::index::SourceIndex;
use crate::name::{Form, Name, key};
use crate::regular_file;

/// The limit for `go.mod` files that are read.
const MAX_MODULES: usize = 1000;

/// The limit for the size of a `go.mod` file, in bytes. `module` is usually its first directive.
const MAX_BYTES: u64 = 64 << 10;

/// The modules whose `go.mod` is in a root.
pub(crate) struct GoModules {
    /// Module path and folder, longest path first.
    modules: Vec<(String, PathBuf)>,
}

/// The files that a name can mean.
pub(crate) struct OfModule {
    /// Canonical.
    pub files: Vec<PathBuf>,
    /// Whether the module path has a domain, as every module that can be downloaded has. Without
    /// one it may also be the name of any folder.
    pub has_domain: bool,
}

impl GoModules {
    pub(crate) fn of(index: &SourceIndex) -> GoModules {
        let files = index.ending_with(&key("go.mod")).iter().take(MAX_MODULES);
        let mut modules: Vec<_> = files
            .filter_map(|file| {
                let path = index.canonical(&file.path)?;
                Some((module_path(&read(&path)?)?, path.parent()?.to_owned()))
            })
            .collect();
        modules.sort_unstable_by_key(|(path, _)| std::cmp::Reverse(path.len()));
        GoModules { modules }
    }

    /// The import path of the package in a folder (canonical): that of the innermost module.
    pub(crate) fn import_path(&self, folder: &Path) -> Option<String> {
        let around = self.modules.iter().filter(|(_, module)| folder.starts_with(module));
        let (path, module) = around.max_by_key(|(_, module)| module.components().count())?;
        let inside = folder.strip_prefix(module).ok()?.to_string_lossy().replace('\\', "/");
        Some(if inside.is_empty() { path.clone() } else { format!("{path}/{inside}") })
    }

    /// Whether a name may begin with a module path.
    pub(crate) fn is_candidate(name: &Name) -> bool {
        let text = import_name(&name.text);
        matches!(name.form, Form::Relative | Form::Dotted | Form::Library)
            && !text.starts_with('/')
            && !text.contains(':')
            && matches!(text.rsplit_once('.'), Some((_, "go" | "s")))
    }

    /// The files of the innermost module whose path a name begins with.
    pub(crate) fn find(&self, name: &Name, index: &SourceIndex) -> OfModule {
        let mut innermost = "";
        let mut files = Vec::new();
        for (module, folder) in &self.modules {
            if module.len() < innermost.len() {
                break;
            }
            if let Some(rest) = rest_of_module(&import_name(&name.text), module) {
                innermost = module;
                files.extend(index.canonical(&folder.join(rest)));
            }
        }
        let host = innermost.split('/').next().unwrap_or_default();
        OfModule { files, has_domain: host.contains('.') }
    }
}

/// The import path and file of a name: without the folder of the module cache, in whose names `!a` stands for
/// `A` (<https://go.dev/ref/mod#module-cache>), and without the folder of the build.
fn import_name(name: &str) -> Cow<'_, str> {
    let Some((_, cached)) = name.split_once("/pkg/mod/") else {
        return without_build_folder(name).into();
    };
    let mut parts = cached.split('!');
    let first = parts.next().unwrap_or_default().to_owned();
    parts
        .fold(first, |name, part| {
            let mut rest = part.chars();
            let capital = rest.next().map(|it| it.to_ascii_uppercase());
            name + &capital.map(String::from).unwrap_or_default() + rest.as_str()
        })
        .into()
}

/// A name without the `./` in front of it. `-trimpath` writes `.` as the folder of the build, and
/// readers of debug info put it before the import path.
pub(crate) fn without_build_folder(name: &str) -> &str {
    name.strip_prefix("./").unwrap_or(name)
}

/// The path below the module of a name, without the version.
fn rest_of_module<'n>(name: &'n str, module: &str) -> Option<&'n str> {
    let rest = name.strip_prefix(module)?;
    match rest.strip_prefix("@v") {
        Some(version) => version.split_once('/').map(|(_, rest)| rest),
        None => rest.strip_prefix('/'),
    }
}

/// The module of an import path, by the number of components that code hosts use for a repository:
/// `std` for the standard library, whose paths begin with a name without a dot. `None` for `main`,
/// which may be in any module.
pub(crate) fn module_of(import: &str) -> Option<String> {
    let host = import.split('/').next().unwrap_or_default();
    if !host.contains('.') {
        return (!import.is_empty() && import != "main").then(|| "std".to_owned());
    }
    // `gopkg.in/yaml.v3`, but `gopkg.in/user/package.v1`.
    let has_version = || import.split('/').nth(1).is_some_and(|name| name.contains(".v"));
    let n = match host {
        "gopkg.in" if has_version() => 2,
        "github.com" | "gitlab.com" | "bitbucket.org" | "golang.org" | "gopkg.in" => 3,
        _ => 2,
    };
    Some(import.split('/').take(n).collect::<Vec<_>>().join("/"))
}

fn read(path: &Path) -> Option<String> {
    let mut bytes = Vec::new();
    regular_file::open(path).ok()?.0.take(MAX_BYTES).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The path in the `module` directive (<https://go.dev/ref/mod#go-mod-file-module>).
pub(crate) fn module_path(text: &str) -> Option<String> {
    let mut lines = text.lines().map(|line| line.split("//").next().unwrap_or_default().trim());
    lines.find_map(|line| {
        let path = line.strip_prefix("module")?;
        let path = path.strip_prefix(char::is_whitespace)?.trim().trim_matches(['"', '`']);
        let is_path = !path.is_empty() && !path.contains([' ', '\t', '(', '\\']);
        is_path.then(|| path.trim_end_matches('/').to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_module_directive() {
        let table = [
            ("module example.org/app\n\ngo 1.22\n", Some("example.org/app")),
            (
                "// module no\n\nmodule\t\"example.org/app\" // Deprecated: x\n",
                Some("example.org/app"),
            ),
            ("go 1.22\r\nmodule app\r\n", Some("app")),
            ("modules example.org/app\n", None),
            ("module\n", None),
            ("", None),
        ];
        for (text, expected) in table {
            assert_eq!(module_path(text).as_deref(), expected, "{text:?}");
        }
    }

    #[test]
    fn names_in_the_module_cache_are_import_paths() {
        let table = [
            (
                "/root/go/pkg/mod/github.com/!burnt!sushi/toml@v1.2.0/x.go",
                "github.com/BurntSushi/toml@v1.2.0/x.go",
            ),
            (
                "C:/Users/a/go/pkg/mod/example.org/app@v1.0.0/a/b.go",
                "example.org/app@v1.0.0/a/b.go",
            ),
            ("./example.org/app/b.go", "example.org/app/b.go"),
            ("/srv/app/b.go", "/srv/app/b.go"),
        ];
        for (name, expected) in table {
            assert_eq!(import_name(name), expected);
        }
    }

    #[test]
    fn strips_module_and_version() {
        let table = [
            ("example.org/app/a/b.go", Some("a/b.go")),
            ("example.org/app@v1.2.3/a/b.go", Some("a/b.go")),
            ("example.org/app@v0.0.0-20240101000000-0123456789ab/b.go", Some("b.go")),
            ("example.org/app/v2@v2.0.0/b.go", Some("v2@v2.0.0/b.go")),
            ("example.org/application/b.go", None),
            ("example.org/app@latest/b.go", None),
            ("example.org/app", None),
        ];
        for (name, expected) in table {
            assert_eq!(rest_of_module(name, "example.org/app"), expected, "{name}");
        }
    }
}
