//! The rows of hot spots, of a profile of Mercury's deep profiler.

use crate::support::Project;
use answers::{
    Context, HotSpots, HotSpotsQuestion as Question, Loaded, RankBy as By, RankSort as Sort,
    hot_spots, view,
};
use mercury_files::deep::DeepFile;
use std::fs;
use std::ops::ControlFlow;

fn context() -> Context {
    let project = Project::new(&[]);
    let path = project.path("Deep.data");
    fs::write(&path, DeepFile::even_odd().bytes()).unwrap();
    let loaded = Loaded::read(&path, 1 << 20, &mut |_| ControlFlow::Continue(())).unwrap();
    project.context(project.load_all(vec![loaded]), &[])
}

fn ask(question: Question) -> HotSpots {
    hot_spots(&context(), question).unwrap().unwrap()
}

/// Name and label of functions.
fn functions(question: Question) -> Vec<String> {
    let rows = ask(question).list.rows;
    let name = |name: &str| name.split('/').next().unwrap().to_owned();
    rows.iter().map(|row| format!("{} {}", name(&row.title), row.cost.label)).collect()
}

#[test]
fn functions_have_the_cost_that_they_are_sorted_by() {
    let of = |sort| {
        let module = Some("m".to_owned());
        functions(Question { sort, module, ..Question::default() })
    };
    assert_eq!(
        of(Some(Sort::Total)),
        ["m.main 100.0%", "m.even 69.2%", "m.leaf 46.2%", "m.odd 23.1%"]
    );
    for by_self in [None, Some(Sort::Self_)] {
        assert_eq!(
            of(by_self),
            ["m.leaf self 46.2%", "m.even self 23.1%", "m.odd self 23.1%", "m.main self 7.7%"]
        );
    }
    assert_eq!(
        of(Some(Sort::Calls)),
        ["m.leaf 6 calls", "m.even 3 calls", "m.odd 3 calls", "m.main 1 call"]
    );
}

#[test]
fn costs_per_call_are_in_the_unit_of_the_metric() {
    let (sort, per_call) = (Some(Sort::Total), Some(true));
    let question = Question { sort, per_call, min: Some(2.0), ..Question::default() };
    assert_eq!(
        functions(question.clone()),
        ["m.main total 13 callseqs", "m.even total 3 callseqs"]
    );
    let spots = ask(question);
    // The runtime is not called.
    assert_eq!(spots.without_calls, 1);
    let even = &spots.list.rows[1].cost;
    assert_eq!(even.text, "self 1 callseq · total 3 callseqs per call · 3 calls");
    let per_call = even.per_call.as_ref().unwrap();
    assert_eq!((per_call.self_.0, per_call.total.unwrap().0), (1.0, 3.0));
}

#[test]
fn modules_and_cliques() {
    let question = |by: By| Question { by: Some(by.into()), ..Question::default() };
    let modules = ask(question(By::Module)).list.rows;
    let rows: Vec<_> = modules.iter().map(|row| (row.name.as_deref(), &*row.cost.text)).collect();
    assert_eq!(rows, [(Some("m"), "self 100.0% (13 callseqs)")]);
    let cliques = ask(question(By::Clique)).list.rows;
    let recursive: Vec<_> = cliques.iter().filter(|clique| clique.recursive).collect();
    let [clique] = recursive[..] else { panic!("one clique") };
    let names: Vec<_> = clique.members[0].functions.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["m.even/2-0", "m.odd/2-0"]);
    assert_eq!(clique.title, "m.even/2-0, m.odd/2-0");
    assert_eq!(clique.cost.text, "self 46.2% (6 callseqs) · total 92.3% (12 callseqs)");
    assert_eq!(clique.cost.calls, Some(1));
    let own: f64 = cliques.iter().filter_map(|row| row.cost.cost.self_).map(|own| own.0).sum();
    assert_eq!(own, 13.0);
}

#[test]
fn a_profile_of_mercury_can_list_everything_but_labels() {
    let mut all: Vec<By> = answers::values().into_iter().map(|by| by.value).collect();
    all.retain(|&by| by != By::Label);
    assert_eq!(view(&context().world).hot_spots, all);
}

#[test]
fn calls_have_their_hottest_site() {
    let edges = ask(Question { by: Some(By::Edge.into()), limit: Some(2), ..Question::default() });
    let rows: Vec<_> = edges
        .list
        .rows
        .iter()
        .map(|row| {
            format!("{} {} {}", row.title, row.cost.label, row.place.as_ref().unwrap().place_text)
        })
        .collect();
    assert_eq!(
        rows,
        [
            "Mercury runtime.Mercury runtime/0-0 → m.main/2-0 100.0% no source",
            "m.main/2-0 → m.even/2-0 92.3% m.m:5"
        ]
    );
}

#[test]
fn what_rows_do_not_have_is_an_error() {
    let problem = |question| hot_spots(&context(), question).unwrap_err();
    let lines = Question { by: Some(By::Line.into()), ..Question::default() };
    let by_calls = Question { sort: Some(Sort::Calls), ..lines.clone() };
    assert_eq!(problem(by_calls), "calls of lines are not counted; sort lines by self or total");
    let in_module = Question { module: Some("m".to_owned()), ..lines };
    assert!(problem(in_module).contains("only functions and fields can be limited to a module"));
}
