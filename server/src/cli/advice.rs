//! What to do about what a profile lacks: the command that records it better, by format and by the
//! program that wrote it.

use analysis::WarningCode;
use engine::snapshot::Snapshot;
use formats::{Dialect, Format};
use sources::Mapping;

/// Sentences, most important first; none when nothing is missing.
pub(super) fn advice(snapshot: &Snapshot) -> Vec<String> {
    let costs = &snapshot.costs;
    if costs.base == 0.0 {
        return vec![
            "the profile has no samples: record for longer, or while the program is busy"
                .to_owned(),
        ];
    }
    if snapshot.warnings.iter().any(|warning| warning.code == WarningCode::NoDebugInfo) {
        return Vec::new();
    }
    // Lines that were there, but of minified code, have a warning of their own.
    let packed =
        snapshot.warnings.iter().any(|warning| warning.code == WarningCode::SourceMapPackedLine);
    if costs.lines().is_empty() && !packed {
        return vec![format!("no frame has a line: {}", with_lines(snapshot))];
    }
    // Its lines are where functions start.
    if snapshot.warnings.iter().any(|warning| {
        [WarningCode::OneLinePerFunction, WarningCode::FunctionLines].contains(&warning.code)
    }) {
        return vec![format!("costs of functions only: {}", with_lines(snapshot))];
    }
    // Lines of Ruby 2.6 and newer are where functions end (rbspy 0.55), and no file tells the
    // version.
    let dialect = snapshot.loaded.writer.dialect;
    if matches!(snapshot.loaded.format, Format::Rbspy) || dialect == Some(Dialect::Rbspy) {
        return vec![format!(
            "rbspy writes the last line of a method, not the line that executes: {RUBY}"
        )];
    }
    let found =
        snapshot.mappings().any(|(_, _, mapping)| matches!(mapping, Mapping::Mapped { .. }));
    if !found && snapshot.warnings.iter().any(|warning| warning.code == WarningCode::Unsymbolicated)
    {
        return vec![ADDRESSES.to_owned()];
    }
    let unfound =
        "none of its files is in the sources: give the project with --root, or --map FROM=TO";
    (!found && !costs.lines().is_empty()).then(|| unfound.to_owned()).into_iter().collect()
}

/// What to do about functions without names and lines.
const ADDRESSES: &str = "functions are addresses. Put the program that was recorded where it was, into the project, or name it with --symbols \
                (setting `symbols.paths`); it needs debug info (`-g`; Rust: `debug = \"line-tables-only\"`). Where it was recorded, \
                `perf script -i perf.data -F +pid,+srcline --full-source-path` and `pprof -proto PROGRAM FILE` write names and lines \
                into a file, and a samply newer than 0.13 does with `--presymbolicate`";

/// How to record Ruby with lines.
const RUBY: &str = "for lines record with `StackProf.run(mode: :wall, raw: true, out: \"stackprof.dump\")`, version 0.2.26 or newer, and \
                    convert it with `stackprof --json stackprof.dump > stackprof.json`";

/// How to record Python with lines.
const PYTHON: &str = "this profiler says where functions start; for lines `py-spy record --format speedscope -o profile.speedscope.json -- \
                      python3 PROGRAM.py`";

/// How to record the same with lines.
fn with_lines(snapshot: &Snapshot) -> &'static str {
    let writer = &snapshot.loaded.writer;
    let by = |dialect: Dialect| writer.dialect == Some(dialect);
    if snapshot.is_unsymbolicated() {
        return ADDRESSES;
    }
    match snapshot.loaded.format {
        Format::FirefoxProcessed | Format::FirefoxSlabs => {
            "record with `samply record --presymbolicate --save-only -o profile.json.gz -- PROGRAM` (newer than 0.13), and build \
             the program with debug info"
        }
        Format::Gecko => {
            "record JavaScript with `MOZ_PROFILER_STARTUP=1 MOZ_PROFILER_STARTUP_FEATURES=js,stackwalk,cpu \
             MOZ_PROFILER_SHUTDOWN=profile.json firefox URL`; for native code use `samply record --presymbolicate`"
        }
        Format::CpuProfile => "record with `node --cpu-prof PROGRAM.js` (Node 12 or newer)",
        Format::HeapProfile => {
            "V8 records which function allocates, not on which line; costs are on lenses and in the call hierarchy"
        }
        Format::ChromeTrace if by(Dialect::VizTracer) => {
            "VizTracer says where functions start; for lines `py-spy record -f speedscope --full-filenames -o p.speedscope.json -- \
             python3 PROGRAM.py`"
        }
        Format::ChromeTrace if by(Dialect::PyTorch) => {
            "PyTorch says where functions start; for lines `py-spy record -f speedscope --full-filenames -o p.speedscope.json -- \
             python3 PROGRAM.py`"
        }
        Format::ChromeTrace if by(Dialect::Node) => {
            "these events have no places; for lines `node --cpu-prof PROGRAM.js`"
        }
        Format::ChromeTrace => {
            "these events have names only. For lines: `py-spy record -f chrometrace -o trace.json -- python3 PROGRAM.py` (without \
             -F); in DevTools a recording of the Performance panel, saved from there; in Rust, tracing-chrome's \
             `ChromeLayerBuilder::new().include_locations(true)`"
        }
        Format::Speedscope if by(Dialect::Rbspy) => {
            "record with `rbspy record --format speedscope --file p.speedscope.json -- ruby PROGRAM.rb`; C functions have no lines"
        }
        Format::Speedscope if by(Dialect::Pyinstrument) || by(Dialect::PySpy) => {
            "record with `py-spy record -f speedscope --full-filenames -o p.speedscope.json -- python3 PROGRAM.py` (without -F)"
        }
        Format::Speedscope => {
            "it was converted from another profile: open that one instead, or convert it with lines"
        }
        Format::Pprof => {
            "build the program with debug info (Rust: `debug = \"line-tables-only\"`, C and C++: `-g`, Go: without \
             -ldflags=-w) and record again"
        }
        Format::PerfData => ADDRESSES,
        Format::PerfScript => {
            "print it with `perf script -i perf.data -F +pid,+srcline --full-source-path > perf.txt`; the program needs debug info \
             (`-g`), and `perf record --call-graph dwarf` gives the right lines of callers"
        }
        Format::Folded => match writer.text() {
            None => {
                "frames are names only. py-spy (`--format raw`), austin and rbspy (`--format collapsed`) write lines, and `perf \
                 script -F +pid,+srcline --full-source-path` does (give that text as it is)"
            }
            Some(_) => {
                "this dialect can carry lines; tell the profiler to write executing lines, not where functions start"
            }
        },
        Format::Rbspy | Format::RbspySummary => {
            "only C functions were sampled; record for longer with `rbspy record --raw-file rbspy.raw.gz -- ruby PROGRAM.rb`"
        }
        Format::AustinMojo => {
            "no Python code was sampled; record again with `austin -b -o app.mojo python3 PROGRAM.py`"
        }
        Format::Pstats => PYTHON,
        Format::Stackprof => RUBY,
        Format::Callgrind if by(Dialect::Rbspy) || by(Dialect::RubyProf) => RUBY,
        Format::Callgrind if by(Dialect::Pyprof2calltree) => PYTHON,
        Format::Callgrind if by(Dialect::Nytprof) || by(Dialect::Xdebug) => {
            "this profiler writes where functions start and call; its costs are right for functions"
        }
        Format::Callgrind => {
            "build the program with debug info (`-g`), then `valgrind --tool=callgrind --dump-line=yes PROGRAM`"
        }
        Format::Dhat => {
            "build the program with debug info (`-g`; Rust: `debug = 1`), then `valgrind --tool=dhat PROGRAM`"
        }
    }
}
