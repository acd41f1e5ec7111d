//! The user's choices for each workspace folder, in the user's state folder, for the next server.
//!
//! ```text
//! views/HASH   a `State` as JSON, named by the hash of the path of the workspace folder
//! ```
//!
//! Only the user can read the files. Nothing is written to the workspace. A file that is missing or
//! damaged is ignored.

use crate::session::state::{State, parse};
use loading::private_files::{files, hex, state_folder, write};
use loading::stamp::content_hash;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The maximum number of workspace folders with saved choices. Above it, those that were changed
/// the longest time ago are removed.
const MAX_FILES: usize = 500;

/// The maximum length of a file in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// The saved choices of all workspace folders.
#[derive(Debug)]
pub struct SavedViews {
    folder: PathBuf,
    max_files: usize,
}

impl SavedViews {
    /// Those in the user's state folder. `None` if there is no such folder, or the user switched it
    /// off.
    pub fn of_user() -> Option<Self> {
        Some(Self::new(&state_folder()?.join("views")))
    }

    /// Those in a folder, which need not exist.
    pub fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), max_files: MAX_FILES }
    }

    /// The choices that were saved for a workspace folder.
    pub fn read(&self, root: &Path) -> Option<State> {
        let path = self.path(root);
        let is_small = fs::metadata(&path).ok()?.len() <= MAX_BYTES;
        let text = is_small.then(|| fs::read_to_string(path).ok())??;
        // The file says which folder it is for, because hashes are not unique.
        parse(&text).ok().filter(|state| state.root.as_deref() == Some(root))
    }

    /// Saves the choices for a workspace folder. `None` removes those that were saved.
    pub fn write(&self, root: &Path, state: Option<State>) -> io::Result<()> {
        let Some(mut state) = state else {
            return match fs::remove_file(self.path(root)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            };
        };
        state.root = Some(root.to_owned());
        let bytes = serde_json::to_vec(&state)?;
        if bytes.len() as u64 > MAX_BYTES {
            return Err(io::Error::other("the view is too large to be saved"));
        }
        write(&self.folder, &name(root), &bytes)?;
        self.evict()
    }

    fn path(&self, root: &Path) -> PathBuf {
        self.folder.join(name(root))
    }

    /// Removes the files that were changed the longest time ago until there are few enough.
    fn evict(&self) -> io::Result<()> {
        let mut files = files(&self.folder)?;
        if files.len() > self.max_files {
            files.sort_by_key(|file| file.modified);
            let surplus = files.len() - self.max_files;
            files.iter().take(surplus).for_each(|file| drop(fs::remove_file(&file.path)));
        }
        Ok(())
    }
}

fn name(root: &Path) -> String {
    hex(content_hash(root.as_os_str().as_encoded_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, SystemTime};

    fn state(metric: &str) -> State {
        parse(&format!(r#"{{"v":1,"metric":"{metric}"}}"#)).unwrap()
    }

    fn metric(views: &SavedViews, root: &str) -> Option<String> {
        views.read(Path::new(root))?.overrides.metric
    }

    #[test]
    fn each_folder_has_its_own_view_until_it_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let views = SavedViews::new(&folder.path().join("views"));
        let (a, b) = (Path::new("/w/a"), Path::new("/w/b"));
        views.write(a, None).unwrap();
        views.write(a, Some(state("cpu"))).unwrap();
        views.write(b, Some(state("bytes"))).unwrap();
        views.write(a, Some(state("time"))).unwrap();
        let found = || ["/w/a", "/w/b", "/w"].map(|root| metric(&views, root));
        assert_eq!(found(), [Some("time".to_owned()), Some("bytes".to_owned()), None]);
        views.write(a, None).unwrap();
        assert_eq!(found(), [None, Some("bytes".to_owned()), None]);
    }

    #[test]
    fn damaged_files_and_those_of_other_folders_are_ignored() {
        let folder = tempfile::tempdir().unwrap();
        let views = SavedViews::new(folder.path());
        let (a, b) = (Path::new("/w/a"), Path::new("/w/b"));
        views.write(a, Some(state("cpu"))).unwrap();
        fs::rename(views.path(a), views.path(b)).unwrap();
        assert_eq!(metric(&views, "/w/b"), None);
        for text in ["", "{}", r#"{"v":99,"root":"/w/b"}"#] {
            fs::write(views.path(b), text).unwrap();
            assert_eq!(metric(&views, "/w/b"), None, "{text}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn only_the_user_can_read_views() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let views = SavedViews::new(&folder.path().join("views"));
        views.write(Path::new("/w"), Some(state("cpu"))).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&views.folder), 0o700);
        assert_eq!(mode(&views.path(Path::new("/w"))), 0o600);
    }

    #[test]
    fn the_oldest_views_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let views = SavedViews { max_files: 2, ..SavedViews::new(folder.path()) };
        for (root, minutes) in [("/w/a", 20), ("/w/b", 30), ("/w/c", 0)] {
            views.write(Path::new(root), Some(state("cpu"))).unwrap();
            let file = fs::File::open(views.path(Path::new(root))).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs(60 * minutes)).unwrap();
        }
        let found = ["/w/a", "/w/b", "/w/c"].map(|root| metric(&views, root).is_some());
        assert_eq!(found, [true, false, true]);
    }
}
