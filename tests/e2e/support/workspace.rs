//! A temporary folder for a server.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use lsp_types::Url;
use tempfile::TempDir;

/// A folder with files, removed when dropped. Paths given are relative to it, with `/`. Paths
/// returned are absolute, with symbolic links resolved.
pub struct Workspace {
    root: PathBuf,
    _folder: TempDir,
}

impl Workspace {
    /// An empty folder.
    pub fn new() -> Self {
        Self::within(&std::env::temp_dir())
    }

    /// An empty folder in another one.
    pub fn within(parent: &Path) -> Self {
        let folder = tempfile::Builder::new().prefix("costline-e2e-").tempdir_in(parent);
        let folder = folder.unwrap_or_else(|error| panic!("no temporary folder: {error}"));
        let root = fs::canonicalize(folder.path())
            .unwrap_or_else(|error| panic!("no temporary folder: {error}"));
        Self { root, _folder: folder }
    }

    /// A folder with these files.
    pub fn with<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let workspace = Self::new();
        for (path, text) in files {
            workspace.write(path, text);
        }
        workspace
    }

    /// The folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The folder's URI.
    pub fn root_uri(&self) -> String {
        uri(&self.root)
    }

    /// The absolute path of `path`, which need not exist.
    pub fn path(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    /// The URI of `path`.
    pub fn uri(&self, path: &str) -> String {
        uri(&self.path(path))
    }

    /// Writes a file in place, and creates its parent folders.
    pub fn write(&self, path: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(path);
        done(&path, path.parent().map_or(Ok(()), fs::create_dir_all));
        done(&path, fs::write(&path, content));
        path
    }

    /// Writes a file beside its path and renames it over the path, like careful tools do.
    pub fn rename_over(&self, path: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let beside = self.write(&format!("{path}.new"), content);
        let path = self.path(path);
        done(&path, fs::rename(beside, &path));
        path
    }

    /// Copies a file to `path`, for example from `fixtures/`.
    pub fn copy(&self, from: &Path, path: &str) -> PathBuf {
        let content = fs::read(from).unwrap_or_else(|error| panic!("{}: {error}", from.display()));
        self.write(path, content)
    }

    /// Removes a file.
    pub fn remove(&self, path: &str) {
        let path = self.path(path);
        done(&path, fs::remove_file(&path));
    }
}

/// Sets the modification time of a file to `age` ago.
pub fn set_age(path: &Path, age: Duration) {
    let file = fs::File::options().write(true).open(path);
    done(path, file.and_then(|file| file.set_modified(SystemTime::now() - age)));
}

/// The `file:` URI of an absolute path.
pub fn uri(path: &Path) -> String {
    Url::from_file_path(path)
        .unwrap_or_else(|()| panic!("{} is not absolute", path.display()))
        .into()
}

fn done(path: &Path, outcome: std::io::Result<()>) {
    outcome.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}
