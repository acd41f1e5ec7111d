//! `textDocument/prepareCallHierarchy`, `callHierarchy/incomingCalls` and `outgoingCalls`: the call
//! tree along a path.

use super::{from_proto, to_proto};
use engine::context::Context;
use engine::items::{Direction, root_item};
use engine::query::calls::{Call, calls};
use engine::query::functions_at::function_at;
use lsp_types::{
    CallHierarchyIncomingCall, CallHierarchyItem, CallHierarchyOutgoingCall,
    CallHierarchyPrepareParams,
};

/// The function at a position: the callee that is called there, else the function around it.
pub fn prepare(
    context: &Context,
    params: &CallHierarchyPrepareParams,
) -> Option<Vec<CallHierarchyItem>> {
    let at = &params.text_document_position_params;
    let open = context.open_file(&at.text_document.uri)?;
    let function = function_at(&open, from_proto::position(at.position))?;
    Some(vec![to_proto::item(root_item(context, &open.snapshot, function)?)])
}

/// Callers, costliest first. A foreign or stale item has none.
pub fn incoming(context: &Context, item: &CallHierarchyItem) -> Vec<CallHierarchyIncomingCall> {
    let Some(path) = from_proto::item_path(item) else { return Vec::new() };
    let calls = calls(context, &path, Direction::Incoming).into_iter();
    calls
        .map(|Call { item, ranges }| CallHierarchyIncomingCall {
            from: to_proto::item(item),
            from_ranges: ranges.into_iter().map(to_proto::range).collect(),
        })
        .collect()
}

/// Callees, costliest first. A foreign or stale item has none.
pub fn outgoing(context: &Context, item: &CallHierarchyItem) -> Vec<CallHierarchyOutgoingCall> {
    let Some(path) = from_proto::item_path(item) else { return Vec::new() };
    let calls = calls(context, &path, Direction::Outgoing).into_iter();
    calls
        .map(|Call { item, ranges }| CallHierarchyOutgoingCall {
            to: to_proto::item(item),
            from_ranges: ranges.into_iter().map(to_proto::range).collect(),
        })
        .collect()
}
