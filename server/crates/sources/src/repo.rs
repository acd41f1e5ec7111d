//! The repositories that a folder is a checkout of: the remotes in its `.git/config` or `.hg/hgrc`.
//!
//! No other file is read. In a linked work tree, `.git` is a file that refers to another folder, so
//! it has no known remote.

use std::fs;
use std::path::Path;

/// The remotes of the checkout in `root`, as `host/path` in lower case without `.git`.
pub(crate) fn remotes(root: &Path) -> Vec<String> {
    let config = |inside: &str| {
        let path = root.join(inside);
        // A symlink may lead out of the root, and opening a pipe waits for a writer.
        let is_file = path.symlink_metadata().is_ok_and(|meta| meta.is_file());
        is_file.then(|| fs::read_to_string(&path).ok()).flatten()
    };
    let is_folder =
        |inside: &str| root.join(inside).symlink_metadata().is_ok_and(|meta| meta.is_dir());
    let git = is_folder(".git").then(|| config(".git/config")).flatten();
    let hg = is_folder(".hg").then(|| config(".hg/hgrc")).flatten();
    [git, hg].iter().flatten().flat_map(|text| text.lines()).filter_map(remote).collect()
}

/// Whether a folder called `folder` with these remotes is a checkout of `repo` (`host/path`): one
/// of the remotes is that repository, or the folder has its name and so has a remote (a fork), or
/// the folder has its name and no remote.
pub(crate) fn is_checkout(repo: &str, folder: &str, remotes: &[String]) -> bool {
    let repo = repo.to_ascii_lowercase();
    let name = last(&repo);
    let same_name =
        || folder.eq_ignore_ascii_case(name) && remotes.iter().any(|remote| last(remote) == name);
    let only_folder = || folder.eq_ignore_ascii_case(name) && remotes.is_empty();
    !name.is_empty() && (remotes.contains(&repo) || same_name() || only_folder())
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
        for (folder, remotes, expected) in table {
            let remotes: Vec<String> = remotes.iter().map(ToString::to_string).collect();
            let found = is_checkout("github.com/rust-lang/rust", folder, &remotes);
            assert_eq!(found, expected, "{folder} {remotes:?}");
        }
        assert!(!is_checkout("", "", &[]));
    }
}
