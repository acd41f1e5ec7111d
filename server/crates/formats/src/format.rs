//! The formats that can be read.

/// A format that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// Processed profiles of the Firefox Profiler: samply, Firefox, Vernier.
    FirefoxProcessed,
    /// Processed profiles in JSON slabs (JSLB), the Firefox Profiler's binary container.
    FirefoxSlabs,
    /// Raw profiles of Firefox, before processing.
    Gecko,
    /// V8 CPU profiles: Node.js, Chromium, Deno.
    CpuProfile,
    /// V8 sampling heap profiles.
    HeapProfile,
    /// Logs of V8's sampling profiler, `node --prof`.
    V8Log,
    /// Chrome trace events: Chromium, Node.js, py-spy, `VizTracer`, tracing-chrome.
    ChromeTrace,
    /// speedscope's own format: py-spy, rbspy, pyinstrument.
    Speedscope,
    /// pprof's `profile.proto`: Go, gperftools, pprof-rs, rbspy.
    Pprof,
    /// Profiles of OpenTelemetry.
    Otlp,
    /// Recordings of `perf record`.
    PerfData,
    /// The text that `perf script` prints.
    PerfScript,
    /// Reports of Android's simpleperf.
    Simpleperf,
    /// Reports of macOS's `sample` command.
    MacosSample,
    /// Tables of samples that `xctrace export` writes from recordings of Instruments.
    Xctrace,
    /// Folded stacks: one line per stack.
    Folded,
    /// Flame graphs as SVG: py-spy, cargo-flamegraph, inferno, `flamegraph.pl`.
    FlameGraph,
    /// Raw recordings of `rbspy record`.
    Rbspy,
    /// Austin's binary recordings.
    AustinMojo,
    /// Statistics of Python's own profilers and of yappi: a dictionary in marshal form.
    Pstats,
    /// Sessions of pyinstrument.
    Pyinstrument,
    /// Profiles of line_profiler.
    LineProfiler,
    /// Profiles of scalene.
    Scalene,
    /// Dumps of Ruby's stackprof as JSON.
    Stackprof,
    /// The text of R's sampling profiler.
    Rprof,
    /// Profiles of programs that GHC compiled, as a report or as JSON.
    Ghc,
    /// Profiles of programs built with `-pg` (`gmon.out`), for gprof.
    Gprof,
    /// Recordings of heaptrack.
    Heaptrack,
    /// Recordings of memray.
    Memray,
    /// Recordings of the JVM's Flight Recorder and of async-profiler.
    Jfr,
    /// Traces of .NET's runtime: dotnet-trace.
    Nettrace,
    /// Heap profiles by valgrind's DHAT and by dhat-rs.
    Dhat,
    /// Costs by line and call: valgrind's callgrind and cachegrind, rbspy, ruby-prof, Xdebug,
    /// `Devel::NYTProf`, pyprof2calltree.
    Callgrind,
    /// The table that `rbspy report -f summary` prints.
    RbspySummary,
    /// Data of Mercury's deep profiler.
    MercuryDeep,
}

impl Format {
    /// All formats, in the order of the documentation.
    pub const ALL: [Self; 35] = [
        Self::FirefoxProcessed,
        Self::FirefoxSlabs,
        Self::Gecko,
        Self::CpuProfile,
        Self::HeapProfile,
        Self::V8Log,
        Self::ChromeTrace,
        Self::Speedscope,
        Self::Pprof,
        Self::Otlp,
        Self::PerfData,
        Self::PerfScript,
        Self::Simpleperf,
        Self::MacosSample,
        Self::Xctrace,
        Self::Folded,
        Self::FlameGraph,
        Self::Rbspy,
        Self::AustinMojo,
        Self::Pstats,
        Self::Pyinstrument,
        Self::LineProfiler,
        Self::Scalene,
        Self::Stackprof,
        Self::Rprof,
        Self::Ghc,
        Self::Gprof,
        Self::Heaptrack,
        Self::Memray,
        Self::Jfr,
        Self::Nettrace,
        Self::Dhat,
        Self::Callgrind,
        Self::RbspySummary,
        Self::MercuryDeep,
    ];

    /// A stable name for programs.
    pub fn name(self) -> &'static str {
        match self {
            Self::FirefoxProcessed => "firefox-processed",
            Self::FirefoxSlabs => "firefox-jslb",
            Self::Gecko => "gecko",
            Self::CpuProfile => "cpuprofile",
            Self::HeapProfile => "heapprofile",
            Self::V8Log => "v8-log",
            Self::ChromeTrace => "chrome-trace",
            Self::Speedscope => "speedscope",
            Self::Pprof => "pprof",
            Self::Otlp => "otlp",
            Self::PerfData => "perf-data",
            Self::PerfScript => "perf-script",
            Self::Simpleperf => "simpleperf",
            Self::MacosSample => "macos-sample",
            Self::Xctrace => "xctrace",
            Self::Folded => "folded",
            Self::FlameGraph => "flame-graph",
            Self::Rbspy => "rbspy",
            Self::AustinMojo => "austin-mojo",
            Self::Pstats => "pstats",
            Self::Pyinstrument => "pyinstrument-session",
            Self::LineProfiler => "line-profiler",
            Self::Scalene => "scalene",
            Self::Stackprof => "stackprof",
            Self::Rprof => "rprof",
            Self::Ghc => "ghc",
            Self::Gprof => "gprof",
            Self::Heaptrack => "heaptrack",
            Self::Memray => "memray",
            Self::Jfr => "jfr",
            Self::Nettrace => "nettrace",
            Self::Dhat => "dhat",
            Self::Callgrind => "callgrind",
            Self::RbspySummary => "rbspy-summary",
            Self::MercuryDeep => "mercury-deep",
        }
    }

    /// A name for people.
    pub fn title(self) -> &'static str {
        match self {
            Self::FirefoxProcessed => "Firefox Profiler profile (processed)",
            Self::FirefoxSlabs => "Firefox Profiler profile (JSON slabs)",
            Self::Gecko => "Firefox profile (raw Gecko)",
            Self::CpuProfile => "V8 CPU profile",
            Self::HeapProfile => "V8 heap profile",
            Self::V8Log => "V8 log (--prof)",
            Self::ChromeTrace => "Chrome trace events",
            Self::Speedscope => "speedscope file",
            Self::Pprof => "pprof profile",
            Self::Otlp => "OpenTelemetry profile (OTLP)",
            Self::PerfData => "perf.data",
            Self::PerfScript => "perf script text",
            Self::Simpleperf => "simpleperf report",
            Self::MacosSample => "macOS sample report",
            Self::Xctrace => "Instruments export (xctrace)",
            Self::Folded => "folded stacks",
            Self::FlameGraph => "flame graph (SVG)",
            Self::Rbspy => "rbspy recording",
            Self::AustinMojo => "Austin recording (MOJO)",
            Self::Pstats => "Python profile (pstats)",
            Self::Pyinstrument => "pyinstrument session",
            Self::LineProfiler => "line_profiler profile",
            Self::Scalene => "scalene profile",
            Self::Stackprof => "stackprof dump",
            Self::Rprof => "R profile (Rprof)",
            Self::Ghc => "GHC profile",
            Self::Gprof => "gprof profile (gmon.out)",
            Self::Heaptrack => "heaptrack recording",
            Self::Memray => "memray recording",
            Self::Jfr => "Java Flight Recorder recording",
            Self::Nettrace => ".NET trace (nettrace)",
            Self::Dhat => "DHAT heap profile",
            Self::Callgrind => "callgrind file",
            Self::RbspySummary => "rbspy summary",
            Self::MercuryDeep => "Mercury deep profile",
        }
    }

    /// The most memory in bytes that reading and summing a file of this format takes, beside its
    /// `bytes` themselves. The files that take so much are made for that: a stack of calls that are
    /// one letter each, a list of empty objects. Other files take less than their own size.
    pub fn max_memory(self, bytes: u64) -> u64 {
        let per_byte = match self {
            Self::FirefoxProcessed | Self::RbspySummary => 12,
            Self::FirefoxSlabs
            | Self::Gecko
            | Self::CpuProfile
            | Self::HeapProfile
            | Self::ChromeTrace
            | Self::PerfScript
            | Self::Rbspy
            | Self::Stackprof => 24,
            Self::Speedscope | Self::Dhat | Self::PerfData | Self::Pyinstrument => 32,
            Self::Pprof
            | Self::Otlp
            | Self::Simpleperf
            | Self::MacosSample
            | Self::Xctrace
            | Self::Folded
            | Self::FlameGraph
            | Self::AustinMojo
            | Self::Pstats
            | Self::LineProfiler
            | Self::Scalene
            | Self::Rprof
            | Self::Ghc
            | Self::Gprof
            | Self::Heaptrack
            | Self::Memray
            | Self::Jfr
            | Self::Nettrace
            | Self::V8Log
            | Self::Callgrind
            | Self::MercuryDeep => 64,
        };
        bytes.saturating_mul(per_byte)
    }

    /// Whether a file of this format has an end that shows that the file is complete. In the other
    /// formats, a prefix of a file is a valid file.
    pub fn has_end(self) -> bool {
        match self {
            Self::FirefoxProcessed
            | Self::Gecko
            | Self::CpuProfile
            | Self::HeapProfile
            | Self::Speedscope
            | Self::FlameGraph
            | Self::Pstats
            | Self::Pyinstrument
            | Self::LineProfiler
            | Self::Scalene
            | Self::Stackprof
            | Self::Dhat => true,
            Self::FirefoxSlabs
            | Self::ChromeTrace
            | Self::Pprof
            | Self::Otlp
            | Self::PerfData
            | Self::PerfScript
            | Self::Simpleperf
            | Self::MacosSample
            | Self::Xctrace
            | Self::Folded
            | Self::Rbspy
            | Self::AustinMojo
            | Self::Rprof
            | Self::Ghc
            | Self::Gprof
            | Self::Heaptrack
            | Self::Memray
            | Self::Jfr
            | Self::Nettrace
            | Self::V8Log
            | Self::Callgrind
            | Self::RbspySummary
            | Self::MercuryDeep => false,
        }
    }

    /// Whether the reader notices wherever a file of this format is cut.
    pub(crate) fn shows_end(self) -> bool {
        self.has_end()
            || matches!(
                self,
                Self::FirefoxSlabs | Self::ChromeTrace | Self::Nettrace | Self::Simpleperf
            )
    }

    /// Whether the profiler itself compresses such files. A file that is compressed later may have
    /// been cut before.
    pub(crate) fn is_compressed(self) -> bool {
        matches!(self, Self::Pprof | Self::Rbspy | Self::Heaptrack | Self::Memray)
    }

    /// Whether a file of this format can be read while its profiler appends to it.
    pub fn can_be_followed(self) -> bool {
        matches!(
            self,
            Self::ChromeTrace | Self::PerfScript | Self::Folded | Self::Rbspy | Self::AustinMojo
        )
    }

    /// Whether profilers append to such a file while they record. Compressed data without their end
    /// are then what was recorded so far.
    pub(crate) fn is_appended(self) -> bool {
        matches!(self, Self::Rbspy | Self::Heaptrack | Self::Memray)
    }
}
