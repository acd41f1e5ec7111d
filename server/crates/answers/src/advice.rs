//! Advice on what a profile lacks: the command that records a better one, by format and by the
//! program that wrote it.

use analysis::{Costs, WarningCode};
use formats::{Dialect, Format};
use loading::Snapshot;
use sources::Mapping;
use symbols::LibStatus;

/// What to do about what a profile lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Advice {
    /// How to record a better one.
    Record(String),
    /// No file of the profile was found: pass the folder that they are in, or a path mapping.
    FindFiles,
}

/// The most important advice on a profile. `None` if it lacks nothing, or if a warning about it
/// contains the advice.
pub fn advice(snapshot: &Snapshot) -> Option<Advice> {
    let record = |text: String| Some(Advice::Record(text));
    let has_warning =
        |code: WarningCode| snapshot.warnings.iter().any(|warning| warning.code == code);
    let costs = &snapshot.costs;
    if snapshot.is_empty() {
        return record(no_costs(costs).to_owned());
    }
    // This warning contains its own advice.
    if has_warning(WarningCode::NoDebugInfo) {
        return None;
    }
    // So does this one: there were lines, but of minified code.
    if costs.lines().is_empty() && !has_warning(WarningCode::SourceMapPackedLine) {
        return record(format!("no frame has a line: {}", with_lines(snapshot)));
    }
    if has_warning(WarningCode::OneLinePerFunction) || has_warning(WarningCode::FunctionLines) {
        return record(format!("only function costs are known: {}", with_lines(snapshot)));
    }
    // rbspy 0.55 writes the last line of a method for Ruby 2.6 and newer. Profiles do not contain
    // the version of Ruby.
    let dialect = snapshot.loaded.writer.dialect;
    if matches!(snapshot.loaded.format, Format::Rbspy) || dialect == Some(Dialect::Rbspy) {
        return record(format!(
            "rbspy writes the last line of a method, not the line that executes: {RUBY}"
        ));
    }
    if snapshot.mappings().any(|(_, _, mapping)| matches!(mapping, Mapping::Mapped { .. })) {
        return None;
    }
    if has_warning(WarningCode::Unsymbolicated) {
        return record(addresses(snapshot));
    }
    (!costs.lines().is_empty()).then_some(Advice::FindFiles)
}

/// Why nothing has a cost.
fn no_costs(costs: &Costs) -> &'static str {
    if costs.idle != 0.0 {
        return "all samples are idle: record while the program is busy";
    }
    if costs.no_stack != 0.0 {
        return "no sample has a stack, so no function has a cost: record with call stacks, or another kind of profile";
    }
    "the profile has no samples: record for longer, or while the program is busy"
}

/// Advice for functions without names and lines.
fn addresses(snapshot: &Snapshot) -> String {
    let libraries = snapshot.symbolicated.libraries.all().iter();
    // Other tools use files that have changed since without saying so, and none of them reads a profile of gprof.
    let has_changed = libraries.filter_map(|library| library.symbols.as_ref()).any(|symbols| {
        matches!(
            symbols.status(),
            LibStatus::Newer { .. } | LibStatus::Mismatch { .. } | LibStatus::Unnamed { .. }
        )
    });
    let elsewhere = if has_changed { "" } else { ADDRESSES_ELSEWHERE };
    format!("{ADDRESSES}{elsewhere}")
}

/// How to find the recorded files.
const ADDRESSES: &str = "functions are addresses. Put the recorded program where it was during the recording, or into the top folder of the project, or \
                pass it with --symbols (setting `symbols.paths`); it needs debug info (`-g`; Rust: `debug = \"line-tables-only\"`)";

/// How to do without them.
const ADDRESSES_ELSEWHERE: &str = ". On the machine where it was recorded, `perf script -i perf.data -F +pid,+srcline --full-source-path`, \
                `go tool pprof -proto PROGRAM FILE`, and samply (newer than 0.13) with `--presymbolicate` write names and lines into a file";

/// How to record Ruby with lines.
const RUBY: &str = "for lines, record with `StackProf.run(mode: :wall, raw: true, out: \"stackprof.dump\")` (version 0.2.26 or newer) \
                    and convert the file with `stackprof --json stackprof.dump > stackprof.json`";

/// How to record Python with lines.
const PYTHON: &str = "this profiler writes only the line where each function starts; for lines, use `py-spy record -f speedscope \
                      --full-filenames -o profile.speedscope.json -- python3 PROGRAM.py`";

/// How to record the same program with lines.
fn with_lines(snapshot: &Snapshot) -> String {
    let writer = &snapshot.loaded.writer;
    let by = |dialect: Dialect| writer.dialect == Some(dialect);
    let is_yappi = writer.producer.as_ref().is_some_and(|producer| producer.name() == "yappi");
    if snapshot.is_unsymbolicated() {
        return addresses(snapshot);
    }
    let text = match snapshot.loaded.format {
        Format::FirefoxProcessed | Format::FirefoxSlabs => {
            "record with `samply record --presymbolicate --save-only -o profile.json.gz -- PROGRAM` (newer than 0.13), and build \
             the program with debug info"
        }
        Format::Gecko => {
            "record JavaScript with `MOZ_PROFILER_STARTUP=1 MOZ_PROFILER_STARTUP_FEATURES=js,stackwalk,cpu \
             MOZ_PROFILER_SHUTDOWN=profile.json firefox URL`; for native code use `samply record --presymbolicate`"
        }
        Format::CpuProfile => "record with `node --cpu-prof PROGRAM.js` (Node 12 or newer)",
        Format::V8Log => "record with `node --prof PROGRAM.js`; only native code has no lines",
        Format::HeapProfile => {
            "V8 records which function allocates, but not on which line; see the code lenses and the call hierarchy"
        }
        Format::ChromeTrace if by(Dialect::VizTracer) => {
            "VizTracer writes only the line where each function starts; for lines, use `py-spy record -f speedscope --full-filenames \
             -o p.speedscope.json -- python3 PROGRAM.py`"
        }
        Format::ChromeTrace if by(Dialect::PyTorch) => {
            "PyTorch writes only the line where each function starts; for lines, use `py-spy record -f speedscope --full-filenames \
             -o p.speedscope.json -- python3 PROGRAM.py`"
        }
        Format::ChromeTrace if by(Dialect::Node) => {
            "these events have no files and lines; for lines, use `node --cpu-prof PROGRAM.js`"
        }
        Format::Speedscope | Format::ChromeTrace if by(Dialect::DotNet) => {
            "dotnet-trace writes neither files nor lines; see the code lenses and the call hierarchy"
        }
        Format::ChromeTrace => {
            "these events have only names. For lines, use `py-spy record -f chrometrace -o trace.json -- python3 PROGRAM.py` (without \
             -F), a profile saved from the Performance panel of DevTools, or, in Rust, tracing-chrome with \
             `ChromeLayerBuilder::new().include_locations(true)`"
        }
        Format::Speedscope if by(Dialect::Rbspy) => {
            "record with `rbspy record --format speedscope --file p.speedscope.json -- ruby PROGRAM.rb`; C functions have no lines"
        }
        Format::Speedscope if by(Dialect::Pyinstrument) || by(Dialect::PySpy) => {
            "record with `py-spy record -f speedscope --full-filenames -o p.speedscope.json -- python3 PROGRAM.py` (without -F)"
        }
        Format::Speedscope => {
            "the file was converted from another profile: open that one, or convert it with lines"
        }
        Format::Pprof => {
            "build the program with debug info (Rust: `debug = \"line-tables-only\"`, C and C++: `-g`, Go: without \
             -ldflags=-w) and record again"
        }
        Format::Gprof => "build the program with `-g` as well as `-pg`, and run it again",
        Format::Otlp => {
            "the profiler wrote no lines: for native programs, keep debug info (`-g`; Rust: `debug = \"line-tables-only\"`) where \
             Costline runs"
        }
        Format::PerfData => return addresses(snapshot),
        Format::PerfScript => {
            "write it with `perf script -i perf.data -F +pid,+srcline --full-source-path > perf.txt`; the program needs debug info \
             (`-g`), and `perf record --call-graph dwarf` records the correct lines of callers"
        }
        Format::Simpleperf => {
            "simpleperf's report has no lines. For those of native code, show the perf.data that it was made from, and pass the folder of \
             the libraries with debug info with --symbols (setting `symbols.paths`)"
        }
        Format::MacosSample => {
            "build the program with debug info (`-g`; Rust: `debug = \"line-tables-only\"`) and record with `sample PROGRAM 10 -mayDie \
             -fullPaths -file app.sample.txt`"
        }
        Format::Xctrace => {
            "build the program with debug info (`-g`; Rust: `debug = \"line-tables-only\"`), add it to the recording with `xctrace \
             symbolicate --input app.trace --dsym PROGRAM.dSYM`, and export it again"
        }
        Format::Folded => match writer.text() {
            None => {
                "frames have only names. py-spy (`--format raw`), austin and rbspy (`--format collapsed`) write lines, and so does \
                 `perf script -F +pid,+srcline --full-source-path`, whose output Costline reads directly"
            }
            Some(_) => {
                "this dialect can contain lines: configure the profiler to write the line that executes, not the one where the \
                 function starts"
            }
        },
        Format::FlameGraph => {
            "the frames have only names: py-spy draws graphs with lines, and `cargo flamegraph` keeps its recording, perf.data, which \
             Costline reads with lines"
        }
        Format::Rbspy | Format::RbspySummary => {
            "only C functions were sampled: record for longer with `rbspy record --raw-file rbspy.raw.gz -- ruby PROGRAM.rb`"
        }
        Format::AustinMojo => {
            "no Python code was sampled: record again with `austin -b -o app.mojo python3 PROGRAM.py`"
        }
        Format::Pyinstrument => {
            "no Python code was sampled: record again with `pyinstrument -r pyisession -o app.pyisession PROGRAM.py`"
        }
        Format::Pstats | Format::LineProfiler | Format::Scalene => PYTHON,
        Format::Stackprof => RUBY,
        Format::Callgrind if by(Dialect::Rbspy) || by(Dialect::RubyProf) => RUBY,
        Format::Callgrind if by(Dialect::Pyprof2calltree) || is_yappi => PYTHON,
        Format::Callgrind if by(Dialect::Nytprof) || by(Dialect::Xdebug) => {
            "this profiler writes only the lines where functions start and where they call others; \
             function costs are correct"
        }
        Format::Callgrind => {
            "build the program with debug info (`-g`) and record with `valgrind --tool=callgrind --dump-line=yes PROGRAM`"
        }
        Format::Rprof => {
            "record with `options(keep.source = TRUE); Rprof(\"Rprof.out\", line.profiling = TRUE); \
             source(\"PROGRAM.R\"); Rprof(NULL)`; functions of packages have no lines"
        }
        Format::MercuryDeep => {
            "the profiled program made no calls: compile it with `mmc --grade \
             asm_fast.gc.profdeep`, and let it run to the end"
        }
        Format::Heaptrack => {
            "build the program with debug info (`-g`; Rust: `debug = 1`) and record with `heaptrack PROGRAM`"
        }
        Format::Ghc => {
            "GHC records cost centres, not lines: compile with `ghc -prof -fprof-auto`, and split what is hot with `{-# SCC \"name\" #-}`"
        }
        Format::Memray => {
            "no Python code made allocations: record again with `memray run --trace-python-allocators -o memray-app.bin app.py`"
        }
        Format::Jfr => {
            "no Java code was sampled: compile with `javac -g`, and record for longer with `java \
             -XX:StartFlightRecording=filename=app.jfr,settings=profile PROGRAM`"
        }
        Format::Nettrace => {
            "the lines of .NET methods are in other files; see the code lenses and the call hierarchy"
        }
        Format::Dhat => {
            "build the program with debug info (`-g`; Rust: `debug = 1`) and record with `valgrind --tool=dhat --num-callers=500 PROGRAM`"
        }
    };
    text.to_owned()
}
