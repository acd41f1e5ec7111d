//! Function and line of every frame under given groups, as dense numbers that index the sums.

use hashbrown::HashTable;
use profile::{FileId, FrameId, FunctionId, Groups, Profile, StackAccess};
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::hash::BuildHasher;

/// Stands for the line of a frame without one.
pub(crate) const NO_LINE: u32 = u32::MAX;

/// Function and line of every frame.
pub(crate) struct Frames {
    /// Per frame an index into `places`.
    place: Vec<u32>,
    /// Per frame whether its function was inlined into the one that calls it.
    inlined: Vec<bool>,
    /// The distinct pairs of a function and a line: all functions, if there are no lines. The line is an index into `lines`, or
    /// [`NO_LINE`].
    pub(crate) places: Vec<(FunctionId, u32)>,
    /// File and 1-based number of each line that occurs, sorted.
    pub(crate) lines: Vec<(FileId, u32)>,
}

impl Frames {
    pub(crate) fn new(profile: &Profile, groups: &Groups) -> Self {
        let ids = || (0..profile.frames().len() as u32).map(FrameId::new);
        let at = |frame| profile.place(frame).map(|(source, line)| (groups.file(source), line));

        let mut lines: Vec<(FileId, u32)> = ids().filter_map(at).collect();
        lines.sort_unstable();
        lines.dedup();
        let inlined = profile.frames().iter().map(|frame| frame.inlined).collect();
        if lines.is_empty() {
            let function = |id| groups.function(profile.frames().get(id).func).raw();
            let place = ids().map(function).collect();
            let places = groups.functions().map(|function| (function, NO_LINE)).collect();
            return Self { place, inlined, places, lines };
        }
        let line_ids: FxHashMap<_, _> =
            lines.iter().zip(0..).map(|(&line, id)| (line, id)).collect();
        let mut places: Vec<(FunctionId, u32)> = Vec::new();
        let mut place_ids: HashTable<u32> = HashTable::new();
        let hash = |place: (FunctionId, u32)| FxBuildHasher.hash_one(place);
        let place = ids().map(|frame| {
            let line = at(frame).and_then(|line| line_ids.get(&line).copied()).unwrap_or(NO_LINE);
            let place = (groups.function(profile.frames().get(frame).func), line);
            let known = place_ids.find(hash(place), |&id| places[id as usize] == place);
            known.copied().unwrap_or_else(|| {
                let id = places.len() as u32;
                places.push(place);
                place_ids.insert_unique(hash(place), id, |&id| hash(places[id as usize]));
                id
            })
        });
        let place = place.collect();
        Self { place, inlined, places, lines }
    }

    pub(crate) fn place(&self, frame: FrameId) -> u32 {
        self.place[frame.index()]
    }

    pub(crate) fn is_inlined(&self, frame: FrameId) -> bool {
        self.inlined[frame.index()]
    }

    pub(crate) fn function(&self, frame: FrameId) -> FunctionId {
        self.places[self.place(frame) as usize].0
    }

    pub(crate) fn line(&self, frame: FrameId) -> u32 {
        self.places[self.place(frame) as usize].1
    }
}
