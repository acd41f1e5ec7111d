//! Events: one `perf_event_attr` each, which defines the contents of its samples
//! (`include/uapi/linux/perf_event.h`).

use super::words::Words;

/// Bits of `sample_type`.
pub(super) mod sample_type {
    pub(crate) const IP: u64 = 1 << 0;
    pub(crate) const TID: u64 = 1 << 1;
    pub(crate) const TIME: u64 = 1 << 2;
    pub(crate) const ADDR: u64 = 1 << 3;
    pub(crate) const READ: u64 = 1 << 4;
    pub(crate) const CALLCHAIN: u64 = 1 << 5;
    pub(crate) const ID: u64 = 1 << 6;
    pub(crate) const CPU: u64 = 1 << 7;
    pub(crate) const PERIOD: u64 = 1 << 8;
    pub(crate) const STREAM_ID: u64 = 1 << 9;
    pub(crate) const RAW: u64 = 1 << 10;
    pub(crate) const BRANCH_STACK: u64 = 1 << 11;
    pub(crate) const REGS_USER: u64 = 1 << 12;
    pub(crate) const STACK_USER: u64 = 1 << 13;
    pub(crate) const WEIGHT: u64 = 1 << 14;
    pub(crate) const DATA_SRC: u64 = 1 << 15;
    pub(crate) const IDENTIFIER: u64 = 1 << 16;
    pub(crate) const TRANSACTION: u64 = 1 << 17;
    pub(crate) const REGS_INTR: u64 = 1 << 18;
    pub(crate) const PHYS_ADDR: u64 = 1 << 19;
    pub(crate) const CGROUP: u64 = 1 << 21;
    pub(crate) const WEIGHT_STRUCT: u64 = 1 << 24;
}

/// Bits of `read_format`.
pub(super) mod read_format {
    pub(crate) const TIME_ENABLED: u64 = 1 << 0;
    pub(crate) const TIME_RUNNING: u64 = 1 << 1;
    pub(crate) const ID: u64 = 1 << 2;
    pub(crate) const GROUP: u64 = 1 << 3;
    pub(crate) const LOST: u64 = 1 << 4;
}

/// Bits of `branch_sample_type`.
pub(super) mod branch_type {
    pub(crate) const CALL_STACK: u64 = 1 << 11;
    pub(crate) const HW_INDEX: u64 = 1 << 17;
    pub(crate) const COUNTERS: u64 = 1 << 19;
}

/// Bit fields of `perf_event_attr`.
const FREQ: u64 = 1 << 10;
const SAMPLE_ID_ALL: u64 = 1 << 18;

/// One event.
#[derive(Debug, Clone, Default)]
pub(super) struct Event {
    /// Whether the event is a fault, after which the instruction is executed again. The kernel was
    /// then entered from that instruction, not from the one after it.
    pub(super) is_fault: bool,
    /// The name as perf prints it; made of type and number if the file has none.
    pub(super) name: String,
    pub(super) sample_type: u64,
    pub(super) read_format: u64,
    pub(super) branch_type: u64,
    /// The recorded user registers, as a bit mask.
    pub(super) regs_user: u64,
    /// The recorded registers of the interrupted code, as a bit mask.
    pub(super) regs_intr: u64,
    /// The period of each sample, if it is the same for all.
    pub(super) fixed_period: Option<u64>,
    /// Whether records other than samples end with some of the fields of samples.
    pub(super) ids_everywhere: bool,
}

impl Event {
    /// Reads a `perf_event_attr`, which is shorter in older files.
    pub(super) fn parse(mut attr: Words<'_>) -> Option<Self> {
        let (kind, _size, config) = (attr.u32()?, attr.u32()?, attr.u64()?);
        let period_or_frequency = attr.u64()?;
        let (sample_type, read_format, flags) = (attr.u64()?, attr.u64()?, attr.bits()?);
        let _wakeup_and_breakpoint = (attr.u64()?, attr.u64()?, attr.u64());
        let branch_type = attr.u64().unwrap_or(0);
        let regs_user = attr.u64().unwrap_or(0);
        let _size_of_stack_and_clock = attr.u64();
        let regs_intr = attr.u64().unwrap_or(0);
        Some(Self {
            // Page faults of all kinds, alignment faults and emulated instructions (`perf_sw_ids`).
            is_fault: kind == 1 && matches!(config, 2 | 5 | 6 | 7 | 8),
            name: name(kind, config),
            sample_type,
            read_format,
            branch_type,
            regs_user,
            regs_intr,
            fixed_period: (flags & FREQ == 0)
                .then_some(period_or_frequency)
                .filter(|&period| period > 0),
            ids_everywhere: flags & SAMPLE_ID_ALL != 0,
        })
    }

    pub(super) fn has(&self, bit: u64) -> bool {
        self.sample_type & bit != 0
    }

    /// Whether samples have the counters of a group, with ids.
    pub(super) fn has_counts(&self) -> bool {
        let group = read_format::GROUP | read_format::ID;
        self.has(sample_type::READ) && self.read_format & group == group
    }

    /// Whether samples have periods.
    pub(super) fn has_periods(&self) -> bool {
        self.has(sample_type::PERIOD) || self.fixed_period.is_some()
    }

    /// The time of a record, in nanoseconds.
    pub(super) fn time(&self, is_sample: bool, body: Words<'_>) -> Option<u64> {
        use sample_type::{CPU, ID, IDENTIFIER, IP, STREAM_ID, TID, TIME};
        self.field(TIME, IDENTIFIER | IP | TID, ID | STREAM_ID | CPU | IDENTIFIER, is_sample, body)
    }

    /// The id of the event that a record belongs to.
    pub(super) fn id(&self, is_sample: bool, body: Words<'_>) -> Option<u64> {
        use sample_type::{ADDR, CPU, ID, IDENTIFIER, IP, STREAM_ID, TID, TIME};
        if self.has(IDENTIFIER) {
            self.field(IDENTIFIER, 0, 0, is_sample, body)
        } else {
            self.field(ID, IP | TID | TIME | ADDR, STREAM_ID | CPU, is_sample, body)
        }
    }

    /// Reads a field of eight bytes: in a sample, it follows the fields `before` it; in other
    /// records, it precedes the fields `after` it at the end.
    fn field(
        &self,
        field: u64,
        before: u64,
        after: u64,
        is_sample: bool,
        body: Words<'_>,
    ) -> Option<u64> {
        let size = |fields: u64| (self.sample_type & fields).count_ones() as usize * 8;
        let at = match is_sample {
            _ if !self.has(field) => None,
            true => Some(size(before)),
            false if self.ids_everywhere => body.rest().len().checked_sub(size(field | after)),
            false => None,
        };
        let mut body = body;
        body.bytes(at?)?;
        body.u64()
    }
}

/// The name that perf prints for a common event.
fn name(kind: u32, config: u64) -> String {
    let names: &[&str] = match kind {
        0 => &[
            "cycles",
            "instructions",
            "cache-references",
            "cache-misses",
            "branches",
            "branch-misses",
            "bus-cycles",
        ],
        1 => &[
            "cpu-clock",
            "task-clock",
            "page-faults",
            "context-switches",
            "cpu-migrations",
            "minor-faults",
            "major-faults",
        ],
        _ => &[],
    };
    // On hybrid processors the upper half is the kind of core (`PERF_PMU_TYPE_SHIFT`).
    let event = if kind == 0 { config & 0xffff_ffff } else { config };
    let known = usize::try_from(event).ok().and_then(|i| names.get(i));
    known.map_or_else(|| format!("event-{kind}-{config:x}"), |&name| name.to_owned())
}
