//! Converts values of the protocol to values of the engine. Data that this server did not create
//! gives `None`.

use answers::{Edit, ItemPath, Position, Range};
use lsp_types::{CallHierarchyItem, TextDocumentContentChangeEvent};
use serde::Deserialize;

/// A position.
pub fn position(position: lsp_types::Position) -> Position {
    Position::new(position.line, position.character)
}

/// A change of a document.
pub fn edit(change: &TextDocumentContentChangeEvent) -> Edit {
    let range = change.range.map(|range| Range::new(position(range.start), position(range.end)));
    Edit { range, text: change.text.clone() }
}

/// The path of a call hierarchy item that this server created.
pub fn item_path(item: &CallHierarchyItem) -> Option<ItemPath> {
    ItemPath::deserialize(item.data.as_ref()?).ok()
}
