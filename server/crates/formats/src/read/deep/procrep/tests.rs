use super::super::goal::{Goal, GoalKind};
use super::*;
use crate::error::ErrorKind;
use mercury_files::procrep::*;

const OLD: Options = Options { version: 5, width: 0, names: true, types: false };
const NEW: Options = Options { version: 6, width: 1, names: true, types: true };

/// A body with goals of all kinds, on lines 7 to 19 by code.
fn all_goals() -> Written {
    let mut parts: Vec<Written> = (7..=19).map(|code| atomic(code, u32::from(code))).collect();
    parts.push(disjunction(vec![test(20), switch(vec![assignment(21), assignment(22)])]));
    parts.push(if_then_else(negation(test(23)), conjunction(vec![]), scope(true, call(24))));
    parts.push(goal(3, 0, vec![scope(false, call(25).in_file("other.m").nondet())]));
    conjunction(parts)
}

/// The goals of a procedure, as text.
fn text(procrep: &Procrep<'_>, procedure: &Procedure) -> Vec<String> {
    let goal = |goal: &Goal| match goal.kind {
        GoalKind::Call(place) | GoalKind::Atomic(place) => {
            let kind = if matches!(goal.kind, GoalKind::Call(_)) { "call" } else { "atomic" };
            let file = String::from_utf8_lossy(procrep.file(place.file));
            format!("{kind} {file}:{} {}", place.line, goal.determinism.0)
        }
        kind => format!("{kind:?} {} {}", goal.size, goal.determinism.0),
    };
    procrep.body(procedure).iter().map(goal).collect()
}

#[test]
fn both_versions_are_read() {
    let mut expected: Vec<String> = vec!["Conjunction 28 6".to_owned()];
    for line in 7..=19 {
        let kind = if matches!(line, 15..=17) { "call" } else { "atomic" };
        expected.push(format!("{kind} m.m:{line} 6"));
    }
    expected.extend(
        [
            "Disjunction 5 6",
            "atomic m.m:20 2",
            "Switch { can_fail: false } 3 6",
            "atomic m.m:21 6",
            "atomic m.m:22 6",
            "IfThenElse 6 6",
            "Negation 2 6",
            "atomic m.m:23 2",
            "Conjunction 1 6",
            "Scope { cuts: true } 2 6",
            "call m.m:24 6",
            "Switch { can_fail: true } 3 6",
            "Scope { cuts: false } 2 6",
            "call other.m:25 3",
        ]
        .map(str::to_owned),
    );
    for width in 0..=2 {
        let new = Options { width, ..NEW };
        for options in [
            Options { width, ..OLD },
            new,
            Options { types: false, ..new },
            Options { types: false, names: false, ..new },
        ] {
            let bytes = write(options, &[("p", all_goals()), ("q", call(3))]);
            let procrep = Procrep::read(&bytes).unwrap();
            let [p, q] = &procrep.procs[..] else { panic!("{options:?}") };
            assert_eq!(p.label.to_string(), "m.p/2-0");
            assert_eq!(text(&procrep, p), expected, "{options:?}");
            assert_eq!(text(&procrep, q), ["call m.m:3 6"]);
        }
    }
}

#[test]
fn other_versions_are_refused() {
    for line in ["4\n", "7\n", "", "6", "6 \n"] {
        let error = Procrep::read(&[MAGIC, line.as_bytes()].concat()).unwrap_err();
        assert_eq!(error.at, if line == "6" { At::Byte(39) } else { At::File }, "{line}");
    }
    assert!(Procrep::read(b"something else").is_err());
}

#[test]
fn goals_may_be_nested_deeply() {
    const DEPTH: usize = 1_000_000;
    let mut bytes = write(OLD, &[("p", assignment(3))]);
    let body = bytes.windows(3).position(|bytes| bytes == [11, 7, 7]).unwrap();
    let end = bytes.len() - 3;
    bytes.splice(end..end, vec![6; DEPTH]);
    bytes.splice(body..body, vec![5; DEPTH]);
    let start = body - 4 - 3 - 4 - 1 - 4 - 1 - 4 - 4;
    let size = u32::try_from(bytes.len() - 2 - start).unwrap();
    bytes[start..start + 4].copy_from_slice(&size.to_be_bytes());
    let procrep = Procrep::read(&bytes).unwrap();
    let body = procrep.body(&procrep.procs[0]);
    assert_eq!((body.len(), body[0].size as usize), (DEPTH + 1, DEPTH + 1));
}

#[test]
fn damaged_files_are_refused_or_read() {
    for options in [OLD, NEW] {
        let bytes = write(options, &[("p", all_goals()), ("q", call(3))]);
        for len in 0..bytes.len() {
            let error = Procrep::read(&bytes[..len]).unwrap_err();
            let is_header = len <= MAGIC.len() + 1;
            assert!(is_header || error.kind == ErrorKind::Truncated, "{len}: {error}");
        }
        for at in 0..bytes.len() {
            for flip in [0x01, 0x02, 0x10, 0x80, 0xff] {
                let mut bytes = bytes.clone();
                bytes[at] ^= flip;
                if let Ok(procrep) = Procrep::read(&bytes) {
                    assert!(procrep.goals.len() <= bytes.len());
                }
            }
        }
        let longer = [&bytes[..], b"\0"].concat();
        let error = Procrep::read(&longer).unwrap_err();
        assert_eq!(error.at, At::Byte(bytes.len() as u64));
    }
}

#[test]
fn names_of_files_begin_where_a_string_begins() {
    let bytes = write(OLD, &[("p", call(3).in_file("other.m"))]);
    let strings = bytes.windows(8).position(|bytes| bytes == b"other.m\0").unwrap();
    let mut shared = bytes.clone();
    shared[strings - 1] = b'x';
    let error = Procrep::read(&shared).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Malformed);
    assert!(error.message.contains("is not a file name"), "{error}");
}
