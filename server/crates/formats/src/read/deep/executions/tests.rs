use crate::error::ErrorKind;
use crate::read::deep::read;
use crate::read::result::Read;
use mercury_files::deep::{DeepCall, DeepContext, DeepFile, DeepProc, DeepSite};
use mercury_files::procrep::*;
use profile::WarningCode;

/// `main` calls `q` on lines 5 and 6. The first call takes the then-part on line 11, the second
/// the else-part on line 12.
fn profile(coverage: u8) -> DeepFile {
    let runtime = DeepProc::new("runtime", 2, 0, vec![DeepSite::new(4, 0, 0, "")]);
    let main = DeepProc::new(
        "main",
        2,
        3,
        vec![DeepSite::new(0, 2, 5, "c1;"), DeepSite::new(0, 2, 6, "c2;")],
    );
    let q = DeepProc {
        points: vec![("t;".to_owned(), true, 1)],
        ..DeepProc::new("q", 2, 9, Vec::new())
    };
    let context = |procedure, slots: &[usize], counts: &[u64]| DeepContext {
        procedure,
        slots: slots.iter().map(|&call| vec![call]).collect(),
        counts: counts.to_vec(),
    };
    let call = |callee| DeepCall { callee, counts: [1, 0, 0, 0, 0, 1, 0, 0] };
    DeepFile {
        version: 9,
        coverage,
        callseqs: 3,
        procs: vec![runtime, main, q],
        contexts: vec![
            context(0, &[0], &[]),
            context(1, &[1, 2], &[]),
            context(2, &[], &[1]),
            context(2, &[], &[0]),
        ],
        calls: vec![call(1), call(2), call(3)],
        ..DeepFile::default()
    }
}

/// The program of [`profile`]. Its second call is on line `second`.
fn program(second: u32) -> Vec<u8> {
    let options = Options { version: 6, width: 0, names: true, types: true };
    let main = conjunction(vec![call(5), call(second), assignment(0)]);
    let q = if_then_else(test(10), assignment(11), assignment(12).in_file("other.m"));
    write(options, &[("main", main), ("q", q)])
}

/// File, line and count.
type Row<'a> = (&'a str, u32, Option<u64>);

/// The counts of lines, and the warnings about the representation.
fn counts(read: &Read) -> (Vec<Row<'_>>, Vec<&str>) {
    let rows = read.recording.line_counts();
    let warnings = read.warnings.as_slice().iter();
    let warnings = warnings.filter(|warning| warning.code == WarningCode::ProgramRepresentation);
    (rows.collect(), warnings.map(|warning| warning.message.as_str()).collect())
}

fn with_program(profile: &DeepFile, program: &[u8]) -> Read {
    let mut read = read(&profile.bytes()).unwrap();
    read.add_line_counts(program).unwrap();
    read
}

#[test]
fn counts_of_contexts_are_added() {
    let expected = vec![
        ("m.m", 5, Some(1)),
        ("m.m", 6, Some(1)),
        ("m.m", 10, Some(2)),
        ("m.m", 11, Some(1)),
        ("other.m", 12, Some(1)),
    ];
    for coverage in [1, 2] {
        let read = with_program(&profile(coverage), &program(6));
        assert_eq!(counts(&read), (expected.clone(), Vec::new()));
    }
    let without = with_program(&profile(0), &program(6));
    assert_eq!(counts(&without), (Vec::new(), Vec::new()));
}

#[test]
fn procedures_of_another_program_are_unknown() {
    let read = with_program(&profile(2), &program(7));
    let (rows, warnings) = counts(&read);
    assert_eq!(rows[..3], [("m.m", 5, None), ("m.m", 7, None), ("m.m", 10, Some(2))]);
    assert_eq!(
        warnings,
        ["some execution counts are unknown: 1 of 2 procedures of the program representation \
          (`.procrep`) do not match the profile; run the program again, which writes both files"]
    );
    // A procedure that the profile does not have.
    let options = Options { version: 5, width: 0, names: true, types: false };
    let read = with_program(&profile(2), &write(options, &[("p", assignment(2))]));
    let (rows, warnings) = counts(&read);
    assert_eq!((rows, warnings.len()), (vec![("m.m", 2, None)], 1));
}

#[test]
fn counts_that_contradict_each_other_are_unknown() {
    let mut profile = profile(2);
    profile.contexts[2].counts = vec![5];
    let read = with_program(&profile, &program(6));
    let (rows, warnings) = counts(&read);
    assert_eq!(rows[1..3], [("m.m", 6, Some(1)), ("m.m", 10, None)]);
    assert!(warnings[0].ends_with("1 of 2 procedures contradict each other"), "{warnings:?}");
}

#[test]
fn a_profile_with_damaged_nodes_has_no_counts_for_them() {
    // A context without the counts of its procedure's points.
    let bytes = profile(2).bytes();
    let context = [4, 3, 3, 0, 1, 1];
    let at = bytes.windows(context.len()).position(|bytes| bytes == context).unwrap();
    let mut damaged = bytes;
    damaged.splice(at..at + context.len(), [4, 3, 3, 0, 0]);
    let mut read = read(&damaged).unwrap();
    read.add_line_counts(&program(6)).unwrap();
    assert_eq!(counts(&read).0[1..3], [("m.m", 6, Some(1)), ("m.m", 10, None)]);
}

#[test]
fn a_truncated_representation_is_an_error() {
    let mut read = read(&profile(2).bytes()).unwrap();
    let program = program(6);
    let error = read.add_line_counts(&program[..program.len() - 1]).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Truncated);
    assert_eq!(counts(&read).0, []);
}
