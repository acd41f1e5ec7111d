//! Readers, writers and detection on real and made files.

mod broken_files;
mod common;
mod firefox;
mod foreign;
mod gecko;
mod perf_data;
mod rbspy;
mod real_files;
mod real_metrics;
mod round_trips;
mod slabs;
mod times;
mod write_callgrind;
mod write_firefox;
mod write_flamegraph;
mod write_pprof;
