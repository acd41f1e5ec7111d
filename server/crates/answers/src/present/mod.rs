//! Turns costs into text, alike for hints, lenses, hovers, reports and the command line.

pub(crate) mod details;
pub(crate) mod flamegraph;
pub(crate) mod hot_groups;
pub(crate) mod labels;
pub(crate) mod names;
pub(crate) mod progress;
pub(crate) mod recursion;
