//! `costline.export`: writes the current view in another format.

use super::arguments::Required;
use super::definition::Command;
use crate::lsp::server::{Server, failure};
use answers::{
    Context, ExportCompat as Compat, ExportCut as Cut, ExportOptions as Options,
    ExportTarget as Target,
};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use tower_lsp::jsonrpc::Result;

/// The command.
pub struct Export;

/// The format and the file to write.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExportArgument {
    /// The format to write.
    format: Target,
    /// The file to write, relative to the workspace folder.
    path: PathBuf,
    /// Overwrite the file if it exists.
    #[serde(default)]
    overwrite: bool,
    /// Write byte for byte what this program would write.
    #[serde(default)]
    compat: Option<Compat>,
    /// The maximum number of frames of a stack below its root; 0 keeps the roots only.
    #[serde(default)]
    max_depth: Option<usize>,
    /// What to do with the cost of frames that `maxDepth` removes.
    #[serde(default)]
    truncate: Cut,
}

/// A file that was written.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Exported {
    /// The absolute path of the file.
    pub path: String,
    /// The size of the file in bytes.
    pub bytes: usize,
    /// What the format cannot represent.
    pub lost: Vec<String>,
}

impl Command for Export {
    const NAME: &'static str = "costline.export";
    const DESCRIPTION: &'static str =
        "Export the profile, with the current view applied, to a file in another format.";
    type Arguments = (Required<ExportArgument>,);
    type Answer = Exported;

    async fn run(server: &Server, (Required(given),): Self::Arguments) -> Result<Exported> {
        let ExportArgument { format, path, overwrite, compat, max_depth, truncate } = given;
        let options = Options { target: format, compat, max_depth, cut: truncate };
        let written = server.read(move |context| write(context, options, &path, overwrite)).await?;
        written.map_err(failure)
    }
}

/// Writes the current view to a file. The error is a message for users.
pub fn write(
    context: &Context,
    options: Options,
    path: &Path,
    overwrite: bool,
) -> std::result::Result<Exported, String> {
    let snapshot =
        context.world.snapshot().ok_or("there is nothing to export: no profile is loaded")?;
    let path = context.world.in_root(path);
    if !path.is_absolute() {
        return Err(format!(
            "{}: expected an absolute path, because no workspace folder is open",
            path.display()
        ));
    }
    let baseline = context.compared(snapshot).filter(|_| options.target.compares());
    let baseline =
        baseline.map(|compared| (&*compared.baseline.snapshot, context.world.settings.compare));
    let written = answers::export(snapshot, baseline, options)?;
    answers::store_export(&path, &written.bytes, overwrite)
        .map_err(|error| answers::export_refusal(&path, &error, "\"overwrite\": true"))?;
    Ok(Exported {
        path: path.to_string_lossy().into_owned(),
        bytes: written.bytes.len(),
        lost: written.lost.iter().map(|&lost| lost.to_owned()).collect(),
    })
}
