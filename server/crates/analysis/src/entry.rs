//! Names of the functions that stacks begin with.

/// Entry points of programs and threads, and functions that only entry points call.
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

/// Whether stacks of native code begin with a function of this name: the entry of a program or
/// thread in C libraries, Go's scheduler, or an entry of the kernel.
pub fn is_entry_point(name: &str) -> bool {
    // Strip versions (`clone@@GLIBC_2.2.5`), split parts (`_start.cold`) and Go's ABI suffix
    // (`runtime.goexit.abi0`).
    let plain = name.split(['@', '.']).next().unwrap_or(name);
    ENTRIES.contains(&plain)
        || plain.starts_with("__libc_start")
        || plain == "_rt0_amd64_linux"
        || name.starts_with("runtime.")
}
