//! `costline.export`: writes what is shown in another format.

use super::arguments::Required;
use super::definition::Command;
use crate::lsp::server::{Server, failure};
use engine::context::Context;
use engine::export::{self, Compat, Cut, Options, Target};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use tower_lsp::jsonrpc::Result;

/// The command.
pub struct Export;

/// What is exported, and where to.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExportArgument {
    /// The format.
    format: Target,
    /// The file to write, relative to the first workspace folder.
    path: PathBuf,
    /// Whether it may replace a file.
    #[serde(default)]
    overwrite: bool,
    /// Another program whose output is imitated.
    #[serde(default)]
    compat: Option<Compat>,
    /// Frames below the root at most; 0 for roots only.
    #[serde(default)]
    max_depth: Option<usize>,
    /// What becomes of deeper frames.
    #[serde(default)]
    truncate: Cut,
}

/// A file that was written.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Exported {
    /// Its path.
    pub path: String,
    /// Its length.
    pub bytes: usize,
    /// What the format cannot carry.
    pub lost: Vec<String>,
}

impl Command for Export {
    const NAME: &'static str = "costline.export";
    const DOES: &'static str = "Writes what is shown in another format.";
    type Arguments = (Required<ExportArgument>,);
    type Answer = Exported;

    async fn run(server: &Server, (Required(given),): Self::Arguments) -> Result<Exported> {
        let ExportArgument { format, path, overwrite, compat, max_depth, truncate } = given;
        let options = Options { target: format, compat, max_depth, cut: truncate };
        let written = server.read(move |context| write(context, options, &path, overwrite)).await?;
        written.map_err(failure)
    }
}

/// Writes what is shown. The error is a sentence.
pub fn write(
    context: &Context,
    options: Options,
    path: &Path,
    overwrite: bool,
) -> std::result::Result<Exported, String> {
    let snapshot =
        context.world.snapshot().ok_or("no profile is shown: there is nothing to export")?;
    let path = context.world.in_root(path);
    if !path.is_absolute() {
        return Err(format!(
            "{}: expected an absolute path, since no folder is open",
            path.display()
        ));
    }
    let written = export::export(snapshot, None, options)?;
    export::store(&path, &written.bytes, overwrite)
        .map_err(|error| export::refusal(&path, &error, "\"overwrite\": true"))?;
    Ok(Exported {
        path: path.to_string_lossy().into_owned(),
        bytes: written.bytes.len(),
        lost: written.lost.iter().map(|&lost| lost.to_owned()).collect(),
    })
}
