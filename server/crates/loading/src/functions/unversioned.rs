//! Paths without versions, so that the files of a library are the same in its next release.

use sources::without_version;

/// What separates a name and its version.
const SEPARATORS: [char; 3] = ['-', '_', '@'];
/// Hexadecimal numbers of this length are hashes. Those of Cargo's registries are the shortest.
const MIN_HASH: usize = 16;

/// The path of a file without the versions and hashes in the names of its folders: `serde/src/lib.rs`
/// of `serde-1.0.0/src/lib.rs`, `/rustc/library/x.rs` of `/rustc/HASH/library/x.rs`. The version at the end
/// of `git:host/repository:path:version` is removed, too. The version of a folder has a dot, because
/// folders often have numbers for other reasons.
pub fn unversioned(path: &str) -> String {
    let path = without_version(path);
    let Some((folders, name)) = path.rsplit_once(['/', '\\']) else { return path.to_owned() };
    let mut rest = String::with_capacity(path.len());
    for folder in folders.split(['/', '\\']) {
        let left = without_hash(without_release(folder));
        if folder.is_empty() || !left.is_empty() {
            rest.push_str(left);
            rest.push('/');
        }
    }
    rest.push_str(name);
    rest
}

/// `y` of `y@v1.0.0`, `serde` of `serde-1.0.0-rc.1`, `python` of `python3.11`, nothing of `3.1.0`.
fn without_release(folder: &str) -> &str {
    let mut dots = folder.match_indices('.').map(|(dot, _)| folder.split_at(dot));
    let is_digit = |c: char| c.is_ascii_digit();
    let is_version = |(before, after): &(&str, &str)| {
        before.ends_with(is_digit) && after.trim_start_matches('.').starts_with(is_digit)
    };
    let Some((before, _)) = dots.find(is_version) else { return folder };
    let name = before.trim_end_matches(is_digit);
    let without_v = name.strip_suffix('v');
    let without_v = without_v.filter(|rest| rest.is_empty() || rest.ends_with(SEPARATORS));
    without_v.unwrap_or(name).trim_end_matches(SEPARATORS)
}

/// `index.crates.io` of `index.crates.io-6f17d22bba15001f`, nothing of a hash alone.
fn without_hash(folder: &str) -> &str {
    let word = folder.rsplit(SEPARATORS).next().unwrap_or_default();
    let is_hash = word.len() >= MIN_HASH && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    match folder.strip_suffix(word) {
        Some(name) if is_hash => name.trim_end_matches(SEPARATORS),
        _ => folder,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_and_hashes_of_folders_are_removed() {
        for (path, expected) in [
            ("/root/go/pkg/mod/github.com/x/y@v1.0.0/p.go", "/root/go/pkg/mod/github.com/x/y/p.go"),
            ("golang.org/x/text@v0.3.0-20200101-ab12/a.go", "golang.org/x/text/a.go"),
            ("/usr/lib/go-1.20/src/sort/sort.go", "/usr/lib/go/src/sort/sort.go"),
            ("/usr/local/go1.20.3/src/a.go", "/usr/local/go/src/a.go"),
            ("/usr/lib/python3.11/json/decoder.py", "/usr/lib/python/json/decoder.py"),
            ("/usr/lib/ruby/3.1.0/set.rb", "/usr/lib/ruby/set.rb"),
            ("/opt/node/v18.19.1/lib/fs.js", "/opt/node/lib/fs.js"),
            (
                "/r/index.crates.io-6f17d22bba15001f/serde-1.0.0-rc.1/src/lib.rs",
                "/r/index.crates.io/serde/src/lib.rs",
            ),
            ("/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/a.rs", "/rustc/library/a.rs"),
            (r"C:\go\y@v1.0.0\p.go", "C:/go/y/p.go"),
            (
                "git:github.com/rust-lang/rust:library/core/a.rs:59807616e1fa",
                "git:github.com/rust-lang/rust:library/core/a.rs",
            ),
        ] {
            assert_eq!(unversioned(path), expected);
        }
    }

    #[test]
    fn other_numbers_stay() {
        for path in [
            "src/v1/handler.go",
            "src/day-12/main.rs",
            "lib/x86_64-linux-gnu/sha-256.c",
            "lib/app-1.2.js",
            "../a/./b//c.py",
            "deadbeef/a.c",
            "a.c",
            "/a.c",
            "",
        ] {
            assert_eq!(unversioned(path), path);
        }
    }
}
