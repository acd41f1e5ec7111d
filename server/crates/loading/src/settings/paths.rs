//! Paths and globs of the settings, in which variables stand for folders.

use globset::{Glob, GlobSet, GlobSetBuilder};
use std::path::{Component, Path, PathBuf};

/// A path of the settings, with its variables replaced. A relative one is in the first root.
pub fn in_first(path: &str, roots: &[PathBuf], home: Option<&Path>) -> PathBuf {
    let path = expanded(path, roots, home);
    match roots.first() {
        Some(first) if path.is_empty() => first.clone(),
        Some(first) => first.join(path),
        None => PathBuf::from(path),
    }
}

/// A path of the settings with `~` and VS Code's variables at its beginning replaced.
///
/// `${workspaceFolder}` alone becomes a relative path, which is tried in each root. Unknown
/// variables, and folders that do not exist, stay as they are and match no file.
pub fn expanded(to: &str, roots: &[PathBuf], home: Option<&Path>) -> String {
    let below = |folder: &Path, rest: &str| {
        let rest = rest.trim_start_matches(['/', '\\']);
        let path = if rest.is_empty() { folder.to_owned() } else { folder.join(rest) };
        path.to_string_lossy().into_owned()
    };
    let (variable, rest) = match to.strip_prefix("${").and_then(|text| text.split_once('}')) {
        Some(split) => split,
        None if to == "~" => ("userHome", ""),
        None if to.starts_with("~/") || to.starts_with("~\\") => ("userHome", &to[1..]),
        None => return to.to_owned(),
    };
    let folder = match variable {
        "workspaceFolder" | "workspaceRoot" => Some(Path::new("")),
        "userHome" => home,
        _ => variable.strip_prefix("workspaceFolder:").and_then(|name| {
            let root = roots.iter().find(|root| root.file_name().is_some_and(|f| f == name));
            root.map(PathBuf::as_path)
        }),
    };
    folder.map_or_else(|| to.to_owned(), |folder| below(folder, rest))
}

/// The globs of a setting that can match files in `root`, relative to it. `roots` and `home` replace
/// their variables.
pub fn globs_in(
    root: &Path,
    globs: &[String],
    roots: &[PathBuf],
    home: Option<&Path>,
) -> Vec<String> {
    let relative = |glob: &String| {
        let glob = PathBuf::from(expanded(glob, roots, home));
        let mut inside = glob.as_path();
        if inside.is_absolute() {
            inside = inside.strip_prefix(root).ok()?;
        }
        if let Ok(rest) = inside.strip_prefix(".") {
            inside = rest;
        }
        let is_outside = inside.components().next() == Some(Component::ParentDir);
        (!is_outside).then(|| inside.to_string_lossy().into_owned())
    };
    globs.iter().filter_map(relative).collect()
}

/// Whether a glob of the settings can match no file in the roots, if there are any.
pub fn is_outside(glob: &String, roots: &[PathBuf], home: Option<&Path>) -> bool {
    let glob = std::slice::from_ref(glob);
    !roots.is_empty() && roots.iter().all(|root| globs_in(root, glob, roots, home).is_empty())
}

/// A set of globs. Invalid ones match nothing; they were reported when the settings were parsed.
pub fn glob_set<'a>(globs: impl IntoIterator<Item = &'a str>) -> GlobSet {
    let mut set = GlobSetBuilder::new();
    for glob in globs.into_iter().filter_map(|glob| Glob::new(glob).ok()) {
        set.add(glob);
    }
    set.build().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn variables_are_replaced_by_folders() {
        let roots: [PathBuf; 2] = ["/w/shop".into(), "/w/api".into()];
        let table = [
            ("src", "src"),
            ("../api/src", "../api/src"),
            ("${workspaceFolder}", ""),
            ("${workspaceFolder}/src", "src"),
            ("${workspaceRoot}//src", "src"),
            ("${workspaceFolder:api}/src", "/w/api/src"),
            ("${workspaceFolder:api}", "/w/api"),
            ("${workspaceFolder:none}/src", "${workspaceFolder:none}/src"),
            ("${env:X}/src", "${env:X}/src"),
            ("${workspaceFolder", "${workspaceFolder"),
            ("~", "/home/me"),
            ("~/src", "/home/me/src"),
            ("${userHome}/src", "/home/me/src"),
            ("~other/src", "~other/src"),
            ("src/~", "src/~"),
        ];
        for (to, expected) in table {
            assert_eq!(expanded(to, &roots, Some(Path::new("/home/me"))), expected, "{to}");
        }
        assert_eq!(expanded("~/src", &roots, None), "~/src");
    }

    #[test]
    #[cfg(unix)]
    fn globs_are_relative_to_the_root_that_they_are_in() {
        let roots: [PathBuf; 2] = ["/home/me/shop".into(), "/w/api".into()];
        let home = Some(Path::new("/home/me"));
        let table = [
            ("*.folded", Some("*.folded"), Some("*.folded")),
            ("**/*.folded", Some("**/*.folded"), Some("**/*.folded")),
            ("./out/*.folded", Some("out/*.folded"), Some("out/*.folded")),
            ("${workspaceFolder}/out/*", Some("out/*"), Some("out/*")),
            ("${workspaceFolder:api}/out/*", None, Some("out/*")),
            ("/w/api/out/**", None, Some("out/**")),
            ("~/shop/*", Some("*"), None),
            ("/tmp/*", None, None),
            ("../*.folded", None, None),
        ];
        for (glob, in_shop, in_api) in table {
            for (root, expected) in roots.iter().zip([in_shop, in_api]) {
                let found = globs_in(root, &[glob.to_owned()], &roots, home);
                let expected: Vec<_> = expected.into_iter().collect();
                assert_eq!(found, expected, "{glob} in {}", root.display());
            }
        }
    }
}
