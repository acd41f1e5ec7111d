//! The kinds of warnings, with the names that programs match on.

use std::fmt;

/// Defines [`WarningCode`] from one list of meanings, variants and names.
macro_rules! warning_codes {
    ($($(#[doc = $meaning:literal])+ $variant:ident = $name:literal,)+) => {
        /// The kind of a [`crate::Warning`]. Names and meanings are stable; kinds are added, never
        /// renamed.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum WarningCode {
            $($(#[doc = $meaning])+ $variant,)+
        }

        impl WarningCode {
            /// Every code, in the order of the documentation.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// The name in kebab case, as `report --json` prints it.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }

            /// When the warning is given, in Markdown.
            pub fn meaning(self) -> &'static str {
                match self { $(Self::$variant => concat!($($meaning),+).trim_ascii(),)+ }
            }
        }
    };
}

warning_codes! {
    /// The file ends before the recording does, or within a record. What is whole is shown.
    Truncated = "truncated",
    /// callgrind: the last line has no newline, so the file may be incomplete.
    OpenEnd = "open-end",
    /// The last line is cut off and is left out.
    PartialLine = "partial-line",
    /// callgrind: the costs add up to less than 99 % of the file's summary, so its end may be missing.
    Incomplete = "incomplete",
    /// The file is malformed from some byte on. What precedes it is shown.
    Malformed = "malformed",
    /// A malformed line is left out.
    MalformedLine = "malformed-line",
    /// A malformed sample is left out.
    MalformedSample = "malformed-sample",
    /// Trace events: a malformed event is left out.
    MalformedEvent = "malformed-event",
    /// perf.data: a malformed record is left out. After a record shorter than its own header,
    /// nothing more is read.
    MalformedRecord = "malformed-record",
    /// Text is not UTF-8. The bytes in question are shown as U+FFFD.
    InvalidUtf8 = "invalid-utf8",
    /// The file is of a version that is newer or older than those supported. It is read by the
    /// columns that it has, or like the nearest supported version.
    UnknownVersion = "unknown-version",
    /// Two columns that belong together differ in length.
    UnevenColumns = "uneven-columns",
    /// stackprof: `raw` and `raw_lines` differ in length. The sums by line are shown instead of
    /// stacks.
    UnequalLengths = "unequal-lengths",
    /// A sample names a node that the file does not have. It counts without a stack.
    UnknownNode = "unknown-node",
    /// Trace events: a sample names a stack frame that the file does not have. It counts without a
    /// stack.
    UnknownFrame = "unknown-frame",
    /// Trace events: a node names a caller that the file does not have. It is shown without callers.
    UnknownCaller = "unknown-caller",
    /// Austin: a sample names a frame that is not defined before it. The frame is shown as
    /// `[unknown]`.
    UndefinedFrame = "undefined-frame",
    /// Austin: a frame names a string that is not defined before it. It is shown as `<unknown>`.
    UndefinedString = "undefined-string",
    /// callgrind: a line uses a number for a name that is not defined before it. The name is empty.
    UnknownName = "unknown-name",
    /// callgrind: a number for a name is defined again with another name. The new name counts from
    /// there on.
    Renamed = "renamed",
    /// callgrind: an event's formula is not a sum of events. The event is left out.
    UnknownFormula = "unknown-formula",
    /// callgrind: a cost is below zero. It counts as 0.
    NegativeCost = "negative-cost",
    /// Austin: a sample has no value. It is left out.
    NoValue = "no-value",
    /// Trace events: an event has no time. It is left out.
    NoTime = "no-time",
    /// Trace events: an async event has no id. It is left out.
    NoId = "no-id",
    /// A thread has no table of samples. It is left out.
    ThreadWithoutSamples = "thread-without-samples",
    /// stackprof: samples without a stack are left out.
    SamplesWithoutStack = "samples-without-stack",
    /// stackprof: the lines of a function have more samples than the function. The lines count.
    LinesExceedSamples = "lines-exceed-samples",
    /// .cpuprofile: the lines of a node have more ticks than the node has hits. The ticks count.
    TicksExceedHits = "ticks-exceed-hits",
    /// .cpuprofile: no node has a `hitCount`. Samples are counted instead.
    NoHitCount = "no-hit-count",
    /// .heapprofile: a node has no `callFrame`. Its bytes count for its caller.
    NoCallFrame = "no-call-frame",
    /// pprof: `drop_frames` or `keep_frames` is not a valid regular expression. No frames are
    /// dropped.
    DropFrames = "drop-frames",
    /// pstats: the file's functions cost less than its costliest function in total. The rest is
    /// shown as one function.
    UnlistedFunctions = "unlisted-functions",
    /// Raw Gecko profiles: processes nested too deeply are left out.
    DeepProcesses = "deep-processes",
    /// A call lasts longer than the call it began in. It is cut where that call ends.
    OverlappingCall = "overlapping-call",
    /// A call ends while calls inside it are open. Those end with it.
    UnwoundCall = "unwound-call",
    /// A call ends that has not begun. The end is ignored.
    UnmatchedEnd = "unmatched-end",
    /// A call is open at the end of the recording. It ends there.
    UnfinishedCall = "unfinished-call",
    /// Trace events: the file has only async events of the old form (`S`, `F`), which is not read.
    OldAsync = "old-async",
    /// Trace events: async operations overlap, so the metric `async` adds up to more than the time
    /// that passed.
    AsyncOperations = "async-operations",
    /// Trace events of py-spy: several processes share a thread id, so part of their time is
    /// missing.
    SharedThreadId = "shared-thread-id",
    /// Trace events: samples of a page of the browser itself (`chrome://`) are left out.
    BrowserPage = "browser-page",
    /// perf.data: callers that the kernel recorded apart from their samples are not read.
    DeferredChains = "deferred-chains",
    /// perf.data: a process mapped memory more often than is kept track of. Later addresses stay
    /// without names.
    Mappings = "mappings",
    /// perf.data: traces of the processor (Intel PT, Arm SPE) are not read.
    HardwareTrace = "hardware-trace",
    /// Folded stacks: the file compares two profiles. The second value of each line counts.
    Differential = "differential",
    /// The profiler writes the first line of a function, not the line that executes. Costs are of
    /// functions only.
    FunctionLines = "function-lines",
    /// callgrind: each function has all of its self cost on one line. Costs are of functions only.
    OneLinePerFunction = "one-line-per-function",
    /// perf: many stacks do not lead back to the start of a program or thread, so totals of callers
    /// are too low.
    BrokenStacks = "broken-stacks",
    /// perf.data: outer callers of samples are unknown, because their copied stacks could not be
    /// unwound.
    CutStacks = "cut-stacks",
    /// Hot functions are addresses, because the debug info of a library was not found.
    Unsymbolicated = "unsymbolicated",
    /// The hottest program or library was built without debug info, so its functions have no lines.
    NoDebugInfo = "no-debug-info",
    /// A file name of the profile fits several workspace files. It is not mapped.
    AmbiguousFile = "ambiguous-file",
    /// A script names a source map that was not found. Costs are of the script.
    SourceMapMissing = "source-map-missing",
    /// A source map could not be read. Costs are of the script.
    SourceMapBroken = "source-map-broken",
    /// A source map does not fit the script that was recorded. Costs are of the script.
    SourceMapStale = "source-map-stale",
    /// A source map is larger than the limit. Costs are of the script.
    SourceMapTooLarge = "source-map-too-large",
    /// A line of a script holds several statements, and the profile has no columns. Costs are of
    /// functions only.
    SourceMapPackedLine = "source-map-packed-line",
    /// The run wrote more files than the command line names.
    MoreFiles = "more-files",
    /// No metric has the wanted name. The default metric is shown.
    UnknownMetric = "unknown-metric",
    /// Several metrics have the wanted name. The default metric is shown.
    AmbiguousMetric = "ambiguous-metric",
    /// No thread has the wanted name or id. It is left out of the choice.
    UnknownThread = "unknown-thread",
    /// The recording does not say which functions are JavaScript. Those of all implementations are
    /// shown.
    UnknownImplementation = "unknown-implementation",
    /// No function has the name in a transform. The transform is not applied.
    UnknownFunction = "unknown-function",
    /// Several functions have the name in a transform. The transform is not applied.
    AmbiguousFunction = "ambiguous-function",
    /// No category has the name in a transform. The transform is not applied.
    UnknownCategory = "unknown-category",
    /// Several categories have the name in a transform. The transform is not applied.
    AmbiguousCategory = "ambiguous-category",
    /// No library has the name in a transform. The transform is not applied.
    UnknownLibrary = "unknown-library",
    /// Several libraries have the name in a transform. The transform is not applied.
    AmbiguousLibrary = "ambiguous-library",
    /// A transform would make more functions than the limit. It is not applied.
    TooManyFunctions = "too-many-functions",
    /// The recording is a call graph, which transforms and filters cannot change. They are left out.
    NoStacks = "no-stacks",
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
