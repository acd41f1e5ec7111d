//! `costline.flamegraph`: a flame graph, as a file for a browser or as data for a panel of the
//! client.

use super::arguments::Optional;
use super::definition::Command;
use super::export::{Exported, write};
use crate::lsp::other_profile::OtherProfile;
use crate::lsp::pictures::Pictures;
use crate::lsp::server::{Server, failure};
use answers::{
    Context, ExportCut as Cut, ExportOptions as Options, ExportTarget as Target, FlameGraph,
    FlameGraphQuestion as Question, FlameOrder as Order, FlameSearch as Search, Key, TimeRange,
    TreeOrder, flame_graph,
};
use lsp_types::Url;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use tower_lsp::jsonrpc::{Error, Result};

/// The command.
pub struct DrawFlameGraph;

/// Where to write the flame graph.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct FlameGraphArgument {
    /// The file to write, relative to the workspace folder. By default, a file in the
    /// temporary folder, which is removed when the server ends.
    path: Option<PathBuf>,
    /// Overwrite the file if it exists.
    overwrite: bool,
    /// Return the frames in the response instead of writing a file.
    inline: bool,
    /// With `inline`: the node at the top, as the functions from the root to it. Default: the whole
    /// call tree.
    node: Vec<Key>,
    /// With `inline`: the maximum number of rows below the node.
    depth: Option<usize>,
    /// With `inline`: the maximum number of frames, at most 5000; the widest are kept.
    limit: Option<usize>,
    /// With `inline`: leave out this number of the node's hottest callees, and draw the rest
    /// together as wide as the image.
    skip: Option<usize>,
    /// With `inline`: draw the bottom-up tree: the functions with self cost, and their callers below
    /// them. The paths of its nodes begin at the functions with self cost.
    inverted: bool,
    /// With `inline`: draw what this function calls, merged from all call paths, or with `inverted`
    /// its callers. The paths of nodes begin with it.
    function: Option<Key>,
    /// With `inline`: how frames are ordered: by cost or by time. `node`, `skip` and `depth` apply
    /// only to ordering by cost.
    order: Order,
    /// With `inline`, ordered by time: the range to draw, in milliseconds since the first sample:
    /// `2..5`, or `1s..2.5s`. Default: all.
    range: Option<String>,
    /// With `inline`: which frames to mark as found.
    search: Option<Search>,
}

/// A flame graph, as a file or for a panel.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "DrawnFlameGraph"))]
#[serde(untagged)]
pub enum Drawn {
    /// A file.
    File(Picture),
    /// Data for a panel (`inline`).
    Inline(Box<FlameGraph>),
}

/// A flame graph that was written to a file.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Picture {
    /// The file.
    #[serde(flatten)]
    pub file: Exported,
    /// The URI of the file.
    pub uri: Option<Url>,
}

impl Command for DrawFlameGraph {
    const NAME: &'static str = "costline.flamegraph";
    const DESCRIPTION: &'static str = "Write a flame graph (SVG) and open it, if the client \
                                       supports `window/showDocument`. With `inline`, return the \
                                       flame graph in the response instead.";
    type Arguments = (Optional<FlameGraphArgument>, Optional<OtherProfile>);
    type Answer = Drawn;

    async fn run(
        server: &Server,
        (Optional(argument), Optional(other)): Self::Arguments,
    ) -> Result<Drawn> {
        let context = server.context_for(other).await?;
        let argument = argument.unwrap_or_default();
        let FlameGraphArgument { path, overwrite, inline, node, depth, limit, skip, .. } = argument;
        if inline {
            let FlameGraphArgument { inverted, function, order, range, search, .. } = argument;
            let range = range.map(|range| range.parse::<TimeRange>()).transpose();
            let range = range.map_err(|problem| {
                Error::invalid_params(format!("{}: `range`: {problem}", Self::NAME))
            })?;
            let tree_order = TreeOrder::from_inverted(inverted);
            let question =
                Question { node, depth, limit, skip, tree_order, function, order, range, search };
            let answer = move |context: &Context| flame_graph(context, &question);
            let drawn = server.read_from(context, answer).await?;
            return drawn.map(|drawn| Drawn::Inline(Box::new(drawn))).map_err(failure);
        }
        let pictures = server.pictures.clone();
        let picture = server
            .read_from(context, move |context| {
                picture(context, path.as_deref(), overwrite, &pictures)
            })
            .await?
            .map_err(failure)?;
        if let Some(uri) = &picture.uri {
            server.open_externally(uri.clone());
        }
        Ok(Drawn::File(picture))
    }
}

/// Writes a flame graph of the current view. The error is a message for users.
fn picture(
    context: &Context,
    path: Option<&Path>,
    overwrite: bool,
    pictures: &Pictures,
) -> std::result::Result<Picture, String> {
    let snapshot =
        context.world.snapshot().ok_or("there is nothing to draw: no profile is loaded")?;
    let path = match path {
        Some(path) => path.to_owned(),
        None => pictures.path(&snapshot.loaded.path).map_err(|error| {
            format!("cannot create a folder in {}: {error}", std::env::temp_dir().display())
        })?,
    };
    let options =
        Options { target: Target::Flamegraph, compat: None, max_depth: None, cut: Cut::Fold };
    let file = write(context, options, &path, overwrite)?;
    let uri = Url::from_file_path(&file.path).ok();
    Ok(Picture { file, uri })
}
