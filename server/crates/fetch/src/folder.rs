//! Folders of many pprof or folded files, which become one file.
//!
//! Threads decode the files, and each has one file at a time; this thread adds them in the order of
//! their paths. Memory is therefore that of the merged tables and of one file per thread.

use crate::answer::{Fetched, Merged};
use crate::error::FetchError;
use crate::step::Step;
use formats::Limits;
use formats::merge::{Merger, Part};
use std::fs;
use std::io;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::mpsc::sync_channel;
use std::thread;

/// More threads would wait for the one that adds.
const MAX_THREADS: usize = 8;

/// Merges the files in a folder and the folders in it.
pub(crate) fn merge(folder: &Path, observe: &mut dyn FnMut(Step)) -> Result<Fetched, FetchError> {
    let fails = |path: &Path, message| FetchError::Merge { path: path.to_owned(), message };
    let mut unread = Vec::new();
    let paths = files(folder, &mut unread)
        .map_err(|error| fails(folder, format!("cannot be listed: {error}")))?;
    let mut merger = Merger::default();
    let mut n_files = 0;
    let n_threads = thread::available_parallelism().map_or(1, NonZero::get).min(MAX_THREADS);
    thread::scope(|scope| {
        let mut channels = Vec::new();
        for first in 0..n_threads {
            // Without a buffer, a thread waits with its file until that is added.
            let (sender, receiver) = sync_channel(0);
            let paths = paths.iter().skip(first).step_by(n_threads);
            scope.spawn(move || {
                for path in paths {
                    if sender.send(read(path)).is_err() {
                        break;
                    }
                }
            });
            channels.push(receiver);
        }
        for (i, path) in paths.iter().enumerate() {
            let part = channels.get(i % n_threads).and_then(|channel| channel.recv().ok());
            match part.unwrap_or_else(|| Err("its thread ended".to_owned())) {
                Ok(part) => {
                    merger
                        .add(part)
                        .map_err(|error| fails(path, format!("{error}; nothing was written")))?;
                    n_files += 1;
                }
                Err(message) => unread.push((path.clone(), message)),
            }
            observe(Step::Merged(i + 1, paths.len()));
        }
        Ok(())
    })?;
    let Some((bytes, _)) = merger.finish() else {
        let message = match unread.first() {
            None => "has no files".to_owned(),
            Some((path, message)) => {
                let (n, first) = (unread.len(), path.display());
                format!("none of its files can be merged ({n}); the first is {first}: {message}")
            }
        };
        return Err(fails(folder, message));
    };
    let fetched = Fetched::checked(bytes, &folder.to_string_lossy())?;
    Ok(Fetched { merged: Some(Merged { n_files, unread }), ..fetched })
}

fn read(path: &Path) -> Result<Part, String> {
    let limits = Limits::default();
    let size = fs::metadata(path).map_err(|error| error.to_string())?.len();
    if size > limits.max_inflated_bytes {
        return Err(format!("is larger than {} bytes", limits.max_inflated_bytes));
    }
    let bytes = fs::read(path).map_err(|error| error.to_string())?;
    Part::read(bytes, limits).map_err(|error| error.to_string())
}

/// The files below a folder, ordered by path. Hidden ones are left out, and folders that are links,
/// which may lead back.
fn files(folder: &Path, unread: &mut Vec<(PathBuf, String)>) -> io::Result<Vec<PathBuf>> {
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
                Err(error) => unread.push((path, format!("cannot be listed: {error}"))),
            }
        } else if path.is_file() {
            found.push(path);
        }
    }
    Ok(found)
}
