//! The texts of sources: as they are, as they were, and how a profile fits them.

pub(crate) mod disk;
pub(crate) mod fit;
pub(crate) mod git;
pub(crate) mod inlinable;
pub(crate) mod origin;
pub(crate) mod reader;
