//! Where the user lets libraries be looked for, and where the kernel is known from.

use profile::Lib;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Where to look for libraries.
#[derive(Clone, Copy)]
pub struct Search<'a> {
    /// The files on this machine that a recorded path may mean, the likeliest first; the path itself is among them if it may
    /// be opened.
    pub candidates: &'a dyn Fn(&str) -> Vec<PathBuf>,
    /// Files and folders that the user names.
    pub paths: &'a [PathBuf],
    /// When the profile was written: a library without id that is newer is not the one that was recorded.
    pub profile_modified: Option<SystemTime>,
    /// Where the kernel is known from.
    pub kernel: &'a KernelFiles,
}

/// Where the kernel says what it is and perf keeps copies. A file that is not there is a kernel that is not known.
#[derive(Debug, Clone)]
pub struct KernelFiles {
    /// ELF notes of the running kernel, its build id among them.
    pub notes: PathBuf,
    /// Its functions.
    pub functions: PathBuf,
    /// Where perf keeps what it recorded (`~/.debug`).
    pub copies: Option<PathBuf>,
}

impl KernelFiles {
    /// Those of this machine, and of a user with this home folder.
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

/// Whether the kernel went on from user space because of a function by itself, for an interrupt or a fault: what it interrupted is
/// no call.
pub fn is_interrupt(name: &str) -> bool {
    ["asm_exc_", "asm_sysvec_", "asm_common_interrupt", "asm_spurious_interrupt"].iter().any(|start| name.starts_with(start))
}

#[cfg(not(feature = "debug-info"))]
impl Search<'_> {
    /// No library is read.
    ///
    /// # Errors
    /// Always.
    pub fn binary(&self, _: &Lib) -> Result<(PathBuf, Vec<u8>), crate::Found> {
        Err(crate::Found::Disabled)
    }
}
