//! The libraries of a recording whose addresses have no names yet, hottest first, and what was
//! learnt of each.
//!
//! Immutable as soon as it is shown: the work behind the loader resolves a list of its own. Debug
//! info is read by `symbols`; here is where it is looked for, and what is said where it is not
//! found.

use crate::settings::{CostSettings, Generics, Symbols};
use crate::stages::loaded::Loaded;
use crate::stamp::SLACK;
use crate::stamp::Stamp;
use analysis::{
    Level, Lib, LibId, Profile, RawStacks, Recording, Symbolicated, Warning, WarningCode,
    with_interrupted,
};
use formats::{Generated, generated};
use rustc_hash::FxHashMap;
use sources::{Rule, SourceIndex};
use std::fs::File;
use std::io::Read;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use symbols::{
    Cache, KernelFiles, LibStatus, LibSymbols, PerfMap, Search, Sidecar, Unresolved, is_interrupt,
    is_kernel,
};

/// A library that costs less than this share of the samples is not worth a warning when it is not
/// found.
const WORTH_A_WORD: f64 = 0.01;
/// Larger files beside profiles are not read.
const MAX_BYTES: u64 = 256 << 20;

/// One library of a recording.
#[derive(Debug, Clone)]
pub struct Library {
    /// What of it is to be looked up.
    pub wanted: Arc<Unresolved>,
    /// What is known of it; `None` until it was looked for.
    pub symbols: Option<Arc<LibSymbols>>,
    /// Whether it was looked for, for this list.
    asked: bool,
}

impl Library {
    /// Its short name.
    pub fn name<'r>(&self, recording: &'r Recording) -> &'r str {
        recording.symbols().libs.get(self.wanted.lib.index()).map_or("", |lib| &lib.name)
    }
}

/// All libraries of a recording that have addresses without names, hottest first.
#[derive(Debug, Clone, Default)]
pub struct Libraries {
    list: Vec<Library>,
    /// The first that was not looked for yet.
    next: usize,
    generics: Generics,
}

/// Where libraries are looked for.
#[derive(Debug)]
pub struct Places {
    roots: Vec<PathBuf>,
    rules: Vec<Rule>,
    paths: Vec<PathBuf>,
    kernel: KernelFiles,
}

impl Places {
    /// Those of the settings, and the roots of sources.
    pub fn new(settings: &CostSettings, index: &SourceIndex) -> Self {
        // Links must not lead out of them.
        let real = |path: &PathBuf| path.canonicalize().unwrap_or_else(|_| path.clone());
        let roots: Vec<PathBuf> = index.roots().iter().map(|root| real(&root.path)).collect();
        let paths = settings.symbols.paths.iter();
        let paths = paths.flat_map(|path| match roots.first() {
            Some(root) => vec![root.join(path)],
            None => vec![PathBuf::from(path)],
        });
        let home = std::env::var_os("HOME").map(PathBuf::from);
        Self {
            rules: settings.sources.rules(),
            paths: paths.collect(),
            roots,
            kernel: KernelFiles::of_this_machine(home.as_deref()),
        }
    }

    /// Asks about the libraries of one profile.
    fn search<T>(&self, loaded: &Loaded, ask: impl FnOnce(&Search<'_>) -> T) -> T {
        let candidates = |recorded: &str| self.candidates(recorded);
        let profile_modified = Some(loaded.stamp.modified + SLACK);
        ask(&Search {
            candidates: &candidates,
            paths: &self.paths,
            profile_modified,
            kernel: &self.kernel,
        })
    }

    /// Where a library that was recorded at a path may lie: there, and inside the roots.
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
    /// Those of a recording, with what `cache` knows: no file is opened.
    pub fn of(recording: &Recording, settings: &Symbols, cache: &Cache) -> Self {
        if !settings.enable {
            return Self::default();
        }
        let libs = &recording.symbols().libs;
        let list = symbols::unresolved(recording).into_iter().map(|wanted| {
            let known = libs.get(wanted.lib.index()).and_then(|lib| cache.get(lib));
            // What was not found may be there now, or the settings may say where.
            let complete = known.as_ref().filter(|known| known.is_complete());
            let asked = complete.is_some_and(|known| {
                wanted.addresses.iter().all(|&address| known.is_looked_up(address))
            });
            // Modules of the kernel, memory of the system: no file has their code.
            let is_file = libs
                .get(wanted.lib.index())
                .is_some_and(|lib| !lib.name.starts_with('[') || is_kernel(lib));
            Library { wanted: Arc::new(wanted), symbols: known, asked: asked || !is_file }
        });
        let mut this = Self { list: list.collect(), next: 0, generics: settings.generics };
        this.skip_asked();
        this
    }

    fn skip_asked(&mut self) {
        self.next += self.list.iter().skip(self.next).take_while(|library| library.asked).count();
    }

    /// All of them.
    pub fn all(&self) -> &[Library] {
        &self.list
    }

    /// Whether all of them were looked for.
    pub fn is_complete(&self) -> bool {
        self.next == self.list.len()
    }

    /// How many were looked for, of how many.
    pub fn looked_for(&self) -> (usize, usize) {
        (self.next, self.list.len())
    }

    /// Looks for the hottest library that was not looked for yet, unless `observe` stops it, which
    /// hears how many libraries are done, of how many.
    pub fn resolve_next(
        &mut self,
        loaded: &Loaded,
        places: &Places,
        sidecar: Option<&Sidecar>,
        cache: &Cache,
        observe: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let (done, n) = self.looked_for();
        observe(done, n)?;
        let Some(library) = self.list.get_mut(done) else { return ControlFlow::Continue(()) };
        if let Some(lib) = loaded.recording.symbols().libs.get(library.wanted.lib.index()) {
            let mut flow = ControlFlow::Continue(());
            let mut observe = |_, _| {
                flow = observe(done, n);
                flow
            };
            let wanted = &library.wanted;
            let symbols = match jit(lib, wanted, loaded) {
                Some(symbols) => Arc::new(symbols),
                None => places.search(loaded, |search| {
                    cache.resolve(lib, &wanted.addresses, search, sidecar, &mut observe)
                }),
            };
            flow?;
            library.symbols = Some(symbols);
        }
        library.asked = true;
        self.skip_asked();
        ControlFlow::Continue(())
    }

    /// Looks for all of them.
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

    /// The recording with what is known; `None` if that is nothing.
    pub fn symbolicate(&self, recording: &Recording) -> Option<Symbolicated> {
        let known = self
            .list
            .iter()
            .filter_map(|library| Some((library.wanted.lib, library.symbols.as_deref()?)));
        let known: FxHashMap<LibId, &LibSymbols> = known.collect();
        symbols::symbolicate(
            recording.sampled()?,
            |lib| known.get(&lib).copied(),
            self.generics.into(),
        )
    }

    /// What is said, once, of the libraries that stay addresses: of the hottest, and how many more
    /// there are.
    pub fn warning(&self, recording: &Recording) -> Option<Warning> {
        let n_samples = recording.n_samples();
        let is_hot =
            |library: &&Library| library.wanted.n_samples as f64 >= WORTH_A_WORD * n_samples as f64;
        // Libraries of the system rarely come with lines, and nobody misses them.
        let lacks = |library: &Library| match library.symbols.as_ref()?.status() {
            LibStatus::DebugInfo { .. }
            | LibStatus::NamesOnly { .. }
            | LibStatus::PerfMap { .. }
            | LibStatus::Kernel { .. }
            | LibStatus::NoKernel { .. } => None,
            status => Some(status.message(library.name(recording))),
        };
        let mut lacking = self.list.iter().filter(is_hot).filter_map(lacks);
        let (first, n_more) = (lacking.next()?, lacking.count());
        let more = match n_more {
            0 => String::new(),
            1 => "; another library lacks them, too (`costline check` lists both)".to_owned(),
            n => format!("; {n} more libraries lack them, too (`costline check` lists them)"),
        };
        Some(Warning {
            code: WarningCode::Unsymbolicated,
            message: format!("functions without lines: {first}{more}"),
            count: 1,
        })
    }
}

/// The names of code that a runtime made, where it wrote them down: into `perf-PID.map` beside the
/// profile, or where the profile names the file (`/tmp`), unless that was written to since.
fn jit(lib: &Lib, wanted: &Unresolved, loaded: &Loaded) -> Option<LibSymbols> {
    let pid = lib.name.strip_prefix("perf-")?.strip_suffix(".map")?;
    if !pid.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let beside = loaded.path.with_file_name(&lib.name);
    // A profile names it, and may name any other file so.
    let recorded = Some(PathBuf::from(&lib.path)).filter(|path| path.ends_with(&lib.name));
    let is_old = |path: &PathBuf| {
        Stamp::of(path).is_ok_and(|stamp| stamp.modified <= loaded.stamp.modified + SLACK)
    };
    let recorded = recorded.filter(|path| path.is_file() && is_old(path));
    let path = Some(beside).filter(|path| path.is_file()).or(recorded)?;
    let text = read_bounded(&path)?;
    let text = String::from_utf8_lossy(&text);
    let map = PerfMap::parse(&text);
    let functions = wanted
        .addresses
        .iter()
        .map(|&address| (address, map.name(address), map.name(address).and_then(generated)));
    let functions: Vec<_> = functions.collect();
    let levels = functions.iter().map(|(address, symbol, place)| {
        let level = match (symbol, place) {
            (_, Some(Generated { name, file, line, .. })) => {
                Some(Level { name, file: Some(file), line: 0, declared: Some((file, *line)) })
            }
            (Some(name), None) => Some(Level { name, file: None, line: 0, declared: None }),
            (None, None) => None,
        };
        (*address, level)
    });
    Some(LibSymbols::from_functions(LibStatus::PerfMap { path: path.clone() }, levels))
}

/// What was read, with the callers of stacks that were recorded as memory, as far as the programs
/// are at hand, and with the instructions that the kernel interrupted, as far as its functions are
/// known.
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
        let message = "callers of samples are unknown: finding them takes the programs (setting `symbols.enable`)".to_owned();
        loaded.warnings.push(Warning {
            code: WarningCode::CutStacks,
            message,
            count: raw.stacks.len() as u64,
        });
        return loaded;
    }
    let unwind = |search: &Search<'_>| {
        symbols::unwind(profile, &raw, &mut |lib| search.binary(lib).ok().map(|(_, bytes)| bytes))
    };
    // Unwind tables are read by others, who trust compilers here and there; a broken one must cost
    // no more than callers.
    let Ok(unwound) = catch_unwind(AssertUnwindSafe(|| places.search(&loaded, unwind))) else {
        let message = "callers of samples are unknown: the unwind tables of a program or library are malformed".to_owned();
        loaded.warnings.push(Warning {
            code: WarningCode::CutStacks,
            message,
            count: raw.stacks.len() as u64,
        });
        return loaded;
    };
    loaded.warnings.extend(unwound.warning(profile));
    if let Some(profile) = unwound.profile {
        loaded.recording = Arc::new(profile.into());
    }
    loaded
}

/// The recording with the frames that the kernel interrupted looked up where they were, not as
/// callers.
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
    let kernels = by_lib.into_iter().filter_map(|(id, addresses)| {
        let lib = libs.get(id.index()).filter(|lib| is_kernel(lib))?;
        let go_on = &mut |_, _| ControlFlow::Continue(());
        Some((
            id,
            places.search(loaded, |search| cache.resolve(lib, &addresses, search, None, go_on)),
        ))
    });
    let kernels: FxHashMap<LibId, Arc<LibSymbols>> = kernels.collect();
    with_interrupted(profile, raw, |lib, address| {
        let function = kernels
            .get(&lib)
            .and_then(|kernel| kernel.levels(address, symbols::Generics::Keep).next());
        function.is_some_and(|function| is_interrupt(function.name))
    })
}

/// The names that samply 0.13 wrote beside a profile with `--unstable-presymbolicate`, if it did.
pub fn sidecar(profile: &Path) -> Option<Sidecar> {
    Sidecar::parse(&read_bounded(&profile.with_extension("syms.json"))?).ok()
}

/// A regular file that is not too large.
fn read_bounded(path: &Path) -> Option<Vec<u8>> {
    let len = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?.len();
    let mut bytes = Vec::new();
    // Files of the kernel's own say that they are empty, and never end.
    File::open(path).ok().filter(|_| len <= MAX_BYTES)?.take(len).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sources::Limits;

    #[test]
    fn a_search_that_is_stopped_leaves_the_rest_for_later() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../../fixtures/profiles/samply/rust-wordstat/profile.json.gz");
        let loaded = Loaded::read(&path, u64::MAX, &mut |_| ControlFlow::Continue(())).unwrap();
        let (settings, cache) = (CostSettings::default(), Cache::default());
        let places = Places::new(&settings, &SourceIndex::build(Vec::new(), Limits::default()));
        let mut libraries = Libraries::of(&loaded.recording, &settings.symbols, &cache);
        let asked = |libraries: &Libraries| {
            libraries.all().iter().filter(|library| library.symbols.is_some()).count()
        };

        let stopped = libraries
            .resolve_next(&loaded, &places, None, &cache, &mut |_, _| ControlFlow::Break(()));
        assert!(stopped.is_break() && !libraries.is_complete());
        assert_eq!((libraries.all().len(), asked(&libraries)), (3, 0));

        let mut heard = Vec::new();
        for n in 1..=3 {
            let mut observe = |done, all| {
                heard.push((done, all));
                ControlFlow::Continue(())
            };
            assert!(
                libraries.resolve_next(&loaded, &places, None, &cache, &mut observe).is_continue()
            );
            assert_eq!((asked(&libraries), libraries.is_complete()), (n, n == 3));
        }
        assert_eq!(heard, [(0, 3), (1, 3), (2, 3)]);
    }
}
