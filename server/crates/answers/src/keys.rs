//! The keys of functions in the form that clients keep. They stay valid when the profile is
//! rewritten.

pub(crate) mod earlier_paths;
pub(crate) mod weight;

use analysis::{FuncKey, FunctionId, FunctionKey};
use loading::Snapshot;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use url::Url;

/// Identifies a function in all recordings of a program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "FunctionKey")]
pub struct Key {
    /// The function's name.
    pub name: String,
    /// The name of its file in the profile.
    pub file: Option<String>,
    /// The short name of its library.
    pub lib: Option<String>,
    /// Its start as 1-based line and column. Only if the profile has several functions with the
    /// same name, file and library.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<(u32, u32)>,
}

impl Key {
    /// The key of a function.
    pub fn of(snapshot: &Snapshot, function: FunctionId) -> Self {
        let key = snapshot.key(function);
        let this = snapshot.function(function);
        let start = (snapshot.find(&key).len() > 1).then_some((this.line, this.column));
        Self { name: key.name, file: key.file, lib: key.lib, start }
    }

    fn func_key(&self) -> FuncKey {
        FuncKey::new(&self.name, self.file.as_deref(), self.lib.as_deref())
    }

    /// The function with this key. `None` if several have it and none or several start where it says. If
    /// the key is an address that was resolved since, the physical function.
    pub fn function(&self, snapshot: &Snapshot) -> Option<FunctionId> {
        let physical = snapshot.resolved(&self.func_key()).first().copied();
        physical.or_else(|| snapshot.grouped.identified(&self.func_key(), self.start))
    }

    /// The functions with this key: at most one. If the key is an address that was resolved since,
    /// the physical function, followed by the functions inlined into it.
    pub fn functions(&self, snapshot: &Snapshot) -> Vec<FunctionId> {
        let resolved = snapshot.resolved(&self.func_key());
        if resolved.is_empty() {
            self.function(snapshot).into_iter().collect()
        } else {
            resolved.to_vec()
        }
    }

    /// The URI of the document that describes a function without a source, in the profile of a
    /// workspace folder if there are several: `costline:///NAME?{key and folder as JSON}`.
    #[expect(clippy::missing_panics_doc, reason = "never panics")]
    pub fn uri(&self, folder: Option<&Path>) -> Url {
        let name = utf8_percent_encode(&self.name, SEGMENT);
        let data = KeyInFolder { key: self.clone(), folder: folder.map(Path::to_owned) };
        let data = serde_json::to_string(&data).unwrap_or_default();
        let data = utf8_percent_encode(&data, SEGMENT);
        #[expect(clippy::expect_used, reason = "percent-encoded text always parses")]
        Url::parse(&format!("costline:///{name}?{data}")).expect("percent-encoded text")
    }

    /// The key in a URI of [`Key::uri`], and the folder.
    pub fn from_uri(uri: &Url) -> Option<(Self, Option<PathBuf>)> {
        let query = uri.query().filter(|_| uri.scheme() == "costline")?;
        let data: KeyInFolder =
            serde_json::from_str(&percent_decode_str(query).decode_utf8().ok()?).ok()?;
        Some((data.key, data.folder))
    }
}

/// The query of a URI of [`Key::uri`].
#[derive(Serialize, Deserialize)]
struct KeyInFolder {
    #[serde(flatten)]
    key: Key,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    folder: Option<PathBuf>,
}

impl From<Key> for FunctionKey {
    fn from(key: Key) -> Self {
        Self { func: key.func_key(), start: key.start }
    }
}

impl From<&FunctionKey> for Key {
    fn from(key: &FunctionKey) -> Self {
        let FuncKey { name, file, lib, .. } = key.func.clone();
        Self { name, file, lib, start: key.start }
    }
}

/// The characters to escape in a path segment.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_of_functions_without_a_source_round_trip() {
        let key = Key {
            name: "<T>::f ß/x".to_owned(),
            file: None,
            lib: Some("libc.so.6".to_owned()),
            start: None,
        };
        for folder in [None, Some(Path::new("/home/ä/app"))] {
            let uri = key.uri(folder);
            assert_eq!(uri.scheme(), "costline");
            assert_eq!(Key::from_uri(&uri), Some((key.clone(), folder.map(Path::to_owned))));
        }
    }
}
