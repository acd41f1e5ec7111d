//! Finds the top folder of a project.

use std::path::{Path, PathBuf};

/// Files and folders that mark the top folder of a project. `.costline` has the sources of `costline fetch` and
/// profiles. Folders named `profiles` are also modules of programs, so they mark none.
pub const MARKERS: [&str; 17] = [
    ".costline",
    ".git",
    ".hg",
    "Cargo.toml",
    "package.json",
    "tsconfig.json",
    "go.mod",
    "pyproject.toml",
    "setup.py",
    "requirements.txt",
    "Gemfile",
    "CMakeLists.txt",
    "meson.build",
    "Makefile",
    "pom.xml",
    "build.gradle",
    "composer.json",
];

/// The nearest folder above `path` (absolute) that contains one of [`MARKERS`]. Neither the home
/// folder, a folder above it, nor `/`.
pub fn project_above(path: &Path) -> Option<PathBuf> {
    project_at(path.parent()?)
}

/// Like [`project_above`], but `folder` (absolute) itself may be the project.
pub fn project_at(folder: &Path) -> Option<PathBuf> {
    project_below(std::env::home_dir().as_deref(), folder)
}

fn project_below(home: Option<&Path>, folder: &Path) -> Option<PathBuf> {
    folder
        .ancestors()
        .take_while(|folder| folder.parent().is_some() && Some(*folder) != home)
        .find(|folder| MARKERS.iter().any(|marker| folder.join(marker).exists()))
        .map(Path::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_home_folder_is_not_a_project() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().join("home");
        std::fs::create_dir_all(home.join("notes")).unwrap();
        std::fs::write(home.join("package.json"), "{}").unwrap();
        assert_eq!(project_below(Some(&home), &home.join("notes")), None);
        assert_eq!(project_below(None, &home.join("notes")), Some(home));
    }

    #[test]
    fn finds_the_nearest_project() {
        let dir = tempfile::tempdir().unwrap();
        let inner = dir.path().join("outer/inner/src");
        std::fs::create_dir_all(&inner).unwrap();
        assert_eq!(
            project_above(&inner.join("a.rs")).filter(|root| root.starts_with(dir.path())),
            None
        );
        std::fs::write(dir.path().join("outer/go.mod"), "").unwrap();
        assert_eq!(project_above(&inner.join("a.rs")), Some(dir.path().join("outer")));
        std::fs::write(dir.path().join("outer/inner/Cargo.toml"), "").unwrap();
        assert_eq!(project_above(&inner.join("a.rs")), Some(dir.path().join("outer/inner")));
        assert_eq!(
            project_at(&dir.path().join("outer/inner")),
            Some(dir.path().join("outer/inner"))
        );
    }
}
