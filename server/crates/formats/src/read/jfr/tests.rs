use super::*;
use crate::read::text_rows::{labelled_rows, warnings};

fn read(bytes: &[u8]) -> Result<Read, ReadError> {
    crate::input::in_memory(bytes, super::read)?
}

fn rows(bytes: &[u8]) -> String {
    labelled_rows(&read(bytes).unwrap(), |thread| thread.name.clone())
}

fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 && bytes.len() < 8 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

fn numbers(values: &[u64]) -> Vec<u8> {
    values.iter().flat_map(|&value| varint(value)).collect()
}

fn text(text: &str) -> Vec<u8> {
    [&[3], &*varint(text.len() as u64), text.as_bytes()].concat()
}

fn event(type_id: u64, payload: &[u8]) -> Vec<u8> {
    let payload = [&*varint(type_id), payload].concat();
    // Sizes have four bytes, so that they count themselves.
    let size = payload.len() as u64 + 4;
    let size = [0, 7, 14].map(|shift| (size >> shift) as u8 | 0x80);
    [&size[..], &[0], &*payload].concat()
}

/// A type: number, name and fields. A field has a name, a type, and `*` for a pool, `[` for a list or
/// `t` for ticks.
type Type<'a> = (u64, &'a str, &'a [(&'a str, u64, &'a str)]);

const TYPES: &[Type<'_>] = &[
    (1, "int", &[]),
    (2, "long", &[]),
    (3, "boolean", &[]),
    (4, "java.lang.String", &[]),
    (5, "jdk.jfr.Timespan", &[]),
    (10, "jdk.types.Symbol", &[("string", 4, "")]),
    (11, "java.lang.Class", &[("name", 10, "*"), ("hidden", 3, "")]),
    (12, "jdk.types.Method", &[("type", 11, "*"), ("name", 10, "*")]),
    (13, "jdk.types.FrameType", &[("description", 4, "")]),
    (14, "jdk.types.StackFrame", &[("method", 12, "*"), ("lineNumber", 1, ""), ("type", 13, "*")]),
    (15, "jdk.types.StackTrace", &[("truncated", 3, ""), ("frames", 14, "[")]),
    (
        16,
        "java.lang.Thread",
        &[("osName", 4, ""), ("osThreadId", 2, ""), ("javaName", 4, ""), ("virtual", 3, "")],
    ),
    (17, "jdk.types.ThreadState", &[("name", 4, "")]),
    (
        20,
        "jdk.ExecutionSample",
        &[
            ("startTime", 2, "t"),
            ("sampledThread", 16, "*"),
            ("stackTrace", 15, "*"),
            ("state", 17, "*"),
        ],
    ),
    (
        21,
        "jdk.JavaMonitorEnter",
        &[
            ("startTime", 2, "t"),
            ("duration", 2, "t"),
            ("eventThread", 16, "*"),
            ("stackTrace", 15, "*"),
        ],
    ),
    (
        22,
        "jdk.ObjectAllocationSample",
        &[
            ("startTime", 2, "t"),
            ("eventThread", 16, "*"),
            ("stackTrace", 15, "*"),
            ("weight", 2, ""),
        ],
    ),
    (
        23,
        "jdk.ObjectAllocationOutsideTLAB",
        &[
            ("startTime", 2, "t"),
            ("stackTrace", 15, "*"),
            ("eventThread", 16, "*"),
            ("allocationSize", 2, ""),
        ],
    ),
    (24, "jdk.BooleanFlag", &[("startTime", 2, "t"), ("name", 4, ""), ("value", 3, "")]),
    (
        25,
        "jdk.CPUTimeSample",
        &[
            ("startTime", 2, "t"),
            ("stackTrace", 15, "*"),
            ("eventThread", 16, "*"),
            ("failed", 3, ""),
            ("samplingPeriod", 2, "t"),
        ],
    ),
    (26, "jdk.CPUTimeSamplesLost", &[("startTime", 2, "t"), ("lostSamples", 1, "")]),
];

/// The metadata of types, whose texts are in order of their use.
fn metadata(types: &[Type<'_>]) -> Vec<u8> {
    let mut texts: Vec<String> = Vec::new();
    let mut known = |name: &str| {
        texts.iter().position(|it| it == name).unwrap_or_else(|| {
            texts.push(name.to_owned());
            texts.len() - 1
        }) as u64
    };
    let mut element = |name: &str, attributes: &[(&str, String)], children: &[Vec<u8>]| {
        let mut bytes = varint(known(name));
        bytes.extend(varint(attributes.len() as u64));
        for (key, value) in attributes {
            bytes.extend(numbers(&[known(key), known(value)]));
        }
        bytes.extend(varint(children.len() as u64));
        bytes.extend(children.concat());
        bytes
    };
    let classes: Vec<_> = types
        .iter()
        .map(|(id, name, fields)| {
            let fields: Vec<_> = fields
                .iter()
                .map(|(name, of, mark)| {
                    let mut attributes =
                        vec![("name", (*name).to_owned()), ("class", of.to_string())];
                    attributes.extend((*mark == "*").then(|| ("constantPool", "true".to_owned())));
                    attributes.extend((*mark == "[").then(|| ("dimension", "1".to_owned())));
                    let ticks = [("class", "5".to_owned()), ("value", "TICKS".to_owned())];
                    let annotation = (*mark == "t").then(|| element("annotation", &ticks, &[]));
                    element("field", &attributes, &Vec::from_iter(annotation))
                })
                .collect();
            element("class", &[("id", id.to_string()), ("name", (*name).to_owned())], &fields)
        })
        .collect();
    let all = element("metadata", &[], &classes);
    let root = element("root", &[], &[all]);
    let n_texts = texts.len() as u64;
    let texts: Vec<u8> = texts.iter().flat_map(|it| text(it)).collect();
    event(0, &[numbers(&[0, 0, 1]), varint(n_texts), texts, root].concat())
}

/// A check point with pools: type and constants.
fn check_point(pools: &[(u64, &[Vec<u8>])]) -> Vec<u8> {
    let head = [numbers(&[0, 0, 0, 0]), varint(pools.len() as u64)].concat();
    let pools = pools.iter().map(|(of, constants)| {
        [numbers(&[*of, constants.len() as u64]), constants.concat()].concat()
    });
    event(1, &[head, pools.collect::<Vec<_>>().concat()].concat())
}

/// `Main.main` calls `Main$Row.sum` (stack 1) and a class that the JVM makes (stack 2, cut).
fn constants() -> Vec<u8> {
    let named = |key, name: &str| [varint(key), text(name)].concat();
    let frame = |method, line, kind| numbers(&[method, line, kind]);
    let stack = |key, is_cut, frames: &[Vec<u8>]| {
        [numbers(&[key, is_cut, frames.len() as u64]), frames.concat()].concat()
    };
    let thread = |key, os_name, tid, name, is_virtual| {
        [varint(key), text(os_name), varint(tid), text(name), vec![is_virtual]].concat()
    };
    let no_line = u64::from(u32::MAX);
    check_point(&[
        (
            10,
            &[
                named(1, "shop/Main"),
                named(2, "main"),
                named(3, "shop/Main$Row"),
                named(4, "sum"),
                named(5, "shop.Main$$Lambda$9+0x00007f3a10/55"),
            ],
        ),
        (11, &[numbers(&[1, 1, 0]), numbers(&[2, 3, 0]), numbers(&[3, 5, 1])]),
        (12, &[numbers(&[1, 1, 2]), numbers(&[2, 2, 4]), numbers(&[3, 3, 4])]),
        (13, &[named(1, "Interpreted"), named(2, "Inlined")]),
        (
            15,
            &[
                stack(1, 0, &[frame(2, 30, 2), frame(1, 12, 1)]),
                stack(2, 1, &[frame(3, no_line, 1), frame(1, 13, 1)]),
            ],
        ),
        (
            16,
            &[
                thread(1, "java", 70, "main", 0),
                thread(2, "GC", 71, "", 0),
                thread(3, "w", 9, "", 1),
            ],
        ),
        (17, &[named(1, "STATE_RUNNABLE")]),
    ])
}

/// A chunk at 2 ticks per microsecond, with its metadata last. `state` is not 0 while it is being written.
fn chunk_in_state(events: &[Vec<u8>], state: u8) -> Vec<u8> {
    let body = events.concat();
    let (at, metadata) = (HEADER + body.len(), metadata(TYPES));
    let numbers = [at + metadata.len(), 0, at, 5_000, 0, 1_000, 2_000_000];
    let numbers: Vec<u8> = numbers.iter().flat_map(|&it| (it as u64).to_be_bytes()).collect();
    [MAGIC, &[0, 2, 0, 1], &numbers, &[state, 0, 0, 3], &body, &metadata].concat()
}

fn chunk(events: &[Vec<u8>]) -> Vec<u8> {
    chunk_in_state(events, 0)
}

fn sample(ticks: u64, thread: u64, stack: u64) -> Vec<u8> {
    event(20, &numbers(&[ticks, thread, stack, 1]))
}

const MAIN: &str = "main: shop.Main.main|shop/Main.java:12 > shop.Main$Row.sum|shop/Main.java:30~";

#[test]
fn a_sample_counts_one_and_other_events_what_they_state() {
    // 8 ticks are 4 µs.
    let file = chunk(&[
        sample(1_000, 1, 1),
        event(21, &numbers(&[1_002, 8, 1, 1])),
        event(22, &numbers(&[1_004, 1, 1, 640])),
        // The same allocations in another way.
        event(23, &numbers(&[1_004, 1, 1, 48])),
        constants(),
    ]);
    assert_eq!(rows(&file), format!("{MAIN} 1 0 0\n{MAIN} 0 0 4000\n{MAIN} 0 640 0\n"));
    let read = read(&file).unwrap();
    let metrics: Vec<_> = read.recording.metrics().iter().map(|it| &*it.name).collect();
    assert_eq!((metrics, read.truncated), (vec!["samples", "alloc", "lock"], Some(false)));
    assert_eq!(read.span_seconds, Some(2e-6));
    let without = chunk(&[event(23, &numbers(&[1_004, 1, 1, 48])), constants()]);
    assert_eq!(rows(&without), format!("{MAIN} 48\n"));
}

#[test]
fn samples_of_cpu_time_come_first_and_have_their_period() {
    let cpu = |stack, failed| event(25, &numbers(&[1_000, stack, 1, failed, 20]));
    let lost = event(26, &numbers(&[1_000, 17]));
    let file = chunk(&[sample(1_000, 1, 1), cpu(1, 0), cpu(0, 1), lost, constants()]);
    assert_eq!(rows(&file), format!("{MAIN} 0 0 1\n{MAIN} 1 10000 0\nmain:  1 10000 0\n"));
    let read = read(&file).unwrap();
    let metrics: Vec<_> = read.recording.metrics().iter().map(|it| &*it.name).collect();
    assert_eq!(metrics, ["cpu", "cpu time", "samples"]);
    assert_eq!(warnings(&read), [(WarningCode::LostSamples, 1)]);
}

#[test]
fn classes_without_addresses_and_lines_are_shown_and_cut_stacks_are_said() {
    let file = chunk(&[sample(1_000, 2, 2), sample(1_001, 3, 7), constants()]);
    let expected = "\
GC: shop.Main.main|shop/Main.java:13 > shop.Main$$Lambda.sum|shop/Main.java 1
virtual thread:  1
";
    assert_eq!(rows(&file), expected);
    assert_eq!(warnings(&read(&file).unwrap()), [(WarningCode::CutStacks, 1)]);
}

/// Its older versions write samples of the wall clock as the same events, in other states.
#[test]
fn async_profiler_samples_functions_in_machine_code_too() {
    let named = |key, name: &str| [varint(key), text(name)].concat();
    let frames = numbers(&[5, 0, 2, 8, 0, 4, 1, 12, 1]);
    let native = check_point(&[
        (10, &[named(8, "libc.so.6"), named(9, "write")]),
        (11, &[numbers(&[8, 8, 0])]),
        (12, &[numbers(&[8, 8, 9])]),
        (13, &[named(3, "Native"), named(4, "C++"), named(5, "Kernel")]),
        (15, &[frames]),
        (17, &[named(2, "STATE_DEFAULT")]),
    ]);
    let in_state = |state| event(20, &numbers(&[1_000, 1, 5, state]));
    let read = read(&chunk(&[in_state(2), in_state(1), constants(), native])).unwrap();
    let stack = "shop.Main.main|shop/Main.java:12 > write|libc.so.6";
    let expected = format!("{stack} 1 0\n{stack} 0 1\n");
    assert_eq!(labelled_rows(&read, |_| String::new()), expected);
    let metrics: Vec<_> = read.recording.metrics().iter().map(|it| &*it.name).collect();
    assert_eq!((metrics, read.writer.text()), (vec!["samples", "wall"], Some("async-profiler")));
}

#[test]
fn lines_are_approximate_unless_the_flags_say_otherwise() {
    let flag = |name: &str, value| event(24, &[varint(1_000), text(name), vec![value]].concat());
    let codes = |flags: &[Vec<u8>]| {
        let events = [flags, &[sample(1_000, 1, 1), constants()]].concat();
        warnings(&read(&chunk(&events)).unwrap())
    };
    assert_eq!(codes(&[flag("UseG1GC", 1)]), [(WarningCode::ApproximateLines, 1)]);
    assert_eq!(codes(&[flag("UseG1GC", 1), flag("DebugNonSafepoints", 1)]), []);
    assert_eq!(codes(&[]), []);
}

#[test]
fn chunks_need_nothing_of_each_other_and_whole_ones_are_read() {
    let whole = chunk(&[sample(1_000, 1, 1), constants()]);
    assert_eq!(rows(&[&*whole, &whole].concat()), format!("{MAIN} 1\n{MAIN} 1\n"));
    for cut in [whole.len() - 1, HEADER, 10] {
        let read = read(&[&*whole, &whole[..cut]].concat()).unwrap();
        assert_eq!(read.recording.n_samples(), 1);
        let code = if cut < HEADER { WarningCode::Malformed } else { WarningCode::Truncated };
        assert_eq!(warnings(&read), [(code, 1)], "{cut}");
    }
    let mut endless = whole.clone();
    endless[8..16].fill(0xff);
    assert!(read(&endless).unwrap_err().to_string().contains("is incomplete"));
    let error = read(&whole[..whole.len() - 1]).unwrap_err().to_string();
    assert!(error.contains("jcmd PID JFR.dump"), "{error}");
    // A JVM that still runs has written more since.
    let open = [chunk_in_state(&[sample(1_000, 1, 1), constants()], 1), vec![9; 100]].concat();
    assert_eq!(warnings(&read(&open).unwrap()), [(WarningCode::Truncated, 1)]);
}

#[test]
fn other_versions_and_recordings_without_samples_are_refused() {
    let mut old = chunk(&[]);
    old[5] = 0;
    let error = read(&old).unwrap_err().to_string();
    assert!(error.contains("version 0.1 of Java Flight Recorder is not supported"), "{error}");
    let error = read(&chunk(&[constants()])).unwrap_err().to_string();
    assert!(error.contains("no samples, allocations or waits"), "{error}");
}

/// Types that contain themselves, and lists of values without bytes, would not end.
#[test]
fn each_value_has_bytes() {
    let skip = |fields: &[(&str, u64, &str)]| {
        let types: &[Type<'_>] = &[(1, "int", &[]), (2, "Nothing", &[]), (3, "Value", fields)];
        // After its size and number.
        let event = metadata(types);
        let types = Types::read(cursor::Cursor::new(&event[5..], true)).unwrap();
        let layout = types.layout(3, [""]);
        layout.read(&mut cursor::Cursor::new(&[2; 4], true)).map(|_| ())
    };
    assert_eq!(skip(&[("numbers", 1, "["), ("number", 1, "")]), Some(()));
    assert_eq!(skip(&[("self", 3, "")]), None);
    assert_eq!(skip(&[("nothing", 2, "[")]), None);
    assert_eq!(skip(&[("unknown", 9, "")]), None);
}

#[test]
fn malformed_constants_lose_only_themselves() {
    let endless = check_point(&[(15, &[numbers(&[1, 0, u64::from(u32::MAX)])])]);
    let file = chunk(&[endless, sample(1_000, 1, 1), constants()]);
    assert_eq!(rows(&file), format!("{MAIN} 1\n"));
    assert_eq!(warnings(&read(&file).unwrap()), [(WarningCode::MalformedRecord, 1)]);
    let unknown_type = check_point(&[(99, &[vec![1]])]);
    let file = chunk(&[unknown_type, sample(1_000, 1, 1), constants()]);
    assert_eq!(warnings(&read(&file).unwrap()), [(WarningCode::MalformedRecord, 1)]);
    let short = event(20, &numbers(&[1_000, 1]));
    let file = chunk(&[short, sample(1_000, 1, 1), constants()]);
    assert_eq!(warnings(&read(&file).unwrap()), [(WarningCode::MalformedEvent, 1)]);
}
