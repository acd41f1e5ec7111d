//! The folder `.costline` of a project, and the sources that it names, in `.costline/sources.toml`:
//!
//! ```toml
//! [sources.checkout]
//! kind = "pprof"
//! url = "https://checkout.example.com/debug/pprof/profile?seconds=30"
//! token-env = "COSTLINE_CHECKOUT_TOKEN"
//! ```
//!
//! Others may have written the project, so neither may be a link that leads out of it.

use crate::error::FetchError;
use crate::kind::Kind;
use crate::options::Options;
use formats::fetched::{FOLDER, SOURCES};
use serde::Deserialize;
use sources::regular_file;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// The size limit of `sources.toml`, in bytes.
const MAX_BYTES: u64 = 1 << 20;

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
        let folder = root.join(FOLDER);
        let path = folder.join(SOURCES);
        for path in [&folder, &path] {
            match check_inside(root, path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    let (path, message) = (path.clone(), error.to_string());
                    return Err(FetchError::Sources { path, message });
                }
                _ => {}
            }
        }
        let text = match regular_file::read_to_string(&path, MAX_BYTES) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => {
                let message = format!("{error}; replace or remove it");
                return Err(FetchError::Sources { path, message });
            }
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

/// Checks that links in a path of the project do not lead out of it.
pub(crate) fn check_inside(root: &Path, path: &Path) -> io::Result<()> {
    if path.canonicalize()?.starts_with(root.canonicalize()?) {
        return Ok(());
    }
    Err(io::Error::other(
        "leads out of the project by a link, which is not followed; replace or remove the link",
    ))
}

/// The message of an error with its line, without the picture of the place.
fn described(error: &toml::de::Error, text: &str) -> String {
    let line = error.span().and_then(|span| text.get(..span.start)).map(|before| {
        let line = before.matches('\n').count() + 1;
        format!("line {line}: ")
    });
    format!("{}{}", line.unwrap_or_default(), error.message())
}
