//! Turns costs into text, alike for hints, lenses, hovers, reports and the command line.

pub mod details;
pub mod flamegraph;
pub mod labels;
pub mod marks;
pub mod progress;
pub mod text;
pub mod units;
