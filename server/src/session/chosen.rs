//! What the user chose by command. It lies over the settings and is kept by name, so that it outlives rewrites, other profiles and
//! changes of other settings; a change of the same setting replaces it.

use crate::session::config::{Config, Implementation, fits, shown};
use crate::session::snapshot::Snapshot;
use analysis::Transform;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// What can be chosen, and the setting that it is chosen instead of. Beside these there are the profile and the baseline, which
/// are the world's.
pub const KEYS: [(&str, &str); 6] = [
    ("metric", "metric"),
    ("threads", "threads"),
    ("implementation", "implementation"),
    ("inlines", "inlines"),
    ("unit", "unit"),
    ("show", "hints.show"),
];
/// How many names a sentence lists.
const MAX_LISTED: usize = 12;

/// A change of what is chosen.
#[derive(Debug)]
pub enum Change {
    /// These instead of what held; what is not among them stays.
    Set {
        /// The profile.
        profile: Option<Pick>,
        /// Values by the names of [`KEYS`]; `null` goes back to the setting.
        values: Map<String, Value>,
    },
    /// One more transform, behind the others.
    Push(Transform),
    /// The last transform is taken back; without one nothing happens.
    Pop,
    /// All transforms are.
    Clear,
}

/// A profile, relative to the first workspace folder; `None`: that of the settings, or the newest.
#[derive(Debug)]
pub struct Pick(pub Option<PathBuf>);

impl Change {
    /// Everything stays.
    pub fn none() -> Self {
        Self::Set { profile: None, values: Map::new() }
    }
}

/// What is chosen instead of the settings.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Chosen {
    /// By setting; each fits its own.
    values: BTreeMap<&'static str, Value>,
    transforms: Vec<Transform>,
}

impl Chosen {
    /// Whether anything stands in for a setting.
    pub fn overrides(&self) -> bool {
        !self.values.is_empty()
    }

    /// The settings, with what is chosen instead.
    pub fn over(&self, settings: &Config) -> Config {
        let mut config = serde_json::to_value(settings).unwrap_or_default();
        for (setting, value) in &self.values {
            if let Some(slot) = config.pointer_mut(&pointer(setting)) {
                slot.clone_from(value);
            }
        }
        Config { transforms: self.transforms.clone(), ..serde_json::from_value(config).unwrap_or_default() }
    }

    /// Forgets what stands in for settings that differ.
    pub fn forget(&mut self, old: &Config, new: &Config) {
        let [old, new] = [old, new].map(|settings| serde_json::to_value(settings).unwrap_or_default());
        self.values.retain(|setting, _| old.pointer(&pointer(setting)) == new.pointer(&pointer(setting)));
    }

    /// What is chosen after `change`, or a sentence why that cannot be; of a new profile's names nothing is known yet.
    pub fn changed(&self, change: Change, shown: Option<&Snapshot>) -> Result<Self, String> {
        let mut next = self.clone();
        match change {
            Change::Set { profile, values } => {
                let mut given = Self::default();
                for (key, value) in values {
                    let setting = setting(&key)?;
                    if value.is_null() {
                        next.values.remove(setting);
                    } else {
                        given.values.insert(setting, fitting(&key, setting, value)?);
                    }
                }
                if let Some(shown) = shown.filter(|_| profile.is_none()) {
                    given.find_names(shown)?;
                }
                next.values.append(&mut given.values);
            }
            Change::Push(transform) => {
                let shown = shown.ok_or("no profile is shown: there is nothing to transform")?;
                let found = analysis::find_names(&shown.recording, &shown.groups, &transform);
                found.map_err(|nothing| nothing.problem)?;
                next.transforms.push(transform);
            }
            Change::Pop => drop(next.transforms.pop()),
            Change::Clear => next.transforms.clear(),
        }
        Ok(next)
    }

    /// Looks for what is named in the profile shown. All threads of it are those of the next one too.
    fn find_names(&mut self, shown: &Snapshot) -> Result<(), String> {
        let (config, recording) = (self.over(&Config::default()), &shown.recording);
        if let Some(metric) = &config.metric {
            analysis::find_metric(recording, metric).map_err(|nothing| nothing.problem)?;
        }
        let mut threads = BTreeSet::new();
        for thread in &config.threads {
            threads.extend(analysis::find_threads(recording, thread).map_err(|nothing| nothing.problem)?);
        }
        if !config.threads.is_empty() && threads.len() == recording.threads().len() {
            self.values.insert("threads", Value::Array(Vec::new()));
        }
        if config.implementation != Implementation::All && !recording.knows_code() {
            return Err(
                "this profile does not say which functions are JavaScript: `implementation` can only be \"all\"".to_owned()
            );
        }
        Ok(())
    }
}

fn setting(key: &str) -> Result<&'static str, String> {
    let known = KEYS.iter().find(|(known, _)| *known == key).map(|(_, setting)| *setting);
    known.ok_or_else(|| {
        format!("there is no `{key}` to choose; there are profile, baseline, {}", listed(KEYS.iter().map(|(key, _)| *key)))
    })
}

fn fitting(key: &str, setting: &str, value: Value) -> Result<Value, String> {
    match fits(setting, &value) {
        Ok(()) => Ok(value),
        Err(expectation) => Err(format!("`{key}` is {}, expected {expectation}", shown(&value))),
    }
}

/// Where a dotted name lies in JSON.
fn pointer(setting: &str) -> String {
    format!("/{}", setting.replace('.', "/"))
}

/// Names without repetition, as many as one may want to read.
fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut listed: Vec<&str> = Vec::new();
    for name in names {
        if listed.contains(&name) {
            continue;
        }
        if listed.len() == MAX_LISTED {
            listed.push("…");
            break;
        }
        listed.push(name);
    }
    listed.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::config::{Show, Unit};
    use serde_json::json;

    fn set(chosen: &Chosen, values: Value) -> Result<Chosen, String> {
        let Value::Object(values) = values else { panic!("{values}") };
        chosen.changed(Change::Set { profile: None, values }, None)
    }

    #[test]
    fn what_is_chosen_lies_over_the_settings_until_the_same_one_changes() {
        let settings = |settings: Value| Config::parse(&settings).0;
        let old = settings(json!({"unit": "both", "metric": "cpu", "hints": {"minPercent": 3}}));
        let mut chosen = set(&Chosen::default(), json!({"unit": "absolute", "show": "self", "threads": ["a*"]})).unwrap();
        let config = chosen.over(&old);
        assert_eq!((config.unit, config.hints.show, config.threads), (Unit::Absolute, Show::Self_, vec!["a*".to_owned()]));
        assert_eq!((config.metric.as_deref(), config.hints.min_percent), (Some("cpu"), 3.0));

        let new = settings(json!({"unit": "percent", "hints": {"minPercent": 4}}));
        chosen.forget(&old, &new);
        let config = chosen.over(&new);
        assert_eq!((config.unit, config.hints.show, config.hints.min_percent), (Unit::Percent, Show::Self_, 4.0));
        assert_eq!((config.metric, config.threads.len()), (None, 1));

        let back = set(&chosen, json!({"show": null, "threads": null, "inlines": null})).unwrap();
        assert_eq!(back, Chosen::default());
        assert_eq!(back.over(&new), new);
    }

    #[test]
    fn what_cannot_be_chosen_is_told_and_changes_nothing() {
        for (values, expected) in [
            (
                json!({"unit": "both", "colour": 1}),
                "there is no `colour` to choose; there are profile, baseline, metric, threads, ",
            ),
            (json!({"unit": "furlongs"}), "`unit` is \"furlongs\", expected one of percent, absolute, both"),
            (json!({"threads": "main"}), "`threads` is \"main\", expected a sequence"),
            (json!({"metric": 7}), "`metric` is 7, expected a string"),
        ] {
            let error = set(&Chosen::default(), values).unwrap_err();
            assert!(error.starts_with(expected), "{error}");
        }
    }

    #[test]
    fn lists_are_short_and_without_repetition() {
        assert_eq!(listed(["a", "b", "a"].into_iter()), "a, b");
        let many: Vec<_> = (0..20).map(|n| n.to_string()).collect();
        assert!(listed(many.iter().map(String::as_str)).ends_with("11, …"));
    }
}
