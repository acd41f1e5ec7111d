use super::*;
use crate::view::baseline::BaselineChoice;
use loading::{Combine, Compare, Implementation, Inlines, Show, Stamp, Unit};
use serde_json::{Value, json};

fn set(chosen: &Overrides, choices: Value) -> Result<Overrides, String> {
    let choices = serde_json::from_value(choices).map_err(|error| error.to_string())?;
    chosen.changed(Change::Set(choices), None)
}

#[test]
fn overrides_apply_until_the_same_setting_changes() {
    let parse = |settings: Value| Settings::parse(&settings).0;
    let old = parse(json!({"unit": "both", "metric": "cpu", "hints": {"minPercent": 3}}));
    let choices = json!({"unit": "absolute", "show": "self", "threads": ["a*"]});
    let mut chosen = set(&Overrides::default(), choices).unwrap();
    let settings = chosen.applied_to(&old);
    assert_eq!(
        (settings.unit, settings.hints.show, settings.threads),
        (Unit::Absolute, Show::Self_, vec!["a*".to_owned()])
    );
    assert_eq!((settings.metric.as_deref(), settings.hints.min_percent), (Some("cpu"), 3.0));

    let new = parse(json!({"unit": "percent", "hints": {"minPercent": 4}}));
    chosen.remove_changed(&old, &new);
    let settings = chosen.applied_to(&new);
    assert_eq!(
        (settings.unit, settings.hints.show, settings.hints.min_percent),
        (Unit::Percent, Show::Self_, 4.0)
    );
    assert_eq!((settings.metric, settings.threads.len()), (None, 1));
    assert!(chosen.override_settings());

    let back = set(&chosen, json!({"show": null, "threads": null, "inlines": null})).unwrap();
    assert_eq!(back, Overrides::default());
    assert_eq!(back.applied_to(&new), new);
    let reset_all = serde_json::to_value(Choices::reset_all()).unwrap();
    assert_eq!(set(&chosen, reset_all.clone()).unwrap(), Overrides::default());
    let sent = Choices::reset_all().without_nulls();
    assert!(!sent.to_string().contains("null"), "{sent}");
    let received: Choices = serde_json::from_value(sent).unwrap();
    assert_eq!(received.with_nulls(), Ok(Choices::reset_all()));
}

#[test]
fn every_override_of_a_setting_is_reset() {
    let all = Overrides {
        combine: Some(Combine::Average),
        compare: Some(Compare::Share),
        metric: Some("cpu".to_owned()),
        overlay: Some("bytes".to_owned()),
        threads: Some(vec!["main".to_owned()]),
        labels: Some(Vec::new()),
        implementation: Some(Implementation::All),
        range: Some("1..2".to_owned()),
        search: Some("parse".to_owned()),
        inlines: Some(Inlines::Body),
        own: Some(true),
        unit: Some(Unit::Both),
        show: Some(Show::Self_),
        path_mappings: Some(Vec::new()),
        baseline: Some(ChosenBaseline::Nothing),
        transforms: Vec::new(),
        node: None,
    };
    let all = serde_json::to_value(all).unwrap();
    let keys = all.as_object().unwrap().keys();
    let keys: Vec<_> = keys.filter(|key| *key != "baseline").collect();
    let reset = serde_json::to_value(Choices::reset_all()).unwrap();
    assert_eq!(reset.as_object().unwrap().keys().collect::<Vec<_>>(), keys);
    assert!(reset.as_object().unwrap().values().all(Value::is_null), "{reset}");
}

#[test]
fn unknown_keys_and_values_are_errors() {
    for (choices, expected) in [
        (
            json!({"unit": "both", "colour": 1}),
            "unknown field `colour`, expected one of `view`, `profile`",
        ),
        (json!({"unit": "furlongs"}), "unknown variant `furlongs`, expected one of `percent`"),
        (json!({"threads": "main"}), "invalid type: string \"main\", expected a sequence"),
        (json!({"baseline": 7}), "a path, true (the profile shown now) or null"),
    ] {
        let error = set(&Overrides::default(), choices).unwrap_err();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn a_baseline_is_restored_unless_it_was_rewritten() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("cpu.folded");
    std::fs::write(&path, "main 1\n").unwrap();
    let stamp = Stamp::of(&path).unwrap();
    let modified = stamp.milliseconds();
    let shown = ChosenBaseline::Shown { path: path.clone(), modified, bytes: 7 };
    assert_eq!(shown.file(), Some(path.as_path()));
    std::fs::write(&path, "main 10\n").unwrap();
    assert_eq!(shown.file(), None);
    let by_path = ChosenBaseline::new(Some(&BaselineChoice::Path(path.clone())), None);
    assert_eq!(by_path.file(), Some(path.as_path()));
    for choice in [None, Some(&BaselineChoice::Shown(false))] {
        assert_eq!(ChosenBaseline::new(choice, None), ChosenBaseline::Nothing);
    }
}
