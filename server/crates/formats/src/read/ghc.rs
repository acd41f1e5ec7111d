//! Profiles of programs in Haskell that GHC compiled with `-prof`: the report of `+RTS -p` or `-P`, and its JSON
//! (`-pj`).
//!
//! The report has a list of the hottest cost centres and then all of them as a tree, by indentation:
//!
//! ```text
//! COST CENTRE  MODULE  SRC                    no.  entries  %time %alloc   %time %alloc  ticks  bytes
//!
//! MAIN         MAIN    <built-in>             150        0    0.0    0.0   100.0  100.0      0    816
//!  main        Main    Main.hs:(31,1)-(36,52) 301        0    0.0    0.0    99.2   99.9      2  18888
//! ```
//!
//! A cost centre is a function, a part of one, or what a module computes once (`CAF`). It has the place where it
//! begins; where the time is spent in it is not recorded. Entries are calls. Recursive calls are one node.
//!
//! `-P` and JSON have ticks of the timer, and bytes. `-p` has percentages with one decimal alone.
//!
//! Source: `rts/ProfilerReport.c` and `rts/ProfilerReportJson.c` of GHC 9.0.

use crate::error::{At, ReadError};
use crate::format::Format;
use crate::read::result::Read;
use crate::read::shared::func_text::FuncText;
use crate::read::shared::nested::{self, Nodes};
use crate::read::shared::text::utf8;
use crate::scan::{Scanned, Scanner, Stop};
use profile::{
    BuildError, Frame, LineKnowledge, Metric, ProfileBuilder, Recording, Samples, StackId, Thread,
    WarningCode, Warnings,
};
use rustc_hash::FxHashMap;
use serde::Deserialize;
use std::borrow::Cow;

/// What the title of a report has.
const TITLE: &[u8] = b"Time and Allocation Profiling Report";

/// Whether a file begins like a report.
pub(crate) fn is_ghc(bytes: &[u8]) -> bool {
    memchr::memmem::find(&bytes[..bytes.len().min(256)], TITLE).is_some()
}

/// A cost centre.
#[derive(Debug, Clone, Deserialize)]
struct Centre<'a> {
    #[serde(default)]
    id: u64,
    #[serde(borrow)]
    label: Cow<'a, str>,
    #[serde(borrow)]
    module: Cow<'a, str>,
    #[serde(borrow, rename = "src_loc")]
    place: Cow<'a, str>,
}

/// What a cost centre costs below a caller.
#[derive(Debug, Clone, Copy, Default)]
struct Costs {
    entries: u64,
    time: f64,
    memory: f64,
}

/// The tables that are being built.
struct Tables {
    builder: ProfileBuilder,
    samples: Samples,
    calls: Vec<u32>,
}

impl Tables {
    fn new() -> Self {
        Self {
            builder: ProfileBuilder::new(Vec::new(), 0),
            samples: Samples::with_metrics(2),
            calls: Vec::new(),
        }
    }

    /// Adds a node of the tree, and returns its stack.
    fn push(
        &mut self,
        caller: Option<StackId>,
        centre: &Centre<'_>,
        costs: Costs,
    ) -> Result<StackId, BuildError> {
        let Centre { label, module, place, .. } = centre;
        let name = if label == "MAIN" { "MAIN".to_owned() } else { format!("{module}.{label}") };
        let (file, line, column) = beginning(place).unwrap_or(("", 0, 0));
        let func = FuncText { name: &name, file, line, column, ..FuncText::default() };
        let func = func.intern(&mut self.builder)?;
        let frame = self.builder.intern_frame(Frame::new(func, 0))?;
        let stack = self.builder.intern_stack(caller, frame)?;
        self.samples.push(Some(stack), |metric| [costs.time, costs.memory][metric]);
        self.calls.push(u32::try_from(costs.entries).unwrap_or(u32::MAX));
        Ok(stack)
    }

    fn finish(mut self, metrics: [Metric; 2], mut warnings: Warnings) -> Result<Read, ReadError> {
        let has_costs = |row| self.samples.weights().iter().any(|weights| weights.get(row) > 0.0);
        if !(0..self.samples.len()).any(has_costs) {
            let message = "the profile has neither time nor memory: the program ended before the first tick, or the report is \
                           cut";
            return Err(ReadError::truncated(At::File, message));
        }
        warnings.add(WarningCode::FunctionLines, || {
            "GHC records costs of cost centres: each is where the function begins, not on the lines that execute".to_owned()
        });
        let metrics = metrics.map(|metric| metric.with_lines(LineKnowledge::Nothing));
        self.builder = self.builder.with_metrics(metrics.to_vec());
        self.builder.push_thread(Thread::default(), self.samples.with_calls(self.calls))?;
        let recording = Recording::Stacks(self.builder.build());
        Ok(Read::new(Format::Ghc, recording, warnings))
    }
}

/// Where code begins: file, line and column (1-based) of `Main.hs:(18,1)-(21,39)` or `Main.hs:12:5-38`. `None` for
/// `<built-in>` and other words.
fn beginning(place: &str) -> Option<(&str, u32, u32)> {
    let is_number = |text: &&str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
    let (line, column, file) = if let Some((file, span)) = place.split_once(":(") {
        let (line, column) = span.split_once(')')?.0.split_once(',')?;
        (line, column, file)
    } else {
        let (rest, columns) = place.rsplit_once(':')?;
        let (file, line) = rest.rsplit_once(':')?;
        (line, columns.split('-').next()?, file)
    };
    let number = |text: &str| Some(text).filter(is_number)?.parse().ok();
    Some((file, number(line)?, number(column)?))
}

/// Ticks of the timer, which have a length, and bytes.
fn exact(tick_seconds: Option<f64>) -> [Metric; 2] {
    [Metric::new("time", "samples", tick_seconds), Metric::new("alloc", "bytes", None)]
}

/// Reads a report or JSON.
pub(crate) fn read(bytes: &[u8]) -> Result<Read, ReadError> {
    if bytes.trim_ascii_start().starts_with(b"{") {
        return read_json(bytes);
    }
    let mut warnings = Warnings::default();
    let text = utf8(bytes, &mut warnings);
    let mut lines = text.lines().enumerate();
    let tick_seconds = text.lines().find_map(tick_seconds);
    let header = lines.by_ref().find_map(|(_, line)| Header::of(line));
    let Some(header) = header else {
        let message = "the report by GHC ends before its tree of cost centres; let the program run to its end";
        return Err(ReadError::truncated(At::File, message));
    };
    let mut tables = Tables::new();
    // The stack of each level of the tree.
    let mut open: Vec<StackId> = Vec::new();
    for (at, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
        let row = header.row(line).filter(|row| row.depth <= open.len());
        let Some(Row { depth, centre, costs }) = row else {
            warnings.add(WarningCode::MalformedLine, || {
                format!("line {}: expected a cost centre and its costs; it is left out", at + 1)
            });
            continue;
        };
        open.truncate(depth);
        let stack = tables.push(open.last().copied(), &centre, costs)?;
        open.push(stack);
    }
    let metrics = if header.is_exact {
        exact(tick_seconds)
    } else {
        ["time", "alloc"].map(|name| Metric::new(name, "percent", None))
    };
    tables.finish(metrics, warnings)
}

/// The length of a tick in seconds, in `total time = 0.32 secs (318 ticks @ 1000 us, 1 processor)`.
fn tick_seconds(line: &str) -> Option<f64> {
    let (_, interval) = line.trim_start().strip_prefix("total time")?.split_once('@')?;
    let us: f64 = interval.trim_start().split(' ').next()?.parse().ok()?;
    Some(us / 1e6)
}

/// The columns of the tree, as numbers of characters before them.
#[derive(Debug, Clone, Copy)]
struct Header {
    module: usize,
    /// Old versions of GHC have no places.
    place: Option<usize>,
    /// Whether ticks and bytes follow the percentages.
    is_exact: bool,
}

/// A row of the tree.
struct Row<'a> {
    depth: usize,
    centre: Centre<'a>,
    costs: Costs,
}

impl Header {
    fn of(line: &str) -> Option<Self> {
        let column = |name: &str| line.find(name).map(|at| line[..at].chars().count());
        let is_tree = line.starts_with("COST CENTRE") && column(" entries").is_some();
        let is_exact = line.trim_end().ends_with("bytes");
        is_tree.then(|| Some(Self { module: column("MODULE")?, place: column("SRC"), is_exact }))?
    }

    fn row<'a>(&self, line: &'a str) -> Option<Row<'a>> {
        let n_numbers = if self.is_exact { 8 } else { 6 };
        let (mut numbers, mut rest) = (Vec::with_capacity(n_numbers), line.trim_end());
        while numbers.len() < n_numbers {
            let (before, number) = rest.rsplit_once(' ')?;
            numbers.push(number);
            rest = before.trim_end();
        }
        numbers.reverse();
        let part = |from: usize, to: Option<usize>| {
            let byte =
                |column: usize| rest.char_indices().nth(column).map_or(rest.len(), |(at, _)| at);
            rest.get(byte(from)..to.map_or(rest.len(), byte))
        };
        let label = part(0, Some(self.module))?;
        let centre = Centre {
            id: 0,
            label: label.trim().into(),
            module: part(self.module, self.place)?.trim().into(),
            place: self.place.map_or(Some(""), |place| part(place, None))?.trim().into(),
        };
        let number = |at: usize| numbers[at].parse::<f64>().ok().filter(|it| *it >= 0.0);
        let (time, memory) = if self.is_exact { (6, 7) } else { (2, 3) };
        let costs = Costs {
            entries: numbers[1].parse().ok()?,
            time: number(time)?,
            memory: number(memory)?,
        };
        let depth = label.len() - label.trim_start_matches(' ').len();
        (!centre.label.is_empty()).then_some(Row { depth, centre, costs })
    }
}

fn read_json(bytes: &[u8]) -> Result<Read, ReadError> {
    let mut scanner = Scanner::new(bytes);
    let (mut centres, mut tick, mut tree) = (None, None, Tree::default());
    let walked = scanner.object(&mut |scanner, key| {
        if key == b"profile" {
            return nested::walk(scanner, &mut tree);
        }
        scanner.peek()?;
        let start = scanner.at();
        scanner.skip()?;
        let value = scanner.since(start);
        match key {
            b"cost_centres" => centres = Some((start, value)),
            b"tick_interval" => tick = serde_json::from_slice::<f64>(value).ok(),
            _ => {}
        }
        Ok(())
    });
    let at = scanner.at() as u64;
    walked.map_err(|stop| {
        if stop == Stop::End {
            let message = "the JSON ends in the middle; expected the rest of the profile";
            ReadError::truncated(At::Byte(bytes.len() as u64), message)
        } else {
            let message =
                "expected a tree of nodes with `id`, `entries`, `ticks`, `alloc` and `children`";
            ReadError::malformed(At::Byte(at), message)
        }
    })?;
    let (at, centres) = centres.unwrap_or((0, b"[]"));
    let centres: Vec<Centre<'_>> = serde_json::from_slice(centres).map_err(|error| {
        ReadError::malformed(At::Byte(at as u64), format!("`cost_centres`: {error}"))
    })?;
    let by_id: FxHashMap<u64, &Centre<'_>> =
        centres.iter().map(|centre| (centre.id, centre)).collect();
    let mut warnings = Warnings::default();
    let mut tables = Tables::new();
    let mut stacks: Vec<Option<StackId>> = Vec::with_capacity(tree.nodes.len());
    for Node { caller, centre, costs } in &tree.nodes {
        let caller = caller.and_then(|caller| stacks.get(caller).copied().flatten());
        let unknown = Centre {
            id: *centre,
            label: format!("cost centre {centre}").into(),
            module: "[unknown]".into(),
            place: "".into(),
        };
        let centre = by_id.get(centre).copied().unwrap_or_else(|| {
            warnings.add(WarningCode::UnknownNode, || {
                format!("cost centre {centre} is not in the list of cost centres")
            });
            &unknown
        });
        stacks.push(Some(tables.push(caller, centre, *costs)?));
    }
    let read = tables.finish(exact(tick.map(|us| us / 1e6)), warnings)?;
    Ok(Read { truncated: Some(false), ..read })
}

/// A node of the tree in JSON.
#[derive(Debug, Default)]
struct Node {
    caller: Option<usize>,
    centre: u64,
    costs: Costs,
}

#[derive(Default)]
struct Tree {
    nodes: Vec<Node>,
}

impl<'a> Nodes<'a> for Tree {
    fn begin(&mut self, caller: Option<usize>) {
        self.nodes.push(Node { caller, ..Node::default() });
    }

    fn member(&mut self, node: usize, key: &[u8], value: &'a [u8], _at: usize) -> Scanned {
        let node = self.nodes.get_mut(node).ok_or(Stop::Broken)?;
        let count = || serde_json::from_slice::<u64>(value).map_err(|_| Stop::Broken);
        match key {
            b"id" => node.centre = count()?,
            b"entries" => node.costs.entries = count()?,
            b"ticks" => node.costs.time = count()? as f64,
            b"alloc" => node.costs.memory = count()? as f64,
            _ => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::text_rows::{profile, rows, warnings};
    use ::profile::StackAccess;

    const REPORT: &str = "\
\tSun Nov 29 01:15 2026 Time and Allocation Profiling Report  (Final)

\t   app +RTS -P -RTS

\ttotal time  =        0.31 secs   (314 ticks @ 1000 us, 1 processor)

COST CENTRE MODULE SRC            %time %alloc  ticks     bytes

work        Main   Main.hs:12:5-38 45.2    0.0    142         0


                                                                 individual      inherited
COST CENTRE  MODULE SRC                     no.  entries  %time %alloc   %time %alloc  ticks  bytes

MAIN         MAIN   <built-in>              150        0    0.0    0.0   100.0  100.0      0    816
 CAF         Main   <entire-module>         298        0    0.0    0.0     0.0    0.0      0    120
 main        Main   Main.hs:(31,1)-(36,52)  301        1    1.0    0.0    99.0   99.0      3   1888
  long run   Main   Main.hs:36:33-51        318        2    0.0    0.0    46.8    2.4      0      0
   größe     Main   Main.hs:12:5-38         319  7921037   45.2    0.0    45.2    0.0    142      0
  größe      Main   Main.hs:12:5-38         320        4    5.2    0.0     5.2    0.0     16      8
";

    const TREE: &str = "\
MAIN 0 816
MAIN > Main.CAF 0 120
MAIN > Main.main|Main.hs@31 3 1888
MAIN > Main.main|Main.hs@31 > Main.long run|Main.hs@36 0 0
MAIN > Main.main|Main.hs@31 > Main.long run|Main.hs@36 > Main.größe|Main.hs@12 142 0
MAIN > Main.main|Main.hs@31 > Main.größe|Main.hs@12 16 8
";

    #[test]
    fn the_tree_has_ticks_bytes_and_calls() {
        assert!(is_ghc(REPORT.as_bytes()));
        let read = read(REPORT.as_bytes()).unwrap();
        assert_eq!(rows(&read), TREE);
        let (_, samples) = profile(&read).sampled_threads().next().unwrap();
        assert_eq!(samples.calls(), Some(&[0, 0, 1, 2, 7_921_037, 4][..]));
        assert_eq!(read.recording.metrics()[0].seconds_per_unit, Some(1e-3));
        assert_eq!(warnings(&read), [(WarningCode::FunctionLines, 1)]);
    }

    #[test]
    fn a_report_may_have_percentages_alone() {
        let short = "\
 Time and Allocation Profiling Report
COST CENTRE MODULE SRC             no. entries  %time %alloc   %time %alloc
MAIN        MAIN   <built-in>      150       0    0.1    0.0   100.0  100.0
 f          A.B    A/B.hs:3:1-9    151       3   99.9  100.0    99.9  100.0
 too short
";
        let read = read(short.as_bytes()).unwrap();
        assert_eq!(rows(&read), "MAIN 0.1 0\nMAIN > A.B.f|A/B.hs@3 99.9 100\n");
        assert_eq!(read.recording.metrics()[0].unit, "percent");
        assert_eq!(warnings(&read)[0], (WarningCode::MalformedLine, 1));
    }

    #[test]
    fn json_is_the_same_tree() {
        let json = r#"{"program":"app","total_ticks":161,"tick_interval":1000,"cost_centres":[
            {"id":1,"label":"MAIN","module":"MAIN","src_loc":"<built-in>","is_caf":false},
            {"id":2,"label":"main","module":"Main","src_loc":"Main.hs:(31,1)-(36,52)","is_caf":false}],
            "profile":{"id":1,"entries":0,"alloc":816,"ticks":0,"children":[
            {"id":2,"entries":1,"alloc":1888,"ticks":3,"children":[{"id":7,"entries":2,"alloc":0,"ticks":4,"children":[]}]}]}}"#;
        let read = read_json(json.as_bytes()).unwrap();
        let expected = "\
MAIN 0 816
MAIN > Main.main|Main.hs@31 3 1888
MAIN > Main.main|Main.hs@31 > [unknown].cost centre 7 4 0
";
        assert_eq!(rows(&read), expected);
        assert_eq!(warnings(&read)[0], (WarningCode::UnknownNode, 1));
        let error = read_json(&json.as_bytes()[..json.len() - 9]).unwrap_err().to_string();
        assert!(error.contains("ends in the middle"), "{error}");
    }

    #[test]
    fn places_are_where_code_begins() {
        let begins =
            |place| beginning(place).map(|(file, line, column)| format!("{file}|{line}|{column}"));
        assert_eq!(begins("Text/Words.hs:(22,1)-(26,39)").as_deref(), Some("Text/Words.hs|22|1"));
        assert_eq!(begins("a:b.hs:12:5-38").as_deref(), Some("a:b.hs|12|5"));
        assert_eq!(begins("Main.hs:3:1").as_deref(), Some("Main.hs|3|1"));
        for other in ["<built-in>", "<entire-module>", "<no location info>", ""] {
            assert_eq!(begins(other), None);
        }
    }

    #[test]
    fn a_report_without_costs_is_an_error() {
        let empty = &REPORT[..REPORT.find("                  ").unwrap()];
        assert!(
            read(empty.as_bytes())
                .unwrap_err()
                .to_string()
                .contains("before its tree of cost centres")
        );
        let idle = &REPORT[..REPORT.find("MAIN  ").unwrap()];
        assert!(read(idle.as_bytes()).unwrap_err().to_string().contains("neither time nor memory"));
    }
}
