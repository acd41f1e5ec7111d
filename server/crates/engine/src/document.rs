//! Open documents: their texts, their functions, and their line maps to the recorded text.

use crate::stamp::{Stamp, is_recorded};
use crate::text::{Edit, Text};
use sources::{Functions, Language, LineMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use url::Url;

/// The maximum number of versions of a file on disk that are cached. The oldest but one is evicted
/// first.
const MAX_VERSIONS: usize = 8;
/// Larger files are not read from disk; the editor's text is used instead.
const MAX_DISK_BYTES: u64 = 16 << 20;

/// One version of an open document. It is immutable: a change creates the next version.
#[derive(Debug)]
pub struct Document {
    /// The URI in the notation of the editor.
    pub uri: Url,
    /// The canonical path.
    pub path: PathBuf,
    /// The editor's version number.
    pub version: i32,
    /// The text in the editor.
    pub text: Text,
    disk: Arc<Mutex<DiskTexts>>,
    /// A cache of line maps, by revision of the world and profile. There are two profiles: the one
    /// shown and its baseline.
    mapped: Mutex<Vec<(u64, Stamp, Arc<Mapped>)>>,
    /// The functions of the text, parsed on first use.
    functions: OnceLock<Option<Arc<Functions>>>,
    /// The functions of the last version that was parsed, from which an incremental parse starts.
    functions_before: Option<Arc<Functions>>,
}

/// The versions of a file on disk, oldest first. An entry without a stamp is the editor's text of
/// a file that did not exist.
type DiskTexts = Vec<(Option<Stamp>, Arc<str>)>;

/// The line map from a recorded text to a document.
#[derive(Debug)]
pub struct Mapped {
    /// From recorded lines to lines of the document, both 0-based.
    pub map: LineMap,
    /// Whether the recorded text is a guess.
    pub stale: bool,
}

impl Document {
    /// The first version of a document that was just opened. `path` is canonical.
    pub fn new(uri: Url, path: PathBuf, version: i32, text: Text) -> Self {
        let (disk, mapped, functions) = (Arc::default(), Mutex::default(), OnceLock::new());
        Self { uri, path, version, text, disk, mapped, functions, functions_before: None }
    }

    /// The line map from the text that `profile` was recorded from to this version. `revision` is
    /// [`World::revision`](crate::world::World::revision).
    pub fn mapped(&self, revision: u64, profile: Stamp) -> Arc<Mapped> {
        let mut cache = self.mapped.lock().unwrap_or_else(PoisonError::into_inner);
        cache.retain(|(cached, ..)| *cached == revision);
        if let Some((.., mapped)) = cache.iter().find(|(_, cached, _)| *cached == profile) {
            return mapped.clone();
        }
        let (recorded, stale) = self.recorded(&profile);
        let mapped = Arc::new(Mapped { map: LineMap::new(&recorded, self.text.as_str()), stale });
        cache.push((revision, profile, mapped.clone()));
        mapped
    }

    /// The functions of this version. `None` if there is no grammar for its language, or the text
    /// is too large to parse.
    pub fn functions(&self) -> Option<&Functions> {
        let parsed = self.functions.get_or_init(|| {
            let text = self.text.shared();
            let functions = match &self.functions_before {
                Some(before) => before.edited(text),
                None => Functions::parse(Language::of_path(&self.path)?, text),
            };
            functions.map(Arc::new)
        });
        parsed.as_deref()
    }

    /// The recorded text, and whether it is a guess. It is the latest version on disk that is not
    /// newer than the profile, or else the oldest version.
    fn recorded(&self, profile: &Stamp) -> (Arc<str>, bool) {
        let mut disk = self.disk.lock().unwrap_or_else(PoisonError::into_inner);
        add_disk_version(&mut disk, &self.path, self.text.as_str());
        let not_newer =
            |stamp: &Option<Stamp>| stamp.as_ref().is_some_and(|stamp| is_recorded(stamp, profile));
        match disk.iter().rev().find(|(stamp, _)| not_newer(stamp)) {
            Some((_, text)) => (text.clone(), false),
            None => {
                (disk.first().map_or_else(|| self.text.shared(), |(_, text)| text.clone()), true)
            }
        }
    }

    /// The next version: applies `edits` in order. `None` if there are none.
    pub fn edited(&self, version: i32, edits: impl IntoIterator<Item = Edit>) -> Option<Self> {
        let mut edits = edits.into_iter();
        let first = self.text.changed(&edits.next()?);
        let text = edits.fold(first, |text, edit| text.changed(&edit));
        let functions_before =
            self.functions.get().cloned().flatten().or_else(|| self.functions_before.clone());
        let next = Self::new(self.uri.clone(), self.path.clone(), version, text);
        Some(Self { disk: self.disk.clone(), functions_before, ..next })
    }

    /// Caches the text on disk after the document was opened or saved. The next profile may be
    /// recorded from it.
    pub fn saved(&self) {
        let mut disk = self.disk.lock().unwrap_or_else(PoisonError::into_inner);
        add_disk_version(&mut disk, &self.path, self.text.as_str());
    }
}

/// Adds the text on disk to `versions`, unless it is the latest one already. `open` is the editor's
/// text, for a file that does not exist.
fn add_disk_version(versions: &mut DiskTexts, path: &Path, open: &str) {
    let stamp = Stamp::of(path).ok();
    if versions.last().is_some_and(|(last, _)| *last == stamp)
        || (stamp.is_none() && !versions.is_empty())
    {
        return;
    }
    let disk =
        stamp.filter(|stamp| stamp.len <= MAX_DISK_BYTES).and_then(|_| std::fs::read(path).ok());
    let text: Arc<str> = match disk {
        Some(bytes) => String::from_utf8_lossy(&bytes).into(),
        None => open.into(),
    };
    if versions.len() == MAX_VERSIONS {
        // Keep the first: `Document::recorded` falls back to it.
        versions.remove(1);
    }
    versions.push((stamp, text));
}

/// An immutable list of the open documents, each in the version it has when the list is made.
#[derive(Debug, Clone, Default)]
pub struct OpenDocuments(Vec<Arc<Document>>);

impl FromIterator<Arc<Document>> for OpenDocuments {
    fn from_iter<I: IntoIterator<Item = Arc<Document>>>(documents: I) -> Self {
        Self(documents.into_iter().collect())
    }
}

impl OpenDocuments {
    /// The document with this URI.
    pub fn get(&self, uri: &Url) -> Option<&Arc<Document>> {
        self.all().find(|document| document.uri == *uri)
    }

    /// All open documents.
    pub fn all(&self) -> impl Iterator<Item = &Arc<Document>> {
        self.0.iter()
    }

    /// The document with this canonical path.
    pub fn at(&self, path: &Path) -> Option<&Arc<Document>> {
        self.all().find(|document| document.path == path)
    }
}
