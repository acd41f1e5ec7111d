//! How readers make a [`Profile`]: every index is checked when its row goes in, and never again.

use crate::stack_table::IDLE;
use crate::strings::Interner;
use crate::{
    CategoryId, Code, Frame, FrameId, Func, FuncId, Lib, LibId, Metric, Profile, Samples, SourceId,
    StackId, StackTable, StringId, Thread,
};
use rustc_hash::FxHashMap;

/// Why a row could not be added.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// A row points to a row that is not there (or, for stacks, not there *yet*).
    #[error("{column} {row} points to {table} {index}, but only {len} of them stand before it")]
    Dangling {
        /// The column that holds the pointer.
        column: &'static str,
        /// Its row, 0-based, in the profile being built.
        row: usize,
        /// The table pointed into.
        table: &'static str,
        /// The row pointed to.
        index: usize,
        /// How many rows that table has.
        len: usize,
    },
    /// A table has more rows than 32 bits can count, or strings exceed 4 GiB.
    #[error("the {0} table exceeds 2^32 - 1 rows or 4 GiB of text")]
    TooLarge(&'static str),
    /// There are more categories of stacks than a byte can count.
    #[error("stacks are of more than 256 categories")]
    Categories,
    /// A thread brings another number of weight columns than there are metrics, or a column of
    /// another length than its samples.
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

/// A profile while it is filled. `intern_*` gives one row per distinct value; `push_*` appends as
/// it comes, for bulk data.
#[derive(Debug, Default)]
pub struct ProfileBuilder {
    /// Without strings, stacks and threads until it is finished.
    profile: Profile,
    strings: Interner,
    stacks: StackTable,
    threads: Vec<Thread>,
    samples: Vec<Samples>,
    source_ids: FxHashMap<StringId, SourceId>,
    lib_ids: FxHashMap<Lib, LibId>,
    func_ids: FxHashMap<Func, FuncId>,
    frame_ids: FxHashMap<Frame, FrameId>,
    /// Of the frames whose line is in another file than their func.
    elsewhere_ids: FxHashMap<(Frame, SourceId, u32), FrameId>,
    stack_ids: FxHashMap<(Option<StackId>, FrameId), StackId>,
}

fn next_row(len: usize, table: &'static str) -> Result<u32, BuildError> {
    u32::try_from(len).ok().filter(|&row| row != u32::MAX).ok_or(BuildError::TooLarge(table))
}

impl ProfileBuilder {
    /// A profile whose samples will be weighed by `metrics`; `default_metric` is the index of the
    /// one to show first.
    pub fn new(metrics: Vec<Metric>, default_metric: usize) -> Self {
        let default_metric = default_metric.min(metrics.len().saturating_sub(1));
        Self {
            profile: Profile { metrics, default_metric, ..Profile::default() },
            ..Self::default()
        }
    }

    /// The same with other metrics, for readers that learn only at the end what their samples
    /// weigh: before the first thread.
    #[must_use]
    pub fn with_metrics(mut self, metrics: Vec<Metric>) -> Self {
        self.profile.metrics = metrics;
        self
    }

    /// The id of a string.
    pub fn intern_string(&mut self, text: &str) -> Result<StringId, BuildError> {
        self.strings.intern(text).ok_or(BuildError::TooLarge("string"))
    }

    /// The id of a source, by the name that the profile gives the file.
    pub fn intern_source(&mut self, name: &str) -> Result<SourceId, BuildError> {
        let name = self.intern_string(name)?;
        let sources = &mut self.profile.symbols.sources;
        let next = next_row(sources.len(), "source")?;
        Ok(*self.source_ids.entry(name).or_insert_with(|| {
            sources.push(name);
            SourceId::new(next)
        }))
    }

    /// The id of a library.
    pub fn intern_lib(&mut self, lib: Lib) -> Result<LibId, BuildError> {
        if let Some(&id) = self.lib_ids.get(&lib) {
            return Ok(id);
        }
        let id = LibId::new(next_row(self.profile.symbols.libs.len(), "library")?);
        self.profile.symbols.libs.push(lib.clone());
        self.lib_ids.insert(lib, id);
        Ok(id)
    }

    /// The id of a func; its parts must have been interned here.
    pub fn intern_func(&mut self, func: Func) -> Result<FuncId, BuildError> {
        if let Some(&id) = self.func_ids.get(&func) {
            return Ok(id);
        }
        let id = self.push_func(func)?;
        self.func_ids.insert(func, id);
        Ok(id)
    }

    /// Appends a func, whether or not there is one like it.
    pub fn push_func(&mut self, func: Func) -> Result<FuncId, BuildError> {
        let symbols = &mut self.profile.symbols;
        let id = FuncId::new(next_row(symbols.funcs.len(), "func")?);
        symbols.funcs.push(func);
        Ok(id)
    }

    /// Says what a func is made of; what is JavaScript once stays it.
    pub fn set_code(&mut self, func: FuncId, code: Code) -> Result<(), BuildError> {
        let funcs = &mut self.profile.symbols.funcs;
        check("code", 0, "func", func.index(), funcs.len())?;
        funcs.set_code(func, code);
        Ok(())
    }

    /// The id of a frame.
    pub fn intern_frame(&mut self, frame: Frame) -> Result<FrameId, BuildError> {
        if let Some(&id) = self.frame_ids.get(&frame) {
            return Ok(id);
        }
        let id = self.push_frame(frame)?;
        self.frame_ids.insert(frame, id);
        Ok(id)
    }

    /// The id of a frame that executes a line (1-based) of another file than its func's; its own
    /// line counts for nothing.
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

    /// The id of a stack.
    pub fn intern_stack(
        &mut self,
        prefix: Option<StackId>,
        frame: FrameId,
    ) -> Result<StackId, BuildError> {
        if let Some(&id) = self.stack_ids.get(&(prefix, frame)) {
            return Ok(id);
        }
        let id = self.push_stack(prefix, frame)?;
        self.stack_ids.insert((prefix, frame), id);
        Ok(id)
    }

    /// Appends a frame.
    pub fn push_frame(&mut self, frame: Frame) -> Result<FrameId, BuildError> {
        let row = next_row(self.profile.frames.len(), "frame")?;
        check("frame.func", row, "func", frame.func.index(), self.profile.symbols.funcs.len())?;
        self.profile.frames.push(frame);
        Ok(FrameId::new(row))
    }

    /// Says of the frame that was pushed last that it executes in another file than its func's.
    pub(crate) fn put_elsewhere(&mut self, source: SourceId, line: u32) {
        self.profile.frames.put_elsewhere(source, line);
    }

    /// Appends a stack; its prefix must stand before it.
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

    /// Makes room for that many stacks.
    pub fn reserve_stacks(&mut self, additional: usize) {
        self.stacks.reserve(additional);
    }

    /// Marks samples with exactly this stack as idle.
    pub fn set_idle(&mut self, stack: StackId) -> Result<(), BuildError> {
        let idle = self.intern_category(IDLE)?;
        self.set_category(stack, idle)
    }

    /// The id of a category of stacks. Stacks that are given none are in the one that comes first,
    /// unless that is the idle one.
    pub fn intern_category(&mut self, name: &str) -> Result<CategoryId, BuildError> {
        self.stacks.intern_category(name).ok_or(BuildError::Categories)
    }

    /// Says what the thread was doing at a stack.
    pub fn set_category(&mut self, stack: StackId, category: CategoryId) -> Result<(), BuildError> {
        check("category", 0, "stack", stack.index(), self.stacks.len())?;
        self.stacks.set_category(stack, category);
        Ok(())
    }

    /// What the thread was doing at a stack that was added.
    pub fn category(&self, stack: StackId) -> CategoryId {
        self.stacks.category(stack)
    }

    /// Appends a thread with its samples, after all of its stacks.
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
    /// If `stack` was not.
    pub fn prefix(&self, stack: StackId) -> Option<StackId> {
        self.stacks.prefix(stack)
    }

    /// How many stacks there are so far.
    pub fn n_stacks(&self) -> usize {
        self.stacks.len()
    }

    /// The finished profile.
    pub fn build(mut self) -> Profile {
        self.profile.symbols.strings = self.strings.finish();
        self.profile.stacks = self.stacks.into();
        self.profile.threads = self.threads.into();
        self.profile.samples = self.samples.into();
        self.profile
    }
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
