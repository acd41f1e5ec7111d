use super::proto::{ContextSwitch, LostSituation, MetaInfo, Record};
use super::*;
use crate::error::ErrorKind;
use crate::read::text_rows::{labelled_rows, profile, rows, warnings};
use profile::StackAccess;

fn read(bytes: &[u8]) -> Result<Read, ReadError> {
    crate::input::in_memory(bytes, super::read)?
}

/// A report with these records and an end mark.
fn report(records: &[Record]) -> Vec<u8> {
    let records = records.iter().flat_map(|record| {
        let bytes = record.encode_to_vec();
        [&(bytes.len() as u32).to_le_bytes()[..], &bytes].concat()
    });
    MAGIC.iter().copied().chain(VERSION).chain(records).chain([0; 4]).collect()
}

fn meta(events: &[&str], trace_offcpu: bool) -> Record {
    let event_type = events.iter().map(|name| name.as_bytes().to_vec()).collect();
    Record { meta_info: Some(MetaInfo { event_type, trace_offcpu }), ..Record::default() }
}

/// A sample of thread 7, leaf first: file, symbol and address of each entry.
fn sample(event: u32, time: u64, count: u64, chain: &[(u32, i32, u64)]) -> Record {
    let entry = |&(file_id, symbol_id, vaddr_in_file): &(u32, i32, u64)| Entry {
        vaddr_in_file,
        file_id,
        symbol_id,
        execution_type: 0,
    };
    let sample = proto::Sample {
        time,
        thread_id: 7,
        callchain: chain.iter().map(entry).collect(),
        event_count: count,
        event_type_id: event,
    };
    Record { sample: Some(sample), ..Record::default() }
}

fn file(id: u32, path: &str, symbols: &[&str]) -> Record {
    let symbol = symbols.iter().map(|name| name.as_bytes().to_vec()).collect();
    let file = proto::File { id, path: path.as_bytes().to_vec(), symbol };
    Record { file: Some(file), ..Record::default() }
}

fn thread(tid: i32, pid: i32, name: &str) -> Record {
    let thread = proto::Thread { id: tid, process_id: pid, name: name.as_bytes().to_vec() };
    Record { thread: Some(thread), ..Record::default() }
}

fn resumed(time: u64) -> Record {
    let switch = ContextSwitch { switch_on: true, time, thread_id: 7 };
    Record { context_switch: Some(switch), ..Record::default() }
}

fn lost(lost_count: u64) -> Record {
    Record { lost: Some(LostSituation { lost_count }), ..Record::default() }
}

#[test]
fn frames_have_a_library_or_the_file_of_their_class() {
    let app = "/data/app/~~x==/shop/oat/arm64/base.vdex";
    let bytes = report(&[
        meta(&["cpu-cycles"], false),
        // Two addresses of one function, and two of none.
        sample(0, 1_000_000, 5, &[(1, 0, 0x10), (0, 0, 0x50)]),
        sample(0, 3_000_000, 6, &[(1, 0, 0x14), (0, 0, 0x58)]),
        sample(0, 2_000_000, 7, &[(1, -1, 0x20), (2, -1, 0xff), (0, 1, 0), (0, 2, 0)]),
        sample(0, 4_000_000, 8, &[(3, 0, 0x10), (1, 9, 0)]),
        file(0, app, &["shop.Cart.total", "int shop.Cart$Item.price(long, shop.Tax)", "start"]),
        file(1, "/system/lib64/libc.so", &["memcpy"]),
        file(2, "[kernel.kallsyms]", &[]),
        file(3, "[JIT app cache]", &["shop.Cart.total"]),
        thread(7, 6, "worker"),
        thread(6, 6, "shop"),
    ]);
    let read = read(&bytes).unwrap();
    let expected = "\
6/7: shop.Cart.total|shop/Cart.java > memcpy|libc.so 5
6/7: shop.Cart.total|shop/Cart.java > memcpy|libc.so 6
6/7: start|base.vdex > shop.Cart$Item.price|shop/Cart.java > 0xff|[kernel.kallsyms] > 0x20|libc.so 7
6/7: [unknown]|libc.so > shop.Cart.total|shop/Cart.java 8
";
    assert_eq!(rows(&read), expected);
    assert!(warnings(&read).is_empty());
    assert_eq!(read.span_seconds, Some(0.003));
    let metric = &read.recording.metrics()[0];
    assert_eq!((&*metric.name, &*metric.unit), ("cpu-cycles", "cpu-cycles"));
    let names = |thread: &Thread| format!("{} of {}", thread.name, thread.process_name);
    assert!(labelled_rows(&read, names).starts_with("worker of shop: "));
    // Only addresses in ELF files are looked up.
    let symbols = profile(&read).symbols();
    let found = symbols.funcs.ids().filter_map(|func| symbols.unresolved(func));
    let found: Vec<_> =
        found.map(|(lib, address)| (&*symbols.libs[lib.index()].path, address)).collect();
    assert_eq!(found, [("/system/lib64/libc.so", 0x20)]);
}

#[test]
fn execution_types_are_tiers() {
    let mut record = sample(0, 1, 1, &[(0, 0, 0), (0, 0, 0), (0, 0, 0)]);
    let chain = &mut record.sample.as_mut().unwrap().callchain;
    (chain[0].execution_type, chain[1].execution_type) = (proto::JIT, proto::INTERPRETED);
    let read = read(&report(&[record, file(0, "/dev/memory", &["a.B.c"])])).unwrap();
    assert_eq!(rows(&read), "7: a.B.c|memory > a.B.c|a/B.java > a.B.c|a/B.java 1\n");
    let frames = profile(&read).frames();
    let tiers: Vec<_> = frames.iter().map(|frame| frame.tier).collect();
    assert_eq!(tiers, [JitTier::Unknown, JitTier::Interpreter, JitTier::Jit]);
}

#[test]
fn a_sample_off_the_processor_lasts_until_its_thread_runs_again() {
    let f = [(0, 0, 0)];
    let records = |trace_offcpu| {
        report(&[
            meta(&["task-clock", "sched:sched_switch"], trace_offcpu),
            sample(0, 10, 250, &f),
            sample(1, 20, 1, &f),
            resumed(90),
            sample(1, 100, 1, &f),
            // The switch was lost.
            sample(0, 130, 250, &f),
            sample(1, 140, 1, &f),
            file(0, "/a", &["f"]),
        ])
    };
    let measured = read(&records(true)).unwrap();
    assert_eq!(rows(&measured), "7: f|a 250 0\n7: f|a 0 70\n7: f|a 0 30\n7: f|a 250 0\n");
    let metrics = |read: &Read| {
        let metrics = read.recording.metrics().iter();
        metrics.map(|metric| format!("{} {}", metric.name, metric.unit)).collect::<Vec<_>>()
    };
    assert_eq!(metrics(&measured), ["task-clock ns", "off-cpu ns"]);
    let counted = read(&records(false)).unwrap();
    assert_eq!(metrics(&counted), ["task-clock ns", "sched:sched_switch count"]);
    assert!(rows(&counted).ends_with("7: f|a 250 0\n7: f|a 0 1\n"));
    // The end of the only sample is unknown.
    let error =
        read(&report(&[meta(&["a", "b"], true), sample(1, 1, 1, &f), file(0, "/a", &["f"])]));
    assert!(error.unwrap_err().to_string().contains("there is no sample"));
}

#[test]
fn events_without_samples_are_no_metrics_and_the_first_one_is_shown() {
    let f = [(0, 0, 0)];
    let bytes = report(&[
        sample(2, 1, 40, &f),
        sample(1, 2, 0, &f),
        meta(&["instructions", "page-faults", "cpu-cycles"], false),
        file(0, "/a", &["f"]),
    ]);
    let shown = read(&bytes).unwrap();
    // Without counts, each sample is one.
    assert_eq!(rows(&shown), "7: f|a 0 40\n7: f|a 1 0\n");
    let metrics = shown.recording.metrics();
    assert_eq!([&*metrics[0].name, &*metrics[1].name], ["page-faults", "cpu-cycles"]);
    assert_eq!(shown.recording.default_metric().index(), 0);
    let many = (0..=64).map(|event| sample(event, 1, 1, &f)).chain([file(0, "/a", &["f"])]);
    let error = read(&report(&many.collect::<Vec<_>>())).unwrap_err();
    assert_eq!(error.kind, ErrorKind::TooLarge);
}

#[test]
fn cut_and_damaged_reports_are_read_as_far_as_they_go() {
    let f = [(0, 0, 0)];
    let whole = report(&[file(0, "/a", &["f"]), sample(0, 1, 3, &f), sample(0, 2, 4, &f), lost(9)]);
    let complete = read(&whole).unwrap();
    assert_eq!(rows(&complete), "7: f|a 3\n7: f|a 4\n");
    assert_eq!(warnings(&complete), [(WarningCode::LostSamples, 1)]);
    let cut = read(&whole[..whole.len() - 5]).unwrap();
    assert_eq!(rows(&cut), "7: f|a 3\n7: f|a 4\n");
    assert_eq!(warnings(&cut), [(WarningCode::Truncated, 1)]);
    for end in 0..whole.len() {
        match read(&whole[..end]) {
            Ok(read) => assert_eq!(warnings(&read)[0].0, WarningCode::Truncated, "{end}"),
            Err(error) => assert_eq!(error.kind, ErrorKind::Truncated, "{end}"),
        }
    }
    // A record that is none, and the ones after it.
    let mut damaged = whole.clone();
    damaged[16] = 0xff;
    let error = read(&damaged).unwrap_err().to_string();
    assert!(error.contains("the report ends before the names of its functions"), "{error}");
    let mut other = whole;
    other[10] = 2;
    let error = read(&other).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Unrecognised);
    assert!(error.message.contains("version 2 of simpleperf's reports"), "{error}");
    let error = read(&report(&[lost(2)])).unwrap_err().to_string();
    assert!(error.contains("there is no sample: 2 samples were lost while recording"), "{error}");
}
