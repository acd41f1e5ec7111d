//! What to do about what a profile lacks: the command that records it better, by format and by the program that wrote it.

use crate::session::originals::PACKED;
use crate::session::snapshot::Snapshot;
use formats::Format;
use sources::Mapping;

/// Sentences, most important first; none when nothing is missing.
pub(super) fn advice(snapshot: &Snapshot) -> Vec<String> {
    let costs = &snapshot.costs;
    if costs.total == 0.0 {
        return vec!["the profile has no samples: record for longer, or while the program is busy".to_owned()];
    }
    let version = snapshot.loaded.version.as_deref().unwrap_or_default();
    // Lines that were there, but of minified code, have a warning of their own.
    let packed = snapshot.warnings.iter().any(|warning| warning.code == PACKED);
    if costs.lines().is_empty() && !packed {
        return vec![format!("no frame has a line: {}", with_lines(snapshot, version))];
    }
    if snapshot.warnings.iter().any(|warning| warning.code == "one-line-per-function") {
        return vec![format!("costs of functions only: {}", with_lines(snapshot, version))];
    }
    let found = snapshot.mappings().any(|(_, _, mapping)| matches!(mapping, Mapping::Mapped { .. }));
    let unfound = "none of its files is in the sources: give the project with --root, or --map FROM=TO";
    (!found && !costs.lines().is_empty()).then(|| unfound.to_owned()).into_iter().collect()
}

/// How to record the same with lines.
fn with_lines(snapshot: &Snapshot, version: &str) -> &'static str {
    let by = |program: &str| version.starts_with(program);
    match snapshot.loaded.format {
        Format::FirefoxProcessed | Format::FirefoxSlabs if snapshot.is_unsymbolicated() => {
            "functions are addresses. With samply newer than 0.13: `samply record --presymbolicate --save-only -o profile.json.gz \
             -- PROGRAM`; else open the file with `samply load` and save what the Firefox Profiler shows. The program needs \
             debug info"
        }
        Format::FirefoxProcessed | Format::FirefoxSlabs => {
            "record with `samply record --presymbolicate --save-only -o profile.json.gz -- PROGRAM` (newer than 0.13), and build \
             the program with debug info"
        }
        Format::Gecko => {
            "native functions get lines when the file is opened in https://profiler.firefox.com and saved from there; \
             JavaScript gets them with the feature `js`: `MOZ_PROFILER_STARTUP_FEATURES=js,stackwalk`"
        }
        Format::CpuProfile => {
            "record with `node --cpu-prof PROGRAM.js` (Node 12 or newer), and look at the metric `hits`: `time` has none"
        }
        Format::HeapProfile => {
            "V8 records which function allocates, not on which line; costs are on lenses and in the call hierarchy"
        }
        Format::ChromeTrace if by("viztracer") => {
            "VizTracer says where functions start; costs are on lenses and in the call hierarchy"
        }
        Format::ChromeTrace => {
            "these events have names only. For lines: `py-spy record --format chrometrace -o trace.json -- python PROGRAM.py`, in \
             DevTools a performance recording with JavaScript samples, in Rust tracing-chrome's \
             `ChromeLayerBuilder::new().include_locations(true)`"
        }
        Format::Speedscope if by("pyinstrument") => {
            "pyinstrument says where functions start; for lines `py-spy record --format speedscope -o profile.speedscope.json -- \
             python PROGRAM.py`"
        }
        Format::Speedscope => {
            "py-spy and rbspy write lines: `py-spy record --format speedscope -o profile.speedscope.json -- python PROGRAM.py`, \
             `rbspy record --format speedscope --file profile.speedscope.json -- ruby PROGRAM.rb`"
        }
        Format::Pprof => {
            "if functions are addresses, `pprof -proto -lines PROGRAM PROFILE > profile.pb.gz` adds names and lines; Go programs \
             must not be linked with -ldflags=-w"
        }
        Format::PerfScript => {
            "print it with `perf script -i perf.data -F +pid,+srcline --full-source-path > perf.txt`; the program needs debug info"
        }
        Format::Folded => match version {
            "" => {
                "frames are names only. py-spy (`--format raw`), austin and rbspy (`--format collapsed`) write lines, and `perf \
                 script -F +pid,+srcline --full-source-path` does (give that text as it is)"
            }
            _ => "this dialect can carry lines; tell the profiler to write executing lines, not where functions start",
        },
        Format::Rbspy | Format::RbspySummary => "it has C functions only; record longer, or while Ruby code is running",
        Format::AustinMojo => "it has no line of Python code; record longer, or while the program is busy",
        Format::Stackprof => {
            "record with `StackProf.run(mode: :wall, raw: true, out: \"stackprof.dump\")` and convert it with `stackprof --json`"
        }
        Format::Callgrind if by("rbspy") => {
            "for lines `rbspy record --format speedscope --file profile.speedscope.json -- ruby PROGRAM.rb`"
        }
        Format::Callgrind if by("ruby-prof") => {
            "ruby-prof says where functions start and call; for lines `rbspy record --format speedscope --file \
             profile.speedscope.json -- ruby PROGRAM.rb`"
        }
        Format::Callgrind if by("pyprof2calltree") => {
            "cProfile says where functions start; for lines `py-spy record --format speedscope -o profile.speedscope.json -- python \
             PROGRAM.py`"
        }
        Format::Callgrind if by("nytprofcg") || by("xdebug") => {
            "this profiler writes where functions start and call; its costs are right for functions"
        }
        Format::Callgrind => "build the program with debug info (`-g`), then `valgrind --tool=callgrind --dump-line=yes PROGRAM`",
        Format::Dhat => "build the program with debug info (`-g`), then `valgrind --tool=dhat PROGRAM`",
    }
}
