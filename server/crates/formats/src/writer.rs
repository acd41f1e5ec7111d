//! Who wrote a file: the program, its version, and the dialect of the format that it writes.

use std::fmt;

/// Who wrote a file, as far as the file says or shows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Writer {
    /// The program that the file names; `None` if it names none.
    pub producer: Option<Producer>,
    /// The dialect in which the file is written; `None` if its format has none or the reader
    /// recognises none.
    pub dialect: Option<Dialect>,
}

impl Writer {
    /// A program that the file names, and the dialect that this program writes.
    pub(crate) fn of_producer(producer: Option<Producer>) -> Self {
        let dialect = producer.as_ref().and_then(Producer::dialect);
        Self { producer, dialect }
    }

    /// The program with its version as one text (`perf@6.1.187`), or else the name of the dialect
    /// (`py-spy`).
    pub fn text(&self) -> Option<&str> {
        let producer = self.producer.as_ref().map(Producer::text);
        producer.or(self.dialect.map(Dialect::name))
    }
}

/// A program and its version.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Producer {
    /// Name, one separating byte, version.
    text: String,
    name_len: usize,
}

impl Producer {
    /// A program as files name it: `py-spy@0.4.0`, `callgrind-3.22.0`, `xdebug 3.2.0 (PHP 8.2.7)`.
    /// The version is what follows the first separator before a digit.
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

    /// The program's version, where the file states it: `3.22.0`.
    pub fn version(&self) -> Option<&str> {
        self.text.get(self.name_len + 1..).filter(|version| !version.is_empty())
    }

    /// Name and version as the file spells them: `callgrind-3.22.0`.
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
/// its lines execute or only start a function, whether its events are calls.
///
/// Readers take it from the producer that the file names or, where it names none, recognise it by
/// content. The same program may write several formats, each in its own way, so a dialect means
/// something only together with a [`crate::Format`].
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
    /// callgrind: an export of Costline's.
    Costline,
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
    /// Trace events, speedscope, folded stacks (`name (pkg/f.py:12)`, `name (lib.so)`).
    PySpy,
    /// Trace events: lines are where functions start.
    PyTorch,
    /// speedscope, pstats: lines are where functions start; `[self]` is a function's own time.
    Pyinstrument,
    /// callgrind: what Python's `cProfile` measured.
    Pyprof2calltree,
    /// callgrind, speedscope, folded stacks (`name - /p/f.rb:12`).
    Rbspy,
    /// callgrind.
    RubyProf,
    /// speedscope: files that speedscope exports, and those of .NET's tools.
    Speedscope,
    /// Trace events: `tracing-chrome`, for Rust.
    TracingChrome,
    /// Folded stacks: `LazyCompile:*f /p/x.js:12:3`. The line is where `f` starts.
    V8,
    /// Trace events: lines are where functions start.
    VizTracer,
    /// Folded stacks: `py:f:12:/p/x.py`, `TRACE_3::f.lua:12`. The line is where the function
    /// starts. Also `py::f:/p/x.py`, which CPython writes for perf.
    Vmprof,
    /// callgrind, written in the order of the calls.
    Xdebug,
    /// pstats.
    Yappi,
}

impl Dialect {
    /// All dialects, by name of the variant.
    pub const ALL: [Self; 25] = [
        Self::AsyncProfiler,
        Self::Austin,
        Self::Austin2,
        Self::CProfile,
        Self::Costline,
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
        Self::TracingChrome,
        Self::V8,
        Self::VizTracer,
        Self::Vmprof,
        Self::Xdebug,
        Self::Yappi,
    ];

    /// A stable name for programs: that of the program that writes the dialect, where it has only
    /// one.
    pub fn name(self) -> &'static str {
        match self {
            Self::AsyncProfiler => "async-profiler",
            Self::Austin => "austin",
            Self::Austin2 => "austin-2",
            Self::CProfile => "cProfile",
            Self::Costline => "costline",
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
        assert_eq!(Dialect::ALL.map(|dialect| dialect as usize).last(), Some(&24));
    }
}
