//! Profiles of scalene (`scalene run`, `--json`): for each line of the program its share of the run, in
//! percent, as Python, native and system time, and the memory that it allocated.
//!
//! ```text
//! {"alloc_samples": 5, "elapsed_time_sec": 4.1, "files": {"/app/main.py": {
//!   "functions": [{"line": "main", "lineno": 27, ...}],
//!   "lines": [{"lineno": 1, "line": "import sys\n", "n_cpu_percent_python": 0.8, ...}]}}}
//! ```
//!
//! The costs are those of the line itself, without what it calls. Code outside the folder of the program is
//! left out; the rest up to 100 percent is its time. All lines of a file are listed, so the file has its text.
//!
//! Source: `scalene_json.py` of scalene 1.5 and 2.4.

use crate::error::ReadError;
use crate::format::Format;
use crate::read::result::Read;
use crate::read::shared::func_text::FuncText;
use crate::read::shared::json;
use crate::read::shared::line_table::LineTable;
use profile::{FuncId, LineKnowledge, Metric, Warnings};
use rustc_hash::FxHashMap;
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The function of lines outside all functions, as CPython calls it.
const MODULE: &str = "<module>";
/// The time of code that scalene does not list: files outside the folder of the program, and files with less than
/// 1% of the time.
const UNLISTED: &str = "(in files that scalene does not list)";
/// Less time of it is an error of rounding, in percent.
const LEAST_UNLISTED: f64 = 0.05;
/// What scalene calls a megabyte.
const MEGABYTE: f64 = 1024.0 * 1024.0;

#[derive(Deserialize)]
struct File<'a> {
    #[serde(borrow)]
    files: BTreeMap<Cow<'a, str>, Source<'a>>,
    #[serde(default)]
    elapsed_time_sec: f64,
}

#[derive(Deserialize)]
struct Source<'a> {
    #[serde(borrow)]
    lines: Vec<Row<'a>>,
    #[serde(borrow, default)]
    functions: Vec<Row<'a>>,
}

/// A line, or a function with its first line.
#[derive(Deserialize)]
struct Row<'a> {
    lineno: u32,
    /// The text of the line, or the name of the function.
    #[serde(borrow)]
    line: Cow<'a, str>,
    #[serde(default)]
    n_cpu_percent_python: f64,
    #[serde(default)]
    n_cpu_percent_c: f64,
    #[serde(default)]
    n_sys_percent: f64,
    #[serde(default)]
    n_malloc_mb: f64,
    #[serde(default)]
    n_copy_mb_s: f64,
    #[serde(default)]
    start_function_line: u32,
}

/// The weight of a line in a metric.
type Weight = fn(&Row<'_>) -> f64;

/// The metrics: name, unit and weight.
const METRICS: [(&str, &str, Weight); 6] = [
    ("cpu", "percent", |line| {
        line.n_cpu_percent_python + line.n_cpu_percent_c + line.n_sys_percent
    }),
    ("python", "percent", |line| line.n_cpu_percent_python),
    ("native", "percent", |line| line.n_cpu_percent_c),
    ("system", "percent", |line| line.n_sys_percent),
    ("allocated", "bytes", |line| (line.n_malloc_mb * MEGABYTE).round()),
    ("copied", "megabytes per second", |line| line.n_copy_mb_s),
];

pub(crate) fn read(bytes: &[u8]) -> Result<Read, ReadError> {
    let file: File<'_> = json::decode(bytes)?;
    let lines = || file.files.values().flat_map(|source| &source.lines);
    let has_costs = |weight: Weight| lines().any(|line| weight(line) != 0.0);
    // The first one is there even if the run was too short for samples.
    let metrics: Vec<_> = METRICS
        .into_iter()
        .enumerate()
        .filter(|(at, (.., weight))| *at == 0 || has_costs(*weight))
        .map(|(_, metric)| metric)
        .collect();
    let named = metrics.iter().map(|(name, unit, _)| Metric::new(name, unit, None));
    let mut table = LineTable::new(named.collect(), LineKnowledge::SelfOnly);
    for (path, source) in &file.files {
        let mut funcs = Funcs::of(path, source);
        for line in &source.lines {
            let begin = funcs.begin_of(line);
            let weights: Vec<f64> = metrics.iter().map(|(.., weight)| weight(line)).collect();
            if weights.iter().any(|&weight| weight != 0.0) {
                let func = funcs.intern(&mut table, begin)?;
                table.add_own(func, line.lineno, &weights);
            }
        }
        if (1..).zip(&source.lines).all(|(number, line)| line.lineno == number) {
            let text: String = source.lines.iter().map(|line| &*line.line).collect();
            // As scalene writes them for its page.
            let text = text.replace("\\u003c", "<").replace("\\u003e", ">");
            table.add_text(path, &text)?;
        }
    }
    let known: f64 = lines().map(METRICS[0].2).sum();
    if known > 0.0 && 100.0 - known >= LEAST_UNLISTED {
        let func = table.add_func(FuncText { name: UNLISTED, ..FuncText::default() })?;
        let mut weights = vec![0.0; metrics.len()];
        weights[0] = 100.0 - known;
        table.add_own(func, 0, &weights);
    }
    Ok(Read {
        span_seconds: Some(file.elapsed_time_sec).filter(|&seconds| seconds > 0.0),
        ..Read::new(Format::Scalene, table.finish()?, Warnings::default())
    })
}

/// A function: name and first line.
type Begin<'a> = (&'a str, u32);

/// The functions of a file.
struct Funcs<'a> {
    path: &'a str,
    /// By the line on which they begin: that of the first decorator, which is the first line, and that of
    /// `def`.
    begins: FxHashMap<u32, Begin<'a>>,
    known: FxHashMap<u32, FuncId>,
    /// The lines around the current one, by indentation, each with its function.
    around: Vec<(usize, Option<Begin<'a>>)>,
}

impl<'a> Funcs<'a> {
    fn of(path: &'a str, source: &'a Source<'_>) -> Self {
        let mut begins = FxHashMap::default();
        for function in &source.functions {
            let begin = (&*function.line, function.lineno);
            begins.insert(function.lineno, begin);
            let at = source.lines.partition_point(|line| line.lineno < function.lineno);
            let mut rest = source.lines.get(at..).unwrap_or_default().iter();
            if let Some(def) = rest.find(|line| !line.line.trim_start().starts_with('@')) {
                begins.insert(def.lineno, begin);
            }
        }
        Self { path, begins, known: FxHashMap::default(), around: Vec::new() }
    }

    /// The function of a line; `None` outside all functions. Call this for each line in turn: before version 2,
    /// only indentation tells. scalene takes a decorator for a part of what surrounds the function.
    fn begin_of(&mut self, line: &Row<'_>) -> Option<Begin<'a>> {
        let text = line.line.trim_start();
        let indentation = line.line.len() - text.len();
        while !text.is_empty() && self.around.last().is_some_and(|(of, _)| *of >= indentation) {
            self.around.pop();
        }
        let around = self.around.last().and_then(|(_, begin)| *begin);
        let mut stated = [line.lineno, line.start_function_line].into_iter();
        let begin = stated.find_map(|number| self.begins.get(&number).copied());
        let begin = begin.or_else(|| around.filter(|_| line.start_function_line == 0));
        if !text.is_empty() {
            self.around.push((indentation, begin));
        }
        begin
    }

    fn intern(
        &mut self,
        table: &mut LineTable,
        begin: Option<Begin<'a>>,
    ) -> Result<FuncId, ReadError> {
        let (name, first) = begin.unwrap_or((MODULE, 0));
        if let Some(&known) = self.known.get(&first) {
            return Ok(known);
        }
        let func = FuncText { name, file: self.path, line: first, ..FuncText::default() };
        let func = table.add_func(func)?;
        self.known.insert(first, func);
        Ok(func)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use profile::{GraphAccess, Total};

    const FILE: &str = r#"{"alloc_samples": 1, "args": ["a.py"], "elapsed_time_sec": 2.5, "files": {"/w/a.py": {
        "functions": [{"line": "work", "lineno": 2}],
        "lines": [
            {"lineno": 1, "line": "import b # \\u003ci\\u003e\n", "n_cpu_percent_python": 10, "start_function_line": 1},
            {"lineno": 2, "line": "@b.d\n", "n_cpu_percent_python": 1, "start_function_line": 2},
            {"lineno": 3, "line": "def work():\n", "start_function_line": 3},
            {"lineno": 4, "line": "    b.c()\n", "n_cpu_percent_python": 20, "n_cpu_percent_c": 30, "n_sys_percent": 5,
             "n_malloc_mb": 1.5, "start_function_line": 3}]}}}"#;

    #[test]
    fn lines_have_self_costs_and_no_totals() {
        let read = read(FILE.as_bytes()).unwrap();
        let names: Vec<_> = read.recording.metrics().iter().map(|it| &*it.name).collect();
        assert_eq!(names, ["cpu", "python", "native", "system", "allocated"]);
        let graph = read.recording.summed().unwrap().tables();
        let symbols = &graph.symbols;
        let own = graph.own.iter().map(|own| {
            let func = symbols.funcs.get(own.func);
            (symbols.func_name(own.func), func.line, own.line, own.weights[0])
        });
        let expected = [
            ("<module>", 0, 1, 10.0),
            ("work", 2, 2, 1.0),
            ("work", 2, 4, 55.0),
            (UNLISTED, 0, 0, 34.0),
        ];
        assert_eq!(own.collect::<Vec<_>>(), expected);
        assert_eq!(graph.own[2].weights[1..], [20.0, 30.0, 5.0, 1_572_864.0]);
        // Of each line, and once of each function.
        let stated: Vec<_> = graph.totals.iter().map(|it| (it.line, it.totals[0])).collect();
        assert_eq!(stated, [1, 0, 2, 0, 4, 0].map(|line| (line, Total::Unknown)));
        assert_eq!(read.span_seconds, Some(2.5));
        let texts: Vec<_> = symbols.texts.values().map(|text| &**text).collect();
        assert_eq!(texts, ["import b # <i>\n@b.d\ndef work():\n    b.c()\n"]);
    }

    #[test]
    fn before_version_2_indentation_tells_functions_apart() {
        let lines = |file: &str| {
            let read = read(file.as_bytes()).unwrap();
            let graph = read.recording.summed().unwrap().tables();
            let name = |own: &profile::OwnCost| graph.symbols.func_name(own.func).to_owned();
            graph.own.iter().map(name).collect::<Vec<_>>()
        };
        let old = FILE.replace("\"start_function_line\"", "\"start_region_line\"");
        assert_eq!(lines(&old), lines(FILE));
    }

    /// With `--reduced-profile`, only lines with costs are listed.
    #[test]
    fn a_file_without_all_lines_has_no_text() {
        let text = FILE
            .replace(r#"{"lineno": 3, "line": "def work():\n", "start_function_line": 3},"#, "");
        assert!(read(text.as_bytes()).unwrap().recording.symbols().texts.is_empty());
    }
}
