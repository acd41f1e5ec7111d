//! Samples, kept until the tables of the file are known.
//!
//! Stacks are a tree of location ids. Once all locations are known, each node becomes the stack that
//! its frames make.

use super::locations::Location;
use super::prune::Cut;
use super::tables::ById;
use crate::error::ReadError;
use crate::pprof_proto as proto;
use crate::read::shared::id_tree::{IdTree, Node};
use profile::{ProfileBuilder, StackId};
use rustc_hash::FxHashMap;

/// How many frames the locations of stacks have on average at most. Compilers nest inlined functions
/// some dozens deep.
const MAX_PER_LOCATION: usize = 256;
/// Fewer frames are not counted.
const FEW_FRAMES: usize = 1 << 22;

/// All samples of a file.
#[derive(Default)]
pub(super) struct Samples {
    locations: IdTree<u64>,
    /// The leaf of each sample.
    leaves: Vec<Node>,
    /// The labels of each sample, as a number.
    label_ids: Vec<u32>,
    labels: Vec<Vec<proto::Label>>,
    by_labels: FxHashMap<Vec<proto::Label>, u32>,
    values: Vec<i64>,
    /// How many values the first sample has.
    n_values: usize,
    /// The first sample with another number of values, and that number.
    other: Option<(usize, usize)>,
}

/// A sample.
pub(super) struct Sample<'s> {
    /// The node of its leaf.
    pub(super) leaf: Option<usize>,
    /// Which of [`Samples::labels`] it has.
    pub(super) labels: usize,
    pub(super) values: &'s [i64],
}

impl Samples {
    /// Adds a sample.
    pub(super) fn push(&mut self, sample: &proto::Sample) -> Result<(), ReadError> {
        let n_values = sample.value.len();
        if self.leaves.is_empty() {
            self.n_values = n_values;
        } else if n_values != self.n_values {
            self.other.get_or_insert((self.leaves.len(), n_values));
        }
        self.values.extend(&sample.value);
        let labels = self.by_labels.get(&sample.label).copied().unwrap_or_else(|| {
            let next = self.labels.len() as u32;
            self.by_labels.insert(sample.label.clone(), next);
            self.labels.push(sample.label.clone());
            next
        });
        self.label_ids.push(labels);
        for &location in sample.location_id.iter().rev() {
            self.locations.push(location)?;
        }
        self.leaves.push(self.locations.end());
        Ok(())
    }

    /// The first sample without exactly `n` values, and how many it has.
    pub(super) fn with_other_than(&self, n: usize) -> Option<(usize, usize)> {
        if !self.leaves.is_empty() && self.n_values != n {
            return Some((0, self.n_values));
        }
        self.other
    }

    /// The different labels of samples.
    pub(super) fn labels(&self) -> impl Iterator<Item = &[proto::Label]> {
        self.labels.iter().map(Vec::as_slice)
    }

    /// All samples, each with `n_values`.
    pub(super) fn iter(&self, n_values: usize) -> impl Iterator<Item = Sample<'_>> {
        let rows = self.leaves.iter().zip(&self.label_ids).enumerate();
        rows.map(move |(row, (&leaf, &labels))| Sample {
            leaf: leaf.index(),
            labels: labels as usize,
            values: self.values.get(row * n_values..(row + 1) * n_values).unwrap_or_default(),
        })
    }

    /// The stack of each node; `None` if all of its frames are left out.
    pub(super) fn stacks(
        &self,
        locations: &ById<Location>,
        builder: &mut ProfileBuilder,
    ) -> Result<Vec<Option<StackId>>, ReadError> {
        let nodes = self.locations.nodes();
        let most = (nodes.len() * MAX_PER_LOCATION).max(FEW_FRAMES);
        let mut n_frames = 0;
        let mut stacks: Vec<Option<StackId>> = Vec::with_capacity(nodes.len());
        let mut cuts: Vec<Left> = Vec::with_capacity(nodes.len());
        for (parent, location) in nodes {
            let location = locations.get(location, || self.place_of(location))?;
            let parent = parent.index();
            let mut stack = parent.and_then(|parent| stacks.get(parent).copied().flatten());
            let before = parent.and_then(|parent| cuts.get(parent).copied()).unwrap_or_default();
            let (after, has_frames) = before.and_then(location.cut);
            if has_frames {
                n_frames += location.frames.len();
                if n_frames > most {
                    return Err(ReadError::too_large(format!(
                        "its stacks have more than {MAX_PER_LOCATION} inlined functions per location"
                    )));
                }
                for &frame in &location.frames {
                    stack = Some(builder.intern_stack(stack, frame)?);
                }
            }
            stacks.push(stack);
            cuts.push(after);
        }
        Ok(stacks)
    }

    /// The key of a location in the first sample that has it.
    fn place_of(&self, location: u64) -> String {
        let place = |(row, &leaf): (usize, &Node)| {
            let i = self.locations.path(leaf).position(|id| id == location)?;
            Some(format!("sample[{row}].location_id[{i}]"))
        };
        let found = self.leaves.iter().enumerate().find_map(place);
        found.unwrap_or_else(|| "sample".to_owned())
    }
}

/// What is left out of a stack, from the root to a node.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Left {
    /// Nothing was kept so far.
    #[default]
    All,
    /// Something was kept.
    Some,
    /// All further frames are left out.
    Rest,
}

impl Left {
    /// What is left out after another location, and whether its own frames are kept.
    fn and_then(self, cut: Cut) -> (Self, bool) {
        match (self, cut) {
            (Self::Rest, _) | (Self::Some, Cut::Whole) => (Self::Rest, false),
            (_, Cut::Nothing) => (Self::Some, true),
            (Self::Some, Cut::Inner) => (Self::Rest, true),
            (Self::All, Cut::Whole | Cut::Inner) => (Self::All, true),
        }
    }
}
