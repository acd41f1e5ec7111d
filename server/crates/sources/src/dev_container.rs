//! Where a dev container mounts a workspace folder: `workspaceFolder` and `workspaceMount` of its
//! `devcontainer.json` (<https://containers.dev/implementors/json_reference/>).

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::index::{Root, RootKind, SourceIndex};
use crate::name::{IGNORES_CASE, Name, normal, rest_below};
use crate::regular_file;

/// The limit for the size of the file, in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// The places of the file in a workspace folder.
const FILES: [&str; 2] = [".devcontainer/devcontainer.json", ".devcontainer.json"];

/// The mounts of all workspace folders.
pub(crate) struct Mounts {
    /// The folder in the container, and the one on this machine.
    mounts: Vec<(String, PathBuf)>,
}

impl Mounts {
    pub(crate) fn of(index: &SourceIndex) -> Mounts {
        let roots = index.roots().iter().filter(|root| root.kind == RootKind::Workspace);
        let mounts = roots.filter_map(|root| {
            let path = FILES.iter().find_map(|file| index.canonical(&root.path.join(file)))?;
            let text = regular_file::read_to_string(&path, MAX_BYTES).ok()?;
            let (from, to) = mount(&text, &root_name(root))?;
            // `from` must be a folder below `/`, otherwise all names would be in it.
            let from = Name::parse(&from).text;
            let is_folder = from.starts_with('/') && from.len() > 1;
            is_folder.then(|| (from, root.path.join(to)))
        });
        Mounts { mounts: mounts.collect() }
    }

    /// The files that a name means, canonical.
    pub(crate) fn find(&self, name: &Name, index: &SourceIndex) -> Vec<PathBuf> {
        let files = self.mounts.iter().filter_map(|(from, to)| {
            let rest = rest_below(&name.text, from, IGNORES_CASE)?;
            index.canonical(&to.join(normal(rest).iter().collect::<PathBuf>()))
        });
        files.collect()
    }
}

fn root_name(root: &Root) -> String {
    root.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The folder in the container, and the path from the workspace folder to the mounted one. `None`
/// if something else is mounted, or the default applies (`/workspaces/NAME`).
fn mount(text: &str, root_name: &str) -> Option<(String, String)> {
    let settings: Value = serde_json::from_str(&without_comments(text)).ok()?;
    let get = |key| settings.get(key).and_then(Value::as_str);
    let expanded = |text: &str| text.replace("${localWorkspaceFolderBasename}", root_name);
    let Some(mount) = get("workspaceMount") else {
        let from = expanded(get("workspaceFolder")?);
        return (!from.contains("${")).then_some((from, String::new()));
    };
    let value = |keys: &[&str]| {
        let mut fields = mount.split(',').filter_map(|field| field.trim().split_once('='));
        fields.find(|(key, _)| keys.contains(key)).map(|(_, value)| expanded(value))
    };
    let source = value(&["source", "src"])?;
    let to = source.strip_prefix("${localWorkspaceFolder}")?.trim_start_matches('/').to_owned();
    let from = value(&["target", "dst", "destination"])?;
    (!from.contains("${") && !Path::new(&to).is_absolute()).then_some((from, to))
}

/// JSON without comments and trailing commas, which `devcontainer.json` may have.
fn without_comments(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if rest.starts_with("//") {
            rest = rest.find('\n').map_or("", |end| &rest[end..]);
        } else if rest.starts_with("/*") {
            rest = rest.find("*/").map_or("", |end| &rest[end + 2..]);
        } else if first == '"' {
            let mut is_escaped = false;
            let end = rest.char_indices().skip(1).find(|&(_, c)| {
                let is_end = c == '"' && !is_escaped;
                is_escaped = c == '\\' && !is_escaped;
                is_end
            });
            let (string, after) = rest.split_at(end.map_or(rest.len(), |(at, _)| at + 1));
            clean.push_str(string);
            rest = after;
        } else {
            if matches!(first, '}' | ']') {
                let n_kept = clean.trim_end().trim_end_matches(',').len();
                clean.truncate(n_kept);
            }
            clean.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_folder_and_the_mount() {
        let table: [(&str, Option<(&str, &str)>); 9] = [
            (r#"{"workspaceFolder": "/srv/code"}"#, Some(("/srv/code", ""))),
            (
                "{\n // a \"comment\"\n \"workspaceFolder\": \"/w/${localWorkspaceFolderBasename}\", /* , */\n}",
                Some(("/w/shop", "")),
            ),
            (
                r#"{"workspaceMount": "source=${localWorkspaceFolder},target=/code,type=bind", "workspaceFolder": "/code/api"}"#,
                Some(("/code", "")),
            ),
            (
                r#"{"workspaceMount": "type=bind,src=${localWorkspaceFolder}/api,dst=/api"}"#,
                Some(("/api", "api")),
            ),
            (r#"{"workspaceMount": "source=volume,target=/code,type=volume"}"#, None),
            (r#"{"workspaceFolder": "${containerWorkspaceFolder}/x"}"#, None),
            (r#"{"image": "rust"}"#, None),
            (r#"{"workspaceFolder": "/a//b\"}"#, None),
            ("no JSON", None),
        ];
        for (text, expected) in table {
            let found = mount(text, "shop");
            let found = found.as_ref().map(|(from, to)| (from.as_str(), to.as_str()));
            assert_eq!(found, expected, "{text}");
        }
    }
}
