//! One profile as it is shown: read, seen through a view, its files mapped to the workspace. Immutable, shared by `Arc`.
//!
//! The server and the command line both go through here, so their numbers are the same.

use crate::session::broken_stacks::broken_stacks;
use crate::session::config::{Config, Inlines, glob_set};
use crate::session::debug_info::{NO_DEBUG_INFO, no_debug_info, shows_lines};
use crate::session::definitions::ParsedFiles;
use crate::session::libraries::Libraries;
use crate::session::originals::{Originals, Written, originals};
use crate::session::source_functions::{SourceFunction, unite};
use analysis::{CallTree, Costs, IdleSamples, LineCost, ThreadChoice, Unmatched, View};
use formats::{ErrorKind, Foreign, Format, Limits, Phase, ReadError};
use profile::{
    Cost, FileId, FuncId, FuncKey, FunctionId, Groups, MetricId, RawStacks, Recording, SourceId, Symbolicated, Total, Warning,
    at_call_sites,
};
use rustc_hash::FxHashMap;
use sources::{Mapping, Root, RootKind, SourceIndex};
use std::cmp::Ordering;
use std::fs::{File, Metadata};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// Bytes read between two looks at whether to stop.
const READ_AT_ONCE: usize = 32 << 20;

/// What tells one writing of a file from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    /// Length in bytes.
    pub len: u64,
    /// When it was written.
    pub modified: SystemTime,
    inode: u64,
}

impl Stamp {
    /// Of a path, through symlinks.
    pub fn of(path: &Path) -> io::Result<Self> {
        Ok(Self::from_metadata(&std::fs::metadata(path)?))
    }

    /// How long ago it was written; nothing if that lies ahead.
    pub fn age(&self) -> Duration {
        SystemTime::now().duration_since(self.modified).unwrap_or_default()
    }

    /// Of a file whose metadata are known.
    pub fn from_metadata(metadata: &Metadata) -> Self {
        #[cfg(unix)]
        let inode = std::os::unix::fs::MetadataExt::ino(metadata);
        #[cfg(not(unix))]
        let inode = 0;
        Self { len: metadata.len(), modified: metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH), inode }
    }
}

/// What a load is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Reading so many of so many bytes.
    Reading(u64, u64),
    /// Decompressing; so many bytes have come out.
    Inflating(u64),
    /// Decoding so many bytes.
    Decoding(u64),
    /// Finding the files of the workspace and summing.
    Summing,
    /// Finding the callers of stacks that were recorded as memory.
    Unwinding,
    /// Looking addresses up; so many of so many libraries are done.
    Resolving(usize, usize),
}

/// Why a profile could not be loaded. The message names the file.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The file could not be read at all.
    #[error("{}: {source}", path.display())]
    Io {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It is larger than the settings allow.
    #[error("{}: has {len} bytes, more than the limit of {limit} (setting `maxProfileBytes`)", path.display())]
    TooLarge {
        /// Which file.
        path: PathBuf,
        /// Its length.
        len: u64,
        /// The limit.
        limit: u64,
    },
    /// What it holds could not be understood.
    #[error("{}: {source}", path.display())]
    Read {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: ReadError,
    },
    /// It was to be one recording with another file, and is not.
    #[error("{}: is not one recording with {}: {why}", path.display(), first.display())]
    NotOne {
        /// Which file.
        path: PathBuf,
        /// The other file.
        first: PathBuf,
        /// Why.
        why: String,
    },
}

impl LoadError {
    /// What kind of failure it is, if the content is at fault.
    pub fn kind(&self) -> Option<ErrorKind> {
        match self {
            Self::Read { source, .. } => Some(source.kind),
            Self::Io { .. } | Self::TooLarge { .. } | Self::NotOne { .. } => None,
        }
    }

    /// The file at fault.
    pub fn path(&self) -> &Path {
        match self {
            Self::Io { path, .. } | Self::TooLarge { path, .. } | Self::Read { path, .. } | Self::NotOne { path, .. } => path,
        }
    }
}

/// One profile as it was read: a file, or the files of one run ([`crate::session::runs`]).
#[derive(Debug)]
pub struct Loaded {
    /// The file, the first of several.
    pub path: PathBuf,
    /// Which writing of it, the last of several files.
    pub stamp: Stamp,
    /// All of its files, each with its writing.
    pub files: Vec<(PathBuf, Stamp)>,
    /// Its format.
    pub format: Format,
    /// The version of the format, where the file states one.
    pub version: Option<String>,
    /// The program that wrote it, where that is known.
    pub producer: Option<String>,
    /// From the first to the last sample.
    pub span_seconds: Option<f64>,
    /// What it says.
    pub recording: Arc<Recording>,
    /// Stacks whose callers are still to be found ([`crate::session::libraries::unwound`]).
    pub raw_stacks: Option<RawStacks>,
    /// Oddities of the file.
    pub warnings: Vec<Warning>,
}

impl Loaded {
    /// Reads a file. `observe` hears what is being done and stops it by `Break`.
    pub fn read(path: &Path, max_bytes: u64, observe: &mut dyn FnMut(Step) -> ControlFlow<()>) -> Result<Self, LoadError> {
        let io = |source| LoadError::Io { path: path.to_owned(), source };
        let cancelled = || LoadError::Read { path: path.to_owned(), source: ReadError::cancelled() };

        let mut file = File::open(path).map_err(io)?;
        let metadata = file.metadata().map_err(io)?;
        if metadata.is_dir() {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if let Some(foreign) = Foreign::of_folder(&name) {
                return Err(LoadError::Read { path: path.to_owned(), source: ReadError::foreign(foreign) });
            }
            return Err(io(io::Error::new(io::ErrorKind::IsADirectory, "is a folder, expected a profile")));
        }
        let stamp = Stamp::from_metadata(&metadata);
        if stamp.len > max_bytes {
            return Err(LoadError::TooLarge { path: path.to_owned(), len: stamp.len, limit: max_bytes });
        }
        let bytes = read_file(&mut file, stamp.len, max_bytes, observe);
        let bytes = bytes.map_err(io)?.ok_or_else(cancelled)?;
        if bytes.len() as u64 > max_bytes {
            return Err(LoadError::TooLarge { path: path.to_owned(), len: bytes.len() as u64, limit: max_bytes });
        }

        let limits = Limits { max_inflated_bytes: max_bytes };
        let read = formats::read(bytes, limits, &mut |phase| match phase {
            Phase::Inflating(n) => observe(Step::Inflating(n)),
            Phase::Decoding(n) => observe(Step::Decoding(n)),
        });
        let read = read.map_err(|source| LoadError::Read { path: path.to_owned(), source })?;
        Ok(Self {
            path: path.to_owned(),
            stamp,
            files: vec![(path.to_owned(), stamp)],
            format: read.format,
            version: read.version,
            producer: read.producer,
            span_seconds: read.span_seconds,
            recording: Arc::new(read.recording),
            raw_stacks: read.raw_stacks,
            warnings: read.warnings.into_iter().collect(),
        })
    }
}

impl Loaded {
    /// What it is called: the name of its file, and how many more there are.
    pub fn name(&self) -> String {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        match self.files.len() {
            0 | 1 => name.into_owned(),
            2 => format!("{name} and 1 more file"),
            n => format!("{name} and {} more files", n - 1),
        }
    }
}

/// All of a file, at most a byte more than `max_bytes`; `None` if it was stopped. The file may grow or shrink meanwhile.
fn read_file(
    file: &mut File,
    len: u64,
    max_bytes: u64,
    observe: &mut dyn FnMut(Step) -> ControlFlow<()>,
) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = vec![0; usize::try_from(len).unwrap_or(0)];
    let mut n = 0;
    while n < bytes.len() {
        if observe(Step::Reading(n as u64, len)).is_break() {
            return Ok(None);
        }
        let end = bytes.len().min(n + READ_AT_ONCE);
        let read = read_block(file, &mut bytes[n..end], n as u64)?;
        n += read;
        if n < end {
            bytes.truncate(n);
        }
    }
    // What was appended meanwhile, up to the byte that shows that it is too much. All of it where the length says nothing (a
    // pipe), which cannot seek.
    if n > 0 {
        file.seek(SeekFrom::Start(n as u64))?;
    }
    file.take(max_bytes.saturating_add(1).saturating_sub(n as u64)).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

/// Fills `block` from `offset`, as far as the file goes; gives the number of bytes. A large block takes two threads: what takes
/// time is the copying.
#[cfg(unix)]
fn read_block(file: &File, block: &mut [u8], offset: u64) -> io::Result<usize> {
    use std::os::unix::fs::FileExt;
    let fill = |part: &mut [u8], offset: u64| {
        let mut n = 0;
        while n < part.len() {
            match file.read_at(&mut part[n..], offset + n as u64) {
                Ok(0) => break,
                Ok(read) => n += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(n)
    };
    if block.len() < READ_AT_ONCE / 8 {
        return fill(block, offset);
    }
    let (first, second) = block.split_at_mut(block.len() / 2);
    let middle = first.len();
    std::thread::scope(|scope| {
        let second = scope.spawn(|| fill(second, offset + middle as u64));
        let first = fill(first, offset)?;
        let second = second.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        Ok(if first < middle { first } else { middle + second })
    })
}

/// Fills `block` from `offset`, as far as the file goes; gives the number of bytes.
#[cfg(not(unix))]
fn read_block(mut file: &File, block: &mut [u8], offset: u64) -> io::Result<usize> {
    file.seek(SeekFrom::Start(offset))?;
    let mut n = 0;
    while n < block.len() {
        match file.read(&mut block[n..])? {
            0 => break,
            read => n += read,
        }
    }
    Ok(n)
}

/// A loaded profile under a view, mapped to the workspace.
#[derive(Debug)]
pub struct Snapshot {
    /// The file.
    pub loaded: Arc<Loaded>,
    /// How it is looked at.
    pub view: View,
    /// What it says, with addresses resolved and in the places of the text that was written: that of `loaded` unless there is
    /// debug info or source maps.
    pub recording: Arc<Recording>,
    /// The libraries whose addresses had no names.
    pub libraries: Libraries,
    /// What is one file and what is one function.
    pub groups: Arc<Groups>,
    /// All costs.
    pub costs: Costs,
    /// Callers and callees by path.
    pub tree: CallTree,
    /// Oddities of the file, of the view and of the mapping.
    pub warnings: Vec<Warning>,
    /// Names in the settings that the profile has nothing for; there is a warning of each.
    pub unmatched: Vec<Unmatched>,
    /// What became of each source.
    mappings: Vec<Mapping>,
    written: FxHashMap<FileId, Written>,
    /// The workspace file of each file.
    paths: Vec<Option<PathBuf>>,
    files: FxHashMap<PathBuf, FileId>,
    functions: FxHashMap<FuncKey, Vec<FunctionId>>,
    /// What addresses became: the physical function first, then what is inlined into it.
    became: FxHashMap<FuncKey, Vec<FunctionId>>,
    /// The functions whose definition in the text is known.
    source_functions: FxHashMap<FunctionId, SourceFunction>,
    /// Per file the functions with cost that are defined there, by line (1-based).
    defined: FxHashMap<FileId, Vec<(u32, FunctionId)>>,
}

/// What is one function.
#[derive(Debug, Clone, Copy)]
pub enum FunctionsAre<'a> {
    /// What the recording calls one: a name in a file and library.
    Recorded,
    /// All that belongs to one definition in the text, as far as texts are known.
    Defined(&'a ParsedFiles),
}

impl Snapshot {
    /// Sees `loaded` through the settings, with files looked up in `index` and addresses in `libraries`.
    pub fn new(
        loaded: Arc<Loaded>,
        config: &Config,
        index: &SourceIndex,
        libraries: Libraries,
        functions_are: FunctionsAre<'_>,
    ) -> Self {
        let (mut warnings, mut unmatched) = (loaded.warnings.clone(), Vec::new());
        let view = view(&loaded.recording, config, &mut warnings, &mut unmatched);
        if libraries.is_complete() {
            warnings.extend(libraries.warning(&loaded.recording));
        }
        let (recording, became) = match libraries.symbolicate(&loaded.recording) {
            Some(Symbolicated { profile, became }) => (Arc::new(profile.into()), became),
            None => (loaded.recording.clone(), FxHashMap::default()),
        };
        if libraries.is_complete() {
            warnings.extend(broken_stacks(&loaded, &recording));
        }

        let rules = config.rules();
        let map = |recording: &Recording| {
            let symbols = recording.symbols();
            let names = (0..symbols.sources.len() as u32).map(|source| symbols.source_name(SourceId::new(source)));
            sources::map_paths(names, index, &rules, loaded.path.parent())
        };
        let Originals { recording, mut mappings, written } = originals(&recording, map(&recording), index, map, &mut warnings);
        let executed = recording.clone();
        let recording = match config.inlines {
            Inlines::Body => recording,
            Inlines::CallSite => Arc::new(at_call_sites(&recording)),
        };
        let symbols = recording.symbols();
        exclude(&mut mappings, config, index);
        ambiguity_warning(&mappings, &mut warnings);

        // One file under several names is one group: by its path where it is known, else by its name.
        let groups = Groups::new(symbols, |source| match &mappings[source.index()] {
            Mapping::Mapped { path, .. } => Ok(path.clone()),
            Mapping::Ambiguous { .. } | Mapping::Unmapped(_) => Err(source),
        });
        let paths: Vec<_> = (0..groups.n_files() as u32)
            .map(|file| match &mappings[groups.first_source(FileId::new(file)).index()] {
                Mapping::Mapped { path, .. } => Some(path.clone()),
                Mapping::Ambiguous { .. } | Mapping::Unmapped(_) => None,
            })
            .collect();
        let files = paths.iter().zip(0..).filter_map(|(path, file)| Some((path.clone()?, FileId::new(file)))).collect();
        let (groups, source_functions) = match functions_are {
            FunctionsAre::Recorded => (groups, FxHashMap::default()),
            FunctionsAre::Defined(files) => unite(&executed, groups, &paths, files, &loaded.stamp),
        };
        let (recording, groups) = match analysis::reshape(&recording, &view, &groups) {
            Some(reshaped) => {
                warnings.extend(reshaped.warnings);
                unmatched.extend(reshaped.unmatched);
                (Arc::new(reshaped.recording), reshaped.groups)
            }
            None => (recording, groups),
        };
        let (symbols, groups) = (recording.symbols(), Arc::new(groups));
        let mut functions: FxHashMap<FuncKey, Vec<FunctionId>> = FxHashMap::default();
        for (func, function) in symbols.funcs.ids().map(|func| (func, groups.function(func))) {
            functions.entry(symbols.func_key(func)).or_default().push(function);
        }
        for known in functions.values_mut() {
            known.sort_unstable();
            known.dedup();
        }

        let function = |func: &FuncId| groups.function(*func);
        let became = became.into_iter().map(|(key, funcs)| (key, funcs.iter().map(function).collect())).collect();

        let written = written.into_iter().map(|(source, lines)| (groups.file(source), lines)).collect();
        let costs = analysis::costs(&recording, &view, &groups);
        let tree = CallTree::new(recording.clone(), view.clone(), groups.clone());
        let mut this = Self {
            loaded,
            view,
            recording,
            libraries,
            groups,
            costs,
            tree,
            warnings,
            unmatched,
            mappings,
            written,
            paths,
            files,
            functions,
            became,
            source_functions,
            defined: FxHashMap::default(),
        };
        let mut defined: FxHashMap<FileId, Vec<(u32, FunctionId)>> = FxHashMap::default();
        for (function, _) in this.costs.functions() {
            if let Some((file, line)) = this.definition(function).filter(|(file, _)| this.path_of(*file).is_some()) {
                defined.entry(file).or_default().push((line, function));
            }
        }
        for functions in defined.values_mut() {
            functions.sort_unstable();
        }
        this.defined = defined;
        if this.libraries.is_complete() && !shows_lines(&this) {
            let message = no_debug_info(&this);
            this.warnings.extend(message.map(|message| Warning { code: NO_DEBUG_INFO, message, count: 1 }));
        }
        this
    }

    /// How many samples the total is the weight of: the total of a metric that counts samples, or else the rows of the recording.
    /// `None` for a call graph.
    pub fn samples(&self) -> Option<f64> {
        let metrics = self.recording.metrics();
        let counting = metrics.iter().position(|metric| metric.name == "samples" || matches!(&*metric.unit, "samples" | "hits"));
        self.recording.sampled().map(|_| match counting {
            Some(metric) => {
                let view = View { metric: MetricId::new(metric as u32), ..self.view.clone() };
                let threads = self.costs.threads.iter().map(|thread| thread.thread);
                let totals = analysis::thread_totals(&self.recording, &view);
                threads.filter_map(|thread| totals.get(thread.index())).map(|thread| thread.total).sum()
            }
            None => self.costs.threads.iter().map(|thread| thread.samples as f64).sum(),
        })
    }

    /// The file that lies at `path` (canonical) in the workspace.
    pub fn file_at(&self, path: &Path) -> Option<FileId> {
        self.files.get(path).copied()
    }

    /// Where a file lies in the workspace, canonical.
    pub fn path_of(&self, file: FileId) -> Option<&Path> {
        self.paths.get(file.index())?.as_deref()
    }

    /// Every file name of the profile with what became of it.
    pub fn mappings(&self) -> impl Iterator<Item = (&str, FileId, &Mapping)> {
        let symbols = self.recording.symbols();
        self.mappings.iter().zip(0..).map(move |(mapping, source)| {
            let source = SourceId::new(source);
            (symbols.source_name(source), self.groups.file(source), mapping)
        })
    }

    /// Where lines of a file were written, if it was generated and a source map says so.
    pub fn written(&self, file: FileId) -> Option<&Written> {
        self.written.get(&file)
    }

    /// The name of a file, as the profile spells it first.
    pub fn file_name(&self, file: FileId) -> &str {
        self.recording.symbols().source_name(self.groups.first_source(file))
    }

    /// What the recording says of a function.
    pub fn function(&self, function: FunctionId) -> Function<'_> {
        let symbols = self.recording.symbols();
        let func = symbols.funcs.get(self.func(function));
        let defined = self.source_function(function);
        Function {
            name: defined.and_then(|defined| defined.name.as_deref()).unwrap_or_else(|| symbols.strings.get(func.name)),
            file: defined.map(|defined| defined.file).or_else(|| Some(self.groups.file(func.source?))),
            lib: func.lib.map(|lib| symbols.libs[lib.index()].name.as_str()),
            line: func.line,
            column: func.column,
        }
    }

    /// What identifies a function elsewhere and later: the key of one of its funcs.
    pub fn key(&self, function: FunctionId) -> FuncKey {
        self.recording.symbols().func_key(self.func(function))
    }

    /// The func that stands for a function.
    fn func(&self, function: FunctionId) -> FuncId {
        self.source_function(function).map_or_else(|| self.groups.first_func(function), |defined| defined.func)
    }

    /// What the text says of a function, where its definition is known.
    pub fn source_function(&self, function: FunctionId) -> Option<&SourceFunction> {
        self.source_functions.get(&function)
    }

    /// The functions that have a func with this key; several only where a name stands for several places of one file.
    pub fn find(&self, key: &FuncKey) -> &[FunctionId] {
        self.functions.get(key).map_or(&[], Vec::as_slice)
    }

    /// What an address of the recording became: the physical function first, then what is inlined into it; nothing if it still
    /// is one.
    pub fn became(&self, key: &FuncKey) -> &[FunctionId] {
        self.became.get(key).map_or(&[], Vec::as_slice)
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
        functions.sort_by(|a, b| hotter(a.1, b.1).then_with(|| self.function(a.0).name.cmp(self.function(b.0).name)));
        functions
    }

    /// Lines that cost anything, hottest first.
    pub fn hottest_lines(&self) -> Vec<LineCost> {
        let mut lines = self.costs.lines().to_vec();
        lines.sort_by(|a, b| hotter(a.cost, b.cost).then_with(|| (a.file, a.line).cmp(&(b.file, b.line))));
        lines
    }

    /// Where a function stands, 1-based: the line of its name in the text, else its start line, else its first line with cost.
    pub fn definition(&self, function: FunctionId) -> Option<(FileId, u32)> {
        if let Some(function) = self.source_function(function) {
            return Some((function.file, function.definition().name_line0 + 1));
        }
        let Function { file, line, .. } = self.function(function);
        match (file, line) {
            (Some(file), 1..) => Some((file, line)),
            _ => self.costs.first_line(function),
        }
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

/// What a recording says of a function.
#[derive(Debug, Clone, Copy)]
pub struct Function<'a> {
    /// Its name.
    pub name: &'a str,
    /// The file it is written in.
    pub file: Option<FileId>,
    /// The short name of its library.
    pub lib: Option<&'a str>,
    /// The line it starts at, 1-based; 0 = unknown.
    pub line: u32,
    /// The column it starts at, 1-based; 0 = unknown.
    pub column: u32,
}

/// The roots of an index: workspace folders and the user's source roots.
pub fn roots(workspace: &[PathBuf], config: &Config) -> Vec<Root> {
    let workspace = workspace.iter().map(|path| Root { path: path.clone(), kind: RootKind::Workspace });
    let sources = config.source_roots.iter().map(|path| Root { path: PathBuf::from(path), kind: RootKind::Sources });
    workspace.chain(sources).collect()
}

/// The settings' view of a recording. Names that it lacks fall back, with a warning.
fn view(recording: &Recording, config: &Config, warnings: &mut Vec<Warning>, unmatched: &mut Vec<Unmatched>) -> View {
    let (implementation, transforms) = (config.implementation.seen(), config.transforms.clone());
    let mut view = View { idle: IdleSamples::Apart, implementation, transforms, ..View::of(recording) };
    let mut fall_back = |nothing: Unmatched, instead: &str| {
        warnings.push(nothing.warning(instead));
        unmatched.push(nothing);
    };
    match config.metric.as_ref().map(|wanted| analysis::find_metric(recording, wanted)) {
        None => {}
        Some(Ok(metric)) => view.metric = metric,
        Some(Err(nothing)) => {
            let default = recording.metrics().get(view.metric.index()).map_or("", |metric| metric.name.as_str());
            fall_back(nothing, &format!("showing `{default}`"));
        }
    }
    let (mut threads, mut missing) = (Vec::new(), Vec::new());
    for wanted in &config.threads {
        match analysis::find_threads(recording, wanted) {
            Ok(found) => threads.extend(found),
            Err(nothing) => missing.push(nothing),
        }
    }
    let instead = if threads.is_empty() { "showing all of them" } else { "showing the others that were chosen" };
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

/// Takes mapped files that the user excluded out again.
fn exclude(mappings: &mut [Mapping], config: &Config, index: &SourceIndex) {
    if config.exclude.is_empty() {
        return;
    }
    let excluded = glob_set(config.exclude.iter().map(String::as_str));
    for mapping in mappings {
        let Mapping::Mapped { path, .. } = mapping else { continue };
        let relative = index.roots().iter().find_map(|root| path.strip_prefix(&root.path).ok());
        if relative.is_some_and(|relative| excluded.is_match(relative)) {
            *mapping = Mapping::Unmapped(sources::Reason::NoFile);
        }
    }
}

fn ambiguity_warning(mappings: &[Mapping], warnings: &mut Vec<Warning>) {
    let mut ambiguous = mappings.iter().filter_map(|mapping| match mapping {
        Mapping::Ambiguous { candidates } => Some(candidates),
        Mapping::Mapped { .. } | Mapping::Unmapped(_) => None,
    });
    if let Some(first) = ambiguous.next() {
        let candidates: Vec<_> = first.iter().take(4).map(|path| path.display().to_string()).collect();
        let message = format!(
            "several files could be meant by one name ({}); no costs are shown there: a path mapping can decide",
            candidates.join(", ")
        );
        warnings.push(Warning { code: "ambiguous-file", message, count: 1 + ambiguous.count() as u64 });
    }
}
