//! Programs that were built without debug info: which one keeps the user's code without lines, and what is said of it.

use crate::session::snapshot::Snapshot;
use analysis::is_entry_point;
use profile::Lib;
use rustc_hash::FxHashSet;
use sources::Mapping;
use symbols::{Found, WITH_LINES};

/// The code of the warning that a program was built without debug info.
pub const NO_DEBUG_INFO: &str = "no-debug-info";

/// What to do where the hottest program or library has functions and no lines; `None` where it has lines, and where nobody knows
/// whether it could have some.
pub fn no_debug_info(snapshot: &Snapshot) -> Option<String> {
    let name = hottest_without_lines(snapshot)?;
    Some(format!("`{name}` was built without debug info, so its functions have no lines: {WITH_LINES}"))
}

/// Whether a file with costs was found in the sources.
pub fn shows_lines(snapshot: &Snapshot) -> bool {
    let has_lines = |file| !snapshot.costs.lines_of(file, 1..u32::MAX).is_empty();
    snapshot.mappings().any(|(_, file, mapping)| matches!(mapping, Mapping::Mapped { .. }) && has_lines(file))
}

/// The program or library that most of the cost runs through, libraries of the system aside, if none of its functions has a line
/// and nothing that costs about as much has one.
fn hottest_without_lines(snapshot: &Snapshot) -> Option<&str> {
    let (recording, groups) = (&snapshot.recording, &snapshot.groups);
    let symbols = recording.symbols();
    let mut functions_with_lines = FxHashSet::default();
    let mut libs_with_lines = vec![false; symbols.libs.len()];
    recording.each_place(|func, source, _| {
        if came_compiled(symbols.source_name(source)) {
            return;
        }
        functions_with_lines.insert(groups.function(func));
        if let Some(lib) = symbols.funcs.get(func).lib {
            libs_with_lines[lib.index()] = true;
        }
    });

    let (mut hottest, mut with_lines) = (vec![(0.0_f64, 0.0_f64); symbols.libs.len()], 0.0_f64);
    for (function, cost) in snapshot.costs.functions() {
        let func = groups.first_func(function);
        let lib = symbols.funcs.get(func).lib;
        let is_of_the_system = match lib {
            Some(lib) => is_of_the_system(&symbols.libs[lib.index()]),
            // `perf script` leaves out the library of inlined functions, of which the C library has some before `main`.
            None => is_entry_point(symbols.func_name(func)),
        };
        if is_of_the_system {
            continue;
        }
        let heat = cost.cost.magnitude();
        match lib {
            Some(lib) if !libs_with_lines[lib.index()] => {
                let (passed, own) = &mut hottest[lib.index()];
                *passed = passed.max(heat);
                *own += cost.cost.self_.abs();
            }
            _ if functions_with_lines.contains(&function) => with_lines = with_lines.max(heat),
            _ => {}
        }
    }
    let heat = |&(passed, own): &(f64, f64)| passed.max(own);
    let by_heat = |a: &(usize, f64), b: &(usize, f64)| a.1.total_cmp(&b.1);
    let (at, hottest) = hottest.iter().map(heat).enumerate().filter(|&(_, heat)| heat > 0.0).max_by(by_heat)?;
    (hottest > 2.0 * with_lines && could_have_lines(snapshot, at)).then(|| symbols.libs[at].name.as_str())
}

/// Whether lines of a library would be known if it had any: its debug info was looked for here, or whoever wrote the profile
/// looked lines up.
fn could_have_lines(snapshot: &Snapshot, lib: usize) -> bool {
    match snapshot.libraries.all().iter().find(|library| library.wanted.lib.index() == lib) {
        Some(library) => library.symbols.as_ref().is_some_and(|known| {
            matches!(known.found(), Found::NamesOnly { .. }) || (known.found().has_lines() && known.n_resolved() > 0)
        }),
        None => !snapshot.costs.lines().is_empty(),
    }
}

/// Whether a file was compiled long before: Rust's standard library comes with lines of its own.
fn came_compiled(file: &str) -> bool {
    file.starts_with("/rustc/") || file.starts_with("/rust/deps/")
}

/// Libraries of the system rarely come with lines, and nobody misses them.
fn is_of_the_system(lib: &Lib) -> bool {
    const FOLDERS: [&str; 7] = ["/lib/", "/lib32/", "/lib64/", "/usr/lib", "/usr/libexec/", "/System/", r"C:\Windows\"];
    // The kernel, memory without a file.
    lib.name.starts_with('[') || FOLDERS.iter().any(|folder| lib.path.starts_with(folder))
}
