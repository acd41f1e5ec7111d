//! What a frame means under given groups: its function and its line, as dense numbers to index sums with.

use profile::{FileId, FrameId, FunctionId, Groups, Profile};
use rustc_hash::FxHashMap;

/// What stands for the line of a frame that has none.
pub(crate) const NO_LINE: u32 = u32::MAX;

/// Function and line of every frame.
pub(crate) struct Frames {
    /// Per frame an index into `places`.
    place: Vec<u32>,
    /// Each function with each of its lines: an index into `lines`, or [`NO_LINE`].
    pub(crate) places: Vec<(FunctionId, u32)>,
    /// File and 1-based line number of each line that occurs, sorted.
    pub(crate) lines: Vec<(FileId, u32)>,
}

impl Frames {
    pub(crate) fn new(profile: &Profile, groups: &Groups) -> Self {
        let funcs = &profile.symbols().funcs;
        let file_of: Vec<Option<FileId>> = funcs.ids().map(|id| funcs.get(id).source.map(|source| groups.file(source))).collect();
        let at = |frame: profile::Frame| file_of[frame.func.index()].filter(|_| frame.line != 0).map(|file| (file, frame.line));

        let mut lines: Vec<(FileId, u32)> = profile.frames().iter().filter_map(at).collect();
        lines.sort_unstable();
        lines.dedup();
        let ids: FxHashMap<_, _> = lines.iter().zip(0..).map(|(&line, id)| (line, id)).collect();
        let mut places = Vec::new();
        let mut place_ids = FxHashMap::default();
        let place = profile.frames().iter().map(|frame| {
            let line = at(frame).and_then(|line| ids.get(&line).copied()).unwrap_or(NO_LINE);
            let place = (groups.function(frame.func), line);
            *place_ids.entry(place).or_insert_with(|| {
                places.push(place);
                places.len() as u32 - 1
            })
        });
        Self { place: place.collect(), places, lines }
    }

    pub(crate) fn place(&self, frame: FrameId) -> u32 {
        self.place[frame.index()]
    }

    pub(crate) fn function(&self, frame: FrameId) -> FunctionId {
        self.places[self.place(frame) as usize].0
    }

    pub(crate) fn line(&self, frame: FrameId) -> u32 {
        self.places[self.place(frame) as usize].1
    }
}
