//! The flame graph of the page, as the data that its script draws.

use super::place;
use answers::text::plain;
use answers::{
    Context, FlameFrame as Frame, FlameGraph, FlameGraphQuestion as Question, LegendEntry,
    flame_graph,
};
use serde::Serialize;

/// The maximum length of the data in bytes.
const MAX_BYTES: usize = 1 << 20;
/// The number of frames to try first. It is halved until the data are short enough.
const MAX_FRAMES: usize = 5000;

/// What the script needs of a flame graph.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Data<'a> {
    total_text: &'a str,
    omitted: usize,
    legend: &'a [LegendEntry],
    frames: Vec<FrameData<'a>>,
}

/// What the script needs of a frame.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FrameData<'a> {
    name: String,
    shorter_names: &'a [String],
    text: &'a str,
    place: String,
    parent: Option<usize>,
    depth: usize,
    left: f64,
    width: f64,
    leaf: bool,
    more: usize,
    change_tier: Option<i8>,
    has_source: bool,
    share: f64,
}

/// The data as JSON that cannot end the element that it is in. `None` if there is nothing to draw.
pub(super) fn data(context: &Context) -> Option<String> {
    let mut limit = MAX_FRAMES;
    loop {
        let question = Question { limit: Some(limit), ..Question::default() };
        let graph = flame_graph(context, &question).ok()?;
        let json = json(context, &graph)?;
        if json.len() <= MAX_BYTES || limit == 1 {
            return Some(json);
        }
        limit /= 2;
    }
}

fn json(context: &Context, graph: &FlameGraph) -> Option<String> {
    let data = Data {
        total_text: &graph.total_text,
        omitted: graph.omitted,
        legend: &graph.legend,
        frames: graph.frames.iter().map(|frame| frame_data(context, frame)).collect(),
    };
    let json = serde_json::to_string(&data).ok()?;
    // The page is also XML.
    Some(json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026"))
}

fn frame_data<'f>(context: &Context, frame: &'f Frame) -> FrameData<'f> {
    FrameData {
        name: plain(&frame.name).into_owned(),
        shorter_names: &frame.shorter_names,
        text: &frame.text,
        place: place::text(context, &frame.place),
        parent: frame.parent,
        depth: frame.depth,
        left: frame.left,
        width: frame.width,
        leaf: frame.leaf,
        more: frame.more,
        change_tier: frame.fields.change_tier.flatten(),
        has_source: frame.place.uri.is_some(),
        share: frame.fields.share,
    }
}
