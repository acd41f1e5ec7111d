//! The files of a profile, and the workspace files that they are mapped to.

use super::ask::{Ask, Takes};
use crate::keys::weight::Weight;
use crate::query::path_rules;
use crate::ranking::order::hottest_line_of_files;
use crate::world::context::Context;
use analysis::{Cost, FileId};
use loading::text::one_line;
use loading::{AmbiguousFunction, PathMapping, Snapshot};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sources::{Mapping, SourceIndex};
use std::collections::BTreeMap;
use std::path::Path;

/// The files of a profile.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Paths {
    /// The workspace folders.
    pub roots: Vec<String>,
    /// Workspace folders, and folders of the setting `sourceRoots`, that do not exist. Null before
    /// the first profile.
    pub missing_roots: Option<Vec<String>>,
    /// The number of files that are mapped to a workspace file.
    pub mapped: usize,
    /// All files, hottest first.
    pub files: Vec<RecordedFile>,
    /// The functions without a file whose name matches several functions in the workspace.
    pub ambiguous_functions: Vec<UnmatchedFunction>,
}

/// A function of a profile that names no file for it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct UnmatchedFunction {
    /// The name in the profile.
    pub name: String,
    /// The functions in the workspace that it could be.
    pub candidates: Vec<DefinitionPlace>,
    /// The name and the places, as a sentence.
    pub message: String,
}

/// The place of a function in the workspace.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct DefinitionPlace {
    /// The file.
    pub path: String,
    /// The line of its name, 1-based.
    pub line: u32,
}

/// A file of a profile.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RecordedFile {
    /// The name in the profile.
    pub name: String,
    /// The workspace file. Null if there is none.
    pub path: Option<String>,
    /// How the workspace file was found, or why not.
    pub how: How,
    /// Why there is no workspace file, as text to follow the name. Null if there is one.
    pub reason: Option<String>,
    /// The workspace files that it could be. Null unless `how` is `ambiguous`.
    pub candidates: Option<Vec<String>>,
    /// The entries of the setting `pathMappings` that map it to a workspace file that it could be,
    /// one for each of these files.
    pub rules: Vec<PathMapping>,
    /// The self cost of its lines.
    #[serde(rename = "self")]
    pub self_: Weight,
    /// The cost of its hottest line.
    pub hottest_line: Weight,
}

/// How the workspace file of a file of the profile was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "FileFoundBy")]
pub enum How {
    /// By a rule of the setting `pathMappings`.
    Rule,
    /// The path exists in a workspace folder.
    Exact,
    /// By the last components of the path.
    Suffix,
    /// By the path of a Go module, or the name of a package of Cargo, npm or Python.
    Module,
    /// By the mount of a dev container.
    Mount,
    /// The path exists in a workspace folder, through a symbolic link.
    Link,
    /// By a source map.
    SourceMap,
    /// The profile names no file, and a function has its only definition there.
    Name,
    /// Not found: several files match.
    Ambiguous,
    /// Not found.
    Unmapped,
}

impl From<sources::How> for How {
    fn from(how: sources::How) -> Self {
        match how {
            sources::How::Rule => Self::Rule,
            sources::How::Exact => Self::Exact,
            sources::How::Suffix => Self::Suffix,
            sources::How::Module => Self::Module,
            sources::How::Mount => Self::Mount,
            sources::How::Link => Self::Link,
            sources::How::SourceMap => Self::SourceMap,
            sources::How::Name => Self::Name,
        }
    }
}

/// Nothing to choose.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "PathsArgument")]
pub struct Question {}

impl Ask for Question {
    const NAME: &'static str = "paths";
    const DESCRIPTION: &'static str = "List the files of the profile with the workspace file that each \
                                       is mapped to, hottest first. Null without a profile.";
    const TAKES: Takes = Takes::Nothing;
    type Answer = Option<Paths>;

    fn answer(self, context: &Context) -> Result<Self::Answer, String> {
        Ok(paths(context))
    }
}

/// The files of the profile shown. `None` without a profile.
pub fn paths(context: &Context) -> Option<Paths> {
    let snapshot = context.world.snapshot()?;
    let index = context.world.index.as_deref();
    let files = recorded_files(snapshot, index);
    Some(Paths {
        roots: context.world.roots.iter().map(|root| text(root)).collect(),
        missing_roots: index
            .map(|index| index.missing().iter().map(|root| text(&root.path)).collect()),
        mapped: files.iter().filter(|file| file.path.is_some()).count(),
        files,
        ambiguous_functions: snapshot.identified.ambiguous.iter().map(unmatched).collect(),
    })
}

fn unmatched(function: &AmbiguousFunction) -> UnmatchedFunction {
    let places = function.candidates.iter();
    let places =
        places.map(|place| DefinitionPlace { path: text(&place.path), line: place.line0 + 1 });
    UnmatchedFunction {
        name: function.name.clone(),
        candidates: places.collect(),
        message: one_line(&function.message()).into_owned(),
    }
}

/// All file names of a profile, hottest file first.
pub fn recorded_files(snapshot: &Snapshot, index: Option<&SourceIndex>) -> Vec<RecordedFile> {
    let mut own: BTreeMap<FileId, f64> = BTreeMap::new();
    for line in snapshot.costs.lines() {
        *own.entry(line.file).or_default() += line.cost.self_;
    }
    let hottest = hottest_line_of_files(snapshot);
    let mut files: Vec<(f64, RecordedFile)> = snapshot
        .mappings()
        .map(|(name, file, mapping)| {
            let self_ = own.get(&file).copied().unwrap_or_default();
            let cost = hottest.get(&file).map(|line| line.cost);
            let shown = cost.map(|cost| cost.total.exact().unwrap_or(cost.self_));
            let row = row(name, mapping, index, self_, shown.unwrap_or_default());
            (cost.map_or(0.0, Cost::magnitude), row)
        })
        .collect();
    files.sort_by(|(a, one), (b, other)| b.total_cmp(a).then_with(|| one.name.cmp(&other.name)));
    files.into_iter().map(|(_, file)| file).collect()
}

fn row(
    name: &str,
    mapping: &Mapping,
    index: Option<&SourceIndex>,
    self_: f64,
    hottest: f64,
) -> RecordedFile {
    let (path, how, reason, candidates) = match mapping {
        Mapping::Mapped { path, how } => (Some(text(path)), How::from(*how), None, None),
        Mapping::Ambiguous { candidates } => {
            let candidates = candidates.iter().map(|path| text(path)).collect();
            (
                None,
                How::Ambiguous,
                Some("could be any of several files".to_owned()),
                Some(candidates),
            )
        }
        Mapping::Unmapped(reason) => (None, How::Unmapped, Some(reason.to_string()), None),
    };
    let rules = index.map(|index| path_rules::for_mapping(name, mapping, index));
    let rules = rules.unwrap_or_default();
    let (self_, hottest_line) = (Weight(self_), Weight(hottest));
    RecordedFile {
        name: name.to_owned(),
        path,
        how,
        reason,
        candidates,
        rules,
        self_,
        hottest_line,
    }
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
