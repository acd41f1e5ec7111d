use super::*;
use crate::error::ErrorKind;
use crate::read::text_rows;
use crate::read::text_rows::warnings;
use profile::{GraphAccess, StackAccess, WarningCode};
use std::fmt::Write;

fn read_bytes(bytes: &[u8]) -> Result<Read, ReadError> {
    crate::input::in_memory(bytes, read)?
}

fn read_text(text: &str) -> Read {
    read_bytes(text.as_bytes()).unwrap()
}

/// Each row as `function|file|lib`, the place of the line, and the weights; `'` marks calls of a
/// function within itself.
fn rows(read: &Read) -> String {
    let graph = read.recording.summed().expect("expected a graph").tables();
    let symbols = &graph.symbols;
    let name = |id: FuncId| {
        let func = symbols.funcs.get(id);
        let mut text = symbols.func_name(id).to_owned();
        if func.line != 0 {
            write!(text, "@{}", func.line).unwrap();
        }
        if graph.inner.contains(&id) {
            text.push('\'');
        }
        if let Some(source) = func.source {
            write!(text, "|{}", symbols.source_name(source)).unwrap();
        }
        if let Some(lib) = func.lib {
            write!(text, "|{}", symbols.libs[lib.index()].name).unwrap();
        }
        text
    };
    let place = |source: Option<SourceId>, line: u32| match source {
        Some(source) => format!(" {}:{line}", symbols.source_name(source)),
        None => format!(":{line}"),
    };
    let mut out = String::new();
    for own in &graph.own {
        writeln!(out, "{}{} {:?}", name(own.func), place(own.source, own.line), own.weights)
            .unwrap();
    }
    for call in &graph.calls {
        let (caller, callee) = (name(call.caller), name(call.callee));
        writeln!(
            out,
            "{caller}{} > {callee} {}x {:?}",
            place(call.source, call.line),
            call.count,
            call.weights
        )
        .unwrap();
    }
    out
}

/// The example of the Valgrind manual.
const EXAMPLE: &str = "\
events: Instructions

fl=file1.c
fn=main
16 20
cfn=func1
calls=1 50
16 400
cfi=file2.c
cfn=func2
calls=3 20
16 400

fn=func1
51 100
cfi=file2.c
cfn=func2
calls=2 20
51 300

fl=file2.c
fn=func2
20 700
";

const EXAMPLE_ROWS: &str = "\
main|file1.c:16 [20.0]
func1|file1.c:51 [100.0]
func2|file2.c:20 [700.0]
main|file1.c:16 > func1|file1.c 1x [400.0]
main|file1.c:16 > func2|file2.c 3x [400.0]
func1|file1.c:51 > func2|file2.c 2x [300.0]
";

#[test]
fn the_example_of_the_manual_with_and_without_short_names() {
    let read = read_text(EXAMPLE);
    assert_eq!((&*rows(&read), warnings(&read), read.writer.text()), (EXAMPLE_ROWS, vec![], None));
    let metric = &read.recording.metrics()[0];
    assert_eq!(
        (&*metric.name, &*metric.unit, metric.lines),
        ("Instructions", "Instructions", LineKnowledge::SelfAndTotal)
    );

    let short = "\
# callgrind format
version: 1
creator: by hand
positions: line
events: Instructions

fl=(1) file1.c
fn=(1) main
16 20
cfn=(2) func1
calls=1 50
* 400
cfi=(2) file2.c
cfn=(3) func2
calls=3 20
* 400

fn=(2)
+35 100
cfi=(2)
cfn=(3)
calls=2 20
51 300

fl=(2)
fn=(3)
-31 700
";
    for text in [short.to_owned(), short.replace('\n', "\r\n")] {
        let read = read_text(&text);
        assert_eq!(
            (&*rows(&read), warnings(&read), read.writer.text()),
            (EXAMPLE_ROWS, vec![], Some("by hand"))
        );
    }
}

#[test]
fn positions_may_be_addresses_and_relative() {
    let text = "positions: instr line\nevents: Ir\nfl=a.c\nfn=f\n0x80001234 90 1\n+3 * 5\n+1 +1 6\n0x10 0x5b 2\n* -50 1\n";
    assert_eq!(rows(&read_text(text)), "f|a.c:90 [6.0]\nf|a.c:91 [8.0]\nf|a.c:41 [1.0]\n");
    let addresses = read_text("positions: instr\nevents: Ir\nfn=f\n0x10 1\n+3 5\n");
    assert_eq!(rows(&addresses), "f:0 [6.0]\n");
    assert_eq!(addresses.recording.metrics()[0].lines, LineKnowledge::Nothing);
}

#[test]
fn columns_may_be_missing_and_events_computed() {
    let text = "event: S = Ir + 2 Dr : Sum\nevents: Ir Dr\nfl=a.c\nfn=f\n5 10 3\n6 1\n7\n8 1 -4\ncfn=g\ncalls=2 1\n9 0x10 1\n";
    let read = read_text(text);
    let expected = "\
f|a.c:5 [10.0, 3.0, 16.0]
f|a.c:6 [1.0, 0.0, 1.0]
f|a.c:7 [0.0, 0.0, 0.0]
f|a.c:8 [1.0, 0.0, 1.0]
f|a.c:9 > g|a.c 2x [16.0, 1.0, 18.0]
";
    assert_eq!((&*rows(&read), warnings(&read)), (expected, vec![(WarningCode::NegativeCost, 1)]));
    let names: Vec<_> =
        read.recording.metrics().iter().map(|metric| metric.name.as_str()).collect();
    assert_eq!(names, ["Ir", "Dr", "S"]);
}

#[test]
fn inlined_code_is_in_another_file() {
    let text = "events: Ir\nfl=a.c\nfn=f\n10 5\nfi=b.h\n3 7\ncfn=g\ncalls=1 9\n4 2\nfe=a.c\n11 1\nfi=???\n12 1\nfn=h\n20 1\n";
    let expected = "\
f|a.c:10 [5.0]
f|a.c b.h:3 [7.0]
f|a.c:11 [1.0]
f|a.c:0 [1.0]
h|a.c:20 [1.0]
f|a.c b.h:4 > g|b.h 1x [2.0]
";
    assert_eq!(rows(&read_text(text)), expected);
}

#[test]
fn jumps_move_the_line_and_define_names() {
    for (jump, conditional) in
        [("jump=5 +1", "jcnd=3/7 +9"), ("jump=5 0x11 12", "jcnd=7 3 0x11 30")]
    {
        let text = format!(
            "events: Ir\nfl=(1) a.c\nfn=(1) f\n10 5\njfi=(2) b.c\njfn=(2) g\n{jump}\n+2\n+1 1\n{conditional}\n*\n* 2\nfl=(2)\nfn=(2)\n1 1\n"
        );
        let read = read_text(&text);
        assert_eq!(
            (&*rows(&read), warnings(&read)),
            ("f|a.c:10 [5.0]\nf|a.c:13 [3.0]\ng|b.c:1 [1.0]\n", vec![]),
            "{text}"
        );
    }
}

#[test]
fn parts_add_up_and_have_names_of_their_own() {
    let text = "\
version: 1
creator: callgrind-3.19.0
part: 1
positions: line
events: Ir Dr
summary: 15 1

ob=(1) /bin/app
fl=(1) a.c
fn=(1) f
10 5 1
cob=(2) /lib/libc.so
cfi=(2) ???
cfn=(2) puts
calls=1 0
11 10
ob=(2)
fl=(2)
fn=(2)
0 10
totals: 15 1

part: 2
positions: line
events: Dr Ir
summary: 1 3
ob=(1) /bin/app
fl=(1) a.c
fn=(2) f
+10 1 2
fn=(1) g
20 0 1
totals: 1 3
";
    let expected = "\
f|a.c|app:10 [7.0, 2.0]
puts|libc.so:0 [10.0, 0.0]
g|a.c|app:20 [1.0, 0.0]
f|a.c|app:11 > puts|libc.so 1x [10.0, 0.0]
";
    let read = read_text(text);
    assert_eq!(
        (&*rows(&read), warnings(&read), read.writer.text()),
        (expected, vec![], Some("callgrind-3.19.0"))
    );
    let cut =
        read_text(&text[..text.find("fn=(1) g").unwrap()].replace("summary: 1 3", "summary: 1 99"));
    assert_eq!(warnings(&cut), [(WarningCode::Incomplete, 1)]);
}

/// callgrind ends each part with `totals:`, Xdebug ends its files with `summary:`.
#[test]
fn a_file_without_its_end_has_a_warning() {
    let text = "\
creator: callgrind-3.19.0
events: Ir
summary: 1000
fl=a.c
fn=f
1 995
fn=g
9 5
totals: 1000
";
    assert_eq!(warnings(&read_text(text)), []);
    let (cut, _) = text.split_once("fn=g").unwrap();
    assert_eq!(warnings(&read_text(cut)), [(WarningCode::Incomplete, 1)]);
    // All costs are there, so nothing is missing.
    let (whole, _) = text.split_once("totals").unwrap();
    assert_eq!(warnings(&read_text(whole)), []);
    // Other programs round.
    assert_eq!(warnings(&read_text(&cut.replace("callgrind-3.19.0", "other"))), []);

    let part = |n: u32| format!("part: {n}\nevents: Ir\nfl=a.c\nfn=f\n1 {n}\ntotals: {n}\n");
    let parts = part(1) + &part(2);
    assert_eq!(warnings(&read_text(&parts)), []);
    let cut = read_text(parts.strip_suffix("totals: 2\n").unwrap());
    assert_eq!((warnings(&cut), cut.truncated), (vec![(WarningCode::Incomplete, 1)], None));

    let xdebug = "creator: xdebug 3.2.0 (PHP 8.2.0)\nevents: Time\nfl=a.php\nfn={main}\n1 10\n";
    assert_eq!(warnings(&read_text(xdebug)), [(WarningCode::Incomplete, 1)]);
    assert_eq!(warnings(&read_text(&format!("{xdebug}\nsummary: 10\n"))), []);
    // Time outside of functions is in the summary only.
    assert_eq!(warnings(&read_text(&format!("{xdebug}\nsummary: 20\n"))), []);
}

#[test]
fn levels_and_callers_are_one_function() {
    let text = "\
events: Ir
fl=a.c
fn=main
1 1
cfn=f
calls=1 5
2 9
fn=f
5 3
cfn=f'2
calls=1 5
6 6
fn=f'2
5 6
fn=g'main
9 1
";
    let expected = "\
main|a.c:1 [1.0]
f|a.c:5 [3.0]
f'|a.c:5 [6.0]
g|a.c:9 [1.0]
main|a.c:2 > f|a.c 1x [9.0]
f|a.c:6 > f'|a.c 1x [6.0]
";
    assert_eq!(rows(&read_text(text)), expected);
}

#[test]
fn a_callee_counts_for_one_call_only() {
    let text = "\
events: Ir
ob=app
fl=a.c
fn=f
cfi=b.c
cfn=unused
cfn=g
calls=0 3
5 7
cob=libm
cfl=c.c
cfn=h
calls=2 1
6 1
cfn=k
calls=1 1
7 1
";
    let expected = "\
f|a.c|app:5 > g|a.c|app 0x [7.0]
f|a.c|app:6 > h|c.c|libm 2x [1.0]
f|a.c|app:7 > k|a.c|app 1x [1.0]
";
    assert_eq!(rows(&read_text(text)), expected);
}

#[test]
fn without_a_creator_the_events_show_the_dialect() {
    let python = "event: ns : Nanoseconds\nevents: ns\nsummary: 9\nfl=~\nfn=<built-in len>\n0 4\nfl=a.py\nfn=__init__:7\n7 2\n";
    let read = read_text(&format!(
        "{python}cfl=a.py\ncfn=__init__:20\ncalls=3 20\n7 3\nfl=a.py\nfn=__init__:20\n20 3\n"
    ));
    let expected = "\
<built-in len>:0 [4.0]
__init__@7|a.py:7 [2.0]
__init__@20|a.py:20 [3.0]
__init__@7|a.py:7 > __init__@20|a.py 3x [3.0]
";
    assert_eq!((&*rows(&read), read.writer.text()), (expected, Some("pyprof2calltree")));
    assert_eq!(read.recording.metrics()[0].seconds_per_unit, Some(1e-9));
    for (events, producer) in [("Ticks", "nytprofcg"), ("wall_time", "ruby-prof")] {
        assert_eq!(
            read_text(&format!("events: {events}\nfl=\nfn=f\n0 1\n")).writer.text(),
            Some(producer)
        );
    }
    let xdebug = "version: 1\ncreator: xdebug 3.2.0 (PHP 8.2.7)\ncmd: /a.php\npart: 1\npositions: line\n\nevents: Time_(10ns) Memory_(bytes)\n\n\
                  fl=(1) php:internal\nfn=(1) php::strlen\n4 7 -32\n\nfl=(2) /a.php\nfn=(2) {main}\n1 60 400\ncfl=(1)\ncfn=(1)\ncalls=1 0 0\n4 7 0\n\n\
                  summary: 67 400\n";
    let read = read_text(xdebug);
    let expected = "{main}|/a.php:1 60 400\n{main}|/a.php:4 > php::strlen|php:internal:4 7 0\n";
    assert_eq!(
        (&*text_rows::rows(&read), warnings(&read)),
        (expected, vec![(WarningCode::NegativeCost, 1)])
    );
    assert_eq!(read.recording.metrics()[0].seconds_per_unit, Some(1e-8));
}

#[test]
fn blocks_in_order_of_returns_are_a_call_tree() {
    // {main} calls fact(3) on line 9, which calls fact(2), which calls fact(1), each on line 4;
    // then it calls g, which calls fact(1).
    let head = "version: 1\ncreator: xdebug 3.2.0 (PHP 8.2.0)\ncmd: /a.php\npart: 1\npositions: line\n\nevents: Time_(10ns)\n\n";
    let fact = |below: &str| format!("fl=(1) /a.php\nfn=(1) fact\n3 10\n{below}\n");
    let call = |line, cost| format!("cfl=(1)\ncfn=(1)\ncalls=1 0 0\n{line} {cost}\n");
    let g = format!("fl=(1)\nfn=(2) g\n6 2\n{}\n", call(7, 10));
    let main = format!(
        "fl=(1)\nfn=(3) {{main}}\n1 5\n{}cfl=(1)\ncfn=(2)\ncalls=1 0 0\n10 12\n\nsummary: 47\n",
        call(9, 30)
    );
    let text =
        [head, &fact(""), &fact(&call(4, 10)), &fact(&call(4, 20)), &fact(""), &g, &main].concat();
    let expected = "\
{main}|/a.php:1 5
{main}|/a.php:9 > fact|/a.php:3 10
{main}|/a.php:9 > fact|/a.php:4 > fact|/a.php:3 10
{main}|/a.php:9 > fact|/a.php:4 > fact|/a.php:4 > fact|/a.php:3 10
{main}|/a.php:10 > g|/a.php:6 2
{main}|/a.php:10 > g|/a.php:7 > fact|/a.php:3 10
";
    let read = read_text(&text);
    assert_eq!((&*text_rows::rows(&read), warnings(&read)), (expected, vec![]));
    assert_eq!(text_rows::profile(&read).samples()[0].calls(), Some(&[1; 6][..]));
    // With `profiler_append`, there are two requests in one file.
    let banner = "\n==== NEW PROFILING FILE ==============================================\n";
    let appended = read_text(&[banner, &text, banner, &text].concat());
    assert_eq!((text_rows::rows(&appended), warnings(&appended)), (expected.repeat(2), vec![]));
    // Cut after g: two calls have no caller.
    let cut = read_text(text.split("fl=(1)\nfn=(3)").next().unwrap());
    let expected = "fact|/a.php:3 10\nfact|/a.php:4 > fact|/a.php:3 10\nfact|/a.php:4 > fact|/a.php:4 > fact|/a.php:3 10\ng|/a.php:6 2\ng|/a.php:7 > fact|/a.php:3 10\n";
    assert_eq!(text_rows::rows(&cut), expected);
    // If the order differs, or calls are summed, only sums are known.
    for text in
        [[head, &g, &fact(""), &main].concat(), text.replace("calls=1 0 0\n10", "calls=2 0 0\n10")]
    {
        assert!(matches!(read_text(&text).recording, Recording::Graph(_)), "{text}");
    }
}

#[test]
fn malformed_lines_are_skipped_or_errors() {
    let read = read_text("events: Ir\nfl=a.c\n1 2\nwhat\nfn=(9)\n2 x\n+x 1\n3 1\n4");
    assert_eq!(rows(&read), "|a.c:1 [2.0]\n|a.c:3 [1.0]\n");
    assert_eq!(
        warnings(&read),
        [
            (WarningCode::MalformedLine, 3),
            (WarningCode::UnknownName, 1),
            (WarningCode::PartialLine, 1)
        ]
    );
    assert!(read.warnings.as_slice()[0].message.starts_with("line 4: expected `fn=NAME`"));
    let error = read_bytes(b"# callgrind format\nfl=a.c\nfn=f\n1 2\n").unwrap_err();
    assert_eq!((error.kind, error.at), (ErrorKind::Malformed, At::Line(4, 1)));
    let error = read_bytes(b"# callgrind format\nversion: 1\n").unwrap_err();
    assert_eq!(error.kind, ErrorKind::Truncated);
    // A file that was just begun.
    assert_eq!(rows(&read_text("# callgrind format\nevents: Ir\n")), "");
    let far = read_text(
        "events: Ir\nfn=f\n99999999999999999999 1\n+99999999999 1\n-5 18446744073709551615\n",
    );
    assert_eq!(rows(&far), "f:0 [1.8446744073709552e19]\n");
}

#[test]
fn a_last_line_without_newline_counts_if_it_is_complete() {
    // yappi's last line has no newline; callgrind_annotate counts 12.
    let read = read_text("events: Ticks\n\nfl=a\nfn=f\n1 5\n2 7");
    assert_eq!(
        (&*rows(&read), warnings(&read)),
        ("f|a:1 [5.0]\nf|a:2 [7.0]\n", vec![(WarningCode::OpenEnd, 1)])
    );
    let call = read_text("events: Ir\nfl=a\nfn=f\n1 5\ncfn=g\ncalls=2 9\n+1 7");
    assert_eq!(
        (&*rows(&call), warnings(&call)),
        ("f|a:1 [5.0]\nf|a:2 > g|a 2x [7.0]\n", vec![(WarningCode::OpenEnd, 1)])
    );
    // The second event is missing.
    let cut = read_text("events: Ir Dr\nfl=a\nfn=f\n1 5 1\n2 7");
    assert_eq!(
        (&*rows(&cut), warnings(&cut)),
        ("f|a:1 [5.0, 1.0]\n", vec![(WarningCode::PartialLine, 1)])
    );
    let positions = read_text("positions: instr line\nevents: Ir\nfl=a\nfn=f\n0x1 1 5\n0x2 7");
    assert_eq!(
        (&*rows(&positions), warnings(&positions)),
        ("f|a:1 [5.0]\n", vec![(WarningCode::PartialLine, 1)])
    );
    // The last line is not a cost.
    assert_eq!(warnings(&read_text("events: Ir\nfl=a\nfn=f\n1 5\ntotals: 5")), []);
    for end in ["fl=/usr/lib/rub", "fn=", "calls=4", "desc: Trig"] {
        let cut = read_text(&format!("events: Ir\nfl=a\nfn=f\n1 5\n{end}"));
        assert_eq!(warnings(&cut), [(WarningCode::OpenEnd, 1)], "{end}");
    }
}

#[test]
fn costs_on_one_line_per_function_are_warned_of() {
    let file = |lines: u32| {
        let functions: Vec<_> =
            (0..12).map(|i| format!("fn=f{i}\n{} 1\n{} 1\n", 5 * i + 1, 5 * i + lines)).collect();
        read_text(&format!("events: Samples\nfl=a.rb\n{}", functions.concat()))
    };
    assert_eq!(warnings(&file(1)), [(WarningCode::OneLinePerFunction, 1)]);
    assert_eq!(warnings(&file(2)), []);
}

#[test]
fn counts_of_calls_that_exceed_64_bits_are_reported() {
    let text = |second: u64| {
        format!(
            "events: Ir\nfl=a.c\nfn=main\n1 10\ncfn=f\ncalls={} 9\n2 5\ncfn=f\ncalls={second} 9\n3 5\n\n\
             fn=f\n9 10\n",
            u64::MAX
        )
    };
    assert_eq!(warnings(&read_text(&text(3))), [(WarningCode::TooManyCalls, 1)]);
    assert_eq!(warnings(&read_text(&text(0))), []);

    // On one line.
    let read = read_text(&text(3).replace("\n3 5", "\n2 5"));
    assert_eq!(
        (&*rows(&read), warnings(&read)),
        (
            "main|a.c:1 [10.0]\nf|a.c:9 [10.0]\nmain|a.c:2 > f|a.c 18446744073709551615x [10.0]\n",
            vec![(WarningCode::TooManyCalls, 1)]
        )
    );
}

#[test]
fn the_cold_part_of_a_function_is_the_function() {
    let text = "creator: callgrind-3.19.0\nevents: Ir\nfl=a.c\nfn=main\n10 5\ncfn=check\n\
                calls=900 3\n10 7800\nfn=check\n3 900\ncfn=check.cold\ncalls=300 5\n4 1200\n\
                fn=check.cold\n5 600\ncfn=log\ncalls=300 20\n5 600\nfn=log\n20 600\n";
    let expected = "main|a.c:10 [5.0]\ncheck|a.c:3 [900.0]\ncheck|a.c:5 [600.0]\nlog|a.c:20 [600.0]\n\
                    main|a.c:10 > check|a.c 900x [7800.0]\ncheck|a.c:5 > log|a.c 300x [600.0]\n";
    assert_eq!(rows(&read_text(text)), expected);
    // A method of another language may have this name.
    let other = rows(&read_text(&text.replace("callgrind-3.19.0", "xdebug 3")));
    assert!(other.contains("> check.cold|a.c 300x"), "{other}");
}

#[test]
fn a_cold_part_is_named_after_its_function() {
    let whole = |name| cold_part(name).unwrap_or_default();
    let names =
        ["f.cold", "f.cold.3", "f(int) [clone .cold]", "f(int) [clone .cold.3]", "f.cold'2"];
    assert_eq!(names.map(whole), ["f", "f", "f(int)", "f(int)", "f'2"]);
    assert_eq!(
        ["f", "f.cold.x", "scold", ".cold", "f.isra.0", "f.3"].map(cold_part),
        [const { None }; 6]
    );
}
