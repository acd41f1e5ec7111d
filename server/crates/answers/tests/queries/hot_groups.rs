//! Hot spots of own code, and of files, packages, libraries and threads.

use crate::support::Project;
use answers::{
    Context, HotCost, HotRow, HotSpotsQuestion as Question, RankBy as By, RankScope as Scope,
    RankSort as Sort, hot_spots,
};
use profile::text_samples;
use serde_json::json;

const APP: &str = "fn main() {\n    burn();\n}\nfn burn() {\n    spin();\n}\nfn rest() {}\n";

/// Start-up code has no self cost and is on each stack. A library spends half of the samples.
const SAMPLES: &str = "
    start@9[file:/rustc/0123/library/std/src/rt.rs]  start@9 start@9                 start@9
    once@7[file:/rustc/0123/library/core/src/ops.rs] once@7  once@7                  once@7
    main@2[file:src/app.rs]                          main@2  main@3                  main@2
    burn@5[file:src/app.rs]                          burn@5  rest@7[file:src/app.rs] burn@5
    spin@3[file:vendor/spin/src/lib.rs]              spin@3";

fn project() -> Project {
    let files = [
        ("Cargo.toml", "[package]\nname = \"my-app\"\n"),
        ("src/app.rs", APP),
        ("vendor/spin/Cargo.toml", "[package]\nname = \"spin\"\n"),
        ("vendor/spin/src/lib.rs", "\n\nfn spin() {}\n"),
    ];
    Project::new(&files)
}

fn context(project: &Project) -> Context {
    project.context(project.load(text_samples::profile(SAMPLES)), &["src/app.rs"])
}

fn costs(cost: &HotCost) -> String {
    let total = cost.cost.total.map_or("-".to_owned(), |total| total.0.to_string());
    format!("{}/{total}", cost.cost.self_.unwrap().0)
}

fn functions(context: &Context, question: Question) -> Vec<String> {
    let rows = hot_spots(context, question).unwrap().unwrap().list.rows;
    rows.iter()
        .map(|row| format!("{} {} {}", row.title, costs(&row.cost), row.own.unwrap()))
        .collect()
}

#[test]
fn own_code_comes_first_by_self_cost() {
    let project = project();
    let context = context(&project);
    let all = Question::default();
    assert_eq!(
        functions(&context, all.clone()),
        [
            "burn 1/3 true",
            "rest 1/1 true",
            "main 0/4 true",
            "spin 2/2 false",
            "once 0/4 false",
            "start 0/4 false",
        ]
    );
    let own = Question { scope: Some(Scope::Own), sort: Some(Sort::Total), ..all.clone() };
    assert_eq!(functions(&context, own), ["main 0/4 true", "burn 1/3 true", "rest 1/1 true"]);
    // A part of the name or of the file.
    let filter = |text: &str| Question { filter: Some(text.to_owned()), ..all.clone() };
    assert_eq!(functions(&context, filter("BURN")), ["burn 1/3 true"]);
    assert_eq!(functions(&context, filter("library/std")), ["start 0/4 false"]);
    assert!(functions(&context, filter("none")).is_empty());
    let first = Question { limit: Some(1), ..all };
    assert_eq!(functions(&context, first), ["burn 1/3 true"]);
}

#[test]
fn files_and_packages_count_a_sample_once() {
    let project = project();
    let context = context(&project);
    let spots = |by: By| {
        let question = Question { by: Some(by.into()), ..Question::default() };
        hot_spots(&context, question).unwrap().unwrap()
    };
    let files = spots(By::File).list.rows;
    let rows = files.iter().map(|row| format!("{:?} {}", row.file.as_deref(), costs(&row.cost)));
    assert_eq!(
        rows.collect::<Vec<_>>(),
        [
            // main and burn are both on three stacks, which count once.
            r#"Some("src/app.rs") 2/4"#,
            r#"Some("vendor/spin/src/lib.rs") 2/2"#,
            r#"Some("/rustc/0123/library/core/src/ops.rs") 0/4"#,
            r#"Some("/rustc/0123/library/std/src/rt.rs") 0/4"#,
        ]
    );
    assert_eq!(files[0].place.as_ref().unwrap().uri, Some(project.uri("src/app.rs")));
    assert_eq!(
        (files[0].place.as_ref().unwrap().line0, files[0].own, files[1].own),
        (Some(0), Some(true), Some(false))
    );
    let packages = spots(By::Package).list.rows;
    let row = |row: &HotRow| {
        let name = row.name.as_deref().unwrap_or("-");
        format!("{name} {} {}", costs(&row.cost), row.own.unwrap())
    };
    assert_eq!(
        packages.iter().map(row).collect::<Vec<_>>(),
        ["my-app 2/4 true", "spin 2/2 false", "core 0/4 false", "std 0/4 false"]
    );
    let threads = spots(By::Thread).list.rows;
    let row = |row: &HotRow| format!("{} {}", row.title, costs(&row.cost));
    assert_eq!(threads.iter().map(row).collect::<Vec<_>>(), ["main · thread 1 4/4"]);
}

#[test]
fn functions_without_a_file_or_a_library_have_a_title() {
    let project = project();
    let samples = "main@2[file:src/app.rs] lost malloc[lib:libc.so.6]";
    let context = project.context(project.load(text_samples::profile(samples)), &[]);
    let spots = |by: By| {
        let question = Question { by: Some(by.into()), ..Question::default() };
        hot_spots(&context, question).unwrap().unwrap()
    };
    let sorted = |mut titles: Vec<String>| {
        titles.sort();
        titles
    };
    let files = spots(By::File).list.rows.into_iter().map(|row| row.title);
    assert_eq!(sorted(files.collect()), ["no file", "src/app.rs"]);
    let titles = |rows: Vec<HotRow>| sorted(rows.into_iter().map(|row| row.title).collect());
    // Only profiles of Mercury have modules.
    for rows in [spots(By::Module).list.rows, spots(By::Library).list.rows] {
        assert_eq!(titles(rows), ["libc.so.6", "no library"]);
    }
    assert_eq!(titles(spots(By::Package).list.rows), ["libc.so.6", "my-app", "no package"]);
}

/// Own code without a manifest is in the package of the workspace folder.
#[test]
fn own_code_without_a_manifest_has_the_name_of_the_folder() {
    let project = Project::new(&[("app.py", "def main():\n    pass\n")]);
    let samples = text_samples::profile("main@2[file:app.py]");
    let context = project.context(project.load(samples), &["app.py"]);
    let question = Question { by: Some(By::Package.into()), ..Question::default() };
    let packages = hot_spots(&context, question).unwrap().unwrap().list.rows;
    let folder = project.path("").canonicalize().unwrap();
    let name = folder.file_name().unwrap().to_str();
    assert_eq!(packages.iter().map(|row| row.name.as_deref()).collect::<Vec<_>>(), [name]);
}

#[test]
fn rows_are_sorted_by_change() {
    let project = project();
    let now = context(&project);
    let by_change = Question { sort: Some(Sort::Change), ..Question::default() };
    let problem = hot_spots(&now, by_change.clone()).unwrap_err();
    assert_eq!(problem, "there is no profile to compare with; choose a baseline to sort by change");
    // In time, with exact samples: burn took 10 ms before and takes 40 ms now, rest 30 ms always.
    let samples = "burn@5[file:src/app.rs] rest@7[file:src/app.rs]";
    let [before, after] = [[10.0, 30.0], [40.0, 30.0]]
        .map(|weights| project.load(text_samples::timed(samples, &weights)));
    let context = crate::support::compared_with(&project.context(after, &[]), before);
    assert_eq!(functions(&context, by_change.clone())[0], "burn 40/40 true");
    let files = Question { by: Some(By::File.into()), ..by_change };
    let files = hot_spots(&context, files).unwrap().unwrap().list.rows;
    let change = files[0].cost.cost.fields.change.as_ref().unwrap().self_.as_ref().unwrap();
    assert_eq!((change.before.0, change.change.0), (40.0, 30.0));
}

#[test]
fn what_cannot_be_listed_is_an_error() {
    let project = project();
    let context = context(&project);
    let problem = |question| hot_spots(&context, question).unwrap_err();
    let threads = Question { by: Some(By::Thread.into()), ..Question::default() };
    let own = Question { scope: Some(Scope::Own), ..threads.clone() };
    assert!(problem(own).starts_with("threads cannot be limited to own code"));
    let calls = Question { sort: Some(Sort::Calls), ..threads };
    assert!(problem(calls).starts_with("calls of threads are not counted"));
    let library = Question { by: Some(By::Library.into()), ..Question::default() };
    assert_eq!(problem(library), "the profile does not say which library its functions are in");
}

/// A function of a header is compiled into a program and into its library.
fn in_two_libraries() -> Context {
    const SUM: &str = "int sum(int n) {\n    return n;\n}\n";
    const MAIN: &str = "#include \"sum.h\"\nint main() {\n    sum(1);\n}\n";
    let project = Project::new(&[("app.c", MAIN), ("sum.h", SUM)]);
    let samples = "
        main@3[file:app.c][lib:app]       main@3[file:app.c][lib:app]       main@3[file:app.c][lib:app]
        sum@2[file:sum.h][lib:app]        work[lib:libwork.so]              sum@2[file:sum.h][lib:app]
                                          sum@2[file:sum.h][lib:libwork.so] sum@2[file:sum.h][lib:libwork.so]";
    project.context(project.load(text_samples::profile(samples)), &["app.c", "sum.h"])
}

#[test]
fn a_function_in_two_libraries_costs_each_what_is_spent_in_it() {
    let context = in_two_libraries();
    let spots = |by: By| {
        let question = Question { by: Some(by.into()), ..Question::default() };
        hot_spots(&context, question).unwrap().unwrap()
    };
    let row = |row: &HotRow| format!("{} {}", row.name.as_deref().unwrap(), costs(&row.cost));
    let expected = ["libwork.so 2/2", "app 1/3"];
    let rows = |rows: Vec<HotRow>| rows.iter().map(row).collect::<Vec<_>>();
    assert_eq!(rows(spots(By::Library).list.rows), expected);
    assert_eq!(rows(spots(By::Module).list.rows), expected);
    // The function itself is one.
    assert_eq!(functions(&context, Question::default())[0], "sum 3/3 true");
}

#[test]
fn functions_of_a_library_cost_what_is_spent_in_it() {
    let context = in_two_libraries();
    let of = |module: &str| {
        let question = Question { module: Some(module.to_owned()), ..Question::default() };
        hot_spots(&context, question).map(|spots| {
            let rows = spots.unwrap().list.rows.into_iter();
            rows.map(|row| format!("{} {} {:?}", row.title, costs(&row.cost), row.lib)).collect()
        })
    };
    let rows = |module| -> Vec<String> { of(module).unwrap() };
    assert_eq!(rows("app"), ["sum 1/2 Some(\"app\")", "main 0/3 Some(\"app\")"]);
    assert_eq!(
        rows("libwork.so"),
        ["sum 2/2 Some(\"libwork.so\")", "work 0/1 Some(\"libwork.so\")"]
    );
    let unknown: Result<Vec<String>, _> = of("libwrk.so");
    let problem = "no library is called `libwrk.so` (did you mean `libwork.so`?)";
    assert_eq!(unknown.unwrap_err(), problem);
}

/// Name, label and detail of each function.
fn rows(context: &Context, question: Question) -> Vec<String> {
    let rows = hot_spots(context, question).unwrap().unwrap().list.rows;
    rows.iter().map(|row| [&*row.title, &row.cost.label, &row.cost.detail].join("|")).collect()
}

/// `main` calls a library, and `find`, which calls another one.
const WITH_LIBRARIES: &str = "
    main@1[file:src/app.rs] main@1                  main@1 load@3[file:src/app.rs]
    lib@1[file:/usr/l.rs]   find@9[file:src/app.rs] find@9
                            std@2[file:/usr/l.rs]   std@2
                                                    copy@4[file:/usr/l.rs]";

#[test]
fn own_functions_are_charged_for_the_libraries_that_they_call() {
    let project = project();
    let context = project.context(project.load(text_samples::profile(WITH_LIBRARIES)), &[]);
    let expected = [
        "find|50.0%|self 0.0% · total 50.0%",
        "main|25.0%|self 0.0% · total 75.0%",
        "load|self 25.0%|total 25.0%",
        "std|self 25.0%|total 50.0%",
        "copy|self 25.0%|total 25.0%",
        "lib|self 25.0%|total 25.0%",
    ];
    assert_eq!(rows(&context, Question::default()), expected);
    let first = |question| hot_spots(&context, question).unwrap().unwrap().list.rows.remove(0);
    let find = first(Question::default()).cost;
    assert_eq!(
        (find.charged.unwrap().0, find.cost.fields.share, find.cost.fields.tier),
        (2.0, 0.5, 3)
    );
    assert_eq!(
        find.text,
        "self 0.0% (0 samples) · total 50.0% (2 samples) · with libraries 50.0% (2 samples)"
    );
    let found = hot_spots(&context, Question::default()).unwrap().unwrap();
    let groups: Vec<_> = found.groups.iter().map(|group| (&*group.text, group.sum.0)).collect();
    // `lib` is called by own code, `copy` by nobody else than `std`; `load` alone is the fourth sample.
    assert_eq!(groups, [("Your code 100.0%", 4.0), ("Libraries and runtime 0.0%", 0.0)]);
    let by_self = first(Question { sort: Some(Sort::Self_), ..Question::default() });
    assert_eq!((by_self.title.as_str(), by_self.cost.charged), ("load", None));
    // Each row's own cost decides which ones are listed.
    let most = Question { min_percent: Some(30.0), ..Question::default() };
    assert_eq!(rows(&context, most), expected[..1]);
}

/// The view that removes libraries from the stacks finds the same costs in another way.
#[test]
fn the_charge_of_a_row_is_its_self_cost_in_the_view_of_own_code() {
    for samples in [WITH_LIBRARIES, SAMPLES, IN_LIBRARIES] {
        let by_library = if samples == IN_LIBRARIES { &[By::Module, By::Library][..] } else { &[] };
        for &by in [By::Function, By::Line, By::File, By::Package].iter().chain(by_library) {
            let charged = |settings, sort| {
                let project = project().with_settings(&settings);
                let context = project.context(project.load(text_samples::profile(samples)), &[]);
                let scope = Some(Scope::Own);
                let question = Question { by: Some(by.into()), sort, scope, ..Question::default() };
                let rows = hot_spots(&context, question).unwrap().unwrap().list.rows;
                let cost = |row: &HotRow| row.cost.charged.or(row.cost.cost.self_).unwrap().0;
                let costs = rows.iter().map(|row| (row.title.clone(), cost(row)));
                costs.filter(|(_, cost)| *cost != 0.0).collect::<Vec<_>>()
            };
            let by_charge = charged(json!({}), None);
            let own = json!({ "ownCode": true });
            assert_eq!(by_charge, charged(own, Some(Sort::Self_)), "{by:?}");
            assert!(!by_charge.is_empty());
        }
    }
}

/// A template of own code that is in two libraries.
const IN_LIBRARIES: &str = "
    main@2[file:src/app.rs][lib:app]             main@2                                        main@3
    burn@5[file:src/app.rs][lib:app]             burn@5[file:src/app.rs][lib:plug]
    spin@3[file:vendor/spin/src/lib.rs][lib:app] spin@3[file:vendor/spin/src/lib.rs][lib:plug]";

#[test]
fn lines_and_files_of_own_code_are_charged_for_libraries_too() {
    let project = project();
    let context = project.context(project.load(text_samples::profile(WITH_LIBRARIES)), &[]);
    let by = |by: By| Question { by: Some(by.into()), ..Question::default() };
    let expected = [
        "src/app.rs:9|50.0%|self 0.0% · total 50.0%",
        "src/app.rs:1|25.0%|self 0.0% · total 75.0%",
        "src/app.rs:3|self 25.0%|total 25.0%",
        "/usr/l.rs:2|self 25.0%|total 50.0%",
        "/usr/l.rs:1|self 25.0%|total 25.0%",
        "/usr/l.rs:4|self 25.0%|total 25.0%",
    ];
    assert_eq!(rows(&context, by(By::Line)), expected);
    let files = ["src/app.rs|100.0%|self 25.0% · total 100.0%", "/usr/l.rs|self 75.0%|total 75.0%"];
    assert_eq!(rows(&context, by(By::File)), files);
    let found = hot_spots(&context, by(By::File)).unwrap().unwrap();
    let groups: Vec<_> = found.groups.iter().map(|group| &*group.text).collect();
    assert_eq!(groups, ["Your code 100.0%", "Libraries and runtime 0.0%"]);
    // Libraries say where code is.
    let libraries = hot_spots(&context, by(By::Library)).unwrap_err();
    assert_eq!(libraries, "the profile does not say which library its functions are in");
    let threads = Question { sort: Some(Sort::Charged), ..by(By::Thread) };
    assert_eq!(
        hot_spots(&context, threads).unwrap_err(),
        "threads are not charged for the libraries that they call; sort threads by another cost"
    );
}

/// What stands beside the number of a row is about that number.
#[test]
fn the_change_and_the_spread_of_a_self_cost_are_not_beside_the_charge() {
    let samples = "
        find@9[file:src/app.rs] find@9
                                std@2[file:/usr/l.rs]";
    let project = project();
    let recording = |weights: &[f64]| text_samples::timed(samples, weights);
    let context = project.context(project.load(recording(&[40.0, 10.0])), &[]);
    let before = project.load(recording(&[10.0, 10.0]));
    let context = crate::support::compared_with(&context, before);
    let found = rows(&context, Question::default());
    assert_eq!(found[0], "find|100.0%|self 80.0% ▲30.0 ms · total 100.0%");

    let runs = [[40.0, 10.0], [20.0, 10.0]].map(|weights| project.loaded(recording(&weights)));
    let project = project.with_settings(&json!({ "combine": "average" }));
    let context = project.context(project.load_runs(runs.into()), &[]);
    let spread = |sort| {
        let question = Question { sort: Some(sort), ..Question::default() };
        let rows = hot_spots(&context, question).unwrap().unwrap().list.rows;
        rows[0].cost.spread.clone().unwrap().text
    };
    assert_eq!([Sort::Charged, Sort::Self_].map(spread), ["", "±14.1 ms"]);
}

#[test]
fn in_a_call_graph_what_libraries_cost_is_an_estimate() {
    let project = project();
    // `sort` itself costs 40, what it calls of libraries 18, and the own function that it calls 40.
    let text = "events: Ir\n\nfl=src/app.rs\nfn=main\n1 2\ncfn=dup\ncalls=1 5\n2 98\n\nfn=dup\n\
                cfi=/usr/lib/sort.rs\ncfn=sort\ncalls=1 9\n5 98\n\nfn=less\n7 40\n\n\
                fl=/usr/lib/sort.rs\nfn=sort\n9 40\ncfn=cmp\ncalls=1 20\n9 18\ncfi=src/app.rs\n\
                cfn=less\ncalls=1 7\n9 40\n\nfn=cmp\n20 18\n";
    let path = project.path("callgrind.out.1");
    std::fs::write(&path, text).unwrap();
    let go_on = &mut |_| std::ops::ControlFlow::Continue(());
    let loaded = answers::Loaded::read(&path, 1 << 20, go_on).unwrap();
    let context = project.context(project.load_all(vec![loaded]), &[]);
    let expected = [
        "dup|58.0% est.|self 0.0% · total 98.0%",
        "less|self 40.0%|total 40.0%",
        "main|self 2.0%|total 100.0%",
        "sort|self 40.0%|total 98.0%",
        "cmp|self 18.0%|total 18.0%",
    ];
    assert_eq!(rows(&context, Question::default()), expected);
}
