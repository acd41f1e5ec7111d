//! How often lines were executed, from the files that Mercury writes beside its deep profiles.

use crate::support::Project;
use answers::Loaded;
use mercury_files::deep::{DeepCall, DeepContext, DeepFile, DeepProc, DeepSite};
use mercury_files::procrep::{Options, assignment, call, conjunction, if_then_else, test, write};
use profile::WarningCode;
use std::fs;
use std::io::Write as _;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, SystemTime};

const TEXT: &str = "\
:- module m.

main(!IO) :-
    p(1, X),
    io.print(X, !IO).

p(X, Y) :-
    ( if X > 0 then
        Y = 1
    else
        Y = 2
    ).
";

/// `main` calls `p` once, which takes the then-part.
fn profile() -> Vec<u8> {
    let context = |procedure, slots: &[usize], counts: &[u64]| DeepContext {
        procedure,
        slots: slots.iter().map(|&call| vec![call]).collect(),
        counts: counts.to_vec(),
    };
    let call = |callee| DeepCall { callee, counts: [1, 0, 0, 0, 0, 1, 0, 0] };
    let file = DeepFile {
        version: 9,
        coverage: 2,
        callseqs: 2,
        procs: vec![
            DeepProc::new("runtime", 2, 0, vec![DeepSite::new(4, 0, 0, "")]),
            DeepProc::new("main", 2, 3, vec![DeepSite::new(0, 2, 4, "c1;")]),
            DeepProc {
                points: vec![("t;".to_owned(), true, 0)],
                ..DeepProc::new("p", 2, 7, Vec::new())
            },
        ],
        contexts: vec![context(0, &[0], &[]), context(1, &[1], &[]), context(2, &[], &[1])],
        calls: vec![call(1), call(2)],
        ..DeepFile::default()
    };
    file.bytes()
}

fn program() -> Vec<u8> {
    let options = Options { version: 6, width: 0, names: true, types: true };
    let main = conjunction(vec![call(4), assignment(5)]);
    let p = if_then_else(test(8), assignment(9), assignment(11));
    write(options, &[("main", main), ("p", p)])
}

fn project(program: Option<&[u8]>) -> Project {
    let project = Project::new(&[("m.m", TEXT)]);
    fs::write(project.path("Deep.data"), profile()).unwrap();
    if let Some(program) = program {
        fs::write(project.path("Deep.procrep"), program).unwrap();
    }
    project
}

fn read(path: &Path, max_bytes: u64) -> Loaded {
    Loaded::read(path, max_bytes, &mut |_| ControlFlow::Continue(())).unwrap()
}

/// The message about the representation of the program.
fn warning(loaded: &Loaded) -> Option<&str> {
    let mut warnings = loaded.warnings.iter();
    let found = warnings.find(|warning| warning.code == WarningCode::ProgramRepresentation);
    found.map(|warning| warning.message.as_str())
}

#[test]
fn lines_of_an_edited_text_have_the_counts_of_the_recorded_one() {
    let project = project(Some(&program()));
    let loaded = read(&project.path("Deep.data"), u64::MAX);
    assert_eq!(warning(&loaded), None);
    let context = project
        .context_with(project.load_all(vec![loaded]), &[("m.m", format!("% A comment.\n{TEXT}"))]);
    let file = context.open_file(&project.uri("m.m")).unwrap();
    let expected = [(4, Some(1)), (5, Some(1)), (8, Some(1)), (9, Some(1)), (11, Some(0))];
    assert_eq!(file.lines().executions(0..u32::MAX), expected);
    assert_eq!(file.lines().executions(5..9), expected[1..3]);
}

#[test]
fn a_profile_alone_has_no_counts() {
    let project = project(None);
    let loaded = read(&project.path("Deep.data"), u64::MAX);
    assert_eq!(warning(&loaded), None);
    assert!(project.load_all(vec![loaded]).line_counts.is_empty());
}

#[test]
fn a_program_that_cannot_be_read_is_reported() {
    let unknown = "execution counts are unknown: Deep.procrep: ";
    let message = |program: &[u8], max_bytes| {
        let project = project(Some(program));
        let loaded = read(&project.path("Deep.data"), max_bytes);
        let message = warning(&loaded).unwrap().strip_prefix(unknown).unwrap().to_owned();
        assert!(project.load_all(vec![loaded]).line_counts.is_empty());
        message
    };
    let program = program();
    let cut = &program[..program.len() - 1];
    assert!(message(cut, u64::MAX).starts_with(&format!("byte {}: ", cut.len())));
    assert!(message(b"", u64::MAX).contains("expected 5 or 6"));
    let limit = profile().len() + program.len() - 1;
    assert!(message(&program, limit as u64).contains("`maxProfileBytes`"));
}

/// Only a file beside the profile is read.
#[cfg(unix)]
#[test]
fn a_link_is_not_followed() {
    let elsewhere = tempfile::tempdir().unwrap();
    fs::write(elsewhere.path().join("program"), program()).unwrap();
    let project = project(None);
    let link = project.path("Deep.procrep");
    std::os::unix::fs::symlink(elsewhere.path().join("program"), &link).unwrap();
    let loaded = read(&project.path("Deep.data"), u64::MAX);
    assert!(project.load_all(vec![loaded]).line_counts.is_empty());
}

/// `p` was moved down by seven lines after the recording, and no copy of the recorded text is left. `main`
/// is where it was.
#[test]
fn lines_of_a_function_that_is_elsewhere_move_with_it() {
    let project = project(Some(&program()));
    let later = SystemTime::now() + Duration::from_secs(3600);
    let edited = fs::File::create(project.path("m.m")).unwrap();
    (&edited).write_all(TEXT.replace("p(X, Y)", "\n\n\n\n\n\n\np(X, Y)").as_bytes()).unwrap();
    edited.set_modified(later).unwrap();
    let loaded = read(&project.path("Deep.data"), u64::MAX);
    let context = project.context(project.load_all(vec![loaded]), &["m.m"]);
    let file = context.open_file(&project.uri("m.m")).unwrap();
    let costs: Vec<_> = file.lines().costs(0..u32::MAX).iter().map(|(line0, _)| *line0).collect();
    assert_eq!(costs, [2, 3, 13]);
    let moved = [(14, Some(1)), (15, Some(1)), (17, Some(0))];
    let expected = [&[(3, Some(1)), (4, Some(1))][..], &moved].concat();
    assert_eq!(file.lines().executions(0..u32::MAX), expected);
}
