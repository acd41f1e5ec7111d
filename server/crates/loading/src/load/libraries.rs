//! The libraries of a recording with unresolved addresses, and the symbols found for them.
//!
//! This decides where to search, and warns about what was not found. `symbols` reads the files.
//! Snapshots contain an immutable list; the loader resolves a copy of it.

use crate::discovery::companions;
use crate::discovery::stamp::{SLACK, Stamp};
use crate::load::helper;
use crate::load::helper::{GivenPlaces, Request};
use crate::load::loaded::Loaded;
use crate::load::memory;
use crate::settings::{CostSettings, Generics, Symbols};
use analysis::{
    Level, Lib, LibId, Profile, RawStacks, Recording, Symbolicated, Warning, WarningCode,
    with_interrupted,
};
use formats::{Generated, generated};
use rustc_hash::FxHashMap;
use sources::{Rule, SourceIndex, is_network_path, regular_file};
use std::cell::Cell;
use std::env;
use std::io::Read;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};
use symbols::{
    Cache, KernelFiles, LibStatus, LibSymbols, Md5, PerfMap, Search, Sidecar, Unresolved,
    is_interrupt, is_kernel,
};

/// The smallest share of samples that a library without lines must have for a warning.
const MIN_SHARE: f64 = 0.01;
/// [`Libraries::resolve_within`] may take the usable memory divided by this.
const SHARE: u64 = 8;
/// Larger sidecar files and perf maps are not read.
const MAX_BYTES: u64 = 256 << 20;

/// A library of a recording.
#[derive(Debug, Clone)]
pub struct Library {
    /// The addresses to resolve.
    pub unresolved: Arc<Unresolved>,
    /// The symbols of the library. `None` until it was searched.
    pub symbols: Option<Arc<LibSymbols>>,
    /// Whether the search is done, or there is no file to search.
    is_done: bool,
}

impl Library {
    /// The library's short name.
    pub fn name<'r>(&self, recording: &'r Recording) -> &'r str {
        recording.symbols().libs.get(self.unresolved.lib.index()).map_or("", |lib| &lib.name)
    }
}

/// All libraries of a recording with unresolved addresses, hottest first.
#[derive(Debug, Clone, Default)]
pub struct Libraries {
    list: Vec<Library>,
    /// The index of the first library that is not done.
    next: usize,
    generics: Generics,
}

/// Where to search libraries.
#[derive(Debug)]
pub struct Places {
    roots: Vec<PathBuf>,
    rules: Vec<Rule>,
    paths: Vec<PathBuf>,
    kernel: KernelFiles,
    /// Whether a trial has shown that there is enough memory for all libraries of the profile.
    /// `None` before it.
    is_tried: Cell<Option<bool>>,
    /// A search may take the usable memory divided by this.
    share: u64,
}

impl From<GivenPlaces> for Places {
    fn from(given: GivenPlaces) -> Self {
        let GivenPlaces { roots, rules, paths } = given;
        let rules = rules.into_iter().map(|(from, to)| Rule { from, to }).collect();
        let kernel = KernelFiles::of_this_machine(env::home_dir().as_deref());
        Self { roots, rules, paths, kernel, is_tried: Cell::new(None), share: 1 }
    }
}

impl Places {
    /// The places that the settings and the roots of `index` state.
    pub fn new(settings: &CostSettings, index: &SourceIndex) -> Self {
        // `candidates` compares canonical paths, because symbolic links may lead out of a root.
        let real = |path: &PathBuf| path.canonicalize().unwrap_or_else(|_| path.clone());
        let roots: Vec<PathBuf> = index.roots().iter().map(|root| real(&root.path)).collect();
        let home = env::home_dir();
        Self {
            rules: settings.sources.rules(index.roots(), home.as_deref()),
            paths: settings.symbols.places(index.roots(), home.as_deref()),
            roots,
            kernel: KernelFiles::of_this_machine(home.as_deref()),
            is_tried: Cell::new(None),
            share: 1,
        }
    }

    /// Whether another process managed to read the libraries of a profile with the memory that this
    /// process may take. Tried once. Breaks if `observe` does.
    fn succeed_elsewhere(
        &self,
        loaded: &Loaded,
        observe: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> ControlFlow<(), bool> {
        if let Some(known) = self.is_tried.get() {
            return ControlFlow::Continue(known);
        }
        let rules = self.rules.iter().map(|rule| (rule.from.clone(), rule.to.clone()));
        let places = GivenPlaces {
            roots: self.roots.clone(),
            rules: rules.collect(),
            paths: self.paths.clone(),
        };
        let files = loaded.files.iter().map(|(path, _)| path.clone()).collect();
        let request = Request { files, max_bytes: u64::MAX, libraries: Some(places) };
        let succeeded = helper::succeeds(&request, observe)?;
        self.is_tried.set(Some(succeeded));
        ControlFlow::Continue(succeeded)
    }

    /// Calls `use_search` with the search options for one profile.
    fn with_search<T>(&self, loaded: &Loaded, use_search: impl FnOnce(&Search<'_>) -> T) -> T {
        let candidates = |recorded: &str| self.candidates(recorded);
        let folder = loaded.path.parent().unwrap_or(Path::new(""));
        let programs = || sources::programs(&self.roots, folder);
        let profile_modified = Some(loaded.stamp.modified + SLACK);
        let available = memory::available().filter(|_| self.is_tried.get() != Some(true));
        let memory =
            Cell::new(available.map_or(u64::MAX, |bytes| memory::usable(bytes) / self.share));
        use_search(&Search {
            candidates: &candidates,
            programs: &programs,
            paths: &self.paths,
            profile_modified,
            kernel: &self.kernel,
            memory: &memory,
            is_network_path,
        })
    }

    /// The paths to try for a library that was recorded at a path: that path, and paths in the
    /// roots.
    fn candidates(&self, recorded: &str) -> Vec<PathBuf> {
        let is_inside = |path: &PathBuf| {
            let real = path.canonicalize().ok();
            real.is_some_and(|real| self.roots.iter().any(|root| real.starts_with(root)))
        };
        let mut paths = sources::library_paths(recorded, &self.roots, &self.rules);
        paths.retain(|path| path == Path::new(recorded) || is_inside(path));
        paths
    }
}

impl Libraries {
    /// The libraries of a recording, with the symbols in `cache`. Opens no file.
    pub fn of(recording: &Recording, settings: &Symbols, cache: &Cache) -> Self {
        if !settings.enable {
            return Self::default();
        }
        let libs = &recording.symbols().libs;
        let list = symbols::unresolved(recording).into_iter().map(|unresolved| {
            let lib = libs.get(unresolved.lib.index());
            let cached = lib.and_then(|lib| cache.get(lib));
            // Incomplete symbols are searched again: a missing file may exist now, or the settings
            // may have changed.
            let is_cached = cached.as_ref().is_some_and(|symbols| {
                symbols.is_complete()
                    && unresolved.addresses.iter().all(|&address| symbols.is_looked_up(address))
            });
            // Names in brackets are memory that no file has the code of, except for the kernel.
            let has_file = lib.is_some_and(|lib| !lib.name.starts_with('[') || is_kernel(lib));
            let is_done = is_cached || !has_file;
            Library { unresolved: Arc::new(unresolved), symbols: cached, is_done }
        });
        let mut this = Self { list: list.collect(), next: 0, generics: settings.generics };
        this.skip_done();
        this
    }

    fn skip_done(&mut self) {
        self.next += self.list.iter().skip(self.next).take_while(|library| library.is_done).count();
    }

    /// All libraries, hottest first.
    pub fn all(&self) -> &[Library] {
        &self.list
    }

    /// Whether all libraries are done.
    pub fn is_complete(&self) -> bool {
        self.next == self.list.len()
    }

    /// The number of libraries that are done, and of all libraries.
    pub fn progress(&self) -> (usize, usize) {
        (self.next, self.list.len())
    }

    /// Searches the hottest library that is not done. `observe` is called with [`Self::progress`]
    /// and cancels the search if it returns `Break`.
    pub fn resolve_next(
        &mut self,
        loaded: &Loaded,
        places: &Places,
        sidecar: Option<&Sidecar>,
        cache: &Cache,
        observe: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let (done, n) = self.progress();
        observe(done, n)?;
        let Some(library) = self.list.get_mut(done) else { return ControlFlow::Continue(()) };
        if let Some(lib) = loaded.recording.symbols().libs.get(library.unresolved.lib.index()) {
            let mut flow = ControlFlow::Continue(());
            let mut observe = || {
                flow = observe(done, n);
                flow
            };
            let unresolved = &library.unresolved;
            let search = |observe: &mut dyn FnMut() -> ControlFlow<()>| {
                places.with_search(loaded, |search| {
                    let observe = &mut |_, _| observe();
                    cache.resolve(lib, &unresolved.addresses, search, sidecar, observe)
                })
            };
            let mut symbols = match from_perf_map(lib, unresolved, loaded) {
                Some(symbols) => Arc::new(symbols),
                None => search(&mut observe),
            };
            let needs_memory = matches!(symbols.status(), LibStatus::NoMemory { .. });
            if needs_memory && places.share > 1 {
                return ControlFlow::Break(());
            }
            if needs_memory && places.succeed_elsewhere(loaded, &mut observe)? {
                symbols = search(&mut observe);
            }
            flow?;
            library.symbols = Some(symbols);
        }
        library.is_done = true;
        self.skip_done();
        ControlFlow::Continue(())
    }

    /// Searches libraries, hottest first, until `patience` has passed or one needs much memory. The
    /// search has a thread of its own, because a disk that does not answer blocks it for good. Such a
    /// thread may still read a library when [`Self::resolve_next`] reads it again.
    #[must_use]
    pub fn resolve_within(
        self,
        patience: Duration,
        loaded: Arc<Loaded>,
        places: Places,
        cache: Arc<Cache>,
    ) -> Self {
        let deadline = Instant::now() + patience;
        let places = Places { share: SHARE, ..places };
        let (sender, results) = channel();
        let mut searched = self.clone();
        let search = move || {
            let sidecar = sidecar(&loaded.path);
            let mut until_deadline = |_, _| {
                let is_time_left = Instant::now() < deadline;
                if is_time_left { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            };
            while !searched.is_complete()
                && searched
                    .resolve_next(&loaded, &places, sidecar.as_ref(), &cache, &mut until_deadline)
                    .is_continue()
                && sender.send(searched.clone()).is_ok()
            {}
        };
        let mut found = self;
        if thread::Builder::new().name("libraries".to_owned()).spawn(search).is_err() {
            return found;
        }
        let left = || deadline.saturating_duration_since(Instant::now());
        while let Ok(more) = results.recv_timeout(left()) {
            found = more;
        }
        found
    }

    /// Searches all libraries that are not done.
    #[must_use]
    pub fn resolve_all(mut self, loaded: &Loaded, places: &Places, cache: &Cache) -> Self {
        let sidecar = sidecar(&loaded.path);
        while !self.is_complete() {
            let _ = self.resolve_next(loaded, places, sidecar.as_ref(), cache, &mut |_, _| {
                ControlFlow::Continue(())
            });
        }
        self
    }

    /// The recording with the symbols found so far. `None` if they resolve nothing.
    pub fn symbolicate(&self, recording: &Recording) -> Option<Symbolicated> {
        let found: FxHashMap<LibId, &LibSymbols> = self
            .list
            .iter()
            .filter_map(|library| Some((library.unresolved.lib, library.symbols.as_deref()?)))
            .collect();
        if found.is_empty() {
            return None;
        }
        symbols::symbolicate(recording, |lib| found.get(&lib).copied(), self.generics.into())
    }

    /// The checksums of source files in debug info, by file name. If two libraries have different
    /// checksums of a file, the file has none.
    pub fn checksums(&self) -> FxHashMap<&str, Md5> {
        let symbols = self.list.iter().filter_map(|library| library.symbols.as_deref());
        let mut found: FxHashMap<&str, Option<Md5>> = FxHashMap::default();
        for (file, md5) in symbols.flat_map(LibSymbols::checksums) {
            let known = found.entry(file).or_insert(Some(md5));
            *known = known.filter(|known| *known == md5);
        }
        found.into_iter().filter_map(|(file, md5)| Some((file, md5?))).collect()
    }

    /// A warning about libraries whose functions have no lines. It names the hottest library and
    /// counts the others.
    pub fn warning(&self, recording: &Recording) -> Option<Warning> {
        // System libraries have names but rarely lines, which users do not need.
        let problem = |library: &Library| match library.symbols.as_ref()?.status() {
            LibStatus::DebugInfo { .. }
            | LibStatus::NamesOnly { .. }
            | LibStatus::PerfMap { .. }
            | LibStatus::Kernel { .. }
            | LibStatus::NoKernel { .. } => None,
            status => Some(status.message(library.name(recording))),
        };
        let mut problems = self.hot(recording).filter_map(problem);
        let (first, n_more) = (problems.next()?, problems.count());
        let more = match n_more {
            0 => String::new(),
            1 => "; one more library has no lines (`costline check` lists both)".to_owned(),
            n => format!("; {n} more libraries have no lines (`costline check` lists them)"),
        };
        Some(Warning {
            code: WarningCode::Unsymbolicated,
            message: format!("functions without lines: {first}{more}"),
            count: 1,
        })
    }

    /// A warning about the hottest library that lacks files with split debug info.
    pub fn incomplete_warning(&self, recording: &Recording) -> Option<Warning> {
        let problem = |library: &Library| match library.symbols.as_ref()?.status() {
            status @ LibStatus::DebugInfo { missing, .. } if !missing.is_empty() => {
                Some(status.message(library.name(recording)))
            }
            _ => None,
        };
        let message = self.hot(recording).find_map(problem)?;
        Some(Warning { code: WarningCode::MissingDebugInfo, message, count: 1 })
    }

    /// The libraries that are not rare on stacks, hottest first.
    fn hot(&self, recording: &Recording) -> impl Iterator<Item = &Library> {
        let min_samples = MIN_SHARE * recording.n_samples() as f64;
        let is_hot = move |library: &&Library| library.unresolved.n_samples as f64 >= min_samples;
        self.list.iter().filter(is_hot)
    }
}

/// The recorded path of a perf map. The path is untrusted: it must not lead to another machine, or to
/// a file with another name.
fn recorded_perf_map(lib: &Lib) -> Option<PathBuf> {
    let path = (!is_network_path(&lib.path)).then(|| PathBuf::from(&lib.path))?;
    path.ends_with(&lib.name).then_some(path)
}

/// The process of `perf-PID.map`, as perf names the code that a runtime compiles.
pub fn pid_of_perf_map(name: &str) -> Option<&str> {
    name.strip_prefix("perf-")?.strip_suffix(".map")
}

/// The names of code that a runtime compiled, from its perf map. That is `perf-PID.map` beside the
/// profile, or at the recorded path (in `/tmp`) if it was not changed since.
fn from_perf_map(lib: &Lib, unresolved: &Unresolved, loaded: &Loaded) -> Option<LibSymbols> {
    let pid = pid_of_perf_map(&lib.name)?;
    if !pid.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let beside = loaded.path.with_file_name(&lib.name);
    let is_old = |path: &PathBuf| {
        Stamp::of(path).is_ok_and(|stamp| stamp.modified <= loaded.stamp.modified + SLACK)
    };
    let recorded = recorded_perf_map(lib).filter(|path| path.is_file() && is_old(path));
    let path = Some(beside).filter(|path| path.is_file()).or(recorded)?;
    let text = read_bounded(&path)?;
    let text = String::from_utf8_lossy(&text);
    let map = PerfMap::parse(&text);
    let functions = unresolved
        .addresses
        .iter()
        .map(|&address| (address, map.name(address), map.name(address).and_then(generated)));
    let functions: Vec<_> = functions.collect();
    let levels = functions.iter().map(|(address, symbol, place)| {
        let level = match (symbol, place) {
            (_, Some(Generated { name, file, line, tier, .. })) => {
                let file = Some(&**file).filter(|file| !file.is_empty());
                let declared = file.map(|file| (file, *line));
                Some(Level { file, declared, tier: *tier, ..Level::named(name) })
            }
            (Some(name), None) => Some(Level::named(name)),
            (None, None) => None,
        };
        (*address, level)
    });
    Some(LibSymbols::from_functions(LibStatus::PerfMap { path: path.clone() }, levels))
}

/// Unwinds the copied stacks of a profile, if its programs and libraries are found. Also
/// marks the frames that the kernel interrupted, if the kernel's functions are known.
#[must_use]
pub fn unwound(mut loaded: Loaded, settings: &Symbols, places: &Places, cache: &Cache) -> Loaded {
    let Some(raw) = loaded.raw_stacks.take() else { return loaded };
    if settings.enable
        && let Some(profile) = interrupted(&loaded, &raw, places, cache)
    {
        loaded.recording = Arc::new(profile.into());
    }
    let Some(profile) = loaded.recording.sampled().filter(|_| !raw.stacks.is_empty()) else {
        return loaded;
    };
    if !settings.enable {
        let why = "unwinding needs the programs, but the setting `symbols.enable` is off";
        loaded.warnings.push(no_callers(why, &raw));
        return loaded;
    }
    let needs_memory = Cell::new(false);
    let unwind = |search: &Search<'_>| {
        symbols::unwind(profile, &raw, &mut |lib| {
            let found = search.binary(lib);
            needs_memory
                .set(needs_memory.get() || matches!(found, Err(LibStatus::NoMemory { .. })));
            found.map(|(_, bytes)| bytes)
        })
    };
    // The library that reads unwind tables may panic on malformed ones.
    let unwind = || catch_unwind(AssertUnwindSafe(|| places.with_search(&loaded, unwind)));
    let mut unwound = unwind();
    let mut go_on = || ControlFlow::Continue(());
    if needs_memory.get()
        && places.succeed_elsewhere(&loaded, &mut go_on) == ControlFlow::Continue(true)
    {
        unwound = unwind();
    }
    let Ok(unwound) = unwound else {
        let why = "the unwind tables of a program or library are malformed";
        loaded.warnings.push(no_callers(why, &raw));
        return loaded;
    };
    loaded.warnings.extend(unwound.warning(profile));
    if let Some(profile) = unwound.profile {
        loaded.recording = Arc::new(profile.into());
    }
    loaded
}

/// A warning that the stacks have only their leaf frames.
fn no_callers(why: &str, raw: &RawStacks) -> Warning {
    Warning {
        code: WarningCode::CutStacks,
        message: format!("callers of samples are unknown: {why}"),
        count: raw.stacks.len() as u64,
    }
}

/// The recording in which frames that the kernel interrupted are not treated as callers: their
/// addresses are looked up as they are. `None` if nothing changes.
fn interrupted(
    loaded: &Loaded,
    raw: &RawStacks,
    places: &Places,
    cache: &Cache,
) -> Option<Profile> {
    let profile = loaded.recording.sampled()?;
    let mut by_lib: FxHashMap<LibId, Vec<u64>> = FxHashMap::default();
    for (lib, address) in raw.entry_addresses(profile) {
        by_lib.entry(lib).or_default().push(address);
    }
    let libs = &profile.symbols().libs;
    let mut kernels: FxHashMap<LibId, Arc<LibSymbols>> = FxHashMap::default();
    for (id, addresses) in by_lib {
        let Some(lib) = libs.get(id.index()).filter(|lib| is_kernel(lib)) else { continue };
        let symbols = places.with_search(loaded, |search| {
            cache.resolve(lib, &addresses, search, None, &mut |_, _| ControlFlow::Continue(()))
        });
        kernels.insert(id, symbols);
    }
    with_interrupted(profile, raw, |lib, address| {
        let function = kernels
            .get(&lib)
            .and_then(|kernel| kernel.levels(address, symbols::Generics::Keep).next());
        function.is_some_and(|function| is_interrupt(function.name))
    })
}

/// The symbols that samply 0.13 writes beside a profile with `--unstable-presymbolicate`.
pub fn sidecar(profile: &Path) -> Option<Sidecar> {
    Sidecar::parse(&read_bounded(&profile.with_extension(companions::SYMBOLS))?).ok()
}

/// The bytes of a regular file that is not too large.
fn read_bounded(path: &Path) -> Option<Vec<u8>> {
    let (file, metadata) = regular_file::open(path).ok()?;
    let len = metadata.len();
    let mut bytes = Vec::new();
    // Files in `/proc` and `/sys` state a length of 0 and may never end.
    (len <= MAX_BYTES).then(|| file.take(len).read_to_end(&mut bytes).ok())??;
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sources::Limits;

    #[cfg(unix)]
    #[test]
    fn no_link_leads_to_libraries_out_of_a_root() {
        let [root, outside] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        std::fs::write(outside.path().join("app"), "").unwrap();
        std::os::unix::fs::symlink(outside.path(), root.path().join("bin")).unwrap();
        std::fs::write(root.path().join("app"), "").unwrap();
        let places = GivenPlaces {
            roots: vec![root.path().canonicalize().unwrap()],
            rules: Vec::new(),
            paths: Vec::new(),
        };
        let root = places.roots[0].clone();
        let found = Places::from(places).candidates("/srv/bin/app");
        assert_eq!(found, [PathBuf::from("/srv/bin/app"), root.join("app")]);
    }

    #[test]
    fn a_perf_map_is_not_read_from_another_machine_or_by_another_name() {
        let map = |path: &str| {
            let lib = Lib { name: "perf-1.map".into(), path: path.into(), ..Lib::default() };
            recorded_perf_map(&lib).is_some()
        };
        assert!(map("/tmp/perf-1.map"));
        assert!(!map(r"\\host\share/perf-1.map"));
        assert!(!map("/etc/passwd"));
    }

    /// A profile with addresses in three libraries.
    fn addresses() -> Loaded {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../../fixtures/profiles/samply/rust-wordstat/profile.json.gz");
        Loaded::read(&path, u64::MAX, &mut |_| ControlFlow::Continue(())).unwrap()
    }

    #[test]
    fn missing_files_with_debug_info_are_warned_of() {
        let loaded = addresses();
        let settings = CostSettings::default().symbols;
        let mut libraries = Libraries::of(&loaded.recording, &settings, &Cache::default());
        let missing = vec![PathBuf::from("app.dwo")];
        let status = LibStatus::DebugInfo { path: "app".into(), id: None, missing };
        let symbols = LibSymbols::from_functions(status, std::iter::empty());
        libraries.list[0].symbols = Some(Arc::new(symbols));
        let warning = libraries.incomplete_warning(&loaded.recording).unwrap();
        assert_eq!(warning.code, WarningCode::MissingDebugInfo);
        assert!(warning.message.contains("app.dwo"), "{}", warning.message);
        assert!(libraries.warning(&loaded.recording).is_none());
    }

    #[test]
    fn libraries_are_searched_for_as_long_as_allowed() {
        let (loaded, settings) = (Arc::new(addresses()), CostSettings::default());
        let searched = |patience| {
            let cache = Arc::new(Cache::default());
            let places = Places::new(&settings, &SourceIndex::build(Vec::new(), Limits::default()));
            let libraries = Libraries::of(&loaded.recording, &settings.symbols, &cache);
            libraries.resolve_within(patience, loaded.clone(), places, cache).progress()
        };
        assert_eq!(searched(Duration::from_secs(60)), (3, 3));
        assert_eq!(searched(Duration::ZERO), (0, 3));
    }

    /// Only Linux tells how much memory there is.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_search_before_the_first_snapshot_has_its_own_share_of_the_memory() {
        let loaded = Arc::new(addresses());
        let (settings, cache) = (CostSettings::default(), Arc::new(Cache::default()));
        // With this share nothing could be read.
        let places = Places { share: u64::MAX, ..places_beside(&loaded) };
        let libraries = Libraries::of(&loaded.recording, &settings.symbols, &cache);
        let found = libraries.resolve_within(Duration::from_secs(60), loaded, places, cache);
        assert_eq!(found.progress(), (3, 3));
    }

    #[test]
    fn paths_of_other_machines_are_not_opened_as_debug_info() {
        let places = Places::new(
            &CostSettings::default(),
            &SourceIndex::build(Vec::new(), Limits::default()),
        );
        places.with_search(&addresses(), |search| {
            assert!((search.is_network_path)(r"\\server\share\app.pdb"));
            assert!(!(search.is_network_path)("/srv/app.pdb"));
        });
    }

    /// Places that include the folder of the profile.
    #[cfg(target_os = "linux")]
    fn places_beside(loaded: &Loaded) -> Places {
        let folder = loaded.path.parent().unwrap().canonicalize().unwrap();
        let root = sources::Root { path: folder, kind: sources::RootKind::Workspace };
        let index = SourceIndex::build(vec![root], Limits::default());
        Places::new(&CostSettings::default(), &index)
    }

    /// Only Linux tells how much memory there is.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_search_with_a_share_of_the_memory_ends_at_a_library_that_needs_more() {
        let loaded = addresses();
        let (settings, cache) = (CostSettings::default(), Cache::default());
        let resolved = |share| {
            let places = Places { share, ..places_beside(&loaded) };
            let mut libraries = Libraries::of(&loaded.recording, &settings.symbols, &cache);
            let flow = libraries.resolve_next(&loaded, &places, None, &cache, &mut |_, _| {
                ControlFlow::Continue(())
            });
            (flow.is_continue(), libraries.progress())
        };
        assert_eq!(resolved(u64::MAX), (false, (0, 3)));
        assert_eq!(resolved(1), (true, (1, 3)));
    }

    #[test]
    fn a_cancelled_search_continues_with_the_next_library() {
        let loaded = addresses();
        let (settings, cache) = (CostSettings::default(), Cache::default());
        let places = Places::new(&settings, &SourceIndex::build(Vec::new(), Limits::default()));
        let mut libraries = Libraries::of(&loaded.recording, &settings.symbols, &cache);
        let n_searched = |libraries: &Libraries| {
            libraries.all().iter().filter(|library| library.symbols.is_some()).count()
        };

        let stopped = libraries
            .resolve_next(&loaded, &places, None, &cache, &mut |_, _| ControlFlow::Break(()));
        assert!(stopped.is_break() && !libraries.is_complete());
        assert_eq!((libraries.all().len(), n_searched(&libraries)), (3, 0));

        let mut observed = Vec::new();
        for n in 1..=3 {
            let mut observe = |done, all| {
                observed.push((done, all));
                ControlFlow::Continue(())
            };
            assert!(
                libraries.resolve_next(&loaded, &places, None, &cache, &mut observe).is_continue()
            );
            assert_eq!((n_searched(&libraries), libraries.is_complete()), (n, n == 3));
        }
        assert_eq!(observed, [(0, 3), (1, 3), (2, 3)]);
    }
}
