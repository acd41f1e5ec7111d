//! Whether a disk answers. A network mount without its server blocks every call about it for good.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// How long an answer may take.
const DEADLINE: Duration = Duration::from_secs(2);

/// The folders that were asked about and have not answered. They are not asked again until they do,
/// because each question keeps a thread waiting.
static WAITING: Mutex<Option<HashSet<PathBuf>>> = Mutex::new(None);

/// Whether the disk with a folder answers. An answer that there is no such folder is one.
pub fn answers(folder: &Path) -> bool {
    if !change(|waiting| waiting.insert(folder.to_owned())) {
        return false;
    }
    let (sender, answer) = channel();
    let asked = folder.to_owned();
    let thread = std::thread::Builder::new().spawn(move || {
        let _ = asked.metadata();
        change(|waiting| waiting.remove(&asked));
        // The answer may be too late.
        let _ = sender.send(());
    });
    if thread.is_err() {
        change(|waiting| waiting.remove(folder));
        return true;
    }
    answer.recv_timeout(DEADLINE).is_ok()
}

fn change(act: impl FnOnce(&mut HashSet<PathBuf>) -> bool) -> bool {
    let mut waiting = WAITING.lock().unwrap_or_else(PoisonError::into_inner);
    act(waiting.get_or_insert_default())
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
    fn a_folder_that_has_not_answered_is_not_asked_again() {
        let path = Path::new("/no/such/mount");
        change(|waiting| waiting.insert(path.to_owned()));
        assert!(!answers(path));
        change(|waiting| waiting.remove(path));
        assert!(answers(path));
    }
}
