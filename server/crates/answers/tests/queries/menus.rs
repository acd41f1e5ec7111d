//! The data for menus and status lines: view, profiles, files and state. Explanations of lines.

use crate::support::{Project, recording};
use answers::profiles::shown;
use answers::{
    Choice, ChoiceKey, ChoiceValue, Choices, Chosen, Context, ExplainReason as Reason, Explanation,
    HowMapped as How, Overrides, RankBy as By, Settings, ViewChange as Change, World, ask, explain,
    paths, profiles, view,
};
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
fn a_view_offers_the_hot_spots_that_the_profile_has() {
    let context = context(&project(&json!({})));
    // Its stacks have no cliques, and only Mercury's profiles have fields.
    assert_eq!(
        view(&context.world).hot_spots,
        [
            By::Function,
            By::Line,
            By::Edge,
            By::File,
            By::Module,
            By::Package,
            By::Library,
            By::Thread
        ]
    );
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

/// The id of a process is that of its first thread, whose name others have, too.
#[test]
fn each_thread_of_a_process_can_be_chosen() {
    let thread = |tid: u32| json!({"ph": "M", "name": "thread_name", "pid": 7, "tid": tid, "args": {"name": "pool"}});
    let call = |tid: u32, dur: u32| json!({"ph": "X", "name": "work", "pid": 7, "tid": tid, "ts": 0, "dur": dur});
    let trace = json!([thread(7), thread(8), call(7, 3000), call(8, 1000)]).to_string();
    let values = |settings: &Value| {
        let project = project(settings);
        let context = project.context(project.load(recording(&trace)), &[]);
        let view = view(&context.world);
        let threads = view.choices.iter().find(|choice| choice.key == ChoiceKey::Threads).unwrap();
        let values = threads.options.iter().map(|option| json!(option.value)).collect::<Vec<_>>();
        (values, view.shown.total.unwrap().0, json!(threads.value))
    };
    let (all, total, _) = values(&json!({}));
    assert_eq!((&all, total), (&vec![json!("tid:7"), json!("8")], 4000.0));
    assert_eq!(values(&json!({"threads": ["tid:7"]})), (all.clone(), 3000.0, json!(["tid:7"])));
    assert_eq!(values(&json!({"threads": ["8"]})), (all, 1000.0, json!(["8"])));
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
        ["Remove merge-function:hash", "Remove all transforms", "Reset to the settings"]
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
    let restored = answers::state::parse(&kept).unwrap().overrides;
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
    assert_eq!((active.metric.as_str(), active.total.unwrap().0), ("samples", 4.0));
    assert!(!active.profile.picked && !active.profile.deleted);
    // It was not found, but it is shown.
    let [found] = profiles.profiles.as_slice() else { panic!("{:?}", profiles.profiles) };
    assert_eq!(
        (found.path.as_str(), found.active),
        (project.path("profile.folded").to_str().unwrap(), true)
    );

    let pick = vec![project.path("profile.folded")];
    let picked = World { pick, deleted: true, ..World::clone(&context.world) };
    let profile = shown(&picked).profile.unwrap();
    assert!(profile.picked && profile.deleted);
}

#[test]
fn paths_list_the_hottest_files_first() {
    let project = project(&json!({}));
    let samples = "
        a@1[file:/srv/x/lib.rs] b@1[file:/srv/x/lib.rs] c@2[file:dup.rs]  d@1[file:/usr/none.c]
        f@1[file:app.rs]        f@1[file:app.rs]        f@1[file:app.rs]  f@2[file:app.rs]";
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
            ("app.rs", How::Suffix, 4.0, 3.0),
            ("/srv/x/lib.rs", How::Suffix, 0.0, 2.0),
            ("/usr/none.c", How::Unmapped, 0.0, 1.0),
            ("dup.rs", How::Ambiguous, 0.0, 1.0),
        ]
    );
    assert_eq!(paths.mapped, 2);
    let candidates = paths.files[3].candidates.as_ref().unwrap();
    assert_eq!(candidates.len(), 2);
    assert_eq!(paths.files[0].path.as_deref(), project.path("app.rs").to_str());
}

fn why(project: &Project, context: &Context, file: &str, line: u32) -> Explanation {
    explain(context, &answers::ExplainQuestion { uri: project.uri(file), line: line - 1 })
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
    let answer = |file: &str, line0: u32| {
        ask(&context, "explain", &json!({"uri": project.uri(file), "line": line0})).unwrap()
    };
    let report = "line 4 · self 100.0% (4 samples) · total 100.0% (4 samples)\n";
    assert!(answer("app.rs", 3)["report"].as_str().unwrap().starts_with(report));
    // Neither a line without a cost nor a document that is not open has one.
    assert_eq!(answer("app.rs", 4)["report"], Value::Null);
    assert_eq!(answer("lib.rs", 0)["report"], Value::Null);

    let off = World {
        settings: Arc::new(Settings::parse(&json!({"hints": {"enable": false}})).0),
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

#[test]
fn an_ambiguous_file_is_explained_with_the_rule_for_each_candidate() {
    let text = "def f():\n    work()\n";
    let files = ["services/api/app/words.py", "services/worker/app/words.py"];
    let project = Project::new(&files.map(|file| (file, text)));
    let snapshot = project.load(text_samples::profile("f@2[file:/app/app/words.py]"));
    let context = project.context(snapshot, &files);
    let explanation = why(&project, &context, files[0], 2);
    assert_eq!(explanation.code, Reason::FileAmbiguous);
    for rule in [
        r#"{ "from": "/app", "to": "services/api" }"#,
        r#"{ "from": "/app", "to": "services/worker" }"#,
    ] {
        assert!(explanation.message.contains(rule), "{}", explanation.message);
    }
    let paths = paths(&context).unwrap();
    let rules: Vec<_> = paths.files[0].rules.iter().map(|rule| rule.to.as_str()).collect();
    assert_eq!(rules, ["services/api", "services/worker"]);
}

#[test]
fn a_file_with_fewer_lines_than_the_profile_names_is_not_the_recorded_one() {
    let project = Project::new(&[("src/main.rs", "fn main() {\n    work();\n}\n")]);
    let shown = |samples: &str| {
        let snapshot = project.load(text_samples::profile(samples));
        let context = project.context(snapshot, &["src/main.rs"]);
        why(&project, &context, "src/main.rs", 2)
    };
    let foreign = "serve@2[file:/ci/other/src/main.rs] serve@240[file:/ci/other/src/main.rs]";
    let explanation = shown(foreign);
    assert_eq!(explanation.code, Reason::FileNotMatched);
    assert!(explanation.message.contains("names line 240"), "{}", explanation.message);
    assert!(explanation.message.contains("3 lines"), "{}", explanation.message);
    // A file with all functions that the profile names may have been shortened since.
    let edited = "main@2[file:/ci/mine/src/main.rs] work@240[file:/ci/mine/src/main.rs]";
    assert_eq!(shown(edited).code, Reason::Shown);
    // The end of the file.
    let end = "serve@2[file:/ci/mine/src/main.rs] serve@4[file:/ci/mine/src/main.rs]";
    assert_eq!(shown(end).code, Reason::Shown);
}

#[test]
fn a_file_without_any_of_the_recorded_functions_is_not_the_recorded_one() {
    let file = "[file:/ci/other/src/main.rs]";
    let foreign = format!(
        "main@1{file}[start:1] serve@2{file}[start:2] route@3{file}[start:3] listen@4{file}[start:4]"
    );
    let shown = |text: &str, is_older: bool| {
        let project = Project::new(&[("src/main.rs", text)]);
        let recording = text_samples::profile(&foreign);
        let loaded = if is_older {
            project.loaded_before_edits(recording)
        } else {
            project.loaded(recording)
        };
        let snapshot = project.load_all(vec![loaded]);
        let context = project.context(snapshot, &["src/main.rs"]);
        why(&project, &context, "src/main.rs", 2)
    };
    let lines = "    work();\n".repeat(8);
    // `main` is the name of a function in most projects.
    let mine = format!("use std::fs;\n\n\n\n\n\nfn main() {{\n{lines}}}\n");
    let explanation = shown(&mine, false);
    assert_eq!(explanation.code, Reason::FileNotMatched);
    let expected = "none of the functions that the profile names there, such as `listen`";
    assert!(explanation.message.contains(expected), "{}", explanation.message);
    // A save changes nothing.
    assert_eq!(shown(&mine, true).code, Reason::FileNotMatched);
    // One of the functions suffices: others may have been renamed. The lines have moved with `main`.
    let explanation = shown(&format!("{mine}fn route() {{}}\n"), false);
    assert_eq!(explanation.code, Reason::StaleLine);
    assert_eq!(shown(&format!("fn main() {{\n{lines}}}\n"), false).code, Reason::Shown);
}

#[test]
fn functions_on_their_lines_choose_between_ambiguous_files() {
    let words = "def tokens():\n    a()\n\ndef count():\n    b()\n";
    let file = "[file:/app/app/words.py]";
    let with_starts = format!("tokens@2{file}[start:1] count@5{file}[start:4]");
    // py-spy records no start lines.
    let without_starts = format!("tokens@2{file} count@5{file}");
    let chosen = |samples: &str, api: &str| {
        let files = ["services/api/app/words.py", "services/worker/app/words.py"];
        let project = Project::new(&[(files[0], api), (files[1], words)]);
        let snapshot = project.load(text_samples::profile(samples));
        let context = project.context(snapshot, &files);
        files.map(|file| why(&project, &context, file, 2).code)
    };
    let ambiguous = [Reason::FileAmbiguous, Reason::FileAmbiguous];
    let others = "def parse():\n    a()\n\n\n\n\n\n\n";
    for samples in [&with_starts, &without_starts] {
        let [api, worker] = chosen(samples, others);
        assert!(api != Reason::Shown && worker == Reason::Shown, "{samples}: {api:?} {worker:?}");
        // One function is on its line in both files.
        let one = "def tokens():\n    a()\n\n\n\n\n\n\n";
        assert_eq!(chosen(samples, one), ambiguous, "{samples}");
        assert_eq!(chosen(samples, words), ambiguous, "{samples}");
    }
    // Neither file has it on its line.
    let edited = format!("tokens@2{file} count@6{file}");
    assert_eq!(chosen(&edited, others), ambiguous);
    let common = format!("main@2{file} run@5{file}");
    assert_eq!(chosen(&common, "def main():\n    a()\n\ndef run():\n    b()\n"), ambiguous);
}

#[test]
fn excluded_ignored_and_outside_files_are_explained_as_such() {
    let text = "def f():\n    work()\n";
    let files = ["src/x.py", "out/gen.py", "lib/y.py"];
    let project = Project::new(&files.map(|file| (file, text)))
        .with_settings(&json!({"exclude": ["src/**"]}));
    std::fs::write(project.path(".gitignore"), "/out\n").unwrap();
    let samples = format!(
        "f@2[file:{}] f@2[file:gen.py] f@2[file:/usr/lib/python3/y.py]",
        project.path("src/x.py").display()
    );
    let snapshot = project.load(text_samples::profile(&samples));
    let context = project.context(snapshot, &files);
    let explained = |file: &str| {
        let Explanation { code, message, .. } = why(&project, &context, file, 2);
        (code, message)
    };
    let (code, message) = explained("src/x.py");
    assert_eq!(code, Reason::FileExcluded);
    assert!(message.contains("setting `exclude`"), "{message}");
    let (code, message) = explained("out/gen.py");
    assert_eq!(code, Reason::FileNotMatched);
    assert!(message.contains("this file is ignored"), "{message}");
    let (code, message) = explained("lib/y.py");
    assert_eq!(code, Reason::FileNotMatched);
    assert!(message.contains("belongs to a library"), "{message}");
    assert!(message.contains(r#"{ "from": "/usr/lib/python3", "to": "lib" }"#), "{message}");

    let elsewhere = Project::new(&[("src/x.py", text)]);
    let snapshot = project.load(text_samples::profile("f@2[file:x.py]"));
    let context = Context {
        documents: elsewhere
            .context(elsewhere.load(text_samples::profile("f@2[file:x.py]")), &["src/x.py"])
            .documents,
        ..project.context(snapshot, &[])
    };
    assert_eq!(why(&elsewhere, &context, "src/x.py", 2).code, Reason::FileOutside);
}

#[test]
fn a_file_without_lines_says_whether_others_have_some() {
    let project = project(&json!({}));
    let message = |samples| {
        let recording = text_samples::profile(samples);
        let context = project.context(project.load(recording), &["app.rs"]);
        let answer = why(&project, &context, "app.rs", 1);
        assert_eq!(answer.code, Reason::NoLines);
        answer.message
    };
    let alone = message("hash[file:app.rs]");
    assert!(alone.contains("has functions, but no lines"), "{alone}");
    let beside_others = message("a@1[file:lib.rs]\nhash[file:app.rs]");
    assert!(beside_others.contains("functions of this file, but no lines"), "{beside_others}");
}

#[test]
fn generated_files_say_where_their_costs_are() {
    // Line 1 of app.js was line 1 of app.ts.
    let map = r#"{"version":3,"sources":["app.ts"],"mappings":"AAAA"}"#;
    let project = Project::new(&[
        ("app.js", "f();\n// end\n//# sourceMappingURL=app.js.map\n"),
        ("app.js.map", map),
        ("app.ts", "f();\n"),
    ]);
    let recording = text_samples::profile("f@1[file:app.js]");
    let context = project.context(project.load(recording), &["app.js", "app.ts"]);
    let line = why(&project, &context, "app.js", 1);
    assert_eq!(line.code, Reason::SourceMapped);
    assert!(line.message.contains("app.ts:1"), "{}", line.message);
    assert_eq!(why(&project, &context, "app.js", 2).code, Reason::SourceMapped);
    assert_eq!(why(&project, &context, "app.ts", 1).code, Reason::Shown);
}

#[test]
fn every_choice_replaces_its_setting_until_it_is_taken_back() {
    let settings = Settings::default();
    let chosen = json!({
        "metric": "cpu", "threads": ["a"], "implementation": "js", "inlines": "callSite",
        "unit": "absolute", "show": "self"
    });
    let change = |old: &Overrides, choices: Value| old.changed(set(choices), None).unwrap();
    let all = change(&Overrides::default(), chosen.clone());
    let equal = json!({
        "metric": "cpu", "threads": ["a"], "implementation": "js", "inlines": "callSite",
        "unit": "absolute", "hints": {"show": "self"}
    });
    assert_eq!(all.applied_to(&settings), Settings::parse(&equal).0);
    for (key, value) in chosen.as_object().unwrap() {
        let one = change(&Overrides::default(), json!({ key: value }));
        assert_ne!(one.applied_to(&settings), settings, "{key}");
        assert_eq!(change(&one, json!({ key: null })), Overrides::default(), "{key}");
    }
}

#[test]
fn transforms_are_taken_back_last_first() {
    let context = context(&project(&json!({})));
    let mut world = World::clone(&context.world);
    for transform in ["merge-function:hash", "drop-function:main"] {
        world = changed(&world, Change::Push(transform.parse().unwrap()));
    }
    world = changed(&world, Change::Pop);
    let left: Vec<_> = world.settings.transforms.iter().map(ToString::to_string).collect();
    assert_eq!(left, ["merge-function:hash"]);
    world = changed(&changed(&world, Change::Pop), Change::Pop);
    assert_eq!(world.overrides, Overrides::default());
}

#[test]
fn a_profile_is_unsymbolicated_if_most_functions_are_addresses() {
    let project = project(&json!({}));
    let is_unsymbolicated =
        |samples| project.load(text_samples::profile(samples)).is_unsymbolicated();
    assert!(is_unsymbolicated("0x10[lib:app] 0x20[lib:app] main[lib:app]"));
    assert!(!is_unsymbolicated("0x10[lib:app] main[lib:app]"));
    assert!(!is_unsymbolicated("0x10[lib:app] 0x20[lib:app] hash@4[file:app.rs]"));
}

/// Freed memory: the costs of one file are negative.
#[test]
fn files_with_negative_costs_can_be_the_hottest() {
    let project = project(&json!({}));
    let samples = "f@1[file:/srv/freed.c] f@2 g@1[file:/srv/used.c]";
    let snapshot = project.load(text_samples::weighted(samples, &[-100.0, -20.0, 7.0]));
    let paths = paths(&project.context(snapshot, &[])).unwrap();
    let rows: Vec<_> = paths
        .files
        .iter()
        .map(|file| (file.name.as_str(), file.self_.0, file.hottest_line.0))
        .collect();
    assert_eq!(rows, [("/srv/freed.c", -120.0, -100.0), ("/srv/used.c", 7.0, 7.0)]);
}
