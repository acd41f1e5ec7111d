//! Where to search for libraries and for the kernel's functions.

use profile::Lib;
use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Where to look for libraries.
#[derive(Clone, Copy)]
pub struct Search<'a> {
    /// Maps a recorded path to candidates on this machine, the likeliest first. The path itself is
    /// one of them if it may be opened.
    pub candidates: &'a dyn Fn(&str) -> Vec<PathBuf>,
    /// The programs in the workspace, for profiles that do not name theirs.
    pub programs: &'a dyn Fn() -> Vec<PathBuf>,
    /// Files and folders of the setting `symbols.paths`.
    pub paths: &'a [PathBuf],
    /// The modification time of the profile. A newer library without an id is not the recorded one.
    pub profile_modified: Option<SystemTime>,
    /// Where to find the kernel's functions.
    pub kernel: &'a KernelFiles,
    /// The memory that reading files may still take, in bytes. Each file takes the most that one of
    /// its size can take.
    pub memory: &'a Cell<u64>,
    /// Whether a path names another machine. Such files are not asked for: on Windows, that sends the
    /// user's name and a hash of the password there.
    pub is_network_path: fn(&str) -> bool,
}

/// Files that describe the running kernel, and perf's copies of what it recorded. They need not exist.
#[derive(Debug, Clone)]
pub struct KernelFiles {
    /// ELF notes of the running kernel with its build id.
    pub notes: PathBuf,
    /// The list of its functions.
    pub functions: PathBuf,
    /// The cache of perf (`~/.debug`), which also has the vDSO and the recorded programs and
    /// libraries.
    pub copies: Option<PathBuf>,
}

impl KernelFiles {
    /// The files on this machine, with perf's cache in the given home folder.
    pub fn of_this_machine(home: Option<&Path>) -> Self {
        Self {
            notes: "/sys/kernel/notes".into(),
            functions: "/proc/kallsyms".into(),
            copies: home.map(|home| home.join(".debug")),
        }
    }
}

/// Whether a library is the kernel itself, not a module.
pub fn is_kernel(lib: &Lib) -> bool {
    lib.name == "[kernel.kallsyms]"
}

/// Whether a kernel function handles an interrupt or a fault. The function that was interrupted did
/// not call it.
pub fn is_interrupt(name: &str) -> bool {
    ["asm_exc_", "asm_sysvec_", "asm_common_interrupt", "asm_spurious_interrupt"]
        .iter()
        .any(|start| name.starts_with(start))
}

#[cfg(not(feature = "debug-info"))]
impl Search<'_> {
    /// Always fails: without debug info no library is read.
    ///
    /// # Errors
    /// Always.
    pub fn binary(&self, _: &Lib) -> Result<(PathBuf, Vec<u8>), crate::LibStatus> {
        Err(crate::LibStatus::Disabled)
    }
}
