use super::*;
use crate::read::text_rows::{profile, rows};
use profile::{StackAccess, WarningCode};

/// `main` in bytecode calls `next`, into which `below` of another file is inlined; then a tick of the collector.
const LOG: &str = "\
v8-version,11,3,244,8,-node.38,0
shared-library,/usr/bin/node,0x400000,0x500000,0
code-creation,JS,10,100,0x1000,64,main /w/a\\x2Cb.js:1:9,0xa1,~
code-creation,JS,13,200,0x2000,100,next /w/a\\x2Cb.js:4:9,0xa2,*
code-creation,JS,10,50,0x3000,10,below /w/c.js:1:6,0xa3,~
code-creation,RegExp,3,60,0x4000,16,<[^>]+>
script-source,1,/w/a\\x2Cb.js,main\\u00e4\\n\\n next()\\nfunction next\\n below()\\n
script-source,2,/w/c.js,below\\n 1\\n
code-source-info,0x1000,1,0,5,C0O0C10O8,,
code-source-info,0x2000,1,16,40,C0O16C20O31C40O7I0C60O31,F0O31,S0xa3
profiler,begin,1000
tick,0x2028,1000,0,0x0,0,0x100c
tick,0x400010,2000,0,0x0,1,0x2015,0x100c
tick,0x9000,3000,0,0x0,5,0xffff,0x100a
tick,0x4001,4000,0,0x2001,0,0x100c
profiler,end
";

const ROWS: &str = "\
main|/w/a,b.js@1:3 > next|/w/a,b.js@4:5 > below|/w/c.js@1:2~ 1
main|/w/a,b.js@1:3 > next|/w/a,b.js@4:5 > node|node 1
main|/w/a,b.js@1:3 > (unaccounted) 1
main|/w/a,b.js@1:3 > next|/w/a,b.js@4:4 > RegExp: <[^>]+> 1
";

#[test]
fn frames_have_lines_also_of_callers_and_of_inlined_functions() {
    let read = read(LOG.as_bytes()).unwrap();
    assert_eq!(rows(&read), ROWS);
    let profile = profile(&read);
    let samples = &profile.samples()[0];
    let states = (0..4).map(|i| profile.labels().of_set(samples.label_set(i)).next().unwrap());
    let states: Vec<_> = states.map(ToString::to_string).collect();
    assert_eq!(states, ["state=js", "state=gc", "state=other", "state=js"]);
    assert_eq!((read.truncated, read.span_seconds), (Some(false), Some(0.003)));
}

#[test]
fn code_moves_and_is_replaced() {
    let moved = LOG.replace(
        "profiler,begin",
        "code-move,0x2000,0x8000\ncode-creation,Builtin,2,9,0x2010,80,Add\nprofiler,begin",
    );
    let read = read(moved.replace("tick,0x2028", "tick,0x8028").as_bytes()).unwrap();
    let rows = rows(&read);
    assert!(
        rows.starts_with("main|/w/a,b.js@1:3 > next|/w/a,b.js@4:5 > below|/w/c.js@1:2~ 1\n"),
        "{rows}"
    );
    assert!(rows.contains("main|/w/a,b.js@1:3 > Builtin: Add > node|node 1"), "{rows}");
}

#[test]
fn a_log_that_is_cut_has_what_was_complete() {
    let end = LOG.rfind("tick,0x9000").unwrap() + 20;
    let read = read(&LOG.as_bytes()[..end]).unwrap();
    assert_eq!(rows(&read).lines().count(), 2);
    assert_eq!(read.truncated, None);
    let codes: Vec<_> = read.warnings.as_slice().iter().map(|it| it.code).collect();
    assert_eq!(codes, [WarningCode::MalformedLine, WarningCode::Truncated]);
    assert!(super::read(LOG.split("tick").next().unwrap().as_bytes()).is_err());
}

#[test]
fn preprocessed_json_says_the_same() {
    let json = r#"{
"code": [
  {"name": "main /w/a,b.js:1:9", "type": "JS", "kind": "Unopt",
   "source": {"script": 1, "start": 0, "end": 5, "positions": "C0O0C10O8", "inlined": "", "fns": []}},
  {"name": "next /w/a,b.js:4:9", "type": "JS", "kind": "Opt", "source": {"script": 1, "start": 16, "end": 40,
   "positions": "C0O16C20O31C40O7I0C60O31", "inlined": "F0O31", "fns": [2]}},
  {"name": "below /w/c.js:1:6", "type": "JS", "kind": "Unopt"},
  {"name": "<[^>]+>", "type": "CODE", "kind": "RegExp"},
  {"name": "node", "type": "SHARED_LIB"}
],
"functions": [{"name": "main /w/a,b.js:1:9"}, {"name": "next /w/a,b.js:4:9"}, {"name": "below /w/c.js:1:6"}],
"ticks": [
  {"tm": 1000, "vm": 0, "s": [1, 40, 0, 12]},
  {"tm": 2000, "vm": 0, "s": [4, 16, 1, 21, 0, 12]},
  {"tm": 3000, "vm": 5, "s": [-1, 36864, 0, 10]},
  {"tm": 4000, "vm": 0, "s": [3, 1, 1, 1, 0, 12]}
],
"scripts": [null,
  {"name": "b.js", "url": "/w/a,b.js", "source": "mainä\n\n next()\nfunction next\n below()\n"},
  {"name": "/w/c.js", "source": "below\n 1\n"}]
}"#;
    assert_eq!(rows(&read(json.as_bytes()).unwrap()), ROWS);
}
