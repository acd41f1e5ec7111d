//! `costline.flamegraph`: a flame graph as a file that a browser shows, or for a panel of the
//! client's.

use super::arguments::Optional;
use super::definition::Command;
use super::export::{Exported, write};
use crate::lsp::pictures::Pictures;
use crate::lsp::server::{Server, failure};
use engine::context::Context;
use engine::export::{Cut, Options, Target};
use engine::query::flame_graph::{FlameGraph, flame_graph};
use lsp_types::Url;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use tower_lsp::jsonrpc::Result;

/// The command.
pub struct DrawFlameGraph;

/// Where the picture goes.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct FlameGraphArgument {
    /// The file to write, relative to the first workspace folder. Without one the picture is
    /// written to the temporary folder, until the server ends.
    path: Option<PathBuf>,
    /// Whether it may replace a file.
    overwrite: bool,
    /// Nothing is written: the picture is in the answer, with what its frames stand for.
    inline: bool,
}

/// A flame graph, as a file or for a panel.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "DrawnFlameGraph"))]
#[serde(untagged)]
pub enum Drawn {
    /// As a file.
    File(Picture),
    /// For a panel, with `inline`.
    Inline(Box<FlameGraph>),
}

/// A picture that was written.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Picture {
    /// The file.
    #[serde(flatten)]
    pub file: Exported,
    /// The file as a URI.
    pub uri: Option<Url>,
}

impl Command for DrawFlameGraph {
    const NAME: &'static str = "costline.flamegraph";
    const DOES: &'static str = "Writes a flame graph (SVG) and has it opened, where the client can. With `inline` nothing is \
        written: the picture is in the answer.";
    type Arguments = (Optional<FlameGraphArgument>,);
    type Answer = Drawn;

    async fn run(server: &Server, (Optional(argument),): Self::Arguments) -> Result<Drawn> {
        let FlameGraphArgument { path, overwrite, inline } = argument.unwrap_or_default();
        if inline {
            let drawn = server.read(flame_graph).await?;
            return drawn.map(|drawn| Drawn::Inline(Box::new(drawn))).map_err(failure);
        }
        let pictures = server.pictures.clone();
        let picture = server
            .read(move |context| picture(context, path.as_deref(), overwrite, &pictures))
            .await?
            .map_err(failure)?;
        if let Some(uri) = &picture.uri {
            server.open_outside(uri.clone());
        }
        Ok(Drawn::File(picture))
    }
}

/// Writes a picture of what is shown. The error is a sentence.
fn picture(
    context: &Context,
    path: Option<&Path>,
    overwrite: bool,
    pictures: &Pictures,
) -> std::result::Result<Picture, String> {
    let snapshot =
        context.world.snapshot().ok_or("no profile is shown: there is nothing to draw")?;
    let path = match path {
        Some(path) => path.to_owned(),
        None => pictures.path(&snapshot.loaded.path).map_err(|error| {
            format!("{}: no folder can be made: {error}", std::env::temp_dir().display())
        })?,
    };
    let options =
        Options { target: Target::Flamegraph, compat: None, max_depth: None, cut: Cut::Fold };
    let file = write(context, options, &path, overwrite)?;
    let uri = Url::from_file_path(&file.path).ok();
    Ok(Picture { file, uri })
}
