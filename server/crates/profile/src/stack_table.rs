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
    /// The column being executed, 1-based; 0 = unknown. Kept where it can say more than the line does: compiled or minified
    /// JavaScript, which a source map leads back to the text that was written.
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
    /// File and line of the frames whose line is not in the file of their func; those have no line of their own.
    elsewhere: FxHashMap<FrameId, (SourceId, u32)>,
}

impl FrameTable {
    /// The row of `id`.
    ///
    /// # Panics
    /// If `id` is of another profile.
    pub fn get(&self, id: FrameId) -> Frame {
        let i = id.index();
        Frame { func: self.func[i], line: self.line[i], column: self.column[i], inlined: self.inlined[i] }
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

/// Stacks in columns: a tree in which every parent stands before its children.
///
/// A stack is a frame and the stack it was called from, so `[main, parse]` and `[main, parse, hash]` are two rows and the
/// second points to the first. Row order is the reader's: not depth first.
#[derive(Debug, Clone, Default)]
pub struct StackTable {
    prefix: Vec<u32>,
    frame: Vec<FrameId>,
    /// Stacks at which the thread was idle; empty where the format knows no idleness.
    idle: Vec<bool>,
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
        self.idle.get(id.index()).copied().unwrap_or(false)
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

    pub(crate) fn reserve(&mut self, additional: usize) {
        self.prefix.reserve_exact(additional);
        self.frame.reserve_exact(additional);
    }

    pub(crate) fn set_idle(&mut self, id: StackId) {
        if self.idle.len() <= id.index() {
            self.idle.resize(self.len(), false);
        }
        self.idle[id.index()] = true;
    }
}
