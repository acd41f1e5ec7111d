//! Heap profiles by valgrind's DHAT (`valgrind --tool=dhat`) and by dhat-rs, which writes the same
//! JSON for Rust programs.
//!
//! The file is a list of program points: each has a stack (`fs`, leaf first) and sums of what was
//! allocated there: overall, at the time when the heap was largest (t-gmax), and at the end. `bklt`
//! states that blocks have lifetimes; otherwise (copies, ad hoc events) there are only overall
//! sums, and `bsu` and `bksu` may name what is counted. `bkacc` states that accesses were counted
//! as well.
//!
//! Frames are text: `0x10914E: copy (pool.h:16)`, with a column by dhat-rs, or `… (in
//! /lib/libc.so.6)` without debug info. Lines are the executing ones. valgrind names files without
//! folder, dhat-rs with their last two folders. A frame with the same address as its caller was
//! inlined, unless it is the same frame again: then the function called itself.
//!
//! The largest size of each program point (`mb`, `mbk`) is not read: these sizes were reached at
//! different times, so their sum was never the size of the heap.

use crate::error::{At, ReadError};
use crate::format::Format;
use crate::read::result::Read;
use crate::read::shared::func_text::FuncText;
use crate::read::shared::json;
use profile::{
    Frame, FuncId, Metric, ProfileBuilder, Recording, Samples, Thread, WarningCode, Warnings,
    Weights,
};
use serde::Deserialize;
use std::borrow::Cow;

#[derive(Deserialize)]
struct File<'a> {
    #[serde(rename = "dhatFileVersion")]
    version: f64,
    #[serde(borrow)]
    mode: Cow<'a, str>,
    /// Whether blocks have lifetimes.
    #[serde(default)]
    bklt: bool,
    /// Whether accesses to blocks were counted.
    #[serde(default)]
    bkacc: bool,
    /// The units of `tb` and `tbk`.
    #[serde(borrow, default = "bytes")]
    bsu: Cow<'a, str>,
    #[serde(borrow, default = "blocks")]
    bksu: Cow<'a, str>,
    /// The unit of time.
    #[serde(borrow, default)]
    tu: Cow<'a, str>,
    /// The time when the program ended.
    te: Option<f64>,
    pps: Vec<ProgramPoint>,
    #[serde(borrow)]
    ftbl: Vec<Cow<'a, str>>,
}

fn bytes<'a>() -> Cow<'a, str> {
    Cow::Borrowed("bytes")
}

fn blocks<'a>() -> Cow<'a, str> {
    Cow::Borrowed("blocks")
}

#[derive(Deserialize)]
struct ProgramPoint {
    tb: f64,
    tbk: f64,
    #[serde(default)]
    gb: f64,
    #[serde(default)]
    gbk: f64,
    #[serde(default)]
    eb: f64,
    #[serde(default)]
    ebk: f64,
    #[serde(default)]
    rb: f64,
    #[serde(default)]
    wb: f64,
    /// Frames, leaf first.
    fs: Vec<usize>,
}

/// A metric, and its value at a program point.
type Column = (Metric, fn(&ProgramPoint) -> f64);

impl File<'_> {
    fn columns(&self) -> Vec<Column> {
        fn column(what: &str, unit: &str, weight: fn(&ProgramPoint) -> f64) -> Column {
            (Metric::new(&format!("{what}-{unit}"), unit, None), weight)
        }
        let (bytes, blocks) = (&*self.bsu, &*self.bksu);
        let mut columns =
            vec![column("total", bytes, |pp| pp.tb), column("total", blocks, |pp| pp.tbk)];
        if self.bklt {
            columns.extend([
                column("at-t-gmax", bytes, |pp| pp.gb),
                column("at-t-gmax", blocks, |pp| pp.gbk),
                column("at-t-end", bytes, |pp| pp.eb),
                column("at-t-end", blocks, |pp| pp.ebk),
            ]);
        }
        if self.bkacc {
            columns
                .extend([column("reads", bytes, |pp| pp.rb), column("writes", bytes, |pp| pp.wb)]);
        }
        columns
    }
}

pub(crate) fn read(bytes: &[u8]) -> Result<Read, ReadError> {
    let file: File<'_> = json::decode(bytes)?;
    let mut warnings = Warnings::default();
    if file.version != 2.0 {
        let message = || {
            format!(
                "version {} of the format is not supported; it is read as version 2",
                file.version
            )
        };
        warnings.add(WarningCode::UnknownVersion, message);
    }
    let columns = file.columns();
    let mut builder =
        ProfileBuilder::new(columns.iter().map(|(metric, _)| metric.clone()).collect(), 0);
    let mut places = Vec::with_capacity(file.ftbl.len());
    for text in &file.ftbl {
        places.push(Place::of(text).map(|place| place.intern(&mut builder)).transpose()?);
    }

    let mut stacks = Vec::with_capacity(file.pps.len());
    for (row, pp) in file.pps.iter().enumerate() {
        // The address and text of the last frame that was not inlined.
        let (mut stack, mut physical) = (None, ("", 0));
        for (i, &text) in pp.fs.iter().enumerate().rev() {
            let place = places.get(text).ok_or_else(|| {
                let message =
                    format!("there is no frame {text}, only {} in `ftbl`", file.ftbl.len());
                ReadError::malformed(At::Key(format!("pps[{row}].fs[{i}]")), message)
            })?;
            let &Some((address, func, line, column)) = place else { continue };
            let inlined = !address.is_empty() && address == physical.0 && text != physical.1;
            if !inlined {
                physical = (address, text);
            }
            let frame =
                builder.intern_frame(Frame { column, inlined, ..Frame::new(func, line) })?;
            stack = Some(builder.intern_stack(stack, frame)?);
        }
        stacks.push(stack);
    }
    let weights = columns
        .iter()
        .map(|(_, weight)| Weights::Each(file.pps.iter().map(weight).collect()))
        .collect();
    builder.push_thread(Thread::default(), Samples::new(stacks, weights))?;

    let version = Some(file.version.to_string());
    // The times of valgrind are counts of instructions.
    let span_seconds = file.te.filter(|_| file.tu == "µs").map(|us| us / 1e6);
    Ok(Read {
        version,
        mode: Some(file.mode.to_string()),
        span_seconds,
        ..Read::new(Format::Dhat, Recording::Stacks(builder.build()), warnings)
    })
}

/// A parsed frame.
#[derive(Debug, Default, PartialEq)]
struct Place<'a> {
    address: &'a str,
    name: &'a str,
    file: &'a str,
    lib: &'a str,
    line: u32,
    column: u32,
}

impl<'a> Place<'a> {
    /// Parses the text of a frame; `None` for the root above all stacks.
    fn of(text: &'a str) -> Option<Self> {
        if text == "[root]" {
            return None;
        }
        let (address, rest) = text
            .split_once(": ")
            .filter(|(address, _)| address.starts_with("0x"))
            .unwrap_or(("", text));
        let (name, place) = match rest.strip_suffix(')').and_then(|rest| rest.rsplit_once(" (in "))
        {
            Some((name, lib)) => return Some(Self { address, name, lib, ..Self::default() }),
            None => {
                rest.strip_suffix(')').and_then(|rest| rest.rsplit_once(" (")).unwrap_or((rest, ""))
            }
        };
        let numbered = |text: &'a str| {
            text.rsplit_once(':').and_then(|(file, number)| Some((file, number.parse().ok()?)))
        };
        let (file, line, column) = match numbered(place) {
            Some((rest, last)) => match numbered(rest) {
                Some((file, line)) => (file, line, last),
                None => (rest, last, 0),
            },
            // Not a place: it belongs to the name.
            None => return Some(Self { address, name: rest, ..Self::default() }),
        };
        let file = if file == "???" { "" } else { file };
        Some(Self { address, name, file, line, column, ..Self::default() })
    }

    fn intern(
        self,
        builder: &mut ProfileBuilder,
    ) -> Result<(&'a str, FuncId, u32, u32), ReadError> {
        let Self { address, name, file, lib, line, column } = self;
        let func = FuncText { name, file, lib, ..FuncText::default() }.intern(builder)?;
        Ok((address, func, line, column))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::read::text_rows::{profile, rows, warnings};
    use profile::StackAccess;

    const HEAP: &str = r#"{"dhatFileVersion":2,"mode":"heap","verb":"Allocated","bklt":true,"bkacc":true,"tu":"instrs","Mtu":"Minstr","tuth":500,
        "cmd":"./a","pid":7,"te":900,"tg":300,"pps":[
        {"tb":96,"tbk":2,"tl":5,"mb":64,"mbk":1,"gb":60,"gbk":1,"eb":4,"ebk":1,"rb":9,"wb":6,"acc":[-8,1],"fs":[1,2,3,4]},
        {"tb":8,"tbk":1,"tl":5,"mb":8,"mbk":1,"gb":0,"gbk":0,"eb":0,"ebk":0,"rb":0,"wb":8,"fs":[1,5]}],
        "ftbl":["[root]","0x48465EF: calloc (in /usr/lib/vg.so)","0x10914E: zeroed (pool.h:9)","0x10914E: words (main.c:18)",
        "0x1091B2: main (main.c:26)","0x10: ???"]}"#;

    fn metrics(read: &Read) -> Vec<(&str, &str)> {
        read.recording
            .metrics()
            .iter()
            .map(|metric| (metric.name.as_str(), metric.unit.as_str()))
            .collect()
    }

    #[test]
    fn heap_by_valgrind() {
        let read = read(HEAP.as_bytes()).unwrap();
        assert_eq!(
            rows(&read),
            "main|main.c:26 > words|main.c:18 > zeroed|pool.h:9~ > calloc|vg.so 96 2 60 1 4 1 9 6\n??? > calloc|vg.so 8 1 0 0 0 0 0 8\n"
        );
        assert_eq!(
            metrics(&read),
            [
                ("total-bytes", "bytes"),
                ("total-blocks", "blocks"),
                ("at-t-gmax-bytes", "bytes"),
                ("at-t-gmax-blocks", "blocks"),
                ("at-t-end-bytes", "bytes"),
                ("at-t-end-blocks", "blocks"),
                ("reads-bytes", "bytes"),
                ("writes-bytes", "bytes"),
            ]
        );
        let inlined: Vec<_> = profile(&read).frames().iter().map(|frame| frame.inlined).collect();
        assert_eq!(inlined, [false, false, true, false, false]);
        assert_eq!(
            (read.version.as_deref(), read.mode.as_deref(), read.span_seconds, warnings(&read)),
            (Some("2"), Some("heap"), None, vec![])
        );
    }

    /// `words` calls itself from line 18, where `zeroed` is inlined.
    #[test]
    fn recursion_is_not_inlined() {
        let text = HEAP.replace("[1,2,3,4]", "[1,3,3,2,3,2,3,4]");
        let read = read(text.as_bytes()).unwrap();
        assert_eq!(
            rows(&read).split(" 96 ").next(),
            Some(
                "main|main.c:26 > words|main.c:18 > zeroed|pool.h:9~ > words|main.c:18 > zeroed|pool.h:9~ > words|main.c:18 > words|main.c:18 > calloc|vg.so"
            )
        );
    }

    #[test]
    fn events_by_dhat_rs() {
        let text = r#"{"dhatFileVersion":2,"mode":"rust-ad-hoc","verb":"Allocated","bklt":false,"bkacc":false,"bu":"unit","bsu":"units","bksu":"events",
            "tu":"µs","te":1500000,"pps":[{"tb":585,"tbk":86,"fs":[1,0]}],"ftbl":["[root]","0x1: app::<T as core::Fn(u8)>::f (app/src/main.rs:35:13)"]}"#;
        let read = read(text.as_bytes()).unwrap();
        assert_eq!(rows(&read), "app::<T as core::Fn(u8)>::f|app/src/main.rs:35 585 86\n");
        assert_eq!(metrics(&read), [("total-units", "units"), ("total-events", "events")]);
        assert_eq!(
            (read.span_seconds, profile(&read).frames().iter().next().unwrap().column),
            (Some(1.5), 13)
        );
        let newer = super::read(text.replace("Version\":2", "Version\":3").as_bytes()).unwrap();
        assert_eq!(warnings(&newer), [(WarningCode::UnknownVersion, 1)]);
    }

    #[test]
    fn texts_of_frames() {
        let place = |name, file, lib, line, column| {
            Some(Place { address: "0x1", name, file, lib, line, column })
        };
        let cases = [
            ("0x1: f(int) (a b.cc:5)", place("f(int)", "a b.cc", "", 5, 0)),
            (
                "0x1: operator() (in /l/my (old).so)",
                place("operator()", "", "/l/my (old).so", 0, 0),
            ),
            ("0x1: ??? (in /l/x.so)", place("???", "", "/l/x.so", 0, 0)),
            ("0x1: ??? (???:0:0)", place("???", "", "", 0, 0)),
            ("0x1: f (C:\\a.rs:7:2)", place("f", "C:\\a.rs", "", 7, 2)),
            ("0x1: f (a.c)", place("f (a.c)", "", "", 0, 0)),
            (
                "0x1: (anonymous namespace)::f(std::pair<int, int>)",
                place("(anonymous namespace)::f(std::pair<int, int>)", "", "", 0, 0),
            ),
            ("f: g", Some(Place { name: "f: g", ..Place::default() })),
            ("", Some(Place::default())),
            ("[root]", None),
        ];
        for (text, expected) in cases {
            assert_eq!(Place::of(text), expected, "{text}");
        }
    }

    #[test]
    fn inconsistent_files_are_errors() {
        let key = |from: &str, to: &str| {
            let error = read(HEAP.replace(from, to).as_bytes()).unwrap_err();
            assert_eq!(error.kind, ErrorKind::Malformed);
            error.at.to_string()
        };
        assert_eq!(key("[1,5]", "[1,6]"), "pps[1].fs[1]: ");
        assert_eq!(key("\"fs\":[1,5]", "\"fs\":[1,-5]"), "pps[1].fs[1]: ");
        assert_eq!(key("\"tb\":96", "\"tb\":\"96\""), "pps[0].tb: ");
    }
}
