//! The folders that Git keeps for a checkout, if it is safe to read them.
//!
//! A `.git` file, `commondir` and `objects/info/alternates` name other folders, and whatever reads a
//! repository opens these files as they are. A named pipe would wait for a writer, and a path of
//! another machine would be asked there.

use std::fs;
use std::path::{Path, PathBuf};

use crate::name::is_network_path;
use crate::regular_file;

/// The size of the largest file with paths that is read, in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// The files that are read whenever a repository is opened.
const READ_FIRST: [&str; 8] = [
    "HEAD",
    "config",
    "config.worktree",
    "packed-refs",
    "shallow",
    "logs/HEAD",
    "commondir",
    "objects/info/alternates",
];

/// The folders of a checkout.
#[derive(Debug)]
pub struct GitFolders {
    /// That of the working tree.
    pub own: PathBuf,
    /// That of all working trees of the repository. It may be the same.
    pub common: PathBuf,
}

impl GitFolders {
    /// Those of the checkout whose top folder is `top`. `None` if there are none, or if reading them
    /// might wait.
    pub fn of(top: &Path) -> Option<Self> {
        let dot_git = top.join(".git");
        let own = if fs::metadata(&dot_git).ok()?.is_dir() {
            dot_git
        } else {
            let text = read(&dot_git)?;
            named(top, text.lines().next()?.strip_prefix("gitdir: ")?)?
        };
        if !is_safe(&own) {
            return None;
        }
        let common = own.join("commondir");
        let common = if common.exists() {
            named(&own, read(&common)?.lines().next()?)?
        } else {
            own.clone()
        };
        is_safe(&common).then_some(Self { own, common })
    }
}

/// A folder that a file in `folder` names.
fn named(folder: &Path, name: &str) -> Option<PathBuf> {
    let name = name.trim_end();
    (!is_network_path(name)).then(|| folder.join(name))
}

/// Whether the files that are read first are regular ones, and name no other machine.
fn is_safe(folder: &Path) -> bool {
    let is_regular =
        |name: &str| fs::metadata(folder.join(name)).map_or(true, |file| file.is_file());
    READ_FIRST.into_iter().all(is_regular) && {
        let others = read(&folder.join("objects/info/alternates")).unwrap_or_default();
        !others.lines().any(is_network_path)
    }
}

fn read(path: &Path) -> Option<String> {
    let bytes = regular_file::read(path, MAX_BYTES).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checkout(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        folder
    }

    #[test]
    fn follows_the_file_of_a_linked_work_tree() {
        let files = [
            ("tree/.git", "gitdir: ../main/.git/worktrees/tree\n"),
            ("main/.git/HEAD", ""),
            ("main/.git/worktrees/tree/commondir", "../..\n"),
        ];
        let folder = checkout(&files);
        let folders = GitFolders::of(&folder.path().join("tree")).unwrap();
        let same = |path: &Path, name: &str| {
            assert_eq!(
                path.canonicalize().unwrap(),
                folder.path().join(name).canonicalize().unwrap()
            );
        };
        same(&folders.own, "main/.git/worktrees/tree");
        same(&folders.common, "main/.git");
        let main = GitFolders::of(&folder.path().join("main")).unwrap();
        assert_eq!(main.own, main.common);
        assert!(GitFolders::of(folder.path()).is_none());
    }

    #[test]
    fn asks_no_other_machine() {
        let other = r"\\server\share\repository";
        for name in [".git", ".git/commondir", ".git/objects/info/alternates"] {
            let text = if name == ".git" { format!("gitdir: {other}") } else { other.to_owned() };
            assert!(GitFolders::of(checkout(&[(name, &text)]).path()).is_none(), "{name}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn pipes_are_not_opened() {
        for name in ["HEAD", "commondir", "config.worktree", "objects/info/alternates"] {
            let folder = checkout(&[(".git/objects/info/x", "")]);
            assert!(GitFolders::of(folder.path()).is_some());
            let pipe = folder.path().join(".git").join(name);
            assert!(std::process::Command::new("mkfifo").arg(pipe).status().unwrap().success());
            assert!(GitFolders::of(folder.path()).is_none(), "{name}");
        }
    }
}
