//! The result of looking an address up.

use profile::JitTier;
use std::sync::Arc;

/// The MD5 checksum of a source file.
pub type Md5 = [u8; 16];

/// A function that an address is in.
pub(crate) struct Frame {
    pub(crate) name: Arc<str>,
    /// The file of the line, as debug info spells it.
    pub(crate) file: Option<String>,
    /// 1-based; 0 = unknown.
    pub(crate) line: u32,
    /// The declaration of the function: file and line (0 = unknown).
    pub(crate) declared: Option<(Arc<str>, u32)>,
    /// How a virtual machine ran it.
    pub(crate) tier: JitTier,
}

impl Frame {
    /// A function that only has a name.
    pub(crate) fn named(name: Arc<str>) -> Self {
        Self { name, file: None, line: 0, declared: None, tier: JitTier::Unknown }
    }
}
