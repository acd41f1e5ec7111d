//! The settings (section `costline`; the same object as `initializationOptions`).
//!
//! One table of fields is the type, the parser and the JSON Schema at once. A key that is unknown or of the wrong type is one
//! warning that names it; the rest applies.

use analysis::Transform;
use globset::{Glob, GlobSet, GlobSetBuilder};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sources::Rule;

/// What a label shows first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Show {
    /// Inclusive cost.
    #[default]
    Total,
    /// Self cost.
    #[serde(rename = "self")]
    Self_,
    /// Both.
    Both,
}

/// In what costs are worded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Unit {
    /// Share of the total.
    #[default]
    Percent,
    /// Seconds, bytes, samples.
    Absolute,
    /// Both.
    Both,
}

/// Which functions are seen, where a profile says which are JavaScript.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema, clap::ValueEnum)]
#[serde(rename_all = "camelCase")]
pub enum Implementation {
    /// All of them.
    #[default]
    All,
    /// JavaScript; what it calls is its own cost.
    Js,
    /// All but JavaScript, whose cost is that of what runs it.
    Native,
}

impl Implementation {
    /// The same, as `analysis` has it.
    pub fn seen(self) -> analysis::Implementation {
        match self {
            Self::All => analysis::Implementation::All,
            Self::Js => analysis::Implementation::Js,
            Self::Native => analysis::Implementation::Native,
        }
    }
}

/// Where the cost of inlined code is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema, clap::ValueEnum)]
#[serde(rename_all = "camelCase")]
#[value(rename_all = "camelCase")]
pub enum Inlines {
    /// At the lines of the inlined function.
    #[default]
    Body,
    /// At the line of the outermost call, in the function that was compiled.
    CallSite,
}

/// What becomes of the type arguments in names of native functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Generics {
    /// They stay: each instance has a name of its own.
    #[default]
    Keep,
    /// They are left out: all instances of a function have one name.
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

/// Names and lines of addresses, from debug info on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Symbols {
    /// Whether they are looked up.
    pub enable: bool,
    /// Files, or folders of files, with code or debug info, beside where the profile and the system say that they are.
    pub paths: Vec<String>,
    /// What becomes of the type arguments in names.
    pub generics: Generics,
}

/// How rewrites of profiles are noticed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Watch {
    /// Events of the operating system, and a look every 5 s in case they are lost.
    #[default]
    Auto,
    /// Events only.
    Native,
    /// A look every 2 s only.
    Poll,
}

/// Inlay hints: one at the end of each line with cost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Hints {
    /// Whether there are any.
    pub enable: bool,
    /// Lines below this percentage of the total show nothing.
    pub min_percent: f64,
    /// What the label shows.
    pub show: Show,
}

/// Code lenses: one above each function with cost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Lenses {
    /// Whether there are any.
    pub enable: bool,
    /// Functions below this percentage of the total show nothing.
    pub min_percent: f64,
}

/// Reports under the cursor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Hover {
    /// Whether there are any.
    pub enable: bool,
}

/// Hot lines and functions as diagnostics of the lowest severity, for editors that cannot redraw hints.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Diagnostics {
    /// Whether there are any.
    pub enable: bool,
    /// Lines and functions below this percentage of the total are left out.
    pub min_percent: f64,
    /// At most so many per file, the hottest.
    pub max_per_file: usize,
}

/// The beginning of file names in profiles, and what stands there on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PathMapping {
    /// What names in the profile begin with.
    pub from: String,
    /// The folder in the workspace that stands there instead.
    pub to: String,
}

/// All settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(title = "Settings of Costline (section `costline`)")]
pub struct Config {
    /// Where profiles are looked for: globs relative to each workspace folder, to a depth of three folders. Not set: the usual names of profilers.
    pub profiles: Option<Vec<String>>,
    /// The profile to show, instead of the newest.
    pub profile: Option<String>,
    /// A profile to compare with, as it is when this is set.
    pub baseline: Option<String>,
    /// The metric to show, by name or unit, where a profile has several.
    pub metric: Option<String>,
    /// The threads to show, by name (or its end), id, glob or `/regex/`; empty = all.
    pub threads: Vec<String>,
    /// Which functions are seen, where a profile says which are JavaScript.
    pub implementation: Implementation,
    /// What is done to stacks before anything is summed: chosen for one look at a profile, no setting.
    #[serde(skip)]
    pub transforms: Vec<Transform>,
    /// Where the cost of inlined code is shown.
    pub inlines: Inlines,
    /// In what costs are worded.
    pub unit: Unit,
    /// Inlay hints.
    pub hints: Hints,
    /// Code lenses.
    pub lenses: Lenses,
    /// Hover reports.
    pub hover: Hover,
    /// Hot lines as diagnostics.
    pub diagnostics: Diagnostics,
    /// Where files named by profiles lie on this machine; the longest `from` wins.
    pub path_mappings: Vec<PathMapping>,
    /// Folders outside the workspace whose files may be shown too, such as the sources of a standard library.
    pub source_roots: Vec<String>,
    /// Names and lines of addresses.
    pub symbols: Symbols,
    /// Globs of workspace files that show no costs, relative to their folder.
    pub exclude: Vec<String>,
    /// Profiles that are larger than this many bytes when inflated are refused.
    pub max_profile_bytes: u64,
    /// How rewrites of profiles are noticed.
    pub watch: Watch,
}

impl Default for Hints {
    fn default() -> Self {
        Self { enable: true, min_percent: 0.5, show: Show::Total }
    }
}

impl Default for Lenses {
    fn default() -> Self {
        Self { enable: true, min_percent: 1.0 }
    }
}

impl Default for Hover {
    fn default() -> Self {
        Self { enable: true }
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

impl Default for Config {
    fn default() -> Self {
        Self {
            profiles: None,
            profile: None,
            baseline: None,
            metric: None,
            threads: Vec::new(),
            implementation: Implementation::All,
            transforms: Vec::new(),
            inlines: Inlines::Body,
            unit: Unit::Percent,
            hints: Hints::default(),
            lenses: Lenses::default(),
            hover: Hover::default(),
            diagnostics: Diagnostics::default(),
            path_mappings: Vec::new(),
            source_roots: Vec::new(),
            symbols: Symbols::default(),
            exclude: Vec::new(),
            max_profile_bytes: 2 << 30,
            watch: Watch::Auto,
        }
    }
}

/// Settings of the contract that later releases will read; an editor may send them already.
const RESERVED: [&str; 2] = ["callHierarchy", "trace"];

impl Config {
    /// The settings in `value` (the object itself, or one with it under `costline`), and a sentence per key that was passed over.
    pub fn parse(value: &Value) -> (Self, Vec<String>) {
        let value = value.get("costline").unwrap_or(value);
        let mut warnings = Vec::new();
        let config = match value {
            Value::Null => Self::default(),
            Value::Object(given) => {
                // Take over key by key what keeps the whole readable.
                let mut accepted = serde_json::to_value(Self::default()).unwrap_or_default();
                merge(&mut accepted, given, "", &mut warnings);
                serde_json::from_value(accepted).unwrap_or_default()
            }
            other => {
                warnings.push(format!("settings: expected an object, found {}; the defaults apply", shown(other)));
                Self::default()
            }
        };
        (config, warnings)
    }

    /// The rules that lead names of the profile to files.
    pub fn rules(&self) -> Vec<Rule> {
        self.path_mappings.iter().map(|rule| Rule { from: rule.from.clone(), to: rule.to.clone() }).collect()
    }

    /// Whether costs of files must be computed anew when `other` replaces these settings.
    pub fn same_view(&self, other: &Self) -> bool {
        let looks = |c: &Self| {
            (c.metric.clone(), c.threads.clone(), c.implementation, c.transforms.clone(), c.inlines, c.symbols.clone())
        };
        let finds = |c: &Self| (c.path_mappings.clone(), c.source_roots.clone(), c.exclude.clone());
        looks(self) == looks(other) && finds(self) == finds(other)
    }
}

fn merge(accepted: &mut Value, given: &Map<String, Value>, path: &str, warnings: &mut Vec<String>) {
    for (key, value) in given {
        let name = format!("{path}{key}");
        let Some(default) = accepted.get(key) else {
            if !(path.is_empty() && RESERVED.contains(&key.as_str())) {
                warnings.push(format!("settings: `costline.{name}` is unknown; it is passed over"));
            }
            continue;
        };
        // Settings that editors leave unset arrive as null.
        if value.is_null() {
            continue;
        }
        if let (true, Value::Object(inner)) = (default.is_object(), value) {
            if let Some(slot) = accepted.get_mut(key) {
                merge(slot, inner, &format!("{name}."), warnings);
            }
            continue;
        }
        if let Err(expectation) = fits(&name, value) {
            warnings.push(format!("settings: `costline.{name}` is {}, expected {expectation}; it is passed over", shown(value)));
            continue;
        }
        if let Some(slot) = accepted.get_mut(key) {
            *slot = value.clone();
        }
    }
}

/// Whether `value` can stand at the dotted key `name`: the type itself is asked, with nothing else set.
pub fn fits(name: &str, value: &Value) -> Result<(), String> {
    let lone = name.rsplit('.').fold(value.clone(), |inner, key| Value::Object(Map::from_iter([(key.to_owned(), inner)])));
    let config: Config = serde_json::from_value(lone).map_err(|error| expectation(&error.to_string()))?;
    let percent = |percent: f64| percent.is_finite() && (0.0..=100.0).contains(&percent);
    if ![config.hints.min_percent, config.lenses.min_percent, config.diagnostics.min_percent].into_iter().all(percent) {
        return Err("a percentage from 0 to 100".to_owned());
    }
    let globs = config.profiles.iter().flatten().chain(&config.exclude);
    globs.map(|glob| Glob::new(glob)).find_map(Result::err).map_or(Ok(()), |error| Err(format!("globs ({error})")))
}

/// What serde expected, cut out of its message.
fn expectation(message: &str) -> String {
    message.split_once("expected ").map_or(message, |(_, expected)| expected).replace('`', "")
}

/// A value as sentences quote it.
pub fn shown(value: &Value) -> String {
    let text: String = value.to_string().chars().take(60).collect();
    text
}

/// A set of globs; those that do not parse were reported with the settings and match nothing.
pub fn glob_set<'a>(globs: impl IntoIterator<Item = &'a str>) -> GlobSet {
    let mut set = GlobSetBuilder::new();
    for glob in globs.into_iter().filter_map(|glob| Glob::new(glob).ok()) {
        set.add(glob);
    }
    set.build().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn nothing_given_means_the_defaults() {
        for value in [Value::Null, json!({}), json!({"costline": {}}), json!({"metric": null, "hints": null})] {
            assert_eq!(Config::parse(&value), (Config::default(), Vec::new()), "{value}");
        }
    }

    #[test]
    fn what_is_wrong_is_named_and_the_rest_applies() {
        let (config, warnings) = Config::parse(&json!({
            "costline": {"hints": {"minPercent": 2, "show": "self", "colour": 1}, "metric": 5, "watch": "poll", "nonsense": true,
                         "unit": "furlongs", "lenses": {"minPercent": -1}, "exclude": ["a{"], "baseline": "x"}
        }));
        assert_eq!((config.hints.min_percent, config.hints.show, config.watch), (2.0, Show::Self_, Watch::Poll));
        assert_eq!((config.metric, config.unit, config.lenses.min_percent), (None, Unit::Percent, 1.0));
        let keys: Vec<_> = warnings.iter().filter_map(|warning| warning.split('`').nth(1)).collect();
        assert_eq!(
            keys,
            [
                "costline.exclude",
                "costline.hints.colour",
                "costline.lenses.minPercent",
                "costline.metric",
                "costline.nonsense",
                "costline.unit"
            ]
        );
        assert!(warnings[3].contains("is 5, expected a string"), "{}", warnings[3]);
    }

    #[test]
    fn the_whole_object_may_be_something_else() {
        let (config, warnings) = Config::parse(&json!([1, 2]));
        assert_eq!(config, Config::default());
        assert_eq!(warnings, ["settings: expected an object, found [1,2]; the defaults apply"]);
    }
}
