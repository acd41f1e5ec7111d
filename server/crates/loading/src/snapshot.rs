//! The immutable result of a load. The server and the command line both show snapshots, so their
//! numbers are the same.

pub(crate) mod average;
pub(crate) mod load;
pub(crate) mod profile_total;
pub(crate) mod sampling;

use crate::discovery::companions;
use crate::functions::function_name::FunctionName;
use crate::functions::source_functions::SourceFunction;
use crate::load::coverage;
use crate::load::debug_info::no_debug_info;
use crate::load::libraries::Libraries;
use crate::load::loaded::Loaded;
use crate::load::stages::costed::Costed;
use crate::load::stages::found_by_name::{Own, Program};
use crate::load::stages::grouped::{Function, Grouped};
use crate::load::stages::identified::Identified;
use crate::load::stages::identifying::{Context, OriginalLines, source_names};
use crate::load::stages::recorded_texts::{RecordedTexts, TextCaches};
use crate::load::stages::symbolicated::Symbolicated;
use crate::settings::{CostSettings, ViewSettings};
use crate::snapshot::average::RunCosts;
use crate::snapshot::sampling::Sampling;
use crate::units;
use analysis::{
    CallTree, Costs, FileId, FuncId, FuncKey, FunctionId, LabelCost, LineCounts, Metric, MetricId,
    PartWithLabels, SourceId, Unmatched, View, Warning, WarningCode,
};
use rustc_hash::FxHashMap;
use sources::{How, Mapping, SourceIndex};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// A profile under a view, mapped to the workspace.
#[derive(Debug)]
pub struct Snapshot {
    /// The profile as read.
    pub loaded: Arc<Loaded>,
    /// After addresses were resolved.
    pub symbolicated: Arc<Symbolicated>,
    /// After its sources were identified.
    pub identified: Arc<Identified>,
    /// After the view was applied, with its files and functions.
    pub grouped: Grouped,
    /// The settings that the snapshot was computed with.
    pub settings: CostSettings,
    /// Costs by function, line and call.
    pub costs: Costs,
    /// Costs by call path.
    pub tree: CallTree,
    /// How often lines were executed.
    pub line_counts: LineCounts,
    /// The warnings of all stages, in their order.
    pub warnings: Vec<Warning>,
    /// The functions with cost that are defined in each file, sorted by line (1-based).
    defined: FxHashMap<FileId, Vec<(u32, FunctionId)>>,
    /// The same profile in the metric of the overlay.
    pub overlay: Option<Arc<Self>>,
    /// Computed on first use.
    sampling: OnceLock<Sampling>,
    /// Computed on first use.
    run_costs: OnceLock<RunCosts>,
}

impl Snapshot {
    /// Takes `loaded` through all stages. `libraries` resolves addresses, `index` maps file names,
    /// `caches` has the recorded texts.
    pub fn new(
        loaded: Arc<Loaded>,
        settings: &CostSettings,
        index: &SourceIndex,
        libraries: Libraries,
        caches: &TextCaches,
    ) -> Self {
        let symbolicated = Arc::new(Symbolicated::new(&loaded, libraries));
        let identified = {
            let reader = caches.reader(&loaded, index.roots(), settings.sources.keep);
            let (sources, parsed) = (&settings.sources, &caches.parsed);
            let context = Context::new(&symbolicated, sources, index, &reader, parsed);
            Arc::new(Identified::new(&context))
        };
        Self::under_view(loaded, symbolicated, identified, settings.clone())
    }

    /// The same profile under another view: nothing is read, resolved or mapped again.
    #[must_use]
    pub fn with_view(&self, view: &ViewSettings) -> Self {
        let Self { loaded, symbolicated, identified, .. } = self;
        let settings = CostSettings { view: view.clone(), ..self.settings.clone() };
        Self::under_view(loaded.clone(), symbolicated.clone(), identified.clone(), settings)
    }

    fn under_view(
        loaded: Arc<Loaded>,
        symbolicated: Arc<Symbolicated>,
        identified: Arc<Identified>,
        settings: CostSettings,
    ) -> Self {
        let overlay = overlay(&loaded, &settings).map(|settings| {
            let (loaded, symbolicated) = (loaded.clone(), symbolicated.clone());
            Arc::new(Self::under_view(loaded, symbolicated, identified.clone(), settings))
        });
        let grouped = Grouped::new(&symbolicated, &identified, &settings.view);
        let Costed { costs, tree, mut line_counts, defined } =
            Costed::new(&grouped, &identified.texts);
        let mut warnings = warnings(&loaded, &symbolicated, &identified, &grouped, &costs);
        warnings.extend(no_contour(&grouped, &costs, &tree));
        warnings.extend(coverage::leave_out_changed(&mut line_counts, &loaded, &grouped));
        Self {
            loaded,
            symbolicated,
            identified,
            grouped,
            settings,
            costs,
            tree,
            line_counts,
            warnings,
            defined,
            overlay,
            sampling: OnceLock::new(),
            run_costs: OnceLock::new(),
        }
    }

    /// What the noise of the costs depends on.
    pub fn sampling(&self) -> Sampling {
        *self.sampling.get_or_init(|| {
            Sampling::new(self.loaded.format, &self.grouped, &self.costs, || self.samples())
        })
    }

    /// The costs of each run, if the mean of several is shown.
    pub fn run_costs(&self) -> &RunCosts {
        let Grouped { recording, view, groups, runs, .. } = &self.grouped;
        self.run_costs.get_or_init(|| match runs {
            0 | 1 => RunCosts::default(),
            _ => RunCosts::of_mean(recording, view, groups),
        })
    }

    /// The number of samples of the threads shown: the total of the metric that counts samples if
    /// there is one, or else the number of recorded samples with a weight. `None` for a call graph.
    pub fn samples(&self) -> Option<f64> {
        let metrics = self.grouped.recording.metrics();
        let sample_count = metrics.iter().position(Metric::counts_samples);
        self.grouped.recording.sampled().map(|_| match sample_count {
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

    /// Fails if the profile has costs of lines, but no calls. The error is a message for users.
    pub fn check_calls(&self) -> Result<(), String> {
        if !self.grouped.recording.is_line_table() {
            return Ok(());
        }
        let name = self.loaded.name();
        Err(format!(
            "{name}: a {} has costs of lines, but no calls: no callers, call tree or flame graph",
            self.loaded.format.title()
        ))
    }

    /// The total of the view. `None` if functions contain each other, so that nothing adds up.
    pub fn total(&self) -> Option<f64> {
        self.costs.metric.lines.has_self().then_some(self.costs.total)
    }

    /// Whether nothing has a cost.
    pub fn is_empty(&self) -> bool {
        let costs = &self.costs;
        costs.base == 0.0 && (costs.metric.lines.has_self() || costs.lines().is_empty())
    }

    /// What percentages of the costs of a line (1-based) refer to: the total of the view or, if there is
    /// none, that of the function on the line. 0 if it has several.
    pub fn base_of_line(&self, file: FileId, line: u32) -> f64 {
        if self.costs.metric.lines.has_self() {
            return self.costs.base;
        }
        let mut functions = self.costs.functions_on(file, line).iter().map(|place| place.function);
        let only = functions.next().filter(|_| functions.next().is_none());
        let total = only.and_then(|function| self.costs.function(function).cost.total.exact());
        total.unwrap_or(0.0)
    }

    /// What each label of a key, or of all keys, costs in a part of what is shown.
    pub fn labels(
        &self,
        part: PartWithLabels,
        key: Option<&str>,
    ) -> Result<Vec<LabelCost>, Unmatched> {
        let Grouped { recording, view, groups, .. } = &self.grouped;
        analysis::label_costs(recording, view, groups, part, key)
    }

    /// The file of the profile that is mapped to `path` (canonical).
    pub fn file_at(&self, path: &Path) -> Option<FileId> {
        self.grouped.files.get(path).copied()
    }

    /// The file of a function: that of its definition, or else of its first line with cost.
    pub fn file_of(&self, function: FunctionId) -> Option<FileId> {
        let file = self.function(function).file;
        file.or_else(|| self.costs.first_line(function).map(|(file, _)| file))
    }

    /// Whether a function is own code.
    pub fn is_own(&self, function: FunctionId) -> bool {
        self.grouped.own.functions.contains(&function)
    }

    /// Whether a file is own code.
    pub fn is_own_file(&self, file: FileId) -> bool {
        self.grouped.own.files.get(file.index()).is_some_and(|own| *own)
    }

    /// The canonical path of the workspace file that a file is mapped to.
    pub fn path_of(&self, file: FileId) -> Option<&Path> {
        self.grouped.paths.get(file.index())?.as_deref()
    }

    /// The texts of its sources at the time of the recording.
    pub fn texts(&self) -> &Arc<RecordedTexts> {
        &self.identified.texts
    }

    /// All file names of the profile, each with its file and the workspace file it is mapped to.
    pub fn mappings(&self) -> impl Iterator<Item = (&str, FileId, &Mapping)> {
        let symbols = self.grouped.recording.symbols();
        self.identified.mappings.iter().zip(0..).map(move |(mapping, source)| {
            let source = SourceId::new(source);
            (symbols.source_name(source), self.grouped.groups.file(source), mapping)
        })
    }

    /// Whether a path mapping for `from` may apply to a file or library of the profile.
    pub fn has_name_in(&self, from: &str) -> bool {
        let symbols = self.identified.recording.symbols();
        let files = source_names(symbols).into_iter();
        let libraries = symbols.libs.iter().flat_map(|lib| [&*lib.path, &*lib.debug_path]);
        sources::has_name_in(from, files.chain(libraries))
    }

    /// The original lines of a generated file. `None` for a file without a usable source map.
    pub fn original_lines(&self, file: FileId) -> Option<&OriginalLines> {
        self.grouped.generated.get(&file)
    }

    /// The name of a file in the profile; the first one if there are several.
    pub fn file_name(&self, file: FileId) -> &str {
        self.grouped.recording.symbols().source_name(self.grouped.groups.first_source(file))
    }

    /// The name of a file for people: its path in the folder of the workspace that has it, or else its name in
    /// the profile.
    pub fn shown_file(&self, file: FileId) -> Cow<'_, str> {
        let path = self.path_of(file);
        let mut inside =
            self.identified.roots.iter().filter_map(|root| path?.strip_prefix(&root.path).ok());
        inside.next().map_or_else(|| self.file_name(file).into(), Path::to_string_lossy)
    }

    /// The name and place of a function.
    pub fn function(&self, function: FunctionId) -> Function<'_> {
        self.grouped.function(function)
    }

    /// The name of a function in source code: `parse` of `app::parse<T>(x)`.
    pub fn text_name(&self, function: FunctionId) -> Cow<'_, str> {
        match self.source_function(function).map(SourceFunction::definition) {
            Some(definition) if !definition.name.is_empty() => definition.name.as_str().into(),
            _ => {
                let name = self.function(function).name;
                FunctionName::of(name).name.map_or(name.into(), Cow::Owned)
            }
        }
    }

    /// Whether the profile names no file for a function, which was found by its name.
    pub fn is_found_by_name(&self, function: FunctionId) -> bool {
        self.is_file_by_name(self.grouped.func(function))
    }

    /// The program of a function that was found by a name without a path, if it may be another program than
    /// that of the workspace.
    pub fn doubtful_program(&self, function: FunctionId) -> Option<&Program> {
        let lib = self.grouped.recording.symbols().funcs.get(self.grouped.func(function)).lib;
        let mut programs = self.identified.programs.iter();
        let likely = programs.find(|it| it.lib == lib && it.is_own == Own::Likely)?;
        let is_bare = || FunctionName::of(&self.key(function).name).path.is_empty();
        (self.is_found_by_name(function) && is_bare()).then_some(likely)
    }

    /// Whether the profile names no file for a func, whose file was found by its name.
    pub fn is_file_by_name(&self, func: FuncId) -> bool {
        let file = self.grouped.recording.symbols().funcs.get(func).source;
        let mapping = file.and_then(|file| self.identified.mappings.get(file.index()));
        matches!(mapping, Some(Mapping::Mapped { how: How::Name, .. }))
    }

    /// A key that identifies a function in other recordings of the program too: the key of one of
    /// its funcs.
    pub fn key(&self, function: FunctionId) -> FuncKey {
        self.grouped.recording.symbols().func_key(self.grouped.func(function))
    }

    /// The line (1-based) that the profile says a function starts on; 0 if it says none.
    pub fn recorded_start(&self, function: FunctionId) -> u32 {
        self.grouped.recording.symbols().funcs.get(self.grouped.func(function)).line
    }

    /// The definition of a function in the source text. `None` if it has none.
    pub fn source_function(&self, function: FunctionId) -> Option<&SourceFunction> {
        self.grouped.source_functions.get(&function)
    }

    /// The functions that have a func with this key. Several if functions of one file have the same
    /// name.
    pub fn find(&self, key: &FuncKey) -> Vec<FunctionId> {
        self.grouped.find(key)
    }

    /// The functions that have a func with this recorded name.
    pub fn with_name(&self, name: &str) -> Vec<FunctionId> {
        self.grouped.with_name(name)
    }

    /// The functions with this recorded name, and the clones of it (`fill.isra.0` of `fill`).
    pub fn clones_of(&self, name: &str) -> Vec<FunctionId> {
        self.grouped.clones_of(name)
    }

    /// The number of funcs with this recorded name.
    pub fn n_funcs_named(&self, name: &str) -> usize {
        self.grouped.funcs_named(name).len()
    }

    /// The functions that a name stands for: those that are shown with it, also as `place::name`, or
    /// else those that [`analysis::find_functions`] finds by their recorded names.
    pub fn named(&self, name: &str) -> Result<BTreeSet<FunctionId>, Unmatched> {
        let has_other_name =
            |function| self.source_function(function).is_some_and(|source| source.name.is_some());
        let shown = self.costs.functions().map(|(function, _)| function);
        let shown: BTreeSet<FunctionId> =
            shown.filter(|&function| self.is_shown_as(function, name)).collect();
        if shown.iter().any(|&function| has_other_name(function)) {
            return Ok(shown);
        }
        if let Some(function) = self.grouped.qualified(name) {
            return Ok(BTreeSet::from([function]));
        }
        let (symbols, groups) = (self.grouped.recording.symbols(), &self.grouped.groups);
        let found = analysis::find_functions(symbols, groups, name);
        // Its definition may be in another file than the profile says.
        found.or_else(|why| if shown.is_empty() { Err(why) } else { Ok(shown) })
    }

    /// Whether a function is shown with this name, which may follow its file here or in the profile, or its
    /// file and start line (`src/app.ts:12::run`). The last components of the path suffice.
    fn is_shown_as(&self, function: FunctionId, name: &str) -> bool {
        let this = self.function(function);
        let is_in = |place: &str| {
            let names = this.file.map(|file| (self.path_of(file), self.file_name(file)));
            names.is_some_and(|(path, recorded)| {
                path.is_some_and(|path| path.ends_with(place))
                    || Path::new(recorded).ends_with(place)
            })
        };
        let is_at = |place: &str| {
            let start = place.rsplit_once(':');
            let start = start.and_then(|(file, line)| Some((file, line.parse::<u32>().ok()?)));
            match start {
                Some((file, line)) => is_in(file) && self.start_line(function) == Some(line),
                None => is_in(place),
            }
        };
        let at_place = || name.strip_suffix(this.name)?.strip_suffix("::").map(is_at);
        this.name == name || at_place().unwrap_or(false)
    }

    /// The only function that a name stands for.
    pub fn only_named(&self, name: &str) -> Result<FunctionId, Unmatched> {
        let named = self.named(name)?;
        if let (Some(&function), 1) = (named.first(), named.len()) {
            return Ok(function);
        }
        let (symbols, groups) = (self.grouped.recording.symbols(), &self.grouped.groups);
        Err(analysis::ambiguous(symbols, groups, name, named))
    }

    /// The functions that an address was resolved to: the physical function first, then the
    /// functions inlined into it. Empty if the address is not resolved.
    pub fn resolved(&self, key: &FuncKey) -> &[FunctionId] {
        self.grouped.resolved.get(key).map_or(&[], Vec::as_slice)
    }

    /// The functions with cost that are defined in a file of the workspace, by line (1-based).
    pub fn defined_in(&self, file: FileId) -> &[(u32, FunctionId)] {
        self.defined.get(&file).map_or(&[], Vec::as_slice)
    }

    /// Whether the profile has no lines and most of its functions are unresolved addresses.
    pub fn is_unsymbolicated(&self) -> bool {
        let functions = || self.costs.functions().map(|(function, _)| self.key(function));
        let unresolved = || functions().filter(|key| key.address.is_some()).count();
        self.costs.lines().is_empty() && 2 * unresolved() > functions().count()
    }

    /// The line that a function starts on, 1-based: the line of its name in the text, or else the
    /// recorded start line.
    pub fn start_line(&self, function: FunctionId) -> Option<u32> {
        self.grouped.start_line(function)
    }

    /// The file and line (1-based) of a function's definition: its start line, or else its first
    /// line with cost.
    pub fn definition(&self, function: FunctionId) -> Option<(FileId, u32)> {
        self.grouped.definition(function, &self.costs)
    }

    /// A message about the hottest program or library if it has no debug info; see
    /// [`no_debug_info`].
    pub fn no_debug_info(&self) -> Option<String> {
        no_debug_info(
            &self.grouped.recording,
            &self.grouped.groups,
            &self.costs,
            &self.symbolicated.libraries,
        )
    }

    /// How often a line was executed: "executed 3 times", with the name of the coverage report if the
    /// count is from one.
    pub fn executed(&self, count: u64) -> String {
        let report = self.loaded.report.as_ref().and_then(|(path, _)| path.file_name());
        let from = report.map(|name| format!(" ({})", name.to_string_lossy())).unwrap_or_default();
        let is_flag = count > 0 && self.line_counts.are_flags;
        let executed = if is_flag { "executed".to_owned() } else { units::executed(count) };
        executed + &from
    }

    /// How often a line was executed, for display beside it: `3×`, `0×`; `executed` if the counts are flags.
    pub fn times(&self, count: u64) -> String {
        let is_flag = count > 0 && self.line_counts.are_flags;
        if is_flag { "executed".to_owned() } else { units::times(count) }
    }

    /// Why the profile has no execution counts. `None` if it does.
    pub fn no_line_counts(&self) -> Option<String> {
        if !self.line_counts.is_empty() {
            return None;
        }
        let mut warnings = self.loaded.warnings.iter();
        let unread = warnings.find(|warning| {
            matches!(warning.code, WarningCode::ProgramRepresentation | WarningCode::Coverage)
        });
        Some(match unread {
            Some(warning) => warning.message.clone(),
            None if self.loaded.lacks_lines_of_counts => {
                let file = self.loaded.path.with_extension(companions::PROGRAM);
                let file = file.file_name().unwrap_or_default().to_string_lossy();
                format!("execution counts are unknown: {file} is missing beside the profile")
            }
            None if self
                .loaded
                .writer
                .producer
                .as_ref()
                .is_some_and(|by| by.name() == "callgrind") =>
            {
                "the profile has no execution counts; record with `--dump-instr=yes \
                 --collect-jumps=yes`, or write a coverage report `lcov.info` beside it"
                    .to_owned()
            }
            None => "the profile has no execution counts; a coverage report `lcov.info` beside it \
                     would add them"
                .to_owned(),
        })
    }
}

/// The settings of the overlay, if it is a metric of the profile.
fn overlay(loaded: &Loaded, settings: &CostSettings) -> Option<CostSettings> {
    let overlay = settings.view.overlay.as_ref()?;
    analysis::find_metric(&loaded.recording, overlay).ok()?;
    let mut settings = settings.clone();
    settings.view.metric = settings.view.overlay.take();
    Some(settings)
}

/// The warnings of all stages, and about missing debug info.
fn warnings(
    loaded: &Loaded,
    symbolicated: &Symbolicated,
    identified: &Identified,
    grouped: &Grouped,
    costs: &Costs,
) -> Vec<Warning> {
    let stages = [
        &loaded.warnings,
        &grouped.problems.warnings,
        &symbolicated.warnings,
        &identified.warnings,
    ];
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

/// A warning if callers should be above the contour, but the metric has no cost of calls.
fn no_contour(grouped: &Grouped, costs: &Costs, tree: &CallTree) -> Option<Warning> {
    let wanted = grouped.view.contour && grouped.recording.knows_contour();
    let metric = &costs.metric.name;
    (wanted && !tree.has_contour()).then(|| Warning {
        code: WarningCode::Contour,
        message: format!(
            "all callers are shown: the contour file needs call costs, which `{metric}` does not \
             have; choose another metric"
        ),
        count: 1,
    })
}

/// Whether any workspace file has lines with cost.
fn shows_lines(paths: &[Option<PathBuf>], costs: &Costs) -> bool {
    let mapped = paths.iter().zip(0..).filter(|(path, _)| path.is_some());
    let mut files = mapped.map(|(_, file)| FileId::new(file));
    files.any(|file| !costs.lines_of(file, 1..u32::MAX).is_empty())
}
