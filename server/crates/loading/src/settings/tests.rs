use super::*;
use serde_json::json;

#[test]
fn missing_settings_have_their_defaults() {
    for value in
        [Value::Null, json!({}), json!({"costline": {}}), json!({"metric": null, "hints": null})]
    {
        assert_eq!(Settings::parse(&value), (Settings::default(), Vec::new()), "{value}");
    }
}

#[test]
fn invalid_keys_are_reported_and_the_others_apply() {
    let (settings, warnings) = Settings::parse(&json!({
        "costline": {"hints": {"minPercent": 2, "show": "self", "colour": 1}, "metric": 5, "watch": "poll", "nonsense": true,
                     "unit": "furlongs", "lenses": {"minPercent": -1}, "exclude": ["a{"], "baseline": "x"}
    }));
    assert_eq!(
        (settings.hints.min_percent, settings.hints.show, settings.watch),
        (2.0, Show::Self_, Watch::Poll)
    );
    assert_eq!(
        (settings.metric, settings.unit, settings.lenses.min_percent),
        (None, Unit::Percent, 1.0)
    );
    let keys: Vec<_> = warnings.iter().filter_map(|warning| warning.split('`').nth(1)).collect();
    assert_eq!(
        keys,
        [
            "costline.exclude[0]",
            "costline.hints.colour",
            "costline.lenses.minPercent",
            "costline.metric",
            "costline.nonsense",
            "costline.unit"
        ]
    );
}

#[test]
fn warnings_say_what_was_expected_in_terms_of_json() {
    let table = [
        (
            json!({"hints": {"minPercent": "lots"}}),
            "`costline.hints.minPercent`: expected a number, found string \"lots\"",
        ),
        (
            json!({"hints": {"minPercent": -5}}),
            "`costline.hints.minPercent`: expected a percentage from 0 to 100, found -5",
        ),
        (json!({"hints": 5}), "`costline.hints`: expected an object, found integer `5`"),
        (json!({"lenses": []}), "`costline.lenses`: expected an object, found a list"),
        (
            json!({"unit": 7}),
            "`costline.unit`: expected one of `percent`, `absolute`, `both`, found integer `7`",
        ),
        (
            json!({"unit": "furlongs"}),
            "`costline.unit`: unknown value `furlongs`, expected one of `percent`, `absolute`, `both`",
        ),
        (json!({"metric": 5}), "`costline.metric`: expected a string, found integer `5`"),
        (json!({"threads": 5}), "`costline.threads`: expected a list, found integer `5`"),
        (json!({"views": 5}), "`costline.views`: expected an object, found integer `5`"),
    ];
    for (settings, expected) in table {
        let (parsed, warnings) = Settings::parse(&settings);
        assert_eq!(warnings, [format!("settings: {expected}; it is ignored")], "{settings}");
        assert_eq!(parsed, Settings::default());
    }
}

#[test]
fn the_other_entries_of_lists_and_objects_apply() {
    let (settings, warnings) = Settings::parse(&json!({
        "exclude": ["a", "b{", 7],
        "pathMappings": [{"from": "/a", "to": "a"}, {"from": "/b"}, {"from": "/c", "to": 1}],
        "views": {"a": {"unit": "both"}, "b": 5},
    }));
    assert_eq!(settings.exclude, ["a"]);
    let mapping = PathMapping { from: "/a".to_owned(), to: "a".to_owned() };
    assert_eq!(settings.path_mappings, [mapping]);
    assert!(settings.views.unwrap().into_keys().eq(["a"]));
    let expected = [
        "`costline.exclude[1]`: error parsing glob 'b{': unclosed alternate group; missing '}' \
         (maybe escape '{' with '[{]'?)",
        "`costline.exclude[2]`: expected a string, found integer `7`",
        "the key `to` in `costline.pathMappings[1]` is missing",
        "`costline.pathMappings[2].to`: expected a string, found integer `1`",
        "`costline.views.b`: expected an object, found integer `5`",
    ];
    assert_eq!(warnings, expected.map(|it| format!("settings: {it}; it is ignored")));
}

#[test]
fn a_value_that_is_not_an_object_is_reported() {
    let (settings, warnings) = Settings::parse(&json!([1, 2]));
    assert_eq!(settings, Settings::default());
    assert_eq!(warnings, ["settings: expected an object, found [1,2]; the defaults apply"]);
}

#[test]
#[cfg(unix)]
fn source_roots_may_be_relative_and_contain_variables() {
    let sources = |paths: &[&str]| SourceSettings {
        source_roots: paths.iter().map(ToString::to_string).collect(),
        ..SourceSettings::default()
    };
    let workspace = [PathBuf::from("/w/shop"), PathBuf::from("/w/api")];
    let home = Some(Path::new("/home/me"));
    let table = [
        ("/opt/rust", "/opt/rust"),
        ("vendor", "/w/shop/vendor"),
        ("../sdk", "/w/shop/../sdk"),
        ("${workspaceFolder}/../sdk", "/w/shop/../sdk"),
        ("${workspaceFolder}", "/w/shop"),
        ("${workspaceFolder:api}/gen", "/w/api/gen"),
        ("~/.rustup", "/home/me/.rustup"),
        ("${userHome}", "/home/me"),
    ];
    for (given, expected) in table {
        let roots = sources(&[given]).roots_at(&workspace, home);
        let expected = Root { path: expected.into(), kind: RootKind::Sources };
        assert_eq!(roots.last(), Some(&expected), "{given}");
    }
    // Without a workspace folder it is relative to nothing, and reported as missing.
    assert_eq!(sources(&["vendor"]).roots_at(&[], home)[0].path, Path::new("vendor"));
}
