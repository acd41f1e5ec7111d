//! The files that are recognized but not read, in the order of the documentation. The first match
//! wins.

use super::checks::{
    is_cprofile_text, is_etl, is_gperftools, is_perf_report, is_perfetto, is_pprof_text,
};
use crate::foreign_kind::Foreign;
use crate::signature::Signature::{At, Begins, Check, FolderName, Keys};

/// The command that records Python.
macro_rules! py_spy {
    () => {
        "`py-spy record -f speedscope --full-filenames -o app.speedscope.json -- python3 app.py`"
    };
}

const PERF: &str = "record again with `perf record --call-graph dwarf ./app`";

/// All kinds of files that are recognized but not read.
pub static TABLE: &[Foreign] = &[
    // Python
    Foreign {
        name: "memray-report",
        what: "a table or page that memray made from a recording",
        instead: "give Costline the recording itself, `memray-app.py.1234.bin`",
        signatures: &[
            Begins(b"allocator,num_allocations,size,", &[]),
            Begins(b"\n<!DOCTYPE html>", &[b"<title>memray - "]),
            Keys(&["total_num_allocations", "total_bytes_allocated"]),
        ],
    },
    Foreign {
        name: "pyinstrument-report",
        what: "a report by pyinstrument, as text or as a page",
        instead: "record again with `pyinstrument -r pyisession -o app.pyisession app.py`",
        signatures: &[
            Keys(&["session.sample_count", "session.target_description"]),
            Begins(b"<!DOCTYPE html>", &[b"var pyinstrumentHTMLRenderer"]),
            Begins(b"\n  _     ._   __/__   _ _  _  _ _/_", &[]),
        ],
    },
    Foreign {
        name: "cprofile-text",
        what: "a table that cProfile printed",
        instead: "record again with `python3 -m cProfile -o app.pstats app.py`; for lines, use `py-spy record -f speedscope \
                  --full-filenames -o app.speedscope.json -- python3 app.py`",
        signatures: &[Check(is_cprofile_text)],
    },
    Foreign {
        name: "memory-profiler",
        what: "a recording of memory use over time (`mprof`)",
        instead: concat!("it has no functions; for time, record again with ", py_spy!()),
        signatures: &[Begins(b"CMDLINE ", &[b"\nMEM "])],
    },
    Foreign {
        name: "py-spy-dump",
        what: "a single py-spy stack dump",
        instead: "it shows one moment, not costs: record with `py-spy record -f speedscope --full-filenames -o app.speedscope.json --pid PID`",
        signatures: &[Begins(b"Process ", &[b"\nPython v", b"\nThread "])],
    },
    Foreign {
        name: "python-sampling",
        what: "a binary recording from Python's `profiling.sampling`",
        instead: "convert it with `python3 -m profiling.sampling replay -o app.pstats FILE`",
        // The magic number in either byte order, then a small version.
        signatures: &[Begins(b"HCAT", &[b"\0\0\0"]), Begins(b"TACH", &[b"\0\0\0"])],
    },
    Foreign {
        name: "python-sampling-report",
        what: "a report from Python's `profiling.sampling` (flame graph, heat map or JSON lines)",
        instead: "record again with `python3 -m profiling.sampling run -o app.pstats app.py`",
        signatures: &[
            Begins(b"<!doctype html>", &[b"<title>Tachyon Profiler"]),
            Begins(b"<!doctype html>", &[b" - Heatmap</title>", b">Tachyon<"]),
            Keys(&["run_id", "sample_interval_usec"]),
        ],
    },
    Foreign {
        name: "coverage-py",
        what: "a coverage report (coverage.py, Cobertura)",
        instead: concat!(
            "it says which lines ran, not what they cost: record Python with ",
            py_spy!()
        ),
        signatures: &[
            Begins(b"SQLite format 3\0", &[b"coverage_schema"]),
            Keys(&["meta.branch_coverage", "files"]),
            Begins(b"<?xml", &[b"<coverage "]),
        ],
    },
    // C, C++, Rust
    Foreign {
        name: "lcov",
        what: "a coverage report in lcov format",
        instead: "it counts how often lines ran, not what they cost. Beside a profile, named \
                  `lcov.info`, it adds these counts",
        signatures: &[Begins(b"TN:", &[b"\nSF:"]), Begins(b"SF:", &[b"\nDA:"])],
    },
    Foreign {
        name: "gcov",
        what: "gcov coverage data (.gcda, .gcno, .gcov)",
        instead: "it counts how often lines ran, not what they cost. As an lcov report (`lcov \
                  --capture --directory . --output-file lcov.info`) beside a profile, it adds \
                  these counts",
        signatures: &[
            At(0, b"adcg"),
            At(0, b"gcda"),
            At(0, b"oncg"),
            At(0, b"gcno"),
            Begins(b"        -:    0:Source:", &[]),
            Keys(&["gcc_version", "files"]),
        ],
    },
    Foreign {
        name: "gprof-text",
        what: "a gprof text report",
        instead: PERF,
        signatures: &[Begins(b"Flat profile:\n", &[]), Begins(b"\t\t     Call graph", &[])],
    },
    Foreign {
        name: "massif",
        what: "a heap profile from valgrind's massif",
        instead: "record again with `valgrind --tool=dhat --num-callers=500 --dhat-out-file=dhat.out.app.json ./app`",
        signatures: &[Begins(b"desc: ", &[b"\ncmd: ", b"\ntime_unit: "])],
    },
    Foreign {
        name: "heaptrack-raw",
        what: "a raw heaptrack recording, with addresses instead of functions",
        instead: "convert it with the command that heaptrack printed, such as `zstd -dc FILE | /usr/lib/heaptrack/libexec/heaptrack_interpret | zstd > heaptrack.app.zst`",
        signatures: &[Begins(b"v 1", &[b"\nx ", b"\nX ", b"\nI "])],
    },
    Foreign {
        name: "coz",
        what: "a coz causal profile",
        instead: "it contains speedups, not costs: record with `perf record --call-graph dwarf \
                  ./app`",
        signatures: &[Begins(b"startup\ttime=", &[]), Begins(b"experiment\tselected=", &[])],
    },
    Foreign {
        name: "perf-text",
        what: "a text report from `perf report` or `perf annotate`",
        instead: "give Costline the perf.data itself, or `perf script -i perf.data -F +pid,+srcline --full-source-path > app.perf.txt`",
        signatures: &[
            Check(is_perf_report),
            Begins(b" Percent |", &[b"Source code & Disassembly"]),
        ],
    },
    Foreign {
        name: "jemalloc",
        what: "a heap profile of jemalloc in text",
        instead: "convert it with `jeprof --collapsed PROGRAM FILE > app.folded`",
        signatures: &[Begins(b"heap_v2/", &[])],
    },
    Foreign {
        name: "pprof-legacy",
        what: "a profile in a format older than profile.proto (gperftools, or Go with `debug=1`)",
        instead: "convert it with `go tool pprof -proto PROGRAM FILE > app.pb.gz`",
        signatures: &[Check(is_gperftools), Check(is_pprof_text)],
    },
    Foreign {
        name: "ftrace",
        what: "a kernel trace (ftrace, trace-cmd)",
        instead: "it contains events, not stacks: record with `perf record --call-graph dwarf \
                  ./app`",
        signatures: &[Begins(b"# tracer: ", &[]), At(0, b"\x17\x08\x44tracing")],
    },
    // Go
    Foreign {
        name: "go-cover",
        what: "a Go coverage profile",
        instead: "it counts how often lines ran, not what they cost: record with `go test -cpuprofile cpu.pprof .`",
        signatures: &[
            Begins(b"mode: set\n", &[]),
            Begins(b"mode: count\n", &[]),
            Begins(b"mode: atomic\n", &[]),
        ],
    },
    Foreign {
        name: "go-trace",
        what: "a Go execution trace",
        instead: "for time, record with `go test -cpuprofile cpu.pprof .`; for waiting, convert it \
                  with `go tool trace -pprof=sched FILE > sched.pprof`",
        signatures: &[Begins(b"go 1.", &[b" trace\0"])],
    },
    // JavaScript
    Foreign {
        name: "v8-log-table",
        what: "a table that was made from a log of V8's `--prof`",
        instead: "give Costline the log itself, `isolate-0x…-v8.log`",
        signatures: &[Begins(b"Statistical profiling result from ", &[])],
    },
    Foreign {
        name: "v8-heap-snapshot",
        what: "a V8 heap snapshot",
        instead: "it says what is alive, not what it cost: record allocations with `node --heap-prof app.js`",
        signatures: &[Keys(&["snapshot.meta"])],
    },
    // Java
    Foreign {
        name: "jmh",
        what: "a list of JMH benchmark results",
        instead: "it has scores, not stacks: run `java -jar benchmarks.jar -prof async:output=collapsed`, which writes folded stacks into a \
                  folder for each benchmark",
        signatures: &[Keys(&["jmhVersion", "benchmark"])],
    },
    // Perl, PHP, Ruby
    Foreign {
        name: "nytprof",
        what: "a Devel::NYTProf database",
        instead: "convert it with `nytprofcg --file FILE --out callgrind.out.nytprof`",
        signatures: &[At(0, b"NYTProf ")],
    },
    Foreign {
        name: "xdebug-trace",
        what: "an Xdebug trace",
        instead: "record again with `php -d xdebug.mode=profile -d xdebug.output_dir=. app.php`, which writes `cachegrind.out.*`",
        signatures: &[
            Begins(b"TRACE START [", &[]),
            Begins(b"Version: ", &[b"\nFile format: ", b"\nTRACE START ["]),
            Begins(b"<table ", &[b"'xdebug-trace'"]),
        ],
    },
    Foreign {
        name: "xhprof",
        what: "an XHProf profile",
        instead: "record again with `php -d xdebug.mode=profile -d xdebug.output_dir=. app.php`, which writes `cachegrind.out.*`",
        signatures: &[Keys(&["*==>.ct"]), Begins(b"a:", &[b"==>", b"s:2:\"ct\";"])],
    },
    Foreign {
        name: "ruby-marshal",
        what: "a stackprof dump in Ruby's Marshal form",
        instead: "convert it with `stackprof --json FILE > stackprof.json`",
        // Version 4.8 of Marshal, and a hash.
        signatures: &[At(0, b"\x04\x08{")],
    },
    // Systems
    Foreign {
        name: "instruments",
        what: "an Instruments recording (.trace)",
        instead: "export its samples, which Costline reads, with `xctrace export --input FILE --xpath \
                  '/trace-toc/run[@number=\"1\"]/data/table[@schema=\"time-profile\"]' --output app.xctrace.xml`",
        signatures: &[FolderName(".trace")],
    },
    Foreign {
        name: "etl",
        what: "a trace from Event Tracing for Windows (ETW, .etl)",
        instead: "convert it on Windows with `samply import --save-only -o profile.json.gz FILE`",
        signatures: &[Check(is_etl)],
    },
    Foreign {
        name: "perfetto",
        what: "a Perfetto trace",
        instead: "convert it with `traceconv json FILE trace.json`, or its sampled stacks with `traceconv profile --perf FILE`, which \
                  writes pprof files",
        signatures: &[Check(is_perfetto)],
    },
    Foreign {
        name: "pyroscope",
        what: "a Pyroscope flame graph (flamebearer JSON)",
        instead: "fetch the profile itself with `profilecli query profile --profile-type=process_cpu:cpu:nanoseconds:cpu:nanoseconds \
                  --query='{service_name=\"app\"}' --output=pprof=app.pb`",
        signatures: &[Keys(&["flamebearer"])],
    },
    // Containers and encodings
    Foreign {
        name: "zip",
        what: "a zip archive",
        instead: "unpack it with `unzip FILE`",
        signatures: &[At(0, b"PK\x03\x04"), At(0, b"PK\x05\x06")],
    },
    Foreign {
        name: "tar",
        what: "a tar archive",
        instead: "unpack it with `tar -xf FILE`",
        signatures: &[At(257, b"ustar")],
    },
    Foreign {
        name: "xz",
        what: "data compressed with xz",
        instead: "unpack it with `mkdir -p profiles && xz -dc FILE > profiles/unpacked`",
        signatures: &[At(0, b"\xfd7zXZ\0")],
    },
    Foreign {
        name: "bzip2",
        what: "data compressed with bzip2",
        instead: "unpack it with `mkdir -p profiles && bunzip2 -c FILE > profiles/unpacked`",
        // The beginnings of a block of data and of the end of an empty file.
        signatures: &[At(4, b"1AY&SY"), At(4, b"\x17\x72\x45\x38\x50\x90")],
    },
    Foreign {
        name: "utf-16",
        what: "text in UTF-16",
        instead: "convert it with `mkdir -p profiles && iconv -f UTF-16 -t UTF-8 FILE > profiles/converted`",
        signatures: &[At(0, b"\xff\xfe"), At(0, b"\xfe\xff")],
    },
];
