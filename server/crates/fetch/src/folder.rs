//! Folders of many pprof or folded files, which become one file.

use crate::answer::Fetched;
use crate::error::FetchError;
use crate::options::Options;
use crate::parts::{self, decode};
use crate::step::Step;
use formats::Limits;
use formats::merge::Part;
use sources::regular_file;
use std::fmt;
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

/// Merges the files in a folder and the folders in it.
pub(crate) fn merge(
    folder: &Path,
    options: &Options,
    observe: &mut dyn FnMut(Step),
) -> Result<Fetched, FetchError> {
    let mut unread = Vec::new();
    let paths = files(folder, &mut unread).map_err(|error| FetchError::Merge {
        path: folder.to_owned(),
        message: format!("cannot be listed: {error}"),
    })?;
    let files: Vec<File> = paths.into_iter().map(File).collect();
    let read = |File(path): &File| Ok(read(path));
    parts::merge(&folder.to_string_lossy(), &files, unread, &options.cuts(), &read, observe)
}

/// A file, which messages name by its path.
struct File(PathBuf);

impl fmt::Display for File {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.display().fmt(f)
    }
}

fn read(path: &Path) -> Result<Part, String> {
    let limit = Limits::default().max_inflated_bytes;
    let (file, metadata) = regular_file::open(path).map_err(|error| error.to_string())?;
    if metadata.len() > limit {
        return Err(format!("is larger than {limit} bytes"));
    }
    let mut bytes = Vec::new();
    file.take(limit).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    decode(bytes)
}

/// The files below a folder, ordered by path. Hidden ones are left out, and folders that are links,
/// which may lead back.
fn files(folder: &Path, unread: &mut Vec<(String, String)>) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut entries = fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        if entry.file_name().to_string_lossy().starts_with('.') {
            continue;
        }
        if entry.file_type()?.is_dir() {
            match files(&path, unread) {
                Ok(within) => found.extend(within),
                Err(error) => {
                    unread.push((path.display().to_string(), format!("cannot be listed: {error}")));
                }
            }
        } else if path.is_file() {
            found.push(path);
        }
    }
    Ok(found)
}
