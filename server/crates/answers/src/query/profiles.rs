//! The profiles that were found, and the profile shown.

use super::fleet::FleetNumbers;
use super::health::{HealthEntry, health};
use crate::keys::weight::Weight;
use crate::present::labels::totals;
use crate::session::marks::Marks;
use crate::session::state;
use crate::world::World;
use formats::Origin;
use loading::text::plain;
use loading::{Candidate, Loaded, ProfileTotal, Snapshot, runs, units};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// A summary of what is shown.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Shown {
    /// Incremented when costs or labels of this root are replaced.
    pub revision: u64,
    /// The workspace folder that this is about. Null if none is open.
    pub root: Option<String>,
    /// The profile shown. Null without a profile.
    pub profile: Option<ShownProfile>,
    /// Where the profile comes from, if `costline fetch` fetched it. Null otherwise.
    pub fleet: Option<FleetNumbers>,
    /// The baseline. Null without a baseline.
    pub baseline: Option<ProfileFile>,
    /// The second cost that is shown beside the first. Null without an overlay.
    pub overlay: Option<ShownOverlay>,
    /// How the total changed since the baseline. Null without a baseline, and if it cannot be
    /// compared.
    pub comparison: Option<TotalChange>,
    /// The metric. Null without a profile.
    pub metric: Option<String>,
    /// The unit of the metric. Null without a profile.
    pub unit: Option<String>,
    /// What is not default about the view, as short labels: `focus-function:work`, `2 of 7
    /// threads`.
    pub marks: Vec<String>,
    /// The metric and the marks as one text, for titles. Empty without a profile.
    pub summary: String,
    /// The total, or how it changed since the baseline, and the summary as one text, for status
    /// lines: `1.98 s · cpu · 2 of 7 threads`. Without the metric if the unit of the total is the
    /// same word. Empty without a profile.
    pub status: String,
    /// The total of the profile. Null without a profile, and if functions contain each other
    /// (`line_profiler`).
    pub total: Option<Weight>,
    /// The total for display: `1.98 s`. Null without a profile.
    #[serde(rename = "totalText")]
    pub total_text: Option<String>,
    /// How the total is spread over the runs whose mean is shown: the sample standard deviation.
    /// Null if no mean is shown.
    pub spread: Option<Weight>,
    /// What percentages are relative to: the total or, with negative weights, the sum of |self|
    /// over all call paths. Null without a profile.
    pub base: Option<Weight>,
    /// Whether a profile is being read.
    pub loading: bool,
    /// What is wrong with what is shown, the most severe first. Empty if a profile is shown, nothing
    /// is wrong with it, and the view is the default.
    pub health: Vec<HealthEntry>,
    /// The user's choices by command. Pass them as `state` in the `initializationOptions` of the
    /// next server to restore them. The format is private. Null without choices.
    pub state: Option<String>,
}

/// The overlay.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ShownOverlay {
    /// The name to show: `alloc_space`, of another profile `alloc_space of heap.pb.gz`.
    pub name: String,
    /// The path of the profile.
    pub profile: String,
    /// The metric.
    pub metric: String,
    /// The unit of the metric.
    pub unit: String,
    /// The total in this metric. Null if functions contain each other (`line_profiler`).
    pub total: Option<Weight>,
}

impl ShownOverlay {
    fn of(world: &World, shown: &Snapshot) -> Option<Self> {
        let overlay = world.overlay_of(shown)?;
        let snapshot = overlay.snapshot();
        let Snapshot { loaded, costs, .. } = snapshot;
        Some(Self {
            name: plain(&overlay.name()).into_owned(),
            profile: text(&loaded.path),
            metric: costs.metric.name.clone(),
            unit: costs.metric.unit.clone(),
            total: snapshot.total().map(Weight),
        })
    }
}

/// How the total changed since the baseline.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TotalChange {
    /// The total of the baseline.
    pub before: Weight,
    /// The total of the profile shown.
    pub after: Weight,
    /// The change in percent of the baseline's total. Null if that is 0.
    pub percent: Option<f64>,
    /// Whether the change may be noise.
    pub may_be_noise: bool,
    /// The change for display: `1.98 s → 1.17 s −41%`.
    pub text: String,
}

impl TotalChange {
    /// How the total of `snapshot` changed. `None` if there is no baseline to compare with.
    pub fn of(world: &World, snapshot: &Snapshot) -> Option<Self> {
        let baseline = world.baseline_of(snapshot)?;
        let change = baseline.comparison(snapshot, world.settings.compare).total();
        Some(Self {
            before: Weight(change.before),
            after: Weight(change.now),
            percent: change.percent(),
            may_be_noise: change.is_noise(),
            text: totals(change, &snapshot.costs.metric),
        })
    }
}

/// A file of a profile, as of when it was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ProfileFile {
    /// The path of the file; of the first one if there are several.
    pub path: String,
    /// The name to show: the file name, and the number of other files.
    pub name: String,
    /// The name of the format.
    pub format: String,
    /// When it was written, in milliseconds since 1970.
    pub modified: u64,
}

/// The profile shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ShownProfile {
    /// The file.
    #[serde(flatten)]
    pub file: ProfileFile,
    /// Whether the file was deleted. Its costs are still shown.
    pub deleted: bool,
    /// Whether the user selected it by command.
    pub picked: bool,
    /// Whether the file is truncated. Null if this cannot be known, because a part of such a file
    /// is a valid file.
    pub truncated: Option<bool>,
}

/// The profiles that were found.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Profiles {
    /// Incremented when costs or labels of this root are replaced.
    pub revision: u64,
    /// The workspace folder that this is about. Null if none is open.
    pub root: Option<String>,
    /// The profile shown. Null without a profile.
    pub active: Option<Active>,
    /// The profiles, newest first.
    pub profiles: Vec<Found>,
}

/// The profile shown, with its metrics.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ActiveProfile")]
pub struct Active {
    /// The profile.
    #[serde(flatten)]
    pub profile: ShownProfile,
    /// The version of the format, or else `producer`.
    pub version: Option<String>,
    /// The version of the format, if the file states one.
    pub format_version: Option<String>,
    /// The dialect of the format, if it has several.
    pub dialect: Option<String>,
    /// The program that wrote the file and its version, or else the dialect.
    pub producer: Option<String>,
    /// The metric shown.
    pub metric: String,
    /// The unit of the metric.
    pub unit: String,
    /// All metrics of the profile.
    pub metrics: Vec<MetricName>,
    /// The total in the metric shown. Null if functions contain each other (`line_profiler`).
    pub total: Option<Weight>,
}

/// A metric of a profile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MetricName {
    /// The name.
    pub name: String,
    /// The unit.
    pub unit: String,
}

/// A profile that was found: the files of one run.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "FoundProfile")]
pub struct Found {
    /// The path of the first file.
    pub path: String,
    /// The name of the format.
    pub format: String,
    /// When the first file was written, in milliseconds since 1970.
    pub modified: u64,
    /// The length of the first file in bytes.
    pub bytes: u64,
    /// Its default metric. Null if it was not read.
    pub metric: Option<String>,
    /// Its total in this metric. Null if it was not read.
    pub total: Option<Weight>,
    /// The total for display: `1.98 s`. Null if it was not read.
    #[serde(rename = "totalText")]
    pub total_text: Option<String>,
    /// Whether the profile is shown.
    pub active: bool,
    /// Why the profile could not be read. Null if it could, or was not tried.
    pub problem: Option<String>,
    /// The paths of all files.
    pub files: Vec<String>,
}

/// A summary of what is shown.
pub fn shown(world: &World) -> Shown {
    let snapshot = world.snapshot();
    let metric = snapshot.map(|snapshot| &snapshot.costs.metric);
    let marks = Marks::of_world(world);
    let comparison = snapshot.and_then(|snapshot| TotalChange::of(world, snapshot));
    let status = snapshot.map(|snapshot| status(snapshot, comparison.as_ref(), &marks));
    Shown {
        revision: world.revision,
        root: world.own_root().map(|root| text(root)),
        profile: snapshot.map(|snapshot| shown_profile(world, &snapshot.loaded)),
        fleet: snapshot
            .and_then(|snapshot| snapshot.loaded.fleet.as_deref())
            .map(FleetNumbers::new),
        baseline: world.baseline.as_ref().map(|baseline| profile_file(&baseline.snapshot.loaded)),
        overlay: snapshot.and_then(|snapshot| ShownOverlay::of(world, snapshot)),
        comparison,
        metric: metric.map(|metric| metric.name.clone()),
        unit: metric.map(|metric| metric.unit.clone()),
        marks: marks.all(),
        summary: marks.summary(metric.map_or("", |metric| &metric.name)),
        status: status.unwrap_or_default(),
        total: snapshot.and_then(|snapshot| snapshot.total()).map(Weight),
        total_text: snapshot.map(|snapshot| total_text(snapshot)),
        spread: snapshot.and_then(|snapshot| snapshot.run_costs().total()).map(Weight),
        base: snapshot.map(|snapshot| Weight(snapshot.costs.base)),
        loading: world.loading,
        health: health(world),
        state: state::of(world),
    }
}

/// The total for display. Times of functions that contain each other have none.
fn total_text(snapshot: &Snapshot) -> String {
    let metric = &snapshot.costs.metric;
    if metric.lines.has_self() {
        units::absolute(snapshot.costs.total, metric)
    } else {
        "lines with what they call".to_owned()
    }
}

fn status(snapshot: &Snapshot, comparison: Option<&TotalChange>, marks: &Marks) -> String {
    let metric = &snapshot.costs.metric;
    let (total, rest) = match comparison {
        Some(change) => (change.text.clone(), marks.summary(&metric.name)),
        None if metric.unit == metric.name => (total_text(snapshot), marks.all().join(" · ")),
        None => (total_text(snapshot), marks.summary(&metric.name)),
    };
    if rest.is_empty() { total } else { format!("{total} · {rest}") }
}

fn shown_profile(world: &World, loaded: &Loaded) -> ShownProfile {
    let is_file = |pick: &PathBuf| loaded.files.iter().any(|(file, _)| file == pick);
    ShownProfile {
        file: profile_file(loaded),
        deleted: world.deleted,
        picked: !world.pick.is_empty() && world.pick.iter().all(is_file),
        truncated: loaded.truncated,
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

/// The profiles that were found, and the profile shown.
pub fn profiles(world: &World) -> Profiles {
    let found = runs_found(world).into_iter().map(|run| {
        let total = run.total(world);
        let RunFound { shown, file, files } = &run;
        Found {
            path: text(&file.path),
            format: file.format.name().to_owned(),
            modified: file.stamp.milliseconds(),
            bytes: file.stamp.len,
            metric: total.map(|total| total.metric.name.clone()),
            total: total.map(|total| Weight(total.total)),
            total_text: total.map(ProfileTotal::text),
            active: *shown,
            problem: problem(world, &file.path).map(str::to_owned),
            files: files.iter().map(|file| text(file)).collect(),
        }
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
            total: snapshot.total().map(Weight),
        }
    });
    let root = world.own_root().map(|root| text(root));
    Profiles { revision: world.revision, root, active, profiles: found.collect() }
}

/// Why a profile could not be read. `None` if it could, or was not tried.
pub fn problem<'w>(world: &'w World, path: &Path) -> Option<&'w str> {
    world.problems.iter().find(|(file, _)| file == path).map(|(_, problem)| problem.as_str())
}

/// The files of one run.
#[derive(Debug)]
pub struct RunFound {
    /// Whether the run is shown.
    pub shown: bool,
    /// The first file, which represents the run.
    pub file: Candidate,
    /// All files.
    pub files: Vec<PathBuf>,
}

impl RunFound {
    /// Its total, if it was read as a whole.
    pub fn total<'w>(&self, world: &'w World) -> Option<&'w ProfileTotal> {
        let shown = world.snapshot().filter(|_| self.shown).map(|shown| &shown.loaded);
        let (path, stamp) = match shown {
            Some(loaded) => (&loaded.path, loaded.stamp),
            None => (&self.file.path, self.file.stamp),
        };
        world.total_of(path, stamp, self.files.len())
    }
}

/// All runs, newest first. If discovery did not find the profile shown, it is the last entry.
pub fn runs_found(world: &World) -> Vec<RunFound> {
    let shown = world.snapshot().map(|shown| &shown.loaded);
    let is_shown =
        |path: &Path| shown.is_some_and(|shown| shown.files.iter().any(|(file, _)| file == path));
    let mut found: Vec<RunFound> = Vec::new();
    for run in runs(&world.candidates) {
        let is_shown = run.iter().any(|file| is_shown(&file.path));
        let mut files: Vec<_> = run.iter().map(|file| file.path.clone()).collect();
        match found.iter_mut().find(|run| is_shown && run.shown) {
            // Files of the run shown may be grouped differently since one of them was rewritten.
            Some(run) => run.files.append(&mut files),
            None => found.push(RunFound { shown: is_shown, file: run[0].clone(), files }),
        }
    }
    // The profile shown stays in the list while its file is rewritten, and after it was deleted.
    if let Some(shown) = shown.filter(|_| !found.iter().any(|run| run.shown)) {
        let (path, stamp, format) = (shown.path.clone(), shown.stamp, shown.format);
        let file = Candidate {
            path,
            stamp,
            format,
            origin: Origin::default(),
            born: None,
            companions: Vec::new(),
        };
        let files = shown.files.iter().map(|(path, _)| path.clone()).collect();
        found.push(RunFound { shown: true, file, files });
    }
    found
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
