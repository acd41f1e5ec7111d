//! Reports of Android's simpleperf (`simpleperf report-sample --protobuf --show-callchain`), which Android
//! Studio exports, too.
//!
//! ```text
//! SIMPLEPERF, version 1 (2 bytes)
//! size (4 bytes), message `Record`: meta_info; samples and context switches; lost; files; threads
//! 0 (4 bytes)
//! ```
//!
//! A frame names its file and its function by their numbers in records that come later, so samples are kept as
//! a tree until all records were read. A frame without a function is named by its address, which is one to
//! look up in an ELF file: that of a caller is mostly within the call. There are no lines.
//!
//! Code of the JVM has the file of its class and no library: a method may be in an `.oat` file, a `.vdex` file
//! and the cache of the JIT compiler, and is one function.
//!
//! Each event is a metric. With `--trace-offcpu`, samples of all events but the first one are taken when a thread is
//! switched out. Their weight is the time until the next switch or sample of the thread; without one, they are
//! left out.
//!
//! Sources: simpleperf's manual; `cmd_report_sample.proto`, `cmd_report_sample.cpp`, `report_utils.cpp`,
//! `report_lib_interface.cpp` and `dso.cpp` of simpleperf.

mod proto;

use crate::error::{At, ReadError};
use crate::format::Format;
use crate::input::Input;
use crate::read::perf_event::{PerfEvent, no_sample, warn_of_lost_samples};
use crate::read::result::Read;
use crate::read::shared::func_text::{FuncText, library};
use crate::read::shared::id_tree::{IdTree, Node};
use crate::read::shared::java::{class_file, without_addresses};
use crate::read::shared::rows::{MAX_METRICS, Rows};
use crate::read::shared::text::utf8;
use profile::{
    AddressBase, BuildError, Frame, FrameId, JitTier, Lib, LibId, LineKnowledge, Metric,
    ProfileBuilder, Recording, StackId, Thread, WarningCode, Warnings,
};
use prost::Message;
use proto::Entry;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, hash_map};

pub(crate) const MAGIC: &[u8] = b"SIMPLEPERF";
const VERSION: [u8; 2] = [1, 0];

/// How to lose fewer samples.
const LOSE_LESS: &str = "record with a lower `-f`, or a larger `-m` and `--user-buffer-size`";

/// The name of a function that the report lacks.
const UNKNOWN: &str = "[unknown]";

/// The endings of files with code of the JVM.
const JVM_FILES: [&str; 6] = [".vdex", ".odex", ".oat", ".dex", ".apk", ".jar"];

pub(crate) fn read(input: &mut Input<'_>) -> Result<Read, ReadError> {
    if !input.has(MAGIC.len() + VERSION.len()) {
        let message = "the report ends within its header; expected a whole report by simpleperf";
        return Err(ReadError::truncated(At::File, message));
    }
    input.take(MAGIC.len());
    let version = input.take(VERSION.len());
    if version != VERSION {
        let version = version.iter().rev().fold(0, |all, &byte| all << 8 | u16::from(byte));
        return Err(ReadError::unrecognised(format!(
            "version {version} of simpleperf's reports is not supported; expected version 1"
        )));
    }
    let mut file = File::default();
    while let Some(record) = file.next(input) {
        file.add(record)?;
    }
    file.finish()
}

/// A report that is being read.
#[derive(Default)]
struct File {
    stacks: IdTree<Entry>,
    samples: Vec<Sample>,
    /// When threads were switched in.
    switched_in: Vec<(i32, u64)>,
    /// Programs and libraries by number.
    files: FxHashMap<u32, Code>,
    /// The process and the name of each thread.
    threads: FxHashMap<i32, (i32, String)>,
    /// Names of events.
    events: Vec<String>,
    /// Whether samples of other events than the first one have a time instead of a count.
    has_off_cpu: bool,
    n_lost: u64,
    warnings: Warnings,
}

#[derive(Debug, Clone, Copy)]
struct Sample {
    leaf: Node,
    thread: i32,
    /// In nanoseconds.
    time: u64,
    event: u32,
    count: u64,
}

/// A program or library.
struct Code {
    path: String,
    functions: Vec<String>,
}

impl Code {
    fn is_jvm(&self) -> bool {
        self.path.starts_with("[JIT ") || JVM_FILES.iter().any(|end| self.path.ends_with(end))
    }

    fn lib(&self) -> Lib {
        // Addresses of the kernel and of code without a file are none in a file.
        let is_file = self.path.starts_with('/') && !self.is_jvm();
        let addresses = if is_file { AddressBase::Image } else { AddressBase::Unknown };
        Lib { addresses, ..library(&self.path) }
    }
}

impl File {
    /// The next record that can be decoded. `None` at the end.
    fn next(&mut self, input: &mut Input<'_>) -> Option<proto::Record> {
        loop {
            let at = input.offset();
            let size = input.has(4).then(|| input.take(4).try_into().map_or(0, u32::from_le_bytes));
            if size == Some(0) {
                return None;
            }
            let size = size.map(|size| size as usize).filter(|&size| input.has(size));
            let Some(size) = size else {
                self.warnings.add(WarningCode::Truncated, || {
                    format!("byte {at}: the report ends here without an end mark; what is before that is shown")
                });
                return None;
            };
            match proto::Record::decode(input.take(size)) {
                Ok(record) => return Some(record),
                Err(error) => self.warnings.add(WarningCode::MalformedRecord, || {
                    format!("byte {at}: expected a record of simpleperf: {error}")
                }),
            }
        }
    }

    fn add(&mut self, record: proto::Record) -> Result<(), BuildError> {
        let mut text = |bytes: &[u8]| utf8(bytes, &mut self.warnings).into_owned();
        if let Some(file) = record.file {
            let functions = file.symbol.iter().map(|name| text(name)).collect();
            self.files.insert(file.id, Code { path: text(&file.path), functions });
        }
        if let Some(thread) = record.thread {
            self.threads.insert(thread.id, (thread.process_id, text(&thread.name)));
        }
        if let Some(meta) = record.meta_info {
            self.events = meta.event_type.iter().map(|name| text(name)).collect();
            self.has_off_cpu = meta.trace_offcpu;
        }
        if let Some(switch) = record.context_switch.filter(|switch| switch.switch_on) {
            self.switched_in.push((switch.thread_id, switch.time));
        }
        if let Some(lost) = record.lost {
            self.n_lost = self.n_lost.saturating_add(lost.lost_count);
        }
        if let Some(sample) = record.sample {
            self.add_sample(&sample)?;
        }
        Ok(())
    }

    fn add_sample(&mut self, sample: &proto::Sample) -> Result<(), BuildError> {
        for entry in sample.callchain.iter().rev() {
            // Without the address, stacks of the same functions are one.
            let vaddr_in_file = if entry.symbol_id < 0 { entry.vaddr_in_file } else { 0 };
            self.stacks.push(Entry { vaddr_in_file, ..*entry })?;
        }
        self.samples.push(Sample {
            leaf: self.stacks.end(),
            thread: sample.thread_id,
            time: sample.time,
            event: sample.event_type_id,
            count: sample.event_count,
        });
        Ok(())
    }

    /// Replaces the counts of off-CPU samples by their times. Those without an end are left out.
    fn measure_off_cpu(&mut self) {
        if !self.has_off_cpu {
            return;
        }
        let mut ends: FxHashMap<i32, Vec<u64>> = FxHashMap::default();
        let samples = self.samples.iter().map(|sample| (sample.thread, sample.time));
        for (thread, time) in samples.chain(std::mem::take(&mut self.switched_in)) {
            ends.entry(thread).or_default().push(time);
        }
        for times in ends.values_mut() {
            times.sort_unstable();
        }
        self.samples.retain_mut(|sample| {
            if sample.event == 0 {
                return true;
            }
            let times = ends.get(&sample.thread).map_or(&[][..], Vec::as_slice);
            let end = times.get(times.partition_point(|&time| time <= sample.time));
            sample.count = end.map_or(0, |end| end - sample.time);
            end.is_some()
        });
    }

    /// The events of samples, and the metric of each. Samples of an event without counts count 1.
    fn metrics(&mut self) -> Result<(Vec<u32>, Vec<Metric>), ReadError> {
        let mut has_counts: BTreeMap<u32, bool> = BTreeMap::new();
        for sample in &self.samples {
            *has_counts.entry(sample.event).or_default() |= sample.count > 0;
        }
        if has_counts.len() > MAX_METRICS {
            return Err(ReadError::too_large(format!(
                "there are more than {MAX_METRICS} events; record fewer of them"
            )));
        }
        for sample in self.samples.iter_mut().filter(|sample| !has_counts[&sample.event]) {
            sample.count = 1;
        }
        let metrics = has_counts.iter().map(|(&event, &counts)| self.metric(event, counts));
        let metrics = metrics.collect();
        Ok((has_counts.into_keys().collect(), metrics))
    }

    fn metric(&self, event: u32, has_periods: bool) -> Metric {
        let metric = if self.has_off_cpu && event > 0 {
            Metric::new("off-cpu", "ns", None)
        } else {
            let name = self.events.get(event as usize).map_or("", String::as_str);
            PerfEvent { name, has_periods, n_samples: 0 }.metric()
        };
        metric.with_lines(LineKnowledge::Nothing)
    }

    fn finish(mut self) -> Result<Read, ReadError> {
        self.measure_off_cpu();
        let n_samples = self.samples.len();
        if n_samples == 0 {
            let expected = "a report by `simpleperf report-sample --protobuf --show-callchain`";
            let message = no_sample(self.n_lost, LOSE_LESS, expected);
            return Err(ReadError::truncated(At::File, message));
        }
        if self.files.is_empty() {
            let message = "the report ends before the names of its functions; make it again with \
                           `simpleperf report-sample --protobuf --show-callchain`";
            return Err(ReadError::truncated(At::File, message));
        }
        warn_of_lost_samples(self.n_lost, n_samples, LOSE_LESS, &mut self.warnings);
        let (events, metrics) = self.metrics()?;
        let mut rows = Rows::new(metrics.len());
        let mut builder = ProfileBuilder::new(metrics, 0);
        let stacks = self.build_stacks(&mut builder)?;
        for sample in &self.samples {
            let stack = sample.leaf.index().map(|leaf| stacks[leaf]);
            let weight = |metric: usize| {
                if events[metric] == sample.event { sample.count as f64 } else { 0.0 }
            };
            let row = rows.push(sample.thread, || self.thread(sample.thread), stack, weight);
            rows.taken_at(row, sample.time as f64 / 1e6);
        }
        rows.finish(&mut builder)?;
        let times = self.samples.iter().map(|sample| sample.time);
        let span = times.clone().max().zip(times.min()).map(|(last, first)| last - first);
        Ok(Read {
            span_seconds: span.filter(|&span| span > 0).map(|span| span as f64 / 1e9),
            ..Read::new(Format::Simpleperf, Recording::Stacks(builder.build()), self.warnings)
        })
    }

    /// A thread, with the name of its process: that of the main thread.
    fn thread(&self, tid: i32) -> Thread {
        let name_of = |tid| self.threads.get(&tid).map(|(_, name)| name.clone());
        let pid = self.threads.get(&tid).map(|&(pid, _)| pid);
        Thread {
            name: name_of(tid).unwrap_or_default(),
            process_name: pid.and_then(name_of).unwrap_or_default(),
            pid: pid.map(|pid| pid.to_string()),
            tid: Some(tid.to_string()),
            ..Thread::default()
        }
    }

    /// The stack of each node.
    fn build_stacks(&self, builder: &mut ProfileBuilder) -> Result<Vec<StackId>, BuildError> {
        let mut frames: FxHashMap<Entry, FrameId> = FxHashMap::default();
        let mut stacks: Vec<StackId> = Vec::with_capacity(self.stacks.nodes().len());
        for (parent, entry) in self.stacks.nodes() {
            let frame = match frames.entry(entry) {
                hash_map::Entry::Occupied(known) => *known.get(),
                hash_map::Entry::Vacant(new) => *new.insert(self.frame(&entry, builder)?),
            };
            let parent = parent.index().map(|parent| stacks[parent]);
            stacks.push(builder.intern_stack(parent, frame)?);
        }
        Ok(stacks)
    }

    fn frame(&self, entry: &Entry, builder: &mut ProfileBuilder) -> Result<FrameId, BuildError> {
        let code = self.files.get(&entry.file_id);
        let function = usize::try_from(entry.symbol_id).ok();
        let name = function.map(|function| {
            let name = code.and_then(|code| code.functions.get(function));
            name.map_or(UNKNOWN, String::as_str)
        });
        let tier = match entry.execution_type {
            proto::INTERPRETED => JitTier::Interpreter,
            proto::JIT => JitTier::Jit,
            _ => JitTier::Unknown,
        };
        let is_jvm = tier != JitTier::Unknown || code.is_some_and(Code::is_jvm);
        let func = match name {
            Some(name) if is_jvm => method(name, builder)?,
            Some(name) => FuncText { name, ..FuncText::default() }.func(builder)?,
            None => {
                let name = format!("{:#x}", entry.vaddr_in_file);
                FuncText { name: &name, ..FuncText::default() }.func(builder)?
            }
        };
        let lib = code.filter(|code| func.source.is_none() && !code.path.is_empty());
        let lib: Option<LibId> = lib.map(|code| builder.intern_lib(code.lib())).transpose()?;
        let func = builder.intern_func(profile::Func { lib, ..func })?;
        builder.intern_frame(Frame { tier, ..Frame::new(func, 0) })
    }
}

/// A method of the JVM: `shop.Cart.total`, or with its signature, `int shop.Cart.total(shop.Item[])`.
fn method(name: &str, builder: &mut ProfileBuilder) -> Result<profile::Func, BuildError> {
    let name = match name.split_once('(') {
        Some((front, _)) => front.rsplit(' ').next().unwrap_or(front),
        None => name,
    };
    let name = without_addresses(name);
    let class = name.rsplit_once('.').map(|(class, _)| class.replace('.', "/"));
    let file = class.and_then(|class| class_file(&class)).unwrap_or_default();
    FuncText { name: &name, file: &file, ..FuncText::default() }.func(builder)
}

#[cfg(test)]
mod tests;
