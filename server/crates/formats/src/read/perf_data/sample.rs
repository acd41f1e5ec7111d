//! One `PERF_RECORD_SAMPLE`. Its event defines which fields it has; they are in the order of
//! `perf_event_open(2)`.

use super::event::{Event, branch_type, read_format, sample_type};
use super::words::Words;

/// The fields of a sample that are used. Absent numbers are `None`, absent lists empty.
pub(super) struct Sample<'a> {
    pub(super) ip: Option<u64>,
    pub(super) ids: Option<(i32, i32)>,
    pub(super) period: Option<u64>,
    /// The counters of the group of the event when the sample was taken: ids and values.
    pub(super) counts: Vec<(u64, u64)>,
    /// Addresses and context markers, leaf first.
    pub(super) chain: Words<'a>,
    /// Calls that the processor recorded as a stack, innermost first: `from` and `to`.
    pub(super) calls: Vec<(u64, u64)>,
    /// User registers, if the program is a 64-bit program.
    pub(super) regs: Option<Words<'a>>,
    /// The copied user stack, from the stack pointer on.
    pub(super) stack: &'a [u8],
    /// The id of the control group.
    pub(super) cgroup: Option<u64>,
}

/// `PERF_SAMPLE_REGS_ABI_64`
const ABI_64: u64 = 2;

impl<'a> Sample<'a> {
    pub(super) fn parse(event: &Event, mut body: Words<'a>) -> Option<Self> {
        let has = |bit| event.has(bit);
        let mut long = |bit| if has(bit) { body.u64().map(Some) } else { Some(None) };
        long(sample_type::IDENTIFIER)?;
        let ip = long(sample_type::IP)?;
        let ids = if has(sample_type::TID) { Some((body.i32()?, body.i32()?)) } else { None };
        let mut long = |bit| if has(bit) { body.u64().map(Some) } else { Some(None) };
        for bit in [
            sample_type::TIME,
            sample_type::ADDR,
            sample_type::ID,
            sample_type::STREAM_ID,
            sample_type::CPU,
        ] {
            long(bit)?;
        }
        let period = long(sample_type::PERIOD)?.or(event.fixed_period);
        let counts =
            if has(sample_type::READ) { counts(event.read_format, &mut body)? } else { Vec::new() };
        let n_addresses = if has(sample_type::CALLCHAIN) { body.u64()? } else { 0 };
        let chain = body.longs(n_addresses)?;
        if has(sample_type::RAW) {
            let size = body.u32()?;
            body.bytes(size as usize)?;
        }
        let calls = if has(sample_type::BRANCH_STACK) {
            branches(event.branch_type, &mut body)?
        } else {
            Vec::new()
        };
        let mut regs = None;
        if has(sample_type::REGS_USER) {
            let abi = body.u64()?;
            let n_regs = if abi == 0 { 0 } else { event.regs_user.count_ones() };
            let all = body.longs(n_regs.into())?;
            regs = (abi == ABI_64).then_some(all);
        }
        let mut stack: &[u8] = &[];
        if has(sample_type::STACK_USER) {
            let size = usize::try_from(body.u64()?).ok()?;
            stack = body.bytes(size)?;
            if size > 0 {
                let used = body.u64()?;
                stack =
                    usize::try_from(used).ok().and_then(|used| stack.get(..used)).unwrap_or(stack);
            }
        }
        let cgroup = if has(sample_type::CGROUP) { Some(cgroup(event, &mut body)?) } else { None };
        Some(Self { ip, ids, period, counts, chain, calls, regs, stack, cgroup })
    }
}

/// The id of the control group, after the fields that follow the user stack.
fn cgroup(event: &Event, body: &mut Words<'_>) -> Option<u64> {
    let skip = |bit: u64, body: &mut Words<'_>| {
        if event.has(bit) { body.u64().map(drop) } else { Some(()) }
    };
    skip(sample_type::WEIGHT | sample_type::WEIGHT_STRUCT, body)?;
    skip(sample_type::DATA_SRC, body)?;
    skip(sample_type::TRANSACTION, body)?;
    if event.has(sample_type::REGS_INTR) && body.u64()? != 0 {
        body.longs(event.regs_intr.count_ones().into())?;
    }
    skip(sample_type::PHYS_ADDR, body)?;
    body.u64()
}

/// Reads the counters of a group, with their ids. Skips a single one, and those without ids.
fn counts(format: u64, body: &mut Words<'_>) -> Option<Vec<(u64, u64)>> {
    let n = |bits: u64| u64::from((format & bits).count_ones());
    let times = n(read_format::TIME_ENABLED | read_format::TIME_RUNNING);
    let with_each = n(read_format::ID | read_format::LOST);
    if format & read_format::GROUP == 0 {
        body.longs(1 + times + with_each)?;
        return Some(Vec::new());
    }
    let n_counters = body.u64()?;
    body.longs(times)?;
    let mut counters = body.longs(n_counters.checked_mul(1 + with_each)?)?;
    let mut counts = Vec::new();
    if format & read_format::ID != 0 {
        while let (Some(value), Some(id)) = (counters.u64(), counters.u64()) {
            counters.longs(with_each - 1)?;
            counts.push((id, value));
        }
    }
    Some(counts)
}

/// Reads the last branches. They are calls only if the processor recorded them as a stack.
fn branches(format: u64, body: &mut Words<'_>) -> Option<Vec<(u64, u64)>> {
    let n = body.u64()?;
    if format & branch_type::HW_INDEX != 0 {
        body.u64()?;
    }
    let mut entries = body.longs(n.checked_mul(3)?)?;
    if format & branch_type::COUNTERS != 0 {
        body.longs(n)?;
    }
    let mut calls = Vec::new();
    if format & branch_type::CALL_STACK != 0 {
        while let (Some(from), Some(to), Some(_flags)) =
            (entries.u64(), entries.u64(), entries.u64())
        {
            calls.push((from, to));
        }
    }
    Some(calls)
}
