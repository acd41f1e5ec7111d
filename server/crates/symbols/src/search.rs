//! Where the user lets libraries be looked for.

use crate::KernelFiles;
use std::path::PathBuf;
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

#[cfg(not(feature = "debug-info"))]
impl Search<'_> {
    /// No library is read.
    ///
    /// # Errors
    /// Always.
    pub fn binary(&self, _: &profile::Lib) -> Result<(PathBuf, Vec<u8>), crate::Found> {
        Err(crate::Found::Disabled)
    }
}
