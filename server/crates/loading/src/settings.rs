//! The settings (section `costline`; the same object as `initializationOptions`).
//!
//! The Rust types are also the parser and the JSON Schema. A key that is unknown or has the wrong
//! type is ignored with a warning that names it; the other keys apply.

pub(crate) mod json;
pub(crate) mod paths;

use crate::settings::paths::{expanded, in_first};
use analysis::{TimeRange, Transform};
use globset::Glob;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use sources::{Root, RootKind, Rule};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What labels show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Show {
    /// Total cost, callees included.
    #[default]
    Total,
    /// Self cost, without callees.
    #[serde(rename = "self")]
    Self_,
    /// Both.
    Both,
    /// How often lines were executed: `3×`, `never executed`. The same as `both` if the profile has
    /// no such counts.
    Counts,
}

/// The unit of costs in labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Unit {
    /// Share of the total.
    #[default]
    Percent,
    /// The profile's own unit: seconds, bytes, samples.
    Absolute,
    /// Both.
    Both,
}

/// How to compare costs with the baseline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Compare {
    /// Costs as they are.
    #[default]
    Absolute,
    /// Shares of the total.
    Share,
}

/// How to combine the profiles of several runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Combine {
    /// Their sum.
    #[default]
    Sum,
    /// Their mean, with its spread.
    Average,
}

/// Whether to show JavaScript or native functions, if the profile distinguishes them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Implementation {
    /// All of them.
    #[default]
    All,
    /// JavaScript functions. The cost of native code is charged to the JavaScript that calls it.
    Js,
    /// Native functions. The cost of JavaScript is charged to the engine that runs it.
    Native,
}

impl Implementation {
    /// The corresponding type of `analysis`.
    pub fn filter(self) -> analysis::Implementation {
        match self {
            Self::All => analysis::Implementation::All,
            Self::Js => analysis::Implementation::Js,
            Self::Native => analysis::Implementation::Native,
        }
    }
}

/// Where to show the cost of inlined code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Inlines {
    /// On the lines of the inlined function.
    #[default]
    Body,
    /// On the line of the outermost inlined call, in the function that was compiled.
    CallSite,
}

/// What to do with type arguments in the names of native functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Generics {
    /// Keep them: each instance of a generic function has its own name.
    #[default]
    Keep,
    /// Collapse them: all instances of a generic function share one name.
    Collapse,
}

impl From<Generics> for symbols::Generics {
    fn from(generics: Generics) -> Self {
        match generics {
            Generics::Keep => Self::Keep,
            Generics::Collapse => Self::Collapse,
        }
    }
}

/// Resolve addresses to functions and lines with the debug info on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Symbols {
    /// Resolve addresses.
    pub enable: bool,
    /// Additional files with code or debug info, or folders that contain them: absolute paths, or
    /// paths relative to the first workspace folder. They may begin with `~`, `${workspaceFolder}`,
    /// `${workspaceFolder:NAME}` or `${userHome}`. The paths in the profile and the system's own
    /// folders are always searched.
    pub paths: Vec<String>,
    /// What to do with type arguments in names.
    pub generics: Generics,
}

/// How to notice that a profile was rewritten.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Watch {
    /// File events from the operating system, with a poll every 5 s in case events are lost.
    #[default]
    Auto,
    /// File events only.
    Native,
    /// A poll every 2 s.
    Poll,
}

/// Inlay hints at the end of each line with cost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Hints {
    /// Show inlay hints.
    pub enable: bool,
    /// Hide hints below this percentage of the total. Does not apply to execution counts.
    pub min_percent: f64,
    /// What hints show.
    pub show: Show,
}

/// Code lenses above each function with cost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Lenses {
    /// Show code lenses.
    pub enable: bool,
    /// Hide lenses of functions below this percentage of the total, unless they were above it in the
    /// baseline, or changed by as much of it.
    pub min_percent: f64,
    /// Show lenses for unnamed closures.
    pub closures: bool,
    /// Show a *Profile* lens above `main`, tests and benchmarks that records a profile (in editors
    /// that support it).
    pub record: bool,
}

/// Hovers over lines and functions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Hover {
    /// Show hovers.
    pub enable: bool,
    /// Show hovers anywhere in a line, not only at its end and on function names.
    pub everywhere: bool,
}

/// Hot lines and functions as diagnostics of the lowest severity, for editors that cannot redraw
/// hints.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Diagnostics {
    /// Publish hot lines and functions as diagnostics. If hints show execution counts, also publish
    /// lines that were never executed, which many editors fade.
    pub enable: bool,
    /// Leave out lines and functions below this percentage of the total.
    pub min_percent: f64,
    /// The maximum number of hot lines and functions per file; the hottest are kept.
    pub max_per_file: usize,
}

/// A prefix of file names in profiles, and the folder that replaces it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PathMapping {
    /// The prefix in the profile.
    pub from: String,
    /// The folder that replaces it: an absolute path, or a path relative to each workspace folder.
    /// It may begin with `~`, `${workspaceFolder}`, `${workspaceFolder:NAME}` or `${userHome}`.
    pub to: String,
}

/// All settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(title = "Settings of Costline (section `costline`)")]
pub struct Settings {
    /// Where to look for profiles: globs relative to each workspace folder. `**` matches at most
    /// three folders. Not set: the file names that profilers use.
    pub profiles: Option<Vec<String>>,
    /// The profile to show instead of the newest one.
    pub profile: Option<String>,
    /// The profile to compare with: a path, `previous` (the run before the one shown), `previous:5`
    /// (the mean of the last 5 runs) or `git:main` (the newest run at a Git revision). A file is
    /// read once, as soon as it exists. With the other values, Costline keeps runs in your state
    /// folder, so they are still there after a restart.
    pub baseline: Option<String>,
    /// How to compare costs with the baseline.
    pub compare: Compare,
    /// Named views to choose from a menu. Each is an object with the keys that `costline.setView`
    /// takes, such as `{"allocations": {"metric": "alloc_space", "own": true}}`. Keys that are left
    /// out keep their settings.
    pub views: Option<BTreeMap<String, Map<String, Value>>>,
    /// How to combine the profiles of several runs.
    pub combine: Combine,
    /// The metric to show, by name or unit, in profiles that have several.
    pub metric: Option<String>,
    /// A second cost to show beside the first: a metric of the profile, by name or unit, or the path
    /// of another profile.
    pub overlay: Option<String>,
    /// The threads to show, by name, end of the name, id (`tid:ID`), process (its name or `pid:ID`),
    /// glob or `/regex/`. Empty: all threads.
    pub threads: Vec<String>,
    /// Show only samples with these labels, all of which must hold: `size=large`, `size!=large`,
    /// `url=~^/api/` (a regular expression), `size` (has the key), `!size`, `bytes=100..200`,
    /// `bytes>=1kb`. Empty: all samples.
    pub labels: Vec<String>,
    /// Whether to show JavaScript or native functions, if the profile distinguishes them.
    pub implementation: Implementation,
    /// Transforms of the stacks. Set by command only.
    #[serde(skip)]
    pub transforms: Vec<Transform>,
    /// The time range to show. Set by command only, like the search.
    #[serde(skip)]
    pub range: Option<TimeRange>,
    /// The search; see [`analysis::View::search`].
    #[serde(skip)]
    pub search: String,
    /// Where to show the cost of inlined code.
    pub inlines: Inlines,
    /// Show only your own code: functions whose source is in a workspace folder, except for library
    /// folders such as `node_modules`. The cost of libraries and the runtime goes to the lines that
    /// called them. In profiles of Mercury, show the callers that the contour file does not exclude.
    pub own_code: bool,
    /// The unit of costs in labels.
    pub unit: Unit,
    /// Inlay hints.
    pub hints: Hints,
    /// Code lenses.
    pub lenses: Lenses,
    /// Hovers.
    pub hover: Hover,
    /// Hot lines and functions as diagnostics.
    pub diagnostics: Diagnostics,
    /// Map file paths in profiles to folders on this machine. The longest matching `from` wins.
    pub path_mappings: Vec<PathMapping>,
    /// Folders outside the workspace whose files may also be opened, such as the sources of a
    /// standard library: absolute paths, or paths relative to the first workspace folder. They may
    /// begin with `~`, `${workspaceFolder}`, `${workspaceFolder:NAME}` or `${userHome}`.
    pub source_roots: Vec<String>,
    /// Keep copies of the recorded sources in your cache folder, so that costs stay on their lines
    /// when you edit the files.
    pub keep_sources: bool,
    /// Resolving addresses.
    pub symbols: Symbols,
    /// Files that should show no costs: globs relative to the workspace folder.
    pub exclude: Vec<String>,
    /// Refuse profiles that are larger than this many bytes, after decompression.
    pub max_profile_bytes: u64,
    /// How to notice that a profile was rewritten.
    pub watch: Watch,
    /// Read a profile again every second while its profiler appends to it: folded stacks, the text
    /// of `perf script`, trace events, and recordings by Austin and rbspy. Otherwise it is read
    /// once it has stopped growing.
    pub follow: bool,
    /// How many minutes to keep a profile in memory after it is no longer shown or used as a
    /// baseline. Each workspace folder keeps the last four. 0: no time limit.
    pub evict_after_minutes: u32,
}

impl Default for Hints {
    fn default() -> Self {
        Self { enable: true, min_percent: 0.5, show: Show::Total }
    }
}

impl Default for Lenses {
    fn default() -> Self {
        Self { enable: true, min_percent: 1.0, closures: false, record: true }
    }
}

impl Default for Hover {
    fn default() -> Self {
        Self { enable: true, everywhere: false }
    }
}

impl Default for Diagnostics {
    fn default() -> Self {
        Self { enable: false, min_percent: 1.0, max_per_file: 20 }
    }
}

impl Default for Symbols {
    fn default() -> Self {
        Self { enable: true, paths: Vec::new(), generics: Generics::Keep }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            profiles: None,
            profile: None,
            baseline: None,
            compare: Compare::Absolute,
            views: None,
            combine: Combine::Sum,
            metric: None,
            overlay: None,
            threads: Vec::new(),
            labels: Vec::new(),
            implementation: Implementation::All,
            transforms: Vec::new(),
            range: None,
            search: String::new(),
            inlines: Inlines::Body,
            own_code: false,
            unit: Unit::Percent,
            hints: Hints::default(),
            lenses: Lenses::default(),
            hover: Hover::default(),
            diagnostics: Diagnostics::default(),
            path_mappings: Vec::new(),
            source_roots: Vec::new(),
            keep_sources: true,
            symbols: Symbols::default(),
            exclude: Vec::new(),
            max_profile_bytes: 2 << 30,
            watch: Watch::Auto,
            follow: false,
            evict_after_minutes: 30,
        }
    }
}

/// Settings below `costline` that editors read, and may send along with the server's: the VS Code
/// extension reads `callHierarchy.takeOver`, its language client `trace.server`.
const READ_BY_EDITORS: [&str; 2] = ["callHierarchy", "trace"];

impl Settings {
    /// The settings of Costline in the settings that a client announces: what is below `costline`, or
    /// the object itself if it has a key of Costline. `None` if it has neither: some clients send
    /// every server the settings of all servers.
    pub fn section(announced: &Value) -> Option<&Value> {
        let keys = serde_json::to_value(Self::default()).unwrap_or_default();
        let is_own = |given: &Map<String, Value>| given.keys().any(|key| keys.get(key).is_some());
        announced
            .get("costline")
            .or_else(|| announced.as_object().is_some_and(is_own).then_some(announced))
    }

    /// The settings in `value`: the object itself, or one that has it under `costline`. Also returns
    /// a warning for each key that is ignored.
    pub fn parse(value: &Value) -> (Self, Vec<String>) {
        let value = value.get("costline").unwrap_or(value);
        let mut warnings = Vec::new();
        let settings = match value {
            Value::Null => Self::default(),
            Value::Object(given) => {
                // Accept each key that still leaves valid settings.
                let mut accepted = serde_json::to_value(Self::default()).unwrap_or_default();
                merge(&mut accepted, given, "", &mut warnings);
                serde_json::from_value(accepted).unwrap_or_default()
            }
            other => {
                warnings.push(format!(
                    "settings: expected an object, found {}; the defaults apply",
                    shown(other)
                ));
                Self::default()
            }
        };
        (settings, warnings)
    }

    /// The settings that costs depend on. The others only change labels; each query reads them.
    pub fn costs(&self) -> CostSettings {
        CostSettings {
            symbols: self.symbols.clone(),
            sources: SourceSettings {
                path_mappings: self.path_mappings.clone(),
                source_roots: self.source_roots.clone(),
                exclude: self.exclude.clone(),
                keep: self.keep_sources,
            },
            view: ViewSettings {
                combine: self.combine,
                metric: self.metric.clone(),
                overlay: self.overlay.clone(),
                threads: self.threads.clone(),
                labels: self.labels.clone(),
                implementation: self.implementation,
                transforms: self.transforms.clone(),
                range: self.range,
                search: self.search.clone(),
                inlines: self.inlines,
                own: self.own_code,
            },
        }
    }
}

/// The settings that costs depend on, by the stage of a load that reads them. Stages get nothing
/// else, so costs are current as long as these are equal.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CostSettings {
    /// How addresses are resolved.
    pub symbols: Symbols,
    /// How file names are mapped.
    pub sources: SourceSettings,
    /// The part of the recording to show.
    pub view: ViewSettings,
}

/// How the file names of a profile are mapped to the workspace.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SourceSettings {
    /// The user's rules.
    pub path_mappings: Vec<PathMapping>,
    /// Folders outside the workspace whose files may be shown too.
    pub source_roots: Vec<String>,
    /// Globs of files that show no costs.
    pub exclude: Vec<String>,
    /// Whether to keep copies of recorded texts on disk, and to use them.
    pub keep: bool,
}

impl SourceSettings {
    /// The user's rules, as `sources` takes them. `roots` and `home` replace the variables in `to`.
    pub fn rules(&self, roots: &[Root], home: Option<&Path>) -> Vec<Rule> {
        let folders = folders(roots);
        let rules = self.path_mappings.iter();
        rules
            .map(|rule| Rule { from: rule.from.clone(), to: expanded(&rule.to, &folders, home) })
            .collect()
    }

    /// The roots of a source index: workspace folders and the user's source roots. Relative source
    /// roots are in the first workspace folder.
    pub fn roots(&self, workspace: &[PathBuf]) -> Vec<Root> {
        self.roots_at(workspace, std::env::home_dir().as_deref())
    }

    fn roots_at(&self, workspace: &[PathBuf], home: Option<&Path>) -> Vec<Root> {
        let of_kind = |kind| move |path| Root { path, kind };
        let sources = self.source_roots.iter().map(|path| in_first(path, workspace, home));
        let workspace = workspace.iter().cloned().map(of_kind(RootKind::Workspace));
        workspace.chain(sources.map(of_kind(RootKind::Sources))).collect()
    }
}

impl Symbols {
    /// The files and folders of `paths`. Relative ones are in the first workspace folder.
    pub fn places(&self, roots: &[Root], home: Option<&Path>) -> Vec<PathBuf> {
        let folders = folders(roots);
        self.paths.iter().map(|path| in_first(path, &folders, home)).collect()
    }
}

fn folders(roots: &[Root]) -> Vec<PathBuf> {
    roots.iter().map(|root| root.path.clone()).collect()
}

/// The part of a recording to show.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ViewSettings {
    /// How to combine the profiles of several runs.
    pub combine: Combine,
    /// The metric, by name or unit. `None`: the first metric of the profile.
    pub metric: Option<String>,
    /// The metric of the overlay, by name or unit, or the path of another profile.
    pub overlay: Option<String>,
    /// The threads. Empty: all threads.
    pub threads: Vec<String>,
    /// The filters by labels; see [`analysis::View::labels`].
    pub labels: Vec<String>,
    /// Whether to show JavaScript or native functions, if the profile distinguishes them.
    pub implementation: Implementation,
    /// The transforms, in order.
    pub transforms: Vec<Transform>,
    /// The samples that count, if not all.
    pub range: Option<TimeRange>,
    /// The search; see [`analysis::View::search`].
    pub search: String,
    /// Where to show the cost of inlined code.
    pub inlines: Inlines,
    /// Whether the cost of everything but own code goes to the own code that called it.
    pub own: bool,
}

fn merge(accepted: &mut Value, given: &Map<String, Value>, path: &str, warnings: &mut Vec<String>) {
    for (key, value) in given {
        let name = format!("{path}{key}");
        let Some(default) = accepted.get(key) else {
            if !(path.is_empty() && READ_BY_EDITORS.contains(&key.as_str())) {
                warnings.push(format!("settings: `costline.{name}` is unknown; it is ignored"));
            }
            continue;
        };
        // Settings that editors leave unset arrive as null.
        if value.is_null() {
            continue;
        }
        // serde would read a list as the values of the object.
        if let (true, Value::Array(_)) = (default.is_object(), value) {
            let problem = format!("`costline.{name}`: expected an object, found a list");
            warnings.push(ignored(&problem));
            continue;
        }
        if let (true, Value::Object(inner)) = (default.is_object(), value) {
            if let Some(slot) = accepted.get_mut(key) {
                merge(slot, inner, &format!("{name}."), warnings);
            }
            continue;
        }
        if let Some(value) = fitting(&name, value, warnings)
            && let Some(slot) = accepted.get_mut(key)
        {
            *slot = value;
        }
    }
}

/// The value of the setting `name`, with dots, without entries that do not fit. `None` if it does
/// not fit.
fn fitting(name: &str, value: &Value, warnings: &mut Vec<String>) -> Option<Value> {
    let Err(problem) = fits(name, value) else { return Some(value.clone()) };
    let mut fits_alone = |alone: Value, index: usize| {
        let problem = fits(name, &alone).err();
        let problem = problem.map(|it| it.replacen("[0]", &format!("[{index}]"), 1));
        warnings.extend(problem.as_deref().map(ignored));
        problem.is_none()
    };
    match value {
        Value::Array(entries) if fits(name, &json!([])).is_ok() => {
            let entries = entries.iter().enumerate();
            let fitting = entries.filter(|(index, entry)| fits_alone(json!([entry]), *index));
            Some(fitting.map(|(_, entry)| entry.clone()).collect())
        }
        Value::Object(entries) if fits(name, &json!({})).is_ok() => {
            let fitting = entries.iter().filter(|(key, entry)| fits_alone(json!({*key: entry}), 0));
            Some(fitting.map(|(key, entry)| (key.clone(), entry.clone())).collect())
        }
        _ => {
            warnings.push(ignored(&problem));
            None
        }
    }
}

fn ignored(problem: &str) -> String {
    format!("settings: {problem}; it is ignored")
}

/// The object that clients have the settings in.
#[derive(Deserialize)]
struct Section {
    costline: Settings,
}

/// Whether `value` fits the dotted key `name`. Reads settings in which only that key is set. The
/// error is a message for users.
fn fits(name: &str, value: &Value) -> Result<(), String> {
    let key = format!("costline.{name}");
    let lone = |value: &Value| {
        let keys = key.rsplit('.');
        keys.fold(value.clone(), |inner, key| {
            Value::Object(Map::from_iter([(key.to_owned(), inner)]))
        })
    };
    let Section { costline: settings } = json::read(&lone(value)).map_err(|problem| {
        // serde lists the possible words only if it finds another one.
        let other = json::read::<Section>(&lone(&json!(""))).err().unwrap_or_default();
        match other.split_once("unknown value ``, expected ") {
            Some((_, words)) if !value.is_string() => {
                problem.replace("expected a string", &format!("expected {words}"))
            }
            _ => problem,
        }
    })?;
    let percent = |percent: f64| percent.is_finite() && (0.0..=100.0).contains(&percent);
    if ![settings.hints.min_percent, settings.lenses.min_percent, settings.diagnostics.min_percent]
        .into_iter()
        .all(percent)
    {
        return Err(format!(
            "`{key}`: expected a percentage from 0 to 100, found {}",
            shown(value)
        ));
    }
    let globs = settings.profiles.iter().flatten().chain(&settings.exclude).enumerate();
    let mut problems =
        globs.filter_map(|(i, glob)| Some(format!("`{key}[{i}]`: {}", Glob::new(glob).err()?)));
    problems.next().map_or(Ok(()), Err)
}

/// A value for messages, truncated to 60 characters.
fn shown(value: &Value) -> String {
    let text: String = value.to_string().chars().take(60).collect();
    text
}

#[cfg(test)]
mod tests;
