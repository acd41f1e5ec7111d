//! The frames of flame graphs, by cost or in chronological order.

use crate::compare::before::Before;
use crate::items::fields::{CostFields, PlaceFields};
use crate::keys::Key;
use crate::keys::weight::Weight;
use crate::present::labels::Scale;
use crate::present::names::shorter_names;
use crate::world::context::Context;
use analysis::{FunctionId, Total};
use loading::Snapshot;
use rustc_hash::{FxHashMap, FxHashSet};
use schemars::JsonSchema;
use serde::Serialize;

/// A time range.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "FlameGraphSpan")]
pub struct Span {
    /// The range, to request it with.
    pub range: String,
    /// The range for display: `1.20 s to 1.34 s`.
    pub text: String,
}

/// A frame of a flame graph. If ordered by time, it is a call, or a row of calls that are too short
/// to be drawn. If there are several threads, each thread's frames are below a frame for the
/// thread.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "FlameGraphFrame")]
pub struct Frame {
    /// The name of the function or thread, or `12 calls`.
    pub name: String,
    /// The name of a function with less and less of its qualification, for frames that are too narrow for it:
    /// `b::c` and `c` of `a::b::c`.
    pub shorter_names: Vec<String>,
    /// The frame's cost: `45.6% · self 4.0%`, and if ordered by time, when it began and how long it
    /// took: `45.6% · self 4.0% · 140 ms at 1.20 s`.
    pub text: String,
    /// The function's key. The keys of all parents and of the frame are its path. Null for a thread
    /// and for several calls.
    pub key: Option<Key>,
    /// Where the function is defined.
    #[serde(flatten)]
    pub place: PlaceFields,
    /// The self cost. Null if it is unknown.
    #[serde(rename = "self")]
    pub self_: Option<Weight>,
    /// The total.
    pub total: Weight,
    /// The cost for display.
    #[serde(flatten)]
    pub fields: CostFields,
    /// The change of the total since the baseline as a share of the base, from -1 to 1. 0 if there
    /// is no change beyond noise. Null if it is unknown.
    pub difference: Option<f64>,
    /// Whether the search finds the function.
    pub found: bool,
    /// Whether the function is also one of its callers.
    pub recursive: bool,
    /// Whether the frame has nothing below it, drawn or not.
    pub leaf: bool,
    /// The number of frames that are not drawn below this frame and are not below another that is
    /// drawn. Request the frame's node to get them.
    pub more: usize,
    /// The index of the caller's frame, which precedes this one. Null for a root.
    pub parent: Option<usize>,
    /// The row: the number of callers above the frame. If ordered by time, the rows of a thread are
    /// below the rows of earlier threads.
    pub depth: usize,
    /// The left edge, as a share of the width of the image.
    pub left: f64,
    /// The width, as a share of the width of the image.
    pub width: f64,
    /// If ordered by time: the range to request to draw this frame as wide as the image. Otherwise
    /// null.
    pub range: Option<String>,
}

/// Where a frame is.
#[derive(Clone, Copy)]
pub(super) struct Position {
    pub parent: Option<usize>,
    pub depth: usize,
    pub left: f64,
    pub width: f64,
}

/// The cost of a frame.
pub(super) struct FrameCost {
    pub self_: Option<f64>,
    pub total: f64,
    pub estimated: bool,
    /// The cost in the baseline.
    pub before: Option<Before>,
}

/// The names, places and costs of frames.
pub(super) struct Labels<'a> {
    pub context: &'a Context,
    pub snapshot: &'a Snapshot,
    /// The places and shorter names of the functions so far.
    known: FxHashMap<FunctionId, (PlaceFields, Vec<String>)>,
    /// The functions that the search finds.
    found: FxHashSet<FunctionId>,
}

impl<'a> Labels<'a> {
    /// `found` are the functions that the search finds.
    pub fn new(context: &'a Context, snapshot: &'a Snapshot, found: FxHashSet<FunctionId>) -> Self {
        Self { context, snapshot, known: FxHashMap::default(), found }
    }

    pub fn scale(&self) -> Scale<'a> {
        self.context.scale(self.snapshot)
    }

    /// A frame. Without a function, its name is empty.
    pub fn frame(
        &mut self,
        function: Option<FunctionId>,
        at: Position,
        text: String,
        cost: &FrameCost,
    ) -> Frame {
        let FrameCost { self_, total: weight, estimated, before } = *cost;
        let total = if estimated { Total::Estimated(weight) } else { Total::Exact(weight) };
        let (scale, context, snapshot) = (self.scale(), self.context, self.snapshot);
        let known = function.map(|function| {
            let of_function = || {
                let names = shorter_names(snapshot.function(function).name);
                (PlaceFields::of_function(context, snapshot, function), names)
            };
            self.known.entry(function).or_insert_with(of_function).clone()
        });
        let (place, shorter_names) = known.unwrap_or_else(|| (PlaceFields::none(), Vec::new()));
        let fields = CostFields::new(scale, self_, total, before);
        let Position { parent, depth, left, width } = at;
        let name = function.map(|function| snapshot.function(function).name.to_owned());
        Frame {
            name: name.unwrap_or_default(),
            shorter_names,
            text,
            key: function.map(|function| Key::of(snapshot, function)),
            place,
            self_: self_.map(Weight),
            total: Weight(weight),
            difference: difference(scale, &fields),
            fields,
            found: function.is_some_and(|function| self.found.contains(&function)),
            recursive: false,
            leaf: false,
            more: 0,
            parent,
            depth,
            left,
            width,
            range: None,
        }
    }
}

/// The change of the total as a share of the base.
fn difference(scale: Scale<'_>, fields: &CostFields) -> Option<f64> {
    let change = fields.change.as_ref()?.total.as_ref()?;
    let share = if change.may_be_noise { 0.0 } else { change.change.0 / scale.base };
    Some(share.clamp(-1.0, 1.0))
}
