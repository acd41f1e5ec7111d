//! `textDocument/prepareCallHierarchy`, `callHierarchy/incomingCalls` and
//! `callHierarchy/outgoingCalls`: steps along a path of the call tree.

use super::{from_proto, to_proto};
use answers::{Call, Context, Direction, calls, functions_at, root_item};
use lsp_types::{
    CallHierarchyIncomingCall, CallHierarchyItem, CallHierarchyOutgoingCall,
    CallHierarchyPrepareParams,
};

/// The functions at a position: the callees if the position is in a call, or else the function that
/// contains the position.
pub fn prepare(
    context: &Context,
    params: &CallHierarchyPrepareParams,
) -> Option<Vec<CallHierarchyItem>> {
    let at = &params.text_document_position_params;
    let open = context.open_file(&at.text_document.uri)?;
    let functions = functions_at(&open, from_proto::position(at.position)).into_iter();
    let items = functions.filter_map(|function| root_item(context, &open.snapshot, function));
    let items: Vec<_> = items.map(to_proto::item).collect();
    (!items.is_empty()).then_some(items)
}

/// The callers of an item, hottest first; none if the item is stale or from another server.
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

/// The callees of an item, hottest first; none if the item is stale or from another server.
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
