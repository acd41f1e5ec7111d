//! `costline.flamegraph`: a flame graph as a file that a browser shows, or as what a panel of the client's needs to show one.

use super::call_tree::{place, text};
use super::context::Context;
use super::{command, to_proto};
use crate::export::{Options, Target};
use crate::present::flamegraph::{self, Frame};
use crate::session::snapshot::Snapshot;
use lsp_types::Url;
use profile::FunctionId;
use rustc_hash::FxHashMap;
use serde::Deserialize;
use serde_json::{Value, json};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use tempfile::TempDir;

/// What the command takes.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Argument {
    /// The file; relative to the first workspace folder. None: one of its own in the temporary folder.
    path: Option<PathBuf>,
    /// Whether it may replace one that is there.
    overwrite: bool,
    /// Nothing is written: the picture is in the answer.
    inline: bool,
}

/// The pictures that were written to the temporary folder, each in a folder that only this user can look into: the latest few,
/// and none once the server ends.
#[derive(Debug, Default)]
pub struct Pictures(Mutex<Vec<TempDir>>);

/// A browser may still be reading the one before.
const MAX_PICTURES: usize = 8;

impl Pictures {
    /// A path that is free, and that nobody else can make anything at.
    fn path(&self, profile: &Path) -> io::Result<PathBuf> {
        let name = profile.file_stem().unwrap_or_default().to_string_lossy();
        let harmless = |c: char| if c.is_alphanumeric() || matches!(c, '.' | '-' | '_') { c } else { '_' };
        let name: String = name.chars().map(harmless).take(60).collect();
        let mut folder = tempfile::Builder::new();
        #[cfg(unix)]
        folder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        let folder = folder.prefix("costline-").tempdir()?;
        let path = folder.path().join(format!("costline-{name}-flamegraph.svg"));
        let mut folders = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if folders.len() == MAX_PICTURES {
            folders.remove(0);
        }
        folders.push(folder);
        Ok(path)
    }
}

/// Draws what is shown. The error is a sentence.
pub fn flamegraph(context: &Context, argument: &Argument, pictures: &Pictures) -> Result<Value, String> {
    let snapshot = context.world.snapshot().ok_or("no profile is shown: there is nothing to draw")?;
    if argument.inline {
        return inline(context, snapshot);
    }
    let in_temporary = |error| format!("{}: no folder can be made: {error}", std::env::temp_dir().display());
    let path = match &argument.path {
        Some(path) => path.clone(),
        None => pictures.path(&snapshot.loaded.path).map_err(in_temporary)?,
    };
    let options = Options { target: Target::Flamegraph, compat: None, max_depth: None, cut: crate::export::Cut::Fold };
    let mut answer = command::export(context, options, &path, argument.overwrite)?;
    let uri = answer["path"].as_str().and_then(|path| Url::from_file_path(path).ok());
    answer["uri"] = json!(uri);
    Ok(answer)
}

/// The picture, and for each of its frames what it stands for.
fn inline(context: &Context, snapshot: &Snapshot) -> Result<Value, String> {
    if snapshot.recording.summed().is_some() {
        return Err("this recording has sums without stacks: no flame graph can be drawn of it".to_owned());
    }
    let graph = flamegraph::layout(&snapshot.tree);
    if graph.frames.is_empty() {
        return Err("there is nothing to draw: no sample has a stack and a cost above zero".to_owned());
    }
    let scale = context.scale(snapshot);
    let name = |function| snapshot.function(function).name;
    let texts: Vec<_> = graph.frames.iter().map(|frame| text(scale, &frame.branch, false)).collect();
    let profile = snapshot.loaded.path.file_name().unwrap_or_default().to_string_lossy();
    let svg = flamegraph::svg(&format!("Flame graph of {profile}"), &graph.frames, |i| {
        graph.frames.get(i).map_or(("", ""), |frame| (name(frame.branch.function), texts[i].as_str()))
    });
    let mut places: FxHashMap<FunctionId, Option<(Url, u32)>> = FxHashMap::default();
    let frames: Vec<Value> = graph
        .frames
        .iter()
        .zip(&texts)
        .map(|(Frame { branch, parent, depth, left, width }, text)| {
            let function = branch.function;
            let known = places.entry(function).or_insert_with(|| place(context, snapshot, function));
            let (uri, line0) = known.clone().unzip();
            json!({
                "name": name(function),
                "text": text,
                "key": to_proto::key(snapshot, function),
                "uri": uri,
                "line0": line0,
                "self": branch.self_.map(to_proto::weight),
                "total": to_proto::weight(branch.total),
                "parent": parent,
                "depth": depth,
                "left": left,
                "width": width,
            })
        })
        .collect();
    let mut answer = json!({
        "metric": snapshot.costs.metric.name,
        "unit": snapshot.costs.metric.unit,
        "total": to_proto::weight(snapshot.costs.total),
        "omitted": graph.omitted,
    });
    answer["svg"] = Value::String(svg);
    answer["frames"] = Value::Array(frames);
    Ok(answer)
}
