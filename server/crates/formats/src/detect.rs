//! What a file is, by its content alone: the first keys of JSON or the first lines of text, whatever its name says.
//!
//! [`detect`] reads no more than the evidence needs and accepts the front of a file as well as all of it. What is no profile
//! known here is left to [`unknown`], which says what it looks like instead.

mod json;

use crate::read::folded;
use crate::{At, ErrorKind, ReadError};

/// A format that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// Firefox Profiler, processed: samply, Firefox, Vernier.
    FirefoxProcessed,
    /// V8 sampling profile: Node.js, Chromium, Deno.
    CpuProfile,
    /// Folded stacks: one line per stack.
    Folded,
}

impl Format {
    /// A stable name for programs.
    pub fn name(self) -> &'static str {
        match self {
            Self::FirefoxProcessed => "firefox-processed",
            Self::CpuProfile => "cpuprofile",
            Self::Folded => "folded",
        }
    }

    /// A name for people.
    pub fn title(self) -> &'static str {
        match self {
            Self::FirefoxProcessed => "Firefox Profiler profile (processed)",
            Self::CpuProfile => "V8 CPU profile",
            Self::Folded => "folded stacks",
        }
    }

    /// Whether a file of this format shows that it is complete. Without, half a file is a file.
    pub fn has_end(self) -> bool {
        match self {
            Self::FirefoxProcessed | Self::CpuProfile => true,
            Self::Folded => false,
        }
    }
}

/// Recognises inflated bytes, all of a file or its front.
///
/// Of a JSON object the keys decide, in any order. Where they come late a front may not reach them: then this says `None`
/// although the whole file would be recognised.
pub fn detect(bytes: &[u8]) -> Option<Format> {
    let bytes = without_bom(bytes);
    match json::look(bytes) {
        Some(json::Look { format, .. }) => format,
        None => folded::is_folded(bytes).then_some(Format::Folded),
    }
}

/// Whether `bytes`, the whole file or its last part, look complete: JSON is closed, the last line of text ends.
pub fn ends(format: Format, bytes: &[u8]) -> bool {
    match format {
        Format::FirefoxProcessed | Format::CpuProfile => closes(bytes),
        Format::Folded => bytes.ends_with(b"\n"),
    }
}

/// Text without the byte order mark that some Windows programs put before it.
pub(crate) fn without_bom(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

fn closes(bytes: &[u8]) -> bool {
    matches!(bytes.trim_ascii_end().last(), Some(b'}' | b']'))
}

/// Says what a file is that [`detect`] does not recognise, and what to do about it.
pub fn unknown(bytes: &[u8]) -> ReadError {
    let bytes = without_bom(bytes);
    let text = bytes.trim_ascii_start();
    if text.is_empty() {
        return ReadError::truncated(At::File, "the file is empty");
    }
    let is_json = matches!(text.first(), Some(b'{' | b'['));
    let looked = if is_json { json::look(bytes) } else { None };
    if let Some(kin) = looked.and_then(|look| look.kin).or_else(|| Kin::of(bytes)) {
        return kin.error();
    }
    if looked.is_some_and(|look| look.truncated) || (is_json && !closes(bytes)) {
        let message = "the JSON ends before it says what it is; expected a profile by Firefox Profiler or V8";
        return ReadError::truncated(At::Byte(bytes.len() as u64), message);
    }
    ReadError::unrecognised(if is_json {
        "this JSON is no profile known here: expected `meta.preprocessedProfileVersion` (Firefox Profiler, samply) \
         or `nodes` with `callFrame` and `samples` (V8)"
    } else {
        "no profile known here: expected JSON by Firefox Profiler, samply or V8, or folded stacks (`main;parse;hash 42`)"
    })
}

/// Profiles that are recognised but not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kin {
    AustinMojo,
    AustinStarted,
    Callgrind,
    ChromeTrace,
    Dhat,
    HeapProfile,
    HeapSnapshot,
    JsonSlabs,
    MercuryDeep,
    PerfData,
    PerfScript,
    Pprof,
    RawGecko,
    Speedscope,
}

impl Kin {
    /// By the first bytes or lines.
    fn of(bytes: &[u8]) -> Option<Self> {
        const MAGIC: [(&[u8], Kin); 8] = [
            (b"\xdc\xdf\x4a\x53\x4c\x42\x01\x00", Kin::JsonSlabs),
            (b"PERFILE2", Kin::PerfData),
            (b"2ELIFREP", Kin::PerfData),
            (b"MOJ", Kin::AustinMojo),
            (b"Mercury deep profiler data", Kin::MercuryDeep),
            (b"# callgrind format", Kin::Callgrind),
            (b"# austin", Kin::AustinStarted),
            (b"# ========", Kin::PerfScript),
        ];
        if let Some((_, kin)) = MAGIC.iter().find(|(magic, _)| bytes.starts_with(magic)) {
            return Some(*kin);
        }
        if is_pprof(bytes) {
            return Some(Self::Pprof);
        }
        let front = String::from_utf8_lossy(bytes.get(..4096).unwrap_or(bytes));
        let mut lines = front.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
        let (first, second) = (lines.next()?, lines.next().unwrap_or(""));
        let callgrind = ["version: ", "creator: ", "events: ", "positions: ", "event: ", "summary: ", "cmd: ", "desc: "];
        if callgrind.iter().any(|key| first.starts_with(key)) {
            return Some(Self::Callgrind);
        }
        // `comm tid time: period event:` and, indented, `address symbol (module)`.
        let address = second.trim_start().split(' ').next().unwrap_or("");
        let is_address = address.len() < second.len() && !address.is_empty() && address.bytes().all(|b| b.is_ascii_hexdigit());
        (first.trim_end().ends_with(':') && is_address).then_some(Self::PerfScript)
    }

    fn error(self) -> ReadError {
        let (what, remedy) = match self {
            Self::AustinStarted => {
                return ReadError::truncated(
                    At::File,
                    "an Austin recording without samples; expected `P1;T0:1;file:function:line 42`",
                );
            }
            Self::AustinMojo => ("a binary Austin recording (MOJO)", "convert it with `mojo2austin in.mojo out.austin`"),
            Self::Callgrind => ("a callgrind or cachegrind file", "record with a sampling profiler, for example `samply record`"),
            Self::ChromeTrace => ("a Chrome trace", "for JavaScript record a .cpuprofile: `node --cpu-prof app.js`"),
            Self::Dhat => ("a DHAT heap profile", "record with a sampling profiler, for example `samply record`"),
            Self::HeapProfile => ("a V8 heap profile", "record a .cpuprofile: `node --cpu-prof app.js`"),
            Self::HeapSnapshot => ("a V8 heap snapshot, which is no profile", "record a .cpuprofile: `node --cpu-prof app.js`"),
            Self::JsonSlabs => (
                "a Firefox Profiler file in its binary form (JSLB)",
                "open it in https://profiler.firefox.com and save it as JSON",
            ),
            Self::MercuryDeep => ("Mercury deep profiler data", "record with a sampling profiler, for example `samply record`"),
            Self::PerfData => ("a perf.data file", "convert it with `samply import perf.data --save-only -o profile.json.gz`"),
            Self::PerfScript => {
                ("text of `perf script`", "convert the recording: `samply import perf.data --save-only -o profile.json.gz`")
            }
            Self::Pprof => ("a pprof profile", "record folded stacks or a Firefox Profiler file instead"),
            Self::RawGecko => {
                ("a raw Gecko profile, not yet processed", "open it in https://profiler.firefox.com and save it from there")
            }
            Self::Speedscope => {
                ("a speedscope file", "record folded stacks instead (py-spy: `--format raw`, rbspy: `--format collapsed`)")
            }
        };
        ReadError {
            kind: ErrorKind::Unrecognised,
            at: At::File,
            message: format!("this looks like {what}, which this version does not read; {remedy}"),
        }
    }
}

/// Whether binary data begin with fields of pprof's `Profile` (profile.proto), which stand in any order.
fn is_pprof(bytes: &[u8]) -> bool {
    fn varint(bytes: &mut &[u8]) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let (&byte, rest) = bytes.split_first()?;
            *bytes = rest;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }
    let field = |rest: &mut &[u8]| match varint(rest)? {
        // Messages and packed numbers: types, samples, mappings, locations, functions, strings, comments.
        0x0a | 0x12 | 0x1a | 0x22 | 0x2a | 0x32 | 0x5a | 0x6a => {
            let len = usize::try_from(varint(rest)?).ok()?;
            *rest = rest.get(len..)?;
            Some(())
        }
        // Numbers: drop_frames, keep_frames, time, duration, period, default_sample_type.
        0x38 | 0x40 | 0x48 | 0x50 | 0x60 | 0x70 => varint(rest).map(drop),
        _ => None,
    };
    let is_binary = bytes.iter().take(64).any(|&b| b < b'\t');
    let mut rest = bytes;
    is_binary && (0..4).all(|_| field(&mut rest).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_told_apart_by_keys_in_any_order() {
        use Format::{CpuProfile, FirefoxProcessed};
        let cases = [
            (r#"{"meta":{"interval":1,"preprocessedProfileVersion":49},"libs":[]}"#, Some(FirefoxProcessed)),
            (
                "\u{feff} \n{ \"libs\" : [ {\"name\":\"a]}\\\"\"} ] , \"meta\" : { \"preprocessedProfileVersion\" : 7 } }",
                Some(FirefoxProcessed),
            ),
            (r#"{"threads":[{"name":"x","stringArray":[]}],"meta":{}}"#, Some(FirefoxProcessed)),
            (r#"{"threads":[{"samples":{"stack":[1]}}],"meta":{"preprocessedProfileVersion":66}}"#, Some(FirefoxProcessed)),
            (r#"{"shared":{"stackTable":{"frame":["#, Some(FirefoxProcessed)),
            (r#"{"nodes":[{"id":1,"callFrame":{"functionName":"f"}}],"samples":[]}"#, Some(CpuProfile)),
            (r#"{"startTime":1,"endTime":2,"samples":[1,2],"timeDeltas":[0,1],"nodes":[{"callFrame":{}}]}"#, Some(CpuProfile)),
            // Only the front of a file.
            (r#"{"nodes":[{"id":1,"callFrame":{"functionName":"f"}},{"id":"#, Some(CpuProfile)),
            (r#"{"startTime":1,"endTime":2,"samples":[1,2,"#, Some(CpuProfile)),
            // No profile.
            (r#"{"name":"left-pad","version":"1.0.0","scripts":{"test":"a;b 1"}}"#, None),
            (r#"{"nodes":[{"id":1,"geometry":{}}],"samples":[]}"#, None),
            (r#"{"nodes":[1,2,3],"samples":[]}"#, None),
            (r#"{"nodes":[{"callFrame":{}}]}"#, None),
            (r#"{"meta":{"preprocessedProfileVersion":"new"}}"#, None),
            (r#"{"profile":{"nodes":[{"callFrame":{}}],"samples":[]}}"#, None),
            (r#"[{"ph":"X","ts":1}]"#, None),
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
        let text = format!(r#"{{"threads":[{{"markers":[{marker}{{}}]}}],"meta":{{"preprocessedProfileVersion":49}}}}"#);
        assert_eq!(detect(text.as_bytes()), Some(Format::FirefoxProcessed));
        assert_eq!(detect(&text.as_bytes()[..text.len() - 40]), None);
    }

    #[test]
    fn deep_nesting_is_no_danger() {
        let deep = format!(r#"{{"x":{}{},"meta":{{"preprocessedProfileVersion":1}}}}"#, "[".repeat(500_000), "]".repeat(500_000));
        assert_eq!(detect(deep.as_bytes()), Some(Format::FirefoxProcessed));
    }

    #[test]
    fn folded_stacks_are_told_from_other_text() {
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
            "version: 1\ncreator: callgrind\nevents: Ir\n\nfl=(1) a.c\nfn=(1) main\n16 400\n17 5\n+3 2\n",
            "events: Ir\nfn=main\n1 2\n",
            "raytrace 16520 123.456: 500250 cpu-clock:\n\t55d main+0x3 (/srv/app)\n\n",
            "1 2\n3 4\n",
            "a;b;c\n1;2;3\n",
            "\u{0};\u{1} 1\n",
            "MemTotal: 16\n",
            "\n\n\n",
        ];
        for text in others {
            assert_eq!(detect(text.as_bytes()), None, "{text}");
        }
        assert_eq!(detect(include_bytes!("detect.rs")), None);
    }

    #[test]
    fn a_cut_line_of_deep_recursion_is_folded() {
        let line = format!("main (a.py:1);{}", "visit (tree.py:12);".repeat(5000));
        assert_eq!(detect(line.as_bytes()), Some(Format::Folded));
        let script = (0..5000).map(|i| format!("var x{i}=f{i}()")).collect::<Vec<_>>().join(";");
        assert_eq!(detect(script.as_bytes()), None);
    }

    #[test]
    fn the_end_is_seen() {
        assert!(ends(Format::CpuProfile, b"{\"nodes\":[]}\n "));
        assert!(!ends(Format::CpuProfile, b"{\"nodes\":["));
        assert!(ends(Format::Folded, b"a;b 1\n"));
        assert!(!ends(Format::Folded, b"a;b 1"));
    }

    #[test]
    fn what_is_not_read_is_named() {
        let cases: [(&[u8], ErrorKind, &str); 21] = [
            (b"", ErrorKind::Truncated, "the file is empty"),
            (b"\n \n", ErrorKind::Truncated, "the file is empty"),
            (br#"{"meta":{"version":34,"interval":1},"threads":[{"stringTable":["#, ErrorKind::Unrecognised, "raw Gecko"),
            (br#"{"threads":[],"meta":{"version":34},"libs":[]}"#, ErrorKind::Unrecognised, "raw Gecko"),
            (
                br#"{"threads":[{"stackTable":{"schema":{"prefix":0},"data":[]},"stringTable":[]}]}"#,
                ErrorKind::Unrecognised,
                "raw Gecko",
            ),
            (b"\xdc\xdf\x4a\x53\x4c\x42\x01\x00abc", ErrorKind::Unrecognised, "JSLB"),
            (
                b"\x48\xc4\xeb\x01\x0a\x04\x08\x01\x10\x02\x0a\x04\x08\x03\x10\x04\x50\xc1\x01\x5a",
                ErrorKind::Unrecognised,
                "pprof",
            ),
            (br#"{"traceEvents":[]}"#, ErrorKind::Unrecognised, "Chrome trace"),
            (br#"[{"name":"x","ph":"X"}"#, ErrorKind::Unrecognised, "Chrome trace"),
            (
                br#"{"$schema":"https://www.speedscope.app/file-format-schema.json","profiles":[]}"#,
                ErrorKind::Unrecognised,
                "speedscope",
            ),
            (br#"{"head":{"callFrame":{}},"samples":[]}"#, ErrorKind::Unrecognised, "heap profile"),
            (br#"{"snapshot":{"meta":{}},"nodes":[1]}"#, ErrorKind::Unrecognised, "heap snapshot"),
            (b"PERFILE2\x68\0", ErrorKind::Unrecognised, "`samply import perf.data --save-only -o profile.json.gz`"),
            (b"raytrace 16520 123.456: 500250 cpu-clock:\n\t55d main+0x3 (/srv/app)\n\n", ErrorKind::Unrecognised, "perf script"),
            (b"version: 1\nevents: Ir\n", ErrorKind::Unrecognised, "callgrind"),
            (b"MOJ\x03", ErrorKind::Unrecognised, "mojo2austin"),
            (b"# austin: 3.7.0\n# mode: wall\n", ErrorKind::Truncated, "Austin"),
            (br#"{"meta":{"interval":"#, ErrorKind::Truncated, "the JSON ends before it says what it is"),
            (br#"{"name":"left-pad"}"#, ErrorKind::Unrecognised, "this JSON is no profile"),
            (b"[1,2]", ErrorKind::Unrecognised, "this JSON is no profile"),
            (b"hello world\n", ErrorKind::Unrecognised, "no profile known here"),
        ];
        for (bytes, kind, part) in cases {
            assert_eq!(detect(bytes), None);
            let error = unknown(bytes);
            assert_eq!(error.kind, kind, "{error}");
            assert!(error.to_string().contains(part), "{error}");
        }
    }
}
