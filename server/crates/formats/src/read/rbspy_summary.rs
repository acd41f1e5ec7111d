//! The text of `rbspy report -f summary` and `-f summary_by_line`: a table of lines with the
//! percentages of samples that end in a line and that pass through it.
//!
//! The header is `% self  % total  name`; rows are `%6.2f %8.2f NAME - PATH:LINE`. Functions in C
//! have the path `(unknown)` and no line. Both forms have a row per executing line; the first has
//! relative paths, the second absolute ones. Percentages are rounded, and the number of samples is
//! not stated. A sample counts once per row, so the total of a function with several lines is
//! between the largest of its rows and their sum. For example, rows of 60% and 50% bound it by
//! 60% and 100%.

use crate::error::{At, ReadError};
use crate::format::Format;
use crate::read::result::Read;
use crate::read::shared::func_text::FuncText;
use crate::read::shared::text::warn_of_open_end;
use crate::writer::{Dialect, Writer};
use profile::{
    FuncId, GraphTables, LineKnowledge, Metric, OwnCost, ProfileBuilder, Recording, RowWeights,
    StatedTotal, Total, WarningCode, Warnings,
};
use rustc_hash::FxHashMap;

/// The first line of such a file.
pub(crate) const HEADER: &[u8] = b"% self  % total  name";

pub(crate) fn read(bytes: &[u8]) -> Result<Read, ReadError> {
    let mut warnings = Warnings::default();
    let text = crate::read::shared::text::utf8(bytes, &mut warnings);
    let mut builder = ProfileBuilder::new(Vec::new(), 0);
    // For each line, and as line 0 for each function.
    let mut places: FxHashMap<(FuncId, u32), Sums> = FxHashMap::default();
    let mut graph = GraphTables::default();
    let mut first_malformed = None;
    for (i, row) in text.lines().enumerate().skip(1).filter(|(_, row)| !row.trim().is_empty()) {
        let Some(Row { own, total, name, file, line }) = Row::of(row) else {
            first_malformed.get_or_insert(i + 1);
            warnings.add(WarningCode::MalformedLine, || {
                format!("line {}: expected `10.00 20.00 name - file:line`; it is left out", i + 1)
            });
            continue;
        };
        let func = FuncText { name, file, ..FuncText::default() }.intern(&mut builder)?;
        graph.own.push(OwnCost {
            func,
            source: None,
            line,
            weights: RowWeights::from_slice(&[own]),
        });
        places.entry((func, 0)).or_default().add(own, total);
        if line != 0 {
            places.entry((func, line)).or_default().add(own, total);
        }
    }
    warn_of_open_end(&text, &mut warnings);
    if let Some(line) = first_malformed.filter(|_| graph.own.is_empty()) {
        return Err(ReadError::malformed(
            At::Line(line, 1),
            "there is no row; expected `10.00 20.00 name - file:line`",
        ));
    }
    // Rounding must not make the sum exceed the whole.
    let whole: f64 = graph.own.iter().flat_map(|own| &own.weights).sum();
    for ((func, line), sums) in places {
        let (min, max) = (sums.greatest.max(sums.own).min(whole), sums.total.min(whole));
        let total = if min < max { Total::Bounded { min, max } } else { Total::Exact(max) };
        graph.totals.push(StatedTotal {
            func,
            source: None,
            line,
            totals: vec![total],
            calls: None,
        });
    }
    graph.totals.sort_by_key(|stated| (stated.func, stated.line));
    let has_lines = graph.own.iter().any(|own| own.line != 0);
    let lines = if has_lines { LineKnowledge::SelfAndTotal } else { LineKnowledge::Nothing };
    graph.metrics = vec![Metric::new("samples", "percent", None).with_lines(lines)];
    graph.symbols = builder.build().into_symbols();
    Ok(Read {
        writer: Writer { producer: None, dialect: Some(Dialect::Rbspy) },
        ..Read::new(Format::RbspySummary, Recording::from(graph), warnings)
    })
}

/// Sums over the rows of a line or function.
#[derive(Debug, Default)]
struct Sums {
    own: f64,
    total: f64,
    /// The largest total of a row.
    greatest: f64,
}

impl Sums {
    fn add(&mut self, own: f64, total: f64) {
        self.own += own;
        self.total += total;
        self.greatest = self.greatest.max(total);
    }
}

#[derive(Debug, PartialEq)]
struct Row<'a> {
    own: f64,
    total: f64,
    name: &'a str,
    /// The file; empty if unknown.
    file: &'a str,
    line: u32,
}

impl<'a> Row<'a> {
    fn of(row: &'a str) -> Option<Self> {
        let percent =
            |text: &str| text.parse().ok().filter(|percent| (0.0..=100.0).contains(percent));
        let (own, rest) = row.trim().split_once(' ')?;
        let (total, place) = rest.trim_start().split_once("  ")?;
        let (name, path) = place.rsplit_once(" - ")?;
        let (file, line) =
            match path.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse().ok()?))) {
                Some((file, line)) => (file, line),
                None => (path, 0),
            };
        let file = if file == "(unknown)" { "" } else { file };
        let (own, total) = (percent(own)?, percent(total)?);
        (own <= total).then_some(Self { own, total, name, file, line })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::text_rows::warnings;
    use profile::GraphAccess;

    fn read_rows(rows: &str) -> Result<Read, ReadError> {
        read(&[HEADER, b"\n", rows.as_bytes()].concat())
    }

    #[test]
    fn a_last_line_without_newline_counts_with_a_warning() {
        let read = read_rows(" 40.00    60.00  f - a.rb:3\n 60.00    60.00  g - a.rb:9").unwrap();
        assert_eq!(warnings(&read), [(WarningCode::OpenEnd, 1)]);
        assert_eq!(read.recording.summed().unwrap().tables().own.len(), 2);
    }

    #[test]
    fn rows_are_lines_with_percents() {
        let rows = " 40.00    60.00  block in f - a b.rb:3\n 40.00    40.00  sleep [c function] - (unknown)\n 20.00    50.00  \
                    block in f - a b.rb:9\n  0.00   100.00  <main> - /p/main.rb:1\nwhat\n  0.00   999.00  g - x:1\n";
        let read = read_rows(rows).unwrap();
        assert_eq!(warnings(&read), [(WarningCode::MalformedLine, 2)]);
        let graph = read.recording.summed().expect("expected a graph").tables();
        let name = |func: FuncId| {
            let source = graph
                .symbols
                .funcs
                .get(func)
                .source
                .map_or("", |source| graph.symbols.source_name(source));
            format!("{}|{source}", graph.symbols.func_name(func))
        };
        let own: Vec<_> =
            graph.own.iter().map(|own| (name(own.func), own.line, own.weights[0])).collect();
        let expected = [
            ("block in f|a b.rb", 3, 40.0),
            ("sleep [c function]|", 0, 40.0),
            ("block in f|a b.rb", 9, 20.0),
            ("<main>|/p/main.rb", 1, 0.0),
        ];
        assert_eq!(own, expected.map(|(name, line, weight)| (name.to_owned(), line, weight)));
        let totals: Vec<_> = graph
            .totals
            .iter()
            .map(|total| (name(total.func), total.line, total.totals[0]))
            .collect();
        let expected = [
            ("block in f|a b.rb", 0, Total::Bounded { min: 60.0, max: 100.0 }),
            ("block in f|a b.rb", 3, Total::Exact(60.0)),
            ("block in f|a b.rb", 9, Total::Exact(50.0)),
            ("sleep [c function]|", 0, Total::Exact(40.0)),
            ("<main>|/p/main.rb", 0, Total::Exact(100.0)),
            ("<main>|/p/main.rb", 1, Total::Exact(100.0)),
        ];
        assert_eq!(totals, expected.map(|(name, line, total)| (name.to_owned(), line, total)));
        // The greatest total of a function is in its first row.
        let read = read_rows(" 1.00 6.00  f - a:1\n 1.00 5.00  f - a:2\n 9.00 9.00  g - b:1\n");
        let read = read.unwrap();
        let f = &read.recording.summed().unwrap().tables().totals[0];
        assert_eq!((f.line, f.totals[0]), (0, Total::Bounded { min: 6.0, max: 11.0 }));
        // More self than total, and two rows of one line.
        let read =
            read_rows(" 2.51 0   6.03  f - a:1\n 3.00  3.00  g - a:2\n 4.00  5.00  g - a:2\n");
        let read = read.unwrap();
        assert_eq!(warnings(&read), [(WarningCode::MalformedLine, 1)]);
        let graph = read.recording.summed().unwrap().tables();
        let totals: Vec<_> = graph.totals.iter().map(|total| total.totals[0]).collect();
        assert_eq!(totals, [Total::Exact(7.0); 2]);
        assert_eq!(read_rows("what\n").unwrap_err().at, At::Line(2, 1));
        assert_eq!(read_rows("").unwrap().recording.metrics()[0].lines, LineKnowledge::Nothing);
    }
}
