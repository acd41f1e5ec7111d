//! The kinds of warnings, with the names that programs match on.

use std::fmt;

/// Defines an enum of codes from one list of meanings, variants and names.
#[macro_export]
macro_rules! codes {
    (
        $(#[$attribute:meta])+
        pub enum $Code:ident {
            $($(#[doc = $meaning:literal])+ $variant:ident = $name:literal,)+
        }
    ) => {
        $(#[$attribute])+
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $Code {
            $($(#[doc = $meaning])+ $variant,)+
        }

        impl $Code {
            /// Every code, in the order of the documentation.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// The name in kebab case, as in JSON.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }

            /// The meaning, in Markdown.
            pub fn meaning(self) -> &'static str {
                match self { $(Self::$variant => concat!($($meaning),+).trim_ascii(),)+ }
            }
        }
    };
}

codes! {
    /// The kind of a [`crate::Warning`]. Names and meanings are stable; kinds are added, never
    /// renamed.
    pub enum WarningCode {
        /// The file is incomplete: it ends before the recording does, or within a record, or the profiler
        /// kept only the end of the recording. The complete part is shown.
        Truncated = "truncated",
        /// Folded stacks, rbspy's summaries, callgrind: the last line has no newline, so the file may be
        /// incomplete.
        OpenEnd = "open-end",
        /// The last line is incomplete and is ignored.
        PartialLine = "partial-line",
        /// callgrind: the costs add up to less than the file's summary, a part has no `totals:` while
        /// others have one, or Xdebug's summary is missing, so the end of the file may be missing.
        Incomplete = "incomplete",
        /// The file is malformed from a certain byte on. The part before it is shown.
        Malformed = "malformed",
        /// A malformed line is ignored.
        MalformedLine = "malformed-line",
        /// A malformed sample is ignored.
        MalformedSample = "malformed-sample",
        /// Trace events: a malformed event is ignored.
        MalformedEvent = "malformed-event",
        /// perf.data, simpleperf: a malformed record is ignored. If a record of perf.data is shorter than
        /// its own header, the rest of the file is ignored, too.
        MalformedRecord = "malformed-record",
        /// Text is not UTF-8. Invalid bytes are shown as U+FFFD.
        InvalidUtf8 = "invalid-utf8",
        /// The version of the file is newer or older than the supported ones. The file is read like
        /// the nearest supported version, or by the columns that it has.
        UnknownVersion = "unknown-version",
        /// Two columns of one table differ in length.
        UnevenColumns = "uneven-columns",
        /// stackprof: `raw` and `raw_lines` differ in length. The sums by line are shown instead of
        /// stacks.
        UnequalLengths = "unequal-lengths",
        /// A sample refers to a node that the file does not contain. It counts as a sample without a
        /// stack.
        UnknownNode = "unknown-node",
        /// Trace events: a sample refers to a stack frame that the file does not contain. It counts as
        /// a sample without a stack.
        UnknownFrame = "unknown-frame",
        /// Trace events: a node refers to a caller that the file does not contain. It is shown without
        /// callers.
        UnknownCaller = "unknown-caller",
        /// Austin: a sample refers to a frame that is not defined before it. The frame is shown as
        /// `[unknown]`.
        UndefinedFrame = "undefined-frame",
        /// Austin: a frame refers to a string that is not defined before it. It is shown as
        /// `<unknown>`.
        UndefinedString = "undefined-string",
        /// callgrind: a line refers to a name by a number that is not defined before it. The name
        /// is empty.
        UnknownName = "unknown-name",
        /// callgrind: a name's number is defined again with another name. The new name applies from
        /// there on.
        Renamed = "renamed",
        /// callgrind: an event's formula is not a sum of events. The event is ignored.
        UnknownFormula = "unknown-formula",
        /// callgrind: a cost is below zero. It counts as 0.
        NegativeCost = "negative-cost",
        /// callgrind: call counts add up to more than 2^64 - 1, which is shown instead.
        TooManyCalls = "too-many-calls",
        /// Austin: a sample has no value. It is ignored.
        NoValue = "no-value",
        /// Trace events: an event has no time. It is ignored.
        NoTime = "no-time",
        /// Trace events: an async event has no id. It is ignored.
        NoId = "no-id",
        /// A thread has no table of samples. It is ignored.
        ThreadWithoutSamples = "thread-without-samples",
        /// stackprof: samples without a stack are ignored.
        SamplesWithoutStack = "samples-without-stack",
        /// stackprof: the lines of a function have more samples than the function. The line samples
        /// are used.
        LinesExceedSamples = "lines-exceed-samples",
        /// stackprof: a function's total exceeds the profile's sample count, and is capped at that
        /// count; or it is less than the function's own samples, which are then an estimate of it.
        TotalExceedsSamples = "total-exceeds-samples",
        /// .cpuprofile: the lines of a node have more ticks than the node has hits. The ticks are used.
        TicksExceedHits = "ticks-exceed-hits",
        /// A script was compiled when it was loaded (by Deno, ts-node, tsx or webpack's `eval`),
        /// and the profile has lines of the compiled text. These samples have no lines, and
        /// functions with the same name in the script are shown as one.
        TranspiledLines = "transpiled-lines",
        /// .cpuprofile: no node has a `hitCount`. Samples are counted instead.
        NoHitCount = "no-hit-count",
        /// .heapprofile: a node has no `callFrame`. Its bytes are added to its caller.
        NoCallFrame = "no-call-frame",
        /// pprof: `drop_frames` or `keep_frames` is not a valid regular expression. No frames are
        /// dropped.
        DropFrames = "drop-frames",
        /// pstats: the file's functions cost less than the total of its hottest function. The rest is
        /// shown as one function.
        UnlistedFunctions = "unlisted-functions",
        /// Mercury: nodes of the file are missing or contradict each other. Their costs may be
        /// incomplete.
        InconsistentNodes = "inconsistent-nodes",
        /// Mercury: costs do not add up to the sums that the file states.
        InconsistentSums = "inconsistent-sums",
        /// Mercury: the program representation beside the profile (`.procrep`) could not be read or
        /// does not match the profile. Execution counts are unknown.
        ProgramRepresentation = "program-representation",
        /// Mercury: the contour file beside the profile (`.contour`) could not be read, or names
        /// modules that the program does not have; or the metric has no call costs, so that all
        /// callers are shown.
        Contour = "contour",
        /// The coverage report beside the profile (`lcov.info`) could not be read, or files changed
        /// between the two runs. Execution counts in these files are unknown.
        Coverage = "coverage",
        /// Raw Gecko profiles: processes that are nested too deeply are ignored.
        DeepProcesses = "deep-processes",
        /// A call lasts longer than the call that it started in. It is shortened to end with that call.
        OverlappingCall = "overlapping-call",
        /// A call ends before calls that started in it. Those end with it.
        UnwoundCall = "unwound-call",
        /// A call ends that was not started. The end is ignored.
        UnmatchedEnd = "unmatched-end",
        /// A call does not end before the recording does. It ends with the recording.
        UnfinishedCall = "unfinished-call",
        /// Trace events: the file has only async events in the old form (`S`, `F`), which is not
        /// supported.
        OldAsync = "old-async",
        /// Trace events: async operations overlap, so the metric `async` adds up to more than the
        /// elapsed time.
        AsyncOperations = "async-operations",
        /// Trace events of py-spy: several processes share a thread id, so part of their time is
        /// missing.
        SharedThreadId = "shared-thread-id",
        /// Trace events: samples of the browser's own pages (`chrome://`) are ignored.
        BrowserPage = "browser-page",
        /// perf, simpleperf, Java Flight Recorder, .NET: samples were lost while recording, because they came faster than
        /// they could be written. Costs are too low; in traces of .NET, the time of lost samples counts for others.
        LostSamples = "lost-samples",
        /// perf.data: callers that the kernel recorded separately from their samples are not read.
        DeferredChains = "deferred-chains",
        /// perf.data: a process has more memory mappings than the limit. Addresses in later mappings
        /// are not resolved.
        Mappings = "mappings",
        /// perf.data: hardware traces (Intel PT, Arm SPE) are not read.
        HardwareTrace = "hardware-trace",
        /// Folded stacks: the file compares two profiles. The second value of each line is used.
        Differential = "differential",
        /// The profiler writes the first line of a function, not the line that executes. Only functions
        /// have costs.
        FunctionLines = "function-lines",
        /// pyinstrument: samples are taken when a function is called or returns. The time of lines without
        /// calls is on the line of the next one.
        SampledAtCalls = "sampled-at-calls",
        /// Java Flight Recorder: lines of compiled code are those of the nearest place where a thread can
        /// stop, because the JVM was started without `-XX:+DebugNonSafepoints`.
        ApproximateLines = "approximate-lines",
        /// callgrind: each function has all of its self cost on one line. Only functions have costs.
        OneLinePerFunction = "one-line-per-function",
        /// perf, DHAT: many stacks do not lead back to the start of a program or thread, so the totals
        /// of callers are too low.
        BrokenStacks = "broken-stacks",
        /// perf.data: outer callers of samples are unknown, because their copied stacks could not be
        /// unwound. Java Flight Recorder: because the stacks are deeper than the recorder keeps.
        CutStacks = "cut-stacks",
        /// .NET: most methods have no names, because the trace ends without them. They are shown as `?`.
        UnnamedMethods = "unnamed-methods",
        /// Hot functions are addresses, because the debug info of a library was not found.
        Unsymbolicated = "unsymbolicated",
        /// Split debug info (`.dwo`) of a hot program or library was not found, so inlined
        /// functions there are part of their callers.
        MissingDebugInfo = "missing-debug-info",
        /// The hottest program or library was built without debug info, so its functions have no lines.
        NoDebugInfo = "no-debug-info",
        /// A file name of the profile matches several workspace files. It is not mapped.
        AmbiguousFile = "ambiguous-file",
        /// The profile names a function without its file, and it could be any of several functions
        /// in the workspace, or the workspace is too large to search. It is shown without a
        /// source.
        UnmatchedFunction = "unmatched-function",
        /// A script refers to a source map that was not found. Its costs are shown in the script.
        SourceMapMissing = "source-map-missing",
        /// A source map could not be read. Costs are shown in the script.
        SourceMapBroken = "source-map-broken",
        /// A source map does not match the script that was recorded. Costs are shown in the script.
        SourceMapStale = "source-map-stale",
        /// A source map is larger than the limit. Costs are shown in the script.
        SourceMapTooLarge = "source-map-too-large",
        /// A line of a script contains several statements, and the profile has no columns. Only
        /// functions have costs.
        SourceMapPackedLine = "source-map-packed-line",
        /// Instruments: several tables of an export have samples. The first is shown.
        MoreTables = "more-tables",
        /// The run wrote more files than the command line names.
        MoreFiles = "more-files",
        /// No metric has the chosen name. The default metric is shown.
        UnknownMetric = "unknown-metric",
        /// Several metrics have the chosen name. The default metric is shown.
        AmbiguousMetric = "ambiguous-metric",
        /// No thread has the chosen name or id. The choice is ignored.
        UnknownThread = "unknown-thread",
        /// The chosen id belongs to a thread and to its process. The thread is shown.
        AmbiguousThread = "ambiguous-thread",
        /// The profile does not record which functions are JavaScript. All functions are shown.
        UnknownImplementation = "unknown-implementation",
        /// Own code cannot be distinguished from libraries. All code is shown.
        NoOwnCode = "no-own-code",
        /// No function has the name in a transform. The transform is not applied.
        UnknownFunction = "unknown-function",
        /// Several functions have the name in a transform. The transform is not applied.
        AmbiguousFunction = "ambiguous-function",
        /// No stack begins with the path in a transform. The transform is not applied.
        UnknownPath = "unknown-path",
        /// No sample has this label, or a filter by labels is malformed. It is ignored.
        UnknownLabel = "unknown-label",
        /// No category has the name in a transform. The transform is not applied.
        UnknownCategory = "unknown-category",
        /// Several categories have the name in a transform. The transform is not applied.
        AmbiguousCategory = "ambiguous-category",
        /// No library has the name in a transform. The transform is not applied.
        UnknownLibrary = "unknown-library",
        /// Several libraries have the name in a transform. The transform is not applied.
        AmbiguousLibrary = "ambiguous-library",
        /// A transform would create more functions than the limit. It is not applied.
        TooManyFunctions = "too-many-functions",
        /// The recording is a call graph. Transforms and filters need stacks and are ignored.
        NoStacks = "no-stacks",
        /// The times of samples are unknown. A time range is ignored.
        NoTimes = "no-times",
        /// No sample is in the chosen time range, matches the search, has own code, or is left by the
        /// transforms. Nothing is shown.
        NoSamplesInView = "no-samples-in-view",
    }
}

impl WarningCode {
    /// Whether a part of the recording is missing.
    pub fn misses_costs(self) -> bool {
        matches!(self, Self::Truncated | Self::PartialLine | Self::Incomplete | Self::Malformed)
    }

    /// Whether costs of the recording are missing, or may be.
    pub fn may_miss_costs(self) -> bool {
        self.misses_costs()
            || matches!(
                self,
                Self::OpenEnd
                    | Self::MalformedLine
                    | Self::MalformedSample
                    | Self::MalformedEvent
                    | Self::MalformedRecord
                    | Self::LostSamples
            )
    }
}

impl fmt::Display for WarningCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::WarningCode;
    use std::collections::BTreeSet;

    #[test]
    fn what_is_cut_or_broken_may_miss_costs() {
        let codes = |has: fn(WarningCode) -> bool| -> Vec<&str> {
            WarningCode::ALL.iter().filter(|&&it| has(it)).map(|it| it.as_str()).collect()
        };
        let missing = ["incomplete", "malformed", "partial-line", "truncated"];
        let sorted = |mut codes: Vec<&'static str>| {
            codes.sort_unstable();
            codes
        };
        assert_eq!(sorted(codes(WarningCode::misses_costs)), missing);
        let may = sorted(codes(WarningCode::may_miss_costs));
        let others = [
            "lost-samples",
            "malformed-event",
            "malformed-line",
            "malformed-record",
            "malformed-sample",
            "open-end",
        ];
        assert_eq!(may, sorted([&missing[..], &others].concat()));
    }

    #[test]
    fn names_are_kebab_case_and_unique() {
        let names: BTreeSet<_> = WarningCode::ALL.iter().map(|code| code.as_str()).collect();
        assert_eq!(names.len(), WarningCode::ALL.len());
        for name in names {
            let is_word = |word: &str| {
                !word.is_empty()
                    && word.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9'))
            };
            assert!(name.split('-').all(is_word), "{name}");
        }
        assert_eq!(WarningCode::OneLinePerFunction.to_string(), "one-line-per-function");
    }

    #[test]
    fn meanings_are_whole_sentences() {
        for code in WarningCode::ALL {
            let meaning = code.meaning();
            assert!(meaning.ends_with('.') && !meaning.contains("  "), "{code}: {meaning}");
        }
    }
}
