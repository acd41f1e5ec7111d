//! Functions that nobody calls, or only the system: where stacks begin.

/// Functions that programs and threads begin with, or that are called by nothing else than those.
const ENTRIES: [&str; 19] = [
    "_start",
    "_dl_start",
    "_dl_start_user",
    "_start_c",
    "main",
    "start",
    "libc_start_main_stage2",
    "generic_start_main",
    "start_thread",
    "thread_start",
    "clone",
    "__clone",
    "clone3",
    "__clone3",
    "__clone_internal",
    "ret_from_fork",
    "ret_from_fork_asm",
    "_start_main",
    "__restore_rt",
];

/// Whether stacks begin with a function: the entry of a program or a thread in C libraries, of Go's scheduler, of what the kernel
/// runs by itself.
pub fn is_entry_point(name: &str) -> bool {
    // Versions (`clone@@GLIBC_2.2.5`), parts (`_start.cold`), assembly of Go (`runtime.goexit.abi0`).
    let plain = name.split(['@', '.']).next().unwrap_or(name);
    ENTRIES.contains(&plain) || plain.starts_with("__libc_start") || plain == "_rt0_amd64_linux" || name.starts_with("runtime.")
}
