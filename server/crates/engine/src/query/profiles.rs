//! Which profiles there are, and what is known of the one shown.

use crate::discovery::Candidate;
use crate::runs::runs;
use crate::stages::loaded::Loaded;
use crate::state;
use crate::weight::Weight;
use crate::world::World;
use formats::Origin;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// What is shown, in short.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Shown {
    /// Goes up when costs or labels are replaced.
    pub revision: u64,
    /// The profile; null without one.
    pub profile: Option<ShownProfile>,
    /// What costs are compared with; null without a baseline.
    pub baseline: Option<ProfileFile>,
    /// The metric; null without a profile.
    pub metric: Option<String>,
    /// The unit of the metric; null without a profile.
    pub unit: Option<String>,
    /// The total of the profile; null without one.
    pub total: Option<Weight>,
    /// What percentages are of: the total, or with negative weights the sum of |self| over all call
    /// paths. Null without a profile.
    pub base: Option<Weight>,
    /// Whether a profile is being read.
    pub loading: bool,
    /// What was chosen by command instead of the settings, to be passed back as `state` in the
    /// `initializationOptions` of the next server. Opaque; null where nothing was chosen.
    pub state: Option<String>,
}

/// A file of a profile as it was when it was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ProfileFile {
    /// The path of the file, the first of several.
    pub path: String,
    /// The name to show: that of the file, and how many there are.
    pub name: String,
    /// The name of its format.
    pub format: String,
    /// When it was written, in milliseconds since 1970.
    pub modified: u64,
}

/// The profile that is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ShownProfile {
    /// Its file.
    #[serde(flatten)]
    pub file: ProfileFile,
    /// Whether the file was deleted; its costs are still shown.
    pub deleted: bool,
    /// Whether the user picked it, instead of the newest.
    pub picked: bool,
}

/// The profiles that were found.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Profiles {
    /// Goes up when costs or labels are replaced.
    pub revision: u64,
    /// What is shown; null without a profile.
    pub active: Option<Active>,
    /// The profiles, newest first.
    pub profiles: Vec<Found>,
}

/// The profile that is shown, with its metrics.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ActiveProfile")]
pub struct Active {
    /// The profile.
    #[serde(flatten)]
    pub profile: ShownProfile,
    /// The version of the format, else the program that wrote the file.
    pub version: Option<String>,
    /// The version of the format, where the file states one.
    pub format_version: Option<String>,
    /// The dialect of the format, where it has several.
    pub dialect: Option<String>,
    /// The program that wrote the file with its version, or else the dialect.
    pub producer: Option<String>,
    /// The metric that is shown.
    pub metric: String,
    /// Its unit.
    pub unit: String,
    /// All metrics of the profile.
    pub metrics: Vec<MetricName>,
    /// The total in the metric shown.
    pub total: Weight,
}

/// A metric of a profile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MetricName {
    /// Its name.
    pub name: String,
    /// Its unit.
    pub unit: String,
}

/// A profile that was found: what one run wrote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "FoundProfile")]
pub struct Found {
    /// The path of its first file.
    pub path: String,
    /// The name of its format.
    pub format: String,
    /// When it was written, in milliseconds since 1970.
    pub modified: u64,
    /// The length of its first file.
    pub bytes: u64,
    /// Whether it is shown.
    pub active: bool,
    /// Why it could not be read; null where it could, or was not tried.
    pub problem: Option<String>,
    /// The paths of all its files.
    pub files: Vec<String>,
}

/// What is shown, in short.
pub fn shown(world: &World) -> Shown {
    let snapshot = world.snapshot();
    let metric = snapshot.map(|snapshot| &snapshot.costs.metric);
    Shown {
        revision: world.revision,
        profile: snapshot.map(|snapshot| shown_profile(world, &snapshot.loaded)),
        baseline: world.baseline.as_ref().map(|baseline| profile_file(&baseline.snapshot.loaded)),
        metric: metric.map(|metric| metric.name.clone()),
        unit: metric.map(|metric| metric.unit.clone()),
        total: snapshot.map(|snapshot| Weight(snapshot.costs.total)),
        base: snapshot.map(|snapshot| Weight(snapshot.costs.base)),
        loading: world.loading,
        state: state::of(world),
    }
}

fn shown_profile(world: &World, loaded: &Loaded) -> ShownProfile {
    let is_file = |pick: &PathBuf| loaded.files.iter().any(|(file, _)| file == pick);
    ShownProfile {
        file: profile_file(loaded),
        deleted: world.deleted,
        picked: world.pick.as_ref().is_some_and(is_file),
    }
}

fn profile_file(loaded: &Loaded) -> ProfileFile {
    ProfileFile {
        path: text(&loaded.path),
        name: loaded.name(),
        format: loaded.format.name().to_owned(),
        modified: loaded.stamp.milliseconds(),
    }
}

/// Which profiles there are and which is shown.
pub fn profiles(world: &World) -> Profiles {
    let found = runs_found(world).into_iter().map(|RunFound { shown, file, files }| Found {
        path: text(&file.path),
        format: file.format.name().to_owned(),
        modified: file.stamp.milliseconds(),
        bytes: file.stamp.len,
        active: shown,
        problem: problem(world, &file.path).map(str::to_owned),
        files: files.iter().map(|file| text(file)).collect(),
    });
    let active = world.snapshot().map(|snapshot| {
        let metrics = snapshot.grouped.recording.metrics().iter();
        let metrics = metrics
            .map(|metric| MetricName { name: metric.name.clone(), unit: metric.unit.clone() });
        let loaded = &snapshot.loaded;
        let writer = loaded.writer.text().map(str::to_owned);
        Active {
            profile: shown_profile(world, loaded),
            version: loaded.version.clone().or_else(|| writer.clone()),
            format_version: loaded.version.clone(),
            dialect: loaded.writer.dialect.map(|dialect| dialect.name().to_owned()),
            producer: writer,
            metric: snapshot.costs.metric.name.clone(),
            unit: snapshot.costs.metric.unit.clone(),
            metrics: metrics.collect(),
            total: Weight(snapshot.costs.total),
        }
    });
    Profiles { revision: world.revision, active, profiles: found.collect() }
}

/// Why a profile could not be read.
pub fn problem<'w>(world: &'w World, path: &Path) -> Option<&'w str> {
    world.problems.iter().find(|(known, _)| known == path).map(|(_, problem)| problem.as_str())
}

/// The files of one run.
#[derive(Debug)]
pub struct RunFound {
    /// Whether it is shown.
    pub shown: bool,
    /// The file that stands for it: the first.
    pub file: Candidate,
    /// All of them.
    pub files: Vec<PathBuf>,
}

/// All runs, newest first; at the end what is shown though it was not found.
pub fn runs_found(world: &World) -> Vec<RunFound> {
    let shown = world.snapshot().map(|shown| &shown.loaded);
    let is_shown =
        |path: &Path| shown.is_some_and(|shown| shown.files.iter().any(|(file, _)| file == path));
    let mut found: Vec<RunFound> = Vec::new();
    for run in runs(&world.candidates) {
        let is_shown = run.iter().any(|file| is_shown(&file.path));
        let mut files: Vec<_> = run.iter().map(|file| file.path.clone()).collect();
        match found.iter_mut().find(|known| is_shown && known.shown) {
            // Written at another time than the rest of the run that is shown.
            Some(known) => known.files.append(&mut files),
            None => found.push(RunFound { shown: is_shown, file: run[0].clone(), files }),
        }
    }
    // What is shown stays in the list when its bytes are no profile at the moment.
    if let Some(shown) = shown.filter(|_| !found.iter().any(|known| known.shown)) {
        let (path, stamp, format) = (shown.path.clone(), shown.stamp, shown.format);
        let file = Candidate { path, stamp, format, origin: Origin::default(), born: None };
        let files = shown.files.iter().map(|(path, _)| path.clone()).collect();
        found.push(RunFound { shown: true, file, files });
    }
    found
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
