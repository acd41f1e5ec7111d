use super::*;
use crate::error::ErrorKind;
use mercury_files::deep::{DeepFile, DeepProc, DeepRun, DeepSite};
use profile::{GraphAccess, GraphTables, Part, Thread, Total, merge};
use proptest::prelude::*;

fn procedure(name: &str, line: u64, sites: Vec<DeepSite>) -> DeepProc {
    DeepProc::new(name, 2, line, sites)
}

/// The bytes of [`DeepFile::even_odd`], written by hand.
const EVEN_ODD: &str = "\
4d65726375727920646565702070726f66696c657220646174612076657273696f6e20390a032e2f
74082100000000000005000000000000000500000000000000050000000000000005000000000000
006402050d0104010101000401000201020a0101040202010000020202030a010104030302010300
030204000203040a030304040401000005020503820a020102020405823a060406020a0405050000
0301000f4d6572637572792072756e74696d650f4d6572637572792072756e74696d650f4d657263
7572792072756e74696d6500000f4d6572637572792072756e74696d6500010101000101040f4d65
72637572792072756e74696d650000030200016d016d046d61696e0200036d2e6d03010102000102
00030000050363313b030300016d016d046576656e0200036d2e6d0a000203040102653b01010300
0400000c05653b63313b010402000d05653b63323b030400016d016d036f64640200036d2e6d1400
010500010500030000160363313b030501016d016d046c6561660100036d2e6d1e000000";

fn unhex(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex.bytes().filter(u8::is_ascii_hexdigit).collect();
    digits
        .chunks(2)
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
        .collect()
}

/// The messages of all warnings.
fn warnings(read: &Read) -> Vec<String> {
    read.warnings.as_slice().iter().map(|warning| warning.message.clone()).collect()
}

fn tables(bytes: &[u8]) -> GraphTables {
    let read = read(bytes).unwrap();
    assert_eq!(warnings(&read), Vec::<String>::new());
    read.recording.summed().unwrap().tables().clone()
}

/// Name, self and total of each function in the first metric.
fn functions(graph: &GraphTables) -> Vec<(String, f64, f64)> {
    graph
        .totals
        .iter()
        .filter(|stated| stated.line == 0)
        .map(|stated| {
            let own = graph.own.iter().filter(|own| own.func == stated.func);
            let own = own.map(|own| own.weights[0]).sum();
            (
                graph.symbols.func_name(stated.func).to_owned(),
                own,
                stated.totals[0].exact().unwrap(),
            )
        })
        .collect()
}

/// Line, callee, calls and cost of each call site.
fn sites(graph: &GraphTables) -> Vec<(u32, &str, u64, f64)> {
    let calls = graph.calls.iter();
    calls
        .map(|call| (call.line, graph.symbols.func_name(call.callee), call.count, call.weights[0]))
        .collect()
}

#[test]
fn the_writer_writes_what_the_runtime_writes() {
    assert_eq!(DeepFile::even_odd().bytes(), unhex(EVEN_ODD));
    assert_eq!(DeepFile::even_odd().bytes().len(), 396);
}

#[test]
fn cost_crosses_a_clique_once_at_the_call_that_enters_it() {
    let graph = tables(&unhex(EVEN_ODD));
    let name = "Mercury runtime.Mercury runtime/0-0".to_owned();
    let of = |name: &str, own, total| (format!("m.{name}"), own, total);
    assert_eq!(
        functions(&graph),
        [
            (name, 0.0, 13.0),
            of("main/2-0", 1.0, 13.0),
            of("even/2-0", 3.0, 9.0),
            of("odd/2-0", 3.0, 3.0),
            of("leaf/1+1-0", 6.0, 6.0),
        ]
    );
    assert_eq!(
        sites(&graph),
        [
            (0, "m.main/2-0", 1, 13.0),
            (5, "m.even/2-0", 1, 12.0),
            (12, "m.odd/2-0", 3, 3.0),
            (13, "m.leaf/1+1-0", 6, 6.0),
            (22, "m.even/2-0", 2, 2.0),
        ]
    );
    let metrics: Vec<_> = graph.metrics.iter().map(|metric| metric.name.as_str()).collect();
    assert_eq!(
        metrics,
        [
            "callseqs", "quanta", "allocs", "words", "bytes", "calls", "exits", "fails", "redos",
            "excepts"
        ]
    );
    assert_eq!(graph.calls[3].weights[..], [6.0, 4.0, 2.0, 10.0, 80.0, 6.0, 6.0, 0.0, 0.0, 0.0]);
    assert_eq!(graph.calls[4].weights[1], 1.0);
}

/// What recursion costs on a line is known only between two bounds.
#[test]
fn lines_in_recursion_have_bounds() {
    let graph = tables(&unhex(EVEN_ODD));
    let lines = graph.totals.iter().filter(|stated| stated.line != 0);
    let lines: Vec<_> = lines.map(|stated| (stated.line, stated.totals[0])).collect();
    let expected = [
        (3, Total::Exact(1.0)),
        (5, Total::Exact(12.0)),
        (10, Total::Exact(3.0)),
        (12, Total::Bounded { min: 3.0, max: 12.0 }),
        (13, Total::Exact(6.0)),
        (20, Total::Exact(3.0)),
        (22, Total::Bounded { min: 2.0, max: 12.0 }),
        (30, Total::Exact(6.0)),
    ];
    assert_eq!(lines, expected);
}

#[test]
fn contexts_form_a_tree_of_cliques() {
    let graph = tables(&unhex(EVEN_ODD));
    let contexts = graph.contexts.unwrap();
    let cliques: Vec<u32> = contexts.contexts.iter().map(|context| context.clique).collect();
    assert_eq!(cliques, [3, 2, 1, 1, 0]);
    let entries = contexts.cliques.iter().map(|clique| clique.entry.map(|call| call as usize));
    let callees = entries.map(|entry| entry.map(|call| contexts.calls[call].callee));
    assert_eq!(callees.collect::<Vec<_>>(), [Some(4), Some(2), Some(1), None]);
    // Calls are sorted by caller, like lines 0, 5, 12, 13, 22.
    assert_eq!(contexts.columns[0].own, [1.0, 1.0, 3.0, 6.0, 2.0]);
    assert_eq!(contexts.columns[0].below, [12.0, 11.0, 0.0, 0.0, 0.0]);
    assert!(contexts.columns[5].own.is_empty(), "calls are not inclusive");
}

#[test]
fn version_8_has_no_file_in_call_sites() {
    let old = tables(&DeepFile { version: 8, ..DeepFile::even_odd() }.bytes());
    assert_eq!(functions(&old), functions(&tables(&unhex(EVEN_ODD))));
    let mut file = DeepFile::even_odd();
    file.procs[2].sites[1].file = "list.m".to_owned();
    let new = tables(&file.bytes());
    let source = new.calls[3].source.unwrap();
    assert_eq!((new.symbols.source_name(source), new.calls[3].line), ("list.m", 13));
    assert_eq!(read(&file.bytes()).unwrap().version.as_deref(), Some("9"));
}

/// A procedure that calls itself through a closure has two contexts, one below the other. Its cost
/// counts once.
#[test]
fn a_procedure_below_itself_counts_once() {
    let p = procedure("p", 10, vec![DeepSite::new(2, 0, 11, "c1;")]);
    let q = procedure("q", 20, vec![DeepSite::new(0, 2, 21, "c1;")]);
    let main = procedure("main", 1, vec![DeepSite::new(0, 2, 2, "c1;")]);
    let mut run = DeepRun::new(9, vec![DeepProc::runtime(), main, p, q]);
    run.call(0, 1);
    run.call(0, 2);
    run.spend(5, 1); // p: own 2
    run.call(0, 3);
    run.call(0, 2);
    run.spend(5, 4); // p again: own 5
    run.file.callseqs += 5;
    (0..4).for_each(|_| run.end(0));
    let graph = tables(&run.file.bytes());
    let of = |name: &str, own, total| (format!("m.{name}/2-0"), own, total);
    assert_eq!(
        functions(&graph)[1..],
        [of("main", 1.0, 9.0), of("p", 7.0, 8.0), of("q", 1.0, 6.0)]
    );
    let sites: Vec<_> = sites(&graph).iter().map(|&(line, _, _, cost)| (line, cost)).collect();
    assert_eq!(sites, [(0, 9.0), (2, 8.0), (11, 1.0), (21, 5.0)]);
    let bounds = graph.totals.iter().find(|stated| stated.line == 11).map(|line| line.totals[0]);
    assert_eq!(bounds, Some(Total::Bounded { min: 1.0, max: 6.0 }));
}

#[test]
fn calls_are_exits_failures_and_exceptions_without_redos() {
    let mut file = DeepFile::even_odd();
    file.calls[2].counts = [3, 2, 1, 1, 0, 3, 0, 0];
    let graph = tables(&file.bytes());
    assert_eq!(sites(&graph)[2], (12, "m.odd/2-0", 5, 3.0));
    assert_eq!(graph.calls[2].weights[5..], [5.0, 3.0, 2.0, 1.0, 1.0]);
}

/// Times in short runs are too coarse to show as seconds.
#[test]
fn ticks_become_seconds_if_there_are_enough() {
    let seconds = |ticks, user_ticks| {
        let file = DeepFile { ticks_per_second: ticks, user_ticks, ..DeepFile::even_odd() };
        tables(&file.bytes()).metrics[1].seconds_per_unit
    };
    assert_eq!(seconds(100, 5), None);
    assert_eq!(seconds(100, 11), Some(0.01));
    assert_eq!(seconds(0, 11), None);
}

#[test]
fn a_header_without_counts_is_an_unfinished_file() {
    let mut bytes = DeepFile::even_odd().bytes();
    let counts = MAGIC.len() + 2 + 4 + 8;
    bytes[counts..counts + 32].fill(0);
    let error = read(&bytes).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Truncated);
    assert!(error.to_string().contains("still running"), "{error}");
}

#[test]
fn other_versions_and_flags_are_rejected() {
    let message = |bytes: &[u8]| read(bytes).unwrap_err().to_string();
    let mut bytes = DeepFile::even_odd().bytes();
    bytes[MAGIC.len()] = b'7';
    assert_eq!(
        message(&bytes),
        "byte 35: version 7 of Mercury deep profiler data is not supported; expected 8 or 9"
    );
    let mut bytes = DeepFile::even_odd().bytes();
    bytes[MAGIC.len() + 6 + 1] = 0x25;
    assert!(message(&bytes).contains("unknown flags 0x2508"), "{}", message(&bytes));
}

#[test]
fn sums_and_nodes_that_contradict_each_other_are_reported() {
    let warned = |file: &DeepFile| warnings(&read(&file.bytes()).unwrap());
    let file = DeepFile { callseqs: 14, ..DeepFile::even_odd() };
    assert_eq!(
        warned(&file),
        ["the file states 14 call sequence numbers, its calls add up to 13, and 13 are below its \
          first context; the file may be damaged"]
    );
    let file = DeepFile { user_ticks: 4, ..DeepFile::even_odd() };
    assert_eq!(warned(&file), ["the file states 4 ticks, but its calls add up to 5"]);
    let mut file = DeepFile::even_odd();
    file.contexts[3].slots.clear();
    assert_eq!(
        warned(&file)[0],
        "1 contexts have more or fewer call sites than their procedure; the file may be damaged, \
         and costs incomplete"
    );
}

#[test]
fn a_dump_has_all_nodes() {
    let text = dump(&DeepFile::even_odd().bytes()).unwrap();
    let count = |prefix: &str| text.lines().filter(|line| line.starts_with(prefix)).count();
    assert_eq!(["proc ", "site ", "context ", "call "].map(count), [5, 5, 5, 5]);
    for line in [
        "nodes 5 procs, 5 sites, 5 contexts, 5 calls",
        "proc 3 m.even/2-0 m.m:10 sites [3, 4] points [branch \"e;\" 0]",
        "site 3 normal proc 4 :12 \"e;c1;\"",
        "context 3 proc 3 calls [normal [3], higher-order [4]] counts [3]",
        "call 4 context 5 exits 6 quanta 4 callseqs 6 allocs 2 words 10",
    ] {
        assert!(text.lines().any(|found| found == line), "{line} is not in\n{text}");
    }
}

#[test]
fn truncated_and_damaged_files_end_with_an_error_or_warnings() {
    let bytes = unhex(EVEN_ODD);
    for len in MAGIC.len()..bytes.len() {
        match read(&bytes[..len]) {
            Ok(read) => assert!(!warnings(&read).is_empty(), "{len} bytes"),
            Err(error) => assert_ne!(error.message, "", "{len} bytes"),
        }
    }
    for at in MAGIC.len()..bytes.len() {
        for bit in 0..8 {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << bit;
            let _ = read(&damaged);
            let _ = dump(&damaged);
        }
    }
}

#[test]
fn deep_chains_of_calls_need_no_stack() {
    let n = 100_000;
    let mut procs = vec![DeepProc::runtime()];
    for i in 1..=n {
        let callee = if i == n { 1 } else { i + 1 };
        procs.push(procedure("p", i as u64, vec![DeepSite::new(0, callee, i as u64, "c1;")]));
    }
    let mut run = DeepRun::new(8, procs);
    run.call(0, 1);
    (0..n).for_each(|_| run.call(0, 0));
    (0..=n).for_each(|_| run.end(0));
    let graph = tables(&run.file.bytes());
    assert_eq!(functions(&graph)[1], ("m.p/2-0".to_owned(), 2.0, 2.0));
    assert_eq!(sites(&graph)[0], (0, "m.p/2-0", 1, n as f64 + 1.0));
}

/// Procedures that call each other normally and through closures, and the steps of a run: a call of
/// a site, or the end of a call.
fn random_run() -> impl Strategy<Value = DeepFile> {
    let sites = prop::collection::vec((0..2_u8, 1..6_usize), 0..4);
    let procs = prop::collection::vec(sites, 5);
    let steps = prop::collection::vec((0..8_usize, 1..6_usize, 0..6_u64), 1..200);
    (procs, steps).prop_map(|(procs, steps)| {
        let mut all = vec![DeepProc::runtime()];
        for (i, sites) in (1..).zip(procs) {
            let sites = (1..).zip(sites);
            let sites = sites
                .map(|(line, (kind, callee))| DeepSite::new(2 * kind, callee, 10 * i + line, ""));
            all.push(procedure(&format!("p{i}"), 10 * i, sites.collect()));
        }
        let mut run = DeepRun::new(9, all);
        run.call(0, 1);
        for (step, callee, words) in steps {
            run.spend(7, words);
            let n_sites = run.file.procs[run.current()].sites.len();
            if step < n_sites && run.depth() < 50 {
                run.call(step, callee);
            } else if run.depth() > 2 {
                run.end(0);
            }
        }
        while run.depth() > 1 {
            run.end(0);
        }
        run.file
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn costs_add_up(file in random_run()) {
        let graph = tables(&file.bytes());
        let own: f64 = graph.own.iter().map(|own| own.weights[0]).sum();
        let functions = functions(&graph);
        prop_assert_eq!(own, file.callseqs as f64);
        prop_assert_eq!(functions[0].2, own);
        for (name, own_cost, total) in &functions {
            prop_assert!(own_cost <= total && *total <= own, "{} {} {}\n{}", name, own_cost, total, dump(&file.bytes()).unwrap());
        }
        let contexts = graph.contexts.as_ref().unwrap();
        for column in contexts.columns.iter().filter(|column| !column.own.is_empty()) {
            // The call that enters a clique costs what its members spend, and the calls that leave
            // it.
            for (clique, entry) in (0..).zip(&contexts.cliques) {
                let of = |context: u32| contexts.contexts[context as usize].clique;
                let (mut inside, mut leaving) = (0.0, 0.0);
                for (row, call) in contexts.calls.iter().enumerate() {
                    if of(call.callee) == clique {
                        inside += column.own[row];
                    } else if of(call.caller) == clique {
                        leaving += column.own[row] + column.below[row];
                    }
                }
                if let Some(row) = entry.entry {
                    let entered = column.own[row as usize] + column.below[row as usize];
                    prop_assert_eq!(entered, inside + leaving);
                }
            }
        }
        let part = || Part {
            recording: Recording::from(graph.clone()),
            thread: Thread { pid: Some("1".to_owned()), ..Thread::default() },
        };
        let twice = merge(&[part(), part()]).unwrap();
        let twice = twice.summed().unwrap().tables();
        let doubled = functions.iter().map(|(name, own, total)| (name.clone(), 2.0 * own, 2.0 * total));
        prop_assert_eq!(self::functions(twice), doubled.collect::<Vec<_>>());
        let merged = twice.contexts.as_ref().unwrap();
        prop_assert_eq!(merged.calls.len(), 2 * contexts.calls.len());
        for (call, old) in merged.calls.iter().zip(contexts.calls.iter().chain(&contexts.calls)) {
            let (new, old) = (&twice.calls[call.row as usize], &graph.calls[old.row as usize]);
            prop_assert_eq!((new.line, new.count), (old.line, old.count));
        }
        for stated in graph.totals.iter().filter(|stated| stated.line != 0) {
            if let Total::Bounded { min, max } = stated.totals[0] {
                prop_assert!(min <= max && max <= own);
            }
        }
    }
}
