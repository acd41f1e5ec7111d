//! One recording of rbspy in all of its forms: the same costs from each.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod common;

use common::{Selves, bytes, read, stacks};
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use formats::{ErrorKind, Format};
use std::io::{Read, Write};

const ROOT: &str = "/srv/demo/ruby-ledger/";

fn selves(read: &formats::Read) -> Selves {
    let mut selves = Selves::of(stacks(read), 0, ROOT);
    // Folded stacks have no threads.
    selves.threads.clear();
    selves
}

fn inflated() -> String {
    let mut text = String::new();
    GzDecoder::new(&*bytes("rbspy/ruby-ledger/rbspy.raw.gz")).read_to_string(&mut text).unwrap();
    text
}

#[test]
fn a_raw_recording_and_what_rbspy_made_of_it() {
    let raw = read(bytes("rbspy/ruby-ledger/rbspy.raw.gz")).unwrap();
    let folded = read(bytes("rbspy/ruby-ledger/rbspy.collapsed")).unwrap();
    assert_eq!((raw.format, folded.format), (Format::Rbspy, Format::Folded));
    assert_eq!(raw.version.as_deref(), Some("rbspy 0.55.0"));
    assert_eq!(raw.recording.metrics()[0].seconds_per_unit, Some(0.004));
    assert!(raw.span_seconds.is_some_and(|seconds| (seconds - 1.588_224).abs() < 1e-5), "{:?}", raw.span_seconds);
    assert!(raw.warnings.as_slice().is_empty(), "{:?}", raw.warnings);
    let expected = selves(&raw);
    assert_eq!(expected.total, 398.0);
    assert_eq!(selves(&folded), expected);
    assert_eq!(formats::detect(&inflated().as_bytes()[..8]), Some(Format::Rbspy));
}

#[test]
fn older_versions_of_the_file() {
    let text = inflated();
    let expected = selves(&read(bytes("rbspy/ruby-ledger/rbspy.raw.gz")).unwrap());
    let lines: Vec<&str> = text.lines().skip(2).collect();
    let version_1 = format!("rbspy01\n{}\n", lines.join("\n"));
    let frames = lines.iter().map(|line| {
        let start = line.find('[').unwrap();
        &line[start..=line.rfind(']').unwrap()]
    });
    let version_0 = format!("rbspy00\n{}\n", frames.collect::<Vec<_>>().join("\n"));
    for text in [version_1, version_0] {
        let read = read(text.into_bytes()).unwrap();
        assert_eq!(selves(&read), expected);
        assert!(read.warnings.as_slice().is_empty());
    }
}

#[test]
fn a_recording_that_is_still_written() {
    // Flushed where a line ends, and in the middle of one.
    let text = inflated();
    let third_line = text.match_indices('\n').nth(2).unwrap().0 + 1;
    for (end, codes) in [(third_line, ["truncated"].as_slice()), (third_line + 100, &["partial-line", "truncated"])] {
        let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(&text.as_bytes()[..end]).unwrap();
        encoder.flush().unwrap();
        let read = read(encoder.get_ref().clone()).unwrap();
        let found: Vec<_> = read.warnings.as_slice().iter().map(|warning| warning.code).collect();
        assert_eq!((selves(&read).total, &*found), (1.0, codes));
    }
    // Cut anywhere: what came out counts.
    let whole = bytes("rbspy/ruby-ledger/rbspy.raw.gz");
    let mut most = 0.0;
    for end in 0..100 {
        match read(whole[..whole.len() * end / 100].to_vec()) {
            Ok(read) => {
                let total = selves(&read).total;
                assert!(total >= most, "cut at {end}%: {total} after {most}");
                most = total;
            }
            Err(error) => assert!(most == 0.0 && error.kind == ErrorKind::Truncated, "cut at {end}%: {error}"),
        }
    }
    assert!(most > 300.0, "{most}");
}
