//! Whether a disk answers. A network mount without its server blocks every call about it for good.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// How long an answer may take.
const DEADLINE: Duration = Duration::from_secs(2);

/// The folders that have not answered in time. They are not asked again until they do, because each
/// question keeps a thread waiting.
static STALLED: Mutex<Option<HashSet<PathBuf>>> = Mutex::new(None);

/// Whether the disk with a folder answers. An answer that there is no such folder is one.
pub fn answers(folder: &Path) -> bool {
    if with_stalled(|stalled| stalled.contains(folder)) {
        return false;
    }
    let (sender, answer) = channel();
    let asked = folder.to_owned();
    let thread = std::thread::Builder::new().spawn(move || {
        let _ = asked.metadata();
        with_stalled(|stalled| {
            // Nobody waits any more if the answer is too late.
            let _ = sender.send(());
            stalled.remove(&asked)
        });
    });
    if thread.is_err() || answer.recv_timeout(DEADLINE).is_ok() {
        return true;
    }
    // The answer may have come at the last moment. It comes while nobody else looks at the set.
    with_stalled(|stalled| {
        let answered = answer.try_recv().is_ok();
        if !answered {
            stalled.insert(folder.to_owned());
        }
        answered
    })
}

fn with_stalled(act: impl FnOnce(&mut HashSet<PathBuf>) -> bool) -> bool {
    let mut stalled = STALLED.lock().unwrap_or_else(PoisonError::into_inner);
    act(stalled.get_or_insert_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_answer_whether_they_exist_or_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("gone");
        for folder in [folder.path(), &path, folder.path()] {
            assert!(answers(folder));
        }
    }

    #[test]
    fn a_folder_may_be_asked_about_several_times_at_once() {
        let folder = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            let all: Vec<_> = (0..16).map(|_| scope.spawn(|| answers(folder.path()))).collect();
            assert!(all.into_iter().all(|one| one.join().unwrap()));
        });
    }

    #[test]
    fn a_folder_that_has_not_answered_is_not_asked_again() {
        let path = Path::new("/no/such/mount");
        with_stalled(|stalled| stalled.insert(path.to_owned()));
        assert!(!answers(path));
        with_stalled(|stalled| stalled.remove(path));
        assert!(answers(path));
    }
}
