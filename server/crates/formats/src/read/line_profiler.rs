//! Profiles of line_profiler (`kernprof -l`, `%lprun`): for each line of the chosen functions how often it ran,
//! and how long, with all that it called.
//!
//! The file is a pickle ([`pickle`]) of an object with `timings`, `{(file, first line, name): [(line, hits,
//! time)]}`, and `unit`, the seconds of a time.
//!
//! The time of a line contains what it calls, and in recursion it counts at each level. So it is a total, the
//! self cost is not known, and totals of functions do not add up: there is no total of the run. The total of a
//! function is the sum of its lines, as line_profiler prints it.
//!
//! Source: `line_profiler.py` and `_line_profiler.pyx` of line_profiler 4.1 and 5.1.

mod pickle;

use crate::error::{At, ReadError};
use crate::format::Format;
use crate::read::result::Read;
use crate::read::shared::func_text::FuncText;
use crate::read::shared::line_table::LineTable;
use pickle::{Pickle, Value};
use profile::{LineKnowledge, Metric, Warnings};

/// Whether `bytes` begin with a pickle of line_profiler's statistics.
pub(crate) fn is_line_profiler(bytes: &[u8]) -> bool {
    // The name of the class is in the first bytes.
    let start = bytes.get(..bytes.len().min(256)).unwrap_or_default();
    bytes.starts_with(&[0x80])
        && memchr::memmem::find(start, b"line_profiler").is_some()
        && memchr::memmem::find(start, b"LineStats").is_some()
}

pub(crate) fn read(bytes: &[u8]) -> Result<Read, ReadError> {
    let pickle = Pickle::read(bytes)?;
    let of =
        |key| pickle.attribute(key).ok_or_else(|| unexpected(&format!("the attribute `{key}`")));
    let seconds = match of("unit")? {
        Value::Float(seconds) if *seconds > 0.0 && seconds.is_finite() => *seconds,
        _ => return Err(unexpected("the seconds of a time as `unit`")),
    };
    let (unit, scale) = unit(seconds);
    let metric = Metric::new("time", unit, None);
    let mut table = LineTable::new(vec![metric], LineKnowledge::TotalOnly);
    let Value::Dict(timings) = of("timings")? else {
        return Err(unexpected("a dictionary of functions as `timings`"));
    };
    for (key, lines) in timings.chunks_exact(2).map(|pair| (pair[0], pair[1])) {
        let (file, first, name) = function(&pickle, key)?;
        let Value::List(lines) = pickle.value(lines) else {
            return Err(unexpected("a list of lines for each function"));
        };
        let lines = lines.iter().map(|&line| timing(&pickle, line));
        let lines = lines.collect::<Result<Vec<_>, _>>()?;
        // A function that never ran has none.
        if lines.is_empty() {
            continue;
        }
        let func = FuncText { name, file, line: first, ..FuncText::default() };
        let func = table.add_func(func)?;
        let mut total = 0.0;
        for (line, hits, time) in lines {
            let time = time * scale;
            total += time;
            // Line 0 is the call of a decorator.
            if line != 0 {
                table.add_total(func, line, time);
                table.add_count(file, line, hits);
            }
        }
        table.add_total(func, 0, total);
    }
    Ok(Read::new(Format::LineProfiler, table.finish()?, Warnings::default()))
}

/// The unit of this many seconds, and what times are multiplied with.
fn unit(seconds: f64) -> (&'static str, f64) {
    let units = [("nanoseconds", 1e-9), ("microseconds", 1e-6), ("milliseconds", 1e-3)];
    let is_unit = |&(_, of): &(&str, f64)| ((seconds - of) / of).abs() < 1e-6;
    units.into_iter().find(is_unit).map_or(("seconds", seconds), |(unit, _)| (unit, 1.0))
}

/// File, first line and name.
fn function<'p>(pickle: &'p Pickle<'_>, key: usize) -> Result<(&'p str, u32, &'p str), ReadError> {
    if let Value::Tuple(key) = pickle.value(key)
        && let [file, first, name] = key[..]
        && let (Value::Text(file), Value::Int(first), Value::Text(name)) =
            (pickle.value(file), pickle.value(first), pickle.value(name))
    {
        return Ok((file, u32::try_from(*first).unwrap_or(0), name));
    }
    Err(unexpected("(file, first line, name) of a function"))
}

/// Line, hits and time.
fn timing(pickle: &Pickle<'_>, row: usize) -> Result<(u32, u64, f64), ReadError> {
    if let Value::Tuple(row) = pickle.value(row)
        && let [line, hits, time] = row[..]
        && let (Value::Int(line), Value::Int(hits), time) =
            (pickle.value(line), pickle.value(hits), pickle.value(time))
    {
        let time = match time {
            Value::Int(time) => *time as f64,
            Value::Float(time) if time.is_finite() => *time,
            _ => return Err(unexpected("a number as time of a line")),
        };
        return Ok((u32::try_from(*line).unwrap_or(0), u64::try_from(*hits).unwrap_or(0), time));
    }
    Err(unexpected("(line, hits, time) of a line"))
}

fn unexpected(expected: &str) -> ReadError {
    ReadError::malformed(At::Key("LineStats".to_owned()), format!("expected {expected}"))
}

#[cfg(test)]
mod tests;
