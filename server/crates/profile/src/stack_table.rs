//! Frames and stacks: the bulk of a profile, in columns.

use crate::ids::NONE;
use crate::{FrameId, FuncId, SourceId, StackId};
use rustc_hash::FxHashMap;

/// One frame, as a row to be put into or taken out of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Frame {
    /// The function that is executing.
    pub func: FuncId,
    /// The line being executed, 1-based; 0 = unknown.
    pub line: u32,
    /// The column being executed, 1-based; 0 = unknown. Kept where it can say more than the line
    /// does: compiled or minified JavaScript, which a source map leads back to the text that was
    /// written.
    pub column: u32,
    /// Whether the func was inlined into the frame that calls it.
    pub inlined: bool,
}

/// Frames in columns: a func at a line.
///
/// Several frames of one func differ by line, address or JIT tier; costs by function merge them.
#[derive(Debug, Clone, Default)]
pub struct FrameTable {
    func: Vec<FuncId>,
    line: Vec<u32>,
    column: Vec<u32>,
    inlined: Vec<bool>,
    /// File and line of the frames whose line is not in the file of their func; those have no line
    /// of their own.
    elsewhere: FxHashMap<FrameId, (SourceId, u32)>,
}

impl FrameTable {
    /// The row of `id`.
    ///
    /// # Panics
    /// If `id` is of another profile.
    pub fn get(&self, id: FrameId) -> Frame {
        let i = id.index();
        Frame {
            func: self.func[i],
            line: self.line[i],
            column: self.column[i],
            inlined: self.inlined[i],
        }
    }

    /// How many frames there are.
    pub fn len(&self) -> usize {
        self.func.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.func.is_empty()
    }

    /// All rows in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Frame> + '_ {
        (0..self.len() as u32).map(|i| self.get(FrameId::new(i)))
    }

    pub(crate) fn push(&mut self, frame: Frame) {
        self.func.push(frame.func);
        self.line.push(frame.line);
        self.column.push(frame.column);
        self.inlined.push(frame.inlined);
    }

    pub(crate) fn elsewhere(&self, id: FrameId) -> Option<(SourceId, u32)> {
        self.elsewhere.get(&id).copied()
    }

    /// Says of the frame that was pushed last that it executes in another file than its func's.
    pub(crate) fn put_elsewhere(&mut self, source: SourceId, line: u32) {
        if let Some(last) = self.len().checked_sub(1) {
            self.elsewhere.insert(FrameId::new(last as u32), (source, line));
        }
    }
}

/// What a thread was doing, in the profiler's own words: one of the names of
/// [`StackTable::category_name`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct CategoryId(u8);

/// The category of stacks at which a thread was not running.
pub(crate) const IDLE: &str = "Idle";

/// Stacks in columns: a tree in which every parent stands before its children.
///
/// A stack is a frame and the stack it was called from, so `[main, parse]` and `[main, parse,
/// hash]` are two rows and the second points to the first. Row order is the reader's: not depth
/// first.
#[derive(Debug, Clone, Default)]
pub struct StackTable {
    prefix: Vec<u32>,
    frame: Vec<FrameId>,
    /// Of the first stacks; those beyond are in the first category, where most of them are.
    category: Vec<CategoryId>,
    /// Names of categories.
    categories: Vec<String>,
    idle: Option<CategoryId>,
}

impl StackTable {
    /// The frame on top of a stack.
    ///
    /// # Panics
    /// If `id` is of another profile.
    pub fn frame(&self, id: StackId) -> FrameId {
        self.frame[id.index()]
    }

    /// The stack that called it; `None` for a root.
    ///
    /// # Panics
    /// If `id` is of another profile.
    pub fn prefix(&self, id: StackId) -> Option<StackId> {
        let prefix = self.prefix[id.index()];
        (prefix != NONE).then(|| StackId::new(prefix))
    }

    /// Whether samples with exactly this stack are idle.
    pub fn is_idle(&self, id: StackId) -> bool {
        self.idle.is_some_and(|idle| self.category(id) == idle)
    }

    /// What the thread was doing at this stack. Where the format knows no categories, all stacks
    /// are in one without a name.
    pub fn category(&self, id: StackId) -> CategoryId {
        self.category.get(id.index()).copied().unwrap_or_default()
    }

    /// The name of a category; empty where it has none.
    pub fn category_name(&self, id: CategoryId) -> &str {
        self.categories.get(usize::from(id.0)).map_or("", String::as_str)
    }

    /// The categories with their names.
    pub fn categories(&self) -> impl Iterator<Item = (CategoryId, &str)> {
        (0..=u8::MAX).map(CategoryId).zip(self.categories.iter().map(String::as_str))
    }

    /// The category with this name.
    pub(crate) fn find_category(&self, name: &str) -> Option<CategoryId> {
        (0..=u8::MAX)
            .zip(&self.categories)
            .find(|(_, known)| *known == name)
            .map(|(id, _)| CategoryId(id))
    }

    /// All ids in order: callers before callees.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = StackId> + ExactSizeIterator + use<> {
        (0..self.len() as u32).map(StackId::new)
    }

    /// How many stacks there are.
    pub fn len(&self) -> usize {
        self.frame.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.frame.is_empty()
    }

    pub(crate) fn push(&mut self, prefix: Option<StackId>, frame: FrameId) {
        self.prefix.push(prefix.map_or(NONE, StackId::raw));
        self.frame.push(frame);
    }

    /// Appends a stack of a category.
    pub(crate) fn push_in(
        &mut self,
        category: CategoryId,
        prefix: Option<StackId>,
        frame: FrameId,
    ) -> StackId {
        self.push(prefix, frame);
        let id = StackId::new(self.len() as u32 - 1);
        self.set_category(id, category);
        id
    }

    /// A table for other stacks of the same recording.
    pub(crate) fn without_rows(&self) -> Self {
        Self { categories: self.categories.clone(), idle: self.idle, ..Self::default() }
    }

    pub(crate) fn reserve(&mut self, additional: usize) {
        self.prefix.reserve_exact(additional);
        self.frame.reserve_exact(additional);
    }

    /// The id of a category; `None` when there are too many.
    pub(crate) fn intern_category(&mut self, name: &str) -> Option<CategoryId> {
        if let Some(known) = self.find_category(name) {
            return Some(known);
        }
        // What nobody says anything of is in the first.
        if self.categories.is_empty() && name == IDLE {
            self.categories.push(String::new());
        }
        let id = CategoryId(u8::try_from(self.categories.len()).ok()?);
        self.categories.push(name.to_owned());
        self.idle = self.idle.or((name == IDLE).then_some(id));
        Some(id)
    }

    pub(crate) fn set_category(&mut self, id: StackId, category: CategoryId) {
        if self.category(id) == category {
            return;
        }
        if self.category.len() <= id.index() {
            self.category.resize(self.len(), CategoryId::default());
        }
        self.category[id.index()] = category;
    }
}
