use super::*;
use crate::error::ErrorKind;
use flate2::{Compression, write::GzEncoder};
use std::io::Write as _;

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn go_on(_: u64) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Text of lines with growing lengths.
fn text(n_lines: usize) -> Vec<u8> {
    (0..n_lines).flat_map(|n| format!("{}\n", "x".repeat(n % 97)).into_bytes()).collect()
}

#[test]
fn lines_are_complete_whatever_the_blocks() {
    let text = [&text(300)[..], b"the last one"].concat();
    for (block, packed) in [1, 7, 100, 1 << 20].into_iter().flat_map(|n| [(n, false), (n, true)]) {
        let bytes = if packed { gzip(&text) } else { text.clone() };
        let source = Source::from(bytes).in_blocks(block);
        let read = open(source, Limits::default(), &mut go_on, |input| {
            let mut all = Vec::new();
            while let Some((lines, offset)) = input.lines() {
                assert_eq!(offset, all.len() as u64);
                assert!(lines.ends_with(b"\n") || lines.ends_with(b"the last one"));
                all.extend_from_slice(lines);
            }
            assert_eq!(input.offset(), text.len() as u64);
            (all, input.failure())
        });
        assert_eq!(read, Ok((text.clone(), None)), "blocks of {block}");
    }
}

#[test]
fn a_large_file_is_read_ahead_and_keeps_its_order() {
    let text = text(200_000);
    assert!(text.len() as u64 > 2 * LARGE);
    for bytes in [text.clone(), gzip(&text)] {
        let whole = open(bytes.into(), Limits::default(), &mut go_on, |input| {
            let front = input.take(10).to_vec();
            [front, input.whole()].concat()
        });
        assert!(whole.unwrap() == text);
    }
}

#[test]
fn an_error_of_the_source_comes_after_its_bytes() {
    struct Failing;
    impl Read for Failing {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("the disk is gone"))
        }
    }
    for (front, len) in [(&b"a\nb"[..], 0), (b"", 0), (b"a\nb", LARGE + 1)] {
        let source = Source::new(front.chain(Failing), Some(len));
        let (bytes, failure) = open(source, Limits::default(), &mut go_on, |input| {
            (input.whole(), input.failure().unwrap())
        })
        .unwrap();
        assert_eq!(bytes, front);
        assert_eq!((failure.kind, failure.message.as_str()), (ErrorKind::Io, "the disk is gone"));
    }
}

#[test]
fn the_observer_gets_the_memory_so_far_and_can_cancel() {
    let text = text(1000);
    let mut heard = Vec::new();
    let mut observe = |n| {
        heard.push(n);
        if n < 30_000 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let source = Source::from(gzip(&text)).in_blocks(10_000);
    let (read, failure) = open(source, Limits::default(), &mut observe, |input| {
        (input.whole(), input.failure().unwrap())
    })
    .unwrap();
    assert_eq!((read.len(), failure.kind), (0, ErrorKind::Cancelled));
    assert_eq!(heard, [10_000, 20_000, 30_000]);
}

#[test]
fn a_cut_file_has_its_first_bytes() {
    let text = text(5000);
    let packed = gzip(&text);
    let (front, cut) = whole(packed[..packed.len() / 2].into(), Limits::default()).unwrap();
    assert!(!front.is_empty() && text.starts_with(&front));
    let cut = cut.unwrap();
    assert_eq!(cut.kind, ErrorKind::Truncated);
    assert_eq!(cut.at, At::Byte(packed.len() as u64 / 2));
}
