//! The versions of source files on disk, as they were read.

use crate::discovery::stamp::Stamp;
use rustc_hash::FxHashMap;
use sources::regular_file::{self, MAX_SOURCE};
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use symbols::Md5;

/// The maximum number of versions of a file. The oldest is evicted first.
const MAX_VERSIONS: usize = 8;
/// The maximum size of all texts together, in bytes. Above it, all but the one just read are
/// evicted.
const MAX_BYTES: usize = 128 << 20;

/// One version of a file.
#[derive(Debug, Clone)]
pub struct Version {
    /// Its stamp.
    pub stamp: Stamp,
    /// Its text. Bytes that are not UTF-8 are replaced.
    pub text: Arc<str>,
    /// The checksum of its bytes, if some of them were replaced.
    md5: Option<Md5>,
}

impl Version {
    /// Whether the file has this checksum.
    pub fn has_checksum(&self, md5: Md5) -> bool {
        self.md5.unwrap_or_else(|| md5::compute(&*self.text).0) == md5
    }
}

/// A cache of versions, oldest first.
#[derive(Debug, Default)]
pub struct DiskTexts(Mutex<Cached>);

#[derive(Debug, Default)]
struct Cached {
    by_path: FxHashMap<PathBuf, Vec<Version>>,
    n_bytes: usize,
}

impl DiskTexts {
    /// The file as it is now. `None` if it cannot be read, is not a regular file, or has more than
    /// 16 MiB.
    pub fn now(&self, path: &Path) -> Option<Version> {
        let stamp = Stamp::of(path).ok()?;
        if let Some(last) = self.last(path).filter(|last| last.stamp == stamp) {
            return Some(last);
        }
        let version = read(path)?;
        self.add(path, &version);
        Some(version)
    }

    /// Adds a version of a file that was read.
    pub(crate) fn add(&self, path: &Path, version: &Version) {
        if self.last(path).is_some_and(|last| last.stamp == version.stamp) {
            return;
        }
        let mut cached = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        cached.n_bytes += version.text.len();
        if cached.n_bytes > MAX_BYTES {
            cached.by_path.clear();
            cached.n_bytes = version.text.len();
        }
        let versions = cached.by_path.entry(path.to_owned()).or_default();
        versions.push(version.clone());
        if versions.len() > MAX_VERSIONS {
            let evicted = versions.remove(0);
            cached.n_bytes -= evicted.text.len();
        }
    }

    /// The latest version of a file that was read.
    pub(crate) fn last(&self, path: &Path) -> Option<Version> {
        self.versions(path).pop()
    }

    /// The cached versions of a file, oldest first.
    pub fn versions(&self, path: &Path) -> Vec<Version> {
        let cached = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        cached.by_path.get(path).cloned().unwrap_or_default()
    }
}

/// Reads a file without keeping it in a cache. `None` as for [`DiskTexts::now`].
pub fn read(path: &Path) -> Option<Version> {
    let (file, metadata) = regular_file::open(path).ok()?;
    let stamp = Stamp::from_metadata(&metadata);
    let bytes = regular_file::read_opened(file, &metadata, MAX_SOURCE).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let md5 = matches!(text, Cow::Owned(_)).then(|| md5::compute(&bytes).0);
    Some(Version { stamp, text: text.into(), md5 })
}
