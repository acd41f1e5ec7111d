//! The views of the setting `views`.

use crate::view::given::Given;
use crate::view::options::Choices;
use crate::view::options::Overrides;
use crate::view::overrides::Change;
use crate::world::World;
use loading::Settings;
use serde_json::{Map, Value};

/// All choices that a named view replaces, with `null`.
fn reset_all() -> Map<String, Value> {
    let reset = Choices { transforms: Given::Reset, node: Given::Reset, ..Choices::reset_all() };
    match serde_json::to_value(reset) {
        Ok(Value::Object(keys)) => keys,
        _ => Map::new(),
    }
}

/// The choices of a named view, and then `changes`. The error is a message for users.
fn with_changes(
    name: &str,
    view: &Map<String, Value>,
    changes: Map<String, Value>,
) -> Result<Choices, String> {
    let problem = |error: String| format!("setting `views`: `{name}`: {error}");
    if view.contains_key("view") {
        return Err(problem("a view cannot have the key `view`".to_owned()));
    }
    let mut keys = reset_all();
    keys.extend(view.clone());
    keys.extend(changes);
    loading::json::read(&Value::Object(keys)).map_err(problem)
}

/// The choices with those of the named view that they choose. The error is a message for users.
pub fn resolved(mut choices: Choices, settings: &Settings) -> Result<Choices, String> {
    let view = std::mem::take(&mut choices.view);
    if view.is_unchanged() {
        return Ok(choices);
    }
    let changes = match serde_json::to_value(choices) {
        Ok(Value::Object(keys)) => keys,
        _ => Map::new(),
    };
    let Some(name) = view.value() else { return with_changes("", &Map::new(), changes) };
    let views = settings.views.iter().flatten();
    let found = views.clone().find(|(other, _)| *other == name);
    let Some((_, view)) = found else {
        let names: Vec<String> = views.map(|(name, _)| format!("`{name}`")).collect();
        let names = match &names[..] {
            [] => "it has none".to_owned(),
            names => format!("it has {}", names.join(", ")),
        };
        return Err(format!("the setting `views` has no view `{name}`: {names}"));
    };
    with_changes(name, view, changes)
}

/// What is wrong with the named views: a message for each.
pub fn problems(settings: &Settings) -> Vec<String> {
    let views = settings.views.iter().flatten();
    views.filter_map(|(name, view)| with_changes(name, view, Map::new()).err()).collect()
}

/// The name of the view that is shown, if it is one of the setting `views`. Profiles and baselines
/// are not compared.
pub fn current(world: &World) -> Option<&str> {
    let shown = Overrides { baseline: None, ..world.overrides.clone() };
    let is_shown = |name: &str, view: &Map<String, Value>| {
        let choices = with_changes(name, view, Map::new()).ok()?;
        Some(Overrides::default().changed(Change::Set(choices), None).ok()? == shown)
    };
    let mut views = world.settings.views.iter().flatten();
    let found = views.find(|(name, view)| is_shown(name, view) == Some(true));
    found.map(|(name, _)| name.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn settings() -> Settings {
        let views = json!({ "views": {
            "memory": { "metric": "alloc_space", "own": true },
            "no runtime": { "transforms": [{ "type": "drop-function", "function": "gc" }] },
            "broken": { "metrics": "x" },
        } });
        let (settings, warnings) = Settings::parse(&views);
        assert_eq!(warnings, [""; 0]);
        settings
    }

    fn chosen(choices: Value) -> Result<Overrides, String> {
        let choices = resolved(serde_json::from_value(choices).unwrap(), &settings())?;
        let before = json!({ "unit": "both", "metric": "cpu" });
        let before = Change::Set(serde_json::from_value(before).unwrap());
        Overrides::default().changed(before, None)?.changed(Change::Set(choices), None)
    }

    #[test]
    fn a_named_view_replaces_all_choices() {
        let memory = chosen(json!({ "view": "memory" })).unwrap();
        let expected = Overrides {
            metric: Some("alloc_space".to_owned()),
            own: Some(true),
            ..Overrides::default()
        };
        assert_eq!(memory, expected);
        let changed = chosen(json!({ "view": "memory", "metric": "inuse_space" })).unwrap();
        assert_eq!(changed.metric.as_deref(), Some("inuse_space"));
        let cut = chosen(json!({ "view": "no runtime" })).unwrap();
        assert_eq!(cut.transforms, ["drop-function:gc".parse().unwrap()]);
        assert_eq!(chosen(json!({ "view": null })).unwrap(), Overrides::default());
        let world =
            |overrides| World { settings: settings().into(), overrides, ..World::default() };
        assert_eq!(current(&world(memory)), Some("memory"));
        assert_eq!(current(&world(cut)), Some("no runtime"));
        assert_eq!(current(&world(changed)), None);
    }

    #[test]
    fn unknown_and_malformed_views_are_errors() {
        let error = chosen(json!({ "view": "memry" })).unwrap_err();
        let names = "it has `broken`, `memory`, `no runtime`";
        assert_eq!(error, format!("the setting `views` has no view `memry`: {names}"));
        let problems = problems(&settings());
        assert_eq!(problems.len(), 1);
        let start = "setting `views`: `broken`: unknown key `metrics`, expected one of";
        assert!(problems[0].starts_with(start), "{problems:?}");
    }
}
