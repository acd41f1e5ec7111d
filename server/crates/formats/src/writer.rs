//! The program that wrote a file, its version, and the dialect of the format that it uses.

use std::fmt;

/// The program that wrote a file and its dialect, as far as the file states or shows them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Writer {
    /// The program that the file names; `None` if it names none.
    pub producer: Option<Producer>,
    /// The dialect of the file; `None` if the format has no dialects or the reader recognizes none.
    pub dialect: Option<Dialect>,
}

impl Writer {
    /// A writer from the program that the file names, with the dialect of that program.
    pub(crate) fn of_producer(producer: Option<Producer>) -> Self {
        let dialect = producer.as_ref().and_then(Producer::dialect);
        Self { producer, dialect }
    }

    /// The program and its version as one text (`perf@6.1.187`), or else the name of the dialect
    /// (`py-spy`).
    pub fn text(&self) -> Option<&str> {
        let producer = self.producer.as_ref().map(Producer::text);
        producer.or(self.dialect.map(Dialect::name))
    }
}

/// A program and its version.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Producer {
    /// Name, one separator byte, version.
    text: String,
    name_len: usize,
}

impl Producer {
    /// Parses a program name and version as files have them: `py-spy@0.4.0`, `callgrind-3.22.0`,
    /// `xdebug 3.2.0 (PHP 8.2.7)`. The version begins after the first separator that precedes a
    /// digit.
    pub fn parse(text: &str) -> Self {
        let is_separator = |&at: &usize| {
            matches!(
                text.as_bytes().get(at..at + 2),
                Some([b'@' | b'-' | b' ' | b'/', b'0'..=b'9'])
            )
        };
        let name_len = (1..text.len()).find(is_separator).unwrap_or(text.len());
        Self { text: text.to_owned(), name_len }
    }

    pub(crate) fn new(name: &str, version: &str) -> Self {
        Self { text: format!("{name}@{version}"), name_len: name.len() }
    }

    /// The program's name: `callgrind`.
    pub fn name(&self) -> &str {
        self.text.get(..self.name_len).unwrap_or_default()
    }

    /// The program's version, if the file states it: `3.22.0`.
    pub fn version(&self) -> Option<&str> {
        self.text.get(self.name_len + 1..).filter(|version| !version.is_empty())
    }

    /// Name and version as the file writes them: `callgrind-3.22.0`.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The dialect that a program of this name writes.
    pub fn dialect(&self) -> Option<Dialect> {
        Dialect::ALL.into_iter().find(|dialect| dialect.name() == self.name())
    }
}

impl fmt::Display for Producer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// How a program writes a format that others write differently: what its frames look like, whether
/// its lines executed or are only the first lines of functions, whether its events are calls.
///
/// Readers derive it from the producer that the file names; if it names none, they recognize it by
/// content. A program may write several formats, each in its own way, so a dialect is meaningful
/// only together with a [`crate::Format`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// Folded stacks: `pkg/Class.method:12`.
    AsyncProfiler,
    /// Folded stacks: `/p/x.py:f:12`. Austin 3 and newer.
    Austin,
    /// Folded stacks: `f (module);L12`. Austin 2.
    Austin2,
    /// pstats: Python's module `cProfile`.
    CProfile,
    /// callgrind: exported by Costline.
    Costline,
    /// speedscope: .NET's library `TraceEvent`, which dotnet-trace uses.
    DotNet,
    /// Folded stacks: a module, a backtick and `func+0x1f`.
    Dtrace,
    /// Folded stacks: `/p/x.py:12:f`. Python's module `faulthandler`.
    Faulthandler,
    /// Folded stacks: `sym:f.cpp:137`. FlameGraph's `stackcollapse-perf.pl --srcline`.
    FlameGraphSrcline,
    /// Trace events: Node.js.
    Node,
    /// callgrind: `nytprofcg`, for Perl.
    Nytprof,
    /// Folded stacks: `sym /abs/f.c:12`, `/abs/f.c:12`. `perf report -F +srcline`.
    PerfSrcline,
    /// pstats: Python's module `profile`.
    Profile,
    /// Trace events, speedscope, folded stacks with Python (`name (pkg/f.py:12)`, `name (lib.so)`).
    PySpy,
    /// Trace events: lines are the first lines of functions.
    PyTorch,
    /// speedscope, pstats: lines are the first lines of functions; `[self]` is a function's own
    /// time.
    Pyinstrument,
    /// callgrind: converted from Python's `cProfile`.
    Pyprof2calltree,
    /// callgrind, speedscope, folded stacks (`name - /p/f.rb:12`).
    Rbspy,
    /// callgrind.
    RubyProf,
    /// speedscope: exported by speedscope, or written by older tools of .NET.
    Speedscope,
    /// pstats: Python's module `profiling.sampling`. Lines are those that execute.
    Tachyon,
    /// Trace events: `tracing-chrome`, for Rust.
    TracingChrome,
    /// Folded stacks: `LazyCompile:*f /p/x.js:12:3`. The line is the first one of `f`.
    V8,
    /// Trace events: lines are the first lines of functions.
    VizTracer,
    /// Folded stacks: `py:f:12:/p/x.py`, `TRACE_3::f.lua:12`. The line is the first one of the
    /// function. Also `py::f:/p/x.py`, which CPython writes for perf.
    Vmprof,
    /// callgrind, with a block for each call in order of their returns.
    Xdebug,
    /// pstats.
    Yappi,
}

impl Dialect {
    /// All dialects, by name of the variant.
    pub const ALL: [Self; 27] = [
        Self::AsyncProfiler,
        Self::Austin,
        Self::Austin2,
        Self::CProfile,
        Self::Costline,
        Self::DotNet,
        Self::Dtrace,
        Self::Faulthandler,
        Self::FlameGraphSrcline,
        Self::Node,
        Self::Nytprof,
        Self::PerfSrcline,
        Self::Profile,
        Self::PySpy,
        Self::PyTorch,
        Self::Pyinstrument,
        Self::Pyprof2calltree,
        Self::Rbspy,
        Self::RubyProf,
        Self::Speedscope,
        Self::Tachyon,
        Self::TracingChrome,
        Self::V8,
        Self::VizTracer,
        Self::Vmprof,
        Self::Xdebug,
        Self::Yappi,
    ];

    /// A stable name for programs: the name of the program that writes the dialect, if only one
    /// does.
    pub fn name(self) -> &'static str {
        match self {
            Self::AsyncProfiler => "async-profiler",
            Self::Austin => "austin",
            Self::Austin2 => "austin-2",
            Self::CProfile => "cProfile",
            Self::Costline => "costline",
            Self::DotNet => "Microsoft.Diagnostics.Tracing.TraceEvent",
            Self::Dtrace => "dtrace",
            Self::Faulthandler => "faulthandler",
            Self::FlameGraphSrcline => "flamegraph-srcline",
            Self::Node => "node",
            Self::Nytprof => "nytprofcg",
            Self::PerfSrcline => "perf-srcline",
            Self::Profile => "profile",
            Self::PySpy => "py-spy",
            Self::PyTorch => "PyTorch",
            Self::Pyinstrument => "pyinstrument",
            Self::Pyprof2calltree => "pyprof2calltree",
            Self::Rbspy => "rbspy",
            Self::RubyProf => "ruby-prof",
            Self::Speedscope => "speedscope",
            Self::Tachyon => "profiling.sampling",
            Self::TracingChrome => "tracing-chrome",
            Self::V8 => "v8",
            Self::VizTracer => "viztracer",
            Self::Vmprof => "vmprof",
            Self::Xdebug => "xdebug",
            Self::Yappi => "yappi",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn producers_are_split_into_name_and_version() {
        let cases = [
            ("py-spy@0.4.0", "py-spy", Some("0.4.0")),
            ("callgrind-3.22.0.GIT", "callgrind", Some("3.22.0.GIT")),
            ("xdebug 3.2.0 (PHP 8.2.7)", "xdebug", Some("3.2.0 (PHP 8.2.7)")),
            ("rbspy 0.55.0", "rbspy", Some("0.55.0")),
            ("pyprof2calltree", "pyprof2calltree", None),
            ("by hand", "by hand", None),
            ("é 1", "é", Some("1")),
            ("-1", "-1", None),
            ("a@", "a@", None),
            ("", "", None),
        ];
        for (text, name, version) in cases {
            let producer = Producer::parse(text);
            assert_eq!((producer.name(), producer.version()), (name, version), "{text}");
            assert_eq!(producer.text(), text);
        }
        let empty = Producer::new("perf", "");
        assert_eq!((empty.name(), empty.version(), empty.text()), ("perf", None, "perf@"));
    }

    #[test]
    fn a_producer_has_the_dialect_of_its_name() {
        assert_eq!(Producer::parse("rbspy 0.55.0").dialect(), Some(Dialect::Rbspy));
        assert_eq!(Producer::parse("rbspy-like 1").dialect(), None);
        let writer = Writer::of_producer(Some(Producer::parse("xdebug 3.4.1")));
        assert_eq!((writer.dialect, writer.text()), (Some(Dialect::Xdebug), Some("xdebug 3.4.1")));
    }

    #[test]
    fn the_text_of_a_writer_without_producer_is_its_dialect() {
        let writer = Writer { producer: None, dialect: Some(Dialect::PerfSrcline) };
        assert_eq!(writer.text(), Some("perf-srcline"));
        assert_eq!(Writer::default().text(), None);
    }

    #[test]
    fn all_has_every_dialect_once() {
        let mut names = Dialect::ALL.map(Dialect::name).to_vec();
        names.dedup();
        assert_eq!(names.len(), Dialect::ALL.len());
        assert!(Dialect::ALL.is_sorted_by_key(|dialect| *dialect as usize));
        assert_eq!(Dialect::ALL.map(|dialect| dialect as usize).last(), Some(&26));
    }
}
