//! The commit that a profile was recorded at, and the commits that users name.

use super::RecordedTexts;
use crate::load::texts::git::{has_log, head_at, open, version};
use gix::{ObjectId, Repository};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// The shortest prefix of an id of a commit.
const MIN_ID: usize = 4;

/// The commit that was checked out when a profile was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commit {
    /// The id, in hexadecimal digits.
    pub id: String,
    /// Whether the recorded text of a source differs from its text in the commit.
    pub edited: bool,
}

impl Commit {
    /// The commit of the repository that contains `folder` (canonical) that was checked out at
    /// `time`. `None` without a repository or commits, or if its log begins later.
    pub fn at(folder: &Path, time: SystemTime, texts: &RecordedTexts) -> Option<Self> {
        let (repository, folder) = open(folder)?;
        let seconds = i64::try_from(time.duration_since(UNIX_EPOCH).ok()?.as_secs()).ok()?;
        let id = match head_at(&repository, seconds) {
            Some(id) => id,
            None if has_log(&repository) => return None,
            None => repository.head_id().ok()?.detach(),
        };
        let differs = |(path, text): (&Path, &str)| {
            let path = path.strip_prefix(&folder).ok();
            // Files that are not in the commit may be ignored ones.
            let committed = path.and_then(|path| version(&repository, id, path));
            committed.is_some_and(|committed| !is_same(&committed, text))
        };
        let edited = texts.known().any(|(path, recorded)| differs((path, &recorded.text)));
        Some(Self { id: id.to_string(), edited })
    }
}

/// Whether texts are the same apart from the ends of their lines, which Git may convert.
fn is_same(a: &str, b: &str) -> bool {
    a == b || a.lines().eq(b.lines())
}

/// The id, or the start of the id, of the commit that `revision` names in the repository that
/// contains `folder`: a branch, a tag, `HEAD`, an id, each followed by any number of `~N` and `^`.
/// The error is a message for users.
pub fn commit_named(folder: &Path, revision: &str) -> Result<String, String> {
    let Some((repository, _)) = open(folder) else {
        return Err(format!("git:{revision}: {} is not in a Git repository", folder.display()));
    };
    resolve(&repository, revision).ok_or_else(|| {
        format!(
            "git:{revision}: the repository has no such branch, tag or commit; fetch it, or choose \
             another revision"
        )
    })
}

fn resolve(repository: &Repository, revision: &str) -> Option<String> {
    let end = revision.find(['~', '^']).unwrap_or(revision.len());
    let (name, steps) = revision.split_at(end);
    let is_id = name.len() >= MIN_ID && name.bytes().all(|byte| byte.is_ascii_hexdigit());
    let named = repository.find_reference(name).ok();
    let named = named.and_then(|mut named| Some(named.peel_to_id().ok()?.detach()));
    let full = || ObjectId::from_hex(name.as_bytes()).ok();
    let id = match named.or_else(full) {
        Some(id) => id,
        None if is_id && steps.is_empty() => return Some(name.to_ascii_lowercase()),
        None => return None,
    };
    let mut id = repository.find_object(id).ok()?.peel_to_commit().ok()?.id;
    for _ in 0..parents(steps)? {
        let commit = repository.find_commit(id).ok()?;
        let parent = commit.parent_ids().next()?.detach();
        id = parent;
    }
    Some(id.to_string())
}

/// The number of first parents that `~2^` and the like go back. `None` if it is malformed.
fn parents(steps: &str) -> Option<usize> {
    let (mut n, mut rest) = (0_usize, steps);
    while let Some(step) = rest.chars().next() {
        rest = &rest[1..];
        let digits = rest.len() - rest.trim_start_matches(|it: char| it.is_ascii_digit()).len();
        let (number, after) = rest.split_at(digits);
        match step {
            '~' if digits > 0 => n = n.checked_add(number.parse().ok()?)?,
            '~' | '^' if digits == 0 => n = n.checked_add(1)?,
            _ => return None,
        }
        rest = after;
    }
    Some(n)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_to_parents() {
        assert_eq!(parents(""), Some(0));
        assert_eq!(parents("~2^~"), Some(4));
        assert_eq!(parents("^2"), None);
        assert_eq!(parents("^{tree}"), None);
    }

    #[test]
    fn git_may_convert_the_ends_of_lines() {
        assert!(is_same("a\r\nb\r\n", "a\nb\n"));
        assert!(!is_same("a\nb\n", "a\nc\n"));
    }
}
