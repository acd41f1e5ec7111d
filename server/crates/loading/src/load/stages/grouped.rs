//! The fourth stage: groups file names that are one file and funcs that are one function, and
//! applies the view. This happens before costs are summed, because adding finished totals would
//! count samples twice.

use crate::functions::definitions::FileDefinitions;
use crate::functions::divided::divided_by_definition;
use crate::functions::functions_by_key::FunctionsByKey;
use crate::functions::own_files::{NoOwnCode, OwnCode};
use crate::functions::source_functions::{SourceFunction, group_by_definition};
use crate::load::stages::identified::Identified;
use crate::load::stages::identifying::OriginalLines;
use crate::load::stages::symbolicated::Symbolicated;
use crate::settings::{Combine, Inlines, ViewSettings};
use analysis::{
    Addresses, Costs, FileId, Func, FuncId, FuncKey, FunctionId, FunctionKey, Groups, IdleSamples,
    Name, Operand, Problems, Recording, Rewrites, Start, SymbolTables, ThreadChoice, Transform,
    View, Warning, WarningCode, at_call_sites, identified, threads_by_run,
};
use rustc_hash::{FxHashMap, FxHashSet};
use sources::Mapping;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

/// A recording under a view, with its files and functions.
#[derive(Debug)]
pub struct Grouped {
    /// The view.
    pub view: View,
    /// The recording after the setting `inlines` and the transforms were applied.
    pub recording: Arc<Recording>,
    /// The number of runs that costs are the mean of; 1 if they are sums.
    pub runs: u32,
    /// What the transforms do to paths.
    pub rewrites: Rewrites,
    /// The files and functions.
    pub groups: Arc<Groups>,
    /// The functions that have a definition in a source text.
    pub source_functions: FxHashMap<FunctionId, SourceFunction>,
    /// The workspace file of each file.
    pub paths: Vec<Option<PathBuf>>,
    /// The file of each workspace file.
    pub files: FxHashMap<PathBuf, FileId>,
    /// The functions by key. Computed on first use.
    by_key: OnceLock<FunctionsByKey>,
    /// The funcs that only have frames left that are in no definition.
    divided: FxHashSet<FuncId>,
    /// The functions that each address was resolved to: the physical function first, then the
    /// functions inlined into it.
    pub resolved: Addresses,
    /// The original lines of each generated file.
    pub generated: FxHashMap<FileId, OriginalLines>,
    /// By func: the recorded func that it is a part of, or itself. Empty if none is divided.
    pub whole: Vec<FuncId>,
    /// Which files and functions are own code.
    pub own: OwnCode,
    /// Why own code cannot be told from libraries. `None` if it can.
    pub no_own_code: Option<NoOwnCode>,
    /// What of the settings does not apply to the profile.
    pub problems: Problems,
}

impl Grouped {
    /// Groups the files and functions of `identified`, by the definitions in its texts, and applies the
    /// view.
    pub fn new(
        symbolicated: &Symbolicated,
        identified: &Identified,
        settings: &ViewSettings,
    ) -> Self {
        let mut problems = Problems::default();
        let mut view = view(&identified.recording, settings, &mut problems);
        let by_file = file_groups(identified.recording.symbols(), identified);
        let paths = paths(&by_file, identified);
        let definitions: Vec<_> = paths
            .iter()
            .map(|path| identified.texts.get(path.as_ref()?)?.definitions.clone())
            .collect();
        let (recorded, by_file, whole) = divide(identified, by_file, &definitions);
        let divided = divided_funcs(&whole);
        // This needs the lines that each function executes, so it precedes `at_call_sites`.
        let (by_function, source_functions) =
            group_by_definition(&recorded, &by_file, &definitions, &|source| {
                identified.source_maps.originals.contains(&source)
            });
        let roots = &identified.roots;
        let own = OwnCode::new(&recorded, &by_function, &source_functions, &paths, roots);
        let no_own_code = own.problem(&recorded);
        // A contour file says which callers are listed instead.
        if settings.own && no_own_code.is_none() && recorded.sampled().is_some() {
            view.own = Some(own.functions.clone());
        }
        if let Some(why) = no_own_code.filter(|_| settings.own) {
            problems.note(Warning {
                code: WarningCode::NoOwnCode,
                message: format!("{why}; all code is shown"),
                count: 1,
            });
        }
        let inlined = match settings.inlines {
            Inlines::Body => recorded,
            Inlines::CallSite => Arc::new(at_call_sites(&recorded)),
        };
        let (inlined, runs) = averaged(inlined, settings.combine, &view.threads);
        let resolved = resolved(symbolicated, &by_function, &divided);
        let named = View {
            transforms: with_qualified_names(&view.transforms, &inlined, &source_functions, &paths),
            ..view.clone()
        };
        let reshaped = analysis::reshape(&inlined, &named, &by_function, &resolved);
        let (recording, groups, rewrites) = match reshaped {
            Some(reshaped) => {
                problems.merge(reshaped.problems);
                (Arc::new(reshaped.recording), reshaped.groups, reshaped.rewrites)
            }
            None => (inlined, by_function, Rewrites::default()),
        };
        let files = paths.iter().zip(0..);
        let files = files.filter_map(|(path, file)| Some((path.clone()?, FileId::new(file))));
        Self {
            files: files.collect(),
            by_key: OnceLock::new(),
            divided,
            resolved,
            generated: generated(identified, &groups),
            view,
            recording,
            runs,
            rewrites,
            groups: Arc::new(groups),
            source_functions,
            paths,
            whole,
            own,
            no_own_code,
            problems,
        }
    }

    /// The name and place of a function: those of its definition, or else the recorded ones.
    pub fn function(&self, function: FunctionId) -> Function<'_> {
        let recorded = self.recorded(self.func(function));
        match self.source_functions.get(&function) {
            Some(defined) => Function {
                name: defined.name.as_deref().unwrap_or(recorded.name),
                file: Some(defined.file),
                ..recorded
            },
            None => recorded,
        }
    }

    /// The name and place of a func in the recording.
    pub fn recorded(&self, func: FuncId) -> Function<'_> {
        let symbols = self.recording.symbols();
        let func = symbols.funcs.get(func);
        Function {
            name: symbols.strings.get(func.name),
            file: func.source.map(|source| self.groups.file(source)),
            lib: func.lib.map(|lib| symbols.libs[lib.index()].name.as_str()),
            line: func.line,
            column: func.column,
        }
    }

    /// The function that a key identifies: of several, the one with this start.
    pub fn identified(&self, key: &FuncKey, start: Option<Start>) -> Option<FunctionId> {
        identified(self.recording.symbols(), &self.groups, self.funcs(key), start)
    }

    fn by_key(&self) -> &FunctionsByKey {
        self.by_key.get_or_init(|| FunctionsByKey::new(self.recording.symbols()))
    }

    /// The funcs with a key.
    fn funcs(&self, key: &FuncKey) -> &[FuncId] {
        self.by_key().funcs(self.recording.symbols(), key)
    }

    /// The functions that have a func with this key. Those of divided funcs come last.
    pub fn find(&self, key: &FuncKey) -> Vec<FunctionId> {
        self.functions_of(self.funcs(key).iter().copied())
    }

    /// The functions that have a func with this recorded name. Those of divided funcs come last.
    pub fn with_name(&self, name: &str) -> Vec<FunctionId> {
        self.functions_of(self.funcs_named(name).iter().copied())
    }

    /// The funcs with this recorded name.
    pub fn funcs_named(&self, name: &str) -> &[FuncId] {
        self.by_key().named(self.recording.symbols(), name)
    }

    /// The functions with this recorded name, and the clones of it (`fill.isra.0` of `fill`).
    pub fn clones_of(&self, name: &str) -> Vec<FunctionId> {
        self.functions_of(self.by_key().with_clones(self.recording.symbols(), name))
    }

    fn functions_of(&self, funcs: impl IntoIterator<Item = FuncId>) -> Vec<FunctionId> {
        let functions = funcs.into_iter().map(|func| self.groups.function(func));
        let mut functions: Vec<_> = functions.collect();
        functions.sort_unstable_by_key(|&function| {
            (self.divided.contains(&self.groups.first_func(function)), function)
        });
        functions.dedup();
        functions
    }

    /// The only function that the sources call so, if the recording does not: `Tree.draw` or
    /// `app/tree.py:6::draw` of `draw`.
    pub fn qualified(&self, name: &str) -> Option<FunctionId> {
        let is_recorded = !self.funcs_named(name).is_empty();
        (!is_recorded).then(|| qualified(name, &self.source_functions, &self.paths)).flatten()
    }

    /// The func that represents a function.
    pub fn func(&self, function: FunctionId) -> FuncId {
        let defined = self.source_functions.get(&function).map(|defined| defined.func);
        defined.unwrap_or_else(|| self.groups.first_func(function))
    }

    /// The line that a function starts on, 1-based: the line of its name in the text, or else the
    /// recorded start line.
    pub fn start_line(&self, function: FunctionId) -> Option<u32> {
        match self.source_functions.get(&function) {
            Some(defined) => Some(defined.definition().name_line0 + 1),
            None => Some(self.function(function).line).filter(|&line| line != 0),
        }
    }

    /// The file and line (1-based) of a function's definition: its start line, or else its first
    /// line with cost.
    pub fn definition(&self, function: FunctionId, costs: &Costs) -> Option<(FileId, u32)> {
        let start = self.function(function).file.zip(self.start_line(function));
        start.or_else(|| costs.first_line(function))
    }
}

/// The only function that the sources call so. `paths` are those of the files.
fn qualified(
    name: &str,
    source_functions: &FxHashMap<FunctionId, SourceFunction>,
    paths: &[Option<PathBuf>],
) -> Option<FunctionId> {
    let place = name.rsplit_once("::");
    let place = place.and_then(|(place, name)| Some((place.rsplit_once(':')?, name)));
    let is_at = |source: &SourceFunction| {
        let path = paths.get(source.file.index()).and_then(Option::as_ref);
        let (Some(((file, line), name)), Some(path)) = (place, path) else { return false };
        let definition = source.definition();
        definition.name == name
            && line.parse() == Ok(definition.name_line0 + 1)
            && path.ends_with(file)
    };
    let mut called =
        source_functions.iter().filter(|(_, source)| source.is_called(name) || is_at(source));
    called.next().filter(|_| called.next().is_none()).map(|(&function, _)| function)
}

/// The transforms, with the keys of functions that users name as the sources do.
fn with_qualified_names(
    transforms: &[Transform],
    recording: &Recording,
    source_functions: &FxHashMap<FunctionId, SourceFunction>,
    paths: &[Option<PathBuf>],
) -> Vec<Transform> {
    let symbols = recording.symbols();
    let is_recorded = |text: &str| symbols.funcs.ids().any(|func| symbols.func_name(func) == text);
    let mut transforms = transforms.to_vec();
    let of_functions = transforms
        .iter_mut()
        .filter(|it| matches!(it.kind.operand(), Operand::Function | Operand::Path));
    for name in of_functions.flat_map(|it| &mut it.names) {
        let Name::Text(text) = &*name else { continue };
        let found = qualified(text, source_functions, paths).filter(|_| !is_recorded(text));
        if let Some(source) = found.and_then(|function| source_functions.get(&function)) {
            let Func { line, column, .. } = symbols.funcs.get(source.func);
            let func = symbols.func_key(source.func);
            *name = Name::Key(FunctionKey { func, start: Some((line, column)) });
        }
    }
    transforms
}

/// The name and place of a function.
#[derive(Debug, Clone, Copy)]
pub struct Function<'a> {
    /// The name.
    pub name: &'a str,
    /// The file that it is defined in.
    pub file: Option<FileId>,
    /// The short name of its library.
    pub lib: Option<&'a str>,
    /// The recorded start line, 1-based; 0 = unknown.
    pub line: u32,
    /// The recorded start column, 1-based; 0 = unknown.
    pub column: u32,
}

/// Groups file names that are mapped to the same workspace file.
fn file_groups(symbols: &SymbolTables, identified: &Identified) -> Groups {
    Groups::new(symbols, |source| match &identified.mappings[source.index()] {
        Mapping::Mapped { path, .. } => Ok(path.clone()),
        Mapping::Ambiguous { .. } | Mapping::Unmapped(_) => Err(source),
    })
}

/// The workspace file of each file.
fn paths(groups: &Groups, identified: &Identified) -> Vec<Option<PathBuf>> {
    let sources = (0..groups.n_files() as u32).map(|file| groups.first_source(FileId::new(file)));
    sources
        .map(|source| match &identified.mappings[source.index()] {
            Mapping::Mapped { path, .. } => Some(path.clone()),
            Mapping::Ambiguous { .. } | Mapping::Unmapped(_) => None,
        })
        .collect()
}

/// The recording with funcs divided by definition, its files, and by func the recorded one that it is
/// a part of; empty if none is divided.
fn divide(
    identified: &Identified,
    by_file: Groups,
    definitions: &[Option<Arc<FileDefinitions>>],
) -> (Arc<Recording>, Groups, Vec<FuncId>) {
    match divided_by_definition(&identified.recording, &by_file, definitions) {
        Some(divided) => {
            let by_file = file_groups(divided.recording.symbols(), identified);
            (Arc::new(divided.recording), by_file, divided.whole)
        }
        None => (identified.recording.clone(), by_file, Vec::new()),
    }
}

/// The funcs of which others are parts.
fn divided_funcs(whole: &[FuncId]) -> FxHashSet<FuncId> {
    let parts = whole.iter().enumerate().filter(|(at, of)| of.index() != *at);
    parts.map(|(_, &of)| of).collect()
}

/// The recording whose costs are those of the setting `combine`, and the number of runs that they are
/// the mean of.
fn averaged(
    recording: Arc<Recording>,
    combine: Combine,
    threads: &ThreadChoice,
) -> (Arc<Recording>, u32) {
    let runs = match combine {
        Combine::Sum => 1,
        Combine::Average => threads_by_run(&recording, threads).len().max(1) as u32,
    };
    if runs == 1 {
        return (recording, 1);
    }
    (Arc::new(recording.divided_by(runs, |thread| threads.includes(thread))), runs)
}

/// The original lines of each generated file.
fn generated(identified: &Identified, groups: &Groups) -> FxHashMap<FileId, OriginalLines> {
    let generated = identified.source_maps.generated.iter();
    generated.map(|(&source, lines)| (groups.file(source), lines.clone())).collect()
}

/// The functions that each address was resolved to. None of them is divided.
fn resolved(
    symbolicated: &Symbolicated,
    groups: &Groups,
    divided: &FxHashSet<FuncId>,
) -> Addresses {
    let resolved = symbolicated.resolved.iter();
    resolved
        .filter(|(_, funcs)| !funcs.iter().any(|func| divided.contains(func)))
        .map(|(key, funcs)| {
            (key.clone(), funcs.iter().map(|&func| groups.function(func)).collect())
        })
        .collect()
}

/// The view that the settings describe. Names that match nothing are ignored with a warning.
fn view(recording: &Recording, settings: &ViewSettings, problems: &mut Problems) -> View {
    let mut view = View {
        idle: IdleSamples::Excluded,
        implementation: settings.implementation.filter(),
        contour: settings.own,
        transforms: settings.transforms.clone(),
        labels: settings.labels.clone(),
        range: settings.range,
        search: settings.search.clone(),
        ..View::of(recording)
    };
    match settings.metric.as_ref().map(|name| analysis::find_metric(recording, name)) {
        None => {}
        Some(Ok(metric)) => view.metric = metric,
        Some(Err(name)) => {
            let default = recording
                .metrics()
                .get(view.metric.index())
                .map_or("", |metric| metric.name.as_str());
            problems.unmatched(name, &format!("showing `{default}`"));
        }
    }
    let (mut threads, mut missing, mut ambiguous) = (Vec::new(), Vec::new(), Vec::new());
    for name in &settings.threads {
        match analysis::find_threads(recording, name) {
            Ok(found) => {
                ambiguous.extend(analysis::also_process(recording, name));
                threads.extend(found);
            }
            Err(name) => missing.push(name),
        }
    }
    let instead =
        if threads.is_empty() { "showing all threads" } else { "showing the other chosen threads" };
    for name in missing {
        problems.unmatched(name, instead);
    }
    problems.warnings.extend(ambiguous);
    if !threads.is_empty() {
        threads.sort_unstable();
        threads.dedup();
        view.threads = ThreadChoice::Only(threads);
    }
    view
}
