//! Which files are profiles, and their warnings.

use crate::support::Project;
use answers::{Recognised, Settings, discover};
use formats::Format;
use profile::{Warning, WarningCode, text_samples};
use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

const FOLDED: &str = "main;parse 3\n";

/// Writes a file and sets its modification time to `age` seconds ago.
fn write(path: &Path, text: &str, age: u64) {
    fs::write(path, text).unwrap();
    let modified = SystemTime::now() - Duration::from_secs(age);
    fs::File::options().write(true).open(path).unwrap().set_modified(modified).unwrap();
}

#[test]
fn profiles_are_listed_once_and_newest_first() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("sub");
    fs::create_dir(&folder).unwrap();
    write(&folder.join("a.folded"), FOLDED, 30);
    write(&folder.join("b.folded"), FOLDED, 10);
    write(&dir.path().join("c.folded"), FOLDED, 20);
    let roots = [dir.path().to_owned(), folder];
    let found = discover(&roots, &Settings::default(), &mut Recognised::default());
    let names = found.candidates.iter().map(|file| file.path.file_name().unwrap());
    assert_eq!(names.collect::<Vec<_>>(), ["b.folded", "c.folded", "a.folded"]);
}

#[test]
fn a_rewritten_file_is_recognised_again() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("cpu.folded");
    let mut recognised = Recognised::default();
    let mut is_found = || {
        let found = discover(&[dir.path().to_owned()], &Settings::default(), &mut recognised);
        !found.candidates.is_empty()
    };
    write(&path, "", 20);
    assert!(!is_found());
    write(&path, FOLDED, 10);
    assert!(is_found());
    write(&path, "", 5);
    assert!(!is_found());
}

#[test]
fn the_warnings_of_the_files_of_a_run_are_summed() {
    let project = Project::new(&[]);
    let file = |count| {
        let message = "skipped".to_owned();
        let warning = Warning { code: WarningCode::MalformedLine, message, count };
        let mut file = project.loaded(text_samples::profile("main"));
        file.warnings.push(warning);
        file
    };
    let snapshot = project.load_all(vec![file(2), file(3)]);
    assert_eq!(snapshot.costs.total, 2.0);
    let warnings = snapshot.warnings.iter();
    let warnings: Vec<_> =
        warnings.map(|warning| (warning.message.as_str(), warning.count)).collect();
    assert_eq!(warnings, [("profile.folded: skipped", 5)]);
}

#[test]
fn a_fifth_of_the_stacks_may_not_be_broken() {
    let project = Project::new(&[]);
    let is_warned = |n_whole: usize, n_broken: usize| {
        let row = |whole: &str, broken: &str| {
            let cells = std::iter::repeat_n(whole, n_whole);
            let cells = cells.chain(std::iter::repeat_n(broken, n_broken));
            cells.map(|cell| format!("{cell:20}")).collect::<Vec<_>>().concat()
        };
        let samples = row("_start[lib:app]", "work[lib:app]") + "\n" + &row("main[lib:app]", "");
        let mut file = project.loaded(text_samples::profile(&samples));
        file.format = Format::PerfScript;
        let snapshot = project.load_all(vec![file]);
        snapshot.warnings.iter().any(|warning| warning.code == WarningCode::BrokenStacks)
    };
    assert!(is_warned(8, 2));
    assert!(!is_warned(9, 1));
    assert!(!is_warned(0, 9), "too few samples to judge");
}

#[test]
fn stacks_that_dhat_has_cut_are_warned_about() {
    let project = Project::new(&[]);
    let warning = |mode: &str, depth: usize, begins: &str| {
        // The cost of the first stack is a fifth.
        let samples = format!("{begins:20}main\n") + &"work[lib:app]\n".repeat(depth - 1);
        let mut file = project.loaded(text_samples::weighted(&samples, &[1.0, 4.0]));
        (file.format, file.mode) = (Format::Dhat, Some(mode.to_owned()));
        let snapshot = project.load_all(vec![file]);
        let mut warnings = snapshot.warnings.iter();
        let broken = warnings.find(|warning| warning.code == WarningCode::BrokenStacks);
        broken.map(|warning| warning.message.clone())
    };
    let by_valgrind = warning("heap", 12, "work[lib:app]").unwrap();
    assert_eq!(
        by_valgrind,
        "stacks with 20.0% of the costs are cut at 12 frames, so totals of callers are too low: \
         record with `valgrind --tool=dhat --num-callers=500 PROGRAM`"
    );
    assert!(warning("rust-heap", 10, "work[lib:app]").unwrap().contains("trim_backtraces"));
    for (mode, depth, begins) in [
        ("heap", 12, "main"),
        ("heap", 11, "work[lib:app]"),
        ("heap", 13, "work[lib:app]"),
        ("rust-heap", 12, "work[lib:app]"),
    ] {
        assert_eq!(warning(mode, depth, begins), None, "{mode} {depth} {begins}");
    }
}
