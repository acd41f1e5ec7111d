//! The metrics of samples: their weight, the CPU time since the previous sample, and allocations.
//!
//! Allocations have tables of their own. Their rows follow the samples of their thread, and each
//! row has a weight only in the metrics of its table. Names and rules of the allocation metrics
//! come from the Firefox Profiler's "call tree summary strategies" (`call-tree` and
//! `profile-data`); rows that it hides have weight 0 here.

use super::columns::ABSENT;
use super::pages::Pages;
use super::schema::Meta;
use super::tables::dangling;
use crate::error::ReadError;
use profile::{LabelSetId, Metric, StackId, Weights};
use rustc_hash::FxHashMap;

/// One metric of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    /// The weight of samples, with this unit.
    Weight(String),
    /// `threadCPUDelta`. The first one of a thread is ignored: it covers time before the recording.
    Cpu,
    Js,
    /// Allocated bytes.
    Native,
    /// Bytes that were allocated and not freed.
    NativeRetained,
    /// Freed bytes, at the place where they were freed.
    NativeFreed,
    /// Freed bytes, at the place where they had been allocated.
    NativeFreedAllocation,
}

/// The kinds of weights in a file.
#[derive(Debug, Default)]
pub(super) struct Present {
    /// Units of weights, in order of first use.
    pub(super) units: Vec<String>,
    pub(super) cpu: bool,
    pub(super) js: bool,
    pub(super) native: NativeRows,
}

/// The kinds of rows in tables of native allocations.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum NativeRows {
    #[default]
    None,
    Plain,
    /// Rows with addresses, which link what is freed to its allocation.
    Addressed,
}

impl Present {
    /// The metrics of the file; the first is its default.
    pub(super) fn kinds(mut self) -> Vec<Kind> {
        use Kind::{Cpu, Js, Native, NativeFreed, NativeFreedAllocation, NativeRetained};
        let (native, addressed) =
            (self.native >= NativeRows::Plain, self.native == NativeRows::Addressed);
        if self.units.is_empty() && !self.js && !native {
            self.units.push("samples".to_owned());
        }
        let cpu = (Cpu, self.cpu && !self.units.is_empty());
        let allocations = [
            (Js, self.js),
            (Native, native),
            (NativeRetained, addressed),
            (NativeFreed, native),
            (NativeFreedAllocation, addressed),
        ];
        let weights = self.units.into_iter().map(Kind::Weight);
        weights
            .chain(
                std::iter::once(cpu).chain(allocations).filter_map(|(kind, is)| is.then_some(kind)),
            )
            .collect()
    }
}

impl Kind {
    pub(super) fn metric(&self, meta: &Meta) -> Metric {
        let name = match self {
            Self::Weight(unit) => return Metric::new(unit, unit, meta.interval_seconds()),
            Self::Cpu => return Metric::new("cpu", meta.cpu_unit().unwrap_or("cpu"), None),
            Self::Js => "js-allocations",
            Self::Native => "native-allocations",
            Self::NativeRetained => "native-retained-allocations",
            Self::NativeFreed => "native-deallocations-sites",
            Self::NativeFreedAllocation => "native-deallocations-memory",
        };
        Metric::new(name, "bytes", None)
    }
}

/// The samples of one thread, decoded.
pub(super) struct Rows {
    /// One per sample, as in the next two columns.
    pub(super) stacks: Vec<u32>,
    pub(super) weights: Weights,
    /// The unit of the weights.
    pub(super) unit: String,
    /// CPU time, if any is known.
    pub(super) cpu: Option<Weights>,
    /// Milliseconds since the start of the recording; NaN: unknown. Empty: all are.
    pub(super) times: Vec<f64>,
    /// Empty if the file states none.
    pub(super) labels: Vec<LabelSetId>,
    pub(super) js: Allocations,
    pub(super) native: Allocations,
}

/// Allocations of one thread, decoded, in order. Columns are empty or have the same length.
#[derive(Default)]
pub(super) struct Allocations {
    pub(super) stacks: Vec<u32>,
    /// Bytes; negative if they are freed.
    pub(super) bytes: Vec<f64>,
    pub(super) addresses: Vec<f64>,
    /// As in [`Rows`].
    pub(super) times: Vec<f64>,
}

impl Rows {
    /// Moves all times, in milliseconds.
    pub(super) fn shift(&mut self, by: f64) {
        let times = [&mut self.times, &mut self.js.times, &mut self.native.times];
        times.into_iter().flatten().for_each(|time| *time += by);
    }

    /// Forgets all times.
    pub(super) fn clear_times(&mut self) {
        let times = [&mut self.times, &mut self.js.times, &mut self.native.times];
        times.into_iter().for_each(Vec::clear);
    }

    /// Checks that all stacks exist, of `available` ones.
    pub(super) fn check(&self, place: &str, available: usize) -> Result<(), ReadError> {
        let tables = [
            ("samples", &self.stacks),
            ("jsAllocations", &self.js.stacks),
            ("nativeAllocations", &self.native.stacks),
        ];
        for (table, stacks) in tables {
            if let Some(row) =
                stacks.iter().position(|&stack| stack != ABSENT && stack as usize >= available)
            {
                return Err(dangling(
                    place,
                    &format!("{table}.stack"),
                    row,
                    stacks[row],
                    available,
                    "stacks",
                ));
            }
        }
        Ok(())
    }

    /// Builds the samples of the thread at `place`, whose `available` stacks begin at
    /// `first_stack`.
    pub(super) fn finish(
        mut self,
        place: &str,
        kinds: &[Kind],
        first_stack: usize,
        available: usize,
        pages: &Pages,
    ) -> Result<profile::Samples, ReadError> {
        self.check(place, available)?;
        // The first one covers the time before the first sample.
        match &mut self.cpu {
            Some(Weights::Each(deltas)) => {
                deltas.first_mut().into_iter().for_each(|first| *first = 0.0);
            }
            Some(Weights::Counts(deltas)) => {
                deltas.first_mut().into_iter().for_each(|first| *first = 0);
            }
            Some(Weights::Ones) | None => {}
        }
        let times = self.times();
        let weights = kinds.iter().map(|kind| self.column(kind)).collect();
        // The conversion below reuses the vector without a copy.
        let mut stacks = self.stacks;
        stacks.extend(self.js.stacks);
        stacks.extend(self.native.stacks);
        let stacks = stacks
            .into_iter()
            .map(|stack| (stack != ABSENT).then(|| StackId::new(stack + first_stack as u32)));
        let samples = profile::Samples::new(stacks, weights);
        let samples = if self.labels.is_empty() {
            pages.label(samples)
        } else {
            self.labels.resize(samples.len(), LabelSetId::NONE);
            samples.with_labels(self.labels)
        };
        Ok(times.into_iter().fold(samples, profile::Samples::with_times))
    }

    /// The times of all rows. `None` if none is known.
    fn times(&mut self) -> Option<Vec<f64>> {
        let tables = [
            (&mut self.times, self.stacks.len()),
            (&mut self.js.times, self.js.stacks.len()),
            (&mut self.native.times, self.native.stacks.len()),
        ];
        let mut all = Vec::new();
        let mut n = 0;
        for (times, len) in tables {
            n += len;
            // A column of another length does not belong to the rows.
            if times.len() == len && all.is_empty() {
                all = std::mem::take(times);
            } else if times.len() == len {
                all.append(times);
            }
            all.resize(n, f64::NAN);
        }
        all.iter().any(|time| time.is_finite()).then_some(all)
    }

    /// The weights of all rows in one metric.
    fn column(&mut self, kind: &Kind) -> Weights {
        let lengths = [self.stacks.len(), self.js.stacks.len(), self.native.stacks.len()];
        let zeros = |table: usize| Weights::Each(vec![0.0; lengths[table]]);
        let own = match kind {
            Kind::Weight(unit) if *unit == self.unit => {
                std::mem::replace(&mut self.weights, Weights::Ones)
            }
            Kind::Cpu => self.cpu.take().unwrap_or_else(|| zeros(0)),
            _ => zeros(0),
        };
        if lengths[1..] == [0, 0] {
            return own;
        }
        let js = if *kind == Kind::Js {
            Weights::Each(std::mem::take(&mut self.js.bytes))
        } else {
            zeros(1)
        };
        let native = self.native.weights(kind).map_or_else(|| zeros(2), Weights::Each);
        let parts = [own, js, native].into_iter().zip(lengths).flat_map(|(part, len)| match part {
            Weights::Ones => vec![1.0; len],
            Weights::Each(column) => column,
            Weights::Counts(column) => column.into_iter().map(f64::from).collect(),
        });
        Weights::Each(parts.collect())
    }
}

impl Allocations {
    /// The kind of rows, if these are native allocations.
    pub(super) fn native_rows(&self) -> NativeRows {
        match () {
            () if self.stacks.is_empty() => NativeRows::None,
            () if self.addresses.iter().all(|address| address.is_nan()) => NativeRows::Plain,
            () => NativeRows::Addressed,
        }
    }

    /// The weights of native allocations, if this metric measures them.
    fn weights(&self, kind: &Kind) -> Option<Vec<f64>> {
        let pick = |pick: fn(f64) -> f64| self.bytes.iter().map(|&bytes| pick(bytes)).collect();
        Some(match kind {
            Kind::Native => pick(|bytes| bytes.max(0.0)),
            Kind::NativeFreed => pick(|bytes| bytes.min(0.0)),
            Kind::NativeRetained => {
                let mut retained: Vec<f64> = pick(|bytes| bytes.max(0.0));
                self.each_freed(|allocation, _| retained[allocation] = 0.0);
                retained
            }
            Kind::NativeFreedAllocation => {
                let mut freed = vec![0.0; self.bytes.len()];
                self.each_freed(|allocation, bytes| freed[allocation] = bytes);
                freed
            }
            Kind::Weight(_) | Kind::Cpu | Kind::Js => return None,
        })
    }

    /// Calls `freed` with the row of each allocation that a later row frees, and with the bytes of
    /// the later row. If an address is allocated twice, the first allocation was freed without a
    /// record.
    fn each_freed(&self, mut freed: impl FnMut(usize, f64)) {
        let mut rows: FxHashMap<u64, usize> = FxHashMap::default();
        let with_address = self
            .bytes
            .iter()
            .zip(&self.addresses)
            .enumerate()
            .filter(|(_, (_, address))| !address.is_nan());
        for (row, (&bytes, address)) in with_address {
            if bytes >= 0.0 {
                rows.insert(address.to_bits(), row);
            } else if let Some(allocation) = rows.remove(&address.to_bits()) {
                freed(allocation, bytes);
            }
        }
    }
}

/// The times of the first and last sample of all threads, in milliseconds.
#[derive(Default)]
pub(super) struct Span(Option<(f64, f64)>);

impl Span {
    pub(super) fn add(&mut self, (first, last): (f64, f64)) {
        let (least, greatest) = self.0.unwrap_or((first, last));
        self.0 = Some((least.min(first), greatest.max(last)));
    }

    pub(super) fn seconds(&self) -> Option<f64> {
        self.0.map(|(first, last)| (last - first) / 1000.0)
    }
}
