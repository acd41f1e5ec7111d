//! One profile as it is shown: the result of a load, immutable, shared by `Arc`.
//!
//! The server and the command line both show snapshots, so their numbers are the same.

use crate::debug_info::no_debug_info;
use crate::definitions::ParsedFiles;
use crate::function_name::FunctionName;
use crate::libraries::Libraries;
use crate::settings::{CostSettings, ViewSettings};
use crate::source_functions::SourceFunction;
use crate::source_maps::Written;
use crate::stages::costed::Costed;
use crate::stages::grouped::{Function, Grouped};
use crate::stages::loaded::Loaded;
use crate::stages::source_mapped::SourceMapped;
use crate::stages::symbolicated::Symbolicated;
use analysis::{
    CallTree, Cost, Costs, FileId, FuncKey, FunctionId, LineCost, MetricId, SourceId, Total, View,
    Warning, WarningCode,
};
use rustc_hash::FxHashMap;
use sources::{Mapping, SourceIndex};
use std::borrow::Cow;
use std::cmp::Ordering;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A loaded profile under a view, mapped to the workspace.
#[derive(Debug)]
pub struct Snapshot {
    /// The profile as it was read.
    pub loaded: Arc<Loaded>,
    /// The same with names for its addresses.
    pub symbolicated: Arc<Symbolicated>,
    /// The same with its files mapped to the workspace.
    pub source_mapped: Arc<SourceMapped>,
    /// The same under the view, with its files and functions.
    pub grouped: Grouped,
    /// The settings that it was made under.
    pub settings: CostSettings,
    /// Costs by function, line and call.
    pub costs: Costs,
    /// Costs by path.
    pub tree: CallTree,
    /// What is odd about the profile, in the order of the stages.
    pub warnings: Vec<Warning>,
    /// Per file the functions with cost that are defined there, by line (1-based).
    defined: FxHashMap<FileId, Vec<(u32, FunctionId)>>,
}

impl Snapshot {
    /// Takes `loaded` through all stages, with addresses looked up in `libraries`, files in `index`
    /// and definitions in `files`.
    pub fn new(
        loaded: Arc<Loaded>,
        settings: &CostSettings,
        index: &SourceIndex,
        libraries: Libraries,
        files: &ParsedFiles,
    ) -> Self {
        let symbolicated = Arc::new(Symbolicated::new(&loaded, libraries));
        let folder = loaded.path.parent();
        let mapped = SourceMapped::new(&symbolicated, folder, &settings.sources, index);
        Self::under(loaded, symbolicated, Arc::new(mapped), settings.clone(), files)
    }

    /// The same profile under another view: nothing is read, resolved or mapped again.
    #[must_use]
    pub fn with_view(&self, view: &ViewSettings, files: &ParsedFiles) -> Self {
        let Self { loaded, symbolicated, source_mapped, .. } = self;
        let settings = CostSettings { view: view.clone(), ..self.settings.clone() };
        let (symbolicated, source_mapped) = (symbolicated.clone(), source_mapped.clone());
        Self::under(loaded.clone(), symbolicated, source_mapped, settings, files)
    }

    fn under(
        loaded: Arc<Loaded>,
        symbolicated: Arc<Symbolicated>,
        source_mapped: Arc<SourceMapped>,
        settings: CostSettings,
        files: &ParsedFiles,
    ) -> Self {
        let grouped =
            Grouped::new(&symbolicated, &source_mapped, &settings.view, files, &loaded.stamp);
        let Costed { costs, tree, defined } = Costed::new(&grouped);
        let warnings = warnings(&loaded, &symbolicated, &source_mapped, &grouped, &costs);
        Self {
            loaded,
            symbolicated,
            source_mapped,
            grouped,
            settings,
            costs,
            tree,
            warnings,
            defined,
        }
    }

    /// How many samples the total is the weight of: the total of a metric that counts samples, or
    /// else the rows of the recording. `None` for a call graph.
    pub fn samples(&self) -> Option<f64> {
        let metrics = self.grouped.recording.metrics();
        let counting = metrics.iter().position(|metric| {
            metric.name == "samples" || matches!(&*metric.unit, "samples" | "hits")
        });
        self.grouped.recording.sampled().map(|_| match counting {
            Some(metric) => {
                let view =
                    View { metric: MetricId::new(metric as u32), ..self.grouped.view.clone() };
                let threads = self.costs.threads.iter().map(|thread| thread.thread);
                let totals = analysis::thread_totals(&self.grouped.recording, &view);
                threads
                    .filter_map(|thread| totals.get(thread.index()))
                    .map(|thread| thread.total)
                    .sum()
            }
            None => self.costs.threads.iter().map(|thread| thread.samples as f64).sum(),
        })
    }

    /// The file that lies at `path` (canonical) in the workspace.
    pub fn file_at(&self, path: &Path) -> Option<FileId> {
        self.grouped.files.get(path).copied()
    }

    /// Where a file lies in the workspace, canonical.
    pub fn path_of(&self, file: FileId) -> Option<&Path> {
        self.grouped.paths.get(file.index())?.as_deref()
    }

    /// Every file name of the profile with what became of it.
    pub fn mappings(&self) -> impl Iterator<Item = (&str, FileId, &Mapping)> {
        let symbols = self.grouped.recording.symbols();
        self.source_mapped.mappings.iter().zip(0..).map(move |(mapping, source)| {
            let source = SourceId::new(source);
            (symbols.source_name(source), self.grouped.groups.file(source), mapping)
        })
    }

    /// Where lines of a file were written, if it was generated and a source map says so.
    pub fn written(&self, file: FileId) -> Option<&Written> {
        self.grouped.generated.get(&file)
    }

    /// The name of a file, as the profile spells it first.
    pub fn file_name(&self, file: FileId) -> &str {
        self.grouped.recording.symbols().source_name(self.grouped.groups.first_source(file))
    }

    /// What is known of a function.
    pub fn function(&self, function: FunctionId) -> Function<'_> {
        self.grouped.function(function)
    }

    /// What a function is called in source code: `parse` of `app::parse<T>(x)`.
    pub fn text_name(&self, function: FunctionId) -> Cow<'_, str> {
        match self.source_function(function).map(SourceFunction::definition) {
            Some(definition) if !definition.name.is_empty() => definition.name.as_str().into(),
            _ => {
                let name = self.function(function).name;
                FunctionName::of(name).name.map_or(name.into(), Cow::Owned)
            }
        }
    }

    /// What identifies a function elsewhere and later: the key of one of its funcs.
    pub fn key(&self, function: FunctionId) -> FuncKey {
        self.grouped.recording.symbols().func_key(self.grouped.func(function))
    }

    /// What the text says of a function, where its definition is known.
    pub fn source_function(&self, function: FunctionId) -> Option<&SourceFunction> {
        self.grouped.source_functions.get(&function)
    }

    /// The functions that have a func with this key; several only where a name stands for several
    /// places of one file.
    pub fn find(&self, key: &FuncKey) -> &[FunctionId] {
        self.grouped.functions.get(key).map_or(&[], Vec::as_slice)
    }

    /// The functions that an address was resolved to: the physical function first, then what is inlined
    /// into it; nothing if it still is one.
    pub fn resolved(&self, key: &FuncKey) -> &[FunctionId] {
        self.grouped.resolved.get(key).map_or(&[], Vec::as_slice)
    }

    /// The functions with cost that are defined in a file of the workspace, by line (1-based).
    pub fn defined_in(&self, file: FileId) -> &[(u32, FunctionId)] {
        self.defined.get(&file).map_or(&[], Vec::as_slice)
    }

    /// Whether most of it is addresses that nobody has turned into names and lines.
    pub fn is_unsymbolicated(&self) -> bool {
        let functions = || self.costs.functions().map(|(function, _)| self.key(function));
        let unresolved = || functions().filter(|key| key.address.is_some()).count();
        self.costs.lines().is_empty() && 2 * unresolved() > functions().count()
    }

    /// Functions that cost anything, hottest first; idle ones are no cost.
    pub fn hottest_functions(&self) -> Vec<(FunctionId, Cost)> {
        let costs = self.costs.functions().map(|(function, cost)| (function, cost.cost));
        let mut functions: Vec<_> = costs.filter(|(_, cost)| cost.magnitude() > 0.0).collect();
        functions.sort_by(|a, b| {
            hotter(a.1, b.1).then_with(|| self.function(a.0).name.cmp(self.function(b.0).name))
        });
        functions
    }

    /// Lines that cost anything, hottest first.
    pub fn hottest_lines(&self) -> Vec<LineCost> {
        let mut lines = self.costs.lines().to_vec();
        lines.sort_by(|a, b| {
            hotter(a.cost, b.cost).then_with(|| (a.file, a.line).cmp(&(b.file, b.line)))
        });
        lines
    }

    /// The line that a function starts on, 1-based: that of its name in the text, else the one that
    /// the recording states.
    pub fn start_line(&self, function: FunctionId) -> Option<u32> {
        self.grouped.start_line(function)
    }

    /// Where a function is defined, 1-based: the line that it starts on, else its first line with
    /// cost.
    pub fn definition(&self, function: FunctionId) -> Option<(FileId, u32)> {
        self.grouped.definition(function, &self.costs)
    }

    /// What to do where the hottest program has no debug info and so no lines; `None` if it has
    /// lines, or if nobody knows whether it could have some.
    pub fn no_debug_info(&self) -> Option<String> {
        no_debug_info(
            &self.grouped.recording,
            &self.grouped.groups,
            &self.costs,
            &self.symbolicated.libraries,
        )
    }
}

/// By |total|, then |self|: how everything is sorted.
pub fn hotter(a: Cost, b: Cost) -> Ordering {
    let total = |cost: Cost| match cost.total {
        Total::Exact(weight) | Total::Estimated(weight) => weight.abs(),
        Total::Bounded { max, .. } => max.abs(),
        Total::Unknown => 0.0,
    };
    total(b).total_cmp(&total(a)).then_with(|| b.self_.abs().total_cmp(&a.self_.abs()))
}

/// The warnings of all stages, and what only their results tell.
fn warnings(
    loaded: &Loaded,
    symbolicated: &Symbolicated,
    source_mapped: &SourceMapped,
    grouped: &Grouped,
    costs: &Costs,
) -> Vec<Warning> {
    let stages =
        [&loaded.warnings, &grouped.warnings, &symbolicated.warnings, &source_mapped.warnings];
    let mut warnings: Vec<Warning> = stages.into_iter().flatten().cloned().collect();
    let libraries = &symbolicated.libraries;
    let Grouped { recording, groups, paths, .. } = grouped;
    if libraries.is_complete() && !shows_lines(paths, costs) {
        let message = no_debug_info(recording, groups, costs, libraries);
        warnings.extend(message.map(|message| Warning {
            code: WarningCode::NoDebugInfo,
            message,
            count: 1,
        }));
    }
    warnings
}

/// Whether a workspace file has lines with cost.
fn shows_lines(paths: &[Option<PathBuf>], costs: &Costs) -> bool {
    let mapped = paths.iter().zip(0..).filter(|(path, _)| path.is_some());
    let mut files = mapped.map(|(_, file)| FileId::new(file));
    files.any(|file| !costs.lines_of(file, 1..u32::MAX).is_empty())
}
