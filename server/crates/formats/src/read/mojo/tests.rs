use super::*;
use crate::error::{At, ErrorKind};
use profile::{Profile, StackAccess};
use std::fmt::Write;

/// A number as Austin writes it.
fn number(number: i128) -> Vec<u8> {
    let mut rest = number.unsigned_abs();
    let mut bytes = vec![(rest & 0x3f) as u8 | if number < 0 { 0x40 } else { 0 }];
    rest >>= 6;
    while rest > 0 {
        *bytes.last_mut().unwrap() |= 0x80;
        bytes.push((rest & 0x7f) as u8);
        rest >>= 7;
    }
    bytes
}

/// Encodes events: numbers with a sign, quoted texts, and bytes in hexadecimal.
fn mojo(text: &str) -> Vec<u8> {
    let mut bytes = b"MOJ".to_vec();
    for word in text.split_whitespace() {
        match word.strip_prefix('\'') {
            Some(text) => bytes.extend([text.as_bytes(), b"\0"].concat()),
            None if word.starts_with(['+', '-']) => bytes.extend(number(word.parse().unwrap())),
            None => bytes.push(u8::from_str_radix(word, 16).unwrap()),
        }
    }
    bytes
}

fn profile(read: &Read) -> &Profile {
    let Recording::Stacks(profile) = &read.recording else { panic!("it has stacks") };
    profile
}

/// Each sample as `thread: root > leaf weights`.
fn rows(read: &Read) -> String {
    let (profile, mut out) = (profile(read), String::new());
    let symbols = profile.symbols();
    for (thread, samples) in profile.sampled_threads() {
        for row in 0..samples.len() {
            let (mut names, mut next) = (Vec::new(), samples.stack(row));
            while let Some(stack) = next {
                let frame = profile.frames().get(profile.stacks().frame(stack));
                let file = symbols
                    .funcs
                    .get(frame.func)
                    .source
                    .map_or("", |source| symbols.source_name(source));
                names.push(format!("{file}:{}:{}", symbols.func_name(frame.func), frame.line));
                next = profile.stacks().prefix(stack);
            }
            names.reverse();
            write!(out, "{}: {}", thread.name, names.join(" > ")).unwrap();
            for weights in samples.weights() {
                write!(out, " {}", weights.get(row)).unwrap();
            }
            out.push('\n');
        }
    }
    out
}

fn warnings(read: &Read) -> Vec<(WarningCode, u64)> {
    read.warnings.as_slice().iter().map(|warning| (warning.code, warning.count)).collect()
}

/// Version 3, and two functions of process 9: `f` and `g` in x.py.
const FRONT: &str = "03 01 'austin '3.7.0 01 'mode 'wall \
                     02 +9 +0 'b 0b +20 'x.py 0b +21 'f 0b +22 'g 03 +5 +20 +21 +3 +3 +1 +9 03 +6 +20 +22 +700 +0 +0 +0 ";

#[test]
fn numbers_have_a_sign_and_any_length() {
    for n in
        [0, 1, -1, 63, 64, -64, 8191, 8192, 1 << 40, i128::from(u64::MAX), -i128::from(u64::MAX)]
    {
        let bytes = number(n);
        let mut input = Input { bytes: &bytes, at: 0 };
        assert!(matches!(input.number(), Ok(read) if read == n), "{n}");
        assert!(input.is_at_end());
        let mut cut = Input { bytes: &bytes[..bytes.len() - 1], at: 0 };
        assert!(matches!(cut.number(), Err(Stop::Cut)));
    }
    let endless = [0xff; 1000];
    assert!(matches!(Input { bytes: &endless, at: 0 }.number(), Err(Stop::Cut)));
}

#[test]
fn keys_are_unsigned() {
    let text = FRONT.replace("+5 ", &format!("+{} ", u64::MAX));
    let read = read(&mojo(&format!("{text} 05 +{} 09 +300", u64::MAX))).unwrap();
    assert_eq!((rows(&read).as_str(), warnings(&read)), ("P9;T0:11: x.py:f:3 300\n", vec![]));
}

#[test]
fn events_before_a_bad_one_are_read() {
    for bad in [
        &format!("02 +9 +0 'b 09 {} 01", "ff ".repeat(12)),
        "02 +9 +0 'b 63",
        "02 +9 +0 'b 00 09 +1",
    ] {
        let found = read(&mojo(&format!("{FRONT} 05 +5 09 +4000 {bad}"))).unwrap();
        assert_eq!(rows(&found), "P9;T0:11: x.py:f:3 4000\n", "{bad}");
        assert_eq!(warnings(&found), [(WarningCode::Malformed, 1)], "{bad}");
        let error = read(&mojo(&format!("{FRONT} {bad}"))).unwrap_err();
        assert!(
            error.kind == ErrorKind::Malformed && matches!(error.at, At::Byte(_)),
            "nothing precedes {bad}"
        );
    }
}

#[test]
fn samples_are_threads_frames_and_values() {
    let text = format!(
        "{FRONT} 05 +5 05 +6 09 +4000  02 +9 +0 'c 04 05 +6 06 'sys_read 07 09 +70  02 +9 +0 'b 09 +5 01 'duration '2000000"
    );
    let read = read(&mojo(&text)).unwrap();
    let expected = "\
P9;T0:11: x.py:f:3 > x.py:g:700 4000
P9;T0:11:  5
P9;T0:12: x.py:g:700 > :sys_read:0 > ::GC::0 70
";
    assert_eq!(rows(&read), expected);
    assert_eq!(
        (read.writer.text(), read.span_seconds, warnings(&read)),
        (Some("austin@3.7.0"), Some(2.0), vec![])
    );
    let metric = &read.recording.metrics()[0];
    assert_eq!((&*metric.name, &*metric.unit), ("wall", "us"));
    let thread = &profile(&read).threads()[1];
    assert_eq!((thread.pid.as_deref(), thread.tid.as_deref()), (Some("9"), Some("12")));
}

#[test]
fn modes_choose_the_metrics() {
    let full =
        FRONT.replace("'wall", "'full") + "05 +5 09 +10 0a -5  02 +9 +0 'b 05 +5 09 +20 08 0a +7";
    assert_eq!(
        rows(&read(&mojo(&full)).unwrap()),
        "P9;T0:11: x.py:f:3 10 10 -5\nP9;T0:11: x.py:f:3 20 0 7\n"
    );
    let memory = FRONT.replace("'wall", "'memory") + "05 +5 0a +4096";
    let memory = read(&mojo(&memory)).unwrap();
    assert_eq!(
        (rows(&memory).as_str(), &*memory.recording.metrics()[0].unit),
        ("P9;T0:11: x.py:f:3 4096\n", "bytes")
    );
}

#[test]
fn older_versions_have_shorter_events() {
    let text = "01 02 +9 'b 0b +20 'x.py 03 +5 +20 +1 +3 05 +5 09 +1";
    let read = read(&mojo(text)).unwrap();
    assert_eq!(rows(&read), "P9;T11: x.py:<unknown>:3 1\n");
    assert_eq!(read.version.as_deref(), Some("1"));
}

#[test]
fn stacks_continue_the_previous_one_and_tasks_are_skipped() {
    let text = FRONT.replacen("03", "04", 1)
        + "0b +23 'lib.so 03 +7 +23 +22 +0 +0 +0 +0 05 +5 05 +7 09 +1 \
           02 +9 +0 'b 05 +6 0d 09 +2 \
           02 +9 +0 'b 0e +1 +20 +2 05 +5 05 +5 0f +1 +2 10 +1 0c +20 0d 05 +7 09 +3 \
           02 +9 +0 'c 0d 05 +7 09 +4";
    let expected = "\
P9;T0:11: x.py:f:3 > lib.so:g:0 1
P9;T0:11: x.py:f:3 > x.py:g:700 2
P9;T0:11: x.py:f:3 > x.py:g:700 > lib.so:g:0 3
P9;T0:12: lib.so:g:0 4
";
    assert_eq!(rows(&read(&mojo(&text)).unwrap()), expected);
}

#[test]
fn keys_are_per_process_and_undefined_ones_are_warned_of() {
    let text = format!(
        "{FRONT} 05 +5 09 +1 02 +8 +0 'b 05 +5 0b +20 'y.py 03 +5 +20 +99 +1 +0 +0 +0 05 +5 09 +2"
    );
    let read = read(&mojo(&text)).unwrap();
    assert_eq!(rows(&read), "P9;T0:11: x.py:f:3 1\nP8;T0:11: :[unknown]:0 > y.py:<unknown>:1 2\n");
    assert_eq!(
        warnings(&read),
        [(WarningCode::UndefinedFrame, 1), (WarningCode::UndefinedString, 1)]
    );
}

#[test]
fn truncated_recordings_are_read() {
    let whole = mojo(&format!("{FRONT} 05 +5 09 +4000 02 +9 +0 'b 05 +6 09 +4000"));
    let first = whole.len() - b"\x02\x09\x00b\0\x05\x06\x09\xa0\x3e".len();
    for end in 0..whole.len() {
        let error = |kind| move |error: ReadError| assert_eq!(error.kind, kind, "{end}");
        match read(whole.get(..end.max(3)).unwrap()) {
            Ok(read) => {
                assert!(end >= first, "{end}");
                assert_eq!(rows(&read), "P9;T0:11: x.py:f:3 4000\n", "{end}");
                assert_eq!(
                    warnings(&read),
                    if end == first { vec![] } else { vec![(WarningCode::Truncated, 1)] },
                    "{end}"
                );
            }
            Err(found) => error(ErrorKind::Truncated)(found),
        }
    }
    assert_eq!(warnings(&read(&whole).unwrap()), []);
    for bad in ["03 05 +1", &format!("{FRONT} 63"), &format!("{FRONT} 00")] {
        assert_eq!(read(&mojo(bad)).unwrap_err().kind, ErrorKind::Malformed, "{bad}");
    }
    let no_value = read(&mojo(&format!("{FRONT} 05 +5 02 +9 +0 'b 05 +5 09 +1"))).unwrap();
    assert_eq!(warnings(&no_value), [(WarningCode::NoValue, 1)]);
    let newer = read(&mojo(&(FRONT.replacen("03", "05", 1) + "05 +5 09 +1"))).unwrap();
    assert_eq!(warnings(&newer), [(WarningCode::UnknownVersion, 1)]);
}

#[test]
fn deep_stacks_are_read() {
    let text = format!("{FRONT} {} 09 +1", "05 +5 ".repeat(100_000));
    assert_eq!(profile(&read(&mojo(&text)).unwrap()).stacks().len(), 100_000);
}
