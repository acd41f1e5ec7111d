//! The repository that a folder is in: the top of the checkout, and the remotes in its `.git/config`
//! or `.hg/hgrc`.
//!
//! No other file is read. In a linked work tree, `.git` is a file that refers to another folder, so
//! it has no known remote.

use std::path::Path;

use crate::name::{IGNORES_CASE, rest_below};
use crate::regular_file;

/// A repository that is checked out in a folder or above it.
#[derive(Debug)]
pub(crate) struct Checkout {
    /// The name of the top folder.
    name: String,
    /// The remotes, as `host/path` in lower case without `.git`.
    remotes: Vec<String>,
    /// The path of the folder in the repository, joined by `/`. Empty for the top.
    inside: String,
}

impl Checkout {
    /// The repository of a folder, given by its canonical path. A folder that is in none counts as
    /// the top of one without remotes, because sources are also unpacked from archives.
    pub fn of(folder: &Path) -> Checkout {
        let is_top = |path: &&Path| [".git", ".hg"].iter().any(|name| path.join(name).exists());
        let top = folder.ancestors().find(is_top).unwrap_or(folder);
        let name = top.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let inside = folder.strip_prefix(top).unwrap_or(Path::new("")).components();
        let inside: Vec<_> = inside.map(|folder| folder.as_os_str().to_string_lossy()).collect();
        Checkout { name, remotes: remotes(top), inside: inside.join("/") }
    }

    /// Whether this is a checkout of `repo` (`host/path`): one of the remotes is that repository,
    /// or the top folder has its name and so has a remote (a fork), or the top folder has its name
    /// and no remote.
    pub fn is_of(&self, repo: &str) -> bool {
        let repo = repo.to_ascii_lowercase();
        let name = last(&repo);
        let has_name = self.name.eq_ignore_ascii_case(name);
        let is_fork = || has_name && self.remotes.iter().any(|remote| last(remote) == name);
        let is_unknown = || has_name && self.remotes.is_empty();
        !name.is_empty() && (self.has_remote(&repo) || is_fork() || is_unknown())
    }

    /// Whether one of the remotes is `repo`.
    pub fn has_remote(&self, repo: &str) -> bool {
        self.remotes.iter().any(|remote| remote.eq_ignore_ascii_case(repo))
    }

    /// Whether the folder is the top of the repository.
    pub fn is_top(&self) -> bool {
        self.inside.is_empty()
    }

    /// A path in the repository, relative to the folder. `None` if it is not below the folder.
    pub fn below<'p>(&self, path: &'p str) -> Option<&'p str> {
        if self.is_top() {
            return Some(path);
        }
        rest_below(path, &self.inside, IGNORES_CASE).map(|rest| rest.trim_start_matches('/'))
    }
}

/// The size of the largest file with settings that is read, in bytes.
const MAX_CONFIG: u64 = 1 << 20;

/// The remotes of the repository with the top folder `top`.
fn remotes(top: &Path) -> Vec<String> {
    let config = |inside: &str| {
        let path = top.join(inside);
        // A symlink may lead out of the folder, and opening a pipe waits for a writer.
        let is_file = path.symlink_metadata().is_ok_and(|meta| meta.is_file());
        is_file.then(|| regular_file::read_to_string(&path, MAX_CONFIG).ok()).flatten()
    };
    let is_folder =
        |inside: &str| top.join(inside).symlink_metadata().is_ok_and(|meta| meta.is_dir());
    let git = is_folder(".git").then(|| config(".git/config")).flatten();
    let hg = is_folder(".hg").then(|| config(".hg/hgrc")).flatten();
    [git, hg].iter().flatten().flat_map(|text| text.lines()).filter_map(remote).collect()
}

/// Parses `url = https://user@host:443/path.git/`, `url = git@host:path.git` or `default =
/// ssh://host/path`.
fn remote(line: &str) -> Option<String> {
    let (setting, url) = line.split_once('=')?;
    if !matches!(setting.trim(), "url" | "default") {
        return None;
    }
    let url = url.trim();
    let (host, path) = match url.split_once("://") {
        Some((_scheme, rest)) => rest.split_once('/')?,
        None => url.split_once(':')?,
    };
    let host = host.rsplit('@').next().unwrap_or_default();
    let host = host.split(':').next().unwrap_or_default();
    let path = path.trim_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path);
    Some(format!("{host}/{path}").to_ascii_lowercase())
}

fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reduces_remotes_to_host_and_path() {
        let table = [
            ("\turl = https://github.com/rust-lang/rust.git", Some("github.com/rust-lang/rust")),
            ("url=https://me:token@Github.com:443/a/b/", Some("github.com/a/b")),
            ("url = git@github.com:a/b.git", Some("github.com/a/b")),
            ("url = ssh://git@host:22/a/b", Some("host/a/b")),
            (
                "default = https://hg.mozilla.org/mozilla-central",
                Some("hg.mozilla.org/mozilla-central"),
            ),
            ("url = /srv/git/b.git", None),
            ("pushurl = https://github.com/a/b", None),
            ("[remote \"origin\"]", None),
        ];
        for (line, expected) in table {
            assert_eq!(remote(line).as_deref(), expected, "{line}");
        }
    }

    fn checkout(name: &str, remotes: &[&str], inside: &str) -> Checkout {
        let remotes = remotes.iter().map(ToString::to_string).collect();
        Checkout { name: name.to_owned(), remotes, inside: inside.to_owned() }
    }

    #[test]
    fn the_folder_name_counts_unless_the_remotes_have_other_names() {
        let table: [(&str, &[&str], bool); 6] = [
            ("rust", &[], true),
            ("mine", &[], false),
            ("mine", &["github.com/rust-lang/rust"], true),
            ("rust", &["github.com/me/rust"], true),
            ("rust", &["github.com/me/rust-playground"], false),
            ("mine", &["github.com/me/rust"], false),
        ];
        for (name, remotes, expected) in table {
            let found = checkout(name, remotes, "").is_of("github.com/rust-lang/rust");
            assert_eq!(found, expected, "{name} {remotes:?}");
        }
        assert!(!checkout("", &[], "").is_of(""));
    }

    #[test]
    fn paths_are_relative_to_the_top() {
        let table = [
            ("", "js/src/vm.cpp", Some("js/src/vm.cpp")),
            ("js/src", "js/src/vm.cpp", Some("vm.cpp")),
            ("js/src", "js/src/jit/x.cpp", Some("jit/x.cpp")),
            ("js/src", "js/src2/vm.cpp", None),
            ("js/src", "src/vm.cpp", None),
        ];
        for (inside, path, expected) in table {
            assert_eq!(checkout("gecko", &[], inside).below(path), expected, "{inside} {path}");
        }
    }
}
