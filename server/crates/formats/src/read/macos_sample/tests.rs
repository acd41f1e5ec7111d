use super::*;
use crate::read::text_rows::{profile, rows, warnings};
use profile::StackAccess;

fn read(text: &str) -> Result<Read, ReadError> {
    assert!(is_macos_sample(text.as_bytes()));
    crate::input::in_memory(text.as_bytes(), super::read)?
}

const HEAD: &str = "\
Sampling process 42 for 3 seconds with 1 millisecond of run time between samples
Sampling completed, processing symbols...
Analysis of sampling My App (2) (pid 42) every 2 milliseconds
Process:         My App (2) [42]

";

const GRAPH: &str = "\
Call graph:
    10 Thread_7   DispatchQueue_1: com.apple.main-thread  (serial)
    + 10 start  (in dyld) + 1903  [0x2000076f]
    +   9 main  (in app) + 96  [0x10000060]  /src/main.c:31
    +   ! 6 count  (in app) + 40,52,...  [0x10000128,0x10000134,...]  /src/count.c:12
    +   ! 2 count  (in app) + 60  [0x1000013c]  /src/count.c:14
    +   ! : 2 ???  (in app)  load address 0x10000000 + 0x200  [0x10000200]
    +   ! :   1 ???  (in app)  load address 0x10000000 + 0x310  [0x10000310]
    +   1 ???  (in <unknown binary>)  [0x344e22461a84]
    5 Thread_8: reader   DispatchQueue_9: com.example.input  (serial)
      5 read  (in libsystem_kernel.dylib) + 8  [0x300008]
    3 Thread_8: reader
      3 __psynch_cvwait  (in libsystem_kernel.dylib) + 8  [0x300018]
    2 Thread_9: Main Thread   DispatchQueue_<multiple>
";

const TAIL: &str = "
Total number in stack (recursive counted multiple, when >=5):

Sort by top of stack, same collapsed (when >= 5):
        count  (in app)        6

Binary Images:
       0x10000000 -        0x10003fff +app (1.0 - 2) <8f0d2a11-0000-3000-8000-0123456789ab> /Users/USER/*/My App/app
       0x20000000 -                ??? dyld (1.0) <0F> /usr/lib/dyld
";

const EXPECTED: &str = "\
42/7: start|dyld > main|/src/main.c|app:31 > count|/src/count.c|app:12 6
42/7: start|dyld > main|/src/main.c|app:31 > count|/src/count.c|app:14 > 0x1ff|app 1
42/7: start|dyld > main|/src/main.c|app:31 > count|/src/count.c|app:14 > 0x1ff|app > 0x310|app 1
42/7: start|dyld > main|/src/main.c|app:31 1
42/7: start|dyld > [unknown] 1
42/8: read|libsystem_kernel.dylib 5
42/8: __psynch_cvwait|libsystem_kernel.dylib 3
42/9:  2
";

fn sorted(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    lines
}

#[test]
fn what_a_frame_has_more_than_those_below_it_is_its_own() {
    let read = read(&format!("{HEAD}{GRAPH}{TAIL}")).unwrap();
    assert_eq!(sorted(&rows(&read)), sorted(EXPECTED));
    assert!(warnings(&read).is_empty());
    assert_eq!(read.truncated, None);
    let metric = &read.recording.metrics()[0];
    assert_eq!((&*metric.name, metric.seconds_per_unit), ("samples", Some(0.002)));
}

#[test]
fn threads_have_names_and_queues() {
    let read = read(&format!("{HEAD}{GRAPH}{TAIL}")).unwrap();
    let profile = profile(&read);
    let threads: Vec<_> = profile
        .sampled_threads()
        .map(|(thread, _)| (&*thread.name, &*thread.process_name, thread.tid.as_deref()))
        .collect();
    let process = "My App (2)";
    assert_eq!(
        threads,
        [
            ("com.apple.main-thread", process, Some("7")),
            ("reader", process, Some("8")),
            ("Main Thread", process, Some("9"))
        ]
    );
    let labels: Vec<String> = profile.labels().labels().iter().map(ToString::to_string).collect();
    assert_eq!(labels, ["queue=com.apple.main-thread", "queue=com.example.input"]);
}

#[test]
fn waits_are_idle_and_reads_are_not() {
    let read = read(&format!("{HEAD}{GRAPH}{TAIL}")).unwrap();
    let profile = profile(&read);
    let idle: Vec<&str> = (profile.stacks().ids())
        .filter(|&stack| profile.stacks().is_idle(stack))
        .map(|stack| profile.frames().get(profile.stacks().frame(stack)).func)
        .map(|func| profile.symbols().func_name(func))
        .collect();
    assert_eq!(idle, ["__psynch_cvwait"]);
}

#[test]
fn libraries_have_the_ids_of_the_images() {
    let read = read(&format!("{HEAD}{GRAPH}{TAIL}")).unwrap();
    let libs = &profile(&read).symbols().libs;
    let app = libs.iter().find(|lib| lib.name == "app").unwrap();
    let id = "8F0D2A11000030008000".to_owned() + "0123456789AB";
    assert_eq!(
        (&*app.path, &*app.code_id, &*app.debug_id, app.addresses),
        ("/Users/USER/*/My App/app", &*id, &*format!("{id}0"), AddressBase::Image)
    );
    // It has no image.
    let kernel = libs.iter().find(|lib| lib.name == KERNEL).unwrap();
    assert_eq!((&*kernel.path, &*kernel.code_id), ("", ""));
}

#[test]
fn a_call_graph_without_an_end_is_shown() {
    let end = GRAPH.find("    +   ! 2 count").unwrap();
    let cut = read(&format!("{HEAD}{}    +   ! 2 co", &GRAPH[..end])).unwrap();
    let expected = "\
42/7: start|dyld 1
42/7: start|dyld > main|/src/main.c|app:31 3
42/7: start|dyld > main|/src/main.c|app:31 > count|/src/count.c|app:12 6
";
    assert_eq!(rows(&cut), expected);
    assert_eq!(warnings(&cut), [(WarningCode::Truncated, 1)]);
    let error = read(&format!("{HEAD}Call graph:\n")).unwrap_err().to_string();
    assert!(error.contains("the report has no samples"), "{error}");
}

#[test]
fn a_malformed_line_is_left_out() {
    let text = format!(
        "{HEAD}Call graph:\n    2 Thread_1\n      x main\n    + 99999999999999999999 main\n      3 f\n\n"
    );
    let read = read(&text).unwrap();
    // More than its thread has.
    assert_eq!(rows(&read), "42/1: f 3\n");
    assert_eq!(warnings(&read), [(WarningCode::MalformedLine, 2)]);
}

#[test]
fn frames_have_texts_of_many_kinds() {
    let frame = |text| {
        let Frame { name, lib, address, offset, file, line } = Frame::of(text);
        format!("{name}|{lib}|{address:x?}|{offset:x?}|{file}:{line}")
    };
    let cases = [
        ("start", "start||None|None|:0"),
        ("start  (in dyld)", "start|dyld|None|None|:0"),
        ("main  (in app)  main.cpp:15", "main|app)  main.cpp:15|None|None|:0"),
        (
            "-[A b:c:]  (in Code Helper (Renderer)) + 4  [0x1f]  A.m:7",
            "-[A b:c:]|Code Helper (Renderer)|Some(1f)|None|A.m:7",
        ),
        (
            "f(int)::$_0::operator()() const  (in libf (1).dylib) + 4,8,...  [0x1f,0x23,...]",
            "f(int)::$_0::operator()() const|libf (1).dylib|Some(1f)|None|:0",
        ),
        ("???  (in app)  load address 0x10 + 0x2a  [0x3a]", "???|app|Some(3a)|Some(2a)|:0"),
        ("g  (in app) + 4  [0x1f]  /<compiler-generated>:0", "g|app|Some(1f)|None|:0"),
        ("g  (in app) + 4  [0x1f]  App.swift:0", "g|app|Some(1f)|None|App.swift:0"),
        ("g  (in app) + 4  [0x1f]  /a: b/c d.c:9", "g|app|Some(1f)|None|/a: b/c d.c:9"),
    ];
    for (text, expected) in cases {
        assert_eq!(frame(text), expected, "{text}");
    }
}

#[test]
fn other_texts_are_not_reports() {
    for text in [
        "Analysis of sampling and surveys\n",
        "Analysis of sampling app (pid 1)\n",
        "see: Analysis of sampling app (pid 1) every 1 millisecond\n",
        "Sampling process 1\n",
        "",
    ] {
        assert!(!is_macos_sample(text.as_bytes()), "{text}");
    }
    let quoted = format!("\n{HEAD}");
    assert!(is_macos_sample(quoted.as_bytes()));
    let old = "Analysis of sampling app (pid 1) every 10.000000 milliseconds\n";
    assert!(is_macos_sample(old.as_bytes()));
}
