//! Builds a [`Profile`] and checks every index as its row is added, so that later code need not
//! check.

use crate::labels::LabelInterner;
use crate::stack_table::IDLE;
use crate::strings::Interner;
use crate::times::{Clock, Times};
use crate::{
    CategoryId, Code, Frame, FrameId, Func, FuncId, Label, LabelSetId, Lib, LibId, Metric, Profile,
    Samples, SourceId, StackId, StackTable, StringId, Thread,
};
use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::hash::{BuildHasher, Hash};
use std::sync::Arc;

/// Why a row could not be added.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// A row refers to a row that does not exist (for stacks: not yet).
    #[error("{column} {row} refers to {table} {index}, but only {len} exist")]
    Dangling {
        /// The column with the wrong index.
        column: &'static str,
        /// The row of that column, 0-based.
        row: usize,
        /// The table that the index refers to.
        table: &'static str,
        /// The index, 0-based.
        index: usize,
        /// How many rows that table has.
        len: usize,
    },
    /// A table has more rows than fit into 32 bits, or strings exceed 4 GiB.
    #[error("the {0} table exceeds 2^32 - 1 rows or 4 GiB of text")]
    TooLarge(&'static str),
    /// There are more than 256 categories of stacks.
    #[error("there are more than 256 categories of stacks")]
    Categories,
    /// A thread has a different number of weight columns than there are metrics, or a column of a
    /// different length than its samples.
    #[error("thread {thread}: {what} has {found} entries, expected {expected}")]
    Shape {
        /// The thread, 0-based.
        thread: usize,
        /// Which column.
        what: &'static str,
        /// How many entries it has.
        found: usize,
        /// How many it should have.
        expected: usize,
    },
}

/// Builds a profile. `intern_*` adds one row per distinct value; `push_*` always adds a row.
#[derive(Debug, Default)]
pub struct ProfileBuilder {
    /// Strings, stacks and threads are added by [`Self::build`].
    profile: Profile,
    strings: Interner,
    stacks: StackTable,
    threads: Vec<Thread>,
    samples: Vec<Samples>,
    source_ids: FxHashMap<StringId, SourceId>,
    lib_ids: FxHashMap<Lib, LibId>,
    /// Ids of funcs, frames and stacks by the hash of their row. The rows are only in the tables.
    func_ids: HashTable<FuncId>,
    frame_ids: HashTable<FrameId>,
    /// The frames whose line is in a different file than their func.
    elsewhere_ids: FxHashMap<(Frame, SourceId, u32), FrameId>,
    stack_ids: HashTable<StackId>,
    labels: LabelInterner,
}

fn hash(row: &impl Hash) -> u64 {
    FxBuildHasher.hash_one(row)
}

fn next_row(len: usize, table: &'static str) -> Result<u32, BuildError> {
    u32::try_from(len).ok().filter(|&row| row != u32::MAX).ok_or(BuildError::TooLarge(table))
}

impl ProfileBuilder {
    /// A builder for samples with these metrics. `default_metric` is the index of the metric to
    /// show first.
    pub fn new(metrics: Vec<Metric>, default_metric: usize) -> Self {
        let default_metric = default_metric.min(metrics.len().saturating_sub(1));
        Self {
            profile: Profile { metrics, default_metric, ..Profile::default() },
            ..Self::default()
        }
    }

    /// Replaces the metrics, for readers that know them only at the end. Call this before the first
    /// thread is added.
    #[must_use]
    pub fn with_metrics(mut self, metrics: Vec<Metric>) -> Self {
        self.profile.metrics = metrics;
        self
    }

    /// Adds a string and returns its id.
    pub fn intern_string(&mut self, text: &str) -> Result<StringId, BuildError> {
        self.strings.intern(text).ok_or(BuildError::TooLarge("string"))
    }

    /// Adds a source file, named as in the profile, and returns its id.
    pub fn intern_source(&mut self, name: &str) -> Result<SourceId, BuildError> {
        let name = self.intern_string(name)?;
        let sources = &mut self.profile.symbols.sources;
        let next = next_row(sources.len(), "source")?;
        Ok(*self.source_ids.entry(name).or_insert_with(|| {
            sources.push(name);
            SourceId::new(next)
        }))
    }

    /// Adds the text that a source had when it was recorded, unless it has one already.
    pub fn add_source_text(&mut self, source: SourceId, text: &Arc<str>) {
        self.profile.symbols.texts.entry(source).or_insert_with(|| text.clone());
    }

    /// Adds a set of labels and returns its id.
    pub fn intern_labels(
        &mut self,
        labels: impl IntoIterator<Item = Label>,
    ) -> Result<LabelSetId, BuildError> {
        self.labels.intern(labels).ok_or(BuildError::TooLarge("label"))
    }

    /// Adds a library and returns its id.
    pub fn intern_lib(&mut self, lib: Lib) -> Result<LibId, BuildError> {
        if let Some(&id) = self.lib_ids.get(&lib) {
            return Ok(id);
        }
        let id = LibId::new(next_row(self.profile.symbols.libs.len(), "library")?);
        self.profile.symbols.libs.push(lib.clone());
        self.lib_ids.insert(lib, id);
        Ok(id)
    }

    /// Adds a func and returns its id. Its string, source and library must have been added here.
    pub fn intern_func(&mut self, func: Func) -> Result<FuncId, BuildError> {
        let func = Func { line: known(func.line), column: known(func.column), ..func };
        let funcs = &self.profile.symbols.funcs;
        if let Some(&id) = self.func_ids.find(hash(&func), |&id| funcs.get(id) == func) {
            return Ok(id);
        }
        let id = self.push_func(func)?;
        let funcs = &self.profile.symbols.funcs;
        self.func_ids.insert_unique(hash(&func), id, |&id| hash(&funcs.get(id)));
        Ok(id)
    }

    /// Appends a func, even if there is an equal one.
    pub fn push_func(&mut self, func: Func) -> Result<FuncId, BuildError> {
        let symbols = &mut self.profile.symbols;
        let id = FuncId::new(next_row(symbols.funcs.len(), "func")?);
        let func = Func { line: known(func.line), column: known(func.column), ..func };
        symbols.funcs.push(func);
        Ok(id)
    }

    /// Sets what a func is made of. A func that was JavaScript once stays JavaScript.
    pub fn set_code(&mut self, func: FuncId, code: Code) -> Result<(), BuildError> {
        let funcs = &mut self.profile.symbols.funcs;
        check("code", 0, "func", func.index(), funcs.len())?;
        funcs.set_code(func, code);
        Ok(())
    }

    /// Adds a frame and returns its id.
    pub fn intern_frame(&mut self, frame: Frame) -> Result<FrameId, BuildError> {
        let frame = Frame { line: known(frame.line), column: known(frame.column), ..frame };
        let frames = &self.profile.frames;
        if let Some(&id) = self.frame_ids.find(hash(&frame), |&id| frames.get(id) == frame) {
            return Ok(id);
        }
        let id = self.push_frame(frame)?;
        let frames = &self.profile.frames;
        self.frame_ids.insert_unique(hash(&frame), id, |&id| hash(&frames.get(id)));
        Ok(id)
    }

    /// Adds a frame that executes a line (1-based) of a different file than its func's, and returns
    /// its id. The frame's own line is ignored.
    pub fn intern_frame_elsewhere(
        &mut self,
        frame: Frame,
        source: SourceId,
        line: u32,
    ) -> Result<FrameId, BuildError> {
        let frame = Frame { line: 0, column: 0, ..frame };
        if let Some(&id) = self.elsewhere_ids.get(&(frame, source, line)) {
            return Ok(id);
        }
        check(
            "frame.source",
            self.profile.frames.len() as u32,
            "source",
            source.index(),
            self.profile.symbols.sources.len(),
        )?;
        let id = self.push_frame(frame)?;
        self.put_elsewhere(source, line);
        self.elsewhere_ids.insert((frame, source, line), id);
        Ok(id)
    }

    /// Adds a stack and returns its id.
    pub fn intern_stack(
        &mut self,
        prefix: Option<StackId>,
        frame: FrameId,
    ) -> Result<StackId, BuildError> {
        let stacks = &self.stacks;
        let row = |&id: &StackId| (stacks.prefix(id), stacks.frame(id));
        // The first stack that was added below another one often follows it.
        let next = prefix.map_or(0, |prefix| prefix.index() + 1);
        if next < stacks.len() && row(&StackId::new(next as u32)) == (prefix, frame) {
            return Ok(StackId::new(next as u32));
        }
        let hashed = hash(&(prefix, frame));
        if let Some(&id) = self.stack_ids.find(hashed, |id| row(id) == (prefix, frame)) {
            return Ok(id);
        }
        let id = self.push_stack(prefix, frame)?;
        let stacks = &self.stacks;
        let row = |&id: &StackId| (stacks.prefix(id), stacks.frame(id));
        self.stack_ids.insert_unique(hashed, id, |id| hash(&row(id)));
        Ok(id)
    }

    /// Appends a frame.
    pub fn push_frame(&mut self, frame: Frame) -> Result<FrameId, BuildError> {
        let row = next_row(self.profile.frames.len(), "frame")?;
        check("frame.func", row, "func", frame.func.index(), self.profile.symbols.funcs.len())?;
        let frame = Frame { line: known(frame.line), column: known(frame.column), ..frame };
        self.profile.frames.push(frame);
        Ok(FrameId::new(row))
    }

    /// Sets the place of the last frame, in a different file than its func's.
    pub(crate) fn put_elsewhere(&mut self, source: SourceId, line: u32) {
        self.profile.frames.put_elsewhere(source, line);
    }

    /// Appends a stack. Its prefix must have been added before.
    pub fn push_stack(
        &mut self,
        prefix: Option<StackId>,
        frame: FrameId,
    ) -> Result<StackId, BuildError> {
        let row = next_row(self.stacks.len(), "stack")?;
        check("stack.frame", row, "frame", frame.index(), self.profile.frames.len())?;
        if let Some(prefix) = prefix {
            check("stack.prefix", row, "stack", prefix.index(), row as usize)?;
        }
        self.stacks.push(prefix, frame);
        Ok(StackId::new(row))
    }

    /// Reserves memory for `n` more stacks.
    pub fn reserve_stacks(&mut self, additional: usize) {
        self.stacks.reserve(additional);
    }

    /// Marks samples with exactly this stack as idle.
    pub fn set_idle(&mut self, stack: StackId) -> Result<(), BuildError> {
        let idle = self.intern_category(IDLE)?;
        self.set_category(stack, idle)
    }

    /// Adds a category of stacks and returns its id. Stacks without a category are in the first
    /// one, unless that is the idle category.
    pub fn intern_category(&mut self, name: &str) -> Result<CategoryId, BuildError> {
        self.stacks.intern_category(name).ok_or(BuildError::Categories)
    }

    /// Sets what the thread was doing at a stack.
    pub fn set_category(&mut self, stack: StackId, category: CategoryId) -> Result<(), BuildError> {
        check("category", 0, "stack", stack.index(), self.stacks.len())?;
        self.stacks.set_category(stack, category);
        Ok(())
    }

    /// The category of a stack that was added.
    pub fn category(&self, stack: StackId) -> CategoryId {
        self.stacks.category(stack)
    }

    /// Appends a thread with its samples. Its stacks must have been added before.
    pub fn push_thread(&mut self, thread: Thread, samples: Samples) -> Result<(), BuildError> {
        let i = self.threads.len();
        let shape = |what, found, expected| BuildError::Shape { thread: i, what, found, expected };
        if samples.weights.len() != self.profile.metrics.len() {
            return Err(shape(
                "the list of weight columns",
                samples.weights.len(),
                self.profile.metrics.len(),
            ));
        }
        for weights in &samples.weights {
            if let Some(len) = weights.n_rows().filter(|&len| len != samples.len()) {
                return Err(shape("a weight column", len, samples.len()));
            }
        }
        if let Some(calls) = samples.calls().filter(|calls| calls.len() != samples.len()) {
            return Err(shape("the column of calls", calls.len(), samples.len()));
        }
        if let Some(times) = samples.times.as_ref().filter(|times| times.len() != samples.len()) {
            return Err(shape("the column of times", times.len(), samples.len()));
        }
        if let Some(labels) = &samples.labels {
            if labels.len() != samples.len() {
                return Err(shape("the column of labels", labels.len(), samples.len()));
            }
            for (row, set) in (0..).zip(labels) {
                check("sample.labels", row, "label set", set.index(), self.labels.n_sets())?;
            }
        }
        if let Some(stretches) = &samples.stretches {
            let n = stretches.rows.len();
            for times in [&stretches.starts, &stretches.ends] {
                if times.len() != n {
                    return Err(shape("a column of stretches", times.len(), n));
                }
            }
            for (i, &row) in (0..).zip(stretches.rows.iter()) {
                check("stretch.row", i, "sample", row as usize, samples.len())?;
            }
        }
        for (row, &stack) in
            samples.stack.iter().enumerate().filter(|&(_, &stack)| stack != crate::ids::NONE)
        {
            check("sample.stack", row as u32, "stack", stack as usize, self.stacks.len())?;
        }
        self.threads.push(thread);
        self.samples.push(samples);
        Ok(())
    }

    /// The parent of a stack that was added.
    ///
    /// # Panics
    /// If `stack` was not added.
    pub fn prefix(&self, stack: StackId) -> Option<StackId> {
        self.stacks.prefix(stack)
    }

    /// The number of stacks so far.
    pub fn n_stacks(&self) -> usize {
        self.stacks.len()
    }

    /// Builds the profile.
    pub fn build(mut self) -> Profile {
        self.profile.symbols.strings = self.strings.finish();
        self.profile.stacks = self.stacks.into();
        self.profile.threads = self.threads.into();
        self.profile.labels = Arc::new(self.labels.finish());
        let columns = self.samples.iter().flat_map(Samples::time_columns);
        self.profile.clock = Clock::of(columns.map(Times::milliseconds));
        let clock = self.profile.clock;
        for samples in &mut self.samples {
            let times = samples.times.take().zip(clock);
            samples.times = times.map(|(times, clock)| times.in_ticks(clock));
            let stretches = samples.stretches.take().zip(clock);
            samples.stretches = stretches.map(|(stretches, clock)| stretches.in_ticks(clock));
        }
        self.profile.samples = self.samples.into();
        self.profile
    }
}

/// A line or column, 1-based; 0 if it is unknown. Those above 2^31 - 1 are unknown: no text has so
/// many, and not all formats can express them.
fn known(position: u32) -> u32 {
    if i32::try_from(position).is_ok() { position } else { 0 }
}

fn check(
    column: &'static str,
    row: u32,
    table: &'static str,
    index: usize,
    len: usize,
) -> Result<(), BuildError> {
    if index < len {
        Ok(())
    } else {
        Err(BuildError::Dangling { column, row: row as usize, table, index, len })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{StackAccess, Weights};

    #[test]
    fn equal_rows_have_one_id() {
        let mut builder = ProfileBuilder::new(Vec::new(), 0);
        let name = builder.intern_string("f").unwrap();
        let [a, b] = ["a.c", "b.h"].map(|name| builder.intern_source(name).unwrap());
        assert_eq!(builder.intern_source("a.c"), Ok(a));
        let func = Func { name, source: Some(a), lib: None, line: 1, column: 0 };
        let func = builder.push_func(func).unwrap();
        let frame = |line, column| Frame { column, ..Frame::new(func, line) };
        let one = builder.intern_frame(frame(3, 5)).unwrap();
        assert_eq!(builder.intern_frame(frame(3, 5)), Ok(one));
        assert_ne!(builder.intern_frame(frame(3, 6)), Ok(one));
        // Elsewhere, the place is that of the other file.
        let elsewhere = builder.intern_frame_elsewhere(frame(3, 5), b, 7).unwrap();
        assert_eq!(builder.intern_frame_elsewhere(frame(4, 6), b, 7), Ok(elsewhere));
        assert_ne!(builder.intern_frame_elsewhere(frame(3, 5), b, 8), Ok(elsewhere));
        let profile = builder.build();
        let frames = profile.frames();
        assert_eq!((frames.get(elsewhere).line, frames.get(elsewhere).column), (0, 0));
        assert_eq!((frames.elsewhere(elsewhere), frames.elsewhere(one)), (Some((b, 7)), None));
        assert!(profile.stacks().is_empty());
    }

    #[test]
    fn rows_that_do_not_exist_are_errors() {
        let mut builder = ProfileBuilder::new(Vec::new(), 0);
        let frame = Frame::new(FuncId::new(0), 1);
        assert!(builder.intern_frame(frame).is_err());
        let name = builder.intern_string("f").unwrap();
        builder.push_func(Func { name, source: None, lib: None, line: 1, column: 0 }).unwrap();
        let frame = builder.intern_frame(frame).unwrap();
        assert!(
            builder
                .intern_frame_elsewhere(Frame::new(FuncId::new(0), 1), SourceId::new(0), 1)
                .is_err()
        );
        let root = builder.intern_stack(None, frame).unwrap();
        assert_eq!(builder.intern_stack(None, frame), Ok(root));
        assert_ne!(builder.intern_stack(Some(root), frame), Ok(root));
        let unknown = StackId::new(9);
        assert!(builder.intern_stack(Some(unknown), frame).is_err());
    }

    #[test]
    fn columns_of_samples_have_equal_lengths() {
        let push = |samples: Samples| {
            let mut builder = ProfileBuilder::new(vec![Metric::new("samples", "count", None)], 0);
            builder.push_thread(Thread::default(), samples)
        };
        let two = || Samples::new([None, None], vec![Weights::Ones]);
        assert_eq!(push(two()), Ok(()));
        assert_eq!(push(two().with_calls(vec![1, 0]).with_times(vec![0.0, 1.0])), Ok(()));
        let stretched = |starts, ends| two().with_stretches(vec![1], starts, ends);
        assert_eq!(push(stretched(vec![0.0], vec![1.0])), Ok(()));
        let wrong = [
            ("the list of weight columns", 0, 1, Samples::new([None], Vec::new())),
            ("a weight column", 1, 2, Samples::new([None, None], vec![Weights::Each(vec![1.0])])),
            ("the column of calls", 1, 2, two().with_calls(vec![1])),
            ("the column of times", 3, 2, two().with_times(vec![0.0; 3])),
            ("the column of labels", 1, 2, two().with_labels(vec![LabelSetId::NONE])),
            ("a column of stretches", 2, 1, stretched(vec![0.0; 2], vec![1.0])),
            ("a column of stretches", 0, 1, stretched(vec![0.0], vec![])),
        ];
        for (what, found, expected, samples) in wrong {
            let shape = BuildError::Shape { thread: 0, what, found, expected };
            assert_eq!(push(samples), Err(shape));
        }
        assert!(push(two().with_stretches(vec![2], vec![0.0], vec![1.0])).is_err());
        assert_eq!(push(two().with_labels(vec![LabelSetId::NONE; 2])), Ok(()));
        assert!(push(two().with_labels(vec![LabelSetId::new(1); 2])).is_err());
    }

    #[test]
    fn stacks_have_the_category_that_was_set() {
        let mut builder = ProfileBuilder::new(Vec::new(), 0);
        let [user, kernel] = ["User", "Kernel"].map(|it| builder.intern_category(it).unwrap());
        assert_eq!(builder.intern_category("User"), Ok(user));
        let name = builder.intern_string("f").unwrap();
        let func = Func { name, source: None, lib: None, line: 1, column: 0 };
        let func = builder.push_func(func).unwrap();
        let frame = builder.intern_frame(Frame::new(func, 1)).unwrap();
        let caller = builder.intern_stack(None, frame).unwrap();
        let callee = builder.intern_stack(Some(caller), frame).unwrap();
        builder.set_category(callee, kernel).unwrap();
        let profile = builder.build();
        let stacks = profile.stacks();
        assert_eq!((stacks.category(caller), stacks.category(callee)), (user, kernel));
        let categories: Vec<_> = stacks.categories().collect();
        assert_eq!(categories, [(user, "User"), (kernel, "Kernel")]);
        assert_eq!(stacks.category_name(kernel), "Kernel");
    }
}
