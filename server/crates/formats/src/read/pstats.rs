//! pstats: statistics of Python's own profilers, cProfile and `profile`, and in the same form of
//! yappi and pyinstrument. The file is one dictionary in marshal form ([`marshal`]): functions by
//! file, first line and name, with calls, own and cumulative seconds, and callers.
//!
//! Sources: `Lib/pstats.py`, `Lib/profile.py`, `Lib/cProfile.py` and `Modules/_lsprof.c` of
//! CPython. A function has (non-recursive calls, calls, own, cumulative, callers), each caller
//! (calls, non-recursive calls, own, cumulative of the function when called from it). cProfile and
//! yappi count recursion once in cumulative times, of functions as well as of callers.
//!
//! Dialects: yappi swaps the two counts of functions; the greater one is that of all calls. Without
//! `-b` it omits builtins. `profile` has only call counts for callers, and a code object instead of
//! the program's name. pyinstrument counts no calls (-1) and adds up recursive calls; for it,
//! totals are derived from the calls. Python's sampling profiler has a row for each line of a
//! function ([`sampled`]), which a last pair with a key of its own says.
//!
//! Functions with the same file, line and name (two lambdas on a line) overwrite each other in such
//! files, but their costs remain in the costs of their callers. The missing time is attributed to a
//! function of its own.

mod marshal;
mod rows;
mod sampled;
#[cfg(test)]
mod tests;

use crate::error::ReadError;
use crate::format::Format;
use crate::read::result::Read;
use crate::read::shared::func_text::FuncText;
use crate::writer::{Dialect, Writer};
use marshal::{Entered, Marshal, Value, unexpected};
use profile::{
    Call, FuncId, GraphTables, LineKnowledge, Metric, ProfileBuilder, Recording, RowWeights, Total,
    WarningCode, Warnings,
};
use rows::{Caller, Place, Row, own_cost, stated};
use rustc_hash::{FxHashMap, FxHashSet};

/// The function for time of functions that are not in the file.
const UNLISTED: &str = "(not in the file)";
/// A smaller share of time in it is not worth a warning: shares are shown with one decimal.
const LEAST_UNLISTED: f64 = 0.001;
/// The key that marks the files of Python's sampling profiler.
const SAMPLED: &[u8] = b"__sampled__";
/// More seconds than any process runs.
const MOST_SECONDS: f64 = 1e15;

pub(crate) fn is_pstats(bytes: &[u8]) -> bool {
    marshal::begins_with_function(bytes) || marshal::begins_with_mark(bytes, SAMPLED)
}

pub(crate) fn read(bytes: &[u8]) -> Result<Read, ReadError> {
    let mut reader = Reader::new(bytes, false);
    let mut rows = reader.rows()?;
    if reader.has_mark {
        // The mark comes last, and says what the lines before it mean.
        reader = Reader::new(bytes, true);
        rows = reader.rows()?;
    }
    reader.finish(&rows)
}

struct Reader<'a> {
    marshal: Marshal<'a>,
    builder: ProfileBuilder,
    /// Funcs by offsets of file and name, so that long names are decoded once, and by line.
    funcs: FxHashMap<(usize, u32, usize), FuncId>,
    /// The dialect, as far as the functions show it.
    dialect: Option<Dialect>,
    /// Whether lines execute, so that they are not part of a function.
    is_sampled: bool,
    /// Whether the file has the mark of a sampled one.
    has_mark: bool,
}

impl<'a> Reader<'a> {
    fn new(bytes: &'a [u8], is_sampled: bool) -> Self {
        Self {
            marshal: Marshal::new(bytes),
            builder: ProfileBuilder::default(),
            funcs: FxHashMap::default(),
            dialect: None,
            is_sampled,
            has_mark: false,
        }
    }

    fn rows(&mut self) -> Result<Vec<Row>, ReadError> {
        if !self.marshal.dict()? {
            return Err(unexpected(0, "a dictionary of functions"));
        }
        let mut rows = Vec::new();
        while self.marshal.has_pair()? {
            if let Some(place) = self.key()? {
                rows.push(self.row(place)?);
            } else {
                self.marshal.value()?;
                self.has_mark = true;
            }
        }
        Ok(rows)
    }

    /// Reads a key: file, line and name, or the mark of a sampled file (`None`).
    fn key(&mut self) -> Result<Option<Place>, ReadError> {
        const EXPECTED: &str = "(file, line, name) of a function";
        let at = self.marshal.at();
        let place = match self.marshal.enter()? {
            Entered::Tuple(3, place) => place,
            Entered::Tuple(1, place) => {
                return match self.marshal.last(place)? {
                    Value::Text(_, SAMPLED) => Ok(None),
                    _ => Err(unexpected(at, EXPECTED)),
                };
            }
            _ => return Err(unexpected(at, EXPECTED)),
        };
        let file = self.marshal.value()?;
        let line = self.marshal.value()?;
        let name_at = self.marshal.at();
        let name = self.marshal.last(place)?;
        let (Value::Text(file_at, file), Value::Int(line)) = (file, line) else {
            return Err(unexpected(at, EXPECTED));
        };
        let line = u32::try_from(line).unwrap_or(0);
        let (name_at, name) = match name {
            Value::Text(name_at, name) => (name_at, name),
            // The program that `profile` ran.
            Value::Other => {
                self.dialect = Some(Dialect::Profile);
                (name_at, "<code object>".as_bytes())
            }
            _ => return Err(unexpected(at, EXPECTED)),
        };
        let executing = if self.is_sampled { line } else { 0 };
        if let Some(&func) = self.funcs.get(&(file_at, line, name_at)) {
            return Ok(Some(Place { func, line: executing }));
        }
        let (file, name) = (String::from_utf8_lossy(file), String::from_utf8_lossy(name));
        let is_path = line != 0 || file.contains(['/', '\\']) || file.ends_with(".py");
        match &*file {
            "~" => self.dialect = Some(Dialect::CProfile),
            "builtins" | "__builtin__" if !is_path => self.dialect = Some(Dialect::Yappi),
            _ => {}
        }
        // Builtins have a placeholder or the name of their module.
        let file = if is_path { &*file } else { "" };
        let first = line - executing;
        let func = FuncText { name: &name, file, line: first, ..FuncText::default() }
            .intern(&mut self.builder)?;
        self.funcs.insert((file_at, line, name_at), func);
        Ok(Some(Place { func, line: executing }))
    }

    fn row(&mut self, place: Place) -> Result<Row, ReadError> {
        let at = self.marshal.at();
        let tuple = match self.marshal.enter()? {
            // Each function has its own row.
            Entered::Tuple(5, tuple) if !tuple.is_elsewhere() => tuple,
            _ => {
                return Err(unexpected(
                    at,
                    "(calls, calls, own, cumulative, callers) of a function",
                ));
            }
        };
        let (first, second, own, cumulative) = self.numbers(at)?;
        if first > second {
            self.dialect = Some(Dialect::Yappi);
        }
        let mut callers = Vec::new();
        if self.marshal.dict()? {
            while self.marshal.has_pair()? {
                callers.push(self.caller()?);
            }
        }
        self.marshal.leave(tuple);
        // Less than the self cost if it was rounded or the file is damaged.
        let cumulative = cumulative.max(own);
        Ok(Row { place, calls: first.max(second), own, cumulative, callers })
    }

    fn caller(&mut self) -> Result<Caller, ReadError> {
        let at = self.marshal.at();
        let Some(place) = self.key()? else {
            return Err(unexpected(at, "a function that calls"));
        };
        let at = self.marshal.at();
        match self.marshal.enter()? {
            Entered::Tuple(4, tuple) => {
                let (first, second, _, cumulative) = self.numbers(at)?;
                self.marshal.leave(tuple);
                Ok(Caller { place, calls: first.max(second), cumulative: Some(cumulative) })
            }
            Entered::Value(Value::Int(calls)) => {
                self.dialect = Some(Dialect::Profile);
                Ok(Caller { place, calls, cumulative: None })
            }
            _ => Err(unexpected(at, "(calls, calls, own, cumulative) of a caller, or its calls")),
        }
    }

    /// Reads two counts and two times of the tuple at `at`.
    fn numbers(&mut self, at: usize) -> Result<(i64, i64, f64, f64), ReadError> {
        let mut count = || match self.marshal.value()? {
            Value::Int(count) => Ok(count),
            _ => Err(unexpected(at, "a call count")),
        };
        let (first, second) = (count()?, count()?);
        let mut seconds = || match self.marshal.value()? {
            Value::Int(seconds) if (seconds as f64).abs() < MOST_SECONDS => Ok(seconds as f64),
            Value::Float(seconds) if seconds.abs() < MOST_SECONDS => Ok(seconds),
            _ => Err(unexpected(at, "seconds")),
        };
        Ok((first, second, seconds()?, seconds()?))
    }

    fn finish(mut self, rows: &[Row]) -> Result<Read, ReadError> {
        let mut warnings = Warnings::default();
        let lines =
            if self.is_sampled { LineKnowledge::SelfAndTotal } else { LineKnowledge::Nothing };
        let metric = Metric::new("time", "seconds", None).with_lines(lines);
        let mut graph = GraphTables { metrics: vec![metric], ..GraphTables::default() };
        let dialect = if self.is_sampled {
            sampled::add(rows, self.funcs.len(), &mut graph);
            Some(Dialect::Tachyon)
        } else {
            self.add_called(rows, &mut graph, &mut warnings)?
        };
        graph.symbols = self.builder.build().into_symbols();
        Ok(Read {
            writer: Writer { producer: None, dialect },
            ..Read::new(Format::Pstats, Recording::from(graph), warnings)
        })
    }

    /// Adds functions whose calls were counted or timed. Returns the dialect.
    fn add_called(
        &mut self,
        rows: &[Row],
        graph: &mut GraphTables,
        warnings: &mut Warnings,
    ) -> Result<Option<Dialect>, ReadError> {
        // `profile` is listed as a caller that was itself never called.
        let silent: FxHashSet<FuncId> = rows
            .iter()
            .filter(|row| row.calls == 0 && row.cumulative == 0.0)
            .map(|row| row.place.func)
            .collect();
        let counted = rows.is_empty() || rows.iter().any(|row| row.calls >= 0);
        for row in rows.iter().filter(|row| !silent.contains(&row.place.func)) {
            graph.own.push(own_cost(row.place, row.own));
            if counted {
                let calls = u64::try_from(row.calls).ok();
                graph.totals.push(stated(row.place, calls, Total::Exact(row.cumulative)));
            }
            calls(row, &silent, &mut graph.calls);
        }
        if counted {
            self.add_unlisted(rows, graph, warnings)?;
        }
        Ok(if counted { self.dialect } else { Some(Dialect::Pyinstrument) })
    }

    /// Adds the difference between the largest cumulative time and the sum of all functions in the
    /// file.
    fn add_unlisted(
        &mut self,
        rows: &[Row],
        graph: &mut GraphTables,
        warnings: &mut Warnings,
    ) -> Result<(), ReadError> {
        let own: f64 = rows.iter().map(|row| row.own).sum();
        let whole = rows.iter().map(|row| row.cumulative).fold(own, f64::max);
        let unlisted = whole - own;
        if unlisted <= whole * 1e-9 {
            return Ok(());
        }
        let func = FuncText { name: UNLISTED, ..FuncText::default() }.intern(&mut self.builder)?;
        let place = Place { func, line: 0 };
        graph.own.push(own_cost(place, unlisted));
        graph.totals.push(stated(place, None, Total::Exact(unlisted)));
        if unlisted < whole * LEAST_UNLISTED {
            return Ok(());
        }
        warnings.add(WarningCode::UnlistedFunctions, || {
            let why = match self.dialect {
                Some(Dialect::Yappi) => "yappi omits builtins unless it runs with `-b`",
                _ => "functions with the same file, line and name overwrite each other",
            };
            format!("{unlisted:.6} s of {whole:.6} s were spent in functions that are not in the file; {why}")
        });
        Ok(())
    }
}

/// The calls of a function. If the file has only counts, a single caller gets the whole cost;
/// several callers share it in proportion to their calls, which is an estimate.
fn calls(row: &Row, silent: &FxHashSet<FuncId>, calls: &mut Vec<Call>) {
    let callers = || row.callers.iter().filter(|caller| !silent.contains(&caller.place.func));
    let others = || callers().filter(|caller| caller.place.func != row.place.func);
    let n_calls: f64 = others().map(|caller| caller.calls as f64).sum();
    let is_shared = others().count() > 1;
    calls.extend(callers().map(|caller| {
        let is_itself = caller.place.func == row.place.func;
        let share = if is_shared && !is_itself && n_calls > 0.0 {
            caller.calls as f64 / n_calls
        } else {
            1.0
        };
        Call {
            caller: caller.place.func,
            source: None,
            line: 0,
            callee: row.place.func,
            count: u64::try_from(caller.calls).unwrap_or(0),
            weights: RowWeights::from_slice(&[caller.cumulative.unwrap_or(row.cumulative * share)]),
            nested: caller.cumulative.is_none() && (is_shared || is_itself),
        }
    }));
}
