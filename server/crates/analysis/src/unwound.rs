//! Whether a profiler found the callers of what it sampled: stacks of native code that do not begin where programs and threads
//! begin were not unwound, and totals of the functions that are missing are too low.

use crate::is_entry_point;
use profile::{FuncId, Lib, Profile, SymbolTables};

/// Linux cuts stacks that are deeper (127 entries, some of them marks), however well they are unwound.
const CUT_BY_LINUX: u32 = 120;

/// How many samples have callers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unwound {
    /// Samples with a stack.
    pub n_samples: u64,
    /// Those whose stack begins elsewhere than a program or thread does.
    pub n_broken: u64,
    /// Those that have a caller, inlining aside.
    pub n_with_callers: u64,
}

/// Looks at all stacks of a recording. What has no name yet, what the kernel does and what was compiled while the program ran is
/// never taken for broken.
pub fn unwound(profile: &Profile) -> Unwound {
    let (stacks, frames) = (profile.stacks(), profile.frames());
    // How each stack begins, and how many frames it has that are not inlined.
    let mut known: Vec<(Beginning, u32)> = Vec::with_capacity(stacks.len());
    for stack in stacks.ids() {
        let frame = frames.get(stacks.frame(stack));
        let below = stacks.prefix(stack).map(|prefix| known[prefix.index()]);
        let (beginning, depth) = below.unwrap_or_else(|| (Beginning::of(profile.symbols(), frame.func), 0));
        known.push((beginning, depth.saturating_add(u32::from(!frame.inlined))));
    }
    let mut unwound = Unwound { n_samples: 0, n_broken: 0, n_with_callers: 0 };
    for stack in profile.threads().iter().flat_map(|thread| thread.samples.stacks()).flatten() {
        let (beginning, depth) = known[stack.index()];
        let is_broken = match beginning {
            Beginning::Right => false,
            Beginning::OfCallers => depth <= 1,
            Beginning::Wrong => depth < CUT_BY_LINUX,
        };
        unwound.n_samples += 1;
        unwound.n_broken += u64::from(is_broken);
        unwound.n_with_callers += u64::from(depth > 1);
    }
    unwound
}

/// What the outermost function says of a stack.
#[derive(Debug, Clone, Copy)]
enum Beginning {
    Right,
    /// Right if it called something.
    OfCallers,
    Wrong,
}

impl Beginning {
    fn of(symbols: &SymbolTables, func: FuncId) -> Self {
        let name = symbols.func_name(func);
        let is_unnamed = name == "[unknown]" || symbols.func_key(func).address.is_some();
        match symbols.funcs.get(func).lib.map(|lib| &symbols.libs[lib.index()]) {
            // In no memory that holds code.
            None if is_unnamed => Self::Wrong,
            None => Self::Right,
            Some(lib) if is_unnamed || is_entry_point(name) || is_kernel(lib) || is_generated(lib) => Self::Right,
            Some(lib) if is_c_library(lib) => Self::OfCallers,
            Some(_) => Self::Wrong,
        }
    }
}

/// `[kernel.kallsyms]` and modules; `[vdso]` is a library like others.
fn is_kernel(lib: &Lib) -> bool {
    lib.name.starts_with('[') && !lib.name.starts_with("[v")
}

/// Code without a file.
fn is_generated(lib: &Lib) -> bool {
    ["perf-", "jitted-"].iter().any(|start| lib.name.starts_with(start))
}

/// Programs and threads begin there, in functions whose names are often stripped or those of their neighbours.
fn is_c_library(lib: &Lib) -> bool {
    ["libc.", "libc-", "ld-", "libpthread"].iter().any(|start| lib.name.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;
    use profile::text_samples;

    /// Samples, broken ones, those with callers.
    #[track_caller]
    fn check(samples: &str, expected: (u64, u64, u64)) {
        let Unwound { n_samples, n_broken, n_with_callers } = unwound(&text_samples::profile(samples));
        assert_eq!((n_samples, n_broken, n_with_callers), expected);
    }

    #[test]
    fn stacks_that_begin_with_a_program_or_thread_are_whole() {
        check(
            "
            _start[lib:app]  main[lib:app]  start_thread[lib:libc.so.6]  runtime.goexit.abi0[lib:go]  __libc_init[lib:libc.so.6]
            main[lib:app]    mul[lib:app]   mul[lib:app]                 main.main[lib:go]            mul[lib:app]
            ",
            (5, 0, 5),
        );
    }

    #[test]
    fn stacks_that_begin_in_the_middle_or_nowhere_are_broken() {
        check(
            "
            mul[lib:app]  mul[lib:app]  0x31          memcpy[lib:libc.so.6]  main[lib:app]
                          add[lib:app]  mul[lib:app]                         mul[lib:app]
            ",
            (5, 4, 3),
        );
    }

    #[test]
    fn what_cannot_be_told_is_not_called_broken() {
        check(
            "
            0x10[lib:app]  py::run[lib:perf-7.map]  run  work[lib:app]
                           mul[lib:app]             add  part[lib:app][inl]
            ",
            (4, 1, 2),
        );
        let deep: Vec<String> = (0..CUT_BY_LINUX).map(|i| format!("f{i}[lib:app]")).collect();
        check(&deep.join("\n"), (1, 0, 1));
    }
}
