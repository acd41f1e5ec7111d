//! Finds the program or library whose missing debug info leaves the user's code without lines.

use crate::load::libraries::{Libraries, pid_of_perf_map};
use analysis::{Costs, FuncId, Groups, Lib, Recording, is_entry_point};
use rustc_hash::FxHashSet;
use symbols::{LibStatus, WITH_LINES};

/// A message that names the hottest program or library without lines, and how to build it with
/// debug info. `None` if it has lines, or its debug info was not looked for.
pub fn no_debug_info(
    recording: &Recording,
    groups: &Groups,
    costs: &Costs,
    libraries: &Libraries,
) -> Option<String> {
    let name = hottest_without_lines(recording, groups, costs, libraries)?;
    Some(format!(
        "`{name}` was built without debug info, so its functions have no lines: {WITH_LINES}"
    ))
}

/// The program or library with the highest cost, apart from system libraries, if none of its
/// functions has a line. `None` if functions with lines cost more than half as much.
fn hottest_without_lines<'r>(
    recording: &'r Recording,
    groups: &Groups,
    costs: &Costs,
    libraries: &Libraries,
) -> Option<&'r str> {
    let symbols = recording.symbols();
    let precompiled: Vec<bool> =
        symbols.sources.iter().map(|&name| is_precompiled(symbols.strings.get(name))).collect();
    let mut has_lines = vec![false; symbols.funcs.len()];
    recording.each_place(|func, source, _| has_lines[func.index()] |= !precompiled[source.index()]);
    let mut functions_with_lines = FxHashSet::default();
    let mut libs_with_lines = vec![false; symbols.libs.len()];
    for (func, _) in (0..).map(FuncId::new).zip(&has_lines).filter(|&(_, &has_lines)| has_lines) {
        functions_with_lines.insert(groups.function(func));
        if let Some(lib) = symbols.funcs.get(func).lib {
            libs_with_lines[lib.index()] = true;
        }
    }

    // By library: the highest cost of a function, and the self cost of all functions.
    let mut heat_by_lib = vec![(0.0_f64, 0.0_f64); symbols.libs.len()];
    let mut with_lines = 0.0_f64;
    for (function, cost) in costs.functions() {
        let func = groups.first_func(function);
        let lib = symbols.funcs.get(func).lib;
        let is_system = match lib {
            // Code that a runtime compiled, and what calls `main`, never have lines.
            Some(lib) => {
                let lib = &symbols.libs[lib.index()];
                let is_generated = pid_of_perf_map(&lib.name).is_some();
                is_system(lib) || is_generated || symbols.func_name(func) == "_start"
            }
            // `perf script` omits the library of inlined functions. The C library has some of them
            // before `main`.
            None => is_entry_point(symbols.func_name(func)),
        };
        if is_system {
            continue;
        }
        let heat = cost.cost.magnitude();
        match lib {
            Some(lib) if !libs_with_lines[lib.index()] => {
                let (highest, own) = &mut heat_by_lib[lib.index()];
                *highest = highest.max(heat);
                *own += cost.cost.self_.abs();
            }
            _ if functions_with_lines.contains(&function) => with_lines = with_lines.max(heat),
            _ => {}
        }
    }
    let (lib, hottest) = heat_by_lib
        .iter()
        .map(|&(highest, own)| highest.max(own))
        .enumerate()
        .filter(|&(_, heat)| heat > 0.0)
        .max_by(|a, b| a.1.total_cmp(&b.1))?;
    (hottest > 2.0 * with_lines && could_have_lines(costs, libraries, lib))
        .then(|| symbols.libs[lib].name.as_str())
}

/// Whether lines of a library would have been found if it had any: its debug info was looked for,
/// or the profile has lines of its own.
fn could_have_lines(costs: &Costs, libraries: &Libraries, lib: usize) -> bool {
    match libraries.all().iter().find(|library| library.unresolved.lib.index() == lib) {
        Some(library) => library.symbols.as_ref().is_some_and(|symbols| {
            matches!(symbols.status(), LibStatus::NamesOnly { .. })
                || (symbols.status().has_lines() && symbols.n_resolved() > 0)
        }),
        None => !costs.lines().is_empty(),
    }
}

/// Whether a file is precompiled into every program. Rust's standard library has debug info even if
/// the program has none.
fn is_precompiled(file: &str) -> bool {
    file.starts_with("/rustc/") || file.starts_with("/rust/deps/")
}

/// Whether a library is part of the system. Such libraries rarely have lines, and users do not need
/// them.
pub(crate) fn is_system(lib: &Lib) -> bool {
    const FOLDERS: [&str; 7] =
        ["/lib/", "/lib32/", "/lib64/", "/usr/lib", "/usr/libexec/", "/System/", r"C:\Windows\"];
    // Names in brackets are the kernel, or memory without a file.
    lib.name.starts_with('[') || FOLDERS.iter().any(|folder| lib.path.starts_with(folder))
}
