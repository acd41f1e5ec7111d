use super::*;
use crate::error::ErrorKind;
use profile::{LineKnowledge, Recording, StackAccess, WarningCode};
use std::fmt::Write;

fn read_bytes(bytes: &[u8]) -> Result<Read, ReadError> {
    crate::input::in_memory(bytes, read)?
}

fn profile(read: &Read) -> &profile::Profile {
    let Recording::Stacks(profile) = &read.recording else { panic!("it has stacks") };
    profile
}

/// Each sample as `comm pid/tid: root > leaf weights`, a frame as `name|module|file:line`, `~` for
/// an inlined one.
fn rows(text: &str) -> String {
    let read = read_bytes(text.as_bytes()).unwrap();
    let profile = profile(&read);
    let (symbols, mut out) = (profile.symbols(), String::new());
    for (thread, samples) in profile.sampled_threads() {
        for row in 0..samples.len() {
            let (mut names, mut next) = (Vec::new(), samples.stack(row));
            while let Some(stack) = next {
                let frame = profile.frames().get(profile.stacks().frame(stack));
                let func = symbols.funcs.get(frame.func);
                let lib = func.lib.map_or("", |lib| &symbols.libs[lib.index()].name);
                let mut name = format!("{}|{lib}", symbols.func_name(frame.func));
                if let Some(source) = func.source {
                    write!(name, "|{}:{}", symbols.source_name(source), frame.line).unwrap();
                }
                if func.line > 0 {
                    write!(name, "@{}:{}", func.line, func.column).unwrap();
                }
                name.push_str(if frame.inlined { "~" } else { "" });
                names.push(name);
                next = profile.stacks().prefix(stack);
            }
            names.reverse();
            let id = |id: &Option<String>| id.clone().unwrap_or_default();
            write!(
                out,
                "{} {}/{}: {}",
                thread.name,
                id(&thread.pid),
                id(&thread.tid),
                names.join(" > ")
            )
            .unwrap();
            for weights in samples.weights() {
                write!(out, " {}", weights.get(row)).unwrap();
            }
            out.push('\n');
        }
    }
    out
}

fn metrics(text: &str) -> Vec<(String, String)> {
    let read = read_bytes(text.as_bytes()).unwrap();
    read.recording
        .metrics()
        .iter()
        .map(|metric| (metric.name.clone(), metric.unit.clone()))
        .collect()
}

fn warnings(text: &str) -> Vec<(WarningCode, u64)> {
    read_bytes(text.as_bytes())
        .unwrap()
        .warnings
        .into_iter()
        .map(|warning| (warning.code, warning.count))
        .collect()
}

const SRCLINE: &str = "\
draw: left (2) 20580/20583  2047.105002:    5025125   cpu-clock: 
\tffffffff815ec4a0 handle_mm_fault+0xd0 ([kernel.kallsyms])
  [kernel.kallsyms][ffffffff815ec4a0]
\t            1594 fill+0x94
  /srv/demo/main.c:13 (inlined)
\t            1594 draw+0x94 (/srv/demo/gallery)
  /srv/demo/main.c:22 (discriminator 3)
\t           27304 __libc_start_main_impl+0x84
  ./csu/../csu/libc-start.c:360 (inlined)
\t            1840 _start+0x20 (/srv/demo/gallery)
  ??:0

gallery 20580/20580  2047.605002:        615 page-faults: 
\t            1594 main+0x94 (/srv/demo/gallery)
  /srv/demo/main.c:41

";

#[test]
fn frames_have_places_and_inlined_frames_the_module_around_them() {
    let expected = "\
draw: left (2) 20580/20583: _start|gallery > __libc_start_main_impl||./csu/../csu/libc-start.c:360 > \
draw|gallery|/srv/demo/main.c:22 > fill|gallery|/srv/demo/main.c:13~ > handle_mm_fault|[kernel.kallsyms] 5025125 0
gallery 20580/20580: main|gallery|/srv/demo/main.c:41 0 615
";
    assert_eq!(rows(SRCLINE), expected);
    assert_eq!(rows(&SRCLINE.replace('\n', "\r\n")), expected);
    assert_eq!(warnings(SRCLINE), []);
    let read = read_bytes(SRCLINE.as_bytes()).unwrap();
    assert_eq!((read.writer.text(), read.span_seconds), (None, Some(0.5)));
    assert!(
        read.recording.metrics().iter().all(|metric| metric.lines == LineKnowledge::SelfAndTotal)
    );
}

#[test]
fn an_inlined_function_is_in_one_module() {
    let text = "\
a 1 1.000001: 1 x:
\t              66 part+0x1 (inlined)
\t              44 main+0x1 (/app)

a 1 1.000002: 1 x:
\t              55 sort+0x1 (/app)
\t              55 part+0x1 (inlined)
\t              44 main+0x1 (/app)

";
    assert_eq!(rows(text), "a /1: main|app > part|app 1\na /1: main|app > part|app > sort|app 1\n");
    // Without a known module, or with several, it has none.
    let text = text.replace("(/app)", "(/lib.so)")
        + "\
a 1 1.000003: 1 x:
\t              77 part+0x1 (inlined)
\t              77 other+0x1 (/app)

";
    assert_eq!(
        rows(&text),
        "a /1: main|lib.so > part| 1\na /1: main|lib.so > part|lib.so > sort|lib.so 1\n\
         a /1: other|app > part|app~ 1\n"
    );
}

/// GCC with `-flto`: `scaled` is the function `scaled.constprop.0` of the symbol table.
#[test]
fn the_outermost_frame_of_an_address_is_not_inlined() {
    let text = "\
app 1 1.000001: 1 cpu-clock: 
\t            125e square+0x5e
  /srv/c.c:3 (inlined)
\t            125e scaled+0x5e
  /srv/<artificial>:7 (inlined)
\t            10e0 main+0x90 (/srv/app)
  /srv/d.c:8

";
    let expected = "app /1: main|app|/srv/d.c:8 > scaled| > square||/srv/c.c:3~ 1\n";
    assert_eq!(rows(text), expected);
}

#[test]
fn every_event_is_a_metric_and_time_is_the_default() {
    let owned = |metrics: &[(&str, &str)]| {
        metrics.iter().map(|&(a, b)| (a.to_owned(), b.to_owned())).collect::<Vec<_>>()
    };
    let text = |events: &[&str]| {
        events.iter().fold(String::new(), |text, event| {
            format!("{text}a 1 1.000001: {event}: \n\t              55 f (/a)\n\n")
        })
    };
    let shown = |events: &[&str]| {
        let read = read_bytes(text(events).as_bytes()).unwrap();
        let shown = read.recording.default_metric().index();
        read.recording.metrics()[shown].name.clone()
    };
    let events = [
        "3 page-faults",
        "7 cpu-clock:u",
        "9 page-faults",
        "1 sched:sched_switch",
        "5 cpu/mem-loads/P",
    ];
    let expected = [
        ("page-faults", "page-faults"),
        ("cpu-clock:u", "ns"),
        ("sched:sched_switch", "count"),
        ("cpu/mem-loads/P", "mem-loads"),
    ];
    assert_eq!(metrics(&text(&events)), owned(&expected));
    assert_eq!(metrics(&text(&["cycles:u"])), owned(&[("cycles:u", "samples")]));
    assert_eq!(metrics(&text(&["8 cycles:u"])), owned(&[("cycles:u", "cycles")]));
    assert_eq!(shown(&events), "cpu-clock:u");
    assert_eq!(shown(&["1 branches", "1 branches", "1 cpu_core/cycles/"]), "cpu_core/cycles/");
    assert_eq!(shown(&["1 a", "1 b", "1 b"]), "b");
    assert_eq!(shown(&["1 a", "1 b"]), "a");
    let many: Vec<_> = (0..65).map(|i| format!("1 e{i}")).collect();
    let many = text(&many.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(read_bytes(many.as_bytes()).unwrap_err().kind, ErrorKind::TooLarge);
}

/// Hybrid processors have events of their own for each kind of core. A thread may run on both.
#[test]
fn cycles_of_each_kind_of_core_are_one_metric() {
    let text = "\
app 1/2 1.000001:  1000000 cpu_core/cycles/P: 
\t          401136 leaf+0x6 (/srv/app)

app 1/3 1.000002:   900000 cpu_atom/cycles/P: 
\t          401136 leaf+0x6 (/srv/app)

app 1/2 1.000003:        5 page-faults: 
\t          401136 leaf+0x6 (/srv/app)

";
    let owned = |metrics: &[(&str, &str)]| -> Vec<(String, String)> {
        metrics.iter().map(|&(a, b)| (a.to_owned(), b.to_owned())).collect()
    };
    assert_eq!(metrics(text), owned(&[("cycles:P", "cycles"), ("page-faults", "page-faults")]));
    assert_eq!(
        rows(text),
        "app 1/2: leaf|app 1000000 0\napp 1/2: leaf|app 0 5\napp 1/3: leaf|app 900000 0\n"
    );
    let one = text.replace("cpu_atom", "cpu_core");
    assert_eq!(metrics(&one)[0].0, "cpu_core/cycles/P");
}

#[test]
fn samples_without_call_chains_have_their_frame_after_the_header() {
    let text = "\
     gallery 20580  2047.098792:          1 page-faults:  ffffffff8175336a elf_load+0x28a ([kernel.kallsyms])
  draw: left (2) 20583  2047.157529:    5025125   cpu-clock:      556f08749387 blur+0x87 (/srv/demo/gallery)
  blur.c:27
  draw: left (2) 20583  2047.157629:    5025125   cpu-clock:      556f08749387 [unknown] ([unknown])
";
    let expected = "\
gallery /20580: elf_load|[kernel.kallsyms] 1 0
draw: left (2) /20583: blur|gallery|blur.c:27 0 5025125
draw: left (2) /20583: [unknown]| 0 5025125
";
    assert_eq!(rows(text), expected);
    assert_eq!(warnings(text), []);
    // With `-F +addr` this is the address of data.
    let text = "a 1 1.000001: 1 x:     556f0874c050 data+0x0 (/a)\n\t              55 f+0x1 (/a)\n\na 1 1.000002: 1 x:                0\n\n";
    assert_eq!(rows(text), "a /1: f|a 1\na /1:  1\n");
}

/// `-F +addr,+phys_addr,+data_page_size,+code_page_size,+weight`: data around the frame.
#[test]
fn addresses_of_data_are_no_frames() {
    let line = |before: &str, frame: &str, behind: &str| {
        format!("t 7 1.000001: 5 x:{before}     {frame}{behind}\n")
    };
    let [pad, leaf] = ["               0", "55a1442a613a leaf+0x11 (/srv/t)"];
    for (before, behind) in [
        ("", pad.to_owned()),
        ("", "    7f00000000ab".to_owned()),
        ("", format!("{pad} N/A 4K")),
        ("", " N/A 4K".to_owned()),
        ("", " 2M".to_owned()),
        (&*pad.repeat(2), format!("{pad} N/A 4K")),
        ("              12        68100142 |OP LOAD|LVL L1 hit", format!("{pad} 4K")),
    ] {
        let text = line(before, leaf, &behind);
        assert_eq!(rows(&text), "t /7: leaf|t 5\n", "{text}");
        let text = line(before, "55a1442a613a [unknown] (/srv/t)", &behind);
        assert_eq!(rows(&text), "t /7: [unknown]|t 5\n", "{text}");
    }
    // With call chains, the data behind them is on a line of its own, and no blank line follows.
    for behind in [
        "               0",
        "               0 N/A 4K",
        " N/A 4K",
        " 4K",
        " ABI:2    AX:0x2471ff    IP:0x1141 ",
        " 0x1184/0x1141/P/-/-/0  0x1180/0x1184/M/-/-/0 ",
    ] {
        let sample = "t 7 1.000001: 5 x:                0               0\n\t            1141 leaf+0x18 (/srv/t)\n\t            1190 main+0x18 (/srv/t)\n";
        let text = format!("{sample}{behind}\n").repeat(2);
        assert_eq!(rows(&text), "t /7: main|t > leaf|t 5\n".repeat(2), "{behind}");
        assert_eq!(warnings(&text), [], "{behind}");
    }
}

#[test]
fn fields_may_be_missing() {
    assert_eq!(
        rows(
            "\n\t            1591 fill (inlined)\n\t            1591 draw\n\n\n\t            1387 blur\n\n"
        ),
        " /: draw| > fill|~ 1\n /: blur| 1\n"
    );
    assert_eq!(
        metrics("\n\t            1387 blur\n\n"),
        [("samples".to_owned(), "samples".to_owned())]
    );
    assert_eq!(rows("draw: left (2) \n\t            1387 blur\n\n"), "draw: left (2) /: blur| 1\n");
    assert_eq!(
        rows("a  2047.099798:          7 \n\t            1594 (/a)\n\n"),
        "a /: [unknown]|a 7\n"
    );
    // Editors replace tabs by spaces.
    assert_eq!(
        rows(
            "a 1 1.000001: 7 x: \n    ffffffff8175336a f ([k])\n                    1594 g (/a)\n\n"
        ),
        "a /1: g|a > f|[k] 7\n"
    );
}

#[test]
fn lines_outside_of_samples_are_skipped() {
    let text = "\
# ========
# captured on    : Sat Nov 21 11:45:51 2026
# perf version : 6.1.187
# ========
#
swapper     0     0.000000: PERF_RECORD_MMAP -1/0: [0xffffffff81000000(0x1209988) @ 0xffffffff81000000]: x [kernel.kallsyms]_text
a 1     0.000001: PERF_RECORD_FORK(20580:20582):(20580:20580)
a 1     0.000002:          1 page-faults: 

a 1     0.000003: sched:sched_switch: prev_comm=a b: prev_pid=1 ==> next_comm=c
\t            1387 blur+0x1 (/a)

|27     + at(from, x, y - 1);
";
    assert_eq!(rows(text), "a /1:  1 0\na /1: blur|a 0 1\n");
    assert_eq!(read_bytes(text.as_bytes()).unwrap().writer.text(), Some("perf@6.1.187"));
    assert_eq!(warnings(text), []);
    assert_eq!(
        warnings("a 1 1.000001: 1 x:\n\n(note)\nwhat is this\n"),
        [(WarningCode::MalformedLine, 2)]
    );
    let error = read_bytes(b"# ========\n# captured on    : x\n").unwrap_err();
    assert_eq!(error.kind, ErrorKind::Truncated);
}

#[test]
fn generated_functions_have_places() {
    let text = "\
a 1 1.000001: 1 x:
\t    7f0000000001 LazyCompile:*f /p/x.js:12:3+0x5 (/tmp/perf-77.map)
\t    7f0000000002 py::grow:/p/x.py+0x5 (/tmp/perf-77.map)
\t    7f0000000003 Builtins_JSEntry (/tmp/perf-77.map)

";
    assert_eq!(
        rows(text),
        "a /1: Builtins_JSEntry|perf-77.map > grow||/p/x.py:0 > f||/p/x.js:0@12:3 1\n"
    );
}

#[test]
fn the_complete_frames_of_a_truncated_sample_are_read() {
    let whole = SRCLINE.trim_end().len();
    assert_eq!(warnings(&SRCLINE[..whole]), [(WarningCode::Truncated, 1)]);
    // `main.c:41` may have been `main.c:410`.
    assert!(rows(&SRCLINE[..whole]).ends_with("gallery 20580/20580: main|gallery 0 615\n"));
    assert_eq!(warnings(&SRCLINE[..=whole]), [(WarningCode::Truncated, 1)]);
    assert_eq!(warnings(&SRCLINE[..whole + 2]), []);
    for end in 80..SRCLINE.len() {
        if SRCLINE.is_char_boundary(end) {
            assert!(read_bytes(&SRCLINE.as_bytes()[..end]).is_ok(), "{end}");
        }
    }
}

#[test]
fn deep_stacks_are_read() {
    let frames = (0..10)
        .fold(String::new(), |text, i| format!("{text}\t{:>16x} f{i} (/a)\n", 64 + i))
        .repeat(10_000);
    let text = format!("a 1 1.000001: 1 x: \n{frames}\n").repeat(2);
    let read = read_bytes(text.as_bytes()).unwrap();
    assert_eq!((profile(&read).stacks().len(), profile(&read).frames().len()), (100_000, 10));
}

#[test]
fn every_header_is_recognised_and_other_text_is_not() {
    let frame = "\t            1387 blur (/a)\n";
    let headers = [
        "raytrace 19791  6968.075670:    3344481 cpu-clock: ",
        "kv worker/0  123/124  [001]  1.500000:  7 cycles:u: ",
        "Web Content 7/9 1.000001234: cycles: ",
        ":-1    -1 [000] 1.000001: 1 cycles:",
        "20583  2047.105002:   cpu-clock: ",
        "    5  2047.105002:   cpu-clock: ",
        "gallery  2047.099798:          1 ",
        "draw: left (2) 20583   cpu-clock: ",
        "draw: left (2) 20580 ",
        "gallery ",
        "# ========\n# captured on    : Sat\n# ========\n#\ngallery ",
        "perf-exec 1  2047.098792:          1 page-faults: \n\na 1  2047.098793:          1 page-faults: ",
        "swapper     0     0.000000: PERF_RECORD_COMM: x:1/1\na 1 1.000001: 1 x: ",
        "",
    ];
    for header in headers {
        for end in ["\n", "\r\n"] {
            let text = format!("{header}\n{frame}\n").replace('\n', end);
            assert!(is_perf_script(text.as_bytes()), "{text}");
        }
    }
    let single = [
        "  draw: left (2) 20583  2047.157529:    5025125   cpu-clock:      556f08749387 blur+0x87 (/srv/demo/gallery)\n",
        "  draw: left (2) 20583   cpu-clock:      556f08749387 blur+0x87 (/srv/demo/gallery)\n",
        "  gallery 22759 [000]  2103.166947: sched:sched_switch: prev_comm=a prev_pid=2 ==> next_comm=x\n",
        "a 1 1.000001: 1 cycles: \n\t            1387 blu",
    ];
    for text in single {
        assert!(is_perf_script(text.as_bytes()), "{text}");
    }
    let others = [
        "",
        "main;parse 1\n",
        "gallery\n\tdead beef (x)\n",
        "# Title\n\nSome text:\n\n    add one (or two)\n",
        "# ========\n\ntext\n",
        "2024-01-01 12:00:00.123: worker 3: started (x)\n2024-01-01 12:00:01.123: worker 4: started (x)\n",
        "server 42 1699999999.123: 200 GET: /index\nserver 42 1699999999.124: 200 GET: /index\n",
        "main.main()\n\t/tmp/x.go:12 +0x1d\n",
        "#include <x.h>\nint f(int a)\n{\n\treturn a;\n}\n",
        "0000000000001139 <main>:\n    1139:\t55                   \tpush   %rbp\n",
        "bash-1234 [000] .... 1234.567890: sched_switch: prev_comm=bash\n",
        "all:\n\tcc -o a a.c (x)\n",
    ];
    for text in others {
        assert!(!is_perf_script(text.as_bytes()), "{text}");
    }
}

/// With `--show-lost-events`. Samples that are longer than a block are read again.
#[test]
fn lost_samples_are_said_if_the_text_has_them() {
    let sample = "a 7/7 1.000001: 1 cpu-clock: \n\t              55 f (/a)\n\n";
    let lost = |n: u32| format!("a 7/7 1.000002: PERF_RECORD_LOST lost {n}\n");
    let text = [&lost(20), sample, &lost(3), sample, sample, &lost(1)].concat();
    assert!(is_perf_script(text.as_bytes()));
    for block in [1, 60, 1 << 20] {
        let source = crate::input::Source::from(text.as_bytes().to_vec()).in_blocks(block);
        let go_on: crate::input::Observer<'_> = &mut |_| std::ops::ControlFlow::Continue(());
        let done = crate::read(source, crate::Limits::default(), go_on).unwrap();
        let [warning] = done.warnings.as_slice() else { panic!("{:?}", done.warnings) };
        assert_eq!(warning.code, WarningCode::LostSamples, "blocks of {block}");
        assert!(warning.message.starts_with("24 samples (88.9%) were lost"), "{}", warning.message);
    }
    assert_eq!(warnings(sample), []);
    let error = read_bytes(lost(5).as_bytes()).unwrap_err();
    assert!(error.message.starts_with("there is no sample: 5 samples were lost"), "{error}");
}
