//! The stages of a load, from the files as read to a snapshot, and what they need.

pub(crate) mod broken_stacks;
pub(crate) mod coverage;
pub(crate) mod debug_info;
pub(crate) mod helper;
pub(crate) mod libraries;
pub(crate) mod loaded;
pub(crate) mod memory;
pub(crate) mod merged;
pub(crate) mod stages;
pub(crate) mod texts;
