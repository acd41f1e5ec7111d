//! Profiles in JSON slabs: the same results as in JSON, and checks of untrusted values. The files
//! are encoded by the crate `json-slabs`; `tests/corpus` has whole profiles.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use crate::common::{Selves, read, stacks};
use formats::{At, ErrorKind, Format};
use json_slabs::{Builder, SlabPrimitive};
use profile::{StackAccess, Weights};

/// A profile in which each `$name` is a slab. Slab 0 is the root; the others are in the order of
/// `columns`.
const PROFILE: &str = r#"{
    "meta": {"preprocessedProfileVersion": 75, "interval": 1, "sampleUnits": {"threadCPUDelta": "ns"}},
    "libs": [],
    "shared": {
        "stringArray": $strings,
        "stackTable": {"length": 2, "frame": $frame, "prefixOffset": $offset},
        "frameTable": {"length": 2, "func": $frame, "line": $line, "flags": $frame_flags},
        "funcTable": {"length": 2, "name": $frame, "source": $source, "flags": $func_flags},
        "sources": {"length": 1, "filename": [2]}
    },
    "threads": [{"name": "main", "samples": {"length": 4, "stack": $stack, "timeDeltas": $deltas, "weight": $weight,
        "weightType": "tracing-ms", "threadCPUDelta": $cpu}}]
}"#;

fn column<T: SlabPrimitive + 'static>(
    builder: &mut Builder<'_>,
    text: &mut String,
    name: &str,
    cells: &[T],
) {
    let slab = builder.add_slab_from_vec(cells.to_vec());
    *text = text.replace(name, &format!("{slab:#}"));
}

/// Two functions, `outer`, which calls `inner`; four samples.
fn profile() -> Vec<u8> {
    let mut builder = Builder::new();
    let mut text = PROFILE.to_owned();
    column(&mut builder, &mut text, "$frame_flags", &[1_u8 << 4, 1 << 4]);
    column(&mut builder, &mut text, "$func_flags", &[1_u8 << 3, 1 << 3]);
    column(&mut builder, &mut text, "$frame", &[0_u16, 1]);
    column(&mut builder, &mut text, "$offset", &[0_u32, 1]);
    column(&mut builder, &mut text, "$line", &[10_u32, 20]);
    column(&mut builder, &mut text, "$source", &[0_i8, 0]);
    column(&mut builder, &mut text, "$stack", &[1_i32, -1, 0, 1]);
    column(&mut builder, &mut text, "$deltas", &[100.5_f64, 1.0, 1.0, 1.0]);
    column(&mut builder, &mut text, "$weight", &[2.5_f64, 1.0, f64::NAN, 4.0]);
    column(&mut builder, &mut text, "$cpu", &[900.0_f32, 8.0, 16.0, f32::NAN]);
    let strings = builder.add_json_slab(br#"["outer","inner","a.c"]"#.to_vec());
    let text = text.replace("$strings", &format!("{strings:#}"));
    builder.finish(text.as_bytes())
}

fn pairs(costs: &std::collections::BTreeMap<(String, u32), f64>) -> Vec<(&str, u32, f64)> {
    costs.iter().map(|((file, line), cost)| (file.as_str(), *line, *cost)).collect()
}

#[test]
fn columns_of_any_type_are_columns() {
    let read = read(profile()).unwrap();
    assert_eq!(
        (read.format, read.version.as_deref(), read.warnings.as_slice()),
        (Format::FirefoxSlabs, Some("75"), [].as_slice())
    );
    assert_eq!(read.span_seconds, Some(0.003));
    let metrics: Vec<_> = read
        .recording
        .metrics()
        .iter()
        .map(|metric| (metric.name.as_str(), metric.unit.as_str()))
        .collect();
    assert_eq!(metrics, [("tracing-ms", "tracing-ms"), ("cpu", "ns")]);

    // An unknown weight is 0; the second sample has no stack.
    let weight = Selves::of(stacks(&read), 0, "");
    assert_eq!((weight.total, pairs(&weight.lines)), (7.5, vec![("a.c", 20, 6.5)]));
    // The first delta is ignored, the last is unknown.
    let cpu = Selves::of(stacks(&read), 1, "");
    assert_eq!((cpu.total, pairs(&cpu.lines)), (24.0, vec![("a.c", 10, 16.0)]));
    assert_eq!(stacks(&read).samples()[0].weights()[1], Weights::Counts(vec![0, 8, 16, 0]));
}

/// The error for a file with `patch` at offset `at`.
fn patched(at: usize, patch: &[u8]) -> String {
    let mut file = profile();
    file[at..at + patch.len()].copy_from_slice(patch);
    let error = read(file).unwrap_err();
    assert!(matches!(error.at, At::Byte(_)), "{error}");
    error.to_string()
}

/// The offset of slab `i` in the table, which has type, offset and length.
fn row(i: usize) -> usize {
    20 + 12 * i
}

#[test]
fn offsets_and_lengths_are_checked() {
    let file = profile();
    let field = |at: usize| u32::from_le_bytes(*file[at..].first_chunk().unwrap());
    let n = field(12);
    let json_at = field(16) as usize;
    assert_eq!(n, 12);

    for (at, value, expected) in [
        (8, 2, "byte 8: version 2 of JSON slabs, expected 1".to_owned()),
        (12, u32::MAX, format!("byte {}: the file ends in its table of slabs", file.len())),
        (16, n, format!("byte 16: slab {n} is the root, expected one of the {n} slabs, of JSON")),
        (16, 1, "byte 16: slab 1 is the root, expected one of the 12 slabs, of JSON".to_owned()),
        (row(3), 11, format!("byte {}: slab 3 is of type 11, expected one of 0 to 10", row(3))),
        (
            row(3) + 8,
            5,
            format!("byte {}: slab 3 has 5 bytes, expected a multiple of 2", row(3) + 8),
        ),
        (
            row(3) + 4,
            u32::MAX,
            format!(
                "byte {}: slab 3 has 4 bytes from 4294967295, but the file ends at {}",
                row(3),
                file.len()
            ),
        ),
        (
            row(3) + 8,
            u32::MAX - 1,
            format!(
                "byte {}: slab 3 has 4294967294 bytes from {}, but the file ends at {}",
                row(3),
                field(row(3) + 4),
                file.len()
            ),
        ),
        (
            row(3) + 4,
            20,
            format!(
                "byte {}: slab 3 begins at 20, before the end of the previous data at {}",
                row(3),
                row(12)
            ),
        ),
        (
            row(5) + 4,
            field(row(4) + 4) + 4,
            format!(
                "byte {}: slab 5 begins at {}, before the end of the previous data at {}",
                row(5),
                field(row(4) + 4) + 4,
                field(row(4) + 4) + field(row(4) + 8)
            ),
        ),
    ] {
        assert_eq!(patched(at, &value.to_le_bytes()), expected);
    }
    let text = field(row(json_at) + 4) as usize;
    assert_eq!(patched(text, b"<"), format!("byte {text}: this is not JSON"));
}

#[test]
fn partial_files_are_truncated_wherever_they_end() {
    let whole = profile();
    for end in 8..whole.len() {
        let error = read(whole[..end].to_vec()).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Truncated, "cut at {end}: {error}");
    }
}

#[test]
fn columns_that_are_not_indexes_are_errors() {
    let mut builder = Builder::new();
    let lines = builder.add_slab_from_vec(vec![1.5_f64]);
    let text = format!(
        r#"{{"meta": {{"preprocessedProfileVersion": 75}}, "threads": [], "shared": {{"stringArray": {lines:#}}}}}"#
    );
    let error = read(builder.finish(text.as_bytes())).unwrap_err();
    assert_eq!(error.to_string(), "shared.stringArray: is a column of numbers, expected JSON");

    let mut builder = Builder::new();
    let lines = builder.add_slab_from_vec(vec![1.5_f64]);
    let text = format!(
        r#"{{"meta": {{"preprocessedProfileVersion": 75}}, "threads": [], "shared": {{"sources": {{"filename": {lines:#}}}}}}}"#
    );
    let error = read(builder.finish(text.as_bytes())).unwrap_err();
    assert_eq!(
        error.to_string(),
        "shared.sources.filename[0]: is 1.5, expected a number below 4294967295, -1 or null"
    );
}

/// JSON slabs with these texts, the first of which is the root.
fn json_slabs(texts: &[&str]) -> Vec<u8> {
    let mut builder = Builder::new();
    for text in &texts[1..] {
        builder.add_json_slab(text.as_bytes().to_vec());
    }
    builder.finish(texts[0].as_bytes())
}

fn error_of(texts: &[&str]) -> String {
    read(json_slabs(texts)).unwrap_err().to_string()
}

#[test]
fn cycles_of_slabs_end() {
    let circle = error_of(&[r#"{"threads": {"$s": 1}}"#, r#"{"$s": 2}"#, r#" {"$s": 1} "#]);
    assert!(
        circle.contains(
            "refers to slab 1 more than 4 times, or slabs refer to each other in a cycle"
        ),
        "{circle}"
    );
    // A cycle below the keys that are read is not followed.
    assert!(
        read(json_slabs(&[r#"{"threads": [{"a": {"$s": 1}}]}"#, r#"[{"b": {"$s": 0}}]"#])).is_ok()
    );
    let many = format!("[{}{{}}]", r#"{"$s": 1},"#.repeat(1000));
    let many = error_of(&[r#"{"threads": {"$s": 2}}"#, "[1, 2, 3]", &many]);
    assert!(many.contains("refers to slab 1 more than 4 times"), "{many}");
    let beyond = error_of(&[r#"{"meta": {"$s": 7}}"#, "1"]);
    assert!(beyond.ends_with("refers to slab 7, but there are only 2"), "{beyond}");
    let chain: Vec<String> = (2..50_000).map(|i| format!(r#"{{"$s": {i}}}"#)).collect();
    let texts: Vec<&str> =
        [r#"{"threads": {"$s": 1}}"#].into_iter().chain(chain.iter().map(String::as_str)).collect();
    let chain = error_of(&texts);
    assert!(chain.ends_with("refers to slab 49999, but there are only 49999"), "{chain}");
}
