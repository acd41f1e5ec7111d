//! Frames and stacks, in columns. They are most of a profile.

use crate::column::Column;
use crate::ids::NONE;
use crate::{FrameId, FuncId, JitTier, SourceId, StackId};
use rustc_hash::FxHashMap;

/// A row of the frame table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Frame {
    /// The function that is executing.
    pub func: FuncId,
    /// The line being executed, 1-based; 0 if unknown.
    pub line: u32,
    /// The column being executed, 1-based; 0 if unknown. Only set where it matters: in compiled or
    /// minified JavaScript, whose original place a source map finds by line and column.
    pub column: u32,
    /// Whether the func was inlined into the frame that calls it.
    pub inlined: bool,
    /// How a virtual machine ran the code.
    pub tier: JitTier,
}

impl Frame {
    /// A frame that only has a func and a line (1-based; 0 = unknown).
    pub const fn new(func: FuncId, line: u32) -> Self {
        Self { func, line, column: 0, inlined: false, tier: JitTier::Unknown }
    }
}

/// Frames in columns: a func at a line.
///
/// Frames of one func can differ by line, address or JIT tier. Costs by function merge them.
/// Example: `main` at line 10 and `main` at line 12 are two frames of one func.
#[derive(Debug, Clone, Default)]
pub struct FrameTable {
    func: Vec<FuncId>,
    line: Column<u32>,
    column: Column<u32>,
    inlined: Column<bool>,
    tier: Column<JitTier>,
    /// The file and line of frames whose line is not in the file of their func. Their own line is
    /// 0.
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
            line: self.line.get(i),
            column: self.column.get(i),
            inlined: self.inlined.get(i),
            tier: self.tier.get(i),
        }
    }

    /// The number of frames.
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
        let row = self.len();
        self.func.push(frame.func);
        self.line.set(row, frame.line);
        self.column.set(row, frame.column);
        self.inlined.set(row, frame.inlined);
        self.tier.set(row, frame.tier);
    }

    pub(crate) fn elsewhere(&self, id: FrameId) -> Option<(SourceId, u32)> {
        self.elsewhere.get(&id).copied()
    }

    /// Sets the place of the last frame, in a different file than its func's.
    pub(crate) fn put_elsewhere(&mut self, source: SourceId, line: u32) {
        if let Some(last) = self.len().checked_sub(1) {
            self.elsewhere.insert(FrameId::new(last as u32), (source, line));
        }
    }
}

/// What a thread was doing, as named by the profiler ([`StackTable::category_name`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct CategoryId(u8);

/// The category of stacks of threads that were not running.
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
    /// Most are in the first category.
    category: Column<CategoryId>,
    /// Names of categories.
    categories: Vec<String>,
    idle: Option<CategoryId>,
}

impl StackTable {
    /// The leaf frame of a stack.
    ///
    /// # Panics
    /// If `id` is of another profile.
    pub fn frame(&self, id: StackId) -> FrameId {
        self.frame[id.index()]
    }

    /// The stack of its caller; `None` for a root.
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

    /// The category of a stack. Formats without categories have one without a name.
    pub fn category(&self, id: StackId) -> CategoryId {
        self.category.get(id.index())
    }

    /// The name of a category; empty if it has none.
    pub fn category_name(&self, id: CategoryId) -> &str {
        self.categories.get(usize::from(id.0)).map_or("", String::as_str)
    }

    /// All categories with their names.
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

    /// The number of stacks.
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

    /// An empty table with the same categories.
    pub(crate) fn without_rows(&self) -> Self {
        Self { categories: self.categories.clone(), idle: self.idle, ..Self::default() }
    }

    pub(crate) fn reserve(&mut self, additional: usize) {
        self.prefix.reserve_exact(additional);
        self.frame.reserve_exact(additional);
    }

    /// The id of a category; `None` if there are too many.
    pub(crate) fn intern_category(&mut self, name: &str) -> Option<CategoryId> {
        if let Some(known) = self.find_category(name) {
            return Some(known);
        }
        // Stacks without a category are in the first.
        if self.categories.is_empty() && name == IDLE {
            self.categories.push(String::new());
        }
        let id = CategoryId(u8::try_from(self.categories.len()).ok()?);
        self.categories.push(name.to_owned());
        self.idle = self.idle.or((name == IDLE).then_some(id));
        Some(id)
    }

    pub(crate) fn set_category(&mut self, id: StackId, category: CategoryId) {
        self.category.set(id.index(), category);
    }
}
