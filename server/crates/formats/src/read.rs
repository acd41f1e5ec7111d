//! Reading of files: one reader per format, and what several readers share.

pub(crate) mod austin;
pub(crate) mod callgrind;
pub(crate) mod chrome_trace;
pub(crate) mod cpuprofile;
pub(crate) mod deep;
pub(crate) mod dhat;
pub(crate) mod dotnet;
pub(crate) mod firefox;
pub(crate) mod flame_graph;
pub(crate) mod folded;
pub(crate) mod ghc;
pub(crate) mod heapprofile;
pub(crate) mod heaptrack;
pub(crate) mod jfr;
pub(crate) mod line_profiler;
pub(crate) mod memray;
pub(crate) mod mojo;
pub(crate) mod otlp;
pub(crate) mod perf_data;
pub(crate) mod perf_event;
pub(crate) mod perf_script;
pub(crate) mod pprof;
pub(crate) mod pstats;
pub(crate) mod pyinstrument;
pub(crate) mod rbspy;
pub(crate) mod rbspy_summary;
pub(crate) mod result;
pub(crate) mod rprof;
pub(crate) mod scalene;
pub(crate) mod shared;
pub(crate) mod speedscope;
pub(crate) mod stackprof;
#[cfg(test)]
pub(crate) mod text_rows;
pub(crate) mod v8;
pub(crate) mod v8_log;
