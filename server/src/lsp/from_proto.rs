//! The protocol's values as the engine has them. What a client made up, or another server, is
//! `None` here, never an error.

use engine::items::ItemPath;
use engine::text::{Edit, Position, Range};
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

/// The path of a call hierarchy item of ours.
pub fn item_path(item: &CallHierarchyItem) -> Option<ItemPath> {
    ItemPath::deserialize(item.data.as_ref()?).ok()
}
