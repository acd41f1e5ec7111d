//! Which functions, lines and files of two profiles are the same, and what of them is not known.

use crate::support::{Project, compared_with, numbered, recording};
use answers::{Compare, Diff, DiffRow as Row, ListBy, Sides, Snapshot, line_costs};
use profile::text_samples;
use std::fs;
use std::sync::Arc;

const RUN: &str = "class A:\n    def run(self):\n        pass\n\ndef main():\n    A().run()\n";

/// The name or place of a row, the sides that have it, and its costs.
fn shown(row: &Row) -> String {
    let side = match row.sides {
        Sides::Both => "both",
        Sides::After => "new",
        Sides::Before => "gone",
    };
    let what = if row.name.is_empty() { row.place() } else { row.name.clone() };
    format!("{what} {side} {} {}", row.self_.before, row.self_.now)
}

fn rows(diff: &Diff, by: ListBy) -> Vec<String> {
    let mut rows: Vec<_> = diff.rows(by).iter().map(shown).collect();
    rows.sort();
    rows
}

fn diff(project: &Project, [before, now]: [&str; 2]) -> Diff {
    let load = |text| Arc::new(project.load(text_samples::profile(text)));
    Diff::new(&load(before), &load(now), Compare::Absolute)
}

/// The number of unmatched functions of each side.
fn n_unmatched(diff: &Diff) -> [usize; 2] {
    [diff.unmatched.n_before, diff.unmatched.n_now]
}

#[test]
fn an_address_is_a_function_of_one_build() {
    let project = Project::new(&[]);
    // The columns are samples.
    let samples = |build: &str, second: &str| {
        let [first, second] = ["0x10", second].map(|it| format!("{it}[lib:app][build:{build}]"));
        let width = first.len();
        format!("{:width$} main\n{first} {second}", "main[lib:app]")
    };
    let compared = |before: String, now: String| diff(&project, [&before, &now]);
    // Which function 0x10 is in another build, and whether it is there, is not known.
    for [before, now] in [["a", "b"], ["", ""]] {
        let diff = compared(samples(before, "0x10"), samples(now, "0x20"));
        assert_eq!(rows(&diff, ListBy::Function), ["main both 0 0"]);
        assert_eq!((n_unmatched(&diff), diff.unmatched.own), ([1, 2], 2.0));
    }
    let diff = compared(samples("a", "0x10"), samples("a", "0x20"));
    assert_eq!(rows(&diff, ListBy::Function), ["0x10 both 2 1", "main both 0 0"]);
    assert_eq!((n_unmatched(&diff), diff.unmatched.own), ([0, 1], 1.0));
}

/// The program of one profile is no longer there.
#[test]
fn functions_at_addresses_are_neither_new_nor_gone() {
    let project = Project::new(&[("app.c", "int main() {\n}\nint sort() {\n}\n")]);
    let addresses = "main[lib:libc] main\n0x10[lib:app]  free[lib:libc]";
    let names = "main[lib:libc]              main\nsort@3[file:app.c][lib:app] scan[lib:libc]";
    let libc = |[free, scan]: [&str; 2]| {
        [format!("free {free}"), "main both 0 0".to_owned(), format!("scan {scan}")]
    };
    let forth = diff(&project, [addresses, names]);
    assert_eq!(rows(&forth, ListBy::Function), libc(["gone 1 0", "new 0 1"]));
    let back = diff(&project, [names, addresses]);
    assert_eq!(rows(&back, ListBy::Function), libc(["new 0 1", "gone 1 0"]));
    for diff in [forth, back] {
        assert_eq!((n_unmatched(&diff), diff.unmatched.own), ([1, 1], 1.0));
        assert_eq!(rows(&diff, ListBy::File), ["[libc] both 1 1"]);
        assert_eq!(rows(&diff, ListBy::Line), [""; 0]);
        // `app.c` and the library.
        assert_eq!((diff.unmatched_files, diff.unresolved_files), (1, 2));
    }
}

/// The stubs of a linker have no names.
#[test]
fn a_few_addresses_hide_no_function() {
    let project = Project::new(&[]);
    let samples =
        |name: &str| format!("{name}[lib:app] {}0x10[lib:app]", format!("{name} ").repeat(199));
    let diff = diff(&project, [&samples("old"), &samples("new")]);
    assert_eq!(rows(&diff, ListBy::Function), ["new new 0 200", "old gone 200 0"]);
    assert_eq!(n_unmatched(&diff), [1, 1]);
}

/// The text of one recording is not known, so its functions have no definitions.
#[test]
fn functions_are_matched_whichever_text_is_known() {
    let project = Project::new(&[("app.py", RUN)]);
    let samples = |n: usize| {
        let [main, run] = ["main@6[file:app.py] ", "run@3[file:app.py]  "].map(|it| it.repeat(n));
        format!("{main}\n{run}")
    };
    fs::write(project.path("app.py"), "#\n".repeat(6) + RUN).unwrap();
    let guess = project.loaded_before_edits(text_samples::profile(&samples(3)));
    let guess = Arc::new(project.load_all(vec![guess]));
    fs::write(project.path("app.py"), RUN).unwrap();
    let known = Arc::new(project.load(text_samples::profile(&samples(1))));
    let is_defined = |snapshot: &Snapshot| {
        snapshot.costs.functions().all(|(it, _)| snapshot.source_function(it).is_some())
    };
    assert_eq!([&known, &guess].map(|snapshot| is_defined(snapshot)), [true, false]);
    for (before, now, run) in [(&known, &guess, "1 3"), (&guess, &known, "3 1")] {
        let diff = Diff::new(before, now, Compare::Absolute);
        let rows = rows(&diff, ListBy::Function);
        assert_eq!(rows, ["main both 0 0".to_owned(), format!("run both {run}")]);
        assert_eq!(n_unmatched(&diff), [0, 0]);
    }
}

/// The changes between two profiles in both directions. The text of `guess` is not known.
fn both_ways(project: &Project, guess: &str, known: &str) -> [Diff; 2] {
    let guess = project.loaded_before_edits(text_samples::profile(guess));
    let guess = Arc::new(project.load_all(vec![guess]));
    let known = Arc::new(project.load(text_samples::profile(known)));
    [(&guess, &known), (&known, &guess)]
        .map(|(before, now)| Diff::new(before, now, Compare::Absolute))
}

/// The function is in the file that it was moved to, and the text that it was moved from is not known.
#[test]
fn a_function_of_another_file_is_not_new() {
    let other = "int other() {\n    return 1;\n}\n";
    let work = "int work() {\n    return 2;\n}\n";
    let project = Project::new(&[("a.c", other), ("b.c", work), ("c.c", work)]);
    let samples =
        |work: &str, lib: &str| format!("work@2[file:{work}]{lib}  other@2[file:a.c]{lib}");
    let compared = |lib| both_ways(&project, &samples("a.c", lib), &samples("b.c", lib));
    for diff in compared("[lib:app]") {
        let rows = rows(&diff, ListBy::Function);
        assert_eq!(rows, ["other both 1 1", "work both 1 1"]);
        assert_eq!(n_unmatched(&diff), [0, 0]);
    }
    // Without a library, it may be another function.
    for diff in compared("") {
        assert_eq!(rows(&diff, ListBy::Function), ["other both 1 1"]);
        assert_eq!(n_unmatched(&diff), [1, 1]);
    }
    // The other file still has its own.
    let [forth, _] = both_ways(&project, "work@9[file:b.c]", "work@2[file:b.c] work@2[file:c.c]");
    assert_eq!(rows(&forth, ListBy::Function), ["work both 1 1", "work new 0 1"]);
}

/// The text of one recording is not known, but neither is the name of the function there.
#[test]
fn a_function_that_only_one_profile_names_is_new_or_gone() {
    let text = "fn main() {\n    0\n}\nfn extra<T>() {\n    1\n}\n";
    let project = Project::new(&[("a.rs", text)]);
    let before = "main@9[file:a.rs]";
    let now = "main@2[file:a.rs] extra<u8>@5[file:a.rs]";
    let [forth, back] = both_ways(&project, before, now);
    assert_eq!(rows(&forth, ListBy::Function), ["extra<u8> new 0 1", "main both 1 1"]);
    assert_eq!(rows(&back, ListBy::Function), ["extra<u8> gone 1 0", "main both 1 1"]);
    // Another instance of the function, or a function of another file.
    for extra in ["extra<f64>@8[file:a.rs]", "extra<u8>@5[file:b.rs]"] {
        let [forth, _] = both_ways(&project, &format!("{before} {extra}"), now);
        assert_eq!(forth.unmatched.n_now, 1, "{extra}");
    }
}

/// A function of each row `NAME FILE LINE`, of one profile with the self cost 1, and of the other with
/// 2.
fn folders(before: &[&str], now: &[&str]) -> Diff {
    let project = Project::new(&[]);
    let load = |rows: &[&str], cost: u32| {
        let row = |row: &&str| {
            let (name, file) = row.split_once(' ').unwrap();
            format!("{name} ({file}:3) {cost}00\n")
        };
        Arc::new(project.load(recording(&rows.iter().map(row).collect::<String>())))
    };
    Diff::new(&load(before, 1), &load(now, 2), Compare::Absolute)
}

/// None of the sources is here.
#[test]
fn functions_of_another_folder_are_matched_by_their_path() {
    for (before, now) in [
        ("/builds/1/app/a.c", "/builds/2/app/a.c"),
        ("/old/a.c", "/new/a.c"),
        ("/builds/1/app/a.c", "C:\\agent\\app\\a.c"),
        ("/builds/1/app/a.c", "a.c"),
    ] {
        let [before, now] = [before, now].map(|file| format!("parse {file}"));
        let diff = folders(&[&before], &[&now]);
        assert_eq!(rows(&diff, ListBy::Function), ["parse both 100 200"], "{now}");
        assert_eq!(n_unmatched(&diff), [0, 0]);
    }
    // Of several, the path decides.
    let diff = folders(
        &["run /1/app/read/a.c", "run /1/app/write/a.c"],
        &["run /2/app/write/a.c", "run /2/app/read/a.c", "run /2/app/b.c"],
    );
    assert_eq!(rows(&diff, ListBy::Function), ["run both 100 200"; 2]);
    assert_eq!(n_unmatched(&diff), [0, 1]);
    // Which of two is that in the root is not known, and a file of another name is another file.
    let several = folders(&["run /1/x/a.c", "run /1/y/a.c"], &["run /2/z/a.c"]);
    assert_eq!((rows(&several, ListBy::Function), n_unmatched(&several)), (vec![], [2, 1]));
    let other = folders(&["run /1/x/a.c"], &["run /1/x/b.c"]);
    assert_eq!((rows(&other, ListBy::Function), n_unmatched(&other)), (vec![], [1, 1]));
}

#[test]
fn files_of_another_folder_are_neither_new_nor_gone() {
    let diff = folders(&["run /1/a.c", "run /1/b.c"], &["run /2/a.c", "run /2/c.c"]);
    assert_eq!(rows(&diff, ListBy::File), ["/1/b.c gone 100 0", "/2/c.c new 0 200"]);
    assert_eq!(diff.unresolved_files, 2);
}

/// Which of two files `/ci/app.py` is, is not known.
#[test]
fn lines_of_a_file_that_may_be_another_are_neither_new_nor_gone() {
    let project = Project::new(&[("a/app.py", RUN), ("b/app.py", RUN)]);
    let [found, missing] = ["run@3[file:a/app.py]", "run@3[file:/ci/app.py]"];
    for profiles in [[found, missing], [missing, found]] {
        let diff = diff(&project, profiles);
        assert_eq!((rows(&diff, ListBy::Line), diff.unmatched_files), (vec![], 1));
        assert_eq!((rows(&diff, ListBy::File), diff.unresolved_files), (vec![], 2));
    }
}

/// Each profile is of a checkout of its own.
#[test]
fn an_edited_function_of_another_checkout_is_the_same() {
    let text = "int other() {\n    return 1;\n}\nint work() {\n    return 2;\n}\n";
    let edited = text.replace("return 2", "return helper(2)");
    let project = Project::new(&[("base/app.c", text), ("head/app.c", &edited)]);
    let samples = |folder: &str, n: usize| {
        let work = format!("work@5[file:{folder}/app.c][start:4] ").repeat(n);
        format!("{work} other@2[file:{folder}/app.c][start:1]")
    };
    let diff = diff(&project, [&samples("base", 1), &samples("head", 30)]);
    assert_eq!(rows(&diff, ListBy::Function), ["other both 1 1", "work both 1 30"]);
    assert_eq!(n_unmatched(&diff), [0, 0]);
    assert_eq!(rows(&diff, ListBy::File), ["head/app.c both 2 31"]);
    // The line was edited.
    let lines = ["base/app.c:5 gone 1 0", "head/app.c:2 both 1 1", "head/app.c:5 new 0 30"];
    assert_eq!(rows(&diff, ListBy::Line), lines);
}

/// The lines of an open document, too.
#[test]
fn hints_of_another_checkout_have_their_change() {
    let text = "int other() {\n    return 1;\n}\nint work() {\n    return 2;\n}\n";
    let project = Project::new(&[("base/app.c", text), ("head/app.c", text)]);
    let load = |folder: &str, weights: [f64; 2]| {
        let work = format!("work@5[file:{folder}/app.c][start:4]");
        let other = format!("other@2[file:{folder}/app.c][start:1]");
        project.load(text_samples::timed(&format!("{work} {other}"), &weights))
    };
    let (before, shown) = (load("base", [10.0, 10.0]), load("head", [90.0, 10.0]));
    let context = compared_with(&project.context(shown, &["head/app.c"]), before);
    let hints = line_costs(&context, &project.uri("head/app.c"), 0..u32::MAX);
    let labels: Vec<String> = hints.iter().map(numbered).collect();
    assert_eq!(labels, ["2 10.0%", "5 90.0% ▲80.0 ms"]);
}

/// Of two files with one name, each is the one with the longer common end.
#[test]
fn files_of_checkouts_have_the_longest_common_end() {
    let text = "int other() {\n    return 1;\n}\nint work() {\n    return 2;\n}\n";
    let files = ["base/a/x.c", "base/b/x.c", "head/a/x.c", "head/b/x.c"].map(|it| (it, text));
    let project = Project::new(&files);
    let samples = |folder: &str, work: [usize; 2]| {
        let of_file = |(at, n): (&str, usize)| {
            let file = format!("{folder}/{at}/x.c");
            let work = format!("work@5[file:{file}][start:4] ").repeat(n);
            format!("{work}other@2[file:{file}][start:1]")
        };
        ["a", "b"].into_iter().zip(work).map(of_file).collect::<Vec<_>>().join(" ")
    };
    let diff = diff(&project, [&samples("base", [1, 2]), &samples("head", [5, 1])]);
    assert_eq!(rows(&diff, ListBy::File), ["head/a/x.c both 2 6", "head/b/x.c both 3 2"]);
    let functions = ["other both 1 1", "other both 1 1", "work both 1 5", "work both 2 1"];
    assert_eq!(rows(&diff, ListBy::Function), functions);
}

/// Without sources. Of two functions, the clone of one is not known.
#[test]
fn clones_are_compared_with_their_functions() {
    let project = Project::new(&[]);
    let before = "fill.isra.0@5[file:/x/a.c] fill.isra.0@5 sort@9[file:/x/a.c]";
    let now = "fill.constprop.0@5[file:/x/a.c] sort.part.0@9[file:/x/a.c] sort.cold@9[file:/x/a.c]";
    let diff = diff(&project, [before, now]);
    assert_eq!(rows(&diff, ListBy::Function), ["fill.constprop.0 both 2 1"]);
    assert_eq!(n_unmatched(&diff), [1, 2]);
}

/// Files of one name in different folders, which share one function.
#[test]
fn files_of_one_name_are_no_checkouts() {
    let project = Project::new(&[
        ("a/mod.rs", "fn new() {\n    1\n}\nfn a() {\n    1\n}\n"),
        ("b/mod.rs", "fn new() {\n    2\n}\nfn b() {\n    2\n}\n"),
    ]);
    let samples = |folder: &str| {
        format!("new@2[file:{folder}/mod.rs][start:1] {folder}@5[file:{folder}/mod.rs][start:4]")
    };
    let diff = diff(&project, [&samples("a"), &samples("b")]);
    let rows = rows(&diff, ListBy::Function);
    assert_eq!(rows, ["a gone 1 0", "b new 0 1", "new gone 1 0", "new new 0 1"]);
}
