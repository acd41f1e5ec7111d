//! Whether the profiler unwound the stacks. Stacks of native code that do not begin with the entry
//! of a program or thread are broken, and the totals of the missing functions are too low.

use crate::is_entry_point;
use profile::{FuncId, Lib, Profile, StackAccess, SymbolTables};

/// Linux truncates stacks at 127 entries, some of which are markers. A stack of at least this depth
/// may be truncated instead of broken.
const CUT_BY_LINUX: u32 = 120;

/// How many samples have unwound stacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnwindStats {
    /// Samples with a stack.
    pub n_samples: u64,
    /// Samples whose stack does not begin with the entry of a program or thread.
    pub n_broken: u64,
    /// Samples with a caller, not counting inlined frames.
    pub n_with_callers: u64,
}

/// Checks all stacks of a recording. Unsymbolicated functions, the kernel's and those generated at
/// run time are accepted as the beginning of a stack.
pub fn unwind_stats(profile: &Profile) -> UnwindStats {
    let (stacks, frames) = (profile.stacks(), profile.frames());
    // Per stack its beginning and the number of frames that are not inlined.
    let mut info: Vec<(Beginning, u32)> = Vec::with_capacity(stacks.len());
    for stack in stacks.ids() {
        let frame = frames.get(stacks.frame(stack));
        let (beginning, depth) = match stacks.prefix(stack) {
            Some(prefix) => info[prefix.index()],
            None => (Beginning::of(profile.symbols(), frame.func), 0),
        };
        info.push((beginning, depth.saturating_add(u32::from(!frame.inlined))));
    }
    let mut stats = UnwindStats { n_samples: 0, n_broken: 0, n_with_callers: 0 };
    for stack in profile.samples().iter().flat_map(profile::Samples::stacks).flatten() {
        let (beginning, depth) = info[stack.index()];
        let is_broken = match beginning {
            Beginning::Entry => false,
            Beginning::EntryIfCaller => depth <= 1,
            Beginning::Middle => depth < CUT_BY_LINUX,
        };
        stats.n_samples += 1;
        stats.n_broken += u64::from(is_broken);
        stats.n_with_callers += u64::from(depth > 1);
    }
    stats
}

/// The share of the stacks, by their weight in the first metric, that a profiler has cut at `limit`
/// frames, not counting inlined ones: those of this depth that do not begin with the entry of a
/// program or thread. 0 if any stack is deeper, so that this was not the limit.
pub fn share_cut_at(profile: &Profile, limit: u32) -> f64 {
    let (stacks, frames) = (profile.stacks(), profile.frames());
    // Per stack whether it begins with an entry, and the number of frames that are not inlined.
    let mut info: Vec<(bool, u32)> = Vec::with_capacity(stacks.len());
    for stack in stacks.ids() {
        let frame = frames.get(stacks.frame(stack));
        let (is_whole, depth) = match stacks.prefix(stack) {
            Some(prefix) => info[prefix.index()],
            None => (is_named_entry(profile.symbols().func_name(frame.func)), 0),
        };
        info.push((is_whole, depth.saturating_add(u32::from(!frame.inlined))));
    }
    let (mut all, mut cut) = (0.0, 0.0);
    for samples in profile.samples() {
        let Some(weights) = samples.weights().first() else { continue };
        for (row, stack) in samples.stacks().enumerate() {
            let Some(stack) = stack else { continue };
            let (is_whole, depth) = info[stack.index()];
            if depth > limit {
                return 0.0;
            }
            all += weights.get(row);
            cut += if depth == limit && !is_whole { weights.get(row) } else { 0.0 };
        }
    }
    if cut > 0.0 { cut / all } else { 0.0 }
}

/// Whether a name that a profiler has written is that of an entry: valgrind writes `(below main)`,
/// and functions of Rust are written with their crate.
fn is_named_entry(name: &str) -> bool {
    is_entry_point(name) || name == "(below main)" || name.ends_with("::main")
}

/// What the outermost function of a stack is.
#[derive(Debug, Clone, Copy)]
enum Beginning {
    /// An entry, or a function that may be one.
    Entry,
    /// An entry only if it called something.
    EntryIfCaller,
    /// A function that something else must have called.
    Middle,
}

impl Beginning {
    fn of(symbols: &SymbolTables, func: FuncId) -> Self {
        let name = symbols.func_name(func);
        let is_unnamed = name == "[unknown]" || symbols.func_key(func).address.is_some();
        match symbols.funcs.get(func).lib.map(|lib| &symbols.libs[lib.index()]) {
            // The address is in no library and no generated code.
            None if is_unnamed => Self::Middle,
            None => Self::Entry,
            Some(lib)
                if is_unnamed || is_entry_point(name) || is_kernel(lib) || is_generated(lib) =>
            {
                Self::Entry
            }
            Some(lib) if is_c_library(lib) => Self::EntryIfCaller,
            Some(_) => Self::Middle,
        }
    }
}

/// `[kernel.kallsyms]` and kernel modules. `[vdso]` and `[vsyscall]` are libraries like others.
fn is_kernel(lib: &Lib) -> bool {
    lib.name.starts_with('[') && !lib.name.starts_with("[v")
}

/// Code generated at run time.
fn is_generated(lib: &Lib) -> bool {
    ["perf-", "jitted-"].iter().any(|start| lib.name.starts_with(start))
}

/// Libraries that start programs and threads, in functions whose names are often stripped or
/// resolved to a neighbour's.
fn is_c_library(lib: &Lib) -> bool {
    ["libc.", "libc-", "ld-", "libpthread"].iter().any(|start| lib.name.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;
    use profile::text_samples;

    /// Expects numbers of samples, of broken ones and of those with callers.
    #[track_caller]
    fn check(samples: &str, expected: (u64, u64, u64)) {
        let UnwindStats { n_samples, n_broken, n_with_callers } =
            unwind_stats(&text_samples::profile(samples));
        assert_eq!((n_samples, n_broken, n_with_callers), expected);
    }

    #[test]
    fn accepts_stacks_that_begin_with_a_program_or_thread() {
        check(
            "
            _start[lib:app]  main[lib:app]  start_thread[lib:libc.so.6]  runtime.goexit.abi0[lib:go]  __libc_init[lib:libc.so.6]
            main[lib:app]    mul[lib:app]   mul[lib:app]                 main.main[lib:go]            mul[lib:app]
            ",
            (5, 0, 5),
        );
    }

    #[test]
    fn counts_stacks_without_an_entry_as_broken() {
        check(
            "
            mul[lib:app]  mul[lib:app]  0x31          memcpy[lib:libc.so.6]  main[lib:app]
                          add[lib:app]  mul[lib:app]                         mul[lib:app]
            ",
            (5, 4, 3),
        );
    }

    #[test]
    fn accepts_stacks_that_cannot_be_judged() {
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

    #[test]
    fn stacks_at_the_limit_are_cut_unless_they_begin_with_an_entry() {
        // The third frame of the third stack is inlined.
        let samples = "
            work  main  work     work  app::main  clone
            work  work  work     work  work       work
            work  work  f[inl]         work       work
        ";
        let profile = text_samples::weighted(samples, &[3.0, 1.0, 2.0, 1.0, 2.0, 1.0]);
        assert_eq!(share_cut_at(&profile, 3), 0.3);
        assert_eq!(share_cut_at(&profile, 4), 0.0);
        // Some stacks are deeper.
        assert_eq!(share_cut_at(&profile, 2), 0.0);
    }
}
