//! The data for menus and status lines: view, profiles, files and state. Explanations of lines.

use crate::support::Project;
use engine::context::Context;
use engine::overrides::{Change, Choices, Overrides};
use engine::query::explain::{self, Explanation, Reason, explain};
use engine::query::paths::{How, paths};
use engine::query::profiles::{profiles, shown};
use engine::query::view::{Choice, ChoiceKey, ChoiceValue, Chosen, view};
use engine::state;
use engine::world::World;
use profile::text_samples;
use serde_json::{Value, json};
use std::sync::Arc;

const APP: &str = "fn main() {\n    hash();\n}\nfn hash() {}\nfn idle() {}\n";

/// Two threads: 3 samples of main → hash, and 1 of hash alone.
fn context(project: &Project) -> Context {
    let main = "
        main@2[file:app.rs] main@2  main@2
        hash@4[file:app.rs] hash@4  hash@4";
    let recording = text_samples::build(&[("main", main, None), ("worker", "hash@4", None)]);
    project.context(project.load(recording), &["app.rs"])
}

fn project(settings: &Value) -> Project {
    Project::new(&[("app.rs", APP), ("lib.rs", "fn a() {}\n"), ("b/dup.rs", ""), ("c/dup.rs", "")])
        .with_settings(settings)
}

/// The world after a change by command, without its costs renewed.
fn changed(world: &World, change: Change) -> World {
    let overrides = world.overrides.changed(change, world.snapshot().map(Arc::as_ref)).unwrap();
    let settings = Arc::new(overrides.applied_to(&world.settings));
    World { overrides, settings, ..world.clone() }
}

fn set(choices: Value) -> Change {
    Change::Set(serde_json::from_value(choices).unwrap())
}

/// The options of a choice, with a star at what is chosen.
fn options(choice: &Choice) -> Vec<String> {
    let options = choice.options.iter();
    let star = |active| if active { "*" } else { "" };
    options.map(|option| format!("{}{}", star(option.active), option.label)).collect()
}

#[test]
fn a_view_offers_choices_with_several_options() {
    let context = context(&project(&json!({"unit": "both"})));
    let view = view(&context.world);
    assert_eq!((view.shown.total.unwrap().0, view.shown.metric.as_deref()), (4.0, Some("samples")));
    let keys: Vec<_> = view.choices.iter().map(|choice| choice.key).collect();
    assert_eq!(
        keys,
        [ChoiceKey::Threads, ChoiceKey::Unit, ChoiceKey::Show, ChoiceKey::Baseline],
        "one profile, one metric, no JavaScript, nothing inlined"
    );
    let [threads, unit, ..] = view.choices.as_slice() else { panic!("{:?}", view.choices) };
    assert_eq!(options(threads), ["*main", "*worker"]);
    let shares: Vec<_> = threads.options.iter().map(|one| one.description.as_deref()).collect();
    assert_eq!(shares, [Some("75.0%"), Some("25.0%")]);
    assert_eq!(threads.value, Chosen::Several(Vec::new()), "all");
    assert_eq!(options(unit), ["Percent", "Absolute", "*Both"]);
    assert_eq!(unit.value, Chosen::One(ChoiceValue::Text("both".to_owned())));
    assert_eq!(view.actions.len(), 2);
}

#[test]
fn choices_are_marked_and_can_be_reset() {
    let context = context(&project(&json!({})));
    let world = changed(&context.world, set(json!({"unit": "absolute"})));
    let world = changed(&world, Change::Push("merge-function:hash".parse().unwrap()));
    let view = view(&world);
    assert_eq!(options(&view.choices[1]), ["Percent", "*Absolute", "Both"]);
    assert_eq!(view.transforms[0].text, "merge-function:hash");
    let titles: Vec<_> = view.actions.iter().map(|action| action.title.as_str()).collect();
    assert_eq!(
        titles[2..],
        ["Undo merge-function:hash", "Undo all transforms", "Reset to the settings"]
    );
    assert_eq!(view.actions[4].arguments, [Choices::reset_all()]);
}

#[test]
fn unmatched_names_are_errors_and_all_threads_are_no_override() {
    let context = context(&project(&json!({})));
    let shown = context.world.snapshot().map(Arc::as_ref);
    let change = |choices| Overrides::default().changed(set(choices), shown);
    for (choices, problem) in [
        (json!({"metric": "bytes"}), "no metric is called `bytes`"),
        (json!({"threads": ["missing"]}), "no thread"),
        (json!({"implementation": "js"}), "JavaScript"),
    ] {
        let error = change(choices).unwrap_err();
        assert!(error.contains(problem), "{error}");
    }
    let all = change(json!({"threads": ["main", "worker"]})).unwrap();
    assert_eq!(all.threads, Some(Vec::new()));
    let one = change(json!({"threads": ["worker"]})).unwrap();
    assert_eq!(one.threads, Some(vec!["worker".to_owned()]));
    // Another profile may have this metric.
    let other = change(json!({"profile": "other.folded", "metric": "bytes"})).unwrap();
    assert_eq!(other.metric.as_deref(), Some("bytes"));
}

#[test]
fn the_state_restores_choices() {
    let context = context(&project(&json!({})));
    assert_eq!(shown(&context.world).state, None);
    let world = changed(&context.world, set(json!({"unit": "both", "show": "self"})));
    let world = changed(&world, Change::Push("drop-function:hash".parse().unwrap()));
    let kept = shown(&world).state.unwrap();
    let restored = state::parse(&kept).unwrap().overrides;
    assert_eq!(restored, world.overrides);
    let again = changed(&context.world, Change::Restore(restored));
    assert_eq!(again.settings, world.settings);
}

#[test]
fn profiles_say_which_is_shown() {
    let project = project(&json!({}));
    let context = context(&project);
    let profiles = profiles(&context.world);
    let active = profiles.active.unwrap();
    assert_eq!((active.metric.as_str(), active.total.0), ("samples", 4.0));
    assert!(!active.profile.picked && !active.profile.deleted);
    // It was not found, but it is shown.
    let [found] = profiles.profiles.as_slice() else { panic!("{:?}", profiles.profiles) };
    assert_eq!(
        (found.path.as_str(), found.active),
        (project.path("profile.folded").to_str().unwrap(), true)
    );

    let pick = Some(project.path("profile.folded"));
    let picked = World { pick, deleted: true, ..World::clone(&context.world) };
    let profile = shown(&picked).profile.unwrap();
    assert!(profile.picked && profile.deleted);
}

#[test]
fn paths_list_the_hottest_files_first() {
    let project = project(&json!({}));
    let samples = "
        a@1[file:/srv/x/lib.rs] b@1[file:/srv/x/lib.rs] c@2[file:dup.rs]  d@1[file:/usr/none.c]
        f@1[file:app.rs]        f@1[file:app.rs]        f@1[file:app.rs]";
    let context = project.context(project.load(text_samples::profile(samples)), &[]);
    let paths = paths(&context).unwrap();
    let rows: Vec<_> = paths
        .files
        .iter()
        .map(|file| (file.name.as_str(), file.how, file.self_.0, file.hottest_line.0))
        .collect();
    assert_eq!(
        rows,
        [
            ("app.rs", How::Suffix, 3.0, 3.0),
            ("/srv/x/lib.rs", How::Suffix, 0.0, 2.0),
            ("dup.rs", How::Ambiguous, 0.0, 1.0),
            ("/usr/none.c", How::Unmapped, 1.0, 1.0),
        ]
    );
    assert_eq!(paths.mapped, 2);
    let candidates = paths.files[2].candidates.as_ref().unwrap();
    assert_eq!(candidates.len(), 2);
    assert_eq!(paths.files[0].path.as_deref(), project.path("app.rs").to_str());
}

fn why(project: &Project, context: &Context, file: &str, line: u32) -> Explanation {
    explain(context, &explain::Question { uri: project.uri(file), line: line - 1 })
}

#[test]
fn a_line_with_a_cost_is_explained_with_it() {
    let project = project(&json!({"hints": {"minPercent": 80}}));
    let context = context(&project);
    // main → hash on line 2 in 3 of 4 samples; hash on line 4 in all.
    let hash = why(&project, &context, "app.rs", 4);
    assert_eq!((hash.code, hash.stale), (Reason::Shown, Some(false)));
    let cost = hash.cost.unwrap();
    assert_eq!((cost.self_.unwrap().0, cost.total.unwrap().0), (4.0, 4.0));
    let main = why(&project, &context, "app.rs", 2);
    assert_eq!(main.code, Reason::BelowThreshold);
    assert!(main.message.contains("total 75.0% (3 samples)") && main.message.contains("80%"));

    let off = World {
        settings: Arc::new(
            engine::settings::Settings::parse(&json!({"hints": {"enable": false}})).0,
        ),
        ..World::clone(&context.world)
    };
    let off = Context { world: Arc::new(off), ..context };
    assert_eq!(why(&project, &off, "app.rs", 4).code, Reason::HintsOff);
}

#[test]
fn a_line_without_a_cost_is_explained_without_one() {
    let project = project(&json!({}));
    let context = context(&project);
    let none = why(&project, &context, "app.rs", 5);
    assert_eq!((none.code, none.cost, none.stale), (Reason::NoCost, None, None));
    assert_eq!(why(&project, &context, "lib.rs", 1).code, Reason::NotOpen);
    let open = [("lib.rs", "fn a() {}\n".to_owned()), ("app.rs", format!("// new\n{APP}"))];
    let recording = text_samples::profile("hash@4[file:app.rs]");
    let context = project.context_with(project.load(recording), &open);
    assert_eq!(why(&project, &context, "lib.rs", 1).code, Reason::FileNotInProfile);
    assert_eq!(why(&project, &context, "app.rs", 1).code, Reason::StaleLine);
    assert_eq!(why(&project, &context, "app.rs", 5).code, Reason::Shown);
    let nothing = Context { world: Arc::default(), ..context };
    assert_eq!(why(&project, &nothing, "app.rs", 4).code, Reason::NoProfile);
}
