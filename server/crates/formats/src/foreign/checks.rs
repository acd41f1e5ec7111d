//! Kinds of files that need a closer check than a comparison of bytes or keys.

use crate::pprof_proto::Fields;
use crate::read::folded;
use memchr::memmem;

/// The table of Python's `cProfile` and `profile`. What the program printed may precede it.
pub(super) fn is_cprofile_text(bytes: &[u8]) -> bool {
    memmem::find(bytes, b"   ncalls  tottime  percall  cumtime  percall filename:lineno(function)")
        .is_some()
}

/// A CPU profile of gperftools: machine words, the first 0, then the number of words that follow in
/// the header (3), version 0, the sampling period, and 0.
pub(super) fn is_gperftools(prefix: &[u8]) -> bool {
    let is_zero = |word: &[u8]| word.iter().all(|&byte| byte == 0);
    [4, 8].iter().any(|&size| {
        let mut words = prefix.chunks_exact(size);
        words.next().is_some_and(is_zero)
            && words.next().is_some_and(
                |word| matches!(word, [3, rest @ ..] | [rest @ .., 3] if is_zero(rest)),
            )
            && words.next().is_some_and(is_zero)
            && words.nth(1).is_some_and(is_zero)
    })
}

/// pprof's text formats: heap profiles of gperftools, profiles of Go with `debug=1`.
pub(super) fn is_pprof_text(prefix: &[u8]) -> bool {
    const STARTS: [&[u8]; 6] = [
        b"heap profile: ",
        b"goroutine profile: ",
        b"threadcreate profile: ",
        b"--- contention",
        b"--- mutex",
        b"--- symbol",
    ];
    let mut lines = prefix
        .split(|&byte| byte == b'\n')
        .filter(|line| !line.trim_ascii().is_empty() && !line.starts_with(b"#"));
    lines.next().is_some_and(|first| STARTS.iter().any(|start| first.starts_with(start)))
}

/// The table that `perf report` prints. With `-g folded` it has stacks between its rows; those
/// files are read as folded stacks.
pub(super) fn is_perf_report(prefix: &[u8]) -> bool {
    let holds = |part: &[u8]| memmem::find(prefix, part).is_some();
    let is_report = prefix.starts_with(b"# To display the perf.data header info, please use")
        || (prefix.starts_with(b"# ========\n# captured on")
            && (holds(b"\n# Overhead ") || holds(b"\n# Children ")));
    is_report && !folded::is_folded(prefix)
}

/// A Perfetto trace: a protobuf of packets (field 1), each with the id of its sequence (field 10 of
/// the packet).
pub(super) fn is_perfetto(prefix: &[u8]) -> bool {
    const PACKET: u64 = 1;
    const SEQUENCE_ID: u64 = 10;
    let Some(Ok(packet)) = Fields::of(prefix).next() else { return false };
    let tags: Option<Vec<u64>> =
        Fields::of(packet.content).map(|field| field.ok().map(|field| field.tag)).collect();
    packet.tag == PACKET
        && tags.is_some_and(|tags| !tags.contains(&0) && tags.contains(&SEQUENCE_ID))
}

/// A trace of Event Tracing for Windows: a buffer that begins with its own size and contains the
/// header of the trace. The header is either right after the buffer's header, or the buffer
/// contains the name of the file in UTF-16, which ends with `.etl`.
pub(super) fn is_etl(prefix: &[u8]) -> bool {
    const BUFFER_HEADER: usize = 0x48;
    const KIB: u32 = 1 << 10;
    let Some(size) = prefix.first_chunk().map(|&size| u32::from_le_bytes(size)) else {
        return false;
    };
    let is_buffer = size % KIB == 0 && (4 * KIB..=16 * KIB * KIB).contains(&size);
    // Version 2 of a system event header, of 32 or 64 bits, with its marker.
    let has_header = matches!(prefix.get(BUFFER_HEADER..), Some([2, 0, 1 | 2, 0xc0, ..]));
    is_buffer && (has_header || memmem::find(prefix, b".\0e\0t\0l\0\0\0").is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gperftools_writes_words_of_either_size_and_order() {
        assert!(is_gperftools(b"\0\0\0\0\x03\0\0\0\0\0\0\0\x10\x27\0\0\0\0\0\0\x01\0\0\0"));
        assert!(is_gperftools(b"\0\0\0\0\0\0\0\x03\0\0\0\0\0\0\x27\x10\0\0\0\0\0\0\0\x01"));
        assert!(!is_gperftools(b"\0\0\0\0\x03\0\0\0\x01\0\0\0\x10\x27\0\0\0\0\0\0"));
        assert!(!is_gperftools(&[0; 64]));
    }

    #[test]
    fn a_report_of_perf_has_a_header_and_no_stacks() {
        let (plain, header) = (
            "# To display the perf.data header info, please use --header\n#\n",
            "# ========\n# captured on    : Sun\n",
        );
        let table = "# Samples: 537  of event 'cpu-clock'\n#\n# Overhead  Command  Symbol\n#\n    85.85%  words    [.] seen\n";
        for start in [plain, header] {
            assert!(is_perf_report(format!("{start}{table}").as_bytes()), "{start}");
            assert!(
                !is_perf_report(format!("{start}{table}461 main;seen\n").as_bytes()),
                "{start}"
            );
        }
        let script = "words 16520 123.456: 500250 cpu-clock:\n\t55d main+0x3 (/srv/app)\n\n";
        assert!(!is_perf_report(format!("{header}{script}").as_bytes()));
    }

    #[test]
    fn messages_that_begin_like_packets_are_not_perfetto() {
        // A packet with a time and the id of its sequence. The others: a pprof sample type, and
        // packets that end too early.
        assert!(is_perfetto(b"\x0a\x04\x40\x01\x50\x01"));
        for other in
            [&b"\x0a\x04\x08\x01\x10\x02"[..], b"\x0a\x04\x40\x01\x50", b"\x12\x02\x50\x01", b""]
        {
            assert!(!is_perfetto(other), "{other:?}");
        }
    }

    #[test]
    fn etl_is_recognised_by_header_or_name() {
        let mut file = vec![0; 0x60];
        file[2] = 1;
        assert!(!is_etl(&file));
        let named = [&file[..], b"a\0.\0e\0t\0l\0\0\0"].concat();
        assert!(is_etl(&named));
        file[0x48..0x4c].copy_from_slice(&[2, 0, 2, 0xc0]);
        assert!(is_etl(&file));
        file[0] = 1;
        assert!(!is_etl(&file) && !is_etl(b"\0\0\x01"));
    }
}
