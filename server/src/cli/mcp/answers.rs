//! Parts that several answers share.

use super::fit::short;
use super::project::Opened;
use answers::{PlaceFields, Weight};
use serde::Serialize;
use std::path::Path;

/// A place in a source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct At {
    /// The file, relative to the project's folder if it is in it. Missing if it was not found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The line in the file as it is now, 1-based.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The place as short text: `app.py:12` (the recorded line if the file was not found),
    /// `[libc.so.6]`, `no source`.
    pub place: String,
}

impl At {
    /// A place of an answer of the engine.
    pub fn new(opened: &Opened, fields: &PlaceFields) -> Self {
        let path = fields.uri.as_ref().and_then(|uri| uri.to_file_path().ok());
        let path = path.map(|path| relative(opened, &path));
        let line = fields.line0.filter(|_| path.is_some()).map(|line0| line0 + 1);
        Self { path, line, place: short(&fields.current_text()) }
    }
}

/// A path relative to the first folder of the project that contains it.
pub fn relative(opened: &Opened, path: &Path) -> String {
    let roots = opened.index.roots().iter().map(|root| root.path.as_path());
    let roots = roots.chain(opened.context.world.roots.iter().map(AsRef::as_ref));
    let mut inside = roots.filter_map(|root| path.strip_prefix(root).ok());
    inside.next().unwrap_or(path).to_string_lossy().into_owned()
}

/// What all costs of an answer are of.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Of {
    /// The path of the profile.
    pub profile: String,
    /// The metric of all costs.
    pub metric: String,
    /// Its unit.
    pub unit: String,
    /// The total of the profile in this view. Null if functions contain each other (`line_profiler`).
    pub total: Option<Weight>,
    /// What is not default about the view, as short labels.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub view: Vec<String>,
}

impl Of {
    /// What the costs of a profile are of.
    pub fn new(opened: &Opened) -> Self {
        let costs = &opened.snapshot.costs;
        Self {
            profile: relative(opened, &opened.snapshot.loaded.path),
            metric: costs.metric.name.clone(),
            unit: costs.metric.unit.clone(),
            total: opened.snapshot.total().map(Weight),
            view: answers::Marks::of_world(&opened.context.world).all(),
        }
    }
}
