//! The sources that a workspace folder names for `costline fetch`. The server reads the names; only the
//! command line asks the sources.

use super::recipes::{RecipeCommand, command_text};
use crate::world::World;
use formats::fetched::{BASELINE, EXTENSIONS, FOLDER, SOURCES};
use loading::text::{address, one_line, plain};
use schemars::JsonSchema;
use serde::Serialize;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The largest file of sources.
const MAX_BYTES: u64 = 1 << 20;

/// The named sources of a workspace folder.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "NamedSources")]
pub struct Sources {
    /// The file that names them. Null without a workspace folder.
    pub file: Option<PathBuf>,
    /// Why the file cannot be read. Null if it can, or does not exist.
    pub problem: Option<String>,
    /// The sources, by name.
    pub sources: Vec<Source>,
}

/// A source of profiles. Clients run the command in a terminal after the user has agreed; the
/// server never runs it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "NamedSource")]
pub struct Source {
    /// The name.
    pub name: String,
    /// The kind of source: `pyroscope`.
    pub kind: String,
    /// The address or folder, for display.
    pub place: String,
    /// The folder to run the command in.
    pub folder: PathBuf,
    /// The command that fetches it.
    pub command: RecipeCommand,
    /// The command as text, for display.
    pub text: String,
    /// The profile that was fetched last. Null if there is none.
    pub profile: Option<PathBuf>,
    /// The profile to compare with that was fetched together with it. Null if there is none.
    pub baseline: Option<PathBuf>,
    /// Whether its profile is shown.
    pub shown: bool,
}

/// The sources of the workspace folder. `program` is the Costline program.
pub fn sources(world: &World, program: &Path) -> Sources {
    let Some(root) = world.own_root() else { return Sources::default() };
    let file = root.join(FOLDER).join(SOURCES);
    let known = |problem, sources| Sources { file: Some(file.clone()), problem, sources };
    let text = match read(&file, root) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return known(None, Vec::new()),
        Err(error) => return known(Some(error.to_string()), Vec::new()),
    };
    let table = match text.parse::<toml::Table>() {
        Ok(table) => table,
        Err(error) => return known(Some(one_line(error.message()).into_owned()), Vec::new()),
    };
    if let Some(key) = table.keys().find(|key| *key != "sources") {
        let problem = format!("unknown key `{key}`, expected [sources.NAME]");
        return known(Some(one_line(&problem).into_owned()), Vec::new());
    }
    let named = table.get("sources").and_then(toml::Value::as_table).into_iter().flatten();
    let files = files(&root.join(FOLDER));
    let shown = world.snapshot().map(|snapshot| snapshot.loaded.path.as_path());
    let source = |(name, keys): (&String, &toml::Value)| {
        let key = |key: &str| keys.get(key).and_then(toml::Value::as_str);
        let command = RecipeCommand {
            program: program.to_string_lossy().into_owned(),
            arguments: ["fetch", name].map(ToOwned::to_owned).into(),
        };
        let profile = newest(&files, name);
        Source {
            kind: plain(key("kind").unwrap_or_default()).into_owned(),
            place: address(key("url").or(key("path")).unwrap_or_default()).into_owned(),
            folder: root.clone(),
            text: one_line(&command_text(&[
                "costline".to_owned(),
                "fetch".to_owned(),
                name.clone(),
            ]))
            .into_owned(),
            command,
            shown: profile.is_some() && shown == profile.as_deref(),
            profile,
            baseline: key("baseline-since")
                .and_then(|_| newest(&files, &format!("{name}{BASELINE}"))),
            name: name.clone(),
        }
    };
    // A name like an option would be one.
    let named = named.filter(|(name, _)| !name.starts_with('-'));
    known(None, named.map(source).collect())
}

/// The text of the file, unless a link leads out of the root.
fn read(path: &Path, root: &Path) -> io::Result<String> {
    if !path.canonicalize()?.starts_with(root.canonicalize()?) {
        return Err(io::Error::other("leads out of the project by a link, which is not followed"));
    }
    sources::regular_file::read_to_string(path, MAX_BYTES)
}

/// The files of a folder, newest last.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let mut files: Vec<_> = entries
        .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
        .collect();
    files.sort();
    files.into_iter().map(|(_, path)| path).collect()
}

/// The newest file of a name, whatever its extension.
fn newest(files: &[PathBuf], name: &str) -> Option<PathBuf> {
    let is_named = |path: &&PathBuf| {
        let file = path.file_name().and_then(|file| file.to_str());
        let rest = file.and_then(|file| file.strip_prefix(name)?.strip_prefix('.'));
        rest.is_some_and(|extension| EXTENSIONS.contains(&extension))
    };
    files.iter().rev().find(is_named).cloned()
}
