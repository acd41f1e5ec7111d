use super::*;
use profile::{GraphAccess, Total};

/// `work` of a.py: line 2 ran 3 times in 4000 ns, line 3 3 times in 6000 ns. As CPython 3.11 writes it, with
/// protocol 4.
fn file(unit: f64) -> Vec<u8> {
    let mut bytes =
        b"\x80\x04\x8c\x1bline_profiler.line_profiler\x8c\x09LineStats\x93)\x81}(".to_vec();
    bytes.extend(b"\x8c\x07timings}\x8c\x04a.pyK\x01\x8c\x04work\x87](");
    bytes.extend(b"K\x02K\x03M\xa0\x0f\x87\x94K\x03K\x03\x8a\x02\x70\x17\x87es");
    bytes.extend(b"\x8c\x04unitG");
    bytes.extend(unit.to_be_bytes());
    bytes.extend(b"ub.");
    bytes
}

#[test]
fn lines_have_totals_and_no_self_cost() {
    let bytes = file(1e-9);
    assert!(is_line_profiler(&bytes));
    let read = read(&bytes).unwrap();
    let graph = read.recording.summed().unwrap().tables();
    let totals: Vec<_> = graph.totals.iter().map(|it| (it.line, it.totals[0])).collect();
    let expected = [(2, 4000.0), (3, 6000.0), (0, 10_000.0)];
    assert_eq!(totals, expected.map(|(line, total)| (line, Total::Exact(total))));
    assert!(graph.own.is_empty() && graph.calls.is_empty());
    let counts: Vec<_> = read.recording.line_counts().collect();
    assert_eq!(counts, [("a.py", 2, Some(3)), ("a.py", 3, Some(3))]);
    let metric = &read.recording.metrics()[0];
    assert_eq!((metric.unit.as_str(), metric.lines), ("nanoseconds", LineKnowledge::TotalOnly));
}

#[test]
fn units_are_those_of_the_file() {
    assert_eq!(unit(1e-9), ("nanoseconds", 1.0));
    assert_eq!(unit(1e-6), ("microseconds", 1.0));
    // Windows.
    assert_eq!(unit(4.8e-7), ("seconds", 4.8e-7));
}

#[test]
fn a_pickle_that_is_cut_or_does_more_is_refused() {
    let bytes = file(1e-9);
    for end in 1..bytes.len() {
        assert!(read(&bytes[..end]).is_err(), "{end}");
    }
    let error = |bytes: &[u8]| read(bytes).err().unwrap().to_string();
    // `os.system("id")`
    let call = b"\x80\x04\x8c\x02os\x8c\x06system\x93\x8c\x02id\x85R.";
    let expected =
        "the pickle has an operation that line_profiler does not use; it is not executed";
    assert!(error(call).contains(expected), "{}", error(call));
    for malformed in [&b"\x80\x04t."[..], b"\x80\x04a.", b"\x80\x04h\x05.", b"\x80\x04)b.", b"."] {
        assert!(read(malformed).is_err());
    }
    // A list that contains itself.
    assert!(error(b"\x80\x04]\x94h\x00a.").contains("expected the attribute `unit`"));
}
