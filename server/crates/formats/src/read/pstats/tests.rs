use super::*;
use crate::error::{At, ErrorKind};
use crate::read::text_rows::warnings;
use profile::GraphAccess;
use profile::StatedTotal;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// Values that `Marshal` reads, as Python 3 writes them without references.
#[derive(Clone)]
enum Py {
    Int(i32),
    Float(f64),
    Text(&'static str),
    Tuple(Vec<Py>),
    Dict(Vec<(Py, Py)>),
    Raw(Vec<u8>),
}

use Py::{Dict, Float, Int, Raw, Text, Tuple};

fn dumps(value: &Py, out: &mut Vec<u8>) {
    match value {
        Int(number) => out.extend([&b"i"[..], &number.to_le_bytes()].concat()),
        Float(number) => out.extend([&b"g"[..], &number.to_le_bytes()].concat()),
        Text(text) => out.extend([&[b'z', text.len() as u8], text.as_bytes()].concat()),
        Tuple(values) => {
            out.extend([b')', values.len() as u8]);
            for value in values {
                dumps(value, out);
            }
        }
        Dict(pairs) => {
            out.push(b'{');
            for (key, value) in pairs {
                dumps(key, out);
                dumps(value, out);
            }
            out.push(b'0');
        }
        Raw(bytes) => out.extend(bytes),
    }
}

fn func(file: &'static str, line: i32, name: &'static str) -> Py {
    Tuple(vec![Text(file), Int(line), Text(name)])
}

/// A function, or the cost for a caller if there are no further callers.
fn costs(counts: [i32; 2], own: f64, cumulative: f64, callers: Option<Vec<(Py, Py)>>) -> Py {
    let mut values = vec![Int(counts[0]), Int(counts[1]), Float(own), Float(cumulative)];
    values.extend(callers.map(Dict));
    Tuple(values)
}

fn file(functions: Vec<(Py, Py)>) -> Vec<u8> {
    let mut out = Vec::new();
    dumps(&Dict(functions), &mut out);
    out
}

/// Functions with calls, self and total, and calls between them; `?` marks estimates.
fn rows(read: &Read) -> String {
    let graph = read.recording.summed().expect("expected a graph").tables();
    let name = |func: FuncId| {
        let row = graph.symbols.funcs.get(func);
        let place =
            row.source.map(|source| format!(" {}:{}", graph.symbols.source_name(source), row.line));
        format!("{}{}", graph.symbols.func_name(func), place.unwrap_or_default())
    };
    let mut out = String::new();
    for own in &graph.own {
        let stated = graph.totals.iter().find(|stated| stated.func == own.func);
        let total = stated.map_or("follows".to_owned(), |stated| format!("{:?}", stated.totals));
        let calls = stated
            .and_then(|stated| stated.calls)
            .map_or(String::new(), |calls| format!("{calls}x "));
        writeln!(out, "{}: {calls}{:?} of {total}", name(own.func), own.weights).unwrap();
    }
    for call in &graph.calls {
        let mark = if call.nested { "?" } else { "" };
        writeln!(
            out,
            "{} > {} {}x {:?}{mark}",
            name(call.caller),
            name(call.callee),
            call.count,
            call.weights
        )
        .unwrap();
    }
    out
}

#[test]
fn functions_have_calls_and_callers() {
    // Recursion: 3 calls of `f`, 1 of them from outside; for callers, the number of all calls comes
    // first.
    let (main, f, sorted) = (
        func("/w/a.py", 9, "main"),
        func("/w/a.py", 3, "f"),
        func("~", 0, "<built-in method sorted>"),
    );
    let below_f = costs([2, 1], 0.25, 0.375, None);
    let whole = file(vec![
        (main.clone(), costs([1, 1], 0.125, 0.625, Some(vec![]))),
        (
            f.clone(),
            costs(
                [1, 3],
                0.375,
                0.5,
                Some(vec![(main, costs([1, 1], 0.125, 0.5, None)), (f.clone(), below_f)]),
            ),
        ),
        (sorted, costs([4, 4], 0.125, 0.125, Some(vec![(f, costs([4, 4], 0.125, 0.125, None))]))),
    ]);
    let done = read(&whole).unwrap();
    let expected = "\
main /w/a.py:9: 1x [0.125] of [Exact(0.625)]
f /w/a.py:3: 3x [0.375] of [Exact(0.5)]
<built-in method sorted>: 4x [0.125] of [Exact(0.125)]
main /w/a.py:9 > f /w/a.py:3 1x [0.5]
f /w/a.py:3 > f /w/a.py:3 2x [0.375]
f /w/a.py:3 > <built-in method sorted> 4x [0.125]
";
    assert_eq!(
        (&*rows(&done), done.writer.text(), warnings(&done)),
        (expected, Some("cProfile"), vec![])
    );
    assert_eq!(done.recording.metrics()[0].seconds_per_unit, Some(1.0));
    for end in 0..whole.len() {
        assert_eq!(read(&whole[..end]).unwrap_err().kind, ErrorKind::Truncated, "cut at {end}");
    }
}

#[test]
fn missing_time_is_a_function_of_its_own() {
    let row = |counts| vec![(func("/w/a.py", 1, "main"), costs(counts, 1.0, 4.0, Some(vec![])))];
    let done = read(&file(row([1, 1]))).unwrap();
    assert_eq!(
        rows(&done),
        "main /w/a.py:1: 1x [1.0] of [Exact(4.0)]\n(not in the file): [3.0] of [Exact(3.0)]\n"
    );
    assert_eq!(
        done.warnings.as_slice()[0].message.split(';').next(),
        Some("3.000000 s of 4.000000 s were spent in functions that are not in the file")
    );
    // 7 us of 15 s are shown, but not worth a warning; 2 ms of 1 s are.
    let row_of = |own, all| {
        let costs = costs([1, 1], own, all, Some(vec![]));
        read(&file(vec![(func("/w/a.py", 1, "main"), costs)])).unwrap()
    };
    assert!(rows(&row_of(15.0, 15.000_007)).contains("(not in the file): "));
    assert_eq!(warnings(&row_of(15.0, 15.000_007)), []);
    assert_eq!(warnings(&row_of(0.998, 1.0)), [(WarningCode::UnlistedFunctions, 1)]);
    // yappi swaps the counts.
    let done = read(&file(row([5, 1]))).unwrap();
    assert!(rows(&done).starts_with("main /w/a.py:1: 5x "));
    assert_eq!(done.writer.text(), Some("yappi"));
    // pyinstrument has no counts, and its cumulative times are sums.
    let done = read(&file(row([-1, -1]))).unwrap();
    assert_eq!(
        (&*rows(&done), done.writer.text()),
        ("main /w/a.py:1: [1.0] of follows\n", Some("pyinstrument"))
    );
}

#[test]
fn a_total_is_at_least_the_self_cost() {
    let main = (func("/w/a.py", 1, "main"), costs([1, 1], 4.0, 1.0, Some(vec![])));
    let read = read(&file(vec![main])).unwrap();
    assert_eq!(rows(&read), "main /w/a.py:1: 1x [4.0] of [Exact(4.0)]\n");
    assert!(read.warnings.as_slice().is_empty());
}

#[test]
fn callers_with_only_counts_share_the_cost() {
    let [a, b, c] = ["a", "b", "c"].map(|name| func("a.py", 1, name));
    let profiler = func("profile", 0, "profiler");
    let callers = |callers: &[(&Py, i32)]| {
        callers.iter().map(|&(func, calls)| (func.clone(), Int(calls))).collect()
    };
    let whole = file(vec![
        (profiler.clone(), costs([0, 0], 0.0, 0.0, Some(vec![]))),
        (a.clone(), costs([1, 1], 1.0, 10.0, Some(callers(&[(&profiler, 1)])))),
        (b.clone(), costs([1, 1], 1.0, 5.0, Some(callers(&[(&a, 1)])))),
        (c.clone(), costs([4, 9], 8.0, 8.0, Some(callers(&[(&a, 3), (&b, 1), (&c, 5)])))),
    ]);
    let done = read(&whole).unwrap();
    let expected = "\
a a.py:1: 1x [1.0] of [Exact(10.0)]
b a.py:1: 1x [1.0] of [Exact(5.0)]
c a.py:1: 9x [8.0] of [Exact(8.0)]
a a.py:1 > b a.py:1 1x [5.0]
a a.py:1 > c a.py:1 3x [6.0]?
b a.py:1 > c a.py:1 1x [2.0]?
c a.py:1 > c a.py:1 5x [8.0]?
";
    assert_eq!(
        (&*rows(&done), done.writer.text(), warnings(&done)),
        (expected, Some("profile"), vec![])
    );
}

#[test]
fn code_objects_of_all_versions_are_skipped() {
    let text = |text: &[u8]| [&b"s"[..], &(text.len() as u32).to_le_bytes(), text].concat();
    let (tuple, name) = (b")\x00".to_vec(), text(b"main"));
    let numbers = |n| 1_i32.to_le_bytes().repeat(n);
    let head =
        [text(b"\x64\x00"), b"(\x01\x00\x00\x00N".to_vec(), tuple.clone(), tuple.clone()].concat();
    let old = |n| {
        [
            b"c".to_vec(),
            numbers(n),
            head.clone(),
            tuple.repeat(2),
            name.repeat(2),
            numbers(1),
            text(b""),
        ]
        .concat()
    };
    let new = [
        b"c".to_vec(),
        numbers(5),
        head.clone(),
        text(b"\x20"),
        name.repeat(3),
        numbers(1),
        text(b"").repeat(2),
    ]
    .concat();
    for code in [old(4), old(5), old(6), new] {
        let key = Tuple(vec![Text("profile"), Int(0), Raw(code.clone())]);
        let whole = file(vec![
            (func("a.py", 1, "f"), costs([1, 1], 1.0, 1.0, Some(vec![(key.clone(), Int(1))]))),
            (key, costs([1, 1], 1.0, 2.0, Some(vec![]))),
        ]);
        let expected = "f a.py:1: 1x [1.0] of [Exact(1.0)]\n<code object>: 1x [1.0] of [Exact(2.0)]\n<code object> > f a.py:1 1x [1.0]\n";
        assert_eq!(rows(&read(&whole).unwrap()), expected);
        for end in 0..whole.len() {
            assert_eq!(read(&whole[..end]).unwrap_err().kind, ErrorKind::Truncated, "cut at {end}");
        }
    }
    let unknown = Tuple(vec![Text("profile"), Int(0), Raw([b"c".to_vec(), vec![0; 60]].concat())]);
    let error = read(&file(vec![(unknown, Int(0))])).unwrap_err();
    assert_eq!((error.kind, error.at), (ErrorKind::Malformed, At::Byte(18)));
}

#[test]
fn malicious_files_are_rejected() {
    let refused = |bytes: &[u8]| read(bytes).unwrap_err().kind;
    let row = costs([1, 1], 1.0, 1.0, Some(vec![]));
    let with = |key: Py, value: Py| file(vec![(key, value)]);
    assert_eq!(refused(&with(func("a", 1, "f"), Int(1))), ErrorKind::Malformed);
    assert_eq!(
        refused(&with(Tuple(vec![Int(1), Int(1), Text("f")]), row.clone())),
        ErrorKind::Malformed
    );
    assert_eq!(
        refused(&with(func("a", 1, "f"), costs([1, 1], f64::NAN, 1.0, Some(vec![])))),
        ErrorKind::Malformed
    );
    assert_eq!(
        refused(&with(func("a", 1, "f"), costs([1, 1], 1.0, 1e300, Some(vec![])))),
        ErrorKind::Malformed
    );
    // A reference to itself, a tuple that refers to itself, one that refers to a later value, and a
    // length beyond the file.
    assert_eq!(refused(b"{)\x03z\x01a\xf2\0\0\0\0"), ErrorKind::Malformed);
    assert_eq!(refused(b"{\xa9\x03r\0\0\0\0r\0\0\0\0r\0\0\0\0N0"), ErrorKind::Malformed);
    assert_eq!(refused(b"{)\x03z\x01ar\x07\0\0\0N0"), ErrorKind::Malformed);
    assert_eq!(refused(b"{)\x03s\xff\xff\xff\xffab"), ErrorKind::Truncated);
    let deep = [&b"{)\x03z\x01ai\x01\0\0\0"[..], &b")\x01".repeat(100_000)].concat();
    assert_eq!(refused(&deep), ErrorKind::TooLarge);
}

/// 16 samples, one each 0.125 s: main:9 > work:4 eight times, main:9 > work:3 four times,
/// main:10 > fib:15 > fib:15 > fib:13 twice, main:10 > ping:20 > pong:24 > ping:21 once, and main:8 >
/// a collection of garbage once.
fn sampled() -> Vec<u8> {
    let [main8, main9, main10] = [8, 9, 10].map(|line| func("/w/a.py", line, "main"));
    let [work3, work4] = [3, 4].map(|line| func("/w/a.py", line, "work"));
    let [fib13, fib15] = [13, 15].map(|line| func("/w/a.py", line, "fib"));
    let [ping20, ping21] = [20, 21].map(|line| func("/w/a.py", line, "ping"));
    let pong = func("/w/a.py", 24, "pong");
    let garbage = func("~", 0, "<GC>");
    let row = |own: i32, all: i32, callers: &[(&Py, i32)]| {
        let callers = callers.iter().map(|&(func, n)| (func.clone(), Int(n))).collect();
        costs([own, all], f64::from(own) / 8.0, f64::from(all) / 8.0, Some(callers))
    };
    let rows = vec![
        (work4, row(8, 8, &[(&main9, 8)])),
        (main9.clone(), row(0, 12, &[])),
        (work3, row(4, 4, &[(&main9, 4)])),
        (fib13, row(2, 2, &[(&fib15, 2)])),
        (fib15.clone(), row(0, 2, &[(&fib15, 2), (&main10, 2)])),
        (main10.clone(), row(0, 3, &[])),
        (ping21, row(1, 1, &[(&pong, 1)])),
        (pong, row(0, 1, &[(&ping20, 1)])),
        (ping20, row(0, 1, &[(&main10, 1)])),
        (garbage, row(1, 1, &[(&main8, 1)])),
        (main8, row(0, 1, &[])),
        (Tuple(vec![Text("__sampled__")]), Raw(b"T".to_vec())),
    ];
    file(rows)
}

#[test]
fn a_sampled_file_has_lines_and_no_calls() {
    let whole = sampled();
    assert!(is_pstats(&whole));
    let done = read(&whole).unwrap();
    assert_eq!((done.writer.text(), warnings(&done)), (Some("profiling.sampling"), vec![]));
    assert_eq!(done.recording.metrics()[0].lines, LineKnowledge::SelfAndTotal);
    let graph = done.recording.summed().expect("expected a graph").tables();
    let name = |func: FuncId| graph.symbols.func_name(func);
    assert!(graph.symbols.funcs.ids().all(|func| graph.symbols.funcs.get(func).line == 0));
    let own = graph.own.iter().filter(|own| own.weights[0] > 0.0);
    let own = own.map(|own| format!("{}:{} {}", name(own.func), own.line, own.weights[0]));
    assert_eq!(
        own.collect::<Vec<_>>(),
        ["work:4 1", "work:3 0.5", "fib:13 0.25", "ping:21 0.125", "<GC>:0 0.125"]
    );
    let total = |stated: &StatedTotal| {
        assert_eq!(stated.calls, None);
        format!("{}:{} {:?}", name(stated.func), stated.line, stated.totals[0])
    };
    let totals: Vec<_> = graph.totals.iter().map(total).collect();
    let (lines, functions) = totals.split_at(10);
    assert_eq!(
        lines,
        [
            "work:4 Exact(1.0)",
            "main:9 Exact(1.5)",
            "work:3 Exact(0.5)",
            "fib:13 Exact(0.25)",
            "fib:15 Exact(0.25)",
            "main:10 Exact(0.375)",
            "ping:21 Exact(0.125)",
            "pong:24 Exact(0.125)",
            "ping:20 Exact(0.125)",
            "main:8 Exact(0.125)",
        ]
    );
    // A graph does not say how often `pong` was called within `ping`.
    assert_eq!(
        functions,
        [
            "work:0 Exact(1.5)",
            "main:0 Exact(2.0)",
            "fib:0 Exact(0.25)",
            "ping:0 Bounded { min: 0.125, max: 0.25 }",
            "pong:0 Exact(0.125)",
            "<GC>:0 Exact(0.125)",
        ]
    );
    let calls = graph.calls.iter().map(|call| {
        let nested = if call.nested { " nested" } else { "" };
        let (caller, callee) = (name(call.caller), name(call.callee));
        format!("{caller}:{} > {callee} {}x {}{nested}", call.line, call.count, call.weights[0])
    });
    assert_eq!(
        calls.collect::<Vec<_>>(),
        [
            "main:9 > work 0x 1",
            "main:9 > work 0x 0.5",
            "fib:15 > fib 0x 0.25 nested",
            "fib:15 > fib 0x 0.25 nested",
            "main:10 > fib 0x 0.25",
            "pong:24 > ping 0x 0.125 nested",
            "ping:20 > pong 0x 0.125 nested",
            "main:10 > ping 0x 0.125",
            "main:8 > <GC> 0x 0.125",
        ]
    );
    for end in 0..whole.len() {
        assert_eq!(read(&whole[..end]).unwrap_err().kind, ErrorKind::Truncated, "cut at {end}");
    }
}

#[test]
fn a_sampled_file_without_samples_is_empty() {
    let mark = |text| file(vec![(Tuple(vec![Text(text)]), Raw(b"T".to_vec()))]);
    assert!(is_pstats(&mark("__sampled__")) && !is_pstats(&mark("__samples__")));
    let done = read(&mark("__sampled__")).unwrap();
    assert_eq!((&*rows(&done), done.writer.text()), ("", Some("profiling.sampling")));
    assert_eq!(read(&mark("__samples__")).unwrap_err().kind, ErrorKind::Malformed);
}

/// What a key contains is not skipped again by each reference to it, which would take hours here.
#[test]
fn large_keys_are_skipped_once() {
    const N: usize = 200_000;
    let tuple = [&b"("[..], &(N as u32).to_le_bytes(), &b"N".repeat(N)].concat();
    let key = [&b"\xa9\x03z\x01bi\x02\0\0\0"[..], &tuple].concat();
    let again = (Raw(b"r\0\0\0\0".to_vec()), Int(1));
    let callers = [vec![(Raw(key), Int(1))], vec![again; N]].concat();
    let read = read(&file(vec![(func("a", 1, "f"), costs([1, 1], 1.0, 1.0, Some(callers)))]));
    let calls = read.unwrap().recording.summed().expect("expected a graph").tables().calls.len();
    assert_eq!(calls, N + 1);
}

/// Calls of functions by place, as Python's own pstats counts them.
#[test]
fn files_of_all_writers() {
    let cases = [
        ("cprofile-shapes", "cProfile"),
        ("cprofile-words", "cProfile"),
        ("cprofile-words-python2.7", "cProfile"),
        ("cprofile-words-python3.13", "cProfile"),
        ("profile-words", "profile"),
        ("pyinstrument-words", "pyinstrument"),
        ("py-gridworld-sampling", "profiling.sampling"),
        ("yappi-words", "yappi"),
        ("yappi-words-builtins", "yappi"),
    ];
    for (case, writer) in cases {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../../fixtures/profiles/pstats")
            .join(case);
        let done = read(&std::fs::read(folder.join("app.pstats")).unwrap()).unwrap();
        assert_eq!(done.writer.text(), Some(writer), "{case}");
        let graph = done.recording.summed().expect("expected a graph").tables();
        let count = |stated: &StatedTotal| {
            let func = graph.symbols.funcs.get(stated.func);
            let source = func.source.map(|source| graph.symbols.source_name(source).to_owned());
            Some((
                (graph.symbols.func_name(stated.func).to_owned(), source, u64::from(func.line)),
                stated.calls?,
            ))
        };
        let counts: BTreeMap<_, _> = graph.totals.iter().filter_map(count).collect();
        let expected: serde_json::Value =
            serde_json::from_slice(&std::fs::read(folder.join("expected.json")).unwrap()).unwrap();
        let text = |value: &serde_json::Value| value.as_str().map(str::to_owned);
        let expected = expected["functions"].as_array().unwrap().iter().filter_map(|row| {
            Some((
                (text(&row["name"])?, text(&row["file"]), row["line"].as_u64().unwrap_or(0)),
                row["calls"].as_u64()?,
            ))
        });
        assert_eq!(counts, expected.collect(), "{case}");
    }
}
