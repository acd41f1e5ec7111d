//! The fourth stage: which file names are one file, which funcs are one function, and what the view
//! leaves of the stacks. Grouping comes before summing: a sum of sums would count samples twice.

use crate::definitions::ParsedFiles;
use crate::settings::{Inlines, ViewSettings};
use crate::source_functions::{SourceFunction, group_by_definition};
use crate::source_maps::Written;
use crate::stages::source_mapped::SourceMapped;
use crate::stages::symbolicated::Symbolicated;
use crate::stamp::Stamp;
use analysis::{
    Costs, FileId, FuncId, FuncKey, FunctionId, Groups, IdleSamples, Recording, SymbolTables,
    ThreadChoice, Unmatched, View, Warning, at_call_sites,
};
use rustc_hash::FxHashMap;
use sources::Mapping;
use std::path::PathBuf;
use std::sync::Arc;

/// A recording under a view, with its files and functions.
#[derive(Debug)]
pub struct Grouped {
    /// The view.
    pub view: View,
    /// The recording after inlining and transforms.
    pub recording: Arc<Recording>,
    /// What is one file and what is one function.
    pub groups: Arc<Groups>,
    /// The functions whose definition in the text is known.
    pub source_functions: FxHashMap<FunctionId, SourceFunction>,
    /// The workspace file of each file.
    pub paths: Vec<Option<PathBuf>>,
    /// The same the other way round.
    pub files: FxHashMap<PathBuf, FileId>,
    /// The functions that have a func with a key.
    pub functions: FxHashMap<FuncKey, Vec<FunctionId>>,
    /// The functions that each address was resolved to: the physical function first, then what is
    /// inlined into it.
    pub resolved: FxHashMap<FuncKey, Vec<FunctionId>>,
    /// Of each generated file, where its lines were written.
    pub generated: FxHashMap<FileId, Written>,
    /// Names in the settings that the profile has nothing for; there is a warning of each.
    pub unmatched: Vec<Unmatched>,
    /// What the settings asked for and the profile lacks.
    pub warnings: Vec<Warning>,
}

impl Grouped {
    /// Groups the files and functions of `mapped` by the definitions in `files`, which ran before
    /// `profile` was written, and applies the view.
    pub fn new(
        symbolicated: &Symbolicated,
        mapped: &SourceMapped,
        settings: &ViewSettings,
        files: &ParsedFiles,
        profile: &Stamp,
    ) -> Self {
        let (mut warnings, mut unmatched) = (Vec::new(), Vec::new());
        let view = view(&mapped.recording, settings, &mut warnings, &mut unmatched);
        let by_file = file_groups(mapped);
        let paths = paths(&by_file, mapped);
        // Before inlined frames are moved: they tell which lines a function executes.
        let (by_function, source_functions) =
            group_by_definition(&mapped.recording, by_file, &paths, files, profile);
        let inlined = match settings.inlines {
            Inlines::Body => mapped.recording.clone(),
            Inlines::CallSite => Arc::new(at_call_sites(&mapped.recording)),
        };
        let (recording, groups) = match analysis::reshape(&inlined, &view, &by_function) {
            Some(reshaped) => {
                warnings.extend(reshaped.warnings);
                unmatched.extend(reshaped.unmatched);
                (Arc::new(reshaped.recording), reshaped.groups)
            }
            None => (inlined, by_function),
        };
        let files = paths.iter().zip(0..);
        let files = files.filter_map(|(path, file)| Some((path.clone()?, FileId::new(file))));
        Self {
            files: files.collect(),
            functions: functions_by_key(recording.symbols(), &groups),
            resolved: symbolicated
                .resolved
                .iter()
                .map(|(key, funcs)| {
                    (key.clone(), funcs.iter().map(|&func| groups.function(func)).collect())
                })
                .collect(),
            generated: mapped
                .generated
                .iter()
                .map(|(&source, lines)| (groups.file(source), lines.clone()))
                .collect(),
            view,
            recording,
            groups: Arc::new(groups),
            source_functions,
            paths,
            unmatched,
            warnings,
        }
    }

    /// What the recording, or the text where the definition is known, says of a function.
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

    /// What the recording says of a func.
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

    /// The func that stands for a function.
    pub fn func(&self, function: FunctionId) -> FuncId {
        let defined = self.source_functions.get(&function).map(|defined| defined.func);
        defined.unwrap_or_else(|| self.groups.first_func(function))
    }

    /// The line that a function starts on, 1-based: that of its name in the text, else the one that
    /// the recording states.
    pub fn start_line(&self, function: FunctionId) -> Option<u32> {
        match self.source_functions.get(&function) {
            Some(defined) => Some(defined.definition().name_line0 + 1),
            None => Some(self.function(function).line).filter(|&line| line != 0),
        }
    }

    /// Where a function is defined, 1-based: the line that it starts on, else its first line with
    /// cost.
    pub fn definition(&self, function: FunctionId, costs: &Costs) -> Option<(FileId, u32)> {
        let start = self.function(function).file.zip(self.start_line(function));
        start.or_else(|| costs.first_line(function))
    }
}

/// What is known of a function.
#[derive(Debug, Clone, Copy)]
pub struct Function<'a> {
    /// Its name.
    pub name: &'a str,
    /// The file it is defined in.
    pub file: Option<FileId>,
    /// The short name of its library.
    pub lib: Option<&'a str>,
    /// The line it starts at, 1-based; 0 = unknown.
    pub line: u32,
    /// The column it starts at, 1-based; 0 = unknown.
    pub column: u32,
}

/// Files by their path where it is known, else by their name.
fn file_groups(mapped: &SourceMapped) -> Groups {
    Groups::new(mapped.recording.symbols(), |source| match &mapped.mappings[source.index()] {
        Mapping::Mapped { path, .. } => Ok(path.clone()),
        Mapping::Ambiguous { .. } | Mapping::Unmapped(_) => Err(source),
    })
}

/// The workspace file of each file.
fn paths(groups: &Groups, mapped: &SourceMapped) -> Vec<Option<PathBuf>> {
    let sources = (0..groups.n_files() as u32).map(|file| groups.first_source(FileId::new(file)));
    sources
        .map(|source| match &mapped.mappings[source.index()] {
            Mapping::Mapped { path, .. } => Some(path.clone()),
            Mapping::Ambiguous { .. } | Mapping::Unmapped(_) => None,
        })
        .collect()
}

fn functions_by_key(
    symbols: &SymbolTables,
    groups: &Groups,
) -> FxHashMap<FuncKey, Vec<FunctionId>> {
    let mut functions: FxHashMap<FuncKey, Vec<FunctionId>> = FxHashMap::default();
    for func in symbols.funcs.ids() {
        functions.entry(symbols.func_key(func)).or_default().push(groups.function(func));
    }
    for same in functions.values_mut() {
        same.sort_unstable();
        same.dedup();
    }
    functions
}

/// The settings' view of a recording. Names that it lacks fall back, with a warning.
fn view(
    recording: &Recording,
    settings: &ViewSettings,
    warnings: &mut Vec<Warning>,
    unmatched: &mut Vec<Unmatched>,
) -> View {
    let (implementation, transforms) =
        (settings.implementation.filter(), settings.transforms.clone());
    let mut view =
        View { idle: IdleSamples::Excluded, implementation, transforms, ..View::of(recording) };
    let mut fall_back = |nothing: Unmatched, instead: &str| {
        warnings.push(nothing.warning(instead));
        unmatched.push(nothing);
    };
    match settings.metric.as_ref().map(|wanted| analysis::find_metric(recording, wanted)) {
        None => {}
        Some(Ok(metric)) => view.metric = metric,
        Some(Err(nothing)) => {
            let default = recording
                .metrics()
                .get(view.metric.index())
                .map_or("", |metric| metric.name.as_str());
            fall_back(nothing, &format!("showing `{default}`"));
        }
    }
    let (mut threads, mut missing) = (Vec::new(), Vec::new());
    for wanted in &settings.threads {
        match analysis::find_threads(recording, wanted) {
            Ok(found) => threads.extend(found),
            Err(nothing) => missing.push(nothing),
        }
    }
    let instead = if threads.is_empty() {
        "showing all of them"
    } else {
        "showing the others that were chosen"
    };
    for nothing in missing {
        fall_back(nothing, instead);
    }
    if !threads.is_empty() {
        threads.sort_unstable();
        threads.dedup();
        view.threads = ThreadChoice::Only(threads);
    }
    view
}
