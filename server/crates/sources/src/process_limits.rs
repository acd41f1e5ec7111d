//! Limits of the operating system for processes that read what may be made to take any memory.

/// Limits the address space of this process to `bytes`. If it reaches the limit, it leaves no core
/// file. Has an effect on Unix only, and macOS does not enforce it.
#[cfg(unix)]
pub fn limit_memory(bytes: u64) {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    for (resource, most) in [(Resource::As, bytes), (Resource::Core, 0)] {
        let Rlimit { current, maximum } = getrlimit(resource);
        let current = Some(current.unwrap_or(u64::MAX).min(most));
        // Without a limit, deadlines are left.
        let _ = setrlimit(resource, Rlimit { current, maximum });
    }
}

/// Limits the address space of this process. Has no effect on this system.
#[cfg(not(unix))]
pub fn limit_memory(_: u64) {}
