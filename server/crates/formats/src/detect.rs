//! Detection of the format of a file by its content: the first keys of JSON or the first lines of
//! text. The name of the file does not matter.
//!
//! [`detect`] reads no more than it needs and accepts a prefix of a file as well as the whole file.
//! For anything else, [`unknown`] returns an error that says what the file is, if it is one of
//! [`Foreign`].

mod json;

use crate::error::{At, ReadError};
use crate::foreign_kind::Foreign;
use crate::format::Format;
use crate::input::Input;
use crate::read::{
    callgrind, deep, flame_graph, folded, ghc, gprof, heaptrack, jfr, line_profiler, macos_sample,
    memray, nettrace, otlp, perf_script, pprof, pstats, rbspy_summary, rprof, simpleperf, v8_log,
    xctrace,
};
use json::Findings;

/// How many bytes show the format of nearly every file. It is more than a block of zstd, which can
/// only be decompressed as a whole.
pub const PREFIX: usize = 160 << 10;

/// A JSON object without a decisive key in this many bytes is what its first keys suggest.
const LONG_PREFIX: usize = 1 << 20;

/// The first line of a text is not searched for its end beyond this many bytes.
const MAX_FIRST_LINE: usize = 16 << 20;

/// The mark that some Windows programs write first.
const BOM: &[u8] = b"\xef\xbb\xbf";

/// Detects the format of decompressed bytes: a whole file or a prefix of one.
///
/// A JSON object is recognized by its keys, in any order. If they come late, a prefix may not
/// contain them: the result is then `None` although the whole file would be recognized.
pub fn detect(bytes: &[u8]) -> Option<Format> {
    examine(bytes).format
}

/// Detects the format of a file, reading as much of it as that takes, and consumes a byte order mark.
pub(crate) fn detect_input(input: &mut Input<'_>) -> Option<Format> {
    let mut enough = PREFIX;
    let format = loop {
        while input.bytes().len() < enough && input.fill() {}
        let n = input.bytes().len();
        let Findings { format, truncated } = examine(input.bytes());
        let is_likely = format == Some(Format::CpuProfile) && n >= LONG_PREFIX;
        let is_within_line =
            format.is_none() && n < MAX_FIRST_LINE && !input.bytes().contains(&b'\n');
        if !(truncated || is_within_line) || is_likely || n < enough {
            break format;
        }
        enough = 2 * n;
    };
    if input.bytes().starts_with(BOM) {
        input.take(BOM.len());
    }
    format
}

fn examine(bytes: &[u8]) -> Findings {
    let bytes = without_bom(bytes);
    let is = |format| Findings { format, truncated: false };
    if let Some((_, format)) = MAGIC.iter().find(|(magic, _)| bytes.starts_with(magic)) {
        return is(Some(*format));
    }
    // Before JSON: with Python 2, pstats files begin with `{` as well.
    if pstats::is_pstats(bytes) {
        return is(Some(Format::Pstats));
    }
    if line_profiler::is_line_profiler(bytes) {
        return is(Some(Format::LineProfiler));
    }
    if Foreign::of(bytes).is_some() {
        return is(None);
    }
    match json::examine(bytes) {
        Some(findings) => findings,
        None if flame_graph::is_flame_graph(bytes) => is(Some(Format::FlameGraph)),
        None if xctrace::is_xctrace(bytes) => is(Some(Format::Xctrace)),
        None if macos_sample::is_macos_sample(bytes) => is(Some(Format::MacosSample)),
        None if otlp::is_otlp(bytes) => is(Some(Format::Otlp)),
        None if pprof::is_pprof(bytes) => is(Some(Format::Pprof)),
        None if callgrind::is_callgrind(bytes) => is(Some(Format::Callgrind)),
        None if heaptrack::is_heaptrack(bytes) => is(Some(Format::Heaptrack)),
        None if ghc::is_ghc(bytes) => is(Some(Format::Ghc)),
        None if rprof::is_rprof(bytes) => is(Some(Format::Rprof)),
        None if perf_script::is_perf_script(bytes) => is(Some(Format::PerfScript)),
        None => is(folded::is_folded(bytes).then_some(Format::Folded)),
    }
}

/// Magic bytes.
const MAGIC: [(&[u8], Format); 16] = [
    (b"\xdc\xdf\x4a\x53\x4c\x42\x01\x00", Format::FirefoxSlabs),
    (b"MOJ", Format::AustinMojo),
    (b"PERFILE2", Format::PerfData),
    (b"2ELIFREP", Format::PerfData),
    (b"rbspy00\n", Format::Rbspy),
    (b"rbspy01\n", Format::Rbspy),
    (b"rbspy02\n", Format::Rbspy),
    (rbspy_summary::HEADER, Format::RbspySummary),
    (deep::MAGIC, Format::MercuryDeep),
    (jfr::MAGIC, Format::Jfr),
    (memray::MAGIC, Format::Memray),
    (simpleperf::MAGIC, Format::Simpleperf),
    (nettrace::MAGIC, Format::Nettrace),
    (v8_log::BEGINS, Format::V8Log),
    (gprof::MAGIC[0], Format::Gprof),
    (gprof::MAGIC[1], Format::Gprof),
];

/// Whether `bytes`, a whole file or its last part, look complete: JSON is closed, the last line of
/// text has its newline.
pub fn ends(format: Format, bytes: &[u8]) -> bool {
    match format {
        // `0` ends the dictionary.
        Format::Pstats => bytes.ends_with(b"0"),
        // The last operation of a pickle.
        Format::LineProfiler => bytes.ends_with(b"."),
        Format::Nettrace => nettrace::is_end(bytes),
        Format::FlameGraph => bytes.trim_ascii_end().ends_with(b"</svg>"),
        Format::Xctrace => bytes.trim_ascii_end().ends_with(b"</trace-query-result>"),
        _ if format.has_end() => closes(bytes),
        Format::Folded
        | Format::PerfScript
        | Format::MacosSample
        | Format::Callgrind
        | Format::RbspySummary
        | Format::Heaptrack
        | Format::Ghc
        | Format::Rprof => bytes.ends_with(b"\n"),
        _ => true,
    }
}

/// `bytes` without a byte order mark.
pub(crate) fn without_bom(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(BOM).unwrap_or(bytes)
}

fn closes(bytes: &[u8]) -> bool {
    matches!(bytes.trim_ascii_end().last(), Some(b'}' | b']'))
}

/// The error for a file that [`detect`] does not recognize: what the file is, as far as can be
/// seen, and what to do.
pub fn unknown(bytes: &[u8]) -> ReadError {
    let bytes = without_bom(bytes);
    let text = bytes.trim_ascii_start();
    if text.is_empty() {
        return ReadError::truncated(At::File, "the file is empty");
    }
    if let Some(foreign) = Foreign::of(bytes) {
        return ReadError::foreign(foreign);
    }
    if bytes.starts_with(b"# austin") {
        let message =
            "an Austin recording without samples; expected `P1;T0:1;file:function:line 42`";
        return ReadError::truncated(At::File, message);
    }
    if flame_graph::is_cut_picture(bytes) {
        let message = "the picture (SVG) ends before it shows whether it is a flame graph";
        return ReadError::truncated(At::Byte(bytes.len() as u64), message);
    }
    let is_json = matches!(text.first(), Some(b'{' | b'['));
    let findings = if is_json { json::examine(bytes) } else { None };
    if findings.is_some_and(|findings| findings.truncated) || (is_json && !closes(bytes)) {
        let message = "the JSON ends before its format can be detected; expected a whole profile";
        return ReadError::truncated(At::Byte(bytes.len() as u64), message);
    }
    ReadError::unrecognised(if is_json {
        "this JSON is not a supported profile, or it has no samples; expected a profile by the Firefox Profiler, samply, V8, speedscope, \
         pyinstrument, stackprof or DHAT, or Chrome trace events"
    } else {
        "not a supported profile; expected a JSON profile (Firefox Profiler, samply, V8, speedscope, Chrome trace events, stackprof, \
         DHAT), pprof, callgrind, pstats, Mercury's Deep.data, a report by GHC, a recording by perf, JFR, rbspy or Austin, a report by simpleperf, the text of `perf script`, or folded stacks \
         (`main;parse;hash 42`)"
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::input;

    #[test]
    fn json_is_recognised_by_keys_in_any_order() {
        use Format::{
            ChromeTrace, CpuProfile, Dhat, FirefoxProcessed, Gecko, HeapProfile, Pyinstrument,
            Speedscope, Stackprof,
        };
        let cases = [
            (
                r#"{"meta":{"interval":1,"preprocessedProfileVersion":49},"libs":[]}"#,
                Some(FirefoxProcessed),
            ),
            (
                "\u{feff} \n{ \"libs\" : [ {\"name\":\"a]}\\\"\"} ] , \"meta\" : { \"preprocessedProfileVersion\" : 7 } }",
                Some(FirefoxProcessed),
            ),
            (r#"{"threads":[{"name":"x","stringArray":[]}],"meta":{}}"#, Some(FirefoxProcessed)),
            (
                r#"{"threads":[{"samples":{"stack":[1]}}],"meta":{"preprocessedProfileVersion":66}}"#,
                Some(FirefoxProcessed),
            ),
            (r#"{"shared":{"stackTable":{"frame":["#, Some(FirefoxProcessed)),
            (
                r#"{"nodes":[{"id":1,"callFrame":{"functionName":"f"}}],"samples":[]}"#,
                Some(CpuProfile),
            ),
            (
                r#"{"startTime":1,"endTime":2,"samples":[1,2],"timeDeltas":[0,1],"nodes":[{"callFrame":{}}]}"#,
                Some(CpuProfile),
            ),
            // Prefixes of files.
            (r#"{"nodes":[{"id":1,"callFrame":{"functionName":"f"}},{"id":"#, Some(CpuProfile)),
            (r#"{"startTime":1,"endTime":2,"samples":[1,2,"#, Some(CpuProfile)),
            (r#"{"meta":{"version":34,"interval":1},"threads":[{"stringTable":["#, Some(Gecko)),
            (r#"{"threads":[],"meta":{"version":34},"libs":[]}"#, Some(Gecko)),
            (
                r#"{"threads":[{"stackTable":{"schema":{"prefix":0},"data":[]},"stringTable":[]}]}"#,
                Some(Gecko),
            ),
            (
                r#"{"profile":{"meta":{"version":24},"threads":[{"samples":{"schema":{}}}]}}"#,
                Some(Gecko),
            ),
            (r#"{"traceEvents":[]}"#, Some(ChromeTrace)),
            (r#"{"displayTimeUnit":"ms","traceEvents":["#, Some(ChromeTrace)),
            (r#"[{"name":"x","ph":"X"}"#, Some(ChromeTrace)),
            (
                r#"{"$schema":"https://www.speedscope.app/file-format-schema.json","profiles":[]}"#,
                Some(Speedscope),
            ),
            (
                r#"{"profiles":[{"name":"a","type":"sampled"}],"shared":{"frames":[]}}"#,
                Some(Speedscope),
            ),
            (
                r#"{"shared":{"frames":[{"name":"f"}]},"profiles":[{"type":"evented","#,
                Some(Speedscope),
            ),
            (r#"{"profile":{"nodes":[{"callFrame":{}}],"samples":[]}}"#, Some(CpuProfile)),
            (r#"{"head":{"callFrame":{}},"samples":[]}"#, Some(HeapProfile)),
            (r#"{"profile":{"head":{"callFrame":{}}}}"#, Some(HeapProfile)),
            (
                r#"{"version":1.2,"mode":"wall","interval":1,"samples":3,"gc_samples":0,"#,
                Some(Stackprof),
            ),
            (r#"{"dhatFileVersion":2,"mode":"rust-heap"}"#, Some(Dhat)),
            (
                r#"{"sample_count":1,"target_description":"x","frame_records":[["#,
                Some(Pyinstrument),
            ),
            // Not profiles.
            (r#"{"name":"left-pad","version":"1.0.0","scripts":{"test":"a;b 1"}}"#, None),
            (r#"{"nodes":[{"id":1,"geometry":{}}],"samples":[]}"#, None),
            (r#"{"nodes":[1,2,3],"samples":[]}"#, None),
            (r#"{"nodes":[{"callFrame":{}}]}"#, None),
            (r#"{"meta":{"preprocessedProfileVersion":"new"}}"#, None),
            (r#"{"profile":{"profile":{"nodes":[{"callFrame":{}}],"samples":[]}}}"#, None),
            ("[1,2,3]", None),
            ("{}", None),
            ("{", None),
            ("[", None),
            ("null", None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(detect(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn keys_at_the_end_of_a_large_file_are_found() {
        let marker = r#"{"n":[1,null,-1.5e3],"s":"}\\\" x"},"#.repeat(200_000);
        let text = format!(
            r#"{{"threads":[{{"markers":[{marker}{{}}]}}],"meta":{{"preprocessedProfileVersion":49}}}}"#
        );
        assert_eq!(detect(text.as_bytes()), Some(Format::FirefoxProcessed));
        assert_eq!(detect(&text.as_bytes()[..text.len() - 40]), None);
    }

    #[test]
    fn deep_nesting_does_not_overflow_the_stack() {
        let deep = format!(
            r#"{{"x":{}{},"meta":{{"preprocessedProfileVersion":1}}}}"#,
            "[".repeat(500_000),
            "]".repeat(500_000)
        );
        assert_eq!(detect(deep.as_bytes()), Some(Format::FirefoxProcessed));
    }

    #[test]
    fn folded_stacks_are_distinguished_from_other_text() {
        let folded = [
            "main;parse 1\n",
            "main;parse 1",
            "# austin: 3.7.0\n# mode: wall\n\nP1;T0:2 191\nP1;T0:2;/a.py:f:3 4\n",
            "[unknown];main 5\n",
            "{closure};b 5\n",
            " 1\nmain (a.py:3) 2\n",
            "main 10\n",
            "a;b 10 5\na;c 0 7\n",
            "P1;T0:1;a.py:f:1 10,0,-5\n",
            "# Samples: 1K of event 'cpu-clock'\n#\n    8.95%  app  app  [.] f\n77 main;f\n69 main;g\n",
            "main;a 1\r\nmain;b 2\r\n",
            "f\u{fffd};b 1\nwhat is this\nf;c 2\n",
            "main;parse 1\nmain;pa",
            "a;b 10\n<m::A as m::T>::go 5\nfoo(int, char) 5\n",
            "f 2\n(garbage collector) 3\n",
            "(garbage collector) 3\n",
        ];
        for text in folded {
            assert_eq!(detect(text.as_bytes()), Some(Format::Folded), "{text}");
        }
        let others = [
            "# Costline\n\nA language server.\n\n## Chapter 1\n\nSee section 3\n",
            "name,count\nfoo,3\nbar, 4\n",
            "fn main() {\n    let x = 1;\n    let y = 2;\n}\n",
            "for (i = 0; i < n; i++)\n  sum += 5\n",
            "2024-01-01 12:00:00 INFO started worker 3\n2024-01-01 12:00:01 INFO started worker 4\n",
            "fl=a.c\nfn=main\n1 2\n3 4\n",
            "version: 1\nname: events 3\n",
            "127.0.0.1 - - [10/Oct/2000:13:55:36 -0700] \"GET /x.html HTTP/1.0\" 200 2326\n",
            "1 2\n3 4\n",
            "a;b;c\n1;2;3\n",
            "\u{0};\u{1} 1\n",
            "MemTotal: 16\n",
            "(garbage collector) 3\nSee section 3\n",
            "(see \"Chapter 1\", page) 5\n",
            "(a) and (b) 2\n",
            "(12) 3\n",
            "\n\n\n",
        ];
        for text in others {
            assert_eq!(detect(text.as_bytes()), None, "{text}");
        }
        assert_eq!(detect(include_bytes!("detect.rs")), None);
    }

    #[test]
    fn a_file_is_read_to_the_end_of_its_first_line() {
        let stack: Vec<_> = (0..40_000).map(|i| format!("function{i}")).collect();
        let text = format!("{} 5\nmain;work 2\n", stack.join(";"));
        assert!(text.find('\n').is_some_and(|end| end > PREFIX));
        let format = input::in_memory(text.as_bytes(), detect_input).unwrap();
        assert_eq!(format, Some(Format::Folded));
    }

    #[test]
    fn a_truncated_line_of_deep_recursion_is_folded() {
        let line = format!("main (a.py:1);{}", "visit (tree.py:12);".repeat(5000));
        assert_eq!(detect(line.as_bytes()), Some(Format::Folded));
        let script = (0..5000).map(|i| format!("var x{i}=f{i}()")).collect::<Vec<_>>().join(";");
        assert_eq!(detect(script.as_bytes()), None);
    }

    #[test]
    fn binary_files_and_text_are_recognised() {
        let cases: [(&[u8], Format); 13] = [
            (b"\xfb)\x03\xfa\x01~\xe9\0\0\0\0", Format::Pstats),
            (b"\xfb\xa9\x03\xda\x07profile", Format::Pstats),
            (b"{)\x03z\x04a.py", Format::Pstats),
            // Python 2.
            (b"{(\x03\0\0\0t\x01\0\0\0~i", Format::Pstats),
            (b"\xdc\xdf\x4a\x53\x4c\x42\x01\x00abc", Format::FirefoxSlabs),
            (b"MOJ\x03", Format::AustinMojo),
            (b"PERFILE2\x68\0", Format::PerfData),
            (b"rbspy02\n{", Format::Rbspy),
            (
                b"\x48\xc4\xeb\x01\x0a\x04\x08\x01\x10\x02\x0a\x04\x08\x03\x10\x04\x50\xc1\x01\x5a",
                Format::Pprof,
            ),
            (
                b"raytrace 16520 123.456: 500250 cpu-clock:\n\t55d main+0x3 (/srv/app)\n\n",
                Format::PerfScript,
            ),
            (b"# ========\n# captured on    : Sat\n", Format::PerfScript),
            (b"# callgrind format\nversion: 1\n", Format::Callgrind),
            (
                b"version: 1\ncreator: callgrind\nevents: Ir\n\nfl=(1) a.c\nfn=(1) main\n16 400\n",
                Format::Callgrind,
            ),
        ];
        for (bytes, format) in cases {
            assert_eq!(detect(bytes), Some(format));
        }
    }

    #[test]
    fn complete_files_have_an_end() {
        assert!(ends(Format::CpuProfile, b"{\"nodes\":[]}\n "));
        assert!(!ends(Format::CpuProfile, b"{\"nodes\":["));
        assert!(ends(Format::Folded, b"a;b 1\n"));
        assert!(!ends(Format::Folded, b"a;b 1"));
        assert!(ends(Format::Pstats, b"\xfb...00") && !ends(Format::Pstats, b"\xfb..."));
    }

    #[test]
    fn unknown_files_have_different_errors() {
        let cases: [(&[u8], ErrorKind, &str); 8] = [
            (b"", ErrorKind::Truncated, "the file is empty"),
            (b"\n \n", ErrorKind::Truncated, "the file is empty"),
            (b"# austin: 3.7.0\n# mode: wall\n", ErrorKind::Truncated, "Austin"),
            (
                br#"{"meta":{"interval":"#,
                ErrorKind::Truncated,
                "the JSON ends before its format can be detected",
            ),
            (
                br#"{"name":"left-pad"}"#,
                ErrorKind::Unrecognised,
                "this JSON is not a supported profile",
            ),
            (b"[1,2]", ErrorKind::Unrecognised, "this JSON is not a supported profile"),
            (b"hello world\n", ErrorKind::Unrecognised, "not a supported profile"),
            (
                b"this is no SVG of a flame graph: <svg\n",
                ErrorKind::Unrecognised,
                "not a supported profile",
            ),
        ];
        for (bytes, kind, part) in cases {
            assert_eq!(detect(bytes), None);
            let error = unknown(bytes);
            assert_eq!(error.kind, kind, "{error}");
            assert!(error.to_string().contains(part), "{error}");
        }
    }
}
