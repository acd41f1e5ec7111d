//! What a frame means under given groups: its function and its line, as dense numbers to index sums with.

use profile::{FileId, FrameId, FunctionId, Groups, Profile};
use rustc_hash::FxHashMap;

/// What stands for the line of a frame that has none.
pub(crate) const NO_LINE: u32 = u32::MAX;

/// Function and line of every frame.
pub(crate) struct Frames {
    pub(crate) function: Vec<FunctionId>,
    /// An index into `lines`, or [`NO_LINE`].
    pub(crate) line: Vec<u32>,
    /// File and 1-based line number of each line that occurs, sorted.
    pub(crate) lines: Vec<(FileId, u32)>,
}

impl Frames {
    pub(crate) fn new(profile: &Profile, groups: &Groups) -> Self {
        let funcs = &profile.symbols().funcs;
        let file_of: Vec<Option<FileId>> = funcs.ids().map(|id| funcs.get(id).source.map(|source| groups.file(source))).collect();
        let place =
            |frame: profile::Frame| file_of[frame.func.index()].filter(|_| frame.line != 0).map(|file| (file, frame.line));

        let mut lines: Vec<(FileId, u32)> = profile.frames().iter().filter_map(place).collect();
        lines.sort_unstable();
        lines.dedup();
        let ids: FxHashMap<_, _> = lines.iter().zip(0..).map(|(&line, id)| (line, id)).collect();
        let (function, line) = profile
            .frames()
            .iter()
            .map(|frame| (groups.function(frame.func), place(frame).and_then(|line| ids.get(&line).copied()).unwrap_or(NO_LINE)))
            .unzip();
        Self { function, line, lines }
    }

    pub(crate) fn function(&self, frame: FrameId) -> FunctionId {
        self.function[frame.index()]
    }

    pub(crate) fn line(&self, frame: FrameId) -> u32 {
        self.line[frame.index()]
    }
}
