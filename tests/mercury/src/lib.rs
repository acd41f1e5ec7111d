//! Writes the files of Mercury's deep profiler, for tests and benchmarks.

pub mod deep;
pub mod procrep;
