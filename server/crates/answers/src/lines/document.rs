//! Open documents: their texts, their functions, and their line maps from the recorded text.

use crate::lines::text::{Edit, Text};
use loading::{RecordedText, RecordedTexts, Snapshot};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use texts::{ByText, Functions, Language, LexedTexts, LineMap, Syntax, TextWithFunctions};
use url::Url;

/// The path of a `file:` URI. `None` for others: an old version (`git:`) or a file on another machine
/// may have the path of a file on this one.
pub fn path_of(uri: &Url) -> Option<PathBuf> {
    (uri.scheme() == "file").then(|| uri.to_file_path().ok())?
}

/// One version of an open document. It is immutable: a change creates the next version.
#[derive(Debug)]
pub struct Document {
    /// The URI in the notation of the editor.
    pub uri: Url,
    /// The path: canonical once the server has resolved its links.
    pub path: PathBuf,
    /// The editor's version number.
    pub version: i32,
    /// The text in the editor.
    pub text: Text,
    /// The text when the document was opened.
    opened: Arc<str>,
    lexed: Arc<LexedTexts>,
    /// The functions of texts that lines are mapped from. All versions share them.
    recorded_functions: Arc<Mutex<ByText<Option<Arc<Functions>>>>>,
    /// A cache of line maps, by the recorded texts of a snapshot.
    mapped: Mutex<Vec<(Weak<RecordedTexts>, Arc<Mapped>)>>,
    /// The functions of the text, parsed on first use.
    functions: OnceLock<Option<Arc<Functions>>>,
    /// The functions of the last version that was parsed, from which an incremental parse starts.
    functions_before: Option<Arc<Functions>>,
}

/// The line map from a recorded text to a document.
#[derive(Debug)]
pub struct Mapped {
    /// From recorded lines to lines of the document, both 0-based.
    pub map: LineMap,
    /// Whether the recorded text is a guess.
    pub stale: bool,
}

impl Document {
    /// The first version of a document that was just opened.
    pub fn new(uri: Url, path: PathBuf, version: i32, text: Text) -> Self {
        let (opened, mapped, functions) = (text.shared(), Mutex::default(), OnceLock::new());
        let (lexed, recorded_functions) = (Arc::default(), Arc::default());
        let functions_before = None;
        Self {
            uri,
            path,
            version,
            text,
            opened,
            lexed,
            recorded_functions,
            mapped,
            functions,
            functions_before,
        }
    }

    /// The same version at another path: the canonical one.
    #[must_use]
    pub fn moved(&self, path: PathBuf) -> Self {
        let (opened, lexed) = (self.opened.clone(), self.lexed.clone());
        let functions_before = self.functions_before.clone();
        let moved = Self::new(self.uri.clone(), path, self.version, self.text.clone());
        // The functions depend on the extension, too.
        Self { opened, lexed, functions_before, ..moved }
    }

    /// The line map from the text that the profile of `snapshot` was recorded from to this version.
    /// If that text is not known, edits are followed from the text that was opened.
    pub fn mapped(&self, snapshot: &Snapshot) -> Arc<Mapped> {
        let texts = &snapshot.texts();
        let (text, stale) = self.recorded(snapshot);
        let mut cache = self.mapped.lock().unwrap_or_else(PoisonError::into_inner);
        cache.retain(|(cached, _)| cached.strong_count() > 0);
        let is_same = |cached: &Weak<RecordedTexts>| cached.as_ptr() == Arc::as_ptr(texts);
        if let Some((_, mapped)) = cache.iter().find(|(cached, _)| is_same(cached)) {
            return mapped.clone();
        }
        let (open, syntax) = (self.text.shared(), Syntax::of_text(&self.path, text));
        let mut map = self.lexed.map(text, &open, syntax);
        if let Some(functions) = self.recorded_functions(snapshot) {
            let recorded = TextWithFunctions { text, functions: functions.all() };
            let now =
                || Some(TextWithFunctions { text: &open, functions: self.functions()?.all() });
            map = map.within_functions(recorded, now, syntax);
        }
        let map = match texts.get(&self.path) {
            Some(recorded) => recorded.placed(map),
            None => map,
        };
        let mapped = Arc::new(Mapped { map, stale });
        cache.push((Arc::downgrade(texts), mapped.clone()));
        mapped
    }

    /// The text that lines are mapped from, and whether the recorded text is a guess.
    fn recorded<'a>(&'a self, snapshot: &'a Snapshot) -> (&'a Arc<str>, bool) {
        let recorded = snapshot.texts().get(&self.path);
        let text = recorded.map_or(&self.opened, |recorded| &recorded.text);
        (text, recorded.is_none_or(RecordedText::is_guess))
    }

    /// The functions of the text that lines are mapped from. Unlike those of this version, they are
    /// known without a parse after each edit. `None` as in [`Self::functions`].
    pub fn recorded_functions(&self, snapshot: &Snapshot) -> Option<Arc<Functions>> {
        let (text, _) = self.recorded(snapshot);
        let parsed = || {
            if **text == *self.text.shared() {
                return self.parsed().cloned();
            }
            let language = Language::of_path(&self.path);
            language.and_then(|language| Functions::parse(language, text.clone())).map(Arc::new)
        };
        let mut cache = self.recorded_functions.lock().unwrap_or_else(PoisonError::into_inner);
        cache.get(text, |_| true, parsed).clone()
    }

    /// The functions of this version. `None` if there is no grammar for its language, or the text
    /// is too large to parse.
    pub fn functions(&self) -> Option<&Functions> {
        self.parsed().map(Arc::as_ref)
    }

    fn parsed(&self) -> Option<&Arc<Functions>> {
        let parsed = self.functions.get_or_init(|| {
            let text = self.text.shared();
            let functions = match &self.functions_before {
                Some(before) => before.edited(text),
                None => Functions::parse(Language::of_path(&self.path)?, text),
            };
            functions.map(Arc::new)
        });
        parsed.as_ref()
    }

    /// The next version: applies `edits` in order. `None` if there are none.
    pub fn edited(&self, version: i32, edits: impl IntoIterator<Item = Edit>) -> Option<Self> {
        let mut edits = edits.into_iter();
        let first = self.text.changed(&edits.next()?);
        let text = edits.fold(first, |text, edit| text.changed(&edit));
        let functions_before =
            self.functions.get().cloned().flatten().or_else(|| self.functions_before.clone());
        let next = Self::new(self.uri.clone(), self.path.clone(), version, text);
        let (opened, lexed) = (self.opened.clone(), self.lexed.clone());
        let recorded_functions = self.recorded_functions.clone();
        Some(Self { opened, lexed, recorded_functions, functions_before, ..next })
    }
}

/// An immutable list of the open documents, each in the version it has when the list is made. Several may
/// be the same file, opened under different paths.
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

    /// The same documents. Of several that are the same file, [`Self::at`] finds the one with this URI.
    #[must_use]
    pub fn preferring(mut self, uri: &Url) -> Self {
        self.0.sort_by_key(|document| document.uri != *uri);
        self
    }

    /// The document with this canonical path.
    pub fn at(&self, path: &Path) -> Option<&Arc<Document>> {
        self.all().find(|document| document.path == path)
    }
}
