//! The sources that a project names, in `.costline/sources.toml`:
//!
//! ```toml
//! [sources.checkout]
//! kind = "pprof"
//! url = "https://checkout.example.com/debug/pprof/profile?seconds=30"
//! token-env = "COSTLINE_CHECKOUT_TOKEN"
//! ```

use crate::error::FetchError;
use crate::kind::Kind;
use crate::options::Options;
use formats::fetched::{FOLDER, SOURCES};
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The named sources of a project.
#[derive(Debug, Default)]
pub struct Sources {
    /// The file, whether it exists or not.
    pub path: PathBuf,
    pub(crate) named: BTreeMap<String, Options>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    sources: BTreeMap<String, Options>,
}

impl Sources {
    /// Reads the sources of the project in a folder. There are none without the file.
    pub fn of_project(root: &Path) -> Result<Self, FetchError> {
        let path = root.join(FOLDER).join(SOURCES);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(FetchError::Sources { path, message: error.to_string() }),
        };
        match toml::from_str::<File>(&text) {
            Ok(file) => Ok(Self { path, named: file.sources }),
            Err(error) => Err(FetchError::Sources { path, message: described(&error, &text) }),
        }
    }

    /// The folder of the project.
    pub(crate) fn root(&self) -> &Path {
        self.path.ancestors().nth(2).unwrap_or(Path::new(""))
    }

    /// The name, kind, and address or folder of each source, by name.
    pub fn list(&self) -> impl Iterator<Item = (&str, &str, Cow<'_, str>)> {
        self.named.iter().map(|(name, source)| {
            let kind = source.kind.map_or("", Kind::name);
            let path = source.path.as_deref().map(Path::to_string_lossy);
            let url = source.url.as_deref().map(Cow::Borrowed);
            (name.as_str(), kind, url.or(path).unwrap_or_default())
        })
    }
}

/// The message of an error with its line, without the picture of the place.
fn described(error: &toml::de::Error, text: &str) -> String {
    let line = error.span().and_then(|span| text.get(..span.start)).map(|before| {
        let line = before.matches('\n').count() + 1;
        format!("line {line}: ")
    });
    format!("{}{}", line.unwrap_or_default(), error.message())
}
