//! How much memory this process may still take. An allocation that fails ends the process, so work
//! whose memory depends on what a file claims is checked before it begins.
//!
//! Only Linux says how much there is. On other systems, no memory is refused.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Less memory than this is taken without a check.
const SMALL: u64 = 32 << 20;

/// What running work has reserved.
static RESERVED: AtomicU64 = AtomicU64::new(0);

/// Whether the limit is off.
static ANY: AtomicBool = AtomicBool::new(false);

/// Switches the limit off in this process: no memory is refused.
pub(crate) fn take_any() {
    ANY.store(true, Ordering::Relaxed);
}

/// Memory that work may take. It counts as taken until this is dropped.
#[derive(Debug)]
#[must_use]
pub struct Reserved {
    bytes: u64,
    /// The memory that was available when more than [`SMALL`] was first asked for.
    available: Option<u64>,
}

impl Drop for Reserved {
    fn drop(&mut self) {
        RESERVED.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// Reserves `bytes`. `None` if they are more than three quarters of what is available.
pub fn reserve(bytes: u64) -> Option<Reserved> {
    let mut reserved = Reserved { bytes: 0, available: None };
    reserved.grow(bytes).then_some(reserved)
}

impl Reserved {
    /// Reserves `bytes` in all. `false` if they are more than three quarters of what was available.
    pub fn grow(&mut self, bytes: u64) -> bool {
        let more = bytes.saturating_sub(self.bytes);
        let others = RESERVED.fetch_add(more, Ordering::Relaxed) - self.bytes;
        self.bytes += more;
        if bytes <= SMALL {
            return true;
        }
        self.available = self.available.or_else(available);
        self.available.is_none_or(|left| bytes <= usable(left).saturating_sub(others))
    }
}

/// How much of the available memory work may take. The rest is for requests.
pub fn usable(available: u64) -> u64 {
    available / 4 * 3
}

/// The memory that this process can still take, in bytes: by its limit of address space, by that of
/// its container, and by what the machine has. `None` if unknown.
#[cfg(target_os = "linux")]
pub fn available() -> Option<u64> {
    if ANY.load(Ordering::Relaxed) {
        return None;
    }
    [address_space(), machine(), container()].into_iter().flatten().min()
}

/// The memory that this process can still take. Unknown on this system.
#[cfg(not(target_os = "linux"))]
pub fn available() -> Option<u64> {
    None
}

/// What is left of the limit of address space (`ulimit -v`).
#[cfg(target_os = "linux")]
fn address_space() -> Option<u64> {
    use rustix::process::{Resource, getrlimit};
    let limit = getrlimit(Resource::As).current?;
    Some(limit.saturating_sub(stated("/proc/self/status", "VmSize:")?))
}

#[cfg(target_os = "linux")]
fn machine() -> Option<u64> {
    stated("/proc/meminfo", "MemAvailable:")
}

/// The number of bytes in a line of a file of the kernel: `VmSize:    12345 kB`.
#[cfg(target_os = "linux")]
fn stated(file: &str, key: &str) -> Option<u64> {
    let text = std::fs::read_to_string(file).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib << 10)
}

/// What is left of the limits of the control groups of version 2 that the process is in.
#[cfg(target_os = "linux")]
fn container() -> Option<u64> {
    use std::path::Path;
    let groups = std::fs::read_to_string("/proc/self/cgroup").ok()?;
    let group = groups.lines().find_map(|line| line.strip_prefix("0::/"))?;
    let top = Path::new("/sys/fs/cgroup");
    let left = |group: &Path| {
        let number =
            |file: &str| std::fs::read_to_string(group.join(file)).ok()?.trim().parse::<u64>().ok();
        let stats = std::fs::read_to_string(group.join("memory.stat")).ok()?;
        // The system takes back the cached files that were not used lately.
        let cached = stats.lines().find_map(|line| line.strip_prefix("inactive_file "));
        let cached: u64 = cached.and_then(|bytes| bytes.parse().ok()).unwrap_or(0);
        let used = number("memory.current")?.saturating_sub(cached);
        Some(number("memory.max")?.saturating_sub(used))
    };
    let path = top.join(group);
    path.ancestors().take_while(|path| path.starts_with(top)).filter_map(left).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_reserved_is_not_available_to_others() {
        assert!(reserve(SMALL).is_some());
        let Some(left) = available() else { return };
        assert!(left > 0);
        // Other tests take memory meanwhile.
        let first = reserve(left / 2);
        assert!(first.is_some());
        assert!(reserve(left / 2).is_none());
        drop(first);
        assert!(reserve(left / 2).is_some());
        assert!(reserve(u64::MAX / 2).is_none());
    }
}
