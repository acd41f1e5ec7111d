//! What to fetch: the arguments of the command line, completed by a named source.

use crate::error::FetchError;
use crate::http::is_http;
use crate::kind::Kind;
use crate::options::Options;
use crate::project::Sources;
use crate::secrets::Secrets;
use crate::store::file_stem;
use crate::time::Range;
use formats::fetched::{BASELINE, FOLDER, without_extension};
use std::fmt;
use std::path::{Path, PathBuf};
use url::Url;

/// Where a profile is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// An address, and what is there; `http` or `https`, without a user or password.
    Url(Kind, Url),
    /// A folder of files to merge.
    Folder(PathBuf),
}

impl Place {
    /// What kind of source it is.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Url(kind, _) => *kind,
            Self::Folder(_) => Kind::Folder,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Url(_, url) => url.fmt(f),
            Self::Folder(path) => path.display().fmt(f),
        }
    }
}

/// What to fetch.
#[derive(Debug, Clone)]
pub struct Request {
    /// Where it is.
    pub place: Place,
    /// The name of the file to write, without its extension.
    pub name: String,
    /// The name of the source, if it has one.
    pub source: Option<String>,
    /// The options.
    pub options: Options,
    /// The time range, for sources that can be asked for one.
    pub range: Range,
    /// The range to compare with, if options ask for one.
    pub baseline: Option<Range>,
}

/// What to ask a server.
#[derive(Clone, Copy)]
pub(crate) struct Query<'a> {
    pub(crate) url: &'a Url,
    pub(crate) options: &'a Options,
    pub(crate) secrets: &'a Secrets,
    pub(crate) range: Range,
}

impl Request {
    /// The request that arguments make: `NAME`, `URL`, `DIR` or `KIND` followed by one of them.
    /// `options` are flags, which count more than the keys of a source. `name` is the file to write.
    pub fn new(
        arguments: &[String],
        options: Options,
        name: Option<&str>,
        sources: &Sources,
    ) -> Result<Self, FetchError> {
        let usage = |message: String| Err(FetchError::Usage(message));
        match arguments {
            [source] if source.contains("://") => Self::of_url(Kind::Pprof, source, options, name),
            [source] => match sources.named.get(source) {
                Some(known) => Self::of_source(source, options.or(known.clone()), name, sources),
                None if Path::new(source).is_dir() => {
                    Self::of_folder(Path::new(source), options, name, sources)
                }
                None => usage(
                    Kind::named(source).map_or_else(|| unknown(source, sources), without_place),
                ),
            },
            [kind, place] => match Kind::named(kind) {
                Some(Kind::Folder) => Self::of_folder(Path::new(place), options, name, sources),
                Some(kind) => Self::of_url(kind, place, options, name),
                None => usage(format!("{kind}: expected a kind of source: {}", kinds())),
            },
            _ => usage(
                "expected a source: NAME, URL or DIR, or a kind of source and its address"
                    .to_owned(),
            ),
        }
    }

    /// The same request for the range to compare with. It is written to a file of its own.
    pub fn of_baseline(&self) -> Option<Self> {
        let range = self.baseline?;
        let name = format!("{}{BASELINE}", self.name);
        Some(Self { range, name, baseline: None, ..self.clone() })
    }

    fn of_source(
        source: &str,
        options: Options,
        name: Option<&str>,
        sources: &Sources,
    ) -> Result<Self, FetchError> {
        let lacks = |key| {
            let message = format!("sources.{source}: expected the key `{key}`");
            FetchError::Sources { path: sources.path.clone(), message }
        };
        let name = name.or(Some(source));
        let request = match options.kind.ok_or_else(|| lacks("kind"))? {
            Kind::Folder => {
                let path = options.path.clone().ok_or_else(|| lacks("path"))?;
                Self::of_folder(&sources.root().join(path), options, name, sources)
            }
            kind => {
                let url = options.url.clone().ok_or_else(|| lacks("url"))?;
                Self::of_url(kind, &url, options, name)
            }
        }?;
        Ok(Self { source: Some(source.to_owned()), ..request })
    }

    fn of_folder(
        path: &Path,
        options: Options,
        name: Option<&str>,
        sources: &Sources,
    ) -> Result<Self, FetchError> {
        let fails = |message| FetchError::Merge { path: path.to_owned(), message };
        let whole = path.canonicalize().map_err(|error| fails(error.to_string()))?;
        let written = sources.root().join(FOLDER).canonicalize();
        if written.is_ok_and(|written| written == whole) {
            let message = "the merged profile would be one of its files; give another folder";
            return Err(fails(message.to_owned()));
        }
        let last = whole.file_name().unwrap_or_default().to_string_lossy();
        let stem = name.map_or_else(|| plain(&last), ToOwned::to_owned);
        Self::with(Place::Folder(path.to_owned()), &stem, options)
    }

    fn of_url(
        kind: Kind,
        text: &str,
        options: Options,
        name: Option<&str>,
    ) -> Result<Self, FetchError> {
        let usage = |message: String| Err(FetchError::Usage(message));
        let url = match Url::parse(text) {
            Ok(url) => url,
            Err(error) => {
                return usage(format!("{text}: {error}; expected http://HOST:PORT/PATH"));
            }
        };
        if !is_http(&url) {
            return usage(format!(
                "{url}: expected an address that begins with http:// or https://"
            ));
        }
        if !url.username().is_empty() || url.password().is_some() {
            let message =
                "an address must not contain a user or password: give `user` and `password-env`";
            return usage(message.to_owned());
        }
        let stem = name.map_or_else(|| stem_of(&url), ToOwned::to_owned);
        Self::with(Place::Url(kind, url), &stem, options)
    }

    fn with(place: Place, name: &str, options: Options) -> Result<Self, FetchError> {
        let kind = place.kind();
        check(kind, &options)?;
        let now_ms = jiff::Timestamp::now().as_millisecond();
        let range = Range::of(&options, now_ms)?;
        let baseline = range.baseline(&options, now_ms)?;
        let name = file_stem(without_extension(name))?;
        Ok(Self { place, name, source: None, options, range, baseline })
    }
}

/// Checks that a source knows the options: one that it ignores would give other numbers than asked for.
fn check(kind: Kind, options: &Options) -> Result<(), FetchError> {
    use Kind::{Clickhouse, Folder, Parca, Pyroscope, S3};
    let given = [
        ("url", options.url.is_some(), kind != Folder),
        ("path", options.path.is_some(), kind == Folder),
        ("timeout", options.timeout.is_some(), kind != Folder),
        ("max-bytes", options.max_bytes.is_some(), kind != Folder),
        ("token-env", options.token_env.is_some(), kind != Folder),
        ("user", options.user.is_some(), kind != Folder),
        ("password-env", options.password_env.is_some(), kind != Folder),
        ("since", options.since.is_some(), kind.has_time()),
        ("until", options.until.is_some(), kind.has_time()),
        ("baseline-since", options.baseline_since.is_some(), kind.has_time()),
        ("profile-type", options.profile_type.is_some(), kind.has_time()),
        ("labels", options.labels.is_some(), matches!(kind, Pyroscope | Parca)),
        ("tenant", options.tenant.is_some(), matches!(kind, Pyroscope | Parca)),
        ("max-nodes", options.max_nodes.is_some(), kind == Pyroscope),
        ("query", options.query.is_some(), kind == Clickhouse),
        ("template", options.template.is_some(), kind == Clickhouse),
        ("database", options.database.is_some(), kind == Clickhouse),
        ("cluster", options.cluster.is_some(), kind == Clickhouse),
        ("filter", options.filter.is_some(), kind == Clickhouse),
        ("values", options.values.is_some(), kind == Clickhouse),
        ("region", options.region.is_some(), kind == S3),
        ("access-key-env", options.access_key_env.is_some(), kind == S3),
        ("secret-key-env", options.secret_key_env.is_some(), kind == S3),
    ];
    if let Some((name, ..)) = given.into_iter().find(|&(_, given, known)| given && !known) {
        let kind = kind.name();
        return Err(FetchError::Usage(format!("sources of the kind {kind} have no `{name}`")));
    }
    match options.min_percent {
        Some(percent) if !(0.0..=100.0).contains(&percent) => {
            Err(FetchError::Usage(format!("min-percent {percent}: expected 0 to 100")))
        }
        _ => Ok(()),
    }
}

/// A name for the file: the host, the port and the last part of the path.
fn stem_of(url: &Url) -> String {
    let last = url.path_segments().and_then(|mut parts| parts.rfind(|part| !part.is_empty()));
    let port = url.port().map(|port| port.to_string());
    let parts = [url.host_str(), port.as_deref(), last];
    plain(&parts.into_iter().flatten().collect::<Vec<_>>().join("-"))
}

/// A text as the name of a file.
fn plain(text: &str) -> String {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    let text: String = text.chars().map(|c| if allowed(c) { c } else { '-' }).collect();
    text.trim_matches(['.', '-']).to_owned()
}

fn kinds() -> String {
    Kind::ALL.map(Kind::name).join(", ")
}

/// A kind of source that stands alone.
fn without_place(kind: Kind) -> String {
    let (name, place) = (kind.name(), if kind == Kind::Folder { "DIR" } else { "URL" });
    format!("{name}: expected its address: costline fetch {name} {place}")
}

fn unknown(source: &str, sources: &Sources) -> String {
    let names: Vec<&str> = sources.list().map(|(name, ..)| name).collect();
    let path = sources.path.display();
    if names.is_empty() {
        format!("{source}: no URL or folder, and {path} names no sources")
    } else {
        format!(
            "{source}: no URL or folder, and no source in {path}, which has {}",
            names.join(", ")
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn request(arguments: &[&str], sources: &Sources) -> Result<Request, String> {
        let arguments: Vec<String> = arguments.iter().map(|&text| text.to_owned()).collect();
        Request::new(&arguments, Options::default(), None, sources)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn files_are_named_after_the_address() {
        let cases = [
            ("http://localhost:6060/debug/pprof/profile?seconds=30", "localhost-6060-profile"),
            ("https://a.example.com/debug/pprof/heap/", "a.example.com-heap"),
            ("http://[::1]:80/%2e%2e", "--1"),
            ("http://host/a%20b/x%20y", "host-x-20y"),
            ("http://host/cpu.pb.gz", "host-cpu"),
            ("http://host/ss.json", "host-ss"),
        ];
        for (url, name) in cases {
            let name = name.trim_matches(['.', '-']);
            assert_eq!(request(&[url], &Sources::default()).unwrap().name, name);
        }
    }

    #[test]
    fn addresses_are_checked() {
        let message = |arguments: &[&str]| request(arguments, &Sources::default()).unwrap_err();
        assert!(message(&["file:///etc/passwd"]).contains("begins with http:// or https://"));
        assert!(message(&["http://me:secret@host/"]).contains("`password-env`"));
        assert!(!message(&["http://me:secret@host/"]).contains("secret@"));
        assert!(message(&["http://:0"]).contains("expected http://HOST:PORT/PATH"));
        assert!(message(&["nobody"]).contains("names no sources"));
        assert_eq!(
            message(&["jfr", "http://host"]),
            "jfr: expected a kind of source: pprof, pyroscope, parca, clickhouse, s3, folder"
        );
    }

    #[test]
    fn flags_count_more_than_the_keys_of_a_source() {
        let project = tempfile::tempdir().unwrap();
        fs::create_dir(project.path().join(".costline")).unwrap();
        let file = project.path().join(".costline/sources.toml");
        let text = "[sources.shop]\nkind = \"pprof\"\nurl = \"http://shop/heap\"\ntimeout = 5\nmax-bytes = 10\n";
        fs::write(&file, text).unwrap();
        let sources = Sources::of_project(project.path()).unwrap();
        let flags = Options { timeout: Some(7), ..Options::default() };
        let made = Request::new(&["shop".to_owned()], flags, None, &sources).unwrap();
        let url = Url::parse("http://shop/heap").unwrap();
        assert_eq!((made.name.as_str(), made.place), ("shop", Place::Url(Kind::Pprof, url)));
        assert_eq!((made.options.timeout, made.options.max_bytes), (Some(7), Some(10)));
        assert!(request(&["shpo"], &sources).unwrap_err().contains("which has shop"));

        fs::write(&file, format!("{text}tokn-env = \"X\"\n")).unwrap();
        let error = Sources::of_project(project.path()).unwrap_err().to_string();
        assert!(error.contains("sources.toml: line ") && error.contains("tokn-env"), "{error}");
    }
}
