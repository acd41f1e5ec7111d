//! The messages of simpleperf's report (`cmd_report_sample.proto`). Fields that costs do not need are left
//! out.

use prost::Message;

/// A record: one of these.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Record {
    #[prost(message, optional, tag = "1")]
    pub(super) sample: Option<Sample>,
    #[prost(message, optional, tag = "2")]
    pub(super) lost: Option<LostSituation>,
    #[prost(message, optional, tag = "3")]
    pub(super) file: Option<File>,
    #[prost(message, optional, tag = "4")]
    pub(super) thread: Option<Thread>,
    #[prost(message, optional, tag = "5")]
    pub(super) meta_info: Option<MetaInfo>,
    #[prost(message, optional, tag = "6")]
    pub(super) context_switch: Option<ContextSwitch>,
}

/// A sample of one event.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Sample {
    /// In nanoseconds.
    #[prost(uint64, tag = "1")]
    pub(super) time: u64,
    #[prost(int32, tag = "2")]
    pub(super) thread_id: i32,
    /// Leaf first.
    #[prost(message, repeated, tag = "3")]
    pub(super) callchain: Vec<Entry>,
    /// How many of the events happened since the sample before.
    #[prost(uint64, tag = "4")]
    pub(super) event_count: u64,
    /// A row of [`MetaInfo::event_type`].
    #[prost(uint32, tag = "5")]
    pub(super) event_type_id: u32,
}

/// A place in a call chain.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Message)]
pub(super) struct Entry {
    /// The virtual address in the ELF file.
    #[prost(uint64, tag = "1")]
    pub(super) vaddr_in_file: u64,
    #[prost(uint32, tag = "2")]
    pub(super) file_id: u32,
    /// A row of [`File::symbol`]; -1 if the address has none.
    #[prost(int32, tag = "3")]
    pub(super) symbol_id: i32,
    /// [`INTERPRETED`], [`JIT`], or else native. Only with `--show-execution-type`.
    #[prost(int32, tag = "4")]
    pub(super) execution_type: i32,
}

/// `INTERPRETED_JVM_METHOD`
pub(super) const INTERPRETED: i32 = 1;
/// `JIT_JVM_METHOD`
pub(super) const JIT: i32 = 2;

#[derive(Clone, Copy, PartialEq, Eq, Message)]
pub(super) struct LostSituation {
    #[prost(uint64, tag = "2")]
    pub(super) lost_count: u64,
}

/// A program or library. Texts should be UTF-8. The decoder must not check that: it would reject the
/// record for one bad name.
#[derive(Clone, PartialEq, Eq, Message)]
pub(super) struct File {
    #[prost(uint32, tag = "1")]
    pub(super) id: u32,
    #[prost(bytes = "vec", tag = "2")]
    pub(super) path: Vec<u8>,
    /// The names of functions, demangled.
    #[prost(bytes = "vec", repeated, tag = "3")]
    pub(super) symbol: Vec<Vec<u8>>,
}

#[derive(Clone, PartialEq, Eq, Message)]
pub(super) struct Thread {
    #[prost(int32, tag = "1")]
    pub(super) id: i32,
    #[prost(int32, tag = "2")]
    pub(super) process_id: i32,
    #[prost(bytes = "vec", tag = "3")]
    pub(super) name: Vec<u8>,
}

/// What was recorded.
#[derive(Clone, PartialEq, Eq, Message)]
pub(super) struct MetaInfo {
    #[prost(bytes = "vec", repeated, tag = "1")]
    pub(super) event_type: Vec<Vec<u8>>,
    /// Whether it was recorded with `--trace-offcpu`.
    #[prost(bool, tag = "6")]
    pub(super) trace_offcpu: bool,
}

/// A thread begins or ends to run on a processor.
#[derive(Clone, Copy, PartialEq, Eq, Message)]
pub(super) struct ContextSwitch {
    #[prost(bool, tag = "1")]
    pub(super) switch_on: bool,
    /// In nanoseconds.
    #[prost(uint64, tag = "2")]
    pub(super) time: u64,
    #[prost(int32, tag = "3")]
    pub(super) thread_id: i32,
}
