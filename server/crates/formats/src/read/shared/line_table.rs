//! Builds recordings of costs by line, without stacks and calls.

use super::func_text::FuncText;
use crate::error::ReadError;
use profile::{
    Func, FuncId, GraphTables, Lib, LibId, LineKnowledge, Metric, OwnCost, ProfileBuilder,
    Recording, RowWeights, StatedTotal, Total,
};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// The recording so far.
pub(crate) struct LineTable {
    builder: ProfileBuilder,
    graph: GraphTables,
    counts: Vec<(String, u32, u64)>,
    with_own: FxHashSet<FuncId>,
}

impl LineTable {
    /// No costs yet. All metrics are of one kind: of self costs, or of totals.
    pub(crate) fn new(metrics: Vec<Metric>, lines: LineKnowledge) -> Self {
        let metrics = metrics.into_iter().map(|metric| metric.with_lines(lines)).collect();
        let graph = GraphTables { metrics, ..GraphTables::default() };
        Self {
            builder: ProfileBuilder::default(),
            graph,
            counts: Vec::new(),
            with_own: FxHashSet::default(),
        }
    }

    /// Adds a function. Nothing is known about what it calls until [`Self::add_total`] says so.
    pub(crate) fn add_func(&mut self, func: FuncText<'_>) -> Result<FuncId, ReadError> {
        Ok(func.intern(&mut self.builder)?)
    }

    /// Adds a library with addresses.
    pub(crate) fn add_lib(&mut self, lib: Lib) -> Result<LibId, ReadError> {
        Ok(self.builder.intern_lib(lib)?)
    }

    /// Adds the function at an address in a library, which is to be resolved.
    pub(crate) fn add_address(&mut self, lib: LibId, address: u64) -> Result<FuncId, ReadError> {
        let name = self.builder.intern_string(&format!("{address:#x}"))?;
        let func = Func { name, source: None, lib: Some(lib), line: 0, column: 0 };
        Ok(self.builder.intern_func(func)?)
    }

    /// Adds how often a function was called.
    pub(crate) fn add_calls(&mut self, func: FuncId, calls: u64) {
        let totals = vec![Total::Unknown; self.graph.metrics.len()];
        let calls = Some(calls);
        self.graph.totals.push(StatedTotal { func, source: None, line: 0, totals, calls });
    }

    /// Adds the text that a file had.
    pub(crate) fn add_text(&mut self, file: &str, text: &str) -> Result<(), ReadError> {
        let source = self.builder.intern_source(&super::text::source_name(file))?;
        self.builder.add_source_text(source, &Arc::from(text));
        Ok(())
    }

    /// Adds the self cost of a line (1-based; 0 if it is unknown), whose total is unknown.
    pub(crate) fn add_own(&mut self, func: FuncId, line: u32, weights: &[f64]) {
        let weights = RowWeights::from_slice(weights);
        self.graph.own.push(OwnCost { func, source: None, line, weights });
        let unknown = vec![Total::Unknown; self.graph.metrics.len()];
        if line != 0 {
            self.add_stated(func, line, unknown.clone());
        }
        // A function states its total once.
        if self.with_own.insert(func) {
            self.add_stated(func, 0, unknown);
        }
    }

    /// Adds the total of a line (1-based), or of a whole function (0).
    pub(crate) fn add_total(&mut self, func: FuncId, line: u32, total: f64) {
        self.add_stated(func, line, vec![Total::Exact(total)]);
    }

    fn add_stated(&mut self, func: FuncId, line: u32, totals: Vec<Total>) {
        self.graph.totals.push(StatedTotal { func, source: None, line, totals, calls: None });
    }

    /// Adds how often a line was executed.
    pub(crate) fn add_count(&mut self, file: &str, line: u32, count: u64) {
        self.counts.push((super::text::source_name(file).into_owned(), line, count));
    }

    pub(crate) fn finish(mut self) -> Result<Recording, ReadError> {
        self.graph.symbols = self.builder.build().into_symbols();
        let mut recording = Recording::from(self.graph);
        let counts = self.counts.iter();
        recording.add_line_counts(
            counts.map(|(file, line, count)| (file.as_str(), *line, Some(*count))),
        )?;
        Ok(recording)
    }
}
